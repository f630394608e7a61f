/*
 * dp_noise.sql
 *		Objects of the extension: CREATE EXTENSION dp_noise runs this.
 *
 * What everyone calls stands in the extension's schema (@extschema@); what is
 * for the DBA, and the parts of the aggregates, in the schema dp_noise.
 */
\echo Use "CREATE EXTENSION dp_noise" to load this file. \quit

-- Names and operators without a schema are the server's own, whatever others
-- put into the extension's schema: oid = regclass, say, would be taken from
-- there, since the server has it only by way of a cast.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA dp_noise;
COMMENT ON SCHEMA dp_noise IS
'Private aggregate queries: objects for the DBA, and the parts of the dp_ aggregates.';
REVOKE ALL ON SCHEMA dp_noise FROM PUBLIC;
GRANT USAGE ON SCHEMA dp_noise TO PUBLIC;

------------------------------------------------------------------------------
-- The state of sums and means

CREATE TYPE dp_noise.sum_state;

CREATE FUNCTION dp_noise.sum_state_in(pg_catalog.cstring)
RETURNS dp_noise.sum_state
AS 'MODULE_PATHNAME', 'dp_sum_state_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_in(pg_catalog.cstring) IS
'Reads (sum,count).';

CREATE FUNCTION dp_noise.sum_state_out(dp_noise.sum_state)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_sum_state_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_out(dp_noise.sum_state) IS
'Writes (sum,count).';

CREATE TYPE dp_noise.sum_state (
	INPUT = dp_noise.sum_state_in,
	OUTPUT = dp_noise.sum_state_out,
	INTERNALLENGTH = 24,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.sum_state IS
'State of dp_sum and dp_mean, written (sum,count): the exact sum of the rows'' grid points, and the number of rows. Not private.';

CREATE FUNCTION dp_noise.sum_state_combine(dp_noise.sum_state, dp_noise.sum_state)
RETURNS dp_noise.sum_state
AS 'MODULE_PATHNAME', 'dp_sum_state_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_combine(dp_noise.sum_state, dp_noise.sum_state) IS
'Adds two states.';

------------------------------------------------------------------------------
-- The state of variances and standard deviations

CREATE TYPE dp_noise.square_state;

CREATE FUNCTION dp_noise.square_state_in(pg_catalog.cstring)
RETURNS dp_noise.square_state
AS 'MODULE_PATHNAME', 'dp_square_state_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.square_state_in(pg_catalog.cstring) IS
'Reads (sum,squares,count).';

CREATE FUNCTION dp_noise.square_state_out(dp_noise.square_state)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_square_state_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.square_state_out(dp_noise.square_state) IS
'Writes (sum,squares,count).';

CREATE TYPE dp_noise.square_state (
	INPUT = dp_noise.square_state_in,
	OUTPUT = dp_noise.square_state_out,
	INTERNALLENGTH = 48,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.square_state IS
'State of dp_variance and dp_stddev, written (sum,squares,count): the exact sums of the rows'' grid points above the lower bound and of their squares, and the number of rows. Not private.';

CREATE FUNCTION dp_noise.square_state_combine(dp_noise.square_state, dp_noise.square_state)
RETURNS dp_noise.square_state
AS 'MODULE_PATHNAME', 'dp_square_state_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.square_state_combine(dp_noise.square_state, dp_noise.square_state) IS
'Adds two states.';

------------------------------------------------------------------------------
-- The state of medians, quantiles, maxima and minima

CREATE FUNCTION dp_noise.values_combine(pg_catalog.internal, pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_values_combine'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_combine(pg_catalog.internal, pg_catalog.internal) IS
'Joins two lists of grid points.';

CREATE FUNCTION dp_noise.values_serialize(pg_catalog.internal)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_values_serialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_serialize(pg_catalog.internal) IS
'A list of grid points for a parallel worker.';

CREATE FUNCTION dp_noise.values_deserialize(pg_catalog.bytea, pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_values_deserialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_deserialize(pg_catalog.bytea, pg_catalog.internal) IS
'A list of grid points from a parallel worker.';

CREATE FUNCTION dp_noise.values_state_final(pg_catalog.internal)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_values_state_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_state_final(pg_catalog.internal) IS
'The true grid points in ascending order, 8 bytes each. Not private.';

------------------------------------------------------------------------------
-- A choice of one unit's values

CREATE TYPE dp_noise.sample_state;

CREATE FUNCTION dp_noise.sample_state_in(pg_catalog.cstring)
RETURNS dp_noise.sample_state
AS 'MODULE_PATHNAME', 'dp_sample_state_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sample_state_in(pg_catalog.cstring) IS
'Always an error: such values cannot be written by hand.';

CREATE FUNCTION dp_noise.sample_state_out(dp_noise.sample_state)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_sample_state_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sample_state_out(dp_noise.sample_state) IS
'Writes {seen,point,...}: the number of values there were, and the grid points kept.';

CREATE TYPE dp_noise.sample_state (
	INPUT = dp_noise.sample_state_in,
	OUTPUT = dp_noise.sample_state_out,
	INTERNALLENGTH = variable,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.sample_state IS
'At most so many of a privacy unit''s values, chosen at random, as grid points. Not private.';

CREATE FUNCTION dp_noise.sample_combine(dp_noise.sample_state, dp_noise.sample_state)
RETURNS dp_noise.sample_state
AS 'MODULE_PATHNAME', 'dp_sample_combine'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sample_combine(dp_noise.sample_state, dp_noise.sample_state) IS
'Joins two choices into one of all their values.';

------------------------------------------------------------------------------
-- dp_count

CREATE FUNCTION dp_noise.count_final(bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_final'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_final(bigint) IS
'Adds the noise of dp_count.';

DO $install$
DECLARE
	-- arguments of dp_count
	signature text;
	-- the same as the transition function takes them
	arguments text;
BEGIN
	FOREACH signature IN ARRAY ARRAY[
		'*',
		'"any"',
		'"any", double precision',
		'"any", double precision, text'
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

-- dp_count_distinct. Its values are sorted, as those of count(DISTINCT), which
-- can be neither hashed nor split; SSPACE keeps the planner from many at once.

CREATE FUNCTION dp_noise.count_distinct_final(pg_catalog.internal)
RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_distinct_final'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_distinct_final(pg_catalog.internal) IS
'Counts the different values and adds the noise of dp_count_distinct.';

DO $install$
DECLARE
	-- arguments of dp_count_distinct
	signature text;
BEGIN
	FOREACH signature IN ARRAY ARRAY[
		'anyelement',
		'anyelement, double precision',
		'anyelement, double precision, text'
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
			'Private number of different values that are not null: (value, epsilon, mechanism). Epsilon-DP for one row added or removed, and for one value with all its rows; sensitivity 1. Default two-sided geometric noise (Ghosh, Roughgarden, Sundararajan 2009). Over a protected relation the value must be its privacy unit.';
		$sql$, signature);
	END LOOP;
END
$install$;

-- The gate's forms: they also take what one privacy unit contributes. Anyone may
-- call them, since the inner statement runs with the analyst's right to execute;
-- they read nothing by themselves.

CREATE FUNCTION dp_noise.count_of_rows_transition(bigint, "any", double precision, text, integer, boolean)
RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_of_rows_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_of_rows_transition(bigint, "any", double precision, text, integer, boolean) IS
'Counts a row.';

CREATE AGGREGATE dp_noise.count_of_rows("any", double precision, text, integer, boolean) (
	SFUNC = dp_noise.count_of_rows_transition,
	STYPE = bigint,
	INITCOND = '0',
	COMBINEFUNC = pg_catalog.int8pl,
	FINALFUNC = dp_noise.count_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_of_rows("any", double precision, text, integer, boolean) IS
'dp_count as the gate runs it, a privacy unit being a row: (value, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted). Epsilon-DP; sensitivity 1.';

CREATE FUNCTION dp_noise.count_of_units_transition(bigint, bigint, double precision, text, integer, integer, boolean, bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_of_units_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_of_units_transition(bigint, bigint, double precision, text, integer, integer, boolean, bigint) IS
'Counts a privacy unit''s rows, up to the cap.';

CREATE AGGREGATE dp_noise.count_of_units(bigint, double precision, text, integer, integer, boolean, bigint) (
	SFUNC = dp_noise.count_of_units_transition,
	STYPE = bigint,
	INITCOND = '0',
	FINALFUNC = dp_noise.count_final,
	FINALFUNC_MODIFY = read_write,
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_of_units(bigint, double precision, text, integer, integer, boolean, bigint) IS
'dp_count as the gate runs it over privacy units: (null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, the unit''s number of rows). Epsilon-DP; sensitivity: the cap.';

CREATE AGGREGATE dp_noise.count_of_units_state(bigint, double precision, text, integer, integer, boolean, bigint) (
	SFUNC = dp_noise.count_of_units_transition,
	STYPE = bigint,
	INITCOND = '0',
	PARALLEL = safe
);
COMMENT ON AGGREGATE dp_noise.count_of_units_state(bigint, double precision, text, integer, integer, boolean, bigint) IS
'The true state of dp_noise.count_of_units, without noise. Not private.';

------------------------------------------------------------------------------
-- The aggregates of values: for each type of value with the type of its
-- bounds, of its sum and of its mean.

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
	partial text;
BEGIN
	FOR type IN
		SELECT * FROM (VALUES
			('smallint', 'numeric', 'bigint', 'numeric'),
			('integer', 'numeric', 'bigint', 'numeric'),
			('bigint', 'numeric', 'numeric', 'numeric'),
			('real', 'double precision', 'real', 'double precision'),
			('double precision', 'double precision', 'double precision', 'double precision'),
			('numeric', 'numeric', 'numeric', 'numeric')
		) AS t (value, bound, sum, mean)
	LOOP
		FOR kind IN
			SELECT * FROM (VALUES
				('sum', '', true,
				 'Private sum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as sum gives it. Epsilon-DP for one row added or removed; sensitivity max(|lower|, |upper|). Default staircase noise of least expected absolute error (Geng and Viswanath). Null and NaN are skipped; 0 plus noise without rows.'),
				('mean', '', true,
				 'Private mean of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as avg gives it. Epsilon-DP for one row added or removed: noise on two complementary sums, whose joint L1 sensitivity is upper - lower. Default Laplace, at large epsilon staircase. Null and NaN are skipped; always between the bounds, their middle when the noisy count is not positive.'),
				('variance', '', true,
				 'Private variance of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value squared, as variance gives it. Epsilon-DP for one row added or removed: noise on three sums, of (upper - value)^2, 2 (value - lower)(upper - value) and (value - lower)^2, whose joint L1 sensitivity is (upper - lower)^2. Default Laplace, at large epsilon staircase. Of n rows the error has a standard deviation of (upper - lower)^2 / (n epsilon), times 0.6 to 1.4. Null and NaN are skipped; never negative.'),
				('stddev', '', true,
				 'Private standard deviation of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as stddev gives it: the root of what dp_variance gives. Epsilon-DP for one row added or removed; beside a variance it is charged for itself. Null and NaN are skipped; never negative.'),
				('max', '', true,
				 'Private maximum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold: the first of 100 steps from lower to upper with noisily at most 2/epsilon values above it; at large epsilon staircase. A lone extreme row cannot be released. Null and NaN are skipped; near lower without rows.'),
				('min', '', true,
				 'Private minimum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold, as dp_max; at large epsilon staircase. Null and NaN are skipped; near upper without rows.'),
				('median', '', true,
				 'Private median of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed, (epsilon, delta)-DP by smooth_laplace. Default exponential, as dp_median_exp; smooth_cauchy and smooth_laplace(delta=...) add noise to the lower median, scaled to its smooth sensitivity (Nissim, Raskhodnikova, Smith 2007), with constants=tight or nrs, those of the paper. Null and NaN are skipped; a draw between the bounds without rows.'),
				('median_exp', '', false,
				 'Private median of values clamped to lower .. upper: (value, lower, upper, epsilon), of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.'),
				('quantile', ', double precision', false,
				 'Private quantile of values clamped to lower .. upper: (value, fraction, lower, upper, epsilon), fraction 0 .. 1, of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.'),
				('quantiles', ', double precision[]', false,
				 'Private quantiles of values clamped to lower .. upper: (value, fractions, lower, upper, epsilon), 1 to 128 fractions of 0 .. 1, as an array of the value''s type in the order of the fractions, of which a greater one never has a lesser answer. Epsilon-DP for one row added or removed, all of them together: m different fractions by recursive halving, each of floor(log2 m) + 1 levels with its share of epsilon (Kaplan, Schnapp, Stemmer 2022), by the exponential mechanism scored by rank, drawn exactly. Null and NaN are skipped; draws between the bounds without rows.')
			) AS k (name, extra, named, comment)
		LOOP
			result := CASE kind.name
				WHEN 'sum' THEN type.sum
				WHEN 'mean' THEN type.mean
				WHEN 'variance' THEN type.mean
				WHEN 'stddev' THEN type.mean
				WHEN 'quantiles' THEN type.value || '[]'
				ELSE type.value END;
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
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$I(%2$s)
				RETURNS %3$s
				AS 'MODULE_PATHNAME', 'dp_%4$s_final'
				LANGUAGE C VOLATILE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$I(%2$s) IS
				'Adds the noise of the dp_ aggregate of that name over %5$s.';
			$sql$, kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'), state,
				result, kind.name, type.value);

			-- The last is the gate's form for units of one row.
			FOR tail IN
				SELECT * FROM (VALUES
					('', false, false),
					(pg_catalog.format(', %1$s, %1$s', type.bound), false, false),
					(pg_catalog.format(', %1$s, %1$s, double precision', type.bound), false, false),
					(pg_catalog.format(', %1$s, %1$s, double precision, text', type.bound), true, false),
					(pg_catalog.format(', %1$s, %1$s, double precision, text, integer, boolean', type.bound), false, true)
				) AS t (arguments, named, gate)
			LOOP
				CONTINUE WHEN tail.named AND NOT kind.named;
				arguments := type.value || kind.extra || tail.arguments;
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
					pg_catalog.concat_ws(', ', initial, combine),
					kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'),
					CASE WHEN tail.gate
						THEN 'The dp_ aggregate of that name as the gate runs it, a privacy unit being a row: (its arguments, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted). Epsilon-DP.'
						ELSE kind.comment END);
			END LOOP;

			-- Over privacy units of several rows, whose partial results are in the last argument.
			partial := CASE WHEN state <> 'pg_catalog.internal' THEN state
				WHEN kind.name IN ('max', 'min') THEN 'bigint'
				ELSE 'dp_noise.sample_state' END;
			arguments := type.value || kind.extra || pg_catalog.format(
				', %1$s, %1$s, double precision, text, integer, integer, boolean, %2$s', type.bound, partial);
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$s_of_units_transition(%2$s, %3$s)
				RETURNS %2$s
				AS 'MODULE_PATHNAME', 'dp_%1$s_of_units_transition'
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$s_of_units_transition(%2$s, %3$s) IS
				'Adds what a privacy unit contributes to the state of the dp_ aggregate of that name.';
				CREATE AGGREGATE dp_noise.%1$s_of_units(%3$s) (
					SFUNC = dp_noise.%1$s_of_units_transition,
					STYPE = %2$s,
					%4$s,
					FINALFUNC = dp_noise.%5$I,
					FINALFUNC_MODIFY = read_write,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s_of_units(%3$s) IS
				'The dp_ aggregate of that name as the gate runs it over privacy units: (its arguments, the value null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, the unit''s partial result: of dp_noise.%6$s). Epsilon-DP.';
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
				kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'),
				CASE WHEN kind.name IN ('sum', 'mean', 'variance') THEN kind.name || '_state'
					WHEN kind.name = 'stddev' THEN 'variance_state'
					WHEN kind.name IN ('max', 'min') THEN kind.name || '_point'
					ELSE 'sample_points' END,
				final);

			-- The true state by the same transition functions, without noise.
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
				'The value''s grid point, or the one before if that is %3$s.';
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
			'Keeps a value''s grid point, or not.';
			CREATE AGGREGATE dp_noise.sample_points(%1$s) (
				SFUNC = dp_noise.sample_points_transition,
				STYPE = dp_noise.sample_state,
				SSPACE = 64,
				COMBINEFUNC = dp_noise.sample_combine,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.sample_points(%1$s) IS
			'At most so many of a privacy unit''s values, clamped to lower .. upper, as grid points, each choice of that size with the same probability (reservoir sampling on OpenSSL''s CSPRNG), null without values: (value, lower, upper, number). Not private.';
		$sql$, arguments);
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- The aggregates that count by category

CREATE FUNCTION dp_noise.counts_combine(pg_catalog.internal, pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_counts_combine'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_combine(pg_catalog.internal, pg_catalog.internal) IS
'Adds two lists of counts.';

CREATE FUNCTION dp_noise.counts_serialize(pg_catalog.internal)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_counts_serialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_serialize(pg_catalog.internal) IS
'A list of counts for a parallel worker.';

CREATE FUNCTION dp_noise.counts_deserialize(pg_catalog.bytea, pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_counts_deserialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_deserialize(pg_catalog.bytea, pg_catalog.internal) IS
'A list of counts from a parallel worker.';

CREATE FUNCTION dp_noise.counts_state_final(pg_catalog.internal)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_counts_state_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.counts_state_final(pg_catalog.internal) IS
'The true counts, 8 bytes each. Not private.';

DO $install$
DECLARE
	-- what the values are, and what declares them
	domain record;
	-- arguments after those; the last are those of the gate's forms
	tail record;
	arguments text;
	state text := 'STYPE = pg_catalog.internal, SSPACE = 256,';
	parallel text := 'COMBINEFUNC = dp_noise.counts_combine, SERIALFUNC = dp_noise.counts_serialize, DESERIALFUNC = dp_noise.counts_deserialize,';
BEGIN
	FOR domain IN
		SELECT * FROM (VALUES
			('boolean', 'boolean', 'Private mode of booleans: (value, epsilon, mechanism).'),
			('anyenum', 'anyenum', 'Private mode of an enum: (value, epsilon, mechanism), one of the values that the type has.'),
			('anycompatible, anycompatiblearray', 'anycompatible',
			 'Private mode of declared values: (value, values, epsilon, mechanism), one of the values in the array, of which there are 1 to 100000. Values that are not declared are skipped.')
		) AS d (arguments, result, comment)
	LOOP
		FOR tail IN
			SELECT * FROM (VALUES
				('', '@extschema@.dp_mode', true, NULL),
				(', double precision', '@extschema@.dp_mode', true, NULL),
				(', double precision, text', '@extschema@.dp_mode', true, NULL),
				(', double precision, text, integer, boolean', 'dp_noise.mode_of_rows', true,
				 'dp_mode as the gate runs it, a privacy unit being a row: (value and values as of dp_mode, epsilon or null, mechanism or null, groups of a unit or 0 without groups, whether units are substituted). Epsilon-DP.'),
				(', double precision, text, integer, integer, boolean, dp_noise.sample_state', 'dp_noise.mode_of_units', false,
				 'dp_mode as the gate runs it over privacy units: (null and values as of dp_mode, epsilon or null, mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, the unit''s partial result: of dp_noise.sample_categories). Epsilon-DP; a unit changes a count by at most the cap.')
			) AS t (arguments, name, of_rows, comment)
		LOOP
			arguments := domain.arguments || tail.arguments;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%3$I(pg_catalog.internal, %1$s)
				RETURNS pg_catalog.internal
				AS 'MODULE_PATHNAME', %4$L
				LANGUAGE C IMMUTABLE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%3$I(pg_catalog.internal, %1$s) IS
				'Adds a row, or the chosen ones of a privacy unit, to the state of dp_mode.';
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
				COALESCE(tail.comment, domain.comment || ' Epsilon-DP for one row added or removed; a count changes by at most 1. Default permute_and_flip, drawn exactly (McKenna and Sheldon 2020); exponential, abstract_staircase (Geng and Viswanath). Null is skipped; any of the values, each as likely, without rows.'));
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
			'Keeps the place of a value among those that dp_mode chooses from, or not.';
			CREATE AGGREGATE dp_noise.sample_categories(%1$s, integer) (
				SFUNC = dp_noise.sample_categories_transition,
				STYPE = dp_noise.sample_state,
				SSPACE = 64,
				COMBINEFUNC = dp_noise.sample_combine,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE dp_noise.sample_categories(%1$s, integer) IS
			'At most so many of a privacy unit''s values that dp_mode chooses from, each choice of that size with the same probability (reservoir sampling on OpenSSL''s CSPRNG), null without such values: (value and values as of dp_mode, number). Not private.';
		$sql$, domain.arguments);
	END LOOP;
END
$install$;

-- Bounds, from counts of the bins that powers of two make.
DO $install$
DECLARE
	value text;
	-- arguments after the value; the last are those of the gate's form
	tail record;
	arguments text;
	state text := 'SFUNC = %1$s, STYPE = pg_catalog.internal, SSPACE = 4096,';
	parallel text := 'COMBINEFUNC = dp_noise.counts_combine, SERIALFUNC = dp_noise.counts_serialize, DESERIALFUNC = dp_noise.counts_deserialize,';
BEGIN
	FOREACH value IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric']
	LOOP
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.%1$I(pg_catalog.internal)
			RETURNS %2$s[]
			AS 'MODULE_PATHNAME', 'dp_bounds_final'
			LANGUAGE C VOLATILE PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.%1$I(pg_catalog.internal) IS
			'Adds noise to the counts of dp_bounds over %2$s, and says between which there are values.';
		$sql$, 'bounds_final_' || pg_catalog.replace(value, ' ', '_'), value);
		FOR tail IN
			SELECT * FROM (VALUES
				('', '@extschema@.dp_bounds', true,
				 'Private bounds for values of which nothing is known: (value, epsilon), as {lower, upper} of the value''s type, each 0 or a power of two with a sign. Epsilon-DP for one row added or removed: noisy counts of the values between powers of two, L1 sensitivity 1; the bounds are the outer ends of the first and last count that reach what no empty one reaches but with probability 10^-6, about 19 / epsilon (Wilson et al. 2020). Fewer values beyond them are cut off; {0,0} where there are too few anywhere. Null and NaN are skipped. Powers: 1 to the type''s greatest, 2^-64 to 2^127 for real, double precision and numeric.'),
				(', double precision', '@extschema@.dp_bounds', true, NULL),
				(', double precision, text, integer, boolean', 'dp_noise.bounds_of_rows', true,
				 'dp_bounds as the gate runs it, a privacy unit being a row: (value, epsilon or null, null, groups of a unit or 0 without groups, whether units are substituted). Epsilon-DP.'),
				(', double precision, text, integer, integer, boolean, dp_noise.sample_state', 'dp_noise.bounds_of_units', false,
				 'dp_bounds as the gate runs it over privacy units: (null, epsilon or null, null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, the unit''s partial result: of dp_noise.sample_bins). Epsilon-DP; L1 sensitivity: the cap, twice that where units are substituted.')
			) AS t (arguments, name, of_rows, comment)
		LOOP
			arguments := value || tail.arguments;
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
				COALESCE(tail.comment, 'Private bounds for values of which nothing is known: (value, epsilon), as dp_bounds(value), with an epsilon of their own. Epsilon-DP for one row added or removed.'));
			CONTINUE WHEN tail.arguments IN (', double precision', ', double precision, text, integer, boolean');
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
			'Keeps a value''s bin, or not.';
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
-- For people who plan

CREATE FUNCTION @extschema@.dp_expected_error(
	mechanism text,
	epsilon double precision,
	sensitivity double precision DEFAULT 1,
	OUT mean_absolute double precision,
	OUT root_mean_square double precision,
	OUT half_width_95 double precision
)
AS 'MODULE_PATHNAME', 'dp_expected_error'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_expected_error(text, double precision, double precision) IS
'Error to expect of additive noise, in the unit of the sensitivity: E|X|, sqrt(E X^2), and the least w with P(|X| <= w) >= 0.95. Mechanisms: laplace, geometric(quantum=...), staircase(gamma=..., cost=...), discrete_staircase, gaussian(delta=...), two_stage(levels=...); geometric and discrete_staircase need an integer sensitivity, and a quantum that is one. two_stage is that of a mean, over bounds twice the sensitivity apart. epsilon 2^-20 .. 1000000. For truncated mechanisms an upper limit; where the answer is rounded, that of the least favourable one. Sources: Geng and Viswanath (44), (51); Ghosh, Roughgarden, Sundararajan; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION @extschema@.dp_expected_loss(
	mechanism text,
	epsilon double precision,
	sensitivity double precision DEFAULT 1,
	loss text DEFAULT 'absolute',
	prior double precision[] DEFAULT NULL,
	upper integer DEFAULT NULL,
	remap boolean DEFAULT false
)
RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_expected_loss'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.dp_expected_loss(text, double precision, double precision, text, double precision[], integer, boolean) IS
'Expected loss of a private answer: absolute |answer - truth|, squared, or binary (1 unless the answer is the truth). Mechanisms as for dp_expected_error, epsilon 2^-20 .. 1000000; null without mechanism, epsilon, sensitivity, loss or remap. Without prior and upper: of the noise alone, the worst case over all answers, in the unit of the sensitivity. upper (1 .. 10000): the worst case over counts of 0 .. upper (OPT2). prior (2 .. 10001 weights, 0 or more, of the counts 0, 1, 2, ...): what is expected with that prior (OPT1), and with remap what is left after dp_remap. Over counts answers are whole numbers: laplace, staircase and gaussian, which are real, are rounded (dp_count draws them on whole numbers: write geometric or discrete_staircase for those). Truncated mechanisms are clamped to 0 .. n, two_stage has its levels there, sensitivity is at most 2^20. To about 9 digits. Sources: Chen, Pal, Golubchik 4 and 5, (11)-(15); Ghosh, Roughgarden, Sundararajan; Gupte, Sundararajan.';

CREATE FUNCTION @extschema@.dp_remap(
	answer double precision,
	mechanism text,
	epsilon double precision,
	sensitivity double precision,
	prior double precision[],
	loss text DEFAULT 'absolute'
)
RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_remap'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.dp_remap(double precision, text, double precision, double precision, double precision[], text) IS
'The best guess at the true count of 0 .. n, given a private answer and a prior (weights of 0, 1, 2, ..., n): the median (absolute loss), mean (squared) or mode (binary) of the posterior; of several, the lowest. Post-processing: it costs no epsilon, and is as private as the answer. mechanism, epsilon, sensitivity: those of the answer; dp_expected_loss(..., remap => true) tells the loss that is left. With geometric noise that is the least of all epsilon-DP mechanisms. Answers count as the nearest one that the mechanism gives. Sources: Ghosh, Roughgarden, Sundararajan 2009; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION @extschema@.dp_collusion_loss(
	mechanism text,
	epsilon double precision,
	colluders integer,
	OUT trend double precision,
	OUT attack double precision
)
AS 'MODULE_PATHNAME', 'dp_collusion_loss'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.dp_collusion_loss(text, double precision, integer) IS
'Expected absolute error of colluders (1 .. 1000000) who put together independent answers to one question of sensitivity 1, each with this epsilon (2^-20 .. 1000000). trend: sqrt(2 / (pi colluders)) times the loss of one answer (Chen, Pal, Golubchik (16), (17); (18), for geometric, is read as that factor times (13)). attack: what they reach. On laplace, and on geometric and discrete_staircase, the median, exactly: counts are soon known for certain. On the staircase the median of the posterior, which comes closer as 1 / colluders: simulated with a fixed seed up to 1000 colluders (to about 2%), by laws of scale beyond (about 5%). Truncated forms as the bare ones. Not for gaussian, two_stage or a quantum. A shared budget (dp_noise.set_budget) bounds what all its members learn together.';

CREATE FUNCTION @extschema@.dp_epsilon_for_colluders(
	epsilon double precision,
	colluders integer,
	mechanism text DEFAULT 'laplace',
	OUT composition double precision,
	OUT trend double precision
)
AS 'MODULE_PATHNAME', 'dp_epsilon_for_colluders'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_epsilon_for_colluders(double precision, integer, text) IS
'The epsilon to give each of colluders (1 .. 1000000) analysts, so that all of them together learn as much as one with epsilon (2^-20 .. 1000000). composition: epsilon / colluders, which is a guarantee. trend: the epsilon with which the trend of dp_collusion_loss is the loss of one answer with epsilon: NO guarantee, a promise about one statistic, the median, and wrong for the staircase and for counts. Mechanisms as for dp_collusion_loss. Sources: sequential composition; Chen, Pal, Golubchik (16)-(18).';

CREATE FUNCTION @extschema@.dp_disclosure_risk(
	epsilon double precision,
	prior double precision
)
RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_disclosure_risk'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_disclosure_risk(double precision, double precision) IS
'The greatest probability that an adversary can come to give a statement about one person, such as that her rows are there: 1 / (1 + (1 - prior) / prior * exp(-epsilon)). epsilon: the sum over all answers (what the ledger shows as spent), 0 or more; prior: the probability before, above 0 and below 1. Of a value that a person has who is known to be there, under add_remove neighbours, give twice epsilon. A delta comes on top. Sources: Bayes; Lee and Clifton 2011.';

CREATE FUNCTION @extschema@.dp_epsilon_for_risk(
	risk double precision,
	prior double precision
)
RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_epsilon_for_risk'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_epsilon_for_risk(double precision, double precision) IS
'The greatest epsilon, of all answers together, whose dp_disclosure_risk is not above risk: ln(risk / (1 - risk)) - ln(prior / (1 - prior)). Both above 0 and below 1, risk above prior. Of a value that a person has who is known to be there, under add_remove neighbours, take half of it.';

CREATE FUNCTION dp_noise.sample(
	mechanism text,
	epsilon double precision,
	sensitivity double precision,
	n bigint
)
RETURNS SETOF double precision
AS 'MODULE_PATHNAME', 'dp_sample'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) IS
'Draws n values of bare noise in the unit of the sensitivity, for testing and teaching. Mechanisms as for dp_expected_error. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) FROM PUBLIC;

------------------------------------------------------------------------------
-- The ledger: tables
--
-- Relations and roles are known by numbers of our own. Their names are kept for
-- dumps and for what is dropped; which object they are in this database stands
-- in dp_noise.identity, which is not dumped but made anew from the names.
-- A number is never given twice: a namesake of something dropped gets one of its own,
-- and inherits what its name has spent, and none of what it was granted.
-- No foreign keys: a parallel restore loads these tables in any order. Only the functions
-- below and the ledger worker write them. The entry of a relation, and the rows of
-- all tables that bear its relation_id, are written under its lock (dp_noise.lock_relation);
-- entries of roles by the ledger worker alone, so that no open transaction holds one.

CREATE TABLE dp_noise.relation_entry (
	relation_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	schema_name name NOT NULL,
	relation_name name NOT NULL,
	is_protected boolean NOT NULL,
	privacy_unit name,
	neighbours text NOT NULL CHECK (neighbours IN ('add_remove', 'substitute')),
	max_rows_per_unit integer NOT NULL CHECK (max_rows_per_unit >= 1),
	max_groups_per_unit integer NOT NULL CHECK (max_groups_per_unit >= 1),
	successor integer
);
CREATE INDEX relation_entry_name ON dp_noise.relation_entry (relation_name, schema_name);
COMMENT ON TABLE dp_noise.relation_entry IS
'Relations that are or were protected, one row each; written by dp_noise.protect. Privacy unit: a column, or null for the row. Successor: of a dropped relation, the namesake that inherited what was spent.';

CREATE TABLE dp_noise.role_entry (
	role_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	role_name name NOT NULL
);
CREATE INDEX role_entry_name ON dp_noise.role_entry (role_name);
COMMENT ON TABLE dp_noise.role_entry IS
'Roles that have or had a budget or a charge, one row each.';

CREATE TABLE dp_noise.identity (
	class oid NOT NULL,
	object oid NOT NULL,
	id integer NOT NULL,
	PRIMARY KEY (class, object),
	UNIQUE (class, id)
);
COMMENT ON TABLE dp_noise.identity IS
'Which object of this database a relation_id or role_id is; not dumped, made anew from the names.';

CREATE TABLE dp_noise.entry_dumped (
	class oid NOT NULL,
	id integer NOT NULL,
	PRIMARY KEY (class, id)
);
COMMENT ON TABLE dp_noise.entry_dumped IS
'All relations and roles that have an entry and were not dropped. A dump has those that are there under the name that the dump knows; the others are as if dropped when it is restored.';

CREATE TABLE dp_noise.column_bounds (
	relation_id integer NOT NULL,
	column_name name NOT NULL,
	lower numeric NOT NULL,
	upper numeric NOT NULL,
	PRIMARY KEY (relation_id, column_name),
	CHECK (lower <= upper)
);
COMMENT ON TABLE dp_noise.column_bounds IS
'Bounds that the owner declared for a column, in its unit; written by dp_noise.set_bounds.';

CREATE TABLE dp_noise.column_values (
	relation_id integer NOT NULL,
	column_name name NOT NULL,
	column_values text[] NOT NULL,
	PRIMARY KEY (relation_id, column_name)
);
COMMENT ON TABLE dp_noise.column_values IS
'Values that the owner declared for a column, as texts, in the order of release; written by dp_noise.set_values.';

CREATE TABLE dp_noise.relation_levels (
	relation_id integer PRIMARY KEY,
	levels numeric[] NOT NULL
);
COMMENT ON TABLE dp_noise.relation_levels IS
'Privacy levels of a relation, epsilons from the highest; written by dp_noise.set_levels.';

CREATE TABLE dp_noise.budget_entry (
	budget_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	relation_id integer NOT NULL,
	role_id integer,
	is_active boolean NOT NULL,
	shared boolean NOT NULL,
	epsilon numeric,
	delta numeric NOT NULL,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text NOT NULL, -- anything unknown is taken for refuse
	epsilon_spent numeric NOT NULL DEFAULT 0,
	delta_spent numeric NOT NULL DEFAULT 0,
	period_start timestamptz NOT NULL DEFAULT pg_catalog.now(),
	inherited boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX budget_entry_key
	ON dp_noise.budget_entry (relation_id, role_id)
	WHERE role_id IS NOT NULL;
CREATE UNIQUE INDEX budget_entry_total
	ON dp_noise.budget_entry (relation_id) WHERE role_id IS NULL;
COMMENT ON TABLE dp_noise.budget_entry IS
'Budgets, and what was spent of them in the current period: of a role, of a group (shared), or of a relation as a whole (role_id null; epsilon null: no limit). Inherited: of a dropped role or relation, and counted in a namesake''s.';

CREATE TABLE dp_noise.ledger_entry (
	ledger_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	role_id integer NOT NULL,
	relation_id integer NOT NULL,
	epsilon numeric NOT NULL,
	delta numeric NOT NULL,
	fingerprint bytea NOT NULL,
	aggregate text NOT NULL,
	mechanism text NOT NULL
);
COMMENT ON TABLE dp_noise.ledger_entry IS
'Every charge, one row an aggregate; append-only.';

CREATE TABLE dp_noise.answer_entry (
	role_id integer NOT NULL,
	relation_id integer NOT NULL,
	fingerprint bytea NOT NULL,
	asked_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	answer bytea,
	PRIMARY KEY (relation_id, role_id, fingerprint)
);
COMMENT ON TABLE dp_noise.answer_entry IS
'Questions that were answered, with the released rows where they may be replayed.';

SELECT pg_catalog.pg_extension_config_dump('dp_noise.relation_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.relation_entry_relation_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.role_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.role_entry_role_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.column_bounds', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.column_values', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.relation_levels', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.budget_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.budget_entry_budget_id_seq', '');
-- Tables only: pg_dump reads no views but the server's own.
SELECT pg_catalog.pg_extension_config_dump('dp_noise.entry_dumped', $$
WHERE (class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND id IN (
	SELECT r.role_id FROM dp_noise.role_entry AS r
	JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
	LEFT JOIN dp_noise.identity AS p ON p.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND p.id = r.role_id
	LEFT JOIN dp_noise.identity AS q ON q.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND q.object = a.oid
	WHERE coalesce(p.object, a.oid) = a.oid AND coalesce(q.id, r.role_id) = r.role_id))
OR (class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND id IN (
	SELECT e.relation_id FROM dp_noise.relation_entry AS e
	JOIN pg_catalog.pg_namespace AS n ON n.nspname = e.schema_name
	JOIN pg_catalog.pg_class AS c ON c.relname = e.relation_name AND c.relnamespace = n.oid
	LEFT JOIN dp_noise.identity AS p ON p.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND p.id = e.relation_id
	LEFT JOIN dp_noise.identity AS q ON q.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND q.object = c.oid
	WHERE coalesce(p.object, c.oid) = c.oid AND coalesce(q.id, e.relation_id) = e.relation_id))
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise.ledger_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.ledger_entry_ledger_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.answer_entry', '');

------------------------------------------------------------------------------
-- The ledger: names and identities
--
-- These run with the rights of whoever calls them: the ledger worker, or the
-- functions for owners below, which are SECURITY DEFINER.

CREATE VIEW dp_noise.current_identity AS
SELECT i.class, i.object, i.id
FROM dp_noise.identity AS i
WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND a.oid = i.object)
	OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND c.oid = i.object)
UNION ALL
SELECT d.class, a.oid, d.id
FROM dp_noise.entry_dumped AS d
JOIN dp_noise.role_entry AS r ON r.role_id = d.id
JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
WHERE d.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid
	AND NOT EXISTS (SELECT FROM dp_noise.identity AS i WHERE i.class = d.class AND (i.id = d.id OR i.object = a.oid))
UNION ALL
SELECT d.class, c.oid, d.id
FROM dp_noise.entry_dumped AS d
JOIN dp_noise.relation_entry AS e ON e.relation_id = d.id
JOIN pg_catalog.pg_namespace AS n ON n.nspname = e.schema_name
JOIN pg_catalog.pg_class AS c ON c.relname = e.relation_name AND c.relnamespace = n.oid
WHERE d.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
	AND NOT EXISTS (SELECT FROM dp_noise.identity AS i WHERE i.class = d.class AND (i.id = d.id OR i.object = c.oid));
COMMENT ON VIEW dp_noise.current_identity IS
'Which object a relation_id or role_id is, of those that are there: dp_noise.identity, and by their names what a dump restored and nothing has asked for yet.';

CREATE FUNCTION dp_noise.lock_relation(relation oid)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_relation'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_relation(oid) IS
'Locks what the ledger knows of a relation against the ledger worker and all others who write it, until the end of the transaction.';

CREATE FUNCTION dp_noise.find_relation(relation oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
BEGIN
	SELECT i.id INTO found_id FROM dp_noise.identity AS i
	WHERE i.class = relations AND i.object = find_relation.relation;
	IF found_id IS NULL THEN
		SELECT c.id INTO found_id FROM dp_noise.current_identity AS c
		WHERE c.class = relations AND c.object = find_relation.relation;
		IF found_id IS NOT NULL THEN
			INSERT INTO dp_noise.identity (class, object, id) VALUES (relations, find_relation.relation, found_id);
		END IF;
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.find_relation(oid) IS
'Number of a relation, null for one that was never protected. Under the lock of the relation.';

CREATE FUNCTION dp_noise.find_role(role oid)
RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT c.id FROM dp_noise.current_identity AS c
	WHERE c.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND c.object = find_role.role
$$;
COMMENT ON FUNCTION dp_noise.find_role(oid) IS
'Number of a role; null for one that has none.';

CREATE FUNCTION dp_noise.make_role(role oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
	found_name name;
BEGIN
	SELECT a.rolname INTO STRICT found_name FROM pg_catalog.pg_authid AS a WHERE a.oid = make_role.role;
	SELECT i.id INTO found_id FROM dp_noise.identity AS i
	WHERE i.class = roles AND i.object = make_role.role;
	IF found_id IS NULL THEN
		found_id := dp_noise.find_role(make_role.role);
		IF found_id IS NULL THEN
			INSERT INTO dp_noise.role_entry (role_name) VALUES (found_name) RETURNING role_id INTO found_id;
			INSERT INTO dp_noise.entry_dumped (class, id) VALUES (roles, found_id);
		END IF;
		INSERT INTO dp_noise.identity (class, object, id) VALUES (roles, make_role.role, found_id);
	END IF;
	UPDATE dp_noise.role_entry AS r SET role_name = found_name
	WHERE r.role_id = found_id AND r.role_name <> found_name;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.make_role(oid) IS
'Number of a role; one that has none gets one, one that was renamed its new name. By the ledger worker alone.';

CREATE FUNCTION dp_noise.number_role(role oid)
RETURNS integer
AS 'MODULE_PATHNAME', 'dp_number_role'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.number_role(oid) IS
'As dp_noise.make_role, which it has the ledger worker call in a transaction of its own.';

CREATE FUNCTION dp_noise.tidy()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	-- Roles that were dropped, and relations where no event trigger saw it.
	WITH gone AS (
		SELECT i.class, i.id FROM dp_noise.identity AS i
		WHERE (i.class = roles AND NOT EXISTS (SELECT FROM pg_catalog.pg_authid AS a WHERE a.oid = i.object))
			OR (i.class = relations AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object))
		FOR UPDATE SKIP LOCKED
	), forgotten AS (
		DELETE FROM dp_noise.entry_dumped AS d USING gone WHERE d.class = gone.class AND d.id = gone.id
	)
	DELETE FROM dp_noise.identity AS i USING gone WHERE i.class = gone.class AND i.id = gone.id;

	-- Roles that were renamed, and those that a dump restored.
	UPDATE dp_noise.role_entry AS r SET role_name = a.rolname
	FROM dp_noise.identity AS i, pg_catalog.pg_authid AS a
	WHERE i.class = roles AND i.id = r.role_id AND a.oid = i.object
		AND r.role_name <> a.rolname;
	INSERT INTO dp_noise.identity (class, object, id)
	SELECT c.class, c.object, c.id FROM dp_noise.current_identity AS c
	WHERE c.class = roles AND NOT EXISTS (SELECT FROM dp_noise.identity AS i WHERE i.class = c.class AND i.id = c.id);
END
$$;
COMMENT ON FUNCTION dp_noise.tidy() IS
'Brings what is known of roles up to date after drops, renames and restores. By the ledger worker alone, when it starts.';

CREATE FUNCTION dp_noise.period_begin(start timestamptz, period interval, at timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
	result timestamptz := start;
	periods bigint;
BEGIN
	IF period IS NULL OR start + period > at THEN
		RETURN start;
	END IF;
	-- A first guess by length, a little short, then step by step: months differ.
	periods := pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - start)
		/ EXTRACT(epoch FROM period))::bigint - 1;
	IF periods > 0 AND start + periods * period <= at THEN
		result := start + periods * period;
	END IF;
	WHILE result + period <= at LOOP
		result := result + period
			* greatest(1, pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - result) / EXTRACT(epoch FROM period)))::bigint;
	END LOOP;
	RETURN result;
END
$$;
COMMENT ON FUNCTION dp_noise.period_begin(timestamptz, interval, timestamptz) IS
'The last start + n * period that is not after the given time; start itself without a period. Days and months are those of UTC, so that everyone''s periods begin at once.';

------------------------------------------------------------------------------
-- The ledger: what namesakes inherit
--
-- What was spent, and which questions were asked; under the relation's lock.

CREATE FUNCTION dp_noise.inherit_budget(old dp_noise.budget_entry, relation_id integer, role_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	heir dp_noise.budget_entry;
	old_begin timestamptz := dp_noise.period_begin(old.period_start, old.period, now());
	heir_begin timestamptz;
	same_period boolean;
BEGIN
	UPDATE dp_noise.budget_entry AS b SET inherited = true WHERE b.budget_id = old.budget_id;
	SELECT * INTO heir FROM dp_noise.budget_entry AS b
	WHERE b.relation_id = relation_id AND b.role_id IS NOT DISTINCT FROM role_id;
	IF heir.budget_id IS NULL THEN
		INSERT INTO dp_noise.budget_entry (relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query,
			period, on_repeat, epsilon_spent, delta_spent, period_start)
		VALUES (relation_id, role_id, false, old.shared, old.epsilon, old.delta, old.max_epsilon_per_query,
			old.period, old.on_repeat, old.epsilon_spent, old.delta_spent, old.period_start);
		RETURN;
	END IF;
	-- A limit on the total is none that a grant gives back.
	IF role_id IS NULL AND old.epsilon IS NOT NULL AND heir.epsilon IS NULL THEN
		heir.delta := old.delta;
		heir.period := old.period;
		heir.period_start := old_begin;
	ELSIF role_id IS NULL AND old.epsilon IS NOT NULL THEN
		heir.delta := least(heir.delta, old.delta);
	END IF;
	IF role_id IS NULL THEN
		heir.epsilon := least(heir.epsilon, old.epsilon);
		heir.max_epsilon_per_query := least(heir.max_epsilon_per_query, old.max_epsilon_per_query);
	END IF;
	-- Nothing of either refills before it would have by itself.
	heir_begin := dp_noise.period_begin(heir.period_start, heir.period, now());
	same_period := heir.period IS NOT DISTINCT FROM old.period;
	IF heir_begin > heir.period_start THEN
		heir.epsilon_spent := 0;
		heir.delta_spent := 0;
	END IF;
	IF same_period AND old_begin > old.period_start THEN
		old.epsilon_spent := 0;
		old.delta_spent := 0;
	END IF;
	UPDATE dp_noise.budget_entry AS b
	SET epsilon = heir.epsilon, delta = heir.delta, max_epsilon_per_query = heir.max_epsilon_per_query,
		period = heir.period,
		epsilon_spent = heir.epsilon_spent + old.epsilon_spent,
		delta_spent = heir.delta_spent + old.delta_spent,
		period_start = greatest(heir_begin, CASE WHEN same_period THEN old_begin END)
	WHERE b.budget_id = heir.budget_id;
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_budget(dp_noise.budget_entry, integer, integer) IS
'Adds what was spent of a budget to the one of a namesake: (budget, relation_id, role_id or null).';

CREATE FUNCTION dp_noise.inherit_relation(relation_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	olds integer[];
	old dp_noise.budget_entry;
BEGIN
	olds := ARRAY(
		SELECT e.relation_id FROM dp_noise.relation_entry AS h
		JOIN dp_noise.relation_entry AS e ON e.relation_name = h.relation_name AND e.schema_name = h.schema_name
		WHERE h.relation_id = relation_id AND e.relation_id <> relation_id AND e.successor IS NULL
			AND NOT EXISTS (SELECT FROM dp_noise.current_identity AS c WHERE c.class = relations AND c.id = e.relation_id)
		ORDER BY e.relation_id);
	IF olds = '{}' THEN
		RETURN;
	END IF;
	FOR old IN
		SELECT b.* FROM dp_noise.budget_entry AS b
		WHERE b.relation_id = ANY (olds) AND NOT b.inherited ORDER BY b.budget_id
	LOOP
		PERFORM dp_noise.inherit_budget(old, relation_id, old.role_id);
	END LOOP;
	WITH asked AS (
		DELETE FROM dp_noise.answer_entry AS a WHERE a.relation_id = ANY (olds) RETURNING *
	)
	INSERT INTO dp_noise.answer_entry AS a (relation_id, role_id, fingerprint, asked_at, answer)
	SELECT DISTINCT ON (o.role_id, o.fingerprint) relation_id, o.role_id, o.fingerprint, o.asked_at, o.answer
	FROM asked AS o ORDER BY o.role_id, o.fingerprint, o.asked_at DESC
	ON CONFLICT ON CONSTRAINT answer_entry_pkey DO UPDATE SET asked_at = EXCLUDED.asked_at, answer = EXCLUDED.answer
	WHERE a.asked_at < EXCLUDED.asked_at;
	DELETE FROM dp_noise.identity AS i WHERE i.class = relations AND i.id = ANY (olds);
	DELETE FROM dp_noise.entry_dumped AS d WHERE d.class = relations AND d.id = ANY (olds);
	UPDATE dp_noise.relation_entry AS e SET successor = relation_id
	WHERE e.relation_id = ANY (olds) OR e.successor = ANY (olds);
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_relation(integer) IS
'Passes to a relation what was spent on all dropped relations of its name.';

CREATE FUNCTION dp_noise.inherit_role(relation_id integer, role_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	olds integer[];
	old dp_noise.budget_entry;
BEGIN
	olds := ARRAY(
		SELECT r.role_id FROM dp_noise.role_entry AS h
		JOIN dp_noise.role_entry AS r ON r.role_name = h.role_name
		WHERE h.role_id = role_id AND r.role_id <> role_id
			AND NOT EXISTS (SELECT FROM dp_noise.current_identity AS c WHERE c.class = roles AND c.id = r.role_id)
		ORDER BY r.role_id);
	IF olds = '{}' THEN
		RETURN;
	END IF;
	FOR old IN
		SELECT b.* FROM dp_noise.budget_entry AS b
		WHERE b.relation_id = relation_id AND b.role_id = ANY (olds) AND NOT b.inherited ORDER BY b.budget_id
	LOOP
		PERFORM dp_noise.inherit_budget(old, relation_id, role_id);
	END LOOP;
	WITH asked AS (
		DELETE FROM dp_noise.answer_entry AS a
		WHERE a.relation_id = relation_id AND a.role_id = ANY (olds) RETURNING *
	)
	INSERT INTO dp_noise.answer_entry AS a (relation_id, role_id, fingerprint, asked_at, answer)
	SELECT DISTINCT ON (o.fingerprint) relation_id, role_id, o.fingerprint, o.asked_at, o.answer
	FROM asked AS o ORDER BY o.fingerprint, o.asked_at DESC
	ON CONFLICT ON CONSTRAINT answer_entry_pkey DO UPDATE SET asked_at = EXCLUDED.asked_at, answer = EXCLUDED.answer
	WHERE a.asked_at < EXCLUDED.asked_at;
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_role(integer, integer) IS
'Passes to a role what all dropped roles of its name have spent on a relation: (relation_id, role_id).';

------------------------------------------------------------------------------
-- The ledger: for owners

--
-- What owners call is in C: it refuses all but the relation's owner and
-- superusers, whoever the definer of a calling function is, locks the relation's
-- budgets until the end of the transaction, and calls the function do_... of the same
-- arguments, which runs with the extension's rights and which nobody else may
-- call.

CREATE FUNCTION dp_noise.protected_relation_id(relation regclass)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	found_id integer := dp_noise.find_relation(relation);
BEGIN
	IF NOT EXISTS (
		SELECT FROM dp_noise.relation_entry AS r WHERE r.relation_id = found_id AND r.is_protected) THEN
		RAISE EXCEPTION 'relation % is not protected', relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Protect it first with dp_noise.protect().';
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.protected_relation_id(regclass) IS
'Number of a protected relation; an error for others.';

CREATE FUNCTION dp_noise.do_protect(
	relation regclass,
	privacy_unit text,
	neighbours text,
	max_rows_per_unit integer,
	max_groups_per_unit integer
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	target record;
	id integer;
BEGIN
	SELECT c.relkind, c.relpersistence, c.relname, n.nspname INTO STRICT target
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.oid = relation;
	IF target.relkind NOT IN ('r', 'p', 'f') OR target.relpersistence = 't'
		OR target.nspname IN ('pg_catalog', 'information_schema', 'dp_noise') THEN
		RAISE EXCEPTION 'relation % cannot be protected', relation
			USING ERRCODE = 'wrong_object_type',
				HINT = 'Tables, partitioned tables and foreign tables can be protected, other relations, temporary tables and system tables cannot.';
	END IF;
	IF neighbours IS NULL OR neighbours NOT IN ('add_remove', 'substitute') THEN
		RAISE EXCEPTION 'invalid neighbours: %', coalesce(quote_literal(neighbours), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''add_remove'' or ''substitute''.';
	END IF;
	IF coalesce(max_rows_per_unit, 0) < 1 OR coalesce(max_groups_per_unit, 0) < 1 THEN
		RAISE EXCEPTION 'caps on a privacy unit''s contribution must be at least 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write how many rows and groups of one unit may count.';
	END IF;
	IF privacy_unit IS NOT NULL AND NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = privacy_unit
			AND a.attnum > 0 AND NOT a.attisdropped) THEN
		RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(privacy_unit), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'The privacy unit is a column of the relation, such as a person''s number.';
	END IF;

	id := dp_noise.find_relation(relation);
	IF id IS NULL THEN
		INSERT INTO dp_noise.relation_entry (schema_name, relation_name, is_protected, neighbours, max_rows_per_unit, max_groups_per_unit)
		VALUES (target.nspname, target.relname, false, 'add_remove', 1, 1)
		RETURNING relation_id INTO id;
		INSERT INTO dp_noise.budget_entry (relation_id, is_active, shared, delta, on_repeat)
		VALUES (id, true, true, 0, 'answer');
		INSERT INTO dp_noise.identity (class, object, id) VALUES (relations, relation, id);
		INSERT INTO dp_noise.entry_dumped (class, id) VALUES (relations, id);
	END IF;
	UPDATE dp_noise.relation_entry AS r
	SET schema_name = target.nspname, relation_name = target.relname
	WHERE r.relation_id = id AND (r.schema_name, r.relation_name) IS DISTINCT FROM (target.nspname, target.relname);
	PERFORM dp_noise.inherit_relation(id);
	UPDATE dp_noise.relation_entry AS r
	SET is_protected = true,
		privacy_unit = do_protect.privacy_unit,
		neighbours = do_protect.neighbours,
		max_rows_per_unit = do_protect.max_rows_per_unit,
		max_groups_per_unit = do_protect.max_groups_per_unit
	WHERE r.relation_id = id;
END
$$;
COMMENT ON FUNCTION dp_noise.do_protect(regclass, text, text, integer, integer) IS
'Body of dp_noise.protect.';
CREATE FUNCTION dp_noise.protect(
	relation regclass,
	privacy_unit text DEFAULT NULL,
	neighbours text DEFAULT 'add_remove',
	max_rows_per_unit integer DEFAULT 1,
	max_groups_per_unit integer DEFAULT 1
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.protect(regclass, text, text, integer, integer) IS
'Protects a table: (relation, privacy_unit column or null for the row, neighbours add_remove or substitute, caps on a unit''s rows and groups). For its owner and superusers. Again for a protected table: changes the settings. What was spent on a dropped table of the same name stays spent.';

CREATE FUNCTION dp_noise.do_unprotect(relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	UPDATE dp_noise.relation_entry AS r SET is_protected = false WHERE r.relation_id = id;
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	WHERE b.relation_id = id AND b.role_id IS NOT NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.do_unprotect(regclass) IS
'Body of dp_noise.unprotect.';
CREATE FUNCTION dp_noise.unprotect(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.unprotect(regclass) IS
'Ends the protection of a table, and its budgets; what was spent stays recorded, and counts again if the table is protected again. For its owner and superusers.';

CREATE FUNCTION dp_noise.do_set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF lower IS NULL AND upper IS NULL THEN
		DELETE FROM dp_noise.column_bounds AS b
		WHERE b.relation_id = id AND b.column_name = column_name::name;
		RETURN;
	END IF;
	IF column_name IS NULL OR NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = column_name
			AND a.attnum > 0 AND NOT a.attisdropped) THEN
		RAISE EXCEPTION 'column % of relation % does not exist', coalesce(quote_ident(column_name), 'null'), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'Write the name of a column of the relation.';
	END IF;
	IF lower IS NULL OR upper IS NULL OR lower > upper OR lower IN ('NaN', '-Infinity', 'Infinity')
		OR upper IN ('NaN', '-Infinity', 'Infinity') THEN
		RAISE EXCEPTION 'bounds must be finite, the lower not above the upper'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write the least and the greatest value that a row can sensibly have; two nulls remove the bounds.';
	END IF;
	DELETE FROM dp_noise.column_bounds AS b
	WHERE b.relation_id = id AND b.column_name = do_set_bounds.column_name::name;
	INSERT INTO dp_noise.column_bounds VALUES (id, column_name, lower, upper);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_bounds(regclass, text, numeric, numeric) IS
'Body of dp_noise.set_bounds.';
CREATE FUNCTION dp_noise.set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_bounds(regclass, text, numeric, numeric) IS
'Declares public bounds of a column, in its unit, which aggregates then need not repeat; two nulls remove them. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_set_values(relation regclass, column_name text, column_values text[])
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET "DateStyle" = 'ISO, YMD'
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	column_type oid;
	plain text[];
	different bigint;
BEGIN
	DELETE FROM dp_noise.column_values AS v
	WHERE v.relation_id = id AND v.column_name = do_set_values.column_name::name;
	IF column_values IS NULL THEN
		RETURN;
	END IF;
	SELECT coalesce(nullif(t.typbasetype, 0), t.oid) INTO column_type
	FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
	WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped;
	IF column_type IS NULL THEN
		RAISE EXCEPTION 'column % of relation % does not exist', coalesce(quote_ident(column_name), 'null'), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'Write the name of a column of the relation.';
	END IF;
	IF NOT (column_type = ANY ('{bool,int2,int4,int8,numeric,text,varchar,bpchar,name,date,time,timestamp,timestamptz,uuid}'::regtype[])
		OR EXISTS (SELECT FROM pg_type AS t WHERE t.oid = column_type AND t.typtype = 'e')) THEN
		RAISE EXCEPTION 'values of type % cannot be declared', format_type(column_type, NULL)
			USING ERRCODE = 'feature_not_supported',
				HINT = 'The column must be boolean, an integer, numeric, text, a date or time, uuid or an enum.';
	END IF;

	-- as the type writes them, once each
	EXECUTE (
		SELECT format('SELECT array_agg(v::%1$I.%2$I::text ORDER BY place), count(DISTINCT v::%1$I.%2$I) FROM unnest($1) WITH ORDINALITY AS u (v, place)',
			n.nspname, t.typname)
		FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace
		WHERE t.oid = column_type)
	INTO plain, different USING column_values;
	IF different = 0 OR different < cardinality(column_values) OR different > 1000000 THEN
		RAISE EXCEPTION 'declared values must be one to a million, different, and not null'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'A column that can be null has null as one value more; a null array removes the values.';
	END IF;
	INSERT INTO dp_noise.column_values VALUES (id, column_name, plain);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_values(regclass, text, text[]) IS
'Body of dp_noise.set_values.';
CREATE FUNCTION dp_noise.set_values(relation regclass, column_name text, column_values text[])
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_values(regclass, text, text[]) IS
'Declares the values of a column as public: GROUP BY the column releases a row for each of them, in this order, needs no dp_noise.delta, and rows with another value are in no group. Null: removes them. For the relation''s owner and superusers. Errors: undefined_column, invalid_text_representation, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_levels(relation regclass, levels numeric[])
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	sorted numeric[] := ARRAY(SELECT DISTINCT l FROM unnest(levels) AS l ORDER BY l DESC);
BEGIN
	DELETE FROM dp_noise.relation_levels AS r WHERE r.relation_id = id;
	IF levels IS NULL THEN
		RETURN;
	END IF;
	IF array_ndims(levels) IS DISTINCT FROM 1 OR array_position(levels, NULL) IS NOT NULL
		OR cardinality(levels) > 16 OR cardinality(sorted) < cardinality(levels)
		OR EXISTS (SELECT FROM unnest(levels) AS l WHERE l = 'NaN' OR l < 0.000001 OR l > 1000000 OR scale(trim_scale(l)) > 15) THEN
		RAISE EXCEPTION 'invalid privacy levels: %', levels
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write 1 to 16 different epsilons from 0.000001 to 1000000, such as ''{0.1,0.5,1}''; null removes the levels.';
	END IF;
	INSERT INTO dp_noise.relation_levels VALUES (id, sorted);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_levels(regclass, numeric[]) IS
'Body of dp_noise.set_levels.';
CREATE FUNCTION dp_noise.set_levels(relation regclass, levels numeric[])
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_levels(regclass, numeric[]) IS
'Declares privacy levels of a relation: epsilons at which dp_count, and dp_sum of integers and numerics, are answered, and no others. A question is drawn once, at all levels, as a chain, for all roles; each role pays for its level and reads it, the total pays for the highest, once (in its period). Whatever roles learn together, it is no more than the highest level tells. Null removes them. For the relation''s owner and superusers. Error: invalid_parameter_value (none, more than 16, repeated, null, out of 0.000001 to 1000000). Sources: Chen, Pal, Golubchik, 5.3; Gupte and Sundararajan 2010.';

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text,
	shared boolean
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	payer integer;
BEGIN
	IF (epsilon IS NULL AND role IS NOT NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN'
		OR max_epsilon_per_query < 0 OR max_epsilon_per_query > 1e13 OR max_epsilon_per_query = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 5; null, for no limit, is only for a relation''s total (role null).';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write 0, or a number well below 1 / (number of people), such as 1e-6.';
	END IF;
	-- No part may be negative: '1 month -29 days' is shorter than nothing in February.
	IF EXTRACT(epoch FROM period) < 1 OR EXTRACT(epoch FROM period) > 31557600000
		OR EXTRACT(year FROM period) < 0 OR EXTRACT(month FROM period) < 0 OR EXTRACT(day FROM period) < 0
		OR EXTRACT(hour FROM period) < 0 OR EXTRACT(minute FROM period) < 0 OR EXTRACT(second FROM period) < 0 THEN
		RAISE EXCEPTION 'period must be between a second and about a thousand years'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write an interval such as ''30 days'', no part of it negative. A refill is sound only for new data.';
	END IF;
	IF on_repeat IS NULL OR on_repeat NOT IN ('refuse', 'replay', 'answer') THEN
		RAISE EXCEPTION 'invalid on_repeat: %', coalesce(quote_literal(on_repeat), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''refuse'', ''replay'' or ''answer''.';
	END IF;
	IF shared IS NULL THEN
		RAISE EXCEPTION 'shared must not be null'
			USING ERRCODE = 'null_value_not_allowed',
				HINT = 'Write true for one purse of all members of the role, false for the role alone.';
	END IF;
	IF role IS NULL THEN
		UPDATE dp_noise.budget_entry AS b
		SET epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
			max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
			period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
				THEN b.period_start ELSE now() END,
			period = do_set_budget.period
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', role::oid
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_role(id, payer);
	UPDATE dp_noise.budget_entry AS b
	SET is_active = true, shared = do_set_budget.shared,
		epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
		on_repeat = do_set_budget.on_repeat,
		period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
			THEN b.period_start ELSE now() END,
		period = do_set_budget.period
	WHERE b.relation_id = id AND b.role_id = payer;
	IF NOT FOUND THEN
		INSERT INTO dp_noise.budget_entry
			(relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat)
		VALUES (id, payer, true, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean) IS
'Body of dp_noise.set_budget.';
CREATE FUNCTION dp_noise.set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric DEFAULT 0,
	max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL,
	on_repeat text DEFAULT 'refuse',
	shared boolean DEFAULT false
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean) IS
'Grants a role epsilon and delta on a protected relation: (role, relation, epsilon, delta, max_epsilon_per_query, period after which it refills, on_repeat refuse, replay or answer, shared by all members of the role). Role null: a limit on the total of everyone. What is spent stays spent. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF role IS NULL THEN
		UPDATE dp_noise.budget_entry AS b
		SET epsilon = NULL, delta = 0, max_epsilon_per_query = NULL, period = NULL
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	WHERE b.relation_id = id AND b.role_id = dp_noise.find_role(role) AND b.is_active;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'role % has no budget on relation %', role, relation
			USING ERRCODE = 'undefined_object',
				HINT = 'dp_noise.budgets lists the budgets there are.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_drop_budget(regrole, regclass) IS
'Body of dp_noise.drop_budget.';
CREATE FUNCTION dp_noise.drop_budget(role regrole, relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.drop_budget(regrole, regclass) IS
'Ends a role''s budget on a protected relation; what was spent stays recorded, and counts if it gets a budget again. Role null: the limit on the total. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.forget_relation(relation_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	DELETE FROM dp_noise.identity AS i WHERE i.class = relations AND i.id = relation_id;
	DELETE FROM dp_noise.entry_dumped AS d WHERE d.class = relations AND d.id = relation_id;
	DELETE FROM dp_noise.column_bounds AS c WHERE c.relation_id = relation_id;
	DELETE FROM dp_noise.column_values AS v WHERE v.relation_id = relation_id;
	DELETE FROM dp_noise.relation_levels AS l WHERE l.relation_id = relation_id;
	-- What nobody ever asked about leaves nothing.
	IF NOT EXISTS (SELECT FROM dp_noise.answer_entry AS a WHERE a.relation_id = relation_id)
		AND NOT EXISTS (SELECT FROM dp_noise.budget_entry AS b
			WHERE b.relation_id = relation_id AND (b.epsilon_spent > 0 OR b.delta_spent > 0))
		AND NOT EXISTS (SELECT FROM dp_noise.relation_entry AS e WHERE e.successor = relation_id) THEN
		DELETE FROM dp_noise.budget_entry AS b WHERE b.relation_id = relation_id;
		DELETE FROM dp_noise.relation_entry AS e WHERE e.relation_id = relation_id;
		RETURN;
	END IF;
	UPDATE dp_noise.relation_entry AS e SET is_protected = false WHERE e.relation_id = relation_id;
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	WHERE b.relation_id = relation_id AND b.role_id IS NOT NULL AND b.is_active;
END
$$;
COMMENT ON FUNCTION dp_noise.forget_relation(integer) IS
'Ends the protection of a relation that is being dropped: what was spent on it remains.';

CREATE FUNCTION dp_noise.on_drop()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	dropped record;
BEGIN
	-- Nothing to tidy when the ledger itself goes.
	FOR dropped IN
		SELECT d.objid, i.id, d.schema_name, d.object_name
		FROM pg_event_trigger_dropped_objects() AS d
		LEFT JOIN dp_noise.identity AS i ON i.class = d.classid AND i.object = d.objid
		WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
			AND (i.id IS NOT NULL OR EXISTS (
				SELECT FROM dp_noise.relation_entry AS e
				WHERE e.schema_name = d.schema_name AND e.relation_name = d.object_name))
		ORDER BY d.objid
	LOOP
		PERFORM dp_noise.lock_relation(dropped.objid);
		-- Without an identity: restored from a dump, and dropped before anything asked for it.
		PERFORM dp_noise.forget_relation(coalesce(dropped.id, e.relation_id))
		FROM dp_noise.relation_entry AS e
		LEFT JOIN dp_noise.identity AS i ON i.class = 'pg_catalog.pg_class'::regclass AND i.id = e.relation_id
		JOIN dp_noise.entry_dumped AS d ON d.class = 'pg_catalog.pg_class'::regclass AND d.id = e.relation_id
		WHERE e.relation_id = dropped.id
			OR (dropped.id IS NULL AND i.id IS NULL
				AND e.schema_name = dropped.schema_name AND e.relation_name = dropped.object_name);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop() IS
'Ends the protection of dropped tables.';

CREATE EVENT TRIGGER dp_noise_on_drop ON sql_drop
	WHEN TAG IN ('DROP TABLE', 'DROP FOREIGN TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION', 'DROP SERVER', 'DROP FOREIGN DATA WRAPPER', 'DROP TYPE')
	EXECUTE FUNCTION dp_noise.on_drop();
COMMENT ON EVENT TRIGGER dp_noise_on_drop IS
'Ends the protection of dropped tables.';

CREATE FUNCTION dp_noise.on_rename()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	FOR renamed IN
		SELECT i.id, c.oid, c.relname, n.nspname
		FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		JOIN dp_noise.identity AS i ON i.class = relations AND i.object = c.oid
		JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id
		WHERE (c.relname <> r.relation_name OR n.nspname <> r.schema_name)
			AND EXISTS (SELECT FROM pg_event_trigger_ddl_commands() AS d
				WHERE (d.classid = relations AND d.objid = c.oid)
					OR (d.classid = 'pg_catalog.pg_namespace'::regclass AND d.objid = n.oid))
		ORDER BY c.oid
	LOOP
		PERFORM dp_noise.lock_relation(renamed.oid);
		UPDATE dp_noise.relation_entry AS r
		SET schema_name = renamed.nspname, relation_name = renamed.relname
		WHERE r.relation_id = renamed.id;
		PERFORM dp_noise.inherit_relation(renamed.id);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rename() IS
'Notes the new names of protected tables.';

CREATE EVENT TRIGGER dp_noise_on_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX')
	EXECUTE FUNCTION dp_noise.on_rename();
COMMENT ON EVENT TRIGGER dp_noise_on_rename IS
'Notes the new names of protected tables.';

CREATE FUNCTION dp_noise.charge(
	relation regclass,
	epsilon numeric,
	delta numeric,
	question bytea,
	answer bytea DEFAULT NULL,
	OUT replayed boolean,
	OUT answered bytea
)
AS 'MODULE_PATHNAME', 'dp_charge'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea) IS
'Charges the session''s user for a question (up to 32 bytes that identify it), durably and at once; for tests. The answer is stored for replay. Superusers only.';

CREATE FUNCTION dp_noise.charge_all(
	relation regclass[],
	epsilon numeric[],
	delta numeric[],
	question bytea[],
	answer bytea[],
	OUT replayed boolean[],
	OUT answered bytea[]
)
AS 'MODULE_PATHNAME', 'dp_charge_all'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]) IS
'As dp_noise.charge for several questions of one statement, all or none of which are charged; for tests. Superusers only.';

CREATE FUNCTION dp_noise.charge_preview(
	relation regclass[],
	epsilon numeric[],
	delta numeric[],
	question bytea[]
)
RETURNS json
AS 'MODULE_PATHNAME', 'dp_charge_preview'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) IS
'What dp_noise.charge_all would do now, for tests and tools: charges (outcome charged, replayed or refused, and why), the budgets that pay (kind own, shared or total; epsilon and delta granted, spent, left and asked; whether each suffices), and the error that it would raise. Charges nothing. Superusers only.';

------------------------------------------------------------------------------
-- The ledger: views

CREATE FUNCTION dp_noise.budget_now(
	budget dp_noise.budget_entry,
	OUT began timestamptz,
	OUT spent numeric,
	OUT delta_spent numeric,
	OUT "left" numeric,
	OUT delta_left numeric
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	began := dp_noise.period_begin(budget.period_start, budget.period, now());
	spent := CASE WHEN began > budget.period_start THEN 0 ELSE budget.epsilon_spent END;
	delta_spent := CASE WHEN began > budget.period_start THEN 0 ELSE budget.delta_spent END;
	IF budget.epsilon IS NOT NULL THEN
		"left" := greatest(budget.epsilon - spent, 0);
		delta_left := greatest(budget.delta - delta_spent, 0);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.budget_now(dp_noise.budget_entry) IS
'A budget in its current period: when that began, epsilon and delta spent in it and left (null: no limit).';

-- Whoever may read a view sees in its plans how many rows of what there are, also
-- of those it does not show. So the views below read functions, whose bodies,
-- do_read_..., run with their definer's rights and give the reader's rows alone.
-- Who reads is the current user of whoever calls, but for budgets of one's own.

CREATE FUNCTION dp_noise.do_read_budgets(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	SELECT a.rolname, i.object::regclass, b.shared, b.epsilon, b.delta, p.spent, p.delta_spent, p.left, p.delta_left,
		b.max_epsilon_per_query, b.period, p.began + b.period, b.on_repeat
	FROM dp_noise.budget_entry AS b
	JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = b.relation_id
	JOIN pg_class AS c ON c.oid = i.object
	LEFT JOIN dp_noise.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	LEFT JOIN pg_roles AS a ON a.oid = m.object
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	WHERE b.is_active
		AND (b.role_id IS NULL OR a.oid IS NOT NULL)
		AND pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_budgets(oid) IS
'Body of dp_noise.read_budgets.';
CREATE FUNCTION dp_noise.read_budgets()
RETURNS TABLE (
	role name,
	relation regclass,
	shared boolean,
	epsilon numeric,
	delta numeric,
	epsilon_spent numeric,
	delta_spent numeric,
	epsilon_left numeric,
	delta_left numeric,
	max_epsilon_per_query numeric,
	period interval,
	refills_at timestamptz,
	on_repeat text
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 100;
COMMENT ON FUNCTION dp_noise.read_budgets() IS
'The rows of dp_noise.budgets.';
CREATE VIEW dp_noise.budgets AS SELECT * FROM dp_noise.read_budgets();
COMMENT ON VIEW dp_noise.budgets IS
'Budgets of the relations that the reader owns, with what is spent in the current period and what is left; a row without role is the relation''s total, without limit where epsilon is null.';

CREATE FUNCTION dp_noise.do_read_ledger(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	WITH seen AS MATERIALIZED (
		SELECT e.relation_id, i.object::regclass AS relation
		FROM dp_noise.relation_entry AS e
		LEFT JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = coalesce(e.successor, e.relation_id)
		LEFT JOIN pg_class AS c ON c.oid = i.object
		WHERE pg_has_role(reader, c.relowner, 'USAGE')
			OR (SELECT a.rolsuper FROM pg_roles AS a WHERE a.oid = reader)
	)
	SELECT l.at, r.role_name, s.relation, l.epsilon, l.delta, l.fingerprint, l.aggregate, l.mechanism
	FROM seen AS s
	JOIN dp_noise.ledger_entry AS l USING (relation_id)
	JOIN dp_noise.role_entry AS r USING (role_id);
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_ledger(oid) IS
'Body of dp_noise.read_ledger.';
CREATE FUNCTION dp_noise.read_ledger()
RETURNS TABLE (
	at timestamptz,
	role name,
	relation regclass,
	epsilon numeric,
	delta numeric,
	fingerprint bytea,
	aggregate text,
	mechanism text
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION dp_noise.read_ledger() IS
'The rows of dp_noise.ledger.';
CREATE VIEW dp_noise.ledger AS SELECT * FROM dp_noise.read_ledger();
COMMENT ON VIEW dp_noise.ledger IS
'Every charge on the relations that the reader owns, one row an aggregate, and one for groups that were selected by a count of their own; superusers see those of dropped relations too (relation null).';

CREATE FUNCTION dp_noise.current_epsilon()
RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_epsilon'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_epsilon() IS
'The setting dp_noise.epsilon as the decimal number that an aggregate without an epsilon of its own is charged.';

CREATE FUNCTION dp_noise.do_read_own_budgets(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	SELECT i.object::regclass, r.role_name, b.shared, b.epsilon, p.spent, p.left, p.delta_left,
		b.max_epsilon_per_query, p.began + b.period, b.on_repeat,
		-- All budgets pay for a query: the least of them says how many.
		CASE WHEN now.epsilon > least(t.max_epsilon_per_query, min(b.max_epsilon_per_query) OVER w) THEN 0
			ELSE div(least(t.left, min(p.left) OVER w), now.epsilon)
		END
	FROM dp_noise.budget_entry AS b
	JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = b.relation_id
	JOIN dp_noise.role_entry AS r ON r.role_id = b.role_id
	JOIN dp_noise.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	CROSS JOIN (SELECT dp_noise.current_epsilon()) AS now (epsilon)
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	CROSS JOIN LATERAL (
		SELECT e.max_epsilon_per_query, n.left
		FROM dp_noise.budget_entry AS e CROSS JOIN LATERAL dp_noise.budget_now(e) AS n
		WHERE e.relation_id = b.relation_id AND e.role_id IS NULL
	) AS t
	WHERE b.is_active
		AND (m.object = reader OR (b.shared AND m.object IN (
			WITH RECURSIVE groups (oid) AS (
				SELECT reader
				UNION
				SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
			)
			SELECT groups.oid FROM groups)))
	WINDOW w AS (PARTITION BY b.relation_id);
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_own_budgets(oid) IS
'Body of dp_noise.read_own_budgets.';
CREATE FUNCTION dp_noise.read_own_budgets()
RETURNS TABLE (
	relation regclass,
	role name,
	shared boolean,
	granted numeric,
	spent numeric,
	"left" numeric,
	delta_left numeric,
	max_epsilon_per_query numeric,
	refills_at timestamptz,
	on_repeat text,
	queries_left numeric
)
AS 'MODULE_PATHNAME', 'dp_read_as_session'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION dp_noise.read_own_budgets() IS
'The rows of dp_budget.';
CREATE VIEW @extschema@.dp_budget AS SELECT * FROM dp_noise.read_own_budgets();
COMMENT ON VIEW @extschema@.dp_budget IS
'The reader''s own budgets (of the session''s user, and shared ones of its groups): epsilon granted, spent and left in the current period, when it refills, and how many more aggregates at the current dp_noise.epsilon it allows together with all others that pay, the table''s total among them.';

------------------------------------------------------------------------------
-- The ledger: who may do what

REVOKE ALL ON FUNCTION
	dp_noise.lock_relation(oid),
	dp_noise.find_relation(oid),
	dp_noise.find_role(oid),
	dp_noise.make_role(oid),
	dp_noise.number_role(oid),
	dp_noise.tidy(),
	dp_noise.inherit_budget(dp_noise.budget_entry, integer, integer),
	dp_noise.inherit_relation(integer),
	dp_noise.inherit_role(integer, integer),
	dp_noise.forget_relation(integer),
	dp_noise.do_protect(regclass, text, text, integer, integer),
	dp_noise.do_unprotect(regclass),
	dp_noise.do_set_bounds(regclass, text, numeric, numeric),
	dp_noise.do_set_values(regclass, text, text[]),
	dp_noise.do_set_levels(regclass, numeric[]),
	dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean),
	dp_noise.do_drop_budget(regrole, regclass),
	dp_noise.do_read_budgets(oid),
	dp_noise.do_read_ledger(oid),
	dp_noise.do_read_own_budgets(oid),
	dp_noise.protected_relation_id(regclass),
	dp_noise.on_drop(),
	dp_noise.on_rename(),
	dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]),
	dp_noise.charge(regclass, numeric, numeric, bytea, bytea),
	dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[])
FROM PUBLIC;
REVOKE ALL ON
	dp_noise.relation_entry, dp_noise.role_entry, dp_noise.identity, dp_noise.current_identity, dp_noise.entry_dumped, dp_noise.column_bounds,
	dp_noise.column_values, dp_noise.relation_levels, dp_noise.budget_entry, dp_noise.ledger_entry, dp_noise.answer_entry
FROM PUBLIC;
GRANT SELECT ON dp_noise.budgets, dp_noise.ledger, @extschema@.dp_budget TO PUBLIC;

------------------------------------------------------------------------------
-- The gate

CREATE FUNCTION dp_noise.release(number bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_release'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.release(bigint) IS
'Stands for a query over a protected relation while it is being planned; cannot be called.';
REVOKE ALL ON FUNCTION dp_noise.release(bigint) FROM PUBLIC;

CREATE FUNCTION dp_noise.choose(number integer)
RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_choose'
LANGUAGE C VOLATILE WINDOW PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.choose(integer) IS
'True for so many rows of each partition, all where there are no more, each choice of that size with the same probability (by OpenSSL''s CSPRNG): which groups of a privacy unit count. A window function, to be used without ORDER BY.';

CREATE FUNCTION dp_noise.true_states(query text)
RETURNS SETOF text[]
AS 'MODULE_PATHNAME', 'dp_true_states'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.true_states(text) IS
'What a query over privacy units of several rows has before noise: its rows, as the gate bounds them, with keys and true states in steps of the answers. For tests of sensitivities. Not private; superusers only.';
REVOKE ALL ON FUNCTION dp_noise.true_states(text) FROM PUBLIC;

CREATE FUNCTION dp_noise.total_functions()
RETURNS pg_catalog.regprocedure[]
AS 'MODULE_PATHNAME', 'dp_total_functions'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.total_functions() IS
'The functions that conditions and arguments of a query over a protected relation may call: none can fail, whatever the row holds. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.total_functions() FROM PUBLIC;

------------------------------------------------------------------------------
-- What can be learned beside the answers: who could

CREATE FUNCTION dp_noise.do_read_protected_relations(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	SELECT i.object::regclass, r.privacy_unit, r.neighbours, r.max_rows_per_unit, r.max_groups_per_unit
	FROM dp_noise.relation_entry AS r
	JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = r.relation_id
	JOIN pg_class AS c ON c.oid = i.object
	WHERE r.is_protected AND pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_protected_relations(oid) IS
'Body of dp_noise.read_protected_relations.';
REVOKE ALL ON FUNCTION dp_noise.do_read_protected_relations(oid) FROM PUBLIC;
CREATE FUNCTION dp_noise.read_protected_relations()
RETURNS TABLE (
	relation regclass,
	privacy_unit name,
	neighbours text,
	max_rows_per_unit integer,
	max_groups_per_unit integer
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION dp_noise.read_protected_relations() IS
'The rows of dp_noise.protected_relations.';
CREATE VIEW dp_noise.protected_relations AS SELECT * FROM dp_noise.read_protected_relations();
COMMENT ON VIEW dp_noise.protected_relations IS
'The protected tables that the reader owns (superusers: all), with their settings.';

CREATE VIEW dp_noise.asker AS
SELECT DISTINCT p.relation, m.oid AS role
FROM dp_noise.protected_relations AS p
JOIN dp_noise.budgets AS b ON b.relation = p.relation
JOIN pg_catalog.pg_roles AS g ON g.rolname = b.role
JOIN pg_catalog.pg_roles AS m ON m.oid = g.oid OR (b.shared AND NOT m.rolsuper AND pg_catalog.pg_has_role(m.oid, g.oid, 'MEMBER'));
COMMENT ON VIEW dp_noise.asker IS
'Roles with a budget on the protected tables that the reader owns: their own, or shared by a group of theirs.';

CREATE VIEW dp_noise.reach AS
SELECT p.relation, 0::pg_catalog.oid AS grantee, NULL::pg_catalog.oid AS asker
FROM dp_noise.protected_relations AS p
UNION ALL
SELECT a.relation, g.oid, a.role
FROM dp_noise.asker AS a
JOIN pg_catalog.pg_roles AS me ON me.oid = a.role
JOIN pg_catalog.pg_class AS c ON c.oid = a.relation
JOIN pg_catalog.pg_roles AS g ON pg_catalog.pg_has_role(a.role, g.oid, 'MEMBER')
WHERE NOT me.rolsuper AND g.oid <> c.relowner;
COMMENT ON VIEW dp_noise.reach IS
'Whose privileges people with a budget have: everybody''s (grantee 0), their own, those of their groups. The owner of the table is left out.';
GRANT SELECT ON dp_noise.protected_relations, dp_noise.asker, dp_noise.reach TO PUBLIC;

CREATE FUNCTION dp_noise.role_text(role oid)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END
$$;
COMMENT ON FUNCTION dp_noise.role_text(oid) IS
'A role as GRANT and REVOKE name it; PUBLIC for 0.';

------------------------------------------------------------------------------
-- What can be learned beside the answers: statistics of the server

CREATE FUNCTION dp_noise.statistics_sources()
RETURNS TABLE (class regclass, object oid, kind text, name text, privilege text, tells text, public_at_first boolean, acl aclitem[], owner oid)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH member AS (
		SELECT d.classid, d.objid, e.extname
		FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
			AND e.extname IN ('pg_stat_statements', 'pg_buffercache', 'pgstattuple', 'pg_freespacemap', 'pg_visibility', 'pg_walinspect', 'old_snapshot',
				'pg_stat_kcache', 'pg_qualstats', 'pg_wait_sampling', 'pg_stat_monitor', 'pg_store_plans', 'pg_proctab', 'system_stats', 'hypopg')
	), source AS (
		SELECT 'pg_proc'::regclass AS class, p.oid AS object, 'FUNCTION' AS kind, 'f'::"char" AS type,
			p.proacl AS acl, p.proowner AS owner,
			CASE
				WHEN m.extname IS NOT NULL THEN 'what extension ' || m.extname || ' counts'
				WHEN p.proname ~ '^pg_stat_get_' THEN 'counters of tables, of the server and of sessions'
				WHEN p.proname ~ '_size$' THEN 'sizes'
				WHEN p.proname ~ 'lock|multixact' THEN 'locks'
				WHEN p.proname ~ 'xact' THEN 'times of transactions'
				ELSE 'how much is written'
			END AS tells
		FROM pg_proc AS p
		LEFT JOIN member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
		WHERE m.extname IS NOT NULL
			OR (p.pronamespace = 'pg_catalog'::regnamespace
				AND (p.proname ~ '^pg_stat_get_|^pg_(current|last)_wal_|^pg_(available_)?wal_summar|^pg_get_wal_summar'
					OR p.proname IN ('pg_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_total_relation_size',
						'pg_database_size', 'pg_tablespace_size',
						'pg_lock_status', 'pg_blocking_pids', 'pg_safe_snapshot_blocking_pids', 'pg_get_multixact_members',
						'pg_last_committed_xact', 'pg_xact_commit_timestamp', 'pg_xact_commit_timestamp_origin',
						'pg_get_replication_slots', 'pg_logical_emit_message', 'pg_control_checkpoint', 'pg_control_recovery',
						'pg_notification_queue_usage')))
		UNION ALL
		SELECT 'pg_class', c.oid, 'TABLE', 'r', c.relacl, c.relowner,
			CASE
				WHEN m.extname IS NOT NULL THEN 'what extension ' || m.extname || ' counts'
				WHEN c.relname = 'pg_class' THEN 'how many rows and pages tables have'
				ELSE 'how many large objects there are'
			END
		FROM pg_class AS c
		LEFT JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
		WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
			AND (m.extname IS NOT NULL OR c.oid IN ('pg_class'::regclass, 'pg_largeobject_metadata'::regclass))
	)
	SELECT s.class, s.object, s.kind,
		CASE s.kind WHEN 'FUNCTION' THEN s.object::regprocedure::text ELSE s.object::regclass::text END,
		CASE s.kind WHEN 'FUNCTION' THEN 'EXECUTE' ELSE 'SELECT' END,
		s.tells,
		EXISTS (SELECT FROM aclexplode(coalesce(i.initprivs, acldefault(s.type, s.owner))) AS a WHERE a.grantee = 0),
		coalesce(s.acl, acldefault(s.type, s.owner)),
		s.owner
	FROM source AS s
	LEFT JOIN pg_init_privs AS i ON i.classoid = s.class AND i.objoid = s.object AND i.objsubid = 0
$$;
COMMENT ON FUNCTION dp_noise.statistics_sources() IS
'Functions, tables and views of this database that show statistics of everybody''s tables and sessions: what they tell, whether PUBLIC may read them after initdb or CREATE EXTENSION, and the privileges there are now. Of extensions, those that come with PostgreSQL and some others.';

CREATE FUNCTION dp_noise.hidden_columns()
RETURNS name[]
LANGUAGE sql IMMUTABLE
AS $$
	SELECT '{reltuples,relpages,relallvisible,relallfrozen}'::pg_catalog.name[]
$$;
COMMENT ON FUNCTION dp_noise.hidden_columns() IS
'Columns of pg_class that are statistics: after VACUUM or ANALYZE of a small table, reltuples is the exact number of its rows.';

CREATE FUNCTION dp_noise.harden(keep regrole[] DEFAULT '{}', catalogs boolean DEFAULT true)
RETURNS TABLE (object text, privilege text, revoked_from text, granted_to text)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	readers CONSTANT oid[] := (SELECT array_agg(DISTINCT r) FROM unnest(keep::oid[] || 'pg_read_all_stats'::regrole::oid) AS r);
	source record;
	visible text;
	is_public boolean;
	lacking text;
BEGIN
	IF NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
		RAISE EXCEPTION 'must be superuser to harden a database'
			USING ERRCODE = 'insufficient_privilege',
				HINT = 'Ask a superuser. dp_noise.check() lists what is open.';
	END IF;

	FOR source IN
		SELECT * FROM dp_noise.statistics_sources() AS s WHERE s.public_at_first ORDER BY s.kind, s.name
	LOOP
		CONTINUE WHEN NOT catalogs AND source.name IN ('pg_class', 'pg_largeobject_metadata');
		is_public := EXISTS (SELECT FROM aclexplode(source.acl) AS a WHERE a.grantee = 0);
		lacking := (SELECT string_agg(r::regrole::text, ', ' ORDER BY r::regrole::text) FROM unnest(readers) AS r
			WHERE NOT EXISTS (SELECT FROM aclexplode(source.acl) AS a WHERE a.grantee = r AND a.privilege_type = source.privilege));
		object := source.name;
		privilege := source.privilege;
		IF source.name = 'pg_class' THEN
			visible := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
				WHERE a.attrelid = 'pg_class'::regclass AND NOT a.attisdropped AND NOT a.attname = ANY (dp_noise.hidden_columns()));
			object := 'pg_class (' || (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute AS a
				WHERE a.attrelid = 'pg_class'::regclass AND a.attname = ANY (dp_noise.hidden_columns())) || ')';
			is_public := is_public OR EXISTS (
				SELECT FROM pg_attribute AS a, aclexplode(a.attacl) AS x
				WHERE a.attrelid = 'pg_class'::regclass AND x.grantee = 0 AND a.attname = ANY (dp_noise.hidden_columns()));
			IF is_public THEN
				EXECUTE 'REVOKE SELECT ON TABLE pg_class FROM PUBLIC';
			END IF;
			-- Again and again: another version of the server has other columns.
			EXECUTE format('GRANT SELECT (%s) ON TABLE pg_class TO PUBLIC', visible);
		ELSIF is_public THEN
			EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', source.kind, source.name);
		END IF;
		IF lacking IS NOT NULL THEN
			EXECUTE format('GRANT %s ON %s %s TO %s', source.privilege, source.kind, source.name, lacking);
		END IF;
		revoked_from := CASE WHEN is_public THEN 'PUBLIC' END;
		granted_to := lacking;
		IF is_public OR lacking IS NOT NULL THEN
			RETURN NEXT;
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.harden(regrole[], boolean) IS
'Revokes from PUBLIC, in this database, what shows statistics of everybody''s tables and sessions (dp_noise.statistics_sources), and grants it to pg_read_all_stats and to the roles to keep it: monitoring, and whoever runs pg_dump, vacuumdb or reindexdb without being superuser. catalogs false: leaves pg_class (reltuples, relpages and the like) and pg_largeobject_metadata readable, for tools that read all columns of pg_class. One row for each object that was changed; none when called again. Superusers only. New extensions and other versions of the server bring new objects: call it again then.';

------------------------------------------------------------------------------
-- What can be learned beside the answers: the list of what is open
--
-- These run with the caller's rights, and show nothing that the caller could
-- not find out: the catalogs, and the budgets on the caller's own tables.

CREATE FUNCTION dp_noise.carriers()
RETURNS TABLE (relation oid, object oid, what text, is_private boolean)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH RECURSIVE down AS (
		SELECT p.relation::oid AS relation, p.relation::oid AS object FROM dp_noise.protected_relations AS p
		UNION
		SELECT d.relation, i.inhrelid FROM down AS d JOIN pg_inherits AS i ON i.inhparent = d.object
	), up AS (
		SELECT p.relation::oid AS relation, i.inhparent AS object
		FROM dp_noise.protected_relations AS p JOIN pg_inherits AS i ON i.inhrelid = p.relation
		UNION
		SELECT u.relation, i.inhparent FROM up AS u JOIN pg_inherits AS i ON i.inhrelid = u.object
	), tables AS (
		SELECT * FROM down UNION SELECT * FROM up
	), shown AS (
		SELECT t.relation, t.object FROM tables AS t
		UNION
		SELECT s.relation, w.ev_class
		FROM shown AS s
		JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.object AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite AS w ON w.oid = d.objid
		JOIN pg_class AS v ON v.oid = w.ev_class
		WHERE NOT EXISTS (
			SELECT FROM pg_options_to_table(v.reloptions) AS o
			WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
	)
	SELECT d.relation, d.object,
		CASE WHEN d.object = d.relation THEN 'the table itself' ELSE 'a partition or child of it' END, false
	FROM down AS d
	UNION
	SELECT u.relation, u.object, 'a parent of it', false FROM up AS u
	UNION
	SELECT d.relation, c.reltoastrelid, 'its long values', false
	FROM down AS d JOIN pg_class AS c ON c.oid = d.object WHERE c.reltoastrelid <> 0
	UNION
	SELECT d.relation, s.oid, 'a sequence of it, which counts its rows', false
	FROM down AS d
	JOIN pg_depend AS x ON x.refclassid = 'pg_class'::regclass AND x.refobjid = d.object AND x.classid = 'pg_class'::regclass AND x.deptype IN ('a', 'i')
	JOIN pg_class AS s ON s.oid = x.objid AND s.relkind = 'S'
	UNION
	SELECT s.relation, s.object,
		CASE v.relkind WHEN 'v' THEN 'a view over it' WHEN 'm' THEN 'a copy of what its owner may read of it' ELSE 'a table with a rule that reads it' END,
		EXISTS (
			SELECT FROM pg_rewrite AS w
			JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass
			JOIN pg_depend AS e ON e.classid = 'pg_proc'::regclass AND e.objid = d.refobjid AND e.deptype = 'e'
				AND e.refclassid = 'pg_extension'::regclass
			JOIN pg_extension AS x ON x.oid = e.refobjid AND x.extname = 'dp_noise'
			WHERE w.ev_class = s.object)
	FROM shown AS s
	JOIN pg_class AS v ON v.oid = s.object
	WHERE NOT EXISTS (SELECT FROM tables AS t WHERE t.relation = s.relation AND t.object = s.object)
		AND has_any_column_privilege(v.relowner, s.relation, 'SELECT')
$$;
COMMENT ON FUNCTION dp_noise.carriers() IS
'Relations through which rows of the caller''s protected tables can be reached: itself, partitions, parents, sequences, views (is_private: with private aggregates).';

CREATE FUNCTION dp_noise.check_grants()
RETURNS TABLE (severity text, object text, finding text, remedy text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH reach AS MATERIALIZED (
		SELECT DISTINCT r.relation, r.grantee FROM dp_noise.reach AS r
	), carrier AS MATERIALIZED (
		SELECT * FROM dp_noise.carriers()
	), granted AS (
		SELECT c.relation, c.object, c.what, c.is_private, k.relkind, x.grantee, x.privilege_type AS privilege, NULL::name AS column_name
		FROM carrier AS c
		JOIN pg_class AS k ON k.oid = c.object
		CROSS JOIN aclexplode(coalesce(k.relacl, acldefault(CASE k.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", k.relowner))) AS x
		WHERE x.grantee <> k.relowner
		UNION ALL
		SELECT c.relation, c.object, c.what, c.is_private, k.relkind, x.grantee, x.privilege_type, a.attname
		FROM carrier AS c
		JOIN pg_class AS k ON k.oid = c.object
		JOIN pg_attribute AS a ON a.attrelid = c.object AND a.attacl IS NOT NULL AND NOT a.attisdropped
		CROSS JOIN aclexplode(a.attacl) AS x
		WHERE x.grantee <> k.relowner
	), grants AS (
		SELECT g.relation, g.object, g.what, g.is_private, g.relkind, g.grantee,
			string_agg(DISTINCT g.privilege || coalesce(' (' || quote_ident(g.column_name) || ')', ''), ', ') AS privileges
		FROM granted AS g
		JOIN pg_class AS t ON t.oid = g.relation
		LEFT JOIN pg_roles AS r ON r.oid = g.grantee
		WHERE g.grantee <> t.relowner AND r.rolsuper IS NOT TRUE
		GROUP BY 1, 2, 3, 4, 5, 6
	)
	SELECT CASE WHEN g.is_private OR NOT EXISTS (SELECT FROM reach AS r WHERE r.relation = g.relation AND r.grantee = g.grantee) THEN 'low'
			WHEN g.relkind = 'S' THEN 'medium' ELSE 'high' END,
		g.object::regclass::text,
		format('%s: %s has %s', CASE WHEN g.object = g.relation THEN 'protected' ELSE format('%s (%s)', g.what, g.relation::regclass) END,
			dp_noise.role_text(g.grantee), g.privileges)
			|| CASE WHEN g.is_private THEN '; nothing is told if it shows private aggregates alone' ELSE '' END,
		format('REVOKE %s ON %s %s FROM %s', g.privileges, CASE g.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
			g.object::regclass, dp_noise.role_text(g.grantee))
	FROM grants AS g
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = c.relation AND r.grantee = k.relowner) THEN 'high' ELSE 'low' END,
		c.object::regclass::text,
		format('%s (%s): owned by %s', c.what, c.relation::regclass, k.relowner::regrole),
		format('ALTER TABLE %s OWNER TO %s', c.object::regclass, t.relowner::regrole)
	FROM carrier AS c
	JOIN pg_class AS k ON k.oid = c.object
	JOIN pg_class AS t ON t.oid = c.relation
	JOIN pg_roles AS o ON o.oid = k.relowner
	WHERE k.relkind IN ('r', 'p', 'f', 'm') AND k.relowner <> t.relowner AND NOT o.rolsuper
		AND NOT (k.relkind = 'm' AND k.relispopulated AND has_any_column_privilege(k.relowner, c.relation, 'SELECT'))
	UNION ALL
	SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = p.relation AND r.grantee = x.grantee) THEN 'medium' ELSE 'low' END,
		p.relation::text,
		format('new tables of its owner (partitions, a table in its place) are granted to %s: %s', dp_noise.role_text(x.grantee), x.privilege_type),
		format('ALTER DEFAULT PRIVILEGES FOR ROLE %s%s REVOKE %s ON TABLES FROM %s', d.defaclrole::regrole,
			CASE WHEN d.defaclnamespace = 0 THEN '' ELSE ' IN SCHEMA ' || d.defaclnamespace::regnamespace END,
			x.privilege_type, dp_noise.role_text(x.grantee))
	FROM dp_noise.protected_relations AS p
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_default_acl AS d ON d.defaclrole = c.relowner AND d.defaclobjtype = 'r' AND d.defaclnamespace IN (0, c.relnamespace)
	CROSS JOIN aclexplode(d.defaclacl) AS x
	LEFT JOIN pg_roles AS g ON g.oid = x.grantee
	WHERE x.grantee <> d.defaclrole AND g.rolsuper IS NOT TRUE
$$;
COMMENT ON FUNCTION dp_noise.check_grants() IS
'Part of dp_noise.check: privileges on the table, its partitions, parents and sequences, and on views over it.';

CREATE FUNCTION dp_noise.check_roles()
RETURNS TABLE (severity text, object text, finding text, remedy text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH reach AS MATERIALIZED (
		SELECT * FROM dp_noise.reach
	), powerful (name, tells) AS (
		VALUES ('pg_read_all_data', 'reads every table'),
			('pg_write_all_data', 'changes every table, and sees how many rows were changed'),
			('pg_read_server_files', 'reads the server''s files'),
			('pg_write_server_files', 'writes the server''s files'),
			('pg_execute_server_program', 'runs programs as the server'),
			('pg_maintain', 'sees with VACUUM (VERBOSE) how many rows a table has'),
			('pg_monitor', 'reads statistics of every table'),
			('pg_read_all_stats', 'reads statistics of every table'),
			('pg_stat_scan_tables', 'reads statistics of every table')
	)
	SELECT 'high', 'role ' || a.role::regrole,
		format('has a budget on %s, and %s', a.relation, CASE WHEN m.rolsuper THEN 'is superuser' ELSE 'may act as a superuser' END),
		'Let people who need a budget log in with another role.'
	FROM dp_noise.asker AS a JOIN pg_roles AS m ON m.oid = a.role
	WHERE m.rolsuper OR EXISTS (SELECT FROM pg_roles AS s WHERE s.rolsuper AND pg_has_role(a.role, s.oid, 'MEMBER'))
	UNION ALL
	SELECT 'high', 'role ' || a.role::regrole,
		format('has a budget on %s, and is a member of its owner, role %s', a.relation, c.relowner::regrole),
		format('REVOKE %s FROM %s', c.relowner::regrole, a.role::regrole)
	FROM dp_noise.asker AS a JOIN pg_roles AS m ON m.oid = a.role JOIN pg_class AS c ON c.oid = a.relation
	WHERE NOT m.rolsuper AND a.role <> c.relowner AND pg_has_role(a.role, c.relowner, 'MEMBER')
	UNION ALL
	SELECT CASE WHEN w.tells NOT LIKE 'reads stat%' THEN 'high' ELSE 'medium' END, 'role ' || r.asker::regrole,
		format('is a member of %s%s: %s', w.name, CASE WHEN r.grantee = r.asker THEN '' ELSE ' through ' || r.grantee::regrole END, w.tells),
		format('REVOKE %s FROM %s', w.name, r.grantee::regrole)
	FROM reach AS r
	JOIN pg_auth_members AS x ON x.member = r.grantee
	JOIN pg_roles AS g ON g.oid = x.roleid
	JOIN powerful AS w ON w.name = g.rolname
	WHERE r.grantee::regrole::text !~ '^pg_'
	UNION ALL
	SELECT 'low', 'role ' || m.rolname, format('is a member of %s: %s; it has no budget', w.name, w.tells),
		format('REVOKE %s FROM %I', w.name, m.rolname)
	FROM powerful AS w
	JOIN pg_roles AS g ON g.rolname = w.name
	JOIN pg_auth_members AS x ON x.roleid = g.oid
	JOIN pg_roles AS m ON m.oid = x.member
	WHERE w.tells NOT LIKE 'reads stat%' AND NOT m.rolsuper AND m.rolname !~ '^pg_'
		AND NOT EXISTS (SELECT FROM reach AS r WHERE r.asker = m.oid)
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = m.oid) THEN 'high' ELSE 'low' END, 'role ' || m.oid::regrole,
		'has REPLICATION: it can read every change of every table',
		format('ALTER ROLE %s NOREPLICATION', m.oid::regrole)
	FROM pg_roles AS m WHERE m.rolreplication AND NOT m.rolsuper
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = m.oid) THEN 'high' ELSE 'low' END, 'role ' || m.oid::regrole,
		'has CREATEROLE, and can make itself a member of any role that is not superuser',
		format('ALTER ROLE %s NOCREATEROLE', m.oid::regrole)
	FROM pg_roles AS m WHERE m.rolcreaterole AND NOT m.rolsuper AND current_setting('server_version_num')::integer < 160000
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = o.oid) THEN 'high' ELSE 'low' END, 'role ' || o.oid::regrole,
		'owns this database, and sees with VACUUM (VERBOSE) how many rows any table of it has',
		format('ALTER DATABASE %I OWNER TO ...', d.datname)
	FROM pg_database AS d JOIN pg_roles AS o ON o.oid = d.datdba
	WHERE d.datname = current_database() AND NOT o.rolsuper
		AND EXISTS (SELECT FROM dp_noise.protected_relations AS p JOIN pg_class AS c ON c.oid = p.relation WHERE c.relowner <> o.oid)
	UNION ALL
	SELECT DISTINCT 'high', 'schema ' || n.oid::regnamespace,
		format('%s may create objects there: a function of the name of another one would run with the rights of whoever calls it, the owner of %s perhaps',
			dp_noise.role_text(x.grantee), p.relation),
		format('REVOKE CREATE ON SCHEMA %s FROM %s', n.oid::regnamespace, dp_noise.role_text(x.grantee))
	FROM dp_noise.protected_relations AS p
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_namespace AS n ON n.oid IN (c.relnamespace, (SELECT e.extnamespace FROM pg_extension AS e WHERE e.extname = 'dp_noise'))
	CROSS JOIN aclexplode(n.nspacl) AS x
	JOIN reach AS r ON r.relation = p.relation AND r.grantee = x.grantee
	WHERE x.privilege_type = 'CREATE' AND x.grantee <> c.relowner
$$;
COMMENT ON FUNCTION dp_noise.check_roles() IS
'Part of dp_noise.check: attributes and memberships of roles, and who may create functions where the owner would call them.';

CREATE FUNCTION dp_noise.check_code()
RETURNS TABLE (severity text, object text, finding text, remedy text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH RECURSIVE reach AS MATERIALIZED (
		SELECT DISTINCT r.relation, r.grantee FROM dp_noise.reach AS r
	), carrier AS MATERIALIZED (
		SELECT * FROM dp_noise.carriers()
	), part AS (
		-- triggers, constraints, indexes, defaults, policies, rules, statistics of the tables
		SELECT DISTINCT c.relation, d.classid, d.objid
		FROM carrier AS c
		JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.object
		WHERE c.what IN ('the table itself', 'a partition or child of it')
			AND d.deptype IN ('a', 'i', 'n', 'P', 'S')
			AND d.classid IN ('pg_trigger'::regclass, 'pg_constraint'::regclass, 'pg_class'::regclass, 'pg_attrdef'::regclass,
				'pg_policy'::regclass, 'pg_rewrite'::regclass, 'pg_statistic_ext'::regclass)
			AND NOT (d.classid = 'pg_rewrite'::regclass AND (SELECT w.ev_class FROM pg_rewrite AS w WHERE w.oid = d.objid) <> c.object)
			AND NOT (d.classid = 'pg_class'::regclass AND (SELECT k.relkind NOT IN ('i', 'I') FROM pg_class AS k WHERE k.oid = d.objid))
		UNION
		SELECT c.relation, 'pg_class'::regclass, c.object
		FROM carrier AS c WHERE c.what IN ('the table itself', 'a partition or child of it')
		UNION
		SELECT p.relation, d.class, d.object
		FROM part AS p
		CROSS JOIN LATERAL (
			SELECT x.refclassid, x.refobjid FROM pg_depend AS x WHERE x.classid = p.classid AND x.objid = p.objid AND x.deptype = 'n'
			UNION ALL
			-- what checks the values of a domain
			SELECT x.classid, x.objid FROM pg_depend AS x
			WHERE p.classid = 'pg_type'::regclass AND x.refclassid = p.classid AND x.refobjid = p.objid AND x.classid = 'pg_constraint'::regclass
		) AS d (class, object)
		WHERE d.class IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_type'::regclass,
			'pg_constraint'::regclass)
	), reader AS (
		SELECT p.relation, m.oid AS role
		FROM dp_noise.protected_relations AS p CROSS JOIN pg_roles AS m
		WHERE m.rolsuper OR has_any_column_privilege(m.oid, p.relation, 'SELECT')
	)
	SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = p.relation AND r.grantee = f.proowner) THEN 'high' ELSE 'low' END,
		'function ' || f.oid::regprocedure,
		format('runs for rows of %s, and is owned by %s', p.relation::regclass, f.proowner::regrole),
		format('ALTER FUNCTION %s OWNER TO %s', f.oid::regprocedure, c.relowner::regrole)
	FROM part AS p
	JOIN pg_proc AS f ON p.classid = 'pg_proc'::regclass AND f.oid = p.objid
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_roles AS o ON o.oid = f.proowner
	WHERE f.proowner <> c.relowner AND NOT o.rolsuper
	UNION ALL
	SELECT DISTINCT 'low', 'function ' || f.oid::regprocedure,
		format('runs for rows of %s, and sends notifications, which everybody can hear', p.relation::regclass),
		'Send no values of rows.'
	FROM part AS p JOIN pg_proc AS f ON p.classid = 'pg_proc'::regclass AND f.oid = p.objid
	WHERE f.prosrc ~* '\mnotify\M|\mpg_notify\M'
	UNION ALL
	SELECT 'high', 'event trigger ' || e.evtname,
		format('its function is owned by %s, and runs with the rights of superusers and owners', f.proowner::regrole),
		format('ALTER FUNCTION %s OWNER TO a superuser', f.oid::regprocedure)
	FROM pg_event_trigger AS e JOIN pg_proc AS f ON f.oid = e.evtfoid JOIN pg_roles AS o ON o.oid = f.proowner
	WHERE NOT o.rolsuper AND EXISTS (
		SELECT FROM dp_noise.protected_relations AS p JOIN pg_class AS c ON c.oid = p.relation WHERE c.relowner <> o.oid)
	UNION ALL
	SELECT DISTINCT CASE WHEN f.prosrc ~* ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M') OR EXISTS (
				SELECT FROM pg_depend AS d
				WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation)
			THEN 'medium' ELSE 'low' END,
		'function ' || f.oid::regprocedure,
		format('SECURITY DEFINER of %s, who may read %s; %s may call it', f.proowner::regrole, r.relation::regclass, dp_noise.role_text(x.grantee)),
		format('REVOKE EXECUTE ON FUNCTION %s FROM %s, if it tells of rows', f.oid::regprocedure, dp_noise.role_text(x.grantee))
	FROM reader AS r
	JOIN pg_class AS c ON c.oid = r.relation
	JOIN pg_proc AS f ON f.proowner = r.role AND f.prosecdef
	CROSS JOIN aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) AS x
	JOIN reach AS a ON a.relation = r.relation AND a.grantee = x.grantee
	WHERE f.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
		AND NOT EXISTS (
			SELECT FROM pg_depend AS d
			WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.deptype = 'e')
	UNION ALL
	SELECT DISTINCT 'high', format('constraint %I on table %s', k.conname, k.conrelid::regclass),
		format('tells %s, who may write there, which values %s has', dp_noise.role_text(x.grantee), k.confrelid::regclass),
		format('REVOKE INSERT, UPDATE ON TABLE %s FROM %s', k.conrelid::regclass, dp_noise.role_text(x.grantee))
	FROM carrier AS t
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = t.object
	JOIN pg_class AS c ON c.oid = k.conrelid
	CROSS JOIN LATERAL (
		SELECT a.grantee FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a WHERE a.privilege_type IN ('INSERT', 'UPDATE')
		UNION
		SELECT a.grantee FROM pg_attribute AS b, aclexplode(b.attacl) AS a WHERE b.attrelid = c.oid AND a.privilege_type IN ('INSERT', 'UPDATE')
	) AS x
	JOIN reach AS r ON r.relation = t.relation AND r.grantee = x.grantee
	WHERE t.what IN ('the table itself', 'a partition or child of it')
	UNION ALL
	SELECT DISTINCT 'high', format('constraint %I on table %s', k.conname, k.conrelid::regclass),
		format('tells %s, who may delete or change rows of %s, which of its values %s has', dp_noise.role_text(x.grantee), k.confrelid::regclass, k.conrelid::regclass),
		format('REVOKE DELETE, UPDATE ON TABLE %s FROM %s', k.confrelid::regclass, dp_noise.role_text(x.grantee))
	FROM carrier AS t
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = t.object
	JOIN pg_class AS c ON c.oid = k.confrelid
	CROSS JOIN LATERAL (
		SELECT a.grantee FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a WHERE a.privilege_type IN ('DELETE', 'UPDATE')
		UNION
		SELECT a.grantee FROM pg_attribute AS b, aclexplode(b.attacl) AS a WHERE b.attrelid = c.oid AND a.privilege_type = 'UPDATE'
	) AS x
	JOIN reach AS r ON r.relation = t.relation AND r.grantee = x.grantee
	WHERE t.what IN ('the table itself', 'a partition or child of it')
$$;
COMMENT ON FUNCTION dp_noise.check_code() IS
'Part of dp_noise.check: functions that see the rows, functions with the owner''s rights, foreign keys to and from tables that others write to.';

CREATE FUNCTION dp_noise.check_statistics()
RETURNS TABLE (severity text, object text, finding text, remedy text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH reach AS MATERIALIZED (
		SELECT DISTINCT r.grantee FROM dp_noise.reach AS r
	), source AS MATERIALIZED (
		SELECT * FROM dp_noise.statistics_sources()
	), readable AS (
		SELECT s.kind, s.name, s.privilege, s.tells, s.public_at_first, x.grantee
		FROM source AS s
		CROSS JOIN aclexplode(s.acl) AS x
		LEFT JOIN pg_roles AS g ON g.oid = x.grantee
		WHERE x.grantee <> s.owner AND g.rolsuper IS NOT TRUE AND coalesce(g.rolname, '') !~ '^pg_'
		UNION ALL
		SELECT s.kind, s.name || ' (' || string_agg(a.attname, ', ' ORDER BY a.attnum) || ')', s.privilege, s.tells, s.public_at_first, x.grantee
		FROM source AS s
		JOIN pg_attribute AS a ON s.class = 'pg_class'::regclass AND a.attrelid = s.object
			AND (s.object <> 'pg_class'::regclass OR a.attname = ANY (dp_noise.hidden_columns()))
		CROSS JOIN aclexplode(a.attacl) AS x
		WHERE x.grantee <> s.owner
		GROUP BY 1, s.name, 3, 4, 5, 6
	), restricted AS (
		-- what initdb or CREATE EXTENSION keeps from PUBLIC, and was granted later
		SELECT 'FUNCTION' AS kind, p.oid::regprocedure::text AS name, 'EXECUTE' AS privilege, x.grantee
		FROM pg_init_privs AS i
		JOIN pg_proc AS p ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid AND p.pronamespace = 'pg_catalog'::regnamespace
		CROSS JOIN aclexplode(p.proacl) AS x
		WHERE NOT EXISTS (SELECT FROM aclexplode(i.initprivs) AS b WHERE b.grantee IN (0, x.grantee))
		UNION ALL
		SELECT 'TABLE', c.oid::regclass::text, x.privilege_type, x.grantee
		FROM pg_init_privs AS i
		JOIN pg_class AS c ON i.classoid = 'pg_class'::regclass AND i.objoid = c.oid AND i.objsubid = 0 AND c.relnamespace = 'pg_catalog'::regnamespace
		CROSS JOIN LATERAL (
			SELECT a.grantee, a.privilege_type FROM aclexplode(c.relacl) AS a
			UNION
			SELECT a.grantee, a.privilege_type || ' (' || b.attname || ')' FROM pg_attribute AS b, aclexplode(b.attacl) AS a
			WHERE b.attrelid = c.oid AND NOT EXISTS (
				SELECT FROM pg_init_privs AS j, aclexplode(j.initprivs) AS d
				WHERE j.classoid = 'pg_class'::regclass AND j.objoid = c.oid AND j.objsubid = b.attnum AND d.grantee = a.grantee)
		) AS x
		WHERE NOT EXISTS (SELECT FROM aclexplode(i.initprivs) AS b WHERE b.grantee IN (0, x.grantee))
	)
	SELECT 'medium', CASE count(*) WHEN 1 THEN '' ELSE count(*) || ' objects, such as ' END || min(r.name),
		format('%s may read %s', dp_noise.role_text(r.grantee), r.tells),
		CASE WHEN r.grantee <> 0 OR NOT r.public_at_first THEN format('REVOKE %s ON %s ... FROM %s', r.privilege, r.kind, dp_noise.role_text(r.grantee))
			ELSE 'SELECT * FROM dp_noise.harden()' END
	FROM readable AS r
	WHERE r.grantee = 0 OR EXISTS (SELECT FROM reach AS a WHERE a.grantee = r.grantee)
	GROUP BY r.grantee, r.tells, r.privilege, r.kind, r.public_at_first
	UNION ALL
	SELECT DISTINCT 'high', r.name, format('is kept from everybody when a database is made; %s has %s', dp_noise.role_text(r.grantee), r.privilege),
		format('REVOKE %s ON %s %s FROM %s', r.privilege, r.kind, r.name, dp_noise.role_text(r.grantee))
	FROM restricted AS r
	WHERE (r.grantee = 0 OR EXISTS (SELECT FROM reach AS a WHERE a.grantee = r.grantee))
		AND r.name NOT IN (SELECT s.name FROM source AS s)
	UNION ALL
	SELECT 'high', v.name, 'shows values of columns to everybody (CVE-2024-4317): the server was updated, its views were not',
		'Run share/fix-CVE-2024-4317.sql of PostgreSQL in this database.'
	FROM unnest('{pg_stats_ext,pg_stats_ext_exprs}'::text[]) AS v (name)
	WHERE pg_get_viewdef(v.name::regclass) !~ 'pg_has_role'
$$;
COMMENT ON FUNCTION dp_noise.check_statistics() IS
'Part of dp_noise.check: statistics of the server that others can read.';

CREATE FUNCTION dp_noise.check_server()
RETURNS TABLE (severity text, object text, finding text, remedy text)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN QUERY
	SELECT 'medium', 'setting shared_preload_libraries', 'dp_noise is not preloaded: questions about protected tables are refused',
		'Add dp_noise to shared_preload_libraries and restart the server.'
	WHERE NOT EXISTS (SELECT FROM pg_settings AS s WHERE s.name = 'dp_noise.ledger_slots')
	UNION ALL
	SELECT 'medium', 'setting ' || s.name, 'is on: who sets client_min_messages to log sees what a question cost the server, blocks read among it',
		format('ALTER SYSTEM SET %s = off', s.name)
	FROM pg_settings AS s
	WHERE s.name IN ('log_parser_stats', 'log_planner_stats', 'log_executor_stats', 'log_statement_stats') AND s.setting = 'on'
	UNION ALL
	SELECT 'medium', 'setting lo_compat_privileges', 'is on: everybody reads every large object', 'ALTER SYSTEM SET lo_compat_privileges = off'
	WHERE current_setting('lo_compat_privileges') = 'on'
	UNION ALL
	SELECT DISTINCT 'medium', 'setting ' || a.parname, format('%s may set it: it is among those that show or hide what the server does, or load code', dp_noise.role_text(x.grantee)),
		format('REVOKE %s ON PARAMETER %s FROM %s', x.privilege_type, a.parname, dp_noise.role_text(x.grantee))
	FROM pg_parameter_acl AS a CROSS JOIN aclexplode(a.paracl) AS x JOIN dp_noise.reach AS r ON r.grantee = x.grantee
	WHERE x.privilege_type = 'ALTER SYSTEM'
		OR a.parname ~ '^(log_|debug_|trace_|track_|auto_explain\.|pg_stat_statements\.|dp_noise\.)|_libraries$|^(session_replication_role|allow_system_table_mods|lo_compat_privileges|zero_damaged_pages|ignore_checksum_failure)$'
	UNION ALL
	SELECT 'low', format('database %I', d.datname), format('%s may connect: from there it can read the statistics of the whole server', coalesce(min(r.asker)::regrole::text, 'PUBLIC')),
		format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', d.datname)
	FROM pg_database AS d
	JOIN dp_noise.reach AS r ON r.asker IS NOT NULL AND has_database_privilege(r.asker, d.oid, 'CONNECT')
	WHERE d.datallowconn AND d.datname <> current_database()
	GROUP BY d.datname
	UNION ALL
	SELECT DISTINCT CASE WHEN m.umid IS NULL THEN 'medium' ELSE 'high' END, 'server ' || s.srvname,
		format('%s may make foreign tables there beside %s%s', dp_noise.role_text(x.grantee), t.ftrelid::regclass,
			CASE WHEN m.umid IS NULL THEN '' ELSE ', and there is a user mapping for it' END),
		format('REVOKE USAGE ON FOREIGN SERVER %I FROM %s', s.srvname, dp_noise.role_text(x.grantee))
	FROM dp_noise.carriers() AS c
	JOIN pg_foreign_table AS t ON t.ftrelid = c.object
	JOIN pg_foreign_server AS s ON s.oid = t.ftserver
	CROSS JOIN aclexplode(s.srvacl) AS x
	JOIN dp_noise.reach AS r ON r.relation = c.relation AND r.grantee = x.grantee
	LEFT JOIN pg_user_mappings AS m ON m.srvid = s.oid AND m.umuser IN (0, r.grantee, r.asker)
	UNION ALL
	SELECT DISTINCT 'low', p.pubname::text, format('publication of %s: its rows go to other servers, which do not protect them', t.relid::regclass),
		format('ALTER PUBLICATION %I DROP TABLE %s', p.pubname, t.relid::regclass)
	FROM pg_publication AS p
	CROSS JOIN LATERAL pg_get_publication_tables(p.pubname) AS g
	JOIN LATERAL (SELECT (row_to_json(g) ->> 'relid')::oid) AS t (relid) ON true
	JOIN dp_noise.carriers() AS c ON c.object = t.relid AND c.what IN ('the table itself', 'a partition or child of it', 'a parent of it');

	IF has_function_privilege('pg_hba_file_rules()', 'EXECUTE') THEN
		RETURN QUERY
		SELECT 'high', 'pg_hba.conf, line ' || min(h.line_number), 'method trust: who connects so may log in as anybody',
			'Ask for a password, a certificate or the operating system''s user.'
		FROM pg_hba_file_rules() AS h WHERE h.auth_method = 'trust' HAVING count(*) > 0;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_server() IS
'Part of dp_noise.check: settings, other databases, foreign servers, publications, and for superusers how people log in.';

CREATE FUNCTION dp_noise.check()
RETURNS TABLE (severity text, object text, finding text, remedy text)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user)
		AND NOT EXISTS (SELECT FROM dp_noise.protected_relations) THEN
		RAISE EXCEPTION 'must be superuser or owner of a protected table'
			USING ERRCODE = 'insufficient_privilege',
				HINT = 'Ask the owner of the table.';
	END IF;
	RETURN QUERY
	SELECT f.*
	FROM (
		SELECT * FROM dp_noise.check_grants()
		UNION SELECT * FROM dp_noise.check_roles()
		UNION SELECT * FROM dp_noise.check_code()
		UNION SELECT * FROM dp_noise.check_statistics()
		UNION SELECT * FROM dp_noise.check_server()
	) AS f
	ORDER BY f.severity = 'high' DESC, f.severity = 'medium' DESC, f.object, f.finding;
END
$$;
COMMENT ON FUNCTION dp_noise.check() IS
'What is open on this server beside the gate, each with its remedy. severity: high where people with a budget, or everybody, can come to rows; medium where they can come to statistics of them; low where only others can, or only under further conditions. For superusers, and for owners about their own tables. Empty when nothing is open. It cannot see what was granted in other databases, what functions and copies that someone made do, or times.';
