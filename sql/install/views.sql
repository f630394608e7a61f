/*
 * views.sql
 *		Views for owners: populations, members, budgets, charges.
 *
 * The plan of a view shows its readers how many rows there are, including those
 * that it does not show. So these views, like all that everyone may read, read
 * functions whose bodies, do_read_..., run with their definer's rights and return
 * the reader's rows alone. The reader is the caller's current user; for one's
 * own budgets, the session's user (src/ledger/reader_functions.c).
 */

CREATE FUNCTION dp_noise.relations_of(members integer[]) RETURNS regclass[] LANGUAGE sql STABLE
AS $$
	SELECT CASE WHEN members IS NOT NULL THEN ARRAY(
		SELECT m.relation::regclass FROM dp_noise_ledger.member AS m JOIN pg_class AS c ON c.oid = m.relation
		WHERE m.member_id = ANY (members)
		ORDER BY m.member_id)
	END
$$;
COMMENT ON FUNCTION dp_noise.relations_of(integer[]) IS 'The relations of members that are still there, empty where none is; null, which is all of them, for null.';

CREATE FUNCTION dp_noise.do_read_populations(reader oid) RETURNS TABLE (
	population text, owner name, accountant text, epsilon numeric, delta numeric, epsilon_spent numeric, delta_spent numeric,
	epsilon_left numeric, delta_left numeric, delta_pool numeric, rho numeric, rho_spent numeric, rho_left numeric, on_repeat text,
	share_answers boolean, answers_expire interval, failures integer, members regclass[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	SELECT a.population, r.rolname, a.accountant, a.epsilon, a.delta, s.epsilon_spent, s.delta_spent, s.epsilon_left, s.delta_left,
		a.delta_pool, a.rho, s.rho_spent, s.rho_left, a.on_repeat, p.share_answers, p.answers_expire, a.failures,
		dp_noise.relations_of(ARRAY(SELECT m.member_id FROM dp_noise_ledger.member AS m WHERE m.population_id = a.population_id))
	FROM dp_noise_ledger.account AS a
	JOIN dp_noise_ledger.population AS p USING (population_id)
	LEFT JOIN pg_roles AS r ON r.oid = a.owner
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WHERE a.role IS NULL AND NOT a.is_dropped AND pg_has_role(reader, a.owner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_populations');
COMMENT ON FUNCTION dp_noise.read_populations() IS 'The rows of dp_noise.populations.';
CREATE VIEW dp_noise.populations AS SELECT * FROM dp_noise.read_populations();
COMMENT ON VIEW dp_noise.populations IS
'The populations that the reader owns (superusers: all), with their grants: what may be learnt in all, what is spent and what is left. Under zcdp rho is what counts: epsilon_spent is the epsilon that the rho spent amounts to at the delta outside the pool, epsilon_left the rest of the grant, and delta_spent and delta_left are the pool''s. Under pure, epsilon_spent is infinite where a charge had no finite epsilon. owner null: a role that is gone; the population is a superuser''s. failures: statements that ended in errors that may depend on rows, since dp_noise.forgive(). members: the relations that are about the population, empty where there are none.';

CREATE FUNCTION dp_noise.do_read_protected_relations(reader oid) RETURNS TABLE (
	relation regclass, population text, privacy_unit text, neighbours text, max_rows_per_unit integer, max_groups_per_unit integer,
	min_people_per_group integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	SELECT c.oid::regclass, p.name,
		CASE WHEN m.path_member_id IS NULL OR m.unit = '' THEN m.unit::text
			ELSE dp_noise.path_text(m.path_columns, coalesce(t.relation, 0), m.path_keys) END,
		m.neighbours, m.max_rows_per_unit, m.max_groups_per_unit, m.min_people_per_group
	FROM dp_noise_ledger.member AS m
	JOIN dp_noise_ledger.population AS p USING (population_id)
	JOIN pg_class AS c ON c.oid = m.relation
	LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id
	WHERE pg_has_role(reader, c.relowner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_protected_relations');
COMMENT ON FUNCTION dp_noise.read_protected_relations() IS 'The rows of dp_noise.protected_relations.';
CREATE VIEW dp_noise.protected_relations AS SELECT * FROM dp_noise.read_protected_relations();
COMMENT ON VIEW dp_noise.protected_relations IS
'The protected relations that the reader owns (superusers: all), with their settings: the population that each is about; its privacy unit (null: the row; empty, or a path to "-": it is gone, and nothing is answered).';

CREATE FUNCTION dp_noise.do_read_budgets(reader oid) RETURNS TABLE (
	role name, population text, relations regclass[], shared boolean, epsilon numeric, delta numeric, epsilon_spent numeric,
	delta_spent numeric, epsilon_left numeric, delta_left numeric, max_epsilon_per_query numeric, min_epsilon_per_query numeric,
	period interval, refills_at timestamptz, rho numeric, rho_spent numeric, rho_left numeric, delta_pool numeric, default_epsilon numeric,
	failures integer, max_failures integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
AS $$
BEGIN
	RETURN QUERY
	SELECT a.role_name, a.population, dp_noise.relations_of(a.relations),
		a.shared, a.epsilon, a.delta, s.epsilon_spent, s.delta_spent, s.epsilon_left, s.delta_left,
		a.max_epsilon_per_query, a.min_epsilon_per_query, a.period, a.refills_at, a.rho, s.rho_spent, s.rho_left, a.delta_pool,
		a.default_epsilon, a.failures, a.max_failures
	FROM dp_noise_ledger.account AS a
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WHERE a.pays AND pg_has_role(reader, a.owner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_budgets');
COMMENT ON FUNCTION dp_noise.read_budgets() IS 'The rows of dp_noise.budgets.';
CREATE VIEW dp_noise.budgets AS SELECT * FROM dp_noise.read_budgets();
COMMENT ON VIEW dp_noise.budgets IS
'Budgets of the populations that the reader owns, with what is spent in the current period and what is left. A row without a role is the population''s grant (dp_noise.populations). relations: what the role may ask about; null: all of the population; empty: nothing any more, since what was listed is not protected now. Spent and left are in the terms of the population''s accountant. failures: statements that ended in errors that may depend on rows, since dp_noise.forgive(); with max_failures of them a role may not ask any more.';

CREATE FUNCTION dp_noise.do_read_ledger(reader oid) RETURNS TABLE (
	at timestamptz, role name, population text, epsilon numeric, delta numeric, fingerprint bytea, aggregate text, mechanism text,
	rho numeric, delta_pool numeric, asked_about regclass, grant_paid boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
AS $$
BEGIN
	RETURN QUERY
	SELECT c.at, c.role::name, p.name, c.epsilon, c.delta, c.fingerprint, c.aggregate, c.mechanism, c.rho, c.delta_pool,
		nullif(m.relation, 0)::regclass, c.grant_paid
	FROM dp_noise_ledger.population AS p
	JOIN dp_noise_ledger.every_charge AS c USING (population_id)
	LEFT JOIN dp_noise_ledger.member AS m USING (member_id)
	WHERE pg_has_role(reader, p.owner, 'USAGE');
END
$$;
CALL dp_noise.add_entry('read_ledger');
COMMENT ON FUNCTION dp_noise.read_ledger() IS 'The rows of dp_noise.ledger.';
CREATE VIEW dp_noise.ledger AS SELECT * FROM dp_noise.read_ledger();
COMMENT ON VIEW dp_noise.ledger IS
'All charges to the populations that the reader owns, also to those that were dropped: one row per aggregate, and one for groups that were selected by a count of their own. asked_about: the relation that the question was about, the first of several; null where it is not protected any more. Budgets under pure paid epsilon and delta (epsilon null: no finite one), those under zcdp rho, and delta_pool from their pool. grant_paid: false where the answer had been given before, and is shared.';

GRANT SELECT ON dp_noise.populations, dp_noise.protected_relations, dp_noise.budgets, dp_noise.ledger TO PUBLIC;
