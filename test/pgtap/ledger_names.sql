-- What is dropped, renamed or made again under the same name: a table that comes
-- back returns to its population, where everything is still spent; a role that
-- comes back is somebody new, with no budget; and nothing follows a name.
\ir support/ledger.sql
CREATE ROLE lna_owner;
CREATE ROLE lna_ann;
CREATE ROLE lna_bob;
CREATE ROLE lna_team;
CREATE TABLE people (id int, age int);
SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1, epsilon => 10);
SELECT no_plan();
-- Budgets and grants, by population.
CREATE FUNCTION t.tell() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', population, coalesce(role, 'all'), trim_scale(epsilon), trim_scale(epsilon_spent)), ', ' ORDER BY population, role), 'none') FROM dp_noise.budgets
$$;
CREATE FUNCTION t.members() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', population, coalesce(members, '{}')), ', ' ORDER BY population), 'none') FROM dp_noise.populations
$$;
CREATE FUNCTION t.named() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws('.', schema_name, relation_name), ', ' ORDER BY member_id) FROM dp_noise_ledger.member
$$;

-- a table dropped
SELECT dp_noise.set_budget('lna_ann', 'people', 1);
SELECT dp_noise.set_bounds('people', 'age', 0, 9);
SELECT is(t.ask('lna_ann', 'people', 0.5, 'q', answer => 'first'), 'charged');
BEGIN;
DROP TABLE people;
ROLLBACK;
SELECT is(t.members(), 'public.people {people}', 'a drop rolled back is none');
DROP TABLE people;
SELECT is(t.members(), 'public.people {}', 'dropped: the population stays');
SELECT is(t.tell(), 'public.people lna_ann 1 0.5, public.people all 10 0.5', 'with what was granted and spent');
SELECT is((SELECT concat_ws(' ', role, trim_scale(epsilon), asked_about IS NULL) FROM dp_noise.ledger), 'lna_ann 0.5 t', 'and its ledger');
SELECT is((SELECT count(*) FROM dp_noise_ledger.column_bounds), 0::bigint, 'what was declared of the table is gone');
SELECT is(t.ask('lna_ann', 'people', 0.1), '42P01: relation "people" does not exist');
CREATE TABLE people (id int, age int);
SELECT is(t.ask('lna_ann', 'people', 0.1), '55000: relation is not protected by dp_noise', 'one of its name is not protected');
SELECT throws_ok($$SELECT dp_noise.protect('people', epsilon => 100)$$, '22023', NULL, 'nor does it bring another grant');
SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1);
SELECT is(t.members(), 'public.people {people}', 'it joins the population');
SELECT is(t.ask('lna_ann', 'people', 0.6),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.6; your budget has 0.5 left.', 'where everything is still spent');
SELECT is(t.ask('lna_ann', 'people', 0.5, 'q'), 'replayed first', 'and questions are still asked');
SELECT is((SELECT count(*) FROM dp_noise_ledger.column_bounds), 0::bigint, 'with no bounds');

-- renamed, and a table under its old name
ALTER TABLE people RENAME TO persons;
SELECT is(t.ask('lna_ann', 'persons', 0.1), 'charged', 'a renamed table is the same member');
SELECT is(t.named(), 'public.persons', 'its new name is known at once');
CREATE TABLE people (id int, age int);
SELECT is(t.ask('lna_ann', 'people', 0.1), '55000: relation is not protected by dp_noise', 'who takes the old name is not');
SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1);
SELECT is(t.members(), 'public.people {persons,people}', 'protected, it is in the population of its name, too');
SELECT is(t.ask('lna_ann', 'people', 0.1), 'charged');
SELECT is(t.tell(), 'public.people lna_ann 1 0.7, public.people all 10 0.7', 'which pays for both');
CREATE SCHEMA archive;
GRANT USAGE ON SCHEMA archive TO PUBLIC;
ALTER TABLE persons SET SCHEMA archive;
SELECT is(t.ask('lna_ann', 'archive.persons', 0.05), 'charged', 'moved to another schema');
ALTER SCHEMA archive RENAME TO attic;
SELECT is(t.named(), 'attic.persons, public.people', 'the schema renamed');
SELECT is(t.ask('lna_ann', 'attic.persons', 0.05), 'charged');
DROP SCHEMA attic CASCADE;
SELECT is(t.members(), 'public.people {people}', 'DROP SCHEMA CASCADE');
CREATE SCHEMA attic;
CREATE TABLE attic.persons (id int);
SELECT throws_ok($$SELECT dp_noise.protect('attic.persons')$$, '22004', NULL, 'a name that a member had belongs to no population');
SELECT dp_noise.protect('attic.persons', 'id', max_rows_per_unit => 1, population => 'public.people');
SELECT is(t.tell(), 'public.people lna_ann 1 0.8, public.people all 10 0.8');
DROP SCHEMA attic CASCADE;

-- DROP OWNED, event triggers off, a typed table
ALTER TABLE people OWNER TO lna_owner;
SELECT dp_noise.alter_population('people', owner => 'lna_owner');
DROP OWNED BY lna_owner;
SELECT is(t.members(), 'public.people {}', 'DROP OWNED');
CREATE TABLE people (id int, age int);
SELECT throws_ok($$SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1)$$, '42501', NULL, 'a table of another owner is not let in by its name');
ALTER TABLE people OWNER TO lna_owner;
SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1);
ALTER EVENT TRIGGER dp_noise_on_drop DISABLE;
BEGIN;
DROP TABLE people;
CREATE TABLE people (id int, age int);
ALTER TABLE people OWNER TO lna_owner;
COMMIT;
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
SELECT is(t.ask('lna_ann', 'people', 0.1), '55000: relation is not protected by dp_noise', 'event triggers off: nobody inherits either');
SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1);
SELECT is(t.members(), 'public.people {people}');
SELECT is(t.tell(), 'public.people lna_ann 1 0.8, public.people all 10 0.8');
CREATE TYPE shape AS (id int);
CREATE TABLE typed OF shape;
SELECT dp_noise.protect('typed', epsilon => 1);
SELECT dp_noise.set_budget('lna_ann', 'typed', 1);
SELECT is(t.ask('lna_ann', 'typed', 0.5), 'charged');
DROP TYPE shape CASCADE;
CREATE TABLE typed (id int);
SELECT is(t.ask('lna_ann', 'typed', 0.1), '55000: relation is not protected by dp_noise', 'a table that went with its type');
DROP TABLE typed;
SELECT dp_noise.drop_population('public.typed');
SELECT is(t.tell(), 'public.people lna_ann 1 0.8, public.people all 10 0.8', 'a population that is dropped is not shown');
SELECT is((SELECT sum(epsilon) FROM dp_noise.ledger), 1.3, 'but what was charged stays in the ledger');
CREATE TABLE typed (id int);
SELECT dp_noise.protect('typed', epsilon => 1);
SELECT is((SELECT concat_ws(' ', epsilon_spent, members) FROM dp_noise.populations WHERE population = 'public.typed'), '0 {typed}', 'one of its name is another');
SELECT is((SELECT count(DISTINCT population_id) FROM dp_noise_ledger.population WHERE name = 'public.typed'), 2::bigint, 'with a number of its own');
SELECT is(t.ask('lna_ann', 'typed', 0.1), '42501: role "lna_ann" has no privacy budget for "typed"', 'and no budgets');
DROP TABLE typed;

-- a role dropped
SELECT dp_noise.set_budget('lna_bob', 'people', 1);
SELECT is(t.ask('lna_bob', 'people', 0.75, 'q', answer => 'bob'), 'charged');
DROP ROLE lna_bob;
SELECT is(t.tell(), 'public.people lna_ann 1 0.8, public.people all 10 1.55, public.typed all 1 0', 'its budget ends, and what it spent stays spent of the grant');
CREATE ROLE lna_bob;
SELECT is(t.run('lna_bob', 'SELECT count(*) FROM dp_budget'), '0', 'one of its name sees no budget');
SELECT is(t.run('lna_bob', 'SELECT count(*) FROM dp_history'), '0', 'nor what the other asked');
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'and has none');
SELECT dp_noise.set_budget('lna_bob', 'people', 1);
SELECT is(t.run('lna_bob', 'SELECT trim_scale(remaining) FROM dp_budget'), '1', 'given one, it is somebody new');
SELECT is(t.ask('lna_bob', 'people', 0.5), 'charged');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.populations WHERE population = 'public.people'), 2.05, 'while the grant counts on');
SELECT is((SELECT string_agg(trim_scale(epsilon)::text, ' ' ORDER BY at) FROM dp_noise.ledger WHERE role = 'lna_bob'), '0.75 0.5', 'the ledger has the names that there were');
-- renamed: the budget is the role's and the name's together
ALTER ROLE lna_bob RENAME TO lna_bert;
SELECT is(t.ask('lna_bert', 'people', 0.1), '42501: role "lna_bert" has no privacy budget for "people"', 'a renamed role has no budget');
SELECT is(t.run('lna_bert', 'SELECT count(*) FROM dp_budget'), '0');
SELECT is((SELECT string_agg(role, ',' ORDER BY role) FROM dp_noise.budgets WHERE role LIKE 'lna\_b%'), NULL, 'nor is it shown');
SELECT isnt((SELECT count(*) FROM dp_noise.check() AS c WHERE c::text ~ 'lna_bob'), 0::bigint, 'check() names it');
CREATE ROLE lna_bob;
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'who takes its name does not get it');
SELECT dp_noise.set_budget('lna_bert', 'people', 1);
SELECT is(t.run('lna_bert', 'SELECT trim_scale(remaining) FROM dp_budget'), '0.5', 'the owner gives it back under the new name, with what is spent');
SELECT is(left(t.ask('lna_bert', 'people', 0.6), 5), '53400');
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"');
DROP ROLE lna_bob;
ALTER ROLE lna_bert RENAME TO lna_bob;
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'renamed once more');
SELECT dp_noise.set_budget('lna_bob', 'people', 1);
SELECT is(t.run('lna_bob', 'SELECT trim_scale(remaining) FROM dp_budget'), '0.5');
-- a group dropped
GRANT lna_team TO lna_bob;
SELECT dp_noise.drop_budget('lna_bob', 'people');
SELECT dp_noise.set_budget('lna_team', 'people', 1, shared => true);
SELECT is(t.ask('lna_bob', 'people', 0.75), 'charged');
DROP ROLE lna_team;
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'a group''s budget ends with it');
CREATE ROLE lna_team ROLE lna_bob;
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'and is not that of a group of its name');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.populations WHERE population = 'public.people'), 2.8, 'what was spent is spent');

-- the extension dropped and created again
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SELECT ok(to_regnamespace('dp_noise') IS NULL, 'nothing of it is left');
DROP TABLE people;
CREATE EXTENSION dp_noise;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people', epsilon => 10);
SELECT dp_noise.set_budget('lna_ann', 'people', 1);
SELECT is(t.ask('lna_ann', 'people', 0.5), 'charged', 'the worker goes on with the new extension');
SELECT is(t.tell(), 'public.people lna_ann 1 0.5, public.people all 10 0.5');
BEGIN;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
CREATE EXTENSION dp_noise;
COMMIT;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
SELECT is(t.ask('lna_ann', 'people', 0.5), '55000: relation is not protected by dp_noise', 'and once more, in one transaction');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lna_owner, lna_ann CASCADE;
DROP ROLE lna_owner, lna_ann, lna_bob, lna_team;
