-- Whose rows are: what names a privacy unit, and what does not.
\ir support/gate.sql
SELECT no_plan();
CREATE COLLATION public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SET ROLE gate_owner;
CREATE TABLE public.towns (id integer PRIMARY KEY, code integer UNIQUE);
INSERT INTO public.towns SELECT i, i FROM generate_series(0, 3) AS i;
GRANT SELECT ON public.towns TO PUBLIC;
CREATE TABLE public.people (pid bigint PRIMARY KEY, town integer, code text COLLATE "C" NOT NULL UNIQUE, alias integer UNIQUE);
INSERT INTO public.people SELECT i, i % 5, 'c' || i, nullif(i, 7) FROM generate_series(1, 20) AS i;
CREATE TABLE public.visits (pid bigint, kind integer);
INSERT INTO public.visits SELECT i % 30, i % 3 FROM generate_series(1, 60) AS i;
CREATE TABLE public.scores (pid bigint UNIQUE, score integer);
INSERT INTO public.scores SELECT i, i % 4 FROM generate_series(1, 20, 2) AS i;
CREATE TABLE public.orders (oid integer PRIMARY KEY, number integer UNIQUE, pid bigint);
INSERT INTO public.orders SELECT i, nullif(i, 3) + 100, nullif(i % 6, 0) FROM generate_series(1, 20) AS i;
CREATE TABLE public.lines (oid integer, no integer NOT NULL, UNIQUE (oid, no));
INSERT INTO public.lines SELECT nullif(i % 25, 24), i FROM generate_series(1, 100) AS i;
CREATE TABLE public.pieces (id integer PRIMARY KEY, number integer);
INSERT INTO public.pieces SELECT i, 100 + i % 30 FROM generate_series(1, 60) AS i;
CREATE TABLE public.called (ref bigint, x integer);
INSERT INTO public.called SELECT nullif(i % 30, 29), i FROM generate_series(1, 60) AS i;
CREATE TABLE public.rowed (id integer PRIMARY KEY, v integer);
INSERT INTO public.rowed SELECT i, i % 7 FROM generate_series(1, 20) AS i;
CREATE TABLE public.notes (rid integer, v integer);
INSERT INTO public.notes SELECT i % 25, i % 3 FROM generate_series(1, 50) AS i;
CREATE TABLE public.texts (name text COLLATE "C" PRIMARY KEY, v integer);
INSERT INTO public.texts VALUES ('a', 1), ('A', 2), ('b', 3);
CREATE TABLE public.mentions (name text COLLATE public.caseless, v integer);
INSERT INTO public.mentions VALUES ('a', 1), ('A', 2), ('B', 3), (NULL, 4);
CREATE TABLE public.folded (pid integer, name text COLLATE public.caseless PRIMARY KEY);
CREATE TABLE public.foldings (name text COLLATE "C", v integer);
CREATE TABLE public.apart (pid bigint PRIMARY KEY, v integer, w integer);
INSERT INTO public.apart SELECT i, i, i FROM generate_series(1, 10) AS i;
SELECT dp_noise.protect(r, privacy_unit => 'pid', epsilon => 1e13, delta => 1, max_rows_per_unit => 50) FROM unnest('{people,visits,scores,folded,apart}'::text[]) AS r;
SELECT dp_noise.protect('orders', privacy_unit => 'pid', population => 'people', max_rows_per_unit => 50),
	dp_noise.protect('lines', privacy_unit => 'oid -> orders', max_rows_per_unit => 50),
	dp_noise.protect('pieces', privacy_unit => 'number -> orders(number)', max_rows_per_unit => 50),
	dp_noise.protect('called', privacy_unit => 'ref -> people', max_rows_per_unit => 50),
	dp_noise.protect('rowed', epsilon => 1e13, delta => 1),
	dp_noise.protect('notes', privacy_unit => 'rid -> rowed', max_rows_per_unit => 50),
	dp_noise.protect('texts', privacy_unit => 'name', epsilon => 1e13, delta => 1),
	dp_noise.protect('mentions', privacy_unit => 'name -> texts', max_rows_per_unit => 50),
	dp_noise.protect('foldings', privacy_unit => 'name -> folded', max_rows_per_unit => 50);
SELECT dp_noise.alter_population(r, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r, 1e12, delta => 1) FROM unnest('{people,visits,scores,rowed,texts,folded,apart}'::text[]) AS r;
RESET ROLE;
CREATE SCHEMA shop AUTHORIZATION gate_bob;
SET ROLE gate_bob;
CREATE TABLE shop.purchases (person bigint NOT NULL, price integer);
INSERT INTO shop.purchases SELECT i % 15, i FROM generate_series(1, 30) AS i;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
SELECT dp_noise.protect('shop.purchases', privacy_unit => 'person', max_rows_per_unit => 50, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('shop.purchases', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'shop.purchases', 1e12, delta => 1);
RESET ROLE;
SET dp_noise.epsilon = 1000;

-- The true count, as noise of this epsilon leaves it.
CREATE FUNCTION t.counts(rows text, truth text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || truth INTO plain;
	RETURN is(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || rows), plain, rows);
END
$$;
CREATE FUNCTION t.refused(rows text) RETURNS text LANGUAGE sql AS $$ SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM ' || rows) $$;

------------------------------------------------------------------------------
-- A reference to the unit's value names nobody where there is no such unit: such
-- rows are nobody's, in joins and as conditions, too.

SELECT t.counts(r, replace(r, 'called', '(SELECT called.* FROM called JOIN people ON ref = people.pid)')) FROM unnest(ARRAY[
	'called AS a', 'called AS a JOIN visits ON a.ref = visits.pid', 'called AS a LEFT JOIN visits ON a.ref = visits.pid',
	'visits WHERE pid IN (SELECT ref FROM called AS a)', 'visits WHERE pid IS NOT NULL AND pid NOT IN (SELECT ref FROM called AS a)',
	'visits WHERE EXISTS (SELECT FROM called AS a WHERE a.ref = visits.pid)', 'visits AS v LEFT JOIN called AS a ON a.ref = v.pid WHERE v.pid IS NOT NULL',
	'(SELECT ref, count(*) FROM called AS a GROUP BY ref) AS q JOIN visits ON visits.pid = ref',
	'(SELECT DISTINCT ref FROM called AS a) AS q JOIN scores ON scores.pid = ref',
	'(SELECT ref FROM called AS a UNION ALL SELECT pid FROM people) AS q', 'called AS a JOIN called AS b USING (ref)']) AS r;
-- a reference along keys finds its parent where it is needed
SELECT t.counts(r, replace(replace(r, 'lines', '(SELECT lines.* FROM lines JOIN orders USING (oid) WHERE pid IS NOT NULL)'), 'pieces', '(SELECT pieces.* FROM pieces JOIN orders USING (number) WHERE pid IS NOT NULL)')) FROM unnest(ARRAY[
	'lines AS a', 'pieces AS a', 'lines AS a WHERE NOT EXISTS (SELECT FROM lines AS b WHERE b.oid = a.oid AND b.no > a.no)', 'pieces AS a LEFT JOIN orders USING (number)',
	'pieces AS a WHERE NOT EXISTS (SELECT FROM orders AS o WHERE o.number = a.number)', '(SELECT number, count(*) FROM pieces AS a GROUP BY number) AS q']) AS r;

------------------------------------------------------------------------------
-- A key that texts refer to by another collation: 'a' and 'A' are two people,
-- though they are equal where they are referred to.

SELECT t.counts('mentions AS a', 'mentions AS a JOIN texts AS b ON a.name COLLATE "C" = b.name');
SELECT t.refused(r) FROM unnest(ARRAY['(SELECT name, count(*) FROM mentions GROUP BY name) AS q', '(SELECT DISTINCT name FROM mentions) AS q',
	'(SELECT row_number() OVER (PARTITION BY name ORDER BY v) FROM mentions) AS q', 'mentions AS a JOIN mentions AS b ON a.name = b.name COLLATE "C"',
	'foldings', '(SELECT name, count(*) FROM foldings GROUP BY name) AS q']) AS r;

------------------------------------------------------------------------------
-- Keys: what is equated is not null

SELECT t.counts(r, r) FROM unnest(ARRAY['people AS a JOIN people AS b ON a.alias = b.alias', 'people AS a WHERE EXISTS (SELECT FROM people AS b WHERE b.alias = a.alias)',
	'people AS a JOIN people AS b ON a.code = b.code', 'people AS a WHERE code NOT IN (SELECT code FROM people AS b WHERE b.town = 3)']) AS r;
SELECT t.refused(r) FROM unnest(ARRAY['people WHERE alias NOT IN (SELECT alias FROM people)', '(SELECT alias, count(*) FROM people GROUP BY alias) AS q',
	'(SELECT number, count(*) FROM orders GROUP BY number) AS q', '(SELECT count(*) OVER (PARTITION BY alias) FROM people) AS q']) AS r;

-- Where relations of several owners meet, a key of one of them does not bring the
-- rows of the other together: their values are compared.
SELECT t.refused(r) FROM unnest(ARRAY[
	'people AS a WHERE code IN (SELECT c.code FROM people AS c JOIN shop.purchases ON c.pid = person)',
	'people AS a WHERE code NOT IN (SELECT c.code FROM people AS c JOIN shop.purchases ON c.pid = person GROUP BY c.code)',
	'people AS a WHERE EXISTS (SELECT FROM people AS c JOIN shop.purchases ON c.pid = person WHERE c.code = a.code)',
	'people AS a WHERE code IN (SELECT c.code FROM people AS c WHERE EXISTS (SELECT FROM shop.purchases WHERE c.pid = person))',
	'people AS a WHERE EXISTS (SELECT FROM people AS c WHERE c.code = a.code AND c.pid IN (SELECT person FROM shop.purchases))',
	'people AS a JOIN shop.purchases ON pid = person JOIN (people AS c JOIN shop.purchases AS d ON c.pid = d.person) ON a.code = c.code']) AS r;
SELECT t.counts(r, r) FROM unnest(ARRAY[
	'people AS a WHERE pid IN (SELECT c.pid FROM people AS c JOIN shop.purchases ON c.pid = person)',
	'people AS a WHERE EXISTS (SELECT FROM people AS c JOIN shop.purchases ON c.pid = person WHERE c.code = a.code AND c.pid = a.pid)',
	'people AS a WHERE EXISTS (SELECT FROM people AS c JOIN visits ON c.pid = visits.pid WHERE c.code = a.code)']) AS r;

-- Nor where units are rows.
SELECT t.refused(r) FROM unnest(ARRAY['rowed AS a JOIN rowed AS b USING (id)', 'rowed WHERE id IN (SELECT id FROM rowed)', 'rowed WHERE id NOT IN (SELECT id FROM rowed WHERE v = 3)',
	'rowed AS a WHERE EXISTS (SELECT FROM rowed AS b WHERE b.id = a.id)', 'rowed AS a WHERE (SELECT count(*) FROM rowed AS b WHERE b.id = a.id) > 0']) AS r;
SELECT t.counts(r, r) FROM unnest(ARRAY['rowed JOIN notes ON rid = id', 'rowed WHERE EXISTS (SELECT FROM notes WHERE rid = id)', 'rowed LEFT JOIN notes ON rid = id',
	'(SELECT id, count(*) FROM rowed GROUP BY id) AS q', 'notes AS a JOIN notes AS b USING (rid) WHERE rid IN (SELECT id FROM generate_series(1, 20) AS id)']) AS r;

------------------------------------------------------------------------------
-- An outer join that matches for some of a person's rows: each person has several

SET dp_noise.max_rows_per_unit = 7;
SELECT results_eq(format('SELECT facts FROM dp_noise.describe_question(%L) LIMIT 1', 'SELECT dp_count(*) FROM ' || r), ARRAY[f], r) FROM (VALUES
	('(people CROSS JOIN towns) LEFT JOIN scores ON scores.pid = people.pid AND score = towns.id WHERE towns.id = coalesce(score, 2)', 'by () rows 7 groups 0 substitute'),
	('(people CROSS JOIN towns) LEFT JOIN towns AS w ON w.id = towns.id LEFT JOIN scores ON scores.pid = people.pid AND score = w.id WHERE towns.id = coalesce(score, 2)', 'by () rows 7 groups 0 substitute'),
	('people JOIN towns ON towns.id = town LEFT JOIN scores ON scores.pid = people.pid AND score = towns.id', 'by () rows 1 groups 0 substitute')) AS v (r, f);
RESET dp_noise.max_rows_per_unit;

-- An aggregate of all rows of a person has a value where there are none.
SELECT t.counts(r, r) FROM unnest(ARRAY['people WHERE (SELECT count(*) FROM visits WHERE visits.pid = people.pid AND kind = 7) < 1', 'people WHERE 0 IN (SELECT count(*) FROM visits WHERE visits.pid = people.pid AND kind = 2)',
	'people WHERE EXISTS (SELECT FROM (SELECT count(*) AS n FROM visits WHERE visits.pid = people.pid AND kind = 7) AS s WHERE n < 1)',
	'people WHERE EXISTS (SELECT FROM (SELECT count(*) AS n FROM visits WHERE visits.pid = people.pid AND kind = 2 GROUP BY kind) AS s WHERE n > 1)',
	'people WHERE town IS DISTINCT FROM (SELECT count(score) FROM visits LEFT JOIN scores ON scores.pid = visits.pid WHERE visits.pid = people.pid)']) AS r;

-- Whatever a condition that is never true leaves of a question, what it joins is
-- still named by it, and pays.
CREATE FUNCTION t.populations(rows text) RETURNS text LANGUAGE sql AS $$
SELECT max(substring(owner FROM '\d+ populations')) FROM dp_noise.describe_question('SELECT dp_count(*) FROM ' || rows) $$;
SELECT is(t.populations(r), '2 populations', r) FROM unnest(ARRAY[
	'people LEFT JOIN shop.purchases ON person = pid AND 3 < 0',
	'people AS a LEFT JOIN shop.purchases ON 3 < 0 JOIN people AS b ON person = b.pid AND b.pid = a.pid',
	'people AS a LEFT JOIN towns ON 3 < 0 WHERE EXISTS (SELECT FROM shop.purchases WHERE person = pid) AND id = a.pid',
	'people AS a LEFT JOIN (SELECT id, max(code) AS k FROM towns GROUP BY id) AS t ON 3 < 0 JOIN towns AS s ON s.code = 3 AND t.k = s.id WHERE EXISTS (SELECT FROM shop.purchases WHERE person = pid)']) AS r;
SELECT t.refused(r) FROM unnest(ARRAY['people LEFT JOIN shop.purchases ON 3 < 0', 'people JOIN shop.purchases ON false']) AS r;

------------------------------------------------------------------------------
-- Relations are read with the rights that their owners have on these columns

SET ROLE gate_owner;
REVOKE SELECT ON apart FROM gate_owner;
GRANT SELECT (pid, v) ON apart TO gate_owner;
RESET ROLE;
SELECT t.counts('apart WHERE v > 3', 'apart WHERE v > 3');
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM apart WHERE w > 3'), '%the protected relation could not be read', 'a column that its owner may not read');
SELECT * FROM finish();
\ir support/gate_end.sql
