-- Caps on the rows of a person that are chosen with an answer (dp_noise.choose_caps): one
-- charge, one question a share, stored with the answer; never above what is declared.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
-- 1 .. 7 lines of each of 700 people in two regions, and 300 of each of 5
CREATE TABLE public.lines (person integer, region text, price integer, part integer);
INSERT INTO public.lines SELECT i, 'r' || j % 2, 1 + j % 5, j FROM generate_series(1, 700) AS i, generate_series(1, 1 + i % 7) AS j;
INSERT INTO public.lines SELECT 700 + i, 'r1', 2, j FROM generate_series(1, 5) AS i, generate_series(1, 300) AS j;
CREATE TABLE public.buyers (person integer, town text);
INSERT INTO public.buyers SELECT i, 't' || i % 3 FROM generate_series(1, 705) AS i;
SELECT dp_noise.create_population('chosen_caps', epsilon => 1e12, delta => 0.1) \g /dev/null
SELECT dp_noise.protect('public.lines', 'person', population => 'chosen_caps', max_rows_per_unit => 1000, max_groups_per_unit => 2) \g /dev/null
SELECT dp_noise.protect('public.buyers', 'person', population => 'chosen_caps', max_rows_per_unit => 1000, max_groups_per_unit => 2) \g /dev/null
SELECT dp_noise.set_bounds('public.lines', 'price', 0, 5), dp_noise.set_values('public.lines', 'region', '{r0,r1}') \g /dev/null
SELECT dp_noise.set_budget(role, 'chosen_caps', 1e11, 0.05) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS role \g /dev/null
RESET ROLE;
ANALYZE public.lines, public.buyers;

CREATE FUNCTION t.last_charge() RETURNS text LANGUAGE sql VOLATILE AS
'SELECT row(aggregate, mechanism, epsilon, delta)::text FROM dp_noise.ledger ORDER BY at DESC LIMIT 1';
CREATE FUNCTION t.chosen(command text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.explained('(ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || command, 'Cap Chosen')$$;

-- without a share all is as it was
CREATE TEMPORARY TABLE before AS SELECT t.explained('SELECT count(*) FROM lines', 'Question') AS question, t.explained('SELECT count(*) FROM lines', 'Total Epsilon') AS epsilon;
SELECT is(t.explained('SELECT count(*) FROM lines', 'Cap'), NULL, 'no cap is chosen');
SELECT t.accept('SELECT count(*), sum(price) FROM lines', 2);
SELECT is(t.last_charge(), '(dp_sum,staircase,1,0)', 'nor paid');
SET dp_noise.choose_caps = 0.1;
SELECT isnt(t.explained('SELECT count(*) FROM lines', 'Question'), question, 'another question') FROM before;
SELECT is(t.explained('SELECT count(*) FROM lines', 'Total Epsilon'), epsilon, 'of the same price') FROM before;
SET dp_noise.choose_caps = 0;
SELECT is(t.explained('SELECT count(*) FROM lines', 'Question'), question, 'and the same as before without a share') FROM before;

-- at a great epsilon the cap is the first power of two that nobody exceeds
SET dp_noise.choose_caps = 0.2;
SET dp_noise.epsilon = 10000;
SELECT is(t.chosen('SELECT count(*) FROM lines'), '512', 'the cap');
SELECT is(t.run('gate_ann', q)::numeric, result::numeric, q) FROM (VALUES
	('SELECT count(*) FROM lines', '4300'),
	('SELECT sum(price) FROM lines', (SELECT sum(price)::text FROM lines)),
	('SELECT round(avg(price), 3) FROM lines', (SELECT round(avg(price), 3)::text FROM lines)),
	('SELECT count(*) FROM lines WHERE person <= 700', '2800')) AS v (q, result);
SELECT is(t.chosen('SELECT count(*) FROM lines WHERE person <= 700'), '8', 'of the rows of WHERE');
SELECT is(t.chosen('SELECT count(*) FILTER (WHERE person <= 700) FROM lines'), '512', 'not of FILTER');
SELECT is(t.chosen('SELECT region, count(*) FROM lines WHERE person <= 700 GROUP BY region'), '4', 'of the largest group');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM lines WHERE person <= 700 GROUP BY region ORDER BY region LIMIT 1'), '1200', 'grouped');
SELECT is(t.chosen('SELECT count(*), sum(price), stddev(price) FROM lines WHERE person <= 700'), '8 8 8', 'one for aggregates that pay the same');
SELECT is(t.chosen('SELECT count(*) FROM lines JOIN buyers USING (person) WHERE town <> ''t1'' AND person <= 700'), '8', 'of joined rows');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM lines JOIN buyers USING (person) WHERE person <= 700'), '2800', 'joined');
SELECT is(t.chosen('SELECT count(*) FROM lines WHERE person < 0'), '1', 'of no rows the least');

-- never above what is declared, or set
SET dp_noise.max_rows_per_unit = 5;
SELECT is(t.chosen('SELECT count(*) FROM lines WHERE part > 0'), '5', 'a lower maximum');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM lines WHERE part > 0'), (SELECT sum(least(n, 5))::text FROM (SELECT count(*) AS n FROM lines GROUP BY person) AS s), 'cuts off');
SET dp_noise.max_rows_per_unit = 1;
SELECT is(t.explained('SELECT count(*) FROM lines WHERE part > 0', 'Cap'), NULL, 'nothing to choose');
RESET dp_noise.max_rows_per_unit;
SET dp_noise.epsilon = 0.01;
SELECT cmp_ok(t.chosen('SELECT count(*) FROM lines WHERE part > -' || i)::integer, '<=', 1000, 'not above the maximum') FROM generate_series(1, 5) AS i;
RESET dp_noise.epsilon;

-- one charge of what is asked for
SELECT t.accept('SELECT count(*) FROM lines WHERE price > 1');
SELECT is(t.last_charge(), '(dp_count,"geometric for a cap, then auto",1,0)', 'the charge');
SET dp_noise.epsilon = 0.3;
SELECT t.accept('SELECT sum(price) FROM lines WHERE price > 1');
SELECT is(t.last_charge(), '(dp_sum,"geometric for a cap, then auto",0.3,0)', 'the charge of another epsilon');
RESET dp_noise.epsilon;
SELECT t.accept('SELECT dp_sum(price, 0, 5, 0.7) FROM lines WHERE price > 2');
SELECT is(t.last_charge(), '(dp_sum,"geometric for a cap, then auto",0.7,0)', 'and of one that is written');
SELECT t.accept('SELECT region, count(*), sum(price), variance(price) FROM lines GROUP BY region', 3);
SELECT is(t.last_charge(), '(dp_variance,"geometric for a cap, then auto",1,0)', 'grouped');
SELECT t.accept('SELECT count(*) FILTER (WHERE price > 2), count(*) FILTER (WHERE price <= 2) FROM lines', 2);
SELECT t.accept('SELECT dp_low(count(*)), dp_high(count(*)) FROM lines WHERE price < 4');
SELECT ok(bool_and(rho <= epsilon * tanh(epsilon / 2) + 1e-15), 'no more rho than that epsilon costs') FROM dp_noise.ledger WHERE mechanism ~ 'cap';

-- EXPLAIN says so beforehand, and nothing that it does not know
SELECT is(t.explained('SELECT count(*) FROM lines', line), said, 'EXPLAIN: ' || line) FROM (VALUES
	('Cap', 'chosen privately, at most 1000, for a share of 0.2'),
	('Epsilon of Cap', '0.2'), ('Total Epsilon', '1'), ('Cap Chosen', NULL),
	('Sensitivity', 'follows from the cap'), ('Expected Error (95%)', 'follows from the cap'),
	('Mechanism', 'geometric for a cap, then auto')) AS v (line, said);
SELECT is(t.explained('SELECT count(*) FROM lines', 'Cut Off'), 'rows of a unit beyond the chosen cap; expected errors do not include what is lost', 'EXPLAIN: Cut Off');
SELECT is(t.run('gate_ann', $$SELECT mechanism FROM dp_history WHERE mechanism ~ 'cap' LIMIT 1$$), 'geometric for a cap, then auto', 'dp_history says so');

-- equal questions are one, with one cap; two shares are two
SELECT dp_noise.alter_population('chosen_caps', on_repeat => 'replay') \g /dev/null
SET dp_noise.epsilon = 0.2;
CREATE TEMPORARY TABLE first AS SELECT t.chosen('SELECT count(*) FROM lines WHERE part > 2') AS cap;
SELECT t.accept('SELECT count(*) FROM lines WHERE 2 < part', 0);
SELECT is(t.chosen('SELECT count(*) FROM lines WHERE part > 2'), cap, 'replayed') FROM first;
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM lines WHERE part > 2'), t.run('gate_ann', 'SELECT count(*) FROM lines WHERE part > 2'), 'shared');
SELECT t.accept('SELECT count(*), sum(price) FROM lines WHERE part > 2', 1);
SELECT ok(t.chosen('SELECT count(*), sum(price) FROM lines WHERE part > 2') LIKE cap || ' %', 'an old answer keeps its cap') FROM first;
SELECT is(t.run('gate_ann', 'SELECT dp_high(count(*)) - dp_low(count(*)) FROM lines WHERE part > 2'), t.run('gate_bob', 'SELECT dp_high(count(*)) - dp_low(count(*)) FROM lines WHERE part > 2'), 'and its law');
SELECT t.accept('SELECT count(*) FILTER (WHERE part > 2) FROM lines', 1);
RESET dp_noise.epsilon;
SELECT accepted FROM (SELECT set_config('dp_noise.choose_caps', share, false), t.accept('SELECT count(*) FROM lines WHERE part > 3', charges) AS accepted
FROM (VALUES ('0.3', 1), ('0.3', 0), ('0.2', 1), ('0', 1), ('0.3', 0), ('0', 0)) AS v (share, charges)) AS s;
SET dp_noise.choose_caps = 0.2;

-- a prepared statement asks by the share of its moment
SET SESSION AUTHORIZATION gate_ann;
PREPARE capped (int) AS SELECT count(*) FROM lines WHERE part > $1;
SET SESSION AUTHORIZATION DEFAULT;
SELECT t.accept('EXECUTE capped(3)', 0);
SET dp_noise.choose_caps = 0.4;
SELECT t.accept('EXECUTE capped(3)', 1);
SET dp_noise.choose_caps = 0.2;
SELECT dp_noise.alter_population('chosen_caps', on_repeat => 'answer') \g /dev/null

-- where none is chosen, the declared one is used
SELECT is(t.explained(q, 'Cap'), NULL, 'none is chosen: ' || q) FROM unnest(ARRAY[
	'SELECT max(price) FROM lines', 'SELECT dp_median(price) FROM lines', 'SELECT count(DISTINCT person) FROM lines', 'SELECT count(DISTINCT part) FROM lines',
	'SELECT region, count(*) FROM lines GROUP BY ROLLUP (region)', 'SELECT sum(part) FROM lines', 'SELECT count(*) FROM patients']) AS q;
SET dp_noise.delta = 1e-6;
SELECT is(t.explained('SELECT part, count(*) FROM lines GROUP BY part', 'Cap'), NULL, 'nor of groups that a count selects');
SELECT t.accept('SELECT part, count(*) FROM lines GROUP BY part', 2);
RESET dp_noise.delta;
SELECT is(t.explained('SELECT sum(part), count(*) FROM lines', 'Mechanism'), 'geometric for bounds, then auto geometric for a cap, then auto', 'each its own');
SELECT t.accept('SELECT sum(part), count(*), max(price) FROM lines', 3);
SELECT t.accept('SELECT region, count(*) FROM lines GROUP BY ROLLUP (region)');

-- refused where it cannot be, and nothing is charged
SET dp_noise.mechanism = 'laplace';
SELECT t.refuse('0A000', 'SELECT sum(price) FROM lines WHERE part > 4');
RESET dp_noise.mechanism;
SET dp_noise.epsilon = 0.000002;
SELECT t.refuse('22023', 'SELECT count(*) FROM lines WHERE part > 4');
RESET dp_noise.epsilon;
SELECT throws_ok(format('SET dp_noise.choose_caps = %s', share), '22023', NULL, 'a share of ' || share) FROM unnest('{-0.1,0.0001,0.95,1,NaN}'::text[]) AS share;

-- intervals are of what the cap leaves, and hold what they promise
SET dp_noise.epsilon = 10;
SELECT t.run('gate_ann', format('SELECT (dp_low(count(*)) <= 2800 AND dp_high(count(*)) >= 2800)::text FROM lines WHERE person <= 700 AND part < %s', 1000 + i)) AS holds
INTO t.intervals FROM generate_series(1, 60) AS i;
SELECT cmp_ok(count(*) FILTER (WHERE holds = 'true'), '>=', 40::bigint, 'of 60 intervals') FROM t.intervals;
RESET dp_noise.epsilon;

-- units that are exchanged, counted in rho
SET ROLE gate_owner;
CREATE TABLE public.stays (person integer, days integer, ward text, cost numeric);
INSERT INTO public.stays SELECT i % 400, i % 30, 'w' || i % 4, i % 1000 FROM generate_series(1, 4000) AS i;
SELECT dp_noise.create_population('capped_stays', epsilon => 1e6, delta => 0.1, accountant => 'zcdp', delta_pool => 0.05) \g /dev/null
SELECT dp_noise.protect('public.stays', 'person', 'substitute', population => 'capped_stays', max_rows_per_unit => 100, max_groups_per_unit => 4) \g /dev/null
SELECT dp_noise.set_budget('gate_ann', 'capped_stays', 1e5, 0.01) \g /dev/null
SELECT dp_noise.set_values('public.stays', 'ward', '{w0,w1,w2,w3}'), dp_noise.set_bounds('public.stays', 'days', 0, 30) \g /dev/null
RESET ROLE;
SELECT t.accept(q, charges) FROM (VALUES
	('SELECT sum(days), avg(days), max(days), stddev(days), count(*) FROM stays', 5),
	('SELECT ward, sum(days), count(*) FROM stays GROUP BY ward', 2)) AS v (q, charges);
SELECT ok(bool_and(rho <= tanh(0.5) AND rho > 0.97 * tanh(0.5) AND delta = 0 AND epsilon IS NULL), 'no more rho than asked for, and nearly all') FROM dp_noise.ledger WHERE population = 'capped_stays' AND mechanism ~ 'cap';
SELECT is(count(*), 6::bigint, 'each of them') FROM dp_noise.ledger WHERE population = 'capped_stays' AND mechanism ~ 'cap';
SET dp_noise.epsilon = 1000;
SELECT is(t.chosen('SELECT count(*) FROM stays WHERE days > -1'), '16', 'at a great epsilon');
SELECT is(t.chosen('SELECT ward, count(*) FROM stays WHERE days > -1 GROUP BY ward'), '16', 'by group: each person is in one ward');
RESET dp_noise.epsilon;

-- levels have no chosen caps
SET ROLE gate_owner;
CREATE TABLE public.leveled (person integer, x integer);
SELECT dp_noise.protect('public.leveled', 'person', epsilon => 100, max_rows_per_unit => 10), dp_noise.set_budget('gate_ann', 'public.leveled', 10), dp_noise.set_levels('public.leveled', '{1}') \g /dev/null
RESET ROLE;
SELECT t.accept('SELECT count(*) FROM leveled');
SELECT is(t.explained('SELECT count(*) FROM leveled', 'Cap'), NULL, 'none at levels');

SELECT * FROM finish();
\ir support/gate_end.sql
