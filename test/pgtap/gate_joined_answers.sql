-- Private answers in FROM, IN and EXISTS of another question: found first and
-- charged as statements of their own; the question around has their rows as a
-- value. Tools ask in this way about the greatest groups.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.epsilon = 100000; -- no noise to speak of
SET ROLE gate_owner;
SELECT dp_noise.set_values('public.patients', 'city', ARRAY(SELECT 'city' || i FROM generate_series(0, 9) AS i));
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1);
CREATE TABLE public.hidden (x integer);
CREATE TABLE public.secret (id integer PRIMARY KEY, age integer);
SELECT dp_noise.protect('public.secret', epsilon => 1e13, delta => 1);
RESET ROLE;
CREATE FUNCTION t.answer(query text, expected text, charges bigint DEFAULT 2) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
BEGIN
	RETURN NEXT is(t.run('gate_ann', query), expected, query);
	RETURN NEXT is(t.charges() - before, charges, 'is charged');
END
$$;
SELECT t.answer(query, expected) FROM (VALUES
	('SELECT count(*) FROM patients JOIN (SELECT city AS c, count(*) AS n FROM patients WHERE age < 40 GROUP BY city ORDER BY c LIMIT 2) AS a ON city = c', '200'),
	('SELECT count(*) FROM (SELECT city AS c, count(*) AS n FROM patients GROUP BY city ORDER BY c LIMIT 2) AS a JOIN patients AS p ON p.city = a.c WHERE age >= n - 50', '88'),
	('SELECT string_agg(k || n, '','' ORDER BY k) FROM (SELECT c AS k, count(*) AS n FROM patients JOIN (SELECT city AS c, count(*) AS n FROM patients WHERE city <= ''city2'' GROUP BY city) AS a ON city = c AND n > 50 GROUP BY c) AS q WHERE n <> 0', 'city0100,city1100,city2100'),
	('SELECT count(*) FROM patients WHERE city IN (SELECT city FROM patients GROUP BY city ORDER BY count(*) > 50 DESC, city DESC LIMIT 3)', '300'),
	('SELECT count(*) FROM patients WHERE city NOT IN (SELECT city FROM patients GROUP BY city ORDER BY count(*) > 50 DESC, city DESC LIMIT 3)', '700'),
	('SELECT count(*) FROM patients WHERE EXISTS (SELECT FROM (SELECT count(*) AS n FROM patients) AS a WHERE n > 999)', '1000'),
	('SELECT count(*) FROM patients WHERE EXISTS (SELECT FROM (SELECT count(*) AS n FROM patients) AS a WHERE n > 1001)', '0'),
	('SELECT count(*) FROM patients AS p LEFT JOIN (SELECT city AS c, count(*) AS n FROM patients GROUP BY city HAVING city < ''city3'') AS a ON a.c = p.city WHERE n IS NULL', '700'),
	('SELECT count(*) FROM patients AS p, (SELECT round(avg(age)) AS m FROM patients) AS a WHERE p.age > a.m', '495'),
	('WITH a AS (SELECT round(avg(age)) AS m FROM patients) SELECT count(*) FROM patients AS p JOIN a ON p.age > a.m', '495'),
	('SELECT dp_count(*) FROM patients WHERE age IN (SELECT dp_min(age, 3, 3) FROM patients)', '12'),
	('SELECT count(*) FROM (SELECT * FROM patients AS p JOIN (SELECT city AS c, count(*) AS n FROM patients GROUP BY city ORDER BY c LIMIT 4) AS a ON c = city) AS virtual_table', '400')
) AS v (query, expected);
SELECT t.answer('SELECT count(*) FROM patients JOIN (SELECT city AS c FROM patients GROUP BY city ORDER BY c LIMIT 4) AS a ON c = city', '400', 1); -- the keys alone are free

-- all types come back as they were
SELECT is(t.run('gate_ann', format('SELECT count(*) FROM patients JOIN (SELECT %s AS v FROM (SELECT count(*) AS n FROM patients) AS s WHERE n > 0) AS a ON pg_typeof(v) = pg_typeof(%1$s) AND v::text = (%1$s)::text', value)),
	'1000', 'as it was: ' || value)
FROM unnest(ARRAY['0.1::float8 + 0.2::float8', '''NaN''::float8', '''-Infinity''::float8', '1e-300::float8', '0.1::real', '123456789012345678901234567890.10::numeric', '''NaN''::numeric', '9223372036854775807', '''it''''s "quoted" \ {} , ü''::text',
	'date ''2024-02-29''', '''infinity''::date', 'timestamp ''2024-02-29 12:00:00.123456''', 'timestamptz ''2024-02-29 12:00:00.123456+05''', 'interval ''1 year -3 days 04:05:06.7''', 'time ''23:59:59.999999''', '''ab''::varchar(3)',
	'''00000000-0000-0000-0000-00000000000a''::uuid', 'true', '''\x00ff''::bytea', 'ARRAY[1, NULL, 3]', 'ARRAY[''a,b'', NULL, ''NULL'']', '''{"a": [1, null]}''::jsonb', '''10.0.0.1/8''::inet', 'B''101''', 'int4range(1, 5)']) AS value;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM patients JOIN (SELECT NULL::integer AS v FROM (SELECT count(*) FROM patients) AS s) AS a ON v IS NULL'), '1000', 'and null');

-- code of users would make a jsonb of their types, and read it
SELECT t.refuse('0A000', 'SELECT count(*) FROM patients JOIN (SELECT ''happy''::mood AS v FROM (SELECT count(*) FROM patients) AS s) AS a ON v::text = ''happy''');

-- the same question by the same values
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1);
RESET ROLE;
SELECT t.answer('SELECT count(*) FROM patients JOIN (SELECT city AS c FROM patients WHERE age > 1 GROUP BY city ORDER BY count(*) DESC, c LIMIT 2) AS a ON city = c', '200', charges) FROM unnest(ARRAY[2, 0, 0]) AS charges;
SELECT t.run('gate_ann', 'PREPARE top(integer, integer) AS SELECT count(*) FROM patients JOIN (SELECT city AS c FROM patients WHERE age >= $1 GROUP BY city ORDER BY c LIMIT $2) AS a ON city = c WHERE age >= $1') \g /dev/null
SELECT t.answer(format('EXECUTE top(0, %s)', 1 + i % 3), (100 * (1 + i % 3))::text, (i < 3)::integer) FROM generate_series(0, 11) AS i;
SELECT t.answer('EXPLAIN SELECT c, count(*) FROM patients JOIN (SELECT city AS c FROM patients GROUP BY city LIMIT 2) AS a ON city = c GROUP BY c', t.run('gate_ann', 'EXPLAIN SELECT c, count(*) FROM patients JOIN (SELECT city AS c FROM patients GROUP BY city LIMIT 2) AS a ON city = c GROUP BY c'), 0);
SELECT is(t.explained('SELECT c, count(*) FROM patients JOIN (SELECT city AS c FROM patients GROUP BY city LIMIT 2) AS a ON city = c GROUP BY c', line), says, line)
FROM (VALUES ('Values Found First', '1'), ('Answer', 'not known'), ('Public Group Key', 'a.c (column of a)'), ('Released Rows', NULL)) AS v (line, says);
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1);
RESET ROLE;

-- what is no such value stays refused
SELECT t.refuse('0A000', query) FROM unnest(ARRAY[
	'SELECT count(*) FROM patients AS p JOIN LATERAL (SELECT count(*) AS n FROM patients AS q WHERE q.age = p.age) AS a ON true',
	'SELECT count(*) FROM patients AS p WHERE age IN (SELECT count(*) FROM patients AS q WHERE q.city = p.city GROUP BY q.smoker)',
	'SELECT count(*) FROM patients AS p JOIN LATERAL (SELECT p.age + n AS k FROM (SELECT count(*) AS n FROM patients) AS s) AS a ON k > 3',
	'SELECT count(*) FROM patients JOIN (SELECT ROW(n, 1) AS r FROM (SELECT count(*) AS n FROM patients) AS s) AS a ON r IS NOT NULL',
	'SELECT count(*) FROM (SELECT city AS c, count(*) AS n FROM patients GROUP BY city) AS a LEFT JOIN patients ON city = c',
	'WITH a AS (SELECT city AS c, count(*) AS n FROM patients GROUP BY city) SELECT count(*) FROM patients JOIN a ON city = c JOIN a AS b ON b.c = a.c'
]) AS query;

-- as the asker, who needs a budget and privileges for all that is in it
SELECT t.refuse('42501', query) FROM unnest(ARRAY[
	'SELECT count(*) FROM patients JOIN (SELECT x FROM hidden, (SELECT count(*) AS n FROM patients) AS s) AS a ON x = age'
]) AS query;
SELECT t.refuse('0A000', query) FROM unnest(ARRAY['SELECT count(*) FROM patients JOIN (SELECT count(*) AS n FROM secret) AS a ON n = age', 'SELECT count(*) FROM patients WHERE age IN (SELECT count(*) FROM secret)']) AS query;
SELECT t.run('gate_bob', 'CREATE VIEW bobs AS SELECT city AS c, count(*) AS n FROM public.patients GROUP BY city') \g /dev/null
SELECT t.refuse('42501', 'SELECT count(*) FROM patients JOIN gate_bob.bobs ON c = city');
SELECT t.run('gate_bob', 'GRANT SELECT ON bobs TO gate_ann') \g /dev/null
SELECT t.run('gate_bob', 'GRANT USAGE ON SCHEMA gate_bob TO gate_ann') \g /dev/null
SELECT t.answer('SELECT count(*) FROM patients JOIN gate_bob.bobs ON c = city', '1000');

-- charged first, and for good
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_bob', 'public.patients', 15);
RESET ROLE;
SET dp_noise.epsilon = 10;
SELECT alike(t.run('gate_bob', 'SELECT count(*) FROM patients JOIN (SELECT count(*) AS n FROM patients) AS a ON age < n'), '53400: %', 'the budget suffices for the first of two');
SELECT is(epsilon_spent, 10::numeric, 'which is charged') FROM dp_noise.budgets WHERE population = 'public.patients' AND role = 'gate_bob';
SET dp_noise.epsilon = 100000;

-- what users wrote runs before, when nothing of the question has been looked at
SET SESSION AUTHORIZATION gate_ann;
CREATE TABLE gate_ann.own (x integer);
CREATE FUNCTION gate_ann.sets() RETURNS integer LANGUAGE plpgsql AS 'BEGIN PERFORM set_config(''dp_noise.max_rows_per_unit'', ''1000'', false); RETURN 5; END';
CREATE FUNCTION gate_ann.changes() RETURNS integer LANGUAGE plpgsql AS 'BEGIN ALTER TABLE gate_ann.own ALTER x TYPE text; RETURN 5; END';
CREATE FUNCTION gate_ann.fails() RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN 1 / 0; END';
RESET SESSION AUTHORIZATION;
CREATE FUNCTION t.ended(query text, state text) RETURNS text LANGUAGE sql AS $$SELECT is(left(t.run('gate_ann', query), 5), state, query)$$;
SELECT t.ended('SELECT count(*) FROM patients JOIN (SELECT gate_ann.sets() AS x FROM (SELECT count(*) FROM patients) AS s) AS a ON x = age', '55000');
RESET dp_noise.max_rows_per_unit;
SELECT t.ended('SELECT count(*) FROM patients JOIN gate_ann.own ON own.x = age JOIN (SELECT gate_ann.changes() AS x FROM (SELECT count(*) FROM patients) AS s) AS a ON a.x = age', '55000');
SELECT t.ended('SELECT count(*) FROM patients JOIN (SELECT gate_ann.fails() AS x FROM (SELECT count(*) FROM patients) AS s) AS a ON x = age', '22012');
SELECT * FROM finish();
\ir support/gate_end.sql
