-- Bounds that are chosen with an answer, where none are written or declared
-- (dp_noise.choose_bounds): one charge, one question a share, stored with the answer.
\ir support/gate.sql
SELECT no_plan();
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1), dp_noise.alter_population('public.patients', on_repeat => 'replay') \g /dev/null

CREATE FUNCTION t.last_charge() RETURNS text LANGUAGE sql VOLATILE AS
'SELECT row(aggregate, mechanism, epsilon, delta)::text FROM dp_noise.ledger ORDER BY at DESC LIMIT 1';

-- what can be asked, at an epsilon of 1, and at a great one the answer
SELECT t.accept(q, charges) FROM (VALUES
	('SELECT avg(visits[1]) FROM patients', 1),
	('SELECT sum(big) FROM patients WHERE smoker', 1),
	('SELECT dp_mean(big) FROM patients', 1),
	('SELECT min(big), max(big), stddev(big), variance(big), avg(big), sum(big) FROM patients WHERE id <> 7', 6),
	('SELECT sum(small), avg(temperature), max(weight), min(born), max(seen) FROM patients', 5),
	('SELECT smoker, sum(big), count(*) FROM patients GROUP BY smoker', 2),
	('SELECT sum(big) FILTER (WHERE smoker), sum(big) FILTER (WHERE NOT smoker) FROM patients', 1), -- the first was asked with WHERE
	('SELECT avg(big), avg(small * 2 + big) FROM patients WHERE age > 30', 2),
	('SELECT smoker, sum(big) FROM patients GROUP BY ROLLUP (smoker)', 1),
	('SELECT dp_low(avg(big)), dp_high(avg(big)) FROM patients WHERE id > 5', 1),
	('SELECT s.a FROM (SELECT avg(big) AS a FROM patients WHERE id > 8) AS s', 1),
	('SELECT count(*) FROM patients WHERE big > (SELECT avg(big) FROM patients WHERE id > 9)', 2)) AS v (q, charges);
SET dp_noise.delta = 1e-6;
SELECT t.accept('SELECT city, avg(big), sum(small), count(*) FROM patients GROUP BY city', 3);
SELECT t.accept('SELECT city, smoker, avg(big) FROM patients GROUP BY city, smoker', 2);
SELECT t.accept('SELECT city, avg(big) FROM patients WHERE id > 1 GROUP BY GROUPING SETS ((city), ())', 3);
RESET dp_noise.delta;
SET dp_noise.epsilon = 10000;
SELECT is(round(t.run('gate_ann', q)::numeric, 1), result::numeric, q) FROM (VALUES
	('SELECT avg(big) FROM patients WHERE id > 0', '500.5'),
	('SELECT sum(big) FROM patients WHERE id > 0', '500500'),
	('SELECT avg(weight::numeric(4,-2)) FROM patients', '100'),
	('SELECT sum(-big) FROM patients', '-500500'),
	('SELECT min(big + 1000) FROM patients', '1001'),
	('SELECT max(visits[1]) FROM patients', '1000')) AS v (q, result);
SELECT ok(t.run('gate_ann', 'SELECT max(weight::numeric(4,-2)) FROM patients')::numeric BETWEEN 100 AND 128, 'bounds are not rounded as values are');
RESET dp_noise.epsilon;

-- one charge of what is asked for, and the ledger says so
SELECT t.accept('SELECT sum(big) FROM patients WHERE id > 100');
SELECT is(t.last_charge(), '(dp_sum,"geometric for bounds, then auto",1,0)', 'the charge');
SET dp_noise.epsilon = 0.3;
SELECT t.accept('SELECT sum(big) FROM patients WHERE id > 101');
SELECT is(t.last_charge(), '(dp_sum,"geometric for bounds, then auto",0.3,0)', 'the charge of another epsilon');
SELECT t.accept('SELECT smoker, sum(big) FROM patients WHERE id > 101 GROUP BY ROLLUP (smoker)');
SELECT is(t.last_charge(), '(dp_sum,"geometric for bounds, then auto",0.3,0)', 'and of groupings');
SELECT ok((SELECT bool_and(rho <= dp_noise_ledger_rho.r) FROM dp_noise.ledger, (SELECT 0.3 * tanh(0.15) AS r) AS dp_noise_ledger_rho WHERE epsilon = 0.3), 'no more rho than that epsilon costs');
RESET dp_noise.epsilon;
SELECT is(t.explained('SELECT avg(big) FROM patients WHERE id > 102', 'Bounds'), 'chosen privately, for a share of 0.2', 'EXPLAIN says it');
SELECT is(t.explained('SELECT avg(big) FROM patients WHERE id > 102', 'Epsilon of Bounds'), '0.2', 'and what they cost');
SELECT is(t.explained('SELECT avg(big) FROM patients WHERE id > 102', 'Total Epsilon'), '1', 'of what is asked for');
SELECT is(t.explained('SELECT avg(big), sum(big) FROM patients WHERE id > 102', 'Sensitivity'), 'follows from the bounds follows from the bounds', 'and no sensitivity');
SELECT is(t.explained('SELECT avg(age) FROM patients', 'Bounds'), NULL, 'nothing of that where bounds are declared');

-- equal questions are one, and two shares are two
SELECT is(t.run('gate_ann', 'SELECT dp_mean(big) FROM patients WHERE id > 103'), t.run('gate_ann', 'SELECT avg(big) FROM patients WHERE 103 < id'), 'replayed');
SELECT t.accept('SELECT avg(big) FROM patients WHERE id > 103', 0);
SELECT is(t.run('gate_bob', 'SELECT avg(big) FROM patients WHERE id > 103'), t.run('gate_ann', 'SELECT avg(big) FROM patients WHERE id > 103'), 'shared');
SET extra_float_digits = -15;
SELECT accepted FROM (SELECT set_config('dp_noise.choose_bounds', share, false), t.accept('SELECT avg(big) FROM patients WHERE id > 103', charges) AS accepted
FROM (VALUES ('0.3', 1), ('0.3000000000000001', 1), ('0.3', 0), ('0.2', 0), ('0.30000000000000004', 1)) AS v (share, charges)) AS s;
RESET extra_float_digits;
RESET dp_noise.choose_bounds;

-- a prepared statement asks by the share of its moment
SET SESSION AUTHORIZATION gate_ann;
PREPARE chosen (int) AS SELECT avg(big) FROM patients WHERE id > $1;
SET SESSION AUTHORIZATION DEFAULT;
SELECT t.accept('EXECUTE chosen(103)', 0);
SELECT t.accept('EXECUTE chosen(104)', 1);
SET dp_noise.choose_bounds = 0.4;
SELECT t.accept('EXECUTE chosen(104)', 1);
SET dp_noise.choose_bounds = 0;
SELECT t.refuse('22023', 'EXECUTE chosen(104)');
RESET dp_noise.choose_bounds;
SELECT t.accept('EXECUTE chosen(104)', 0);

-- without values enough the answer is null, as of no rows, and no divisor is 0
SELECT is(t.run('gate_ann', 'SELECT avg(big) FROM patients WHERE id < 3'), NULL, 'no bounds, no answer');
SELECT is(t.run('gate_ann', 'SELECT sum(big) / sum(small) FROM patients WHERE id < 3'), NULL, 'nor a quotient');
SELECT is(t.run('gate_ann', 'SELECT dp_low(sum(big)) FROM patients WHERE id < 3'), NULL, 'nor an interval');
SELECT is(t.run('gate_ann', 'SELECT sum(big) FROM patients WHERE id < 3'), NULL, 'replayed as well');

-- refused where it cannot be, and nothing is charged
SELECT t.refuse('22023', 'SELECT dp_median(big) FROM patients');
SELECT t.refuse('22023', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY big) FROM patients');
SELECT t.refuse('22023', 'SELECT max(name) FROM patients');
SET dp_noise.choose_bounds = 0;
SELECT t.refuse('22023', 'SELECT avg(big) FROM patients');
RESET dp_noise.choose_bounds;
SET dp_noise.mechanism = 'laplace';
SELECT t.refuse('0A000', 'SELECT avg(big) FROM patients WHERE id > 200');
RESET dp_noise.mechanism;
SET dp_noise.epsilon = 0.000002;
SELECT t.refuse('22023', 'SELECT avg(big) FROM patients WHERE id > 200');
RESET dp_noise.epsilon;
SELECT throws_ok(format('SET dp_noise.choose_bounds = %s', share), '22023', NULL, 'a share of ' || share) FROM unnest('{-0.1,0.0001,0.95,1,NaN}'::text[]) AS share;

-- intervals are of the clamped quantity, and hold what they promise
SET dp_noise.epsilon = 1;
SELECT set_config('dp_noise.choose_bounds', (0.2 + i / 10000.0)::text, false) AS share, t.run('gate_ann', 'SELECT (dp_low(sum(900 + big % 100)) <= 949500 AND dp_high(sum(900 + big % 100)) >= 949500)::text FROM patients') AS holds
INTO t.intervals FROM generate_series(1, 60) AS i;
SELECT cmp_ok(count(*) FILTER (WHERE holds = 'true'), '>=', 45::bigint, 'of 60 intervals: fewer with probability 1e-8') FROM t.intervals;
RESET dp_noise.choose_bounds;
RESET dp_noise.epsilon;

-- units of several rows, exchanged, counted in rho
SET ROLE gate_owner;
CREATE TABLE public.stays (person integer, days integer, ward text, cost numeric);
INSERT INTO public.stays SELECT i % 400, i % 30, 'w' || i % 4, i % 1000 FROM generate_series(1, 4000) AS i;
SELECT dp_noise.create_population('chosen_stays', epsilon => 1e6, delta => 0.1, accountant => 'zcdp', delta_pool => 0.05) \g /dev/null
SELECT dp_noise.protect('public.stays', 'person', 'substitute', population => 'chosen_stays', max_rows_per_unit => 4, max_groups_per_unit => 2) \g /dev/null
SELECT dp_noise.set_budget('gate_ann', 'chosen_stays', 1e5, 0.01) \g /dev/null
SELECT dp_noise.set_values('public.stays', 'ward', '{w0,w1,w2,w3}') \g /dev/null
RESET ROLE;
SELECT t.accept(q, charges) FROM (VALUES
	('SELECT sum(days), avg(cost), max(days), stddev(days) FROM stays', 4),
	('SELECT ward, sum(days), avg(cost), min(cost) FROM stays GROUP BY ward', 3),
	('SELECT ward, sum(days), count(*) FROM stays GROUP BY ROLLUP (ward)', 2)) AS v (q, charges);
SELECT ok(bool_and(rho <= tanh(0.5) AND delta = 0 AND (epsilon IS NULL OR epsilon = 1)), 'no more rho than asked for') FROM dp_noise.ledger WHERE population = 'chosen_stays' AND mechanism ~ 'bounds';
SELECT is(count(*) FILTER (WHERE epsilon IS NULL)::int || ' ' || count(*) FILTER (WHERE epsilon = 1)::int, '6 2', 'without an epsilon where noise may be gaussian') FROM dp_noise.ledger WHERE population = 'chosen_stays' AND mechanism ~ 'bounds';

-- levels have no chosen bounds
SET ROLE gate_owner;
CREATE TABLE public.leveled (id integer PRIMARY KEY, x integer);
SELECT dp_noise.protect('public.leveled', epsilon => 100), dp_noise.set_budget('gate_ann', 'public.leveled', 10), dp_noise.set_levels('public.leveled', '{1}') \g /dev/null
RESET ROLE;
SELECT t.refuse('22023', 'SELECT sum(x) FROM leveled');
SELECT t.refuse('22023', 'SELECT avg(x) FROM leveled');

SELECT * FROM finish();
\ir support/gate_end.sql
