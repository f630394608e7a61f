-- Questions paid in rho: what auto takes, what it costs, what EXPLAIN says, and that
-- nobody pays in rho whose population adds epsilons up. How many answers a budget has, and their
-- errors, through SQL.
--
-- Takes long: 31 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gate_team') THEN
		CREATE ROLE gate_team;
	END IF;
END
$$;
CREATE FUNCTION t.releases(who text, command text) RETURNS SETOF jsonb LANGUAGE sql AS $$
	SELECT r FROM jsonb_path_query(t.run(who, 'EXPLAIN (FORMAT JSON) ' || command)::jsonb, 'strict $.** ? (@."Custom Plan Provider" == "DP Release")') AS r
	WHERE r ? 'Protected Relation' OR r ? 'Protected Relations'
$$;
-- The mechanisms of a question.
CREATE FUNCTION t.mechanisms(who text, command text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(a->>'Mechanism', ' ' ORDER BY n) FROM t.releases(who, command) AS r, jsonb_array_elements(r->'Private Aggregates') WITH ORDINALITY AS x (a, n)
$$;
CREATE FUNCTION t.at(epsilon text) RETURNS text LANGUAGE sql AS $$ SELECT set_config('dp_noise.epsilon', epsilon, false) $$;
CREATE FUNCTION t.ledger(last int) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', aggregate, mechanism, coalesce(trim_scale(epsilon)::text, 'none'), trim_scale(delta), trim_scale(delta_pool)), ', ' ORDER BY at)
	FROM (SELECT * FROM dp_noise.ledger ORDER BY at DESC LIMIT last) AS l
$$;
SELECT dp_noise.drop_budget('gate_bob', 'patients'), dp_noise.set_budget('gate_ann', 'patients', 100, 1e-3), dp_noise.alter_population('patients', epsilon => 1e6, delta => 1e-3, accountant => 'zcdp', delta_pool => 1e-4, on_repeat => 'answer');
-- the same for a population that adds epsilons up
CREATE TABLE public.pure AS TABLE public.patients;
SELECT dp_noise.protect('pure', epsilon => 1e6, delta => 1), dp_noise.set_bounds('pure', 'age', 0, 120), dp_noise.set_budget('gate_bob', 'pure', 1e6, delta => 1), dp_noise.alter_population('pure', on_repeat => 'answer');

-- auto, by price: counts up to 2.5, sums a little further; what is not additive as before, modes exponential
CREATE FUNCTION t.mechanisms_at(e text, command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', e, true);
	RETURN t.mechanisms('gate_ann', command);
END
$$;

-- auto, by price: counts up to 2.5, sums a little further; what is not additive as
-- before, but for modes
SELECT is(t.mechanisms_at(e, 'SELECT dp_count(*), dp_sum(age), dp_mean(age), dp_variance(age, 0, 120), dp_max(age), dp_median(age), dp_mode(smoker), dp_quantile_exp(age, 0.5) FROM patients'),
	m || ' above_threshold exponential exponential exponential', 'at ' || e)
FROM (VALUES ('0.02', 'gaussian gaussian gaussian gaussian'), ('1', 'gaussian gaussian gaussian gaussian'), ('2.49', 'gaussian gaussian gaussian gaussian'),
	('2.52', 'geometric gaussian gaussian gaussian'), ('2.65', 'geometric staircase gaussian gaussian')) AS v (e, m);
SELECT is(t.mechanisms('gate_bob', 'SELECT dp_count(*), dp_sum(age), dp_mean(age), dp_mode(smoker) FROM pure'), 'geometric staircase laplace permute_and_flip', 'not where epsilons add up');
SELECT is((SELECT a - 'Question' FROM t.releases('gate_ann', 'SELECT dp_count(*) FROM patients') AS r, jsonb_array_elements(r->'Private Aggregates') AS a),
	'{"Aggregate": "dp_count", "Mechanism": "gaussian", "Chosen For": "the least variance at this price, all budgets that pay being zcdp", "Epsilon": "1", "Rho": "0.462117098023287849835181", "Sensitivity": "1", "Expected Error (95%)": "2", "Answer": "charged"}', 'EXPLAIN says which and why');
SELECT is((SELECT (r->>'Total Rho') || ' ' || (b->>'Rho to Pay') || ' ' || (b ? 'Epsilon to Pay') FROM t.releases('gate_ann', 'SELECT dp_count(*) FROM patients') AS r, jsonb_array_elements(r->'Budgets') AS b),
	'0.462117098023287849835181 0.462117098023287849835181 false', 'what it costs');

-- charged so, and asked again it is the same
SELECT is(t.run('gate_ann', 'SELECT dp_count(*), dp_sum(age), dp_mean(age), dp_variance(age, 0, 120), dp_max(age) FROM patients') IS NOT NULL, true);
SELECT is(t.ledger(5), 'dp_count gaussian none 0 0, dp_sum gaussian none 0 0, dp_mean gaussian none 0 0, dp_variance gaussian none 0 0, dp_max above_threshold 1 0 0', 'the ledger');
SELECT is((SELECT string_agg(DISTINCT CASE WHEN rho > 0.4621 AND rho < 0.4621172 THEN 'R(1)' ELSE round(rho, 6)::text END, ' ') FROM dp_noise.ledger), '0.281250 R(1)', 'no more than R(1), and hardly less; the walk to a maximum 9/32');
SELECT is((SELECT sum(rho) FROM dp_noise.ledger), (SELECT rho_spent FROM dp_noise.budgets WHERE role = 'gate_ann'), 'all is spent');
-- mechanisms by name cost their own, with an epsilon where they have one
SELECT is(t.run('gate_ann', $$SELECT dp_count(*, 1, 'geometric') FROM patients$$) LIKE '42%', true);
SELECT is(t.run('gate_ann', $$SELECT dp_count(id, 1, 'geometric'), dp_count(age, 1, 'gaussian(delta=1e-6)'), dp_median(age, 0, 120, 1, 'smooth_laplace(delta=1e-5)'), dp_sum(age, 0, 120, 1, 'staircase') FROM patients$$) IS NOT NULL, true);
SELECT is(t.ledger(4), 'dp_count geometric 1 0 0, dp_count gaussian 1 0.000001 0, dp_median smooth_laplace 1 0.00001 0.00001, dp_sum staircase 1 0 0', 'of epsilon, delta and the pool');
SELECT is((SELECT string_agg(round(rho, 4)::text, ' ' ORDER BY at) FROM (SELECT * FROM dp_noise.ledger ORDER BY at DESC LIMIT 4) AS l), '0.4621 0.0279 0.4621 0.4621', 'a gaussian that is (1, 1e-6)-DP costs little');

-- all who pay count as the population does: a group's budget, the owner
SELECT dp_noise.set_budget('gate_team', 'patients', 100, 1e-3, shared => true);
GRANT gate_team TO gate_ann;
SELECT is(t.mechanisms('gate_ann', 'SELECT dp_count(*) FROM patients'), 'gaussian', 'a group''s');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients') ~ '^\d+$', true);
SELECT is((SELECT round(rho_spent, 4) FROM dp_noise.budgets WHERE role = 'gate_team'), 0.4621, 'which pays rho');
REVOKE gate_team FROM gate_ann;
SELECT is(t.mechanisms('gate_owner', 'SELECT dp_count(*) FROM patients'), 'gaussian', 'the owner pays from the grant alone');
SELECT is(t.run('postgres', 'SELECT dp_noise.alter_population(''patients'', accountant => ''pure'', delta_pool => 0)') LIKE '55000%', true, 'to add epsilons up it is too late');
SELECT is(t.mechanisms('gate_owner', 'SELECT dp_count(*) FROM pure'), 'geometric', 'one that adds epsilons up');
SELECT dp_noise.drop_budget('gate_bob', 'pure'), dp_noise.alter_population('pure', accountant => 'zcdp', delta => 1e-3);
SELECT is(t.mechanisms('gate_owner', 'SELECT dp_count(*) FROM pure'), 'gaussian', 'becomes one of rho');
SELECT dp_noise.alter_population('pure', accountant => 'pure', delta => 1), dp_noise.set_budget('gate_bob', 'pure', 1e6, delta => 1);
SELECT is(t.mechanisms('gate_bob', 'SELECT dp_count(*) FROM pure'), 'geometric', 'and back');

-- limits of a query are about what is asked for, in epsilon
SELECT dp_noise.set_budget('gate_ann', 'patients', 100, 1e-3, max_epsilon_per_query => 0.5);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients'), '53400: query on "patients" asks for too much epsilon at once', 'also where it has none');
SELECT dp_noise.set_budget('gate_ann', 'patients', 100, 1e-3);

-- dp_noise.rho in place of epsilon
SET dp_noise.rho = 0.01;
SELECT is((SELECT (a->>'Rho')::numeric BETWEEN 0.01 - 1e-6 AND 0.01 FROM t.releases('gate_ann', 'SELECT dp_count(*) FROM patients') AS r, jsonb_array_elements(r->'Private Aggregates') AS a), true, 'the price');
SELECT is((SELECT round((a->>'Epsilon')::numeric, 4) FROM t.releases('gate_bob', 'SELECT dp_count(*) FROM pure') AS r, jsonb_array_elements(r->'Private Aggregates') AS a), 0.1415, 'in epsilon what costs that');
SELECT is((SELECT a->>'Epsilon' FROM t.releases('gate_ann', 'SELECT dp_count(id, 0.5) FROM patients') AS r, jsonb_array_elements(r->'Private Aggregates') AS a), '0.5', 'not of what names an epsilon');
SELECT throws_ok('SET dp_noise.rho = ' || v, '22023') FROM unnest('{-1,1e-13,1e7,NaN}'::text[]) AS v;
RESET dp_noise.rho;

-- units in several groups: by their L2 norm
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer NOT NULL, ward text COLLATE "C" NOT NULL, cost integer NOT NULL);
INSERT INTO public.visits SELECT i % 200, 'w' || i % 5, i % 50 FROM generate_series(1, 2000) AS i;
SELECT dp_noise.protect('public.visits', 'person', max_rows_per_unit => 10, max_groups_per_unit => 4, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.visits', 'ward', '{w0,w1,w2,w3,w4}');
RESET ROLE;
SELECT dp_noise.alter_population('visits', delta => 1e-3, accountant => 'zcdp', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'visits', 100, 1e-3);
SELECT is(round((a->>'Expected Error (95%)')::numeric * sqrt(2 * 0.462117157 / 4) / 10, 1), 2.0, '10 sqrt(4 / (2 R(1))) each')
FROM t.releases('gate_ann', 'SELECT ward, dp_count(*) FROM visits GROUP BY ward') AS r, jsonb_array_elements(r->'Private Aggregates') AS a;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT ward, dp_count(*), dp_sum(cost, 0, 50), dp_mean(cost, 0, 50), dp_count_distinct(person) FROM visits GROUP BY ward) AS r'), '5', 'all of them are answered');
SELECT is(t.ledger(4), 'dp_count gaussian none 0 0, dp_sum gaussian none 0 0, dp_mean gaussian none 0 0, dp_count_distinct gaussian none 0 0');

-- What Gaussian noise named by delta costs, where the groups of a unit merge: the
-- exact delta at the epsilon that is recorded, of Gaussian noise of the rho that is
-- recorded
CREATE FUNCTION t.hockey(epsilon double precision, rho double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
	SELECT sum(exp(-x * x / 2) * greatest(0, 1 - exp(epsilon - sqrt(2 * rho) * x - rho))) * 0.002 / sqrt(2 * pi())
	FROM (SELECT i * 0.002 AS x FROM generate_series(-10000, 10000) AS i) AS v
$$;
SET ROLE gate_owner;
CREATE TABLE public.paths (person integer NOT NULL, a integer NOT NULL, b integer NOT NULL, cost integer NOT NULL);
SELECT dp_noise.protect('public.paths', 'person', max_rows_per_unit => 10, max_groups_per_unit => 400, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.paths', 'a', (SELECT array_agg(i::text) FROM generate_series(1, 30) AS i)), dp_noise.set_values('public.paths', 'b', (SELECT array_agg(i::text) FROM generate_series(1, 30) AS i));
RESET ROLE;
SELECT dp_noise.alter_population('paths', delta => 1e-3, accountant => 'zcdp', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'paths', 1000, 1e-3);
CREATE TABLE t.costs (q text, m integer, epsilon double precision, delta double precision, rho double precision, asked double precision);
CREATE FUNCTION t.cost_of(q text, m integer, e double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	outcome text;
BEGIN
	PERFORM set_config('dp_noise.max_groups_per_unit', m::text, false);
	outcome := t.run('gate_ann', 'SELECT count(*) FROM (' || replace(q, '$', e::text) || ') AS x');
	IF outcome !~ '^\d+$' THEN
		RAISE '%: %', q, outcome;
	END IF;
	INSERT INTO t.costs SELECT q, m, l.epsilon, l.delta, l.rho, e FROM dp_noise.ledger AS l ORDER BY l.at DESC LIMIT 1;
END
$$;
SELECT t.cost_of('SELECT a, b, ' || f || ' FROM paths GROUP BY ' || g, m, e)
FROM unnest(ARRAY['dp_count(person, $, ''gaussian(delta=1e-6)'')', 'dp_sum(cost, -50, 50, $, ''gaussian(delta=1e-6)'')', 'dp_mean(cost, 0, 50, $, ''gaussian(delta=1e-6)'')']) AS f,
	unnest(ARRAY['a, b', 'GROUPING SETS ((a, b), (a), (b))', 'GROUPING SETS ((a), (b))', 'GROUPING SETS ((a, b), (a)) HAVING grouping(b) = 1', 'CUBE (a, b)']) AS g,
	unnest(ARRAY[1, 4, 20, 400]) AS m, unnest(ARRAY[0.1, 1]) AS e \g /dev/null
RESET dp_noise.max_groups_per_unit;
SELECT is((SELECT count(*) FROM t.costs), 120::bigint, 'all are charged');
SELECT is((SELECT string_agg(format('%s, %s: %s', q, m, epsilon), '; ') FROM t.costs WHERE t.hockey(epsilon, rho) > delta * 1.001), NULL, 'the epsilon recorded is enough for the noise that is drawn');
SELECT is((SELECT string_agg(format('%s, %s: %s', q, m, epsilon), '; ') FROM t.costs WHERE epsilon > asked AND t.hockey(epsilon / 1.15, rho) < delta), NULL, 'and not wasteful');
SELECT is((SELECT string_agg(format('%s, %s: %s', q, m, epsilon), '; ') FROM t.costs WHERE epsilon < asked OR epsilon IS NULL), NULL, 'nor less than was asked for');
-- the rho of one grouping alone in which m groups merge, from its deviation: 95% of the noise is within 1.96 of that
SET dp_noise.max_groups_per_unit = 20;
SELECT ok(rho BETWEEN 200 ^ 2 / (2 * ((w + 1) / 1.96) ^ 2) AND 200 ^ 2 / (2 * ((w - 1) / 1.96) ^ 2), 'rho is that of the noise drawn')
FROM (SELECT (a->>'Expected Error (95%)')::float8 AS w, (a->>'Rho')::float8 AS rho
	FROM t.releases('gate_ann', $$SELECT a, dp_count(person, 1, 'gaussian(delta=1e-6)') FROM paths GROUP BY GROUPING SETS ((a, b), (a)) HAVING grouping(b) = 1$$) AS r, jsonb_array_elements(r->'Private Aggregates') AS a) AS x;
RESET dp_noise.max_groups_per_unit;
-- EXPLAIN: the groupings add up to what is charged, in rho; their epsilons do not, and are not added up
CREATE TABLE public.pure_paths AS TABLE public.paths;
ALTER TABLE public.pure_paths ALTER person SET NOT NULL, ALTER a SET NOT NULL, ALTER b SET NOT NULL, ALTER cost SET NOT NULL;
SELECT dp_noise.protect('pure_paths', 'person', max_rows_per_unit => 10, max_groups_per_unit => 400, epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_bob', 'pure_paths', 1000);
SELECT dp_noise.set_values('pure_paths', 'a', (SELECT array_agg(i::text) FROM generate_series(1, 30) AS i)), dp_noise.set_values('pure_paths', 'b', (SELECT array_agg(i::text) FROM generate_series(1, 30) AS i));
CREATE FUNCTION t.added_up(who text, relation text, currency text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(', ', count(*), count(r->>'Total Epsilon'), sum((r->>('Total ' || currency))::numeric) = min((SELECT max((b->>(currency || ' to Pay'))::numeric) FROM jsonb_array_elements(r->'Budgets') AS b)))
	FROM t.releases(who, format('SELECT a, b, dp_count(*), dp_sum(cost, 0, 60) FROM %s GROUP BY CUBE (a, b)', relation)) AS r
$$;
SELECT is(t.added_up('gate_ann', 'paths', 'Rho'), '4, 0, t', 'in rho');
SELECT is(t.added_up('gate_bob', 'pure_paths', 'Epsilon'), '4, 4, t', 'in epsilon');

-- groups by private keys: a threshold of their own, its delta from the pool
SET ROLE gate_owner;
SELECT dp_noise.set_values('public.visits', 'ward', NULL);
RESET ROLE;
SET dp_noise.delta = 1e-6;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT ward, dp_count(*) FROM visits GROUP BY ward) AS r'), '53400: insufficient privacy budget for "visits"', 'without a pool');
SELECT dp_noise.alter_population('visits', delta_pool => 5e-4);
CREATE TABLE public.pure_visits AS TABLE public.visits;
SELECT dp_noise.protect('pure_visits', 'person', max_rows_per_unit => 10, max_groups_per_unit => 4, epsilon => 100, delta => 1e-3), dp_noise.set_budget('gate_bob', 'pure_visits', 100, 1e-3);
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT ward, dp_count(*) FROM visits GROUP BY ward) AS r'), '5', 'the count decides');
SELECT is(t.ledger(1), 'dp_count gaussian none 0.000001 0.000001');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT ward, dp_sum(cost, 0, 50) FROM visits GROUP BY ward) AS r'), '5', 'a count of units decides');
SELECT is(t.ledger(2), 'dp_sum gaussian none 0 0, selection of groups gaussian none 0.000001 0.000001');
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM (SELECT ward, dp_count(*) FROM pure_visits GROUP BY ward) AS r') ~ '^\d$', true, 'where epsilons add up');
SELECT is(t.ledger(2), 'dp_count staircase 1 0 0, selection of groups gaussian 1 0.000001 0.000001', 'units are counted by Gaussian noise within epsilon and delta');
RESET dp_noise.delta;

-- privacy levels keep their noise; a role pays K of its own, the grant of the highest, once
SET ROLE gate_owner;
CREATE TABLE public.levels (id integer);
INSERT INTO public.levels SELECT generate_series(1, 100);
SELECT dp_noise.protect('public.levels', epsilon => 1e6, delta => 1), dp_noise.set_levels('public.levels', '{1,0.5}');
RESET ROLE;
SELECT dp_noise.alter_population('levels', delta => 1e-3, accountant => 'zcdp', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'levels', 100, 1e-3), dp_noise.set_budget('gate_bob', 'levels', 100, 1e-3);
SET dp_noise.epsilon = 0.5;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM levels') ~ '^-?\d+$', true);
SET dp_noise.epsilon = 1;
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM levels') ~ '^-?\d+$', true);
SELECT is((SELECT string_agg(concat_ws(' ', role, round(rho_spent, 4)), ', ' ORDER BY role) FROM dp_noise.budgets WHERE population = 'public.levels'), 'gate_ann 0.1225, gate_bob 0.4621, 0.4621', 'once, of the highest');

-- How many, and how exact: within (1, 1e-6) a hundred counts, and a thousand, each
-- of a thousand groups, so that there are that many draws of one law. Its error is
-- sqrt(k / (2 rho)): 45.31 and 143.29; what is measured is within 6.5 times
-- 1/sqrt(2 draws) of it, but for one run in 10^10.
SET ROLE gate_owner;
CREATE TABLE public.cells (g integer);
INSERT INTO public.cells SELECT generate_series(0, 999);
SELECT dp_noise.protect('public.cells', epsilon => 1e6, delta => 1), dp_noise.set_values('public.cells', 'g', (SELECT array_agg(g::text) FROM public.cells));
RESET ROLE;
CREATE TABLE t.draws (who name, n bigint);
GRANT ALL ON t.draws TO PUBLIC;
CREATE FUNCTION t.draw(who text, questions integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('session_authorization', who, false);
	FOR i IN 1 .. questions LOOP
		INSERT INTO t.draws SELECT who, r.n - 1 FROM (SELECT g, dp_count(*) FROM cells GROUP BY g) AS r (g, n) WHERE r.g IS NOT NULL;
	END LOOP;
	RESET SESSION AUTHORIZATION;
END
$$;
GRANT SELECT ON dp_budget TO PUBLIC;
SELECT dp_noise.alter_population('cells', delta => 1e-6, accountant => 'zcdp', on_repeat => 'answer'), dp_noise.set_budget(who, 'cells', 1, 1e-6) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS who;
SET dp_noise.rho = 0.0002435597;
SELECT is(t.run('gate_ann', 'SELECT queries_left FROM dp_budget WHERE population = ''public.cells'''), '100', 'a hundred questions');
SELECT t.draw('gate_ann', 100) \g /dev/null
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM cells'), 'insufficient privacy budget', 'and no more');
SELECT cmp_ok((SELECT sqrt(avg(n ^ 2)) FROM t.draws WHERE who = 'gate_ann'), '<=', 46::double precision, 'the error of a hundred');
SELECT is((SELECT abs(sqrt(avg(n ^ 2)) / 45.3123 - 1) < 6.5 / sqrt(2 * count(*)) FROM t.draws WHERE who = 'gate_ann'), true, 'is that of the law');
SET dp_noise.rho = 0.00002435597;
SELECT t.draw('gate_bob', 1000) \g /dev/null
SELECT matches(t.run('gate_bob', 'SELECT dp_count(*) FROM cells'), 'insufficient privacy budget', 'a thousand questions and no more');
SELECT cmp_ok((SELECT sqrt(avg(n ^ 2)) FROM t.draws WHERE who = 'gate_bob'), '<=', 144::double precision, 'the error of a thousand');
SELECT is((SELECT abs(sqrt(avg(n ^ 2)) / 143.2874 - 1) < 6.5 / sqrt(2 * count(*)) FROM t.draws WHERE who = 'gate_bob'), true, 'is that of the law');
SELECT is((SELECT count(*) FROM t.draws), 1100000::bigint);
RESET dp_noise.rho;

SELECT * FROM finish();
DROP TABLE public.levels, public.paths, public.visits, public.cells, public.pure, public.pure_paths, public.pure_visits;
\ir support/gate_end.sql
DROP ROLE gate_team;
