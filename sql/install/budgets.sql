/*
 * owners_budgets.sql
 *		Functions for owners of relations: budgets.
 */

CREATE FUNCTION dp_noise.keep_parts(relation_id integer, role_id integer, period interval)
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
	UPDATE dp_noise_ledger.spending_part AS p SET at = clock_timestamp()
	FROM dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = keep_parts.relation_id AND b.role_id IS NOT DISTINCT FROM keep_parts.role_id
		AND b.period IS DISTINCT FROM keep_parts.period
		AND p.budget_id = b.budget_id AND p.at >= b.period_start
$$;
COMMENT ON FUNCTION dp_noise.keep_parts(integer, integer, interval) IS
'Carries the parts of a budget over into a new period that begins without a refill: (relation_id, role_id or null, the new period).';

CREATE FUNCTION dp_noise.check_accountant(relation_id integer, role_id integer, accountant text, epsilon numeric, period interval)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	budget dp_noise_ledger.budget_entry;
	spent dp_noise_ledger.cost;
BEGIN
	IF accountant <> 'pure' OR epsilon IS NULL THEN
		RETURN;
	END IF;
	SELECT * INTO budget FROM dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = relation_id AND b.role_id IS NOT DISTINCT FROM role_id;
	-- A change of the period does not refill the budget.
	spent := CASE WHEN budget.period IS NOT DISTINCT FROM period THEN (dp_noise.budget_now(budget)).spent
		ELSE dp_noise.spent_of(budget) END;
	IF spent.unbounded > 0 THEN
		RAISE EXCEPTION 'what was spent of the budget has no finite epsilon'
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Answers were given that only the accountant zcdp can count.',
				HINT = 'Write accountant => ''zcdp''.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_accountant(integer, integer, text, numeric, interval) IS
'Refuses a limit under pure where what is spent has no finite epsilon: (relation_id, role_id or null, accountant, epsilon, period).';

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text,
	shared boolean,
	min_epsilon_per_query numeric,
	accountant text,
	delta_pool numeric,
	default_epsilon numeric,
	max_failures integer
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.budgeted_relation_id(relation);
	payer integer;
	rho_granted numeric;
BEGIN
	IF (epsilon IS NULL AND role IS NOT NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN'
		OR max_epsilon_per_query < 0 OR max_epsilon_per_query > 1e13 OR max_epsilon_per_query = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 5; null, for no limit, is only for a relation''s total (role null).';
	END IF;
	IF min_epsilon_per_query < 0 OR min_epsilon_per_query > 1e6 OR min_epsilon_per_query = 'NaN'
		OR min_epsilon_per_query > max_epsilon_per_query THEN
		RAISE EXCEPTION 'min_epsilon_per_query must be between 0 and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 0.01, at most 10^6, which every aggregate then asks for at least, or null.';
	END IF;
	IF max_failures < 1 THEN
		RAISE EXCEPTION 'max_failures must be at least 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 3, or null for no limit.';
	END IF;
	IF default_epsilon < greatest(min_epsilon_per_query, 0.000001) OR default_epsilon > least(max_epsilon_per_query, 1e6)
		OR default_epsilon = 'NaN' OR scale(trim_scale(default_epsilon)) > 15 THEN
		RAISE EXCEPTION 'default_epsilon must be between 0.000001 and 1000000, and between min_epsilon_per_query and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 0.1, or null: it is what an aggregate asks for that names no epsilon, where the session has not set dp_noise.epsilon.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write 0, or a number well below 1 / (number of people), such as 1e-6.';
	END IF;
	-- No part may be negative: '1 month -29 days' is negative in February.
	IF EXTRACT(epoch FROM period) < 1 OR EXTRACT(epoch FROM period) > 31557600000
		OR EXTRACT(year FROM period) < 0 OR EXTRACT(month FROM period) < 0 OR EXTRACT(day FROM period) < 0
		OR EXTRACT(hour FROM period) < 0 OR EXTRACT(minute FROM period) < 0 OR EXTRACT(second FROM period) < 0 THEN
		RAISE EXCEPTION 'period must be between a second and about a thousand years'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write an interval such as ''30 days'', no part of it negative. A refill is sound only for new data.';
	END IF;
	IF on_repeat IS NULL OR on_repeat NOT IN ('refuse', 'replay', 'answer') THEN
		RAISE EXCEPTION 'invalid on_repeat: %', coalesce(quote_literal(on_repeat), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''refuse'', ''replay'' or ''answer''.';
	END IF;
	IF shared IS NULL THEN
		RAISE EXCEPTION 'shared must not be null'
			USING ERRCODE = 'null_value_not_allowed',
				HINT = 'Write true for one budget that all members of the role share, false for the role alone.';
	END IF;
	IF accountant IS NULL OR accountant NOT IN ('pure', 'zcdp') THEN
		RAISE EXCEPTION 'invalid accountant: %', coalesce(quote_literal(accountant), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''pure'' or ''zcdp''.';
	END IF;
	IF accountant = 'pure' AND delta_pool IS DISTINCT FROM 0 THEN
		RAISE EXCEPTION 'delta_pool is for the accountant zcdp'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave it out: under pure, all of delta is for whatever needs one.';
	END IF;
	IF accountant = 'zcdp' THEN
		IF epsilon IS NULL THEN
			RAISE EXCEPTION 'the accountant zcdp needs an epsilon'
				USING ERRCODE = 'invalid_parameter_value',
					HINT = 'Write a number such as 1, and a delta such as 1e-6. A total without a limit has no accountant.';
		END IF;
		IF epsilon < 0.000001 OR epsilon > 1e6 OR delta <= 0 OR delta >= 1
			OR delta_pool IS NULL OR delta_pool < 0 OR delta_pool = 'NaN' OR delta_pool >= delta THEN
			RAISE EXCEPTION 'the accountant zcdp needs epsilon between 0.000001 and 1000000, delta above 0 and below 1, and delta_pool below delta'
				USING ERRCODE = 'invalid_parameter_value',
					HINT = 'Write, for example, epsilon 1 and delta 1e-6; delta_pool, half of delta for example, where groups by private keys are asked for.';
		END IF;
		rho_granted := dp_noise.rho_of_grant(epsilon, delta, delta_pool);
	END IF;
	IF role IS NULL THEN
		PERFORM dp_noise.check_accountant(id, NULL, accountant, epsilon, period);
		PERFORM dp_noise.keep_parts(id, NULL, period);
		UPDATE dp_noise_ledger.budget_entry AS b
		SET epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
			max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
			min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
			period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
				THEN b.period_start ELSE now() END,
			period = do_set_budget.period,
			accountant = do_set_budget.accountant, rho = rho_granted, delta_pool = do_set_budget.delta_pool,
			default_epsilon = do_set_budget.default_epsilon
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', role::oid
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	-- Its only member is whoever owns the database, which pg_auth_members does not say.
	IF role = 'pg_database_owner'::regrole THEN
		RAISE EXCEPTION 'pg_database_owner cannot have a budget'
			USING ERRCODE = 'invalid_grant_operation',
				HINT = 'Name the role that owns the database.';
	END IF;
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_spending(id, '{}');
	PERFORM dp_noise.inherit_role(id, payer);
	PERFORM dp_noise.check_accountant(id, payer, accountant, epsilon, period);
	PERFORM dp_noise.keep_parts(id, payer, period);
	UPDATE dp_noise_ledger.budget_entry AS b
	SET is_active = true, shared = do_set_budget.shared,
		epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
		min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
		on_repeat = do_set_budget.on_repeat, max_failures = do_set_budget.max_failures,
		period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
			THEN b.period_start ELSE now() END,
		period = do_set_budget.period,
		accountant = do_set_budget.accountant, rho = rho_granted, delta_pool = do_set_budget.delta_pool,
			default_epsilon = do_set_budget.default_epsilon
	WHERE b.relation_id = id AND b.role_id = payer;
	IF NOT FOUND THEN
		INSERT INTO dp_noise_ledger.budget_entry
			(relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat,
				min_epsilon_per_query, accountant, rho, delta_pool, default_epsilon, max_failures)
		VALUES (id, payer, true, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat,
			min_epsilon_per_query, accountant, rho_granted, delta_pool, default_epsilon, max_failures);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric, text, numeric, numeric, integer) IS
'Body of dp_noise.set_budget.';
CREATE FUNCTION dp_noise.set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric DEFAULT 0,
	max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL,
	on_repeat text DEFAULT 'replay',
	shared boolean DEFAULT false,
	min_epsilon_per_query numeric DEFAULT 0.001,
	accountant text DEFAULT 'pure',
	delta_pool numeric DEFAULT 0,
	default_epsilon numeric DEFAULT NULL,
	max_failures integer DEFAULT 3
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric, text, numeric, numeric, integer) IS
'Grants a role epsilon and delta on a protected relation, or changes its grant. Role null: a limit on the total of everyone. max_epsilon_per_query: the most that one query may cost. min_epsilon_per_query: the least epsilon that an aggregate may ask for, so that trying out questions has a price; null: none. max_failures: how many statements may end in errors that may depend on rows, for want of memory for example, before the role, or whoever shares the budget, may not ask any more until dp_noise.forgive(); null: no limit; a total counts failures and refuses nothing for them. period: the budget refills after it, which is sound only for new data. on_repeat: replay, refuse or answer a repeated question. shared: one budget for all members of the role. default_epsilon: the epsilon of aggregates that name none, where the session has set neither dp_noise.epsilon nor dp_noise.rho; if several budgets pay, the least of theirs. accountant pure: epsilons and deltas add up. zcdp: the grant becomes an amount of rho, rounded down, and rho adds up, so that many answers cost less (Bun, Steinke 2016; Canonne, Kamath, Steinke 2020; Feldman, Zrnic 2021; Whitehouse et al. 2023); delta_pool, below delta, is reserved for deltas that rho does not cover: those of groups by private keys (partition selection) and of smooth_laplace. All answers together are (epsilon, delta)-DP under either accountant. max_ and min_epsilon_per_query compare epsilon under both. What was spent remains spent; under another accountant it counts in its currency. Error object_not_in_prerequisite_state: pure, where a charge has no finite epsilon. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	id integer := dp_noise.budgeted_relation_id(relation);
BEGIN
	IF role IS NULL THEN
		UPDATE dp_noise_ledger.budget_entry AS b
		SET epsilon = NULL, delta = 0, max_epsilon_per_query = NULL, min_epsilon_per_query = NULL, period = NULL,
			accountant = 'pure', rho = NULL, delta_pool = 0, default_epsilon = NULL
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	UPDATE dp_noise_ledger.budget_entry AS b SET is_active = false
	WHERE b.relation_id = id AND b.role_id = dp_noise.find_role(role) AND b.is_active;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'role % has no budget on relation %', role, relation
			USING ERRCODE = 'undefined_object',
				HINT = 'dp_noise.budgets lists the budgets there are.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_drop_budget(regrole, regclass) IS
'Body of dp_noise.drop_budget.';
CREATE FUNCTION dp_noise.drop_budget(role regrole, relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.drop_budget(regrole, regclass) IS
'Ends a role''s budget on a protected relation. What was spent remains recorded, and counts if the role gets a budget again. Role null: removes the limit on the total. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forgive(role regrole, relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	id integer := dp_noise.budgeted_relation_id(relation);
BEGIN
	UPDATE dp_noise_ledger.budget_entry AS b SET failures = 0
	WHERE b.relation_id = id
		AND CASE WHEN role IS NULL THEN b.role_id IS NULL ELSE b.role_id = dp_noise.find_role(role) AND b.is_active END;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'role % has no budget on relation %', role, relation
			USING ERRCODE = 'undefined_object',
				HINT = 'dp_noise.budgets lists the budgets there are, and their failures.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_forgive(regrole, regclass) IS
'Body of dp_noise.forgive.';
CREATE FUNCTION dp_noise.forgive(role regrole, relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forgive(regrole, regclass) IS
'Sets the number of failures of a role''s or group''s budget on a protected relation back to 0, so that it may ask again after max_failures of them. Role null: that of the total. Each failure may have told its asker something of the rows that no budget counts: find the cause in the server''s log first. The charges stay. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forfeit(relation regclass, role regrole, epsilon numeric, delta numeric, rho numeric)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.budgeted_relation_id(relation);
	payer integer;
	lost dp_noise_ledger.cost;
BEGIN
	IF (epsilon IS NULL AND rho IS NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most.';
	END IF;
	IF rho < 0 OR rho > 1e13 OR rho = 'NaN' THEN
		RAISE EXCEPTION 'rho must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most, or leave it out: it then follows from epsilon.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most.';
	END IF;
	IF role IS NULL OR NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', coalesce(role::oid::text, 'null')
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	-- Its only member is whoever owns the database, which pg_auth_members does not say.
	IF role = 'pg_database_owner'::regrole THEN
		RAISE EXCEPTION 'pg_database_owner cannot have a budget'
			USING ERRCODE = 'invalid_grant_operation',
				HINT = 'Name the role that owns the database.';
	END IF;
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_role(id, payer);
	lost := dp_noise.cost_of_pure(coalesce(epsilon, 0), delta);
	lost.rho := coalesce(rho, lost.rho);
	lost.unbounded := (epsilon IS NULL)::integer;
	INSERT INTO dp_noise_ledger.ledger_entry (role_id, relation_id, epsilon, delta, fingerprint, aggregate, mechanism, rho, delta_pool)
	VALUES (payer, id, epsilon, delta, '', 'forfeited', 'none', lost.rho, lost.delta_pool);
	-- Also for a role without a budget, which may get one later.
	INSERT INTO dp_noise_ledger.budget_entry (relation_id, role_id, is_active, shared, epsilon, delta, on_repeat)
	VALUES (id, payer, false, false, 0, 0, 'refuse')
	ON CONFLICT (relation_id, role_id) WHERE role_id IS NOT NULL DO NOTHING;
	-- For all budgets that pay for the role.
	WITH RECURSIVE groups (oid) AS (
		SELECT role::oid
		UNION
		SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
	), paying AS (
		SELECT b.budget_id, p.began, s AS spent, dp_noise.cost_rest(s, p.spent) AS more
		FROM dp_noise_ledger.budget_entry AS b CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
		CROSS JOIN LATERAL dp_noise.cost_sum(p.spent, lost) AS s
		WHERE b.relation_id = id
			AND (b.role_id IS NULL OR b.role_id = payer OR (b.is_active AND b.shared AND b.role_id IN (
				SELECT i.id FROM groups
				JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_authid'::regclass AND i.object = groups.oid)))
	), noted AS (
		-- Adds to what was written off before in this period.
		INSERT INTO dp_noise_ledger.spending_part AS s (budget_id, source, kind, epsilon, delta, rho, delta_pool, unbounded, at)
		SELECT p.budget_id, 0, 'forfeited', (a).epsilon, (a).delta, (a).rho, (a).delta_pool, (a).unbounded, clock_timestamp()
		FROM paying AS p
		LEFT JOIN dp_noise_ledger.spending_part AS w ON w.budget_id = p.budget_id AND w.source = 0 AND w.at >= p.began
		CROSS JOIN LATERAL dp_noise.cost_sum(p.more, ROW(coalesce(w.epsilon, 0), coalesce(w.delta, 0), coalesce(w.rho, 0),
			coalesce(w.delta_pool, 0), coalesce(w.unbounded, 0))::dp_noise_ledger.cost) AS a
		ON CONFLICT (budget_id, source) DO UPDATE
		SET epsilon = EXCLUDED.epsilon, delta = EXCLUDED.delta, rho = EXCLUDED.rho, delta_pool = EXCLUDED.delta_pool,
			unbounded = EXCLUDED.unbounded, at = EXCLUDED.at
	)
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon_spent = (p.spent).epsilon, delta_spent = (p.spent).delta, rho_spent = (p.spent).rho,
		pool_spent = (p.spent).delta_pool, unbounded_spent = (p.spent).unbounded, period_start = p.began
	FROM paying AS p WHERE b.budget_id = p.budget_id;
END
$$;
COMMENT ON FUNCTION dp_noise.do_forfeit(regclass, regrole, numeric, numeric, numeric) IS
'Body of dp_noise.forfeit.';
CREATE FUNCTION dp_noise.forfeit(relation regclass, role regrole, epsilon numeric, delta numeric DEFAULT 0, rho numeric DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forfeit(regclass, regrole, numeric, numeric, numeric) IS
'Charges a role for answers that it may have received without a record in the ledger, after a promoted standby that lagged or a restored backup. The amounts are charged like a question''s to the role''s budget, to those shared by its groups and to the total, even where that exceeds what is left; then nothing is left. Epsilon null: no finite epsilon. Rho null: the most that this epsilon can cost. Delta is also charged to pools. The ledger shows the aggregate "forfeited". For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forget_answers(relation regclass, before timestamptz)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF before IS NULL THEN
		RAISE EXCEPTION 'before must not be null'
			USING ERRCODE = 'null_value_not_allowed',
				HINT = 'Write a time such as now() - interval ''90 days''.';
	END IF;
	-- The charges stay: whoever asks again is charged again.
	DELETE FROM dp_noise_ledger.answer_entry AS a
	WHERE a.relation_id = id AND a.asked_at < before AND a.state <> 'asked';
END
$$;
COMMENT ON FUNCTION dp_noise.do_forget_answers(regclass, timestamptz) IS
'Body of dp_noise.forget_answers.';
CREATE FUNCTION dp_noise.forget_answers(relation regclass, before timestamptz)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forget_answers(regclass, timestamptz) IS
'Deletes the answers that were stored for a relation before a time, including those of privacy levels. Charges remain. Such a question is then answered anew and charged, even under on_repeat refuse. Questions without a known outcome remain recorded as asked. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.forget_answers(before timestamptz)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	mine regclass;
BEGIN
	FOR mine IN SELECT p.relation FROM dp_noise.protected_relations AS p ORDER BY p.relation::oid LOOP
		PERFORM dp_noise.forget_answers(mine, before);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.forget_answers(timestamptz) IS
'Deletes the answers that were stored before a time, for all protected relations that the caller owns.';
