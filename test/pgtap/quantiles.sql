-- dp_quantiles_exp: answers without noise where epsilon is vast, on every type,
-- in the order of the fractions; monotone; clamping, NULL, NaN, empty input,
-- groups, workers; one budget for all; what is refused.

BEGIN;
SELECT plan(36);

CREATE TABLE t (g integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric);
INSERT INTO t SELECT x % 3, x, x, x, x, x, x FROM generate_series(1, 99) AS x;

CREATE FUNCTION evaluate(expression text, source text DEFAULT 't') RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
	result numeric[];
BEGIN
	EXECUTE format('SELECT %s FROM %s', expression, source) INTO result;
	RETURN result;
END
$$;
CREATE FUNCTION near(a numeric[], b numeric[], tolerance numeric) RETURNS boolean LANGUAGE sql AS
'SELECT cardinality(a) = cardinality(b) AND (SELECT bool_and(abs(x - y) <= tolerance) FROM unnest(a, b) AS r (x, y))';

-- Between the neighbours of its rank any value is as good.
SELECT ok(near(evaluate(format('dp_quantiles_exp(%s, ARRAY[0.75, 0.25, 0.5, 0.25], 0, 120, 1000000)', c)), '{75,25,50,25}', 1), 'quantiles of ' || c)
FROM unnest('{i2,i4,i8,f4,f8,n}'::text[]) AS c;
SELECT ok(near(evaluate('dp_quantiles_exp(i4, ARRAY[0.1, 0.9], 20, 80, 1000000)'), '{20,80}', 0), 'clamped');
SELECT ok(near(evaluate('dp_quantiles_exp(i4, ARRAY[0, 1], 1, 99, 1000000)'), '{1,99}', 0), 'the ends');
SELECT ok(near(evaluate('dp_quantiles_exp(i4, ARRAY[0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95], 0, 100, 1000000)'),
	'{1,2,5,10,20,30,40,50,60,70,80,90,95}', 1.5), 'thirteen of them');
SELECT ok(near(evaluate('dp_quantiles_exp(NULLIF(i4, 99), ARRAY[1, 0], 1, 98, 1000000)'), '{98,1}', 0), 'NULL is skipped');
SELECT is(dp_quantiles_exp(x, ARRAY[0, 1], -10, 10, 1000000)::text, '{-10,10}', 'NaN is skipped, infinities are clamped')
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('Infinity'), ('-Infinity')) AS v (x);
SELECT is(evaluate('dp_quantiles_exp(i4, ARRAY[0.2, 0.5, 0.8], 7, 7, 0.01)'), '{7,7,7}', 'equal bounds');
SELECT is(evaluate('dp_quantiles_exp(i4, ARRAY[0.1, 0.5, 0.9], 0, 1000000, 100)', 't, generate_series(1, 100) WHERE i4 = 42'), '{42,42,42}', 'equal values');
SELECT ok(q[1] BETWEEN 3 AND 9 AND q[1] <= q[2] AND q[2] BETWEEN 3 AND 9, 'of nothing a draw between the bounds')
FROM (SELECT dp_quantiles_exp(i4, ARRAY[0.25, 0.75], 3, 9) AS q FROM t WHERE false) AS s;
SELECT is(count(*), 3::bigint, 'groups') FROM (SELECT g, dp_quantiles_exp(i4, ARRAY[0.5, 0.75], 0, 120, 1000000) AS q FROM t GROUP BY g) AS s
WHERE abs(q[1] - 50) <= 3 AND abs(q[2] - 75) <= 3;
SELECT ok(bool_and(q[1] >= q[2] AND q[2] >= q[3] AND q[1] = q[4] AND q[1] <= 120 AND q[3] >= 0), 'a greater fraction never has a lesser answer')
FROM (SELECT dp_quantiles_exp(i4, ARRAY[0.9, 0.5, 0.2, 0.9], 0, 120, 0.01) AS q FROM t, generate_series(1, 500) AS k GROUP BY k) AS s;
SELECT ok(count(DISTINCT q) > 100, 'and each draw is one of its own')
FROM (SELECT dp_quantiles_exp(i4, ARRAY[0.2, 0.5, 0.9], 0, 120, 0.01) AS q FROM t, generate_series(1, 500) AS k GROUP BY k) AS s;
SELECT is(array_length(dp_quantiles_exp(i4, array_fill(0.5::float8, ARRAY[128]), 0, 100), 1), 128, '128 of them') FROM t;

-- A function of constants, a parameter.
PREPARE by_parameter(float8[]) AS SELECT dp_quantiles_exp(i4, $1, 1, 99, 1000000) AS q FROM t;
SELECT results_eq('EXECUTE by_parameter(''{0,1}'')', $$VALUES ('{1,99}'::integer[])$$, 'fractions as a parameter');
PREPARE by_two(float8, float8) AS SELECT dp_quantiles_exp(i4, ARRAY[$1, $2], 1, 99, 1000000) AS q FROM t;
SELECT results_eq('EXECUTE by_two(1, 0)', $$VALUES ('{99,1}'::integer[])$$, 'and as several');

-- Nine deciles of 0 .. 9999 share epsilon among four levels, nine quantiles
-- among nine: their mean error is at most three quarters of that.
CREATE TABLE many AS SELECT i AS x FROM generate_series(0, 9999) AS i;
SELECT ok(together < 0.75 * alone, format('an error of %s ranks, where nine draws have %s (false alarm: below 1e-9)', round(together), round(alone)))
FROM (SELECT avg(abs(v - place * 1000)) AS together FROM (SELECT dp_quantiles_exp(x, ARRAY[.1, .2, .3, .4, .5, .6, .7, .8, .9], 0, 10000, 0.09) AS q
		FROM many, generate_series(1, 60) AS k GROUP BY k) AS s, unnest(q) WITH ORDINALITY AS u (v, place)) AS a,
	(SELECT avg(abs(v - place * 1000)) AS alone FROM (SELECT ARRAY[dp_quantile_exp(x, .1, 0, 10000, 0.01), dp_quantile_exp(x, .2, 0, 10000, 0.01), dp_quantile_exp(x, .3, 0, 10000, 0.01),
			dp_quantile_exp(x, .4, 0, 10000, 0.01), dp_quantile_exp(x, .5, 0, 10000, 0.01), dp_quantile_exp(x, .6, 0, 10000, 0.01),
			dp_quantile_exp(x, .7, 0, 10000, 0.01), dp_quantile_exp(x, .8, 0, 10000, 0.01), dp_quantile_exp(x, .9, 0, 10000, 0.01)] AS q
		FROM many, generate_series(1, 60) AS k GROUP BY k) AS s, unnest(q) WITH ORDINALITY AS u (v, place)) AS b;

-- workers
ANALYZE many;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT ok(near(evaluate('dp_quantiles_exp(x, ARRAY[0.25, 0.5, 0.75], 0, 10000, 1000000)', 'many'), '{2500,5000,7500}', 1), 'with workers');

-- what is refused
SELECT throws_ok(format('SELECT %s FROM t', call), state, message, call)
FROM (VALUES
	('dp_quantiles_exp(i4, ARRAY[0.5])', '22023', 'dp_quantiles_exp needs bounds'),
	('dp_quantiles_exp(i4, ''{}'', 0, 10)', '22023', 'number of fractions must be between 1 and 128'),
	('dp_quantiles_exp(i4, array_fill(0.5::float8, ARRAY[129]), 0, 10)', '22023', 'number of fractions must be between 1 and 128'),
	('dp_quantiles_exp(i4, ''{0.5,-0.1}'', 0, 10)', '22023', 'fractions of dp_quantiles_exp must be between 0 and 1, and not null'),
	('dp_quantiles_exp(i4, ''{0.5,1.1}'', 0, 10)', '22023', 'fractions of dp_quantiles_exp must be between 0 and 1, and not null'),
	('dp_quantiles_exp(i4, ''{NaN}'', 0, 10)', '22023', 'fractions of dp_quantiles_exp must be between 0 and 1, and not null'),
	('dp_quantiles_exp(i4, ''{0.5,NULL}'', 0, 10)', '22023', 'fractions of dp_quantiles_exp must be between 0 and 1, and not null'),
	('dp_quantiles_exp(i4, NULL::float8[], 0, 10)', '22004', 'array of fractions of a private aggregate must not be null'),
	('dp_quantiles_exp(i4, ARRAY[f8], 0, 10)', '0A000', 'array of fractions of a private aggregate must be the same for all rows'),
	('dp_quantiles_exp(i4, ARRAY[random()], 0, 10)', '0A000', 'array of fractions of a private aggregate must be the same for all rows'),
	('dp_quantiles_exp(i4, ARRAY[0.5], 10, 0)', '22023', NULL),
	('dp_quantiles_exp(i4, ARRAY[0.5], 0, 10, 0)', '22023', 'epsilon is out of range'),
	('dp_quantiles_exp(i4, ARRAY[0.1, 0.5, 0.9, 0.95], 0, 10, 2e-6)', '22023', NULL),
	('dp_quantiles_exp(i4, ARRAY[0.5], 0, 10) OVER ()', '0A000', NULL)
) AS v (call, state, message);

SELECT * FROM finish();
ROLLBACK;
