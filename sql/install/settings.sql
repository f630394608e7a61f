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
-- What runs with the rights of the extension's owner, SECURITY DEFINER, tells its
-- caller nothing but its result and errors: plans that debug_print_plan shows, say,
-- are messages of level LOG. And what is read for a reader is not counted.

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

-- What everybody may call: the functions for owners and analysts, which check their
-- caller or run with the caller's rights, the aggregates, the wrapped forms of the
-- server's functions, and what stands in the gate's statements. All others are for
-- the extension's owner. For the parts of an aggregate the server checks the
-- privileges of the aggregate's owner, not those of its caller: so nobody else may
-- call them, make an aggregate of them, or use their states in a table or a type.

DO $$
DECLARE
	for_everybody CONSTANT name[] := '{
		allow_members,alter_population,create_population,disclosure,drop_budget,drop_population,forfeit,forget_answers,forgive,protect,protect_schema,script,
		set_bounds,set_budget,set_levels,set_values,suggest,unprotect,sample_sensitivity,
		read_askers,read_budgets,read_ledger,read_own_answers,read_own_budgets,read_own_columns,read_own_history,read_place_changes,
		read_population_findings,read_populations,read_protected_relations,
		check,check_code,check_failures,check_grants,check_nodes,check_paths,check_place,check_roles,check_server,check_statistics,check_view,check_views,
		carriers,hidden_columns,library_version,paths_to,role_text,statistics_sources,tells_rows_apart,
		asked_epsilon,choose,comparisons_in,constant_text,fails_on_node,grid_point,propose,invented_value,rehearse,current_epsilon,current_rho,price,total_functions,unit_and_value,wrapped_functions
	}';
	part oid;
BEGIN
	FOR part IN
		SELECT p.oid FROM pg_proc AS p
		WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.prokind <> 'a' AND NOT p.proname ^@ 'try_' AND p.proname <> ALL (for_everybody)
	LOOP
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', part::regprocedure);
	END LOOP;
	FOR part IN
		SELECT t.oid FROM pg_type AS t WHERE t.typnamespace = 'dp_noise'::regnamespace AND t.typtype = 'b' AND t.typcategory <> 'A'
	LOOP
		EXECUTE format('REVOKE ALL ON TYPE %s FROM PUBLIC', part::regtype);
	END LOOP;
END
$$;
