-- Joins along foreign keys between relations of one population: what refers to a
-- row of another unit's does not count, as if the units had been equated.
\ir support/gate.sql
SELECT no_plan();

-- Every seventh visit of a result is another patient's; some are nobody's, and some
-- results have no visit.
SET ROLE gate_owner;
CREATE TABLE public.persons (pid integer PRIMARY KEY, sex text COLLATE "C" NOT NULL);
INSERT INTO public.persons SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 100) AS i;
CREATE TABLE public.visits (visit integer PRIMARY KEY, pid integer REFERENCES public.persons, referrer integer REFERENCES public.persons,
	ward integer NOT NULL, earlier integer REFERENCES public.visits);
INSERT INTO public.visits SELECT i, NULLIF(i % 100, 0), 1 + i * 7 % 100, i % 3, CASE WHEN i > 100 THEN i - 99 - i % 2 END FROM generate_series(1, 300) AS i;
CREATE TABLE public.results (id integer PRIMARY KEY, pid bigint, visit integer REFERENCES public.visits, x integer);
INSERT INTO public.results SELECT i, CASE WHEN i % 7 = 0 THEN i % 50 + 1 ELSE NULLIF(v % 100, 0) END, CASE WHEN i % 11 > 0 THEN v END, i % 20
FROM generate_series(1, 1000) AS i, LATERAL (SELECT 1 + i * 13 % 300) AS x (v);
CREATE TABLE public.drugs (pid integer, visit integer REFERENCES public.visits, dose integer);
INSERT INTO public.drugs SELECT CASE WHEN i % 5 = 0 THEN i % 50 ELSE NULLIF(v % 100, 0) END, v, i % 10
FROM generate_series(1, 600) AS i, LATERAL (SELECT 1 + i * 17 % 300) AS x (v);
CREATE TABLE public.parts (pid integer, result integer REFERENCES public.results, part integer, PRIMARY KEY (result, part));
INSERT INTO public.parts SELECT pid, id, p FROM public.results, generate_series(1, 2) AS p WHERE id % 3 = 0;
CREATE TABLE public.readings (pid integer, result integer, part integer, y integer, FOREIGN KEY (part, result) REFERENCES public.parts (part, result));
INSERT INTO public.readings SELECT pid, result, part, result % 9 FROM public.parts WHERE result % 2 = 0;
INSERT INTO public.readings SELECT 1 + pid % 90, result, part, result % 9 FROM public.parts WHERE result % 5 = 0;
CREATE TABLE public.loose (pid integer, visit integer, x integer); -- no key
INSERT INTO public.loose SELECT pid, visit, x FROM public.results;
CREATE TABLE public.along (visit integer REFERENCES public.visits, z integer);
INSERT INTO public.along SELECT visit, x FROM public.results;
CREATE TABLE public.elsewhere (pid integer, visit integer REFERENCES public.visits);
INSERT INTO public.elsewhere SELECT pid, visit FROM public.results;
CREATE TABLE public.wards (ward integer PRIMARY KEY, name text COLLATE "C");
INSERT INTO public.wards VALUES (0, 'a'), (1, 'b'), (2, 'c');
GRANT SELECT ON public.wards TO gate_ann;
SELECT dp_noise.create_population('clinic', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect(r, privacy_unit => 'pid', population => 'clinic', max_rows_per_unit => 64, max_groups_per_unit => 3)
FROM unnest('{public.visits,public.results,public.drugs,public.parts,public.readings,public.loose}'::regclass[]) AS r;
SELECT dp_noise.protect('public.persons', privacy_unit => 'pid', population => 'clinic');
SELECT dp_noise.protect('public.along', privacy_unit => 'visit -> visits', population => 'clinic', max_rows_per_unit => 64, max_groups_per_unit => 3);
SELECT dp_noise.protect('public.elsewhere', privacy_unit => 'pid', max_rows_per_unit => 64, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
SELECT dp_noise.set_values('public.persons', 'sex', '{f,m}');
SELECT dp_noise.set_bounds('public.results', 'x', 0, 20);
SELECT dp_noise.alter_population(p, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', p, 1e12, delta => 1) FROM unnest('{clinic,public.elsewhere}'::text[]) AS p;
CREATE VIEW public.renamed AS SELECT visit AS number, pid AS who FROM public.visits;
CREATE VIEW public.renamed_too (place, visit, who, name) AS SELECT ward, visit, pid, earlier FROM public.visits;
GRANT SELECT ON public.renamed TO PUBLIC;
SELECT dp_noise.protect('public.renamed_too', privacy_unit => 'who', population => 'clinic', max_rows_per_unit => 64, max_groups_per_unit => 3);
CREATE VIEW public.seen AS SELECT r.pid, r.x, v.ward FROM public.results AS r JOIN public.visits AS v USING (visit);
SELECT dp_noise.protect('public.seen', privacy_unit => 'pid', population => 'clinic', max_rows_per_unit => 64, max_groups_per_unit => 3);
RESET ROLE;

-- At a large epsilon the answer is that of the plain query, in which the units are
-- equated. $1: what was asked; $2: what it means.
CREATE FUNCTION t.means(asked text, meant text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	EXECUTE format('SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (SELECT %s) AS a', meant) INTO plain;
	RETURN NEXT is(t.run('gate_ann', format('SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (SELECT %s) AS a', asked)), plain, 'means: ' || asked);
END
$$;
SET dp_noise.epsilon = 1000;
SET dp_noise.max_rows_per_unit = 1024;
SELECT t.means(a, m) FROM (VALUES
	('count(*), sum(x) FROM results JOIN visits USING (visit)', 'count(*), sum(x) FROM results AS r JOIN visits AS v USING (visit) WHERE r.pid = v.pid'),
	('count(*) FROM results AS r, visits AS v WHERE r.visit = v.visit AND ward = 1', 'count(*) FROM results AS r JOIN visits AS v USING (visit) WHERE r.pid = v.pid AND ward = 1'),
	('count(*), count(ward) FROM results AS r LEFT JOIN visits AS v ON r.visit = v.visit', 'count(*), count(ward) FROM results AS r LEFT JOIN visits AS v ON r.visit = v.visit AND r.pid = v.pid WHERE r.pid IS NOT NULL'),
	('count(*), count(x) FROM results AS r RIGHT JOIN visits AS v ON r.visit = v.visit AND x > 3', 'count(*), count(x) FROM visits AS v LEFT JOIN results AS r ON r.visit = v.visit AND r.pid = v.pid AND x > 3 WHERE v.pid IS NOT NULL'),
	('count(*) FROM results AS r LEFT JOIN visits AS v USING (visit) WHERE v.visit IS NULL', 'count(*) FROM results AS r LEFT JOIN visits AS v ON r.visit = v.visit AND r.pid = v.pid WHERE v.visit IS NULL AND r.pid IS NOT NULL'),
	-- both refer to the visit; chains
	('count(*) FROM results JOIN drugs USING (visit)', 'count(*) FROM results AS r JOIN drugs AS d USING (visit) WHERE r.pid = d.pid'),
	('count(*) FROM results JOIN drugs USING (visit) JOIN visits USING (visit)', 'count(*) FROM results AS r JOIN drugs AS d USING (visit) JOIN visits AS v USING (visit) WHERE r.pid = d.pid AND v.pid = d.pid'),
	('count(*) FROM visits AS v JOIN results AS r USING (visit) JOIN persons AS p ON p.pid = v.pid WHERE sex = ''f''', 'count(*) FROM visits AS v JOIN results AS r USING (visit) JOIN persons AS p ON p.pid = v.pid WHERE sex = ''f'' AND r.pid = v.pid'),
	('count(*) FROM readings JOIN parts USING (result, part)', 'count(*) FROM readings AS a JOIN parts AS b USING (result, part) WHERE a.pid = b.pid'),
	('count(*) FROM readings AS a JOIN parts AS b USING (result, part) JOIN results AS r ON r.id = b.result JOIN visits AS v ON v.visit = r.visit', 'count(*) FROM readings AS a JOIN parts AS b USING (result, part) JOIN results AS r ON r.id = b.result JOIN visits AS v ON v.visit = r.visit WHERE a.pid = b.pid AND r.pid = b.pid AND v.pid = b.pid'),
	('count(*) FROM readings AS a JOIN results AS r ON r.id = a.result', 'count(*) FROM readings AS a JOIN results AS r ON r.id = a.result WHERE a.pid = r.pid'),
	('count(*), count(b.part), count(x) FROM readings AS a LEFT JOIN parts AS b USING (result, part) LEFT JOIN results AS r ON r.id = b.result', 'count(*), count(b.part), count(x) FROM readings AS a LEFT JOIN parts AS b ON a.result = b.result AND a.part = b.part AND a.pid = b.pid LEFT JOIN results AS r ON r.id = b.result AND r.pid = a.pid WHERE a.pid IS NOT NULL'),
	-- with itself
	('count(*) FROM results AS a JOIN results AS b USING (visit)', 'count(*) FROM results AS a JOIN results AS b USING (visit) WHERE a.pid = b.pid'),
	('count(*) FROM visits AS a JOIN visits AS b ON a.earlier = b.visit', 'count(*) FROM visits AS a JOIN visits AS b ON a.earlier = b.visit WHERE a.pid = b.pid'),
	-- sub-queries, views, groups
	('count(*) FROM seen WHERE ward = 2', 'count(*) FROM results AS r JOIN visits AS v USING (visit) WHERE r.pid = v.pid AND ward = 2'),
	('count(*) FROM (SELECT DISTINCT visit, pid FROM results WHERE x > 2) AS r JOIN (SELECT * FROM visits WHERE ward > 0) AS v USING (visit)', 'count(*) FROM (SELECT DISTINCT visit, pid FROM results WHERE x > 2) AS r JOIN visits AS v USING (visit) WHERE ward > 0 AND r.pid = v.pid'),
	('count(*) FROM visits AS v JOIN (SELECT pid, visit, count(*) AS n FROM results GROUP BY 1, 2) AS r USING (visit) WHERE n > 1', 'count(*) FROM visits AS v JOIN (SELECT pid, visit, count(*) AS n FROM results GROUP BY 1, 2) AS r USING (visit) WHERE n > 1 AND r.pid = v.pid'),
	('sex, count(*) FROM persons AS p JOIN visits AS v USING (pid) JOIN drugs AS d ON d.visit = v.visit GROUP BY sex', 'sex, count(*) FROM persons AS p JOIN visits AS v USING (pid) JOIN drugs AS d ON d.visit = v.visit WHERE d.pid = p.pid GROUP BY sex'),
	('name, count(*) FROM results JOIN visits USING (visit) JOIN wards USING (ward) GROUP BY name', 'name, count(*) FROM results AS r JOIN visits AS v USING (visit) JOIN wards USING (ward) WHERE r.pid = v.pid GROUP BY name'),
	-- conditions
	('count(*) FROM visits AS v WHERE EXISTS (SELECT FROM results AS r WHERE r.visit = v.visit AND x > 15)', 'count(*) FROM visits AS v WHERE EXISTS (SELECT FROM results AS r WHERE r.visit = v.visit AND x > 15 AND r.pid = v.pid)'),
	('count(*) FROM visits AS v WHERE NOT EXISTS (SELECT FROM results AS r WHERE r.visit = v.visit)', 'count(*) FROM visits AS v WHERE NOT EXISTS (SELECT FROM results AS r WHERE r.visit = v.visit AND r.pid = v.pid) AND pid IS NOT NULL'),
	('count(*) FROM results WHERE visit IN (SELECT visit FROM visits WHERE ward = 1)', 'count(*) FROM results AS r WHERE visit IN (SELECT visit FROM visits AS v WHERE ward = 1 AND r.pid = v.pid)'),
	('count(*) FROM visits WHERE visit NOT IN (SELECT visit FROM drugs WHERE dose > 5)', 'count(*) FROM visits AS v WHERE visit NOT IN (SELECT visit FROM drugs AS d WHERE dose > 5 AND v.pid = d.pid) AND pid IS NOT NULL'),
	('count(*) FROM visits AS v WHERE (SELECT max(x) FROM results AS r WHERE r.visit = v.visit) > 10', 'count(*) FROM visits AS v WHERE (SELECT max(x) FROM results AS r WHERE r.visit = v.visit AND r.pid = v.pid) > 10'),
	('count(*) FROM persons AS p WHERE EXISTS (SELECT FROM visits AS v JOIN results AS r USING (visit) WHERE v.pid = p.pid AND x = 3)', 'count(*) FROM persons AS p WHERE EXISTS (SELECT FROM visits AS v JOIN results AS r USING (visit) WHERE v.pid = p.pid AND r.pid = p.pid AND x = 3)')) AS x (a, m);

-- It is the question in which it is written, and EXPLAIN says so.
CREATE FUNCTION t.question(q text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT ' || q) FROM '"Question": "(\w+)"')
$$;
SELECT is(t.question('count(*) FROM results JOIN visits USING (visit)'), t.question('count(*) FROM visits AS v, results AS r WHERE v.visit = r.visit AND r.pid = v.pid'), 'one question');
SELECT isnt(t.question('count(*) FROM results JOIN visits USING (visit)'), t.question('count(*) FROM results JOIN visits USING (pid)'), 'and not another');
SELECT is(t.explained(q, 'Added Condition%'), x, 'EXPLAIN: ' || q) FROM (VALUES
	('SELECT count(*) FROM results JOIN visits USING (visit)', 'results.pid = visits.pid'),
	('SELECT count(*) FROM results AS r LEFT JOIN visits AS v ON r.visit = v.visit', 'results.pid = visits.pid'),
	('SELECT count(*) FROM results AS r JOIN drugs AS d USING (visit) JOIN visits AS v USING (visit)', 'results.pid = drugs.pid, results.pid = visits.pid'),
	('SELECT count(*) FROM visits AS v WHERE EXISTS (SELECT FROM results AS r WHERE r.visit = v.visit)', 'results.pid = visits.pid'),
	('SELECT count(*) FROM results WHERE visit IN (SELECT visit FROM visits)', 'visits.pid = results.pid'),
	('SELECT count(*) FROM (SELECT DISTINCT visit, pid FROM results) AS r JOIN visits USING (visit)', 'results.pid = visits.pid'),
	('SELECT count(*) FROM results JOIN renamed ON number = visit', 'results.pid = visits.pid'),
	('SELECT count(*) FROM results JOIN renamed_too USING (visit)', 'results.pid = renamed_too.who'),
	('SELECT count(*) FROM results JOIN renamed_too USING (visit) WHERE place = 1 AND name > 3', 'results.pid = renamed_too.who'),
	('SELECT count(*) FROM results JOIN (SELECT DISTINCT visit, pid AS who FROM visits) AS v USING (visit)', 'results.pid = visits.pid'),
	('SELECT count(*) FROM results JOIN visits USING (visit, pid)', NULL),
	('SELECT count(*) FROM along JOIN visits USING (visit)', NULL),
	('SELECT count(*) FROM seen', NULL)) AS x (q, x);

-- Caps hold as for other joins.
SET dp_noise.max_rows_per_unit = 2;
SELECT t.means('count(*) FROM results JOIN visits USING (visit)', 'sum(least(n, 2)) FROM (SELECT count(*) AS n FROM results AS r JOIN visits AS v USING (visit) WHERE r.pid = v.pid GROUP BY v.pid) AS s');
SET dp_noise.max_rows_per_unit = 1024;

-- Somebody else's rows change nothing, whatever they refer to.
SELECT t.run('gate_ann', 'SELECT count(*) FROM results JOIN visits USING (visit)') AS joined,
	t.run('gate_ann', 'SELECT count(*) FROM results AS r LEFT JOIN visits AS v USING (visit) WHERE v.visit IS NULL') AS alone \gset
BEGIN;
UPDATE public.results SET pid = NULL WHERE pid <> (SELECT v.pid FROM public.visits AS v WHERE v.visit = results.visit);
COMMIT;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM results JOIN visits USING (visit)'), :'joined', 'what refers to another''s visit did not count');
SELECT isnt(t.run('gate_ann', 'SELECT count(*) FROM results AS r LEFT JOIN visits AS v USING (visit) WHERE v.visit IS NULL'), :'alone', 'but as a row of its own');

-- Refused: what no key says; what refers to a person; several populations; other
-- comparisons
SELECT alike(t.run('gate_ann', 'SELECT count(*) FROM ' || q), '0A000: ' || m || ' cannot be used in a query over a protected relation', 'refused: ' || q)
FROM (VALUES
	('loose JOIN visits USING (visit)', 'a join of protected relations on anything but %'),
	('visits AS v JOIN persons AS p ON v.referrer = p.pid', 'a join of protected relations on anything but %'),
	('visits AS v LEFT JOIN persons AS p ON v.referrer = p.pid', 'a join of protected relations on anything but %'),
	('visits AS v JOIN visits AS w ON v.referrer = w.referrer', 'a join of protected relations on anything but %'),
	('elsewhere JOIN visits USING (visit)', 'a join of protected relations on anything but %'),
	('elsewhere JOIN results USING (visit)', 'a join of protected relations on anything but %'),
	('results JOIN visits ON results.visit < visits.visit', 'a join of protected relations on anything but %'),
	('results JOIN visits ON results.id = visits.visit', 'a join of protected relations on anything but %'),
	('results JOIN visits ON results.visit IS NOT DISTINCT FROM visits.visit', 'a join of protected relations on anything but %'),
	('results JOIN visits ON results.visit = visits.visit OR x = 1', 'a join of protected relations on anything but %'),
	('readings JOIN parts USING (part)', 'a join of protected relations on anything but %'),
	('readings AS a JOIN parts AS b ON a.part = b.result AND a.result = b.part', 'a join of protected relations on anything but %'),
	('visits AS v WHERE EXISTS (SELECT FROM loose AS l WHERE l.visit = v.visit)', 'a sub-query over the rows of other %'),
	('visits AS v WHERE EXISTS (SELECT FROM elsewhere AS l WHERE l.visit = v.visit)', 'a sub-query over the rows of other %'),
	('visits AS v WHERE referrer IN (SELECT pid FROM persons)', 'a sub-query over the rows of other %'),
	('visits AS v WHERE EXISTS (SELECT FROM results AS r WHERE r.visit < v.visit)', 'a sub-query over the rows of other %'),
	('visits AS v WHERE visit <> ALL (SELECT visit FROM loose)', 'a sub-query over the rows of other %')) AS x (q, m);

-- A key that is gone is no reason any longer; NOT VALID is one, for it trusts no row.
ALTER TABLE public.drugs DROP CONSTRAINT drugs_visit_fkey;
SELECT t.refuse('0A000', 'SELECT count(*) FROM drugs JOIN visits USING (visit)');
ALTER TABLE public.drugs ADD FOREIGN KEY (visit) REFERENCES public.visits NOT VALID;
SELECT t.accept('SELECT count(*) FROM drugs JOIN visits USING (visit)');

SELECT * FROM finish();
\ir support/gate_end.sql
