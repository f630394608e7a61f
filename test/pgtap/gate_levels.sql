-- Privacy levels: a question of several roles is drawn once, as a chain; each
-- reads its own level and pays for that, the population's grant for the highest,
-- once.
\ir support/gate.sql
SELECT no_plan();

CREATE ROLE gate_eve LOGIN;
SELECT dp_noise.set_bounds('public.patients', 'weight', 0, 100), dp_noise.set_bounds('public.patients', 'big', 0, 1000),
	dp_noise.set_bounds('public.patients', 'bmi', 0, 100) \g /dev/null
SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse'), dp_noise.set_budget(r, 'public.patients', 100000) FROM unnest('{gate_ann,gate_bob,gate_eve}'::regrole[]) AS r \g /dev/null
SELECT dp_noise.alter_population('public.patients', epsilon => 1000000, delta => 0) \g /dev/null

-- What one role hears at a level, and what was spent.
CREATE FUNCTION t.ask(role text, level text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', level, false);
	RETURN t.rows(query, role);
END
$$;
CREATE FUNCTION t.rows(query text, who text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	result text[] := '{}';
	state text;
	message text;
BEGIN
	EXECUTE format('SET SESSION AUTHORIZATION %I', who);
	BEGIN
		FOR r IN EXECUTE query LOOP
			result := result || trim(r::text, '()');
		END LOOP;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
		result := ARRAY[state || ': ' || message];
	END;
	RESET SESSION AUTHORIZATION;
	RETURN array_to_string(result, ' | ');
END
$$;
CREATE FUNCTION t.spent(who text DEFAULT NULL) RETURNS numeric LANGUAGE sql VOLATILE AS
	'SELECT epsilon_spent FROM dp_noise.budgets WHERE population = ''public.patients'' AND role IS NOT DISTINCT FROM who';

-- set_levels
SELECT throws_ok(format('SELECT dp_noise.set_levels(''public.patients'', %L)', l), '22023', NULL, 'set_levels ' || l)
FROM unnest(ARRAY['{}', '{0}', '{-1}', '{1,NULL}', '{1,1.0}', '{NaN}', '{0.0000001}', '{1000001}', '{{1,2},{3,4}}', '{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17}']) AS l;
SELECT throws_ok($$SELECT dp_noise.set_levels('pg_class', '{1}')$$, '55000', NULL, 'of what is not protected');
SELECT is(t.rows($$SELECT dp_noise.set_levels('public.patients', '{1}')$$, 'gate_ann'), '42501: must be owner of relation patients', 'an analyst may not');
SELECT is(t.rows($$SELECT dp_noise.set_levels('public.patients', '{0.1,1,0.5}')$$, 'gate_owner'), '""', 'the owner may');
SELECT is(levels, '{1,0.5,0.1}'::numeric[], 'sorted') FROM dp_noise_ledger.member WHERE relation = 'public.patients'::regclass;

-- One question, three roles.
CREATE TABLE t.asked AS SELECT
	t.ask('gate_bob', '0.1', 'SELECT dp_count(*), dp_sum(age), dp_sum(weight), dp_sum(big) FROM patients') AS low,
	NULL::text AS high, NULL::text AS same, NULL::numeric AS total;
SELECT is(t.spent('gate_bob'), 0.4, 'the role pays for its level');
SELECT is(t.spent(), 4::numeric, 'the grant for the highest');
UPDATE t.asked SET high = t.ask('gate_ann', '1', 'SELECT dp_count(*), dp_sum(age), dp_sum(weight), dp_sum(big) FROM patients'), total = t.spent();
SELECT is(t.spent('gate_ann'), 4::numeric, 'another role at another level');
SELECT is(t.spent(), 4::numeric, 'the grant pays once');
UPDATE t.asked SET same = t.ask('gate_eve', '0.1', 'SELECT dp_count(age), dp_sum(big), dp_sum(age), dp_sum(weight) FROM patients WHERE 1 = 1');
SELECT is(t.spent(), 4::numeric, 'the same questions in other words');
SELECT is((string_to_array(same, ','))[1:4], (string_to_array(low, ','))[1:1] || (string_to_array(low, ','))[4:4] || (string_to_array(low, ','))[2:3], 'who asks at the same level hears the same') FROM t.asked;
SELECT isnt(high, low, 'another level, another answer') FROM t.asked;
SELECT is(left(t.ask('gate_bob', '1', 'SELECT dp_count(*) FROM patients'), 6), '53400:', 'the same role is not answered at a second level');
SELECT is(t.spent(), 4::numeric, 'nor charged');

-- What is refused, and what is not in the chain.
SELECT is(t.ask('gate_bob', '0.2', 'SELECT dp_count(*) FROM patients WHERE age > 3'), '22023: dp_count over "patients" is answered at certain privacy levels only', 'another epsilon');
SELECT is(t.ask('gate_bob', '0.1', 'SELECT dp_sum(age, 0, 100, 0.3) FROM patients'), '22023: dp_sum over "patients" is answered at certain privacy levels only', 'as an argument');
SELECT is(t.ask('gate_bob', '0.1', format('SELECT dp_sum(age, 0, 100, 0.1, %L) FROM patients WHERE age > 4', m)), '22023: dp_sum over "patients" has one mechanism, for all its privacy levels', m)
FROM unnest('{staircase,truncated_laplace,geometric(quantum=5)}'::text[]) AS m;
SELECT matches(t.ask('gate_bob', '0.1', 'SELECT dp_sum(age, 0, 100, 0.5, ''laplace''), dp_count(1, 1, ''geometric'') FROM patients WHERE age > 5'), '^-?[0-9]+,-?[0-9]+$', 'levels and mechanisms as arguments');
SELECT is(t.ask('gate_bob', '0.1', 'SELECT id, dp_count(*) FROM patients GROUP BY id'),
	'0A000: GROUP BY of values that are not public cannot be used over "patients", which has privacy levels', 'private keys');
SELECT matches(t.ask('gate_bob', '0.3', 'SELECT dp_mean(age), dp_sum(bmi), dp_median_exp(age, 0, 100) FROM patients'), '^[0-9.]+,[0-9.]+,[0-9]+$', 'other aggregates have any epsilon, and each its own noise');

-- EXPLAIN
CREATE FUNCTION t.plan(role text, level text, query text) RETURNS text LANGUAGE sql AS $$ SELECT t.ask(role, level, 'EXPLAIN (COSTS off) ' || query) $$;
SELECT matches(t.plan('gate_owner', '1', 'SELECT dp_count(*) FROM patients WHERE age > 6'), 'Mechanism: geometric.*Epsilon: 1".*Privacy Levels: 1, 0.5, 0.1.*Answer: charged.*Budget: all together.*Epsilon to Pay: 1"', 'a new chain');
SELECT matches(t.plan('gate_owner', '0.1', 'SELECT dp_count(*) FROM patients WHERE age > 6'), 'Epsilon: 0.1.*Expected Error \(95%\): 30".*Budget: all together.*Epsilon to Pay: 1"', 'at a low level the grant pays for the highest');
SELECT matches(t.plan('gate_owner', '0.1', 'SELECT dp_count(*) FROM patients'), 'Total Epsilon: 0.1.*Budget: all together.*Epsilon to Pay: 0"', 'for what was drawn, nothing');

-- Whether a question was drawn already is told, since its answer is for everybody.
SELECT t.ask('gate_eve', '0.1', 'SELECT dp_count(*), dp_sum(age) FROM patients WHERE age > 60') \g /dev/null
SELECT matches(t.plan('gate_ann', '0.1', 'SELECT dp_count(*), dp_sum(age) FROM patients WHERE age > 60'), 'Answer: shared', 'a question that somebody else asked');
SELECT matches(t.plan('gate_ann', '0.5', 'SELECT dp_count(*), dp_sum(age) FROM patients WHERE age > 60'), 'Answer: shared', 'at any level');
SELECT matches(t.plan('gate_ann', '0.1', 'SELECT dp_count(*), dp_sum(age) FROM patients WHERE age > 61'), 'Answer: charged', 'one that nobody asked');
SELECT matches(t.plan('gate_eve', '0.1', 'SELECT dp_count(*), dp_sum(age) FROM patients WHERE age > 60'), 'Answer: refused', 'to the asker it is a repeated one');

-- Groups of public keys: each role reads the same chain in each group.
CREATE TABLE t.grouped AS SELECT t.ask('gate_ann', '0.5', 'SELECT smoker, feeling, dp_count(*) AS n FROM patients GROUP BY smoker, feeling ORDER BY 1, 2') AS first;
SELECT is(t.ask('gate_eve', '0.5', 'SELECT smoker, feeling, dp_count(*) AS n FROM patients GROUP BY feeling, smoker ORDER BY 1, 2'), first, 'groups') FROM t.grouped;
SELECT is(t.ask('gate_eve', '0.5', 'SELECT smoker, dp_count(*) FROM (SELECT * FROM numbers) AS n, LATERAL (SELECT 1) AS o, patients GROUP BY smoker') ~ '^0A000', true, 'joins of other shapes are refused as ever');

-- The joint law, as far as moments tell: 500 questions of which the truth is
-- 1000. The lower answer is the higher one and noise that knows nothing of it.
-- Bounds are 5 standard errors; the exact law is tested in test/unit/test_chain_step.c.
CREATE TABLE t.draws AS
SELECT t.ask('gate_ann', '1', q)::integer - 1000 AS high, t.ask('gate_bob', '0.1', q)::integer - 1000 AS low
FROM (SELECT format('SELECT dp_count(*) FROM patients WHERE age > -%s', i) AS q FROM generate_series(10, 509) AS i) AS s;
SELECT cmp_ok(abs(avg(high)), '<', 0.31, 'the highest has mean 0') FROM t.draws;
SELECT cmp_ok(abs(avg(low)), '<', 3.17, 'so has the lowest') FROM t.draws;
SELECT cmp_ok(abs(var_pop(high) - 1.841), '<', 1.1, 'variance of the highest: 1.84') FROM t.draws;
SELECT cmp_ok(abs(var_pop(low) - 199.8), '<', 101.0, 'of the lowest: 199.8') FROM t.draws;
SELECT cmp_ok(abs(covar_pop(low - high, high))::numeric, '<', 4.3, 'what is added does not depend on the highest') FROM t.draws;
SELECT cmp_ok(abs(covar_pop(low, high) - 1.841)::numeric, '<', 4.5, 'so their covariance is the variance of the highest') FROM t.draws;
SELECT is(t.spent(), 1::numeric * (500 + 4 + 2 + 1 + 2) + 0.9, 'each chain was charged once, and three answers of other aggregates');

-- Replay, and answer again: the chain is not drawn anew.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay') \g /dev/null
SELECT is(t.ask('gate_eve', '0.1', 'SELECT dp_sum(big), dp_sum(age), dp_sum(weight) FROM patients'), substr(same, strpos(same, ',') + 1), 'replayed') FROM t.asked;
SELECT is(t.ask('gate_eve', '1', 'SELECT dp_sum(big), dp_sum(age), dp_sum(weight) FROM patients'), substr(same, strpos(same, ',') + 1), 'whatever level is asked for') FROM t.asked;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer') \g /dev/null
CREATE TABLE t.eve AS SELECT t.spent('gate_eve') AS own, t.spent() AS total;
SELECT is(t.ask('gate_eve', '0.1', 'SELECT dp_sum(big), dp_sum(age), dp_sum(weight) FROM patients'), substr(same, strpos(same, ',') + 1), 'asked again: the same answer') FROM t.asked;
SELECT is(t.spent('gate_eve') - own, 0.3, 'which the role pays for') FROM t.eve;
SELECT is(t.spent() - total, 0::numeric, 'and the grant does not') FROM t.eve;
SELECT is(t.ask('gate_eve', '1', 'SELECT dp_count(*), dp_sum(age), dp_sum(weight), dp_sum(big) FROM patients'), high, 'at another level, that of the chain') FROM t.asked;

-- A grant that does not suffice for the highest level refuses a low one; what
-- was drawn is answered all the same.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse', epsilon => t.spent() + 0.9, delta => 0) \g /dev/null
SELECT is(left(t.ask('gate_ann', '0.1', 'SELECT dp_count(*) FROM patients WHERE age > 7'), 6), '53400:', 'the grant does not bear a new chain');
SELECT is(t.ask('gate_bob', '0.5', 'SELECT smoker, feeling, dp_count(*) AS n FROM patients GROUP BY smoker, feeling ORDER BY 1, 2'), first, 'but one that was drawn') FROM t.grouped;
SELECT dp_noise.alter_population('public.patients', epsilon => 1000000, delta => 0) \g /dev/null

-- Other levels are another chain; the grant pays again.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer') \g /dev/null
UPDATE t.eve SET total = t.spent();
SELECT dp_noise.set_levels('public.patients', '{2,0.1}') \g /dev/null
SELECT matches(t.ask('gate_eve', '0.1', 'SELECT dp_count(*) FROM patients'), '^[0-9]+$', 'other levels');
SELECT is(t.spent() - total, 2::numeric, 'are charged') FROM t.eve;

-- A prepared statement follows.
SELECT t.run('gate_eve', 'PREPARE q AS SELECT dp_count(*) FROM patients WHERE age > 8');
SET dp_noise.epsilon = 2;
SELECT matches(t.run('gate_eve', 'EXECUTE q'), '^[0-9]+$', 'prepared');
SELECT dp_noise.set_levels('public.patients', '{3}') \g /dev/null
SELECT is(left(t.run('gate_eve', 'EXECUTE q'), 6), '22023:', 'levels changed');
SELECT dp_noise.set_levels('public.patients', NULL) \g /dev/null
SELECT matches(t.run('gate_eve', 'EXECUTE q'), '^[0-9]+$', 'no levels');
SELECT is((SELECT count(levels) FROM dp_noise_ledger.member), 0::bigint, 'none are left');

-- A chain that has expired is drawn anew, and paid for.
CREATE TABLE public.long (i integer);
INSERT INTO public.long SELECT generate_series(1, 100);
SELECT dp_noise.protect('public.long', epsilon => 1e6, delta => 1), dp_noise.set_levels('public.long', '{1,0.01}'), dp_noise.alter_population('public.long', on_repeat => 'answer', answers_expire => '1 day'), dp_noise.set_budget('gate_bob', 'public.long', 1000000) \g /dev/null
CREATE TABLE t.days (day integer, answer text);
SELECT c.command FROM generate_series(1, 6) AS day CROSS JOIN generate_series(1, 5) AS turn
CROSS JOIN LATERAL (SELECT CASE turn WHEN 5 THEN 'UPDATE dp_noise_ledger.answer SET at = at - interval ''25 hours'''
	ELSE format('INSERT INTO t.days VALUES (%s, t.ask(''gate_bob'', ''0.01'', ''SELECT dp_count(*) FROM public.long''))', day) END) AS c (command)
ORDER BY day, turn \gexec
SELECT is(count(*), 6::bigint, 'one chain a day') FROM (SELECT DISTINCT day, answer FROM t.days) AS d;
SELECT cmp_ok(count(DISTINCT answer), '>', 1::bigint, 'a new one in each (all of six alike: below 1e-11)') FROM t.days;
SELECT ok(bool_and(answer ~ '^-?[0-9]+$'), 'answers alone') FROM t.days;
SELECT is(epsilon_spent, 6::numeric, 'paid for each day') FROM dp_noise.populations WHERE population = 'public.long';

-- Units of several rows: sensitivity is that of the unit, and of its groups.
CREATE TABLE public.stays (person integer, ward boolean NOT NULL, days integer);
INSERT INTO public.stays SELECT i % 100, i % 2 = 0, i % 7 FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 10, max_groups_per_unit => 2, epsilon => 1e6, delta => 1), dp_noise.set_levels('public.stays', '{100,1}'),
	dp_noise.set_bounds('public.stays', 'days', 0, 10) \g /dev/null
SELECT dp_noise.set_budget(r, 'public.stays', 1000000) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS r \g /dev/null
SELECT matches(t.plan('gate_ann', '1', 'SELECT ward, dp_count(*), dp_sum(days) FROM stays GROUP BY ward'), 'Privacy Levels: 100, 1.*Sensitivity: 10".*Expected Error \(95%\): 60".*Sensitivity: 100"', 'units');
CREATE TABLE t.stays AS SELECT t.ask('gate_ann', '100', 'SELECT ward, dp_count(*), dp_sum(days) FROM stays GROUP BY ward ORDER BY ward') AS high,
	t.ask('gate_bob', '1', 'SELECT ward, dp_count(*), dp_sum(days) FROM stays GROUP BY ward ORDER BY ward') AS low;
SELECT matches(high, '^f,(49[5-9]|50[0-5]),[0-9]+ \| t,(49[5-9]|50[0-5]),[0-9]+$', 'near the truth at a high level') FROM t.stays;
SELECT isnt(low, high, 'and not at a low one') FROM t.stays;

-- In many groups the sensitivity of all of them is more than one answer's may be.
-- The lowest level has the noise of them all too: 400 Laplace answers of scale 100 *
-- 16 / 0.5 about 0. Bounds are 7 standard errors of their mean absolute value.
CREATE TABLE public.trips (person integer, stop integer NOT NULL, fare numeric);
SELECT dp_noise.protect('public.trips', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 16, epsilon => 1e6, delta => 1), dp_noise.set_levels('public.trips', '{20,0.5}'),
	dp_noise.set_bounds('public.trips', 'fare', 0, 100), dp_noise.set_budget('gate_ann', 'public.trips', 1000000),
	dp_noise.set_values('public.trips', 'stop', ARRAY(SELECT i::text FROM generate_series(1, 400) AS i)) \g /dev/null
SELECT matches(t.plan('gate_ann', '0.5', 'SELECT stop, dp_sum(fare) FROM trips GROUP BY stop'), 'Expected Error \(95%\): 9586\M', 'what is claimed of units in many groups');
CREATE TABLE t.trips AS SELECT t.ask('gate_ann', '0.5', 'SELECT round(avg(abs(s))) FROM (SELECT stop, dp_sum(fare) AS s FROM trips GROUP BY stop) AS q')::numeric AS noise;
SELECT cmp_ok(noise, '>', 0.65 * 3200, 'is drawn at the lowest level') FROM t.trips;
SELECT cmp_ok(noise, '<', 1.35 * 3200, 'and no more') FROM t.trips;

-- Which groups there are depends on what a policy lets a role see, so such roles
-- share no chain.
CREATE TABLE public.towns (id integer PRIMARY KEY);
INSERT INTO public.towns VALUES (1), (2), (3);
GRANT SELECT ON public.towns TO gate_ann, gate_bob;
ALTER TABLE public.towns ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_towns ON public.towns TO gate_ann USING (true);
CREATE POLICY own_towns ON public.towns TO gate_bob USING (id < 3);
CREATE TABLE public.calls (town integer NOT NULL REFERENCES public.towns);
INSERT INTO public.calls SELECT 1 + i % 3 FROM generate_series(1, 300) AS i;
SELECT dp_noise.protect('public.calls', epsilon => 1e6, delta => 1), dp_noise.set_levels('public.calls', '{1000}') \g /dev/null
SELECT dp_noise.set_budget(r, 'public.calls', 1000000) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS r \g /dev/null
SELECT is(t.ask('gate_ann', '1000', 'SELECT town, dp_count(*) FROM calls GROUP BY town ORDER BY town'), '1,100 | 2,100 | 3,100', 'who sees all groups');
SELECT is(t.ask('gate_bob', '1000', 'SELECT town, dp_count(*) FROM calls GROUP BY town ORDER BY town'), '1,100 | 2,100', 'who sees some of them');
SELECT is(epsilon_spent, 2000::numeric, 'each pays for a chain of the own groups') FROM dp_noise.budgets WHERE population = 'public.calls' AND role IS NULL;

-- Whether a chain can be stored depends on the groups, not on the answers, and
-- is said before anything is charged.
CREATE TABLE public.many (key integer NOT NULL, x numeric);
SELECT dp_noise.protect('public.many', epsilon => 1e6, delta => 1), dp_noise.set_levels('public.many', ARRAY(SELECT generate_series(1, 16))), dp_noise.set_budget('gate_ann', 'public.many', 1000),
	dp_noise.set_values('public.many', 'key', ARRAY(SELECT i::text FROM generate_series(1, 20000) AS i)) \g /dev/null
SELECT is(t.ask('gate_ann', '1', 'SELECT key, dp_sum(x, 0, 1) FROM public.many GROUP BY key'), '54000: too many groups in a question with privacy levels', 'too many groups');
SELECT is(epsilon_spent, 0::numeric, 'and nothing charged') FROM dp_noise.budgets WHERE population = 'public.many' AND role IS NULL;
SELECT is(t.ask('gate_ann', '1', 'SELECT count(*), count(n) FROM (SELECT dp_count(*) AS n FROM public.many GROUP BY key) AS s'), '20000,20000', 'shorter answers');

RESET SESSION AUTHORIZATION;
DROP OWNED BY gate_eve CASCADE;
SELECT * FROM finish();
\ir support/gate_end.sql
DROP ROLE gate_eve;
