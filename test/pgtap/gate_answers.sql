-- What is charged, once, and what is the same question.
\ir support/gate.sql
SELECT no_plan();
SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse');
SELECT t.run(who, $$CREATE VIEW answer AS SELECT dp_count(*) AS n FROM patients WHERE age > 71$$) FROM unnest('{gate_ann,gate_bob}'::text[]) AS who;
SELECT t.run('gate_bob', $$CREATE FUNCTION over(integer) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.patients WHERE age > $1'$$);
SELECT t.run('gate_bob', $$CREATE FUNCTION over_plpgsql(a integer) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE n bigint; BEGIN SELECT dp_count(*) INTO n FROM public.patients WHERE age > a; RETURN n; END'$$);
SELECT t.run('gate_bob', $$PREPARE over(integer) AS SELECT dp_count(*) FROM patients WHERE age > $1$$);
SELECT t.run('gate_bob', $$PREPARE over_big(bigint) AS SELECT dp_count(*) FROM patients WHERE age > $1$$);
SELECT t.run('gate_bob', $$PREPARE among(integer[]) AS SELECT dp_count(*) FROM patients WHERE age = ANY ($1)$$);
SELECT t.run('gate_bob', $$PREPARE bounded(numeric, double precision) AS SELECT dp_sum(age, 0, $1, $2) FROM patients$$);

-- Two forms of one question: the second is refused, and costs nothing.
CREATE FUNCTION t.same(one text, other text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	statement text;
	result text := NULL;
	before bigint;
BEGIN
	FOREACH statement IN ARRAY ARRAY[one, other] LOOP
		IF statement !~* '^(select|execute|with)' THEN
			statement := 'SELECT dp_count(*) FROM patients WHERE ' || statement;
		END IF;
		IF result IS NULL THEN
			result := t.run('gate_bob', statement);
			IF result ~ '^[0-9A-Z]{5}: ' AND result !~ '^53400: this question' THEN
				RETURN NEXT fail(format('first of a pair: %s: %s', statement, result));
			END IF;
			result := coalesce(result, '');
		ELSE
			before := t.charges();
			result := t.run('gate_bob', statement);
			RETURN NEXT is(coalesce(result, 'null') || CASE WHEN t.charges() > before THEN ' charged' ELSE '' END,
				'53400: this question about "patients" was answered before', format('%s, and then %s', one, other));
		END IF;
	END LOOP;
END
$$;
CREATE FUNCTION t.different(one text, other text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	statement text;
	before bigint := t.charges();
	failures text := '';
	result text;
BEGIN
	FOREACH statement IN ARRAY ARRAY[one, other] LOOP
		IF statement !~* '^(select|execute|with)' THEN
			statement := 'SELECT dp_count(*) FROM patients WHERE ' || statement;
		END IF;
		result := t.run('gate_bob', statement);
		IF result ~ '^[0-9A-Z]{5}: ' THEN
			failures := failures || result;
		END IF;
	END LOOP;
	RETURN NEXT is(failures || (t.charges() - before), '2', format('%s, but %s', one, other));
END
$$;
SELECT t.same(one, other) FROM (VALUES
	('age > 1', 'age>1 -- the same'),
	('age > 2', 'SELECT dp_count(*) AS n FROM public.patients AS p (a, b) WHERE p.b > 2'),
	('age > 3', '3 < age'),
	('age > 4', 'NOT age <= 4'),
	('age > 5', 'NOT NOT (age > 5)'),
	('age > 6', '(age > 6) AND true'),
	('age > 7', 'age > 7 OR false'),
	('age > 8', 'age > 8 AND age > 8'),
	('age > 9', 'age > 4 + 5'),
	('age > 10', 'age > 10::smallint'),
	('age > 11', 'age > 11::bigint'),
	('age > 12', 'age::bigint > 12'),
	('age > 13', 'age::numeric > 13.0'),
	('age > 14', 'age::float8 > 14'),
	('age > 15', 'EXECUTE over(15)'),
	('age > 16', 'EXECUTE over_big(16)'),
	('age > 17', 'SELECT over(17)'),
	('age > 18', 'SELECT over_plpgsql(18)'),
	('age > 19', 'SELECT dp_count(*) FILTER (WHERE age > 19) FROM patients'),
	('age > 20', 'SELECT dp_count(1) FROM patients WHERE age > 20'),
	('age > 21', 'SELECT dp_count(age) FROM patients WHERE age > 21'),
	('age > 22', 'SELECT dp_count(id) FROM patients WHERE age > 22'),
	('age > 23', 'SELECT dp_count(1, 0.25) FROM patients WHERE age > 23'),
	('age > 24', 'SELECT dp_count(1, 2, ''laplace'') FROM patients WHERE age > 24'),
	('age > 25', 'SELECT * FROM (SELECT dp_count(*) AS n FROM patients WHERE age > 25) AS s WHERE n > 0'),
	('age > 26', 'WITH s AS (SELECT dp_count(*) AS n FROM patients WHERE age > 26) SELECT n FROM s'),
	('age > 27', 'SELECT dp_count(*), dp_count(*) FILTER (WHERE age > 99) FROM patients WHERE age > 27'),
	('age > 71', 'SELECT n FROM answer'),
	('age > 30 AND smoker', 'smoker AND age > 30'),
	('age > 31 AND smoker AND id > 3', 'id > 3 AND (smoker AND age > 31)'),
	('age > 32 OR smoker', 'smoker OR age > 32'),
	('age > 33 OR smoker OR id > 3', 'id > 3 OR (age > 33 OR smoker)'),
	('NOT (age > 34 AND smoker)', 'age <= 34 OR NOT smoker'),
	('NOT (age > 35 OR smoker)', 'NOT smoker AND age <= 35'),
	('age > 36 AND smoker', 'SELECT dp_count(*) FILTER (WHERE smoker) FROM patients WHERE age > 36'),
	('age > 37 AND smoker', 'SELECT dp_count(*) FILTER (WHERE age > 37) FROM patients WHERE smoker'),
	('age BETWEEN 38 AND 40', 'age >= 38 AND age <= 40'),
	('age BETWEEN 39 AND 40', '40 >= age AND 39 <= age'),
	('age NOT BETWEEN 40 AND 41', 'age < 40 OR age > 41'),
	('NOT age BETWEEN 41 AND 42', 'age < 41 OR age > 42'),
	('age BETWEEN SYMMETRIC 50 AND 42', 'age BETWEEN SYMMETRIC 42 AND 50'),
	('age IN (1, 2)', 'age = 1 OR age = 2'),
	('age IN (1, 3)', 'age IN (3, 1)'),
	('age IN (1, 4)', 'age IN (1, 4, 1)'),
	('age IN (5)', 'age = 5'),
	('age IN (1, 6)', 'age = ANY (ARRAY[6, 1])'),
	('age IN (1, 7)', 'age = ANY (''{7,1}'')'),
	('age IN (1, 8)', 'EXECUTE among(''{8,1}'')'),
	('age NOT IN (1, 9)', 'age <> 1 AND age <> 9'),
	('age NOT IN (1, 10)', 'NOT (age = 1 OR age = 10)'),
	('age NOT IN (1, 11)', 'age <> ALL (ARRAY[11, 1])'),
	('name IS NOT NULL', 'NOT name IS NULL'),
	('name <> ''a''', 'NOT name = ''a'''),
	('name = ''b''', '''b'' = name'),
	('label = ''c''', 'label::text = ''c'''),
	('smoker', 'smoker = true'),
	('smoker AND age > 61', 'smoker <> false AND age > 61'),
	('NOT smoker', 'smoker = false'),
	('born > ''1960-01-01''', 'date ''1960-01-01'' < born'),
	('age = id', 'id = age'),
	('small > age', 'age < small'),
	('bmi > 30', 'bmi > 30.0'),
	('weight > 60', 'weight > 60.00'),
	('SELECT dp_sum(age) FROM patients', 'SELECT dp_sum(age, 0, 120) FROM patients'),
	('SELECT dp_sum(age, 0, 100) FROM patients', 'SELECT dp_sum(age, 0.0, 100.00, 0.5) FROM patients'),
	('SELECT dp_sum(age, 0, 101) FROM patients', 'EXECUTE bounded(101, 0.5)'),
	('SELECT dp_sum(age, 0, 102, 1, ''laplace'') FROM patients', 'SELECT dp_sum(age, 0, 102, 1, ''staircase'') FROM patients'),
	('SELECT dp_sum(bmi, 0, 103) FROM patients', 'SELECT dp_sum(bmi, 0.0, 103) FROM patients'),
	('SELECT dp_median_exp(age) FROM patients', 'SELECT dp_quantile_exp(age, 0.5) FROM patients'),
	('SELECT dp_quantile_exp(age, 0.5, 0, 90) FROM patients', 'SELECT dp_median_exp(age, 0, 90, 2) FROM patients'),
	('SELECT dp_mean(bmi) FROM patients WHERE smoker', 'SELECT dp_mean(bmi, 10, 60) FILTER (WHERE smoker) FROM patients'),
	('city IS DISTINCT FROM ''a''', '''a'' IS DISTINCT FROM city'),
	('city IS NOT DISTINCT FROM ''b''', 'NOT (''b'' IS DISTINCT FROM city)'),
	('code = ''c1''', 'code = ''c1  '''),
	('code IN (''c2'', ''c3'')', 'code = ''c3 '' OR code = ''c2 '''),
	('bmi > 0', 'bmi > -(0::double precision)'),
	('small > 1000', 'small > 1e3::real'),
	('age > 1000', 'age > 1e3::double precision'),
	('temperature > 36.5::real', 'temperature > 36.5::double precision'),
	('weight > 1e20', 'weight > 100000000000000000000'),
	('code = ''c4''', 'code = ''c4''::text::bpchar'),
	('SELECT dp_quantile_exp(bmi, 0) FROM patients', 'SELECT dp_quantile_exp(bmi, -(0::double precision)) FROM patients'),
	('SELECT dp_mode(code, ARRAY[''c1'', ''c2'']::character(5)[]) FROM patients', 'SELECT dp_mode(code, ARRAY[''c2'', ''c1 '']::bpchar[]) FROM patients'),
	('SELECT dp_count(age) FROM patients WHERE id > 70', 'SELECT dp_count(age::bigint) FROM patients WHERE id > 70'),
	('SELECT dp_count_distinct(small) FROM patients', 'SELECT dp_count_distinct(small::numeric) FROM patients'),
	('SELECT dp_mean(small, 0, 121) FROM patients', 'SELECT dp_mean(small::bigint, 0, 121) FROM patients'),
	('SELECT dp_sum(small, 0, 121) FROM patients', 'SELECT dp_sum(small::integer, 0, 121) FROM patients'),
	('SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients WHERE small = 5 GROUP BY CASE WHEN smoker THEN 1::smallint ELSE 2::smallint END) AS s',
		'SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients WHERE small = 5 GROUP BY CASE WHEN smoker THEN 1 ELSE 2 END) AS s')
) AS v (one, other);
SELECT t.different(one, other) FROM (VALUES
	('age > 101', 'age >= 101'),
	('age > 102', 'age > 103'),
	('age > 104', 'id > 104'),
	('age > 105 AND smoker', 'age > 105 OR smoker'),
	('age = 106 AND id = 107', 'age = 107 AND id = 106'),
	('name = ''108''', 'city = ''108'''),
	('name = ''and''', 'name = '') (= c8 k3:and'''),
	('name IN (''x y'', ''z'')', 'name IN (''x'', ''y z'')'),
	('name = ''null''', 'name IS NULL'),
	('age BETWEEN 109 AND 110', 'age BETWEEN 110 AND 109'),
	('NOT age = ANY (NULL::integer[])', 'NOT age = ANY (''{}'')'),
	('name = ''a''', 'name = ''a '''),
	('city IS DISTINCT FROM ''c''', 'city IS NOT DISTINCT FROM ''c'''),
	('small < age AND true', 'small > age AND id > 110'),
	('CASE WHEN age > 111 THEN smoker ELSE false END', 'CASE WHEN age > 111 THEN false ELSE smoker END'),
	('COALESCE(age, 112) = 112', 'COALESCE(id, 112) = 112'),
	('SELECT dp_count(name) FROM patients WHERE age > 113', 'SELECT dp_count(city) FROM patients WHERE age > 113'),
	('SELECT dp_sum(age, 0, 114) FROM patients', 'SELECT dp_mean(age, 0, 114) FROM patients'),
	('SELECT dp_sum(age, 0, 115) FROM patients', 'SELECT dp_sum(age, 0, 116) FROM patients'),
	('SELECT dp_max(age, 0, 117) FROM patients', 'SELECT dp_min(age, 0, 117) FROM patients'),
	('SELECT dp_quantile_exp(age, 0.25) FROM patients', 'SELECT dp_quantile_exp(age, 0.75) FROM patients'),
	('EXECUTE over(118)', 'EXECUTE over(119)'),

	-- conversions that round, or that no longer see spaces at the end
	('temperature = 0.1::real', 'temperature = 0.1::double precision'),
	('temperature IN (0.1::real, 0.3::real)', 'temperature IN (0.1::double precision, 0.3::double precision)'),
	('temperature <> ALL (ARRAY[0.1, 0.5]::real[])', 'temperature <> ALL (ARRAY[0.1, 0.5]::double precision[])'),
	('temperature IS DISTINCT FROM 0.1::real', 'temperature IS DISTINCT FROM 0.1::double precision'),
	('bmi = 0.1', 'bmi = 0.1::real'),
	('bmi = 0.3', 'bmi = 0.30000000000000004'),
	('name = ''a0''', 'name::bpchar = ''a0''::bpchar'),
	('name IN (''a0'', ''a1'')', 'name::bpchar IN (''a0'', ''a1'')'),
	('name IS DISTINCT FROM ''a0''', 'name::bpchar IS DISTINCT FROM ''a0''::bpchar'),
	('NULLIF(name, ''a0'') IS NULL', 'NULLIF(name::bpchar, ''a0''::bpchar) IS NULL'),
	('label = name', 'label::bpchar = name::bpchar'),
	('code = name::bpchar', 'code::text = name'),
	('big = 9007199254740992', 'big = 9007199254740992::double precision'),
	('big > 1000000000000000', 'big > 1e15::double precision'),
	('age = 16777216', 'age::real = 16777216'),
	('big = 16777216', 'big::real = 16777216'),
	('big = age', 'big::real = age'),
	('big = id', 'big::double precision = id'),
	('big IS DISTINCT FROM id', 'big::real IS DISTINCT FROM id'),
	('big::real = big', 'big = big'),
	('SELECT dp_sum(big, 0, 120) FROM patients', 'SELECT dp_sum(big::real, 0, 120) FROM patients'),
	('SELECT dp_sum(temperature, 0, 0.1) FROM patients', 'SELECT dp_sum(temperature, 0, 0.1::real) FROM patients'),
	('SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients GROUP BY CASE WHEN smoker THEN 0.1::real ELSE 0 END) AS s',
		'SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients GROUP BY CASE WHEN smoker THEN 0.1::double precision ELSE 0 END) AS s'),
	('EXECUTE among(''{118}'')', 'EXECUTE among(''{119}'')'),

	-- values, answers or keys of another type: bounds are rounded for integers, and what is stored is read as that type
	('SELECT dp_sum(age, 0.5, 122) FROM patients', 'SELECT dp_sum(age::numeric, 0.5, 122) FROM patients'),
	('SELECT dp_sum(age, 0, 123) FROM patients', 'SELECT dp_sum(age::double precision, 0, 123) FROM patients'),
	('SELECT dp_sum(age, 0, 124) FROM patients', 'SELECT dp_sum(age::bigint, 0, 124) FROM patients'),
	('SELECT dp_mean(age, 0, 125) FROM patients', 'SELECT dp_mean(age::numeric, 0, 125) FROM patients'),
	('SELECT dp_mean(temperature, 0, 126) FROM patients', 'SELECT dp_mean(temperature::double precision, 0, 126) FROM patients'),
	('SELECT dp_max(small, 0, 127) FROM patients', 'SELECT dp_max(small::integer, 0, 127) FROM patients'),
	('SELECT dp_min(age, 0, 128) FROM patients', 'SELECT dp_min(age::numeric, 0, 128) FROM patients'),
	('SELECT dp_variance(age, 0, 129) FROM patients', 'SELECT dp_variance(age::double precision, 0, 129) FROM patients'),
	('SELECT dp_stddev(age, 0, 130) FROM patients', 'SELECT dp_stddev(age::numeric, 0, 130) FROM patients'),
	('SELECT dp_median_exp(age, 0, 131) FROM patients', 'SELECT dp_median_exp(age::numeric, 0, 131) FROM patients'),
	('SELECT dp_quantiles_exp(age, ARRAY[0.5], 0, 132) FROM patients', 'SELECT dp_quantiles_exp(age::bigint, ARRAY[0.5], 0, 132) FROM patients'),
	('SELECT dp_bounds(small) FROM patients', 'SELECT dp_bounds(small::integer) FROM patients'),
	('SELECT dp_mode(age, ARRAY[1, 2]) FROM patients', 'SELECT dp_mode(age::numeric, ARRAY[1, 2]::numeric[]) FROM patients'),
	('SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients WHERE id = 133 GROUP BY CASE WHEN smoker THEN 0.5::real ELSE 0 END) AS s',
		'SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients WHERE id = 133 GROUP BY CASE WHEN smoker THEN 0.5::double precision ELSE 0 END) AS s'),

	-- constants that are written alike, and equal others as numbers, padded texts or intervals alone
	('CASE WHEN smoker THEN 1.0 ELSE 1 END = 1', 'CASE WHEN smoker THEN ''1.0'' ELSE ''1'' END = ''1'''),
	('CASE WHEN smoker THEN ''a''::bpchar ELSE ''a '' END = ''a''', 'CASE WHEN smoker THEN ''a'' ELSE ''a '' END = ''a'''),
	('CASE WHEN smoker THEN ''30 days''::interval ELSE ''1 mon'' END = ''1 mon''', 'CASE WHEN smoker THEN ''30 days'' ELSE ''1 mon'' END = ''1 mon'''),
	('SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients GROUP BY CASE WHEN smoker THEN ''a''::bpchar ELSE ''a '' END) AS s',
		'SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM patients GROUP BY CASE WHEN smoker THEN ''a'' ELSE ''a '' END) AS s')
) AS v (one, other);
SELECT t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE age > 1');
SELECT is(left(t.run('gate_bob', 'SELECT dp_count(*) FROM patients WHERE age > 1'), 5), '53400', 'others'' questions change nothing');

-- One answer a statement, however often it is read.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer') \g /dev/null
CREATE FUNCTION t.answer(command text) RETURNS text LANGUAGE sql AS $$SELECT t.run('gate_ann', command)$$;
CREATE TABLE t.before (n bigint);
INSERT INTO t.before SELECT t.charges();
SELECT is(t.answer(command), '0', command) FROM unnest(ARRAY[
	'SELECT stddev(n) FROM (SELECT i, (SELECT dp_count(*) FROM patients) AS n FROM generate_series(1, 1000) AS i) AS s',
	'SELECT stddev(n + i - i) FROM generate_series(1, 1000) AS i, LATERAL (SELECT n FROM (SELECT dp_count(*) AS n FROM patients) AS s WHERE i > 0) AS u',
	'SELECT stddev(n) FROM generate_series(1, 1000) AS i LEFT JOIN (SELECT dp_count(*) AS n FROM patients) AS s ON i > n - 1e9',
	'WITH s AS (SELECT dp_count(*) AS n FROM patients) SELECT stddev(a.n - b.n) FROM s AS a, s AS b, generate_series(1, 1000)',
	'WITH s AS NOT MATERIALIZED (SELECT dp_count(*) AS n FROM patients) SELECT sum(a.n - b.n) FROM s AS a, s AS b',
	'SELECT stddev(n) FROM (SELECT i, ARRAY(SELECT n + i - i FROM (SELECT dp_count(*) AS n FROM patients) AS s) AS a FROM generate_series(1, 1000) AS i) AS x, unnest(a) AS n',
	'SELECT sum(n - m) FROM (SELECT dp_count(*) AS n, dp_count(*) AS m FROM patients) AS s, generate_series(1, 1000)'
]) AS command;
SELECT is(t.charges() - n, 7::bigint, 'each charged once') FROM t.before;
UPDATE t.before SET n = t.charges();
SET enable_material = off;
SET enable_memoize = off;
SELECT is(t.answer(command), '0', command || ' (no materialisation)') FROM unnest(ARRAY[
	'SELECT stddev(n) FROM (SELECT i, n FROM generate_series(1, 1000) AS i, (SELECT dp_count(*) AS n FROM patients) AS s) AS u',
	'SELECT stddev(n) FROM generate_series(1, 1000) AS i LEFT JOIN (SELECT dp_count(*) AS n FROM patients) AS s ON i > n - 1e9'
]) AS command;
RESET enable_material;
RESET enable_memoize;
SELECT is(t.charges() - n, 2::bigint, 'each charged once') FROM t.before;

-- Executions of prepared statements: fresh answers, each charged.
SELECT t.run('gate_ann', 'PREPARE over(integer) AS SELECT dp_count(*) FROM patients WHERE age > $1');
UPDATE t.before SET n = t.charges();
SELECT t.run('gate_ann', format('EXECUTE over(%s)', i)) FROM generate_series(1, 10) AS i \g /dev/null
SELECT is(t.charges() - n, 10::bigint, 'ten executions with parameters') FROM t.before;
SELECT is(count(DISTINCT fingerprint), 10::bigint, 'of ten questions')
FROM (SELECT fingerprint FROM dp_noise.ledger ORDER BY at DESC LIMIT 10) AS l;
SELECT ok(count(DISTINCT t.run('gate_ann', 'EXECUTE over(0)')) > 1, 'an execution draws anew (all 40 alike: below 1e-9)') FROM generate_series(1, 40);

-- What changes between executions of one prepared statement.
SET plan_cache_mode = force_generic_plan;
SELECT t.run('gate_ann', 'PREPARE total AS SELECT dp_sum(age, 0.5, 1000) FROM patients');
SELECT t.run('gate_ann', 'PREPARE declared AS SELECT dp_median_exp(weight) FROM patients');
SELECT is(left(t.run('gate_ann', 'EXECUTE declared'), 5), '22023', 'no bounds');
SELECT dp_noise.set_bounds('public.patients', 'weight', 1000, 1001);
SELECT is(t.run('gate_ann', 'EXECUTE declared')::numeric BETWEEN 1000 AND 1001, true, 'bounds declared');
SELECT dp_noise.set_bounds('public.patients', 'weight', 2000, 2001);
SELECT is(t.run('gate_ann', 'EXECUTE declared')::numeric BETWEEN 2000 AND 2001, true, 'bounds changed');
SELECT dp_noise.set_bounds('public.patients', 'weight', NULL, NULL);
SELECT is(left(t.run('gate_ann', 'EXECUTE declared'), 5), '22023', 'bounds removed');

CREATE DOMAIN public.height AS integer CHECK (VALUE > 0);
CREATE TABLE public.heights (height public.height);
SELECT dp_noise.protect('public.heights', epsilon => 1e13, delta => 1), dp_noise.set_bounds('public.heights', 'height', 100, 101),
	dp_noise.alter_population('public.heights', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.heights', 100);
SELECT is(t.run('gate_ann', 'SELECT dp_median_exp(height) FROM heights')::numeric BETWEEN 100 AND 101, true, 'bounds of a column whose type is a domain');
SELECT dp_noise.unprotect('public.patients');
SELECT is(left(t.run('gate_ann', 'EXECUTE over(1)'), 5), '42501', 'unprotected: the analyst has no privilege');
GRANT SELECT ON public.patients TO gate_ann;
UPDATE t.before SET n = t.charges();
SELECT ok(t.run('gate_ann', 'EXECUTE over(1)')::bigint > 0, 'with one: an ordinary private aggregate');
SELECT is(t.charges() - n, 0::bigint, 'that the ledger does not see') FROM t.before;
SELECT dp_noise.protect('public.patients');
SELECT ok(t.run('gate_ann', 'EXECUTE over(1)')::bigint > 0, 'protected again: the population''s budget');
SELECT is(t.charges() - n, 1::bigint, 'is charged, whatever privilege there is') FROM t.before;
REVOKE SELECT ON public.patients FROM gate_ann;
UPDATE t.before SET n = t.charges();
ALTER TABLE public.patients OWNER TO gate_bob;
SELECT is(left(t.run('gate_ann', 'EXECUTE over(1)'), 5), '55000', 'another owner, whose tables are not let into the population');
SELECT dp_noise.allow_members('public.patients', 'gate_bob');
SELECT ok(t.run('gate_ann', 'EXECUTE over(1)')::bigint > 0, 'another owner');
ALTER TABLE public.patients OWNER TO gate_owner;
ALTER TABLE public.patients ADD added integer;
SELECT ok(t.run('gate_ann', 'EXECUTE over(1)')::bigint > 0, 'another column');
ALTER TABLE public.patients DROP added;
ALTER TABLE public.patients ENABLE ROW LEVEL SECURITY;
SELECT ok(abs(t.run('gate_ann', 'EXECUTE over(1)')::bigint) < 50, 'row-level security, without a policy');
ALTER TABLE public.patients DISABLE ROW LEVEL SECURITY;
SELECT dp_noise.protect('public.patients', neighbours => 'substitute', replace_unit => true);
SELECT ok(t.run('gate_ann', 'EXECUTE over(1)')::bigint > 0, 'other neighbours');
SELECT dp_noise.protect('public.patients', replace_unit => true);
SELECT is(t.charges() - n, 4::bigint, 'each answer was charged') FROM t.before;
UPDATE t.before SET n = t.charges();
SELECT dp_noise.set_budget('gate_ann', 'public.patients', epsilon => epsilon_spent + 1)
FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.patients';
SELECT ok(t.run('gate_ann', 'EXECUTE over(1)')::bigint > 0, 'what is left suffices once');
SELECT is(t.run('gate_ann', 'EXECUTE over(1)'), '53400: insufficient privacy budget for "patients"', 'and not twice');
SELECT dp_noise.drop_budget('gate_ann', 'public.patients');
SELECT is(left(t.run('gate_ann', 'EXECUTE over(1)'), 5), '42501', 'without a budget');
SELECT is(t.charges() - n, 1::bigint, 'refused is not charged') FROM t.before;
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1000000);
RESET plan_cache_mode;

-- Who acts: one session, one prepared statement, several roles.
GRANT gate_ann, gate_bob TO gate_owner;
SELECT dp_noise.set_budget('gate_bob', 'public.patients', 1000000);
GRANT gate_ann TO gate_bob;
SET SESSION AUTHORIZATION gate_bob;
PREPARE who AS SELECT dp_count(*) AS n FROM public.patients;
EXECUTE who \g /dev/null
SET ROLE gate_ann;
EXECUTE who \g /dev/null
RESET ROLE;
EXECUTE who \g /dev/null
RESET SESSION AUTHORIZATION;
SELECT is(array_agg(role), '{gate_bob,gate_bob,gate_bob}'::name[], 'SET ROLE: the session''s user pays')
FROM (SELECT role FROM dp_noise.ledger ORDER BY at DESC LIMIT 3) AS l;

-- Replay: the stored answer, free, for old questions only.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay');
UPDATE t.before SET n = t.charges();
CREATE TABLE t.replayed AS
SELECT i, t.run('gate_bob', q) AS answer, q FROM generate_series(1, 3) AS i, unnest(ARRAY[
	'SELECT dp_count(*) FROM patients WHERE age > 200', 'SELECT dp_mean(bmi, 1, 70) FROM patients', 'SELECT dp_sum(weight, 0, 1000) FROM patients',
	'SELECT dp_sum(temperature, 0, 77) FROM patients', 'SELECT dp_max(age, 0, 77) FROM patients', 'SELECT dp_median_exp(bmi, 2, 77) FROM patients',
	'SELECT row(dp_count(*), dp_mean(age, 0, 77)) FROM patients WHERE age > 201']) AS q;
SELECT is(count(DISTINCT answer), 1::bigint, 'replayed: ' || q) FROM t.replayed GROUP BY q;
SELECT is(t.charges() - n, 8::bigint, 'charged once') FROM t.before;
SET extra_float_digits = -10;
SELECT t.run('gate_bob', 'SELECT dp_mean(bmi, 3, 71) FROM patients') AS first_ \gset
RESET extra_float_digits;
SELECT isnt(t.run('gate_bob', 'SELECT dp_mean(bmi, 3, 71) FROM patients'), :'first_', 'stored in full, however it was shown');
SET extra_float_digits = -10;
SELECT is(t.run('gate_bob', 'SELECT dp_mean(bmi, 3, 71) FROM patients'), :'first_', 'and shown as before');
RESET extra_float_digits;
UPDATE t.before SET n = t.charges();
SELECT is(t.run('gate_bob', 'SELECT n FROM (SELECT dp_count(*) AS n, dp_max(age, 0, 78) FROM patients WHERE age > 200) AS s'), (SELECT DISTINCT answer FROM t.replayed WHERE q LIKE '%200'),
	'an old aggregate beside a new one');
SELECT is(t.charges() - n, 1::bigint, 'only the new one is charged') FROM t.before;
SELECT is(t.run('gate_bob', 'SELECT dp_count(1, 5) FROM patients WHERE 200 < age'), (SELECT DISTINCT answer FROM t.replayed WHERE q LIKE '%200'), 'another form, another epsilon');

-- Nothing gives anything back.
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer') \g /dev/null
UPDATE t.before SET n = t.charges();
SET SESSION AUTHORIZATION gate_ann;
BEGIN;
SELECT dp_count(*) FROM public.patients \g /dev/null
SAVEPOINT s;
SELECT dp_count(*) FROM public.patients \g /dev/null
ROLLBACK TO s;
ROLLBACK;
RESET SESSION AUTHORIZATION;
SELECT is(t.charges() - n, 2::bigint, 'ROLLBACK') FROM t.before;
SELECT is(left(t.run('gate_ann', 'SELECT 1 / (dp_count(*) - dp_count(*)) FROM patients'), 5), '22012', 'an error on the released answer');
SELECT is(t.charges() - n, 3::bigint, 'is charged') FROM t.before;
SET SESSION AUTHORIZATION gate_ann;
BEGIN READ ONLY;
SELECT dp_count(*) FROM public.patients \g /dev/null
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT dp_count(*) FROM public.patients \g /dev/null
COMMIT;
RESET SESSION AUTHORIZATION;
SELECT is(t.charges() - n, 5::bigint, 'read-only transactions are charged') FROM t.before;

-- EXPLAIN is free, EXPLAIN ANALYZE is charged once.
UPDATE t.before SET n = t.charges();
SELECT t.run('gate_ann', 'EXPLAIN SELECT dp_count(*), dp_mean(age) FROM patients') FROM generate_series(1, 5) \g /dev/null
SELECT is(t.charges() - n, 0::bigint, 'EXPLAIN') FROM t.before;
SELECT t.run('gate_ann', 'EXPLAIN ANALYZE SELECT i, (SELECT dp_count(*) FROM patients) FROM generate_series(1, 1000) AS i') \g /dev/null
SELECT is(t.charges() - n, 1::bigint, 'EXPLAIN ANALYZE') FROM t.before;

-- Answers expire while a statement runs: what was to be replayed is charged, and
-- must have been computed.
SET ROLE gate_owner;
CREATE TABLE public.long AS SELECT i AS id, (i % 1000)::numeric AS x FROM generate_series(1, 200000) AS i;
SELECT dp_noise.protect('public.long', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.long', answers_expire => '1 second'), dp_noise.set_budget('gate_bob', 'public.long', 1000000);
RESET ROLE;
CREATE TABLE t.raced AS SELECT i, t.run('gate_bob', format('SELECT concat(a, b) FROM (SELECT dp_mean(x, 0, 1000) AS a FROM long WHERE id < 0) AS s, (SELECT dp_median_exp(x, 0, 1000) AS b FROM long WHERE id > %s) AS u', i)) AS answer
FROM generate_series(1, 60) AS i;
SELECT is(count(*), 60::bigint, 'questions while answers expire') FROM t.raced WHERE answer ~ '^[0-9.]+$';

-- The ledger worker, for which all others wait, writes no more than 16 MB of
-- answers to a statement: what is longer is charged and answered, and not replayed.
CREATE TABLE public.wordy (word text NOT NULL, n integer);
ALTER TABLE public.wordy OWNER TO gate_owner;
SELECT dp_noise.protect('public.wordy', epsilon => 1e13, delta => 1), dp_noise.set_values('public.wordy', 'word', ARRAY(SELECT repeat('x', 295) || lpad(i::text, 5, '0') FROM generate_series(1, 40000) AS i)),
	dp_noise.set_budget('gate_bob', 'public.wordy', 1000);
SELECT is(t.run('gate_bob', 'SELECT count(n) + count(m) FROM (SELECT word, dp_count(*) AS n, dp_sum(n, 0, 1) AS m FROM wordy GROUP BY word) AS s'), '80000', 'two answers of 12 MB');
SELECT results_eq($$SELECT octet_length(answer) > 12000000 FROM dp_noise_ledger.answer AS a JOIN dp_noise_ledger.population AS p USING (population_id) WHERE p.name = 'public.wordy' AND a.budget_id = 0 ORDER BY answer IS NULL$$,
	'VALUES (true), (NULL)', 'of which one is stored');
SELECT is(t.run('gate_bob', 'SELECT count(n) FROM (SELECT word, dp_count(*) AS n FROM wordy GROUP BY word) AS s'), '40000', 'and heard again');
SELECT is(left(t.run('gate_bob', 'SELECT count(n) FROM (SELECT word, dp_sum(n, 0, 1) AS n FROM wordy GROUP BY word) AS s'), 6), '53400:', 'the other is not');
SELECT is(t.run('gate_bob', 'SELECT count(n) FROM (SELECT word, dp_count(*) AS n FROM wordy WHERE n > 0 GROUP BY word) AS s'), '40000', 'one that is alone');
SELECT is(attstorage, 'e', 'nor does it compress them') FROM pg_attribute WHERE attrelid = 'dp_noise_ledger.answer'::regclass AND attname = 'answer';

SELECT * FROM finish();
\ir support/gate_end.sql
