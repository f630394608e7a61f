-- Joins of a protected relation to tables that are not: what is accepted and
-- refused, and that no join makes one row count more than once.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;

-- 40 towns in 5 regions, some patients without one; a region has its country.
SET ROLE gate_owner;
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer, town integer, region text COLLATE "C", kind integer, cost integer);
INSERT INTO public.stays SELECT i, i % 50, NULLIF(i % 45, 44), 'r' || i % 6, i % 4, i % 30 FROM generate_series(1, 900) AS i;
CREATE TABLE public.plain_stays AS SELECT * FROM public.stays;
CREATE TABLE public.doctors (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.stays', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.doctors', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.stays', 'cost', 0, 30);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1) FROM unnest('{public.stays,public.doctors}'::regclass[]) AS r;
CREATE TYPE public.climate AS ENUM ('cold', 'mild', 'hot');
CREATE TABLE public.regions (name varchar(20) PRIMARY KEY, country text NOT NULL, UNIQUE (country, name));
INSERT INTO public.regions SELECT 'r' || i, 'country' || i % 2 FROM generate_series(0, 4) AS i;
CREATE TABLE public.towns (gone integer, id bigint PRIMARY KEY, region text, size integer, coast boolean NOT NULL, climate public.climate, tags integer[]);
ALTER TABLE public.towns DROP COLUMN gone;
INSERT INTO public.towns SELECT i, 'r' || i % 5, NULLIF(i * 100, 700), i % 2 = 0, 'mild' FROM generate_series(1, 40) AS i;
CREATE TABLE public.rates (town integer, kind integer, rate integer, since integer, PRIMARY KEY (town, kind));
INSERT INTO public.rates SELECT t, k, t + k FROM generate_series(1, 20) AS t, generate_series(0, 2) AS k;
CREATE TABLE public.swapped (a smallint, b smallint, c smallint, PRIMARY KEY (a, b));
INSERT INTO public.swapped VALUES (1, 2, 3);
GRANT SELECT ON public.swapped TO gate_ann;
CREATE TABLE public.deferred (id integer UNIQUE DEFERRABLE, x integer);
CREATE TABLE public.partial (id integer, x integer);
CREATE UNIQUE INDEX ON public.partial (id) WHERE x > 0;
CREATE TABLE public.computed (id integer, x integer);
CREATE UNIQUE INDEX ON public.computed ((id + 0));
CREATE TABLE public.parents (id integer PRIMARY KEY, x integer);
CREATE TABLE public.children () INHERITS (public.parents);
CREATE TABLE public.parts (id integer PRIMARY KEY, x integer) PARTITION BY RANGE (id);
CREATE TABLE public.part PARTITION OF public.parts DEFAULT;
CREATE TABLE public.policed (id integer PRIMARY KEY, x integer);
ALTER TABLE public.policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON public.policed USING (true);
CREATE MATERIALIZED VIEW public.kept AS SELECT * FROM public.towns;
CREATE UNIQUE INDEX ON public.kept (id);
CREATE VIEW public.towns_seen AS SELECT * FROM public.towns;
CREATE TABLE public.secret (id integer PRIMARY KEY, x integer);
CREATE TABLE public.half (id integer PRIMARY KEY, x integer, y integer);
INSERT INTO public.half SELECT i, i, i FROM generate_series(1, 40) AS i;
CREATE TABLE public.lists (id integer[] PRIMARY KEY, x integer);
GRANT SELECT ON public.regions, public.towns, public.rates, public.deferred, public.partial, public.computed, public.parents, public.parts, public.policed,
	public.kept, public.towns_seen, public.lists, public.plain_stays TO gate_ann;
GRANT SELECT (id, x) ON public.half TO gate_ann;
RESET ROLE;
VACUUM ANALYZE public.stays;
VACUUM ANALYZE public.towns;
SET SESSION AUTHORIZATION gate_ann;
CREATE TEMPORARY TABLE passing (id integer PRIMARY KEY);
RESET SESSION AUTHORIZATION;

------------------------------------------------------------------------------
-- Accepted: and at a large epsilon the answer is that of the plain query

CREATE FUNCTION t.same(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	asked text;
BEGIN
	EXECUTE format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		replace(replace(replace(command, 'dp_count', 'count'), 'dp_sum(', 'sum('), 'stays', 'plain_stays')) INTO plain;
	asked := t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		replace(regexp_replace(command, 'dp_sum\(([^)]*)\)', 'dp_sum(\1, 0, 100000)', 'g'), 'SELECT ', 'SELECT /* large */ ')));
	RETURN is(asked, plain, 'as the plain query: ' || command);
END
$$;
ALTER ROLE gate_ann SET dp_noise.epsilon = 1000;
SET dp_noise.epsilon = 1000;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id',
	'SELECT dp_count(*) FROM stays JOIN (SELECT id FROM towns) AS s ON s.id = town',
	'SELECT dp_count(*) FROM stays JOIN towns_seen ON towns_seen.id = town',
	'SELECT dp_count(*) FROM stays JOIN towns ON towns.id = stays.town',
	'SELECT dp_count(*) FROM towns JOIN stays ON stays.town = towns.id WHERE coast',
	'SELECT dp_count(*) FROM stays, towns WHERE town = towns.id',
	'SELECT dp_count(*) FROM towns, stays WHERE town = towns.id AND size > 500 AND cost < 20',
	'SELECT dp_count(*) FROM stays CROSS JOIN towns WHERE town = towns.id AND towns.region = ''r1''',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id AND size > 500',
	'SELECT dp_count(*), dp_sum(size) AS s, dp_count(size) AS n FROM stays JOIN towns ON town = towns.id',
	'SELECT dp_count(*), dp_sum(size) AS s, dp_count(size) AS n, dp_count(coast) AS c FROM stays LEFT JOIN towns ON town = towns.id',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id WHERE towns.id IS NULL',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id WHERE size IS NULL',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id WHERE coast IS NOT TRUE',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id WHERE coalesce(coast, true)',
	'SELECT dp_count(*) FILTER (WHERE coast) AS a, dp_count(*) FILTER (WHERE NOT coast) AS b FROM stays LEFT JOIN towns ON town = towns.id',
	'SELECT dp_count(*) FROM towns RIGHT JOIN stays ON town = towns.id WHERE coast IS NULL',
	'SELECT dp_count(*) FROM stays JOIN rates USING (town, kind)',
	'SELECT dp_sum(rate) FROM stays JOIN rates USING (town, kind) WHERE town > 3',
	'SELECT dp_sum(rate) AS s, dp_count(rate) AS n FROM stays LEFT JOIN rates USING (kind, town) WHERE kind < 3',
	'SELECT dp_count(*) FROM stays NATURAL JOIN rates',
	'SELECT dp_count(*) FROM stays JOIN rates ON rates.town = stays.town AND rates.kind = 1',
	'SELECT dp_count(*) FROM stays JOIN regions ON name = region',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id JOIN regions ON name = towns.region WHERE country = ''country1''',
	'SELECT dp_count(*), dp_count(country) AS n FROM stays LEFT JOIN towns ON town = towns.id LEFT JOIN regions ON name = towns.region',
	'SELECT dp_count(*) FROM regions, towns, stays WHERE regions.name = towns.region AND stays.town = towns.id AND country = ''country0''',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id JOIN regions ON name = towns.region',
	'SELECT dp_count(*) FROM (stays JOIN rates USING (town, kind)) LEFT JOIN towns ON town = towns.id WHERE size > rate',
	'SELECT dp_count(*) FROM stays JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = stays.kind WHERE a.coast = b.coast',
	'SELECT dp_count(*) FROM stays JOIN towns ON NOT town <> towns.id OR false',
	'SELECT dp_count(*) FROM stays JOIN towns ON towns.id = 5',
	'SELECT dp_sum(size) FROM stays JOIN towns ON towns.id = 5 WHERE NOT coast',
	'SELECT coast, dp_sum(rate) FROM stays JOIN rates ON since IS NULL AND rates.town = 5 AND rates.kind = 2 LEFT JOIN towns ON rate = towns.id GROUP BY coast HAVING dp_count(*) > 0',
	'SELECT coast, dp_count(*) FROM stays JOIN towns ON town = towns.id GROUP BY coast',
	'SELECT size + 1, dp_count(*) FROM stays JOIN towns ON town = towns.id GROUP BY size + 1',
	'SELECT towns.region, dp_count(*) FROM stays JOIN towns ON town = towns.id GROUP BY towns.region HAVING dp_count(*) > 0',
	'SELECT country, coast, dp_sum(size) FROM stays JOIN towns ON town = towns.id JOIN regions ON name = towns.region GROUP BY country, coast HAVING dp_sum(size) > 0',
	'SELECT coast, dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id GROUP BY coast',
	'SELECT country, dp_count(*) FROM stays LEFT JOIN regions ON name = region GROUP BY country',
	'SELECT coalesce(country, ''none'') AS c, dp_count(*) FROM stays LEFT JOIN regions ON name = region GROUP BY 1',
	'SELECT size > 2000 AS large, dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id GROUP BY size > 2000',
	'SELECT a.coast, b.coast AS other, dp_count(*) FROM stays JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = stays.kind GROUP BY a.coast, b.coast HAVING dp_count(*) > 0']) AS c;
SELECT is(t.run('gate_ann', 'SELECT string_agg(s::text, '' '') FROM (SELECT climate, dp_count(*) FROM stays JOIN towns ON town = towns.id GROUP BY climate) AS s'),
	format('(mild,%s)', (SELECT count(*) FROM plain_stays JOIN towns ON town = towns.id)), 'values that the other table has');
SELECT t.accept('SELECT dp_sum(half.x, 0, 40) FROM stays JOIN half ON half.id = town');
SELECT t.accept('SELECT dp_median_exp(size, 0, 4000), dp_max(size, 0, 4000) FROM stays JOIN towns ON town = towns.id', 2);

-- whatever the join makes of a row: what a unit contributes is bounded at the end
SET dp_noise.max_rows_per_unit = 64;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM stays JOIN towns ON true',
	'SELECT dp_count(*) FROM stays, towns',
	'SELECT dp_count(*) FROM stays CROSS JOIN towns',
	'SELECT dp_count(*) FROM stays JOIN towns ON towns.region = stays.region',
	'SELECT dp_count(*) FROM stays JOIN towns ON towns.size = town',
	'SELECT dp_count(*) FROM stays JOIN towns ON town <= towns.id',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id OR towns.size = 1',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id IS TRUE',
	'SELECT dp_count(*) FROM stays JOIN towns ON town IN (towns.id, towns.size)',
	'SELECT dp_count(*) FROM stays JOIN towns ON town IS NOT DISTINCT FROM towns.id',
	'SELECT dp_count(*) FROM stays JOIN towns ON towns.id = towns.size',
	'SELECT dp_count(*) FROM stays JOIN towns ON towns.id = numeric ''3''',
	'SELECT dp_count(*) FROM stays JOIN rates ON rates.town = stays.town',
	'SELECT dp_count(*) FROM stays JOIN rates ON rates.town = stays.town AND rates.kind > stays.kind',
	'SELECT dp_count(*) FROM stays JOIN towns AS a ON town = a.id JOIN towns AS b ON a.size = b.size',
	'SELECT dp_count(*) FROM stays, towns AS a, towns AS b WHERE a.id = b.size AND b.id = a.size',
	'SELECT dp_count(*) FROM stays JOIN deferred ON deferred.id = town',
	'SELECT dp_count(*) FROM stays JOIN partial ON partial.id = town AND partial.x > 0',
	'SELECT dp_count(*) FROM stays JOIN rates ON rates.kind = stays.kind',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id AND size > 3',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id AND cost > 3',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON town = size WHERE town = towns.id',
	'SELECT dp_count(*) FROM stays LEFT JOIN towns ON true WHERE town = towns.id',
	'SELECT dp_count(*) FROM stays LEFT JOIN (towns JOIN regions ON name = towns.region) ON town = towns.id',
	'SELECT dp_count(*) FROM stays JOIN stays AS b ON stays.id = b.id',
	'SELECT dp_count(*) FROM stays JOIN stays AS b USING (id)',
	'SELECT dp_count(*) FROM stays JOIN parents ON parents.id = town',
	'SELECT dp_count(*) FROM stays JOIN parts ON parts.id = town',
	'SELECT dp_count(*) FROM stays JOIN policed ON policed.id = town',
	'SELECT dp_count(*) FROM stays JOIN kept ON kept.id = town',
	'SELECT dp_count(*) FROM stays JOIN generate_series(1, 9) AS s ON s = town',
	'SELECT dp_count(*) FROM stays JOIN (VALUES (1), (2)) AS s (id) ON s.id = town',
	'SELECT dp_count(*) FROM stays JOIN passing ON passing.id = town',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE towns.id IN (SELECT town FROM rates)',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE size + 1 > 3',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE tags[1] = 3',
	'SELECT dp_count((SELECT max(rate) FROM rates)) FROM stays JOIN towns ON town = towns.id']) AS c;
SELECT t.accept('SELECT dp_count(*) FROM stays JOIN towns TABLESAMPLE SYSTEM (50) ON town = towns.id');
SELECT t.accept('SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE towns.ctid = ''(0,1)''');
RESET dp_noise.max_rows_per_unit;

SELECT t.run('gate_ann', 'PREPARE keyed(integer, boolean) AS SELECT dp_sum(size, 0, 5000) FROM stays JOIN towns ON towns.id = $1 WHERE coast = $2');
SELECT is(t.run('gate_ann', 'EXECUTE keyed(4, true)'), '360000', 'a parameter is the key') FROM generate_series(1, 7);
SELECT t.run('gate_ann', 'PREPARE chosen(boolean) AS SELECT dp_sum(size, 0, 5000) FROM stays JOIN towns ON towns.id = CASE WHEN $1 THEN 4 ELSE town END');
SELECT is(t.run('gate_ann', 'EXECUTE chosen(true)'), '360000', 'or decides it') FROM generate_series(1, 7);
SELECT t.accept('SELECT dp_count(*) FROM stays JOIN swapped ON swapped.a = 1 AND swapped.b = 2 WHERE swapped.a = 1');

-- a protected relation twice, in blocks of their own: each is charged
SELECT t.accept('SELECT a.n - b.n FROM (SELECT dp_count(*) AS n FROM stays) AS a, (SELECT dp_count(*) AS n FROM stays JOIN towns ON town = towns.id) AS b', 2);
SELECT t.accept('SELECT (SELECT dp_count(*) FROM stays), (SELECT dp_count(*) FROM stays WHERE kind = 1), (SELECT dp_sum(size, 0, 100) FROM stays JOIN towns ON town = towns.id)', 3);
SELECT t.accept('SELECT t.id, a.n FROM towns AS t CROSS JOIN (SELECT dp_count(*) AS n FROM stays LEFT JOIN towns ON town = towns.id) AS a');

------------------------------------------------------------------------------
-- Refused

SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || q), '0A000: ' || m || ' cannot be used in a query over a protected relation', 'refused: ' || q)
FROM (VALUES
	('towns LEFT JOIN stays ON town = towns.id', 'an aggregate that counts public rows without a match'),
	('stays RIGHT JOIN towns ON town = towns.id', 'an aggregate that counts public rows without a match'),
	('towns AS a LEFT JOIN (stays JOIN towns AS b ON town = b.id) ON a.id = b.id', 'an aggregate that counts public rows without a match'),
	('stays FULL JOIN towns ON town = towns.id', 'an aggregate that counts public rows without a match'),
	('stays FULL JOIN stays AS s USING (person)', 'FULL JOIN'),
	('stays JOIN LATERAL (SELECT town + 1 AS id) AS s ON s.id = town', 'LATERAL%'),
	('stays JOIN doctors ON doctors.id = stays.kind', 'a join of protected relations whose privacy units are their rows'),
	('stays LEFT JOIN doctors ON doctors.id = stays.kind', 'a join of protected relations whose privacy units are their rows')) AS x (q, m);
SELECT t.accept(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE size / (cost - 3) > 3',
	'SELECT dp_count(*) FROM stays JOIN towns ON town / kind = towns.id',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id AND size / cost > 1',
	'SELECT dp_count(*) FROM stays JOIN computed ON computed.id + 0 = town',
	'SELECT dp_count(*) FROM stays JOIN lists ON lists.id = ARRAY[town]',
	'SELECT dp_count(*) FROM stays JOIN regions ON name LIKE region AND name = region']) AS c;
SELECT t.refuse('0A000', c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM stays JOIN pg_catalog.pg_class AS c ON c.oid::bigint = town',
	'SELECT dp_count(*) FROM stays JOIN pg_catalog.pg_namespace AS c ON c.nspname = stays.region::name',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE towns.ctid IS NULL',
	'SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE towns IS NOT NULL',
	'SELECT dp_count_distinct(towns) FROM stays JOIN towns ON town = towns.id',
	'SELECT dp_sum(cost, 0, size) FROM stays JOIN towns ON town = towns.id']) AS c;
SELECT t.refuse('42803', 'SELECT size, dp_count(*) FROM stays JOIN towns ON town = towns.id');
SELECT t.accept('SELECT count(*), dp_count(*) FROM stays JOIN towns ON town = towns.id');
SELECT t.accept('SELECT size, dp_count(*) FROM stays JOIN towns ON towns.id = 5 GROUP BY towns.id');
SELECT t.accept('SELECT dp_count_distinct(size) FROM stays JOIN towns ON town = towns.id');
SELECT t.accept('SELECT count(*) FROM stays JOIN towns ON town = towns.id');
-- bounds are of the protected relation's columns, or those that public rows have
SELECT t.accept('SELECT dp_sum(size) FROM stays JOIN towns ON town = towns.id');
-- the gate lends nothing but the protected relation
SELECT is(t.run('gate_ann', q), m, 'refused: ' || q) FROM (VALUES
	('SELECT dp_count(*) FROM stays JOIN secret ON secret.id = town', '42501: permission denied for table secret'),
	('EXPLAIN SELECT dp_count(*) FROM stays JOIN secret ON secret.id = town', '42501: permission denied for table secret'),
	('SELECT dp_count(*) FROM stays LEFT JOIN secret ON secret.id = town', '42501: permission denied for table secret'),
	('SELECT dp_sum(y, 0, 40) FROM stays JOIN half ON half.id = town', '42501: permission denied for table half')) AS x (q, m);

------------------------------------------------------------------------------
-- Questions

CREATE FUNCTION t.question(q text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT ' || q) FROM '"Question": "(\w+)"')
$$;
SELECT is(t.question(a), t.question(b), 'one question: ' || a || ' / ' || b) FROM (VALUES
	('dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE coast', 'dp_count(*) FROM towns AS x, stays AS y WHERE x.coast AND x.id = y.town'),
	('dp_count(*) FROM stays JOIN rates USING (town, kind)', 'dp_count(*) FROM rates NATURAL JOIN stays'),
	('dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id', 'dp_count(*) FROM stays'),
	('dp_count(*) FROM stays WHERE kind IN (1, 2) OR cost = 3', 'dp_count(*) FROM stays WHERE kind = 1 OR kind = 2 OR cost = 3'),
	('dp_count(*) FROM stays WHERE kind NOT IN (1, 2) AND cost = 3', 'dp_count(*) FROM stays WHERE kind <> 1 AND kind <> 2 AND cost = 3'),
	('dp_sum(a.size, 0, 9) FROM stays JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = kind', 'dp_sum(x.size, 0, 9) FROM towns AS y, stays, towns AS x WHERE y.id = kind AND x.id = town')) AS x (a, b);
SELECT isnt(t.question(a), t.question(b), 'two questions: ' || a || ' / ' || b) FROM (VALUES
	('dp_count(*) FROM stays JOIN towns ON town = towns.id', 'dp_count(*) FROM stays'),
	('dp_count(*) FROM stays JOIN towns ON town = towns.id', 'dp_count(*) FROM stays JOIN towns ON kind = towns.id'),
	('dp_count(*) FROM stays JOIN towns ON town = towns.id', 'dp_count(*) FROM stays JOIN half ON town = half.id'),
	('dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE towns.size > 3', 'dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE towns.id > 3'),
	('dp_sum(a.size, 0, 9) FROM stays JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = kind', 'dp_sum(b.size, 0, 9) FROM stays JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = kind')) AS x (a, b);
SELECT alike(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT towns.region, coalesce(coast, true), dp_count(*) FROM stays LEFT JOIN towns ON town = towns.id GROUP BY 1, 2'),
	'%["towns.region, COALESCE(towns.coast, true) (columns of towns, 11 tuples)"]%', 'EXPLAIN names the columns');

-- Joins of joins do not grow beyond bounds: each of these doubled the memory.
SET statement_timeout = '60s';
SELECT matches(t.question(format('dp_count(*) FROM stays AS j0 %s WHERE j40.rate IS NULL', string_agg(format('LEFT JOIN rates AS j%1$s ON j%1$s.town = j%2$s.%3$s AND j%1$s.kind = j%2$s.%4$s',
	i, i - 1, CASE i WHEN 1 THEN 'town' ELSE 'rate' END, CASE i WHEN 1 THEN 'kind' ELSE 'since' END), ' ' ORDER BY i))), '^[0-9a-f]{64}$', 'forty joins, one by columns of the other')
FROM generate_series(1, 40) AS i;
-- nor do sub-queries of sub-queries
SELECT matches(t.question(format('dp_count(*) FROM %sstays%s WHERE id > 3', repeat('(SELECT DISTINCT id, coalesce(kind, kind) AS kind FROM ', 30), string_agg(format(') AS s%s', i), '' ORDER BY i))), '^[0-9a-f]{64}$', 'sub-queries thirty deep')
FROM generate_series(1, 30) AS i;
RESET statement_timeout;

------------------------------------------------------------------------------
-- A plan that was made for other tables

SELECT is(t.run('gate_ann', $$PREPARE joined AS SELECT dp_count(*) FROM stays JOIN towns ON town = towns.id WHERE coast$$), NULL, 'prepared');
SELECT is(t.run('gate_ann', 'EXECUTE joined')::bigint, count(*), 'executed') FROM plain_stays JOIN towns ON town = towns.id WHERE coast;
SELECT t.run('gate_ann', 'EXECUTE joined') FROM generate_series(1, 6);
UPDATE towns SET coast = true WHERE id < 5;
SELECT is(t.run('gate_ann', 'EXECUTE joined')::bigint, count(*), 'with the rows that there are') FROM plain_stays JOIN towns ON town = towns.id WHERE coast;
REVOKE SELECT ON towns FROM gate_ann;
SELECT is(t.run('gate_ann', 'EXECUTE joined'), '42501: permission denied for table towns', 'a privilege was revoked');
GRANT SELECT ON towns TO gate_ann;
SELECT t.run('gate_ann', 'EXECUTE joined');
ALTER TABLE towns DROP CONSTRAINT towns_pkey;
SELECT is(t.run('gate_ann', 'EXECUTE joined')::bigint, count(*), 'the unique index was dropped') FROM plain_stays JOIN towns ON town = towns.id WHERE coast;
INSERT INTO towns SELECT * FROM towns;
SELECT is(t.run('gate_ann', 'EXECUTE joined')::bigint, count(DISTINCT plain_stays.id), 'and rows came twice: of each unit one counts') FROM plain_stays JOIN towns ON town = towns.id WHERE coast;
DELETE FROM towns AS a WHERE EXISTS (SELECT FROM towns AS b WHERE a.id = b.id AND a.ctid > b.ctid);
ALTER TABLE towns ADD UNIQUE (id);
SELECT is(t.run('gate_ann', 'EXECUTE joined')::bigint, count(*), 'and made again') FROM plain_stays JOIN towns ON town = towns.id WHERE coast;
ALTER TABLE towns ENABLE ROW LEVEL SECURITY;
SELECT is(t.run('gate_ann', 'EXECUTE joined'), '0', 'row-level security was enabled, without a policy');
ALTER TABLE towns DISABLE ROW LEVEL SECURITY;
CREATE TABLE towns_child () INHERITS (towns);
INSERT INTO towns_child SELECT * FROM towns WHERE id = 1;
SELECT is(t.run('gate_ann', 'EXECUTE joined')::bigint, count(DISTINCT plain_stays.id), 'a table inherits') FROM plain_stays JOIN towns ON town = towns.id WHERE coast;
DROP TABLE towns_child;
VACUUM ANALYZE towns;


-- An index that is younger than the snapshot says nothing of its rows, which
-- are looked at.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT set_config('t.before', count(*)::text, false) <> '' AS seen FROM towns \gset
ALTER TABLE rates ADD UNIQUE (since);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM stays JOIN rates ON since = stays.town'), '0', 'in the transaction that makes it');
ROLLBACK;

------------------------------------------------------------------------------
-- No join makes a unit count for more

SET ROLE gate_owner;
CREATE TABLE public.trips (person integer, town integer, kind integer, cost integer);
INSERT INTO public.trips SELECT i % 100, i % 45, i % 4, i % 30 FROM generate_series(1, 2000) AS i;
SELECT dp_noise.protect('public.trips', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.trips', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.trips', 1e12, delta => 1);
RESET ROLE;
CREATE TABLE t.questions (id integer PRIMARY KEY, q text);
INSERT INTO t.questions VALUES
	(1, 'SELECT dp_count(*), dp_count(size), dp_sum(size, 0, 100) FROM trips JOIN towns ON town = towns.id'),
	(2, 'SELECT dp_count(*), dp_count(size), dp_sum(size, 0, 100) FROM trips LEFT JOIN towns ON town = towns.id'),
	(3, 'SELECT dp_count(*), dp_count(rate), dp_sum(rate, 0, 100) FROM trips LEFT JOIN rates USING (town, kind) LEFT JOIN towns ON town = towns.id LEFT JOIN regions ON name = towns.region');
CREATE FUNCTION t.state(q text, OUT n bigint, OUT m bigint, OUT s numeric) LANGUAGE sql AS $$
	SELECT x[1]::bigint, x[2]::bigint, split_part(trim('()' FROM x[3]), ',', 1)::numeric FROM dp_noise.true_states(q) AS x
$$;
-- what equates the unit with another column is part of a question, also where
-- columns that equal it are otherwise one
SELECT isnt(t.question(a), t.question(b), 'two questions: ' || a || ' / ' || b) FROM (VALUES
	('dp_count(*) FROM trips JOIN towns ON person = towns.id', 'dp_count(*) FROM trips JOIN towns ON person = towns.size'),
	('dp_count(*) FROM trips JOIN towns ON towns.id = person', 'dp_count(*) FROM trips JOIN towns ON towns.size = person'),
	('dp_count(*) FROM trips, towns WHERE person = towns.id', 'dp_count(*) FROM trips, towns WHERE person = towns.size AND towns.id IS NOT NULL'),
	('dp_count(*) FROM trips JOIN towns ON true WHERE person = trips.kind', 'dp_count(*) FROM trips JOIN towns ON true WHERE person = trips.town'),
	('dp_count(*) FROM trips AS a LEFT JOIN trips AS b ON a.person = b.person AND b.kind = 1 WHERE a.person = b.person', 'dp_count(*) FROM trips AS a LEFT JOIN trips AS b ON a.person = b.person AND b.kind = 1 WHERE a.person = a.person'),
	('dp_count(*) FROM trips JOIN towns ON NOT person <> towns.id', 'dp_count(*) FROM trips JOIN towns ON NOT person <> towns.size')) AS x (a, b);
SELECT is(t.question(a), t.question(b), 'one question: ' || a || ' / ' || b) FROM (VALUES
	('dp_count(*) FROM trips AS a JOIN trips AS b ON a.person = b.person WHERE a.person > 5', 'dp_count(*) FROM trips AS a JOIN trips AS b ON b.person = a.person WHERE b.person > 5')) AS x (a, b);
SELECT ok(s.n = (SELECT sum(least(c, 3)) FROM (SELECT count(*) AS c FROM trips WHERE town BETWEEN 1 AND 40 GROUP BY person) AS u), 'rows are capped after the join')
FROM t.questions AS q, t.state(q.q) AS s WHERE q.id = 1;
CREATE TABLE t.base AS SELECT id, s.* FROM t.questions, t.state(q) AS s;
CREATE FUNCTION t.moved(what text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT ok(s.n - b.n BETWEEN 0 AND 3 AND s.m - b.m BETWEEN 0 AND 3 AND s.s - b.s BETWEEN 0 AND 300, format('%s, question %s', what, q.id))
	FROM t.questions AS q JOIN t.base AS b USING (id), t.state(q.q) AS s
$$;
INSERT INTO trips VALUES (1000, 5, 1, 3);
SELECT t.moved('one row more');
INSERT INTO trips SELECT 1000, i % 45, i % 4, 3 FROM generate_series(1, 99) AS i;
SELECT t.moved('a hundred rows more');
INSERT INTO trips SELECT 1000, 5, 1, 3 FROM generate_series(1, 100000);
SELECT t.moved('many rows more');
INSERT INTO trips SELECT 1000, NULL, NULL, 3 FROM generate_series(1, 1000);
SELECT t.moved('and rows without keys');
SELECT ok(max(g) <= 2, 'so many groups of the joined table')
FROM (SELECT sum((x[2]::bigint > 0)::integer) AS g FROM dp_noise.true_states('SELECT coast, dp_count(*) FROM trips JOIN towns ON town = towns.id WHERE person = 1000 GROUP BY coast') AS x) AS s;

ALTER ROLE gate_ann RESET dp_noise.epsilon;
------------------------------------------------------------------------------
-- Two times of day can be one instant: a key of them makes no row single

SET SESSION AUTHORIZATION gate_ann;
CREATE TEMPORARY TABLE clock (at timestamp PRIMARY KEY, on_day date UNIQUE, instant timestamptz UNIQUE);
RESET SESSION AUTHORIZATION;
SELECT is(t.explained('SELECT dp_count(*) FROM patients JOIN clock ON ' || condition, 'Rows per Unit'), expected, condition)
FROM (VALUES ('at = seen', '1'), ('on_day = seen', '1'), ('seen = at', '1'), ('instant = seen', NULL), ('on_day = born', NULL), ('at = born', NULL), ('instant = born', '1')) AS v (condition, expected);

SELECT * FROM finish();
\ir support/gate_end.sql
