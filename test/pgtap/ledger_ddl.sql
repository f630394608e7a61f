-- What DDL does to protected tables, whatever statement it comes with: tables
-- that go with something else, new names of tables and of columns, columns that
-- are dropped, rules that make a view of a table.
\ir support/ledger.sql
CREATE ROLE ldd_owner SUPERUSER;
CREATE ROLE ldd_heir;
CREATE ROLE ldd_ann;
CREATE SCHEMA s;
GRANT USAGE ON SCHEMA s TO PUBLIC;
SELECT no_plan();
SELECT current_setting('server_version_num')::integer >= 160000 AS new_server \gset

-- the tables of a name that the ledger knows
CREATE FUNCTION t.known(name text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(format('%s.%s', schema_name, relation_name), ', ' ORDER BY member_id), 'none')
	FROM dp_noise_ledger.member WHERE relation_name = name
$$;
-- members of which nothing is there
CREATE FUNCTION t.left_behind() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM dp_noise_ledger.member AS m WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = m.relation)
$$;

-- Protects a table s.x, asks about it, and runs a statement that drops it.
CREATE FUNCTION t.drops(make text, command text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE make;
	PERFORM dp_noise.protect('s.x', epsilon => 1e6, delta => 1), dp_noise.alter_population('s.x', on_repeat => 'answer'), dp_noise.set_budget('ldd_ann', 's.x', 10);
	EXECUTE command;
	RETURN NEXT is(to_regclass('s.x'), NULL, 'it is dropped: ' || command);
	RETURN NEXT is(t.known('x'), 'none', 'and the ledger knows');
	PERFORM dp_noise.drop_population('s.x');
END $$;
SELECT t.drops('CREATE FUNCTION s.f(int) RETURNS int LANGUAGE sql IMMUTABLE AS ''SELECT $1''; CREATE TABLE s.x (id int) PARTITION BY LIST (s.f(id))', 'DROP FUNCTION s.f CASCADE');
SELECT t.drops('CREATE FUNCTION s.f(int) RETURNS int LANGUAGE sql IMMUTABLE AS ''SELECT $1''; CREATE TABLE s.x (id int) PARTITION BY LIST (s.f(id))', 'DROP ROUTINE s.f CASCADE');
SELECT t.drops('CREATE COLLATION s.c (locale = ''C''); CREATE TABLE s.x (id text) PARTITION BY LIST (id COLLATE s.c)', 'DROP COLLATION s.c CASCADE');
SELECT t.drops('CREATE OPERATOR CLASS s.o FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int); CREATE TABLE s.x (id int) PARTITION BY RANGE (id s.o)', 'DROP OPERATOR CLASS s.o USING btree CASCADE');
SELECT t.drops('CREATE OPERATOR FAMILY s.o2 USING btree; CREATE OPERATOR CLASS s.o2 FOR TYPE int USING btree FAMILY s.o2 AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int); CREATE TABLE s.x (id int) PARTITION BY RANGE (id s.o2)', 'DROP OPERATOR FAMILY s.o2 USING btree CASCADE');
SELECT t.drops('CREATE TYPE s.k AS (id int); CREATE TABLE s.x OF s.k', 'DROP TYPE s.k CASCADE');
SELECT t.drops('CREATE DOMAIN s.d AS int; CREATE TABLE s.x (id s.d) PARTITION BY LIST (id)', 'DROP DOMAIN s.d CASCADE');
SELECT t.drops('CREATE ACCESS METHOD heap_too TYPE TABLE HANDLER heap_tableam_handler; CREATE TABLE s.x (id int) USING heap_too', 'DROP ACCESS METHOD heap_too CASCADE');
SELECT t.drops('CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE s.x (id int) SERVER files OPTIONS (filename ''/nowhere'')', 'DROP SERVER files CASCADE');
SELECT t.drops('CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE s.x (id int) SERVER files OPTIONS (filename ''/nowhere'')', 'DROP EXTENSION file_fdw CASCADE');
SELECT t.drops('CREATE EXTENSION citext; CREATE TABLE s.x (id citext) PARTITION BY LIST (id)', 'DROP EXTENSION citext CASCADE');
SELECT t.drops('CREATE SCHEMA other; CREATE FUNCTION other.f(int) RETURNS int LANGUAGE sql IMMUTABLE AS ''SELECT $1''; CREATE TABLE s.x (id int) PARTITION BY LIST (other.f(id))', 'DROP SCHEMA other CASCADE');
SELECT t.drops('CREATE TABLE s.p (id int) PARTITION BY LIST (id); CREATE TABLE s.x PARTITION OF s.p DEFAULT', 'DROP TABLE s.p');
SELECT t.drops('CREATE TABLE s.p (id int); CREATE TABLE s.x () INHERITS (s.p)', 'DROP TABLE s.p CASCADE');
SELECT t.drops('CREATE TABLE s.x (id int); ALTER TABLE s.x OWNER TO ldd_heir', 'DROP OWNED BY ldd_heir');
SELECT t.drops('CREATE TABLE s.x (id int); ALTER TABLE s.x OWNER TO ldd_heir', 'REASSIGN OWNED BY ldd_heir TO ldd_owner; DROP OWNED BY ldd_owner');
SELECT t.drops('CREATE TABLE s.x (id int)', 'SET LOCAL session_replication_role = replica; DROP TABLE s.x; SET LOCAL session_replication_role = origin');

-- a view made of a table, on the version that does that
CREATE TABLE s.v (id int);
SELECT dp_noise.protect('s.v', epsilon => 1e6, delta => 1);
SELECT CASE WHEN :'new_server' THEN pass('no table becomes a view')
	ELSE throws_ok('CREATE RULE "_RETURN" AS ON SELECT TO s.v DO INSTEAD SELECT 1 AS id', '42809', 'relation s.v is protected and cannot become a view') END;
CREATE RULE other AS ON INSERT TO s.v DO ALSO SELECT 1;
DROP RULE other ON s.v;
SELECT is(t.known('v'), 's.v', 'other rules are none of the ledger''s business');
SELECT dp_noise.unprotect('s.v');
SELECT CASE WHEN NOT :'new_server' THEN 'CREATE RULE "_RETURN" AS ON SELECT TO s.v DO INSTEAD SELECT 1 AS id; DROP VIEW s.v' ELSE 'DROP TABLE s.v' END \gexec
SELECT is(t.known('v'), 'none', 'a view that was a table is dropped');
SELECT is(t.left_behind(), 0::bigint, 'no member is left behind');

-- names of tables
CREATE TABLE s.named (id int);
SELECT dp_noise.protect('s.named', epsilon => 1e6, delta => 1);
CREATE FUNCTION t.renames(command text, wanted text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE command;
	RETURN is((SELECT string_agg(format('%I.%I', schema_name, relation_name), ',') FROM dp_noise_ledger.member), wanted, command);
END $$;
SELECT t.renames('ALTER TABLE s.named RENAME TO one', 's.one');
SELECT t.renames('ALTER INDEX s.one RENAME TO two', 's.two');
SELECT t.renames('ALTER SCHEMA s RENAME TO s2', 's2.two');
SELECT t.renames('ALTER SCHEMA s2 RENAME TO s; ALTER TABLE s.two SET SCHEMA public', 'public.two');
SELECT t.renames('ALTER TABLE public.two SET SCHEMA s', 's.two');
CREATE EXTENSION seg SCHEMA s;
ALTER EXTENSION seg ADD TABLE s.two;
SELECT t.renames('ALTER EXTENSION seg SET SCHEMA public', 'public.two');
ALTER EXTENSION seg DROP TABLE public.two;
DROP EXTENSION seg;
SELECT t.renames('SET session_replication_role = replica; ALTER TABLE public.two RENAME TO three; RESET session_replication_role', 'public.three');
SELECT t.renames('ALTER TABLE public.three OWNER TO ldd_heir; REASSIGN OWNED BY ldd_heir TO ldd_owner', 'public.three');
DROP TABLE public.three;

-- names of columns: unit, bounds and values go along
CREATE TYPE s.kind AS (person int, age int, town text);
CREATE TABLE s.plain (person int, age int, town text);
CREATE TABLE s.typed OF s.kind;
CREATE TABLE s.parted (person int, age int, town text) PARTITION BY LIST (town);
CREATE TABLE s.part PARTITION OF s.parted DEFAULT;
CREATE TABLE s.parent (person int, age int, town text);
CREATE TABLE s.child () INHERITS (s.parent);
CREATE FUNCTION t.declared(relation regclass) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', quote_ident(m.unit), quote_ident(b.column_name), quote_ident(v.column_name))
	FROM dp_noise_ledger.member AS m
	LEFT JOIN dp_noise_ledger.column_bounds AS b USING (member_id) LEFT JOIN dp_noise_ledger.column_values AS v USING (member_id)
	WHERE m.relation = declared.relation
$$;
CREATE FUNCTION t.columns(relation regclass, command text, wanted text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_noise.protect(relation, privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e6, delta => 1), dp_noise.set_bounds(relation, 'age', 0, 9), dp_noise.set_values(relation, 'town', '{a,b}');
	BEGIN
		EXECUTE command;
		RAISE EXCEPTION USING ERRCODE = 'ZZ001', MESSAGE = t.declared(relation);
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
		RETURN is(SQLERRM, wanted, relation || ': ' || command);
	END;
END $$;
SELECT t.columns('s.plain', 'ALTER TABLE s.plain RENAME person TO who', 'who age town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain RENAME age TO "Old Age"', 'person "Old Age" town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain RENAME town TO place', 'person age place');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain RENAME person TO other; ALTER TABLE s.plain RENAME age TO person; ALTER TABLE s.plain RENAME other TO age', 'age person town');
SELECT t.columns('s.plain', 'SET LOCAL session_replication_role = replica; ALTER TABLE s.plain RENAME person TO who', 'who age town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain DROP person', '"" age town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain DROP person, ADD person int', '"" age town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain DROP person; ALTER TABLE s.plain ADD other int; ALTER TABLE s.plain RENAME other TO person', '"" age town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain DROP age, ADD age int', 'person town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain DROP town; ALTER TABLE s.plain RENAME age TO town', 'person town');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain DROP age; ALTER TABLE s.plain RENAME town TO age', 'person age');
SELECT t.columns('s.plain', 'ALTER TABLE s.plain ALTER person TYPE bigint, ALTER age TYPE numeric, ALTER town TYPE varchar', 'person age town');
SELECT t.columns('s.plain', 'CREATE DOMAIN s.d AS int; ALTER TABLE s.plain ALTER person TYPE s.d; DROP DOMAIN s.d CASCADE', '"" age town');
SELECT t.columns('s.typed', 'ALTER TYPE s.kind RENAME ATTRIBUTE person TO who CASCADE', 'who age town');
SELECT t.columns('s.typed', 'ALTER TYPE s.kind DROP ATTRIBUTE person CASCADE', '"" age town');
SELECT t.columns('s.typed', 'ALTER TYPE s.kind DROP ATTRIBUTE age CASCADE', 'person town');
SELECT t.columns('s.part', 'ALTER TABLE s.parted RENAME person TO who', 'who age town');
SELECT t.columns('s.parted', 'ALTER TABLE s.parted RENAME person TO who', 'who age town');
SELECT t.columns('s.part', 'ALTER TABLE s.parted DROP person', '"" age town');
SELECT t.columns('s.part', 'ALTER TABLE s.parted DETACH PARTITION s.part; ALTER TABLE s.parted RENAME person TO who', 'person age town');
SELECT t.columns('s.part', 'ALTER TABLE s.parted DETACH PARTITION s.part; ALTER TABLE s.part RENAME person TO who', 'who age town');
SELECT t.columns('s.child', 'ALTER TABLE s.parent RENAME person TO who', 'who age town');
SELECT t.columns('s.child', 'ALTER TABLE s.parent DROP person', '"" age town');
SELECT t.columns('s.child', 'ALTER TABLE s.child NO INHERIT s.parent; ALTER TABLE s.child RENAME person TO who; ALTER TABLE s.child RENAME who TO person; ALTER TABLE s.child INHERIT s.parent', 'person age town');
SELECT t.columns('s.plain', 'ALTER VIEW s.plain RENAME COLUMN person TO who', 'who age town');
SELECT t.columns('s.plain', 'ALTER MATERIALIZED VIEW s.plain RENAME COLUMN person TO who', 'who age town');

-- a question about a table whose unit was dropped says so, and the owner's way on
SELECT dp_noise.alter_population('s.plain', on_repeat => 'answer'), dp_noise.set_budget('ldd_ann', 's.plain', 10);
ALTER TABLE s.plain DROP person, ADD person int;
SELECT alike(t.run('ldd_ann', 'SELECT dp_count(*) FROM s.plain'), '55000: the privacy unit of "plain" is a column that is no longer there%', 'a new column of the name is not the unit');
SELECT dp_noise.protect('s.plain', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
SELECT alike(t.run('ldd_ann', 'SELECT dp_count(*) > -1000 FROM s.plain'), 'true', 'until the owner says so');

-- people who protect nothing can do as before
SET SESSION AUTHORIZATION ldd_heir;
CREATE TABLE mine (a int, b int);
ALTER TABLE mine RENAME a TO c;
ALTER TABLE mine DROP b;
DROP TABLE mine;
RESET SESSION AUTHORIZATION;

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP SCHEMA s CASCADE;
DROP OWNED BY ldd_owner, ldd_heir, ldd_ann CASCADE;
DROP ROLE ldd_owner, ldd_heir, ldd_ann;
