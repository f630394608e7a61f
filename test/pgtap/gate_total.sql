-- Every function that may see protected values returns normally for every
-- value of its argument types.
\ir support/gate.sql
SELECT no_plan();

-- Extremes of each type; texts also compressed and out of line.
CREATE TABLE t.texts (value text);
ALTER TABLE t.texts ALTER value SET STORAGE EXTERNAL;
INSERT INTO t.texts SELECT string_agg(md5(i::text), '') FROM generate_series(1, 10000) AS i;
CREATE TABLE t.extremes (type regtype, value text);
INSERT INTO t.extremes
SELECT 'smallint'::regtype, v FROM unnest('{-32768,-1,0,1,32767}'::text[]) AS v
UNION ALL SELECT 'integer', v FROM unnest('{-2147483648,-1,0,1,2147483647}'::text[]) AS v
UNION ALL SELECT 'bigint', v FROM unnest('{-9223372036854775808,-1,0,1,9223372036854775807}'::text[]) AS v
UNION ALL SELECT 'real', v FROM unnest('{NaN,-Infinity,Infinity,-3.4028235e38,3.4028235e38,1e-45,-0,0,1}'::text[]) AS v
UNION ALL SELECT 'double precision', v FROM unnest('{NaN,-Infinity,Infinity,-1.7976931348623157e308,1.7976931348623157e308,5e-324,-0,0,1}'::text[]) AS v
UNION ALL SELECT 'numeric', v FROM unnest('{NaN,-Infinity,Infinity,0,1,-1}'::text[]) AS v
UNION ALL SELECT 'numeric', v FROM unnest(ARRAY['1e131071', '-1e131071', '1e-16383', '1.' || repeat('0', 16383), repeat('9', 1000)]) AS v
UNION ALL SELECT 'boolean', v FROM unnest('{true,false}'::text[]) AS v
UNION ALL SELECT 'date', v FROM unnest('{-infinity,infinity,4714-11-24 BC,5874897-12-31,1970-01-01}'::text[]) AS v
UNION ALL SELECT 'timestamp', v FROM unnest('{-infinity,infinity,4714-11-24 00:00 BC,294276-12-31 23:59:59.999999,1970-01-01}'::text[]) AS v
UNION ALL SELECT 'timestamptz', v FROM unnest('{-infinity,infinity,4714-11-24 00:00:00+00 BC,294276-12-31 23:59:59.999999+00,1970-01-01}'::text[]) AS v
UNION ALL SELECT 'interval', v FROM unnest('{0,1 day,-1 month,178000000 years,-178000000 years,2147483647 days,-2562047788 hours}'::text[]) AS v
UNION ALL SELECT 'time', v FROM unnest('{00:00,24:00,23:59:59.999999}'::text[]) AS v
UNION ALL SELECT 'timetz', v FROM unnest('{00:00+00,24:00-15:59,23:59:59.999999+15:59,12:00+01,11:00+00}'::text[]) AS v
UNION ALL SELECT 'inet', v FROM unnest('{0.0.0.0/0,255.255.255.255,10.1.2.3/8,10.0.0.0/8,::/0,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff}'::text[]) AS v
UNION ALL SELECT 'macaddr', v FROM unnest('{00:00:00:00:00:00,ff:ff:ff:ff:ff:ff,08:00:2b:01:02:03}'::text[]) AS v
UNION ALL SELECT 'uuid', v FROM unnest('{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff}'::text[]) AS v
UNION ALL SELECT type, v FROM unnest('{text,character}'::regtype[]) AS type,
	unnest(ARRAY['', ' ', 'a', 'a   ', E'\u00e9\U0001F600', E'e\u0301', repeat('x', 1000000), (SELECT value FROM t.texts)]) AS v
UNION ALL SELECT 'name', v FROM unnest(ARRAY['', 'a', repeat('x', 63)]) AS v
UNION ALL SELECT 'public.mood', v FROM unnest('{sad,happy}'::text[]) AS v;
INSERT INTO t.extremes SELECT DISTINCT type, NULL FROM t.extremes;
-- a list of its own for each type, so that a function finds a value for every argument
CREATE FUNCTION t.literals(argument regtype) RETURNS text[] LANGUAGE sql STABLE AS $$
	SELECT array_agg(format('%s::%s', quote_nullable(e.value), CASE e.type WHEN 'character'::regtype THEN 'bpchar' ELSE e.type::text END))
	FROM t.extremes AS e
	WHERE e.type = CASE argument WHEN 'anyenum'::regtype THEN 'public.mood'::regtype ELSE argument END
$$;

-- Calls a function with every combination: '' or what went wrong, and a digest
-- of what a comparison answers.
CREATE FUNCTION t.call_all(called regprocedure, OUT failed text, OUT answers text) LANGUAGE plpgsql AS $$
DECLARE
	types regtype[] := (SELECT p.proargtypes::regtype[] FROM pg_proc AS p WHERE p.oid = called);
	name text := (SELECT format('%I.%I', n.nspname, p.proname) FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE p.oid = called);
	call text;
	answer text;
	calls integer := 0;
BEGIN
	failed := '';
	answers := '';
	FOR call IN
		SELECT CASE WHEN array_length(types, 1) = 1 THEN format('SELECT %s(%s)', name, a)
			WHEN array_length(types, 1) = 4 THEN format('SELECT %s(%s, %s, %2$s, %3$s), %1$s(%2$s, %2$s, %3$s, %3$s), %1$s(%3$s, %2$s, %2$s, %3$s)', name, a, b)
			ELSE format('SELECT %s(%s, %s)', name, a, b) END
		FROM unnest(t.literals(types[0])) AS a
		LEFT JOIN unnest(t.literals(types[1])) AS b ON true
	LOOP
		calls := calls + 1;
		BEGIN
			EXECUTE call INTO answer;
			answers := answers || coalesce(left(answer, 1), 'n');
		EXCEPTION WHEN OTHERS THEN
			failed := failed || left(call, 200) || ': ' || SQLERRM || '; ';
		END;
	END LOOP;
	answers := md5(answers);
	IF calls < 2 THEN
		failed := 'nothing to call it with';
	END IF;
END
$$;
CREATE TABLE t.results AS
SELECT f, r.* FROM unnest(dp_noise.total_functions()) AS f, t.call_all(f) AS r;
SELECT lives_ok('SELECT texteq(value, value), textne(value, ''x''), bpchareq(value, value), text(value::bpchar) FROM t.texts', 'texts out of line');
SELECT is(failed, '', format('%s is total', f)) FROM t.results;

-- What else the rule for the list asks for.
SELECT is(count(DISTINCT f), count(*), 'no function is listed twice') FROM unnest(dp_noise.total_functions()) AS f;
SELECT ok(p.provolatile = 'i' AND (p.proisstrict OR p.proname = 'overlaps') AND NOT p.proretset AND NOT p.prosecdef AND p.prokind = 'f' AND p.proconfig IS NULL
	AND l.lanname = 'internal' AND p.oid < 16384, format('%s is immutable, strict and the server''s own', p.oid::regprocedure))
FROM unnest(dp_noise.total_functions()) AS f JOIN pg_proc AS p ON p.oid = f JOIN pg_language AS l ON l.oid = p.prolang;
-- An operator without commutator or negator could be given one by anybody, and
-- the planner would call it instead.
SELECT is(array_agg(o.oid::regoperator), NULL, 'operators over them have a commutator and a negator, the server''s own')
FROM pg_operator AS o
WHERE o.oprcode = ANY (dp_noise.total_functions()) AND o.oid < 16384
	AND (o.oprcom = 0 OR o.oprcom >= 16384 OR o.oprnegate = 0 OR o.oprnegate >= 16384
		OR NOT EXISTS (SELECT FROM pg_operator AS n WHERE n.oid = o.oprnegate AND n.oprcode = ANY (dp_noise.total_functions()))
		OR NOT EXISTS (SELECT FROM pg_operator AS n WHERE n.oid = o.oprcom AND n.oprcode = ANY (dp_noise.total_functions())));
SET ROLE gate_ann;
SELECT ok('date_part(text,date)'::regprocedure = ANY (dp_noise.total_functions()) OR 'int4eq'::regproc = ANY (dp_noise.total_functions()), 'analysts may look it up');
RESET ROLE;

-- No comparison depends on a setting that an analyst may change.
SET datestyle = 'SQL, DMY';
SET timezone = 'Pacific/Chatham';
SET intervalstyle = 'sql_standard';
SET extra_float_digits = -15;
SELECT is(array_agg(o.f), NULL, 'the same answers under other settings')
FROM t.results AS o, t.call_all(o.f) AS n
WHERE n.answers <> o.answers AND (SELECT p.prorettype = 'boolean'::regtype FROM pg_proc AS p WHERE p.oid = o.f);

SELECT * FROM finish();
\ir support/gate_end.sql
