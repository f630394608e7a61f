-- dp_low and dp_high: what they cover, aggregate by aggregate; that they cost
-- nothing and draw nothing; replays; groups that are shown for their count; what is refused.
-- Coverage is counted: 430 groups at level 0.8 are covered 288 times or more, 400 of
-- them 266 times, but with a probability below 1e-10.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.readings (
	id integer PRIMARY KEY, g integer NOT NULL, x integer NOT NULL, f double precision NOT NULL, n numeric NOT NULL, r real NOT NULL,
	d date NOT NULL, v interval NOT NULL, private text NOT NULL
);
INSERT INTO public.readings
SELECT i, 1 + i % 400, (i * 7919) % 61, ((i * 104729) % 1000) / 97.0, ((i * 31) % 1000) / 89.0, ((i * 17) % 1000) / 83.0,
	date '2020-01-01' + (i * 13) % 300, ((i * 11) % 500) * interval '1 minute', 'p' || i % 300
FROM generate_series(1, 4000) AS i;
SELECT dp_noise.protect('public.readings', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.readings', 'g', ARRAY(SELECT generate_series(1, 430)::text));
SELECT dp_noise.set_bounds('public.readings', c, 0, 50) FROM unnest('{x,f,n,r}'::text[]) AS c;
SELECT dp_noise.set_bounds('public.readings', 'd', date '2020-01-01', date '2020-12-31');
SELECT dp_noise.set_bounds('public.readings', 'v', interval '0', interval '10 hours');
SELECT dp_noise.alter_population('public.readings', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.readings', 1000000, delta => 1);
SELECT dp_noise.set_budget('gate_bob', 'public.readings', 1000000, delta => 1);
CREATE TABLE public.truth AS SELECT g, 'count(*)'::text AS what, count(r.id)::numeric AS value
FROM generate_series(1, 430) AS g LEFT JOIN public.readings AS r USING (g) GROUP BY g;
RESET ROLE;
CREATE TABLE t.answers (what text, g integer, answer text, low text, high text);
GRANT INSERT, SELECT ON t.answers TO PUBLIC;

-- Asks for an aggregate with its interval in all groups, and says how many have
-- the truth; a group without a truth must show the whole range, or it is not covered.
CREATE FUNCTION t.covered(aggregate text, truth text, whole text[] DEFAULT NULL, level text DEFAULT '0.8', OUT known bigint, OUT covered bigint, OUT ordered boolean, OUT error text)
LANGUAGE plpgsql AS $$
DECLARE
	type text;
BEGIN
	error := t.run('gate_ann', format('INSERT INTO t.answers SELECT %1$L, g, (%1$s)::text, dp_low(%1$s, %2$s)::text, dp_high(%1$s, %2$s)::text FROM readings GROUP BY g', aggregate, level));
	EXECUTE format('SELECT pg_typeof(%s) FROM readings', truth) INTO type;
	EXECUTE format($q$
		SELECT count(*) FILTER (WHERE a.low IS NOT NULL),
			count(*) FILTER (WHERE coalesce(w.value BETWEEN a.low::%2$s AND a.high::%2$s, a.low::%2$s <= %3$L::%2$s AND a.high::%2$s >= %4$L::%2$s)),
			bool_and(a.low::%2$s <= a.answer::%2$s AND a.answer::%2$s <= a.high::%2$s)
		FROM t.answers AS a LEFT JOIN (SELECT g, %1$s AS value FROM readings GROUP BY g) AS w USING (g)
		WHERE a.what = %5$L $q$, truth, type, whole[1], whole[2], aggregate) INTO known, covered, ordered;
END
$$;
CREATE FUNCTION t.covers(aggregate text, truth text, whole text[] DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT ok(error IS NULL AND known = 430 AND covered >= 288 AND ordered, format('%s: %s of 430 groups covered %s', aggregate, covered, error)) FROM t.covered(aggregate, truth, whole)
$$;
CREATE FUNCTION t.clamped(what text) RETURNS text LANGUAGE sql AS $$ SELECT format('greatest(least(%s, 50), 0)', what) $$;

SELECT t.covers('count(*)', 'count(*)', '{0,0}');
SELECT t.covers('dp_count(x, 1, ''truncated_geometric'')', 'count(*)', '{0,0}');
SELECT t.covers('dp_count(x, 1, ''gaussian(delta=1e-6)'')', 'count(*)', '{0,0}');
SELECT t.covers('dp_count(x, 1, ''geometric(quantum=5)'')', 'count(*)', '{0,0}');
SELECT t.covers('dp_count(x, 0.1)', 'count(*)', '{0,0}');
SELECT t.covers('sum(x)', format('sum(%s)', t.clamped('x')), '{0,0}');
SELECT t.covers('sum(f)', format('sum(%s)', t.clamped('f')), '{0,0}');
SELECT t.covers('sum(n)', format('sum(%s)', t.clamped('n')), '{0,0}');
SELECT t.covers('sum(r)', format('sum(%s)', t.clamped('r')), '{0,0}');
SELECT t.covers('sum(v)', 'sum(v)', '{0,0}');
SELECT t.covers('dp_sum(x, 0, 50, 1, ''laplace'')', format('sum(%s)', t.clamped('x')), '{0,0}');
SELECT t.covers('dp_sum(n, 0, 50, 1, ''gaussian(delta=1e-6)'')', format('sum(%s)', t.clamped('n')), '{0,0}');
SELECT t.covers('dp_sum(f, 0, 50, 1, ''truncated_staircase'')', format('sum(%s)', t.clamped('f')), '{0,0}');
SELECT t.covers('avg(x)', format('avg(%s)', t.clamped('x')), '{0,50}');
SELECT t.covers('avg(f)', format('avg(%s)', t.clamped('f')), '{0,50}');
SELECT t.covers('avg(n)', format('avg(%s)', t.clamped('n')), '{0,50}');
SELECT t.covers('avg(r)', format('avg(%s)', t.clamped('r')), '{0,50}');
SELECT t.covers('avg(v)', 'avg(v)', '{0,10 hours}');
SELECT t.covers('dp_mean(x, 0, 50, 5, ''staircase'')', format('avg(%s)', t.clamped('x')), '{0,50}');
SELECT t.covers('dp_mean(x, 0, 50, 1, ''gaussian(delta=1e-6)'')', format('avg(%s)', t.clamped('x')), '{0,50}');
SELECT t.covers('dp_mean(x, 0, 50, 4, ''two_stage(levels=11)'')', format('avg(%s)', t.clamped('x')), '{25,25}');
SELECT t.covers('variance(x)', format('variance(%s)', t.clamped('x')), '{0,1249}');
SELECT t.covers('variance(n)', format('variance(%s)', t.clamped('n')), '{0,1249}');
SELECT t.covers('stddev(f)', format('stddev(%s)', t.clamped('f')), '{0,35.3}');
SELECT t.covers('var_pop(f)', format('var_pop(%s)', t.clamped('f')), '{0,625}');
SELECT t.covers('stddev_pop(f)', format('stddev_pop(%s)', t.clamped('f')), '{0,25}');
SELECT t.covers('dp_variance(x, 0, 50, 20)', format('variance(%s)', t.clamped('x')), '{0,1249}');
SELECT t.covers('dp_max(x, 0, 50, 2, ''laplace'')', format('max(%s)', t.clamped('x')), '{0,0}');
SELECT t.covers('dp_min(f, 0, 50, 2, ''staircase'')', format('min(%s)', t.clamped('f')), '{50,50}');
SELECT t.covers('dp_max(d, ''2020-01-01'', ''2020-12-31'', 2, ''laplace'')', 'max(d)', '{2020-01-01,2020-01-01}');

-- a maximum by above_threshold has a low end, a minimum a high one
SELECT t.covers('max(x)', format('max(%s)', t.clamped('x')), '{0,0}');
SELECT t.covers('dp_max(x, 0, 50, 0.1)', format('max(%s)', t.clamped('x')), '{0,0}');
SELECT t.covers('dp_max(x, 0, 50, 6)', format('max(%s)', t.clamped('x')), '{0,0}');
SELECT t.covers('min(f)', format('min(%s)', t.clamped('f')), '{50,50}');
SELECT t.covers('dp_min(n, 0, 50, 3)', format('min(%s)', t.clamped('n')), '{50,50}');
SELECT t.covers('dp_max(r, 0, 50, 8)', format('max(%s)', t.clamped('r')), '{0,0}');
SELECT t.covers('dp_max(d, ''2020-01-01'', ''2020-12-31'', 2)', 'max(d)', '{2020-01-01,2020-01-01}');
SELECT t.covers('min(v)', 'min(v)', '{10 hours,10 hours}');

-- they are no wider than they must be
SELECT is(t.run('gate_ann', format('SELECT dp_high(%1$s, %2$s) - %1$s || '' '' || %1$s - dp_low(%1$s, %2$s) FROM readings', a, level)), expected, format('%s at %s', a, level))
FROM (VALUES ('count(*)', '0.9', '2 2'), ('count(*)', '0.95', '3 3'), ('count(*)', '0.99', '4 4'), ('dp_count(x, 0.1)', '0.95', '30 30'), ('dp_count(x, 5)', '0.95', '0 0'),
	('dp_count(x, 1, ''geometric(quantum=5)'')', '0.95', '17 17'), ('dp_sum(x, 0, 7, 1, ''laplace'')', '0.99', '32 32')) AS v (a, level, expected);
SELECT is(t.run('gate_ann', 'SELECT dp_high(count(*)) - count(*) FROM readings'), '3', 'at 0.95 if nothing is said');
SELECT is(t.run('gate_ann', 'SELECT dp_max(x, 0, 1000) - dp_low(dp_max(x, 0, 1000)) || '' '' || dp_high(dp_max(x, 0, 1000)) FROM readings'), '49 1000', 'five steps, and the bound');
SELECT is(t.run('gate_ann', 'SELECT dp_low(dp_min(x, -500, 50, 8)) || '' '' || dp_high(dp_min(x, -500, 50, 8)) - dp_min(x, -500, 50, 8) FROM readings'), '-500 0', 'of a minimum mirrored');
SELECT cmp_ok(t.run('gate_ann', 'SELECT dp_high(avg(x), 0.95) - dp_low(avg(x), 0.95) FROM readings')::numeric, '<', 0.1::numeric, 'means of many rows are known well');

-- null where there is none
SELECT is(t.run('gate_ann', format('SELECT coalesce(dp_low(%1$s)::text, ''null'') || '' '' || coalesce(dp_high(%1$s)::text, ''null'') FROM readings', a)), 'null null', 'none of ' || a)
FROM unnest(ARRAY['dp_max(x, 0, 50, 1, ''exponential'')', 'dp_min(private, ARRAY[''a'', ''p1''])', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)', 'percentile_disc(ARRAY[0.1, 0.5]) WITHIN GROUP (ORDER BY n)', 'dp_median(f, 0, 50, 1, ''smooth_cauchy'')',
	'dp_median_exp(x)', 'dp_quantiles_exp(x, ARRAY[0.1, 0.9])', 'dp_mode(g, ARRAY[1, 2])', 'dp_bounds(f)', 'dp_max(x, 0, 50, 1, ''two_stage'')']) AS a;

-- EXPLAIN has a number for most
SELECT is(t.explained(format('SELECT %s FROM readings', a), 'Expected Error (95%)'), expected, 'EXPLAIN of ' || a) FROM (VALUES
	('count(*)', '3'), ('avg(x)', '151 / number of rows'), ('dp_mean(x, 0, 50, 0.1)', '1.5e+03 / number of rows'), ('variance(x)', '7.81e+03 / number of rows'), ('stddev(x)', 'root of (7.81e+03 / number of rows)'),
	('percentile_disc(0.5) WITHIN GROUP (ORDER BY x)', '7 ranks'), ('dp_quantiles_exp(f, ARRAY[0.1, 0.5, 0.9])', '256 ranks'), ('max(x)', '14 ranks'), ('dp_min(x, 0, 1000)', '16 ranks, in steps of 10'), ('dp_max(f, 0, 50, 8)', '2 ranks, in steps of 0.0625'), ('dp_max(d)', '16 ranks, in steps of 3.65 days'), ('max(v)', '16 ranks, in steps of 00:06:00'), ('dp_max(f, 0, 50, 1, ''exponential'')', '72 ranks'),
	('dp_mode(g, ARRAY[1, 2, 3])', '5 rows'), ('dp_bounds(f)', '22 rows'), ('dp_median(f, 0, 50, 1, ''smooth_cauchy'')', 'depends on the data')) AS v (a, expected);

------------------------------------------------------------------------------
-- nothing is asked for them

SELECT t.accept('SELECT count(*), dp_low(count(*)), dp_high(count(*), 0.9), dp_low(dp_count(*), 0.5) FROM readings');
SELECT t.accept('SELECT dp_low(avg(x)) FROM readings');
SELECT t.accept('SELECT g FROM readings GROUP BY g HAVING dp_low(count(*)) > 5 ORDER BY dp_high(count(*), 0.99) DESC');
SELECT t.accept('SELECT CASE WHEN dp_low(sum(x)) > 5 THEN dp_high(avg(x)) END, rank() OVER (ORDER BY dp_low(count(*))) FROM readings GROUP BY g', 3);
SELECT t.accept('SELECT * FROM (SELECT g, count(*) AS n, dp_low(count(*)) AS low FROM readings GROUP BY g) AS s WHERE low > 3');
SELECT t.accept('SELECT dp_low(count(*), level => 0.9), dp_high(level => 0.9, aggregate => count(*)) FROM readings');
SELECT t.accept('SELECT dp_low(count(*) FILTER (WHERE x > 3)) FROM readings');
SELECT t.accept('SELECT g, dp_low(count(*)) FROM readings GROUP BY ROLLUP (g)');
SELECT t.accept('SELECT (SELECT dp_low(count(*)) FROM readings), dp_high(count(*)) FROM patients', 2);
SELECT is(t.explained('SELECT count(*), dp_low(count(*)) FROM readings', 'Question'), t.explained('SELECT count(*) FROM readings', 'Question'), 'the same question');
SELECT is(t.run('gate_ann', 'SELECT count(DISTINCT low) FROM (SELECT count(*) AS low FROM readings) AS s, generate_series(1, 5)'), '1', 'rescanned');

-- replays: the same answer, the same interval, though epsilon is another
SELECT dp_noise.alter_population('public.readings', on_repeat => 'replay') \g /dev/null
CREATE FUNCTION t.told(query text, setting text DEFAULT '1') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('dp_noise.epsilon', setting, false);
	result := t.run('gate_bob', query);
	RESET dp_noise.epsilon;
	RETURN result;
END
$$;
CREATE TABLE t.first (what text, told text, interval_told text);
INSERT INTO t.first (what, told) SELECT a, t.told(format('SELECT %s::text FROM readings', a)) FROM unnest('{count(*),sum(f),avg(n),avg(f),variance(x),stddev(n),max(f),min(x)}'::text[]) AS a;
UPDATE t.first SET interval_told = t.told(format('SELECT concat_ws('' '', %1$s, dp_low(%1$s), dp_high(%1$s)) FROM readings', what), '100');
SELECT ok(interval_told LIKE told || ' %', what || ' is replayed with its interval: ' || interval_told) FROM t.first;
SELECT is(t.told(format('SELECT concat_ws('' '', dp_%1$s, dp_low(dp_%1$s), dp_high(dp_%1$s)) FROM readings', replace(replace(what, 'avg', 'mean'), 'count(*)', 'count(*)')), '0.01'), interval_told, what || ' again') FROM t.first;
SELECT is(split_part(interval_told, ' ', 3)::bigint - split_part(interval_told, ' ', 1)::bigint, 3::bigint, 'as wide as it was drawn') FROM t.first WHERE what = 'count(*)';
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE role = 'gate_bob'), 8::bigint, 'charged once each');
SELECT is(t.told('SELECT md5(string_agg(concat_ws('' '', g, count, low), '','' ORDER BY g)) FROM (SELECT g, count(*), dp_low(avg(x)) AS low FROM readings GROUP BY g) AS s'),
	t.told('SELECT md5(string_agg(concat_ws('' '', g, count, low), '','' ORDER BY g)) FROM (SELECT g, count(*), dp_low(avg(x)) AS low FROM readings GROUP BY g) AS s', '3'), 'groups too');

-- the type that is asked of may differ from that of the stored answer
SELECT matches(t.told('SELECT dp_low(avg(x::real)) FROM readings WHERE x > 2'), '^[0-9.]+$', 'asked of real');

-- but not where the law of the noise would be read as that of another type
CREATE TABLE t.typed AS SELECT name, first, other, format('FROM readings WHERE id > -%s', row_number() OVER ()) AS rows
FROM unnest('{sum,max,min}'::text[]) AS name, unnest('{integer,bigint,real,double precision,numeric}'::text[]) AS first, unnest('{smallint,integer,bigint,real,double precision,numeric}'::text[]) AS other;
SELECT ok(t.told(format('SELECT dp_%s(x::%s, 0, 100, 0.5, ''geometric(quantum=100)'') %s', name, first, rows)) ~ '^-?[0-9.]+$'
	AND t.told(format('SELECT dp_low(%1$s) <= %1$s AND %1$s <= dp_high(%1$s) AND dp_low(%1$s) < dp_high(%1$s) %2$s', format('dp_%s(x::%s, 0, 100)', name, other), rows)) = 'true', format('dp_%s over %s, and then over %s', name, first, other)) FROM t.typed;

-- nor are keys those of another type: 0.1 as real is not 0.1 as double precision
SET dp_noise.delta = 1e-6;
SELECT is(t.told(format('SELECT string_agg(k::text, '' '' ORDER BY k) FROM (SELECT %s AS k, count(*) AS n FROM readings GROUP BY 1) AS s', key)), keys, 'keys ' || key)
FROM (VALUES ('CASE WHEN x > 30 THEN 0.1::real ELSE 0.3::real END', '0.1 0.3'),
	('(CASE WHEN x > 30 THEN 0.1::real ELSE 0.3::real END)::double precision', '0.10000000149011612 0.30000001192092896')) AS v (key, keys);
RESET dp_noise.delta;

-- what is stored is checked when it is read: a law that no such answer has
SELECT ok(t.told('SELECT dp_sum(x, 0, 99) FROM readings') ~ '^-?[0-9]+$', 'an answer');
CREATE TABLE t.kept AS SELECT question, answer FROM dp_noise_ledger.answer WHERE answer IS NOT NULL ORDER BY at DESC LIMIT 1;
CREATE FUNCTION t.read_again() RETURNS text LANGUAGE sql AS $$SELECT t.told('SELECT dp_low(dp_sum(x, 0, 99)) < dp_sum(x, 0, 99) FROM readings')$$;
SELECT is(t.read_again(), 'true', 'which is read');
SELECT format('UPDATE dp_noise_ledger.answer AS e SET answer = %s FROM t.kept AS k WHERE e.question = k.question', change), format('SELECT is(t.read_again(), %L, %L)', said, change)
FROM (VALUES ('substr(k.answer, 1, 40)'), -- cut
	('set_byte(k.answer, 7, 99)'), ('set_byte(k.answer, 7, 4)'), -- another kind
	('set_byte(k.answer, 15, 200)'), -- no mechanism
	('overlay(k.answer PLACING ''\xffffffffffffffdf'' FROM 17)'), ('overlay(k.answer PLACING ''\x0000000000004000'' FROM 17)'), ('overlay(k.answer PLACING ''\x0000000100000000'' FROM 17)'), -- its steps
	('set_byte(k.answer, 31, 3)'), ('set_byte(k.answer, 47, 1)'), -- whether it has a least value, and a threshold
	('overlay(k.answer PLACING ''\x0000000000000000'' FROM 49)')) AS c (change), -- no quantum
	(VALUES ('XX001: a stored law of a private answer is damaged')) AS e (said)
UNION ALL VALUES ('UPDATE dp_noise_ledger.answer AS e SET answer = set_byte(k.answer, 160 + 4, 255) FROM t.kept AS k WHERE e.question = k.question',
	'SELECT is(t.read_again(), ''0A000: the stored answer to this question about "readings" is of another type'', ''a text in no encoding'')'),
	('UPDATE dp_noise_ledger.answer AS e SET answer = k.answer FROM t.kept AS k WHERE e.question = k.question', 'SELECT is(t.read_again(), ''true'', ''as it was'')')
\gexec

-- prepared, with a level that is a parameter
SELECT is(t.run('gate_ann', 'DO $d$ DECLARE mode text; level float8; d bigint; BEGIN
	FOREACH mode IN ARRAY ''{force_custom_plan,force_generic_plan}''::text[] LOOP
		PERFORM set_config(''plan_cache_mode'', mode, true);
		FOREACH level IN ARRAY ''{0.9,0.99}''::float8[] LOOP
			EXECUTE ''SELECT dp_high(count(*), $1) - count(*) FROM readings'' INTO d USING level;
			IF d <> (ARRAY[2, 4])[1 + (level > 0.95)::integer] THEN RAISE ''% % %'', mode, level, d; END IF;
		END LOOP;
	END LOOP; END $d$'), NULL, 'levels as parameters');
SELECT is(t.run('gate_ann', 'PREPARE leveled(float8) AS SELECT dp_high(count(*), $1) - count(*) FROM readings'), NULL, 'prepared');
SELECT is(t.run('gate_ann', 'EXECUTE leveled(0.9)'), '2', 'and executed');
SELECT t.refuse('22023', format('EXECUTE leveled(%s)', level)) FROM unnest('{0,1,2,-1,"NULL",''NaN''}'::text[]) AS level;

------------------------------------------------------------------------------
-- groups that are shown for their count: what is covered of those that are

-- Of n groups that are shown at least n (0.9 - d) are covered but with a
-- probability of exp(-2 n d^2) (Hoeffding), 1e-10 here. All have 13 or 14 rows, and the
-- threshold is 15: without the condition about three in four would be.
CREATE FUNCTION t.shown(aggregate text, mechanism text, OUT shown bigint, OUT covered bigint, OUT naive bigint, OUT error text) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 25 LOOP
		error := coalesce(error, t.run('gate_ann', format($q$
			INSERT INTO t.answers SELECT %L, replace(private, 'p', '')::integer, n::text, low::text, high::text
			FROM (SELECT private, %2$s AS n, dp_low(%2$s, 0.9) AS low, dp_high(%2$s, 0.9) AS high FROM readings GROUP BY private) AS s $q$, mechanism, aggregate)));
	END LOOP;
	SELECT count(*), count(*) FILTER (WHERE r.n BETWEEN low::bigint AND high::bigint), count(*) FILTER (WHERE abs(r.n - answer::bigint) <= 2) INTO shown, covered, naive
	FROM t.answers AS a JOIN (SELECT private, count(*) AS n FROM public.readings GROUP BY private) AS r ON 'p' || a.g = r.private WHERE what = mechanism;
END
$$;
SET dp_noise.delta = 1e-6;
SELECT ok(error IS NULL AND shown > 100 AND covered >= shown * (0.9 - sqrt(11.6 / shown)) AND naive < covered, format('%s of %s shown groups are covered, %s by the plain law %s', covered, shown, naive, error))
FROM t.shown('count(*)', 'shown');
SELECT ok(error IS NULL AND bool_and(low::bigint >= 1 AND low::bigint <= answer::bigint AND answer::bigint <= high::bigint), 'one unit at least is in a group that is shown')
FROM t.answers, (SELECT NULL AS error) AS e WHERE what = 'shown' GROUP BY error;
SELECT is((SELECT string_agg(DISTINCT concat_ws(' ', answer, low, high), ', ') FROM t.answers WHERE what = 'shown' AND answer = '15'), '15 1 17', 'and so few as one, of a count at the threshold');
-- other answers about shown groups have noise of their own
SELECT is(t.run('gate_ann', 'SELECT DISTINCT dp_high(sum) - sum || '' '' || bool_and(high - n = 2) FROM (SELECT private, dp_count(x, 5) AS n, dp_high(dp_count(x, 5), 0.99) AS high, 1 AS sum FROM readings GROUP BY private) AS s GROUP BY sum'),
	'0A000: dp_high must stand beside the private aggregate that it is of', 'not of what is outside');

------------------------------------------------------------------------------
-- privacy levels: each has its own

SET ROLE gate_owner;
CREATE TABLE public.leveled (id integer PRIMARY KEY, x integer NOT NULL);
INSERT INTO public.leveled SELECT i, i % 10 FROM generate_series(1, 500) AS i;
SELECT dp_noise.protect('public.leveled', epsilon => 1e6, delta => 1), dp_noise.set_levels('public.leveled', '{2,0.1}'), dp_noise.set_bounds('public.leveled', 'x', 0, 9);
SELECT dp_noise.set_budget(role, 'public.leveled', 100) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS role;
RESET ROLE;
SET dp_noise.epsilon = 2;
SELECT is(t.run('gate_ann', 'SELECT dp_high(count(*)) - count(*) FROM leveled'), '1', 'at the high level');
SELECT is(t.run('gate_ann', 'SELECT dp_high(count(*)) - count(*) FROM leveled'), '1', 'replayed');
SET dp_noise.epsilon = 0.1;
SELECT is(t.run('gate_bob', 'SELECT dp_high(count(*)) - count(*) FROM leveled'), '30', 'at the low one, of the same chain');
SELECT is(t.run('gate_bob', 'SELECT dp_high(count(*)) - count(*) FROM leveled'), '30', 'replayed');
SELECT is(t.run('gate_bob', 'SELECT dp_high(sum(x)) > sum(x) + 200 FROM leveled'), 'true', 'sums');
RESET dp_noise.epsilon;

------------------------------------------------------------------------------
-- units of several rows, by caps; neighbours; zcdp

SET ROLE gate_owner;
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer NOT NULL, ward integer NOT NULL, days integer NOT NULL);
INSERT INTO public.stays SELECT i, i / 3, i % 20, i % 14 FROM generate_series(3, 3002) AS i;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 3, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_bounds('public.stays', 'days', 0, 14), dp_noise.set_values('public.stays', 'ward', ARRAY(SELECT generate_series(0, 19)::text));
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stays', 1000000);
RESET ROLE;
CREATE FUNCTION t.covers_units(aggregate text, truth text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	error text;
	known bigint;
	hit bigint;
BEGIN
	FOR i IN 1 .. 20 LOOP
		error := coalesce(error, t.run('gate_ann', format('INSERT INTO t.answers SELECT %1$L, ward, (%2$s)::text, dp_low(%2$s, 0.8)::text, dp_high(%2$s, 0.8)::text FROM stays GROUP BY ward', 'units ' || aggregate, aggregate)));
	END LOOP;
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE w.value BETWEEN a.low::numeric AND a.high::numeric) FROM t.answers AS a JOIN (SELECT ward AS g, %s AS value FROM stays GROUP BY ward) AS w USING (g) WHERE a.what = %L',
		truth, 'units ' || aggregate) INTO known, hit;
	RETURN ok(error IS NULL AND known = 400 AND hit >= 266, format('units: %s: %s of %s covered %s', aggregate, hit, known, error));
END
$$;
SELECT t.covers_units('count(*)', 'count(*)');
SELECT t.covers_units('count(DISTINCT person)', 'count(DISTINCT person)');
SELECT t.covers_units('sum(days)', 'sum(days)');
SELECT t.covers_units('avg(days)', 'avg(days)');
SELECT t.covers_units('variance(days)', 'variance(days)');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'public.stays', 1000, delta => 1e-6), dp_noise.alter_population('public.stays', delta => 1e-6, accountant => 'zcdp');
RESET ROLE;
SELECT matches(t.explained('SELECT count(*) FROM stays', 'Mechanism'), 'gaussian|geometric', 'by rho');
SELECT t.covers_units('sum(days) FILTER (WHERE days >= 0)', 'sum(days)');
SELECT t.covers_units('avg(days) FILTER (WHERE days >= 0)', 'avg(days)');

------------------------------------------------------------------------------
-- what is refused, before it is charged

SELECT t.refuse('22023', format('SELECT dp_low(count(*), %s) FROM readings', level)) FROM unnest('{0,1,1.5,-0.1,"NULL",''NaN'',''Infinity''}'::text[]) AS level;
SELECT t.refuse('0A000', q) FROM unnest(ARRAY[
	'SELECT g, dp_low(g) FROM readings GROUP BY g', 'SELECT dp_low(count(*) + 1) FROM readings', 'SELECT dp_low(avg(x)::integer) FROM readings', 'SELECT dp_low(dp_low(count(*))) FROM readings',
	'SELECT dp_low(n) FROM (SELECT count(*) AS n FROM readings) AS s', 'SELECT dp_low(max(n)) FROM (SELECT g, count(*) AS n FROM readings GROUP BY g) AS s',
	'SELECT count(*) FROM readings WHERE dp_low(x) > 3', 'SELECT count(*) FILTER (WHERE dp_high(x) > 3) FROM readings', 'SELECT sum(dp_low(x)) FROM readings', 'SELECT count(*) FROM readings GROUP BY dp_low(x)',
	'SELECT count(*), dp_low(1) FROM readings', 'SELECT dp_low(count(*), random()) FROM readings', 'SELECT dp_low(count(*), (SELECT 0.5::float8)) FROM readings',
	'SELECT dp_low(5)', 'SELECT dp_low(count(*)) FROM numbers', 'SELECT dp_high(dp_count(*)) FROM numbers']) AS q;
SELECT t.refuse('42803', 'SELECT g, dp_low(count(*), g / 1000.0) FROM readings') ;
SELECT t.refuse('0A000', 'SELECT g, dp_low(count(*), g / 1000.0::float8) FROM readings GROUP BY g');
SELECT throws_ok('SELECT dp_low(count(*)) FROM public.readings', '0A000', 'dp_low needs a private aggregate over a protected relation', 'exact answers of a superuser');
SELECT is(t.run('gate_owner', 'SELECT dp_low(count(*)) FROM readings'), '0A000: dp_low needs a private aggregate over a protected relation', 'and of the owner');
SELECT matches(t.run('gate_owner', 'SELECT dp_high(dp_count(*)) FROM readings'), '^[34]\d{3}$', 'who may ask for noise');
SELECT finish();
\ir support/gate_end.sql
