-- Plans of the views that everyone may read tell nothing of others: neither of
-- the rows that were passed over, nor of the statistics of the tables beneath.
\ir support/ledger.sql
SELECT no_plan();
CREATE ROLE lpl_owner;
CREATE ROLE lpl_ann LOGIN;
CREATE ROLE lpl_bob;
CREATE ROLE lpl_eve LOGIN;
GRANT CREATE ON SCHEMA public TO lpl_owner;
CREATE TABLE people (id int);
CREATE TABLE others (id int);
ALTER TABLE people OWNER TO lpl_owner;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.protect('others', epsilon => 1e6, delta => 1) \g /dev/null
SELECT dp_noise.set_budget('lpl_ann', 'people', 5), dp_noise.set_budget('lpl_bob', 'people', 1000000), dp_noise.set_budget('lpl_bob', 'others', 1000000) \g /dev/null

-- What a role is shown of a plan. Planning reads catalogs, which may be in memory or not.
CREATE FUNCTION t.plan(who text, options text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	PERFORM set_config('session_authorization', who, false);
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		EXIT WHEN line = 'Planning:';
		result := result || line || E'\n';
	END LOOP;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
CREATE TABLE t.asked AS
SELECT view, options, format('SELECT * FROM %s', view) AS query
FROM unnest('{dp_budget,dp_columns,dp_relations,dp_history,dp_noise.budgets,dp_noise.ledger,dp_noise.populations,dp_noise.protected_relations,dp_noise.asker,dp_noise.reach}'::text[]) AS view,
	unnest('{"COSTS on","ANALYZE, BUFFERS off, COSTS on, TIMING off, SUMMARY off","ANALYZE, BUFFERS, WAL, VERBOSE, TIMING off, SUMMARY off"}'::text[]) AS options;
-- every view of the extension that everyone may read is there
SELECT set_eq('SELECT DISTINCT view::regclass FROM t.asked', $$SELECT c.oid::regclass FROM pg_class AS c, pg_depend AS d, aclexplode(c.relacl) AS a
	WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_extension'::regclass
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise') AND a.grantee = 0$$, 'these are the public views');

-- the server's own catalogues are as large before as after
SELECT format('CREATE TABLE more_%s (id int)', i) FROM generate_series(1, 20) AS i \gexec
ANALYZE; -- nor do the server's own statistics change in between
CREATE TABLE t.before AS SELECT a.*, t.plan('lpl_ann', options, query) AS plan FROM t.asked AS a;
SELECT ok(plan ~ 'Function Scan on read_' AND plan !~ 'dp_noise_ledger|population_id', view || ' is a function to those who read it') FROM t.before WHERE options = 'COSTS on';

-- others protect, grant and ask
SELECT dp_noise.protect(c.oid, epsilon => 1e6, delta => 1), dp_noise.set_budget('lpl_bob', c.oid::regclass::text, 7) FROM pg_class AS c WHERE c.relname LIKE 'more\_%' \g /dev/null
SELECT count(t.ask('lpl_bob', 'people', 1, 'q' || i)), count(t.ask('lpl_bob', 'others', 1, 'q' || i)) FROM generate_series(1, 300) AS i \g /dev/null
SELECT is(count(*), 600::bigint, 'another role has asked') FROM dp_noise.ledger;
ANALYZE dp_noise_ledger.charge, dp_noise_ledger.budget, dp_noise_ledger.spending, dp_noise_ledger.population, dp_noise_ledger.member, dp_noise_ledger.answer;
SELECT is(t.plan('lpl_ann', options, query), plan, format('%s: EXPLAIN (%s)', view, options)) FROM t.before;

-- nor do messages of the server, to a session that wants them all
\setenv PGDATABASE :DBNAME
\setenv PGOPTIONS '-c debug_print_plan=on -c debug_print_rewritten=on -c client_min_messages=debug1'
\set of_view `psql -XqAt -U lpl_ann -c 'SELECT count(*) FROM dp_noise.ledger' 2>&1`
\set of_table `psql -XqAt -U lpl_ann -c 'SELECT count(*) FROM dp_noise_ledger.charge' 2>&1`
GRANT USAGE ON SCHEMA dp_noise_ledger TO lpl_ann;
\set of_found `psql -XqAt -U lpl_ann -c 'SELECT count(*) FROM dp_noise_ledger.charge' 2>&1`
REVOKE USAGE ON SCHEMA dp_noise_ledger FROM lpl_ann;
\set of_own `psql -XqAt -U lpl_ann -c 'CREATE TEMP TABLE mine (x int); SELECT count(*) FROM mine' 2>&1`
\setenv PGOPTIONS
SELECT ok(:'of_view' ~ 'PLANNEDSTMT' AND :'of_view' !~ 'charge_id', 'messages tell of no table beneath a view');
SELECT ok(:'of_table' ~ 'permission denied for schema dp_noise_ledger' AND :'of_table' !~ 'PLANNEDSTMT', 'tables of the ledger are not found');
SELECT ok(:'of_found' ~ 'permission denied for table charge' AND :'of_found' !~ 'PLANNEDSTMT', 'what may not be read is not planned');
SELECT ok(:'of_own' ~ 'PLANNEDSTMT', 'other plans are told');

-- nor what the event triggers and the functions for owners do with the rights of others
GRANT CREATE ON SCHEMA public TO lpl_eve;
\setenv PGOPTIONS '-c debug_print_parse=on -c debug_print_plan=on -c debug_print_rewritten=on -c client_min_messages=debug5'
\set of_owner `psql -XqAt -U lpl_eve 2>&1 > /dev/null -c 'CREATE TABLE anns (id int, age int)' -c 'ALTER TABLE anns RENAME id TO person' -c 'ALTER TABLE anns DROP age' -c "SELECT dp_noise.protect('anns', 'person', max_rows_per_unit => 3, epsilon => 1e6, delta => 1)" -c "SELECT dp_noise.set_bounds('anns', 'person', 0, 9)" -c "SELECT dp_noise.set_values('anns', 'person', '{1,2}')" -c "SELECT dp_noise.set_budget('lpl_bob', 'anns', 1)" -c "SELECT dp_noise.forfeit('anns', 'lpl_bob', 0.5)" -c "SELECT dp_noise.drop_budget('lpl_bob', 'anns')" -c "SELECT dp_noise.alter_population('anns', epsilon => 5)" -c "SELECT dp_noise.allow_members('anns', 'lpl_bob')" -c "SELECT dp_noise.unprotect('anns')" -c "SELECT dp_noise.drop_population('public.anns')" -c "SELECT dp_noise.create_population('anns', 1)" -c 'ALTER TABLE anns RENAME TO folk' -c 'DROP TABLE folk' -c 'SELECT FROM dp_budget' -c 'SELECT FROM dp_noise.protected_relations'`
\setenv PGOPTIONS
SELECT ok(:'of_owner' ~ 'PLANNEDSTMT' AND :'of_owner' !~ 'ERROR', 'an owner who wants all messages');
SELECT is_empty(format($$SELECT word FROM unnest('{dp_noise_ledger,population_id,member_id,budget_id,settings_version,pg_inherits,column_bounds}'::text[]) AS word WHERE %L ~ word$$, :'of_owner'), 'they tell of nothing that runs with the rights of others');
REVOKE CREATE ON SCHEMA public FROM lpl_eve;

-- an owner's plan shows the owner's own rows
SELECT ok(t.plan('lpl_owner', 'ANALYZE, BUFFERS off, COSTS off, TIMING off, SUMMARY off', 'SELECT * FROM dp_noise.ledger') ~ 'actual rows=300(\.00)? loops=1\)\n$', 'the owner''s own');

-- the functions beneath are for the views alone, and who reads is who acts
SELECT is(t.run('lpl_ann', format('SELECT * FROM dp_noise.%s(%s)', name, '''lpl_owner''::regrole')), '42501: permission denied for function ' || name, name || ' is closed')
FROM unnest('{do_read_budgets,do_read_ledger,do_read_populations,do_read_own_budgets,do_read_own_columns,do_read_own_history,do_read_protected_relations}'::text[]) AS name;
SELECT is(t.run('lpl_ann', format('SELECT count(*) FROM dp_noise.%s()', name)), '0', name || ' shows nothing more') FROM unnest('{read_budgets,read_ledger,read_populations,read_protected_relations}'::text[]) AS name;
SELECT is(t.run('lpl_ann', 'SELECT count(*) FROM dp_noise.read_own_budgets()'), '1', 'its own budget');
SELECT is(t.run('lpl_owner', 'SELECT count(r) FROM (SELECT dp_noise.read_ledger() AS r LIMIT 7) AS s'), '7', 'a list of rows in a list of columns');
GRANT CREATE ON SCHEMA public TO lpl_ann;
SET ROLE lpl_ann;
CREATE FUNCTION seen_by_ann() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dp_noise.ledger';
RESET ROLE;
SET ROLE lpl_owner;
CREATE FUNCTION seen_by_owner() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dp_noise.ledger';
RESET ROLE;
SELECT is(seen_by_ann(), 0::bigint, 'a SECURITY DEFINER function of an analyst, called by the superuser');
SELECT is(t.run('lpl_ann', 'SELECT seen_by_owner()'), '300', 'one of the owner lends the owner''s rights');
SELECT is(t.run('lpl_bob', 'SELECT count(*) FROM dp_budget'), '22', 'own budgets are those of the session''s user');

-- whatever stands first on the path
CREATE SCHEMA trap;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
CREATE FUNCTION trap.pg_has_role(oid, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION trap.do_read_ledger(oid) RETURNS SETOF record LANGUAGE sql AS 'SELECT NULL::timestamptz';
CREATE VIEW trap.pg_class AS SELECT oid, relowner FROM pg_catalog.pg_class;
SET search_path = trap, pg_catalog, public;
SELECT is(t.run('lpl_ann', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'a hostile search_path');
RESET search_path;

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lpl_owner, lpl_ann, lpl_bob, lpl_eve CASCADE;
DROP ROLE lpl_owner, lpl_ann, lpl_bob, lpl_eve;
