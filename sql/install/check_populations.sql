/*
 * check_populations.sql
 *		What dp_noise.check() finds in the declarations of populations.
 */

CREATE FUNCTION dp_noise.do_read_population_findings(reader oid)
RETURNS TABLE (severity text, object text, finding text, remedy text) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET jit = off -- would compile for longer than all it runs
AS $$
BEGIN
	RETURN QUERY
	WITH RECURSIVE own AS MATERIALIZED (
		SELECT p.population_id, p.name FROM dp_noise_ledger.population AS p
		WHERE NOT p.is_dropped AND pg_has_role(reader, p.owner, 'USAGE')
	), budget AS (
		SELECT o.name, b.*, g.epsilon AS all_epsilon, g.delta AS all_delta, r.rolname AS present_name
		FROM own AS o
		JOIN dp_noise_ledger.budget AS b USING (population_id)
		JOIN dp_noise_ledger.budget AS g ON g.population_id = b.population_id AND g.role IS NULL
		LEFT JOIN pg_roles AS r ON r.oid = b.role
		WHERE b.is_active AND b.role IS NOT NULL
	), member AS MATERIALIZED (
		SELECT p.name, p.owner, m.population_id, m.relation, m.unit, c.relowner
		FROM dp_noise_ledger.member AS m
		JOIN dp_noise_ledger.population AS p USING (population_id)
		JOIN pg_class AS c ON c.oid = m.relation
		WHERE pg_has_role(reader, p.owner, 'USAGE') OR pg_has_role(reader, c.relowner, 'USAGE')
	), root AS MATERIALIZED (
		SELECT o.name, o.population_id, u.* FROM own AS o CROSS JOIN LATERAL dp_noise.unit_roots(o.population_id) AS u
		WHERE u.relation = u.root_relation
	), key AS MATERIALIZED (
		SELECT k.conrelid, k.conkey, k.confrelid, k.confkey, (
			SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.number) FROM unnest(k.conkey) WITH ORDINALITY AS u (own, number)
			JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.own) AS columns
		FROM pg_constraint AS k WHERE k.contype = 'f' AND k.conparentid = 0
	), same (root, relation, number) AS (
		-- the columns that have the values of a unit, as foreign keys say
		SELECT r.root, r.root_relation, a.attnum FROM root AS r JOIN pg_attribute AS a ON a.attrelid = r.root_relation AND a.attname = r.unit
		UNION
		SELECT s.root, k.confrelid, k.confkey[1] FROM same AS s JOIN key AS k ON k.conrelid = s.relation AND k.conkey = ARRAY[s.number]
	), about AS (
		SELECT m.name, m.population_id, k.conrelid AS relation, k.columns, k.confrelid AS target, true AS is_first
		FROM member AS m JOIN key AS k ON k.confrelid = m.relation
		UNION
		SELECT m.name, m.population_id, k.conrelid, k.columns, k.confrelid, true
		FROM member AS m
		JOIN pg_attribute AS a ON a.attrelid = m.relation AND a.attname = m.unit
		JOIN key AS u ON u.conrelid = m.relation AND u.conkey = ARRAY[a.attnum]
		JOIN key AS k ON k.confrelid = u.confrelid AND k.confkey = u.confkey
		UNION
		-- and what refers to one that was forgotten
		SELECT a.name, a.population_id, k.conrelid, k.columns, k.confrelid, false
		FROM about AS a JOIN key AS k ON k.confrelid = a.relation AND k.conrelid <> a.relation
		WHERE NOT EXISTS (SELECT FROM dp_noise_ledger.member AS m WHERE m.relation = a.relation)
	), payer AS MATERIALIZED (
		-- whoever may ask, with an own budget or a group's
		SELECT b.population_id, r.oid FROM budget AS b JOIN pg_roles AS r ON r.oid = b.role AND b.present_name = b.role_name
		UNION
		SELECT b.population_id, r.oid FROM budget AS b JOIN pg_roles AS r ON b.shared AND b.present_name = b.role_name AND pg_has_role(r.oid, b.role, 'MEMBER')
	)
	SELECT 'high', 'role ' || quote_ident(b.role_name),
		format('has a budget of epsilon %s and delta %s in population %L, more than the grant of everybody together: epsilon %s and delta %s', b.epsilon, b.delta, b.name, b.all_epsilon, b.all_delta),
		'Grant it less with dp_noise.set_budget().'
	FROM budget AS b WHERE b.present_name = b.role_name AND (b.epsilon > b.all_epsilon OR b.delta > b.all_delta)
	UNION ALL
	SELECT 'medium', 'role ' || quote_ident(b.role_name),
		format('its budget in population %L is nobody''s: the role was %s', b.name,
			CASE WHEN b.role = 0 THEN 'not restored' WHEN b.present_name IS NULL THEN 'dropped' ELSE 'renamed to ' || quote_ident(b.present_name) END),
		CASE WHEN b.present_name IS NULL THEN '' ELSE format('Grant it anew with dp_noise.set_budget(%L, ...), or ', quote_ident(b.present_name)) END
			|| format('SELECT dp_noise.drop_budget(%L, %L)', b.role, b.name)
	FROM budget AS b WHERE b.present_name IS DISTINCT FROM b.role_name
	UNION ALL
	SELECT 'medium', m.relation::regclass::text,
		format('is in population %L, and its owner, role %s, may not have relations there: questions about it are refused', m.name, m.relowner::regrole),
		format('SELECT dp_noise.allow_members(%L, %L)', m.name, m.relowner::regrole)
	FROM member AS m WHERE NOT dp_noise.may_be_member(m.relation, m.population_id)
	UNION ALL
	-- for its owner, who may have meant another population of that name
	SELECT 'medium', m.relation::regclass::text,
		format('is in population %L of role %s, who grants the budgets to ask about it, and asks without one', m.name, m.owner::regrole),
		format('If that is not meant: SELECT dp_noise.unprotect(%L)', m.relation::regclass)
	FROM member AS m
	WHERE m.owner <> m.relowner AND NOT pg_has_role(reader, m.owner, 'USAGE') AND dp_noise.may_be_member(m.relation, m.population_id)
	UNION ALL
	SELECT 'high', m.relation::text,
		format('is in population %L, and its privacy units are %s: what is spent bounds nothing', m.name, m.differ),
		'Protect relations about other people in another population.'
	FROM (
		SELECT DISTINCT ON (r.relation) r.name, r.relation, CASE
			WHEN r.unit IS NULL OR q.unit IS NULL THEN format('not those of %s, one of them being a row', q.relation)
			WHEN r.unit_collation IS DISTINCT FROM q.unit_collation
				OR (r.unit_type <> q.unit_type AND dp_noise.path_type(r.root_relation, r.unit) <> dp_noise.path_type(q.root_relation, q.unit))
				THEN format('of another type or collation than those of %s', q.relation)
			WHEN NOT EXISTS (SELECT FROM same AS s JOIN same AS t USING (relation, number) WHERE s.root = r.root AND t.root = q.root)
				AND EXISTS (SELECT FROM same AS s WHERE s.root = r.root HAVING count(*) > 1)
				AND EXISTS (SELECT FROM same AS s WHERE s.root = q.root HAVING count(*) > 1) THEN format('others than those of %s, as foreign keys say', q.relation)
			END AS differ
		FROM root AS r
		-- with the first ones, so that the work grows as the members do
		JOIN (SELECT f.*, row_number() OVER (PARTITION BY f.population_id ORDER BY f.root) AS place FROM root AS f) AS q
			ON q.population_id = r.population_id AND q.root < r.root AND q.place <= 20
		ORDER BY r.relation, differ NULLS LAST
	) AS m WHERE m.differ IS NOT NULL
	UNION ALL
	SELECT CASE WHEN p.readers IS NULL AND a.is_own THEN 'medium' ELSE 'high' END, a.relation::regclass::text,
		format('is not protected, and its foreign key (%s) refers to %s, %s: its rows are about the same people%s', a.columns, a.target::regclass,
			CASE WHEN a.is_first THEN format('as relations of population %L do', a.name) ELSE format('which is about people of population %L, and not protected either', a.name) END,
			'; with a budget, and able to read it: ' || p.readers),
		format('SELECT dp_noise.protect(%L, population => %L, ...)', a.relation::regclass, a.name)
	FROM (
		SELECT DISTINCT ON (t.population_id, t.relation, t.columns, t.target) t.*, EXISTS (SELECT FROM own AS o WHERE o.population_id = t.population_id) AS is_own
		FROM about AS t ORDER BY t.population_id, t.relation, t.columns, t.target, t.is_first DESC
	) AS a
	JOIN pg_class AS c ON c.oid = a.relation
	CROSS JOIN LATERAL (
		SELECT string_agg(DISTINCT u.oid::regrole::text, ', ') FROM payer AS u JOIN pg_roles AS r USING (oid)
		WHERE u.population_id = a.population_id AND NOT r.rolsuper AND u.oid <> c.relowner
			AND has_any_column_privilege(u.oid, a.relation, 'SELECT') AND has_schema_privilege(u.oid, c.relnamespace, 'USAGE')
	) AS p (readers)
	-- what inherits from a protected table is read along with it
	WHERE NOT EXISTS (
		SELECT FROM dp_noise_ledger.member AS m LEFT JOIN pg_inherits AS i ON i.inhparent = m.relation
		WHERE a.relation IN (m.relation, i.inhrelid));
END
$$;
CALL dp_noise.add_entry('read_population_findings');
COMMENT ON FUNCTION dp_noise.read_population_findings() IS
'Part of dp_noise.check: budgets above the grant, budgets whose role is gone, members that may not be there, or are in another owner''s population, that have other units than the rest, and unprotected relations that refer to the same people, with those who have a budget and may read them. About the reader''s populations and relations.';
