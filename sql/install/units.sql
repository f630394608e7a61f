/*
 * units.sql
 *		Privacy units: a column that tells people apart, or a path along foreign
 *		keys to the relation that has one; and whether they are the same people in
 *		all relations of a population.
 *
 * A path is written "column, ... -> relation", or "... -> relation (key, ...)".
 * One step is stored with each member; the member that it leads to has a unit, or
 * a step of its own.
 */

CREATE FUNCTION dp_noise.is_missing(relation oid, column_name name) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = is_missing.column_name AND a.attnum > 0 AND NOT a.attisdropped)
$$;
COMMENT ON FUNCTION dp_noise.is_missing(oid, name) IS 'True where a relation has no column of that name.';

CREATE FUNCTION dp_noise.names_of(list text) RETURNS name[] LANGUAGE sql IMMUTABLE
AS $$
	SELECT array_agg((parse_ident(btrim(part[1])))[1]::name ORDER BY number)
	FROM regexp_matches(list, '((?:"(?:[^"]|"")*"|[^",])+)', 'g') WITH ORDINALITY AS p (part, number)
$$;
COMMENT ON FUNCTION dp_noise.names_of(text) IS 'The names in a list separated by commas, in quotes where SQL requires them.';

CREATE FUNCTION dp_noise.path_target(relation regclass, target text) RETURNS oid LANGUAGE plpgsql STABLE
AS $$
DECLARE
	names text[] := parse_ident(target);
	found oid;
BEGIN
	IF cardinality(names) = 2 THEN
		SELECT c.oid INTO found FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = names[1] AND c.relname = names[2];
	ELSE
		SELECT c.oid INTO found FROM pg_class AS c
		JOIN pg_class AS own ON own.relnamespace = c.relnamespace AND own.oid = path_target.relation
		WHERE c.relname = names[1] AND cardinality(names) = 1;
	END IF;
	IF found IS NULL THEN
		RAISE EXCEPTION 'relation % does not exist', target
			USING ERRCODE = 'undefined_table', HINT = 'Name the schema, too, where it is not that of the relation itself.';
	END IF;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_noise.path_target(regclass, text) IS
'The relation that a path leads to: its name has a schema, or is looked up in the schema of the relation itself.';

CREATE FUNCTION dp_noise.path_keys(relation oid, columns name[], target oid) RETURNS name[] LANGUAGE sql STABLE
AS $$
	SELECT coalesce((
		SELECT array_agg(k.attname ORDER BY array_position(columns, a.attname))
		FROM pg_constraint AS f
		CROSS JOIN LATERAL unnest(f.conkey, f.confkey) AS s (own, other)
		JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = s.own
		JOIN pg_attribute AS k ON k.attrelid = f.confrelid AND k.attnum = s.other
		WHERE f.contype = 'f' AND f.conrelid = path_keys.relation AND f.confrelid = target
		GROUP BY f.oid
		HAVING array_agg(a.attname ORDER BY a.attname) = (SELECT array_agg(c ORDER BY c) FROM unnest(columns) AS c)
		ORDER BY f.oid LIMIT 1
	), (
		SELECT array_agg(k.attname ORDER BY s.number)
		FROM pg_constraint AS p
		CROSS JOIN LATERAL unnest(p.conkey) WITH ORDINALITY AS s (own, number)
		JOIN pg_attribute AS k ON k.attrelid = p.conrelid AND k.attnum = s.own
		WHERE p.contype = 'p' AND p.conrelid = target
		HAVING count(*) = cardinality(columns)
	))
$$;
COMMENT ON FUNCTION dp_noise.path_keys(oid, name[], oid) IS
'The columns that some columns refer to: those of a foreign key, or else a primary key of as many columns; null without either.';

CREATE FUNCTION dp_noise.tells_rows_apart(index oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_tells_rows_apart' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.tells_rows_apart(oid) IS
'True for an index, by its oid, that lets no two rows be equal in all of its columns, nulls aside: one that is unique, valid and not deferrable, over all rows and by columns alone, and that compares them by the default equality of their types, under collations that take for equal what those of the columns do. False for what is no index. Everybody may ask, as about pg_index.';

CREATE FUNCTION dp_noise.is_unique_key(relation oid, keys name[]) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (
		SELECT FROM pg_index AS i
		WHERE i.indrelid = relation AND dp_noise.tells_rows_apart(i.indexrelid)
			AND (SELECT array_agg(a.attname ORDER BY a.attname)
				FROM pg_attribute AS a
				WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
				= (SELECT array_agg(k ORDER BY k) FROM unnest(keys) AS k))
		AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind = 'r' AND c.relhassubclass)
$$;
COMMENT ON FUNCTION dp_noise.is_unique_key(oid, name[]) IS
'True where a unique index, for all rows, has exactly these columns: those of inheriting tables are not in it.';

CREATE FUNCTION dp_noise.check_path_columns(relation oid, columns name[]) RETURNS void LANGUAGE plpgsql STABLE
AS $$
DECLARE
	one name;
BEGIN
	FOREACH one IN ARRAY columns LOOP
		IF dp_noise.is_missing(relation, one) THEN
			RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(one), relation::regclass
				USING ERRCODE = 'undefined_column', HINT = 'A path to the privacy unit is written "column -> relation", or "column -> relation (key)".';
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.check_path_columns(oid, name[]) IS 'Refuses columns that do not exist.';

CREATE FUNCTION dp_noise.path_type(relation oid, column_name name) RETURNS oid LANGUAGE sql STABLE
AS $$
	SELECT CASE
		WHEN t.oid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN 'int8'::regtype::oid
		WHEN t.oid IN ('text'::regtype, 'varchar'::regtype) THEN 'text'::regtype::oid
		ELSE t.oid
	END
	FROM pg_attribute AS a
	JOIN pg_type AS own ON own.oid = a.atttypid
	JOIN pg_type AS t ON t.oid = coalesce(nullif(own.typbasetype, 0), own.oid)
	WHERE a.attrelid = relation AND a.attname = path_type.column_name AND a.attnum > 0 AND NOT a.attisdropped
$$;
COMMENT ON FUNCTION dp_noise.path_type(oid, name) IS 'The type of a column, the same for all types that share an equality operator.';

CREATE FUNCTION dp_noise.path_parts(privacy_unit text) RETURNS text[] LANGUAGE sql IMMUTABLE
AS $$
	SELECT regexp_match(privacy_unit,
		'^((?:"(?:[^"]|"")*"|[^"])*?)->\s*((?:"(?:[^"]|"")*"|[^"()])*?)\s*(?:\(((?:"(?:[^"]|"")*"|[^"()])*)\))?\s*$')
$$;
COMMENT ON FUNCTION dp_noise.path_parts(text) IS
'Of a privacy unit with an arrow: the columns, the relation that they refer to, and its key or null. Null for what is none.';

CREATE FUNCTION dp_noise.lock_columns(relation oid) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_columns' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_columns(oid) IS
'Locks a relation (ACCESS SHARE), so that its columns stay as they are until the end of the transaction. For its owner.';

CREATE FUNCTION dp_noise.lock_target(relation regclass, privacy_unit text) RETURNS oid LANGUAGE plpgsql
AS $$
DECLARE
	target_name CONSTANT text := (dp_noise.path_parts(privacy_unit))[2];
	target oid;
BEGIN
	-- Repeated until the name is that of the locked relation. Those of other
	-- owners are not locked.
	WHILE target_name IS NOT NULL AND target IS DISTINCT FROM dp_noise.path_target(relation, target_name) LOOP
		target := dp_noise.path_target(relation, target_name);
		IF dp_noise.have_one_owner(relation, target) THEN
			PERFORM dp_noise.lock_columns(target);
		END IF;
	END LOOP;
	RETURN target;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_target(regclass, text) IS
'Locks the columns of the relation to which a path leads, and returns it: (relation, privacy_unit with an arrow). Null for what is no path.';

CREATE FUNCTION dp_noise.have_one_owner(one oid, other oid) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT count(DISTINCT c.relowner) = 1 FROM pg_class AS c WHERE c.oid IN (one, other)
$$;
COMMENT ON FUNCTION dp_noise.have_one_owner(oid, oid) IS 'True where two relations belong to one role.';

-- privacy_unit: a path, written with an arrow.
CREATE FUNCTION dp_noise.read_path(
	relation regclass, privacy_unit text, OUT columns name[], OUT target oid, OUT path_id integer, OUT keys name[]
) LANGUAGE plpgsql STABLE
AS $$
DECLARE
	parts CONSTANT text[] := dp_noise.path_parts(privacy_unit);
BEGIN
	columns := dp_noise.names_of(parts[1]);
	IF columns IS NULL THEN
		RAISE EXCEPTION 'invalid path to a privacy unit: %', quote_literal(privacy_unit)
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write "column -> relation", or "column -> relation (key)".';
	END IF;
	PERFORM dp_noise.check_path_columns(relation, columns);
	target := dp_noise.path_target(relation, parts[2]);
	keys := CASE WHEN parts[3] IS NULL THEN dp_noise.path_keys(relation, columns, target) ELSE dp_noise.names_of(parts[3]) END;
	IF keys IS NULL OR cardinality(keys) <> cardinality(columns) THEN
		RAISE EXCEPTION 'relation % has no key that % of % refers to', target::regclass, array_to_string(columns, ', '), relation
			USING ERRCODE = 'undefined_object', HINT = 'Add a foreign key, or name the key: "column -> relation (key)".';
	END IF;
	PERFORM dp_noise.check_path_columns(target, keys);
	IF NOT dp_noise.is_unique_key(target, keys) THEN
		RAISE EXCEPTION '(%) is not a unique key of %', array_to_string(keys, ', '), target::regclass
			USING ERRCODE = 'invalid_foreign_key', HINT = 'A row must refer to a single row, so that it has one owner: add a primary key or unique constraint.';
	END IF;
	IF EXISTS (
		SELECT FROM unnest(columns, keys) AS s (own, other)
		WHERE dp_noise.path_type(relation, s.own) IS DISTINCT FROM dp_noise.path_type(target, s.other)) THEN
		RAISE EXCEPTION 'columns of % and % along the path are of different types', relation, target::regclass
			USING ERRCODE = 'datatype_mismatch', HINT = 'Give them one type.';
	END IF;
	IF NOT dp_noise.have_one_owner(relation, target) THEN
		RAISE EXCEPTION 'relation % belongs to another role', target::regclass
			USING ERRCODE = 'insufficient_privilege', HINT = 'A path to a privacy unit stays within the tables of one owner.';
	END IF;
	path_id := (SELECT m.member_id FROM dp_noise_ledger.member AS m WHERE m.relation = target);
	IF path_id IS NULL THEN
		RAISE EXCEPTION 'relation % is not protected', target::regclass
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Protect it first: its privacy units own the rows that refer to it.';
	END IF;
	-- a circular path leads to no unit
	IF EXISTS (
		WITH RECURSIVE step (member_id) AS (
			SELECT path_id
			UNION
			SELECT m.path_member_id FROM dp_noise_ledger.member AS m JOIN step USING (member_id)
		)
		SELECT FROM step JOIN dp_noise_ledger.member AS m USING (member_id) WHERE m.relation = read_path.relation) THEN
		RAISE EXCEPTION 'the path from % leads back to it', relation
			USING ERRCODE = 'invalid_foreign_key', HINT = 'Protect one of the relations by a column that is the privacy unit.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.read_path(regclass, text) IS
'Reads and checks a path to a privacy unit: columns, the relation that they refer to, its number as a member, and its key. Under the locks of the population and of the columns of both.';

CREATE FUNCTION dp_noise.path_text(columns name[], target regclass, keys name[]) RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT format('%s -> %s (%s)',
		(SELECT string_agg(quote_ident(c), ', ' ORDER BY number) FROM unnest(columns) WITH ORDINALITY AS u (c, number)),
		target,
		(SELECT string_agg(quote_ident(k), ', ' ORDER BY number) FROM unnest(keys) WITH ORDINALITY AS u (k, number)))
$$;
COMMENT ON FUNCTION dp_noise.path_text(name[], regclass, name[]) IS 'The text of a path.';

-- The members whose units are broken (a column was dropped, a path leads nowhere)
-- are left out: nothing is answered about them. Views are, too: their units are
-- those of what they read, which the gate checks.

CREATE FUNCTION dp_noise.unit_roots(population_id integer)
RETURNS TABLE (relation regclass, root integer, root_relation oid, unit name, unit_number smallint, unit_type oid, unit_collation oid) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE step AS (
		SELECT m.relation, m.member_id AS root, 0 AS steps
		FROM dp_noise_ledger.member AS m JOIN pg_class AS c ON c.oid = m.relation AND c.relkind <> 'v'
		WHERE m.population_id = unit_roots.population_id
		UNION ALL
		SELECT s.relation, m.path_member_id, s.steps + 1
		FROM step AS s JOIN dp_noise_ledger.member AS m ON m.member_id = s.root
		WHERE m.path_member_id IS NOT NULL AND m.unit IS NULL AND s.steps < 100
	)
	SELECT s.relation::regclass, s.root, m.relation, m.unit, a.attnum, a.atttypid, k.oid
	FROM step AS s
	JOIN dp_noise_ledger.member AS m ON m.member_id = s.root
	LEFT JOIN pg_attribute AS a ON a.attrelid = m.relation AND a.attname = m.unit AND a.attnum > 0
	LEFT JOIN pg_collation AS k ON k.oid = a.attcollation AND NOT k.collisdeterministic -- all others compare the same
	WHERE m.path_member_id IS NULL AND m.unit IS DISTINCT FROM ''
$$;
COMMENT ON FUNCTION dp_noise.unit_roots(integer) IS
'Where the path of each relation in a population ends: the member that has the units, their column (null: its rows), the column''s number, type, and collation where that is not deterministic.';

CREATE FUNCTION dp_noise.check_same_people(population_id integer, relation regclass) RETURNS void LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
	pair record;
BEGIN
	SELECT m.neighbours, m.relation::regclass AS relation INTO pair
	FROM dp_noise_ledger.member AS own JOIN dp_noise_ledger.member AS m USING (population_id)
	WHERE own.relation = relation AND m.relation <> 0 AND m.neighbours <> own.neighbours
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'the neighbours of % are not those of %', relation, pair.relation
			USING ERRCODE = 'invalid_parameter_value', HINT = format('Charges add up only under the same neighbours: write neighbours => %L.', pair.neighbours);
	END IF;
	-- What was written, or has its units now, and all others.
	SELECT o.relation AS one, p.relation AS other, u.*
	INTO pair
	FROM dp_noise.unit_roots(population_id) AS o
	JOIN dp_noise.unit_roots(population_id) AS p ON p.root <> o.root
	CROSS JOIN LATERAL (
		SELECT o.unit IS NULL OR p.unit IS NULL AS is_row,
			o.unit_type <> p.unit_type AND dp_noise.path_type(o.root_relation, o.unit) <> dp_noise.path_type(p.root_relation, p.unit) AS is_other_type,
			o.unit_collation IS DISTINCT FROM p.unit_collation AS is_other_collation
	) AS u
	WHERE (o.relation = relation OR o.root_relation = relation) AND (u.is_row OR u.is_other_type OR u.is_other_collation)
	ORDER BY o.relation <> relation, p.relation::oid
	LIMIT 1;
	IF NOT FOUND THEN
		NULL;
	ELSIF pair.is_row THEN
		RAISE EXCEPTION 'the privacy units of % are not those of %', pair.one, pair.other
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Where units are rows, they exist in one relation only. Write a path that ends there, protect both by a column that identifies the same people, or write another population.';
	ELSIF pair.is_other_type THEN
		RAISE EXCEPTION 'the privacy units of % and % are of different types', pair.one, pair.other
			USING ERRCODE = 'datatype_mismatch', HINT = 'In a population, a value is the same person in all relations: give their columns one type.';
	ELSE
		RAISE EXCEPTION 'the privacy units of % and % are of collations that compare differently', pair.one, pair.other
			USING ERRCODE = 'collation_mismatch', HINT = 'In a population, a value is the same person in all relations: give their columns one collation.';
	END IF;
	-- A key of something else that a person has, such as a visit, is no person.
	SELECT r.unit AS key, k.confrelid::regclass AS target INTO pair
	FROM dp_noise.unit_roots(population_id) AS r
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = r.root_relation AND k.conkey = ARRAY[r.unit_number]
	JOIN pg_attribute AS key ON key.attrelid = k.confrelid AND key.attnum = k.confkey[1]
	JOIN dp_noise_ledger.member AS m ON m.relation = k.confrelid AND m.population_id = check_same_people.population_id
	WHERE m.unit IS DISTINCT FROM key.attname AND m.unit IS DISTINCT FROM '' AND m.relation <> r.root_relation
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'column % refers to %, whose privacy unit is another', pair.key, pair.target
			USING ERRCODE = 'invalid_parameter_value', HINT = format('Write the path: privacy_unit => %L.', format('%I -> %s', pair.key, pair.target));
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_same_people(integer, regclass) IS
'Refuses a member that was just written where its privacy units cannot be the people of the population: (population_id, the member). If paths end at different columns, the owner asserts that these identify the same people.';

REVOKE ALL ON FUNCTION
	dp_noise.is_missing(oid, name), dp_noise.names_of(text), dp_noise.path_target(regclass, text), dp_noise.path_keys(oid, name[], oid),
	dp_noise.is_unique_key(oid, name[]), dp_noise.check_path_columns(oid, name[]), dp_noise.path_type(oid, name), dp_noise.path_parts(text),
	dp_noise.lock_columns(oid), dp_noise.lock_target(regclass, text), dp_noise.have_one_owner(oid, oid), dp_noise.read_path(regclass, text),
	dp_noise.path_text(name[], regclass, name[]), dp_noise.unit_roots(integer), dp_noise.check_same_people(integer, regclass)
FROM PUBLIC;
