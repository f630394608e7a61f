/*
 * purses.sql
 *		Relations about the same people that share one ledger: budget_of.
 *
 * A relation may name another one of the same owner as its purse (column
 * purse_id). Questions about it are charged to the purse, and a question about
 * several relations of one purse is charged once. That is sound because only
 * the purse's budgets bound what is learnt about a person from all of these
 * relations. It requires that neighbours are the same in all of them, and that
 * a value of the unit is the same person in each: then all rows that a person
 * contributes to a join belong to one unit, and the price of the question covers
 * all of them.
 *
 * Each relation still has its own questions and answers; the purse's budgets
 * decide what happens to repeated ones.
 *
 * Nothing that was spent is lost by joining or leaving:
 *
 *	- Charges on a relation from before it joined also count in the purse.
 *	- A relation can leave while nothing is spent of the purse; later only when
 *	  the purse is gone or has another owner. Then it inherits what the purse spent,
 *	  like the namesakes of a dropped relation (ledger_namesakes.sql).
 *	- A purse that is gone, not protected, or of another owner pays for no
 *	  question: nothing is answered (src/ledger/budgets.h, dp_budgets_find_purse).
 */

CREATE FUNCTION dp_noise.sources_with(relation_id integer, more integer[])
RETURNS integer[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ARRAY(
		SELECT DISTINCT u.id
		FROM dp_noise_ledger.relation_entry AS e CROSS JOIN unnest(e.inherits || more) AS u (id)
		WHERE e.relation_id = sources_with.relation_id AND u.id <> e.relation_id
		ORDER BY u.id)
$$;
COMMENT ON FUNCTION dp_noise.sources_with(integer, integer[]) IS
'The relations that a relation inherits from, and some more: (relation_id, relation_ids).';

CREATE FUNCTION dp_noise.find_unit_root(
	relation_id integer,
	OUT root integer,
	OUT unit name,
	OUT unit_type oid,
	OUT unit_collation oid
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	entry dp_noise_ledger.relation_entry;
	current_relation oid;
	owner oid;
	steps integer := 0;
BEGIN
	root := relation_id;
	LOOP
		SELECT c.object INTO current_relation FROM dp_noise_ledger.current_identity AS c
		WHERE c.class = 'pg_catalog.pg_class'::regclass::oid AND c.id = root;
		owner := coalesce(owner, (SELECT c.relowner FROM pg_class AS c WHERE c.oid = current_relation));
		IF current_relation IS NULL OR steps > 100 OR owner <> (SELECT c.relowner FROM pg_class AS c WHERE c.oid = current_relation) THEN
			root := NULL;
			RETURN;
		END IF;
		-- The lock keeps what was found until the end of the transaction.
		PERFORM dp_noise.lock_relation(current_relation);
		SELECT * INTO entry FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = root;
		IF entry.privacy_unit = '' THEN
			root := NULL;
			RETURN;
		END IF;
		EXIT WHEN entry.path_relation_id IS NULL;
		root := entry.path_relation_id;
		steps := steps + 1;
	END LOOP;
	unit := entry.privacy_unit;
	unit_type := dp_noise.path_type(current_relation, unit);
	unit_collation := (
		SELECT k.oid
		FROM pg_attribute AS a JOIN pg_collation AS k ON k.oid = a.attcollation
		WHERE a.attrelid = current_relation AND a.attname = unit AND a.attnum > 0 AND NOT k.collisdeterministic);
END
$$;
COMMENT ON FUNCTION dp_noise.find_unit_root(integer) IS
'Where the path of a relation ends: the relation that has the units, their column (null: its rows), the column''s type, and its collation where that is not deterministic (null: all deterministic ones compare the same). Root null: the path ends nowhere, or at another owner''s relation. Locks all relations along the path.';

CREATE FUNCTION dp_noise.check_same_people(relation_id integer, purse_id integer)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	one record;
	other record;
	names text[];
BEGIN
	SELECT * INTO one FROM dp_noise.find_unit_root(relation_id);
	SELECT * INTO other FROM dp_noise.find_unit_root(purse_id);
	names := ARRAY(
		SELECT format('%I.%I', e.schema_name, e.relation_name)
		FROM unnest(ARRAY[relation_id, purse_id]) WITH ORDINALITY AS u (id, number)
		JOIN dp_noise_ledger.relation_entry AS e ON e.relation_id = u.id
		ORDER BY u.number);
	IF one.root IS NULL OR other.root IS NULL THEN
		RAISE EXCEPTION 'the privacy units of % and % cannot be compared', names[1], names[2]
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Protect all relations along their paths again.';
	END IF;
	IF one.root <> other.root AND (one.unit IS NULL OR other.unit IS NULL) THEN
		RAISE EXCEPTION 'the privacy units of % are not those of %', names[1], names[2]
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Where units are rows, they exist in one relation only. Write a path that ends there, or protect both by a column that identifies the same people.';
	END IF;
	IF one.root <> other.root AND one.unit_type IS DISTINCT FROM other.unit_type THEN
		RAISE EXCEPTION 'the privacy units of % and % are of different types', names[1], names[2]
			USING ERRCODE = 'datatype_mismatch',
				HINT = 'Relations share budgets where a value is the same person in both: give their columns one type.';
	END IF;
	IF one.root <> other.root AND one.unit_collation IS DISTINCT FROM other.unit_collation THEN
		RAISE EXCEPTION 'the privacy units of % and % are of collations that compare differently', names[1], names[2]
			USING ERRCODE = 'collation_mismatch',
				HINT = 'Relations share budgets where a value is the same person in both: give their columns one collation.';
	END IF;
	-- A key of something else that a person has, such as a visit, is no person.
	SELECT format('%I.%I', e.schema_name, e.relation_name) AS relation, u.unit AS key
	INTO other
	FROM (VALUES (one.root, one.unit), (other.root, other.unit)) AS u (root, unit)
	JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = u.root
	JOIN pg_attribute AS a ON a.attrelid = i.object AND a.attname = u.unit AND a.attnum > 0
	JOIN pg_constraint AS k ON k.contype = 'f' AND k.conrelid = i.object AND k.conkey = ARRAY[a.attnum]
	JOIN dp_noise_ledger.current_identity AS ri ON ri.class = i.class AND ri.object = k.confrelid
	JOIN dp_noise_ledger.relation_entry AS e ON e.relation_id = ri.id AND e.is_protected
	JOIN pg_attribute AS ra ON ra.attrelid = k.confrelid AND ra.attnum = k.confkey[1]
	WHERE one.root <> other.root AND e.privacy_unit IS DISTINCT FROM ra.attname AND e.privacy_unit IS DISTINCT FROM ''
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'column % refers to %, whose privacy unit is another', other.key, other.relation
			USING ERRCODE = 'invalid_parameter_value',
				HINT = format('Write the path: privacy_unit => %L.', format('%I -> %s', other.key, other.relation));
	END IF;
	IF (SELECT count(DISTINCT e.neighbours) FROM dp_noise_ledger.relation_entry AS e
		WHERE e.relation_id = relation_id OR e.relation_id = purse_id) > 1 THEN
		RAISE EXCEPTION 'the neighbours of % are not those of %', names[1], names[2]
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Charges add up only under the same neighbours: write the same in both.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_same_people(integer, integer) IS
'Refuses a purse whose units cannot be those of a relation: (relation_id, relation_id of the purse). If their paths end at different columns, the owner asserts that these identify the same people.';

CREATE FUNCTION dp_noise.check_purses_along(relation regclass, relation_id integer, replace_unit boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	pair record;
BEGIN
	FOR pair IN
		WITH RECURSIVE relying (id) AS (
			SELECT relation_id
			UNION
			SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e JOIN relying AS r ON e.path_relation_id = r.id
		)
		SELECT e.relation_id AS member, e.purse_id AS purse
		FROM dp_noise_ledger.relation_entry AS e
		WHERE e.relation_id <> relation_id AND e.purse_id IS NOT NULL
			AND (e.relation_id IN (SELECT r.id FROM relying AS r) OR e.purse_id IN (SELECT r.id FROM relying AS r))
		ORDER BY e.relation_id
	LOOP
		IF (SELECT m.root IS NULL OR p.root IS NULL
			FROM dp_noise.find_unit_root(pair.member) AS m, dp_noise.find_unit_root(pair.purse) AS p) THEN
			CONTINUE; -- about which nothing is answered
		END IF;
		IF replace_unit IS NOT TRUE AND (SELECT m.root <> p.root
			FROM dp_noise.find_unit_root(pair.member) AS m, dp_noise.find_unit_root(pair.purse) AS p) THEN
			RAISE EXCEPTION 'relations that share budgets would no longer have the same privacy units'
				USING ERRCODE = 'object_not_in_prerequisite_state',
					DETAIL = format('They were declared to be the same when those of %s were others.', relation),
					HINT = 'Protect them without budget_of first, or write replace_unit => true if they still are the same people.';
		END IF;
		PERFORM dp_noise.check_same_people(pair.member, pair.purse);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.check_purses_along(regclass, integer, boolean) IS
'Refuses a change of units where it would make the units of a relation and of its purse differ, if the path of either leads to the changed relation.';

CREATE FUNCTION dp_noise.find_purse(relation regclass, relation_id integer, budget_of regclass)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	found_id integer;
	next_id integer;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = budget_of) THEN
		RAISE EXCEPTION 'relation with OID % does not exist', budget_of::oid
			USING ERRCODE = 'undefined_table',
				HINT = 'Write the name of a protected table.';
	END IF;
	IF budget_of = relation THEN
		RAISE EXCEPTION 'relation % cannot be its own budget_of', relation
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave budget_of out: the relation then has budgets of its own.';
	END IF;
	-- Relations of other owners are not locked.
	IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid IN (relation, budget_of) AND c.relkind = 'v') THEN
		RAISE EXCEPTION 'a view has budgets of its own'
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Write budget_of for the tables beneath: their totals pay for what is asked through the view, too.';
	END IF;
	IF (SELECT count(DISTINCT c.relowner) FROM pg_class AS c WHERE c.oid IN (relation, budget_of)) <> 1 THEN
		RAISE EXCEPTION 'relation % belongs to another role', budget_of
			USING ERRCODE = 'insufficient_privilege',
				HINT = 'Relations share budgets where they have one owner.';
	END IF;
	PERFORM dp_noise.lock_relation(budget_of);
	found_id := dp_noise.protected_relation_id(budget_of);
	SELECT e.purse_id INTO next_id FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = found_id;
	IF next_id IS NOT NULL THEN
		RAISE EXCEPTION 'relation % has no budgets of its own', budget_of
			USING ERRCODE = 'invalid_parameter_value',
				HINT = (SELECT format('Write budget_of => %L.', format('%I.%I', e.schema_name, e.relation_name))
					FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = next_id);
	END IF;
	IF EXISTS (
		SELECT FROM dp_noise_ledger.relation_entry AS e
		JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = e.relation_id
		WHERE e.purse_id = relation_id) THEN
		RAISE EXCEPTION 'other relations share the budgets of %', relation
			USING ERRCODE = 'invalid_parameter_value',
				HINT = format('Write budget_of => %L for %s instead, or protect those relations without budget_of first.', relation, budget_of);
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.find_purse(regclass, integer, regclass) IS
'Locks and checks the relation whose budgets another one is to share, and returns its number: (relation, its relation_id, budget_of).';

CREATE FUNCTION dp_noise.leave_purse(relation regclass, relation_id integer, purse_id integer)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	purse regclass := (
		SELECT i.object::regclass FROM dp_noise_ledger.current_identity AS i
		JOIN pg_class AS c ON c.oid = i.object
		JOIN pg_class AS own ON own.oid = relation AND own.relowner = c.relowner
		WHERE i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = purse_id);
	is_spent CONSTANT boolean := dp_noise.has_charges(purse_id);
BEGIN
	IF is_spent AND purse IS NOT NULL THEN
		RAISE EXCEPTION 'what was spent of the budgets of % would no longer count for %', purse, relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = format('Write budget_of => %L.', purse);
	END IF;
	UPDATE dp_noise_ledger.relation_entry AS e SET purse_id = NULL WHERE e.relation_id = relation_id;
	IF is_spent THEN
		UPDATE dp_noise_ledger.relation_entry AS e
		SET inherits = dp_noise.sources_with(relation_id, purse_id || p.inherits)
		FROM dp_noise_ledger.relation_entry AS p
		WHERE e.relation_id = relation_id AND p.relation_id = purse_id;
		PERFORM dp_noise.inherit_spending(relation_id, ARRAY[purse_id]);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.leave_purse(regclass, integer, integer) IS
'Gives a relation budgets of its own again, with the spending carried over: (relation, its relation_id, relation_id of the purse). Called under the lock of the relation.';

CREATE FUNCTION dp_noise.join_purse(relation_id integer, purse_id integer)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
	UPDATE dp_noise_ledger.budget_entry AS b SET is_active = false
	WHERE b.relation_id = relation_id AND b.role_id IS NOT NULL AND b.is_active;
	IF dp_noise.has_charges(relation_id) THEN
		UPDATE dp_noise_ledger.relation_entry AS p SET inherits = dp_noise.sources_with(purse_id, ARRAY[relation_id])
		WHERE p.relation_id = purse_id;
	END IF;
	UPDATE dp_noise_ledger.relation_entry AS e SET purse_id = join_purse.purse_id WHERE e.relation_id = join_purse.relation_id;
	PERFORM dp_noise.inherit_spending(purse_id, '{}');
END
$$;
COMMENT ON FUNCTION dp_noise.join_purse(integer, integer) IS
'Makes a relation share the budgets of another one, to which earlier charges are passed on: (relation_id, relation_id of the purse). Called under the locks of both.';

CREATE FUNCTION dp_noise.set_purse(relation regclass, relation_id integer, budget_of regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	old CONSTANT integer := (SELECT e.purse_id FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = relation_id);
	new CONSTANT integer := CASE WHEN budget_of IS NOT NULL THEN dp_noise.find_purse(relation, relation_id, budget_of) END;
BEGIN
	IF new IS NOT NULL THEN
		PERFORM dp_noise.check_same_people(relation_id, new);
	END IF;
	IF new IS NOT DISTINCT FROM old THEN
		RETURN;
	END IF;
	IF old IS NOT NULL THEN
		PERFORM dp_noise.leave_purse(relation, relation_id, old);
	END IF;
	IF new IS NOT NULL THEN
		PERFORM dp_noise.join_purse(relation_id, new);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.set_purse(regclass, integer, regclass) IS
'Sets which relation''s budgets pay for a relation; null: its own: (relation, its relation_id, budget_of).';

CREATE FUNCTION dp_noise.budgeted_relation_id(relation regclass)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	found_id CONSTANT integer := dp_noise.protected_relation_id(relation);
	purse text;
BEGIN
	SELECT coalesce(i.object::regclass::text, 'a relation that was dropped') INTO purse
	FROM dp_noise_ledger.relation_entry AS e
	LEFT JOIN dp_noise_ledger.current_identity AS i ON i.class = 'pg_catalog.pg_class'::regclass::oid AND i.id = e.purse_id
	WHERE e.relation_id = found_id AND e.purse_id IS NOT NULL;
	IF FOUND THEN
		RAISE EXCEPTION 'relation % has no budgets of its own', relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = format('It shares those of %s.', purse),
				HINT = format('Name %s instead.', purse);
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.budgeted_relation_id(regclass) IS
'Number of a protected relation that has budgets of its own. Raises an error for other relations.';

REVOKE ALL ON FUNCTION
	dp_noise.sources_with(integer, integer[]),
	dp_noise.find_unit_root(integer),
	dp_noise.check_same_people(integer, integer),
	dp_noise.check_purses_along(regclass, integer, boolean),
	dp_noise.find_purse(regclass, integer, regclass),
	dp_noise.leave_purse(regclass, integer, integer),
	dp_noise.join_purse(integer, integer),
	dp_noise.set_purse(regclass, integer, regclass),
	dp_noise.budgeted_relation_id(regclass)
FROM PUBLIC;
