/*
 * ledger_names.sql
 *		The ledger: numbers of relations and roles.
 */

------------------------------------------------------------------------------
-- The ledger: names and identities
--
-- These run with the rights of their caller: the ledger worker, or the
-- functions for owners below, which are SECURITY DEFINER.

CREATE VIEW dp_noise_ledger.role_identity AS
SELECT i.class, i.object, i.id
FROM dp_noise_ledger.identity AS i
WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid
	AND EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE a.oid = i.object)
UNION ALL
SELECT d.class, a.oid, d.id
FROM dp_noise_ledger.entry_dumped AS d
JOIN dp_noise_ledger.role_entry AS r ON r.role_id = d.id
JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
WHERE d.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid
	AND NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = d.class AND (i.id = d.id OR i.object = a.oid));
COMMENT ON VIEW dp_noise_ledger.role_identity IS
'The existing roles, by role_id.';

-- A table with a name from a dump is the dump's table only if its owner is the
-- same: anybody else could have made it, where the dump's table was not
-- restored.
CREATE VIEW dp_noise_ledger.current_identity AS
SELECT r.class, r.object, r.id
FROM dp_noise_ledger.role_identity AS r
UNION ALL
SELECT i.class, i.object, i.id
FROM dp_noise_ledger.identity AS i
WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
	AND EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object)
UNION ALL
SELECT d.class, c.oid, d.id
FROM dp_noise_ledger.entry_dumped AS d
JOIN dp_noise_ledger.relation_entry AS e ON e.relation_id = d.id
JOIN pg_catalog.pg_namespace AS n ON n.nspname = e.schema_name
JOIN pg_catalog.pg_class AS c ON c.relname = e.relation_name AND c.relnamespace = n.oid
JOIN pg_catalog.pg_roles AS a ON a.oid = c.relowner
WHERE d.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
	AND NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = d.class AND (i.id = d.id OR i.object = c.oid))
	AND (a.rolsuper OR EXISTS (SELECT FROM dp_noise_ledger.role_identity AS r WHERE r.object = a.oid AND r.id = e.owner_id));
COMMENT ON VIEW dp_noise_ledger.current_identity IS
'The existing objects, by relation_id or role_id: those in dp_noise_ledger.identity, and, found by name, those that a dump restored and that were not used yet.';

CREATE FUNCTION dp_noise.lock_relation(relation oid)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_relation'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_relation(oid) IS
'Locks the ledger''s rows about a relation, against the ledger worker and all other writers, until the end of the transaction.';

CREATE FUNCTION dp_noise.lock_columns(relation oid)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_columns'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_columns(oid) IS
'As dp_noise.lock_relation, and locks the relation itself (ACCESS SHARE), so that its columns stay as they are.';

CREATE FUNCTION dp_noise.lock_schema(schema oid)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_schema'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_schema(oid) IS
'Waits for all who have locked a relation of a schema, and lets nobody lock one until the end of the transaction. For whoever has renamed the schema, before looking for its relations.';

CREATE FUNCTION dp_noise.find_relation(relation oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
BEGIN
	SELECT i.id INTO found_id FROM dp_noise_ledger.identity AS i
	WHERE i.class = relations AND i.object = find_relation.relation;
	IF found_id IS NULL THEN
		SELECT c.id INTO found_id FROM dp_noise_ledger.current_identity AS c
		WHERE c.class = relations AND c.object = find_relation.relation;
		IF found_id IS NOT NULL THEN
			INSERT INTO dp_noise_ledger.identity (class, object, id) VALUES (relations, find_relation.relation, found_id);
		END IF;
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.find_relation(oid) IS
'Number of a relation; null if it was never protected. Called under the lock of the relation.';

CREATE FUNCTION dp_noise.find_role(role oid)
RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT c.id FROM dp_noise_ledger.current_identity AS c
	WHERE c.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND c.object = find_role.role
$$;
COMMENT ON FUNCTION dp_noise.find_role(oid) IS
'Number of a role; null if it has none.';

CREATE FUNCTION dp_noise.make_role(role oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
	found_name name;
	is_new boolean := false;
BEGIN
	SELECT a.rolname INTO STRICT found_name FROM pg_catalog.pg_authid AS a WHERE a.oid = make_role.role;
	SELECT i.id INTO found_id FROM dp_noise_ledger.identity AS i
	WHERE i.class = roles AND i.object = make_role.role;
	IF found_id IS NULL THEN
		found_id := dp_noise.find_role(make_role.role);
		IF found_id IS NULL THEN
			is_new := true;
			found_id := nextval('dp_noise_ledger.role_entry_role_id_seq');
		END IF;
		-- Written first, so that a new entry is not taken for one restored from
		-- a dump.
		INSERT INTO dp_noise_ledger.identity (class, object, id) VALUES (roles, make_role.role, found_id);
	END IF;
	IF is_new THEN
		INSERT INTO dp_noise_ledger.role_entry (role_id, role_name) OVERRIDING SYSTEM VALUE VALUES (found_id, found_name);
		INSERT INTO dp_noise_ledger.entry_dumped (class, id) VALUES (roles, found_id);
	END IF;
	UPDATE dp_noise_ledger.role_entry AS r SET role_name = found_name
	WHERE r.role_id = found_id AND r.role_name <> found_name;
	PERFORM dp_noise.note_name(roles, found_id, '', found_name);
	PERFORM dp_noise.note_role_sources(found_id);
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.make_role(oid) IS
'Number of a role. A role without one gets one, a renamed role gets its new name noted, and so are the roles that it inherits from. Called by the ledger worker alone.';

CREATE FUNCTION dp_noise.number_role(role oid)
RETURNS integer
AS 'MODULE_PATHNAME', 'dp_number_role'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.number_role(oid) IS
'Like dp_noise.make_role, which the ledger worker calls for it in a transaction of its own.';

CREATE FUNCTION dp_noise.number_owner(relation oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	owner CONSTANT oid := (SELECT c.relowner FROM pg_catalog.pg_class AS c WHERE c.oid = number_owner.relation);
	found_id integer;
BEGIN
	SELECT i.id INTO found_id FROM dp_noise_ledger.identity AS i
	WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass AND i.object = owner;
	RETURN coalesce(found_id, dp_noise.number_role(owner));
END
$$;
COMMENT ON FUNCTION dp_noise.number_owner(oid) IS
'Number of the role that owns a relation.';

-- The name is read from the catalog caches, which are up to date once the lock is
-- held. The snapshot of a statement, or of a whole transaction, may be older, from
-- when the schema or the relation had another name.
CREATE FUNCTION dp_noise.note_relation(relation oid, relation_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	names CONSTANT name[] := (SELECT a.object_names::name[] FROM pg_identify_object_as_address(relations, relation, 0) AS a);
BEGIN
	UPDATE dp_noise_ledger.relation_entry AS r
	SET schema_name = names[1], relation_name = names[2], owner_id = dp_noise.number_owner(relation)
	WHERE r.relation_id = relation_id;
	PERFORM dp_noise.note_name(relations, relation_id, names[1], names[2]);
END
$$;
COMMENT ON FUNCTION dp_noise.note_relation(oid, integer) IS
'Notes the name and the owner that a relation has now: (relation, its relation_id). Under the lock of the relation.';

-- After a restore. Roles can be renamed without any event trigger, and
-- relations may be renamed or dropped before anybody asks a question. So names
-- identify objects only while the rows are being restored. Tables are restored
-- in any order, and even at the same time; the last one sees all rows. New
-- entries already have their identity, and are left alone.

CREATE FUNCTION dp_noise.settle(class oid, ids integer[])
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	roles CONSTANT oid := 'pg_catalog.pg_authid'::regclass;
BEGIN
	IF NOT EXISTS (SELECT FROM unnest(ids) AS u (id)
		WHERE NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = class AND i.id = u.id)) THEN
		RETURN;
	END IF;
	PERFORM dp_noise.lock_relation('dp_noise_ledger.identity'::regclass);
	INSERT INTO dp_noise_ledger.identity (class, object, id)
	SELECT c.class, c.object, c.id FROM dp_noise_ledger.current_identity AS c
	WHERE (c.class = class AND c.id = ANY (ids))
		-- which had an unknown owner
		OR (class = roles AND c.class = relations
			AND c.id IN (SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e WHERE e.owner_id = ANY (ids)))
	ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION dp_noise.settle(oid, integer[]) IS
'Notes the objects of entries restored from a dump, by their current names: (class, relation_ids or role_ids). Entries that have an identity, or whose object does not exist, are left alone.';

CREATE FUNCTION dp_noise.on_entry()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	roles CONSTANT oid := 'pg_catalog.pg_authid'::regclass;
BEGIN
	IF TG_TABLE_NAME = 'role_entry' THEN
		PERFORM dp_noise.settle(roles, ARRAY(SELECT e.role_id FROM entered AS e));
	ELSIF TG_TABLE_NAME = 'relation_entry' THEN
		PERFORM dp_noise.settle(relations, ARRAY(SELECT e.relation_id FROM entered AS e));
	ELSE
		PERFORM dp_noise.settle(roles, ARRAY(SELECT e.id FROM entered AS e WHERE e.class = roles));
		PERFORM dp_noise.settle(relations, ARRAY(SELECT e.id FROM entered AS e WHERE e.class = relations));
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_entry() IS
'Settles the entries that a restore writes.';

CREATE TRIGGER dp_noise_on_entry AFTER INSERT ON dp_noise_ledger.relation_entry
	REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION dp_noise.on_entry();
ALTER TABLE dp_noise_ledger.relation_entry ENABLE ALWAYS TRIGGER dp_noise_on_entry;
COMMENT ON TRIGGER dp_noise_on_entry ON dp_noise_ledger.relation_entry IS
'Settles the entries that a restore writes.';
CREATE TRIGGER dp_noise_on_entry AFTER INSERT ON dp_noise_ledger.role_entry
	REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION dp_noise.on_entry();
ALTER TABLE dp_noise_ledger.role_entry ENABLE ALWAYS TRIGGER dp_noise_on_entry;
COMMENT ON TRIGGER dp_noise_on_entry ON dp_noise_ledger.role_entry IS
'Settles the entries that a restore writes.';
CREATE TRIGGER dp_noise_on_entry AFTER INSERT ON dp_noise_ledger.entry_dumped
	REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION dp_noise.on_entry();
ALTER TABLE dp_noise_ledger.entry_dumped ENABLE ALWAYS TRIGGER dp_noise_on_entry;
COMMENT ON TRIGGER dp_noise_on_entry ON dp_noise_ledger.entry_dumped IS
'Settles the entries that a restore writes.';

CREATE FUNCTION dp_noise.check_snapshot()
RETURNS void
AS 'MODULE_PATHNAME', 'dp_check_snapshot'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.check_snapshot() IS
'Raises an error in a REPEATABLE READ or SERIALIZABLE transaction whose snapshot does not show current protections. For event triggers.';

CREATE FUNCTION dp_noise.tidy()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	PERFORM dp_noise.notice_place();

	-- Relations that were dropped without an event trigger. Nobody can lock
	-- them any more.
	PERFORM dp_noise.forget_relation(gone.id)
	FROM (
		SELECT i.id FROM dp_noise_ledger.identity AS i
		WHERE i.class = relations AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object)
		FOR UPDATE SKIP LOCKED
	) AS gone;
	WITH gone AS (
		SELECT i.class, i.id FROM dp_noise_ledger.identity AS i
		WHERE i.class = roles AND NOT EXISTS (SELECT FROM pg_catalog.pg_authid AS a WHERE a.oid = i.object)
		FOR UPDATE SKIP LOCKED
	), forgotten AS (
		DELETE FROM dp_noise_ledger.entry_dumped AS d USING gone WHERE d.class = gone.class AND d.id = gone.id
	)
	DELETE FROM dp_noise_ledger.identity AS i USING gone WHERE i.class = gone.class AND i.id = gone.id;

	-- Roles that were renamed, and those that a dump restored.
	PERFORM dp_noise.make_role(a.oid)
	FROM dp_noise_ledger.role_entry AS r
	JOIN dp_noise_ledger.identity AS i ON i.class = roles AND i.id = r.role_id
	JOIN pg_catalog.pg_authid AS a ON a.oid = i.object
	WHERE r.role_name <> a.rolname;
	INSERT INTO dp_noise_ledger.identity (class, object, id)
	SELECT c.class, c.object, c.id FROM dp_noise_ledger.current_identity AS c
	WHERE c.class = roles AND NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = c.class AND i.id = c.id);

	-- Owners that changed without an event trigger (REASSIGN OWNED), so that a
	-- dump has the current ones. This runs without the relations' locks, so
	-- entries that an owner is changing are left alone.
	WITH changed AS (
		SELECT e.relation_id, c.relowner
		FROM dp_noise_ledger.relation_entry AS e
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.id = e.relation_id
		JOIN pg_catalog.pg_class AS c ON c.oid = i.object
		LEFT JOIN dp_noise_ledger.identity AS o ON o.class = roles AND o.object = c.relowner
		WHERE e.owner_id IS DISTINCT FROM o.id
		FOR UPDATE OF e SKIP LOCKED
	), owner AS MATERIALIZED (
		SELECT o.relowner, dp_noise.make_role(o.relowner) AS role_id
		FROM (SELECT DISTINCT c.relowner FROM changed AS c) AS o
	)
	UPDATE dp_noise_ledger.relation_entry AS e SET owner_id = owner.role_id
	FROM changed JOIN owner USING (relowner) WHERE e.relation_id = changed.relation_id;
END
$$;
COMMENT ON FUNCTION dp_noise.tidy() IS
'Updates what is known about roles and about owners of relations after drops, renames and restores, and ends the protection of relations that no longer exist. Called by the ledger worker alone, when it starts.';

CREATE FUNCTION dp_noise.period_begin(start timestamptz, period interval, at timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
	result timestamptz := start;
	periods bigint;
BEGIN
	IF period IS NULL OR start + period > at THEN
		RETURN start;
	END IF;
	-- A first guess by length, slightly too small, then step by step, since
	-- months differ in length.
	periods := pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - start)
		/ EXTRACT(epoch FROM period))::bigint - 1;
	IF periods > 0 AND start + periods * period <= at THEN
		result := start + periods * period;
	END IF;
	WHILE result + period <= at LOOP
		result := result + period
			* greatest(1, pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - result) / EXTRACT(epoch FROM period)))::bigint;
	END LOOP;
	RETURN result;
END
$$;
COMMENT ON FUNCTION dp_noise.period_begin(timestamptz, interval, timestamptz) IS
'The last start + n * period that is not after the given time; start itself without a period. Days and months are those of UTC, so that periods begin at the same time for everyone.';
