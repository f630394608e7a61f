/*
 * script.sql
 *		The policy of a population, as the statements that declare it.
 */

CREATE FUNCTION dp_noise.members_in_order(population_id integer)
RETURNS TABLE (member_id integer, relation regclass, place bigint) LANGUAGE sql STABLE
AS $$
	-- A path leads to a member that is protected before; so does a view.
	WITH RECURSIVE present AS (
		SELECT m.member_id, m.relation, m.path_member_id, c.relkind = 'v' AS is_view
		FROM dp_noise_ledger.member AS m
		JOIN pg_class AS c ON c.oid = m.relation AND c.relname = m.relation_name
		JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = m.schema_name
		WHERE m.population_id = members_in_order.population_id
	), step (member_id, target) AS (
		SELECT p.member_id, p.path_member_id FROM present AS p WHERE p.path_member_id IS NOT NULL
		UNION
		SELECT s.member_id, m.path_member_id FROM step AS s JOIN dp_noise_ledger.member AS m ON m.member_id = s.target
		WHERE m.path_member_id IS NOT NULL
	), reading (member_id, object) AS (
		SELECT p.member_id, p.relation FROM present AS p WHERE p.is_view
		UNION
		SELECT r.member_id, d.refobjid
		FROM reading AS r
		JOIN pg_rewrite AS w ON w.ev_class = r.object AND w.ev_type = '1'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT p.member_id, p.relation::regclass,
		row_number() OVER (ORDER BY p.is_view,
			(SELECT count(*) FROM step AS s WHERE s.member_id = p.member_id),
			(SELECT count(*) FROM reading AS r WHERE r.member_id = p.member_id AND EXISTS (SELECT FROM present AS q WHERE q.relation = r.object)),
			p.relation::regclass::text COLLATE "C")
	FROM present AS p
$$;
COMMENT ON FUNCTION dp_noise.members_in_order(integer) IS
'The members of a population that exist, with the places in which they can be protected one after the other.';

CREATE FUNCTION dp_noise.do_script(population text) RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
SET timezone = 'UTC'
AS $$
DECLARE
	given record;
	one record;
BEGIN
	SELECT p.population_id AS id, p.name, p.accountant, p.on_repeat, p.share_answers, p.answers_expire, r.oid::regrole AS owner, b.epsilon, b.delta, b.delta_pool INTO STRICT given
	FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.budget AS b ON b.population_id = p.population_id AND b.role IS NULL
	LEFT JOIN pg_roles AS r ON r.oid = p.owner AND r.rolname = p.owner_name
	WHERE p.name = do_script.population AND NOT p.is_dropped;
	-- All or nothing: a population without its members would be taken for a whole one.
	RETURN NEXT 'BEGIN ISOLATION LEVEL READ COMMITTED;';
	RETURN NEXT format('SELECT dp_noise.create_population(%s);', concat_ws(', ', quote_literal(given.name), 'epsilon => ' || given.epsilon,
		'delta => ' || nullif(given.delta, 0), 'accountant => ' || quote_literal(nullif(given.accountant, 'pure')),
		'delta_pool => ' || nullif(given.delta_pool, 0), 'on_repeat => ' || quote_literal(nullif(given.on_repeat, 'replay')),
		'share_answers => ' || nullif(given.share_answers, true), 'answers_expire => ' || quote_literal(given.answers_expire)));
	IF given.owner IS NOT NULL THEN
		RETURN NEXT format('SELECT dp_noise.alter_population(%L, owner => %L);', given.name, given.owner);
	END IF;
	RETURN QUERY
	SELECT format('SELECT dp_noise.allow_members(%L, %L);', given.name, r.oid::regrole)
	FROM dp_noise_ledger.allowance AS a JOIN pg_roles AS r ON r.oid = a.role AND r.rolname = a.role_name
	WHERE a.population_id = given.id ORDER BY r.rolname;

	FOR one IN
		SELECT m.*, o.relation AS name,
			CASE WHEN m.path_member_id IS NULL THEN m.unit::text ELSE dp_noise.path_text(m.path_columns, t.relation::regclass, m.path_keys) END AS privacy_unit
		FROM dp_noise.members_in_order(given.id) AS o
		JOIN dp_noise_ledger.member AS m USING (member_id)
		LEFT JOIN dp_noise_ledger.member AS t ON t.member_id = m.path_member_id
		WHERE m.unit IS DISTINCT FROM '' -- dropped
		ORDER BY o.place
	LOOP
		RETURN NEXT format('SELECT dp_noise.protect(%s);', concat_ws(', ', quote_literal(one.name), 'privacy_unit => ' || quote_literal(one.privacy_unit),
			'neighbours => ' || quote_literal(nullif(one.neighbours, 'add_remove')), 'max_rows_per_unit => ' || one.max_rows_per_unit,
			'max_groups_per_unit => ' || nullif(one.max_groups_per_unit, 1),
			'min_people_per_group => ' || nullif(one.min_people_per_group, 1), format('population => %L', given.name)));
		RETURN QUERY
		SELECT format('SELECT dp_noise.set_bounds(%L, %L, %L, %L);', one.name, b.column_name, dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind))
		FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = one.member_id ORDER BY b.column_name;
		RETURN QUERY
		SELECT format('SELECT dp_noise.set_values(%L, %L, %L);', one.name, v.column_name, v.column_values)
		FROM dp_noise_ledger.column_values AS v WHERE v.member_id = one.member_id ORDER BY v.column_name;
		IF one.levels IS NOT NULL THEN
			RETURN NEXT format('SELECT dp_noise.set_levels(%L, %L);', one.name, one.levels);
		END IF;
	END LOOP;

	RETURN QUERY
	SELECT format('SELECT dp_noise.set_budget(%s);', concat_ws(', ', quote_literal(r.oid::regrole), quote_literal(given.name), 'epsilon => ' || b.epsilon,
		'delta => ' || nullif(b.delta, 0), 'max_epsilon_per_query => ' || b.max_epsilon_per_query, 'period => ' || quote_literal(b.period),
		'shared => ' || nullif(b.shared, false),
		CASE WHEN b.min_epsilon_per_query IS DISTINCT FROM 0.001 THEN 'min_epsilon_per_query => ' || coalesce(b.min_epsilon_per_query::text, 'NULL') END,
		'default_epsilon => ' || b.default_epsilon,
		CASE WHEN b.max_failures IS DISTINCT FROM 3 THEN 'max_failures => ' || coalesce(b.max_failures::text, 'NULL') END,
		CASE WHEN b.relations IS NOT NULL THEN format('relations => %L', ARRAY(
			SELECT o.relation::text FROM dp_noise.members_in_order(given.id) AS o WHERE o.member_id = ANY (b.relations) ORDER BY o.place)) END))
	FROM dp_noise_ledger.budget AS b JOIN pg_roles AS r ON r.oid = b.role AND r.rolname = b.role_name
	WHERE b.population_id = given.id AND b.is_active ORDER BY r.rolname;
	RETURN NEXT 'COMMIT;';
END
$$;
CALL dp_noise.add_entry('script');
COMMENT ON FUNCTION dp_noise.script(text) IS
'The statements that declare a population anew, in their order: itself and its owner, who else may have members in it, its members with their bounds, values and levels, and the roles'' budgets. They are one transaction, applied as a whole or not at all: what psql -XAt prints of them is a script for another database with the same tables and roles. Without what was spent, and without members and roles that are gone. For the population''s owner and superusers.';
