-- How questions are read: dp_noise.describe_question, rule by rule.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, region integer, age integer NOT NULL);
CREATE TABLE public.orders (number integer PRIMARY KEY, person integer REFERENCES people, price numeric);
CREATE TABLE public.lines (number integer REFERENCES orders, line integer, quantity integer, PRIMARY KEY (number, line));
CREATE TABLE public.regions (region integer PRIMARY KEY, name text NOT NULL);
GRANT SELECT ON regions TO PUBLIC;
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 10),
	dp_noise.protect('orders', privacy_unit => 'person', population => 'public.people', max_rows_per_unit => 5, max_groups_per_unit => 3),
	dp_noise.protect('lines', privacy_unit => 'number -> orders', population => 'public.people', max_rows_per_unit => 50, max_groups_per_unit => 7),
	dp_noise.set_bounds('people', 'age', 0, 120);
RESET ROLE;

-- A line for each node, what is known of it behind.
CREATE FUNCTION t.described(question text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' | ', node, nullif(owner, ''), nullif(equal, ''), nullif(keys, ''), nullif(facts, '')) FROM dp_noise.describe_question(question)
$$;

SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM people WHERE age > 3')$$, ARRAY[
	'release by () of dp_count() | by () rows 1 groups 0 one row each',
	'  filter (#0 > ''3'') | unit #1, key of people #1 | one row',
	'    scan people | unit #1, key of people #1 | (), (#1); one row'], 'a condition');
SELECT results_eq($$SELECT t.described('SELECT r.name, dp_count(*), dp_sum(age) FROM people LEFT JOIN regions AS r USING (region) GROUP BY 1')$$, ARRAY[
	'release by (#4) of dp_count(), dp_sum(#1, ''0'', ''120'') | key #0 column of r; by (#0) rows 1 groups 1 one row each',
	'  left join on (#0 = #3) | unit #2, key of people #2 | one row',
	'    scan people | unit #2, key of people #2 | (), (#2); one row',
	'    public r | public | (#0)'], 'a look-up');
SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM people LEFT JOIN regions USING (region)')$$, ARRAY[
	'release by () of dp_count() | by () rows 1 groups 0 one row each',
	'  scan people | unit #1, key of people #1 | (), (#1); one row'], 'a look-up that changes nothing');
SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM lines')$$, ARRAY[
	'release by () of dp_count() | by () rows 50 groups 0',
	'  join on (#0 = #1) | key of orders #0, unit #2, key of orders #1 | #0 = #1 | one value #2',
	'    scan lines | key of orders #0',
	'    scan orders along a path | unit #1, key of orders #0 | (#0)'], 'a path');
SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM lines WHERE quantity > (SELECT avg(quantity) FROM lines AS m WHERE m.number = lines.number)')$$, ARRAY[
	'release by () of dp_count() | by () rows 50 groups 0',
	'  join on (numeric(#1) > value() of [group by () of avg(#1) of filter (#0 = ^#0) of scan lines]), (#0 = #2) | key of orders #0, unit #3, key of orders #2 | #0 = #2 | one value #3',
	'    group by () of avg(#1) | key of orders #0 around (1) | (); one row',
	'      filter (#0 = ^#0) | key of orders #0, key of orders #0 around (1) | #0 = ^#0',
	'        scan lines | key of orders #0',
	'    scan lines | key of orders #0',
	'    scan orders along a path | unit #1, key of orders #0 | (#0)'], 'a path, joined at the end; a sub-query of the same order');
SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM people WHERE NOT EXISTS (SELECT FROM orders WHERE person = id AND price > 3)')$$, ARRAY[
	'release by () of dp_count() | by () rows 1 groups 0 one row each',
	'  filter not(exists() of [project ''1'' of filter (#0 = ^#0), (#1 > ''3'') of scan orders]) | unit #0, key of people #0 | one row',
	'    project ''1'' | unit #0 around (1) | one value #0',
	'      filter (#0 = ^#0), (#1 > ''3'') | unit #0, unit #0 around (1) | #0 = ^#0 | one value #0',
	'        scan orders | unit #0',
	'    scan people | unit #0, key of people #0 | (), (#0); one row'], 'a sub-query of the same person');
SELECT results_eq($$SELECT t.described('SELECT dp_sum(n, 0, 9) FROM (SELECT person, count(*) AS n FROM orders GROUP BY 1) AS s WHERE n > 1')$$, ARRAY[
	'release by () of dp_sum(#1, ''0'', ''9'') | by () rows 1 groups 0',
	'  filter (#1 > ''1'') | unit #0 | one row',
	'    group by (#0) of count() | unit #0 | (); one row',
	'      scan orders | unit #0'], 'groups of a person');
SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT person FROM orders) AS s')$$, ARRAY[
	'release by () of dp_count() | by () rows 5 groups 0',
	'  union | unit #0 | #0 = #1 | one value #0',
	'    project #0, #0 | unit #0, key of people #0 | #0 = #1 | one row',
	'      scan people | unit #0, key of people #0 | (), (#0); one row',
	'    project #0, #0 | unit #0 | #0 = #1 | one value #0 #1',
	'      scan orders | unit #0'], 'one population');
SELECT results_eq($$SELECT t.described('SELECT region, age > 40, dp_count(*) FROM people JOIN orders ON person = id WHERE region IN (1, 2) GROUP BY ROLLUP (1, 2)')$$, ARRAY[
	'release by (#1, (#2 > ''40'')) of dp_count() | key #0 values of the conditions, key #1 boolean; by () rows 5 groups 1; by (#0) rows 5 groups 1; by (#0 #1) rows 5 groups 1',
	'  join on (#3 = #0), any(#1, array(''1'', ''2'')) | unit #0, key of people #0, unit #3 | #3 = #0 | one value #0 #1 #2 #3',
	'    scan people | unit #0, key of people #0 | (), (#0); one row',
	'    scan orders | unit #0'], 'groupings');
SELECT results_eq($$SELECT t.described('SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY person ORDER BY number) AS place FROM orders) AS s WHERE place = 1')$$, ARRAY[
	'release by () of dp_count() | by () rows 5 groups 0',
	'  filter (#0 = ''1'') | unit #1 | one value #0 #1',
	'    project #2, #1 | unit #1 | one value #1',
	'      window row_number() | unit #1, key of orders #0 | one value #1',
	'        scan orders | unit #1, key of orders #0 | (#0)'], 'a window');

-- The inner statements, a line each.
CREATE FUNCTION t.statement(question text) RETURNS text LANGUAGE sql AS $$
SELECT trim(regexp_replace(statement, '\s+', ' ', 'g')) FROM dp_noise.describe_question(question) WHERE statement IS NOT NULL
$$;
SELECT is(t.statement('SELECT ' || question), statement, question) FROM (VALUES
	('dp_count(*) FROM people WHERE age > 3', 'SELECT dp_count(*) AS a1 FROM people WHERE age > 3'),
	('r.name, dp_count(*) FROM people LEFT JOIN regions AS r USING (region) GROUP BY 1',
		'SELECT r.name::text AS k1, dp_count(*) AS a1 FROM people LEFT JOIN "copy of r" r ON people.region = r.region GROUP BY (r.name::text)')) AS v (question, statement);
SELECT matches(t.statement('SELECT ' || question), statement, question) FROM (VALUES
	('dp_count(*) FROM orders AS o LEFT JOIN (orders AS p JOIN regions ON p.number = region) ON o.person = p.person', 'LEFT JOIN \(orders\S* CROSS JOIN "copy of regions" regions\) ON|LEFT JOIN \(orders\S* orders\S* CROSS JOIN|LEFT JOIN \('),
	('dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT person FROM orders) AS s', 'UNION ALL'),
	('region, dp_count(*) FROM people WHERE region IN (1, 2) GROUP BY ROLLUP (1)', ';.* GROUP BY'),
	('dp_sum(n, 0, 9) FROM (SELECT person, count(*) AS n FROM orders GROUP BY 1) AS s', 'GROUP BY orders.person')) AS v (question, statement);

-- of every question of a statement, and what is wrong with it
SELECT is((SELECT count(*)::integer FROM dp_noise.describe_question('SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM orders)') WHERE node LIKE 'release%'), 2, 'two questions');
SELECT throws_ok($$SELECT dp_noise.describe_question('SELECT dp_count(*) FROM people CROSS JOIN orders')$$, '0A000', NULL, 'what is refused is refused here');
SET ROLE gate_ann;
SELECT throws_ok($$SELECT dp_noise.describe_question('SELECT dp_count(*) FROM people')$$, '42501', NULL, 'superusers only');
RESET ROLE;
SELECT * FROM finish();
\ir support/gate_end.sql
