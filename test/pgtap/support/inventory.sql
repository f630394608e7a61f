-- What belongs to the extension.

-- Everything the extension owns, the rules and triggers of its tables too.
CREATE FUNCTION members() RETURNS TABLE (classid oid, objid oid, objsubid integer)
LANGUAGE sql AS $$
	WITH RECURSIVE owned AS (
		SELECT d.classid, d.objid, d.objsubid
		FROM pg_depend AS d
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
			AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise')
		UNION
		SELECT d.classid, d.objid, d.objsubid
		FROM pg_depend AS d JOIN owned AS o ON d.refclassid = o.classid AND d.refobjid = o.objid
		WHERE d.deptype IN ('i', 'a')
	)
	SELECT * FROM owned
$$;

-- A line for each object, which tells all about it but its OID.
CREATE FUNCTION inventory() RETURNS SETOF text
LANGUAGE sql AS $$
	SELECT concat_ws(' | ', pg_describe_object(m.classid, m.objid, m.objsubid),
		obj_description(m.objid, c.relname),
		CASE WHEN p.prokind = 'f' THEN pg_get_functiondef(p.oid) END,
		p.proacl::text, (p.proisstrict, p.provolatile, p.proparallel, p.procost)::text,
		(a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggfinalmodify,
			a.aggtranstype::regtype, a.aggtransspace, a.agginitval)::text,
		(t.typlen, t.typalign, t.typstorage, t.typinput, t.typoutput, t.typacl)::text,
		(r.relkind, r.relacl, r.reloptions)::text,
		CASE WHEN r.relkind = 'v' THEN pg_get_viewdef(r.oid) END,
		CASE WHEN r.relkind = 'i' THEN pg_get_indexdef(r.oid) END,
		CASE WHEN r.relkind IN ('r', 'v') THEN
			(SELECT string_agg(concat_ws(' ', s.attname, format_type(s.atttypid, s.atttypmod), s.attnotnull, s.attidentity,
				(SELECT pg_get_expr(x.adbin, x.adrelid) FROM pg_attrdef AS x WHERE x.adrelid = r.oid AND x.adnum = s.attnum)), ', ' ORDER BY s.attnum)
			FROM pg_attribute AS s WHERE s.attrelid = r.oid AND s.attnum > 0) END,
		CASE WHEN m.classid = 'pg_constraint'::regclass THEN pg_get_constraintdef(m.objid) END,
		(SELECT nspacl::text FROM pg_namespace AS n WHERE m.classid = 'pg_namespace'::regclass AND n.oid = m.objid))
	FROM members() AS m
	JOIN pg_class AS c ON c.oid = m.classid
	LEFT JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
	LEFT JOIN pg_aggregate AS a ON m.classid = 'pg_proc'::regclass AND a.aggfnoid = m.objid
	LEFT JOIN pg_type AS t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
	LEFT JOIN pg_class AS r ON m.classid = 'pg_class'::regclass AND r.oid = m.objid
	WHERE NOT (m.classid = 'pg_class'::regclass AND r.relkind = 't')	-- named by OIDs
		AND pg_describe_object(m.classid, m.objid, m.objsubid) !~ 'pg_toast'
		AND NOT (m.classid = 'pg_trigger'::regclass)	-- of foreign keys, likewise
$$;
