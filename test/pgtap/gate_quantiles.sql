-- dp_quantiles_exp over a protected table: charged once for all fractions,
-- replayed as an array, by groups, over units and under substitution.
\ir support/gate.sql
SELECT no_plan();

SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1e12) \g /dev/null

SELECT t.accept(format('SELECT dp_quantiles_exp(%s, ARRAY[0.25, 0.5, 0.75], 0, 120) FROM patients', name)) FROM unnest('{age,small,big,bmi,temperature,weight}'::text[]) AS name;
SELECT t.accept('SELECT dp_quantiles_exp(age, ''{0.1,0.5,0.5}'') FROM patients WHERE smoker');
SELECT is((SELECT row(aggregate, mechanism, epsilon) FROM dp_noise.ledger ORDER BY at DESC LIMIT 1)::text, '(dp_quantiles_exp,exponential,1)', 'one charge for all fractions, declared bounds');
SELECT is(t.run('gate_ann', 'SELECT dp_quantiles_exp(age, ARRAY[0, 1], 0, 89, 1000000) FROM patients'), '{0,89}', 'the ends');
SELECT is(t.explained('SELECT dp_quantiles_exp(age, ARRAY[0.25, 0.5, 0.875]) FROM patients', 'Mechanism'), 'exponential', 'EXPLAIN tells the mechanism');
SELECT is(t.explained('SELECT dp_quantiles_exp(age, ARRAY[0.25, 0.5, 0.875]) FROM patients', 'Sensitivity'), '0.75', 'the greatest sensitivity of a score');
SELECT is(t.explained('SELECT dp_quantiles_exp(age, ARRAY[0.25, 0.5, 0.875]) FROM patients', 'Epsilon'), '1', 'and the price');
SELECT t.refuse('22023', q) FROM unnest(ARRAY['SELECT dp_quantiles_exp(age, ''{}'') FROM patients', 'SELECT dp_quantiles_exp(age, ARRAY[2]) FROM patients',
	'SELECT dp_quantiles_exp(small, ARRAY[0.5]) FROM patients']) AS q;
SELECT t.refuse('0A000', q) FROM unnest(ARRAY['SELECT dp_quantiles_exp(age, ARRAY[bmi], 0, 10) FROM patients', 'SELECT dp_quantiles_exp(age, ARRAY[random()], 0, 10) FROM patients',
	'SELECT dp_quantiles_exp(age, (SELECT ARRAY[p.bmi]), 0, 10) FROM patients AS p']) AS q;

-- Fractions as parameters, one for all or one each.
SELECT t.run('gate_ann', 'PREPARE fractions(float8[]) AS SELECT dp_quantiles_exp(age, $1, 0, 89, 1000000) FROM patients') \g /dev/null
SELECT t.run('gate_ann', 'PREPARE two(float8, float8) AS SELECT dp_quantiles_exp(age, ARRAY[$1, $2], 0, 89, 1000000) FROM patients') \g /dev/null
SELECT is(t.run('gate_ann', command), answer, command) FROM (VALUES ('EXECUTE fractions(''{1,0}'')', '{89,0}'), ('EXECUTE two(0, 1)', '{0,89}'), ('EXECUTE two(1, 1)', '{89,89}')) AS v (command, answer);
SELECT t.refuse('22023', command) FROM unnest('{"EXECUTE fractions(''{}'')","EXECUTE two(0, NULL)"}'::text[]) AS command;
SELECT t.run('gate_ann', 'PREPARE moody(public.mood, public.mood) AS SELECT dp_mode(feeling, ARRAY[$1, $2], 1000000) FROM patients') \g /dev/null
SELECT is(t.run('gate_ann', 'EXECUTE moody(''sad'', ''ok'')'), 'ok', 'declared values of a mode as parameters');

-- One question, one answer; another list is another question.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse') \g /dev/null
SELECT ok(t.run('gate_bob', 'SELECT dp_quantiles_exp(age, ARRAY[0.25, 0.75], 0, 50) FROM patients') ~ '^\{\d+,\d+\}$', 'asked');
SELECT is(t.run('gate_bob', q), '53400: this question about "patients" was answered before', 'asked again: ' || q)
FROM unnest(ARRAY['SELECT dp_quantiles_exp(age, ''{0.250,7.5e-1}'', 0, 50.0, 2) FROM patients', 'SELECT dp_quantiles_exp(age, ARRAY[0.25, 1.5 / 2], 0, 50) FROM patients']) AS q;
SELECT ok(t.run('gate_bob', 'SELECT dp_quantiles_exp(age, ARRAY[0.75, 0.25], 0, 50) FROM patients') ~ '^\{\d+,\d+\}$', 'another order');

-- Replayed as it was, on every type and in groups.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay') \g /dev/null
SELECT is(t.run('gate_bob', q), t.run('gate_bob', q), 'replayed: ' || q)
FROM (SELECT format('SELECT dp_quantiles_exp(%s, ARRAY[0.2, 0.7], 0, 120, 0.01)::text FROM patients', name) AS q FROM unnest('{age,small,big,bmi,temperature,weight}'::text[]) AS name) AS s;
SELECT is(t.run('gate_bob', q), t.run('gate_bob', q), 'replayed in groups')
FROM (VALUES ('SELECT string_agg(smoker::text || q::text, '' '' ORDER BY smoker) FROM (SELECT smoker, dp_quantiles_exp(bmi, ARRAY[0.2, 0.7], 0, 120, 0.01) AS q FROM patients GROUP BY smoker) AS s')) AS v (q);
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat(coalesce(smoker::text, ''null''), q), '' '' ORDER BY smoker) FROM (SELECT smoker, dp_quantiles_exp(age, ARRAY[1, 0.5], 0, 30, 1000000) AS q FROM patients WHERE age >= 30 AND smoker IS NOT NULL GROUP BY smoker) AS s WHERE smoker IS NOT NULL'),
	'false{30,30} true{30,30}', 'groups');
SELECT is(t.run('gate_ann', 'SELECT q[1] FROM (SELECT dp_quantiles_exp(age, ARRAY[1, 0], 0, 89, 1000000) AS q FROM patients OFFSET 0) AS s'), '89', 'what is released is an array like others');

-- Units of several rows, and substitution.
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, age integer);
INSERT INTO public.visits SELECT p, i * 10 FROM generate_series(1, 300) AS p, generate_series(1, 1 + p % 12) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_quantiles_exp(age, ARRAY[0, 0.3, 1], 10, 120, 1000000) FROM visits') ~ '^\{10,\d+,120\}$', true, 'of units of four rows');
SELECT is(t.explained('SELECT dp_quantiles_exp(age, ARRAY[0.5], 0, 120) FROM visits', 'Sensitivity'), '2', 'whose sensitivity is that of four');
SELECT is(length((dp_noise.true_states('SELECT dp_quantiles_exp(age, ARRAY[0.5], 0, 120) FROM visits'))[1]), (2 + 16 * sum(least(n, 4)))::integer,
	'so many values of a unit count') FROM (SELECT count(*) AS n FROM public.visits GROUP BY person) AS u;
SELECT dp_noise.protect('public.visits', neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.run('gate_ann', 'SELECT dp_quantiles_exp(age, ARRAY[0, 0.3, 1], 10, 120, 1000000) FROM visits') ~ '^\{10,\d+,120\}$', true, 'of substituted rows');
SELECT is(t.explained('SELECT dp_quantiles_exp(age, ARRAY[0.25, 0.5, 0.75], 0, 120) FROM visits', 'Sensitivity'), '1', 'whose sensitivity at the root is 1');
SELECT t.refuse('42501', q) FROM unnest(ARRAY['SELECT dp_count(*), dp_noise.quantiles_of_rows(age, ARRAY[0.5], 0, 1, 1000000, NULL, 0, false, false) FROM visits',
	'SELECT dp_noise.quantiles_of_units_state(NULL::integer, ARRAY[0.5], 0, 1, 1, NULL, 1, 0, false, false, NULL) FROM visits']) AS q;

SELECT * FROM finish();
\ir support/gate_end.sql
