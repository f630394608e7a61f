/*
 * owners.sql
 *		What owners of relations call, and what follows the DROP and RENAME of
 *		what they protected.
 */

------------------------------------------------------------------------------
-- The ledger: for owners

--
-- What owners call is in C: it refuses all but the relation's owner and
-- superusers, whoever the definer of a calling function is, locks the relation's
-- budgets until the end of the transaction, and calls the function do_... of the same
-- arguments, which runs with the extension's rights and which nobody else may
-- call.

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
'Number of a protected relation; an error for others.';

CREATE FUNCTION dp_noise.renew_settings(relation_id integer)
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
	UPDATE dp_noise_ledger.relation_entry AS r SET settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE r.relation_id = renew_settings.relation_id
$$;
COMMENT ON FUNCTION dp_noise.renew_settings(integer) IS
'Gives a relation''s settings a new version: statements planned under the old one are not charged any more. Under the lock of the relation.';

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
'Number of a column of a relation; an error if there is none.';

CREATE FUNCTION dp_noise.has_one_row_each(relation regclass, number smallint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	-- A unique index says nothing of the rows of inheriting tables.
	SELECT EXISTS (
		SELECT FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
		WHERE c.oid = relation AND NOT (c.relkind = 'r' AND c.relhassubclass)
			AND x.indisunique AND x.indimmediate AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL
			AND x.indnkeyatts = 1 AND x.indkey[0] = number)
$$;
COMMENT ON FUNCTION dp_noise.has_one_row_each(regclass, smallint) IS
'True where a unique index lets no two rows have the same value of a column.';

CREATE FUNCTION dp_noise.has_charges(id integer)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT EXISTS (SELECT FROM dp_noise_ledger.answer_entry AS a WHERE a.relation_id = id)
		OR EXISTS (SELECT FROM dp_noise_ledger.budget_entry AS b
			WHERE b.relation_id = id AND (b.epsilon_spent > 0 OR b.delta_spent > 0))
$$;
COMMENT ON FUNCTION dp_noise.has_charges(integer) IS
'True for a relation that was ever asked about, or inherited what was spent: (relation_id).';

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
	-- Through all domains over domains.
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
'False for a column of a type of the server''s that it cannot both sort and hash, such as money, bit and tsvector: questions that are grouped need both of a privacy unit.';

CREATE FUNCTION dp_noise.do_protect(
	relation regclass,
	privacy_unit text,
	neighbours text,
	max_rows_per_unit integer,
	max_groups_per_unit integer,
	replace_unit boolean
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
BEGIN
	SELECT c.relkind, c.relpersistence, c.relname, n.nspname INTO STRICT target
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.oid = relation;
	IF target.relkind NOT IN ('r', 'p', 'f') OR target.relpersistence = 't'
		OR target.nspname IN ('pg_catalog', 'information_schema', 'dp_noise', 'dp_noise_ledger') THEN
		RAISE EXCEPTION 'relation % cannot be protected', relation
			USING ERRCODE = 'wrong_object_type',
				HINT = 'Tables, partitioned tables and foreign tables can be protected, other relations, temporary tables and system tables cannot.';
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
	IF privacy_unit LIKE '%->%' THEN
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
	IF rows_per_unit IS NULL AND path_id IS NULL
		AND (privacy_unit IS NULL OR dp_noise.has_one_row_each(relation, dp_noise.column_number(relation, privacy_unit))) THEN
		rows_per_unit := 1;
	ELSIF rows_per_unit IS NULL THEN
		RAISE EXCEPTION 'max_rows_per_unit is missing: several rows of % may have one %', relation, coalesce(quote_ident(privacy_unit), 'privacy unit')
			USING ERRCODE = 'null_value_not_allowed',
				HINT = 'Write how many rows of one unit count in an answer, such as max_rows_per_unit => 10. Noise grows with it; rows beyond it are left out.';
	END IF;
	IF rows_per_unit < 1 OR coalesce(max_groups_per_unit, 0) < 1 THEN
		RAISE EXCEPTION 'caps on a privacy unit''s contribution must be at least 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write how many rows and groups of one unit may count.';
	END IF;

	id := dp_noise.find_relation(relation);
	IF id IS NULL THEN
		-- The identity first, so that the entry is not taken for one that a dump restores.
		id := nextval('dp_noise_ledger.relation_entry_relation_id_seq');
		INSERT INTO dp_noise_ledger.identity (class, object, id) VALUES (relations, relation, id);
		INSERT INTO dp_noise_ledger.relation_entry
			(relation_id, schema_name, relation_name, is_protected, neighbours, max_rows_per_unit, max_groups_per_unit)
		OVERRIDING SYSTEM VALUE VALUES (id, target.nspname, target.relname, false, 'add_remove', 1, 1);
		INSERT INTO dp_noise_ledger.budget_entry (relation_id, is_active, shared, delta, on_repeat)
		VALUES (id, true, true, 0, 'answer');
		INSERT INTO dp_noise_ledger.entry_dumped (class, id) VALUES (relations, id);
	END IF;
	PERFORM dp_noise.note_name(relations, id, target.nspname, target.relname);
	UPDATE dp_noise_ledger.relation_entry AS r
	SET schema_name = target.nspname, relation_name = target.relname, owner_id = dp_noise.number_owner(relation)
	WHERE r.relation_id = id;
	IF replace_unit IS NOT TRUE AND dp_noise.is_relied_on(id) AND EXISTS (
		SELECT FROM dp_noise_ledger.relation_entry AS r
		WHERE r.relation_id = id
			AND (r.privacy_unit, r.path_columns, r.path_relation_id, r.path_keys, r.neighbours)
				IS DISTINCT FROM (do_protect.privacy_unit::name, read_columns, path_id, read_keys, do_protect.neighbours)) THEN
		RAISE EXCEPTION 'relation % was asked about with another privacy unit or other neighbours', relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'What was spent bounds what is known of the old units. Write replace_unit => true to go on with the new ones all the same.';
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
END
$$;
COMMENT ON FUNCTION dp_noise.do_protect(regclass, text, text, integer, integer, boolean) IS
'Body of dp_noise.protect.';
CREATE FUNCTION dp_noise.protect(
	relation regclass,
	privacy_unit text DEFAULT NULL,
	neighbours text DEFAULT 'add_remove',
	max_rows_per_unit integer DEFAULT NULL,
	max_groups_per_unit integer DEFAULT 1,
	replace_unit boolean DEFAULT false
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.protect(regclass, text, text, integer, integer, boolean) IS
'Protects a table: (relation, privacy_unit: a column, null for the row, or a path such as ''order_id -> orders'' to the relation whose units own its rows, neighbours add_remove or substitute, caps on a unit''s rows and groups). max_rows_per_unit may be left out where a unit has one row: the row itself, or a column with a unique index. For its owner and superusers. Again for a protected table: changes the settings; of one that was asked about, unit and neighbours only with replace_unit. What was spent on a dropped table of the same name stays spent.';

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
'Ends the protection of a table, and its budgets; what was spent stays recorded, and counts again if the table is protected again. For its owner and superusers.';

CREATE FUNCTION dp_noise.check_bounded(relation regclass, number smallint)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	bounded CONSTANT oid[] := '{int2,int4,int8,float4,float8,numeric}'::regtype[];
	found record;
	base oid;
BEGIN
	SELECT a.attname, a.atttypid INTO STRICT found FROM pg_attribute AS a
	WHERE a.attrelid = relation AND a.attnum = number;
	base := found.atttypid;
	WHILE EXISTS (SELECT FROM pg_type AS t WHERE t.oid = base AND t.typtype = 'd') LOOP
		base := (SELECT t.typbasetype FROM pg_type AS t WHERE t.oid = base);
	END LOOP;
	IF NOT base = ANY (bounded) THEN
		RAISE EXCEPTION 'column % of relation %, of type %, cannot have bounds', quote_ident(found.attname), relation, format_type(base, NULL)
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Bounds are for numbers: smallint, integer, bigint, real, double precision and numeric. dp_noise.set_values() declares the values of other columns.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_bounded(regclass, smallint) IS
'An error for a column, by its number, whose type can have no bounds.';

CREATE FUNCTION dp_noise.do_set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	PERFORM dp_noise.renew_settings(id);
	IF lower IS NULL AND upper IS NULL THEN
		DELETE FROM dp_noise_ledger.column_bounds AS b
		WHERE b.relation_id = id AND b.column_name = column_name::name;
		RETURN;
	END IF;
	PERFORM dp_noise.check_bounded(relation, dp_noise.column_number(relation, column_name));
	IF lower IS NULL OR upper IS NULL OR lower > upper OR lower IN ('NaN', '-Infinity', 'Infinity')
		OR upper IN ('NaN', '-Infinity', 'Infinity') THEN
		RAISE EXCEPTION 'bounds must be finite, the lower not above the upper'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write the least and the greatest value that a row can sensibly have; two nulls remove the bounds.';
	END IF;
	DELETE FROM dp_noise_ledger.column_bounds AS b
	WHERE b.relation_id = id AND b.column_name = do_set_bounds.column_name::name;
	INSERT INTO dp_noise_ledger.column_bounds VALUES (id, column_name, lower, upper);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_bounds(regclass, text, numeric, numeric) IS
'Body of dp_noise.set_bounds.';
CREATE FUNCTION dp_noise.set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_bounds(regclass, text, numeric, numeric) IS
'Declares public bounds of a column, in its unit, which aggregates then need not repeat; two nulls remove them. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.plain_values(relation oid, number smallint, column_values text[])
RETURNS text[]
AS 'MODULE_PATHNAME', 'dp_plain_values'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.plain_values(oid, smallint, text[]) IS
'Values of the type of a column, by its number, as that type writes them; by functions of the server alone. Errors: invalid_text_representation and the like, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_values(relation regclass, column_name text, column_values text[])
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
SET "DateStyle" = 'ISO, YMD'
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	number smallint;
BEGIN
	PERFORM dp_noise.renew_settings(id);
	DELETE FROM dp_noise_ledger.column_values AS v
	WHERE v.relation_id = id AND v.column_name = do_set_values.column_name::name;
	IF column_values IS NULL THEN
		RETURN;
	END IF;
	number := dp_noise.column_number(relation, column_name);
	INSERT INTO dp_noise_ledger.column_values VALUES (id, column_name, dp_noise.plain_values(relation, number, column_values));
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_values(regclass, text, text[]) IS
'Body of dp_noise.set_values.';
CREATE FUNCTION dp_noise.set_values(relation regclass, column_name text, column_values text[])
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_values(regclass, text, text[]) IS
'Declares the values of a column as public: GROUP BY the column releases a row for each of them, in this order, needs no dp_noise.delta, and rows with another value are in no group. Null: removes them. For the relation''s owner and superusers. Errors: undefined_column, invalid_text_representation, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_levels(relation regclass, levels numeric[])
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	sorted numeric[] := ARRAY(SELECT DISTINCT l FROM unnest(levels) AS l ORDER BY l DESC);
BEGIN
	PERFORM dp_noise.renew_settings(id);
	DELETE FROM dp_noise_ledger.relation_levels AS r WHERE r.relation_id = id;
	IF levels IS NULL THEN
		RETURN;
	END IF;
	IF array_ndims(levels) IS DISTINCT FROM 1 OR array_position(levels, NULL) IS NOT NULL
		OR cardinality(levels) > 16 OR cardinality(sorted) < cardinality(levels)
		OR EXISTS (SELECT FROM unnest(levels) AS l WHERE l = 'NaN' OR l < 0.000001 OR l > 1000000 OR scale(trim_scale(l)) > 15) THEN
		RAISE EXCEPTION 'invalid privacy levels: %', levels
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write 1 to 16 different epsilons from 0.000001 to 1000000, such as ''{0.1,0.5,1}''; null removes the levels.';
	END IF;
	INSERT INTO dp_noise_ledger.relation_levels VALUES (id, sorted);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_levels(regclass, numeric[]) IS
'Body of dp_noise.set_levels.';
CREATE FUNCTION dp_noise.set_levels(relation regclass, levels numeric[])
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_levels(regclass, numeric[]) IS
'Declares privacy levels of a relation: epsilons at which dp_count, and dp_sum of integers and numerics, are answered, and no others. A question is drawn once, at all levels, as a chain, for all roles; each role pays for its level and reads it, the total pays for the highest, once (in its period). Whatever roles learn together, it is no more than the highest level tells. Null removes them. For the relation''s owner and superusers. Error: invalid_parameter_value (none, more than 16, repeated, null, out of 0.000001 to 1000000). Sources: Chen, Pal, Golubchik, 5.3; Gupte and Sundararajan 2010.';

CREATE FUNCTION dp_noise.keep_parts(relation_id integer, role_id integer, period interval)
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
	UPDATE dp_noise_ledger.spending_part AS p SET at = clock_timestamp()
	FROM dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = keep_parts.relation_id AND b.role_id IS NOT DISTINCT FROM keep_parts.role_id
		AND b.period IS DISTINCT FROM keep_parts.period
		AND p.budget_id = b.budget_id AND p.at >= b.period_start
$$;
COMMENT ON FUNCTION dp_noise.keep_parts(integer, integer, interval) IS
'Takes the parts of a budget over into a new period, which begins without a refill: (relation_id, role_id or null, the new period).';

CREATE FUNCTION dp_noise.check_accountant(relation_id integer, role_id integer, accountant text, epsilon numeric, period interval)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	budget dp_noise_ledger.budget_entry;
	spent dp_noise_ledger.cost;
BEGIN
	IF accountant <> 'pure' OR epsilon IS NULL THEN
		RETURN;
	END IF;
	SELECT * INTO budget FROM dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = relation_id AND b.role_id IS NOT DISTINCT FROM role_id;
	-- Another period begins without a refill.
	spent := CASE WHEN budget.period IS NOT DISTINCT FROM period THEN (dp_noise.budget_now(budget)).spent
		ELSE dp_noise.spent_of(budget) END;
	IF spent.unbounded > 0 THEN
		RAISE EXCEPTION 'what was spent of the budget has no finite epsilon'
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Answers were given that only the accountant zcdp can count.',
				HINT = 'Write accountant => ''zcdp''.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_accountant(integer, integer, text, numeric, interval) IS
'Refuses a limit under pure where what is spent has no finite epsilon: (relation_id, role_id or null, accountant, epsilon, period).';

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text,
	shared boolean,
	min_epsilon_per_query numeric,
	accountant text,
	delta_pool numeric
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	payer integer;
	rho_granted numeric;
BEGIN
	IF (epsilon IS NULL AND role IS NOT NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN'
		OR max_epsilon_per_query < 0 OR max_epsilon_per_query > 1e13 OR max_epsilon_per_query = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 5; null, for no limit, is only for a relation''s total (role null).';
	END IF;
	IF min_epsilon_per_query < 0 OR min_epsilon_per_query > 1e6 OR min_epsilon_per_query = 'NaN'
		OR min_epsilon_per_query > max_epsilon_per_query THEN
		RAISE EXCEPTION 'min_epsilon_per_query must be between 0 and max_epsilon_per_query'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 0.01, at most 10^6, which every aggregate then asks for at least, or null.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write 0, or a number well below 1 / (number of people), such as 1e-6.';
	END IF;
	-- No part may be negative: '1 month -29 days' is shorter than nothing in February.
	IF EXTRACT(epoch FROM period) < 1 OR EXTRACT(epoch FROM period) > 31557600000
		OR EXTRACT(year FROM period) < 0 OR EXTRACT(month FROM period) < 0 OR EXTRACT(day FROM period) < 0
		OR EXTRACT(hour FROM period) < 0 OR EXTRACT(minute FROM period) < 0 OR EXTRACT(second FROM period) < 0 THEN
		RAISE EXCEPTION 'period must be between a second and about a thousand years'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write an interval such as ''30 days'', no part of it negative. A refill is sound only for new data.';
	END IF;
	IF on_repeat IS NULL OR on_repeat NOT IN ('refuse', 'replay', 'answer') THEN
		RAISE EXCEPTION 'invalid on_repeat: %', coalesce(quote_literal(on_repeat), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''refuse'', ''replay'' or ''answer''.';
	END IF;
	IF shared IS NULL THEN
		RAISE EXCEPTION 'shared must not be null'
			USING ERRCODE = 'null_value_not_allowed',
				HINT = 'Write true for one purse of all members of the role, false for the role alone.';
	END IF;
	IF accountant IS NULL OR accountant NOT IN ('pure', 'zcdp') THEN
		RAISE EXCEPTION 'invalid accountant: %', coalesce(quote_literal(accountant), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''pure'' or ''zcdp''.';
	END IF;
	IF accountant = 'pure' AND delta_pool IS DISTINCT FROM 0 THEN
		RAISE EXCEPTION 'delta_pool is for the accountant zcdp'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave it out: under pure, all of delta is for whatever needs one.';
	END IF;
	IF accountant = 'zcdp' THEN
		IF epsilon IS NULL THEN
			RAISE EXCEPTION 'the accountant zcdp needs an epsilon'
				USING ERRCODE = 'invalid_parameter_value',
					HINT = 'Write a number such as 1, and a delta such as 1e-6. A total without a limit needs no accountant.';
		END IF;
		IF epsilon < 0.000001 OR epsilon > 1e6 OR delta <= 0 OR delta >= 1
			OR delta_pool IS NULL OR delta_pool < 0 OR delta_pool = 'NaN' OR delta_pool >= delta THEN
			RAISE EXCEPTION 'the accountant zcdp needs epsilon between 0.000001 and 1000000, delta above 0 and below 1, and delta_pool below delta'
				USING ERRCODE = 'invalid_parameter_value',
					HINT = 'Write, for example, epsilon 1 and delta 1e-6; delta_pool, half of delta for example, where groups by private keys are asked for.';
		END IF;
		rho_granted := dp_noise.rho_of_grant(epsilon, delta, delta_pool);
	END IF;
	IF role IS NULL THEN
		PERFORM dp_noise.check_accountant(id, NULL, accountant, epsilon, period);
		PERFORM dp_noise.keep_parts(id, NULL, period);
		UPDATE dp_noise_ledger.budget_entry AS b
		SET epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
			max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
			min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
			period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
				THEN b.period_start ELSE now() END,
			period = do_set_budget.period,
			accountant = do_set_budget.accountant, rho = rho_granted, delta_pool = do_set_budget.delta_pool
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', role::oid
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_spending(id, '{}');
	PERFORM dp_noise.inherit_role(id, payer);
	PERFORM dp_noise.check_accountant(id, payer, accountant, epsilon, period);
	PERFORM dp_noise.keep_parts(id, payer, period);
	UPDATE dp_noise_ledger.budget_entry AS b
	SET is_active = true, shared = do_set_budget.shared,
		epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
		min_epsilon_per_query = do_set_budget.min_epsilon_per_query,
		on_repeat = do_set_budget.on_repeat,
		period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
			THEN b.period_start ELSE now() END,
		period = do_set_budget.period,
		accountant = do_set_budget.accountant, rho = rho_granted, delta_pool = do_set_budget.delta_pool
	WHERE b.relation_id = id AND b.role_id = payer;
	IF NOT FOUND THEN
		INSERT INTO dp_noise_ledger.budget_entry
			(relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat,
				min_epsilon_per_query, accountant, rho, delta_pool)
		VALUES (id, payer, true, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat,
			min_epsilon_per_query, accountant, rho_granted, delta_pool);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric, text, numeric) IS
'Body of dp_noise.set_budget.';
CREATE FUNCTION dp_noise.set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric DEFAULT 0,
	max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL,
	on_repeat text DEFAULT 'refuse',
	shared boolean DEFAULT false,
	min_epsilon_per_query numeric DEFAULT NULL,
	accountant text DEFAULT 'pure',
	delta_pool numeric DEFAULT 0
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric, text, numeric) IS
'Grants a role epsilon and delta on a protected relation: (role, relation, epsilon, delta, max_epsilon_per_query, period after which it refills, on_repeat refuse, replay or answer, shared by all members of the role, min_epsilon_per_query: the least epsilon that an aggregate may ask for, so that probing has a price; accountant pure or zcdp, delta_pool). Role null: a limit on the total of everyone. What is spent stays spent. Accountant pure: epsilons and deltas add up. zcdp: the grant becomes an amount of rho, once, rounded down, and rho adds up, so that many answers cost less (Bun, Steinke 2016; Canonne, Kamath, Steinke 2020; Feldman, Zrnic 2021; Whitehouse et al. 2023); delta_pool, below delta, is set aside for deltas that rho does not cover, of groups by private keys and smooth_laplace. All together are (epsilon, delta)-DP under either. max_epsilon_per_query and min_epsilon_per_query compare what is asked for, in epsilon, under either. With another accountant what was spent counts in its currency; error: object_not_in_prerequisite_state, to pure where some of it has no finite epsilon. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF role IS NULL THEN
		UPDATE dp_noise_ledger.budget_entry AS b
		SET epsilon = NULL, delta = 0, max_epsilon_per_query = NULL, min_epsilon_per_query = NULL, period = NULL,
			accountant = 'pure', rho = NULL, delta_pool = 0
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	UPDATE dp_noise_ledger.budget_entry AS b SET is_active = false
	WHERE b.relation_id = id AND b.role_id = dp_noise.find_role(role) AND b.is_active;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'role % has no budget on relation %', role, relation
			USING ERRCODE = 'undefined_object',
				HINT = 'dp_noise.budgets lists the budgets there are.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.do_drop_budget(regrole, regclass) IS
'Body of dp_noise.drop_budget.';
CREATE FUNCTION dp_noise.drop_budget(role regrole, relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.drop_budget(regrole, regclass) IS
'Ends a role''s budget on a protected relation; what was spent stays recorded, and counts if it gets a budget again. Role null: the limit on the total. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_forfeit(relation regclass, role regrole, epsilon numeric, delta numeric, rho numeric)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	payer integer;
	lost dp_noise_ledger.cost;
BEGIN
	IF (epsilon IS NULL AND rho IS NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most.';
	END IF;
	IF rho < 0 OR rho > 1e13 OR rho = 'NaN' THEN
		RAISE EXCEPTION 'rho must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most, or leave it out: it then follows from epsilon.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write what the role may have been charged at most.';
	END IF;
	IF role IS NULL OR NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', coalesce(role::oid::text, 'null')
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	payer := dp_noise.number_role(role);
	PERFORM dp_noise.inherit_role(id, payer);
	lost := dp_noise.cost_of_pure(coalesce(epsilon, 0), delta);
	lost.rho := coalesce(rho, lost.rho);
	lost.unbounded := (epsilon IS NULL)::integer;
	INSERT INTO dp_noise_ledger.ledger_entry (role_id, relation_id, epsilon, delta, fingerprint, aggregate, mechanism, rho, delta_pool)
	VALUES (payer, id, epsilon, delta, '', 'forfeited', 'none', lost.rho, lost.delta_pool);
	-- Of a role without a budget, for the time when it gets one.
	INSERT INTO dp_noise_ledger.budget_entry (relation_id, role_id, is_active, shared, epsilon, delta, on_repeat)
	VALUES (id, payer, false, false, 0, 0, 'refuse')
	ON CONFLICT (relation_id, role_id) WHERE role_id IS NOT NULL DO NOTHING;
	-- On all budgets on which a charge of the role lands.
	WITH RECURSIVE groups (oid) AS (
		SELECT role::oid
		UNION
		SELECT g.roleid FROM pg_auth_members AS g JOIN groups ON g.member = groups.oid
	), paying AS (
		SELECT b.budget_id, p.began, s AS spent, dp_noise.cost_rest(s, p.spent) AS more
		FROM dp_noise_ledger.budget_entry AS b CROSS JOIN LATERAL dp_noise.budget_now(b) AS p
		CROSS JOIN LATERAL dp_noise.cost_sum(p.spent, lost) AS s
		WHERE b.relation_id = id
			AND (b.role_id IS NULL OR b.role_id = payer OR (b.is_active AND b.shared AND b.role_id IN (
				SELECT i.id FROM groups
				JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_authid'::regclass AND i.object = groups.oid)))
	), noted AS (
		-- Added to what was written off before in this period.
		INSERT INTO dp_noise_ledger.spending_part AS s (budget_id, source, kind, epsilon, delta, rho, delta_pool, unbounded, at)
		SELECT p.budget_id, 0, 'forfeited', (a).epsilon, (a).delta, (a).rho, (a).delta_pool, (a).unbounded, clock_timestamp()
		FROM paying AS p
		LEFT JOIN dp_noise_ledger.spending_part AS w ON w.budget_id = p.budget_id AND w.source = 0 AND w.at >= p.began
		CROSS JOIN LATERAL dp_noise.cost_sum(p.more, ROW(coalesce(w.epsilon, 0), coalesce(w.delta, 0), coalesce(w.rho, 0),
			coalesce(w.delta_pool, 0), coalesce(w.unbounded, 0))::dp_noise_ledger.cost) AS a
		ON CONFLICT (budget_id, source) DO UPDATE
		SET epsilon = EXCLUDED.epsilon, delta = EXCLUDED.delta, rho = EXCLUDED.rho, delta_pool = EXCLUDED.delta_pool,
			unbounded = EXCLUDED.unbounded, at = EXCLUDED.at
	)
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon_spent = (p.spent).epsilon, delta_spent = (p.spent).delta, rho_spent = (p.spent).rho,
		pool_spent = (p.spent).delta_pool, unbounded_spent = (p.spent).unbounded, period_start = p.began
	FROM paying AS p WHERE b.budget_id = p.budget_id;
END
$$;
COMMENT ON FUNCTION dp_noise.do_forfeit(regclass, regrole, numeric, numeric, numeric) IS
'Body of dp_noise.forfeit.';
CREATE FUNCTION dp_noise.forfeit(relation regclass, role regrole, epsilon numeric, delta numeric DEFAULT 0, rho numeric DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.forfeit(regclass, regrole, numeric, numeric, numeric) IS
'Writes off what a role may have been charged for a relation without the ledger knowing, after a standby that lagged was promoted or a backup restored: (relation, role, epsilon, delta, rho) are charged like a question (epsilon null: what has no finite one; rho null: what that epsilon costs at most; delta from pools, too), to the role''s budget, to shared ones of its groups and to the total, even where that is more than is left; then nothing is left. In the ledger an aggregate "forfeited". For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.forget_relation(relation_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	DELETE FROM dp_noise_ledger.identity AS i WHERE i.class = relations AND i.id = relation_id;
	DELETE FROM dp_noise_ledger.entry_dumped AS d WHERE d.class = relations AND d.id = relation_id;
	DELETE FROM dp_noise_ledger.column_bounds AS c WHERE c.relation_id = relation_id;
	DELETE FROM dp_noise_ledger.column_values AS v WHERE v.relation_id = relation_id;
	DELETE FROM dp_noise_ledger.relation_levels AS l WHERE l.relation_id = relation_id;
	-- What nobody ever asked about leaves nothing.
	IF NOT EXISTS (SELECT FROM dp_noise_ledger.answer_entry AS a WHERE a.relation_id = relation_id)
		AND NOT EXISTS (SELECT FROM dp_noise_ledger.budget_entry AS b
			WHERE b.relation_id = relation_id AND dp_noise.is_cost(dp_noise.spent_of(b)))
		AND NOT EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS e WHERE e.successor = relation_id) THEN
		DELETE FROM dp_noise_ledger.spending_part AS p USING dp_noise_ledger.budget_entry AS b
		WHERE b.relation_id = relation_id AND p.budget_id = b.budget_id;
		DELETE FROM dp_noise_ledger.budget_entry AS b WHERE b.relation_id = relation_id;
		DELETE FROM dp_noise_ledger.name_entry AS n WHERE n.class = relations AND n.id = relation_id;
		DELETE FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = relation_id;
		RETURN;
	END IF;
	-- What it inherited stays with those that it was charged to.
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon_spent = s.epsilon, delta_spent = s.delta, rho_spent = s.rho, pool_spent = s.delta_pool, unbounded_spent = s.unbounded
	FROM dp_noise_ledger.budget_entry AS o CROSS JOIN LATERAL dp_noise.part_of(o, '{inherited,foreign}') AS p
	CROSS JOIN LATERAL dp_noise.cost_rest(dp_noise.spent_of(o), p) AS s
	WHERE b.budget_id = o.budget_id AND b.relation_id = relation_id AND dp_noise.is_cost(p);
	DELETE FROM dp_noise_ledger.spending_part AS p USING dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = relation_id AND p.budget_id = b.budget_id AND p.kind <> 'forfeited';
	UPDATE dp_noise_ledger.relation_entry AS e SET is_protected = false WHERE e.relation_id = relation_id;
	UPDATE dp_noise_ledger.budget_entry AS b SET is_active = false
	WHERE b.relation_id = relation_id AND b.role_id IS NOT NULL AND b.is_active;
END
$$;
COMMENT ON FUNCTION dp_noise.forget_relation(integer) IS
'Ends the protection of a relation that is being dropped: what was spent on it remains.';

CREATE FUNCTION dp_noise.on_drop()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	dropped record;
BEGIN
	IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() AS d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND NOT d.is_temporary) THEN
		PERFORM dp_noise.check_snapshot();
	END IF;
	-- Nothing to tidy when the ledger itself goes.
	FOR dropped IN
		SELECT d.objid, i.id, d.schema_name, d.object_name
		FROM pg_event_trigger_dropped_objects() AS d
		LEFT JOIN dp_noise_ledger.identity AS i ON i.class = d.classid AND i.object = d.objid
		WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
			AND (i.id IS NOT NULL OR EXISTS (
				SELECT FROM dp_noise_ledger.relation_entry AS e
				WHERE e.schema_name = d.schema_name AND e.relation_name = d.object_name))
		ORDER BY d.objid
	LOOP
		PERFORM dp_noise.lock_relation(dropped.objid);
		-- Without an identity: restored from a dump, and dropped before anything asked for it.
		PERFORM dp_noise.forget_relation(coalesce(dropped.id, e.relation_id))
		FROM dp_noise_ledger.relation_entry AS e
		LEFT JOIN dp_noise_ledger.identity AS i ON i.class = 'pg_catalog.pg_class'::regclass AND i.id = e.relation_id
		JOIN dp_noise_ledger.entry_dumped AS d ON d.class = 'pg_catalog.pg_class'::regclass AND d.id = e.relation_id
		WHERE e.relation_id = dropped.id
			OR (dropped.id IS NULL AND i.id IS NULL
				AND e.schema_name = dropped.schema_name AND e.relation_name = dropped.object_name);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop() IS
'Ends the protection of dropped tables.';

-- Whatever the statement: a function, an operator class, a view can be what a
-- table goes with. And whatever session_replication_role says.
CREATE EVENT TRIGGER dp_noise_on_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_drop();
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop IS
'Ends the protection of dropped tables.';

CREATE FUNCTION dp_noise.on_rename()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		SELECT i.id, c.oid, c.relname, n.nspname
		FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.object = c.oid
		JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id
		WHERE c.relname <> r.relation_name OR n.nspname <> r.schema_name
			-- A change of owner that nobody noticed is not for any statement to lock the table.
			OR (NOT EXISTS (
					SELECT FROM dp_noise_ledger.identity AS o
					WHERE o.class = 'pg_catalog.pg_authid'::regclass AND o.object = c.relowner AND o.id = r.owner_id)
				AND EXISTS (SELECT FROM pg_event_trigger_ddl_commands() AS d WHERE d.classid = relations AND d.objid = c.oid))
		ORDER BY c.oid
	LOOP
		PERFORM dp_noise.lock_relation(renamed.oid);
		UPDATE dp_noise_ledger.relation_entry AS r
		SET schema_name = renamed.nspname, relation_name = renamed.relname, owner_id = dp_noise.number_owner(renamed.oid)
		WHERE r.relation_id = renamed.id;
		PERFORM dp_noise.note_name(relations, renamed.id, renamed.nspname, renamed.relname);
		PERFORM dp_noise.inherit_relation(renamed.id);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rename() IS
'Notes the new names and owners of protected tables.';

-- A table is found by its name whatever the statement renamed or moved: one that
-- is of another kind, its schema, an extension that it belongs to.
CREATE EVENT TRIGGER dp_noise_on_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER SEQUENCE', 'ALTER TYPE', 'ALTER EXTENSION')
	EXECUTE FUNCTION dp_noise.on_rename();
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rename IS
'Notes the new names and owners of protected tables.';

-- Columns. The privacy unit, bounds and values are known by names of columns, and
-- stay with the column when it is renamed. Since they go with a column that is
-- dropped, a name that no column has is that of the one just renamed.

CREATE FUNCTION dp_noise.on_column_drop()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	dropped record;
BEGIN
	FOR dropped IN
		SELECT d.objid, i.id, d.address_names[3]::name AS column_name
		FROM pg_event_trigger_dropped_objects() AS d
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.object = d.objid
		WHERE d.classid = relations AND d.objsubid > 0
		ORDER BY d.objid
	LOOP
		PERFORM dp_noise.lock_relation(dropped.objid);
		PERFORM dp_noise.renew_settings(dropped.id);
		DELETE FROM dp_noise_ledger.column_bounds AS b WHERE b.relation_id = dropped.id AND b.column_name = dropped.column_name;
		DELETE FROM dp_noise_ledger.column_values AS v WHERE v.relation_id = dropped.id AND v.column_name = dropped.column_name;
		-- no name of a column: that of another one to come is not the unit
		UPDATE dp_noise_ledger.relation_entry AS r SET privacy_unit = ''
		WHERE r.relation_id = dropped.id AND (r.privacy_unit = dropped.column_name OR dropped.column_name = ANY (r.path_columns));
		UPDATE dp_noise_ledger.relation_entry AS r
		SET privacy_unit = '', settings_version = nextval('dp_noise_ledger.settings_version')
		WHERE r.path_relation_id = dropped.id AND dropped.column_name = ANY (r.path_keys);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_drop() IS
'Ends what was declared of dropped columns; a privacy unit that was dropped leaves a table about which nothing is answered until it is protected again.';

CREATE EVENT TRIGGER dp_noise_on_column_drop ON sql_drop
	EXECUTE FUNCTION dp_noise.on_column_drop();
ALTER EVENT TRIGGER dp_noise_on_column_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_drop IS
'Ends what was declared of dropped columns.';

CREATE FUNCTION dp_noise.is_missing(relation oid, column_name name)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = is_missing.column_name AND a.attnum > 0 AND NOT a.attisdropped)
$$;
COMMENT ON FUNCTION dp_noise.is_missing(oid, name) IS
'True where a relation has no column of the name.';

CREATE FUNCTION dp_noise.on_column_rename()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	renamed record;
BEGIN
	PERFORM dp_noise.check_snapshot();
	FOR renamed IN
		WITH RECURSIVE named AS (
			SELECT d.objid, a.attname
			FROM pg_event_trigger_ddl_commands() AS d
			JOIN pg_attribute AS a ON a.attrelid = d.objid AND a.attnum = d.objsubid
			WHERE d.classid = relations AND d.objsubid > 0
		), touched AS (
			SELECT n.objid, n.attname FROM named AS n
			UNION
			-- tables of a type, partitions and children
			SELECT m.oid, t.attname
			FROM touched AS t
			CROSS JOIN LATERAL (
				SELECT c.oid FROM pg_class AS c JOIN pg_type AS y ON y.oid = c.reloftype WHERE y.typrelid = t.objid
				UNION ALL
				SELECT h.inhrelid FROM pg_inherits AS h WHERE h.inhparent = t.objid
			) AS m
		)
		SELECT t.objid, t.attname, i.id
		FROM touched AS t
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.object = t.objid
		JOIN pg_attribute AS a ON a.attrelid = t.objid AND a.attname = t.attname AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY t.objid
	LOOP
		PERFORM dp_noise.lock_relation(renamed.objid);
		PERFORM dp_noise.renew_settings(renamed.id);
		UPDATE dp_noise_ledger.relation_entry AS r SET privacy_unit = renamed.attname
		WHERE r.relation_id = renamed.id AND r.privacy_unit <> ''
			AND dp_noise.is_missing(renamed.objid, r.privacy_unit);
		UPDATE dp_noise_ledger.relation_entry AS r SET path_columns = (
			SELECT array_agg(CASE WHEN dp_noise.is_missing(renamed.objid, c) THEN renamed.attname ELSE c END ORDER BY place)
			FROM unnest(r.path_columns) WITH ORDINALITY AS u (c, place))
		WHERE r.relation_id = renamed.id AND r.path_columns IS NOT NULL;
		UPDATE dp_noise_ledger.relation_entry AS r
		SET path_keys = (
				SELECT array_agg(CASE WHEN dp_noise.is_missing(renamed.objid, k) THEN renamed.attname ELSE k END ORDER BY place)
				FROM unnest(r.path_keys) WITH ORDINALITY AS u (k, place)),
			settings_version = nextval('dp_noise_ledger.settings_version')
		WHERE r.path_relation_id = renamed.id;
		UPDATE dp_noise_ledger.column_bounds AS b SET column_name = renamed.attname
		WHERE b.relation_id = renamed.id AND dp_noise.is_missing(renamed.objid, b.column_name);
		UPDATE dp_noise_ledger.column_values AS v SET column_name = renamed.attname
		WHERE v.relation_id = renamed.id AND dp_noise.is_missing(renamed.objid, v.column_name);
	END LOOP;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_column_rename() IS
'Notes the new names of columns of which something was declared.';

CREATE EVENT TRIGGER dp_noise_on_column_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER TYPE')
	EXECUTE FUNCTION dp_noise.on_column_rename();
ALTER EVENT TRIGGER dp_noise_on_column_rename ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_column_rename IS
'Notes the new names of columns of which something was declared.';

-- Version 15 of the server makes a view of an empty table with such a rule.

CREATE FUNCTION dp_noise.on_rule()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
DECLARE
	found regclass;
BEGIN
	PERFORM dp_noise.check_snapshot();
	SELECT c.oid INTO found
	FROM pg_event_trigger_ddl_commands() AS d
	JOIN pg_rewrite AS w ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND w.oid = d.objid
	JOIN pg_class AS c ON c.oid = w.ev_class AND c.relkind = 'v'
	JOIN dp_noise_ledger.identity AS i ON i.class = 'pg_catalog.pg_class'::regclass AND i.object = c.oid
	JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id AND r.is_protected;
	IF found IS NOT NULL THEN
		RAISE EXCEPTION 'relation % is protected and cannot become a view', found
			USING ERRCODE = 'wrong_object_type',
				HINT = 'End its protection first with dp_noise.unprotect().';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rule() IS
'Refuses a rule that makes a view of a protected table.';

CREATE EVENT TRIGGER dp_noise_on_rule ON ddl_command_end
	WHEN TAG IN ('CREATE RULE')
	EXECUTE FUNCTION dp_noise.on_rule();
ALTER EVENT TRIGGER dp_noise_on_rule ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_rule IS
'Refuses a rule that makes a view of a protected table.';

-- The library refuses DROP EXTENSION and whatever else would drop the ledger
-- while a relation is protected (src/ledger/drops.c). Where it is not preloaded, a
-- call of one of its functions loads it in time.

CREATE FUNCTION dp_noise.on_drop_start()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
BEGIN
	IF EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS r WHERE r.is_protected)
		OR current_setting('transaction_isolation') <> 'read committed' THEN
		PERFORM dp_noise.current_epsilon();
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop_start() IS
'Loads the library before what may drop the ledger.';
REVOKE ALL ON FUNCTION dp_noise.on_drop_start() FROM PUBLIC;

CREATE EVENT TRIGGER dp_noise_on_drop_start ON ddl_command_start
	WHEN TAG IN ('DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED', 'DROP LANGUAGE')
	EXECUTE FUNCTION dp_noise.on_drop_start();
ALTER EVENT TRIGGER dp_noise_on_drop_start ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dp_noise_on_drop_start IS
'Loads the library before what may drop the ledger.';

CREATE FUNCTION dp_noise.allow_drop()
RETURNS void
AS 'MODULE_PATHNAME', 'dp_allow_drop'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.allow_drop() IS
'Lets DROP EXTENSION dp_noise pass in this transaction although relations are protected: ledger, budgets and protections are lost. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.allow_drop() FROM PUBLIC;

CREATE FUNCTION dp_noise.charge(
	relation regclass,
	epsilon numeric,
	delta numeric,
	question bytea,
	answer bytea DEFAULT NULL,
	rho numeric DEFAULT NULL,
	delta_pool numeric DEFAULT NULL,
	OUT replayed boolean,
	OUT answered bytea
)
AS 'MODULE_PATHNAME', 'dp_charge'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) IS
'Charges the session''s user for a question (up to 32 bytes that identify it), durably and at once; for tests. The answer is stored for replay. Epsilon null: it has none, and rho is given; rho and delta_pool null: what epsilon and delta cost at most. Superusers only.';

CREATE FUNCTION dp_noise.charge_all(
	relation regclass[],
	epsilon numeric[],
	delta numeric[],
	question bytea[],
	answer bytea[],
	OUT replayed boolean[],
	OUT answered bytea[]
)
AS 'MODULE_PATHNAME', 'dp_charge_all'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]) IS
'As dp_noise.charge for several questions of one statement, all or none of which are charged; for tests. Superusers only.';

CREATE FUNCTION dp_noise.charge_preview(
	relation regclass[],
	epsilon numeric[],
	delta numeric[],
	question bytea[]
)
RETURNS json
AS 'MODULE_PATHNAME', 'dp_charge_preview'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) IS
'What dp_noise.charge_all would do now, for tests and tools: charges (outcome charged, replayed or refused, and why), the budgets that pay (kind own, shared or total; epsilon and delta granted, spent, left and asked; whether each suffices), and the error that it would raise. Charges nothing. Superusers only.';
