-- What is open beside the gate: each way that dp_noise.check() knows is opened,
-- used, reported, closed by the remedy that it gives, and silent again.
--
-- Takes long: 42 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY '{gate_group,gate_other}'::text[] LOOP
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
			EXECUTE format('CREATE ROLE %I', name);
		END IF;
	END LOOP;
	REVOKE CREATE ON SCHEMA public FROM gate_ann, gate_bob;
	GRANT gate_group TO gate_ann;
END
$$;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1000000);

-- Severities of what is found on an object, as the superuser and the owner see it.
CREATE FUNCTION t.found(pattern text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(DISTINCT c.severity, ' '), 'nothing') FROM dp_noise.check() AS c WHERE replace(c.object || ': ' || c.finding, 'public.', '') ~ pattern
$$;
CREATE FUNCTION t.found_by_owner(pattern text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_owner', format('SELECT coalesce(string_agg(DISTINCT c.severity, '' ''), ''nothing'') FROM dp_noise.check() AS c WHERE replace(c.object || '': '' || c.finding, ''public.'', '''') ~ %L', pattern))
$$;

-- opening: as the superuser. probe: the analyst can do it while it is open, and
-- only then. closing: null for the remedy.
CREATE FUNCTION t.channel(opening text, pattern text, severity text, probe text DEFAULT NULL, closing text DEFAULT NULL, after text DEFAULT NULL)
RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	remedies text[];
	remedy text;
	name CONSTANT text := translate(left(opening, 120), E'\n', ' ');
BEGIN
	RETURN NEXT is(t.found(pattern), 'nothing', 'silent: ' || name);
	IF probe IS NOT NULL THEN
		RETURN NEXT matches(t.run('gate_ann', probe), '^(42501|42P01|3F000)', 'denied: ' || probe);
	END IF;
	EXECUTE opening;
	RETURN NEXT is(t.found(pattern), severity, 'found: ' || name);
	RETURN NEXT is(t.found_by_owner(pattern), severity, 'by the owner: ' || name);
	IF probe IS NOT NULL THEN
		RETURN NEXT unalike(coalesce(t.run('gate_ann', probe), ''), '42501%', 'open: ' || probe);
	END IF;
	IF closing IS NULL THEN
		SELECT array_agg(c.remedy) INTO remedies FROM dp_noise.check() AS c WHERE replace(c.object || ': ' || c.finding, 'public.', '') ~ pattern;
		FOREACH remedy IN ARRAY remedies LOOP
			EXECUTE remedy;
		END LOOP;
	ELSE
		EXECUTE closing;
	END IF;
	RETURN NEXT is(t.found(pattern), 'nothing', 'closed: ' || translate(left(coalesce(closing, remedies::text, 'null'), 120), E'\n', ' '));
	IF probe IS NOT NULL THEN
		RETURN NEXT matches(t.run('gate_ann', probe), '^(42501|42P01|3F000)', 'denied again: ' || probe);
	END IF;
	IF after IS NOT NULL THEN
		EXECUTE after;
	END IF;
END
$$;

SELECT is(t.run('gate_ann', 'SELECT * FROM dp_noise.check()'), '42501: must be superuser or owner of a protected table', 'an analyst is refused');
SELECT is(t.run('gate_owner', 'SELECT dp_noise.harden()'), '42501: permission denied for function harden', 'owners do not harden');
SELECT is(t.run('gate_owner', 'SELECT relation FROM dp_noise.protected_relations'), 'patients', 'an owner sees the protected tables');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_noise.protected_relations'), '0', 'an analyst sees none');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_noise.asker'), '0', 'nor who else has a budget');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_noise.reach'), '0', 'nor through which roles');

------------------------------------------------------------------------------
-- privileges

SELECT t.channel('GRANT SELECT ON patients TO gate_ann', '^patients: .* gate_ann has SELECT', 'high', 'SELECT id FROM patients');
SELECT t.channel('GRANT SELECT ON patients TO PUBLIC', '^patients: .* PUBLIC has SELECT', 'high', 'SELECT id FROM patients');
SELECT t.channel('GRANT SELECT ON patients TO gate_group', '^patients: .* gate_group has SELECT', 'high', 'SELECT id FROM patients');
SELECT t.channel('GRANT SELECT (age), REFERENCES (id) ON patients TO PUBLIC', '^patients: .* PUBLIC has REFERENCES \(id\), SELECT \(age\)$', 'high', 'SELECT age FROM patients');
SELECT t.channel('GRANT UPDATE ON patients TO gate_ann', '^patients: .* gate_ann has UPDATE', 'high', 'UPDATE patients SET age = 1 WHERE false');
SELECT t.channel('GRANT INSERT, DELETE, TRUNCATE, REFERENCES, TRIGGER ON patients TO gate_group', '^patients: .* gate_group has DELETE, INSERT, REFERENCES, TRIGGER, TRUNCATE$', 'high', 'LOCK TABLE patients IN ROW EXCLUSIVE MODE');
-- a foreign key would tell which keys there are; columns of no key are only shown
SELECT t.channel('GRANT REFERENCES (age, city) ON patients TO gate_ann', '^patients: .* gate_ann has REFERENCES \(age\), REFERENCES \(city\); it shows the columns', 'low');
GRANT REFERENCES (age, city) ON public.patients TO gate_ann;
SELECT is(t.run('gate_ann', 'SELECT string_agg(column_name, '','' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = ''patients'''), 'age,city', 'the columns that it shows');
SELECT matches(t.run('gate_ann', command), state, command) FROM (VALUES
	('CREATE TABLE refers (x integer REFERENCES public.patients (age))', '^42830'), ('CREATE TABLE refers (x integer REFERENCES public.patients)', '^42501'),
	('CREATE TABLE refers (x integer, y text, FOREIGN KEY (x, y) REFERENCES public.patients (age, city))', '^42830'), ('CREATE TABLE likewise (LIKE public.patients)', '^42501'),
	('SELECT age FROM public.patients', '^42501'), ('SELECT count(*) FROM public.patients', '^-?\d+$')) AS v (command, state);
CREATE UNIQUE INDEX other_key ON public.patients (big, age);
SELECT is(t.found('^patients: .* gate_ann has REFERENCES'), 'high', 'a unique index that has one of them');
DROP INDEX public.other_key;
REVOKE REFERENCES (age, city) ON public.patients FROM gate_ann;
SELECT t.channel('GRANT SELECT ON patients TO gate_other', '^patients: .* gate_other has SELECT', 'low');
SELECT is(t.found('^patients: .* gate_owner'), 'nothing', 'the owner''s own privileges are none of it');

CREATE VIEW gate_owner.seen AS SELECT * FROM patients;
ALTER VIEW gate_owner.seen OWNER TO gate_owner;
GRANT USAGE ON SCHEMA gate_owner TO PUBLIC;
SELECT t.channel('GRANT SELECT ON gate_owner.seen TO gate_ann', '^gate_owner.seen: a view over it \(patients\): gate_ann has SELECT', 'high', 'SELECT count(*) FROM gate_owner.seen');
CREATE VIEW gate_owner.further AS SELECT age FROM gate_owner.seen WHERE age > 50;
SELECT t.channel('GRANT SELECT ON gate_owner.further TO PUBLIC', '^gate_owner.further: a view over it \(patients\): PUBLIC has SELECT', 'high', 'SELECT count(*) FROM gate_owner.further');
CREATE VIEW gate_owner.invoker WITH (security_invoker) AS SELECT * FROM patients;
GRANT SELECT ON gate_owner.invoker TO PUBLIC;
SELECT is(t.found('invoker'), 'nothing', 'a view with the rights of whoever reads it');
SELECT is(left(t.run('gate_ann', 'SELECT * FROM gate_owner.invoker'), 5), '42501', 'shows nothing');
CREATE VIEW gate_ann.mine AS SELECT 1 FROM patients;
ALTER VIEW gate_ann.mine OWNER TO gate_ann;
GRANT SELECT ON gate_ann.mine TO PUBLIC;
SELECT is(t.found('gate_ann.mine'), 'nothing', 'a view of somebody who may not read it');
CREATE MATERIALIZED VIEW gate_owner.copied AS SELECT * FROM patients;
ALTER MATERIALIZED VIEW gate_owner.copied OWNER TO gate_owner;
SELECT t.channel('GRANT SELECT ON gate_owner.copied TO gate_group', '^gate_owner.copied: a copy .*: gate_group has SELECT', 'high', 'SELECT count(*) FROM gate_owner.copied');
CREATE VIEW gate_owner.released AS SELECT dp_count(*) FROM patients;
ALTER VIEW gate_owner.released OWNER TO gate_owner;
SELECT t.channel('GRANT SELECT ON gate_owner.released TO gate_ann', '^gate_owner.released: .*nothing but private aggregates', 'low', 'SELECT * FROM gate_owner.released');
CREATE TABLE gate_owner.ruled (x integer);
ALTER TABLE gate_owner.ruled OWNER TO gate_owner;
CREATE TABLE gate_ann.target (n bigint);
GRANT INSERT ON gate_ann.target TO gate_owner;
GRANT USAGE ON SCHEMA gate_ann TO gate_owner;
CREATE RULE tells AS ON INSERT TO gate_owner.ruled DO ALSO INSERT INTO gate_ann.target SELECT count(*) FROM public.patients;
SELECT t.channel('GRANT INSERT ON gate_owner.ruled TO gate_ann', '^gate_owner.ruled: a table with a rule', 'high', 'INSERT INTO gate_owner.ruled VALUES (1)');
DROP TABLE gate_owner.ruled;

-- parents and children
CREATE TABLE public.parent (id integer NOT NULL);
ALTER TABLE public.parent OWNER TO gate_owner;
ALTER TABLE public.patients INHERIT public.parent;
SELECT t.channel('GRANT SELECT ON parent TO gate_ann', '^parent: a parent of it', 'high', 'SELECT count(*) FROM parent');
SELECT t.channel('ALTER TABLE parent OWNER TO gate_ann', '^parent: a parent of it \(patients\): owned by gate_ann', 'high', 'SELECT count(*) FROM parent');
ALTER TABLE public.patients NO INHERIT public.parent;
SELECT is(t.found('^parent'), 'nothing', 'no parent any more');
CREATE TABLE public.whole (id serial, x integer) PARTITION BY LIST (x);
CREATE TABLE public.part PARTITION OF public.whole FOR VALUES IN (1);
ALTER TABLE public.whole OWNER TO gate_owner;
ALTER TABLE public.part OWNER TO gate_owner;
INSERT INTO public.whole (x) VALUES (1), (1);
SELECT dp_noise.protect('public.whole', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'public.whole', 1);
SELECT t.channel('GRANT SELECT ON part TO gate_ann', '^part: a partition or child of it \(whole\)', 'high', 'SELECT count(*) FROM part');
SELECT t.channel('ALTER TABLE part OWNER TO gate_ann', '^part: a partition or child of it \(whole\): owned by gate_ann', 'high', 'SELECT count(*) FROM part');
SELECT t.channel('GRANT SELECT ON SEQUENCE whole_id_seq TO gate_ann', '^whole_id_seq: a sequence of it', 'medium', 'SELECT last_value FROM whole_id_seq');
SELECT dp_noise.unprotect('public.whole'), dp_noise.protect('public.part', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.part', 1);
SELECT t.channel('GRANT SELECT ON whole TO gate_ann', '^whole: a parent of it \(part\)', 'high', 'SELECT count(*) FROM whole');
SELECT dp_noise.unprotect('public.part');
SELECT is(t.found('^(whole|part)'), 'nothing', 'of what is not protected, nothing');

-- long values
SELECT reltoastrelid::regclass AS toast FROM pg_class WHERE oid = 'public.patients'::regclass \gset
GRANT USAGE ON SCHEMA pg_toast TO gate_ann;
SELECT t.channel(format('GRANT SELECT ON %s TO gate_ann', :'toast'), '^pg_toast.*: its long values', 'high', format('SELECT count(*) FROM %s', :'toast'));
REVOKE USAGE ON SCHEMA pg_toast FROM gate_ann;

-- tables to come
SELECT t.channel('ALTER DEFAULT PRIVILEGES FOR ROLE gate_owner GRANT SELECT ON TABLES TO gate_group', '^patients: new tables of its owner .* gate_group: SELECT', 'medium');
SELECT t.channel('ALTER DEFAULT PRIVILEGES FOR ROLE gate_owner IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC', '^patients: new tables of its owner .* PUBLIC: SELECT', 'medium');

------------------------------------------------------------------------------
-- roles

SELECT t.channel(format('GRANT %s TO gate_ann', name), format('^role gate_ann: is a member of %s', name), severity)
FROM (VALUES ('pg_read_all_data', 'high'), ('pg_write_all_data', 'high'), ('pg_read_server_files', 'high'), ('pg_write_server_files', 'high'),
	('pg_execute_server_program', 'high'), ('pg_read_all_stats', 'medium'), ('pg_stat_scan_tables', 'medium')) AS v (name, severity);
SELECT t.channel('GRANT pg_monitor TO gate_group', '^role gate_ann: is a member of pg_monitor through gate_group', 'medium');
SELECT t.channel('GRANT pg_read_all_data TO gate_other', '^role gate_other: is a member of pg_read_all_data', 'low');
SELECT t.channel('GRANT gate_owner TO gate_ann', '^role gate_ann: .*member of its owner', 'high', 'SELECT id FROM patients');
SELECT t.channel('ALTER ROLE gate_ann SUPERUSER', '^role gate_ann: .*is superuser', 'high', closing => 'ALTER ROLE gate_ann NOSUPERUSER');
SELECT t.channel('ALTER ROLE gate_other SUPERUSER; GRANT gate_other TO gate_ann', '^role gate_ann: .*may act as a superuser', 'high', closing => 'REVOKE gate_other FROM gate_ann',
	after => 'ALTER ROLE gate_other NOSUPERUSER');
SELECT t.channel('ALTER ROLE gate_ann REPLICATION', '^role gate_ann: has REPLICATION', 'high',
	'SELECT pg_drop_replication_slot(slot_name) FROM pg_create_physical_replication_slot(''gate_slot'')');
SELECT t.channel('ALTER ROLE gate_other REPLICATION', '^role gate_other: has REPLICATION', 'low');
SELECT t.channel(opening, pattern, 'high', probe)
FROM (VALUES (false, 'ALTER ROLE gate_ann CREATEROLE', '^role gate_ann: has CREATEROLE', 'GRANT gate_owner TO gate_other'),
	(true, 'GRANT gate_owner TO gate_ann WITH ADMIN TRUE, INHERIT FALSE, SET FALSE', '^role gate_ann: .*member of its owner', NULL)) AS v (is_new, opening, pattern, probe)
WHERE is_new = (current_setting('server_version_num')::integer >= 160000);
REVOKE gate_owner FROM gate_other;
SELECT t.channel(format('ALTER DATABASE %I OWNER TO gate_ann', current_database()), '^role gate_ann: owns this database', 'high',
	closing => format('ALTER DATABASE %I OWNER TO %I', current_database(), current_user));
SELECT t.channel(format('ALTER ROLE gate_ann CREATEDB; ALTER DATABASE %I OWNER TO gate_ann', current_database()), '^role gate_ann: has CREATEDB, and may copy this database, which it or a group of it owns', 'high',
	after => format('ALTER DATABASE %I OWNER TO %I', current_database(), current_user));
SELECT t.channel(format('ALTER ROLE %I CREATEDB; ALTER DATABASE %I IS_TEMPLATE true', role, current_database()), format('^role %s: has CREATEDB, and may copy this database, which is a template', role), severity,
	after => format('ALTER ROLE %I NOCREATEDB', role))
FROM (VALUES ('gate_ann', 'high'), ('gate_other', 'low')) AS v (role, severity);
SELECT t.channel('CREATE TABLE public.patients_too () INHERITS (public.patients); ALTER TABLE public.patients_too OWNER TO gate_owner; SELECT dp_noise.protect(''public.patients_too'', epsilon => 1e6, delta => 1)',
	'^patients_too: a partition or child of it .patients., and protected as well', 'medium', after => 'DROP TABLE public.patients_too');
SELECT t.channel('GRANT CREATE ON SCHEMA public TO PUBLIC', '^schema public: PUBLIC may create', 'high',
	'CREATE FUNCTION public.dp_sum(integer, integer, integer) RETURNS integer LANGUAGE sql AS ''SELECT 1''',
	after => 'DROP FUNCTION public.dp_sum(integer, integer, integer)');
CREATE SCHEMA hers;
CREATE TABLE hers.things (id integer PRIMARY KEY);
ALTER TABLE hers.things OWNER TO gate_owner;
SELECT dp_noise.protect('hers.things', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'hers.things', 1);
SELECT t.channel('ALTER SCHEMA hers OWNER TO gate_ann', '^schema hers: gate_ann may create objects there: a function', 'high', closing => 'ALTER SCHEMA hers OWNER TO CURRENT_USER');
DROP SCHEMA hers CASCADE;

-- A shared budget makes everyone in the group one who asks.
SELECT dp_noise.drop_budget('gate_bob', 'public.patients'), dp_noise.set_budget('gate_group', 'public.patients', 1, shared => true);
SELECT t.channel('GRANT gate_group TO gate_bob; GRANT SELECT ON patients TO gate_bob', '^patients: .* gate_bob has SELECT', 'high', closing => 'REVOKE SELECT ON patients FROM gate_bob');
REVOKE gate_group FROM gate_bob;
SELECT t.channel('GRANT SELECT ON patients TO gate_bob', '^patients: .* gate_bob has SELECT', 'low');

------------------------------------------------------------------------------
-- code

CREATE FUNCTION gate_ann.watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FUNCTION gate_ann.watch(integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
ALTER FUNCTION gate_ann.watch() OWNER TO gate_ann;
ALTER FUNCTION gate_ann.watch(integer) OWNER TO gate_ann;
CREATE OPERATOR gate_ann.!! (RIGHTARG = integer, FUNCTION = gate_ann.watch);
CREATE DOMAIN public.watched AS integer CHECK (gate_ann.watch(VALUE));
ALTER DOMAIN public.watched OWNER TO gate_owner;
SELECT t.channel(opening, '^function gate_ann.watch\(.*: runs for rows of patients, and is owned by gate_ann', 'high', closing => closing)
FROM (VALUES
	('CREATE TRIGGER watch BEFORE UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION gate_ann.watch()', 'DROP TRIGGER watch ON patients'),
	('CREATE INDEX watch ON patients (gate_ann.watch(age))', 'DROP INDEX watch'),
	('CREATE INDEX watch ON patients (age) WHERE gate_ann.watch(age)', 'DROP INDEX watch'),
	('ALTER TABLE patients ADD CONSTRAINT watch CHECK (gate_ann.watch(age))', 'ALTER TABLE patients DROP CONSTRAINT watch'),
	('ALTER TABLE patients ADD CONSTRAINT watch CHECK (OPERATOR(gate_ann.!!) age)', 'ALTER TABLE patients DROP CONSTRAINT watch'),
	('CREATE POLICY watch ON patients USING (gate_ann.watch(age))', 'DROP POLICY watch ON patients'),
	('CREATE RULE watch AS ON UPDATE TO patients WHERE gate_ann.watch(NEW.age) DO ALSO NOTHING', 'DROP RULE watch ON patients'),
	('ALTER TABLE patients ADD COLUMN watched boolean GENERATED ALWAYS AS (gate_ann.watch(age)) STORED', 'ALTER TABLE patients DROP COLUMN watched'),
	('ALTER TABLE patients ADD COLUMN watched public.watched', 'ALTER TABLE patients DROP COLUMN watched'),
	('CREATE STATISTICS watch ON (gate_ann.watch(age)) FROM patients', 'DROP STATISTICS watch')) AS v (opening, closing);
SELECT t.channel('CREATE INDEX watch ON patients (gate_ann.watch(age))', '^function gate_ann.watch\(.*: runs for rows', 'high', after => 'DROP INDEX watch; ALTER FUNCTION gate_ann.watch(integer) OWNER TO gate_ann');

-- Types, whose owners need no privilege on a table to have its rows checked.
CREATE TABLE gate_ann.watched (value integer);
CREATE FUNCTION gate_ann.keep(integer) RETURNS boolean LANGUAGE sql AS 'INSERT INTO gate_ann.watched VALUES ($1) RETURNING true';
CREATE DOMAIN gate_ann.years AS integer;
CREATE TYPE gate_ann.pair AS (a text, b gate_ann.years);
CREATE TYPE public.spans AS RANGE (subtype = gate_ann.years, multirange_type_name = public.many_spans);
CREATE TABLE gate_ann.line (a integer);
GRANT USAGE ON SCHEMA gate_ann TO gate_owner;
DO $$
DECLARE
	change text;
BEGIN
	FOREACH change IN ARRAY '{TABLE gate_ann.watched,FUNCTION gate_ann.keep(integer),DOMAIN gate_ann.years,TYPE gate_ann.pair,TABLE gate_ann.line}'::text[] LOOP
		EXECUTE format('ALTER %s OWNER TO gate_ann', change);
	END LOOP;
END
$$;
SELECT t.channel('ALTER TABLE patients ADD COLUMN watched ' || type, '^type gate_ann.' || found || ': is in columns of patients, and is owned by gate_ann', 'high', after => after || '; ALTER TABLE patients DROP COLUMN watched')
FROM (VALUES
	('gate_ann.years', 'years', 'ALTER DOMAIN gate_ann.years OWNER TO gate_ann'),
	('gate_ann.years[]', 'years', 'ALTER DOMAIN gate_ann.years OWNER TO gate_ann'),
	('gate_ann.pair', 'pair', 'ALTER TYPE gate_ann.pair OWNER TO gate_ann'),
	('gate_ann.pair[]', 'years', 'ALTER DOMAIN gate_ann.years OWNER TO gate_ann'),
	('public.spans', 'years', 'ALTER DOMAIN gate_ann.years OWNER TO gate_ann'),
	('public.many_spans', 'years', 'ALTER DOMAIN gate_ann.years OWNER TO gate_ann'),
	('gate_ann.line', 'line', 'ALTER TABLE gate_ann.line OWNER TO gate_ann')) AS v (type, found, after);
CREATE DOMAIN public.others AS integer;
ALTER DOMAIN public.others OWNER TO gate_other;
SELECT t.channel('ALTER TABLE patients ADD COLUMN watched public.others', '^type others: is in columns of patients, and is owned by gate_other', 'low', after => 'ALTER TABLE patients DROP COLUMN watched');
DROP DOMAIN public.others;
ALTER TABLE patients ADD COLUMN watched gate_ann.years;
UPDATE patients SET watched = age;
SELECT is(t.run('gate_ann', 'ALTER DOMAIN gate_ann.years ADD CHECK (gate_ann.keep(VALUE))'), NULL, 'who owns the domain of a column');
SELECT is((SELECT count(*) FROM gate_ann.watched), (SELECT count(*) FROM patients), 'is shown each value');
ALTER TABLE patients DROP COLUMN watched;
DROP TYPE public.spans, gate_ann.pair;
DROP DOMAIN gate_ann.years;
DROP TABLE gate_ann.watched, gate_ann.line;
DROP FUNCTION gate_ann.keep(integer);

-- Another's sequence counts the rows, if only as a default.
CREATE SEQUENCE gate_ann.counting;
GRANT USAGE ON SEQUENCE gate_ann.counting TO gate_owner;
ALTER SEQUENCE gate_ann.counting OWNER TO gate_ann;
SELECT t.channel('ALTER TABLE patients ALTER age SET DEFAULT nextval(''gate_ann.counting'')', '^gate_ann.counting: a sequence of it, which counts its rows .patients.: owned by gate_ann', 'medium', after => 'ALTER TABLE patients ALTER age DROP DEFAULT');
DROP SEQUENCE gate_ann.counting;
CREATE FUNCTION gate_owner.loud() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_notify(''changed'', NEW.id::text); RETURN NEW; END';
ALTER FUNCTION gate_owner.loud() OWNER TO gate_owner;
SELECT t.channel('CREATE TRIGGER loud BEFORE UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION gate_owner.loud()', '^function gate_owner.loud\(\): .*notifications', 'low', closing => 'DROP TRIGGER loud ON patients');
CREATE FUNCTION gate_ann.ddl() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
ALTER FUNCTION gate_ann.ddl() OWNER TO gate_ann;
SELECT t.channel('CREATE EVENT TRIGGER watch ON ddl_command_start EXECUTE FUNCTION gate_ann.ddl()', '^event trigger watch', 'high', closing => 'DROP EVENT TRIGGER watch');

CREATE FUNCTION gate_owner.helper() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM public.patients';
ALTER FUNCTION gate_owner.helper() OWNER TO gate_owner;
REVOKE EXECUTE ON FUNCTION gate_owner.helper() FROM PUBLIC;
SELECT t.channel('GRANT EXECUTE ON FUNCTION gate_owner.helper() TO gate_ann', '^function gate_owner.helper\(\): SECURITY DEFINER of gate_owner', 'medium', 'SELECT gate_owner.helper()',
	closing => 'REVOKE EXECUTE ON FUNCTION gate_owner.helper() FROM gate_ann');
CREATE FUNCTION gate_owner.atomic() RETURNS bigint LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT count(*) FROM public.patients; END;
ALTER FUNCTION gate_owner.atomic() OWNER TO gate_owner;
SELECT is(t.found('^function gate_owner.atomic\(\): SECURITY DEFINER'), 'medium', 'a function with a parsed body');
CREATE FUNCTION gate_owner.dynamic() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN EXECUTE ''SELECT 1''; RETURN 1; END';
ALTER FUNCTION gate_owner.dynamic() OWNER TO gate_owner;
SELECT is(t.found('^function gate_owner.dynamic\(\): SECURITY DEFINER'), 'low', 'a function that may read anything');

CREATE TABLE gate_owner.visit (patient integer REFERENCES public.patients);
ALTER TABLE gate_owner.visit OWNER TO gate_owner;
SELECT t.channel('GRANT INSERT ON gate_owner.visit TO gate_ann', 'on table gate_owner.visit: tells gate_ann', 'high', 'INSERT INTO gate_owner.visit VALUES (5)');
SELECT is(left(t.run('gate_owner', 'INSERT INTO gate_owner.visit VALUES (0)'), 5), '23503', 'a foreign key tells which values there are');
DROP TABLE gate_owner.visit;
CREATE TABLE gate_owner.place (name text PRIMARY KEY);
ALTER TABLE gate_owner.place OWNER TO gate_owner;
INSERT INTO gate_owner.place SELECT 'city' || i FROM generate_series(0, 20) AS i;
ALTER TABLE public.patients ADD FOREIGN KEY (city) REFERENCES gate_owner.place;
SELECT t.channel('GRANT DELETE ON gate_owner.place TO gate_ann', 'on table patients: tells gate_ann', 'high', 'DELETE FROM gate_owner.place');
ALTER TABLE public.patients DROP CONSTRAINT patients_city_fkey;

------------------------------------------------------------------------------
-- the server

SELECT t.channel('GRANT EXECUTE ON FUNCTION pg_read_file(text) TO gate_ann', '^pg_read_file\(text\): .*gate_ann has EXECUTE', 'high', 'SELECT pg_read_file(''PG_VERSION'')');
SELECT t.channel('GRANT SELECT ON pg_statistic TO gate_group', '^pg_statistic: .*gate_group has SELECT', 'high', 'SELECT count(*) FROM pg_statistic');
SELECT t.channel('GRANT SELECT (stavalues1) ON pg_statistic TO PUBLIC', '^pg_statistic: .*PUBLIC has SELECT \(stavalues1\)', 'high', 'SELECT count(stavalues1) FROM pg_statistic');
SELECT t.channel('GRANT SELECT ON pg_statistic_ext_data TO gate_ann', '^pg_statistic_ext_data: ', 'high', 'SELECT count(*) FROM pg_statistic_ext_data');
SELECT t.channel('GRANT SET ON PARAMETER log_executor_stats TO gate_ann', '^setting log_executor_stats: gate_ann may set it', 'medium', 'SET log_executor_stats = off',
	closing => 'REVOKE SET ON PARAMETER log_executor_stats FROM gate_ann');
SELECT t.channel('GRANT ALTER SYSTEM ON PARAMETER work_mem TO PUBLIC', '^setting work_mem: PUBLIC may set it', 'medium');
SELECT t.channel(format('SET %s = on', name), format('^setting %s: is on', name), 'medium', closing => 'RESET ' || name)
FROM unnest('{log_parser_stats,log_planner_stats,log_executor_stats,log_statement_stats,lo_compat_privileges}'::text[]) AS name
WHERE name = 'lo_compat_privileges';
SET client_min_messages = warning;
SET log_executor_stats = on;
SELECT is(t.found('^setting log_executor_stats: is on'), 'medium', 'what executing cost is told');
SET log_executor_stats = off;
SELECT is(t.found('^setting log_executor_stats'), 'nothing', 'or not');
SELECT is(t.found('^database template1: gate_(ann|bob) may connect'), 'low', 'another database');
SELECT is(t.found('^setting shared_preload_libraries'), 'nothing', 'preloaded');
SELECT is(t.found(format('^database %s: gate_(ann|bob) may make temporary tables', current_database())), 'low', 'numbers of temporary objects');
SELECT is(t.found('^schema gate_ann: gate_ann may make objects there'), 'low', 'and of others');
SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT is(t.found('may make temporary tables'), 'nothing', 'nor any more');
SELECT format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database()) \gexec
SELECT t.channel('CREATE PUBLICATION gate_sent FOR TABLE public.patients', '^gate_sent: publication of patients', 'low');
SELECT t.channel('CREATE PUBLICATION gate_sent_all FOR ALL TABLES', '^gate_sent_all: publication of patients', 'low', closing => 'DROP PUBLICATION gate_sent_all');
DROP PUBLICATION gate_sent;

-- A minor release from before CVE-2024-4317 was corrected: its views are found, and corrected here.
SET allow_system_table_mods = on;
SELECT is(t.found('^' || v || ': shows values'), 'high', v || ' of an old minor release')
FROM unnest('{pg_stats_ext,pg_stats_ext_exprs}'::text[]) AS v WHERE pg_get_viewdef(v::regclass) !~ 'pg_has_role';
SELECT format('CREATE OR REPLACE VIEW pg_catalog.%I WITH (security_barrier) AS %s %s pg_has_role(c.relowner, ''USAGE'')', v, rtrim(pg_get_viewdef(v::regclass), ';'), word)
FROM (VALUES ('pg_stats_ext', 'AND'), ('pg_stats_ext_exprs', 'WHERE')) AS v (v, word) WHERE pg_get_viewdef(v::regclass) !~ 'pg_has_role' \gexec

-- The views as they were before they were corrected.
SELECT replace(pg_get_viewdef('pg_stats_ext'::regclass), 'pg_has_role(c.relowner, ''USAGE''::text)', 'true') AS faulty,
	pg_get_viewdef('pg_stats_ext'::regclass) AS correct \gset
SELECT t.channel('CREATE OR REPLACE VIEW pg_catalog.pg_stats_ext WITH (security_barrier) AS ' || :'faulty', '^pg_stats_ext: shows values', 'high',
	closing => 'CREATE OR REPLACE VIEW pg_catalog.pg_stats_ext WITH (security_barrier) AS ' || :'correct');
RESET allow_system_table_mods;

-- A protected table elsewhere.
CREATE EXTENSION file_fdw;
CREATE SERVER gate_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE public.elsewhere (x integer) SERVER gate_files OPTIONS (filename '/dev/null');
ALTER FOREIGN TABLE public.elsewhere OWNER TO gate_owner;
SELECT dp_noise.protect('public.elsewhere', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'public.elsewhere', 1);
SELECT t.channel('GRANT USAGE ON FOREIGN SERVER gate_files TO gate_group', '^server gate_files: gate_group may make foreign tables there beside elsewhere$', 'medium');
SELECT t.channel('GRANT USAGE ON FOREIGN SERVER gate_files TO gate_ann; CREATE USER MAPPING FOR PUBLIC SERVER gate_files', '^server gate_files: .*there is a user mapping', 'high',
	'CREATE FOREIGN TABLE gate_ann.elsewhere (x integer) SERVER gate_files', closing => 'REVOKE USAGE ON FOREIGN SERVER gate_files FROM gate_ann');
SELECT t.channel('ALTER SERVER gate_files OWNER TO gate_ann', '^server gate_files: gate_ann may make foreign tables there beside elsewhere', 'high', closing => 'ALTER SERVER gate_files OWNER TO CURRENT_USER');
DROP FOREIGN TABLE public.elsewhere;

------------------------------------------------------------------------------
-- closed without anybody's help

CREATE EXTENSION pgstattuple;
CREATE EXTENSION pageinspect;
CREATE EXTENSION pg_buffercache;
CREATE EXTENSION pg_visibility;
CREATE EXTENSION pg_freespacemap;
CREATE EXTENSION pgrowlocks;
CREATE EXTENSION amcheck;
CREATE EXTENSION pg_prewarm;
CREATE EXTENSION dblink;
CREATE STATISTICS gate_owner.together (mcv) ON age, bmi FROM patients;
ALTER STATISTICS gate_owner.together OWNER TO gate_owner;
ANALYZE patients;
SET ROLE gate_owner;
CREATE INDEX by_born ON patients USING brin (born);
CREATE INDEX by_visit ON patients USING gin (visits);
CREATE SEQUENCE public.numbered OWNED BY public.patients.id;
RESET ROLE;
SELECT nextval('public.numbered');
SELECT is(left(t.run('gate_ann', command), 5), '42501', 'denied: ' || command)
FROM unnest(ARRAY[
	'SELECT * FROM pg_statistic', 'SELECT * FROM pg_statistic_ext_data', 'SELECT * FROM pg_largeobject', 'SELECT * FROM pg_subscription', 'SELECT * FROM pg_user_mapping',
	'SELECT * FROM pg_shmem_allocations', 'SELECT * FROM pg_backend_memory_contexts', 'SELECT * FROM pg_hba_file_rules',
	'SELECT pg_ls_tmpdir()', 'SELECT pg_ls_waldir()', 'SELECT pg_ls_dir(''base'')', 'SELECT pg_stat_file(''base'')', 'SELECT pg_read_file(''PG_VERSION'')', 'SELECT lo_import(''/dev/null'')',
	'SELECT last_value FROM numbered', 'SELECT nextval(''numbered'')',
	'SELECT table_to_xml(''patients'', true, true, '''')', 'SELECT query_to_xml(''SELECT * FROM patients'', true, true, '''')',
	'SELECT currtid2(''patients'', ''(0,1)'')', 'SELECT row_to_json(p) FROM patients AS p', 'SELECT 1 FROM patients', 'TABLE patients',
	'SELECT ctid, xmin, tableoid FROM patients', 'SELECT * FROM ONLY patients', 'SELECT * FROM patients TABLESAMPLE SYSTEM (1)', 'SELECT * FROM patients LIMIT 1', 'SELECT EXISTS (SELECT FROM patients)',
	'SELECT * FROM patients FOR SHARE', 'LOCK TABLE patients IN ACCESS SHARE MODE',
	'EXPLAIN SELECT * FROM patients', 'EXPLAIN (GENERIC_PLAN) SELECT * FROM patients WHERE id = $1', 'DECLARE c CURSOR WITH HOLD FOR SELECT * FROM patients',
	'CREATE TABLE like_it (LIKE patients INCLUDING ALL)', 'CREATE TABLE child () INHERITS (public.patients)', 'CREATE TABLE refers (id integer REFERENCES patients)',
	'CREATE STATISTICS mine ON age, bmi FROM patients', 'CREATE PUBLICATION mine FOR TABLE patients', 'CREATE RULE mine AS ON INSERT TO patients DO NOTHING',
	'CREATE TRIGGER mine BEFORE UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()', 'CREATE POLICY mine ON patients',
	'CREATE INDEX ON patients (age)', 'REINDEX TABLE patients', 'CLUSTER patients USING patients_pkey', 'TRUNCATE patients', 'INSERT INTO patients (id, age) VALUES (1, 1)', 'UPDATE patients SET age = 1', 'DELETE FROM patients',
	'ALTER TABLE patients ENABLE ROW LEVEL SECURITY', 'COMMENT ON TABLE patients IS ''x''', 'DROP TABLE patients',
	'SELECT brin_summarize_new_values(''by_born'')', 'SELECT gin_clean_pending_list(''by_visit'')',
	'SELECT * FROM pgstattuple(''patients'')', 'SELECT pg_relpages(''patients'')', 'SELECT * FROM pgstatindex(''patients_pkey'')', 'SELECT get_raw_page(''patients'', 0)', 'SELECT * FROM bt_page_items(''patients_pkey'', 1)',
	'SELECT * FROM pg_buffercache', 'SELECT * FROM pg_visibility(''patients'')', 'SELECT * FROM pg_visibility_map_summary(''patients'')', 'SELECT * FROM pg_freespace(''patients'')',
	'SELECT bt_index_check(''patients_pkey'')', 'SELECT * FROM verify_heapam(''patients'')', 'SELECT pg_prewarm(''patients'')', 'SELECT pg_prewarm(''patients_pkey'')', 'SELECT dblink_connect_u(''dbname=x'')',
	'SELECT pg_create_logical_replication_slot(''gate_slot'', ''pgoutput'')', 'SELECT pg_logical_slot_get_changes(''gate_slot'', NULL, NULL)',
	'SET track_counts = off', 'SET log_executor_stats = on', 'SET log_statement_stats = on', 'SET log_planner_stats = on', 'SET log_parser_stats = on', 'SET session_preload_libraries = ''auto_explain''', 'LOAD ''auto_explain''']) AS command
WHERE (command !~ 'GENERIC_PLAN' OR current_setting('server_version_num')::integer >= 160000) AND (command !~ 'table_to_xml' OR t.run('gate_ann', 'SELECT xml ''<x/>''') ~ '^<x/>$');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM pgrowlocks(''patients'')'), '42501: permission denied for table patients', 'pgrowlocks');
SELECT is(t.run('gate_ann', format('SELECT count(*) FROM %s', view)), '0', view || ' shows nothing')
FROM unnest(ARRAY['pg_stats WHERE tablename = ''patients''', 'pg_stats_ext WHERE tablename = ''patients''', 'pg_stats_ext_exprs',
	'pg_sequences WHERE sequencename = ''numbered'' AND last_value IS NOT NULL',
	'pg_stat_activity WHERE usename <> current_user AND (query <> ''<insufficient privilege>'' OR state IS NOT NULL OR wait_event IS NOT NULL)']) AS view;
SELECT isnt_empty($$SELECT FROM pg_stats_ext WHERE tablename = 'patients'$$, 'there are such statistics');
SELECT is(t.run('gate_ann', 'ANALYZE patients'), NULL, 'ANALYZE by an analyst');
SELECT is(t.run('gate_ann', format('CREATE VIEW peeks%s AS %s', n, q)), NULL, 'a view can be made: ' || q)
FROM unnest('{SELECT * FROM patients,SELECT name FROM patients}'::text[]) WITH ORDINALITY AS v (q, n);
SELECT is(left(t.run('gate_ann', format('SELECT * FROM peeks%s', n)), 5), '42501', 'and shows nothing') FROM generate_series(1, 2) AS n;
CREATE FUNCTION gate_ann.leak(integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END';
SELECT is(left(t.run('gate_ann', command), 5), '42501', 'denied: ' || command)
FROM unnest(ARRAY['SELECT * FROM peeks1 WHERE gate_ann.leak(age)', 'EXPLAIN SELECT * FROM patients WHERE gate_ann.leak(age)', 'SELECT 1 FROM patients WHERE gate_ann.leak(age) AND age < 0']) AS command;

------------------------------------------------------------------------------
-- harden()

SELECT dp_noise.drop_budget('gate_group', 'public.patients'), dp_noise.set_budget('gate_bob', 'public.patients', 1000000);
CREATE EXTENSION pg_stat_statements;
SELECT is(t.found('PUBLIC may read'), 'medium', 'statistics are open');
SELECT cmp_ok(t.run('gate_ann', 'SELECT reltuples FROM pg_class WHERE relname = ''patients''')::real, '=', 1000::real, 'reltuples is the number of rows');
SELECT isnt(left(t.run('gate_ann', command), 5), '42501', 'open: ' || command) FROM unnest(ARRAY[
	'SELECT relpages FROM pg_class', 'SELECT * FROM pg_class', 'SELECT n_live_tup FROM pg_stat_all_tables', 'SELECT pg_total_relation_size(''patients'')']) AS command;
CREATE TABLE t.changed AS SELECT * FROM dp_noise.harden(keep => '{gate_other}', catalogs => false);
SELECT cmp_ok(count(*), '>', 100::bigint, 'harden() lists what it revokes') FROM t.changed WHERE revoked_from = 'PUBLIC' AND granted_to = 'gate_other, pg_read_all_stats';
SELECT is(t.run('gate_ann', 'SELECT count(*) > 0 FROM pg_class WHERE reltuples >= 0'), 'true', 'catalogs => false leaves pg_class');
SELECT is(t.found('PUBLIC may read (?!how many)'), 'nothing', 'but nothing else');
SELECT is(t.found('^(pg_class|pg_largeobject_metadata): PUBLIC may read how many'), 'medium', 'which is reported');
SELECT results_eq($$SELECT object, privilege, revoked_from, granted_to FROM dp_noise.harden() WHERE object ~ '^pg_(class|largeobject)'$$,
	format($$VALUES ('pg_class (%s)', 'SELECT', 'PUBLIC', 'pg_read_all_stats'), ('pg_largeobject_metadata', 'SELECT', 'PUBLIC', 'pg_read_all_stats')$$,
		(SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'pg_class'::regclass AND attname ~ '^rel(pages|tuples|all)')),
	'harden() of the rest');
SELECT is_empty('SELECT * FROM dp_noise.harden()', 'once more: nothing to do');
SELECT is_empty('SELECT * FROM dp_noise.harden(keep => ''{gate_other}'') WHERE object !~ ''^pg_(class|largeobject)''', 'what was granted stays');
SELECT is(t.found('(PUBLIC|gate_[a-z]+) may read'), 'nothing', 'nothing is reported');
SELECT is_empty(format($$SELECT name FROM dp_noise.statistics_sources() WHERE CASE kind WHEN 'FUNCTION' THEN has_function_privilege(%L, object, 'EXECUTE')
	ELSE has_table_privilege(%1$L, object, 'SELECT') END$$, who), who || ' may read none of it')
FROM unnest('{gate_ann,gate_owner}'::text[]) AS who;
SELECT is_empty($$SELECT name FROM dp_noise.statistics_sources() WHERE public_at_first AND NOT CASE kind WHEN 'FUNCTION' THEN has_function_privilege('pg_monitor', object, 'EXECUTE')
	ELSE has_table_privilege('pg_monitor', object, 'SELECT') END$$, 'pg_monitor all');
SELECT is(left(t.run('gate_ann', command), 5), '42501', 'denied: ' || command) FROM unnest(ARRAY[
	'SELECT reltuples FROM pg_class', 'SELECT relpages FROM pg_class', 'SELECT relallvisible FROM pg_class', 'SELECT * FROM pg_class', 'SELECT c FROM pg_class AS c',
	'SELECT row_to_json(c) FROM pg_class AS c', 'TABLE pg_largeobject_metadata', 'SELECT count(*) FROM pg_class WHERE reltuples > 10', 'SELECT pg_class::text FROM pg_class',
	'SELECT * FROM pg_stat_all_tables', 'SELECT * FROM pg_stat_user_tables', 'SELECT * FROM pg_stat_xact_all_tables', 'SELECT * FROM pg_stat_all_indexes', 'SELECT * FROM pg_statio_all_tables',
	'SELECT * FROM pg_statio_all_indexes', 'SELECT * FROM pg_statio_all_sequences', 'SELECT * FROM pg_stat_database', 'SELECT * FROM pg_stat_database_conflicts', 'SELECT * FROM pg_stat_bgwriter', 'SELECT * FROM pg_stat_wal',
	'SELECT * FROM pg_stat_slru', 'SELECT * FROM pg_stat_archiver', 'SELECT * FROM pg_stat_activity', 'SELECT * FROM pg_stat_replication', 'SELECT * FROM pg_stat_progress_vacuum', 'SELECT * FROM pg_stat_progress_analyze',
	'SELECT * FROM pg_stat_user_functions', 'SELECT * FROM pg_stat_xact_user_functions', 'SELECT * FROM pg_stat_ssl', 'SELECT * FROM pg_locks', 'SELECT * FROM pg_replication_slots', 'SELECT * FROM pg_stat_statements',
	'SELECT pg_relation_size(''patients'')', 'SELECT pg_relation_size(''patients'', ''vm'')', 'SELECT pg_table_size(''patients'')', 'SELECT pg_indexes_size(''patients'')', 'SELECT pg_total_relation_size(''patients'')',
	'SELECT pg_relation_size(''patients_pkey'')', 'SELECT pg_database_size(current_database())', 'SELECT pg_tablespace_size(''pg_default'')',
	'SELECT pg_current_wal_lsn()', 'SELECT pg_current_wal_insert_lsn()', 'SELECT pg_current_wal_flush_lsn()', 'SELECT pg_logical_emit_message(false, ''x'', ''y'')', 'SELECT * FROM pg_control_checkpoint()',
	'SELECT lo_create(0)', 'SELECT lo_creat(-1)', 'SELECT lo_from_bytea(0, '''')', 'SELECT lo_import(''/dev/null'')',
	'SELECT pg_current_xact_id()', 'SELECT pg_current_xact_id_if_assigned()', 'SELECT pg_current_snapshot()', 'SELECT txid_current()', 'SELECT txid_current_if_assigned()', 'SELECT txid_current_snapshot()',
	'SELECT pg_xact_status(''3'')', 'SELECT txid_status(3)', 'SELECT age(xmin) FROM pg_class', 'SELECT mxid_age(''3'')', 'SELECT * FROM pg_prepared_xacts',
	'SELECT pg_blocking_pids(1)', 'SELECT pg_isolation_test_session_is_blocked(1, ''{}'')', 'SELECT pg_get_multixact_members(''1'')', 'SELECT pg_last_committed_xact()']) AS command;

-- What people need goes on.
SELECT isnt(left(coalesce(t.run('gate_ann', command), ''), 5), '42501', 'allowed: ' || command) FROM unnest(ARRAY[
	'SELECT oid, relname, relkind, relowner, relacl, reloptions FROM pg_class', 'SELECT count(*) FROM pg_class', 'SELECT tableoid, xmin, ctid FROM pg_class', 'SELECT ''patients''::regclass',
	'SELECT * FROM information_schema.tables', 'SELECT * FROM information_schema.columns', 'SELECT * FROM information_schema.table_privileges', 'SELECT * FROM pg_tables', 'SELECT * FROM pg_indexes', 'SELECT * FROM pg_views',
	'SELECT * FROM pg_matviews', 'SELECT * FROM pg_sequences', 'SELECT * FROM pg_stats', 'SELECT * FROM pg_settings', 'SELECT * FROM dp_budget', 'SELECT pg_backend_pid()', 'SELECT age(now())', 'SELECT pg_column_size(1)',
	'SELECT pg_size_pretty(1::bigint)', 'CREATE TABLE own_one (x serial PRIMARY KEY)', 'INSERT INTO own_one DEFAULT VALUES', 'CREATE TABLE own_other (x integer REFERENCES own_one)', 'INSERT INTO own_other VALUES (1)', 'ANALYZE own_one', 'VACUUM own_one',
	'CREATE INDEX ON own_one (x)', 'SELECT * FROM own_one', 'DROP TABLE own_one, own_other']) AS command;
SELECT t.accept('SELECT dp_count(*) FROM patients');
SELECT t.accept('EXPLAIN (ANALYZE) SELECT dp_mean(age) FROM patients');

-- Paths to privacy units that nothing backs any more.
CREATE SCHEMA "odd. one" AUTHORIZATION gate_owner;
SET ROLE gate_owner;
CREATE TABLE "odd. one"."the, people" ("id -> no" integer PRIMARY KEY, "a ""b""" integer NOT NULL, CONSTRAINT pair UNIQUE ("a ""b""", "id -> no"));
CREATE TABLE "odd. one".visits (person integer, b integer, day date,
	CONSTRAINT visitor FOREIGN KEY (person, b) REFERENCES "odd. one"."the, people" ("id -> no", "a ""b"""));
SELECT dp_noise.protect('"odd. one"."the, people"', privacy_unit => 'a "b"', max_rows_per_unit => 5, epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('"odd. one".visits', privacy_unit => 'b, person -> "odd. one"."the, people" ("a ""b""", "id -> no")', max_rows_per_unit => 5);
CREATE TABLE public.bill (id integer CONSTRAINT bill_key PRIMARY KEY, patient integer REFERENCES public.patients);
CREATE TABLE public.line (bill bigint CONSTRAINT of_bill REFERENCES public.bill, price integer);
SELECT dp_noise.protect('public.bill', privacy_unit => 'patient', max_rows_per_unit => 5, epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.line', privacy_unit => 'bill -> bill', max_rows_per_unit => 5);
RESET ROLE;
SELECT t.channel('ALTER TABLE public.line DROP CONSTRAINT of_bill', '^line: .*bill -> bill \(id\), is not backed by a foreign key', 'low');
SELECT t.channel('ALTER TABLE public.line DROP CONSTRAINT line_bill_fkey; ALTER TABLE public.line ADD CONSTRAINT later FOREIGN KEY (bill) REFERENCES public.bill NOT VALID',
	'^line: .*bill -> bill \(id\), is not backed by a foreign key', 'low');
SELECT t.channel('ALTER TABLE public.line DROP CONSTRAINT later; ALTER TABLE public.line ADD CONSTRAINT other FOREIGN KEY (price) REFERENCES public.bill',
	'^line: .*bill -> bill \(id\), is not backed by a foreign key', 'low');
SELECT t.channel('ALTER TABLE public.bill DROP CONSTRAINT bill_key CASCADE', '^line: .*bill -> bill \(id\), leads to a key that is not unique', 'medium');
SELECT is(t.found('^line: .*foreign key'), 'low', 'the foreign key went with the key');
SELECT is(t.found_by_owner('line: .*foreign key'), 'low', 'for its owner');
SELECT is(t.run('gate_bob', 'SELECT dp_noise.check()'), '42501: must be superuser or owner of a protected table', 'for nobody else');
DROP TABLE public.line, public.bill;
SELECT t.channel('ALTER TABLE "odd. one".visits DROP CONSTRAINT visitor', '^"odd. one".visits: .*foreign key', 'low');
DROP SCHEMA "odd. one" CASCADE;

-- A new extension, and what somebody grants again.
DROP EXTENSION pg_stat_statements;
CREATE EXTENSION pg_stat_statements;
SELECT is(t.found('PUBLIC may read what extension pg_stat_statements counts'), 'medium', 'an extension made again is reported');
SELECT isnt_empty('SELECT * FROM dp_noise.harden() WHERE object ~ ''pg_stat_statements''', 'and hardened again');
SELECT is(t.found('extension'), 'nothing', 'and silent');
SELECT t.channel('GRANT SELECT (reltuples) ON pg_class TO PUBLIC', '^pg_class \(reltuples\): PUBLIC may read how many', 'medium', 'SELECT sum(reltuples) FROM pg_class', closing => 'SELECT dp_noise.harden()');
SELECT t.channel('GRANT SELECT ON pg_class TO gate_group', '^pg_class: gate_group may read how many', 'medium', 'SELECT sum(reltuples) FROM pg_class', closing => 'REVOKE SELECT ON pg_class FROM gate_group');
SELECT t.channel('GRANT EXECUTE ON FUNCTION pg_stat_get_live_tuples(oid) TO gate_ann', '^pg_stat_get_live_tuples\(oid\): gate_ann may read', 'medium', 'SELECT pg_stat_get_live_tuples(''patients''::regclass)',
	closing => 'REVOKE EXECUTE ON FUNCTION pg_stat_get_live_tuples(oid) FROM gate_ann');
SELECT t.channel('GRANT EXECUTE ON FUNCTION pgstattuple(text) TO gate_group', 'gate_group may read what extension pgstattuple counts', 'medium', 'SELECT * FROM pgstattuple(''public.patients'')',
	closing => 'REVOKE EXECUTE ON FUNCTION pgstattuple(text) FROM gate_group');
SELECT is(t.run('gate_other', 'SELECT pg_relation_size(''public.patients'') > 0'), 'true', 'who keeps it may');

-- names of columns that look like paths switch nothing off
CREATE TABLE public.odd (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.odd', privacy_unit => 'id', epsilon => 1e6, delta => 1);
CREATE FUNCTION t.renamed(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	old name := (SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = 'public.odd'::regclass AND a.attnum = 1);
BEGIN
	EXECUTE format('ALTER TABLE public.odd RENAME %I TO %I', old, name);
	RETURN lives_ok('SELECT * FROM dp_noise.check()', 'a column named ' || name);
END
$$;
SELECT t.renamed(name) FROM unnest(ARRAY[E'a -> x\ty (k)', 'a -> "x (k)', 'a -> x.y.z (k)', 'a -> 1 (k)', 'a -> "" (k)', 'a -> x..y (k)', 'a -> X (k)', E'a -> "x\ty" (k)', 'a -> patients (id)', ' -> ']) AS name;
DROP TABLE public.odd;

SELECT * FROM finish();
SET client_min_messages = error;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY gate_group, gate_other CASCADE;
DROP ROLE gate_group, gate_other;
CREATE EXTENSION dp_noise;
\ir support/gate_end.sql
