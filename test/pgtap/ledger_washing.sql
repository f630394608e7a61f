-- Spending that somebody would like to be rid of: by names that go away, come
-- back and change hands, of roles, relations and schemas.
\ir support/ledger.sql
CREATE ROLE lwa_owner;
CREATE ROLE lwa_other;
CREATE ROLE lwa_ann;
CREATE ROLE lwa_bob;
SELECT no_plan();
GRANT CREATE ON DATABASE :"DBNAME" TO lwa_owner, lwa_other;
-- What is spent, as the worker counts it: the grant less what is left.
CREATE FUNCTION t.spent(who text, relation regclass) RETURNS numeric LANGUAGE sql AS $$
	SELECT trim_scale(t.run(who, format('SELECT granted - remaining FROM dp_budget WHERE relation = %s::regclass', relation::oid))::numeric)
$$;
CREATE FUNCTION t.total(relation regclass) RETURNS numeric LANGUAGE sql AS $$
	SELECT trim_scale(b.epsilon_spent) FROM dp_noise.budgets AS b WHERE b.relation = $1 AND b.role IS NULL
$$;
CREATE FUNCTION t.grant_to(role text, relation text DEFAULT 'people') RETURNS void LANGUAGE sql AS $$
	SELECT dp_noise.alter_population(relation, on_repeat => 'answer'), dp_noise.set_budget(role::regrole, relation, 100)
$$;
CREATE FUNCTION t.do(who text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	BEGIN
		EXECUTE command;
	EXCEPTION WHEN OTHERS THEN
		result := SQLSTATE || ': ' || SQLERRM;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people', epsilon => 1e13, delta => 1);

-- a role: dropped, made again, renamed away, and made once more
SELECT t.grant_to('lwa_ann');
SELECT is(t.ask('lwa_ann', 'people', 1), 'charged');
DROP ROLE lwa_ann;
CREATE ROLE lwa_ann;
SELECT t.grant_to('lwa_ann');
SELECT is(t.spent('lwa_ann', 'people'), 1::numeric, 'made again');
SELECT is(t.ask('lwa_ann', 'people', 2), 'charged');
ALTER ROLE lwa_ann RENAME TO lwa_away;
CREATE ROLE lwa_ann;
SELECT t.grant_to('lwa_ann');
SELECT is(t.spent('lwa_ann', 'people'), 3::numeric, 'renamed away, and made once more: all that was spent under the name');
SELECT is(t.spent('lwa_away', 'people'), 3::numeric, 'and by the role');
DROP ROLE lwa_ann;
ALTER ROLE lwa_away RENAME TO lwa_ann;
SELECT is(t.ask('lwa_ann', 'people', 4), 'charged');
SELECT is(t.spent('lwa_ann', 'people'), 7::numeric, 'renamed back: each charge once');
-- in one transaction, where no name of the time in between is ever seen
BEGIN;
ALTER ROLE lwa_ann RENAME TO lwa_away;
CREATE ROLE lwa_ann;
COMMIT;
BEGIN;
SELECT t.grant_to('lwa_ann');
COMMIT;
SELECT is(t.spent('lwa_ann', 'people'), 7::numeric, 'in one transaction');
-- on a table that the role has not asked about yet
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1e13, delta => 1);
SELECT t.grant_to('lwa_away', 'flats');
SELECT is(t.ask('lwa_away', 'flats', 0.5), 'charged');
SELECT t.grant_to('lwa_ann', 'flats');
SELECT is(t.ask('lwa_ann', 'flats', 0.25), 'charged');
DROP ROLE lwa_ann;
ALTER ROLE lwa_away RENAME TO lwa_ann;
SELECT is(t.ask('lwa_ann', 'flats', 0.125), 'charged');
SELECT is(t.spent('lwa_ann', 'flats'), 0.875, 'another table: what all three have spent');

-- two names are swapped, again and again
SELECT t.grant_to('lwa_bob', 'flats');
SELECT is(t.ask('lwa_bob', 'flats', 10), 'charged');
CREATE PROCEDURE t.swap() LANGUAGE plpgsql AS $$
BEGIN
	ALTER ROLE lwa_ann RENAME TO lwa_swap;
	ALTER ROLE lwa_bob RENAME TO lwa_ann;
	ALTER ROLE lwa_swap RENAME TO lwa_bob;
END
$$;
CALL t.swap();
SELECT is(t.ask('lwa_ann', 'flats', 0.5), 'charged');
SELECT is(t.ask('lwa_bob', 'flats', 0.25), 'charged');
SELECT cmp_ok(t.spent('lwa_ann', 'flats'), '>=', 11.375, 'swapped: what was spent under the name, and by the role');
SELECT cmp_ok(t.spent('lwa_bob', 'flats'), '>=', 11.125, 'and the other one');
CALL t.swap();
CALL t.swap();
CALL t.swap();
SELECT t.grant_to(r, 'flats') FROM unnest('{lwa_ann,lwa_bob}'::text[]) AS r;
SELECT cmp_ok(t.spent(r, 'flats'), '<=', 11.625, r || ': no more than all together') FROM unnest('{lwa_ann,lwa_bob}'::text[]) AS r;

-- the worker is awake, and has seen the role under its old name
CREATE ROLE lwa_old;
CREATE ROLE lwa_new;
SELECT dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('lwa_old', 'flats', 1);
SELECT is(t.ask('lwa_old', 'flats', 1), 'charged');
DROP ROLE lwa_old;
SELECT dp_noise.set_budget('lwa_new', 'flats', 1);
SELECT is(t.ask('lwa_new', 'flats', 0.25), 'charged');
ALTER ROLE lwa_new RENAME TO lwa_old;
SELECT is(left(t.ask('lwa_old', 'flats', 0.5), 5), '53400', 'renamed to a name that has spent it all, while the worker is awake');
DROP ROLE lwa_old;

-- a group that gets the name of one that was dropped after its budget
CREATE ROLE lwa_team ROLE lwa_ann;
CREATE ROLE lwa_other_team ROLE lwa_bob;
CREATE TABLE purses (id int);
SELECT dp_noise.protect('purses', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('purses', on_repeat => 'answer'), dp_noise.set_budget('lwa_team', 'purses', 1, shared => true);
SELECT is(t.ask('lwa_ann', 'purses', 1), 'charged');
DROP ROLE lwa_team;
SELECT dp_noise.set_budget('lwa_other_team', 'purses', 1, shared => true);
SELECT is(t.ask('lwa_bob', 'purses', 0.25), 'charged');
ALTER ROLE lwa_other_team RENAME TO lwa_team;
SELECT is(left(t.ask('lwa_bob', 'purses', 0.25), 5), '53400', 'a shared purse under the name of an empty one');
DROP ROLE lwa_team;

-- a relation: its heir is renamed away
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses', epsilon => 1e13, delta => 1);
SELECT t.grant_to('lwa_bob', 'houses');
SELECT is(t.ask('lwa_bob', 'houses', 1), 'charged');
DROP TABLE houses;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses');
ALTER TABLE houses RENAME TO huts;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses');
SELECT is(t.total('houses'), 1::numeric, 'an heir that is renamed does not take with it what was spent');
SELECT is(t.total('huts'), 1::numeric, 'but counts it, too');
DROP TABLE houses;
ALTER TABLE huts RENAME TO houses;
SELECT is(t.total('houses'), 1::numeric, 'once');
SELECT t.grant_to('lwa_bob', 'houses');
SELECT is(t.ask('lwa_bob', 'houses', 2), 'charged');
DO $$
BEGIN
	FOR i IN 1 .. 5 LOOP
		ALTER TABLE houses RENAME TO huts;
		CREATE TABLE houses (id int);
		PERFORM dp_noise.protect('houses');
		DROP TABLE houses;
		CREATE TABLE houses (id int);
		PERFORM dp_noise.protect('houses');
		PERFORM dp_noise.alter_population('houses', on_repeat => 'answer'), dp_noise.set_budget('lwa_bob', 'houses', 100);
		DROP TABLE houses;
		ALTER TABLE huts RENAME TO houses;
		PERFORM dp_noise.protect('houses');
	END LOOP;
END
$$;
SELECT is(t.total('houses'), 3::numeric, 'however often');
SELECT is(t.spent('lwa_bob', 'houses'), 3::numeric);
-- renamed first, and then dropped
ALTER TABLE houses RENAME TO huts;
DROP TABLE huts;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses');
SELECT t.grant_to('lwa_bob', 'houses');
SELECT is(t.spent('lwa_bob', 'houses'), 3::numeric, 'dropped under another name');
CREATE TABLE huts (id int);
SELECT dp_noise.protect('huts', epsilon => 1e13, delta => 1);
SELECT t.grant_to('lwa_bob', 'huts');
SELECT is(t.spent('lwa_bob', 'huts'), 3::numeric, 'and under that one');
DROP TABLE houses, huts;
-- the old one dropped when its namesake is there already
CREATE TABLE cabins (id int);
SELECT dp_noise.protect('cabins', epsilon => 1e13, delta => 1);
SELECT t.grant_to('lwa_bob', 'cabins');
SELECT is(t.ask('lwa_bob', 'cabins', 1), 'charged');
BEGIN;
ALTER TABLE cabins RENAME TO sheds;
CREATE TABLE cabins (id int);
SELECT dp_noise.protect('cabins');
SELECT t.grant_to('lwa_bob', 'cabins');
COMMIT;
SELECT is(t.ask('lwa_bob', 'cabins', 2), 'charged');
SELECT is(t.spent('lwa_bob', 'cabins'), 2::numeric, 'a table beside the one that had its name');
DROP TABLE sheds;
SELECT is(t.ask('lwa_bob', 'cabins', 98), '53400: insufficient privacy budget for "cabins" | The query asks for epsilon 98; your budget has 97 left.', 'which is dropped, while the worker is awake');
SELECT is(t.ask('lwa_bob', 'cabins', 4), 'charged');
SELECT is(t.spent('lwa_bob', 'cabins'), 7::numeric, 'all that was spent under the name');
DROP TABLE cabins;
-- both at once: a role's heir on a relation's heir
DROP ROLE lwa_bob;
CREATE ROLE lwa_bob;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses');
SELECT t.grant_to('lwa_bob', 'houses');
SELECT is(t.spent('lwa_bob', 'houses'), 3::numeric, 'role and relation');
ALTER ROLE lwa_bob RENAME TO lwa_away;
ALTER TABLE houses RENAME TO huts;
CREATE ROLE lwa_bob;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses');
SELECT t.grant_to('lwa_bob', 'houses');
SELECT is(t.spent('lwa_bob', 'houses'), 3::numeric, 'and again, when both heirs are renamed away');
DROP TABLE houses, huts;
CREATE TABLE huts (id int);
SELECT dp_noise.protect('huts');
SELECT t.grant_to('lwa_away', 'huts');
SELECT is(t.spent('lwa_away', 'huts'), 3::numeric, 'and for these, under their new names');
DROP TABLE huts;
DROP ROLE lwa_away;

-- by the owner of the schema, who is not the table's
CREATE SCHEMA shared AUTHORIZATION lwa_other;
GRANT ALL ON SCHEMA shared TO lwa_owner;
CREATE FUNCTION t.made(relation text DEFAULT 'shared.secret', who text DEFAULT 'lwa_owner', epsilon numeric DEFAULT 100) RETURNS text LANGUAGE sql AS $$
	SELECT concat(t.do(who, format('CREATE TABLE %s (id int)', relation)), t.do(who, format('SELECT dp_noise.protect(%L, epsilon => 1e13, delta => 1)', relation)),
		t.do(who, format('SELECT dp_noise.alter_population(%L, on_repeat => ''answer''), dp_noise.set_budget(''lwa_ann'', %L, %s)', relation, epsilon)))
$$;
GRANT USAGE ON SCHEMA shared TO PUBLIC;
SELECT is(t.made(), '');
SELECT is(t.ask('lwa_ann', 'shared.secret', 1), 'charged');
SELECT is(t.do('lwa_other', c), NULL, c) FROM unnest(ARRAY['ALTER SCHEMA shared RENAME TO hidden', 'DROP TABLE hidden.secret', 'ALTER SCHEMA hidden RENAME TO shared']) AS c;
SELECT is(t.made(), '');
SELECT is(t.spent('lwa_ann', 'shared.secret'), 1::numeric, 'what was spent is spent');
-- and by a namesake of theirs in between
SELECT is(t.do('lwa_other', c), NULL, c) FROM unnest(ARRAY['DROP TABLE shared.secret', 'CREATE TABLE shared.secret (id int)', 'SELECT dp_noise.protect(''shared.secret'', epsilon => 1e13, delta => 1)',
	'SELECT dp_noise.set_budget(''lwa_ann'', ''shared.secret'', 9, period => ''1 second'')', 'SELECT pg_sleep(1.1)', 'SELECT dp_noise.forfeit(''shared.secret'', ''lwa_ann'', 1e13)']) AS c;
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'shared.secret' AND role IS NULL), 1e13);
SELECT is(t.do('lwa_other', 'DROP TABLE shared.secret'), NULL);
SELECT is(t.made(), '');
SELECT is(t.spent('lwa_ann', 'shared.secret'), 1::numeric, 'what another owner forfeits on a namesake is not inherited');
SELECT is(t.total('shared.secret'), 1::numeric, 'nor by the total');

-- what is inherited of another owner's is shown in the total alone
CREATE FUNCTION t.shown() RETURNS text LANGUAGE sql AS $$
	SELECT t.run('lwa_other', 'SELECT string_agg(concat_ws('' '', role, trim_scale(epsilon_spent), trim_scale(epsilon_left)), '', '' ORDER BY role) FROM dp_noise.budgets WHERE population = ''shared.plain''')
$$;
SELECT is(t.made('shared.plain'), '');
SELECT is(t.ask('lwa_ann', 'shared.plain', 1), 'charged');
SELECT is(t.do('lwa_owner', 'SELECT dp_noise.forfeit(''shared.plain'', ''lwa_ann'', 5)'), NULL);
SELECT is(t.do('lwa_owner', 'DROP TABLE shared.plain'), NULL);
SELECT is(t.made('shared.plain', 'lwa_other', 2), '');
SELECT is(t.shown(), 'lwa_ann 0 2, 1', 'who spent what on another owner''s relation is not shown');
SELECT is(t.ask('lwa_ann', 'shared.plain', 1), 'charged');
SELECT is(t.ask('lwa_ann', 'shared.plain', 0.5), '53400: insufficient privacy budget for "plain" | The query asks for epsilon 0.5; your budget has 0 left.', 'but found to be spent');
SELECT is(t.shown(), 'lwa_ann 1 1, 2');
-- the owner's own forfeits are inherited
SELECT is(t.do('lwa_other', 'DROP TABLE shared.plain'), NULL);
SELECT is(t.made('shared.plain'), '');
SELECT is(t.spent('lwa_ann', 'shared.plain'), 7::numeric, 'what the owner forfeited is');

-- a new period begins without a refill, also for what was inherited
CREATE TABLE rooms (id int);
SELECT dp_noise.protect('rooms', epsilon => 1e13, delta => 1);
SELECT t.grant_to('lwa_ann', 'rooms');
SELECT is(t.ask('lwa_ann', 'rooms', 1), 'charged');
DROP TABLE rooms;
CREATE TABLE rooms (id int);
SELECT dp_noise.protect('rooms');
SELECT t.grant_to('lwa_ann', 'rooms');
SELECT is(t.ask('lwa_ann', 'rooms', 2), 'charged');
SELECT dp_noise.alter_population('rooms', on_repeat => 'answer'), dp_noise.set_budget('lwa_ann', 'rooms', 100, period => '1 day');
SELECT dp_noise.protect('rooms');
SELECT is(t.spent('lwa_ann', 'rooms'), 3::numeric, 'a period is set');
UPDATE dp_noise_ledger.budget_entry SET period_start = period_start - interval '25 hours' WHERE period IS NOT NULL;
SELECT is(t.ask('lwa_ann', 'rooms', 4), 'charged');
SELECT dp_noise.protect('rooms');
SELECT is(t.spent('lwa_ann', 'rooms'), 4::numeric, 'what has refilled stays so');
DROP TABLE rooms;
CREATE TABLE rooms (id int);
SELECT dp_noise.protect('rooms');
SELECT t.grant_to('lwa_ann', 'rooms');
SELECT cmp_ok(t.spent('lwa_ann', 'rooms'), '>=', 4::numeric, 'a refill is no gift to heirs');

-- a name that no event trigger saw, but at the drop
ALTER EVENT TRIGGER dp_noise_on_rename DISABLE;
ALTER TABLE rooms RENAME TO halls;
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
DROP TABLE halls;
CREATE TABLE halls (id int);
SELECT dp_noise.protect('halls', epsilon => 1e13, delta => 1);
SELECT t.grant_to('lwa_ann', 'halls');
SELECT cmp_ok(t.spent('lwa_ann', 'halls'), '>=', 4::numeric, 'the last name counts, too');
ALTER TABLE halls RENAME TO rooms;

-- what is gone, though no event trigger saw it
ALTER EVENT TRIGGER dp_noise_on_drop DISABLE;
DROP TABLE rooms;
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
SELECT ok((SELECT bool_or(is_protected) FROM dp_noise_ledger.relation_entry WHERE relation_name = 'rooms'), 'not noticed');
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker';
SELECT is(t.ask('lwa_ann', 'people', 0.5), 'charged');
SELECT ok((SELECT NOT bool_or(is_protected) FROM dp_noise_ledger.relation_entry WHERE relation_name = 'rooms'), 'until a worker starts: it is not protected any more');

SELECT * FROM finish();
SELECT dp_noise.unprotect(relation) FROM dp_noise.protected_relations;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP TABLE people, flats, purses;
DROP SCHEMA shared CASCADE;
DROP OWNED BY lwa_owner, lwa_other;
DROP ROLE lwa_owner, lwa_other, lwa_ann, lwa_bob;
