-- Who may change populations and budgets, and who sees which of them.
\ir support/ledger.sql
CREATE ROLE lpr_owner;
CREATE ROLE lpr_team IN ROLE lpr_owner;
CREATE ROLE lpr_outside NOINHERIT IN ROLE lpr_owner;
CREATE ROLE lpr_ann;
CREATE ROLE lpr_bob;
CREATE ROLE lpr_rival;
GRANT CREATE ON SCHEMA public TO lpr_owner;
SET ROLE lpr_owner;
CREATE TABLE people (id int, age int);
CREATE FUNCTION owners_wrapper() RETURNS void LANGUAGE sql SECURITY DEFINER
AS $$SELECT dp_noise.set_budget('lpr_bob', 'people', 0.5)$$;
RESET ROLE;
CREATE TABLE others (id int);
ALTER TABLE others OWNER TO lpr_rival;
SELECT no_plan();

-- each function, by each person
CREATE TABLE t.calls (number int, call text);
INSERT INTO t.calls VALUES
	(1, $$SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1)$$),
	(2, $$SELECT dp_noise.set_bounds('people', 'age', 0, 120)$$),
	(3, $$SELECT dp_noise.set_budget('lpr_ann', 'people', 5)$$),
	(4, $$SELECT dp_noise.alter_population('people', epsilon => 50, delta => 0)$$),
	(5, $$SELECT dp_noise.drop_budget('lpr_ann', 'people')$$),
	(6, $$SELECT dp_noise.forfeit('people', 'lpr_ann', 0)$$),
	(7, $$SELECT dp_noise.forget_answers('people', now())$$),
	(8, $$SELECT dp_noise.allow_members('people', 'lpr_ann', false)$$),
	(9, $$SELECT dp_noise.unprotect('people')$$),
	(10, $$SELECT dp_noise.drop_population('public.people')$$);
SELECT matches(t.run(who, call), CASE WHEN number IN (1, 2, 9) THEN '^42501: must be owner of relation people' ELSE '^42704: ' END, format('%s: %s', who, call))
FROM t.calls, unnest('{lpr_ann,lpr_rival,lpr_outside}'::text[]) AS who ORDER BY who, number;
SET ROLE lpr_owner;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.set_budget('lpr_ann', 'people', 5);
RESET ROLE;
SELECT is(t.run(who, call), CASE WHEN number IN (1, 2, 9) THEN '42501: must be owner of relation people' ELSE '42501: must be owner of population public.people' END, format('%s: %s', who, call))
FROM t.calls, unnest('{lpr_ann,lpr_rival,lpr_outside}'::text[]) AS who ORDER BY who, number;
SELECT dp_noise.unprotect('people'), dp_noise.drop_population('public.people');
SELECT is(t.run(who, call), '', format('%s: %s', who, call))
FROM t.calls, unnest('{lpr_owner,lpr_team,postgres}'::text[]) AS who ORDER BY who, number;

-- names are for those who have tables to protect, or may make some
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SELECT is(t.run(who, $$SELECT dp_noise.create_population('folk', 1)$$), '42501: must own a table to create a population', who || ' takes no names') FROM unnest('{lpr_ann,lpr_bob,lpr_outside}'::text[]) AS who;
SELECT is(t.run(who, $$SELECT dp_noise.create_population('folk', 1); SELECT dp_noise.drop_population('folk')$$), '', who || ' may') FROM unnest('{lpr_owner,lpr_team,lpr_rival}'::text[]) AS who;
GRANT CREATE ON SCHEMA public TO PUBLIC;

-- SET ROLE: who acts is who one is
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('others', epsilon => 1e6, delta => 1);
-- who may not change a population does not lock it either: nobody waits here
ALTER ROLE lpr_rival LOGIN;
\setenv PGDATABASE :DBNAME
BEGIN;
SELECT dp_noise.forgive(NULL, 'people');
\set kept_out `psql -XqAt -U lpr_rival -c "SET lock_timeout = '10s'" -c "SELECT dp_noise.protect('others', population => 'public.people')" -c "SELECT dp_noise.forgive(NULL, 'public.people')" 2>&1`
ROLLBACK;
SELECT matches(:'kept_out'::text, 'role lpr_rival may not add relations.*must be owner of population public.people', 'who may not change a population is told so at once');
SET SESSION AUTHORIZATION lpr_outside;
SELECT throws_ok($$SELECT dp_noise.set_budget('lpr_ann', 'people', 5)$$, '42501', NULL, 'NOINHERIT member');
SET ROLE lpr_owner;
SELECT lives_ok($$SELECT dp_noise.set_budget('lpr_ann', 'people', 5)$$, 'NOINHERIT member after SET ROLE');
RESET SESSION AUTHORIZATION;
SET ROLE lpr_ann;
SELECT throws_ok($$SELECT dp_noise.set_budget('lpr_ann', 'people', 50)$$, '42501', NULL, 'a superuser who is somebody else');
RESET ROLE;

-- SECURITY DEFINER: a function of the owner lends the owner's rights, as with tables ...
SELECT is(t.run('lpr_bob', 'SELECT owners_wrapper()'), NULL, 'the owner''s SECURITY DEFINER function acts for the owner');
-- ... and one of an analyst has the analyst's only, whoever calls it
SET ROLE lpr_ann;
CREATE FUNCTION trap() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	PERFORM dp_noise.set_budget('lpr_ann', 'public.people', 1000000);
	RETURN 1;
END $$;
CREATE FUNCTION trap_in_index(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF $1 > 0 THEN
		PERFORM dp_noise.set_budget('lpr_ann', 'public.people', 1000000);
	END IF;
	RETURN $1;
END $$;
CREATE TABLE trapped (x int);
CREATE INDEX ON trapped (trap_in_index(x));
RESET ROLE;
SELECT throws_ok('SELECT trap()', '42501', 'must be owner of population public.people', 'a SECURITY DEFINER function of an analyst, called by the superuser');
SELECT is(t.run('lpr_owner', 'SELECT trap()'), '42501: must be owner of population public.people', 'the same, called by the owner');
-- the same within what autovacuum and VACUUM, ANALYZE, REINDEX of a superuser do
SET ROLE lpr_ann;
CREATE FUNCTION trap_off(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
DROP INDEX trapped_trap_in_index_idx;
INSERT INTO trapped VALUES (1);
CREATE OR REPLACE FUNCTION trap_off(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE INDEX trapped_idx ON trapped (trap_off(x));
CREATE OR REPLACE FUNCTION trap_off(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM dp_noise.set_budget('lpr_ann', 'public.people', 1000000);
	RETURN $1;
END $$;
RESET ROLE;
SELECT throws_ok('REINDEX TABLE trapped', '42501', 'must be owner of population public.people', 'an index expression of an analyst, under the superuser''s REINDEX');
SELECT throws_ok('ANALYZE trapped', '42501', 'must be owner of population public.people', 'and under ANALYZE');
SELECT is((SELECT epsilon FROM dp_noise.budgets WHERE role = 'lpr_ann'), 5.0, 'the budget is what the owner granted');

-- nothing behind the functions is open: of the tables not even the names
SELECT is(t.run('lpr_ann', format('SELECT FROM %s', c.oid::regclass)), '42501: permission denied for schema dp_noise_ledger', c.relname || ' is not found')
FROM pg_class AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise') AND c.relkind IN ('r', 'S', 'v')
	AND c.relname <> ALL ('{budgets,ledger,populations,protected_relations,asker,reach,dp_budget,dp_columns,dp_relations,dp_history,activity,spending}');
SELECT is(t.run('lpr_ann', 'SELECT FROM dp_noise.' || v), '42501: permission denied for view ' || v, v || ' is for monitoring') FROM unnest('{activity,spending}'::text[]) AS v;
-- none of the functions that are not for everyone can be called
SELECT is(t.run('lpr_ann', format('SELECT dp_noise.%I(%s)', p.proname, (SELECT string_agg('NULL::' || format_type(a, NULL), ', ' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS x (a, n)))),
	'42501: permission denied for function ' || p.proname, p.proname || ' is closed')
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise') AND p.prokind = 'f' AND p.prosecdef
	AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) AND NOT 'record'::regtype = ANY (p.proargtypes::oid[])
	AND p.prorettype <> 'record'::regtype;
SELECT is(t.run('lpr_ann', 'SELECT dp_noise.' || f), '42501: permission denied for function ' || split_part(f, '(', 1), f)
FROM unnest('{lock_population(1),lock_names(1),lock_schema(1),lock_columns(1),members_of(1),doubts_of(1)}'::text[]) AS f;
-- nor are they where somebody is let into the schema
GRANT USAGE ON SCHEMA dp_noise_ledger TO lpr_ann;
SELECT is(t.run('lpr_ann', c), '42501: permission denied for ' || what, c)
FROM (VALUES
	('SELECT * FROM dp_noise_ledger.budget', 'table budget'),
	('UPDATE dp_noise_ledger.spending SET epsilon = 0', 'table spending'),
	('SELECT * FROM dp_noise_ledger.budget FOR UPDATE', 'table budget'),
	('LOCK TABLE dp_noise_ledger.budget IN ACCESS SHARE MODE', 'table budget'),
	('SELECT * FROM dp_noise_ledger.charge', 'table charge'),
	('DELETE FROM dp_noise_ledger.charge', 'table charge'),
	('TRUNCATE dp_noise_ledger.charge', 'table charge'),
	('SELECT * FROM dp_noise_ledger.answer', 'table answer'),
	('SELECT * FROM dp_noise_ledger.population', 'table population'),
	('INSERT INTO dp_noise_ledger.allowance VALUES (1, 2, ''x'')', 'table allowance'),
	('SELECT * FROM dp_noise_ledger.member', 'table member'),
	('SELECT * FROM dp_noise_ledger.column_bounds', 'table column_bounds'),
	('SELECT nextval(''dp_noise_ledger.budget_budget_id_seq'')', 'sequence budget_budget_id_seq'),
	('CREATE TABLE dp_noise.mine (x int)', 'schema dp_noise'),
	('CREATE TABLE dp_noise_ledger.mine (x int)', 'schema dp_noise_ledger'),
	('LOCK TABLE dp_noise.budgets IN EXCLUSIVE MODE', 'view budgets'),
	('SELECT * FROM dp_noise.budgets FOR UPDATE', 'view budgets')) AS v (c, what);
SELECT is(t.run('lpr_ann', c), '42501: must be owner of ' || what, c)
FROM (VALUES
	('CREATE RULE r AS ON INSERT TO dp_noise_ledger.charge DO INSTEAD NOTHING', 'table charge'),
	('ALTER TABLE dp_noise_ledger.budget ENABLE ROW LEVEL SECURITY', 'table budget'),
	('DROP EXTENSION dp_noise', 'extension dp_noise'),
	('ALTER EVENT TRIGGER dp_noise_on_drop DISABLE', 'event trigger dp_noise_on_drop'),
	('COMMENT ON EXTENSION dp_noise IS ''x''', 'extension dp_noise')) AS v (c, what);
SELECT is(left(t.run('lpr_ann', c), 5), '42501', c)
FROM (VALUES
	('CREATE TRIGGER r BEFORE INSERT ON dp_noise_ledger.charge EXECUTE FUNCTION trap()'),
	('CREATE POLICY p ON dp_noise_ledger.budget USING (false)'),
	('SET ROLE lpr_owner'),
	('ALTER ROLE lpr_bob RENAME TO lpr_x'),
	('ALTER TABLE people RENAME TO p2'),
	('ALTER ROLE postgres SET synchronous_commit = off'),
	('ALTER DATABASE postgres SET search_path = public')) AS v (c);
REVOKE USAGE ON SCHEMA dp_noise_ledger FROM lpr_ann;
-- no object of the ledger is open to everyone that is not meant to be
SELECT set_eq($$SELECT c.relname::text FROM pg_class AS c, aclexplode(c.relacl) AS a
	WHERE c.relnamespace IN ('dp_noise'::regnamespace, 'dp_noise_ledger'::regnamespace) AND a.grantee = 0$$,
	$$VALUES ('budgets'), ('ledger'), ('populations'), ('protected_relations'), ('asker'), ('reach')$$, 'relations open to everyone');
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc AS p
	WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.prosecdef
		AND has_function_privilege('lpr_ann', p.oid, 'EXECUTE')$$, 'no SECURITY DEFINER function is open to everyone');
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc AS p
	WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.prosecdef
		AND NOT coalesce(p.proconfig::text LIKE '%search_path=pg_catalog, pg_temp%', false)$$, 'each has a search path of its own');

-- what each person sees
SELECT dp_noise.set_budget('lpr_ann', 'people', 5);
SELECT dp_noise.set_budget('lpr_bob', 'people', 3);
SELECT dp_noise.set_budget('lpr_ann', 'others', 2);
SELECT is(t.ask('lpr_ann', 'people', 1), 'charged');
SELECT is(t.ask('lpr_bob', 'people', 2), 'charged');
SELECT is(t.ask('lpr_ann', 'others', 1), 'charged');
SELECT is(t.run(who, $$SELECT coalesce(string_agg(coalesce(role, 'all') || ' ' || substr(population, 8) || ' ' || trim_scale(epsilon_spent), ', ' ORDER BY population, role), 'none') FROM dp_noise.budgets$$),
	wanted, who || ': dp_noise.budgets')
FROM (VALUES
	('lpr_ann', 'none'), ('lpr_bob', 'none'),
	('lpr_owner', 'lpr_ann people 1, lpr_bob people 2, all people 3'),
	('lpr_team', 'lpr_ann people 1, lpr_bob people 2, all people 3'),
	('lpr_outside', 'none'),
	('lpr_rival', 'lpr_ann others 1, all others 1'),
	('postgres', 'lpr_ann others 1, all others 1, lpr_ann people 1, lpr_bob people 2, all people 3')) AS v (who, wanted);
SELECT is(t.run(who, $$SELECT coalesce(string_agg(role || ' ' || asked_about || ' ' || epsilon, ', ' ORDER BY population, role), 'none') FROM dp_noise.ledger$$),
	wanted, who || ': dp_noise.ledger')
FROM (VALUES
	('lpr_ann', 'none'), ('lpr_bob', 'none'),
	('lpr_owner', 'lpr_ann people 1, lpr_bob people 2'),
	('lpr_team', 'lpr_ann people 1, lpr_bob people 2'),
	('lpr_outside', 'none'),
	('lpr_rival', 'lpr_ann others 1'),
	('postgres', 'lpr_ann others 1, lpr_ann people 1, lpr_bob people 2')) AS v (who, wanted);
SELECT is(t.run(who, $$SELECT coalesce(string_agg(relations::text || ' ' || granted || ' ' || spent || ' ' || remaining, ', ' ORDER BY population), 'none') FROM dp_budget$$),
	wanted, who || ': dp_budget')
FROM (VALUES
	('lpr_ann', '{others} 2 1 1, {people} 5 1 4'), ('lpr_bob', '{people} 3 2 1'),
	('lpr_owner', 'none'), ('lpr_rival', 'none'), ('postgres', 'none')) AS v (who, wanted);
SELECT is(t.run(who, $$SELECT coalesce(string_agg(concat_ws(' ', population, owner, trim_scale(epsilon_spent), members), ', ' ORDER BY population), 'none') FROM dp_noise.populations$$), wanted, who || ': dp_noise.populations')
FROM (VALUES
	('lpr_ann', 'none'), ('lpr_bob', 'none'), ('lpr_outside', 'none'),
	('lpr_owner', 'public.people lpr_owner 3 {people}'), ('lpr_team', 'public.people lpr_owner 3 {people}'), ('lpr_rival', 'public.others lpr_rival 1 {others}'),
	('postgres', 'public.others lpr_rival 1 {others}, public.people lpr_owner 3 {people}')) AS v (who, wanted);
-- a function in WHERE is no way around the view's own condition
SET ROLE lpr_bob;
CREATE FUNCTION peep(text) RETURNS bool LANGUAGE plpgsql COST 0.000001 AS $$ BEGIN RAISE EXCEPTION 'saw %', $1; END $$;
RESET ROLE;
SELECT is(t.run('lpr_bob', 'SELECT count(*) FROM dp_noise.ledger WHERE peep(role::text)'), '0', 'a leaky function sees no ledger');
SELECT is(t.run('lpr_bob', 'SELECT count(*) FROM dp_noise.budgets WHERE peep(role::text)'), '0', 'nor budgets');
SELECT is(t.run('lpr_bob', 'SELECT count(*) FROM dp_budget WHERE peep(role::text)'), 'P0001: saw lpr_bob', 'only its own');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lpr_owner, lpr_rival, lpr_ann, lpr_bob CASCADE;
DROP ROLE lpr_owner, lpr_team, lpr_outside, lpr_ann, lpr_bob, lpr_rival;
