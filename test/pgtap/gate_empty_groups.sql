-- Groups of public keys whose noisy counts cannot be told from none are left out, or
-- shown: dp_noise.empty_groups. Answers are stored and replayed as they are.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
SELECT dp_noise.create_population('empty', epsilon => 1e13, delta => 1, on_repeat => 'replay', share_answers => true);
CREATE TABLE public.visits (person integer PRIMARY KEY, store integer, mark text, x numeric, day date, flag boolean NOT NULL);
INSERT INTO public.visits SELECT i, 1 + i % 3, chr(97 + i % 2), i % 10, date '2024-01-01' + i % 20, true FROM generate_series(1, 3000) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', population => 'empty');
SELECT dp_noise.set_budget(role, 'empty', 1e10, delta => 1) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS role;
SELECT dp_noise.set_values('public.visits', 'mark', ('{a,b' || (SELECT string_agg(',z' || i, '') FROM generate_series(1, 40) AS i) || '}')::text[]), dp_noise.set_bounds('public.visits', 'x', 0, 10);
CREATE TABLE public.stores (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO public.stores SELECT i, 'store' || i FROM generate_series(1, 9) AS i;
GRANT SELECT ON public.stores TO PUBLIC;
RESET ROLE;
-- Counts then have no noise. Of means and variances, whose sums have some, one in 40
-- may be told from none in an empty group.
SET dp_noise.epsilon = 10000;

CREATE FUNCTION t.number(query text, who text DEFAULT 'gate_ann') RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.run(who, format('SELECT count(*)::text FROM (%s) AS q', query))$$;

SELECT is(t.number(query), found, query) FROM (VALUES
	('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1', '3'),
	('SELECT name, count(DISTINCT x) FROM visits JOIN stores ON store = id GROUP BY 1', '3'),
	('SELECT name, variance(x) FROM visits JOIN stores ON store = id GROUP BY 1', '3'),
	('SELECT name, var_pop(x) FROM visits JOIN stores ON store = id GROUP BY 1', '3'),
	('SELECT name, stddev_pop(x) FROM visits JOIN stores ON store = id GROUP BY 1', '3'),
	('SELECT name, sum(x) FROM visits JOIN stores ON store = id GROUP BY 1', '9'),
	('SELECT name, max(x) FROM visits JOIN stores ON store = id GROUP BY 1', '9'),
	('SELECT name, sum(x), count(*) FROM visits JOIN stores ON store = id GROUP BY 1', '3'),
	('SELECT DISTINCT name FROM visits JOIN stores ON store = id', '9'),
	('SELECT name, count(*) FILTER (WHERE store = 1), count(*) FILTER (WHERE store = 2) FROM visits JOIN stores ON store = id GROUP BY 1', '2'),
	('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1 ORDER BY 2 LIMIT 5', '3'),
	('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1 HAVING count(*) < 500', '0'),
	('SELECT * FROM (SELECT name, count(*) AS n FROM visits JOIN stores ON store = id GROUP BY 1) AS q WHERE n < 500', '0'),
	('SELECT day, count(*) FROM visits WHERE day BETWEEN ''2024-01-01'' AND ''2024-02-29'' GROUP BY 1', '20'),
	('SELECT mark, count(*) FROM visits GROUP BY 1', '43'),
	('SELECT flag, count(*) FROM visits GROUP BY 1', '2'),
	('SELECT day, count(*) FROM visits WHERE day IN (''2024-01-01'', ''2025-01-01'') GROUP BY 1', '2'),
	('SELECT mark, name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1, 2', '6'),
	('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY ROLLUP (1)', '4'),
	('SELECT mark, name, count(*) FROM visits JOIN stores ON store = id GROUP BY GROUPING SETS ((mark), (name), (mark))', '89'),
	('SELECT count(*) FROM visits WHERE x > 100', '1'),
	('SELECT avg(n) FROM (SELECT name, count(*) AS n FROM visits JOIN stores ON store = id GROUP BY 1) AS q', '1')) AS c (query, found);

SELECT ok(t.number(query)::integer BETWEEN 3 AND 8, query) FROM (VALUES
	('SELECT name, avg(x) FROM visits JOIN stores ON store = id GROUP BY 1'),
	('SELECT name, stddev(x) FROM visits JOIN stores ON store = id GROUP BY 1')) AS c (query);

-- What has no bounds, and so no answer, does not keep a group.
SELECT is(t.number(query), found, query) FROM (VALUES
	('SELECT name, count(*), avg(length(mark)) FROM visits JOIN stores ON store = id WHERE day > ''2030-01-01'' GROUP BY 1', '0'),
	('SELECT name, avg(length(mark)) FROM visits JOIN stores ON store = id WHERE day > ''2030-01-01'' GROUP BY 1', '9')) AS c (query, found);

-- In what is shown, means and quotients of no rows are null.
CREATE FUNCTION t.values(value text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.run('gate_ann', format('SELECT concat_ws('' '', count(*) FILTER (WHERE v IS NOT NULL AND k IN (''a'', ''b'')), count(*) FILTER (WHERE v IS NOT NULL) - 2) FROM (SELECT mark AS k, %s AS v FROM visits GROUP BY 1) AS q', value))$$;
SELECT is(t.values(value), '2 0', value || ' of no rows is null') FROM unnest('{sum(x) / count(*),sum(x) / nullif(count(x)\, 0)::float8,1.0 / count(*),count(*) FILTER (WHERE flag) * 100.0 / count(*)}'::text[]) AS value;
SELECT matches(t.values(value), '^2 (.|1.)$', value || ' of no rows is null, but for one in 40') FROM unnest('{avg(x),variance(x),stddev(x),avg(x) + 1}'::text[]) AS value;
SELECT is(t.values(value), '2 41', value || ' stays') FROM unnest('{sum(x),sum(x) / 2,count(*) / 2,count(*)}'::text[]) AS value;
SELECT is(t.run('gate_ann', 'SELECT (avg(x) IS NULL)::text FROM visits WHERE x < -1'), 'false', 'nothing is null without groups');

-- The settings change what is shown of one answer, charged once.
SELECT t.charges() AS charges \gset
SET dp_noise.empty_groups = show;
SELECT is(t.number('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1'), '9', 'show');
SELECT is(t.values('avg(x)'), '2 41', 'with all that was released');
SET dp_noise.empty_groups = hide;
SELECT is(t.number('SELECT mark, count(*) FROM visits GROUP BY 1'), '2', 'hide: declared values, too');
SELECT is(t.number('SELECT mark, sum(x) FROM visits GROUP BY 1'), '43', 'not where nothing counts');
RESET dp_noise.empty_groups;
SELECT is(t.number('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1'), '3', 'auto again');
SELECT is(t.charges() - :charges, 0::bigint, 'all of it is replayed');
SELECT is(t.number('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1', 'gate_bob'), '3', 'from a shared answer, too');
SELECT is(t.run('gate_bob', 'SELECT string_agg(name || n, '' '' ORDER BY 1) FROM (SELECT name, count(*) AS n FROM visits JOIN stores ON store = id GROUP BY 1) AS q'),
	t.run('gate_ann', 'SELECT string_agg(name || n, '' '' ORDER BY 1) FROM (SELECT name, count(*) AS n FROM visits JOIN stores ON store = id GROUP BY 1) AS q'), 'the same groups');

-- Cursors, and plans that are kept.
SELECT set_config('session_authorization', 'gate_ann', false);
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT name FROM (SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1) AS q;
MOVE FORWARD ALL IN c;
MOVE BACKWARD ALL IN c;
FETCH 1 FROM c \g /dev/null
COMMIT;
PREPARE p AS SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1;
EXECUTE p \g /dev/null
\set few :ROW_COUNT
SET dp_noise.empty_groups = show;
EXECUTE p \g /dev/null
\set all :ROW_COUNT
RESET dp_noise.empty_groups;
RESET SESSION AUTHORIZATION;
SELECT is(:few::text || ' ' || :all, '3 9', 'a plan that is kept follows the setting');

-- EXPLAIN says so before, and a NOTICE afterwards.
SELECT is(t.explained(query, 'Empty Groups'), line, query) FROM (VALUES
	('SELECT name, count(*) FROM visits JOIN stores ON store = id GROUP BY 1', 'left out where no count can be told from none'),
	('SELECT name, sum(x) FROM visits JOIN stores ON store = id GROUP BY 1', NULL),
	('SELECT mark, count(*) FROM visits GROUP BY 1', NULL),
	('SELECT count(*) FROM visits', NULL)) AS c (query, line);

SELECT * FROM finish();
\ir support/gate_end.sql
