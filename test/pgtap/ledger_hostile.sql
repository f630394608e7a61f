-- Nothing that others make changes what the owner's functions, the views and
-- the ledger worker do: search paths, shadows of types, functions and operators,
-- settings of the database and of roles, event triggers.
\ir support/ledger.sql
\ir support/parallel.sql
CREATE ROLE lho_owner;
CREATE ROLE lho_ann;
CREATE TABLE people (id int, age int);
ALTER TABLE people OWNER TO lho_owner;
SELECT no_plan();
CREATE SCHEMA evil AUTHORIZATION lho_ann;
SET SESSION AUTHORIZATION lho_ann;
SET search_path = evil, pg_catalog;
CREATE TABLE evil.log (what text);
CREATE FUNCTION evil.strike(text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'struck as %: %', current_user, $1 USING ERRCODE = 'ZZ666';
END $$;
-- functions that the code names
CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('now'); RETURN NULL; END $$;
CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('clock'); RETURN NULL; END $$;
CREATE FUNCTION evil.floor(numeric) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('floor'); RETURN NULL; END $$;
CREATE FUNCTION evil.quote_ident(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('quote_ident'); RETURN NULL; END $$;
CREATE FUNCTION evil.quote_literal(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('quote_literal'); RETURN NULL; END $$;
CREATE FUNCTION evil.pg_has_role(oid, text) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION evil.do_protect(regclass, text, text, integer, integer, boolean, text, numeric, numeric, integer) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('do_protect'); END $$;
-- operators between all the types at hand, where pg_catalog has them and where not
CREATE FUNCTION evil.yes(oid, regclass) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('oid = regclass'); RETURN true; END $$;
CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = evil.yes);
CREATE FUNCTION evil.yes(oid, oid) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('oid = oid'); RETURN true; END $$;
CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.yes);
CREATE FUNCTION evil.yes(name, text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('name = text'); RETURN true; END $$;
CREATE OPERATOR evil.= (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.yes);
CREATE FUNCTION evil.yes(numeric, numeric) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('numeric < numeric'); RETURN false; END $$;
CREATE OPERATOR evil.< (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = evil.yes);
CREATE OPERATOR evil.> (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = evil.yes);
CREATE FUNCTION evil.yes(int, int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.strike('int = int'); RETURN true; END $$;
CREATE OPERATOR evil.= (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.yes);
-- relations and types of the server, and of the ledger
CREATE TABLE evil.pg_class (oid oid, relname name, relkind "char");
CREATE TABLE evil.pg_roles (oid oid, rolname name, rolsuper bool);
CREATE TABLE evil.pg_attribute (attrelid oid, attname name, attnum int2, attisdropped bool);
CREATE TABLE evil.budget (budget_id int);
CREATE TABLE evil.population (population_id int, name pg_catalog.text);
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN evil.name AS pg_catalog.name CHECK (false);
CREATE DOMAIN evil.regclass AS pg_catalog.regclass CHECK (false);
RESET SESSION AUTHORIZATION;
RESET search_path;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
GRANT ALL ON ALL TABLES IN SCHEMA evil TO PUBLIC;

-- the path that hides the server's own schema behind the evil one
SET SESSION AUTHORIZATION lho_owner;
SET search_path = evil, pg_catalog, public;
SELECT dp_noise.protect('public.people', 'id', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_bounds('public.people', 'age', 0.0, 120.0);
SELECT dp_noise.alter_population('public.people', on_repeat => 'answer'), dp_noise.set_budget('lho_ann', 'public.people', 5.0);
SELECT dp_noise.charge('public.people', 0.1, 0.0, 'q');
SELECT pg_catalog.count(*) FROM dp_noise.budgets \gset seen_
SELECT pg_catalog.count(*) FROM dp_noise.ledger \gset ledger_
RESET SESSION AUTHORIZATION;
RESET search_path;
SELECT is(:seen_count, 2, 'evil, pg_catalog: the owner''s functions and views work');
SELECT is(:ledger_count, 1, 'and charges');
-- hiding behind temporary objects
CREATE TEMP TABLE pg_class (oid oid);
CREATE TEMP TABLE pg_roles (oid oid, rolname name);
CREATE TEMP TABLE population (population_id int, name text);
SET search_path = pg_temp, public;
SELECT lives_ok($$SELECT dp_noise.set_budget('lho_ann', 'people', 6)$$, 'temporary shadows');
SELECT is((SELECT count(*) FROM dp_noise.budgets), 2::bigint);
RESET search_path;
DROP TABLE pg_temp.pg_class, pg_temp.pg_roles, pg_temp.population;

-- settings that an owner or analyst may change for itself
SELECT is(t.run('lho_ann', format('SELECT set_config(%L, %L, true)', s, v)) || t.ask('lho_ann', 'people', 0.01), v || 'charged', s || ' = ' || v)
FROM (VALUES ('synchronous_commit', 'off'), ('default_transaction_read_only', 'on'), 
	('statement_timeout', '1min'), ('lock_timeout', '1ms'), ('timezone', 'Asia/Kathmandu'), ('datestyle', 'German, DMY'),
	('intervalstyle', 'sql_standard'), ('bytea_output', 'escape'), ('quote_all_identifiers', 'on'),
	('plan_cache_mode', 'force_custom_plan'), ('row_security', 'off'), ('transform_null_equals', 'on'), (:'debug_parallel_query', 'on')) AS v (s, v);
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE role = 'lho_ann'), 13::bigint, 'each was charged');

-- settings of the database and of the superuser's role, in a fresh worker
CREATE FUNCTION t.stop_worker() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
	WHERE backend_type = 'dp_noise ledger worker' AND datname = current_database();
END
$$;
SELECT current_database() AS db \gset
SELECT format('ALTER DATABASE %I SET %s = %L', :'db', s, v), format('ALTER ROLE postgres IN DATABASE %I SET %s = %L', :'db', s, v)
FROM (VALUES ('default_transaction_read_only', 'on'), ('default_transaction_isolation', 'serializable'),
	('default_transaction_deferrable', 'on'), ('synchronous_commit', 'off'), ('lock_timeout', '1ms'), ('statement_timeout', '1ms'),
	('idle_in_transaction_session_timeout', '1ms'), ('search_path', 'evil, pg_catalog'), ('session_replication_role', 'replica'),
	('row_security', 'off'), ('role', 'lho_ann'), ('jit_above_cost', '0'), (:'debug_parallel_query', 'on'),
	('plpgsql.variable_conflict', 'use_column'), ('plpgsql.extra_errors', 'all'), ('timezone', 'Asia/Kathmandu'),
	('session_preload_libraries', 'no_such_library'), ('local_preload_libraries', 'no_such_library'),
	('default_tablespace', 'nowhere'), ('enable_indexscan', 'off'), ('check_function_bodies', 'off'), ('work_mem', '64')) AS v (s, v) \gexec
SELECT t.stop_worker();
SELECT is(t.ask('lho_ann', 'people', 0.5, 'fresh'), 'charged', 'settings of the database and the superuser');
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE fingerprint = decode(rpad(encode('fresh', 'hex'), 64, '0'), 'hex')), 1::bigint);
SELECT format('ALTER DATABASE %I RESET ALL', :'db'), format('ALTER ROLE postgres IN DATABASE %I RESET ALL', :'db') \gexec
SELECT dp_noise.accept_timeline(); -- the seal was among these settings

-- event triggers, and a plpgsql setting of the owner
CREATE FUNCTION evil.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'struck by %', tg_tag USING ERRCODE = 'ZZ666'; END $$;
CREATE EVENT TRIGGER evil_start ON ddl_command_start EXECUTE FUNCTION evil.on_ddl();
SELECT t.stop_worker();
SELECT is(t.ask('lho_ann', 'people', 0.5), 'charged', 'an event trigger does not reach charges');
SELECT lives_ok($$SELECT dp_noise.set_budget('lho_ann', 'people', 7)$$, 'nor the owner''s functions');
DROP EVENT TRIGGER evil_start;
SELECT lives_ok('DROP TABLE people', 'dropping a protected table, with the evil schema around');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lho_owner, lho_ann CASCADE;
DROP ROLE lho_owner, lho_ann;
