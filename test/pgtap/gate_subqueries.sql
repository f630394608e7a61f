-- Sub-queries, views and WITH that choose rows and columns and join: the same
-- answers and the same questions as when they are written out.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer NOT NULL, town integer, kind integer, cost integer, smoker boolean);
INSERT INTO public.stays SELECT i, i % 50, NULLIF(i % 45, 44), i % 4, i % 30, i % 3 = 0 FROM generate_series(1, 900) AS i;
CREATE TABLE public.plain_stays AS SELECT * FROM public.stays;
CREATE TABLE public.people (person integer PRIMARY KEY, born integer);
INSERT INTO public.people SELECT i, 1900 + i FROM generate_series(0, 39) AS i;
CREATE TABLE public.plain_people AS SELECT * FROM public.people;
CREATE TABLE public.towns (id integer PRIMARY KEY, region text, size integer NOT NULL);
INSERT INTO public.towns SELECT i, 'r' || i % 5, i * 100 FROM generate_series(1, 40) AS i;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 30, max_groups_per_unit => 5, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.people', privacy_unit => 'person', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.stays', 'cost', 0, 30);
SELECT dp_noise.set_values('public.stays', 'kind', '{0,1,2,3}');
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget(who, r::text, 1e12, delta => 1)
FROM unnest('{public.stays,public.people}'::regclass[]) AS r, unnest('{gate_ann,gate_bob}'::regrole[]) AS who;
GRANT SELECT ON public.plain_stays, public.plain_people, public.towns TO gate_ann, gate_bob;
CREATE VIEW public.young AS SELECT id, person, cost FROM public.stays WHERE cost < 10;
CREATE VIEW public.young_behind_barrier WITH (security_barrier) AS SELECT id, person, cost FROM public.stays WHERE cost < 10;
CREATE VIEW public.hidden AS SELECT * FROM public.stays;
CREATE VIEW public.secret_towns AS SELECT * FROM public.towns WHERE size > 3000;
CREATE TABLE public.private_towns (id integer PRIMARY KEY);
CREATE TABLE public.secret (id integer PRIMARY KEY, x integer);
CREATE VIEW public.through AS SELECT s.id, x FROM public.stays AS s JOIN public.secret ON secret.id = kind;
GRANT SELECT ON public.young, public.young_behind_barrier, public.secret_towns, public.through TO gate_ann, gate_bob;
RESET ROLE;

SET SESSION AUTHORIZATION gate_ann;
CREATE VIEW gate_ann.mine AS SELECT id, person AS who, cost * 1 AS computed, cost, kind, smoker FROM public.stays WHERE NOT smoker;
CREATE VIEW gate_ann.of_mine AS SELECT who, m.cost, region, kind FROM gate_ann.mine AS m JOIN public.towns ON towns.id = m.cost;
CREATE VIEW gate_ann.peeking AS SELECT * FROM public.secret_towns;
RESET SESSION AUTHORIZATION;

-- As the plain query, at a large epsilon: e^-300 is the chance of another answer.
CREATE FUNCTION t.same(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	asked text;
BEGIN
	plain := t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(replace(replace(command, 'dp_count', 'count'), 'dp_sum(', 'sum('), '\m(stays|people)\M', 'plain_\1', 'g')));
	asked := t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer', command));
	RETURN is(asked, plain, 'as the plain query: ' || command);
END
$$;
ALTER ROLE gate_ann SET dp_noise.epsilon = 100000;
SET dp_noise.epsilon = 100000;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM (SELECT * FROM stays) AS s',
	'SELECT dp_count(*) FROM (SELECT id FROM stays WHERE cost > 3) AS s',
	'SELECT dp_count(*) FROM (SELECT * FROM stays WHERE cost > 3) AS s WHERE smoker',
	'SELECT dp_count(*) FROM (SELECT * FROM (SELECT id, cost AS c FROM stays WHERE cost > 3) AS a WHERE c < 20) AS s WHERE c <> 7',
	'SELECT dp_count(c) FROM (SELECT CASE WHEN smoker THEN cost END AS c FROM stays) AS s',
	'SELECT dp_sum(c) FROM (SELECT cost AS c FROM stays WHERE kind = 2) AS s',
	'SELECT k, dp_count(*) FROM (SELECT kind AS k FROM stays WHERE cost > 3) AS s GROUP BY k HAVING dp_count(*) > 0',
	'SELECT k, dp_count(*) FILTER (WHERE c > 5) FROM (SELECT kind AS k, cost AS c FROM stays) AS s GROUP BY k HAVING dp_count(*) > 10',
	'SELECT old, dp_count(*) FROM (SELECT cost > 15 AS old FROM stays) AS s GROUP BY old HAVING dp_count(*) > 0',
	'SELECT dp_count(*) FROM (SELECT * FROM stays ORDER BY cost) AS s',
	'SELECT dp_count(*) FROM (SELECT t, cost FROM (SELECT town AS t, cost FROM stays) AS a) AS s (a, b) WHERE b > 3',
	'WITH s AS (SELECT * FROM stays) SELECT dp_count(*) FROM s',
	'WITH s AS (SELECT * FROM stays WHERE cost > 3), u AS (SELECT id, kind FROM s WHERE kind > 0) SELECT dp_count(*) FROM u WHERE kind < 3',
	'WITH s AS MATERIALIZED (SELECT * FROM stays WHERE cost > 3) SELECT kind, dp_count(*) FROM s GROUP BY kind HAVING dp_count(*) > 0',
	'WITH s AS (SELECT * FROM stays) SELECT (SELECT dp_count(*) FROM s WHERE cost > 3), (SELECT dp_count(*) FROM s WHERE cost > 4)',
	'WITH s AS (SELECT * FROM stays) SELECT a.n - b.n FROM (SELECT dp_count(*) AS n FROM s) AS a, (SELECT dp_count(*) AS n FROM s WHERE kind = 1) AS b',
	'SELECT n FROM (WITH s AS (SELECT * FROM stays) SELECT dp_count(*) AS n FROM s) AS q',

	-- joins in them, and of them
	'SELECT dp_count(*) FROM (SELECT region, cost FROM stays JOIN towns ON towns.id = town) AS s WHERE cost > 3',
	'SELECT region, dp_count(*) FROM (SELECT region, cost FROM stays JOIN towns ON towns.id = town) AS s GROUP BY region HAVING dp_count(*) > 0',
	'SELECT dp_count(*) FROM (SELECT region, cost FROM stays, towns WHERE towns.id = town) AS s WHERE region = ''r1''',
	'SELECT dp_count(*) FROM (SELECT * FROM stays WHERE cost > 3) AS s JOIN towns ON towns.id = town',
	'SELECT dp_count(*) FROM (SELECT * FROM stays WHERE cost > 3) AS s JOIN towns ON towns.id = town AND size > 1000 WHERE smoker',
	'SELECT dp_count(*) FROM stays JOIN (SELECT id, region FROM towns WHERE size > 1000) AS s ON s.id = town',
	'SELECT region, dp_count(*) FROM stays JOIN (SELECT id, region FROM towns WHERE size > 1000) AS s ON s.id = town WHERE region = ''r1'' GROUP BY region HAVING dp_count(*) > 0',
	'SELECT dp_count(region) FROM (SELECT * FROM stays WHERE cost > 3) AS s LEFT JOIN towns ON towns.id = town',
	'SELECT dp_count(region) FROM towns RIGHT JOIN (SELECT * FROM stays WHERE cost > 3) AS s ON towns.id = town',
	'SELECT dp_count(region) FROM stays LEFT JOIN (SELECT id, region FROM towns) AS s ON s.id = town',
	'SELECT dp_count(*) FROM stays LEFT JOIN (SELECT id, region FROM towns) AS s ON s.id = town WHERE region IS NULL',
	'SELECT dp_count(region) FROM (SELECT region FROM stays LEFT JOIN (SELECT id AS i, region FROM towns) AS t ON i = town WHERE cost > 3) AS s',
	'SELECT dp_count(*) FROM (SELECT * FROM stays WHERE cost > 3) AS s JOIN (SELECT * FROM people WHERE born > 1910) AS p ON p.person = s.person',
	'SELECT dp_count(*) FROM (SELECT * FROM stays WHERE cost > 3) AS s JOIN people USING (person) WHERE born > 1910',
	'SELECT dp_count(born) FROM (SELECT * FROM stays WHERE cost > 3) AS s LEFT JOIN (SELECT * FROM people WHERE born > 1910) AS p ON p.person = s.person',
	'SELECT dp_count(*) FROM (SELECT cost, born FROM stays JOIN people USING (person)) AS s WHERE born > 1910 AND cost < 9',
	'WITH s AS (SELECT * FROM stays WHERE cost > 3) SELECT dp_count(*) FROM s JOIN people AS p ON s.person = p.person WHERE born > 1910'
]) AS c;

-- views
CREATE FUNCTION t.as_written(one text, other text) RETURNS text LANGUAGE sql AS $$
SELECT is(t.run('gate_ann', one), t.run('gate_ann', other), one || ' as ' || other)
$$;
SELECT t.as_written('SELECT dp_count(*) FROM ' || one, 'SELECT dp_count(*) FROM ' || other) FROM (VALUES
	('young', 'stays WHERE cost < 10'),
	('young WHERE cost > 3', 'stays WHERE cost < 10 AND cost > 3'),
	('young_behind_barrier WHERE cost > 3', 'stays WHERE cost < 10 AND cost > 3'),
	('mine', 'stays WHERE NOT smoker'),
	('mine WHERE kind = 1', 'stays WHERE NOT smoker AND kind = 1'),
	('of_mine WHERE region = ''r1''', 'stays JOIN towns ON towns.id = cost WHERE NOT smoker AND region = ''r1'''),
	('stays JOIN secret_towns ON secret_towns.id = town', 'stays JOIN towns ON towns.id = town AND size > 3000'),
	('stays JOIN peeking ON peeking.id = town', 'stays JOIN towns ON towns.id = town AND size > 3000'),
	('(SELECT * FROM young) AS s JOIN people USING (person)', 'stays JOIN people USING (person) WHERE cost < 10')
) AS v (one, other);

-- privileges: of a view, and of its owner's on what it reads besides
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM hidden');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM stays JOIN hidden USING (person)');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM through'), '0', 'the owner of a view may read another relation');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM stays JOIN secret ON secret.id = kind');
SET ROLE gate_owner;
GRANT SELECT ON public.hidden TO gate_ann;
RESET ROLE;
SELECT t.run('gate_ann', 'PREPARE of_hidden AS SELECT dp_count(*) FROM hidden');
SELECT is(t.run('gate_ann', 'EXECUTE of_hidden'), '900', 'a view that may be read');
SELECT is(t.run('gate_ann', 'EXECUTE of_hidden'), '900', 'and again');
SET ROLE gate_owner;
REVOKE SELECT ON public.hidden FROM gate_ann;
RESET ROLE;
SELECT t.refuse('42501', 'EXECUTE of_hidden');
SET ROLE gate_owner;
GRANT SELECT (id, cost) ON public.hidden TO gate_ann;
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM hidden WHERE cost > 3');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM hidden WHERE kind = 3');

-- With SELECT on neither table nor view nothing comes out but by the gate.
SELECT t.accept('SELECT count(*) FROM mine');
SELECT t.refuse('0A000', 'WITH s AS (SELECT * FROM stays) SELECT dp_count(*), (SELECT max(cost) FROM s) FROM s');
SELECT t.refuse('42501', 'WITH s AS (SELECT * FROM stays) SELECT * FROM s, (SELECT dp_count(*) FROM s) AS q');
SELECT t.refuse('42501', 'SELECT * FROM (SELECT * FROM stays) AS s, (SELECT dp_count(*) FROM stays) AS q');

-- with an owner for every row
SELECT t.accept('SELECT dp_count(*) FROM ' || c) FROM unnest(ARRAY[
	'(SELECT cost FROM stays UNION ALL SELECT cost FROM stays) AS s',
	'(SELECT * FROM stays WHERE cost IN (SELECT id FROM towns)) AS s',
	'(SELECT a.id FROM stays AS a JOIN stays AS b USING (person)) AS s',
	'(SELECT * FROM stays) AS a JOIN (SELECT * FROM stays) AS b USING (id)',
	'stays LEFT JOIN (SELECT id, size > 5 AS big FROM towns) AS s ON s.id = town',
	'stays LEFT JOIN (SELECT id FROM towns WHERE size > 1000) AS s ON s.id = town']) AS c;

-- what is refused as before
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM ' || c) FROM unnest(ARRAY[
	'(SELECT * FROM stays LIMIT 5) AS s',
	'(SELECT * FROM stays OFFSET 5) AS s',
	'(SELECT DISTINCT cost FROM stays) AS s',
	'(SELECT cost FROM stays GROUP BY cost) AS s',
	'(SELECT count(*) FROM stays) AS s',
	'(SELECT rank() OVER (ORDER BY cost) FROM stays) AS s',
	'(SELECT generate_series(1, cost) FROM stays) AS s',
	'(SELECT * FROM stays FOR SHARE) AS s',
	'(SELECT * FROM stays TABLESAMPLE SYSTEM (50)) AS s',
	'(SELECT * FROM ONLY stays) AS s',
	'(SELECT random() AS c FROM stays) AS s WHERE c > 0.5',
	'(SELECT stays AS r FROM stays) AS s WHERE r IS NOT NULL',
	'(SELECT * FROM stays) AS s WHERE s IS NOT NULL',
	'(SELECT ctid AS c FROM stays) AS s WHERE c IS NOT NULL',
	'(SELECT * FROM stays) AS s, LATERAL (SELECT s.cost AS c) AS l WHERE c > 3',
	'towns LEFT JOIN (SELECT * FROM stays) AS s ON town = towns.id',
	'(SELECT * FROM stays) AS s FULL JOIN towns ON town = towns.id'
]) AS c;
SELECT t.accept('SELECT dp_count(*) FROM ' || c) FROM unnest(ARRAY['(SELECT cost / 2 AS c FROM stays) AS s WHERE c > 1', 'mine WHERE computed > 3']) AS c;
SELECT t.refuse('0A000', 'WITH RECURSIVE s AS (SELECT cost FROM stays UNION ALL SELECT cost FROM s WHERE cost < 0) SELECT dp_count(*) FROM s');
SELECT t.refuse('0A000', 'WITH s AS (SELECT cost FROM stays WHERE random() < 0.5) SELECT dp_count(*) FROM s');

-- of what is public, too
SELECT t.as_written(one, other) FROM (VALUES
	('WITH w AS (SELECT * FROM towns) SELECT dp_count(*) FROM stays JOIN w ON w.id = town WHERE region = ''r1''',
		'SELECT dp_count(*) FROM stays JOIN (SELECT * FROM towns) AS w ON w.id = town WHERE region = ''r1'''),
	('WITH w AS MATERIALIZED (SELECT * FROM towns), v AS (SELECT a.id FROM w AS a JOIN w AS b ON a.id = b.id) SELECT dp_count(*) FROM stays JOIN w ON w.id = town WHERE EXISTS (SELECT FROM v WHERE v.id = cost)',
		'SELECT dp_count(*) FROM stays JOIN (SELECT * FROM towns) AS w ON w.id = town WHERE EXISTS (SELECT FROM (SELECT a.id FROM (SELECT * FROM towns) AS a JOIN (SELECT * FROM towns) AS b ON a.id = b.id) AS v WHERE v.id = cost)'),
	('SELECT n FROM (WITH w AS (SELECT * FROM towns) SELECT dp_count(*) AS n FROM stays LEFT JOIN w ON w.id = town) AS q',
		'SELECT dp_count(*) FROM stays LEFT JOIN (SELECT * FROM towns) AS w ON w.id = town')) AS v (one, other);
SELECT t.refuse('0A000', 'WITH w AS (SELECT *, random() FROM towns) SELECT dp_count(*) FROM stays JOIN w ON w.id = town');
SELECT t.refuse('42501', 'WITH w AS (SELECT * FROM private_towns) SELECT dp_count(*) FROM stays JOIN w ON w.id = town');

-- Names of names were written out until there was no memory left.
SET statement_timeout = '60s';
SELECT t.refuse('0A000', format('WITH c0 AS (SELECT * FROM stays), %s SELECT dp_count(*) FROM c24', string_agg(format(
	'c%s AS (SELECT a.* FROM c%s AS a, c%2$s AS b WHERE a.id = b.id)', i, i - 1), ', ' ORDER BY i)))
FROM generate_series(1, 24) AS i;
RESET statement_timeout;

-- What is lateral in a sub-query has columns that would be others outside.
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM (SELECT s.cost FROM stays AS s, LATERAL (SELECT s.cost + 1 AS c) AS l) AS q JOIN (SELECT id AS i FROM towns) AS t ON i = cost');

-- One question, however it is written: bob is told once.
SELECT dp_noise.alter_population(r, on_repeat => 'refuse') FROM unnest('{public.stays,public.people}'::text[]) AS r \g /dev/null
ALTER ROLE gate_bob SET dp_noise.epsilon = 1;
SET dp_noise.epsilon = 1;
CREATE FUNCTION t.once(one text, other text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT matches(t.run('gate_bob', one), '^-?\d+$', one);
	RETURN NEXT matches(t.run('gate_bob', other), '^53400: .*before', other);
END
$$;
SELECT t.once(one, other) FROM (VALUES
	('SELECT dp_count(*) FROM stays WHERE cost > 1', 'SELECT dp_count(*) FROM (SELECT * FROM stays WHERE cost > 1) AS s'),
	('SELECT dp_count(*) FROM (SELECT kind AS k FROM stays WHERE cost > 2) AS s WHERE k = 1', 'WITH s AS (SELECT * FROM stays WHERE kind = 1) SELECT dp_count(*) FROM s WHERE cost > 2'),
	('SELECT dp_count(*) FROM young WHERE id > 5', 'SELECT dp_count(*) FROM stays WHERE id > 5 AND cost < 10'),
	('SELECT dp_count(*) FROM stays JOIN people USING (person) WHERE born > 1905', 'SELECT dp_count(*) FROM (SELECT p.born FROM people AS p, stays AS s WHERE p.person = s.person) AS q WHERE born > 1905'),
	('SELECT dp_count(*) FROM stays JOIN towns ON towns.id = town WHERE size > 1', 'SELECT dp_count(*) FROM stays JOIN (SELECT id AS i FROM towns WHERE size > 1) AS t ON i = town')
) AS v (one, other);
-- A trigger's rows are in no sub-query either, whatever their table is called.
SELECT t.run('gate_ann', 'CREATE TABLE gate_ann.made (x integer)'), t.run('gate_ann', 'CREATE TABLE gate_ann.said (x text)'),
	t.run('gate_ann', $$CREATE FUNCTION gate_ann.ask() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE
	question text;
BEGIN
	FOREACH question IN ARRAY TG_ARGV LOOP
		BEGIN
			EXECUTE question;
		EXCEPTION WHEN OTHERS THEN
			INSERT INTO gate_ann.said VALUES (SQLERRM);
		END;
	END LOOP;
	RETURN NULL;
END
$f$ $$),
	t.run('gate_ann', $$CREATE TRIGGER ask AFTER INSERT ON gate_ann.made REFERENCING NEW TABLE AS dp_public_1 FOR EACH STATEMENT EXECUTE FUNCTION gate_ann.ask('SELECT dp_count(*) FROM patients WHERE EXISTS (SELECT FROM dp_public_1)',
		'SELECT dp_count(*) FROM patients WHERE age IN (SELECT x FROM dp_public_1)', 'SELECT dp_count(*) FROM patients JOIN (SELECT x FROM dp_public_1) AS n ON x = age', 'SELECT dp_count(*) FROM patients JOIN dp_public_1 ON x = age')$$),
	t.run('gate_ann', 'INSERT INTO gate_ann.made VALUES (1)');
SELECT results_eq('SELECT x, count(*) FROM gate_ann.said GROUP BY x', $$VALUES ('a transition table cannot be used in a query over a protected relation', 4::bigint)$$, 'transition tables');

-- COLLATE is dropped from keys, whose values are compared byte by byte
CREATE COLLATION gate_ann.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT matches(t.run('gate_ann', q), '^0A000: a nondeterministic collation in ', q) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM (SELECT DISTINCT person, kind::text COLLATE blind FROM stays) AS s',
	'SELECT dp_count(*) FROM (SELECT person, kind::text COLLATE blind FROM stays GROUP BY 1, 2) AS s',
	'SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY person, kind::text COLLATE blind ORDER BY kind, cost) AS n FROM stays) AS s WHERE n = 1']) AS q;
SELECT * FROM finish();
\ir support/gate_end.sql
