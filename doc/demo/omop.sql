-- `make demo-omop`: ten questions of cohort research, answered privately, beside the
-- truth. doc/omop.md explains them. With -v csv=FILE the answers are written there,
-- too, for doc/figures/omop.gp.

\set QUIET on
\pset footer off
\pset linestyle unicode
\pset border 1
SET client_min_messages = warning;
\echo 'Making 20,000 patients who do not exist'
\ir ../../test/documents/omop.sql

\echo
\echo 'The owner protects all that leads to a person, in one call'
\echo
SET ROLE owner;
SELECT dp_noise.create_population('patients', epsilon => 20, delta => 1e-5) \g /dev/null
\set ECHO queries
SELECT relation, privacy_unit, max_rows_per_unit FROM dp_noise.protect_schema('public', 'person', 'patients', max_rows => 8) WHERE privacy_unit IS NOT NULL;
\set ECHO none
SELECT dp_noise.set_bounds(attrelid::regclass, attname::text, date '2019-01-01', date '2024-12-31')
FROM pg_attribute
WHERE attrelid IN (SELECT relation FROM dp_noise.protected_relations) AND atttypid = 'date'::regtype AND attnum > 0 \g /dev/null
SELECT dp_noise.set_bounds('person', 'year_of_birth', 1920, 2010) \g /dev/null
SELECT dp_noise.set_bounds('measurement', 'value_as_number', 0, 250) \g /dev/null
SELECT dp_noise.set_budget('analyst', 'patients', epsilon => 10, default_epsilon => 0.5) \g /dev/null
RESET ROLE;

CREATE TEMPORARY TABLE asked (number integer, question text, truth float8, low float8, answer float8, high float8);

\echo
\echo 'The analyst asks, each question at epsilon 0.5'

\set number 1
\set question 'Women born in the 1960s'
\set what 'count(*)'
\set from 'FROM person WHERE gender_concept_id = 8532 AND year_of_birth BETWEEN 1960 AND 1969'
\ir omop_ask.sql
\set number 2
\set question 'People with any diabetes'
\set what 'count(DISTINCT o.person_id)'
\set from 'FROM condition_occurrence AS o JOIN concept_ancestor AS a ON a.descendant_concept_id = o.condition_concept_id WHERE a.ancestor_concept_id = 201820'
\ir omop_ask.sql
\set number 3
\set question 'People with type 2 diabetes who took metformin'
\set what 'count(*)'
\set from 'FROM person AS p WHERE EXISTS (SELECT FROM condition_occurrence AS o WHERE o.person_id = p.person_id AND o.condition_concept_id = 201826) AND EXISTS (SELECT FROM drug_exposure AS d WHERE d.person_id = p.person_id AND d.drug_concept_id = 1503297)'
\ir omop_ask.sql
\set number 4
\set question 'Mean age at the first diagnosis of type 2 diabetes'
\set what 'avg(extract(year FROM f.day) - p.year_of_birth)'
\set from 'FROM person AS p JOIN (SELECT person_id, min(condition_start_date) AS day FROM condition_occurrence WHERE condition_concept_id = 201826 GROUP BY person_id) AS f USING (person_id)'
\ir omop_ask.sql
\set number 5
\set question 'Hospital stays that began in 2023'
\set what 'count(*)'
\set from 'FROM visit_occurrence WHERE visit_concept_id = 9201 AND visit_start_date BETWEEN date ''2023-01-01'' AND date ''2023-12-31'''
\ir omop_ask.sql
\set number 6
\set question 'Mean length of a stay in days'
\set what 'avg(greatest(least(visit_end_date - visit_start_date, 60), 0))'
\set from 'FROM visit_occurrence WHERE visit_concept_id = 9201'
\ir omop_ask.sql
\set number 7
\set question 'Median length of a stay in days'
\set what 'percentile_cont(0.5) WITHIN GROUP (ORDER BY greatest(least(visit_end_date - visit_start_date, 60), 0))'
\ir omop_ask.sql
\set number 8
\set question 'Mean HbA1c in percent of people with type 2 diabetes'
\set what 'avg(greatest(least(m.value_as_number, 15), 3))'
\set from 'FROM measurement AS m WHERE m.measurement_concept_id = 3004410 AND EXISTS (SELECT FROM condition_occurrence AS o WHERE o.person_id = m.person_id AND o.condition_concept_id = 201826)'
\ir omop_ask.sql
\set number 9
\set question 'Stays followed by another within 30 days'
\set what 'count(*)'
\set from 'FROM (SELECT visit_end_date, lead(visit_start_date) OVER (PARTITION BY person_id ORDER BY visit_start_date, visit_occurrence_id) AS next FROM visit_occurrence WHERE visit_concept_id = 9201) AS v WHERE next - visit_end_date <= 30'
\ir omop_ask.sql
\set number 10
\set question 'Deaths within a year of a first myocardial infarction'
\set what 'count(*)'
\set from 'FROM (SELECT person_id, min(condition_start_date) AS day FROM condition_occurrence WHERE condition_concept_id = 4329847 GROUP BY person_id) AS i JOIN death AS d ON d.person_id = i.person_id AND d.death_date <= i.day + 365'
\ir omop_ask.sql

\echo
\echo 'Answers with their 95% intervals, where there are some, beside the truth, which only the'
\echo 'owner can see'
\echo
SELECT number, question, round(truth::numeric, 2) AS truth, round(low::numeric, 2) AS low, round(answer::numeric, 2) AS answer, round(high::numeric, 2) AS high FROM asked ORDER BY number;
\if :{?csv}
\pset format csv
\o :csv
SELECT * FROM asked ORDER BY number;
\o
\pset format aligned
\endif
\echo
\echo 'What that has cost of the budget'
\echo
SELECT role, epsilon, epsilon_spent, epsilon_left FROM dp_noise.budgets WHERE role IS NOT NULL;
