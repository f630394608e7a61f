-- Who asks what another role got answered gets that answer: numbers, groups with
-- public keys, groups that were selected; and not where the answer could be
-- another one.
\ir support/gate.sql
SELECT no_plan();

SELECT dp_noise.alter_population('patients', on_repeat => 'replay');
SET dp_noise.epsilon = 0.01; -- two draws would be equal once in 400 times, or less
SET dp_noise.delta = 1e-6;

-- What a statement says, and what it costs the role and the grant.
CREATE FUNCTION t.spent(who text) RETURNS numeric LANGUAGE sql VOLATILE AS
'SELECT sum(epsilon_spent) FROM dp_noise.budgets WHERE role IS NOT DISTINCT FROM who';
CREATE FUNCTION t.costs(who text, question text, OUT told text, OUT costs text) LANGUAGE plpgsql AS $$
DECLARE
	own numeric := t.spent(who);
	whole numeric := t.spent(NULL);
BEGIN
	told := t.run(who, format('SELECT coalesce(jsonb_agg(q)::text, ''nothing'') FROM (%s) AS q', question));
	costs := trim_scale(t.spent(who) - own) || ' ' || trim_scale(t.spent(NULL) - whole);
END
$$;
-- Two roles ask: the second is told the same, and the grant pays once; or not.
CREATE FUNCTION t.shared(one text, other text, cost text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	first record := t.costs('gate_ann', one);
	second record := t.costs('gate_bob', other);
BEGIN
	RETURN NEXT is(second.told, first.told, 'the same answer: ' || other);
	RETURN NEXT is(first.costs || ', ' || second.costs, format('%s %1$s, %1$s 0', cost), 'paid for once: ' || other);
END
$$;
CREATE FUNCTION t.apart(one text, other text, cost text, settings text DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	first record := t.costs('gate_ann', one);
	second record;
BEGIN
	IF settings IS NOT NULL THEN
		EXECUTE settings;
	END IF;
	second := t.costs('gate_bob', other);
	RETURN NEXT is(second.costs, format('%s %1$s', cost), concat_ws(': ', 'another answer', settings, other));
END
$$;

SELECT t.shared('SELECT dp_count(*) FROM patients', 'SELECT count(*) AS dp_count FROM patients AS p', '0.01');
SELECT t.shared('SELECT dp_sum(age), dp_mean(age), dp_median(bmi) FROM patients WHERE id < 900', 'SELECT dp_sum(age), dp_mean(age), dp_median(bmi) FROM patients WHERE NOT id >= 900', '0.03');
SELECT t.shared('SELECT feeling, dp_count(*) FROM patients GROUP BY feeling ORDER BY 1', 'SELECT feeling, dp_count(*) FROM patients GROUP BY feeling ORDER BY 1', '0.01');
SELECT t.shared('SELECT smoker, feeling, count(*) FROM patients GROUP BY CUBE (smoker, feeling) ORDER BY 1, 2, 3', 'SELECT smoker, feeling, count(*) FROM patients GROUP BY CUBE (smoker, feeling) ORDER BY 1, 2, 3', '0.01');
SELECT t.shared('SELECT dp_count(*) FROM patients JOIN numbers ON age = x', 'SELECT dp_count(*) FROM numbers JOIN patients ON age = x', '0.01');
-- some of it was asked by the other, some is new
SELECT t.run('gate_ann', 'SELECT sum(m) FROM (SELECT feeling, dp_max(age) AS m FROM patients GROUP BY feeling) AS s') \g /dev/null
SELECT is(costs, '0.02 0.01', 'of two questions one') FROM t.costs('gate_bob', 'SELECT feeling, dp_sum(age), dp_max(age) FROM patients GROUP BY feeling');
-- and twice in one statement
SELECT t.shared('SELECT dp_count(*) FROM patients WHERE id > 8', 'SELECT dp_count FROM (SELECT dp_count(*) FROM patients WHERE id > 8) AS a JOIN (SELECT dp_count(*) FROM patients WHERE id > 8) AS b USING (dp_count)', '0.01');
-- interval ends are those of the shared answer
SELECT t.shared('SELECT dp_sum(age), dp_low(dp_sum(age)), dp_high(dp_sum(age)) FROM patients WHERE id < 800', 'SELECT dp_sum(age), dp_low(dp_sum(age)), dp_high(dp_sum(age)) FROM patients WHERE id < 800', '0.01');

------------------------------------------------------------------------------
-- Groups with private keys: those of who asked first, with the price of their
-- selection

SET dp_noise.epsilon = 1;
SELECT t.shared('SELECT city, dp_count(*) FROM patients GROUP BY city', 'SELECT city, dp_count(*) FROM patients GROUP BY city', '1') FROM (SELECT set_config('dp_noise.delta', '1e-9', false)) AS s;
SELECT is(string_agg(concat_ws(' ', role, trim_scale(delta), grant_paid), ', ' ORDER BY at), 'gate_ann 0.000000001 t, gate_bob 0.000000001 f', 'and its delta') FROM dp_noise.ledger WHERE epsilon = 1;
SELECT t.shared('SELECT code, dp_sum(age), dp_max(age) FROM patients GROUP BY code', 'SELECT code, dp_sum(age), dp_max(age) FROM patients GROUP BY code', '3');
SELECT t.shared('SELECT label, smoker, dp_sum(age) FROM patients WHERE smoker IS NOT NULL GROUP BY label, smoker', 'SELECT label, smoker, dp_sum(age) FROM patients WHERE smoker IS NOT NULL GROUP BY smoker, label', '2');
-- one of the answers is no longer stored: it is drawn anew, for the groups of the other
SELECT t.run('gate_ann', 'SELECT string_agg(city || '' '' || s, '','' ORDER BY city) FROM (SELECT city, dp_sum(big, 0, 1000) AS s, dp_max(big, 0, 1000) FROM patients GROUP BY city) AS q') AS groups \gset
DELETE FROM dp_noise_ledger.answer AS a USING dp_noise_ledger.answer AS own JOIN dp_noise_ledger.charge AS c ON c.charge_id = own.charge_id
WHERE a.budget_id = 0 AND a.question = own.draw AND c.aggregate = 'dp_max' AND own.question = (SELECT fingerprint FROM dp_noise.ledger WHERE aggregate = 'dp_max' ORDER BY at DESC LIMIT 1);
CREATE TABLE t.mixed AS SELECT * FROM t.costs('gate_bob', 'SELECT string_agg(city || '' '' || s, '','' ORDER BY city) FROM (SELECT city, dp_sum(big, 0, 1000) AS s, dp_max(big, 0, 1000) FROM patients GROUP BY city) AS q');
SELECT is(told, format('[{"string_agg": "%s"}]', :'groups'), 'the groups and answers that are there') FROM t.mixed;
SELECT is(costs, '3 1', 'and the price of what is not') FROM t.mixed;
-- of other questions, or by another delta, another selection
SELECT t.apart('SELECT city, dp_sum(age) FROM patients WHERE id > 1 GROUP BY city', 'SELECT city, dp_sum(age), dp_max(age) FROM patients WHERE id > 1 GROUP BY city', '3');
SELECT t.apart('SELECT city, dp_sum(age) FROM patients WHERE id > 2 GROUP BY city', 'SELECT city, dp_sum(age) FROM patients WHERE id > 2 GROUP BY city', '2', 'SET dp_noise.delta = 1e-8');
-- who has some of the groups already is told no others
SELECT is(costs, '2 2', 'groups') FROM t.costs('gate_ann', 'SELECT city, dp_sum(age) FROM patients WHERE id > 3 GROUP BY city');
SELECT is(costs, '3 3', 'and others') FROM t.costs('gate_bob', 'SELECT city, dp_sum(age), dp_max(age) FROM patients WHERE id > 3 GROUP BY city');
SELECT is(costs, '1 1', 'more of them is drawn for oneself') FROM t.costs('gate_ann', 'SELECT city, dp_sum(age), dp_max(age) FROM patients WHERE id > 3 GROUP BY city');

------------------------------------------------------------------------------
-- Other laws, other rows

SET dp_noise.delta = 1e-6;
SELECT t.apart('SELECT dp_count(*) FROM patients WHERE id > 4', 'SELECT dp_count(id, 0.5) FROM patients WHERE id > 4', '0.5');
SELECT t.apart('SELECT dp_sum(age) FROM patients WHERE id > 4', 'SELECT dp_sum(age, 0, 120, 1, ''laplace'') FROM patients WHERE id > 4', '1');
SELECT t.apart('SELECT dp_sum(age) FROM patients WHERE id > 5', 'SELECT dp_sum(age, 0, 100) FROM patients WHERE id > 5', '1');
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, x integer);
INSERT INTO public.visits SELECT i % 100, i % 7 FROM generate_series(1, 400) AS i;
CREATE VIEW public.some_visits AS SELECT * FROM public.visits;
CREATE TABLE public.more_visits AS TABLE public.visits;
CREATE TABLE public.homes AS SELECT DISTINCT person FROM public.visits;
SELECT dp_noise.create_population('visitors', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, population => 'visitors'), dp_noise.protect('public.more_visits', privacy_unit => 'person', max_rows_per_unit => 4, population => 'visitors');
SELECT dp_noise.protect('public.some_visits', privacy_unit => 'person', max_rows_per_unit => 4);
SELECT dp_noise.protect('public.homes', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget(role, p, 1000, delta => 0.1) FROM unnest('{visitors,homes}'::text[]) AS p, unnest('{gate_ann,gate_bob}'::regrole[]) AS role;
RESET ROLE;
SELECT t.shared('SELECT dp_count(*) FROM visits', 'SELECT dp_count(*) FROM visits', '1');
SELECT t.apart('SELECT dp_count(*) FROM visits', 'SELECT dp_count(*) FROM more_visits', '1');
SELECT t.apart('SELECT dp_count(*) FROM visits', 'SELECT dp_count(*) FROM some_visits', '1');
SELECT t.apart('SELECT dp_count(*) FROM visits WHERE x > 1', 'SELECT dp_count(*) FROM visits WHERE x > 1', '1', 'SET dp_noise.max_rows_per_unit = 3');
RESET dp_noise.max_rows_per_unit;
SELECT is(costs, '1 1', 'after other caps') FROM t.costs('gate_ann', 'SELECT dp_sum(x, 0, 10) FROM visits');
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 6);
SELECT is(costs, '1 1', 'another answer') FROM t.costs('gate_bob', 'SELECT dp_sum(x, 0, 10) FROM visits');
-- of two populations: both pay once
SELECT t.shared('SELECT dp_count(*) FROM visits JOIN homes USING (person)', 'SELECT dp_count(*) FROM homes JOIN visits USING (person)', '2');
SELECT dp_noise.alter_population('visitors', share_answers => false);
SELECT t.apart('SELECT dp_sum(x, 0, 10) FROM visits JOIN homes USING (person)', 'SELECT dp_sum(x, 0, 10) FROM homes JOIN visits USING (person)', '2');
SELECT dp_noise.alter_population('visitors', share_answers => true);

-- What is public may be other rows for each role: behind policies, in what
-- functions find, at a foreign server, in temporary tables.
CREATE TABLE public.towns (id integer PRIMARY KEY, who name);
INSERT INTO public.towns SELECT i, CASE WHEN i % 2 = 0 THEN 'gate_ann' ELSE 'gate_bob' END FROM generate_series(0, 9) AS i;
CREATE VIEW public.own_towns AS SELECT id FROM public.towns WHERE who = current_user;
GRANT SELECT ON public.towns, public.own_towns TO gate_ann, gate_bob;
SELECT t.shared('SELECT dp_count(*) FROM patients JOIN towns ON towns.id = age', 'SELECT dp_count(*) FROM patients JOIN towns ON towns.id = age', '1');
SELECT t.apart('SELECT dp_count(*) FROM patients JOIN own_towns AS o ON o.id = age', 'SELECT dp_count(*) FROM patients JOIN own_towns AS o ON o.id = age', '1');
ALTER TABLE public.towns ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON public.towns USING (who = current_user);
SELECT t.apart('SELECT dp_sum(age) FROM patients JOIN towns ON towns.id = age', 'SELECT dp_sum(age) FROM patients JOIN towns ON towns.id = age', '1');
SELECT t.run('gate_ann', 'CREATE TEMP TABLE mine AS SELECT 1 AS x'), t.run('gate_bob', 'CREATE TEMP TABLE his AS SELECT 2 AS x') \g /dev/null
SELECT t.apart('SELECT dp_count(*) FROM patients JOIN mine AS m ON m.x = age', 'SELECT dp_count(*) FROM patients JOIN his AS m ON m.x = age', '1');
-- and so may be the rows that policies of a protected relation let a role ask about
SET ROLE gate_owner;
ALTER TABLE public.more_visits ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON public.more_visits TO gate_ann USING (x > 3);
CREATE POLICY others ON public.more_visits TO gate_bob USING (x <= 3);
RESET ROLE;
SELECT t.apart('SELECT dp_sum(x, 0, 10) FROM more_visits', 'SELECT dp_sum(x, 0, 10) FROM more_visits', '1');

SELECT * FROM finish();
\ir support/gate_end.sql
