-- How many rows and groups a unit has, where unique keys tell it: one instead of
-- what the owner or the settings say. The third of what is not derived: 5 and 7,
-- or 20 and 9.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.c (u integer PRIMARY KEY, region int NOT NULL, x int);
CREATE TABLE public.o (id integer PRIMARY KEY, u integer NOT NULL, d int NOT NULL, x int, UNIQUE (u, d));
CREATE TABLE public.l (oid integer NOT NULL, n int NOT NULL, x int, PRIMARY KEY (oid, n));
CREATE TABLE public.w (u integer, d int UNIQUE, e int NOT NULL, UNIQUE (u, e));
CREATE TABLE public.p (id integer PRIMARY KEY, name text);
INSERT INTO c SELECT g, g%5, g%7 FROM generate_series(1,100) g;
INSERT INTO o SELECT g, g%100+1, g/100, g%3 FROM generate_series(1,500) g;
INSERT INTO l SELECT g%500+1, g/500, g%3 FROM generate_series(1,1500) g;
INSERT INTO w SELECT nullif(g % 50, 0), nullif(g, 3), g FROM generate_series(1, 200) AS g;
INSERT INTO p SELECT g, 'p'||g FROM generate_series(0,10) g;
GRANT SELECT ON p TO gate_ann;
SELECT dp_noise.protect('public.c', privacy_unit => 'u', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.o', privacy_unit => 'u -> c', max_rows_per_unit => 5, max_groups_per_unit => 7);
SELECT dp_noise.protect('public.l', privacy_unit => 'oid -> o', max_rows_per_unit => 20, max_groups_per_unit => 9);
SELECT dp_noise.protect('public.w', privacy_unit => 'u', max_rows_per_unit => 5, max_groups_per_unit => 7, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population(t::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', t::text, 1e12, delta => 1) FROM unnest('{c,o,l,w}'::regclass[]) t;
RESET ROLE;
SET dp_noise.delta = 1e-6;
SET dp_noise.epsilon = 1;
CREATE FUNCTION t.units(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	explained json;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || question INTO explained;
	RESET SESSION AUTHORIZATION;
	plan := explained;
	RETURN concat_ws(' ', jsonb_path_query_first(plan, 'strict $.**."Rows per Unit"'), jsonb_path_query_first(plan, 'strict $.**."Groups per Unit"'));
EXCEPTION WHEN OTHERS THEN
	RESET SESSION AUTHORIZATION;
	RETURN SQLERRM;
END
$$;

SELECT is(t.units(q), expected, q) FROM (VALUES
	('5', 'SELECT dp_count(*) FROM o'),
	('1 7', 'SELECT d, dp_count(*) FROM o GROUP BY d'),
	('5 7', 'SELECT x, dp_count(*) FROM o GROUP BY x'),
	('5 1', 'SELECT c.region, dp_count(*) FROM o JOIN c ON o.u = c.u GROUP BY c.region'),
	('5 1', 'SELECT c.region + 1, dp_count(*) FROM o JOIN c ON o.u = c.u GROUP BY c.region + 1'),
	('5 1', 'SELECT c.region, dp_count(*) FROM o JOIN c USING (u) JOIN p ON p.id = c.region GROUP BY c.region'),
	('5 1', 'SELECT p.name, dp_count(*) FROM o JOIN c USING (u) JOIN p ON p.id = c.region GROUP BY p.name'),
	('5 7', 'SELECT p.name, dp_count(*) FROM o JOIN c USING (u) JOIN p ON p.id < c.region GROUP BY p.name'),
	('1 7', 'SELECT p.name, o.d, dp_count(*) FROM o JOIN c USING (u) JOIN p ON p.id = c.region GROUP BY p.name, o.d'),
	('1', 'SELECT dp_count(*) FROM o JOIN p ON p.id = o.x WHERE d = 2'),
	('5', 'SELECT dp_count(*) FROM o, p WHERE d = 2'),
	('5', 'SELECT dp_count(*) FROM o JOIN p ON p.name = o.x::text WHERE d = 2'),
	('5', 'SELECT dp_count(*) FROM o WHERE d IN (1, 2)'),
	('1', 'SELECT dp_count(*) FROM o WHERE d = 1 + 1'),
	('5', 'SELECT dp_count(*) FROM w'),
	('5 7', 'SELECT d, dp_count(*) FROM w GROUP BY d'),
	('5 7', 'SELECT e, dp_count(*) FROM w GROUP BY e'),
	('1 1', 'SELECT n, dp_count(*) FROM (SELECT u, count(*) AS n FROM o GROUP BY u) AS q GROUP BY n'),
	('1', 'SELECT dp_mean(n, 0, 10) FROM (SELECT u, count(*) AS n FROM o GROUP BY u) AS q'),
	('1', 'SELECT dp_mean(n, 0, 10) FROM (SELECT u, d, count(*) AS n FROM o GROUP BY u, d) AS q WHERE d = 3'),
	('5', 'SELECT dp_mean(n, 0, 10) FROM (SELECT u, x, count(*) AS n FROM o GROUP BY u, x) AS q'),
	('5', 'SELECT dp_mean(n, 0, 10) FROM (SELECT u, count(*) AS n FROM o GROUP BY u, x) AS q WHERE n = 3'),
	('1 7', 'SELECT x, dp_mean(n, 0, 10) FROM (SELECT u, x, count(*) AS n FROM o GROUP BY u, x) AS q GROUP BY x'),
	('1', 'SELECT dp_count(*) FROM (SELECT DISTINCT u FROM o) AS q'),
	('1', 'SELECT dp_count(*) FROM (SELECT DISTINCT u, x FROM o) AS q WHERE x = 1'),
	('1', 'SELECT dp_count(*) FROM c LEFT JOIN (SELECT u, count(*) AS n FROM o GROUP BY u) AS q ON q.u = c.u'),
	('5', 'SELECT dp_count(*) FROM c LEFT JOIN o ON o.u = c.u'),
	('20', 'SELECT dp_count(*) FROM l'),
	('20 9', 'SELECT n, dp_count(*) FROM l GROUP BY n'),
	('1 9', 'SELECT o.d, l.n, dp_count(*) FROM l JOIN o ON o.id = l.oid GROUP BY o.d, l.n'),
	('1', 'SELECT dp_count(*) FROM l JOIN o ON o.id = l.oid WHERE o.d = 3 AND l.n = 1'),
	('1', 'SELECT dp_count(*) FROM o AS a JOIN o AS b ON a.u = b.u WHERE a.d = 1 AND b.d = 2'),
	('1', 'SELECT dp_count(*) FROM o AS a JOIN o AS b ON a.u = b.u AND b.d = a.d + 1 WHERE a.d = 1'),
	('5', 'SELECT dp_count(*) FROM o AS a JOIN o AS b ON a.u = b.u WHERE a.d = 1'),
	('1', 'SELECT dp_count(*) FROM (SELECT u, d AS e FROM o) AS q WHERE e = 2'),
	('1 7', 'SELECT e, dp_count(*) FROM (SELECT u, d AS e, x FROM o WHERE x > 0) AS q GROUP BY e'),
	('1 7', 'SELECT e, dp_count(*) FROM (SELECT o.u, o.d AS e, c.x FROM o JOIN c ON c.u = o.u JOIN p ON p.id = c.x) AS q GROUP BY e'),
	('5 7', 'SELECT e, dp_count(*) FROM (SELECT u, d + 1 AS e FROM o) AS q GROUP BY e'),
	('5 7', 'SELECT e, dp_count(*) FROM (SELECT u, d AS e FROM o UNION ALL SELECT u, d FROM o) AS q GROUP BY e'),
	('1 7', 'SELECT d, dp_count(*) FROM (SELECT u, d, rank() OVER (PARTITION BY u ORDER BY x) AS r FROM o) AS q GROUP BY d'),
	('5 7', 'SELECT r, dp_count(*) FROM (SELECT u, d, rank() OVER (PARTITION BY u ORDER BY x) AS r FROM o) AS q GROUP BY r')) AS v (expected, q);

------------------------------------------------------------------------------
-- What is left to cut off

SELECT is(t.explained('SELECT ' || q, 'Cut Off'), expected, q) FROM (VALUES
	('dp_count(*) FROM o WHERE d = 1', NULL), ('n, dp_count(*) FROM (SELECT u, count(*) AS n FROM o GROUP BY u) AS q GROUP BY n', NULL),
	('d, dp_count(*) FROM o GROUP BY d', 'groups of a unit beyond 7; expected errors do not include what is lost'), ('c.region, dp_count(*) FROM o JOIN c ON o.u = c.u GROUP BY c.region', 'rows of a unit beyond 5; expected errors do not include what is lost'),
	('x, dp_count(*) FROM o GROUP BY x', 'rows of a unit beyond 5 in a group, and its groups beyond 7; expected errors do not include what is lost')) AS v (q, expected);

------------------------------------------------------------------------------
-- Settings raise nothing that is derived, and plans keep what they were made with

SET dp_noise.max_rows_per_unit = 4;
SET dp_noise.max_groups_per_unit = 3;
SELECT is(t.units('SELECT ' || q), expected, q || ' under settings') FROM (VALUES
	('dp_count(*) FROM o WHERE d = 1', '1'), ('d, dp_count(*) FROM o GROUP BY d', '1 3'), ('c.region, dp_count(*) FROM o JOIN c ON o.u = c.u GROUP BY c.region', '4 1'), ('x, dp_count(*) FROM o GROUP BY x', '4 3')) AS v (q, expected);
SET dp_noise.epsilon = 1000;
SELECT is(t.run('gate_ann', 'SELECT string_agg(n || '':'' || c, '' '') FROM (SELECT n, dp_count(*) AS c FROM (SELECT u, count(*) AS n FROM o GROUP BY u) AS q GROUP BY n) AS a'), '5:100', 'is answered');
SELECT t.run('gate_ann', 'PREPARE derived AS SELECT dp_count(*) FROM public.o WHERE d = 1');
SELECT is(t.run('gate_ann', 'EXECUTE derived'), '100', 'a prepared statement');
RESET dp_noise.max_rows_per_unit;
SELECT is(t.run('gate_ann', 'EXECUTE derived'), '100', 'whatever the setting is');

------------------------------------------------------------------------------
-- What is derived is enforced: a constraint that does not hold cuts off

SET ROLE gate_owner;
CREATE TABLE public.b (u integer NOT NULL, d integer NOT NULL);
CREATE UNIQUE INDEX broken ON public.b (u, d);
-- it has one row of each, if rows are read by it
INSERT INTO public.b SELECT i, 1 FROM generate_series(0, 9) AS i;
RESET ROLE;
UPDATE pg_index SET indisready = false WHERE indexrelid = 'public.broken'::regclass;
INSERT INTO public.b SELECT i % 10, 1 FROM generate_series(1, 90) AS i;
UPDATE pg_index SET indisready = true WHERE indexrelid = 'public.broken'::regclass;
SET ROLE gate_owner;
SELECT dp_noise.protect('public.b', privacy_unit => 'u', max_rows_per_unit => 50, max_groups_per_unit => 2, epsilon => 1e13, delta => 1), dp_noise.set_budget('gate_ann', 'public.b', 1e6, delta => 1);
RESET ROLE;
SET dp_noise.epsilon = 1000;
SELECT is(t.units('SELECT d, dp_count(*) FROM b GROUP BY d'), '1 3', 'an index that is not true is believed');
SELECT is(t.run('gate_ann', 'SELECT n FROM (SELECT d, dp_count(*) AS n FROM b GROUP BY d) AS q'), '10', 'and enforced');
DROP TABLE public.b;

------------------------------------------------------------------------------
-- Of values that are equal and can be told apart, such as 1.0 and 1.00, only
-- themselves are known

SET ROLE gate_owner;
CREATE TABLE public.f (u integer, n numeric, x double precision, b bpchar, t text, d numeric(5, 2));
INSERT INTO public.f SELECT i % 99, round(1, i % 4), CASE i % 2 WHEN 0 THEN 0 ELSE '-0'::double precision END, rpad('a', 1 + i % 3), 'a', 1 FROM generate_series(0, 989) AS i;
SELECT dp_noise.protect('public.f', privacy_unit => 'u', max_rows_per_unit => 20, max_groups_per_unit => 5, epsilon => 1e13, delta => 1), dp_noise.alter_population('public.f', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.f', 1e12, delta => 1);
RESET ROLE;
RESET dp_noise.max_groups_per_unit;
SELECT is(t.units('SELECT dp_count(*) FROM (SELECT u FROM f WHERE ' || c || ' GROUP BY u, ' || k || ') AS q'), expected, k || ' where ' || c) FROM (VALUES
	('n = 1', 'n', '1'), ('n = 1', 'n::text', '20'), ('d = 1', 'd::text', '1'), ('x = 0', 'x', '1'), ('x = 0', 'x::text', '20'), ('b = ''a''', 'b', '1'), ('b = ''a''', 'octet_length(b)', '20'), ('t = ''a''', 't || ''x''', '1')) AS v (c, k, expected);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM (SELECT u FROM f WHERE n = 1 GROUP BY u, n::text) AS q'), '396', 'nothing is cut off');
SELECT is(t.units('SELECT ' || k || ', dp_count(*) FROM f JOIN (SELECT u, max(n) AS m, min(d) AS l FROM f GROUP BY u) AS q ON q.u = f.u AND m = n AND l = d GROUP BY 1'), expected, k) FROM (VALUES ('n', '20 1'), ('n::text', '20 5'), ('m::text', '20 1'), ('d::text', '20 1')) AS v (k, expected);
DROP TABLE public.f;

SELECT * FROM finish();
\ir support/gate_end.sql
