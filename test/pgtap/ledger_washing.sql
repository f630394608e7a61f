-- Spending that somebody would like to be rid of: by names that go away, come
-- back and change hands, of roles, relations, schemas and populations. What a role
-- has spent is its own; what all have spent of a population stays, whatever
-- happens to tables and roles.
\ir support/ledger.sql
CREATE ROLE lwa_owner;
CREATE ROLE lwa_other;
CREATE ROLE lwa_ann;
CREATE ROLE lwa_bob;
SELECT no_plan();
GRANT CREATE ON DATABASE :"DBNAME" TO lwa_owner, lwa_other;
-- What is left of a role's budget, as the worker counts it.
CREATE FUNCTION t.spent(who text, population text) RETURNS numeric LANGUAGE sql AS $$
	SELECT trim_scale(t.run(who, format('SELECT granted - remaining FROM dp_budget AS b WHERE b.population = %L', population))::numeric)
$$;
CREATE FUNCTION t.total(population text) RETURNS numeric LANGUAGE sql AS $$
	SELECT trim_scale(p.epsilon_spent) FROM dp_noise.populations AS p WHERE p.population = $1
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
SELECT dp_noise.protect('people', epsilon => 20);
SELECT dp_noise.set_budget('lwa_ann', 'people', 5);

-- a role: dropped and made again is somebody new, for whom the grant pays on
SELECT is(t.ask('lwa_ann', 'people', 4), 'charged');
CREATE PROCEDURE t.wash() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 4 LOOP
		DROP ROLE lwa_ann;
		CREATE ROLE lwa_ann;
		EXECUTE $q$SELECT dp_noise.set_budget('lwa_ann', 'people', 5)$q$;
		COMMIT;
		PERFORM t.ask('lwa_ann', 'people', 4);
		COMMIT;
	END LOOP;
END
$$;
CALL t.wash();
SELECT is(t.total('public.people'), 20::numeric, 'however often: the grant has counted');
DROP ROLE lwa_ann;
CREATE ROLE lwa_ann;
SELECT dp_noise.set_budget('lwa_ann', 'people', 5);
SELECT is(t.ask('lwa_ann', 'people', 1),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 1; the population''s grant has 0 left.', 'and is spent');
SELECT dp_noise.alter_population('people', epsilon => 100);
SELECT is(t.ask('lwa_ann', 'people', 1), 'charged');
-- renamed away, and made once more, in one transaction, too
BEGIN;
ALTER ROLE lwa_ann RENAME TO lwa_away;
CREATE ROLE lwa_ann;
COMMIT;
SELECT is(t.ask(who, 'people', 1), format('42501: role "%s" has no privacy budget for "people"', who), 'neither the name nor the role has the budget') FROM unnest('{lwa_ann,lwa_away}'::text[]) AS who;
SELECT dp_noise.set_budget(who::regrole, 'people', 5) FROM unnest('{lwa_ann,lwa_away}'::text[]) AS who;
SELECT is(t.spent('lwa_away', 'public.people'), 1::numeric, 'what the role has spent is the role''s');
SELECT is(t.spent('lwa_ann', 'public.people'), 0::numeric, 'not the name''s');
SELECT is(t.total('public.people'), 21::numeric);
-- two names are swapped, again and again
CREATE PROCEDURE t.swap() LANGUAGE plpgsql AS $$
BEGIN
	ALTER ROLE lwa_ann RENAME TO lwa_swap;
	ALTER ROLE lwa_away RENAME TO lwa_ann;
	ALTER ROLE lwa_swap RENAME TO lwa_away;
END
$$;
SELECT is(t.ask('lwa_ann', 'people', 3), 'charged');
CALL t.swap();
SELECT is(left(t.ask(who, 'people', 1), 5), '42501', 'swapped: nobody has the other''s budget') FROM unnest('{lwa_ann,lwa_away}'::text[]) AS who;
CALL t.swap();
SELECT is(t.spent('lwa_ann', 'public.people') || ' ' || t.spent('lwa_away', 'public.people'), '3 1', 'and back: each has its own again');
SELECT is(t.ask('lwa_ann', 'people', 2), 'charged');
SELECT is(left(t.ask('lwa_ann', 'people', 0.5), 5), '53400');
CALL t.swap();
SELECT dp_noise.set_budget(who::regrole, 'people', 5) FROM unnest('{lwa_ann,lwa_away}'::text[]) AS who;
SELECT is(t.spent('lwa_ann', 'public.people') || ' ' || t.spent('lwa_away', 'public.people'), '1 5', 'granted under the new names: each role keeps what it has spent');
SELECT is(t.total('public.people'), 26::numeric);
-- the worker is awake, and has seen the role under its old name
ALTER ROLE lwa_ann RENAME TO lwa_late;
SELECT is(left(t.ask('lwa_late', 'people', 1), 5), '42501', 'renamed while the worker is awake');
ALTER ROLE lwa_late RENAME TO lwa_ann;
DROP ROLE lwa_away;

-- a group: its budget pays for its members, and goes with its name
CREATE ROLE lwa_team ROLE lwa_bob;
CREATE ROLE lwa_other_team;
SELECT dp_noise.set_budget('lwa_team', 'people', 1, shared => true);
SELECT is(t.ask('lwa_bob', 'people', 1), 'charged');
ALTER ROLE lwa_team RENAME TO lwa_gone;
ALTER ROLE lwa_other_team RENAME TO lwa_team;
GRANT lwa_team TO lwa_bob;
SELECT is(left(t.ask('lwa_bob', 'people', 0.25), 5), '42501', 'a group that takes the name has not its budget');
SELECT dp_noise.set_budget('lwa_gone', 'people', 1, shared => true);
SELECT is(left(t.ask('lwa_bob', 'people', 0.25), 5), '53400', 'the group has spent what it has spent');
DROP ROLE lwa_gone, lwa_team;

-- a relation: dropped, made again, renamed away and made once more
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1, epsilon => 100), dp_noise.set_budget('lwa_bob', 'houses', 50);
SELECT is(t.ask('lwa_bob', 'houses', 1, 'q', answer => 'first'), 'charged');
DO $$
BEGIN
	FOR i IN 1 .. 5 LOOP
		ALTER TABLE houses RENAME TO huts;
		CREATE TABLE houses (id int);
		PERFORM dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
		DROP TABLE houses;
		CREATE TABLE houses (id int);
		PERFORM dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
		PERFORM dp_noise.set_budget('lwa_bob', 'houses', 50);
		DROP TABLE houses;
		ALTER TABLE huts RENAME TO houses;
		PERFORM dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
		PERFORM dp_noise.unprotect('houses');
		PERFORM dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
	END LOOP;
END
$$;
SELECT is(t.total('public.houses') || ' ' || t.spent('lwa_bob', 'public.houses'), '1 1', 'however often: all is where it was');
SELECT is(t.ask('lwa_bob', 'houses', 1, 'q'), 'replayed first', 'and what was asked was asked');
-- both names at once
ALTER TABLE houses RENAME TO huts;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
SELECT is(t.ask('lwa_bob', 'huts', 2), 'charged');
SELECT is(t.ask('lwa_bob', 'houses', 4), 'charged');
SELECT is(t.total('public.houses') || ' ' || t.spent('lwa_bob', 'public.houses'), '7 7', 'a table beside the one that had its name: the population pays for both');
DROP TABLE huts;
SELECT is(t.total('public.houses') || ' ' || t.spent('lwa_bob', 'public.houses'), '7 7');
DROP TABLE houses;
-- renamed first, and then dropped
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
ALTER TABLE houses RENAME TO huts;
DROP TABLE huts;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
SELECT is(t.total('public.houses') || ' ' || t.spent('lwa_bob', 'public.houses'), '7 7', 'dropped under another name');
-- both at once: another role, another table
DROP ROLE lwa_bob;
CREATE ROLE lwa_bob;
DROP TABLE houses;
CREATE TABLE houses (id int);
SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1), dp_noise.set_budget('lwa_bob', 'houses', 95);
SELECT is(t.ask('lwa_bob', 'houses', 94), '53400: insufficient privacy budget for "houses" | The query asks for epsilon 94; the population''s grant has 93 left.', 'role and relation');
-- a member cannot leave for a fresh population once something was spent
SELECT dp_noise.create_population('fresh', 100);
SELECT throws_ok($$SELECT dp_noise.protect('houses', population => 'fresh')$$, '55000');
SELECT throws_ok($$SELECT dp_noise.drop_population('houses')$$, '2BP01', NULL, 'nor is one dropped that has members');
SELECT throws_ok($$SELECT dp_noise.drop_population('public.houses')$$, '2BP01');
-- nor is a grant made smaller or greater by protecting
SELECT throws_ok($$SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1, epsilon => 1000)$$, '22023');
-- a name that no event trigger saw
ALTER EVENT TRIGGER dp_noise_on_rename DISABLE;
ALTER TABLE houses RENAME TO halls;
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
SELECT is(t.ask('lwa_bob', 'halls', 1), 'charged', 'a new name that no event trigger saw');
SELECT is(t.total('public.houses'), 8::numeric);
ALTER EVENT TRIGGER dp_noise_on_drop DISABLE;
DROP TABLE halls;
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
CREATE TABLE houses (id int);
SELECT is(left(t.ask('lwa_bob', 'houses', 1), 5), '55000', 'nor a drop');
SELECT dp_noise.protect('houses', 'id', max_rows_per_unit => 1);
SELECT is(t.ask('lwa_bob', 'houses', 1), 'charged');
SELECT is(t.total('public.houses'), 9::numeric);
SELECT is((SELECT members FROM dp_noise.populations WHERE population = 'public.houses'), '{houses}'::regclass[]);

-- by the owner of the schema, who is not the table's
CREATE SCHEMA shared AUTHORIZATION lwa_other;
GRANT ALL ON SCHEMA shared TO lwa_owner;
GRANT USAGE ON SCHEMA shared TO PUBLIC;
SELECT is(t.do('lwa_owner', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE shared.secret (id int)', 'SELECT dp_noise.protect(''shared.secret'', epsilon => 10)',
	'SELECT dp_noise.set_budget(''lwa_ann'', ''shared.secret'', 5)']) AS c;
SELECT is(t.ask('lwa_ann', 'shared.secret', 1, 'q', answer => 'told'), 'charged');
SELECT is(t.do('lwa_other', c), NULL, c) FROM unnest(ARRAY['ALTER SCHEMA shared RENAME TO hidden', 'DROP TABLE hidden.secret', 'ALTER SCHEMA hidden RENAME TO shared']) AS c;
-- a table of theirs in between is not let in, and learns nothing
SELECT is(t.do('lwa_other', 'CREATE TABLE shared.secret (id int)'), NULL);
SELECT is(left(t.do('lwa_other', c), 5), '42501', c) FROM unnest(ARRAY['SELECT dp_noise.protect(''shared.secret'')', 'SELECT dp_noise.protect(''shared.secret'', epsilon => 10)',
	'SELECT dp_noise.protect(''shared.secret'', population => ''shared.secret'')', 'SELECT dp_noise.forfeit(''shared.secret'', ''lwa_ann'', 1e13)',
	'SELECT dp_noise.set_budget(''lwa_ann'', ''shared.secret'', 9, period => ''1 second'')', 'SELECT dp_noise.alter_population(''shared.secret'', epsilon => 1)',
	'SELECT dp_noise.drop_population(''shared.secret'')', 'SELECT dp_noise.forget_answers(''shared.secret'', now())', 'SELECT dp_noise.allow_members(''shared.secret'', ''lwa_other'')']) AS c;
SELECT is(t.run('lwa_other', 'SELECT (SELECT count(*) FROM dp_noise.budgets) + (SELECT count(*) FROM dp_noise.ledger) + (SELECT count(*) FROM dp_noise.populations)'), '0', 'they see nothing of it');
SELECT is(t.do('lwa_other', c), NULL, c) FROM unnest(ARRAY['SELECT dp_noise.create_population(''theirs'', 10)', 'SELECT dp_noise.protect(''shared.secret'', population => ''theirs'')',
	'SELECT dp_noise.set_budget(''lwa_ann'', ''theirs'', 5)']) AS c;
SELECT is(t.ask('lwa_ann', 'shared.secret', 1, 'q', answer => 'another'), 'charged', 'a population of theirs');
SELECT is(t.total('shared.secret') || ' ' || t.total('theirs'), '1 1', 'has budgets and answers of its own');
SELECT is(t.do('lwa_other', 'DROP TABLE shared.secret'), NULL);
SELECT is(t.do('lwa_owner', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE shared.secret (id int)', 'SELECT dp_noise.protect(''shared.secret'')']) AS c;
SELECT is(t.spent('lwa_ann', 'shared.secret') || ' ' || t.total('shared.secret'), '1 1', 'what was spent is spent');
SELECT is(t.ask('lwa_ann', 'shared.secret', 1, 'q'), 'replayed told');
-- a name that somebody took before
SELECT is(t.do('lwa_other', 'SELECT dp_noise.create_population(''shared.plain'', 1)'), NULL);
SELECT is(t.do('lwa_owner', 'CREATE TABLE shared.plain (id int)'), NULL);
SELECT is(left(t.do('lwa_owner', 'SELECT dp_noise.protect(''shared.plain'', epsilon => 10)'), 5), '42501', 'is not joined');
SELECT is(t.do('lwa_owner', 'SELECT dp_noise.create_population(''mine'', 10)'), NULL);
SELECT is(t.do('lwa_owner', 'SELECT dp_noise.protect(''shared.plain'', population => ''mine'')'), NULL, 'and another can be chosen');

-- a new period begins without a refill; the grant has none
CREATE TABLE rooms (id int);
SELECT dp_noise.protect('rooms', 'id', max_rows_per_unit => 1, epsilon => 100), dp_noise.set_budget('lwa_ann', 'rooms', 50);
SELECT is(t.ask('lwa_ann', 'rooms', 3), 'charged');
SELECT dp_noise.set_budget('lwa_ann', 'rooms', 50, period => '1 day');
SELECT is(t.spent('lwa_ann', 'public.rooms'), 3::numeric, 'a period is set');
UPDATE dp_noise_ledger.spending AS s SET since = since - interval '25 hours' FROM dp_noise_ledger.budget AS b WHERE b.budget_id = s.budget_id AND b.period IS NOT NULL;
SELECT is(t.ask('lwa_ann', 'rooms', 4), 'charged');
SELECT is(t.spent('lwa_ann', 'public.rooms') || ' ' || t.total('public.rooms'), '4 7', 'what has refilled has, but not the grant');
DROP TABLE rooms;
CREATE TABLE rooms (id int);
SELECT dp_noise.protect('rooms', 'id', max_rows_per_unit => 1);
SELECT is(t.spent('lwa_ann', 'public.rooms') || ' ' || t.total('public.rooms'), '4 7');
SELECT dp_noise.drop_budget('lwa_ann', 'rooms');
SELECT dp_noise.set_budget('lwa_ann', 'rooms', 50);
SELECT is(t.spent('lwa_ann', 'public.rooms'), 4::numeric, 'dropped and granted again: nor does that refill');

-- what is protected and dropped a thousand times leaves nothing but its population
CREATE FUNCTION t.entries() RETURNS bigint LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM dp_noise_ledger.member) + (SELECT count(*) FROM dp_noise_ledger.budget) + (SELECT count(*) FROM dp_noise_ledger.spending)
		+ (SELECT count(*) FROM dp_noise_ledger.population) + (SELECT count(*) FROM dp_noise_ledger.column_bounds) + (SELECT count(*) FROM dp_noise_ledger.column_values)
$$;
SELECT dp_noise.create_population('many', 1);
SELECT t.entries() AS before \gset
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		CREATE TABLE many (id int);
		PERFORM dp_noise.protect('many', population => 'many');
		PERFORM dp_noise.set_bounds('many', 'id', 0, 1), dp_noise.set_values('many', 'id', '{1}'), dp_noise.set_levels('many', '{1,2}');
		DROP TABLE many;
	END LOOP;
END
$$;
SELECT is(t.entries(), :before::bigint, 'what is dropped leaves nothing');

SELECT * FROM finish();
SELECT dp_noise.unprotect(relation) FROM dp_noise.protected_relations;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP TABLE people, houses, rooms;
DROP SCHEMA shared CASCADE;
DROP OWNED BY lwa_owner, lwa_other;
DROP ROLE lwa_owner, lwa_other, lwa_ann, lwa_bob;
