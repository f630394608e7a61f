/*
 * expressions.sql
 *		The wrapped forms of the server's functions.
 */

------------------------------------------------------------------------------
-- Expressions

CREATE FUNCTION dp_noise.wrapped_functions() RETURNS pg_catalog.text[]
AS 'MODULE_PATHNAME', 'dp_wrapped_functions' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.wrapped_functions() IS
'The server''s functions that have a wrapped form, dp_noise.try_<name>: name, argument types and the symbol in the library, separated by slashes. A query over a protected relation may call them: a call that would be an error gives null.';

-- One wrapped form for each function of the list. Functions that this server
-- does not have are left out: the list covers all versions.
DO $$
DECLARE
	part text[];
	name text;
	arguments text;
	original oid;
	result text;
	volatility "char";
	is_parallel_safe boolean;
	is_strict boolean;
BEGIN
	FOR part IN
		SELECT pg_catalog.string_to_array(f, '/') FROM pg_catalog.unnest(dp_noise.wrapped_functions()) AS f
	LOOP
		name := part[1];
		SELECT pg_catalog.string_agg('pg_catalog.' || pg_catalog.quote_ident(a), ', ' ORDER BY n) INTO arguments
		FROM pg_catalog.unnest(pg_catalog.string_to_array(part[2], ' ')) WITH ORDINALITY AS u (a, n);
		IF name LIKE 'cast\_to\_%' THEN
			result := 'pg_catalog.' || pg_catalog.quote_ident(pg_catalog.substr(name, 9));
			is_parallel_safe := true;
			is_strict := true;
			SELECT CASE WHEN o.provolatile = 'i' AND i.provolatile = 'i' THEN 'i' ELSE 's' END INTO volatility
			FROM pg_catalog.pg_type AS f
			JOIN pg_catalog.pg_proc AS o ON o.oid = f.typoutput,
				pg_catalog.pg_type AS t JOIN pg_catalog.pg_proc AS i ON i.oid = t.typinput
			WHERE f.oid = arguments::pg_catalog.regtype AND t.oid = result::pg_catalog.regtype;
		ELSE
			original := pg_catalog.to_regprocedure(pg_catalog.format('pg_catalog.%I(%s)', name, arguments));
			CONTINUE WHEN original IS NULL;
			SELECT p.prorettype::pg_catalog.regtype::text, p.provolatile, p.proparallel = 's', p.proisstrict INTO result, volatility, is_parallel_safe, is_strict
			FROM pg_catalog.pg_proc AS p
			WHERE p.oid = original;
		END IF;
		EXECUTE pg_catalog.format(
			'CREATE FUNCTION dp_noise.%I(%s) RETURNS %s AS ''MODULE_PATHNAME'', %L LANGUAGE C %s %s %s',
			'try_' || name, arguments, result, part[3],
			CASE volatility WHEN 'i' THEN 'IMMUTABLE' ELSE 'STABLE' END,
			CASE WHEN is_strict THEN 'STRICT' ELSE 'CALLED ON NULL INPUT' END,
			CASE WHEN is_parallel_safe THEN 'PARALLEL SAFE' ELSE 'PARALLEL RESTRICTED' END);
		-- COMMENT would lock each function until the end: more locks than small servers have
		INSERT INTO pg_catalog.pg_description (objoid, classoid, objsubid, description)
		SELECT pg_catalog.to_regprocedure(pg_catalog.format('dp_noise.%I(%s)', 'try_' || name, arguments)), 'pg_catalog.pg_proc'::pg_catalog.regclass, 0,
			pg_catalog.format('%s(%s), with null in place of a data exception.', name, pg_catalog.replace(part[2], ' ', ', '));
	END LOOP;
END
$$;
