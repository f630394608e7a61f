-- Bounds of aggregated values that nobody declared or wrote: from conditions, public
-- rows, times and caps.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, born date NOT NULL, day date, admitted timestamp, discharged timestamp, at timestamptz, store integer, k integer, mo integer, mo2 integer NOT NULL, word text, code varchar(20), x numeric, free timestamp, f real, g double precision);
INSERT INTO public.visits SELECT i % 50, date '1950-01-01' + i, date '2024-01-01' + i % 31, '2024-01-01', '2024-01-02', '2024-01-01 Z', 1 + i % 8, 1 + i % 5, 1 + i % 12, 1 + i % 12, 'a', 'b', i FROM generate_series(1, 500) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', epsilon => 1e13, delta => 1, max_rows_per_unit => 50, max_groups_per_unit => 30);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e10, delta => 1), dp_noise.set_values('public.visits', 'word', '{a,b}');
SELECT dp_noise.set_bounds('public.visits', name, lower, upper) FROM (VALUES ('mo', '1', '12'), ('mo2', '1', '12'), ('born', '1920-01-01', '2024-01-01'), ('day', '2024-01-01', '2024-01-31'), ('admitted', '2024-01-01', '2024-01-31'), ('discharged', '2024-01-01', '2024-01-31'), ('at', '2024-01-01 Z', '2024-01-31 Z')) AS b (name, lower, upper);
CREATE TABLE public.stores (id integer PRIMARY KEY, name text, price numeric, rate integer, opened date, ratio float8);
INSERT INTO public.stores SELECT i, 'store' || i, i * 10, i, date '2020-01-01' + i, 'NaN' FROM generate_series(1, 12) AS i;
CREATE TABLE public.nothing (id integer PRIMARY KEY, v integer);
GRANT SELECT ON public.stores, public.nothing TO PUBLIC;
RESET ROLE;
SET "TimeZone" = 'UTC';

-- Derived bounds, or the hint.
SET dp_noise.choose_bounds = 0;
CREATE FUNCTION t.bounds(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	RETURN t.explained(query, 'Derived Bounds');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RESET SESSION AUTHORIZATION;
	RETURN replace(hint, ', or have bounds chosen: SET dp_noise.choose_bounds = 0.2', '');
END
$$;
SELECT is(t.bounds(format('SELECT avg(%s) FROM %s', value, source)), bounds, concat(value, ' of ', source)) FROM (VALUES
	-- conditions
	('k', 'visits WHERE k BETWEEN 1 AND 5', '1 .. 5'),
	('k * 2', 'visits WHERE k >= 1 AND k < 5', '2 .. 8'),
	('store', 'visits WHERE store IN (7, 2)', '2 .. 7'),
	('k', 'visits WHERE k > 1', 'Write dp_mean(value, lower, upper), or ask the owner for dp_noise.set_bounds(''visits'', ''k'', lower, upper).'),
	-- public rows, after the conditions on them
	('price', 'visits JOIN stores ON store = id', '10 .. 120'),
	('price', 'visits JOIN stores ON store = id WHERE rate <= 3', '10 .. 30'),
	('price * 2 + rate', 'visits JOIN stores ON store = id', '21 .. 252'),
	('mo * price', 'visits JOIN stores ON store = id', '10 .. 1440'),
	('rate', 'visits LEFT JOIN stores ON store = id', '1 .. 12'),
	('day - opened', 'visits JOIN stores ON store = id', '1449 .. 1490'),
	('v', 'visits JOIN nothing ON store = id', 'Write dp_mean(value, lower, upper).'),
	('ratio', 'visits JOIN stores ON store = id', 'Write dp_mean(value, lower, upper).'),
	('p', '(SELECT person, price * 2 AS p FROM visits JOIN stores ON store = id) AS q', '20 .. 240'),
	('p', '(SELECT person, price AS p FROM visits JOIN stores ON store = id UNION ALL SELECT person, mo2 - 7 FROM visits) AS q', '-6 .. 120'),
	-- CASE, and casts that round
	('CASE WHEN mo > 3 THEN mo ELSE 0 END', 'visits', '0 .. 12'),
	('(mo * 20)::numeric(4, -2)', 'visits', '0 .. 240'),
	('(mo * 15)::numeric(4, -2)', 'visits', '0 .. 200'),
	('(mo / 7.0)::numeric(4, 2)', 'visits', '0 .. 2'),
	-- dates and times
	('day - born', 'visits', '0 .. 38016'),
	('discharged - admitted', 'visits', '-30 days .. 30 days'),
	('discharged::date - admitted::date', 'visits', '-30 .. 30'),
	('extract(epoch FROM discharged - admitted) / 3600', 'visits', NULL),
	('extract(year FROM born)', 'visits', '1920 .. 2024'),
	('date_part(''year'', born)', 'visits', '1920 .. 2024'),
	('extract(month FROM born)', 'visits', '1 .. 12'),
	('extract(year FROM at)', 'visits', '2023 .. 2024'),
	('age(day, born)', 'visits', '-5 days .. 38021 days'),
	('extract(year FROM age(day, born))', 'visits', '0 .. 105'),
	('discharged - free', 'visits', 'Write dp_mean(value, lower, upper), or ask the owner for dp_noise.set_bounds(''visits'', ''free'', lower, upper).'),
	-- lengths
	('length(code)', 'visits', '0 .. 20'),
	('octet_length(code)', 'visits', '0 .. 80'),
	('length(word)', 'visits', 'Write dp_mean(value, lower, upper).'),
	-- what a unit's rows are counted and summed to
	('n', '(SELECT person, count(*) AS n FROM visits GROUP BY person) AS q', '0 .. 50'),
	('n', '(SELECT person, sum(mo) AS n FROM visits GROUP BY person) AS q', '1 .. 600'),
	('n', '(SELECT person, sum(mo - 3) AS n FROM visits GROUP BY person) AS q', '-100 .. 450'),
	('n', '(SELECT person, max(mo) AS n FROM visits GROUP BY person) AS q', '1 .. 12'),
	('n', '(SELECT person, avg(mo) AS n FROM visits GROUP BY person) AS q', '1 .. 12')) AS v (value, source, bounds)
WHERE bounds IS NOT NULL;
-- Conditions narrow what is known, by constants alone, and never to nothing or to more.
SELECT is(t.bounds(format('SELECT %s FROM %s', value, source)), bounds, concat(value, ' of ', source)) FROM (VALUES
	('avg(mo)', 'visits WHERE mo BETWEEN 3 AND 5', '3 .. 5'),
	('avg(mo)', 'visits WHERE 3 <= mo', '3 .. 12'),
	('avg(mo)', 'visits WHERE mo < 5', '1 .. 4'),
	('avg(mo)', 'visits WHERE mo < 5.5', '1 .. 5'),
	('avg(mo)', 'visits WHERE mo::double precision < 5', '1 .. 4'),
	('avg(mo)', 'visits WHERE mo::bigint <= 5', '1 .. 5'),
	('avg(mo)', 'visits WHERE mo BETWEEN 0 AND 500', NULL),
	('avg(mo)', 'visits WHERE mo > 200', NULL),
	('avg(mo)', 'visits WHERE mo > 5 AND mo < 4', NULL),
	('avg(mo)', 'visits WHERE mo > 5 AND mo < store', '6 .. 12'),
	('avg(mo)', 'visits WHERE mo = 5', '5 .. 5'),
	('avg(mo)', 'visits WHERE mo IN (2, 5, 9)', '2 .. 9'),
	('avg(mo)', 'visits WHERE mo = ANY (''{2,5,9}'')', '2 .. 9'),
	('avg(mo)', 'visits WHERE mo <= ALL (''{4,6}'')', '1 .. 4'),
	('avg(mo)', 'visits WHERE mo < ANY (ARRAY[4, 6])', '1 .. 5'),
	('avg(mo)', 'visits WHERE mo = 3 OR mo BETWEEN 5 AND 6', '3 .. 6'),
	('avg(mo)', 'visits WHERE mo = 3 OR store = 1', NULL),
	('avg(mo)', 'visits WHERE mo = 3 OR (mo > 4 AND mo < 2)', '3 .. 3'),
	('avg(mo)', 'visits WHERE NOT (mo < 3 OR mo > 5)', '3 .. 5'),
	('avg(mo)', 'visits WHERE mo <> 3', NULL),
	('avg(mo)', 'visits WHERE (mo < 5) IS NOT TRUE', NULL),
	('avg(mo)', 'visits WHERE mo < store', NULL),
	('avg(mo)', 'visits WHERE mo = mo2 AND mo2 < 5', '1 .. 4'),
	('avg(mo)', 'visits WHERE mo = store AND store = 5', '5 .. 5'),
	('avg(mo)', 'visits JOIN stores ON mo = id WHERE id < 5', '1 .. 4'),
	('avg(mo)', 'visits LEFT JOIN stores ON mo = id AND mo < 5', NULL),
	('avg(v.mo)', 'visits AS v LEFT JOIN visits AS w ON v.person = w.person AND w.mo < 5 AND v.mo < 7', NULL),
	('avg(w.mo)', 'visits AS v LEFT JOIN visits AS w ON v.person = w.person AND w.mo < 5 AND v.mo < 7', '1 .. 4'),
	('avg(w.mo)', 'visits AS v LEFT JOIN visits AS w ON v.person = w.person AND w.mo = v.mo2 WHERE v.mo2 < 5', '1 .. 4'),
	('avg(w.mo)', 'visits AS v LEFT JOIN (SELECT * FROM visits WHERE mo < 5) AS w ON v.person = w.person', '1 .. 4'),
	('avg(coalesce(w.mo, 0))', 'visits AS v LEFT JOIN visits AS w ON v.person = w.person AND w.mo > 5', '0 .. 12'),
	('avg(coalesce(w.mo, 0))', 'visits AS v LEFT JOIN visits AS w ON v.person = w.person AND w.mo < 5', '0 .. 4'),
	('avg(v.mo + w.mo)', 'visits AS v LEFT JOIN visits AS w ON v.person = w.person AND v.mo + w.mo < 5', '2 .. 24'),
	('avg(mo)', '(SELECT person, mo FROM visits WHERE mo < 5) AS q WHERE mo > 2', '3 .. 4'),
	('avg(m)', '(SELECT person, mo * 10 AS m FROM visits WHERE mo < 5) AS q', '10 .. 40'),
	('avg(m)', '(SELECT DISTINCT person, mo AS m FROM visits WHERE mo < 5) AS q', '1 .. 4'),
	('avg(m)', '(SELECT person, max(mo) AS m FROM visits WHERE mo < 5 GROUP BY person) AS q WHERE m > 2', '3 .. 4'),
	('avg(n)', '(SELECT person, count(*) AS n FROM visits GROUP BY person) AS q WHERE n <= 5', '0 .. 5'),
	('avg(m)', '(SELECT person, mo AS m FROM visits WHERE mo < 5 UNION ALL SELECT person, mo2 FROM visits WHERE mo2 < 7) AS q', '1 .. 6'),
	('avg(born - date ''1900-01-01'')', 'visits WHERE born < ''1950-01-01''', '7304 .. 18261'),
	('max(born)', 'visits WHERE born < ''1950-01-01''', '1920-01-01 .. 1949-12-31'),
	('max(born)', 'visits WHERE born < timestamp ''1950-01-01 12:00''', '1920-01-01 .. 1950-01-01'),
	('max(born)', 'visits WHERE born < timestamptz ''1950-01-01''', NULL),
	('max(at)', 'visits WHERE at < timestamptz ''2024-01-10 Z''', '2024-01-01 00:00:00+00 .. 2024-01-09 23:59:59.999999+00'),
	('max(admitted)', 'visits WHERE admitted < ''infinity''', NULL),
	('max(free)', 'visits WHERE free BETWEEN ''2024-01-01'' AND ''2024-02-01''', '2024-01-01 00:00:00 .. 2024-02-01 00:00:00'),
	('avg(x)', 'visits WHERE x > 1.5 AND x < 10', '1.5 .. 10'),
	('avg(x)', 'visits WHERE x > 1.5 AND x < ''Infinity''', 'Write dp_mean(value, lower, upper), or ask the owner for dp_noise.set_bounds(''visits'', ''x'', lower, upper).'),
	('avg(x)', 'visits WHERE x >= 0 AND x <= ''NaN''', 'Write dp_mean(value, lower, upper), or ask the owner for dp_noise.set_bounds(''visits'', ''x'', lower, upper).'),
	('avg(g)', 'visits WHERE g BETWEEN 0 AND 0.30000000000000004', '0 .. 0.30000000000000004'),
	('avg(f)', 'visits WHERE f BETWEEN 0 AND 16777217', '0 .. 16777217'),
	('avg(f)', 'visits WHERE f BETWEEN 0 AND 16777213::real', '0 .. 16777213'),
	-- the very expression
	('avg(discharged - admitted)', 'visits WHERE discharged - admitted BETWEEN ''0 days'' AND ''20 days''', '00:00:00 .. 20 days'),
	('avg(free - admitted)', 'visits WHERE free - admitted BETWEEN ''0 days'' AND ''20 days''', '00:00:00 .. 20 days'),
	('avg(day - born)', 'visits WHERE day - born < 1000', '0 .. 999'),
	('sum(mo * mo2)', 'visits WHERE mo * mo2 < 10', '1 .. 9'),
	('sum(mo * mo2)', 'visits WHERE mo2 * mo < 10', '1 .. 9'),
	('sum(mo - mo2)', 'visits WHERE mo2 - mo < 10', '-11 .. 11'),
	('sum(mo * mo2)', 'visits WHERE mo < 5 AND mo2 < 3', '1 .. 8'),
	('sum(x * x)', 'visits WHERE x * x BETWEEN 0 AND 100', '0 .. 100'),
	('sum(store + k)', 'visits WHERE store + k BETWEEN 0 AND 10 AND store + k <> 4', '0 .. 10'),
	('corr(mo, mo2)', 'visits WHERE mo < 5', '1 .. 4, 1 .. 12'),
	-- FILTER
	('avg(mo) FILTER (WHERE mo < 5 AND store = 1)', 'visits', '1 .. 4'),
	('avg(mo) FILTER (WHERE mo = mo2)', 'visits WHERE mo2 < 5', '1 .. 4'),
	('sum(mo * mo2) FILTER (WHERE mo * mo2 < 10)', 'visits WHERE mo > 2', '3 .. 9'),
	('avg(m)', '(SELECT person, max(mo) FILTER (WHERE mo < 5) AS m FROM visits GROUP BY person) AS q', '1 .. 4')) AS v (value, source, bounds);
SELECT is(t.explained(format('SELECT avg(%s) FROM visits WHERE mo < 5', value), 'Derived From'), origin, value) FROM (VALUES ('mo', 'conditions'), ('mo + 1', 'conditions'), ('mo2 + 1', 'columns'), ('mo2', NULL)) AS v (value, origin);
-- Written bounds stay, and none are chosen where conditions give some.
SET dp_noise.choose_bounds = 0.2;
SELECT is(t.explained(query, 'Bounds'), chosen, query) FROM (VALUES
	('SELECT avg(x) FROM visits WHERE x > 1', 'chosen privately, for a share of 0.2'), ('SELECT avg(x) FROM visits WHERE x > 1 AND x < 7', NULL), ('SELECT avg(x) FILTER (WHERE x > 1 AND x < 7) FROM visits', NULL)) AS q (query, chosen);
SET dp_noise.choose_bounds = 0;
SELECT is(t.explained('SELECT dp_mean(mo, 0, 20) FROM visits WHERE mo < 5', 'Derived Bounds'), NULL, 'written bounds');
-- Other bounds are another question; the same condition is the same one, however it is written.
SELECT is(t.explained('SELECT avg(mo) FROM visits WHERE ' || one, 'Question') = t.explained('SELECT avg(mo) FROM visits WHERE ' || other, 'Question'), are_same, concat(one, ' and ', other)) FROM (VALUES
	('mo < 5', '5 > mo', true), ('mo < 5', 'mo < 5.0', true), ('mo < 5', 'mo::bigint < 5', true), ('mo IN (1, 2)', 'mo = 2 OR mo = 1', true), ('mo = mo2 AND mo < 5', 'mo2 = mo AND mo2 < 5', true), ('mo < 5', 'mo < 6', false)) AS c (one, other, are_same);
SELECT is(t.explained('SELECT avg(mo) FILTER (WHERE mo < 5) FROM visits', 'Question'), t.explained('SELECT avg(mo) FROM visits WHERE mo < 5', 'Question'), 'FILTER and WHERE');
SELECT is(t.explained('SELECT sum(mo * mo2) FROM visits WHERE mo2 * mo < 10', 'Question'), t.explained('SELECT sum(mo * mo2) FROM visits WHERE mo * mo2 < 10', 'Question'), 'commuted');
-- A plan is kept when parameters change, and so are its bounds.
SELECT is(t.explained('SELECT avg(mo) FROM visits WHERE mo < (SELECT 5)', 'Derived Bounds'), NULL, 'a value that is found first');
PREPARE narrowed (integer) AS SELECT avg(mo) FROM visits WHERE mo < $1 AND mo > 2;
SELECT is(t.explained('EXECUTE narrowed (5)', 'Derived Bounds'), '3 .. 12', mode || ' of a parameter') FROM unnest('{force_custom_plan,force_generic_plan}'::text[]) AS mode WHERE set_config('plan_cache_mode', mode, false) IS NOT NULL;
RESET plan_cache_mode;
DEALLOCATE narrowed;
-- Answers over what the conditions leave are those of plain SQL.
SELECT ok(abs(t.run('gate_ann', 'SELECT ' || query)::numeric - value) < 0.1, query) FROM (
	SELECT 'avg(mo) FROM visits WHERE mo BETWEEN 3 AND 5', avg(mo) FROM visits WHERE mo BETWEEN 3 AND 5
	UNION ALL SELECT 'avg(x) FROM visits WHERE x > 1.5 AND x < 10', avg(x) FROM visits WHERE x > 1.5 AND x < 10
	UNION ALL SELECT 'avg(mo * mo2) FROM visits WHERE mo * mo2 < 10', avg(mo * mo2) FROM visits WHERE mo * mo2 < 10
	UNION ALL SELECT 'avg(mo) FILTER (WHERE mo > 9 OR mo = 7) FROM visits', avg(mo) FILTER (WHERE mo > 9 OR mo = 7) FROM visits
	UNION ALL SELECT 'avg(mo) FROM visits WHERE mo = 5', 5) AS q (query, value)
WHERE set_config('dp_noise.epsilon', '10000', false) IS NOT NULL;
RESET dp_noise.epsilon;
-- Ages follow the year.
SELECT ok(t.bounds(format('SELECT avg(%s) FROM visits', value)) ~ '^[0-9]+ .. [0-9]+$', value) FROM unnest('{extract(year FROM age(born)),current_date - born}'::text[]) AS value;
SELECT matches(t.bounds('SELECT avg(age(born)) FROM visits'), '^[0-9]+ days .. [0-9]+ days$', 'age of a birth');
SELECT ok(t.run('gate_ann', query)::numeric BETWEEN lower AND upper, query) FROM (VALUES
	('SELECT avg(price) FROM visits JOIN stores ON store = id', 40, 50),
	('SELECT extract(epoch FROM avg(discharged - admitted)) / 86400 FROM visits', 0, 2)) AS q (query, lower, upper)
WHERE set_config('dp_noise.epsilon', '10000', false) IS NOT NULL;

-- Bounds of the fields of intervals contain what there is, of random moments and of
-- such at their bounds, at ends of months and where clocks are set back.
SET ROLE gate_owner;
CREATE TABLE public.moments (d timestamp, e timestamp, f timestamptz, g timestamptz, t time, u time, i interval);
SELECT setseed(0.5);
CREATE FUNCTION public.some_moment() RETURNS timestamp LANGUAGE sql VOLATILE AS
$$SELECT CASE WHEN random() < 0.1 THEN timestamp '2019-10-27 01:00' + random() * interval '3 hours' WHEN random() < 0.1 THEN timestamp '2019-01-31 23:59:59.9' WHEN random() < 0.1 THEN '2020-03-01'
	ELSE least(timestamp '2016-01-01' + (random() ^ 3 * 1828) * interval '1 day', '2021-01-01') END$$;
INSERT INTO public.moments SELECT some_moment(), some_moment(), some_moment() AT TIME ZONE 'Europe/Berlin', some_moment() AT TIME ZONE 'Europe/Berlin', time '00:00' + random() * interval '1 day', '24:00', make_interval(months => n % 50 - 25, days => n % 90 - 45, hours => n % 60 - 30) FROM generate_series(1, 5000) AS n;
SELECT dp_noise.protect('public.moments', epsilon => 1e13, delta => 1), dp_noise.set_budget('gate_ann', 'public.moments', 1e10, delta => 1);
SELECT dp_noise.set_bounds('public.moments', name, lower, upper) FROM (VALUES ('d', '2016-01-01', '2021-01-01'), ('e', '2016-01-01', '2021-01-01'), ('f', '2015-12-31 Z', '2021-01-01 Z'), ('g', '2015-12-31 Z', '2021-01-01 Z'), ('t', '00:00', '24:00'), ('u', '00:00', '24:00'), ('i', '-10000 days', '10000 days')) AS b (name, lower, upper);
RESET ROLE;
SET "TimeZone" = 'Europe/Berlin';
CREATE FUNCTION t.lies_within(field text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	bounds text := t.bounds(format('SELECT avg(extract(%s FROM %s)) FROM moments', field, value));
	seen numrange;
BEGIN
	EXECUTE format('SELECT numrange(min(x), max(x), ''[]'') FROM (SELECT extract(%s FROM %s) AS x FROM moments) AS q', field, value) INTO seen;
	RETURN CASE WHEN bounds !~ ' [.][.] ' THEN 'none' WHEN numrange(split_part(bounds, ' .. ', 1)::numeric, split_part(bounds, ' .. ', 2)::numeric, '[]') @> seen THEN 'within' ELSE format('%s within %s', seen, bounds) END;
END
$$;
SELECT is(t.lies_within(field, value), CASE WHEN is_known THEN 'within' ELSE 'none' END, format('%s of %s', field, value))
FROM unnest('{year,month,day,hour,minute,second,epoch}'::text[]) AS field, (VALUES
	('d - e', true), ('f - g', true), ('t - u', true), ('age(d, e)', true), ('age(f, g)', true), ('age(e, timestamp ''2015-06-30'')', true), ('age(timestamp ''2030-01-31'', d)', true),
	('d - timestamp ''2015-12-31 12:00''', true), ('timestamp ''2024-02-29 00:30'' - d', true),
	('age(d, e) - age(e, d) + interval ''14 months -40 days 30 hours''', true), ('(d - e) - (t - u)', true), ('coalesce(CASE WHEN d > e THEN age(d, e) ELSE d - e END, ''-1 month 1 day'')', true),
	('greatest(age(d, e), age(e, d))', true), ('i', false), ('i + age(d, e)', false)) AS v (value, is_known);
SELECT is(t.bounds(format('SELECT avg(extract(%s)) FROM moments', value)), bounds, value) FROM (VALUES
	('day FROM age(d, e)', '-30 .. 30'), ('month FROM age(d, e)', '-11 .. 11'), ('hour FROM age(d, e)', '-23 .. 23'), ('day FROM d - e', '-1827 .. 1827'), ('hour FROM d - e', '-23 .. 23'), ('year FROM d - e', '0 .. 0'),
	('hour FROM t - u', '-24 .. 24'), ('hour FROM d - timestamp ''2015-12-31''', '0 .. 23'), ('minute FROM d - timestamp ''2015-12-31''', '0 .. 59'), ('day FROM d - timestamp ''2015-12-31''', '1 .. 1828')) AS v (value, bounds);
SELECT is(abs(t.run('gate_ann', format('SELECT avg(extract(%s)) FROM moments', value))::numeric - avg) < 0.5, true, 'the mean of ' || value) FROM (
	SELECT 'day FROM age(d, e)', avg(extract(day FROM age(d, e))) FROM moments
	UNION ALL SELECT 'hour FROM age(d, e)', avg(extract(hour FROM age(d, e))) FROM moments
	UNION ALL SELECT 'year FROM d - timestamp ''1990-01-01''', 0) AS v (value, avg);
SELECT is(t.bounds(format('SELECT avg(extract(hour FROM x)) FROM (SELECT person, %s(discharged - admitted) AS x FROM visits GROUP BY person) AS q', f)) ~ '[.][.]', false, f || ' of a unit''s rows') FROM unnest('{avg,sum}'::text[]) AS f;
SET "TimeZone" = 'UTC';

-- Bounds of few integers make a public key, with a null group where one can be.
CREATE FUNCTION t.key(key text, condition text DEFAULT 'true') RETURNS text LANGUAGE sql VOLATILE AS
$$SELECT t.run('gate_ann', format('SELECT count(*)::text || '' '' || count(k) FROM (SELECT %s AS k, dp_count(*) FROM visits WHERE %s GROUP BY 1) AS q', key, condition))$$;
SET dp_noise.empty_groups = show;
SELECT is(t.key(key), values, key) FROM (VALUES
	('mo', '13 12'), ('mo2', '12 12'), ('mo::bigint', '13 12'), ('mo2::text', '12 12'), ('greatest(mo, 3)', '10 10'), ('greatest(mo2, 3)', '10 10'), ('least(mo, 3)', '3 3'),
	('CASE WHEN mo > 6 THEN mo ELSE 0 END', '7 7'), ('CASE WHEN mo2 > 6 THEN mo2 END', '7 6'), ('CASE WHEN mo IS NULL THEN 0 ELSE mo END', '13 13'),
	('coalesce(mo, 0)', '13 13'), ('nullif(mo2, 3)', '12 11'), ('mo / 3', '6 5'), ('greatest(mo / 3, 2)', '3 3'), ('greatest(word, ''b'')', '1 1')) AS k (key, values);
SELECT is(t.key('mo', 'mo > 6'), '6 6', 'conditions narrow declared bounds');
SELECT is(t.key('mo', 'mo::double precision > 6.5'), '6 6', 'of another type, too');
SELECT is(t.key('mo', 'mo IS NOT NULL'), '12 12', 'or leave null out');
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.visits', 'mo', 1, 32);
RESET ROLE;
SELECT is(t.key('mo'), '33 32', 'the most');
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.visits', 'mo', 1, 33);
RESET ROLE;
SELECT matches(t.key('mo'), '^0A000', 'one more');

SELECT * FROM finish();
\ir support/gate_end.sql
