-- dp_regression, and corr, covar_ and regr_ over protected tables: exact where the
-- noise is nothing; clamping, nulls, workers; one question for all of them, of units
-- whose contribution is bounded; intervals; what has no bounds.
\ir support/gate.sql
SELECT no_plan();

CREATE TABLE t.pairs (g integer, y integer, x double precision);
INSERT INTO t.pairs SELECT i % 3, 3 * (i % 50) / 2 + i % 7, i % 50 FROM generate_series(1, 3000) AS i;
CREATE FUNCTION t.evaluate(expression text, source text DEFAULT 't.pairs') RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	result double precision;
BEGIN
	EXECUTE format('SELECT %s FROM %s', expression, source) INTO result;
	RETURN result;
END
$$;
CREATE TABLE t.names AS SELECT unnest('{corr,covar_pop,covar_samp,regr_avgx,regr_avgy,regr_count,regr_intercept,regr_r2,regr_slope,regr_sxx,regr_sxy,regr_syy}'::text[]) AS name;

-- as the server computes it
SELECT is(string_agg(attname || ' ' || atttypid::regtype, ',' ORDER BY attnum),
	(SELECT string_agg(name || ' ' || (SELECT prorettype::regtype FROM pg_proc WHERE proname = name), ',' ORDER BY name) FROM t.names), 'a column for each of the server''s')
FROM pg_attribute WHERE attrelid = 'dp_noise.regression'::regclass AND attnum > 0;
SELECT ok(abs(t.evaluate(format('(dp_regression(y, x, 0, 100, 0, 64, 1000000, %L)).%I', m, name)) / t.evaluate(format('%I(y, x)', name)) - 1) < 0.001, name || ' by ' || m)
FROM t.names, unnest('{auto,laplace,staircase}'::text[]) AS m;
SELECT ok(abs((r).regr_slope - s) < 0.001 AND abs((r).regr_r2 - d) < 0.001, 'of each group')
FROM (SELECT dp_regression(y, x, 0, 100, 0, 64, 1000000) AS r, regr_slope(y, x) AS s, regr_r2(y, x) AS d FROM t.pairs GROUP BY g) AS groups;
SELECT ok(abs((dp_regression(y, x, 10, 30, -5, 20, 1000000)).covar_pop - covar_pop(least(greatest(y, 10), 30), least(x, 20))) < 0.01, 'clamped') FROM t.pairs;
SELECT is((dp_regression(y, x, 0, 10, 0, 10, 1000000)).regr_count, 2::bigint, 'rows with a null or NaN are skipped, infinities are clamped')
FROM (VALUES (1::float8, 2::float8), (NULL, 3), (4, NULL), ('NaN', 5), (6, 'NaN'), ('-Infinity', 'Infinity')) AS v (y, x);
SELECT is((dp_regression(y, 7, 0, 100, 7, 7, 1000000)).regr_slope, NULL, 'of equal x no slope') FROM t.pairs;
SELECT ok((r).corr IS NULL AND (r).regr_slope = 0 AND (r).regr_r2 = 1 AND abs((r).regr_avgy - 7) < 0.001, 'of equal y no correlation')
FROM (SELECT dp_regression(7, x, 7, 7, 0, 64, 1000000) AS r FROM t.pairs) AS s;
SELECT ok(bool_and((r).regr_count >= 0 AND ((r).corr IS NULL OR (r).corr BETWEEN -1 AND 1) AND ((r).regr_avgx IS NULL OR (r).regr_avgx BETWEEN 0 AND 10)
	AND coalesce((r).regr_sxx, 0) >= 0) AND bool_or((r).regr_avgx IS NULL) AND bool_or((r).corr IS NOT NULL), 'of little what is possible, or null')
FROM (SELECT dp_regression(1, 1, 0, 10, 0, 10, 0.1) AS r FROM generate_series(1, 1000) AS i GROUP BY i) AS s;

-- A thousand pairs at the corners: the error of 400 covariances is 0.71 / 1000.
SELECT ok(sqrt(avg(v ^ 2)) BETWEEN 0.7071e-3 * 0.65 AND 0.7071e-3 * 1.35, 'the error is as documented (false alarm: below 1e-9)')
FROM (SELECT (dp_regression(i % 2, i / 2 % 2, 0, 1, 0, 1, 1)).covar_pop AS v FROM generate_series(1, 1000) AS i, generate_series(1, 400) AS k GROUP BY k) AS s;

-- workers, and states as text
CREATE TABLE t.many AS SELECT sin(i) AS y, cos(i) AS x FROM generate_series(1, 50000) AS i;
ANALYZE t.many;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE t.states AS SELECT dp_noise.regression_state(y, x, -1, 1, -1, 1)::text AS s FROM t.many;
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
INSERT INTO t.states SELECT dp_noise.regression_state(y, x, -1, 1, -1, 1)::text FROM t.many;
SELECT is(count(DISTINCT s), 1::bigint, 'workers change no state') FROM t.states;
SELECT ok(abs((dp_regression(y, x, -1, 1, -1, 1, 1000000)).corr) < 0.001, 'with workers') FROM t.many;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT is('(0,0,0,0,0,0,0,0,0)'::dp_noise.pair_state::text, '(0,0,0,0,0,0,0,0,0)', 'the empty state read and written');
SELECT throws_ok(format('SELECT %L::dp_noise.pair_state', s), '0A000', NULL, 'not the empty state: ' || s) FROM unnest(ARRAY['', '(0,0,0)', '(1,0,0,0,0,0,0,0,0)']) AS s;
SELECT throws_ok(q, '22023', NULL, q) FROM unnest(ARRAY['SELECT dp_regression(y, x) FROM t.pairs', 'SELECT dp_regression(y, x, 0, ''Infinity'', 0, 1) FROM t.pairs', 'SELECT dp_regression(y, x, 0, 1, ''NaN'', 1) FROM t.pairs',
	'SELECT dp_regression(y, x, 0, 1, 2, 1) FROM t.pairs']) AS q;
SELECT throws_ok('SELECT dp_regression(y, x, 0, 1, 0, x) FROM t.pairs', '0A000', NULL, 'bounds that differ');

------------------------------------------------------------------------------
-- Over protected tables

SELECT t.accept(format('SELECT %I(age, bmi) FROM patients WHERE id > %s', name, number), 1) FROM (SELECT name, row_number() OVER () AS number FROM t.names) AS n;
SELECT t.accept('SELECT ' || string_agg(format('%I(age, bmi)', name), ', ') || ', corr(bmi, age) FROM patients', 2) FROM t.names;
SELECT t.accept('SELECT city, corr(age, bmi), regr_slope(age, bmi) FROM patients WHERE city IN (''city1'', ''city2'') GROUP BY city HAVING regr_count(age, bmi) > 5', 1);
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1e9, delta => 1);
SELECT ok(abs(t.run('gate_ann', format('SELECT (dp_regression(age, bmi, 0, 120, 10, 60, 1000000)).%I FROM patients WHERE id < 900', name))::numeric / t.evaluate(format('%I(age, bmi)', name), 'patients WHERE id < 900')::numeric - 1) < 0.01,
	name || ' through the gate') FROM t.names;
SELECT is(t.explained('SELECT corr(bmi, bmi) FROM patients', 'Derived Bounds'), NULL, 'declared bounds');
SELECT is(t.explained('SELECT corr(age, 2 * bmi) FROM patients', 'Derived Bounds'), '0 .. 120, 20 .. 120', 'derived bounds');
SELECT is(t.explained('SELECT regr_r2(age, bmi) FROM patients', 'Written As'), 'regr_r2', 'as it was written');
SELECT t.refuse('22023', 'SELECT corr(age, id) FROM patients');
SELECT t.refuse('0A000', 'SELECT corr(DISTINCT age, bmi) FROM patients');
SELECT t.refuse('0A000', 'SELECT corr(age, bmi ORDER BY age) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_low(corr(age, bmi)::numeric) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_regression(age, bmi, 0, 1, 0, 1, 1, ''exponential'') FROM patients');
SELECT t.refuse('42501', q) FROM unnest(ARRAY['SELECT dp_noise.regression_state(age, bmi, 0, 1, 0, 1) FROM patients',
	'SELECT dp_count(*), dp_noise.regression_of_rows(age, bmi, 0, 1, 0, 1, 1000000, NULL, 0, false, false) FROM patients']) AS q;

-- Units of several rows: what one adds to the nine sums, in steps of a row.
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, age integer, cost double precision);
INSERT INTO public.visits SELECT p, (p * 7 + i * 13) % 91 - 20, (p * 7 + i * 13) % 91 / 2.0 FROM generate_series(1, 300) AS p, generate_series(1, 1 + p % 12) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
RESET ROLE;
CREATE FUNCTION t.sums() RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
	state numeric[] := translate((dp_noise.true_states('SELECT dp_regression(age, cost, -10, 50, 0, 40) FROM visits'))[1], '()', '{}');
BEGIN
	RETURN state;
END
$$;
CREATE FUNCTION t.change(rows integer, y integer, x integer) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	before numeric[] := t.sums();
	after numeric[];
	total numeric := 0;
BEGIN
	INSERT INTO public.visits SELECT -1, y, x FROM generate_series(1, rows) AS i;
	after := t.sums();
	DELETE FROM public.visits WHERE person = -1;
	FOR i IN 1 .. 8 LOOP
		total := total + abs(after[i] - before[i]);
	END LOOP;
	RETURN round(total / (SELECT translate(dp_noise.regression_state(-10, 0, -10, 50, 0, 40)::text, '()', '{}')::numeric[])[1], 6);
END
$$;
SELECT is(t.change(r, y, x), least(r, 4)::numeric, format('a unit of %s rows at %s, %s moves the sums by what %s rows may', r, y, x, least(r, 4)))
FROM unnest('{1,4,5,1000}'::integer[]) AS r, (VALUES (-1000, -1000), (-10, 40), (50, 0)) AS v (y, x);
SELECT ok(abs(t.run('gate_ann', 'SELECT (dp_regression(age, cost, -20, 70, 0, 45, 1000000)).corr FROM visits')::numeric - 1) < 0.001, 'of units, on a line');
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 2147483647);
SELECT ok(t.run('gate_ann', 'SELECT (dp_regression(age, cost, -20, 70, 0, 45)).regr_count FROM visits') ~ '^[0-9]+$', 'the greatest cap');

------------------------------------------------------------------------------
-- Intervals: they contain the answer, and the truth as often as they say

SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
SELECT is(t.run('gate_ann', format('SELECT concat_ws('' '', dp_low(%1$s) <= %1$s, %1$s <= dp_high(%1$s), dp_low(%1$s, 0.5) >= dp_low(%1$s, 0.99), dp_high(%1$s, 0.5) <= dp_high(%1$s, 0.99)) FROM patients WHERE id < 900', name || '(age, bmi)')),
	't t t t', name || ' has an interval') FROM t.names;
SELECT is(t.run('gate_ann', 'SELECT (dp_low(dp_regression(age, bmi, 0, 120, 10, 60))).regr_count < dp_high(regr_count(age, bmi)) FROM patients'), 'true', 'of the whole row');
SELECT is(t.explained('SELECT corr(age, bmi), dp_low(corr(age, bmi)), dp_high(regr_slope(age, bmi)) FROM patients', 'Question'), t.explained('SELECT corr(age, bmi) FROM patients', 'Question'), 'the same question');
SELECT t.accept('SELECT city, dp_low(corr(age, bmi)) FROM patients WHERE city IN (''city1'', ''city2'') GROUP BY city HAVING dp_low(regr_count(age, bmi)) > 5 ORDER BY dp_high(regr_avgy(age, bmi))', 1);

SET ROLE gate_owner;
CREATE TABLE public.points (g integer NOT NULL, y integer NOT NULL, x integer NOT NULL);
INSERT INTO public.points SELECT g, i % 21, (i % 21 + i * 7919 % 13) / 2 FROM generate_series(1, 400) AS g, generate_series(1, 60) AS i;
SELECT dp_noise.protect('public.points', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.points', 'g', ARRAY(SELECT generate_series(1, 400)::text));
SELECT dp_noise.set_bounds('public.points', 'y', 0, 20), dp_noise.set_bounds('public.points', 'x', 0, 20);
SELECT dp_noise.alter_population('public.points', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.points', 1e5, delta => 1);
RESET ROLE;
CREATE TABLE t.ends (name text, low double precision, high double precision);
GRANT INSERT, SELECT ON t.ends TO PUBLIC;
-- 400 draws at 0.95 cover 360 times or more, but with a probability below 1e-4 each
CREATE FUNCTION t.covers(column_name text, mechanism text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	truth double precision := t.evaluate(format('%I(y, x)', column_name), 'public.points WHERE g = 1');
	told text;
BEGIN
	told := t.run('gate_ann', format('INSERT INTO t.ends SELECT %1$L, dp_low((dp_regression(y, x, 0, 20, 0, 20, 12, %2$L)).%1$I), dp_high((dp_regression(y, x, 0, 20, 0, 20, 12, %2$L)).%1$I) FROM points GROUP BY g', column_name, mechanism));
	RETURN (SELECT ok(told IS NULL AND count(*) FILTER (WHERE low IS NULL OR truth BETWEEN low AND high) >= 360 AND count(*) = 400 AND count(*) FILTER (WHERE high < 'Infinity') > 200,
		format('%s by %s: %s of %s cover %s (%s)', column_name, mechanism, count(*) FILTER (WHERE truth BETWEEN low AND high), count(low), truth, told)) FROM t.ends AS e WHERE e.name = column_name);
END
$$;
SELECT t.covers(name, m) FROM t.names, unnest('{laplace}'::text[]) AS m;
DELETE FROM t.ends;
SELECT t.covers(name, 'gaussian(delta=1e-6)') FROM unnest('{corr,regr_slope,regr_avgx,regr_count}'::text[]) AS name;

-- a stored answer is replayed with its interval
SELECT dp_noise.alter_population('public.points', on_repeat => 'replay') \g /dev/null
CREATE TABLE t.told AS SELECT t.run('gate_ann', 'SELECT concat_ws('' '', corr(y, x), dp_low(corr(y, x)), dp_high(corr(y, x))) FROM points') AS told;
SELECT is(t.run('gate_ann', 'SELECT concat_ws('' '', corr(y, x), dp_low(corr(y, x)), dp_high(corr(y, x))) FROM points'), told, 'replayed: ' || told) FROM t.told;

SELECT * FROM finish();
\ir support/gate_end.sql
