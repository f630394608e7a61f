-- Signatures: every aggregate takes what the documentation says, for every
-- type of value, with the optional arguments, and gives the documented type;
-- the attributes on which plans and safety depend (volatility, parallel
-- safety, combine and serialisation functions, privileges) are as they must be.

BEGIN;
SELECT plan(637);

-- what each type of value goes with
CREATE TEMP TABLE types (value text, bound text, sum text, mean text, variance text);
INSERT INTO types VALUES
	('smallint', 'numeric', 'bigint', 'numeric', 'numeric'),
	('integer', 'numeric', 'bigint', 'numeric', 'numeric'),
	('bigint', 'numeric', 'numeric', 'numeric', 'numeric'),
	('real', 'double precision', 'real', 'double precision', 'double precision'),
	('double precision', 'double precision', 'double precision', 'double precision', 'double precision'),
	('numeric', 'numeric', 'numeric', 'numeric', 'numeric'),
	('date', 'date', NULL, NULL, NULL),
	('timestamp without time zone', 'timestamp without time zone', NULL, NULL, NULL),
	('timestamp with time zone', 'timestamp with time zone', NULL, NULL, NULL),
	('time without time zone', 'time without time zone', NULL, NULL, NULL),
	('interval', 'interval', 'interval', 'interval', NULL);

-- The aggregates of values, with the arguments after the value.
CREATE TEMP TABLE signatures AS
SELECT k.name, t.value,
	CASE WHEN k.name IN ('dp_sum', 'dp_sum_distinct') THEN t.sum WHEN k.name IN ('dp_mean', 'dp_mean_distinct') THEN t.mean WHEN k.name IN ('dp_variance', 'dp_stddev', 'dp_var_pop', 'dp_stddev_pop') THEN t.variance
		WHEN k.name = 'dp_quantiles_exp' THEN t.value || '[]' ELSE t.value END AS result,
	k.name || '(' || t.value || k.extra || tail || ')' AS signature
FROM types AS t
CROSS JOIN (VALUES ('dp_sum', '', true), ('dp_sum_distinct', '', true), ('dp_mean', '', true), ('dp_mean_distinct', '', true), ('dp_variance', '', true), ('dp_stddev', '', true), ('dp_var_pop', '', true), ('dp_stddev_pop', '', true), ('dp_max', '', true), ('dp_min', '', true),
	('dp_median', '', true), ('dp_median_exp', '', false), ('dp_quantile_exp', ', double precision', false), ('dp_quantiles_exp', ', double precision[]', false)) AS k (name, extra, named)
CROSS JOIN LATERAL (VALUES
	('', true),
	(format(', %1$s, %1$s', t.bound), true),
	(format(', %1$s, %1$s, double precision', t.bound), true),
	(format(', %1$s, %1$s, double precision, text', t.bound), k.named)
) AS a (tail, offered)
WHERE a.offered AND CASE replace(k.name, '_distinct', '') WHEN 'dp_sum' THEN t.sum WHEN 'dp_mean' THEN t.mean WHEN 'dp_variance' THEN t.variance WHEN 'dp_stddev' THEN t.variance WHEN 'dp_var_pop' THEN t.variance WHEN 'dp_stddev_pop' THEN t.variance ELSE t.value END IS NOT NULL
UNION ALL
SELECT 'dp_' || name, 'text', 'text', 'dp_' || name || '(text' || tail || ')' FROM unnest('{max,min}'::text[]) AS name, unnest('{"",", text[]",", text[], double precision",", text[], double precision, text"}'::text[]) AS tail
UNION ALL
-- of money, for their hint
SELECT 'dp_' || name, 'money', 'bigint', 'dp_' || name || '(' || arguments || ')'
FROM unnest('{sum,sum_distinct,mean,mean_distinct,variance,stddev,var_pop,stddev_pop,max,min,median,median_exp,quantile_exp,quantiles_exp,bounds}'::text[]) AS name, unnest(ARRAY['money', 'money, "any"']) AS arguments
UNION ALL
SELECT 'dp_bounds', t.value, t.value || '[]', 'dp_bounds(' || t.value || tail || ')' FROM types AS t CROSS JOIN unnest('{"",", double precision"}'::text[]) AS tail
UNION ALL VALUES
	('dp_count', '*', 'bigint', 'dp_count(*)'),
	('dp_count', 'any', 'bigint', 'dp_count("any")'),
	('dp_count', 'any', 'bigint', 'dp_count("any", double precision)'),
	('dp_count', 'any', 'bigint', 'dp_count("any", double precision, text)')
UNION ALL
SELECT 'dp_count_distinct', 'anyelement', 'bigint', 'dp_count_distinct(anyelement' || tail || ')'
FROM unnest('{"",", double precision",", double precision, text",", double precision, text, integer"}'::text[]) AS tail
UNION ALL
SELECT 'dp_regression', 'double precision', 'dp_noise.regression', 'dp_regression(double precision, double precision' || tail || ')'
FROM unnest(ARRAY['', repeat(', double precision', 4), repeat(', double precision', 5), repeat(', double precision', 5) || ', text']) AS tail
UNION ALL
SELECT 'dp_mode', d.arguments, d.result, 'dp_mode(' || d.arguments || tail || ')'
FROM (VALUES ('boolean', 'boolean'), ('anyenum', 'anyelement'), ('anycompatible, anycompatiblearray', 'anycompatible')) AS d (arguments, result)
CROSS JOIN unnest('{"",", double precision",", double precision, text"}'::text[]) AS tail;

SELECT is(pg_get_function_result(to_regprocedure(replace(signature, '*', ''))), result,
	signature || ' gives ' || result)
FROM signatures ORDER BY signature;

SELECT is((SELECT count(*) FROM pg_proc AS p WHERE p.prokind = 'a' AND p.proname LIKE 'dp\_%'),
	(SELECT count(*) FROM signatures), 'there are no other dp_ aggregates');

-- attributes
CREATE TEMP VIEW members AS
SELECT p.*, n.nspname
FROM pg_depend AS d
JOIN pg_extension AS e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
JOIN pg_proc AS p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE d.deptype = 'e' AND e.extname = 'dp_noise';

CREATE TEMP VIEW aggregates AS
SELECT m.*, a.*
FROM members AS m JOIN pg_aggregate AS a ON a.aggfnoid = m.oid;

SELECT is_empty($$SELECT oid::regprocedure FROM aggregates WHERE proparallel <> 's'$$,
	'all aggregates are parallel safe');
SELECT is_empty($$SELECT oid::regprocedure FROM aggregates
	WHERE (aggcombinefn = 0) <> (proname ~ '_of_(units|parts|points)(_state)?$' OR proname ~ '^dp_(count|sum|mean)_distinct$' AND aggtranstype = 'internal'::regtype OR proname ~ '^(max|min|median|median_exp|quantile|quantiles|(count|sum|mean)_distinct)_of_rows$')$$,
	'aggregates over rows can be split over workers, but for those of distinct values and what may be in files; those over partial results are not');
SELECT is_empty($$SELECT oid::regprocedure FROM aggregates
	WHERE aggcombinefn <> 0 AND (aggtranstype = 'internal'::regtype) <> (aggserialfn <> 0 AND aggdeserialfn <> 0)$$,
	'states of type internal are serialised, others are not');
SELECT is_empty($$SELECT a.oid::regprocedure FROM aggregates AS a JOIN pg_proc AS f ON f.oid = a.aggfinalfn
	WHERE a.proname LIKE 'dp\_%' AND (f.provolatile <> 'v' OR a.aggfinalmodify <> 'w')$$,
	'functions that draw are volatile, and states under noise are not shared');
SELECT is_empty($$SELECT oid::regprocedure FROM aggregates WHERE aggkind <> 'n' OR aggmtransfn <> 0 OR aggsortop <> 0$$,
	'all aggregates are plain: no ordered sets, no moving windows, no index instead of rows');
SELECT is_empty($$SELECT oid::regprocedure FROM members
	WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')
		AND provolatile <> 'v' AND proname ~ '(_final|sample|charge|randomize(_|$)|report_bits)' AND proname NOT LIKE 'try\_%'
		AND proname NOT IN ('values_state_final', 'counts_state_final', 'count_values_state_final', 'sum_distinct_state_final', 'mean_distinct_state_final', 'sample_state_in', 'sample_state_out')$$,
	'no function that draws claims to be immutable or stable');
SELECT is_empty($$SELECT oid::regprocedure FROM members
	WHERE nspname <> 'dp_noise' AND (prosecdef OR prokind <> 'a')
		AND proname NOT IN ('dp_expected_error', 'dp_expected_loss', 'dp_remap', 'dp_collusion_loss',
			'dp_epsilon_for_colluders', 'dp_disclosure_risk', 'dp_epsilon_for_risk', 'dp_low', 'dp_high',
			'dp_randomize', 'dp_randomize_bits', 'dp_report_bits', 'dp_randomized_counts', 'dp_randomized_bit_counts')$$,
	'outside the schema dp_noise stand only aggregates, intervals, functions for planning and local noise');
SELECT is_empty($$SELECT oid::regprocedure FROM members WHERE prosecdef AND proconfig IS NULL$$,
	'functions with their owner''s rights set their search_path');

-- dp_expected_error, sample
SELECT is(pg_get_function_arguments('dp_expected_error(text, double precision, double precision)'::regprocedure),
	'mechanism text, epsilon double precision, sensitivity double precision DEFAULT 1, OUT mean_absolute double precision, OUT root_mean_square double precision, OUT half_width_95 double precision',
	'arguments of dp_expected_error');
SELECT is(pg_get_function_arguments('dp_noise.sample(text, double precision, double precision, bigint)'::regprocedure),
	'mechanism text, epsilon double precision, sensitivity double precision, n bigint',
	'arguments of dp_noise.sample');
SELECT is(pg_get_function_result('dp_noise.sample(text, double precision, double precision, bigint)'::regprocedure),
	'SETOF double precision', 'result of dp_noise.sample');
SELECT ok(NOT has_function_privilege('pg_read_all_data', 'dp_noise.sample(text, double precision, double precision, bigint)', 'EXECUTE'),
	'dp_noise.sample is revoked from the public');
SELECT ok(has_schema_privilege('pg_read_all_data', 'dp_noise', 'USAGE')
	AND NOT has_schema_privilege('pg_read_all_data', 'dp_noise', 'CREATE'),
	'the schema dp_noise is for use, not for creation');

-- The state type
SELECT is((SELECT row(typlen, typbyval, typalign, typstorage) FROM pg_type WHERE oid = 'dp_noise.sum_state'::regtype),
	row(24::int2, false, 'd'::"char", 'p'::"char"), 'sum_state has 24 bytes, aligned to 8');
SELECT is_empty($$SELECT typname FROM pg_type
	WHERE typnamespace = 'dp_noise'::regnamespace AND typtype = 'b' AND typcategory <> 'A' AND has_type_privilege('pg_read_all_data', oid, 'USAGE')$$,
	'nobody makes tables or aggregates of the types of states');
SELECT is_empty($$SELECT f.oid::regprocedure FROM pg_aggregate AS a JOIN members AS g ON g.oid = a.aggfnoid, pg_proc AS f
	WHERE f.oid IN (aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn)
		AND f.pronamespace <> 'pg_catalog'::regnamespace AND has_function_privilege('pg_read_all_data', f.oid, 'EXECUTE')$$,
	'nobody may call the parts of the aggregates');
SELECT is_empty($$SELECT f.oid::regprocedure FROM pg_type AS t, pg_proc AS f
	WHERE t.typnamespace = 'dp_noise'::regnamespace AND f.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend)
		AND f.pronamespace <> 'pg_catalog'::regnamespace AND has_function_privilege('pg_read_all_data', f.oid, 'EXECUTE')$$,
	'nor those of the types');

-- PostgreSQL has no named arguments for aggregates: their names show the order
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE prokind = 'a' AND pronamespace = 'public'::regnamespace AND proname LIKE 'dp\_%' AND pronargs > 0
	AND proargtypes[0] <> 'money'::regtype AND (proargnames IS NULL OR '' = ANY (proargnames))$$, 'all parameters have names');

-- Types of results as a caller sees them, and which arguments are taken.
CREATE TEMP TABLE one (i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric);
INSERT INTO one VALUES (1, 1, 1, 1, 1, 1);
CREATE FUNCTION type_of(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT pg_typeof(%s) FROM one', expression) INTO result;
	RETURN result;
END
$$;

SELECT is(type_of(format('%s(%s, 0, 10)', k.name, t.col)), CASE replace(k.name, '_distinct', '') WHEN 'dp_sum' THEN t.sum WHEN 'dp_mean' THEN t.mean ELSE t.value END,
	format('%s(%s, 0, 10)', k.name, t.value))
FROM (VALUES ('i2', 'smallint', 'bigint', 'numeric'), ('i4', 'integer', 'bigint', 'numeric'), ('i8', 'bigint', 'numeric', 'numeric'),
	('f4', 'real', 'real', 'double precision'), ('f8', 'double precision', 'double precision', 'double precision'),
	('n', 'numeric', 'numeric', 'numeric')) AS t (col, value, sum, mean)
CROSS JOIN (VALUES ('dp_sum'), ('dp_mean'), ('dp_max'), ('dp_min'), ('dp_median'), ('dp_median_exp')) AS k (name);
SELECT is(type_of(format('dp_quantile_exp(%s, 0.25, 0, 10)', t.col)), t.value, format('dp_quantile_exp(%s, 0.25, 0, 10)', t.value))
FROM (VALUES ('i2', 'smallint'), ('i4', 'integer'), ('i8', 'bigint'), ('f4', 'real'), ('f8', 'double precision'), ('n', 'numeric')) AS t (col, value);
SELECT is(type_of(format('dp_quantiles_exp(%s, ARRAY[0.25, 0.5], 0, 10)', t.col)), t.value || '[]', format('dp_quantiles_exp(%s, ARRAY[0.25, 0.5], 0, 10)', t.value))
FROM (VALUES ('i2', 'smallint'), ('i4', 'integer'), ('i8', 'bigint'), ('f4', 'real'), ('f8', 'double precision'), ('n', 'numeric')) AS t (col, value);

-- as the built-in aggregates
SELECT is(type_of(format('dp_%s(%s, 0, 10)', k.ours, t.col)), type_of(format('%s(%s)', k.theirs, t.col)),
	format('dp_%s(%s) has the type of %s', k.ours, t.col, k.theirs))
FROM (VALUES ('i2'), ('i4'), ('i8'), ('f4'), ('f8'), ('n')) AS t (col)
CROSS JOIN (VALUES ('sum', 'sum'), ('mean', 'avg'), ('variance', 'variance'), ('stddev', 'stddev'), ('var_pop', 'var_pop'), ('stddev_pop', 'stddev_pop')) AS k (ours, theirs);

-- bounds of any width, and untyped
SELECT is(type_of(call), result, call)
FROM (VALUES
	('dp_sum(i4, 0::smallint, 10::bigint)', 'bigint'),
	('dp_sum(i4, ''0'', ''10'')', 'bigint'),
	('dp_sum(i4, -0.5, 10.5)', 'bigint'),
	('dp_sum(f4, 0, 10::numeric)', 'real'),
	('dp_sum(f8, 0::real, 10)', 'double precision'),
	('dp_sum(n, 0::bigint, 10)', 'numeric'),
	('dp_sum(i2, 0, 10, 1)', 'bigint'),
	('dp_sum(i2, 0, 10, ''1'')', 'bigint'),
	('dp_sum(i2, 0, 10, 1::numeric, ''laplace''::varchar)', 'bigint'),
	('dp_max(i8, 0, 10, 0.5, ''staircase'')', 'bigint'),
	('dp_quantile_exp(i2, 0.5::real, 0, 10, 1)', 'smallint'),
	('dp_quantile_exp(n, ''0.5'', 0, 10)', 'numeric'),
	('dp_count(ROW(1, NULL), 1)', 'bigint'),
	('dp_count(''x'')', 'bigint')
) AS c (call, result);

SELECT * FROM finish();
ROLLBACK;
