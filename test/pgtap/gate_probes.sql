-- Queries that can have no rows, which tools send to learn the columns: they read
-- nothing, cost nothing, and tell names and types; what could have rows is none.
\ir support/gate.sql
SELECT no_plan();
CREATE TABLE public.closed (x integer);
CREATE ROLE gate_stranger LOGIN;

-- Names, types and modifiers of a query's columns, without running it.
CREATE FUNCTION t.described(who text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	result := t.run(who, 'CREATE TABLE described AS ' || query || ' WITH NO DATA');
	IF result IS NULL THEN
		SELECT string_agg(format('%s %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) INTO result
		FROM pg_attribute WHERE attrelid = format('%I.described', who)::regclass AND attnum > 0;
		EXECUTE format('DROP TABLE %I.described', who);
	END IF;
	RETURN result;
END
$$;
-- No rows, no charge, no scan.
CREATE FUNCTION t.probe(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	RETURN NEXT t.accept(query, 0);
	RETURN NEXT is(t.run('gate_ann', query), NULL, 'without rows');
	RETURN NEXT is(t.described('gate_ann', query), t.described('gate_owner', query), 'with the columns');
	plan := t.run('gate_ann', 'EXPLAIN (FORMAT JSON) ' || query);
	RETURN NEXT unalike(plan, '%Scan%', 'reads nothing');
END
$$;
SELECT t.probe(query) FROM unnest(ARRAY[
	'SELECT * FROM patients LIMIT 0',
	'SELECT * FROM patients WHERE false',
	'SELECT * FROM patients WHERE 1 = 0',
	'SELECT * FROM patients WHERE (0 = 1)',
	'SELECT * FROM patients WHERE 1 <> 1 AND age > 3',
	'SELECT * FROM patients WHERE NULL',
	'SELECT * FROM patients WHERE NOT true',
	'SELECT * FROM patients WHERE ''a'' = ''b''',
	'SELECT age, name AS n, age + 1 AS more, upper(name) FROM patients LIMIT 0',
	'SELECT 1 AS one FROM patients LIMIT 0',
	'SELECT * FROM (SELECT * FROM patients) AS t LIMIT 0',
	'SELECT * FROM (SELECT * FROM patients) AS t WHERE 1 = 0',
	'SELECT * FROM (SELECT * FROM patients LIMIT 0) AS t',
	'SELECT * FROM (SELECT * FROM patients WHERE 1 = 0) AS t WHERE age > 5 ORDER BY name LIMIT 10',
	'SELECT t.age, u.name FROM (SELECT * FROM patients LIMIT 0) AS t JOIN (SELECT * FROM patients LIMIT 0) AS u USING (id)',
	'SELECT p.*, n.x FROM patients AS p JOIN numbers AS n ON n.x = p.id LIMIT 0',
	'SELECT city, count(*), avg(age), array_agg(name) FROM patients GROUP BY city LIMIT 0',
	'SELECT city, count(*) FROM patients WHERE 1 = 0 GROUP BY city',
	'SELECT count(*) FROM patients HAVING 1 = 0',
	'SELECT DISTINCT name FROM patients LIMIT 0',
	'SELECT * FROM (SELECT city, sum(age) AS s FROM patients GROUP BY city) AS t WHERE 1 = 0',
	'WITH t AS (SELECT * FROM patients) SELECT * FROM t LIMIT 0',
	'SELECT * FROM patients FETCH FIRST 0 ROWS ONLY',
	'SELECT * FROM patients ORDER BY age LIMIT 0 OFFSET 5',
	'SELECT age FROM patients WHERE false UNION ALL SELECT id FROM patients LIMIT 0',
	'SELECT age FROM patients WHERE false UNION ALL SELECT id FROM patients WHERE false',
	'SELECT row_number() OVER (ORDER BY age) AS r, ctid, patients FROM patients LIMIT 0'
]) AS query;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM numbers WHERE x IN (SELECT id FROM patients LIMIT 0)'), '0', 'in a condition');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT * FROM patients WHERE 1 = 0) AS t'), '0', 'counted: none');
SELECT is(t.run('gate_ann', 'CREATE TABLE shaped AS SELECT * FROM patients LIMIT 0'), NULL, 'a table of that shape');
SELECT is(t.run('gate_ann', 'CREATE VIEW probed AS SELECT * FROM patients'), NULL, 'a view');
SELECT t.accept('SELECT * FROM probed LIMIT 0', 0);
SELECT t.refuse('42501', 'SELECT * FROM probed');
SELECT is(t.run('gate_ann', 'PREPARE shape AS SELECT * FROM patients WHERE age > $1 LIMIT 0'), NULL, 'prepared');
SELECT t.accept('EXECUTE shape(3)', 0) FROM generate_series(1, 7);
SELECT is(t.run('gate_ann', 'PREPARE rows AS SELECT * FROM patients WHERE age > $1'), NULL, 'any statement can be prepared');
SET SESSION AUTHORIZATION gate_ann;
\o /dev/null
SELECT * FROM public.patients \gdesc
\o
RESET SESSION AUTHORIZATION;
SELECT pass('and described');
SELECT t.refuse('42501', 'EXECUTE rows(3)');

-- what could have rows
SELECT t.refuse('42501', query) FROM unnest(ARRAY[
	'SELECT * FROM patients LIMIT 1', 'SELECT * FROM patients WHERE age < 0', 'SELECT * FROM patients WHERE false OR age > 3', 'SELECT * FROM patients LIMIT ALL', 'SELECT * FROM patients WHERE 1 = 1',
	'SELECT * FROM patients LIMIT (SELECT 0)', 'SELECT * FROM patients WHERE age = 1 AND age = 2', 'SELECT * FROM patients OFFSET 0', 'SELECT * FROM patients WHERE current_date < ''2000-01-01''',
	'SELECT * FROM (SELECT * FROM patients) AS t, (SELECT * FROM patients LIMIT 0) AS u', 'SELECT age FROM patients WHERE false UNION ALL SELECT age FROM patients',
	'SELECT EXISTS (SELECT FROM patients)', 'SELECT (SELECT age FROM patients LIMIT 1) LIMIT 1', 'SELECT x FROM numbers WHERE x IN (SELECT id FROM patients)']) AS query;

-- what is no question says what is
SELECT is(t.run('gate_ann', command), '42501: rows of protected relation "patients" cannot be shown', command)
FROM unnest(ARRAY[$$COPY patients TO '/dev/null'$$, $$COPY patients (age) TO PROGRAM 'true'$$, 'SELECT * FROM patients FOR UPDATE']) AS command;
CREATE FUNCTION t.hint(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	BEGIN
		EXECUTE command;
	EXCEPTION WHEN insufficient_privilege THEN
		GET STACKED DIAGNOSTICS result = PG_EXCEPTION_HINT;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
SELECT is(t.hint(command), 'A privacy budget is for SELECT with aggregates, such as count(*); rows cannot be changed with it, nor locked.', command)
FROM unnest(ARRAY['UPDATE patients SET age = 1', 'DELETE FROM patients WHERE age = 1', 'INSERT INTO patients (id, age) VALUES (-1, 1)', 'MERGE INTO patients AS p USING numbers AS n ON n.x = p.id WHEN MATCHED THEN DELETE']) AS command;

-- a plan that was kept from a role that may read says what to do
ALTER ROLE gate_ann NOINHERIT;
CREATE ROLE gate_reader;
GRANT gate_reader TO gate_ann;
SET ROLE gate_owner;
GRANT SELECT ON public.patients TO gate_reader;
RESET ROLE;
SET search_path = public; -- with another path it is planned again
SET SESSION AUTHORIZATION gate_ann;
SET ROLE gate_reader;
SET plan_cache_mode = force_generic_plan;
PREPARE kept AS SELECT count(*) FROM public.patients;
EXECUTE kept \g /dev/null
RESET plan_cache_mode;
RESET SESSION AUTHORIZATION;
SELECT is(t.hint('EXECUTE kept'), 'The statement was planned for a role that may read the table: prepare it again as this one, who may ask about it.', 'a plan for others');
SELECT is(t.hint('EXPLAIN EXECUTE kept'), t.hint('EXECUTE kept'), 'to explain it, too');
SELECT is(t.run('gate_stranger', 'EXECUTE kept'), '42501: permission denied for table patients', 'for strangers it is the server''s error');
RESET search_path;
SELECT t.accept('SELECT count(*) FROM patients');
DEALLOCATE kept;
REVOKE ALL ON public.patients FROM gate_reader;
DROP ROLE gate_reader;
ALTER ROLE gate_ann INHERIT;

-- a session pays for the user who logged in, whoever acts
CREATE FUNCTION t.hint_as(who text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('role', who, false);
	BEGIN
		EXECUTE command;
	EXCEPTION WHEN insufficient_privilege THEN
		GET STACKED DIAGNOSTICS result = PG_EXCEPTION_HINT;
	END;
	RESET ROLE;
	RETURN result;
END
$$;
SELECT is(t.hint_as('gate_ann', command), format('The user who logged in pays for questions, and "%s" has no privacy budget for this relation.', session_user), command)
FROM unnest(ARRAY['SELECT count(*) FROM public.patients', 'SELECT * FROM public.patients', 'SELECT * FROM public.patients LIMIT 0', 'DELETE FROM public.patients']) AS command;
SELECT is(t.hint_as('gate_ann', 'SELECT * FROM public.closed'), '', 'but for what is not protected');

-- a user's functions and operators decide nothing, and are not run
CREATE FUNCTION gate_ann.never() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''run''; END';
CREATE FUNCTION gate_ann.none(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''run''; END';
CREATE OPERATOR gate_ann.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = gate_ann.none);
SELECT t.refuse('42501', query) FROM unnest(ARRAY['SELECT * FROM patients WHERE gate_ann.never()', 'SELECT * FROM patients WHERE 1 OPERATOR(gate_ann.===) 2', 'SELECT gate_ann.never() FROM patients']) AS query;
SELECT t.accept('SELECT gate_ann.never() FROM patients WHERE 1 = 0 AND gate_ann.never()', 0);

-- what else is named must be readable
SELECT is(t.run('gate_ann', query), '42501: permission denied for table closed', query)
FROM unnest(ARRAY['SELECT * FROM closed LIMIT 0', 'SELECT * FROM closed, patients LIMIT 0', 'SELECT x FROM closed WHERE false AND x IN (SELECT id FROM patients)']) AS query;
SELECT is(left(t.run('gate_ann', 'SELECT * FROM patients, closed LIMIT 0'), 5), '42501', 'in any order');
SELECT is(t.run('gate_stranger', query), '42501: permission denied for table patients', 'without a budget: ' || query)
FROM unnest(ARRAY['SELECT * FROM patients LIMIT 0', 'SELECT * FROM patients WHERE 1 = 0', 'SELECT count(*) FROM patients WHERE false GROUP BY city']) AS query;
SELECT is(t.run('gate_owner', 'SELECT count(*) FROM (SELECT * FROM patients WHERE 1 = 0) AS t'), '0', 'the owner''s are as they were');

-- private aggregates over no rows stay a question
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE false');
SELECT t.accept('SELECT smoker, dp_count(*) FROM patients WHERE 1 = 0 GROUP BY smoker');
SELECT t.accept('SELECT dp_count(*), count(*) FROM patients WHERE 1 = 0');

-- the server's are what they are over no rows, whatever the table has
CREATE FUNCTION t.one_row(query text, expected text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT t.accept(query, 0);
	RETURN NEXT is(t.run('gate_ann', format('SELECT q::text FROM (%s) AS q', query)), expected, query);
	RETURN NEXT is(t.run('gate_owner', format('SELECT q::text FROM (%s) AS q', query)), expected, 'as for the owner');
	RETURN NEXT unalike(t.run('gate_ann', 'EXPLAIN (FORMAT JSON) ' || query), '%Scan%', 'reads nothing');
END
$$;
SELECT t.one_row(query, expected) FROM (VALUES
	('SELECT count(*) FROM patients WHERE false', '(0)'),
	('SELECT count(*) AS n, sum(age), avg(p.bmi + 1) FROM patients AS p WHERE 1 = 0 AND p.age > 3 ORDER BY max(age) LIMIT 1', '(0,,)'),
	('SELECT count(DISTINCT name), count(*) FILTER (WHERE smoker), string_agg(name, '','' ORDER BY id), count(p) FROM patients AS p WHERE NULL', '(0,0,,0)'),
	('SELECT DISTINCT count(*) FROM patients JOIN numbers ON x = id WHERE false HAVING count(*) = 0', '(0)')
) AS v (query, expected);
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM patients WHERE false HAVING count(*) > 0'), NULL, 'nor a row');
SELECT is(t.run('gate_ann', 'SELECT x, (SELECT count(*) + x FROM patients WHERE false) FROM numbers WHERE x = 3'), '3', 'in a query around');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM closed, patients WHERE false'), '42501: permission denied for table closed', 'what else is named must be readable');
SELECT is(t.run('gate_stranger', 'SELECT count(*) FROM patients WHERE false'), '42501: permission denied for table patients', 'without a budget nothing is');
SELECT * FROM finish();
\ir support/gate_end.sql
DROP OWNED BY gate_stranger;
DROP ROLE gate_stranger;
