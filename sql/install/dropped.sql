/*
 * dropped.sql
 *		Event triggers: after DROP, RENAME and ALTER of protected relations, and
 *		before the ledger is dropped.
 */

CREATE FUNCTION dp_noise.forget_relation(relation_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	DELETE FROM dp_noise_ledger.identity AS i WHERE i.class = relations AND i.id = relation_id;
	DELETE FROM dp_noise_ledger.entry_dumped AS d WHERE d.class = relations AND d.id = relation_id;
	DELETE FROM dp_noise_ledger.column_bounds AS c WHERE c.relation_id = relation_id;
	DELETE FROM dp_noise_ledger.column_values AS v WHERE v.relation_id = relation_id;
	DELETE FROM dp_noise_ledger.relation_levels AS l WHERE l.relation_id = relation_id;
	-- A relation that was never asked about leaves no trace.
	IF NOT dp_noise.has_charges(relation_id)
		AND NOT EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS e WHERE e.successor = relation_id) THEN
		DELETE FROM dp_noise_ledger.spending_part AS p USING dp_noise_ledger.budget_entry AS b
		WHERE b.relation_id = relation_id AND p.budget_id = b.budget_id;
		DELETE FROM dp_noise_ledger.budget_entry AS b WHERE b.relation_id = relation_id;
		DELETE FROM dp_noise_ledger.name_entry AS n WHERE n.class = relations AND n.id = relation_id;
		DELETE FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = relation_id;
		RETURN;
	END IF;
	-- Inherited spending stays with the relations that it was charged to.
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon_spent = s.epsilon, delta_spent = s.delta, rho_spent = s.rho, pool_spent = s.delta_pool, unbounded_spent = s.unbounded
	FROM dp_noise_ledger.budget_entry AS o CROSS JOIN LATERAL dp_noise.part_of(o, '{inherited,foreign}') AS p
	CROSS JOIN LATERAL dp_noise.cost_rest(dp_noise.spent_of(o), p) AS s
	WHERE b.budget_id = o.budget_id AND b.relation_id = relation_id AND dp_noise.is_cost(p);
	DELETE FROM dp_noise_ledger.spending_part AS p USING dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = relation_id AND p.budget_id = b.budget_id AND p.kind <> 'forfeited';
	UPDATE dp_noise_ledger.relation_entry AS e SET is_protected = false WHERE e.relation_id = relation_id;
	UPDATE dp_noise_ledger.budget_entry AS b SET is_active = false
	WHERE b.relation_id = relation_id AND b.role_id IS NOT NULL AND b.is_active;
END
$$;
COMMENT ON FUNCTION dp_noise.forget_relation(integer) IS
'Ends the protection of a relation that is being dropped: what was spent on it remains.';

CREATE FUNCTION dp_noise.on_drop()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	dropped record;
BEGIN
	IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() AS d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND NOT d.is_temporary) THEN
		PERFORM dp_noise.check_snapshot();
	END IF;
	-- Nothing to do when the ledger itself is dropped. A relation without an
	-- identity changes nothing either: an entry of the same name belongs to a table
	-- that has yet to be restored from a dump, and anybody may have made and dropped
	-- another one in its place.
	FOR dropped IN
		SELECT d.objid, i.id, d.schema_name, d.object_name
		FROM pg_event_trigger_dropped_objects() AS d
		JOIN dp_noise_ledger.identity AS i ON i.class = d.classid AND i.object = d.objid
		WHERE d.classid = relations AND d.objsubid = 0
		ORDER BY d.objid
	LOOP
		PERFORM dp_noise.lock_relation(dropped.objid);
		CONTINUE WHEN NOT EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = dropped.id);
		-- The last name counts, too, even if no event trigger saw the relation get it.
		PERFORM dp_noise.note_name(relations, dropped.id, dropped.schema_name::name, dropped.object_name::name);
		PERFORM dp_noise.forget_relation(dropped.id);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop() IS
'Ends the protection of dropped tables.';

-- Runs after any statement, since dropping a function, an operator class or a
-- view can drop a table; and whatever session_replication_role is.
CREATE EVENT TRIGGER dp_noise_on_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_drop();
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop IS
'Ends the protection of dropped tables.';

CREATE FUNCTION dp_noise.on_rename()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	-- Locks are taken on the schema first, then on its relations, as elsewhere.
	PERFORM dp_noise.lock_schema(d.objid)
	FROM pg_event_trigger_ddl_commands() AS d WHERE d.classid = 'pg_catalog.pg_namespace'::regclass;
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		SELECT i.id, c.oid
		FROM pg_class AS c
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.object = c.oid
		JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id
		CROSS JOIN LATERAL pg_identify_object_as_address(i.class, i.object, 0) AS a
		WHERE a.object_names <> ARRAY[r.schema_name, r.relation_name]::text[]
			-- An earlier change of owner that was not noticed is no reason to
			-- lock the table now.
			OR (NOT EXISTS (
					SELECT FROM dp_noise_ledger.identity AS o
					WHERE o.class = 'pg_catalog.pg_authid'::regclass AND o.object = c.relowner AND o.id = r.owner_id)
				AND EXISTS (SELECT FROM pg_event_trigger_ddl_commands() AS d WHERE d.classid = relations AND d.objid = c.oid))
		ORDER BY c.oid
	LOOP
		PERFORM dp_noise.lock_relation(renamed.oid);
		-- By now others may have renamed or dropped it, too.
		PERFORM dp_noise.check_snapshot();
		CONTINUE WHEN NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = relations AND i.id = renamed.id);
		PERFORM dp_noise.note_relation(renamed.oid, renamed.id);
		PERFORM dp_noise.inherit_relation(renamed.id);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rename() IS
'Notes the new names and owners of protected tables.';

-- A protected table is known by its name. So this runs whatever the statement
-- renamed or moved: a relation of another kind, a schema, an extension.
CREATE EVENT TRIGGER dp_noise_on_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER SEQUENCE', 'ALTER TYPE', 'ALTER EXTENSION')
	EXECUTE FUNCTION dp_noise.on_rename();
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rename IS
'Notes the new names and owners of protected tables.';

-- Columns. The privacy unit, bounds and values refer to columns by name, and
-- follow a column when it is renamed. Since they are removed with a dropped
-- column, a name without a column is that of the column just renamed.

CREATE FUNCTION dp_noise.on_column_drop()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	dropped record;
BEGIN
	FOR dropped IN
		SELECT d.objid, i.id, d.address_names[3]::name AS column_name
		FROM pg_event_trigger_dropped_objects() AS d
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.object = d.objid
		WHERE d.classid = relations AND d.objsubid > 0
		ORDER BY d.objid
	LOOP
		PERFORM dp_noise.lock_relation(dropped.objid);
		PERFORM dp_noise.renew_settings(dropped.id);
		DELETE FROM dp_noise_ledger.column_bounds AS b WHERE b.relation_id = dropped.id AND b.column_name = dropped.column_name;
		DELETE FROM dp_noise_ledger.column_values AS v WHERE v.relation_id = dropped.id AND v.column_name = dropped.column_name;
		-- not a possible name of a column, so that no later column becomes the
		-- unit
		UPDATE dp_noise_ledger.relation_entry AS r SET privacy_unit = ''
		WHERE r.relation_id = dropped.id AND (r.privacy_unit = dropped.column_name OR dropped.column_name = ANY (r.path_columns));
		UPDATE dp_noise_ledger.relation_entry AS r
		SET privacy_unit = '', settings_version = nextval('dp_noise_ledger.settings_version')
		WHERE r.path_relation_id = dropped.id AND dropped.column_name = ANY (r.path_keys);
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
COMMENT ON EVENT TRIGGER dp_noise_on_column_drop IS
'Removes what was declared of dropped columns.';

CREATE FUNCTION dp_noise.is_missing(relation oid, column_name name)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = is_missing.column_name AND a.attnum > 0 AND NOT a.attisdropped)
$$;
COMMENT ON FUNCTION dp_noise.is_missing(oid, name) IS
'True where a relation has no column of that name.';

CREATE FUNCTION dp_noise.on_column_rename()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		WITH RECURSIVE named AS (
			SELECT d.objid, a.attname
			FROM pg_event_trigger_ddl_commands() AS d
			JOIN pg_attribute AS a ON a.attrelid = d.objid AND a.attnum = d.objsubid
			WHERE d.classid = relations AND d.objsubid > 0
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
		SELECT t.objid, t.attname, i.id
		FROM touched AS t
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.object = t.objid
		JOIN pg_attribute AS a ON a.attrelid = t.objid AND a.attname = t.attname AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY t.objid
	LOOP
		PERFORM dp_noise.lock_relation(renamed.objid);
		PERFORM dp_noise.renew_settings(renamed.id);
		UPDATE dp_noise_ledger.relation_entry AS r SET privacy_unit = renamed.attname
		WHERE r.relation_id = renamed.id AND r.privacy_unit <> ''
			AND dp_noise.is_missing(renamed.objid, r.privacy_unit);
		UPDATE dp_noise_ledger.relation_entry AS r SET path_columns = (
			SELECT array_agg(CASE WHEN dp_noise.is_missing(renamed.objid, c) THEN renamed.attname ELSE c END ORDER BY number)
			FROM unnest(r.path_columns) WITH ORDINALITY AS u (c, number))
		WHERE r.relation_id = renamed.id AND r.path_columns IS NOT NULL;
		UPDATE dp_noise_ledger.relation_entry AS r
		SET path_keys = (
				SELECT array_agg(CASE WHEN dp_noise.is_missing(renamed.objid, k) THEN renamed.attname ELSE k END ORDER BY number)
				FROM unnest(r.path_keys) WITH ORDINALITY AS u (k, number)),
			settings_version = nextval('dp_noise_ledger.settings_version')
		WHERE r.path_relation_id = renamed.id;
		UPDATE dp_noise_ledger.column_bounds AS b SET column_name = renamed.attname
		WHERE b.relation_id = renamed.id AND dp_noise.is_missing(renamed.objid, b.column_name);
		UPDATE dp_noise_ledger.column_values AS v SET column_name = renamed.attname
		WHERE v.relation_id = renamed.id AND dp_noise.is_missing(renamed.objid, v.column_name);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_rename() IS
'Notes the new names of columns of which something was declared.';

CREATE EVENT TRIGGER dp_noise_on_column_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER TYPE')
	EXECUTE FUNCTION dp_noise.on_column_rename();
ALTER EVENT TRIGGER dp_noise_on_column_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_rename IS
'Notes the new names of columns of which something was declared.';

-- Version 15 of the server turns an empty table with such a rule into a view.

CREATE FUNCTION dp_noise.on_rule()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	found regclass;
BEGIN
	PERFORM dp_noise.check_snapshot();
	SELECT c.oid INTO found
	FROM pg_event_trigger_ddl_commands() AS d
	JOIN pg_rewrite AS w ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND w.oid = d.objid AND w.ev_type = '1' -- for SELECT
	JOIN pg_class AS c ON c.oid = w.ev_class AND c.relkind = 'v'
	JOIN dp_noise_ledger.identity AS i ON i.class = 'pg_catalog.pg_class'::regclass AND i.object = c.oid
	JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id AND r.is_protected;
	IF found IS NOT NULL THEN
		RAISE EXCEPTION 'relation % is protected and cannot become a view', found
			USING ERRCODE = 'wrong_object_type',
				HINT = 'End its protection first with dp_noise.unprotect(); a view gets another query by CREATE OR REPLACE VIEW.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rule() IS
'Refuses a rule that makes a view of a protected table.';

CREATE EVENT TRIGGER dp_noise_on_rule ON ddl_command_end
	WHEN TAG IN ('CREATE RULE')
	EXECUTE FUNCTION dp_noise.on_rule();
ALTER EVENT TRIGGER dp_noise_on_rule ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rule IS
'Refuses a rule that makes a view of a protected table.';

-- While a relation is protected, the library refuses DROP EXTENSION and
-- whatever else would drop the ledger (src/ledger/drops.c). Where it is not
-- preloaded, this call of one of its functions loads it in time.

CREATE FUNCTION dp_noise.on_drop_start()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
BEGIN
	IF EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS r WHERE r.is_protected)
		OR current_setting('transaction_isolation') <> 'read committed' THEN
		PERFORM dp_noise.current_epsilon();
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop_start() IS
'Loads the library before what may drop the ledger.';
REVOKE ALL ON FUNCTION dp_noise.on_drop_start() FROM PUBLIC;

CREATE EVENT TRIGGER dp_noise_on_drop_start ON ddl_command_start
	WHEN TAG IN ('DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED', 'DROP LANGUAGE')
	EXECUTE FUNCTION dp_noise.on_drop_start();
ALTER EVENT TRIGGER dp_noise_on_drop_start ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop_start IS
'Loads the library before what may drop the ledger.';

CREATE FUNCTION dp_noise.allow_drop()
RETURNS void
AS 'MODULE_PATHNAME', 'dp_allow_drop'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.allow_drop() IS
'Allows DROP EXTENSION dp_noise in this transaction although relations are protected. Ledger, budgets and protections are lost. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.allow_drop() FROM PUBLIC;
