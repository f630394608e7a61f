------------------------------------------------------------------------------
-- Settings and privileges of the functions above
--
-- The bodies of functions in SQL and PL/pgSQL are texts, which the server reads
-- when they are called, under the settings of whoever calls; the owner of a
-- database sets them for everybody. Those that change what a text means are
-- fixed for all functions at once, so that none is forgotten: in which schemas
-- names are looked up, where backslashes escape, which identifiers are quoted,
-- what "= NULL" and NULL in arrays mean.
--
-- What runs with the rights of the extension's owner, SECURITY DEFINER, may be
-- called by nobody else. It tells its caller nothing but its result and errors:
-- plans that debug_print_plan shows, say, are messages of level LOG. And what is
-- read for a reader is not counted.

DROP PROCEDURE dp_noise.add_entry(text);

DO $$
DECLARE
	function record;
BEGIN
	FOR function IN
		SELECT p.oid::regprocedure AS signature, p.proname AS name, p.prosecdef AS is_definer
		FROM pg_catalog.pg_depend AS d
		JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
		JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
		WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_catalog.pg_extension'::regclass
			AND d.refobjid = (SELECT e.oid FROM pg_catalog.pg_extension AS e WHERE e.extname = 'dp_noise')
			AND l.lanname IN ('sql', 'plpgsql') AND p.prosqlbody IS NULL
	LOOP
		EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET quote_all_identifiers = off'
			' SET transform_null_equals = off SET array_nulls = on', function.signature);
		IF function.is_definer THEN
			EXECUTE format('ALTER FUNCTION %s SET client_min_messages = error', function.signature);
			EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function.signature);
		END IF;
		IF function.name ^@ 'do_read_' THEN
			EXECUTE format('ALTER FUNCTION %s SET track_counts = off', function.signature);
		END IF;
		IF function.name ^@ 'do_' THEN
			EXECUTE format('COMMENT ON FUNCTION %s IS %L', function.signature, 'Body of dp_noise.' || pg_catalog.substr(function.name, 4) || '.');
		END IF;
	END LOOP;
END
$$;
