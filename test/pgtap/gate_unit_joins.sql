-- Joins of protected relations to each other: on equal privacy units, and on
-- nothing else. Every relation pays, and a unit counts no more than it may.
\ir support/gate.sql
SELECT no_plan();

-- People with one row each; visits and purchases, of some of them and of others,
-- with many. The shop is somebody else's.
SET ROLE gate_owner;
CREATE TABLE public.people (pid bigint PRIMARY KEY, sex text COLLATE "C" NOT NULL, age integer, town integer, name text);
INSERT INTO public.people SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 80, i % 5, 'n' || i FROM generate_series(1, 500) AS i;
CREATE TABLE public.visits (pid integer, clinic text COLLATE "C", kind integer, cost integer, urgent boolean NOT NULL);
INSERT INTO public.visits SELECT NULLIF(i % 600, 599), 'c' || i % 4, i % 3, i % 30, i % 7 = 0 FROM generate_series(1, 3000) AS i;
CREATE TABLE public.scores (pid integer UNIQUE, score integer);
INSERT INTO public.scores SELECT i, i % 11 FROM generate_series(1, 700, 2) AS i;
INSERT INTO public.scores SELECT NULL, 5 FROM generate_series(1, 20);
CREATE TABLE public.towns (id integer PRIMARY KEY, coast boolean NOT NULL);
INSERT INTO public.towns SELECT i, i % 2 = 0 FROM generate_series(0, 3) AS i;
CREATE TABLE public.tests (id integer PRIMARY KEY, person integer);
CREATE TABLE public.called (name text PRIMARY KEY, x integer);
INSERT INTO public.called SELECT 'n' || i, i FROM generate_series(1, 300) AS i;
CREATE TABLE public.nicknames (name text COLLATE "C", x integer);
INSERT INTO public.nicknames SELECT 'n' || i % 100, i FROM generate_series(1, 300) AS i;
CREATE COLLATION public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE public.loose (name text COLLATE public.caseless, x integer);
CREATE TABLE public.measured (pid integer PRIMARY KEY, x integer);
CREATE TABLE public.policed (pid integer PRIMARY KEY, x integer);
GRANT SELECT ON public.towns TO gate_ann;
SELECT dp_noise.protect('public.people', privacy_unit => 'pid', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.visits', privacy_unit => 'pid', max_rows_per_unit => 8, max_groups_per_unit => 4, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.scores', privacy_unit => 'pid', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.tests', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.called', privacy_unit => 'name', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.nicknames', privacy_unit => 'name', max_rows_per_unit => 5, max_groups_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.loose', privacy_unit => 'name', max_rows_per_unit => 5, max_groups_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.measured', privacy_unit => 'pid', neighbours => 'substitute', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.visits', 'cost', 0, 30);
SELECT dp_noise.set_values('public.visits', 'clinic', '{c0,c1,c2,c3,c4}');
SELECT dp_noise.set_values('public.people', 'sex', '{f,m}');
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1)
FROM unnest('{public.people,public.visits,public.scores,public.tests,public.called,public.nicknames,public.loose,public.measured}'::regclass[]) AS r;
RESET ROLE;
CREATE SCHEMA shop AUTHORIZATION gate_bob;
SET ROLE gate_bob;
CREATE TABLE shop.purchases (person bigint NOT NULL, price integer);
INSERT INTO shop.purchases SELECT i % 400, i % 50 FROM generate_series(1, 1200) AS i;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
SELECT dp_noise.protect('shop.purchases', privacy_unit => 'person', max_rows_per_unit => 50, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('shop.purchases', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'shop.purchases', 1e12, delta => 1);
RESET ROLE;
VACUUM ANALYZE public.people;
VACUUM ANALYZE public.visits;
CREATE SCHEMA plain;
CREATE TABLE plain.people AS TABLE people;
CREATE TABLE plain.visits AS TABLE visits;
CREATE TABLE plain.scores AS TABLE scores;
CREATE TABLE plain.purchases AS TABLE shop.purchases;
CREATE TABLE plain.called AS TABLE called;
CREATE TABLE plain.nicknames AS TABLE nicknames;
CREATE TABLE plain.measured AS TABLE measured;
CREATE TABLE plain.towns AS TABLE towns;

------------------------------------------------------------------------------
-- Accepted: at a large epsilon the answer is that of the plain query

CREATE FUNCTION t.same(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	asked text;
BEGIN
	PERFORM set_config('search_path', 'plain, public', false);
	EXECUTE format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(replace(replace(command, 'dp_', ''), 'shop.', ''), 'count_distinct\(([^)]*)\)', 'count(DISTINCT \1)', 'g')) INTO plain;
	RESET search_path;
	asked := t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(command, 'dp_(sum|min|max)\(([^)]*)\)', 'dp_\1(\2, 0, 100000)', 'g')));
	RETURN is(asked, plain, 'as the plain query: ' || command);
END
$$;
SET dp_noise.epsilon = 1000;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM people JOIN visits ON people.pid = visits.pid',
	'SELECT dp_count(*), dp_sum(cost) AS s, dp_sum(age) AS a FROM visits AS v JOIN people AS p ON p.pid = v.pid WHERE sex = ''f'' AND cost > 7',
	'SELECT dp_count(*) FROM people, visits WHERE people.pid = visits.pid AND urgent',
	'SELECT dp_count(*) FROM people CROSS JOIN visits WHERE visits.pid = people.pid',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE pid < 100',
	'SELECT dp_count(*) FROM people NATURAL JOIN visits',
	'SELECT dp_count(*) FROM people JOIN visits ON people.pid = visits.pid AND kind < town AND age > cost',
	'SELECT dp_count(*) FROM people JOIN visits ON NOT people.pid <> visits.pid',
	'SELECT dp_count_distinct(people.pid) AS a, dp_count_distinct(visits.pid) AS b, dp_count(visits.pid) AS c FROM people JOIN visits USING (pid) WHERE kind = 1',
	'SELECT dp_count(*), dp_sum(score) AS s FROM people JOIN scores ON people.pid = scores.pid',
	'SELECT dp_count(*), dp_count_distinct(scores.pid) AS n FROM people JOIN scores ON people.pid = scores.pid WHERE score = 3',
	'SELECT dp_count(*), dp_count(cost) AS n, dp_sum(cost) AS s FROM people LEFT JOIN visits ON people.pid = visits.pid',
	'SELECT dp_count(*), dp_count(cost) AS n, dp_count_distinct(visits.pid) AS d, dp_count_distinct(people.pid) AS e FROM people LEFT JOIN visits ON people.pid = visits.pid AND cost > 20 AND age < 40',
	'SELECT dp_count(*), dp_count(urgent) AS n FROM visits RIGHT JOIN people USING (pid) WHERE sex = ''m''',
	'SELECT dp_count(*), dp_count(age) AS n FROM visits LEFT JOIN people USING (pid) WHERE visits.pid IS NOT NULL',
	'SELECT dp_count(*) FROM people LEFT JOIN visits USING (pid) WHERE visits.pid IS NULL',
	'SELECT dp_count(*), dp_count(score) AS n FROM people LEFT JOIN scores USING (pid)',
	'SELECT dp_count(*), dp_sum(price) AS s FROM people JOIN visits USING (pid) JOIN shop.purchases ON person = visits.pid WHERE kind = 1',
	'SELECT dp_count(*), dp_sum(price) AS s FROM people JOIN visits USING (pid) JOIN shop.purchases ON person = people.pid WHERE kind = 1',
	'SELECT dp_count(*), dp_count(price) AS n FROM people JOIN scores USING (pid) LEFT JOIN shop.purchases ON person = pid',
	'SELECT dp_count(*), dp_count(price) AS n, dp_count(score) AS m FROM people LEFT JOIN scores USING (pid) LEFT JOIN shop.purchases ON person = scores.pid',
	'SELECT dp_count(*) FROM people LEFT JOIN scores USING (pid) JOIN shop.purchases ON person = scores.pid',
	'SELECT dp_count(*) FROM scores, people, shop.purchases WHERE scores.pid = person AND person = people.pid',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) JOIN towns ON town = towns.id WHERE coast',
	'SELECT dp_count(*), dp_count(coast) AS n FROM people LEFT JOIN visits USING (pid) LEFT JOIN towns ON kind = towns.id',
	'SELECT dp_count(*) FROM towns, people, visits WHERE people.pid = visits.pid AND kind = towns.id',
	'SELECT dp_count(*), dp_count(score) AS n FROM people JOIN towns ON town = towns.id LEFT JOIN scores ON scores.pid = people.pid AND score = towns.id',
	'SELECT dp_count(*) FROM called JOIN nicknames USING (name) WHERE called.x > 20 AND nicknames.x < 200',
	'SELECT dp_count(*) FROM people JOIN measured USING (pid)',
	'SELECT sex, dp_count(*), dp_sum(cost) AS s FROM people JOIN visits USING (pid) GROUP BY sex',
	'SELECT sex, urgent, dp_count(*) FROM people JOIN visits USING (pid) GROUP BY sex, urgent',
	'SELECT clinic, dp_count(*) FROM people JOIN visits USING (pid) GROUP BY clinic HAVING dp_count(*) > 0',
	'SELECT clinic, dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.pid AND cost < 3 GROUP BY clinic HAVING dp_count(*) > 0',
	'SELECT urgent, dp_count(*) FROM people LEFT JOIN visits USING (pid) GROUP BY urgent HAVING dp_count(*) > 0',
	'SELECT coast, sex, dp_count(*) FROM people JOIN visits USING (pid) JOIN towns ON town = towns.id GROUP BY 1, 2']) AS c;

-- many rows of one
SET dp_noise.max_rows_per_unit = 64;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.kind WHERE people.pid = visits.pid',
	'SELECT dp_count(*) FROM people LEFT JOIN visits ON true WHERE people.pid = visits.pid',
	'SELECT dp_count(*) FROM (people CROSS JOIN towns) LEFT JOIN scores ON scores.pid = people.pid AND score = towns.id WHERE towns.id = coalesce(score, 2)',
	'SELECT dp_count(*) FROM (people CROSS JOIN towns) LEFT JOIN towns AS w ON w.id = towns.id LEFT JOIN scores ON scores.pid = people.pid AND score = w.id WHERE towns.id = coalesce(score, 2)',
	'SELECT dp_count(*) FROM (towns LEFT JOIN visits ON visits.pid = towns.id) JOIN people ON people.pid = towns.id',
	'SELECT dp_count(*) FROM people JOIN (towns LEFT JOIN visits ON visits.pid = towns.id) ON people.pid = visits.pid',
	'SELECT dp_count(*) FROM people LEFT JOIN (visits JOIN scores USING (pid)) ON people.pid = scores.pid',
	'SELECT dp_count(*) FROM visits JOIN visits AS b USING (pid)',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) JOIN visits AS b USING (pid)',
	'SELECT dp_count(*) FROM people AS a JOIN people AS b USING (pid)',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE pid IN (SELECT id FROM towns)']) AS c;
RESET dp_noise.max_rows_per_unit;

-- private keys
SET dp_noise.delta = 1e-6;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT town, dp_count(*) FROM people JOIN visits USING (pid) GROUP BY town',
	'SELECT town, dp_count(*), dp_sum(cost) AS s FROM people LEFT JOIN visits USING (pid) GROUP BY town',
	'SELECT kind, dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.pid AND urgent GROUP BY kind',
	'SELECT age, kind, sex, dp_count(*) FROM people JOIN visits USING (pid) GROUP BY age, kind, sex HAVING dp_count(*) > 0']) AS c;
RESET dp_noise.delta;
SELECT alike(t.run('gate_ann', 'SELECT town, dp_count(*) FROM people JOIN visits USING (pid) GROUP BY town'), '0A000: GROUP BY of values that are not public needs a delta', 'a delta is needed');

SELECT t.run('gate_ann', 'PREPARE joint(text, integer) AS SELECT dp_sum(cost) FROM people JOIN visits ON people.pid = visits.pid AND kind = $2 WHERE sex = $1');
SELECT is(t.run('gate_ann', 'EXECUTE joint(''f'', 2)')::bigint, (SELECT sum(cost) FROM plain.people JOIN plain.visits USING (pid) WHERE sex = 'f' AND kind = 2), 'parameters')
FROM generate_series(1, 7);

------------------------------------------------------------------------------
-- Refused

SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || q), '0A000: ' || m || ' cannot be used in a query over a protected relation', 'refused: ' || q)
FROM (VALUES
	('people, visits', 'a join of protected relations on anything but %'),
	('people CROSS JOIN visits', 'a join of protected relations on anything but %'),
	('people JOIN visits ON true', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid = visits.kind', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.town = visits.pid', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.town = visits.kind', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid < visits.pid', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid >= visits.pid', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid = visits.pid OR kind = 1', 'a join of protected relations on anything but %'),
	('people JOIN visits ON (people.pid = visits.pid) IS TRUE', 'a join of protected relations on anything but %'),
	('people JOIN visits ON (people.pid = visits.pid) IS NOT FALSE', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid IS NOT DISTINCT FROM visits.pid', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid IN (visits.pid, visits.kind)', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid = 3 AND visits.pid = 3', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid::numeric = visits.pid', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid = CASE WHEN urgent THEN visits.pid ELSE 1 END', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid = coalesce(visits.pid, 1)', 'a join of protected relations on anything but %'),
	('people JOIN visits ON people.pid = people.pid AND visits.pid = visits.pid', 'a join of protected relations on anything but %'),
	('people JOIN scores USING (pid) JOIN visits ON kind = score', 'a join of protected relations on anything but %'),
	('people JOIN scores USING (pid) JOIN visits ON visits.pid = score', 'a join of protected relations on anything but %'),
	('people LEFT JOIN visits ON visits.pid = 3', 'a join of protected relations on anything but %'),
	('towns LEFT JOIN people ON true WHERE towns.id = 3', 'an aggregate that counts public rows without a match'),
	('towns LEFT JOIN tests ON true WHERE towns.id = 3', 'an aggregate that counts public rows without a match'),
	('people RIGHT JOIN towns ON 1 = 1 WHERE towns.id = 3', 'an aggregate that counts public rows without a match'),
	('people JOIN scores USING (pid) LEFT JOIN visits ON true', 'a join of protected relations on anything but %'),
	('people JOIN towns ON town = towns.id JOIN visits ON visits.pid = towns.id', 'a join of protected relations on anything but %'),
	('people FULL JOIN visits ON people.pid = visits.pid', 'FULL JOIN'),
	('people JOIN tests ON people.pid = tests.id', 'a join of protected relations whose privacy units are their rows'),
	('tests JOIN people ON people.pid = tests.person', 'a join of protected relations whose privacy units are their rows'),
	('people LEFT JOIN measured USING (pid)', 'an outer join, or such a sub-query, of protected relations whose privacy units are substituted'),
	('measured LEFT JOIN visits USING (pid)', 'an outer join, or such a sub-query, of protected relations whose privacy units are substituted'),
	('nicknames JOIN loose ON nicknames.name = loose.name COLLATE "C"', 'a join on privacy units of a nondeterministic collation'),
	('called JOIN loose ON called.name COLLATE "C" = loose.name COLLATE "C"', 'a join on privacy units of a nondeterministic collation'),
	('people JOIN ONLY visits USING (pid)', 'ONLY'),
	('people JOIN visits TABLESAMPLE SYSTEM (50) USING (pid)', 'TABLESAMPLE'),
	('people JOIN LATERAL (SELECT * FROM visits WHERE visits.pid = people.pid) AS v ON true', 'LATERAL%'),
	('people JOIN visits USING (pid) WHERE EXISTS (SELECT FROM scores)', 'a sub-query over the rows of other privacy units%')) AS x (q, m);
SELECT t.accept(c, 2) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM people JOIN visits ON people.pid = visits.pid AND cost / kind > 1',
	'SELECT dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.pid AND age / kind > 1',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE age + cost > 1']) AS c;
SELECT t.refuse('0A000', c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE visits.ctid = ''(0,1)''',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE visits IS NOT NULL',
	'SELECT dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.pid AND pg_sleep(cost) IS NULL',
	'SELECT dp_sum(cost, 0, age) FROM people JOIN visits USING (pid)',
	'SELECT dp_count(*) FROM people JOIN visits USING (pid) FOR UPDATE',
	'SELECT (SELECT dp_count(*) FROM visits WHERE visits.pid = towns.id) FROM towns']) AS c;
SELECT t.refuse('42501', c) FROM unnest(ARRAY[
	'SELECT (SELECT dp_count(people.pid) FROM towns) FROM people JOIN visits USING (pid)',
	'SELECT sex, cost FROM people JOIN visits USING (pid)']) AS c;
SELECT t.refuse('42803', 'SELECT cost, dp_count(*) FROM people JOIN visits USING (pid)');
-- types without an equality in common with units
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN called ON people.pid = called.name'), '42883: %', 'no such operator');
-- one's own operator of that name is none
SET SESSION AUTHORIZATION gate_ann;
CREATE FUNCTION gate_ann.always(bigint, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR gate_ann.= (FUNCTION = gate_ann.always, LEFTARG = bigint, RIGHTARG = integer);
RESET SESSION AUTHORIZATION;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN visits ON people.pid OPERATOR(gate_ann.=) visits.pid'),
	'0A000: operator gate_ann.=(bigint,integer) cannot be used in %', 'an operator of one''s own');
DROP OPERATOR gate_ann.= (bigint, integer);
-- policies, views
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
SET ROLE gate_owner;
CREATE VIEW public.seen AS SELECT * FROM public.visits;
GRANT SELECT ON public.seen TO gate_ann;
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM people JOIN seen USING (pid)', 2);
SELECT t.accept('SELECT dp_count(*) FROM people JOIN (SELECT * FROM visits) AS v USING (pid)', 2);

------------------------------------------------------------------------------
-- Everybody pays

SELECT t.accept('SELECT dp_count(*) FROM people JOIN visits USING (pid)', 2);
SELECT t.accept('SELECT count(*) FROM people JOIN visits USING (pid)', 2);
SELECT t.accept('SELECT count(*), dp_count(*) FROM people JOIN visits USING (pid)', 2);
SELECT t.accept('SELECT dp_count(*), dp_sum(cost) FROM people JOIN visits USING (pid)', 4);
SELECT t.accept('SELECT dp_count(*), dp_sum(cost), dp_mean(price, 0, 50) FROM people JOIN visits USING (pid) JOIN shop.purchases ON person = pid', 9);
SELECT t.accept('SELECT (SELECT dp_count(*) FROM people JOIN visits USING (pid)), (SELECT dp_count(*) FROM people)', 3);
CREATE FUNCTION t.spent(OUT people numeric, OUT visits numeric) LANGUAGE sql AS $$
	SELECT max(epsilon_spent) FILTER (WHERE population = 'public.people'), max(epsilon_spent) FILTER (WHERE population = 'public.visits')
	FROM dp_noise.budgets WHERE role = 'gate_ann'
$$;
SELECT people AS people, visits AS visits FROM t.spent() \gset
SET dp_noise.epsilon = 1;
SELECT t.run('gate_ann', 'SELECT dp_count(visits.pid, 0.25) FROM people JOIN visits USING (pid) WHERE kind = 1');
SELECT is(s.people - :people, 0.25, 'the one') FROM t.spent() AS s;
SELECT is(s.visits - :visits, 0.25, 'and the other') FROM t.spent() AS s;
SELECT is((SELECT string_agg(population || ' ' || epsilon || ' ' || aggregate, ', ' ORDER BY population) FROM dp_noise.ledger WHERE epsilon = 0.25),
	'public.people 0.25 dp_count, public.visits 0.25 dp_count', 'the ledger shows both');

-- who has no budget for one of them gets nothing, and pays nothing
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_bob', 'public.people', 10);
SELECT dp_noise.drop_budget('gate_ann', 'public.scores');
RESET ROLE;
SELECT alike(t.run('gate_bob', 'SELECT dp_count(*) FROM people JOIN visits USING (pid)'), '42501: role "gate_bob" has no privacy budget for "visits"', 'no budget for the second');
SELECT alike(t.run('gate_bob', 'SELECT dp_count(*) FROM visits JOIN people USING (pid)'), '42501: role "gate_bob" has no privacy budget for "visits"', 'nor for the first');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM people JOIN scores USING (pid)');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM people LEFT JOIN scores USING (pid)');
-- whose budget for one of them does not suffice, neither
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.scores', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.scores', 5);
RESET ROLE;
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM people JOIN scores USING (pid)');
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM scores JOIN people USING (pid)');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'public.scores', 1e12, delta => 1);
RESET ROLE;
-- the owner of one pays for the other
SELECT alike(t.run('gate_bob', 'SELECT dp_count(pid, 11) FROM people JOIN shop.purchases ON pid = person'), '53400: %', 'within its budget');
SELECT ok(t.run('gate_bob', 'SELECT dp_sum(price, 0, 50, 1) FROM people JOIN shop.purchases ON pid = person') ~ '^-?\d+$', 'an owner of one of them asks')
FROM (SELECT t.run('gate_bob', 'SET dp_noise.epsilon = 1')) AS s;
SELECT is(t.run('gate_owner', 'SELECT dp_count(*) FROM people JOIN shop.purchases ON pid = person'), '42501: role "gate_owner" has no privacy budget for "purchases"', 'and not without a budget for the other');

------------------------------------------------------------------------------
-- Questions

CREATE FUNCTION t.question(q text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT ' || q) FROM '"Question": "(\w+)"')
$$;
SELECT is(t.question(a), t.question(b), 'one question: ' || a || ' / ' || b) FROM (VALUES
	('dp_count(*) FROM people JOIN visits ON people.pid = visits.pid', 'dp_count(*) FROM visits AS a, people AS b WHERE b.pid = a.pid'),
	('dp_count(*) FROM people JOIN visits ON people.pid = visits.pid', 'dp_count(*) FROM visits NATURAL JOIN people'),
	('dp_count(*) FROM people JOIN visits ON people.pid = visits.pid', 'dp_count(people.pid) FROM visits JOIN people USING (pid)'),
	('dp_count(*) FROM people JOIN visits ON people.pid = visits.pid', 'dp_count(visits.pid) FROM visits JOIN people USING (pid)'),
	('dp_count(*) FROM people JOIN visits ON people.pid = visits.pid', 'dp_count(sex) FROM visits JOIN people USING (pid)'),
	('dp_count(*) FROM people JOIN visits USING (pid) WHERE people.pid < 9', 'dp_count(*) FROM people JOIN visits ON visits.pid = people.pid AND 9 > visits.pid'),
	('dp_count_distinct(people.pid) FROM people JOIN visits USING (pid)', 'dp_count_distinct(visits.pid) FROM visits JOIN people USING (pid)'),
	('dp_sum(cost) FROM people, visits, scores WHERE people.pid = visits.pid AND visits.pid = scores.pid', 'dp_sum(cost) FROM visits JOIN scores USING (pid) JOIN people USING (pid)'),
	('dp_count(*) FROM people LEFT JOIN visits USING (pid)', 'dp_count(*) FROM visits AS v RIGHT JOIN people AS p ON v.pid = p.pid'),
	('dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.pid AND cost > 3', 'dp_count(*) FROM visits AS v RIGHT JOIN people AS p ON 3 < v.cost AND v.pid = p.pid')) AS x (a, b);
SELECT isnt(t.question(a), t.question(b), 'two questions: ' || a || ' / ' || b) FROM (VALUES
	('dp_count(*) FROM people JOIN visits USING (pid)', 'dp_count(*) FROM people'),
	('dp_count(*) FROM people JOIN visits USING (pid)', 'dp_count(*) FROM visits'),
	('dp_count(*) FROM people JOIN visits USING (pid)', 'dp_count(*) FROM people JOIN scores USING (pid)'),
	('dp_count(*) FROM people JOIN visits USING (pid)', 'dp_count(*) FROM people LEFT JOIN visits USING (pid)'),
	('dp_count(*) FROM people JOIN visits USING (pid)', 'dp_count(*) FROM visits LEFT JOIN people USING (pid)'),
	('dp_count(*) FROM people LEFT JOIN visits USING (pid)', 'dp_count(*) FROM visits LEFT JOIN people USING (pid)'),
	('dp_count(*) FROM people LEFT JOIN visits USING (pid)', 'dp_count(*) FROM people LEFT JOIN visits ON people.pid = visits.pid AND cost > 3'),
	('dp_count(*) FROM people LEFT JOIN visits USING (pid)', 'dp_count(visits.pid) FROM people LEFT JOIN visits USING (pid)'),
	('dp_count(*) FROM people LEFT JOIN visits USING (pid)', 'dp_count(urgent) FROM people LEFT JOIN visits USING (pid)'),
	('dp_count_distinct(people.pid) FROM people LEFT JOIN visits USING (pid)', 'dp_count_distinct(visits.pid) FROM people LEFT JOIN visits USING (pid)'),
	('dp_count(*) FROM people JOIN visits USING (pid) WHERE people.town = 1', 'dp_count(*) FROM people JOIN visits USING (pid) WHERE visits.kind = 1'),
	('dp_sum(called.x, 0, 9) FROM called JOIN nicknames USING (name)', 'dp_sum(nicknames.x, 0, 9) FROM called JOIN nicknames USING (name)')) AS x (a, b);

-- One population's rule holds for what is asked of both: the stricter one.
SET dp_noise.epsilon = 0.001;
CREATE FUNCTION t.rules(people text, visits text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('role', 'gate_owner', false);
	SELECT dp_noise.alter_population('public.people', on_repeat => people), dp_noise.alter_population('public.visits', on_repeat => visits);
	SELECT set_config('role', 'none', false)
$$;
CREATE FUNCTION t.again(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	first text := t.run('gate_ann', 'SELECT ' || q);
	charges bigint := t.charges();
BEGIN
	RETURN NEXT isnt(left(first, 5), '53400', 'asked once: ' || q);
	RETURN NEXT is(t.run('gate_ann', 'SELECT ' || q), first, 'replayed: ' || q);
	RETURN NEXT is(t.charges(), charges, 'and free');
	RETURN NEXT alike(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT ' || q), '%"Answer": "replayed"%', 'as EXPLAIN says');
END
$$;
SELECT t.rules('replay', 'replay');
SELECT t.again('dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 0');
SELECT t.rules('answer', 'replay');
SELECT t.again('dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 1');
SELECT t.again('dp_count(*) FROM visits JOIN people USING (pid) WHERE kind = 2');
SELECT t.rules('replay', 'answer');
SELECT t.again('string_agg(n::text, '' '') FROM (SELECT sex, dp_count(*) AS n FROM people JOIN visits USING (pid) WHERE kind = 1 GROUP BY sex) AS s');
SELECT t.rules('refuse', 'replay');
SELECT ok(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 3') ~ '^-?\d+$', 'asked once');
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 3');
SELECT t.rules('answer', 'refuse');
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 3');
SELECT t.accept('SELECT (SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 4), (SELECT dp_count(*) FROM visits JOIN people USING (pid) WHERE kind = 4)', 2);
-- new beside old: only the new is charged
SELECT t.rules('replay', 'answer');
SELECT t.accept('SELECT dp_count(*), dp_sum(cost) FROM people JOIN visits USING (pid) WHERE kind = 1', 2);
-- an answer that one population forgets is not free while the other has it
SELECT t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 5') AS kept \gset
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay', answers_expire => '1 second'), dp_noise.alter_population('public.visits', on_repeat => 'replay');
RESET ROLE;
SELECT pg_sleep(1.2);
SELECT t.charges() AS charges \gset
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE kind = 5'), :'kept', 'the other has it still');
SELECT is(t.charges(), :charges::bigint, 'and nothing is charged');
SELECT dp_noise.alter_population('public.people', answers_expire => '0');
SELECT t.rules('answer', 'answer');

------------------------------------------------------------------------------
-- EXPLAIN

SET SESSION AUTHORIZATION gate_ann;
SET dp_noise.epsilon = 0.5;
CREATE TABLE gate_ann.shown AS SELECT NULL::json AS plan WITH NO DATA;
DO $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT sex, kind > 1 AS late, dp_count(*) FROM public.people LEFT JOIN public.visits USING (pid) GROUP BY sex, kind > 1' INTO plan;
	INSERT INTO gate_ann.shown VALUES (plan -> 0 -> 'Plan');
END
$$;
RESET SESSION AUTHORIZATION;
SELECT is((plan -> 'Protected Relations')::text, '["people", "visits"]', 'both relations') FROM gate_ann.shown;
SELECT is((plan -> 'Privacy Units')::text, '["people.pid", "visits.pid"]', 'both units') FROM gate_ann.shown;
SELECT is(plan ->> 'Rows per Unit', '8', 'the greater of the caps') FROM gate_ann.shown;
SELECT is(plan ->> 'Groups per Unit', '4', 'on groups, too') FROM gate_ann.shown;
SELECT is(plan ->> 'Neighbours', 'substitute', 'an outer join exchanges rows') FROM gate_ann.shown;
SELECT is((plan -> 'Public Group Key')::text, '["people.sex (declared values, 2 values)", "(visits.kind > 1) (boolean, 3 values)"]', 'keys') FROM gate_ann.shown;
SELECT is((SELECT string_agg((b ->> 'Budget') || ' ' || (b ->> 'Population') || ' ' || (b ->> 'Epsilon to Pay'), ', ') FROM json_array_elements(plan -> 'Budgets') AS b WHERE b ->> 'Budget' = 'gate_ann'),
	'gate_ann public.people 0.5, gate_ann public.visits 0.5', 'budgets of both') FROM gate_ann.shown;

------------------------------------------------------------------------------
-- A plan that was made for other tables

SET dp_noise.epsilon = 1000;
SELECT t.run('gate_ann', 'PREPARE kept AS SELECT dp_count(*) FROM people JOIN scores USING (pid)');
SELECT is(t.run('gate_ann', 'EXECUTE kept')::bigint, count(*), 'executed') FROM plain.people JOIN plain.scores USING (pid);
SET ROLE gate_owner;
ALTER TABLE scores DROP CONSTRAINT scores_pid_key;
INSERT INTO scores SELECT 1, 1 FROM generate_series(1, 100);
RESET ROLE;
SELECT is(t.run('gate_ann', 'EXECUTE kept')::bigint, count(*), 'a unit has several rows, of which one counts') FROM plain.people JOIN plain.scores USING (pid);
SELECT t.question('dp_count(*) FROM people JOIN scores ON people.pid = scores.pid') AS question \gset
SET ROLE gate_owner;
SELECT dp_noise.protect('public.scores', privacy_unit => 'score', max_rows_per_unit => 1, replace_unit => true);
RESET ROLE;
SELECT isnt(t.question('dp_count(*) FROM people JOIN scores ON people.pid = scores.score'), :'question', 'another join of the same tables is another question');
SELECT alike(t.run('gate_ann', 'EXECUTE kept'), '0A000: a join of protected relations on anything but %', 'the unit is another column');
SET ROLE gate_owner;
SELECT dp_noise.protect('public.scores', privacy_unit => 'pid', max_rows_per_unit => 1, replace_unit => true);
ALTER TABLE scores RENAME pid TO person;
ALTER TABLE scores ADD pid integer;
RESET ROLE;
SELECT alike(t.run('gate_ann', 'EXECUTE kept'), '%', 'no longer there');
SET ROLE gate_owner;
SELECT dp_noise.unprotect('public.scores');
RESET ROLE;
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM people JOIN scores ON people.pid = scores.person');

-- Privacy levels are of one relation, which pays for all of them.
SET ROLE gate_owner;
SELECT dp_noise.set_levels('public.visits', '{0.1,1}');
RESET ROLE;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN visits USING (pid)'), '0A000: a join to a protected relation with privacy levels %', 'privacy levels');
SET ROLE gate_owner;
SELECT dp_noise.set_levels('public.visits', NULL);
RESET ROLE;

-- A definition that is younger than the snapshot says nothing of its rows, nor
-- does one of a table that was emptied since.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM people \gset
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN measured USING (pid)'), '0', 'an index of before');
ALTER TABLE measured DROP CONSTRAINT measured_pkey;
ALTER TABLE measured ADD PRIMARY KEY (pid);
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN measured USING (pid)'), '55000: the definition of "measured" is younger than%', 'in the transaction that makes one');
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM people \gset
TRUNCATE measured;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM people JOIN measured USING (pid)'), '55000: the definition of "measured" is younger than%', 'of the transaction that empties the table');
ROLLBACK;

------------------------------------------------------------------------------
-- No join makes a unit count for more

CREATE TABLE t.questions (id integer PRIMARY KEY, q text, lower integer);
INSERT INTO t.questions VALUES
	(1, 'SELECT dp_count(*), dp_count(cost), dp_sum(cost, -20, 30) FROM people JOIN visits USING (pid)', 0),
	(2, 'SELECT dp_count(*), dp_count(cost), dp_sum(coalesce(cost, -20), -20, 30) FROM people LEFT JOIN visits USING (pid)', -20),
	(3, 'SELECT dp_count(*), dp_count(age), dp_sum(CASE WHEN age IS NULL THEN -20 ELSE cost END, -20, 30) FROM visits LEFT JOIN people USING (pid)', -20),
	(4, 'SELECT dp_count(*), dp_count(price), dp_sum(price, -20, 30) FROM people JOIN visits USING (pid) JOIN shop.purchases ON person = pid', 0),
	(5, 'SELECT dp_count(*), dp_count(coast), dp_sum(cost, -20, 30) FROM people JOIN visits USING (pid) LEFT JOIN towns ON kind = towns.id', 0);
CREATE FUNCTION t.state(q text, OUT n bigint, OUT m bigint, OUT s numeric) LANGUAGE sql AS $$
	SELECT x[1]::bigint, x[2]::bigint, split_part(trim('()' FROM x[3]), ',', 1)::numeric FROM dp_noise.true_states(q) AS x
$$;
SELECT is(s.n, u.n::bigint, 'rows are capped after the join')
FROM t.questions AS q, t.state(q.q) AS s, (SELECT sum(least(c, 8)) AS n FROM (SELECT count(*) AS c FROM plain.people JOIN plain.visits USING (pid) GROUP BY pid) AS u) AS u WHERE q.id = 1;
SELECT is(s.n, u.n::bigint, 'of three relations')
FROM t.questions AS q, t.state(q.q) AS s,
	(SELECT sum(least(c, 50)) AS n FROM (SELECT count(*) AS c FROM plain.people JOIN plain.visits USING (pid) JOIN plain.purchases ON person = pid GROUP BY pid) AS u) AS u WHERE q.id = 4;
-- what one unit may change: so many rows, each of -20 .. 30, and in an outer
-- join from the one end to the other
CREATE TABLE t.base (id integer, n bigint, m bigint, s numeric);
CREATE FUNCTION t.keep() RETURNS void LANGUAGE sql AS $$
	TRUNCATE t.base;
	INSERT INTO t.base SELECT q.id, s.* FROM t.questions AS q, t.state(q.q) AS s
$$;
CREATE FUNCTION t.moved(what text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT ok(abs(s.n - b.n) <= c AND abs(s.m - b.m) <= c AND abs(s.s - b.s) <= c * (30 - q.lower),
		format('%s, question %s: %s, %s, %s', what, q.id, s.n - b.n, s.m - b.m, s.s - b.s))
	FROM t.questions AS q JOIN t.base AS b USING (id), t.state(q.q) AS s, LATERAL (SELECT CASE WHEN q.id = 4 THEN 50 ELSE 8 END) AS x (c)
$$;
SELECT t.keep();
INSERT INTO people VALUES (1000, 'f', 20, 1, 'n');
SELECT t.moved('a person without visits');
SELECT t.keep();
INSERT INTO visits VALUES (1000, 'c1', 1, 30, true);
SELECT t.moved('a visit of it');
INSERT INTO visits SELECT 1000, 'c1', i % 4, 30, true FROM generate_series(1, 99) AS i;
SELECT t.moved('a hundred');
INSERT INTO visits SELECT 1000, 'c1', i % 4, 30, true FROM generate_series(1, 100000) AS i;
SELECT t.moved('many');
SELECT t.keep();
INSERT INTO shop.purchases SELECT 1000, 30 FROM generate_series(1, 100);
SELECT t.moved('of each of which a join makes many');
SELECT t.keep();
DELETE FROM people WHERE pid = 1000;
SELECT t.moved('the person goes, alone');
DELETE FROM visits WHERE pid = 1000;
DELETE FROM shop.purchases WHERE person = 1000;
SELECT t.keep();
INSERT INTO people VALUES (1000, 'f', 20, 1, 'n');
INSERT INTO visits SELECT 1000, 'c1', i % 4, -20, true FROM generate_series(1, 1000) AS i;
INSERT INTO shop.purchases SELECT 1000, 30 FROM generate_series(1, 100);
SELECT t.moved('everything at once');
SELECT ok(max(g) <= 4, 'so many groups')
FROM (SELECT sum((x[2]::bigint > 0)::integer) AS g FROM dp_noise.true_states('SELECT clinic, dp_count(*) FROM people JOIN visits USING (pid) WHERE pid = 1000 GROUP BY clinic') AS x) AS s;
INSERT INTO visits SELECT 1000, 'c' || i % 5, i % 4, -20, true FROM generate_series(1, 1000) AS i;
SELECT is(max(g), 4::bigint, 'and no more')
FROM (SELECT sum((x[2]::bigint > 0)::integer) AS g FROM dp_noise.true_states('SELECT clinic, dp_count(*) FROM people JOIN visits USING (pid) WHERE pid = 1000 GROUP BY clinic') AS x) AS s;
SELECT t.keep();
INSERT INTO visits SELECT NULL, 'c1', 1, 30, true FROM generate_series(1, 1000) AS i;
SELECT is(s.n - b.n, 0::bigint, 'rows without a unit meet nobody, question ' || id) FROM t.questions AS q JOIN t.base AS b USING (id), t.state(q.q) AS s;

------------------------------------------------------------------------------
-- What is read of one relation depends on the others' rows only where nobody
-- but the owner of all can see what that leaves behind: others read each
-- relation once, and whole, before they are joined.

RESET dp_noise.epsilon;
CREATE INDEX ON people (age, pid);
CREATE INDEX ON visits (pid);
CREATE INDEX ON shop.purchases (person);
CREATE TABLE t.expected AS SELECT (SELECT count(*) FROM people) AS people, (SELECT count(*) FROM visits) AS visits, (SELECT count(*) FROM shop.purchases) AS purchases;
CREATE VIEW t.read_now AS SELECT relname AS name, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS scans, seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows
FROM pg_stat_xact_user_tables WHERE schemaname IN ('public', 'shop');
CREATE FUNCTION t.reads(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before jsonb := (SELECT jsonb_object_agg(name, jsonb_build_array(scans, rows)) FROM t.read_now);
BEGIN
	SET LOCAL enable_hashjoin = off;
	SET LOCAL enable_mergejoin = off;
	SET LOCAL enable_material = off;
	SET LOCAL enable_indexonlyscan = off;
	SET LOCAL random_page_cost = 0.01;
	SET LOCAL max_parallel_workers_per_gather = 0;
	PERFORM dp_noise.true_states(q);
	RETURN (
		SELECT string_agg(name || CASE WHEN scans - b.old_scans = 1 AND rows - b.old_rows >= e.value::bigint THEN ' whole' ELSE '' END, ', ' ORDER BY name COLLATE "C")
		FROM t.expected AS x, jsonb_each_text(to_jsonb(x)) AS e JOIN t.read_now ON name = e.key,
			LATERAL (SELECT coalesce((before -> name -> 0)::bigint, 0), coalesce((before -> name -> 1)::bigint, 0)) AS b (old_scans, old_rows)
		WHERE scans > b.old_scans);
END
$$;
\set one 'SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE age = 3'
\set two 'SELECT dp_count(*) FROM people JOIN shop.purchases ON pid = person WHERE age = 3'
\set three 'SELECT sex, town, dp_count(*), dp_sum(price, 0, 9) FROM visits LEFT JOIN people USING (pid) JOIN shop.purchases ON visits.pid = person AND price > 7 WHERE age = 3 GROUP BY sex, town'
SELECT is(t.reads(:'one'), 'people, visits', 'of one owner: by index');
SELECT is(t.reads(:'two'), 'people whole, purchases whole', 'of two owners: copies');
SELECT is(t.reads(:'three'), 'people whole, purchases whole, visits whole', 'of more');
SET ROLE gate_owner;
GRANT INSERT ON visits TO gate_bob;
RESET ROLE;
SELECT is(t.reads(:'one'), 'people whole, visits whole', 'others have privileges on one');
SET ROLE gate_owner;
REVOKE INSERT ON visits FROM gate_bob;
RESET ROLE;
SELECT is(t.reads(:'one'), 'people, visits', 'they have none');
SET ROLE gate_owner;
GRANT UPDATE (town) ON people TO gate_bob;
RESET ROLE;
SELECT is(t.reads(:'one'), 'people whole, visits whole', 'on one of its columns');
SET ROLE gate_owner;
REVOKE UPDATE (town) ON people FROM gate_bob;
RESET ROLE;
SELECT is(t.reads(:'one'), 'people, visits', 'nor there');
-- a plan that is kept is made anew
SET dp_noise.epsilon = 1000;
SELECT t.run('gate_ann', 'PREPARE owned AS SELECT dp_count(*) FROM people JOIN visits USING (pid) WHERE visits.pid < 500 AND kind = 1 AND cost > 20');
SELECT is(t.run('gate_ann', 'EXECUTE owned')::bigint, t.run('gate_ann', 'EXECUTE owned')::bigint, 'joined as they are');
SELECT t.run('gate_ann', 'EXECUTE owned') AS joined \gset
SELECT dp_noise.allow_members('public.visits', 'gate_bob');
ALTER TABLE visits OWNER TO gate_bob;
SELECT is(t.run('gate_ann', 'EXECUTE owned'), :'joined', 'and as copies');
ALTER TABLE visits OWNER TO gate_owner;
SELECT is(t.run('gate_ann', 'EXECUTE owned'), :'joined', 'and again');
-- nothing of the copies is told
SET dp_noise.epsilon = 1;
SELECT t.run('gate_ann', 'SET work_mem = ''64kB''');
SELECT unalike(t.run('gate_ann', 'EXPLAIN (ANALYZE, BUFFERS, VERBOSE, FORMAT json) SELECT sex, dp_count(*) FROM people JOIN shop.purchases ON pid = person GROUP BY sex'), '%dp\_copy%', 'not by EXPLAIN');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_copy_1'), '42P01: relation "dp_copy_1" does not exist', 'nor by name');
SELECT t.run('gate_ann', 'RESET work_mem');

RESET dp_noise.epsilon;
DROP SCHEMA shop CASCADE;
------------------------------------------------------------------------------
-- Equal by a time zone: two times of day can be the same instant, and so would
-- one person be two

SET ROLE gate_owner;
CREATE TABLE public.times (at timestamp PRIMARY KEY);
CREATE TABLE public.instants (at timestamptz PRIMARY KEY);
CREATE TABLE public.days (at date PRIMARY KEY);
SELECT dp_noise.protect(r, privacy_unit => 'at', epsilon => 1e13, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e6, delta => 1) FROM unnest('{times,instants,days}'::regclass[]) AS r;
RESET ROLE;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM ' || q) FROM unnest(ARRAY['times JOIN instants USING (at)', 'days JOIN instants USING (at)', 'times WHERE at IN (SELECT at FROM instants)', 'times WHERE EXISTS (SELECT FROM instants WHERE instants.at = times.at)',
	'times LEFT JOIN instants USING (at)', 'times AS a JOIN instants AS b ON a.at = b.at JOIN times AS c ON c.at = b.at']) AS q;
SELECT t.accept('SELECT dp_count(*) FROM times JOIN days USING (at)', 2);

SELECT * FROM finish();
\ir support/gate_end.sql
