-- dp_expected_loss and dp_remap: published values, one against the other and
-- against sums in SQL, through the aggregates, and what they refuse.

BEGIN;
SELECT plan(109);

CREATE FUNCTION uniform(n integer) RETURNS double precision[] LANGUAGE sql IMMUTABLE AS
'SELECT array_fill(1::double precision, ARRAY[n + 1])';

------------------------------------------------------------------------------
-- published values

SELECT ok(abs(dp_expected_loss(m, e) - (dp_expected_error(m, e)).mean_absolute) <= 1e-14 * (dp_expected_error(m, e)).mean_absolute
	AND abs(dp_expected_loss(m, e, 1, 'squared') / (dp_expected_error(m, e)).root_mean_square ^ 2 - 1) < 1e-14,
	format('noise alone: %s at %s is as dp_expected_error', m, e))
FROM unnest('{laplace,staircase,staircase(cost=l2),geometric,gaussian(delta=1e-6),truncated_laplace,two_stage(levels=4)}'::text[]) AS m,
	unnest('{0.1,1,5}'::float8[]) AS e;
SELECT ok(abs(dp_expected_loss('staircase', e) * 2 * sinh(e / 2) - 1) < 1e-12, '(12) at ' || e)
FROM unnest('{0.1,0.5,1,2,5,10}'::float8[]) AS e;
SELECT ok(abs(dp_expected_loss('geometric', e) * sinh(e) - 1) < 1e-12, '(13) at ' || e)
FROM unnest('{0.1,0.5,1,2,5,10}'::float8[]) AS e;
SELECT ok(abs(dp_expected_loss('laplace', e, upper => 10) * 2 * sinh(e / 2) - 1) < 1e-9, '(14), rounded to a count, at ' || e)
FROM unnest('{0.1,0.5,1,2,5,10}'::float8[]) AS e;
SELECT ok(abs(dp_expected_loss('staircase', e, upper => 10) / w - 1) < 4e-6, '(15), rounded to a count, at ' || e)
FROM (VALUES (0.1::float8, 9.98395::float8), (0.5, 1.93089), (1, 0.885242), (2, 0.340457), (5, 0.0478262), (10, 0.00341438)) AS v (e, w);
SELECT ok(abs(dp_expected_loss('geometric', 1, prior => uniform(10), remap => true) - 0.72854448) < 5e-9, 'OPT1: n = 10, epsilon 1, uniform prior');
SELECT ok(abs(dp_expected_loss('truncated_geometric', 1, upper => 10) - 0.84518469) < 5e-9, 'truncated geometric, worst case');
SELECT ok(abs(dp_expected_loss('geometric', 1, 1, 'binary') - (1 - tanh(0.5::float8))) < 1e-14, 'binary: P(X <> 0)');
SELECT is(dp_expected_loss('laplace', 1, 1, 'binary'), 1::float8, 'binary: real noise is never 0');
SELECT is(dp_expected_loss('geometric(quantum=2)', 1, 1, 'binary'), 1::float8, 'binary: a rounded answer, at its worst, is never right');
SELECT ok(dp_expected_loss('laplace', 1, 3) BETWEEN 3 * (1 - 1e-12) AND 3 * (1 + 1e-12), 'in the unit of the sensitivity');

------------------------------------------------------------------------------
-- priors, remaps

SELECT ok(abs(dp_expected_loss(m, 0.5, 1, l, prior => uniform(6)) - dp_expected_loss(m, 0.5, 1, l, prior => array_fill(17.5::float8, ARRAY[7]))) < 1e-13,
	format('weights need not add up to 1: %s, %s', m, l))
FROM unnest('{truncated_laplace,two_stage}'::text[]) AS m, unnest('{absolute,squared,binary}'::text[]) AS l;
SELECT ok(bool_and(abs(dp_expected_loss('truncated_geometric', 0.5, 1, l, prior => prior, remap => r) / by_hand - 1) < 1e-12),
	format('sums over answers and counts, remap %s, %s', r, l))
FROM (VALUES ('{1,1,1,1,1}'::float8[]), ('{5,0,1,3,0.5}')) AS p (prior),
	unnest('{false,true}'::boolean[]) AS r,
	unnest('{absolute,squared,binary}'::text[]) AS l,
	LATERAL (
		SELECT sum(prior[x + 1] * CASE WHEN y IN (0, 4) THEN exp(-0.5 * abs(x - y)) / (1 + exp(-0.5)) ELSE tanh(0.25) * exp(-0.5 * abs(x - y)) END
			* CASE l WHEN 'absolute' THEN abs(g - x) WHEN 'squared' THEN (g - x) ^ 2 ELSE (g <> x)::integer END) / (SELECT sum(w) FROM unnest(prior) AS w) AS by_hand
		FROM generate_series(0, 4) AS x, generate_series(0, 4) AS y,
			LATERAL (SELECT CASE WHEN r THEN dp_remap(y, 'truncated_geometric', 0.5, 1, prior, l) ELSE y END AS g) AS s
	) AS h
GROUP BY r, l;
SELECT ok(bool_and(dp_expected_loss('geometric', e, 1, l, prior => uniform(10), remap => true)
		<= dp_expected_loss(m, e, 1, l, prior => uniform(10), remap => r) * (1 + 1e-9)),
	'geometric with dp_remap is never worse than ' || m)
FROM unnest('{laplace,truncated_laplace,truncated_geometric,truncated_staircase,"staircase(gamma=0.9)",two_stage(levels=3),geometric(quantum=2)}'::text[]) AS m,
	unnest('{0.1,1,5}'::float8[]) AS e, unnest('{absolute,squared,binary}'::text[]) AS l, unnest('{false,true}'::boolean[]) AS r
GROUP BY m;

SELECT is(dp_remap(12, 'geometric', 1, 1, uniform(10)), 10::float8, 'an answer above all counts');
SELECT is(dp_remap(-3, 'geometric', 1, 1, uniform(10)), 0::float8, 'an answer below all counts');
SELECT is(dp_remap(5, 'geometric', 1, 1, '{0,0,0,1,0,0,0}', 'squared'), 3::float8, 'a prior that knows');
SELECT ok(abs(dp_remap(0, 'geometric', ln(2::float8), 1, '{1,1}', 'squared') - 1.0 / 3) < 1e-6, 'odds of 2 to 1');
SELECT is(dp_remap(0, 'geometric', 1, 1, '{1,1000,1}', 'binary'), 1::float8, 'the mode');

-- Over an aggregate; at such an epsilon the answer is the truth.
SELECT is((SELECT dp_remap(dp_count(1, 1000000), 'geometric', 1000000, 1, uniform(10)) FROM generate_series(1, 7)), 7::float8, 'of a private count');
SELECT is((SELECT dp_remap(dp_mean(x, 0, 10, 1000000), 'laplace', 1000000, 1, uniform(10)) FROM generate_series(4, 4) AS x), 4::float8, 'of a private mean');

------------------------------------------------------------------------------
-- null, errors

SELECT is(dp_expected_loss(NULL, 1), NULL, 'NULL mechanism');
SELECT is(dp_expected_loss('geometric', NULL), NULL, 'NULL epsilon');
SELECT is(dp_expected_loss('geometric', 1, 1, NULL), NULL, 'NULL loss');
SELECT is(dp_expected_loss('geometric', 1, 1, 'squared', NULL, NULL), dp_expected_loss('geometric', 1, 1, 'squared'), 'NULL prior: none');
SELECT is(dp_remap(1, 'geometric', 1, 1, NULL), NULL, 'NULL prior of an answer');

SELECT throws_ok('SELECT ' || call, code, message, call)
FROM (VALUES
	('dp_expected_loss(''geometric'', 1, 1, ''cubic'')', '22023', 'unknown loss "cubic"'),
	('dp_expected_loss(''bogus'', 1)', '22023', 'unknown mechanism "bogus"'),
	('dp_expected_loss(''exponential'', 1)', '0A000', NULL),
	('dp_expected_loss(''auto'', 1, prior => ''{1,1}'')', '0A000', NULL),
	('dp_expected_loss(''geometric'', 0)', '22023', 'epsilon is out of range'),
	('dp_expected_loss(''laplace'', 1, ''NaN'', upper => 3)', '22023', 'sensitivity is out of range'),
	('dp_expected_loss(''geometric'', 1, 0.5, upper => 3)', '22023', 'sensitivity is out of range'),
	('dp_expected_loss(''laplace'', 1, 1e7, upper => 3)', '22023', 'sensitivity of a count must be at most 1048576'),
	('dp_expected_loss(''gaussian'', 1, upper => 3)', '22023', 'a parameter of the mechanism is missing or out of range'),
	('dp_expected_loss(''geometric'', 1, upper => 0)', '22023', 'upper must be between 1 and 10000'),
	('dp_expected_loss(''geometric'', 1, upper => 10001)', '22023', 'upper must be between 1 and 10000'),
	('dp_expected_loss(''geometric'', 1, prior => ''{1,1}'', upper => 1)', '22023', 'prior and upper cannot be given together'),
	('dp_expected_loss(''geometric'', 1, remap => true)', '22023', 'answers are remapped with a prior'),
	('dp_expected_loss(''geometric'', 1, prior => ''{1}'')', '22023', 'prior must have 2 to 10001 weights'),
	('dp_expected_loss(''geometric'', 1, prior => uniform(10001))', '22023', 'prior must have 2 to 10001 weights'),
	('dp_expected_loss(''geometric'', 1, prior => ''{}'')', '22023', 'prior must have one dimension'),
	('dp_expected_loss(''geometric'', 1, prior => ''{{1,1},{1,1}}'')', '22023', 'prior must have one dimension'),
	('dp_expected_loss(''geometric'', 1, prior => ''{1,NULL}'')', '22023', 'weights of a prior must be finite numbers, 0 or more, and not all 0'),
	('dp_expected_loss(''geometric'', 1, prior => ''{1,-1}'')', '22023', 'weights of a prior must be finite numbers, 0 or more, and not all 0'),
	('dp_expected_loss(''geometric'', 1, prior => ''{0,0}'')', '22023', 'weights of a prior must be finite numbers, 0 or more, and not all 0'),
	('dp_expected_loss(''geometric'', 1, prior => ''{1,NaN}'')', '22023', 'weights of a prior must be finite numbers, 0 or more, and not all 0'),
	('dp_expected_loss(''geometric'', 1, prior => ''{1e308,1e308}'')', '22023', 'weights of a prior must be finite numbers, 0 or more, and not all 0'),
	('dp_expected_loss(''laplace'', 1e-6, prior => ''{1,1}'', remap => true)', '54000', 'the noise is too wide to enumerate all answers'),
	('dp_remap(''NaN'', ''geometric'', 1, 1, ''{1,1}'')', '22023', 'answer must be a finite number'),
	('dp_remap(1, ''geometric'', 1, 1, ''{1,1}'', ''L1'')', '22023', 'unknown loss "L1"'),
	('dp_remap(1, ''smooth_cauchy'', 1, 1, ''{1,1}'')', '0A000', NULL)
) AS c (call, code, message);

SELECT is((SELECT string_agg(provolatile::text || proparallel::text || proisstrict::text, ' ' ORDER BY proname) FROM pg_proc WHERE proname IN ('dp_expected_loss', 'dp_remap')),
	'isfalse istrue', 'immutable, parallel safe');

SELECT * FROM finish();
ROLLBACK;
