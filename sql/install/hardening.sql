/*
 * hardening.sql
 *		Side channels: who could use them, and harden().
 */

------------------------------------------------------------------------------
-- Side channels: who could use them

CREATE FUNCTION dp_noise.do_read_askers(reader oid) RETURNS TABLE (relation regclass, role oid) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	-- A role that may ask about a view may thereby ask about what it reads.
	WITH RECURSIVE seen AS (
		SELECT m.member_id, m.population_id, m.relation AS object FROM dp_noise_ledger.member AS m WHERE m.relation <> 0
		UNION
		SELECT s.member_id, s.population_id, d.refobjid
		FROM seen AS s
		JOIN pg_rewrite AS w ON w.ev_class = s.object AND w.ev_type = '1'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT DISTINCT m.relation::regclass, r.oid
	FROM dp_noise_ledger.member AS m
	JOIN pg_class AS c ON c.oid = m.relation
	JOIN seen AS s ON s.object = m.relation
	JOIN dp_noise_ledger.account AS a ON a.population_id = s.population_id AND a.pays AND a.role IS NOT NULL
		AND (a.relations IS NULL OR s.member_id = ANY (a.relations))
	JOIN pg_roles AS r ON r.oid = a.role OR (a.shared AND NOT r.rolsuper AND pg_has_role(r.oid, a.role, 'MEMBER'))
	WHERE pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_askers');
COMMENT ON FUNCTION dp_noise.read_askers() IS 'The rows of dp_noise.asker.';
CREATE VIEW dp_noise.asker AS SELECT * FROM dp_noise.read_askers();
COMMENT ON VIEW dp_noise.asker IS
'Roles with a budget, their own or shared by a group, to ask about protected relations that the reader owns or about protected views of these.';

CREATE VIEW dp_noise.reach AS
SELECT p.relation, 0::pg_catalog.oid AS grantee, NULL::pg_catalog.oid AS asker
FROM dp_noise.protected_relations AS p
UNION ALL
SELECT a.relation, g.oid, a.role
FROM dp_noise.asker AS a
JOIN pg_catalog.pg_roles AS me ON me.oid = a.role
JOIN pg_catalog.pg_class AS c ON c.oid = a.relation
JOIN pg_catalog.pg_roles AS g ON pg_catalog.pg_has_role(a.role, g.oid, 'MEMBER')
WHERE NOT me.rolsuper AND g.oid <> c.relowner;
COMMENT ON VIEW dp_noise.reach IS
'The roles whose privileges a role with a budget has: everyone (grantee 0), itself, and its groups. Without the table''s owner.';
GRANT SELECT ON dp_noise.asker, dp_noise.reach TO PUBLIC;

CREATE FUNCTION dp_noise.role_text(role oid) RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END
$$;
COMMENT ON FUNCTION dp_noise.role_text(oid) IS 'A role as written in GRANT and REVOKE; PUBLIC for 0.';

------------------------------------------------------------------------------
-- Side channels: statistics of the server

CREATE FUNCTION dp_noise.statistics_sources()
RETURNS TABLE (class regclass, object oid, kind text, name text, privilege text, tells text, public_at_first boolean, acl aclitem[], owner oid) LANGUAGE sql STABLE
AS $$
	WITH member AS (
		SELECT d.classid, d.objid, e.extname
		FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
			AND e.extname IN ('pg_stat_statements', 'pg_buffercache', 'pgstattuple', 'pg_freespacemap', 'pg_visibility', 'pg_walinspect', 'old_snapshot',
				'pg_stat_kcache', 'pg_qualstats', 'pg_wait_sampling', 'pg_stat_monitor', 'pg_store_plans', 'pg_proctab', 'system_stats', 'hypopg', 'citus', 'timescaledb')
	), source AS (
		SELECT 'pg_proc'::regclass AS class, p.oid AS object, 'FUNCTION' AS kind, 'f'::"char" AS type,
			p.proacl AS acl, p.proowner AS owner,
			CASE
				WHEN p.proname ~ '^run_command_on_|^master_run_on_worker$' THEN 'what other nodes count'
				WHEN m.extname IS NOT NULL THEN 'what extension ' || m.extname || ' counts'
				WHEN p.proname ~ '^lo_|toast' THEN 'how many long values everybody stored'
				WHEN p.proname ~ 'age$|txid|xact_(id|status)|snapshot$|prepared_xact' THEN 'how many transactions wrote'
				WHEN p.proname ~ '^pg_stat_get_' THEN 'counters of tables, of the server and of sessions'
				WHEN p.proname ~ '_size$' THEN 'sizes'
				WHEN p.proname ~ 'lock|multixact' THEN 'locks'
				WHEN p.proname ~ 'xact' THEN 'times of transactions'
				ELSE 'how much is written'
			END AS tells
		FROM pg_proc AS p
		LEFT JOIN member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
		WHERE CASE m.extname WHEN 'citus' THEN p.proname ~ '^run_command_on_|^master_run_on_worker$|_sizes?$|^(citus|master)_.*_stat|^citus_stat_|^citus_shards_on_worker$'
			WHEN 'timescaledb' THEN p.proname ~ 'size|_stat|row_count' ELSE m.extname IS NOT NULL END
			OR (p.pronamespace = 'pg_catalog'::regnamespace
				AND (p.proname ~ '^pg_stat_get_|^pg_(current|last)_wal_|^pg_(available_)?wal_summar|^pg_get_wal_summar'
					OR p.proname IN ('pg_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_total_relation_size',
						'pg_database_size', 'pg_tablespace_size',
						'pg_lock_status', 'pg_blocking_pids', 'pg_safe_snapshot_blocking_pids', 'pg_isolation_test_session_is_blocked',
						'pg_get_multixact_members',
						'pg_last_committed_xact', 'pg_xact_commit_timestamp', 'pg_xact_commit_timestamp_origin',
						'pg_get_replication_slots', 'pg_logical_emit_message', 'pg_control_checkpoint', 'pg_control_recovery',
						'pg_notification_queue_usage',
						-- counters behind the numbers of objects and
						-- transactions
						'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import', 'pg_column_toast_chunk_id',
						'pg_current_xact_id', 'pg_current_xact_id_if_assigned', 'pg_current_snapshot', 'pg_xact_status', 'pg_prepared_xact',
						'txid_current', 'txid_current_if_assigned', 'txid_current_snapshot', 'txid_status')
					OR (p.proname IN ('age', 'mxid_age') AND p.proargtypes[0] = 'xid'::regtype)))
		UNION ALL
		SELECT 'pg_class', c.oid, 'TABLE', 'r', c.relacl, c.relowner,
			CASE
				WHEN m.extname IS NOT NULL THEN 'what extension ' || m.extname || ' counts'
				WHEN c.relname = 'pg_class' THEN 'how many rows and pages tables have'
				ELSE 'how many large objects there are'
			END
		FROM pg_class AS c
		LEFT JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
		WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
			AND CASE coalesce(m.extname, '')
				WHEN '' THEN c.oid IN ('pg_class'::regclass, 'pg_largeobject_metadata'::regclass)
				WHEN 'citus' THEN c.relname IN ('pg_dist_placement', 'pg_dist_shard_placement') -- have shardlength
				WHEN 'timescaledb' THEN c.relname ~ 'size|stat'
				ELSE true END
	)
	SELECT s.class, s.object, s.kind,
		CASE s.kind WHEN 'FUNCTION' THEN s.object::regprocedure::text ELSE s.object::regclass::text END,
		CASE s.kind WHEN 'FUNCTION' THEN 'EXECUTE' ELSE 'SELECT' END,
		s.tells,
		EXISTS (SELECT FROM aclexplode(coalesce(i.initprivs, acldefault(s.type, s.owner))) AS a WHERE a.grantee = 0),
		coalesce(s.acl, acldefault(s.type, s.owner)),
		s.owner
	FROM source AS s
	LEFT JOIN pg_init_privs AS i ON i.classoid = s.class AND i.objoid = s.object AND i.objsubid = 0
$$;
COMMENT ON FUNCTION dp_noise.statistics_sources() IS
'Functions, tables and views of this database that show statistics of everyone''s tables and sessions: what they show, whether PUBLIC may read them after initdb or CREATE EXTENSION, and the current privileges. Includes extensions that come with PostgreSQL, and some others.';

CREATE FUNCTION dp_noise.hidden_columns() RETURNS name[] LANGUAGE sql IMMUTABLE
AS $$
	SELECT '{reltuples,relpages,relallvisible,relallfrozen}'::pg_catalog.name[]
$$;
COMMENT ON FUNCTION dp_noise.hidden_columns() IS
'Columns of pg_class that are statistics: after VACUUM or ANALYZE of a small table, reltuples is the exact number of its rows.';

-- Whoever was granted EXECUTE takes away what everybody could read until now,
-- and can leave it to roles in keep; but not give what nobody has any more, such
-- as the number of rows of tables, to themselves.
CREATE FUNCTION dp_noise.do_harden(caller oid, keep regrole[] DEFAULT '{}', catalogs boolean DEFAULT true)
RETURNS TABLE (object text, privilege text, revoked_from text, granted_to text) LANGUAGE plpgsql SECURITY DEFINER ROWS 100
AS $$
DECLARE
	is_superuser CONSTANT boolean := (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = caller);
	statistics CONSTANT oid := 'pg_read_all_stats'::regrole;
	readers CONSTANT oid[] := (SELECT array_agg(DISTINCT r) FROM unnest(keep::oid[] || statistics) AS r);
	source record;
	visible text;
	is_public boolean;
	lacking text;
BEGIN
	FOR source IN
		SELECT * FROM dp_noise.statistics_sources() AS s WHERE s.public_at_first ORDER BY s.kind, s.name
	LOOP
		CONTINUE WHEN NOT catalogs AND source.name IN ('pg_class', 'pg_largeobject_metadata');
		is_public := EXISTS (SELECT FROM aclexplode(source.acl) AS a WHERE a.grantee = 0);
		object := source.name;
		privilege := source.privilege;
		IF source.name = 'pg_class' THEN
			visible := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
				WHERE a.attrelid = 'pg_class'::regclass AND NOT a.attisdropped AND NOT a.attname = ANY (dp_noise.hidden_columns()));
			object := 'pg_class (' || (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute AS a
				WHERE a.attrelid = 'pg_class'::regclass AND a.attname = ANY (dp_noise.hidden_columns())) || ')';
			is_public := is_public OR EXISTS (
				SELECT FROM pg_attribute AS a, aclexplode(a.attacl) AS x
				WHERE a.attrelid = 'pg_class'::regclass AND x.grantee = 0 AND a.attname = ANY (dp_noise.hidden_columns()));
			IF is_public THEN
				EXECUTE 'REVOKE SELECT ON TABLE pg_class FROM PUBLIC';
			END IF;
			-- Granted anew each time: another version of the server has other columns.
			IF is_public OR is_superuser THEN
				EXECUTE format('GRANT SELECT (%s) ON TABLE pg_class TO PUBLIC', visible);
			END IF;
		ELSIF is_public THEN
			EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', source.kind, source.name);
		END IF;
		lacking := (SELECT string_agg(r::regrole::text, ', ' ORDER BY r::regrole::text) FROM unnest(readers) AS r
			WHERE (is_public OR is_superuser OR r = statistics)
				AND NOT EXISTS (SELECT FROM aclexplode(source.acl) AS a WHERE a.grantee = r AND a.privilege_type = source.privilege));
		IF lacking IS NOT NULL THEN
			EXECUTE format('GRANT %s ON %s %s TO %s', source.privilege, source.kind, source.name, lacking);
		END IF;
		revoked_from := CASE WHEN is_public THEN 'PUBLIC' END;
		granted_to := lacking;
		IF is_public OR lacking IS NOT NULL THEN
			RETURN NEXT;
		END IF;
	END LOOP;
END
$$;
CALL dp_noise.add_entry('harden');
COMMENT ON FUNCTION dp_noise.harden(regrole[], boolean) IS
'Revokes from PUBLIC, in this database, access to statistics of everyone''s tables and sessions (dp_noise.statistics_sources), and grants it to pg_read_all_stats and to the roles in keep: for monitoring, and for roles that run pg_dump, vacuumdb or reindexdb without being superuser. catalogs false: leaves pg_class (reltuples, relpages and others) and pg_largeobject_metadata readable, for tools that read all columns of pg_class. Returns one row for each object that was changed, none when called again. New extensions and other versions of PostgreSQL bring new objects: call it again then. For superusers, and for roles that were granted EXECUTE; what a role in keep cannot read any more, only superusers give back.';
