-- Populations that others prepare, name or spend: what is given to an owner unasked,
-- names that are another's, views that lend what is not theirs, and answers about
-- rows that only one of two askers may see.
\ir support/ledger.sql
CREATE ROLE pat_owner;
CREATE ROLE pat_mallory;
CREATE ROLE pat_ann;
CREATE ROLE pat_bob;
CREATE ROLE pat_both ROLE pat_ann, pat_bob;
CREATE ROLE pat_heir ROLE pat_owner;
SET ROLE pat_owner;
CREATE TABLE patients (person_id int PRIMARY KEY, age int);
INSERT INTO patients SELECT i, i % 90 FROM generate_series(1, 1000) AS i;
CREATE TABLE lab (person_id int PRIMARY KEY, value int);
SELECT dp_noise.create_population('clinic', 1000), dp_noise.protect('patients', 'person_id', population => 'clinic');
SET ROLE pat_mallory;
CREATE TABLE own (person_id int PRIMARY KEY, x int);
INSERT INTO own SELECT i, i FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('own', 'person_id', epsilon => 1e6);
RESET ROLE;
SELECT no_plan();
CREATE FUNCTION t.population_of(member regclass) RETURNS text LANGUAGE sql AS $$
	SELECT population FROM dp_noise.protected_relations WHERE relation = member
$$;
CREATE FUNCTION t.budgets(of name) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(population, ', ' ORDER BY population), 'none') FROM dp_noise.budgets WHERE role = of
$$;

------------------------------------------------------------------------------
-- Gifts: a population with the name that a table will have, and budgets in it

SELECT is(t.run('pat_mallory', 'SELECT dp_noise.create_population(''public.lab'', 1e6), dp_noise.set_budget(''pat_mallory'', ''public.lab'', 1e6)'), '', 'prepared');
SELECT alike(t.run('pat_mallory', 'SELECT dp_noise.alter_population(''public.lab'', owner => ''pat_owner'')'), '42501: must be % "pat_owner"', 'is not given to whom it is meant for');
SELECT alike(t.run('pat_mallory', 'SELECT dp_noise.alter_population(''public.lab'', owner => ''postgres'')'), '42501: must be % "postgres"', 'nor to a superuser');
SELECT alike(t.run('pat_owner', 'SELECT dp_noise.protect(''lab'', ''person_id'')'), '42501: population "public.lab" belongs to another role%', 'so it is not found as one''s own');
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.drop_population(''public.lab'')'), '');
SELECT is(t.run('pat_owner', 'SELECT dp_noise.alter_population(''clinic'', owner => ''pat_heir'')'), '', 'to a role of one''s own it is');
SELECT is(t.run('pat_owner', 'SELECT dp_noise.alter_population(''clinic'', owner => ''pat_owner'')'), '', 'and back');
SELECT alike(t.run('pat_owner', 'SELECT dp_noise.alter_population(''clinic'', owner => 4294967294::oid::regrole)'), '42704: %', 'not to one that is not there');

-- A name that an owner may mean, in which the owner's tables may be, unasked: whoever
-- joins a population of another owner is told so, once.
\setenv PGDATABASE :DBNAME
\setenv PGOPTIONS '-c client_min_messages=notice'
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.create_population(''ward'', 1e6), dp_noise.allow_members(''ward'', ''pat_owner''), dp_noise.set_budget(''pat_mallory'', ''ward'', 1e6)'), '', 'prepared');
\set lab 'SELECT dp_noise.protect(''lab'', ''person_id'', population => ''ward'')'
\setenv LAB :lab
\set joined `psql -XqAt -c 'SET ROLE pat_owner' -c "$LAB" 2>&1`
SELECT is(rtrim(:'joined', E'\n'), E'NOTICE:  relation lab is now in population "ward" of another owner\n'
	'DETAIL:  Role pat_mallory grants the budgets to ask about it, and asks without one.\nHINT:  If that is not meant, end it with dp_noise.unprotect().', 'who joins the population of another owner is told');
\set again `psql -XqAt -c 'SET ROLE pat_owner' -c "$LAB" 2>&1`
SELECT is(:'again'::text, '', 'not again for other settings');
\set own `psql -XqAt -c 'SET ROLE pat_owner' -c "SELECT dp_noise.protect('lab', 'person_id', population => 'clinic')" 2>&1`
SELECT is(:'own'::text, '', 'nor in a population of one''s own');
\set moved `psql -XqAt -c "$LAB" 2>&1`
\setenv PGOPTIONS
SELECT alike(:'moved'::text, 'NOTICE:  relation lab is now in population "ward" of another owner%', 'but where a superuser moves it, too');
SELECT is(t.run('pat_owner', 'SELECT dp_noise.unprotect(''lab'')'), '');
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.drop_population(''ward'')'), '');

------------------------------------------------------------------------------
-- Names: a population called like a relation of another one

SELECT is(t.run('pat_mallory', 'SELECT dp_noise.create_population(''patients'', 1000), dp_noise.create_population(''public.patients'', 1000)'), '', 'called like another''s table');
SELECT is(t.run('postgres', c), '42P09: "' || n || '" names a population, and a relation in population "clinic" of another owner', c)
FROM unnest('{patients,public.patients}'::text[]) AS n, LATERAL unnest(ARRAY[
	format('SELECT dp_noise.set_budget(''pat_ann'', %L, 5)', n), format('SELECT dp_noise.alter_population(%L, epsilon => 1)', n),
	format('SELECT dp_noise.forget_answers(%L, now())', n), format('SELECT * FROM dp_noise.script(%L)', n)]) AS c;
SELECT is(t.budgets('pat_ann'), 'none', 'a superuser''s grant does not go there');
SELECT is(t.run('pat_owner', 'SELECT dp_noise.set_budget(''pat_ann'', ''patients'', 5)'), '', 'the owner of the table means that of the table');
SELECT is(t.budgets('pat_ann'), 'clinic');
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.set_budget(''pat_bob'', ''patients'', 5)'), '', 'and the owner of the other one that');
SELECT is(t.budgets('pat_bob'), 'patients');
SELECT is(t.run('postgres', 'SELECT dp_noise.set_budget(''pat_bob'', ''clinic'', 5), dp_noise.drop_budget(''pat_bob'', ''clinic'')'), '', 'an exact name is enough');
CREATE FUNCTION t.run_elsewhere(who text, command text) RETURNS text LANGUAGE sql SET search_path = t AS 'SELECT t.run(who, command)';
SELECT is(t.run_elsewhere('postgres', 'SELECT dp_noise.set_budget(''pat_bob'', ''patients'', 6)'), '', 'so is one that is no visible relation''s');

SELECT is(t.run('postgres', 'SELECT dp_noise.forget_answers(now())'), '', 'and what is done to all needs no names');

-- the same where a table is protected
SELECT is(t.run('pat_owner', 'SELECT dp_noise.protect(''lab'', ''person_id'', population => ''patients'')'), '', 'a table''s name');
SELECT is(t.population_of('lab'), 'clinic', 'is not that of a population in which one may have no tables');
SELECT is(t.run('pat_owner', 'SELECT dp_noise.unprotect(''lab'')'), '');
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.allow_members(''patients'', ''pat_owner'')'), '', 'nor where that is allowed, unasked');
SELECT is(t.run('pat_owner', 'SELECT dp_noise.protect(''lab'', ''person_id'', population => ''patients'')'), '42P09: "patients" names a population, and a relation in population "clinic" of another owner');
ALTER TABLE lab OWNER TO postgres;
SELECT is(t.run('postgres', 'SELECT dp_noise.protect(''lab'', ''person_id'', population => ''patients'')'), '42P09: "patients" names a population, and a relation in population "clinic" of another owner', 'nor for superusers');
SELECT is(t.run('postgres', 'SELECT dp_noise.protect(''lab'', ''person_id'', population => ''clinic'')'), '', 'an exact name is enough');

-- where one owner has both, the population of the name is meant
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.create_population(''own'', 7), dp_noise.alter_population(''own'', epsilon => 8)'), '');
SELECT is((SELECT epsilon FROM dp_noise.populations WHERE population = 'own'), 8::numeric, 'one''s own names');

------------------------------------------------------------------------------
-- Views: a right to ask about one spends no grant of others beneath it

CREATE FUNCTION t.granted() RETURNS numeric LANGUAGE sql AS $$ SELECT epsilon_spent FROM dp_noise.populations WHERE population = 'clinic' $$;
SELECT is(t.run('pat_owner', 'SELECT dp_noise.allow_members(''clinic'', ''pat_mallory'')'), '', 'mallory may have tables in the clinic');
SET ROLE pat_mallory;
CREATE TABLE seen (person_id int PRIMARY KEY, x int);
SELECT dp_noise.protect('seen', 'person_id', population => 'clinic');
CREATE VIEW lends AS SELECT o.person_id, o.x FROM own AS o JOIN seen AS s USING (person_id);
CREATE VIEW turns AS SELECT person_id, x FROM own;
SELECT dp_noise.protect('turns', 'person_id');
RESET ROLE;
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.protect(''lends'', NULL, max_rows_per_unit => 1, population => ''public.own'')'), '42501: view public.lends reads relations in a population of another role', 'a view in one''s own population');
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.set_budget(''pat_ann'', ''public.own'', 1000)'), '');
SET dp_noise.epsilon = 5;
SELECT is(t.run('pat_ann', 'SELECT abs(dp_count(*) - 1000) < 60 FROM turns'), 'true', 'one that reads only one''s own');
SET ROLE pat_mallory;
CREATE OR REPLACE VIEW turns AS SELECT o.person_id, o.x FROM own AS o WHERE EXISTS (SELECT FROM seen AS s WHERE s.person_id = o.person_id);
RESET ROLE;
SELECT alike(t.run('pat_ann', 'SELECT dp_count(*) FROM turns'), '42501: a protected view cannot read "seen", which is in a population of another role%', 'made to read more, it answers nothing');
SELECT is(t.granted(), 0::numeric, 'and nothing spent');
SELECT is(t.run('pat_mallory', 'SELECT dp_noise.protect(''lends'', NULL, max_rows_per_unit => 1, population => ''clinic'')'), '', 'in the population of the other owner');
SELECT is(t.run('pat_ann', 'SELECT abs(dp_count(*)) < 60 FROM lends'), 'true', 'that owner''s budget is the right, and the view''s owner lends the other population');
SELECT is(t.granted(), 5::numeric, 'it pays');

------------------------------------------------------------------------------
-- Rows that are for one user only, asked about by two who act as one role

SET ROLE pat_owner;
CREATE TABLE cases (person_id int, keeper name);
INSERT INTO cases SELECT i, CASE WHEN i % 4 = 0 THEN 'pat_ann' ELSE 'pat_bob' END FROM generate_series(1, 1000) AS i;
ALTER TABLE cases ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_keeper ON cases USING (keeper = session_user);
GRANT SELECT ON cases TO PUBLIC;
SELECT dp_noise.set_budget(role, 'clinic', 100) FROM unnest('{pat_ann,pat_bob}'::regrole[]) AS role;
RESET ROLE;
CREATE FUNCTION t.counted(who text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	result numeric;
BEGIN
	PERFORM set_config('session_authorization', who, false), set_config('role', 'pat_both', false);
	EXECUTE 'SELECT dp_count(*) FROM patients JOIN cases USING (person_id)' INTO result;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
SELECT ok(abs(t.counted('pat_ann') - 250) < 60, 'each is told');
SELECT ok(abs(t.counted('pat_bob') - 750) < 60, 'of the own rows');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY pat_owner, pat_mallory CASCADE;
DROP TABLE lab;
DROP ROLE pat_owner, pat_mallory, pat_ann, pat_bob, pat_both, pat_heir;
