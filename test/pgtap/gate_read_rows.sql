-- How rows are read: dp_noise.describe_question over joins, sub-queries and views.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, region integer, age integer NOT NULL);
CREATE TABLE public.orders (number integer PRIMARY KEY, person integer REFERENCES people, price numeric);
CREATE TABLE public.lines (number integer REFERENCES orders, line integer, quantity integer, PRIMARY KEY (number, line));
CREATE TABLE public.notes (id integer PRIMARY KEY, person integer, body json, price numeric);
CREATE TABLE public.regions (region integer PRIMARY KEY, name text NOT NULL);
GRANT SELECT ON regions TO PUBLIC;
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 10),
	dp_noise.protect('orders', privacy_unit => 'person', population => 'public.people', max_rows_per_unit => 5, max_groups_per_unit => 3),
	dp_noise.protect('lines', privacy_unit => 'number -> orders', population => 'public.people', max_rows_per_unit => 50, max_groups_per_unit => 7),
	dp_noise.protect('notes', privacy_unit => 'person', population => 'public.people', max_rows_per_unit => 5, max_groups_per_unit => 3);
CREATE VIEW public.buyers AS SELECT person AS who, count(*) AS n FROM orders GROUP BY person;
SELECT dp_noise.protect('buyers', privacy_unit => 'who', max_rows_per_unit => 1, max_groups_per_unit => 1, population => 'public.people');
RESET ROLE;

-- The nodes below the question, with their owners and what is equal.
CREATE FUNCTION t.rows_of(question text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' | ', node, nullif(owner, ''), nullif(equal, '')) FROM dp_noise.describe_question(question) WHERE node NOT LIKE 'release%'
$$;

SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people LEFT JOIN orders ON person = id WHERE orders.price > 3')$q$, ARRAY[
	'  filter (#2 > ''3'') | unit #0, key of people #0',
	'    left join on (#1 = #0) | unit #0, key of people #0',
	'      scan people | unit #0, key of people #0',
	'      scan orders | unit #0'], 'a filter above a left join');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people LEFT JOIN orders ON true WHERE person = id')$q$, ARRAY[
	'  join on (#1 = #0) | unit #0, key of people #0, unit #1 | #1 = #0',
	'    scan people | unit #0, key of people #0',
	'    scan orders | unit #0'], 'a left join that needs a match is an inner one');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people LEFT JOIN (orders JOIN lines ON true) ON person = id AND lines.number = orders.number')$q$, ARRAY[
	'  left join on (#2 = #0) | unit #0, key of people #0 | #3 = #1',
	'    scan people | unit #0, key of people #0',
	'    join on (#2 = #0) | unit #1, key of orders #0, key of orders #2 | #2 = #0',
	'      scan orders | unit #1, key of orders #0',
	'      scan lines | key of orders #0'], 'conditions of the nullable side alone');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people AS p LEFT JOIN (orders AS o JOIN orders AS q ON true) ON o.person = id AND q.person = id')$q$, ARRAY[
	'  left join on (#1 = #0), (#2 = #0) | unit #0, key of people #0 | #1 = #2',
	'    scan people | unit #0, key of people #0',
	'    join on (#0 = #1) | unit #0, unit #1 | #0 = #1',
	'      scan orders | unit #0',
	'      scan orders | unit #0'], 'what follows from two equations');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM regions RIGHT JOIN people USING (region) WHERE name ~ ''x'' AND age > 3')$q$, ARRAY[
	'  filter (#4 ~ ''x'') | unit #2, key of people #2',
	'    left join on (#3 = #0) | unit #2, key of people #2',
	'      filter (#1 > ''3'') | unit #2, key of people #2',
	'        scan people | unit #2, key of people #2',
	'      public regions | public'], 'a right join is turned around');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM buyers WHERE n > 3')$q$, ARRAY[
	'  filter (#1 > ''3'') | unit #0 | #0 = #2',
	'    view buyers | unit #0 | #0 = #2',
	'      project #0, #1, #0 | unit #0 | #0 = #2',
	'        group by (#0) of count() | unit #0',
	'          scan orders | unit #0'], 'a protected view');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM orders WHERE number IN (SELECT number FROM lines GROUP BY number HAVING sum(quantity) > 300)')$q$, ARRAY[
	'  filter any((#0 = compared())) of [filter not_null(#0) of project #0 of filter (#1 > ''300'') of group by (#0) of sum(#1) of scan lines] | unit #1, key of orders #0',
	'    filter not_null(#0) | key of orders #0',
	'      project #0 | key of orders #0',
	'        filter (#1 > ''300'') | key of orders #0',
	'          group by (#0) of sum(#1) | key of orders #0',
	'            scan lines | key of orders #0',
	'    scan orders | unit #1, key of orders #0'], 'IN compares what names the unit, without nulls');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people WHERE id NOT IN (SELECT person FROM orders)')$q$, ARRAY[
	'  filter not(any((#0 = compared())) of [filter not_null(#0) of scan orders]) | unit #0, key of people #0',
	'    filter not_null(#0) | unit #0',
	'      scan orders | unit #0',
	'    scan people | unit #0, key of people #0'], 'NOT IN of the same people, without nulls');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_sum(b, 0, 10) FROM (SELECT age / 2 AS b, person FROM people LEFT JOIN (SELECT person, price + 1 AS p FROM orders) AS o ON o.person = people.id) AS s')$q$, ARRAY[
	'  left join on (#2 = #0) | unit #0, key of people #0',
	'    scan people | unit #0, key of people #0',
	'    project #0, (#1 + ''1'') | unit #0',
	'      scan orders | unit #0'], 'the nullable side computes something');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM (SELECT number, count(*) AS n, sum(quantity) AS q FROM lines GROUP BY number HAVING max(quantity) > 3) AS s')$q$, ARRAY[
	'  join on (#0 = #3) | key of orders #0, unit #4, key of orders #3 | #0 = #3',
	'    project #0, #1, #2 | key of orders #0',
	'      filter (#3 > ''3'') | key of orders #0',
	'        group by (#0) of count(), sum(#1), max(#1) | key of orders #0',
	'          scan lines | key of orders #0',
	'    scan orders along a path | unit #1, key of orders #0'], 'groups by a key that refers along a path');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM (SELECT DISTINCT number FROM lines) AS s')$q$, ARRAY[
	'  join on (#0 = #1) | key of orders #0, unit #2, key of orders #1 | #0 = #1',
	'    group by (#0) of  | key of orders #0',
	'      scan lines | key of orders #0',
	'    scan orders along a path | unit #1, key of orders #0'], 'distinct rows by such a key');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM (SELECT number, person, price, count(*) FROM orders GROUP BY number) AS s')$q$, ARRAY[
	'  group by (#0, #1) of #2, count() | unit #1, key of orders #0',
	'    scan orders | unit #1, key of orders #0'], 'columns that a key determines');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people WHERE region IN (SELECT region FROM regions) AND age > (SELECT 3)')$q$, ARRAY[
	'  filter any((#0 = compared())) of [public dp_public], (#1 > $1) | unit #2, key of people #2',
	'    public dp_public | public',
	'    scan people | unit #2, key of people #2'], 'public sub-queries, and a constant');
SELECT results_eq($q$SELECT t.rows_of('WITH w AS (SELECT * FROM people WHERE age > 3) SELECT dp_count(*) FROM w AS a JOIN w AS b USING (id)')$q$, ARRAY[
	'  join on (#0 = #2), (#1 > ''3''), (#3 > ''3'') | unit #0, key of people #0, unit #2, key of people #2 | #0 = #2',
	'    scan people | unit #0, key of people #0',
	'    scan people | unit #0, key of people #0'], 'WITH is written out');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people LEFT JOIN orders ON person = id AND EXISTS (SELECT FROM lines WHERE lines.number = orders.number)')$q$, ARRAY[
	'  left join on (#2 = #0), exists() of [project ''1'' of filter (#0 = ^#1) of scan lines] | unit #0, key of people #0',
	'    project ''1'' | key of orders #1 around (1)',
	'      filter (#0 = ^#1) | key of orders #0, key of orders #1 around (1) | #0 = ^#1',
	'        scan lines | key of orders #0',
	'    scan people | unit #0, key of people #0',
	'    scan orders | unit #1, key of orders #0'], 'a sub-query in ON sees a match');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM (SELECT id, person, body, price, count(*) FROM notes GROUP BY id) AS s WHERE body IS NULL AND price::text = ''1.00''')$q$, ARRAY[
	'  filter null(#2), (cast(#3) = ''1.00'') | unit #1, key of notes #0',
	'    group by (#0, #1) of #2, #3, count() | unit #1, key of notes #0',
	'      scan notes | unit #1, key of notes #0'], 'such columns keep their form');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM (SELECT person, price, row_number() OVER (PARTITION BY person ORDER BY price) AS r, rank() OVER (PARTITION BY person ORDER BY price) AS s FROM notes) AS s WHERE s = 1')$q$, ARRAY[
	'  filter (#3 = ''1'') | unit #0',
	'    project #0, #1, #2, #3 | unit #0',
	'      window row_number(), rank() | unit #0',
	'        scan notes | unit #0'], 'windows, and which of their columns are named');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people WHERE EXISTS (SELECT FROM (SELECT * FROM orders WHERE price > 3) AS o WHERE o.person = people.id AND o.number IN (SELECT number FROM lines WHERE lines.quantity = people.age))')$q$, ARRAY[
	'  filter exists() of [project ''1'' of filter (#1 = ^#0), (#2 > ''3''), any((#0 = compared())) of [filter not_null(#0) of project #0 of filter (#1 = ^^#1) of scan lines] of scan orders] | unit #0, key of people #0',
	'    project ''1'' | unit #0 around (1)',
	'      filter (#1 = ^#0), (#2 > ''3''), any((#0 = compared())) of [filter not_null(#0) of project #0 of filter (#1 = ^^#1) of scan lines] | unit #1, key of orders #0, unit #0 around (1) | #1 = ^#0',
	'        filter not_null(#0) | key of orders #0',
	'          project #0 | key of orders #0',
	'            filter (#1 = ^^#1) | key of orders #0 | #1 = ^^#1',
	'              scan lines | key of orders #0',
	'        scan orders | unit #1, key of orders #0',
	'    scan people | unit #0, key of people #0'], 'sub-queries within sub-queries');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people LEFT JOIN (orders LEFT JOIN lines ON lines.number = orders.number) ON person = id LEFT JOIN regions ON regions.region = quantity WHERE orders.number = people.age')$q$, ARRAY[
	'  left join on (#4 = #2) | unit #0, key of people #0, unit #3, key of orders #2 | #2 = #1; #3 = #0',
	'    join on (#2 = #1), (#3 = #0) | unit #0, key of people #0, unit #3, key of orders #2 | #2 = #1; #3 = #0',
	'      scan people | unit #0, key of people #0',
	'      scan orders | unit #1, key of orders #0',
	'    scan lines | key of orders #0'], 'what is joined to a nullable side that matches keeps its place');
SELECT results_eq($q$SELECT t.rows_of('SELECT dp_count(*) FROM people JOIN orders ON person = id LEFT JOIN regions ON 1 = 2 WHERE people.region = regions.region')$q$, ARRAY[
	'  join on (#2 = #0), (#1 = #3), ''f'' | unit #0, key of people #0, unit #2 | #2 = #0; #1 = #3',
	'    scan people | unit #0, key of people #0',
	'    scan orders | unit #0',
	'    public regions | public'], 'a condition that is never true hides no other');

SELECT throws_ok($$SELECT dp_noise.describe_question('SELECT dp_count(*) FROM people LEFT JOIN (orders CROSS JOIN notes) ON orders.person = people.id')$$, '0A000',
	'a join of protected relations on anything but their privacy units cannot be used in a query over a protected relation', 'a nullable side of several units');
SELECT throws_ok($$SELECT dp_noise.describe_question('SELECT dp_count(*) FROM regions LEFT JOIN people USING (region)')$$, '0A000',
	'an aggregate that counts public rows without a match cannot be used in a query over a protected relation', 'public rows left join owned ones');
SELECT * FROM finish();
\ir support/gate_end.sql
