-- A privacy unit is one by the equality of its column: by that of its type,
-- under its collation. Whatever tells values apart in another way, such as the
-- operator classes and collations of indexes, casts and COLLATE, makes neither
-- more units of it nor fewer.
\ir support/gate.sql
SELECT no_plan();

CREATE SCHEMA e AUTHORIZATION gate_owner;
GRANT USAGE ON SCHEMA e TO PUBLIC;
CREATE EXTENSION citext SCHEMA e;
SET dp_noise.epsilon = 1000;
SET dp_noise.delta = 1e-6;
SET ROLE gate_owner;
CREATE COLLATION e.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION e.other_ci (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TYPE e.amount AS (n numeric);
CREATE TYPE e.span AS RANGE (subtype = integer);
CREATE DOMAIN e.name AS varchar(20) COLLATE "C";
CREATE DOMAIN e.short_name AS e.name CHECK (length(value) < 15);

------------------------------------------------------------------------------
-- Which indexes tell rows apart

CREATE FUNCTION e.proven(type text, key text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	result boolean;
BEGIN
	EXECUTE 'CREATE TABLE e.tried (x int, u ' || type || ' NOT NULL)';
	EXECUTE format('CREATE UNIQUE INDEX tried_key ON e.tried (%s)', key);
	SELECT dp_noise.tells_rows_apart('e.tried_key'::regclass) INTO result;
	IF result <> makes_units(type, key) THEN
		result := NULL;
	END IF;
	DROP TABLE e.tried;
	RETURN result;
END
$$;
-- what protect() makes of it
CREATE FUNCTION e.makes_units(type text, key text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF key ~ ',' THEN
		RETURN dp_noise.tells_rows_apart('e.tried_key'::regclass);
	END IF;
	PERFORM dp_noise.protect('e.tried', privacy_unit => 'u', epsilon => 1e13, delta => 1);
	RETURN true;
EXCEPTION WHEN null_value_not_allowed THEN
	RETURN false;
WHEN feature_not_supported THEN -- of no unit
	RETURN dp_noise.tells_rows_apart('e.tried_key'::regclass);
END
$$;
ALTER FUNCTION e.proven(text, text) SET search_path = e, public;
SELECT is(e.proven(type, key), true, format('%s (%s) tells units apart', type, key)) FROM (VALUES
	('integer', 'u'), ('bigint', 'u'), ('numeric', 'u'), ('double precision', 'u'), ('date', 'u'), ('timestamptz', 'u'), ('uuid', 'u'), ('boolean', 'u'), ('bytea', 'u'), ('oid', 'u'),
	('name', 'u'), ('cidr', 'u'), ('inet', 'u'), ('interval', 'u'), ('regclass', 'u'), ('jsonb', 'u'), ('macaddr', 'u'), ('varbit', 'u'), ('bit(3)', 'u'), ('"char"', 'u'),
	('text', 'u'), ('text', 'u text_ops'), ('text', 'u text_pattern_ops'), ('text', 'u DESC NULLS FIRST'), ('varchar', 'u'), ('varchar(9)', 'u varchar_ops'), ('varchar', 'u varchar_pattern_ops'), ('bpchar', 'u'), ('character(7)', 'u bpchar_pattern_ops'),
	('public.mood', 'u'), ('public.years', 'u'), ('e.name', 'u'), ('e.short_name', 'u'), ('e.citext', 'u'), ('e.amount', 'u'), ('e.amount', 'u record_ops'), ('e.span', 'u'), ('int4range', 'u'), ('int4multirange', 'u'),
	('integer[]', 'u'), ('text[]', 'u'), ('e.amount[]', 'u'), ('e.short_name[]', 'u'), ('public.mood[]', 'u'),
	('integer', 'x, u'), ('integer', 'u) INCLUDE (x'), ('text COLLATE e.ci', 'u) INCLUDE (x'),
	('text COLLATE "C"', 'u'), ('text COLLATE "C"', 'u COLLATE "POSIX"'), ('text', 'u COLLATE "C"'), ('text COLLATE "C"', 'u COLLATE e.ci'), ('text COLLATE e.ci', 'u'), ('text[] COLLATE e.ci', 'u')) AS v (type, key);
SELECT is(e.proven(type, key), false, format('%s (%s) does not', type, key)) FROM (VALUES
	('e.amount', 'u record_image_ops'), ('e.citext', 'u text_ops'), ('e.citext', 'u text_pattern_ops'), ('e.citext', 'x, u text_ops'),
	('text COLLATE e.ci', 'u COLLATE "C"'), ('text COLLATE e.ci', 'u COLLATE "default"'), ('text COLLATE e.ci', 'u COLLATE "C" text_pattern_ops'), ('varchar COLLATE e.ci', 'x, u COLLATE "C"'), ('text[] COLLATE e.ci', 'u COLLATE "C"'),
	('text COLLATE e.ci', 'u COLLATE e.other_ci'), ('text COLLATE e.other_ci', 'u COLLATE e.ci')) AS v (type, key);
SELECT is(dp_noise.tells_rows_apart(o), false, 'nor what is no index') FROM unnest('{0,1,pg_class}'::regclass[]::oid[]) AS o;
SELECT is(t.run('gate_ann', 'SELECT dp_noise.tells_rows_apart(''public.patients_pkey''::regclass)'), 'true', 'everybody may ask');

------------------------------------------------------------------------------
-- Units of several rows that such an index lets in

CREATE TABLE e.spelt (id integer PRIMARY KEY, u text COLLATE e.ci NOT NULL, x integer);
CREATE UNIQUE INDEX ON e.spelt (u COLLATE "C");
INSERT INTO e.spelt SELECT i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'A' END || i / 2, 1 FROM generate_series(2, 21) AS i;
CREATE TABLE e.children (id integer PRIMARY KEY, parent text COLLATE e.ci NOT NULL);
CREATE TABLE e.imaged (u e.amount NOT NULL, x integer);
CREATE UNIQUE INDEX ON e.imaged (u record_image_ops);
CREATE TABLE e.folded (u e.citext NOT NULL, x integer);
CREATE UNIQUE INDEX ON e.folded (u text_ops);
SELECT throws_like(format('SELECT dp_noise.protect(%L, privacy_unit => ''u'', epsilon => 1e13, delta => 1)', r), 'max_rows_per_unit is missing%', r || ' has several rows of a unit') FROM unnest('{e.spelt,e.imaged,e.folded}'::text[]) AS r;
SELECT dp_noise.protect('e.spelt', privacy_unit => 'u', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('e.spelt', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'e.spelt', 1e12, delta => 1);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM e.spelt'), '10', 'of which as many count as were said');
SELECT is(t.run('gate_ann', 'SELECT dp_sum(x, 0, 1) FROM e.spelt'), '10', 'and add up');
SELECT throws_like($$SELECT dp_noise.protect('e.children', privacy_unit => 'parent -> spelt (u)', max_rows_per_unit => 1)$$, '(u) is not a unique key of e.spelt', 'a path leads to no such key');
-- an index that was proof is taken away
CREATE TABLE e.was_unique (u text COLLATE e.ci, x integer, CONSTRAINT whole UNIQUE (u));
SELECT dp_noise.protect('e.was_unique', privacy_unit => 'u', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('e.was_unique', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'e.was_unique', 1e12, delta => 1);
CREATE TABLE e.their (id integer PRIMARY KEY, parent text COLLATE e.ci);
SELECT dp_noise.protect('e.their', privacy_unit => 'parent -> was_unique (u)', max_rows_per_unit => 1);
SELECT is_empty($$SELECT FROM dp_noise.check_paths() WHERE finding LIKE '%not unique%'$$, 'the path leads to a key');
CREATE UNIQUE INDEX ON e.was_unique (u COLLATE "C");
ALTER TABLE e.was_unique DROP CONSTRAINT whole;
INSERT INTO e.was_unique VALUES ('a', 1), ('A', 1);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM e.was_unique'), '1', 'then rows are bounded');
SELECT results_eq($$SELECT severity, object FROM dp_noise.check_paths() WHERE finding LIKE '%not unique%'$$, $$VALUES ('medium', 'e.their')$$, 'and check() says that the path leads to no key any more');
-- keys that tell the unit: groups of one key are several units'
CREATE TABLE e.named (id integer PRIMARY KEY, name text COLLATE e.ci NOT NULL, x integer);
CREATE UNIQUE INDEX ON e.named (name COLLATE "C");
INSERT INTO e.named SELECT id, u, 1 FROM e.spelt;
SELECT dp_noise.protect('e.named', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('e.named', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'e.named', 1e12, delta => 1);
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || q || ' AS q'), '0A000: % of several privacy units'' rows %', q) FROM unnest(ARRAY[
	'(SELECT name, count(*) FROM e.named GROUP BY name)', '(SELECT DISTINCT name FROM e.named)', '(SELECT count(*) OVER (PARTITION BY name) FROM e.named)']) AS q;

------------------------------------------------------------------------------
-- What is read as a type or a collation with another equality is another column

CREATE TABLE e.blanks (u text PRIMARY KEY, x integer NOT NULL);
INSERT INTO e.blanks SELECT rpad('a', i), CASE i WHEN 2 THEN 100 ELSE 0 END FROM generate_series(2, 11) AS i;
CREATE TABLE e.padded (u bpchar PRIMARY KEY, x integer NOT NULL);
INSERT INTO e.padded VALUES ('a', 100);
CREATE VIEW e.read AS SELECT u::bpchar AS v, x FROM e.blanks;
CREATE VIEW e.read_collated AS SELECT u COLLATE "C" AS v, x FROM e.spelt;
CREATE VIEW e.read_alike AS SELECT u::varchar COLLATE "POSIX" AS v, x FROM e.blanks;
SELECT dp_noise.protect(r::regclass, privacy_unit => 'u', epsilon => 1e13, delta => 1), dp_noise.alter_population(r, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r, 1e12, delta => 1) FROM unnest('{e.blanks,e.padded}'::text[]) AS r;
SELECT throws_like(format('SELECT dp_noise.protect(%L, privacy_unit => ''v'', max_rows_per_unit => 1)', r), 'column "v" of a protected view is not the privacy unit of its rows', r || ' has other units') FROM unnest('{e.read,e.read_collated}'::text[]) AS r;
SELECT lives_ok($$SELECT dp_noise.protect('e.read_alike', privacy_unit => 'v')$$, 'casts and collations of the same equality are none');
SELECT alike(t.run('gate_ann', 'SELECT ' || a || ' FROM ' || q), m, a || ' FROM ' || q) FROM (VALUES
	('dp_sum(b.s, 0, 100)', '(SELECT u::bpchar AS v, count(*) FROM e.blanks GROUP BY u) AS a JOIN (SELECT u::bpchar AS v, sum(x) AS s FROM e.blanks GROUP BY u) AS b ON a.v = b.v', '0A000: a join of protected relations on anything but their privacy units %'),
	('dp_sum(b.x, 0, 100)', '(SELECT u::bpchar AS v, count(*) FROM e.blanks GROUP BY u) AS a JOIN e.padded AS b ON a.v = b.u', '0A000: a join of protected relations on anything but their privacy units %'),
	('dp_count(*)', '(SELECT u::bpchar AS v, count(*) FROM e.blanks GROUP BY u) AS a WHERE EXISTS (SELECT FROM e.padded AS b WHERE b.u = a.v)', '0A000: a sub-query over the rows of other privacy units %'),
	('dp_count(*)', '(SELECT u::bpchar AS v, count(*) FROM e.blanks GROUP BY u) AS a WHERE v IN (SELECT u::bpchar FROM e.blanks WHERE x > 50)', '0A000: a sub-query over the rows of other privacy units %'),
	('dp_sum(c, 0, 100)', '(SELECT count(*) AS c FROM e.blanks GROUP BY u::bpchar) AS a', '0A000: GROUP BY % of several privacy units'' rows %'),
	('dp_sum(c, 0, 100)', '(SELECT count(*) OVER (PARTITION BY u::bpchar) AS c FROM e.blanks) AS a', '0A000: a window of several privacy units'' rows %'),
	('dp_sum(c, 0, 100)', '(SELECT count(*) AS c FROM e.blanks GROUP BY u COLLATE e.ci) AS a', '0A000: GROUP BY % of several privacy units'' rows %'),
	('dp_count(*)', '(SELECT DISTINCT u::bpchar FROM e.blanks) AS a', '0A000: DISTINCT of several privacy units'' rows %'),
	('dp_sum(b.x, 0, 100)', 'e.blanks AS a JOIN e.blanks AS b ON a.u = b.u', '100'),
	('dp_sum(b.x, 0, 100)', 'e.blanks AS a JOIN e.blanks AS b ON a.u::varchar = b.u COLLATE "POSIX"', '100'),
	('dp_sum(b.s, 0, 100)', '(SELECT u::varchar AS v, count(*) FROM e.blanks GROUP BY u) AS a JOIN (SELECT u COLLATE "C" AS v, sum(x) AS s FROM e.blanks GROUP BY 1) AS b ON a.v = b.v', '100')) AS v (a, q, m);

------------------------------------------------------------------------------
-- What is compared in another way than the unit is not known by the unit: rows
-- of one unit may have several values of it

CREATE TABLE e.twice (u text COLLATE e.ci NOT NULL, d text COLLATE "C" NOT NULL, n integer NOT NULL, UNIQUE (u, d), UNIQUE (u, n));
INSERT INTO e.twice SELECT v || i, v || i, (v = 'A')::integer + 1 FROM generate_series(1, 10) AS i, unnest('{a,A}'::text[]) AS v;
CREATE TABLE e.clock (u integer NOT NULL, d timestamp NOT NULL, UNIQUE (u, d));
INSERT INTO e.clock SELECT i, d FROM generate_series(1, 10) AS i, unnest('{2024-03-31 02:30,2024-03-31 03:30}'::timestamp[]) AS d;
CREATE TABLE e.spellings (k text COLLATE "C" PRIMARY KEY, n integer NOT NULL);
INSERT INTO e.spellings SELECT d, n FROM e.twice;
GRANT SELECT ON e.spellings TO gate_ann;
SELECT dp_noise.protect(r, privacy_unit => 'u', max_rows_per_unit => 5, max_groups_per_unit => 7, epsilon => 1e13, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1) FROM unnest('{e.twice,e.clock}'::regclass[]) AS r;
SELECT is(t.run('gate_ann', q), '20', q) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM e.twice WHERE d COLLATE "C" = u',
	'SELECT dp_count(*) FROM e.twice WHERE u = d COLLATE "C"',
	'SELECT dp_count(*) FROM e.twice WHERE u COLLATE "C" = d',
	'SELECT dp_count_distinct(d) FROM e.twice WHERE d COLLATE "C" = u',
	'SELECT sum(c) FROM (SELECT n, dp_count(*) AS c FROM e.twice WHERE d COLLATE "C" = u GROUP BY n) AS g',
	'SELECT dp_count(*) FROM e.twice AS a JOIN e.spellings AS b ON b.k COLLATE "C" = a.u AND b.n = a.n',
	'SELECT dp_count(*) FROM e.twice AS a JOIN e.spellings AS b ON b.k = a.u COLLATE "C" AND b.n = a.n',
	'SELECT sum(c) FROM (SELECT b.n, dp_count(*) AS c FROM e.twice AS a JOIN e.spellings AS b ON b.k COLLATE "C" = a.u GROUP BY b.n) AS g']) AS q;
-- two times of a day are one instant, where the clock is put forward
SET TimeZone = 'Europe/Berlin';
SELECT is(t.run('gate_ann', q), '20', q) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM e.clock WHERE d = timestamptz ''2024-03-31 01:30Z''',
	'SELECT sum(c) FROM (SELECT extract(hour FROM d) = 2, dp_count(*) AS c FROM e.clock WHERE d = timestamptz ''2024-03-31 01:30Z'' GROUP BY 1) AS g']) AS q;
RESET TimeZone;

------------------------------------------------------------------------------
-- Units of a nondeterministic collation meet no others

CREATE TABLE e.exact (u text COLLATE "C" NOT NULL, x integer);
INSERT INTO e.exact SELECT u, 1 FROM e.spelt;
SELECT throws_ok($$SELECT dp_noise.protect('e.exact', privacy_unit => 'u', max_rows_per_unit => 1, population => 'e.spelt')$$, '42P21', NULL, 'no budget is shared by units that are told apart in different ways');
SELECT dp_noise.protect('e.exact', privacy_unit => 'u', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('e.exact', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'e.exact', 1e12, delta => 1);
CREATE TABLE e.spelt_too (u text COLLATE e.ci NOT NULL, x integer);
SELECT lives_ok($$SELECT dp_noise.protect('e.spelt_too', privacy_unit => 'u', max_rows_per_unit => 1, population => 'e.spelt')$$, 'one collation is one way');
CREATE TABLE e.exact_too (u text COLLATE "POSIX" NOT NULL, x integer);
SELECT lives_ok($$SELECT dp_noise.protect('e.exact_too', privacy_unit => 'u', max_rows_per_unit => 1, population => 'e.exact')$$, 'and so are deterministic ones');
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || q), '0A000: a sub-query on privacy units of a nondeterministic collation %', q) FROM unnest(ARRAY[
	'e.exact AS a WHERE EXISTS (SELECT FROM e.spelt AS b WHERE a.u = b.u COLLATE "C")',
	'e.exact AS a WHERE u COLLATE "C" IN (SELECT u FROM e.spelt)',
	'e.exact AS a WHERE (SELECT count(*) FROM e.spelt AS b WHERE a.u = b.u COLLATE "C") > 0',
	'e.spelt AS a WHERE EXISTS (SELECT FROM e.exact AS b WHERE b.u = a.u COLLATE "C")']) AS q;
-- foreign keys to a column of another collation, as they are possible before 18
SELECT current_setting('server_version_num')::integer < 180000 AS has_mixed_keys \gset
\if :has_mixed_keys
CREATE TABLE e.parents (u text COLLATE e.ci PRIMARY KEY);
CREATE TABLE e.referring (u text COLLATE "C" NOT NULL REFERENCES e.parents);
SELECT dp_noise.protect('e.parents', privacy_unit => 'u', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('e.referring', privacy_unit => 'u', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1) FROM unnest('{e.parents,e.referring}'::regclass[]) AS r;
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM (SELECT 1 FROM e.referring UNION ALL SELECT 1 FROM e.parents) AS q'), '0A000: UNION ALL of protected relations whose privacy units are different people %', 'nor rows of one table in another''s');
\endif

------------------------------------------------------------------------------
-- Inheriting tables may have nulls where their parent has none

CREATE TABLE e.parent (id integer NOT NULL, yes boolean NOT NULL);
\if :has_mixed_keys
CREATE TABLE e.child () INHERITS (e.parent);
ALTER TABLE e.child ALTER id DROP NOT NULL, ALTER yes DROP NOT NULL;
\else
DROP TABLE e.parent;
CREATE TABLE e.parent (id integer, yes boolean, CONSTRAINT a NOT NULL id NO INHERIT, CONSTRAINT b NOT NULL yes NO INHERIT);
CREATE TABLE e.child () INHERITS (e.parent);
\endif
INSERT INTO e.parent SELECT i, true FROM generate_series(1, 20) AS i;
INSERT INTO e.child SELECT i, NULL FROM generate_series(21, 50) AS i;
INSERT INTO e.child SELECT NULL, false FROM generate_series(1, 10);
SELECT dp_noise.protect('e.parent', privacy_unit => 'id', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('e.parent', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'e.parent', 1e12, delta => 1);
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat(yes, '':'', n), '' '' ORDER BY yes) FROM (SELECT yes, dp_count(*) AS n FROM e.parent GROUP BY yes) AS g'), 'f:0 t:20 :30', 'nulls are a group');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM e.parent'), '50', 'those without a unit do not count');

RESET ROLE;
SELECT * FROM finish();
DROP EXTENSION citext CASCADE;
\ir support/gate_end.sql
