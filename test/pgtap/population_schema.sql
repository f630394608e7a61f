-- A schema is protected in one call: what leads to the root by one validated
-- path, and nothing else; and what a dry run says is what is done.
\ir support/ledger.sql
CREATE ROLE pps_owner;
CREATE ROLE pps_other;
CREATE SCHEMA clinic AUTHORIZATION pps_owner;
GRANT USAGE, CREATE ON SCHEMA clinic TO pps_other;
SET ROLE pps_owner;
CREATE TABLE clinic.regions (region_id int PRIMARY KEY);
CREATE TABLE clinic.patients (patient_id int PRIMARY KEY, region_id int REFERENCES clinic.regions);
CREATE TABLE clinic.visits (visit_id int, kind text, person_id int REFERENCES clinic.patients, PRIMARY KEY (visit_id, kind));
CREATE TABLE clinic.lab (lab_id int PRIMARY KEY, visit int, kind text, FOREIGN KEY (kind, visit) REFERENCES clinic.visits (kind, visit_id));
CREATE TABLE clinic.passports (patient_id int PRIMARY KEY REFERENCES clinic.patients);
CREATE TABLE clinic.wards (ward_id int PRIMARY KEY, within int REFERENCES clinic.wards, patient bigint REFERENCES clinic.patients);
CREATE TABLE clinic."Odd ""table" ("a b" int REFERENCES clinic.patients);
CREATE TABLE clinic.events (person int REFERENCES clinic.patients) PARTITION BY LIST (person);
CREATE TABLE clinic.event_1 PARTITION OF clinic.events FOR VALUES IN (1);
-- two paths; what goes on from there; a circle that leads back is none
CREATE TABLE clinic.letters (letter_id int PRIMARY KEY, sender int REFERENCES clinic.patients, lab_id int REFERENCES clinic.lab);
CREATE TABLE clinic.pages (letter int REFERENCES clinic.letters);
CREATE TABLE clinic.beds (bed_id int PRIMARY KEY, patient int REFERENCES clinic.patients, sheet int);
CREATE TABLE clinic.sheets (sheet_id int PRIMARY KEY, bed int REFERENCES clinic.beds);
ALTER TABLE clinic.beds ADD FOREIGN KEY (sheet) REFERENCES clinic.sheets;
-- not validated; a key that says nothing about the rows of others
CREATE TABLE clinic.stale (patient int);
ALTER TABLE clinic.stale ADD FOREIGN KEY (patient) REFERENCES clinic.patients NOT VALID;
CREATE TABLE clinic.stays (stay_id int PRIMARY KEY, patient int REFERENCES clinic.patients);
CREATE TABLE clinic.long_stays () INHERITS (clinic.stays);
CREATE TABLE clinic.meals (stay int REFERENCES clinic.stays);
GRANT REFERENCES ON clinic.patients TO pps_other;
SET ROLE pps_other;
CREATE TABLE clinic.bills (patient int REFERENCES clinic.patients);
RESET ROLE;
SELECT no_plan();

CREATE TEMP TABLE expected (relation regclass, privacy_unit text, max_rows_per_unit int, done text);
INSERT INTO expected VALUES
	('clinic.patients', 'patient_id', 1, 'protected'),
	('clinic.visits', 'person_id', 5, 'protected'),
	('clinic.lab', 'kind, visit -> clinic.visits (kind, visit_id)', 5, 'protected'),
	('clinic.passports', 'patient_id', 1, 'protected'),
	('clinic.wards', 'patient -> clinic.patients (patient_id)', 5, 'protected'),
	('clinic."Odd ""table"', 'a b', 5, 'protected'),
	('clinic.events', 'person', 5, 'protected'),
	('clinic.beds', 'patient', 5, 'protected'),
	('clinic.sheets', 'bed -> clinic.beds (bed_id)', 5, 'protected'),
	('clinic.stays', 'patient', 5, 'protected'),
	('clinic.regions', NULL, NULL, 'left out: no foreign key leads to clinic.patients'),
	('clinic.long_stays', NULL, NULL, 'left out: no foreign key leads to clinic.patients'),
	('clinic.letters', NULL, NULL, 'left out: several paths: lab_id -> clinic.lab (lab_id); sender -> clinic.patients (patient_id)'),
	('clinic.pages', NULL, NULL, 'left out: its path goes on from a table that is left out: letter -> clinic.letters (letter_id)'),
	('clinic.stale', NULL, NULL, 'left out: its foreign key is not validated: patient -> clinic.patients (patient_id)'),
	('clinic.meals', 'stay -> clinic.stays (stay_id)', NULL, 'left out: (stay_id) is not a unique key of clinic.stays'),
	('clinic.bills', 'patient', NULL, 'left out: must be owner of relation bills');

SELECT is(t.run('pps_owner', $$SELECT dp_noise.protect_schema('clinic', 'clinic.patients', 'clinic')$$), '42704: population "clinic" does not exist', 'what is wrong with the root is an error');
SET ROLE pps_owner;
SELECT dp_noise.create_population('clinic', epsilon => 3);
CREATE TEMP TABLE tried AS SELECT * FROM dp_noise.protect_schema('clinic', 'clinic.patients', 'clinic', dry_run => true, max_rows => 5);
SELECT is_empty('SELECT * FROM dp_noise.protected_relations', 'a dry run protects nothing');
CREATE TEMP TABLE capless AS SELECT * FROM dp_noise.protect_schema('clinic', 'clinic.patients', 'clinic', dry_run => true);
CREATE TEMP TABLE done AS SELECT * FROM dp_noise.protect_schema('clinic', 'clinic.patients', 'clinic', max_rows => 5);
CREATE TEMP TABLE again AS SELECT * FROM dp_noise.protect_schema('clinic', 'clinic.patients', max_rows => 3);
RESET ROLE;

SELECT set_eq('SELECT relation, privacy_unit, max_rows_per_unit, done FROM done', 'SELECT * FROM expected', 'what was done');
SELECT set_eq('SELECT relation, privacy_unit, max_rows_per_unit, replace(done, ''would be '', ''''), statement FROM tried', 'SELECT * FROM done', 'a dry run has said so');
SELECT set_eq('SELECT relation, privacy_unit, max_rows_per_unit FROM dp_noise.protected_relations', 'SELECT relation, privacy_unit, max_rows_per_unit FROM expected WHERE done = ''protected''', 'and it is so');
SELECT is((SELECT string_agg(DISTINCT population, ',') FROM dp_noise.protected_relations), 'clinic', 'in one population');
SELECT set_eq('SELECT relation, max_rows_per_unit FROM capless WHERE done = ''would be protected''', $$VALUES ('clinic.patients'::regclass, 1), ('clinic.passports', 1)$$, 'without a cap: where a unit has one row');
SELECT is((SELECT string_agg(relation::text, ' ' ORDER BY relation::text) FROM capless WHERE done = 'left out: needs max_rows_per_unit'),
	'clinic."Odd ""table" clinic.beds clinic.events clinic.lab clinic.meals clinic.sheets clinic.stays clinic.visits clinic.wards', 'others need one');
SELECT is((SELECT count(*) FROM again WHERE done = 'is protected already, in population ''clinic''' AND statement IS NULL AND max_rows_per_unit <> 3), 10::bigint, 'once more: nothing to do');
SELECT is((SELECT statement FROM done WHERE relation = 'clinic.passports'::regclass), 'SELECT dp_noise.protect(''clinic.passports'', privacy_unit => ''patient_id'', population => ''clinic'');', 'a statement');
SELECT is(t.run('pps_owner', $$SELECT dp_noise.protect_schema('clinic', 'clinic.patients', 'others')$$), '55000: relation clinic.patients is in population "clinic"', 'another population');
SELECT is(t.run('pps_other', $$SELECT dp_noise.protect_schema('clinic', 'clinic.patients', 'clinic')$$), '42501: must be owner of relation patients', 'not by others');

-- The statements do what the function did.
CREATE TEMP TABLE before AS SELECT * FROM dp_noise.protected_relations;
SELECT dp_noise.unprotect(relation) FROM before;
SELECT statement FROM done WHERE statement IS NOT NULL AND done = 'protected' ORDER BY relation <> 'clinic.patients'::regclass, privacy_unit ~ '->', privacy_unit !~ 'patients|visits|beds' \gexec
SELECT set_eq('SELECT * FROM dp_noise.protected_relations', 'SELECT * FROM before', 'the statements, one by one');

-- Another column of the root is the unit; and neighbours.
SELECT dp_noise.unprotect(relation) FROM before;
SELECT set_eq($$SELECT privacy_unit, max_rows_per_unit FROM dp_noise.protect_schema('clinic', 'clinic.patients', 'clinic', true, 'region_id', 7, 'substitute') WHERE relation IN ('clinic.patients'::regclass, 'clinic.passports')$$,
	$$VALUES ('region_id', 7), ('patient_id -> clinic.patients (patient_id)', 7)$$, 'another unit');
SELECT is_empty('SELECT * FROM dp_noise.protected_relations', 'a dry run');

-- a key of the root's own name says whose rows are, whatever else they refer to
CREATE SCHEMA cdm AUTHORIZATION pps_owner;
SET ROLE pps_owner;
CREATE TABLE cdm.person (person_id int PRIMARY KEY);
CREATE TABLE cdm.visit (visit_id int PRIMARY KEY, person_id int NOT NULL REFERENCES cdm.person);
CREATE TABLE cdm.condition (condition_id int PRIMARY KEY, person_id int NOT NULL REFERENCES cdm.person, visit_id int REFERENCES cdm.visit, doctor int REFERENCES cdm.person);
CREATE TABLE cdm.cost (cost_id int PRIMARY KEY, visit_id int REFERENCES cdm.visit, condition_id int REFERENCES cdm.condition);
SELECT dp_noise.create_population('cdm', epsilon => 1);
SELECT set_eq($$SELECT relation, privacy_unit, done FROM dp_noise.protect_schema('cdm', 'cdm.person', 'cdm', max_rows => 5, dry_run => true)$$, $$VALUES
	('cdm.person'::regclass, 'person_id', 'would be protected'), ('cdm.visit', 'person_id', 'would be protected'),
	('cdm.condition', 'person_id', 'would be protected, though there is also doctor -> cdm.person (person_id); visit_id -> cdm.visit (visit_id)'),
	('cdm.cost', NULL, 'left out: several paths: condition_id -> cdm.condition (condition_id); visit_id -> cdm.visit (visit_id)')$$, 'the key of the root''s name');
DROP SCHEMA cdm CASCADE;
RESET ROLE;

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP OWNED BY pps_owner, pps_other CASCADE;
DROP ROLE pps_owner, pps_other;
