-- Groups of privacy units of several rows: in how many a unit counts, and which.
--
-- Takes long: 16 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();

-- 200 people with rows in one or two of five groups, some rows of nobody.
SET ROLE gate_owner;
CREATE TYPE public.ward AS ENUM ('a', 'b', 'c', 'd', 'e');
CREATE TABLE public.visits (person integer, ward public.ward, x integer, urgent boolean);
INSERT INTO public.visits
SELECT p, (enum_range(NULL::public.ward))[1 + (p + i % 2) % 5], (p * 7 + i) % 100, i % 2 = 0 FROM generate_series(1, 200) AS p, generate_series(1, 1 + p % 8) AS i;
INSERT INTO public.visits SELECT NULL, 'a', 50, true FROM generate_series(1, 100);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
RESET ROLE;
VACUUM ANALYZE public.visits;

CREATE FUNCTION t.rows(query text) RETURNS TABLE (state text[]) LANGUAGE sql AS 'SELECT dp_noise.true_states(query)';
CREATE FUNCTION t.all_rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	EXECUTE format('SELECT string_agg(r::text, '' '') FROM (%s) AS r', query) INTO result;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;

------------------------------------------------------------------------------
-- The true states are those of the definition, and all groups come out

SELECT set_eq($$SELECT dp_noise.true_states('SELECT ward, dp_count(*), dp_sum(x, 0, 60), dp_max(x, 0, 1000, 0.01) FROM visits WHERE x > 10 GROUP BY ward')$$,
	$$SELECT ARRAY[ward::text, sum(least(n, 3))::text, format('(%s,0)', sum(least(s, 180))),
		'\x' || string_agg(lpad(to_hex(g), 2, '0') || '00000000000000', '' ORDER BY g)]
	FROM (SELECT person, ward, count(*) AS n, sum(least(x, 60)) AS s, max(x) AS g FROM public.visits WHERE person IS NOT NULL AND x > 10 GROUP BY person, ward) AS u GROUP BY ward$$,
	'counts, sums, maxima of units in groups');
SELECT set_eq($$SELECT dp_noise.true_states('SELECT ward, urgent, dp_count(*) FROM visits GROUP BY ward, urgent')$$,
	$$SELECT ARRAY[ward::text, left(urgent::text, 1), sum(least(n, 3))::text] FROM (SELECT ward, urgent, count(*) AS n FROM public.visits WHERE person IS NOT NULL GROUP BY person, ward, urgent) AS u GROUP BY ward, urgent$$,
	'of two keys, where nobody has more groups than count');
CREATE TABLE t.of_wards AS
SELECT sum(least(n, 3)) FILTER (WHERE ward = 'a') AS a, sum(least(n, 3)) FILTER (WHERE ward = 'b') AS b
FROM (SELECT ward, count(*) AS n FROM public.visits WHERE person IS NOT NULL GROUP BY person, ward) AS u;
SELECT is(t.all_rows('SELECT ward, dp_count(1, 1000000) AS n FROM visits WHERE (ward < ''c'' OR x < 0) GROUP BY ward ORDER BY ward'),
	format('(a,%s) (b,%s) (c,0) (d,0) (e,0) (,0)', a, b), 'groups without rows') FROM t.of_wards;
SELECT is(t.all_rows('SELECT ward, dp_count(1, 1000000) AS n FROM visits WHERE (ward < ''c'') GROUP BY ward ORDER BY ward'),
	format('(a,%s) (b,%s)', a, b), 'not those that a condition leaves out') FROM t.of_wards;

------------------------------------------------------------------------------
-- However many keys there are, a null is another group, and a unit is in few

CREATE FUNCTION t.keys(count integer) RETURNS text LANGUAGE sql AS $$SELECT string_agg('k' || i, ', ' ORDER BY i) FROM generate_series(1, count) AS i$$;
GRANT EXECUTE ON FUNCTION t.keys TO gate_owner;
SET ROLE gate_owner;
DO $$
BEGIN
	EXECUTE format('CREATE TABLE public.wide (person integer, %s)', replace(t.keys(70), ',', ' integer,') || ' integer');
	EXECUTE format('INSERT INTO public.wide SELECT p, CASE WHEN r = 1 THEN 1 END, %s FROM generate_series(1, 200) AS p, generate_series(1, 2) AS r', (SELECT string_agg(CASE WHEN i % 3 = 0 THEN 'NULL' ELSE '1' END, ', ') FROM generate_series(2, 70) AS i));
END
$$;
SELECT dp_noise.protect('public.wide', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 1, epsilon => 1e13, delta => 1);
RESET ROLE;
VACUUM ANALYZE public.wide;
SELECT results_eq(format('SELECT count(*), sum(state[%s]::integer), count(DISTINCT state[2:%1$s - 1]) FROM t.rows(%L)', n + 1, format('SELECT %s, dp_count(*) FROM wide GROUP BY %1$s', t.keys(n))), 'VALUES (2::bigint, 200::bigint, 1::bigint)', n || ' keys')
FROM unnest('{2,30,31,32,33,63,64,65,70}'::integer[]) AS n;

------------------------------------------------------------------------------
-- A unit more or less changes so many groups, each by at most the sensitivity

CREATE FUNCTION t.states() RETURNS TABLE (ward text, n bigint, sum numeric, a numeric, b numeric, points integer, greatest_points integer) LANGUAGE sql AS $$
	SELECT s[1], s[2]::bigint, split_part(trim('()' FROM s[3]), ',', 1)::numeric,
		split_part(trim('()' FROM s[4]), ',', 1)::numeric / (60 * steps), split_part(trim('()' FROM s[4]), ',', 2)::numeric - split_part(trim('()' FROM s[4]), ',', 1)::numeric / (60 * steps),
		(length(s[5]) - 2) / 16, (length(s[6]) - 2) / 16
	FROM dp_noise.true_states('SELECT ward, dp_count(*), dp_sum(x, -10, 50), dp_mean(x, -10, 50), dp_median(x, -10, 50), dp_min(x, -10, 50, 0.001) FROM visits GROUP BY ward') AS s,
		-- so many for a row at the upper bound, that 3 of them and noise for two groups fit into 2^42
		(SELECT 2::numeric ^ 33 AS steps) AS t
$$;
CREATE TABLE t.before_unit AS SELECT * FROM t.states();
SELECT ok(bool_and(n > 0 AND a > 0 AND b > 0 AND points > 0 AND abs(a + b - points) < 1e-6), 'states are read') FROM t.before_unit;
CREATE FUNCTION t.unit_changes(rows integer, wards integer, value integer,
	OUT changed bigint, OUT n numeric, OUT sum numeric, OUT pair numeric, OUT points bigint, OUT greatest_points bigint, OUT most numeric)
LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.visits SELECT -1, (enum_range(NULL::public.ward))[1 + i % wards], value, true FROM generate_series(1, rows) AS i;
	SELECT count(*) FILTER (WHERE s.n <> b.n), sum(abs(s.n - b.n)), sum(abs(s.sum - b.sum)), round(sum(abs(s.a - b.a) + abs(s.b - b.b)), 6),
		sum(abs(s.points - b.points)), sum(abs(s.greatest_points - b.greatest_points)), max(abs(s.n - b.n))
	INTO changed, n, sum, pair, points, greatest_points, most
	FROM t.states() AS s FULL JOIN t.before_unit AS b USING (ward);
	DELETE FROM public.visits WHERE person = -1;
END
$$;
CREATE TABLE t.changes AS
SELECT r AS rows, w AS wards, v AS value, c.* FROM unnest('{1,5,100}'::integer[]) AS r, generate_series(1, 5) AS w, unnest('{-1000,0,1000}'::integer[]) AS v, t.unit_changes(r, w, v) AS c;
SELECT is((max(changed), max(n), max(sum), max(pair), max(points), max(greatest_points), max(most))::text, (2, 6, 300, 6.000000, 6, 2, 3)::text,
	'groups, and in all of them counts, sums, means, values, extremes: reached and not passed') FROM t.changes;
SELECT is(count(*), 0::bigint, 'nobody is in more or in fewer groups than there are') FROM t.changes WHERE changed <> least(rows, wards, 2);
INSERT INTO t.changes SELECT 1000000, 5, 1000, c.* FROM t.unit_changes(1000000, 5, 1000) AS c;
SELECT is((changed, n, sum, pair, points, greatest_points)::text, (2, 6, 300, 6.000000, 6, 2)::text, 'a person with a million rows in five groups') FROM t.changes WHERE rows = 1000000;
VACUUM public.visits;

------------------------------------------------------------------------------
-- Which groups: uniform, anew in each query, of each unit by itself

SET ROLE gate_owner;
CREATE TABLE public.many (person integer, ward public.ward);
INSERT INTO public.many SELECT p, w FROM generate_series(1, 20000) AS p, unnest('{a,b,c}'::public.ward[]) AS w;
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 1, epsilon => 1e13, delta => 1);
RESET ROLE;
ANALYZE public.many;
-- Chi-square of 2 degrees of freedom: above 50 in 1 of 10^10 runs.
CREATE FUNCTION t.uneven(expected numeric) RETURNS numeric LANGUAGE sql AS $$
	SELECT sum((n - expected) ^ 2) / least(expected, 20000 - expected) FROM (SELECT s[2]::numeric AS n FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward') AS s) AS c
$$;
SELECT ok(t.uneven(20000 / 3.0) < 50, 'one group of three');
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ok(t.uneven(20000 / 3.0) < 50, 'in a parallel plan');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET enable_hashagg = off;
SELECT ok(t.uneven(20000 / 3.0) < 50, 'of sorted rows');
RESET enable_hashagg;
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 2) \g /dev/null
SELECT ok(t.uneven(40000 / 3.0) < 50, 'two groups of three');
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 3) \g /dev/null
SELECT is(string_agg(s[2], ' '), '20000 20000 20000', 'all of three') FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward') AS s;

-- 100 units in two groups, 400 times: binomial, so the sum of squares is chi-square of 400 degrees of freedom.
DELETE FROM public.many WHERE person > 100 OR ward = 'c';
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 1) \g /dev/null
SELECT ok(v BETWEEN 240 AND 600, 'units choose by themselves, each time anew: ' || v)
FROM (SELECT sum((n - 50) ^ 2 / 25.0) AS v FROM (SELECT (SELECT s[2]::numeric FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM many GROUP BY ward' || left('', i)) AS s WHERE s[1] = 'a') AS n
	FROM generate_series(1, 400) AS i) AS r) AS q;

-- Units that are texts are told apart byte by byte, whatever their collation.
SET ROLE gate_owner;
CREATE TABLE public.named (person text COLLATE "C", code varchar(20) COLLATE "POSIX", kind char(10), ward public.ward);
INSERT INTO public.named SELECT v, v, v, w FROM unnest('{a,A,b,"a b",ab,é,"",0}'::text[]) AS v, unnest('{a,b,c,d}'::public.ward[]) AS w;
RESET ROLE;
CREATE FUNCTION t.named(unit text, groups integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_noise.protect('public.named', privacy_unit => unit, max_rows_per_unit => 1, max_groups_per_unit => groups, epsilon => 1e13, delta => 1);
	RETURN (SELECT sum(s[2]::bigint) FROM dp_noise.true_states('SELECT ward, dp_count(*) FROM named GROUP BY ward') AS s);
END
$$;
SELECT is(t.named(unit, m), 8::bigint * m, format('%s groups of each %s', m, unit)) FROM unnest('{person,code,kind}'::text[]) AS unit, generate_series(1, 4) AS m;

-- The window function by itself: so many of each partition, all where there are fewer.
SELECT is(array_agg(n ORDER BY g), ARRAY[least(1, m), least(2, m), least(5, m)]::bigint[], m || ' of each partition')
FROM generate_series(0, 6) AS m, LATERAL (SELECT g, count(*) FILTER (WHERE c) AS n FROM (SELECT g, dp_noise.choose(m) OVER (PARTITION BY g) AS c FROM unnest('{1,2,5}'::integer[]) AS g, generate_series(1, g) AS i) AS w GROUP BY g) AS q
GROUP BY m;
SELECT is((SELECT count(*) FROM (SELECT dp_noise.choose(m) OVER () AS c FROM generate_series(1, 3)) AS w WHERE c), 0::bigint, 'none of them: ' || coalesce(m::text, 'null')) FROM unnest('{-1,NULL,-2147483648}'::integer[]) AS m;
-- Each pair of five: chi-square of 9 degrees of freedom, above 70 in 1 of 10^10 runs.
SELECT ok(count(*) = 10 AND sum((n - 2000) ^ 2 / 2000.0) < 70, 'each pair alike')
FROM (SELECT pair, count(*) AS n FROM (SELECT g, string_agg(i::text, ' ' ORDER BY i) AS pair FROM (SELECT g, i, dp_noise.choose(2) OVER (PARTITION BY g) AS c FROM generate_series(1, 20000) AS g, generate_series(1, 5) AS i) AS w WHERE c GROUP BY g) AS p GROUP BY pair) AS q;
SELECT throws_ok('SELECT dp_noise.choose(1)', '42809', NULL, 'only as a window function');

------------------------------------------------------------------------------
-- What it costs in noise

CREATE FUNCTION t.lines(query text, what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		result := result || coalesce(substring(line FROM what || ': (.*)') || ' ', '');
	END LOOP;
	RETURN trim(result);
END
$$;
SET dp_noise.epsilon = 0.5;
SELECT is(t.lines('SELECT ward, dp_count(1, 0.5, ''laplace''), dp_count(1, 0.5, ''staircase''), dp_sum(x, 0, 100, 0.5, ''laplace'') FROM visits GROUP BY ward', 'Sensitivity'), '3 3 300', 'sensitivity in a group');
SELECT is(t.lines('SELECT ward, dp_count(1, 0.5, ''laplace'') FROM visits GROUP BY ward', 'Expected Error \(95%\)')::float8, (dp_expected_error('geometric', 0.5, 6)).half_width_95, 'Laplace: of all groups');
SELECT is(t.lines('SELECT ward, dp_count(1, 0.5, ''discrete_staircase'') FROM visits GROUP BY ward', 'Expected Error \(95%\)')::float8, (dp_expected_error('discrete_staircase', 0.25, 3)).half_width_95,
	'staircase: its share of epsilon');
SELECT is(t.lines('SELECT ward, dp_count(*) FROM visits GROUP BY ward', 'Groups per Unit'), '2', 'EXPLAIN says how many groups');
SELECT is(t.lines('SELECT dp_count(*) FROM visits', 'Groups per Unit'), '', 'and nothing of them without GROUP BY');
SELECT is(t.lines('SELECT dp_count(1, 0.5, ''laplace'') FROM visits', 'Expected Error \(95%\)')::float8, (dp_expected_error('geometric', 0.5, 3)).half_width_95, 'where they cost nothing');
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2, neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.lines('SELECT ward, dp_count(1, 0.5, ''laplace'') FROM visits GROUP BY ward', 'Expected Error \(95%\)')::float8, (dp_expected_error('geometric', 0.5, 12)).half_width_95, 'substituted: one less, one more');
SELECT dp_noise.protect('public.visits', neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.lines('SELECT ward, dp_count(1, 0.5, ''laplace'') FROM visits GROUP BY ward', 'Expected Error \(95%\)')::float8, (dp_expected_error('geometric', 0.5, 2)).half_width_95, 'substituted rows in groups');
SELECT is(t.lines('SELECT dp_count(1, 0.5, ''laplace'') FROM visits', 'Expected Error \(95%\)')::float8, (dp_expected_error('geometric', 0.5, 1)).half_width_95, 'and without');
SELECT is(t.all_rows('SELECT ward, dp_count(1, 1000000) AS n FROM visits GROUP BY ward ORDER BY ward'), string_agg(format('(%s,%s)', ward, n), ' ' ORDER BY ward) || ' (,0)', 'the same true counts')
FROM (SELECT ward, count(*) AS n FROM public.visits GROUP BY ward) AS g;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2, replace_unit => true) \g /dev/null

-- No more groups than there can be: the noise is of these alone.
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 50) \g /dev/null
SELECT is(t.lines(format('SELECT dp_count(1, 0.5, ''laplace'') FROM visits GROUP BY %s', keys), 'Groups per Unit'), groups, 'groups by ' || keys)
FROM (VALUES ('urgent', '3'), ('urgent IS TRUE', '2'), ('urgent, x > 5', '9'), ('CASE WHEN x > 9 THEN ''high'' WHEN x > 4 THEN ''low'' ELSE ''none'' END', '3'),
	('coalesce(urgent, false), ward', '50'), ('ward', '50'), ('urgent, urgent, x > 1, x > 2, x > 3', '50')) AS q (keys, groups);
SELECT is(t.lines('SELECT dp_count(1, 0.5, ''laplace'') FROM visits GROUP BY urgent', 'Expected Error \(95%\)')::float8, (dp_expected_error('geometric', 0.5, 9)).half_width_95, 'noise of three groups, not of 50');
INSERT INTO public.visits SELECT 7777, 'a', 50, i % 2 = 0 FROM generate_series(1, 1000) AS i;
SELECT is((SELECT sum(x[2]::bigint) FROM dp_noise.true_states('SELECT urgent, dp_count(*) FROM visits WHERE person = 7777 GROUP BY urgent') AS x), 6::numeric, 'in which a unit counts, in each as it may');
DELETE FROM public.visits WHERE person = 7777;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2, replace_unit => true) \g /dev/null

-- Nothing about groups changes what is asked.
SELECT dp_noise.alter_population('public.visits', on_repeat => 'refuse'), dp_noise.set_budget('gate_bob', 'public.visits', 1000) \g /dev/null
SELECT ok(t.run('gate_bob', 'SELECT dp_count(*) FROM visits GROUP BY ward')::bigint < 5000, 'a first question');
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 3) \g /dev/null
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM visits GROUP BY ward'), '53400: this question about "visits" was answered before', 'is the same with another cap');
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer') \g /dev/null

SELECT * FROM finish();
\ir support/gate_end.sql
