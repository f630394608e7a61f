-- What holds where nothing else is said: repeated questions replay, the epsilon of
-- budgets stands in for a session's; and how stored answers expire and are forgotten.
\ir support/gate.sql
SELECT no_plan();
CREATE ROLE gate_role_default LOGIN;
CREATE ROLE gate_team;
GRANT gate_team TO gate_bob;
CREATE FUNCTION t.spent(who text) RETURNS text LANGUAGE sql AS $$
	SELECT trim_scale(epsilon_spent)::text FROM dp_noise.budgets WHERE role = who AND population = 'public.patients'
$$;
-- Aggregate by aggregate what EXPLAIN says of epsilon.
CREATE FUNCTION t.epsilons(who text, command text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' from ', a->>'Epsilon', a->>'Epsilon From'), ', ' ORDER BY n)
	FROM jsonb_path_query(t.run(who, 'EXPLAIN (FORMAT JSON) ' || command)::jsonb, 'lax $.** ? (@."Custom Plan Provider" == "DP Release")') AS r,
		jsonb_array_elements(r->'Private Aggregates') WITH ORDINALITY AS x (a, n)
	WHERE r ? 'Protected Relation' OR r ? 'Protected Relations'
$$;
CREATE FUNCTION t.charged(last int) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(aggregate || ' ' || trim_scale(epsilon), ', ' ORDER BY at) FROM (SELECT * FROM dp_noise.ledger ORDER BY at DESC LIMIT last) AS l
$$;

-- on_repeat, share_answers
CREATE TABLE plain (id integer);
SELECT dp_noise.protect('plain', epsilon => 1) \g /dev/null
SELECT is((SELECT concat_ws(' ', on_repeat, share_answers, answers_expire, accountant) FROM dp_noise.populations WHERE population = 'public.plain'), 'replay t pure', 'repeated questions replay, for all and for ever');
SELECT dp_noise.alter_population('patients', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'patients', 100) \g /dev/null
SELECT t.run('gate_ann', 'SELECT dp_count(*) FROM patients') AS first \gset
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients'), :'first', 'the same answer');
SELECT is(t.spent('gate_ann'), '1', 'for free');

-- default_epsilon
SELECT dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'patients', 100, default_epsilon => 0.25) \g /dev/null
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*), dp_sum(age), dp_sum(age, 0, 120, 0.5) FROM patients'),
	'0.25 from default_epsilon of a budget, 0.25 from default_epsilon of a budget, 0.5', 'what EXPLAIN says');
SELECT is(left(t.run('gate_ann', 'SELECT dp_count(*) FROM patients'), 1) <> '', true);
SELECT is(t.charged(1), 'dp_count 0.25', 'it is charged');
SELECT is(t.run('gate_ann', 'SELECT queries_left FROM dp_budget'), '395', 'and dp_budget counts with it');
SELECT is(t.run('gate_ann', 'SELECT default_epsilon FROM dp_budget'), '0.25', 'which shows it');
SELECT isnt(t.run('gate_ann', 'SELECT dp_count(*), dp_sum(age, 0, 120, 0.5), dp_median(age), dp_variance(age) FROM patients WHERE smoker'), '');
SELECT is(t.charged(4), 'dp_count 0.25, dp_sum 0.5, dp_median 0.25, dp_variance 0.25', 'of aggregates that name none');
-- The built-in forms as well.
SELECT is(t.epsilons('gate_ann', 'SELECT count(*), avg(age) FROM patients'), '0.25 from default_epsilon of a budget, 0.25 from default_epsilon of a budget', 'of the server''s aggregates');

-- The session's own comes first, however it is set.
SET dp_noise.epsilon = 0.5;
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*) FROM patients'), '0.5 from dp_noise.epsilon', 'SET');
SELECT is(t.run('gate_ann', 'SELECT queries_left FROM dp_budget'), '195', 'dp_budget counts with that');
SET dp_noise.epsilon = 1;
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*) FROM patients'), '1 from dp_noise.epsilon', 'SET to what it is anyway');
RESET dp_noise.epsilon;
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*) FROM patients'), '0.25 from default_epsilon of a budget', 'RESET');
SET dp_noise.rho = 0.5;
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*) FROM patients') LIKE '1.0% from dp_noise.rho', true, 'dp_noise.rho');
RESET dp_noise.rho;
BEGIN;
SET LOCAL dp_noise.epsilon = 2;
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*) FROM patients'), '2 from dp_noise.epsilon', 'SET LOCAL');
ROLLBACK;
SELECT is(t.epsilons('gate_ann', 'SELECT dp_count(*) FROM patients'), '0.25 from default_epsilon of a budget', 'and after it');

-- ALTER ROLE ... SET
ALTER ROLE gate_role_default SET dp_noise.epsilon = 0.125;
SELECT dp_noise.set_budget('gate_role_default', 'patients', 1, default_epsilon => 0.25) \g /dev/null
\setenv PGDATABASE :DBNAME
\set asked `psql -XqAt -U gate_role_default -c 'SELECT dp_count(*) > -1e6 FROM patients' 2>&1`
SELECT is(:'asked'::text, 't', 'a role''s own setting');
SELECT is(t.spent('gate_role_default'), '0.125', 'is what it is charged');
ALTER ROLE gate_role_default RESET dp_noise.epsilon;
\set asked `psql -XqAt -U gate_role_default -c 'SELECT dp_count(*) > -1e6 FROM patients' 2>&1`
SELECT is(t.spent('gate_role_default'), '0.375', 'without it the budget''s');

-- A plan that is kept: what counts is the session when it is executed.
\set asked `psql -XqAt -U gate_role_default -c 'PREPARE q AS SELECT dp_count(*) > -1e6 FROM patients' -c 'SET plan_cache_mode = force_generic_plan' -c 'EXECUTE q' -c 'SET dp_noise.epsilon = 0.0625' -c 'EXECUTE q' -c 'RESET dp_noise.epsilon' -c 'EXECUTE q' 2>&1`
SELECT is(:'asked'::text, E't\nt\nt');
SELECT is(t.charged(3), 'dp_count 0.25, dp_count 0.0625, dp_count 0.25', 'a prepared statement');
SELECT dp_noise.drop_budget('gate_role_default', 'patients') \g /dev/null

-- What is drawn is what is charged: with much epsilon the answer is exact, and with
-- little it is not.
SELECT dp_noise.set_budget('gate_ann', 'patients', 10000000, default_epsilon => 1000) \g /dev/null
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) || '' '' || dp_sum(id, 0, 1000) || '' '' || dp_max(age) FROM patients'), '1000 500500 89', 'noise of the budget''s epsilon');
SELECT is(t.run('gate_ann', 'SELECT string_agg(n::text, '' '') FROM (SELECT dp_count(*) AS n FROM patients GROUP BY smoker ORDER BY smoker) AS s'), '667 333 0', 'of groups, null''s among them');
SELECT dp_noise.set_budget('gate_ann', 'patients', 10000000, default_epsilon => 0.000001, min_epsilon_per_query => NULL) \g /dev/null
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE id > 0') = '1000', false, 'and of little (by chance in one of 10^6)');
SET dp_noise.epsilon = 1000;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients'), '1000', 'noise of the session''s');
RESET dp_noise.epsilon;
-- Groups by private keys are selected with it, too.
SELECT dp_noise.set_budget('gate_ann', 'patients', 10000000, 1e-3, default_epsilon => 100) \g /dev/null
SET dp_noise.delta = 1e-4;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT city, dp_sum(age) FROM patients GROUP BY city) AS s'), '10', 'private keys');
SELECT is(t.charged(2), 'dp_sum 100, selection of groups 100', 'their selection is charged so');
RESET dp_noise.delta;

-- Of several budgets the least.
SELECT dp_noise.set_budget('gate_bob', 'patients', 100, default_epsilon => 0.5),
	dp_noise.set_budget('gate_team', 'patients', 100, shared => true, default_epsilon => 0.4) \g /dev/null
SELECT is(t.epsilons('gate_bob', 'SELECT dp_count(*) FROM patients'), '0.4 from default_epsilon of a budget', 'a group''s is less');
SELECT is(t.run('gate_bob', 'SELECT DISTINCT queries_left FROM dp_budget'), '250', 'so says dp_budget');
SET ROLE gate_owner;
CREATE TABLE public.treated (id integer PRIMARY KEY);
CREATE TABLE public.called (id integer PRIMARY KEY);
SELECT dp_noise.protect(r, 'id', epsilon => 1000, delta => 1) FROM unnest('{treated,called}'::regclass[]) AS r \g /dev/null
SELECT dp_noise.set_budget('gate_bob', 'treated', 100, default_epsilon => 0.125), dp_noise.set_budget('gate_bob', 'called', 100, default_epsilon => 0.25) \g /dev/null
RESET ROLE;
SELECT is(t.epsilons('gate_bob', 'SELECT dp_count(*) FROM called JOIN treated USING (id)'), '0.125 from default_epsilon of a budget', 'of several populations');
SELECT dp_noise.drop_budget('gate_team', 'patients') \g /dev/null
SELECT is(t.epsilons('gate_bob', 'SELECT dp_count(*) FROM patients'), '0.5 from default_epsilon of a budget', 'what is dropped does not count');

-- max_epsilon_per_query stays
SELECT dp_noise.set_budget('gate_bob', 'patients', 100, default_epsilon => 0.5, max_epsilon_per_query => 0.75) \g /dev/null
SELECT is(t.run('gate_bob', 'SELECT dp_count(*), dp_sum(age) FROM patients'), '53400: query on "patients" asks for too much epsilon at once', 'two of them are too much');
-- with privacy levels it names the level
SELECT dp_noise.set_levels('patients', '{0.1,0.5,1}') \g /dev/null
SELECT is(t.epsilons('gate_bob', 'SELECT dp_count(*) FROM patients'), '0.5 from default_epsilon of a budget', 'a level');
SELECT isnt(t.run('gate_bob', 'SELECT dp_count(*) FROM patients'), '');
SELECT is(t.charged(1), 'dp_count 0.5', 'which is paid');
SELECT dp_noise.set_levels('patients', NULL) \g /dev/null
SELECT throws_ok(format('SELECT dp_noise.set_budget(''gate_bob'', ''patients'', 1, default_epsilon => %s)', wrong), '22023', NULL, wrong)
FROM unnest('{0,-1,''NaN'',''Infinity'',0.0000001,1000001,0.1234567890123456,"1, max_epsilon_per_query => 0.5","0.1, min_epsilon_per_query => 0.5"}'::text[]) AS wrong;

-- Answers expire by the population's setting: what is older is asked anew, and charged.
SELECT dp_noise.alter_population('patients', on_repeat => 'replay', answers_expire => '1 day'), dp_noise.set_budget('gate_bob', 'patients', 3, period => '1 hour', default_epsilon => 1) \g /dev/null
CREATE FUNCTION t.wait(how_long interval) RETURNS void LANGUAGE sql AS $$
	UPDATE dp_noise_ledger.spending SET since = since - how_long;
	UPDATE dp_noise_ledger.answer SET at = at - how_long
$$;
SELECT t.wait('2 days');
SELECT t.run('gate_bob', 'SELECT dp_sum(age) FROM patients') AS first \gset
SELECT is(t.run('gate_bob', 'SELECT dp_sum(age) FROM patients'), :'first', 'within the day: the stored answer');
SELECT is(t.spent('gate_bob'), '1');
SELECT t.wait('23 hours');
SELECT is(t.run('gate_bob', 'SELECT dp_sum(age) FROM patients'), :'first', 'still, though the budget has refilled meanwhile');
SELECT is(t.spent('gate_bob'), '0');
SELECT t.wait('1 hour');
SELECT is(t.run('gate_bob', 'SELECT replays FROM dp_history ORDER BY at DESC LIMIT 1'), 'false', 'after the day it is not replayed');
SELECT isnt(t.run('gate_bob', 'SELECT dp_sum(age) FROM patients'), '');
SELECT is(t.spent('gate_bob'), '1', 'but charged anew');
SELECT is(t.charged(1), 'dp_sum 1');
SELECT dp_noise.alter_population('patients', answers_expire => '0') \g /dev/null

-- forget_answers: what it was about is charged anew
SELECT dp_noise.set_budget('gate_bob', 'patients', 100), dp_noise.set_budget('gate_ann', 'patients', 100000000) \g /dev/null
SELECT t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients') AS first \gset
SELECT t.spent('gate_bob') AS spent \gset
SELECT clock_timestamp() AS time \gset
SELECT t.run('gate_bob', 'SELECT dp_sum(big, 0, 100) FROM patients') AS second \gset
SELECT is(t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients'), :'first', 'stored');
SELECT is(t.run('gate_owner', format('SELECT dp_noise.forget_answers(''patients'', %L)', :'time')), '', 'the owner forgets');
SELECT is(t.run('gate_bob', 'SELECT dp_sum(big, 0, 100) FROM patients'), :'second', 'not what was stored later');
SELECT is(t.spent('gate_bob')::numeric - :spent, 1.0);
SELECT is(t.run('gate_bob', 'SELECT coalesce(bool_or(replays), false) FROM dp_history WHERE at < ' || quote_literal(:'time')), 'false', 'dp_history knows');
SELECT isnt(t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients'), '', 'asked again');
SELECT is(t.spent('gate_bob')::numeric - :spent, 2.0, 'and charged again');
SELECT is(t.run('gate_owner', 'SELECT dp_noise.forget_answers(now())'), '', 'of all populations of an owner');
SELECT is((SELECT count(*) FROM dp_noise_ledger.answer WHERE state <> 'asked'), 0::bigint);
-- under refuse too
SELECT dp_noise.alter_population('patients', on_repeat => 'refuse') \g /dev/null
SELECT isnt(t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients'), '');
SELECT is(t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients') LIKE '53400: %was answered before%', true, 'refused');
SELECT is(t.run('gate_owner', 'SELECT dp_noise.forget_answers(now())'), '');
SELECT is(t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients') LIKE '53400%', false, 'asked once more');
SELECT is(t.spent('gate_bob')::numeric - :spent, 4.0, 'never free');
-- A question whose answer is not known stays asked.
UPDATE dp_noise_ledger.answer SET state = 'asked', answer = NULL, at = at - interval '1 day';
SELECT is(t.run('gate_owner', 'SELECT dp_noise.forget_answers(now())'), '');
SELECT is(t.run('gate_bob', 'SELECT dp_sum(small, 0, 100) FROM patients') LIKE '53400: %asked before%', true, 'a statement may be running');
-- who may
SELECT is(t.run('gate_bob', 'SELECT dp_noise.forget_answers(''patients'', now())'), '42501: must be owner of population public.patients', 'not an analyst');
SELECT is(t.run('gate_bob', 'SELECT dp_noise.forget_answers(now())'), '', 'who owns nothing forgets nothing');
SELECT is(t.run('gate_bob', 'SELECT dp_noise.do_forget_answers(''patients'', now())'), '42501: permission denied for function do_forget_answers');
SELECT is(t.run('gate_owner', 'SELECT dp_noise.forget_answers(''patients'', NULL)'), '22004: before must not be null');
SELECT is((SELECT count(*) > 0 FROM dp_noise_ledger.answer), true);

SELECT * FROM finish();
DROP OWNED BY gate_role_default, gate_team;
DROP ROLE gate_role_default, gate_team;
\ir support/gate_end.sql
