-- Whose the rows of a question are: dp_noise.describe_question() shows it. An order's
-- number names its customer, also in lines that refer to it along a path.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.towns (id integer PRIMARY KEY, code integer UNIQUE);
GRANT SELECT ON public.towns TO PUBLIC;
CREATE TABLE public.people (pid bigint PRIMARY KEY, code text COLLATE "C" NOT NULL UNIQUE, alias integer UNIQUE, town integer, age integer);
CREATE TABLE public.orders (oid integer PRIMARY KEY, number integer UNIQUE, pid integer, x integer);
CREATE TABLE public.lines (oid integer, no integer NOT NULL, price integer, UNIQUE (oid, no));
CREATE TABLE public.pieces (id integer PRIMARY KEY, number integer);
CREATE TABLE public.deep (id integer PRIMARY KEY, piece integer);
CREATE TABLE public.pids (ref bigint, w integer);
CREATE TABLE public.rowed (id integer PRIMARY KEY, v integer);
CREATE TABLE public.notes (rid integer, v integer);
CREATE TABLE public.parent (oid integer PRIMARY KEY, pid integer);
CREATE TABLE public.heir () INHERITS (public.parent);
SELECT dp_noise.protect('people', privacy_unit => 'pid', epsilon => 10, delta => 0.1) \g /dev/null
SELECT dp_noise.protect(r, privacy_unit => u, max_rows_per_unit => 5, population => 'people')
FROM (VALUES ('orders', 'pid'), ('lines', 'oid -> orders'), ('pieces', 'number -> orders(number)'), ('deep', 'piece -> pieces'), ('pids', 'ref -> people'), ('parent', 'pid')) AS v (r, u) \g /dev/null
SELECT dp_noise.protect('rowed', epsilon => 10, delta => 0.1), dp_noise.protect('notes', privacy_unit => 'rid -> rowed', max_rows_per_unit => 5) \g /dev/null
RESET ROLE;
CREATE SCHEMA shop AUTHORIZATION gate_bob;
SET ROLE gate_bob;
CREATE TABLE shop.buys (person bigint NOT NULL, price integer);
SELECT dp_noise.protect('shop.buys', privacy_unit => 'person', max_rows_per_unit => 5, epsilon => 10, delta => 0.1) \g /dev/null
RESET ROLE;

-- What names the unit of the rows of FROM, once the paths are followed; or why there is no rule.
CREATE FUNCTION t.owner(source text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT regexp_replace(owner, ' #\d+', '', 'g') FROM dp_noise.describe_question('SELECT dp_count(*) FROM ' || source) WITH ORDINALITY AS d (node, columns, owner, equal, keys, facts, form, statement, place) WHERE place = 2);
EXCEPTION WHEN feature_not_supported THEN
	RETURN split_part(sqlerrm, ' cannot be used in a query', 1);
END
$$;

-- Relations, and paths.
SELECT is(t.owner(q), o, q) FROM (VALUES
	('people', 'unit, key of people'), ('(SELECT pid, code, alias FROM people OFFSET 0) AS q', 'LIMIT or OFFSET in a sub-query'), ('orders', 'unit'),
	('lines', 'key of orders, unit, key of orders'), ('deep', 'key of pieces, key of orders, key of pieces, unit, key of orders'),
	('pids', 'key of people, unit, key of people'), ('rowed', 'unit'), ('notes', 'key of rowed, unit, key of rowed'), ('parent WHERE oid > 3', 'unit')) AS v (q, o);

-- Joins of one unit: by values, by keys, by what refers to keys; and of others. What an index of a table with heirs
-- says, is said of its own rows alone.
SELECT is(t.owner(q), 'a join of protected relations on anything but their privacy units', 'others: ' || q) FROM unnest(ARRAY[
	'lines l JOIN lines m USING (no)', 'pieces p JOIN orders o ON p.number = o.oid', 'deep d JOIN orders o ON o.number = d.piece', 'people a JOIN people b ON a.town = b.town',
	'people a JOIN people b ON a.alias = b.age', 'people LEFT JOIN lines ON lines.oid = people.pid', 'parent a JOIN parent b USING (oid)',
	'people a LEFT JOIN people b USING (pid) JOIN orders c ON c.pid = b.age', 'orders a JOIN orders b ON a.oid IS NOT DISTINCT FROM b.oid', 'orders a JOIN orders b ON a.oid = b.oid OR a.x = 1']) AS q;
SELECT unalike(t.owner(q), '%protected%', 'one: ' || q) FROM unnest(ARRAY[
	'lines JOIN orders USING (oid)', 'lines l JOIN lines m USING (oid)', 'pieces p JOIN orders o ON p.number = o.number', 'pieces p, lines l, orders o WHERE l.oid = o.oid AND p.number = o.number',
	'deep d JOIN pieces p ON d.piece = p.id JOIN orders o ON o.number = p.number JOIN people USING (pid)', 'pids JOIN orders ON pid = ref', 'pids JOIN shop.buys ON ref = person', 'people a JOIN people b USING (code)',
	'people a JOIN people b USING (alias)', 'orders a JOIN orders b USING (number)', 'notes JOIN rowed ON rid = id', 'notes a JOIN notes b USING (rid)',
	'people p LEFT JOIN orders o ON p.pid = o.pid LEFT JOIN lines l ON l.oid = o.oid', 'people p LEFT JOIN (orders o LEFT JOIN lines USING (oid)) ON p.pid = o.pid', 'people p LEFT JOIN orders o ON p.pid = o.pid JOIN lines l ON l.oid = o.oid']) AS q;
SELECT is(t.owner(q), o, q) FROM (VALUES
	('rowed a JOIN rowed b USING (id)', 'a join of protected relations whose privacy units are their rows'), ('rowed JOIN people ON pid = id', 'a join of protected relations whose privacy units are their rows'), ('notes JOIN people ON pid = rid', 'a join of protected relations whose privacy units are their rows'),
	('towns LEFT JOIN people ON town = towns.id', 'an aggregate that counts public rows without a match'), ('people LEFT JOIN orders USING (pid)', 'unit, key of people'), ('people LEFT JOIN towns ON town > towns.id', 'unit, key of people')) AS v (q, o);

-- Where two populations meet, an index of one does not say whose a row of the other is.
SELECT is(t.owner('people a JOIN shop.buys b ON a.pid = b.person JOIN (people c JOIN shop.buys d ON c.pid = d.person) ON a.code = c.code' || more), o, 'two buyers' || more)
FROM (VALUES ('', 'a join of protected relations on anything but their privacy units'), (' AND a.pid = c.pid', 'unit, key of people, key of people, unit, unit, key of people, key of people, unit; 2 populations')) AS v (more, o);
SELECT is(t.owner('people a JOIN shop.buys b ON a.pid = b.person WHERE EXISTS (SELECT FROM people c JOIN shop.buys d ON c.pid = d.person WHERE a.code = c.code' || more || ')'), o, 'other buyers' || more)
FROM (VALUES ('', 'a sub-query over the rows of other privacy units'), (' AND a.pid = c.pid', 'unit, key of people, key of people, unit; exchanges; 2 populations')) AS v (more, o);

-- Groups, distinct rows, windows. A key that may be null names nobody in the rows where it is, of several units; a reference that is null refers to nobody.
SELECT alike(t.owner('(SELECT ' || q || ') AS q'), '%of several privacy units'' rows', 'others: ' || q) FROM unnest(ARRAY[
	'alias, count(*) FROM people GROUP BY alias', 'number, count(*) FROM orders GROUP BY number', 'no, count(*) FROM lines GROUP BY no', 'count(*) FROM lines', 'oid, count(*) FROM parent GROUP BY oid', 'oid + 0, count(*) FROM lines GROUP BY 1', 'l.oid, count(*) FROM orders o LEFT JOIN lines l USING (oid) GROUP BY l.oid', 'v FROM rowed GROUP BY v',
	'DISTINCT no FROM lines', 'DISTINCT number FROM orders', 'row_number() OVER (PARTITION BY number ORDER BY x) FROM orders', 'row_number() OVER (ORDER BY x) FROM orders', 'row_number() OVER (PARTITION BY pid ORDER BY x), rank() OVER (ORDER BY x) FROM orders']) AS q;
SELECT unalike(t.owner('(SELECT ' || q || ') AS q'), '%several privacy units%', 'one: ' || q) FROM unnest(ARRAY[
	'code, count(*) FROM people GROUP BY code', 'oid, count(*) FROM orders GROUP BY oid', 'oid, count(*) FROM lines GROUP BY oid', 'number, count(*) FROM pieces GROUP BY number', 'l.oid, count(*) FROM orders o JOIN lines l USING (oid) GROUP BY l.oid', 'o.oid, count(*) FROM orders o LEFT JOIN lines l USING (oid) GROUP BY o.oid', 'id, count(*) FROM rowed GROUP BY id', 'rid, count(*) FROM notes GROUP BY rid',
	'DISTINCT oid FROM lines', 'row_number() OVER (PARTITION BY oid ORDER BY price) FROM lines']) AS q;
SELECT is(t.owner('(SELECT oid, sum(price) AS s FROM lines GROUP BY oid) AS q JOIN orders USING (oid) JOIN people USING (pid)'), 'key of orders, unit, key of orders, unit, key of people', 'groups are joined by their keys');

-- UNION ALL.
SELECT is(t.owner('(SELECT ' || q || ') AS q'), o, q) FROM (VALUES
	('oid FROM lines UNION ALL SELECT oid FROM orders', 'key of orders, unit'), ('oid FROM lines UNION ALL SELECT number FROM pieces', 'unit'), ('oid FROM lines UNION ALL SELECT oid + 1 FROM lines', 'unit'),
	('pid FROM orders UNION ALL SELECT person::integer FROM shop.buys', 'UNION ALL of protected relations whose privacy units are different people'), ('pid FROM people UNION ALL SELECT pid FROM orders', 'UNION ALL of protected relations whose privacy units are different people'), ('v FROM rowed UNION ALL SELECT v FROM notes', 'unit'),
	('x FROM orders UNION ALL SELECT id FROM towns', 'UNION ALL of protected and other rows')) AS v (q, o);

-- Conditions over a unit's own rows, and over those of others.
SELECT is(t.owner(q), 'a sub-query over the rows of other privacy units', 'others: ' || q) FROM unnest(ARRAY[
	'people p WHERE EXISTS (SELECT FROM orders)', 'people p WHERE EXISTS (SELECT FROM orders o WHERE o.x = p.age)', 'people p WHERE EXISTS (SELECT FROM lines l WHERE l.oid = p.pid)', 'people p WHERE EXISTS (SELECT FROM orders o WHERE o.pid IS NOT DISTINCT FROM p.pid)',
	'orders o WHERE EXISTS (SELECT FROM lines l WHERE l.oid = o.oid AND EXISTS (SELECT FROM lines m WHERE m.price > o.x))', 'orders o WHERE EXISTS (SELECT FROM lines l WHERE l.oid = o.oid AND EXISTS (SELECT FROM lines m WHERE m.oid = o.x AND m.price = l.oid))',
	'people WHERE pid <> ALL (SELECT pid FROM orders)', 'people WHERE age IN (SELECT x FROM orders)', 'people WHERE pid IN (SELECT x FROM orders)', 'people WHERE age IN (SELECT pid FROM orders)', 'people WHERE alias NOT IN (SELECT alias FROM people)', 'orders WHERE number NOT IN (SELECT number FROM pieces)', 'orders WHERE oid IN (SELECT max(oid) FROM lines)', 'lines WHERE no IN (SELECT no FROM lines)',
	'orders o WHERE (SELECT count(*) FROM lines) > 3', 'orders o WHERE (SELECT count(*) FROM lines WHERE price = o.x) > 3', 'people LEFT JOIN orders USING (pid) WHERE EXISTS (SELECT FROM lines l WHERE l.oid = orders.oid)']) AS q;
SELECT unalike(t.owner(q), '%a sub-query%', 'own: ' || q) FROM unnest(ARRAY[
	'people p WHERE NOT EXISTS (SELECT FROM orders o WHERE o.pid = p.pid AND x > 3)', 'people p WHERE EXISTS (SELECT FROM lines l, orders o WHERE l.oid = o.oid AND o.pid = p.pid)', 'lines l WHERE EXISTS (SELECT FROM lines m WHERE l.oid = m.oid AND l.price > m.price)', 'orders o WHERE EXISTS (SELECT FROM pieces l WHERE l.number = o.number)',
	'orders o WHERE EXISTS (SELECT FROM lines l WHERE l.oid = o.oid AND EXISTS (SELECT FROM lines m WHERE m.oid = o.oid AND m.price > l.price))', 'orders o WHERE EXISTS (SELECT FROM lines l WHERE l.oid = o.oid AND EXISTS (SELECT FROM lines m WHERE m.oid = l.oid AND m.price > o.x))',
	'people WHERE pid NOT IN (SELECT pid FROM orders)', 'people WHERE (pid, age) NOT IN (SELECT pid, x FROM orders)', 'people WHERE code NOT IN (SELECT code FROM people)', 'pieces WHERE number NOT IN (SELECT number FROM pieces)', 'orders WHERE oid NOT IN (SELECT oid FROM lines)', 'lines WHERE (no, oid) NOT IN (SELECT no, oid FROM lines)', 'orders WHERE oid IN (SELECT oid FROM orders GROUP BY oid HAVING count(*) > 2)',
	'orders o WHERE (SELECT count(*) FROM lines WHERE lines.oid = o.oid) > 3', 'orders o WHERE EXISTS (SELECT FROM lines WHERE lines.oid = o.oid GROUP BY no HAVING count(*) > 1)', 'orders o WHERE EXISTS (SELECT FROM (SELECT count(*) AS c FROM lines WHERE lines.oid = o.oid) AS s WHERE c > 3)']) AS q;
SELECT is(t.owner('orders o WHERE EXISTS (SELECT FROM towns t WHERE t.id = o.x AND EXISTS (SELECT FROM lines m WHERE m.oid = o.oid))'), 'a sub-query over a protected relation within rows without a privacy unit', 'nor within what is public');
-- NOT IN would be null for everybody: rows of nobody are left out.
SELECT is((SELECT node FROM dp_noise.describe_question('SELECT dp_count(*) FROM ' || q) WHERE node ~ '^ *filter not_null'), '    filter not_null(#' || compared || ')', q) FROM (VALUES ('people WHERE pid NOT IN (SELECT pid FROM orders)', 0), ('people WHERE code NOT IN (SELECT code FROM people)', 0), ('people WHERE (age, pid) IN (SELECT x + 1, pid FROM orders)', 1)) AS v (q, compared);

-- One population decides about rows of another.
SELECT is(t.owner(q) ~ 'exchanges', exchanges, q) FROM (VALUES
	('people JOIN shop.buys ON pid = person', false), ('people LEFT JOIN shop.buys ON pid = person', true), ('people LEFT JOIN shop.buys ON pid = person WHERE person = pid', false), ('people WHERE pid NOT IN (SELECT person FROM shop.buys)', true), ('people WHERE EXISTS (SELECT FROM shop.buys WHERE person = pid)', true),
	('(SELECT DISTINCT pid FROM people JOIN shop.buys ON pid = person) AS q', true), ('(SELECT pid, rank() OVER (PARTITION BY pid ORDER BY price) FROM people JOIN shop.buys ON pid = person) AS q', true), ('(SELECT pid FROM people JOIN shop.buys ON pid = person UNION ALL SELECT pid FROM people) AS q', true), ('(SELECT DISTINCT pid FROM people JOIN orders USING (pid)) AS q', false)) AS v (q, exchanges);

------------------------------------------------------------------------------
-- One row of a unit, and what has one value in all of them

CREATE FUNCTION t.keys(source text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN keys ~ 'one row' THEN 'one row' END FROM dp_noise.describe_question('SELECT dp_count(*) FROM ' || source) WITH ORDINALITY AS d (node, columns, owner, equal, keys, facts, form, statement, place) WHERE place = 2
$$;
SELECT is(t.keys(q), 'one row', 'one row: ' || q) FROM unnest(ARRAY[
	'people', 'people JOIN towns ON town = towns.id', 'people LEFT JOIN towns t ON town = t.code AND age > t.id', 'people LEFT JOIN (towns a LEFT JOIN towns b ON a.code = b.id) ON a.id = town AND b.id > age', 'people a JOIN people b USING (pid)', '(SELECT pid, count(*) FROM orders GROUP BY pid) AS q', '(SELECT DISTINCT pid, 1 FROM orders) AS q', '(SELECT pid, count(*) FROM orders GROUP BY pid) AS q LEFT JOIN people USING (pid)', '(SELECT DISTINCT o.pid, p.town FROM orders o JOIN people p USING (pid)) AS q', 'rowed', 'people JOIN towns ON towns.id = age + 1']) AS q;
SELECT is(t.keys(q), NULL, 'several: ' || q) FROM unnest(ARRAY[
	'orders', 'people JOIN towns ON town > towns.id', 'people JOIN orders USING (pid)', 'people LEFT JOIN orders USING (pid)', '(SELECT DISTINCT pid, x FROM orders) AS q', '(SELECT pid FROM people UNION ALL SELECT pid FROM people) AS q', 'lines', '(SELECT oid, count(*) FROM orders GROUP BY oid) AS q', 'orders a JOIN orders b USING (oid)', 'people JOIN towns ON coalesce(towns.code, 1) = age', '(people CROSS JOIN towns a) LEFT JOIN towns b ON a.id = b.id AND a.code = b.code']) AS q;
-- Whether there is a match is known only where the conditions are.
SELECT is(t.keys('(people CROSS JOIN towns) LEFT JOIN (SELECT pid, max(x) AS m FROM orders GROUP BY pid) AS o ON o.pid = people.pid AND m = towns.id WHERE towns.id = coalesce(m, 2)'), NULL, 'what holds in matches alone says nothing of the others');

SELECT * FROM finish();
\ir support/gate_end.sql
