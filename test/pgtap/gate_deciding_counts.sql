-- Counts that select groups by private keys and are answers, too: whose noise that
-- is, what it costs, and what else tells of it.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
-- 700 people in each of 20 places; others in a place that few know
CREATE TABLE public.stays (person integer NOT NULL, place integer, days integer);
INSERT INTO public.stays SELECT p, i, p % 7 FROM generate_series(1, 700) AS p, generate_series(1, 20) AS i;
INSERT INTO public.stays SELECT 1000 + p, 99, 1 FROM generate_series(1, 230) AS p;
CREATE TABLE public.lone (person integer NOT NULL, place integer);
INSERT INTO public.lone SELECT p, 10 * p + i FROM generate_series(1, 10000) AS p, generate_series(1, 10) AS i;
CREATE TABLE public.few AS TABLE public.stays;
CREATE TABLE public.moves AS TABLE public.stays;
CREATE TABLE public.long AS TABLE public.stays;
CREATE TABLE public.known AS TABLE public.stays;
CREATE TABLE public.rho AS TABLE public.stays;
CREATE TABLE public.small AS TABLE public.stays;
CREATE FUNCTION public.own(name text, settings text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT dp_noise.protect(%L, privacy_unit => ''person'', %s, epsilon => 1e6, delta => 0.5)', name, settings);
	PERFORM dp_noise.set_budget('gate_ann', name, 1e5, delta => 0.4), dp_noise.set_budget('gate_bob', name, 1e5, delta => 0.4);
END
$$;
SELECT public.own('public.stays', 'max_rows_per_unit => 1, max_groups_per_unit => 20'), public.own('public.lone', 'max_rows_per_unit => 1, max_groups_per_unit => 10'),
	public.own('public.few', 'max_rows_per_unit => 1, max_groups_per_unit => 7'), public.own('public.moves', 'max_rows_per_unit => 1, max_groups_per_unit => 20, neighbours => ''substitute'''),
	public.own('public.long', 'max_rows_per_unit => 3, max_groups_per_unit => 20'), public.own('public.known', 'max_rows_per_unit => 1, max_groups_per_unit => 20'),
	public.own('public.small', 'max_rows_per_unit => 1, max_groups_per_unit => 20, min_people_per_group => 5');
SELECT dp_noise.set_values('public.known', 'days', '{0,1,2,3,4,5,6}');
SELECT dp_noise.create_population('rho', epsilon => 1000, delta => 1e-3, accountant => 'zcdp', delta_pool => 1e-4);
SELECT dp_noise.protect('public.rho', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 20, population => 'rho'), dp_noise.set_budget('gate_ann', 'rho', 100, delta => 1e-4);
RESET ROLE;

-- What EXPLAIN says: of the selection, of the first two aggregates, and in all.
CREATE FUNCTION t.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	plan := plan #> '{0,Plan}';
	RETURN concat_ws('; ',
		concat_ws(' ', plan #>> '{Group Selection,Groups Selected by}', plan #>> '{Group Selection,Mechanism}', plan #>> '{Group Selection,Threshold}', plan #>> '{Group Selection,Epsilon}', plan #>> '{Group Selection,Delta}'),
		(SELECT string_agg(concat_ws(' ', a ->> 'Aggregate', a ->> 'Mechanism', a ->> 'Expected Error (95%)'), ', ') FROM json_array_elements(plan -> 'Private Aggregates') AS a),
		plan #>> '{Total Epsilon}', plan #>> '{Total Delta}');
END
$$;
GRANT EXECUTE ON FUNCTION t.plan(text) TO PUBLIC;
SET dp_noise.epsilon = 1;
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_ann', format('SELECT t.plan(%L)', 'SELECT place, ' || query)), plan, query)
FROM (VALUES
	('dp_count(*) FROM stays GROUP BY place', 'dp_count gaussian 103 0 0.000001; dp_count gaussian 37; 1; 0.000001'),
	('count(*) FROM stays WHERE place > 3 GROUP BY place', 'dp_count gaussian 103 0 0.000001; dp_count gaussian 37; 1; 0.000001'),
	('dp_count(person) FROM stays GROUP BY place', 'dp_count gaussian 103 0 0.000001; dp_count gaussian 37; 1; 0.000001'),
	('dp_count_distinct(person) FROM stays GROUP BY place', 'dp_count_distinct gaussian 103 0 0.000001; dp_count_distinct gaussian 37; 1; 0.000001'),
	('dp_count(1, 0.1) FROM stays GROUP BY place', 'dp_count gaussian 867 0 0.000001; dp_count gaussian 318; 0.1; 0.000001'),
	('dp_sum(days, 0, 10), dp_count(*) FROM stays GROUP BY place', 'dp_count gaussian 103 0 0.000001; dp_sum staircase 599, dp_count gaussian 37; 2; 0.000001'),
	('dp_count(1, 1, ''auto'') FROM stays GROUP BY place', 'dp_count gaussian 103 0 0.000001; dp_count gaussian 37; 1; 0.000001'),
	-- of several one has it; where another is better as it is, none
	('dp_count(*), dp_count_distinct(person) FROM stays GROUP BY place', 'dp_count gaussian 103 0 0.000001; dp_count gaussian 37, dp_count_distinct geometric 60; 2; 0.000001'),
	('dp_count(*), dp_count_distinct(person, 5) FROM stays GROUP BY place', 'dp_count_distinct gaussian 25 0 0.000001; dp_count geometric 60, dp_count_distinct gaussian 9; 6; 0.000001'),
	('dp_count(*), dp_count_distinct(person, 30, ''geometric'') FROM stays GROUP BY place', 'dp_count_distinct geometric 13 0 0.000001; dp_count geometric 60, dp_count_distinct geometric 2; 31; 0.000001'),
	-- a mechanism that is named is drawn
	('dp_count(1, 1, ''geometric'') FROM stays GROUP BY place', 'dp_count geometric 324 0 0.000001; dp_count geometric 60; 1; 0.000001'),
	('dp_count(1, 1, ''truncated_geometric'') FROM stays GROUP BY place', 'dp_count geometric 324 0 0.000001; dp_count geometric 60; 1; 0.000001'),
	('dp_count(1, 1, ''gaussian(delta=1e-7)'') FROM stays GROUP BY place', 'number of privacy units gaussian 103 1 0.000001; dp_count gaussian 41; 2; 0.0000011'),
	-- what else cannot have it: part of the rows, public keys, several rows
	('dp_count(*) FILTER (WHERE days > 3) FROM stays GROUP BY place', 'number of privacy units gaussian 103 1 0.000001; dp_count geometric 60; 2; 0.000001'),
	('days, dp_count(*) FROM known GROUP BY place, days', 'number of privacy units gaussian 103 1 0.000001; dp_count geometric 60; 2; 0.000001'),
	('dp_count(*) FROM long GROUP BY place', 'number of privacy units gaussian 103 1 0.000001; dp_count staircase 180; 2; 0.000001'),
	('dp_count_distinct(person) FROM long GROUP BY place', 'dp_count_distinct gaussian 103 0 0.000001; dp_count_distinct gaussian 37; 1; 0.000001'),
	-- a lower threshold, and more noise
	('dp_count(*) FROM few GROUP BY place', 'dp_count geometric 107 0 0.000001; dp_count geometric 21; 1; 0.000001'),
	('dp_count(*) FROM moves GROUP BY place', 'dp_count gaussian 144 0 0.000001; dp_count gaussian 52; 1; 0.000001'),
	('dp_count(*) FROM small GROUP BY place', 'dp_count gaussian 107 0 0.000001; dp_count gaussian 37; 1; 0.000001'),
	-- where rho is what counts it is asked as before, for another price
	('dp_count(*) FROM rho GROUP BY place', 'dp_count gaussian 27 0 0.000001; dp_count gaussian 9; 1; 0.000001')
) AS v (query, plan);
SET dp_noise.mechanism = 'geometric';
SELECT is(t.run('gate_ann', $$SELECT t.plan('SELECT place, dp_count(*) FROM stays GROUP BY place')$$), 'dp_count geometric 324 0 0.000001; dp_count geometric 60; 1; 0.000001', 'nor where the session names another');
RESET dp_noise.mechanism;

-- Why it was taken.
SELECT matches(t.run('gate_ann', $$EXPLAIN (FORMAT JSON) SELECT place, dp_count(*) FROM stays GROUP BY place$$), '"Chosen For": "less noise and a lower threshold, for the delta that selecting groups costs"', 'the reason');
SELECT doesnt_match(t.run('gate_ann', $$EXPLAIN (FORMAT JSON) SELECT place, dp_count(*) FROM few GROUP BY place$$), 'Chosen For', 'none for what is as ever');

-- What is drawn is that: 21 counts of a standard deviation of 19, not of 28; all
-- of them are shown, one of which a threshold of 324 would hide. The ledger has what it costs.
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer') \g /dev/null
CREATE TABLE t.drawn AS SELECT (j ->> 'place')::integer AS place, (j ->> 'n')::integer AS n, (j ->> 'low')::integer AS low, (j ->> 'high')::integer AS high
	FROM generate_series(1, 40) AS i, json_array_elements(t.run('gate_ann',
		format('SELECT json_agg(s) FROM (SELECT place, dp_count(*) AS n, dp_low(dp_count(*)) AS low, dp_high(dp_count(*)) AS high FROM stays WHERE place > -%s GROUP BY place) AS s', i))::json) AS j;
SELECT ok(count(*) > 838, 'groups of 230 are shown') FROM t.drawn;
SELECT ok(abs(stddev_pop(n - CASE WHEN place = 99 THEN 230 ELSE 700 END) - 18.9) < 3.2, 'Gaussian noise') FROM t.drawn;
SELECT ok(bool_and(n - low = 37 AND high - n = 37), 'intervals are of that noise') FROM t.drawn WHERE place <> 99;
SELECT is(string_agg(DISTINCT concat_ws(' ', aggregate, mechanism, trim_scale(epsilon), trim_scale(delta), round(rho, 6)), ', '), 'dp_count gaussian 1 0.000001 0.028012', 'the ledger') FROM dp_noise.ledger WHERE population = 'public.stays';
SELECT is(concat_ws(', ', trim_scale(epsilon_spent), trim_scale(delta_spent)), '40, 0.00004', 'the budget') FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.stays';

-- Of people alone in ten groups each, one is shown with delta at most, in any of
-- them: noise and threshold share it. 10,000 people, of which 2,000 at most are
-- expected; 6.5 standard deviations.
SET dp_noise.delta = 0.2;
SELECT dp_noise.alter_population('public.lone', on_repeat => 'answer') \g /dev/null
SELECT matches(t.run('gate_ann', $$SELECT t.plan('SELECT place, dp_count(*) FROM lone GROUP BY place')$$), '^dp_count gaussian [0-9]+ 0 0.2; dp_count gaussian [0-9]+; 1; 0.2$', 'a large delta');
SELECT ok(n BETWEEN 1 AND 2260, 'hardly anybody alone is shown: ' || n) FROM (SELECT t.run('gate_ann', 'SELECT count(DISTINCT (place - 1) / 10) FROM (SELECT place, dp_count(*) FROM lone GROUP BY place) AS s')::integer AS n) AS s;
SET dp_noise.delta = 1e-6;

-- Stored answers: replayed whatever would be drawn now, also without a delta;
-- shared with those who ask the same; and of their groups a new count is as
-- geometric as ever, and needs no delta.
SELECT dp_noise.alter_population('public.known', on_repeat => 'replay') \g /dev/null
CREATE FUNCTION t.ask(who text, what text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, format('SELECT json_agg(s) FROM (SELECT place, %s FROM known GROUP BY place) AS s', what))
$$;
CREATE TABLE t.kept AS SELECT t.ask('gate_ann', 'dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*))') AS answer;
SET dp_noise.mechanism = 'geometric';
SELECT is(t.ask('gate_ann', 'dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*))'), answer, 'replayed, whatever is asked for') FROM t.kept;
RESET dp_noise.mechanism;
SET dp_noise.delta = 0;
SELECT is(t.ask('gate_ann', 'dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*))'), answer, 'replayed without a delta') FROM t.kept;
SET dp_noise.delta = 1e-6;
SELECT is(t.ask('gate_bob', 'dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*))'), answer, 'shared') FROM t.kept;
SELECT is(string_agg(concat_ws(' ', role, aggregate, mechanism, trim_scale(epsilon), trim_scale(delta)), ', ' ORDER BY at), 'gate_ann dp_count gaussian 1 0.000001, gate_bob dp_count gaussian 1 0.000001', 'each pays once')
FROM dp_noise.ledger WHERE population = 'public.known';
SELECT isnt(t.ask('gate_ann', 'dp_sum(days, 0, 7)'), NULL, 'a sum, whose groups are selected by themselves');
SELECT isnt(t.ask('gate_ann', 'dp_sum(days, 0, 7), dp_count_distinct(person)'), NULL, 'a new count of its groups');
SELECT is(string_agg(concat_ws(' ', aggregate, mechanism, trim_scale(epsilon), trim_scale(delta)), ', ' ORDER BY at, aggregate), 'dp_sum staircase 1 0, selection of groups gaussian 1 0.000001, dp_count_distinct geometric 1 0', 'is drawn as without a selection')
FROM (SELECT * FROM dp_noise.ledger WHERE population = 'public.known' ORDER BY at OFFSET 2) AS l;

-- A budget that lacks delta refuses it; prices are as EXPLAIN has them.
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_bob', 'public.moves', 10, delta => 1e-7) \g /dev/null
RESET ROLE;
SELECT is(t.run('gate_bob', 'SELECT place, dp_count(*) FROM moves GROUP BY place'), '53400: insufficient privacy budget for "moves"', 'without so much delta');
SELECT is(t.run('gate_ann', $$SELECT concat_ws(' ', trim_scale(epsilon), trim_scale(delta), errors) FROM dp_noise.price('SELECT place, dp_count(*) FROM moves GROUP BY place')$$), '1 0.000001 {"dp_count: 52"}', 'its price');

-- Prepared statements: the noise of each execution.
SELECT t.run('gate_ann', 'PREPARE places(integer) AS SELECT count(*) FROM (SELECT place, dp_count(*) FROM stays WHERE place > $1 AND place < 50 GROUP BY place) AS s');
SET plan_cache_mode = force_generic_plan;
SELECT is(t.run('gate_ann', 'EXECUTE places(15)'), '5', 'by Gaussian noise');
SET dp_noise.mechanism = 'geometric';
SELECT is(t.run('gate_ann', 'EXECUTE places(16)'), '4', 'by geometric noise');
RESET dp_noise.mechanism;
SELECT is(string_agg(mechanism, ', ' ORDER BY at), 'gaussian, geometric', 'as it was charged') FROM (SELECT * FROM dp_noise.ledger WHERE population = 'public.stays' ORDER BY at DESC LIMIT 2) AS l;
RESET plan_cache_mode;

-- Beside several groupings each is a question, and where a sub-query asks first.
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT place, dp_count(*) FROM stays GROUP BY ROLLUP (place)) AS s'), '22', 'groupings');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT place, dp_count(*) FROM stays WHERE days < (SELECT dp_count(*) FROM few) GROUP BY place) AS s'), '21', 'behind a sub-query');


-- A question that stands twice in a statement has one answer, of one noise.
CREATE FUNCTION t.twice(query text) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT %s FROM (SELECT place, dp_count(*) AS n FROM stays WHERE place < 5 GROUP BY place) AS a'
		' JOIN (SELECT place, dp_count(*) AS n, dp_low(dp_count(*)) AS low FROM stays WHERE place < 5 GROUP BY place) AS b USING (place)', query)
$$;
CREATE FUNCTION t.mechanisms(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT string_agg(m[1], ' ') FROM regexp_matches(plan, '"Mechanism": "(\w+)"', 'g') AS m);
END
$$;
GRANT EXECUTE ON FUNCTION t.mechanisms(text) TO PUBLIC;
SELECT is(t.run('gate_ann', format('SELECT t.mechanisms(%L)', t.twice('a.n'))), 'gaussian gaussian gaussian', 'twice');
SELECT is(t.run('gate_ann', t.twice('string_agg(DISTINCT concat_ws('' '', a.n - b.n, b.n - low), '', '')')), '0 37', 'with the same answers');

-- The same question written in two ways is one, whichever decides, and its interval too.
CREATE FUNCTION t.same(query text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.run('gate_ann', format('SELECT bool_and(one = two AND low_one = low_two)::text FROM (%s) AS q', query))$$;
SET dp_noise.epsilon = 0.7; SET dp_noise.delta = 1e-6;
SELECT is(t.same(format('SELECT place, %s AS one, %s AS two, dp_low(%1$s) AS low_one, dp_low(%2$s) AS low_two FROM %s GROUP BY place', a, b, relation)), 'true', format('%s and %s over %s', a, b, relation))
FROM unnest('{public.stays,public.few,public.rho}'::text[]) AS relation, (VALUES ('dp_count(*)', 'dp_count(person)'), ('dp_count(person)', 'dp_count(*)')) AS c (a, b);

SELECT * FROM finish();
\ir support/gate_end.sql
