-- Keys that are computed from a column with declared bounds are public: how
-- many values they have, all of them released, whatever the rows hold.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;
SET ROLE gate_owner;
ALTER TABLE public.patients ADD stamp timestamp, ADD clock time, ADD huge integer, ADD price numeric, ADD gone timestamp, ADD minus bigint, ADD eras timestamp;
UPDATE public.patients SET stamp = seen AT TIME ZONE 'UTC', clock = (seen AT TIME ZONE 'UTC')::time, huge = id * 900, price = id / 7.0, minus = -id;
UPDATE public.patients SET stamp = 'infinity', seen = '-infinity', born = 'infinity', huge = 2147483647, price = 'NaN', bmi = 'NaN' WHERE id = 1;
SELECT dp_noise.set_bounds('public.patients', 'born', '1950-01-01', '1952-12-31'), dp_noise.set_bounds('public.patients', 'seen', '2020-01-01 00:00Z', '2020-12-31 23:00Z'),
	dp_noise.set_bounds('public.patients', 'stamp', '2020-01-01', '2020-12-31 23:59'), dp_noise.set_bounds('public.patients', 'clock', '00:00', '23:59:59'),
	dp_noise.set_bounds('public.patients', 'huge', 0, 999997), dp_noise.set_bounds('public.patients', 'price', 0, 99.5), dp_noise.set_bounds('public.patients', 'big', 0, 1e15),
	dp_noise.set_bounds('public.patients', 'minus', -1e12, 1e12), dp_noise.set_bounds('public.patients', 'eras', '4713-01-01 BC', '294276-12-31'), dp_noise.set_bounds('public.patients', 'bmi', 10, 60) \g /dev/null
RESET ROLE;
SET "TimeZone" = 'UTC';

CREATE FUNCTION t.key(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
	found text := '';
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	FOR said IN EXECUTE format('EXPLAIN SELECT %s, dp_count(*) FROM public.patients GROUP BY 1', expression) LOOP
		IF said ~ 'Group Key' THEN
			found := substring(said FROM '\(([a-z ]*, \d+) values\)$');
		END IF;
	END LOOP;
	RESET SESSION AUTHORIZATION;
	RETURN found;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || coalesce(substring(said FROM 'ask the owner (.*): a group'), '');
END
$$;
-- the column's nulls are one value more, but for age
SELECT is(t.key(key), CASE WHEN values ~ '^\d+$' AND key !~ 'age' THEN 'declared bounds, ' || values ELSE values END, key)
FROM (VALUES
	('age / 10', 'declared bounds, 13'), ('age * 2', 'declared bounds, 121'), ('(age / 10)::text || ''0s''', 'declared bounds, 13'),
	('case when age < 18 then ''child'' else (age / 10)::text end', 'declared bounds, 13'), ('age / 10 + age % 10', 'declared bounds, 21'), ('to_char(age, ''999'')', 'declared bounds, 121'),
	('extract(year from born)', '4'), ('extract(year from born) * 100 + extract(month from born)', '37'), ('date_trunc(''month'', born)', '37'), ('date_trunc(''month'', born)::date', '37'),
	('date_trunc(''MONTHS'', born)', '37'), ('date_part(''year'', born)', '4'), ('extract(dow from born)', '8'), ('extract(doy from born)', '367'), ('extract(week from born)', '53'),
	('extract(day from born)', '32'), ('extract(isodow from born) in (6, 7)', 'boolean, 3'), ('to_char(born, ''YYYY-MM'')', '37'), ('to_char(born, ''YYYY'')', '4'), ('date_trunc(''quarter'', born)', '13'),
	('date_trunc(''week'', born)', '159'), ('date_trunc(''decade'', born)', '2'), ('born - date ''1950-01-01''', '1097'), ('born + 1', '1097'), ('(born - date ''1950-01-01'') / 7', '158'), ('born::timestamp', '1097'),
	('date_trunc(''day'', stamp)', '367'), ('date_trunc(''hour'', stamp)', '8785'), ('stamp::date', '367'), ('stamp::date - date ''2020-01-01''', '367'), ('extract(hour from stamp)', '25'), ('extract(minute from stamp)', '61'),
	('extract(hour from stamp) < 12', 'boolean, 3'), ('date_bin(''6 hours'', stamp, ''2000-01-01'')', '1465'), ('extract(dow from date_trunc(''week'', stamp))', '2'), ('to_char(stamp, ''YYYY-MM-DD HH24'')', '8785'),
	('case when extract(hour from stamp) < 6 then ''night'' else ''day'' end', 'constants, 2'), ('date_trunc(''month'', stamp) + interval ''1 day''', '13'), ('date_trunc(''millennium'', eras)', '300'), ('date_trunc(''century'', eras)', '2991'),
	('date_trunc(''day'', seen)', '367'), ('date_trunc(''month'', seen)', '13'), ('seen::date', '367'), ('extract(hour from seen)', '25'), ('(seen at time zone ''Asia/Tokyo'')::date', '368'), ('to_char(seen, ''YYYY-MM'')', '13'),
	('extract(hour from clock)', '25'), ('extract(hour from clock)::integer / 6', '5'),
	('floor(price / 10) * 10', '11'), ('floor(price)', '101'), ('ceil(price)', '102'), ('round(price)', '102'), ('round(price, 1)', '997'), ('trunc(price, -1)', '11'), ('price::integer', '102'), ('- floor(price)', '101'), ('width_bucket(price, 0, 100, 20)', '21'),
	('floor(bmi / 5) * 5', '12'), ('bmi::integer', '52'), ('round(bmi::numeric, 0)', '52'), ('width_bucket(bmi, 0, 50, 10)', '10'), ('floor(100 - price)', '102'),
	('big / 100000000000000', '12'), ('big % 7', '8'), ('minus % 7', '14'), ('mod(minus, 10)', '20'), ('minus / 1000000000000', '4'), ('huge / 1000', '1001'), ('huge % 10', '11'), ('huge + 1', '999999'),
	-- private, with what the owner can do
	('born', '0A000to declare the column''s values with dp_noise.set_values'), ('date_trunc(''second'', stamp)', '0A000to declare the column''s values with dp_noise.set_values'),
	('extract(second from stamp)', '0A000to declare the column''s values with dp_noise.set_values'), ('price + 1', '0A000to declare the column''s values with dp_noise.set_values'),
	('huge::bigint + big', '0A000to declare the column''s values with dp_noise.set_values'), ('stamp - now()', '0A000to declare the column''s values with dp_noise.set_values'),
	('sin(price)', '0A000to declare the column''s values with dp_noise.set_values'), ('minus + 1', '0A000to declare the column''s values with dp_noise.set_values'),
	('small / 10', '0A000for dp_noise.set_bounds(''patients'', ''small'', lower, upper)'), ('date_trunc(''month'', gone)', '0A000for dp_noise.set_bounds(''patients'', ''gone'', lower, upper)'),
	('extract(year from gone) + 1', '0A000for dp_noise.set_bounds(''patients'', ''gone'', lower, upper)')) AS k (key, values);

-- the values are those that the rows have
SET dp_noise.epsilon = 1000;
CREATE FUNCTION t.same(key text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text := t.run('gate_ann', format('SELECT string_agg(concat_ws('':'', k, n), '','' ORDER BY k) FROM (SELECT %s AS k, dp_count(*) AS n FROM patients GROUP BY 1) AS r WHERE n > 0 AND k IS NOT NULL', key));
	truth text;
BEGIN
	EXECUTE format('SELECT string_agg(concat_ws('':'', k, n), '','' ORDER BY k) FROM (SELECT %s AS k, count(*) AS n FROM public.patients WHERE %s GROUP BY 1) AS r', key, condition) INTO truth;
	RETURN is(answer, truth, 'as it is: ' || key);
END
$$;
SELECT t.same(key, condition) FROM (VALUES ('age / 10', 'true'), ('date_trunc(''month'', born)', 'born < ''1953-01-01'''), ('extract(year from born) * 100 + extract(month from born)', 'born < ''1953-01-01'''),
	('date_trunc(''hour'', stamp)', 'stamp < ''infinity'''), ('seen::date', 'seen > ''-infinity'''), ('(seen at time zone ''America/New_York'')::date', 'seen > ''-infinity'''), ('to_char(seen, ''YYYY-MM-DD'')', 'seen > ''-infinity'''),
	('extract(hour from clock)', 'true'), ('floor(price / 10) * 10', 'price < 100'), ('round(price, 1)', 'price < 99.55'), ('floor(bmi / 5) * 5', 'bmi < 61'), ('bmi::integer', 'bmi < 61'), ('huge / 1000', 'huge < 2147483647'),
	('minus % 7', 'true'), ('width_bucket(price, 0, 100, 20)', 'price < 100')) AS k (key, condition);

-- groups that no row is in are there
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT date_trunc(''month'', born), dp_count(*) FROM patients WHERE false GROUP BY 1) AS r'), '37', 'without rows');
-- the session's time zone is that of the execution
SELECT is(t.run('gate_ann', 'SELECT min(k)::text FROM (SELECT date_trunc(''year'', seen) AS k, dp_count(*) FROM patients GROUP BY 1) AS r'), '2020-01-01 00:00:00+00');
SET "TimeZone" = 'Asia/Tokyo';
SELECT is(t.run('gate_ann', 'SELECT min(k)::text FROM (SELECT date_trunc(''year'', seen) AS k, dp_count(*) FROM patients GROUP BY 1) AS r'), '2020-01-01 00:00:00+09');
SET "TimeZone" = 'UTC';
SET SESSION AUTHORIZATION gate_ann;
PREPARE zoned AS SELECT date_trunc('year', seen) AS k, dp_count(*) FROM patients GROUP BY 1 ORDER BY 1 LIMIT 1;
CREATE TEMP TABLE said AS EXECUTE zoned;
SET "TimeZone" = 'Asia/Tokyo';
CREATE TEMP TABLE said_later AS EXECUTE zoned;
SET "TimeZone" = 'UTC';
SELECT is((SELECT string_agg(k::text, ', ' ORDER BY k) FROM (SELECT * FROM said UNION ALL SELECT * FROM said_later) AS s), '2019-12-31 15:00:00+00, 2020-01-01 00:00:00+00', 'of each execution of a prepared statement');
DROP TABLE said, said_later;
RESET SESSION AUTHORIZATION;

-- units of several rows: rows beyond the bounds take no group's place
SET ROLE gate_owner;
CREATE TABLE public.trips (person integer NOT NULL, at timestamptz, day date);
INSERT INTO public.trips SELECT i % 100, timestamptz '2020-01-01 00:00Z' + i % 3 * interval '1 month', date '2020-01-01' + i % 3 FROM generate_series(1, 300) AS i;
INSERT INTO public.trips SELECT i % 100, timestamptz '2030-01-01 00:00Z' + i * interval '1 month', date '2030-01-01' + i FROM generate_series(1, 900) AS i;
SELECT dp_noise.protect('public.trips', 'person', max_rows_per_unit => 3, max_groups_per_unit => 3, epsilon => 1e13, delta => 1), dp_noise.set_bounds('public.trips', 'at', '2020-01-01 00:00Z', '2020-03-31 00:00Z'),
	dp_noise.set_bounds('public.trips', 'day', '2020-01-01', '2020-01-03'), dp_noise.set_budget('gate_ann', 'public.trips', 10000000) \g /dev/null
RESET ROLE;
SELECT is(t.run('gate_ann', format('SELECT string_agg(n::text, '','') FROM (SELECT %s AS k, dp_count(*) AS n FROM trips GROUP BY 1 ORDER BY 1) AS r', key)), wanted, 'of people: ' || key)
FROM (VALUES ('date_trunc(''month'', at)', '100,100,100,0'), ('day + 1', '100,100,100,0'), ('date_trunc(''day'', day::timestamp)', '100,100,100,0')) AS k (key, wanted);

-- where the time zone decides, null is a group only if a row can have it
CREATE FUNCTION t.shown(key text, condition text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_ann', format('SELECT string_agg(coalesce(n::text, ''?'') || CASE WHEN k IS NULL THEN '' null'' ELSE '''' END, '','') FROM (SELECT %s AS k, dp_count(*) AS n FROM trips WHERE %s GROUP BY 1 ORDER BY 1) AS r', key, condition))
$$;
SELECT is(t.shown('date_trunc(''month'', at)', 'at >= ''2020-01-01 00:00Z'' AND at < ''2020-03-01 00:00Z'''), '100,100', 'WHERE leaves no null');
SELECT is(t.shown('nullif(date_trunc(''month'', at), ''2020-02-01 00:00Z'')', 'at >= ''2020-01-01 00:00Z'' AND at < ''2020-03-01 00:00Z'''), '100,100 null', 'but the expression may be null');
SET ROLE gate_owner;
ALTER TABLE public.trips ALTER at SET NOT NULL;
RESET ROLE;
SELECT is(t.shown('date_trunc(''month'', at)', 'person >= 0'), '100,100,100', 'nor has a column that is not null any');
SELECT is(t.shown('extract(year FROM at)', 'person >= 0'), '300', 'nor its fields');

-- grouped by the unit, rows of UNION ALL stay people, as others do
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT DISTINCT person FROM (SELECT person, at FROM trips UNION ALL SELECT person, at FROM trips) AS u) AS s'), '100', 'people of UNION ALL, found by DISTINCT');
SELECT is(t.run('gate_ann', 'WITH u AS (SELECT person FROM trips UNION ALL SELECT person FROM trips) SELECT count(*) FROM (SELECT person, count(*) AS n FROM (SELECT person FROM u) AS v GROUP BY person) AS s WHERE n > 1'), '100', 'and by GROUP BY, deeper');

-- The text of an enum is one of its labels. In a plan that is kept a label that was
-- added later has none: its rows are in the group of null until the question is
-- planned again, and none is lost.
SET ROLE gate_owner;
CREATE TYPE public.light AS ENUM ('red', 'green');
CREATE TABLE public.lights (id integer PRIMARY KEY, light public.light);
INSERT INTO public.lights SELECT i, 'red' FROM generate_series(1, 30) AS i;
SELECT dp_noise.protect('public.lights', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.lights', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.lights', 1e12, delta => 1);
RESET ROLE;
SET plan_cache_mode = force_generic_plan;
SELECT is(t.run('gate_ann', 'PREPARE of_lights AS SELECT string_agg(concat_ws('' '', l, c), '','' ORDER BY l) FROM (SELECT light::text AS l, dp_count(*) AS c FROM lights GROUP BY 1) AS s'), NULL);
SELECT is(t.run('gate_ann', 'EXECUTE of_lights'), 'green 0,red 30,0', 'the labels of an enum as texts');
ALTER TYPE public.light ADD VALUE 'amber';
INSERT INTO public.lights SELECT i, 'amber' FROM generate_series(31, 50) AS i;
SELECT is(t.run('gate_ann', 'EXECUTE of_lights'), 'green 0,red 30,20', 'a label that was added is in no group of its own');
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat_ws('' '', l, c), '','' ORDER BY l) FROM (SELECT light::text AS l, dp_count(*) AS c FROM lights GROUP BY 1) AS s'), 'amber 20,green 0,red 30,0', 'until it is planned again');
RESET plan_cache_mode;

-- Values that are equal to a declared one may have other texts: such a text is a
-- private key, and no row is lost. Of public keys null is one more group.
SET ROLE gate_owner;
CREATE TABLE public.priced (id integer PRIMARY KEY, price numeric, exact numeric(5, 2), code character(4), length interval);
INSERT INTO public.priced SELECT i, (ARRAY[1.0, 1.00, 2.50, 0])[1 + i % 4], 1, 'a', (ARRAY['1 day', '24:00'])[1 + i % 2]::interval FROM generate_series(1, 400) AS i;
SELECT dp_noise.protect('public.priced', epsilon => 1e13, delta => 1), dp_noise.set_values('public.priced', 'price', '{0, 1, 2.5}'), dp_noise.set_values('public.priced', 'exact', '{1, 2}'), dp_noise.set_values('public.priced', 'code', '{a, b}'),
	dp_noise.set_budget('gate_ann', 'public.priced', 1e12, delta => 1);
RESET ROLE;
SET dp_noise.epsilon = 1000;
SET dp_noise.delta = 1e-6;
CREATE FUNCTION t.groups_of(expression text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_ann', format('SELECT string_agg(concat_ws('' '', k, c), '','' ORDER BY k) FROM (SELECT %s AS k, dp_count(*) AS c FROM priced GROUP BY 1) AS s', expression))
$$;
SELECT is(t.groups_of(key), groups, key)
FROM (VALUES
	('price::text', '0 100,1.0 100,1.00 100,2.50 100'), ('scale(price)', '0 100,1 100,2 200'), ('price * 2', '0 100,2 200,5.0 100,0'), ('price::integer', '0 100,1 200,3 100,0'),
	('exact::text', '1.00 400'), ('exact + 1', '2.00 400,3.00 0,0'), ('trim(code)', 'a 400,b 0,0'), ('octet_length(code)', '4 400')) AS k (key, groups);
SELECT is(t.run('gate_ann', format('SELECT string_agg(concat_ws('' '', k, c), '','' ORDER BY k) FROM (SELECT %s AS k, dp_count(*) AS c FROM priced WHERE length = ''1 day'' GROUP BY 1) AS s', key)), groups, key || ', of lengths that equal 1 day')
FROM (VALUES ('length', '1 day 400'), ('length::text', '1 day 200,24:00:00 200'), ('extract(day from length)', '0 200,1 200'), ('coalesce(length, ''2 days'')::text', '1 day 200,24:00:00 200')) AS k (key, groups);

SELECT * FROM finish();
\ir support/gate_end.sql
