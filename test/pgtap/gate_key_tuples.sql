-- Keys that determine each other: only groups that can occur are released, and
-- which these are depends on what is public alone.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;
SET ROLE gate_owner;
CREATE TABLE public.visits (id serial PRIMARY KEY, person integer, day date, stamp timestamp, at timestamptz, store integer, k integer, n integer, mark text, size numeric, wide bigint);
INSERT INTO public.visits (person, day, stamp, at, store, k, n, mark, size, wide)
SELECT i % 50, date '2024-01-01' + i % 31, timestamp '2024-01-01' + i * interval '1 hour', timestamptz '2024-01-01 00:00Z' + i * interval '1 hour', 1 + i % 8, 1 + i % 5, i % 4, chr(97 + i % 3), 1 + i % 8, 1 + i % 8
FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', epsilon => 1e13, delta => 1, max_rows_per_unit => 50, max_groups_per_unit => 30);
SELECT dp_noise.set_budget('gate_ann', 'public.visits', 1e10, delta => 1), dp_noise.set_values('public.visits', 'mark', '{a,b,c}');
CREATE TABLE public.stores (id integer PRIMARY KEY, name text, city text, opened date, size numeric);
INSERT INTO public.stores SELECT i, 'store' || i, CASE WHEN i < 8 THEN 'city' || i % 5 END, date '2020-01-01' + 40 * i, i FROM generate_series(1, 8) AS i;
CREATE TABLE public.pub (k integer PRIMARY KEY, n numeric, m integer);
INSERT INTO public.pub SELECT i, i, i % 2 FROM generate_series(1, 5) AS i;
CREATE TABLE public.cities (name text PRIMARY KEY, land text);
INSERT INTO public.cities SELECT 'city' || i, 'land' || i % 2 FROM generate_series(0, 9) AS i;
CREATE TABLE public.lands (name varchar(10) PRIMARY KEY, size integer);
INSERT INTO public.lands VALUES ('land0', 1), ('land1', 2), ('land2', 3);
CREATE TABLE public.secret (id integer PRIMARY KEY, word text);
INSERT INTO public.secret SELECT i, 'word' || i FROM generate_series(1, 8) AS i;
CREATE VIEW public.open_part AS SELECT id, left(word, 4) AS start FROM public.secret;
GRANT SELECT ON public.stores, public.pub, public.cities, public.lands, public.open_part TO PUBLIC;
RESET ROLE;
SET dp_noise.epsilon = 10000;
SET "TimeZone" = 'UTC';

-- The groups that EXPLAIN tells of, and how many there are.
CREATE FUNCTION t.keys(command text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT concat_ws(': ', t.explained(command, 'Released Rows%'), t.explained(command, 'Public Group Key'))$$;
-- The analyst's rows; those of the owner, who is told the truth.
CREATE FUNCTION t.rows(who text, query text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.run(who, format('SELECT string_agg(s::text, '' '' ORDER BY s::text COLLATE "C") FROM (%s) AS s', query))$$;

-- What is computed from one column.
SELECT is(t.keys(format('SELECT %s, count(*) FROM visits WHERE %s GROUP BY %s', keys, condition, keys)), expected, keys)
FROM (VALUES
	('day, date_trunc(''week'', day)', 'day BETWEEN ''2024-01-01'' AND ''2024-01-31''', '31: day, date_trunc(''week''::text, (day)::timestamp with time zone) (bounds of the conditions, 31 tuples)'),
	('extract(year from day), extract(month from day)', 'day BETWEEN ''2022-12-15'' AND ''2024-01-31''', '14: EXTRACT(year FROM day), EXTRACT(month FROM day) (bounds of the conditions, 14 tuples)'),
	('date_trunc(''month'', stamp), date_trunc(''week'', stamp)', 'stamp >= ''2024-01-01'' AND stamp < ''2024-03-01''', '10: date_trunc(''month''::text, stamp), date_trunc(''week''::text, stamp) (bounds of the conditions, 10 tuples)'),
	('stamp::date, extract(hour from stamp)', 'stamp >= ''2024-01-01'' AND stamp < ''2024-01-03 12:00''', '60: (stamp)::date, EXTRACT(hour FROM stamp) (bounds of the conditions, 60 tuples)'),
	('date_trunc(''month'', at), date_trunc(''week'', at)', 'at >= ''2024-01-01'' AND at < ''2024-03-01''', '10: date_trunc(''month''::text, at), date_trunc(''week''::text, at) (bounds of the conditions, 10 tuples)'),
	('n, n % 2', 'n IN (0, 1, 2)', '3: n, (n % 2) (values of the conditions, 3 tuples)'),
	('mark, upper(mark), mark = ''a''', 'true', '4: mark, upper(mark), (mark = ''a''::text) (declared values, 4 tuples)'),
	('mark, n', 'n BETWEEN 1 AND 3', '12: mark (declared values, 4 values), n (bounds of the conditions, 3 values)')) AS c (keys, condition, expected);
-- from declared bounds, beyond which rows are left out, and null
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.visits', 'n', 0, 9);
RESET ROLE;
SELECT is(t.keys('SELECT n / 5, n % 5, count(*) FROM visits GROUP BY 1, 2'), '11: (n / 5), (n % 5) (declared bounds, 11 tuples)', 'declared bounds, and null');
SELECT is(t.keys('SELECT n / 5, CASE WHEN n < 3 THEN ''few'' ELSE ''many'' END, count(*) FROM visits GROUP BY 1, 2'),
	'4: (n / 5), CASE WHEN (n < 3) THEN ''few''::text ELSE ''many''::text END (declared bounds, 4 tuples)', 'what CASE makes of it, also of null');

SELECT is(t.keys(format('SELECT %s, dp_count(*) FROM visits WHERE %s GROUP BY %s', keys, condition, keys)), expected, 'no null: ' || condition) FROM (VALUES
	('mark', 'mark IS NOT NULL', '3: mark (declared values, 3 values)'),
	('n / 5, n % 5', 'n IS NOT NULL', '10: (n / 5), (n % 5) (declared bounds, 10 tuples)'),
	('mark, upper(mark)', 'mark IS NOT NULL AND n > 0', '3: mark, upper(mark) (declared values, 3 tuples)'),
	('mark', 'mark IS NOT NULL OR n > 0', '4: mark (declared values, 4 values)')) AS c (keys, condition, expected);

-- What one public table decides: what occurs there, after the conditions on it.
SELECT is(t.keys(format('SELECT %s, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id WHERE %s GROUP BY %s', keys, condition, keys)), expected, keys || condition)
FROM (VALUES
	('s.name, s.city', 'true', '8: s.name, s.city (columns of s, 8 tuples)'),
	('s.name, s.city', 's.size BETWEEN 2 AND 3', '2: s.name, s.city (columns of s, 2 tuples)'),
	('s.city', 's.size > 6.5', '2: s.city (column of s, 2 values)'),
	('s.city', 's.city IS NOT NULL', '5: s.city (column of s, 5 values)'),
	('s.name', 'true', '8: s.name (column of s, 8 values)'),
	('v.store', 'true', '8: store (column of s, 8 values)'),
	('v.store', 'v.store > 5', '3: store (column of s, 3 values)'),
	('v.store, s.id, s.name', 's.city = ''city1''', '2: store, s.id, s.name (columns of s, 2 tuples)'),
	('upper(s.city)', 'true', '6: upper(s.city) (computed from s, 6 values)'),
	('date_trunc(''year'', s.opened)', 'true', '1: date_trunc(''year''::text, (s.opened)::timestamp with time zone) (computed from s, 1 values)'),
	('s.id / 3, s.city IS NULL', 'true', '4: (s.id / 3), (s.city IS NULL) (columns of s, 4 tuples)'),
	('v.store / 3', 'true', '3: (store / 3) (computed from s, 3 values)'),
	('v.n, s.name, s.city', 'v.n IN (1, 2)', '16: n (values of the conditions, 2 values), s.name, s.city (columns of s, 8 tuples)')) AS c (keys, condition, expected);
SELECT is(t.rows('gate_ann', query), t.rows('gate_owner', query), query) FROM unnest(ARRAY[
	'SELECT s.name, s.city, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY 1, 2',
	'SELECT k, count(*) FROM visits JOIN pub USING (k) GROUP BY k',
	'SELECT pub.n, count(*) FROM visits JOIN pub USING (k) WHERE pub.n BETWEEN 2 AND 3 GROUP BY 1',
	'SELECT k, pub.n, m, count(*) FROM visits JOIN pub USING (k) WHERE k BETWEEN 2 AND 3 GROUP BY 1, 2, 3',
	'SELECT upper(s.city) AS c, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY 1',
	'SELECT day, date_trunc(''week'', day)::date AS week, count(*) FROM visits WHERE day BETWEEN ''2024-01-01'' AND ''2024-01-31'' GROUP BY 1, 2',
	'SELECT s.city, s.name, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY ROLLUP (1, 2)',
	'SELECT s.city, s.name, v.n, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id WHERE v.n BETWEEN 0 AND 3 GROUP BY CUBE ((1, 2), 3) HAVING count(*) > 60']) AS query;
-- twins: equal numbers that are written in several ways stay one group
SELECT is(t.rows('gate_ann', 'SELECT v.size, s.name, count(*) FROM visits AS v JOIN stores AS s ON v.size = s.size WHERE s.id < 3 GROUP BY 1, 2'), '(1,store1,125) (2,store2,125)', 'numeric');
SELECT t.refuse('0A000', 'SELECT v.size::text, s.name, count(*) FROM visits AS v JOIN stores AS s ON v.size = s.size GROUP BY 1, 2'); -- but what is computed from one of them is not the other''s
SELECT t.refuse('0A000', 'SELECT v.wide, s.name, count(*) FROM visits AS v JOIN stores AS s ON v.wide = s.id GROUP BY 1, 2'); -- nor are values of another type
-- each read of a table has rows of its own
SELECT is(t.keys('SELECT a.name, b.name, count(*) FROM visits AS v JOIN stores AS a ON v.store = a.id JOIN stores AS b ON v.n + 1 = b.id GROUP BY 1, 2'),
	'64: a.name (column of a, 8 values), b.name (column of b, 8 values)', 'two reads');

-- Tables that others determine, by their unique keys, narrow them and are found with them.
SELECT is(t.keys(format('SELECT %s, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id JOIN cities AS c ON s.city = c.name JOIN lands AS l ON l.name = c.land WHERE %s GROUP BY %s', keys, condition, keys)), expected, keys || condition)
FROM (VALUES
	('s.name, c.land', 'true', '7: s.name, c.land (columns of s and c, 7 tuples)'),
	('c.name, c.land, l.size', 'true', '5: c.name, c.land, l.size (columns of c and l, 5 tuples)'),
	('s.city, l.size', 'l.size = 2', '2: s.city, l.size (columns of s and l, 2 tuples)'),
	('s.name', 'l.size = 2', '3: s.name (column of s, 3 values)'),
	('l.name', 'true', '2: l.name (column of l, 2 values)'),
	('s.size > l.size', 'true', '2: (s.size > (l.size)::numeric) (computed from s and l, 2 values)'),
	('v.n, c.land, l.size', 'v.n IN (1, 2)', '4: n (values of the conditions, 2 values), c.land, l.size (columns of c and l, 2 tuples)')) AS c (keys, condition, expected);
SELECT is(t.rows('gate_ann', query), t.rows('gate_owner', query), query) FROM unnest(ARRAY[
	'SELECT s.name, c.land, l.size, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id JOIN cities AS c ON s.city = c.name JOIN lands AS l ON l.name = c.land GROUP BY 1, 2, 3',
	'SELECT l.name, l.size > 1 AS big, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id JOIN cities AS c ON s.city = c.name JOIN lands AS l ON l.name = c.land GROUP BY ROLLUP (1, 2)']) AS query;
SELECT is(t.keys('SELECT s.name, c.land, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id LEFT JOIN cities AS c ON s.city = c.name GROUP BY 1, 2'), '24: s.name (column of s, 8 values), c.land (column of c, 3 values)', 'crossed where a row of nulls is possible');

-- The nullable side of a left join has nulls, and all of them at once.
SELECT is(t.keys(format('SELECT %s, count(*) FROM visits AS v LEFT JOIN stores AS s ON v.store = s.id AND s.id < 4 WHERE %s GROUP BY %s', keys, condition, keys)), expected, keys || condition)
FROM (VALUES
	('s.name, s.city', 'true', '4: s.name, s.city (columns of s, 4 tuples)'),
	('coalesce(s.city, ''none'')', 'true', '4: COALESCE(s.city, ''none''::text) (computed from s, 4 values)'),
	('coalesce(s.city, ''none''), s.id', 's.id IS NULL', '1: COALESCE(s.city, ''none''::text), s.id (columns of s, 1 tuples)'),
	('s.name', 's.size > 1', '2: s.name (column of s, 2 values)')) AS c (keys, condition, expected);
SELECT is(t.rows('gate_ann', query), t.rows('gate_owner', query), query) FROM unnest(ARRAY[
	'SELECT s.name, s.city, count(*) FROM visits AS v LEFT JOIN stores AS s ON v.store = s.id AND s.id < 4 GROUP BY 1, 2',
	'SELECT coalesce(s.city, ''none'') AS c, s.id, count(*) FROM visits AS v LEFT JOIN stores AS s ON v.store = s.id AND s.id < 4 GROUP BY 1, 2']) AS query;
SELECT t.refuse('0A000', 'SELECT v.store, s.name, count(*) FROM visits AS v LEFT JOIN stores AS s ON v.store = s.id GROUP BY 1, 2'); -- what is not in the other table is not public
SELECT is(t.keys('SELECT m, count(*) FROM (SELECT s.id FROM visits LEFT JOIN stores AS s ON store = s.id) AS x JOIN pub ON x.id = pub.k GROUP BY 1'), '2: pub.m (column of pub, 2 values)', 'a join above leaves the nulls out');

-- They are found anew in each execution, with its parameters.
SET SESSION AUTHORIZATION gate_ann;
PREPARE stores(integer) AS SELECT s.name, s.city, count(*) FROM public.visits AS v JOIN public.stores AS s ON v.store = s.id WHERE s.id <= $1 GROUP BY 1, 2 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SET dp_noise.epsilon = 10000;
EXECUTE stores(1);
RESET SESSION AUTHORIZATION;
UPDATE public.stores SET city = 'town' WHERE id = 2;
SET SESSION AUTHORIZATION gate_ann;
EXECUTE stores(3);
RESET SESSION AUTHORIZATION;
SELECT is(t.keys('SELECT s.name, s.city, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id WHERE s.id <= (SELECT count(*) / 500 FROM visits) GROUP BY 1, 2'), 's.name (column of s), s.city (column of s)', 'nor known before an answer that they depend on');
SELECT is(t.rows('gate_ann', 'SELECT s.name, s.city, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id WHERE s.id <= (SELECT count(*) / 500 FROM visits) GROUP BY 1, 2'), '(store1,city1,125) (store2,town,125)', 'but then');
-- who may not read all of it sees none of it
SELECT is(t.keys('SELECT o.start, count(*) FROM visits AS v JOIN open_part AS o ON v.store = o.id GROUP BY 1'), '1: o.start (column of o, 1 values)', 'a view shows its rows');
SELECT t.refuse('42501', 'SELECT s.word, count(*) FROM visits AS v JOIN secret AS s ON v.store = s.id GROUP BY 1');

-- A public key comes with the private one that it is computed from.
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.visits', 'n', 0, 99); -- too many to be public
RESET ROLE;
SET dp_noise.delta = 1e-6;
SELECT is(t.explained(query, 'Private Group Key'), keys, query) FROM (VALUES
	('SELECT day, n % 2, count(*) FROM visits GROUP BY 1, 2', 'day'),
	('SELECT n, n % 2, count(*) FROM visits GROUP BY 1, 2', 'n, (n % 2)'),
	('SELECT n, (n + k) / 5 > 0, count(*) FROM visits GROUP BY 1, 2', 'n')) AS q (query, keys);
SELECT is(t.rows('gate_ann', query), t.rows('gate_owner', query), query) FROM unnest(ARRAY['SELECT n, n % 2 = 0 AS even, count(*) FROM visits GROUP BY 1, 2']) AS query;
SELECT is(t.rows('gate_ann', 'SELECT n, s.name, s.id, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY 1, 2, 3 HAVING count(*) > 60'), t.rows('gate_owner', 'SELECT n, s.name, s.id, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY 1, 2, 3'), 'tuples beside a private key');
RESET dp_noise.delta;
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.visits', 'n', 0, 9);
RESET ROLE;

-- A unit is in no more groups than there are tuples, which bounding enforces: it
-- may have others, where rows lie beyond declared bounds.
SELECT is(t.explained('SELECT n / 5, n % 5, count(*) FROM visits GROUP BY 1, 2', 'Groups per Unit'), '11', 'as many as tuples');
SELECT is(t.explained('SELECT date_trunc(''week'', day), extract(dow from day), extract(month from day), count(*) FROM visits WHERE day BETWEEN ''2024-01-01'' AND ''2024-01-14'' GROUP BY 1, 2, 3', 'Groups per Unit'), '14', 'of three keys');
SELECT is(t.explained('SELECT mark, upper(mark), n, count(*) FROM visits WHERE n BETWEEN 1 AND 2 GROUP BY 1, 2, 3', 'Groups per Unit'), '8', 'crossed with another');
SET ROLE gate_owner;
CREATE TABLE public.spread (person integer, n integer);
INSERT INTO public.spread SELECT 1, i FROM generate_series(0, 99) AS i;
SELECT dp_noise.protect('public.spread', privacy_unit => 'person', epsilon => 1e13, max_rows_per_unit => 1, max_groups_per_unit => 100), dp_noise.set_bounds('public.spread', 'n', 10, 21);
SELECT dp_noise.set_budget('gate_ann', 'public.spread', 1e10);
RESET ROLE;
SELECT is(t.explained('SELECT n / 10, n % 10, count(*) FROM spread GROUP BY 1, 2', 'Groups per Unit'), '13', 'twelve tuples, and null');
SELECT ok(t.run('gate_ann', 'SELECT sum(c) FROM (SELECT n / 10, n % 10, count(*) AS c FROM spread GROUP BY 1, 2) AS s')::numeric BETWEEN 0 AND 13, 'no more count');
SELECT is(t.run('gate_ann', 'SELECT max(c) FROM (SELECT n / 10, n % 10, count(*) AS c FROM spread WHERE n BETWEEN 10 AND 21 GROUP BY 1, 2) AS s'), '1', 'all of them, where no others are');

-- Groupings: each has the tuples of its own keys, and totals are of the same rows.
SELECT is(t.explained('SELECT extract(year from day), extract(month from day), count(*) FROM visits WHERE day BETWEEN ''2023-12-01'' AND ''2024-01-31'' GROUP BY ROLLUP (1, 2)', 'Released Rows'), '2 2', 'a rollup');
SET dp_noise.epsilon = 1;
SELECT is(t.run('gate_ann', $$WITH r AS MATERIALIZED (SELECT s.city, s.name, grouping(s.city, s.name) AS has, count(*) AS n FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY ROLLUP (s.city, s.name))
	SELECT string_agg(DISTINCT concat_ws(' ', c.n = (SELECT sum(n) FROM r WHERE has = 0 AND r.city IS NOT DISTINCT FROM c.city), (SELECT sum(n) FROM r WHERE has = 1) = (SELECT n FROM r WHERE has = 3)), ',') FROM r AS c WHERE has = 1$$), 't t', 'a rollup of tuples adds up, in each of its parts');
SELECT is(t.run('gate_ann', $$WITH r AS MATERIALIZED (SELECT extract(year from day) AS y, extract(month from day) AS m, grouping(extract(year from day), extract(month from day)) AS has, count(*) AS n FROM visits
	WHERE day BETWEEN '2023-11-01' AND '2024-02-28' GROUP BY ROLLUP (extract(year from day), extract(month from day)))
	SELECT string_agg(DISTINCT concat_ws(' ', c.n = (SELECT sum(n) FROM r WHERE has = 0 AND r.y = c.y), (SELECT sum(n) FROM r WHERE has = 1) = (SELECT n FROM r WHERE has = 3)), ',') FROM r AS c WHERE has = 1$$), 't t', 'so does one of months');
SELECT is(t.run('gate_ann', 'SELECT count(DISTINCT sum) FROM (SELECT has, sum(n) FROM (SELECT grouping(s.city, s.name) AS has, count(*) AS n FROM visits AS v JOIN stores AS s ON v.store = s.id GROUP BY ROLLUP (s.city, s.name)) AS s GROUP BY has) AS x'), '1', 'answers of tuples agree');
SELECT ok(t.run('gate_ann', 'SELECT max(sum) - min(sum) FROM (SELECT has, sum(n) FROM (SELECT grouping(s.city, s.name, m) AS has, count(*) AS n FROM visits AS v JOIN stores AS s ON v.store = s.id JOIN pub ON pub.k = v.k GROUP BY CUBE ((s.city, s.name), m)) AS s GROUP BY has) AS x')::numeric <= 16, 'as one key among others, but for rounding');

-- So they do where the tuples follow from declared bounds or values, beyond which rows
-- count in none of the groupings, also in none with keys whose values they have.
SET ROLE gate_owner;
CREATE TABLE public.bought (person integer, mo integer, n integer, d date, at timestamptz, mark text);
INSERT INTO public.bought SELECT i % 200, 1 + i % 12, i % 10, date '2023-11-15' + i % 100, timestamptz '2023-11-15 Z' + i % 100 * interval '1 day', chr(97 + i % 3) FROM generate_series(1, 600) AS i;
INSERT INTO public.bought SELECT 1000 + i, 13, 12, '2024-03-05', '2024-03-05 Z', 'z' FROM generate_series(1, 50) AS i;
INSERT INTO public.bought (person) SELECT 2000 + i FROM generate_series(1, 20) AS i;
SELECT dp_noise.protect('public.bought', privacy_unit => 'person', epsilon => 1e13, delta => 1, max_rows_per_unit => 4, max_groups_per_unit => 200);
SELECT dp_noise.alter_population('public.bought', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.bought', 1e10, delta => 1), dp_noise.set_values('public.bought', 'mark', '{a,b,c}');
SELECT dp_noise.set_bounds('public.bought', name, lower, upper) FROM (VALUES ('mo', '1', '12'), ('n', '3', '11'), ('d', '2023-11-15', '2024-02-22'), ('at', '2023-11-15 Z', '2024-02-22 Z')) AS b (name, lower, upper);
RESET ROLE;
CREATE TABLE t.rollups AS SELECT * FROM (VALUES
	('mo / 4', 'mo', 'mo BETWEEN 1 AND 12', '5 13'), ('n / 5', 'n % 5', 'n BETWEEN 3 AND 11', '4 10'), ('date_trunc(''quarter'', d)', 'date_trunc(''month'', d)', 'd BETWEEN ''2023-11-15'' AND ''2024-02-22''', '3 5'),
	('extract(year FROM d)', 'extract(month FROM d)', 'd BETWEEN ''2023-11-15'' AND ''2024-02-22''', '3 5'), ('date_trunc(''month'', at)', 'at::date', 'at BETWEEN ''2023-11-15 Z'' AND ''2024-02-22 Z''', '5 101'),
	('mark = ''a''', 'upper(mark)', 'mark IN (''a'', ''b'', ''c'')', '3 4')) AS r (a, b, kept, found);
SELECT is(t.explained(format('SELECT %1$s, %2$s, count(*) FROM bought GROUP BY ROLLUP (%1$s, %2$s)', a, b), 'Released Rows%'), found, format('ROLLUP (%s, %s)', a, b)) FROM t.rollups;
SET dp_noise.epsilon = 100000;
SELECT is(t.rows('gate_ann', format('SELECT %1$s AS a, %2$s AS b, grouping(%1$s, %2$s) AS g, count(*) AS n FROM bought GROUP BY %3$s HAVING count(*) > 0', a, b, sets)),
	t.rows('gate_owner', format('SELECT %1$s AS a, %2$s AS b, grouping(%1$s, %2$s) AS g, count(*) AS n FROM bought WHERE %4$s OR mo IS NULL GROUP BY %3$s', a, b, sets, kept)), sets || ' of the rows within')
FROM t.rollups, LATERAL unnest(ARRAY[format('ROLLUP (%s, %s)', a, b), format('CUBE (%s, %s)', a, b), format('GROUPING SETS ((%1$s, %2$s), (%1$s))', a, b)]) AS sets;
SET dp_noise.epsilon = 1;
SELECT is(t.run('gate_ann', format('WITH r AS MATERIALIZED (SELECT %1$s AS a, grouping(%1$s, %2$s) AS has, count(*) AS n FROM bought GROUP BY ROLLUP (%1$s, %2$s))
	SELECT string_agg(DISTINCT concat_ws('' '', c.n = (SELECT sum(n) FROM r WHERE has = 0 AND r.a IS NOT DISTINCT FROM c.a), (SELECT sum(n) FROM r WHERE has = 1) = (SELECT n FROM r WHERE has = 3)), '','') FROM r AS c WHERE has = 1', a, b)), 't t', format('ROLLUP (%s, %s) adds up', a, b))
FROM t.rollups;
-- Of so many values that the zone decides, alone, no totals are made to agree with those of other rows.
SELECT is(t.explained('SELECT at::date, count(*) FROM bought GROUP BY ROLLUP (1)', 'Standard Deviation as Shown'), NULL, 'many values of a zone');
-- What bounds leave out belongs to the question, also where one grouping is left.
CREATE FUNCTION t.asks(sets text) RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.explained(format('SELECT * FROM (SELECT age / 10, age %% 10, grouping(age / 10, age %% 10) AS g, count(*) FROM patients GROUP BY %s (age / 10, age %% 10)) AS s WHERE g = 0', sets), 'Question')$$;
SELECT isnt(t.asks('ROLLUP'), t.explained('SELECT age / 10, age % 10, count(*) FROM patients GROUP BY 1, 2', 'Question'), 'another question than GROUP BY');
SELECT is(t.asks('ROLLUP'), t.asks('CUBE'), 'and the same of each');
SELECT t.asks('ROLLUP') AS asked \gset
SELECT dp_noise.set_bounds('public.patients', 'age', 0, 119);
SELECT isnt(t.asks('ROLLUP'), :'asked', 'by other bounds another');
SELECT dp_noise.set_bounds('public.patients', 'age', 0, 120);

-- More public values than there may be groups are no domain: such a key is private,
-- and so are those found with it. What narrows it makes it public again.
CREATE TABLE public.words (id integer PRIMARY KEY, word text, kind integer, filler text);
INSERT INTO public.words SELECT i, 'word' || i, i % 5, 'a filler' FROM generate_series(1, 1000100) AS i;
GRANT SELECT ON public.words TO PUBLIC;
SET dp_noise.epsilon = 10000;
SET dp_noise.delta = 0;
SELECT t.refuse('0A000', 'SELECT w.word, count(*) FROM visits AS v JOIN words AS w ON v.store = w.id GROUP BY 1');
SET SESSION AUTHORIZATION gate_ann;
DO $$
DECLARE
	said text;
BEGIN
	PERFORM word, count(*) FROM public.visits AS v JOIN public.words AS w ON v.store = w.id GROUP BY 1;
EXCEPTION WHEN feature_not_supported THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_HINT;
	PERFORM set_config('t.said', said, false);
END
$$;
RESET SESSION AUTHORIZATION;
SELECT matches(current_setting('t.said'), 'A key has public values \(column of w\), but more than 1000000', 'the hint says why');
SELECT is(t.keys('SELECT w.kind, count(*) FROM visits AS v JOIN words AS w ON v.store = w.id GROUP BY 1'), '5: w.kind (column of w, 5 values)', 'few values of many rows');
SELECT is(t.keys('SELECT w.word, w.kind, count(*) FROM visits AS v JOIN words AS w ON v.store = w.id WHERE w.id <= 3 GROUP BY 1, 2'), '3: w.word, w.kind (columns of w, 3 tuples)', 'conditions narrow it');
SELECT is(t.keys('SELECT w.id, count(*) FROM visits AS v JOIN words AS w ON v.store = w.id WHERE w.id IN (1, 2) GROUP BY 1'), '2: w.id (values of the conditions, 2 values)', 'so do named values');
SELECT is(t.keys('SELECT s.name, w.word, count(*) FROM visits AS v JOIN stores AS s ON v.store = s.id JOIN words AS w ON s.id = w.id GROUP BY 1, 2'), '8: s.name, w.word (columns of s and w, 8 tuples)', 'and few public rows that determine it');
SET dp_noise.delta = 1e-6;
SELECT is(t.explained('SELECT v.store, w.word, w.kind, n % 2 = 0, count(*) FROM visits AS v JOIN words AS w ON v.store = w.id GROUP BY 1, 2, 3, 4', 'Private Group Key'), 'store, w.word, w.kind', 'private, with all of its columns');
SELECT is(t.rows('gate_ann', query), t.rows('gate_owner', query), query) FROM unnest(ARRAY['SELECT v.store, w.word, w.kind, count(*) FROM visits AS v JOIN words AS w ON v.store = w.id GROUP BY 1, 2, 3']) AS query;

-- The values of a public key say nothing of who has them: they are no set to look in.
SELECT t.refuse('0A000', query) FROM unnest(ARRAY[
	'SELECT count(*) FROM stores WHERE id IN (SELECT DISTINCT store FROM visits JOIN stores AS s ON store = s.id)', 'SELECT name FROM stores WHERE name IN (SELECT DISTINCT mark FROM visits)',
	'SELECT name FROM stores WHERE name NOT IN (SELECT mark FROM visits GROUP BY mark)', 'SELECT name FROM stores WHERE EXISTS (SELECT DISTINCT mark FROM visits)']) AS query;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT DISTINCT mark FROM visits) AS s'), '4', 'listed they may be');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (VALUES (''a''), (''z'')) AS v (x) WHERE x IN (SELECT mark FROM visits GROUP BY mark HAVING count(*) > 10)'), '1', 'counted they are an answer');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM stores WHERE id IN (SELECT DISTINCT store FROM visits)'), '8', 'and so are those of a private key');

-- Groups of one unit are never shown: that is said before it costs anything.
SELECT t.refuse('0A000', query) FROM unnest(ARRAY[
	'SELECT person, count(*) FROM visits GROUP BY person', 'SELECT DISTINCT person FROM visits', 'SELECT person, mark, count(*) FROM visits GROUP BY 1, 2',
	'SELECT p, sum(n) FROM (SELECT person AS p, count(*) AS n FROM visits GROUP BY person, mark) AS s GROUP BY p']) AS query;
SELECT t.accept('SELECT count(*) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) AS s WHERE n > 3');
SELECT t.accept('SELECT person, count(*) FROM visits WHERE person IN (1, 2) GROUP BY person');
RESET dp_noise.delta;

SELECT * FROM finish();
\ir support/gate_end.sql
