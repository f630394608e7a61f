-- Each private aggregate and mechanism over a protected table: it is answered
-- and charged, its price is what EXPLAIN says, its parameters must be
-- constants, its answer is replayed as it was, and which of them ask the same
-- question.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;
CREATE COLLATION public.ignoring (provider = icu, locale = 'und-u-ks-level1', deterministic = false);

-- Two statements of gate_bob: the second asks what the first has asked, or not.
CREATE FUNCTION t.questions(one text, other text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
BEGIN
	PERFORM t.run('gate_bob', one), t.run('gate_bob', other);
	RETURN (SELECT format('%s charges, %s questions', t.charges() - before, count(DISTINCT fingerprint)) FROM (SELECT fingerprint FROM dp_noise.ledger ORDER BY at DESC LIMIT 2) AS l);
END
$$;
CREATE FUNCTION t.same(one text, other text) RETURNS text LANGUAGE sql AS
'SELECT is(t.questions(one, other), ''2 charges, 1 questions'', format(''%s, and then %s'', one, other))';
CREATE FUNCTION t.other(one text, other text) RETURNS text LANGUAGE sql AS
'SELECT is(t.questions(one, other), ''2 charges, 2 questions'', format(''%s, and then %s'', one, other))';
-- The mechanism and the delta of the last charge.
CREATE FUNCTION t.last() RETURNS text LANGUAGE sql AS
'SELECT concat_ws('' '', aggregate, mechanism, epsilon, delta) FROM dp_noise.ledger ORDER BY at DESC LIMIT 1';

-- mechanisms
SELECT t.accept('SELECT dp_count(age, 1, ''geometric(quantum=5)'') FROM patients');
SELECT t.accept('SELECT dp_mean(age, 0, 120, 1, ''two_stage(levels=7)'') FROM patients');
SELECT t.accept('SELECT dp_max(bmi, 0, 120, 1, ''two_stage'') FROM patients');
SELECT is(t.explained('SELECT dp_mean(age, 0, 120, 1, ''two_stage'') FROM patients', 'Expected Error (95%)'), '120', 'the error of levels');
SELECT is(t.explained('SELECT dp_mean(age, 0, 120, 1, ''two_stage'') FROM patients', 'Sensitivity'), '60', 'the sensitivity of a mean');
SELECT is(t.explained('SELECT dp_count(age, 1, ''geometric(quantum=10)'') FROM patients', 'Expected Error (95%)'), '30', 'the error of a quantum');
SELECT t.same('SELECT dp_mean(bmi, 11, 60, 1, ''two_stage'') FROM patients', 'SELECT dp_mean(bmi, 11, 60) FROM patients');
SELECT t.same('SELECT dp_count(*) FROM patients WHERE age > 7', 'SELECT dp_count(1, 1, ''geometric(quantum=5)'') FROM patients WHERE age > 7');

-- dp_median
SELECT t.accept(format('SELECT dp_median(%s, 0, 120, 1, ''smooth_cauchy'') FROM patients', name)) FROM unnest('{age,small,big,bmi,temperature,weight}'::text[]) AS name;
SELECT t.accept('SELECT dp_median(age) FROM patients WHERE smoker');
SELECT t.accept('SELECT dp_median(age, 0, 120, 1, ''smooth_laplace(delta=0.00001)'') FROM patients');
SELECT is(t.last(), 'dp_median smooth_laplace 1 0.00001', 'delta is charged');
SELECT t.accept('SELECT dp_median(age, 0, 120, 1, ''exponential'') FROM patients');
SELECT is(t.last(), 'dp_median exponential 1 0', 'and none where there is none');
SELECT t.refuse('0A000', 'SELECT dp_median(age, 0, 120, 1, ''laplace'') FROM patients');
SELECT t.refuse('22023', 'SELECT dp_median(age, 0, 120, 1, ''smooth_laplace'') FROM patients');
SELECT t.refuse('22023', 'SELECT dp_median(weight) FROM patients');
SELECT is(t.explained('SELECT dp_median(age, 0, 120, 1, ''smooth_laplace(delta=0.001)'') FROM patients', 'Total Delta'), '0.001', 'EXPLAIN shows delta');
SELECT is(t.explained('SELECT dp_median(age, 0, 120, 1, ''smooth_laplace(delta=0.001)'') FROM patients', 'Mechanism'), 'smooth_laplace', 'and the mechanism');
SELECT t.same('SELECT dp_median(age, 0, 91) FROM patients', 'SELECT dp_median_exp(age, 0, 91) FROM patients');
SELECT t.same('SELECT dp_median_exp(age, 0, 92) FROM patients', 'SELECT dp_median(age, 0, 92, 1, ''smooth_cauchy'') FROM patients');
SELECT t.same('SELECT dp_median(age, 0, 93, 2, ''smooth_cauchy'') FROM patients', 'SELECT dp_quantile_exp(age, 0.5, 0, 93) FROM patients');
SELECT t.other('SELECT dp_median(age, 0, 94) FROM patients', 'SELECT dp_quantile_exp(age, 0.25, 0, 94) FROM patients');

-- dp_variance, dp_stddev
SELECT t.accept(format('SELECT dp_%s(%s, 0, 120) FROM patients', aggregate, name))
FROM unnest('{variance,stddev}'::text[]) AS aggregate, unnest('{age,small,big,bmi,temperature,weight}'::text[]) AS name;
SELECT t.accept('SELECT dp_variance(age), dp_stddev(bmi) FROM patients WHERE smoker', 2);
SELECT is(t.explained('SELECT dp_variance(age) FROM patients', 'Sensitivity'), '14400', 'the sensitivity of a variance');
SELECT is(t.explained('SELECT dp_stddev(age) FROM patients', 'Mechanism'), 'laplace', 'the mechanism of a standard deviation');
SELECT t.refuse('0A000', 'SELECT dp_variance(age, 0, 120, 1, ''two_stage'') FROM patients');
SET dp_noise.choose_bounds = 0;
SELECT t.refuse('22023', 'SELECT dp_stddev(weight) FROM patients');
RESET dp_noise.choose_bounds;
SELECT t.same('SELECT dp_variance(age, 0, 95) FROM patients', 'SELECT dp_variance(age, 0, 95, 2, ''gaussian(delta=1e-6)'') FROM patients');
SELECT t.other('SELECT dp_variance(age, 0, 96) FROM patients', 'SELECT dp_stddev(age, 0, 96) FROM patients');
SELECT t.other('SELECT dp_variance(age, 0, 97) FROM patients', 'SELECT dp_mean(age, 0, 97) FROM patients');

-- dp_mode
SELECT t.accept(q) FROM unnest(ARRAY[
	'SELECT dp_mode(smoker) FROM patients', 'SELECT dp_mode(feeling) FROM patients', 'SELECT dp_mode(smoker, 2) FROM patients WHERE age > 3',
	'SELECT dp_mode(feeling, 2, ''exponential'') FROM patients', 'SELECT dp_mode(city, ''{city1,city2,elsewhere}''::text[]) FROM patients',
	'SELECT dp_mode(city, ARRAY[''city1'', ''city2''], 1, ''abstract_staircase'') FROM patients', 'SELECT dp_mode(age, ARRAY[1, 2, 3]) FROM patients',
	'SELECT dp_mode(age, ARRAY[1, 2, 3]::bigint[]) FROM patients', 'SELECT dp_mode(label, ARRAY[''l1'', ''l2'']) FROM patients', 'SELECT dp_mode(code, ARRAY[''c1'', ''c2'']) FROM patients',
	'SELECT dp_mode(born, ARRAY[date ''1950-01-02'', date ''1951-01-01'']) FROM patients', 'SELECT dp_mode(token, ARRAY[''00000000000000000000000000000001''::uuid]) FROM patients',
	'SELECT dp_mode(age > 50) FROM patients', 'SELECT dp_mode(weight, ARRAY[50, 51, 52.5]) FROM patients'
]) AS q;
SELECT t.run('gate_ann', 'PREPARE among(text[]) AS SELECT dp_mode(city, $1) FROM patients');
SELECT t.accept('EXECUTE among(''{city1,city3}'')');
SELECT is(t.explained('SELECT dp_mode(smoker) FROM patients', 'Mechanism'), 'permute_and_flip', 'the mechanism of a mode');
SELECT t.refuse(state, q) FROM (VALUES
	('0A000', 'SELECT dp_mode(smoker, 1, ''laplace'') FROM patients'),
	('0A000', 'SELECT dp_mode(city, ARRAY[city]) FROM patients'),
	('42883', 'SELECT dp_mode(visits, ARRAY[ARRAY[1]]) FROM patients'),
	('0A000', 'SELECT dp_mode(notes, ARRAY[''{}''::jsonb]) FROM patients'),
	('0A000', 'SELECT dp_mode(row(age), ARRAY[row(1)]) FROM patients'),
	('0A000', 'SELECT dp_mode(name COLLATE ignoring, ARRAY[''a'']) FROM patients'),
	('22023', 'SELECT dp_mode(city, ''{}''::text[]) FROM patients'),
	('22004', 'SELECT dp_mode(city, NULL::text[]) FROM patients'),
	('22004', 'SELECT dp_mode(city, ARRAY[''a'', NULL]) FROM patients')
) AS v (state, q);
SELECT t.accept('SELECT dp_mode(weight::double precision, ARRAY[1.5]::double precision[]) FROM patients');
SELECT t.same('SELECT dp_mode(city, ARRAY[''a'', ''b'']) FROM patients', 'SELECT dp_mode(city, ARRAY[''b'', ''a'', ''b''], 2, ''exponential'') FROM patients');
SELECT t.same('SELECT dp_mode(smoker) FROM patients', 'SELECT dp_mode(smoker, ARRAY[true, false]) FROM patients');
SELECT t.same('SELECT dp_mode(feeling) FROM patients', 'SELECT dp_mode(feeling, ARRAY[''sad'', ''ok'', ''happy'']::mood[]) FROM patients');
SELECT t.other('SELECT dp_mode(city, ARRAY[''a'', ''c'']) FROM patients', 'SELECT dp_mode(city, ARRAY[''a'', ''d'']) FROM patients');
SELECT t.other('SELECT dp_mode(city, ARRAY[''a'', ''e'']) FROM patients', 'SELECT dp_mode(name, ARRAY[''a'', ''e'']) FROM patients');
SELECT t.other('SELECT dp_mode(city, ARRAY[''a k1:b'']) FROM patients', 'SELECT dp_mode(city, ARRAY[''a'', ''b'']) FROM patients WHERE age > 2');

-- groups: each has an answer, the one without rows too
SELECT is(t.run('gate_ann', format('SELECT count(a) FROM (SELECT feeling, %s AS a FROM patients GROUP BY feeling) AS s', call)), '4', 'groups: ' || call)
FROM unnest(ARRAY['dp_mode(smoker)', 'dp_mode(city, ARRAY[''city1'', ''city2''])', 'dp_median(age, 0, 120)', 'dp_median(bmi, 0, 120, 1, ''smooth_cauchy'')',
	'dp_variance(age)', 'dp_stddev(bmi, 0, 100)', 'dp_mean(age, 0, 120, 1, ''two_stage'')', 'dp_max(age, 0, 120, 1, ''two_stage'')', 'dp_count(age, 1, ''geometric(quantum=5)'')']) AS call;

-- maxima: the mechanism by epsilon, steps of a 100th, a 400th or an 800th
SELECT is(t.explained(format('SELECT dp_max(weight, 0, 1000, %s) FROM patients', e), 'Mechanism'), m, format('a maximum at %s', e))
FROM (VALUES (0.1, 'above_threshold'), (3, 'above_threshold'), (11, 'above_threshold'), (12, 'staircase'), (1000, 'staircase')) AS v (e, m);
SELECT is(t.explained(format('SELECT dp_min(weight, 0, 1000, %s, ''above_threshold'') FROM patients', e), 'Expected Error (95%)'), error, format('a minimum at %s', e))
FROM (VALUES (0.1, '158 ranks, in steps of 10'), (1, '16 ranks, in steps of 10'), (2.99, '5 ranks, in steps of 10'), (3, '5 ranks, in steps of 2.5'), (8, '2 ranks, in steps of 1.25'), (12, '1 ranks, in steps of 1.25')) AS v (e, error);
SELECT is((SELECT count(*) FROM generate_series(1, 20) AS i WHERE t.run('gate_ann', format('SELECT dp_max(weight, 0, 1000, %s, ''above_threshold'') FROM patients WHERE age > %s', e, i))::numeric % step <> 0), 0::bigint,
	format('answers at %s are multiples of %s', e, step)) FROM (VALUES (1, 10.0), (5, 2.5), (9, 1.25)) AS v (e, step);

-- replay
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay');
CREATE TABLE t.before (n bigint);
INSERT INTO t.before SELECT t.charges();
CREATE TABLE t.replayed AS
SELECT i, q, t.run('gate_bob', q) AS answer FROM generate_series(1, 3) AS i, unnest(ARRAY[
	'SELECT dp_median(bmi, 0, 100, 1, ''smooth_cauchy'') FROM patients',
	'SELECT dp_max(weight, 0, 100, 1, ''two_stage(levels=9)'') FROM patients',
	'SELECT dp_variance(weight, 0, 100, 0.01) FROM patients', 'SELECT dp_stddev(bmi, 0, 100, 0.01) FROM patients',
	'SELECT dp_mode(feeling, 0.001) FROM patients WHERE age > 1', 'SELECT dp_mode(city, ARRAY[''city1'', ''a, b'', ''"{'', '' ''], 0.001) FROM patients'
]) AS q;
SELECT is(count(DISTINCT answer) FILTER (WHERE answer !~ '^[0-9A-Z]{5}: '), 1::bigint, 'replayed: ' || q) FROM t.replayed GROUP BY q;
SELECT is(t.charges() - n, (SELECT count(DISTINCT q) FROM t.replayed), 'each charged once') FROM t.before;
SELECT is(t.run('gate_bob', 'SELECT dp_median_exp(bmi, 0, 100) FROM patients'), (SELECT DISTINCT answer FROM t.replayed WHERE q LIKE '%dp_median%'), 'by another name');

------------------------------------------------------------------------------
-- Privacy units of several rows

SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, age integer, cost double precision, ward text, private boolean);
INSERT INTO public.visits
SELECT p, (p * 7 + i * 13) % 91 - 20, ((p * 31 + i) % 1000) / 8.0, 'ward' || i % 4, i % 3 = 0
FROM generate_series(1, 300) AS p, generate_series(1, 1 + p % 12) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, replace_unit => true, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
RESET ROLE;

-- The three sums of a variance, in steps of 3600 a row.
CREATE FUNCTION t.spread(OUT b0 numeric, OUT b1 numeric, OUT b2 numeric) LANGUAGE plpgsql AS $$
DECLARE
	state numeric[] := translate((dp_noise.true_states('SELECT dp_variance(age, -10, 50) FROM visits'))[1], '()', '{}');
BEGIN
	b0 := 3600 * state[3] - 2 * state[1] - state[2];
	b1 := 2 * state[1];
	b2 := state[2];
END
$$;
CREATE FUNCTION t.spread_change(rows integer, value integer) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	before record;
	after record;
BEGIN
	SELECT * INTO before FROM t.spread();
	INSERT INTO public.visits SELECT -1, value + i % 2, value, 'ward1', true FROM generate_series(1, rows) AS i;
	SELECT * INTO after FROM t.spread();
	DELETE FROM public.visits WHERE person = -1;
	RETURN abs(after.b0 - before.b0) + abs(after.b1 - before.b1) + abs(after.b2 - before.b2);
END
$$;
SELECT is(t.spread_change(r, v), 3600.0 * least(r, 4), format('a unit of %s rows of %s moves the three sums by what %s rows may', r, v, least(r, 4)))
FROM unnest('{1,3,4,5,1000}'::integer[]) AS r, unnest('{-1000,-10,7,50,1000}'::integer[]) AS v;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_variance(age, -10, 50, 1000000) FROM visits')::numeric / (sum(least(n, 4) * s) / sum(least(n, 4)) - power(sum(least(n, 4) * m) / sum(least(n, 4)), 2)) - 1) < 0.002,
	'the variance where each unit counts with the mean of its squares')
FROM (SELECT count(*) AS n, avg(x) AS m, avg(x * x) AS s
	FROM (SELECT person, greatest(least(age, 50), -10)::numeric AS x FROM public.visits) AS r GROUP BY person) AS u;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_stddev(cost, 0, 120, 1000000) FROM visits')::numeric - 35) < 5, 'a standard deviation of units');
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 2147483647);
SELECT ok(t.run('gate_ann', 'SELECT dp_variance(cost, 0, 120) FROM visits') ~ '^[0-9.e-]+$', 'the greatest cap');
SELECT dp_noise.protect('public.visits', neighbours => 'substitute', replace_unit => true);
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_variance(age, -10, 50, 1000000) FROM visits')::numeric / variance(greatest(least(age, 50), -10)) - 1) < 0.001, 'substituted rows')
FROM public.visits;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, replace_unit => true);
SELECT is(dp_noise.variance_of_units(NULL::integer, 0, 10, 1000, NULL, 2, 0, false, false, s)::text ~ '^\\x(0{24}[0-9a-f]{8}){3}$', true, 'what rows between such bounds cannot give is brought into range')
FROM (SELECT dp_noise.variance_state(x, -2147483648, 2147483647) AS s FROM unnest('{2147483647,-2147483648,0}'::integer[]) AS x GROUP BY x) AS g;
SELECT t.refuse('42501', q) FROM unnest(ARRAY['SELECT dp_noise.variance_state(age, 0, 100) FROM visits', 'SELECT dp_noise.mode_state(private) FROM visits',
	'SELECT dp_count(*), dp_noise.variance_of_rows(age, 0, 1, 1000000, NULL, 0, false, false) FROM visits']) AS q;

-- Best guesses are made from released answers, not from true ones.
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1000000000);
SELECT is(t.run('gate_ann', format('SELECT dp_remap(dp_count(1, 1000), ''geometric'', 1000, 1, array_fill(1::float8, ARRAY[%1$s])) FROM patients WHERE age = 3 AND id > -%1$s', w)), g,
	'dp_remap of a count through the gate, ' || w || ' weights')
FROM (VALUES (21, (SELECT count(*)::text FROM public.patients WHERE age = 3)), (5, '4')) AS v (w, g);
SELECT is((SELECT count(DISTINCT t.run('gate_ann', format('SELECT dp_remap(dp_count(1, 0.001), ''geometric'', 0.001, 1, array_fill(1::float8, ARRAY[2001]), ''squared'') FROM patients WHERE age = 3 AND id > -%s', i)))
	FROM generate_series(1, 20) AS i) > 1, true, 'dp_remap has no other answer than the noisy one');

SELECT * FROM finish();
\ir support/gate_end.sql
