-- dp_count_distinct of any column over a protected relation: the maximum flow from
-- people to their values, bounded by the cap, whatever rows there are.
\ir support/gate.sql
SELECT no_plan();

-- The reference: the best of all ways in which each person names at most so many
-- of her values, by trying all of them. edges: of a person and a value.
CREATE FUNCTION t.best(edges jsonb, cap integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	person text;
	choice jsonb;
	rest jsonb;
	result integer := 0;
	named integer;
BEGIN
	SELECT min(k) INTO person FROM jsonb_object_keys(edges) AS k;
	IF person IS NULL THEN
		RETURN 0;
	END IF;
	-- every subset of so many of the values of one person, then the others without them
	FOR choice IN
		SELECT coalesce(jsonb_agg(v) FILTER (WHERE v IS NOT NULL), '[]')
		FROM generate_series(0, (1 << jsonb_array_length(edges -> person)) - 1) AS s
			LEFT JOIN LATERAL (SELECT v FROM jsonb_array_elements(edges -> person) WITH ORDINALITY AS x (v, i) WHERE (s >> (i::integer - 1)) & 1 = 1) AS w ON true
		GROUP BY s HAVING count(v) <= cap AND count(v) = least(cap, jsonb_array_length(edges -> person))
	LOOP
		SELECT coalesce(jsonb_object_agg(k, (SELECT coalesce(jsonb_agg(o), '[]') FROM jsonb_array_elements(a) AS o WHERE NOT choice @> o)), '{}') INTO rest
		FROM jsonb_each(edges - person) AS e (k, a);
		named := jsonb_array_length(choice) + t.best(rest, cap);
		result := greatest(result, named);
	END LOOP;
	RETURN result;
END
$$;
SELECT is(t.best('{"1": [1, 2], "2": [1, 2], "3": [1]}', 1), 2, 'the reference: two values for three');
SELECT is(t.best('{"1": [1, 2, 3], "2": [1]}', 2), 3, 'one leaves hers to another');
SELECT is(t.best('{"1": [1, 2, 3, 4], "2": []}', 3), 3, 'the cap');

SET ROLE gate_owner;
CREATE TABLE public.stays (person integer, place text, paid numeric, weight float8, day date, feeling public.mood, room integer, often boolean);
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stays', 1e12, delta => 1);
RESET ROLE;
SET max_parallel_workers_per_gather = 0;

------------------------------------------------------------------------------
-- True numbers are those of the reference, in whatever order rows come

CREATE FUNCTION t.number(question text) RETURNS bigint LANGUAGE sql AS
'SELECT (dp_noise.true_states(question))[1]::bigint';
CREATE FUNCTION t.reference(cap integer) RETURNS integer LANGUAGE sql AS $$
	SELECT t.best(coalesce(jsonb_object_agg(person, v), '{}'), cap)
	FROM (SELECT person, jsonb_agg(DISTINCT place) AS v FROM public.stays WHERE person IS NOT NULL AND place IS NOT NULL GROUP BY person) AS p
$$;
CREATE TABLE t.tiny (trial integer, cap integer, n bigint, wanted integer, shuffled bigint, without bigint);
DO $do$
DECLARE
	cap integer;
	question text;
	one bigint;
	two bigint;
	three bigint;
	wanted integer;
	kind double precision;
BEGIN
	PERFORM setseed(0.5);
	FOR trial IN 1 .. 25 LOOP
		kind := random();
		TRUNCATE public.stays;
		INSERT INTO public.stays (person, place)
		SELECT 1 + floor(4 * random()), CASE WHEN random() < 0.9 THEN 'place' || floor((2 + 4 * kind) * random()) END
		FROM generate_series(1, (3 + 10 * random())::integer) AS i;
		FOREACH cap IN ARRAY '{1,2,3}'::integer[] LOOP
			question := format('SELECT dp_count_distinct(place, NULL, NULL, %s) FROM stays', cap);
			one := t.number(question);
			wanted := t.reference(cap);
			CREATE TEMPORARY TABLE kept AS SELECT * FROM public.stays;
			TRUNCATE public.stays;
			INSERT INTO public.stays SELECT * FROM kept ORDER BY random();
			DROP TABLE kept;
			two := t.number(question);
			-- without one more person
			DELETE FROM public.stays WHERE person = cap;
			three := t.number(question);
			INSERT INTO t.tiny VALUES (trial, cap, one, wanted, two, three);
		END LOOP;
	END LOOP;
END
$do$;
SELECT is(count(*), 75::bigint, '25 tables, 3 caps') FROM t.tiny;
SELECT is(count(*), 0::bigint, 'the best of all choices') FROM t.tiny WHERE n <> wanted;
SELECT is(count(*), 0::bigint, 'in whatever order rows come') FROM t.tiny WHERE n <> shuffled;
SELECT is(count(*), 0::bigint, 'a person changes it by 0 .. cap') FROM t.tiny WHERE n - without NOT BETWEEN 0 AND cap;
SELECT ok(count(*) > 3, 'and often by the cap') FROM t.tiny WHERE n - without = cap;

-- Larger: 200 people, 60 places of which a few are everywhere.
TRUNCATE public.stays;
INSERT INTO public.stays
SELECT p, 'place' || floor(60 * ((p * 7919 + i * 104729) % 1000 / 1000.0) ^ 3), (p * i) % 13 / 4.0, (p + i) % 9 - 4, date '2024-01-01' + (p * i) % 31, (ARRAY['sad', 'ok']::mood[])[1 + i % 2],
	CASE WHEN i % 4 = 0 THEN i END, p % 2 = 0
FROM generate_series(1, 200) AS p, generate_series(1, 1 + p % 9) AS i;
INSERT INTO public.stays (person, place) SELECT NULL, 'nobody''s' || i FROM generate_series(1, 50) AS i;
INSERT INTO public.stays (person, place) SELECT p, NULL FROM generate_series(1, 300) AS p;
VACUUM ANALYZE public.stays;
SELECT is(t.number('SELECT dp_count_distinct(place, NULL, NULL, 1000) FROM stays'), count(DISTINCT place), 'with a great cap all values of people, no nulls') FROM public.stays WHERE person IS NOT NULL;
SELECT is(t.number('SELECT dp_count_distinct(place) FROM stays'), t.number('SELECT dp_count_distinct(place, NULL, NULL, 2) FROM stays'), 'without a cap that of rows');
SET dp_noise.max_rows_per_unit = 5;
SELECT is(t.number('SELECT dp_count_distinct(place) FROM stays'), t.number('SELECT dp_count_distinct(place, NULL, NULL, 5) FROM stays'), 'of the setting, too');
RESET dp_noise.max_rows_per_unit;
SELECT is(dp_noise.true_states('SELECT dp_count_distinct(place, NULL, NULL, 100), dp_count_distinct(paid, NULL, NULL, 100), dp_count_distinct(weight, NULL, NULL, 100), dp_count_distinct(day, NULL, NULL, 100),
		dp_count_distinct(feeling, NULL, NULL, 100), dp_count_distinct(room, NULL, NULL, 100), dp_count_distinct(often, NULL, NULL, 100), dp_count_distinct(paid * 2, NULL, NULL, 100),
		dp_count_distinct(place, NULL, NULL, 100) FILTER (WHERE often), dp_count_distinct(NULL::integer) FROM stays'),
	ARRAY[count(DISTINCT place), count(DISTINCT paid), count(DISTINCT weight), count(DISTINCT day), count(DISTINCT feeling), count(DISTINCT room), count(DISTINCT often), count(DISTINCT paid),
		count(DISTINCT place) FILTER (WHERE often), 0]::text[], 'of whatever type, of expressions, with a filter') FROM public.stays WHERE person IS NOT NULL;
SELECT set_eq('SELECT s FROM dp_noise.true_states(''SELECT often, dp_count_distinct(place, NULL, NULL, 100), dp_count_distinct(day, NULL, NULL, 100) FROM stays WHERE place IS NOT NULL GROUP BY often'') AS s',
	'SELECT ARRAY[CASE WHEN often THEN ''t'' ELSE ''f'' END, count(DISTINCT place)::text, count(DISTINCT day)::text] FROM public.stays WHERE person IS NOT NULL AND place IS NOT NULL GROUP BY often', 'in groups, each of its own');
SELECT is(t.run('gate_ann', 'SELECT dp_count_distinct(place, 10000, NULL, 100) FROM stays'), count(DISTINCT place)::text, 'released') FROM public.stays WHERE person IS NOT NULL;
SELECT is(t.run('gate_ann', 'SELECT count(DISTINCT day) FROM (SELECT * FROM stays WHERE place = ''nowhere'') AS s') ~ '^-?\d+$', true, 'of no rows, too');
SELECT is(t.run('gate_ann', 'SELECT dp_count_distinct(place, 10000) FROM stays WHERE place = ''nowhere'''), '0', 'of which there are none');

-- Changes of one person, of many rows and of few: reached, and not passed.
CREATE FUNCTION t.change(cap integer, places integer, new boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	question text := format('SELECT dp_count_distinct(place, NULL, NULL, %s) FROM stays', cap);
	before bigint := t.number(question);
	result bigint;
BEGIN
	INSERT INTO public.stays (person, place) SELECT 1000, CASE WHEN new THEN 'new' ELSE 'place' END || i FROM generate_series(1, places) AS i, generate_series(1, 2);
	result := t.number(question) - before;
	DELETE FROM public.stays WHERE person = 1000;
	RETURN result;
END
$$;
SELECT is(array_agg(t.change(cap, places, true) ORDER BY cap, places), '{1,1,1,2,2,2,2,5,5}', 'a person more names as many as the cap')
FROM unnest('{1,2,5}'::integer[]) AS cap, unnest('{2,20,20000}'::integer[]) AS places;
SELECT ok(bool_and(t.change(cap, places, false) BETWEEN 0 AND cap), 'or fewer')
FROM unnest('{1,2,5}'::integer[]) AS cap, unnest('{2,20}'::integer[]) AS places;
SELECT is(t.change(100000, 20000, true), 16384::bigint, 'of one person no more than so many values are kept');

-- Short values by themselves are sorted with their units, beside another aggregate
-- they are gathered unit by unit: the number is the same.
CREATE TABLE t.pairs (trial integer, cap integer, c text, alone bigint, beside bigint, without bigint);
DO $do$
DECLARE
	question text;
	trial integer;
	cap integer;
	c text;
	result t.pairs;
BEGIN
	PERFORM setseed(0.75);
	FOR trial IN 1 .. 6 LOOP
		TRUNCATE public.stays;
		INSERT INTO public.stays (person, room, day, feeling, often)
		SELECT CASE WHEN random() < 0.95 THEN floor(30 * random()) - 10 END, CASE WHEN random() < 0.9 THEN floor(trial * 12 * random() ^ 2) - 20 END,
			CASE WHEN random() < 0.01 THEN '-infinity' ELSE date '1999-12-20' + floor(20 * trial * random())::integer END, CASE WHEN random() < 0.5 THEN 'sad' ELSE 'ok' END::mood, random() < 0.5
		FROM generate_series(1, 200) AS i;
		FOREACH cap IN ARRAY '{1,2,5}'::integer[] LOOP
			FOREACH c IN ARRAY '{room,room + 1,day,feeling,often}'::text[] LOOP
				question := format('dp_count_distinct(%s, NULL, NULL, %s)', c, cap);
				result := (trial, cap, c, t.number('SELECT ' || question || ' FROM stays'), t.number('SELECT ' || question || ', dp_count(*) FROM stays'), NULL);
				CREATE TEMPORARY TABLE kept AS SELECT * FROM public.stays;
				DELETE FROM public.stays WHERE person = cap;
				result.without := t.number('SELECT ' || question || ' FROM stays');
				TRUNCATE public.stays;
				INSERT INTO public.stays SELECT * FROM kept;
				DROP TABLE kept;
				INSERT INTO t.pairs VALUES (result.*);
			END LOOP;
		END LOOP;
	END LOOP;
END
$do$;
SELECT is(count(*), 90::bigint, 'short values') FROM t.pairs;
SELECT is_empty('SELECT * FROM t.pairs WHERE alone <> beside OR alone - without NOT BETWEEN 0 AND cap', 'as pairs and unit by unit they are as many, and a person changes them by 0 .. cap');
SELECT ok(count(*) > 3, 'and sometimes by the cap') FROM t.pairs WHERE alone - without = cap;
SELECT is(t.number('SELECT dp_count_distinct(room, NULL, NULL, 1000) FILTER (WHERE often) FROM stays'), count(DISTINCT room) FILTER (WHERE often), 'with a filter') FROM public.stays WHERE person IS NOT NULL;
SELECT is(t.number('SELECT dp_count_distinct(room, NULL, NULL, 1000) FROM stays WHERE person = -1 AND person = 0'), 0::bigint, 'of no rows');
INSERT INTO public.stays (person, room) SELECT i % 20000, (i * 7919::bigint % 100003)::integer FROM generate_series(1, 200000) AS i;
SET dp_noise.work_mem = '1MB';
SELECT is(t.number('SELECT dp_count_distinct(room, NULL, NULL, 1000) FROM stays'), count(DISTINCT room), 'on disk') FROM public.stays WHERE person IS NOT NULL;
RESET dp_noise.work_mem;
TRUNCATE public.stays;
INSERT INTO public.stays (person, room) SELECT 1, i FROM generate_series(1, 20000) AS i;
SELECT is(t.number('SELECT dp_count_distinct(room, NULL, NULL, 100000) FROM stays'), 16384::bigint, 'of one person no more than so many are kept here, too');
SELECT throws_ok('SELECT dp_noise.unit_and_value(1, 2::bigint)', '0A000');

------------------------------------------------------------------------------
-- Equal values are one, whatever they look like

CREATE TABLE t.kinds (type text, looks text[], different integer);
INSERT INTO t.kinds VALUES
	('numeric', '{1,1.0,1.00,10e-1,2,-0,0,0.00,NaN,nan,Infinity,inf,-inf}', 6),
	('numeric', '{123456789012345678901234567890,123456789012345678901234567890.000,123456789012345678901234567891,1e-30,0.0000000000000000000000000000010}', 3),
	('numeric(10,2)', '{1,1.001,1.01}', 2),
	('float8', '{0,-0,NaN,nan,1,1.0,Infinity}', 4),
	('float4', '{0,-0,0.1,0.10000000149,1e-45}', 3),
	('text', '{a,A,"a ",a,"",ä,a longer text than is kept,a longer text than is kept,a longer text than is kepT,fifteen bytes!!,sixteen bytes!!!}', 9),
	('varchar', '{a,a,b}', 2),
	('character(5)', '{a,"a  ",b,"",""}', 3),
	('name', '{a,b,a}', 2),
	('"char"', '{a,b,a}', 2),
	('bytea', '{"\\\\x00","\\\\x0000","","\\\\x00"}', 3),
	('boolean', '{t,f,true}', 2),
	('smallint', '{-1,1,-1}', 2),
	('integer', '{-1,1,2147483647,-2147483648}', 4),
	('bigint', '{-1,4294967295,4294967296,-1,9223372036854775807}', 4),
	('oid', '{1,4294967295,1}', 2),
	('date', '{2024-01-01,20240101,infinity,-infinity}', 3),
	('time', '{10:00,10:00:00.000,10:00:00.000001}', 2),
	('timetz', '{10:00+00,10:00+00,12:00+02}', 2),
	('timestamp', '{2024-01-01 00:00,2024-01-01,infinity}', 2),
	('timestamptz', '{2024-01-01 00:00+00,2024-01-01 02:00+02}', 1),
	('interval', '{1 mon,30 days,720:00,1 year,12 mon,-1 mon,-30 days,1 day,00:00,178000000 years}', 6),
	('uuid', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,A0EEBC999C0B4EF8BB6D6BB9BD380A11,00000000-0000-0000-0000-000000000000}', 2),
	('inet', '{10.0.0.1,10.0.0.1/32,10.0.0.1/8,::1,2001:db8:1:2:3:4:5:6,2001:db8:1:2:3:4:5:7}', 5),
	('cidr', '{10.0.0.0/8,10/8,10.0.0.0/9}', 2),
	('macaddr', '{08:00:2b:01:02:03,08002b010203}', 1),
	('macaddr8', '{08:00:2b:01:02:03:04:05,08002b0102030406}', 2),
	('bit(3)', '{101,100,101}', 2),
	('bit varying', '{101,1010,101}', 2),
	('public.mood', '{sad,ok,sad}', 2),
	('public.years', '{1,2,1}', 2);
CREATE FUNCTION t.kinds(type text, looks text[], OUT by_server bigint, OUT of_units bigint, OUT of_rows bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SET ROLE gate_owner; CREATE TABLE public.looks (person integer, id serial, v %s)', type);
	EXECUTE 'INSERT INTO public.looks (person, v) SELECT i, x::text::' || type || ' FROM unnest($1) WITH ORDINALITY AS u (x, i)' USING looks;
	EXECUTE 'SELECT count(DISTINCT v) FROM public.looks' INTO by_server;
	RESET ROLE;
	PERFORM dp_noise.protect('public.looks', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
	of_units := t.number('SELECT dp_count_distinct(v) FROM looks');
	EXECUTE 'SELECT dp_noise.count_distinct_of_rows(v, 100000, NULL, 0, false, false) FROM public.looks' INTO of_rows;
	DROP TABLE public.looks;
END
$$;
SET client_min_messages = error;
SELECT is((k.by_server, k.of_units, k.of_rows)::text, (different, different, different)::text, 'values of type ' || type) FROM t.kinds AS t, t.kinds(t.type, t.looks) AS k;
SET client_min_messages = warning;
SELECT alike(t.run('gate_ann', format('SELECT dp_count_distinct(%s) FROM patients', c)), '0A000: %', 'refused: ' || c) FROM unnest('{visits,notes,patients,"(age, id)"}'::text[]) AS c;
SELECT alike(t.run('gate_ann', format('SELECT %s FROM stays', c)), s || ': %', 'refused: ' || c)
FROM (VALUES ('dp_count_distinct(place, NULL, NULL, 0)', '22023'), ('dp_count_distinct(place, NULL, NULL, -1)', '22023'), ('dp_count_distinct(place, NULL, NULL, room)', '0A000'),
	('dp_count_distinct(place, 1, ''exponential'')', '0A000'), ('dp_count_distinct(place, 0)', '22023'), ('dp_count_distinct(place, NULL)', '22004'), ('dp_count_distinct(person, NULL, NULL, 3)', '0A000'),
	('dp_count(DISTINCT place)', '0A000')) AS v (c, s);

------------------------------------------------------------------------------
-- Nothing of people decides how the server gets there

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT is(array_agg(DISTINCT x), ARRAY[t.number('SELECT dp_count_distinct(place) FROM stays')], 'the same with workers')
FROM generate_series(0, 4, 2) AS w, set_config('max_parallel_workers_per_gather', w::text, false), LATERAL (SELECT t.number(left('SELECT dp_count_distinct(place) FROM stays', 100 + w)) AS x) AS l;
SET enable_hashagg = off;
SELECT is(t.number('SELECT dp_count_distinct(place) FROM stays'), min("is"), 'sorted') FROM (SELECT t.number('SELECT dp_count_distinct(place, NULL, NULL, 2) FROM stays') AS "is") AS s;
RESET enable_hashagg;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- More than there is memory for.
SET ROLE gate_owner;
CREATE TABLE public.many (person integer, x integer, long text);
SELECT dp_noise.protect('public.many', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.many', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.many', 1e12, delta => 1);
RESET ROLE;
INSERT INTO public.many SELECT p, CASE WHEN i = 1 THEN p % 1000 ELSE p * 7 % 9973 * i END, 'a text that is long: ' || p % 3001 FROM generate_series(1, 20000) AS p, generate_series(1, 5) AS i;
ANALYZE public.many;
CREATE TABLE t.memory AS SELECT dp_noise.true_states('SELECT dp_count_distinct(x), dp_count_distinct(long), dp_count_distinct(x, NULL, NULL, 1) FROM many') AS s;
SET dp_noise.work_mem = '1MB';
SELECT is(dp_noise.true_states('SELECT dp_count_distinct(x), dp_count_distinct(long), dp_count_distinct(x, NULL, NULL, 1) FROM many'), s, 'within 1 MB') FROM t.memory;
SET work_mem = '64kB';
SELECT is(dp_noise.true_states('SELECT dp_count_distinct(x), dp_count_distinct(long), dp_count_distinct(x, NULL, NULL, 1) FROM many'), s, 'within 64 kB') FROM t.memory;
SELECT set_eq('SELECT s[1:2] FROM dp_noise.true_states(''SELECT person % 10 AS k, dp_count_distinct(x) FROM many GROUP BY person % 10'') AS s',
	'SELECT ARRAY[k::text, (dp_noise.true_states(format(''SELECT dp_count_distinct(x) FROM many WHERE person %% 10 = %s'', k)))[1]] FROM generate_series(0, 9) AS k', 'groups that go to a file together');
RESET work_mem;
RESET dp_noise.work_mem;
SELECT is(s[2], '3001', 'long texts') FROM t.memory;

------------------------------------------------------------------------------
-- What it costs, what EXPLAIN says, what is asked once

SELECT is((t.explained(q, 'Sensitivity'), t.explained(q, 'Bounded'), t.explained(q, 'Aggregate'))::text, ('2', 'at most 2 values of a unit count, chosen so that as many as possible do', 'dp_count_distinct')::text, 'explained: ' || q)
FROM unnest('{SELECT dp_count_distinct(place) FROM stays,SELECT count(DISTINCT place) FROM stays}'::text[]) AS q;
SELECT is(t.explained('SELECT dp_count_distinct(place, 0.5, NULL, 7) FROM stays', 'Sensitivity'), '7', 'with a cap of its own');
SELECT is(t.explained('SELECT dp_count_distinct(place, NULL, ''laplace'', 7) FROM stays', 'Mechanism'), 'laplace', 'by a mechanism of its own');
SELECT is(t.explained('SELECT count(DISTINCT place) FROM stays', 'Written As'), 'count', 'written as the server''s');
SELECT is(t.explained('SELECT dp_count_distinct(person) FROM stays', 'Sensitivity'), '1', 'units count once');
SELECT is(t.explained('SELECT dp_count_distinct(city) FROM patients', 'Sensitivity'), '1', 'a row has one value');
SELECT is(t.run('gate_ann', 'SELECT dp_high(dp_count_distinct(place, NULL, NULL, 7)) - dp_low(dp_count_distinct(place, NULL, NULL, 7)) FROM stays')::numeric,
	2 * t.explained('SELECT dp_count_distinct(place, NULL, NULL, 7) FROM stays', 'Expected Error (95%)')::numeric, 'with an interval of its noise');
SELECT is(t.run('gate_ann', 'SELECT dp_count_distinct(city, 10000) FROM patients'), '10', 'of which there are ten');
SELECT is(t.run('gate_ann', 'SELECT dp_count_distinct(city, 10000, NULL, 3) FROM patients'), '10', 'whatever the cap');
SELECT is(count(DISTINCT f), 1::bigint, 'one question: dp_ and built-in, whatever epsilon, mechanism and cap')
FROM unnest('{SELECT dp_count_distinct(place) FROM stays,SELECT count(DISTINCT place) FROM stays,"SELECT dp_count_distinct(place, 0.5, ''laplace'') FROM stays","SELECT dp_count_distinct(s.place, NULL, NULL, 7) FROM stays AS s"}'::text[]) AS q,
	t.explained(q, 'Question') AS f;
SELECT is(count(DISTINCT f), 5::bigint, 'others: another column, rows, units, a count')
FROM unnest('{SELECT dp_count_distinct(place) FROM stays,SELECT dp_count_distinct(day) FROM stays,SELECT dp_count(place) FROM stays,SELECT dp_count_distinct(place) FROM stays WHERE often,SELECT dp_count_distinct(person) FROM stays}'::text[]) AS q,
	t.explained(q, 'Question') AS f;
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.stays', on_repeat => 'replay'), dp_noise.set_budget('gate_bob', 'public.stays', 100);
RESET ROLE;
SELECT is(t.run('gate_bob', 'SELECT count(DISTINCT day) FROM stays'), t.run('gate_bob', 'SELECT dp_count_distinct(day, 7) FROM stays'), 'and one answer, replayed');
SELECT is(t.run('gate_bob', 'SELECT spent FROM dp_budget WHERE population = ''public.stays''')::numeric, 1::numeric, 'for one price');

-- It decides no groups of private keys: a place may be there with one person.
INSERT INTO public.stays (person, place, room) SELECT 2000, 'alone' || i, 77 FROM generate_series(1, 5000) AS i;
SET SESSION AUTHORIZATION gate_ann;
SET dp_noise.delta = 1e-6;
SET dp_noise.epsilon = 1;
SELECT is((SELECT count(*) FROM (SELECT room, dp_count_distinct(place, NULL, NULL, 5000) AS n FROM stays GROUP BY room) AS g WHERE room = 77), 0::bigint, 'a group of one person with many values is left out');
SELECT is((SELECT count(*) FROM (SELECT room, dp_count_distinct(place, NULL, NULL, 5000) AS n FROM stays GROUP BY room) AS g WHERE room = 4) BETWEEN 0 AND 1, true, 'others may be there');
RESET SESSION AUTHORIZATION;

-- The states are made by the extension alone.
SELECT throws_ok(q, s, NULL, q) FROM (VALUES
	('SELECT ''{}''::dp_noise.distinct_state', '0A000'),
	('SELECT dp_noise.distinct_combine(s, s) FROM (SELECT dp_noise.different_values(1) AS s) AS x', '0A000'),
	('SELECT dp_noise.different_values_transition(NULL, 1)', '0A000'),
	('SELECT dp_noise.different_values(ARRAY[1])', '0A000'),
	('SELECT dp_noise.different_values(i) OVER () FROM generate_series(1, 2) AS i', '0A000')) AS v (q, s);
CREATE AGGREGATE t.doubled(dp_noise.distinct_state) (SFUNC = dp_noise.distinct_combine, STYPE = dp_noise.distinct_state);
SELECT throws_ok('SELECT t.doubled(s) FROM (SELECT dp_noise.different_values(i) AS s FROM generate_series(1, 4) AS i GROUP BY i % 2) AS x', '0A000', NULL, 'and combined by it');

DROP TABLE public.stays, public.many;
SELECT * FROM finish();
\ir support/gate_end.sql
