/*
 * ledger_names.sql
 *		The ledger: numbers of relations and roles, and what namesakes inherit.
 */

------------------------------------------------------------------------------
-- The ledger: names and identities
--
-- These run with the rights of whoever calls them: the ledger worker, or the
-- functions for owners below, which are SECURITY DEFINER.

CREATE VIEW dp_noise_ledger.role_identity AS
SELECT i.class, i.object, i.id
FROM dp_noise_ledger.identity AS i
WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid
	AND EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE a.oid = i.object)
UNION ALL
SELECT d.class, a.oid, d.id
FROM dp_noise_ledger.entry_dumped AS d
JOIN dp_noise_ledger.role_entry AS r ON r.role_id = d.id
JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
WHERE d.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid
	AND NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = d.class AND (i.id = d.id OR i.object = a.oid));
COMMENT ON VIEW dp_noise_ledger.role_identity IS
'Which role a role_id is, of those that are there.';

-- A table of the name that a dump knows is the dump's if its owner is: anybody else
-- could have made it where the dump's table was not restored.
CREATE VIEW dp_noise_ledger.current_identity AS
SELECT r.class, r.object, r.id
FROM dp_noise_ledger.role_identity AS r
UNION ALL
SELECT i.class, i.object, i.id
FROM dp_noise_ledger.identity AS i
WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
	AND EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object)
UNION ALL
SELECT d.class, c.oid, d.id
FROM dp_noise_ledger.entry_dumped AS d
JOIN dp_noise_ledger.relation_entry AS e ON e.relation_id = d.id
JOIN pg_catalog.pg_namespace AS n ON n.nspname = e.schema_name
JOIN pg_catalog.pg_class AS c ON c.relname = e.relation_name AND c.relnamespace = n.oid
JOIN pg_catalog.pg_roles AS a ON a.oid = c.relowner
WHERE d.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
	AND NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = d.class AND (i.id = d.id OR i.object = c.oid))
	AND (a.rolsuper OR EXISTS (SELECT FROM dp_noise_ledger.role_identity AS r WHERE r.object = a.oid AND r.id = e.owner_id));
COMMENT ON VIEW dp_noise_ledger.current_identity IS
'Which object a relation_id or role_id is, of those that are there: dp_noise_ledger.identity, and by their names what a dump restored and nothing has asked for yet.';

CREATE FUNCTION dp_noise.lock_relation(relation oid)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_relation'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_relation(oid) IS
'Locks what the ledger knows of a relation against the ledger worker and all others who write it, until the end of the transaction.';

CREATE FUNCTION dp_noise.find_relation(relation oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
BEGIN
	SELECT i.id INTO found_id FROM dp_noise_ledger.identity AS i
	WHERE i.class = relations AND i.object = find_relation.relation;
	IF found_id IS NULL THEN
		SELECT c.id INTO found_id FROM dp_noise_ledger.current_identity AS c
		WHERE c.class = relations AND c.object = find_relation.relation;
		IF found_id IS NOT NULL THEN
			INSERT INTO dp_noise_ledger.identity (class, object, id) VALUES (relations, find_relation.relation, found_id);
		END IF;
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.find_relation(oid) IS
'Number of a relation, null for one that was never protected. Under the lock of the relation.';

CREATE FUNCTION dp_noise.find_role(role oid)
RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT c.id FROM dp_noise_ledger.current_identity AS c
	WHERE c.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND c.object = find_role.role
$$;
COMMENT ON FUNCTION dp_noise.find_role(oid) IS
'Number of a role; null for one that has none.';

CREATE FUNCTION dp_noise.make_role(role oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
	found_name name;
BEGIN
	SELECT a.rolname INTO STRICT found_name FROM pg_catalog.pg_authid AS a WHERE a.oid = make_role.role;
	SELECT i.id INTO found_id FROM dp_noise_ledger.identity AS i
	WHERE i.class = roles AND i.object = make_role.role;
	IF found_id IS NULL THEN
		found_id := dp_noise.find_role(make_role.role);
		IF found_id IS NULL THEN
			INSERT INTO dp_noise_ledger.role_entry (role_name) VALUES (found_name) RETURNING role_id INTO found_id;
			INSERT INTO dp_noise_ledger.entry_dumped (class, id) VALUES (roles, found_id);
		END IF;
		INSERT INTO dp_noise_ledger.identity (class, object, id) VALUES (roles, make_role.role, found_id);
	END IF;
	UPDATE dp_noise_ledger.role_entry AS r SET role_name = found_name
	WHERE r.role_id = found_id AND r.role_name <> found_name;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.make_role(oid) IS
'Number of a role; one that has none gets one, one that was renamed its new name. By the ledger worker alone.';

CREATE FUNCTION dp_noise.number_role(role oid)
RETURNS integer
AS 'MODULE_PATHNAME', 'dp_number_role'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.number_role(oid) IS
'As dp_noise.make_role, which it has the ledger worker call in a transaction of its own.';

CREATE FUNCTION dp_noise.number_owner(relation oid)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	owner CONSTANT oid := (SELECT c.relowner FROM pg_catalog.pg_class AS c WHERE c.oid = number_owner.relation);
	found_id integer;
BEGIN
	SELECT i.id INTO found_id FROM dp_noise_ledger.identity AS i
	WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass AND i.object = owner;
	RETURN coalesce(found_id, dp_noise.number_role(owner));
END
$$;
COMMENT ON FUNCTION dp_noise.number_owner(oid) IS
'Number of the role that owns a relation.';

CREATE FUNCTION dp_noise.tidy()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	PERFORM dp_noise.notice_place();

	-- Roles that were dropped, and relations where no event trigger saw it.
	WITH gone AS (
		SELECT i.class, i.id FROM dp_noise_ledger.identity AS i
		WHERE (i.class = roles AND NOT EXISTS (SELECT FROM pg_catalog.pg_authid AS a WHERE a.oid = i.object))
			OR (i.class = relations AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object))
		FOR UPDATE SKIP LOCKED
	), forgotten AS (
		DELETE FROM dp_noise_ledger.entry_dumped AS d USING gone WHERE d.class = gone.class AND d.id = gone.id
	)
	DELETE FROM dp_noise_ledger.identity AS i USING gone WHERE i.class = gone.class AND i.id = gone.id;

	-- Roles that were renamed, and those that a dump restored.
	UPDATE dp_noise_ledger.role_entry AS r SET role_name = a.rolname
	FROM dp_noise_ledger.identity AS i, pg_catalog.pg_authid AS a
	WHERE i.class = roles AND i.id = r.role_id AND a.oid = i.object
		AND r.role_name <> a.rolname;
	INSERT INTO dp_noise_ledger.identity (class, object, id)
	SELECT c.class, c.object, c.id FROM dp_noise_ledger.current_identity AS c
	WHERE c.class = roles AND NOT EXISTS (SELECT FROM dp_noise_ledger.identity AS i WHERE i.class = c.class AND i.id = c.id);

	-- Owners that changed where no event trigger saw it (REASSIGN OWNED): a dump
	-- should have them. Not under the relations' locks, so entries that an owner is
	-- changing are left alone.
	WITH changed AS (
		SELECT e.relation_id, c.relowner
		FROM dp_noise_ledger.relation_entry AS e
		JOIN dp_noise_ledger.identity AS i ON i.class = relations AND i.id = e.relation_id
		JOIN pg_catalog.pg_class AS c ON c.oid = i.object
		LEFT JOIN dp_noise_ledger.identity AS o ON o.class = roles AND o.object = c.relowner
		WHERE e.owner_id IS DISTINCT FROM o.id
		FOR UPDATE OF e SKIP LOCKED
	)
	UPDATE dp_noise_ledger.relation_entry AS e SET owner_id = dp_noise.make_role(changed.relowner)
	FROM changed WHERE e.relation_id = changed.relation_id;
END
$$;
COMMENT ON FUNCTION dp_noise.tidy() IS
'Brings what is known of roles, and of the owners of relations, up to date after drops, renames and restores. By the ledger worker alone, when it starts.';

CREATE FUNCTION dp_noise.period_begin(start timestamptz, period interval, at timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
	result timestamptz := start;
	periods bigint;
BEGIN
	IF period IS NULL OR start + period > at THEN
		RETURN start;
	END IF;
	-- A first guess by length, a little short, then step by step: months differ.
	periods := pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - start)
		/ EXTRACT(epoch FROM period))::bigint - 1;
	IF periods > 0 AND start + periods * period <= at THEN
		result := start + periods * period;
	END IF;
	WHILE result + period <= at LOOP
		result := result + period
			* greatest(1, pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - result) / EXTRACT(epoch FROM period)))::bigint;
	END LOOP;
	RETURN result;
END
$$;
COMMENT ON FUNCTION dp_noise.period_begin(timestamptz, interval, timestamptz) IS
'The last start + n * period that is not after the given time; start itself without a period. Days and months are those of UTC, so that everyone''s periods begin at once.';

------------------------------------------------------------------------------
-- The ledger: what namesakes inherit
--
-- What was spent, and which questions were asked; under the relation's lock. To read
-- what was charged and answered goes to the same owner alone, or to whoever has got
-- the relation from that owner: anybody may make a table of the name of one that was
-- dropped.

CREATE FUNCTION dp_noise.inherit_budget(old dp_noise_ledger.budget_entry, relation_id integer, role_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	heir dp_noise_ledger.budget_entry;
	old_begin timestamptz := dp_noise.period_begin(old.period_start, old.period, now());
	heir_begin timestamptz;
	same_period boolean;
BEGIN
	UPDATE dp_noise_ledger.budget_entry AS b SET inherited = true WHERE b.budget_id = old.budget_id;
	SELECT * INTO heir FROM dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = relation_id AND b.role_id IS NOT DISTINCT FROM role_id;
	IF heir.budget_id IS NULL THEN
		INSERT INTO dp_noise_ledger.budget_entry (relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query,
			min_epsilon_per_query, period, on_repeat, epsilon_spent, delta_spent, period_start)
		VALUES (relation_id, role_id, false, old.shared, old.epsilon, old.delta, old.max_epsilon_per_query,
			old.min_epsilon_per_query, old.period, old.on_repeat, old.epsilon_spent, old.delta_spent, old.period_start);
		RETURN;
	END IF;
	-- A limit on the total is none that a grant gives back.
	IF role_id IS NULL AND old.epsilon IS NOT NULL AND heir.epsilon IS NULL THEN
		heir.delta := old.delta;
		heir.period := old.period;
		heir.period_start := old_begin;
	ELSIF role_id IS NULL AND old.epsilon IS NOT NULL THEN
		heir.delta := least(heir.delta, old.delta);
	END IF;
	IF role_id IS NULL THEN
		heir.epsilon := least(heir.epsilon, old.epsilon);
		heir.max_epsilon_per_query := least(heir.max_epsilon_per_query, old.max_epsilon_per_query);
		heir.min_epsilon_per_query := greatest(heir.min_epsilon_per_query, old.min_epsilon_per_query);
	END IF;
	-- Nothing of either refills before it would have by itself.
	heir_begin := dp_noise.period_begin(heir.period_start, heir.period, now());
	same_period := heir.period IS NOT DISTINCT FROM old.period;
	IF heir_begin > heir.period_start THEN
		heir.epsilon_spent := 0;
		heir.delta_spent := 0;
	END IF;
	IF same_period AND old_begin > old.period_start THEN
		old.epsilon_spent := 0;
		old.delta_spent := 0;
	END IF;
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon = heir.epsilon, delta = heir.delta, max_epsilon_per_query = heir.max_epsilon_per_query,
		min_epsilon_per_query = heir.min_epsilon_per_query, period = heir.period,
		epsilon_spent = least(heir.epsilon_spent + old.epsilon_spent, 1e13),
		delta_spent = least(heir.delta_spent + old.delta_spent, 1e13),
		period_start = greatest(heir_begin, CASE WHEN same_period THEN old_begin END)
	WHERE b.budget_id = heir.budget_id;
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_budget(dp_noise_ledger.budget_entry, integer, integer) IS
'Adds what was spent of a budget to the one of a namesake: (budget, relation_id, role_id or null).';

CREATE FUNCTION dp_noise.inherit_relation(relation_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	owner CONSTANT integer := (SELECT h.owner_id FROM dp_noise_ledger.relation_entry AS h WHERE h.relation_id = relation_id);
	olds integer[];
	own integer[];
	mine integer[];
	others integer[];
	old dp_noise_ledger.budget_entry;
BEGIN
	olds := ARRAY(
		SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS h
		JOIN dp_noise_ledger.relation_entry AS e ON e.relation_name = h.relation_name AND e.schema_name = h.schema_name
		WHERE h.relation_id = relation_id AND e.relation_id <> relation_id AND e.successor IS NULL AND NOT e.relation_id = ANY (h.copied)
			AND NOT EXISTS (SELECT FROM dp_noise_ledger.current_identity AS c WHERE c.class = relations AND c.id = e.relation_id)
		ORDER BY e.relation_id);
	IF olds = '{}' THEN
		RETURN;
	END IF;
	-- Those of the same owner, and what these could read of earlier ones.
	own := ARRAY(
		SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e
		LEFT JOIN dp_noise_ledger.relation_entry AS s ON s.relation_id = e.successor
		WHERE (e.relation_id = ANY (olds) OR e.successor = ANY (olds))
			AND (e.owner_id = owner OR (e.successor_reads AND s.owner_id = owner)));
	-- Another owner's heir could carry off what was spent, or let it refill: it
	-- is copied to it, and stays where it is for the owner's own heirs. These
	-- need no copy of what they inherit themselves.
	mine := ARRAY(SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e WHERE e.relation_id = ANY (olds) AND e.owner_id = owner);
	UPDATE dp_noise_ledger.relation_entry AS h
	SET copied = ARRAY(
		SELECT DISTINCT c FROM dp_noise_ledger.relation_entry AS e CROSS JOIN unnest(e.copied) AS c
		WHERE e.relation_id = relation_id OR e.relation_id = ANY (mine))
	WHERE h.relation_id = relation_id;
	others := ARRAY(
		SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e, dp_noise_ledger.relation_entry AS h
		WHERE h.relation_id = relation_id AND e.relation_id = ANY (olds) AND NOT e.relation_id = ANY (mine)
			AND NOT e.relation_id = ANY (h.copied) AND NOT e.copied && mine);
	FOR old IN
		SELECT b.* FROM dp_noise_ledger.budget_entry AS b
		WHERE b.relation_id = ANY (mine || others) AND NOT b.inherited ORDER BY b.budget_id
	LOOP
		PERFORM dp_noise.inherit_budget(old, relation_id, old.role_id);
		IF old.relation_id = ANY (others) THEN
			UPDATE dp_noise_ledger.budget_entry AS b SET inherited = false WHERE b.budget_id = old.budget_id;
		END IF;
	END LOOP;
	UPDATE dp_noise_ledger.relation_entry AS h
	SET copied = ARRAY(SELECT DISTINCT c FROM unnest(h.copied || olds) AS c WHERE NOT c = ANY (mine))
	WHERE h.relation_id = relation_id;
	-- Of another owner's a role inherits that it has asked, and no answer.
	WITH asked AS (
		DELETE FROM dp_noise_ledger.answer_entry AS a WHERE a.relation_id = ANY (own) RETURNING *
	), known AS (
		SELECT o.role_id, o.fingerprint, o.asked_at, o.answer, o.state FROM asked AS o
		UNION ALL
		SELECT a.role_id, a.fingerprint, a.asked_at, NULL, a.state FROM dp_noise_ledger.answer_entry AS a
		WHERE a.relation_id = ANY (olds) AND NOT a.relation_id = ANY (own) AND a.role_id <> 0
	)
	INSERT INTO dp_noise_ledger.answer_entry AS a (relation_id, role_id, fingerprint, asked_at, answer, state)
	SELECT DISTINCT ON (o.role_id, o.fingerprint) relation_id, o.role_id, o.fingerprint, o.asked_at, o.answer, o.state
	FROM known AS o ORDER BY o.role_id, o.fingerprint, o.asked_at DESC, o.answer IS NULL
	ON CONFLICT ON CONSTRAINT answer_entry_pkey DO UPDATE
	SET asked_at = EXCLUDED.asked_at, answer = EXCLUDED.answer, state = EXCLUDED.state, ledger_id = NULL
	WHERE a.asked_at < EXCLUDED.asked_at OR (a.asked_at = EXCLUDED.asked_at AND a.answer IS NULL);
	DELETE FROM dp_noise_ledger.identity AS i WHERE i.class = relations AND i.id = ANY (olds);
	DELETE FROM dp_noise_ledger.entry_dumped AS d WHERE d.class = relations AND d.id = ANY (mine);
	UPDATE dp_noise_ledger.relation_entry AS e SET successor = relation_id, successor_reads = e.relation_id = ANY (own)
	WHERE e.relation_id = ANY (mine) OR e.successor = ANY (mine) OR (e.successor = ANY (olds) AND e.relation_id = ANY (own));
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_relation(integer) IS
'Passes to a relation what was spent on all dropped relations of its name, and to its owner what that role could read of them.';

CREATE FUNCTION dp_noise.inherit_role(relation_id integer, role_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	olds integer[];
	old dp_noise_ledger.budget_entry;
BEGIN
	olds := ARRAY(
		SELECT r.role_id FROM dp_noise_ledger.role_entry AS h
		JOIN dp_noise_ledger.role_entry AS r ON r.role_name = h.role_name
		WHERE h.role_id = role_id AND r.role_id <> role_id
			AND NOT EXISTS (SELECT FROM dp_noise_ledger.current_identity AS c WHERE c.class = roles AND c.id = r.role_id)
		ORDER BY r.role_id);
	IF olds = '{}' THEN
		RETURN;
	END IF;
	FOR old IN
		SELECT b.* FROM dp_noise_ledger.budget_entry AS b
		WHERE b.relation_id = relation_id AND b.role_id = ANY (olds) AND NOT b.inherited ORDER BY b.budget_id
	LOOP
		PERFORM dp_noise.inherit_budget(old, relation_id, role_id);
	END LOOP;
	WITH asked AS (
		DELETE FROM dp_noise_ledger.answer_entry AS a
		WHERE a.relation_id = relation_id AND a.role_id = ANY (olds) RETURNING *
	)
	INSERT INTO dp_noise_ledger.answer_entry AS a (relation_id, role_id, fingerprint, asked_at, answer, state)
	SELECT DISTINCT ON (o.fingerprint) relation_id, role_id, o.fingerprint, o.asked_at, o.answer, o.state
	FROM asked AS o ORDER BY o.fingerprint, o.asked_at DESC
	ON CONFLICT ON CONSTRAINT answer_entry_pkey DO UPDATE SET asked_at = EXCLUDED.asked_at, answer = EXCLUDED.answer, state = EXCLUDED.state, ledger_id = NULL
	WHERE a.asked_at < EXCLUDED.asked_at;
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_role(integer, integer) IS
'Passes to a role what all dropped roles of its name have spent on a relation: (relation_id, role_id).';
