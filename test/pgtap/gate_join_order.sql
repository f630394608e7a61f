-- Joins of many tables: the planner gets them in the order and nesting in which they were
-- written, as lists or by JOIN; the question, and what it counts, is the same.
\set QUIET on
SET client_min_messages = warning;
SELECT no_plan();
CREATE TABLE public.person (id integer, place integer, age integer);
INSERT INTO public.person SELECT i / 2, i % 50 + 1, i % 90 FROM generate_series(1, 500) AS i;
CREATE TABLE public.place (id integer PRIMARY KEY, next integer, kind integer);
INSERT INTO public.place SELECT i, (i * 7) % 50 + 1, i % 4 FROM generate_series(1, 50) AS i;
ANALYZE public.person, public.place;
CREATE ROLE order_analyst;
GRANT SELECT ON public.place TO order_analyst;
SELECT dp_noise.protect('public.person', privacy_unit => 'id', max_rows_per_unit => 2, epsilon => 1e6), dp_noise.set_budget('order_analyst', 'public.person', 1e5) \g /dev/null

CREATE SCHEMA t;
-- So many places, one after the other, each on its way from the last: by JOIN, as a list, both, or nested from the right.
CREATE FUNCTION t.ask(what text, form text, n integer) RETURNS text LANGUAGE sql AS $$
	SELECT 'SELECT ' || what || ' FROM ' || CASE form
		WHEN 'join' THEN 'public.person AS p ' || string_agg(format('JOIN public.place AS d%s ON %s', i, condition), ' ' ORDER BY i)
		WHEN 'list' THEN 'public.person AS p, ' || string_agg('public.place AS d' || i, ', ' ORDER BY i) || ' WHERE ' || string_agg(condition, ' AND ' ORDER BY i)
		WHEN 'both' THEN 'public.person AS p CROSS JOIN public.place AS d1, ' || string_agg('public.place AS d' || i, CASE WHEN i % 3 = 0 THEN ', ' ELSE ' CROSS JOIN ' END ORDER BY i) FILTER (WHERE i > 1)
			|| ' WHERE ' || string_agg(condition, ' AND ' ORDER BY i)
		WHEN 'nested' THEN 'public.person AS p JOIN (' || string_agg('public.place AS d' || i, CASE WHEN i = n / 2 THEN ' CROSS JOIN (' ELSE ' CROSS JOIN ' END ORDER BY i) || ')) ON ' || string_agg(condition, ' AND ' ORDER BY i)
		WHEN 'left' THEN 'public.person AS p ' || string_agg(format('LEFT JOIN public.place AS d%s ON %s', i, condition), ' ' ORDER BY i) || format(' WHERE d%s.kind >= 0', n)
		END
	FROM (SELECT i, format('d%s.id = %s', i, CASE i WHEN 1 THEN 'p.place' ELSE format('d%s.next', i - 1) END) AS condition FROM generate_series(1, n) AS i) AS s
$$;
CREATE FUNCTION t.states(query text) RETURNS text LANGUAGE sql AS $$SELECT string_agg(s::text, ' ') FROM dp_noise.true_states(query) AS s$$;
CREATE FUNCTION t.question(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%Question:%' THEN RETURN trim(line); END IF;
	END LOOP;
END
$$;
SELECT is(t.states(t.ask('dp_count(*)', form, n)), t.states('SELECT dp_count(*) FROM public.person'), format('%s places, form %s', n, form))
FROM unnest('{4,7,13,30}'::integer[]) AS n, unnest('{join,list,both,nested,left}'::text[]) AS form;

GRANT USAGE ON SCHEMA t TO order_analyst;
SET dp_noise.epsilon = 1;
SET ROLE order_analyst;
SELECT count(DISTINCT t.question(t.ask('dp_count(*)', form, 13))) AS questions FROM unnest('{join,list,both,nested}'::text[]) AS form \gset
RESET ROLE;
SELECT is(:questions, 1, 'one question, whichever way it is written');
SELECT * FROM finish();
