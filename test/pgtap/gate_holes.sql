-- Ways past the gate that once worked.
\ir support/gate.sql
SELECT no_plan();

-- A comparison without a collation fails at the first row that comes to it:
-- whether there is one was told for nothing.
SELECT t.run('gate_ann', 'CREATE DOMAIN posix AS text COLLATE "POSIX"');
SET ROLE gate_owner;
CREATE TABLE public.collated (age integer, city text COLLATE "C", name text COLLATE "POSIX");
INSERT INTO public.collated SELECT i % 90, 'city', 'name' FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('public.collated', epsilon => 1e6, delta => 1), dp_noise.alter_population('public.collated', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.collated', 1000000);
RESET ROLE;
SELECT is(t.run('gate_ann', format($$SELECT dp_count(*) FROM collated WHERE CASE WHEN age > %s THEN %s ELSE false END$$, age, condition)),
	'42P22: the collations of what is compared in WHERE over a protected relation are in conflict', format('%s, age > %s', condition, age))
FROM unnest('{50,500}'::int[]) AS age,
	unnest(ARRAY[$$city = name$$, $$city <> name$$, $$city IN (name, name)$$, $$city IS DISTINCT FROM name$$,
		$$NULLIF(city, name) IS NULL$$, $$coalesce(city, name) = coalesce(city, name)$$]) AS condition;
SELECT is(t.run('gate_ann', $$SELECT dp_count(*) FILTER (WHERE city = name) FROM collated$$),
	'42P22: the collations of what is compared in FILTER over a protected relation are in conflict', 'in FILTER');
SELECT t.refuse('0A000', format($$SELECT dp_count(*) FROM patients WHERE CASE WHEN age > %s THEN %s ELSE false END$$, age, condition))
FROM unnest('{50,500}'::int[]) AS age,
	unnest(ARRAY[$$city = 'x'::posix$$, $$city <> 'x'::posix$$, $$city IN ('x'::posix, 'y'::posix)$$, $$city IS DISTINCT FROM 'x'::posix$$,
		$$NULLIF(city, 'x'::posix) IS NULL$$, $$coalesce(city, 'x'::posix) = coalesce(city, 'x'::posix)$$]) AS condition;
SELECT t.refuse('0A000', $$SELECT dp_count(*) FILTER (WHERE city = 'x'::posix) FROM patients$$);

-- pg_locks showed the rows that a serializable transaction had read.
SET default_transaction_isolation = serializable;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE id = 5');
RESET default_transaction_isolation;

-- An analyst's materialized view, refreshed by a superuser, was answered
-- without any budget; and so a function in an index under autovacuum.
SELECT t.run('gate_ann', 'CREATE MATERIALIZED VIEW released AS SELECT dp_count(*) FROM patients');
SELECT throws_ok('REFRESH MATERIALIZED VIEW gate_ann.released', '42501',
	'role "gate_ann" cannot ask about "patients" in a session of role "postgres"', 'a superuser refreshes an analyst''s view');
SELECT is(t.run('gate_ann', 'REFRESH MATERIALIZED VIEW released'), NULL, 'the analyst does');
SELECT t.run('gate_ann', $$CREATE FUNCTION steal(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN IF x > 0 THEN PERFORM public.dp_count(*) FROM public.patients; END IF; RETURN x; END'$$);
SELECT t.run('gate_ann', 'CREATE TABLE bait (x integer)');
SELECT t.run('gate_ann', 'CREATE INDEX ON bait (steal(x))');
INSERT INTO gate_ann.bait SELECT 0 FROM generate_series(1, 10);
SELECT t.run('gate_ann', 'CREATE OR REPLACE FUNCTION steal(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
	''BEGIN PERFORM public.dp_count(*) FROM public.patients; RETURN x; END''');
SELECT throws_ok('ANALYZE gate_ann.bait', '42501',
	'role "gate_ann" cannot ask about "patients" in a session of role "postgres"', 'ANALYZE of an index with an analyst''s function');
SELECT t.run('gate_ann', 'CREATE FUNCTION definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS ''SELECT dp_count(*) FROM patients''');
SELECT throws_ok('SELECT gate_ann.definer()', '42501', NULL, 'an analyst''s SECURITY DEFINER function, called by a superuser');
SELECT t.run('gate_ann', 'GRANT USAGE ON SCHEMA gate_ann TO gate_bob, gate_owner');
SELECT is(left(t.run('gate_owner', 'SELECT gate_ann.definer()'), 5), '42501', 'called by the owner');
SELECT is(left(t.run('gate_bob', 'SELECT gate_ann.definer()'), 5), '42501', 'called by another analyst, who would pay for what ann hears');
SELECT is(count(*), 0::bigint, 'and does not') FROM dp_noise.ledger WHERE role = 'gate_bob';
GRANT gate_ann TO gate_bob;
SELECT t.run('gate_bob', 'SELECT gate_ann.definer()');
SELECT is(count(*), 1::bigint, 'called by a member of the role: that one pays') FROM dp_noise.ledger WHERE role = 'gate_bob';
SELECT t.run('gate_ann', 'CREATE TABLE lure (x integer)');
SELECT t.run('gate_ann', 'INSERT INTO lure VALUES (1)');
SELECT t.run('gate_ann', 'CREATE FUNCTION at_others_cost(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
	''BEGIN IF session_user = ''''gate_bob'''' THEN PERFORM public.dp_count(*) FROM public.patients; END IF; RETURN 1; END''');
SELECT t.run('gate_ann', 'CREATE INDEX ON lure (at_others_cost(x))');
SELECT is(left(t.run('gate_bob', 'ANALYZE gate_ann.lure'), 5), '42501', 'not while he analyses a table of hers');
REVOKE gate_ann FROM gate_bob;

-- Row-level security of a table that a foreign key refers to, the analyst's own,
-- ran a function that raised epsilon after the charge was made.
SELECT t.run('gate_ann', 'CREATE TABLE regions (region integer PRIMARY KEY)');
SELECT t.run('gate_ann', 'INSERT INTO regions VALUES (1), (2)');
SELECT t.run('gate_ann', 'GRANT SELECT, REFERENCES ON regions TO PUBLIC');
GRANT USAGE ON SCHEMA gate_ann TO gate_owner;
SET ROLE gate_owner;
CREATE TABLE public.visits (region integer NOT NULL REFERENCES gate_ann.regions, word text);
INSERT INTO public.visits SELECT 1 + i % 2, 'a' FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('public.visits', epsilon => 1e6, delta => 1), dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1000, delta => 1, min_epsilon_per_query => NULL);
RESET ROLE;
SELECT t.run('gate_ann', $$CREATE FUNCTION raise_epsilon() RETURNS boolean LANGUAGE plpgsql AS
	'BEGIN PERFORM set_config(''dp_noise.epsilon'', ''1000000'', false), set_config(''dp_noise.delta'', ''1'', true); RETURN true; END'$$);
SELECT t.run('gate_ann', 'ALTER TABLE regions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
SELECT t.run('gate_ann', 'CREATE POLICY raised ON regions USING (raise_epsilon())');
-- P(X = 0) is 5e-6 at epsilon 1e-5; exact twice: 2.5e-11
SET dp_noise.epsilon = 1e-5;
SELECT isnt(t.run('gate_ann', 'SELECT string_agg(n::text, '','') FROM (SELECT region, dp_count(*) AS n FROM visits GROUP BY region) AS s'), '500,500', 'noise as it was paid for');
SELECT is(string_agg(aggregate || epsilon, ','), 'dp_count0.00001', 'that') FROM dp_noise.ledger WHERE population = 'public.visits';
SELECT is(current_setting('dp_noise.epsilon'), '1e-05', 'the setting stays');
SET dp_noise.delta = 0.4;
SELECT isnt(t.run('gate_ann', 'SELECT string_agg(n::text, '','') FROM (SELECT region, word, dp_count(*) AS n FROM visits GROUP BY region, word) AS s'), '500,500', 'beside a private key too');
RESET dp_noise.delta;
RESET dp_noise.epsilon;

-- Rows locked anywhere in the statement, and arrays, were internal errors.
SELECT t.refuse('0A000', 'SELECT * FROM (SELECT * FROM (SELECT dp_count(*) AS c FROM patients) AS s, numbers FOR UPDATE OF numbers) AS u');
SELECT t.accept('SELECT dp_count(ARRAY[age, 1]) FROM patients');

-- Planning reads the ends of an index; it was counted.
CREATE VIEW t.counted AS
SELECT sum(pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)
	+ pg_stat_get_xact_blocks_fetched(c.oid)) AS counted
FROM pg_class AS c WHERE relname LIKE 'patients%';
GRANT SELECT ON t.counted TO PUBLIC;
SET SESSION AUTHORIZATION gate_ann;
BEGIN;
SELECT counted FROM t.counted \gset
SELECT dp_count(*) FROM patients WHERE age >= 5 \g /dev/null
SELECT dp_median_exp(bmi) FROM patients WHERE id < 500 \g /dev/null
SELECT counted - :counted AS counted FROM t.counted \gset
COMMIT;
RESET SESSION AUTHORIZATION;
SELECT is(:counted, 0, 'nothing of a release is counted in its transaction');

-- A function that the planner inlines was never seen: the owner's query was
-- not charged, the analyst's not answered.
SELECT t.run('gate_ann', 'CREATE FUNCTION inlined() RETURNS SETOF bigint LANGUAGE sql STABLE AS ''SELECT dp_count(*) FROM public.patients''');
SELECT t.accept('SELECT * FROM inlined()');
GRANT USAGE ON SCHEMA gate_ann TO gate_owner;
CREATE TABLE t.charged AS SELECT t.charges() AS n;
SELECT isnt(t.run('gate_owner', 'SELECT * FROM gate_ann.inlined()'), NULL, 'the owner asks through it');
SELECT is(t.charges() - n, 1::bigint, 'and is charged') FROM t.charged;
SELECT t.run('gate_ann', 'PREPARE inlined AS SELECT * FROM inlined()');
SELECT t.accept('EXECUTE inlined');
SELECT t.run('gate_ann', 'CREATE OR REPLACE FUNCTION inlined() RETURNS SETOF bigint LANGUAGE sql STABLE AS ''SELECT dp_count(*) + dp_count(weight) FROM public.patients''');
SELECT t.accept('EXECUTE inlined', 2);

-- and where that is so only for some parameters, or only after a sub-query was
-- pulled up
SELECT t.run('gate_owner', 'CREATE FUNCTION late(double precision) RETURNS SETOF bigint LANGUAGE sql STABLE AS ''SELECT dp_count(*) FROM public.patients''');
SELECT t.run('gate_owner', 'PREPARE late(boolean) AS SELECT * FROM late(CASE WHEN $1 THEN random() ELSE 1 END)');
UPDATE t.charged SET n = t.charges();
SELECT t.run('gate_owner', format('EXECUTE late(%s)', b)) FROM unnest('{false,true}'::text[]) AS b \g /dev/null
SELECT is(t.charges() - n, 2::bigint, 'the owner is charged, whatever the parameter') FROM t.charged;
SELECT is(left(t.run('gate_owner', 'SELECT * FROM (SELECT false AS b) AS s, LATERAL (SELECT * FROM late(CASE WHEN b THEN random() ELSE 1 END) OFFSET 0) AS u'), 5),
	'0A000', 'what is inlined late is refused');
SELECT t.run('gate_owner', 'CREATE FUNCTION elsewhere() RETURNS SETOF bigint LANGUAGE sql STABLE AS ''SELECT dp_count(*) FROM public.numbers''');
SELECT matches(t.run('gate_owner', 'SELECT count(*) + (SELECT * FROM elsewhere()) FROM patients'), '^[0-9]+$', 'raw reads beside are the owner''s own');

-- Errors of reading quoted rows.
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
SELECT current_setting('data_directory') || '/gate_rows.csv' AS file \gset
COPY (VALUES (1, '10'), (2, '20'), (3, 'canary')) TO :'file' (FORMAT csv);
CREATE FOREIGN TABLE public.filed (id integer, x integer) SERVER files OPTIONS (filename :'file', format 'csv');
ALTER FOREIGN TABLE public.filed OWNER TO gate_owner;
SELECT dp_noise.protect('public.filed', epsilon => 1e6, delta => 1), dp_noise.alter_population('public.filed', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.filed', 1000);
SELECT is(t.run('gate_ann', 'SELECT dp_sum(x, 0, 100) FROM filed'), '22000: the protected relation could not be read', 'a bad line of a file');
CREATE FUNCTION t.context() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
	context text;
BEGIN
	PERFORM dp_sum(x, 0, 100) FROM public.filed;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_DETAIL, context = PG_EXCEPTION_CONTEXT;
	RETURN said || context;
END
$$;
GRANT EXECUTE ON FUNCTION t.context() TO PUBLIC;
SELECT unalike(t.run('gate_ann', 'SELECT t.context()'), '%canary%', 'nor in its context');
COPY (VALUES (1, '10'), (2, '20'), (3, '30')) TO :'file' (FORMAT csv);
SELECT t.accept('SELECT dp_sum(x, 0, 100) FROM filed');

-- NOT NULL of a foreign table need not be true of its rows, and since version 17
-- the planner leaves out that they have a unit.
COPY (VALUES (1, 1), (1, 2), (2, 3), (NULL, 4), (NULL, 5)) TO :'file' (FORMAT csv);
CREATE FOREIGN TABLE public.vouched (person integer NOT NULL, x integer) SERVER files OPTIONS (filename :'file', format 'csv');
ALTER FOREIGN TABLE public.vouched OWNER TO gate_owner;
SELECT dp_noise.protect('public.vouched', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e6, delta => 1), dp_noise.alter_population('public.vouched', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.vouched', 1000000);
SELECT is(t.run('gate_ann', 'SELECT dp_count(x, 10000) FROM vouched'), '3', 'rows without a unit do not count');
SELECT is(t.run('gate_ann', 'SELECT dp_count(x, 10000) FROM vouched WHERE person NOT IN (SELECT person FROM vouched WHERE x > 2)'), '2', 'nor do they decide about others');

-- A table that is dropped and made anew is another one: what is asked about it is
-- another question, and its population pays for the answer.
SET ROLE gate_owner;
CREATE TABLE public.again (f boolean, g boolean, n integer);
SELECT dp_noise.protect('public.again', epsilon => 10), dp_noise.set_budget('gate_ann', 'public.again', 10), dp_noise.set_budget('gate_bob', 'public.again', 10);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM again WHERE f');
DROP TABLE public.again;
SET ROLE gate_owner;
CREATE TABLE public.again (n integer, gone integer, g boolean, f boolean);
ALTER TABLE public.again DROP COLUMN gone;
SELECT dp_noise.protect('public.again');
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM again WHERE f');
SELECT is(epsilon_spent, 2::numeric, 'the population has paid for both') FROM dp_noise.populations WHERE population = 'public.again';

-- A stored answer of another type was read as this one: it is another question.
SELECT t.run('gate_bob', 'SELECT dp_median_exp(n::double precision, 0, 100) FROM again') AS median \gset
SELECT matches(:'median'::text, '[.]', 'a fraction');
SELECT matches(t.run('gate_bob', 'SELECT dp_median_exp(n, 0, 100) FROM again'), '^[0-9]+$', 'of which no integer is made');
SELECT is(t.run('gate_bob', 'SELECT dp_median_exp(n::double precision, 0, 100) FROM again'), :'median'::text, 'of its own type');

-- A function wrongly called safe, in a parallel worker, was an internal error.
SELECT t.run('gate_ann', 'CREATE FUNCTION unsafe(i integer) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS ''BEGIN RETURN (SELECT dp_count(*) FROM public.patients); END''');
SELECT set_config(CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END, 'on', false);
SELECT t.refuse('25000', 'SELECT max(unsafe(x)) FROM numbers');
RESET ALL;
SET client_min_messages = warning;

SELECT * FROM finish();
\ir support/gate_end.sql
