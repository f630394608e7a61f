-- Privacy units with rows outside the public values of a key: those take no
-- place among the groups in which a unit counts.
\ir support/gate.sql
SELECT no_plan();

-- 50 people, each with 2 rows in each of two declared values and without one,
-- and with 200 rows in values of nobody else. They count in 3 groups.
SET ROLE gate_owner;
CREATE DOMAIN public.word AS varchar(20);
CREATE TABLE public.towns (town integer PRIMARY KEY);
INSERT INTO public.towns VALUES (1), (2);
CREATE TABLE public.stays (person integer, code text, kind char(8), label varchar(20), word public.word, level smallint, price numeric, born date, seen timestamptz, token uuid, yes boolean,
	town integer REFERENCES public.towns, street text NOT NULL, city text);
INSERT INTO public.stays
SELECT p, 'c' || v, 'k' || v, 'l' || v, 'w' || v, v, v * 1.50, date '2000-01-01' + v, timestamptz '2020-01-01 00:00Z' + v * interval '1 day', lpad(v::text, 32, '0')::uuid, v = 1,
	1, 's' || coalesce(v, 0), 'here'
FROM generate_series(1, 50) AS p, unnest('{1,1,2,2,NULL,NULL}'::integer[]) AS v;
INSERT INTO public.stays
SELECT p, 'd' || v, 'd' || v, 'd' || v, 'd' || v, v, v * 1.25, date '2010-01-01' + v, timestamptz '2021-01-01 00:00Z' + v * interval '1 day', lpad(v::text, 32, '0')::uuid, false,
	2, 'd' || v, 'here'
FROM generate_series(1, 50) AS p, generate_series(1001, 1200) AS v;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stays', 1e12, delta => 1);
SELECT dp_noise.set_values('public.stays', 'code', '{c1,c2,c3}'), dp_noise.set_values('public.stays', 'kind', '{k1,k2,k3}'), dp_noise.set_values('public.stays', 'label', '{l1,l2}'),
	dp_noise.set_values('public.stays', 'word', '{w1,w2}'), dp_noise.set_values('public.stays', 'level', '{1,2,3}'), dp_noise.set_values('public.stays', 'price', '{3.0,1.5}'),
	dp_noise.set_values('public.stays', 'born', '{2000-01-02,2000-01-03}'), dp_noise.set_values('public.stays', 'seen', '{"2020-01-02 00:00Z","2020-01-03 02:00+02"}'),
	dp_noise.set_values('public.stays', 'token', '{00000000000000000000000000000001,00000000000000000000000000000002}'),
	dp_noise.set_values('public.stays', 'yes', '{true}'), dp_noise.set_values('public.stays', 'street', '{s0,s1,s2}');
RESET ROLE;
VACUUM ANALYZE public.stays;

-- The groups of the inner statement, those outside of the domain too.
CREATE FUNCTION t.groups(query text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(array_to_string(s, ',', ''), ' ' ORDER BY s[1] COLLATE "C") FROM dp_noise.true_states(query) AS s$$;

SELECT is(t.groups(format('SELECT %s, dp_count(*) FROM stays GROUP BY 1', key)), answer, key)
FROM (VALUES
	('code', 'c1,100 c2,100 ,100'),
	('kind', 'k1      ,100 k2      ,100 ,100'),
	('label', 'l1,100 l2,100 ,100'),
	('word', 'w1,100 w2,100 ,100'),
	('level', '1,100 2,100 ,100'),
	('level::bigint', '1,100 2,100 ,100'),
	('price', '1.50,100 3.00,100 ,100'),
	('born', '2000-01-02,100 2000-01-03,100 ,100'),
	('token', '00000000-0000-0000-0000-000000000001,100 00000000-0000-0000-0000-000000000002,100 ,100'),
	('street', 's0,100 s1,100 s2,100'),
	('coalesce(code, ''none'')', 'c1,100 c2,100 none,100'),
	('CASE WHEN level = 2 THEN ''two'' ELSE label END', 'l1,100 two,100 ,100'),
	('nullif(code, ''c1'')', 'c2,100 ,200')
) AS v (key, answer);
SELECT is(count(*)::text || ' ' || min(s[2]) || ' ' || max(s[2]), '3 100 100', 'seen') FROM dp_noise.true_states('SELECT seen, dp_count(*) FROM stays GROUP BY 1') AS s;
SELECT is(t.groups('SELECT yes, dp_count(*) FROM stays GROUP BY yes'), 't,100 ,100', 'a truth value that was not declared');
SELECT is(t.groups('SELECT code, dp_count(*), dp_sum(level, 0, 5000), dp_max(level, 0, 5000, 0.01) FROM stays WHERE level > 1 OR code IS NULL GROUP BY code'),
	'c2,100,(200,0),\x' || repeat('0200000000000000', 50) || ' ,100,(0,0),\x', 'sums and extremes, with conditions');

-- Of two keys a group lies outside if one of them does; private ones are taken as they come.
SELECT is(t.groups('SELECT code, yes, dp_count(*) FROM stays GROUP BY code, yes'), 'c1,t,100 ,,100', 'two keys');
SELECT is(t.groups('SELECT code, city, dp_count(*) FROM stays GROUP BY code, city'), 'c1,here,100 c2,here,100 ,here,100', 'beside a private key');

-- What the analyst gets; parameters are values of a domain, too, and may be null.
SELECT is(t.run('gate_ann', 'SELECT string_agg(r::text, '' '') FROM (SELECT code, dp_count(1, 1000000) FROM stays GROUP BY code) AS r'), '(c1,100) (c2,100) (c3,0) (,100)', 'released');
SELECT t.run('gate_ann', 'PREPARE filled(text) AS SELECT string_agg(r::text, '' '') FROM (SELECT coalesce(code, $1), dp_count(1, 1000000) FROM stays GROUP BY 1) AS r') \g /dev/null
SET plan_cache_mode = force_generic_plan;
SELECT is(t.run('gate_ann', 'EXECUTE filled(''none'')'), '(c1,100) (c2,100) (c3,0) (none,100) (,0)', 'a parameter');
SELECT is(t.run('gate_ann', 'EXECUTE filled(NULL)'), '(c1,100) (c2,100) (c3,0) (,100)', 'that is null');
SELECT is(t.run('gate_ann', 'EXECUTE filled(''d1001'')'), '(c1,100) (c2,100) (c3,0) (d1001,150) (,0)', 'that some rows have');
SET plan_cache_mode = force_custom_plan;
SELECT is(t.run('gate_ann', 'EXECUTE filled(''none'')'), '(c1,100) (c2,100) (c3,0) (none,100) (,0)', 'a constant');
RESET plan_cache_mode;

-- Of the declared values a unit still has only so many.
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => 2) \g /dev/null
SELECT is(sum(s[2]::integer), 200::bigint, 'two groups of three') FROM dp_noise.true_states('SELECT code, dp_count(*) FROM stays GROUP BY code') AS s;

-- Of every number of groups, below that of the domain's values and above it, where nothing is chosen.
CREATE FUNCTION t.total(query text, m integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => m);
	RETURN (SELECT sum(s[array_length(s, 1)]::bigint) FROM dp_noise.true_states(query) AS s);
END
$$;
SELECT is(t.total('SELECT code, dp_count(*) FROM stays GROUP BY code', m), 100::bigint * least(m, 3), 'declared values: ' || m) FROM generate_series(1, 6) AS m;
SELECT is(t.total('SELECT street, dp_count(*) FROM stays GROUP BY street', m), 100::bigint * least(m, 3), 'without null: ' || m) FROM generate_series(1, 6) AS m;
SELECT is(t.total('SELECT code, street, dp_count(*) FROM stays GROUP BY code, street', m), 100::bigint * least(m, 3), 'two keys: ' || m) FROM unnest('{1,2,3,8,9,10,11,12,13}'::integer[]) AS m;
SELECT is(t.total('SELECT yes IS TRUE, dp_count(*) FROM stays GROUP BY 1', m), 350::bigint, 'truth values: ' || m) FROM generate_series(2, 4) AS m;
SELECT ok(t.total('SELECT yes IS TRUE, dp_count(*) FROM stays GROUP BY 1', 1) BETWEEN 100 AND 250, 'one of them');
SELECT is(t.total('SELECT CASE WHEN level < 10 THEN ''low'' ELSE ''high'' END, dp_count(*) FROM stays GROUP BY 1', m), 450::bigint, 'constants: ' || m) FROM generate_series(2, 4) AS m;
SELECT is(t.total('SELECT NULLIF(true, level IS NULL), dp_count(*) FROM stays GROUP BY 1', m), 350::bigint, 'a constant and null: ' || m) FROM generate_series(2, 3) AS m;
SELECT is(t.total('SELECT ''x''::text, dp_count(*) FROM stays GROUP BY 1', m), 250::bigint, 'one group: ' || m) FROM generate_series(1, 2) AS m;
SELECT t.total('SELECT yes, dp_count(*) FROM stays GROUP BY 1', 5) \g /dev/null
SET plan_cache_mode = force_generic_plan;
SELECT is(t.run('gate_ann', 'EXECUTE filled(''none'')'), '(c1,100) (c2,100) (c3,0) (none,100) (,0)', 'as many as there can be with a parameter');
SELECT is(t.run('gate_ann', 'EXECUTE filled(NULL)'), '(c1,100) (c2,100) (c3,0) (,100)', 'that is null');
SELECT t.run('gate_ann', 'PREPARE streets AS SELECT string_agg(r::text, '' '') FROM (SELECT street, dp_count(1, 1000000) FROM stays GROUP BY 1) AS r') \g /dev/null
SELECT is(t.run('gate_ann', 'EXECUTE streets'), '(s0,100) (s1,100) (s2,100)', 'a plan for values without null');
ALTER TABLE public.stays ALTER COLUMN street DROP NOT NULL;
UPDATE public.stays SET street = NULL WHERE street LIKE 'd%' AND person > 0;
SELECT is(t.run('gate_ann', 'EXECUTE streets'), '(s0,100) (s1,100) (s2,100) (,250)', 'when null becomes one of them');
RESET plan_cache_mode;
SELECT t.total('SELECT yes, dp_count(*) FROM stays GROUP BY 1', 2) \g /dev/null

-- Domains that are found when the query runs are left to it: a foreign key has no other values.
SELECT is(t.groups('SELECT town, dp_count(*) FROM stays GROUP BY town'), '1,250 2,250', 'a foreign key');

SELECT * FROM finish();
\ir support/gate_end.sql
