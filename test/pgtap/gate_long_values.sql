-- The server cannot make rows or arrays of more than 1 GB. A question that made
-- one of a single person's row failed, and of nobody's did not: the failure told of
-- that person with certainty, for an epsilon of a millionth. So whatever can be
-- long is short enough, or refused whatever the rows hold, and for nothing.
--
-- Takes long: 29 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, age integer, name text, notes jsonb);
INSERT INTO public.people SELECT id, age, name, notes FROM public.patients;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', epsilon => 1e6, delta => 1), dp_noise.alter_population('public.people', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.people', 1000, delta => 1, min_epsilon_per_query => NULL),
	dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1000000, delta => 1, min_epsilon_per_query => NULL);
RESET ROLE;
SET dp_noise.epsilon = 0.00001;

-- Whether a question about patient 7 says the same of whoever is 7 years old and
-- of whoever is 8, and costs nothing if it is refused.
CREATE FUNCTION t.tells_nothing(question text, expected text, name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
	charges bigint := t.charges();
BEGIN
	FOR age IN 7 .. 8 LOOP
		answer := t.run('gate_ann', replace(question, 'HIT', format('id = 7 AND age = %s', age)));
		RETURN NEXT matches(answer, expected, format('%s: of age %s', name, age));
	END LOOP;
	RETURN NEXT is(t.charges() - charges, CASE WHEN expected LIKE '^-%' THEN 2 ELSE 0 END::bigint, name || ': charges');
END
$$;

-- rows, of a long value of what is public, several times
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM (SELECT DISTINCT id, %s FROM people CROSS JOIN (SELECT repeat(''x'', 200000000) AS long) AS s) AS q',
	(SELECT string_agg(format('CASE WHEN HIT THEN long END AS c%s', i), ', ') FROM generate_series(1, 6) AS i)), '^54000.* a public value .* too long', 'a long public value');
-- of many that are not so long
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM (SELECT DISTINCT id, %s FROM people CROSS JOIN (SELECT repeat(''x'', 1000000) AS long) AS s) AS q',
	(SELECT string_agg(format('CASE WHEN HIT THEN long END AS c%s', i), ', ') FROM generate_series(1, 1200) AS i)), '^0A000.*more than 500 texts', 'many values');
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM (SELECT DISTINCT id, %s FROM (SELECT id, CASE WHEN HIT THEN repeat(name, 100000) END AS long FROM people) AS s) AS q',
	(SELECT string_agg(format('long AS c%s', i), ', ') FROM generate_series(1, 1200) AS i)), '^0A000.*more than 500 texts', 'one value under many names');
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM people GROUP BY %s',
	(SELECT string_agg(format('CASE WHEN HIT THEN repeat(name || %L, 100000) END', i), ', ') FROM generate_series(1, 600) AS i)), '^0A000.*more than 500 texts', 'many keys');

-- what a row takes of memory, 6 GB of one alone
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM people WHERE CASE WHEN HIT THEN %s END', (SELECT string_agg(format('length(repeat(name, 100000 + %s)) > 0', i), ' AND ') FROM generate_series(1, 6000) AS i)), '^0A000.*more than 500 texts', 'many calls');
SELECT matches(t.run('gate_ann', format('SELECT dp_count(*) FROM people WHERE %s', (SELECT string_agg(format('name LIKE %L', '%' || i), ' OR ') FROM generate_series(1, 600) AS i))), '^-?\d+$', 'calls that make none');

-- arrays
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM people CROSS JOIN (SELECT repeat(''x'', 250000000) AS long) AS s WHERE CASE WHEN HIT THEN (ARRAY[name, %s])[1] = ''a'' END',
	(SELECT string_agg('long', ', ') FROM generate_series(1, 5))), '^54000.* a public value .* too long', 'an array of a long public value');
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM people CROSS JOIN (SELECT repeat(''x'', 1000000) AS long) AS s WHERE CASE WHEN HIT THEN (ARRAY[name, %s])[1] = ''a'' END',
	(SELECT string_agg('long', ', ') FROM generate_series(1, 1200))), '^0A000.*more than 500 texts', 'an array of many');
SELECT t.tells_nothing(format('SELECT dp_count(*) FROM people WHERE CASE WHEN HIT THEN (ARRAY[notes, notes])[1] ->> ''i'' = ''7'' END'), '^0A000.*an array of columns of type jsonb', 'an array of other long types');
SET ROLE gate_owner;
CREATE TABLE public.files (id integer PRIMARY KEY, content text);
ALTER TABLE public.files ALTER content SET STORAGE EXTENDED;
INSERT INTO public.files VALUES (1, repeat('x', 3000000)), (2, 'x');
SELECT dp_noise.protect('public.files', epsilon => 1e6, delta => 1), dp_noise.alter_population('public.files', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.files', 1000000, min_epsilon_per_query => NULL);
RESET ROLE;
SELECT matches(t.run('gate_ann', format('SELECT dp_count(*) FROM files WHERE id = %s AND ''x'' = ANY (ARRAY[%s])', id, (SELECT string_agg('content', ', ') FROM generate_series(1, 400)))), '^-?\d+$', 'an array of a protected column, in file ' || id)
FROM generate_series(1, 2) AS id;
SET dp_noise.epsilon = 10000;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM files WHERE ''x'' = ANY (ARRAY[content, ''y''])'), '1', 'its short values are compared');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE ''c3'' = ANY (ARRAY[code, label, ''c4''])'), (SELECT count(*)::text FROM patients WHERE 'c3' = ANY (ARRAY[code, label, 'c4'])), 'those of other types of texts');
SET dp_noise.epsilon = 0.00001;

-- constants and parameters
SELECT matches(t.run('gate_ann', format('SELECT dp_count(*) FROM patients WHERE name = %L', repeat('x', 2000000))), '^54000.*constant or parameter.*too long', 'a long constant');
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE name = (SELECT left(repeat(''x'', 2000000), random()::integer + 1900000))'), '^54000.*constant or parameter.*too long', 'a long value that is found first');
SELECT matches(t.run('gate_ann', format('SELECT dp_count(*) FROM patients WHERE id IN (%s)', (SELECT string_agg(i::text, ', ') FROM generate_series(1, 20000) AS i))), '^-?\d+$', 'a long list is none');

-- what is wide, and not long
SELECT matches(t.run('gate_ann', format('SELECT dp_count(*) FROM (SELECT DISTINCT id, %s FROM people) AS q', (SELECT string_agg(format('name AS c%s', i), ', ') FROM generate_series(1, 700) AS i))), '^-?\d+$', 'columns as they are stored');
SELECT matches(t.run('gate_ann', format('SELECT dp_count(*) FROM (SELECT DISTINCT id, %s FROM people) AS q', (SELECT string_agg(format('age + %s AS c%s', i, i), ', ') FROM generate_series(1, 700) AS i))), '^-?\d+$', 'numbers');

-- a text that is made of a padded one
SET ROLE gate_owner;
CREATE TABLE public.padded (id integer PRIMARY KEY, content bpchar);
INSERT INTO public.padded VALUES (1, repeat('x', 300000000)), (2, 'x ');
SELECT dp_noise.protect('public.padded', privacy_unit => 'id', epsilon => 1e6, delta => 1), dp_noise.alter_population('public.padded', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.padded', 1000000, min_epsilon_per_query => NULL);
RESET ROLE;
SELECT matches(t.run('gate_ann', format(q, 'id = ' || id)), '^-?\d+$', format('%s, of %s', what, id)) FROM generate_series(1, 2) AS id, (VALUES
	('an array of padded texts as texts', 'SELECT dp_count(*) FROM padded WHERE %s AND (ARRAY[content::text, content::text, content::text, content::text])[1] = ''a'''),
	('a row of them', 'SELECT dp_count(*) FROM (SELECT DISTINCT id, content::text AS a, coalesce(content::text, ''z'') AS b, CASE WHEN id > 0 THEN content::text END AS c, nullif(content::text, '''') AS d FROM padded WHERE %s) AS q')) AS v (what, q);
SET dp_noise.epsilon = 10000;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM padded WHERE content::text = ''x'''), '1', 'short ones are compared');

SELECT * FROM finish();
\ir support/gate_end.sql
