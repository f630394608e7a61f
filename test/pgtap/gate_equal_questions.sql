-- Equal questions of one statement have one answer and one charge.
\ir support/gate.sql
SELECT no_plan();

SELECT dp_noise.alter_population('patients', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'patients', 1000, delta => 0.1);
SET dp_noise.epsilon = 0.01; -- two draws would be equal once in 400 times
SET dp_noise.delta = 1e-6;
CREATE FUNCTION t.spent() RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT epsilon_spent FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.patients'
$$;
-- What a statement says, and what it costs in hundredths.
CREATE FUNCTION t.told(question text, expected text, cost numeric, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := t.spent();
BEGIN
	RETURN NEXT is(t.run('gate_ann', question), expected, what);
	RETURN NEXT is(t.spent() - before, cost / 100, what || ': the price');
END
$$;

SELECT t.told('SELECT (SELECT dp_count(*) FROM patients) = (SELECT dp_count(*) FROM patients)', 'true', 1, 'a block twice');
SELECT t.told('SELECT count(DISTINCT n) FROM (SELECT dp_count(*) AS n FROM patients WHERE age > 121 UNION ALL SELECT dp_count(*) FROM patients WHERE 121 < age UNION ALL SELECT count(*) FROM patients AS p WHERE NOT age <= 121) AS q', '1', 1, 'in three forms');
SELECT t.told('SELECT dp_count(*) = dp_count(1) FROM patients WHERE age > 120', 'true', 1, 'in two forms in one block');
SELECT t.told('SELECT a.n = b.n AND a.s <> b.s FROM (SELECT dp_count(*) AS n, dp_sum(age, 0, 90) AS s FROM patients WHERE id < 500) AS a, (SELECT dp_sum(age, 0, 80) AS s, dp_count(*) AS n FROM patients WHERE id < 500) AS b', 'true', 3, 'blocks that share one question of two');
SELECT t.told('SELECT a.n = b.n FROM (SELECT dp_count(*) AS n FROM patients WHERE id < 400) AS a, (SELECT dp_sum(age, 0, 80) AS s, dp_count(*) AS n FROM patients WHERE id < 400) AS b', 'true', 2, 'also where what else is asked costs more');
SELECT t.told('SELECT (SELECT dp_count(*) FROM patients) = n FROM (SELECT dp_count(*) AS n FROM patients) AS a', 'true', 0, 'both are replays later');

-- questions that are alike but for their relation are two
SET ROLE gate_owner;
CREATE TABLE public.others (id integer PRIMARY KEY, age integer);
INSERT INTO public.others SELECT i, i FROM generate_series(1, 50) AS i;
SELECT dp_noise.protect('public.others', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'public.others', 1000) \g /dev/null
RESET ROLE;
SET dp_noise.epsilon = 1;
SELECT t.told('SELECT (SELECT dp_count(*) FROM others) < 500 AND (SELECT dp_count(*) FROM patients WHERE id > 0) > 500', 'true', 100, 'of two relations');
SELECT t.told('SELECT (SELECT dp_count(*) FROM patients WHERE age > 1) > 500 AND (SELECT dp_count(*) FROM others WHERE age > 1) < 500', 'true', 100, 'with the same condition');
SELECT is(epsilon_spent, 2::numeric, 'each is charged') FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.others';
SET dp_noise.epsilon = 0.01;

-- groups
CREATE VIEW t.by_mood AS SELECT feeling, smoker, dp_count(*) AS n FROM patients GROUP BY feeling, smoker;
GRANT SELECT ON t.by_mood TO gate_ann;
SELECT t.told('SELECT count(*) || '' '' || count(a.n = b.n OR NULL) FROM t.by_mood AS a JOIN t.by_mood AS b ON a.feeling IS NOT DISTINCT FROM b.feeling AND a.smoker IS NOT DISTINCT FROM b.smoker', '12 12', 1, 'a view twice');
SELECT t.told('SELECT count(*) || '' '' || count(a.n = b.n OR NULL) FROM (SELECT feeling, smoker, dp_count(*) AS n FROM patients WHERE age > 3 GROUP BY 1, 2) AS a JOIN (SELECT smoker, feeling, dp_count(*) AS n FROM patients WHERE age > 3 GROUP BY 1, 2) AS b ON a.feeling IS NOT DISTINCT FROM b.feeling AND a.smoker IS NOT DISTINCT FROM b.smoker', '12 12', 1, 'keys in another order');
SELECT t.told('SELECT count(*) || '' '' || count(a.n = b.n OR NULL) FROM (SELECT feeling, dp_count(*) AS n FROM patients WHERE age > 4 GROUP BY 1) AS a JOIN (SELECT feeling, dp_count(*) AS n, dp_sum(age, 0, 10) FROM patients WHERE age > 4 GROUP BY 1 HAVING dp_sum(age, 0, 10) IS NOT NULL) AS b ON a.feeling IS NOT DISTINCT FROM b.feeling', '4 4', 2, 'some of the columns');

-- private keys: the groups are shared, too
SET dp_noise.epsilon = 1;
SELECT t.told('SELECT (count(*) > 5)::text || '' '' || count(*) - count(a.n = b.n OR NULL) FROM (SELECT city, dp_count(*) AS n FROM patients GROUP BY 1) AS a FULL JOIN (SELECT city, dp_count(*) AS n FROM patients GROUP BY 1) AS b USING (city)', 'true 0', 100, 'private keys');
SELECT t.told('SELECT (count(*) > 5)::text || '' '' || count(*) - count(a.n = b.n AND a.s = b.s OR NULL) FROM (SELECT city, dp_count(*) AS n, dp_sum(age, 0, 9) AS s FROM patients WHERE age > 1 GROUP BY 1) AS a FULL JOIN (SELECT city, dp_sum(age, 0, 9) AS s, dp_count(*) AS n FROM patients WHERE age > 1 GROUP BY 1) AS b USING (city)', 'true 0', 200, 'of two aggregates');
SELECT t.told('SELECT (count(*) > 5)::text || '' '' || count(*) - count(a.s = b.s OR NULL) FROM (SELECT city, dp_sum(age, 0, 9) AS s FROM patients WHERE age > 2 GROUP BY 1) AS a FULL JOIN (SELECT city, dp_sum(age, 0, 9) AS s FROM patients WHERE age > 2 GROUP BY 1) AS b USING (city)', 'true 0', 200, 'with a count of their own that selects them');
SELECT t.told('SELECT 1 FROM (SELECT city, dp_count(*) FROM patients WHERE age > 5 GROUP BY 1) AS a, (SELECT city, dp_count(*), dp_sum(age, 0, 9) FROM patients WHERE age > 5 GROUP BY 1) AS b',
	'53400: the statement asks the same question about "patients" twice', 0, 'one of two aggregates: the groups would not be the same');
SELECT t.told('SELECT 1 FROM (SELECT dp_count(*) FROM patients WHERE age > 6) AS a, (SELECT dp_count(age, 0.5) FROM patients WHERE age > 6) AS b',
	'53400: the statement asks the same question about "patients" twice', 0, 'at two prices');

SELECT t.told('SELECT 1 FROM (SELECT dp_sum(age, 0, 90, 1, ''geometric(quantum=5000)'') FROM patients WHERE age > 6) AS a, (SELECT dp_sum(age, 0, 90, 1, ''geometric'') FROM patients WHERE age > 6) AS b',
	'53400: the statement asks the same question about "patients" twice', 0, 'in two grains');

-- what looks alike where it is compared is not where it is shown
SELECT t.told(format('SELECT a < 200 AND b > 200 FROM (SELECT dp_count(*) FROM patients WHERE %s) AS x (a), (SELECT dp_count(*) FROM patients WHERE %s) AS y (b)', little, much), 'true', 200, much)
FROM (VALUES
	('length(concat(temperature / 3::real)) > 12', 'length(concat((temperature / 3::real)::double precision)) > 12'),
	('length(array_to_string(ARRAY[temperature / 3::real], '''')) > 12', 'length(array_to_string(ARRAY[(temperature / 3::real)::double precision], '''')) > 12'),
	('length(concat(age, 1)) > 5', 'length(concat(age, 1.00)) > 5'),
	('length((age * 1.0)::text) > 4', 'length((age * 1.00)::text) > 4'),
	('length(concat(age, ''a''::character(5))) < 5', 'length(concat(age, ''a'')) < 5'),
	('concat(bmi * ''-0''::double precision) = ''0''', 'concat(bmi * ''0''::double precision) = ''0''')) AS v (little, much);
SELECT t.told('SELECT (SELECT dp_count(*) FROM patients WHERE weight > 60.0) = (SELECT dp_count(*) FROM patients WHERE 60 < weight)', 'true', 100, 'compared, they are the same');

-- fresh noise for each statement, not within it
SELECT dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'patients', 1000, delta => 0.1);
SET dp_noise.epsilon = 0.01;
SELECT t.told('SELECT (SELECT dp_count(*) FROM patients) = (SELECT dp_count(*) FROM patients)', 'true', 1, 'on_repeat => answer: one draw a statement');
SELECT t.run('gate_ann', 'PREPARE twice AS SELECT (SELECT dp_count(*) FROM patients) - (SELECT count(*) FROM patients)');
SELECT t.told('EXECUTE twice', '0', 1, 'prepared') FROM generate_series(1, 7);
SELECT t.told(format('SELECT count(DISTINCT n) FROM (%s) AS q', string_agg('SELECT dp_count(*) AS n FROM patients', ' UNION ALL ')), '1', 1, 'in 1,200 blocks') FROM generate_series(1, 1200);

-- EXPLAIN
SELECT dp_noise.alter_population('patients', on_repeat => 'replay');
CREATE FUNCTION t.explained(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := '';
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	FOR line IN EXECUTE command LOOP
		found := found || coalesce(substring(line FROM '(?:Answer|Total Epsilon|Epsilon to Pay): .*') || '; ', '');
	END LOOP;
	PERFORM set_config('session_authorization', session_user, false);
	RESET SESSION AUTHORIZATION;
	RETURN found;
END
$$;
SELECT is(t.explained('EXPLAIN SELECT (SELECT dp_count(*) FROM patients WHERE age > 7), (SELECT dp_count(*) FROM patients WHERE age > 7)'),
	'Answer: charged; Total Epsilon: 0.01; Epsilon to Pay: 0.01; Answer: the same as before in this statement; Total Epsilon: 0; Epsilon to Pay: 0.01; ', 'EXPLAIN');
SELECT is(t.explained('EXPLAIN ANALYZE SELECT (SELECT dp_count(*) FROM patients WHERE age > 7), (SELECT dp_count(*) FROM patients WHERE age > 7)'),
	'Answer: charged; Total Epsilon: 0.01; Answer: the same as before in this statement; Total Epsilon: 0; ', 'EXPLAIN ANALYZE');
SELECT is(t.explained('EXPLAIN SELECT (SELECT dp_count(*) FROM patients WHERE age > 7), (SELECT dp_count(*) FROM patients WHERE age > 7)') ~ '^(Answer: replayed; Total Epsilon: [0-9.]+; Epsilon to Pay: 0; ){2}$', true, 'EXPLAIN of replays');

-- the same question about another relation is another one
SET ROLE gate_owner;
CREATE TABLE public.some (id integer PRIMARY KEY);
CREATE TABLE public.many (id integer PRIMARY KEY);
CREATE TABLE public.both (id integer PRIMARY KEY);
INSERT INTO public.some SELECT generate_series(1, 100);
INSERT INTO public.many SELECT generate_series(1, 9000);
INSERT INTO public.both SELECT generate_series(1, 9000);
SELECT dp_noise.protect(r, 'id', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', r::text, 1000) FROM unnest('{public.some,public.many,public.both}'::regclass[]) AS r;
RESET ROLE;
SET dp_noise.epsilon = 1;
SELECT is(t.run('gate_ann', 'SELECT a < 1000 AND b > 5000 FROM (SELECT dp_count(*) FROM public.some) AS x (a), (SELECT dp_count(*) FROM many) AS y (b)'), 'true', 'of two relations');
SELECT is(t.run('gate_ann', 'SELECT a < 1000 AND b > 5000 FROM (SELECT dp_count(*) FROM public.some AS s WHERE EXISTS (SELECT FROM public.both AS b WHERE b.id = s.id)) AS x (a), (SELECT dp_count(*) FROM many WHERE EXISTS (SELECT FROM public.both AS b WHERE b.id = many.id)) AS y (b)'), 'true', 'with a third in their conditions');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) < 1000 FROM public.some WHERE id IN (SELECT id FROM public.both)'), 'true', 'nor is one replayed');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) > 5000 FROM many WHERE id IN (SELECT id FROM public.both)'), 'true', 'as an answer to the other');

-- nor is what another time zone gives, wherever the question depends on it
SET ROLE gate_owner;
CREATE TABLE public.times (id integer PRIMARY KEY, at timestamptz);
INSERT INTO public.times SELECT i, timestamptz '2020-01-01 12:00Z' FROM generate_series(1, 9000) AS i;
SELECT dp_noise.protect('public.times', 'id', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'public.times', 1000);
RESET ROLE;
CREATE FUNCTION t.in_zones(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', 'UTC', false);
	RETURN NEXT is(t.run('gate_ann', question), 'true', question);
	PERFORM set_config('TimeZone', 'Asia/Kolkata', false);
	RETURN NEXT is(t.run('gate_ann', question), 'false', question || ', in another zone');
	PERFORM set_config('TimeZone', 'UTC', false);
END
$$;
SELECT t.in_zones(format('SELECT dp_count(%s) > 5000 FROM %s', what, rows)) FROM (VALUES
	('*', 'many WHERE EXISTS (SELECT FROM times WHERE times.id = many.id AND at::time = ''12:00'')'),
	('at', 'many LEFT JOIN times ON times.id = many.id AND at::time = ''12:00'''),
	('*', '(SELECT id, count(*) FILTER (WHERE at::time = ''12:00'') AS n FROM times GROUP BY id) AS q WHERE n > 0')) AS v (what, rows);

-- nor one with other groups, which conditions of WHERE leave a public key
SET ROLE gate_owner;
CREATE TABLE public.kinds (k integer PRIMARY KEY, kind text NOT NULL, rank integer);
INSERT INTO public.kinds VALUES (0, 'k0', 0), (1, 'k1', NULL);
CREATE TABLE public.folk (id integer PRIMARY KEY, sex text NOT NULL, gender text NOT NULL, age integer NOT NULL, k integer NOT NULL, ill boolean);
INSERT INTO public.folk SELECT i, x, x, i % 30, i % 2, i % 4 = 0 FROM generate_series(1, 1000) AS i, LATERAL (SELECT substr('fm', 1 + i % 2, 1)) AS s (x);
GRANT SELECT ON public.kinds TO PUBLIC;
SELECT dp_noise.protect('public.folk', 'id', epsilon => 1e6, delta => 1), dp_noise.set_values('folk', 'sex', '{f,m}'), dp_noise.set_values('folk', 'gender', '{f,m}'), dp_noise.set_bounds('folk', 'age', 0, 29), dp_noise.set_budget('gate_ann', 'public.folk', 100000, delta => 0.5);
RESET ROLE;
SET dp_noise.empty_groups = show;
CREATE FUNCTION t.groups(key text, aggregate text, rest text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.run('gate_ann', format('SELECT string_agg(coalesce(k::text, ''null''), '' '' ORDER BY k) FILTER (WHERE n IS NOT NULL) FROM (SELECT %s AS k, %s AS n%s FROM folk JOIN kinds USING (k) %s GROUP BY 1) AS q', key, aggregate, CASE WHEN rest = '' THEN ', count(*)' ELSE '' END, rest))$$;
SELECT is(t.groups(key, 'dp_count(*)', 'WHERE ' || condition), few, format('%s WHERE %s', key, condition)) || E'\n' ||
	is(t.groups(key, format('dp_count(*) FILTER (WHERE %s)', condition), ''), every, format('%s FILTER (WHERE %s)', key, condition))
FROM (VALUES
	('sex', 'sex = ''f''', 'f', 'f m'),
	('sex', 'sex IN (''f'', ''x'') AND age > 1', 'f x', 'f m'),
	('age / 10', 'age < 10', '0', '0 1 2'),
	('age / 10', 'age BETWEEN 10 AND 29', '1 2', '0 1 2'),
	('ill', 'ill IS NOT NULL', 'false true', 'false true null'),
	('CASE WHEN ill THEN sex ELSE ''-'' END', 'sex = ''m'' AND age > 2', '- m', '- f m'),
	('kind', 'kind <> ''k1''', 'k0', 'k0 k1'),
	('rank', 'rank IS NOT NULL', '0', '0 null')) AS v (key, condition, few, every);
SELECT is(t.groups('sex', 'dp_count(*)', 'WHERE gender = sex AND gender = ''m'''), 'f m', 'of equal columns, one that no condition names');
SELECT is(t.groups('gender', 'dp_count(*)', 'WHERE gender = sex AND gender = ''m'''), 'm', 'and the other');
-- where conditions leave the groups alone, they are one question
SELECT is(t.groups('sex', 'dp_count(*)', 'WHERE age > 3'), 'f m', 'WHERE');
-- tuples of keys that are found together are narrowed by conditions as well
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT age >= 10, age >= 20, dp_count(*) FROM folk WHERE age >= 10 GROUP BY 1, 2) AS q'), '2', 'tuples that WHERE leaves');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT age >= 10, age >= 20, dp_count(*) FILTER (WHERE age >= 10) FROM folk GROUP BY 1, 2) AS q'), '3', 'FILTER leaves all');
SELECT is(t.run('gate_ann', 'SELECT count(n) FROM (SELECT age >= 10, age >= 20, dp_count(*) FILTER (WHERE age >= 10) AS n, dp_sum(k, 0, 1) FROM folk GROUP BY 1, 2) AS q'), '3', 'with a count each');
SELECT epsilon_spent AS spent FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.folk' \gset
SELECT is(t.run('gate_ann', 'SELECT count(n) FROM (SELECT sex, dp_count(*) FILTER (WHERE 3 < age) AS n FROM folk JOIN kinds USING (k) GROUP BY sex) AS q'), '2', 'FILTER');
SELECT is(epsilon_spent, :spent::numeric, 'is replayed') FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.folk';

-- A key that is found in the rows, beside others of its column, has other groups.
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT k > 500, k, dp_count(*) FROM folk GROUP BY ROLLUP (1, 2)) AS q WHERE k IS NULL'), '2', 'a key beside a private one');
SELECT is(t.run('gate_ann', 'SELECT count(n) FROM (SELECT k > 500, dp_count(*) AS n, dp_sum(age) FROM folk GROUP BY 1) AS q'), '2', 'and alone, with all its values');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT k > 400, dp_count(*) FROM folk GROUP BY 1) AS q'), '2', 'a public key');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT k > 400, k, dp_count(*) FROM folk GROUP BY ROLLUP (1, 2)) AS q WHERE k IS NULL'), '2', 'and beside a private one, with those that are found');

\ir support/gate_end.sql
SELECT finish();
