-- Expressions over protected rows: what is answered, what is refused and how,
-- what is one question, which keys are public; and that nothing fails for a row.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;

-- Nothing that a row holds is an error: each of these failed for some of them.
SET ROLE gate_owner;
CREATE TABLE public.odd (id integer PRIMARY KEY, i integer, j integer, f double precision, n numeric, s text, d date, ts timestamp, tz timestamptz, iv interval, doc jsonb, js json, list integer[]);
INSERT INTO public.odd VALUES
	(1, 0, -2147483648, 'NaN', 'NaN', '', 'infinity', 'infinity', 'infinity', '178000000 years', '[]', '[]', '{}'),
	(2, -1, 2147483647, 'Infinity', 'Infinity', E'a\\', '-infinity', '-infinity', '-infinity', '-178000000 years', 'null', '"x"', '{NULL}'),
	(3, 2147483647, 2147483647, 1e308, '1e131071', '(', '5874897-12-31', '294276-12-31', '294276-12-31', '1 day', '{"a":"x"}', '{"a":{}}', NULL),
	(4, -2147483648, 0, -1, '-1', '99999999999999999999', '4714-11-24 BC', '4714-11-24 BC', '4714-11-24 BC', '0', '{"a":1e400}', '1', '{1,2}'),
	(5, 7, 3, 0, 0, repeat('x', 2000000), NULL, NULL, NULL, NULL, NULL, (repeat('[', 2000) || repeat(']', 2000))::json, '{{1,2},{3,4}}');
SELECT dp_noise.protect('public.odd', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('public.odd', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.odd', 1000000);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM odd WHERE ' || c) FROM unnest(ARRAY[
	'i + j > 0', 'i - j > 0', 'i * j > 0', 'i / j > 0', 'i % j > 0', '-i > 0', 'abs(i) > 0', 'i::smallint > 0', 'f * f > 0', 'f / 0 > 0', 'f::integer > 0', 'f::numeric > 0', 'sqrt(f) > 0', 'ln(f) > 0', 'exp(f) > 0', 'power(f, 0.5) > 0',
	'n::integer > 0', 'n * n > 0', '1 / n > 0', 'n % 0 = 1', 'sqrt(n) > 0', 'exp(n) > 0', 'power(n, n) > 0', 'round(n, i) > 0', 'n::numeric(5,2) > 0', 'n::double precision > 0', 'width_bucket(f, 0, 1, i) > 0',
	's::integer > 0', 's::numeric > 0', 's::date > ''2020-01-01''', 's::interval > ''0''', 's::boolean', 's::uuid IS NULL', 'substr(s, i, j) = ''''', 'left(s, i) = ''''', 'split_part(s, ''x'', j) = ''''', 'lpad(s, i, ''x'') = ''''', 'repeat(s, i) = ''''',
	's LIKE s', 's LIKE ''%\_'' || s', 's ILIKE ''a%''', 's ~ ''^[(]''', 's || s = ''''', 'replace(s, ''x'', ''yyyyyyyyyyyyy'') = ''''', 'upper(s) = ''X''', 'md5(s) = ''''', 'regexp_replace(s, ''x'', ''yyy'', ''g'') = ''''', 'substring(s from ''x+'') = ''x''', 'length(s) > 3',
	'd + i > ''2020-01-01''', 'd - i > ''2020-01-01''', 'd - d = 0', 'd + iv > ''2020-01-01''', 'ts + iv > ''2020-01-01''', 'tz - iv > now()', 'ts - ts > ''0''', 'age(ts, ''2020-01-01'') > ''0''', 'iv * f > ''0''', 'iv / f > ''0''', 'iv + iv > ''0''', '-iv > ''0''',
	'extract(dow from d) = 1', 'extract(epoch from iv) > 1', 'date_part(''hour'', tz) = 1', 'date_trunc(''week'', ts) = ''2020-01-01''', 'date_trunc(''month'', iv) > ''0''', 'd::timestamp > ts', 'd::timestamptz > tz', 'tz::date = d', 'd < tz', 'make_date(i, j, i) = d', 'make_interval(i) = iv', 'tz AT TIME ZONE ''Asia/Tokyo'' > ts', 'ts AT TIME ZONE ''+5'' > tz',
	'date_bin(iv, ts, ''2020-01-01'') = ts', 'to_char(ts, ''YYYY'') = ''2020''', 'to_char(iv, ''DD'') = ''2''', 'to_char(n, ''999'') = '' 1''', 'to_char(f, ''9.9EEEE'') = ''x''', 'd::text = ''x''', 'justify_interval(iv) > ''0''',
	'(doc ->> ''a'')::integer = 1', '(doc -> ''a'')::integer = 1', 'doc -> 0 = doc -> 1', 'doc @> ''{"a":1}''', 'doc ? ''a''', 'jsonb_array_length(doc) = 1', 'doc #>> ''{a}'' = ''x''', 'js ->> ''a'' = ''x''', 'json_array_length(js) = 0', 'js #>> ''{a}'' = ''x''',
	'list[i] = 1', 'i = ANY (list)', 'list @> ''{1}''', 'list && ''{1}''', 'array_length(list, j) = 1', 'cardinality(list) = 1', 'greatest(i, j) > 0', 'least(f, n::double precision) > 0'
]) AS c WHERE c <> 'doc -> 0 = doc -> 1';
SELECT t.accept('SELECT dp_sum(' || e || ', 0, 100) FROM odd') FROM unnest('{i + j,i / j,f * f,n / n,n::integer,s::integer,length(s),extract(epoch from iv),"CASE WHEN i > 0 THEN 1 / j END","coalesce(i / j, 0)","(doc ->> ''a'')::numeric"}'::text[]) AS e;

-- A call that fails is null, and nothing around it: noise of a huge epsilon.
CREATE FUNCTION t.counted(condition text) RETURNS bigint LANGUAGE sql AS
$$SELECT round(t.run('gate_ann', 'SELECT dp_count(id, 50) FROM odd WHERE ' || condition)::numeric)::bigint$$;
SELECT is(t.counted('i / j IS NULL'), 1::bigint);
SELECT is(t.counted('i + j IS NULL'), 1::bigint, 'overflow');
SELECT is(t.counted('NOT (i / j > 0) OR i / j > 0 OR i / j IS NULL'), 5::bigint);
SELECT is(t.counted('j = 0 OR i / j > -5'), 5::bigint, 'an arm that fails decides nothing');
SELECT is(t.counted('i / j > 0 OR id > 0'), 5::bigint);
SELECT is(t.counted('coalesce(i / j, -1) = -1 AND id = 4'), 1::bigint);
SELECT is(t.counted('s::numeric = 99999999999999999999'), 1::bigint);
SELECT is(t.counted('s::integer IS NULL'), 5::bigint);
SELECT is(t.counted('n::integer IS NOT NULL'), 2::bigint);
SELECT is(t.counted('s LIKE ''9%9'''), 1::bigint);
SELECT is(t.counted('s LIKE ANY (ARRAY[''9%9'', ''('', NULL])'), 2::bigint);
SELECT is(t.counted('NOT s LIKE ANY (''{9%9,(}''::text[])'), 2::bigint, 'the long text aside');
SELECT is(t.counted('s NOT LIKE ALL (ARRAY[''9%9'', ''('', E''a\\\\'', ''''])'), 0::bigint);
SELECT is(t.counted('length(s) IS NULL'), 1::bigint, 'a text of more than a megabyte');
SELECT is(t.counted('1 = ANY (list)'), 2::bigint);

-- The stack is not used up by rows alone: a caller near its end is refused
-- before anything is charged.
CREATE FUNCTION t.deep(depth integer, command text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF depth > 0 THEN
		PERFORM t.deep(depth - 1, command);
	ELSE
		EXECUTE command;
	END IF;
END
$$;
CREATE FUNCTION t.deepest(command text, OUT depth integer, OUT state text) LANGUAGE plpgsql AS $$
DECLARE
	less integer := 0;
	more integer := 10000;
BEGIN
	WHILE more - less > 1 LOOP
		depth := (less + more) / 2;
		BEGIN
			PERFORM t.deep(depth, command);
			less := depth;
		EXCEPTION WHEN OTHERS THEN
			state := SQLSTATE;
			more := depth;
		END;
	END LOOP;
	depth := less;
END
$$;
SELECT depth AS deep FROM t.deepest('SELECT 1') \gset
SELECT count(*) AS charges FROM dp_noise.ledger \gset
SELECT throws_ok(format('SELECT t.deep(%s, %L)', :deep - 10, 'SELECT dp_count(*) FROM odd WHERE s LIKE ''%x%x%x%x%x%x%x%x%'''), '54001', NULL, 'near the end of the stack');
SELECT is(count(*), :charges::bigint, 'nothing is charged') FROM dp_noise.ledger;

-- Letters are those of ASCII, and texts in the order of their bytes.
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE name < ''m'' COLLATE "en-x-icu"');
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE name COLLATE "C" < ''m''');

-- Refused, in the words of SQL.
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE ' || c), m, c) FROM (VALUES
	('name ~ city', '0A000: operator ~ can be used in WHERE over a protected relation only with a constant'),
	('name LIKE ANY (visits::text[])', '0A000: %'),
	('extract(hour from born) = 1', '0A000: unit "hour" not supported for type date'),
	('date_trunc(''mnth'', seen) = now()', '22023: unit "mnth" not recognized%'),
	('date_trunc(name, seen) = now()', '0A000: function date_trunc(%) can be used in WHERE over a protected relation only with a constant'),
	('to_char(seen, name) = ''''', '0A000: %only with a constant'),
	('to_char(seen, ''TMMonth'') = ''''', '0A000: %cannot be used in this way%'),
	('to_char(age, ''L9'') = ''''', '0A000: %cannot be used in this way%'),
	('name ~ ''(''', '2201B: %'), ('name ~ ''(a)\1''', '0A000: %cannot be used in this way%'), ('name LIKE ''a\''', '22025: %') ,
	('seen AT TIME ZONE city > ''2020-01-01''', '0A000: %only with a constant'), ('seen AT TIME ZONE ''Nowhere'' > ''2020-01-01''', '22023: time zone "Nowhere" not recognized'),
	('EXISTS (SELECT FROM numbers WHERE x::text ~ name)', '0A000: %only with a constant'), ('EXISTS (SELECT FROM numbers WHERE to_char(x, name) = '''')', '0A000: %only with a constant'),
	('name ~ (SELECT max(x || name) FROM numbers)', '0A000: %'), ('name ~ (SELECT CASE WHEN max(x + age) > 3 THEN ''a'' ELSE ''b'' END FROM numbers)', '0A000: %only with a constant'),
	('name ~ ANY (SELECT name FROM numbers)', '0A000: %only with a constant'), ('EXISTS (SELECT FROM numbers WHERE seen AT TIME ZONE (name || x) IS NULL)', '0A000: %only with a constant'),
	('id IN (SELECT p.id FROM patients AS p WHERE EXISTS (SELECT FROM numbers WHERE p.name ~ patients.name))', '0A000: %'),
	('random() < 0.5', '0A000: function random() cannot be used in WHERE over a protected relation'),
	('clock_timestamp() > seen', '0A000: function clock_timestamp() cannot be used%'),
	('feeling > feeling', '0A000: operator >(%) cannot be used%'),
	('age::money IS NULL', '0A000: a cast from integer to money cannot be used%'),
	('visits::text = ''''', '0A000: %'),
	('pg_catalog.numeric(weight, age) > 1', '0A000: function "numeric"(numeric,integer) can be used in WHERE over a protected relation only with a constant'),
	('bpchar(code, age, true) = ''''', '0A000: %only with a constant'), ('pg_sleep(age) IS NULL', '0A000: function pg_sleep(double precision) cannot be used%'),
	('dp_noise.try_int4div(1, age) = 0', '0A000: function dp_noise.try_int4div(integer,integer) cannot be used%'),
	('query_to_xml(name, true, true, '''') IS NULL', '0A000: %'), ('current_setting(name) = ''''', '0A000: %'), ('pg_read_file(name) = ''''', '0A000: %'),
	('to_regclass(name) IS NULL', '0A000: %'), ('convert(name::bytea, ''UTF8'', ''LATIN1'') IS NULL', '0A000: %'), ('age(born) > ''1 y'' AND lo_get(age) IS NULL', '0A000: %')) AS v (c, m);
-- of a pattern that is known only when the question is asked
SELECT is(t.run('gate_ann', 'SELECT 1'), '1');

-- One question, and two.
CREATE FUNCTION t.question(query text, VARIADIC settings text[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	setting text;
BEGIN
	FOREACH setting IN ARRAY settings LOOP
		PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), false);
	END LOOP;
	result := t.explained('SELECT dp_count(*) FROM patients WHERE ' || query, 'Question');
	RESET timezone;
	RESET datestyle;
	RETURN result;
END
$$;
SELECT is(t.question(a), t.question(b), a || ' is ' || b) FROM (VALUES
	('age + small > 3', '3 < small + age'), ('age * 2 > 3', '2 * age > 3'), ('NOT name LIKE ''a%''', 'name NOT LIKE ''a%'''), ('name ~~ ''a%''', 'name LIKE ''a%'''),
	('date_trunc(''month'', born) = ''1960-01-01''', 'date_trunc(''mo'' || ''nth'', born) = ''1960-01-01'''), ('age / (1 + 1) = 3', 'age / 2 = 3')) AS v (a, b);
SELECT isnt(t.question(a), t.question(b), a || ' is not ' || b) FROM (VALUES
	('age / small > 3', 'age::numeric / small::numeric > 3'), ('age - small > 3', 'small - age > 3'), ('age / 2 > 3', 'age / 3 > 3'), ('lower(name) = ''a''', 'upper(name) = ''a'''),
	('age::text = ''1''', 'age = 1'), ('name LIKE ''a%''', 'name ILIKE ''a%'''), ('age = ANY (visits)', 'age = ALL (visits)'), ('age = ANY (visits)', 'age <> ANY (visits)'), ('visits[1] = 1', 'visits[2] = 1'),
	('greatest(age, small) = 1', 'least(age, small) = 1'), ('-age = 1', 'age = 1'), ('count_is(age)', 'age IS NULL')) AS v (a, b) WHERE a !~ 'count_is';
SELECT isnt(t.explained('SELECT dp_count(age) FROM patients', 'Question'), t.explained('SELECT dp_count(age / small) FROM patients', 'Question'), 'what can be null is counted where it is not');
SELECT isnt(t.question('seen::date = ''2020-01-02''', 'timezone=UTC'), t.question('seen::date = ''2020-01-02''', 'timezone=Asia/Tokyo'), 'the time zone is part of a question that depends on it');
SELECT isnt(t.question('seen = ANY (ARRAY[date ''2020-01-02''])', 'timezone=UTC'), t.question('seen = ANY (ARRAY[date ''2020-01-02''])', 'timezone=Asia/Tokyo'));
SELECT is(t.question('born + 1 > ''2020-01-02''', 'timezone=UTC'), t.question('born + 1 > ''2020-01-02''', 'timezone=Asia/Tokyo'), 'and of no other');
-- and the answer is that in this zone
CREATE FUNCTION t.counted_in(zone text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	truth text;
	said text;
BEGIN
	PERFORM set_config('timezone', zone, true), set_config('dp_noise.epsilon', '1000', true);
	said := t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE ' || condition);
	EXECUTE 'SELECT count(*) FROM patients WHERE ' || condition INTO truth;
	RETURN is(said, truth, condition || ' in ' || zone);
END
$$;
SELECT t.counted_in(zone, c) FROM unnest('{UTC,Asia/Tokyo,America/New_York,<+02>-02}'::text[]) AS zone,
	unnest(ARRAY['seen::date = ''2020-01-02''', 'to_char(seen, ''HH24'') = ''07''', 'seen < date ''2020-01-02''', 'extract(hour from date_trunc(''day'', seen)) = 0 AND extract(day from seen) = 3', 'seen = ANY (ARRAY[date ''2020-01-02''])']) AS c;
SELECT is(t.question('born::text = ''1950-01-02''', 'datestyle=ISO'), t.question('born::text = ''1950-01-02''', 'datestyle=German'), 'texts of dates are in ISO form');
SELECT t.question('seen > now()') AS earlier \gset
SELECT isnt(t.question('seen > now()'), :'earlier', 'now() is part of the question by its value');
SELECT is(t.question('born > current_date'), t.question('born > current_date'), 'and current_date is, for a day') WHERE to_char(now(), 'HH24:MI') <> '23:59';
SELECT is(t.run('gate_ann', 'SELECT abs(dp_count(id, 50) - 23) < 3 FROM patients WHERE seen::date = ''2020-01-01'''), 'true');
SELECT is(t.run('gate_ann', 'SELECT abs(dp_count(id, 50) - 1) < 1 FROM patients WHERE born::text = ''1950-01-02'''), 'true');
SELECT is(t.run('gate_ann', 'SELECT abs(dp_count(id, 50)) < 1 FROM patients WHERE seen > now() + interval ''100 years'''), 'true');

-- What the analyst wrote is what EXPLAIN shows.
SELECT is(t.explained('SELECT age / 10, dp_count(*) FROM patients GROUP BY 1', 'Public Group Key'), '(age / 10) (declared bounds, 13 values)');

-- Keys computed from bounds and declared values are public.
CREATE FUNCTION t.keys(key text) RETURNS text LANGUAGE sql AS
$$SELECT t.run('gate_ann', format('SELECT count(*) || '': '' || string_agg(coalesce(k::text, ''null''), '' '' ORDER BY k) FROM (SELECT %s AS k, dp_count(*) FROM patients GROUP BY 1) AS s', key))$$;
SET ROLE gate_owner;
SELECT dp_noise.set_values('public.patients', 'label', '{l0,l1,M2}');
RESET ROLE;
SELECT is(t.keys(k), v, k) FROM (VALUES
	('age / 30', '5: 0 1 2 3 4'), ('age % 3', '3: 0 1 2'), ('(age / 40) * 40', '4: 0 40 80 120'), ('floor(age / 50.0) * 50', '3: 0 50 100'), ('width_bucket(age, 0, 120, 2)', '3: 1 2 3'), ('age > 50', '2: false true'),
	('CASE WHEN age / 60 > 0 THEN ''old'' ELSE ''young'' END', '2: old young'), ('lower(label)', '4: l0 l1 m2 null'), ('left(label, 1)', '3: M l null'), ('label || ''!''', '4: M2! l0! l1! null'), ('length(label)', '2: 2 null'), ('label LIKE ''l%''', '3: false true null'), ('10 / age', '7: 0 1 2 3 5 10 null')) AS v (k, v);
SELECT is(t.keys('round(bmi)'), NULL) WHERE false;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients GROUP BY small / 10');
-- The order of enums and their casts, OVERLAPS, ranges, bytes, and who asks.
SET ROLE gate_owner;
ALTER TABLE public.patients ADD days daterange, ADD weights numrange, ADD raw bytea, ADD until date, ADD clock time;
UPDATE public.patients SET feeling = CASE id % 4 WHEN 0 THEN 'sad' WHEN 1 THEN 'ok' WHEN 2 THEN 'happy' END::public.mood, days = daterange(born, born + 10), weights = numrange(weight - 1, weight + 1),
	raw = decode(lpad(to_hex(id), 4, '0'), 'hex'), until = CASE WHEN id % 5 > 0 THEN born + id % 30 END, clock = time '08:00' + id % 60 * interval '1 minute', city = CASE id % 3 WHEN 0 THEN 'gate_ann' WHEN 1 THEN 'happy' ELSE 'Happy' END;
CREATE TYPE public.none AS ENUM ();
RESET ROLE;
CREATE FUNCTION t.count_of(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	truth bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM public.patients WHERE %s', replace(replace(replace(replace(condition, 'current_user', '''gate_ann'''), 'session_user', '''gate_ann'''),
		'city::public.mood', 'CASE city WHEN ''happy'' THEN city END::public.mood'), '(feeling::text || ''x'')::public.mood', 'NULL::public.mood')) INTO truth;
	RETURN is(t.run('gate_ann', format('SELECT dp_count(id, 1000) FROM patients WHERE %s', condition)), truth::text, condition);
END
$$;
SELECT t.count_of(format(c, condition)) FROM unnest(ARRAY['feeling > ''sad''', 'feeling >= ''ok''', 'feeling < ''sad''', 'feeling <= ''happy''', '''ok'' < feeling', 'feeling > ''happy''', 'feeling BETWEEN ''sad'' AND ''ok''',
	'feeling::text = ''ok''', 'feeling::text LIKE ''%%a%%''', 'upper(feeling::text) = ''SAD''', 'feeling::varchar = ''ok''', 'city::public.mood = ''happy''', 'city::public.mood IS NULL', '(feeling::text || ''x'')::public.mood IS NULL', 'feeling::text::public.mood > ''sad''',
	'(born, until) OVERLAPS (date ''1950-03-01'', date ''1950-06-01'')', '(born, until) OVERLAPS (date ''1950-03-01'', interval ''10 days'')', '(clock, interval ''1 hour'') OVERLAPS (time ''08:30'', time ''08:40'')',
	'(born::timestamp, until::timestamp) OVERLAPS (NULL, timestamp ''1951-01-01'')', 'days @> date ''1950-06-01''', 'days @> born', 'born <@ days', 'days && ''[1950-03-01,1950-06-01)''', 'lower(days) > ''1951-01-01''', 'upper(weights) > 80', 'weights @> weight',
	'weights @> 50.5', 'isempty(days)', 'days << ''[1950-03-01,1950-06-01)''', 'lower_inc(days)', 'raw = ''\x0010''', 'raw > ''\x0100''', 'length(raw) = 2', 'raw < ''\x01''', 'age << 2 > 50', 'gcd(age, 6) = 3', 'to_hex(id) = ''ff''', 'scale(weight) = 0', 'trim_scale(weight) > 60',
	'overlay(city placing ''x'' from 1) = ''xappy''', 'city = current_user', 'city <> session_user', 'city = user', 'city = current_role', 'length(current_user) = 8']) AS condition,
	unnest('{%s,NOT (%s),(%s) IS NULL}'::text[]) AS c
WHERE condition !~ '(user|role)' OR c = '%s' AND condition !~ '= (user|current_role)';
SELECT t.accept(format('SELECT dp_count(*) FROM patients WHERE city = %s AND %s', w, n)) FROM unnest('{current_role,user,current_user,session_user,current_catalog}'::text[]) WITH ORDINALITY AS u (w, n_), LATERAL (SELECT 'age <> ' || n_ + 200 AS n) AS x;
SELECT is(t.question('city = current_user'), t.question('city = ''gate_ann'''), 'who asks is part of a question by the name');
SELECT is(t.run('gate_bob', 'SELECT dp_count(id, 1000) FROM patients WHERE city = current_user'), '0', 'and is not the owner');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE feeling > feeling');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE age::text::public.none IS NULL AND feeling > name::public.mood');
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE city::public.none IS NULL');
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat_ws('':'', k, n), '' '' ORDER BY k) FROM (SELECT CASE WHEN feeling > ''sad'' THEN ''well'' ELSE ''not'' END AS k, dp_count(id, 1000) AS n FROM patients GROUP BY 1) AS r'), 'not:500 well:500');

SELECT * FROM finish();
\ir support/gate_end.sql
