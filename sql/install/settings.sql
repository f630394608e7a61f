
------------------------------------------------------------------------------
-- Settings under which the functions above are read and run
--
-- The bodies of functions in SQL and PL/pgSQL are texts, which the server reads
-- when they are called, under the settings of whoever calls; the owner of a
-- database sets them for everybody. Those that change what a text means are
-- fixed for all functions at once, so that none is forgotten: where backslashes
-- escape, which identifiers are quoted, what "= NULL" and NULL in arrays mean.

DO $$
DECLARE
	function regprocedure;
	pinned text;
BEGIN
	FOR function, pinned IN
		SELECT p.oid, s
		FROM pg_catalog.pg_depend AS d
		JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
		JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
		CROSS JOIN unnest('{standard_conforming_strings = on,quote_all_identifiers = off,transform_null_equals = off,array_nulls = on}'::text[]) AS s
		WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_catalog.pg_extension'::regclass
			AND d.refobjid = (SELECT e.oid FROM pg_catalog.pg_extension AS e WHERE e.extname = 'dp_noise')
			AND l.lanname IN ('sql', 'plpgsql') AND p.prosqlbody IS NULL
	LOOP
		EXECUTE format('ALTER FUNCTION %s SET %s', function, pinned);
	END LOOP;
END
$$;
