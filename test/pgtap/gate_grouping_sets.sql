-- GROUPING SETS, ROLLUP and CUBE as statements: their rows are those of the server.
-- What they are charged, and how their answers agree, is in gate_groupings.sql.
\ir support/gate.sql
SELECT no_plan();
SELECT dp_noise.set_values('public.patients', 'city', ARRAY(SELECT 'city' || i FROM generate_series(0, 9) AS i));
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1000000, delta => 1);
SET ROLE gate_owner;
UPDATE public.patients SET smoker = false WHERE smoker IS NULL;
RESET ROLE;
SET dp_noise.epsilon = 10; -- noise of 12 or more: less than 10^-50

-- The same columns, types and keys as the owner's exact answer, noise aside.
CREATE FUNCTION t.rows_of(who text, query text) RETURNS text LANGUAGE sql AS
$$SELECT t.run(who, format('SELECT string_agg(s::text, '' '' ORDER BY s::text COLLATE "C") FROM (%s) AS s', query))$$;
CREATE FUNCTION t.alike(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	exact text := t.rows_of('gate_owner', query);
BEGIN
	RETURN NEXT ok(exact IS NOT NULL AND exact !~ '^[0-9A-Z]{5}: ', 'an answer of the owner''s');
	RETURN NEXT is(t.rows_of('gate_ann', query), exact, query);
END
$$;
SELECT t.alike(query) FROM unnest(ARRAY[
	'SELECT adult, smoker, n > 900 FROM (SELECT age >= 0 AS adult, smoker, count(*) AS n FROM patients GROUP BY ROLLUP (age >= 0, smoker) HAVING count(*) > 100) AS s',
	'SELECT smoker, city, grouping(smoker) AS s, grouping(city, smoker) AS cs FROM patients WHERE smoker IS NOT NULL GROUP BY CUBE (smoker, city) HAVING count(*) > 20 AND (smoker IS NOT NULL OR grouping(smoker) = 1) AND (city IS NOT NULL OR grouping(city) = 1)',
	'SELECT round(count(*), -2) AS n, grouping(smoker) FROM patients GROUP BY GROUPING SETS ((smoker), ()) HAVING count(*) > 100',
	'SELECT smoker, round(count(*), -2) AS n FROM patients GROUP BY ROLLUP (smoker) HAVING count(*) > 100 ORDER BY count(*) DESC, smoker LIMIT 2',
	'SELECT DISTINCT grouping(smoker, city) AS g FROM patients GROUP BY CUBE (smoker, city) HAVING count(*) > 20',
	'SELECT sum(n) > 0 FROM (SELECT smoker, count(*) AS n FROM patients GROUP BY ROLLUP (smoker)) AS s',
	'SELECT upper(city) AS u, count(*) > 0 AS c FROM patients GROUP BY ROLLUP (upper(city), smoker) HAVING count(*) > 15',
	'WITH r AS (SELECT smoker, count(*) AS n FROM patients GROUP BY ROLLUP (smoker)) SELECT count(*) FROM r WHERE n > 100'
]) AS query;
-- constants are keys among others
SELECT t.alike(query) FROM unnest(ARRAY[
	'SELECT ''x'' AS n, smoker, count(*) > 10 FROM patients GROUP BY GROUPING SETS ((1, 2), (2), (1)) HAVING count(*) > 10',
	'SELECT 1 AS one, round(count(*), -2) AS n FROM patients GROUP BY ROLLUP (1)',
	'SELECT ''x'' AS n, smoker, grouping(smoker), count(*) > 10 FROM patients GROUP BY CUBE (1, 2) HAVING count(*) > 10']) AS query;
SELECT t.accept('SELECT smoker, city, count(*) FROM patients GROUP BY ROLLUP (smoker, city)');
SELECT t.accept('SELECT smoker, city, count(*), avg(age) FROM patients GROUP BY CUBE (smoker, city)', 2);
SELECT t.accept('SELECT smoker, city, dp_count(*) FROM patients GROUP BY GROUPING SETS ((smoker), (city))');
SELECT t.accept('SELECT count(*) FROM patients GROUP BY GROUPING SETS (smoker)');
SELECT t.accept('SELECT count(*) FROM patients GROUP BY ()');
SELECT t.accept('SELECT smoker, count(*) FROM patients JOIN numbers ON x = id % 7 GROUP BY GROUPING SETS ((smoker), ())');
SELECT is(t.run('gate_owner', 'SELECT count(*) FROM (SELECT smoker, dp_count(*) FROM patients GROUP BY ROLLUP (smoker)) AS s'), '4', 'the owner''s, too');

-- refused
SELECT t.refuse('0A000', query) FROM unnest(ARRAY[
	'SELECT smoker, count(*), generate_series(1, 2) FROM patients GROUP BY ROLLUP (smoker)',
	'SELECT count(*) FROM patients GROUP BY CUBE (age, small, big, bmi, city, label, smoker)']) AS query;
SELECT t.refuse('42501', 'SELECT smoker, array_agg(age) FROM patients GROUP BY ROLLUP (smoker)');
SELECT t.refuse('42803', 'SELECT age, count(*) FROM patients GROUP BY ROLLUP (smoker)');
SELECT * FROM finish();
\ir support/gate_end.sql
