/*
 * owners.sql
 *		Functions for owners of relations: protection.
 *
 * The functions for owners are entered in C: that code refuses everybody except
 * the relation's owner and superusers (it checks the current user, whichever
 * function the call comes from), locks the relation's budgets until the end of
 * the transaction, and calls the function do_... with the same arguments,
 * which runs with the extension's rights and which nobody else may call.
 */

CREATE FUNCTION dp_noise.protected_relation_id(relation regclass)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	found_id integer := dp_noise.find_relation(relation);
BEGIN
	IF NOT EXISTS (
		SELECT FROM dp_noise_ledger.relation_entry AS r WHERE r.relation_id = found_id AND r.is_protected) THEN
		RAISE EXCEPTION 'relation % is not protected', relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Protect it first with dp_noise.protect().';
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.protected_relation_id(regclass) IS
'Number of a protected relation. Raises an error for other relations.';

CREATE FUNCTION dp_noise.renew_settings(relation_id integer)
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
	UPDATE dp_noise_ledger.relation_entry AS r SET settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE r.relation_id = renew_settings.relation_id
$$;
COMMENT ON FUNCTION dp_noise.renew_settings(integer) IS
'Gives a relation''s settings a new version: statements planned under the old one are no longer charged. Called under the lock of the relation.';

CREATE FUNCTION dp_noise.column_number(relation regclass, column_name text)
RETURNS smallint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	number smallint;
BEGIN
	SELECT a.attnum INTO number FROM pg_attribute AS a
	WHERE a.attrelid = relation AND a.attname = column_number.column_name
		AND a.attnum > 0 AND NOT a.attisdropped;
	IF number IS NULL THEN
		RAISE EXCEPTION 'column % of relation % does not exist', coalesce(quote_ident(column_name), 'null'), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'Write the name of a column of the relation.';
	END IF;
	RETURN number;
END
$$;
COMMENT ON FUNCTION dp_noise.column_number(regclass, text) IS
'Number of a column of a relation. Raises an error if there is no such column.';

CREATE FUNCTION dp_noise.has_one_row_each(relation regclass, number smallint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	-- A unique index says nothing about the rows of inheriting tables.
	SELECT EXISTS (
		SELECT FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
		WHERE c.oid = relation AND NOT (c.relkind = 'r' AND c.relhassubclass)
			AND x.indnkeyatts = 1 AND x.indkey[0] = number
			AND dp_noise.tells_rows_apart(x.indexrelid))
$$;
COMMENT ON FUNCTION dp_noise.has_one_row_each(regclass, smallint) IS
'True where a unique index prevents two rows with the same value of a column.';

CREATE FUNCTION dp_noise.has_charges(id integer)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT EXISTS (
		SELECT FROM (
			SELECT has_charges.id
			UNION ALL
			SELECT e.purse_id FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = has_charges.id
		) AS p (id)
		WHERE EXISTS (SELECT FROM dp_noise_ledger.answer_entry AS a WHERE a.relation_id = p.id)
			OR EXISTS (SELECT FROM dp_noise_ledger.budget_entry AS b
				WHERE b.relation_id = p.id AND dp_noise.is_cost(dp_noise.spent_of(b))))
$$;
COMMENT ON FUNCTION dp_noise.has_charges(integer) IS
'True if a relation, or another one of its purse, was ever asked about, or if it inherited spending: (relation_id).';

CREATE FUNCTION dp_noise.is_distributed(relation regclass)
RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_is_distributed'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.is_distributed(regclass) IS
'Whether Citus distributes a table, or has this server as a worker.';

CREATE FUNCTION dp_noise.can_be_unit(relation regclass, number smallint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	-- Follows domains over domains.
	WITH RECURSIVE type AS (
		SELECT t.oid, t.typtype, t.typbasetype
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
		WHERE a.attrelid = relation AND a.attnum = number
		UNION ALL
		SELECT t.oid, t.typtype, t.typbasetype
		FROM type JOIN pg_type AS t ON t.oid = type.typbasetype
		WHERE type.typtype = 'd'
	)
	SELECT NOT EXISTS (
		SELECT FROM type, pg_am AS m
		WHERE type.typtype = 'b' AND type.oid < 16384 AND m.amname IN ('btree', 'hash')
			AND NOT EXISTS (SELECT FROM pg_type AS t WHERE t.typarray = type.oid)
			AND NOT EXISTS (SELECT FROM pg_opclass AS o
				WHERE o.opcmethod = m.oid AND o.opcdefault AND o.oid < 16384
					AND (o.opcintype = type.oid OR EXISTS (SELECT FROM pg_cast AS c
						WHERE c.castsource = type.oid AND c.casttarget = o.opcintype AND c.castmethod = 'b' AND c.castcontext = 'i'))))
$$;
COMMENT ON FUNCTION dp_noise.can_be_unit(regclass, smallint) IS
'False for a column of a type that the server cannot both sort and hash, such as money, bit and tsvector: grouped questions need both of a privacy unit.';

CREATE FUNCTION dp_noise.do_protect(
	relation regclass,
	privacy_unit text,
	neighbours text,
	max_rows_per_unit integer,
	max_groups_per_unit integer,
	replace_unit boolean,
	budget_of regclass
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	target record;
	id integer;
	rows_per_unit integer := max_rows_per_unit;
	read_columns name[];
	read_target oid;
	read_keys name[];
	path_id integer;
	has_one_row boolean;
	is_other boolean;
BEGIN
	SELECT c.relkind, c.relpersistence, c.relname, n.nspname INTO STRICT target
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.oid = relation;
	IF target.relkind NOT IN ('r', 'p', 'f', 'v') OR target.relpersistence = 't'
		OR target.nspname IN ('pg_catalog', 'information_schema', 'dp_noise', 'dp_noise_ledger') THEN
		RAISE EXCEPTION 'relation % cannot be protected', relation
			USING ERRCODE = 'wrong_object_type',
				HINT = CASE WHEN target.relkind = 'm'
					THEN 'A materialized view keeps rows without their owners: protect a plain view, or a table with the rows.'
					ELSE 'Tables, partitioned tables, foreign tables and views can be protected, other relations, temporary ones and those of the system cannot.'
				END;
	END IF;
	IF dp_noise.is_distributed(relation) THEN
		RAISE EXCEPTION 'relation % cannot be protected, since Citus distributes it', relation
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Protect a table that is not distributed, such as a copy, on the coordinator.';
	END IF;
	IF neighbours IS NULL OR neighbours NOT IN ('add_remove', 'substitute') THEN
		RAISE EXCEPTION 'invalid neighbours: %', coalesce(quote_literal(neighbours), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''add_remove'' or ''substitute''.';
	END IF;
	IF privacy_unit LIKE '%->%' AND target.relkind = 'v' THEN
		RAISE EXCEPTION 'a view has no path to its privacy units'
			USING ERRCODE = 'feature_not_supported',
				HINT = 'They are those of the relations that it reads: name the column of the view that shows them, or none.';
	ELSIF privacy_unit LIKE '%->%' THEN
		PERFORM dp_noise.lock_path(relation, privacy_unit);
		SELECT p.columns, p.target, p.keys INTO read_columns, read_target, read_keys
		FROM dp_noise.read_path(relation, privacy_unit) AS p;
		path_id := dp_noise.find_relation(read_target::regclass);
		privacy_unit := NULL;
	END IF;
	IF privacy_unit IS NOT NULL AND NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = privacy_unit
			AND a.attnum > 0 AND NOT a.attisdropped) THEN
		RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(privacy_unit), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'The privacy unit is a column of the relation, such as a person''s number.';
	END IF;
	IF privacy_unit IS NOT NULL AND NOT dp_noise.can_be_unit(relation, dp_noise.column_number(relation, privacy_unit)) THEN
		RAISE EXCEPTION 'column % of relation % cannot be a privacy unit, since the server cannot both sort and hash its type', quote_ident(privacy_unit), relation
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Write a column of numbers, texts, dates or uuids.';
	END IF;
	has_one_row := CASE
		WHEN target.relkind = 'v'
			THEN dp_noise.check_view(relation, CASE WHEN privacy_unit IS NULL THEN 0::smallint ELSE dp_noise.column_number(relation, privacy_unit) END)
		WHEN path_id IS NOT NULL THEN false
		WHEN privacy_unit IS NULL THEN true
		ELSE dp_noise.has_one_row_each(relation, dp_noise.column_number(relation, privacy_unit))
	END;
	IF rows_per_unit IS NULL AND has_one_row THEN
		rows_per_unit := 1;
	ELSIF rows_per_unit IS NULL THEN
		RAISE EXCEPTION 'max_rows_per_unit is missing: several rows of % may have one %', relation, coalesce(quote_ident(privacy_unit), 'privacy unit')
			USING ERRCODE = 'null_value_not_allowed',
				HINT = 'Write how many rows of one unit count in an answer, such as max_rows_per_unit => 10. Noise grows with it; rows beyond it are left out. dp_noise.suggest() finds a good number privately, once the table is protected with any.';
	END IF;
	IF rows_per_unit < 1 OR coalesce(max_groups_per_unit, 0) < 1 THEN
		RAISE EXCEPTION 'caps on a privacy unit''s contribution must be at least 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write how many rows and groups of one unit may count.';
	END IF;

	id := dp_noise.find_relation(relation);
	IF id IS NULL THEN
		-- The identity is written first, so that the entry is not taken for one
		-- restored from a dump.
		id := nextval('dp_noise_ledger.relation_entry_relation_id_seq');
		INSERT INTO dp_noise_ledger.identity (class, object, id) VALUES (relations, relation, id);
		INSERT INTO dp_noise_ledger.relation_entry
			(relation_id, schema_name, relation_name, is_protected, neighbours, max_rows_per_unit, max_groups_per_unit)
		OVERRIDING SYSTEM VALUE VALUES (id, target.nspname, target.relname, false, 'add_remove', 1, 1);
		INSERT INTO dp_noise_ledger.budget_entry (relation_id, is_active, shared, delta, on_repeat)
		VALUES (id, true, true, 0, 'answer');
		INSERT INTO dp_noise_ledger.entry_dumped (class, id) VALUES (relations, id);
	END IF;
	PERFORM dp_noise.note_relation(relation, id);
	SELECT (r.privacy_unit, r.path_columns, r.path_relation_id, r.path_keys, r.neighbours)
		IS DISTINCT FROM (do_protect.privacy_unit::name, read_columns, path_id, read_keys, do_protect.neighbours) INTO is_other
	FROM dp_noise_ledger.relation_entry AS r WHERE r.relation_id = id;
	IF replace_unit IS NOT TRUE AND is_other AND dp_noise.is_relied_on(id) THEN
		RAISE EXCEPTION 'relation % has been queried with another privacy unit or other neighbours', relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'What was spent bounds what is known of the old units. Write replace_unit => true to go on with the new ones anyway.';
	END IF;
	PERFORM dp_noise.inherit_relation(id);
	UPDATE dp_noise_ledger.relation_entry AS r
	SET is_protected = true,
		privacy_unit = do_protect.privacy_unit,
		path_columns = read_columns,
		path_relation_id = path_id,
		path_keys = read_keys,
		neighbours = do_protect.neighbours,
		max_rows_per_unit = rows_per_unit,
		max_groups_per_unit = do_protect.max_groups_per_unit,
		settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE r.relation_id = id;
	PERFORM dp_noise.set_purse(relation, id, budget_of);
	IF is_other THEN
		PERFORM dp_noise.check_purses_along(relation, id, replace_unit);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_protect(regclass, text, text, integer, integer, boolean, regclass) IS
'Body of dp_noise.protect.';
CREATE FUNCTION dp_noise.protect(
	relation regclass,
	privacy_unit text DEFAULT NULL,
	neighbours text DEFAULT 'add_remove',
	max_rows_per_unit integer DEFAULT NULL,
	max_groups_per_unit integer DEFAULT 1,
	replace_unit boolean DEFAULT false,
	budget_of regclass DEFAULT NULL
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.protect(regclass, text, text, integer, integer, boolean, regclass) IS
'Protects a table or a view of protected tables, or changes the settings of a protected one. privacy_unit: a column; null for the row; or a path such as ''order_id -> orders'' to the relation whose units own the rows. For a view: the column that shows the unit of what it reads, or null for whatever the unit is. neighbours: add_remove or substitute. max_rows_per_unit: how many rows of a unit count in a group (L-infinity bound); may be omitted where a unit has one row, that is, where the unit is the row or a column with a unique index. max_groups_per_unit: in how many groups a unit counts (L0 bound). Once the table was queried, unit and neighbours change only with replace_unit. budget_of: another protected table of the same owner, about the same people, whose budgets also pay for this one (one purse): a question about several tables of a purse is charged once. It asserts that a value of the privacy unit is the same person in both tables. Their paths must end at the same column, or at columns of the same type, and their neighbours must be the same. Earlier charges count in the purse, and once anything is spent, a table stays in its purse. What was spent on a dropped table of the same name remains spent. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_unprotect(relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	PERFORM dp_noise.renew_settings(id);
	UPDATE dp_noise_ledger.relation_entry AS r SET is_protected = false WHERE r.relation_id = id;
	UPDATE dp_noise_ledger.budget_entry AS b SET is_active = false
	WHERE b.relation_id = id AND b.role_id IS NOT NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.do_unprotect(regclass) IS
'Body of dp_noise.unprotect.';
CREATE FUNCTION dp_noise.unprotect(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.unprotect(regclass) IS
'Ends the protection of a table and its budgets. What was spent remains recorded, and counts again if the table is protected again. For the table''s owner and superusers.';
