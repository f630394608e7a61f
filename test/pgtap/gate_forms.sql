-- Canonical forms: what is one question however it is written, and what is another
-- though it is written alike. By the forms of the tree that a question is read as.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.people (pid integer PRIMARY KEY, boss integer, town integer, name text, code character(3), n numeric, f real, d double precision, at timestamptz, day date, feeling public.mood, marks integer[]);
CREATE TABLE public.trips (pid integer, kind integer, cost integer, f double precision);
CREATE TABLE public.calls (pid bigint, kind integer, cost integer);
CREATE TABLE public.towns (id integer PRIMARY KEY, region text, size integer, coast boolean NOT NULL);
CREATE TABLE public.rates (town integer, kind integer, rate integer, PRIMARY KEY (town, kind));
CREATE VIEW public.big_towns AS SELECT id, size, coast FROM public.towns WHERE size > 10;
SELECT dp_noise.protect('public.people', privacy_unit => 'pid', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect(r, privacy_unit => 'pid', max_rows_per_unit => 3, epsilon => 1e6, delta => 1) FROM unnest('{public.trips,public.calls}'::regclass[]) AS r;
RESET ROLE;

-- The forms of the questions of a statement.
CREATE FUNCTION t.form(q text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(form, E'\n') FROM dp_noise.describe_question('SELECT ' || q) WHERE node LIKE '%release by%'
$$;

SELECT is(t.form(a), t.form(b), 'one question: ' || a || ' / ' || b) FROM (VALUES
	-- names, order, places of conditions
	('dp_count(*) FROM people WHERE town = 3 AND boss > 4', 'dp_count(*) FROM people AS x WHERE 4 < x.boss AND 3 = x.town'),
	('dp_count(*) FROM people JOIN trips USING (pid) WHERE kind = 1', 'dp_count(*) FROM trips AS a, people AS b WHERE b.pid = a.pid AND a.kind = 1'),
	('dp_count(*) FROM people JOIN trips ON people.pid = trips.pid AND kind = 1', 'dp_count(*) FROM people JOIN trips USING (pid) WHERE kind = 1'),
	('dp_count(*) FILTER (WHERE kind = 1) FROM people JOIN trips USING (pid)', 'dp_count(*) FROM people JOIN trips USING (pid) WHERE kind = 1'),
	('dp_count(*) FILTER (WHERE a.f = 1) FROM trips AS a JOIN trips AS b USING (pid) WHERE b.kind = 2', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE b.f = 1 AND a.kind = 2'),
	('dp_count(*) FROM people LEFT JOIN towns ON town = id JOIN trips USING (pid)', 'dp_count(*) FROM trips JOIN people USING (pid) LEFT JOIN towns ON id = town'),
	('dp_count(*) FROM people LEFT JOIN towns AS a ON a.id = town LEFT JOIN rates AS r ON r.town = boss WHERE a.coast OR r.kind = 1', 'dp_count(*) FROM people LEFT JOIN rates AS r ON r.town = boss LEFT JOIN towns AS a ON a.id = people.town WHERE a.coast OR r.kind = 1'),
	('dp_count(*) FROM people LEFT JOIN towns ON town = id WHERE coast IS NOT TRUE', 'dp_count(*) FROM towns RIGHT JOIN people ON id = people.town WHERE NOT coast IS TRUE'),
	('dp_sum(a.size, 0, 9) FROM people JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = boss', 'dp_sum(x.size, 0, 9) FROM towns AS y, people, towns AS x WHERE y.id = boss AND x.id = town'),
	('dp_count(*) FROM (SELECT pid AS p, town AS w FROM people WHERE boss = 2) AS s WHERE w = 3', 'dp_count(*) FROM people WHERE boss = 2 AND town = 3'),
	('dp_count(*) FROM big_towns JOIN people ON id = town WHERE coast', 'dp_count(*) FROM people JOIN big_towns ON id = town AND coast'),
	('town, dp_count(*) FROM people GROUP BY town, boss', 'boss, dp_count(*) FROM people GROUP BY boss, town'),
	-- which of equal columns
	('dp_count(trips.pid) FROM people JOIN trips USING (pid)', 'dp_count(*) FROM trips, people WHERE people.pid = trips.pid'),
	('dp_count_distinct(people.pid) FROM people JOIN trips USING (pid)', 'dp_count_distinct(trips.pid) FROM trips JOIN people USING (pid)'),
	('dp_count_distinct(people.pid) FROM people JOIN calls USING (pid)', 'dp_count_distinct(calls.pid) FROM calls JOIN people USING (pid)'),
	('dp_count(*) FROM people AS p, trips AS t, calls AS c WHERE p.pid = t.pid AND t.pid = c.pid', 'dp_count(*) FROM people AS p, trips AS t, calls AS c WHERE c.pid = p.pid AND p.pid = t.pid'),
	('dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.pid > 5', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE b.pid > 5'),
	('dp_count(*) FROM people AS p JOIN trips AS t USING (pid) WHERE EXISTS (SELECT FROM calls AS c WHERE c.pid = p.pid AND c.kind = 1)', 'dp_count(*) FROM people AS p JOIN trips AS t USING (pid) WHERE EXISTS (SELECT FROM calls AS c WHERE t.pid = c.pid AND c.kind = 1)'),
	('dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.cost = b.cost AND a.kind = 1 AND a.cost::text = ''0''', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.cost = b.cost AND a.kind = 1 AND b.cost::text = ''0'''),
	-- operators and lists
	('dp_count(*) FROM people WHERE NOT (town < 3 OR boss = 4)', 'dp_count(*) FROM people WHERE town >= 3 AND boss <> 4'),
	('dp_count(*) FROM people WHERE town BETWEEN 3 AND 5', 'dp_count(*) FROM people WHERE town <= 5 AND town >= 3'),
	('dp_count(*) FROM people WHERE town IN (1, 2, 2) OR boss = 3', 'dp_count(*) FROM people WHERE town = ANY (''{2,1}'') OR 3 = boss'),
	('dp_count(*) FROM people WHERE town NOT IN (1, 2) AND boss = 3', 'dp_count(*) FROM people WHERE NOT (town = 1 OR town = 2) AND boss = 3'),
	('dp_count(*) FROM people WHERE NOT (boss IS NULL)', 'dp_count(*) FROM people WHERE boss IS NOT NULL'),
	('dp_count(*) FROM people WHERE name NOT LIKE ''a%''', 'dp_count(*) FROM people WHERE NOT name ~~ ''a%'''),
	('dp_count(*) FROM people WHERE town IS DISTINCT FROM boss', 'dp_count(*) FROM people WHERE boss IS DISTINCT FROM town'),
	('dp_count(*) FROM people WHERE true', 'dp_count(*) FROM people'),
	-- constants, and conversions that change no value
	('dp_count(*) FROM people WHERE n = 1.0', 'dp_count(*) FROM people WHERE 1.00 = n'),
	('dp_count(*) FROM people WHERE town > 3', 'dp_count(*) FROM people WHERE town::bigint > 1 + 2'),
	('dp_count(*) FROM people WHERE d = 0', 'dp_count(*) FROM people WHERE d = -0.0::double precision'),
	('dp_count(*) FROM people WHERE code = ''a''', 'dp_count(*) FROM people WHERE code = ''a  '''),
	('dp_count(*) FROM people WHERE day = ''2020-01-02''', 'dp_count(*) FROM people WHERE day = date ''January 2, 2020'''),
	('dp_sum(cost, 0, 9) FROM trips', 'dp_sum(cost, 0.0, 9.0) FROM trips'),
	('dp_median_exp(cost, 0, 9) FROM trips', 'dp_quantile_exp(cost, 0.5, 0, 9) FROM trips'),
	-- what is public
	('dp_count(*) FROM people JOIN (VALUES (1), (2)) AS v (x) ON x = town', 'dp_count(*) FROM (VALUES (1), (2)) AS w (y), people WHERE town = y'),
	('dp_count(*) FROM people JOIN big_towns AS b ON b.id = town WHERE b.coast', 'dp_count(*) FROM people, big_towns AS c WHERE c.coast AND c.id = town'),
	('dp_count(*) FROM people JOIN generate_series(1, 2) AS s (a) ON a = town', 'dp_count(*) FROM generate_series(1, 2) AS z, people WHERE z = town'),
	('dp_count(*) FROM people JOIN (SELECT region, min(id) AS a FROM towns GROUP BY region) AS m ON a = town', 'dp_count(*) FROM people JOIN (SELECT region AS r, min(id) AS b FROM towns AS x GROUP BY region) AS k ON town = b'),
	('dp_count(*) FROM people WHERE town IN (SELECT t.id FROM towns AS t WHERE t.coast)', 'dp_count(*) FROM people WHERE town IN (SELECT s.id FROM towns AS s WHERE s.coast)'),
	-- units' own sub-queries
	('dp_count(*) FROM (SELECT pid, count(*) AS c FROM trips GROUP BY pid) AS s WHERE c > 2', 'dp_count(*) FROM (SELECT count(*) AS z, max(cost), pid AS p FROM trips AS t GROUP BY t.pid) AS s WHERE 2 < z'),
	('dp_count(*) FROM (SELECT DISTINCT pid, kind FROM trips) AS s', 'dp_count(*) FROM (SELECT kind AS a, pid AS b FROM trips GROUP BY pid, kind) AS s'),
	('dp_count(*) FROM (SELECT pid FROM trips UNION ALL SELECT pid::integer FROM trips WHERE kind = 1) AS s', 'dp_count(*) FROM (SELECT pid FROM trips WHERE 1 = kind UNION ALL SELECT pid FROM trips) AS s')
) AS v (a, b);

SELECT isnt(t.form(a), t.form(b), 'two questions: ' || a || ' / ' || b) FROM (VALUES
	-- what makes units equal
	('dp_count(*) FROM people JOIN towns ON pid = id', 'dp_count(*) FROM people JOIN towns ON pid = size'),
	('dp_count(*) FROM people JOIN towns ON pid = id AND pid = size', 'dp_count(*) FROM people JOIN towns ON pid = size'),
	('dp_count(*) FROM people, towns WHERE pid = id', 'dp_count(*) FROM people, towns WHERE pid = size AND id IS NOT NULL'),
	('dp_count(*) FROM people JOIN towns ON true WHERE pid = boss', 'dp_count(*) FROM people JOIN towns ON true WHERE pid = town'),
	('dp_count(*) FROM people WHERE boss = boss', 'dp_count(*) FROM people'),
	('dp_count(*) FROM people WHERE boss = boss', 'dp_count(*) FROM people WHERE town = town'),
	('dp_count(*) FROM people WHERE boss = town', 'dp_count(*) FROM people WHERE boss = boss'),
	('dp_count(*) FROM trips AS a LEFT JOIN trips AS b ON a.pid = b.pid AND b.kind = 1 WHERE a.pid = b.pid', 'dp_count(*) FROM trips AS a LEFT JOIN trips AS b ON a.pid = b.pid AND b.kind = 1 WHERE a.pid = a.pid'),
	-- outer joins: what is required of a match, of a row, and of which
	('dp_count(*) FROM people LEFT JOIN towns ON town = id WHERE coast', 'dp_count(*) FROM people LEFT JOIN towns ON town = id AND coast WHERE size IS NULL'),
	('dp_count(size) FROM people LEFT JOIN towns ON town = id AND boss = 1', 'dp_count(size) FROM people LEFT JOIN towns ON town = id WHERE boss = 1'),
	('dp_count(size) FROM people LEFT JOIN towns ON town = id', 'dp_count(size) FROM people LEFT JOIN towns ON boss = id'),
	('dp_count(*) FROM people LEFT JOIN rates AS r ON r.town = boss', 'dp_count(*) FROM people JOIN rates AS r ON r.town = boss'),
	('dp_count(b.rate) FROM people LEFT JOIN rates AS a ON a.town = people.town LEFT JOIN rates AS b ON b.town = a.kind', 'dp_count(b.rate) FROM people LEFT JOIN rates AS a ON a.town = people.town LEFT JOIN rates AS b ON b.town = a.rate'),
	('dp_count(b.rate) FROM people LEFT JOIN rates AS a ON a.town = people.town LEFT JOIN rates AS b ON b.town = a.kind', 'dp_count(a.rate) FROM people LEFT JOIN rates AS a ON a.town = people.town LEFT JOIN rates AS b ON b.town = a.kind'),
	('dp_count(r.rate) FROM people LEFT JOIN (rates AS r JOIN towns ON r.kind = id) ON r.town = people.town', 'dp_count(r.rate) FROM people LEFT JOIN rates AS r ON r.town = people.town LEFT JOIN towns ON r.kind = id'),
	('dp_count(r.rate) FROM people LEFT JOIN rates AS r ON r.town = people.town LEFT JOIN trips AS t ON t.pid = people.pid AND t.kind = r.kind WHERE t.cost = 1', 'dp_count(r.rate) FROM people LEFT JOIN rates AS r ON r.town = people.boss LEFT JOIN trips AS t ON t.pid = people.pid AND t.kind = r.kind WHERE t.cost = 1'),
	('dp_count(*) FROM people AS p LEFT JOIN trips AS a ON a.pid = p.pid AND a.kind = p.town LEFT JOIN trips AS b ON b.pid = p.pid WHERE b.kind = a.kind', 'dp_count(*) FROM people AS p LEFT JOIN trips AS a ON a.pid = p.pid AND a.cost = p.town LEFT JOIN trips AS b ON b.pid = p.pid WHERE b.kind = a.kind'),
	('dp_count_distinct(people.pid) FROM people LEFT JOIN trips USING (pid)', 'dp_count_distinct(trips.pid) FROM people LEFT JOIN trips USING (pid)'),
	('dp_count(*) FROM people LEFT JOIN trips USING (pid) WHERE trips.pid IS NOT NULL', 'dp_count(*) FROM people LEFT JOIN trips USING (pid) WHERE people.pid IS NOT NULL'),
	-- of two of the same
	('dp_sum(a.size, 0, 9) FROM people JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = boss', 'dp_sum(b.size, 0, 9) FROM people JOIN towns AS a ON a.id = town JOIN towns AS b ON b.id = boss'),
	('dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.kind = 1 AND b.cost = 2', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.kind = 1 AND a.cost = 2'),
	('dp_count(*) FROM trips AS a JOIN trips AS b USING (pid)', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) JOIN trips AS c USING (pid)'),
	('dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) JOIN trips AS c USING (pid) WHERE a.kind < b.kind AND b.kind < c.kind', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) JOIN trips AS c USING (pid) WHERE a.kind < b.kind AND a.kind < c.kind'),
	-- equal values that are not the same
	('dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.f = b.f AND a.kind = 1 AND a.f::text = ''0''', 'dp_count(*) FROM trips AS a JOIN trips AS b USING (pid) WHERE a.f = b.f AND a.kind = 1 AND b.f::text = ''0'''),
	('dp_count(*) FROM people AS a JOIN people AS b USING (pid) WHERE a.n = b.n AND a.boss = 1 AND a.n::text = ''1''', 'dp_count(*) FROM people AS a JOIN people AS b USING (pid) WHERE a.n = b.n AND a.boss = 1 AND b.n::text = ''1'''),
	('dp_count(*) FROM people WHERE n::text = ''1.0''', 'dp_count(*) FROM people WHERE n::text = ''1.00'''),
	('dp_count(*) FROM people WHERE coalesce(n, 1.0)::text = ''1.0''', 'dp_count(*) FROM people WHERE coalesce(n, 1.00)::text = ''1.0'''),
	('dp_count(*) FROM people WHERE name = ''a''', 'dp_count(*) FROM people WHERE name = ''a '''),
	('dp_count(*) FROM people WHERE code::text = ''a''', 'dp_count(*) FROM people WHERE code = ''a'' AND code::text = ''a '''),
	('dp_count(*) FROM people WHERE name::bpchar = ''a''', 'dp_count(*) FROM people WHERE name = ''a'''),
	('dp_count(*) FROM people WHERE f = 0.1', 'dp_count(*) FROM people WHERE f = 0.1::real'),
	('dp_count(*) FROM people WHERE d = ''NaN''', 'dp_count(*) FROM people WHERE d = ''Infinity'''),
	('dp_count(*) FROM people WHERE town / 2 = 1', 'dp_count(*) FROM people WHERE town / 2.0 = 1'),
	('dp_count(*) FROM people WHERE feeling = ''ok''', 'dp_count(*) FROM people WHERE feeling::text = ''ok'''),
	('dp_count(*) FROM people WHERE name = ''k1:a''', 'dp_count(*) FROM people WHERE name = ''a'''),
	-- shapes
	('dp_count(*) FROM people WHERE town = ANY (marks)', 'dp_count(*) FROM people WHERE town = ALL (marks)'),
	('dp_count(*) FROM people WHERE NOT town = ANY (marks)', 'dp_count(*) FROM people WHERE town <> ANY (marks)'),
	('dp_count(*) FROM people WHERE town = ANY (ARRAY[boss, 1])', 'dp_count(*) FROM people WHERE town = ALL (ARRAY[boss, 1])'),
	('dp_count(*) FROM people WHERE CASE town WHEN 1 THEN boss ELSE 2 END = 2', 'dp_count(*) FROM people WHERE CASE WHEN town = 1 THEN 2 ELSE boss END = 2'),
	('dp_count(*) FROM people AS p WHERE EXISTS (SELECT FROM trips AS t WHERE t.pid = p.pid AND t.kind = p.town)', 'dp_count(*) FROM people AS p WHERE EXISTS (SELECT FROM trips AS t WHERE t.pid = p.pid AND t.kind = t.cost)'),
	('dp_count(*) FROM people AS p WHERE EXISTS (SELECT FROM trips AS t WHERE t.pid = p.pid)', 'dp_count(*) FROM people AS p WHERE NOT EXISTS (SELECT FROM trips AS t WHERE t.pid = p.pid)'),
	('dp_count(*) FROM people WHERE town IN (SELECT id FROM towns)', 'dp_count(*) FROM people WHERE town IN (SELECT size FROM towns)'),
	('dp_count(*) FROM people WHERE town IN (SELECT id FROM towns WHERE size = boss)', 'dp_count(*) FROM people WHERE boss IN (SELECT id FROM towns WHERE size = town)'),
	('dp_count(*) FROM (SELECT pid, count(*) AS c FROM trips GROUP BY pid) AS s WHERE c > 2', 'dp_count(*) FROM (SELECT pid, count(DISTINCT kind) AS c FROM trips GROUP BY pid) AS s WHERE c > 2'),
	('dp_count(*) FROM (SELECT pid FROM trips WHERE kind = 1 GROUP BY pid) AS s', 'dp_count(*) FROM (SELECT pid FROM trips WHERE kind = 1) AS s'),
	('dp_count(*) FROM (SELECT DISTINCT pid, kind FROM trips) AS s', 'dp_count(*) FROM (SELECT DISTINCT pid, cost FROM trips) AS s'),
	('dp_count(*) FROM (SELECT kind, row_number() OVER (PARTITION BY pid ORDER BY cost) AS r FROM trips) AS s WHERE kind = 1 AND r = 1', 'dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY pid ORDER BY cost) AS r FROM trips WHERE kind = 1) AS s WHERE r = 1'),
	('dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY pid ORDER BY cost) AS r FROM trips) AS s WHERE r = 1', 'dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY pid ORDER BY cost DESC) AS r FROM trips) AS s WHERE r = 1'),
	('dp_count(*) FROM (SELECT pid, kind AS x FROM trips UNION ALL SELECT pid, cost FROM trips) AS s WHERE x = 1', 'dp_count(*) FROM (SELECT pid, kind AS x FROM trips UNION ALL SELECT pid, kind FROM trips) AS s WHERE x = 1'),
	('dp_count(*) FROM people JOIN (VALUES (1), (2)) AS v (x) ON x = town', 'dp_count(*) FROM people JOIN (VALUES (1), (3)) AS v (x) ON x = town'),
	('dp_count(*) FROM people JOIN towns ON id = town', 'dp_count(*) FROM people JOIN big_towns ON id = town'),
	('dp_count(*) FROM people JOIN generate_series(1, 2) AS s (a) ON a = town', 'dp_count(*) FROM people JOIN generate_series(1, 3) AS s (a) ON a = town'),
	('dp_count(*) FROM people JOIN (SELECT row_to_json(s)::text AS j, a FROM (SELECT id AS a FROM towns LIMIT 9) AS s LIMIT 9) AS t ON town = a AND name = j', 'dp_count(*) FROM people JOIN (SELECT row_to_json(s)::text AS j, b FROM (SELECT id AS b FROM towns LIMIT 9) AS s LIMIT 9) AS t ON town = b AND name = j'),
	('dp_count(*) FROM people JOIN (SELECT a.id FROM towns AS a JOIN towns AS b ON a.id = b.size WHERE a.coast LIMIT 9) AS s ON town = s.id', 'dp_count(*) FROM people JOIN (SELECT a.id FROM towns AS a JOIN towns AS b ON a.id = b.size WHERE b.coast LIMIT 9) AS s ON town = s.id'),
	-- types of what is computed and of keys
	('dp_sum(cost, 0, 9) FROM trips', 'dp_sum(cost::numeric, 0, 9) FROM trips'),
	('dp_count(*) FROM trips GROUP BY cost', 'dp_count(*) FROM trips GROUP BY cost::text'),
	('dp_count(*) FROM trips GROUP BY cost', 'dp_count(*) FROM trips'),
	('dp_count(*) FILTER (WHERE kind = 1) FROM trips GROUP BY cost', 'dp_count(*) FROM trips WHERE kind = 1 GROUP BY cost'),
	('dp_max(cost, 0, 9) FROM trips', 'dp_min(cost, 0, 9) FROM trips')
) AS v (a, b);

-- A table that is dropped and created again is another one.
SELECT t.form('dp_count(*) FROM calls') AS before \gset
SET ROLE gate_owner;
DROP TABLE public.calls;
CREATE TABLE public.calls (pid bigint, kind integer, cost integer);
SELECT dp_noise.protect('public.calls', privacy_unit => 'pid', max_rows_per_unit => 3, epsilon => 1e6, delta => 1);
RESET ROLE;
SELECT isnt(t.form('dp_count(*) FROM calls'), :'before', 'dropped and created again');

-- Another column as the unit makes another question.
SELECT t.form('dp_count(*) FROM calls') AS before \gset
SET ROLE gate_owner;
SELECT dp_noise.protect('public.calls', privacy_unit => 'kind', max_rows_per_unit => 3, replace_unit => true);
RESET ROLE;
SELECT isnt(t.form('dp_count(*) FROM calls'), :'before', 'by another unit');

-- The zone is part of what depends on it for each row, and of nothing else.
CREATE FUNCTION t.form_in(zone text, q text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	RETURN t.form(q);
END
$$;
SELECT is(t.form_in('UTC', c) = t.form_in('Asia/Tokyo', c), same, c) FROM (VALUES
	('dp_count(*) FROM people WHERE at::date = ''2020-01-02''', false),
	('dp_count(*) FROM people WHERE at > date ''2020-01-02''', false),
	('dp_count(*) FROM people WHERE at = ANY (ARRAY[date ''2020-01-02''])', false),
	('dp_count(*) FROM people WHERE at > timestamptz ''2020-01-02 00:00Z''', true),
	('dp_count(*) FROM people WHERE day + 1 > ''2020-01-02''', true)) AS v (c, same);

SELECT * FROM finish();
\ir support/gate_end.sql
