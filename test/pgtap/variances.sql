-- dp_variance, dp_stddev, dp_var_pop and dp_stddev_pop: exact where the noise is nothing, on every type;
-- clamping, NULL, NaN, few rows, groups, workers; never negative; their error.

BEGIN;
SELECT plan(95);

CREATE TABLE t (g integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric);
INSERT INTO t SELECT x % 3, x, x, x, x, x, x FROM generate_series(1, 99) AS x;

CREATE FUNCTION evaluate(expression text, source text DEFAULT 't') RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	result double precision;
BEGIN
	EXECUTE format('SELECT %s FROM %s', expression, source) INTO result;
	RETURN result;
END
$$;

SELECT ok(abs(evaluate(format('dp_%s(%s, 0, 128, 1000000, %L)', k, c, m)) / evaluate(format('%s(%s)', k, c)) - 1) < 0.001, format('%s of %s by %s', k, c, m))
FROM unnest('{variance,stddev,var_pop,stddev_pop}'::text[]) AS k, unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS c, unnest('{auto,laplace,staircase}'::text[]) AS m;
SELECT ok(abs(evaluate('dp_variance(i4, 20, 40, 1000000)') / evaluate('variance(least(greatest(i4, 20), 40))') - 1) < 0.001, 'clamped');
SELECT ok(abs(evaluate('dp_variance(i4, -2e9, 2e9, 1000000)')) < 1e13, 'bounds far beyond the values: little is left of them');
SELECT ok(abs(evaluate('dp_stddev(NULLIF(i4, 99), 0, 128, 1000000)') / evaluate('stddev(NULLIF(i4, 99))') - 1) < 0.001, 'NULL is skipped');
SELECT ok(abs(dp_variance(x, 0, 10, 1000000) - 100 / 3.0) < 0.01, 'NaN is skipped, infinities are clamped')
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('Infinity'), ('-Infinity')) AS v (x);
SELECT is(evaluate('dp_variance(i4, 7, 7, 0.001)'), 0::float8, 'equal bounds');
SELECT ok(evaluate('dp_variance(i4, 0, 10, 1)', 't WHERE false') BETWEEN 0 AND 50, 'of nothing a draw');
SELECT ok(evaluate('dp_variance(i4, 0, 10, 1000000)', 't WHERE i4 = 5') BETWEEN 0 AND 0.01, 'of one row nothing');
SELECT ok(count(*) = 2000 AND min(v) = 0 AND max(v) <= 50, 'never negative, never more than half of the squared span')
FROM (SELECT dp_variance(1, 0, 10, 0.1) AS v FROM generate_series(1, 2000) AS i GROUP BY i) AS s;
SELECT ok(count(*) = 2000 AND min(v) = 0 AND max(v) <= 25, 'over all rows never more than a quarter of it')
FROM (SELECT dp_var_pop(1, 0, 10, 0.1) AS v FROM generate_series(1, 2000) AS i GROUP BY i) AS s;
SELECT ok(abs(evaluate('dp_var_pop(i4, 0, 4, 1000000)', 't WHERE i4 IN (1, 3)') - 1) < 0.001, 'of two rows');
SELECT is(evaluate('dp_stddev_pop(i4, 7, 7, 0.001)'), 0::float8, 'equal bounds, over all rows');
SELECT is(count(*), 3::bigint, 'groups') FROM (SELECT g, dp_variance(i4, 0, 128, 1000000) AS v, variance(i4) AS w FROM t GROUP BY g) AS s WHERE abs(v / w - 1) < 0.001;
SELECT is(dp_noise.variance_state(i4, 1, 99)::text, '(4851,318549,99)', 'the true state') FROM t;

-- workers
CREATE TABLE many AS SELECT sin(i) AS x FROM generate_series(1, 100000) AS i;
ANALYZE many;
SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE states AS SELECT dp_noise.variance_state(x, -1, 1)::text AS s FROM many;
SET LOCAL max_parallel_workers_per_gather = 3;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
INSERT INTO states SELECT dp_noise.variance_state(x, -1, 1)::text FROM many;
SELECT is(count(DISTINCT s), 1::bigint, 'workers change no state') FROM states;
SELECT ok(abs(dp_variance(x, -1, 1, 1000000) - 0.5) < 0.0001, 'with workers') FROM many;
SET LOCAL max_parallel_workers_per_gather = 0;

-- A thousand values spread evenly over 0 .. 1: the error of 400 answers, whose
-- own relative error is 5 per cent, is 0.41 sqrt(2) / 1000 at epsilon 1.
SELECT ok(sqrt(avg((v - 1 / 12.0) ^ 2)) BETWEEN 0.41 * 1.4142e-3 * 0.65 AND 0.41 * 1.4142e-3 * 1.35, 'the error is as documented (false alarm: below 1e-9)')
FROM (SELECT dp_variance(x / 1000.0, 0, 1, 1) AS v FROM generate_series(1, 1000) AS x, generate_series(1, 400) AS k GROUP BY k) AS s;

-- states as text
SELECT is('(0,0,0)'::dp_noise.square_state::text, '(0,0,0)', 'the empty state read and written');
SELECT throws_ok(format('SELECT %L::dp_noise.square_state', s), '0A000', NULL, 'not the empty state: ' || s)
FROM unnest(ARRAY['', '(0,0)', '(0,0,0', '(1,2,3)', '(0,0,1)', '(0,0,0)x']) AS s;

SELECT * FROM finish();
ROLLBACK;
