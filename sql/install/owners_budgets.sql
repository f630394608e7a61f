/*
 * owners_budgets.sql
 *		What owners of relations call: budgets.
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
'Takes the parts of a budget over into a new period, which begins without a refill: (relation_id, role_id or null, the new period).';

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text,
	shared boolean,
	min_epsilon_per_query numeric
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	payer integer;
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
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write 0, or a number well below 1 / (number of people), such as 1e-6.';
	END IF;
	-- No part may be negative: '1 month -29 days' is shorter than nothing in February.
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
				HINT = 'Write true for one purse of all members of the role, false for the role alone.';
	END IF;
	IF role IS NULL THEN
		PERFORM dp_noise.keep_parts(id, NULL, period);
		UPDATE dp_noise_ledger.budget_entry AS b
		SET epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
			max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
			min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
			period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
				THEN b.period_start ELSE now() END,
			period = do_set_budget.period
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', role::oid
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_spending(id, '{}');
	PERFORM dp_noise.inherit_role(id, payer);
	PERFORM dp_noise.keep_parts(id, payer, period);
	UPDATE dp_noise_ledger.budget_entry AS b
	SET is_active = true, shared = do_set_budget.shared,
		epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
		min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
		on_repeat = do_set_budget.on_repeat,
		period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
			THEN b.period_start ELSE now() END,
		period = do_set_budget.period
	WHERE b.relation_id = id AND b.role_id = payer;
	IF NOT FOUND THEN
		INSERT INTO dp_noise_ledger.budget_entry
			(relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat,
				min_epsilon_per_query)
		VALUES (id, payer, true, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat,
			min_epsilon_per_query);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric) IS
'Body of dp_noise.set_budget.';
CREATE FUNCTION dp_noise.set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric DEFAULT 0,
	max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL,
	on_repeat text DEFAULT 'refuse',
	shared boolean DEFAULT false,
	min_epsilon_per_query numeric DEFAULT NULL
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric) IS
'Grants a role epsilon and delta on a protected relation: (role, relation, epsilon, delta, max_epsilon_per_query, period after which it refills, on_repeat refuse, replay or answer, shared by all members of the role, min_epsilon_per_query: the least epsilon that an aggregate may ask for, so that probing has a price). Role null: a limit on the total of everyone. What is spent stays spent. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF role IS NULL THEN
		UPDATE dp_noise_ledger.budget_entry AS b
		SET epsilon = NULL, delta = 0, max_epsilon_per_query = NULL, min_epsilon_per_query = NULL, period = NULL
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
'Ends a role''s budget on a protected relation; what was spent stays recorded, and counts if it gets a budget again. Role null: the limit on the total. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forfeit(relation regclass, role regrole, epsilon numeric, delta numeric)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	payer integer;
BEGIN
	IF epsilon IS NULL OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most.';
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
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_role(id, payer);
	INSERT INTO dp_noise_ledger.ledger_entry (role_id, relation_id, epsilon, delta, fingerprint, aggregate, mechanism)
	VALUES (payer, id, epsilon, delta, '', 'forfeited', 'none');
	-- Of a role without a budget, for the time when it gets one.
	INSERT INTO dp_noise_ledger.budget_entry (relation_id, role_id, is_active, shared, epsilon, delta, on_repeat)
	VALUES (id, payer, false, false, 0, 0, 'refuse')
	ON CONFLICT (relation_id, role_id) WHERE role_id IS NOT NULL DO NOTHING;
	-- On all budgets on which a charge of the role lands.
	WITH RECURSIVE groups (oid) AS (
		SELECT role::oid
		UNION
		SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
	), paying AS (
		SELECT b.budget_id, p.began, least(p.spent + epsilon, 1e13) AS epsilon, least(p.delta_spent + delta, 1e13) AS delta,
			least(p.spent + epsilon, 1e13) - p.spent AS more_epsilon, least(p.delta_spent + delta, 1e13) - p.delta_spent AS more_delta
		FROM dp_noise_ledger.budget_entry AS b CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
		WHERE b.relation_id = id
			AND (b.role_id IS NULL OR b.role_id = payer OR (b.is_active AND b.shared AND b.role_id IN (
				SELECT i.id FROM groups
				JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_authid'::regclass AND i.object = groups.oid)))
	), noted AS (
		INSERT INTO dp_noise_ledger.spending_part AS s (budget_id, source, kind, epsilon, delta, at)
		SELECT p.budget_id, 0, 'forfeited', p.more_epsilon, p.more_delta, clock_timestamp() FROM paying AS p
		ON CONFLICT (budget_id, source) DO UPDATE
		SET epsilon = EXCLUDED.epsilon + CASE WHEN s.at >= (SELECT p.began FROM paying AS p WHERE p.budget_id = s.budget_id) THEN s.epsilon ELSE 0 END,
			delta = EXCLUDED.delta + CASE WHEN s.at >= (SELECT p.began FROM paying AS p WHERE p.budget_id = s.budget_id) THEN s.delta ELSE 0 END,
			at = EXCLUDED.at
	)
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon_spent = p.epsilon, delta_spent = p.delta, period_start = p.began
	FROM paying AS p WHERE b.budget_id = p.budget_id;
END
$$;
COMMENT ON FUNCTION dp_noise.do_forfeit(regclass, regrole, numeric, numeric) IS
'Body of dp_noise.forfeit.';
CREATE FUNCTION dp_noise.forfeit(relation regclass, role regrole, epsilon numeric, delta numeric DEFAULT 0)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forfeit(regclass, regrole, numeric, numeric) IS
'Writes off what a role may have been charged for a relation without the ledger knowing, after a standby that lagged was promoted or a backup restored: (relation, role, epsilon, delta) are charged like a question, to the role''s budget, to shared ones of its groups and to the total, even where that is more than is left; then nothing is left. In the ledger an aggregate "forfeited". For the relation''s owner and superusers.';
