-- Groups of privacy units whose rows come unit by unit, from an index: the same states, and the same law of choice.
\ir support/gate.sql
SELECT no_plan();

-- The strategy that the node takes, in the plan that the server's log shows.
SET jit = off;
LOAD 'auto_explain';
SET auto_explain.log_min_duration = '10d';
SET auto_explain.log_nested_statements = on;
\set log `echo "$SERVER_LOG"`
SELECT set_config('t.log', :'log', false) \g /dev/null
CREATE FUNCTION t.strategy(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	mark text := format('plan %s of %s', random(), pg_backend_pid());
BEGIN
	SET auto_explain.log_min_duration = 0;
	PERFORM dp_noise.true_states(format('%s /* %s */', query, mark));
	SET auto_explain.log_min_duration = '10d';
	RETURN (SELECT m[1] FROM regexp_matches(split_part(pg_read_file(current_setting('t.log')), mark, 2), 'Strategy: (\w+)') AS m);
END
$$;
-- Reads tables by their indexes, or not.
CREATE FUNCTION t.by_index(are_used boolean) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('enable_' || s, CASE WHEN are_used THEN 'off' ELSE 'on' END, false) FROM unnest('{seqscan,bitmapscan}'::text[]) AS s
	UNION ALL SELECT set_config('enable_indexscan', CASE WHEN are_used THEN 'on' ELSE 'off' END, false)
$$;

SET ROLE gate_owner;
CREATE TYPE public.ward AS ENUM ('a', 'b', 'c', 'd', 'e');
CREATE TABLE public.visits AS
SELECT p AS person, CASE WHEN p % 50 > 0 THEN chr(65 + p % 26) || 'é' || p / 26 END COLLATE "C" AS name,
	(enum_range(NULL::public.ward))[1 + (p * i) % 5] AS ward, CASE WHEN i % 4 > 0 THEN 'key ' || i % 3 END AS key, p % 70 - i AS x
FROM generate_series(1, 3000) AS p, generate_series(1, p % 12) AS i;
INSERT INTO public.visits SELECT NULL, NULL, 'a', 'nobody', 1 FROM generate_series(1, 50);
CREATE INDEX ON public.visits (person);
CREATE INDEX ON public.visits (name, key);
CREATE TABLE public.many AS SELECT p AS person, w AS ward FROM generate_series(1, 20000) AS p, unnest('{a,b,c}'::public.ward[]) AS w;
CREATE INDEX ON public.many (person, ward);
RESET ROLE;
VACUUM ANALYZE public.visits;
VACUUM ANALYZE public.many;

------------------------------------------------------------------------------
-- The states are those of the definition, whatever units and keys are

CREATE FUNCTION t.definition(unit text, keys text) RETURNS SETOF text[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT ARRAY[%2$s, sum(least(n, 2))::text, format(''(%%s,0)'', sum(least(greatest(s, 0), 100)))]
		FROM (SELECT %3$s, count(*) AS n, sum(least(greatest(x, 0), 50)) AS s FROM public.visits WHERE %4$s GROUP BY %1$s, %3$s) AS u GROUP BY %3$s',
		unit, (SELECT string_agg(k || '::text', ', ') FROM string_to_table(keys, ', ') AS k), keys, (SELECT string_agg(u || ' IS NOT NULL', ' AND ') FROM string_to_table(unit, ', ') AS u));
END
$$;
CREATE FUNCTION t.question(keys text) RETURNS text LANGUAGE sql AS $$SELECT format('SELECT %s, dp_count(*), dp_sum(x, 0, 50) FROM visits GROUP BY %1$s', keys)$$;
CREATE FUNCTION t.unit(unit text, groups integer) RETURNS void LANGUAGE sql AS $$
	SELECT dp_noise.protect('public.visits', privacy_unit => unit, max_rows_per_unit => 2, max_groups_per_unit => groups, epsilon => 1e13, delta => 1, replace_unit => true)
$$;
CREATE TABLE t.cases (unit text, keys text);
INSERT INTO t.cases VALUES ('person', 'ward'), ('person', 'key, ward'), ('name', 'ward'), ('name', 'key, ward');
-- The strategy, or what the states differ in.
CREATE FUNCTION t.compared(unit text, keys text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t.unit(unit, 100);
	RETURN coalesce((SELECT string_agg(s::text, ' ') FROM (
			(SELECT dp_noise.true_states(t.question(keys)) AS s EXCEPT ALL SELECT t.definition(unit, keys))
			UNION ALL (SELECT t.definition(unit, keys) EXCEPT ALL SELECT dp_noise.true_states(t.question(keys)))) AS d),
		t.strategy(t.question(keys)));
END
$$;
SELECT t.by_index(true) \g /dev/null
SELECT is(t.compared(unit, keys), 'Sorted', format('in order, of %s: %s', unit, keys)) FROM t.cases;
SELECT t.by_index(false) \g /dev/null
SELECT is(t.compared(unit, keys), 'Hashed', format('in any order, of %s: %s', unit, keys)) FROM t.cases;

-- A unit has as many groups as count, if it has them.
CREATE FUNCTION t.counted(groups integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t.unit('person', groups);
	RETURN (SELECT sum(s[2]::bigint) FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM visits WHERE x >= 0 GROUP BY ward') AS s);
END
$$;
CREATE TABLE t.least AS SELECT m, sum(least(n, 2 * m)) AS most, sum(least(g, m)) AS least
FROM (SELECT sum(least(n, 2)) AS n, count(*) AS g FROM (SELECT person, ward, count(*) AS n FROM public.visits WHERE x >= 0 AND person IS NOT NULL GROUP BY 1, 2) AS u GROUP BY person) AS p, generate_series(1, 5) AS m GROUP BY m;
SELECT t.by_index(true) \g /dev/null
SELECT ok(t.counted(m) BETWEEN least AND most, format('%s groups of each', m)) FROM t.least;

------------------------------------------------------------------------------
-- The law: uniform, anew in each query, of each unit by itself

CREATE FUNCTION t.of_many(groups integer) RETURNS void LANGUAGE sql AS $$
	SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => groups, epsilon => 1e13, delta => 1)
$$;
-- Chi-square of 2 degrees of freedom: above 50 in 1 of 10^10 runs.
CREATE FUNCTION t.uneven(expected numeric) RETURNS numeric LANGUAGE sql AS $$
	SELECT sum((n - expected) ^ 2) / least(expected, 20000 - expected) FROM (SELECT s[2]::numeric AS n FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward') AS s) AS c
$$;
SELECT t.of_many(1) \g /dev/null
SELECT is(t.strategy('SELECT ward, dp_count(*) FROM many GROUP BY ward'), 'Sorted', 'by person and key');
SELECT ok(t.uneven(20000 / 3.0) < 50, 'one group of three');
SELECT t.of_many(2) \g /dev/null
SELECT ok(t.uneven(40000 / 3.0) < 50, 'two groups of three');
SELECT t.of_many(3) \g /dev/null
SELECT is(string_agg(s[2], ' '), '20000 20000 20000', 'all of three') FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward') AS s;

-- Each pair of five groups of one person: the groups tell them apart. Chi-square of 9 degrees of freedom, above 70 in 1 of 10^10 runs.
DELETE FROM public.many;
INSERT INTO public.many SELECT 1, w FROM unnest('{a,b,c,d,e}'::public.ward[]) AS w;
SELECT t.of_many(2) \g /dev/null
SELECT ok(count(*) = 10 AND sum((n - 200) ^ 2 / 200.0) < 70, 'each pair alike')
FROM (SELECT pair, count(*) AS n
	FROM (SELECT (SELECT string_agg(s[1], ' ' ORDER BY s[1]) FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward' || left('', i)) AS s) AS pair FROM generate_series(1, 2000) AS i) AS p
	GROUP BY pair) AS q;

-- 100 units in two groups, 400 times: binomial, so the sum of squares is chi-square of 400 degrees of freedom.
DELETE FROM public.many;
INSERT INTO public.many SELECT p, w FROM generate_series(1, 100) AS p, unnest('{a,b}'::public.ward[]) AS w;
SELECT t.of_many(1) \g /dev/null
SELECT ok(v BETWEEN 240 AND 600, 'units choose by themselves, each time anew: ' || v)
FROM (SELECT sum((n - 50) ^ 2 / 25.0) AS v FROM (SELECT (SELECT s[2]::numeric FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward' || left('', i)) AS s WHERE s[1] = 'a') AS n
	FROM generate_series(1, 400) AS i) AS r) AS q;

------------------------------------------------------------------------------
-- A unit of more groups than fit into memory, between others

SET work_mem = '1MB';
SET ROLE gate_owner;
CREATE TABLE public.wide AS SELECT ('other ' || p) COLLATE "C" AS person, -i AS key, 1 AS x FROM generate_series(1, 2000) AS p, generate_series(1, 1 + p % 4) AS i;
INSERT INTO public.wide SELECT 'other 1500 and more', i, 1 FROM generate_series(1, 60000) AS i, generate_series(1, 2);
INSERT INTO public.wide SELECT 'other 1500 and more', NULL, 1;
CREATE INDEX ON public.wide (person);
RESET ROLE;
VACUUM ANALYZE public.wide;
CREATE FUNCTION t.chosen(groups integer) RETURNS TABLE (key integer, n bigint, sum bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_noise.protect('public.wide', privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => groups, epsilon => 1e13, delta => 1);
	RETURN QUERY SELECT s[1]::integer, s[2]::bigint, trim(split_part(s[3], ',', 1), '(')::bigint FROM dp_noise.true_states('SELECT key, dp_count(*), dp_sum(x, 0, 1) FROM wide GROUP BY key') AS s;
END
$$;
SELECT is((count(*) FILTER (WHERE key > 0 OR key IS NULL), sum(n) FILTER (WHERE key < 0), bool_and(sum = n AND (key < 0 OR n = CASE WHEN key > 0 THEN 2 ELSE 1 END)))::text,
	format('(%s,%s,t)', m, 500 * (1 + 2 + 3 + 4) - 500 * greatest(4 - m, 0) - 500 * greatest(3 - m, 0) - 500 * greatest(2 - m, 0)), m || ' groups of each unit, with all of their rows')
FROM generate_series(1, 5) AS m, t.chosen(m) GROUP BY m;
SELECT is(t.strategy('SELECT key, dp_count(*), dp_sum(x, 0, 1) FROM wide GROUP BY key'), 'Sorted', 'that was in order');
-- Chi-square of 9 degrees of freedom: above 80 in 1 of 10^12 runs.
SELECT ok(sum((n - 600) ^ 2) / 600 / 0.9 < 80 AND sum(n) BETWEEN 5999 AND 6000, 'any of them')
FROM (SELECT (key - 1) / 6000 AS tenth, count(*) AS n FROM t.chosen(6000) WHERE key > 0 GROUP BY 1) AS d;
SELECT is((count(*), sum(n))::text, (SELECT (count(DISTINCT key) + 1, count(*))::text FROM public.wide), 'all groups, none of them twice') FROM t.chosen(100000);

------------------------------------------------------------------------------
-- The planner's choice

-- A table in the order of an index is read by it, one in no order is not, by its own costs.
SELECT set_config('enable_' || s, 'on', false) FROM unnest('{seqscan,bitmapscan,indexscan}'::text[]) AS s \g /dev/null
SET ROLE gate_owner;
CREATE TABLE public.stirred AS SELECT 1 + (i * 7919::bigint) % 10000 AS person, i % 9 AS key, repeat('x', 100) AS filler FROM generate_series(1, 100000) AS i;
CREATE INDEX ON public.stirred (person);
CREATE TABLE public.straight AS SELECT * FROM public.stirred ORDER BY person;
CREATE INDEX ON public.straight (person);
RESET ROLE;
VACUUM ANALYZE public.stirred;
VACUUM ANALYZE public.straight;
SELECT dp_noise.protect(r, privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 2, epsilon => 1e13, delta => 1) FROM unnest('{straight,stirred}'::text[]) AS r \g /dev/null
SELECT is(t.strategy(format('SELECT key, dp_count(*) FROM %s GROUP BY key', r)), strategy, r) FROM (VALUES ('straight', 'Sorted'), ('stirred', 'Hashed')) AS v (r, strategy);
SELECT is(t.strategy('SELECT key, dp_count(*) FROM stirred WHERE person = 77 GROUP BY key'), 'Sorted', 'one unit is in order');

-- An index in the order of a library may be wrong after that has changed.
CREATE COLLATION public.like_any (PROVIDER = icu, LOCALE = 'und', DETERMINISTIC = false);
SET ROLE gate_owner;
CREATE TABLE public.spoken AS SELECT ('p' || i % 100) COLLATE public.like_any AS person, i % 3 AS key FROM generate_series(1, 1000) AS i;
CREATE INDEX ON public.spoken (person);
RESET ROLE;
VACUUM ANALYZE public.spoken;
SELECT dp_noise.protect('public.spoken', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 2, epsilon => 1e13, delta => 1) \g /dev/null
SELECT t.by_index(true) \g /dev/null
SELECT is(t.strategy('SELECT key, dp_count(*) FROM spoken GROUP BY key'), 'Hashed', 'an order that follows a library');

SELECT * FROM finish();
\ir support/gate_end.sql
