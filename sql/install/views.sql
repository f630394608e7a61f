/*
 * ledger_views.sql
 *		The ledger: the views over it.
 */

------------------------------------------------------------------------------
-- The ledger: views

CREATE FUNCTION dp_noise.budget_now(
	budget dp_noise_ledger.budget_entry,
	OUT began timestamptz,
	OUT spent dp_noise_ledger.cost
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	began := dp_noise.period_begin(budget.period_start, budget.period, now());
	spent := CASE WHEN began > budget.period_start THEN ROW(0, 0, 0, 0, 0)::dp_noise_ledger.cost ELSE dp_noise.spent_of(budget) END;
END
$$;
COMMENT ON FUNCTION dp_noise.budget_now(dp_noise_ledger.budget_entry) IS
'A budget in its current period: when the period began, and what was spent in it.';

CREATE FUNCTION dp_noise.budget_shown(
	budget dp_noise_ledger.budget_entry,
	spent dp_noise_ledger.cost,
	OUT epsilon_spent numeric,
	OUT epsilon_left numeric,
	OUT delta_spent numeric,
	OUT delta_left numeric,
	OUT rho_spent numeric,
	OUT rho_left numeric
)
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF budget.accountant = 'zcdp' THEN
		epsilon_spent := dp_noise.epsilon_of_rho(spent.rho, budget.delta - budget.delta_pool);
		delta_spent := spent.delta_pool;
		delta_left := greatest(budget.delta_pool - spent.delta_pool, 0);
		rho_spent := spent.rho;
		rho_left := greatest(budget.rho - spent.rho, 0);
		epsilon_left := CASE WHEN rho_left > 0 THEN greatest(budget.epsilon - epsilon_spent, 0) ELSE 0 END;
		RETURN;
	END IF;
	epsilon_spent := CASE WHEN spent.unbounded > 0 THEN 'infinity' ELSE spent.epsilon END;
	delta_spent := spent.delta;
	IF budget.epsilon IS NOT NULL THEN
		epsilon_left := greatest(budget.epsilon - epsilon_spent, 0);
		delta_left := greatest(budget.delta - delta_spent, 0);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.budget_shown(dp_noise_ledger.budget_entry, dp_noise_ledger.cost) IS
'What of a budget is spent and left, as its accountant counts. Under zcdp: rho, the epsilon that the rho spent amounts to at the delta outside of the pool, and the delta spent from the pool. Under pure: epsilon (infinity after a charge without a finite one) and delta. Left null: no limit.';

CREATE FUNCTION dp_noise.queries_left(
	budget dp_noise_ledger.budget_entry,
	spent dp_noise_ledger.cost,
	epsilon numeric,
	rho numeric
)
RETURNS numeric
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT CASE WHEN budget.epsilon IS NULL THEN NULL
		WHEN budget.accountant = 'zcdp' THEN div(greatest(budget.rho - spent.rho, 0), queries_left.rho)
		WHEN spent.unbounded > 0 THEN 0
		ELSE div(greatest(budget.epsilon - spent.epsilon, 0), queries_left.epsilon)
	END
$$;
COMMENT ON FUNCTION dp_noise.queries_left(dp_noise_ledger.budget_entry, dp_noise_ledger.cost, numeric, numeric) IS
'How many more aggregates of a price in epsilon and in rho a budget allows; null: no limit.';

-- The plan of a view shows its readers how many rows there are, including those
-- that it does not show. So the views below read functions, whose bodies,
-- do_read_..., run with their definer's rights and return the reader's rows
-- alone. The reader is the caller's current user; for one's own budgets, the
-- session's user.

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
	-- Roles that spent something on a namesake of another owner are not shown.
	SELECT a.rolname, i.object::regclass, b.shared, b.epsilon, b.delta, s.epsilon_spent, s.delta_spent, s.epsilon_left, s.delta_left,
		b.max_epsilon_per_query, b.period, p.began + b.period, b.on_repeat, b.min_epsilon_per_query,
		b.accountant, b.rho, s.rho_spent, s.rho_left, b.delta_pool, b.default_epsilon, b.failures,
		CASE WHEN b.role_id IS NOT NULL THEN b.max_failures END
	FROM dp_noise_ledger.budget_entry AS b
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = b.relation_id
	JOIN pg_class AS c ON c.oid = i.object
	LEFT JOIN dp_noise_ledger.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	LEFT JOIN pg_roles AS a ON a.oid = m.object
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	CROSS JOIN LATERAL dp_noise.budget_shown(b,
		CASE WHEN b.role_id IS NULL THEN p.spent ELSE dp_noise.cost_rest(p.spent, dp_noise.part_of(b, '{foreign}')) END) AS s
	WHERE b.is_active
		AND NOT EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = b.relation_id AND e.purse_id IS NOT NULL)
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
	min_epsilon_per_query numeric,
	accountant text,
	rho numeric,
	rho_spent numeric,
	rho_left numeric,
	delta_pool numeric,
	default_epsilon numeric,
	failures integer,
	max_failures integer
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 100;
COMMENT ON FUNCTION dp_noise.read_budgets() IS
'The rows of dp_noise.budgets.';
CREATE VIEW dp_noise.budgets AS SELECT * FROM dp_noise.read_budgets();
COMMENT ON VIEW dp_noise.budgets IS
'Budgets of the relations that the reader owns, with what is spent in the current period and what is left. A row without a role is the relation''s total, unlimited where epsilon is null. Relations with budget_of have none of their own. Under zcdp rho is what counts: epsilon_spent is the epsilon that the rho spent amounts to at the delta outside the pool, epsilon_left the rest of the grant, and delta_spent and delta_left are the pool''s. Under pure, epsilon_spent is infinite where a charge had no finite epsilon. What was spent on another owner''s dropped relation of that name is shown in the total only, though it also reduces what is left to each role that spent it. failures: statements that ended in errors that may depend on rows, since dp_noise.forgive(); with max_failures of them a role may not ask any more.';

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
	SELECT l.at, r.role_name, s.relation, l.epsilon, l.delta, l.fingerprint, l.aggregate, l.mechanism, l.rho, l.delta_pool,
		CASE WHEN l.asked_id IS NULL THEN s.relation ELSE a.object::regclass END, l.through_view
	FROM seen AS s
	JOIN dp_noise_ledger.ledger_entry AS l USING (relation_id)
	JOIN dp_noise_ledger.role_entry AS r USING (role_id)
	LEFT JOIN dp_noise_ledger.current_identity AS a ON a.class = 'pg_catalog.pg_class'::regclass::oid AND a.id = l.asked_id;
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
	mechanism text,
	rho numeric,
	delta_pool numeric,
	asked_about regclass,
	through_view boolean
)
AS 'MODULE_PATHNAME', 'dp_read_as_user'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION dp_noise.read_ledger() IS
'The rows of dp_noise.ledger.';
CREATE VIEW dp_noise.ledger AS SELECT * FROM dp_noise.read_ledger();
COMMENT ON VIEW dp_noise.ledger IS
'All charges on the relations that the reader owns: one row per aggregate, and one for groups that were selected by a count of their own. relation: whose budgets paid; asked_about: the relation that the question was about, the first of several of one purse. Superusers also see those of dropped relations (relation null). Those of a dropped relation of the same name are visible to its owner only. Budgets under pure paid epsilon and delta (epsilon null: no finite one), those under zcdp rho, and delta_pool from their pool. through_view: the relation was read through a protected view, whose budgets paid; here only the total did.';

CREATE FUNCTION dp_noise.current_epsilon(by_budget numeric DEFAULT NULL)
RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_epsilon'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_epsilon(numeric) IS
'The setting dp_noise.epsilon, or the epsilon that costs dp_noise.rho where that is set, or that of budgets where it is not null and neither is set, as the decimal number that an aggregate without an epsilon of its own is charged.';

CREATE FUNCTION dp_noise.current_rho(by_budget numeric DEFAULT NULL)
RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_rho'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_rho(numeric) IS
'The most that an aggregate without an epsilon of its own costs in rho; by_budget as for current_epsilon.';

CREATE FUNCTION dp_noise.asked_epsilon(by_budget double precision)
RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_asked_epsilon'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.asked_epsilon(double precision) IS
'The epsilon of an aggregate that names none: that of the budgets, unless the session has set its own. Beneath a release it takes the place of the epsilon.';

CREATE FUNCTION dp_noise.payers_beneath(relation oid)
RETURNS SETOF integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH RECURSIVE beneath AS (
		SELECT relation AS object
		UNION
		SELECT d.refobjid
		FROM beneath AS b
		JOIN pg_rewrite AS w ON w.ev_class = b.object AND w.rulename = '_RETURN'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> b.object
	)
	SELECT coalesce(r.purse_id, r.relation_id)
	FROM beneath AS b
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.object = b.object
	JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id
	WHERE b.object <> relation AND r.is_protected
$$;
COMMENT ON FUNCTION dp_noise.payers_beneath(oid) IS
'The relations whose totals also pay for questions about a protected view: those protected beneath it. None for a table.';

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
	SELECT i.object::regclass, r.role_name, b.shared, b.epsilon, s.epsilon_spent, s.epsilon_left, s.delta_left,
		b.max_epsilon_per_query, p.began + b.period, b.on_repeat,
		-- All budgets pay for a query, so the one that allows least decides how
		-- many.
		CASE WHEN now.epsilon > least(t.max_epsilon_per_query, min(b.max_epsilon_per_query) OVER w)
				OR now.epsilon < greatest(t.min_epsilon_per_query, max(b.min_epsilon_per_query) OVER w)
				OR bool_or(b.failures >= b.max_failures) OVER w THEN 0
			ELSE least(t.queries, min(dp_noise.queries_left(b, p.spent, now.epsilon, now.rho)) OVER w)
		END,
		b.min_epsilon_per_query, b.accountant, b.rho, s.rho_spent, s.rho_left, b.default_epsilon, b.failures, b.max_failures
	FROM dp_noise_ledger.budget_entry AS b
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = b.relation_id
	JOIN dp_noise_ledger.role_entry AS r ON r.role_id = b.role_id
	JOIN dp_noise_ledger.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::regclass::oid AND m.id = b.role_id
	-- As in the gate: the least of the budgets that pay.
	CROSS JOIN LATERAL (
		SELECT min(e.default_epsilon)
		FROM dp_noise_ledger.budget_entry AS e
		LEFT JOIN dp_noise_ledger.current_identity AS g ON g.class = 'pg_catalog.pg_authid'::regclass::oid AND g.id = e.role_id
		WHERE e.relation_id = b.relation_id AND e.is_active
			AND (e.role_id IS NULL OR g.object = reader OR (e.shared AND g.object IN (SELECT dp_noise.paying_groups(reader))))
	) AS d (epsilon)
	CROSS JOIN LATERAL (SELECT dp_noise.current_epsilon(d.epsilon), dp_noise.current_rho(d.epsilon)) AS now (epsilon, rho)
	CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
	CROSS JOIN LATERAL dp_noise.budget_shown(b, p.spent) AS s
	CROSS JOIN LATERAL (
		SELECT min(e.max_epsilon_per_query), max(e.min_epsilon_per_query), min(dp_noise.queries_left(e, n.spent, now.epsilon, now.rho))
		FROM dp_noise_ledger.budget_entry AS e CROSS JOIN LATERAL dp_noise.budget_now(e) AS n
		WHERE e.role_id IS NULL
			AND (e.relation_id = b.relation_id OR e.relation_id IN (SELECT dp_noise.payers_beneath(i.object)))
	) AS t (max_epsilon_per_query, min_epsilon_per_query, queries)
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
	remaining numeric,
	delta_left numeric,
	max_epsilon_per_query numeric,
	refills_at timestamptz,
	on_repeat text,
	queries_left numeric,
	min_epsilon_per_query numeric,
	accountant text,
	rho numeric,
	rho_spent numeric,
	rho_left numeric,
	default_epsilon numeric,
	failures integer,
	max_failures integer
)
AS 'MODULE_PATHNAME', 'dp_read_as_session'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION dp_noise.read_own_budgets() IS
'The rows of dp_budget.';
CREATE VIEW @extschema@.dp_budget AS SELECT * FROM dp_noise.read_own_budgets();
COMMENT ON VIEW @extschema@.dp_budget IS
'The reader''s budgets (those of the session''s user, and those shared by its groups), which pay for the relation and for those that share its budgets (budget_of in dp_columns): epsilon granted, spent and remaining in the current period, when it refills, and how many more aggregates at the current dp_noise.epsilon (or default_epsilon where that is not set) all budgets that pay allow, the total of the relation included, and those of what lies beneath a protected view. Under the accountant zcdp rho is what counts: spent is the epsilon that the rho spent amounts to at the grant''s delta, remaining the rest of the grant, and delta_left what is left of the pool. failures: statements that ended in errors that may depend on rows, since the owner forgave them; with max_failures of them nothing more is answered.';
