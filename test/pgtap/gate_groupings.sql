-- Groupings of one query over public keys are one question: charged once, at the
-- epsilon that is asked for, which they share; their counts and sums agree.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;
SET ROLE gate_owner;
UPDATE public.patients SET smoker = false WHERE smoker IS NULL;
UPDATE public.patients SET city = 'elsewhere' WHERE id <= 100;
CREATE TABLE public.visits (person integer, kind text, night boolean, price integer);
INSERT INTO public.visits SELECT p, 'k' || i % 3, i % 2 = 0, p % 20 FROM generate_series(1, 200) AS p, generate_series(1, 1 + p % 9) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 1, max_groups_per_unit => 12, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.visits', 'kind', '{k0,k1,k2}'::text[]);
CREATE TABLE public.homes (person integer, big boolean NOT NULL);
INSERT INTO public.homes SELECT p, p % 2 = 0 FROM generate_series(1, 200) AS p;
SELECT dp_noise.protect('public.homes', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('public.homes', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.homes', 1000000, delta => 0.5);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1000000, delta => 0.5);
RESET ROLE;
SELECT dp_noise.set_values('public.patients', 'city', ARRAY(SELECT 'city' || i FROM generate_series(0, 9) AS i));
SELECT dp_noise.set_budget('gate_bob', 'public.patients', 1000000, delta => 0.5);

-- What a statement is charged, and its rows as JSON.
CREATE FUNCTION t.rows_of(who text, query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result text := t.run(who, format('SELECT coalesce(jsonb_agg(s), ''[]'') FROM (%s) AS s', query));
BEGIN
	RETURN CASE WHEN result ~ '^[0-9A-Z]{5}: ' THEN to_jsonb(result) ELSE result::jsonb END;
END
$$;
CREATE FUNCTION t.charged(query text, who text DEFAULT 'gate_ann') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	result text := t.run(who, query);
BEGIN
	RETURN CASE WHEN result ~ '^[0-9A-Z]{5}: ' THEN result
		ELSE (SELECT coalesce(string_agg(format('%s of %s %s', trim_scale(epsilon), asked_about, trim_scale(delta)), ', ' ORDER BY i), 'nothing') FROM (SELECT row_number() OVER (ORDER BY at) AS i, * FROM dp_noise.ledger) AS l WHERE i > before) END;
END
$$;

-- One charge of what was asked, whatever groupings there are
SELECT is(t.charged('SELECT smoker, feeling, count(*) FROM patients GROUP BY ' || g), '1 of patients 0', 'charged once: ' || g)
FROM unnest(ARRAY['ROLLUP (smoker, feeling)', 'CUBE (smoker, feeling)', 'GROUPING SETS ((smoker), (feeling))', 'GROUPING SETS ((smoker), (feeling), (smoker), ())', 'GROUPING SETS ((), smoker, feeling, ())']) AS g;
SELECT is(t.charged('SELECT smoker, dp_count(id, 0.1), dp_sum(age, 0, 120, 0.7) FROM patients GROUP BY ROLLUP (smoker)'), '0.1 of patients 0, 0.7 of patients 0', 'as decimals');
SELECT is(t.charged('SELECT smoker, feeling, city, count(*), avg(age), dp_max(age, 0, 120), dp_median_exp(age, 0, 120) FROM patients GROUP BY CUBE (smoker, feeling, city)'),
	'1 of patients 0, 1 of patients 0, 1 of patients 0, 1 of patients 0', 'means, maxima and medians have a share each');
SELECT is(t.charged($$SELECT smoker, dp_count(id, 1, 'gaussian(delta=0.000001)') FROM patients GROUP BY ROLLUP (smoker)$$), '1 of patients 0.000002', 'a delta is that of each');
SELECT is(t.charged('SELECT * FROM (SELECT grouping(smoker) AS g, count(*) FROM patients GROUP BY ROLLUP (smoker)) AS s WHERE g = 1'), '1 of patients 0', 'one that is left has all');
SELECT is(t.charged('SELECT count(*) FROM (SELECT smoker, count(*) FROM patients GROUP BY ROLLUP (smoker) UNION ALL SELECT smoker, count(*) FROM patients GROUP BY GROUPING SETS ((), (smoker))) AS s'), '1 of patients 0', 'twice in a statement');
SELECT is(t.charged('SELECT label, count(*) FROM patients GROUP BY ROLLUP (label)'), '1 of patients 0, 1 of patients 0.000001', 'private keys: each grouping by itself')
FROM (SELECT set_config('dp_noise.delta', '0.000001', false)) AS s;
SELECT t.refuse('42501', 'SELECT smoker, array_agg(age) FROM patients GROUP BY ROLLUP (smoker)');
SELECT is(left(t.run('gate_ann', 'SELECT smoker, dp_count(id, 0.000001) FROM patients GROUP BY CUBE (smoker, feeling)'), 5), '22023', 'too little to share');

-- Several populations: each pays once
SELECT is(t.charged('SELECT big, kind, count(*) FROM homes JOIN visits USING (person) GROUP BY CUBE (big, kind)'), '1 of visits 0, 1 of homes 0', 'of joined relations');

-- What is asked for is held against the limits on one question
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay'), dp_noise.set_budget('gate_bob', 'public.patients', 3, delta => 0.5, max_epsilon_per_query => 1);
SELECT is(t.charged('SELECT smoker, count(*) FROM patients GROUP BY ROLLUP (smoker)', 'gate_bob'), '1 of patients 0', 'all of what one may cost');
SELECT is(t.charged('SELECT smoker, dp_count(*) FROM patients GROUP BY GROUPING SETS ((), (smoker), (smoker))', 'gate_bob'), 'nothing', 'the same in other words is replayed');
SELECT is(t.charged('SELECT count(*) FROM patients', 'gate_bob'), '1 of patients 0', 'a grouping alone is another question');
SELECT is(t.charged('SELECT smoker, count(*) FROM patients GROUP BY smoker', 'gate_bob'), '1 of patients 0', 'each of them');
SELECT is(left(t.charged('SELECT smoker, feeling, count(*) FROM patients GROUP BY CUBE (smoker, feeling)', 'gate_bob'), 5), '53400', 'and no more than there is');
SELECT is(t.rows_of('gate_bob', 'SELECT smoker, count(*) FROM patients GROUP BY ROLLUP (smoker) ORDER BY grouping(smoker), 1'), t.rows_of('gate_bob', 'SELECT smoker, count(*) FROM patients GROUP BY GROUPING SETS ((), (smoker)) ORDER BY grouping(smoker), 1'), 'replayed as it was shown');
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_bob', 'public.patients', 1000000, delta => 0.5);

-- Prepared, with parameters, again and again
CREATE FUNCTION t.prepared() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	i integer;
	n integer;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	PREPARE grouped(integer, float8) AS SELECT count(*) FROM (SELECT smoker, dp_sum(age, 0, 120, $2), count(*) FROM patients WHERE age > $1 GROUP BY ROLLUP (smoker)) AS s;
	FOR i IN 1 .. 8 LOOP
		EXECUTE format('EXECUTE grouped(%s, 0.25)', i) INTO n;
	END LOOP;
	DEALLOCATE grouped;
	RESET SESSION AUTHORIZATION;
	RETURN NEXT is(n, 4, 'rows of a prepared statement');
	RETURN NEXT is((SELECT string_agg(DISTINCT trim_scale(epsilon)::text, ' ') || ' ' || count(*) FROM (SELECT row_number() OVER (ORDER BY at) AS i, * FROM dp_noise.ledger) AS l WHERE l.i > before), '0.25 1 16', 'as often charged');
END
$$;
SELECT t.prepared();
CREATE FUNCTION t.in_cursor() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	c refcursor;
	r record;
	n integer := 0;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	OPEN c SCROLL FOR SELECT grouping(smoker) AS g, count(*) AS n FROM public.patients GROUP BY ROLLUP (smoker) HAVING grouping(smoker) >= n;
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		n := n + 1;
	END LOOP;
	MOVE FIRST FROM c;
	CLOSE c;
	RESET SESSION AUTHORIZATION;
	RETURN is(n || ' ' || t.charges() - before, '4 1', 'in a cursor, of a function with parameters');
END
$$;
SELECT t.in_cursor();

-- Answers agree
CREATE TEMP TABLE answers AS
SELECT groups, r.* FROM unnest(ARRAY['ROLLUP (smoker, city)', 'CUBE (smoker, city)']) AS groups, jsonb_to_recordset(t.rows_of('gate_ann',
	format('SELECT smoker, city, grouping(smoker, city) AS g, count(*) AS n, sum(age) AS a, dp_sum(weight, 0, 100) AS w, dp_sum(bmi, 10, 60) AS b, dp_low(count(*)) AS low, dp_high(count(*)) AS high, dp_low(dp_sum(weight, 0, 100)) AS wl FROM patients GROUP BY %s', groups)))
	AS r (smoker boolean, city text, g integer, n numeric, a numeric, w numeric, b float8, low numeric, high numeric, wl numeric);
SELECT is(count(*)::integer, CASE groups WHEN 'CUBE (smoker, city)' THEN 48 ELSE 37 END, groups) FROM answers GROUP BY groups;
SELECT ok(fine.n = coarse.n AND fine.a = coarse.a AND abs(fine.w - coarse.w) < 1e-4 AND abs(fine.b - coarse.b) < 1e-4, format('a ROLLUP adds up exactly: %s', coarse.smoker))
FROM (SELECT smoker, sum(n) AS n, sum(a) AS a, sum(w) AS w, sum(b) AS b FROM answers WHERE groups ~ 'ROLL' AND g = 0 GROUP BY smoker) AS fine
JOIN answers AS coarse ON coarse.groups ~ 'ROLL' AND coarse.g = 1 AND coarse.smoker IS NOT DISTINCT FROM fine.smoker;
SELECT ok(abs(sum(n) FILTER (WHERE g = 1) - sum(n) FILTER (WHERE g = 3)) + abs(sum(a) FILTER (WHERE g = 1) - sum(a) FILTER (WHERE g = 3)) = 0, 'up to the total') FROM answers WHERE groups ~ 'ROLL';
SELECT ok(bool_and(abs(s - n) <= 0.5 * (parts + 1)), format('a CUBE but for rounding: %s', g)) FROM
	(SELECT c.g, c.n, (SELECT sum(f.n) FROM answers AS f WHERE f.groups = c.groups AND f.g = 0 AND (c.g & 2 > 0 OR f.smoker IS NOT DISTINCT FROM c.smoker) AND (c.g & 1 > 0 OR f.city IS NOT DISTINCT FROM c.city)) AS s,
		CASE c.g WHEN 1 THEN 11 WHEN 2 THEN 3 ELSE 33 END AS parts FROM answers AS c WHERE c.groups ~ 'CUBE' AND c.g > 0) AS s GROUP BY g;
SELECT ok(bool_and(n = trunc(n) AND a = trunc(a) AND low <= n AND n <= high AND wl <= w), 'whole numbers, between the ends of their intervals') FROM answers;
SELECT is(round(n, -2), 900::numeric, 'rows without a public value count in no grouping') FROM answers, (SELECT set_config('dp_noise.epsilon', '1', false)) AS s WHERE groups ~ 'ROLL' AND g = 3;
SELECT is(t.rows_of('gate_ann', 'SELECT DISTINCT smoker, n FROM (SELECT smoker, count(*) AS n FROM patients GROUP BY GROUPING SETS ((smoker), (smoker), (feeling), ())) AS s') #>> '{}' IS NOT NULL, true, 'sets that are there twice');
SELECT is(count(DISTINCT x ->> 'n') FILTER (WHERE x ->> 'g' = '0' AND x ->> 'smoker' = 'true'), 1::bigint, 'have one answer')
FROM jsonb_array_elements(t.rows_of('gate_ann', 'SELECT smoker, grouping(smoker) AS g, count(*) AS n FROM patients GROUP BY GROUPING SETS ((smoker), (smoker), (feeling), ())')) AS x;
WITH answer AS (SELECT t.rows_of('gate_ann', $$SELECT CASE WHEN small = 1 THEN 'a' ELSE 'b' END AS t, CASE WHEN age = 1 THEN 1 ELSE 2 END AS k,
	CASE WHEN 1 = age THEN 1 ELSE 2 END AS k2, CASE WHEN 1 = small THEN 'a' ELSE 'b' END AS t2, count(*) AS n FROM patients GROUP BY GROUPING SETS (
	(CASE WHEN small = 1 THEN 'a' ELSE 'b' END, CASE WHEN age = 1 THEN 1 ELSE 2 END), (CASE WHEN 1 = age THEN 1 ELSE 2 END, CASE WHEN 1 = small THEN 'a' ELSE 'b' END), ())$$) AS rows)
SELECT is(count(*), 4::bigint, 'also where the keys are written in another way and in another order') FROM answer, jsonb_array_elements(rows) AS x, jsonb_array_elements(rows) AS y
WHERE (x ->> 't', x ->> 'k', x ->> 'n') = (y ->> 't2', y ->> 'k2', y ->> 'n');

-- What the noise is: the errors of a total against its standard deviation
CREATE FUNCTION t.line_of(query text, label text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF ltrim(line) LIKE label || ': %' THEN
			RETURN NEXT split_part(ltrim(line), ': ', 2);
		END IF;
	END LOOP;
	RESET SESSION AUTHORIZATION;
END
$$;
SELECT is(round(sum(s::numeric), 2), 1.00, 'shares of all') FROM t.line_of('SELECT smoker, city, count(*) FROM patients GROUP BY CUBE (smoker, city)', 'Share of Epsilon') AS s;
SELECT is(array_agg(s), '{4,4,4,4}', 'of four') FROM t.line_of('SELECT smoker, city, count(*) FROM patients GROUP BY CUBE (smoker, city)', 'Groupings Asked Together') AS s;
SELECT is(count(DISTINCT s), 1::bigint, 'one question') FROM t.line_of('SELECT smoker, city, count(*) FROM patients GROUP BY CUBE (smoker, city)', 'Question') AS s;
SELECT is(count(*), 0::bigint, 'means do not agree') FROM t.line_of('SELECT smoker, avg(age) FROM patients GROUP BY ROLLUP (smoker)', 'Standard Deviation as Shown') AS s;
CREATE FUNCTION t.check_noise(query text, truth numeric, times integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	deviation numeric;
	squares numeric := 0;
	i integer;
BEGIN
	SELECT s::numeric INTO deviation FROM t.line_of(query, 'Standard Deviation as Shown') AS s LIMIT 1;
	FOR i IN 1 .. times LOOP
		squares := squares + (SELECT ((x ->> 'n')::numeric - truth) ^ 2 FROM jsonb_array_elements(t.rows_of('gate_ann', query)) AS x WHERE x ->> 'g' = '3');
	END LOOP;
	-- the mean of so many squares of sums of Laplace draws is off by a tenth or so
	RETURN ok(squares / times / deviation ^ 2 BETWEEN 0.4 AND 2, format('%s: noise of %s, expected %s', query, round(sqrt(squares / times), 2), deviation));
END
$$;
SET dp_noise.epsilon = 0.2;
SELECT t.check_noise('SELECT grouping(smoker, feeling) AS g, count(*) AS n FROM patients GROUP BY GROUPING SETS ((), (smoker, feeling), (smoker), (feeling))', 1000, 300);
RESET dp_noise.epsilon;

-- Units of several rows: bounded by the keys of all groupings
CREATE FUNCTION t.tables(query text) RETURNS numeric[] LANGUAGE sql AS
$$SELECT array_agg(s ORDER BY n) FROM (SELECT cardinality(x) AS n, sum(x[cardinality(x)]::numeric) AS s FROM dp_noise.true_states(query) AS x GROUP BY 1) AS s$$;
SELECT is(t.tables('SELECT kind, night, dp_count(*) FROM visits GROUP BY ROLLUP (kind, night)'),
	(SELECT array_fill(count(*)::numeric, '{3}') FROM (SELECT DISTINCT person, kind, night FROM public.visits) AS v), 'the same rows count in each');
SELECT is(t.tables('SELECT dp_count(*) FROM visits'), (SELECT ARRAY[count(DISTINCT person)::numeric] FROM public.visits), 'other than alone');
INSERT INTO public.visits SELECT 8, 'k' || i % 3, i % 2 = 0, 5 FROM generate_series(1, 100) AS i;
SET dp_noise.max_groups_per_unit = 2;
CREATE TEMP TABLE removed AS SELECT * FROM public.visits WHERE person = 8;
SELECT is(t.tables('SELECT kind, night, dp_count(*) FROM visits WHERE person = 8 GROUP BY CUBE (kind, night)'), '{2,4,2}'::numeric[], 'a person counts in two groups of the finest, and twice in each table');
DELETE FROM public.visits WHERE person = 8;
INSERT INTO public.visits TABLE removed;
SELECT is(t.charged('SELECT kind, night, count(*) FROM visits GROUP BY CUBE (kind, night)'), '1 of visits 0', 'charged as others');
SELECT is(left(t.run('gate_ann', $$SELECT kind, dp_count(price, 1, 'gaussian(delta=0.00001)') FROM visits GROUP BY ROLLUP (kind)$$), 70), '0A000: mechanism gaussian cannot be used with groupings of privacy uni', 'gaussian noise for groups apart');
-- where groups of a unit are chosen, they are chosen for each grouping: nothing to agree on
SELECT is(count(s), agree::bigint, format('at most %s groups: %s agree', groups, agree))
FROM (VALUES (11, 0), (12, 3)) AS v (groups, agree), set_config('dp_noise.max_groups_per_unit', groups::text, false) AS c (setting)
	LEFT JOIN LATERAL t.line_of(format('SELECT kind, night, count(*) FROM visits GROUP BY ROLLUP (kind, night) -- at most %s', setting), 'Standard Deviation as Shown') AS s ON true
GROUP BY groups, agree;
RESET dp_noise.max_groups_per_unit;
SELECT ok(abs(sum(n) FILTER (WHERE g = 1) - sum(n) FILTER (WHERE g = 3)) + abs(sum(n) FILTER (WHERE g = 0) - sum(n) FILTER (WHERE g = 3)) = 0, 'they agree, too')
FROM jsonb_to_recordset(t.rows_of('gate_ann', 'SELECT grouping(kind, night) AS g, count(*) AS n FROM visits GROUP BY ROLLUP (kind, night)')) AS r (g integer, n numeric);

-- Sub-queries of FROM and WHERE have one value for all groupings
SET dp_noise.epsilon = 1000;
SELECT is(t.charged(query), '0.05 of patients 0, 1000 of patients 0', 'an answer within is asked for once: ' || query) FROM unnest(ARRAY[
	'SELECT smoker, count(*) FROM patients WHERE age < (SELECT dp_count(id, 0.05) / 25.0 FROM patients) GROUP BY CUBE (smoker, city)',
	'SELECT smoker, count(*) FROM patients JOIN (SELECT dp_count(id, 0.05) / 25.0 AS n FROM patients) AS a ON age < n GROUP BY CUBE (smoker, city)',
	'SELECT smoker, count(*) FROM patients WHERE age IN (SELECT dp_count(id, 0.05) / 25 FROM patients) GROUP BY CUBE (smoker, city)'
]) AS query;
SELECT is(count(DISTINCT greatest), 1::bigint, 'one value: ' || clause)
FROM unnest(ARRAY['WHERE bmi < (SELECT dp_count(id, 0.002) / 40.0 FROM patients)', 'JOIN (SELECT dp_count(id, 0.002) / 40.0 AS n FROM patients) AS a ON bmi < n', 'WHERE bmi < (SELECT 20 + random() * 15 FROM numbers LIMIT 1)']) AS clause,
	LATERAL (SELECT max((x ->> 'm')::numeric)::integer AS greatest FROM jsonb_array_elements(t.rows_of('gate_ann', format('SELECT grouping(smoker, feeling) AS g, dp_max(bmi, 10, 60) AS m FROM patients %s GROUP BY CUBE (smoker, feeling)', clause))) AS x GROUP BY x ->> 'g') AS s
GROUP BY clause;

-- What is public is read for each grouping: where it may differ, they are of other rows
SELECT is(count(s), agree::bigint, 'how many agree: ' || rows)
FROM (VALUES ('SELECT x FROM numbers', 2), ('SELECT x FROM numbers TABLESAMPLE bernoulli (50) REPEATABLE (1)', 2), ('SELECT x FROM numbers TABLESAMPLE bernoulli (50)', 0), ('SELECT x FROM numbers ORDER BY random() LIMIT 5', 0)) AS v (rows, agree)
	LEFT JOIN LATERAL t.line_of(format('SELECT smoker, count(*) FROM patients WHERE age IN (%s) GROUP BY ROLLUP (smoker)', rows), 'Standard Deviation as Shown') AS s ON true
GROUP BY rows, agree;
RESET dp_noise.epsilon;

-- Groupings that are left are bounded by the keys of all: another question
SET ROLE gate_owner;
ALTER TABLE public.visits ALTER night SET NOT NULL;
SELECT dp_noise.alter_population('public.visits', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'public.visits', 1000000, delta => 0.5);
RESET ROLE;
SELECT is(t.charged('SELECT kind, count(*) FROM visits GROUP BY ROLLUP (kind)'), '1 of visits 0', 'by one key');
SELECT is(t.charged(query), '1 of visits 0', query) FROM unnest(ARRAY[
	'SELECT * FROM (SELECT kind, grouping(night) AS g, count(*) FROM visits GROUP BY ROLLUP (kind, night)) AS s WHERE g = 1',
	'SELECT * FROM (SELECT kind, grouping(night) AS g, count(*) FROM visits GROUP BY GROUPING SETS ((kind, night, (price IS NULL)), (kind), ())) AS s WHERE g = 1'
]) AS query;
SELECT is(t.charged('SELECT * FROM (SELECT kind, grouping(night) AS g, count(*) FROM visits GROUP BY GROUPING SETS ((), (night, kind), (kind))) AS s WHERE g = 1'), 'nothing', 'the same in other words');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1000000, delta => 0.5);
RESET ROLE;

-- Stored answers agree among themselves, whatever values there are by then
SET ROLE gate_owner;
CREATE TABLE public.sorts (s integer PRIMARY KEY);
INSERT INTO public.sorts VALUES (1), (2);
GRANT SELECT ON public.sorts TO gate_ann;
CREATE TABLE public.goods (id integer PRIMARY KEY, s integer NOT NULL REFERENCES public.sorts, big boolean NOT NULL);
INSERT INTO public.goods SELECT i, 1 + i % 2, i % 3 = 0 FROM generate_series(1, 300) AS i;
SELECT dp_noise.protect('public.goods', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.goods', 1000000);
RESET ROLE;
CREATE TEMP TABLE shown AS SELECT x FROM jsonb_array_elements(t.rows_of('gate_ann', 'SELECT s AS sort, big, count(*) AS n FROM goods GROUP BY CUBE (s, big)')) AS x;
INSERT INTO public.sorts VALUES (3);
SELECT is((SELECT jsonb_agg(x ORDER BY x::text) FROM jsonb_array_elements(t.rows_of('gate_ann', 'SELECT sort, big, n FROM (SELECT s AS sort, big, count(*) AS n, count(*) FILTER (WHERE big) FROM goods GROUP BY CUBE (s, big)) AS q WHERE n IS NOT NULL')) AS x),
	(SELECT jsonb_agg(x ORDER BY x::text) FROM shown), 'beside an answer that is new');

-- Bounded together by all keys or each by its own, they are two questions, in
-- whatever order their fingerprints are
SELECT dp_noise.alter_population('public.visits', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'public.visits', 1000000, delta => 0.5);
SELECT is(t.charged(format('SELECT night, count(*)%s FROM visits WHERE price > %s GROUP BY %s', beside, -i, g)) ~ 'visits', true, format('asked%s by %s: %s', beside, g, i))
FROM generate_series(1, 8) AS i, unnest('{"ROLLUP (night)","CUBE (kind, night)"}'::text[]) AS g, unnest('{", dp_max(price, 0, 20)",""}'::text[]) WITH ORDINALITY AS b (beside, place)
ORDER BY i, g, place;
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1000000, delta => 0.5);

-- In rho
SELECT dp_noise.drop_budget('gate_bob', 'public.patients'), dp_noise.set_budget('gate_ann', 'public.patients', 10000, delta => 0.000001), dp_noise.alter_population('public.patients', epsilon => 1e6, delta => 0.000001, accountant => 'zcdp');
SELECT dp_noise.alter_population('public.visits', delta => 0.000001, accountant => 'zcdp'), dp_noise.set_budget('gate_ann', 'public.visits', 100, delta => 0.000001);
SELECT is(t.charged('SELECT smoker, city, count(*) FROM patients GROUP BY CUBE (smoker, city)') ~ ' of patients 0$', true, 'asked');
SELECT ok(rho <= dp_noise.current_rho() AND rho > dp_noise.current_rho() * 0.9999, 'all of the price of epsilon 1, and no more') FROM dp_noise.ledger ORDER BY at DESC LIMIT 1;
SELECT is(mechanism, 'gaussian', 'by gaussian noise') FROM dp_noise.ledger ORDER BY at DESC LIMIT 1;
SELECT t.check_noise('SELECT grouping(smoker, feeling) AS g, count(*) AS n FROM patients GROUP BY GROUPING SETS ((), (smoker, feeling), (smoker), (feeling))', 1000, 100);
SELECT is(t.charged('SELECT kind, night, count(*) FROM visits GROUP BY CUBE (kind, night)') ~ 'visits', true, 'asked of units of several rows');
SELECT ok(rho <= dp_noise.current_rho() AND rho > dp_noise.current_rho() * 0.999, 'so, too') FROM dp_noise.ledger ORDER BY at DESC LIMIT 1;
SELECT is(round(sum(s::numeric), 2), 1.00, 'shares of rho') FROM t.line_of('SELECT kind, night, count(*) FROM visits GROUP BY CUBE (kind, night)', 'Share of Rho') AS s;
SELECT * FROM finish();
\ir support/gate_end.sql
