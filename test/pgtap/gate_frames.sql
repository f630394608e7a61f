-- Window frames: offsets in windows over a person's rows; windows beside GROUPING
-- SETS, over answers.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.stays (pid integer NOT NULL, day integer NOT NULL, cost integer);
INSERT INTO public.stays SELECT 1 + i % 40, i, i % 17 FROM generate_series(1, 400) AS i;
INSERT INTO public.stays SELECT pid, day, 3 FROM public.stays WHERE day % 9 = 0; -- ties
SELECT dp_noise.protect('public.stays', privacy_unit => 'pid', max_rows_per_unit => 50, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.stays', 'cost', 0, 20);
SELECT dp_noise.set_values('public.stays', 'day', ARRAY(SELECT i::text FROM generate_series(1, 3) AS i));
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stays', 1e12, delta => 1);
RESET ROLE;
CREATE TABLE t.stays AS TABLE public.stays;

SET dp_noise.epsilon = 1000;
CREATE FUNCTION t.same(asked text, meant text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	EXECUTE format('SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (%s) AS a',
		replace(replace(coalesce(meant, asked), ', 0, 1000)', ')'), 'dp_', '')) INTO plain;
	RETURN is(t.run('gate_ann', format('SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (%s) AS a', asked)), plain, asked);
END
$$;
-- equal rows differ in nothing, so that their order does not matter
SELECT t.same(format('SELECT dp_sum(x, 0, 1000) FROM (SELECT %s OVER (PARTITION BY pid ORDER BY day, cost ROWS %s) AS x FROM stays) AS s', f, w))
FROM unnest('{sum(cost),count(*),max(cost),min(day)}'::text[]) AS f,
	unnest(ARRAY['BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING', 'BETWEEN 2 PRECEDING AND CURRENT ROW', 'BETWEEN 3 PRECEDING AND 1 PRECEDING', 'BETWEEN CURRENT ROW AND 1 FOLLOWING',
		'BETWEEN 1 FOLLOWING AND 2 FOLLOWING', 'BETWEEN 0 PRECEDING AND 0 FOLLOWING', '2 PRECEDING', 'BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING', 'BETWEEN 2000000000 PRECEDING AND 2000000000 FOLLOWING']) AS w;
SELECT t.same('SELECT dp_sum(x, 0, 1000) FROM (SELECT first_value(cost) OVER (PARTITION BY pid ORDER BY day, cost ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS x FROM stays) AS s');
-- the way in which eras are found: the greatest end of all rows before
SELECT t.same('SELECT dp_count(*) FROM (SELECT day, max(day) OVER (PARTITION BY pid ORDER BY day, cost ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM stays) AS s WHERE before IS NULL OR before + 50 < day');
-- others are other questions
CREATE FUNCTION t.question(frame text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY pid ORDER BY day ROWS ' || frame || ') AS x FROM stays) AS s WHERE x > 1') FROM '"Question": "(\w+)"')
$$;
SELECT is(count(DISTINCT t.question(f)), count(*), 'frames of their own') FROM unnest('{1 PRECEDING,2 PRECEDING,UNBOUNDED PRECEDING,BETWEEN 1 PRECEDING AND 1 FOLLOWING,BETWEEN 1 PRECEDING AND 2 FOLLOWING,BETWEEN 2 PRECEDING AND 1 FOLLOWING}'::text[]) AS f;
CREATE FUNCTION t.question_of(query text) RETURNS text LANGUAGE sql AS $$ SELECT substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) ' || query) FROM '"Question": "(\w+)"') $$;
-- refused, before anything is charged
SELECT t.refuse('0A000', 'SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY pid ORDER BY day ' || f || ') AS x FROM stays) AS s WHERE x > 1')
FROM unnest('{ROWS -1 PRECEDING,ROWS NULL PRECEDING,ROWS 3000000000 PRECEDING,RANGE 1 PRECEDING,GROUPS 1 PRECEDING,ROWS BETWEEN CURRENT ROW AND (1 - 2) FOLLOWING}'::text[]) AS f;
SELECT t.refuse('0A000', 'SELECT count(*) FROM (SELECT count(*) OVER (ORDER BY day ROWS 1 PRECEDING) AS x FROM stays) AS s WHERE x > 1');
-- whoever wants a median is told
CREATE FUNCTION t.hint(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	EXECUTE command;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
SELECT alike(t.hint('SELECT avg(cost) FROM (SELECT cost, row_number() OVER (ORDER BY cost) AS n, count(*) OVER () AS c FROM stays) AS s WHERE n = c / 2'), '%percentile_cont(0.5) WITHIN GROUP (ORDER BY x)%', 'the hint');

-- Beside GROUPING SETS
SELECT t.same(q) FROM unnest(ARRAY[
	'SELECT day, count(*), rank() OVER (PARTITION BY grouping(day) ORDER BY count(*) DESC) AS r FROM stays WHERE day IN (1, 2, 9) GROUP BY ROLLUP (day)',
	'SELECT day, sum(count(*)) OVER () AS n FROM stays WHERE day IN (1, 2, 9) GROUP BY GROUPING SETS ((day), ())',
	'SELECT day, count(*) > 100 AS many, count(*) FILTER (WHERE cost > 3) AS c, lag(count(*)) OVER w AS x FROM stays WHERE day IN (1, 2, 9) GROUP BY CUBE (day) WINDOW w AS (ORDER BY day NULLS FIRST)',
	'SELECT DISTINCT sum(count(*)) OVER (PARTITION BY day IS NULL) AS n FROM stays WHERE day IN (1, 2, 9) GROUP BY ROLLUP (day)',
	'SELECT day, count(*) - lead(count(*), 1, 0::bigint) OVER (ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS d FROM stays WHERE day IN (1, 2, 9) GROUP BY ROLLUP (day) HAVING count(*) > 0']) AS q;
-- charged once
SELECT t.accept('SELECT day, count(*), sum(count(*)) OVER () FROM stays WHERE day IN (1, 2) GROUP BY ROLLUP (day)');

-- The order within a count changes nothing.
SELECT t.same('SELECT count(cost ORDER BY day), count(DISTINCT cost ORDER BY cost DESC) AS d FROM stays', 'SELECT count(cost), count(DISTINCT cost) AS d FROM stays');

-- A user's function is no offset: it would run while the question is read.
SELECT t.run('gate_ann', 'CREATE FUNCTION pg_temp.evil() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $f$BEGIN RAISE EXCEPTION ''it ran''; END$f$');
SELECT t.refuse('0A000', 'SELECT count(*) FROM (SELECT max(day) OVER (PARTITION BY pid ORDER BY day, cost ROWS pg_temp.evil() PRECEDING) AS x FROM stays) AS s WHERE x > 3');

------------------------------------------------------------------------------
-- SELECT DISTINCT of aggregates over windows that are groups is GROUP BY

SELECT t.same(q) FROM unnest(ARRAY[
	'SELECT DISTINCT day, count(*) OVER (PARTITION BY day) AS n FROM stays WHERE day < 4',
	'SELECT DISTINCT sum(cost) OVER w AS s, day + 1 AS next, count(*) FILTER (WHERE cost > 1) OVER w AS n, day FROM stays WHERE day < 4 WINDOW w AS (PARTITION BY day, day + 1)',
	'SELECT * FROM (SELECT DISTINCT day, count(cost) OVER (PARTITION BY day) * 2 AS n FROM stays WHERE day < 4) AS s WHERE n > 2'
]) AS q;
SELECT is(t.question_of('SELECT DISTINCT day, sum(cost) OVER (PARTITION BY day) FROM stays WHERE day < 3'), t.question_of('SELECT day, sum(cost) FROM stays WHERE day < 3 GROUP BY day'), 'the same question');
-- beneath a question they stay windows of a person
SELECT t.same('SELECT count(*) FROM (SELECT DISTINCT pid, sum(cost) OVER (PARTITION BY pid) AS x FROM stays) AS s WHERE x > 80');
SELECT t.refuse('0A000', q) FROM unnest(ARRAY[
	'SELECT DISTINCT day, count(*) OVER (PARTITION BY day, cost) FROM stays',
	'SELECT DISTINCT day, cost, count(*) OVER (PARTITION BY day) FROM stays',
	'SELECT DISTINCT day, count(*) OVER (PARTITION BY day), sum(cost) OVER () FROM stays',
	'SELECT DISTINCT day, count(*) OVER (PARTITION BY day ORDER BY cost) FROM stays',
	'SELECT DISTINCT day, count(*) OVER (PARTITION BY day ROWS 1 PRECEDING) FROM stays',
	'SELECT DISTINCT day, count(*) OVER (PARTITION BY day ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM stays',
	'SELECT DISTINCT day, rank() OVER (PARTITION BY day) FROM stays',
	'SELECT DISTINCT NULL::integer, count(*) OVER (PARTITION BY NULL::integer) FROM stays HAVING true',
	'SELECT DISTINCT count(*) OVER () FROM stays',
	'SELECT DISTINCT ON (day) day, count(*) OVER (PARTITION BY day) FROM stays',
	'SELECT DISTINCT pid, count(*) OVER (PARTITION BY pid) FROM stays'
]) AS q;
SELECT t.refuse('42501', q) FROM unnest(ARRAY[
	'SELECT day, count(*) OVER (PARTITION BY day) FROM stays',
	'SELECT DISTINCT day, array_agg(cost) OVER (PARTITION BY day) FROM stays',
	'SELECT DISTINCT day, string_agg(cost::text, $$,$$) OVER (PARTITION BY day) FROM stays'
]) AS q;

SELECT * FROM finish();
\ir support/gate_end.sql
