/*
 * dp_noise.sql
 *		Objects of the extension: CREATE EXTENSION dp_noise runs this.
 *
 * What everyone calls stands in the extension's schema (@extschema@); what is
 * for the DBA, and the parts of the aggregates, in the schema dp_noise.
 */
\echo Use "CREATE EXTENSION dp_noise" to load this file. \quit

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
				('max', '', true,
				 'Private maximum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold: the first of 100 steps from lower to upper with noisily at most 2/epsilon values above it; at large epsilon staircase. A lone extreme row cannot be released. Null and NaN are skipped; near lower without rows.'),
				('min', '', true,
				 'Private minimum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold, as dp_max; at large epsilon staircase. Null and NaN are skipped; near upper without rows.'),
				('median', '', false,
				 'Private median of values clamped to lower .. upper: (value, lower, upper, epsilon), of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.'),
				('quantile', ', double precision', false,
				 'Private quantile of values clamped to lower .. upper: (value, fraction, lower, upper, epsilon), fraction 0 .. 1, of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.')
			) AS k (name, extra, named, comment)
		LOOP
			result := CASE kind.name
				WHEN 'sum' THEN type.sum
				WHEN 'mean' THEN type.mean
				ELSE type.value END;
			state := CASE WHEN kind.name IN ('sum', 'mean')
				THEN 'dp_noise.sum_state' ELSE 'pg_catalog.internal' END;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$I(%2$s)
				RETURNS %3$s
				AS 'MODULE_PATHNAME', 'dp_%4$s_final'
				LANGUAGE C VOLATILE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$I(%2$s) IS
				'Adds the noise of the dp_ aggregate of that name over %5$s.';
			$sql$, kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'), state,
				result, kind.name, type.value);

			FOR tail IN
				SELECT * FROM (VALUES
					('', false),
					(pg_catalog.format(', %1$s, %1$s', type.bound), false),
					(pg_catalog.format(', %1$s, %1$s, double precision', type.bound), false),
					(pg_catalog.format(', %1$s, %1$s, double precision, text', type.bound), true)
				) AS t (arguments, named)
			LOOP
				CONTINUE WHEN tail.named AND NOT kind.named;
				arguments := type.value || kind.extra || tail.arguments;
				EXECUTE pg_catalog.format($sql$
					CREATE FUNCTION dp_noise.%1$s_transition(%2$s, %3$s)
					RETURNS %2$s
					AS 'MODULE_PATHNAME', 'dp_%1$s_transition'
					LANGUAGE C IMMUTABLE %4$s PARALLEL SAFE;
					COMMENT ON FUNCTION dp_noise.%1$s_transition(%2$s, %3$s) IS
					'Adds a row to the state of the dp_ aggregate of that name.';
					CREATE AGGREGATE @extschema@.%5$s(%3$s) (
						SFUNC = dp_noise.%1$s_transition,
						STYPE = %2$s,
						%6$s,
						FINALFUNC = dp_noise.%7$I,
						FINALFUNC_MODIFY = read_write,
						PARALLEL = safe
					);
					COMMENT ON AGGREGATE @extschema@.%5$s(%3$s) IS %8$L;
				$sql$,
					kind.name, state, arguments,
					CASE WHEN kind.name IN ('sum', 'mean') THEN 'STRICT' ELSE '' END,
					CASE WHEN kind.name IN ('median', 'quantile')
						THEN 'dp_' || kind.name || '_exp' ELSE 'dp_' || kind.name END,
					CASE WHEN kind.name IN ('sum', 'mean')
						THEN 'INITCOND = ''(0,0)'', COMBINEFUNC = dp_noise.sum_state_combine'
						ELSE 'SSPACE = 256, COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize' END,
					kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'),
					kind.comment);
			END LOOP;

			-- The true state by the same transition functions, without noise.
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
				kind.name, arguments, state,
				CASE WHEN kind.name IN ('sum', 'mean')
					THEN 'INITCOND = ''(0,0)'', COMBINEFUNC = dp_noise.sum_state_combine'
					ELSE 'SSPACE = 256, FINALFUNC = dp_noise.values_state_final, FINALFUNC_MODIFY = read_write, COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize' END);
		END LOOP;
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
'Error to expect of additive noise, in the unit of the sensitivity: E|X|, sqrt(E X^2), and the least w with P(|X| <= w) >= 0.95. Mechanisms: laplace, geometric, staircase, discrete_staircase, gaussian(delta=...); geometric and discrete_staircase need an integer sensitivity. epsilon 2^-20 .. 1000000. For truncated mechanisms an upper limit. Sources: Geng and Viswanath (44), (51); Ghosh, Roughgarden, Sundararajan.';

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
