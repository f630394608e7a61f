-- The noise of every aggregate by every mechanism is of the size that
-- dp_expected_error foretells, and independent where it has to be.
--
-- False alarms. A group gives a draw; over n = 4000 groups the mean of |X| is
-- to be within 25% of E|X|. For Laplace noise (|X| exponential, the widest of
-- these) Cramer's bound is 2 exp(-n (t - ln(1 + t))) at t = 0.25, 6e-47, and
-- for the other mechanisms, of relative deviation at most 3 here, about
-- 2 exp(-n t^2 / 2 / 9) = 2e-6 at n = 4000: those take t = 0.6, 1e-34. The
-- correlation of two noises is to be below 0.2, 12 standard deviations. In all
-- well below 1e-9.

BEGIN;
SELECT plan(111);

CREATE TEMP TABLE groups AS SELECT g, i FROM generate_series(1, 4000) AS g, generate_series(1, 3) AS i;

-- |noise| over the groups: of an expression whose true value is known
CREATE FUNCTION noise(expression text, truth text, source text DEFAULT 'groups') RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	result double precision;
BEGIN
	EXECUTE format('SELECT avg(abs(noisy::double precision - truth)) FROM (SELECT g, %s AS noisy, %s AS truth FROM %s GROUP BY g) AS s', expression, truth, source) INTO result;
	RETURN result;
END
$$;
CREATE FUNCTION near(have double precision, wanted double precision, tolerance double precision, name text) RETURNS text LANGUAGE sql AS $$
	SELECT ok(have BETWEEN wanted * (1 - tolerance) AND wanted * (1 + tolerance), format('%s: %s where %s is expected', name, have, wanted))
$$;

------------------------------------------------------------------------------
-- counts, sums

SELECT near(noise(format('dp_count(i, %s, %L)', e, m), '3'), (dp_expected_error(w, e)).mean_absolute, 0.25, format('dp_count by %s at %s', m, e))
FROM (VALUES ('auto', 'geometric'), ('laplace', 'geometric'), ('geometric', 'geometric'), ('staircase', 'geometric'), ('discrete_staircase', 'geometric'),
	('gaussian(delta=1e-6)', 'gaussian(delta=1e-6)')) AS v (m, w), unnest(ARRAY[0.1, 1]) AS e;
-- the noise of a truncated count is cut below -3
SELECT ok(noise('dp_count(i, 0.1, ''truncated_geometric'')', '3') < 0.85 * (dp_expected_error('geometric', 0.1)).mean_absolute, 'truncated_geometric is closer');
SELECT ok((SELECT bool_and(c >= 0) FROM (SELECT dp_count(i, 0.01, 'truncated_laplace') AS c FROM groups GROUP BY g) AS s), 'truncated counts are not negative');
SELECT ok((SELECT bool_or(c < 0) FROM (SELECT dp_count(i, 0.01) AS c FROM groups GROUP BY g) AS s), 'others may be');
SELECT ok((SELECT bool_and(c >= 0) FROM (SELECT dp_sum(i, 0, 10, 0.01, 'truncated_staircase') AS c FROM groups GROUP BY g) AS s), 'truncated sums of what is not negative are not');
SELECT ok((SELECT bool_or(c < 0) FROM (SELECT dp_sum(i, -1, 10, 0.01, 'truncated_staircase') AS c FROM groups GROUP BY g) AS s), 'of what may be, they may be');

SELECT near(noise(format('dp_sum(i, -10, 4, %s, %L)', e, m), '6'), (dp_expected_error(w, e, 10)).mean_absolute, 0.25, format('dp_sum of integers by %s at %s', m, e))
FROM (VALUES ('auto', 'discrete_staircase'), ('laplace', 'geometric'), ('geometric', 'geometric'), ('staircase', 'discrete_staircase'),
	('staircase(gamma=1)', 'discrete_staircase(r=10)'), ('discrete_staircase(r=3)', 'discrete_staircase(r=3)'), ('gaussian(delta=1e-6)', 'gaussian(delta=1e-6)')) AS v (m, w),
	unnest(ARRAY[0.1, 1]) AS e;
-- on the grid of 2^40 steps: the sensitivity of 0 .. 8 is 8 whatever the type
SELECT near(noise(format('dp_sum(i::%s, 0, 8, %s, %L)', t, e, m), '6'), (dp_expected_error(m, e, 8)).mean_absolute, 0.25, format('dp_sum of %s by %s at %s', t, m, e))
FROM unnest(ARRAY['real', 'double precision', 'numeric']) AS t, unnest(ARRAY['laplace', 'staircase', 'gaussian(delta=1e-6)']) AS m, unnest(ARRAY[0.1, 2]) AS e;
-- bounds wider than 2^40: a coarser grid, the same noise
SELECT near(noise('dp_sum(i::bigint, -1e18, 1e18, 1, ''laplace'')', '6'), 1e18, 0.25, 'dp_sum of bigint');
SELECT near(noise('dp_sum(i::float8, -1e100, 1e100, 1, ''laplace'')', '6'), 1e100, 0.25, 'dp_sum of wide doubles');
SELECT near(noise('dp_sum(i::float8, -1e-100, 1e-100, 1, ''laplace'')', '3e-100'), 1e-100, 0.25, 'dp_sum of narrow doubles');

------------------------------------------------------------------------------
-- means: A / (A + B) of two noisy sums. In the middle of the bounds the error
-- is to first order (N1 - N2) / 2n for n rows, with E|N1 - N2| = 1.5 scales for
-- Laplace; for others it is between 1 and 1.6 times E|N|.

CREATE TEMP TABLE hundreds AS SELECT g, 5 AS i FROM generate_series(1, 1000) AS g, generate_series(1, 100);
SELECT near(noise(format('dp_mean(i::%s, 0, 10, %s, %L)', t, e, m), '5', 'hundreds'), 1.5 * 10 / e / 200, 0.35, format('dp_mean of %s by %s at %s', t, m, e))
FROM unnest(ARRAY['integer', 'double precision', 'numeric']) AS t, unnest(ARRAY['laplace', 'geometric']) AS m, unnest(ARRAY[1, 2]) AS e;
-- half of epsilon for each of the two
SELECT near(noise(format('dp_mean(i, 0, 10, 1, %L)', m), '5', 'hundreds'), 1.35 * (dp_expected_error(w, h, 10)).mean_absolute / 200, 0.5, 'dp_mean by ' || m)
FROM (VALUES ('staircase', 'discrete_staircase', 0.5), ('discrete_staircase', 'discrete_staircase', 0.5), ('gaussian(delta=1e-6)', 'gaussian(delta=1e-6)', 1)) AS v (m, w, h);
SELECT ok(noise('dp_mean(i, 0, 10, 20)', '5', 'hundreds') < 0.75 * noise('dp_mean(i, 0, 10, 20, ''laplace'')', '5', 'hundreds') + 0.001, 'dp_mean by auto at a large epsilon');
SELECT ok((SELECT bool_and(m BETWEEN 0 AND 10) FROM (SELECT dp_mean(i, 0, 10, 0.001) AS m FROM groups GROUP BY g) AS s), 'means stay between the bounds');

------------------------------------------------------------------------------
-- maxima and minima by additive noise: in the middle of the bounds, at an
-- epsilon at which the bounds, 5 scales away, cut off next to nothing

CREATE TEMP TABLE singles AS SELECT g, 500 AS i FROM generate_series(1, 4000) AS g;
SELECT near(noise(format('dp_%s(i, 0, 1000, 10, %L)', k, m), '500', 'singles'), (dp_expected_error(w, 10, 1000)).mean_absolute, tolerance, format('dp_%s by %s', k, m))
FROM unnest(ARRAY['max', 'min']) AS k,
	(VALUES ('laplace', 'geometric', 0.25), ('geometric', 'geometric', 0.25), ('truncated_laplace', 'geometric', 0.25), ('staircase', 'discrete_staircase', 0.6),
		('discrete_staircase(r=300)', 'discrete_staircase(r=300)', 0.25)) AS v (m, w, tolerance);

-- by rank: of 1 .. 1000 the answer is no more than 200 below the top (or more
-- than 40 noise scales of 2 / epsilon would have to come together)
CREATE TEMP TABLE thousands AS SELECT g, i FROM generate_series(1, 50) AS g, generate_series(1, 1000) AS i;
SELECT ok((SELECT bool_and(hi BETWEEN 800 AND 1000 AND lo BETWEEN 0 AND 200) FROM (SELECT dp_max(i, 0, 1000) AS hi, dp_min(i, 0, 1000) AS lo FROM thousands GROUP BY g) AS s),
	'dp_max, dp_min by auto');
SELECT ok((SELECT bool_and(hi BETWEEN 800 AND 1000 AND lo BETWEEN 0 AND 200) FROM (SELECT dp_max(i, 0, 1000, 1, 'above_threshold') AS hi, dp_min(i, 0, 1000, 1, 'above_threshold') AS lo FROM thousands GROUP BY g) AS s),
	'dp_max, dp_min by above_threshold');
SELECT ok((SELECT bool_and(hi BETWEEN 800 AND 1000 AND lo BETWEEN 0 AND 200) FROM (SELECT dp_max(i, 0, 1000, 1, 'exponential') AS hi, dp_min(i, 0, 1000, 1, 'exponential') AS lo FROM thousands GROUP BY g) AS s),
	'dp_max, dp_min by exponential');
-- far from the data the exponential form knows nothing, so rank=0 drifts to the bound
SELECT ok((SELECT avg(hi) > 2000 FROM (SELECT dp_max(i, 0, 10000, 1, 'exponential(rank=0)') AS hi FROM thousands GROUP BY g) AS s), 'dp_max by exponential(rank=0) is flat above the maximum');

------------------------------------------------------------------------------
-- medians and quantiles: of 1 .. 1000 the weight falls by exp(-epsilon / 2) a
-- rank, so E|X| is about 2 / epsilon; 50 draws may be off by a factor of 3:
-- exp(-50 (2 - ln 3)) = 3e-20 above, exp(-50 (ln 3 - 2/3)) = 4e-10 below

SELECT near(noise(format('dp_median_exp(i::%s, 0, 1001, 0.1)', t), '500.5', 'thousands'), 20, 0.75, 'dp_median_exp of ' || t)
FROM unnest(ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric']) AS t;
-- max(q, 1 - q) is the sensitivity of the score: 0.9 for a tenth
SELECT near(noise(format('dp_quantile_exp(i::%s, 0.1, 0, 1001, 0.1)', t), '100.5', 'thousands'), 18, 0.75, 'dp_quantile_exp of ' || t)
FROM unnest(ARRAY['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric']) AS t;
-- without rows it is uniform: the mean of 4000 is off by 10% with probability 1e-27
SELECT near(avg(m), 500, 0.1, 'dp_median_exp of nothing') FROM (SELECT dp_median_exp(i, 0, 1000) FILTER (WHERE false) AS m FROM groups GROUP BY g) AS s;

------------------------------------------------------------------------------
-- which draws are the same, and which are not

CREATE TEMP TABLE draws AS
SELECT g, dp_sum(i, 0, 1000000000000) - 6 AS a, dp_sum(i, 0, 1000000000000) - 6 AS same, dp_sum(i, 0, 1000000000000, 1) - 6 AS b,
	dp_sum(i, 0, 1000000000000, 1, 'staircase') - 6 AS c, dp_sum(i, 0, 1000000000001) - 6 AS d, dp_sum(i::bigint, 0, 1000000000000) - 6 AS e,
	dp_mean(i, 0, 1000000000000, 1) - 500000000000 AS mean, dp_sum(i, 0, 1000000000000) FILTER (WHERE true) - 6 AS f, dp_sum(DISTINCT i, 0, 1000000000000) - 6 AS distincts
FROM groups GROUP BY g HAVING dp_sum(i, 0, 1000000000000) IS NOT NULL;
SELECT ok(bool_and(a = same), 'identical aggregates of one SELECT are one draw') FROM draws;
SELECT ok(count(DISTINCT a) > 3990, 'groups have draws of their own') FROM draws;
SELECT ok(bool_or(a <> b) AND bool_or(a <> c) AND bool_or(a <> d) AND bool_or(a <> e) AND bool_or(a <> f) AND bool_or(a <> distincts), 'different aggregates differ') FROM draws;
SELECT ok(abs(r) < 0.2, format('%s is independent of %s: correlation %s', x, y, round(r::numeric, 3)))
FROM (
	SELECT 'a', 'b', corr(a, b) FROM draws UNION ALL
	SELECT 'a', 'c', corr(a, c) FROM draws UNION ALL
	SELECT 'a', 'd', corr(a, d) FROM draws UNION ALL
	SELECT 'a', 'e', corr(a, e::float8) FROM draws UNION ALL
	SELECT 'a', 'f', corr(a, f) FROM draws UNION ALL
	SELECT 'a', 'the sum of distinct values', corr(a, distincts) FROM draws UNION ALL
	SELECT 'b', 'c', corr(b, c) FROM draws UNION ALL
	SELECT 'a', 'the mean', corr(a, mean::float8) FROM draws UNION ALL
	SELECT 'the next group', 'this one', corr(a, lead) FROM (SELECT a, lead(a) OVER (ORDER BY g) FROM draws) AS s
) AS c (x, y, r);
-- in different sub-selects, statements and executions of a prepared one
SELECT ok(count(DISTINCT s) = 3, 'sub-selects draw anew') FROM (SELECT dp_sum(i, 0, 1e12) AS s FROM singles UNION ALL SELECT dp_sum(i, 0, 1e12) FROM singles UNION ALL
	SELECT (SELECT dp_sum(i, 0, 1e12) FROM singles)) AS u;
PREPARE again AS SELECT dp_sum(i, 0, 1e12) AS s FROM singles;
CREATE TEMP TABLE executions AS EXECUTE again;
INSERT INTO executions SELECT dp_sum(i, 0, 1e12) FROM singles;
CREATE TEMP TABLE executions2 AS EXECUTE again;
SELECT ok(count(DISTINCT s) = 3, 'executions draw anew') FROM (SELECT s FROM executions UNION ALL SELECT s FROM executions2) AS u;
-- executed anew for each row of an outer query
SELECT ok(count(DISTINCT s) = 20, 'rescans draw anew') FROM generate_series(1, 20) AS o, LATERAL (SELECT dp_sum(i, 0, 1e12) AS s FROM singles WHERE g + o > 0) AS l;
SELECT * FROM finish();
ROLLBACK;
