-- sum(DISTINCT x) and avg(DISTINCT x) over a protected relation: of the values that
-- people can name, each at most so many of hers, in an order that does not depend on
-- the data. A person more leaves all of these in and adds at most as many.
\ir support/gate.sql
SELECT no_plan();

------------------------------------------------------------------------------
-- The reference: one value after the other, if all so far can be named

CREATE FUNCTION t.can_name(wanted integer[], edges jsonb, cap integer, used jsonb DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	person text;
BEGIN
	IF cardinality(wanted) = 0 THEN
		RETURN true;
	END IF;
	FOR person IN SELECT k FROM jsonb_each(edges) AS e (k, v) WHERE v @> to_jsonb(wanted[1]) AND coalesce((used ->> k)::integer, 0) < cap LOOP
		IF t.can_name(wanted[2 :], edges, cap, used || jsonb_build_object(person, 1 + coalesce((used ->> person)::integer, 0))) THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END
$$;
-- furthest from 0 first, the positive one of two
CREATE FUNCTION t.taken(edges jsonb, cap integer) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	result integer[] := '{}';
	v integer;
BEGIN
	FOR v IN SELECT DISTINCT x::integer, abs(x::integer) AS size FROM jsonb_each(edges) AS e (k, a), jsonb_array_elements_text(a) AS x ORDER BY size DESC, x DESC LOOP
		IF t.can_name(result || v, edges, cap) THEN
			result := result || v;
		END IF;
	END LOOP;
	RETURN result;
END
$$;
SELECT is(t.taken('{"1": [5, -7, 3], "2": [5]}', 1), '{-7,5}', 'the reference: one leaves hers to another');
SELECT is(t.taken('{"1": [5, -7, 3], "2": [5]}', 2), '{-7,5,3}', 'of two each');
SELECT is(t.taken('{"1": [4, -4], "2": []}', 1), '{4}', 'the positive one of two');

SET ROLE gate_owner;
CREATE TABLE public.stays (person integer, price integer, paid numeric, weight float8, small smallint, big bigint, half real, span interval, often boolean, day date);
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stays', 1e12, delta => 1);
RESET ROLE;
SET max_parallel_workers_per_gather = 0;
SET dp_noise.choose_bounds = 0;

CREATE FUNCTION t.state(question text) RETURNS text LANGUAGE sql AS
'SELECT (dp_noise.true_states(question))[1]';
CREATE FUNCTION t.edges() RETURNS jsonb LANGUAGE sql AS $$
	SELECT coalesce(jsonb_object_agg(person, v), '{}')
	FROM (SELECT person, jsonb_agg(DISTINCT price) AS v FROM public.stays WHERE person IS NOT NULL AND price IS NOT NULL GROUP BY person) AS p
$$;
CREATE TABLE t.tiny (trial integer, cap integer, state text, wanted text, shuffled text, without text, mean text, mean_without text);
DO $do$
DECLARE
	cap integer;
	one text;
	two text;
	three text;
	mean_one text;
	mean_three text;
	wanted integer[];
	kind double precision;
BEGIN
	PERFORM setseed(0.5);
	FOR trial IN 1 .. 25 LOOP
		kind := random();
		TRUNCATE public.stays;
		INSERT INTO public.stays (person, price)
		SELECT 1 + floor(4 * random()), CASE WHEN random() < 0.9 THEN floor((2 + 5 * kind) * random()) - 2 END
		FROM generate_series(1, (3 + 10 * random())::integer) AS i;
		FOREACH cap IN ARRAY '{1,2,3}'::integer[] LOOP
			PERFORM set_config('dp_noise.max_rows_per_unit', cap::text, false);
			one := t.state('SELECT dp_sum_distinct(price, -4, 10) FROM stays');
			mean_one := t.state('SELECT dp_mean_distinct(price, -4, 10) FROM stays');
			wanted := t.taken(t.edges(), cap);
			CREATE TEMPORARY TABLE kept AS SELECT * FROM public.stays;
			TRUNCATE public.stays;
			INSERT INTO public.stays SELECT * FROM kept ORDER BY random();
			DROP TABLE kept;
			two := t.state('SELECT dp_sum_distinct(price, -4, 10) FROM stays');
			DELETE FROM public.stays WHERE person = cap;
			three := t.state('SELECT dp_sum_distinct(price, -4, 10) FROM stays');
			mean_three := t.state('SELECT dp_mean_distinct(price, -4, 10) FROM stays');
			INSERT INTO t.tiny VALUES (trial, cap, one, format('(%s,%s)', (SELECT coalesce(sum(w), 0) FROM unnest(wanted) AS w), cardinality(wanted)), two, three, mean_one, mean_three);
		END LOOP;
	END LOOP;
END
$do$;
RESET dp_noise.max_rows_per_unit;
CREATE FUNCTION t.part(state text, number integer) RETURNS numeric LANGUAGE sql AS 'SELECT split_part(trim(state, ''()''), '','', number)::numeric';
SELECT is(count(*), 75::bigint, '25 tables, 3 caps') FROM t.tiny;
SELECT is(count(*), 0::bigint, 'the sum and the number of the values of the reference') FROM t.tiny WHERE state <> wanted;
SELECT is(count(*), 0::bigint, 'in whatever order rows come') FROM t.tiny WHERE state <> shuffled;
SELECT is(count(*), 0::bigint, 'a person adds 0 .. cap values') FROM t.tiny WHERE t.part(state, 2) - t.part(without, 2) NOT BETWEEN 0 AND cap;
SELECT is(count(*), 0::bigint, 'which change the sum by no more than that many greatest ones') FROM t.tiny WHERE abs(t.part(state, 1) - t.part(without, 1)) > 4 * (t.part(state, 2) - t.part(without, 2));
SELECT ok(count(*) > 3, 'and often by the cap') FROM t.tiny WHERE t.part(state, 2) - t.part(without, 2) = cap;
SELECT is(count(*), 0::bigint, 'a mean is of as many values') FROM t.tiny WHERE t.part(mean, 2) <> t.part(state, 2);
SELECT is(count(*), 0::bigint, 'of which a person more adds the same number, and a sum within their bounds') FROM t.tiny
WHERE t.part(mean, 2) - t.part(mean_without, 2) NOT BETWEEN 0 AND cap
	OR t.part(mean, 1) - t.part(mean_without, 1) NOT BETWEEN 0 AND (t.part(mean, 2) - t.part(mean_without, 2)) * 2.0 ^ 42;

------------------------------------------------------------------------------
-- Where caps do not bind: what SQL says, of all types

TRUNCATE public.stays;
INSERT INTO public.stays
SELECT p, (p * i) % 60 - 20, (p * i) % 13 / 4.0, (p + i) % 9 - 4.5, (p * i) % 7, (p * i) % 11, (p + i) % 5 / 2.0, make_interval(hours => (p * i) % 30), p % 2 = 0, date '2024-01-01' + i
FROM generate_series(1, 200) AS p, generate_series(1, 1 + p % 9) AS i;
INSERT INTO public.stays (person, price) SELECT NULL, 50 + i FROM generate_series(1, 30) AS i;
INSERT INTO public.stays (person, price, weight) SELECT p, NULL, 'NaN' FROM generate_series(1, 300) AS p;
VACUUM ANALYZE public.stays;
SET dp_noise.max_rows_per_unit = 1000;
SELECT is(t.state('SELECT dp_sum_distinct(price, -100, 100) FROM stays'), format('(%s,%s)', sum(DISTINCT price), count(DISTINCT price)), 'all values of people') FROM public.stays WHERE person IS NOT NULL;
RESET dp_noise.max_rows_per_unit;
CREATE FUNCTION t.near(question text, wanted numeric) RETURNS text LANGUAGE sql AS $$
	SELECT ok(abs(t.run('gate_ann', question)::numeric - wanted) < 0.01, question)
$$;
SET ROLE gate_owner;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 100, max_groups_per_unit => 10) \g /dev/null
RESET ROLE;
SET dp_noise.epsilon = 100000;
SELECT unnest(ARRAY[t.near('SELECT dp_sum_distinct(price, -100, 100) FROM stays', sum(DISTINCT price)), t.near('SELECT dp_mean_distinct(price, -100, 100) FROM stays', avg(DISTINCT price)),
	t.near('SELECT dp_sum_distinct(paid, 0, 10) FROM stays', sum(DISTINCT paid)), t.near('SELECT dp_mean_distinct(paid, 0, 10) FROM stays', avg(DISTINCT paid)),
	t.near('SELECT dp_sum_distinct(weight, -10, 10) FROM stays', sum(DISTINCT weight) FILTER (WHERE weight <> 'NaN')::numeric), t.near('SELECT dp_mean_distinct(weight, -10, 10) FROM stays', avg(DISTINCT weight) FILTER (WHERE weight <> 'NaN')::numeric),
	t.near('SELECT dp_sum_distinct(small, 0, 10) FROM stays', sum(DISTINCT small)), t.near('SELECT dp_sum_distinct(big, 0, 20) FROM stays', sum(DISTINCT big)), t.near('SELECT dp_sum_distinct(half, 0, 20) FROM stays', sum(DISTINCT half)::numeric),
	t.near('SELECT extract(epoch FROM dp_sum_distinct(span, interval ''0'', interval ''30 hours'')) / 3600 FROM stays', extract(epoch FROM sum(DISTINCT span)) / 3600),
	t.near('SELECT dp_sum_distinct(price * 2, -200, 200) FILTER (WHERE often) FROM stays', sum(DISTINCT price * 2) FILTER (WHERE often))])
FROM public.stays WHERE person IS NOT NULL;
SELECT unnest(ARRAY[t.near('SELECT dp_sum_distinct(price, -5, 5) FROM stays', 0), t.near('SELECT dp_mean_distinct(price, 0, 10) FROM stays', 5)]);
SELECT is(t.run('gate_ann', 'SELECT dp_sum_distinct(price, -100, 100) FROM stays WHERE price > 1000'), '0', 'of no rows');
SELECT is(t.run('gate_ann', 'SELECT string_agg(often || '' '' || round(s), '', '' ORDER BY often) FROM (SELECT often, dp_sum_distinct(price, -100, 100) AS s FROM stays WHERE price IS NOT NULL GROUP BY often) AS g'),
	(SELECT string_agg(often || ' ' || s, ', ' ORDER BY often) FROM (SELECT often, sum(DISTINCT price) AS s FROM public.stays WHERE person IS NOT NULL AND price IS NOT NULL GROUP BY often) AS g), 'in groups of public values');
SET dp_noise.delta = 0.1;
SELECT is(t.run('gate_ann', 'SELECT string_agg(small || '' '' || round(s), '', '' ORDER BY small) FROM (SELECT small, count(*), dp_sum_distinct(price, -100, 100) AS s FROM stays WHERE price IS NOT NULL GROUP BY small) AS g'),
	(SELECT string_agg(small || ' ' || s, ', ' ORDER BY small) FROM (SELECT small, sum(DISTINCT price) AS s FROM public.stays WHERE person IS NOT NULL AND price IS NOT NULL GROUP BY small) AS g), 'and of private ones');
RESET dp_noise.delta;

-- Written as SQL, with bounds declared, derived, chosen or missing
SELECT is(t.run('gate_ann', 'SELECT sum(DISTINCT price) FROM stays'), '22023: sum needs bounds', 'without bounds');
SELECT is(t.run('gate_ann', 'SELECT avg(DISTINCT price) FROM stays'), '22023: avg needs bounds', 'the same of a mean');
SELECT unnest(ARRAY[t.near('SELECT sum(DISTINCT price) FROM stays WHERE price BETWEEN 3 AND 30', sum(DISTINCT price)), t.near('SELECT avg(DISTINCT price) FROM stays WHERE price BETWEEN 3 AND 30', avg(DISTINCT price))]) FROM public.stays WHERE person IS NOT NULL AND price BETWEEN 3 AND 30;
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.stays', 'price', -50, 50) \g /dev/null
RESET ROLE;
SELECT unnest(ARRAY[t.near('SELECT sum(DISTINCT price) FROM stays', sum(DISTINCT price)), t.near('SELECT avg(DISTINCT price) FROM stays', avg(DISTINCT price))]) FROM public.stays WHERE person IS NOT NULL;
SET dp_noise.choose_bounds = 0.2;
SELECT ok(t.run('gate_ann', 'SELECT sum(DISTINCT weight) FROM stays')::float8 BETWEEN -10 AND 10, 'bounds that are chosen');
SELECT ok(t.run('gate_ann', 'SELECT avg(DISTINCT weight) FROM stays')::float8 BETWEEN -5 AND 5, 'the same of a mean');
SET dp_noise.choose_bounds = 0;
SELECT is(t.run('gate_ann', 'SELECT dp_low(sum(DISTINCT price)) <= sum(DISTINCT price) AND dp_high(avg(DISTINCT price)) >= avg(DISTINCT price) FROM stays'), 'true', 'intervals');

-- The price and the sensitivity
SELECT is(t.explained('SELECT sum(DISTINCT price), avg(DISTINCT price), sum(DISTINCT price) FROM stays', 'Total Epsilon'), '200000', 'each is one question');
SELECT ok(t.explained('SELECT sum(DISTINCT price) FROM stays', 'Question') <> t.explained('SELECT sum(price) FROM stays', 'Question'), 'another than without DISTINCT');
SELECT is(t.explained('SELECT dp_sum_distinct(price, -20, 50) FROM stays', 'Sensitivity'), '5000', 'sensitivity: the cap times the greatest');
SELECT is(t.explained('SELECT dp_sum_distinct(price, -20, 50) FROM stays', 'Bounded'), 'at most 100 values of a unit count, chosen so that as many as possible do, those furthest from 0 first', 'as EXPLAIN says');

-- Large bounds: rounded once, in the end, with the noise for that
CREATE FUNCTION t.change(question text, person integer, prices text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	before numeric := t.part(t.state(question), 1);
	result numeric;
BEGIN
	EXECUTE format('INSERT INTO public.stays (person, weight) SELECT %s, w FROM (%s) AS s (w)', person, prices);
	result := t.part(t.state(question), 1) - before;
	DELETE FROM public.stays AS s WHERE s.person = change.person;
	RETURN result;
END
$$;
SELECT ok(abs(t.change(format('SELECT dp_sum_distinct(weight, -1e6, %s) FROM stays', upper), 1000, format('SELECT %s - i FROM generate_series(1, %s) AS i', upper, n))) <= 2.0 ^ 42, format('%s values of about %s', n, upper))
FROM unnest('{1e6,999983.7,1.1e9}'::numeric[]) AS upper, unnest('{1,99,100,300}'::integer[]) AS n;

-- Units of one row: all different values
SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, age integer, bmi numeric);
INSERT INTO public.people SELECT i, i % 50, i % 7 + 0.5 FROM generate_series(1, 2000) AS i;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.people', 'age', 0, 100), dp_noise.set_bounds('public.people', 'bmi', 0, 10), dp_noise.set_budget('gate_ann', 'public.people', 1e12, delta => 1);
RESET ROLE;
SELECT unnest(ARRAY[t.near('SELECT sum(DISTINCT age) FROM people', sum(DISTINCT age)), t.near('SELECT avg(DISTINCT bmi) FROM people', avg(DISTINCT bmi)), t.near('SELECT sum(DISTINCT bmi) FILTER (WHERE age < 3) FROM people', sum(DISTINCT bmi) FILTER (WHERE age < 3))]) FROM public.people;
SELECT is(t.explained('SELECT sum(DISTINCT age) FROM people', 'Sensitivity'), '100', 'sensitivity: one value');

-- In parallel, and with little memory, the same
SELECT t.state('SELECT dp_sum_distinct(price, -100, 100) FROM stays') AS state, t.state('SELECT dp_mean_distinct(weight, -100, 100) FROM stays') AS mean \gset
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT is(t.state('SELECT dp_sum_distinct(price, -100, 100) FROM stays'), :'state', 'with workers');
SET work_mem = '64kB';
SELECT is(t.state('SELECT dp_mean_distinct(weight, -100, 100) FROM stays'), :'mean', 'and little memory');
INSERT INTO public.stays (person, weight) SELECT i % 5000, (i * 7919) % 20011 FROM generate_series(1, 40000) AS i;
SET ROLE gate_owner;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 2) \g /dev/null
RESET ROLE;
SELECT t.state('SELECT dp_sum_distinct(weight, 0, 100000) FROM stays') AS state \gset
RESET work_mem;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT is(t.state('SELECT dp_sum_distinct(weight, 0, 100000) FROM stays'), :'state', 'of many values, half of which count');
SELECT ok(t.part(:'state', 2) BETWEEN 9000 AND 10600, 'which is all that units can name') FROM (SELECT 1) AS one;

------------------------------------------------------------------------------
-- By hand, over rows that are not protected

SELECT ok(abs(dp_sum_distinct(i % 10, 0, 9, 10000) - 45) < 1 AND abs(dp_mean_distinct(i % 10, 0, 9, 10000) - 4.5) < 0.1, 'by hand') FROM generate_series(1, 1000) AS i;
SELECT ok(abs(dp_sum_distinct(i % 10, 0, 9, 10000)) < 1, 'without rows') FROM generate_series(1, 1000) AS i WHERE i > 2000;
SELECT throws_ok('SELECT dp_sum_distinct(i) FROM generate_series(1, 10) AS i', '22023', 'dp_sum_distinct needs bounds');
SELECT throws_ok('SELECT dp_sum_distinct(1::money)', '0A000', 'private aggregates do not take values of type money');
SELECT throws_ok('SELECT dp_sum_distinct(i, 0, 9) OVER () FROM generate_series(1, 10) AS i', '0A000');
DROP TABLE public.stays, public.people;
SELECT * FROM finish();
\ir support/gate_end.sql
