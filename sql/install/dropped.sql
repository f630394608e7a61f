/*
 * dropped.sql
 *		Event triggers: after DROP, RENAME and ALTER of protected relations, and
 *		before the ledger is dropped.
 */

CREATE FUNCTION dp_noise.check_snapshot() RETURNS void
AS 'MODULE_PATHNAME', 'dp_check_snapshot' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.check_snapshot() IS
'Raises an error in a REPEATABLE READ or SERIALIZABLE transaction whose snapshot does not show current protections. For event triggers.';

CREATE FUNCTION dp_noise.on_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() AS d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND NOT d.is_temporary) THEN
		PERFORM dp_noise.check_snapshot();
	END IF;
	PERFORM dp_noise.remove_members(ARRAY(
		SELECT m.member_id
		FROM pg_event_trigger_dropped_objects() AS d JOIN dp_noise_ledger.member AS m ON m.relation = d.objid
		WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0));
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL; -- the ledger itself is being dropped
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop() IS 'Ends the protection of dropped tables.';

-- Runs after any statement, since dropping a function, an operator class or a
-- view can drop a table; and whatever session_replication_role is.
CREATE EVENT TRIGGER dp_noise_on_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_drop();
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop IS 'Ends the protection of dropped tables.';

CREATE FUNCTION dp_noise.lock_schema(schema oid) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_schema' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_schema(oid) IS
'Waits until nobody is noting names of relations in a schema, and makes them wait until the end of the transaction, which has renamed it.';

CREATE FUNCTION dp_noise.on_rename() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	-- Before relations are looked for there: others may be noting the old name.
	PERFORM dp_noise.lock_schema(d.objid)
	FROM pg_event_trigger_ddl_commands() AS d WHERE d.classid = 'pg_catalog.pg_namespace'::regclass;
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		SELECT m.member_id, m.relation
		FROM dp_noise_ledger.member AS m CROSS JOIN LATERAL pg_identify_object_as_address(relations, m.relation, 0) AS a
		WHERE m.relation <> 0 AND a.object_names <> ARRAY[m.schema_name, m.relation_name]::text[]
		ORDER BY m.member_id
	LOOP
		PERFORM dp_noise.lock_names(renamed.relation);
		PERFORM dp_noise.check_snapshot();
		-- Whoever has moved it meanwhile may have come first.
		PERFORM FROM dp_noise_ledger.member AS m WHERE m.member_id = renamed.member_id FOR UPDATE;
		PERFORM dp_noise.lock_names(renamed.relation);
		UPDATE dp_noise_ledger.member AS m SET schema_name = a.object_names[1], relation_name = a.object_names[2]
		FROM pg_identify_object_as_address(relations, renamed.relation, 0) AS a
		WHERE m.member_id = renamed.member_id AND m.relation = renamed.relation AND a.object_names IS NOT NULL;
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rename() IS 'Notes the new names of protected tables, which dumps identify them by.';

-- This runs whatever the statement renamed or moved: a relation of another kind,
-- a schema, an extension.
CREATE EVENT TRIGGER dp_noise_on_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER SEQUENCE', 'ALTER TYPE', 'ALTER EXTENSION')
	EXECUTE FUNCTION dp_noise.on_rename();
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rename IS 'Notes the new names of protected tables.';

-- Columns. The privacy unit, bounds and values refer to columns by name, and
-- follow a column when it is renamed. Since they are removed with a dropped
-- column, a name without a column is that of the column just renamed.

CREATE FUNCTION dp_noise.lock_columns_of(members integer[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	PERFORM dp_noise.lock_population(p.population_id)
	FROM (SELECT DISTINCT m.population_id FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (members) ORDER BY 1) AS p;
	UPDATE dp_noise_ledger.member AS m SET settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE m.member_id = ANY (members) OR m.path_member_id = ANY (members);
END
$$;
COMMENT ON FUNCTION dp_noise.lock_columns_of(integer[]) IS
'Locks the populations of members whose columns change, and gives their settings new versions, and those of the members whose paths lead to them.';

CREATE FUNCTION dp_noise.on_column_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	dropped record;
BEGIN
	PERFORM dp_noise.lock_columns_of(ARRAY(
		SELECT m.member_id FROM pg_event_trigger_dropped_objects() AS d JOIN dp_noise_ledger.member AS m ON m.relation = d.objid
		WHERE d.classid = relations AND d.objsubid > 0));
	FOR dropped IN
		SELECT m.member_id, d.address_names[3]::name AS column_name
		FROM pg_event_trigger_dropped_objects() AS d JOIN dp_noise_ledger.member AS m ON m.relation = d.objid
		WHERE d.classid = relations AND d.objsubid > 0
	LOOP
		DELETE FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = dropped.member_id AND b.column_name = dropped.column_name;
		DELETE FROM dp_noise_ledger.column_values AS v WHERE v.member_id = dropped.member_id AND v.column_name = dropped.column_name;
		-- not a possible name of a column, so that no later column becomes the
		-- unit
		UPDATE dp_noise_ledger.member AS m SET unit = ''
		WHERE (m.member_id = dropped.member_id AND (m.unit = dropped.column_name OR dropped.column_name = ANY (m.path_columns)))
			OR (m.path_member_id = dropped.member_id AND dropped.column_name = ANY (m.path_keys));
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_drop() IS
'Removes what was declared of dropped columns. If the privacy unit was dropped, nothing is answered about the table until it is protected again.';

CREATE EVENT TRIGGER dp_noise_on_column_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_column_drop();
ALTER EVENT TRIGGER dp_noise_on_column_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_drop IS 'Removes what was declared of dropped columns.';

CREATE FUNCTION dp_noise.with_new_name(columns name[], relation oid, new_name name) RETURNS name[] LANGUAGE sql STABLE
AS $$
	SELECT array_agg(CASE WHEN dp_noise.is_missing(relation, c) THEN new_name ELSE c END ORDER BY number)
	FROM unnest(columns) WITH ORDINALITY AS u (c, number)
$$;
COMMENT ON FUNCTION dp_noise.with_new_name(name[], oid, name) IS 'Columns of a relation of which one was renamed.';

CREATE FUNCTION dp_noise.on_column_rename() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	renamed record;
BEGIN
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		WITH RECURSIVE named AS (
			SELECT d.objid, a.attname
			FROM pg_event_trigger_ddl_commands() AS d
			JOIN pg_attribute AS a ON a.attrelid = d.objid AND a.attnum = d.objsubid
			WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid > 0
		), touched AS (
			SELECT n.objid, n.attname FROM named AS n
			UNION
			-- typed tables, partitions and children
			SELECT m.oid, t.attname
			FROM touched AS t
			CROSS JOIN LATERAL (
				SELECT c.oid FROM pg_class AS c JOIN pg_type AS y ON y.oid = c.reloftype WHERE y.typrelid = t.objid
				UNION ALL
				SELECT h.inhrelid FROM pg_inherits AS h WHERE h.inhparent = t.objid
			) AS m
		)
		SELECT m.member_id, t.objid, t.attname
		FROM touched AS t
		JOIN dp_noise_ledger.member AS m ON m.relation = t.objid
		JOIN pg_attribute AS a ON a.attrelid = t.objid AND a.attname = t.attname AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY m.population_id, m.member_id
	LOOP
		PERFORM dp_noise.lock_columns_of(ARRAY[renamed.member_id]);
		UPDATE dp_noise_ledger.member AS m
		SET unit = CASE WHEN m.unit <> '' AND dp_noise.is_missing(renamed.objid, m.unit) THEN renamed.attname ELSE m.unit END,
			path_columns = dp_noise.with_new_name(m.path_columns, renamed.objid, renamed.attname)
		WHERE m.member_id = renamed.member_id;
		UPDATE dp_noise_ledger.member AS m SET path_keys = dp_noise.with_new_name(m.path_keys, renamed.objid, renamed.attname)
		WHERE m.path_member_id = renamed.member_id;
		UPDATE dp_noise_ledger.column_bounds AS b SET column_name = renamed.attname
		WHERE b.member_id = renamed.member_id AND dp_noise.is_missing(renamed.objid, b.column_name);
		UPDATE dp_noise_ledger.column_values AS v SET column_name = renamed.attname
		WHERE v.member_id = renamed.member_id AND dp_noise.is_missing(renamed.objid, v.column_name);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_rename() IS 'Notes the new names of columns of which something was declared.';

CREATE EVENT TRIGGER dp_noise_on_column_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER TYPE')
	EXECUTE FUNCTION dp_noise.on_column_rename();
ALTER EVENT TRIGGER dp_noise_on_column_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_rename IS 'Notes the new names of columns of which something was declared.';

-- Version 15 of the server turns an empty table with such a rule into a view.

CREATE FUNCTION dp_noise.on_rule() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	found regclass;
BEGIN
	PERFORM dp_noise.check_snapshot();
	SELECT c.oid INTO found
	FROM pg_event_trigger_ddl_commands() AS d
	JOIN pg_rewrite AS w ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND w.oid = d.objid AND w.ev_type = '1' -- for SELECT
	JOIN pg_class AS c ON c.oid = w.ev_class AND c.relkind = 'v'
	JOIN dp_noise_ledger.member AS m ON m.relation = c.oid;
	IF found IS NOT NULL THEN
		RAISE EXCEPTION 'relation % is protected and cannot become a view', found
			USING ERRCODE = 'wrong_object_type', HINT = 'End its protection first with dp_noise.unprotect(); a view gets another query by CREATE OR REPLACE VIEW.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rule() IS 'Refuses a rule that makes a view of a protected table.';

CREATE EVENT TRIGGER dp_noise_on_rule ON ddl_command_end
	WHEN TAG IN ('CREATE RULE')
	EXECUTE FUNCTION dp_noise.on_rule();
ALTER EVENT TRIGGER dp_noise_on_rule ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rule IS 'Refuses a rule that makes a view of a protected table.';

-- While a relation is protected, the library refuses DROP EXTENSION and
-- whatever else would drop the ledger (src/ledger/drops.c). Where it is not
-- preloaded, this call of one of its functions loads it in time.

CREATE FUNCTION dp_noise.on_drop_start() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	IF EXISTS (SELECT FROM dp_noise_ledger.member)
		OR current_setting('transaction_isolation') <> 'read committed' THEN
		PERFORM dp_noise.current_epsilon();
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop_start() IS 'Loads the library before what may drop the ledger.';
CREATE EVENT TRIGGER dp_noise_on_drop_start ON ddl_command_start
	WHEN TAG IN ('DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED', 'DROP LANGUAGE')
	EXECUTE FUNCTION dp_noise.on_drop_start();
ALTER EVENT TRIGGER dp_noise_on_drop_start ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop_start IS 'Loads the library before what may drop the ledger.';

CREATE FUNCTION dp_noise.allow_drop() RETURNS void
AS 'MODULE_PATHNAME', 'dp_allow_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.allow_drop() IS
'Allows DROP EXTENSION dp_noise in this transaction although relations are protected. Ledger, budgets and protections are lost. For superusers, and for roles that were granted EXECUTE.';
