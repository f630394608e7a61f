-- Functions of any number of arguments, comparisons of rows, and what else
-- analysts write: what is asked is what a plain query gives, of nulls, too.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.things (id integer PRIMARY KEY, a integer, b smallint, c bigint, f double precision, n numeric, s text, v varchar(9), p character(4), yes boolean, d date, ts timestamp, tz timestamptz, tm time, iv interval, u uuid,
	ip inet, net cidr, mac macaddr, tt timetz, raw bytea, bits bit(3), tags text[], nums integer[], days daterange, j json, doc jsonb, day text, hex text, feeling public.mood, big numeric);
INSERT INTO public.things
SELECT i, nullif(i % 4, 0), nullif(i % 3, 0), i * 10000000000, i / 4.0, i / 3.0, nullif('s' || i % 5, 's0'), 'v' || i % 3, left('pad', i % 4), nullif(i % 3, 2) = 1, nullif(date '2020-01-01' + i, '2020-01-08'), timestamp '2020-01-01 00:00' + i * interval '1 hour',
	timestamptz '2020-01-01 00:00Z' + i * interval '1 hour', time '10:00' + i * interval '1 minute', i * interval '1 hour', lpad(to_hex(i % 9), 32, '0')::uuid, inet '10.0.0.0' + i % 7, network(set_masklen(inet '10.0.0.0' + i * 256, 24)), ('08:00:2b:00:00:0' || i % 8)::macaddr,
	('10:00:00+0' || i % 5)::timetz, decode(lpad(to_hex(i), 4, '0'), 'hex'), (i % 8)::bit(3), ARRAY['t' || i % 3, NULL, 't' || i % 4], ARRAY[i % 3, i % 5, i % 7], daterange(date '2020-01-01' + i, date '2020-01-20' + i),
	json_build_object('a', i % 6), CASE i % 6 WHEN 0 THEN 'null' WHEN 1 THEN '[1,2,3]' WHEN 2 THEN '"x"' ELSE jsonb_build_object('a', i % 5, 'b', jsonb_build_array(i % 4, i % 3, 'x'), 'on', '2020-01-0' || i % 9 + 1) END,
	CASE WHEN i % 5 = 0 THEN 'no day' ELSE to_char(date '2020-01-01' + i, 'DD.MM.YYYY') END, CASE WHEN i % 4 = 0 THEN 'xyz' ELSE lpad(to_hex(i), 4, '0') END, 'ok', CASE WHEN i % 10 = 0 THEN 1e131071 ELSE i END
FROM generate_series(1, 60) AS i;
SELECT dp_noise.protect('public.things', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.things', on_repeat => 'answer'), dp_noise.set_budget(r, 'public.things', 1e9, delta => 1) FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS r;
RESET ROLE;

-- As the plain query, NOT and IS NULL of it as well.
CREATE FUNCTION t.count_of(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	truth text;
BEGIN
	EXECUTE format('SELECT count(*) FROM public.things WHERE %s', condition) INTO truth;
	RETURN is(t.run('gate_ann', format('SELECT dp_count(id, 1000) FROM things WHERE %s', condition)), truth, condition);
EXCEPTION WHEN data_exception THEN
	RETURN t.accept(format('SELECT dp_count(id, 1000) FROM things WHERE %s', condition));
END
$$;
CREATE FUNCTION t.texts_of(expression text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	truth text;
BEGIN
	FOR truth IN EXECUTE format('SELECT DISTINCT quote_literal(%s) FROM public.things WHERE id <= 12 AND %1$s IS NOT NULL', expression) LOOP
		RETURN NEXT t.count_of(format('%s = %s', expression, truth));
	END LOOP;
	RETURN NEXT t.count_of(format('%s IS NULL', expression));
END
$$;
SET timezone = 'Asia/Tokyo';
SELECT t.texts_of(e) FROM unnest(ARRAY['concat(s, v)', 'concat(s, ''-'', a, yes, p, b, c)', 'concat(p, ''|'', d, ''|'', ts, ''|'', tm)', 'concat(tz)', 'concat(f, '' '', n)', 'concat(iv, u)', 'concat(ip, '' '', net, mac, tt)', 'concat(doc, j)', 'concat(NULL, s)', 'concat(s)', 'concat(a + 1, '':'', upper(s))',
	'concat_ws('', '', s, a, d)', 'concat_ws(s, a, b, v)', 'concat_ws(v, s, s)', 'concat_ws(''é→'', a, b, yes, s)', 'concat_ws(NULL, s)', 'format(''%s'', s)', 'format(''%s-%s %% %2$s%1$s|%s'', s, a, yes)', 'format(''plain'')', 'format(''%1$s%1$s'', d)',
	'array_to_string(tags, '','')', 'array_to_string(tags, '','', ''*'')', 'array_to_string(nums, '' '')', 'encode(raw, ''hex'')', 'encode(sha256(raw), ''base64'')', 'left(md5(s), 2)', 'chr(64 + id)']) AS e;
SELECT t.count_of(format(c, condition)) FROM unnest(ARRAY['(a, b) = (1, 2)', '(a, b) <> (1, 2)', '(a, b) < (2, 1)', '(a, b, id) >= (2, 1, 30)', '(a, b) <= (2, NULL)', '(d, id) > (date ''2020-01-20'', 3)', '(a, b) IN ((1, 2), (3, 1), (NULL, 2))', '(a, s) NOT IN ((1, ''s1''), (2, ''s2''))', '(a, b) IS NULL', '(a, b) IS NOT NULL', '(a, b) IS DISTINCT FROM (1, 2)',
	'num_nulls(a, b, s) = 1', 'num_nonnulls(a, b, s, yes) > 2', 'num_nulls(a) = 1', 'concat(a, b) = ''''', 'to_date(day, ''DD.MM.YYYY'') > ''2020-01-31''', 'to_timestamp(day, ''DD.MM.YYYY'') > ''2020-01-31''', 'to_number(s, ''"s"9'') > 2', 'decode(hex, ''hex'') = raw', 'replace(day, ''.'', ''-'')::date > ''2020-01-05''',
	'(left(ts::text, 19) || ''+02'')::timestamptz > ''2020-01-02''', 'ts::text::timestamptz > ''2020-01-02''', 'doc = ''{"a":1,"b":[1,2,"x"]}''', 'doc <> ''null''', 'doc -> ''a'' = ''3''', 'doc -> ''b'' -> 0 IN (''1'', ''2'')', 'doc @? ''$.b[*] ? (@ == 2)''', 'doc @@ ''$.a > 2''', 'jsonb_path_exists(doc, ''$.a ? (@ > $x)'', ''{"x":2}'')',
	'jsonb_path_match(doc, ''$.a == 3'', silent => true)', 'jsonb_path_query_first(doc, ''$.b[last - 1]'') = ''2''', 'jsonb_extract_path_text(doc, ''b'', ''0'') = ''1''', 'j::jsonb -> ''a'' = ''2''', '(doc ->> ''on'')::timestamptz > ''2020-01-04''', 'ip = ''10.0.0.3''', 'ip IN (''10.0.0.3'', ''10.0.0.4'')', 'nullif(ip, ''10.0.0.3'') IS NULL', 'ip + 1 > ''10.0.0.4''', 'ip - inet ''10.0.0.0'' > 3', 'net = ''10.0.3.0/24''', 'mac > ''08:00:2b:00:00:03''',
	'tt = ''10:00+03''', 'tt > ''10:00+03''', 'extract(hour from tt) = 10', 'tt IS DISTINCT FROM ''10:00+03''', 'bits = B''101''', '(bits & B''101'') = B''001''', 'bits::integer > 3', 'get_byte(raw, 1) > 30', 'string_to_array(day, ''.'') @> ''{01}''', '(string_to_array(day, ''.''))[3] = ''2020''', '''02'' = ANY (string_to_array(day, ''.''))', 'array_position(tags, ''t2'') = 1', 'array_position(tags, NULL) = 2',
	'array_remove(nums, 1) = ''{2,2,2}''', 'cardinality(array_remove(tags, NULL)) = 2', 'trim_array(nums, a) = ''{1}''', 'tags || ''x''::text @> ''{x}''', 'nums || nums @> ''{3}''', 'width_bucket(f, ''{1,5,10}''::float8[]) = 2', 'width_bucket(id, ''{10,20,30}''::int[]) = 2', 'daterange(d, d + a) @> date ''2020-01-20''', 'int4range(a, b) @> 2', 'int4range(a, b, ''[]'') @> 2', 'days * daterange(''2020-01-10'', NULL) = ''empty''',
	'hashtext(s) % 3 = 1', 'abs(hashint8(c)) % 10 < 3', 'regexp_count(day, ''0'') = 2', 'regexp_substr(day, ''\d+'', 1, 2) = ''01''', '(regexp_split_to_array(day, ''\.''))[2] = ''02''', 'make_timestamptz(2020, 1, 1 + a, 0, 0, 0) > tz', 'greatest(s COLLATE "C", v) = ''v1''', 'least(v, s COLLATE "C") = ''s1''', 'sinh(f) > 3', 'cosd(f) > 0.5', 'round(log(n), 1) = 0.5', 'concat(big) = ''1''']) AS condition,
	unnest('{%s,NOT (%s),(%s) IS NULL}'::text[]) AS c;
RESET timezone;

-- In other places than conditions.
SET dp_noise.delta = 0.01;
SET dp_noise.epsilon = 100000;
SELECT is(t.run('gate_ann', 'SELECT string_agg(k || '':'' || n, '' '' ORDER BY k) FROM (SELECT concat_ws(''/'', v, yes) AS k, dp_count(id, 1000) AS n FROM things GROUP BY 1) AS x'),
	(SELECT string_agg(k || ':' || n, ' ' ORDER BY k) FROM (SELECT concat_ws('/', v, yes) AS k, count(*) AS n FROM public.things GROUP BY 1) AS x), 'as a private key');
SELECT is(t.run('gate_ann', format('SELECT string_agg(k::text || '':'' || n, '' '' ORDER BY k) FROM (SELECT %s AS k, dp_count(id, 1000) AS n FROM things GROUP BY 1) AS x', k)), v, k || ' as a key') FROM (VALUES
	('ip', (SELECT string_agg(ip::text || ':' || n, ' ' ORDER BY ip) FROM (SELECT ip, count(*) AS n FROM public.things GROUP BY 1) AS x)),
	('tt', (SELECT string_agg(tt::text || ':' || n, ' ' ORDER BY tt) FROM (SELECT tt, count(*) AS n FROM public.things GROUP BY 1) AS x)),
	('mac', (SELECT string_agg(mac::text || ':' || n, ' ' ORDER BY mac) FROM (SELECT mac, count(*) AS n FROM public.things GROUP BY 1) AS x)),
	('concat(p, ''x'')', (SELECT string_agg(k || ':' || n, ' ' ORDER BY k) FROM (SELECT concat(p, 'x') AS k, count(*) AS n FROM public.things GROUP BY 1) AS x))) AS x (k, v);
SELECT is(t.run('gate_ann', 'SELECT round(dp_sum(num_nulls(a, b, s, yes), 0, 4, 1000)) FROM things'), (SELECT sum(num_nulls(a, b, s, yes))::text FROM public.things), 'in a sum');
SELECT is(t.run('gate_ann', 'SELECT dp_count(id, 1000) FILTER (WHERE concat(s, a) = ''s11'') FROM things'), (SELECT count(*) FILTER (WHERE concat(s, a) = 's11')::text FROM public.things), 'in FILTER');

-- Bounds of lengths follow where LEAST has one, and of nothing that may be greater.
SELECT is(t.run('gate_ann', 'SELECT round(avg(least(length(day), 8))::numeric, 1) FROM things'), (SELECT round(avg(least(length(day), 8)), 1)::text FROM public.things), 'the mean of lengths');
SELECT is(t.run('gate_ann', 'SELECT round(sum(least(100, cardinality(tags)))) FROM things'), (SELECT sum(least(100, cardinality(tags)))::text FROM public.things));
SET dp_noise.choose_bounds = 0;
SELECT is(left(t.run('gate_ann', 'SELECT ' || e || ' FROM things'), 5), '22023', e || ' has no bounds') FROM unnest('{"sum(length(s))","sum(greatest(length(s), 3))","sum(greatest(3, length(s)))","sum(least(100, a))","sum(greatest(1, a))"}'::text[]) AS e;
RESET dp_noise.choose_bounds;

-- What is beyond bounds is null, not left out.
SELECT is(t.run('gate_ann', 'SELECT dp_count(id, 1000) FROM things WHERE length(concat(s, repeat(s, 9000), repeat(s, 9000))) IS NULL'), '0');
SELECT is(t.run('gate_ann', 'SELECT dp_count(id, 1000) FROM things WHERE concat_ws('','', big, s) IS NULL'), '0', 'a numeric is within bounds, as a text');
SELECT is(t.run('gate_ann', 'SELECT dp_count(id, 1000) FROM things WHERE concat(' || string_agg(format('repeat(s, 9000 + %s)', i), ',') || ') IS NULL'), '0') FROM generate_series(1, 20) AS i;
SELECT is(t.run('gate_ann', 'SELECT dp_count(id, 1000) FROM things WHERE concat(' || string_agg(format('repeat(repeat(''abc'', 100), 900 + %s)', i), ',') || ', s) IS NULL'), '60', 'a text of more than a megabyte') FROM generate_series(1, 20) AS i;

-- Refused: what calls a user's code, a locale, or fails for every row.
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM things WHERE ' || c), m, c) FROM (VALUES
	('concat(feeling, s) = ''''', '0A000: function concat("any") cannot be used%'), ('concat(VARIADIC tags) = ''''', '0A000: function concat("any") cannot be used%'), ('concat(raw) = ''''', '0A000: a cast from bytea to text cannot be used%'), ('format(s, a) = ''''', '0A000: function format(%) cannot be used%'),
	('format(''%I'', s) = ''''', '0A000: function format(%) cannot be used%'), ('format(''%5s'', s) = ''''', '0A000: %'), ('format(''%s%s'', s) = ''''', '0A000: %'), ('format(''%'', s) = ''''', '0A000: %'), ('format(''%99999999999$s'', s) = ''''', '0A000: %'), ('concat_ws(raw::text, s) = ''''', '0A000: %'), ('concat_ws('','', raw) = ''''', '0A000: %'),
	('(feeling, a) < (''ok'', 1)', '%'), ('to_date(s, v) > d', '0A000: %only with a constant'), ('to_timestamp(s, ''YYYY TZ'') > tz', '0A000: %cannot be used in this way%'), ('to_date(s, ''TMMonth'') > d', '0A000: %cannot be used in this way%'), ('to_number(s, ''9S9S'') > 1', '42601: %'), ('to_number(s, ''L9'') > 1', '0A000: %cannot be used in this way%'),
	('decode(s, ''hax'') = raw', '0A000: %cannot be used in this way%'), ('encode(raw, s) = ''''', '0A000: %only with a constant'), ('doc @? ''$.**''', '0A000: %cannot be used in this way%'), ('doc @? ''$[0,0]''', '0A000: %cannot be used in this way%'), ('doc @? ''$ ? ($.a == 1)''', '0A000: %'), ('doc @? ''$x''', '0A000: %'), ('jsonb_path_exists(doc, ''$x'', doc)', '0A000: %only with a constant'),
	('jsonb_path_exists(doc, ''$x'', ''{"y":1}'')', '0A000: %'), ('jsonb_path_exists(doc, ''$x'', ''[]'')', '0A000: %'), ('doc @? s::jsonpath', '0A000: %'), ('greatest(s, v COLLATE "en-x-icu") = ''''', '0A000: texts can be put in order%'), ('nums[1:2] = ''{1}''', '0A000: %'), ('int4range(a, b, ''x'') @> 1', '0A000: %cannot be used in this way%'), ('int4range(a, b, s) @> 1', '0A000: %only with a constant'), ('s::timetz = tt', '0A000: a cast from text to time with time zone cannot be used%'), ('tm::timetz = tt', '0A000: %')) AS v (c, m);
SELECT CASE WHEN datcollate IN ('C', 'POSIX') THEN t.accept('SELECT dp_count(*) FROM things WHERE doc < ''3''') ELSE t.refuse('0A000', 'SELECT dp_count(*) FROM things WHERE doc < ''3''') END FROM pg_database WHERE datname = current_database();

-- One question, and two.
CREATE FUNCTION t.question(condition text, zone text DEFAULT 'UTC') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('timezone', zone, true);
	RETURN t.explained('SELECT dp_count(*) FROM things WHERE ' || condition, 'Question');
END
$$;
SELECT is(t.question(a), t.question(b), a || ' is ' || b) FROM (VALUES ('(a, b) < (2, 1)', 'a < 2 OR (a = 2 AND b < 1)'), ('(a, b) = (2, 1)', 'b = 1 AND a = 2'), ('concat(s, ''a'') = ''sa''', '''sa'' = concat(s, ''a'')')) AS v (a, b);
SELECT isnt(t.question(a), t.question(b), a || ' is not ' || b) FROM (VALUES ('concat(s, v) = ''a''', 'concat(v, s) = ''a'''), ('concat_ws('','', s, v) = ''a''', 'concat(s, '','', v) = ''a'''), ('nums[1] = 1', 'nums[2] = 1'), ('num_nulls(a, b) = 1', 'num_nonnulls(a, b) = 1'),
	('doc @? ''$.a''', 'doc @? ''$.b'''), ('jsonb_path_exists(doc, ''$.a'', ''{}'')', 'jsonb_path_exists(doc, ''strict $.a'', ''{}'')'), ('to_date(day, ''DD.MM.YYYY'') = d', 'to_date(day, ''MM.DD.YYYY'') = d'), ('ip = ''10.0.0.1''', 'ip = ''10.0.0.2'''), ('(a, b) < (2, 1)', '(b, a) < (2, 1)'), ('bits = B''101''', 'bits = B''100'''), ('tt = ''10:00+01''', 'tt = ''09:00+00''')) AS v (a, b);
SELECT isnt(t.question(c), t.question(c, 'Asia/Tokyo'), 'depends on the time zone: ' || c) FROM unnest('{concat(tz) = s,"concat_ws(s, tz) = s","format(''%s'', tz) = s",s::timestamptz > ts,"to_timestamp(s, ''YYYY'') > ts","make_timestamptz(2020, 1, a, 0, 0, 0) > tz"}'::text[]) AS c;
SELECT is(t.question('concat(ts, d) = s'), t.question('concat(ts, d) = s', 'Asia/Tokyo'), 'and others do not');

-- Who asks is known when a question is asked, not when it was planned: also in
-- what was prepared as somebody else. The current user is the same.
GRANT gate_ann TO gate_bob;
SET ROLE gate_owner;
UPDATE public.things SET s = CASE WHEN id <= 20 THEN 'gate_ann' WHEN id <= 50 THEN 'gate_bob' END;
RESET ROLE;
SET plan_cache_mode = force_generic_plan;
SET SESSION AUTHORIZATION gate_ann;
PREPARE mine AS SELECT dp_count(id, 1000) AS n FROM public.things WHERE s = session_user;
PREPARE ours AS SELECT dp_count(id, 1000) AS n FROM public.things WHERE s = current_user AND current_database() <> s;
EXECUTE mine \gset ann_
RESET SESSION AUTHORIZATION;
SELECT is(:ann_n::numeric, 20::numeric, 'gate_ann''s');
SET SESSION AUTHORIZATION gate_bob;
SET ROLE gate_ann;
EXECUTE mine \gset bob_
EXECUTE ours \gset ours_
RESET SESSION AUTHORIZATION;
RESET plan_cache_mode;
SELECT is(:bob_n::numeric, 30::numeric, 'gate_bob''s, who acts as gate_ann');
SELECT is(:ours_n::numeric, 20::numeric, 'the current user''s');
SELECT is(t.run('gate_ann', 'SELECT dp_count(id, 1000) FROM things WHERE concat(''x'', current_user) = ''x'' || s'), '20');
SELECT is(t.run('gate_ann', 'SELECT round(dp_sum(CASE WHEN s = current_user THEN 1 END, 0, 1, 1000)) FROM things'), '20');

------------------------------------------------------------------------------
-- Within bounds: each call in a call would double what is written out

CREATE FUNCTION t.nested(first text, form text, depth integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. depth LOOP
		first := format(form, first);
	END LOOP;
	RETURN first;
END
$$;
SELECT alike(t.run('gate_ann', format('EXPLAIN SELECT dp_count(*) FROM things WHERE (%s) IS NOT NULL', t.nested(first, form, 40))), '54000: an expression over a protected relation is too long', form) FROM (VALUES
	('s', 'concat(%s, ''x'')'), ('s', 'concat_ws(%s, s, s)'), ('s', 'format(''%%s%%1$s'', %s)'), ('a', 'CASE WHEN (%s, b) < (1, b) THEN 1 ELSE b END')) AS v (first, form);
SELECT unalike(t.run('gate_ann', format('EXPLAIN SELECT dp_count(*) FROM things WHERE (%s) IS NOT NULL', t.nested(first, form, 5))), '%:%', form || ', five times') FROM (VALUES
	('s', 'concat(%s, ''x'')'), ('s', 'concat_ws('','', %s, s)'), ('a', 'CASE WHEN (%s, b) < (1, b) THEN 1 ELSE 2 END'), ('a', 'num_nulls(%s)')) AS v (first, form);

-- So would a list in what is compared to a list, whichever operator compares,
-- and an order of enums. What takes long without bounds is cancelled.
SET statement_timeout = '60s';
CREATE FUNCTION t.listed(form text, value text) RETURNS text LANGUAGE sql AS
'SELECT format(form, string_agg(format(value, lpad(i::text, 4, ''0'')), '','')) FROM generate_series(1, 20) AS i';
CREATE TEMPORARY TABLE listed (first, form) AS VALUES
	('a', t.listed('CASE WHEN %%s IN (%s) THEN a ELSE 1 END', '%s')),
	('ip', t.listed('CASE WHEN %%s NOT IN (%s) THEN ip ELSE ''10.0.0.1'' END', '''10.0.%s.0''')),
	('hex', t.listed('CASE WHEN decode(%%s, ''hex'') IN (%s) THEN hex ELSE ''ab'' END', '''\x%s'''));
SELECT is(t.run('gate_ann', format('EXPLAIN SELECT dp_count(*) FROM things WHERE (%s) IS NOT NULL', t.nested(first, form, 6))), '54000: an expression over a protected relation is too long', form) FROM listed;
SELECT t.count_of(format('(%s)::text <> ''1''', t.nested(first, form, 2))) FROM listed;
SELECT t.count_of(format('(%s)::text <> ''1''', t.nested(first, form, 25))) FROM (VALUES
	('a', 'CASE WHEN %s = ANY (nums) THEN a ELSE 1 END'), ('a', 'CASE WHEN %s = ANY (''{}''::integer[]) THEN 2 ELSE a END'), ('feeling', 'CASE WHEN %s < ''sad'' THEN ''ok'' ELSE feeling END')) AS v (first, form);
SELECT t.count_of(format('ip IN (%s)', string_agg(format('''10.0.%s.%s''', i / 250, i % 250), ','))) FROM generate_series(3, 5000) AS i;
SELECT is(t.run('gate_ann', format('SELECT dp_count(id, 1000) FROM things WHERE %s > 2', t.nested('a', format('CASE WHEN %%s IN (%s) THEN a ELSE 1 END', string_agg(i::text, ',')), 2))),
	(SELECT count(*) FILTER (WHERE a > 2)::text FROM public.things), 'long lists, one within the other') FROM generate_series(1, 1000) AS i;
SET plan_cache_mode = force_generic_plan;
SELECT is(t.run('gate_ann', 'PREPARE of_list (integer[]) AS SELECT dp_count(id, 1000) FROM things WHERE ' || t.nested('a', 'CASE WHEN %s = ANY ($1) THEN a ELSE 1 END', 3) || ' > 2'), NULL);
SELECT is(t.run('gate_ann', 'EXECUTE of_list(''{1,2,3}'')'), (SELECT count(*) FILTER (WHERE a > 2)::text FROM public.things), 'a list that is a parameter');
SELECT t.charges() AS charges \gset
SELECT is(t.run('gate_ann', format('EXECUTE of_list(%L)', array_agg(i))), '54000: an expression over a protected relation is too long', 'a long list that is one') FROM generate_series(1, 1000) AS i;
SELECT is(t.charges(), :charges::bigint, 'costs nothing');
RESET plan_cache_mode;
RESET statement_timeout;

SELECT * FROM finish();
\ir support/gate_end.sql
