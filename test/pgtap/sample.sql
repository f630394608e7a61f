-- dp_noise.sample: for superusers only, a set of the asked size, refused
-- arguments, and moments as dp_expected_error says.
--
-- False alarms. Of n = 20000 draws the mean of |X| has the standard deviation
-- s = sqrt((E X^2 - (E|X|)^2) / n). For tails no heavier than exponential ones,
-- Cramer's bound of 8 s is exp(-n (t - ln(1 + t))) with t = 8 / sqrt(n), which
-- is 4e-14; so for the mean of X with sqrt(E X^2 / n), and for the share of
-- |X| <= w, a mean of Bernoulli variables. The mean of X^2 may be off by 0.25:
-- 16 standard deviations of a Laplace square, sqrt(5) E X^2 / sqrt(n); and for
-- one single draw to do that, it must exceed 70 E|X|: exp(-70). In all well
-- below 1e-9.

BEGIN;
SELECT plan(130);

-- who may
CREATE ROLE dp_noise_test_user;
GRANT EXECUTE ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) TO dp_noise_test_user;
SET ROLE dp_noise_test_user;
SELECT throws_ok($$SELECT * FROM dp_noise.sample('laplace', 1, 1, 1)$$, '42501', 'must be superuser to draw bare noise', 'a user who was granted EXECUTE');
SELECT throws_ok($$SELECT * FROM dp_noise.sample('laplace', 1, 1, 0)$$, '42501', 'must be superuser to draw bare noise', 'not even no draw');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) FROM dp_noise_test_user;
SET ROLE dp_noise_test_user;
SELECT throws_ok($$SELECT * FROM dp_noise.sample('laplace', 1, 1, 1)$$, '42501', 'permission denied for function sample', 'a user who was not');
RESET ROLE;

-- how many
SELECT is((SELECT count(*) FROM dp_noise.sample('laplace', 1, 1, n)), n, n || ' draws') FROM unnest(ARRAY[0, 1, 2, 1000]::bigint[]) AS n;
SELECT is((SELECT count(*) FROM dp_noise.sample('laplace', 1, 1, NULL)), 0::bigint, 'NULL gives no rows');
SELECT is((SELECT count(*) FROM (SELECT dp_noise.sample('laplace', 1, 1, 10)) AS s), 10::bigint, 'in the list of results');
SELECT is((SELECT count(DISTINCT x) FROM dp_noise.sample('laplace', 1, 1, 1000) AS x), 1000::bigint, 'no draw is repeated: 2^40 steps a unit');
SELECT ok((SELECT bool_and(x = trunc(x)) FROM dp_noise.sample('geometric', 0.1, 3, 1000) AS x), 'geometric noise is whole');

-- what is refused
SELECT throws_ok(format('SELECT * FROM dp_noise.sample(%s)', arguments), sqlstate, message, arguments)
FROM (VALUES
	('''laplace'', 1, 1, -1', '22023', 'number of samples must not be negative'),
	('''laplace'', 0, 1, 1', '22023', 'epsilon is out of range'),
	('''laplace'', ''NaN'', 1, 1', '22023', 'epsilon is out of range'),
	('''laplace'', 1, 0, 1', '22023', 'sensitivity is out of range'),
	('''geometric'', 1, 0.5, 1', '22023', 'sensitivity is out of range'),
	('''nonsense'', 1, 1, 1', '22023', 'unknown mechanism "nonsense"'),
	('''gaussian'', 1, 1, 1', '22023', 'a parameter of the mechanism is missing or out of range'),
	('''auto'', 1, 1, 1', '0A000', NULL),
	('''exponential'', 1, 1, 1', '0A000', NULL),
	('''above_threshold'', 1, 1, 1', '0A000', NULL)
) AS r (arguments, sqlstate, message);

-- moments
CREATE TEMP TABLE moments AS
SELECT m AS mechanism, e AS epsilon, s AS sensitivity, w.mean_absolute AS m1, w.root_mean_square ^ 2 AS m2,
	avg(abs(x)) AS absolute, avg(x) AS mean, avg(x * x) AS square, avg((abs(x) <= w.half_width_95)::integer) AS inside
FROM (VALUES ('laplace', 1000.0::float8), ('staircase', 0.001), ('staircase(cost=l2)', 1), ('staircase(gamma=0.9)', 1), ('geometric', 1), ('geometric', 7),
	('discrete_staircase', 10), ('gaussian(delta=1e-5)', 1), ('truncated_laplace', 1)) AS a (m, s)
CROSS JOIN unnest(ARRAY[0.1, 0.5, 2]) AS e, dp_expected_error(m, e, s) AS w, dp_noise.sample(m, e, s, 20000) AS x
GROUP BY m, e, s, w.mean_absolute, w.root_mean_square, w.half_width_95;

SELECT ok(abs(absolute - m1) < 8 * sqrt((m2 - m1 ^ 2) / 20000), format('E|X| of %s, epsilon %s', mechanism, epsilon)) FROM moments;
SELECT ok(abs(mean) < 8 * sqrt(m2 / 20000), format('E X of %s, epsilon %s', mechanism, epsilon)) FROM moments;
SELECT ok(abs(square / m2 - 1) < 0.25, format('E X^2 of %s, epsilon %s', mechanism, epsilon)) FROM moments;
-- at least 95% lie within w; of continuous noise just 95%
SELECT ok(inside > 0.95 - 8 * sqrt(0.05 * 0.95 / 20000) AND (mechanism ~ 'geometric|discrete' OR inside < 0.95 + 8 * sqrt(0.05 * 0.95 / 20000)),
	format('P(|X| <= w) of %s, epsilon %s: %s', mechanism, epsilon, round(inside, 3))) FROM moments;

-- a draw can be interrupted (OTHERS does not catch that)
CREATE FUNCTION interrupted(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END
$$;
SET LOCAL statement_timeout = '100ms';
SELECT ok(interrupted($$SELECT count(*) FROM dp_noise.sample('laplace', 1, 1, 1000000000000)$$), 'interrupted');
RESET statement_timeout;

SELECT * FROM finish();
ROLLBACK;
