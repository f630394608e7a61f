-- The set-up of doc/omop.md and of `make demo-omop`: the main tables of a hospital in
-- the OMOP Common Data Model 5.4, of role owner, and role analyst without privileges.
--
-- The patients do not exist: they are made from numbers, and are the same each time.
-- Names of tables and columns are the model's; numbers and names of concepts those of
-- OHDSI's standard vocabularies.

CREATE EXTENSION dp_noise;
CREATE ROLE owner LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;

CREATE TABLE concept (
	concept_id integer PRIMARY KEY,
	concept_name varchar(255) NOT NULL,
	domain_id varchar(20) NOT NULL,
	vocabulary_id varchar(20) NOT NULL
);
CREATE TABLE concept_ancestor (
	ancestor_concept_id integer NOT NULL REFERENCES concept,
	descendant_concept_id integer NOT NULL REFERENCES concept,
	PRIMARY KEY (ancestor_concept_id, descendant_concept_id)
);
CREATE TABLE person (
	person_id integer PRIMARY KEY,
	gender_concept_id integer NOT NULL REFERENCES concept,
	year_of_birth integer NOT NULL,
	race_concept_id integer NOT NULL REFERENCES concept
);
CREATE TABLE observation_period (
	observation_period_id integer PRIMARY KEY,
	person_id integer NOT NULL REFERENCES person,
	observation_period_start_date date NOT NULL,
	observation_period_end_date date NOT NULL
);
CREATE TABLE visit_occurrence (
	visit_occurrence_id integer PRIMARY KEY,
	person_id integer NOT NULL REFERENCES person,
	visit_concept_id integer NOT NULL REFERENCES concept,
	visit_start_date date NOT NULL,
	visit_end_date date NOT NULL
);
CREATE TABLE condition_occurrence (
	condition_occurrence_id integer PRIMARY KEY,
	person_id integer NOT NULL REFERENCES person,
	condition_concept_id integer NOT NULL REFERENCES concept,
	condition_start_date date NOT NULL,
	visit_occurrence_id integer REFERENCES visit_occurrence
);
CREATE TABLE drug_exposure (
	drug_exposure_id integer PRIMARY KEY,
	person_id integer NOT NULL REFERENCES person,
	drug_concept_id integer NOT NULL REFERENCES concept,
	drug_exposure_start_date date NOT NULL,
	days_supply integer,
	visit_occurrence_id integer REFERENCES visit_occurrence
);
CREATE TABLE measurement (
	measurement_id integer PRIMARY KEY,
	person_id integer NOT NULL REFERENCES person,
	measurement_concept_id integer NOT NULL REFERENCES concept,
	measurement_date date NOT NULL,
	value_as_number numeric,
	visit_occurrence_id integer REFERENCES visit_occurrence
);
CREATE TABLE death (
	person_id integer PRIMARY KEY REFERENCES person,
	death_date date NOT NULL
);

INSERT INTO concept VALUES
	(8507, 'MALE', 'Gender', 'Gender'), (8532, 'FEMALE', 'Gender', 'Gender'),
	(8527, 'White', 'Race', 'Race'), (8516, 'Black or African American', 'Race', 'Race'), (8515, 'Asian', 'Race', 'Race'),
	(9201, 'Inpatient Visit', 'Visit', 'Visit'), (9202, 'Outpatient Visit', 'Visit', 'Visit'), (9203, 'Emergency Room Visit', 'Visit', 'Visit'),
	(201820, 'Diabetes mellitus', 'Condition', 'SNOMED'), (201826, 'Type 2 diabetes mellitus', 'Condition', 'SNOMED'),
	(201254, 'Type 1 diabetes mellitus', 'Condition', 'SNOMED'), (316866, 'Hypertensive disorder', 'Condition', 'SNOMED'),
	(317009, 'Asthma', 'Condition', 'SNOMED'), (255573, 'Chronic obstructive pulmonary disease', 'Condition', 'SNOMED'),
	(313217, 'Atrial fibrillation', 'Condition', 'SNOMED'), (4329847, 'Myocardial infarction', 'Condition', 'SNOMED'),
	(440383, 'Depressive disorder', 'Condition', 'SNOMED'), (80180, 'Osteoarthritis', 'Condition', 'SNOMED'),
	(1503297, 'metformin', 'Drug', 'RxNorm'), (1308216, 'lisinopril', 'Drug', 'RxNorm'), (1545958, 'atorvastatin', 'Drug', 'RxNorm'),
	(1112807, 'aspirin', 'Drug', 'RxNorm'), (1310149, 'warfarin', 'Drug', 'RxNorm'), (1154343, 'albuterol', 'Drug', 'RxNorm'),
	(3004249, 'Systolic blood pressure', 'Measurement', 'LOINC'), (3004410, 'Hemoglobin A1c/Hemoglobin.total in Blood', 'Measurement', 'LOINC'),
	(3038553, 'Body mass index (BMI) [Ratio]', 'Measurement', 'LOINC');
INSERT INTO concept_ancestor
SELECT concept_id, concept_id FROM concept WHERE domain_id IN ('Condition', 'Drug')
UNION ALL VALUES (201820, 201826), (201820, 201254);

-- Numbers in [0, 1) that depend on what they are for, and on nothing else.
CREATE FUNCTION pg_temp.chance(bigint, integer, integer DEFAULT 0) RETURNS float8 LANGUAGE sql IMMUTABLE
AS $$ SELECT (hashint8extended(($1 * 32 + $2) * 1024 + $3, 1988) & 4294967295)::float8 / 4294967296 $$;

INSERT INTO person
SELECT i, CASE WHEN pg_temp.chance(i, 1) < 0.51 THEN 8532 ELSE 8507 END, 1930 + floor(75 * pg_temp.chance(i, 2))::integer,
	CASE WHEN pg_temp.chance(i, 3) < 0.72 THEN 8527 WHEN pg_temp.chance(i, 3) < 0.88 THEN 8516 ELSE 8515 END
FROM generate_series(1, 20000) AS i;
INSERT INTO observation_period
SELECT person_id, person_id, date '2019-01-01' + floor(700 * pg_temp.chance(person_id, 4))::integer, date '2024-12-31'
FROM person;
INSERT INTO visit_occurrence
SELECT row_number() OVER (ORDER BY person_id, n), person_id, kind, day, day + CASE kind WHEN 9201 THEN 1 + floor(-6 * ln(1 - pg_temp.chance(person_id, n, 7)))::integer ELSE 0 END
FROM (
	SELECT p.person_id, n, d.observation_period_start_date + floor((d.observation_period_end_date - d.observation_period_start_date) * pg_temp.chance(p.person_id, n, 5))::integer AS day,
		CASE WHEN pg_temp.chance(p.person_id, n, 6) < 0.14 THEN 9201 WHEN pg_temp.chance(p.person_id, n, 6) < 0.3 THEN 9203 ELSE 9202 END AS kind
	FROM person AS p
	JOIN observation_period AS d USING (person_id)
	CROSS JOIN LATERAL generate_series(1, 1 + floor(8 * power(pg_temp.chance(p.person_id, 8), 1.5) * (2045 - p.year_of_birth) / 80)::integer) AS n
) AS v;

CREATE INDEX ON visit_occurrence (person_id, visit_start_date);
ANALYZE person, observation_period, visit_occurrence;

-- Who has what depends on age; most diabetics take metformin, and it lowers their HbA1c.
CREATE TEMP TABLE ill AS
SELECT p.person_id, c.concept_id, c.number, v.visit_occurrence_id, v.visit_start_date AS day
FROM person AS p
CROSS JOIN (VALUES (201826, 1, 0.16), (201254, 2, 0.01), (316866, 3, 0.42), (317009, 4, 0.09), (255573, 5, 0.08), (313217, 6, 0.06), (4329847, 7, 0.05), (440383, 8, 0.14), (80180, 9, 0.25))
	AS c (concept_id, number, most)
JOIN LATERAL (SELECT * FROM visit_occurrence AS v WHERE v.person_id = p.person_id ORDER BY v.visit_start_date, v.visit_occurrence_id LIMIT 1 OFFSET c.number % 2) AS v ON true
WHERE pg_temp.chance(p.person_id, c.number, 9) < c.most * CASE WHEN c.concept_id IN (317009, 440383, 201254) THEN 1 ELSE least((2024 - p.year_of_birth) / 70.0, 1.3) END;
CREATE INDEX ON ill (person_id);
ANALYZE ill;
INSERT INTO condition_occurrence
SELECT row_number() OVER (ORDER BY i.person_id, i.number, n), i.person_id, i.concept_id, i.day + 90 * (n - 1), CASE n WHEN 1 THEN i.visit_occurrence_id END
FROM ill AS i
CROSS JOIN LATERAL generate_series(1, 1 + floor(3 * pg_temp.chance(i.person_id, i.number, 10))::integer) AS n;
INSERT INTO drug_exposure
SELECT row_number() OVER (ORDER BY i.person_id, i.number, d.concept_id, n), i.person_id, d.concept_id, i.day + 30 * n - 25, 30, NULL
FROM ill AS i
JOIN (VALUES (201826, 1503297, 0.75), (316866, 1308216, 0.6), (4329847, 1112807, 0.8), (4329847, 1545958, 0.7), (313217, 1310149, 0.65), (317009, 1154343, 0.8))
	AS d (condition_id, concept_id, share) ON d.condition_id = i.concept_id
CROSS JOIN LATERAL generate_series(1, 1 + floor(6 * pg_temp.chance(i.person_id, d.concept_id, 11))::integer) AS n
WHERE pg_temp.chance(i.person_id, d.concept_id, 12) < d.share;
CREATE INDEX ON drug_exposure (person_id);
ANALYZE drug_exposure;
INSERT INTO measurement
SELECT row_number() OVER (ORDER BY v.visit_occurrence_id, m.concept_id), v.person_id, m.concept_id, v.visit_start_date,
	round((m.mean + m.spread * (pg_temp.chance(v.visit_occurrence_id, m.number, 13) + pg_temp.chance(v.visit_occurrence_id, m.number, 14) + pg_temp.chance(v.visit_occurrence_id, m.number, 15) - 1.5)
		+ CASE m.number WHEN 1 THEN 18 * i.tension WHEN 2 THEN 2.3 * i.diabetes - 1.1 * i.metformin ELSE 0 END)::numeric, 1), v.visit_occurrence_id
FROM visit_occurrence AS v
CROSS JOIN LATERAL (
	SELECT count(*) FILTER (WHERE concept_id = 316866) AS tension, count(*) FILTER (WHERE concept_id IN (201826, 201254)) AS diabetes,
		(SELECT count(DISTINCT d.drug_concept_id) FROM drug_exposure AS d WHERE d.person_id = v.person_id AND d.drug_concept_id = 1503297 AND d.drug_exposure_start_date < v.visit_start_date) AS metformin
	FROM ill WHERE ill.person_id = v.person_id
) AS i
CROSS JOIN (VALUES (3004249, 1, 124.0, 30.0, 0.8), (3004410, 2, 5.5, 1.2, 0.3), (3038553, 3, 27.0, 9.0, 0.4)) AS m (concept_id, number, mean, spread, share)
WHERE pg_temp.chance(v.visit_occurrence_id, m.number, 16) < m.share;
INSERT INTO death
SELECT p.person_id, d.day
FROM person AS p
LEFT JOIN ill AS i ON i.person_id = p.person_id AND i.concept_id = 4329847
CROSS JOIN LATERAL (SELECT coalesce(i.day, date '2020-01-01') + floor(1400 * pg_temp.chance(p.person_id, 17))::integer AS day) AS d
WHERE pg_temp.chance(p.person_id, 18) < CASE WHEN i.person_id IS NOT NULL THEN 0.35 ELSE 0.0006 * (2024 - p.year_of_birth) END AND d.day <= date '2024-12-31';
GRANT SELECT ON concept, concept_ancestor TO analyst;
RESET ROLE;
