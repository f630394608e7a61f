/*
 * place.sql
 *		Where the ledger was written. One that was restored, copied or promoted may
 *		lack charges, and must not continue unnoticed.
 */

-- The ledger's first table: see src/ledger/locks.c. A dump contains its rows,
-- which name another place than the row that CREATE EXTENSION makes before they
-- are restored.
CREATE TABLE dp_noise_ledger.place (
	system_identifier bigint NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	database_name name NOT NULL,
	extension oid NOT NULL,
	seal text,
	backup text,
	since timestamptz NOT NULL DEFAULT pg_catalog.now(),
	is_accepted boolean NOT NULL
);
-- It has no key, and a publication FOR ALL TABLES shall not make it read-only.
ALTER TABLE dp_noise_ledger.place REPLICA IDENTITY FULL;
COMMENT ON TABLE dp_noise_ledger.place IS
'Where the ledger was written: cluster, timeline, database with its seal, extension, and the base backup that the server was started from. Rows with is_accepted false are places where the ledger worker found the ledger later; they are kept so that it logs each of them once. Unless charges may be missing, all rows are of the present place.';

-- Whoever creates a database chooses its oid and its name, and copies the files of
-- another one. So the ledger's place is known by a seal, a random number among
-- the settings of the database. Those are in a shared catalogue: CREATE DATABASE
-- copies none, DROP DATABASE removes them, and base backups, standbys, pg_upgrade,
-- a new name and another tablespace take them along. Only superusers may set the
-- parameter. A security label would do, too, but restoring one fails where its
-- provider is not preloaded, and pg_upgrade with it.
CREATE FUNCTION dp_noise.present_seal() RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT substr(c.setting, length('dp_noise.database_seal=') + 1)
	FROM pg_database AS d JOIN pg_db_role_setting AS s ON s.setdatabase = d.oid AND s.setrole = 0
	CROSS JOIN LATERAL unnest(s.setconfig) AS c (setting)
	WHERE d.datname = current_database() AND c.setting ^@ 'dp_noise.database_seal='
$$;
COMMENT ON FUNCTION dp_noise.present_seal() IS
'The seal of this database, which nobody but a superuser can give to another one; null if it has none, as a copy of a database.';

CREATE FUNCTION dp_noise.present_place(
	OUT system_identifier bigint, OUT timeline bigint, OUT database oid, OUT database_name name, OUT extension oid, OUT backup text
)
AS 'MODULE_PATHNAME', 'dp_present_place' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.present_place() IS
'The present place of the ledger, as a row of dp_noise_ledger.place; timeline null on a standby, backup null where the server was not started from one.';

CREATE FUNCTION dp_noise.place_changes(place dp_noise_ledger.place) RETURNS text LANGUAGE plpgsql STABLE
AS $$
DECLARE
	present CONSTANT record := dp_noise.present_place();
BEGIN
	-- A standby follows its primary. Renaming a database loses nothing.
	IF pg_is_in_recovery() THEN
		RETURN NULL;
	END IF;
	RETURN nullif(concat_ws(', ',
		CASE WHEN place.system_identifier <> present.system_identifier
			THEN format('cluster %s, now %s', place.system_identifier, present.system_identifier) END,
		CASE WHEN place.timeline <> present.timeline
			THEN format('timeline %s, now %s', place.timeline, present.timeline) END,
		CASE WHEN place.database <> present.database
			THEN format('database %I (%s), now %I (%s)', place.database_name, place.database, present.database_name, present.database)
			WHEN place.extension = present.extension AND place.seal IS DISTINCT FROM dp_noise.present_seal()
			THEN format('database %I (%s), now one without its seal', place.database_name, place.database) END,
		CASE WHEN place.extension <> present.extension
			THEN format('extension %s, now %s', place.extension, present.extension) END,
		CASE WHEN present.backup <> coalesce(place.backup, '')
			THEN format('started from the base backup of %s', present.backup) END), '');
END
$$;
COMMENT ON FUNCTION dp_noise.place_changes(dp_noise_ledger.place) IS
'What has changed since the ledger was written in its place; null if nothing has. Null on a standby.';

CREATE FUNCTION dp_noise.is_displaced() RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (SELECT FROM dp_noise_ledger.place AS l WHERE l.is_accepted AND dp_noise.place_changes(l) IS NOT NULL)
$$;
COMMENT ON FUNCTION dp_noise.is_displaced() IS
'Whether the ledger was written elsewhere, so that charges may be missing, and nobody has accepted that.';

-- Whoever has CREATEDB may copy a database that they own, or a template, as often
-- as they like. A restore is a superuser's, who may want the charges to continue:
-- CREATE EXTENSION has sealed the database that it goes to.
CREATE FUNCTION dp_noise.is_copy() RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT NOT pg_is_in_recovery() AND NOT EXISTS (
		SELECT FROM dp_noise_ledger.place AS l WHERE l.seal = dp_noise.present_seal())
$$;
COMMENT ON FUNCTION dp_noise.is_copy() IS
'Whether this database was made from another one of the server (CREATE DATABASE ... TEMPLATE), whose budgets it has a second time, and no superuser has accepted that. Nothing is charged here until then. Also true if a superuser has removed the seal (ALTER DATABASE ... RESET ALL). False on a standby.';

CREATE FUNCTION dp_noise.add_place(is_accepted boolean) RETURNS void LANGUAGE sql VOLATILE
AS $$
	INSERT INTO dp_noise_ledger.place (system_identifier, timeline, database, database_name, extension, seal, backup, is_accepted)
	SELECT p.system_identifier, p.timeline, p.database, p.database_name, p.extension, dp_noise.present_seal(), p.backup, add_place.is_accepted
	FROM dp_noise.present_place() AS p;
	SELECT dp_noise.start_numbers()
$$;
COMMENT ON FUNCTION dp_noise.add_place(boolean) IS
'Records the present place: (whether it is that of the ledger). Numbers begin anew, somewhere else: where the ledger was before, it may go on as well.';

CREATE FUNCTION dp_noise.seal_database(seal text) RETURNS void
AS 'MODULE_PATHNAME', 'dp_seal_database' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.seal_database(text) IS
'Seals this database: ALTER DATABASE ... SET dp_noise.database_seal. With the rights of its caller, who must be a superuser.';

-- Another seal each time: what has the old one is another ledger.
CREATE FUNCTION dp_noise.set_place() RETURNS void LANGUAGE sql VOLATILE
AS $$
	SELECT dp_noise.seal_database(gen_random_uuid()::text);
	DELETE FROM dp_noise_ledger.place;
	SELECT dp_noise.add_place(true)
$$;
COMMENT ON FUNCTION dp_noise.set_place() IS
'Seals the database, and records the present place as that of the ledger. For dp_noise.accept_timeline and the ledger worker.';

-- A copy of a database has its budgets twice, and the privilege as well. Whoever
-- owns one and may copy it shall not have two.
CREATE FUNCTION dp_noise.do_accept_timeline(caller oid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	IF dp_noise.is_copy() AND NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = caller) THEN
		RAISE EXCEPTION 'must be superuser to continue the ledger in a copy of its database'
			USING ERRCODE = 'insufficient_privilege', HINT = 'Ask a superuser. The copy has all that is left of the budgets once more.';
	END IF;
	PERFORM dp_noise.set_place();
END
$$;
CALL dp_noise.add_entry('accept_timeline');
COMMENT ON FUNCTION dp_noise.accept_timeline() IS
'Declares that the ledger continues here, after a promotion, a restore, a copy of the database or pg_upgrade: dp_noise.check() no longer reports it, and dp_noise.on_new_timeline refuses nothing. Missing charges stay missing: write off what may have been lost with dp_noise.forfeit() first. For superusers and, except in a copy of a database, for roles that were granted EXECUTE.';

CREATE FUNCTION dp_noise.notice_place() RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
	changes CONSTANT text := (SELECT string_agg(DISTINCT dp_noise.place_changes(l), '; ') FROM dp_noise_ledger.place AS l WHERE l.is_accepted);
BEGIN
	IF changes IS NULL THEN
		RETURN;
	END IF;
	-- True, for example, in a template in which nothing was ever protected.
	IF NOT EXISTS (SELECT FROM dp_noise_ledger.population) THEN
		PERFORM dp_noise.set_place();
		RETURN;
	END IF;
	IF EXISTS (SELECT FROM dp_noise_ledger.place AS l WHERE NOT l.is_accepted AND dp_noise.place_changes(l) IS NULL) THEN
		RETURN;
	END IF;
	PERFORM dp_noise.add_place(false);
	RAISE WARNING 'the ledger of database % may lack charges: it was restored, copied or promoted', current_database()
		USING DETAIL = 'It was written elsewhere: ' || changes || '.',
			HINT = 'Write off what may have been lost with dp_noise.forfeit(), then call dp_noise.accept_timeline().';
END
$$;
COMMENT ON FUNCTION dp_noise.notice_place() IS
'Warns in the server''s log, once, that the ledger may lack charges. Called by the ledger worker alone, when it starts.';

-- For dp_noise.check(), which runs with its caller's rights.
CREATE FUNCTION dp_noise.do_read_place_changes(reader oid) RETURNS TABLE (changes text) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
AS $$
BEGIN
	RETURN QUERY
	SELECT DISTINCT c.changes
	FROM dp_noise_ledger.place AS l
	CROSS JOIN LATERAL (SELECT dp_noise.place_changes(l)) AS c (changes)
	WHERE l.is_accepted AND c.changes IS NOT NULL;
END
$$;
CALL dp_noise.add_entry('read_place_changes');
COMMENT ON FUNCTION dp_noise.read_place_changes() IS
'What has changed since the ledger was written in each of its places, one row a place; no rows where no charges can be missing. The same for all readers.';

REVOKE ALL ON dp_noise_ledger.place FROM PUBLIC;
