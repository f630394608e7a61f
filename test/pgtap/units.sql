-- Privacy units of several rows: what they contribute is bounded, whatever
-- they hold, and who may be one.
--
-- Takes long: 20 seconds on a busy machine.
\ir support/gate.sql
SELECT no_plan();

-- Every question below is about this table: 300 people with 1 to 12 rows each,
-- some rows of nobody.
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, age integer, cost double precision, paid numeric, ward text, private boolean);
INSERT INTO public.visits
SELECT p, (p * 7 + i * 13) % 91 - 20, ((p * 31 + i) % 1000) / 8.0, (p + i) % 50, 'ward' || i % 4, i % 3 = 0
FROM generate_series(1, 300) AS p, generate_series(1, 1 + p % 12) AS i;
INSERT INTO public.visits SELECT NULL, 50, 100, 10, 'ward1', true FROM generate_series(1, 500);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
RESET ROLE;
VACUUM ANALYZE public.visits;
SET max_parallel_workers_per_gather = 0;

------------------------------------------------------------------------------
-- The true states are those of the definition

SELECT is(dp_noise.true_states('SELECT dp_count(*), dp_count(age), dp_count(*) FILTER (WHERE private), dp_sum(age, -10, 50), dp_sum(paid, 0, 20),
		dp_max(age, -10, 50, 1000), dp_min(age, -10, 50, 1000) FROM visits WHERE ward <> ''ward3'''),
	(SELECT ARRAY[sum(least(n, 4))::text, sum(least(n, 4))::text, sum(least(f, 4))::text,
		format('(%s,0)', sum(greatest(least(s, 4 * 50), 4 * -10))), format('(%s,0)', trunc(sum(least(q, 4 * 20)) * 2::numeric ^ 35)),
		'\x' || encode(set_byte('\x0000000000000000', 0, max(a)), 'hex'), '\xf6ffffffffffffff']
	FROM (SELECT count(*) AS n, count(*) FILTER (WHERE private) AS f, sum(greatest(least(age, 50), -10)) AS s,
			sum(greatest(least(paid, 20), 0)) AS q, max(greatest(least(age, 50), -10)) AS a
		FROM public.visits WHERE person IS NOT NULL AND ward <> 'ward3' GROUP BY person) AS u),
	'counts, sums, extremes of units');
SELECT is((regexp_match((dp_noise.true_states('SELECT dp_mean(age, -10, 50) FROM visits'))[1], '^\((\d+),(\d+)\)$'))[2]::numeric, sum(least(n, 4))::numeric,
	'the rows of a mean are capped') FROM (SELECT count(*) AS n FROM public.visits WHERE person IS NOT NULL GROUP BY person) AS u;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_mean(age, -10, 50, 1000000) FROM visits')::numeric - sum(least(n, 4) * m) / sum(least(n, 4))) < 1e-4,
	'a unit counts with its mean')
FROM (SELECT count(*) AS n, avg(greatest(least(age, 50), -10)) AS m FROM public.visits WHERE person IS NOT NULL GROUP BY person) AS u;
SELECT is(length((dp_noise.true_states('SELECT dp_median_exp(age, -10, 50) FROM visits'))[1]), (2 + 16 * sum(least(n, 4)))::integer,
	'a median has so many values of a unit') FROM (SELECT count(*) AS n FROM public.visits WHERE person IS NOT NULL GROUP BY person) AS u;

-- Released answers at an epsilon that leaves them as they are.
SELECT is(t.run('gate_ann', format('SELECT dp_%s(%s%s, -10, 50, 1000000) FROM visits', a, c, CASE WHEN a = 'quantile_exp' THEN ', 0' END)), v::text, format('%s of %s', a, c))
FROM (SELECT c, a, CASE a WHEN 'sum' THEN sum(greatest(least(s, 200), -40)) WHEN 'max' THEN max(g) ELSE min(l) END AS v
	FROM unnest('{age,paid}'::text[]) AS c, unnest('{sum,max,min}'::text[]) AS a,
		LATERAL (SELECT sum(x) AS s, max(x) AS g, min(x) AS l
			FROM (SELECT person, greatest(least(CASE c WHEN 'age' THEN age ELSE paid END, 50), -10) AS x FROM public.visits WHERE person IS NOT NULL) AS r GROUP BY person) AS u
	GROUP BY c, a) AS x
WHERE NOT (c = 'paid' AND a <> 'sum');

-- Units themselves.
SELECT is(dp_noise.true_states('SELECT dp_count_distinct(person), dp_count_distinct(person) FILTER (WHERE private) FROM visits WHERE age > 0'),
	ARRAY[count(DISTINCT person)::text, (count(DISTINCT person) FILTER (WHERE private))::text], 'distinct units') FROM public.visits WHERE age > 0;
SELECT is(t.run('gate_ann', 'SELECT dp_count_distinct(person, 1000) FROM visits'), '300', 'counted');
SELECT is(substring(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT dp_count_distinct(person, 0.5) FROM visits') FROM '"Sensitivity": "(\d+)"'), '1', 'each of them once');
SELECT is(substring(t.run('gate_ann', replace(q, 'SELECT', 'EXPLAIN (FORMAT json) SELECT')) FROM '"Sensitivity": "(\d+)"'), CASE WHEN q ~ 'patients' THEN '1' ELSE '4' END, 'other values as often as rows: ' || q)
FROM unnest('{SELECT dp_count_distinct(age) FROM visits,SELECT dp_count_distinct(person::bigint) FROM visits,SELECT dp_count_distinct(CASE WHEN private THEN person END) FROM visits,SELECT dp_count_distinct(id) FROM patients}'::text[]) AS q;

------------------------------------------------------------------------------
-- A unit more or less changes them by at most the sensitivity

CREATE FUNCTION t.states(OUT n bigint, OUT sum_age numeric, OUT sum_cost numeric, OUT a numeric, OUT b numeric, OUT points bigint[], OUT greatest_point bigint[], OUT least_point bigint[])
LANGUAGE plpgsql AS $$
DECLARE
	state text[] := dp_noise.true_states('SELECT dp_count(*), dp_sum(age, -10, 50), dp_sum(cost, -3, 120), dp_mean(age, -10, 50), dp_median_exp(age, -10, 50), dp_max(age, -10, 50, 0.01), dp_min(age, -10, 50, 0.01) FROM visits');
	-- steps that a row can count in a mean's sums
	row_steps constant numeric := 60 * 2::numeric ^ 34;
BEGIN
	n := state[1];
	sum_age := split_part(trim('()' FROM state[2]), ',', 1);
	sum_cost := split_part(trim('()' FROM state[3]), ',', 1);
	a := split_part(trim('()' FROM state[4]), ',', 1);
	b := split_part(trim('()' FROM state[4]), ',', 2)::numeric * row_steps - a;
	points := t.points(state[5]);
	greatest_point := t.points(state[6]);
	least_point := t.points(state[7]);
END
$$;
-- The values of a state in bytes.
CREATE FUNCTION t.points(state text) RETURNS bigint[] LANGUAGE sql AS $$
	SELECT coalesce(array_agg(x ORDER BY x), '{}')
	FROM (SELECT (SELECT bit_or(get_byte(s, i * 8 + j)::bigint << 8 * j) FROM generate_series(0, 7) AS j) AS x
		FROM (SELECT state::bytea AS s) AS b, generate_series(0, length(s) / 8 - 1) AS i) AS v
$$;

-- How many of each state's values are not the other's, at most in either way.
CREATE FUNCTION t.distance(one bigint[], other bigint[]) RETURNS bigint LANGUAGE sql AS $$
	SELECT greatest(sum(greatest(o - t, 0)), sum(greatest(t - o, 0)))
	FROM (SELECT count(*) FILTER (WHERE w = 1) AS o, count(*) FILTER (WHERE w = 2) AS t
		FROM (SELECT 1 AS w, unnest(one) AS x UNION ALL SELECT 2, unnest(other)) AS u GROUP BY x) AS c
$$;
CREATE TABLE t.before_unit AS SELECT * FROM t.states();
SELECT is(t.points('\x0100000000000000f6ffffffffffffff'), '{-10,1}', 'states can be read');
SELECT is(t.distance('{1,1,2}', '{1,3}'), 2::bigint, 'and compared');

CREATE FUNCTION t.unit_changes(rows integer, value integer, OUT n numeric, OUT sum_age numeric, OUT sum_cost numeric, OUT pair numeric, OUT points bigint, OUT greatest_point bigint, OUT least_point bigint)
LANGUAGE plpgsql AS $$
DECLARE
	after record;
	before record;
BEGIN
	INSERT INTO public.visits SELECT -1, value, value, value, 'ward1', true FROM generate_series(1, rows);
	SELECT * INTO after FROM t.states();
	DELETE FROM public.visits WHERE person = -1;
	-- of a choice of values, what is left is chosen alike only in law
	SELECT * INTO before FROM t.states();
	n := abs(after.n - before.n);
	sum_age := abs(after.sum_age - before.sum_age);
	sum_cost := abs(after.sum_cost - before.sum_cost) / 2::numeric ^ 33;
	pair := (abs(after.a - before.a) + abs(after.b - before.b)) / (60 * 2::numeric ^ 34);
	points := cardinality(after.points) - cardinality(before.points);
	greatest_point := t.distance(after.greatest_point, before.greatest_point);
	least_point := t.distance(after.least_point, before.least_point);
END
$$;
CREATE TABLE t.changes AS
SELECT r AS rows, v AS value, c.* FROM unnest('{1,4,5,100}'::integer[]) AS r, unnest('{-1000,-1,0,50,1000}'::integer[]) AS v, t.unit_changes(r, v) AS c;
SELECT is((max(n), max(sum_age), max(points), max(greatest_point), max(least_point))::text, (4, 200, 4, 1, 1)::text,
	'sensitivity of counts, sums, values, maxima, minima: reached and not passed') FROM t.changes;
SELECT ok(max(sum_cost) <= 480.0000001 AND max(sum_cost) > 479.999 AND max(pair) = 4, 'of sums of doubles, and of the sums of a mean') FROM t.changes;
SELECT is(count(*), 0::bigint, 'a unit of so many rows counts in full') FROM t.changes
WHERE rows <= 4 AND (n <> rows OR points <> rows OR pair <> rows OR sum_age <> rows * abs(greatest(least(value, 50), -10)));

-- A million rows of one person.
INSERT INTO t.changes SELECT 1000000, 1000, c.* FROM t.unit_changes(1000000, 1000) AS c;
SELECT ok(n = 4 AND sum_age = 200 AND sum_cost <= 480.0000001 AND pair = 4 AND points = 4 AND greatest_point <= 1 AND least_point <= 1,
	'a person with a million rows: ' || c::text) FROM t.changes AS c WHERE rows = 1000000;
VACUUM public.visits;

-- With NULL and NaN, which are skipped before values are chosen.
SELECT is((dp_noise.true_states('SELECT dp_count(cost) FROM visits'))[1]::bigint, n, 'as before') FROM t.before_unit;
INSERT INTO public.visits SELECT -1, NULL, 'NaN', NULL, 'ward1', true FROM generate_series(1, 100);
INSERT INTO public.visits SELECT -1, 30, 'Infinity', NULL, NULL, NULL FROM generate_series(1, 2);
CREATE TABLE t.nulls AS SELECT * FROM t.states();
SELECT is((a.n - b.n, a.sum_age - b.sum_age, cardinality(a.points) - cardinality(b.points))::text, (4, 60, 2)::text, 'nulls and NaN do not count among the values')
FROM t.nulls AS a, t.before_unit AS b;
DELETE FROM public.visits WHERE person = -1;

------------------------------------------------------------------------------
-- Choices are uniform and fresh: chi-square of 15 subsets, below 1e-10 a run

CREATE FUNCTION t.subsets(workers integer) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	result numeric;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
	SELECT sum((n - total / 15.0) ^ 2 / (total / 15.0)) + 1000 * (15 - count(*)) INTO result
	FROM (SELECT n, sum(n) OVER () AS total
		FROM (SELECT s, count(*) AS n
			FROM (SELECT (SELECT string_agg(x, ',' ORDER BY x) FROM unnest((string_to_array(trim('{}' FROM p::text), ','))[2:]) AS x) AS s
				FROM (SELECT unit, dp_noise.sample_points(x, 0, 100, 2) AS p FROM t.sampled GROUP BY unit) AS c) AS k
			GROUP BY s) AS g) AS h;
	RETURN result;
END
$$;
CREATE TABLE t.sampled AS SELECT unit, x FROM generate_series(1, 30000) AS unit, generate_series(1, 6) AS x ORDER BY hashint4(unit * 10 + x);
-- so that the planner lets each worker aggregate
ALTER TABLE t.sampled ALTER unit SET (n_distinct = 100);
ANALYZE t.sampled;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ok(t.subsets(0) < 84, 'each pair of six values alike');
SELECT ok(t.subsets(2) < 84, 'in parallel plans too');
CREATE FUNCTION t.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END
$$;
SET max_parallel_workers_per_gather = 2;
SELECT alike(t.plan('SELECT unit, dp_noise.sample_points(x, 0, 100, 2) FROM t.sampled GROUP BY unit'), '%Finalize%Gather%Partial%', 'which are planned');
SELECT isnt((SELECT string_agg(p::text, '' ORDER BY unit) FROM (SELECT unit, dp_noise.sample_points(x, 0, 100, 2) AS p FROM t.sampled GROUP BY unit) AS c),
	(SELECT string_agg(p::text, '' ORDER BY unit) FROM (SELECT unit, dp_noise.sample_points(x, 0, 100, 2) AS p FROM t.sampled GROUP BY unit) AS c), 'anew each time');

-- Parallel plans and others have the same true states.
CREATE TABLE t.parallel AS
SELECT w, set_config('max_parallel_workers_per_gather', w::text, false) AS s,
	dp_noise.true_states('SELECT dp_count(*), dp_sum(age, -10, 50), dp_mean(cost, 0, 120), dp_max(age, -10, 50, 0.01), dp_min(cost, -10, 50, 0.01) FROM visits') AS states
FROM generate_series(0, 4, 2) AS w;
SELECT is(count(DISTINCT states), 1::bigint, 'the same with 0, 2 and 4 workers') FROM t.parallel;
SET max_parallel_workers_per_gather = 2;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_median_exp(age, -20, 70, 1000) FROM visits')::integer - percentile_disc(0.5) WITHIN GROUP (ORDER BY age)) < 10,
	'a median from a choice in a parallel plan') FROM public.visits WHERE person IS NOT NULL;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Sorting instead of hashing, and spilling to disk.
SET enable_hashagg = off;
SELECT is(dp_noise.true_states('SELECT dp_count(*), dp_sum(age, -10, 50), dp_mean(cost, 0, 120), dp_max(age, -10, 50, 0.01), dp_min(cost, -10, 50, 0.01) FROM visits'), states, 'sorted')
FROM t.parallel WHERE w = 0;
RESET enable_hashagg;
CREATE TABLE public.million (person integer, x integer);
INSERT INTO public.million SELECT p, p % 100 FROM generate_series(1, 1000000) AS p, generate_series(1, 1 + p % 3);
ANALYZE public.million;
ALTER TABLE public.million OWNER TO gate_owner;
SELECT dp_noise.protect('public.million', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e13, delta => 1),
	dp_noise.alter_population('public.million', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.million', 1e9);
SET work_mem = '64kB';
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000000) FROM million'), '1666667', 'a million units, in little memory');
RESET work_mem;
SELECT is(t.run('gate_ann', 'SELECT dp_sum(x, 0, 50, 1000000) FROM million'), sum(least(n * least(x, 50), 2 * 50))::text, 'and in more')
FROM (SELECT x, count(*) AS n FROM public.million GROUP BY person, x) AS u;

-- A limit on temporary files would tell how many units there are.
ALTER ROLE gate_ann SET temp_file_limit = '100kB';
SET temp_file_limit = '100kB';
SET work_mem = '64kB';
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000000) FROM million'), '1666667', 'limits on temporary files do not show how many there are');
RESET work_mem;
RESET temp_file_limit;
ALTER ROLE gate_ann RESET temp_file_limit;
DROP TABLE public.million;

------------------------------------------------------------------------------
-- Which units, and when their protection changes

-- A unit of each type has 3 rows, of which one counts.
SET ROLE gate_owner;
CREATE TYPE public.pair AS (x integer, y integer);
CREATE FUNCTION public.lying(public.pair, public.pair) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''%'', $1; END';
CREATE TABLE public.kinds (a integer, b text, c uuid, d date, e numeric, f varchar(9), g public.mood, h bytea, i bigint, j public.years, k inet, l timestamptz,
	y point, z json, w integer[], v public.pair, u int4range, t jsonb);
INSERT INTO public.kinds
SELECT p, p, lpad(p::text, 32, '0')::uuid, date '2020-01-01' + p, p / 10.0, p, 'ok', p::text::bytea, p, p, '10.0.0.0'::inet + p, date '2020-01-01' + p,
	'(1,2)', '1', '{1}', (1, 2)::public.pair, '[1,2]', '1'
FROM generate_series(1, 50) AS p, generate_series(1, 3);
SELECT dp_noise.protect('public.kinds', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.kinds', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.kinds', 1e9);
RESET ROLE;
SELECT unnest(ARRAY[
	format('DO $$BEGIN PERFORM dp_noise.protect(''public.kinds'', privacy_unit => %L, max_rows_per_unit => 1, replace_unit => true); END$$', c),
	CASE WHEN c IN ('w', 'v', 'u')
		THEN format('SELECT alike(t.run(''gate_ann'', ''SELECT dp_count(1, 1000) FROM kinds''), ''0A000: a privacy unit of type %% cannot be used'', ''no unit of type %s'')', atttypid::regtype)
		ELSE format('SELECT is(t.run(''gate_ann'', ''SELECT dp_count(1, 1000) FROM kinds''), %L, ''a unit of type %s'')', CASE WHEN c IN ('g', 't') THEN 1 ELSE 50 END, atttypid::regtype) END])
FROM unnest('{a,b,c,d,e,f,g,h,i,j,k,l,t,w,v,u}'::text[]) AS c JOIN pg_attribute ON attrelid = 'public.kinds'::regclass AND attname = c \gexec
SELECT throws_ok(format('SELECT dp_noise.protect(''public.kinds'', privacy_unit => %L, max_rows_per_unit => 1, replace_unit => true)', c), '0A000',
	format('column %s of relation public.kinds cannot be a privacy unit, since the server cannot both sort and hash its type', c))
FROM unnest('{y,z}'::text[]) AS c;

-- An operator of a user's that claims to be the equality of a type.
CREATE OPERATOR public.<-> (LEFTARG = public.pair, RIGHTARG = public.pair, FUNCTION = public.lying);
CREATE OPERATOR CLASS public.lying_ops DEFAULT FOR TYPE public.pair USING hash AS OPERATOR 1 public.<->, FUNCTION 1 hash_record(record);
SELECT dp_noise.protect('public.kinds', privacy_unit => 'v', max_rows_per_unit => 1, replace_unit => true) \g /dev/null
SELECT alike(t.run('gate_ann', 'SELECT dp_count(1, 1000) FROM kinds'), '0A000: a privacy unit of type pair cannot be used', 'no equality of users');

-- One prepared statement, and what happens to the unit between its executions.
SET SESSION AUTHORIZATION gate_owner;
CREATE TABLE public.people (id integer, x integer);
INSERT INTO public.people SELECT i, 10 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', max_rows_per_unit => 2, epsilon => 1e13, delta => 1),
	dp_noise.alter_population('public.people', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.people', 1e9) \g /dev/null
RESET SESSION AUTHORIZATION;
SELECT t.run('gate_ann', 'PREPARE people AS SELECT dp_count(1, 1000) FROM people');
CREATE FUNCTION t.units_are(n text, bound text, description text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := 'rows';
BEGIN
	RETURN NEXT is(t.run('gate_ann', 'EXECUTE people'), n, description);
	FOR line IN EXECUTE 'EXPLAIN SELECT dp_sum(x, 0, 10, 0.5) FROM public.people' LOOP
		found := coalesce(substring(line FROM 'Rows per Unit: \d+'), found);
	END LOOP;
	RETURN NEXT is(found, bound, description || ', and EXPLAIN says so');
END
$$;
SELECT t.units_are('100', 'Rows per Unit: 2', 'a column without index');
CREATE UNIQUE INDEX people_id ON public.people (id);
SELECT t.units_are('100', 'rows', 'with a unique index');
INSERT INTO public.people SELECT NULL, 10 FROM generate_series(1, 50);
SELECT t.units_are('100', 'rows', 'with nulls, which do not count');
DROP INDEX public.people_id;
INSERT INTO public.people SELECT 1, 10 FROM generate_series(1, 50);
SELECT t.units_are('101', 'Rows per Unit: 2', 'without it');
SELECT dp_noise.protect('public.people', privacy_unit => 'id', max_rows_per_unit => 7) \g /dev/null
SELECT t.units_are('106', 'Rows per Unit: 7', 'with another cap');
SELECT dp_noise.protect('public.people', replace_unit => true) \g /dev/null
SELECT t.units_are('200', 'rows', 'the row as the unit');
SELECT dp_noise.protect('public.people', privacy_unit => 'id', max_rows_per_unit => 1, replace_unit => true) \g /dev/null
SELECT t.units_are('100', 'Rows per Unit: 1', 'one row each');
DELETE FROM public.people WHERE id IS NULL OR ctid NOT IN (SELECT min(ctid) FROM public.people GROUP BY id);
ALTER TABLE public.people ADD PRIMARY KEY (id);
SELECT t.units_are('100', 'rows', 'a primary key');
CREATE TABLE public.more_people () INHERITS (public.people);
INSERT INTO public.more_people SELECT 1, 10 FROM generate_series(1, 50);
SELECT t.units_are('100', 'Rows per Unit: 1', 'which says nothing of tables that inherit');
DROP TABLE public.more_people;
VACUUM ANALYZE public.people;
SELECT t.units_are('100', 'rows', 'and again when they are gone');
ALTER TABLE public.people RENAME id TO number;
SELECT t.units_are('100', 'rows', 'another name of the unit');
ALTER TABLE public.people RENAME number TO id;
ALTER TABLE public.people DROP CONSTRAINT people_pkey;
CREATE UNIQUE INDEX people_partial ON public.people (id) WHERE x > 0;
CREATE UNIQUE INDEX people_expression ON public.people ((id + 0));
CREATE UNIQUE INDEX people_both ON public.people (id, x);
SELECT t.units_are('100', 'Rows per Unit: 1', 'indexes of some rows, of an expression, of two columns');
ALTER TABLE public.people ADD CONSTRAINT people_deferred UNIQUE (id) DEFERRABLE INITIALLY DEFERRED;
SELECT t.units_are('100', 'Rows per Unit: 1', 'a constraint that may be deferred');
DROP TABLE public.people;

-- Partitions: an index of each says nothing of the whole.
SET SESSION AUTHORIZATION gate_owner;
CREATE TABLE public.parts (id integer NOT NULL, part integer) PARTITION BY LIST (part);
CREATE TABLE public.parts_1 PARTITION OF public.parts FOR VALUES IN (1);
CREATE TABLE public.parts_2 PARTITION OF public.parts FOR VALUES IN (2);
CREATE UNIQUE INDEX ON public.parts_1 (id);
CREATE UNIQUE INDEX ON public.parts_2 (id);
INSERT INTO public.parts SELECT i, p FROM generate_series(1, 100) AS i, generate_series(1, 2) AS p;
CREATE TABLE public.hashed (id integer PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE public.hashed_1 PARTITION OF public.hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE public.hashed_2 PARTITION OF public.hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO public.hashed SELECT generate_series(1, 100);
SELECT dp_noise.protect(r, privacy_unit => 'id', max_rows_per_unit => 1, epsilon => 1e13, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e9) FROM unnest('{public.parts,public.hashed}'::regclass[]) AS r \g /dev/null
RESET SESSION AUTHORIZATION;
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000) FROM parts'), '100', 'a unit in two partitions counts once');
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000) FROM hashed'), '100', 'a primary key of all partitions');
SELECT unalike(t.plan('SELECT dp_count(1, 1000) FROM hashed'), '%Rows per Unit%', 'says that units are rows');
SET enable_partitionwise_aggregate = on;
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000) FROM parts'), '100', 'partition by partition');
RESET enable_partitionwise_aggregate;

------------------------------------------------------------------------------
-- Substitution

SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, neighbours => 'substitute', replace_unit => true) \g /dev/null
CREATE FUNCTION t.sensitivities(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		result := result || coalesce(substring(line FROM 'Sensitivity: (.*)') || ' ', '');
	END LOOP;
	RETURN trim(result);
END
$$;
SELECT is(t.sensitivities('SELECT dp_count(*), dp_sum(age, -10, 50), dp_sum(age, 0, 50), dp_median_exp(age, -10, 50), dp_quantile_exp(age, 0.75, -10, 50), dp_max(age, -10, 50, 1) FROM visits'),
	'4 240 200 4 4 1', 'substituted units of four rows');
SELECT alike(t.plan('SELECT dp_count(*) FROM visits'), '%Privacy Unit: person%Rows per Unit: 4%Neighbours: substitute%', 'EXPLAIN says so');
SELECT alike(t.plan('SELECT dp_count(*) FROM visits'), '%Cut Off: rows of a unit beyond 4; expected errors do not include what is lost%', 'and what is left out');
SELECT alike(t.plan('SELECT private, dp_count(*) FROM visits GROUP BY private'), '%Cut Off: rows of a unit beyond 4 in a group, and its groups beyond 1; expected errors do not include what is lost%', 'in groups');
SELECT is(t.run('gate_ann', 'SELECT dp_sum(age, -10, 50, 1000000) FROM visits'), sum(greatest(least(s, 200), -40))::text, 'the same true sum')
FROM (SELECT sum(greatest(least(age, 50), -10)) AS s FROM public.visits WHERE person IS NOT NULL GROUP BY person) AS u;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, replace_unit => true) \g /dev/null
SELECT is(t.sensitivities('SELECT dp_count(*), dp_sum(age, -10, 50), dp_sum(age, 0, 50), dp_median_exp(age, -10, 50), dp_quantile_exp(age, 0.75, -10, 50), dp_max(age, -10, 50, 1) FROM visits'),
	'4 200 200 2 3 1', 'and units that come and go');
SELECT dp_noise.protect('public.visits', neighbours => 'substitute', replace_unit => true) \g /dev/null
SELECT is(t.sensitivities('SELECT dp_count(*), dp_sum(age, -10, 50), dp_sum(age, 10, 50), dp_median_exp(age, -10, 50), dp_quantile_exp(age, 0.75, -10, 50), dp_max(age, -10, 50, 1) FROM visits'),
	'1 60 50 1 1 1', 'substituted rows, which a condition may leave out');
SELECT is(t.run('gate_ann', format('SELECT dp_%s(%s) FROM visits', f, a)), r, format('substituted rows: dp_%s(%s)', f, a))
FROM (VALUES ('max', 'age, -10, 50, 1000000', '50'), ('min', 'age, -10, 50, 1000000', '-10')) AS v (f, a, r);
SELECT is(t.run('gate_ann', 'SELECT dp_count(cost, 1000000) FROM visits'), count(cost)::text, 'a count of values') FROM public.visits;
SELECT is(t.run('gate_ann', 'SELECT dp_sum(age, 0, 50, 1000000) FROM visits'), sum(greatest(least(age, 50), 0))::text, 'a sum') FROM public.visits;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_count(*) FROM visits')::numeric - count(*)) < 60, 'the default epsilon') FROM public.visits;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_mean(cost, 0, 120, 10000) FROM visits')::numeric - avg(greatest(least(cost, 120), 0))::numeric) < 0.1, 'a mean') FROM public.visits;
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_quantile_exp(age, 0.25, -20, 70, 1000) FROM visits')::numeric - percentile_disc(0.25) WITHIN GROUP (ORDER BY age)) < 3, 'a quantile') FROM public.visits;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, replace_unit => true) \g /dev/null

------------------------------------------------------------------------------
-- Questions and charges

CREATE TABLE t.charged AS SELECT t.charges() AS n;
SELECT t.run('gate_ann', 'SELECT dp_count(*), dp_sum(age, 0, 1), dp_mean(age, 0, 1) FROM visits') \g /dev/null
SELECT is(t.charges() - n, 3::bigint, 'three aggregates are three charges') FROM t.charged;
SELECT dp_noise.alter_population('public.visits', on_repeat => 'refuse'), dp_noise.set_budget('gate_bob', 'public.visits', 1000) \g /dev/null
SELECT ok(t.run('gate_bob', 'SELECT dp_count(*) FROM visits')::bigint < 5000, 'a first question');
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 5) \g /dev/null
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM visits'), '53400: this question about "visits" was answered before', 'is the same with another cap');
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer') \g /dev/null
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 2147483647) \g /dev/null
SELECT ok(t.run('gate_ann', 'SELECT dp_sum(age, -10, 50, 1000) FROM visits') ~ '^-?\d+$', 'the greatest cap');
SELECT ok(t.run('gate_ann', 'SELECT dp_mean(age, -10, 50, 1000) FROM visits') ~ '^-?\d+\.\d+$', 'a mean with it');
SELECT is(left(t.run('gate_ann', 'SELECT dp_median_exp(age, -10, 50, 1000) FROM visits'), 5), '22023', 'no epsilon is left for each of so many values');
SELECT is(left(t.run('gate_ann', 'EXPLAIN SELECT dp_median_exp(age, -10, 50, 1000) FROM visits'), 5), '22023', 'which EXPLAIN tells as well');
-- samples of units stay within dp_noise.work_mem, which is said before anything is charged
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 200000) \g /dev/null
CREATE TABLE t.kept_whole AS SELECT q FROM unnest('{"dp_median_exp(age, -10, 50, 1000000)","dp_quantile_exp(age, 0.25, -10, 50, 1000000)","dp_mode(age, ARRAY[1,2], 1000000)","dp_bounds(age, 1000000)"}'::text[]) AS q;
TRUNCATE t.charged;
INSERT INTO t.charged VALUES (t.charges());
SET dp_noise.work_mem = '1MB';
SELECT is(t.run('gate_ann', e || 'SELECT ' || q || ' FROM visits'), '54000: ' || substring(q, '^\w+') || ' over "visits" may keep too many rows of a privacy unit', e || q)
FROM t.kept_whole, unnest('{"","EXPLAIN "}'::text[]) AS e;
SELECT ok(t.run('gate_ann', 'SELECT dp_sum(age, -10, 50, 1000) FROM visits') ~ '^-?\d+$', 'others keep none');
SELECT is(t.charges() - n, 1::bigint, 'nothing of the samples is charged') FROM t.charged;
SET dp_noise.work_mem = '2MB';
SELECT ok(left(t.run('gate_ann', 'SELECT ' || q || ' FROM visits'), 6) <> '54000:', q || ' with more memory') FROM t.kept_whole;
-- nor do they exceed what the server allows a value, however much memory there is: a unit's rows would decide on an error
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 140000000) \g /dev/null
SET dp_noise.work_mem = '2GB';
SELECT is(t.run('gate_ann', 'EXPLAIN SELECT ' || q || ' FROM visits'), '54000: ' || substring(q, '^\w+') || ' over "visits" may keep too many rows of a privacy unit', q || ' beyond 1 GB') FROM t.kept_whole;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 130000000) \g /dev/null
SELECT ok(left(t.run('gate_ann', 'EXPLAIN SELECT ' || q || ' FROM visits'), 6) <> '54000:', q || ' below it') FROM t.kept_whole;
RESET dp_noise.work_mem;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 4, replace_unit => true) \g /dev/null

------------------------------------------------------------------------------
-- The malicious analyst

-- The gate's forms are no way to the rows, nor to the states.
SELECT t.refuse('42501', q) FROM unnest(ARRAY[
	'SELECT dp_noise.true_states(''SELECT dp_count(*) FROM visits'')',
	'SELECT dp_noise.describe_question(''SELECT dp_count(*) FROM visits'')',
	'SELECT dp_noise.count_of_rows(1, 1, NULL, 0, false, false) FROM visits',
	'SELECT dp_noise.count_of_units(NULL, 1, NULL, 1, 0, false, false, 1) FROM visits',
	'SELECT dp_noise.count_of_units_state(NULL, 1, NULL, 1, 0, false, false, 1) FROM visits',
	'SELECT dp_noise.sum_of_units_state(NULL::integer, 0, 1, 1, NULL, 1, 0, false, false, ''(0,0)'') FROM visits',
	'SELECT dp_noise.sum_state(age, 0, 100) FROM visits',
	'SELECT dp_noise.max_point(age, 0, 100) FROM visits',
	'SELECT dp_noise.sample_points(age, 0, 100, 5) FROM visits',
	'SELECT dp_count(*), dp_noise.sample_points(age, 0, 100, 5) FROM visits',
	'SELECT dp_count(*), dp_noise.count_of_units_state(NULL, 1, NULL, 1, 0, false, false, 1) FROM visits',
	'SELECT dp_count(*), dp_noise.sum_of_rows(age, 0, 1, 1000000, NULL, 0, false, false) FROM visits',
	'SELECT person FROM visits']) AS q;

-- The unit is a column like others: it may be asked about. At epsilon 1 the
-- answer is within 4 * 60 of the truth but for 1 run in 10^25.
SELECT ok(abs(t.run('gate_ann', 'SELECT dp_count(1, 1) FROM visits WHERE person = 11')::numeric) <= 4 + 4 * 60, 'one person');
SELECT t.accept('SELECT dp_sum(person, 0, 10) FROM visits WHERE person IS NOT NULL');
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000000) FROM visits WHERE person IS NULL'), '0', 'rows of nobody');
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000000) FILTER (WHERE person IS NULL) FROM visits'), '0', 'by a filter');
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000000) FROM visits WHERE person = 1 OR person IS NULL'), '2', 'beside others');

-- Filters of different aggregates do not add up to more for one of them.
SELECT is(dp_noise.true_states('SELECT dp_count(*) FILTER (WHERE private), dp_count(*) FILTER (WHERE NOT private), dp_count(*) FROM visits WHERE person = 11'),
	'{4,4,4}', 'each aggregate has the cap');

-- What comes first in the search path does not decide what one person is.
SELECT t.run('gate_ann', 'CREATE OPERATOR gate_ann.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4ne)');
SELECT t.run('gate_ann', 'CREATE AGGREGATE gate_ann.count(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = ''1000'')');
SELECT is(t.run('gate_ann', 'SELECT dp_count(1, 1000000) FROM visits'), sum(least(n, 4))::text, 'operators and aggregates of one''s own')
FROM (SELECT count(*) AS n FROM public.visits WHERE person IS NOT NULL GROUP BY person) AS u;

-- States of the analyst's own making.
SELECT throws_ok('SELECT dp_noise.median_of_units(NULL::integer, 0, 1, 1, NULL, 1, 0, false, false, s) FROM (SELECT dp_noise.sample_points(x, 0, 1, 5) AS s FROM public.numbers) AS p',
	'22023', NULL, 'a sample of more than may count');
SELECT throws_ok('SELECT ''{1,2}''::dp_noise.sample_state', '0A000', NULL, 'a sample cannot be written');
SELECT throws_ok('SELECT ''(1,1)''::dp_noise.sum_state', '0A000', NULL, 'nor a sum');
SELECT throws_ok(format('SELECT dp_noise.count_of_units(NULL, 1, NULL, %s, %s, %s, false, 1)', r, g, s), c, NULL, format('caps of %s rows, %s groups, %s', r, g, s))
FROM (VALUES ('0', '0', 'false', '22023'), ('-1', '0', 'false', '22023'), ('1', '-1', 'false', '22023'), ('NULL', '0', 'false', '22004'), ('1', '0', 'NULL', '22004')) AS v (r, g, s, c);
SELECT throws_ok('SELECT dp_noise.count_of_units(NULL, 1, NULL, x, 0, false, false, 1) FROM public.numbers GROUP BY x', '0A000', NULL, 'caps of the rows'' own');
SELECT is((SELECT dp_noise.sum_of_units_state(NULL::integer, 0, 10, 1, NULL, 2, 0, false, false, s)
	FROM (SELECT dp_noise.sum_state(x, -9223372036854775808, 9223372036854775807) AS s FROM unnest('{9223372036854775807,-9223372036854775808}'::bigint[]) AS x GROUP BY x) AS g)::text,
	'(20,0)', 'what rows between such bounds cannot give is clamped');
SELECT ok((SELECT (SELECT get_bit(b, 0) = 0 AND substr(b, 1, 16) <= substr(b, 17) FROM dp_noise.mean_of_units(NULL::integer, 0, 10, 1000, NULL, 2, 0, false, false, s) AS b)
	FROM (SELECT dp_noise.sum_state(x, -9223372036854775808, 9223372036854775807) AS s FROM unnest('{9223372036854775807,-9223372036854775808}'::bigint[]) AS x GROUP BY x) AS g),
	'in a mean too: its sums');

-- A unique index that is younger than the snapshot says nothing of its rows:
-- there may be others, of one unit many times, that were deleted since.
CREATE TABLE public.unique_later (person integer NOT NULL);
INSERT INTO public.unique_later SELECT generate_series(1, 100);
SELECT dp_noise.protect('public.unique_later', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e13, delta => 1), dp_noise.alter_population('public.unique_later', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.unique_later', 1000000) \g /dev/null
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM unique_later'), '^[0-9]+$', 'without an index');
BEGIN;
CREATE UNIQUE INDEX ON public.unique_later (person);
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM unique_later'), '55000: the definition of "unique_later" is younger than%', 'in the transaction that makes one');
COMMIT;
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM unique_later'), '^[0-9]+$', 'after it');

SELECT * FROM finish();
\ir support/gate_end.sql
