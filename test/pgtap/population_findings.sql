-- What check() says about the declarations of populations.
\ir support/ledger.sql
CREATE ROLE pfi_owner;
CREATE ROLE pfi_other;
CREATE ROLE pfi_ann;
CREATE ROLE pfi_bob;
CREATE SCHEMA clinic;
GRANT USAGE, CREATE ON SCHEMA clinic TO pfi_owner, pfi_other;
SET ROLE pfi_owner;
CREATE TABLE clinic.patients (patient_id int PRIMARY KEY, region int);
CREATE TABLE clinic.visits (visit_id int PRIMARY KEY, person_id int REFERENCES clinic.patients);
SELECT dp_noise.create_population('clinic', 5, 1e-5);
SELECT dp_noise.protect('clinic.patients', 'patient_id', population => 'clinic');
SELECT dp_noise.protect('clinic.visits', 'person_id', max_rows_per_unit => 8, population => 'clinic');
SELECT dp_noise.set_budget('pfi_ann', 'clinic', 5, 1e-5), dp_noise.set_budget('pfi_bob', 'clinic', 1);
RESET ROLE;
SELECT no_plan();

-- What is found now, and what an owner is shown of it.
CREATE FUNCTION t.found(who text DEFAULT 'pfi_owner') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	of_owner text := t.run(who, 'SELECT string_agg(concat_ws(''|'', severity, object, finding), E''\n'' ORDER BY object, finding) FROM dp_noise.read_population_findings()');
BEGIN
	IF of_owner IS DISTINCT FROM t.run(who, 'SELECT string_agg(concat_ws(''|'', severity, object, finding), E''\n'' ORDER BY object, finding) FROM dp_noise.check() WHERE (object, finding) IN (SELECT f.object, f.finding FROM dp_noise.read_population_findings() AS f)') THEN
		RETURN 'not in check()';
	END IF;
	RETURN coalesce(of_owner, 'nothing');
END
$$;
-- The remedy of what is found.
CREATE FUNCTION t.mend() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	statement text := (SELECT substring(remedy FROM 'SELECT .*') FROM dp_noise.read_population_findings());
BEGIN
	EXECUTE statement;
	RETURN t.found();
END
$$;
SELECT is(t.found(), 'nothing', 'all is well');
SELECT is(t.run('pfi_ann', 'SELECT count(*) FROM dp_noise.read_population_findings()'), '0', 'nothing for others');

-- budgets
SELECT dp_noise.set_budget('pfi_ann', 'clinic', 5.1);
SELECT is(t.found(), 'high|role pfi_ann|has a budget of epsilon 5.1 and delta 0 in population ''clinic'', more than the grant of everybody together: epsilon 5 and delta 0.00001', 'more than the grant');
SELECT is(t.run('pfi_other', 'SELECT count(*) FROM dp_noise.read_population_findings()'), '0', 'is no other owner''s business');
SELECT dp_noise.set_budget('pfi_ann', 'clinic', 5, 1.1e-5);
SELECT matches(t.found(), '^high\|role pfi_ann\|has a budget of epsilon 5 and delta 0.000011 ', 'or its delta');
SELECT dp_noise.alter_population('clinic', delta => 1e-4);
SELECT is(t.found(), 'nothing', 'no more');

ALTER ROLE pfi_bob RENAME TO "pfi Bob";
SELECT is(t.found(), 'medium|role pfi_bob|its budget in population ''clinic'' is nobody''s: the role was renamed to "pfi Bob"', 'a renamed role');
SELECT dp_noise.set_budget('"pfi Bob"', 'clinic', 2);
SELECT is(t.found(), 'nothing', 'has it again when its owner says so');
ALTER ROLE "pfi Bob" RENAME TO pfi_bob;
SELECT is(t.mend(), 'nothing', 'or it is dropped');
SELECT dp_noise.set_budget('pfi_bob', 'clinic', 2);
DROP ROLE pfi_bob;
SELECT is(t.found(), 'medium|role pfi_bob|its budget in population ''clinic'' is nobody''s: the role was dropped', 'a dropped role');
CREATE ROLE pfi_bob;
SELECT is(t.found(), 'medium|role pfi_bob|its budget in population ''clinic'' is nobody''s: the role was dropped', 'of whose name somebody new is');
SELECT is(t.mend(), 'nothing', 'dropped');

-- members of other owners
SELECT dp_noise.allow_members('clinic', 'pfi_other');
SET ROLE pfi_other;
CREATE TABLE clinic.letters (reader int);
SELECT dp_noise.protect('clinic.letters', 'reader', max_rows_per_unit => 2, population => 'clinic');
RESET ROLE;
SELECT is(t.found(), 'nothing', 'a member of another owner');
SELECT dp_noise.allow_members('clinic', 'pfi_other', false);
SELECT is(t.found(), 'medium|clinic.letters|is in population ''clinic'', and its owner, role pfi_other, may not have relations there: questions about it are refused', 'who may no longer');
SELECT is(t.found('pfi_other'), t.found(), 'which both hear');
SELECT is(t.mend(), 'nothing', 'and again');
SELECT dp_noise.unprotect('clinic.letters');

-- kinds of units
SET ROLE pfi_owner;
CREATE TABLE clinic.staff (staff_id int PRIMARY KEY);
CREATE TABLE clinic.shifts (staff_id int REFERENCES clinic.staff);
CREATE TABLE clinic.bonus (staff int REFERENCES clinic.staff);
SELECT dp_noise.protect('clinic.shifts', 'staff_id', max_rows_per_unit => 2, population => 'clinic');
SELECT is((SELECT string_agg(concat_ws('|', severity, object, finding), E'\n' ORDER BY object) FROM dp_noise.read_population_findings()),
	E'medium|clinic.bonus|is not protected, and its foreign key (staff) refers to clinic.staff, as relations of population ''clinic'' do: its rows are about the same people\n'
	'high|clinic.shifts|is in population ''clinic'', and its privacy units are others than those of clinic.visits, as foreign keys say: what is spent bounds nothing', 'other people');
SELECT dp_noise.unprotect('clinic.shifts');
SELECT is(t.found(), 'nothing', 'gone') FROM set_config('role', 'none', false);
SET ROLE pfi_owner;
-- a chain of keys to the same people
CREATE TABLE clinic.notes (patient int UNIQUE REFERENCES clinic.patients);
CREATE TABLE clinic.remarks (patient int REFERENCES clinic.notes (patient));
SELECT dp_noise.protect('clinic.notes', 'patient', population => 'clinic');
SELECT dp_noise.protect('clinic.remarks', 'patient', max_rows_per_unit => 2, population => 'clinic');
RESET ROLE;
SELECT is(t.found(), 'nothing', 'a chain of foreign keys ends at the same people');
SELECT dp_noise.unprotect('clinic.remarks'), dp_noise.unprotect('clinic.notes');
DROP TABLE clinic.remarks, clinic.notes;
ALTER TABLE clinic.visits DROP CONSTRAINT visits_person_id_fkey;
ALTER TABLE clinic.visits ALTER person_id TYPE numeric;
SELECT is(t.found(), 'high|clinic.visits|is in population ''clinic'', and its privacy units are of another type or collation than those of clinic.patients: what is spent bounds nothing', 'another type');
ALTER TABLE clinic.visits ALTER person_id TYPE bigint;
SELECT is(t.found(), 'nothing', 'an integer is an integer');

-- relations that were forgotten
SET ROLE pfi_other;
CREATE TABLE clinic.parts (id int) PARTITION BY LIST (id);
RESET ROLE;
GRANT REFERENCES ON clinic.patients TO pfi_other;
ALTER TABLE clinic.parts ADD patient int REFERENCES clinic.patients;
CREATE TABLE clinic.part_1 PARTITION OF clinic.parts FOR VALUES IN (1);
SELECT is(t.found(), 'medium|clinic.parts|is not protected, and its foreign key (patient) refers to clinic.patients, as relations of population ''clinic'' do: its rows are about the same people', 'a table that refers to a protected one');
SELECT is((SELECT remedy FROM dp_noise.read_population_findings()), 'SELECT dp_noise.protect(''clinic.parts'', population => ''clinic'', ...)', 'and what to do');
-- who may read it
GRANT SELECT (id) ON clinic.parts TO pfi_ann;
SELECT matches(t.found(), '^medium', 'nobody who may not use the schema');
GRANT USAGE ON SCHEMA clinic TO pfi_ann;
SELECT is(t.found(), 'high|clinic.parts|is not protected, and its foreign key (patient) refers to clinic.patients, as relations of population ''clinic'' do: its rows are about the same people; with a budget, and able to read it: pfi_ann', 'somebody with a budget who may read a column');
REVOKE SELECT (id) ON clinic.parts FROM pfi_ann;
GRANT SELECT ON clinic.parts TO PUBLIC;
CREATE ROLE pfi_group;
CREATE ROLE pfi_member IN ROLE pfi_group;
GRANT USAGE ON SCHEMA clinic TO pfi_member;
SELECT dp_noise.set_budget('pfi_group', 'clinic', 1, shared => true);
SELECT matches(t.found(), 'able to read it: pfi_ann, pfi_member$', 'or a member of a group with a shared one');
-- whoever owns a member hears it, and not who has a budget in another one's population
SELECT dp_noise.allow_members('clinic', 'pfi_other');
CREATE TABLE clinic.calls (call int PRIMARY KEY, patient int);
ALTER TABLE clinic.calls OWNER TO pfi_other;
SELECT t.run('pfi_other', 'SELECT dp_noise.protect(''clinic.calls'', ''patient'', max_rows_per_unit => 1, population => ''clinic'')');
CREATE TABLE clinic.words (call int REFERENCES clinic.calls);
GRANT SELECT ON clinic.words TO pfi_ann;
SELECT matches(t.found('pfi_other'), 'high\|clinic.words\|is not protected, and its foreign key \(call\) refers to clinic.calls, as relations of population ''clinic'' do: its rows are about the same people', 'the owner of a member');
SELECT matches(t.found('pfi_other'), 'medium\|clinic.calls\|is in population ''clinic'' of role \w+, who grants the budgets to ask about it, and asks without one', 'who hears whose population that is');
SELECT doesnt_match(t.found(), 'who grants the budgets', 'and not its owner');
SELECT matches(t.found(), 'clinic.words.*able to read it: pfi_ann$', 'and of the population');
DROP TABLE clinic.words;
-- a step further
CREATE TABLE clinic.stays (stay int PRIMARY KEY, patient int REFERENCES clinic.patients);
CREATE TABLE clinic.meals (stay int REFERENCES clinic.stays);
DROP TABLE clinic.parts;
SELECT is(t.found(), E'medium|clinic.meals|is not protected, and its foreign key (stay) refers to clinic.stays, which is about people of population ''clinic'', and not protected either: its rows are about the same people\n'
	'medium|clinic.stays|is not protected, and its foreign key (patient) refers to clinic.patients, as relations of population ''clinic'' do: its rows are about the same people', 'what refers to a table that was forgotten, was forgotten, too');
DROP TABLE clinic.stays, clinic.meals, clinic.calls;
SELECT dp_noise.drop_budget('pfi_group', 'clinic');
DROP OWNED BY pfi_group, pfi_member;
DROP ROLE pfi_group, pfi_member;
CREATE TABLE clinic.first_visits (FOREIGN KEY (visit_id) REFERENCES clinic.visits) INHERITS (clinic.visits);
SELECT is(t.found(), 'nothing', 'what inherits from a protected table is protected with it');

-- What protect() warns of.
SELECT is(dp_noise.doubts_of('clinic.patients'::regclass) || dp_noise.doubts_of('clinic.visits'::regclass), '{"no people","no people"}', 'units of other names, which no foreign key connects');
ALTER TABLE clinic.visits ADD FOREIGN KEY (person_id) REFERENCES clinic.patients;
SELECT is(dp_noise.doubts_of('clinic.patients'::regclass) || dp_noise.doubts_of('clinic.visits'::regclass), '{}', 'people by a foreign key');
SET ROLE pfi_owner;
CREATE TABLE clinic.wards (ward_id int PRIMARY KEY);
SELECT dp_noise.protect('clinic.wards', 'ward_id', population => 'clinic');
RESET ROLE;
SELECT is(dp_noise.doubts_of('clinic.wards'::regclass), '{"no people"}', 'wards among patients');
SELECT dp_noise.unprotect('clinic.wards');
SELECT dp_noise.protect('clinic.wards', epsilon => 1);
SELECT is(dp_noise.doubts_of('clinic.wards'::regclass), '{}', 'rows alone');
ALTER TABLE clinic.visits ADD ward int REFERENCES clinic.wards;
SELECT is(dp_noise.doubts_of('clinic.wards'::regclass), '{rows}', 'that protected relations refer to');
SELECT dp_noise.protect('clinic.shifts', 'staff_id', max_rows_per_unit => 2, population => 'clinic');
SELECT is(dp_noise.doubts_of('clinic.shifts'::regclass), '{"other people"}', 'other people, as foreign keys say');
SELECT dp_noise.unprotect('clinic.shifts');
SET ROLE pfi_owner;
CREATE VIEW clinic.south AS SELECT patient_id FROM clinic.patients WHERE region = 1;
SELECT dp_noise.protect('clinic.south', 'patient_id');
RESET ROLE;
SELECT is(dp_noise.doubts_of('clinic.south'::regclass), '{}', 'a view');
ALTER TABLE clinic.patients ENABLE ROW LEVEL SECURITY;
SELECT is(dp_noise.doubts_of('clinic.south'::regclass), '{"row security"}', 'over row security');
-- nothing of another owner's relations
SET ROLE pfi_other;
CREATE TABLE clinic.beds (bed int PRIMARY KEY);
SELECT dp_noise.protect('clinic.beds', 'bed', population => 'clinic');
RESET ROLE;
SELECT is(dp_noise.doubts_of('clinic.beds'::regclass), '{}', 'are compared with, in the population of somebody else');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP OWNED BY pfi_owner, pfi_other, pfi_ann, pfi_bob CASCADE;
DROP ROLE pfi_owner, pfi_other, pfi_ann, pfi_bob;
