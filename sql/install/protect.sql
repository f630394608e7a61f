/*
 * protect.sql
 *		Functions for owners of relations: protection.
 */

CREATE FUNCTION dp_noise.lock_names(relation oid) RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_names' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_names(oid) IS
'Keeps the schema of a relation from being renamed until the end of the transaction, for whoever notes its name.';

CREATE FUNCTION dp_noise.lock_member(relation regclass) RETURNS dp_noise_ledger.member LANGUAGE plpgsql
AS $$
DECLARE
	found dp_noise_ledger.member;
	locked integer;
BEGIN
	-- Repeated until its population is the one that is locked.
	LOOP
		SELECT * INTO found FROM dp_noise_ledger.member AS m WHERE m.relation = lock_member.relation;
		EXIT WHEN found.population_id IS NOT DISTINCT FROM locked;
		locked := found.population_id;
		PERFORM dp_noise.lock_population(locked);
	END LOOP;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_member(regclass) IS
'Locks the population of a relation and returns its member; nulls if the relation is not protected.';

CREATE FUNCTION dp_noise.change_member(relation regclass) RETURNS integer LANGUAGE plpgsql
AS $$
DECLARE
	id integer;
BEGIN
	-- Names before populations, as where a relation is protected or renamed.
	PERFORM dp_noise.lock_names(relation);
	id := (dp_noise.lock_member(relation)).member_id;
	IF id IS NULL THEN
		RAISE EXCEPTION 'relation % is not protected', relation
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Protect it first with dp_noise.protect().';
	END IF;
	UPDATE dp_noise_ledger.member AS m SET settings_version = nextval('dp_noise_ledger.settings_version') WHERE m.member_id = id;
	RETURN id;
END
$$;
COMMENT ON FUNCTION dp_noise.change_member(regclass) IS
'Locks the population of a protected relation, gives its settings a new version, under which statements planned before are not charged, and returns its number. Error: object_not_in_prerequisite_state (not protected).';

CREATE FUNCTION dp_noise.remove_members(members integer[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	PERFORM dp_noise.lock_population(p.population_id)
	FROM (SELECT DISTINCT m.population_id FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (members) ORDER BY 1) AS p;
	DELETE FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = ANY (members);
	DELETE FROM dp_noise_ledger.column_values AS v WHERE v.member_id = ANY (members);
	DELETE FROM dp_noise_ledger.member AS m WHERE m.member_id = ANY (members);
END
$$;
COMMENT ON FUNCTION dp_noise.remove_members(integer[]) IS 'Ends the protection of relations. What was spent is their population''s.';

CREATE FUNCTION dp_noise.column_name(relation regclass, column_name text) RETURNS text
AS 'MODULE_PATHNAME', 'dp_column_name' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.column_name(regclass, text) IS
'The name of the column that a text names, exactly or as an identifier of SQL; the text itself if there is none.';

CREATE FUNCTION dp_noise.column_number(relation regclass, column_name text) RETURNS smallint LANGUAGE plpgsql
AS $$
DECLARE
	number smallint;
BEGIN
	SELECT a.attnum INTO number FROM pg_attribute AS a
	WHERE a.attrelid = relation AND a.attname = column_number.column_name
		AND a.attnum > 0 AND NOT a.attisdropped;
	IF number IS NULL THEN
		RAISE EXCEPTION 'column % of relation % does not exist', coalesce(quote_ident(column_name), 'null'), relation
			USING ERRCODE = 'undefined_column', HINT = 'Write the name of a column of the relation.';
	END IF;
	RETURN number;
END
$$;
COMMENT ON FUNCTION dp_noise.column_number(regclass, text) IS 'Number of a column of a relation. Raises an error if there is no such column.';

CREATE FUNCTION dp_noise.has_one_row_each(relation regclass, number smallint) RETURNS boolean LANGUAGE sql STABLE
AS $$
	-- A unique index says nothing about the rows of inheriting tables.
	SELECT EXISTS (
		SELECT FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
		WHERE c.oid = relation AND NOT (c.relkind = 'r' AND c.relhassubclass)
			AND x.indnkeyatts = 1 AND x.indkey[0] = number
			AND dp_noise.tells_rows_apart(x.indexrelid))
$$;
COMMENT ON FUNCTION dp_noise.has_one_row_each(regclass, smallint) IS 'True where a unique index prevents two rows with the same value of a column.';

CREATE FUNCTION dp_noise.distribution(relation regclass) RETURNS "char"
AS 'MODULE_PATHNAME', 'dp_distribution' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.distribution(regclass) IS 'How Citus distributes a table: partmethod in its pg_dist_partition, or "l" for a local table that it manages. Null where it does not.';

CREATE FUNCTION dp_noise.can_be_unit(relation regclass, number smallint) RETURNS boolean LANGUAGE sql STABLE
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

CREATE FUNCTION dp_noise.populations_beneath(view oid) RETURNS integer[] LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE beneath AS (
		SELECT view AS object
		UNION
		SELECT d.refobjid
		FROM beneath AS b
		JOIN pg_rewrite AS w ON w.ev_class = b.object AND w.rulename = '_RETURN'
		JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
	)
	SELECT ARRAY(
		SELECT DISTINCT m.population_id FROM beneath AS b JOIN dp_noise_ledger.member AS m ON m.relation = b.object
		WHERE b.object <> view
		ORDER BY 1)
$$;
COMMENT ON FUNCTION dp_noise.populations_beneath(oid) IS 'The populations of the protected relations that a view reads. None for a table.';

CREATE FUNCTION dp_noise.may_be_member(relation oid, population_id integer) RETURNS boolean LANGUAGE sql STABLE
AS $$
	SELECT EXISTS (
		SELECT FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner, dp_noise_ledger.population AS p
		WHERE c.oid = may_be_member.relation AND p.population_id = may_be_member.population_id
			AND (r.rolsuper OR r.oid = p.owner OR EXISTS (
				SELECT FROM dp_noise_ledger.allowance AS a
				WHERE a.population_id = p.population_id AND a.role = r.oid AND a.role_name = r.rolname)))
$$;
COMMENT ON FUNCTION dp_noise.may_be_member(oid, integer) IS
'True where the owner of a relation owns the population, is allowed to add members to it, or is a superuser: (relation, population_id).';

CREATE FUNCTION dp_noise.find_population_for(relation regclass, population text) RETURNS integer LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
	named CONSTANT integer := dp_noise.population_number(population);
	of_member integer;
	owner oid;
	is_other_owner boolean;
BEGIN
	-- Or a member's name, read as that of a path's target.
	BEGIN
		of_member := (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = dp_noise.path_target(relation, population));
	EXCEPTION WHEN undefined_table OR invalid_parameter_value THEN
		NULL;
	END;
	IF coalesce(named, of_member) IS NULL THEN
		RAISE EXCEPTION 'population "%" does not exist', population
			USING ERRCODE = 'undefined_object', HINT = 'Create it first with dp_noise.create_population(), or write the name of a protected relation.';
	END IF;
	SELECT p.owner, p.owner <> o.owner INTO owner, is_other_owner
	FROM dp_noise_ledger.population AS p, dp_noise_ledger.population AS o
	WHERE p.population_id = named AND o.population_id = of_member;
	-- Others take names, and allow what nobody has asked them for.
	IF is_other_owner AND owner <> (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation) THEN
		IF dp_noise.may_be_member(relation, named) AND dp_noise.may_be_member(relation, of_member) THEN
			RAISE EXCEPTION '"%" names a population, and a relation in population "%" of another owner', population,
					(SELECT p.name FROM dp_noise_ledger.population AS p WHERE p.population_id = of_member)
				USING ERRCODE = 'ambiguous_alias', HINT = 'Write the name of the population that is meant.';
		ELSIF dp_noise.may_be_member(relation, of_member) THEN
			RETURN of_member;
		END IF;
	END IF;
	RETURN coalesce(named, of_member);
END
$$;
COMMENT ON FUNCTION dp_noise.find_population_for(regclass, text) IS
'The population that the owner of a relation means by a name: one of that name, or that of a relation of this name.';

CREATE FUNCTION dp_noise.choose_population(relation regclass, population text, target oid) RETURNS integer LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
	present CONSTANT integer := (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = relation);
	given CONSTANT integer := CASE WHEN population IS NOT NULL THEN dp_noise.find_population_for(relation, population) END;
	beneath CONSTANT integer[] := dp_noise.populations_beneath(relation);
	along CONSTANT integer := (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = target);
BEGIN
	IF along <> given THEN
		RAISE EXCEPTION 'the path from % leads to a relation of another population', relation
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave the population out: it is that of the relation to which the path leads.';
	ELSIF beneath <> '{}' AND given <> ALL (beneath) THEN
		RAISE EXCEPTION 'view % reads nothing of population "%"', relation, population
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave the population out: it is that of what the view reads.';
	ELSIF cardinality(beneath) > 1 AND given IS NULL AND (present = ANY (beneath)) IS NOT TRUE THEN
		RAISE EXCEPTION 'view % reads relations of several populations', relation
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write population => one of them, in which roles are then granted budgets to ask through the view.';
	END IF;
	RETURN coalesce(given, along, CASE WHEN cardinality(beneath) = 1 THEN beneath[1] END, present);
END
$$;
COMMENT ON FUNCTION dp_noise.choose_population(regclass, text, oid) IS
'The population of a relation that is being protected: (relation, population as the caller wrote it or null, the relation to which its path leads or null). Null: that of its own name.';

CREATE FUNCTION dp_noise.lock_population_of(relation regclass, population text, target oid, epsilon numeric, delta numeric)
RETURNS integer LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
	own_name CONSTANT text := (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation);
	owner CONSTANT oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation);
	chosen integer;
	locked integer;
BEGIN
	-- That of the path's target may change until it is locked.
	LOOP
		chosen := dp_noise.choose_population(relation, population, target);
		IF chosen IS NULL THEN
			chosen := dp_noise.population_number(own_name);
			IF owner <> (SELECT p.owner FROM dp_noise_ledger.population AS p WHERE p.population_id = chosen) THEN
				RAISE EXCEPTION 'population "%" belongs to another role', own_name
					USING ERRCODE = 'insufficient_privilege', HINT = 'Create one of another name with dp_noise.create_population(), and write population => that name.';
			END IF;
		END IF;
		IF chosen IS NULL THEN
			RETURN dp_noise.add_population(own_name, owner, epsilon, coalesce(delta, 0));
		END IF;
		-- Also before it is locked: others shall not hold it up.
		IF NOT dp_noise.may_be_member(relation, chosen) THEN
			RAISE EXCEPTION 'role % may not add relations to population "%"', owner::regrole,
					(SELECT p.name FROM dp_noise_ledger.population AS p WHERE p.population_id = chosen)
				USING ERRCODE = 'insufficient_privilege', HINT = 'The population''s owner allows it with dp_noise.allow_members().';
		END IF;
		-- The right to ask about a view is one to what is beneath it.
		IF EXISTS (
			SELECT FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.population AS c ON c.population_id = chosen
			WHERE p.population_id = ANY (dp_noise.populations_beneath(relation)) AND p.owner NOT IN (owner, c.owner)) THEN
			RAISE EXCEPTION 'view % reads relations in a population of another role', relation
				USING ERRCODE = 'insufficient_privilege', HINT = 'Protect it in that population: its owner grants the budgets to ask about it.';
		END IF;
		EXIT WHEN chosen = locked;
		locked := chosen;
		PERFORM dp_noise.lock_population(locked);
	END LOOP;
	RETURN chosen;
END
$$;
COMMENT ON FUNCTION dp_noise.lock_population_of(regclass, text, oid, numeric, numeric) IS
'Chooses, locks and checks the population of a relation that is being protected; one of its own name is created with that grant.';

CREATE FUNCTION dp_noise.do_protect(
	relation regclass, privacy_unit text DEFAULT NULL, neighbours text DEFAULT 'add_remove', max_rows_per_unit integer DEFAULT NULL,
	max_groups_per_unit integer DEFAULT 1, replace_unit boolean DEFAULT false, population text DEFAULT NULL, epsilon numeric DEFAULT NULL,
	delta numeric DEFAULT NULL, min_people_per_group integer DEFAULT 1
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	kind record;
	distribution "char";
	unit_name CONSTANT text := dp_noise.column_name(relation, privacy_unit);
	is_path CONSTANT boolean := coalesce(privacy_unit LIKE '%->%' AND dp_noise.is_missing(relation, unit_name::name), false);
	unit name := CASE WHEN NOT is_path THEN unit_name END;
	target oid;
	path record;
	has_one_row boolean;
	is_spent boolean;
	is_other boolean;
	old dp_noise_ledger.member;
	new dp_noise_ledger.member;
BEGIN
	PERFORM dp_noise.lock_names(relation);
	-- The names are those of now, whatever the transaction's snapshot shows.
	SELECT c.relkind, c.relpersistence, a.object_names[1] AS nspname, a.object_names[2] AS relname INTO STRICT kind
	FROM pg_class AS c CROSS JOIN LATERAL pg_identify_object_as_address('pg_catalog.pg_class'::regclass, c.oid, 0) AS a
	WHERE c.oid = relation;
	IF kind.relkind NOT IN ('r', 'p', 'f', 'v') OR kind.relpersistence = 't'
		OR kind.nspname IN ('pg_catalog', 'information_schema', 'dp_noise', 'dp_noise_ledger') THEN
		RAISE EXCEPTION 'relation % cannot be protected', relation
			USING ERRCODE = 'wrong_object_type', HINT = CASE WHEN kind.relkind = 'm'
					THEN 'A materialized view keeps rows without their owners: protect a plain view, or a table with the rows.'
					ELSE 'Tables, partitioned tables, foreign tables and views can be protected, other relations, temporary ones and those of the system cannot.'
				END;
	END IF;
	distribution := dp_noise.distribution(relation);
	IF distribution = 'a' THEN
		RAISE EXCEPTION 'relation % cannot be protected, since Citus distributes it by append', relation
			USING ERRCODE = 'feature_not_supported', HINT = 'The least and greatest value of each shard are shown to everybody: distribute it by hash.';
	END IF;
	IF distribution = 'l' THEN
		RAISE EXCEPTION 'relation % cannot be protected, since it is a local table that Citus manages', relation
			USING ERRCODE = 'feature_not_supported', HINT = 'Its rows are in a shard of their own. Distribute it, make it a reference table, or take it from Citus with undistribute_table().';
	END IF;
	IF distribution IS NOT NULL AND NOT (SELECT r.rolcanlogin FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner WHERE c.oid = relation) THEN
		RAISE EXCEPTION 'relation % cannot be protected, since its owner may not log in', relation
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Citus reads it on the nodes as its owner: give it to a role that may, with ALTER TABLE ... OWNER TO.';
	END IF;
	IF neighbours IS NULL OR neighbours NOT IN ('add_remove', 'substitute') THEN
		RAISE EXCEPTION 'invalid neighbours: %', coalesce(quote_literal(neighbours), 'null')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write ''add_remove'' or ''substitute''.';
	END IF;
	IF is_path AND kind.relkind = 'v' THEN
		RAISE EXCEPTION 'a view has no path to its privacy units'
			USING ERRCODE = 'feature_not_supported', HINT = 'They are those of the relations that it reads: name the column of the view that shows them, or none.';
	END IF;
	IF unit_name <> unit THEN
		RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(privacy_unit), relation
			USING ERRCODE = 'undefined_column', HINT = 'The privacy unit is a column of the relation, such as a person''s number.';
	END IF;
	IF unit IS NOT NULL AND NOT dp_noise.can_be_unit(relation, dp_noise.column_number(relation, unit)) THEN
		RAISE EXCEPTION 'column % of relation % cannot be a privacy unit, since the server cannot both sort and hash its type', quote_ident(unit), relation
			USING ERRCODE = 'feature_not_supported', HINT = 'Write a column of numbers, texts, dates or uuids.';
	END IF;
	has_one_row := CASE
		WHEN kind.relkind = 'v'
			THEN dp_noise.check_view(relation, CASE WHEN unit IS NULL THEN 0::smallint ELSE dp_noise.column_number(relation, unit) END)
		WHEN is_path THEN false
		WHEN unit IS NULL THEN true
		ELSE dp_noise.has_one_row_each(relation, dp_noise.column_number(relation, unit))
	END;
	IF max_rows_per_unit IS NULL AND NOT has_one_row THEN
		RAISE EXCEPTION 'max_rows_per_unit is missing: several rows of % may have one %', relation, coalesce(quote_ident(unit), 'privacy unit')
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write how many rows of one unit count in an answer, such as max_rows_per_unit => 10. Noise grows with it; rows beyond it are left out. dp_noise.suggest() finds a good number privately, once the table is protected with any.';
	END IF;
	IF max_rows_per_unit < 1 OR coalesce(max_groups_per_unit, 0) < 1 THEN
		RAISE EXCEPTION 'caps on a privacy unit''s contribution must be at least 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write how many rows and groups of one unit may count.';
	END IF;
	IF coalesce(min_people_per_group, 0) < 1 THEN
		RAISE EXCEPTION 'min_people_per_group must be at least 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write how many people a group must have to be shown.';
	END IF;

	-- Relations are locked before populations, as by whoever changes a relation.
	-- What a path relies on is read under both locks.
	IF is_path THEN
		target := dp_noise.lock_target(relation, privacy_unit);
	END IF;
	old := dp_noise.lock_member(relation);
	new.population_id := dp_noise.lock_population_of(relation, population, target, epsilon, delta);
	IF old.member_id IS NULL THEN -- others may have protected it meanwhile
		old := dp_noise.lock_member(relation);
	END IF;
	new.unit := unit;
	new.neighbours := neighbours;
	IF is_path THEN
		SELECT * INTO path FROM dp_noise.read_path(relation, privacy_unit);
		new.path_columns := path.columns;
		new.path_member_id := path.path_id;
		new.path_keys := path.keys;
	END IF;
	IF replace_unit IS NOT TRUE AND old.member_id IS NOT NULL THEN
		is_spent := dp_noise.is_spent(old.population_id);
		is_other := (old.unit, old.path_columns, old.path_member_id, old.path_keys) IS DISTINCT FROM (new.unit, new.path_columns, new.path_member_id, new.path_keys);
		IF is_spent AND old.population_id <> new.population_id THEN
			RAISE EXCEPTION 'what was spent of the population of % would no longer count for it', relation
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = (SELECT format('Write population => %L, or replace_unit => true to go on with another one anyway.', p.name)
						FROM dp_noise_ledger.population AS p WHERE p.population_id = old.population_id);
		ELSIF is_spent AND (is_other OR old.neighbours <> new.neighbours) THEN
			RAISE EXCEPTION 'relation % has been queried with another privacy unit or other neighbours', relation
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'What was spent bounds what is known of the old units. Write replace_unit => true to go on with the new ones anyway.';
		ELSIF is_other AND EXISTS (
			SELECT FROM dp_noise.unit_roots(old.population_id) AS own JOIN dp_noise.unit_roots(new.population_id) AS u ON u.root <> own.root
			WHERE own.relation = relation) THEN
			RAISE EXCEPTION 'relations of a population would no longer have the same privacy units'
				USING ERRCODE = 'object_not_in_prerequisite_state',
					DETAIL = format('They were declared to be the same when those of %s were others.', relation),
					HINT = 'Write replace_unit => true if they still are the same people.';
		END IF;
	END IF;
	IF EXISTS (
		SELECT FROM dp_noise_ledger.budget AS b
		WHERE b.population_id = new.population_id AND b.role IS NULL AND (b.epsilon <> epsilon OR b.delta <> delta)) THEN
		RAISE EXCEPTION 'the population exists, with another grant'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave epsilon and delta out. The population''s owner changes its grant with dp_noise.alter_population().';
	END IF;

	IF old.member_id IS NULL THEN
		-- One may be left of a dump that was restored without the relation.
		PERFORM dp_noise.remove_members(ARRAY(
			SELECT m.member_id FROM dp_noise_ledger.member AS m
			WHERE m.population_id = new.population_id AND m.relation = 0 AND (m.schema_name, m.relation_name) = (kind.nspname, kind.relname)));
		INSERT INTO dp_noise_ledger.member (population_id, schema_name, relation_name, neighbours, max_rows_per_unit, max_groups_per_unit, min_people_per_group)
		VALUES (new.population_id, kind.nspname, kind.relname, neighbours, 1, 1, 1);
	END IF;
	UPDATE dp_noise_ledger.member AS m
	SET population_id = new.population_id,
		unit = new.unit,
		path_columns = new.path_columns,
		path_member_id = new.path_member_id,
		path_keys = new.path_keys,
		neighbours = new.neighbours,
		max_rows_per_unit = coalesce(do_protect.max_rows_per_unit, 1),
		max_groups_per_unit = do_protect.max_groups_per_unit,
		min_people_per_group = do_protect.min_people_per_group,
		settings_version = nextval('dp_noise_ledger.settings_version')
	WHERE m.relation = do_protect.relation;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'relation % was renamed meanwhile', relation
			USING ERRCODE = 't_r_serialization_failure', HINT = 'Protect it again.';
	END IF;
	PERFORM dp_noise.check_same_people(new.population_id, relation);
END
$$;
CALL dp_noise.add_entry('protect');
COMMENT ON FUNCTION dp_noise.protect(regclass, text, text, integer, integer, boolean, text, numeric, numeric, integer) IS
'Protects a table or a view of protected tables, or changes the settings of a protected one. privacy_unit: a column; null for the row; or a path such as ''order_id -> orders'' to the relation whose units own the rows. For a view: the column that shows the unit of what it reads, or null for whatever the unit is. neighbours: add_remove or substitute. max_rows_per_unit: how many rows of a unit count in a group (L-infinity bound); may be omitted where a unit has one row, that is, where the unit is the row or a column with a unique index. max_groups_per_unit: in how many groups a unit counts (L0 bound). min_people_per_group: groups of fewer units are never shown; with more than 1, groups of public keys are selected by a noisy count, too, for a delta. population: the people whom the relation is about, by the name of a population or of one of its relations (with its schema where that is another); a value of the privacy unit is the same person in all relations of a population. Left out: that of the relation to which a path leads, or which a view reads; or that of the relation''s own name, which is created with the grant epsilon (and delta; 0 if left out) where it does not exist. A table that is dropped and made anew so returns to what was spent. Once anything was spent, unit, neighbours and population change only with replace_unit. A NOTICE tells where the population is another owner''s, who then grants the budgets to ask about the relation, and asks without one. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_unprotect(relation regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
	PERFORM dp_noise.remove_members(ARRAY[dp_noise.change_member(relation)]);
END
$$;
CALL dp_noise.add_entry('unprotect');
COMMENT ON FUNCTION dp_noise.unprotect(regclass) IS
'Ends the protection of a table. What was spent remains spent of its population, and budgets remain there, for its other relations. For the table''s owner and superusers.';
