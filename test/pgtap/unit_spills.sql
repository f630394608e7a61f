-- Groups of units that take more memory than there is: in files, and in a sort.
--
-- Takes long: 15 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();

-- 1 MB, of which hash_mem_multiplier makes 2 for the groups.
SET work_mem = '1MB';

CREATE FUNCTION t.protect(relation text, unit text, rows integer, groups integer) RETURNS void LANGUAGE sql AS $$
	SELECT dp_noise.protect(relation, privacy_unit => unit, max_rows_per_unit => rows, max_groups_per_unit => groups, epsilon => 1e13, delta => 1)
$$;
CREATE FUNCTION t.states(query text) RETURNS TABLE (state text[]) LANGUAGE sql AS 'SELECT dp_noise.true_states(query)';

------------------------------------------------------------------------------
-- Files: the states are those of the definition, whatever types units and keys are of

SET ROLE gate_owner;
CREATE TYPE public.ward AS ENUM ('a', 'b', 'c', 'd');
CREATE TABLE public.visits AS
SELECT p AS person, CASE WHEN p % 10 > 0 THEN (p * 7)::text || 'é' END AS name, p / 3.0 AS number, (enum_range(NULL::public.ward))[1 + i % 5] AS ward, 'key ' || i % 3 AS key, p % 100 - i AS x, repeat('wide', p % 20) AS wide
FROM generate_series(1, 30000) AS p, generate_series(1, 4 + p % 3) AS i;
RESET ROLE;
ANALYZE public.visits;
CREATE FUNCTION t.definition(unit text, keys text, rows integer) RETURNS SETOF text[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT ARRAY[%2$s, sum(least(n, %3$s))::text, format(''(%%s,0)'', sum(least(greatest(s, 0), 50 * %3$s)))]
		FROM (SELECT %4$s, count(*) AS n, sum(least(greatest(x, 0), 50)) AS s FROM public.visits WHERE %1$I IS NOT NULL GROUP BY %1$I, %4$s) AS u GROUP BY %4$s',
		unit, (SELECT string_agg(k || '::text', ', ') FROM string_to_table(keys, ', ') AS k), rows, keys);
END
$$;
SELECT t.protect('public.visits', 'person', 2, 100) \g /dev/null
SELECT set_eq(format('SELECT * FROM t.states(%L)', 'SELECT key, ward, dp_count(*), dp_sum(x, 0, 50) FROM visits GROUP BY key, ward'), $$SELECT * FROM t.definition('person', 'key, ward', 2)$$, 'integers, all groups');
SELECT dp_noise.protect('public.visits', privacy_unit => 'name', max_rows_per_unit => 2, max_groups_per_unit => 100, replace_unit => true) \g /dev/null
SELECT set_eq(format('SELECT * FROM t.states(%L)', 'SELECT key, ward, dp_count(*), dp_sum(x, 0, 50) FROM visits GROUP BY key, ward'), $$SELECT * FROM t.definition('name', 'key, ward', 2)$$, 'texts, and rows of nobody');
SELECT dp_noise.protect('public.visits', privacy_unit => 'number', max_rows_per_unit => 2, max_groups_per_unit => 100, replace_unit => true) \g /dev/null
SELECT set_eq(format('SELECT * FROM t.states(%L)', 'SELECT key, ward, dp_count(*), dp_sum(x, 0, 50) FROM visits GROUP BY key, ward'), $$SELECT * FROM t.definition('number', 'key, ward', 2)$$, 'numerics');

------------------------------------------------------------------------------
-- Which groups: uniform, also in files. Chi-square of 5 degrees of freedom: above 70 in 1 of 10^13 runs.

SET ROLE gate_owner;
CREATE TABLE public.many AS SELECT p AS person, i AS key FROM generate_series(1, 30000) AS p, generate_series(1, 6) AS i;
RESET ROLE;
ANALYZE public.many;
CREATE FUNCTION t.uneven(groups integer) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t.protect('public.many', 'person', 1, groups);
	RETURN (SELECT CASE WHEN count(*) = 6 AND sum(s[2]::bigint) = 30000 * groups THEN sum((s[2]::bigint - 5000 * groups) ^ 2) / (5000 * groups * (1 - groups / 6.0)) END
		FROM t.states('SELECT key, dp_count(*) FROM many GROUP BY key') AS s);
END
$$;
SELECT ok(t.uneven(g) < 70, format('%s of six groups', g)) FROM generate_series(1, 5) AS g;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ok(t.uneven(2) < 70, 'of partial results of parallel workers');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

------------------------------------------------------------------------------
-- A sort: one unit has so many groups that no file of its rows fits

SET ROLE gate_owner;
CREATE TABLE public.wide AS SELECT 'heavy'::text AS person, i AS key, 1 AS x FROM generate_series(1, 2), generate_series(1, 60000) AS i;
INSERT INTO public.wide SELECT 'other ' || p, -i, 1 FROM generate_series(1, 2000) AS p, generate_series(1, 1 + p % 4) AS i;
INSERT INTO public.wide SELECT 'heavy', NULL, 1;
RESET ROLE;
ANALYZE public.wide;
CREATE FUNCTION t.chosen(groups integer) RETURNS TABLE (key integer, n bigint, sum bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t.protect('public.wide', 'person', 5, groups);
	RETURN QUERY SELECT s[1]::integer, s[2]::bigint, trim(split_part(s[3], ',', 1), '(')::bigint FROM t.states('SELECT key, dp_count(*), dp_sum(x, 0, 1) FROM wide GROUP BY key') AS s;
END
$$;
SELECT is((count(*) FILTER (WHERE key > 0 OR key IS NULL), sum(n) FILTER (WHERE key < 0), bool_and(sum = n AND (key < 0 OR n = CASE WHEN key > 0 THEN 2 ELSE 1 END)))::text,
	format('(%s,%s,t)', m, 500 * (1 + 2 + 3 + 4) - 500 * greatest(4 - m, 0) - 500 * greatest(3 - m, 0) - 500 * greatest(2 - m, 0)), m || ' groups of each unit, with all of their rows')
FROM generate_series(1, 5) AS m, t.chosen(m) GROUP BY m;
-- Chi-square of 9 degrees of freedom: above 80 in 1 of 10^12 runs.
SELECT ok(sum((n - 600) ^ 2) / 600 / 0.9 < 80 AND sum(n) BETWEEN 5999 AND 6000, 'any of them')
FROM (SELECT (key - 1) / 6000 AS tenth, count(*) AS n FROM t.chosen(6000) WHERE key > 0 GROUP BY 1) AS d;

------------------------------------------------------------------------------
-- Groups that are in files go on from where they were, whatever their states are, and
-- so do those whose states cannot be written: the rows of a person are far apart, and
-- nobody said how many people there are

SET ROLE gate_owner;
CREATE TABLE public.apart AS
SELECT CASE WHEN p % 50 > 0 THEN p END AS person, 'key ' || (p + i) % 2 AS key, (p * i) % 97 AS small, (p * i) % 89 / 8.0::float8 AS real, (p * i) % 79 / 10.0 AS decimal, nullif((p + i) % 7, 0) AS hole
FROM generate_series(1, 6) AS i, generate_series(1, 20000) AS p;
ALTER TABLE public.apart SET (autovacuum_enabled = off);
RESET ROLE;
SELECT t.protect('public.apart', 'person', 6, 2) \g /dev/null
CREATE FUNCTION t.with_memory(memory text, question text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true);
	RETURN (SELECT string_agg(state::text, ' ' ORDER BY state) FROM t.states(question) AS s (state));
END
$$;
SELECT is(coalesce(t.with_memory('1MB', question), 'none'), t.with_memory('1GB', question), call)
FROM unnest('{"dp_count(*)", "dp_count(hole)", "dp_sum(small, 0, 100)", "dp_sum(real, 0, 12)", "dp_sum(decimal, 0, 8)", "dp_sum(hole, 0, 7), dp_count(*)", "dp_mean(real, 0, 12)", "dp_variance(real, 0, 12)", "dp_max(decimal, 0, 8)",
	"dp_median_exp(small, 0, 100)", "dp_quantiles_exp(real, ARRAY[0.25, 0.5], 0, 12)", "dp_count_distinct(small)", "dp_count_distinct(decimal)", "dp_mode(small, ARRAY[1, 2, 3])", "dp_regression(real, decimal, 0, 12, 0, 8)"}'::text[]) AS call,
	format('SELECT key, %s FROM apart GROUP BY key', call) AS question;
-- so many states that a part of them is too large, too, and none whose states fit together
SELECT is(coalesce(t.with_memory('64kB', question), 'none'), t.with_memory('1GB', question), 'many states, little memory')
FROM (SELECT format('SELECT key, %s FROM apart GROUP BY key', string_agg(format('dp_sum(small + %s, 0, 200), dp_variance(real + %1$s, 0, 100)', i), ', ')) AS question FROM generate_series(1, 20) AS i) AS q;

SELECT * FROM finish();
\ir support/gate_end.sql
