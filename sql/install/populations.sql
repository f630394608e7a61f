/*
 * populations.sql
 *		Functions for owners of populations: the people whom relations are about,
 *		and what may be learnt about them in all.
 *
 * The functions for owners are entered in C (src/ledger/owner_functions.c): that
 * code refuses everybody except the owner and superusers (it checks the current
 * user, whichever function the call comes from) and calls do_..., which runs
 * with the extension's rights and which nobody else may call. The argument
 * population is then the exact name of one, locked until the end of the
 * transaction, though its owner may have written the name of a member.
 */

CREATE FUNCTION dp_noise.lock_population(population_id integer) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_population' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_population(integer) IS
'Locks the ledger''s rows about a population, against the ledger worker and all other writers, until the end of the transaction.';

CREATE FUNCTION dp_noise.population_number(population text) RETURNS integer LANGUAGE sql STABLE
AS $$
	SELECT p.population_id FROM dp_noise_ledger.population AS p
	WHERE p.name = population_number.population AND NOT p.is_dropped
$$;
COMMENT ON FUNCTION dp_noise.population_number(text) IS 'The number of the population of that name; null if there is none.';

CREATE FUNCTION dp_noise.members_of(population_id integer) RETURNS oid[] LANGUAGE sql STABLE SECURITY DEFINER
AS $$
	SELECT ARRAY(
		SELECT m.relation FROM dp_noise_ledger.member AS m
		WHERE m.population_id = members_of.population_id AND m.relation <> 0
		ORDER BY m.member_id)
$$;
COMMENT ON FUNCTION dp_noise.members_of(integer) IS 'The relations in a population. Called by the library.';

CREATE FUNCTION dp_noise.add_population(
	name text, owner oid, epsilon numeric, delta numeric, accountant text DEFAULT 'pure', delta_pool numeric DEFAULT 0,
	on_repeat text DEFAULT 'replay', share_answers boolean DEFAULT true, answers_expire interval DEFAULT NULL
) RETURNS integer LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
	rho_granted numeric;
	id integer;
	grant_id bigint;
BEGIN
	IF name IS NULL OR name = '' OR octet_length(name) > 300 THEN
		RAISE EXCEPTION 'a population needs a name of at most 300 bytes'
			USING ERRCODE = CASE WHEN name IS NULL THEN 'null_value_not_allowed' ELSE 'invalid_parameter_value' END,
				HINT = 'Write a name such as ''patients''.';
	END IF;
	IF epsilon IS NULL THEN
		RAISE EXCEPTION 'epsilon is missing: population "%" does not exist yet', name
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write epsilon => what everybody together may learn about one person, such as 10.';
	END IF;
	rho_granted := dp_noise.check_grant(accountant, epsilon, delta, delta_pool);
	PERFORM dp_noise.check_repeats(on_repeat, share_answers, answers_expire);
	-- True, for example, of a database whose template had the extension.
	IF NOT EXISTS (SELECT FROM dp_noise_ledger.population) AND (dp_noise.is_displaced() OR dp_noise.is_copy()) THEN
		PERFORM dp_noise.set_place();
	END IF;
	INSERT INTO dp_noise_ledger.population (name, owner_name, accountant, on_repeat, share_answers, answers_expire)
	VALUES (name, pg_get_userbyid(owner), accountant, on_repeat, share_answers, nullif(answers_expire, '0'))
	ON CONFLICT DO NOTHING
	RETURNING population_id INTO id;
	IF id IS NULL THEN
		RAISE EXCEPTION 'population "%" already exists', name
			USING ERRCODE = 'duplicate_object', HINT = 'Its owner changes it with dp_noise.alter_population().';
	END IF;
	PERFORM dp_noise.lock_population(id);
	INSERT INTO dp_noise_ledger.budget (population_id, is_active, shared, epsilon, delta, rho, delta_pool)
	VALUES (id, true, true, epsilon, delta, rho_granted, delta_pool)
	RETURNING budget_id INTO grant_id;
	INSERT INTO dp_noise_ledger.spending (budget_id) VALUES (grant_id);
	RETURN id;
END
$$;
COMMENT ON FUNCTION dp_noise.add_population(text, oid, numeric, numeric, text, numeric, text, boolean, interval) IS
'Makes a population with its grant, locks it and returns its number.';

CREATE FUNCTION dp_noise.check_repeats(on_repeat text, share_answers boolean, answers_expire interval) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	IF on_repeat IS NULL OR on_repeat NOT IN ('refuse', 'replay', 'answer') THEN
		RAISE EXCEPTION 'invalid on_repeat: %', coalesce(quote_literal(on_repeat), 'null')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write ''refuse'', ''replay'' or ''answer''.';
	END IF;
	IF share_answers IS NULL THEN
		RAISE EXCEPTION 'share_answers must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write true for one answer to everybody who asks the same question, false for one to each.';
	END IF;
	PERFORM dp_noise.check_period(nullif(answers_expire, '0'), 'answers_expire');
END
$$;
COMMENT ON FUNCTION dp_noise.check_repeats(text, boolean, interval) IS 'Refuses settings of a population that say nothing about repeated questions.';

CREATE FUNCTION dp_noise.do_create_population(
	caller oid, name text, epsilon numeric, delta numeric DEFAULT 0, accountant text DEFAULT 'pure', delta_pool numeric DEFAULT 0,
	on_repeat text DEFAULT 'replay', share_answers boolean DEFAULT true, answers_expire interval DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	-- Those who only ask shall not take the names that owners would give.
	IF NOT EXISTS (
			SELECT FROM pg_class AS c
			WHERE c.relkind IN ('r', 'p', 'f', 'v') AND c.relpersistence <> 't' AND pg_has_role(caller, c.relowner, 'USAGE'))
		AND NOT EXISTS (
			SELECT FROM pg_namespace AS n WHERE n.nspname !~ '^pg_' AND has_schema_privilege(caller, n.oid, 'CREATE')) THEN
		RAISE EXCEPTION 'must own a table to create a population'
			USING ERRCODE = 'insufficient_privilege', HINT = 'Ask the owner of the tables.';
	END IF;
	PERFORM dp_noise.add_population(name, caller, epsilon, delta, accountant, delta_pool, on_repeat, share_answers, answers_expire);
END
$$;
CALL dp_noise.add_entry('create_population');
COMMENT ON FUNCTION dp_noise.create_population(text, numeric, numeric, text, numeric, text, boolean, interval) IS
'Creates a population: the people whom some relations are about, with one kind of privacy unit, and a grant of epsilon and delta that bounds what everybody together learns about any of them. accountant pure: epsilons and deltas add up. zcdp: the grant becomes an amount of rho, rounded down, and rho adds up, so that many answers cost less (Bun, Steinke 2016; Canonne, Kamath, Steinke 2020; Feldman, Zrnic 2021; Whitehouse et al. 2023); delta_pool, below delta, is reserved for deltas that rho does not cover: those of groups by private keys (partition selection) and of smooth_laplace. All answers together are (epsilon, delta)-DP under either accountant. on_repeat: replay, refuse or answer a question that its asker has asked before. share_answers: a question that somebody got answered gets the same answer for everybody, who pay from their own budgets, and not from the grant again. answers_expire: after this time stored answers are not used any more. The caller owns the population; its owner''s members ask without a budget of their own. For everybody who owns a table or may create one.';

CREATE FUNCTION dp_noise.do_alter_population(
	population text, epsilon numeric DEFAULT NULL, delta numeric DEFAULT NULL, accountant text DEFAULT NULL, delta_pool numeric DEFAULT NULL,
	on_repeat text DEFAULT NULL, share_answers boolean DEFAULT NULL, answers_expire interval DEFAULT NULL, owner regrole DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	old dp_noise_ledger.population;
	new dp_noise_ledger.population;
	granted dp_noise_ledger.budget;
	role_budget dp_noise_ledger.budget;
BEGIN
	SELECT * INTO STRICT old FROM dp_noise_ledger.population AS p WHERE p.population_id = id;
	SELECT * INTO STRICT granted FROM dp_noise_ledger.budget AS b WHERE b.population_id = id AND b.role IS NULL;
	new := old;
	new.accountant := coalesce(accountant, old.accountant);
	new.on_repeat := coalesce(on_repeat, old.on_repeat);
	new.share_answers := coalesce(share_answers, old.share_answers);
	new.answers_expire := nullif(coalesce(answers_expire, old.answers_expire), '0');
	PERFORM dp_noise.check_repeats(new.on_repeat, new.share_answers, new.answers_expire);
	IF owner IS NOT NULL THEN
		new.owner_name := dp_noise.name_of_role(owner);
		new.owner := owner;
	END IF;
	granted.epsilon := coalesce(epsilon, granted.epsilon);
	granted.delta := coalesce(delta, granted.delta);
	granted.delta_pool := coalesce(delta_pool, CASE WHEN new.accountant = 'zcdp' THEN granted.delta_pool ELSE 0 END);
	granted.rho := dp_noise.check_grant(new.accountant, granted.epsilon, granted.delta, granted.delta_pool);
	IF new.accountant = 'pure' AND old.accountant <> 'pure' AND EXISTS (
		SELECT FROM dp_noise_ledger.spending AS s WHERE s.budget_id = granted.budget_id AND s.unbounded > 0) THEN
		RAISE EXCEPTION 'what was spent has no finite epsilon'
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Answers were given that only the accountant zcdp can count.',
				HINT = 'Leave the accountant as it is.';
	END IF;
	UPDATE dp_noise_ledger.population AS p
	SET accountant = new.accountant, on_repeat = new.on_repeat, share_answers = new.share_answers,
		answers_expire = new.answers_expire, owner = new.owner, owner_name = new.owner_name
	WHERE p.population_id = id;
	UPDATE dp_noise_ledger.budget AS b
	SET epsilon = granted.epsilon, delta = granted.delta, delta_pool = granted.delta_pool, rho = granted.rho
	WHERE b.budget_id = granted.budget_id;
	FOR role_budget IN
		SELECT * FROM dp_noise_ledger.budget AS b WHERE b.population_id = id AND b.role IS NOT NULL AND b.is_active
	LOOP
		role_budget.delta_pool := dp_noise.pool_of(id, role_budget.delta);
		BEGIN
			role_budget.rho := dp_noise.check_grant(new.accountant, role_budget.epsilon, role_budget.delta, role_budget.delta_pool);
		EXCEPTION WHEN invalid_parameter_value THEN
			RAISE EXCEPTION 'the budget of role % would not be one under the accountant %', role_budget.role_name, new.accountant
				USING ERRCODE = 'object_not_in_prerequisite_state',
					DETAIL = 'It needs an epsilon of at least 0.000001, and a delta above 0.',
					HINT = format('Change it with dp_noise.set_budget(), or end it with dp_noise.drop_budget(%L, %L).', quote_ident(role_budget.role_name), population);
		END;
		UPDATE dp_noise_ledger.budget AS b SET delta_pool = role_budget.delta_pool, rho = role_budget.rho
		WHERE b.budget_id = role_budget.budget_id;
	END LOOP;
END
$$;
CREATE FUNCTION dp_noise.alter_population(
	population text, epsilon numeric DEFAULT NULL, delta numeric DEFAULT NULL, accountant text DEFAULT NULL, delta_pool numeric DEFAULT NULL,
	on_repeat text DEFAULT NULL, share_answers boolean DEFAULT NULL, answers_expire interval DEFAULT NULL, owner regrole DEFAULT NULL
) RETURNS void
AS 'MODULE_PATHNAME', 'dp_alter_population' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.alter_population(text, numeric, numeric, text, numeric, text, boolean, interval, regrole) IS
'Changes a population: its grant, its accountant, what happens to repeated questions, its owner. Null leaves a setting as it is; answers_expire ''0'': stored answers do not expire. What was spent remains spent; under another accountant it counts in its currency. Error object_not_in_prerequisite_state: pure, where a charge has no finite epsilon. The new owner must be a role that the caller can act for (SET ROLE), except where that is a superuser. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.pool_of(population_id integer, delta numeric) RETURNS numeric LANGUAGE sql STABLE
AS $$
	SELECT CASE WHEN b.delta_pool = 0 THEN 0 ELSE trim_scale(trunc(pool_of.delta * b.delta_pool / b.delta, 15)) END
	FROM dp_noise_ledger.budget AS b
	WHERE b.population_id = pool_of.population_id AND b.role IS NULL
$$;
COMMENT ON FUNCTION dp_noise.pool_of(integer, numeric) IS 'The part of a role''s delta that is its pool: as of the grant''s delta.';

CREATE FUNCTION dp_noise.name_of_role(role oid) RETURNS name LANGUAGE plpgsql STABLE
AS $$
DECLARE
	result CONSTANT name := (SELECT r.rolname FROM pg_roles AS r WHERE r.oid = role);
BEGIN
	IF result IS NULL THEN
		RAISE EXCEPTION 'role with OID % does not exist', coalesce(role::text, 'null')
			USING ERRCODE = 'undefined_object', HINT = 'Write the name of a role.';
	END IF;
	RETURN result;
END
$$;
COMMENT ON FUNCTION dp_noise.name_of_role(oid) IS 'The name of a role. Error: undefined_object.';

CREATE FUNCTION dp_noise.do_drop_population(population text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	relations CONSTANT text[] := ARRAY(
		SELECT c.oid::regclass::text FROM dp_noise_ledger.member AS m JOIN pg_class AS c ON c.oid = m.relation
		WHERE m.population_id = id
		ORDER BY m.member_id);
BEGIN
	IF relations <> '{}' THEN
		RAISE EXCEPTION 'population "%" has members', population
			USING ERRCODE = 'dependent_objects_still_exist',
				DETAIL = CASE cardinality(relations) WHEN 1 THEN format('Relation %s is about it.', relations[1])
					ELSE format('Relation %s and %s more are about it.', relations[1], cardinality(relations) - 1) END,
				HINT = 'End the protection of each with dp_noise.unprotect().';
	END IF;
	UPDATE dp_noise_ledger.population AS p SET is_dropped = true WHERE p.population_id = id;
	UPDATE dp_noise_ledger.budget AS b SET is_active = false WHERE b.population_id = id;
	PERFORM dp_noise.remove_members(ARRAY(SELECT m.member_id FROM dp_noise_ledger.member AS m WHERE m.population_id = id));
	DELETE FROM dp_noise_ledger.allowance AS a WHERE a.population_id = id;
	DELETE FROM dp_noise_ledger.answer AS a WHERE a.population_id = id;
END
$$;
CALL dp_noise.add_entry('drop_population');
COMMENT ON FUNCTION dp_noise.drop_population(text) IS
'Drops a population that no relation is in any more, its budgets and stored answers. What was spent stays in the ledger. Another population of that name is another one: with a new grant, about the same people, nothing bounds what both tell together. For the population''s owner and superusers. Error: dependent_objects_still_exist.';

CREATE FUNCTION dp_noise.do_allow_members(population text, role regrole, allow boolean DEFAULT true) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.population_number(population);
	present_name CONSTANT name := dp_noise.name_of_role(role);
BEGIN
	IF allow IS NULL THEN
		RAISE EXCEPTION 'allow must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write true, or false to allow it no longer.';
	END IF;
	DELETE FROM dp_noise_ledger.allowance AS a
	WHERE a.population_id = id AND (a.role = role::oid OR a.role_name = present_name);
	IF allow THEN
		INSERT INTO dp_noise_ledger.allowance (population_id, role_name) VALUES (id, present_name);
	END IF;
END
$$;
CALL dp_noise.add_entry('allow_members');
COMMENT ON FUNCTION dp_noise.allow_members(text, regrole, boolean) IS
'Lets the relations of another role be about a population, or, with allow false, no longer: nothing is answered about them then. Each owner declares the settings of the own relations; budgets are granted, and the grant is owned, by the population''s owner, who asks without a budget: join only the population of an owner whom you trust. For the population''s owner and superusers.';

CREATE FUNCTION dp_noise.is_spent(population_id integer) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (SELECT FROM dp_noise_ledger.answer AS a WHERE a.population_id = is_spent.population_id)
		OR EXISTS (
			SELECT FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.spending AS s USING (budget_id)
			WHERE b.population_id = is_spent.population_id AND (s.epsilon > 0 OR s.delta > 0 OR s.rho > 0 OR s.delta_pool > 0 OR s.unbounded > 0))
$$;
COMMENT ON FUNCTION dp_noise.is_spent(integer) IS 'True if anybody was ever answered about a population: (population_id).';
