-- What readers see of what they may ask and of what they have asked: dp_columns
-- and dp_history, own rows only.
\ir support/ledger.sql
SELECT no_plan();
CREATE ROLE rvi_owner;
CREATE ROLE rvi_ann LOGIN;
CREATE ROLE rvi_bob;
CREATE ROLE rvi_team;
CREATE ROLE rvi_eve;
GRANT rvi_team TO rvi_bob;
GRANT CREATE ON SCHEMA public TO rvi_owner;
SET ROLE rvi_owner;
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE DOMAIN years AS smallint;
CREATE TABLE towns (name text PRIMARY KEY);
CREATE TABLE hidden_towns (name text PRIMARY KEY);
CREATE TABLE people (id int PRIMARY KEY, age years, born date, seen timestamp, logged timestamptz, opens time, stay interval,
	smoker boolean, feels mood, town text REFERENCES towns, born_in text REFERENCES hidden_towns, code varchar(3), gone int, income numeric(8, 2));
ALTER TABLE people DROP gone;
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL REFERENCES people, cost int);
CREATE TABLE lab (visit int NOT NULL REFERENCES visits, blood int);
CREATE TABLE others (secret int);
SELECT dp_noise.protect('people', 'id', epsilon => 1e6, delta => 1), dp_noise.protect('visits', 'person', max_rows_per_unit => 7, max_groups_per_unit => 3, epsilon => 1e6, delta => 1), dp_noise.protect('lab', 'visit -> visits', max_rows_per_unit => 9), dp_noise.protect('others', epsilon => 1e6, delta => 1) \g /dev/null
SELECT dp_noise.set_bounds('people', 'age', 0, 120), dp_noise.set_bounds('people', 'born', '1900-01-01'::text, '2020-12-31'::text),
	dp_noise.set_bounds('people', 'seen', '1999-12-31 23:59:59.5'::text, '2030-01-01'::text), dp_noise.set_bounds('people', 'logged', '2001-07-01 00:00:00+00'::text, '2002-07-01 00:00:00+00'::text),
	dp_noise.set_bounds('people', 'opens', '06:00'::text, '24:00'::text), dp_noise.set_bounds('people', 'stay', '1 hour'::text, '30 days 2 hours'::text),
	dp_noise.set_bounds('people', 'income', -10.5, 99999), dp_noise.set_bounds('visits', 'cost', 0, 1e8),
	dp_noise.set_values('people', 'code', '{b,a}') \g /dev/null
GRANT SELECT ON towns TO rvi_ann;
SELECT dp_noise.set_budget('rvi_ann', 'people', 10, 1e-6), dp_noise.alter_population('visits', on_repeat => 'refuse'), dp_noise.set_budget('rvi_team', 'visits', 10, shared => true),
	dp_noise.alter_population('others', on_repeat => 'answer'), dp_noise.set_budget('rvi_eve', 'others', 10) \g /dev/null
RESET ROLE;

-- dp_columns: relations that one may ask about
SET timezone = 'Europe/Berlin';
SELECT is(t.run('rvi_ann', $$SELECT string_agg(concat_ws(' ', relation, column_name, data_type, lower || ' .. ' || upper, public_values, '(' || public_by || ')',
		is_unit, max_rows_per_unit, max_groups_per_unit, on_repeat), E'\n') FROM dp_columns$$),
	'people id integer t 1 1 replay
people age public.years 0 .. 120 (computed from bounds) f 1 1 replay
people born date 1900-01-01 .. 2020-12-31 f 1 1 replay
people seen timestamp without time zone 1999-12-31 23:59:59.5 .. 2030-01-01 00:00:00 f 1 1 replay
people logged timestamp with time zone 2001-07-01 02:00:00+02 .. 2002-07-01 02:00:00+02 f 1 1 replay
people opens time without time zone 06:00:00 .. 24:00:00 f 1 1 replay
people stay interval 01:00:00 .. 30 days 02:00:00 f 1 1 replay
people smoker boolean {false,true} (type) f 1 1 replay
people feels public.mood {low,high} (type) f 1 1 replay
people town text (foreign key to public.towns) f 1 1 replay
people born_in text f 1 1 replay
people code character varying(3) {b,a} (declared) f 1 1 replay
people income numeric(8,2) -10.5 .. 99999 f 1 1 replay', 'what may be asked, column by column');
RESET timezone;
SELECT is(t.run('rvi_bob', $$SELECT string_agg(concat_ws(' ', relation, column_name, lower || ' .. ' || upper, public_by, is_unit, max_rows_per_unit, max_groups_per_unit, on_repeat), ', ') FROM dp_columns$$),
	'visits id f 7 3 refuse, visits person t 7 3 refuse, visits cost 0 .. 100000000 f 7 3 refuse, lab visit t 9 1 refuse, lab blood f 9 1 refuse', 'by a group''s shared budget, along a path');
SELECT is(t.run(who, 'SELECT coalesce(string_agg(DISTINCT relation || '' '' || population, '', ''), ''none'') FROM dp_columns'), wanted, who)
FROM (VALUES ('rvi_owner', 'none'), ('rvi_eve', 'others public.others'), ('rvi_team', 'lab public.visits, visits public.visits'), ('postgres', 'none')) AS v (who, wanted);

-- a budget for some of the relations
SELECT dp_noise.set_budget('rvi_bob', 'visits', 1, relations => '{lab}') \g /dev/null
SELECT is(t.run('rvi_bob', 'SELECT string_agg(concat_ws('' '', role, relations), '', '' ORDER BY role) FROM dp_budget'), 'rvi_bob {lab}, rvi_team {visits,lab}', 'dp_budget');
SELECT is(t.run('rvi_bob', 'SELECT count(*) || '' '' || string_agg(relation::text, '','' ORDER BY relation::text) FROM dp_relations'), '2 lab,visits', 'dp_relations: a row each');
SELECT is(t.run('rvi_bob', 'SELECT string_agg(DISTINCT relation::text, '','') FROM dp_columns'), 'lab,visits', 'what any of the budgets lets one ask about');
REVOKE rvi_team FROM rvi_bob;
SELECT is(t.run('rvi_bob', 'SELECT string_agg(DISTINCT relation::text, '','') FROM dp_columns'), 'lab', 'without the group''s');
GRANT rvi_team TO rvi_bob;
SELECT dp_noise.drop_budget('rvi_bob', 'visits') \g /dev/null
SELECT dp_noise.unprotect('others') \g /dev/null
SELECT is(t.run('rvi_eve', 'SELECT count(*) FROM dp_columns'), '0', 'what is not protected any more');

-- dp_history: own charges
SELECT is(t.ask('rvi_ann', 'people', 0.5, 'a', 1e-7, 'answer'), 'charged');
SELECT is(t.ask('rvi_ann', 'people', 0.25, 'b'), 'charged');
SELECT is(t.ask('rvi_ann', 'people', 0.5, 'a', 1e-7, 'answer'), 'replayed answer');
SELECT is(t.ask('rvi_bob', 'visits', 2, 'a'), 'charged');
CREATE FUNCTION t.history(who text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, $q$SELECT coalesce(string_agg(concat_ws(' ', population, coalesce(asked_about::text, 'gone'), aggregate, mechanism, trim_scale(epsilon), rho > 0, trim_scale(delta), replays, shared, rtrim(encode(question, 'escape'), '\000'),
		at BETWEEN now() - interval '1 hour' AND clock_timestamp()), ', '), 'none') FROM dp_history$q$)
$$;
SELECT is(t.history('rvi_ann'), 'public.people people charge none 0.5 t 0.0000001 t f a t, public.people people charge none 0.25 t 0 f f b t', 'own charges, and whether they replay');
SELECT is(t.history('rvi_bob'), 'public.visits visits charge none 2 t 0 f f a t', 'of a group''s budget, too');
SELECT is(t.history(who), 'none', who) FROM unnest('{rvi_owner,rvi_team,rvi_eve,postgres}'::text[]) AS who;
SELECT dp_noise.alter_population('people', answers_expire => '1 day') \g /dev/null
UPDATE dp_noise_ledger.answer SET at = at - interval '1 day';
SELECT is(t.history('rvi_ann'), 'public.people people charge none 0.5 t 0.0000001 f f a t, public.people people charge none 0.25 t 0 f f b t', 'what has expired is asked anew');
SELECT dp_noise.alter_population('people', answers_expire => '1 month') \g /dev/null
UPDATE dp_noise_ledger.answer SET at = at - interval '29 days 10 hours';
SELECT is(t.history('rvi_ann'), 'public.people people charge none 0.5 t 0.0000001 f f a t, public.people people charge none 0.25 t 0 f f b t', 'a month has 30 days');
ALTER ROLE rvi_ann RENAME TO rvi_anna;
SELECT is(t.run('rvi_anna', 'SELECT count(*) FROM dp_columns'), '0', 'a renamed role has no budget');
SELECT is(t.run('rvi_anna', 'SELECT count(*) FROM dp_budget'), '0');
CREATE ROLE rvi_ann;
SELECT is(t.history('rvi_ann'), 'none', 'another of its name sees nothing');
ALTER ROLE rvi_ann RENAME TO rvi_other;
ALTER ROLE rvi_anna RENAME TO rvi_ann;
ALTER ROLE rvi_other RENAME TO rvi_anna;
SELECT is(left(t.history('rvi_ann'), 34), 'public.people people charge none 0', 'its name again: what it asked');
DROP TABLE lab, visits, people;
SELECT is(left(t.history('rvi_ann'), 32), 'public.people gone charge none 0', 'of a relation that is gone');

-- a function in WHERE is no way around the view's own condition
SET ROLE rvi_bob;
CREATE FUNCTION peep(text) RETURNS bool LANGUAGE plpgsql COST 0.000001 AS $$ BEGIN RAISE EXCEPTION 'saw %', $1; END $$;
RESET ROLE;
SELECT is(t.run('rvi_bob', 'SELECT count(*) FROM dp_history WHERE peep(epsilon::text)'), 'P0001: saw 2', 'only its own');
SELECT is(t.run('rvi_eve', 'SELECT count(*) FROM dp_columns WHERE peep(column_name)'), '0', 'and none');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY rvi_owner, rvi_ann, rvi_anna, rvi_bob, rvi_team, rvi_eve CASCADE;
DROP ROLE rvi_owner, rvi_ann, rvi_anna, rvi_bob, rvi_team, rvi_eve;
