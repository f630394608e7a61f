-- Privacy units along foreign keys: who owns a row is who owns the row that it
-- refers to, along any number of steps.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, kind text COLLATE "C");
CREATE TABLE public.bills (id integer PRIMARY KEY, person integer REFERENCES public.people, day date);
CREATE TABLE public.items (bill integer REFERENCES public.bills, line integer, article integer, price integer, PRIMARY KEY (bill, line));
CREATE TABLE public.notes (id integer PRIMARY KEY, bill bigint, line integer, words text COLLATE "C", FOREIGN KEY (bill, line) REFERENCES public.items (bill, line));
CREATE TABLE public.loose (bill bigint, x integer);
CREATE TABLE public.articles (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE public.strange (id text PRIMARY KEY, person integer);
INSERT INTO public.people SELECT i, 'k' || i % 3 FROM generate_series(1, 60) AS i;
INSERT INTO public.bills SELECT i, CASE WHEN i % 70 BETWEEN 1 AND 50 THEN i % 70 END, date '2024-01-01' + i % 40 FROM generate_series(1, 700) AS i;
INSERT INTO public.items SELECT i % 600 + 1, i / 600, i % 20, i % 31 FROM generate_series(0, 2999) AS i;
INSERT INTO public.notes SELECT i, CASE WHEN i % 9 > 0 THEN i % 600 + 1 END, i % 5, 'w' || i % 4 FROM generate_series(1, 1500) AS i;
INSERT INTO public.loose SELECT CASE WHEN i % 5 > 0 THEN i % 900 END, i FROM generate_series(1, 1000) AS i;
INSERT INTO public.articles SELECT i, 'a' || i FROM generate_series(0, 19) AS i;
GRANT SELECT ON public.articles TO gate_ann;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.bills', privacy_unit => 'person', max_rows_per_unit => 40, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.items', privacy_unit => 'bill -> bills', max_rows_per_unit => 200, max_groups_per_unit => 20);
SELECT dp_noise.protect('public.notes', privacy_unit => 'bill, line -> items', max_rows_per_unit => 200);
SELECT dp_noise.protect('public.loose', privacy_unit => 'bill -> bills (id)', max_rows_per_unit => 200);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1)
FROM unnest('{public.people,public.bills,public.items,public.notes,public.loose}'::regclass[]) AS r;
SELECT results_eq($$SELECT relation::text, privacy_unit FROM dp_noise.protected_relations WHERE privacy_unit LIKE '%>%' ORDER BY 1$$, $$VALUES
	('items', 'bill -> public.bills (id)'), ('loose', 'bill -> public.bills (id)'), ('notes', 'bill, line -> public.items (bill, line)')$$, 'paths are shown');
RESET ROLE;

-- the rows that somebody owns
CREATE SCHEMA plain;
CREATE TABLE plain.people AS TABLE public.people;
CREATE TABLE plain.bills AS SELECT * FROM public.bills WHERE person IS NOT NULL;
CREATE TABLE plain.items AS SELECT i.* FROM public.items AS i JOIN plain.bills AS b ON b.id = i.bill;
CREATE TABLE plain.notes AS SELECT n.* FROM public.notes AS n JOIN plain.items AS i USING (bill, line);
CREATE TABLE plain.loose AS SELECT l.* FROM public.loose AS l JOIN plain.bills AS b ON b.id = l.bill;

CREATE FUNCTION t.same(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	asked text;
BEGIN
	PERFORM set_config('search_path', 'plain, public', false);
	EXECUTE format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		replace(command, 'dp_', '')) INTO plain;
	RESET search_path;
	asked := t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(command, 'dp_sum\((.*?)\) AS s', 'dp_sum(\1, 0, 100000) AS s', 'g')));
	RETURN is(asked, plain, 'as the plain query: ' || command);
END
$$;
SET dp_noise.epsilon = 100000;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM items',
	'SELECT dp_count(*), dp_sum(price) AS s FROM items WHERE price > 3',
	'SELECT dp_count(*) FROM notes',
	'SELECT dp_count(*) FROM loose',
	'SELECT dp_count(*) FROM items JOIN bills ON bills.id = bill',
	'SELECT dp_count(*) FROM items, bills, people WHERE bills.id = bill AND person = people.id AND kind = ''k1''',
	'SELECT kind = ''k1'' AS k, dp_count(*) FROM items JOIN bills ON bills.id = bill JOIN people ON person = people.id GROUP BY 1 HAVING dp_count(*) > 0',
	'SELECT dp_count(*) FROM notes JOIN items USING (bill, line) JOIN bills ON bills.id = bill WHERE price < 10',
	'SELECT dp_count(*) FROM notes JOIN bills ON bills.id = bill',
	'SELECT dp_count(*) FROM items AS a JOIN items AS b USING (bill) WHERE a.line < b.line',
	'SELECT dp_count(*) FROM people LEFT JOIN bills ON person = people.id',
	'SELECT dp_count(*) FROM people LEFT JOIN bills ON person = people.id LEFT JOIN items ON bill = bills.id AND price > 20',
	'SELECT dp_count(*) FROM bills LEFT JOIN items ON bill = id WHERE line IS NULL',
	'SELECT dp_count(*) FROM bills WHERE EXISTS (SELECT FROM items WHERE bill = id AND price > 25)',
	'SELECT dp_count(*) FROM bills WHERE NOT EXISTS (SELECT FROM items WHERE bill = id)',
	'SELECT dp_count(*) FROM bills WHERE id IN (SELECT bill FROM items GROUP BY bill HAVING sum(price) > 60)',
	'SELECT dp_count(*) FROM people JOIN bills ON person = people.id WHERE bills.id IN (SELECT bill FROM items GROUP BY bill HAVING sum(price) > 60)',
	'SELECT dp_count(*) FROM people JOIN bills ON person = people.id WHERE NOT EXISTS (SELECT FROM items JOIN bills AS b ON b.id = bill WHERE bill = bills.id)',
	'SELECT dp_count(*) FROM bills WHERE id NOT IN (SELECT bill FROM items WHERE price > 25)',
	'SELECT dp_count(*) FROM items AS a WHERE NOT EXISTS (SELECT FROM items AS b WHERE b.bill = a.bill AND b.price > a.price)',
	'SELECT dp_count(*) FROM items JOIN articles ON articles.id = article WHERE name LIKE ''a1%''',
	'SELECT dp_sum(n) AS s FROM (SELECT people.id, count(bills.id) AS n FROM people LEFT JOIN bills ON person = people.id GROUP BY people.id) AS p',
	'SELECT dp_count(*) FROM (SELECT bill, sum(price) AS s FROM items GROUP BY bill) AS p JOIN bills ON bills.id = bill WHERE s > 50 AND day < ''2024-01-20''',
	'SELECT dp_count(*) FROM (SELECT DISTINCT bill, article FROM items) AS d',
	'SELECT dp_count(*) FROM (SELECT bill, row_number() OVER (PARTITION BY bill ORDER BY line) AS r FROM items) AS w WHERE r = 1',
	'SELECT dp_count(*) FROM (SELECT bill, line FROM items UNION ALL SELECT bill, line FROM notes) AS u',
	'SELECT dp_sum((SELECT count(*) FROM items WHERE bill = bills.id)) AS s FROM bills']) AS c;

-- Refused: other people's rows would decide
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || c), '0A000: %', 'refused: ' || c) FROM unnest(ARRAY[
	'items AS a JOIN items AS b USING (article)',
	'items JOIN bills ON bills.id = article',
	'items JOIN bills ON bills.id = line',
	'bills WHERE EXISTS (SELECT FROM items WHERE article = bills.id)',
	'bills WHERE id IN (SELECT article FROM items)',
	'items AS a WHERE EXISTS (SELECT FROM items AS b WHERE b.article = a.article AND b.bill <> a.bill)',
	'(SELECT article, sum(price) FROM items GROUP BY article) AS s',
	'(SELECT DISTINCT article FROM items) AS s',
	'(SELECT rank() OVER (PARTITION BY article ORDER BY price) FROM items) AS s',
	'notes JOIN items ON notes.line = items.line',
	'bills LEFT JOIN items ON article = bills.id',
	'articles LEFT JOIN items ON articles.id = article']) AS c;

-- everybody along the way pays
SELECT alike(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT dp_count(*) FROM notes'),
	'%"Protected Relations": ["notes", "items", "bills"]%"notes.bill, line -> items (bill, line)", "items.bill -> bills (id)", "bills.person"%', 'EXPLAIN shows the path');
SELECT t.accept('SELECT dp_count(*) FROM notes', 1);
SELECT t.accept('SELECT dp_count(*) FROM people', 1);

------------------------------------------------------------------------------
-- Bad input

SET ROLE gate_owner;
SELECT throws_like(format('SELECT dp_noise.protect(%L, %L, max_rows_per_unit => 1, replace_unit => true, epsilon => 1e13, delta => 1)', r, u), m, r || ': ' || u) FROM (VALUES
	('public.items', 'bill ->', '%not a valid identifier%'),
	('public.items', '-> bills', 'invalid path to a privacy unit: %'),
	('public.items', 'bill -> bills -> people', '%not a valid identifier%'),
	('public.items', 'bill -> bills (id) x', 'invalid path to a privacy unit: %'),
	('public.items', 'nothing -> bills', 'column nothing of relation public.items does not exist'),
	('public.items', 'bill -> bills (nothing)', 'column nothing of relation public.bills does not exist'),
	('public.items', 'bill -> nowhere', 'relation nowhere does not exist'),
	('public.items', 'bill -> other.bills', 'relation other.bills does not exist'),
	('public.items', 'bill -> articles', 'relation public.articles is not protected'),
	('public.items', 'bill, line -> bills', 'relation public.bills has no key that bill, line of public.items refers to'),
	('public.items', 'bill -> bills (person)', '(person) is not a unique key of public.bills'),
	('public.notes', 'bill -> items (bill)', '(bill) is not a unique key of public.items'),
	('public.bills', 'person -> strange (id)', 'columns of public.bills and public.strange along the path are of different types'),
	('public.bills', 'id -> bills (id)', 'the path from public.bills leads back to it'),
	('public.bills', 'id, id -> items (bill, line)', 'the path from public.bills leads back to it')) AS v (r, u, m);
SELECT throws_like($$SELECT dp_noise.protect('public.items', 'bill -> bills')$$, 'max_rows_per_unit is missing%', 'caps are needed');
SELECT throws_like($$SELECT dp_noise.protect('public.people', 'kind', max_rows_per_unit => 1)$$, '%has been queried with another privacy unit%', 'the unit of those asked about stays');
RESET ROLE;

-- names in quotes, with all that separates the parts of a path in them
SET ROLE gate_owner;
CREATE TABLE public."Whole, (of) -> x" ("k, (1)" integer, "a->b" integer, "u""v" integer, PRIMARY KEY ("k, (1)", "a->b"));
CREATE TABLE public."Part.s" ("c, (1)" integer, "d -> e" integer);
INSERT INTO public."Whole, (of) -> x" SELECT i, i % 3, i % 5 FROM generate_series(1, 100) AS i;
INSERT INTO public."Part.s" SELECT i, i % 3 FROM generate_series(1, 100) AS i, generate_series(1, 4);
SELECT dp_noise.protect('public."Whole, (of) -> x"', 'u"v', max_rows_per_unit => 100, epsilon => 1e13, delta => 1);
SELECT is(dp_noise.protect('public."Part.s"', '"c, (1)", "d -> e" -> "Whole, (of) -> x"("k, (1)" ,"a->b")', max_rows_per_unit => 400)::text, '', 'names in quotes');
SELECT is(dp_noise.protect('public."Part.s"', '"c, (1)","d -> e"->public."Whole, (of) -> x"', max_rows_per_unit => 400)::text, '', 'names in quotes: the primary key');
SELECT is(privacy_unit, '"c, (1)", "d -> e" -> public."Whole, (of) -> x" ("k, (1)", "a->b")', 'and as they are shown') FROM dp_noise.protected_relations WHERE relation = 'public."Part.s"'::regclass;
SELECT dp_noise.protect('public."Part.s"', privacy_unit, max_rows_per_unit => 400, epsilon => 1e13, delta => 1) FROM dp_noise.protected_relations WHERE relation = 'public."Part.s"'::regclass;
SELECT dp_noise.set_budget('gate_ann', r::text, 1e9) FROM unnest('{"public.\"Part.s\"","public.\"Whole, (of) -> x\""}'::regclass[]) AS r;
SELECT throws_like(format('SELECT dp_noise.protect(%L, %L, max_rows_per_unit => 1)', 'public."Part.s"', u), m, u) FROM (VALUES
	('"c, (1) -> "Whole, (of) -> x"', '%'), ('"c, (1)" -> "Whole, (of) -> x', 'invalid path to a privacy unit: %'), ('"c, (1)", -> "Whole, (of) -> x"', '%')) AS v (u, m);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM "Part.s"'), '400', 'and asked about');
DROP TABLE public."Part.s";

-- what check() says
SELECT is(string_agg(c.severity || ' ' || c.object || ': ' || c.remedy, '; '),
	'low public.loose: ALTER TABLE public.loose ADD FOREIGN KEY (bill) REFERENCES public.bills (id)', 'paths without a foreign key')
FROM dp_noise.check_paths() AS c;

-- What protect() has found of a path is looked at again by each question: types,
-- the key, and that no table inherits.
SET ROLE gate_owner;
CREATE TABLE public.ends (k bigint PRIMARY KEY, u integer);
CREATE TABLE public.starts (k bigint REFERENCES public.ends, x integer);
INSERT INTO public.ends SELECT i, i FROM generate_series(1, 20) AS i;
INSERT INTO public.starts SELECT i, i FROM generate_series(1, 20) AS i;
SELECT dp_noise.protect('public.ends', privacy_unit => 'u', max_rows_per_unit => 1, epsilon => 1e13, delta => 1), dp_noise.protect('public.starts', privacy_unit => 'k -> ends', max_rows_per_unit => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12) FROM unnest('{public.ends,public.starts}'::regclass[]) AS r;
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM starts WHERE x > 0');
CREATE FUNCTION t.later(change text, refusal text, back text, asked text DEFAULT 'SELECT dp_count(*) FROM starts WHERE x > 0') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t.run('gate_owner', change);
	RETURN NEXT matches(t.run('gate_ann', asked), refusal, change || ': ' || asked);
	PERFORM t.run('gate_owner', back);
END
$$;
SELECT t.later('ALTER TABLE public.ends ALTER k TYPE numeric', '^0A000: a path to a privacy unit over columns of such types', 'ALTER TABLE public.ends ALTER k TYPE bigint');
SELECT t.run('gate_owner', 'ALTER TABLE public.ends ALTER k TYPE integer');
SELECT t.accept('SELECT dp_count(*) FROM starts WHERE x > 0');
SELECT t.run('gate_owner', 'ALTER TABLE public.ends ALTER k TYPE bigint');
SELECT t.run('gate_owner', 'ALTER TABLE public.starts DROP CONSTRAINT starts_k_fkey');
SELECT t.later('ALTER TABLE public.starts ALTER k TYPE ' || type, '^0A000: a path to a privacy unit over columns of such types', 'ALTER TABLE public.starts ALTER k TYPE bigint USING 1')
FROM unnest(ARRAY['numeric', 'text USING k::text', 'uuid USING gen_random_uuid()', 'bytea USING NULL', 'bigint[] USING NULL', 'double precision', 'interval USING NULL', '"char" USING NULL', 'oid USING NULL']) AS type;
SELECT t.later('ALTER TABLE public.ends DROP CONSTRAINT ends_pkey', '^55000: the path from "starts" to its privacy units leads to a key that is not unique', 'ALTER TABLE public.ends ADD PRIMARY KEY (k)', q)
FROM unnest(ARRAY['SELECT dp_count(*) FROM starts', 'SELECT dp_count(*) FROM starts AS s JOIN ends AS e ON e.k = s.k', 'SELECT dp_count(*) FROM ends AS e WHERE EXISTS (SELECT FROM starts AS s WHERE s.k = e.k)']) AS q;
SELECT t.later('CREATE TABLE public.more_ends () INHERITS (public.ends)', '^55000: the path from "starts" to its privacy units leads to a key that is not unique', 'DROP TABLE public.more_ends; ANALYZE public.ends', q)
FROM unnest(ARRAY['SELECT dp_count(*) FROM starts', 'SELECT dp_count(*) FROM starts AS s JOIN ends AS e ON e.k = s.k']) AS q;
SELECT t.accept('SELECT dp_count(*) FROM starts WHERE x > 0');
SELECT t.run('gate_owner', 'CREATE TABLE public.more_ends () INHERITS (public.ends)');
SELECT matches(t.run('gate_owner', 'SELECT dp_noise.protect(''public.starts'', privacy_unit => ''k -> ends'', max_rows_per_unit => 1)'), '^[0-9A-Z]{5}: .*unique', 'protect() refuses inheriting tables');
SELECT results_eq($$SELECT object FROM dp_noise.check_paths() WHERE finding LIKE '%not unique%' AND object = 'public.starts'$$, $$VALUES ('public.starts')$$, 'and check() reports them');
DROP TABLE public.more_ends, public.starts, public.ends;

-- People are the same where the population is: elsewhere a row of one relation may
-- come for one of another.
SET ROLE gate_owner;
CREATE TABLE public.persons (u integer PRIMARY KEY, x integer);
CREATE TABLE public.marks (u integer REFERENCES public.persons, x integer);
INSERT INTO public.persons SELECT i, i FROM generate_series(1, 10) AS i;
INSERT INTO public.marks SELECT i, i FROM generate_series(1, 10) AS i;
SELECT dp_noise.protect('public.persons', privacy_unit => 'u', epsilon => 1e13, delta => 1), dp_noise.protect('public.marks', privacy_unit => 'u', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12) FROM unnest('{public.persons,public.marks}'::regclass[]) AS r;
RESET ROLE;
CREATE FUNCTION t.sensitivity() RETURNS text LANGUAGE sql AS
$$SELECT t.explained('SELECT dp_sum(CASE WHEN p.x IS NULL THEN -100 ELSE 100 END, -100, 100) FROM marks AS m LEFT JOIN persons AS p ON p.u = m.u', 'Sensitivity')$$;
SELECT is(t.sensitivity(), '200', 'not by a foreign key');
SELECT t.run('gate_owner', 'SELECT dp_noise.protect(''public.marks'', privacy_unit => ''u'', max_rows_per_unit => 1, population => ''public.persons'')');
SELECT is(t.sensitivity(), '100', 'in one population');
SELECT t.run('gate_owner', 'ALTER TABLE public.marks DROP CONSTRAINT marks_u_fkey');
SELECT is(t.sensitivity(), '100', 'without a foreign key, too');
DROP TABLE public.marks, public.persons;

-- what changes later
SET ROLE gate_owner;
ALTER TABLE items RENAME bill TO account;
ALTER TABLE bills RENAME id TO number;
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items')::bigint, count(*), 'columns were renamed') FROM plain.items;
SET ROLE gate_owner;
ALTER TABLE notes DROP CONSTRAINT notes_bill_line_fkey;
SELECT dp_noise.unprotect('public.items');
RESET ROLE;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM notes'), '55000: the path from "notes" to its privacy units leads over what is no longer there', 'the way is no longer protected');
ALTER TABLE bills OWNER TO gate_bob;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM loose'), '55000: the path from "loose" to its privacy units leads to a relation of another owner', 'the way is somebody else''s');
ALTER TABLE bills OWNER TO gate_owner;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM loose')::bigint, count(*), 'as before') FROM plain.loose;
SET ROLE gate_owner;
ALTER TABLE bills DROP number CASCADE;
RESET ROLE;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM loose'), '55000: %', 'the key was dropped');

DROP SCHEMA plain CASCADE;
SELECT * FROM finish();
\ir support/gate_end.sql
