-- dp_mode over privacy units of several rows, and over units that are
-- substituted: what a unit adds to the counts is bounded.
--
-- Takes long: 18 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();

-- 200 people with one to four rows, so that nothing is left to chance.
SET ROLE gate_owner;
CREATE TYPE public.ward AS ENUM ('a', 'b', 'c', 'd', 'e');
CREATE DOMAIN public.my_ward AS public.ward;
CREATE TABLE public.visits (person integer, ward public.ward, mine public.my_ward, code text, kind char(4), level smallint, price numeric, day date, token uuid, urgent boolean);
CREATE FUNCTION public.row_of(person integer, v integer) RETURNS SETOF public.visits LANGUAGE sql AS $$
	SELECT person, (enum_range(NULL::public.ward))[v], (enum_range(NULL::public.ward))[v], 'c' || v, 'k' || v, v, v * 1.50, date '2000-01-01' + v, lpad(v::text, 32, '0')::uuid, v = 1
$$;
INSERT INTO public.visits SELECT r.* FROM generate_series(1, 200) AS p, generate_series(1, 1 + p % 4) AS i, public.row_of(p, CASE WHEN i = 4 THEN NULL ELSE least(1 + (p * i) % 7, 5) END) AS r;
INSERT INTO public.visits SELECT r.* FROM generate_series(1, 500), public.row_of(NULL, 5) AS r;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, max_groups_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
RESET ROLE;
VACUUM ANALYZE public.visits;

-- The counts of a state, in the order of the categories.
CREATE FUNCTION t.counts(state text) RETURNS bigint[] LANGUAGE sql AS $$
	SELECT array_agg((SELECT bit_or(get_byte(s, i * 8 + j)::bigint << 8 * j) FROM generate_series(0, 7) AS j) ORDER BY i)
	FROM (SELECT state::bytea AS s) AS b, generate_series(0, length(s) / 8 - 1) AS i
$$;
CREATE FUNCTION t.state(call text) RETURNS bigint[] LANGUAGE sql AS $$SELECT t.counts((dp_noise.true_states(format('SELECT %s FROM visits', call)))[1])$$;

------------------------------------------------------------------------------
-- True states and answers

SELECT is(t.state(call), answer, call)
FROM (SELECT array_agg(n ORDER BY w) AS five, (array_agg(n ORDER BY w))[2:3] AS two FROM (SELECT ward AS w, count(*) AS n FROM public.visits WHERE person IS NOT NULL AND ward IS NOT NULL GROUP BY ward) AS g) AS c,
	LATERAL (VALUES ('dp_mode(ward)', five), ('dp_mode(mine::ward)', five), ('dp_mode(code, ''{c2,c3}''::text[])', two), ('dp_mode(kind, ''{k2,"k3 "}''::char(4)[])', two), ('dp_mode(level, ARRAY[2, 3]::smallint[])', two),
		('dp_mode(level, ARRAY[2, 3])', two), ('dp_mode(price, ARRAY[3, 4.5])', two), ('dp_mode(day, ARRAY[date ''2000-01-03'', date ''2000-01-04''])', two),
		('dp_mode(token, ARRAY[''00000000000000000000000000000002'', ''00000000-0000-0000-0000-000000000003'']::uuid[])', two), ('dp_mode(ward, ''{b,c}''::ward[], 2, ''exponential'')', two),
		('dp_mode(urgent)', ARRAY[five[2] + five[3] + five[4] + five[5], five[1]]), ('dp_mode(ward, 0.5) FILTER (WHERE code <> ''c1'')', '{0}' || five[2:5])) AS v (call, answer);
SELECT is(t.run('gate_ann', format('SELECT dp_mode(%s, 1000000%s) FROM visits', call, mechanism)), answer, call || mechanism)
FROM (SELECT ward::text AS first FROM public.visits WHERE person IS NOT NULL AND ward IS NOT NULL GROUP BY ward ORDER BY count(*) DESC LIMIT 1) AS f,
	LATERAL (VALUES ('ward', first), ('mine::ward', first), ('urgent', 'false'), ('code, ''{c9,c1,c8}''::text[]', 'c1'), ('kind, ''{k2,k9}''::char(4)[]', 'k2'), ('level, ''{7,2,9}''::bigint[]', '2'), ('price, ''{1.50,7}''::numeric[]', '1.50')) AS v (call, answer),
	unnest('{"",", ''permute_and_flip''",", ''exponential''",", ''abstract_staircase''"}'::text[]) AS mechanism;
SELECT is(t.run('gate_ann', 'SELECT string_agg(r::text, '' '') FROM (SELECT urgent, dp_mode(ward, 1000000) FROM visits WHERE urgent GROUP BY urgent) AS r WHERE urgent'), '(t,a)', 'in groups');
SELECT ok(t.run('gate_ann', 'SELECT dp_mode(code, ''{c1,c2}''::text[]) FROM visits WHERE level > 100') IN ('c1', 'c2'), 'of nothing');
SELECT t.run('gate_ann', 'PREPARE among(text[]) AS SELECT dp_mode(code, $1, 1000000) FROM visits') \g /dev/null
SET plan_cache_mode = force_generic_plan;
SELECT is(t.run('gate_ann', 'EXECUTE among(''{c9,c3}'')'), 'c3', 'of a parameter');
RESET plan_cache_mode;
SELECT t.accept('SELECT dp_mode(ward, 0.5) FROM visits', 1);

------------------------------------------------------------------------------
-- A unit more or less

CREATE FUNCTION t.unit_changes(call text, rows integer, kinds integer, OUT most bigint, OUT total bigint, OUT less bigint) LANGUAGE plpgsql AS $$
DECLARE
	before bigint[] := t.state(call);
	after bigint[];
BEGIN
	INSERT INTO public.visits SELECT r.* FROM generate_series(1, rows) AS i, public.row_of(-1, 1 + i % kinds) AS r;
	after := t.state(call);
	DELETE FROM public.visits WHERE person = -1;
	SELECT max(a - b), sum(abs(a - b)), count(*) FILTER (WHERE a < b) INTO most, total, less FROM unnest(before, after) AS u (b, a);
	IF before <> t.state(call) THEN
		RAISE EXCEPTION 'removing a unit leaves what it was before';
	END IF;
END
$$;
CREATE TABLE t.changes AS
SELECT call, r AS rows, k AS kinds, c.* FROM unnest('{dp_mode(ward),"dp_mode(code, ARRAY[''c1'', ''c3''])",dp_mode(urgent)}'::text[]) AS call, unnest('{1,3,100,100000}'::integer[]) AS r, unnest('{1,2,5}'::integer[]) AS k, t.unit_changes(call, r, k) AS c;
VACUUM public.visits;
SELECT is((max(most), max(total), max(less))::text, '(4,4,0)', 'counts grow, all together by the cap: reached and not passed') FROM t.changes;
SELECT is(count(*), 0::bigint, 'with so many rows') FROM t.changes WHERE call <> 'dp_mode(code, ARRAY[''c1'', ''c3''])' AND total <> least(rows, 4);
SELECT is(min(total), 4::bigint, 'rows outside of the categories take no place in the choice') FROM t.changes WHERE rows >= 100 AND kinds > 2;

-- In groups of a key, where two count.
CREATE FUNCTION t.group_states() RETURNS TABLE (urgent text, n bigint[]) LANGUAGE sql AS $$SELECT s[1], t.counts(s[2]) FROM dp_noise.true_states('SELECT level > 2, dp_mode(ward) FROM visits WHERE ward IS NOT NULL GROUP BY 1') AS s$$;
CREATE TABLE t.before_unit AS SELECT * FROM t.group_states();
INSERT INTO public.visits SELECT r.* FROM generate_series(1, 100000) AS i, public.row_of(-1, 1 + i % 5) AS r;
SELECT is((max(most), sum(most), count(*))::text, '(4,8,2)', 'each of two groups by the cap')
FROM (SELECT (SELECT sum(abs(a - b)) FROM unnest(s.n, o.n) AS u (a, b)) AS most FROM t.group_states() AS s FULL JOIN t.before_unit AS o USING (urgent)) AS d;
DELETE FROM public.visits WHERE person = -1;
VACUUM public.visits;

------------------------------------------------------------------------------
-- Which rows: uniform, of each unit by itself

SET ROLE gate_owner;
CREATE TABLE public.many (person integer, code text);
INSERT INTO public.many SELECT p, c FROM generate_series(1, 20000) AS p, unnest('{a,b,c,x,y}'::text[]) AS c;
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
RESET ROLE;
ANALYZE public.many;
-- Chi-square of 2 degrees of freedom: above 50 in 1 of 10^10 runs.
CREATE FUNCTION t.uneven(expected numeric) RETURNS numeric LANGUAGE sql AS $$
	SELECT sum((n - expected) ^ 2) / least(expected, 20000 - expected) FROM (SELECT unnest(t.counts(s[1])) AS n FROM dp_noise.true_states('SELECT dp_mode(code, ''{a,b,c}''::text[]) FROM many') AS s) AS c
$$;
SELECT ok(t.uneven(20000 / 3.0) < 50, 'one value of three');
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ok(t.uneven(20000 / 3.0) < 50, 'in a parallel plan');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 2) \g /dev/null
SELECT ok(t.uneven(40000 / 3.0) < 50, 'two of three');
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 3) \g /dev/null
SELECT is((SELECT t.counts(s[1]) FROM dp_noise.true_states('SELECT dp_mode(code, ''{a,b,c}''::text[]) FROM many') AS s), '{20000,20000,20000}', 'all of three');

------------------------------------------------------------------------------
-- What it costs

SELECT is(t.explained('SELECT dp_mode(ward) FROM visits', what), answer, what)
FROM (VALUES ('Mechanism', 'permute_and_flip'), ('Sensitivity', '4'), ('Expected Error (95%)', '19 rows'), ('Bounded', 'at most 4 values of a unit, chosen at random')) AS v (what, answer);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, max_groups_per_unit => 2, neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.run('gate_ann', 'SELECT dp_mode(code, ''{c2,c9}''::text[], 1000000) FROM visits'), 'c2', 'of substituted units');
SELECT dp_noise.protect('public.visits', neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.run('gate_ann', format('SELECT dp_mode(%s, 1000000) FROM visits WHERE person > 0', call)), answer, 'of substituted rows: ' || call)
FROM (VALUES ('code, ''{c9,c1,c8}''::text[]', 'c1'), ('urgent', 'false'), ('level, ''{7,2,9}''::bigint[]', '2')) AS v (call, answer);
SELECT is(t.run('gate_ann', format('SELECT dp_mode(%s, 1000000) FROM visits WHERE %1$s = ''d''', c)), 'd', 'of substituted rows: an enum, ' || c) FROM unnest('{ward,mine::ward}'::text[]) AS c;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, max_groups_per_unit => 2, replace_unit => true) \g /dev/null

------------------------------------------------------------------------------
-- The parts by themselves

SELECT t.refuse('42501', q) FROM unnest(ARRAY['SELECT dp_count(*), dp_noise.mode_of_rows(ward, 1000000, NULL, 0, false, false) FROM visits',
	'SELECT dp_noise.mode_state(ward) FROM visits', 'SELECT dp_noise.sample_categories(ward, 3) FROM visits']) AS q;
SELECT is((SELECT dp_noise.mode_of_units(NULL::text, '{a,b,c}'::text[], 1000000, NULL, 2, 0, false, false, s) FROM (SELECT dp_noise.sample_categories(v, '{a,b,c}', 2) AS s FROM unnest('{b,b,d,d,d}'::text[]) AS v) AS p), 'b', 'put together by hand');
SELECT throws_ok('SELECT dp_noise.mode_of_units(NULL::text, ''{a,b}''::text[], 1, NULL, 1, 0, false, false, s) FROM (SELECT dp_noise.sample_categories(v, ''{a,b}'', 5) AS s FROM unnest(''{a,b}''::text[]) AS v) AS p', '22023', NULL, 'a sample of more than may count');
SELECT throws_ok('SELECT dp_noise.mode_of_units(NULL::text, ''{a,b,c}''::text[], 1, NULL, 5, 0, false, false, s) FROM (SELECT dp_noise.sample_categories(v, ''{a,b}'', 5) AS s FROM unnest(''{a,b}''::text[]) AS v) AS p', '55000', NULL, 'a sample of other categories');
SELECT throws_ok(format('SELECT dp_noise.mode_of_units(NULL::boolean, 1, NULL, 5, 0, false, false, s) FROM (SELECT dp_noise.sample_points(%s, -1e18, 1e18, 5) AS s) AS p', x), '55000', NULL, 'no categories at all: ' || x)
FROM unnest('{0,1,-1,1000000000000000000}'::bigint[]) AS x;
SELECT throws_ok('SELECT dp_noise.sample_categories(true, 0)', '22023', NULL, 'none of them');

SELECT * FROM finish();
\ir support/gate_end.sql
