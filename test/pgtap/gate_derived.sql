-- Questions about groups of one that was answered are answered from that, free.
\ir support/gate.sql
SELECT no_plan();

SELECT dp_noise.alter_population('patients', on_repeat => 'replay', share_answers => false) \g /dev/null
SELECT dp_noise.set_values('public.patients', 'city', '{city1,city2,city3}') \g /dev/null
SET dp_noise.epsilon = 0.01; -- two draws would be equal once in 400 times
SET dp_noise.empty_groups = show;
CREATE FUNCTION t.spent(who text DEFAULT 'gate_ann') RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT epsilon_spent FROM dp_noise.budgets WHERE role = who AND population = 'public.patients'
$$;
-- What a statement says, and what it costs in hundredths.
CREATE FUNCTION t.told(question text, expected text, cost numeric, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := t.spent();
BEGIN
	RETURN NEXT is(t.run('gate_ann', question), expected, what);
	RETURN NEXT is(t.spent() - before, cost / 100, what || ': the price');
END
$$;
-- What EXPLAIN says of the first aggregate.
CREATE FUNCTION t.answer(who text, question text) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT substring(t.run(who, 'EXPLAIN (FORMAT JSON) ' || question) FROM '"Answer": "([^"]*)"')
$$;
-- The groups that were answered, under a name.
CREATE VIEW t.stored AS SELECT feeling, smoker, dp_count(*) AS n, dp_sum(age) AS s, dp_mean(age) AS m, dp_low(dp_count(*)) AS low FROM patients GROUP BY feeling, smoker;
CREATE VIEW t.cities AS SELECT city, dp_count(*) AS n FROM patients GROUP BY city;
GRANT SELECT ON t.stored, t.cities TO gate_ann, gate_bob;
SELECT t.told('SELECT count(*) FROM t.stored', '12', 3, 'groups');
SELECT t.told('SELECT count(*) FROM t.cities', '4', 1, 'of declared values');

-- one group
SELECT t.told('SELECT (SELECT dp_count(*) FROM patients WHERE feeling = ''ok'' AND smoker) = n FROM t.stored WHERE feeling = ''ok'' AND smoker', 'true', 0, 'one group');
SELECT t.told('SELECT (SELECT dp_sum(age) FROM patients WHERE NOT smoker AND ''sad'' = feeling) = s FROM t.stored WHERE feeling = ''sad'' AND NOT smoker', 'true', 0, 'a sum');
SELECT t.told('SELECT (SELECT dp_mean(age) FROM patients WHERE smoker = true AND feeling IN (''sad'')) = m FROM t.stored WHERE feeling = ''sad'' AND smoker', 'true', 0, 'a mean');
SELECT t.told('SELECT (SELECT dp_low(dp_count(*)) FROM patients WHERE feeling = ''ok'' AND smoker) = low FROM t.stored WHERE feeling = ''ok'' AND smoker', 'true', 0, 'its interval');
SELECT t.told('SELECT (SELECT count(*) FROM patients WHERE feeling = ''ok'' AND smoker) = n FROM t.stored WHERE feeling = ''ok'' AND smoker', 'true', 0, 'the server''s aggregate');
SELECT t.told('SELECT (SELECT count(*) FROM patients WHERE city = ''city2'') = n FROM t.cities WHERE city = ''city2''', 'true', 0, 'a declared value');
SELECT t.told('SELECT (SELECT count(*) FROM patients WHERE city = $x$city2$x$::varchar) = n FROM t.cities WHERE city = ''city2''', 'true', 0, 'a value of another type of texts');

-- several groups of it
SELECT t.told('SELECT count(*) || '' '' || count(q.n = s.n OR NULL) FROM (SELECT feeling, dp_count(*) AS n FROM patients WHERE smoker GROUP BY 1) AS q JOIN t.stored AS s ON s.smoker AND q.feeling IS NOT DISTINCT FROM s.feeling', '4 4', 0, 'by the other key');
SELECT t.told('SELECT count(*) || '' '' || count(q.n = s.n OR NULL) FROM (SELECT smoker, feeling, dp_count(*) AS n FROM patients WHERE feeling IN (''ok'', ''sad'') GROUP BY 1, 2) AS q JOIN t.stored AS s ON q.smoker IS NOT DISTINCT FROM s.smoker AND q.feeling = s.feeling', '6 6', 0, 'by both keys');
SELECT t.told('SELECT count(*) || '' '' || count(q.n = s.n OR NULL) FROM (SELECT city, dp_count(*) AS n FROM patients WHERE city = ''city1'' OR city = ''city3'' GROUP BY 1) AS q JOIN t.cities AS s USING (city)', '2 2', 0, 'by the same key');

-- sums of groups
SELECT t.told('SELECT count(*) FROM patients WHERE city IN (''city1'', ''city3'')', t.run('gate_ann', 'SELECT count(*) FROM patients WHERE city IN (''city1'', ''city3'')'), 0, 'a sum of groups errs more, so it was charged');
SET dp_noise.epsilon = 0.001;
SELECT t.told('SELECT (SELECT count(*) FROM patients WHERE city IN (''city2'', ''city3'')) = sum(n) FROM t.cities WHERE city IN (''city2'', ''city3'')', 'true', 0, 'it errs less than at a lesser epsilon');
SELECT t.told('SELECT (SELECT dp_sum(age) FROM patients WHERE feeling <> ''ok'' AND feeling IN (''happy'', ''sad'') AND smoker) IS NULL', 'false', 0.1, 'another condition');
SELECT t.told('SELECT (SELECT dp_sum(age) FROM patients WHERE feeling IN (''happy'', ''sad'') AND smoker) = sum(s) FROM t.stored WHERE feeling IN (''happy'', ''sad'') AND smoker', 'true', 0, 'sums of sums');
SELECT t.told('SELECT (SELECT dp_mean(age) FROM patients WHERE feeling IN (''happy'', ''sad'') AND smoker) IS NULL', 'false', 0.1, 'means do not add up');
SELECT t.told('SELECT bool_and(q.n = s.n) FROM (SELECT smoker, dp_count(*) AS n FROM patients WHERE feeling IN (''ok'', ''sad'') GROUP BY 1) AS q JOIN (SELECT smoker, sum(n) AS n FROM t.stored WHERE feeling IN (''ok'', ''sad'') GROUP BY 1) AS s ON q.smoker IS NOT DISTINCT FROM s.smoker', 'true', 0, 'in each group');
-- a value may be in several groups
SET dp_noise.epsilon = 0.01;
SELECT t.told('SELECT count(*) FROM (SELECT feeling, count(DISTINCT city) FROM patients GROUP BY 1) AS q', '4', 1, 'distinct values by group');
SET dp_noise.epsilon = 0.001;
SELECT t.told('SELECT count(DISTINCT city) IS NULL FROM patients WHERE feeling IN (''ok'', ''sad'')', 'false', 0.1, 'do not add up');
SELECT t.told('SELECT count(DISTINCT city) IS NULL FROM patients WHERE feeling = ''ok''', 'false', 0, 'but are there one by one');
SELECT t.told('SELECT dp_high(dp_count(*)) - dp_low(dp_count(*)) BETWEEN 800 AND 900 FROM patients WHERE city IN (''city2'', ''city3'')', 'true', 0, 'the interval of a sum is wider than that of one');
SET dp_noise.epsilon = 0.01;

-- what is charged
SELECT t.told('SELECT dp_count(1, 0.02) IS NULL FROM patients WHERE feeling = ''ok'' AND smoker', 'false', 2, 'more epsilon');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE feeling = ''ok'' AND smoker', 'false', 0, 'what was charged is there from then on');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city = ''city4''', 'false', 1, 'a value that the groups lack');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city IN (''city1'', ''city4'')', 'false', 1, 'one of several');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city = ''city1'' AND age > 5', 'false', 1, 'a further condition');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city = ''city1'' OR age > 5', 'false', 1, 'or another');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city = ''city1'' AND smoker', 'false', 1, 'another key');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city <> ''city1''', 'false', 1, 'other values than one');
SELECT t.told('SELECT dp_sum(age, 0, 100) IS NULL FROM patients WHERE feeling = ''ok'' AND smoker', 'false', 1, 'other bounds');
SELECT t.told('SELECT dp_count(age > 5 OR NULL) IS NULL FROM patients WHERE feeling = ''ok'' AND smoker', 'false', 1, 'another argument');
SELECT t.told('SELECT count(*) FROM (SELECT feeling, dp_quantile_exp(age, 0.3) FROM patients GROUP BY 1) AS q', '4', 1, 'quantiles');
SELECT t.told('SELECT dp_quantile_exp(age, 0.3) IS NULL FROM patients WHERE feeling = ''ok''', 'false', 1, 'have no interval to compare');
SELECT t.told('SELECT count(*) FROM (SELECT smoker, feeling, dp_count(*) FROM patients WHERE age > 7 GROUP BY GROUPING SETS (1, 2)) AS q', '7', 1, 'groupings');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE age > 7 AND smoker', 'false', 1, 'are other questions');
SELECT t.told('SELECT dp_count(*) FILTER (WHERE age > 1) IS NULL FROM patients WHERE city = ''city1''', 'false', 1, 'FILTER');
SET dp_noise.derive_answers = off;
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE city = ''city3''', 'false', 1, 'turned off');
RESET dp_noise.derive_answers;

-- at private keys
SET dp_noise.delta = 0.1;
SET dp_noise.epsilon = 1;
SELECT t.told('SELECT count(*) > 3 FROM (SELECT label, dp_count(*) FROM patients GROUP BY 1) AS q', 'true', 100, 'private groups');
SELECT t.told('SELECT dp_count(*) IS NULL FROM patients WHERE label = ''l1''', 'false', 100, 'the count that selects a group');
RESET dp_noise.delta;
SET dp_noise.epsilon = 0.01;

-- EXPLAIN and prices
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'derived', 'EXPLAIN says it');
SELECT matches(t.run('gate_ann', 'EXPLAIN (FORMAT JSON) SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), '"Half Width \(95%\)": "300".*"Epsilon to Pay": "0"', 'with its error and price');
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker AND age > 0'), 'charged', 'and what is not');
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''ok'' AND smoker'), 'replayed', 'a stored answer comes first');
SELECT is(t.run('gate_ann', 'SELECT string_agg(answer || '' '' || epsilon, '', '' ORDER BY number) FROM dp_noise.price($x$SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker$x$, $x$SELECT dp_count(*), dp_sum(age) FROM patients WHERE city = ''city1''$x$)'), 'derived 0, charged 0.01', 'prices');
SELECT ok(t.run('gate_ann', 'SELECT epsilon_left FROM dp_noise.price($x$SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker$x$)')::numeric = 1000000 - t.spent(), 'what is left');
SELECT t.told('SELECT n IS NULL OR s IS NULL FROM (SELECT dp_count(*) AS n, dp_sum(age) AS s FROM patients WHERE city = ''city1'') AS q', 'false', 1, 'one aggregate of two');
PREPARE question(text) AS SELECT count(*) FROM patients WHERE city = $1;
GRANT gate_ann TO CURRENT_USER;
SELECT t.spent() AS before \gset
SET SESSION AUTHORIZATION gate_ann;
SELECT (SELECT n FROM t.cities WHERE city = 'city1') AS n \gset
EXECUTE question('city1') \gset prepared_
RESET SESSION AUTHORIZATION;
SELECT is(:'prepared_count'::text, :'n'::text, 'a parameter');
SELECT is(t.spent(), :before, 'is free');

-- who may
SELECT is(t.answer('gate_bob', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'charged', 'not from what others got');
SELECT dp_noise.alter_population('patients', share_answers => true) \g /dev/null
SELECT is(t.answer('gate_bob', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'charged', 'nor from what is shared, unpaid');
SELECT dp_noise.alter_population('patients', on_repeat => 'refuse') \g /dev/null
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'charged', 'not where repeated questions are refused');
SELECT dp_noise.alter_population('patients', on_repeat => 'answer') \g /dev/null
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'charged', 'nor where they are answered anew');
SELECT dp_noise.alter_population('patients', on_repeat => 'replay', answers_expire => interval '1 second'), pg_sleep(1.1) \g /dev/null
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'charged', 'nor when they have expired');
SELECT dp_noise.alter_population('patients', answers_expire => interval '1 year') \g /dev/null
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'derived', 'but before');
SELECT dp_noise.set_budget('gate_ann', 'public.patients', t.spent(), delta => 1) \g /dev/null
SELECT t.told('SELECT (SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker) = n FROM t.stored WHERE feeling = ''happy'' AND smoker', 'true', 0, 'with nothing left');
SELECT dp_noise.drop_budget('gate_ann', 'public.patients') \g /dev/null
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), '^42501', 'not without a budget');
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1000000, delta => 1) \g /dev/null
SELECT dp_noise.forget_answers('public.patients', now()) \g /dev/null
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM patients WHERE feeling = ''happy'' AND smoker'), 'charged', 'nor when they are forgotten');

-- units of several rows are bounded in each question in another way
SET ROLE gate_owner;
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer NOT NULL, ward public.mood NOT NULL);
INSERT INTO public.stays SELECT i, i / 3, 'ok' FROM generate_series(1, 300) AS i;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 2, max_groups_per_unit => 1, epsilon => 1e6), dp_noise.set_budget('gate_ann', 'public.stays', 1000) \g /dev/null
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT ward, dp_count(*) FROM stays GROUP BY 1) AS q'), '3', 'groups of units');
SELECT is(t.answer('gate_ann', 'SELECT dp_count(*) FROM stays WHERE ward = ''ok'''), 'charged', 'are bounded otherwise');

\ir support/gate_end.sql
SELECT finish();
