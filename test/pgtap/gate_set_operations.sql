-- UNION, INTERSECT and EXCEPT of people's rows: each person's rows, as one reads them.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.a (p integer, x integer, k text COLLATE "C");
CREATE TABLE public.b (p integer, x integer, k text COLLATE "C");
CREATE TABLE public.others (p integer, x integer);
INSERT INTO public.a SELECT nullif(i % 100, 99), nullif(i % 7, 3), 'k' || i % 3 FROM generate_series(1, 700) AS i;
INSERT INTO public.b SELECT nullif(i % 150, 98), nullif(i % 5, 3), 'k' || i % 2 FROM generate_series(1, 600) AS i;
INSERT INTO public.others SELECT i, i % 7 FROM generate_series(1, 100) AS i;
SELECT dp_noise.create_population('people', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect(r, 'p', max_rows_per_unit => 100, max_groups_per_unit => 3, population => 'people') FROM unnest('{public.a,public.b}'::regclass[]) AS r;
SELECT dp_noise.protect('public.others', 'p', max_rows_per_unit => 1, epsilon => 1e13);
SELECT dp_noise.set_values('public.a', 'k', '{k0,k1,k2}'), dp_noise.set_values('public.b', 'k', '{k0,k1}');
SELECT dp_noise.set_budget('gate_ann', r, 1e12, delta => 1) FROM unnest('{people,public.others}'::text[]) AS r;
CREATE TABLE public.short (p integer, k varchar(3) COLLATE "C");
CREATE TABLE public.long (p integer, k varchar(10) COLLATE "C");
INSERT INTO public.short SELECT i, 'ab' FROM generate_series(1, 100) AS i;
INSERT INTO public.long SELECT i, 'abcdefgh' FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect(r, 'p', max_rows_per_unit => 100, population => 'people') FROM unnest('{public.short,public.long}'::regclass[]) AS r;
RESET ROLE;

-- At a large epsilon the answer is that of the plain query over rows that are somebody's.
CREATE FUNCTION t.same(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	PERFORM set_config('search_path', 'rows, public', true);
	EXECUTE format('SELECT string_agg(s::text, '' '' ORDER BY s::text COLLATE "C") FROM (%s) AS s', asked) INTO plain;
	RETURN is(t.run('gate_ann', format('SELECT string_agg(s::text, '' '' ORDER BY s::text COLLATE "C") FROM (%s) AS s', asked)), plain, asked);
END
$$;
CREATE SCHEMA rows;
CREATE VIEW rows.a AS SELECT * FROM public.a WHERE p IS NOT NULL;
CREATE VIEW rows.b AS SELECT * FROM public.b WHERE p IS NOT NULL;
SET dp_noise.epsilon = 1000;
SELECT t.same(q) FROM unnest(ARRAY[
	'SELECT count(*) FROM (SELECT p FROM a UNION SELECT p FROM b) AS s',
	'SELECT count(*), count(x), count(DISTINCT p) FROM (SELECT p, x FROM a UNION SELECT p, x FROM b) AS s',
	'SELECT count(*) FROM (SELECT p, x FROM a UNION DISTINCT SELECT p, x FROM b) AS s WHERE x > 1',
	'SELECT count(*), count(x) FROM (SELECT p, x FROM a INTERSECT SELECT p, x FROM b) AS s',
	'SELECT count(*), count(x) FROM (SELECT p, x FROM a EXCEPT SELECT p, x FROM b) AS s',
	'SELECT count(*) FROM (SELECT x, p FROM a EXCEPT SELECT x, p FROM b) AS s (one, two) WHERE one < 5',
	'SELECT count(*) FROM (SELECT p FROM a WHERE x = 2 INTERSECT SELECT p FROM b WHERE x = 2) AS s',
	'SELECT count(*) FROM (SELECT p FROM a EXCEPT SELECT p FROM b WHERE x = 2) AS s',
	'SELECT count(*) FROM (SELECT p FROM b WHERE x = 1 UNION SELECT p FROM a WHERE x = 1 UNION SELECT p FROM a WHERE x = 6) AS s',
	'SELECT count(*) FROM (SELECT p FROM b UNION ALL SELECT p FROM a UNION SELECT p FROM a WHERE x = 6) AS s',
	'SELECT count(*) FROM (SELECT p FROM b UNION SELECT p FROM a UNION ALL SELECT p FROM a WHERE x = 6) AS s',
	'SELECT count(*) FROM (SELECT p FROM b EXCEPT (SELECT p FROM a INTERSECT SELECT p FROM b WHERE x = 4)) AS s',
	'SELECT count(*) FROM (SELECT p, k FROM b UNION ALL (SELECT p, k FROM a INTERSECT SELECT p, k FROM b WHERE x = 4)) AS s',
	'SELECT count(*) FROM (SELECT p, count(*) FROM a GROUP BY p EXCEPT SELECT p, count(*) FROM b GROUP BY p) AS s',
	'SELECT count(*) FROM a WHERE p IN (SELECT p FROM b WHERE x = 1 INTERSECT SELECT p FROM a WHERE x = 2)',
	'SELECT count(*) FROM a WHERE p IN (SELECT p FROM b WHERE x = 1 UNION SELECT p FROM a WHERE x = 2)',
	'SELECT count(*) FROM a JOIN (SELECT p FROM b WHERE x = 1 EXCEPT SELECT p FROM a WHERE x = 2) AS s USING (p)',
	'SELECT sum(length(k)) FROM (SELECT p, k FROM short UNION SELECT p, k FROM long) AS s',
	'SELECT sum(length(k)) FROM (SELECT p, k FROM short UNION ALL SELECT p, k FROM long) AS s',
	'SELECT sum(length(k)) FROM (SELECT p, k FROM short UNION ALL (SELECT p, k FROM long UNION SELECT p, k FROM short)) AS s',
	'SELECT sum(length(k)) FROM (SELECT p, k FROM long EXCEPT SELECT p, k FROM short) AS s',
	'WITH s AS (SELECT p, k FROM a INTERSECT SELECT p, k FROM b) SELECT count(*) FROM s WHERE k = ''k1''']) AS q;

-- also asked by the extension's own aggregates
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM (SELECT p, x FROM a EXCEPT SELECT p, x FROM b) AS s'), t.run('gate_ann', 'SELECT count(*) FROM (SELECT p, x FROM a EXCEPT SELECT p, x FROM b) AS s'), 'dp_count');

-- It is the question that it would be if it were written so.
CREATE FUNCTION t.question(q text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) ' || q) FROM '"Question": "(\w+)"')
$$;
SELECT is(t.question('SELECT count(*) FROM (SELECT p, x FROM a UNION SELECT p, x FROM b) AS s'), t.question('SELECT count(*) FROM (SELECT DISTINCT * FROM (SELECT p, x FROM a UNION ALL SELECT p, x FROM b) AS u) AS s'), 'one question');
SELECT isnt(t.question('SELECT count(*) FROM (SELECT p, x FROM a INTERSECT SELECT p, x FROM b) AS s'), t.question('SELECT count(*) FROM (SELECT p, x FROM a EXCEPT SELECT p, x FROM b) AS s'), 'and not another');

SET dp_noise.delta = 1e-6;
CREATE COLLATION gate_ann.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
-- What stays refused: rows that are nobody's alone, of two populations, that count
SELECT t.refuse('0A000', q) FROM unnest(ARRAY[
	'SELECT count(*) FROM (SELECT x FROM a UNION SELECT x FROM b) AS s',
	'SELECT count(*) FROM (SELECT p, x FROM a UNION SELECT 1, 2) AS s',
	'SELECT count(*) FROM (SELECT p, x FROM a INTERSECT SELECT x, p FROM b) AS s',
	'SELECT count(*) FROM (SELECT p FROM a INTERSECT SELECT generate_series(1, 9)) AS s',
	'SELECT count(*) FROM (SELECT p FROM a INTERSECT ALL SELECT p FROM b) AS s',
	'SELECT count(*) FROM (SELECT p FROM a EXCEPT ALL SELECT p FROM b) AS s',
	'SELECT count(*) FROM (SELECT p FROM a UNION SELECT p FROM others) AS s',
	'SELECT count(*) FROM (SELECT p FROM a UNION SELECT p::bigint FROM b) AS s',
	'SELECT count(*) FROM (SELECT p, x FROM a UNION SELECT x, p FROM b) AS s',
	'SELECT count(*) FROM (SELECT p, k COLLATE gate_ann.blind FROM a UNION SELECT p, upper(k) COLLATE gate_ann.blind FROM b) AS s',
	'SELECT count(*) FROM (SELECT p FROM a UNION SELECT p FROM b ORDER BY 1 LIMIT 3) AS s']) AS q;
SELECT * FROM finish();
\ir support/gate_end.sql
