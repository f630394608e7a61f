-- dp_collusion_loss and dp_epsilon_for_colluders: the papers' trend, what
-- colluders really reach, scales, and what is refused.

BEGIN;
SELECT plan(46);

CREATE FUNCTION factor(colluders integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS
'SELECT sqrt(2 / (pi() * colluders))';

------------------------------------------------------------------------------
-- trend

SELECT ok(abs((dp_collusion_loss(m, e, k)).trend / (factor(k) * loss) - 1) < 1e-12, format('trend of %s at %s, %s colluders', m, e, k))
FROM unnest('{0.2,2}'::float8[]) AS e, unnest('{1,50}'::integer[]) AS k,
	LATERAL (VALUES ('laplace', 1 / e), ('staircase', exp(-e / 2) / (1 - exp(-e))), ('geometric', 2 * exp(-e) / (1 - exp(-2 * e)))) AS l (m, loss);

------------------------------------------------------------------------------
-- attack

SELECT ok(abs((dp_collusion_loss(m, e, 1)).attack / dp_expected_loss(m, e) - 1) < 1e-9, format('one colluder has one answer: %s at %s', m, e))
FROM unnest('{laplace,geometric,staircase,staircase(cost=l2),truncated_laplace}'::text[]) AS m, unnest('{0.1,3}'::float8[]) AS e;
SELECT is((dp_collusion_loss('laplace', 1, 2)).attack, 0.75::float8, 'the middle of two Laplace answers');
SELECT ok(abs((dp_collusion_loss('laplace', 1, 1000)).attack / (dp_collusion_loss('laplace', 1, 1000)).trend - 1) < 0.02, 'laplace: the trend holds');
SELECT ok((dp_collusion_loss('geometric', 1, 100)).attack < 2e-6 AND (dp_collusion_loss('geometric', 1, 100)).trend > 0.06,
	'counts: 100 colluders know them, whatever the trend says');
SELECT ok((dp_collusion_loss('staircase', 1, 1000)).attack BETWEEN 0.0025 AND 0.0034 AND abs((dp_collusion_loss('staircase', 1, 1000)).trend - 0.0242) < 0.0001,
	'staircase: 0.003 against a trend of 0.024');
SELECT is(dp_collusion_loss('staircase', 1, 1000), dp_collusion_loss('staircase', 1, 1000), 'the same at each call');
SELECT is(dp_collusion_loss('discrete_staircase', 0.5, 7), dp_collusion_loss('geometric', 0.5, 7), 'discrete_staircase of sensitivity 1');

------------------------------------------------------------------------------
-- epsilon

SELECT is((dp_epsilon_for_colluders(1, 8)).composition, 0.125::float8, 'composition');
SELECT ok(abs((dp_epsilon_for_colluders(2, 8)).trend - 2 * factor(8)) < 1e-12, 'trend of laplace, the default');
SELECT ok(abs((dp_epsilon_for_colluders(2, 8, 'staircase')).trend - 2 * asinh(sinh(1::float8) * factor(8))) < 1e-12, 'trend of staircase');
SELECT ok(abs((dp_epsilon_for_colluders(2, 8, 'geometric')).trend - asinh(sinh(2::float8) * factor(8))) < 1e-12, 'trend of geometric');
SELECT is(dp_epsilon_for_colluders(0.7, 1, m)::text, '(0.7,0.7)', 'one: ' || m)
FROM unnest('{laplace,staircase,geometric}'::text[]) AS m;

------------------------------------------------------------------------------
-- null, errors

SELECT is(dp_collusion_loss('laplace', NULL, 2), NULL, 'NULL');
SELECT throws_ok('SELECT ' || call, code, message, call)
FROM (VALUES
	('dp_collusion_loss(''laplace'', 1, 0)', '22023', 'colluders must be between 1 and 1000000'),
	('dp_collusion_loss(''laplace'', 1, 1000001)', '22023', 'colluders must be between 1 and 1000000'),
	('dp_collusion_loss(''laplace'', 0, 2)', '22023', 'epsilon is out of range'),
	('dp_collusion_loss(''laplace'', ''NaN'', 2)', '22023', 'epsilon is out of range'),
	('dp_collusion_loss(''bogus'', 1, 2)', '22023', 'unknown mechanism "bogus"'),
	('dp_collusion_loss(''gaussian(delta=0.1)'', 1, 2)', '0A000', 'what colluders learn from mechanism gaussian is not known'),
	('dp_collusion_loss(''geometric(quantum=2)'', 1, 2)', '0A000', 'what colluders learn from mechanism geometric is not known'),
	('dp_epsilon_for_colluders(1, 0)', '22023', 'colluders must be between 1 and 1000000'),
	('dp_epsilon_for_colluders(1, 2, ''two_stage'')', '0A000', 'what colluders learn from mechanism two_stage is not known')
) AS c (call, code, message);
SELECT ok(bool_and(provolatile = 'i' AND proparallel = 's' AND proisstrict), 'immutable, strict, parallel safe')
FROM pg_proc WHERE proname IN ('dp_collusion_loss', 'dp_epsilon_for_colluders');

SELECT * FROM finish();
ROLLBACK;
