/*
 * reader_views.sql
 *		Views for analysts: what they may ask, and what they have asked.
 *
 * Like all views that everyone may read, these read functions (ledger_views.sql).
 */

CREATE FUNCTION dp_noise.paying_groups(reader oid)
RETURNS SETOF oid
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH RECURSIVE groups (oid) AS (
		SELECT reader
		UNION
		SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
	)
	SELECT groups.oid FROM groups
$$;
COMMENT ON FUNCTION dp_noise.paying_groups(oid) IS
'A role, and the roles that it is a member of, whose shared budgets pay for it.';

CREATE FUNCTION dp_noise.repeat_rules(reader oid)
RETURNS TABLE (relation_id integer, on_repeat text, since timestamptz)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	-- As dp_budgets_repeat_rule() decides: the role's own budget, or the
	-- strictest rule of shared ones.
	SELECT b.relation_id,
		coalesce(min(r.rule) FILTER (WHERE r.is_own),
			CASE WHEN bool_or(r.rule NOT IN ('replay', 'answer')) THEN 'refuse' WHEN bool_or(r.rule = 'replay') THEN 'replay' ELSE 'answer' END),
		CASE WHEN bool_or(r.is_own) THEN min(r.began) FILTER (WHERE r.is_own)
			ELSE min(r.began) FILTER (WHERE r.rule <> 'answer') END
	FROM dp_noise_ledger.budget_entry AS b
	JOIN dp_noise_ledger.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	CROSS JOIN LATERAL (SELECT b.on_repeat, m.object = reader, CASE WHEN b.period IS NULL THEN '-infinity' ELSE p.began END) AS r (rule, is_own, began)
	WHERE b.is_active
		AND (m.object = reader OR (b.shared AND m.object IN (SELECT dp_noise.paying_groups(reader))))
	GROUP BY b.relation_id
$$;
COMMENT ON FUNCTION dp_noise.repeat_rules(oid) IS
'The protected relations on which a role has a budget, of its own or through a group, with the rule for its repeated questions and the time since which questions count as asked.';

CREATE FUNCTION dp_noise.bound_text(bound numeric, kind text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT CASE kind
		WHEN 'number' THEN bound::text
		WHEN 'date' THEN ('2000-01-01'::date + bound::integer)::text
		WHEN 'timestamp without time zone' THEN ('2000-01-01'::timestamp + s.span)::text
		-- Days of 24 hours, whatever the session's time zone.
		WHEN 'timestamp with time zone' THEN (('2000-01-01'::timestamp + s.span) AT TIME ZONE 'UTC')::text
		-- 24:00:00 is a valid time, but no sum of times gives it.
		WHEN 'time without time zone' THEN (bound::bigint * '1 microsecond'::interval)::text
		WHEN 'interval' THEN s.span::text
	END
	FROM (SELECT CASE WHEN kind IN ('timestamp without time zone', 'timestamp with time zone', 'interval')
		THEN make_interval(days => div(bound, 86400000000)::integer) + mod(bound, 86400000000)::bigint * '1 microsecond'::interval
		END) AS s (span)
$$;
COMMENT ON FUNCTION dp_noise.bound_text(numeric, text) IS
'A bound of dp_noise_ledger.column_bounds, of that kind, as a text: dates and times in ISO form, timestamps with time zone in the session''s time zone.';

CREATE FUNCTION dp_noise.do_read_own_columns(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
AS $$
BEGIN
	RETURN QUERY
	SELECT i.object::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
		dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind),
		CASE WHEN v.column_values IS NOT NULL THEN v.column_values
			WHEN y.base = 'boolean'::regtype THEN '{false,true}'
			WHEN t.typtype = 'e' THEN ARRAY(SELECT e.enumlabel::text FROM pg_enum AS e WHERE e.enumtypid = y.base ORDER BY e.enumsortorder)
		END,
		CASE WHEN v.column_values IS NOT NULL THEN 'declared'
			WHEN y.base = 'boolean'::regtype OR t.typtype = 'e' THEN 'type'
			WHEN f.target IS NOT NULL THEN 'foreign key to ' || f.target
			WHEN b.kind = 'number' AND y.base IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
				AND b.lower >= -1e9 AND b.upper <= 1e9 AND floor(b.upper) - ceil(b.lower) < 100000 THEN 'computed from bounds'
		END,
		coalesce(a.attname = r.privacy_unit OR a.attname = ANY (r.path_columns), false),
		r.max_rows_per_unit, r.max_groups_per_unit, u.on_repeat,
		CASE WHEN r.purse_id IS NOT NULL THEN (
			SELECT p.object FROM dp_noise_ledger.current_identity AS p
			WHERE p.class = i.class AND p.id = r.purse_id) END::regclass
	FROM dp_noise.repeat_rules(reader) AS u
	JOIN dp_noise_ledger.relation_entry AS r ON coalesce(r.purse_id, r.relation_id) = u.relation_id
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = r.relation_id
	JOIN pg_attribute AS a ON a.attrelid = i.object AND a.attnum > 0 AND NOT a.attisdropped
	CROSS JOIN LATERAL (
		WITH RECURSIVE domains (oid) AS (
			SELECT a.atttypid
			UNION
			SELECT d.typbasetype FROM pg_type AS d JOIN domains ON d.oid = domains.oid WHERE d.typtype = 'd'
		)
		SELECT d.oid FROM domains AS d JOIN pg_type AS k ON k.oid = d.oid WHERE k.typtype <> 'd'
	) AS y (base)
	JOIN pg_type AS t ON t.oid = y.base
	LEFT JOIN dp_noise_ledger.column_bounds AS b ON b.relation_id = r.relation_id AND b.column_name = a.attname
	LEFT JOIN dp_noise_ledger.column_values AS v ON v.relation_id = r.relation_id AND v.column_name = a.attname
	LEFT JOIN LATERAL (
		-- Foreign keys to a table that the reader may read and that is not
		-- protected itself.
		SELECT min(c.confrelid::regclass::text)
		FROM pg_constraint AS c
		WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND c.convalidated AND c.conkey = ARRAY[a.attnum]
			AND has_column_privilege(reader, c.confrelid, c.confkey[1], 'SELECT')
			AND NOT EXISTS (
				SELECT FROM dp_noise_ledger.current_identity AS p JOIN dp_noise_ledger.relation_entry AS e ON e.relation_id = p.id
				WHERE p.class = i.class AND p.object = c.confrelid AND e.is_protected)
	) AS f (target) ON true
	WHERE r.is_protected
	ORDER BY i.object, a.attnum;
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_own_columns(oid) IS
'Body of dp_noise.read_own_columns.';
CREATE FUNCTION dp_noise.read_own_columns()
RETURNS TABLE (
	relation regclass,
	column_name name,
	data_type text,
	lower text,
	upper text,
	public_values text[],
	public_by text,
	is_unit boolean,
	max_rows_per_unit integer,
	max_groups_per_unit integer,
	on_repeat text,
	budget_of regclass
)
AS 'MODULE_PATHNAME', 'dp_read_as_session'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 100;
COMMENT ON FUNCTION dp_noise.read_own_columns() IS
'The rows of dp_columns.';
CREATE VIEW @extschema@.dp_columns AS SELECT * FROM dp_noise.read_own_columns();
COMMENT ON VIEW @extschema@.dp_columns IS
'The columns of the protected relations for which the reader (the session''s user) has a budget, its own or shared: declared bounds as texts; public values, where they can be listed, and why the values are public (declared, by their type, by a foreign key to a table that the reader may read, or computed from bounds: expressions over an integer between them); null: GROUP BY needs dp_noise.delta. Computed keys (date_trunc(''month'', day), left(code, 2)) have no row of their own: EXPLAIN shows how many values such a key has, and SELECT DISTINCT lists them, free. is_unit: the privacy unit, or a column of the path to it. The other columns are about the relation: how many rows and groups of a unit count; what happens to the reader''s repeated questions; and budget_of: the relation whose budgets pay for questions about this one, null for its own.';

CREATE FUNCTION dp_noise.do_read_own_history(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	SELECT l.at, i.object::regclass, l.aggregate, l.mechanism, l.epsilon, l.rho, l.delta,
		coalesce(u.on_repeat = 'replay' AND w.answer IS NOT NULL AND w.state = 'answered' AND w.asked_at >= u.since, false),
		l.fingerprint, a.object::regclass
	FROM dp_noise_ledger.current_identity AS m
	JOIN dp_noise_ledger.ledger_entry AS l ON l.role_id = m.id
	LEFT JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = l.relation_id
	LEFT JOIN dp_noise.repeat_rules(reader) AS u ON u.relation_id = l.relation_id AND i.id IS NOT NULL
	LEFT JOIN dp_noise_ledger.current_identity AS a ON a.class = 'pg_catalog.pg_class'::regclass::oid AND a.id = coalesce(l.asked_id, l.relation_id)
	LEFT JOIN dp_noise_ledger.answer_entry AS w ON w.relation_id = coalesce(l.asked_id, l.relation_id) AND w.role_id = l.role_id AND w.fingerprint = l.fingerprint
	WHERE m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.object = reader
		AND NOT l.through_view -- paid by the relation's total alone
	ORDER BY l.ledger_id;
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_own_history(oid) IS
'Body of dp_noise.read_own_history.';
CREATE FUNCTION dp_noise.read_own_history()
RETURNS TABLE (
	at timestamptz,
	relation regclass,
	aggregate text,
	mechanism text,
	epsilon numeric,
	rho numeric,
	delta numeric,
	replays boolean,
	question bytea,
	asked_about regclass
)
AS 'MODULE_PATHNAME', 'dp_read_as_session'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION dp_noise.read_own_history() IS
'The rows of dp_history.';
CREATE VIEW @extschema@.dp_history AS SELECT * FROM dp_noise.read_own_history();
COMMENT ON VIEW @extschema@.dp_history IS
'The reader''s own charges (those of the session''s user), one row per aggregate, in their order: what was paid (epsilon null where there is no finite one). relation: whose budgets paid; null where it was dropped. asked_about: the relation that the question was about, the first of several of one purse. question: equal for equal questions. replays: whether asking it again in the current period returns the stored answer, free. Replays are not recorded.';

REVOKE ALL ON FUNCTION
	dp_noise.paying_groups(oid),
	dp_noise.repeat_rules(oid),
	dp_noise.bound_text(numeric, text),
	dp_noise.do_read_own_columns(oid),
	dp_noise.do_read_own_history(oid)
FROM PUBLIC;
GRANT SELECT ON @extschema@.dp_columns, @extschema@.dp_history TO PUBLIC;
