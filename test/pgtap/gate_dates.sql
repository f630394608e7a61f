-- Dates, times and intervals as values of aggregates: bounds written and
-- declared, answers of the type and on its grid, values that are infinite,
-- privacy units of several rows, EXPLAIN; money, with a hint.


\ir support/gate.sql
SET client_min_messages = warning;
SELECT no_plan();

CREATE TABLE plain AS
SELECT date '2020-01-01' + i AS d, timestamp '2020-01-01' + i * interval '1 hour' AS ts,
	timestamptz '2020-01-01 00:00Z' + i * interval '1 hour' AS tz, time '08:00' + i % 600 * interval '1 minute' AS t,
	i * interval '1 minute' AS iv, 474.83::numeric AS n, 474.83::double precision AS f, 474.83::real AS r
FROM generate_series(1, 1000) AS i;
INSERT INTO plain VALUES ('infinity', '-infinity', 'infinity', '24:00', interval '-178000000 years', 'NaN', 'NaN', 'NaN'),
	('-infinity', 'infinity', '-infinity', '00:00', interval '178000000 years', NULL, NULL, NULL), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

-- each aggregate of each type: with much epsilon, the true answer
CREATE FUNCTION t.value(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE command INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
SET dp_noise.epsilon = 100000;
SET "TimeZone" = 'UTC';
SELECT is(t.value(format('SELECT %s FROM plain', call)), wanted, call)
FROM (VALUES
	('dp_max(d, ''2020-01-01'', ''2020-06-01'')', '2020-06-01'),
	('dp_min(d, ''2019-01-01'', ''2020-06-01'')', '2019-01-01'),
	('dp_median(d, ''2019-01-01'', ''2029-01-01'') IN (''2021-05-15'', ''2021-05-16'')', 'true'),
	('dp_median_exp(d, ''2019-01-01'', ''2029-01-01'') IN (''2021-05-15'', ''2021-05-16'')', 'true'),
	('dp_quantile_exp(d, 0, ''2020-01-01'', ''2020-06-01'')', '2020-01-01'),
	('dp_quantiles_exp(d, ARRAY[0, 1], ''2020-01-01'', ''2020-06-01'')', '{2020-01-01,2020-06-01}'),
	('dp_max(ts, ''2020-01-01'', ''2030-01-01'')', '2030-01-01 00:00:00'),
	('dp_min(tz, ''2020-01-01'', ''2030-01-01'')', '2020-01-01 00:00:00+00'),
	('dp_max(t, ''00:00'', ''24:00'')', '24:00:00'),
	('dp_max(t, ''00:00'', ''12:00'')', '12:00:00'),
	('dp_min(t, ''00:00'', ''24:00'')', '00:00:00'),
	('dp_max(iv, ''0'', ''1 month'')', '30 days'),
	('dp_min(iv, ''-2 days'', ''1 month'')', '-2 days'),
	('dp_sum(iv, ''0'', ''1 minute'')', '16:41:00'),
	('dp_sum(-iv, ''-1 minute'', ''0'')', '-16:41:00'),
	('dp_mean(iv, ''1 minute'', ''1 minute'')', '00:01:00'),
	('dp_bounds(t)', '{00:00:00,24:00:00}')) AS c (call, wanted);

-- what lies on whole seconds comes out so, and numbers as they are written
SELECT is(t.value(format('SELECT dp_median(%s, %s) FROM plain WHERE d = ''2020-01-02''', c, bounds)), wanted, 'as it is written: ' || c)
FROM (VALUES ('ts', '''1990-01-01'', ''2040-01-01''', '2020-01-01 01:00:00'), ('tz', '''1990-01-01'', ''2040-01-01''', '2020-01-01 01:00:00+00'),
	('t', '''00:00'', ''24:00''', '08:01:00'), ('iv', '''0'', ''1 year''', '00:01:00'),
	('n', '0, 1000', '474.83'), ('n', '0, 1e9', '474.83'), ('n', '-1e10, 1e10', '474.8'), ('n', '0, 474.83', '474.83'),
	('f', '0, 1000', '474.83'), ('r', '0, 1000', '474.83'), ('(f / 100)', '0, 10', '4.7483')) AS v (c, bounds, wanted);
SELECT is(t.value(format('SELECT %s(%s, %s) FROM plain WHERE d = ''2020-01-02''', a, c, bounds)), wanted, format('as it is written: %s(%s)', a, c))
FROM (VALUES ('dp_sum', 'n', '0, 474.83', '474.83'), ('dp_sum', 'f', '0, 474.83', '474.83'), ('dp_mean', 'n', '474.83, 474.83', '474.83'), ('dp_mean', 'f', '474.83, 474.83', '474.83')) AS v (a, c, bounds, wanted);
SELECT is((SELECT count(*) FROM (SELECT t.value('SELECT dp_median_exp(n, 0.123456789012, 0.123456789013, 0.01) FROM plain')::numeric AS x FROM generate_series(1, 50)) AS s
	WHERE x NOT BETWEEN 0.123456789012 AND 0.123456789013), 0::bigint, 'no answer leaves the bounds by rounding');
SELECT is((SELECT count(*) FROM (SELECT t.value('SELECT dp_median_exp(ts, ''2000-01-01 00:00:00.000001'', ''2040-01-01 00:00:00.000001'', 0.000001) FROM plain WHERE d IS NULL')::timestamp AS x FROM generate_series(1, 50)) AS s
	WHERE x NOT BETWEEN '2000-01-01 00:00:00.000001' AND '2040-01-01 00:00:00.000001'), 0::bigint, 'nor a time');
SELECT is((SELECT count(*) FROM (SELECT t.value('SELECT dp_max(d, ''2019-01-01'', ''2021-01-01'', 0.001, ''laplace'') FROM plain')::date AS x FROM generate_series(1, 50)) AS s
	WHERE x NOT BETWEEN '2019-01-01' AND '2021-01-01'), 0::bigint, 'nor noise that is great');

-- bounds that are none
SELECT is(t.value(format('SELECT dp_max(%s, %s) FROM plain', c, bounds)), wanted, format('%s of %s', c, bounds))
FROM (VALUES ('d', '''-infinity'', ''2020-01-01''', '22023: bounds must be finite'), ('d', '''2020-01-01'', ''infinity''', '22023: bounds must be finite'),
	('ts', '''-infinity'', ''2020-01-01''', '22023: bounds must be finite'), ('tz', '''2020-01-01'', ''infinity''', '22023: bounds must be finite'),
	('iv', '''0'', ''178000000 years''', '22023: bounds must be finite'),
	('d', '''2020-01-02'', ''2020-01-01''', '22023: lower bound is greater than upper bound'),
	('iv', '''31 days'', ''1 month''', '22023: lower bound is greater than upper bound'),
	('d', 'NULL, ''2020-01-01''', '22004: lower bound of a private aggregate must not be null'),
	('d', 'd, ''2020-01-01''', '0A000: lower bound of a private aggregate must be the same for all rows')) AS b (c, bounds, wanted);

-- no rows, and the ends of what a type has
SELECT matches(t.value(format('SELECT dp_median_exp(%s, %s) FROM plain WHERE false', c, bounds)), '^[-0-9]', 'without rows: ' || c)
FROM (VALUES ('d', '''4714-11-24 BC'', ''5874897-12-31'''), ('ts', '''4714-11-24 BC'', ''294276-12-31 23:59:59.999999'''),
	('t', '''00:00'', ''24:00'''), ('iv', '''-106751991 days'', ''106751991 days''')) AS v (c, bounds);
SELECT matches(t.value(format('SELECT dp_bounds(%s) FROM plain', c)), '^\{.*,.*\}$', 'dp_bounds: ' || c) FROM unnest('{d,ts,tz,t,iv}'::text[]) AS c;
SELECT matches(t.value('SELECT dp_sum(iv, ''-106751991 days'', ''106751991 days'', 0.001) FROM plain'), 'days', 'a sum beyond what an interval of hours holds');
RESET dp_noise.epsilon;

-- money
SELECT is(t.value(format('SELECT %s FROM (VALUES (1::money)) AS v (m) WHERE %s', call, condition)), '0A000: private aggregates do not take values of type money', call)
FROM unnest(ARRAY['dp_sum(m)', 'dp_sum(m, 0, 1)', 'dp_mean(m, ''0'', ''1'')', 'dp_quantile_exp(m, 0.5, 0, 1)', 'dp_bounds(m)']) AS call, unnest('{true,false}'::text[]) AS condition;

-- over a protected relation: declared bounds
SET ROLE gate_owner;
ALTER TABLE public.patients ADD clock time, ADD lasted interval, ADD paid money, ADD stamp timestamp;
UPDATE public.patients SET clock = time '08:00' + id % 60 * interval '1 minute', lasted = id % 60 * interval '1 minute', stamp = timestamp '2020-01-01' + id * interval '1 hour';
UPDATE public.patients SET born = 'infinity', seen = '-infinity', stamp = 'infinity' WHERE id = 7;
SELECT is(t.value(format('SELECT dp_noise.set_bounds(''public.patients'', %L, %s)', c, bounds)), wanted, format('set_bounds: %s %s', c, bounds))
FROM (VALUES ('born', '''1950-01-01'', ''1960-01-01''', ''), ('born', 'date ''1950-01-01'', date ''1960-01-01''', ''), ('born', 'date ''1950-01-01'', timestamp ''1960-01-01''', ''),
	('seen', 'date ''2020-01-01'', date ''2021-01-01''', ''), ('stamp', '''2020-01-01'', ''2021-01-01''', ''), ('clock', '''00:00'', ''24:00''', ''), ('lasted', '''0'', ''1 hour''', ''),
	('lasted', 'interval ''0'', ''1 hour''', ''), ('weight', '0::double precision, 100', ''), ('weight', '''0'', ''100''', ''), ('weight', '0, 100.5', ''),
	('born', '0, 1', '22008: date/time field value out of range: "0"'), ('born', '''-infinity'', ''1960-01-01''', '22023: bounds must be finite, and lower must not exceed upper'),
	('born', '''1960-01-01'', ''1950-01-01''', '22023: bounds must be finite, and lower must not exceed upper'), ('born', 'NULL, ''1950-01-01''', '22023: bounds must be finite, and lower must not exceed upper'),
	('weight', 'date ''1950-01-01'', ''1960-01-01''', '22P02: invalid input syntax for type numeric: "1950-01-01"'), ('weight', 'false, true', '0A000: bounds cannot be of type boolean'),
	('smoker', '0, 1', '0A000: column smoker of relation public.patients, of type boolean, cannot have bounds'),
	('paid', '0, 1', '0A000: column paid of relation public.patients, of type money, cannot have bounds')) AS b (c, bounds, wanted);
RESET ROLE;
SELECT is((SELECT string_agg(concat_ws(' ', column_name, lower, upper, kind), ', ' ORDER BY column_name) FROM dp_noise_ledger.column_bounds WHERE column_name IN ('born', 'clock', 'lasted')),
	'born -18262 -14610 date, clock 0 86400000000 time without time zone, lasted 0 3600000000 interval', 'as they are kept');
SELECT t.accept(format('SELECT %s(%s) FROM patients', a, c)) FROM unnest('{dp_max,dp_min,dp_median,dp_median_exp,dp_bounds}'::text[]) AS a, unnest('{born,seen,stamp,clock,lasted}'::text[]) AS c;
SELECT t.accept(format('SELECT %s FROM patients', call)) FROM unnest(ARRAY['dp_sum(lasted)', 'dp_mean(lasted)', 'dp_quantile_exp(born, 0.9)', 'dp_quantiles_exp(seen, ARRAY[0.1, 0.9])',
	'dp_max(born, ''1900-01-01'', ''2000-01-01'')', 'dp_median(seen::date, ''2019-01-01'', ''2022-01-01'')', 'dp_sum(seen - stamp, ''-1 day'', ''1 day'')']) AS call;
SELECT t.accept('SELECT smoker, dp_median(born) FROM patients GROUP BY smoker');
SELECT is(t.run('gate_ann', 'SELECT dp_max(born, ''1900-01-01'', ''2000-01-01'', 1000) FROM patients'), '2000-01-01', 'infinity is above the upper bound');
SELECT is(t.run('gate_ann', 'SELECT dp_min(born, ''1950-01-02'', ''2000-01-01'', 1000) FROM patients'), '1950-01-02', 'the least date');
SELECT t.refuse('22023', 'SELECT dp_max(born, ''infinity'', ''infinity'') FROM patients');
SET dp_noise.choose_bounds = 0;
SELECT t.refuse('22023', 'SELECT dp_max(born + id) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_sum(paid) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_max(paid, 0, 1) FROM patients');
SELECT t.refuse('0A000', 'SELECT dp_max(paid, ''0'', ''1'') FROM patients WHERE false');

-- EXPLAIN, in words
SELECT is(t.explained('SELECT dp_max(born, ''1950-01-01'', ''1950-04-11'', 1, ''laplace'') FROM patients', 'Sensitivity'), '100 days');
SELECT is(t.explained('SELECT dp_max(born, ''1950-01-01'', ''1950-04-11'', 1, ''laplace'') FROM patients', 'Expected Error (95\%)'), '300 days');
SELECT is(t.explained('SELECT dp_sum(lasted) FROM patients', 'Sensitivity'), '01:00:00');
SELECT is(t.explained('SELECT dp_max(seen, ''2020-01-01'', ''2020-01-11'', 1, ''laplace'') FROM patients', 'Sensitivity'), '10 days');
SELECT is(t.explained('SELECT dp_median_exp(born) FROM patients', 'Sensitivity'), '0.5', 'ranks are no days');

-- a column of another type since: its bounds are none of that
SET ROLE gate_owner;
ALTER TABLE public.patients ALTER born TYPE integer USING 1;
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_max(born) FROM patients'), '22023: dp_max needs bounds', 'dates are no bounds of numbers');
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.patients', 'born', 0, 10) \g /dev/null
ALTER TABLE public.patients ALTER born TYPE date USING '2000-01-01';
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_max(born) FROM patients'), '22023: dp_max needs bounds', 'nor numbers of dates');

-- privacy units of several rows
SET ROLE gate_owner;
CREATE TABLE public.trips (person integer NOT NULL, day date, at timestamptz, lasted interval);
INSERT INTO public.trips SELECT i % 200, date '2020-01-01' + i % 100, timestamptz '2020-01-01 00:00Z' + i * interval '1 hour', interval '10 minutes' FROM generate_series(1, 2000) AS i;
SELECT dp_noise.protect('public.trips', 'person', max_rows_per_unit => 10, epsilon => 1e13, delta => 1), dp_noise.set_bounds('public.trips', 'day', '2020-01-01', '2020-04-09'),
	dp_noise.set_bounds('public.trips', 'at', '2020-01-01', '2021-01-01'), dp_noise.set_bounds('public.trips', 'lasted', '0', '10 minutes'),
	dp_noise.set_budget('gate_ann', 'public.trips', 10000000) \g /dev/null
RESET ROLE;
SELECT is(t.run('gate_ann', format('SELECT %s FROM trips', call)), wanted, 'of people: ' || call)
FROM (VALUES ('dp_max(day, 100000)', '42883: function dp_max(date, integer) does not exist'),
	('dp_max(day, ''2020-01-01'', ''2020-04-09'', 10000)', '2020-04-09'), ('dp_min(day, ''2020-01-01'', ''2020-04-09'', 10000)', '2020-01-01'),
	('dp_median_exp(day, ''2020-01-01'', ''2020-02-20'', 10000) BETWEEN ''2020-02-15'' AND ''2020-02-20''', 'true'),
	('array_length(dp_quantiles_exp(at, ARRAY[0.0, 1.0], ''2020-01-01'', ''2020-01-02''), 1)', '2'),
	('dp_sum(lasted, ''0'', ''10 minutes'', 100000)', '13 days 21:20:00'), ('dp_mean(lasted, ''10 minutes'', ''10 minutes'')', '00:10:00')) AS v (call, wanted);
SELECT t.accept('SELECT dp_bounds(day), dp_bounds(at), dp_bounds(lasted) FROM trips', 3);
SELECT is(t.explained('SELECT dp_sum(lasted) FROM trips', 'Bounded'), 'a unit''s sum is clamped to what 10 rows can have');

SELECT * FROM finish();
\ir support/gate_end.sql
