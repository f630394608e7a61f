-- The wrapped forms: what the server's functions give, and null where those
-- raise a data exception. No other error, no notice, nothing left behind.
--
-- Takes long: 24 seconds on a busy machine.
\set QUIET on
SET client_min_messages = warning;
SELECT no_plan();
CREATE SCHEMA t;

-- Extremes and ordinary values of each type.
CREATE TABLE t.extremes (type regtype, value text);
INSERT INTO t.extremes
SELECT 'smallint'::regtype, v FROM unnest('{-32768,-1,0,1,2,7,100,32767}'::text[]) AS v
UNION ALL SELECT 'integer', v FROM unnest('{-2147483648,-1,0,1,2,7,100,50000,2147483647}'::text[]) AS v
UNION ALL SELECT 'bigint', v FROM unnest('{-9223372036854775808,-1,0,1,2,7,3000000000,9223372036854775807}'::text[]) AS v
UNION ALL SELECT 'real', v FROM unnest('{NaN,-Infinity,Infinity,-3.4028235e38,3.4028235e38,1e-45,-0,0,1,0.5,2.5,32767.5,-32768.5,2147483648,9.223372e18}'::text[]) AS v
UNION ALL SELECT 'double precision', v FROM unnest('{NaN,-Infinity,Infinity,-1.7976931348623157e308,1.7976931348623157e308,5e-324,-0,0,1,-1,0.5,1.5,2.5,-7.25,710,2147483647.5,2147483647.4,-2147483648.5,9223372036854775807,1e20}'::text[]) AS v
UNION ALL SELECT 'numeric', v FROM unnest('{NaN,-Infinity,Infinity,0,1,-1,0.5,2.5,-7.25,123456789.123456789,1e20,1e-20,32767.5,2147483647.5,1e131071,-1e131071,1e-16383,700,-800}'::text[]) AS v
UNION ALL SELECT 'numeric', repeat('9', 1000)
UNION ALL SELECT 'boolean', v FROM unnest('{true,false}'::text[]) AS v
UNION ALL SELECT 'date', v FROM unnest('{-infinity,infinity,4714-11-24 BC,5874897-12-31,1970-01-01,2020-02-29}'::text[]) AS v
UNION ALL SELECT 'timestamp', v FROM unnest('{-infinity,infinity,4714-11-24 00:00 BC,294276-12-31 23:59:59.999999,1970-01-01,2020-02-29 12:34:56.789}'::text[]) AS v
UNION ALL SELECT 'timestamptz', v FROM unnest('{-infinity,infinity,4714-11-24 00:00:00+00 BC,294276-12-31 23:59:59.999999+00,1970-01-01,2020-03-29 01:30:00+00}'::text[]) AS v
UNION ALL SELECT 'time', v FROM unnest('{00:00,24:00,23:59:59.999999,12:34:56}'::text[]) AS v
UNION ALL SELECT 'interval', v FROM unnest('{0,1 day,-1 month,1.5 hours,178000000 years,-178000000 years,2147483647 days,-2147483648 days,2562047788 hours,1 year 2 months 3 days 04:05:06.7}'::text[]) AS v
UNION ALL SELECT 'uuid', v FROM unnest('{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff}'::text[]) AS v
UNION ALL SELECT 'inet', v FROM unnest('{0.0.0.0/0,255.255.255.255,10.1.2.3/8,::/0,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff}'::text[]) AS v
UNION ALL SELECT type, v FROM unnest('{json,jsonb}'::regtype[]) AS type,
	unnest(ARRAY['null', 'true', '1', '1e1000', '"x"', '[]', '{}', '[1,"2",null,{"a":[1]}]', '{"a":1,"b":{"c":[1,2]},"abc":"text"}', '-0.5', '"12"', repeat('[', 90) || repeat(']', 90)]) AS v
UNION ALL SELECT 'json', repeat('[', 1000) || repeat(']', 1000)
UNION ALL SELECT type, '=' || v FROM unnest('{text,varchar,character}'::regtype[]) AS type, unnest('{"repeat(''x'', 1200000)","repeat(''é'', 6000)"}'::text[]) AS v
UNION ALL SELECT 'text[]', v FROM unnest('{"{}","{a}","{a,b}","{NULL}","{b,c}","{3,a}"}'::text[]) AS v
UNION ALL SELECT 'bytea', v FROM unnest('{"",a,"\\\\x00","\\\\xff00"}'::text[]) AS v
UNION ALL SELECT 'timetz', v FROM unnest('{00:00+00,24:00-15:59,23:59:59.999999+15:59,12:34:56+02}'::text[]) AS v
UNION ALL SELECT 'cidr', v FROM unnest('{0.0.0.0/0,10.0.0.0/8,::/0,ffff::1/128}'::text[]) AS v
UNION ALL SELECT 'macaddr', v FROM unnest('{00:00:00:00:00:00,ff:ff:ff:ff:ff:ff,08:00:2b:01:02:03}'::text[]) AS v
UNION ALL SELECT 'bit', v FROM unnest(ARRAY['', '0', '1', '101', '110', repeat('1', 33), repeat('10', 40)]) AS v
UNION ALL SELECT 'name', v FROM unnest(ARRAY['', 'a', repeat('x', 63)]) AS v
UNION ALL SELECT 'jsonpath', v FROM unnest(ARRAY['$', '$.a', 'strict $.a', '$[*] ? (@ > 1)', '$.a > 1', '$.b.c[0]', '$.b.c[last]', '$[1 to 2]', 'exists($.a ? (@ == "x"))', '$.a.double() + 1', '$.a / 0', '-$[*]', '$.a.size()', '$.x == $y', '$ ? (@.a == @.b.c[*])',
	'$.**', '$[0,0]', '$ ? ($.a == 1)', '$.a like_regex "x"', '$.a.datetime()', '$.keyvalue()']) AS v
UNION ALL SELECT 'anyrange', v FROM unnest('{empty,"(,)","[1,5)","[5,7)","(,3)","[-2147483648,2147483646]","[4,)"}'::text[]) AS v
UNION ALL SELECT 'anyelement', v FROM unnest('{-2147483648,0,1,5,2147483647}'::text[]) AS v
UNION ALL SELECT 'anycompatible', v FROM unnest('{-2147483648,0,1,2,2147483647}'::text[]) AS v
UNION ALL SELECT type, v FROM unnest('{anyarray,anycompatiblearray}'::regtype[]) AS type, unnest('{"{}","{1}","{1,2}","{NULL}","{{1,2},{3,4}}","[-5:-4]={7,8}"}'::text[]) AS v
UNION ALL SELECT type, v FROM unnest('{text,varchar,character}'::regtype[]) AS type,
	unnest(ARRAY['', ' ', 'a', 'abc', 'ABC', 'a   ', E'\u00e9\U0001F600', '12', '-7.5', '1e400', 'nan', 'true', '2020-02-30', '2020-02-28', '25:00', '1 day', 'now', '%', '%a%', '_b%', E'a\\', E'\\\\', '(', '^a.c$', '(a|b)*', E'(a)\\1', '[[:alpha:]]+', 'g', 'i', 'x', repeat('%a', 60), repeat('%a', 200),
		'month', 'dow', 'epoch', 'century', 'hour', 'timezone', 'mnth', 'UTC', 'Europe/Berlin', '+25', 'YYYY-MM-DD HH24:MI:SS.US', 'FM999.99', '9S9S', 'TMMonth', 'RN', 'D9', '9.9EEEE', '9V99', 'HH12', 'J']) AS v;
CREATE FUNCTION t.literals(argument regtype) RETURNS text[] LANGUAGE sql STABLE AS $$
	SELECT array_agg(format('%s::%s', CASE WHEN e.value LIKE '=%' THEN substr(e.value, 2) ELSE quote_literal(e.value) END, CASE e.type WHEN 'character'::regtype THEN 'bpchar' WHEN 'anyarray'::regtype THEN 'int[]' WHEN 'anyrange'::regtype THEN 'int4range' WHEN 'anyelement'::regtype THEN 'int4' WHEN 'anycompatible'::regtype THEN 'int4' WHEN 'anycompatiblearray'::regtype THEN 'int[]' WHEN 'bit'::regtype THEN 'varbit' ELSE e.type::text END))
	FROM t.extremes AS e WHERE e.type = argument
$$;
CREATE TABLE t.functions AS
SELECT row_number() OVER () AS number, part[1] AS name, string_to_array(part[2], ' ') AS types, part[3] AS symbol,
	to_regprocedure(format('dp_noise.%I(%s)', 'try_' || part[1], replace(part[2], ' ', ','))) AS form,
	to_regprocedure(format('pg_catalog.%I(%s)', part[1], replace(part[2], ' ', ','))) AS original
FROM unnest(dp_noise.wrapped_functions()) AS f, string_to_array(f, '/') AS part;
-- to which null is a value like others
CREATE FUNCTION t.is_loose(f t.functions) RETURNS boolean LANGUAGE sql STABLE AS
'SELECT NOT o.proisstrict FROM pg_proc AS o WHERE o.oid = f.original';

-- What is listed is there, strict, and the server's own.
SELECT is(count(*), count(DISTINCT (name, types)), 'none is listed twice') FROM t.functions;
SELECT is(array_agg(name || types::text), NULL, 'each function of the server has its wrapped form')
FROM t.functions WHERE form IS NULL AND (original IS NOT NULL OR name LIKE 'cast\_to\_%');
SELECT cmp_ok(count(*), '>', 450::bigint, 'and hardly any is missing') FROM t.functions WHERE form IS NOT NULL;
SELECT is(count(*) FILTER (WHERE f.name !~ '^(array_(append|prepend|cat|position|positions|remove|replace|to_string)|string_to_array|(int4|int8|num|date|ts|tstz)range)$'), 0::bigint, 'and few take null for a value')
FROM t.functions AS f WHERE t.is_loose(f);
SELECT is(array_agg(f.name), NULL, 'strict or not as their forms, not volatile, in the server''s own code')
FROM t.functions AS f JOIN pg_proc AS o ON o.oid = f.original JOIN pg_proc AS w ON w.oid = f.form
WHERE o.proisstrict <> w.proisstrict OR o.provolatile = 'v' OR o.provolatile <> w.provolatile OR o.proretset OR w.proretset
	OR o.prorettype <> w.prorettype OR o.oid >= 16384 OR o.prosecdef OR w.prosecdef OR o.proparallel <> 's' OR w.proparallel <> 's'
	OR o.prolang NOT IN (SELECT l.oid FROM pg_language AS l WHERE l.lanname = 'internal');

-- date_bin of minor releases from before May 2024 overflows, and gives what is no time: an error when it is shown.
CREATE FUNCTION t.bins_overflow() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN date_bin('2147483647 days', timestamp '1970-01-01', '294276-12-31 23:59:59.999999') IS NOT NULL;
EXCEPTION WHEN datetime_field_overflow THEN
	RETURN false;
END
$$;

-- Calls a function and its form with so many combinations of arguments: what
-- went wrong, if anything. Forms may be null where functions are not: where a
-- guard keeps their arguments back.
CREATE FUNCTION t.compare(f t.functions, combinations integer, OUT failed text, OUT calls integer, OUT answered integer, OUT nulls integer, OUT kept_back integer) LANGUAGE plpgsql AS $$
DECLARE
	literals text[][];
	list text;
	written text;
	expected text;
	state text;
	answer text;
	is_long boolean;
	i integer;
BEGIN
	failed := '';
	calls := 0; answered := 0; nulls := 0; kept_back := 0;
	FOR i IN 1..combinations LOOP
		SELECT string_agg(CASE WHEN t.is_loose(f) AND i % 4 = n THEN 'NULL::' || CASE type WHEN 'anycompatible' THEN 'int4' WHEN 'anycompatiblearray' THEN 'int4[]' WHEN 'anyarray' THEN 'int4[]' ELSE type END
			ELSE l.list[1 + (hashtextextended(f.name || f.types::text || n, i) & 65535) % array_length(l.list, 1)] END, ', ' ORDER BY n) INTO list
		FROM unnest(f.types) WITH ORDINALITY AS u (type, n), t.literals(CASE type WHEN '_text' THEN 'text[]' ELSE type END::regtype) AS l (list);
		written := CASE WHEN f.name LIKE 'cast\_to\_%' THEN format('CAST(%s AS %s)', list, substr(f.name, 9)) ELSE format('pg_catalog.%I(%s)', f.name, CASE WHEN f.name ~ '^jsonb?_extract' THEN replace(list, ', ''{', ', VARIADIC ''{') ELSE list END) END;
		calls := calls + 1;
		state := NULL;
		expected := NULL;
		is_long := list ~ 'repeat'; -- the function itself may take hours
		BEGIN
			EXECUTE CASE WHEN is_long THEN 'SELECT NULL' ELSE 'SELECT (' || written || ')::text' END INTO expected;
		EXCEPTION WHEN OTHERS THEN
			state := SQLSTATE;
		END;
		BEGIN
			EXECUTE format('SELECT dp_noise.%I(%s)::text', 'try_' || f.name, list) INTO answer;
			IF answer IS NULL THEN
				nulls := nulls + 1;
				kept_back := kept_back + (expected IS NOT NULL)::integer;
			ELSE
				answered := answered + 1;
			END IF;
			IF answer IS NOT NULL AND NOT is_long AND (state IS NOT NULL OR answer IS DISTINCT FROM expected) THEN
				failed := failed || left(written, 200) || ' gave ' || left(answer, 40) || ' for ' || coalesce(state, left(expected, 40), 'null') || '; ';
			ELSIF answer IS NULL AND expected IS NOT NULL AND f.symbol NOT IN ('dp_try', 'dp_try_cast') AND f.symbol NOT LIKE 'dp\_try\_numeric%' THEN
				failed := failed || left(written, 200) || ' gave null for ' || left(expected, 40) || '; ';
			END IF;
		EXCEPTION WHEN OTHERS THEN
			IF SQLSTATE <> '42601' -- formats are tried when a question is read
				AND NOT (f.name = 'date_bin' AND t.bins_overflow()) THEN
				failed := failed || left(written, 200) || ': ' || SQLSTATE || ' ' || SQLERRM || '; ';
			END IF;
		END;
	END LOOP;
END
$$;
SELECT coalesce(nullif(current_setting('expressions.combinations', true), ''), '30') AS combinations \gset
CREATE TABLE t.results AS
SELECT f.*, r.* FROM t.functions AS f, t.compare(f, :combinations) AS r WHERE f.form IS NOT NULL;
-- text(inet) writes the mask of a single address, the output function does not
SELECT is(failed, '', format('%s%s', name, types)) FROM t.results WHERE NOT (name = 'cast_to_text' AND types = '{inet}');
SELECT cmp_ok(sum(answered), '>', sum(calls) / 4, 'many calls have values') FROM t.results;
SELECT cmp_ok(sum(kept_back), '<', sum(calls) / 15, 'few arguments are kept back') FROM t.results;
SELECT cmp_ok(count(*), '<', 60::bigint, 'hardly any function has no value') FROM t.results WHERE answered = 0;
SELECT is(dp_noise.try_encode('\x00ff', 'HEX') || dp_noise.try_encode(dp_noise.try_decode('YWI=', 'base64'), 'escape'), '00ffab');
SELECT is(dp_noise.try_to_number('1,234.5', '9,999.9'), 1234.5);
SELECT is(dp_noise.try_to_date('31/12/2020', 'DD/MM/YYYY'), '2020-12-31');
SELECT is(dp_noise.try_to_timestamp('2020-12-31 01', 'YYYY-MM-DD HH24'), '2020-12-31 01:00');
SELECT is(dp_noise.try_jsonb_path_match('{"a":1}', '$.a == $x', '{"x":1}', false), true);
SELECT is(dp_noise.try_jsonb_path_match('{"a":1}', '$.a == $x', '{"y":1}', true), NULL, 'a variable that is not there is no data exception');
SELECT is(dp_noise.try_jsonb_path_exists_opr('{"a":1}', '$x'), NULL);
SELECT is(dp_noise.try_jsonb_path_exists_opr('{"a":[1,2]}', '$.a[*] ? (@ > 1)'), true);
SELECT is(dp_noise.try_jsonb_path_exists_opr('{"a":[1,2]}', p), NULL, 'paths that take long, or deep: ' || p) FROM unnest('{$.**,"$.a[0,0]","$ ? ($.a == 1)","$.a like_regex \"x\"",$.keyvalue(),$.datetime()}'::jsonpath[]) AS p;
SELECT is(dp_noise.try_jsonb_path_exists_opr(to_jsonb(repeat('x', 300000)), '$'), NULL);
SELECT is(dp_noise.try_jsonb_path_match_opr(to_jsonb(repeat('x', 9000)), '$ == $'), NULL);
SELECT is(dp_noise.try_int4range(1, 5, '[]') * dp_noise.try_int4range(NULL, 3), '[1,3)');
SELECT is(dp_noise.try_int4range(5, 1), NULL);
SELECT is(dp_noise.try_array_append(NULL, 1) || dp_noise.try_array_remove('{1,NULL}'::int[], NULL), '{1,1}');
SELECT is(dp_noise.try_string_to_array('abc', NULL) || dp_noise.try_string_to_array('d,e', ',', 'e'), '{a,b,c,d,NULL}');
SELECT is(dp_noise.try_array_to_string('{1,NULL,2}'::int[], ',', '-'), '1,-,2');
SELECT is(dp_noise.try_array_to_string(array_fill(1e131071::numeric, '{101}'), ','), NULL, 'a short number can be a long text');
SELECT is(dp_noise.try_array_to_string(array_fill(1, '{2000}'), repeat('x', 1000)), NULL);
SELECT is(dp_noise.try_string_to_array(repeat('x', 70000), ','), NULL);
SELECT is(dp_noise.try_cast_to_jsonb('[1]'::text) = dp_noise.try_cast_to_jsonb('[1.0]'::text), true);
SELECT is(dp_noise.try_cast_to_jsonb(repeat('[', 3000)::text), NULL, 'nested deep');
SELECT is(dp_noise.try_cast_to_inet('10.0.0.1'::text) + 1 = dp_noise.try_cast_to_inet('10.0.0.2'::text), true);
SELECT is(dp_noise.try_cast_to_timestamptz('2020-01-01 00:00+02'::text), '2019-12-31 22:00+00');
SELECT is(dp_noise.try_cast_to_timestamptz('2020-01-01 Japan'::text), NULL, 'names of zones are files');
SELECT ok(dp_noise.try_jsonb_eq(a, b) = (a = b) AND dp_noise.try_jsonb_ne(a, b) = (a <> b), format('%s = %s', a, b)) FROM jsonb_array_elements('[null,1,1.0,2,"a","b",true,[],{},[1],[1,2],[[1,2]],[[]],{"a":1},{"a":1.00},{"b":1},{"a":[1,{}]},{"a":[1,[]]},{"a":1,"b":2}]') AS x (a), jsonb_array_elements('[null,1,1.0,2,"a","b",true,[],{},[1],[1,2],[[1,2]],[[]],{"a":1},{"a":1.00},{"b":1},{"a":[1,{}]},{"a":[1,[]]},{"a":1,"b":2}]') AS y (b);
SELECT is(dp_noise.try_json_object_field_text('{"a":1}', 'a') || dp_noise.try_jsonb_object_field_text('{"a":2}', 'a'), '12');
SELECT is(dp_noise.try_regexp_match('ABC', 'b(.)', 'i'), '{C}');
SELECT is(dp_noise.try_cast_to_uuid(dp_noise.try_cast_to_text('00000000-0000-0000-0000-00000000000a'::uuid)), '00000000-0000-0000-0000-00000000000a'::uuid);

-- What is null, one of each kind.
SELECT is(dp_noise.try_int4div(1, 0), NULL);
SELECT is(dp_noise.try_int4div(-7, 2), -3);
SELECT is(dp_noise.try_int4mod(-2147483648, -1), 0);
SELECT is(dp_noise.try_int4div(-2147483648, -1), NULL);
SELECT is(dp_noise.try_numeric_div(1, 0), NULL);
SELECT is(dp_noise.try_int4('NaN'::numeric), NULL, 'a feature that is not supported, for a value');
SELECT is(dp_noise.try_cast_to_int4('x'::text), NULL);
SELECT is(dp_noise.try_cast_to_date('2020-02-30'::text), NULL);
SELECT is(dp_noise.try_cast_to_date('2020-02-28'::text), '2020-02-28');
SELECT is(dp_noise.try_cast_to_timestamp('2020-02-28T12:34:56.5'::text), '2020-02-28 12:34:56.5');
SELECT is(dp_noise.try_cast_to_timestamp('2020-02-28 12:34:56Z'::text), '2020-02-28 12:34:56');
SELECT is(dp_noise.try_cast_to_date(v), NULL, 'words can be names of time zones, which are files') FROM unnest('{2020-02-28 Japan,now,2020-01-01TZ,2020-01-01Zulu}'::text[]) AS v;
SELECT is(dp_noise.try_date_trunc('mnth', now()), NULL);
SELECT is(dp_noise.try_textlike('ab', E'a\\'), NULL);
SELECT is(array_agg(dp_noise.try_textlike(s, E'%a\\' COLLATE "C") ORDER BY place), '{f,NULL,NULL}', 'a constant pattern to whose end some texts come')
FROM unnest('{b,ab,bab}'::text[]) WITH ORDINALITY AS t (s, place);
SELECT is(array_agg(dp_noise.try_textlike(s, p COLLATE "C") ORDER BY place), '{t,NULL,t}', 'a pattern that rows hold')
FROM unnest('{ab,ab,a\\b}'::text[], ARRAY['a%', 'a\', 'a\\_']) WITH ORDINALITY AS t (s, p, place);
SELECT is(array_agg(dp_noise.try_textregexeq(repeat('a', length), 'a$') ORDER BY place), '{t,NULL,t,NULL,t}', 'a constant pattern and texts of several lengths')
FROM unnest('{1000,40000,2000,32769,32768}'::integer[]) WITH ORDINALITY AS t (length, place);
SELECT is(array_agg(octet_length(dp_noise.try_replace(repeat('a', length), 'a', repeat('b', 100))) ORDER BY place), '{1000,NULL,2000,NULL}', 'constants and texts of several lengths')
FROM unnest('{10,20000,20,10486}'::integer[]) WITH ORDINALITY AS t (length, place);
SELECT is(array_agg(octet_length(dp_noise.try_lower(repeat('A', length) COLLATE "C")) ORDER BY place), '{1,NULL,1048572}', 'long texts where nothing is caught')
FROM unnest('{1,1048573,1048572}'::integer[]) WITH ORDINALITY AS t (length, place);
SELECT is(dp_noise.try_lpad('a', 2000000000, 'b'), NULL, 'too long');
SELECT is(dp_noise.try_repeat(repeat('a', 1000), 10001), NULL);
SELECT is(dp_noise.try_replace(repeat('a', 1000000), 'a', repeat('b', 1000)), NULL);
SELECT is(dp_noise.try_regexp_replace(repeat('a', 30000), 'a', repeat('b', 1000), 'g'), NULL);
SELECT is(dp_noise.try_textregexeq('aa', '(a)\1'), NULL, 'references back take exponential time');
SELECT is(dp_noise.try_power(10::numeric, 1000), NULL);
SELECT is(dp_noise.try_length(repeat('a', 2000000)), NULL);
SELECT is(dp_noise.try_json_typeof((repeat('[', 3000) || repeat(']', 3000))::json), NULL, 'nested deep');

-- Errors that are no data exceptions go on.
CREATE FUNCTION t.cancelled() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count(dp_noise.try_numeric_div(i, 0::numeric)), bool_or(CASE WHEN i = 1000 THEN pg_cancel_backend(pg_backend_pid()) END)
	FROM generate_series(1, 100000000) AS i;
	RETURN 'not';
EXCEPTION WHEN query_canceled THEN
	RETURN SQLSTATE;
END
$$;
SELECT is(t.cancelled(), '57014', 'a cancellation, among many calls that fail');
SELECT throws_ok($$SELECT dp_noise.try_lower('a' COLLATE "nothing")$$, '42704', NULL);
-- Whoever may not call a function may not call its form.
CREATE ROLE expressions_nobody;
REVOKE EXECUTE ON FUNCTION pg_catalog.md5(text) FROM PUBLIC;
SET ROLE expressions_nobody;
SELECT throws_ok($$SELECT dp_noise.try_md5('a')$$, '42501', NULL, 'the right to call a function is that to call its form');
SELECT matches(array_to_string(dp_noise.wrapped_functions(), ','), 'md5/text/', 'everybody may look it up');
RESET ROLE;
GRANT EXECUTE ON FUNCTION pg_catalog.md5(text) TO PUBLIC;
DROP ROLE expressions_nobody;

-- A million calls that fail leave nothing: no memory, no context, nothing open.
-- Without the caches of catalogues: 15 to 17 name a context's parent, 18 has the
-- numbers of all above it.
SELECT current_setting('server_version_num')::integer >= 180000 AS has_path \gset
\if :has_path
CREATE FUNCTION t.memory() RETURNS bigint LANGUAGE sql VOLATILE AS
$$SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name NOT IN ('CacheMemoryContext', 'relation rules')
	AND NOT path @> ARRAY[(SELECT c.path[cardinality(c.path)] FROM pg_backend_memory_contexts AS c WHERE c.name = 'CacheMemoryContext')]$$;
CREATE FUNCTION t.contexts() RETURNS bigint LANGUAGE sql VOLATILE AS
$$SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CacheMemoryContext'
	OR NOT path @> ARRAY[(SELECT c.path[cardinality(c.path)] FROM pg_backend_memory_contexts AS c WHERE c.name = 'CacheMemoryContext')]$$;
\else
CREATE FUNCTION t.memory() RETURNS bigint LANGUAGE sql VOLATILE AS
$$SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name NOT IN ('CacheMemoryContext', 'relation rules') AND parent IS DISTINCT FROM 'CacheMemoryContext'$$;
CREATE FUNCTION t.contexts() RETURNS bigint LANGUAGE sql VOLATILE AS
$$SELECT count(*) FROM pg_backend_memory_contexts WHERE parent IS DISTINCT FROM 'CacheMemoryContext'$$;
\endif
CREATE FUNCTION t.open_files() RETURNS bigint LANGUAGE sql VOLATILE AS
$$SELECT count(*) FROM pg_ls_dir('/proc/self/fd')$$;
-- an argument for which each function fails, found above or here
CREATE FUNCTION t.fail(call text, times integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	memory bigint;
	contexts bigint;
	files bigint;
	count bigint;
	growth bigint;
BEGIN
	FOR i IN 1..2 LOOP -- the first fills caches
		EXECUTE format('SELECT count(%s) FROM generate_series(1, 1000) AS i', call) INTO count;
		memory := t.memory();
		contexts := t.contexts();
		files := t.open_files();
	END LOOP;
	EXECUTE format('SELECT count(%s) FROM generate_series(1, %s) AS i', call, times) INTO count;
	growth := t.memory() - memory;
	RETURN CASE WHEN count > 0 THEN count || ' calls did not fail'
		WHEN growth > 100000 THEN 'memory grew by ' || growth
		WHEN t.contexts() > contexts + 20 THEN 'contexts are left'
		WHEN t.open_files() > files THEN 'files are open' ELSE '' END;
END
$$;
SELECT is(t.fail(call, 1000000), '', call || ', a million times') FROM unnest(ARRAY[
	'dp_noise.try_numeric_div(i, 0::numeric)', 'dp_noise.try_cast_to_int4(''x''::text || i)']) AS call;
SELECT is(t.fail(call, 50000), '', call) FROM unnest(ARRAY[
	'dp_noise.try_sqrt(-i::float8)', 'dp_noise.try_ln(-i::numeric)', 'dp_noise.try_int4(i * 1e10::numeric)', 'dp_noise.try_power(-i::float8, 0.5)', 'dp_noise.try_width_bucket(i::float8, 1, 1, 5)',
	'dp_noise.try_numeric(i * 1e6::numeric, 327686)', 'dp_noise.try_substring(''abc''::text || i, 2, -1)', 'dp_noise.try_textlike(i::text || ''a'', i || E''\\'')',
	'dp_noise.try_split_part(i::text, ''a'', 0)', 'dp_noise.try_date_pli(''5874897-12-31''::date, i)', 'dp_noise.try_timestamp_pl_interval(''294276-12-31''::timestamp, i * ''1 year''::interval)',
	'dp_noise.try_interval_mul(i * ''1 year''::interval, 1e9)', 'dp_noise.try_make_date(2020, 13, i)', 'dp_noise.try_extract(''fortnight'' || i, now())', 'dp_noise.try_date_trunc(''fortnight'' || i, localtimestamp)',
	'dp_noise.try_timezone(''Nowhere/'' || repeat(''x'', 1 + i % 50), now())', 'dp_noise.try_date_bin(''1 month'', localtimestamp, localtimestamp - i * ''1 h''::interval)', 'dp_noise.try_cast_to_date(''x''::text || i)', 'dp_noise.try_cast_to_timestamp(''2020-13-01''::text || i)',
	'dp_noise.try_cast_to_interval(i || '' fortnight''::text)', 'dp_noise.try_cast_to_numeric(i || ''x''::text)', 'dp_noise.try_cast_to_float8(i || ''e400''::text)', 'dp_noise.try_cast_to_uuid(i::text)', 'dp_noise.try_cast_to_bool(i || ''y''::text)',
	'dp_noise.try_int4(to_jsonb(i::text))', 'dp_noise.try_jsonb_array_length(jsonb_build_object(''a'', i))', 'dp_noise.try_json_array_length((''{"a":'' || i || ''}'')::json)', 'dp_noise.try_textregexeq(i::text, ''('' )',
	'dp_noise.try_set_masklen(''10.0.0.1''::inet, 100 + i)', 'dp_noise.try_to_char(i * ''1 day''::interval, ''HH12 Dy'')']) AS call;
-- and with each another pattern
SELECT is(t.fail('dp_noise.try_textregexeq(''a'', ''('' || i)', 50000), '', 'patterns that cannot be read');
SELECT * FROM finish();
DROP SCHEMA t CASCADE;
