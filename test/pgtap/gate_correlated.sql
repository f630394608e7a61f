-- Scalar sub-queries about people for each row of what is public: one question,
-- grouped by what is compared with that row.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.stores (id integer PRIMARY KEY, city text COLLATE "C" NOT NULL, size numeric NOT NULL);
INSERT INTO public.stores SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3], i FROM generate_series(1, 8) AS i;
CREATE TABLE public.days (day date PRIMARY KEY);
INSERT INTO public.days SELECT date '2024-01-01' + i FROM generate_series(0, 3) AS i;
CREATE TABLE public.visits (person integer, store integer NOT NULL REFERENCES public.stores, day date NOT NULL REFERENCES public.days,
	size numeric NOT NULL, amount integer, town text COLLATE "C");
INSERT INTO public.visits SELECT i % 500, 1 + i % 6, date '2024-01-01' + i % 4, 1 + i % 3, i % 50, 't' || i % 2 FROM generate_series(1, 6000) AS i;
GRANT SELECT ON public.stores, public.days TO gate_ann;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 12, max_groups_per_unit => 12, epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.visits', 'amount', 0, 50), dp_noise.set_values('public.visits', 'size', '{1,2,3}'), dp_noise.set_values('public.visits', 'town', '{t0,t1}');
SELECT dp_noise.alter_population('public.visits', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
CREATE TABLE gate_owner.places AS SELECT * FROM public.stores;
RESET ROLE;
SELECT t.run('gate_ann', 'CREATE TABLE own (id integer, n bigint); INSERT INTO own SELECT i, 0 FROM generate_series(1, 3) AS i');

-- At a large epsilon the answer is that of the plain query.
CREATE FUNCTION t.same(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	EXECUTE format('SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (%s) AS a', asked) INTO plain;
	RETURN is(t.run('gate_ann', format('SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (%s) AS a', asked)), plain, asked);
END
$$;
SET dp_noise.epsilon = 1000;
SET dp_noise.empty_groups = show;
SET search_path = public, t;
SELECT t.same(q) FROM unnest(ARRAY[
	'SELECT id, (SELECT count(*) FROM visits AS v WHERE v.store = s.id) FROM stores AS s',
	'SELECT id, (SELECT count(*) FROM visits AS v WHERE s.id = v.store AND amount > 20) AS n FROM stores AS s WHERE city <> ''b''',
	'SELECT id FROM stores AS s WHERE (SELECT sum(amount) FROM visits AS v WHERE v.store = s.id) > 24000',
	'SELECT city, sum((SELECT count(*) FROM visits AS v WHERE v.store = s.id)) FROM stores AS s GROUP BY city',
	'SELECT d.day, s.id, (SELECT count(*) FROM visits AS v WHERE v.store = s.id AND v.day = d.day) AS n FROM days AS d, stores AS s WHERE s.id < 4',
	'SELECT s.id, (SELECT count(*) FROM visits AS v WHERE v.size = s.size) AS n FROM stores AS s WHERE s.id <= 3',
	'SELECT s.id, (SELECT count(*) + 1 FROM visits AS v WHERE v.store = s.id + 1) AS n FROM stores AS s WHERE id < 7',
	'SELECT x, (SELECT count(*) FROM visits AS v WHERE v.town = x) AS n FROM (VALUES (''t0''), (''t1'')) AS u (x)',
	'SELECT x, (SELECT count(*) FROM visits AS v WHERE v.store = x) AS n FROM unnest(ARRAY[1, 2]::bigint[]) AS x',
	'SELECT x, (SELECT count(*) FROM visits AS v WHERE v.store = x AND v.store < 4) AS n FROM generate_series(1, 3) AS x',
	'SELECT s.id, (SELECT count(*) FROM visits AS v JOIN stores AS o ON o.id = v.store WHERE o.city = s.city) AS n FROM stores AS s',
	'SELECT q.store, q.n - (SELECT count(*) FROM visits AS v WHERE v.store = q.store AND amount < 10) AS n FROM (SELECT store, count(*) AS n FROM visits GROUP BY store) AS q WHERE store < 7',
	'SELECT id, n, m FROM stores AS s, LATERAL (SELECT count(*) AS n, sum(amount) AS m FROM visits AS v WHERE v.store = s.id AND amount > 5) AS l WHERE id < 7',
	'SELECT id, n FROM stores AS s LEFT JOIN LATERAL (SELECT count(*) AS n FROM visits AS v WHERE v.store = s.id) AS l ON true WHERE n > 0']) AS q;
-- Where there is no such group, the answer is that of no rows: 0 for counts, null for others, and what SQL computes from these.
SELECT t.same(format('SELECT x, (SELECT %s FROM visits AS v WHERE v.store = x) AS n FROM unnest(ARRAY[1, 99, NULL, 2]) AS x', value)) FROM unnest(ARRAY[
	'count(*)', 'count(amount)', 'count(DISTINCT town)', 'count(DISTINCT person)', 'sum(amount)', 'count(*) + 1', '-count(*)', 'count(*)::text || '' visits''', 'coalesce(sum(amount), -1)', 'coalesce(round(avg(amount)), count(*))',
	'CASE WHEN count(*) = 0 THEN ''none'' WHEN count(*) > 5 THEN ''many'' END', 'nullif(count(*), 0)', 'nullif(count(*), 1000)', 'count(*) FILTER (WHERE amount > 20) - count(*)', 'count(*) / 10', 'round(sum(amount) / count(*))',
	'coalesce(round(sum(amount) * 1.0 / count(*)), 7)', 'greatest(count(*), sum(amount))', 'sum(amount) IS NULL', 'row(count(*), sum(amount))', 'ARRAY[count(*), sum(amount)]', 'round(2.4) + count(*) * 0']) AS value;
SELECT is(t.run('gate_ann', 'SELECT string_agg(coalesce(n::text, ''-''), '' '' ORDER BY x) FROM (SELECT x, (SELECT ' || value || ' FROM visits AS v WHERE v.store = x) AS n FROM unnest(ARRAY[1, 99, 100]) AS x) AS s'), wanted, value) FROM (VALUES
	('dp_count(*) * 0', '0 0 0'), ('dp_count_distinct(person) * 0', '0 0 0'), ('dp_sum(amount) * 0', '0 - -'), ('dp_low(count(*)) * 0', '0 - -'), ('100 * 0 / count(*)', '0 - -'), ('(SELECT 5) + count(*) * 0', '5 - -'),
	('count(*) FILTER (WHERE amount > (SELECT 10)) * 0', '0 0 0'), ('count(*) FILTER (WHERE amount > 50)', '0 0 0')) AS v (value, wanted);
SELECT is(t.run('gate_ann', 'SELECT (SELECT 100 % count(*) FROM visits AS v WHERE v.store = x) FROM generate_series(99, 99) AS x'), '22012: division by zero', 'an error of SQL is one here');
SELECT matches(t.run('gate_ann', 'SELECT (SELECT 100 % count(*) FROM visits AS v WHERE v.store = x) FROM generate_series(1, 1) AS x'), '^\d+$', 'where there is such a group, none');
SELECT is(t.run('gate_ann', 'SELECT count(*) || '' '' || sum(n * 0) || '' '' || count(m) || '' '' || sum(k) FROM unnest(ARRAY[1, 99, NULL]) AS x, LATERAL (SELECT count(*) AS n, sum(amount) AS m, 7 AS k FROM visits AS v WHERE v.store = x) AS l'), '3 0 1 21', 'and a row, where it is LATERAL');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM stores AS s WHERE (SELECT count(*) FROM visits AS v WHERE v.store = s.id + 10) = 0'), '8', 'in WHERE');

-- It is the question that it would be if it were written so, asked once.
SET dp_noise.epsilon = 100;
SELECT t.accept('SELECT id, (SELECT count(*) FROM visits AS v WHERE v.store = s.id AND amount > 7) FROM stores AS s');
SELECT t.accept('SELECT store, count(*) FROM visits WHERE amount > 7 GROUP BY store', 0);
SELECT t.accept('SELECT (SELECT count(*) FROM visits AS v WHERE v.store = x AND amount > 7) FROM generate_series(1, 100) AS x', 0);
SELECT t.accept('SELECT id, n, m FROM stores AS s, LATERAL (SELECT count(*) AS n, sum(amount) AS m FROM visits AS v WHERE v.store = s.id AND amount > 7) AS l', 1);
SELECT is(t.explained('SELECT id, (SELECT count(*) FROM visits AS v WHERE v.store = s.id) FROM stores AS s', 'Public Group Key%'), 'store (foreign key to stores, 8 values)', 'EXPLAIN');
SELECT t.accept('PREPARE by_store (integer) AS SELECT id, (SELECT dp_count(*) FROM visits AS v WHERE v.store = s.id AND amount > $1) FROM stores AS s', 0);
SELECT t.accept('EXECUTE by_store (8)');
SELECT t.accept('INSERT INTO own SELECT id, (SELECT count(*) FROM visits AS v WHERE v.store = s.id AND amount > 9) FROM stores AS s');

-- what is compared names only rows beneath: any other would be read a query deeper
CREATE TABLE public.pay (id integer, pay integer);
INSERT INTO public.pay VALUES (1, 5), (2, 3), (3, 4);
GRANT SELECT (id) ON public.pay TO gate_ann;
SELECT t.run('gate_ann', 'CREATE TABLE two (a integer, b integer); INSERT INTO two VALUES (1, 1)');
SELECT isnt(t.run('gate_ann', q), '1 earns 5, 2 earns 3, 3 earns 4', q) FROM unnest(ARRAY[
	'SELECT (SELECT string_agg(s.id || '' earns '' || g.g, '', '') FROM pay AS s, generate_series(2, 9) AS g (g) WHERE (SELECT max(q.n) FROM (SELECT store, count(*) AS n FROM visits GROUP BY store) AS q WHERE q.store * 0 + o.b = g.g) > 0) FROM two AS o',
	'SELECT (SELECT string_agg(s.id || '' earns '' || g.g, '', '') FROM pay AS s, generate_series(2, 9) AS g (g), LATERAL (SELECT max(q.n) AS m FROM (SELECT store, count(*) AS n FROM visits GROUP BY store) AS q WHERE q.store * 0 + o.b = g.g) AS l WHERE m > 0) FROM two AS o']) AS q;
SELECT matches(t.run('gate_ann', q), '^(0A000|42501)', q) FROM unnest(ARRAY[
	'SELECT (SELECT max((SELECT count(*) FROM visits AS v WHERE v.store + o.relpages = s.id)) FROM stores AS s) FROM pg_class AS o LIMIT 1',
	'SELECT (SELECT string_agg(s.id || '' earns '' || g.g, '', '') FROM pay AS s, generate_series(2, 9) AS g (g) WHERE (SELECT count(*) FROM visits AS v WHERE v.store * 0 + o.b = g.g) > 0) FROM two AS o',
	'SELECT (SELECT max(n) FROM stores AS s, LATERAL (SELECT count(*) AS n FROM visits AS v WHERE v.store + o.relpages = s.id) AS l) FROM pg_class AS o LIMIT 1']) AS q;
-- over answers, sub-queries are the server's
SELECT is(t.run('gate_ann', q), answer, q) FROM (VALUES
	('SELECT (SELECT coalesce(sum(n), -1) FROM (SELECT store, count(*) AS n FROM visits GROUP BY store) AS q WHERE q.store = s.id AND q.n > 9999) FROM stores AS s LIMIT 1', '-1'),
	('SELECT s.id FROM stores AS s WHERE (SELECT count(*) FROM (SELECT store, count(*) AS n FROM visits GROUP BY store) AS q WHERE q.store = s.id AND n > 10) = 0 ORDER BY 1 LIMIT 1', '7'),
	('SELECT n FROM stores AS s, LATERAL (SELECT count(*) AS n FROM (SELECT store, count(*) AS n FROM visits GROUP BY store) AS q WHERE q.store = s.id AND n > 10) AS l ORDER BY s.id DESC LIMIT 1', '0')) AS v (q, answer);

-- What stays as it was
SELECT t.refuse('0A000', q) FROM unnest(ARRAY[
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.store < s.id) FROM stores AS s',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.store = s.id OR amount > 3) FROM stores AS s',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.store = s.id AND amount > s.size) FROM stores AS s',
	'SELECT (SELECT count(*) FILTER (WHERE v.amount > s.id) FROM visits AS v WHERE v.store = s.id) FROM stores AS s',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.store = s.id HAVING count(*) > 1) FROM stores AS s',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.store + s.id = s.id) FROM stores AS s',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.town = x COLLATE "POSIX") FROM unnest(ARRAY[''t0'', ''t1'']) AS x',
	'SELECT s.id FROM stores AS s WHERE s.id IN (SELECT count(*) FROM visits AS v WHERE v.store = s.id)',
	'SELECT s.id FROM stores AS s WHERE EXISTS (SELECT count(*) FROM visits AS v WHERE v.store = s.id)',
	'UPDATE own SET n = (SELECT count(*) FROM visits AS v WHERE v.store = own.id)',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.person = x) FROM generate_series(1, 3) AS x',
	'SELECT (SELECT count(*) FROM visits AS v WHERE v.person % 7 = x) FROM generate_series(1, 3) AS x']) AS q;
-- nor are rows of people shown around it, or by what is compared
SELECT matches(t.run('gate_ann', 'SELECT a.person, (SELECT count(*) FROM visits AS v WHERE v.store = a.store) FROM visits AS a'), '^0A000.*cannot refer to an outer query', 'rows around');
SELECT matches(t.run('gate_ann', 'SELECT (SELECT count(*) FROM visits AS v WHERE v.store = p.id) FROM gate_owner.places AS p'), '^42501', 'what one may not read');
SELECT matches(t.run('gate_ann', 'SELECT count(*) FROM visits AS a WHERE amount > (SELECT avg(amount) FROM visits AS v WHERE v.store = a.store)'), '^0A000', 'a private average for each person');
SELECT * FROM finish();
\ir support/gate_end.sql
