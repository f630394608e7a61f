-- What came to PostgreSQL after version 15: each works or is refused, as an
-- analyst without any privilege on the protected table. Older servers skip it.
\ir support/gate.sql
SELECT current_setting('server_version_num')::integer / 10000 AS major \gset
SELECT :major >= 16 AS has_16, :major >= 17 AS has_17, :major >= 18 AS has_18 \gset
SET SESSION AUTHORIZATION gate_ann;
SET search_path = gate_ann, public;
CREATE TABLE mine (x bigint);
RESET SESSION AUTHORIZATION;
RESET search_path;
SELECT * FROM no_plan();

-- On all versions, in words that all have: groups, whose columns version 18
-- refers to in a way of its own.
SELECT t.accept('SELECT n > 0 AS positive, count(*), sum(n) FROM (SELECT dp_count(*) AS n FROM patients) AS s GROUP BY n > 0 HAVING count(*) > 0 ORDER BY 1');
SELECT t.accept('SELECT x % 2 AS odd, count(*) + max((SELECT dp_count(*) FROM patients)) FROM numbers GROUP BY ROLLUP (x % 2)');
SELECT t.accept('SELECT DISTINCT x % 2 FROM numbers, (SELECT dp_count(*) AS n FROM patients) AS s GROUP BY x, n ORDER BY 1');
SELECT t.accept('SELECT s.n, v.x FROM numbers AS v LEFT JOIN (SELECT dp_count(*) AS n FROM patients) AS s ON v.x > 3');
SELECT t.accept('SELECT s.n, v.x FROM (SELECT dp_count(*) AS n FROM patients) AS s FULL JOIN numbers AS v ON v.x = s.n WHERE coalesce(s.n, v.x) > 0');
SELECT t.accept('SELECT age % 7, dp_count(*) FROM patients GROUP BY age % 7');

\if :has_16
SELECT t.accept('EXPLAIN (GENERIC_PLAN) SELECT dp_count(*) FROM patients WHERE age > 3', 0);
SELECT t.accept('EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) SELECT n + $1 FROM (SELECT dp_count(*) AS n FROM patients) AS s', 0);
SELECT t.refuse('42704', 'EXPLAIN (GENERIC_PLAN) SELECT dp_count(*) FROM patients WHERE age > $1');
SELECT t.refuse('42704', 'EXPLAIN (GENERIC_PLAN) SELECT dp_count(age, $1) FROM patients');
SELECT t.refuse('42501', 'SELECT any_value(age) FROM patients');
SELECT t.refuse('42501', 'SELECT dp_count(*), any_value(age) FROM patients');
SELECT t.accept('SELECT any_value(n) FROM (SELECT dp_count(*) AS n FROM patients) AS s');
SELECT t.refuse('42501', 'SELECT json_arrayagg(age) FROM patients');
SELECT t.refuse('42501', 'SELECT dp_count(*), json_objectagg(id : age) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE notes::text IS JSON');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE name IS JSON OBJECT');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE JSON_ARRAY(age) IS NULL');
SELECT t.accept('SELECT JSON_OBJECT(''n'' : dp_count(*)) FROM patients');
\endif

\if :has_17
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE JSON_VALUE(notes, ''$.i'' RETURNING integer) > 3');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE JSON_EXISTS(notes, ''$.i'' ERROR ON ERROR)');
SELECT t.refuse('0A000', 'SELECT dp_sum(JSON_VALUE(notes, ''$.i'' RETURNING integer ERROR ON ERROR), 0, 10) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients, JSON_TABLE(notes, ''$'' COLUMNS (i integer PATH ''$.i'')) AS j');
SELECT t.accept('SELECT j.n FROM (SELECT to_jsonb(dp_count(*)) AS d FROM patients) AS s, JSON_TABLE(d, ''$'' COLUMNS (n bigint PATH ''$'')) AS j');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE seen AT LOCAL > ''2020-01-01''');
SELECT t.refuse('0A000', 'MERGE INTO mine USING (SELECT dp_count(*) AS n FROM patients) AS s ON x = n WHEN NOT MATCHED THEN INSERT VALUES (n) RETURNING x');
SELECT t.refuse('42501', 'MERGE INTO mine USING patients AS p ON x = p.id WHEN NOT MATCHED THEN INSERT VALUES (p.age) RETURNING x');
SELECT t.refuse('0A000', 'WITH m AS (MERGE INTO mine USING numbers AS s ON mine.x = s.x WHEN NOT MATCHED THEN INSERT VALUES (s.x) RETURNING mine.x) SELECT dp_count(*) FROM patients');
SELECT t.accept('EXPLAIN (MEMORY) SELECT dp_count(*) FROM patients', 0);
SELECT t.accept('EXPLAIN (ANALYZE, SERIALIZE, MEMORY) SELECT dp_count(*) FROM patients');
\endif

\if :has_18
-- columns that are computed when they are read
SET ROLE gate_owner;
CREATE TABLE public.computed (
	id integer PRIMARY KEY,
	x integer,
	risky double precision GENERATED ALWAYS AS (1.0 / (x - 5)) VIRTUAL,
	tame integer GENERATED ALWAYS AS (x) VIRTUAL,
	kept integer GENERATED ALWAYS AS (x + 1) STORED
);
INSERT INTO public.computed SELECT i, i + 10 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.computed', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_bounds('public.computed', 'tame', 0, 10);
SELECT dp_noise.alter_population('public.computed', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.computed', 1000);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM computed');
SELECT t.accept('SELECT dp_sum(kept, 0, 10) FROM computed WHERE x > 3 AND kept < 5');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed WHERE ' || condition)
FROM unnest('{risky > 0,x > 3 AND risky IS NOT NULL,tame > 3,tame IS NULL,CASE WHEN x <> 5 THEN risky > 0 END,coalesce(tame\,1) = 1}'::text[]) AS condition;
SELECT t.refuse('0A000', 'SELECT dp_count(risky) FROM computed');
SELECT t.refuse('0A000', 'SELECT dp_sum(tame) FROM computed');
SELECT t.refuse('0A000', 'SELECT dp_mean(risky, 0, 1) FROM computed');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FILTER (WHERE tame = 1) FROM computed');
SELECT t.refuse('0A000', 'SELECT tame, dp_count(*) FROM computed GROUP BY tame');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed AS c WHERE (c.risky, c.x) = (1, 2)');

-- in joins only where they are named
SET ROLE gate_owner;
CREATE TABLE public.computed_people (id integer PRIMARY KEY, x integer, tame integer GENERATED ALWAYS AS (x) VIRTUAL);
INSERT INTO public.computed_people SELECT i, i FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.computed_people', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('public.computed_people', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.computed_people', 1000);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM computed_people AS c JOIN computed_people AS d USING (id)');
SELECT t.accept('SELECT dp_count(*) FROM computed_people AS c LEFT JOIN numbers AS n USING (x)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed_people AS c JOIN computed_people AS d USING (id, tame)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed_people AS c FULL JOIN computed_people AS d USING (tame) WHERE tame > 3');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM (computed_people AS c JOIN numbers AS n ON n.x = c.id) AS j (id, x, named) WHERE named > 3');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM ((computed_people AS c JOIN numbers AS n ON n.x = c.id) AS j (id, a, named) LEFT JOIN numbers AS m ON m.x = a) AS k (id, b, again) WHERE again > 3');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed_people AS c JOIN computed_people AS d USING (id) WHERE EXISTS (SELECT FROM computed_people AS e WHERE e.id = c.id AND d.tame > 3)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM (computed_people AS c JOIN numbers AS n ON n.x = c.id) AS j (id, a, named) WHERE EXISTS (SELECT FROM computed_people AS e WHERE e.id = j.id AND named > 3)');

-- in sub-queries, too
SET ROLE gate_owner;
CREATE TABLE public.computed_visits (
	person integer,
	x integer,
	risky double precision GENERATED ALWAYS AS (1.0 / (x - 5)) VIRTUAL
);
INSERT INTO public.computed_visits SELECT i / 2, i + 10 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.computed_visits', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('public.computed_visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.computed_visits', 1000);
RESET ROLE;
SELECT t.accept('SELECT dp_sum(n, 0, 10) FROM (SELECT person, count(x) AS n FROM computed_visits GROUP BY person) AS s');
SELECT t.accept('SELECT dp_count(*) FROM computed_visits AS v WHERE EXISTS (SELECT FROM computed_visits AS w WHERE w.person = v.person AND w.x > v.x)');
SELECT t.refuse('0A000', 'SELECT dp_sum(n, 0, 10) FROM (SELECT person, count(risky) AS n FROM computed_visits GROUP BY person) AS s');
SELECT t.refuse('0A000', 'SELECT dp_sum(r, 0, 10) FROM (SELECT DISTINCT person, risky AS r FROM computed_visits) AS s');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed_visits AS v WHERE EXISTS (SELECT FROM computed_visits AS w WHERE w.person = v.person AND w.risky > 0)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM (SELECT person FROM computed_visits WHERE risky > 0 UNION ALL SELECT person FROM computed_visits) AS s');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM computed_visits AS v WHERE EXISTS (SELECT FROM computed_visits AS w WHERE w.person = v.person AND v.risky > 0)');

-- the new keys and constraints
SET ROLE gate_owner;
CREATE TABLE public.unsure (person integer UNIQUE, x integer);
INSERT INTO public.unsure VALUES (NULL, 1), (NULL, 2), (3, 3);
ALTER TABLE public.unsure ADD CONSTRAINT sure NOT NULL person NOT VALID;
SELECT dp_noise.protect('public.unsure', privacy_unit => 'person', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('public.unsure', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.unsure', 1000000);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(x, 1000) FROM unsure'), '1', 'a constraint that was not checked does not make a unit of a row');
SET ROLE gate_owner;
DELETE FROM public.unsure WHERE person IS NULL;
ALTER TABLE public.unsure VALIDATE CONSTRAINT sure;
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM unsure');

-- statements
SELECT t.accept('INSERT INTO mine SELECT dp_count(*) FROM patients RETURNING old.x, new.x');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE casefold(name) = ''x''');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE token = uuidv7()');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE array_sort(visits) IS NULL');
SELECT t.accept('EXPLAIN (ANALYZE) SELECT dp_count(*) FROM patients');
\endif

SELECT * FROM finish();
\ir support/gate_end.sql
