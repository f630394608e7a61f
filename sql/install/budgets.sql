/*
 * budgets.sql
 *		Functions for owners of populations: budgets of roles, and answers.
 */

CREATE FUNCTION dp_noise.paying_groups(payer oid) RETURNS SETOF oid LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE groups (oid) AS (
		SELECT payer
		UNION
		SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
	)
	SELECT groups.oid FROM groups
$$;
COMMENT ON FUNCTION dp_noise.paying_groups(oid) IS 'A role, and the roles that it is a member of, whose shared budgets pay for it.';

CREATE FUNCTION dp_noise.own_budget(population_id integer, role oid) RETURNS bigint LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
	present_name CONSTANT name := dp_noise.name_of_role(role);
	id bigint;
BEGIN
	-- Its only member is whoever owns the database, which pg_auth_members does not say.
	IF role = 'pg_database_owner'::regrole THEN
		RAISE EXCEPTION 'pg_database_owner cannot have a budget'
			USING ERRCODE = 'invalid_grant_operation', HINT = 'Name the role that owns the database.';
	END IF;
	UPDATE dp_noise_ledger.budget AS b SET role_name = present_name
	WHERE b.population_id = population_id AND b.role = role
	RETURNING b.budget_id INTO id;
	IF id IS NULL THEN
		INSERT INTO dp_noise_ledger.budget (population_id, role_name, is_active, shared, epsilon, delta)
		VALUES (population_id, present_name, false, false, 0, 0)
		RETURNING budget_id INTO id;
		INSERT INTO dp_noise_ledger.spending (budget_id) VALUES (id);
	END IF;
	RETURN id;
END
$$;
COMMENT ON FUNCTION dp_noise.own_budget(integer, oid) IS
'The budget of a role in a population, under the name that the role has now; one that grants nothing is made where it has none. Under the lock of the population.';

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole, population text, epsilon numeric, delta numeric DEFAULT 0, max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL, shared boolean DEFAULT false, min_epsilon_per_query numeric DEFAULT 0.001,
	default_epsilon numeric DEFAULT NULL, max_failures integer DEFAULT 3, relations regclass[] DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	budget_id bigint;
	rho_granted numeric;
	members integer[];
	other regclass;
	is_protected boolean;
BEGIN
	IF role IS NULL THEN
		RAISE EXCEPTION 'role must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write the name of a role. What everybody together may learn is set by dp_noise.alter_population().';
	END IF;
	rho_granted := dp_noise.check_grant((SELECT p.accountant FROM dp_noise_ledger.population AS p WHERE p.population_id = id),
		epsilon, delta, dp_noise.pool_of(id, delta));
	IF max_epsilon_per_query < 0 OR max_epsilon_per_query > 1e13 OR max_epsilon_per_query = 'NaN' THEN
		RAISE EXCEPTION 'max_epsilon_per_query must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 1, or null for no limit.';
	END IF;
	IF min_epsilon_per_query < 0 OR min_epsilon_per_query > 1e6 OR min_epsilon_per_query = 'NaN'
		OR min_epsilon_per_query > max_epsilon_per_query THEN
		RAISE EXCEPTION 'min_epsilon_per_query must be between 0 and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 0.01, at most 10^6, which every aggregate then asks for at least, or null.';
	END IF;
	IF max_failures < 1 THEN
		RAISE EXCEPTION 'max_failures must be at least 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 3, or null for no limit.';
	END IF;
	IF default_epsilon < greatest(min_epsilon_per_query, 0.000001) OR default_epsilon > least(max_epsilon_per_query, 1e6)
		OR default_epsilon = 'NaN' OR scale(trim_scale(default_epsilon)) > 15 THEN
		RAISE EXCEPTION 'default_epsilon must be between 0.000001 and 1000000, and between min_epsilon_per_query and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 0.1, or null: it is what an aggregate asks for that names no epsilon, where the session has not set dp_noise.epsilon.';
	END IF;
	PERFORM dp_noise.check_period(period, 'period');
	IF shared IS NULL THEN
		RAISE EXCEPTION 'shared must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write true for one budget that all members of the role share, false for the role alone.';
	END IF;
	IF relations IS NOT NULL THEN
		IF array_position(relations, NULL) IS NOT NULL THEN
			RAISE EXCEPTION 'relations must not contain null'
				USING ERRCODE = 'null_value_not_allowed', HINT = 'Write those that the role may ask about, such as ''{patients,visits}'', or null for all of the population.';
		END IF;
		SELECT coalesce(array_agg(DISTINCT m.member_id) FILTER (WHERE m.population_id = id), '{}'),
			min(u.relation) FILTER (WHERE m.population_id IS DISTINCT FROM id), bool_or(m.population_id <> id)
		INTO members, other, is_protected
		FROM unnest(relations::oid[]) AS u (relation) LEFT JOIN dp_noise_ledger.member AS m ON m.relation = u.relation;
		IF other IS NOT NULL THEN
			RAISE EXCEPTION 'relation % is not in population "%"', other, population
				USING ERRCODE = CASE WHEN is_protected THEN 'invalid_parameter_value' ELSE 'object_not_in_prerequisite_state' END,
					HINT = 'Write those that the role may ask about, such as ''{patients,visits}'', or null for all of the population.';
		END IF;
		IF cardinality(members) > 1000 THEN
			RAISE EXCEPTION 'a budget may name at most 1000 relations'
				USING ERRCODE = 'program_limit_exceeded', HINT = 'Write null for all relations of the population, or name a view of some.';
		END IF;
	END IF;
	budget_id := dp_noise.own_budget(id, role);
	-- A change of the period does not refill the budget.
	UPDATE dp_noise_ledger.spending AS s SET since = now()
	FROM dp_noise_ledger.budget AS b
	WHERE b.budget_id = budget_id AND s.budget_id = b.budget_id AND b.period IS DISTINCT FROM period;
	UPDATE dp_noise_ledger.budget AS b
	SET is_active = true, shared = do_set_budget.shared, epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		rho = rho_granted, delta_pool = dp_noise.pool_of(id, do_set_budget.delta),
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query, min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
		default_epsilon = do_set_budget.default_epsilon, period = do_set_budget.period, relations = members,
		max_failures = do_set_budget.max_failures
	WHERE b.budget_id = budget_id;
END
$$;
CALL dp_noise.add_entry('set_budget');
COMMENT ON FUNCTION dp_noise.set_budget(regrole, text, numeric, numeric, numeric, interval, boolean, numeric, numeric, integer, regclass[]) IS
'Grants a role epsilon and delta about a population, or changes its grant: the right to ask about the protected relations of the population, or only about those in relations, at most 1000 tables or views (''{}'': none; null: all). population: the name of one, or of a protected relation. What is asked is charged to the role''s budget, to those shared by its groups, and to the population''s grant. max_epsilon_per_query: the most that one query may cost. min_epsilon_per_query: the least epsilon that an aggregate may ask for, so that trying out questions has a price; null: none. period: the budget refills after it; the population''s grant never does. shared: one budget for all members of the role. default_epsilon: the epsilon of aggregates that name none, where the session has set neither dp_noise.epsilon nor dp_noise.rho; if several budgets pay, the least of theirs. max_failures: how many statements may end in errors that may depend on rows, for want of memory for example, before the role, or whoever shares the budget, may not ask any more until dp_noise.forgive(); null: no limit. Under the population''s accountant zcdp the same share of delta is a pool as of the grant''s. max_ and min_epsilon_per_query compare epsilon under both accountants. What was spent remains spent. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.no_budget(role oid, population text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	RAISE EXCEPTION 'role % has no budget for population "%"', coalesce(role::regrole::text, 'null'), population
		USING ERRCODE = 'undefined_object', HINT = 'dp_noise.budgets lists the budgets there are.';
END
$$;
COMMENT ON FUNCTION dp_noise.no_budget(oid, text) IS 'Raises the error that a role has no budget.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, population text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	UPDATE dp_noise_ledger.budget AS b SET is_active = false
	WHERE b.population_id = dp_noise.population_number(population) AND b.role = do_drop_budget.role AND b.is_active;
	IF NOT FOUND THEN
		PERFORM dp_noise.no_budget(role, population);
	END IF;
END
$$;
CALL dp_noise.add_entry('drop_budget');
COMMENT ON FUNCTION dp_noise.drop_budget(regrole, text) IS
'Ends a role''s budget for a population. What was spent remains recorded, and counts if the role gets a budget again. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forgive(role regrole, population text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	UPDATE dp_noise_ledger.spending AS s SET failures = 0
	FROM dp_noise_ledger.budget AS b
	WHERE b.population_id = dp_noise.population_number(population) AND s.budget_id = b.budget_id
		AND b.role IS NOT DISTINCT FROM do_forgive.role AND b.is_active;
	IF NOT FOUND THEN
		PERFORM dp_noise.no_budget(role, population);
	END IF;
END
$$;
CALL dp_noise.add_entry('forgive');
COMMENT ON FUNCTION dp_noise.forgive(regrole, text) IS
'Sets the number of failures of a role''s or group''s budget for a population back to 0, so that it may ask again after max_failures of them. Role null: that of the grant, which counts them all and refuses nothing. Each failure may have told its asker something of the rows that no budget counts: find the cause in the server''s log first. The charges stay. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forfeit(population text, role regrole, epsilon numeric, delta numeric DEFAULT 0, rho numeric DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	own_id bigint;
	lost dp_noise_ledger.cost;
BEGIN
	IF (epsilon IS NULL AND rho IS NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write what the role may have been charged at most.';
	END IF;
	IF rho < 0 OR rho > 1e13 OR rho = 'NaN' THEN
		RAISE EXCEPTION 'rho must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write what the role may have been charged at most, or leave it out: it then follows from epsilon.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write what the role may have been charged at most.';
	END IF;
	own_id := dp_noise.own_budget(id, role);
	lost := dp_noise.cost_of_pure(coalesce(epsilon, 0), delta);
	lost.rho := coalesce(rho, lost.rho);
	lost.unbounded := (epsilon IS NULL)::integer;
	INSERT INTO dp_noise_ledger.charge (budget_id, population_id, role, epsilon, delta, rho, delta_pool, fingerprint, aggregate, mechanism, grant_paid)
	VALUES (own_id, id, dp_noise.name_of_role(role), epsilon, delta, lost.rho, lost.delta_pool, '', 'forfeited', 'none', true);
	-- Also for a role without a budget, which may get one later.
	UPDATE dp_noise_ledger.spending AS s
	SET since = p.began, epsilon = p.epsilon, delta = p.delta, rho = p.rho, delta_pool = p.delta_pool, unbounded = p.unbounded
	FROM (
		SELECT a.budget_id, a.began, t.*
		FROM dp_noise_ledger.account AS a CROSS JOIN LATERAL dp_noise.cost_sum(a.spent, lost) AS t
		WHERE a.population_id = id AND (a.role IS NULL OR a.budget_id = own_id
			OR (a.pays AND a.shared AND a.role IN (SELECT dp_noise.paying_groups(role))))
	) AS p
	WHERE s.budget_id = p.budget_id;
END
$$;
CALL dp_noise.add_entry('forfeit');
COMMENT ON FUNCTION dp_noise.forfeit(text, regrole, numeric, numeric, numeric) IS
'Charges a role for answers that it may have received without a record in the ledger, after a promoted standby that lagged or a restored backup. The amounts are charged like a question''s to the role''s budget, to those shared by its groups and to the population''s grant, even where that exceeds what is left; then nothing is left. Epsilon null: no finite epsilon. Rho null: the most that this epsilon can cost. Delta is also charged to pools. The ledger shows the aggregate "forfeited". For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.forget_answers_of(id integer, before timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	IF before IS NULL THEN
		RAISE EXCEPTION 'before must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write a time such as now() - interval ''90 days''.';
	END IF;
	-- The charges stay: whoever asks again is charged again.
	DELETE FROM dp_noise_ledger.answer AS a WHERE a.population_id = id AND a.at < before AND a.state <> 'asked';
	DELETE FROM dp_noise_ledger.answer AS a
	WHERE a.population_id = id AND a.at < before AND a.draw IS NOT NULL AND NOT EXISTS (
		SELECT FROM dp_noise_ledger.answer AS d WHERE d.population_id = id AND d.budget_id = 0 AND d.question = a.draw);
END
$$;
COMMENT ON FUNCTION dp_noise.forget_answers_of(integer, timestamptz) IS 'Deletes the answers about a population, given by its number, that were stored before a time.';

CREATE FUNCTION dp_noise.do_forget_answers(population text, before timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	PERFORM dp_noise.forget_answers_of(dp_noise.population_number(population), before);
END
$$;
CALL dp_noise.add_entry('forget_answers');
COMMENT ON FUNCTION dp_noise.forget_answers(text, timestamptz) IS
'Deletes the answers about a population that were stored before a time, including those that are shared and those of privacy levels. Charges remain. Such a question is then answered anew and charged, even under on_repeat refuse. Questions without a known outcome remain recorded as asked. For the population''s owner and superusers.';

-- By their numbers: names can be those of others' relations, too.
CREATE FUNCTION dp_noise.do_forget_answers(caller oid, before timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	mine record;
BEGIN
	FOR mine IN
		SELECT p.population_id FROM dp_noise_ledger.population AS p
		WHERE NOT p.is_dropped AND pg_has_role(caller, p.owner, 'USAGE')
		ORDER BY p.population_id
	LOOP
		PERFORM dp_noise.lock_population(mine.population_id);
		-- somebody else's by now, perhaps
		IF EXISTS (SELECT FROM dp_noise_ledger.population AS p WHERE p.population_id = mine.population_id AND pg_has_role(caller, p.owner, 'USAGE')) THEN
			PERFORM dp_noise.forget_answers_of(mine.population_id, before);
		END IF;
	END LOOP;
END
$$;
CREATE FUNCTION dp_noise.forget_answers(before timestamptz) RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_user' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forget_answers(timestamptz) IS
'Deletes the answers that were stored before a time, for all populations that the caller owns.';
