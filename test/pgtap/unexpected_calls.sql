-- Functions that everybody may call, in places for which they were not written:
-- as operators, in casts, in aggregates and as the difference of a range type,
-- all of which any user may create. choose() as an operator ended the server.
-- The catalogue names the functions, so that a new one is tried, too.

BEGIN;
SELECT plan(5);

CREATE ROLE odd_ann;
CREATE SCHEMA odd_ann AUTHORIZATION odd_ann;
GRANT TEMPORARY ON DATABASE :"DBNAME" TO odd_ann;
SET LOCAL client_min_messages = error;

-- What a role meets that makes something and uses it; nothing of it stays. The
-- end of the server would be the end of this session.
CREATE FUNCTION outcome(made text, used text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := 'made';
	statement text;
BEGIN
	BEGIN
		SET LOCAL ROLE odd_ann;
		SET LOCAL statement_timeout = 0;
		EXECUTE made;
		FOREACH statement IN ARRAY used LOOP
			BEGIN
				EXECUTE statement;
			EXCEPTION WHEN OTHERS THEN
				result := result || ' ' || SQLSTATE;
			END;
		END LOOP;
		RAISE EXCEPTION USING ERRCODE = 'PT000', MESSAGE = result;
	EXCEPTION
		WHEN SQLSTATE 'PT000' THEN
			result := SQLERRM;
		WHEN OTHERS THEN
			result := 'refused ' || SQLSTATE;
	END;
	RETURN result;
END
$$;

-- All functions of the extension that the role may call, and of the wrapped ones
-- that share their code one for each result.
CREATE TABLE functions AS
WITH extension AS (
	SELECT p.*, p.proargtypes::oid[] AS types
	FROM pg_depend AS d
	JOIN pg_proc AS p ON p.oid = d.objid
	WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise')
		AND has_function_privilege('odd_ann', p.oid, 'EXECUTE') AND p.prokind IN ('f', 'w')
)
SELECT oid, oid::regproc::text AS name, proname, prokind, pronargs, prorettype, types,
	-- values of its types, and null
	(SELECT coalesce(array_agg(CASE
		WHEN t = 'anyarray'::regtype OR t = 'anycompatiblearray'::regtype THEN 'ARRAY[1, 2]'
		WHEN t IN ('anyelement'::regtype, 'anycompatible'::regtype, '"any"'::regtype) THEN '1::integer'
		WHEN t IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN format('%L::%s', 'x', t::regtype)
		WHEN t IN ('regclass'::regtype, 'regproc'::regtype, 'regprocedure'::regtype, 'regrole'::regtype, 'oid'::regtype) THEN format('1259::%s', t::regtype)
		WHEN t IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'float4'::regtype, 'float8'::regtype, 'numeric'::regtype) THEN format('3::%s', t::regtype)
		ELSE format('NULL::%s', t::regtype)
	END ORDER BY n), '{}') FROM unnest(types) WITH ORDINALITY AS u (t, n)) AS "values",
	(SELECT coalesce(array_agg(format('NULL::%s', CASE
		WHEN t IN ('anyarray'::regtype, 'anycompatiblearray'::regtype) THEN 'integer[]'
		WHEN t IN ('anyelement'::regtype, 'anycompatible'::regtype, '"any"'::regtype) THEN 'integer'
		ELSE t::regtype::text END) ORDER BY n), '{}') FROM unnest(types) WITH ORDINALITY AS u (t, n)) AS nulls
FROM (
	SELECT * FROM extension WHERE prosrc NOT IN ('dp_try', 'dp_try_cast')
	UNION ALL
	(SELECT DISTINCT ON (prosrc, pronargs, prorettype) * FROM extension WHERE prosrc IN ('dp_try', 'dp_try_cast') ORDER BY prosrc, pronargs, prorettype, oid)
) AS f;

SELECT ok(count(*) > 100 AND count(*) FILTER (WHERE prokind = 'w') > 0, 'the catalogue names functions') FROM functions;

CREATE TABLE trials AS
-- operators of one and of two arguments
SELECT name, 'operator' AS kind, format('CREATE OPERATOR odd_ann.@@@ (PROCEDURE = %s, %s)', name,
		CASE pronargs WHEN 1 THEN format('RIGHTARG = %s', types[0]::regtype) ELSE format('LEFTARG = %s, RIGHTARG = %s', types[0]::regtype, types[1]::regtype) END) AS made,
	(SELECT array_agg(format(template, CASE pronargs WHEN 1 THEN '' ELSE a[1] END, a[pronargs]))
		FROM unnest(ARRAY['SELECT %s OPERATOR(odd_ann.@@@) %s', 'SELECT %s OPERATOR(odd_ann.@@@) %s FROM generate_series(1, 2) GROUP BY 1', 'SELECT max(i), (%s OPERATOR(odd_ann.@@@) %s) IS NULL FROM generate_series(1, 2) AS i']) AS template,
			LATERAL (VALUES ("values"), (nulls)) AS v (a)) AS used
FROM functions WHERE pronargs BETWEEN 1 AND 2
UNION ALL
-- the estimators of an operator
SELECT name, 'estimator', format('CREATE OPERATOR odd_ann.@@@ (PROCEDURE = int4eq, LEFTARG = integer, RIGHTARG = integer, RESTRICT = %1$s, JOIN = %1$s)', name),
	'{SELECT FROM pg_class WHERE relpages OPERATOR(odd_ann.@@@) 1}'
FROM functions
UNION ALL
-- what an aggregate calls, plainly and in windows, over a state of the first argument's type
SELECT name, 'transition', format('CREATE AGGREGATE odd_ann.a(%s) (SFUNC = %s, STYPE = %s)', coalesce((SELECT string_agg(t::regtype::text, ', ' ORDER BY n) FROM unnest(types) WITH ORDINALITY AS u (t, n) WHERE n > 1), '*'), name, types[0]::regtype),
	(SELECT array_agg(format('SELECT odd_ann.a(%s) %s FROM generate_series(1, 3) AS i', CASE WHEN pronargs = 1 THEN '*' ELSE array_to_string(a[2:], ', ') END, clause))
		FROM unnest('{"","OVER (ORDER BY i ROWS 1 PRECEDING)"}'::text[]) AS clause, LATERAL (VALUES ("values"), (nulls)) AS v (a))
FROM functions WHERE pronargs >= 1
UNION ALL
SELECT name, 'final', format('CREATE AGGREGATE odd_ann.a(%1$s) (SFUNC = %2$s, STYPE = %1$s, FINALFUNC = %3$s, INITCOND = %4$L)', types[0]::regtype, step.step, name, NULL),
	(SELECT array_agg(format('SELECT odd_ann.a(%s) %s FROM generate_series(1, 3) AS i', a[1], clause))
		FROM unnest('{"","OVER (ORDER BY i ROWS 1 PRECEDING)"}'::text[]) AS clause, LATERAL (VALUES ("values"), (nulls)) AS v (a))
FROM functions JOIN (VALUES ('int4'::regtype, 'int4larger'), ('int8', 'int8larger'), ('int2', 'int2larger'), ('float8', 'float8larger'), ('float4', 'float4larger'), ('numeric', 'numeric_larger'), ('text', 'text_larger'),
	('date', 'date_larger'), ('timestamp', 'timestamp_larger'), ('interval', 'interval_larger'), ('bpchar', 'bpchar_larger')) AS step (type, step) ON step.type = types[0]
WHERE pronargs = 1
UNION ALL
SELECT name, 'moving', format('CREATE AGGREGATE odd_ann.a(%1$s) (SFUNC = int4larger, STYPE = %1$s, MSFUNC = %2$s, MINVFUNC = %2$s, MSTYPE = %1$s, COMBINEFUNC = %2$s, INITCOND = ''1'', MINITCOND = ''1'')', types[0]::regtype, name),
	ARRAY['SELECT odd_ann.a(i) OVER (ORDER BY i ROWS 1 PRECEDING) FROM generate_series(1, 5) AS i', 'SELECT odd_ann.a(i) FROM generate_series(1, 5) AS i']
FROM functions WHERE pronargs = 2 AND types[0] = types[1]
UNION ALL
-- the difference of a range's ends, and its canonical form
SELECT name, 'range', format('CREATE TYPE odd_ann.r AS RANGE (SUBTYPE = %s, SUBTYPE_DIFF = %s)', types[0]::regtype, name),
	ARRAY['CREATE TEMP TABLE ranges AS SELECT odd_ann.r(NULL, NULL) AS r FROM generate_series(1, 500)', 'CREATE INDEX ON ranges USING gist (r)', 'ANALYZE ranges']
		|| (SELECT array_agg(format('INSERT INTO ranges SELECT odd_ann.r(%s, NULL) FROM generate_series(1, 500)', a[1])) FROM (VALUES ("values"), (nulls)) AS v (a))
		|| ARRAY['ANALYZE ranges', 'SELECT count(*) FROM ranges AS a WHERE a.r && odd_ann.r(NULL, NULL)']
FROM functions WHERE pronargs = 2
UNION ALL
-- a cast of a type of one's own
SELECT name, 'cast', format('CREATE CAST (odd_ann.own AS %s) WITH FUNCTION %s', prorettype::regtype, oid::regprocedure), ARRAY[format('SELECT NULL::odd_ann.own::%s', prorettype::regtype), format('SELECT ''a''::odd_ann.own::%s', prorettype::regtype)]
FROM functions WHERE pronargs BETWEEN 1 AND 3
UNION ALL
-- triggers, conversions, transforms, defaults and conditions
SELECT name, 'trigger', format('CREATE TRIGGER t BEFORE INSERT ON odd_ann.mine FOR EACH ROW EXECUTE FUNCTION %s()', name), '{INSERT INTO odd_ann.mine VALUES (1)}' FROM functions
UNION ALL
SELECT name, 'event trigger', format('CREATE EVENT TRIGGER t ON ddl_command_end EXECUTE FUNCTION %s()', name), '{CREATE TEMP TABLE x ()}' FROM functions
UNION ALL
SELECT name, 'conversion', format('CREATE CONVERSION odd_ann.c FOR %L TO %L FROM %s', 'LATIN1', 'UTF8', name), '{}' FROM functions
UNION ALL
SELECT name, 'transform', format('CREATE TRANSFORM FOR odd_ann.own LANGUAGE plpgsql (FROM SQL WITH FUNCTION %1$s, TO SQL WITH FUNCTION %1$s)', oid::regprocedure), '{}' FROM functions
UNION ALL
SELECT name, 'support', format('CREATE FUNCTION odd_ann.f() RETURNS integer LANGUAGE sql SUPPORT %s AS ''SELECT 1''', name), '{SELECT odd_ann.f()}' FROM functions
UNION ALL
-- with and without a window
SELECT name, 'call', 'SELECT', (SELECT array_agg(format('SELECT %s(%s)%s', name, array_to_string(a, ', '), clause)) FROM unnest(ARRAY['', ' OVER ()', ' FROM generate_series(1, 2) GROUP BY 1', ' FILTER (WHERE true)']) AS clause, LATERAL (VALUES ("values"), (nulls)) AS v (a))
FROM functions
UNION ALL
SELECT name, 'index', 'CREATE TEMP TABLE indexed AS SELECT 1 AS i', (SELECT array_agg(format('CREATE INDEX ON indexed ((%s(%s)))', name, array_to_string(a, ', '))) FROM (VALUES ("values"), (nulls)) AS v (a))
FROM functions;

SET ROLE odd_ann;
CREATE TYPE odd_ann.own AS ENUM ('a');
CREATE TABLE odd_ann.mine (i integer);
RESET ROLE;

CREATE TABLE outcomes AS SELECT trials.*, outcome(made, used) AS outcome FROM trials WHERE made IS NOT NULL;
SELECT cmp_ok(count(*), '>', 1000::bigint, 'all of them are tried, and the session goes on') FROM outcomes;
SELECT is(array_agg(DISTINCT kind ORDER BY kind) FILTER (WHERE outcome LIKE 'made%'), '{call,final,index,moving,operator,range,transition}', 'some of each kind that can be made were made') FROM outcomes;
SELECT is(string_agg(name || ' ' || outcome, ', '), NULL, 'no internal errors but those that the server raises where a function returns null') FROM outcomes
WHERE outcome LIKE '%XX%' AND kind NOT IN ('range');
SELECT is(outcome('CREATE OPERATOR odd_ann.@@@ (RIGHTARG = int4, PROCEDURE = dp_noise.choose)', '{SELECT OPERATOR(odd_ann.@@@) 3}'), 'made 42P20', 'a window function as an operator');

SELECT * FROM finish();
ROLLBACK;
