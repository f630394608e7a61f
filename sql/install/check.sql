/*
 * check.sql
 *		Lists what can be learned other than through private answers.
 *
 * These run with the caller's rights, and show nothing that the caller could
 * not find out: the catalogs, and the budgets on the caller's own tables.
 */

CREATE FUNCTION dp_noise.carriers()
RETURNS TABLE (relation oid, object oid, what text, is_private boolean) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE down AS (
		SELECT p.relation::oid AS relation, p.relation::oid AS object FROM dp_noise.protected_relations AS p
		UNION
		SELECT d.relation, i.inhrelid FROM down AS d JOIN pg_inherits AS i ON i.inhparent = d.object
	), up AS (
		SELECT p.relation::oid AS relation, i.inhparent AS object
		FROM dp_noise.protected_relations AS p JOIN pg_inherits AS i ON i.inhrelid = p.relation
		UNION
		SELECT u.relation, i.inhparent FROM up AS u JOIN pg_inherits AS i ON i.inhrelid = u.object
	), tables AS (
		SELECT * FROM down UNION SELECT * FROM up
	), shown AS (
		SELECT t.relation, t.object FROM tables AS t
		UNION
		SELECT s.relation, w.ev_class
		FROM shown AS s
		JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.object AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite AS w ON w.oid = d.objid
		JOIN pg_class AS v ON v.oid = w.ev_class
		WHERE NOT EXISTS (
			SELECT FROM pg_options_to_table(v.reloptions) AS o
			WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
	)
	SELECT d.relation, d.object,
		CASE WHEN d.object = d.relation THEN 'the table itself' ELSE 'a partition or child of it' END, false
	FROM down AS d
	UNION
	SELECT u.relation, u.object, 'a parent of it', false FROM up AS u
	UNION
	SELECT d.relation, c.reltoastrelid, 'its long values', false
	FROM down AS d JOIN pg_class AS c ON c.oid = d.object WHERE c.reltoastrelid <> 0
	UNION
	SELECT d.relation, s.oid, 'a sequence of it, which counts its rows', false
	FROM down AS d
	JOIN pg_depend AS x ON x.refclassid = 'pg_class'::regclass AND x.refobjid = d.object AND x.classid = 'pg_class'::regclass AND x.deptype IN ('a', 'i')
	JOIN pg_class AS s ON s.oid = x.objid AND s.relkind = 'S'
	UNION
	SELECT d.relation, s.oid, 'a sequence of it, which counts its rows', false
	FROM down AS d
	JOIN pg_attrdef AS f ON f.adrelid = d.object
	JOIN pg_depend AS x ON x.classid = 'pg_attrdef'::regclass AND x.objid = f.oid AND x.refclassid = 'pg_class'::regclass
	JOIN pg_class AS s ON s.oid = x.refobjid AND s.relkind = 'S'
	UNION
	SELECT s.relation, s.object,
		CASE v.relkind WHEN 'v' THEN 'a view over it' WHEN 'm' THEN 'a copy of what its owner may read of it' ELSE 'a table with a rule that reads it' END,
		EXISTS (
			SELECT FROM pg_rewrite AS w
			JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass
			JOIN pg_depend AS e ON e.classid = 'pg_proc'::regclass AND e.objid = d.refobjid AND e.deptype = 'e'
				AND e.refclassid = 'pg_extension'::regclass
			JOIN pg_extension AS x ON x.oid = e.refobjid AND x.extname = 'dp_noise'
			WHERE w.ev_class = s.object)
	FROM shown AS s
	JOIN pg_class AS v ON v.oid = s.object
	WHERE NOT EXISTS (SELECT FROM tables AS t WHERE t.relation = s.relation AND t.object = s.object)
		AND has_any_column_privilege(v.relowner, s.relation, 'SELECT')
$$;
COMMENT ON FUNCTION dp_noise.carriers() IS
'Relations through which rows of the caller''s protected tables can be reached: the tables themselves, partitions, parents, sequences, views (is_private: with private aggregates).';

CREATE FUNCTION dp_noise.check_grants()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	WITH reach AS MATERIALIZED (
		SELECT DISTINCT r.relation, r.grantee FROM dp_noise.reach AS r
	), carrier AS MATERIALIZED (
		SELECT * FROM dp_noise.carriers()
	), keyed AS MATERIALIZED (
		SELECT i.indrelid AS object, k.number AS column_number
		FROM carrier AS c
		JOIN pg_index AS i ON i.indrelid = c.object AND (i.indisunique OR i.indisexclusion)
		CROSS JOIN unnest(i.indkey) AS k (number)
	), granted AS (
		SELECT c.relation, c.object, c.what, c.is_private, k.relkind, x.grantee, x.privilege_type AS privilege, NULL::name AS column_name,
			false AS is_shown
		FROM carrier AS c
		JOIN pg_class AS k ON k.oid = c.object
		CROSS JOIN aclexplode(coalesce(k.relacl, acldefault(CASE k.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", k.relowner))) AS x
		WHERE x.grantee <> k.relowner
		UNION ALL
		SELECT c.relation, c.object, c.what, c.is_private, k.relkind, x.grantee, x.privilege_type, a.attname,
			x.privilege_type = 'REFERENCES' AND NOT EXISTS (SELECT FROM keyed AS u WHERE u.object = c.object AND u.column_number = a.attnum)
		FROM carrier AS c
		JOIN pg_class AS k ON k.oid = c.object
		JOIN pg_attribute AS a ON a.attrelid = c.object AND a.attacl IS NOT NULL AND NOT a.attisdropped
		CROSS JOIN aclexplode(a.attacl) AS x
		WHERE x.grantee <> k.relowner
	), grants AS (
		SELECT g.relation, g.object, g.what, g.is_private, g.relkind, g.grantee,
			string_agg(DISTINCT g.privilege || coalesce(' (' || quote_ident(g.column_name) || ')', ''), ', ') AS privileges,
			bool_and(g.is_shown) AS is_shown
		FROM granted AS g
		JOIN pg_class AS t ON t.oid = g.relation
		LEFT JOIN pg_roles AS r ON r.oid = g.grantee
		WHERE g.grantee <> t.relowner AND r.rolsuper IS NOT TRUE
		GROUP BY 1, 2, 3, 4, 5, 6
	)
	SELECT CASE WHEN g.is_private OR g.is_shown OR NOT EXISTS (SELECT FROM reach AS r WHERE r.relation = g.relation AND r.grantee = g.grantee) THEN 'low'
			WHEN g.relkind = 'S' THEN 'medium' ELSE 'high' END,
		g.object::regclass::text,
		format('%s: %s has %s', CASE WHEN g.object = g.relation THEN 'protected' ELSE format('%s (%s)', g.what, g.relation::regclass) END,
			dp_noise.role_text(g.grantee), g.privileges)
			|| CASE WHEN g.is_private THEN '; harmless if it shows nothing but private aggregates'
				WHEN g.is_shown THEN '; it shows the columns to tools, and nothing else while none of them is in a unique index' ELSE '' END,
		format('REVOKE %s ON %s %s FROM %s', g.privileges, CASE g.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
			g.object::regclass, dp_noise.role_text(g.grantee))
	FROM grants AS g
	UNION ALL
	SELECT CASE WHEN NOT EXISTS (SELECT FROM reach AS r WHERE r.relation = c.relation AND r.grantee = k.relowner) THEN 'low'
			WHEN k.relkind = 'S' THEN 'medium' ELSE 'high' END,
		c.object::regclass::text,
		format('%s (%s): owned by %s', c.what, c.relation::regclass, k.relowner::regrole),
		format('ALTER TABLE %s OWNER TO %s', c.object::regclass, t.relowner::regrole)
	FROM carrier AS c
	JOIN pg_class AS k ON k.oid = c.object
	JOIN pg_class AS t ON t.oid = c.relation
	JOIN pg_roles AS o ON o.oid = k.relowner
	WHERE k.relkind IN ('r', 'p', 'f', 'm', 'S') AND k.relowner <> t.relowner AND NOT o.rolsuper
		AND NOT (k.relkind = 'm' AND k.relispopulated AND has_any_column_privilege(k.relowner, c.relation, 'SELECT'))
	UNION ALL
	SELECT 'medium', c.object::regclass::text,
		format('%s (%s), and protected as well, in another population: questions about both spend from two grants, and what they tell of the same rows adds up', c.what, c.relation::regclass),
		format('SELECT dp_noise.unprotect(%L)', c.object::regclass)
	FROM carrier AS c
	JOIN dp_noise.protected_relations AS p ON p.relation = c.relation
	JOIN dp_noise.protected_relations AS o ON o.relation = c.object
	WHERE c.what = 'a partition or child of it' AND o.population <> p.population
	UNION ALL
	SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = p.relation AND r.grantee = x.grantee) THEN 'medium' ELSE 'low' END,
		p.relation::text,
		format('new tables of its owner (partitions, a table in its place) are granted to %s: %s', dp_noise.role_text(x.grantee), x.privilege_type),
		format('ALTER DEFAULT PRIVILEGES FOR ROLE %s%s REVOKE %s ON TABLES FROM %s', d.defaclrole::regrole,
			CASE WHEN d.defaclnamespace = 0 THEN '' ELSE ' IN SCHEMA ' || d.defaclnamespace::regnamespace END,
			x.privilege_type, dp_noise.role_text(x.grantee))
	FROM dp_noise.protected_relations AS p
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_default_acl AS d ON d.defaclrole = c.relowner AND d.defaclobjtype = 'r' AND d.defaclnamespace IN (0, c.relnamespace)
	CROSS JOIN aclexplode(d.defaclacl) AS x
	LEFT JOIN pg_roles AS g ON g.oid = x.grantee
	WHERE x.grantee <> d.defaclrole AND g.rolsuper IS NOT TRUE
$$;
COMMENT ON FUNCTION dp_noise.check_grants() IS
'Part of dp_noise.check: privileges on the table, its partitions, parents and sequences, and on views over it; partitions that are protected themselves.';

CREATE FUNCTION dp_noise.check_roles()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	WITH reach AS MATERIALIZED (
		SELECT * FROM dp_noise.reach
	), powerful (name, tells) AS (
		VALUES ('pg_read_all_data', 'reads every table'),
			('pg_write_all_data', 'changes every table, and sees how many rows were changed'),
			('pg_read_server_files', 'reads the server''s files'),
			('pg_write_server_files', 'writes the server''s files'),
			('pg_execute_server_program', 'runs programs as the server'),
			('pg_maintain', 'sees with VACUUM (VERBOSE) how many rows a table has'),
			('pg_monitor', 'reads statistics of every table'),
			('pg_read_all_stats', 'reads statistics of every table'),
			('pg_stat_scan_tables', 'reads statistics of every table')
	)
	SELECT 'high', 'role ' || a.role::regrole,
		format('has a budget on %s, and %s', a.relation, CASE WHEN m.rolsuper THEN 'is superuser' ELSE 'may act as a superuser' END),
		'Let people who need a budget log in with another role.'
	FROM dp_noise.asker AS a JOIN pg_roles AS m ON m.oid = a.role
	WHERE m.rolsuper OR EXISTS (SELECT FROM pg_roles AS s WHERE s.rolsuper AND pg_has_role(a.role, s.oid, 'MEMBER'))
	UNION ALL
	SELECT 'high', 'role ' || a.role::regrole,
		format('has a budget on %s, and is a member of its owner, role %s', a.relation, c.relowner::regrole),
		format('REVOKE %s FROM %s', c.relowner::regrole, a.role::regrole)
	FROM dp_noise.asker AS a JOIN pg_roles AS m ON m.oid = a.role JOIN pg_class AS c ON c.oid = a.relation
	WHERE NOT m.rolsuper AND a.role <> c.relowner AND pg_has_role(a.role, c.relowner, 'MEMBER')
	UNION ALL
	SELECT CASE WHEN w.tells NOT LIKE 'reads stat%' THEN 'high' ELSE 'medium' END, 'role ' || r.asker::regrole,
		format('is a member of %s%s: %s', w.name, CASE WHEN r.grantee = r.asker THEN '' ELSE ' through ' || r.grantee::regrole END, w.tells),
		format('REVOKE %s FROM %s', w.name, r.grantee::regrole)
	FROM reach AS r
	JOIN pg_auth_members AS x ON x.member = r.grantee
	JOIN pg_roles AS g ON g.oid = x.roleid
	JOIN powerful AS w ON w.name = g.rolname
	WHERE r.grantee::regrole::text !~ '^pg_'
	UNION ALL
	SELECT 'low', 'role ' || m.rolname, format('is a member of %s: %s; it has no budget', w.name, w.tells),
		format('REVOKE %s FROM %I', w.name, m.rolname)
	FROM powerful AS w
	JOIN pg_roles AS g ON g.rolname = w.name
	JOIN pg_auth_members AS x ON x.roleid = g.oid
	JOIN pg_roles AS m ON m.oid = x.member
	WHERE w.tells NOT LIKE 'reads stat%' AND NOT m.rolsuper AND m.rolname !~ '^pg_'
		AND NOT EXISTS (SELECT FROM reach AS r WHERE r.asker = m.oid)
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = m.oid) THEN 'high' ELSE 'low' END, 'role ' || m.oid::regrole,
		'has REPLICATION: it can read every change of every table',
		format('ALTER ROLE %s NOREPLICATION', m.oid::regrole)
	FROM pg_roles AS m WHERE m.rolreplication AND NOT m.rolsuper
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = m.oid) THEN 'high' ELSE 'low' END, 'role ' || m.oid::regrole,
		'has CREATEROLE, and can make itself a member of any role that is not superuser',
		format('ALTER ROLE %s NOCREATEROLE', m.oid::regrole)
	FROM pg_roles AS m WHERE m.rolcreaterole AND NOT m.rolsuper AND current_setting('server_version_num')::integer < 160000
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = o.oid) THEN 'high' ELSE 'low' END, 'role ' || o.oid::regrole,
		'owns this database, and sees with VACUUM (VERBOSE) how many rows any table of it has',
		format('ALTER DATABASE %I OWNER TO ...', d.datname)
	FROM pg_database AS d JOIN pg_roles AS o ON o.oid = d.datdba
	WHERE d.datname = current_database() AND NOT o.rolsuper
		AND EXISTS (SELECT FROM dp_noise.protected_relations AS p JOIN pg_class AS c ON c.oid = p.relation WHERE c.relowner <> o.oid)
	UNION ALL
	-- The ledger is copied along with the tables, and each copy then counts by itself.
	SELECT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.grantee = m.oid) THEN 'high' ELSE 'low' END, 'role ' || m.oid::regrole,
		format('has CREATEDB, and may copy this database, %s: each copy has all that is left of the budgets once more, and its owner sees with VACUUM (VERBOSE) how many rows any table has',
			CASE WHEN d.datistemplate THEN 'which is a template' ELSE 'which it or a group of it owns' END),
		CASE WHEN d.datistemplate THEN format('ALTER DATABASE %I IS_TEMPLATE false', d.datname) ELSE format('ALTER ROLE %s NOCREATEDB', m.oid::regrole) END
	FROM pg_roles AS m JOIN pg_database AS d ON d.datname = current_database()
	WHERE m.rolcreatedb AND NOT m.rolsuper AND (d.datistemplate OR pg_has_role(m.oid, d.datdba, 'MEMBER'))
		AND EXISTS (SELECT FROM dp_noise.protected_relations AS p JOIN pg_class AS c ON c.oid = p.relation WHERE NOT pg_has_role(m.oid, c.relowner, 'USAGE'))
	UNION ALL
	SELECT DISTINCT 'high', 'schema ' || n.oid::regnamespace,
		format('%s may create objects there: a function of the name of another one would run with the rights of whoever calls it, the owner of %s perhaps',
			dp_noise.role_text(x.grantee), p.relation),
		CASE WHEN x.grantee = n.nspowner THEN format('ALTER SCHEMA %s OWNER TO ...', n.oid::regnamespace)
			ELSE format('REVOKE CREATE ON SCHEMA %s FROM %s', n.oid::regnamespace, dp_noise.role_text(x.grantee)) END
	FROM dp_noise.protected_relations AS p
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_namespace AS n ON n.oid IN (c.relnamespace, 'dp_noise'::regnamespace, 'dp_noise_ledger'::regnamespace, (SELECT e.extnamespace FROM pg_extension AS e WHERE e.extname = 'dp_noise'))
	CROSS JOIN aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS x
	JOIN reach AS r ON r.relation = p.relation AND r.grantee = x.grantee
	WHERE x.privilege_type = 'CREATE' AND x.grantee <> c.relowner
$$;
COMMENT ON FUNCTION dp_noise.check_roles() IS
'Part of dp_noise.check: attributes and memberships of roles, and who may create functions where the owner would call them.';

CREATE FUNCTION dp_noise.check_code()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
SET jit = off -- would compile for longer than all it runs
AS $$
	WITH RECURSIVE reach AS MATERIALIZED (
		SELECT DISTINCT r.relation, r.grantee FROM dp_noise.reach AS r
	), carrier AS MATERIALIZED (
		SELECT * FROM dp_noise.carriers()
	), part AS (
		-- triggers, constraints, indexes, defaults, policies, rules, statistics of the tables
		SELECT DISTINCT c.relation, d.classid, d.objid
		FROM carrier AS c
		JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.object
		WHERE c.what IN ('the table itself', 'a partition or child of it')
			AND d.deptype IN ('a', 'i', 'n', 'P', 'S')
			AND d.classid IN ('pg_trigger'::regclass, 'pg_constraint'::regclass, 'pg_class'::regclass, 'pg_attrdef'::regclass,
				'pg_policy'::regclass, 'pg_rewrite'::regclass, 'pg_statistic_ext'::regclass)
			AND NOT (d.classid = 'pg_rewrite'::regclass AND (SELECT w.ev_class FROM pg_rewrite AS w WHERE w.oid = d.objid) <> c.object)
			AND NOT (d.classid = 'pg_class'::regclass AND (SELECT k.relkind NOT IN ('i', 'I') FROM pg_class AS k WHERE k.oid = d.objid))
		UNION
		SELECT c.relation, 'pg_class'::regclass, c.object
		FROM carrier AS c WHERE c.what IN ('the table itself', 'a partition or child of it')
		UNION
		SELECT p.relation, d.class, d.object
		FROM part AS p
		CROSS JOIN LATERAL (
			SELECT x.refclassid, x.refobjid FROM pg_depend AS x WHERE x.classid = p.classid AND x.objid = p.objid AND x.deptype = 'n'
			UNION ALL
			-- what checks the values of a domain
			SELECT x.classid, x.objid FROM pg_depend AS x
			WHERE p.classid = 'pg_type'::regclass AND x.refclassid = p.classid AND x.refobjid = p.objid AND x.classid = 'pg_constraint'::regclass
			UNION ALL
			-- what arrays, multiranges and composite types are made of
			SELECT p.classid, t.typelem FROM pg_type AS t WHERE p.classid = 'pg_type'::regclass AND t.oid = p.objid AND t.typelem <> 0
			UNION ALL
			SELECT p.classid, r.rngtypid FROM pg_range AS r WHERE p.classid = 'pg_type'::regclass AND r.rngmultitypid = p.objid
			UNION ALL
			SELECT p.classid, a.atttypid FROM pg_type AS t JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE p.classid = 'pg_type'::regclass AND t.oid = p.objid
		) AS d (class, object)
		WHERE d.class IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_type'::regclass,
			'pg_constraint'::regclass)
	), reader AS (
		SELECT p.relation, m.oid AS role
		FROM dp_noise.protected_relations AS p CROSS JOIN pg_roles AS m
		WHERE m.rolsuper OR has_any_column_privilege(m.oid, p.relation, 'SELECT')
	)
	SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = p.relation AND r.grantee = f.proowner) THEN 'high' ELSE 'low' END,
		'function ' || f.oid::regprocedure,
		format('runs for rows of %s, and is owned by %s', p.relation::regclass, f.proowner::regrole),
		format('ALTER FUNCTION %s OWNER TO %s', f.oid::regprocedure, c.relowner::regrole)
	FROM part AS p
	JOIN pg_proc AS f ON p.classid = 'pg_proc'::regclass AND f.oid = p.objid
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_roles AS o ON o.oid = f.proowner
	WHERE f.proowner <> c.relowner AND NOT o.rolsuper
	UNION ALL
	-- ALTER DOMAIN asks for no privilege on the tables that it reads.
	SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM reach AS r WHERE r.relation = p.relation AND r.grantee = t.typowner) THEN 'high' ELSE 'low' END,
		'type ' || t.oid::regtype,
		format('is in columns of %s, and is owned by %s, who may have a function called with each value (ALTER DOMAIN ... ADD CHECK), or for each row that is written', p.relation::regclass, t.typowner::regrole),
		CASE WHEN k.oid IS NULL THEN format('ALTER %s %s OWNER TO %s', CASE t.typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END, t.oid::regtype, c.relowner::regrole)
			ELSE format('ALTER TABLE %s OWNER TO %s', k.oid::regclass, c.relowner::regrole) END
	FROM part AS p
	JOIN pg_type AS t ON p.classid = 'pg_type'::regclass AND t.oid = p.objid AND t.typtype IN ('c', 'd')
	JOIN pg_class AS c ON c.oid = p.relation
	JOIN pg_roles AS o ON o.oid = t.typowner
	LEFT JOIN pg_class AS k ON k.oid = t.typrelid AND k.relkind <> 'c'
	WHERE t.typowner <> c.relowner AND NOT o.rolsuper
	UNION ALL
	SELECT DISTINCT 'low', 'function ' || f.oid::regprocedure,
		format('runs for rows of %s, and sends notifications, which everybody can hear', p.relation::regclass),
		'Send no values of rows.'
	FROM part AS p JOIN pg_proc AS f ON p.classid = 'pg_proc'::regclass AND f.oid = p.objid
	WHERE f.prosrc ~* '\mnotify\M|\mpg_notify\M'
	UNION ALL
	SELECT 'high', 'event trigger ' || e.evtname,
		format('its function is owned by %s, and runs with the rights of superusers and owners', f.proowner::regrole),
		format('ALTER FUNCTION %s OWNER TO a superuser', f.oid::regprocedure)
	FROM pg_event_trigger AS e JOIN pg_proc AS f ON f.oid = e.evtfoid JOIN pg_roles AS o ON o.oid = f.proowner
	WHERE NOT o.rolsuper AND EXISTS (
		SELECT FROM dp_noise.protected_relations AS p JOIN pg_class AS c ON c.oid = p.relation WHERE c.relowner <> o.oid)
	UNION ALL
	SELECT DISTINCT CASE WHEN f.prosrc ~* ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M') OR EXISTS (
				SELECT FROM pg_depend AS d
				WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation)
			THEN 'medium' ELSE 'low' END,
		'function ' || f.oid::regprocedure,
		format('SECURITY DEFINER of %s, who may read %s; %s may call it', f.proowner::regrole, r.relation::regclass, dp_noise.role_text(x.grantee)),
		format('REVOKE EXECUTE ON FUNCTION %s FROM %s, if its results depend on rows', f.oid::regprocedure, dp_noise.role_text(x.grantee))
	FROM reader AS r
	JOIN pg_class AS c ON c.oid = r.relation
	JOIN pg_proc AS f ON f.proowner = r.role AND f.prosecdef
	CROSS JOIN aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) AS x
	JOIN reach AS a ON a.relation = r.relation AND a.grantee = x.grantee
	WHERE f.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
		AND NOT EXISTS (
			SELECT FROM pg_depend AS d
			WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.deptype = 'e')
	UNION ALL
	SELECT DISTINCT 'high', format('constraint %I on table %s', k.conname, k.conrelid::regclass),
		format('tells %s, who may write there, which values %s has', dp_noise.role_text(x.grantee), k.confrelid::regclass),
		format('REVOKE INSERT, UPDATE ON TABLE %s FROM %s', k.conrelid::regclass, dp_noise.role_text(x.grantee))
	FROM carrier AS t
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = t.object
	JOIN pg_class AS c ON c.oid = k.conrelid
	CROSS JOIN LATERAL (
		SELECT a.grantee FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a WHERE a.privilege_type IN ('INSERT', 'UPDATE')
		UNION
		SELECT a.grantee FROM pg_attribute AS b, aclexplode(b.attacl) AS a WHERE b.attrelid = c.oid AND a.privilege_type IN ('INSERT', 'UPDATE')
	) AS x
	JOIN reach AS r ON r.relation = t.relation AND r.grantee = x.grantee
	WHERE t.what IN ('the table itself', 'a partition or child of it')
	UNION ALL
	SELECT DISTINCT 'high', format('constraint %I on table %s', k.conname, k.conrelid::regclass),
		format('tells %s, who may delete or change rows of %s, which of its values %s has', dp_noise.role_text(x.grantee), k.confrelid::regclass, k.conrelid::regclass),
		format('REVOKE DELETE, UPDATE ON TABLE %s FROM %s', k.confrelid::regclass, dp_noise.role_text(x.grantee))
	FROM carrier AS t
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = t.object
	JOIN pg_class AS c ON c.oid = k.confrelid
	CROSS JOIN LATERAL (
		SELECT a.grantee FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a WHERE a.privilege_type IN ('DELETE', 'UPDATE')
		UNION
		SELECT a.grantee FROM pg_attribute AS b, aclexplode(b.attacl) AS a WHERE b.attrelid = c.oid AND a.privilege_type = 'UPDATE'
	) AS x
	JOIN reach AS r ON r.relation = t.relation AND r.grantee = x.grantee
	WHERE t.what IN ('the table itself', 'a partition or child of it')
$$;
COMMENT ON FUNCTION dp_noise.check_code() IS
'Part of dp_noise.check: functions that see the rows, types whose owners can have others see them, functions with the owner''s privileges, foreign keys to and from tables that others can write.';

CREATE FUNCTION dp_noise.check_statistics()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	WITH reach AS MATERIALIZED (
		SELECT DISTINCT r.grantee FROM dp_noise.reach AS r
	), source AS MATERIALIZED (
		SELECT * FROM dp_noise.statistics_sources()
	), readable AS (
		SELECT s.kind, s.name, s.privilege, s.tells, s.public_at_first, x.grantee
		FROM source AS s
		CROSS JOIN aclexplode(s.acl) AS x
		LEFT JOIN pg_roles AS g ON g.oid = x.grantee
		WHERE x.grantee <> s.owner AND g.rolsuper IS NOT TRUE AND coalesce(g.rolname, '') !~ '^pg_'
		UNION ALL
		SELECT s.kind, s.name || ' (' || string_agg(a.attname, ', ' ORDER BY a.attnum) || ')', s.privilege, s.tells, s.public_at_first, x.grantee
		FROM source AS s
		JOIN pg_attribute AS a ON s.class = 'pg_class'::regclass AND a.attrelid = s.object
			AND (s.object <> 'pg_class'::regclass OR a.attname = ANY (dp_noise.hidden_columns()))
		CROSS JOIN aclexplode(a.attacl) AS x
		WHERE x.grantee <> s.owner
		GROUP BY 1, s.name, 3, 4, 5, 6
	), restricted AS (
		-- not readable by PUBLIC after initdb or CREATE EXTENSION, but granted
		-- later
		SELECT 'FUNCTION' AS kind, p.oid::regprocedure::text AS name, 'EXECUTE' AS privilege, x.grantee
		FROM pg_init_privs AS i
		JOIN pg_proc AS p ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid AND p.pronamespace = 'pg_catalog'::regnamespace
		CROSS JOIN aclexplode(p.proacl) AS x
		WHERE NOT EXISTS (SELECT FROM aclexplode(i.initprivs) AS b WHERE b.grantee IN (0, x.grantee))
		UNION ALL
		SELECT 'TABLE', c.oid::regclass::text, x.privilege_type, x.grantee
		FROM pg_init_privs AS i
		JOIN pg_class AS c ON i.classoid = 'pg_class'::regclass AND i.objoid = c.oid AND i.objsubid = 0 AND c.relnamespace = 'pg_catalog'::regnamespace
		CROSS JOIN LATERAL (
			SELECT a.grantee, a.privilege_type FROM aclexplode(c.relacl) AS a
			UNION
			SELECT a.grantee, a.privilege_type || ' (' || b.attname || ')' FROM pg_attribute AS b, aclexplode(b.attacl) AS a
			WHERE b.attrelid = c.oid AND NOT EXISTS (
				SELECT FROM pg_init_privs AS j, aclexplode(j.initprivs) AS d
				WHERE j.classoid = 'pg_class'::regclass AND j.objoid = c.oid AND j.objsubid = b.attnum AND d.grantee = a.grantee)
		) AS x
		WHERE NOT EXISTS (SELECT FROM aclexplode(i.initprivs) AS b WHERE b.grantee IN (0, x.grantee))
	)
	SELECT 'medium', CASE count(*) WHEN 1 THEN '' ELSE count(*) || ' objects, such as ' END || min(r.name),
		format('%s may read %s', dp_noise.role_text(r.grantee), r.tells),
		CASE WHEN r.grantee <> 0 OR NOT r.public_at_first THEN format('REVOKE %s ON %s ... FROM %s', r.privilege, r.kind, dp_noise.role_text(r.grantee))
			ELSE 'SELECT * FROM dp_noise.harden()' END
	FROM readable AS r
	WHERE r.grantee = 0 OR EXISTS (SELECT FROM reach AS a WHERE a.grantee = r.grantee)
	GROUP BY r.grantee, r.tells, r.privilege, r.kind, r.public_at_first
	UNION ALL
	SELECT DISTINCT 'high', r.name, format('is kept from everybody when a database is made; %s has %s', dp_noise.role_text(r.grantee), r.privilege),
		format('REVOKE %s ON %s %s FROM %s', r.privilege, r.kind, r.name, dp_noise.role_text(r.grantee))
	FROM restricted AS r
	WHERE (r.grantee = 0 OR EXISTS (SELECT FROM reach AS a WHERE a.grantee = r.grantee))
		AND r.name NOT IN (SELECT s.name FROM source AS s)
	UNION ALL
	SELECT 'high', v.name, 'shows values of columns to everybody (CVE-2024-4317): the server is older than the correction, or was updated, and its views were not',
		'Update PostgreSQL to its last minor release, and run share/fix-CVE-2024-4317.sql of it in this database.'
	FROM unnest('{pg_stats_ext,pg_stats_ext_exprs}'::text[]) AS v (name)
	WHERE pg_get_viewdef(v.name::regclass) !~ 'pg_has_role'
$$;
COMMENT ON FUNCTION dp_noise.check_statistics() IS 'Part of dp_noise.check: the server''s statistics that others can read.';

CREATE FUNCTION dp_noise.check_server()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
BEGIN
	RETURN QUERY
	SELECT 'medium', 'setting shared_preload_libraries', 'dp_noise is not preloaded: questions about protected tables are refused',
		'Add dp_noise to shared_preload_libraries and restart the server.'
	WHERE NOT EXISTS (SELECT FROM pg_settings AS s WHERE s.name = 'dp_noise.ledger_slots')
	UNION ALL
	SELECT 'medium', 'extension dp_noise', format('is version %s, and the library %s: questions about protected tables and changes of budgets are refused', e.extversion, dp_noise.library_version()),
		'Restart the server if it still runs the old library; ALTER EXTENSION dp_noise UPDATE if the extension is the old one.'
	FROM pg_extension AS e WHERE e.extname = 'dp_noise' AND e.extversion <> dp_noise.library_version()
	UNION ALL
	SELECT 'medium', 'setting ' || s.name, 'is on: who sets client_min_messages to log sees what a question cost the server, blocks read among it',
		format('ALTER SYSTEM SET %s = off', s.name)
	FROM pg_settings AS s
	WHERE s.name IN ('log_parser_stats', 'log_planner_stats', 'log_executor_stats', 'log_statement_stats') AND s.setting = 'on'
	UNION ALL
	SELECT 'medium', 'setting lo_compat_privileges', 'is on: everybody reads every large object', 'ALTER SYSTEM SET lo_compat_privileges = off'
	WHERE current_setting('lo_compat_privileges') = 'on'
	UNION ALL
	-- One is for the ledger worker of a database, and one for the launcher of
	-- logical replication.
	SELECT 'low', 'setting max_parallel_workers', format('is %s of %s max_worker_processes: parallel queries can take all that the ledger may start, and questions are refused meanwhile', s.parallel, s.processes),
		CASE WHEN s.processes < 4 THEN 'ALTER SYSTEM SET max_worker_processes = 8, restart the server, and run dp_noise.check() again' ELSE format('ALTER SYSTEM SET max_parallel_workers = %s', s.processes - 2) END
	FROM (
		SELECT (SELECT p.reset_val::integer FROM pg_settings AS p WHERE p.name = 'max_parallel_workers'), current_setting('max_worker_processes')::integer
	) AS s (parallel, processes)
	WHERE s.parallel > s.processes - 2
	UNION ALL
	SELECT DISTINCT 'medium', 'setting ' || a.parname, format('%s may set it: it is among those that show or hide what the server does, or load code', dp_noise.role_text(x.grantee)),
		format('REVOKE %s ON PARAMETER %s FROM %s', x.privilege_type, a.parname, dp_noise.role_text(x.grantee))
	FROM pg_parameter_acl AS a CROSS JOIN aclexplode(a.paracl) AS x JOIN dp_noise.reach AS r ON r.grantee = x.grantee
	WHERE x.privilege_type = 'ALTER SYSTEM'
		OR a.parname ~ '^(log_|debug_|trace_|track_|auto_explain\.|pg_stat_statements\.|dp_noise\.)|_libraries$|^(session_replication_role|allow_system_table_mods|lo_compat_privileges|zero_damaged_pages|ignore_checksum_failure)$'
	UNION ALL
	SELECT 'low', format('database %I', d.datname), format('%s may connect: from there it can read the statistics of the whole server', coalesce(min(r.asker)::regrole::text, 'PUBLIC')),
		format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', d.datname)
	FROM pg_database AS d
	JOIN dp_noise.reach AS r ON r.asker IS NOT NULL AND has_database_privilege(r.asker, d.oid, 'CONNECT')
	WHERE d.datallowconn AND d.datname <> current_database()
	GROUP BY d.datname
	UNION ALL
	-- What harden() cannot hide from users who may create objects.
	SELECT 'low', format('database %I', current_database()),
		format('%s may make temporary tables: their OIDs and transaction numbers reveal how many long values and transactions everybody wrote', min(r.asker)::regrole),
		format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database())
	FROM dp_noise.reach AS r
	WHERE r.asker IS NOT NULL AND has_database_privilege(r.asker, current_database(), 'TEMPORARY')
	HAVING count(*) > 0
	UNION ALL
	SELECT 'low', format('schema %I', n.nspname),
		format('%s may make objects there: their OIDs and transaction numbers reveal how many long values and transactions everybody wrote', min(r.asker)::regrole),
		CASE WHEN bool_or(pg_has_role(r.asker, n.nspowner, 'USAGE')) THEN format('ALTER SCHEMA %I OWNER TO ...', n.nspname)
			ELSE format('REVOKE CREATE ON SCHEMA %I FROM %s', n.nspname, min(r.asker)::regrole) END
	FROM pg_namespace AS n
	JOIN dp_noise.reach AS r ON r.asker IS NOT NULL AND has_schema_privilege(r.asker, n.oid, 'CREATE')
	WHERE n.nspname !~ '^pg_'
	GROUP BY n.nspname
	UNION ALL
	SELECT DISTINCT CASE WHEN m.umid IS NULL THEN 'medium' ELSE 'high' END, 'server ' || s.srvname,
		format('%s may make foreign tables there beside %s%s', dp_noise.role_text(x.grantee), t.ftrelid::regclass,
			CASE WHEN m.umid IS NULL THEN '' ELSE ', and there is a user mapping for it' END),
		CASE WHEN x.grantee = s.srvowner THEN format('ALTER SERVER %I OWNER TO ...', s.srvname)
			ELSE format('REVOKE USAGE ON FOREIGN SERVER %I FROM %s', s.srvname, dp_noise.role_text(x.grantee)) END
	FROM dp_noise.carriers() AS c
	JOIN pg_foreign_table AS t ON t.ftrelid = c.object
	JOIN pg_foreign_server AS s ON s.oid = t.ftserver
	CROSS JOIN aclexplode(coalesce(s.srvacl, acldefault('S', s.srvowner))) AS x
	JOIN dp_noise.reach AS r ON r.relation = c.relation AND r.grantee = x.grantee
	LEFT JOIN pg_user_mappings AS m ON m.srvid = s.oid AND m.umuser IN (0, r.grantee, r.asker)
	UNION ALL
	SELECT DISTINCT 'low', p.pubname::text, format('publication of %s: its rows go to other servers, which do not protect them', t.relid::regclass),
		format('ALTER PUBLICATION %I DROP TABLE %s', p.pubname, t.relid::regclass)
	FROM pg_publication AS p
	CROSS JOIN LATERAL pg_get_publication_tables(p.pubname) AS g
	JOIN LATERAL (SELECT (row_to_json(g) ->> 'relid')::oid) AS t (relid) ON true
	JOIN dp_noise.carriers() AS c ON c.object = t.relid AND c.what IN ('the table itself', 'a partition or child of it', 'a parent of it');

	IF has_function_privilege('pg_hba_file_rules()', 'EXECUTE') THEN
		RETURN QUERY
		SELECT 'high', 'pg_hba.conf, line ' || min(h.line_number), 'method trust: whoever connects in this way may log in as anybody',
			'Ask for a password, a certificate or the operating system''s user.'
		FROM pg_hba_file_rules() AS h WHERE h.auth_method = 'trust' HAVING count(*) > 0;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_server() IS
'Part of dp_noise.check: settings, other databases, who may create objects, foreign servers and publications; for superusers also authentication.';

CREATE FUNCTION dp_noise.check_place()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	SELECT 'high', format('ledger of database %I', current_database()),
		'may lack charges, since it was written elsewhere: ' || c.changes,
		'Write off what may have been lost with dp_noise.forfeit(), then call dp_noise.accept_timeline().'
	FROM dp_noise.read_place_changes() AS c
	WHERE EXISTS (SELECT FROM dp_noise.protected_relations)
$$;
COMMENT ON FUNCTION dp_noise.check_place() IS 'Part of dp_noise.check: a ledger that was restored, copied or promoted.';

CREATE FUNCTION dp_noise.check_paths()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	WITH name (pattern) AS (
		-- what quote_ident() writes: a column can be named like a path, and to_regclass() refuses other texts
		VALUES ('(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_]*)')
	), path AS (
		-- as dp_noise.path_text writes it, with names quoted as in SQL
		SELECT p.relation, p.privacy_unit, to_regclass(m[2]) AS target, m[1] AS columns, m[3] AS keys
		FROM dp_noise.protected_relations AS p
		CROSS JOIN name AS n
		CROSS JOIN LATERAL regexp_match(p.privacy_unit,
			replace('^(N(?:, N)*) -> (N(?:\.N)?) \((N(?:, N)*)\)$', 'N', n.pattern)) AS m
		WHERE to_regclass(m[2]) IS NOT NULL
	), step AS (
		SELECT p.*,
			(SELECT array_agg(u.own[1] || ' ' || u.key[1] ORDER BY u.own[1] || ' ' || u.key[1] COLLATE "C")
				FROM ROWS FROM (regexp_matches(p.columns, n.pattern, 'g'), regexp_matches(p.keys, n.pattern, 'g')) AS u (own, key)) AS pairs,
			(SELECT array_agg(u.key[1] ORDER BY u.key[1] COLLATE "C") FROM regexp_matches(p.keys, n.pattern, 'g') AS u (key)) AS unique_key
		FROM path AS p CROSS JOIN name AS n
	), bound AS (
		SELECT s.relation, k.conname, k.convalidated
		FROM step AS s
		JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = s.relation AND k.confrelid = s.target
		WHERE s.pairs = (
			SELECT array_agg(quote_ident(a.attname) || ' ' || quote_ident(b.attname) ORDER BY quote_ident(a.attname) || ' ' || quote_ident(b.attname) COLLATE "C")
			FROM unnest(k.conkey, k.confkey) AS u (own, key)
			JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.own
			JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = u.key)
	)
	SELECT 'medium', s.relation::text,
		format('its path to the privacy unit, %s, leads to a key that is not unique: questions are refused, since a row could have several owners', s.privacy_unit),
		format('ALTER TABLE %s ADD UNIQUE (%s)', s.target, s.keys)
	FROM step AS s
	WHERE NOT EXISTS (
		SELECT FROM pg_index AS i
		WHERE i.indrelid = s.target AND dp_noise.tells_rows_apart(i.indexrelid)
			AND s.unique_key = (
				SELECT array_agg(quote_ident(a.attname) ORDER BY quote_ident(a.attname) COLLATE "C")
				FROM pg_attribute AS a
				WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])))
		OR EXISTS (SELECT FROM pg_class AS c WHERE c.oid = s.target AND c.relkind = 'r' AND c.relhassubclass)
	UNION ALL
	SELECT 'low', s.relation::text,
		format('its path to the privacy unit, %s, is not backed by a foreign key: rows that refer to nothing do not count', s.privacy_unit),
		coalesce(
			(SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', s.relation, min(b.conname::text)) FROM bound AS b WHERE b.relation = s.relation HAVING count(*) > 0),
			format('ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s)', s.relation, s.columns, s.target, s.keys))
	FROM step AS s
	WHERE NOT EXISTS (SELECT FROM bound AS b WHERE b.relation = s.relation AND b.convalidated)
$$;
COMMENT ON FUNCTION dp_noise.check_paths() IS
'Part of dp_noise.check: paths to privacy units that are no longer backed by a unique key and a foreign key.';

CREATE FUNCTION dp_noise.check_views()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
DECLARE
	protected_view regclass;
	unit smallint;
BEGIN
	FOR protected_view, unit IN
		SELECT p.relation, CASE WHEN p.privacy_unit IS NULL THEN 0 ELSE coalesce(a.attnum, -1) END
		FROM dp_noise.protected_relations AS p
		JOIN pg_class AS c ON c.oid = p.relation AND c.relkind = 'v'
		LEFT JOIN pg_attribute AS a ON a.attrelid = p.relation AND a.attname = p.privacy_unit
	LOOP
		BEGIN
			PERFORM dp_noise.check_view(protected_view, unit);
		EXCEPTION WHEN OTHERS THEN
			RETURN QUERY SELECT 'low', protected_view::text, 'questions about the view are refused: ' || SQLERRM,
				format('Change the view or what it reads, or end its protection with dp_noise.unprotect(%L)', protected_view);
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.check_views() IS 'Part of dp_noise.check: protected views that no longer follow the rules.';

CREATE FUNCTION dp_noise.check_failures()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE sql STABLE
AS $$
	SELECT 'medium', format('role %I', b.role),
		format('%s of its questions about population %L failed in ways that may depend on rows%s', b.failures, b.population,
			CASE WHEN b.failures >= b.max_failures THEN '; it may not ask any more' ELSE '' END),
		format('Remove the cause, which the server''s log has, then SELECT dp_noise.forgive(%L, %L)', quote_ident(b.role), b.population)
	FROM dp_noise.budgets AS b WHERE b.role IS NOT NULL AND b.failures > 0
$$;
COMMENT ON FUNCTION dp_noise.check_failures() IS
'Part of dp_noise.check: roles and groups whose questions have failed in ways that may have told them something of the rows.';

CREATE FUNCTION dp_noise.check_nodes()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
BEGIN
	-- Others may have no right to, nor an account there.
	IF NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) OR NOT EXISTS (
		SELECT FROM pg_proc AS p
		JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'citus'
		WHERE p.proname = 'run_command_on_workers' AND p.pronamespace = 'pg_catalog'::regnamespace) THEN
		RETURN;
	END IF;
	-- What is called there must belong to the extension: then only superusers can replace it.
	RETURN QUERY EXECUTE $q$
		SELECT 'medium', format('node %s:%s', n.nodename, n.nodeport),
			'it could not be looked at: ' || CASE WHEN n.success THEN 'dp_noise is not there in this version' ELSE n.result END,
			'See that it is up, and has the extension in the same version.'
		FROM pg_catalog.run_command_on_workers(format($w$
			SELECT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
				JOIN pg_catalog.pg_extension AS e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'dp_noise'::pg_catalog.name AND e.extversion OPERATOR(pg_catalog.=) %L::pg_catalog.text
				WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'::pg_catalog."char"
					AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
					AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure('dp_noise.statistics_sources()')::pg_catalog.oid)
		$w$, dp_noise.library_version())) AS n
		WHERE NOT n.success OR n.result IS DISTINCT FROM 't'
	$q$;
	IF FOUND THEN
		RETURN;
	END IF;
	RETURN QUERY EXECUTE $q$
		SELECT 'medium', format('node %s:%s', n.nodename, n.nodeport),
			CASE WHEN n.success AND n.result ~ '^[0-9]+$' THEN 'everybody can read statistics there' ELSE 'it could not be looked at: ' || n.result END,
			CASE WHEN n.success AND n.result ~ '^[0-9]+$' THEN 'Connect to it, and SELECT * FROM dp_noise.harden().' ELSE 'See that it is up, and has the extension in the same version.' END
		FROM pg_catalog.run_command_on_workers($w$
			SELECT count(*) FROM dp_noise.statistics_sources() AS s
			WHERE s.public_at_first AND EXISTS (SELECT FROM pg_catalog.aclexplode(s.acl) AS a WHERE a.grantee = 0)
		$w$) AS n
		WHERE NOT n.success OR n.result IS DISTINCT FROM '0'
	$q$;
END
$$;
COMMENT ON FUNCTION dp_noise.check_nodes() IS 'Part of dp_noise.check, for superusers: the workers of Citus, where statistics are hidden by dp_noise.harden() as on the coordinator.';

CREATE FUNCTION dp_noise.check()
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE
AS $$
BEGIN
	IF NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user)
		AND NOT EXISTS (SELECT FROM dp_noise.protected_relations) THEN
		RAISE EXCEPTION 'must be superuser or owner of a protected table'
			USING ERRCODE = 'insufficient_privilege', HINT = 'Ask the owner of the table.';
	END IF;
	RETURN QUERY
	SELECT f.*
	FROM (
		SELECT * FROM dp_noise.check_grants()
		UNION SELECT * FROM dp_noise.check_roles()
		UNION SELECT * FROM dp_noise.check_code()
		UNION SELECT * FROM dp_noise.check_statistics()
		UNION SELECT * FROM dp_noise.check_server()
		UNION SELECT * FROM dp_noise.check_nodes()
		UNION SELECT * FROM dp_noise.check_place()
		UNION SELECT * FROM dp_noise.check_paths()
		UNION SELECT * FROM dp_noise.check_views()
		UNION SELECT * FROM dp_noise.check_failures()
		UNION SELECT * FROM dp_noise.read_population_findings()
	) AS f
	ORDER BY f.severity = 'high' DESC, f.severity = 'medium' DESC, f.object, f.finding;
END
$$;
COMMENT ON FUNCTION dp_noise.check() IS
'Lists ways to protected data other than private aggregates, each with a remedy. severity: high where roles with a budget, or everyone, can reach rows; medium where they can reach statistics; low where only other roles can, or only under further conditions. Also high where the ledger may lack charges (dp_noise.accept_timeline), where a role is granted more than a population, where relations of a population have other privacy units than the rest, or where a relation is not protected that refers to the same people and that somebody with a budget may read; medium where nobody with a budget may read it, where a budget''s role is gone, where a relation may not be in its population, where a row may belong to several privacy units, or where a role''s questions failed in ways that may depend on rows (dp_noise.forgive()), low where a row may belong to none, and for protected views that no longer follow the rules. For superusers, and for owners about their own tables. Empty if nothing is found. It cannot detect grants in other databases, what functions and existing copies do, or timing.';
