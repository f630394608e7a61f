-- Questions in the server's own aggregates: what is read as what, of which types,
-- as which question; which query is the block; what is refused, and how; and
-- statements as tools write them.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.products ("ID" integer PRIMARY KEY, "CATEGORY" text NOT NULL, "VENDOR" text);
INSERT INTO public.products SELECT i, 'category' || i % 4, 'vendor' || i % 7 FROM generate_series(1, 40) AS i;
GRANT SELECT ON public.products TO PUBLIC;
CREATE TABLE public.people (
	"ID" integer PRIMARY KEY, "STATE" text, "SOURCE" text NOT NULL, "AGE" integer, "VIP" boolean NOT NULL, "CREATED_AT" timestamp NOT NULL
);
INSERT INTO public.people
SELECT i, 'S' || i % 5, (ARRAY['Google', 'Twitter', 'Organic'])[1 + i % 3], 18 + i % 60, i % 4 = 0, timestamp '2020-01-01' + i * interval '1 hour'
FROM generate_series(1, 2000) AS i;
CREATE TABLE public.orders (
	"ID" integer PRIMARY KEY, "USER_ID" integer NOT NULL, "PRODUCT_ID" integer REFERENCES public.products, "STATUS" text NOT NULL,
	"SUBTOTAL" double precision, "TAX" numeric(10,2), "DISCOUNT" numeric, "QUANTITY" integer NOT NULL, "CREATED_AT" timestamp NOT NULL
);
INSERT INTO public.orders
SELECT i, 1 + i % 2000, 1 + i % 40, (ARRAY['paid', 'open', 'void'])[1 + i % 3], i % 100, i % 10, (i % 5) / 10.0, 1 + i % 9, timestamp '2020-01-01' + i * interval '1 hour'
FROM generate_series(1, 6000) AS i;
SELECT dp_noise.protect('public.people', privacy_unit => 'ID', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.orders', privacy_unit => 'USER_ID', max_rows_per_unit => 5, max_groups_per_unit => 3, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.people', 'STATE', '{S0,S1,S2,S3,S4}');
SELECT dp_noise.set_values('public.people', 'SOURCE', '{Google,Twitter,Organic}');
SELECT dp_noise.set_values('public.orders', 'STATUS', '{paid,open,void}');
SELECT dp_noise.set_bounds('public.people', 'AGE', 0, 120);
SELECT dp_noise.set_bounds('public.orders', 'SUBTOTAL', 0, 100);
SELECT dp_noise.set_bounds('public.orders', 'TAX', 0, 10);
SELECT dp_noise.set_bounds('public.orders', 'DISCOUNT', 0, 1);
SELECT dp_noise.set_bounds('public.orders', 'QUANTITY', 0, 10);
SELECT dp_noise.alter_population(relation::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', relation::text, 1000000, delta => 1) FROM unnest('{public.people,public.orders}'::regclass[]) AS relation;
SELECT dp_noise.set_budget('gate_bob', relation::text, 1000000, delta => 1) FROM unnest('{public.people,public.orders,public.patients}'::regclass[]) AS relation;
SELECT dp_noise.set_values('public.patients', 'city', ARRAY(SELECT 'city' || i FROM generate_series(0, 9) AS i));
RESET ROLE;
CREATE ROLE gate_stranger LOGIN;
GRANT USAGE ON SCHEMA public TO gate_stranger;
SET dp_noise.delta = 1e-6;

------------------------------------------------------------------------------
-- read as the private ones: the same question, by its fingerprint

CREATE FUNCTION t.same(one text, other text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	questions text := t.explained(one, 'Question');
BEGIN
	RETURN ok(questions = t.explained(other, 'Question') AND questions <> '', format('%s is %s', one, other));
END
$$;
SELECT t.same(format('SELECT %s FROM patients', one), format('SELECT %s FROM patients', other)) FROM (VALUES
	('count(*)', 'dp_count(*)'), ('count(1)', 'dp_count(*)'), ('count(''x'')', 'dp_count(*)'), ('count(age)', 'dp_count(*)'), ('count(smoker)', 'dp_count(smoker)'),
	('count(DISTINCT id)', 'dp_count(*)'), ('sum(age)', 'dp_sum(age)'), ('sum(DISTINCT age)', 'dp_sum_distinct(age)'), ('avg(DISTINCT bmi)', 'dp_mean_distinct(bmi)'), ('sum(DISTINCT age) FILTER (WHERE smoker)', 'dp_sum_distinct(age) FILTER (WHERE smoker)'), ('sum(bmi)', 'dp_sum(bmi)'), ('avg(age)', 'dp_mean(age)'),
	('min(age)', 'dp_min(age)'), ('max(bmi)', 'dp_max(bmi)'), ('max(DISTINCT age)', 'dp_max(age)'), ('variance(age)', 'dp_variance(age)'), ('var_samp(bmi)', 'dp_variance(bmi)'),
	('stddev(age)', 'dp_stddev(age)'), ('var_pop(age)', 'dp_var_pop(age)'), ('corr(age, bmi)', 'dp_regression(age, bmi)'), ('regr_sxy(age, bmi)', '(dp_regression(age, bmi, 0, 120, 10, 60)).corr'), ('stddev_pop(age)', 'dp_stddev_pop(age)'), ('stddev_samp(age)', 'dp_stddev(age)'),
	('percentile_cont(0.25) WITHIN GROUP (ORDER BY age)', 'dp_quantile_exp(age, 0.25)'), ('percentile_disc(0.5) WITHIN GROUP (ORDER BY bmi)', 'dp_median_exp(bmi)'),
	('percentile_cont(0.25) WITHIN GROUP (ORDER BY age DESC)', 'dp_quantile_exp(age, 0.75)'),
	('percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY age)', 'dp_quantiles_exp(age, ARRAY[0.25, 0.75])'),
	('mode() WITHIN GROUP (ORDER BY smoker)', 'dp_mode(smoker)'), ('mode() WITHIN GROUP (ORDER BY feeling)', 'dp_mode(feeling)'),
	('count(*) FILTER (WHERE smoker)', 'dp_count(*) FILTER (WHERE smoker)'), ('sum(age) FILTER (WHERE bmi > 3)', 'dp_sum(age) FILTER (WHERE bmi > 3)')
) AS v (one, other);
SELECT t.same('SELECT count(DISTINCT "USER_ID") FROM orders', 'SELECT dp_count_distinct("USER_ID") FROM orders');
SELECT t.same('SELECT mode() WITHIN GROUP (ORDER BY city) FROM patients', format('SELECT dp_mode(city, %L::text[]) FROM patients', ARRAY(SELECT 'city' || i FROM generate_series(0, 9) AS i)));
SELECT t.same('SELECT city, avg(age) FROM patients WHERE smoker GROUP BY city', 'SELECT city, dp_mean(age) FROM patients WHERE smoker GROUP BY city');
SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse') \g /dev/null
SELECT is(t.run('gate_bob', 'SELECT count(*) > 0 FROM patients WHERE age > 41'), 'true', 'asked in one form');
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM patients WHERE age > 41'), '53400: this question about "patients" was answered before', 'and in the other');
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer') \g /dev/null
SELECT is(t.explained('SELECT count(*), avg(age), dp_mean(bmi) FROM patients', 'Aggregate'), 'dp_count dp_mean dp_mean', 'EXPLAIN has the private names');
SELECT is(t.explained('SELECT count(*), avg(age), dp_mean(bmi) FROM patients', 'Written As'), 'count avg', 'and those that were written');
SELECT t.accept('SELECT count(*), dp_count(*), count(1), count(age), sum(age), dp_sum(age), sum(age) / count(*) FROM patients', 2);
SELECT t.accept('SELECT city, count(*), avg(age) FROM patients GROUP BY city HAVING count(*) > 5 AND max(age) > 3 ORDER BY sum(age) DESC, 2', 4);
SELECT t.accept('SELECT city, rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER () FROM patients GROUP BY city');

-- types and type modifiers are the built-in's
CREATE FUNCTION t.types(who text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := t.run(who, 'CREATE TABLE typed AS ' || query);
BEGIN
	IF result IS NULL THEN
		SELECT string_agg(format_type(atttypid, atttypmod) || ' ' || coalesce(attcollation::regcollation::text, ''), ', ' ORDER BY attnum) INTO result
		FROM pg_attribute WHERE attrelid = format('%I.typed', who)::regclass AND attnum > 0;
		EXECUTE format('DROP TABLE %I.typed', who);
	END IF;
	RETURN result;
END
$$;
SELECT is(t.types('gate_ann', query), t.types('gate_owner', query), 'types: ' || query) FROM (
	SELECT format('SELECT %s FROM patients', string_agg(format(aggregate, name), ', ')) AS query
	FROM unnest('{count(%s) AS c,sum(%s) AS s,avg(%s) AS a,min(%s),max(%s),variance(%s) AS v,stddev(%s) AS d,percentile_cont(0.5) WITHIN GROUP (ORDER BY %s) AS pc,percentile_disc(0.5) WITHIN GROUP (ORDER BY %s) AS pd}'::text[]) AS aggregate,
		unnest('{age}'::text[]) AS name
	UNION ALL
	SELECT format('SELECT %s FROM patients', string_agg(format(aggregate, name), ', '))
	FROM unnest('{sum(%s) AS s,avg(%s) AS a,min(%s),max(%s),variance(%s) AS v,stddev(%s) AS d,percentile_cont(0.5) WITHIN GROUP (ORDER BY %s) AS pc}'::text[]) AS aggregate,
		unnest('{bmi}'::text[]) AS name
	UNION ALL VALUES
	('SELECT sum("TAX"), avg("TAX"), min("TAX"), max("DISCOUNT"), percentile_cont(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY "QUANTITY") AS p FROM orders'),
	('SELECT percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY age) AS p, mode() WITHIN GROUP (ORDER BY city) AS m FROM patients'),
	('SELECT sum(age::bigint) AS b, avg(age::real) AS a, sum(age::real) AS r, max(age::smallint) AS s, sum(age::smallint) AS t FROM patients'),
	('SELECT DISTINCT city, label, smoker FROM patients'), ('SELECT * FROM orders LIMIT 0'), ('SELECT name, code, weight AS w, token, visits FROM patients WHERE 1 = 0')
) AS q;
SELECT matches(t.run('gate_ann', 'SELECT percentile_cont(ARRAY[0, 1]) WITHIN GROUP (ORDER BY age) FROM patients'), '^\{\d+,\d+\}$', 'an array of quantiles');

------------------------------------------------------------------------------
-- which query is the block

SELECT t.accept('SELECT max(n), count(*) FROM (SELECT city, count(*) AS n FROM patients GROUP BY city) AS s'); -- of released rows
SELECT t.accept('SELECT avg(n) FROM (SELECT smoker, city, count(*) AS n FROM patients GROUP BY 1, 2) AS s');
SELECT t.accept('SELECT count(*) FROM (SELECT "USER_ID", sum("TAX") AS s FROM orders GROUP BY 1) AS s WHERE s > 3'); -- of people
SELECT t.accept('SELECT count(*) FROM (SELECT o."USER_ID" FROM orders AS o JOIN people AS p ON o."USER_ID" = p."ID" GROUP BY 1 HAVING count(*) > 2) AS s', 2);
SELECT t.accept('SELECT count(*) FROM (SELECT DISTINCT "USER_ID" FROM orders) AS s');
SELECT t.accept('SELECT count(*) FROM people WHERE "ID" IN (SELECT "USER_ID" FROM orders GROUP BY 1 HAVING count(*) > 2)', 2);
SELECT t.accept('SELECT count(*) FROM people AS p WHERE (SELECT count(*) FROM orders AS o WHERE o."USER_ID" = p."ID") > 2', 2);
SELECT t.accept('SELECT count(*) FROM people AS p WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o."USER_ID" = p."ID")', 2);
SELECT t.accept('WITH a AS (SELECT * FROM patients WHERE smoker), b AS (SELECT city, count(*) AS n FROM a GROUP BY 1) SELECT x.n, y.n FROM b AS x JOIN b AS y USING (city)');
SELECT t.accept('WITH s AS (SELECT count(*) AS n FROM patients) SELECT s.n, (SELECT count(*) FROM people) FROM s', 2);
SELECT t.accept('SELECT ''all'', count(*) FROM patients UNION ALL SELECT city, count(*) FROM patients GROUP BY city', 2);
SELECT t.accept('SELECT x, (SELECT count(*) FROM patients) FROM numbers');
SELECT t.accept('SELECT c, s, sum(n) FROM (SELECT city AS c, smoker AS s, count(*) AS n FROM patients GROUP BY 1, 2) AS t GROUP BY ROLLUP (1, 2)'); -- of released rows, too
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT c, s, sum(n) FROM (SELECT city AS c, smoker AS s, count(*) AS n FROM patients GROUP BY 1, 2) AS t GROUP BY ROLLUP (1, 2)) AS u'), '45', 'with all of its groups');
SELECT t.refuse('0A000', 'WITH RECURSIVE r AS (SELECT id FROM patients UNION ALL SELECT id + 1 FROM r WHERE id < 3) SELECT count(*) FROM r');
SELECT t.accept('INSERT INTO gate_ann.kept SELECT city, count(*) FROM patients GROUP BY city') FROM t.run('gate_ann', 'CREATE TABLE kept (city text, n bigint)');
SELECT is(t.run('gate_ann', 'CREATE VIEW by_city AS SELECT city, count(*) AS n, avg(age) FROM patients GROUP BY city'), NULL, 'a view');
SELECT t.accept('SELECT sum(n) FROM by_city', 2);
SELECT is(t.run('gate_ann', 'CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS ''SELECT count(*) FROM public.patients'''), NULL, 'a function');
SELECT t.accept('SELECT counted()');
SELECT is(t.run('gate_ann', 'CREATE FUNCTION listed() RETURNS TABLE (c text, n bigint) LANGUAGE sql STABLE AS ''SELECT city, count(*) FROM public.patients GROUP BY 1'''), NULL, 'one in FROM');
SELECT t.accept('SELECT max(n) FROM listed()');
SELECT is(t.run('gate_ann', 'PREPARE above(int) AS SELECT count(*) FROM patients WHERE age > $1'), NULL, 'a prepared one');
SELECT t.accept('EXECUTE above(3)') FROM generate_series(1, 7);
SELECT t.accept('EXPLAIN EXECUTE above(3)', 0);
SELECT is(t.run('gate_owner', 'EXECUTE above(3)'), (SELECT count(*)::text FROM public.patients WHERE age > 3), 'that is exact for the owner, in the same session');
SELECT t.accept('EXECUTE above(3)');
SELECT is(t.run('gate_stranger', 'EXECUTE above(3)'), '42501: permission denied for table patients', 'and nothing for others');

------------------------------------------------------------------------------
-- conditions of keys alone hold for the groups that are shown

CREATE FUNCTION t.keys(query text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_ann', format('SELECT string_agg(k::text, '','' ORDER BY k) FROM (%s) AS q (k)', query))
$$;
SELECT is(t.keys(query), keys, query) FROM (VALUES
	('SELECT city FROM (SELECT city, count(*) FROM patients WHERE city = ''city3'' GROUP BY city) AS q', 'city3'),
	('SELECT city FROM (SELECT city, avg(age) FROM patients WHERE city IN (''city3'', ''city5'') AND age > 3 GROUP BY city) AS q', 'city3,city5'),
	('SELECT city FROM (SELECT city, smoker, count(*) FROM patients WHERE smoker AND city <> ALL (''{city1,city2,city3,city4,city5,city6,city7}'') GROUP BY 1, 2) AS q', 'city0,city8,city9'),
	('SELECT DISTINCT city FROM patients WHERE city LIKE ''%4'' OR city ILIKE ''CITY2''', 'city2,city4'),
	('SELECT DISTINCT smoker FROM patients WHERE NOT smoker', 'false'),
	('SELECT city FROM (SELECT city, count(*) FROM patients WHERE city ~ ''[34]'' AND city ILIKE ''%'' || ''Y4'' || ''%'' GROUP BY city) AS q', 'city4'),
	('SELECT city FROM (SELECT city, count(*) FROM patients WHERE upper(city) LIKE ''CITY'' || $$3$$ GROUP BY city) AS q', 'city3'),
	('SELECT smoker FROM (SELECT smoker, count(*) FROM patients WHERE 1 / (smoker::integer) = 1 GROUP BY smoker) AS q', 'true')
) AS v (query, keys);
SELECT is(t.run('gate_ann', 'PREPARE containing(text) AS SELECT string_agg(city, '','' ORDER BY city) FROM (SELECT city, count(*) FROM patients WHERE city ILIKE ''%'' || $1 || ''%'' GROUP BY city) AS q'), NULL, 'by a parameter');
SELECT is(t.run('gate_ann', 'EXECUTE containing(''Y3'')'), 'city3', 'a pattern with a parameter') FROM generate_series(1, 7);
SELECT is(t.run('gate_ann', 'EXECUTE containing(E''\\'')'), NULL, 'and one that is none');
-- but not what other columns decide, and dp_ aggregates
SELECT is(t.run('gate_ann', format('SELECT count(*) FROM (%s) AS q', query)), groups, query) FROM (VALUES
	('SELECT city, count(*) FROM patients WHERE city = ''city3'' OR age > 200 GROUP BY city', '11'),
	('SELECT city, dp_count(*) FROM patients WHERE city LIKE ''city3'' GROUP BY city', '11')
) AS v (query, groups);
SELECT t.same('SELECT city, count(*) FROM patients WHERE city = ''city3'' GROUP BY city', 'SELECT city, dp_count(*) FROM patients WHERE city = ''city3'' GROUP BY city');

------------------------------------------------------------------------------
-- who reads exactly, and who reads nothing

SELECT is(t.run('gate_owner', 'SELECT count(*) FROM patients'), '1000', 'the owner counts exactly');
SELECT is(t.run('gate_owner', 'SELECT string_agg(DISTINCT smoker::text, '','') FROM patients'), 'false,true', 'with whatever aggregate');
SELECT is(t.run('gate_stranger', command), '42501: permission denied for table patients', 'without a budget: ' || command)
FROM unnest(ARRAY['SELECT count(*) FROM patients', 'SELECT * FROM patients LIMIT 0', 'SELECT 1 FROM patients WHERE false', 'SELECT DISTINCT city FROM patients', 'SELECT array_agg(age) FROM patients']) AS command;
SET ROLE gate_owner;
GRANT SELECT (age) ON public.patients TO gate_ann;
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT sum(age) FROM patients'), (SELECT sum(age)::text FROM public.patients), 'a column that can be read is read');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM patients'), '1000', 'and its rows counted');
SELECT t.accept('SELECT sum(age) FROM patients WHERE smoker');
SELECT t.accept('SELECT sum(bmi) FROM patients');
SELECT is(t.run('gate_ann', 'EXECUTE above(30)'), (SELECT count(*)::text FROM public.patients WHERE age > 30), 'a prepared one, too');
SET ROLE gate_owner;
REVOKE SELECT (age) ON public.patients FROM gate_ann;
RESET ROLE;
SELECT t.accept('EXECUTE above(30)');
SET dp_noise.rewrite_aggregates = off;
SELECT t.refuse('42501', 'SELECT count(*) FROM patients');
SELECT t.refuse('42501', 'EXECUTE above(30)');
SELECT t.refuse('42501', 'SELECT dp_count(*), count(*) FROM patients');
SELECT t.refuse('42501', 'SELECT DISTINCT smoker FROM patients');
SELECT matches(t.run('gate_ann', 'SELECT count(*) FROM patients'), 'rows of protected relation "patients" cannot be shown', 'the setting');
RESET dp_noise.rewrite_aggregates;
SELECT t.accept('EXECUTE above(30)');

------------------------------------------------------------------------------
-- refused, in words

-- Columns that depend on a primary key are keys as well.
SELECT t.same(format('SELECT %s FROM orders AS o JOIN products AS p ON p."ID" = o."PRODUCT_ID" GROUP BY p."ID"', one), format('SELECT %s FROM orders AS o JOIN products AS p ON p."ID" = o."PRODUCT_ID" GROUP BY p."ID", p."CATEGORY"', one))
FROM unnest(ARRAY['p."CATEGORY", count(*)', 'upper(p."CATEGORY"), p."ID", count(*), rank() OVER (PARTITION BY p."CATEGORY" ORDER BY count(*))', 'count(*) + length(p."CATEGORY")']) AS one;
SELECT t.same('SELECT count(*) FROM orders AS o JOIN products AS p ON p."ID" = o."PRODUCT_ID" GROUP BY p."ID" HAVING p."CATEGORY" = ''category1''',
	'SELECT p."CATEGORY", count(*) FROM orders AS o JOIN products AS p ON p."ID" = o."PRODUCT_ID" GROUP BY p."ID", p."CATEGORY"');
SELECT current_setting('dp_noise.epsilon') AS epsilon \gset
SET dp_noise.epsilon = 100; -- no count is near none
SELECT is(t.run('gate_bob', 'SELECT string_agg(s."CATEGORY" || s.n, '' '' ORDER BY s."ID") FROM (SELECT p."ID", p."CATEGORY", (count(*) > 0)::integer AS n FROM orders AS o JOIN products AS p ON p."ID" = o."PRODUCT_ID" WHERE p."ID" < 4 GROUP BY p."ID") AS s'),
	'category11 category21 category31', 'with their values');
SET dp_noise.epsilon = :epsilon;

CREATE FUNCTION t.hint(command text, state text, message text, hint text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	said text;
	got text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	BEGIN
		EXECUTE command;
		got := 'answered';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS said = PG_EXCEPTION_HINT;
		got := SQLSTATE || ': ' || SQLERRM;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN NEXT matches(got, '^' || state || ': .*' || message, 'refused: ' || command);
	RETURN NEXT matches(said, hint, 'with a hint');
END
$$;
SELECT t.hint('SELECT array_agg(age) FROM patients', '42501', 'array_agg cannot be used', 'GROUP BY it');
SELECT t.hint('SELECT string_agg(name, '','') FROM patients', '42501', 'string_agg cannot be used', 'GROUP BY it');
SELECT t.hint('SELECT json_agg(p) FROM patients AS p', '42501', 'json_agg cannot be used', 'GROUP BY it');
SELECT t.hint('SELECT corr(age, id) FROM patients', '22023', 'corr needs bounds', '^Write dp_regression\(y, x, lower_y.*set_bounds');
SELECT t.hint('SELECT bool_or(smoker) FROM patients', '42501', 'bool_or cannot be used', 'FILTER \(WHERE \.\.\.\)');
SELECT t.hint('SELECT bool_and(smoker) FROM patients', '42501', 'bool_and cannot be used', 'FILTER \(WHERE NOT');
SELECT t.hint('SELECT bit_and(age) FROM patients', '42501', 'bit_and cannot be used', 'count, sum, avg');
SELECT t.hint('SELECT max(name) FROM patients', '22023', '\mmax of texts needs declared values', '^Write dp_max.*set_values');
SELECT t.hint('SELECT variance(DISTINCT age) FROM patients', '0A000', 'variance with DISTINCT', 'SELECT DISTINCT with the privacy unit .* GROUP BY');
SELECT t.hint('SELECT stddev(DISTINCT age) FROM patients', '0A000', 'stddev with DISTINCT', 'SELECT DISTINCT with the privacy unit .* GROUP BY');
SELECT ok(t.explained(query, 'Total Epsilon') IS NOT NULL, query) FROM unnest(ARRAY['SELECT sum(age), avg(age) FROM (SELECT DISTINCT id, age FROM patients) AS q', 'SELECT sum(age), avg(age) FROM (SELECT age FROM patients WHERE age IN (20, 30) GROUP BY age) AS q']) AS query;
SELECT t.hint('SELECT count(DISTINCT notes) FROM patients', '0A000', 'of type jsonb', 'Numbers, texts');
SELECT t.hint('SELECT mode() WITHIN GROUP (ORDER BY name) FROM patients', '0A000', 'not declared', 'LIMIT 1');
SELECT t.hint('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY name) FROM patients', '0A000', 'of type text', 'numbers');
SELECT t.hint('SELECT percentile_cont(ARRAY[0.1, 0.2]) WITHIN GROUP (ORDER BY age DESC) FROM patients', '0A000', 'descending', 'upwards');
SET dp_noise.choose_bounds = 0;
SELECT t.hint('SELECT sum(big) FROM patients', '22023', '\msum needs bounds', '^Write dp_sum.*set_bounds');
SELECT t.hint('SELECT sum((notes->>''a'')::integer) FROM patients', '22023', 'needs bounds', '^Write dp_sum\(value, lower, upper\), or have bounds chosen: SET dp_noise\.choose_bounds = 0\.2\.$'); -- jsonb has none to declare
SELECT t.hint('SELECT city, count(*), generate_series(1, 2) FROM patients GROUP BY ROLLUP (1)', '0A000', 'ROLLUP', 'around it');
SELECT t.hint('SELECT DISTINCT ON (city) city, age FROM patients', '0A000', 'DISTINCT ON', 'GROUP BY');
SELECT t.hint('SELECT * FROM patients', '42501', 'rows of protected relation "patients" cannot be shown', 'count\(\*\)');
SELECT t.hint('SELECT name FROM patients WHERE id = 3', '42501', 'cannot be shown', 'LIMIT 0');
SELECT t.hint('SELECT p.name, n.x FROM numbers AS n JOIN patients AS p ON p.id = n.x', '42501', 'cannot be shown', 'LIMIT 0');
SELECT t.hint('SELECT name FROM patients FOR UPDATE', '42501', 'cannot be shown', 'LIMIT 0');
SELECT t.hint('SELECT row_number() OVER () FROM patients', '42501', 'cannot be shown', 'GROUP BY');
SELECT t.hint('SELECT (SELECT count(n.x) FILTER (WHERE p.age > 3) FROM patients AS p) FROM numbers AS n', '0A000', 'outer query', 'parameter');
SELECT t.hint('SELECT (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n.x) FILTER (WHERE p.age > 3) FROM patients AS p) FROM numbers AS n', '0A000', 'outer query', 'parameter');
SELECT t.hint('SELECT (SELECT mode() WITHIN GROUP (ORDER BY n.x) FILTER (WHERE p.age > 3) FROM patients AS p) FROM numbers AS n', '0A000', 'not declared', 'LIMIT 1');
SELECT t.hint('SELECT (SELECT count(n.x) FROM patients AS p) FROM numbers AS n', '42501', 'cannot be shown', 'count');
SELECT t.hint('SELECT count(*) FROM numbers, (SELECT age FROM patients LIMIT 3) AS s', '0A000', 'LIMIT', 'released answer');
CREATE AGGREGATE gate_ann.mine (integer) (SFUNC = int4pl, STYPE = integer);
SELECT t.hint('SELECT gate_ann.mine(age) FROM patients', '42501', 'aggregate mine cannot be used', 'count, sum, avg');
CREATE TABLE public.closed (x integer);
SELECT is(t.run('gate_ann', command), '42501: permission denied for table closed', 'other tables stay closed: ' || command)
FROM unnest(ARRAY['SELECT count(*) FROM closed', 'SELECT count(*) FROM patients JOIN closed ON id = x', 'SELECT * FROM closed, patients LIMIT 0', 'SELECT x FROM closed WHERE false AND x IN (SELECT id FROM patients)']) AS command;
SELECT is(t.run('gate_ann', command), '42501: permission denied for table patients', 'nothing is written: ' || command)
FROM unnest(ARRAY['DELETE FROM patients', 'UPDATE patients SET age = 1 WHERE false', 'INSERT INTO patients SELECT * FROM patients LIMIT 0']) AS command;

------------------------------------------------------------------------------
-- bounds that follow from others

SELECT is(t.explained(format('SELECT sum(%s) FROM orders', expression), 'Derived Bounds'), bounds, expression) FROM (VALUES
	('"SUBTOTAL" * (1 - "DISCOUNT"::float8)', '0 .. 100'), ('"TAX" * (1 - "DISCOUNT")', '0 .. 10'), ('"QUANTITY" - 3', '-3 .. 7'), ('-"QUANTITY"', '-10 .. 0'),
	('"QUANTITY" * "QUANTITY"', '0 .. 100'), ('abs("QUANTITY" - 4)', '0 .. 6'), ('CASE WHEN "STATUS" = ''paid'' THEN 1 ELSE 0 END', '0 .. 1'), ('CASE WHEN "STATUS" = ''paid'' THEN "QUANTITY" END', '0 .. 10'),
	('coalesce("TAX", -1)', '-1 .. 10'), ('greatest("QUANTITY", 3)', '3 .. 10'), ('least("QUANTITY", 3)', '0 .. 3'), ('greatest("QUANTITY", "TAX")', '0 .. 10'),
	('("STATUS" = ''paid'')::int', '0 .. 1'), ('"QUANTITY" / 4', '0 .. 3'), ('"TAX"::int', '0 .. 10'), ('round("TAX" * 1.5)', '0 .. 15'), ('1', '1 .. 1'), ('nullif("QUANTITY", 0)', '0 .. 10'),
	('"QUANTITY"::float8 * 2 + 1', '1 .. 21')
) AS v (expression, bounds);
SELECT t.refuse('22023', format('SELECT sum(%s) FROM orders', expression))
FROM unnest(ARRAY['"ID"', '"ID" + 1', '"QUANTITY" / "QUANTITY"', '"QUANTITY" / ("QUANTITY" - 3)', 'CASE WHEN "QUANTITY" > 3 THEN "ID" ELSE 0 END', 'coalesce("QUANTITY", "ID")', '"QUANTITY" ^ 2', 'NULL::integer', 'round("TAX" * 100, -2)', '"TAX" * 1e400', 'length("STATUS")']) AS expression;
SELECT is(t.explained('SELECT sum("QUANTITY") FROM orders', 'Derived Bounds'), NULL, 'declared ones are not derived');
SELECT cmp_ok(abs(t.run('gate_ann', 'SELECT sum(CASE WHEN "STATUS" = ''paid'' THEN 1 ELSE 0 END) FROM orders')::numeric - 2000), '<', 200::numeric, 'an answer');

------------------------------------------------------------------------------
-- keys alone

SELECT t.accept(command, charges) FROM (VALUES
	('SELECT DISTINCT "STATE" FROM people', 0), ('SELECT "STATE", "VIP" FROM people GROUP BY 1, 2 ORDER BY 1', 0), ('SELECT DISTINCT "STATE" FROM people WHERE "AGE" > 50 LIMIT 1000', 0),
	('SELECT DISTINCT "VIP" AS v, upper("STATE") FROM people ORDER BY v DESC', 0), ('SELECT "STATE" FROM people GROUP BY 1 HAVING "STATE" LIKE ''S%''', 0),
	('SELECT "CATEGORY" FROM orders JOIN products ON products."ID" = "PRODUCT_ID" GROUP BY 1', 0), ('SELECT count(*) FROM (SELECT DISTINCT "STATE" FROM people) AS s', 0),
	('SELECT DISTINCT "PRODUCT_ID" FROM orders', 0), ('SELECT DISTINCT "AGE" FROM people', 1), ('SELECT DISTINCT "AGE", "VIP" FROM people', 2), ('SELECT date_trunc(''month'', "CREATED_AT") FROM orders GROUP BY 1', 2),
	('SELECT "STATE", row_number() OVER (ORDER BY "STATE") FROM people GROUP BY 1', 0), ('SELECT DISTINCT ON ("VIP") "VIP", "STATE" FROM people GROUP BY 1, 2 ORDER BY 1, 2', 0),
	('SELECT "STATE", generate_series(1, 2) FROM people GROUP BY 1', 0),
	('SELECT s."STATE" FROM (SELECT DISTINCT "STATE" FROM people) AS s JOIN (SELECT count(*) FROM people) AS c ON true', 1)
) AS v (command, charges);
SELECT is(t.run('gate_ann', 'SELECT string_agg("STATE", '','' ORDER BY 1) FROM (SELECT DISTINCT "STATE" FROM people) AS s'), 'S0,S1,S2,S3,S4', 'public keys');
SELECT is(t.run('gate_ann', 'SELECT string_agg(s::text, '','' ORDER BY 1) FROM (SELECT DISTINCT "VIP" AS s FROM people WHERE "ID" < 0) AS s'), 'false,true', 'whatever the rows are');
SELECT t.refuse('0A000', 'SELECT "ID" FROM people GROUP BY "ID"'); -- no key of a single person
SET dp_noise.delta = 0;
SELECT t.refuse('0A000', 'SELECT DISTINCT "AGE" FROM people');
SET dp_noise.delta = 1e-6;
SELECT is(t.explained('SELECT DISTINCT "STATE" FROM people', 'Total Epsilon'), '0', 'free');
SELECT is(t.explained('SELECT DISTINCT "AGE" FROM people', 'Written As'), 'its keys alone', 'or by a count of them');

SELECT * FROM finish();
\ir support/gate_end.sql
DROP OWNED BY gate_stranger;
DROP ROLE gate_stranger;
