-- What can be published: the fields of OpenDP's registry of deployments, and
-- numbers of our own beside them.
\ir support/ledger.sql
CREATE ROLE pdi_owner;
CREATE ROLE pdi_ann;
CREATE ROLE pdi_team;
CREATE SCHEMA clinic AUTHORIZATION pdi_owner;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
SET ROLE pdi_owner;
CREATE TABLE clinic.patients (patient_id int PRIMARY KEY, age int, born date, region text);
CREATE TABLE clinic.visits (visit_id int, person_id int);
SELECT dp_noise.create_population('clinic', 10, 1e-5, answers_expire => '30 days');
SELECT dp_noise.protect('clinic.patients', 'patient_id', population => 'clinic');
SELECT dp_noise.protect('clinic.visits', 'person_id -> patients', max_rows_per_unit => 8, max_groups_per_unit => 2);
SELECT dp_noise.set_bounds('clinic.patients', 'age', 0, 120);
SELECT dp_noise.set_bounds('clinic.patients', 'born', '1900-01-01'::date, '2025-12-31'::date);
SELECT dp_noise.set_values('clinic.patients', 'region', '{north,south}');
SELECT dp_noise.set_levels('clinic.visits', '{0.5,1}');
SELECT dp_noise.set_budget('pdi_ann', 'clinic', 4);
SELECT dp_noise.set_budget('pdi_team', 'clinic', 2, shared => true);
RESET ROLE;
SELECT no_plan();

CREATE FUNCTION t.told(VARIADIC path text[]) RETURNS text LANGUAGE sql AS $$ SELECT dp_noise.disclosure('clinic') #>> path $$;
SELECT is(left(t.run('pdi_ann', $$SELECT dp_noise.disclosure('clinic')$$), 5), '42501', 'its owner decides what is published');
SELECT is(t.run('pdi_owner', $$SELECT dp_noise.disclosure('clinic') #>> '{deployment,basic,name}'$$), 'clinic', 'and may');

-- no field that the registry's schema does not have
SELECT set_eq($$SELECT a.key || '.' || b.key FROM json_each(dp_noise.disclosure('clinic') -> 'deployment') AS a, json_each(a.value) AS b$$, $$VALUES
	('basic.name'), ('basic.data_product_type'), ('dp_variant.variant_name'), ('dp_variant.unprotected_quantities'),
	('privacy_loss.privacy_unit'), ('privacy_loss.privacy_unit_details'), ('privacy_loss.privacy_parameters'), ('privacy_loss.privacy_parameters_details'),
	('deployment_model.model_name'), ('deployment_model.release_type'), ('deployment_model.release_type_details'), ('deployment_model.access_type'), ('deployment_model.access_type_details'),
	('accounting.composition'), ('implementation.mechanisms')$$, 'fields of the registry');
SELECT is(t.told('deployment', 'dp_variant', 'variant_name'), 'Approximate DP', 'the variant');
SELECT is(t.told('deployment', 'privacy_loss', 'privacy_parameters'), '{"epsilon":10,"delta":0.00001}', 'the grant');
SELECT matches(t.told('deployment', 'deployment_model', 'access_type_details'), '^2 roles or groups have a budget \(1 of them shared by the members of a group\), the largest of epsilon 4\.', 'who asks');
SELECT is(t.told('dp_noise', 'spent'), '{"epsilon":0,"delta":0}', 'nothing is spent');
SELECT is(t.told('dp_noise', 'mechanisms'), '[]', 'no mechanism used');
SELECT is(t.told('dp_noise', 'answers_expire'), '30 days', 'how long answers live');
SELECT is((dp_noise.disclosure('clinic') #> '{dp_noise,relations}')::jsonb,
	'[{"relation": "clinic.patients", "privacy_unit": "patient_id", "neighbours": "add_remove", "max_rows_per_unit": 1, "max_groups_per_unit": 1,
		"min_people_per_group": 1, "bounds": {"age": ["0", "120"], "born": ["1900-01-01", "2025-12-31"]}, "values": {"region": ["north", "south"]}},
	{"relation": "clinic.visits", "privacy_unit": "person_id -> clinic.patients (patient_id)", "neighbours": "add_remove", "max_rows_per_unit": 8, "max_groups_per_unit": 2, "min_people_per_group": 1, "levels": [1, 0.5]}]'::jsonb, 'the relations');
SELECT is(t.told('dp_noise', 'versions', 'dp_noise'), (SELECT extversion FROM pg_extension WHERE extname = 'dp_noise'), 'versions');
SELECT is(dp_noise.disclosure('clinic.visits')::text ~ 'pdi_', false, 'no names of roles');

-- after questions, some of them archived
SELECT is(t.ask('pdi_ann', 'clinic.patients', 0.5, 'secret question'), 'charged');
SELECT dp_noise.archive('infinity');
SELECT is(t.ask('pdi_ann', 'clinic.patients', 0.25, 'secret question too'), 'charged');
SELECT is(t.told('dp_noise', 'spent'), '{"epsilon":0.75,"delta":0}', 'what was spent');
SELECT is((dp_noise.disclosure('clinic') #> '{dp_noise,mechanisms}')::jsonb, (SELECT jsonb_agg(DISTINCT mechanism) FROM dp_noise.ledger), 'mechanisms');
SELECT is(t.told('deployment', 'basic', 'publication_date'), to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'when the first was published');
SELECT is(strpos(dp_noise.disclosure('clinic')::text, 'secret'), 0, 'no questions');

-- other variants
SELECT dp_noise.create_population('pure', 1), dp_noise.create_population('rho', 1, 1e-6, 'zcdp'), dp_noise.create_population('pool', 1, 1e-6, 'zcdp', 5e-7);
SELECT is((SELECT string_agg(dp_noise.disclosure(p) #>> '{deployment,dp_variant,variant_name}', ', ') FROM unnest('{pure,rho,pool}'::text[]) AS p), 'Pure DP, Zero-concentrated DP, Approximate DP', 'variants');
SELECT is(dp_noise.disclosure('pure') #>> '{deployment,privacy_loss,privacy_parameters}', '{"epsilon":1}', 'pure: epsilon alone');
SELECT is(dp_noise.disclosure('rho') #>> '{deployment,privacy_loss,privacy_parameters,rho}', (SELECT rho::text FROM dp_noise.populations WHERE population = 'rho'), 'zCDP: rho');
SELECT is(dp_noise.disclosure('rho') #>> '{deployment,privacy_loss,privacy_parameters,epsilon}', NULL, 'and no epsilon');
SELECT is(dp_noise.disclosure('pool') #>> '{dp_noise,grant,delta_pool}', '0.0000005', 'with a pool it is (epsilon, delta)');

CREATE TABLE clinic.rows (id int);
SELECT dp_noise.protect('clinic.rows', population => 'pure');
SELECT is((SELECT string_agg(dp_noise.disclosure(p) #>> '{deployment,privacy_loss,privacy_unit}', ', ') FROM unnest('{clinic,pure}'::text[]) AS p), 'User-level, Row-level', 'whose data is protected');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP OWNED BY pdi_owner, pdi_ann, pdi_team CASCADE;
DROP ROLE pdi_owner, pdi_ann, pdi_team;
