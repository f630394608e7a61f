-- The rules that give rows an owner: of each a question that it lets through,
-- with the answer of the plain query, and one that it refuses; and what broke a
-- rule once (test/fuzz/rows.pl looks for more).
\ir support/gate.sql
SELECT no_plan();

-- Of one population: c and o, l, by a path over o, and m, which is somebody else's.
-- i has people of its own; s is somebody else's, of other people.
SET ROLE gate_owner;
CREATE TABLE public.c (u integer PRIMARY KEY, k integer UNIQUE, x integer, b boolean);
CREATE TABLE public.o (id integer PRIMARY KEY, u integer REFERENCES public.c, x integer, b boolean);
CREATE TABLE public.l (oid integer REFERENCES public.o, x integer);
CREATE TABLE public.i (u integer, x integer, b boolean);
CREATE TABLE public.r (u integer PRIMARY KEY, x integer);
INSERT INTO public.c SELECT i, CASE WHEN i % 6 > 0 THEN i END, i % 5, i % 3 = 0 FROM generate_series(1, 60) AS i;
INSERT INTO public.o SELECT i, NULLIF(i % 55, 0), NULLIF(i % 7, 6), i % 2 = 0 FROM generate_series(1, 200) AS i;
INSERT INTO public.l SELECT NULLIF(i % 200, 0), i % 6 FROM generate_series(1, 400) AS i;
INSERT INTO public.i SELECT NULLIF(i % 50, 49), NULLIF(i % 6, 5), i % 4 = 0 FROM generate_series(1, 150) AS i;
INSERT INTO public.r SELECT i, i % 5 FROM generate_series(1, 30) AS i;
CREATE TABLE public.p (id integer PRIMARY KEY, x integer, t text);
INSERT INTO public.p VALUES (0, 1, 'a'), (1, 1, 'b'), (2, NULL, 'c'), (3, 2, NULL);
CREATE VIEW public.vp AS SELECT x, count(*) AS n FROM public.p GROUP BY x;
CREATE FUNCTION public.f(integer) RETURNS SETOF integer LANGUAGE sql AS 'SELECT generate_series(1, $1)';
CREATE VIEW public.vo AS SELECT u, x FROM public.o WHERE b;
CREATE VIEW public.vg AS SELECT u, count(*) AS n FROM public.o GROUP BY u;
GRANT SELECT ON public.p, public.vp, public.vo, public.vg TO gate_ann;
SELECT dp_noise.protect('public.c', privacy_unit => 'u', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.o', privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, population => 'public.c');
SELECT dp_noise.allow_members('public.c', 'gate_bob');
SELECT dp_noise.protect('public.l', privacy_unit => 'oid -> o', max_rows_per_unit => 3, max_groups_per_unit => 3);
SELECT dp_noise.protect('public.i', privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.r', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population(t::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', t::text, 1e12, delta => 1) FROM unnest('{c,o,l,i,r}'::regclass[]) AS t;
RESET ROLE;
SET ROLE gate_bob;
CREATE TABLE public.s (u integer, x integer);
INSERT INTO public.s SELECT i % 45, i % 4 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.s', privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.s', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.s', 1e12, delta => 1);
CREATE TABLE public.m AS SELECT * FROM public.s;
SELECT dp_noise.protect('public.m', privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, population => 'public.c');
RESET ROLE;

-- The same, of rows that somebody owns.
CREATE SCHEMA plain;
CREATE TABLE plain.c AS SELECT * FROM public.c;
CREATE TABLE plain.o AS SELECT * FROM public.o WHERE u IS NOT NULL;
CREATE TABLE plain.l AS SELECT * FROM public.l WHERE oid IN (SELECT id FROM plain.o);
CREATE TABLE plain.i AS SELECT * FROM public.i WHERE u IS NOT NULL;
CREATE TABLE plain.r AS SELECT * FROM public.r;
CREATE TABLE plain.s AS SELECT * FROM public.s;
CREATE TABLE plain.m AS SELECT * FROM public.m;
CREATE VIEW plain.vo AS SELECT u, x FROM plain.o WHERE b;
CREATE VIEW plain.vg AS SELECT u, count(*) AS n FROM plain.o GROUP BY u;

-- At this epsilon, and with these caps, answers are true.
SET dp_noise.epsilon = 100000;
SET dp_noise.max_rows_per_unit = 10000;
SET dp_noise.max_groups_per_unit = 100;
SET dp_noise.delta = 1e-6;
CREATE FUNCTION t.same(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	PERFORM set_config('search_path', 'plain, public', false);
	EXECUTE format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(replace(replace(command, 'dp_count(', 'count('), 'dp_sum(', 'sum('), 'dp_count_distinct\(([^)]*)\)', 'count(DISTINCT \1)', 'g')) INTO plain;
	RESET search_path;
	RETURN is(t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(command, 'dp_sum\(([^)]*)\)', 'dp_sum(\1, 0, 1000)', 'g'))), plain, 'as the plain query: ' || command);
END
$$;

------------------------------------------------------------------------------
-- The rules, in the order in which they are told

SELECT t.same('SELECT dp_count(*) FROM ' || q) FROM unnest(ARRAY[
	-- protected relations, by a column, by a path, by the row
	'c', 'o', 'o WHERE x > 2', 'l', 'l WHERE x = 1', 'i', 'r', 'r WHERE x > 1',

	-- joins to what is public, whatever the condition
	'o JOIN p ON o.x = p.id', 'o JOIN p ON o.x < p.x OR p.t = ''c''', 'o, p', 'o CROSS JOIN vp WHERE vp.n <> o.x',
	'o JOIN f(3) AS g ON g >= x', 'o JOIN (VALUES (1), (NULL), (1)) AS v (x) ON v.x IS NOT DISTINCT FROM o.x',
	'o JOIN (SELECT x, max(id) AS m FROM p GROUP BY x ORDER BY 2 LIMIT 2) AS q ON q.m > o.x', 'r JOIN p ON p.x = r.x', 'l JOIN p ON p.x = l.x',
	'o LEFT JOIN p ON o.x = p.x', 'o LEFT JOIN p ON false', 'p RIGHT JOIN o ON p.x < o.x', 'o LEFT JOIN (p JOIN vp ON p.x = vp.x) ON p.id = o.x', 'r LEFT JOIN p ON p.x = r.x',

	-- joins of owned rows of one unit
	'c JOIN o ON c.u = o.u', 'c, o WHERE o.u = c.u AND o.x < c.x', 'o AS a JOIN o AS b ON a.u = b.u', 'o AS a JOIN o AS b ON a.id = b.id', 'o JOIN l ON l.oid = o.id', 'c JOIN o USING (u) JOIN l ON l.oid = o.id',
	'l AS a JOIN l AS b ON a.oid = b.oid', 'o JOIN i ON o.u = i.u AND o.x <> i.x', 'c JOIN s ON c.u = s.u', 'c JOIN p ON p.id = c.x JOIN o ON o.u = c.u AND o.x = p.x',
	'c LEFT JOIN o ON c.u = o.u', 'c LEFT JOIN o ON c.u = o.u AND o.x > c.x', 'c LEFT JOIN (o JOIN l ON l.oid = o.id) ON o.u = c.u', 'c LEFT JOIN (o LEFT JOIN i ON i.u = o.u) ON o.u = c.u', 'i RIGHT JOIN c ON i.u = c.u', 'c LEFT JOIN s ON s.u = c.u', 'c LEFT JOIN o ON o.u = c.u LEFT JOIN i ON i.u = o.u', 'c JOIN m ON m.u = c.u', 'c LEFT JOIN m ON m.u = c.u AND m.x <> c.x', 'm LEFT JOIN o ON m.u = o.u',

	-- sub-queries as conditions, over public rows
	'o WHERE EXISTS (SELECT FROM p WHERE p.x = o.x)', 'o WHERE NOT EXISTS (SELECT FROM p WHERE p.x < o.x)', 'o WHERE x IN (SELECT x FROM p)', 'o WHERE x NOT IN (SELECT x FROM p WHERE x > 1)', 'o WHERE x NOT IN (SELECT x FROM p)',
	'o WHERE x = ANY (SELECT x FROM p WHERE p.id > o.x)', 'o WHERE x <> ALL (SELECT id FROM p)', 'o WHERE x > (SELECT min(p.x) FROM p WHERE p.id <> o.x)',

	-- and over those of the row's own unit
	'c WHERE EXISTS (SELECT FROM o WHERE o.u = c.u)', 'c WHERE NOT EXISTS (SELECT FROM o WHERE o.u = c.u AND o.x = c.x)', 'c WHERE u IN (SELECT u FROM o)', 'c WHERE u NOT IN (SELECT u FROM o)', 'c WHERE u NOT IN (SELECT u FROM o WHERE o.x > c.x)', 'c WHERE u = ANY (SELECT u FROM i)',
	'o WHERE (u, x) IN (SELECT u, x FROM i)', 'o WHERE (u, x) NOT IN (SELECT u, x FROM i)', 'o WHERE x NOT IN (SELECT x FROM i WHERE i.u = o.u)', 'o WHERE id IN (SELECT oid FROM l WHERE l.x > 3)', 'o WHERE id NOT IN (SELECT oid FROM l)', 'o WHERE id IN (SELECT oid FROM l GROUP BY oid HAVING sum(x) > 6)',
	'c WHERE u IN (SELECT u FROM o GROUP BY u HAVING count(*) > 3)', 'c WHERE EXISTS (SELECT FROM o WHERE o.u = c.u AND NOT EXISTS (SELECT FROM i WHERE i.u = c.u AND i.x = o.x))', 'c WHERE x < (SELECT count(*) FROM o WHERE o.u = c.u)', 'c WHERE NOT EXISTS (SELECT FROM s WHERE s.u = c.u)', 'c WHERE u NOT IN (SELECT u FROM m WHERE m.x > c.x)', 'c WHERE 1 = ALL (SELECT o.x FROM o WHERE o.u = c.u)',

	-- sub-queries in FROM, WITH, views
	'(SELECT u, x FROM o WHERE x > 1) AS q', '(SELECT o.x, p.t FROM o JOIN p ON p.x = o.x) AS q WHERE t = ''b''', 'vo WHERE x > 2', 'vg WHERE n > 3', 'c LEFT JOIN vg ON vg.u = c.u WHERE n IS NULL', 'c LEFT JOIN vo ON vo.u = c.u',

	-- of each unit's rows
	'(SELECT u, count(*) AS n FROM o GROUP BY u) AS q WHERE n > 3', '(SELECT u, b, sum(x) AS n FROM o GROUP BY u, b HAVING count(x) > 1) AS q WHERE n > 3', '(SELECT id, count(l.x) AS n FROM o LEFT JOIN l ON l.oid = id GROUP BY id) AS q WHERE n = 2', '(SELECT oid, max(x) AS m FROM l GROUP BY oid) AS q WHERE m = 3',
	'(SELECT u, count(DISTINCT x) AS n, min(x), avg(x), bool_or(b), bool_and(b) FROM o GROUP BY u) AS q WHERE n < 4', 'c JOIN (SELECT u, count(*) AS n FROM o GROUP BY u) AS q ON q.u = c.u AND n > c.x',
	'(SELECT DISTINCT u, x FROM o) AS q', '(SELECT DISTINCT id FROM o) AS q', '(SELECT count(*) OVER (PARTITION BY u) AS n, x FROM o) AS q WHERE n = 4', '(SELECT rank() OVER (PARTITION BY u, b ORDER BY x) AS n FROM o) AS q WHERE n = 2', '(SELECT row_number() OVER (PARTITION BY u ORDER BY id) AS n FROM o) AS q WHERE n = 3',
	'(SELECT u, x FROM o UNION ALL SELECT u, x FROM c) AS q WHERE x = 2', '(SELECT u, x FROM c UNION ALL SELECT u, x FROM m) AS q WHERE x = 2', '(SELECT u, count(*) AS n FROM (SELECT u FROM o UNION ALL SELECT u FROM c UNION ALL SELECT u FROM vo) AS q GROUP BY u) AS g WHERE n > 5']) AS q;
SELECT t.same(c) FROM unnest(ARRAY[
	'WITH w AS (SELECT u, x FROM o WHERE b) SELECT dp_count(*) FROM w AS a JOIN w AS b ON a.u = b.u AND a.x < b.x',
	'SELECT dp_count_distinct(u), dp_sum(x), dp_count(x) FROM o',
	'SELECT dp_count_distinct(u) FROM (SELECT u, x FROM o UNION ALL SELECT u, x FROM c) AS q WHERE x = 2',
	'SELECT c.b, dp_count(*), dp_sum(o.x) AS s FROM c JOIN o ON o.u = c.u GROUP BY c.b HAVING dp_count(*) > 0',
	'SELECT t, dp_count(*) FROM o LEFT JOIN p ON p.id = o.x GROUP BY t HAVING dp_count(*) > 0',
	'SELECT x, dp_count(*) FROM o GROUP BY x',
	'SELECT n, dp_count(*) FROM (SELECT count(*) AS n FROM o GROUP BY u) AS q GROUP BY n',
	'SELECT dp_count(*) FILTER (WHERE EXISTS (SELECT FROM i WHERE i.u = o.u AND i.x = o.x)) FROM o']) AS c;

SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM ' || q) FROM unnest(ARRAY[
	'ONLY o', 'o TABLESAMPLE SYSTEM (50)', 'o JOIN p ON random() < 0.5', 'o JOIN p ON pg_sleep(o.x + p.x) IS NULL',
	'p LEFT JOIN o ON p.x = o.x', 'o RIGHT JOIN p ON p.x = o.x', 'o FULL JOIN p ON p.x = o.x', 'o FULL JOIN c ON o.u = c.u', 'c LEFT JOIN (p LEFT JOIN o ON p.x = o.x) ON o.u = c.u',
	'c JOIN o ON c.x = o.x', 'c, o', 'c JOIN o ON c.u = o.x', 'c JOIN o ON c.u = o.u OR c.x = o.x', 'o AS a JOIN o AS b ON a.x = b.x', 'r AS a JOIN r AS b ON a.u = b.u', 'o JOIN l ON l.x = o.id', 'c JOIN i ON c.u = i.x',
	'c LEFT JOIN o ON c.x = o.x', 'c LEFT JOIN o ON true', 'c LEFT JOIN o ON o.u = c.u LEFT JOIN i ON i.x = o.u', 'c LEFT JOIN (o JOIN i ON o.x = i.x) ON o.u = c.u', 'c LEFT JOIN (o LEFT JOIN i ON i.x = o.x) ON o.u = c.u',
	'o WHERE EXISTS (SELECT FROM p WHERE pg_sleep(p.x + o.x) IS NULL)', 'o WHERE x = (SELECT p.x FROM p WHERE p.id = o.x)',
	'c WHERE EXISTS (SELECT FROM o WHERE o.x = c.x)', 'c WHERE NOT EXISTS (SELECT FROM o)', 'c WHERE x IN (SELECT x FROM o)', 'c WHERE x NOT IN (SELECT u FROM o)', 'c WHERE u > ANY (SELECT u FROM o)', 'c WHERE x < (SELECT count(*) FROM o)', 'c WHERE u IN (SELECT max(u) FROM o)', 'c WHERE u IN (SELECT u FROM o LIMIT 3)', 'c WHERE u IN (SELECT max(u) FROM o GROUP BY x)',
	'c WHERE EXISTS (SELECT FROM p WHERE EXISTS (SELECT FROM o WHERE o.x = p.x))', 'c WHERE NOT EXISTS (SELECT FROM o WHERE o.u = c.u OR o.x = 3)', 'c WHERE EXISTS (SELECT FROM o LEFT JOIN i ON i.u = o.u WHERE o.x = c.x AND (i.u = c.u OR i.u IS NULL))',
	'(SELECT * FROM o LIMIT 5) AS q', '(SELECT * FROM o OFFSET 5) AS q', '(SELECT * FROM o FOR SHARE) AS q',
	'(SELECT x, count(*) FROM o GROUP BY x) AS q', '(SELECT count(*) AS n FROM o) AS q', '(SELECT u, string_agg(x::text, '','') AS n FROM o GROUP BY u) AS q WHERE n = ''1''', '(SELECT o.x FROM o JOIN c USING (u) GROUP BY o.x, c.x) AS q',
	'(SELECT DISTINCT x FROM o) AS q', '(SELECT DISTINCT ON (u) x FROM o) AS q', '(SELECT rank() OVER (ORDER BY x) AS n FROM o) AS q', '(SELECT count(*) OVER (PARTITION BY x) AS n FROM o) AS q', '(SELECT ntile(2) OVER (PARTITION BY u ORDER BY x) AS n FROM o) AS q WHERE n = 1',
	'(SELECT u FROM o INTERSECT ALL SELECT u FROM c) AS q', '(SELECT u FROM o EXCEPT ALL SELECT u FROM c) AS q', '(SELECT u FROM o UNION ALL SELECT x FROM p) AS q', '(SELECT u FROM o UNION ALL SELECT u FROM i) AS q', '(SELECT u FROM o UNION ALL SELECT u FROM s) AS q']) AS q;
SELECT t.refuse('0A000', 'WITH RECURSIVE w AS (SELECT u FROM o UNION ALL SELECT u + 1 FROM w WHERE u < 9) SELECT dp_count(*) FROM w');

------------------------------------------------------------------------------
-- Where nulls let others' rows decide

-- A null key is unequal to no other unit's key: one of them decides about all.
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM ' || q) FROM unnest(ARRAY[
	'c WHERE k NOT IN (SELECT k FROM c AS d)', 'c WHERE (k IN (SELECT k FROM c AS d)) IS NULL', 'c WHERE k IN (SELECT k FROM c AS d)',
	'c WHERE (u, x, x) NOT IN (SELECT o.x, o.x, o.u FROM o)', 'o WHERE (u, x, x) NOT IN (SELECT i.x, i.x, i.u FROM i)',
	'(SELECT k, count(*) AS n FROM c GROUP BY k) AS q', '(SELECT DISTINCT k FROM c) AS q', '(SELECT count(*) OVER (PARTITION BY k) AS n FROM c) AS q']) AS q;
-- Nulls of the unit's own rows are compared as ever.
SELECT t.same('SELECT dp_count(*) FROM ' || q) FROM unnest(ARRAY[
	'i WHERE (u, x) NOT IN (SELECT u, x FROM o WHERE b)', 'i WHERE (u, 3) NOT IN (SELECT u, x FROM o)', 'i WHERE ((u, x) IN (SELECT u, x FROM o)) IS NULL', 'c AS a JOIN o ON o.u = a.u WHERE (a.u, a.x) NOT IN (SELECT u, x FROM i)']) AS q;

------------------------------------------------------------------------------
-- Other people's rows stay where one unit's go: the price of a substitution

CREATE FUNCTION t.substitutes(question text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || question LOOP
		found := found OR line ~ 'Neighbours: substitute';
	END LOOP;
	RETURN found;
END
$$;
SELECT is(t.substitutes('SELECT dp_sum(x, -2, 2) FROM (SELECT c.u, c.x FROM c ' || q || ') AS q'), expected, coalesce(nullif(q, ''), 'a table')) FROM (VALUES
	('', false),
	('JOIN o ON o.u = c.u', false), ('LEFT JOIN o ON o.u = c.u', false), ('LEFT JOIN m ON m.u = c.u', false), ('UNION ALL SELECT u, x FROM m', false), ('WHERE c.u IN (SELECT u FROM m)', false), ('WHERE NOT EXISTS (SELECT FROM o WHERE o.u = c.u)', false), ('JOIN s ON s.u = c.u', false), ('UNION ALL SELECT u, x FROM o', false),
	('LEFT JOIN s ON s.u = c.u', true), ('LEFT JOIN i ON i.u = c.u', true), ('WHERE EXISTS (SELECT FROM s WHERE s.u = c.u)', true), ('WHERE c.u NOT IN (SELECT u FROM i)', true),
	('JOIN s ON s.u = c.u GROUP BY c.u', true), ('UNION ALL SELECT o.u, s.x FROM o JOIN s ON s.u = o.u', true), ('JOIN s ON s.u = c.u UNION ALL SELECT u, x FROM o', true)) AS v (q, expected);

-- Somebody else's relation is asked about while the population's owner allows it.
SELECT dp_noise.allow_members('public.c', 'gate_bob', false);
SELECT t.refuse('55000', 'SELECT dp_count(*) FROM m');
SELECT t.refuse('55000', 'SELECT dp_count(*) FROM c JOIN m ON m.u = c.u');
SELECT t.accept('SELECT dp_count(*) FROM c JOIN o ON o.u = c.u');
SELECT dp_noise.allow_members('public.c', 'gate_bob');

-- EXPLAIN names keys that it cannot write.
SELECT matches(t.run('gate_ann', 'SELECT (SELECT max(p.x) FROM p WHERE p.id = o.x), dp_count(*) FROM o GROUP BY 1 LIMIT 1'), '.', 'a key with a sub-query');
SELECT lives_ok('EXPLAIN SELECT (SELECT max(p.x) FROM p WHERE p.id = o.x), dp_count(*) FROM o GROUP BY 1', 'is explained');

SELECT * FROM finish();
\ir support/gate_end.sql
