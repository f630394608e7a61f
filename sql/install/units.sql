/*
 * unit_paths.sql
 *		Privacy units along foreign keys: a row belongs to the privacy unit of
 *		the row that it refers to.
 *
 * A path is written "column, ... -> relation", or "... -> relation (key, ...)".
 * One step is stored with each relation; the relation that it leads to has a unit,
 * or a step of its own.
 */

CREATE FUNCTION dp_noise.names_of(list text)
RETURNS name[]
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT array_agg((parse_ident(btrim(part[1])))[1]::name ORDER BY number)
	FROM regexp_matches(list, '((?:"(?:[^"]|"")*"|[^",])+)', 'g') WITH ORDINALITY AS p (part, number)
$$;
COMMENT ON FUNCTION dp_noise.names_of(text) IS
'The names in a list separated by commas, in quotes where SQL requires them.';

CREATE FUNCTION dp_noise.path_target(relation regclass, target text)
RETURNS oid
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
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
			USING ERRCODE = 'undefined_table',
				HINT = 'Name the schema, too, where it is not that of the relation itself.';
	END IF;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_noise.path_target(regclass, text) IS
'The relation that a path leads to: its name has a schema, or is looked up in the schema of the relation itself.';

CREATE FUNCTION dp_noise.path_keys(relation oid, columns name[], target oid)
RETURNS name[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
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

CREATE FUNCTION dp_noise.tells_rows_apart(index oid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_tells_rows_apart'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.tells_rows_apart(oid) IS
'True for an index, by its oid, that lets no two rows be equal in all of its columns, nulls aside: one that is unique, valid and not deferrable, over all rows and by columns alone, and that compares them by the default equality of their types, under collations that take for equal what those of the columns do. False for what is no index. Everybody may ask, as about pg_index.';

CREATE FUNCTION dp_noise.is_unique_key(relation oid, keys name[])
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
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

CREATE FUNCTION dp_noise.check_path_columns(relation oid, columns name[])
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	one name;
BEGIN
	FOREACH one IN ARRAY columns LOOP
		IF dp_noise.is_missing(relation, one) THEN
			RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(one), relation::regclass
				USING ERRCODE = 'undefined_column',
					HINT = 'A path to the privacy unit is written "column -> relation", or "column -> relation (key)".';
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.check_path_columns(oid, name[]) IS
'Refuses columns that do not exist.';

CREATE FUNCTION dp_noise.path_type(relation oid, column_name name)
RETURNS oid
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
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
COMMENT ON FUNCTION dp_noise.path_type(oid, name) IS
'The type of a column, the same for all types that share an equality operator.';

CREATE FUNCTION dp_noise.path_parts(privacy_unit text)
RETURNS text[]
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT regexp_match(privacy_unit,
		'^((?:"(?:[^"]|"")*"|[^"])*?)->\s*((?:"(?:[^"]|"")*"|[^"()])*?)\s*(?:\(((?:"(?:[^"]|"")*"|[^"()])*)\))?\s*$')
$$;
COMMENT ON FUNCTION dp_noise.path_parts(text) IS
'Of a privacy unit with an arrow: the columns, the relation that they refer to, and its key or null. Null for what is none.';

-- The keys and columns of a path are read after the locks are taken, and stay the
-- same until the end of the transaction: whoever renames or drops a key finds the
-- path that leads to it. All relations further along are locked, so that two paths
-- cannot form a circle together. Relations of other owners are not locked.
CREATE FUNCTION dp_noise.lock_path(relation regclass, privacy_unit text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	parts CONSTANT text[] := dp_noise.path_parts(privacy_unit);
	owner CONSTANT oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation);
	target oid;
	step oid;
	locked oid[];
BEGIN
	-- Repeated until the name is that of the locked relation.
	WHILE parts IS NOT NULL AND target IS DISTINCT FROM dp_noise.path_target(relation, parts[2]) LOOP
		target := dp_noise.path_target(relation, parts[2]);
		step := target;
		locked := ARRAY[relation::oid];
		WHILE step IS NOT NULL AND step <> ALL (locked)
			AND owner = (SELECT c.relowner FROM pg_class AS c WHERE c.oid = step) LOOP
			PERFORM dp_noise.lock_columns(step);
			locked := locked || step;
			step := (
				SELECT p.object
				FROM dp_noise_ledger.current_identity AS i
				JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id
				JOIN dp_noise_ledger.current_identity AS p ON p.class = i.class AND p.id = r.path_relation_id
				WHERE i.class = 'pg_catalog.pg_class'::regclass::oid AND i.object = step AND r.is_protected);
		END LOOP;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_path(regclass, text) IS
'Locks the relations along a path, as far as they belong to the owner of the relation from which it leads.';

-- privacy_unit: a path, written with an arrow.
CREATE FUNCTION dp_noise.read_path(
	relation regclass,
	privacy_unit text,
	OUT columns name[],
	OUT target oid,
	OUT keys name[]
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	parts CONSTANT text[] := dp_noise.path_parts(privacy_unit);
	next_target oid;
BEGIN
	columns := dp_noise.names_of(parts[1]);
	IF columns IS NULL THEN
		RAISE EXCEPTION 'invalid path to a privacy unit: %', quote_literal(privacy_unit)
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write "column -> relation", or "column -> relation (key)".';
	END IF;
	PERFORM dp_noise.check_path_columns(relation, columns);
	target := dp_noise.path_target(relation, parts[2]);
	keys := CASE WHEN parts[3] IS NULL THEN dp_noise.path_keys(relation, columns, target) ELSE dp_noise.names_of(parts[3]) END;
	IF keys IS NULL OR cardinality(keys) <> cardinality(columns) THEN
		RAISE EXCEPTION 'relation % has no key that % of % refers to', target::regclass, array_to_string(columns, ', '), relation
			USING ERRCODE = 'undefined_object',
				HINT = 'Add a foreign key, or name the key: "column -> relation (key)".';
	END IF;
	PERFORM dp_noise.check_path_columns(target, keys);
	IF NOT dp_noise.is_unique_key(target, keys) THEN
		RAISE EXCEPTION '(%) is not a unique key of %', array_to_string(keys, ', '), target::regclass
			USING ERRCODE = 'invalid_foreign_key',
				HINT = 'A row must refer to a single row, so that it has one owner: add a primary key or unique constraint.';
	END IF;
	IF EXISTS (
		SELECT FROM unnest(columns, keys) AS s (own, other)
		WHERE dp_noise.path_type(relation, s.own) IS DISTINCT FROM dp_noise.path_type(target, s.other)) THEN
		RAISE EXCEPTION 'columns of % and % along the path are of different types', relation, target::regclass
			USING ERRCODE = 'datatype_mismatch',
				HINT = 'Give them one type.';
	END IF;
	IF (SELECT c.relowner FROM pg_class AS c WHERE c.oid = target) <> (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation) THEN
		RAISE EXCEPTION 'relation % belongs to another role', target::regclass
			USING ERRCODE = 'insufficient_privilege',
				HINT = 'A path to a privacy unit stays within the tables of one owner.';
	END IF;
	-- a circular path leads to no unit
	next_target := target;
	WHILE next_target IS NOT NULL LOOP
		IF next_target = relation THEN
			RAISE EXCEPTION 'the path from % leads back to it', relation
				USING ERRCODE = 'invalid_foreign_key',
					HINT = 'Protect one of the relations by a column that is the privacy unit.';
		END IF;
		SELECT p.object INTO next_target
		FROM dp_noise_ledger.current_identity AS i
		JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id
		JOIN dp_noise_ledger.current_identity AS p ON p.class = i.class AND p.id = r.path_relation_id
		WHERE i.class = 'pg_catalog.pg_class'::regclass::oid AND i.object = next_target AND r.is_protected;
	END LOOP;
	IF NOT EXISTS (
		SELECT FROM dp_noise_ledger.current_identity AS i
		JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id
		WHERE i.class = 'pg_catalog.pg_class'::regclass::oid AND i.object = target AND r.is_protected) THEN
		RAISE EXCEPTION 'relation % is not protected', target::regclass
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Protect it first: its privacy units own the rows that refer to it.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.read_path(regclass, text) IS
'Reads and checks a path to a privacy unit: columns, the relation that they refer to, its key. Under the locks of dp_noise.lock_path.';

CREATE FUNCTION dp_noise.path_text(columns name[], target regclass, keys name[])
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT format('%s -> %s (%s)',
		(SELECT string_agg(quote_ident(c), ', ' ORDER BY number) FROM unnest(columns) WITH ORDINALITY AS u (c, number)),
		target,
		(SELECT string_agg(quote_ident(k), ', ' ORDER BY number) FROM unnest(keys) WITH ORDINALITY AS u (k, number)))
$$;
COMMENT ON FUNCTION dp_noise.path_text(name[], regclass, name[]) IS
'The text of a path.';

CREATE FUNCTION dp_noise.is_relied_on(id integer)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	WITH RECURSIVE relying AS (
		SELECT is_relied_on.id
		UNION
		SELECT r.relation_id FROM dp_noise_ledger.relation_entry AS r
		JOIN relying AS b ON r.path_relation_id = b.id
		WHERE r.is_protected
	)
	SELECT coalesce(bool_or(dp_noise.has_charges(b.id)), false) FROM relying AS b
$$;
COMMENT ON FUNCTION dp_noise.is_relied_on(integer) IS
'True if a relation was asked about, or one whose path leads to it.';

REVOKE ALL ON FUNCTION dp_noise.is_relied_on(integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.names_of(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.path_target(regclass, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.path_keys(oid, name[], oid) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.is_unique_key(oid, name[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.check_path_columns(oid, name[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.path_type(oid, name) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.path_parts(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.lock_path(regclass, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.read_path(regclass, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_noise.path_text(name[], regclass, name[]) FROM PUBLIC;
