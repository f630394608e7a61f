/*
 * disclosure.sql
 *		What a population's owner can publish about what was promised and spent.
 *
 * The fields below "deployment" have the names that the schema of OpenDP's
 * registry of deployments gives them. It allows no others: the rest is below
 * "dp_noise". What only people can tell, such as the intended use, is left out.
 * Names of roles are, too, and questions.
 */

CREATE FUNCTION dp_noise.do_disclosure(population text) RETURNS json LANGUAGE plpgsql STABLE SECURITY DEFINER
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
SET timezone = 'UTC'
AS $$
DECLARE
	given record;
	spent record;
	roles record;
	used text[];
	first_charge timestamptz;
	is_zcdp boolean;
	is_pure boolean;
BEGIN
	SELECT p.population_id AS id, p.name, p.accountant, p.on_repeat, p.share_answers, p.answers_expire, b.epsilon, b.delta, b.rho, b.delta_pool, b.budget_id INTO STRICT given
	FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.budget AS b ON b.population_id = p.population_id AND b.role IS NULL
	WHERE p.name = do_disclosure.population AND NOT p.is_dropped;
	is_zcdp := given.accountant = 'zcdp' AND given.delta_pool = 0;
	is_pure := given.accountant = 'pure' AND given.delta = 0;
	SELECT s.epsilon, s.delta, s.rho, s.delta_pool, s.unbounded INTO spent
	FROM (VALUES (given.budget_id)) AS g (budget_id) LEFT JOIN dp_noise_ledger.spending AS s USING (budget_id);
	SELECT count(*) FILTER (WHERE b.is_active) AS active, count(*) FILTER (WHERE b.is_active AND b.shared) AS shared, max(b.epsilon) FILTER (WHERE b.is_active) AS epsilon INTO roles
	FROM dp_noise_ledger.budget AS b WHERE b.population_id = given.id AND b.role IS NOT NULL;
	SELECT array_agg(DISTINCT c.mechanism ORDER BY c.mechanism), min(c.at) INTO used, first_charge
	FROM dp_noise_ledger.every_charge AS c WHERE c.population_id = given.id;

	RETURN json_strip_nulls(json_build_object(
		'deployment', json_build_object(
			'basic', json_build_object(
				'name', given.name,
				'data_product_type', 'SQL queries',
				'publication_date', to_char(first_charge AT TIME ZONE 'UTC', 'YYYY-MM-DD')),
			'dp_variant', json_build_object(
				'variant_name', CASE WHEN is_zcdp THEN 'Zero-concentrated DP' WHEN is_pure THEN 'Pure DP' ELSE 'Approximate DP' END,
				'unprotected_quantities', 'How long queries run and what can be inferred from waiting; that somebody writes to the database; names and types of relations, columns and constraints; what was declared of them (bounds, values, caps, levels); what was asked, when, and for which price; that a question failed for want of resources, which is counted.'),
			'privacy_loss', json_build_object(
				'privacy_unit', CASE WHEN EXISTS (SELECT FROM dp_noise.unit_roots(given.id) AS u WHERE u.unit IS NULL) THEN 'Row-level' ELSE 'User-level' END,
				'privacy_unit_details', 'Neighbours are two histories of the relations of which one lacks, or has other, rows of one privacy unit in all of them together; the unit and the kind of neighbours of each relation are listed in dp_noise.relations.',
				'privacy_parameters', json_build_object('epsilon', CASE WHEN NOT is_zcdp THEN given.epsilon END,
					'delta', CASE WHEN NOT is_zcdp AND NOT is_pure THEN given.delta END, 'rho', CASE WHEN is_zcdp THEN given.rho END),
				'privacy_parameters_details', 'What all answers to all roles may cost together, without refills; dp_noise.spent is what they have cost so far.'),
			'deployment_model', json_build_object(
				'model_name', 'Central',
				'release_type', 'Many releases',
				'release_type_details', 'Each answer is charged to one grant, which does not refill; once it is spent, no new question is answered.',
				'access_type', 'Interactive',
				'access_type_details', format('%s roles or groups have a budget (%s of them shared by the members of a group), the largest of epsilon %s. No analyst is trusted not to collude: the grant bounds what all of them learn together.%s',
					roles.active, roles.shared, coalesce(roles.epsilon, 0), CASE WHEN given.share_answers THEN ' Equal questions get one answer.' ELSE '' END)),
			'accounting', json_build_object(
				'composition', CASE given.accountant WHEN 'zcdp' THEN 'Sequential and adaptive: rho adds up, deltas come from a pool.' ELSE 'Sequential and adaptive: epsilons and deltas add up.' END),
			'implementation', json_build_object(
				'mechanisms', format('%s. Noise is drawn with integer arithmetic from a cryptographic generator; nothing rests on floating-point numbers. Analysts have no privilege on the relations. Timing is not hidden. dp_noise %s in PostgreSQL %s.',
					coalesce(array_to_string(used, ', '), 'None yet'), (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'dp_noise'), current_setting('server_version')))),
		'dp_noise', json_build_object(
			'disclosed_at', now(),
			'accountant', given.accountant,
			'grant', json_build_object('epsilon', given.epsilon, 'delta', given.delta, 'rho', given.rho, 'delta_pool', nullif(given.delta_pool, 0)),
			'spent', CASE WHEN given.accountant = 'zcdp' THEN json_build_object('rho', coalesce(spent.rho, 0), 'delta_pool', coalesce(spent.delta_pool, 0))
				ELSE json_build_object('epsilon', coalesce(spent.epsilon, 0), 'delta', coalesce(spent.delta, 0), 'charges_without_epsilon', nullif(spent.unbounded, 0)) END,
			'on_repeat', given.on_repeat,
			'share_answers', given.share_answers,
			'answers_expire', given.answers_expire,
			'mechanisms', coalesce(used, '{}'),
			'relations', (
				SELECT coalesce(json_agg(json_build_object(
					'relation', o.relation,
					'privacy_unit', CASE WHEN m.path_member_id IS NULL THEN m.unit::text ELSE dp_noise.path_text(m.path_columns, t.relation::regclass, m.path_keys) END,
					'neighbours', m.neighbours,
					'max_rows_per_unit', m.max_rows_per_unit,
					'max_groups_per_unit', m.max_groups_per_unit,
					'min_people_per_group', m.min_people_per_group,
					'levels', m.levels,
					'bounds', (SELECT json_object_agg(b.column_name, json_build_array(dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind)) ORDER BY b.column_name)
						FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = m.member_id),
					'values', (SELECT json_object_agg(v.column_name, v.column_values ORDER BY v.column_name)
						FROM dp_noise_ledger.column_values AS v WHERE v.member_id = m.member_id)) ORDER BY o.place), '[]')
				FROM dp_noise.members_in_order(given.id) AS o
				JOIN dp_noise_ledger.member AS m USING (member_id)
				LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id),
			'versions', json_build_object('dp_noise', (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'dp_noise'), 'postgresql', current_setting('server_version')))));
END
$$;
CALL dp_noise.add_entry('disclosure');
COMMENT ON FUNCTION dp_noise.disclosure(text) IS
'What can be published about a population: below deployment, the fields that OpenDP''s registry of deployments has and that can be known here; below dp_noise, the grant, what was spent, the rule for repeated questions, the mechanisms used, the members with units, neighbours, caps, bounds and values, and versions. A privacy_unit that is missing is the row. No names of roles and no questions are in it. For the population''s owner and superusers.';
