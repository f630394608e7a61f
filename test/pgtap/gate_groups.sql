-- Groups by public keys: which keys are public, that every value is released,
-- and what comes after grouping.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;

SET ROLE gate_owner;
CREATE TABLE public.towns (town integer PRIMARY KEY, name text UNIQUE);
INSERT INTO public.towns SELECT i, 'town' || i FROM generate_series(1, 5) AS i;
CREATE TABLE public.secret_towns (town integer PRIMARY KEY);
INSERT INTO public.secret_towns SELECT i FROM generate_series(1, 5) AS i;
GRANT SELECT ON public.towns TO gate_ann;
CREATE DOMAIN public.yes_no AS boolean;
CREATE TABLE public.people (
	id integer PRIMARY KEY,
	age integer NOT NULL,
	smoker boolean,
	adult boolean NOT NULL,
	answer public.yes_no,
	feeling public.mood,
	mood public.mood NOT NULL,
	town integer REFERENCES public.towns,
	town_name text REFERENCES public.towns (name),
	wide bigint REFERENCES public.towns,
	hidden integer REFERENCES public.secret_towns,
	unchecked integer,
	grade text COLLATE "C",
	code character(4),
	level smallint,
	price numeric,
	born date,
	seen timestamptz,
	token uuid,
	x double precision,
	city text
);
INSERT INTO public.people
SELECT i, i % 90, CASE WHEN i % 10 < 9 THEN i % 10 < 3 END, i % 90 >= 18, i % 2 = 0, 'ok', CASE WHEN i % 4 = 0 THEN 'sad' ELSE 'happy' END::mood,
	1 + i % 3, 'town' || 1 + i % 2, 1, 2, 3, chr(65 + i % 3), 'c' || i % 2, i % 4, (i % 3)::numeric(10, 2), date '2000-01-01' + i % 2,
	timestamptz '2020-01-01 00:00Z' + (i % 2) * interval '1 day', lpad((i % 2)::text, 32, '0')::uuid, i % 50, 'city' || i
FROM generate_series(1, 1000) AS i;
ALTER TABLE public.people ADD CONSTRAINT later FOREIGN KEY (unchecked) REFERENCES public.towns NOT VALID;
SELECT dp_noise.protect('public.people', epsilon => 1e6, delta => 1), dp_noise.set_bounds('public.people', 'age', 0, 100), dp_noise.set_bounds('public.people', 'x', 0, 50),
	dp_noise.alter_population('public.people', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.people', 1000000, delta => 1),
	dp_noise.set_budget('gate_bob', 'public.people', 1000000, delta => 1);
SELECT dp_noise.set_values('public.people', 'grade', '{C,A,Z}'), dp_noise.set_values('public.people', 'code', '{c1,c0}'),
	dp_noise.set_values('public.people', 'level', '{03,2,9}'), dp_noise.set_values('public.people', 'price', '{1,2.0,1e2}'),
	dp_noise.set_values('public.people', 'born', '{2000-01-02}'), dp_noise.set_values('public.people', 'seen', '{"2020-01-01 00:00Z","2020-01-02 02:00+02"}'),
	dp_noise.set_values('public.people', 'token', '{00000000000000000000000000000001}');
RESET ROLE;

-- All rows of the analyst's answer, as one text; counts are exact at epsilon 100.
CREATE FUNCTION t.rows(query text, who text DEFAULT 'gate_ann') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', '100', false);
	RETURN t.run(who, format('SELECT string_agg(translate(r::text, ''()'', ''''), '' | '') FROM (%s) AS r', query));
END
$$;

-- Each kind of key: every value, in order, whether a row has it or not.
SELECT is(t.rows(query), answer, query)
FROM (VALUES
	('SELECT smoker, dp_count(*) FROM people GROUP BY smoker', 'f,600 | t,300 | ,100'),
	('SELECT adult, dp_count(*) FROM people GROUP BY adult', 'f,208 | t,792'),
	('SELECT answer, dp_count(*) FROM people GROUP BY answer', 'f,500 | t,500 | ,0'),
	('SELECT feeling, dp_count(*) FROM people GROUP BY feeling', 'sad,0 | ok,1000 | happy,0 | ,0'),
	('SELECT mood, dp_count(*) FROM people GROUP BY mood', 'sad,250 | ok,0 | happy,750'),
	('SELECT age >= 45, dp_count(*) FROM people GROUP BY 1', 'f,505 | t,495'),
	('SELECT smoker IS TRUE, dp_count(*) FROM people GROUP BY 1', 'f,700 | t,300'),
	('SELECT smoker AND adult AS s, dp_count(*) FROM people WHERE age IN (3, 30) GROUP BY s', 'f,12 | t,11 | ,0'),
	('SELECT town, dp_count(*) FROM people GROUP BY town', '1,333 | 2,334 | 3,333 | 4,0 | 5,0 | ,0'),
	('SELECT town_name, dp_count(*) FROM people GROUP BY town_name', 'town1,500 | town2,500 | town3,0 | town4,0 | town5,0 | ,0'),
	('SELECT grade, dp_count(*) FROM people GROUP BY grade', 'C,333 | A,333 | Z,0 | ,0'),
	('SELECT code, dp_count(*) FROM people GROUP BY code', '"c1  ",500 | "c0  ",500 | ,0'),
	('SELECT level, dp_count(*) FROM people GROUP BY level', '3,250 | 2,250 | 9,0 | ,0'),
	('SELECT price, dp_count(*) FROM people GROUP BY price', '1,334 | 2.0,333 | 100,0 | ,0'),
	('SELECT born, dp_count(*) FROM people GROUP BY born', '2000-01-02,500 | ,0'),
	('SELECT token, dp_count(*) FROM people GROUP BY token', '00000000-0000-0000-0000-000000000001,500 | ,0'),
	('SELECT seen = ''2020-01-02 00:00Z'' AS s, dp_count(*) FROM people GROUP BY s', 'f,500 | t,500 | ,0'),
	('SELECT CASE WHEN age < 30 THEN ''young'' WHEN age < 60 THEN ''middle'' ELSE ''old'' END, dp_count(*) FROM people GROUP BY 1',
		'young,340 | middle,330 | old,330'),
	('SELECT CASE WHEN age < 30 THEN 1 WHEN age < 60 THEN 1 END AS c, dp_count(*) FROM people GROUP BY c', '1,670 | ,330'),
	('SELECT coalesce(town, 0), dp_count(*) FROM people GROUP BY 1', '1,333 | 2,334 | 3,333 | 4,0 | 5,0 | 0,0'),
	('SELECT coalesce(grade, ''none''), dp_count(*) FROM people GROUP BY 1', 'C,333 | A,333 | Z,0 | none,0'),
	('SELECT coalesce(smoker, adult), dp_count(*) FROM people GROUP BY 1', 'f,612 | t,388'),
	('SELECT nullif(adult, true), dp_count(*) FROM people GROUP BY 1', 'f,208 | t,0 | ,792'),
	('SELECT level::bigint, dp_count(*) FROM people GROUP BY level::bigint', '3,250 | 2,250 | 9,0 | ,0'),
	('SELECT CASE WHEN adult THEN town END, dp_count(*) FROM people WHERE mood = ''sad'' GROUP BY 1', '1,66 | 2,66 | 3,66 | 4,0 | 5,0 | ,52'),
	('SELECT CASE WHEN age < 30 THEN 1.50 WHEN age < 60 THEN 1.5 ELSE 2 END, dp_count(*) FROM people GROUP BY 1', '1.50,670 | 2,330'),
	('SELECT ''x''::text AS what, dp_count(*) FROM people GROUP BY what', 'x,1000'),
	('SELECT 1 AS one, adult, dp_count(*) FROM people GROUP BY one, adult', '1,f,208 | 1,t,792'),
	('SELECT adult AS a, adult AS b, dp_count(*) FROM people GROUP BY 1, 2', 'f,f,208 | t,t,792'),
	('SELECT adult, NOT NOT adult AS b, dp_count(*) FROM people GROUP BY adult, NOT NOT adult', 'f,f,208 | t,t,792'),
	('SELECT mood, adult, dp_count(*) FROM people GROUP BY mood, adult', 'sad,f,52 | sad,t,198 | ok,f,0 | ok,t,0 | happy,f,156 | happy,t,594'),
	('SELECT adult, mood, dp_count(*) FROM people GROUP BY adult, mood', 'f,sad,52 | f,ok,0 | f,happy,156 | t,sad,198 | t,ok,0 | t,happy,594'),
	('SELECT dp_count(*) FROM people GROUP BY adult', '208 | 792'),
	('SELECT adult, adult, NOT adult AS n, dp_count(*) FROM people GROUP BY adult, adult', 'f,f,t,208 | t,t,f,792'),
	('SELECT adult, dp_count(*) FILTER (WHERE smoker), dp_count(*) FROM people GROUP BY adult', 'f,69,208 | t,231,792'),
	('SELECT adult, dp_count(*) FROM people WHERE age < 0 GROUP BY adult', 'f,0 | t,0'),
	('SELECT adult, dp_count(*) FROM people WHERE false GROUP BY adult', 'f,0 | t,0'),
	('SELECT adult, dp_count(*) FROM people WHERE NOT adult GROUP BY adult', 'f,208 | t,0')
) AS v (query, answer);

-- What comes after grouping works on released rows.
SELECT is(t.rows(query), answer, query)
FROM (VALUES
	('SELECT mood, dp_count(*) FROM people GROUP BY mood HAVING dp_count(*) > 100', 'sad,250 | happy,750'),
	('SELECT mood, dp_count(*) FROM people GROUP BY mood HAVING mood > ''sad''', 'ok,0 | happy,750'),
	('SELECT mood, dp_count(*) AS n FROM people GROUP BY mood ORDER BY n DESC, mood', 'happy,750 | sad,250 | ok,0'),
	('SELECT mood, dp_count(*) FROM people GROUP BY mood ORDER BY dp_sum(age), 1 DESC LIMIT 1', 'ok,0'),
	('SELECT DISTINCT dp_count(*) > 10 FROM people GROUP BY mood ORDER BY 1', 'f | t'),
	('SELECT DISTINCT ON (dp_count(*) > 10) dp_count(*) FROM people GROUP BY mood ORDER BY dp_count(*) > 10, dp_count(*) DESC', '0 | 750'),
	('SELECT mood, rank() OVER (ORDER BY dp_count(*)), sum(dp_count(*)) OVER () FROM people GROUP BY mood ORDER BY 2', 'ok,1,1000 | sad,2,1000 | happy,3,1000'),
	('SELECT mood, dp_count(*), generate_series(1, 2) FROM people GROUP BY mood', 'sad,250,1 | sad,250,2 | ok,0,1 | ok,0,2 | happy,750,1 | happy,750,2'),
	('SELECT upper(mood::text) || dp_count(*), length(mood::text) FROM people GROUP BY mood', 'SAD250,3 | OK0,2 | HAPPY750,5'),
	('SELECT s.mood, t.name FROM (SELECT mood, dp_count(*) AS n FROM people GROUP BY mood) AS s JOIN towns AS t ON s.n / 250 = t.town', 'sad,town1 | happy,town3'),
	('SELECT count(*), sum(n) FROM (SELECT dp_count(*) AS n FROM people GROUP BY town, mood) AS s', '18,1000'),
	('SELECT mood, dp_count(*) FROM people GROUP BY mood UNION ALL SELECT NULL, dp_count(*) FROM people', 'sad,250 | ok,0 | happy,750 | ,1000'),
	('WITH s AS MATERIALIZED (SELECT mood, dp_count(*) AS n FROM people GROUP BY mood) SELECT a.n FROM s AS a, s AS b WHERE a.mood = b.mood', '250 | 0 | 750'),
	('SELECT 1 / (dp_count(*) - dp_count(*) + 1) FROM people GROUP BY mood', '1 | 1 | 1')
) AS v (query, answer);

-- The noise is drawn once a row: rescans show the same.
SET dp_noise.epsilon = 0.1;
SELECT is(t.run('gate_ann', 'SELECT max(d) FROM (SELECT mood, stddev(n) AS d FROM (SELECT i, s.* FROM generate_series(1, 1000) AS i
	LEFT JOIN (SELECT mood, dp_count(*) AS n FROM people GROUP BY mood) AS s ON i > n - 1e9) AS u GROUP BY mood) AS v'), '0', 'a thousand rescans');
SELECT is(t.run('gate_ann', 'SELECT count(DISTINCT n) > 50 FROM (SELECT dp_count(age, 0.01) AS n FROM people WHERE age < 0 GROUP BY '
	|| string_agg(format('age > %s', 10 * i), ', ') || ') AS s'), 'true', 'groups without rows have noise of their own')
FROM generate_series(1, 8) AS i;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT dp_mean(age), dp_sum(x), dp_median_exp(x), dp_max(age), dp_min(x), dp_quantile_exp(x, 0.2)
	FROM people WHERE age < 0 GROUP BY town) AS s WHERE NOT (s IS NOT NULL)'), '0', 'no answer of an empty group is null');

-- The noise of present and absent groups has one law.
SELECT t.run('gate_ann', 'CREATE TABLE draws (mood public.mood, n bigint)');
DO $$
BEGIN
	FOR i IN 1 .. 1500 LOOP
		PERFORM t.run('gate_ann', 'INSERT INTO draws SELECT mood, dp_count(age, 0.5) FROM people WHERE mood <> ''happy'' GROUP BY mood');
	END LOOP;
END
$$;
-- E X^2 = 2a/(1-a)^2 = 7.84; standard error of its mean over 1500 draws: about 0.46
SELECT ok(abs(avg((n - CASE mood WHEN 'sad' THEN 250 ELSE 0 END) ^ 2) - 7.84) < 2.8, format('%s: the noise of 1500 answers', mood))
FROM gate_ann.draws WHERE n IS NOT NULL GROUP BY mood;

-- Cost: each aggregate once, whatever the number of groups.
CREATE TABLE t.spent AS SELECT epsilon_spent AS before FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.people';
SET dp_noise.epsilon = 0.25;
SELECT t.run('gate_ann', 'SELECT dp_count(*), dp_sum(age) FROM people GROUP BY town, mood, adult');
SELECT is(trim_scale(epsilon_spent - before), 0.5, 'two aggregates by three keys') FROM dp_noise.budgets, t.spent
WHERE role = 'gate_ann' AND population = 'public.people';
SELECT t.accept('SELECT mood, dp_count(*) FROM people GROUP BY mood', 1);
SELECT t.accept('SELECT mood, dp_count(*), dp_sum(age) FROM people GROUP BY mood HAVING dp_mean(x) > 0', 3);
SELECT t.accept('EXPLAIN SELECT mood, dp_count(*) FROM people GROUP BY mood', 0);

-- Keys that are not public, and other ways to group.
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people GROUP BY ' || key)
FROM unnest('{age,city,x,hidden,unchecked,wide,"town, age","CASE WHEN age > 3 THEN age ELSE 0 END","coalesce(city, town_name)",id,"NOT adult, id"}'::text[]) AS key;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people GROUP BY ' || key)
FROM unnest('{"random() > 0.5","people IS NULL","ctid"}'::text[]) AS key;
SELECT t.accept('SELECT dp_count(*) FROM people GROUP BY ' || key, charges)
FROM (VALUES ('ROLLUP (mood)', 1), ('CUBE (mood, adult)', 1), ('GROUPING SETS ((mood), (adult))', 1), ('mood, ROLLUP (adult)', 1)) AS v (key, charges);
SELECT t.accept('SELECT dp_count(*) FROM people GROUP BY ' || key)
FROM unnest('{"age / 2 > 3","upper(grade)","grade LIKE ''A%''","1 / age > 0","now() > seen + interval ''1 day''"}'::text[]) AS key;
SELECT t.refuse('42803', 'SELECT age, dp_count(*) FROM people GROUP BY adult');
SELECT t.refuse('0A000', 'SELECT city, dp_count(*) FROM people GROUP BY id');
SELECT t.refuse('0A000', 'SELECT age, dp_count(*) FROM people GROUP BY id, adult');
SELECT t.refuse('0A000', 'SELECT grouping(adult), dp_count(*) FROM people GROUP BY adult');
SELECT t.accept('SELECT adult, dp_count(*), (SELECT 1) FROM people GROUP BY adult');
SELECT t.accept('SELECT adult, count(*) FROM people GROUP BY adult');
SELECT t.accept('SELECT adult, dp_count(*), count(*) FROM people GROUP BY adult');
SELECT t.accept('SELECT adult FROM people GROUP BY adult', 0);
SELECT t.refuse('54000', 'SELECT dp_count(*) FROM people GROUP BY ' || string_agg(format('(age > %s) = (id > 0)', i), ', ')) FROM generate_series(1, 20) AS i;

-- A key that turns out to be one value is that value around the answer: what was
-- written of it names columns that are no longer there, and the server went down.
SET dp_noise.epsilon = 1000;
SELECT is(t.rows(format('SELECT * FROM (%s) AS a', question)), answer, question) FROM (VALUES
	('SELECT p.none = p.age, p.none, dp_count(*) FROM (SELECT town, age, NULL::integer AS none FROM people) AS p JOIN towns AS t ON t.town = p.town GROUP BY 1, 2', ',,1000'),
	('SELECT p.none = p.age, dp_count(*) FROM (SELECT town, age, NULL::integer AS none FROM people) AS p JOIN towns AS t ON t.town = p.town GROUP BY 1 ORDER BY 1', ',1000'),
	('SELECT coalesce(p.age = NULL, true), dp_count(*) FROM people AS p JOIN towns AS t ON t.town = p.town GROUP BY p.age = NULL HAVING (p.age = NULL) IS NULL', 't,1000'),
	('SELECT p.adult AND false, dp_count(*) FROM people AS p JOIN towns AS t ON t.town = p.town GROUP BY 1', 'f,1000'),
	('SELECT p.adult, p.age - NULL::integer, dp_count(*) FROM people AS p JOIN towns AS t ON t.town = p.town GROUP BY 2, 1', 'f,,208 | t,,792'),
	('SELECT (p.age = NULL)::text || ''a'' COLLATE "C", dp_count(*) FROM people AS p JOIN towns AS t ON t.town = p.town GROUP BY 1', ',1000')) AS q (question, answer);
SELECT t.run('gate_ann', 'PREPARE folded(integer) AS SELECT (a)::text FROM (SELECT CASE WHEN p.none = p.age THEN 1 ELSE $1 END, dp_count(*) FROM (SELECT town, age, NULL::integer AS none FROM people) AS p JOIN towns AS t ON t.town = p.town GROUP BY 1) AS a');
SELECT is(t.run('gate_ann', format('EXECUTE folded(%s)', i)), format('(%s,1000)', i), 'a parameter, execution ' || i) FROM generate_series(1, 7) AS i;

-- A foreign key is public to who may read its table.
REVOKE SELECT ON public.towns FROM gate_ann;
SELECT t.refuse('0A000', 'SELECT town, dp_count(*) FROM people GROUP BY town');
GRANT SELECT (name) ON public.towns TO gate_ann;
SELECT t.refuse('0A000', 'SELECT town, dp_count(*) FROM people GROUP BY town');
GRANT SELECT (town) ON public.towns TO gate_ann;
SELECT t.accept('SELECT town, dp_count(*) FROM people GROUP BY town');
SELECT dp_noise.protect('public.towns', epsilon => 1e6, delta => 1);
SELECT t.refuse('0A000', 'SELECT town, dp_count(*) FROM people GROUP BY town');
SELECT dp_noise.unprotect('public.towns');
ALTER TABLE public.towns ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON public.towns USING (town < 3);
SELECT is(t.rows('SELECT town, dp_count(*) FROM people GROUP BY town'), '1,333 | 2,334 | ,0', 'as that user sees it');
ALTER TABLE public.towns DISABLE ROW LEVEL SECURITY;

-- Prepared statements: a generic plan, and a domain that changes.
SET dp_noise.epsilon = 100;
SELECT t.run('gate_ann', 'PREPARE kinds(integer, text) AS SELECT string_agg(concat(c, n), '' '') FROM (SELECT CASE WHEN age < $1 THEN ''young'' ELSE $2 END AS c, dp_count(*) AS n FROM people GROUP BY c) AS s');
SELECT is(t.run('gate_ann', format('EXECUTE kinds(%s, ''old'')', 10 * (i % 5))), 'young0 old1000', 'a parameterised statement, execution ' || i)
FROM generate_series(0, 10) AS i WHERE i % 5 = 0;
SELECT is(t.run('gate_ann', 'EXECUTE kinds(45, ''young'')'), 'young1000', 'two constants of one value are one');
SELECT t.run('gate_ann', 'PREPARE moods AS SELECT count(*) FROM (SELECT mood, dp_count(*) FROM people GROUP BY mood) AS s');
SELECT is(t.run('gate_ann', 'EXECUTE moods'), '3', 'an enum of three');
ALTER TYPE public.mood ADD VALUE 'gone';
SELECT is(t.run('gate_ann', 'EXECUTE moods'), '4', 'of four');
SELECT t.run('gate_ann', 'PREPARE grades AS SELECT count(*) FROM (SELECT grade, dp_count(*) FROM people GROUP BY grade) AS s');
SELECT is(t.run('gate_ann', 'EXECUTE grades'), '4', 'three declared values and null');
SELECT dp_noise.set_values('public.people', 'grade', '{A}');
SELECT is(t.run('gate_ann', 'EXECUTE grades'), '2', 'one');
SELECT dp_noise.set_values('public.people', 'grade', NULL);
SELECT alike(t.run('gate_ann', 'EXECUTE grades'), '0A000: GROUP BY of values that are not public%', 'none');
SELECT dp_noise.set_values('public.people', 'grade', '{A}');
ALTER TABLE public.people RENAME COLUMN grade TO mark;
SELECT t.accept('SELECT dp_count(*) FROM people GROUP BY mark');

-- Cursors.
BEGIN;
SELECT t.run('gate_ann', 'DECLARE c SCROLL CURSOR FOR SELECT mood, dp_count(*) FROM people GROUP BY mood');
FETCH 2 FROM c \g /dev/null
FETCH BACKWARD 1 FROM c \gset first_
FETCH FIRST FROM c \gset again_
COMMIT;
SELECT is(:'again_dp_count'::bigint, :'first_dp_count'::bigint, 'a cursor backward');

-- Replay: the same rows again; the order of keys does not count; a value that
-- came later has no answer, rather than a new one for free.
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay') \g /dev/null
CREATE FUNCTION t.as_bob(query text) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT t.rows(query, ''gate_bob'')';
CREATE TABLE t.replayed AS SELECT t.as_bob('SELECT mood, adult, dp_count(age, 0.01), dp_mean(age, 0, 100, 0.01) FROM people GROUP BY mood, adult ORDER BY 1, 2') AS answer, t.charges() AS charges;
SELECT is(t.as_bob('SELECT mood, adult, dp_count(age, 0.01), dp_mean(age, 0, 100, 0.01) FROM people GROUP BY adult, mood ORDER BY 1, 2'), answer, 'replayed') FROM t.replayed;
SELECT is(t.charges(), charges, 'for free') FROM t.replayed;
ALTER TYPE public.mood ADD VALUE 'late';
SELECT is(replace(t.as_bob('SELECT mood, adult, dp_count(age, 0.01), dp_mean(age, 0, 100, 0.01) FROM people GROUP BY adult, mood ORDER BY 1, 2'), ' | late,f,, | late,t,,', ''),
	answer, 'a new value has null') FROM t.replayed;
SELECT is(t.as_bob('SELECT bool_and(n IS NULL), bool_and(m IS NOT NULL) FROM (SELECT mood, dp_count(*) AS n, dp_max(age) AS m FROM people GROUP BY mood, adult) AS s WHERE mood = ''late'''),
	't,t', 'with a new question beside it, too');
SELECT is(t.charges() - charges, 1::bigint, 'of which one is charged') FROM t.replayed;

-- set_values: who may, and what it takes.
SELECT alike(t.run('gate_ann', $$SELECT dp_noise.set_values('public.people', 'city', '{a}')$$), '42501: %', 'an analyst may not declare values');
SELECT throws_ok(format('SELECT dp_noise.set_values(''public.people'', %L, %L)', c, v), state, NULL, format('set_values(%s, %s)', c, v))
FROM (VALUES ('nobody', '{a}', '42703'), (NULL, '{a}', '42703'), ('ctid', '{(0;1)}', '42703'), ('level', '{a}', '22P02'), ('level', '{1,01}', '22023'), ('level', '{}', '22023'),
	('level', '{1,NULL}', '22023'), ('level', '{NULL}', '22023'), ('x', '{1}', '0A000'), ('mood', '{never}', '22P02'), ('level', '{100000}', '22003')) AS v (c, v, state);
SELECT dp_noise.alter_population('public.people', on_repeat => 'answer') \g /dev/null
SELECT lives_ok($$SELECT dp_noise.set_values('public.people', 'mood', '{happy,sad}')$$);
SELECT is(t.rows('SELECT mood, dp_count(*) FROM people GROUP BY mood'), 'happy,750 | sad,250', 'some values of an enum, in another order');
SELECT * FROM finish();
\ir support/gate_end.sql
