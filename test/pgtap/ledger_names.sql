-- What is dropped, renamed or made again under the same name: spent budgets are
-- never freed, granted ones never inherited.
\ir support/ledger.sql
CREATE ROLE lna_owner;
CREATE ROLE lna_ann;
CREATE ROLE lna_bob;
CREATE ROLE lna_team;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT no_plan();
CREATE FUNCTION t.tell() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(coalesce(role, 'total') || ' ' || relation || ' ' || coalesce(epsilon::text, 'unlimited') || ' ' || epsilon_spent, ', ' ORDER BY relation::text, role), 'none') FROM dp_noise.budgets
$$;

-- a table dropped
SELECT dp_noise.set_budget('lna_ann', 'people', 1);
SELECT dp_noise.set_bounds('people', 'id', 0, 9);
SELECT is(t.ask('lna_ann', 'people', 0.6, 'q'), 'charged');
BEGIN;
DROP TABLE people;
ROLLBACK;
SELECT is(t.tell(), 'lna_ann people 1 0.6, total people unlimited 0.6', 'a drop rolled back is none');
DROP TABLE people;
SELECT is(t.tell(), 'none', 'dropped: no budget');
SELECT is((SELECT string_agg(role || ' ' || epsilon || ' ' || (relation IS NULL), ',') FROM dp_noise.ledger), 'lna_ann 0.6 true', 'the ledger remains, for superusers');
CREATE TABLE people (id int);
SELECT is(t.ask('lna_ann', 'people', 0.1), '55000: relation is not protected by dp_noise', 'a namesake is not protected');
SELECT dp_noise.protect('people');
SELECT is(t.ask('lna_ann', 'people', 0.1), '42501: role "lna_ann" has no privacy budget for "people"', 'protected, it has no budgets');
SELECT is(t.tell(), 'total people unlimited 0.6', 'but what was spent on its name');
SELECT dp_noise.set_budget('lna_ann', 'people', 1);
SELECT is(t.ask('lna_ann', 'people', 0.5),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.5; your budget has 0.4 left.', 'by everyone');
SELECT is(left(t.ask('lna_ann', 'people', 0.1, 'q'), 5), '53400', 'questions are still asked');

-- renamed, and a namesake
ALTER TABLE people RENAME TO persons;
SELECT is(t.ask('lna_ann', 'persons', 0.1), 'charged', 'a renamed table keeps its budgets');
SELECT is((SELECT relation_name::text FROM dp_noise_ledger.relation_entry WHERE is_protected), 'persons', 'its new name is known at once');
CREATE TABLE people (id int);
SELECT is(t.ask('lna_ann', 'people', 0.1), '55000: relation is not protected by dp_noise', 'who takes the old name has none of them');
SELECT dp_noise.protect('people');
SELECT is(t.tell(), 'total people unlimited 0.6, lna_ann persons 1 0.7, total persons unlimited 0.7', 'and is another relation, but for what was spent on the one that was dropped');
CREATE SCHEMA archive;
GRANT USAGE ON SCHEMA archive TO PUBLIC;
ALTER TABLE persons SET SCHEMA archive;
SELECT is(t.ask('lna_ann', 'archive.persons', 0.1), 'charged', 'moved to another schema');
ALTER SCHEMA archive RENAME TO attic;
SELECT is((SELECT schema_name::text FROM dp_noise_ledger.relation_entry WHERE relation_name = 'persons'), 'attic', 'the schema renamed');
SELECT is(t.ask('lna_ann', 'attic.persons', 0.1), 'charged');
DROP SCHEMA attic CASCADE;
SELECT is(t.tell(), 'total people unlimited 0.6', 'DROP SCHEMA CASCADE');
CREATE SCHEMA attic;
CREATE TABLE attic.persons (id int);
SELECT dp_noise.protect('attic.persons', epsilon => 1e6, delta => 1);
SELECT is(t.tell(), 'total attic.persons unlimited 0.9, total people unlimited 0.6', 'spent under that name');

-- DROP OWNED
ALTER TABLE people OWNER TO lna_owner;
SELECT is(t.tell(), 'total attic.persons unlimited 0.9, total people unlimited 0.9', 'and under its earlier ones');
SELECT dp_noise.set_budget('lna_ann', 'people', 2);
SELECT is(t.ask('lna_ann', 'people', 0.25), 'charged');
DROP OWNED BY lna_owner;
SELECT is(t.tell(), 'total attic.persons unlimited 0.9', 'DROP OWNED');
CREATE TABLE people (id int);
SELECT dp_noise.protect('people');
SELECT is(t.tell(), 'total attic.persons unlimited 0.9, total people unlimited 1.15');
-- dropped and made again in one transaction, with triggers off
SELECT dp_noise.set_budget('lna_ann', 'people', 1);
ALTER EVENT TRIGGER dp_noise_on_drop DISABLE;
BEGIN;
DROP TABLE people;
CREATE TABLE people (id int);
COMMIT;
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
SELECT is(t.ask('lna_ann', 'people', 0.1), '55000: relation is not protected by dp_noise', 'event triggers off: no namesake inherits either');
SELECT dp_noise.protect('people');
SELECT is(t.tell(), 'total attic.persons unlimited 0.9, total people unlimited 1.15');
-- the type of a typed table
CREATE TYPE shape AS (id int);
CREATE TABLE typed OF shape;
SELECT dp_noise.protect('typed', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('lna_ann', 'typed', 1);
SELECT is(t.ask('lna_ann', 'typed', 0.5), 'charged');
DROP TYPE shape CASCADE;
CREATE TABLE typed (id int);
SELECT is(t.ask('lna_ann', 'typed', 0.1), '55000: relation is not protected by dp_noise', 'a table that went with its type');
DROP TABLE typed;

-- a role dropped
SELECT dp_noise.set_budget('lna_bob', 'people', 1);
SELECT is(t.ask('lna_bob', 'people', 0.75), 'charged');
DROP ROLE lna_bob;
CREATE ROLE lna_bob;
SELECT is(t.run('lna_bob', 'SELECT count(*) FROM dp_budget'), '0', 'a namesake of a dropped role sees no budget');
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'and has none');
SELECT dp_noise.set_budget('lna_bob', 'people', 1);
SELECT is(t.ask('lna_bob', 'people', 0.5),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.5; your budget has 0.25 left.', 'what its name has spent is spent');
-- renamed, and a namesake
ALTER ROLE lna_bob RENAME TO lna_bert;
SELECT is(t.run('lna_bert', 'SELECT trim_scale(remaining) FROM dp_budget'), '0.25', 'a renamed role keeps its budget');
SELECT is((SELECT string_agg(role, ',' ORDER BY role) FROM dp_noise.budgets WHERE role IS NOT NULL), 'lna_bert', 'and is shown as such');
CREATE ROLE lna_bob;
SELECT is(t.ask('lna_bob', 'people', 0.1), '42501: role "lna_bob" has no privacy budget for "people"', 'who takes its name does not get it');
SELECT is(t.ask('lna_bert', 'people', 0.25), 'charged');
SELECT is(left(t.ask('lna_bert', 'people', 0.01), 5), '53400');
DROP ROLE lna_bob;
ALTER ROLE lna_bert RENAME TO lna_bob;
SELECT is(left(t.ask('lna_bob', 'people', 0.01), 5), '53400', 'renamed back');
-- a group dropped
GRANT lna_team TO lna_owner;
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('lna_team', 'people', 1, shared => true);
SELECT is(t.ask('lna_owner', 'people', 0.75), 'charged');
DROP ROLE lna_team;
CREATE ROLE lna_team ROLE lna_owner;
SELECT is(t.ask('lna_owner', 'people', 0.1), '42501: role "lna_owner" has no privacy budget for "people"', 'a group''s namesake has no shared budget');
SELECT dp_noise.set_budget('lna_team', 'people', 1, shared => true);
SELECT is(t.ask('lna_owner', 'people', 0.5),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.5; a shared budget has 0.25 left.', 'but what was spent');

-- as after a restore: no identities yet, names only, of what was there
CREATE FUNCTION t.restore() RETURNS void LANGUAGE sql AS $$
	DELETE FROM dp_noise_ledger.entry_dumped AS d WHERE NOT EXISTS (
		SELECT FROM dp_noise_ledger.current_identity AS c WHERE c.class = d.class AND c.id = d.id);
	DELETE FROM dp_noise_ledger.identity;
$$;
SELECT t.restore();
SELECT is((SELECT count(*) FROM dp_noise.budgets WHERE population = 'public.people'), 3::bigint, 'restored: the views find names');
SELECT is(t.run('lna_owner', 'SELECT trim_scale(remaining) FROM dp_budget'), '0.25');
SELECT is(t.ask('lna_owner', 'people', 0.25), 'charged', 'and so do charges');
SELECT dp_noise.set_budget('lna_owner', 'people', 5);
SELECT t.restore();
DROP TABLE people;
CREATE TABLE people (id int);
SELECT is(t.ask('lna_owner', 'people', 0.1), '53400: insufficient privacy budget for "people" | The query asks for epsilon 0.1; a shared budget has 0 left.', 'restored, then dropped before anybody asked: the next table of the owner is the dump''s');
SELECT is((SELECT count(*) FROM dp_noise.budgets WHERE population = 'public.people'), 4::bigint);

-- the extension dropped and created again
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SELECT ok(to_regnamespace('dp_noise') IS NULL, 'nothing of it is left');
DROP TABLE people;
CREATE EXTENSION dp_noise;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people');
SELECT dp_noise.set_budget('lna_ann', 'people', 1);
SELECT is(t.ask('lna_ann', 'people', 0.5), 'charged', 'the worker goes on with the new extension');
SELECT is(t.tell(), 'lna_ann people 1 0.5, total people unlimited 0.5');
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
