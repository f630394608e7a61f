--
-- What no rule is there for over protected relations, word for word: the rule
-- that is missing, what to write instead, and where it is written. None depends
-- on noise or on data, and nothing is charged.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_noise;
\pset tuples_only on
CREATE SCHEMA refusals;
SET search_path = refusals, public;
CREATE TABLE people (id integer PRIMARY KEY, age integer, name text);
CREATE TABLE visits (id integer PRIMARY KEY, person integer REFERENCES people, cost integer);
CREATE TABLE items (visit integer REFERENCES visits, price integer);
CREATE TABLE alone (x integer, y integer);
CREATE TABLE towns (id integer PRIMARY KEY, name text);
INSERT INTO people VALUES (1, 30, 'a');
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('visits', privacy_unit => 'person', max_rows_per_unit => 3, population => 'people');
SELECT dp_noise.protect('items', privacy_unit => 'visit -> visits', max_rows_per_unit => 3);
SELECT dp_noise.protect('alone', epsilon => 1e6, delta => 1);
SELECT count(*) AS charges FROM dp_noise.ledger \gset

-- the block
SELECT dp_count(*), generate_series(1, 2) FROM people GROUP BY ROLLUP (age);
SELECT dp_count(*) FROM ONLY people WHERE age > 3;
SELECT dp_count(*) FROM people TABLESAMPLE BERNOULLI (10);

-- joins
SELECT dp_count(*) FROM people AS p, alone AS a WHERE p.id = a.x;
SELECT dp_count(*) FROM people AS p JOIN visits AS v ON p.age = v.cost;
SELECT dp_count(*) FROM visits AS v, items AS i WHERE v.cost = i.price;
SELECT dp_count(*) FROM towns AS t LEFT JOIN people AS p ON t.id = p.id;
SELECT dp_count(*) FROM people AS p FULL JOIN visits AS v ON p.id = v.person;
SELECT dp_count(*) FROM people AS p, LATERAL (SELECT t.name FROM towns AS t WHERE t.id = p.id) AS s;
SELECT dp_count(*) FROM people AS p, LATERAL (SELECT v.cost FROM visits AS v WHERE v.person = p.id LIMIT 1) AS s;

-- sub-queries in FROM
SELECT dp_count(*) FROM (SELECT id FROM people LIMIT 10) AS s;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (id) id, age FROM people ORDER BY id) AS s;
SELECT dp_count(*) FROM (SELECT age, count(*) AS n FROM people GROUP BY age) AS s;
SELECT dp_count(*) FROM (SELECT count(*) AS n FROM people) AS s;
SELECT dp_count(*) FROM (SELECT DISTINCT age FROM people) AS s;
SELECT dp_count(*) FROM (SELECT id, age, count(*) AS n FROM people GROUP BY CUBE (id, age)) AS s;
SELECT dp_count(*) FROM (SELECT id, row_number() OVER (PARTITION BY age ORDER BY id) AS n FROM people) AS s;
SELECT dp_count(*) FROM (SELECT id, sum(age) OVER (PARTITION BY id ORDER BY age GROUPS 3 PRECEDING) AS n FROM people) AS s;
SELECT dp_count(*) FROM (SELECT id, generate_series(1, age) FROM people) AS s;
SELECT dp_count(*) FROM (SELECT id FROM people EXCEPT ALL SELECT person FROM visits) AS s;
SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT id FROM towns) AS s;
SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT x FROM alone) AS s;
SELECT dp_count(*) FROM (WITH RECURSIVE r AS (SELECT id FROM people UNION SELECT id + 1 FROM r) SELECT id FROM r) AS s;
SELECT dp_count(*) FROM (SELECT id FROM people FOR UPDATE) AS s;
WITH RECURSIVE r AS (SELECT id FROM people UNION SELECT id + 1 FROM r) SELECT dp_count(*) FROM r;
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT dp_count(*) FROM people JOIN r ON n = age;
WITH w AS (SELECT id, random() FROM people) SELECT dp_count(*) FROM w;
WITH w AS (SELECT dp_mean(age, 0, 10) AS m FROM people) SELECT dp_count(*) FROM people, w, w AS x WHERE age > w.m;

-- sub-queries as conditions and values
SELECT dp_count(*) FROM people AS p WHERE EXISTS (SELECT FROM visits AS v WHERE v.cost > p.age);
SELECT dp_count(*) FROM people AS p WHERE p.age > (SELECT v.cost FROM visits AS v WHERE v.person = p.id);
SELECT dp_count(*) FROM people JOIN (SELECT ROW(m, 1) AS r FROM (SELECT dp_mean(age, 0, 10) AS m FROM people) AS s) AS a ON r IS NOT NULL;
SELECT dp_count(*) FROM people GROUP BY (SELECT true);
WITH w AS (SELECT dp_mean(age, 0, 10) AS m FROM people) SELECT dp_count(*) FROM people WHERE age > (SELECT m FROM w) AND age < (SELECT m FROM w);
SELECT dp_count(*) FROM people AS p WHERE p.age = ANY (ARRAY(SELECT v.cost FROM visits AS v WHERE v.person = p.id));
SELECT dp_count(*) FROM people AS p WHERE p.id IN (SELECT v.person FROM visits AS v ORDER BY v.cost LIMIT 3);
SELECT dp_count(*), (SELECT count(*) FROM visits) FROM people;

-- what protect() warns of
CREATE TABLE wards (ward integer PRIMARY KEY);
SELECT dp_noise.protect('wards', 'ward', population => 'people');
CREATE TABLE shifts (staff integer REFERENCES wards);
CREATE TABLE stays (person integer REFERENCES people, staff integer REFERENCES wards);
SELECT dp_noise.unprotect('wards');
SELECT dp_noise.protect('shifts', 'staff', max_rows_per_unit => 1, population => 'people');
SELECT dp_noise.protect('stays', 'person', max_rows_per_unit => 1, population => 'people');
SELECT dp_noise.protect('wards', epsilon => 1);
CREATE VIEW old AS SELECT id FROM people WHERE age > 60;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
SELECT dp_noise.protect('old', 'id');

SELECT count(*) = :charges AS nothing_charged FROM dp_noise.ledger;
DROP SCHEMA refusals CASCADE;
