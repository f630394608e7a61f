/*
 * ledger_views.sql
 *		The ledger: the views over it.
 */

------------------------------------------------------------------------------
-- The ledger: views

CREATE FUNCTION dp_noise.budget_now(
	budget dp_noise_ledger.budget_entry,
	OUT began timestamptz,
	OUT spent numeric,
	OUT delta_spent numeric,
	OUT "left" numeric,
	OUT delta_left numeric
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	began := dp_noise.period_begin(budget.period_start, budget.period, now());
	spent := CASE WHEN began > budget.period_start THEN 0 ELSE budget.epsilon_spent END;
	delta_spent := CASE WHEN began > budget.period_start THEN 0 ELSE budget.delta_spent END;
	IF budget.epsilon IS NOT NULL THEN
		"left" := greatest(budget.epsilon - spent, 0);
		delta_left := greatest(budget.delta - delta_spent, 0);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.budget_now(dp_noise_ledger.budget_entry) IS
'A budget in its current period: when that began, epsilon and delta spent in it and left (null: no limit).';

-- Whoever may read a view sees in its plans how many rows of what there are, also
-- of those it does not show. So the views below read functions, whose bodies,
-- do_read_..., run with their definer's rights and give the reader's rows alone.
-- Who reads is the current user of whoever calls, but for budgets of one's own.

CREATE FUNCTION dp_noise.do_read_budgets(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	-- Who it was that spent something on another owner's namesake is not shown.
	SELECT a.rolname, i.object::regclass, b.shared, b.epsilon, b.delta, s.epsilon, s.delta,
		CASE WHEN b.epsilon IS NOT NULL THEN greatest(b.epsilon - s.epsilon, 0) END,
		CASE WHEN b.epsilon IS NOT NULL THEN greatest(b.delta - s.delta, 0) END,
		b.max_epsilon_per_query, b.period, p.began + b.period, b.on_repeat, b.min_epsilon_per_query
	FROM dp_noise_ledger.budget_entry AS b
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = b.relation_id
	JOIN pg_class AS c ON c.oid = i.object
	LEFT JOIN dp_noise_ledger.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	LEFT JOIN pg_roles AS a ON a.oid = m.object
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	CROSS JOIN LATERAL dp_noise.part_of(b, '{foreign}') AS f
	CROSS JOIN LATERAL (
		SELECT CASE WHEN b.role_id IS NULL THEN p.spent ELSE greatest(p.spent - f.epsilon, 0) END,
			CASE WHEN b.role_id IS NULL THEN p.delta_spent ELSE greatest(p.delta_spent - f.delta, 0) END
	) AS s (epsilon, delta)
	WHERE b.is_active
		AND (b.role_id IS NULL OR a.oid IS NOT NULL)
		AND pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_budgets(oid) IS
'Body of dp_noise.read_budgets.';
CREATE FUNCTION dp_noise.read_budgets()
RETURNS TABLE (
	role name,
	relation regclass,
	shared boolean,
	epsilon numeric,
	delta numeric,
	epsilon_spent numeric,
	delta_spent numeric,
	epsilon_left numeric,
	delta_left numeric,
	max_epsilon_per_query numeric,
	period interval,
	refills_at timestamptz,
	on_repeat text,
	min_epsilon_per_query numeric
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 100;
COMMENT ON FUNCTION dp_noise.read_budgets() IS
'The rows of dp_noise.budgets.';
CREATE VIEW dp_noise.budgets AS SELECT * FROM dp_noise.read_budgets();
COMMENT ON VIEW dp_noise.budgets IS
'Budgets of the relations that the reader owns, with what is spent in the current period and what is left; a row without role is the relation''s total, without limit where epsilon is null. What was spent on another owner''s dropped relation of the name is shown in the total alone, though less is left to each role that spent it.';

CREATE FUNCTION dp_noise.do_read_ledger(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	WITH seen AS MATERIALIZED (
		SELECT e.relation_id, i.object::regclass AS relation
		FROM dp_noise_ledger.relation_entry AS e
		LEFT JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid
			AND i.id = CASE WHEN e.successor IS NULL THEN e.relation_id WHEN e.successor_reads THEN e.successor END
		LEFT JOIN pg_class AS c ON c.oid = i.object
		WHERE pg_has_role(reader, c.relowner, 'USAGE')
			OR (SELECT a.rolsuper FROM pg_roles AS a WHERE a.oid = reader)
	)
	SELECT l.at, r.role_name, s.relation, l.epsilon, l.delta, l.fingerprint, l.aggregate, l.mechanism
	FROM seen AS s
	JOIN dp_noise_ledger.ledger_entry AS l USING (relation_id)
	JOIN dp_noise_ledger.role_entry AS r USING (role_id);
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_ledger(oid) IS
'Body of dp_noise.read_ledger.';
CREATE FUNCTION dp_noise.read_ledger()
RETURNS TABLE (
	at timestamptz,
	role name,
	relation regclass,
	epsilon numeric,
	delta numeric,
	fingerprint bytea,
	aggregate text,
	mechanism text
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION dp_noise.read_ledger() IS
'The rows of dp_noise.ledger.';
CREATE VIEW dp_noise.ledger AS SELECT * FROM dp_noise.read_ledger();
COMMENT ON VIEW dp_noise.ledger IS
'Every charge on the relations that the reader owns, one row an aggregate, and one for groups that were selected by a count of their own; superusers see those of dropped relations too (relation null). Those of a dropped relation of the same name are shown to its owner alone.';

CREATE FUNCTION dp_noise.current_epsilon()
RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_epsilon'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_epsilon() IS
'The setting dp_noise.epsilon as the decimal number that an aggregate without an epsilon of its own is charged.';

CREATE FUNCTION dp_noise.do_read_own_budgets(reader oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET track_counts = off
AS $$
BEGIN
	RETURN QUERY
	SELECT i.object::regclass, r.role_name, b.shared, b.epsilon, p.spent, p.left, p.delta_left,
		b.max_epsilon_per_query, p.began + b.period, b.on_repeat,
		-- All budgets pay for a query: the least of them says how many.
		CASE WHEN now.epsilon > least(t.max_epsilon_per_query, min(b.max_epsilon_per_query) OVER w)
				OR now.epsilon < greatest(t.min_epsilon_per_query, max(b.min_epsilon_per_query) OVER w) THEN 0
			ELSE div(least(t.left, min(p.left) OVER w), now.epsilon)
		END,
		b.min_epsilon_per_query
	FROM dp_noise_ledger.budget_entry AS b
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = b.relation_id
	JOIN dp_noise_ledger.role_entry AS r ON r.role_id = b.role_id
	JOIN dp_noise_ledger.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	CROSS JOIN (SELECT dp_noise.current_epsilon()) AS now (epsilon)
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	CROSS JOIN LATERAL (
		SELECT e.max_epsilon_per_query, e.min_epsilon_per_query, n.left
		FROM dp_noise_ledger.budget_entry AS e CROSS JOIN LATERAL dp_noise.budget_now(e) AS n
		WHERE e.relation_id = b.relation_id AND e.role_id IS NULL
	) AS t
	WHERE b.is_active
		AND (m.object = reader OR (b.shared AND m.object IN (
			WITH RECURSIVE groups (oid) AS (
				SELECT reader
				UNION
				SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
			)
			SELECT groups.oid FROM groups)))
	WINDOW w AS (PARTITION BY b.relation_id);
END
$$;
COMMENT ON FUNCTION dp_noise.do_read_own_budgets(oid) IS
'Body of dp_noise.read_own_budgets.';
CREATE FUNCTION dp_noise.read_own_budgets()
RETURNS TABLE (
	relation regclass,
	role name,
	shared boolean,
	granted numeric,
	spent numeric,
	"left" numeric,
	delta_left numeric,
	max_epsilon_per_query numeric,
	refills_at timestamptz,
	on_repeat text,
	queries_left numeric,
	min_epsilon_per_query numeric
)
AS 'MODULE_PATHNAME', 'dp_read_as_session'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION dp_noise.read_own_budgets() IS
'The rows of dp_budget.';
CREATE VIEW @extschema@.dp_budget AS SELECT * FROM dp_noise.read_own_budgets();
COMMENT ON VIEW @extschema@.dp_budget IS
'The reader''s own budgets (of the session''s user, and shared ones of its groups): epsilon granted, spent and left in the current period, when it refills, and how many more aggregates at the current dp_noise.epsilon it allows together with all others that pay, the table''s total among them.';
