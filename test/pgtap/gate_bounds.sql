-- dp_bounds over a protected table: charged, replayed, in groups, over units
-- and under substitution.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.choose_bounds = 0; -- where none are chosen: gate_chosen_bounds.sql

-- Without bounds the error names the arguments, and the function that declares
-- them: for units that are rows and for units of several rows alike.
CREATE FUNCTION t.without_bounds(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', true);
	BEGIN
		EXECUTE command;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		hint := concat_ws(' | ', SQLSTATE, SQLERRM, hint);
	END;
	RESET session_authorization;
	RETURN hint;
END
$$;
SET ROLE gate_owner;
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer, days integer, "Odd 'column" integer);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1000) FROM dp_noise.protect('public.stays', epsilon => 1e13, delta => 1) AS p, (VALUES ('public.stays'::regclass)) AS v (r);
RESET ROLE;
CREATE TABLE t.unit_kinds AS
SELECT * FROM (VALUES (1, $$SELECT dp_noise.protect('public.stays', replace_unit => true)$$), (2, $$SELECT dp_noise.protect('public.stays', 'id', 'substitute', replace_unit => true)$$),
	(3, $$SELECT dp_noise.protect('public.stays', 'person', max_rows_per_unit => 2, replace_unit => true)$$),
	(4, $$SELECT dp_noise.set_levels('public.stays', '{1}')$$)) AS v (place, statement);
SELECT statement, $$
SELECT is(t.without_bounds(kind || call || ' FROM public.stays'),
	format('22023 | %s needs bounds | Write %1$s(value, %slower, upper), or ask the owner for dp_noise.set_bounds(''stays'', ''days'', lower, upper)%s.',
		split_part(call, '(', 1), CASE WHEN call LIKE '%quantile\_%' THEN 'fraction, ' WHEN call LIKE '%quantiles%' THEN 'fractions, ' ELSE '' END,
		CASE WHEN call ~ 'sum|mean|max|min|variance|stddev' THEN ', or have bounds chosen: SET dp_noise.choose_bounds = 0.2' ELSE '' END), kind || call)
FROM unnest('{"SELECT ","EXPLAIN SELECT "}'::text[]) AS kind,
	unnest('{dp_sum(days),dp_mean(days),dp_max(days),dp_min(days),dp_median(days),dp_median_exp(days),dp_variance(days),dp_stddev(days),"dp_quantile_exp(days, 0.5)","dp_quantiles_exp(days, ARRAY[0.5])"}'::text[]) AS call$$,
$$SELECT is(t.without_bounds('SELECT dp_sum("Odd ''column") FROM public.stays'),
	'22023 | dp_sum needs bounds | Write dp_sum(value, lower, upper), or ask the owner for dp_noise.set_bounds(''stays'', ''Odd ''''column'', lower, upper), or have bounds chosen: SET dp_noise.choose_bounds = 0.2.', 'a name to be quoted')
	UNION ALL SELECT is(t.without_bounds('SELECT dp_sum(CASE WHEN id > 0 THEN days END) FROM public.stays'), '22023 | dp_sum needs bounds | Write dp_sum(value, lower, upper), or ask the owner for dp_noise.set_bounds(''stays'', ''days'', lower, upper), or have bounds chosen: SET dp_noise.choose_bounds = 0.2.', 'of what is made of a column')$$
FROM t.unit_kinds ORDER BY place \gexec
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1e12) \g /dev/null

SELECT t.accept(format('SELECT dp_bounds(%s) FROM patients', name)) FROM unnest('{age,small,big,bmi,temperature,weight,grown}'::text[]) AS name;
SELECT t.accept('SELECT dp_bounds(age, 0.5) FROM patients WHERE smoker');
SELECT is((SELECT row(aggregate, mechanism, epsilon) FROM dp_noise.ledger ORDER BY at DESC LIMIT 1)::text, '(dp_bounds,geometric,0.5)', 'one charge');
SELECT is(t.run('gate_ann', 'SELECT dp_bounds(bmi, 1000) FROM patients'), '{16,64}', 'an answer');
SELECT is(t.explained('SELECT dp_bounds(age) FROM patients', 'Mechanism'), 'geometric', 'EXPLAIN tells the mechanism');
SELECT is(t.explained('SELECT dp_bounds(age) FROM patients', 'Sensitivity'), '1', 'the sensitivity');
SELECT is(t.explained('SELECT dp_bounds(age) FROM patients', 'Expected Error (95%)'), '20 rows', 'and the rows that a bin must have');
SELECT t.refuse('0A000', 'SELECT dp_bounds(age, bmi) FROM patients');
SELECT t.accept('SELECT dp_bounds(age + 1) FROM patients');
SELECT t.refuse('42883', 'SELECT dp_bounds(name) FROM patients');

SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse') \g /dev/null
SELECT ok(t.run('gate_bob', 'SELECT dp_bounds(age, 0.01) FROM patients') ~ '^\{', 'asked');
SELECT is(t.run('gate_bob', 'SELECT dp_bounds(age, 100) FROM patients'), '53400: this question about "patients" was answered before', 'asked again');
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay') \g /dev/null
-- so little epsilon that two draws hardly ever agree: the greatest of hundreds of counts decides
SELECT is(t.run('gate_bob', q), t.run('gate_bob', q), 'replayed: ' || q)
FROM (SELECT format('SELECT dp_bounds(%s, 0.02)::text FROM patients', name) AS q FROM unnest('{small,big,bmi,temperature,weight}'::text[]) AS name) AS s;
SELECT is(t.run('gate_ann', 'SELECT string_agg(smoker::text || q::text, '' '' ORDER BY smoker) FROM (SELECT smoker, dp_bounds(age, 1000) AS q FROM patients WHERE age > 40 GROUP BY smoker) AS s WHERE smoker IS NOT NULL'),
	'false{32,128} true{32,128}', 'groups');
SELECT is(t.run('gate_ann', 'SELECT string_agg(q::text, '' '') FROM (SELECT smoker, dp_bounds(age, 1000) AS q FROM patients WHERE age > 900 GROUP BY smoker) AS s WHERE smoker IS NOT NULL'),
	'{0,0} {0,0}', 'groups of nobody');

-- Units of several rows, and substitution.
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, age integer);
INSERT INTO public.visits SELECT p, i FROM generate_series(1, 300) AS p, generate_series(1, 1 + p % 12) AS i;
INSERT INTO public.visits SELECT 7, 1000000 FROM generate_series(1, 500);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12);
RESET ROLE;
-- The threshold is 25; bins that matter have about 90 rows and more. A single
-- answer is wrong with 10^-6, the most frequent of seven below 10^-20.
SELECT is(mode() WITHIN GROUP (ORDER BY t.run('gate_ann', format('SELECT dp_bounds(age, 3) FROM visits WHERE age > %s', -k))), '{0,16}', 'one person''s 500 rows count as four') FROM generate_series(1, 7) AS k;
SELECT is(t.explained('SELECT dp_bounds(age) FROM visits', 'Sensitivity'), '4', 'which is the sensitivity');
SELECT is((SELECT sum(get_byte(s, i) + 256 * get_byte(s, i + 1)) FROM generate_series(0, 64 * 8 - 2, 8) AS i, (SELECT (dp_noise.true_states('SELECT dp_bounds(age) FROM visits'))[1]::bytea AS s) AS r),
	(SELECT sum(least(n, 4)) FROM (SELECT count(*) AS n FROM public.visits GROUP BY person) AS u)::bigint, 'so many values of a unit count');
SELECT dp_noise.protect('public.visits', neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.run('gate_ann', 'SELECT dp_bounds(age, 1000) FROM visits WHERE age < 20'), '{0,16}', 'of substituted rows');
SELECT is(t.explained('SELECT dp_bounds(age) FROM visits', 'Sensitivity'), '2', 'which may leave one bin for another');
SELECT t.refuse('42501', q) FROM unnest(ARRAY['SELECT dp_count(*), dp_noise.bounds_of_rows(age, 1000000, NULL, 0, false, false) FROM visits',
	'SELECT dp_noise.bounds_state(age) FROM visits', 'SELECT dp_noise.sample_bins(age, 3) FROM visits']) AS q;
SELECT is((SELECT dp_noise.bounds_of_units(NULL::smallint, 1000, NULL, 5, 0, false, false, s) FROM (SELECT dp_noise.sample_points(x * 1000000, 0, 10000000, 5) AS s FROM public.numbers) AS p)::text, '{16384,32767}', 'bins that there are none of count in the last');
SELECT throws_ok('SELECT dp_noise.bounds_of_units(NULL::integer, 1, NULL, 1, 0, false, false, s) FROM (SELECT dp_noise.sample_bins(x, 5) AS s FROM public.numbers) AS p', '22023', NULL, 'a sample of more than may count');

SELECT * FROM finish();
\ir support/gate_end.sql
