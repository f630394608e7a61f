/*
 * protect_schema.sql
 *		Protects the tables of a schema whose rows belong to the people of one
 *		of them.
 *
 * It runs with its caller's rights, and protects by dp_noise.protect. To say
 * what it would do, it does it and takes it back.
 */

CREATE FUNCTION dp_noise.paths_to(root regclass, schema regnamespace)
RETURNS TABLE (relation regclass, depth integer, target oid, columns text, path text, key name, others text, missing text) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE present (relation) AS (
		SELECT root::oid
		UNION
		SELECT c.oid FROM pg_class AS c
		WHERE c.relnamespace = schema AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
	), link AS (
		SELECT k.conrelid AS relation, k.confrelid AS target, bool_or(k.convalidated) AS is_valid, k.conkey, k.confkey
		FROM pg_constraint AS k
		JOIN present AS p ON p.relation = k.conrelid
		JOIN present AS q ON q.relation = k.confrelid
		WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid NOT IN (k.confrelid, root)
		GROUP BY k.conrelid, k.confrelid, k.conkey, k.confkey
	), reach (avoided, relation) AS (
		-- what leads to the root without the table in question
		SELECT DISTINCT l.relation, root::oid FROM link AS l
		UNION
		SELECT r.avoided, l.relation FROM reach AS r JOIN link AS l ON l.target = r.relation WHERE l.relation <> r.avoided
	), path AS MATERIALIZED (
		SELECT l.relation, l.target, l.is_valid, n.columns, format('%s -> %s (%s)', n.columns, l.target::regclass, n.keys) AS path,
			CASE WHEN cardinality(l.conkey) = 1 AND n.is_one_type THEN n.key END AS key,
			l.target = root AND n.columns = n.keys AS is_own
		FROM link AS l
		JOIN reach AS r ON r.avoided = l.relation AND r.relation = l.target
		CROSS JOIN LATERAL (
			SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.number), string_agg(quote_ident(b.attname), ', ' ORDER BY u.number),
				min(b.attname::text)::name, bool_and((a.atttypid, a.attcollation) = (b.atttypid, b.attcollation))
			FROM unnest(l.conkey, l.confkey) WITH ORDINALITY AS u (own, other, number)
			JOIN pg_attribute AS a ON a.attrelid = l.relation AND a.attnum = u.own
			JOIN pg_attribute AS b ON b.attrelid = l.target AND b.attnum = u.other
		) AS n (columns, keys, key, is_one_type)
	), told AS (
		-- person_id -> person (person_id) says whose a row is, whatever else it refers to
		SELECT p.relation, min(p.target) AS target, min(p.columns) AS columns, min(p.key::text) AS key, count(*) AS number,
			bool_and(p.is_valid) AS is_valid, string_agg(p.path, '; ' ORDER BY p.path) AS path,
			(SELECT string_agg(o.path, '; ' ORDER BY o.path) FROM path AS o WHERE o.relation = p.relation AND bool_or(p.is_own) AND NOT o.is_own) AS others
		FROM path AS p
		WHERE p.is_own OR NOT EXISTS (SELECT FROM path AS o WHERE o.relation = p.relation AND o.is_own)
		GROUP BY p.relation
	), tree (relation, depth) AS (
		SELECT root::oid, 0
		UNION ALL
		SELECT t.relation, r.depth + 1 FROM tree AS r JOIN told AS t ON t.target = r.relation WHERE t.number = 1 AND t.is_valid
	)
	SELECT p.relation, r.depth, t.target, t.columns, t.path, t.key, t.others,
		CASE WHEN r.depth IS NOT NULL THEN NULL
			WHEN t.path IS NULL THEN format('no foreign key leads to %s', root)
			WHEN t.number > 1 THEN 'several paths: ' || t.path
			WHEN NOT t.is_valid THEN 'its foreign key is not validated: ' || t.path
			ELSE 'its path goes on from a table that is left out: ' || t.path END
	FROM present AS p LEFT JOIN told AS t USING (relation) LEFT JOIN tree AS r USING (relation)
$$;
COMMENT ON FUNCTION dp_noise.paths_to(regclass, regnamespace) IS
'The tables of a schema with the foreign keys by which their rows lead to a root. Depth: the number of steps; null, with missing, where there is no single path. A key of the root''s own name that leads to the root, as person_id to person (person_id), is the path of its table whatever others there are. Key: what a step refers to, where that is one column of the same type.';

CREATE FUNCTION dp_noise.protect_schema(
	schema regnamespace, root regclass, population text DEFAULT NULL, dry_run boolean DEFAULT false, root_unit text DEFAULT NULL,
	max_rows integer DEFAULT NULL, neighbours text DEFAULT 'add_remove'
)
RETURNS TABLE (relation regclass, privacy_unit text, max_rows_per_unit integer, done text, statement text) LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
	one record;
	present record;
	cap integer;
BEGIN
	FOR one IN SELECT * FROM dp_noise.paths_to(root, schema) AS p ORDER BY p.depth, p.relation::text COLLATE "C" LOOP
		relation := one.relation;
		privacy_unit := NULL;
		cap := NULL;
		done := 'left out: ' || one.missing;
		SELECT p.population, p.privacy_unit INTO present FROM dp_noise.protected_relations AS p WHERE p.relation = one.relation;
		IF present.population IS NOT NULL THEN
			IF one.depth = 0 AND population <> present.population THEN
				RAISE EXCEPTION 'relation % is in population "%"', root, present.population
					USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Its people are those of all tables that lead to it: leave out the population.';
			END IF;
			done := 'is protected already, in population ' || quote_literal(present.population);
			privacy_unit := present.privacy_unit;
		ELSIF one.depth = 0 THEN
			privacy_unit := coalesce(root_unit, (
				SELECT min(a.attname::text) FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
				WHERE k.contype = 'p' AND k.conrelid = root HAVING count(*) = 1));
		ELSIF one.missing IS NULL THEN
			-- what refers to the unit itself has it
			privacy_unit := CASE WHEN one.key = (SELECT p.privacy_unit FROM dp_noise.protected_relations AS p WHERE p.relation = one.target)
				THEN (parse_ident(one.columns))[1] ELSE one.path END;
		END IF;
		WHILE done IS NULL LOOP
			BEGIN
				PERFORM dp_noise.protect(one.relation, privacy_unit, neighbours, cap, population => population);
				done := concat(CASE WHEN dry_run THEN 'would be protected' ELSE 'protected' END, ', though there is also ' || one.others);
			EXCEPTION WHEN OTHERS THEN
				IF SQLSTATE = '22004' AND cap IS NULL AND max_rows IS NOT NULL THEN
					cap := max_rows; -- tables with one row a unit need none
				ELSIF one.depth = 0 THEN
					RAISE;
				ELSE
					done := CASE SQLSTATE WHEN '22004' THEN 'left out: needs max_rows_per_unit' ELSE 'left out: ' || SQLERRM END;
				END IF;
			END;
		END LOOP;
		statement := CASE WHEN present.population IS NULL AND one.missing IS NULL THEN format('SELECT dp_noise.protect(%s);', concat_ws(', ',
			quote_literal(one.relation), 'privacy_unit => ' || quote_literal(privacy_unit), 'neighbours => ' || quote_literal(nullif(neighbours, 'add_remove')),
			'max_rows_per_unit => ' || cap, 'population => ' || quote_literal(population))) END;
		SELECT p.population, p.max_rows_per_unit INTO present FROM dp_noise.protected_relations AS p WHERE p.relation = one.relation;
		max_rows_per_unit := present.max_rows_per_unit;
		population := coalesce(population, present.population);
		RETURN NEXT;
	END LOOP;
	IF dry_run THEN
		RAISE savepoint_exception;
	END IF;
EXCEPTION WHEN savepoint_exception THEN
	IF dry_run IS NOT TRUE THEN
		RAISE;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.protect_schema(regnamespace, regclass, text, boolean, text, integer, text) IS
'Protects all tables of a schema whose rows lead to a root by foreign keys, and the root: along validated keys, where there is a single path, or one key to the root under the name that it has there, such as person_id to person (person_id). Returns one row for each table of the schema: what was done, and the statement that did it. What is left out and why: several paths, or none; another owner; a key that is not unique; a table that needs max_rows_per_unit, since a unit may have several rows there: max_rows is for all of those. Tables that are protected already stay as they are. root_unit: the column of the root that is the privacy unit; null: its primary key, or else the row. dry_run: takes all of it back. For owners of the tables and superusers, as dp_noise.protect.';
