-- The set-up of the README: the men of test/data/cps1988.csv, and a clinic of a few
-- patients, all of the role owner; and the roles analyst and south, without privileges.

CREATE EXTENSION dp_noise;
CREATE ROLE owner LOGIN;
CREATE ROLE analyst LOGIN;
CREATE ROLE south LOGIN;
\ir ../data/cps1988.sql
ALTER TABLE cps1988 OWNER TO owner;

GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE patients (patient_id integer PRIMARY KEY, age integer NOT NULL, region text NOT NULL);
CREATE TABLE visits (visit_id integer PRIMARY KEY, person_id integer NOT NULL REFERENCES patients, day date NOT NULL);
CREATE TABLE lab (sample_id integer PRIMARY KEY, visit_id integer NOT NULL REFERENCES visits, value numeric NOT NULL);
INSERT INTO patients SELECT i, 20 + i % 60, (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 900) AS i;
INSERT INTO visits SELECT i, 1 + i % 900, '2024-01-01'::date + i % 366 FROM generate_series(1, 3000) AS i;
INSERT INTO lab SELECT i, 1 + i % 3000, i % 100 FROM generate_series(1, 9000) AS i;
CREATE VIEW south_patients AS SELECT patient_id, age FROM patients WHERE region = 'south';
RESET ROLE;
