-- Questions of many levels are planned in a time that does not double with each of
-- them: what is known of the rows beneath, and bounds of their columns, are found once
-- at each place. Forty levels would otherwise take years, and all memory.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, age integer, small integer);
SELECT dp_noise.protect('public.people', 'id', epsilon => 1e13, delta => 1), dp_noise.set_bounds('public.people', 'age', 0, 100), dp_noise.set_budget('gate_ann', 'public.people', 1e12, delta => 1);
RESET ROLE;

CREATE FUNCTION t.planned(what text, query text) RETURNS text LANGUAGE sql AS $$
	SELECT is(substring(t.run('gate_ann', 'EXPLAIN ' || query), '^[0-9A-Z]{5}: .*'), NULL, what)
$$;
CREATE FUNCTION t.nested(level text, levels integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := 'people';
BEGIN
	FOR i IN 1 .. levels LOOP
		result := format(level, result, i);
	END LOOP;
	RETURN result;
END
$$;
SET statement_timeout = '5min';

SELECT t.planned(what, format('SELECT count(*) FROM %s AS q', t.nested(level, 40)))
FROM (VALUES
	('groups over conditions', '(SELECT id, max(age) AS age FROM %s AS q WHERE age >= 0 GROUP BY id)'),
	('groups over joins', '(SELECT q.id, max(q.age) AS age FROM %s AS q JOIN people AS p ON q.id = p.id AND q.age = p.age WHERE p.small = 3 GROUP BY q.id)'),
	('groups over joins with what is public', '(SELECT q.id, max(q.age) AS age FROM %s AS q JOIN numbers AS n ON q.age = n.x WHERE n.x = 3 GROUP BY q.id)'),
	('groups over left joins', '(SELECT p.id, max(q.age) AS age FROM people AS p LEFT JOIN %s AS q ON q.id = p.id GROUP BY p.id)'),
	('distinct rows', '(SELECT DISTINCT q.id, q.age FROM %s AS q JOIN people AS p ON p.id = q.id AND p.age = q.age)'),
	('windows', '(SELECT id, (row_number() OVER (PARTITION BY id ORDER BY age))::integer AS age FROM %s AS q WHERE age < 3)'),
	('parts of a union', '(SELECT id, max(age) AS age FROM (SELECT id, age FROM %s AS q WHERE age < 3 UNION ALL SELECT id, age FROM people) AS u GROUP BY id)')) AS l (what, level);
SELECT t.planned(what, format('SELECT sum(age) FROM %s AS q', t.nested(level, 40)))
FROM (VALUES
	('bounds of two totals', '(SELECT id, (max(age) + min(age)) / 2 AS age FROM %s AS q GROUP BY id)'),
	('bounds of totals with conditions', '(SELECT id, coalesce(max(age) FILTER (WHERE age > 1), 0) + coalesce(max(age) FILTER (WHERE age <= 1), 0) AS age FROM %s AS q GROUP BY id)'),
	('bounds over left joins', '(SELECT p.id, greatest(max(q.age), min(q.age)) AS age FROM people AS p LEFT JOIN %s AS q ON q.id = p.id GROUP BY p.id)'),
	('bounds of windows', '(SELECT id, greatest(max(age) OVER w, min(age) OVER w) AS age FROM %s AS q WINDOW w AS (PARTITION BY id))')) AS l (what, level);
SELECT t.planned('left joins to the right', format('SELECT count(*) FROM %s',
	(SELECT string_agg(format('(people AS p%s LEFT JOIN ', i), '' ORDER BY i) || 'people AS p41' || string_agg(format(' ON p%s.id = p%s.id)', i, i + 1), '' ORDER BY i DESC) FROM generate_series(1, 40) AS i)));
SELECT t.planned(operation, format('SELECT count(*) FROM (SELECT id, age FROM people%s) AS q', repeat(format(' %s SELECT id, age FROM people', operation), 40)))
FROM unnest('{INTERSECT,EXCEPT,UNION}'::text[]) AS operation;

SELECT * FROM finish();
\ir support/gate_end.sql
