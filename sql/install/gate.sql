/*
 * gate.sql
 *		Functions of the gate.
 */

------------------------------------------------------------------------------
-- The gate

CREATE FUNCTION dp_noise.release(number bigint) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_release' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.release(bigint) IS 'Stands for a query over a protected relation while that is being planned; cannot be called.';

CREATE FUNCTION dp_noise.check_view(view regclass, unit smallint) RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_check_view' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.check_view(regclass, smallint) IS
'Refuses a view that cannot be protected: (view, number of the column that is the privacy unit of its rows; 0: whatever the unit is). True where a unit has at most one row. Reads no rows; anything it evaluates runs as the owner of the view, restricted as in an index build. For owners. Errors: feature_not_supported (a query that no rule covers), insufficient_privilege (reads relations of other owners), object_not_in_prerequisite_state (the column is not the unit, or nothing that it reads is protected).';

CREATE FUNCTION dp_noise.choose(number integer) RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_choose' LANGUAGE C VOLATILE WINDOW PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.choose(integer) IS
'True for up to the given number of rows of each partition, chosen uniformly at random (by OpenSSL''s CSPRNG): the groups in which a privacy unit counts. A window function, to be used without ORDER BY.';

CREATE FUNCTION dp_noise.unit_and_value("any", "any") RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_unit_and_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.unit_and_value("any", "any") IS 'A privacy unit and a value of it (integers, dates or enums) as one number.';

CREATE FUNCTION dp_noise.true_states(query text) RETURNS SETOF text[]
AS 'MODULE_PATHNAME', 'dp_true_states' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.true_states(text) IS
'Shows the true states to which a query over privacy units of several rows would add noise: its rows after bounding, with keys and states in steps of the answers. For tests of sensitivities. Not private; superusers only.';

CREATE FUNCTION dp_noise.describe_question(sql text, OUT node text, OUT columns text, OUT owner text, OUT equal text, OUT keys text, OUT facts text, OUT form text, OUT statement text) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_describe_question' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.describe_question(text) IS
'How the gate reads a query over protected relations: a row for each operation on rows, indented below what reads it, with its columns (bounds, null), whose its rows are, which columns are equal, in which no two rows agree, what follows from these, and its canonical form; with the question itself the inner statement that bounds what each unit contributes and computes the noisy aggregates, one for each grouping. Columns are numbers: #0 is the first of the rows beneath, ^#0 that of the row around a sub-query. Reads no rows. For developers and tests; superusers only. Errors: those of the query.';

CREATE FUNCTION dp_noise.price(
	VARIADIC sql text[], OUT number integer, OUT epsilon numeric, OUT delta numeric, OUT rho numeric, OUT answer text, OUT reason text, OUT hint text,
	OUT errors text[], OUT epsilon_left numeric, OUT delta_left numeric, OUT rho_left numeric) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_price' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION dp_noise.price(text[]) IS
'What statements would cost if they were run in this order: a row for each, with what it asks for (epsilon, delta; under zcdp rho), what becomes of it (answer: charged, replayed, derived, shared, refused, free where it asks no private question, not known where it depends on the value of a sub-query that is found first), why it is refused and what helps (reason, hint), the expected error of each aggregate as in EXPLAIN (errors), and the least that is then left of the budgets that pay, after this statement and those before it (epsilon_left, delta_left, rho_left). A statement that equals one before is replayed, and what is refused costs nothing. Each is planned as by EXPLAIN, with the caller''s rights; nothing is run or charged.';

CREATE FUNCTION dp_noise.total_functions() RETURNS pg_catalog.regprocedure[]
AS 'MODULE_PATHNAME', 'dp_total_functions' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.total_functions() IS
'The functions that conditions and arguments of a query over a protected relation may call as they are: none raises an error, whatever a row holds.';

------------------------------------------------------------------------------
-- Intervals around private answers

CREATE FUNCTION @extschema@.dp_low(aggregate anyelement, level double precision DEFAULT 0.95) RETURNS anyelement
AS 'MODULE_PATHNAME', 'dp_low' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_low(anyelement, double precision) IS
'The low end of an interval around a private answer that contains the truth with at least this probability (greater than 0, less than 1). It follows from the exact distribution of the noise, rounded outwards: dp_low(count(*)), beside any aggregate in a query over a protected relation. It costs nothing and draws nothing: the same answer, even replayed, has the same interval. Null where there is no interval without a further charge: medians, quantiles, modes and bounds, and maxima and minima by exponential and two_stage. By above_threshold, their default, a maximum is between this end and its upper bound. The truth here is what the aggregate is after values are clamped to their bounds and contributions are bounded. An error outside of such a query.';

CREATE FUNCTION @extschema@.dp_high(aggregate anyelement, level double precision DEFAULT 0.95) RETURNS anyelement
AS 'MODULE_PATHNAME', 'dp_high' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_high(anyelement, double precision) IS
'The high end of the interval whose low end is dp_low: dp_high(avg(age), 0.99).';
