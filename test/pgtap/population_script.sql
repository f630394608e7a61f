-- A policy as a script: it makes the same policy again, in a database without
-- one, whatever the names are.
\ir support/ledger.sql
CREATE ROLE psc_owner;
CREATE ROLE "psc ""Other'\";
CREATE ROLE psc_ann;
CREATE ROLE "psc team";
CREATE ROLE psc_gone;
CREATE SCHEMA "Clinic's";
GRANT USAGE, CREATE ON SCHEMA "Clinic's" TO psc_owner, "psc ""Other'\";
GRANT USAGE ON SCHEMA "Clinic's" TO psc_ann;
SET ROLE psc_owner;
CREATE TABLE "Clinic's".patients (patient_id int PRIMARY KEY, age numeric, "born ""on""" date, seen timestamptz, took interval, region text, smoker boolean);
CREATE TABLE "Clinic's".visits (visit_id int, "Kind" text, person_id int, PRIMARY KEY (visit_id, "Kind"));
CREATE TABLE "Clinic's".a_lab (visit int, kind text);
CREATE VIEW "Clinic's".z_south AS SELECT * FROM "Clinic's".patients WHERE region = 'south';
CREATE VIEW "Clinic's".a_young AS SELECT * FROM "Clinic's".z_south WHERE age < 18;
SET ROLE "psc ""Other'\";
CREATE TABLE "Clinic's"."back\slash" (person_id int);
SET ROLE psc_owner;
SELECT dp_noise.create_population('the "people"''s \ clinic', 3.5, 1e-5, accountant => 'zcdp', delta_pool => 4e-6, on_repeat => 'refuse', share_answers => false, answers_expire => '1 mon 2 days');
SELECT dp_noise.allow_members('the "people"''s \ clinic', '"psc ""Other''\"');
SELECT dp_noise.protect('"Clinic''s".patients', 'patient_id', 'substitute', population => 'the "people"''s \ clinic');
SELECT dp_noise.protect('"Clinic''s".visits', 'person_id', 'substitute', 8, 3, min_people_per_group => 7, population => 'the "people"''s \ clinic');
SELECT dp_noise.protect('"Clinic''s".a_lab', '"kind", visit -> visits ("Kind", visit_id)', 'substitute', 20);
SELECT dp_noise.protect('"Clinic''s".z_south', 'patient_id', 'substitute');
SELECT dp_noise.protect('"Clinic''s".a_young', 'patient_id', 'substitute', population => 'the "people"''s \ clinic');
SET timezone = 'Asia/Tokyo';
SET datestyle = 'SQL, DMY';
SELECT dp_noise.set_bounds('"Clinic''s".patients', 'age', -0.5, 120);
SELECT dp_noise.set_bounds('"Clinic''s".patients', 'born "on"', '1900-02-01'::date, '2025-12-31'::date);
SELECT dp_noise.set_bounds('"Clinic''s".patients', 'seen', '2000-01-02 03:04:05.678901+09'::timestamptz, '2026-01-01 00:00+00'::timestamptz);
SELECT dp_noise.set_bounds('"Clinic''s".patients', 'took', '0'::interval, '40 days 03:00:00.5'::interval);
SELECT dp_noise.set_bounds('"Clinic''s".z_south', 'age', 0, 100);
SELECT dp_noise.set_values('"Clinic''s".patients', 'region', ARRAY['south', 'it''s "far", {away}\', '']);
SELECT dp_noise.set_levels('"Clinic''s".patients', '{0.5,0.1}');
SELECT dp_noise.set_budget('psc_ann', '"Clinic''s".patients', 1.25, 1e-6, max_epsilon_per_query => 0.5, period => '30 days', min_epsilon_per_query => NULL, max_failures => NULL, relations => ARRAY['"Clinic''s".z_south', '"Clinic''s".a_young']);
SELECT dp_noise.set_budget('"psc team"', '"Clinic''s".patients', 2, 1e-6, shared => true, min_epsilon_per_query => 0.01, default_epsilon => 0.1, max_failures => 1);
SELECT dp_noise.set_budget('psc_gone', '"Clinic''s".patients', 1, 1e-6);
SET ROLE "psc ""Other'\";
SELECT dp_noise.protect('"Clinic''s"."back\slash"', 'person_id', 'substitute', 2, population => '"Clinic''s".patients');
RESET ROLE;
DROP ROLE psc_gone;
SELECT no_plan();

-- what there is, by names
CREATE FUNCTION t.policy() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT concat_ws('|', 'population', name, owner_name, accountant, on_repeat, share_answers, answers_expire) FROM dp_noise_ledger.population WHERE NOT is_dropped
	UNION ALL SELECT concat_ws('|', 'allowance', a.role_name, a.role) FROM dp_noise_ledger.allowance AS a
	UNION ALL SELECT concat_ws('|', 'member', m.schema_name, m.relation_name, m.unit, m.path_columns, t.relation_name, m.path_keys, m.neighbours, m.max_rows_per_unit, m.max_groups_per_unit, m.min_people_per_group, m.levels)
		FROM dp_noise_ledger.member AS m LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id
	UNION ALL SELECT concat_ws('|', 'bounds', m.relation_name, b.column_name, b.lower, b.upper, b.kind) FROM dp_noise_ledger.column_bounds AS b JOIN dp_noise_ledger.member AS m USING (member_id)
	UNION ALL SELECT concat_ws('|', 'values', m.relation_name, v.column_name, v.column_values) FROM dp_noise_ledger.column_values AS v JOIN dp_noise_ledger.member AS m USING (member_id)
	UNION ALL SELECT concat_ws('|', 'budget', b.role_name, b.is_active, b.shared, b.epsilon, b.delta, b.rho, b.delta_pool, b.max_epsilon_per_query, coalesce(b.min_epsilon_per_query::text, 'null'), b.default_epsilon, b.period, coalesce(b.max_failures::text, 'null'),
			(SELECT string_agg(m.relation_name, ',' ORDER BY m.relation_name) FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (b.relations)))
		FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.population AS p USING (population_id) WHERE NOT p.is_dropped AND b.role_name IS DISTINCT FROM 'psc_gone'
$$;
CREATE TABLE t.before AS SELECT t.policy() AS line;
SELECT is((SELECT count(*) FROM t.before), 17::bigint, 'a policy of many parts');

SELECT is(left(t.run('psc_ann', $$SELECT count(*) FROM dp_noise.script(E'the "people"''s \\ clinic')$$), 5), '42501', 'not for those who ask');
SET ROLE psc_owner;
CREATE TEMP TABLE written AS SELECT number, line FROM dp_noise.script('"Clinic''s".patients') WITH ORDINALITY AS s (line, number);
RESET ROLE;
SELECT is((SELECT line FROM written WHERE number = 2),
	$$SELECT dp_noise.create_population(E'the "people"''s \\ clinic', epsilon => 3.5, delta => 0.00001, accountant => 'zcdp', delta_pool => 0.000004, on_repeat => 'refuse', share_answers => false, answers_expire => '1 mon 2 days');$$, 'the first call');
SELECT set_eq($$SELECT substring(line FROM 'dp_noise.(\w+)') FROM written WHERE line ~ '^SELECT'$$, '{create_population,alter_population,allow_members,protect,set_bounds,set_values,set_levels,set_budget}'::text[], 'what it calls');
SELECT results_eq('SELECT line FROM written WHERE line !~ ''^SELECT'' OR number IN (1, (SELECT max(number) FROM written)) ORDER BY number', ARRAY['BEGIN ISOLATION LEVEL READ COMMITTED;', 'COMMIT;'], 'in one transaction');
SELECT results_eq('SELECT line FROM dp_noise.script(E''the "people"''''s \\ clinic'') AS line', 'SELECT line FROM written ORDER BY number', 'by its own name, and for superusers');

-- Made anew, under other settings.
SELECT dp_noise.unprotect(m.relation) FROM dp_noise_ledger.member AS m ORDER BY m.member_id DESC;
SELECT dp_noise.drop_population(name) FROM dp_noise_ledger.population;
SELECT is_empty('SELECT * FROM t.policy() AS p WHERE p !~ ''^budget''', 'all of it is gone');
RESET timezone;
RESET datestyle;
-- A role is missing: nothing of it remains.
ALTER ROLE psc_ann RENAME TO psc_away;
\set ON_ERROR_STOP 0
\set ON_ERROR_ROLLBACK 0
\o /dev/null
SELECT line FROM written ORDER BY number \gexec
\o
\set ON_ERROR_STOP 1
SELECT is_empty('SELECT * FROM t.policy() AS p WHERE p !~ ''^budget''', 'a script that fails leaves nothing behind');
ALTER ROLE psc_away RENAME TO psc_ann;
SET default_transaction_isolation = 'repeatable read';
SET intervalstyle = 'sql_standard';
SELECT line FROM written ORDER BY number \gexec
RESET intervalstyle;
RESET default_transaction_isolation;
SELECT set_eq('SELECT t.policy()', 'SELECT line FROM t.before', 'and the script has made it anew');
SELECT results_eq('SELECT line FROM dp_noise.script(''"Clinic''''s".visits'') AS line', 'SELECT line FROM written ORDER BY number', 'which has the same script');

-- A budget for relations that are gone is one for none, not for all.
SELECT dp_noise.unprotect('"Clinic''s".a_young'), dp_noise.unprotect('"Clinic''s".z_south');
SELECT is((SELECT relations FROM dp_noise.budgets WHERE role = 'psc_ann'), '{}'::regclass[], 'dp_noise.budgets: for none');
SELECT is(t.run('psc_ann', 'SELECT relations FROM dp_budget'), '{}', 'dp_budget');
SELECT is(t.ask('psc_ann', '"Clinic''s".patients', 0.1), '42501: role "psc_ann" has no privacy budget for "patients"', 'nor does it permit any question');
DROP TABLE written;
CREATE TEMP TABLE written AS SELECT number, line FROM dp_noise.script('"Clinic''s".patients') WITH ORDINALITY AS s (line, number);
SELECT dp_noise.unprotect(m.relation) FROM dp_noise_ledger.member AS m ORDER BY m.member_id DESC;
SELECT is((SELECT members FROM dp_noise.populations), '{}'::regclass[], 'dp_noise.populations: no members');
SELECT is(dp_noise.disclosure(population) #>> path, '[]', path::text) FROM dp_noise.populations, (VALUES ('{dp_noise,relations}'::text[]), ('{dp_noise,mechanisms}')) AS v (path);
SELECT dp_noise.drop_population(name) FROM dp_noise_ledger.population WHERE NOT is_dropped;
SELECT line FROM written ORDER BY number \gexec
SELECT results_eq('SELECT line FROM dp_noise.script(''"Clinic''''s".visits'') AS line', 'SELECT line FROM written ORDER BY number', 'a script says so, too');
SELECT is((SELECT relations FROM dp_noise.budgets WHERE role = 'psc_ann'), '{}'::regclass[], 'and is run');
SELECT is(t.ask('psc_ann', '"Clinic''s".patients', 0.1), '42501: role "psc_ann" has no privacy budget for "patients"');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP OWNED BY psc_owner, psc_ann, "psc team", "psc ""Other'\" CASCADE;
DROP ROLE psc_owner, psc_ann, "psc team", "psc ""Other'\";
