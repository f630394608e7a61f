-- Results without noise: at epsilon 1000000 a draw other than the likeliest
-- has a probability below exp(-9000) on integers, so that clamping, NULL, NaN,
-- infinities, empty input, DISTINCT, FILTER and GROUP BY show exactly. Of real
-- numbers the noise is about 1e-6 of the bounds, hence the tolerances.

BEGIN;
SELECT plan(124);
SET LOCAL dp_noise.epsilon = 1000000;

CREATE TEMP TABLE t (g integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric);
INSERT INTO t SELECT x % 3, x, x, x, x, x, x FROM generate_series(1, 9) AS x;

-- mechanisms, which are not columns: one statement each
CREATE FUNCTION evaluate(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT %s FROM t', expression) INTO result;
	RETURN result;
END
$$;

-- sums: 1 .. 9 clamped to 2 .. 8 is 2+2+3+4+5+6+7+8+8 = 45
SELECT is((SELECT dp_sum(i2, 2, 8) FROM t), 45::bigint, 'sum of smallint, clamped');
SELECT is((SELECT dp_sum(i4, 2, 8) FROM t), 45::bigint, 'sum of integer, clamped');
SELECT is((SELECT dp_sum(i8, 2, 8) FROM t), 45::numeric, 'sum of bigint, clamped');
SELECT ok((SELECT abs(dp_sum(f4, 2, 8) - 45) FROM t) < 0.01, 'sum of real, clamped');
SELECT ok((SELECT abs(dp_sum(f8, 2, 8) - 45) FROM t) < 0.01, 'sum of double precision, clamped');
SELECT ok((SELECT abs(dp_sum(n, 2, 8) - 45) FROM t) < 0.01, 'sum of numeric, clamped');
SELECT is((SELECT dp_sum(i4, -100, 8) FROM t), 44::bigint, 'values inside the bounds are not changed');
SELECT is((SELECT dp_sum(-i4, -8, -2) FROM t), -45::bigint, 'bounds below zero');
SELECT is((SELECT dp_sum(i4, 2.5, 7.9) FROM t), (3 * 3 + 4 + 5 + 6 + 7 * 3)::bigint, 'bounds of integers are rounded inwards');

-- means: by two noisy sums, so not exact
SELECT ok(abs(m - 5) < 0.01, 'mean of ' || type) FROM (
	SELECT 'smallint', dp_mean(i2, 2, 8)::float8 FROM t UNION ALL
	SELECT 'integer', dp_mean(i4, 2, 8)::float8 FROM t UNION ALL
	SELECT 'bigint', dp_mean(i8, 2, 8)::float8 FROM t UNION ALL
	SELECT 'real', dp_mean(f4, 2, 8)::float8 FROM t UNION ALL
	SELECT 'double precision', dp_mean(f8, 2, 8) FROM t UNION ALL
	SELECT 'numeric', dp_mean(n, 2, 8)::float8 FROM t
) AS a (type, m);
SELECT is((SELECT dp_mean(i4, 0, 10) FROM t), 5::numeric, 'the mean of integers is exact where the noise is none');
SELECT is((SELECT round(dp_mean(i4, 0, 10), 10) FROM t WHERE i4 IN (1, 2, 4)), round(7 / 3.0, 10), 'a mean has digits enough');

-- maxima, minima, medians, quantiles
SELECT is((SELECT dp_max(i2, 0, 100) FROM t), 9::smallint, 'max of smallint');
SELECT is((SELECT dp_max(i4, 0, 100) FROM t), 9, 'max of integer');
SELECT is((SELECT dp_max(i8, 0, 100) FROM t), 9::bigint, 'max of bigint');
SELECT ok((SELECT abs(dp_max(f4, 0, 100) - 9) FROM t) < 0.01, 'max of real');
SELECT ok((SELECT abs(dp_max(f8, 0, 100) - 9) FROM t) < 0.01, 'max of double precision');
SELECT ok((SELECT abs(dp_max(n, 0, 100) - 9) FROM t) < 0.01, 'max of numeric');
SELECT is((SELECT dp_min(i2, -100, 100) FROM t), 1::smallint, 'min of smallint');
SELECT is((SELECT dp_min(i4, -100, 100) FROM t), 1, 'min of integer');
SELECT is((SELECT dp_min(i8, -100, 100) FROM t), 1::bigint, 'min of bigint');
SELECT ok((SELECT abs(dp_min(f4, -100, 100) - 1) FROM t) < 0.01, 'min of real');
SELECT ok((SELECT abs(dp_min(f8, -100, 100) - 1) FROM t) < 0.01, 'min of double precision');
SELECT ok((SELECT abs(dp_min(n, -100, 100) - 1) FROM t) < 0.01, 'min of numeric');
SELECT is((SELECT dp_max(i4, 0, 8) FROM t), 8, 'max clamped');
SELECT is((SELECT dp_min(i4, 2, 8) FROM t), 2, 'min clamped');
SELECT is(evaluate(format('dp_max(i4, 0, 100, 1000000, %L)', m)), '9', 'max by ' || m)
FROM unnest(ARRAY['auto', 'laplace', 'geometric', 'staircase', 'discrete_staircase', 'truncated_laplace']) AS m;
SELECT ok((SELECT dp_max(i4, 0, 100, 1000000, 'exponential(rank=1)') FROM t) IN (8, 9), 'max by exponential: one rank below the top');
SELECT is((SELECT dp_median_exp(i2, 0, 100) FROM t), 5::smallint, 'median of smallint');
SELECT is((SELECT dp_median_exp(i4, 0, 100) FROM t), 5, 'median of integer');
SELECT is((SELECT dp_median_exp(i8, 0, 100) FROM t), 5::bigint, 'median of bigint');
SELECT is((SELECT dp_median_exp(f4, 0, 128) FROM t), 5::real, 'median of real');
SELECT is((SELECT dp_median_exp(f8, 0, 128) FROM t), 5::float8, 'median of double precision');
SELECT is((SELECT dp_median_exp(n, 0, 128) FROM t), 5::numeric, 'median of numeric');
SELECT is((SELECT dp_quantile_exp(i4, 0.5, 0, 100) FROM t), 5, 'quantile 0.5 is the median');
SELECT is((SELECT dp_quantile_exp(i4, 0.25, 0, 100) FROM t), 3, 'quantile 0.25');
SELECT is((SELECT dp_quantile_exp(i4, 0.75, 0, 100) FROM t), 7, 'quantile 0.75');
SELECT ok((SELECT dp_quantile_exp(i4, 0, 0, 100) FROM t) <= 1, 'quantile 0 is at most the minimum');
SELECT ok((SELECT dp_quantile_exp(i4, 1, 0, 100) FROM t) >= 9, 'quantile 1 is at least the maximum');
SELECT is((SELECT dp_median_exp(i4, 6, 100) FROM t), 6, 'median clamped');

-- counts
SELECT is((SELECT dp_count(*) FROM t), 9::bigint, 'count(*)');
SELECT is((SELECT dp_count(i4) FROM t), 9::bigint, 'count(value)');
SELECT is(evaluate(format('dp_count(i4, 1000000, %L)', m)), '9', 'count by ' || m)
FROM unnest(ARRAY['auto', 'laplace', 'geometric', 'staircase', 'discrete_staircase', 'truncated_laplace', 'truncated_geometric',
	'truncated_staircase', ' staircase ( gamma = 0.5 ) ', 'discrete_staircase(r=1)', 'staircase(cost=l2)', 'geometric(quantum=1)']) AS m;

-- answers of a few values: multiples of a quantum, levels between the bounds
SELECT is(evaluate(expression), result, expression) FROM (VALUES
	('dp_count(i4, 1000000, ''geometric(quantum=4)'')', '8'),
	('dp_count(i4, 1000000, ''truncated_geometric(quantum=20)'')', '0'),
	('dp_sum(i4, 0, 10, 1000000, ''geometric(quantum=10)'')', '50'),
	('dp_sum(-i4, -10, 0, 1000000, ''geometric(quantum=10)'')', '-40'),
	('dp_sum(f8, 0, 10, 1000000, ''geometric(quantum=0.75)'')', '45'),
	('dp_sum(f4, 0, 10, 1000000, ''geometric(quantum=32)'')', '32'),
	('dp_sum(n, 0, 10, 1000000, ''geometric(quantum=2)'')::float8', '46'),
	('dp_max(i4, 0, 100, 1000000, ''geometric(quantum=7)'')', '7'),
	('dp_min(i4, -100, 6, 1000000, ''geometric(quantum=4)'')', '2'),
	('dp_max(i4, 0, 100, 1000000, ''two_stage'')', '0'),
	('dp_max(i4, 0, 20, 1000000, ''two_stage(levels=3)'')', '10'),
	('dp_max(i4, 0, 10, 1000000, ''two_stage(levels=4)'')', '10'),
	('dp_max(f8, 0, 32, 1000000, ''two_stage(levels=5)'')', '8'),
	('dp_min(i2, 0, 8, 1000000, ''two_stage(levels=5)'')', '0'),
	('dp_mean(i4, 0, 10, 1000000, ''two_stage'')', '5.0000000000000000'),
	('dp_mean(f8, 4, 12, 1000000, ''two_stage(levels=5)'')', '6'),
	('dp_mean(f8, 4, 12, 1000000, ''two_stage(levels=5)'') FILTER (WHERE false)', '8'),
	('dp_mean(n, 7, 7, 1, ''two_stage'')::float8', '7')
) AS v (expression, result);

-- NULL
SELECT is((SELECT dp_count(NULLIF(i4, 5)) FROM t), 8::bigint, 'count skips NULL');
SELECT is((SELECT dp_sum(NULLIF(i4, 5), 0, 10) FROM t), 40::bigint, 'sum skips NULL');
SELECT is((SELECT dp_mean(NULLIF(i4, 9), 0, 10) FROM t), 4.5, 'mean skips NULL');
SELECT is((SELECT dp_median_exp(NULLIF(NULLIF(i4, 9), 8), 0, 10) FROM t), 4, 'median skips NULL');
SELECT is((SELECT dp_max(NULLIF(i4, 9), 0, 100) FROM t), 8, 'max skips NULL');
SELECT is((SELECT dp_sum(NULL::integer, 0, 10) FROM t), 0::bigint, 'a sum of NULLs is 0');

-- empty input: never NULL
SELECT is((SELECT dp_count(*) FROM t WHERE false), 0::bigint, 'count of nothing');
SELECT is((SELECT dp_sum(i4, 5, 10) FROM t WHERE false), 0::bigint, 'sum of nothing');
SELECT ok((SELECT dp_mean(i4, 0, 10) FROM t WHERE false) BETWEEN 0 AND 10, 'mean of nothing lies between the bounds');
SELECT ok((SELECT dp_median_exp(i4, 3, 7) FROM t WHERE false) BETWEEN 3 AND 7, 'median of nothing lies between the bounds');
SELECT ok((SELECT dp_quantile_exp(f8, 0.9, 3, 7) FROM t WHERE false) BETWEEN 3 AND 7, 'quantile of nothing lies between the bounds');
SELECT is((SELECT dp_max(i4, 0, 100) FROM t WHERE false), 0, 'max of nothing is the lower bound');
SELECT is((SELECT dp_min(i4, 0, 100) FROM t WHERE false), 100, 'min of nothing is the upper bound');
SELECT is((SELECT count(*) FROM (SELECT g, dp_count(*) FROM t WHERE false GROUP BY g) AS s), 0::bigint, 'GROUP BY of nothing gives no groups');

-- NaN is skipped, infinities are clamped
CREATE TEMP TABLE special (f4 real, f8 double precision, n numeric);
INSERT INTO special VALUES ('NaN', 'NaN', 'NaN'), ('Infinity', 'Infinity', 'Infinity'), ('-Infinity', '-Infinity', '-Infinity'), (5, 5, 5), (NULL, NULL, NULL);
SELECT ok(abs(dp_sum(f4, -10, 20) - 15) < 0.01, 'sum of real: NaN skipped, infinities clamped') FROM special;
SELECT ok(abs(dp_sum(f8, -10, 20) - 15) < 0.01, 'sum of double precision: NaN skipped, infinities clamped') FROM special;
SELECT ok(abs(dp_sum(n, -10, 20) - 15) < 0.01, 'sum of numeric: NaN skipped, infinities clamped') FROM special;
SELECT ok(abs(dp_mean(n, -10, 20) - 5) < 0.01, 'mean of numeric: NaN skipped, infinities clamped') FROM special;
SELECT ok(abs(dp_max(f8, -10, 20) - 20) < 0.01, 'max of double precision: NaN is not the greatest') FROM special;
SELECT ok(abs(dp_min(n, -10, 20) + 10) < 0.01, 'min of numeric: -Infinity is clamped') FROM special;
SELECT is(dp_median_exp(f8, -10, 20), 5::float8, 'median of double precision: NaN skipped, infinities clamped') FROM special;
SELECT is(dp_count(f8), 4::bigint, 'count counts NaN, as count does') FROM special;
SELECT is(dp_noise.sum_state(n, -8, 8)::text, '(687194767360,3)', 'state: 5 steps of 2^-37 and both bounds') FROM special;

-- DISTINCT, FILTER, ORDER BY, GROUP BY, HAVING
SELECT is((SELECT dp_count(DISTINCT g) FROM t), 3::bigint, 'count(DISTINCT)');
SELECT is((SELECT dp_sum(DISTINCT g, 0, 10) FROM t), 3::bigint, 'sum(DISTINCT)');
SELECT is((SELECT dp_median_exp(DISTINCT g, 0, 10) FROM t), 1, 'median(DISTINCT)');
SELECT is((SELECT dp_count(DISTINCT g, 1000000, 'laplace') FROM t), 3::bigint, 'DISTINCT with parameters');
SELECT is((SELECT dp_sum(i4, 0, 10) FILTER (WHERE i4 > 7) FROM t), 17::bigint, 'FILTER');
SELECT is((SELECT dp_sum(i4, 5, 10) FILTER (WHERE false) FROM t), 0::bigint, 'FILTER that no row passes');
SELECT is((SELECT dp_max(i4, 5, 10) FILTER (WHERE false) FROM t), 5, 'FILTER that no row passes, state of type internal');
SELECT is((SELECT dp_sum(i4, 0, 10 ORDER BY i4 DESC) FROM t), 45::bigint, 'ORDER BY inside an aggregate');
SELECT results_eq('SELECT g, dp_count(*), dp_sum(i4, 0, 10), dp_max(i4, 0, 100), dp_median_exp(i4, 0, 100) FROM t GROUP BY g ORDER BY g',
	'VALUES (0, 3::bigint, 18::bigint, 9, 6), (1, 3, 12, 7, 4), (2, 3, 15, 8, 5)', 'GROUP BY');
SELECT results_eq('SELECT g, dp_sum(i4, 0, 10) FROM t GROUP BY GROUPING SETS ((g), ()) ORDER BY g',
	'VALUES (0, 18::bigint), (1, 12), (2, 15), (NULL, 45)', 'GROUPING SETS');
SELECT results_eq('SELECT g FROM t GROUP BY g HAVING dp_sum(i4, 0, 10) > 13 ORDER BY g', 'VALUES (0), (2)', 'HAVING');
SELECT is((SELECT dp_sum(x, 0, 10) FROM (SELECT dp_count(*)::integer AS x FROM t GROUP BY g) AS s), 9::bigint, 'private aggregates over private aggregates');

-- equal bounds: the answer is public
SELECT is((SELECT dp_median_exp(i4, 7, 7) FROM t), 7, 'equal bounds: median');
SELECT is((SELECT dp_max(f8, 7, 7, 0.001) FROM t), 7::float8, 'equal bounds: max');
SELECT is((SELECT dp_mean(n, 7, 7, 0.001) FROM t), 7.0, 'equal bounds: mean');
SELECT is((SELECT dp_sum(i4, 0, 0, 0.001) FROM t), 0::bigint, 'bounds both zero: sum');
SELECT is((SELECT dp_sum(i4, 7, 7) FROM t), 63::bigint, 'equal bounds: sum');

-- domains, and columns whose types are only coercible
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
SELECT is((SELECT dp_sum(x::positive, 0, 10) FROM generate_series(1, 4) AS x), 10::bigint, 'sum over a domain');
SELECT is((SELECT dp_max(x::positive, 0, 100) FROM generate_series(1, 4) AS x), 4, 'max over a domain');

SELECT * FROM finish();
ROLLBACK;
