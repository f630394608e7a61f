-- Who may change budgets, and who sees which of them.
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
	(6, $$SELECT dp_noise.unprotect('people')$$);
SELECT is(t.run(who, call), '42501: must be owner of relation people', format('%s: %s', who, call))
FROM t.calls, unnest('{lpr_ann,lpr_rival,lpr_outside}'::text[]) AS who ORDER BY who, number;
SELECT is(t.run(who, call), '', format('%s: %s', who, call))
FROM t.calls, unnest('{lpr_owner,lpr_team,postgres}'::text[]) AS who ORDER BY who, number;

-- SET ROLE: who acts is who one is
SELECT dp_noise.protect('people');
SELECT dp_noise.protect('others', epsilon => 1e6, delta => 1);
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
SELECT throws_ok('SELECT trap()', '42501', 'must be owner of relation people', 'a SECURITY DEFINER function of an analyst, called by the superuser');
SELECT is(t.run('lpr_owner', 'SELECT trap()'), '42501: must be owner of relation people', 'the same, called by the owner');
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
SELECT throws_ok('REINDEX TABLE trapped', '42501', 'must be owner of relation people', 'an index expression of an analyst, under the superuser''s REINDEX');
SELECT throws_ok('ANALYZE trapped', '42501', 'must be owner of relation people', 'and under ANALYZE');
SELECT is((SELECT epsilon FROM dp_noise.budgets WHERE role = 'lpr_ann'), 5.0, 'the budget is what the owner granted');

-- nothing behind the functions is open: of the tables not even the names
SELECT is(t.run('lpr_ann', format('SELECT FROM %s', c.oid::regclass)), '42501: permission denied for schema dp_noise_ledger', c.relname || ' is not found')
FROM pg_class AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise') AND c.relkind IN ('r', 'S', 'v')
	AND c.relname <> ALL ('{budgets,ledger,protected_relations,asker,reach,dp_budget,dp_columns,dp_history}');
-- nor are they where somebody is let into the schema
GRANT USAGE ON SCHEMA dp_noise_ledger TO lpr_ann;
SELECT is(t.run('lpr_ann', c), '42501: permission denied for ' || what, c)
FROM (VALUES
	('SELECT dp_noise.do_set_budget(''lpr_ann'', ''people'', 9, 0, NULL, NULL, ''answer'', false, NULL, ''pure'', 0, NULL, 3)', 'function do_set_budget'),
	('SELECT dp_noise.do_forget_answers(''people'', now())', 'function do_forget_answers'),
	('SELECT dp_noise.do_protect(''people'', NULL, ''add_remove'', 1, 1, false, NULL)', 'function do_protect'),
	('SELECT dp_noise.do_unprotect(''people'')', 'function do_unprotect'),
	('SELECT dp_noise.do_set_bounds(''people'', ''age'', 0, 1)', 'function do_set_bounds'),
	('SELECT dp_noise.do_drop_budget(''lpr_bob'', ''people'')', 'function do_drop_budget'),
	('SELECT dp_noise.tidy()', 'function tidy'),
	('SELECT dp_noise.lock_relation(''people''::regclass)', 'function lock_relation'),
	('SELECT dp_noise.lock_columns(''people''::regclass)', 'function lock_columns'),
	('SELECT dp_noise.lock_schema(''public''::regnamespace)', 'function lock_schema'),
	('SELECT dp_noise.find_role(10)', 'function find_role'),
	('SELECT dp_noise.make_role(10)', 'function make_role'),
	('SELECT dp_noise.number_role(10)', 'function number_role'),
	('SELECT dp_noise.inherit_role(1, 1)', 'function inherit_role'),
	('SELECT dp_noise.inherit_relation(1)', 'function inherit_relation'),
	('SELECT dp_noise.inherit_budget(NULL, 1, 1, false, false)', 'function inherit_budget'),
	('SELECT dp_noise.forget_relation(1)', 'function forget_relation'),
	('SELECT dp_noise.find_relation(10)', 'function find_relation'),
	('SELECT dp_noise.protected_relation_id(''people'')', 'function protected_relation_id'),
	('SELECT * FROM dp_noise_ledger.budget_entry', 'table budget_entry'),
	('UPDATE dp_noise_ledger.budget_entry SET epsilon_spent = 0', 'table budget_entry'),
	('SELECT * FROM dp_noise_ledger.budget_entry FOR UPDATE', 'table budget_entry'),
	('LOCK TABLE dp_noise_ledger.budget_entry IN ACCESS SHARE MODE', 'table budget_entry'),
	('SELECT * FROM dp_noise_ledger.ledger_entry', 'table ledger_entry'),
	('DELETE FROM dp_noise_ledger.ledger_entry', 'table ledger_entry'),
	('TRUNCATE dp_noise_ledger.ledger_entry', 'table ledger_entry'),
	('SELECT * FROM dp_noise_ledger.answer_entry', 'table answer_entry'),
	('INSERT INTO dp_noise_ledger.identity VALUES (1, 2, 3)', 'table identity'),
	('SELECT * FROM dp_noise_ledger.current_identity', 'view current_identity'),
	('SELECT * FROM dp_noise_ledger.relation_entry', 'table relation_entry'),
	('SELECT * FROM dp_noise_ledger.role_entry', 'table role_entry'),
	('SELECT * FROM dp_noise_ledger.column_bounds', 'table column_bounds'),
	('SELECT * FROM dp_noise_ledger.entry_dumped', 'table entry_dumped'),
	('SELECT nextval(''dp_noise_ledger.budget_entry_budget_id_seq'')', 'sequence budget_entry_budget_id_seq'),
	('CREATE TABLE dp_noise.mine (x int)', 'schema dp_noise'),
	('CREATE TABLE dp_noise_ledger.mine (x int)', 'schema dp_noise_ledger'),
	('LOCK TABLE dp_noise.budgets IN EXCLUSIVE MODE', 'view budgets'),
	('SELECT * FROM dp_noise.budgets FOR UPDATE', 'view budgets')) AS v (c, what);
SELECT is(t.run('lpr_ann', c), '42501: must be owner of ' || what, c)
FROM (VALUES
	('CREATE RULE r AS ON INSERT TO dp_noise_ledger.ledger_entry DO INSTEAD NOTHING', 'table ledger_entry'),
	('ALTER TABLE dp_noise_ledger.budget_entry ENABLE ROW LEVEL SECURITY', 'table budget_entry'),
	('DROP EXTENSION dp_noise', 'extension dp_noise'),
	('ALTER EVENT TRIGGER dp_noise_on_drop DISABLE', 'event trigger dp_noise_on_drop'),
	('COMMENT ON EXTENSION dp_noise IS ''x''', 'extension dp_noise')) AS v (c, what);
SELECT is(left(t.run('lpr_ann', c), 5), '42501', c)
FROM (VALUES
	('CREATE TRIGGER r BEFORE INSERT ON dp_noise_ledger.ledger_entry EXECUTE FUNCTION trap()'),
	('CREATE POLICY p ON dp_noise_ledger.budget_entry USING (false)'),
	('SET ROLE lpr_owner'),
	('ALTER ROLE lpr_bob RENAME TO lpr_x'),
	('ALTER TABLE people RENAME TO p2'),
	('ALTER ROLE postgres SET synchronous_commit = off'),
	('ALTER DATABASE postgres SET search_path = public')) AS v (c);
REVOKE USAGE ON SCHEMA dp_noise_ledger FROM lpr_ann;
-- no object of the ledger is open to everyone that is not meant to be
SELECT set_eq($$SELECT c.relname::text FROM pg_class AS c, aclexplode(c.relacl) AS a
	WHERE c.relnamespace IN ('dp_noise'::regnamespace, 'dp_noise_ledger'::regnamespace) AND a.grantee = 0$$,
	$$VALUES ('budgets'), ('ledger'), ('protected_relations'), ('asker'), ('reach')$$, 'relations open to everyone');
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
SELECT is(t.run(who, $$SELECT coalesce(string_agg(coalesce(role, 'total') || ' ' || relation || ' ' || epsilon_spent, ', ' ORDER BY relation::text, role), 'none') FROM dp_noise.budgets$$),
	wanted, who || ': dp_noise.budgets')
FROM (VALUES
	('lpr_ann', 'none'), ('lpr_bob', 'none'),
	('lpr_owner', 'lpr_ann people 1, lpr_bob people 2, total people 3'),
	('lpr_team', 'lpr_ann people 1, lpr_bob people 2, total people 3'),
	('lpr_outside', 'none'),
	('lpr_rival', 'lpr_ann others 1, total others 1'),
	('postgres', 'lpr_ann others 1, total others 1, lpr_ann people 1, lpr_bob people 2, total people 3')) AS v (who, wanted);
SELECT is(t.run(who, $$SELECT coalesce(string_agg(role || ' ' || relation || ' ' || epsilon, ', ' ORDER BY relation::text, role), 'none') FROM dp_noise.ledger$$),
	wanted, who || ': dp_noise.ledger')
FROM (VALUES
	('lpr_ann', 'none'), ('lpr_bob', 'none'),
	('lpr_owner', 'lpr_ann people 1, lpr_bob people 2'),
	('lpr_team', 'lpr_ann people 1, lpr_bob people 2'),
	('lpr_outside', 'none'),
	('lpr_rival', 'lpr_ann others 1'),
	('postgres', 'lpr_ann others 1, lpr_ann people 1, lpr_bob people 2')) AS v (who, wanted);
SELECT is(t.run(who, $$SELECT coalesce(string_agg(relation || ' ' || granted || ' ' || spent || ' ' || remaining, ', ' ORDER BY relation::text), 'none') FROM dp_budget$$),
	wanted, who || ': dp_budget')
FROM (VALUES
	('lpr_ann', 'others 2 1 1, people 5 1 4'), ('lpr_bob', 'people 3 2 1'),
	('lpr_owner', 'none'), ('lpr_rival', 'none'), ('postgres', 'none')) AS v (who, wanted);
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
