-- dp_median by each of its mechanisms: answers without noise where epsilon is
-- vast, on every type; clamping, NULL, NaN, empty input, groups, parallel
-- plans; the size of the noise, which smooth sensitivity makes small where the
-- data are dense; what is refused. Epsilon 1000000 leaves the noise of smooth
-- sensitivity at a millionth of the gap beside the median.

BEGIN;
SELECT plan(77);

CREATE TABLE t (g integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric);
INSERT INTO t SELECT x % 3, x, x, x, x, x, x FROM generate_series(1, 9) AS x;

CREATE FUNCTION evaluate(expression text, source text DEFAULT 't') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT %s FROM %s', expression, source) INTO result;
	RETURN result;
END
$$;
CREATE TEMP TABLE mechanisms (name text);
INSERT INTO mechanisms VALUES ('auto'), ('exponential'), ('smooth_cauchy'), ('smooth_cauchy(constants=nrs)'),
	('smooth_laplace(delta=1e-6)'), ('smooth_laplace(delta=1e-6,constants=nrs)');

SELECT ok(abs(evaluate(format('dp_median(%s, 0, 64, 1000000, %L)', column_name, name))::float8 - 5) < 0.01,
	format('median of %s by %s', column_name, name))
FROM mechanisms, unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS column_name;
SELECT is(evaluate(format('dp_median(i4, 6, 64, 1000000, %L)', name)), '6', 'clamped, by ' || name) FROM mechanisms;
SELECT is(evaluate(format('dp_median(NULLIF(NULLIF(i4, 9), 8), 0, 64, 1000000, %L)', name)), '4', 'NULL is skipped, by ' || name) FROM mechanisms;
SELECT ok(evaluate(format('dp_median(i4, 3, 7, 1, %L)', name), 't WHERE false')::integer BETWEEN 3 AND 7, 'of nothing a draw between the bounds, by ' || name)
FROM mechanisms;
SELECT is(evaluate(format('dp_median(i4, 7, 7, 0.1, %L)', name)), '7', 'equal bounds, by ' || name) FROM mechanisms;
SELECT is(dp_median(f8, 0, 16, 1000000, 'smooth_cauchy')::numeric(4, 2), 5.00, 'NaN is skipped, infinities clamped')
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), (5)) AS v (f8);
SELECT is((SELECT dp_median(i4, 0, 64, 1000000) FROM t), (SELECT dp_median_exp(i4, 0, 64, 1000000) FROM t), 'by default exponential');
SELECT results_eq('SELECT g, dp_median(i4, 0, 64, 1000000, ''smooth_cauchy'') FROM t GROUP BY g ORDER BY g', 'VALUES (0, 6), (1, 4), (2, 5)', 'groups');
SELECT is((SELECT dp_median(x, 0, 16, 1000000, 'smooth_cauchy') FROM (VALUES (1), (3), (5), (8)) AS v (x)), 3, 'the lower of two');

-- workers
CREATE TABLE many AS SELECT i % 2000 AS x FROM generate_series(0, 199999) AS i;
ANALYZE many;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT is((SELECT dp_median(x, 0, 4000, 1000000, 'smooth_cauchy') FROM many), 999, 'with workers');

-- 100 rows at every value: neighbours of the median are equal, so the noise is
-- of some steps, where it must be that of the whole span among a few rows
SELECT ok((SELECT max(abs(m - 999)) FROM (
	SELECT (SELECT dp_median(x, 0, 4000, 1, 'smooth_laplace(delta=1e-6)') + i - i FROM many) AS m FROM generate_series(1, 20) AS i) AS s) < 60,
	'little noise where the data are dense (false alarm: below 1e-9)');
SELECT ok((SELECT count(*) FILTER (WHERE m IN (0, 4000)) FROM (
	SELECT (SELECT dp_median(i4, 0, 4000, 0.001, 'smooth_cauchy') + i - i FROM t) AS m FROM generate_series(1, 50) AS i) AS s) > 15,
	'most answers at the bounds where epsilon is tiny (false alarm: below 1e-9)');

-- what is refused
SELECT throws_ok(format('SELECT %s FROM t', call), state, message, call)
FROM (VALUES
	('dp_median(i4)', '22023', 'dp_median needs bounds'),
	('dp_median(i4, 0, 10, 1, ''laplace'')', '0A000', 'mechanism laplace cannot be used with dp_median'),
	('dp_median(i4, 0, 10, 1, ''above_threshold'')', '0A000', 'mechanism above_threshold cannot be used with dp_median'),
	('dp_median(i4, 0, 10, 1, ''smooth_laplace'')', '22023', 'a parameter of the mechanism is missing or out of range'),
	('dp_median(i4, 0, 10, 1, ''smooth_laplace(delta=0)'')', '22023', 'parameter value out of range in mechanism "smooth_laplace(delta=0)"'),
	('dp_median(i4, 0, 10, 1, ''exponential(rank=1)'')', '22023', 'a parameter of the mechanism is missing or out of range'),
	('dp_median(i4, 0, 10, 1, ''smooth_cauchy(delta=0.1)'')', '22023', 'unknown parameter in mechanism "smooth_cauchy(delta=0.1)"'),
	('dp_median(i4, 0, 10, i4)', '0A000', 'epsilon of a private aggregate must be the same for all rows'),
	('dp_median(i4, 0, 10, 0.000001, ''smooth_cauchy'')', '22023', 'epsilon is out of range'),
	('dp_sum(i4, 0, 10, 1, ''smooth_cauchy'')', '0A000', 'mechanism smooth_cauchy cannot be used with dp_sum')
) AS v (call, state, message);

SELECT * FROM finish();
ROLLBACK;
