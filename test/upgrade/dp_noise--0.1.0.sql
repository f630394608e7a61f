/*
 * schema.sql
 *		Objects of the extension: CREATE EXTENSION dp_noise runs this.
 *
 * Objects for everyone are in the extension's schema (@extschema@), objects for
 * the DBA and the parts of the aggregates in the schema dp_noise, and the ledger's
 * tables in dp_noise_ledger.
 */
\echo Use "CREATE EXTENSION dp_noise" to load this file. \quit

-- Names and operators without a schema are the server's own, whatever others
-- put into the extension's schema. An operator oid = regclass, for example,
-- would be found there first, since the server has one only through a cast.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA dp_noise;
COMMENT ON SCHEMA dp_noise IS 'Private aggregate queries: objects for the DBA, and the parts of the dp_ aggregates.';
REVOKE ALL ON SCHEMA dp_noise FROM PUBLIC;
GRANT USAGE ON SCHEMA dp_noise TO PUBLIC;

-- The library may be older than this script: one that the server was started with.
CREATE FUNCTION dp_noise.library_version() RETURNS text
AS 'MODULE_PATHNAME', 'dp_library_version' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.library_version() IS 'The version of the library that this session runs. The extension should be of the same.';

DO $$
DECLARE
	script CONSTANT text := (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'dp_noise');
	library CONSTANT text := dp_noise.library_version();
BEGIN
	IF string_to_array(library, '.')::integer[] < string_to_array(script, '.')::integer[] THEN
		RAISE object_not_in_prerequisite_state USING
			MESSAGE = format('the server runs dp_noise %s, and the extension is to be version %s', library, script),
			HINT = 'Restart the server: it runs the library that it was started with. If that is still the old one, install the new one.';
	END IF;
END
$$;

-- The ledger's tables, sequences and identities. Many commands lock a table
-- before they check privileges. In a schema that nobody else may use, no name
-- leads to a table, so that nobody can hold up the charges of others.
CREATE SCHEMA dp_noise_ledger;
COMMENT ON SCHEMA dp_noise_ledger IS
'The tables of dp_noise''s ledger, which only its functions and the ledger worker write. Superusers may read them.';
REVOKE ALL ON SCHEMA dp_noise_ledger FROM PUBLIC;

-- A function X that does what its caller has no rights for is entered in C, which
-- checks the caller and calls the body, do_X. X is declared here from its body, whose
-- parameters say who may call it. First a relation: its owner. Or a population: its
-- owner. Or the caller or reader, whom only the body is told: everybody, about what
-- is theirs, as the current user; read_own_... as the session's. A body that is
-- STABLE only reads. Dropped at the end (settings.sql).
CREATE PROCEDURE dp_noise.add_entry(name text) LANGUAGE plpgsql
AS $$
DECLARE
	body CONSTANT pg_proc := (SELECT p FROM pg_proc AS p WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.proname = 'do_' || name);
	parameters CONSTANT text := pg_get_function_arguments(body.oid);
BEGIN
	EXECUTE format('CREATE FUNCTION dp_noise.%s(%s) RETURNS %s AS ''MODULE_PATHNAME'', %L LANGUAGE C %s', name,
		regexp_replace(parameters, '^(caller|reader) oid(, )?', ''), pg_get_function_result(body.oid),
		CASE body.provolatile WHEN 's' THEN 'dp_read_as_' ELSE 'dp_as_' END
			|| CASE WHEN parameters ^@ 'relation regclass' THEN 'owner' WHEN parameters ~ '\mpopulation text\M' THEN 'population_owner'
				WHEN name ^@ 'read_own_' THEN 'session' ELSE 'user' END,
		concat_ws(' ', CASE body.provolatile WHEN 's' THEN 'STABLE PARALLEL RESTRICTED' ELSE 'VOLATILE PARALLEL UNSAFE' END,
			'ROWS ' || nullif(body.prorows, 0)));
END
$$;
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
/*
 * planning.sql
 *		Functions for planning: errors, losses, risk.
 */

------------------------------------------------------------------------------
-- Planning: functions for choosing epsilon and mechanisms

CREATE FUNCTION @extschema@.dp_expected_error(
	mechanism text, epsilon double precision, sensitivity double precision DEFAULT 1, OUT mean_absolute double precision,
	OUT root_mean_square double precision, OUT half_width_95 double precision
)
AS 'MODULE_PATHNAME', 'dp_expected_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_expected_error(text, double precision, double precision) IS
'Error to expect of additive noise, in the unit of the sensitivity: E|X|, sqrt(E X^2), and the least w with P(|X| <= w) >= 0.95. Mechanisms: laplace, geometric(quantum=...), staircase(gamma=..., cost=...), discrete_staircase, gaussian(delta=...), two_stage(levels=...); geometric and discrete_staircase need an integer sensitivity, and an integer quantum. For two_stage the error is that of a mean, over bounds twice the sensitivity apart. epsilon 2^-20 .. 1000000. For truncated mechanisms it is an upper limit; where the answer is rounded, it is the error of the least favourable one. Sources: Geng and Viswanath (44), (51); Ghosh, Roughgarden, Sundararajan; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION @extschema@.dp_expected_loss(
	mechanism text, epsilon double precision, sensitivity double precision DEFAULT 1, loss text DEFAULT 'absolute',
	prior double precision[] DEFAULT NULL, upper integer DEFAULT NULL, remap boolean DEFAULT false
) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_expected_loss' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.dp_expected_loss(text, double precision, double precision, text, double precision[], integer, boolean) IS
'Expected loss of a private answer: absolute |answer - truth|, squared, or binary (1 unless the answer is the truth). Mechanisms as for dp_expected_error, epsilon 2^-20 .. 1000000; null without mechanism, epsilon, sensitivity, loss or remap. Without prior and upper: the loss of the noise alone, in the worst case over all answers, in the unit of the sensitivity. upper (1 .. 10000): the worst case over counts of 0 .. upper (OPT2). prior (2 .. 10001 weights, 0 or more, of the counts 0, 1, 2, ...): the expected loss under that prior (OPT1), and with remap the expected loss after dp_remap. For counts, answers are integers: laplace, staircase and gaussian, which are real, are rounded (dp_count draws them on integers: write geometric or discrete_staircase for those). Truncated mechanisms are clamped to 0 .. n, two_stage has its levels there, and the sensitivity is at most 2^20. Accurate to about 9 digits. Sources: Chen, Pal, Golubchik 4 and 5, (11)-(15); Ghosh, Roughgarden, Sundararajan; Gupte, Sundararajan.';

CREATE FUNCTION @extschema@.dp_remap(
	answer double precision, mechanism text, epsilon double precision, sensitivity double precision, prior double precision[],
	loss text DEFAULT 'absolute'
) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_remap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.dp_remap(double precision, text, double precision, double precision, double precision[], text) IS
'The best guess at the true count of 0 .. n, given a private answer and a prior (weights of 0, 1, 2, ..., n): the median (absolute loss), mean (squared) or mode (binary) of the posterior; of several, the lowest. This is post-processing: it costs no epsilon, and is as private as the answer. mechanism, epsilon, sensitivity: those of the answer. dp_expected_loss(..., remap => true) is the remaining loss; with geometric noise it is the least of all epsilon-DP mechanisms. An answer counts as the nearest one that the mechanism can give. Sources: Ghosh, Roughgarden, Sundararajan 2009; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION @extschema@.dp_collusion_loss(
	mechanism text, epsilon double precision, colluders integer, OUT trend double precision, OUT attack double precision
)
AS 'MODULE_PATHNAME', 'dp_collusion_loss' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.dp_collusion_loss(text, double precision, integer) IS
'Expected absolute error of colluders (1 .. 1000000) who combine independent answers to one question of sensitivity 1, each with this epsilon (2^-20 .. 1000000). trend: sqrt(2 / (pi colluders)) times the loss of one answer (Chen, Pal, Golubchik (16), (17); (18), for geometric, is read as that factor times (13)). attack: the error of a known attack. For laplace, geometric and discrete_staircase it is the median, computed exactly: counts are soon known for certain. For staircase it is the median of the posterior, whose error falls as 1 / colluders: simulated with a fixed seed for up to 1000 colluders (to about 2%), and by scaling laws for more (to about 5%). Truncated forms count as the forms without truncation. Not for gaussian, two_stage or a quantum. A shared budget (dp_noise.set_budget) bounds what all its members learn together.';

CREATE FUNCTION @extschema@.dp_epsilon_for_colluders(
	epsilon double precision, colluders integer, mechanism text DEFAULT 'laplace', OUT composition double precision,
	OUT trend double precision
)
AS 'MODULE_PATHNAME', 'dp_epsilon_for_colluders' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_epsilon_for_colluders(double precision, integer, text) IS
'The epsilon to give each of several analysts (colluders, 1 .. 1000000), so that all of them together learn as much as one with epsilon (2^-20 .. 1000000). composition: epsilon / colluders, which is a guarantee. trend: the epsilon at which the trend of dp_collusion_loss equals the loss of one answer with epsilon. This is NO guarantee: it is about one statistic, the median, and does not hold for the staircase and for counts. Mechanisms as for dp_collusion_loss. Sources: sequential composition; Chen, Pal, Golubchik (16)-(18).';

CREATE FUNCTION @extschema@.dp_disclosure_risk(epsilon double precision, prior double precision) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_disclosure_risk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_disclosure_risk(double precision, double precision) IS
'The greatest probability that an adversary can come to assign to a statement about one person, such as that she is in the table: 1 / (1 + (1 - prior) / prior * exp(-epsilon)). epsilon: the sum over all answers (what the ledger shows as spent), 0 or more; prior: the probability before, above 0 and below 1. For a value of a person who is known to be in the table, under add_remove neighbours, give twice epsilon. A delta is added to it. Sources: Bayes; Lee and Clifton 2011.';

CREATE FUNCTION @extschema@.dp_epsilon_for_risk(risk double precision, prior double precision) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_epsilon_for_risk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_epsilon_for_risk(double precision, double precision) IS
'The greatest epsilon, for all answers together, whose dp_disclosure_risk does not exceed risk: ln(risk / (1 - risk)) - ln(prior / (1 - prior)). Both are above 0 and below 1, and risk is above prior. For a value of a person who is known to be in the table, under add_remove neighbours, take half of it.';

CREATE FUNCTION dp_noise.sample(mechanism text, epsilon double precision, sensitivity double precision, n bigint)
RETURNS SETOF double precision
AS 'MODULE_PATHNAME', 'dp_sample' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) IS
'Draws n values of noise in the unit of the sensitivity, for testing and teaching. Mechanisms as for dp_expected_error. Superusers only.';
/*
 * local.sql
 *		Local noise: values that are randomised one by one, before they are
 *		stored, and estimates of how often each occurred.
 */

------------------------------------------------------------------------------
-- Local noise

CREATE FUNCTION @extschema@.dp_randomize(value anyelement, domain anyarray, epsilon double precision) RETURNS anyelement
AS 'MODULE_PATHNAME', 'dp_randomize' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_randomize(anyelement, anyarray, double precision) IS
'A randomised response for one value, to be stored in its place: a value of domain, the true one with probability e^epsilon / (e^epsilon + k - 1), each other with 1 / (e^epsilon + k - 1), of k values. Epsilon-DP in the local model: whoever reads the response, and nothing else, can hardly tell any two values apart; each further response for the same value or the same person adds its epsilon. It needs no budget and is charged to none. The user who runs the statement, the server and its logs see the true value: draw on the client where they are not trusted. domain: 2 .. 100000 different values, NULL among them or not; domain and epsilon (2^-20 .. 1000000) must not depend on the value. A value outside of domain, even NULL, raises no error: its response is uniform over domain. Errors: invalid_parameter_value, null_value_not_allowed (domain, epsilon), undefined_function (no equality). Exact: integer arithmetic only. Sources: Warner 1965; Kairouz, Oh, Viswanath 2014.';

CREATE FUNCTION @extschema@.dp_randomize_bits(value anyelement, domain anyarray, epsilon double precision, encoding text DEFAULT 'optimal')
RETURNS bit varying
AS 'MODULE_PATHNAME', 'dp_randomize_bits' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_randomize_bits(anyelement, anyarray, double precision, text) IS
'A randomised response for one value in bits, one for each value of domain: better than dp_randomize where domain has more than about 3 e^epsilon + 2 values. encoding optimal: the bit of the true value is 1 with probability 1/2, each other with 1 / (1 + e^epsilon); symmetric: 1 for the true value alone, then each bit flipped with probability 1 / (1 + e^(epsilon/2)), which can be stored and reported by dp_report_bits. Epsilon-DP in the local model, like dp_randomize, with the same parameters, errors and limits; a value outside of domain, even NULL, has no bit. Sources: Erlingsson, Pihur, Korolova 2014 (RAPPOR, one hash for each value); Wang, Blocki, Li, Jha 2017.';

CREATE FUNCTION @extschema@.dp_report_bits(bits bit varying, epsilon double precision, report_epsilon double precision) RETURNS bit varying
AS 'MODULE_PATHNAME', 'dp_report_bits' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_report_bits(bit varying, double precision, double precision) IS
'A report of a stored response, for clients that report the same value again and again: the bits that dp_randomize_bits(..., epsilon, ''symmetric'') drew once, each flipped again at random so that one report is report_epsilon-DP. All reports of one stored response together are epsilon-DP, however many. report_epsilon: 2^-20 or more, less than epsilon. Errors: invalid_parameter_value. Source: Erlingsson, Pihur, Korolova 2014 (RAPPOR''s instantaneous response).';

CREATE FUNCTION @extschema@.dp_randomized_counts(reported anyarray, domain anyarray, epsilon double precision, counts bigint[] DEFAULT NULL)
RETURNS TABLE (value anyelement, reports bigint, estimate double precision, standard_error double precision)
AS 'MODULE_PATHNAME', 'dp_randomized_counts' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_randomized_counts(anyarray, anyarray, double precision, bigint[]) IS
'Estimates how often each value of domain was the true one, from responses of dp_randomize: (reported: the responses; domain and epsilon as they were for dp_randomize; counts: the number of occurrences of each of reported, if not 1). estimate is unbiased, may be negative and need not be an integer; standard_error is the root of an unbiased estimate of its variance. Values that were outside of domain add equally to all values. Do not clamp estimates before you add them up. Post-processing: it costs nothing and needs no budget. Errors: invalid_parameter_value (a report that is not in domain; parameters), null_value_not_allowed.';

CREATE FUNCTION @extschema@.dp_randomized_bit_counts(
	reported bit varying[], domain anyarray, epsilon double precision, encoding text DEFAULT 'optimal',
	report_epsilon double precision DEFAULT NULL, counts bigint[] DEFAULT NULL
) RETURNS TABLE (value anyelement, reports bigint, estimate double precision, standard_error double precision)
AS 'MODULE_PATHNAME', 'dp_randomized_bit_counts' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_randomized_bit_counts(bit varying[], anyarray, double precision, text, double precision, bigint[]) IS
'The same from the bits of dp_randomize_bits, or with report_epsilon from those of dp_report_bits: (reported, domain, epsilon and encoding as they were there, report_epsilon, counts: the number of occurrences of each of reported, if not 1). Values that were outside of domain add to none. estimate and standard_error, and errors, as for dp_randomized_counts.';
/*
 * place.sql
 *		Where the ledger was written. One that was restored, copied or promoted may
 *		lack charges, and must not continue unnoticed.
 */

-- The ledger's first table: see src/ledger/locks.c. A dump contains its rows,
-- which name another place than the row that CREATE EXTENSION makes before they
-- are restored.
CREATE TABLE dp_noise_ledger.place (
	system_identifier bigint NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	database_name name NOT NULL,
	extension oid NOT NULL,
	seal text,
	backup text,
	since timestamptz NOT NULL DEFAULT pg_catalog.now(),
	is_accepted boolean NOT NULL
);
-- It has no key, and a publication FOR ALL TABLES shall not make it read-only.
ALTER TABLE dp_noise_ledger.place REPLICA IDENTITY FULL;
COMMENT ON TABLE dp_noise_ledger.place IS
'Where the ledger was written: cluster, timeline, database with its seal, extension, and the base backup that the server was started from. Rows with is_accepted false are places where the ledger worker found the ledger later; they are kept so that it logs each of them once. Unless charges may be missing, all rows are of the present place.';

-- Whoever creates a database chooses its oid and its name, and copies the files of
-- another one. So the ledger's place is known by a seal, a random number among
-- the settings of the database. Those are in a shared catalogue: CREATE DATABASE
-- copies none, DROP DATABASE removes them, and base backups, standbys, pg_upgrade,
-- a new name and another tablespace take them along. Only superusers may set the
-- parameter. A security label would do, too, but restoring one fails where its
-- provider is not preloaded, and pg_upgrade with it.
CREATE FUNCTION dp_noise.present_seal() RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT substr(c.setting, length('dp_noise.database_seal=') + 1)
	FROM pg_database AS d JOIN pg_db_role_setting AS s ON s.setdatabase = d.oid AND s.setrole = 0
	CROSS JOIN LATERAL unnest(s.setconfig) AS c (setting)
	WHERE d.datname = current_database() AND c.setting ^@ 'dp_noise.database_seal='
$$;
COMMENT ON FUNCTION dp_noise.present_seal() IS
'The seal of this database, which nobody but a superuser can give to another one; null if it has none, as a copy of a database.';

CREATE FUNCTION dp_noise.present_place(
	OUT system_identifier bigint, OUT timeline bigint, OUT database oid, OUT database_name name, OUT extension oid, OUT backup text
)
AS 'MODULE_PATHNAME', 'dp_present_place' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.present_place() IS
'The present place of the ledger, as a row of dp_noise_ledger.place; timeline null on a standby, backup null where the server was not started from one.';

CREATE FUNCTION dp_noise.place_changes(place dp_noise_ledger.place) RETURNS text LANGUAGE plpgsql STABLE
AS $$
DECLARE
	present CONSTANT record := dp_noise.present_place();
BEGIN
	-- A standby follows its primary. Renaming a database loses nothing.
	IF pg_is_in_recovery() THEN
		RETURN NULL;
	END IF;
	RETURN nullif(concat_ws(', ',
		CASE WHEN place.system_identifier <> present.system_identifier
			THEN format('cluster %s, now %s', place.system_identifier, present.system_identifier) END,
		CASE WHEN place.timeline <> present.timeline
			THEN format('timeline %s, now %s', place.timeline, present.timeline) END,
		CASE WHEN place.database <> present.database
			THEN format('database %I (%s), now %I (%s)', place.database_name, place.database, present.database_name, present.database)
			WHEN place.extension = present.extension AND place.seal IS DISTINCT FROM dp_noise.present_seal()
			THEN format('database %I (%s), now one without its seal', place.database_name, place.database) END,
		CASE WHEN place.extension <> present.extension
			THEN format('extension %s, now %s', place.extension, present.extension) END,
		CASE WHEN present.backup <> coalesce(place.backup, '')
			THEN format('started from the base backup of %s', present.backup) END), '');
END
$$;
COMMENT ON FUNCTION dp_noise.place_changes(dp_noise_ledger.place) IS
'What has changed since the ledger was written in its place; null if nothing has. Null on a standby.';

CREATE FUNCTION dp_noise.is_displaced() RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (SELECT FROM dp_noise_ledger.place AS l WHERE l.is_accepted AND dp_noise.place_changes(l) IS NOT NULL)
$$;
COMMENT ON FUNCTION dp_noise.is_displaced() IS
'Whether the ledger was written elsewhere, so that charges may be missing, and nobody has accepted that.';

-- Whoever has CREATEDB may copy a database that they own, or a template, as often
-- as they like. A restore is a superuser's, who may want the charges to continue:
-- CREATE EXTENSION has sealed the database that it goes to.
CREATE FUNCTION dp_noise.is_copy() RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT NOT pg_is_in_recovery() AND NOT EXISTS (
		SELECT FROM dp_noise_ledger.place AS l WHERE l.seal = dp_noise.present_seal())
$$;
COMMENT ON FUNCTION dp_noise.is_copy() IS
'Whether this database was made from another one of the server (CREATE DATABASE ... TEMPLATE), whose budgets it has a second time, and no superuser has accepted that. Nothing is charged here until then. Also true if a superuser has removed the seal (ALTER DATABASE ... RESET ALL). False on a standby.';

CREATE FUNCTION dp_noise.add_place(is_accepted boolean) RETURNS void LANGUAGE sql VOLATILE
AS $$
	INSERT INTO dp_noise_ledger.place (system_identifier, timeline, database, database_name, extension, seal, backup, is_accepted)
	SELECT p.system_identifier, p.timeline, p.database, p.database_name, p.extension, dp_noise.present_seal(), p.backup, add_place.is_accepted
	FROM dp_noise.present_place() AS p;
	SELECT dp_noise.start_numbers()
$$;
COMMENT ON FUNCTION dp_noise.add_place(boolean) IS
'Records the present place: (whether it is that of the ledger). Numbers begin anew, somewhere else: where the ledger was before, it may go on as well.';

CREATE FUNCTION dp_noise.seal_database(seal text) RETURNS void
AS 'MODULE_PATHNAME', 'dp_seal_database' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.seal_database(text) IS
'Seals this database: ALTER DATABASE ... SET dp_noise.database_seal. With the rights of its caller, who must be a superuser.';

-- Another seal each time: what has the old one is another ledger.
CREATE FUNCTION dp_noise.set_place() RETURNS void LANGUAGE sql VOLATILE
AS $$
	SELECT dp_noise.seal_database(gen_random_uuid()::text);
	DELETE FROM dp_noise_ledger.place;
	SELECT dp_noise.add_place(true)
$$;
COMMENT ON FUNCTION dp_noise.set_place() IS
'Seals the database, and records the present place as that of the ledger. For dp_noise.accept_timeline and the ledger worker.';

-- A copy of a database has its budgets twice, and the privilege as well. Whoever
-- owns one and may copy it shall not have two.
CREATE FUNCTION dp_noise.do_accept_timeline(caller oid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	IF dp_noise.is_copy() AND NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = caller) THEN
		RAISE EXCEPTION 'must be superuser to continue the ledger in a copy of its database'
			USING ERRCODE = 'insufficient_privilege', HINT = 'Ask a superuser. The copy has all that is left of the budgets once more.';
	END IF;
	PERFORM dp_noise.set_place();
END
$$;
CALL dp_noise.add_entry('accept_timeline');
COMMENT ON FUNCTION dp_noise.accept_timeline() IS
'Declares that the ledger continues here, after a promotion, a restore, a copy of the database or pg_upgrade: dp_noise.check() no longer reports it, and dp_noise.on_new_timeline refuses nothing. Missing charges stay missing: write off what may have been lost with dp_noise.forfeit() first. For superusers and, except in a copy of a database, for roles that were granted EXECUTE.';

CREATE FUNCTION dp_noise.notice_place() RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
	changes CONSTANT text := (SELECT string_agg(DISTINCT dp_noise.place_changes(l), '; ') FROM dp_noise_ledger.place AS l WHERE l.is_accepted);
BEGIN
	IF changes IS NULL THEN
		RETURN;
	END IF;
	-- True, for example, in a template in which nothing was ever protected.
	IF NOT EXISTS (SELECT FROM dp_noise_ledger.population) THEN
		PERFORM dp_noise.set_place();
		RETURN;
	END IF;
	IF EXISTS (SELECT FROM dp_noise_ledger.place AS l WHERE NOT l.is_accepted AND dp_noise.place_changes(l) IS NULL) THEN
		RETURN;
	END IF;
	PERFORM dp_noise.add_place(false);
	RAISE WARNING 'the ledger of database % may lack charges: it was restored, copied or promoted', current_database()
		USING DETAIL = 'It was written elsewhere: ' || changes || '.',
			HINT = 'Write off what may have been lost with dp_noise.forfeit(), then call dp_noise.accept_timeline().';
END
$$;
COMMENT ON FUNCTION dp_noise.notice_place() IS
'Warns in the server''s log, once, that the ledger may lack charges. Called by the ledger worker alone, when it starts.';

-- For dp_noise.check(), which runs with its caller's rights.
CREATE FUNCTION dp_noise.do_read_place_changes(reader oid) RETURNS TABLE (changes text) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
AS $$
BEGIN
	RETURN QUERY
	SELECT DISTINCT c.changes
	FROM dp_noise_ledger.place AS l
	CROSS JOIN LATERAL (SELECT dp_noise.place_changes(l)) AS c (changes)
	WHERE l.is_accepted AND c.changes IS NOT NULL;
END
$$;
CALL dp_noise.add_entry('read_place_changes');
COMMENT ON FUNCTION dp_noise.read_place_changes() IS
'What has changed since the ledger was written in each of its places, one row a place; no rows where no charges can be missing. The same for all readers.';

REVOKE ALL ON dp_noise_ledger.place FROM PUBLIC;
/*
 * tables.sql
 *		The ledger's tables.
 *
 * Populations, members and budgets have numbers of their own, and no number is
 * used twice: who is dropped and made anew is somebody new. A relation or role
 * is known by its oid and its name together. The oid says who is meant here; the
 * name says who is meant in a dump. A budget whose oid and name have parted pays
 * nothing, and is not dumped, lest somebody else get it.
 *
 * Only the functions of this schema and the ledger worker write here, the rows of
 * a population under its lock (dp_noise.lock_population). There are no foreign
 * keys: a parallel restore loads the tables in any order.
 */

CREATE SEQUENCE dp_noise_ledger.settings_version;
COMMENT ON SEQUENCE dp_noise_ledger.settings_version IS 'Versions of protected relations'' settings; none is used twice.';

CREATE TABLE dp_noise_ledger.population (
	population_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL,
	owner oid NOT NULL, -- 0: a role that was not restored
	owner_name name NOT NULL,
	accountant text NOT NULL DEFAULT 'pure' CHECK (accountant IN ('pure', 'zcdp')),
	on_repeat text NOT NULL DEFAULT 'replay' CHECK (on_repeat IN ('replay', 'refuse', 'answer')),
	share_answers boolean NOT NULL DEFAULT true,
	answers_expire interval,
	is_dropped boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX population_name ON dp_noise_ledger.population (name) WHERE NOT is_dropped;
COMMENT ON TABLE dp_noise_ledger.population IS
'Populations: the people whom relations are about, and for whom budgets are granted. Accountant: pure adds up epsilons and deltas; zcdp adds up rho, and deltas from a pool; spending is recorded for both. On_repeat: what happens to a question that its asker has asked before. Share_answers: a question that somebody got answered gets the same answer for everybody. Answers_expire: after it a stored answer is not used any more; null: never. A dropped population keeps its row, for what was spent.';

CREATE TABLE dp_noise_ledger.allowance (
	population_id integer NOT NULL,
	role oid NOT NULL, -- 0: not restored
	role_name name NOT NULL,
	PRIMARY KEY (population_id, role_name)
);
COMMENT ON TABLE dp_noise_ledger.allowance IS
'Roles other than a population''s owner whose relations may be its members; written by dp_noise.allow_members.';

CREATE TABLE dp_noise_ledger.member (
	member_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	population_id integer NOT NULL,
	relation oid NOT NULL, -- 0: not restored
	schema_name name NOT NULL,
	relation_name name NOT NULL,
	unit name,
	path_columns name[],
	path_member_id integer,
	path_keys name[],
	neighbours text NOT NULL CHECK (neighbours IN ('add_remove', 'substitute')),
	max_rows_per_unit integer NOT NULL CHECK (max_rows_per_unit >= 1),
	max_groups_per_unit integer NOT NULL CHECK (max_groups_per_unit >= 1),
	min_people_per_group integer NOT NULL CHECK (min_people_per_group >= 1),
	levels numeric[],
	settings_version bigint NOT NULL DEFAULT pg_catalog.nextval('dp_noise_ledger.settings_version')
);
-- Unique but for 0. No partial index: who looks for a relation does not say that it
-- is none of those.
CREATE UNIQUE INDEX member_relation ON dp_noise_ledger.member (relation, (CASE WHEN relation = 0 THEN member_id ELSE 0 END));
CREATE INDEX member_population ON dp_noise_ledger.member (population_id);
COMMENT ON TABLE dp_noise_ledger.member IS
'Protected relations, one row each while they are protected; written by dp_noise.protect. Unit: the column that tells the people apart; null for the row; '''' where it was dropped. With a path unit is null, and the person is that of the row in the other member to which the path''s columns lead. Levels: privacy levels, epsilons from the highest; written by dp_noise.set_levels. Settings_version: changes with everything that changes the meaning of a question about the relation; a statement planned under another version is not charged.';

CREATE TABLE dp_noise_ledger.column_bounds (
	member_id integer NOT NULL,
	column_name name NOT NULL,
	lower numeric NOT NULL,
	upper numeric NOT NULL,
	kind text NOT NULL,
	PRIMARY KEY (member_id, column_name),
	CHECK (lower <= upper)
);
COMMENT ON TABLE dp_noise_ledger.column_bounds IS
'Bounds that the owner declared for a column, in its unit; written by dp_noise.set_bounds. Their kind is number, or the column''s type: dates are days since 2000-01-01, timestamps microseconds since then, times since midnight.';

CREATE TABLE dp_noise_ledger.column_values (
	member_id integer NOT NULL,
	column_name name NOT NULL,
	column_values text[] NOT NULL,
	PRIMARY KEY (member_id, column_name)
);
COMMENT ON TABLE dp_noise_ledger.column_values IS
'Values that the owner declared for a column, as texts, in the order of release; written by dp_noise.set_values.';

CREATE TABLE dp_noise_ledger.budget (
	budget_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	population_id integer NOT NULL,
	role oid, -- 0: not restored
	role_name name,
	is_active boolean NOT NULL,
	shared boolean NOT NULL,
	epsilon numeric NOT NULL,
	delta numeric NOT NULL,
	rho numeric, -- null unless zcdp
	delta_pool numeric NOT NULL DEFAULT 0,
	max_epsilon_per_query numeric,
	min_epsilon_per_query numeric,
	default_epsilon numeric,
	period interval,
	relations integer[], -- members; null: all
	max_failures integer CHECK (max_failures >= 1), -- null: no limit
	CHECK ((role IS NULL) = (role_name IS NULL))
);
CREATE UNIQUE INDEX budget_grant ON dp_noise_ledger.budget (population_id) WHERE role IS NULL;
CREATE UNIQUE INDEX budget_role ON dp_noise_ledger.budget (population_id, role, (CASE WHEN role = 0 THEN budget_id ELSE 0 END)); -- as of members
CREATE INDEX budget_reader ON dp_noise_ledger.budget (role);
COMMENT ON TABLE dp_noise_ledger.budget IS
'What may be learnt about a population in all (the grant: role null), and by a role or, shared, by the members of a group. Every role that was ever charged has a row here, with is_active false where it has no right of its own to ask. Rho: what epsilon and the delta outside of the pool were worth when they were granted, rounded down. Relations: what the role may ask about. Default_epsilon: for aggregates that name none, where the session has not set one. Max_failures: after so many failures (spending) the role may not ask any more.';

CREATE TABLE dp_noise_ledger.spending (
	budget_id bigint PRIMARY KEY,
	since timestamptz NOT NULL DEFAULT pg_catalog.now(),
	epsilon numeric NOT NULL DEFAULT 0,
	delta numeric NOT NULL DEFAULT 0,
	rho numeric NOT NULL DEFAULT 0,
	delta_pool numeric NOT NULL DEFAULT 0,
	unbounded numeric NOT NULL DEFAULT 0,
	failures integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE dp_noise_ledger.spending IS
'What was spent of each budget since its period began. Unbounded: the number of charges without a finite epsilon, after which no further charge fits under pure. Failures: statements that it paid for and that ended in an error that may depend on rows, since the owner has forgiven them.';

CREATE TABLE dp_noise_ledger.charge (
	budget_id bigint NOT NULL,
	charge_id bigint GENERATED ALWAYS AS IDENTITY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	population_id integer NOT NULL,
	role text NOT NULL,
	member_id integer, -- null: forfeited
	epsilon numeric, -- null: it has no finite one
	delta numeric NOT NULL,
	rho numeric NOT NULL,
	delta_pool numeric NOT NULL,
	fingerprint bytea NOT NULL,
	aggregate text NOT NULL,
	mechanism text NOT NULL,
	grant_paid boolean NOT NULL,
	PRIMARY KEY (budget_id, charge_id)
);
COMMENT ON TABLE dp_noise_ledger.charge IS
'Every charge, one row per aggregate and population; append-only. Budget_id: the asker''s own row, also where groups'' budgets or only the grant paid. Role: its name then. Member_id: what was asked about, the first of several. Under pure a charge costs epsilon and delta; under zcdp it costs rho, and delta_pool from the pool. Grant_paid: false where the answer was already paid for and is only shared.';

CREATE TABLE dp_noise_ledger.answer (
	population_id integer NOT NULL,
	budget_id bigint NOT NULL, -- 0: drawn for everybody
	question bytea NOT NULL,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	state text NOT NULL DEFAULT 'answered' CHECK (state IN ('asked', 'answered', 'given up')),
	charge_id bigint,
	draw bytea,
	claim bigint,
	answer bytea,
	incarnation bigint,
	PRIMARY KEY (population_id, budget_id, question)
);
-- Written by the worker, for which all others wait: so long values are not
-- compressed.
ALTER TABLE dp_noise_ledger.answer ALTER answer SET STORAGE EXTERNAL;
COMMENT ON TABLE dp_noise_ledger.answer IS
'Questions that were asked, with the released rows where they may be used again. State: asked (charged, and no answer is stored: the statement is running, or its end is not known), answered, or given up (nobody saw an answer, and the question may be asked again, for a new charge). Charge_id: the charge whose answer may still be stored. With budget_id 0: what is drawn once for everybody, by a hash of all that it depends on; charge_id is the charge that has claimed it, and those who asked for it name it as their draw, with that claim: while it is the same, the draw''s answer is theirs. Incarnation: of the server''s shared memory, in which a draw that is asked can still be joined.';

CREATE TYPE dp_noise_ledger.cost AS (
	epsilon numeric,
	delta numeric,
	rho numeric,
	delta_pool numeric,
	unbounded numeric
);
COMMENT ON TYPE dp_noise_ledger.cost IS
'The cost of some charges together, for every accountant: epsilon and delta of those with a finite epsilon, rho, delta from the pool, and the number of those without a finite epsilon.';

-- Numbers begin anywhere: a dump may be restored where a ledger is in use, by whoever
-- goes on after errors, and its members must not be found in populations of there.
-- Databases made from one template, or one from the other, are no exception.
CREATE FUNCTION dp_noise.start_numbers() RETURNS void LANGUAGE sql VOLATILE
AS $$
	SELECT setval(pg_get_serial_sequence('dp_noise_ledger.' || n.ledger_table, n.ledger_table || '_id'),
		1 + ('x' || left(gen_random_uuid()::text, 8))::bit(32)::bigint % n.count)
	FROM (VALUES ('population', 1 << 30), ('member', 1 << 30), ('budget', 1::bigint << 32)) AS n (ledger_table, count)
$$;
COMMENT ON FUNCTION dp_noise.start_numbers() IS 'Lets the numbers of populations, members and budgets go on at random ones.';
SELECT dp_noise.set_place();

------------------------------------------------------------------------------
-- Dumps

DO $$
DECLARE
	ledger_object regclass;
BEGIN
	FOR ledger_object IN
		SELECT c.oid FROM pg_class AS c
		WHERE c.relnamespace = 'dp_noise_ledger'::regnamespace AND c.relkind IN ('r', 'S') ORDER BY c.oid
	LOOP
		PERFORM pg_extension_config_dump(ledger_object, '');
	END LOOP;
END
$$;
-- A population stays, with the name that its owner has now; with none when the
-- owner is gone: it is a superuser's then.
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.population', $$
WHERE false
UNION ALL
SELECT p.population_id, p.name, p.owner, coalesce(r.rolname, ''), p.accountant, p.on_repeat, p.share_answers, p.answers_expire, p.is_dropped
FROM dp_noise_ledger.population AS p LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = p.owner
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.allowance', $$
WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role AND r.rolname = role_name)
$$);
-- A relation has the name that it has now, even where a rename went unnoticed.
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.member', $$
WHERE false
UNION ALL
SELECT m.member_id, m.population_id, m.relation, n.nspname, c.relname, m.unit, m.path_columns, m.path_member_id, m.path_keys,
	m.neighbours, m.max_rows_per_unit, m.max_groups_per_unit, m.min_people_per_group, m.levels, m.settings_version
FROM dp_noise_ledger.member AS m JOIN pg_catalog.pg_class AS c ON c.oid = m.relation JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.budget', $$
WHERE role IS NULL OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role AND r.rolname = role_name)
$$);

-- Whoever writes a row, a restore or the functions below, gives the name; the oid
-- is found here.

CREATE FUNCTION dp_noise.find_role(role_name name) RETURNS oid LANGUAGE sql STABLE
AS $$
	SELECT coalesce((SELECT r.oid FROM pg_roles AS r WHERE r.rolname = find_role.role_name), 0)
$$;
COMMENT ON FUNCTION dp_noise.find_role(name) IS 'The role of that name; 0 if there is none.';

CREATE FUNCTION dp_noise.on_insert() RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
	IF TG_TABLE_NAME = 'population' THEN
		NEW.owner := dp_noise.find_role(NEW.owner_name);
	ELSIF TG_TABLE_NAME = 'member' THEN
		NEW.relation := coalesce((
			SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE c.relname = NEW.relation_name AND n.nspname = NEW.schema_name), 0);
	ELSIF NEW.role_name IS NOT NULL THEN -- not the grant
		NEW.role := dp_noise.find_role(NEW.role_name);
	END IF;
	RETURN NEW;
END
$$;
COMMENT ON FUNCTION dp_noise.on_insert() IS 'Finds the role or relation whose name a row has; 0 where there is none.';

DO $$
DECLARE
	ledger_table text;
BEGIN
	FOREACH ledger_table IN ARRAY '{population,allowance,member,budget}'::text[] LOOP
		EXECUTE format('CREATE TRIGGER dp_noise_on_insert BEFORE INSERT ON dp_noise_ledger.%I FOR EACH ROW EXECUTE FUNCTION dp_noise.on_insert()', ledger_table);
		EXECUTE format('ALTER TABLE dp_noise_ledger.%I ENABLE ALWAYS TRIGGER dp_noise_on_insert', ledger_table);
		EXECUTE format('COMMENT ON TRIGGER dp_noise_on_insert ON dp_noise_ledger.%I IS %L', ledger_table, 'Finds the role or relation whose name a row has.');
	END LOOP;
END
$$;
/*
 * archive.sql
 *		Old charges are moved to where they are in nobody's way.
 *
 * A year's charges are a partition, made when the first of them is moved. Those
 * tables are not the extension's, so that a dump has them like a user's; they are
 * dropped along with it. Each has an index of its own: one of the whole would be
 * the extension's, and a restore would make those of the parts twice.
 */

CREATE TABLE dp_noise_ledger.charge_archive (LIKE dp_noise_ledger.charge) PARTITION BY RANGE (at);
COMMENT ON TABLE dp_noise_ledger.charge_archive IS 'Charges that dp_noise.archive has moved here, one partition for each year (UTC).';

CREATE VIEW dp_noise_ledger.every_charge AS
SELECT * FROM dp_noise_ledger.charge
UNION ALL
SELECT * FROM dp_noise_ledger.charge_archive;
COMMENT ON VIEW dp_noise_ledger.every_charge IS 'The charges, archived or not.';
REVOKE ALL ON dp_noise_ledger.charge_archive, dp_noise_ledger.every_charge FROM PUBLIC;

-- The worker only adds charges, and need not wait for this.
CREATE FUNCTION dp_noise.archive(before timestamptz) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET default_tablespace = ''
SET default_table_access_method = heap
AS $$
DECLARE
	-- The worker finds the charge of a running statement, to store its answer. Under
	-- track_activities = off nobody knows since when it runs.
	finished CONSTANT timestamptz := (
		SELECT least(before, min(CASE a.state WHEN 'disabled' THEN a.backend_start ELSE a.xact_start END))
		FROM pg_stat_activity AS a WHERE a.datname = current_database());
	year integer;
	year_begin timestamptz;
	year_end timestamptz;
	part text;
	moved bigint;
	total bigint := 0;
BEGIN
	IF before IS NULL THEN
		RAISE EXCEPTION 'before must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write the time before which charges are old, such as now() - interval ''1 year'', or ''infinity''.';
	END IF;
	-- One at a time; those who read the archive do not wait.
	LOCK TABLE dp_noise_ledger.charge_archive IN SHARE UPDATE EXCLUSIVE MODE;
	FOR year IN
		SELECT DISTINCT extract(year FROM c.at AT TIME ZONE 'UTC') FROM dp_noise_ledger.charge AS c
		WHERE c.at < finished AND isfinite(c.at)
	LOOP
		year_begin := make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC');
		year_end := make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC');
		part := format('dp_noise_ledger.charge_%s', year);
		IF to_regclass(part) IS NULL THEN
			EXECUTE format('CREATE TABLE %s (LIKE dp_noise_ledger.charge_archive)', part);
			-- unique, so that a dump is not restored into it twice
			EXECUTE format('CREATE UNIQUE INDEX ON %s (budget_id, charge_id)', part);
			EXECUTE format('ALTER TABLE dp_noise_ledger.charge_archive ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', part, year_begin, year_end);
		END IF;
		WITH old AS (
			DELETE FROM dp_noise_ledger.charge AS c WHERE c.at >= year_begin AND c.at < least(year_end, finished) RETURNING c.*
		)
		INSERT INTO dp_noise_ledger.charge_archive SELECT * FROM old;
		GET DIAGNOSTICS moved = ROW_COUNT;
		total := total + moved;
	END LOOP;
	RETURN total;
END
$$;
COMMENT ON FUNCTION dp_noise.archive(timestamptz) IS
'Moves the charges from before a time into an archive that is partitioned by years, and returns how many it moved; those of transactions that are running stay. Error: null_value_not_allowed. Views show them as before, dumps contain them, and what was spent stays spent. Charges go on meanwhile. For superusers, and for roles that were granted EXECUTE.';
/*
 * accounts.sql
 *		What budgets grant, what was spent of them, and what is left.
 *
 * Spending is recorded in every currency, whichever accountant counts: the
 * population may get another one.
 */

CREATE FUNCTION dp_noise.cost_sum(a dp_noise_ledger.cost, b dp_noise_ledger.cost) RETURNS dp_noise_ledger.cost LANGUAGE sql IMMUTABLE
AS $$
	SELECT ROW(least(a.epsilon + b.epsilon, 1e13), least(a.delta + b.delta, 1e13), least(a.rho + b.rho, 1e13),
		least(a.delta_pool + b.delta_pool, 1e13), least(a.unbounded + b.unbounded, 1e13))::dp_noise_ledger.cost
$$;
COMMENT ON FUNCTION dp_noise.cost_sum(dp_noise_ledger.cost, dp_noise_ledger.cost) IS 'The sum of two costs, each field at most 10^13.';

CREATE FUNCTION dp_noise.cost_of_pure(epsilon numeric, delta numeric) RETURNS dp_noise_ledger.cost
AS 'MODULE_PATHNAME', 'dp_cost_of_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.cost_of_pure(numeric, numeric) IS
'The greatest cost of charges that are (epsilon, delta)-DP together: epsilon tanh(epsilon/2) in rho, rounded up, and delta from the pool (Kairouz, Oh, Viswanath 2015).';

CREATE FUNCTION dp_noise.rho_of_grant(epsilon numeric, delta numeric, delta_pool numeric) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_rho_of_grant' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.rho_of_grant(numeric, numeric, numeric) IS
'The rho that a grant of epsilon and delta is worth, where delta_pool is the pool''s part of delta; rounded down (Canonne, Kamath, Steinke 2020). Error: invalid_parameter_value (epsilon not in 2^-20 .. 1000000, delta not below 1, delta_pool not below delta).';

CREATE FUNCTION dp_noise.epsilon_of_rho(rho numeric, delta numeric) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_epsilon_of_rho' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.epsilon_of_rho(numeric, numeric) IS
'The epsilon that an amount of rho amounts to at a delta, for people to read: rounded up to 15 digits. It is not what is charged, and does not add up. delta 0: infinity, or 0 for a rho of 0.';

CREATE FUNCTION dp_noise.period_begin(start timestamptz, period interval, at timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
	result timestamptz := start;
	periods bigint;
BEGIN
	IF period IS NULL OR start + period > at THEN
		RETURN start;
	END IF;
	-- A first guess by length, slightly too small, then step by step, since
	-- months differ in length.
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
'The last start + n * period that is not after the given time; start itself without a period. Days and months are those of UTC, so that periods begin at the same time for everyone.';

CREATE FUNCTION dp_noise.check_period(period interval, what text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	-- No part may be negative: '1 month -29 days' is negative in February.
	IF EXTRACT(epoch FROM period) < 1 OR EXTRACT(epoch FROM period) > 31557600000
		OR EXTRACT(year FROM period) < 0 OR EXTRACT(month FROM period) < 0 OR EXTRACT(day FROM period) < 0
		OR EXTRACT(hour FROM period) < 0 OR EXTRACT(minute FROM period) < 0 OR EXTRACT(second FROM period) < 0 THEN
		RAISE EXCEPTION '% must be between a second and about a thousand years', what
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write an interval such as ''30 days'', no part of it negative.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_period(interval, text) IS
'Refuses an interval after which nothing can begin anew; null passes: (interval, what it is called).';

CREATE FUNCTION dp_noise.check_grant(accountant text, epsilon numeric, delta numeric, delta_pool numeric) RETURNS numeric LANGUAGE plpgsql
AS $$
BEGIN
	IF accountant IS NULL OR accountant NOT IN ('pure', 'zcdp') THEN
		RAISE EXCEPTION 'invalid accountant: %', coalesce(quote_literal(accountant), 'null')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write ''pure'' or ''zcdp''.';
	END IF;
	IF epsilon IS NULL OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 5.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write 0, or a number well below 1 / (number of people), such as 1e-6.';
	END IF;
	IF accountant = 'pure' THEN
		IF delta_pool IS DISTINCT FROM 0 THEN
			RAISE EXCEPTION 'delta_pool is for the accountant zcdp'
				USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave it out: under pure, all of delta is for whatever needs one.';
		END IF;
		RETURN NULL;
	END IF;
	IF epsilon < 0.000001 OR epsilon > 1e6 OR delta <= 0 OR delta >= 1
		OR delta_pool IS NULL OR delta_pool < 0 OR delta_pool = 'NaN' OR delta_pool >= delta THEN
		RAISE EXCEPTION 'the accountant zcdp needs epsilon between 0.000001 and 1000000, delta above 0 and below 1, and delta_pool below delta'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write, for example, epsilon 1 and delta 1e-6; delta_pool, half of delta for example, where groups by private keys are asked for.';
	END IF;
	RETURN dp_noise.rho_of_grant(epsilon, delta, delta_pool);
END
$$;
COMMENT ON FUNCTION dp_noise.check_grant(text, numeric, numeric, numeric) IS
'Refuses what an accountant cannot grant: (accountant, epsilon, delta, delta_pool). Returns the rho that it is worth; null under pure.';

CREATE FUNCTION dp_noise.amounts_shown(
	accountant text, budget dp_noise_ledger.budget, spent dp_noise_ledger.cost, OUT epsilon_spent numeric, OUT epsilon_left numeric,
	OUT delta_spent numeric, OUT delta_left numeric, OUT rho_spent numeric, OUT rho_left numeric
) LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
	IF accountant = 'zcdp' THEN
		epsilon_spent := dp_noise.epsilon_of_rho(spent.rho, budget.delta - budget.delta_pool);
		delta_spent := spent.delta_pool;
		delta_left := greatest(budget.delta_pool - spent.delta_pool, 0);
		rho_spent := spent.rho;
		rho_left := greatest(budget.rho - spent.rho, 0);
		epsilon_left := CASE WHEN rho_left > 0 THEN greatest(budget.epsilon - epsilon_spent, 0) ELSE 0 END;
		RETURN;
	END IF;
	epsilon_spent := CASE WHEN spent.unbounded > 0 THEN 'infinity' ELSE spent.epsilon END;
	delta_spent := spent.delta;
	epsilon_left := greatest(budget.epsilon - epsilon_spent, 0);
	delta_left := greatest(budget.delta - delta_spent, 0);
END
$$;
COMMENT ON FUNCTION dp_noise.amounts_shown(text, dp_noise_ledger.budget, dp_noise_ledger.cost) IS
'What of a budget is spent and left, as its accountant counts. Under zcdp: rho, the epsilon that the rho spent amounts to at the delta outside of the pool, and the delta spent from the pool. Under pure: epsilon (infinity after a charge without a finite one) and delta.';

CREATE FUNCTION dp_noise.queries_left(
	accountant text, budget dp_noise_ledger.budget, spent dp_noise_ledger.cost, epsilon numeric, rho numeric
) RETURNS numeric LANGUAGE sql IMMUTABLE
AS $$
	SELECT CASE WHEN accountant = 'zcdp' THEN div(greatest(budget.rho - spent.rho, 0), queries_left.rho)
		WHEN spent.unbounded > 0 THEN 0
		ELSE div(greatest(budget.epsilon - spent.epsilon, 0), queries_left.epsilon)
	END
$$;
COMMENT ON FUNCTION dp_noise.queries_left(text, dp_noise_ledger.budget, dp_noise_ledger.cost, numeric, numeric) IS
'How many more aggregates of a price in epsilon and in rho a budget allows.';

CREATE VIEW dp_noise_ledger.account AS
SELECT b.*, b AS granted, p.name AS population, p.owner, p.accountant, p.on_repeat, p.is_dropped,
	b.is_active AND (b.role IS NULL OR r.oid IS NOT NULL) AS pays,
	n.began, n.began + b.period AS refills_at, n.spent, s.failures
FROM dp_noise_ledger.budget AS b
JOIN dp_noise_ledger.population AS p USING (population_id)
JOIN dp_noise_ledger.spending AS s USING (budget_id)
LEFT JOIN pg_roles AS r ON r.oid = b.role AND r.rolname = b.role_name
CROSS JOIN LATERAL (
	SELECT w.began, CASE WHEN w.began > s.since THEN ROW(0, 0, 0, 0, 0)::dp_noise_ledger.cost
		ELSE ROW(s.epsilon, s.delta, s.rho, s.delta_pool, s.unbounded)::dp_noise_ledger.cost END
	FROM (SELECT CASE WHEN b.period IS NULL THEN s.since ELSE dp_noise.period_begin(s.since, b.period, now()) END) AS w (began)
) AS n (began, spent);
COMMENT ON VIEW dp_noise_ledger.account IS
'Budgets (granted: the row itself) with what was spent of them in their current period, which began then. Pays: also a right to ask, unless it is the grant; false where the role is gone, or where its oid and name have parted.';

CREATE FUNCTION dp_noise.current_epsilon(by_budget numeric DEFAULT NULL) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_epsilon' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_epsilon(numeric) IS
'The setting dp_noise.epsilon, or the epsilon that costs dp_noise.rho where that is set, or that of budgets where it is not null and neither is set, as the decimal number that an aggregate without an epsilon of its own is charged.';

CREATE FUNCTION dp_noise.current_rho(by_budget numeric DEFAULT NULL) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_rho' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_rho(numeric) IS
'The most that an aggregate without an epsilon of its own costs in rho; by_budget as for current_epsilon.';

CREATE FUNCTION dp_noise.asked_epsilon(by_budget double precision) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_asked_epsilon' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.asked_epsilon(double precision) IS
'The epsilon of an aggregate that names none: that of the budgets, unless the session has set its own. Beneath a release it takes the place of the epsilon.';

-- Default privileges may have given some.
REVOKE ALL ON ALL TABLES IN SCHEMA dp_noise_ledger FROM PUBLIC;
/*
 * populations.sql
 *		Functions for owners of populations: the people whom relations are about,
 *		and what may be learnt about them in all.
 *
 * The functions for owners are entered in C (src/ledger/owner_functions.c): that
 * code refuses everybody except the owner and superusers (it checks the current
 * user, whichever function the call comes from) and calls do_..., which runs
 * with the extension's rights and which nobody else may call. The argument
 * population is then the exact name of one, locked until the end of the
 * transaction, though its owner may have written the name of a member.
 */

CREATE FUNCTION dp_noise.lock_population(population_id integer) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_population' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_population(integer) IS
'Locks the ledger''s rows about a population, against the ledger worker and all other writers, until the end of the transaction.';

CREATE FUNCTION dp_noise.population_number(population text) RETURNS integer LANGUAGE sql STABLE
AS $$
	SELECT p.population_id FROM dp_noise_ledger.population AS p
	WHERE p.name = population_number.population AND NOT p.is_dropped
$$;
COMMENT ON FUNCTION dp_noise.population_number(text) IS 'The number of the population of that name; null if there is none.';

CREATE FUNCTION dp_noise.members_of(population_id integer) RETURNS oid[] LANGUAGE sql STABLE SECURITY DEFINER
AS $$
	SELECT ARRAY(
		SELECT m.relation FROM dp_noise_ledger.member AS m
		WHERE m.population_id = members_of.population_id AND m.relation <> 0
		ORDER BY m.member_id)
$$;
COMMENT ON FUNCTION dp_noise.members_of(integer) IS 'The relations in a population. Called by the library.';

CREATE FUNCTION dp_noise.add_population(
	name text, owner oid, epsilon numeric, delta numeric, accountant text DEFAULT 'pure', delta_pool numeric DEFAULT 0,
	on_repeat text DEFAULT 'replay', share_answers boolean DEFAULT true, answers_expire interval DEFAULT NULL
) RETURNS integer LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
	rho_granted numeric;
	id integer;
	grant_id bigint;
BEGIN
	IF name IS NULL OR name = '' OR octet_length(name) > 300 THEN
		RAISE EXCEPTION 'a population needs a name of at most 300 bytes'
			USING ERRCODE = CASE WHEN name IS NULL THEN 'null_value_not_allowed' ELSE 'invalid_parameter_value' END,
				HINT = 'Write a name such as ''patients''.';
	END IF;
	IF epsilon IS NULL THEN
		RAISE EXCEPTION 'epsilon is missing: population "%" does not exist yet', name
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write epsilon => what everybody together may learn about one person, such as 10.';
	END IF;
	rho_granted := dp_noise.check_grant(accountant, epsilon, delta, delta_pool);
	PERFORM dp_noise.check_repeats(on_repeat, share_answers, answers_expire);
	-- True, for example, of a database whose template had the extension.
	IF NOT EXISTS (SELECT FROM dp_noise_ledger.population) AND (dp_noise.is_displaced() OR dp_noise.is_copy()) THEN
		PERFORM dp_noise.set_place();
	END IF;
	INSERT INTO dp_noise_ledger.population (name, owner_name, accountant, on_repeat, share_answers, answers_expire)
	VALUES (name, pg_get_userbyid(owner), accountant, on_repeat, share_answers, nullif(answers_expire, '0'))
	ON CONFLICT DO NOTHING
	RETURNING population_id INTO id;
	IF id IS NULL THEN
		RAISE EXCEPTION 'population "%" already exists', name
			USING ERRCODE = 'duplicate_object', HINT = 'Its owner changes it with dp_noise.alter_population().';
	END IF;
	PERFORM dp_noise.lock_population(id);
	INSERT INTO dp_noise_ledger.budget (population_id, is_active, shared, epsilon, delta, rho, delta_pool)
	VALUES (id, true, true, epsilon, delta, rho_granted, delta_pool)
	RETURNING budget_id INTO grant_id;
	INSERT INTO dp_noise_ledger.spending (budget_id) VALUES (grant_id);
	RETURN id;
END
$$;
COMMENT ON FUNCTION dp_noise.add_population(text, oid, numeric, numeric, text, numeric, text, boolean, interval) IS
'Makes a population with its grant, locks it and returns its number.';

CREATE FUNCTION dp_noise.check_repeats(on_repeat text, share_answers boolean, answers_expire interval) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	IF on_repeat IS NULL OR on_repeat NOT IN ('refuse', 'replay', 'answer') THEN
		RAISE EXCEPTION 'invalid on_repeat: %', coalesce(quote_literal(on_repeat), 'null')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write ''refuse'', ''replay'' or ''answer''.';
	END IF;
	IF share_answers IS NULL THEN
		RAISE EXCEPTION 'share_answers must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write true for one answer to everybody who asks the same question, false for one to each.';
	END IF;
	PERFORM dp_noise.check_period(nullif(answers_expire, '0'), 'answers_expire');
END
$$;
COMMENT ON FUNCTION dp_noise.check_repeats(text, boolean, interval) IS 'Refuses settings of a population that say nothing about repeated questions.';

CREATE FUNCTION dp_noise.do_create_population(
	caller oid, name text, epsilon numeric, delta numeric DEFAULT 0, accountant text DEFAULT 'pure', delta_pool numeric DEFAULT 0,
	on_repeat text DEFAULT 'replay', share_answers boolean DEFAULT true, answers_expire interval DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	-- Those who only ask shall not take the names that owners would give.
	IF NOT EXISTS (
			SELECT FROM pg_class AS c
			WHERE c.relkind IN ('r', 'p', 'f', 'v') AND c.relpersistence <> 't' AND pg_has_role(caller, c.relowner, 'USAGE'))
		AND NOT EXISTS (
			SELECT FROM pg_namespace AS n WHERE n.nspname !~ '^pg_' AND has_schema_privilege(caller, n.oid, 'CREATE')) THEN
		RAISE EXCEPTION 'must own a table to create a population'
			USING ERRCODE = 'insufficient_privilege', HINT = 'Ask the owner of the tables.';
	END IF;
	PERFORM dp_noise.add_population(name, caller, epsilon, delta, accountant, delta_pool, on_repeat, share_answers, answers_expire);
END
$$;
CALL dp_noise.add_entry('create_population');
COMMENT ON FUNCTION dp_noise.create_population(text, numeric, numeric, text, numeric, text, boolean, interval) IS
'Creates a population: the people whom some relations are about, with one kind of privacy unit, and a grant of epsilon and delta that bounds what everybody together learns about any of them. accountant pure: epsilons and deltas add up. zcdp: the grant becomes an amount of rho, rounded down, and rho adds up, so that many answers cost less (Bun, Steinke 2016; Canonne, Kamath, Steinke 2020; Feldman, Zrnic 2021; Whitehouse et al. 2023); delta_pool, below delta, is reserved for deltas that rho does not cover: those of groups by private keys (partition selection) and of smooth_laplace. All answers together are (epsilon, delta)-DP under either accountant. on_repeat: replay, refuse or answer a question that its asker has asked before. share_answers: a question that somebody got answered gets the same answer for everybody, who pay from their own budgets, and not from the grant again. answers_expire: after this time stored answers are not used any more. The caller owns the population; its owner''s members ask without a budget of their own. For everybody who owns a table or may create one.';

CREATE FUNCTION dp_noise.do_alter_population(
	population text, epsilon numeric DEFAULT NULL, delta numeric DEFAULT NULL, accountant text DEFAULT NULL, delta_pool numeric DEFAULT NULL,
	on_repeat text DEFAULT NULL, share_answers boolean DEFAULT NULL, answers_expire interval DEFAULT NULL, owner regrole DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	old dp_noise_ledger.population;
	new dp_noise_ledger.population;
	granted dp_noise_ledger.budget;
	role_budget dp_noise_ledger.budget;
BEGIN
	SELECT * INTO STRICT old FROM dp_noise_ledger.population AS p WHERE p.population_id = id;
	SELECT * INTO STRICT granted FROM dp_noise_ledger.budget AS b WHERE b.population_id = id AND b.role IS NULL;
	new := old;
	new.accountant := coalesce(accountant, old.accountant);
	new.on_repeat := coalesce(on_repeat, old.on_repeat);
	new.share_answers := coalesce(share_answers, old.share_answers);
	new.answers_expire := nullif(coalesce(answers_expire, old.answers_expire), '0');
	PERFORM dp_noise.check_repeats(new.on_repeat, new.share_answers, new.answers_expire);
	IF owner IS NOT NULL THEN
		new.owner_name := dp_noise.name_of_role(owner);
		new.owner := owner;
	END IF;
	granted.epsilon := coalesce(epsilon, granted.epsilon);
	granted.delta := coalesce(delta, granted.delta);
	granted.delta_pool := coalesce(delta_pool, CASE WHEN new.accountant = 'zcdp' THEN granted.delta_pool ELSE 0 END);
	granted.rho := dp_noise.check_grant(new.accountant, granted.epsilon, granted.delta, granted.delta_pool);
	IF new.accountant = 'pure' AND old.accountant <> 'pure' AND EXISTS (
		SELECT FROM dp_noise_ledger.spending AS s WHERE s.budget_id = granted.budget_id AND s.unbounded > 0) THEN
		RAISE EXCEPTION 'what was spent has no finite epsilon'
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Answers were given that only the accountant zcdp can count.',
				HINT = 'Leave the accountant as it is.';
	END IF;
	UPDATE dp_noise_ledger.population AS p
	SET accountant = new.accountant, on_repeat = new.on_repeat, share_answers = new.share_answers,
		answers_expire = new.answers_expire, owner = new.owner, owner_name = new.owner_name
	WHERE p.population_id = id;
	UPDATE dp_noise_ledger.budget AS b
	SET epsilon = granted.epsilon, delta = granted.delta, delta_pool = granted.delta_pool, rho = granted.rho
	WHERE b.budget_id = granted.budget_id;
	FOR role_budget IN
		SELECT * FROM dp_noise_ledger.budget AS b WHERE b.population_id = id AND b.role IS NOT NULL AND b.is_active
	LOOP
		role_budget.delta_pool := dp_noise.pool_of(id, role_budget.delta);
		BEGIN
			role_budget.rho := dp_noise.check_grant(new.accountant, role_budget.epsilon, role_budget.delta, role_budget.delta_pool);
		EXCEPTION WHEN invalid_parameter_value THEN
			RAISE EXCEPTION 'the budget of role % would not be one under the accountant %', role_budget.role_name, new.accountant
				USING ERRCODE = 'object_not_in_prerequisite_state',
					DETAIL = 'It needs an epsilon of at least 0.000001, and a delta above 0.',
					HINT = format('Change it with dp_noise.set_budget(), or end it with dp_noise.drop_budget(%L, %L).', quote_ident(role_budget.role_name), population);
		END;
		UPDATE dp_noise_ledger.budget AS b SET delta_pool = role_budget.delta_pool, rho = role_budget.rho
		WHERE b.budget_id = role_budget.budget_id;
	END LOOP;
END
$$;
CREATE FUNCTION dp_noise.alter_population(
	population text, epsilon numeric DEFAULT NULL, delta numeric DEFAULT NULL, accountant text DEFAULT NULL, delta_pool numeric DEFAULT NULL,
	on_repeat text DEFAULT NULL, share_answers boolean DEFAULT NULL, answers_expire interval DEFAULT NULL, owner regrole DEFAULT NULL
) RETURNS void
AS 'MODULE_PATHNAME', 'dp_alter_population' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.alter_population(text, numeric, numeric, text, numeric, text, boolean, interval, regrole) IS
'Changes a population: its grant, its accountant, what happens to repeated questions, its owner. Null leaves a setting as it is; answers_expire ''0'': stored answers do not expire. What was spent remains spent; under another accountant it counts in its currency. Error object_not_in_prerequisite_state: pure, where a charge has no finite epsilon. The new owner must be a role that the caller can act for (SET ROLE), except where that is a superuser. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.pool_of(population_id integer, delta numeric) RETURNS numeric LANGUAGE sql STABLE
AS $$
	SELECT CASE WHEN b.delta_pool = 0 THEN 0 ELSE trim_scale(trunc(pool_of.delta * b.delta_pool / b.delta, 15)) END
	FROM dp_noise_ledger.budget AS b
	WHERE b.population_id = pool_of.population_id AND b.role IS NULL
$$;
COMMENT ON FUNCTION dp_noise.pool_of(integer, numeric) IS 'The part of a role''s delta that is its pool: as of the grant''s delta.';

CREATE FUNCTION dp_noise.name_of_role(role oid) RETURNS name LANGUAGE plpgsql STABLE
AS $$
DECLARE
	result CONSTANT name := (SELECT r.rolname FROM pg_roles AS r WHERE r.oid = role);
BEGIN
	IF result IS NULL THEN
		RAISE EXCEPTION 'role with OID % does not exist', coalesce(role::text, 'null')
			USING ERRCODE = 'undefined_object', HINT = 'Write the name of a role.';
	END IF;
	RETURN result;
END
$$;
COMMENT ON FUNCTION dp_noise.name_of_role(oid) IS 'The name of a role. Error: undefined_object.';

CREATE FUNCTION dp_noise.do_drop_population(population text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	relations CONSTANT text[] := ARRAY(
		SELECT c.oid::regclass::text FROM dp_noise_ledger.member AS m JOIN pg_class AS c ON c.oid = m.relation
		WHERE m.population_id = id
		ORDER BY m.member_id);
BEGIN
	IF relations <> '{}' THEN
		RAISE EXCEPTION 'population "%" has members', population
			USING ERRCODE = 'dependent_objects_still_exist',
				DETAIL = CASE cardinality(relations) WHEN 1 THEN format('Relation %s is about it.', relations[1])
					ELSE format('Relation %s and %s more are about it.', relations[1], cardinality(relations) - 1) END,
				HINT = 'End the protection of each with dp_noise.unprotect().';
	END IF;
	UPDATE dp_noise_ledger.population AS p SET is_dropped = true WHERE p.population_id = id;
	UPDATE dp_noise_ledger.budget AS b SET is_active = false WHERE b.population_id = id;
	PERFORM dp_noise.remove_members(ARRAY(SELECT m.member_id FROM dp_noise_ledger.member AS m WHERE m.population_id = id));
	DELETE FROM dp_noise_ledger.allowance AS a WHERE a.population_id = id;
	DELETE FROM dp_noise_ledger.answer AS a WHERE a.population_id = id;
END
$$;
CALL dp_noise.add_entry('drop_population');
COMMENT ON FUNCTION dp_noise.drop_population(text) IS
'Drops a population that no relation is in any more, its budgets and stored answers. What was spent stays in the ledger. Another population of that name is another one: with a new grant, about the same people, nothing bounds what both tell together. For the population''s owner and superusers. Error: dependent_objects_still_exist.';

CREATE FUNCTION dp_noise.do_allow_members(population text, role regrole, allow boolean DEFAULT true) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	present_name CONSTANT name := dp_noise.name_of_role(role);
BEGIN
	IF allow IS NULL THEN
		RAISE EXCEPTION 'allow must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write true, or false to allow it no longer.';
	END IF;
	DELETE FROM dp_noise_ledger.allowance AS a
	WHERE a.population_id = id AND (a.role = role::oid OR a.role_name = present_name);
	IF allow THEN
		INSERT INTO dp_noise_ledger.allowance (population_id, role_name) VALUES (id, present_name);
	END IF;
END
$$;
CALL dp_noise.add_entry('allow_members');
COMMENT ON FUNCTION dp_noise.allow_members(text, regrole, boolean) IS
'Lets the relations of another role be about a population, or, with allow false, no longer: nothing is answered about them then. Each owner declares the settings of the own relations; budgets are granted, and the grant is owned, by the population''s owner, who asks without a budget: join only the population of an owner whom you trust. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.is_spent(population_id integer) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (SELECT FROM dp_noise_ledger.answer AS a WHERE a.population_id = is_spent.population_id)
		OR EXISTS (
			SELECT FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.spending AS s USING (budget_id)
			WHERE b.population_id = is_spent.population_id AND (s.epsilon > 0 OR s.delta > 0 OR s.rho > 0 OR s.delta_pool > 0 OR s.unbounded > 0))
$$;
COMMENT ON FUNCTION dp_noise.is_spent(integer) IS 'True if anybody was ever answered about a population: (population_id).';
/*
 * units.sql
 *		Privacy units: a column that tells people apart, or a path along foreign
 *		keys to the relation that has one; and whether they are the same people in
 *		all relations of a population.
 *
 * A path is written "column, ... -> relation", or "... -> relation (key, ...)".
 * One step is stored with each member; the member that it leads to has a unit, or
 * a step of its own.
 */

CREATE FUNCTION dp_noise.is_missing(relation oid, column_name name) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = is_missing.column_name AND a.attnum > 0 AND NOT a.attisdropped)
$$;
COMMENT ON FUNCTION dp_noise.is_missing(oid, name) IS 'True where a relation has no column of that name.';

CREATE FUNCTION dp_noise.names_of(list text) RETURNS name[] LANGUAGE sql IMMUTABLE
AS $$
	SELECT array_agg((parse_ident(btrim(part[1])))[1]::name ORDER BY number)
	FROM regexp_matches(list, '((?:"(?:[^"]|"")*"|[^",])+)', 'g') WITH ORDINALITY AS p (part, number)
$$;
COMMENT ON FUNCTION dp_noise.names_of(text) IS 'The names in a list separated by commas, in quotes where SQL requires them.';

CREATE FUNCTION dp_noise.path_target(relation regclass, target text) RETURNS oid LANGUAGE plpgsql STABLE
AS $$
DECLARE
	names text[] := parse_ident(target);
	found oid;
BEGIN
	IF cardinality(names) = 2 THEN
		SELECT c.oid INTO found FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = names[1] AND c.relname = names[2];
	ELSE
		SELECT c.oid INTO found FROM pg_class AS c
		JOIN pg_class AS own ON own.relnamespace = c.relnamespace AND own.oid = path_target.relation
		WHERE c.relname = names[1] AND cardinality(names) = 1;
	END IF;
	IF found IS NULL THEN
		RAISE EXCEPTION 'relation % does not exist', target
			USING ERRCODE = 'undefined_table', HINT = 'Name the schema, too, where it is not that of the relation itself.';
	END IF;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_noise.path_target(regclass, text) IS
'The relation that a path leads to: its name has a schema, or is looked up in the schema of the relation itself.';

CREATE FUNCTION dp_noise.path_keys(relation oid, columns name[], target oid) RETURNS name[] LANGUAGE sql STABLE
AS $$
	SELECT coalesce((
		SELECT array_agg(k.attname ORDER BY array_position(columns, a.attname))
		FROM pg_constraint AS f
		CROSS JOIN LATERAL unnest(f.conkey, f.confkey) AS s (own, other)
		JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = s.own
		JOIN pg_attribute AS k ON k.attrelid = f.confrelid AND k.attnum = s.other
		WHERE f.contype = 'f' AND f.conrelid = path_keys.relation AND f.confrelid = target
		GROUP BY f.oid
		HAVING array_agg(a.attname ORDER BY a.attname) = (SELECT array_agg(c ORDER BY c) FROM unnest(columns) AS c)
		ORDER BY f.oid LIMIT 1
	), (
		SELECT array_agg(k.attname ORDER BY s.number)
		FROM pg_constraint AS p
		CROSS JOIN LATERAL unnest(p.conkey) WITH ORDINALITY AS s (own, number)
		JOIN pg_attribute AS k ON k.attrelid = p.conrelid AND k.attnum = s.own
		WHERE p.contype = 'p' AND p.conrelid = target
		HAVING count(*) = cardinality(columns)
	))
$$;
COMMENT ON FUNCTION dp_noise.path_keys(oid, name[], oid) IS
'The columns that some columns refer to: those of a foreign key, or else a primary key of as many columns; null without either.';

CREATE FUNCTION dp_noise.tells_rows_apart(index oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_tells_rows_apart' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.tells_rows_apart(oid) IS
'True for an index, by its oid, that lets no two rows be equal in all of its columns, nulls aside: one that is unique, valid and not deferrable, over all rows and by columns alone, and that compares them by the default equality of their types, under collations that take for equal what those of the columns do. False for what is no index. Everybody may ask, as about pg_index.';

CREATE FUNCTION dp_noise.is_unique_key(relation oid, keys name[]) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (
		SELECT FROM pg_index AS i
		WHERE i.indrelid = relation AND dp_noise.tells_rows_apart(i.indexrelid)
			AND (SELECT array_agg(a.attname ORDER BY a.attname)
				FROM pg_attribute AS a
				WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
				= (SELECT array_agg(k ORDER BY k) FROM unnest(keys) AS k))
		AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind = 'r' AND c.relhassubclass)
$$;
COMMENT ON FUNCTION dp_noise.is_unique_key(oid, name[]) IS
'True where a unique index, for all rows, has exactly these columns: those of inheriting tables are not in it.';

CREATE FUNCTION dp_noise.check_path_columns(relation oid, columns name[]) RETURNS void LANGUAGE plpgsql STABLE
AS $$
DECLARE
	one name;
BEGIN
	FOREACH one IN ARRAY columns LOOP
		IF dp_noise.is_missing(relation, one) THEN
			RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(one), relation::regclass
				USING ERRCODE = 'undefined_column', HINT = 'A path to the privacy unit is written "column -> relation", or "column -> relation (key)".';
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.check_path_columns(oid, name[]) IS 'Refuses columns that do not exist.';

CREATE FUNCTION dp_noise.path_type(relation oid, column_name name) RETURNS oid LANGUAGE sql STABLE
AS $$
	SELECT CASE
		WHEN t.oid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN 'int8'::regtype::oid
		WHEN t.oid IN ('text'::regtype, 'varchar'::regtype) THEN 'text'::regtype::oid
		ELSE t.oid
	END
	FROM pg_attribute AS a
	JOIN pg_type AS own ON own.oid = a.atttypid
	JOIN pg_type AS t ON t.oid = coalesce(nullif(own.typbasetype, 0), own.oid)
	WHERE a.attrelid = relation AND a.attname = path_type.column_name AND a.attnum > 0 AND NOT a.attisdropped
$$;
COMMENT ON FUNCTION dp_noise.path_type(oid, name) IS 'The type of a column, the same for all types that share an equality operator.';

CREATE FUNCTION dp_noise.path_parts(privacy_unit text) RETURNS text[] LANGUAGE sql IMMUTABLE
AS $$
	SELECT regexp_match(privacy_unit,
		'^((?:"(?:[^"]|"")*"|[^"])*?)->\s*((?:"(?:[^"]|"")*"|[^"()])*?)\s*(?:\(((?:"(?:[^"]|"")*"|[^"()])*)\))?\s*$')
$$;
COMMENT ON FUNCTION dp_noise.path_parts(text) IS
'Of a privacy unit with an arrow: the columns, the relation that they refer to, and its key or null. Null for what is none.';

CREATE FUNCTION dp_noise.lock_columns(relation oid) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_columns' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_columns(oid) IS
'Locks a relation (ACCESS SHARE), so that its columns stay as they are until the end of the transaction. For its owner.';

CREATE FUNCTION dp_noise.lock_target(relation regclass, privacy_unit text) RETURNS oid LANGUAGE plpgsql
AS $$
DECLARE
	target_name CONSTANT text := (dp_noise.path_parts(privacy_unit))[2];
	target oid;
BEGIN
	-- Repeated until the name is that of the locked relation. Those of other
	-- owners are not locked.
	WHILE target_name IS NOT NULL AND target IS DISTINCT FROM dp_noise.path_target(relation, target_name) LOOP
		target := dp_noise.path_target(relation, target_name);
		IF dp_noise.have_one_owner(relation, target) THEN
			PERFORM dp_noise.lock_columns(target);
		END IF;
	END LOOP;
	RETURN target;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_target(regclass, text) IS
'Locks the columns of the relation to which a path leads, and returns it: (relation, privacy_unit with an arrow). Null for what is no path.';

CREATE FUNCTION dp_noise.have_one_owner(one oid, other oid) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT count(DISTINCT c.relowner) = 1 FROM pg_class AS c WHERE c.oid IN (one, other)
$$;
COMMENT ON FUNCTION dp_noise.have_one_owner(oid, oid) IS 'True where two relations belong to one role.';

-- privacy_unit: a path, written with an arrow.
CREATE FUNCTION dp_noise.read_path(
	relation regclass, privacy_unit text, OUT columns name[], OUT target oid, OUT path_id integer, OUT keys name[]
) LANGUAGE plpgsql STABLE
AS $$
DECLARE
	parts CONSTANT text[] := dp_noise.path_parts(privacy_unit);
BEGIN
	columns := dp_noise.names_of(parts[1]);
	IF columns IS NULL THEN
		RAISE EXCEPTION 'invalid path to a privacy unit: %', quote_literal(privacy_unit)
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write "column -> relation", or "column -> relation (key)".';
	END IF;
	PERFORM dp_noise.check_path_columns(relation, columns);
	target := dp_noise.path_target(relation, parts[2]);
	keys := CASE WHEN parts[3] IS NULL THEN dp_noise.path_keys(relation, columns, target) ELSE dp_noise.names_of(parts[3]) END;
	IF keys IS NULL OR cardinality(keys) <> cardinality(columns) THEN
		RAISE EXCEPTION 'relation % has no key that % of % refers to', target::regclass, array_to_string(columns, ', '), relation
			USING ERRCODE = 'undefined_object', HINT = 'Add a foreign key, or name the key: "column -> relation (key)".';
	END IF;
	PERFORM dp_noise.check_path_columns(target, keys);
	IF NOT dp_noise.is_unique_key(target, keys) THEN
		RAISE EXCEPTION '(%) is not a unique key of %', array_to_string(keys, ', '), target::regclass
			USING ERRCODE = 'invalid_foreign_key', HINT = 'A row must refer to a single row, so that it has one owner: add a primary key or unique constraint.';
	END IF;
	IF EXISTS (
		SELECT FROM unnest(columns, keys) AS s (own, other)
		WHERE dp_noise.path_type(relation, s.own) IS DISTINCT FROM dp_noise.path_type(target, s.other)) THEN
		RAISE EXCEPTION 'columns of % and % along the path are of different types', relation, target::regclass
			USING ERRCODE = 'datatype_mismatch', HINT = 'Give them one type.';
	END IF;
	IF NOT dp_noise.have_one_owner(relation, target) THEN
		RAISE EXCEPTION 'relation % belongs to another role', target::regclass
			USING ERRCODE = 'insufficient_privilege', HINT = 'A path to a privacy unit stays within the tables of one owner.';
	END IF;
	path_id := (SELECT m.member_id FROM dp_noise_ledger.member AS m WHERE m.relation = target);
	IF path_id IS NULL THEN
		RAISE EXCEPTION 'relation % is not protected', target::regclass
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Protect it first: its privacy units own the rows that refer to it.';
	END IF;
	-- a circular path leads to no unit
	IF EXISTS (
		WITH RECURSIVE step (member_id) AS (
			SELECT path_id
			UNION
			SELECT m.path_member_id FROM dp_noise_ledger.member AS m JOIN step USING (member_id)
		)
		SELECT FROM step JOIN dp_noise_ledger.member AS m USING (member_id) WHERE m.relation = read_path.relation) THEN
		RAISE EXCEPTION 'the path from % leads back to it', relation
			USING ERRCODE = 'invalid_foreign_key', HINT = 'Protect one of the relations by a column that is the privacy unit.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.read_path(regclass, text) IS
'Reads and checks a path to a privacy unit: columns, the relation that they refer to, its number as a member, and its key. Under the locks of the population and of the columns of both.';

CREATE FUNCTION dp_noise.path_text(columns name[], target regclass, keys name[]) RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT format('%s -> %s (%s)',
		(SELECT string_agg(quote_ident(c), ', ' ORDER BY number) FROM unnest(columns) WITH ORDINALITY AS u (c, number)),
		target,
		(SELECT string_agg(quote_ident(k), ', ' ORDER BY number) FROM unnest(keys) WITH ORDINALITY AS u (k, number)))
$$;
COMMENT ON FUNCTION dp_noise.path_text(name[], regclass, name[]) IS 'The text of a path.';

-- The members whose units are broken (a column was dropped, a path leads nowhere)
-- are left out: nothing is answered about them. Views are, too: their units are
-- those of what they read, which the gate checks.

CREATE FUNCTION dp_noise.unit_roots(population_id integer)
RETURNS TABLE (relation regclass, root integer, root_relation oid, unit name, unit_number smallint, unit_type oid, unit_collation oid) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE step AS (
		SELECT m.relation, m.member_id AS root, 0 AS steps
		FROM dp_noise_ledger.member AS m JOIN pg_class AS c ON c.oid = m.relation AND c.relkind <> 'v'
		WHERE m.population_id = unit_roots.population_id
		UNION ALL
		SELECT s.relation, m.path_member_id, s.steps + 1
		FROM step AS s JOIN dp_noise_ledger.member AS m ON m.member_id = s.root
		WHERE m.path_member_id IS NOT NULL AND m.unit IS NULL AND s.steps < 100
	)
	SELECT s.relation::regclass, s.root, m.relation, m.unit, a.attnum, a.atttypid, k.oid
	FROM step AS s
	JOIN dp_noise_ledger.member AS m ON m.member_id = s.root
	LEFT JOIN pg_attribute AS a ON a.attrelid = m.relation AND a.attname = m.unit AND a.attnum > 0
	LEFT JOIN pg_collation AS k ON k.oid = a.attcollation AND NOT k.collisdeterministic -- all others compare the same
	WHERE m.path_member_id IS NULL AND m.unit IS DISTINCT FROM ''
$$;
COMMENT ON FUNCTION dp_noise.unit_roots(integer) IS
'Where the path of each relation in a population ends: the member that has the units, their column (null: its rows), the column''s number, type, and collation where that is not deterministic.';

CREATE FUNCTION dp_noise.check_same_people(population_id integer, relation regclass) RETURNS void LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
	pair record;
BEGIN
	SELECT m.neighbours, m.relation::regclass AS relation INTO pair
	FROM dp_noise_ledger.member AS own JOIN dp_noise_ledger.member AS m USING (population_id)
	WHERE own.relation = relation AND m.relation <> 0 AND m.neighbours <> own.neighbours
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'the neighbours of % are not those of %', relation, pair.relation
			USING ERRCODE = 'invalid_parameter_value', HINT = format('Charges add up only under the same neighbours: write neighbours => %L.', pair.neighbours);
	END IF;
	-- What was written, or has its units now, and all others.
	SELECT o.relation AS one, p.relation AS other, u.*
	INTO pair
	FROM dp_noise.unit_roots(population_id) AS o
	JOIN dp_noise.unit_roots(population_id) AS p ON p.root <> o.root
	CROSS JOIN LATERAL (
		SELECT o.unit IS NULL OR p.unit IS NULL AS is_row,
			o.unit_type <> p.unit_type AND dp_noise.path_type(o.root_relation, o.unit) <> dp_noise.path_type(p.root_relation, p.unit) AS is_other_type,
			o.unit_collation IS DISTINCT FROM p.unit_collation AS is_other_collation
	) AS u
	WHERE (o.relation = relation OR o.root_relation = relation) AND (u.is_row OR u.is_other_type OR u.is_other_collation)
	ORDER BY o.relation <> relation, p.relation::oid
	LIMIT 1;
	IF NOT FOUND THEN
		NULL;
	ELSIF pair.is_row THEN
		RAISE EXCEPTION 'the privacy units of % are not those of %', pair.one, pair.other
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Where units are rows, they exist in one relation only. Write a path that ends there, protect both by a column that identifies the same people, or write another population.';
	ELSIF pair.is_other_type THEN
		RAISE EXCEPTION 'the privacy units of % and % are of different types', pair.one, pair.other
			USING ERRCODE = 'datatype_mismatch', HINT = 'In a population, a value is the same person in all relations: give their columns one type.';
	ELSE
		RAISE EXCEPTION 'the privacy units of % and % are of collations that compare differently', pair.one, pair.other
			USING ERRCODE = 'collation_mismatch', HINT = 'In a population, a value is the same person in all relations: give their columns one collation.';
	END IF;
	-- A key of something else that a person has, such as a visit, is no person.
	SELECT r.unit AS key, k.confrelid::regclass AS target INTO pair
	FROM dp_noise.unit_roots(population_id) AS r
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = r.root_relation AND k.conkey = ARRAY[r.unit_number]
	JOIN pg_attribute AS key ON key.attrelid = k.confrelid AND key.attnum = k.confkey[1]
	JOIN dp_noise_ledger.member AS m ON m.relation = k.confrelid AND m.population_id = check_same_people.population_id
	WHERE m.unit IS DISTINCT FROM key.attname AND m.unit IS DISTINCT FROM '' AND m.relation <> r.root_relation
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'column % refers to %, whose privacy unit is another', pair.key, pair.target
			USING ERRCODE = 'invalid_parameter_value', HINT = format('Write the path: privacy_unit => %L.', format('%I -> %s', pair.key, pair.target));
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_same_people(integer, regclass) IS
'Refuses a member that was just written where its privacy units cannot be the people of the population: (population_id, the member). If paths end at different columns, the owner asserts that these identify the same people.';
/*
 * protect.sql
 *		Functions for owners of relations: protection.
 */

CREATE FUNCTION dp_noise.lock_names(relation oid) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_names' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_names(oid) IS
'Keeps the schema of a relation from being renamed until the end of the transaction, for whoever notes its name.';

CREATE FUNCTION dp_noise.lock_member(relation regclass) RETURNS dp_noise_ledger.member LANGUAGE plpgsql
AS $$
DECLARE
	found dp_noise_ledger.member;
	locked integer;
BEGIN
	-- Repeated until its population is the one that is locked.
	LOOP
		SELECT * INTO found FROM dp_noise_ledger.member AS m WHERE m.relation = lock_member.relation;
		EXIT WHEN found.population_id IS NOT DISTINCT FROM locked;
		locked := found.population_id;
		PERFORM dp_noise.lock_population(locked);
	END LOOP;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_member(regclass) IS
'Locks the population of a relation and returns its member; nulls if the relation is not protected.';

CREATE FUNCTION dp_noise.change_member(relation regclass) RETURNS integer LANGUAGE plpgsql
AS $$
DECLARE
	id integer;
BEGIN
	-- Names before populations, as where a relation is protected or renamed.
	PERFORM dp_noise.lock_names(relation);
	id := (dp_noise.lock_member(relation)).member_id;
	IF id IS NULL THEN
		RAISE EXCEPTION 'relation % is not protected', relation
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Protect it first with dp_noise.protect().';
	END IF;
	UPDATE dp_noise_ledger.member AS m SET settings_version = nextval('dp_noise_ledger.settings_version') WHERE m.member_id = id;
	RETURN id;
END
$$;
COMMENT ON FUNCTION dp_noise.change_member(regclass) IS
'Locks the population of a protected relation, gives its settings a new version, under which statements planned before are not charged, and returns its number. Error: object_not_in_prerequisite_state (not protected).';

CREATE FUNCTION dp_noise.remove_members(members integer[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	PERFORM dp_noise.lock_population(p.population_id)
	FROM (SELECT DISTINCT m.population_id FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (members) ORDER BY 1) AS p;
	DELETE FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = ANY (members);
	DELETE FROM dp_noise_ledger.column_values AS v WHERE v.member_id = ANY (members);
	DELETE FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (members);
END
$$;
COMMENT ON FUNCTION dp_noise.remove_members(integer[]) IS 'Ends the protection of relations. What was spent is their population''s.';

CREATE FUNCTION dp_noise.column_name(relation regclass, column_name text) RETURNS text
AS 'MODULE_PATHNAME', 'dp_column_name' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.column_name(regclass, text) IS
'The name of the column that a text names, exactly or as an identifier of SQL; the text itself if there is none.';

CREATE FUNCTION dp_noise.column_number(relation regclass, column_name text) RETURNS smallint LANGUAGE plpgsql
AS $$
DECLARE
	number smallint;
BEGIN
	SELECT a.attnum INTO number FROM pg_attribute AS a
	WHERE a.attrelid = relation AND a.attname = column_number.column_name
		AND a.attnum > 0 AND NOT a.attisdropped;
	IF number IS NULL THEN
		RAISE EXCEPTION 'column % of relation % does not exist', coalesce(quote_ident(column_name), 'null'), relation
			USING ERRCODE = 'undefined_column', HINT = 'Write the name of a column of the relation.';
	END IF;
	RETURN number;
END
$$;
COMMENT ON FUNCTION dp_noise.column_number(regclass, text) IS 'Number of a column of a relation. Raises an error if there is no such column.';

CREATE FUNCTION dp_noise.has_one_row_each(relation regclass, number smallint) RETURNS boolean LANGUAGE sql STABLE
AS $$
	-- A unique index says nothing about the rows of inheriting tables.
	SELECT EXISTS (
		SELECT FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
		WHERE c.oid = relation AND NOT (c.relkind = 'r' AND c.relhassubclass)
			AND x.indnkeyatts = 1 AND x.indkey[0] = number
			AND dp_noise.tells_rows_apart(x.indexrelid))
$$;
COMMENT ON FUNCTION dp_noise.has_one_row_each(regclass, smallint) IS 'True where a unique index prevents two rows with the same value of a column.';

CREATE FUNCTION dp_noise.distribution(relation regclass) RETURNS "char"
AS 'MODULE_PATHNAME', 'dp_distribution' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.distribution(regclass) IS 'How Citus distributes a table: partmethod in its pg_dist_partition, or "l" for a local table that it manages. Null where it does not.';

CREATE FUNCTION dp_noise.can_be_unit(relation regclass, number smallint) RETURNS boolean LANGUAGE sql STABLE
AS $$
	-- Follows domains over domains.
	WITH RECURSIVE type AS (
		SELECT t.oid, t.typtype, t.typbasetype
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
		WHERE a.attrelid = relation AND a.attnum = number
		UNION ALL
		SELECT t.oid, t.typtype, t.typbasetype
		FROM type JOIN pg_type AS t ON t.oid = type.typbasetype
		WHERE type.typtype = 'd'
	)
	SELECT NOT EXISTS (
		SELECT FROM type, pg_am AS m
		WHERE type.typtype = 'b' AND type.oid < 16384 AND m.amname IN ('btree', 'hash')
			AND NOT EXISTS (SELECT FROM pg_type AS t WHERE t.typarray = type.oid)
			AND NOT EXISTS (SELECT FROM pg_opclass AS o
				WHERE o.opcmethod = m.oid AND o.opcdefault AND o.oid < 16384
					AND (o.opcintype = type.oid OR EXISTS (SELECT FROM pg_cast AS c
						WHERE c.castsource = type.oid AND c.casttarget = o.opcintype AND c.castmethod = 'b' AND c.castcontext = 'i'))))
$$;
COMMENT ON FUNCTION dp_noise.can_be_unit(regclass, smallint) IS
'False for a column of a type that the server cannot both sort and hash, such as money, bit and tsvector: grouped questions need both of a privacy unit.';

CREATE FUNCTION dp_noise.populations_beneath(view oid) RETURNS integer[] LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE beneath AS (
		SELECT view AS object
		UNION
		SELECT d.refobjid
		FROM beneath AS b
		JOIN pg_rewrite AS w ON w.ev_class = b.object AND w.rulename = '_RETURN'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT ARRAY(
		SELECT DISTINCT m.population_id FROM beneath AS b JOIN dp_noise_ledger.member AS m ON m.relation = b.object
		WHERE b.object <> view
		ORDER BY 1)
$$;
COMMENT ON FUNCTION dp_noise.populations_beneath(oid) IS 'The populations of the protected relations that a view reads. None for a table.';

CREATE FUNCTION dp_noise.may_be_member(relation oid, population_id integer) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (
		SELECT FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner, dp_noise_ledger.population AS p
		WHERE c.oid = may_be_member.relation AND p.population_id = may_be_member.population_id
			AND (r.rolsuper OR r.oid = p.owner OR EXISTS (
				SELECT FROM dp_noise_ledger.allowance AS a
				WHERE a.population_id = p.population_id AND a.role = r.oid AND a.role_name = r.rolname)))
$$;
COMMENT ON FUNCTION dp_noise.may_be_member(oid, integer) IS
'True where the owner of a relation owns the population, is allowed to add members to it, or is a superuser: (relation, population_id).';

CREATE FUNCTION dp_noise.find_population_for(relation regclass, population text) RETURNS integer LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
	named CONSTANT integer := dp_noise.population_number(population);
	of_member integer;
	owner oid;
	is_other_owner boolean;
BEGIN
	-- Or a member's name, read as that of a path's target.
	BEGIN
		of_member := (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = dp_noise.path_target(relation, population));
	EXCEPTION WHEN undefined_table OR invalid_parameter_value THEN
		NULL;
	END;
	IF coalesce(named, of_member) IS NULL THEN
		RAISE EXCEPTION 'population "%" does not exist', population
			USING ERRCODE = 'undefined_object', HINT = 'Create it first with dp_noise.create_population(), or write the name of a protected relation.';
	END IF;
	SELECT p.owner, p.owner <> o.owner INTO owner, is_other_owner
	FROM dp_noise_ledger.population AS p, dp_noise_ledger.population AS o
	WHERE p.population_id = named AND o.population_id = of_member;
	-- Others take names, and allow what nobody has asked them for.
	IF is_other_owner AND owner <> (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation) THEN
		IF dp_noise.may_be_member(relation, named) AND dp_noise.may_be_member(relation, of_member) THEN
			RAISE EXCEPTION '"%" names a population, and a relation in population "%" of another owner', population,
					(SELECT p.name FROM dp_noise_ledger.population AS p WHERE p.population_id = of_member)
				USING ERRCODE = 'ambiguous_alias', HINT = 'Write the name of the population that is meant.';
		ELSIF dp_noise.may_be_member(relation, of_member) THEN
			RETURN of_member;
		END IF;
	END IF;
	RETURN coalesce(named, of_member);
END
$$;
COMMENT ON FUNCTION dp_noise.find_population_for(regclass, text) IS
'The population that the owner of a relation means by a name: one of that name, or that of a relation of this name.';

CREATE FUNCTION dp_noise.choose_population(relation regclass, population text, target oid) RETURNS integer LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
	present CONSTANT integer := (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = relation);
	given CONSTANT integer := CASE WHEN population IS NOT NULL THEN dp_noise.find_population_for(relation, population) END;
	beneath CONSTANT integer[] := dp_noise.populations_beneath(relation);
	along CONSTANT integer := (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = target);
BEGIN
	IF along <> given THEN
		RAISE EXCEPTION 'the path from % leads to a relation of another population', relation
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave the population out: it is that of the relation to which the path leads.';
	ELSIF beneath <> '{}' AND given <> ALL (beneath) THEN
		RAISE EXCEPTION 'view % reads nothing of population "%"', relation, population
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave the population out: it is that of what the view reads.';
	ELSIF cardinality(beneath) > 1 AND given IS NULL AND (present = ANY (beneath)) IS NOT TRUE THEN
		RAISE EXCEPTION 'view % reads relations of several populations', relation
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write population => one of them, in which roles are then granted budgets to ask through the view.';
	END IF;
	RETURN coalesce(given, along, CASE WHEN cardinality(beneath) = 1 THEN beneath[1] END, present);
END
$$;
COMMENT ON FUNCTION dp_noise.choose_population(regclass, text, oid) IS
'The population of a relation that is being protected: (relation, population as the caller wrote it or null, the relation to which its path leads or null). Null: that of its own name.';

CREATE FUNCTION dp_noise.lock_population_of(relation regclass, population text, target oid, epsilon numeric, delta numeric)
RETURNS integer LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
	own_name CONSTANT text := (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation);
	owner CONSTANT oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation);
	chosen integer;
	locked integer;
BEGIN
	-- That of the path's target may change until it is locked.
	LOOP
		chosen := dp_noise.choose_population(relation, population, target);
		IF chosen IS NULL THEN
			chosen := dp_noise.population_number(own_name);
			IF owner <> (SELECT p.owner FROM dp_noise_ledger.population AS p WHERE p.population_id = chosen) THEN
				RAISE EXCEPTION 'population "%" belongs to another role', own_name
					USING ERRCODE = 'insufficient_privilege', HINT = 'Create one of another name with dp_noise.create_population(), and write population => that name.';
			END IF;
		END IF;
		IF chosen IS NULL THEN
			RETURN dp_noise.add_population(own_name, owner, epsilon, coalesce(delta, 0));
		END IF;
		-- Also before it is locked: others shall not hold it up.
		IF NOT dp_noise.may_be_member(relation, chosen) THEN
			RAISE EXCEPTION 'role % may not add relations to population "%"', owner::regrole,
					(SELECT p.name FROM dp_noise_ledger.population AS p WHERE p.population_id = chosen)
				USING ERRCODE = 'insufficient_privilege', HINT = 'The population''s owner allows it with dp_noise.allow_members().';
		END IF;
		-- The right to ask about a view is one to what is beneath it.
		IF EXISTS (
			SELECT FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.population AS c ON c.population_id = chosen
			WHERE p.population_id = ANY (dp_noise.populations_beneath(relation)) AND p.owner NOT IN (owner, c.owner)) THEN
			RAISE EXCEPTION 'view % reads relations in a population of another role', relation
				USING ERRCODE = 'insufficient_privilege', HINT = 'Protect it in that population: its owner grants the budgets to ask about it.';
		END IF;
		EXIT WHEN chosen = locked;
		locked := chosen;
		PERFORM dp_noise.lock_population(locked);
	END LOOP;
	RETURN chosen;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_population_of(regclass, text, oid, numeric, numeric) IS
'Chooses, locks and checks the population of a relation that is being protected; one of its own name is created with that grant.';

CREATE FUNCTION dp_noise.do_protect(
	relation regclass, privacy_unit text DEFAULT NULL, neighbours text DEFAULT 'add_remove', max_rows_per_unit integer DEFAULT NULL,
	max_groups_per_unit integer DEFAULT 1, replace_unit boolean DEFAULT false, population text DEFAULT NULL, epsilon numeric DEFAULT NULL,
	delta numeric DEFAULT NULL, min_people_per_group integer DEFAULT 1
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	kind record;
	distribution "char";
	unit_name CONSTANT text := dp_noise.column_name(relation, privacy_unit);
	is_path CONSTANT boolean := coalesce(privacy_unit LIKE '%->%' AND dp_noise.is_missing(relation, unit_name::name), false);
	unit name := CASE WHEN NOT is_path THEN unit_name END;
	target oid;
	path record;
	has_one_row boolean;
	is_spent boolean;
	is_other boolean;
	old dp_noise_ledger.member;
	new dp_noise_ledger.member;
BEGIN
	PERFORM dp_noise.lock_names(relation);
	-- The names are those of now, whatever the transaction's snapshot shows.
	SELECT c.relkind, c.relpersistence, a.object_names[1] AS nspname, a.object_names[2] AS relname INTO STRICT kind
	FROM pg_class AS c CROSS JOIN LATERAL pg_identify_object_as_address('pg_catalog.pg_class'::regclass, c.oid, 0) AS a
	WHERE c.oid = relation;
	IF kind.relkind NOT IN ('r', 'p', 'f', 'v') OR kind.relpersistence = 't'
		OR kind.nspname IN ('pg_catalog', 'information_schema', 'dp_noise', 'dp_noise_ledger') THEN
		RAISE EXCEPTION 'relation % cannot be protected', relation
			USING ERRCODE = 'wrong_object_type', HINT = CASE WHEN kind.relkind = 'm'
					THEN 'A materialized view keeps rows without their owners: protect a plain view, or a table with the rows.'
					ELSE 'Tables, partitioned tables, foreign tables and views can be protected, other relations, temporary ones and those of the system cannot.'
				END;
	END IF;
	distribution := dp_noise.distribution(relation);
	IF distribution = 'a' THEN
		RAISE EXCEPTION 'relation % cannot be protected, since Citus distributes it by append', relation
			USING ERRCODE = 'feature_not_supported', HINT = 'The least and greatest value of each shard are shown to everybody: distribute it by hash.';
	END IF;
	IF distribution = 'l' THEN
		RAISE EXCEPTION 'relation % cannot be protected, since it is a local table that Citus manages', relation
			USING ERRCODE = 'feature_not_supported', HINT = 'Its rows are in a shard of their own. Distribute it, make it a reference table, or take it from Citus with undistribute_table().';
	END IF;
	IF distribution IS NOT NULL AND NOT (SELECT r.rolcanlogin FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner WHERE c.oid = relation) THEN
		RAISE EXCEPTION 'relation % cannot be protected, since its owner may not log in', relation
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Citus reads it on the nodes as its owner: give it to a role that may, with ALTER TABLE ... OWNER TO.';
	END IF;
	IF neighbours IS NULL OR neighbours NOT IN ('add_remove', 'substitute') THEN
		RAISE EXCEPTION 'invalid neighbours: %', coalesce(quote_literal(neighbours), 'null')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write ''add_remove'' or ''substitute''.';
	END IF;
	IF is_path AND kind.relkind = 'v' THEN
		RAISE EXCEPTION 'a view has no path to its privacy units'
			USING ERRCODE = 'feature_not_supported', HINT = 'They are those of the relations that it reads: name the column of the view that shows them, or none.';
	END IF;
	IF unit_name <> unit THEN
		RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(privacy_unit), relation
			USING ERRCODE = 'undefined_column', HINT = 'The privacy unit is a column of the relation, such as a person''s number.';
	END IF;
	IF unit IS NOT NULL AND NOT dp_noise.can_be_unit(relation, dp_noise.column_number(relation, unit)) THEN
		RAISE EXCEPTION 'column % of relation % cannot be a privacy unit, since the server cannot both sort and hash its type', quote_ident(unit), relation
			USING ERRCODE = 'feature_not_supported', HINT = 'Write a column of numbers, texts, dates or uuids.';
	END IF;
	has_one_row := CASE
		WHEN kind.relkind = 'v'
			THEN dp_noise.check_view(relation, CASE WHEN unit IS NULL THEN 0::smallint ELSE dp_noise.column_number(relation, unit) END)
		WHEN is_path THEN false
		WHEN unit IS NULL THEN true
		ELSE dp_noise.has_one_row_each(relation, dp_noise.column_number(relation, unit))
	END;
	IF max_rows_per_unit IS NULL AND NOT has_one_row THEN
		RAISE EXCEPTION 'max_rows_per_unit is missing: several rows of % may have one %', relation, coalesce(quote_ident(unit), 'privacy unit')
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write how many rows of one unit count in an answer, such as max_rows_per_unit => 10. Noise grows with it; rows beyond it are left out. dp_noise.suggest() finds a good number privately, once the table is protected with any.';
	END IF;
	IF max_rows_per_unit < 1 OR coalesce(max_groups_per_unit, 0) < 1 THEN
		RAISE EXCEPTION 'caps on a privacy unit''s contribution must be at least 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write how many rows and groups of one unit may count.';
	END IF;
	IF coalesce(min_people_per_group, 0) < 1 THEN
		RAISE EXCEPTION 'min_people_per_group must be at least 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write how many people a group must have to be shown.';
	END IF;

	-- Relations are locked before populations, as by whoever changes a relation.
	-- What a path relies on is read under both locks.
	IF is_path THEN
		target := dp_noise.lock_target(relation, privacy_unit);
	END IF;
	old := dp_noise.lock_member(relation);
	new.population_id := dp_noise.lock_population_of(relation, population, target, epsilon, delta);
	IF old.member_id IS NULL THEN -- others may have protected it meanwhile
		old := dp_noise.lock_member(relation);
	END IF;
	new.unit := unit;
	new.neighbours := neighbours;
	IF is_path THEN
		SELECT * INTO path FROM dp_noise.read_path(relation, privacy_unit);
		new.path_columns := path.columns;
		new.path_member_id := path.path_id;
		new.path_keys := path.keys;
	END IF;
	IF replace_unit IS NOT TRUE AND old.member_id IS NOT NULL THEN
		is_spent := dp_noise.is_spent(old.population_id);
		is_other := (old.unit, old.path_columns, old.path_member_id, old.path_keys) IS DISTINCT FROM (new.unit, new.path_columns, new.path_member_id, new.path_keys);
		IF is_spent AND old.population_id <> new.population_id THEN
			RAISE EXCEPTION 'what was spent of the population of % would no longer count for it', relation
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = (SELECT format('Write population => %L, or replace_unit => true to go on with another one anyway.', p.name)
						FROM dp_noise_ledger.population AS p WHERE p.population_id = old.population_id);
		ELSIF is_spent AND (is_other OR old.neighbours <> new.neighbours) THEN
			RAISE EXCEPTION 'relation % has been queried with another privacy unit or other neighbours', relation
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'What was spent bounds what is known of the old units. Write replace_unit => true to go on with the new ones anyway.';
		ELSIF is_other AND EXISTS (
			SELECT FROM dp_noise.unit_roots(old.population_id) AS own JOIN dp_noise.unit_roots(new.population_id) AS u ON u.root <> own.root
			WHERE own.relation = relation) THEN
			RAISE EXCEPTION 'relations of a population would no longer have the same privacy units'
				USING ERRCODE = 'object_not_in_prerequisite_state',
					DETAIL = format('They were declared to be the same when those of %s were others.', relation),
					HINT = 'Write replace_unit => true if they still are the same people.';
		END IF;
	END IF;
	IF EXISTS (
		SELECT FROM dp_noise_ledger.budget AS b
		WHERE b.population_id = new.population_id AND b.role IS NULL AND (b.epsilon <> epsilon OR b.delta <> delta)) THEN
		RAISE EXCEPTION 'the population exists, with another grant'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave epsilon and delta out. The population''s owner changes its grant with dp_noise.alter_population().';
	END IF;

	IF old.member_id IS NULL THEN
		-- One may be left of a dump that was restored without the relation.
		PERFORM dp_noise.remove_members(ARRAY(
			SELECT m.member_id FROM dp_noise_ledger.member AS m
			WHERE m.population_id = new.population_id AND m.relation = 0 AND (m.schema_name, m.relation_name) = (kind.nspname, kind.relname)));
		INSERT INTO dp_noise_ledger.member (population_id, schema_name, relation_name, neighbours, max_rows_per_unit, max_groups_per_unit, min_people_per_group)
		VALUES (new.population_id, kind.nspname, kind.relname, neighbours, 1, 1, 1);
	END IF;
	UPDATE dp_noise_ledger.member AS m
	SET population_id = new.population_id,
		unit = new.unit,
		path_columns = new.path_columns,
		path_member_id = new.path_member_id,
		path_keys = new.path_keys,
		neighbours = new.neighbours,
		max_rows_per_unit = coalesce(do_protect.max_rows_per_unit, 1),
		max_groups_per_unit = do_protect.max_groups_per_unit,
		min_people_per_group = do_protect.min_people_per_group,
		settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE m.relation = do_protect.relation;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'relation % was renamed meanwhile', relation
			USING ERRCODE = 't_r_serialization_failure', HINT = 'Protect it again.';
	END IF;
	PERFORM dp_noise.check_same_people(new.population_id, relation);
END
$$;
CALL dp_noise.add_entry('protect');
COMMENT ON FUNCTION dp_noise.protect(regclass, text, text, integer, integer, boolean, text, numeric, numeric, integer) IS
'Protects a table or a view of protected tables, or changes the settings of a protected one. privacy_unit: a column; null for the row; or a path such as ''order_id -> orders'' to the relation whose units own the rows. For a view: the column that shows the unit of what it reads, or null for whatever the unit is. neighbours: add_remove or substitute. max_rows_per_unit: how many rows of a unit count in a group (L-infinity bound); may be omitted where a unit has one row, that is, where the unit is the row or a column with a unique index. max_groups_per_unit: in how many groups a unit counts (L0 bound). min_people_per_group: groups of fewer units are never shown; with more than 1, groups of public keys are selected by a noisy count, too, for a delta. population: the people whom the relation is about, by the name of a population or of one of its relations (with its schema where that is another); a value of the privacy unit is the same person in all relations of a population. Left out: that of the relation to which a path leads, or which a view reads; or that of the relation''s own name, which is created with the grant epsilon (and delta; 0 if left out) where it does not exist. A table that is dropped and made anew so returns to what was spent. Once anything was spent, unit, neighbours and population change only with replace_unit. A NOTICE tells where the population is another owner''s, who then grants the budgets to ask about the relation, and asks without one. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_unprotect(relation regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	PERFORM dp_noise.remove_members(ARRAY[dp_noise.change_member(relation)]);
END
$$;
CALL dp_noise.add_entry('unprotect');
COMMENT ON FUNCTION dp_noise.unprotect(regclass) IS
'Ends the protection of a table. What was spent remains spent of its population, and budgets remain there, for its other relations. For the table''s owner and superusers.';
/*
 * doubts.sql
 *		What protect() warns of: declarations that are allowed, and often mistakes.
 */

CREATE FUNCTION dp_noise.doubts_of(relation oid) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
SET jit = off -- would compile for longer than all it runs
AS $$
	WITH RECURSIVE me AS MATERIALIZED (
		SELECT m.member_id, m.population_id, m.unit, m.path_member_id, c.relkind, c.relowner, p.owner
		FROM dp_noise_ledger.member AS m
		JOIN pg_class AS c ON c.oid = m.relation
		JOIN dp_noise_ledger.population AS p USING (population_id)
		WHERE m.relation = doubts_of.relation
	), root AS MATERIALIZED (
		-- of others only what the relation's owner may know
		SELECT DISTINCT r.root, r.root_relation, r.unit, r.unit_number, bool_or(r.relation = doubts_of.relation) AS is_own
		FROM me CROSS JOIN LATERAL dp_noise.unit_roots(me.population_id) AS r
		JOIN pg_class AS c ON c.oid = r.root_relation
		WHERE c.relowner = me.relowner OR me.owner = me.relowner
		GROUP BY 1, 2, 3, 4
	), same (root, relation, number) AS (
		-- the columns that have the values of a unit, as foreign keys say
		SELECT r.root, r.root_relation, r.unit_number FROM root AS r WHERE r.unit IS NOT NULL
		UNION
		SELECT s.root, k.confrelid, k.confkey[1]
		FROM same AS s JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = s.relation AND k.conkey = ARRAY[s.number]
	), pair AS (
		SELECT o.unit = r.unit AS is_named_alike,
			EXISTS (SELECT FROM same AS s JOIN same AS t USING (relation, number) WHERE s.root = o.root AND t.root = r.root) AS meet,
			EXISTS (SELECT FROM same AS s WHERE s.root = o.root HAVING count(*) > 1) AS refers,
			EXISTS (SELECT FROM same AS s WHERE s.root = r.root HAVING count(*) > 1) AS other_refers
		FROM root AS o JOIN root AS r ON o.is_own AND r.root <> o.root
	), beneath AS (
		SELECT doubts_of.relation AS object
		UNION
		SELECT d.refobjid
		FROM beneath AS b
		JOIN pg_rewrite AS w ON w.ev_class = b.object AND w.rulename = '_RETURN'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT array_remove(ARRAY[
		CASE WHEN EXISTS (SELECT FROM pair WHERE refers AND other_refers) AND NOT EXISTS (SELECT FROM pair WHERE meet) THEN 'other people'
			WHEN EXISTS (SELECT FROM pair) AND NOT EXISTS (SELECT FROM pair WHERE meet OR is_named_alike) THEN 'no people' END,
		CASE WHEN EXISTS (
			SELECT FROM me
			JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = doubts_of.relation AND k.conrelid <> k.confrelid
			JOIN dp_noise_ledger.member AS m ON m.relation = k.conrelid
			JOIN pg_class AS c ON c.oid = k.conrelid AND c.relowner = me.relowner
			WHERE me.unit IS NULL AND me.path_member_id IS NULL AND me.relkind <> 'v'
				AND m.path_member_id IS DISTINCT FROM me.member_id) THEN 'rows' END,
		CASE WHEN EXISTS (SELECT FROM me JOIN beneath AS b ON me.relkind = 'v' JOIN pg_class AS c ON c.oid = b.object WHERE c.relrowsecurity)
			THEN 'row security' END
	], NULL)
$$;
COMMENT ON FUNCTION dp_noise.doubts_of(oid) IS
'What dp_noise.protect() warns of about a relation that it has protected: other people, no people (than those of the rest of its population), rows (that protected relations refer to), row security (beneath a view). Called by the library.';
/*
 * protect_schema.sql
 *		Protects the tables of a schema whose rows belong to the people of one
 *		of them.
 *
 * It runs with its caller's rights, and protects by dp_noise.protect. To say
 * what it would do, it does it and takes it back.
 */

CREATE FUNCTION dp_noise.paths_to(root regclass, schema regnamespace)
RETURNS TABLE (relation regclass, depth integer, target oid, columns text, path text, key name, others text, missing text) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE present (relation) AS (
		SELECT root::oid
		UNION
		SELECT c.oid FROM pg_class AS c
		WHERE c.relnamespace = schema AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
	), link AS (
		SELECT k.conrelid AS relation, k.confrelid AS target, bool_or(k.convalidated) AS is_valid, k.conkey, k.confkey
		FROM pg_constraint AS k
		JOIN present AS p ON p.relation = k.conrelid
		JOIN present AS q ON q.relation = k.confrelid
		WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid NOT IN (k.confrelid, root)
		GROUP BY k.conrelid, k.confrelid, k.conkey, k.confkey
	), reach (avoided, relation) AS (
		-- what leads to the root without the table in question
		SELECT DISTINCT l.relation, root::oid FROM link AS l
		UNION
		SELECT r.avoided, l.relation FROM reach AS r JOIN link AS l ON l.target = r.relation WHERE l.relation <> r.avoided
	), path AS MATERIALIZED (
		SELECT l.relation, l.target, l.is_valid, n.columns, format('%s -> %s (%s)', n.columns, l.target::regclass, n.keys) AS path,
			CASE WHEN cardinality(l.conkey) = 1 AND n.is_one_type THEN n.key END AS key,
			l.target = root AND n.columns = n.keys AS is_own
		FROM link AS l
		JOIN reach AS r ON r.avoided = l.relation AND r.relation = l.target
		CROSS JOIN LATERAL (
			SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.number), string_agg(quote_ident(b.attname), ', ' ORDER BY u.number),
				min(b.attname::text)::name, bool_and((a.atttypid, a.attcollation) = (b.atttypid, b.attcollation))
			FROM unnest(l.conkey, l.confkey) WITH ORDINALITY AS u (own, other, number)
			JOIN pg_attribute AS a ON a.attrelid = l.relation AND a.attnum = u.own
			JOIN pg_attribute AS b ON b.attrelid = l.target AND b.attnum = u.other
		) AS n (columns, keys, key, is_one_type)
	), told AS (
		-- person_id -> person (person_id) says whose a row is, whatever else it refers to
		SELECT p.relation, min(p.target) AS target, min(p.columns) AS columns, min(p.key::text) AS key, count(*) AS number,
			bool_and(p.is_valid) AS is_valid, string_agg(p.path, '; ' ORDER BY p.path) AS path,
			(SELECT string_agg(o.path, '; ' ORDER BY o.path) FROM path AS o WHERE o.relation = p.relation AND bool_or(p.is_own) AND NOT o.is_own) AS others
		FROM path AS p
		WHERE p.is_own OR NOT EXISTS (SELECT FROM path AS o WHERE o.relation = p.relation AND o.is_own)
		GROUP BY p.relation
	), tree (relation, depth) AS (
		SELECT root::oid, 0
		UNION ALL
		SELECT t.relation, r.depth + 1 FROM tree AS r JOIN told AS t ON t.target = r.relation WHERE t.number = 1 AND t.is_valid
	)
	SELECT p.relation, r.depth, t.target, t.columns, t.path, t.key, t.others,
		CASE WHEN r.depth IS NOT NULL THEN NULL
			WHEN t.path IS NULL THEN format('no foreign key leads to %s', root)
			WHEN t.number > 1 THEN 'several paths: ' || t.path
			WHEN NOT t.is_valid THEN 'its foreign key is not validated: ' || t.path
			ELSE 'its path goes on from a table that is left out: ' || t.path END
	FROM present AS p LEFT JOIN told AS t USING (relation) LEFT JOIN tree AS r USING (relation)
$$;
COMMENT ON FUNCTION dp_noise.paths_to(regclass, regnamespace) IS
'The tables of a schema with the foreign keys by which their rows lead to a root. Depth: the number of steps; null, with missing, where there is no single path. A key of the root''s own name that leads to the root, as person_id to person (person_id), is the path of its table whatever others there are. Key: what a step refers to, where that is one column of the same type.';

CREATE FUNCTION dp_noise.protect_schema(
	schema regnamespace, root regclass, population text DEFAULT NULL, dry_run boolean DEFAULT false, root_unit text DEFAULT NULL,
	max_rows integer DEFAULT NULL, neighbours text DEFAULT 'add_remove'
)
RETURNS TABLE (relation regclass, privacy_unit text, max_rows_per_unit integer, done text, statement text) LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
	one record;
	present record;
	cap integer;
BEGIN
	FOR one IN SELECT * FROM dp_noise.paths_to(root, schema) AS p ORDER BY p.depth, p.relation::text COLLATE "C" LOOP
		relation := one.relation;
		privacy_unit := NULL;
		cap := NULL;
		done := 'left out: ' || one.missing;
		SELECT p.population, p.privacy_unit INTO present FROM dp_noise.protected_relations AS p WHERE p.relation = one.relation;
		IF present.population IS NOT NULL THEN
			IF one.depth = 0 AND population <> present.population THEN
				RAISE EXCEPTION 'relation % is in population "%"', root, present.population
					USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Its people are those of all tables that lead to it: leave out the population.';
			END IF;
			done := 'is protected already, in population ' || quote_literal(present.population);
			privacy_unit := present.privacy_unit;
		ELSIF one.depth = 0 THEN
			privacy_unit := coalesce(root_unit, (
				SELECT min(a.attname::text) FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
				WHERE k.contype = 'p' AND k.conrelid = root HAVING count(*) = 1));
		ELSIF one.missing IS NULL THEN
			-- what refers to the unit itself has it
			privacy_unit := CASE WHEN one.key = (SELECT p.privacy_unit FROM dp_noise.protected_relations AS p WHERE p.relation = one.target)
				THEN (parse_ident(one.columns))[1] ELSE one.path END;
		END IF;
		WHILE done IS NULL LOOP
			BEGIN
				PERFORM dp_noise.protect(one.relation, privacy_unit, neighbours, cap, population => population);
				done := concat(CASE WHEN dry_run THEN 'would be protected' ELSE 'protected' END, ', though there is also ' || one.others);
			EXCEPTION WHEN OTHERS THEN
				IF SQLSTATE = '22004' AND cap IS NULL AND max_rows IS NOT NULL THEN
					cap := max_rows; -- tables with one row a unit need none
				ELSIF one.depth = 0 THEN
					RAISE;
				ELSE
					done := CASE SQLSTATE WHEN '22004' THEN 'left out: needs max_rows_per_unit' ELSE 'left out: ' || SQLERRM END;
				END IF;
			END;
		END LOOP;
		statement := CASE WHEN present.population IS NULL AND one.missing IS NULL THEN format('SELECT dp_noise.protect(%s);', concat_ws(', ',
			quote_literal(one.relation), 'privacy_unit => ' || quote_literal(privacy_unit), 'neighbours => ' || quote_literal(nullif(neighbours, 'add_remove')),
			'max_rows_per_unit => ' || cap, 'population => ' || quote_literal(population))) END;
		SELECT p.population, p.max_rows_per_unit INTO present FROM dp_noise.protected_relations AS p WHERE p.relation = one.relation;
		max_rows_per_unit := present.max_rows_per_unit;
		population := coalesce(population, present.population);
		RETURN NEXT;
	END LOOP;
	IF dry_run THEN
		RAISE savepoint_exception;
	END IF;
EXCEPTION WHEN savepoint_exception THEN
	IF dry_run IS NOT TRUE THEN
		RAISE;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.protect_schema(regnamespace, regclass, text, boolean, text, integer, text) IS
'Protects all tables of a schema whose rows lead to a root by foreign keys, and the root: along validated keys, where there is a single path, or one key to the root under the name that it has there, such as person_id to person (person_id). Returns one row for each table of the schema: what was done, and the statement that did it. What is left out and why: several paths, or none; another owner; a key that is not unique; a table that needs max_rows_per_unit, since a unit may have several rows there: max_rows is for all of those. Tables that are protected already stay as they are. root_unit: the column of the root that is the privacy unit; null: its primary key, or else the row. dry_run: takes all of it back. For owners of the tables and superusers, as dp_noise.protect.';
/*
 * declared.sql
 *		Functions for owners of relations: bounds and values of columns, levels.
 */

CREATE FUNCTION dp_noise.bounded_kind(relation regclass, number smallint) RETURNS text LANGUAGE plpgsql
AS $$
DECLARE
	numbers CONSTANT oid[] := '{int2,int4,int8,float4,float8,numeric}'::regtype[];
	ordered CONSTANT oid[] := '{date,timestamp,timestamptz,time,interval}'::regtype[];
	found record;
	base oid;
BEGIN
	SELECT a.attname, a.atttypid INTO STRICT found FROM pg_attribute AS a
	WHERE a.attrelid = relation AND a.attnum = number;
	base := found.atttypid;
	WHILE EXISTS (SELECT FROM pg_type AS t WHERE t.oid = base AND t.typtype = 'd') LOOP
		base := (SELECT t.typbasetype FROM pg_type AS t WHERE t.oid = base);
	END LOOP;
	IF base = ANY (numbers) THEN
		RETURN 'number';
	ELSIF base = ANY (ordered) THEN
		RETURN format_type(base, NULL);
	END IF;
	RAISE EXCEPTION 'column % of relation %, of type %, cannot have bounds', quote_ident(found.attname), relation, format_type(base, NULL)
		USING ERRCODE = 'feature_not_supported', HINT = CASE base WHEN 'money'::regtype
				THEN 'What money is worth depends on a setting. Make the column numeric, with ALTER TABLE ... ALTER COLUMN ... TYPE numeric.'
				ELSE 'Bounds are for numbers, dates, times and intervals. dp_noise.set_values() declares the values of other columns.' END;
END
$$;
COMMENT ON FUNCTION dp_noise.bounded_kind(regclass, smallint) IS
'The kind of the bounds of a column, given by its number: number, or the name of the column''s type if that is a date, time or interval type. Errors: feature_not_supported for other types.';

CREATE FUNCTION dp_noise.do_set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.change_member(relation);
	kind text;
BEGIN
	column_name := dp_noise.column_name(relation, column_name);
	IF lower IS NULL AND upper IS NULL THEN
		DELETE FROM dp_noise_ledger.column_bounds AS b
		WHERE b.member_id = id AND b.column_name = column_name::name;
		RETURN;
	END IF;
	kind := dp_noise.bounded_kind(relation, dp_noise.column_number(relation, column_name));
	IF lower IS NULL OR upper IS NULL OR lower > upper OR lower IN ('NaN', '-Infinity', 'Infinity')
		OR upper IN ('NaN', '-Infinity', 'Infinity') THEN
		RAISE EXCEPTION 'bounds must be finite, and lower must not exceed upper'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write the least and the greatest value that a row can sensibly have; two nulls remove the bounds.';
	END IF;
	DELETE FROM dp_noise_ledger.column_bounds AS b
	WHERE b.member_id = id AND b.column_name = do_set_bounds.column_name::name;
	INSERT INTO dp_noise_ledger.column_bounds VALUES (id, column_name, lower, upper, kind);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_bounds(regclass, text, numeric, numeric) IS
'Body of dp_noise.set_bounds. Dates and times are numbers of days or microseconds.';
CREATE FUNCTION dp_noise.set_bounds(relation regclass, column_name text, lower anycompatible, upper anycompatible) RETURNS void
AS 'MODULE_PATHNAME', 'dp_set_bounds' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_bounds(regclass, text, anycompatible, anycompatible) IS
'Declares public bounds of a column, in its unit, so that aggregates need not repeat them; two nulls remove them. Bounds are numbers, dates, timestamps, times or intervals, or texts of these. For the relation''s owner and superusers. Errors: undefined_column, feature_not_supported (type), invalid_parameter_value, invalid_text_representation and others.';

CREATE FUNCTION dp_noise.plain_values(relation oid, number smallint, column_values text[]) RETURNS text[]
AS 'MODULE_PATHNAME', 'dp_plain_values' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.plain_values(oid, smallint, text[]) IS
'Values of the type of a column, given by its number, in the type''s own output form. Only functions of the server are used. Errors: invalid_text_representation and the like, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_values(relation regclass, column_name text, column_values text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET "DateStyle" = 'ISO, YMD'
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.change_member(relation);
	number smallint;
BEGIN
	column_name := dp_noise.column_name(relation, column_name);
	DELETE FROM dp_noise_ledger.column_values AS v
	WHERE v.member_id = id AND v.column_name = do_set_values.column_name::name;
	IF column_values IS NULL THEN
		RETURN;
	END IF;
	number := dp_noise.column_number(relation, column_name);
	INSERT INTO dp_noise_ledger.column_values VALUES (id, column_name, dp_noise.plain_values(relation, number, column_values));
END
$$;
CALL dp_noise.add_entry('set_values');
COMMENT ON FUNCTION dp_noise.set_values(regclass, text, text[]) IS
'Declares the values of a column as public (public partitions). GROUP BY the column then returns a row for each of them, in this order, without dp_noise.delta; rows with other values are in no group. Null removes them. For the relation''s owner and superusers. Errors: undefined_column, invalid_text_representation, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_levels(relation regclass, levels numeric[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.change_member(relation);
	sorted numeric[] := ARRAY(SELECT DISTINCT l FROM unnest(levels) AS l ORDER BY l DESC);
BEGIN
	IF levels IS NOT NULL AND (array_ndims(levels) IS DISTINCT FROM 1 OR array_position(levels, NULL) IS NOT NULL
		OR cardinality(levels) > 16 OR cardinality(sorted) < cardinality(levels)
		OR EXISTS (SELECT FROM unnest(levels) AS l WHERE l = 'NaN' OR l < 0.000001 OR l > 1000000 OR scale(trim_scale(l)) > 15)) THEN
		RAISE EXCEPTION 'invalid privacy levels: %', levels
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write 1 to 16 different epsilons from 0.000001 to 1000000, such as ''{0.1,0.5,1}''; null removes the levels.';
	END IF;
	-- The grant pays for the highest level, whatever the budgets of those who ask are.
	IF levels IS NOT NULL AND EXISTS (
		SELECT FROM dp_noise_ledger.member AS m JOIN dp_noise_ledger.population AS p USING (population_id) JOIN pg_class AS c ON c.oid = m.relation
		WHERE m.member_id = id AND p.owner <> c.relowner) THEN
		RAISE EXCEPTION 'relation % cannot have privacy levels in a population of another owner', relation
			USING ERRCODE = 'insufficient_privilege', HINT = 'The population''s grant pays for the highest level: protect the relation in a population of its owner''s.';
	END IF;
	UPDATE dp_noise_ledger.member AS m SET levels = CASE WHEN do_set_levels.levels IS NOT NULL THEN sorted END WHERE m.member_id = id;
END
$$;
CALL dp_noise.add_entry('set_levels');
COMMENT ON FUNCTION dp_noise.set_levels(regclass, numeric[]) IS
'Declares privacy levels of a relation: the only epsilons at which dp_count, and dp_sum of integers and numerics, are answered. A question is drawn once, at all levels, for all roles. Each role pays for its level and sees its answer; the population''s grant pays for the highest level, once until stored answers expire. Together, all roles learn no more than the highest level reveals. Null removes them. For the relation''s owner and superusers, where that owner has the population, too. Errors: invalid_parameter_value (none, more than 16, repeated, null, outside 0.000001 to 1000000), insufficient_privilege (the population is another owner''s). Sources: Chen, Pal, Golubchik, 5.3; Gupte and Sundararajan 2010.';
/*
 * budgets.sql
 *		Functions for owners of populations: budgets of roles, and answers.
 */

CREATE FUNCTION dp_noise.paying_groups(payer oid) RETURNS SETOF oid LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE groups (oid) AS (
		SELECT payer
		UNION
		SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
	)
	SELECT groups.oid FROM groups
$$;
COMMENT ON FUNCTION dp_noise.paying_groups(oid) IS 'A role, and the roles that it is a member of, whose shared budgets pay for it.';

CREATE FUNCTION dp_noise.own_budget(population_id integer, role oid) RETURNS bigint LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
	present_name CONSTANT name := dp_noise.name_of_role(role);
	id bigint;
BEGIN
	-- Its only member is whoever owns the database, which pg_auth_members does not say.
	IF role = 'pg_database_owner'::regrole THEN
		RAISE EXCEPTION 'pg_database_owner cannot have a budget'
			USING ERRCODE = 'invalid_grant_operation', HINT = 'Name the role that owns the database.';
	END IF;
	UPDATE dp_noise_ledger.budget AS b SET role_name = present_name
	WHERE b.population_id = population_id AND b.role = role
	RETURNING b.budget_id INTO id;
	IF id IS NULL THEN
		INSERT INTO dp_noise_ledger.budget (population_id, role_name, is_active, shared, epsilon, delta)
		VALUES (population_id, present_name, false, false, 0, 0)
		RETURNING budget_id INTO id;
		INSERT INTO dp_noise_ledger.spending (budget_id) VALUES (id);
	END IF;
	RETURN id;
END
$$;
COMMENT ON FUNCTION dp_noise.own_budget(integer, oid) IS
'The budget of a role in a population, under the name that the role has now; one that grants nothing is made where it has none. Under the lock of the population.';

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole, population text, epsilon numeric, delta numeric DEFAULT 0, max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL, shared boolean DEFAULT false, min_epsilon_per_query numeric DEFAULT 0.001,
	default_epsilon numeric DEFAULT NULL, max_failures integer DEFAULT 3, relations regclass[] DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	budget_id bigint;
	rho_granted numeric;
	members integer[];
	other regclass;
	is_protected boolean;
BEGIN
	IF role IS NULL THEN
		RAISE EXCEPTION 'role must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write the name of a role. What everybody together may learn is set by dp_noise.alter_population().';
	END IF;
	rho_granted := dp_noise.check_grant((SELECT p.accountant FROM dp_noise_ledger.population AS p WHERE p.population_id = id),
		epsilon, delta, dp_noise.pool_of(id, delta));
	IF max_epsilon_per_query < 0 OR max_epsilon_per_query > 1e13 OR max_epsilon_per_query = 'NaN' THEN
		RAISE EXCEPTION 'max_epsilon_per_query must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 1, or null for no limit.';
	END IF;
	IF min_epsilon_per_query < 0 OR min_epsilon_per_query > 1e6 OR min_epsilon_per_query = 'NaN'
		OR min_epsilon_per_query > max_epsilon_per_query THEN
		RAISE EXCEPTION 'min_epsilon_per_query must be between 0 and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 0.01, at most 10^6, which every aggregate then asks for at least, or null.';
	END IF;
	IF max_failures < 1 THEN
		RAISE EXCEPTION 'max_failures must be at least 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 3, or null for no limit.';
	END IF;
	IF default_epsilon < greatest(min_epsilon_per_query, 0.000001) OR default_epsilon > least(max_epsilon_per_query, 1e6)
		OR default_epsilon = 'NaN' OR scale(trim_scale(default_epsilon)) > 15 THEN
		RAISE EXCEPTION 'default_epsilon must be between 0.000001 and 1000000, and between min_epsilon_per_query and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 0.1, or null: it is what an aggregate asks for that names no epsilon, where the session has not set dp_noise.epsilon.';
	END IF;
	PERFORM dp_noise.check_period(period, 'period');
	IF shared IS NULL THEN
		RAISE EXCEPTION 'shared must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write true for one budget that all members of the role share, false for the role alone.';
	END IF;
	IF relations IS NOT NULL THEN
		IF array_position(relations, NULL) IS NOT NULL THEN
			RAISE EXCEPTION 'relations must not contain null'
				USING ERRCODE = 'null_value_not_allowed', HINT = 'Write those that the role may ask about, such as ''{patients,visits}'', or null for all of the population.';
		END IF;
		SELECT coalesce(array_agg(DISTINCT m.member_id) FILTER (WHERE m.population_id = id), '{}'),
			min(u.relation) FILTER (WHERE m.population_id IS DISTINCT FROM id), bool_or(m.population_id <> id)
		INTO members, other, is_protected
		FROM unnest(relations::oid[]) AS u (relation) LEFT JOIN dp_noise_ledger.member AS m ON m.relation = u.relation;
		IF other IS NOT NULL THEN
			RAISE EXCEPTION 'relation % is not in population "%"', other, population
				USING ERRCODE = CASE WHEN is_protected THEN 'invalid_parameter_value' ELSE 'object_not_in_prerequisite_state' END,
					HINT = 'Write those that the role may ask about, such as ''{patients,visits}'', or null for all of the population.';
		END IF;
		IF cardinality(members) > 1000 THEN
			RAISE EXCEPTION 'a budget may name at most 1000 relations'
				USING ERRCODE = 'program_limit_exceeded', HINT = 'Write null for all relations of the population, or name a view of some.';
		END IF;
	END IF;
	budget_id := dp_noise.own_budget(id, role);
	-- A change of the period does not refill the budget.
	UPDATE dp_noise_ledger.spending AS s SET since = now()
	FROM dp_noise_ledger.budget AS b
	WHERE b.budget_id = budget_id AND s.budget_id = b.budget_id AND b.period IS DISTINCT FROM period;
	UPDATE dp_noise_ledger.budget AS b
	SET is_active = true, shared = do_set_budget.shared, epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		rho = rho_granted, delta_pool = dp_noise.pool_of(id, do_set_budget.delta),
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query, min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
		default_epsilon = do_set_budget.default_epsilon, period = do_set_budget.period, relations = members,
		max_failures = do_set_budget.max_failures
	WHERE b.budget_id = budget_id;
END
$$;
CALL dp_noise.add_entry('set_budget');
COMMENT ON FUNCTION dp_noise.set_budget(regrole, text, numeric, numeric, numeric, interval, boolean, numeric, numeric, integer, regclass[]) IS
'Grants a role epsilon and delta about a population, or changes its grant: the right to ask about the protected relations of the population, or only about those in relations, at most 1000 tables or views (''{}'': none; null: all). population: the name of one, or of a protected relation. What is asked is charged to the role''s budget, to those shared by its groups, and to the population''s grant. max_epsilon_per_query: the most that one query may cost. min_epsilon_per_query: the least epsilon that an aggregate may ask for, so that trying out questions has a price; null: none. period: the budget refills after it; the population''s grant never does. shared: one budget for all members of the role. default_epsilon: the epsilon of aggregates that name none, where the session has set neither dp_noise.epsilon nor dp_noise.rho; if several budgets pay, the least of theirs. max_failures: how many statements may end in errors that may depend on rows, for want of memory for example, before the role, or whoever shares the budget, may not ask any more until dp_noise.forgive(); null: no limit. Under the population''s accountant zcdp the same share of delta is a pool as of the grant''s. max_ and min_epsilon_per_query compare epsilon under both accountants. What was spent remains spent. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.no_budget(role oid, population text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	RAISE EXCEPTION 'role % has no budget for population "%"', coalesce(role::regrole::text, 'null'), population
		USING ERRCODE = 'undefined_object', HINT = 'dp_noise.budgets lists the budgets there are.';
END
$$;
COMMENT ON FUNCTION dp_noise.no_budget(oid, text) IS 'Raises the error that a role has no budget.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, population text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	UPDATE dp_noise_ledger.budget AS b SET is_active = false
	WHERE b.population_id = dp_noise.population_number(population) AND b.role = do_drop_budget.role AND b.is_active;
	IF NOT FOUND THEN
		PERFORM dp_noise.no_budget(role, population);
	END IF;
END
$$;
CALL dp_noise.add_entry('drop_budget');
COMMENT ON FUNCTION dp_noise.drop_budget(regrole, text) IS
'Ends a role''s budget for a population. What was spent remains recorded, and counts if the role gets a budget again. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forgive(role regrole, population text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	UPDATE dp_noise_ledger.spending AS s SET failures = 0
	FROM dp_noise_ledger.budget AS b
	WHERE b.population_id = dp_noise.population_number(population) AND s.budget_id = b.budget_id
		AND b.role IS NOT DISTINCT FROM do_forgive.role AND b.is_active;
	IF NOT FOUND THEN
		PERFORM dp_noise.no_budget(role, population);
	END IF;
END
$$;
CALL dp_noise.add_entry('forgive');
COMMENT ON FUNCTION dp_noise.forgive(regrole, text) IS
'Sets the number of failures of a role''s or group''s budget for a population back to 0, so that it may ask again after max_failures of them. Role null: that of the grant, which counts them all and refuses nothing. Each failure may have told its asker something of the rows that no budget counts: find the cause in the server''s log first. The charges stay. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forfeit(population text, role regrole, epsilon numeric, delta numeric DEFAULT 0, rho numeric DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	own_id bigint;
	lost dp_noise_ledger.cost;
BEGIN
	IF (epsilon IS NULL AND rho IS NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write what the role may have been charged at most.';
	END IF;
	IF rho < 0 OR rho > 1e13 OR rho = 'NaN' THEN
		RAISE EXCEPTION 'rho must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write what the role may have been charged at most, or leave it out: it then follows from epsilon.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write what the role may have been charged at most.';
	END IF;
	own_id := dp_noise.own_budget(id, role);
	lost := dp_noise.cost_of_pure(coalesce(epsilon, 0), delta);
	lost.rho := coalesce(rho, lost.rho);
	lost.unbounded := (epsilon IS NULL)::integer;
	INSERT INTO dp_noise_ledger.charge (budget_id, population_id, role, epsilon, delta, rho, delta_pool, fingerprint, aggregate, mechanism, grant_paid)
	VALUES (own_id, id, dp_noise.name_of_role(role), epsilon, delta, lost.rho, lost.delta_pool, '', 'forfeited', 'none', true);
	-- Also for a role without a budget, which may get one later.
	UPDATE dp_noise_ledger.spending AS s
	SET since = p.began, epsilon = p.epsilon, delta = p.delta, rho = p.rho, delta_pool = p.delta_pool, unbounded = p.unbounded
	FROM (
		SELECT a.budget_id, a.began, t.*
		FROM dp_noise_ledger.account AS a CROSS JOIN LATERAL dp_noise.cost_sum(a.spent, lost) AS t
		WHERE a.population_id = id AND (a.role IS NULL OR a.budget_id = own_id
			OR (a.pays AND a.shared AND a.role IN (SELECT dp_noise.paying_groups(role))))
	) AS p
	WHERE s.budget_id = p.budget_id;
END
$$;
CALL dp_noise.add_entry('forfeit');
COMMENT ON FUNCTION dp_noise.forfeit(text, regrole, numeric, numeric, numeric) IS
'Charges a role for answers that it may have received without a record in the ledger, after a promoted standby that lagged or a restored backup. The amounts are charged like a question''s to the role''s budget, to those shared by its groups and to the population''s grant, even where that exceeds what is left; then nothing is left. Epsilon null: no finite epsilon. Rho null: the most that this epsilon can cost. Delta is also charged to pools. The ledger shows the aggregate "forfeited". For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.forget_answers_of(id integer, before timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	IF before IS NULL THEN
		RAISE EXCEPTION 'before must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write a time such as now() - interval ''90 days''.';
	END IF;
	-- The charges stay: whoever asks again is charged again.
	DELETE FROM dp_noise_ledger.answer AS a WHERE a.population_id = id AND a.at < before AND a.state <> 'asked';
	DELETE FROM dp_noise_ledger.answer AS a
	WHERE a.population_id = id AND a.at < before AND a.draw IS NOT NULL AND NOT EXISTS (
		SELECT FROM dp_noise_ledger.answer AS d WHERE d.population_id = id AND d.budget_id = 0 AND d.question = a.draw);
END
$$;
COMMENT ON FUNCTION dp_noise.forget_answers_of(integer, timestamptz) IS 'Deletes the answers about a population, given by its number, that were stored before a time.';

CREATE FUNCTION dp_noise.do_forget_answers(population text, before timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	PERFORM dp_noise.forget_answers_of(dp_noise.population_number(population), before);
END
$$;
CALL dp_noise.add_entry('forget_answers');
COMMENT ON FUNCTION dp_noise.forget_answers(text, timestamptz) IS
'Deletes the answers about a population that were stored before a time, including those that are shared and those of privacy levels. Charges remain. Such a question is then answered anew and charged, even under on_repeat refuse. Questions without a known outcome remain recorded as asked. For the population''s owner and superusers.';

-- By their numbers: names can be those of others' relations, too.
CREATE FUNCTION dp_noise.do_forget_answers(caller oid, before timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	mine record;
BEGIN
	FOR mine IN
		SELECT p.population_id FROM dp_noise_ledger.population AS p
		WHERE NOT p.is_dropped AND pg_has_role(caller, p.owner, 'USAGE')
		ORDER BY p.population_id
	LOOP
		PERFORM dp_noise.lock_population(mine.population_id);
		-- somebody else's by now, perhaps
		IF EXISTS (SELECT FROM dp_noise_ledger.population AS p WHERE p.population_id = mine.population_id AND pg_has_role(caller, p.owner, 'USAGE')) THEN
			PERFORM dp_noise.forget_answers_of(mine.population_id, before);
		END IF;
	END LOOP;
END
$$;
CREATE FUNCTION dp_noise.forget_answers(before timestamptz) RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_user' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forget_answers(timestamptz) IS
'Deletes the answers that were stored before a time, for all populations that the caller owns.';
/*
 * suggest.sql
 *		Caps and bounds for owners, found privately.
 */

CREATE FUNCTION dp_noise.suggest(
	relation regclass, epsilon numeric DEFAULT 0.1, epsilon_later numeric DEFAULT 1, group_by text[] DEFAULT NULL,
	columns text[] DEFAULT NULL, settings text[] DEFAULT NULL
) RETURNS TABLE (setting text, column_name name, suggested text, epsilon numeric, statement text)
AS 'MODULE_PATHNAME', 'dp_suggest' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION dp_noise.suggest(regclass, numeric, numeric, text[], text[], text[]) IS
'Suggests caps and bounds of a protected relation, found privately: (relation, epsilon of each suggestion, epsilon_later of the questions that they are for, group_by: columns that these group by, columns whose bounds are wanted, settings: some of max_rows_per_unit, max_groups_per_unit and bounds; null: all that apply, with bounds of the columns that have none). Returns one row per suggestion, with the call of dp_noise.protect() or dp_noise.set_bounds() to run by hand. Each is charged to the population''s grant before anything is read, and again whenever it is asked for; nothing is stored. Epsilon-DP for one privacy unit, by a one-sided sparse vector over public candidates. For the relation''s owner and superusers. Errors: object_not_in_prerequisite_state (not protected), configuration_limit_exceeded (budget), undefined_column, feature_not_supported (type), invalid_parameter_value.';
/*
 * sensitivity.sql
 *		The sensitivity of user-defined aggregates, by sampling.
 */

CREATE FUNCTION dp_noise.sample_sensitivity(
	aggregate regprocedure, relation regclass, columns text[], rows integer, gamma double precision DEFAULT 0.05,
	samples integer DEFAULT NULL, mechanism text DEFAULT 'laplace', neighbours text DEFAULT 'substitute', OUT sensitivity double precision,
	OUT greatest_seen double precision, OUT samples integer, OUT order_statistic integer, OUT rho double precision,
	OUT gamma double precision, OUT delta double precision
)
AS 'MODULE_PATHNAME', 'dp_sample_sensitivity' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION dp_noise.sample_sensitivity(regprocedure, regclass, text[], integer, double precision, integer, text, text) IS
'For planning only, and weaker than all other guarantees here: how much one row changes a user-defined aggregate, estimated from random samples of a relation''s rows. Draws pairs of neighbouring tables of so many rows (substitute: they differ in one row; add_remove: one has a row more). Each row is drawn from the relation independently, from at most 100000 of its rows chosen at random. Runs the aggregate on both tables, and returns the order_statistic-th least of the differences. Noise for that sensitivity that would be (epsilon, delta)-DP is (epsilon, delta, gamma)-random-DP: for tables whose rows are drawn independently from the distribution that the relation''s rows represent, the guarantee holds with probability 1 - gamma over the table. For the other tables, which may be those with an unusual person, nothing is guaranteed. delta: that of the mechanism. samples: if null, as few as gamma needs. greatest_seen: the greatest of all differences. The result is not private: it depends on the rows, is recorded nowhere and charged to nobody, and is not for analysts to see. Reads the relation and runs the aggregate as the owner of the relation, restricted as in an index build and with the search path pg_catalog, pg_temp: functions of users must qualify names. For the relation''s owner and superusers. Errors: insufficient_privilege, invalid_parameter_value, null_value_not_allowed, wrong_object_type, undefined_column, feature_not_supported, object_not_in_prerequisite_state (no rows), and the aggregate''s own. Source: Rubinstein, Alda 2017; Hall, Rinaldo, Wasserman 2013.';
/*
 * dropped.sql
 *		Event triggers: after DROP, RENAME and ALTER of protected relations, and
 *		before the ledger is dropped.
 */

CREATE FUNCTION dp_noise.check_snapshot() RETURNS void
AS 'MODULE_PATHNAME', 'dp_check_snapshot' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.check_snapshot() IS
'Raises an error in a REPEATABLE READ or SERIALIZABLE transaction whose snapshot does not show current protections. For event triggers.';

CREATE FUNCTION dp_noise.on_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() AS d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND NOT d.is_temporary) THEN
		PERFORM dp_noise.check_snapshot();
	END IF;
	PERFORM dp_noise.remove_members(ARRAY(
		SELECT m.member_id
		FROM pg_event_trigger_dropped_objects() AS d JOIN dp_noise_ledger.member AS m ON m.relation = d.objid
		WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0));
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL; -- the ledger itself is being dropped
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop() IS 'Ends the protection of dropped tables.';

-- Runs after any statement, since dropping a function, an operator class or a
-- view can drop a table; and whatever session_replication_role is.
CREATE EVENT TRIGGER dp_noise_on_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_drop();
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop IS 'Ends the protection of dropped tables.';

CREATE FUNCTION dp_noise.lock_schema(schema oid) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_schema' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_schema(oid) IS
'Waits until nobody is noting names of relations in a schema, and makes them wait until the end of the transaction, which has renamed it.';

CREATE FUNCTION dp_noise.on_rename() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	-- Before relations are looked for there: others may be noting the old name.
	PERFORM dp_noise.lock_schema(d.objid)
	FROM pg_event_trigger_ddl_commands() AS d WHERE d.classid = 'pg_catalog.pg_namespace'::regclass;
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		SELECT m.member_id, m.relation
		FROM dp_noise_ledger.member AS m CROSS JOIN LATERAL pg_identify_object_as_address(relations, m.relation, 0) AS a
		WHERE m.relation <> 0 AND a.object_names <> ARRAY[m.schema_name, m.relation_name]::text[]
		ORDER BY m.member_id
	LOOP
		PERFORM dp_noise.lock_names(renamed.relation);
		PERFORM dp_noise.check_snapshot();
		-- Whoever has moved it meanwhile may have come first.
		PERFORM FROM dp_noise_ledger.member AS m WHERE m.member_id = renamed.member_id FOR UPDATE;
		PERFORM dp_noise.lock_names(renamed.relation);
		UPDATE dp_noise_ledger.member AS m SET schema_name = a.object_names[1], relation_name = a.object_names[2]
		FROM pg_identify_object_as_address(relations, renamed.relation, 0) AS a
		WHERE m.member_id = renamed.member_id AND m.relation = renamed.relation AND a.object_names IS NOT NULL;
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rename() IS 'Notes the new names of protected tables, which dumps identify them by.';

-- This runs whatever the statement renamed or moved: a relation of another kind,
-- a schema, an extension.
CREATE EVENT TRIGGER dp_noise_on_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER SEQUENCE', 'ALTER TYPE', 'ALTER EXTENSION')
	EXECUTE FUNCTION dp_noise.on_rename();
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rename IS 'Notes the new names of protected tables.';

-- Columns. The privacy unit, bounds and values refer to columns by name, and
-- follow a column when it is renamed. Since they are removed with a dropped
-- column, a name without a column is that of the column just renamed.

CREATE FUNCTION dp_noise.lock_columns_of(members integer[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	PERFORM dp_noise.lock_population(p.population_id)
	FROM (SELECT DISTINCT m.population_id FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (members) ORDER BY 1) AS p;
	UPDATE dp_noise_ledger.member AS m SET settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE m.member_id = ANY (members) OR m.path_member_id = ANY (members);
END
$$;
COMMENT ON FUNCTION dp_noise.lock_columns_of(integer[]) IS
'Locks the populations of members whose columns change, and gives their settings new versions, and those of the members whose paths lead to them.';

CREATE FUNCTION dp_noise.on_column_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	dropped record;
BEGIN
	PERFORM dp_noise.lock_columns_of(ARRAY(
		SELECT m.member_id FROM pg_event_trigger_dropped_objects() AS d JOIN dp_noise_ledger.member AS m ON m.relation = d.objid
		WHERE d.classid = relations AND d.objsubid > 0));
	FOR dropped IN
		SELECT m.member_id, d.address_names[3]::name AS column_name
		FROM pg_event_trigger_dropped_objects() AS d JOIN dp_noise_ledger.member AS m ON m.relation = d.objid
		WHERE d.classid = relations AND d.objsubid > 0
	LOOP
		DELETE FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = dropped.member_id AND b.column_name = dropped.column_name;
		DELETE FROM dp_noise_ledger.column_values AS v WHERE v.member_id = dropped.member_id AND v.column_name = dropped.column_name;
		-- not a possible name of a column, so that no later column becomes the
		-- unit
		UPDATE dp_noise_ledger.member AS m SET unit = ''
		WHERE (m.member_id = dropped.member_id AND (m.unit = dropped.column_name OR dropped.column_name = ANY (m.path_columns)))
			OR (m.path_member_id = dropped.member_id AND dropped.column_name = ANY (m.path_keys));
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_drop() IS
'Removes what was declared of dropped columns. If the privacy unit was dropped, nothing is answered about the table until it is protected again.';

CREATE EVENT TRIGGER dp_noise_on_column_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_column_drop();
ALTER EVENT TRIGGER dp_noise_on_column_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_drop IS 'Removes what was declared of dropped columns.';

CREATE FUNCTION dp_noise.with_new_name(columns name[], relation oid, new_name name) RETURNS name[] LANGUAGE sql STABLE
AS $$
	SELECT array_agg(CASE WHEN dp_noise.is_missing(relation, c) THEN new_name ELSE c END ORDER BY number)
	FROM unnest(columns) WITH ORDINALITY AS u (c, number)
$$;
COMMENT ON FUNCTION dp_noise.with_new_name(name[], oid, name) IS 'Columns of a relation of which one was renamed.';

CREATE FUNCTION dp_noise.on_column_rename() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	renamed record;
BEGIN
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		WITH RECURSIVE named AS (
			SELECT d.objid, a.attname
			FROM pg_event_trigger_ddl_commands() AS d
			JOIN pg_attribute AS a ON a.attrelid = d.objid AND a.attnum = d.objsubid
			WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid > 0
		), touched AS (
			SELECT n.objid, n.attname FROM named AS n
			UNION
			-- typed tables, partitions and children
			SELECT m.oid, t.attname
			FROM touched AS t
			CROSS JOIN LATERAL (
				SELECT c.oid FROM pg_class AS c JOIN pg_type AS y ON y.oid = c.reloftype WHERE y.typrelid = t.objid
				UNION ALL
				SELECT h.inhrelid FROM pg_inherits AS h WHERE h.inhparent = t.objid
			) AS m
		)
		SELECT m.member_id, t.objid, t.attname
		FROM touched AS t
		JOIN dp_noise_ledger.member AS m ON m.relation = t.objid
		JOIN pg_attribute AS a ON a.attrelid = t.objid AND a.attname = t.attname AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY m.population_id, m.member_id
	LOOP
		PERFORM dp_noise.lock_columns_of(ARRAY[renamed.member_id]);
		UPDATE dp_noise_ledger.member AS m
		SET unit = CASE WHEN m.unit <> '' AND dp_noise.is_missing(renamed.objid, m.unit) THEN renamed.attname ELSE m.unit END,
			path_columns = dp_noise.with_new_name(m.path_columns, renamed.objid, renamed.attname)
		WHERE m.member_id = renamed.member_id;
		UPDATE dp_noise_ledger.member AS m SET path_keys = dp_noise.with_new_name(m.path_keys, renamed.objid, renamed.attname)
		WHERE m.path_member_id = renamed.member_id;
		UPDATE dp_noise_ledger.column_bounds AS b SET column_name = renamed.attname
		WHERE b.member_id = renamed.member_id AND dp_noise.is_missing(renamed.objid, b.column_name);
		UPDATE dp_noise_ledger.column_values AS v SET column_name = renamed.attname
		WHERE v.member_id = renamed.member_id AND dp_noise.is_missing(renamed.objid, v.column_name);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_rename() IS 'Notes the new names of columns of which something was declared.';

CREATE EVENT TRIGGER dp_noise_on_column_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER TYPE')
	EXECUTE FUNCTION dp_noise.on_column_rename();
ALTER EVENT TRIGGER dp_noise_on_column_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_rename IS 'Notes the new names of columns of which something was declared.';

-- Version 15 of the server turns an empty table with such a rule into a view.

CREATE FUNCTION dp_noise.on_rule() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	found regclass;
BEGIN
	PERFORM dp_noise.check_snapshot();
	SELECT c.oid INTO found
	FROM pg_event_trigger_ddl_commands() AS d
	JOIN pg_rewrite AS w ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND w.oid = d.objid AND w.ev_type = '1' -- for SELECT
	JOIN pg_class AS c ON c.oid = w.ev_class AND c.relkind = 'v'
	JOIN dp_noise_ledger.member AS m ON m.relation = c.oid;
	IF found IS NOT NULL THEN
		RAISE EXCEPTION 'relation % is protected and cannot become a view', found
			USING ERRCODE = 'wrong_object_type', HINT = 'End its protection first with dp_noise.unprotect(); a view gets another query by CREATE OR REPLACE VIEW.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rule() IS 'Refuses a rule that makes a view of a protected table.';

CREATE EVENT TRIGGER dp_noise_on_rule ON ddl_command_end
	WHEN TAG IN ('CREATE RULE')
	EXECUTE FUNCTION dp_noise.on_rule();
ALTER EVENT TRIGGER dp_noise_on_rule ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rule IS 'Refuses a rule that makes a view of a protected table.';

-- While a relation is protected, the library refuses DROP EXTENSION and
-- whatever else would drop the ledger (src/ledger/drops.c). Where it is not
-- preloaded, this call of one of its functions loads it in time.

CREATE FUNCTION dp_noise.on_drop_start() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	IF EXISTS (SELECT FROM dp_noise_ledger.member)
		OR current_setting('transaction_isolation') <> 'read committed' THEN
		PERFORM dp_noise.current_epsilon();
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop_start() IS 'Loads the library before what may drop the ledger.';
CREATE EVENT TRIGGER dp_noise_on_drop_start ON ddl_command_start
	WHEN TAG IN ('DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED', 'DROP LANGUAGE')
	EXECUTE FUNCTION dp_noise.on_drop_start();
ALTER EVENT TRIGGER dp_noise_on_drop_start ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop_start IS 'Loads the library before what may drop the ledger.';

CREATE FUNCTION dp_noise.allow_drop() RETURNS void
AS 'MODULE_PATHNAME', 'dp_allow_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.allow_drop() IS
'Allows DROP EXTENSION dp_noise in this transaction although relations are protected. Ledger, budgets and protections are lost. For superusers, and for roles that were granted EXECUTE.';
/*
 * charges.sql
 *		Charges without a question, for tests and tools.
 */

CREATE FUNCTION dp_noise.charge(
	relation regclass, epsilon numeric, delta numeric, question bytea, answer bytea DEFAULT NULL, rho numeric DEFAULT NULL,
	delta_pool numeric DEFAULT NULL, OUT replayed boolean, OUT answered bytea
)
AS 'MODULE_PATHNAME', 'dp_charge' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) IS
'Charges the session''s user, in the population of a protected relation, for a question (identified by up to 32 bytes), durably and at once; for tests. The answer is stored for replay. Epsilon null: there is no finite epsilon, and rho must be given. Rho and delta_pool null: the most that epsilon and delta can cost. Superusers only.';

CREATE FUNCTION dp_noise.charge_all(
	relation regclass[], epsilon numeric[], delta numeric[], question bytea[], answer bytea[], OUT replayed boolean[], OUT answered bytea[]
)
AS 'MODULE_PATHNAME', 'dp_charge_all' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]) IS
'Like dp_noise.charge, for several questions of one statement, which are charged all together or not at all; for tests. Superusers only.';

CREATE FUNCTION dp_noise.charge_preview(relation regclass[], epsilon numeric[], delta numeric[], question bytea[]) RETURNS json
AS 'MODULE_PATHNAME', 'dp_charge_preview' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) IS
'Shows what dp_noise.charge_all would do now, for tests and tools: charges (outcome charged, replayed, shared or refused, and why), the budgets that pay (kind own, shared or grant; epsilon and delta granted, spent, left and asked; whether each suffices), and the error that it would raise. Charges nothing. Superusers only.';
/*
 * views.sql
 *		Views for owners: populations, members, budgets, charges.
 *
 * The plan of a view shows its readers how many rows there are, including those
 * that it does not show. So these views, like all that everyone may read, read
 * functions whose bodies, do_read_..., run with their definer's rights and return
 * the reader's rows alone. The reader is the caller's current user; for one's
 * own budgets, the session's user (src/ledger/reader_functions.c).
 */

CREATE FUNCTION dp_noise.relations_of(members integer[]) RETURNS regclass[] LANGUAGE sql STABLE
AS $$
	SELECT CASE WHEN members IS NOT NULL THEN ARRAY(
		SELECT m.relation::regclass FROM dp_noise_ledger.member AS m JOIN pg_class AS c ON c.oid = m.relation
		WHERE m.member_id = ANY (members)
		ORDER BY m.member_id)
	END
$$;
COMMENT ON FUNCTION dp_noise.relations_of(integer[]) IS 'The relations of members that are still there, empty where none is; null, which is all of them, for null.';

CREATE FUNCTION dp_noise.do_read_populations(reader oid) RETURNS TABLE (
	population text, owner name, accountant text, epsilon numeric, delta numeric, epsilon_spent numeric, delta_spent numeric,
	epsilon_left numeric, delta_left numeric, delta_pool numeric, rho numeric, rho_spent numeric, rho_left numeric, on_repeat text,
	share_answers boolean, answers_expire interval, failures integer, members regclass[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	SELECT a.population, r.rolname, a.accountant, a.epsilon, a.delta, s.epsilon_spent, s.delta_spent, s.epsilon_left, s.delta_left,
		a.delta_pool, a.rho, s.rho_spent, s.rho_left, a.on_repeat, p.share_answers, p.answers_expire, a.failures,
		dp_noise.relations_of(ARRAY(SELECT m.member_id FROM dp_noise_ledger.member AS m WHERE m.population_id = a.population_id))
	FROM dp_noise_ledger.account AS a
	JOIN dp_noise_ledger.population AS p USING (population_id)
	LEFT JOIN pg_roles AS r ON r.oid = a.owner
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WHERE a.role IS NULL AND NOT a.is_dropped AND pg_has_role(reader, a.owner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_populations');
COMMENT ON FUNCTION dp_noise.read_populations() IS 'The rows of dp_noise.populations.';
CREATE VIEW dp_noise.populations AS SELECT * FROM dp_noise.read_populations();
COMMENT ON VIEW dp_noise.populations IS
'The populations that the reader owns (superusers: all), with their grants: what may be learnt in all, what is spent and what is left. Under zcdp rho is what counts: epsilon_spent is the epsilon that the rho spent amounts to at the delta outside the pool, epsilon_left the rest of the grant, and delta_spent and delta_left are the pool''s. Under pure, epsilon_spent is infinite where a charge had no finite epsilon. owner null: a role that is gone; the population is a superuser''s. failures: statements that ended in errors that may depend on rows, since dp_noise.forgive(). members: the relations that are about the population, empty where there are none.';

CREATE FUNCTION dp_noise.do_read_protected_relations(reader oid) RETURNS TABLE (
	relation regclass, population text, privacy_unit text, neighbours text, max_rows_per_unit integer, max_groups_per_unit integer,
	min_people_per_group integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	SELECT c.oid::regclass, p.name,
		CASE WHEN m.path_member_id IS NULL OR m.unit = '' THEN m.unit::text
			ELSE dp_noise.path_text(m.path_columns, coalesce(t.relation, 0), m.path_keys) END,
		m.neighbours, m.max_rows_per_unit, m.max_groups_per_unit, m.min_people_per_group
	FROM dp_noise_ledger.member AS m
	JOIN dp_noise_ledger.population AS p USING (population_id)
	JOIN pg_class AS c ON c.oid = m.relation
	LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id
	WHERE pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_protected_relations');
COMMENT ON FUNCTION dp_noise.read_protected_relations() IS 'The rows of dp_noise.protected_relations.';
CREATE VIEW dp_noise.protected_relations AS SELECT * FROM dp_noise.read_protected_relations();
COMMENT ON VIEW dp_noise.protected_relations IS
'The protected relations that the reader owns (superusers: all), with their settings: the population that each is about; its privacy unit (null: the row; empty, or a path to "-": it is gone, and nothing is answered).';

CREATE FUNCTION dp_noise.do_read_budgets(reader oid) RETURNS TABLE (
	role name, population text, relations regclass[], shared boolean, epsilon numeric, delta numeric, epsilon_spent numeric,
	delta_spent numeric, epsilon_left numeric, delta_left numeric, max_epsilon_per_query numeric, min_epsilon_per_query numeric,
	period interval, refills_at timestamptz, rho numeric, rho_spent numeric, rho_left numeric, delta_pool numeric, default_epsilon numeric,
	failures integer, max_failures integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
AS $$
BEGIN
	RETURN QUERY
	SELECT a.role_name, a.population, dp_noise.relations_of(a.relations),
		a.shared, a.epsilon, a.delta, s.epsilon_spent, s.delta_spent, s.epsilon_left, s.delta_left,
		a.max_epsilon_per_query, a.min_epsilon_per_query, a.period, a.refills_at, a.rho, s.rho_spent, s.rho_left, a.delta_pool,
		a.default_epsilon, a.failures, a.max_failures
	FROM dp_noise_ledger.account AS a
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WHERE a.pays AND pg_has_role(reader, a.owner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_budgets');
COMMENT ON FUNCTION dp_noise.read_budgets() IS 'The rows of dp_noise.budgets.';
CREATE VIEW dp_noise.budgets AS SELECT * FROM dp_noise.read_budgets();
COMMENT ON VIEW dp_noise.budgets IS
'Budgets of the populations that the reader owns, with what is spent in the current period and what is left. A row without a role is the population''s grant (dp_noise.populations). relations: what the role may ask about; null: all of the population; empty: nothing any more, since what was listed is not protected now. Spent and left are in the terms of the population''s accountant. failures: statements that ended in errors that may depend on rows, since dp_noise.forgive(); with max_failures of them a role may not ask any more.';

CREATE FUNCTION dp_noise.do_read_ledger(reader oid) RETURNS TABLE (
	at timestamptz, role name, population text, epsilon numeric, delta numeric, fingerprint bytea, aggregate text, mechanism text,
	rho numeric, delta_pool numeric, asked_about regclass, grant_paid boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
AS $$
BEGIN
	RETURN QUERY
	SELECT c.at, c.role::name, p.name, c.epsilon, c.delta, c.fingerprint, c.aggregate, c.mechanism, c.rho, c.delta_pool,
		nullif(m.relation, 0)::regclass, c.grant_paid
	FROM dp_noise_ledger.population AS p
	JOIN dp_noise_ledger.every_charge AS c USING (population_id)
	LEFT JOIN dp_noise_ledger.member AS m USING (member_id)
	WHERE pg_has_role(reader, p.owner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_ledger');
COMMENT ON FUNCTION dp_noise.read_ledger() IS 'The rows of dp_noise.ledger.';
CREATE VIEW dp_noise.ledger AS SELECT * FROM dp_noise.read_ledger();
COMMENT ON VIEW dp_noise.ledger IS
'All charges to the populations that the reader owns, also to those that were dropped: one row per aggregate, and one for groups that were selected by a count of their own. asked_about: the relation that the question was about, the first of several; null where it is not protected any more. Budgets under pure paid epsilon and delta (epsilon null: no finite one), those under zcdp rho, and delta_pool from their pool. grant_paid: false where the answer had been given before, and is shared.';

GRANT SELECT ON dp_noise.populations, dp_noise.protected_relations, dp_noise.budgets, dp_noise.ledger TO PUBLIC;
/*
 * propose.sql
 *		Declarations that follow from what the catalogs say.
 *
 * Constraints and types are as public as the names of columns. Nothing of a row is
 * read, and whoever calls sees nothing that the catalogs do not show. An expression
 * is understood only as a whole: comparisons of the column with constants of the
 * server's types, joined by AND. In the search path of these functions operators
 * and types of others are printed with their schemas, and so are not understood.
 */

CREATE FUNCTION dp_noise.constant_text(expression text, type oid) RETURNS text LANGUAGE plpgsql STABLE
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
SET "TimeZone" = 'UTC'
AS $$
DECLARE
	result text;
BEGIN
	-- Constants alone: whoever calls could run any expression anyway.
	EXECUTE format('SELECT ((%s)::%s)::text', expression, format_type(type, NULL)) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL; -- of another type than the column's
END
$$;
COMMENT ON FUNCTION dp_noise.constant_text(text, oid) IS
'A constant as a value of a type of the server''s, in its output form: (constant as pg_get_expr prints it, type). Null where it is none.';

CREATE FUNCTION dp_noise.comparisons_in(expression text, name text, type text) RETURNS TABLE (operator text, constants text[]) LANGUAGE sql IMMUTABLE
AS $$
	WITH part AS (
		SELECT '(?:''(?:[^'']|'''')*''(?:::[a-z ]+(?:\([0-9,]+\))?)?|-?[0-9]+(?:\.[0-9]+)?|\(''?-?[0-9]+(?:\.[0-9]+)?''?(?:::[a-z ]+)?\)(?:::[a-z ]+)?)' AS constant,
			'\(*' || regexp_replace(name, '([^[:alnum:]_])', '\\\1', 'g') || '\)*' AS value
	), term AS (
		-- a cast of the value must not change its order: as text, 10 is below 9
		SELECT constant, value || '(?:::(?:numeric|double precision|' || type || '))? (>=|<=|>|<|=) (' || constant || ')' AS comparison,
			value || '(?:::text)? = ANY \(+ARRAY\[(' || constant || '(?:, ' || constant || ')*)\]\)?(?:::[a-z ]+\[\])?\)' AS list
		FROM part
	)
	SELECT m.part[1], ARRAY[m.part[2]]
	FROM term AS t CROSS JOIN LATERAL regexp_matches(expression, '\(' || t.comparison || '\)', 'g') AS m (part)
	WHERE expression ~ ('^\(*' || t.comparison || '\)(?: AND \(' || t.comparison || '\))*\)?$')
	UNION ALL
	SELECT 'in', ARRAY(SELECT c.part[1] FROM regexp_matches(m.part[1], '(' || t.constant || ')', 'g') WITH ORDINALITY AS c (part, number) ORDER BY c.number)
	FROM term AS t CROSS JOIN LATERAL regexp_match(expression, '^\(*' || t.list || '\)$') AS m (part)
	WHERE m.part IS NOT NULL
$$;
COMMENT ON FUNCTION dp_noise.comparisons_in(text, text, text) IS
'The comparisons that an expression consists of, as pg_get_expr prints it, joined by AND: (expression, the name of what is compared with constants, its type). "in": a list of constants. None where it is anything else.';

CREATE FUNCTION dp_noise.propose(relation regclass)
RETURNS TABLE (column_name name, setting text, proposed text, follows_from text, statement text) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE self AS (
		SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation
	), typed (attnum, attname, type) AS (
		-- columns, with domains down to what these are over
		SELECT a.attnum, a.attname, a.atttypid FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL
		SELECT d.attnum, d.attname, t.typbasetype FROM typed AS d JOIN pg_type AS t ON t.oid = d.type AND t.typtype = 'd'
	), base AS (
		SELECT d.attnum, d.attname, t.oid AS type, t.typtype, t.typcategory FROM typed AS d JOIN pg_type AS t ON t.oid = d.type AND t.typtype <> 'd'
	), said AS (
		SELECT b.*, format('constraint %I', k.conname) AS origin, c.operator, c.constants
		FROM base AS b
		JOIN pg_constraint AS k ON k.conrelid = relation AND k.contype = 'c' AND k.convalidated AND k.conkey = ARRAY[b.attnum]
		CROSS JOIN LATERAL dp_noise.comparisons_in(pg_get_expr(k.conbin, k.conrelid), quote_ident(b.attname), format_type(b.type, NULL)) AS c
		UNION ALL
		SELECT b.*, format('domain %s', d.type::regtype), c.operator, c.constants
		FROM base AS b
		JOIN typed AS d USING (attnum)
		JOIN pg_constraint AS k ON k.contypid = d.type AND k.contype = 'c' AND k.convalidated
		CROSS JOIN LATERAL dp_noise.comparisons_in(pg_get_expr(k.conbin, 0), 'VALUE', format_type(b.type, NULL)) AS c
	), bound AS (
		SELECT s.attnum, s.attname, s.origin, s.operator, dp_noise.constant_text(s.constants[1], CASE s.typcategory WHEN 'N' THEN 'numeric'::regtype ELSE s.type END) AS value,
			CASE WHEN s.type NOT IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN 0 WHEN s.operator = '>' THEN 1 WHEN s.operator = '<' THEN -1 ELSE 0 END AS step
		FROM said AS s
		WHERE s.operator <> 'in' AND s.type = ANY ('{int2,int4,int8,float4,float8,numeric,date,timestamp,timestamptz,time}'::regtype[])
	), side AS (
		SELECT b.attnum, b.attname, b.origin, b.operator ^@ '>' AS is_lower, b.operator ^@ '<' AS is_upper,
			CASE WHEN b.step <> 0 THEN (b.value::numeric + b.step)::text ELSE b.value END AS value
		FROM bound AS b WHERE b.value IS NOT NULL AND b.value !~* '^-?infinity$|^nan$'
	), limits AS (
		-- the narrowest of each side: numbers by size, dates and times by their ISO form
		SELECT s.attnum, s.attname, string_agg(DISTINCT s.origin, ', ') AS origin,
			(array_agg(s.value ORDER BY CASE WHEN s.value ~ '^-?[0-9.]+$' THEN s.value::numeric END DESC, s.value COLLATE "C" DESC) FILTER (WHERE NOT s.is_upper))[1] AS lower,
			(array_agg(s.value ORDER BY CASE WHEN s.value ~ '^-?[0-9.]+$' THEN s.value::numeric END, s.value COLLATE "C") FILTER (WHERE NOT s.is_lower))[1] AS upper
		FROM side AS s GROUP BY 1, 2
	), listed AS (
		SELECT DISTINCT ON (s.attnum) s.attnum, s.attname, s.origin, ARRAY(
			SELECT dp_noise.constant_text(c, s.type) FROM unnest(s.constants) WITH ORDINALITY AS u (c, number) ORDER BY number) AS list
		FROM said AS s WHERE s.operator = 'in' AND s.type < 16384
		ORDER BY s.attnum, s.origin
	)
	SELECT p.attname, p.setting, p.proposed, p.origin, p.statement
	FROM (
		SELECT l.attnum, l.attname, 'bounds' AS setting, format('%s .. %s', coalesce(l.lower, '?'), coalesce(l.upper, '?')) AS proposed, l.origin,
			CASE WHEN l.lower IS NOT NULL AND l.upper IS NOT NULL
				THEN format('SELECT dp_noise.set_bounds(%L, %L, %L, %L)', s.name, quote_ident(l.attname), l.lower, l.upper) END AS statement
		FROM limits AS l, self AS s
		UNION ALL
		SELECT l.attnum, l.attname, 'values', l.list::text, l.origin, format('SELECT dp_noise.set_values(%L, %L, %L)', s.name, quote_ident(l.attname), l.list)
		FROM listed AS l, self AS s WHERE array_position(l.list, NULL) IS NULL
		UNION ALL
		SELECT b.attnum, b.attname, 'values', CASE b.typtype WHEN 'e' THEN ARRAY(SELECT e.enumlabel FROM pg_enum AS e WHERE e.enumtypid = b.type ORDER BY e.enumsortorder)::text ELSE '{f,t}' END,
			format('type %s: public as it is', b.type::regtype), NULL
		FROM base AS b WHERE b.typtype = 'e' OR b.type = 'boolean'::regtype
		UNION ALL
		SELECT DISTINCT b.attnum, b.attname, 'values', NULL, format('foreign key to %s: public for whoever may read that', k.confrelid::regclass), NULL
		FROM base AS b JOIN pg_constraint AS k ON k.conrelid = relation AND k.contype = 'f' AND k.conkey = ARRAY[b.attnum] AND k.convalidated
		WHERE NOT EXISTS (SELECT FROM dp_noise.protected_relations AS r WHERE r.relation = k.confrelid)
	) AS p
	ORDER BY p.attnum, p.setting, p.origin
$$;
COMMENT ON FUNCTION dp_noise.propose(regclass) IS
'Bounds and values of columns that the catalogs declare already: by CHECK constraints and domains (comparisons with constants, lists), enums, booleans, and foreign keys to tables that are not protected. A row for each, with what it follows from and the call of dp_noise.set_bounds() or dp_noise.set_values() to run by hand; statement null: nothing needs to be called, or the other bound is not declared. Reads no rows, changes nothing and costs nothing; dp_noise.suggest() finds what nobody has declared.';
/*
 * reader_views.sql
 *		Views for analysts: what they may ask, and what they have asked.
 *
 * Like all views that everyone may read, these read functions (views.sql).
 */

CREATE FUNCTION dp_noise.accounts_of(payer oid) RETURNS SETOF dp_noise_ledger.account LANGUAGE sql STABLE
AS $$
	SELECT * FROM dp_noise_ledger.account AS a
	WHERE a.pays AND (a.role = payer OR (a.shared AND a.role IN (SELECT dp_noise.paying_groups(payer))))
$$;
COMMENT ON FUNCTION dp_noise.accounts_of(oid) IS
'The budgets that pay for a role, its own and those shared by its groups, and give it the right to ask.';

CREATE FUNCTION dp_noise.do_read_own_budgets(reader oid) RETURNS TABLE (
	population text, relations regclass[], role name, shared boolean, granted numeric, spent numeric, remaining numeric, delta_left numeric,
	max_epsilon_per_query numeric, refills_at timestamptz, on_repeat text, queries_left numeric, min_epsilon_per_query numeric,
	accountant text, rho numeric, rho_spent numeric, rho_left numeric, default_epsilon numeric, failures integer, max_failures integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	SELECT a.population,
		dp_noise.relations_of(ARRAY(
			SELECT m.member_id FROM dp_noise_ledger.member AS m
			WHERE m.population_id = a.population_id AND (a.relations IS NULL OR m.member_id = ANY (a.relations)))),
		a.role_name, a.shared, a.epsilon, s.epsilon_spent, s.epsilon_left, s.delta_left, a.max_epsilon_per_query, a.refills_at, a.on_repeat,
		-- All budgets pay for a query, so the one that allows least decides how many.
		CASE WHEN now.epsilon > min(a.max_epsilon_per_query) OVER w OR now.epsilon < max(a.min_epsilon_per_query) OVER w
				OR bool_or(a.failures >= a.max_failures) OVER w THEN 0
			ELSE least(dp_noise.queries_left(g.accountant, g.granted, g.spent, now.epsilon, now.rho),
				min(dp_noise.queries_left(a.accountant, a.granted, a.spent, now.epsilon, now.rho)) OVER w)
		END,
		a.min_epsilon_per_query, a.accountant, a.rho, s.rho_spent, s.rho_left, a.default_epsilon, a.failures, a.max_failures
	FROM (SELECT o.*, min(o.default_epsilon) OVER (PARTITION BY o.population_id) AS least_epsilon FROM dp_noise.accounts_of(reader) AS o) AS a
	JOIN dp_noise_ledger.account AS g ON g.population_id = a.population_id AND g.role IS NULL
	CROSS JOIN LATERAL (SELECT dp_noise.current_epsilon(a.least_epsilon), dp_noise.current_rho(a.least_epsilon)) AS now (epsilon, rho)
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WINDOW w AS (PARTITION BY a.population_id);
END
$$;
CALL dp_noise.add_entry('read_own_budgets');
COMMENT ON FUNCTION dp_noise.read_own_budgets() IS 'The rows of dp_budget.';
CREATE VIEW @extschema@.dp_budget AS SELECT * FROM dp_noise.read_own_budgets();
COMMENT ON VIEW @extschema@.dp_budget IS
'The reader''s budgets (those of the session''s user, and those shared by its groups), and the relations that they permit to ask about (empty: none any more): epsilon granted, spent and remaining in the current period, when it refills, what happens to repeated questions, and how many more aggregates at the current dp_noise.epsilon (or default_epsilon where that is not set) all budgets that pay allow, the grant of the population included. Under the accountant zcdp rho is what counts: spent is the epsilon that the rho spent amounts to at the grant''s delta, remaining the rest of the grant, and delta_left what is left of the pool. failures: statements that ended in errors that may depend on rows, since the owner forgave them; with max_failures of them nothing more is answered.';

CREATE FUNCTION dp_noise.bound_text(bound numeric, kind text) RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT CASE kind
		WHEN 'number' THEN bound::text
		WHEN 'date' THEN ('2000-01-01'::date + bound::integer)::text
		WHEN 'timestamp without time zone' THEN ('2000-01-01'::timestamp + s.span)::text
		-- Days of 24 hours, whatever the session's time zone.
		WHEN 'timestamp with time zone' THEN (('2000-01-01'::timestamp + s.span) AT TIME ZONE 'UTC')::text
		-- 24:00:00 is a valid time, but no sum of times gives it.
		WHEN 'time without time zone' THEN (bound::bigint * '1 microsecond'::interval)::text
		WHEN 'interval' THEN s.span::text
	END
	FROM (SELECT CASE WHEN kind IN ('timestamp without time zone', 'timestamp with time zone', 'interval')
		THEN make_interval(days => div(bound, 86400000000)::integer) + mod(bound, 86400000000)::bigint * '1 microsecond'::interval
		END) AS s (span)
$$;
COMMENT ON FUNCTION dp_noise.bound_text(numeric, text) IS
'A bound of dp_noise_ledger.column_bounds, of that kind, as a text: dates and times in ISO form, timestamps with time zone in the session''s time zone.';

CREATE FUNCTION dp_noise.do_read_own_columns(reader oid) RETURNS TABLE (
	relation regclass, column_name name, data_type text, lower text, upper text, public_values text[], public_by text, is_unit boolean,
	max_rows_per_unit integer, max_groups_per_unit integer, on_repeat text, population text, min_people_per_group integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
AS $$
BEGIN
	RETURN QUERY
	WITH permitted AS MATERIALIZED (
		-- from the reader's budgets on, however many members others have
		SELECT DISTINCT m.member_id
		FROM dp_noise.accounts_of(reader) AS o
		JOIN dp_noise_ledger.member AS m ON m.population_id = o.population_id AND (o.relations IS NULL OR m.member_id = ANY (o.relations))
	)
	SELECT m.relation::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
		dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind),
		CASE WHEN v.column_values IS NOT NULL THEN v.column_values
			WHEN y.base = 'boolean'::regtype THEN '{false,true}'
			WHEN t.typtype = 'e' THEN ARRAY(SELECT e.enumlabel::text FROM pg_enum AS e WHERE e.enumtypid = y.base ORDER BY e.enumsortorder)
		END,
		CASE WHEN v.column_values IS NOT NULL THEN 'declared'
			WHEN y.base = 'boolean'::regtype OR t.typtype = 'e' THEN 'type'
			WHEN f.target IS NOT NULL THEN 'foreign key to ' || f.target
			WHEN b.kind = 'number' AND y.base IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
				AND b.lower >= -1e9 AND b.upper <= 1e9 AND floor(b.upper) - ceil(b.lower) < 100000 THEN 'computed from bounds'
		END,
		coalesce(a.attname = m.unit OR a.attname = ANY (m.path_columns), false),
		m.max_rows_per_unit, m.max_groups_per_unit, p.on_repeat, p.name, m.min_people_per_group
	FROM permitted
	JOIN dp_noise_ledger.member AS m USING (member_id)
	JOIN dp_noise_ledger.population AS p USING (population_id)
	JOIN pg_attribute AS a ON a.attrelid = m.relation AND a.attnum > 0 AND NOT a.attisdropped
	CROSS JOIN LATERAL (
		WITH RECURSIVE domains (oid) AS (
			SELECT a.atttypid
			UNION
			SELECT d.typbasetype FROM pg_type AS d JOIN domains ON d.oid = domains.oid WHERE d.typtype = 'd'
		)
		SELECT d.oid FROM domains AS d JOIN pg_type AS k ON k.oid = d.oid WHERE k.typtype <> 'd'
	) AS y (base)
	JOIN pg_type AS t ON t.oid = y.base
	LEFT JOIN dp_noise_ledger.column_bounds AS b ON b.member_id = m.member_id AND b.column_name = a.attname
	LEFT JOIN dp_noise_ledger.column_values AS v ON v.member_id = m.member_id AND v.column_name = a.attname
	LEFT JOIN LATERAL (
		-- Foreign keys to a table that the reader may read and that is not
		-- protected itself.
		SELECT min(c.confrelid::regclass::text)
		FROM pg_constraint AS c
		WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND c.convalidated AND c.conkey = ARRAY[a.attnum]
			AND has_column_privilege(reader, c.confrelid, c.confkey[1], 'SELECT')
			AND NOT EXISTS (SELECT FROM dp_noise_ledger.member AS o WHERE o.relation = c.confrelid)
	) AS f (target) ON true
	ORDER BY m.relation, a.attnum;
END
$$;
CALL dp_noise.add_entry('read_own_columns');
COMMENT ON FUNCTION dp_noise.read_own_columns() IS 'The rows of dp_columns.';
CREATE VIEW @extschema@.dp_columns AS SELECT * FROM dp_noise.read_own_columns();
COMMENT ON VIEW @extschema@.dp_columns IS
'The columns of the protected relations that the reader (the session''s user) has a budget to ask about, its own or shared: declared bounds as texts; public values, where they can be listed, and why the values are public (declared, by their type, by a foreign key to a table that the reader may read, or computed from bounds: expressions over an integer between them); null: GROUP BY needs dp_noise.delta. Computed keys (date_trunc(''month'', day), left(code, 2)) have no row of their own: EXPLAIN shows how many values such a key has, and SELECT DISTINCT lists them, free. is_unit: the privacy unit, or a column of the path to it. The other columns are about the relation: how many rows and groups of a unit count; what happens to repeated questions; the population, whose budgets pay; and how many people a group has at least that is shown, where more than 1 every GROUP BY needs dp_noise.delta.';

CREATE VIEW @extschema@.dp_relations AS
SELECT c.relation, c.population, pg_catalog.array_agg(c.column_name) FILTER (WHERE c.is_unit) AS unit, c.max_rows_per_unit, c.max_groups_per_unit, c.on_repeat,
	pg_catalog.count(c.lower)::pg_catalog.int4 AS bounded_columns, pg_catalog.count(c.public_by)::pg_catalog.int4 AS public_columns, c.min_people_per_group
FROM dp_noise.read_own_columns() AS c
GROUP BY c.relation, c.population, c.max_rows_per_unit, c.max_groups_per_unit, c.on_repeat, c.min_people_per_group;
COMMENT ON VIEW @extschema@.dp_relations IS
'The protected relations that the reader (the session''s user) has a budget to ask about, one row each: the population whose budgets pay, the columns that tell units apart or lead to them (null: each row is a unit), how many rows and groups of a unit count, what happens to repeated questions, how many columns have bounds and public values, and how many people a group has at least that is shown. dp_columns has the columns.';

-- A history may have a million rows. Each budget's are read in the order of the
-- index, and not sorted; what was asked about is looked up in a sorted array, since a
-- join by each row takes longer than all the rest; the answers are read only where
-- "replays" is wanted.

CREATE FUNCTION dp_noise.do_read_own_history(reader oid) RETURNS TABLE (
	at timestamptz, population text, aggregate text, mechanism text, epsilon numeric, rho numeric, delta numeric, question bytea,
	asked_about regclass, shared boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET jit = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
	own record;
BEGIN
	FOR own IN
		SELECT b.budget_id, p.name FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.population AS p USING (population_id)
		WHERE b.role = nullif(reader, 0) ORDER BY b.budget_id
	LOOP
		RETURN QUERY
		WITH known AS MATERIALIZED (
			SELECT array_agg(m.member_id ORDER BY m.member_id) AS ids, array_agg(m.relation::regclass ORDER BY m.member_id) AS relations
			FROM dp_noise_ledger.member AS m WHERE m.relation <> 0
		)
		SELECT c.at, own.name, c.aggregate, c.mechanism, c.epsilon, c.rho, c.delta, c.fingerprint,
			CASE WHEN (SELECT k.ids FROM known AS k)[p.place] = c.member_id THEN (SELECT k.relations FROM known AS k)[p.place] END,
			NOT c.grant_paid
		FROM dp_noise_ledger.every_charge AS c, LATERAL (SELECT width_bucket(c.member_id, (SELECT k.ids FROM known AS k)) AS place) AS p
		WHERE c.budget_id = own.budget_id
		ORDER BY c.charge_id;
	END LOOP;
END
$$;
CALL dp_noise.add_entry('read_own_history');
COMMENT ON FUNCTION dp_noise.read_own_history() IS 'The rows of dp_history, without what is said of replays.';

CREATE FUNCTION dp_noise.do_read_own_answers(reader oid)
RETURNS TABLE (population text, question bytea) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
AS $$
BEGIN
	RETURN QUERY
	SELECT p.name, w.question
	FROM dp_noise_ledger.budget AS b
	JOIN dp_noise_ledger.population AS p USING (population_id)
	JOIN dp_noise_ledger.answer AS w ON w.population_id = p.population_id AND w.budget_id = b.budget_id
	-- Of a draw for everybody: as long as it is the one that the reader paid for.
	LEFT JOIN dp_noise_ledger.answer AS d ON d.population_id = p.population_id AND d.budget_id = 0 AND d.question = w.draw AND d.charge_id = w.claim
	WHERE b.role = nullif(reader, 0) AND p.on_repeat = 'replay' AND NOT p.is_dropped AND w.state <> 'given up'
		AND CASE WHEN w.draw IS NULL THEN w.state ELSE d.state END = 'answered'
		AND (w.answer IS NOT NULL OR d.answer IS NOT NULL)
		-- months have 30 days, as for the worker
		AND (extract(epoch FROM now() - CASE WHEN w.draw IS NULL THEN w.at ELSE d.at END) < extract(epoch FROM p.answers_expire)) IS NOT FALSE;
END
$$;
CALL dp_noise.add_entry('read_own_answers');
COMMENT ON FUNCTION dp_noise.read_own_answers() IS 'The reader''s questions that would be replayed now.';
CREATE VIEW @extschema@.dp_history AS
SELECT h.at, h.population, h.aggregate, h.mechanism, h.epsilon, h.rho, h.delta,
	(h.population, h.question) IN (SELECT a.population, a.question FROM dp_noise.read_own_answers() AS a) AS replays,
	h.question, h.asked_about, h.shared
FROM dp_noise.read_own_history() AS h;
COMMENT ON VIEW @extschema@.dp_history IS
'The reader''s own charges (those of the session''s user), one row per aggregate, in their order for each population: what was paid (epsilon null where there is no finite one). asked_about: the relation that the question was about, the first of several; null where it is not protected any more. question: equal for equal questions. replays: whether asking it again now returns the stored answer, free. shared: the answer had been given to somebody before. Replays are not recorded.';

GRANT SELECT ON @extschema@.dp_budget, @extschema@.dp_columns, @extschema@.dp_relations, @extschema@.dp_history TO PUBLIC;
/*
 * rehearse.sql
 *		Invented rows for analysts to try their SQL on.
 *
 * They follow from what dp_columns shows the caller, and from the server's types: the
 * relation is not read, nor is anything of it known here that is not public. Columns
 * have the types beneath domains, whose constraints may call an owner's functions;
 * types of others than enums become text. So the caller runs nobody's code.
 */

CREATE FUNCTION dp_noise.invented_value(
	type oid, number integer, lower text, upper text, public_values text[], rows_per_unit integer
) RETURNS text LANGUAGE plpgsql STABLE
AS $$
DECLARE
	name CONSTANT text := format_type(type, NULL);
	-- i: the number of the row; different columns go round in different steps
	step CONSTANT text := format('((i * 7919 + %s) %% 1000)', number * 31);
	unit CONSTANT text := format('((i - 1) / %s + 1)', rows_per_unit);
	most CONSTANT text := CASE name WHEN 'smallint' THEN '32767' WHEN 'integer' THEN '2147483647' WHEN 'bigint' THEN '9223372036854775807'
		WHEN 'real' THEN '1e37' WHEN 'double precision' THEN '1e300' ELSE '1e300' END;
	is_number CONSTANT boolean := name IN ('smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric');
	-- an enum may have a cast from text that its owner has made: its values are read as literals
	is_enum CONSTANT boolean := (SELECT t.typtype = 'e' FROM pg_type AS t WHERE t.oid = type);
	low CONSTANT text := quote_literal(lower);
	high CONSTANT text := quote_literal(upper);
	value text;
BEGIN
	IF public_values <> '{}' THEN
		value := format('(%L::%s[])[1 + (i * 7919 + %s) %% %s]', public_values, CASE WHEN is_enum THEN name ELSE 'text' END, number * 31, cardinality(public_values));
	ELSIF rows_per_unit IS NOT NULL THEN
		value := CASE WHEN is_number THEN unit || CASE name WHEN 'smallint' THEN ' % 32768' ELSE '' END
			WHEN name = 'uuid' THEN format('lpad(to_hex(%s), 32, ''0'')', unit)
			WHEN name = 'date' THEN format('date ''2000-01-01'' + (%s)::integer', unit)
			WHEN name ^@ 'timestamp' THEN format('timestamp ''2000-01-01'' + (%s)::integer * interval ''1 hour''', unit)
			WHEN name IN ('text', 'character varying', 'character', 'name') THEN format('''p'' || %s', unit) END;
	ELSIF is_number AND lower IS NOT NULL THEN
		value := format('greatest(%1$s::numeric, -(%2$s::numeric)) + (least(%3$s::numeric, %2$s::numeric) - greatest(%1$s::numeric, -(%2$s::numeric))) * %4$s / 999', low, most, high, step);
		IF name IN ('smallint', 'integer', 'bigint') THEN
			value := format('floor(%s)', value);
		END IF;
	ELSIF is_number THEN
		value := step || CASE WHEN name IN ('real', 'double precision', 'numeric') THEN ' / 10.0' ELSE ' % 100' END;
	ELSIF name = 'date' OR name ^@ 'timestamp' THEN
		-- whole days, which are counted without overflow between any two dates
		value := CASE WHEN lower IS NULL THEN format('timestamp ''2000-01-01'' + %s * interval ''9 days''', step)
			ELSE format('least(greatest(%1$s::%2$s, ((%1$s::%2$s)::date + floor(((%3$s::%2$s)::date - (%1$s::%2$s)::date)::numeric * %4$s / 999)::integer)::%2$s), %3$s::%2$s)', low, name, high, step) END;
	ELSIF name IN ('time without time zone', 'interval') THEN
		value := format('%1$s::%2$s + (%3$s::%2$s - %1$s::%2$s) * (%4$s / 999.0)', coalesce(low, '''00:00'''), name, coalesce(high, '''23:00'''), step);
	ELSE
		value := CASE WHEN name IN ('text', 'character varying', 'character', 'name') THEN format('''text '' || %s %% 20', step)
			WHEN name = 'boolean' THEN step || ' < 500'
			WHEN name = 'uuid' THEN format('lpad(to_hex(%s), 32, ''0'')', step)
			WHEN name IN ('json', 'jsonb') THEN '''{}''' END;
	END IF;
	RETURN format('(%s)::%s', coalesce(value, 'NULL'), name);
END
$$;
COMMENT ON FUNCTION dp_noise.invented_value(oid, integer, text, text, text[], integer) IS
'An expression of row number i for an invented value: (type, number of the column, bounds as texts or nulls, public values or null, rows of a unit where it is one). The null of the type where there is no better one.';

CREATE FUNCTION dp_noise.rehearse(relation regclass, row_count integer DEFAULT 1000) RETURNS regclass LANGUAGE plpgsql
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
AS $$
#variable_conflict use_variable
DECLARE
	own_name CONSTANT text := (SELECT c.relname FROM pg_class AS c WHERE c.oid = relation);
	table_name text := own_name;
	definition text;
	expressions text;
BEGIN
	IF row_count IS NULL OR row_count NOT BETWEEN 1 AND 1000000 THEN
		RAISE EXCEPTION 'row_count must be between 1 and 1000000'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave it out for 1000.';
	END IF;
	WITH RECURSIVE shown AS (
		SELECT d.*, a.attnum, a.atttypid FROM dp_noise.read_own_columns() AS d
		JOIN pg_attribute AS a ON a.attrelid = d.relation AND a.attname = d.column_name
		WHERE d.relation = relation
	), typed (attnum, type) AS (
		SELECT s.attnum, s.atttypid FROM shown AS s
		UNION ALL
		SELECT b.attnum, t.typbasetype FROM typed AS b JOIN pg_type AS t ON t.oid = b.type AND t.typtype = 'd'
	), base AS (
		SELECT s.*, CASE WHEN t.oid < 16384 AND t.typtype IN ('b', 'r', 'm') THEN t.oid
				WHEN t.typtype = 'e' AND has_schema_privilege(t.typnamespace, 'USAGE') AND has_type_privilege(t.oid, 'USAGE') THEN t.oid
				ELSE 'text'::regtype END AS type
		FROM shown AS s JOIN typed AS b USING (attnum) JOIN pg_type AS t ON t.oid = b.type AND t.typtype <> 'd'
	)
	SELECT string_agg(format('%I %s', b.column_name, format_type(b.type, NULL)), ', ' ORDER BY b.attnum),
		string_agg(dp_noise.invented_value(b.type, b.attnum, b.lower, b.upper, b.public_values, CASE WHEN b.is_unit THEN b.max_rows_per_unit END), ', ' ORDER BY b.attnum)
	INTO definition, expressions FROM base AS b;
	IF definition IS NULL THEN
		RAISE EXCEPTION 'role % has no budget to ask about relation %', session_user, relation
			USING ERRCODE = 'insufficient_privilege', HINT = 'dp_columns lists what can be rehearsed. Write the schema, too, where a temporary table has the name.';
	END IF;
	FOR number IN 2 .. 1000 LOOP
		EXIT WHEN NOT EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = pg_my_temp_schema() AND c.relname = table_name);
		table_name := left(own_name, 15) || '_' || number;
	END LOOP;
	EXECUTE format('CREATE TEMPORARY TABLE %I (%s)', table_name, definition);
	EXECUTE format('INSERT INTO pg_temp.%I SELECT %s FROM generate_series(1::bigint, %s) AS i', table_name, expressions, row_count);
	EXECUTE format('COMMENT ON TABLE pg_temp.%I IS %L', table_name, format('Invented rows in the shape of %s: dp_noise.rehearse().', relation));
	RETURN format('pg_temp.%I', table_name)::regclass;
END
$$;
COMMENT ON FUNCTION dp_noise.rehearse(regclass, integer) IS
'Makes a temporary table of the caller''s with invented rows in the shape of a protected relation, to try SQL on without privacy: (relation, row_count, 1 to 1000000). It is named like the relation, whose place it takes in the session wherever its schema is not written, until it is dropped; or with a number where a temporary table has that name. Columns have the relation''s names and types (those beneath domains; text for types of others), values between declared bounds, of declared values, enums and booleans, and a unit has max_rows_per_unit rows. Nothing of the relation is read, and nothing is charged: answers over such a table say nothing about people. For roles with a budget to ask about the relation. Errors: insufficient_privilege, invalid_parameter_value.';
/*
 * script.sql
 *		The policy of a population, as the statements that declare it.
 */

CREATE FUNCTION dp_noise.members_in_order(population_id integer)
RETURNS TABLE (member_id integer, relation regclass, place bigint) LANGUAGE sql STABLE
AS $$
	-- A path leads to a member that is protected before; so does a view.
	WITH RECURSIVE present AS (
		SELECT m.member_id, m.relation, m.path_member_id, c.relkind = 'v' AS is_view
		FROM dp_noise_ledger.member AS m
		JOIN pg_class AS c ON c.oid = m.relation AND c.relname = m.relation_name
		JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = m.schema_name
		WHERE m.population_id = members_in_order.population_id
	), step (member_id, target) AS (
		SELECT p.member_id, p.path_member_id FROM present AS p WHERE p.path_member_id IS NOT NULL
		UNION
		SELECT s.member_id, m.path_member_id FROM step AS s JOIN dp_noise_ledger.member AS m ON m.member_id = s.target
		WHERE m.path_member_id IS NOT NULL
	), reading (member_id, object) AS (
		SELECT p.member_id, p.relation FROM present AS p WHERE p.is_view
		UNION
		SELECT r.member_id, d.refobjid
		FROM reading AS r
		JOIN pg_rewrite AS w ON w.ev_class = r.object AND w.ev_type = '1'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT p.member_id, p.relation::regclass,
		row_number() OVER (ORDER BY p.is_view,
			(SELECT count(*) FROM step AS s WHERE s.member_id = p.member_id),
			(SELECT count(*) FROM reading AS r WHERE r.member_id = p.member_id AND EXISTS (SELECT FROM present AS q WHERE q.relation = r.object)),
			p.relation::regclass::text COLLATE "C")
	FROM present AS p
$$;
COMMENT ON FUNCTION dp_noise.members_in_order(integer) IS
'The members of a population that exist, with the places in which they can be protected one after the other.';

CREATE FUNCTION dp_noise.do_script(population text) RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
SET timezone = 'UTC'
AS $$
DECLARE
	given record;
	one record;
BEGIN
	SELECT p.population_id AS id, p.name, p.accountant, p.on_repeat, p.share_answers, p.answers_expire, r.oid::regrole AS owner, b.epsilon, b.delta, b.delta_pool INTO STRICT given
	FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.budget AS b ON b.population_id = p.population_id AND b.role IS NULL
	LEFT JOIN pg_roles AS r ON r.oid = p.owner AND r.rolname = p.owner_name
	WHERE p.name = do_script.population AND NOT p.is_dropped;
	-- All or nothing: a population without its members would be taken for a whole one.
	RETURN NEXT 'BEGIN ISOLATION LEVEL READ COMMITTED;';
	RETURN NEXT format('SELECT dp_noise.create_population(%s);', concat_ws(', ', quote_literal(given.name), 'epsilon => ' || given.epsilon,
		'delta => ' || nullif(given.delta, 0), 'accountant => ' || quote_literal(nullif(given.accountant, 'pure')),
		'delta_pool => ' || nullif(given.delta_pool, 0), 'on_repeat => ' || quote_literal(nullif(given.on_repeat, 'replay')),
		'share_answers => ' || nullif(given.share_answers, true), 'answers_expire => ' || quote_literal(given.answers_expire)));
	IF given.owner IS NOT NULL THEN
		RETURN NEXT format('SELECT dp_noise.alter_population(%L, owner => %L);', given.name, given.owner);
	END IF;
	RETURN QUERY
	SELECT format('SELECT dp_noise.allow_members(%L, %L);', given.name, r.oid::regrole)
	FROM dp_noise_ledger.allowance AS a JOIN pg_roles AS r ON r.oid = a.role AND r.rolname = a.role_name
	WHERE a.population_id = given.id ORDER BY r.rolname;

	FOR one IN
		SELECT m.*, o.relation AS name,
			CASE WHEN m.path_member_id IS NULL THEN m.unit::text ELSE dp_noise.path_text(m.path_columns, t.relation::regclass, m.path_keys) END AS privacy_unit
		FROM dp_noise.members_in_order(given.id) AS o
		JOIN dp_noise_ledger.member AS m USING (member_id)
		LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id
		WHERE m.unit IS DISTINCT FROM '' -- dropped
		ORDER BY o.place
	LOOP
		RETURN NEXT format('SELECT dp_noise.protect(%s);', concat_ws(', ', quote_literal(one.name), 'privacy_unit => ' || quote_literal(one.privacy_unit),
			'neighbours => ' || quote_literal(nullif(one.neighbours, 'add_remove')), 'max_rows_per_unit => ' || one.max_rows_per_unit,
			'max_groups_per_unit => ' || nullif(one.max_groups_per_unit, 1),
			'min_people_per_group => ' || nullif(one.min_people_per_group, 1), format('population => %L', given.name)));
		RETURN QUERY
		SELECT format('SELECT dp_noise.set_bounds(%L, %L, %L, %L);', one.name, b.column_name, dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind))
		FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = one.member_id ORDER BY b.column_name;
		RETURN QUERY
		SELECT format('SELECT dp_noise.set_values(%L, %L, %L);', one.name, v.column_name, v.column_values)
		FROM dp_noise_ledger.column_values AS v WHERE v.member_id = one.member_id ORDER BY v.column_name;
		IF one.levels IS NOT NULL THEN
			RETURN NEXT format('SELECT dp_noise.set_levels(%L, %L);', one.name, one.levels);
		END IF;
	END LOOP;

	RETURN QUERY
	SELECT format('SELECT dp_noise.set_budget(%s);', concat_ws(', ', quote_literal(r.oid::regrole), quote_literal(given.name), 'epsilon => ' || b.epsilon,
		'delta => ' || nullif(b.delta, 0), 'max_epsilon_per_query => ' || b.max_epsilon_per_query, 'period => ' || quote_literal(b.period),
		'shared => ' || nullif(b.shared, false),
		CASE WHEN b.min_epsilon_per_query IS DISTINCT FROM 0.001 THEN 'min_epsilon_per_query => ' || coalesce(b.min_epsilon_per_query::text, 'NULL') END,
		'default_epsilon => ' || b.default_epsilon,
		CASE WHEN b.max_failures IS DISTINCT FROM 3 THEN 'max_failures => ' || coalesce(b.max_failures::text, 'NULL') END,
		CASE WHEN b.relations IS NOT NULL THEN format('relations => %L', ARRAY(
			SELECT o.relation::text FROM dp_noise.members_in_order(given.id) AS o WHERE o.member_id = ANY (b.relations) ORDER BY o.place)) END))
	FROM dp_noise_ledger.budget AS b JOIN pg_roles AS r ON r.oid = b.role AND r.rolname = b.role_name
	WHERE b.population_id = given.id AND b.is_active ORDER BY r.rolname;
	RETURN NEXT 'COMMIT;';
END
$$;
CALL dp_noise.add_entry('script');
COMMENT ON FUNCTION dp_noise.script(text) IS
'The statements that declare a population anew, in their order: itself and its owner, who else may have members in it, its members with their bounds, values and levels, and the roles'' budgets. They are one transaction, applied as a whole or not at all: what psql -XAt prints of them is a script for another database with the same tables and roles. Without what was spent, and without members and roles that are gone. For the population''s owner and superusers.';
/*
 * disclosure.sql
 *		What a population's owner can publish about what was promised and spent.
 *
 * The fields below "deployment" have the names that the schema of OpenDP's
 * registry of deployments gives them. It allows no others: the rest is below
 * "dp_noise". What only people can tell, such as the intended use, is left out.
 * Names of roles are, too, and questions.
 */

CREATE FUNCTION dp_noise.do_disclosure(population text) RETURNS json LANGUAGE plpgsql STABLE SECURITY DEFINER
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
SET timezone = 'UTC'
AS $$
DECLARE
	given record;
	spent record;
	roles record;
	used text[];
	first_charge timestamptz;
	is_zcdp boolean;
	is_pure boolean;
BEGIN
	SELECT p.population_id AS id, p.name, p.accountant, p.on_repeat, p.share_answers, p.answers_expire, b.epsilon, b.delta, b.rho, b.delta_pool, b.budget_id INTO STRICT given
	FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.budget AS b ON b.population_id = p.population_id AND b.role IS NULL
	WHERE p.name = do_disclosure.population AND NOT p.is_dropped;
	is_zcdp := given.accountant = 'zcdp' AND given.delta_pool = 0;
	is_pure := given.accountant = 'pure' AND given.delta = 0;
	SELECT s.epsilon, s.delta, s.rho, s.delta_pool, s.unbounded INTO spent
	FROM (VALUES (given.budget_id)) AS g (budget_id) LEFT JOIN dp_noise_ledger.spending AS s USING (budget_id);
	SELECT count(*) FILTER (WHERE b.is_active) AS active, count(*) FILTER (WHERE b.is_active AND b.shared) AS shared, max(b.epsilon) FILTER (WHERE b.is_active) AS epsilon INTO roles
	FROM dp_noise_ledger.budget AS b WHERE b.population_id = given.id AND b.role IS NOT NULL;
	SELECT array_agg(DISTINCT c.mechanism ORDER BY c.mechanism), min(c.at) INTO used, first_charge
	FROM dp_noise_ledger.every_charge AS c WHERE c.population_id = given.id;

	RETURN json_strip_nulls(json_build_object(
		'deployment', json_build_object(
			'basic', json_build_object(
				'name', given.name,
				'data_product_type', 'SQL queries',
				'publication_date', to_char(first_charge AT TIME ZONE 'UTC', 'YYYY-MM-DD')),
			'dp_variant', json_build_object(
				'variant_name', CASE WHEN is_zcdp THEN 'Zero-concentrated DP' WHEN is_pure THEN 'Pure DP' ELSE 'Approximate DP' END,
				'unprotected_quantities', 'How long queries run and what can be inferred from waiting; that somebody writes to the database; names and types of relations, columns and constraints; what was declared of them (bounds, values, caps, levels); what was asked, when, and for which price; that a question failed for want of resources, which is counted.'),
			'privacy_loss', json_build_object(
				'privacy_unit', CASE WHEN EXISTS (SELECT FROM dp_noise.unit_roots(given.id) AS u WHERE u.unit IS NULL) THEN 'Row-level' ELSE 'User-level' END,
				'privacy_unit_details', 'Neighbours are two histories of the relations of which one lacks, or has other, rows of one privacy unit in all of them together; the unit and the kind of neighbours of each relation are listed in dp_noise.relations.',
				'privacy_parameters', json_build_object('epsilon', CASE WHEN NOT is_zcdp THEN given.epsilon END,
					'delta', CASE WHEN NOT is_zcdp AND NOT is_pure THEN given.delta END, 'rho', CASE WHEN is_zcdp THEN given.rho END),
				'privacy_parameters_details', 'What all answers to all roles may cost together, without refills; dp_noise.spent is what they have cost so far.'),
			'deployment_model', json_build_object(
				'model_name', 'Central',
				'release_type', 'Many releases',
				'release_type_details', 'Each answer is charged to one grant, which does not refill; once it is spent, no new question is answered.',
				'access_type', 'Interactive',
				'access_type_details', format('%s roles or groups have a budget (%s of them shared by the members of a group), the largest of epsilon %s. No analyst is trusted not to collude: the grant bounds what all of them learn together.%s',
					roles.active, roles.shared, coalesce(roles.epsilon, 0), CASE WHEN given.share_answers THEN ' Equal questions get one answer.' ELSE '' END)),
			'accounting', json_build_object(
				'composition', CASE given.accountant WHEN 'zcdp' THEN 'Sequential and adaptive: rho adds up, deltas come from a pool.' ELSE 'Sequential and adaptive: epsilons and deltas add up.' END),
			'implementation', json_build_object(
				'mechanisms', format('%s. Noise is drawn with integer arithmetic from a cryptographic generator; nothing rests on floating-point numbers. Analysts have no privilege on the relations. Timing is not hidden. dp_noise %s in PostgreSQL %s.',
					coalesce(array_to_string(used, ', '), 'None yet'), (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'dp_noise'), current_setting('server_version')))),
		'dp_noise', json_build_object(
			'disclosed_at', now(),
			'accountant', given.accountant,
			'grant', json_build_object('epsilon', given.epsilon, 'delta', given.delta, 'rho', given.rho, 'delta_pool', nullif(given.delta_pool, 0)),
			'spent', CASE WHEN given.accountant = 'zcdp' THEN json_build_object('rho', coalesce(spent.rho, 0), 'delta_pool', coalesce(spent.delta_pool, 0))
				ELSE json_build_object('epsilon', coalesce(spent.epsilon, 0), 'delta', coalesce(spent.delta, 0), 'charges_without_epsilon', nullif(spent.unbounded, 0)) END,
			'on_repeat', given.on_repeat,
			'share_answers', given.share_answers,
			'answers_expire', given.answers_expire,
			'mechanisms', coalesce(used, '{}'),
			'relations', (
				SELECT coalesce(json_agg(json_build_object(
					'relation', o.relation,
					'privacy_unit', CASE WHEN m.path_member_id IS NULL THEN m.unit::text ELSE dp_noise.path_text(m.path_columns, t.relation::regclass, m.path_keys) END,
					'neighbours', m.neighbours,
					'max_rows_per_unit', m.max_rows_per_unit,
					'max_groups_per_unit', m.max_groups_per_unit,
					'min_people_per_group', m.min_people_per_group,
					'levels', m.levels,
					'bounds', (SELECT json_object_agg(b.column_name, json_build_array(dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind)) ORDER BY b.column_name)
						FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = m.member_id),
					'values', (SELECT json_object_agg(v.column_name, v.column_values ORDER BY v.column_name)
						FROM dp_noise_ledger.column_values AS v WHERE v.member_id = m.member_id)) ORDER BY o.place), '[]')
				FROM dp_noise.members_in_order(given.id) AS o
				JOIN dp_noise_ledger.member AS m USING (member_id)
				LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id),
			'versions', json_build_object('dp_noise', (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'dp_noise'), 'postgresql', current_setting('server_version')))));
END
$$;
CALL dp_noise.add_entry('disclosure');
COMMENT ON FUNCTION dp_noise.disclosure(text) IS
'What can be published about a population: below deployment, the fields that OpenDP''s registry of deployments has and that can be known here; below dp_noise, the grant, what was spent, the rule for repeated questions, the mechanisms used, the members with units, neighbours, caps, bounds and values, and versions. A privacy_unit that is missing is the row. No names of roles and no questions are in it. For the population''s owner and superusers.';
/*
 * activity.sql
 *		What the ledger workers do: for those who watch the server.
 */

CREATE FUNCTION dp_noise.read_activity() RETURNS TABLE (
	database oid, worker_pid integer, waiting integer, waiting_since timestamptz, charged bigint, repeated bigint, refused bigint,
	errors bigint, previewed bigint, stored bigint, failed bigint, seconds_waited float8, longest_wait float8, counted_since timestamptz
)
AS 'MODULE_PATHNAME', 'dp_read_activity' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dp_noise.read_activity() IS
'The rows of dp_noise.activity, with the oid of the database. For superusers, and for roles that have pg_read_all_stats.';

CREATE VIEW dp_noise.activity AS
SELECT d.datname AS database, a.worker_pid, a.waiting, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) a.waiting_since AS waiting_for,
	a.charged, a.repeated, a.refused, a.errors, a.previewed, a.stored, a.failed, a.seconds_waited, a.longest_wait, a.counted_since
FROM dp_noise.read_activity() AS a
JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) a.database;
COMMENT ON VIEW dp_noise.activity IS
'What the ledger''s worker of each database did since counted_since, which is the start of the server or, where more than 64 databases have a ledger, later. worker_pid: null where nobody has asked for some seconds, so that no worker runs. waiting, waiting_for: requests that it has not answered yet, and the age of the oldest. Statements: charged, somebody paid for something in them; repeated, answered before, free; refused, for want of a right or of budget, or as asked before; errors, the ledger could not decide, as under a lock; previewed, by EXPLAIN and the like, and all on a standby; stored, their answers were kept; failed, they ended in errors that may depend on rows. seconds_waited, longest_wait: how long those charged, repeated and refused waited for the ledger, together and at most, in seconds. For superusers and roles that have pg_read_all_stats (pg_monitor has).';

CREATE FUNCTION dp_noise.read_spending() RETURNS TABLE (
	population text, role name, shared boolean, accountant text, used float8, epsilon numeric, epsilon_spent numeric, delta numeric,
	delta_spent numeric, failures integer, max_failures integer, refills_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
AS $$
BEGIN
	RETURN QUERY
	SELECT a.population, a.role_name, a.shared, a.accountant,
		CASE a.accountant WHEN 'zcdp' THEN greatest(s.rho_spent / nullif(a.rho, 0), s.delta_spent / nullif(a.delta_pool, 0))
			ELSE greatest(s.epsilon_spent / nullif(a.epsilon, 0), s.delta_spent / nullif(a.delta, 0)) END::float8,
		a.epsilon, s.epsilon_spent, a.delta, s.delta_spent, a.failures, a.max_failures, a.refills_at
	FROM dp_noise_ledger.account AS a
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WHERE a.pays AND NOT a.is_dropped;
END
$$;
COMMENT ON FUNCTION dp_noise.read_spending() IS 'The rows of dp_noise.spending. For superusers, and for roles that have pg_read_all_stats.';
CREATE VIEW dp_noise.spending AS SELECT * FROM dp_noise.read_spending();
COMMENT ON VIEW dp_noise.spending IS
'All budgets of this database, whoever owns the populations, with what is spent in their current periods: for monitoring. A row without a role is the population''s grant. used: the share of the budget that is spent, from 0 to 1 (infinity after a charge without a finite epsilon), of the currency of which most is: epsilon or delta under pure, rho or the pool of delta under zcdp. The other columns are as in dp_noise.budgets. For superusers and roles that have pg_read_all_stats (pg_monitor has).';

GRANT EXECUTE ON FUNCTION dp_noise.read_activity(), dp_noise.read_spending() TO pg_read_all_stats;
GRANT SELECT ON dp_noise.activity, dp_noise.spending TO pg_read_all_stats;
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
/*
 * expressions.sql
 *		The wrapped forms of the server's functions.
 */

------------------------------------------------------------------------------
-- Expressions

CREATE FUNCTION dp_noise.wrapped_functions() RETURNS pg_catalog.text[]
AS 'MODULE_PATHNAME', 'dp_wrapped_functions' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.wrapped_functions() IS
'The server''s functions that have a wrapped form, dp_noise.try_<name>: name, argument types and the symbol in the library, separated by slashes. A query over a protected relation may call them: a call that would be an error gives null.';

-- One wrapped form for each function of the list. Functions that this server
-- does not have are left out: the list covers all versions.
DO $$
DECLARE
	part text[];
	name text;
	arguments text;
	original oid;
	result text;
	volatility "char";
	is_parallel_safe boolean;
	is_strict boolean;
BEGIN
	FOR part IN
		SELECT pg_catalog.string_to_array(f, '/') FROM pg_catalog.unnest(dp_noise.wrapped_functions()) AS f
	LOOP
		name := part[1];
		SELECT pg_catalog.string_agg('pg_catalog.' || pg_catalog.quote_ident(a), ', ' ORDER BY n) INTO arguments
		FROM pg_catalog.unnest(pg_catalog.string_to_array(part[2], ' ')) WITH ORDINALITY AS u (a, n);
		IF name LIKE 'cast\_to\_%' THEN
			result := 'pg_catalog.' || pg_catalog.quote_ident(pg_catalog.substr(name, 9));
			is_parallel_safe := true;
			is_strict := true;
			SELECT CASE WHEN o.provolatile = 'i' AND i.provolatile = 'i' THEN 'i' ELSE 's' END INTO volatility
			FROM pg_catalog.pg_type AS f
			JOIN pg_catalog.pg_proc AS o ON o.oid = f.typoutput,
				pg_catalog.pg_type AS t JOIN pg_catalog.pg_proc AS i ON i.oid = t.typinput
			WHERE f.oid = arguments::pg_catalog.regtype AND t.oid = result::pg_catalog.regtype;
		ELSE
			original := pg_catalog.to_regprocedure(pg_catalog.format('pg_catalog.%I(%s)', name, arguments));
			CONTINUE WHEN original IS NULL;
			SELECT p.prorettype::pg_catalog.regtype::text, p.provolatile, p.proparallel = 's', p.proisstrict INTO result, volatility, is_parallel_safe, is_strict
			FROM pg_catalog.pg_proc AS p
			WHERE p.oid = original;
		END IF;
		EXECUTE pg_catalog.format(
			'CREATE FUNCTION dp_noise.%I(%s) RETURNS %s AS ''MODULE_PATHNAME'', %L LANGUAGE C %s %s %s',
			'try_' || name, arguments, result, part[3],
			CASE volatility WHEN 'i' THEN 'IMMUTABLE' ELSE 'STABLE' END,
			CASE WHEN is_strict THEN 'STRICT' ELSE 'CALLED ON NULL INPUT' END,
			CASE WHEN is_parallel_safe THEN 'PARALLEL SAFE' ELSE 'PARALLEL RESTRICTED' END);
		-- COMMENT would lock each function until the end: more locks than small servers have
		INSERT INTO pg_catalog.pg_description (objoid, classoid, objsubid, description)
		SELECT pg_catalog.to_regprocedure(pg_catalog.format('dp_noise.%I(%s)', 'try_' || name, arguments)), 'pg_catalog.pg_proc'::pg_catalog.regclass, 0,
			pg_catalog.format('%s(%s), with null in place of a data exception.', name, pg_catalog.replace(part[2], ' ', ', '));
	END LOOP;
END
$$;
/*
 * hardening.sql
 *		Side channels: who could use them, and harden().
 */

------------------------------------------------------------------------------
-- Side channels: who could use them

CREATE FUNCTION dp_noise.do_read_askers(reader oid) RETURNS TABLE (relation regclass, role oid) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	-- A role that may ask about a view may thereby ask about what it reads.
	WITH RECURSIVE seen AS (
		SELECT m.member_id, m.population_id, m.relation AS object FROM dp_noise_ledger.member AS m WHERE m.relation <> 0
		UNION
		SELECT s.member_id, s.population_id, d.refobjid
		FROM seen AS s
		JOIN pg_rewrite AS w ON w.ev_class = s.object AND w.ev_type = '1'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT DISTINCT m.relation::regclass, r.oid
	FROM dp_noise_ledger.member AS m
	JOIN pg_class AS c ON c.oid = m.relation
	JOIN seen AS s ON s.object = m.relation
	JOIN dp_noise_ledger.account AS a ON a.population_id = s.population_id AND a.pays AND a.role IS NOT NULL
		AND (a.relations IS NULL OR s.member_id = ANY (a.relations))
	JOIN pg_roles AS r ON r.oid = a.role OR (a.shared AND NOT r.rolsuper AND pg_has_role(r.oid, a.role, 'MEMBER'))
	WHERE pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_askers');
COMMENT ON FUNCTION dp_noise.read_askers() IS 'The rows of dp_noise.asker.';
CREATE VIEW dp_noise.asker AS SELECT * FROM dp_noise.read_askers();
COMMENT ON VIEW dp_noise.asker IS
'Roles with a budget, their own or shared by a group, to ask about protected relations that the reader owns or about protected views of these.';

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
'The roles whose privileges a role with a budget has: everyone (grantee 0), itself, and its groups. Without the table''s owner.';
GRANT SELECT ON dp_noise.asker, dp_noise.reach TO PUBLIC;

CREATE FUNCTION dp_noise.role_text(role oid) RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END
$$;
COMMENT ON FUNCTION dp_noise.role_text(oid) IS 'A role as written in GRANT and REVOKE; PUBLIC for 0.';

------------------------------------------------------------------------------
-- Side channels: statistics of the server

CREATE FUNCTION dp_noise.statistics_sources()
RETURNS TABLE (class regclass, object oid, kind text, name text, privilege text, tells text, public_at_first boolean, acl aclitem[], owner oid) LANGUAGE sql STABLE
AS $$
	WITH member AS (
		SELECT d.classid, d.objid, e.extname
		FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
			AND e.extname IN ('pg_stat_statements', 'pg_buffercache', 'pgstattuple', 'pg_freespacemap', 'pg_visibility', 'pg_walinspect', 'old_snapshot',
				'pg_stat_kcache', 'pg_qualstats', 'pg_wait_sampling', 'pg_stat_monitor', 'pg_store_plans', 'pg_proctab', 'system_stats', 'hypopg', 'citus', 'timescaledb')
	), source AS (
		SELECT 'pg_proc'::regclass AS class, p.oid AS object, 'FUNCTION' AS kind, 'f'::"char" AS type,
			p.proacl AS acl, p.proowner AS owner,
			CASE
				WHEN p.proname ~ '^run_command_on_|^master_run_on_worker$' THEN 'what other nodes count'
				WHEN m.extname IS NOT NULL THEN 'what extension ' || m.extname || ' counts'
				WHEN p.proname ~ '^lo_|toast' THEN 'how many long values everybody stored'
				WHEN p.proname ~ 'age$|txid|xact_(id|status)|snapshot$|prepared_xact' THEN 'how many transactions wrote'
				WHEN p.proname ~ '^pg_stat_get_' THEN 'counters of tables, of the server and of sessions'
				WHEN p.proname ~ '_size$' THEN 'sizes'
				WHEN p.proname ~ 'lock|multixact' THEN 'locks'
				WHEN p.proname ~ 'xact' THEN 'times of transactions'
				ELSE 'how much is written'
			END AS tells
		FROM pg_proc AS p
		LEFT JOIN member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
		WHERE CASE m.extname WHEN 'citus' THEN p.proname ~ '^run_command_on_|^master_run_on_worker$|_sizes?$|^(citus|master)_.*_stat|^citus_stat_|^citus_shards_on_worker$'
			WHEN 'timescaledb' THEN p.proname ~ 'size|_stat|row_count' ELSE m.extname IS NOT NULL END
			OR (p.pronamespace = 'pg_catalog'::regnamespace
				AND (p.proname ~ '^pg_stat_get_|^pg_(current|last)_wal_|^pg_(available_)?wal_summar|^pg_get_wal_summar'
					OR p.proname IN ('pg_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_total_relation_size',
						'pg_database_size', 'pg_tablespace_size',
						'pg_lock_status', 'pg_blocking_pids', 'pg_safe_snapshot_blocking_pids', 'pg_isolation_test_session_is_blocked',
						'pg_get_multixact_members',
						'pg_last_committed_xact', 'pg_xact_commit_timestamp', 'pg_xact_commit_timestamp_origin',
						'pg_get_replication_slots', 'pg_logical_emit_message', 'pg_control_checkpoint', 'pg_control_recovery',
						'pg_notification_queue_usage',
						-- counters behind the numbers of objects and
						-- transactions
						'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import', 'pg_column_toast_chunk_id',
						'pg_current_xact_id', 'pg_current_xact_id_if_assigned', 'pg_current_snapshot', 'pg_xact_status', 'pg_prepared_xact',
						'txid_current', 'txid_current_if_assigned', 'txid_current_snapshot', 'txid_status')
					OR (p.proname IN ('age', 'mxid_age') AND p.proargtypes[0] = 'xid'::regtype)))
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
			AND CASE coalesce(m.extname, '')
				WHEN '' THEN c.oid IN ('pg_class'::regclass, 'pg_largeobject_metadata'::regclass)
				WHEN 'citus' THEN c.relname IN ('pg_dist_placement', 'pg_dist_shard_placement') -- have shardlength
				WHEN 'timescaledb' THEN c.relname ~ 'size|stat'
				ELSE true END
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
'Functions, tables and views of this database that show statistics of everyone''s tables and sessions: what they show, whether PUBLIC may read them after initdb or CREATE EXTENSION, and the current privileges. Includes extensions that come with PostgreSQL, and some others.';

CREATE FUNCTION dp_noise.hidden_columns() RETURNS name[] LANGUAGE sql IMMUTABLE
AS $$
	SELECT '{reltuples,relpages,relallvisible,relallfrozen}'::pg_catalog.name[]
$$;
COMMENT ON FUNCTION dp_noise.hidden_columns() IS
'Columns of pg_class that are statistics: after VACUUM or ANALYZE of a small table, reltuples is the exact number of its rows.';

-- Whoever was granted EXECUTE takes away what everybody could read until now,
-- and can leave it to roles in keep; but not give what nobody has any more, such
-- as the number of rows of tables, to themselves.
CREATE FUNCTION dp_noise.do_harden(caller oid, keep regrole[] DEFAULT '{}', catalogs boolean DEFAULT true)
RETURNS TABLE (object text, privilege text, revoked_from text, granted_to text) LANGUAGE plpgsql SECURITY DEFINER ROWS 100
AS $$
DECLARE
	is_superuser CONSTANT boolean := (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = caller);
	statistics CONSTANT oid := 'pg_read_all_stats'::regrole;
	readers CONSTANT oid[] := (SELECT array_agg(DISTINCT r) FROM unnest(keep::oid[] || statistics) AS r);
	source record;
	visible text;
	is_public boolean;
	lacking text;
BEGIN
	FOR source IN
		SELECT * FROM dp_noise.statistics_sources() AS s WHERE s.public_at_first ORDER BY s.kind, s.name
	LOOP
		CONTINUE WHEN NOT catalogs AND source.name IN ('pg_class', 'pg_largeobject_metadata');
		is_public := EXISTS (SELECT FROM aclexplode(source.acl) AS a WHERE a.grantee = 0);
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
			-- Granted anew each time: another version of the server has other columns.
			IF is_public OR is_superuser THEN
				EXECUTE format('GRANT SELECT (%s) ON TABLE pg_class TO PUBLIC', visible);
			END IF;
		ELSIF is_public THEN
			EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', source.kind, source.name);
		END IF;
		lacking := (SELECT string_agg(r::regrole::text, ', ' ORDER BY r::regrole::text) FROM unnest(readers) AS r
			WHERE (is_public OR is_superuser OR r = statistics)
				AND NOT EXISTS (SELECT FROM aclexplode(source.acl) AS a WHERE a.grantee = r AND a.privilege_type = source.privilege));
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
CALL dp_noise.add_entry('harden');
COMMENT ON FUNCTION dp_noise.harden(regrole[], boolean) IS
'Revokes from PUBLIC, in this database, access to statistics of everyone''s tables and sessions (dp_noise.statistics_sources), and grants it to pg_read_all_stats and to the roles in keep: for monitoring, and for roles that run pg_dump, vacuumdb or reindexdb without being superuser. catalogs false: leaves pg_class (reltuples, relpages and others) and pg_largeobject_metadata readable, for tools that read all columns of pg_class. Returns one row for each object that was changed, none when called again. New extensions and other versions of PostgreSQL bring new objects: call it again then. For superusers, and for roles that were granted EXECUTE; what a role in keep cannot read any more, only superusers give back.';
/*
 * check_populations.sql
 *		What dp_noise.check() finds in the declarations of populations.
 */

CREATE FUNCTION dp_noise.do_read_population_findings(reader oid)
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET jit = off -- would compile for longer than all it runs
AS $$
BEGIN
	RETURN QUERY
	WITH RECURSIVE own AS MATERIALIZED (
		SELECT p.population_id, p.name FROM dp_noise_ledger.population AS p
		WHERE NOT p.is_dropped AND pg_has_role(reader, p.owner, 'USAGE')
	), budget AS (
		SELECT o.name, b.*, g.epsilon AS all_epsilon, g.delta AS all_delta, r.rolname AS present_name
		FROM own AS o
		JOIN dp_noise_ledger.budget AS b USING (population_id)
		JOIN dp_noise_ledger.budget AS g ON g.population_id = b.population_id AND g.role IS NULL
		LEFT JOIN pg_roles AS r ON r.oid = b.role
		WHERE b.is_active AND b.role IS NOT NULL
	), member AS MATERIALIZED (
		SELECT p.name, p.owner, m.population_id, m.relation, m.unit, c.relowner
		FROM dp_noise_ledger.member AS m
		JOIN dp_noise_ledger.population AS p USING (population_id)
		JOIN pg_class AS c ON c.oid = m.relation
		WHERE pg_has_role(reader, p.owner, 'USAGE') OR pg_has_role(reader, c.relowner, 'USAGE')
	), root AS MATERIALIZED (
		SELECT o.name, o.population_id, u.* FROM own AS o CROSS JOIN LATERAL dp_noise.unit_roots(o.population_id) AS u
		WHERE u.relation = u.root_relation
	), key AS MATERIALIZED (
		SELECT k.conrelid, k.conkey, k.confrelid, k.confkey, (
			SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.number) FROM unnest(k.conkey) WITH ORDINALITY AS u (own, number)
			JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.own) AS columns
		FROM pg_constraint AS k WHERE k.contype = 'f' AND k.conparentid = 0
	), same (root, relation, number) AS (
		-- the columns that have the values of a unit, as foreign keys say
		SELECT r.root, r.root_relation, a.attnum FROM root AS r JOIN pg_attribute AS a ON a.attrelid = r.root_relation AND a.attname = r.unit
		UNION
		SELECT s.root, k.confrelid, k.confkey[1] FROM same AS s JOIN key AS k ON k.conrelid = s.relation AND k.conkey = ARRAY[s.number]
	), about AS (
		SELECT m.name, m.population_id, k.conrelid AS relation, k.columns, k.confrelid AS target, true AS is_first
		FROM member AS m JOIN key AS k ON k.confrelid = m.relation
		UNION
		SELECT m.name, m.population_id, k.conrelid, k.columns, k.confrelid, true
		FROM member AS m
		JOIN pg_attribute AS a ON a.attrelid = m.relation AND a.attname = m.unit
		JOIN key AS u ON u.conrelid = m.relation AND u.conkey = ARRAY[a.attnum]
		JOIN key AS k ON k.confrelid = u.confrelid AND k.confkey = u.confkey
		UNION
		-- and what refers to one that was forgotten
		SELECT a.name, a.population_id, k.conrelid, k.columns, k.confrelid, false
		FROM about AS a JOIN key AS k ON k.confrelid = a.relation AND k.conrelid <> a.relation
		WHERE NOT EXISTS (SELECT FROM dp_noise_ledger.member AS m WHERE m.relation = a.relation)
	), payer AS MATERIALIZED (
		-- whoever may ask, with an own budget or a group's
		SELECT b.population_id, r.oid FROM budget AS b JOIN pg_roles AS r ON r.oid = b.role AND b.present_name = b.role_name
		UNION
		SELECT b.population_id, r.oid FROM budget AS b JOIN pg_roles AS r ON b.shared AND b.present_name = b.role_name AND pg_has_role(r.oid, b.role, 'MEMBER')
	)
	SELECT 'high', 'role ' || quote_ident(b.role_name),
		format('has a budget of epsilon %s and delta %s in population %L, more than the grant of everybody together: epsilon %s and delta %s', b.epsilon, b.delta, b.name, b.all_epsilon, b.all_delta),
		'Grant it less with dp_noise.set_budget().'
	FROM budget AS b WHERE b.present_name = b.role_name AND (b.epsilon > b.all_epsilon OR b.delta > b.all_delta)
	UNION ALL
	SELECT 'medium', 'role ' || quote_ident(b.role_name),
		format('its budget in population %L is nobody''s: the role was %s', b.name,
			CASE WHEN b.role = 0 THEN 'not restored' WHEN b.present_name IS NULL THEN 'dropped' ELSE 'renamed to ' || quote_ident(b.present_name) END),
		CASE WHEN b.present_name IS NULL THEN '' ELSE format('Grant it anew with dp_noise.set_budget(%L, ...), or ', quote_ident(b.present_name)) END
			|| format('SELECT dp_noise.drop_budget(%L, %L)', b.role, b.name)
	FROM budget AS b WHERE b.present_name IS DISTINCT FROM b.role_name
	UNION ALL
	SELECT 'medium', m.relation::regclass::text,
		format('is in population %L, and its owner, role %s, may not have relations there: questions about it are refused', m.name, m.relowner::regrole),
		format('SELECT dp_noise.allow_members(%L, %L)', m.name, m.relowner::regrole)
	FROM member AS m WHERE NOT dp_noise.may_be_member(m.relation, m.population_id)
	UNION ALL
	-- for its owner, who may have meant another population of that name
	SELECT 'medium', m.relation::regclass::text,
		format('is in population %L of role %s, who grants the budgets to ask about it, and asks without one', m.name, m.owner::regrole),
		format('If that is not meant: SELECT dp_noise.unprotect(%L)', m.relation::regclass)
	FROM member AS m
	WHERE m.owner <> m.relowner AND NOT pg_has_role(reader, m.owner, 'USAGE') AND dp_noise.may_be_member(m.relation, m.population_id)
	UNION ALL
	SELECT 'high', m.relation::text,
		format('is in population %L, and its privacy units are %s: what is spent bounds nothing', m.name, m.differ),
		'Protect relations about other people in another population.'
	FROM (
		SELECT DISTINCT ON (r.relation) r.name, r.relation, CASE
			WHEN r.unit IS NULL OR q.unit IS NULL THEN format('not those of %s, one of them being a row', q.relation)
			WHEN r.unit_collation IS DISTINCT FROM q.unit_collation
				OR (r.unit_type <> q.unit_type AND dp_noise.path_type(r.root_relation, r.unit) <> dp_noise.path_type(q.root_relation, q.unit))
				THEN format('of another type or collation than those of %s', q.relation)
			WHEN NOT EXISTS (SELECT FROM same AS s JOIN same AS t USING (relation, number) WHERE s.root = r.root AND t.root = q.root)
				AND EXISTS (SELECT FROM same AS s WHERE s.root = r.root HAVING count(*) > 1)
				AND EXISTS (SELECT FROM same AS s WHERE s.root = q.root HAVING count(*) > 1) THEN format('others than those of %s, as foreign keys say', q.relation)
			END AS differ
		FROM root AS r
		-- with the first ones, so that the work grows as the members do
		JOIN (SELECT f.*, row_number() OVER (PARTITION BY f.population_id ORDER BY f.root) AS place FROM root AS f) AS q
			ON q.population_id = r.population_id AND q.root < r.root AND q.place <= 20
		ORDER BY r.relation, differ NULLS LAST
	) AS m WHERE m.differ IS NOT NULL
	UNION ALL
	SELECT CASE WHEN p.readers IS NULL AND a.is_own THEN 'medium' ELSE 'high' END, a.relation::regclass::text,
		format('is not protected, and its foreign key (%s) refers to %s, %s: its rows are about the same people%s', a.columns, a.target::regclass,
			CASE WHEN a.is_first THEN format('as relations of population %L do', a.name) ELSE format('which is about people of population %L, and not protected either', a.name) END,
			'; with a budget, and able to read it: ' || p.readers),
		format('SELECT dp_noise.protect(%L, population => %L, ...)', a.relation::regclass, a.name)
	FROM (
		SELECT DISTINCT ON (t.population_id, t.relation, t.columns, t.target) t.*, EXISTS (SELECT FROM own AS o WHERE o.population_id = t.population_id) AS is_own
		FROM about AS t ORDER BY t.population_id, t.relation, t.columns, t.target, t.is_first DESC
	) AS a
	JOIN pg_class AS c ON c.oid = a.relation
	CROSS JOIN LATERAL (
		SELECT string_agg(DISTINCT u.oid::regrole::text, ', ') FROM payer AS u JOIN pg_roles AS r USING (oid)
		WHERE u.population_id = a.population_id AND NOT r.rolsuper AND u.oid <> c.relowner
			AND has_any_column_privilege(u.oid, a.relation, 'SELECT') AND has_schema_privilege(u.oid, c.relnamespace, 'USAGE')
	) AS p (readers)
	-- what inherits from a protected table is read along with it
	WHERE NOT EXISTS (
		SELECT FROM dp_noise_ledger.member AS m LEFT JOIN pg_inherits AS i ON i.inhparent = m.relation
		WHERE a.relation IN (m.relation, i.inhrelid));
END
$$;
CALL dp_noise.add_entry('read_population_findings');
COMMENT ON FUNCTION dp_noise.read_population_findings() IS
'Part of dp_noise.check: budgets above the grant, budgets whose role is gone, members that may not be there, or are in another owner''s population, that have other units than the rest, and unprotected relations that refer to the same people, with those who have a budget and may read them. About the reader''s populations and relations.';
/*
 * check.sql
 *		Lists what can be learned other than through private answers.
 *
 * These run with the caller's rights, and show nothing that the caller could
 * not find out: the catalogs, and the budgets on the caller's own tables.
 */

CREATE FUNCTION dp_noise.carriers()
RETURNS TABLE (relation oid, object oid, what text, is_private boolean) LANGUAGE sql STABLE
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
	SELECT d.relation, s.oid, 'a sequence of it, which counts its rows', false
	FROM down AS d
	JOIN pg_attrdef AS f ON f.adrelid = d.object
	JOIN pg_depend AS x ON x.classid = 'pg_attrdef'::regclass AND x.objid = f.oid AND x.refclassid = 'pg_class'::regclass
	JOIN pg_class AS s ON s.oid = x.refobjid AND s.relkind = 'S'
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
'Relations through which rows of the caller''s protected tables can be reached: the tables themselves, partitions, parents, sequences, views (is_private: with private aggregates).';

CREATE FUNCTION dp_noise.check_grants()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	WITH reach AS MATERIALIZED (
		SELECT DISTINCT r.relation, r.grantee FROM dp_noise.reach AS r
	), carrier AS MATERIALIZED (
		SELECT * FROM dp_noise.carriers()
	), keyed AS MATERIALIZED (
		SELECT i.indrelid AS object, k.number AS column_number
		FROM carrier AS c
		JOIN pg_index AS i ON i.indrelid = c.object AND (i.indisunique OR i.indisexclusion)
		CROSS JOIN unnest(i.indkey) AS k (number)
	), granted AS (
		SELECT c.relation, c.object, c.what, c.is_private, k.relkind, x.grantee, x.privilege_type AS privilege, NULL::name AS column_name,
			false AS is_shown
		FROM carrier AS c
		JOIN pg_class AS k ON k.oid = c.object
		CROSS JOIN aclexplode(coalesce(k.relacl, acldefault(CASE k.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", k.relowner))) AS x
		WHERE x.grantee <> k.relowner
		UNION ALL
		SELECT c.relation, c.object, c.what, c.is_private, k.relkind, x.grantee, x.privilege_type, a.attname,
			x.privilege_type = 'REFERENCES' AND NOT EXISTS (SELECT FROM keyed AS u WHERE u.object = c.object AND u.column_number = a.attnum)
		FROM carrier AS c
		JOIN pg_class AS k ON k.oid = c.object
		JOIN pg_attribute AS a ON a.attrelid = c.object AND a.attacl IS NOT NULL AND NOT a.attisdropped
		CROSS JOIN aclexplode(a.attacl) AS x
		WHERE x.grantee <> k.relowner
	), grants AS (
		SELECT g.relation, g.object, g.what, g.is_private, g.relkind, g.grantee,
			string_agg(DISTINCT g.privilege || coalesce(' (' || quote_ident(g.column_name) || ')', ''), ', ') AS privileges,
			bool_and(g.is_shown) AS is_shown
		FROM granted AS g
		JOIN pg_class AS t ON t.oid = g.relation
		LEFT JOIN pg_roles AS r ON r.oid = g.grantee
		WHERE g.grantee <> t.relowner AND r.rolsuper IS NOT TRUE
		GROUP BY 1, 2, 3, 4, 5, 6
	)
	SELECT CASE WHEN g.is_private OR g.is_shown OR NOT EXISTS (SELECT FROM reach AS r WHERE r.relation = g.relation AND r.grantee = g.grantee) THEN 'low'
			WHEN g.relkind = 'S' THEN 'medium' ELSE 'high' END,
		g.object::regclass::text,
		format('%s: %s has %s', CASE WHEN g.object = g.relation THEN 'protected' ELSE format('%s (%s)', g.what, g.relation::regclass) END,
			dp_noise.role_text(g.grantee), g.privileges)
			|| CASE WHEN g.is_private THEN '; harmless if it shows nothing but private aggregates'
				WHEN g.is_shown THEN '; it shows the columns to tools, and nothing else while none of them is in a unique index' ELSE '' END,
		format('REVOKE %s ON %s %s FROM %s', g.privileges, CASE g.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
			g.object::regclass, dp_noise.role_text(g.grantee))
	FROM grants AS g
	UNION ALL
	SELECT CASE WHEN NOT EXISTS (SELECT FROM reach AS r WHERE r.relation = c.relation AND r.grantee = k.relowner) THEN 'low'
			WHEN k.relkind = 'S' THEN 'medium' ELSE 'high' END,
		c.object::regclass::text,
		format('%s (%s): owned by %s', c.what, c.relation::regclass, k.relowner::regrole),
		format('ALTER TABLE %s OWNER TO %s', c.object::regclass, t.relowner::regrole)
	FROM carrier AS c
	JOIN pg_class AS k ON k.oid = c.object
	JOIN pg_class AS t ON t.oid = c.relation
	JOIN pg_roles AS o ON o.oid = k.relowner
	WHERE k.relkind IN ('r', 'p', 'f', 'm', 'S') AND k.relowner <> t.relowner AND NOT o.rolsuper
		AND NOT (k.relkind = 'm' AND k.relispopulated AND has_any_column_privilege(k.relowner, c.relation, 'SELECT'))
	UNION ALL
	SELECT 'medium', c.object::regclass::text,
		format('%s (%s), and protected as well, in another population: questions about both spend from two grants, and what they tell of the same rows adds up', c.what, c.relation::regclass),
		format('SELECT dp_noise.unprotect(%L)', c.object::regclass)
	FROM carrier AS c
	JOIN dp_noise.protected_relations AS p ON p.relation = c.relation
	JOIN dp_noise.protected_relations AS o ON o.relation = c.object
	WHERE c.what = 'a partition or child of it' AND o.population <> p.population
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
'Part of dp_noise.check: privileges on the table, its partitions, parents and sequences, and on views over it; partitions that are protected themselves.';

CREATE FUNCTION dp_noise.check_roles()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
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
	-- The ledger is copied along with the tables, and each copy then counts by itself.
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = m.oid) THEN 'high' ELSE 'low' END, 'role ' || m.oid::regrole,
		format('has CREATEDB, and may copy this database, %s: each copy has all that is left of the budgets once more, and its owner sees with VACUUM (VERBOSE) how many rows any table has',
			CASE WHEN d.datistemplate THEN 'which is a template' ELSE 'which it or a group of it owns' END),
		CASE WHEN d.datistemplate THEN format('ALTER DATABASE %I IS_TEMPLATE false', d.datname) ELSE format('ALTER ROLE %s NOCREATEDB', m.oid::regrole) END
	FROM pg_roles AS m JOIN pg_database AS d ON d.datname = current_database()
	WHERE m.rolcreatedb AND NOT m.rolsuper AND (d.datistemplate OR pg_has_role(m.oid, d.datdba, 'MEMBER'))
		AND EXISTS (SELECT FROM dp_noise.protected_relations AS p JOIN pg_class AS c ON c.oid = p.relation WHERE NOT pg_has_role(m.oid, c.relowner, 'USAGE'))
	UNION ALL
	SELECT DISTINCT 'high', 'schema ' || n.oid::regnamespace,
		format('%s may create objects there: a function of the name of another one would run with the rights of whoever calls it, the owner of %s perhaps',
			dp_noise.role_text(x.grantee), p.relation),
		CASE WHEN x.grantee = n.nspowner THEN format('ALTER SCHEMA %s OWNER TO ...', n.oid::regnamespace)
			ELSE format('REVOKE CREATE ON SCHEMA %s FROM %s', n.oid::regnamespace, dp_noise.role_text(x.grantee)) END
	FROM dp_noise.protected_relations AS p
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_namespace AS n ON n.oid IN (c.relnamespace, 'dp_noise'::regnamespace, 'dp_noise_ledger'::regnamespace, (SELECT e.extnamespace FROM pg_extension AS e WHERE e.extname = 'dp_noise'))
	CROSS JOIN aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS x
	JOIN reach AS r ON r.relation = p.relation AND r.grantee = x.grantee
	WHERE x.privilege_type = 'CREATE' AND x.grantee <> c.relowner
$$;
COMMENT ON FUNCTION dp_noise.check_roles() IS
'Part of dp_noise.check: attributes and memberships of roles, and who may create functions where the owner would call them.';

CREATE FUNCTION dp_noise.check_code()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
SET jit = off -- would compile for longer than all it runs
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
			UNION ALL
			-- what arrays, multiranges and composite types are made of
			SELECT p.classid, t.typelem FROM pg_type AS t WHERE p.classid = 'pg_type'::regclass AND t.oid = p.objid AND t.typelem <> 0
			UNION ALL
			SELECT p.classid, r.rngtypid FROM pg_range AS r WHERE p.classid = 'pg_type'::regclass AND r.rngmultitypid = p.objid
			UNION ALL
			SELECT p.classid, a.atttypid FROM pg_type AS t JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE p.classid = 'pg_type'::regclass AND t.oid = p.objid
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
	-- ALTER DOMAIN asks for no privilege on the tables that it reads.
	SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = p.relation AND r.grantee = t.typowner) THEN 'high' ELSE 'low' END,
		'type ' || t.oid::regtype,
		format('is in columns of %s, and is owned by %s, who may have a function called with each value (ALTER DOMAIN ... ADD CHECK), or for each row that is written', p.relation::regclass, t.typowner::regrole),
		CASE WHEN k.oid IS NULL THEN format('ALTER %s %s OWNER TO %s', CASE t.typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END, t.oid::regtype, c.relowner::regrole)
			ELSE format('ALTER TABLE %s OWNER TO %s', k.oid::regclass, c.relowner::regrole) END
	FROM part AS p
	JOIN pg_type AS t ON p.classid = 'pg_type'::regclass AND t.oid = p.objid AND t.typtype IN ('c', 'd')
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_roles AS o ON o.oid = t.typowner
	LEFT JOIN pg_class AS k ON k.oid = t.typrelid AND k.relkind <> 'c'
	WHERE t.typowner <> c.relowner AND NOT o.rolsuper
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
		format('REVOKE EXECUTE ON FUNCTION %s FROM %s, if its results depend on rows', f.oid::regprocedure, dp_noise.role_text(x.grantee))
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
'Part of dp_noise.check: functions that see the rows, types whose owners can have others see them, functions with the owner''s privileges, foreign keys to and from tables that others can write.';

CREATE FUNCTION dp_noise.check_statistics()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
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
		-- not readable by PUBLIC after initdb or CREATE EXTENSION, but granted
		-- later
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
	SELECT 'high', v.name, 'shows values of columns to everybody (CVE-2024-4317): the server is older than the correction, or was updated, and its views were not',
		'Update PostgreSQL to its last minor release, and run share/fix-CVE-2024-4317.sql of it in this database.'
	FROM unnest('{pg_stats_ext,pg_stats_ext_exprs}'::text[]) AS v (name)
	WHERE pg_get_viewdef(v.name::regclass) !~ 'pg_has_role'
$$;
COMMENT ON FUNCTION dp_noise.check_statistics() IS 'Part of dp_noise.check: the server''s statistics that others can read.';

CREATE FUNCTION dp_noise.check_server()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
BEGIN
	RETURN QUERY
	SELECT 'medium', 'setting shared_preload_libraries', 'dp_noise is not preloaded: questions about protected tables are refused',
		'Add dp_noise to shared_preload_libraries and restart the server.'
	WHERE NOT EXISTS (SELECT FROM pg_settings AS s WHERE s.name = 'dp_noise.ledger_slots')
	UNION ALL
	SELECT 'medium', 'extension dp_noise', format('is version %s, and the library %s: questions about protected tables and changes of budgets are refused', e.extversion, dp_noise.library_version()),
		'Restart the server if it still runs the old library; ALTER EXTENSION dp_noise UPDATE if the extension is the old one.'
	FROM pg_extension AS e WHERE e.extname = 'dp_noise' AND e.extversion <> dp_noise.library_version()
	UNION ALL
	SELECT 'medium', 'setting ' || s.name, 'is on: who sets client_min_messages to log sees what a question cost the server, blocks read among it',
		format('ALTER SYSTEM SET %s = off', s.name)
	FROM pg_settings AS s
	WHERE s.name IN ('log_parser_stats', 'log_planner_stats', 'log_executor_stats', 'log_statement_stats') AND s.setting = 'on'
	UNION ALL
	SELECT 'medium', 'setting lo_compat_privileges', 'is on: everybody reads every large object', 'ALTER SYSTEM SET lo_compat_privileges = off'
	WHERE current_setting('lo_compat_privileges') = 'on'
	UNION ALL
	-- One is for the ledger worker of a database, and one for the launcher of
	-- logical replication.
	SELECT 'low', 'setting max_parallel_workers', format('is %s of %s max_worker_processes: parallel queries can take all that the ledger may start, and questions are refused meanwhile', s.parallel, s.processes),
		CASE WHEN s.processes < 4 THEN 'ALTER SYSTEM SET max_worker_processes = 8, restart the server, and run dp_noise.check() again' ELSE format('ALTER SYSTEM SET max_parallel_workers = %s', s.processes - 2) END
	FROM (
		SELECT (SELECT p.reset_val::integer FROM pg_settings AS p WHERE p.name = 'max_parallel_workers'), current_setting('max_worker_processes')::integer
	) AS s (parallel, processes)
	WHERE s.parallel > s.processes - 2
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
	-- What harden() cannot hide from users who may create objects.
	SELECT 'low', format('database %I', current_database()),
		format('%s may make temporary tables: their OIDs and transaction numbers reveal how many long values and transactions everybody wrote', min(r.asker)::regrole),
		format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database())
	FROM dp_noise.reach AS r
	WHERE r.asker IS NOT NULL AND has_database_privilege(r.asker, current_database(), 'TEMPORARY')
	HAVING count(*) > 0
	UNION ALL
	SELECT 'low', format('schema %I', n.nspname),
		format('%s may make objects there: their OIDs and transaction numbers reveal how many long values and transactions everybody wrote', min(r.asker)::regrole),
		CASE WHEN bool_or(pg_has_role(r.asker, n.nspowner, 'USAGE')) THEN format('ALTER SCHEMA %I OWNER TO ...', n.nspname)
			ELSE format('REVOKE CREATE ON SCHEMA %I FROM %s', n.nspname, min(r.asker)::regrole) END
	FROM pg_namespace AS n
	JOIN dp_noise.reach AS r ON r.asker IS NOT NULL AND has_schema_privilege(r.asker, n.oid, 'CREATE')
	WHERE n.nspname !~ '^pg_'
	GROUP BY n.nspname
	UNION ALL
	SELECT DISTINCT CASE WHEN m.umid IS NULL THEN 'medium' ELSE 'high' END, 'server ' || s.srvname,
		format('%s may make foreign tables there beside %s%s', dp_noise.role_text(x.grantee), t.ftrelid::regclass,
			CASE WHEN m.umid IS NULL THEN '' ELSE ', and there is a user mapping for it' END),
		CASE WHEN x.grantee = s.srvowner THEN format('ALTER SERVER %I OWNER TO ...', s.srvname)
			ELSE format('REVOKE USAGE ON FOREIGN SERVER %I FROM %s', s.srvname, dp_noise.role_text(x.grantee)) END
	FROM dp_noise.carriers() AS c
	JOIN pg_foreign_table AS t ON t.ftrelid = c.object
	JOIN pg_foreign_server AS s ON s.oid = t.ftserver
	CROSS JOIN aclexplode(coalesce(s.srvacl, acldefault('S', s.srvowner))) AS x
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
		SELECT 'high', 'pg_hba.conf, line ' || min(h.line_number), 'method trust: whoever connects in this way may log in as anybody',
			'Ask for a password, a certificate or the operating system''s user.'
		FROM pg_hba_file_rules() AS h WHERE h.auth_method = 'trust' HAVING count(*) > 0;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_server() IS
'Part of dp_noise.check: settings, other databases, who may create objects, foreign servers and publications; for superusers also authentication.';

CREATE FUNCTION dp_noise.check_place()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	SELECT 'high', format('ledger of database %I', current_database()),
		'may lack charges, since it was written elsewhere: ' || c.changes,
		'Write off what may have been lost with dp_noise.forfeit(), then call dp_noise.accept_timeline().'
	FROM dp_noise.read_place_changes() AS c
	WHERE EXISTS (SELECT FROM dp_noise.protected_relations)
$$;
COMMENT ON FUNCTION dp_noise.check_place() IS 'Part of dp_noise.check: a ledger that was restored, copied or promoted.';

CREATE FUNCTION dp_noise.check_paths()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	WITH name (pattern) AS (
		-- what quote_ident() writes: a column can be named like a path, and to_regclass() refuses other texts
		VALUES ('(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_]*)')
	), path AS (
		-- as dp_noise.path_text writes it, with names quoted as in SQL
		SELECT p.relation, p.privacy_unit, to_regclass(m[2]) AS target, m[1] AS columns, m[3] AS keys
		FROM dp_noise.protected_relations AS p
		CROSS JOIN name AS n
		CROSS JOIN LATERAL regexp_match(p.privacy_unit,
			replace('^(N(?:, N)*) -> (N(?:\.N)?) \((N(?:, N)*)\)$', 'N', n.pattern)) AS m
		WHERE to_regclass(m[2]) IS NOT NULL
	), step AS (
		SELECT p.*,
			(SELECT array_agg(u.own[1] || ' ' || u.key[1] ORDER BY u.own[1] || ' ' || u.key[1] COLLATE "C")
				FROM ROWS FROM (regexp_matches(p.columns, n.pattern, 'g'), regexp_matches(p.keys, n.pattern, 'g')) AS u (own, key)) AS pairs,
			(SELECT array_agg(u.key[1] ORDER BY u.key[1] COLLATE "C") FROM regexp_matches(p.keys, n.pattern, 'g') AS u (key)) AS unique_key
		FROM path AS p CROSS JOIN name AS n
	), bound AS (
		SELECT s.relation, k.conname, k.convalidated
		FROM step AS s
		JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = s.relation AND k.confrelid = s.target
		WHERE s.pairs = (
			SELECT array_agg(quote_ident(a.attname) || ' ' || quote_ident(b.attname) ORDER BY quote_ident(a.attname) || ' ' || quote_ident(b.attname) COLLATE "C")
			FROM unnest(k.conkey, k.confkey) AS u (own, key)
			JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.own
			JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = u.key)
	)
	SELECT 'medium', s.relation::text,
		format('its path to the privacy unit, %s, leads to a key that is not unique: questions are refused, since a row could have several owners', s.privacy_unit),
		format('ALTER TABLE %s ADD UNIQUE (%s)', s.target, s.keys)
	FROM step AS s
	WHERE NOT EXISTS (
		SELECT FROM pg_index AS i
		WHERE i.indrelid = s.target AND dp_noise.tells_rows_apart(i.indexrelid)
			AND s.unique_key = (
				SELECT array_agg(quote_ident(a.attname) ORDER BY quote_ident(a.attname) COLLATE "C")
				FROM pg_attribute AS a
				WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])))
		OR EXISTS (SELECT FROM pg_class AS c WHERE c.oid = s.target AND c.relkind = 'r' AND c.relhassubclass)
	UNION ALL
	SELECT 'low', s.relation::text,
		format('its path to the privacy unit, %s, is not backed by a foreign key: rows that refer to nothing do not count', s.privacy_unit),
		coalesce(
			(SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', s.relation, min(b.conname::text)) FROM bound AS b WHERE b.relation = s.relation HAVING count(*) > 0),
			format('ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s)', s.relation, s.columns, s.target, s.keys))
	FROM step AS s
	WHERE NOT EXISTS (SELECT FROM bound AS b WHERE b.relation = s.relation AND b.convalidated)
$$;
COMMENT ON FUNCTION dp_noise.check_paths() IS
'Part of dp_noise.check: paths to privacy units that are no longer backed by a unique key and a foreign key.';

CREATE FUNCTION dp_noise.check_views()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
DECLARE
	protected_view regclass;
	unit smallint;
BEGIN
	FOR protected_view, unit IN
		SELECT p.relation, CASE WHEN p.privacy_unit IS NULL THEN 0 ELSE coalesce(a.attnum, -1) END
		FROM dp_noise.protected_relations AS p
		JOIN pg_class AS c ON c.oid = p.relation AND c.relkind = 'v'
		LEFT JOIN pg_attribute AS a ON a.attrelid = p.relation AND a.attname = p.privacy_unit
	LOOP
		BEGIN
			PERFORM dp_noise.check_view(protected_view, unit);
		EXCEPTION WHEN OTHERS THEN
			RETURN QUERY SELECT 'low', protected_view::text, 'questions about the view are refused: ' || SQLERRM,
				format('Change the view or what it reads, or end its protection with dp_noise.unprotect(%L)', protected_view);
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.check_views() IS 'Part of dp_noise.check: protected views that no longer follow the rules.';

CREATE FUNCTION dp_noise.check_failures()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	SELECT 'medium', format('role %I', b.role),
		format('%s of its questions about population %L failed in ways that may depend on rows%s', b.failures, b.population,
			CASE WHEN b.failures >= b.max_failures THEN '; it may not ask any more' ELSE '' END),
		format('Remove the cause, which the server''s log has, then SELECT dp_noise.forgive(%L, %L)', quote_ident(b.role), b.population)
	FROM dp_noise.budgets AS b WHERE b.role IS NOT NULL AND b.failures > 0
$$;
COMMENT ON FUNCTION dp_noise.check_failures() IS
'Part of dp_noise.check: roles and groups whose questions have failed in ways that may have told them something of the rows.';

CREATE FUNCTION dp_noise.check_nodes()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
BEGIN
	-- Others may have no right to, nor an account there.
	IF NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) OR NOT EXISTS (
		SELECT FROM pg_proc AS p
		JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'citus'
		WHERE p.proname = 'run_command_on_workers' AND p.pronamespace = 'pg_catalog'::regnamespace) THEN
		RETURN;
	END IF;
	-- What is called there must belong to the extension: then only superusers can replace it.
	RETURN QUERY EXECUTE $q$
		SELECT 'medium', format('node %s:%s', n.nodename, n.nodeport),
			'it could not be looked at: ' || CASE WHEN n.success THEN 'dp_noise is not there in this version' ELSE n.result END,
			'See that it is up, and has the extension in the same version.'
		FROM pg_catalog.run_command_on_workers(format($w$
			SELECT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
				JOIN pg_catalog.pg_extension AS e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'dp_noise'::pg_catalog.name AND e.extversion OPERATOR(pg_catalog.=) %L::pg_catalog.text
				WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'::pg_catalog."char"
					AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
					AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure('dp_noise.statistics_sources()')::pg_catalog.oid)
		$w$, dp_noise.library_version())) AS n
		WHERE NOT n.success OR n.result IS DISTINCT FROM 't'
	$q$;
	IF FOUND THEN
		RETURN;
	END IF;
	RETURN QUERY EXECUTE $q$
		SELECT 'medium', format('node %s:%s', n.nodename, n.nodeport),
			CASE WHEN n.success AND n.result ~ '^[0-9]+$' THEN 'everybody can read statistics there' ELSE 'it could not be looked at: ' || n.result END,
			CASE WHEN n.success AND n.result ~ '^[0-9]+$' THEN 'Connect to it, and SELECT * FROM dp_noise.harden().' ELSE 'See that it is up, and has the extension in the same version.' END
		FROM pg_catalog.run_command_on_workers($w$
			SELECT count(*) FROM dp_noise.statistics_sources() AS s
			WHERE s.public_at_first AND EXISTS (SELECT FROM pg_catalog.aclexplode(s.acl) AS a WHERE a.grantee = 0)
		$w$) AS n
		WHERE NOT n.success OR n.result IS DISTINCT FROM '0'
	$q$;
END
$$;
COMMENT ON FUNCTION dp_noise.check_nodes() IS 'Part of dp_noise.check, for superusers: the workers of Citus, where statistics are hidden by dp_noise.harden() as on the coordinator.';

CREATE FUNCTION dp_noise.check()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
BEGIN
	IF NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user)
		AND NOT EXISTS (SELECT FROM dp_noise.protected_relations) THEN
		RAISE EXCEPTION 'must be superuser or owner of a protected table'
			USING ERRCODE = 'insufficient_privilege', HINT = 'Ask the owner of the table.';
	END IF;
	RETURN QUERY
	SELECT f.*
	FROM (
		SELECT * FROM dp_noise.check_grants()
		UNION SELECT * FROM dp_noise.check_roles()
		UNION SELECT * FROM dp_noise.check_code()
		UNION SELECT * FROM dp_noise.check_statistics()
		UNION SELECT * FROM dp_noise.check_server()
		UNION SELECT * FROM dp_noise.check_nodes()
		UNION SELECT * FROM dp_noise.check_place()
		UNION SELECT * FROM dp_noise.check_paths()
		UNION SELECT * FROM dp_noise.check_views()
		UNION SELECT * FROM dp_noise.check_failures()
		UNION SELECT * FROM dp_noise.read_population_findings()
	) AS f
	ORDER BY f.severity = 'high' DESC, f.severity = 'medium' DESC, f.object, f.finding;
END
$$;
COMMENT ON FUNCTION dp_noise.check() IS
'Lists ways to protected data other than private aggregates, each with a remedy. severity: high where roles with a budget, or everyone, can reach rows; medium where they can reach statistics; low where only other roles can, or only under further conditions. Also high where the ledger may lack charges (dp_noise.accept_timeline), where a role is granted more than a population, where relations of a population have other privacy units than the rest, or where a relation is not protected that refers to the same people and that somebody with a budget may read; medium where nobody with a budget may read it, where a budget''s role is gone, where a relation may not be in its population, where a row may belong to several privacy units, or where a role''s questions failed in ways that may depend on rows (dp_noise.forgive()), low where a row may belong to none, and for protected views that no longer follow the rules. For superusers, and for owners about their own tables. Empty if nothing is found. It cannot detect grants in other databases, what functions and existing copies do, or timing.';
------------------------------------------------------------------------------
-- Settings and privileges of the functions above
--
-- The bodies of functions in SQL and PL/pgSQL are texts, which the server reads
-- when they are called, under the settings of whoever calls; the owner of a
-- database sets them for everybody. Those that change what a text means are
-- fixed for all functions at once, so that none is forgotten: in which schemas
-- names are looked up, where backslashes escape, which identifiers are quoted,
-- what "= NULL" and NULL in arrays mean.
--
-- What runs with the rights of the extension's owner, SECURITY DEFINER, tells its
-- caller nothing but its result and errors: plans that debug_print_plan shows, say,
-- are messages of level LOG. And what is read for a reader is not counted.

DROP PROCEDURE dp_noise.add_entry(text);

DO $$
DECLARE
	function record;
BEGIN
	FOR function IN
		SELECT p.oid::regprocedure AS signature, p.proname AS name, p.prosecdef AS is_definer
		FROM pg_catalog.pg_depend AS d
		JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
		JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
		WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_catalog.pg_extension'::regclass
			AND d.refobjid = (SELECT e.oid FROM pg_catalog.pg_extension AS e WHERE e.extname = 'dp_noise')
			AND l.lanname IN ('sql', 'plpgsql') AND p.prosqlbody IS NULL
	LOOP
		EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET quote_all_identifiers = off'
			' SET transform_null_equals = off SET array_nulls = on', function.signature);
		IF function.is_definer THEN
			EXECUTE format('ALTER FUNCTION %s SET client_min_messages = error', function.signature);
		END IF;
		IF function.name ^@ 'do_read_' THEN
			EXECUTE format('ALTER FUNCTION %s SET track_counts = off', function.signature);
		END IF;
		IF function.name ^@ 'do_' THEN
			EXECUTE format('COMMENT ON FUNCTION %s IS %L', function.signature, 'Body of dp_noise.' || pg_catalog.substr(function.name, 4) || '.');
		END IF;
	END LOOP;
END
$$;

-- What everybody may call: the functions for owners and analysts, which check their
-- caller or run with the caller's rights, the aggregates, the wrapped forms of the
-- server's functions, and what stands in the gate's statements. All others are for
-- the extension's owner. For the parts of an aggregate the server checks the
-- privileges of the aggregate's owner, not those of its caller: so nobody else may
-- call them, make an aggregate of them, or use their states in a table or a type.

DO $$
DECLARE
	for_everybody CONSTANT name[] := '{
		allow_members,alter_population,create_population,disclosure,drop_budget,drop_population,forfeit,forget_answers,forgive,protect,protect_schema,script,
		set_bounds,set_budget,set_levels,set_values,suggest,unprotect,sample_sensitivity,
		read_askers,read_budgets,read_ledger,read_own_answers,read_own_budgets,read_own_columns,read_own_history,read_place_changes,
		read_population_findings,read_populations,read_protected_relations,
		check,check_code,check_failures,check_grants,check_nodes,check_paths,check_place,check_roles,check_server,check_statistics,check_view,check_views,
		carriers,hidden_columns,library_version,paths_to,role_text,statistics_sources,tells_rows_apart,
		asked_epsilon,choose,comparisons_in,constant_text,fails_on_node,grid_point,propose,invented_value,rehearse,current_epsilon,current_rho,price,total_functions,unit_and_value,wrapped_functions
	}';
	part oid;
BEGIN
	FOR part IN
		SELECT p.oid FROM pg_proc AS p
		WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.prokind <> 'a' AND NOT p.proname ^@ 'try_' AND p.proname <> ALL (for_everybody)
	LOOP
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', part::regprocedure);
	END LOOP;
	FOR part IN
		SELECT t.oid FROM pg_type AS t WHERE t.typnamespace = 'dp_noise'::regnamespace AND t.typtype = 'b' AND t.typcategory <> 'A'
	LOOP
		EXECUTE format('REVOKE ALL ON TYPE %s FROM PUBLIC', part::regtype);
	END LOOP;
END
$$;
