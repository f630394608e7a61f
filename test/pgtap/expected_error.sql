-- dp_expected_error against the closed forms of the papers, sensitivity 1, to
-- six significant digits; scaling with the sensitivity; agreement of its three
-- columns with each other; what it refuses.

BEGIN;
SELECT plan(105);

-- E|X| and E X^2: half a unit of the sixth digit is at most 5e-6 of the value
CREATE TEMP TABLE wanted (mechanism text, epsilon double precision, absolute double precision, square double precision);
INSERT INTO wanted VALUES
	('laplace', 0.1, 10, 200), ('laplace', 0.5, 2, 8), ('laplace', 1, 1, 2), ('laplace', 2, 0.5, 0.5),
	('laplace', 5, 0.2, 0.08), ('laplace', 10, 0.1, 0.02),
	('staircase', 0.1, 9.995835, 199.916698), ('staircase', 0.5, 1.979318, 7.917441), ('staircase', 1, 0.959517, 1.919682),
	('staircase', 2, 0.425459, 0.427568), ('staircase', 5, 0.0826418, 0.0370273), ('staircase', 10, 0.00673825, 0.00230683),
	('staircase(cost=l2)', 0.1, 9.995835, 199.916681), ('staircase(cost=l2)', 0.5, 1.979423, 7.917017),
	('staircase(cost=l2)', 1, 0.960287, 1.918104), ('staircase(cost=l2)', 2, 0.429914, 0.422733),
	('staircase(cost=l2)', 5, 0.0982080, 0.0297110), ('staircase(cost=l2)', 10, 0.0149598, 0.000847210),
	('geometric', 0.1, 9.983353, 199.833417), ('geometric', 0.5, 1.919035, 7.835396), ('geometric', 1, 0.850918, 1.841347),
	('geometric', 2, 0.275721, 0.362031), ('geometric', 5, 0.0134765, 0.0136593), ('geometric', 10, 9.07999e-5, 9.08081e-5);

SELECT ok(abs(e.mean_absolute / w.absolute - 1) < 4e-6, format('E|X| of %s at %s: %s', w.mechanism, w.epsilon, e.mean_absolute))
FROM wanted AS w, dp_expected_error(w.mechanism, w.epsilon) AS e;
SELECT ok(abs(e.root_mean_square ^ 2 / w.square - 1) < 4e-6, format('E X^2 of %s at %s: %s', w.mechanism, w.epsilon, e.root_mean_square ^ 2))
FROM wanted AS w, dp_expected_error(w.mechanism, w.epsilon) AS e;

-- one name for another
SELECT ok(abs(a.mean_absolute / b.mean_absolute - 1) < 1e-12 AND abs(a.root_mean_square / b.root_mean_square - 1) < 1e-12
	AND a.half_width_95 = b.half_width_95, 'discrete_staircase of sensitivity 1 is geometric')
FROM dp_expected_error('discrete_staircase', 1) AS a, dp_expected_error('geometric', 1) AS b;
SELECT is(dp_expected_error('truncated_laplace', 1), dp_expected_error('laplace', 1), 'a truncated mechanism is as its bare form');
SELECT is(dp_expected_error('laplace', 1), dp_expected_error('laplace', 1, 1), 'the sensitivity is 1 by default');
SELECT is(dp_expected_error('staircase(gamma=1)', 1), dp_expected_error('staircase( gamma = 1.0 )', 1), 'parameters of mechanisms');

-- the staircase is never worse than Laplace, and never beaten in its own cost
SELECT ok(s.mean_absolute < l.mean_absolute AND s.root_mean_square < l.root_mean_square, 'staircase beats laplace at ' || e)
FROM unnest(ARRAY[0.01, 0.1, 1, 3, 10, 20]) AS e, dp_expected_error('staircase', e) AS s, dp_expected_error('laplace', e) AS l;
SELECT ok(NOT EXISTS (
	SELECT FROM generate_series(0.01, 1, 0.01) AS gamma, dp_expected_error(format('staircase(gamma=%s)', gamma), 1) AS e
	WHERE e.mean_absolute < (dp_expected_error('staircase', 1)).mean_absolute * (1 - 1e-12)
		OR e.root_mean_square < (dp_expected_error('staircase(cost=l2)', 1)).root_mean_square * (1 - 1e-12)),
	'no gamma beats the default one');

-- it is in the unit of the sensitivity
SELECT ok(abs(a.mean_absolute / b.mean_absolute / s - 1) < 1e-9 AND abs(a.root_mean_square / b.root_mean_square / s - 1) < 1e-9
	AND abs(a.half_width_95 / b.half_width_95 / s - 1) < 1e-9, format('%s of sensitivity %s', m, s))
FROM unnest(ARRAY['laplace', 'staircase', 'gaussian(delta=1e-6)']) AS m, unnest(ARRAY[1e-300, 0.001, 1000, 1e300]) AS s,
	dp_expected_error(m, 1, s) AS a, dp_expected_error(m, 1) AS b;

-- the 95% half-width: of Laplace ln(20) / epsilon; of a count, the least w
SELECT ok(abs((dp_expected_error('laplace', 1)).half_width_95 - ln(20::float8)) < 1e-9, 'half-width of laplace');
SELECT is((dp_expected_error('geometric', 1)).half_width_95, 3::float8, 'half-width of geometric: P(|X| <= 3) = 0.973, P(|X| <= 2) = 0.927');
SELECT is((dp_expected_error('geometric', 10)).half_width_95, 0::float8, 'half-width of geometric: 0 is enough at epsilon 10');
SELECT ok((dp_expected_error('gaussian(delta=1e-6)', 1)).half_width_95 / (dp_expected_error('gaussian(delta=1e-6)', 1)).root_mean_square BETWEEN 1.9599 AND 1.96,
	'half-width of gaussian');

-- of the least sigma whose delta is 1e-6, in units of the sensitivity (Balle and Wang 2018)
SELECT ok(abs((dp_expected_error('gaussian(delta=1e-6)', e)).root_mean_square / s - 1) < 1e-8, format('gaussian at epsilon %s', e))
FROM (VALUES (0.5, 8.057618481), (1, 4.224678889), (2, 2.230476271), (5, 0.9800490003), (10, 0.5410868318)) AS v (e, s);
SELECT is((SELECT row(mean_absolute, root_mean_square, half_width_95)::text FROM dp_expected_error('geometric', 1000000)), '(0,0,0)', 'no noise at all');

-- with a quantum: its rounding counts at its worst, half of it
SELECT is(dp_expected_error('geometric(quantum=1)', 0.7, 3), dp_expected_error('geometric', 0.7, 3), 'a quantum of 1');
SELECT ok(abs(e.mean_absolute - (4 / sinh(0.5::float8) + 2 * tanh(0.25::float8))) < 1e-12
	AND abs(e.root_mean_square ^ 2 - (16 / (2 * sinh(0.25::float8) ^ 2) + 4)) < 1e-9, 'quantum 4, sensitivity 5: two multiples')
FROM dp_expected_error('geometric(quantum=4)', 1, 5) AS e;

-- levels: the published mean, 0.575 at epsilon 1, has a truth near the middle;
-- at its worst the truth lies between two levels
SELECT ok(abs(e.mean_absolute - (2 * a / (1 + a) + (1 - a) / (1 + a) / 2)) < 1e-12 AND e.half_width_95 = 2, 'two_stage at epsilon 1')
FROM exp(-1::float8) AS a, dp_expected_error('two_stage(levels=3)', 1) AS e;
SELECT ok(abs((dp_expected_error('two_stage(levels=3)', 1000)).mean_absolute - 0.5) < 1e-12, 'without noise the rounding is left');
SELECT is(dp_expected_error('two_stage', 1, 10), dp_expected_error('two_stage(levels=3)', 1, 10), 'three levels by default');
SELECT ok((dp_expected_error('two_stage', 0.01, 10)).mean_absolute <= 20, 'never more than the span');
SELECT throws_ok('SELECT dp_noise.sample(''two_stage'', 1, 1, 1)', '0A000', NULL, 'levels are no noise of their own');

-- NULL
SELECT is(dp_expected_error(NULL, 1), NULL, 'NULL for NULL');

-- what is refused
SELECT throws_ok(format('SELECT dp_expected_error(%s)', arguments), sqlstate, message, 'dp_expected_error(' || arguments || ')')
FROM (VALUES
	('''laplace'', 0', '22023', 'epsilon is out of range'),
	('''laplace'', -1', '22023', 'epsilon is out of range'),
	('''laplace'', 1000001', '22023', 'epsilon is out of range'),
	('''laplace'', ''NaN''', '22023', 'epsilon is out of range'),
	('''laplace'', 1, 0', '22023', 'sensitivity is out of range'),
	('''laplace'', 1, -1', '22023', 'sensitivity is out of range'),
	('''laplace'', 1, ''Infinity''', '22023', 'sensitivity is out of range'),
	('''laplace'', 1, ''NaN''', '22023', 'sensitivity is out of range'),
	('''geometric'', 1, 1.5', '22023', 'sensitivity is out of range'),
	('''geometric'', 1, 1e13', '22023', 'sensitivity is out of range'),
	('''geometric(quantum=1.5)'', 1', '22023', 'a parameter of the mechanism is missing or out of range'),
	('''geometric(quantum=1e13)'', 1', '22023', 'a parameter of the mechanism is missing or out of range'),
	('''two_stage(levels=1)'', 1', '22023', 'parameter value out of range in mechanism "two_stage(levels=1)"'),
	('''two_stage'', 1, -1', '22023', 'sensitivity is out of range'),
	('''smooth_cauchy'', 1', '0A000', 'the error of mechanism smooth_cauchy does not follow from epsilon and sensitivity alone'),
	('''permute_and_flip'', 1', '0A000', 'the error of mechanism permute_and_flip does not follow from epsilon and sensitivity alone')
) AS r (arguments, sqlstate, message);

SELECT * FROM finish();
ROLLBACK;
