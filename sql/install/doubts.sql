/*
 * doubts.sql
 *		What protect() warns of: declarations that are allowed, and often mistakes.
 */

CREATE FUNCTION dp_noise.doubts_of(relation oid) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
SET jit = off -- would compile for longer than all it runs
AS $$
	WITH RECURSIVE me AS MATERIALIZED (
		SELECT m.member_id, m.population_id, m.unit, m.path_member_id, c.relkind, c.relowner, p.owner
		FROM dp_noise_ledger.member AS m
		JOIN pg_class AS c ON c.oid = m.relation
		JOIN dp_noise_ledger.population AS p USING (population_id)
		WHERE m.relation = doubts_of.relation
	), root AS MATERIALIZED (
		-- of others only what the relation's owner may know
		SELECT DISTINCT r.root, r.root_relation, r.unit, r.unit_number, bool_or(r.relation = doubts_of.relation) AS is_own
		FROM me CROSS JOIN LATERAL dp_noise.unit_roots(me.population_id) AS r
		JOIN pg_class AS c ON c.oid = r.root_relation
		WHERE c.relowner = me.relowner OR me.owner = me.relowner
		GROUP BY 1, 2, 3, 4
	), same (root, relation, number) AS (
		-- the columns that have the values of a unit, as foreign keys say
		SELECT r.root, r.root_relation, r.unit_number FROM root AS r WHERE r.unit IS NOT NULL
		UNION
		SELECT s.root, k.confrelid, k.confkey[1]
		FROM same AS s JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = s.relation AND k.conkey = ARRAY[s.number]
	), pair AS (
		SELECT o.unit = r.unit AS is_named_alike,
			EXISTS (SELECT FROM same AS s JOIN same AS t USING (relation, number) WHERE s.root = o.root AND t.root = r.root) AS meet,
			EXISTS (SELECT FROM same AS s WHERE s.root = o.root HAVING count(*) > 1) AS refers,
			EXISTS (SELECT FROM same AS s WHERE s.root = r.root HAVING count(*) > 1) AS other_refers
		FROM root AS o JOIN root AS r ON o.is_own AND r.root <> o.root
	), beneath AS (
		SELECT doubts_of.relation AS object
		UNION
		SELECT d.refobjid
		FROM beneath AS b
		JOIN pg_rewrite AS w ON w.ev_class = b.object AND w.rulename = '_RETURN'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT array_remove(ARRAY[
		CASE WHEN EXISTS (SELECT FROM pair WHERE refers AND other_refers) AND NOT EXISTS (SELECT FROM pair WHERE meet) THEN 'other people'
			WHEN EXISTS (SELECT FROM pair) AND NOT EXISTS (SELECT FROM pair WHERE meet OR is_named_alike) THEN 'no people' END,
		CASE WHEN EXISTS (
			SELECT FROM me
			JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = doubts_of.relation AND k.conrelid <> k.confrelid
			JOIN dp_noise_ledger.member AS m ON m.relation = k.conrelid
			JOIN pg_class AS c ON c.oid = k.conrelid AND c.relowner = me.relowner
			WHERE me.unit IS NULL AND me.path_member_id IS NULL AND me.relkind <> 'v'
				AND m.path_member_id IS DISTINCT FROM me.member_id) THEN 'rows' END,
		CASE WHEN EXISTS (SELECT FROM me JOIN beneath AS b ON me.relkind = 'v' JOIN pg_class AS c ON c.oid = b.object WHERE c.relrowsecurity)
			THEN 'row security' END
	], NULL)
$$;
COMMENT ON FUNCTION dp_noise.doubts_of(oid) IS
'What dp_noise.protect() warns of about a relation that it has protected: other people, no people (than those of the rest of its population), rows (that protected relations refer to), row security (beneath a view). Called by the library.';
