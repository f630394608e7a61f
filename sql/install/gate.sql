/*
 * gate.sql
 *		What the gate calls.
 */

------------------------------------------------------------------------------
-- The gate

CREATE FUNCTION dp_noise.release(number bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_release'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.release(bigint) IS
'Stands for a query over a protected relation while it is being planned; cannot be called.';
REVOKE ALL ON FUNCTION dp_noise.release(bigint) FROM PUBLIC;

CREATE FUNCTION dp_noise.check_view(view regclass, unit smallint)
RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_check_view'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.check_view(regclass, smallint) IS
'Refuses a view that cannot be protected: (view, the column that is the privacy unit of its rows, 0 for whatever that is). True where a unit has one row at most. Nothing is read. Errors: feature_not_supported for what no rule is there for, insufficient_privilege for what is not its owner''s, object_not_in_prerequisite_state for another column or nothing protected.';
REVOKE ALL ON FUNCTION dp_noise.check_view(regclass, smallint) FROM PUBLIC;

CREATE FUNCTION dp_noise.choose(number integer)
RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_choose'
LANGUAGE C VOLATILE WINDOW PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.choose(integer) IS
'True for up to the given number of rows of each partition, each subset of that size with the same probability (by OpenSSL''s CSPRNG): the groups in which a privacy unit counts. A window function, to be used without ORDER BY.';

CREATE FUNCTION dp_noise.true_states(query text)
RETURNS SETOF text[]
AS 'MODULE_PATHNAME', 'dp_true_states'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.true_states(text) IS
'Shows what noise would be added to in a query over privacy units of several rows: its rows, as bounded, with keys and true states in steps of the answers. For tests of sensitivities. Not private; superusers only.';
REVOKE ALL ON FUNCTION dp_noise.true_states(text) FROM PUBLIC;

CREATE FUNCTION dp_noise.total_functions()
RETURNS pg_catalog.regprocedure[]
AS 'MODULE_PATHNAME', 'dp_total_functions'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.total_functions() IS
'The functions that conditions and arguments of a query over a protected relation may call: none raises an error, whatever the row holds. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.total_functions() FROM PUBLIC;

------------------------------------------------------------------------------
-- Intervals around private answers

CREATE FUNCTION @extschema@.dp_low(aggregate anyelement, level double precision DEFAULT 0.95)
RETURNS anyelement
AS 'MODULE_PATHNAME', 'dp_low'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_low(anyelement, double precision) IS
'The low end of the interval around a private answer that has the truth with at least this probability (greater than 0, less than 1), from the exact law of the noise and rounded outwards: dp_low(count(*)), beside any aggregate in a query over a protected relation. It costs nothing and draws nothing: the same answer, replayed too, has the same interval. Null where there is none without asking for more: medians, quantiles, modes and bounds, and maxima and minima by exponential and two_stage. By above_threshold, their default, a maximum is between this end and its upper bound. The truth is that of the values within their bounds and of the rows of a unit that count. An error outside of such a query.';

CREATE FUNCTION @extschema@.dp_high(aggregate anyelement, level double precision DEFAULT 0.95)
RETURNS anyelement
AS 'MODULE_PATHNAME', 'dp_high'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_high(anyelement, double precision) IS
'The high end of the interval around a private answer that has the truth with at least this probability, as dp_low: dp_high(avg(age), 0.99).';
