-- Groups by private keys: which groups are shown, what that costs, and what it
-- tells.
--
-- Takes long: 24 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();
CREATE COLLATION public.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

SET ROLE gate_owner;
CREATE TABLE public.people (
	id integer PRIMARY KEY,
	town text,
	word varchar(10),
	code character(5),
	age integer NOT NULL,
	adult boolean NOT NULL,
	mood public.mood,
	price numeric,
	x double precision,
	y real,
	born date,
	seen timestamptz,
	token uuid,
	feature text COLLATE "C",
	years public.years
);
-- town 1 has one person, town 2 two, and so on; the others have none
INSERT INTO public.people
SELECT row_number() OVER (), 'town' || t, 'w' || t % 3, 'c' || t % 2, 10 * t, t > 4, CASE WHEN t % 2 = 0 THEN 'ok' END::mood,
	round(t % 3 + 0.5, 1 + i % 5), CASE WHEN t % 3 = 0 THEN CASE i % 2 WHEN 0 THEN '-0' ELSE '0' END ELSE 'NaN' END::double precision,
	CASE i % 2 WHEN 0 THEN '-0' ELSE '0' END::real, date '2000-01-01' + t % 2, timestamptz '2020-01-01 00:00Z' + (t % 2) * interval '1 hour',
	lpad(t::text, 32, '0')::uuid, repeat(t::text, 5000), t
FROM generate_series(1, 10) AS t, generate_series(1, t) AS i;
INSERT INTO public.people SELECT 100 + i, NULL, NULL, NULL, 5, false, 'sad', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM generate_series(1, 5) AS i;
CREATE TABLE public.regions (town text PRIMARY KEY, region text NOT NULL);
INSERT INTO public.regions VALUES ('town8', 'a'), ('town9', 'b'), ('town10', 'a');
GRANT SELECT ON public.regions TO PUBLIC;
CREATE TABLE public.lonely (id integer PRIMARY KEY, x integer NOT NULL);
INSERT INTO public.lonely SELECT i, i % 10 FROM generate_series(1, 100000) AS i;
CREATE TABLE public.many (k integer NOT NULL, x integer NOT NULL);
INSERT INTO public.many SELECT i % 1000000, i % 7 FROM generate_series(1, 3000000) AS i;
CREATE TABLE public.visits (person integer, place text, at date, x integer);
INSERT INTO public.visits SELECT p, 'place' || p % 5, date '2020-01-01' + p % 3, 1 FROM generate_series(1, 500) AS p, generate_series(1, 10);
-- somebody is often at a place where nobody else is, and at many places once
INSERT INTO public.visits SELECT 1000, 'alone', date '2020-01-01' + i % 3, 100 FROM generate_series(1, 1000) AS i;
INSERT INTO public.visits SELECT 1001, 'once' || i, '2020-01-01', 100 FROM generate_series(1, 1000) AS i;
-- nobody shares a place with anybody, and all have three places of four rows
CREATE TABLE public.loners (person integer, place integer NOT NULL);
INSERT INTO public.loners SELECT p, 3 * p + i % 3 FROM generate_series(1, 30000) AS p, generate_series(1, 12) AS i;
INSERT INTO public.loners SELECT NULL, 0 FROM generate_series(1, 1000);
CREATE TABLE public.fixed (id integer PRIMARY KEY, town text NOT NULL, x integer NOT NULL);
INSERT INTO public.fixed SELECT i, 'town' || i % 3, i % 10 FROM generate_series(1, 300) AS i;
SELECT dp_noise.protect('public.loners', privacy_unit => 'person', max_rows_per_unit => 2, max_groups_per_unit => 2, epsilon => 1e6, delta => 1), dp_noise.protect('public.fixed', neighbours => 'substitute', epsilon => 1e6, delta => 1);
CREATE TABLE public.moved (person integer, place text, x integer);
SELECT dp_noise.protect('public.moved', privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => 2, neighbours => 'substitute', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 10000000, delta => 1) FROM unnest('{public.loners,public.fixed,public.moved}'::regclass[]) AS r;
SELECT dp_noise.protect(r, epsilon => 1e13, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 10000000, delta => 1) FROM unnest('{public.people,public.lonely,public.many}'::regclass[]) AS r;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => 3, epsilon => 1e6, delta => 1),
	dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 10000000, delta => 1);
SELECT dp_noise.set_bounds('public.people', 'age', 0, 100), dp_noise.set_bounds('public.many', 'x', 0, 6), dp_noise.set_bounds('public.visits', 'x', 0, 10);
RESET ROLE;

-- All rows of the answer as one text. At epsilon 100 counts are exact, and the
-- threshold is two.
CREATE FUNCTION t.rows(query text, who text DEFAULT 'gate_ann') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', '100', false), set_config('dp_noise.delta', '1e-9', false);
	RETURN t.run(who, format('SELECT string_agg(translate(r::text, ''()'', ''''), '' | '') FROM (%s) AS r', query));
END
$$;

-- Without a delta there is an error, which names both ways out, and no charge.
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people GROUP BY town');
SELECT t.refuse('0A000', 'EXPLAIN SELECT dp_count(*) FROM people GROUP BY town');
SELECT throws_like('SELECT dp_count(*) FROM people GROUP BY town', 'GROUP BY of values that are not public needs a delta', 'the error');
CREATE FUNCTION t.hint() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	PERFORM dp_count(*) FROM people GROUP BY town;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_HINT;
	RETURN said;
END
$$;
SELECT ok(hint LIKE '%dp_noise.delta%' AND hint LIKE '%dp_noise.set_values%', 'its hint') FROM t.hint() AS hint;
SELECT throws_ok(format('SET dp_noise.delta = %s', d), '22023') FROM unnest('{-0.1,1.1,NaN}'::text[]) AS d;

-- Keys that are refused with a delta too: what could fail, what is equal in more
-- ways than one, what is not of the group.
SET dp_noise.delta = 0.001;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients GROUP BY ' || key)
FROM unnest('{visits,notes,"random()",patients,"(patients.*)::text",ctid,xmin,tableoid,"(SELECT name)","ROW(age, name)","ARRAY[age]","name COLLATE public.blind"}'::text[]) AS key;
SELECT t.accept('SELECT dp_count(*) FROM patients GROUP BY ' || key)
FROM unnest('{"visits[1]","age / 2","1 / age","age + 1","-age","upper(name)","name || ''x''","substr(name, 1, 2)","name LIKE ''name1%''","left(name, 3)",
	"date_trunc(''month'', seen)","extract(year FROM born)",born::text,seen::date,age::text,bmi::integer,"round(weight)","weight::numeric(3,1)","now()","md5(name)"}'::text[]) AS key;
SELECT t.accept('SELECT dp_count(*) FROM patients GROUP BY ' || key, charges)
FROM (VALUES ('ROLLUP (name)', 2), ('CUBE (name, age)', 4), ('GROUPING SETS ((name), ())', 2)) AS v (key, charges);
SELECT t.refuse('0A000', 'SELECT ' || query)
FROM (VALUES
	('dp_count(*) FROM patients GROUP BY id HAVING max(age) > 5'),
	('id, dp_count(*), grouping(id) FROM patients GROUP BY id'),
	('age, dp_count(*) FROM (SELECT * FROM patients ORDER BY id LIMIT 5) AS s GROUP BY age'),
	('name, dp_count(*) FROM patients TABLESAMPLE system (10) GROUP BY name')
) AS v (query) WHERE query !~ 'max\(';
SELECT t.refuse('42803', 'SELECT name, dp_count(*) FROM patients GROUP BY age');
-- what depends on a primary key is a key
SELECT t.accept('SELECT ' || query, 1)
FROM (VALUES
	('name, dp_count(*) FROM patients GROUP BY id'),
	('dp_count(*) FROM patients GROUP BY id HAVING age > 5'),
	('dp_count(*) FROM patients GROUP BY id ORDER BY name'),
	('DISTINCT ON (age) id, dp_count(*) FROM patients GROUP BY id'),
	('id, dp_count(*), row_number() OVER (ORDER BY age) FROM patients GROUP BY id')
) AS v (query);
SELECT t.accept(query, 1)
FROM unnest(ARRAY['SELECT name FROM patients GROUP BY name', 'SELECT name, count(*) FROM patients GROUP BY name', 'SELECT name, dp_count(*), count(*) FROM patients GROUP BY name',
	'SELECT name, dp_count(*) FROM patients GROUP BY name HAVING count(*) > 1', 'SELECT DISTINCT name FROM patients']) AS query;
SELECT t.accept('SELECT name, dp_count(*) FROM patients GROUP BY name ORDER BY max(age)', 2);
SELECT t.accept('SELECT ' || query || ' FROM patients GROUP BY ' || key, 1)
FROM (VALUES
	('age, dp_count(*)', 'age'), ('name, dp_count(*)', 'name'), ('born, dp_count(*)', 'born'), ('seen, dp_count(*)', 'seen'), ('token, dp_count(*)', 'token'),
	('weight, dp_count(*)', 'weight'), ('bmi, dp_count(*)', 'bmi'), ('temperature, dp_count(*)', 'temperature'), ('code, dp_count(*)', 'code'), ('label, dp_count(*)', 'label'),
	('grown, dp_count(*)', 'grown'), ('small, dp_count(*)', 'small'), ('big, dp_count(*)', 'big'), ('1', 'age HAVING dp_count(*) > 5'), ('dp_count(*)', 'age ORDER BY age'),
	('age, dp_count(*)', 'age ORDER BY 2 DESC LIMIT 1'), ('age, dp_count(*) + 1', 'age HAVING age % 2 = 0'), ('age / 2, dp_count(*)', 'age'), ('upper(name), dp_count(*)', 'name'),
	('age, dp_count(*), rank() OVER (ORDER BY dp_count(*))', 'age'), ('DISTINCT dp_count(*)', 'age'), ('city, name, dp_count(*)', '1, 2'), ('age, dp_count(*)', 'DISTINCT age, age'),
	('id, dp_count(*)', 'id'), ('7, dp_count(*)', 'age, 1')
) AS v (query, key);
RESET dp_noise.delta;

-- Which groups are shown, in which order, and how their keys look.
SELECT is(t.rows(query), answer, query)
FROM (VALUES
	('SELECT town, dp_count(*) FROM people GROUP BY town', 'town10,10 | town2,2 | town3,3 | town4,4 | town5,5 | town6,6 | town7,7 | town8,8 | town9,9 | ,5'),
	('SELECT town, dp_count(1) FROM people WHERE age > 70 GROUP BY town', 'town10,10 | town8,8 | town9,9'),
	('SELECT town, dp_count(*) FROM people WHERE age < 10 GROUP BY town', ',5'),
	('SELECT town, dp_count(*) FROM people WHERE age > 1000 GROUP BY town', NULL),
	('SELECT town, dp_count(*) FROM people WHERE false GROUP BY town', NULL),
	('SELECT dp_count(*) FROM people WHERE age > 70 GROUP BY town', '10 | 8 | 9'),
	('SELECT age, dp_count(*) FROM people WHERE age > 70 GROUP BY age', '80,8 | 90,9 | 100,10'),
	('SELECT age::numeric, dp_count(*) FROM people WHERE age > 70 GROUP BY 1', '80,8 | 90,9 | 100,10'),
	('SELECT town, dp_max(age) > 75 AS m FROM people WHERE age > 70 GROUP BY town', 'town10,t | town8,t | town9,t'),
	('SELECT town, dp_count(*) FILTER (WHERE adult), dp_count(*) FROM people GROUP BY town HAVING dp_count(*) < 6', 'town2,0,2 | town3,0,3 | town4,0,4 | town5,5,5 | ,0,5'),
	('SELECT town, dp_count(*) FILTER (WHERE adult) AS n FROM people GROUP BY town ORDER BY n DESC, town LIMIT 2', 'town10,10 | town9,9'),
	('SELECT word, town, dp_count(*) FROM people WHERE age > 70 GROUP BY town, word', 'w1,town10,10 | w2,town8,8 | w0,town9,9'),
	('SELECT price, dp_count(*) FROM people GROUP BY price', '0.5,18 | 1.5,22 | 2.5,15 | ,5'),
	('SELECT x, dp_count(*) FROM people GROUP BY x', '0,18 | NaN,37 | ,5'),
	('SELECT y, dp_count(*) FROM people GROUP BY y', '0,55 | ,5'),
	('SELECT code, dp_count(*) FROM people GROUP BY code', '"c0   ",30 | "c1   ",25 | ,5'),
	('SELECT CASE WHEN adult THEN code ELSE ''x'' END, dp_count(*) FROM people GROUP BY 1', 'c0,24 | c1,21 | x,15'),
	('SELECT born, dp_count(*) FROM people GROUP BY born', '2000-01-01,30 | 2000-01-02,25 | ,5'),
	('SELECT extract(hour FROM seen AT TIME ZONE ''UTC''), dp_count(*) FROM people GROUP BY seen', '0,30 | 1,25 | ,5'),
	('SELECT right(token::text, 2), dp_count(*) FROM people WHERE age > 70 GROUP BY token', '08,8 | 09,9 | 10,10'),
	('SELECT length(feature), dp_count(*) FROM people WHERE age > 70 GROUP BY feature', '10000,10 | 5000,8 | 5000,9'),
	('SELECT years, dp_count(*) FROM people WHERE age > 70 GROUP BY years', '8,8 | 9,9 | 10,10'),
	('SELECT coalesce(town, ''none''), dp_count(*) FROM people WHERE age < 30 GROUP BY 1', 'none,5 | town2,2'),
	('SELECT nullif(age, 80), dp_count(*) FROM people WHERE age > 70 GROUP BY 1', '90,9 | 100,10 | ,8'),
	('SELECT CASE WHEN adult THEN age ELSE 0 END, dp_count(*) FROM people GROUP BY 1', '0,15 | 50,5 | 60,6 | 70,7 | 80,8 | 90,9 | 100,10'),
	('SELECT id, dp_count(*) FROM people GROUP BY id', NULL),
	('SELECT count(*), sum(n) FROM (SELECT town, dp_count(*) AS n FROM people GROUP BY town) AS s', '10,59'),
	-- string_agg meets its first row as a copy, with a short header
	('SELECT concat_ws('':'', pg_column_size(price), n) FROM (SELECT price, dp_count(*) AS n FROM people WHERE age > 9 GROUP BY price) AS s', '5:18 | 10:22 | 10:15'),
	('SELECT pg_column_size(feature), pg_column_compression(feature) IS NULL, n FROM (SELECT feature, dp_count(*) AS n FROM people WHERE age > 70 GROUP BY feature) AS s',
		'10004,t,10 | 5004,t,8 | 5004,t,9'),
	('SELECT town, dp_count(*) FROM fixed GROUP BY town', 'town0,100 | town1,100 | town2,100'),
	('SELECT x, dp_count_distinct(person) FROM visits GROUP BY x', '1,500')
) AS v (query, answer);

-- Nothing of how the rows lie in the table: neither the order of groups nor, of
-- equal values, the one that came first.
CREATE FUNCTION t.shown() RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
	SELECT t.rows('SELECT ' || key || ', dp_count(*) FROM people GROUP BY 1')
	FROM unnest('{town,price,x,y,code,feature,"nullif(age, 80)","coalesce(price, y)","CASE WHEN adult THEN x ELSE y END"}'::text[]) AS key
$$;
CREATE TABLE t.shown AS SELECT * FROM t.shown();
CREATE TABLE t.reversed AS SELECT * FROM public.people ORDER BY id DESC;
DELETE FROM public.people;
INSERT INTO public.people SELECT * FROM t.reversed;
VACUUM public.people;
SELECT results_eq('SELECT * FROM t.shown()', 'SELECT * FROM t.shown', 'rows in another order');
SET enable_hashagg = off;
SELECT results_eq('SELECT * FROM t.shown()', 'SELECT * FROM t.shown', 'groups by sorting');
RESET enable_hashagg;

-- Public keys beside private ones: all values of those, in each group shown.
SELECT is(t.rows(query), answer, query)
FROM (VALUES
	('SELECT town, adult, dp_count(*) FROM people WHERE age IN (20, 10, 50) GROUP BY town, adult', 'town2,f,2 | town2,t,0 | town5,f,0 | town5,t,5'),
	('SELECT adult, town, dp_count(*) FROM people WHERE age IN (20, 10, 50) GROUP BY adult, town', 'f,town2,2 | t,town2,0 | f,town5,0 | t,town5,5'),
	('SELECT mood, town, dp_count(*) FROM people WHERE age = 20 GROUP BY town, mood', 'sad,town2,0 | ok,town2,2 | happy,town2,0 | ,town2,0'),
	('SELECT age > 15, town, id > 2, dp_count(*) FROM people WHERE age < 30 GROUP BY 1, 2, 3',
		'f,town2,f,0 | f,town2,t,0 | t,town2,f,1 | t,town2,t,1 | f,,f,0 | f,,t,5 | t,,f,0 | t,,t,0'),
	('SELECT people.town, dp_count(*) FROM people JOIN regions ON regions.town = people.town GROUP BY people.town', 'town10,10 | town8,8 | town9,9'),
	('SELECT age, region, dp_count(*) FROM people JOIN regions ON regions.town = people.town GROUP BY age, region',
		'80,a,8 | 90,b,9 | 100,a,10'),
	('SELECT dp_count(*) FROM people WHERE age > 1000 GROUP BY town, adult', NULL)
) AS v (query, answer);

-- Cost: delta once; epsilon for each aggregate, and once more where none of
-- them counts all rows of a group, by noise that has a threshold.
CREATE TABLE t.spent (e numeric, d numeric);
INSERT INTO t.spent VALUES (0, 0);
CREATE FUNCTION t.cost(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before record;
	after record;
	result text;
BEGIN
	SELECT epsilon_spent, delta_spent INTO before FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.people';
	result := t.run('gate_ann', query);
	SELECT epsilon_spent, delta_spent INTO after FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.people';
	RETURN CASE WHEN result ~ '^[0-9A-Z]{5}: ' THEN result ELSE concat_ws(', ', trim_scale(after.epsilon_spent - before.epsilon_spent), trim_scale(after.delta_spent - before.delta_spent)) END;
END
$$;
SET dp_noise.epsilon = 0.25;
SET dp_noise.delta = 1e-6;
SELECT is(t.cost('SELECT ' || query), cost, query)
FROM (VALUES
	('dp_count(*) FROM people GROUP BY town', '0.25, 0.000001'),
	('dp_count(1, 0.5) FROM people GROUP BY town', '0.5, 0.000001'),
	('dp_count(1, 0.5, ''laplace'') FROM people GROUP BY town', '0.5, 0.000001'),
	('dp_count(1, 0.5, ''truncated_geometric'') FROM people GROUP BY town', '0.5, 0.000001'),
	('dp_count(1, 0.5, ''staircase'') FROM people GROUP BY town', '0.75, 0.000001'),
	('dp_count(1, 0.5, ''geometric(quantum=5)'') FROM people GROUP BY town', '0.75, 0.000001'),
	('dp_count(1, 0.5, ''gaussian(delta=1e-9)'') FROM people GROUP BY town', '0.75, 0.000001001'),
	('dp_count(town) FROM people GROUP BY town', '0.5, 0.000001'),
	('dp_count(age) FROM people GROUP BY town', '0.25, 0.000001'),
	('dp_count(*) FILTER (WHERE adult) FROM people GROUP BY town', '0.5, 0.000001'),
	('dp_mean(age) FROM people GROUP BY town', '0.5, 0.000001'),
	('dp_mean(age), dp_count(*), dp_sum(age) FROM people GROUP BY town', '0.75, 0.000001'),
	('dp_count(*) FROM people GROUP BY town, adult', '0.5, 0.000001'),
	('dp_count(*) FROM people GROUP BY town, code, age', '0.25, 0.000001'),
	('* FROM (SELECT dp_count(*) FROM people GROUP BY town) AS a, (SELECT dp_count(*) FROM people GROUP BY code) AS b', '0.5, 0.000002')
) AS v (query, cost);
SELECT is(t.cost('EXPLAIN SELECT dp_count(*) FROM people GROUP BY town'), '0, 0', 'EXPLAIN');
SET dp_noise.delta = 0.5;
SELECT dp_noise.set_budget('gate_bob', 'public.people', 1000000, delta => 0.4);
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM people GROUP BY town'), '53400: insufficient privacy budget for "people"', 'more delta than there is');
SELECT is(t.run('gate_bob', 'SELECT dp_mean(age) FROM people GROUP BY town'), '53400: insufficient privacy budget for "people"', 'nor for a count of units');

-- The ledger has a line for it.
SET dp_noise.delta = 1e-6;
SELECT t.run('gate_ann', 'SELECT dp_mean(age) FROM people GROUP BY town') \g /dev/null
SELECT is(string_agg(concat_ws(' ', aggregate, mechanism, trim_scale(epsilon), trim_scale(delta)), ', ' ORDER BY at, delta), 'dp_mean laplace 0.25 0, selection of groups geometric 0.25 0.000001', 'the ledger')
FROM (SELECT * FROM dp_noise.ledger ORDER BY at DESC LIMIT 2) AS l;

-- EXPLAIN: how groups are selected.
CREATE FUNCTION t.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN concat_ws('; ', plan #>> '{0,Plan,Private Group Key}', plan #>> '{0,Plan,Public Group Key}', plan #>> '{0,Plan,Released Rows per Private Key}',
		(SELECT string_agg(format('%s %s', key, value), ', ' ORDER BY key) FROM json_each_text(plan #> '{0,Plan,Group Selection}')),
		plan #>> '{0,Plan,Total Epsilon}', plan #>> '{0,Plan,Total Delta}');
END
$$;
CREATE FUNCTION t.text_plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		result := concat_ws(E'\n', result, line);
	END LOOP;
	RETURN result;
END
$$;
GRANT EXECUTE ON FUNCTION t.plan(text), t.text_plan(text) TO PUBLIC;
SET dp_noise.epsilon = 1;
SELECT is(t.run('gate_ann', format('SELECT t.plan(%L)', query)), plan, query)
FROM (VALUES
	('SELECT dp_count(*) FROM people GROUP BY town', '["town"]; Delta 0.000001, Epsilon 0, Groups Selected by dp_count, Mechanism geometric, Threshold 15; 1; 0.000001'),
	('SELECT dp_mean(age) FROM people GROUP BY town, age', '["town", "age"]; Delta 0.000001, Epsilon 1, Groups Selected by number of privacy units, Mechanism geometric, Threshold 15; 2; 0.000001'),
	('SELECT dp_count(*) FROM people GROUP BY town, adult',
		'["town"]; ["adult (boolean, 2 values)"]; 2; Delta 0.000001, Epsilon 1, Groups Selected by number of privacy units, Mechanism geometric, Threshold 15; 2; 0.000001'),
	('SELECT dp_count(*) FROM visits GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 1, Groups Selected by number of privacy units, Mechanism gaussian, Threshold 38; 2; 0.000001'),
	('SELECT dp_count(1, 1, ''geometric'') FROM visits GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 0, Groups Selected by dp_count, Mechanism geometric, Threshold 219; 1; 0.000001'),
	('SELECT dp_count(person, 1, ''geometric'') FROM visits GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 0, Groups Selected by dp_count, Mechanism geometric, Threshold 219; 1; 0.000001'),
	('SELECT dp_count_distinct(person), dp_count(1, 1, ''geometric'') FROM visits GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 0, Groups Selected by dp_count_distinct, Mechanism geometric, Threshold 45; 2; 0.000001'),
	('SELECT dp_count(1, 1, ''geometric''), dp_count_distinct(person), dp_count_distinct(person, 2) FROM visits GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 0, Groups Selected by dp_count_distinct, Mechanism geometric, Threshold 23; 4; 0.000001'),
	('SELECT dp_count(*) FROM fixed GROUP BY town',
		'["town"]; Delta 0.000001, Epsilon 0, Groups Selected by dp_count, Mechanism geometric, Threshold 28; 1; 0.000001'),
	('SELECT dp_count(1, 0.5, ''gaussian(delta=1e-5)'') FROM people GROUP BY town',
		'["town"]; Delta 0.000001, Epsilon 1, Groups Selected by number of privacy units, Mechanism geometric, Threshold 15; 1.5; 0.000011'),
	('SELECT dp_sum(x) FROM visits GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 1, Groups Selected by number of privacy units, Mechanism gaussian, Threshold 38; 2; 0.000001'),
	('SELECT dp_count(*) FROM moved GROUP BY place',
		'["place"]; Delta 0.000001, Epsilon 1, Groups Selected by number of privacy units, Mechanism gaussian, Threshold 43; 2; 0.000001')
) AS v (query, plan);

SELECT is(t.run('gate_ann', 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT JSON) SELECT town, dp_count(*) FROM people WHERE age < 10 GROUP BY town')::json #>> '{0,Plan,Group Selection,Threshold}',
	'15', 'after execution');
SELECT is(t.run('gate_ann', $$SELECT string_agg(trim(line), '; ') FROM regexp_split_to_table(t.text_plan('SELECT town, adult, dp_mean(age) FROM people GROUP BY town, adult'), E'\n') AS line
	WHERE line !~ 'DP Release|Question|Expected|Answer|Left'$$),
	'Protected Relation: people; Private Group Key: town; Public Group Key: adult (boolean, 2 values); Released Rows per Private Key: 2; Groups Selected by: number of privacy units; '
	'Mechanism: geometric; Threshold: 15; Epsilon: 1; Delta: 0.000001; Aggregate: dp_mean; Mechanism: laplace; Epsilon: 1; Sensitivity: 100; Total Epsilon: 2; Total Delta: 0.000001; '
	'Budget: gate_ann; Least Epsilon per Aggregate: 0.001; Epsilon to Pay: 2; Delta to Pay: 0.000001', 'as text');

-- The states that noise is added to, for tests, have the number of units too.
SELECT set_eq($$SELECT s FROM dp_noise.true_states('SELECT place, dp_count(*) FROM visits WHERE x < 100 GROUP BY place') AS s$$,
	$$SELECT ARRAY['place' || i, '500', '100'] FROM generate_series(0, 4) AS i$$, 'true states');

-- Data sets that differ by one unit differ in the groups shown with at most
-- delta: 10^5 groups of one row each, at once. P(X >= 1) = 0.26894 at epsilon
-- 1, and P(X >= 2) = 0.0989; 6.5 standard deviations.
SET dp_noise.delta = 0.27;
SELECT ok(abs(t.run('gate_ann', 'SELECT count(*) FROM (SELECT id, dp_count(*) FROM lonely GROUP BY id) AS s')::integer - 26894) < 912, 'shown by dp_count');
SELECT ok(abs(t.run('gate_ann', 'SELECT count(*) FROM (SELECT id, dp_max(x, 0, 10) FROM lonely GROUP BY id) AS s')::integer - 26894) < 912, 'shown by their number of units');
SELECT ok(abs(t.run('gate_ann', 'SELECT count(DISTINCT id) FROM (SELECT id, x > 3, dp_max(x, 0, 10) FROM lonely GROUP BY id, x > 3) AS s')::integer - 26894) < 912, 'beside public keys');
SET dp_noise.delta = 0.2;
SET ROLE gate_owner;
SELECT dp_noise.create_population('anew', epsilon => 1e6, delta => 1, on_repeat => 'answer');
SELECT dp_noise.protect('public.lonely', population => 'anew', replace_unit => true), dp_noise.set_budget('gate_bob', 'anew', 1000000, delta => 1);
RESET ROLE;
SELECT ok(abs(t.run('gate_bob', 'SELECT count(*) FROM (SELECT id, dp_count(*) FROM lonely GROUP BY id) AS s')::integer - 9894) < 614, 'a smaller delta');

-- Units of several groups: one is shown in any of the two where it counts with
-- at most delta. By numbers of units, noise of exp(-1/2): P(X >= 3) = 0.13888; by
-- numbers of rows, exp(-1/4): P(X >= 6) = 0.12543; by a count for the selection
-- alone, whose noise ends at 2, P(X = 2) = 0.12475; 30,000 units, 6.5 standard
-- deviations. Rows of nobody are not there.
SET dp_noise.delta = 0.3;
SELECT ok(abs(t.run('gate_ann', 'SELECT count(DISTINCT place / 3) FROM (SELECT place, ' || aggregate || ' FROM loners GROUP BY place) AS s')::integer - 30000 * (1 - (1 - p) ^ 2)) < 500,
	'two groups, shown by ' || aggregate)
FROM (VALUES ('dp_count_distinct(person)', 0.13888), ('dp_max(place, 0, 1)', 0.12475), ('dp_count(1, 1, ''geometric'')', 0.12543)) AS v (aggregate, p);
SELECT is(t.rows('SELECT place, dp_count(*) FROM loners WHERE place * 2 = 0 GROUP BY place'), NULL, 'nor are groups of nobody');

-- A million groups.
SET dp_noise.epsilon = 1;
SET dp_noise.epsilon = 100;
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_ann', 'SELECT concat_ws(''|'', count(*), min(n), max(n), min(k), max(k), bool_and(k = place - 1)) FROM (SELECT k, dp_count(*) AS n, row_number() OVER () AS place FROM many GROUP BY k) AS s'),
	'1000000|3|3|0|999999|t', 'a million groups');
SET work_mem = '64kB';
SELECT is(t.run('gate_ann', 'SELECT concat_ws(''|'', count(*), min(n), max(n)) FROM (SELECT k, dp_count(*) AS n FROM many WHERE k < 200000 GROUP BY k, x IS NULL) AS s'), '400000|0|3', 'in little memory, beside a public key');
RESET work_mem;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT k, dp_count(*) FROM many GROUP BY k, ' || string_agg('x > ' || i, ', ') || ') AS s'),
	'54000: too many groups in a query over a protected relation', 'too many') FROM generate_series(1, 5) AS i;
SELECT dp_noise.set_budget('gate_bob', 'public.people', 1000000, delta => 1);
-- a megabyte, with 256 combinations of public values, which are of two columns
CREATE FUNCTION t.long_key() RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT count(*) FROM (SELECT CASE WHEN town IS NULL THEN %L ELSE town END, dp_count(*) FROM people GROUP BY 1, %s) AS s', repeat('x', (1 << 20) - 1000),
		(SELECT string_agg(format('(age > %s) = (id > 0)', i), ', ') FROM generate_series(1, 8) AS i))
$$;
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay') \g /dev/null
SELECT is(t.run('gate_bob', t.long_key()), '54000: too many groups in a query over a protected relation', 'too long keys');
SELECT is(t.run('gate_bob', t.long_key()), '53400: this question about "people" was answered before', 'have no answer to replay');
SELECT is(count(*), 2::bigint, 'which is charged: it tells how many there are')
FROM (SELECT aggregate FROM dp_noise.ledger WHERE population = 'public.many' ORDER BY at DESC LIMIT 2) AS l WHERE aggregate IN ('dp_count', 'selection of groups');

SELECT dp_noise.alter_population('public.people', on_repeat => 'answer') \g /dev/null

-- Units of several rows: they are counted, not the rows; nobody is shown who is
-- alone, however often, and of many places at most three can be.
SELECT is(t.rows('SELECT place, dp_sum(x) FROM visits GROUP BY place'), 'place0,1000 | place1,1000 | place2,1000 | place3,1000 | place4,1000', 'by number of units');
SELECT is(t.rows('SELECT place, dp_count(*) FROM visits GROUP BY place'), 'place0,500 | place1,500 | place2,500 | place3,500 | place4,500', 'by number of rows');
SELECT is(t.rows('SELECT at, x > 50, dp_count(*) FROM visits GROUP BY at, x > 50'),
	'2020-01-01,f,830 | 2020-01-01,t,10 | 2020-01-01,,0 | 2020-01-02,f,835 | 2020-01-02,t,5 | 2020-01-02,,0 | 2020-01-03,f,835 | 2020-01-03,t,5 | 2020-01-03,,0', 'beside a public key');

-- Prepared statements: the delta of each execution.
SELECT t.run('gate_ann', 'PREPARE towns(integer) AS SELECT count(*) FROM (SELECT town, dp_count(*) FROM people WHERE age > $1 GROUP BY town) AS s');
SET plan_cache_mode = force_generic_plan;
SET dp_noise.epsilon = 100;
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_ann', 'EXECUTE towns(70)'), '3', 'a delta');
SET dp_noise.delta = 0;
SELECT is(t.run('gate_ann', 'EXECUTE towns(70)'), '0A000: GROUP BY of values that are not public needs a delta', 'none');
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_ann', 'EXECUTE towns(80)'), '2', 'again');
SELECT dp_noise.set_values('public.people', 'town', '{town1,town2}');
SET dp_noise.delta = 0;
SELECT is(t.run('gate_ann', 'EXECUTE towns(0)'), '3', 'declared meanwhile: two values, and null');
SELECT dp_noise.set_values('public.people', 'town', NULL);
RESET plan_cache_mode;

-- Replay: the groups of the stored answer, whatever delta there is; a new
-- aggregate beside it is about those groups, and pays for no selection.
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay') \g /dev/null
SELECT dp_noise.set_budget('gate_bob', 'public.people', 1000000, delta => 1);
CREATE FUNCTION t.as_bob(query text) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT t.rows(query, ''gate_bob'')';
CREATE TABLE t.replayed AS SELECT t.as_bob('SELECT town, dp_mean(age, 0, 100, 0.01) FROM people GROUP BY town') AS answer, t.charges() AS charges;
SELECT is(t.as_bob('SELECT town, dp_mean(age, 0, 100, 0.01) FROM people GROUP BY town'), answer, 'replayed') FROM t.replayed;
SET dp_noise.delta = 0;
SELECT is(t.run('gate_bob', 'SELECT string_agg(translate(r::text, ''()'', ''''), '' | '') FROM (SELECT town, dp_mean(age, 0, 100, 0.01) FROM people GROUP BY town) AS r'), answer, 'without a delta') FROM t.replayed;
SELECT is(t.charges(), charges, 'for free') FROM t.replayed;
INSERT INTO public.people (id, town, age, adult) SELECT 1000 + i, 'late', 50, true FROM generate_series(1, 100) AS i;
DELETE FROM public.people WHERE town = 'town9';
SET dp_noise.epsilon = 100;
SELECT is(t.run('gate_bob', 'SELECT string_agg(concat_ws('','', town, n), '' | '') FROM (SELECT town, dp_mean(age, 0, 100, 0.01), dp_count(*) AS n FROM people GROUP BY town) AS s'),
	'town10,10 | town2,2 | town3,3 | town4,4 | town5,5 | town6,6 | town7,7 | town8,8 | town9,0 | 5', 'a new aggregate, about the groups of the old one');
SELECT is(t.charges() - charges, 1::bigint, 'is all that is charged') FROM t.replayed;
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM (SELECT town, dp_sum(age, 0, 100) FROM people GROUP BY town) AS s'), '10', 'alone: selected anew');
SELECT is(t.charges() - charges, 3::bigint, 'and paid for') FROM t.replayed;
-- an answer of no groups is one
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM (SELECT town, dp_sum(age, 0, 100) FROM people WHERE age > 1000 GROUP BY town) AS s'), '0', 'no groups') FROM generate_series(1, 2);
SELECT is(t.charges() - charges, 5::bigint, 'are paid for once') FROM t.replayed;
-- WHERE selects groups, and FILTER does not
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM (SELECT town, dp_sum(age, 0, 100) FILTER (WHERE age > 1000) FROM people GROUP BY town) AS s'), '10', 'a filter leaves all groups there');
SELECT is(t.charges() - charges, 7::bigint, 'as another question') FROM t.replayed;
-- with public keys beside them
CREATE TABLE t.mixed AS SELECT t.as_bob('SELECT adult, town, dp_mean(age, 0, 100, 0.01) FROM people WHERE age < 60 GROUP BY town, adult') AS answer, t.charges() AS charges;
SET dp_noise.delta = 0;
SELECT is(t.run('gate_bob', 'SELECT string_agg(translate(r::text, ''()'', ''''), '' | '') FROM (SELECT adult, town, dp_mean(age, 0, 100, 0.01) FROM people WHERE age < 60 GROUP BY adult, town) AS r'), answer, 'replayed') FROM t.mixed;
SELECT is(t.run('gate_bob', 'SELECT string_agg(concat_ws('','', adult, town, n), '' | '') FROM (SELECT adult, town, dp_mean(age, 0, 100, 0.01), dp_count(*) AS n FROM people WHERE age < 60 GROUP BY town, adult) AS s'),
	'f,late,0 | t,late,100 | f,town2,2 | t,town2,0 | f,town3,3 | t,town3,0 | f,town4,4 | t,town4,0 | f,town5,0 | t,town5,5 | f,5 | t,0', 'with a new aggregate');
SELECT is(t.charges() - charges, 1::bigint, 'for which alone is paid') FROM t.mixed;
SET dp_noise.delta = 1e-6;
SELECT dp_noise.alter_population('public.people', on_repeat => 'refuse') \g /dev/null
SELECT is(t.run('gate_bob', 'SELECT town, dp_sum(age, 0, 100) FROM people GROUP BY town'), '53400: this question about "people" was answered before', 'refused');
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM (SELECT town, dp_max(age, 0, 100) FROM people GROUP BY town) AS s'), '10', 'another aggregate by the same keys is another question');
SELECT dp_noise.alter_population('public.people', on_repeat => 'answer') \g /dev/null

-- Somebody alone in as many groups as may count, of a table whose units may have
-- very many rows: none of them is shown, but with probability 5 delta.
CREATE TABLE public.hermits (person integer, town integer NOT NULL);
INSERT INTO public.hermits SELECT 1, i FROM generate_series(1, 2048) AS i;
SELECT dp_noise.protect('public.hermits', privacy_unit => 'person', max_rows_per_unit => 2147483647, max_groups_per_unit => 2048, epsilon => 1e6, delta => 1),
	dp_noise.alter_population('public.hermits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.hermits', 1000, delta => 1);
SET dp_noise.delta = 1e-10;
SELECT is(t.run('gate_ann', format('SELECT count(*) FROM (SELECT town, dp_count(1, 0.1, %L) FROM hermits GROUP BY town) AS s', m)), '0', m || ': nobody alone is shown')
FROM unnest('{geometric,laplace,geometric,laplace,geometric}'::text[]) AS m;
SET dp_noise.delta = 1e-6;

-- Rescans and cursors.
SELECT is(t.run('gate_ann', 'SELECT max(d) FROM (SELECT town, stddev(n) AS d FROM (SELECT i, s.* FROM generate_series(1, 1000) AS i
	LEFT JOIN (SELECT town, dp_count(1, 3) AS n FROM people GROUP BY town) AS s ON i > n - 1e9) AS u GROUP BY town) AS v'), '0', 'a thousand rescans');

-- Which of several equal values a group shows does not depend on its rows:
-- neither on the first of them, nor on the last, nor on one of one person.
SET ROLE gate_owner;
CREATE TABLE public.forms (number integer, first boolean, span interval, price numeric, real_zero real, zero double precision, code character(4), loose bpchar);
INSERT INTO public.forms
SELECT i, o, CASE WHEN (i = CASE WHEN o THEN 1 ELSE 40 END) = o THEN interval '24 hours' ELSE '1 day' END + (i % 2) * interval '1 month',
	CASE WHEN (i = CASE WHEN o THEN 1 ELSE 40 END) = o THEN 1.00 ELSE 1.0 END, CASE WHEN (i < 20) = o THEN '-0' ELSE '0' END::real, CASE WHEN (i < 20) = o THEN '-0' ELSE '0' END::double precision,
	'a', CASE WHEN (i < 20) = o THEN 'a  ' ELSE 'a' END
FROM generate_series(1, 40) AS i, unnest('{true,false}'::boolean[]) AS o;
INSERT INTO public.forms SELECT 0, o, CASE i % 3 WHEN 0 THEN interval '178000000 years' WHEN 1 THEN interval '-178000000 years' ELSE interval '2147483647 days 2147483647 months 1 us' END
FROM generate_series(1, 60) AS i, unnest('{true,false}'::boolean[]) AS o;
SELECT dp_noise.protect('public.forms', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'public.forms', 10000000, delta => 1) \g /dev/null
RESET ROLE;
SELECT is(t.rows(format('SELECT %1$s, %2$s, dp_count(*) FROM forms WHERE number > 0 AND first = %3$L GROUP BY %1$s', key, shown, o)), wanted, format('one form of %s', key))
FROM (VALUES ('span', 'span::text', '"1 day","1 day",20 | "31 days","31 days",20'), ('price', 'scale(price)', '1,0,40'), ('real_zero', 'real_zero::text', '0,0,40'), ('zero', 'zero::text', '0,0,40'),
	('code', 'octet_length(code)', '"a   ",4,40'), ('loose', 'octet_length(loose)', 'a,1,40'), ('span + ''1 month''', '1', '"31 days",1,20 | "61 days",1,20'),
	('coalesce(price, 2.00)', '1', '1,1,40'), ('- zero', '1', '0,1,40')) AS k (key, shown, wanted), unnest('{true,false}'::boolean[]) AS o;
SELECT is(t.rows('SELECT count(DISTINCT span) FROM (SELECT span, dp_count(*) FROM forms WHERE number = 0 AND first GROUP BY span) AS s'), '3', 'intervals of very many days stay apart');

SELECT * FROM finish();
\ir support/gate_end.sql
