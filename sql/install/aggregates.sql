/*
 * aggregates.sql
 *		The dp_ aggregates: their states, transition and final functions, and the
 *		forms that the gate uses.
 */

------------------------------------------------------------------------------
-- The state of sums and means

CREATE TYPE dp_noise.sum_state;

CREATE FUNCTION dp_noise.sum_state_in(pg_catalog.cstring) RETURNS dp_noise.sum_state
AS 'MODULE_PATHNAME', 'dp_sum_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_in(pg_catalog.cstring) IS
'Reads (0,0), the empty state; an error otherwise: other values cannot be written by hand.';

CREATE FUNCTION dp_noise.sum_state_out(dp_noise.sum_state) RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_sum_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_out(dp_noise.sum_state) IS 'Writes (sum,count).';

CREATE TYPE dp_noise.sum_state (
	INPUT = dp_noise.sum_state_in,
	OUTPUT = dp_noise.sum_state_out,
	INTERNALLENGTH = 24,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.sum_state IS
'State of dp_sum and dp_mean, written (sum,count): the exact sum of the rows'' grid points, and the number of rows. Not private.';

CREATE FUNCTION dp_noise.sum_state_combine(dp_noise.sum_state, dp_noise.sum_state) RETURNS dp_noise.sum_state
AS 'MODULE_PATHNAME', 'dp_sum_state_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_combine(dp_noise.sum_state, dp_noise.sum_state) IS 'Adds two states.';

------------------------------------------------------------------------------
-- The state of variances and standard deviations

CREATE TYPE dp_noise.square_state;

CREATE FUNCTION dp_noise.square_state_in(pg_catalog.cstring) RETURNS dp_noise.square_state
AS 'MODULE_PATHNAME', 'dp_square_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.square_state_in(pg_catalog.cstring) IS
'Reads (0,0,0), the empty state; an error otherwise: other values cannot be written by hand.';

CREATE FUNCTION dp_noise.square_state_out(dp_noise.square_state) RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_square_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.square_state_out(dp_noise.square_state) IS 'Writes (sum,squares,count).';

CREATE TYPE dp_noise.square_state (
	INPUT = dp_noise.square_state_in,
	OUTPUT = dp_noise.square_state_out,
	INTERNALLENGTH = 48,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.square_state IS
'State of dp_variance and dp_stddev, written (sum,squares,count): the exact sums of the rows'' grid points above the lower bound and of their squares, and the number of rows. Not private.';

CREATE FUNCTION dp_noise.square_state_combine(dp_noise.square_state, dp_noise.square_state) RETURNS dp_noise.square_state
AS 'MODULE_PATHNAME', 'dp_square_state_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.square_state_combine(dp_noise.square_state, dp_noise.square_state) IS 'Adds two states.';

------------------------------------------------------------------------------
-- The state of medians, quantiles, maxima and minima

CREATE FUNCTION dp_noise.values_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_values_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_combine(pg_catalog.internal, pg_catalog.internal) IS 'Concatenates two lists of grid points.';

CREATE FUNCTION dp_noise.values_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_values_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_serialize(pg_catalog.internal) IS 'A list of grid points for a parallel worker.';

CREATE FUNCTION dp_noise.values_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_values_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_deserialize(pg_catalog.bytea, pg_catalog.internal) IS 'A list of grid points from a parallel worker.';

CREATE FUNCTION dp_noise.values_state_final(pg_catalog.internal) RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_values_state_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_state_final(pg_catalog.internal) IS 'The true grid points in ascending order, 8 bytes each. Not private.';

------------------------------------------------------------------------------
-- Means and variances for the gate: the noisy sums that they are made of

DO $install$
DECLARE
	kind record;
BEGIN
	FOR kind IN
		SELECT * FROM (VALUES
			('mean', 'dp_noise.sum_state', 'of the values above the lower bound, and of that and what is below the upper bound; or a level and the greatest one'),
			('variance', 'dp_noise.square_state', 'of (upper - value)^2, 2 (value - lower)(upper - value) and (value - lower)^2'),
			('stddev', 'dp_noise.square_state', 'as dp_noise.variance_sums_final')
		) AS k (name, state, sums)
	LOOP
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.%1$s_sums_final(%2$s)
			RETURNS pg_catalog.bytea
			AS 'MODULE_PATHNAME', 'dp_%1$s_sums_final'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.%1$s_sums_final(%2$s) IS
			'Adds the noise of dp_%1$s: returns the noisy sums from which its answer, and the interval around it, are computed, %3$s.';
		$sql$, kind.name, kind.state, kind.sums);
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- Random choices of one unit's values

CREATE TYPE dp_noise.sample_state;

CREATE FUNCTION dp_noise.sample_state_in(pg_catalog.cstring) RETURNS dp_noise.sample_state
AS 'MODULE_PATHNAME', 'dp_sample_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sample_state_in(pg_catalog.cstring) IS 'Always an error: such values cannot be written by hand.';

CREATE FUNCTION dp_noise.sample_state_out(dp_noise.sample_state) RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_sample_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sample_state_out(dp_noise.sample_state) IS
'Writes {seen,point,...}: the number of values seen, and the grid points kept.';

CREATE TYPE dp_noise.sample_state (
	INPUT = dp_noise.sample_state_in,
	OUTPUT = dp_noise.sample_state_out,
	INTERNALLENGTH = variable,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.sample_state IS 'A random choice of a limited number of a privacy unit''s values, as grid points. Not private.';

CREATE FUNCTION dp_noise.sample_combine(dp_noise.sample_state, dp_noise.sample_state) RETURNS dp_noise.sample_state
AS 'MODULE_PATHNAME', 'dp_sample_combine' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sample_combine(dp_noise.sample_state, dp_noise.sample_state) IS
'Merges two random choices into one from all their values.';

------------------------------------------------------------------------------
-- dp_count

CREATE FUNCTION dp_noise.count_final(bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_final' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_final(bigint) IS 'Adds the noise of dp_count.';

DO $install$
DECLARE
	-- arguments of dp_count
	signature text;
	-- those arguments as the transition function takes them
	arguments text;
BEGIN
	FOREACH signature IN ARRAY ARRAY[
		'*',
		'value "any"',
		'value "any", epsilon double precision',
		'value "any", epsilon double precision, mechanism text'
	]
	LOOP
		arguments := CASE signature WHEN '*' THEN '' ELSE ', ' || signature END;
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.count_transition(bigint%1$s)
			RETURNS bigint
			AS 'MODULE_PATHNAME', 'dp_count_transition'
			LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.count_transition(bigint%1$s) IS
			'Counts a row.';
			CREATE AGGREGATE @extschema@.dp_count(%2$s) (
				SFUNC = dp_noise.count_transition,
				STYPE = bigint,
				INITCOND = '0',
				COMBINEFUNC = pg_catalog.int8pl,
				FINALFUNC = dp_noise.count_final,
				FINALFUNC_MODIFY = read_write,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE @extschema@.dp_count(%2$s) IS
			'Private number of rows, or of values that are not null: (value, epsilon, mechanism). Epsilon-DP for one row added or removed; sensitivity 1. Default two-sided geometric noise, optimal for counts (Ghosh, Roughgarden, Sundararajan 2009). May be negative unless a truncated mechanism is chosen.';
		$sql$, arguments, signature);
	END LOOP;
END
$install$;

-- dp_count_distinct. Its values are sorted, as for count(DISTINCT), so it can
-- be neither hashed nor split; SSPACE keeps the planner from running many at
-- once.

CREATE FUNCTION dp_noise.count_distinct_final(pg_catalog.internal) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_distinct_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_distinct_final(pg_catalog.internal) IS 'Counts the different values and adds the noise of dp_count_distinct.';

DO $install$
DECLARE
	-- arguments of dp_count_distinct
	signature text;
BEGIN
	FOREACH signature IN ARRAY ARRAY[
		'value anyelement',
		'value anyelement, epsilon double precision',
		'value anyelement, epsilon double precision, mechanism text',
		'value anyelement, epsilon double precision, mechanism text, values_of_unit integer'
	]
	LOOP
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.count_distinct_transition(pg_catalog.internal, %1$s)
			RETURNS pg_catalog.internal
			AS 'MODULE_PATHNAME', 'dp_count_distinct_transition'
			LANGUAGE C IMMUTABLE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.count_distinct_transition(pg_catalog.internal, %1$s) IS
			'Adds a value.';
			CREATE AGGREGATE @extschema@.dp_count_distinct(%1$s) (
				SFUNC = dp_noise.count_distinct_transition,
				STYPE = pg_catalog.internal,
				SSPACE = 131072,
				FINALFUNC = dp_noise.count_distinct_final,
				FINALFUNC_MODIFY = read_write,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE @extschema@.dp_count_distinct(%1$s) IS
			'Private number of different values that are not null: (value, epsilon, mechanism, values of a unit), of which the last three may be null where all are written. Epsilon-DP for one row added or removed, and for one value with all its rows; sensitivity 1. Over a protected relation, privacy units count once each. Of other values, each unit may name only a limited number of its own: as many as of its rows count (max_rows_per_unit), or as the last argument says. The answer is the greatest number of different values that the units can name, a maximum flow. It is Epsilon-DP for one unit, with that limit as its sensitivity (Knop and Steinke 2023). Default two-sided geometric noise (Ghosh, Roughgarden, Sundararajan 2009).';
		$sql$, signature);
	END LOOP;
END
$install$;

-- The different values of one privacy unit.

CREATE TYPE dp_noise.distinct_state;

CREATE FUNCTION dp_noise.distinct_state_in(pg_catalog.cstring) RETURNS dp_noise.distinct_state
AS 'MODULE_PATHNAME', 'dp_distinct_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.distinct_state_in(pg_catalog.cstring) IS 'Always an error: such values cannot be written by hand.';

CREATE FUNCTION dp_noise.distinct_state_out(dp_noise.distinct_state) RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_distinct_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.distinct_state_out(dp_noise.distinct_state) IS
'Writes {image,...}: 128 bits for each of the values, by which they are distinguished.';

CREATE TYPE dp_noise.distinct_state (
	INPUT = dp_noise.distinct_state_in,
	OUTPUT = dp_noise.distinct_state_out,
	INTERNALLENGTH = variable,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.distinct_state IS 'The different values of a privacy unit, at most 16384 of them. Not private.';

CREATE FUNCTION dp_noise.distinct_combine(dp_noise.distinct_state, dp_noise.distinct_state) RETURNS dp_noise.distinct_state
AS 'MODULE_PATHNAME', 'dp_distinct_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.distinct_combine(dp_noise.distinct_state, dp_noise.distinct_state) IS
'Merges the different values of two parts of a privacy unit''s rows.';

CREATE FUNCTION dp_noise.different_values_transition(dp_noise.distinct_state, anyelement) RETURNS dp_noise.distinct_state
AS 'MODULE_PATHNAME', 'dp_different_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.different_values_transition(dp_noise.distinct_state, anyelement) IS 'Adds a value to those of a privacy unit.';

CREATE AGGREGATE dp_noise.different_values(anyelement) (
	SFUNC = dp_noise.different_values_transition,
	STYPE = dp_noise.distinct_state,
	SSPACE = 96,
	COMBINEFUNC = dp_noise.distinct_combine,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.different_values(anyelement) IS
'The different values of a privacy unit, without nulls; null if there are none. Of more than 16384, those with the least hashes. Not private.';

-- The gate's forms, which also take the contribution of one privacy unit.
-- Anyone may call them, since the inner statement runs with the analyst's right
-- to execute; they read nothing by themselves.

CREATE FUNCTION dp_noise.count_of_rows_transition(bigint, "any", double precision, text, integer, boolean, boolean) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_of_rows_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_of_rows_transition(bigint, "any", double precision, text, integer, boolean, boolean) IS 'Counts a row.';

CREATE AGGREGATE dp_noise.count_of_rows("any", double precision, text, integer, boolean, boolean) (
	SFUNC = dp_noise.count_of_rows_transition,
	STYPE = bigint,
	INITCOND = '0',
	COMBINEFUNC = pg_catalog.int8pl,
	FINALFUNC = dp_noise.count_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_of_rows("any", double precision, text, integer, boolean, boolean) IS
'dp_count as the gate runs it, a privacy unit being a row: (value, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP; sensitivity 1.';

CREATE FUNCTION dp_noise.count_of_units_transition(bigint, bigint, double precision, text, integer, integer, boolean, boolean, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_of_units_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_of_units_transition(bigint, bigint, double precision, text, integer, integer, boolean, boolean, bigint) IS
'Counts a privacy unit''s rows, up to the cap.';

CREATE AGGREGATE dp_noise.count_of_units(bigint, double precision, text, integer, integer, boolean, boolean, bigint) (
	SFUNC = dp_noise.count_of_units_transition,
	STYPE = bigint,
	INITCOND = '0',
	FINALFUNC = dp_noise.count_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_of_units(bigint, double precision, text, integer, integer, boolean, boolean, bigint) IS
'dp_count as the gate runs it over privacy units: (null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s number of rows). Epsilon-DP; sensitivity: the cap.';

CREATE AGGREGATE dp_noise.count_of_units_state(bigint, double precision, text, integer, integer, boolean, boolean, bigint) (
	SFUNC = dp_noise.count_of_units_transition,
	STYPE = bigint,
	INITCOND = '0',
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_of_units_state(bigint, double precision, text, integer, integer, boolean, boolean, bigint) IS
'The true state of dp_noise.count_of_units, without noise. Not private.';

-- The gate's forms of dp_count_distinct of values.

CREATE FUNCTION dp_noise.count_values_final(pg_catalog.internal) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_values_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_values_final(pg_catalog.internal) IS
'Counts different values, with a maximum flow where units have several, and adds the noise of dp_count_distinct.';

CREATE FUNCTION dp_noise.count_values_state_final(pg_catalog.internal) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_values_state_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_values_state_final(pg_catalog.internal) IS
'Counts different values as dp_noise.count_values_final does, without noise.';

CREATE FUNCTION dp_noise.count_distinct_of_rows_transition(pg_catalog.internal, anyelement, double precision, text, integer, boolean, boolean)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_count_values_of_rows_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_distinct_of_rows_transition(pg_catalog.internal, anyelement, double precision, text, integer, boolean, boolean) IS
'Adds a value.';

CREATE AGGREGATE dp_noise.count_distinct_of_rows(anyelement, double precision, text, integer, boolean, boolean) (
	SFUNC = dp_noise.count_distinct_of_rows_transition,
	STYPE = pg_catalog.internal,
	SSPACE = 512,
	FINALFUNC = dp_noise.count_values_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_distinct_of_rows(anyelement, double precision, text, integer, boolean, boolean) IS
'dp_count_distinct as the gate runs it, a privacy unit being a row: (value, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP; sensitivity 1.';

CREATE FUNCTION dp_noise.count_distinct_of_units_transition(pg_catalog.internal, bigint, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_count_values_of_units_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_distinct_of_units_transition(pg_catalog.internal, bigint, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state) IS
'Adds the different values of a privacy unit.';

CREATE AGGREGATE dp_noise.count_distinct_of_units(bigint, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state) (
	SFUNC = dp_noise.count_distinct_of_units_transition,
	STYPE = pg_catalog.internal,
	SSPACE = 512,
	FINALFUNC = dp_noise.count_values_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_distinct_of_units(bigint, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state) IS
'dp_count_distinct as the gate runs it over privacy units, of values that are not the units: (null, epsilon and mechanism or null, cap on values of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s values: of dp_noise.different_values). Epsilon-DP; sensitivity: the cap.';

CREATE AGGREGATE dp_noise.count_distinct_of_units_state(bigint, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state) (
	SFUNC = dp_noise.count_distinct_of_units_transition,
	STYPE = pg_catalog.internal,
	SSPACE = 512,
	FINALFUNC = dp_noise.count_values_state_final,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_distinct_of_units_state(bigint, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state) IS
'The true number of dp_noise.count_distinct_of_units, without noise. Not private.';

-- The same for units and values of at most 32 bits each, where a pair of both
-- is one bigint.

CREATE FUNCTION dp_noise.count_distinct_of_units_transition(pg_catalog.internal, bigint, double precision, text, integer, integer, boolean, boolean, bigint)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_count_pairs_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_distinct_of_units_transition(pg_catalog.internal, bigint, double precision, text, integer, integer, boolean, boolean, bigint) IS
'Adds a privacy unit''s value.';

CREATE AGGREGATE dp_noise.count_distinct_of_units(bigint, double precision, text, integer, integer, boolean, boolean, bigint) (
	SFUNC = dp_noise.count_distinct_of_units_transition,
	STYPE = pg_catalog.internal,
	SSPACE = 512,
	FINALFUNC = dp_noise.count_values_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_distinct_of_units(bigint, double precision, text, integer, integer, boolean, boolean, bigint) IS
'The same over rows: (null, epsilon and mechanism or null, cap on values of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit and its value: of dp_noise.unit_and_value). Epsilon-DP; sensitivity: the cap.';

CREATE AGGREGATE dp_noise.count_distinct_of_units_state(bigint, double precision, text, integer, integer, boolean, boolean, bigint) (
	SFUNC = dp_noise.count_distinct_of_units_transition,
	STYPE = pg_catalog.internal,
	SSPACE = 512,
	FINALFUNC = dp_noise.count_values_state_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_distinct_of_units_state(bigint, double precision, text, integer, integer, boolean, boolean, bigint) IS
'The true number of the same, without noise. Not private.';

------------------------------------------------------------------------------
-- The aggregates of values, for each type of value: with the types of its
-- bounds, its sum, its mean and its variance; null: it has none.

DO $install$
DECLARE
	type record;
	kind record;
	tail record;
	result text;
	state text;
	arguments text;
	initial text;
	combine text;
	final text;
	-- final functions: for everybody, and for the gate
	final_function text;
	gate_final text;
	gate_result text;
	partial text;
BEGIN
	FOR type IN
		SELECT * FROM (VALUES
			('smallint', 'numeric', 'bigint', 'numeric', 'numeric'),
			('integer', 'numeric', 'bigint', 'numeric', 'numeric'),
			('bigint', 'numeric', 'numeric', 'numeric', 'numeric'),
			('real', 'double precision', 'real', 'double precision', 'double precision'),
			('double precision', 'double precision', 'double precision', 'double precision', 'double precision'),
			('numeric', 'numeric', 'numeric', 'numeric', 'numeric'),
			('date', 'date', NULL, NULL, NULL),
			('timestamp', 'timestamp', NULL, NULL, NULL),
			('timestamptz', 'timestamptz', NULL, NULL, NULL),
			('time', 'time', NULL, NULL, NULL),
			('interval', 'interval', 'interval', 'interval', NULL)
		) AS t (value, bound, sum, mean, variance)
	LOOP
		FOR kind IN
			SELECT * FROM (VALUES
				('sum', '', true,
				 'Private sum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as sum gives it. Epsilon-DP for one row added or removed; sensitivity max(|lower|, |upper|). Default staircase noise of least expected absolute error (Geng and Viswanath). Null and NaN are skipped; without rows, noise around 0.'),
				('mean', '', true,
				 'Private mean of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as avg gives it. Epsilon-DP for one row added or removed: noise on two complementary sums, whose joint L1 sensitivity is upper - lower. Default Laplace, at large epsilon staircase. Null and NaN are skipped; always between the bounds, and their middle when the noisy count is not positive.'),
				('variance', '', true,
				 'Private variance of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value squared, as variance gives it. Epsilon-DP for one row added or removed: noise on three sums, of (upper - value)^2, 2 (value - lower)(upper - value) and (value - lower)^2, whose joint L1 sensitivity is (upper - lower)^2. Default Laplace, at large epsilon staircase. For n rows the error has a standard deviation of 0.6 to 1.4 times (upper - lower)^2 / (n epsilon). Null and NaN are skipped; never negative.'),
				('stddev', '', true,
				 'Private standard deviation of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as stddev gives it: the square root of a dp_variance. Epsilon-DP for one row added or removed; next to a dp_variance it is charged separately. Null and NaN are skipped; never negative.'),
				('max', '', true,
				 'Private maximum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold: the first of 100 steps (400 from epsilon 3 on, 800 from 8) from lower to upper with a noisy count of at most 2/epsilon values above it (0 from epsilon 3 on); at large epsilon staircase. A lone extreme row cannot be released. Null and NaN are skipped; without rows, near lower.'),
				('min', '', true,
				 'Private minimum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold, as dp_max; at large epsilon staircase. Null and NaN are skipped; without rows, near upper.'),
				('median', '', true,
				 'Private median of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed, (epsilon, delta)-DP by smooth_laplace. Default exponential, as dp_median_exp; smooth_cauchy and smooth_laplace(delta=...) add noise to the lower median, scaled to its smooth sensitivity (Nissim, Raskhodnikova, Smith 2007), with constants=tight or nrs, those of the paper. Null and NaN are skipped; without rows, a random value between the bounds.'),
				('median_exp', '', false,
				 'Private median of values clamped to lower .. upper: (value, lower, upper, epsilon), of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.'),
				('quantile', ', fraction double precision', false,
				 'Private quantile of values clamped to lower .. upper: (value, fraction, lower, upper, epsilon), fraction 0 .. 1, of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.'),
				('quantiles', ', fractions double precision[]', false,
				 'Private quantiles of values clamped to lower .. upper: (value, fractions, lower, upper, epsilon), 1 to 128 fractions of 0 .. 1, as an array of the value''s type in the order of the fractions; answers never decrease as fractions increase. Epsilon-DP for one row added or removed, for all fractions together: m different fractions by recursive halving, each of floor(log2 m) + 1 levels with its share of epsilon (Kaplan, Schnapp, Stemmer 2022), by the exponential mechanism scored by rank, drawn exactly. Null and NaN are skipped; without rows, random values between the bounds.')
			) AS k (name, extra, named, comment)
		LOOP
			result := CASE kind.name
				WHEN 'sum' THEN type.sum
				WHEN 'mean' THEN type.mean
				WHEN 'variance' THEN type.variance
				WHEN 'stddev' THEN type.variance
				WHEN 'quantiles' THEN type.value || '[]'
				ELSE type.value END;
			CONTINUE WHEN result IS NULL;
			state := CASE WHEN kind.name IN ('sum', 'mean') THEN 'dp_noise.sum_state'
				WHEN kind.name IN ('variance', 'stddev') THEN 'dp_noise.square_state'
				ELSE 'pg_catalog.internal' END;
			initial := CASE state WHEN 'dp_noise.sum_state' THEN 'INITCOND = ''(0,0)'''
				WHEN 'dp_noise.square_state' THEN 'INITCOND = ''(0,0,0)'''
				ELSE 'SSPACE = 256' END;
			combine := CASE state WHEN 'dp_noise.sum_state' THEN 'COMBINEFUNC = dp_noise.sum_state_combine'
				WHEN 'dp_noise.square_state' THEN 'COMBINEFUNC = dp_noise.square_state_combine'
				ELSE 'COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize' END;
			final := CASE state WHEN 'pg_catalog.internal'
				THEN 'FINALFUNC = dp_noise.values_state_final, FINALFUNC_MODIFY = read_write,' ELSE '' END;
			final_function := kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_');
			gate_final := CASE WHEN kind.name IN ('mean', 'variance', 'stddev') THEN kind.name || '_sums_final'
				ELSE final_function END;
			gate_result := CASE WHEN gate_final = final_function THEN ''
				ELSE ' The result is the noisy sums from which the answer is computed, as bytes.' END;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$I(%2$s)
				RETURNS %3$s
				AS 'MODULE_PATHNAME', 'dp_%4$s_final'
				LANGUAGE C VOLATILE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$I(%2$s) IS
				'Adds the noise of the dp_ aggregate of that name over %5$s.';
			$sql$, final_function, state, result, kind.name, type.value);

			-- The last is the gate's form for units of one row.
			FOR tail IN
				SELECT * FROM (VALUES
					('', false, false),
					(pg_catalog.format(', lower %1$s, upper %1$s', type.bound), false, false),
					(pg_catalog.format(', lower %1$s, upper %1$s, epsilon double precision', type.bound), false, false),
					(pg_catalog.format(', lower %1$s, upper %1$s, epsilon double precision, mechanism text', type.bound), true, false),
					(pg_catalog.format(', %1$s, %1$s, double precision, text, integer, boolean, boolean', type.bound), false, true)
				) AS t (arguments, named, gate)
			LOOP
				CONTINUE WHEN tail.named AND NOT kind.named;
				arguments := 'value ' || type.value || kind.extra || tail.arguments;
				EXECUTE pg_catalog.format($sql$
					CREATE FUNCTION dp_noise.%1$s_transition(%2$s, %3$s)
					RETURNS %2$s
					AS 'MODULE_PATHNAME', 'dp_%1$s_transition'
					LANGUAGE C IMMUTABLE PARALLEL SAFE;
					COMMENT ON FUNCTION dp_noise.%1$s_transition(%2$s, %3$s) IS
					'Adds a row to the state of the dp_ aggregate of that name.';
					CREATE AGGREGATE %4$s(%3$s) (
						SFUNC = dp_noise.%1$s_transition,
						STYPE = %2$s,
						%5$s,
						FINALFUNC = dp_noise.%6$I,
						FINALFUNC_MODIFY = read_write,
						PARALLEL = safe
					);
					COMMENT ON AGGREGATE %4$s(%3$s) IS %7$L;
				$sql$,
					kind.name, state, arguments,
					CASE WHEN tail.gate THEN 'dp_noise.' || kind.name || '_of_rows'
						WHEN kind.name IN ('quantile', 'quantiles') THEN '@extschema@.dp_' || kind.name || '_exp'
						ELSE '@extschema@.dp_' || kind.name END,
					-- Beneath a release points may be in files, which parallel workers cannot
					-- pass on.
					CASE WHEN tail.gate AND state = 'pg_catalog.internal' THEN initial
						ELSE pg_catalog.concat_ws(', ', initial, combine) END,
					CASE WHEN tail.gate THEN gate_final ELSE final_function END,
					CASE WHEN tail.gate
						THEN 'The dp_ aggregate of that name as the gate runs it, a privacy unit being a row: (its arguments, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP.' || gate_result
						ELSE kind.comment END);
			END LOOP;

			-- Over privacy units of several rows, whose partial results are the
			-- last argument.
			partial := CASE WHEN state <> 'pg_catalog.internal' THEN state
				WHEN kind.name IN ('max', 'min') THEN 'bigint'
				ELSE 'dp_noise.sample_state' END;
			arguments := type.value || kind.extra || pg_catalog.format(
				', %1$s, %1$s, double precision, text, integer, integer, boolean, boolean, %2$s', type.bound, partial);
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$s_of_units_transition(%2$s, %3$s)
				RETURNS %2$s
				AS 'MODULE_PATHNAME', 'dp_%1$s_of_units_transition'
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$s_of_units_transition(%2$s, %3$s) IS
				'Adds a privacy unit''s contribution to the state of the dp_ aggregate of that name.';
				CREATE AGGREGATE dp_noise.%1$s_of_units(%3$s) (
					SFUNC = dp_noise.%1$s_of_units_transition,
					STYPE = %2$s,
					%4$s,
					FINALFUNC = dp_noise.%5$I,
					FINALFUNC_MODIFY = read_write,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s_of_units(%3$s) IS
				'The dp_ aggregate of that name as the gate runs it over privacy units: (its arguments, the value null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s partial result: of dp_noise.%6$s). Epsilon-DP.%8$s';
				CREATE AGGREGATE dp_noise.%1$s_of_units_state(%3$s) (
					SFUNC = dp_noise.%1$s_of_units_transition,
					STYPE = %2$s,
					%4$s,
					%7$s
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s_of_units_state(%3$s) IS
				'The true state of dp_noise.%1$s_of_units, in steps of its answer, without noise. Not private.';
			$sql$,
				kind.name, state, arguments,
				initial,
				gate_final,
				CASE WHEN kind.name IN ('sum', 'mean', 'variance') THEN kind.name || '_state'
					WHEN kind.name = 'stddev' THEN 'variance_state'
					WHEN kind.name IN ('max', 'min') THEN kind.name || '_point'
					ELSE 'sample_points' END,
				final, gate_result);

			-- The true state, from the same transition functions, without
			-- noise.
			CONTINUE WHEN kind.name IN ('median_exp', 'stddev', 'quantiles');	-- as of dp_median, dp_variance, dp_quantile_exp
			arguments := type.value || kind.extra ||
				pg_catalog.format(', %1$s, %1$s', type.bound);
			EXECUTE pg_catalog.format($sql$
				CREATE AGGREGATE dp_noise.%1$s_state(%2$s) (
					SFUNC = dp_noise.%1$s_transition,
					STYPE = %3$s,
					%4$s,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s_state(%2$s) IS
				'The true state of the dp_ aggregate of that name, in grid steps, without noise. Not private.';
			$sql$,
				kind.name, arguments, state, pg_catalog.concat_ws(', ', initial, final || combine));
		END LOOP;

		-- Partial results of a privacy unit.
		arguments := type.value || pg_catalog.format(', %1$s, %1$s', type.bound);
		FOR kind IN
			SELECT * FROM (VALUES
				('max', 'greater', 'greatest', 'int8larger'),
				('min', 'less', 'least', 'int8smaller')
			) AS k (name, comparative, superlative, combine)
		LOOP
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$s_point_transition(bigint, %2$s)
				RETURNS bigint
				AS 'MODULE_PATHNAME', 'dp_%1$s_point_transition'
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$s_point_transition(bigint, %2$s) IS
				'The value''s grid point, or the previous one if that is %3$s.';
				CREATE AGGREGATE dp_noise.%1$s_point(%2$s) (
					SFUNC = dp_noise.%1$s_point_transition,
					STYPE = bigint,
					COMBINEFUNC = pg_catalog.%5$s,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s_point(%2$s) IS
				'The %4$s grid point of a privacy unit''s values clamped to lower .. upper, null without values: (value, lower, upper). Not private.';
			$sql$, kind.name, arguments, kind.comparative, kind.superlative, kind.combine);
		END LOOP;
		arguments := arguments || ', integer';
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.sample_points_transition(dp_noise.sample_state, %1$s)
			RETURNS dp_noise.sample_state
			AS 'MODULE_PATHNAME', 'dp_sample_points_transition'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.sample_points_transition(dp_noise.sample_state, %1$s) IS
			'Adds a value''s grid point to a random choice.';
			CREATE AGGREGATE dp_noise.sample_points(%1$s) (
				SFUNC = dp_noise.sample_points_transition,
				STYPE = dp_noise.sample_state,
				SSPACE = 64,
				COMBINEFUNC = dp_noise.sample_combine,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.sample_points(%1$s) IS
			'At most `number` of a privacy unit''s values, clamped to lower .. upper, as grid points, chosen uniformly at random (reservoir sampling on OpenSSL''s CSPRNG), null without values: (value, lower, upper, number). Not private.';
		$sql$, arguments);
	END LOOP;
END
$install$;

-- Maxima and minima of texts: indexes in the order of declared values.

DO $install$
DECLARE
	kind record;
	-- arguments after the texts; the last are those of the gate's forms
	tail record;
	arguments text;
	combine text := 'COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize,';
BEGIN
	FOR kind IN
		SELECT * FROM (VALUES
			('max', 'greatest', 'int8larger', 'Private maximum of texts, among declared values in byte order: (value, values, epsilon, mechanism), one of the 1 to 100000 values in the array. Epsilon-DP for one row added or removed, like dp_max of the positions of the values in that order. Null and values that are not declared are skipped.'),
			('min', 'least', 'int8smaller', 'Private minimum of texts, among declared values in byte order: (value, values, epsilon, mechanism), like dp_max of texts. Epsilon-DP for one row added or removed.')
		) AS k (name, superlative, combine, comment)
	LOOP
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.%1$s_final_text(pg_catalog.internal)
			RETURNS text
			AS 'MODULE_PATHNAME', 'dp_%1$s_final'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.%1$s_final_text(pg_catalog.internal) IS
			'Selects the answer of dp_%1$s over texts.';
			CREATE FUNCTION dp_noise.%1$s_point_transition(bigint, text, text[])
			RETURNS bigint
			AS 'MODULE_PATHNAME', 'dp_%1$s_point_transition'
			LANGUAGE C IMMUTABLE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.%1$s_point_transition(bigint, text, text[]) IS
			'The position of a text among the declared ones, or the previous one if that is the %2$s.';
			CREATE AGGREGATE dp_noise.%1$s_point(text, text[]) (
				SFUNC = dp_noise.%1$s_point_transition,
				STYPE = bigint,
				COMBINEFUNC = pg_catalog.%3$s,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.%1$s_point(text, text[]) IS
			'The %2$s position of a privacy unit''s texts among the declared ones, null without such texts: (value, values). Not private.';
		$sql$, kind.name, kind.superlative, kind.combine);
		FOR tail IN
			SELECT * FROM (VALUES
				('', '@extschema@.dp_', '', '', false),
				(', "values" text[]', '@extschema@.dp_', '', '', false),
				(', "values" text[], epsilon double precision', '@extschema@.dp_', '', '', false),
				(', "values" text[], epsilon double precision, mechanism text', '@extschema@.dp_', '', '', false),
				(', text[], double precision, text, integer, boolean, boolean', 'dp_noise.', '_of_rows', '', true),
				(', text[], double precision, text, integer, integer, boolean, boolean, bigint', 'dp_noise.', '_of_units', '_of_units', true)
			) AS t (arguments, schema, form, transition, gate)
		LOOP
			arguments := 'value text' || tail.arguments;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$s%2$s_transition(pg_catalog.internal, %3$s)
				RETURNS pg_catalog.internal
				AS 'MODULE_PATHNAME', 'dp_%1$s%2$s_transition'
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$s%2$s_transition(pg_catalog.internal, %3$s) IS
				'Adds a row, or a privacy unit''s contribution, to the state of dp_%1$s.';
				CREATE AGGREGATE %4$s%1$s%5$s(%3$s) (
					SFUNC = dp_noise.%1$s%2$s_transition,
					STYPE = pg_catalog.internal,
					SSPACE = 256,
					%6$s
					FINALFUNC = dp_noise.%1$s_final_text,
					FINALFUNC_MODIFY = read_write,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE %4$s%1$s%5$s(%3$s) IS %7$L;
			$sql$, kind.name, tail.transition, arguments, tail.schema, tail.form,
				CASE WHEN tail.gate THEN '' ELSE combine END,
				CASE WHEN tail.gate THEN 'dp_' || kind.name || ' of texts as the gate runs it. Epsilon-DP.' ELSE kind.comment END);
		END LOOP;
		EXECUTE pg_catalog.format($sql$
			CREATE AGGREGATE dp_noise.%1$s_of_units_state(text, text[], double precision, text, integer, integer, boolean, boolean, bigint) (
				SFUNC = dp_noise.%1$s_of_units_transition,
				STYPE = pg_catalog.internal,
				SSPACE = 256,
				FINALFUNC = dp_noise.values_state_final,
				FINALFUNC_MODIFY = read_write,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.%1$s_of_units_state(text, text[], double precision, text, integer, integer, boolean, boolean, bigint) IS
			'The true state of dp_noise.%1$s_of_units over texts, without noise. Not private.';
		$sql$, kind.name);
	END LOOP;
END
$install$;

-- Values of type money are refused, with a hint: their meaning depends on a
-- setting of the session.

CREATE FUNCTION dp_noise.money_transition(bigint, money, VARIADIC "any") RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_refuse_money' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.money_transition(bigint, money, VARIADIC "any") IS 'Always an error.';
CREATE FUNCTION dp_noise.money_transition(bigint, money) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_refuse_money' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.money_transition(bigint, money) IS 'Always an error.';
CREATE FUNCTION dp_noise.money_final(bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_refuse_money' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.money_final(bigint) IS 'Always an error.';

DO $install$
DECLARE
	name text;
	arguments text;
BEGIN
	FOREACH name IN ARRAY ARRAY['sum', 'mean', 'variance', 'stddev', 'max', 'min', 'median', 'median_exp', 'quantile_exp', 'quantiles_exp', 'bounds']
	LOOP
		FOREACH arguments IN ARRAY ARRAY['money', 'money, VARIADIC "any"']
		LOOP
			EXECUTE pg_catalog.format($sql$
				CREATE AGGREGATE @extschema@.dp_%1$s(%2$s) (
					SFUNC = dp_noise.money_transition,
					STYPE = bigint,
					COMBINEFUNC = pg_catalog.int8pl,
					FINALFUNC = dp_noise.money_final,
					FINALFUNC_MODIFY = read_write,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE @extschema@.dp_%1$s(%2$s) IS
				'Refuses values of type money, with a hint.';
			$sql$, name, arguments);
		END LOOP;
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- The aggregates that count by category

CREATE FUNCTION dp_noise.counts_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_counts_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_combine(pg_catalog.internal, pg_catalog.internal) IS 'Adds two lists of counts.';

CREATE FUNCTION dp_noise.counts_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_counts_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_serialize(pg_catalog.internal) IS 'A list of counts for a parallel worker.';

CREATE FUNCTION dp_noise.counts_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_counts_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_deserialize(pg_catalog.bytea, pg_catalog.internal) IS 'A list of counts from a parallel worker.';

CREATE FUNCTION dp_noise.counts_state_final(pg_catalog.internal) RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_counts_state_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_state_final(pg_catalog.internal) IS 'The true counts, 8 bytes each. Not private.';

DO $install$
DECLARE
	-- the type of the values, and what declares them
	domain record;
	-- arguments after those; the last are those of the gate's forms
	tail record;
	arguments text;
	state text := 'STYPE = pg_catalog.internal, SSPACE = 256,';
	parallel text := 'COMBINEFUNC = dp_noise.counts_combine, SERIALFUNC = dp_noise.counts_serialize, DESERIALFUNC = dp_noise.counts_deserialize,';
BEGIN
	FOR domain IN
		SELECT * FROM (VALUES
			('value boolean', 'boolean', 'Private mode of booleans: (value, epsilon, mechanism).'),
			('value anyenum', 'anyenum', 'Private mode of an enum: (value, epsilon, mechanism), one of the values that the type has.'),
			('value anycompatible, "values" anycompatiblearray', 'anycompatible',
			 'Private mode of declared values: (value, values, epsilon, mechanism), one of the 1 to 100000 values in the array. Values that are not declared are skipped.')
		) AS d (arguments, result, comment)
	LOOP
		FOR tail IN
			SELECT * FROM (VALUES
				('', '@extschema@.dp_mode', true, NULL),
				(', epsilon double precision', '@extschema@.dp_mode', true, NULL),
				(', epsilon double precision, mechanism text', '@extschema@.dp_mode', true, NULL),
				(', double precision, text, integer, boolean, boolean', 'dp_noise.mode_of_rows', true,
				 'dp_mode as the gate runs it, a privacy unit being a row: (value and values as of dp_mode, epsilon or null, mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP.'),
				(', double precision, text, integer, integer, boolean, boolean, dp_noise.sample_state', 'dp_noise.mode_of_units', false,
				 'dp_mode as the gate runs it over privacy units: (null and values as of dp_mode, epsilon or null, mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s partial result: of dp_noise.sample_categories). Epsilon-DP; a unit changes a count by at most the cap.')
			) AS t (arguments, name, of_rows, comment)
		LOOP
			arguments := domain.arguments || tail.arguments;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%3$I(pg_catalog.internal, %1$s)
				RETURNS pg_catalog.internal
				AS 'MODULE_PATHNAME', %4$L
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%3$I(pg_catalog.internal, %1$s) IS
				'Adds a row, or the chosen rows of a privacy unit, to the state of dp_mode.';
				CREATE FUNCTION dp_noise.mode_final(pg_catalog.internal, %1$s)
				RETURNS %2$s
				AS 'MODULE_PATHNAME', 'dp_mode_final'
				LANGUAGE C VOLATILE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.mode_final(pg_catalog.internal, %1$s) IS
				'Selects the answer of dp_mode.';
				CREATE AGGREGATE %5$s(%1$s) (
					SFUNC = dp_noise.%3$I, %6$s
					FINALFUNC = dp_noise.mode_final,
					FINALFUNC_EXTRA,
					FINALFUNC_MODIFY = read_write,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE %5$s(%1$s) IS %7$L;
			$sql$, arguments, domain.result,
				CASE WHEN tail.of_rows THEN 'mode_transition' ELSE 'mode_of_units_transition' END,
				CASE WHEN tail.of_rows THEN 'dp_mode_transition' ELSE 'dp_mode_of_units_transition' END,
				tail.name,
				state || CASE WHEN tail.of_rows THEN parallel ELSE '' END,
				COALESCE(tail.comment, domain.comment || ' Epsilon-DP for one row added or removed; a count changes by at most 1. Default permute_and_flip, drawn exactly (McKenna and Sheldon 2020); exponential, abstract_staircase (Geng and Viswanath). Null is skipped; without rows, a uniformly random one of the values.'));
			CONTINUE WHEN tail.of_rows AND tail.arguments <> '';
			EXECUTE pg_catalog.format($sql$
				CREATE AGGREGATE dp_noise.%2$I(%1$s) (
					SFUNC = dp_noise.%3$I, %4$s
					FINALFUNC = dp_noise.counts_state_final,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%2$I(%1$s) IS
				'The true state of the aggregate of that name, a count for each value, without noise. Not private.';
			$sql$, arguments,
				CASE WHEN tail.of_rows THEN 'mode_state' ELSE 'mode_of_units_state' END,
				CASE WHEN tail.of_rows THEN 'mode_transition' ELSE 'mode_of_units_transition' END,
				state || CASE WHEN tail.of_rows THEN parallel ELSE '' END);
		END LOOP;
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.sample_categories_transition(dp_noise.sample_state, %1$s, integer)
			RETURNS dp_noise.sample_state
			AS 'MODULE_PATHNAME', 'dp_sample_categories_transition'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.sample_categories_transition(dp_noise.sample_state, %1$s, integer) IS
			'Adds the index of a value, among those that dp_mode chooses from, to a random choice.';
			CREATE AGGREGATE dp_noise.sample_categories(%1$s, integer) (
				SFUNC = dp_noise.sample_categories_transition,
				STYPE = dp_noise.sample_state,
				SSPACE = 64,
				COMBINEFUNC = dp_noise.sample_combine,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.sample_categories(%1$s, integer) IS
			'At most `number` of a privacy unit''s values among those that dp_mode chooses from, chosen uniformly at random (reservoir sampling on OpenSSL''s CSPRNG), null without such values: (value and values as of dp_mode, number). Not private.';
		$sql$, domain.arguments);
	END LOOP;
END
$install$;

-- Bounds, from counts of bins between powers of two.
DO $install$
DECLARE
	value text;
	-- arguments after the value; the last are those of the gate's form
	tail record;
	arguments text;
	state text := 'SFUNC = %1$s, STYPE = pg_catalog.internal, SSPACE = 4096,';
	parallel text := 'COMBINEFUNC = dp_noise.counts_combine, SERIALFUNC = dp_noise.counts_serialize, DESERIALFUNC = dp_noise.counts_deserialize,';
BEGIN
	FOREACH value IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric',
		'date', 'timestamp', 'timestamptz', 'time', 'interval']
	LOOP
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.%1$I(pg_catalog.internal)
			RETURNS %2$s[]
			AS 'MODULE_PATHNAME', 'dp_bounds_final'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.%1$I(pg_catalog.internal) IS
			'Adds noise to the counts of dp_bounds over %2$s, and returns bounds between which there are values.';
		$sql$, 'bounds_final_' || pg_catalog.replace(value, ' ', '_'), value);
		FOR tail IN
			SELECT * FROM (VALUES
				('', '@extschema@.dp_bounds', true,
				 'Private bounds for values of which nothing is known: (value, epsilon), as {lower, upper} of the value''s type, each 0 or a power of two with a sign. Epsilon-DP for one row added or removed: noisy counts of the values between powers of two, L1 sensitivity 1. The bounds enclose all intervals whose noisy count reaches a threshold of about 19 / epsilon, which an empty interval does with probability 10^-6 in all (Wilson et al. 2020). So fewer values than that at either end may be cut off; {0,0} if no interval has enough. Null and NaN are skipped. Powers: 1 to the type''s greatest, 2^-64 to 2^127 for real, double precision and numeric; of days since 2000-01-01 for dates, of microseconds since then for timestamps, since midnight for times.'),
				(', epsilon double precision', '@extschema@.dp_bounds', true, NULL),
				(', double precision, text, integer, boolean, boolean', 'dp_noise.bounds_of_rows', true,
				 'dp_bounds as the gate runs it, a privacy unit being a row: (value, epsilon or null, null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP.'),
				(', double precision, text, integer, integer, boolean, boolean, dp_noise.sample_state', 'dp_noise.bounds_of_units', false,
				 'dp_bounds as the gate runs it over privacy units: (null, epsilon or null, null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s partial result: of dp_noise.sample_bins). Epsilon-DP; L1 sensitivity: the cap, twice that where units are substituted.')
			) AS t (arguments, name, of_rows, comment)
		LOOP
			arguments := 'value ' || value || tail.arguments;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION %1$s(pg_catalog.internal, %2$s)
				RETURNS pg_catalog.internal
				AS 'MODULE_PATHNAME', %3$L
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION %1$s(pg_catalog.internal, %2$s) IS
				'Counts a value, or those of a privacy unit, in their bins.';
				CREATE AGGREGATE %4$s(%2$s) (
					%5$s
					FINALFUNC = dp_noise.%6$I,
					FINALFUNC_MODIFY = read_write,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE %4$s(%2$s) IS %7$L;
			$sql$,
				CASE WHEN tail.of_rows THEN 'dp_noise.bounds_transition' ELSE 'dp_noise.bounds_of_units_transition' END,
				arguments,
				CASE WHEN tail.of_rows THEN 'dp_bounds_transition' ELSE 'dp_bounds_of_units_transition' END,
				tail.name,
				pg_catalog.format(state, CASE WHEN tail.of_rows THEN 'dp_noise.bounds_transition' ELSE 'dp_noise.bounds_of_units_transition' END)
					|| CASE WHEN tail.of_rows THEN parallel ELSE '' END,
				'bounds_final_' || pg_catalog.replace(value, ' ', '_'),
				COALESCE(tail.comment, 'Private bounds for values about which nothing is known: (value, epsilon), like dp_bounds(value), with an epsilon of their own. Epsilon-DP for one row added or removed.'));
			CONTINUE WHEN tail.arguments IN (', epsilon double precision', ', double precision, text, integer, boolean, boolean');
			EXECUTE pg_catalog.format($sql$
				CREATE AGGREGATE dp_noise.%1$s(%2$s) (
					%3$s
					FINALFUNC = dp_noise.counts_state_final,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s(%2$s) IS
				'The true state of the aggregate of that name, a count for each bin, without noise. Not private.';
			$sql$,
				CASE WHEN tail.of_rows THEN 'bounds_state' ELSE 'bounds_of_units_state' END,
				arguments,
				pg_catalog.format(state, CASE WHEN tail.of_rows THEN 'dp_noise.bounds_transition' ELSE 'dp_noise.bounds_of_units_transition' END)
					|| CASE WHEN tail.of_rows THEN parallel ELSE '' END);
		END LOOP;
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.sample_bins_transition(dp_noise.sample_state, %1$s, integer)
			RETURNS dp_noise.sample_state
			AS 'MODULE_PATHNAME', 'dp_sample_bins_transition'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.sample_bins_transition(dp_noise.sample_state, %1$s, integer) IS
			'Adds a value''s bin to a random choice.';
			CREATE AGGREGATE dp_noise.sample_bins(%1$s, integer) (
				SFUNC = dp_noise.sample_bins_transition,
				STYPE = dp_noise.sample_state,
				SSPACE = 64,
				COMBINEFUNC = dp_noise.sample_combine,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.sample_bins(%1$s, integer) IS
			'At most so many of a privacy unit''s values, as bins of dp_bounds, each choice of that size with the same probability (reservoir sampling on OpenSSL''s CSPRNG), null without values: (value, number). Not private.';
		$sql$, value);
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- Privileges

-- For the parts of an aggregate the server checks the privileges of the
-- aggregate's owner, not those of its caller. So nobody else may call them,
-- make an aggregate of them, or use their states in a table or a type.
DO $install$
DECLARE
	part pg_catalog.regprocedure;
	state pg_catalog.regtype;
BEGIN
	FOR part IN
		SELECT oid FROM pg_proc
		WHERE pronamespace = 'dp_noise'::pg_catalog.regnamespace AND prokind = 'f'
		ORDER BY oid
	LOOP
		EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', part);
	END LOOP;
	FOR state IN
		SELECT oid FROM pg_type
		WHERE typnamespace = 'dp_noise'::pg_catalog.regnamespace AND typtype = 'b' AND typcategory <> 'A'
		ORDER BY oid
	LOOP
		EXECUTE pg_catalog.format('REVOKE ALL ON TYPE %s FROM PUBLIC', state);
	END LOOP;
END
$install$;
