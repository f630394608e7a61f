-- dp_disclosure_risk and dp_epsilon_for_risk: values, one against the other,
-- NULL, and what they refuse.

BEGIN;
SELECT plan(28);

SELECT ok(abs(dp_disclosure_risk(ln(3::float8), 0.5) - 0.75) < 1e-15, 'even odds times 3');
SELECT ok(abs(dp_disclosure_risk(ln(9::float8), 0.1) - 0.5) < 1e-15, 'one in ten times 9');
SELECT ok(abs(dp_disclosure_risk(1, 0.5) - exp(1::float8) / (1 + exp(1::float8))) < 1e-15, 'epsilon 1 from even odds');
SELECT ok(abs(dp_disclosure_risk(0, 0.3) - 0.3) < 1e-15, 'nothing is learned at epsilon 0');
SELECT is(dp_disclosure_risk(1000, 0.3), 1::float8, 'a large epsilon hides nothing');
SELECT ok(abs(dp_epsilon_for_risk(0.75, 0.5) - ln(3::float8)) < 1e-14, 'three to one from even odds');
SELECT ok(bool_and(abs(dp_epsilon_for_risk(dp_disclosure_risk(e, p), p) - e) < 1e-9), 'one undoes the other')
FROM unnest('{0.01,0.1,1,5}'::float8[]) AS e, unnest('{0.001,0.1,0.5,0.9}'::float8[]) AS p;
SELECT ok(bool_and(dp_disclosure_risk(dp_epsilon_for_risk(r, p), p) <= r), 'never more than the risk')
FROM generate_series(0.51, 0.99, 0.01) AS g, CAST(g AS float8) AS r, unnest('{0.001,0.1,0.5}'::float8[]) AS p;
SELECT ok(abs(dp_disclosure_risk(1, dp_disclosure_risk(2, 0.1)) - dp_disclosure_risk(3, 0.1)) < 1e-12, 'epsilons add up');

SELECT is(dp_disclosure_risk(NULL, 0.5), NULL, 'NULL epsilon');
SELECT is(dp_disclosure_risk(1, NULL), NULL, 'NULL prior');
SELECT is(dp_epsilon_for_risk(NULL, 0.5), NULL, 'NULL risk');
SELECT is(dp_epsilon_for_risk(0.5, NULL), NULL, 'NULL prior of a risk');

SELECT throws_ok('SELECT ' || call, '22023', message, call)
FROM (VALUES
	('dp_disclosure_risk(-0.1, 0.5)', 'epsilon must be a finite number, 0 or more'),
	('dp_disclosure_risk(''NaN'', 0.5)', 'epsilon must be a finite number, 0 or more'),
	('dp_disclosure_risk(''Infinity'', 0.5)', 'epsilon must be a finite number, 0 or more'),
	('dp_disclosure_risk(1, 0)', 'prior must be between 0 and 1'),
	('dp_disclosure_risk(1, 1)', 'prior must be between 0 and 1'),
	('dp_disclosure_risk(1, -1)', 'prior must be between 0 and 1'),
	('dp_disclosure_risk(1, ''NaN'')', 'prior must be between 0 and 1'),
	('dp_epsilon_for_risk(0, 0.5)', 'risk must be between 0 and 1'),
	('dp_epsilon_for_risk(1, 0.5)', 'risk must be between 0 and 1'),
	('dp_epsilon_for_risk(''NaN'', 0.5)', 'risk must be between 0 and 1'),
	('dp_epsilon_for_risk(0.5, 0)', 'prior must be between 0 and 1'),
	('dp_epsilon_for_risk(0.5, ''NaN'')', 'prior must be between 0 and 1'),
	('dp_epsilon_for_risk(0.5, 0.5)', 'risk must be greater than prior'),
	('dp_epsilon_for_risk(0.4, 0.5)', 'risk must be greater than prior')
) AS c (call, message);

SELECT ok(bool_and(provolatile = 'i' AND proparallel = 's' AND proisstrict), 'immutable, strict, parallel safe')
FROM pg_proc WHERE proname IN ('dp_disclosure_risk', 'dp_epsilon_for_risk');

SELECT * FROM finish();
ROLLBACK;
