-- Which of several equal rows comes first, or which of several equal values
-- stands for them, is up to the order in which rows come, and so to other
-- people's rows. The same rows in two orders have one answer.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.one (u integer, x integer, k integer, n numeric, d numeric(6,2), f double precision, g real, c char(3), b bpchar, i interval, t text);
CREATE TABLE public.other (LIKE public.one);
INSERT INTO public.one SELECT p % 40, h % 3, h / 3 % 7, round(h / 21 % 3, h / 63 % 4), h % 5, CASE h / 2 % 5 WHEN 0 THEN '-0' WHEN 1 THEN 0 WHEN 2 THEN 1e17 WHEN 3 THEN -1e17 ELSE 1 END, CASE h / 7 % 3 WHEN 0 THEN '-0' WHEN 1 THEN 0 ELSE 1 END,
	'a' || h % 2, rpad('a', 1 + h / 5 % 3), CASE WHEN h % 2 = 0 THEN interval '1 day' ELSE interval '24 hours' END, 't' || h % 4
	FROM generate_series(1, 800) AS p, LATERAL (SELECT hashint4(p) & 1048575) AS hash (h);
INSERT INTO public.other SELECT * FROM public.one ORDER BY x, f DESC, k, n DESC, length(b::text || '.') DESC, ctid DESC;
SELECT dp_noise.protect(r, privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, epsilon => 1e13, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1) FROM unnest('{one,other}'::regclass[]) AS r;
RESET ROLE;

SET dp_noise.epsilon = 100000;
SET dp_noise.max_rows_per_unit = 10000;
SET dp_noise.max_groups_per_unit = 100;
SET dp_noise.delta = 1e-6;
CREATE FUNCTION t.one_answer(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	one text := t.run('gate_ann', replace(question, 'FROM r', 'FROM one'));
BEGIN
	IF one ~ '^[0-9A-Z]{5}' THEN
		RETURN fail(question || ' is answered: ' || one);
	END IF;
	RETURN is(one, t.run('gate_ann', replace(question, 'FROM r', 'FROM other')), question);
END
$$;

CREATE FUNCTION t.refuses(question text, message text) RETURNS text LANGUAGE sql AS $$
	SELECT matches(t.run('gate_ann', question), '^0A000.*' || message, question);
$$;

------------------------------------------------------------------------------
-- Windows: the first of rows that ORDER BY does not tell apart

SELECT t.one_answer('SELECT dp_count(*) FROM (SELECT u, k, f, n, ' || w || ' AS w FROM r) AS q WHERE w = ' || c) FROM (VALUES
	('row_number() OVER (PARTITION BY u ORDER BY x)', '1 AND k < 3'), ('row_number() OVER (PARTITION BY u)', '1 AND k < 3'), ('lag(k) OVER (PARTITION BY u ORDER BY x)', 'k - 1'), ('lead(x, 2, 0) OVER (PARTITION BY u ORDER BY x)', 'k'),
	('lag(x) OVER (PARTITION BY u, x ORDER BY x)', '1 AND k < 3'), ('first_value(k) OVER (PARTITION BY u ORDER BY x)', 'k + 1'), ('last_value(k) OVER (PARTITION BY u ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)', 'k + 1'),
	('sum(k) OVER (PARTITION BY u ORDER BY x ROWS UNBOUNDED PRECEDING)', 'k + 3'), ('count(*) OVER (PARTITION BY u ORDER BY x ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)', 'k + 1'),
	('row_number() OVER (PARTITION BY u ORDER BY k)', '1 AND n::text LIKE ''%.%0'''), ('row_number() OVER (PARTITION BY u ORDER BY k)', '2 AND f::text = ''-0'''),
	('row_number() OVER (PARTITION BY u, k ORDER BY f)', '1 AND f::text = ''-0'''), ('row_number() OVER (PARTITION BY u, k ORDER BY n)', '1 AND n::text LIKE ''%.%0'''),
	('rank() OVER (PARTITION BY u ORDER BY x)', 'k'), ('sum(k) OVER (PARTITION BY u ORDER BY x)', 'k + 10'), ('max(n) OVER (PARTITION BY u)', '2 AND length(n::text) > 3')) AS v (w, c);
-- one order for several functions, and one that keeps its own
SELECT t.one_answer('SELECT dp_sum(a - b + c, -20, 20) FROM (SELECT u, k, row_number() OVER w AS a, lag(k, 1, 0) OVER w AS b, count(*) OVER w AS c FROM r WINDOW w AS (PARTITION BY u ORDER BY x)) AS q WHERE k < 4');
SELECT is(t.run('gate_ann', 'SELECT dp_sum(c, 0, 30) FROM (SELECT u, k, row_number() OVER w AS a, count(*) OVER w AS c FROM one WINDOW w AS (PARTITION BY u ORDER BY x)) AS q'),
	(SELECT sum(c)::text FROM (SELECT u, row_number() OVER w AS a, count(*) OVER w AS c FROM one WINDOW w AS (PARTITION BY u ORDER BY x)) AS q), 'equal rows stay equal to a count beside row_number');
-- over groups
SELECT t.one_answer('SELECT dp_count(*) FROM (SELECT u, k, row_number() OVER (PARTITION BY u ORDER BY count(*)) AS a FROM r GROUP BY u, k) AS q WHERE a = 1 AND k < 3');
SELECT t.refuses('SELECT dp_count(*) FROM (SELECT u, k, ' || w || ' AS w FROM one) AS q', message) FROM (VALUES
	('last_value(k) OVER (PARTITION BY u ORDER BY x)', 'frame that ends between equal rows'), ('first_value(k) OVER (PARTITION BY u ORDER BY x RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)', 'frame that ends between equal rows'),
	('sum(k) OVER (PARTITION BY u ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES)', 'EXCLUDE'), ('row_number() OVER (PARTITION BY u ORDER BY x) + lag(k) OVER (PARTITION BY u ORDER BY k)', 'several orders'),
	('sum(f) OVER (PARTITION BY u)', 'floating-point sum'), ('avg(g) OVER (PARTITION BY u)', 'floating-point sum'), ('row_number() OVER (PARTITION BY u ORDER BY x), i', 'type interval beside a window function')) AS v (w, message);

------------------------------------------------------------------------------
-- Sums of floating-point numbers, which are not associative

SELECT t.one_answer('SELECT dp_sum(s, 0, 100) FROM (SELECT u, ' || s || ' AS s FROM r GROUP BY u) AS q') FROM unnest(ARRAY['sum(f)', 'avg(f)', 'sum(f * 3)', 'sum(g * 0.1::real * 1e7::real)', 'sum(f) FILTER (WHERE k < 5)', 'sum(DISTINCT f + k)']) AS s;
SELECT t.one_answer('SELECT dp_count(*) FROM (SELECT u FROM r GROUP BY u HAVING sum(f) > 0) AS q');

------------------------------------------------------------------------------
-- One of several equal values: groups, distinct rows, least and greatest ones

SELECT t.one_answer('SELECT dp_sum(length(v::text), 0, 10) FROM (SELECT u, ' || q || ') AS q') FROM unnest(ARRAY[
	'n AS v FROM r GROUP BY u, n', 'max(n) AS v FROM r GROUP BY u', 'min(f) AS v FROM r GROUP BY u', 'max(g) AS v FROM r GROUP BY u', 'f AS v FROM r GROUP BY u, f', 'f::text AS v FROM r GROUP BY u, f', 'n::text AS v FROM r GROUP BY n, u HAVING n::text <> ''1''',
	'b::text || ''.'' AS v FROM r GROUP BY u, b', 'repeat(''x'', octet_length(b)) AS v FROM r GROUP BY u, b', 'CASE WHEN b LIKE ''a  %'' THEN ''x'' END AS v FROM r GROUP BY b, u', 'repeat(''x'', octet_length(b)) AS v FROM (SELECT u, b FROM r UNION ALL SELECT u, b FROM (SELECT * FROM r) AS z) AS q GROUP BY u, b HAVING octet_length(b) > 0', '(SELECT max(length(x.t || z.n::text)) FROM (VALUES (''a''), (''b'')) AS x (t)) AS v FROM r AS z GROUP BY u, n', 'sum(DISTINCT n) AS v FROM r GROUP BY u', 'n + 1 AS v FROM r GROUP BY u, n + 1']) AS q;
SELECT t.one_answer('SELECT dp_sum(length(v::text), 0, 10) FROM (SELECT DISTINCT u, ' || v || ' AS v FROM r) AS q') FROM unnest(ARRAY['n', 'f', 'g', 'n::text', 'b', 'c', 'd', 'n - 1']) AS v;
-- those of a declared scale or length stay as they are written
SELECT is(t.run('gate_ann', 'SELECT dp_sum(octet_length(c), 0, 10) FROM (' || q || ') AS q'), (SELECT (3 * count(*))::text FROM (SELECT DISTINCT u, c FROM one) AS q), 'a declared length: ' || q) FROM unnest('{"SELECT u, c FROM one GROUP BY u, c","SELECT DISTINCT u, c FROM one"}'::text[]) AS q;
SELECT is(t.run('gate_ann', 'SELECT dp_sum(length(d::text), 0, 10) FROM (SELECT DISTINCT u, d FROM one) AS q'), (SELECT sum(length(d::text))::text FROM (SELECT DISTINCT u, d FROM one) AS q), 'a declared scale');
-- columns that keys determine, in the server's view: a primary key says nothing about inheriting tables
CREATE TABLE public.parent (a integer PRIMARY KEY, v integer, j json);
CREATE TABLE public.child () INHERITS (public.parent);
INSERT INTO public.parent SELECT a, 0 FROM generate_series(0, 2) AS a;
INSERT INTO public.child SELECT a, 1 FROM generate_series(0, 2) AS a;
GRANT SELECT ON public.parent TO gate_ann;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM (SELECT u, a' || more || ' FROM one JOIN parent ON a = x GROUP BY u, a' || chosen || ') AS q'), (SELECT (n * count(*))::text FROM (SELECT DISTINCT u, x FROM one) AS q), 'each value: ' || more || chosen)
	FROM (VALUES ('', '', 1), (', v', '', 2), (', v + sum(k) AS s', ' HAVING v < 5', 2), (', v IN (SELECT w FROM (VALUES (1)) AS y (w)) AS m', '', 2), (', EXISTS (SELECT FROM (VALUES (1)) AS y (w) WHERE w = v) AS m', '', 2)) AS v (more, chosen, n);
SELECT t.refuses('SELECT dp_count(*) FROM (SELECT u, a, j::text AS j FROM one JOIN parent ON a = x GROUP BY u, a) AS q WHERE j IS NULL', 'type json in a sub-query');
SELECT t.refuses('SELECT dp_count(*) FROM (' || q || ') AS q', 'type interval in a sub-query') FROM unnest(ARRAY['SELECT u, i FROM one GROUP BY u, i', 'SELECT DISTINCT u, i FROM one']) AS q;

------------------------------------------------------------------------------
-- Groups that are released

SELECT t.one_answer('SELECT string_agg(k::text || '' '' || c, '','') FROM (SELECT ' || k || ' AS k, dp_count(*) AS c FROM r GROUP BY 1) AS q') FROM unnest('{n,f,g,b,c,i,d,-n,i * 45,i / 7,-i}'::text[]) AS k;
-- the same interval in many ways
SET ROLE gate_owner;
CREATE TABLE public.spans (id integer PRIMARY KEY, i interval);
INSERT INTO public.spans SELECT p, CASE p % 5 WHEN 0 THEN '2 mons -1 days' WHEN 1 THEN '59 days' WHEN 2 THEN '1416 hours' WHEN 3 THEN '3 mons -31 days' ELSE '-1 mon 88 days 24:00' END::interval FROM generate_series(1, 100) AS p;
INSERT INTO public.spans SELECT 100 + p, CASE p % 3 WHEN 0 THEN '-1 day 01:00' WHEN 1 THEN '-23:00' ELSE '1 mon -31 days 01:00' END::interval FROM generate_series(1, 100) AS p;
INSERT INTO public.spans SELECT 200 + p, CASE p % 3 WHEN 0 THEN '2147483647 mons 2147483647 days' WHEN 1 THEN '2147483647 mons 2147483646 days 24:00' ELSE '2147483646 mons 2147483647 days 720:00' END::interval FROM generate_series(1, 100) AS p;
SELECT dp_noise.protect('public.spans', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.spans', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.spans', 1e12, delta => 1);
RESET ROLE;
SELECT is(t.run('gate_ann', format('SELECT string_agg(i::text || '' '' || c, '','') FROM (SELECT i, dp_count(*) AS c FROM spans WHERE id > %s GROUP BY i) AS q', least)),
	(SELECT string_agg(i || ' ' || c, ',') FROM (VALUES ('-23:00:00', 100), ('59 days', 100 - least), ('178956970 years 7 mons 2147483647 days', 100)) AS v (i, c)), 'an interval has one form, whatever row comes first, from row ' || least)
FROM generate_series(0, 4) AS least;

-- A column without an order leaves equal rows in any order, also where distinct
-- values are taken, and where a query puts out all that there is.
SET ROLE gate_owner;
CREATE TABLE public.placed (u integer, k integer, p point);
SELECT dp_noise.protect('public.placed', privacy_unit => 'u', max_rows_per_unit => 3, epsilon => 1e13, delta => 1), dp_noise.alter_population('public.placed', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.placed', 1e12, delta => 1);
RESET ROLE;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM (' || q || ') AS q') FROM unnest(ARRAY[
	'SELECT p IS NULL, row_number() OVER (PARTITION BY u ORDER BY k) FROM placed', 'SELECT DISTINCT u, p IS NULL, row_number() OVER (PARTITION BY u ORDER BY k) FROM placed',
	'SELECT DISTINCT u, lag(p) OVER (PARTITION BY u ORDER BY k) IS NULL FROM placed', 'SELECT u, k, p, row_number() OVER (PARTITION BY u ORDER BY k) AS r FROM placed']) AS q;
SELECT t.accept('SELECT dp_count(*) FROM (' || q || ') AS q') FROM unnest(ARRAY[
	'SELECT DISTINCT u, k, row_number() OVER (PARTITION BY u ORDER BY k) FROM placed WHERE p IS NULL', 'SELECT DISTINCT u, p IS NULL, rank() OVER (PARTITION BY u ORDER BY k) FROM placed']) AS q;

SELECT * FROM finish();
\ir support/gate_end.sql
