/*
 * schema.sql
 *		Objects of the extension: CREATE EXTENSION dp_noise runs this.
 *
 * Objects for everyone are in the extension's schema (@extschema@), objects for
 * the DBA and the parts of the aggregates in the schema dp_noise, and the ledger's
 * tables in dp_noise_ledger.
 */
\echo Use "CREATE EXTENSION dp_noise" to load this file. \quit

-- Names and operators without a schema are the server's own, whatever others
-- put into the extension's schema. An operator oid = regclass, for example,
-- would be found there first, since the server has one only through a cast.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA dp_noise;
COMMENT ON SCHEMA dp_noise IS 'Private aggregate queries: objects for the DBA, and the parts of the dp_ aggregates.';
REVOKE ALL ON SCHEMA dp_noise FROM PUBLIC;
GRANT USAGE ON SCHEMA dp_noise TO PUBLIC;

-- The library may be older than this script: one that the server was started with.
CREATE FUNCTION dp_noise.library_version() RETURNS text
AS 'MODULE_PATHNAME', 'dp_library_version' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.library_version() IS 'The version of the library that this session runs. The extension should be of the same.';

DO $$
DECLARE
	script CONSTANT text := (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'dp_noise');
	library CONSTANT text := dp_noise.library_version();
BEGIN
	IF string_to_array(library, '.')::integer[] < string_to_array(script, '.')::integer[] THEN
		RAISE object_not_in_prerequisite_state USING
			MESSAGE = format('the server runs dp_noise %s, and the extension is to be version %s', library, script),
			HINT = 'Restart the server: it runs the library that it was started with. If that is still the old one, install the new one.';
	END IF;
END
$$;

-- The ledger's tables, sequences and identities. Many commands lock a table
-- before they check privileges. In a schema that nobody else may use, no name
-- leads to a table, so that nobody can hold up the charges of others.
CREATE SCHEMA dp_noise_ledger;
COMMENT ON SCHEMA dp_noise_ledger IS
'The tables of dp_noise''s ledger, which only its functions and the ledger worker write. Superusers may read them.';
REVOKE ALL ON SCHEMA dp_noise_ledger FROM PUBLIC;

-- A function X that does what its caller has no rights for is entered in C, which
-- checks the caller and calls the body, do_X. X is declared here from its body, whose
-- parameters say who may call it. First a relation: its owner. Or a population: its
-- owner. Or the caller or reader, whom only the body is told: everybody, about what
-- is theirs, as the current user; read_own_... as the session's. A body that is
-- STABLE only reads. Dropped at the end (settings.sql).
CREATE PROCEDURE dp_noise.add_entry(name text) LANGUAGE plpgsql
AS $$
DECLARE
	body CONSTANT pg_proc := (SELECT p FROM pg_proc AS p WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.proname = 'do_' || name);
	parameters CONSTANT text := pg_get_function_arguments(body.oid);
BEGIN
	EXECUTE format('CREATE FUNCTION dp_noise.%s(%s) RETURNS %s AS ''MODULE_PATHNAME'', %L LANGUAGE C %s', name,
		regexp_replace(parameters, '^(caller|reader) oid(, )?', ''), pg_get_function_result(body.oid),
		CASE body.provolatile WHEN 's' THEN 'dp_read_as_' ELSE 'dp_as_' END
			|| CASE WHEN parameters ^@ 'relation regclass' THEN 'owner' WHEN parameters ~ '\mpopulation text\M' THEN 'population_owner'
				WHEN name ^@ 'read_own_' THEN 'session' ELSE 'user' END,
		concat_ws(' ', CASE body.provolatile WHEN 's' THEN 'STABLE PARALLEL RESTRICTED' ELSE 'VOLATILE PARALLEL UNSAFE' END,
			'ROWS ' || nullif(body.prorows, 0)));
END
$$;
