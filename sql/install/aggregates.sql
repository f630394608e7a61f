/*
 * aggregates.sql
 *		The dp_ aggregates: their states, transition and final functions, and the
 *		forms that the gate uses.
 */

-- Both are dropped at the end of this file. A part is entered in C by its own
-- name unless another is given.
CREATE PROCEDURE dp_noise.add_part(signature text, result text, properties text, comment text, entry text DEFAULT NULL) LANGUAGE plpgsql
AS $$
BEGIN
	EXECUTE format('CREATE FUNCTION dp_noise.%s RETURNS %s AS ''MODULE_PATHNAME'', %L LANGUAGE C %s PARALLEL SAFE',
		signature, result, 'dp_' || coalesce(entry, split_part(signature, '(', 1)), properties);
	EXECUTE format('COMMENT ON FUNCTION dp_noise.%s IS %L', signature, comment);
END
$$;
CREATE PROCEDURE dp_noise.add_aggregate(signature text, properties text, comment text) LANGUAGE plpgsql
AS $$
BEGIN
	EXECUTE format('CREATE AGGREGATE %s (%s, PARALLEL = safe)', signature, properties);
	EXECUTE format('COMMENT ON AGGREGATE %s IS %L', signature, comment);
END
$$;

------------------------------------------------------------------------------
-- States

DO $install$
DECLARE
	state record;
BEGIN
	FOR state IN
		SELECT * FROM (VALUES
			('sum', '24', 'Reads (0,0), the empty state; an error otherwise: other values cannot be written by hand.', 'Writes (sum,count).',
			 'State of dp_sum and dp_mean, written (sum,count): the exact sum of the rows'' grid points, and the number of rows. Not private.'),
			('square', '48', 'Reads (0,0,0), the empty state; an error otherwise: other values cannot be written by hand.', 'Writes (sum,squares,count).',
			 'State of dp_variance and dp_stddev, written (sum,squares,count): the exact sums of the rows'' grid points above the lower bound and of their squares, and the number of rows. Not private.'),
			('pair', '192', 'Reads (0,0,0,0,0,0,0,0,0), the empty state; an error otherwise: other values cannot be written by hand.', 'Writes (sum,...,count).',
			 'State of dp_regression, written (sum,...,count): the exact sums of eight products of polynomials of the rows'' grid points, and the number of rows. Not private.'),
			('sample', 'variable', 'Always an error: such values cannot be written by hand.', 'Writes {seen,point,...}: the number of values seen, and the grid points kept.',
			 'A random choice of a limited number of a privacy unit''s values, as grid points. Not private.'),
			('distinct', 'variable', 'Always an error: such values cannot be written by hand.', 'Writes {image,...}: 128 bits for each of the values, by which they are distinguished.',
			 'The different values of a privacy unit, at most 16384 of them. Not private.')
		) AS s (name, length, reads, writes, comment)
	LOOP
		EXECUTE format('CREATE TYPE dp_noise.%s_state', state.name);
		CALL dp_noise.add_part(format('%s_state_in(cstring)', state.name), format('dp_noise.%s_state', state.name), 'IMMUTABLE STRICT', state.reads);
		CALL dp_noise.add_part(format('%1$s_state_out(dp_noise.%1$s_state)', state.name), 'cstring', 'IMMUTABLE STRICT', state.writes);
		EXECUTE format('CREATE TYPE dp_noise.%1$s_state (INPUT = dp_noise.%1$s_state_in, OUTPUT = dp_noise.%1$s_state_out,'
			' INTERNALLENGTH = %2$s, ALIGNMENT = double, STORAGE = plain)', state.name, state.length);
		EXECUTE format('COMMENT ON TYPE dp_noise.%s_state IS %L', state.name, state.comment);
	END LOOP;
END
$install$;

CALL dp_noise.add_part('sum_state_combine(dp_noise.sum_state, dp_noise.sum_state)', 'dp_noise.sum_state', 'IMMUTABLE STRICT', 'Adds two states.');
CALL dp_noise.add_part('square_state_combine(dp_noise.square_state, dp_noise.square_state)', 'dp_noise.square_state', 'IMMUTABLE STRICT',
	'Adds two states.');
CALL dp_noise.add_part('pair_state_combine(dp_noise.pair_state, dp_noise.pair_state)', 'dp_noise.pair_state', 'IMMUTABLE STRICT', 'Adds two states.');
CALL dp_noise.add_part('sample_combine(dp_noise.sample_state, dp_noise.sample_state)', 'dp_noise.sample_state', 'VOLATILE STRICT',
	'Merges two random choices into one from all their values.');
CALL dp_noise.add_part('distinct_combine(dp_noise.distinct_state, dp_noise.distinct_state)', 'dp_noise.distinct_state', 'IMMUTABLE STRICT',
	'Merges the different values of two parts of a privacy unit''s rows.');

-- Lists of grid points: of medians, quantiles, maxima and minima. Counts: by category.
CALL dp_noise.add_part('values_combine(internal, internal)', 'internal', 'IMMUTABLE', 'Concatenates two lists of grid points.');
CALL dp_noise.add_part('values_serialize(internal)', 'bytea', 'IMMUTABLE STRICT', 'A list of grid points for a parallel worker.');
CALL dp_noise.add_part('values_deserialize(bytea, internal)', 'internal', 'IMMUTABLE STRICT', 'A list of grid points from a parallel worker.');
CALL dp_noise.add_part('values_state_final(internal)', 'bytea', 'IMMUTABLE', 'The true grid points in ascending order, 8 bytes each. Not private.');
CALL dp_noise.add_part('counts_combine(internal, internal)', 'internal', 'IMMUTABLE', 'Adds two lists of counts.');
CALL dp_noise.add_part('counts_serialize(internal)', 'bytea', 'IMMUTABLE STRICT', 'A list of counts for a parallel worker.');
CALL dp_noise.add_part('counts_deserialize(bytea, internal)', 'internal', 'IMMUTABLE STRICT', 'A list of counts from a parallel worker.');
CALL dp_noise.add_part('counts_state_final(internal)', 'bytea', 'IMMUTABLE', 'The true counts, 8 bytes each. Not private.');

-- Means and variances for the gate: the noisy sums that they are made of.
DO $install$
DECLARE
	kind record;
BEGIN
	FOR kind IN
		SELECT * FROM (VALUES
			('mean', 'sum', 'of the values above the lower bound, and of that and what is below the upper bound; or a level and the greatest one'),
			('variance', 'square', 'of (upper - value)^2, 2 (value - lower)(upper - value) and (value - lower)^2'),
			('stddev', 'square', 'as dp_noise.variance_sums_final'),
			('var_pop', 'square', 'as dp_noise.variance_sums_final'),
			('stddev_pop', 'square', 'as dp_noise.variance_sums_final')
		) AS k (name, state, sums)
	LOOP
		CALL dp_noise.add_part(format('%s_sums_final(dp_noise.%s_state)', kind.name, kind.state), 'bytea', 'VOLATILE',
			format('Adds the noise of dp_%s: returns the noisy sums from which its answer, and the interval around it, are computed, %s.', kind.name, kind.sums));
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- Counts

CALL dp_noise.add_part('count_final(bigint)', 'bigint', 'VOLATILE STRICT', 'Adds the noise of dp_count.');
CALL dp_noise.add_part('count_distinct_final(internal)', 'bigint', 'VOLATILE',
	'Counts the different values and adds the noise of dp_count_distinct.');
CALL dp_noise.add_part('count_values_final(internal)', 'bigint', 'VOLATILE',
	'Counts different values, with a maximum flow where units have several, and adds the noise of dp_count_distinct.');
CALL dp_noise.add_part('count_values_state_final(internal)', 'bigint', 'IMMUTABLE',
	'Counts different values as dp_noise.count_values_final does, without noise.');

DO $install$
DECLARE
	noisy CONSTANT text := 'STYPE = bigint, INITCOND = ''0'', FINALFUNC = dp_noise.count_final, FINALFUNC_MODIFY = read_write';
	signature text;
BEGIN
	FOREACH signature IN ARRAY ARRAY['*', 'value "any"', 'value "any", epsilon double precision', 'value "any", epsilon double precision, mechanism text'] LOOP
		CALL dp_noise.add_part(format('count_transition(%s)', replace('bigint, ' || signature, ', *', '')), 'bigint', 'IMMUTABLE STRICT', 'Counts a row.');
		CALL dp_noise.add_aggregate(format('@extschema@.dp_count(%s)', signature), 'SFUNC = dp_noise.count_transition, COMBINEFUNC = int8pl, ' || noisy,
			'Private number of rows, or of values that are not null: (value, epsilon, mechanism). Epsilon-DP for one row added or removed; sensitivity 1. Default two-sided geometric noise, optimal for counts (Ghosh, Roughgarden, Sundararajan 2009). May be negative unless a truncated mechanism is chosen.');
	END LOOP;

	-- The values of dp_count_distinct are sorted, as for count(DISTINCT), so it can
	-- be neither hashed nor split; SSPACE keeps the planner from running many at once.
	FOREACH signature IN ARRAY ARRAY['value anyelement', 'value anyelement, epsilon double precision',
		'value anyelement, epsilon double precision, mechanism text',
		'value anyelement, epsilon double precision, mechanism text, values_of_unit integer']
	LOOP
		CALL dp_noise.add_part(format('count_distinct_transition(internal, %s)', signature), 'internal', 'IMMUTABLE', 'Adds a value.');
		CALL dp_noise.add_aggregate(format('@extschema@.dp_count_distinct(%s)', signature),
			'SFUNC = dp_noise.count_distinct_transition, STYPE = internal, SSPACE = 131072, FINALFUNC = dp_noise.count_distinct_final, FINALFUNC_MODIFY = read_write',
			'Private number of different values that are not null: (value, epsilon, mechanism, values of a unit), of which the last three may be null where all are written. Epsilon-DP for one row added or removed, and for one value with all its rows; sensitivity 1. Over a protected relation, privacy units count once each. Of other values, each unit may name only a limited number of its own: as many as of its rows count (max_rows_per_unit), or as the last argument says. The answer is the greatest number of different values that the units can name, a maximum flow. It is Epsilon-DP for one unit, with that limit as its sensitivity (Knop and Steinke 2023). Default two-sided geometric noise (Ghosh, Roughgarden, Sundararajan 2009).');
	END LOOP;
END
$install$;

-- The different values of one privacy unit.
CALL dp_noise.add_part('different_values_transition(dp_noise.distinct_state, anyelement)', 'dp_noise.distinct_state', 'IMMUTABLE',
	'Adds a value to those of a privacy unit.');
CALL dp_noise.add_aggregate('dp_noise.different_values(anyelement)',
	'SFUNC = dp_noise.different_values_transition, STYPE = dp_noise.distinct_state, SSPACE = 96, COMBINEFUNC = dp_noise.distinct_combine',
	'The different values of a privacy unit, without nulls; null if there are none. Of more than 16384, those with the least hashes. Not private.');

-- The gate's forms, which also take the contribution of one privacy unit.
-- Anyone may call them, since the inner statement runs with the analyst's right
-- to execute; they read nothing by themselves. Where units and values have at most
-- 32 bits each, a pair of both is one bigint.
DO $install$
DECLARE
	noisy CONSTANT text := 'dp_noise.count_final, FINALFUNC_MODIFY = read_write';
	noisy_values CONSTANT text := 'dp_noise.count_values_final, FINALFUNC_MODIFY = read_write';
	true_values CONSTANT text := 'dp_noise.count_values_state_final';
	of_row CONSTANT text := 'double precision, text, integer, boolean, boolean';
	of_unit CONSTANT text := 'double precision, text, integer, integer, boolean, boolean';
	form record;
	transition text;
	state text;
BEGIN
	FOR form IN
		SELECT * FROM (VALUES
			('count_of_rows', '"any", ' || of_row, noisy, 'COMBINEFUNC = int8pl', 'Counts a row.', NULL,
			 'dp_count as the gate runs it, a privacy unit being a row: (value, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP; sensitivity 1.'),
			('count_of_units', 'bigint, ' || of_unit || ', bigint', noisy, NULL, 'Counts a privacy unit''s rows, up to the cap.', NULL,
			 'dp_count as the gate runs it over privacy units: (null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s number of rows). Epsilon-DP; sensitivity: the cap.'),
			('count_of_units_state', 'bigint, ' || of_unit || ', bigint', NULL, NULL, NULL, NULL,
			 'The true state of dp_noise.count_of_units, without noise. Not private.'),
			('count_distinct_of_rows', 'anyelement, ' || of_row, noisy_values, NULL, 'Adds a value.', 'count_values_of_rows_transition',
			 'dp_count_distinct as the gate runs it, a privacy unit being a row: (value, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP; sensitivity 1.'),
			('count_distinct_of_units', 'bigint, ' || of_unit || ', dp_noise.distinct_state', noisy_values, NULL,
			 'Adds the different values of a privacy unit.', 'count_values_of_units_transition',
			 'dp_count_distinct as the gate runs it over privacy units, of values that are not the units: (null, epsilon and mechanism or null, cap on values of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s values: of dp_noise.different_values). Epsilon-DP; sensitivity: the cap.'),
			('count_distinct_of_units_state', 'bigint, ' || of_unit || ', dp_noise.distinct_state', true_values, NULL, NULL, NULL,
			 'The true number of dp_noise.count_distinct_of_units, without noise. Not private.'),
			('count_distinct_of_units', 'bigint, ' || of_unit || ', bigint', noisy_values, NULL, 'Adds a privacy unit''s value.', 'count_pairs_transition',
			 'The same over rows: (null, epsilon and mechanism or null, cap on values of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit and its value: of dp_noise.unit_and_value). Epsilon-DP; sensitivity: the cap.'),
			('count_distinct_of_units_state', 'bigint, ' || of_unit || ', bigint', true_values || ', FINALFUNC_MODIFY = read_write', NULL, NULL, NULL,
			 'The true number of the same, without noise. Not private.')
		) AS f (name, arguments, final, combine, adds, entry, comment)
	LOOP
		transition := replace(form.name, '_state', '') || '_transition';
		state := CASE WHEN form.name ^@ 'count_distinct' THEN 'internal' ELSE 'bigint' END;
		IF form.adds IS NOT NULL THEN
			CALL dp_noise.add_part(format('%s(%s, %s)', transition, state, form.arguments), state, 'IMMUTABLE', form.adds, form.entry);
		END IF;
		CALL dp_noise.add_aggregate(format('dp_noise.%s(%s)', form.name, form.arguments), concat_ws(', ', 'SFUNC = dp_noise.' || transition,
			'STYPE = ' || state, CASE state WHEN 'internal' THEN 'SSPACE = 512' ELSE 'INITCOND = ''0''' END, form.combine, 'FINALFUNC = ' || form.final),
			form.comment);
	END LOOP;
END
$install$;

-- Of numbers and sums that other nodes have computed, which need points of their own.
CALL dp_noise.add_part('grid_point(value double precision, exponent integer, lower bigint, upper bigint)', 'bigint', 'IMMUTABLE STRICT',
	'The point of a grid nearest to a value, a multiple of 2^exponent, from lower to upper such steps; null for NaN. What the dp_ aggregates add up.');
CALL dp_noise.add_part('grid_point(value numeric, exponent integer, lower bigint, upper bigint)', 'bigint', 'IMMUTABLE STRICT',
	'The same for numeric values.', 'grid_point_numeric');
CALL dp_noise.add_part('grid_point(value integer, lower integer, upper integer, origin integer)', 'integer', 'IMMUTABLE STRICT',
	'An integer brought between lower and upper, less the origin. What the dp_ aggregates add up.', 'grid_point_integer');
CALL dp_noise.add_part('fails_on_node(version integer, computes boolean, schema integer)', 'boolean', 'STABLE STRICT',
	'An error on a node of Citus that has another version of dp_noise, whose search_path names pg_catalog where it is to compute expressions, or where schemas with this hash of a name are neither the user''s nor a superuser''s; else false. Run on all nodes before a charge.');
CALL dp_noise.add_aggregate('dp_noise.add_counts(bigint)', 'SFUNC = int8pl, STYPE = bigint, INITCOND = ''0'', COMBINEFUNC = int8pl',
	'Adds up numbers of rows. Not private.');
CALL dp_noise.add_part('add_sums_transition(dp_noise.sum_state, numeric, bigint)', 'dp_noise.sum_state', 'IMMUTABLE', 'Adds a part.', 'sum_of_parts_transition');
CALL dp_noise.add_aggregate('dp_noise.add_sums(numeric, bigint)',
	'SFUNC = dp_noise.add_sums_transition, STYPE = dp_noise.sum_state, INITCOND = ''(0,0)'', COMBINEFUNC = dp_noise.sum_state_combine',
	'Adds up sums of grid points, and how many these are: (sum, number), as a privacy unit''s partial result. Not private.');
CALL dp_noise.add_part('count_of_parts_transition(bigint, bigint, double precision, text, integer, integer, boolean, boolean, numeric, bigint)', 'bigint', 'IMMUTABLE', 'Adds a number of rows.');
CALL dp_noise.add_aggregate('dp_noise.count_of_parts(bigint, double precision, text, integer, integer, boolean, boolean, numeric, bigint)',
	'SFUNC = dp_noise.count_of_parts_transition, STYPE = bigint, INITCOND = ''0'', FINALFUNC = dp_noise.count_final, FINALFUNC_MODIFY = read_write',
	'dp_count as the gate runs it over numbers of rows that other nodes have counted: (null, epsilon and mechanism or null, cap on rows of a unit or null where a privacy unit is a row, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, null, a number of rows that count). Epsilon-DP; sensitivity: the cap, or 1.');
CALL dp_noise.add_aggregate('dp_noise.count_of_parts_state(bigint, double precision, text, integer, integer, boolean, boolean, numeric, bigint)',
	'SFUNC = dp_noise.count_of_parts_transition, STYPE = bigint, INITCOND = ''0''',
	'The true state of dp_noise.count_of_parts, without noise. Not private.');

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
	noisy text := ', FINALFUNC_MODIFY = read_write';
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
				('var_pop', '', true,
				 'Private variance of values clamped to lower .. upper, over their number: (value, lower, upper, epsilon, mechanism), in the unit of the value squared, as var_pop gives it. Epsilon-DP for one row added or removed: drawn as dp_variance, which divides by one less; next to one it is charged separately. Null and NaN are skipped; 0 to a quarter of (upper - lower)^2.'),
				('stddev_pop', '', true,
				 'Private standard deviation of values clamped to lower .. upper, over their number: (value, lower, upper, epsilon, mechanism), in the unit of the value, as stddev_pop gives it: the square root of a dp_var_pop. Epsilon-DP for one row added or removed; next to others it is charged separately. Null and NaN are skipped; never negative.'),
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
				WHEN 'var_pop' THEN type.variance
				WHEN 'stddev_pop' THEN type.variance
				WHEN 'quantiles' THEN type.value || '[]'
				ELSE type.value END;
			CONTINUE WHEN result IS NULL;
			IF kind.name IN ('sum', 'mean', 'variance', 'stddev', 'var_pop', 'stddev_pop') THEN
				state := CASE WHEN kind.name IN ('sum', 'mean') THEN 'dp_noise.sum_state' ELSE 'dp_noise.square_state' END;
				initial := CASE WHEN kind.name IN ('sum', 'mean') THEN 'INITCOND = ''(0,0)''' ELSE 'INITCOND = ''(0,0,0)''' END;
				combine := format('COMBINEFUNC = %s_combine', state);
				final := NULL;
			ELSE
				state := 'internal';
				initial := 'SSPACE = 256';
				combine := 'COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize';
				final := 'FINALFUNC = dp_noise.values_state_final' || noisy;
			END IF;
			final_function := kind.name || '_final_' || replace(type.value, ' ', '_');
			gate_final := CASE WHEN kind.name IN ('mean', 'variance', 'stddev', 'var_pop', 'stddev_pop') THEN kind.name || '_sums_final'
				ELSE final_function END;
			gate_result := CASE WHEN gate_final = final_function THEN ''
				ELSE ' The result is the noisy sums from which the answer is computed, as bytes.' END;
			CALL dp_noise.add_part(format('%s(%s)', final_function, state), result, 'VOLATILE',
				format('Adds the noise of the dp_ aggregate of that name over %s.', type.value), kind.name || '_final');

			-- The last is the gate's form for units of one row.
			FOR tail IN
				SELECT * FROM (VALUES
					('', false, false),
					(format(', lower %1$s, upper %1$s', type.bound), false, false),
					(format(', lower %1$s, upper %1$s, epsilon double precision', type.bound), false, false),
					(format(', lower %1$s, upper %1$s, epsilon double precision, mechanism text', type.bound), true, false),
					(format(', %1$s, %1$s, double precision, text, integer, boolean, boolean', type.bound), false, true)
				) AS t (arguments, named, gate)
			LOOP
				CONTINUE WHEN tail.named AND NOT kind.named;
				arguments := 'value ' || type.value || kind.extra || tail.arguments;
				CALL dp_noise.add_part(format('%s_transition(%s, %s)', kind.name, state, arguments), state, 'IMMUTABLE',
					'Adds a row to the state of the dp_ aggregate of that name.');
				-- Beneath a release points may be in files, which parallel workers cannot
				-- pass on.
				CALL dp_noise.add_aggregate(
					format('%s(%s)', CASE WHEN tail.gate THEN 'dp_noise.' || kind.name || '_of_rows'
						WHEN kind.name IN ('quantile', 'quantiles') THEN '@extschema@.dp_' || kind.name || '_exp'
						ELSE '@extschema@.dp_' || kind.name END, arguments),
					concat_ws(', ', format('SFUNC = dp_noise.%s_transition, STYPE = %s', kind.name, state), initial,
						CASE WHEN NOT tail.gate OR state <> 'internal' THEN combine END,
						'FINALFUNC = dp_noise.' || CASE WHEN tail.gate THEN gate_final ELSE final_function END || noisy),
					CASE WHEN tail.gate
						THEN 'The dp_ aggregate of that name as the gate runs it, a privacy unit being a row: (its arguments, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP.' || gate_result
						ELSE kind.comment END);
			END LOOP;

			-- Over privacy units of several rows, whose partial results are the
			-- last argument.
			arguments := format('%s%s, %3$s, %3$s, double precision, text, integer, integer, boolean, boolean, %4$s', type.value, kind.extra, type.bound,
				CASE WHEN state <> 'internal' THEN state WHEN kind.name IN ('max', 'min') THEN 'bigint' ELSE 'dp_noise.sample_state' END);
			CALL dp_noise.add_part(format('%s_of_units_transition(%s, %s)', kind.name, state, arguments), state, 'IMMUTABLE',
				'Adds a privacy unit''s contribution to the state of the dp_ aggregate of that name.');
			CALL dp_noise.add_aggregate(format('dp_noise.%s_of_units(%s)', kind.name, arguments),
				format('SFUNC = dp_noise.%s_of_units_transition, STYPE = %s, %s, FINALFUNC = dp_noise.%s', kind.name, state, initial, gate_final) || noisy,
				format('The dp_ aggregate of that name as the gate runs it over privacy units: (its arguments, the value null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s partial result: of dp_noise.%s). Epsilon-DP.%s',
					CASE WHEN kind.name IN ('sum', 'mean', 'variance') THEN kind.name || '_state'
						WHEN kind.name IN ('stddev', 'var_pop', 'stddev_pop') THEN 'variance_state'
						WHEN kind.name IN ('max', 'min') THEN kind.name || '_point'
						ELSE 'sample_points' END, gate_result));
			CALL dp_noise.add_aggregate(format('dp_noise.%s_of_units_state(%s)', kind.name, arguments),
				concat_ws(', ', format('SFUNC = dp_noise.%s_of_units_transition, STYPE = %s', kind.name, state), initial, final),
				format('The true state of dp_noise.%s_of_units, in steps of its answer, without noise. Not private.', kind.name));

			-- Of numbers, over sums of points that other nodes have computed.
			IF kind.name IN ('sum', 'mean') AND type.bound IN ('numeric', 'double precision') THEN
				arguments := format('%s, %2$s, %2$s, double precision, text, integer, integer, boolean, boolean, numeric, bigint', type.value, type.bound);
				CALL dp_noise.add_part(format('%s_of_parts_transition(%s, %s)', kind.name, state, arguments), state, 'IMMUTABLE',
					'Adds a sum and a number of grid points.', 'sum_of_parts_transition');
				CALL dp_noise.add_aggregate(format('dp_noise.%s_of_parts(%s)', kind.name, arguments),
					format('SFUNC = dp_noise.%s_of_parts_transition, STYPE = %s, %s, FINALFUNC = dp_noise.%s', kind.name, state, initial, gate_final) || noisy,
					format('The dp_ aggregate of that name as the gate runs it over what other nodes have added up: (its arguments, the value null, epsilon and mechanism or null, cap on rows of a unit or null where a privacy unit is a row, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the sum of values'' grid points or of units'' contributions, how many they are). Epsilon-DP.%s', gate_result));
				CALL dp_noise.add_aggregate(format('dp_noise.%s_of_parts_state(%s)', kind.name, arguments),
					format('SFUNC = dp_noise.%s_of_parts_transition, STYPE = %s, %s', kind.name, state, initial),
					format('The true state of dp_noise.%s_of_parts, in steps of its answer, without noise. Not private.', kind.name));
			END IF;

			-- Over different integers, each with the number of rows that have it.
			IF state = 'internal' AND type.value IN ('integer', 'bigint') THEN
				arguments := format('value %s%s, %3$s, %3$s, double precision, text, integer, boolean, boolean, bigint', type.value, kind.extra, type.bound);
				CALL dp_noise.add_part(format('%s_of_points_transition(%s, %s)', kind.name, state, arguments), state, 'IMMUTABLE',
					'Adds a number of rows that have the same value.');
				CALL dp_noise.add_aggregate(format('dp_noise.%s_of_points(%s)', kind.name, arguments),
					format('SFUNC = dp_noise.%s_of_points_transition, STYPE = %s, %s, FINALFUNC = dp_noise.%s', kind.name, state, initial, gate_final) || noisy,
					format('The dp_ aggregate of that name as the gate runs it over values that other nodes have counted: as dp_noise.%s_of_rows, and how many rows have the value. Epsilon-DP.', kind.name));
			END IF;

			-- The true state, from the same transition functions, without noise: for
			-- the others, as of dp_median, dp_variance and dp_quantile_exp.
			IF kind.name NOT IN ('median_exp', 'stddev', 'var_pop', 'stddev_pop', 'quantiles') THEN
				CALL dp_noise.add_aggregate(format('dp_noise.%s_state(%s%s, %4$s, %4$s)', kind.name, type.value, kind.extra, type.bound),
					concat_ws(', ', format('SFUNC = dp_noise.%s_transition, STYPE = %s', kind.name, state), initial, final, combine),
					'The true state of the dp_ aggregate of that name, in grid steps, without noise. Not private.');
			END IF;
		END LOOP;

		-- Partial results of a privacy unit.
		arguments := format('%s, %2$s, %2$s', type.value, type.bound);
		FOR kind IN
			SELECT * FROM (VALUES
				('max', 'greater', 'greatest', 'int8larger'),
				('min', 'less', 'least', 'int8smaller')
			) AS k (name, comparative, superlative, combine)
		LOOP
			CALL dp_noise.add_part(format('%s_point_transition(bigint, %s)', kind.name, arguments), 'bigint', 'IMMUTABLE',
				format('The value''s grid point, or the previous one if that is %s.', kind.comparative));
			CALL dp_noise.add_aggregate(format('dp_noise.%s_point(%s)', kind.name, arguments),
				format('SFUNC = dp_noise.%s_point_transition, STYPE = bigint, COMBINEFUNC = %s', kind.name, kind.combine),
				format('The %s grid point of a privacy unit''s values clamped to lower .. upper, null without values: (value, lower, upper). Not private.', kind.superlative));
		END LOOP;
		CALL dp_noise.add_part(format('sample_points_transition(dp_noise.sample_state, %s, integer)', arguments), 'dp_noise.sample_state', 'VOLATILE',
			'Adds a value''s grid point to a random choice.');
		CALL dp_noise.add_aggregate(format('dp_noise.sample_points(%s, integer)', arguments),
			'SFUNC = dp_noise.sample_points_transition, STYPE = dp_noise.sample_state, SSPACE = 64, COMBINEFUNC = dp_noise.sample_combine',
			'At most `number` of a privacy unit''s values, clamped to lower .. upper, as grid points, chosen uniformly at random (reservoir sampling on OpenSSL''s CSPRNG), null without values: (value, lower, upper, number). Not private.');
	END LOOP;
END
$install$;

-- Sums and means of different values, as units can name them: states of type
-- internal, so neither hashed nor split. The last of the arguments are the gate's.

DO $install$
DECLARE
	type record;
	kind record;
	tail record;
	result text;
	arguments text;
	final text;
	noisy CONSTANT text := ', FINALFUNC_MODIFY = read_write';
	state CONSTANT text := 'SFUNC = dp_noise.%s_distinct%s_transition, STYPE = internal, SSPACE = 512, FINALFUNC = dp_noise.%s';
BEGIN
	CALL dp_noise.add_part('mean_distinct_sums_final(internal)', 'bytea', 'VOLATILE',
		'Adds the noise of dp_mean_distinct: returns the noisy sums as dp_noise.mean_sums_final does.');
	FOR type IN
		SELECT * FROM (VALUES
			('smallint', 'numeric', 'bigint', 'numeric'),
			('integer', 'numeric', 'bigint', 'numeric'),
			('bigint', 'numeric', 'numeric', 'numeric'),
			('real', 'double precision', 'real', 'double precision'),
			('double precision', 'double precision', 'double precision', 'double precision'),
			('numeric', 'numeric', 'numeric', 'numeric'),
			('interval', 'interval', 'interval', 'interval')
		) AS t (value, bound, sum, mean)
	LOOP
		FOR kind IN
			SELECT * FROM (VALUES
				('sum', 'Private sum of different values, each once, clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as sum(DISTINCT) gives it. Epsilon-DP for one row added or removed, and for one value with all its rows; sensitivity max(|lower|, |upper|).'),
				('mean', 'Private mean of different values, each once, clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as avg(DISTINCT) gives it. Epsilon-DP for one row added or removed, and for one value with all its rows; drawn as dp_mean.')
			) AS k (name, comment)
		LOOP
			result := CASE kind.name WHEN 'sum' THEN type.sum ELSE type.mean END;
			final := format('%s_distinct_final_%s', kind.name, replace(type.value, ' ', '_'));
			CALL dp_noise.add_part(format('%s(internal)', final), result, 'VOLATILE',
				format('Adds up the different values that count, and adds the noise of dp_%s_distinct over %s.', kind.name, type.value), kind.name || '_distinct_final');
			FOR tail IN
				SELECT * FROM (VALUES
					('', '@extschema@.dp_%s_distinct', ''),
					(format(', lower %1$s, upper %1$s', type.bound), '@extschema@.dp_%s_distinct', ''),
					(format(', lower %1$s, upper %1$s, epsilon double precision', type.bound), '@extschema@.dp_%s_distinct', ''),
					(format(', lower %1$s, upper %1$s, epsilon double precision, mechanism text', type.bound), '@extschema@.dp_%s_distinct', ''),
					(format(', %1$s, %1$s, double precision, text, integer, boolean, boolean', type.bound), 'dp_noise.%s_distinct_of_rows',
					 'The dp_ aggregate of that name as the gate runs it, a privacy unit being a row: (its arguments, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP.')
				) AS t (arguments, name, comment)
			LOOP
				arguments := 'value ' || type.value || tail.arguments;
				CALL dp_noise.add_part(format('%s_distinct_transition(internal, %s)', kind.name, arguments), 'internal', 'IMMUTABLE', 'Adds a value.');
				CALL dp_noise.add_aggregate(format(tail.name || '(%s)', kind.name, arguments),
					format(state, kind.name, '', CASE WHEN kind.name = 'mean' AND tail.comment <> '' THEN 'mean_distinct_sums_final' ELSE final END) || noisy,
					CASE WHEN tail.comment <> '' THEN tail.comment || CASE kind.name WHEN 'mean' THEN ' The result is the noisy sums from which the answer is computed, as bytes.' ELSE '' END
						ELSE kind.comment || ' Over a protected relation each unit may name as many of its different values as of its rows count (max_rows_per_unit): of all sets of values that the units can name together, the one that comes first in an order of all values, '
							|| CASE kind.name WHEN 'sum' THEN 'those furthest from 0 first' ELSE 'in which great and small ones alternate' END
							|| '. A unit changes that set by at most as many values. Null and NaN are skipped.' END);
			END LOOP;
			arguments := format('%s, %2$s, %2$s, double precision, text, integer, integer, boolean, boolean, dp_noise.distinct_state', type.value, type.bound);
			CALL dp_noise.add_part(format('%s_distinct_of_units_transition(internal, %s)', kind.name, arguments), 'internal', 'IMMUTABLE',
				'Adds the different values of a privacy unit.');
			CALL dp_noise.add_aggregate(format('dp_noise.%s_distinct_of_units(%s)', kind.name, arguments),
				format(state, kind.name, '_of_units', CASE kind.name WHEN 'mean' THEN 'mean_distinct_sums_final' ELSE final END) || noisy,
				format('dp_%1$s_distinct as the gate runs it over privacy units: (its arguments, the value null, epsilon and mechanism or null, cap on values of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s values: of dp_noise.%1$s_distinct_points). Epsilon-DP.', kind.name)
				|| CASE kind.name WHEN 'mean' THEN ' The result is the noisy sums from which the answer is computed, as bytes.' ELSE '' END);
			IF type.value = 'smallint' THEN
				CALL dp_noise.add_part(format('%s_distinct_state_final(internal)', kind.name), 'dp_noise.sum_state', 'IMMUTABLE',
					format('The true sum and number of the values that count, in steps of the answer of dp_%s_distinct. Not private.', kind.name));
			END IF;
			CALL dp_noise.add_aggregate(format('dp_noise.%s_distinct_of_units_state(%s)', kind.name, arguments),
				format(state, kind.name, '_of_units', kind.name || '_distinct_state_final') || noisy,
				format('The true state of dp_noise.%s_distinct_of_units, in steps of its answer, without noise. Not private.', kind.name));
			arguments := format('%s, %2$s, %2$s', type.value, type.bound);
			CALL dp_noise.add_part(format('%s_distinct_points_transition(dp_noise.distinct_state, %s)', kind.name, arguments), 'dp_noise.distinct_state', 'IMMUTABLE',
				'Adds a value''s grid point to those of a privacy unit.');
			CALL dp_noise.add_aggregate(format('dp_noise.%s_distinct_points(%s)', kind.name, arguments),
				format('SFUNC = dp_noise.%s_distinct_points_transition, STYPE = dp_noise.distinct_state, SSPACE = 96, COMBINEFUNC = dp_noise.distinct_combine', kind.name),
				format('The different values of a privacy unit, clamped to lower .. upper, as grid points of dp_%s_distinct, null without values: (value, lower, upper). Of more than 16384, those with the least hashes. Not private.', kind.name));
		END LOOP;
	END LOOP;
END
$install$;

-- Correlation, covariance and regression: the answer has a column for each of
-- the server's aggregates of two values, by its name.

CREATE TYPE dp_noise.regression AS (corr double precision, covar_pop double precision, covar_samp double precision,
	regr_avgx double precision, regr_avgy double precision, regr_count bigint, regr_intercept double precision, regr_r2 double precision,
	regr_slope double precision, regr_sxx double precision, regr_sxy double precision, regr_syy double precision);
COMMENT ON TYPE dp_noise.regression IS 'The answer of dp_regression: what the server''s aggregates of these names give, all from the same noisy sums.';

CALL dp_noise.add_part('regression_final(dp_noise.pair_state)', 'dp_noise.regression', 'VOLATILE', 'Adds the noise of dp_regression.');
CALL dp_noise.add_part('regression_sums_final(dp_noise.pair_state)', 'bytea', 'VOLATILE',
	'Adds the noise of dp_regression: returns the nine noisy sums from which its answer is computed.');
DO $install$
DECLARE
	pair CONSTANT text := 'y double precision, x double precision';
	bounds CONSTANT text := ', lower_y double precision, upper_y double precision, lower_x double precision, upper_x double precision';
	of_row CONSTANT text := ', double precision, text, integer, boolean, boolean';
	of_unit CONSTANT text := ', double precision, text, integer, integer, boolean, boolean, dp_noise.pair_state';
	adds CONSTANT text := 'STYPE = dp_noise.pair_state, INITCOND = ''(0,0,0,0,0,0,0,0,0)''';
	combine CONSTANT text := 'COMBINEFUNC = dp_noise.pair_state_combine';
	form record;
BEGIN
	FOR form IN
		SELECT * FROM (VALUES
			('@extschema@.dp_regression', pair, 'regression_final'),
			('@extschema@.dp_regression', pair || bounds, 'regression_final'),
			('@extschema@.dp_regression', pair || bounds || ', epsilon double precision', 'regression_final'),
			('@extschema@.dp_regression', pair || bounds || ', epsilon double precision, mechanism text', 'regression_final'),
			('dp_noise.regression_of_rows', pair || bounds || of_row, 'regression_sums_final')
		) AS f (name, arguments, final)
	LOOP
		CALL dp_noise.add_part(format('regression_transition(dp_noise.pair_state, %s)', form.arguments), 'dp_noise.pair_state', 'IMMUTABLE',
			'Adds a row to the state of dp_regression.');
		CALL dp_noise.add_aggregate(format('%s(%s)', form.name, form.arguments),
			format('SFUNC = dp_noise.regression_transition, %s, %s, FINALFUNC = dp_noise.%s, FINALFUNC_MODIFY = read_write', adds, combine, form.final),
			CASE form.name WHEN 'dp_noise.regression_of_rows'
				THEN 'dp_regression as the gate runs it, a privacy unit being a row: (its arguments, epsilon and mechanism or null, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho). Epsilon-DP. The result is the noisy sums from which the answer is computed, as bytes.'
				ELSE 'Private correlation, covariance and linear regression of y on x, clamped to their bounds, over rows in which neither is null or NaN: (y, x, lower_y, upper_y, lower_x, upper_x, epsilon, mechanism), as a row of type dp_noise.regression with a column for each of the server''s corr, covar_pop, covar_samp and regr_ aggregates. Epsilon-DP for one row added or removed, for all of them together: noise on nine sums, whose joint L1 sensitivity is that of one row. Default Laplace, at large epsilon staircase. For n rows the covariance errs by a standard deviation of about 0.7 (upper_y - lower_y)(upper_x - lower_x) / (n epsilon). Null where the noisy number of rows is not positive, or a noisy variance that is divided by is 0.'
			END);
	END LOOP;
	CALL dp_noise.add_part(format('regression_of_units_transition(dp_noise.pair_state, %s%s%s)', pair, bounds, of_unit), 'dp_noise.pair_state', 'IMMUTABLE',
		'Adds a privacy unit''s contribution to the state of dp_regression.');
	CALL dp_noise.add_aggregate(format('dp_noise.regression_of_units(%s%s%s)', pair, bounds, of_unit),
		format('SFUNC = dp_noise.regression_of_units_transition, %s, FINALFUNC = dp_noise.regression_sums_final, FINALFUNC_MODIFY = read_write', adds),
		'dp_regression as the gate runs it over privacy units: (its arguments, the values null, epsilon and mechanism or null, cap on rows of a unit, groups of a unit or 0 without groups, whether units are substituted, whether all who pay count rho, the unit''s partial result: of dp_noise.regression_state). Epsilon-DP. The result is the noisy sums from which the answer is computed, as bytes.');
	CALL dp_noise.add_aggregate(format('dp_noise.regression_of_units_state(%s%s%s)', pair, bounds, of_unit),
		'SFUNC = dp_noise.regression_of_units_transition, ' || adds,
		'The true state of dp_noise.regression_of_units, in steps of its answer, without noise. Not private.');
	CALL dp_noise.add_aggregate(format('dp_noise.regression_state(%s%s)', pair, bounds),
		format('SFUNC = dp_noise.regression_transition, %s, %s', adds, combine),
		'The true state of dp_regression, and a privacy unit''s partial result for it, without noise. Not private.');
END
$install$;

-- Maxima and minima of texts: indexes in the order of declared values.

DO $install$
DECLARE
	kind record;
	-- arguments after the texts; the last are those of the gate's forms
	tail record;
	arguments text;
	combine text := 'COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize';
	state text := 'SFUNC = dp_noise.%s_transition, STYPE = internal, SSPACE = 256, FINALFUNC = dp_noise.%s, FINALFUNC_MODIFY = read_write';
BEGIN
	FOR kind IN
		SELECT * FROM (VALUES
			('max', 'greatest', 'int8larger', 'Private maximum of texts, among declared values in byte order: (value, values, epsilon, mechanism), one of the 1 to 100000 values in the array. Epsilon-DP for one row added or removed, like dp_max of the positions of the values in that order. Null and values that are not declared are skipped.'),
			('min', 'least', 'int8smaller', 'Private minimum of texts, among declared values in byte order: (value, values, epsilon, mechanism), like dp_max of texts. Epsilon-DP for one row added or removed.')
		) AS k (name, superlative, combine, comment)
	LOOP
		CALL dp_noise.add_part(kind.name || '_final_text(internal)', 'text', 'VOLATILE',
			format('Selects the answer of dp_%s over texts.', kind.name), kind.name || '_final');
		CALL dp_noise.add_part(kind.name || '_point_transition(bigint, text, text[])', 'bigint', 'IMMUTABLE',
			format('The position of a text among the declared ones, or the previous one if that is the %s.', kind.superlative));
		CALL dp_noise.add_aggregate(format('dp_noise.%s_point(text, text[])', kind.name),
			format('SFUNC = dp_noise.%s_point_transition, STYPE = bigint, COMBINEFUNC = %s', kind.name, kind.combine),
			format('The %s position of a privacy unit''s texts among the declared ones, null without such texts: (value, values). Not private.', kind.superlative));
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
			CALL dp_noise.add_part(format('%s%s_transition(internal, %s)', kind.name, tail.transition, arguments), 'internal', 'IMMUTABLE',
				format('Adds a row, or a privacy unit''s contribution, to the state of dp_%s.', kind.name));
			CALL dp_noise.add_aggregate(format('%s%s%s(%s)', tail.schema, kind.name, tail.form, arguments),
				concat_ws(', ', format(state, kind.name || tail.transition, kind.name || '_final_text'), CASE WHEN NOT tail.gate THEN combine END),
				CASE WHEN tail.gate THEN 'dp_' || kind.name || ' of texts as the gate runs it. Epsilon-DP.' ELSE kind.comment END);
		END LOOP;
		CALL dp_noise.add_aggregate(
			format('dp_noise.%s_of_units_state(text, text[], double precision, text, integer, integer, boolean, boolean, bigint)', kind.name),
			format(state, kind.name || '_of_units', 'values_state_final'),
			format('The true state of dp_noise.%s_of_units over texts, without noise. Not private.', kind.name));
	END LOOP;
END
$install$;

-- Values of type money are refused, with a hint: their meaning depends on a
-- setting of the session.

CALL dp_noise.add_part('money_transition(bigint, money, VARIADIC "any")', 'bigint', 'VOLATILE', 'Always an error.', 'refuse_money');
CALL dp_noise.add_part('money_transition(bigint, money)', 'bigint', 'VOLATILE', 'Always an error.', 'refuse_money');
CALL dp_noise.add_part('money_final(bigint)', 'bigint', 'VOLATILE', 'Always an error.', 'refuse_money');
DO $install$
DECLARE
	name text;
	arguments text;
BEGIN
	FOREACH name IN ARRAY ARRAY['sum', 'sum_distinct', 'mean', 'mean_distinct', 'variance', 'stddev', 'var_pop', 'stddev_pop', 'max', 'min', 'median', 'median_exp', 'quantile_exp', 'quantiles_exp', 'bounds']
	LOOP
		FOREACH arguments IN ARRAY ARRAY['money', 'money, VARIADIC "any"'] LOOP
			CALL dp_noise.add_aggregate(format('@extschema@.dp_%s(%s)', name, arguments),
				'SFUNC = dp_noise.money_transition, STYPE = bigint, COMBINEFUNC = int8pl, FINALFUNC = dp_noise.money_final, FINALFUNC_MODIFY = read_write',
				'Refuses values of type money, with a hint.');
		END LOOP;
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- The aggregates that count by category

DO $install$
DECLARE
	-- the type of the values, and what declares them
	domain record;
	-- arguments after those; the last are those of the gate's forms
	tail record;
	arguments text;
	transition text;
	state text;
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
			transition := CASE WHEN tail.of_rows THEN 'mode_transition' ELSE 'mode_of_units_transition' END;
			state := format('SFUNC = dp_noise.%s, STYPE = internal, SSPACE = 256', transition) || CASE WHEN tail.of_rows
				THEN ', COMBINEFUNC = dp_noise.counts_combine, SERIALFUNC = dp_noise.counts_serialize, DESERIALFUNC = dp_noise.counts_deserialize' ELSE '' END;
			CALL dp_noise.add_part(format('%s(internal, %s)', transition, arguments), 'internal', 'IMMUTABLE',
				'Adds a row, or the chosen rows of a privacy unit, to the state of dp_mode.');
			CALL dp_noise.add_part(format('mode_final(internal, %s)', arguments), domain.result, 'VOLATILE', 'Selects the answer of dp_mode.');
			CALL dp_noise.add_aggregate(format('%s(%s)', tail.name, arguments),
				state || ', FINALFUNC = dp_noise.mode_final, FINALFUNC_EXTRA, FINALFUNC_MODIFY = read_write',
				COALESCE(tail.comment, domain.comment || ' Epsilon-DP for one row added or removed; a count changes by at most 1. Default permute_and_flip, drawn exactly (McKenna and Sheldon 2020); exponential, abstract_staircase (Geng and Viswanath). Null is skipped; without rows, a uniformly random one of the values.'));
			IF tail.arguments = '' OR NOT tail.of_rows THEN
				CALL dp_noise.add_aggregate(format('dp_noise.%s(%s)', replace(transition, 'transition', 'state'), arguments),
					state || ', FINALFUNC = dp_noise.counts_state_final',
					'The true state of the aggregate of that name, a count for each value, without noise. Not private.');
			END IF;
		END LOOP;
		CALL dp_noise.add_part(format('sample_categories_transition(dp_noise.sample_state, %s, integer)', domain.arguments), 'dp_noise.sample_state', 'VOLATILE',
			'Adds the index of a value, among those that dp_mode chooses from, to a random choice.');
		CALL dp_noise.add_aggregate(format('dp_noise.sample_categories(%s, integer)', domain.arguments),
			'SFUNC = dp_noise.sample_categories_transition, STYPE = dp_noise.sample_state, SSPACE = 64, COMBINEFUNC = dp_noise.sample_combine',
			'At most `number` of a privacy unit''s values among those that dp_mode chooses from, chosen uniformly at random (reservoir sampling on OpenSSL''s CSPRNG), null without such values: (value and values as of dp_mode, number). Not private.');
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
	transition text;
	state text;
	final text;
BEGIN
	FOREACH value IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric',
		'date', 'timestamp', 'timestamptz', 'time', 'interval']
	LOOP
		final := 'bounds_final_' || replace(value, ' ', '_');
		CALL dp_noise.add_part(final || '(internal)', value || '[]', 'VOLATILE',
			format('Adds noise to the counts of dp_bounds over %s, and returns bounds between which there are values.', value), 'bounds_final');
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
			transition := CASE WHEN tail.of_rows THEN 'bounds_transition' ELSE 'bounds_of_units_transition' END;
			state := format('SFUNC = dp_noise.%s, STYPE = internal, SSPACE = 4096', transition) || CASE WHEN tail.of_rows
				THEN ', COMBINEFUNC = dp_noise.counts_combine, SERIALFUNC = dp_noise.counts_serialize, DESERIALFUNC = dp_noise.counts_deserialize' ELSE '' END;
			CALL dp_noise.add_part(format('%s(internal, %s)', transition, arguments), 'internal', 'IMMUTABLE',
				'Counts a value, or those of a privacy unit, in their bins.');
			CALL dp_noise.add_aggregate(format('%s(%s)', tail.name, arguments), format('%s, FINALFUNC = dp_noise.%s, FINALFUNC_MODIFY = read_write', state, final),
				COALESCE(tail.comment, 'Private bounds for values about which nothing is known: (value, epsilon), like dp_bounds(value), with an epsilon of their own. Epsilon-DP for one row added or removed.'));
			IF tail.arguments = '' OR NOT tail.of_rows THEN
				CALL dp_noise.add_aggregate(format('dp_noise.%s(%s)', replace(transition, 'transition', 'state'), arguments),
					state || ', FINALFUNC = dp_noise.counts_state_final',
					'The true state of the aggregate of that name, a count for each bin, without noise. Not private.');
			END IF;
		END LOOP;
		CALL dp_noise.add_part(format('sample_bins_transition(dp_noise.sample_state, %s, integer)', value), 'dp_noise.sample_state', 'VOLATILE',
			'Adds a value''s bin to a random choice.');
		CALL dp_noise.add_aggregate(format('dp_noise.sample_bins(%s, integer)', value),
			'SFUNC = dp_noise.sample_bins_transition, STYPE = dp_noise.sample_state, SSPACE = 64, COMBINEFUNC = dp_noise.sample_combine',
			'At most so many of a privacy unit''s values, as bins of dp_bounds, each choice of that size with the same probability (reservoir sampling on OpenSSL''s CSPRNG), null without values: (value, number). Not private.');
	END LOOP;
END
$install$;

DROP PROCEDURE dp_noise.add_part(text, text, text, text, text), dp_noise.add_aggregate(text, text, text);
