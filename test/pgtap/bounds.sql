-- dp_bounds: powers of two around the values, on every type; what lies thin is
-- cut off; NULL, NaN, infinities, the ends of the types, empty input, groups,
-- workers; what is refused.

BEGIN;
SELECT plan(46);

CREATE TABLE t (g integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric);
INSERT INTO t SELECT x % 3, x, x, x, x, x, x FROM generate_series(-100, 1000) AS x;

-- The answer, or the most frequent one of several: single ones may be wrong with
-- a probability of 10^-6, four or more of seven below 10^-20.
CREATE FUNCTION evaluate(expression text, source text DEFAULT 't', draws integer DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answers text[];
	answer text;
BEGIN
	FOR i IN 1 .. draws LOOP
		EXECUTE format('SELECT %s FROM %s', expression, source) INTO answer;
		answers := answers || answer;
	END LOOP;
	RETURN mode() WITHIN GROUP (ORDER BY a) FROM unnest(answers) AS a;
END
$$;

SELECT is(evaluate(format('dp_bounds(%s, 1000)', c)), '{-128,1024}', 'bounds of ' || c) FROM unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS c;
-- The thinnest bin that matters has 108 values, where the threshold is 17 to 20.
SELECT is(evaluate(format('dp_bounds(%s)', c), 't, generate_series(1, 3) AS k', 7), '{-128,1024}', 'at the default epsilon, of ' || c) FROM unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS c;
SELECT is(evaluate(format('dp_bounds(%s, 1000)', c), 't WHERE i4 BETWEEN 33 AND 64'), '{32,64}', 'a power of two belongs to the bin below, of ' || c) FROM unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS c;
SELECT is(evaluate(format('dp_bounds(%s, 1000)', c), 't WHERE i4 = 0'), CASE WHEN c LIKE 'i%' THEN '{0,1}' WHEN c = 'n' THEN '{0,0.0000000000000000000542101086242752}' WHEN c = 'f4' THEN '{0,5.421011e-20}' ELSE '{0,5.421010862427522e-20}' END, 'zeros, of ' || c)
FROM unnest('{i2,i4,f4,f8,n}'::text[]) AS c;
SELECT is(evaluate('dp_bounds(-i4, 1000)', 't WHERE i4 BETWEEN 33 AND 64'), '{-64,-32}', 'below 0');
SELECT is(evaluate('dp_bounds(x, 1)', '(SELECT 1000 AS x FROM generate_series(1, 1000) UNION ALL VALUES (1), (-2000000000), (2000000000)) AS s', 7), '{512,1024}', 'a few values far away are cut off');
SELECT is(evaluate(format('dp_bounds(%s, 0.5)', c), 't WHERE false', 7), '{0,0}', 'of nothing, of ' || c) FROM unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS c;
SELECT is(evaluate('dp_bounds(i4, 0.01)', 't WHERE i4 = 7', 7), '{0,0}', 'of too little to tell');
SELECT is(evaluate('dp_bounds(NULLIF(i4, 1000), 1000)', 't WHERE i4 IN (5, 1000)'), '{4,8}', 'NULL is skipped');
SELECT is(dp_bounds(x, 1000)::text, '{4,8}', 'NaN is skipped') FROM (VALUES ('NaN'::float8), (5)) AS v (x);
SELECT is(dp_bounds(x, 1000)::text, '{-1.7014118346046923e+38,1.7014118346046923e+38}', 'infinities count at the ends') FROM (VALUES ('Infinity'::float8), ('-Infinity'), (0)) AS v (x);
SELECT is(dp_bounds(x, 1000)::text, '{-32768,32767}', 'the ends of smallint') FROM (VALUES ('-32768'::smallint), ('32767'::smallint)) AS v (x);
SELECT is(dp_bounds(x, 1000)::text, '{-9223372036854775808,9223372036854775807}', 'the ends of bigint') FROM (VALUES ('-9223372036854775808'::bigint), ('9223372036854775807'::bigint)) AS v (x);
SELECT results_eq('SELECT g, dp_bounds(i4, 1000) FROM t GROUP BY g ORDER BY g', $$VALUES (-2, '{-128,-1}'::integer[]), (-1, '{-128,0}'), (0, '{-128,1024}'), (1, '{0,1024}'), (2, '{1,1024}')$$, 'groups');
SELECT is(length(dp_noise.bounds_state(i4)), 64 * 8, 'the true state: a count for each of 64 bins') FROM t;

-- workers
CREATE TABLE many AS SELECT sin(i) AS x FROM generate_series(1, 100000) AS i;
ANALYZE many;
SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE states AS SELECT dp_noise.bounds_state(x) AS s FROM many;
SET LOCAL max_parallel_workers_per_gather = 3;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
INSERT INTO states SELECT dp_noise.bounds_state(x) FROM many;
SELECT is(count(DISTINCT s), 1::bigint, 'workers change no state') FROM states;
SELECT is(dp_bounds(x, 1000)::text, '{-1,1}', 'with workers') FROM many;

-- what is refused
SELECT throws_ok(format('SELECT %s FROM t', call), state, message, call)
FROM (VALUES
	('dp_bounds(i4, i4)', '0A000', 'epsilon of a private aggregate must be the same for all rows'),
	('dp_bounds(i4, 0)', '22023', 'epsilon is out of range'),
	('dp_bounds(i4, NULL)', '22004', 'epsilon of a private aggregate must not be null'),
	('dp_bounds(g::text)', '42883', NULL),
	('dp_bounds(i4) OVER ()', '0A000', NULL)
) AS v (call, state, message);

SELECT * FROM finish();
ROLLBACK;
