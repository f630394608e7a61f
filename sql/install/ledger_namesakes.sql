/*
 * ledger_namesakes.sql
 *		The ledger: what namesakes inherit.
 *
 * A namesake is an object with the name of an earlier one. What was spent
 * never decreases: neither for a relation or role, whatever its name,
 * nor for a name, whichever object has it:
 *
 *	- An entry keeps all names that it ever had (name_entry). A relation inherits
 *	  from every dropped relation that ever had its present name, a role from every
 *	  other role that ever had its, dropped or not: a renamed relation keeps its
 *	  rows, but a role is granted a budget by its name. The sources of an entry,
 *	  including those that its sources inherited from, are noted for good (column
 *	  inherits), so that a new name loses nothing. That is done when owners declare
 *	  something, and at the latest before the next charge.
 *	- Spending stays in the budget to which it was charged, for all later heirs.
 *	  Heirs count it as a part of theirs (spending_part), each source once, however
 *	  often names go back and forth. When an heir is dropped, it keeps only what was
 *	  charged to itself, since the sources are still found by "inherits".
 *	- A relation with a purse (purses.sql) passes on what the purse has spent, and a
 *	  purse inherits what the relations that share it inherit.
 *	- The sums err on the safe side: all spending of a role that still exists counts,
 *	  even under another name; and what refilled for an heir is inherited again by
 *	  the next heir where the budgets' periods differ.
 *
 * If a namesake has another owner than the relation before it, it inherits
 * what was charged, but not what the former owner wrote off by forfeit(). It is
 * not shown who spent it: it appears in the total alone, and the budgets of
 * roles are simply smaller. Earlier charges and answers can be read only by
 * the same owner, or by a role to whom that owner gave the relation, since
 * anybody may create a table with the name of a dropped one. Questions that
 * were asked, with their answers, move to the first heir of the same owner;
 * heirs of other owners only get a note that they were asked.
 */

------------------------------------------------------------------------------
-- The ledger: names, and parts of budgets

CREATE FUNCTION dp_noise.note_name(class oid, id integer, schema_name name, name name)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
	INSERT INTO dp_noise_ledger.name_entry (class, id, schema_name, name)
	VALUES (note_name.class, note_name.id, note_name.schema_name, note_name.name)
	ON CONFLICT DO NOTHING
$$;
COMMENT ON FUNCTION dp_noise.note_name(oid, integer, name, name) IS
'Notes that an entry has a name: (class, relation_id or role_id, schema (empty for a role), name). Called under the lock of the relation; for a role, by the ledger worker.';

CREATE FUNCTION dp_noise.note_role_sources(role_id integer)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
	UPDATE dp_noise_ledger.role_entry AS r SET inherits = s.sources
	FROM (
		SELECT ARRAY(
			SELECT h FROM dp_noise_ledger.role_entry AS r, unnest(r.inherits) AS h WHERE r.role_id = note_role_sources.role_id
			UNION
			SELECT u.h FROM dp_noise_ledger.role_entry AS r
			JOIN dp_noise_ledger.name_entry AS n ON n.class = 'pg_catalog.pg_authid'::regclass AND n.schema_name = '' AND n.name = r.role_name
			JOIN dp_noise_ledger.role_entry AS o ON o.role_id = n.id
			CROSS JOIN unnest(o.role_id || o.inherits) AS u (h)
			WHERE r.role_id = note_role_sources.role_id AND u.h <> r.role_id
			ORDER BY 1)
	) AS s (sources)
	WHERE r.role_id = note_role_sources.role_id AND r.inherits <> s.sources
$$;
COMMENT ON FUNCTION dp_noise.note_role_sources(integer) IS
'Notes the roles that a role inherits spending from. Called by the ledger worker alone.';

CREATE FUNCTION dp_noise.note_relation_sources(relation_id integer)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
	UPDATE dp_noise_ledger.relation_entry AS r SET inherits = s.sources
	FROM (
		SELECT ARRAY(
			SELECT h FROM dp_noise_ledger.relation_entry AS r, unnest(r.inherits) AS h WHERE r.relation_id = note_relation_sources.relation_id
			UNION
			SELECT h FROM dp_noise_ledger.relation_entry AS r, unnest(r.inherits) AS h
			WHERE r.purse_id = note_relation_sources.relation_id AND h <> r.purse_id
			UNION
			SELECT u.h FROM dp_noise_ledger.relation_entry AS r
			JOIN dp_noise_ledger.name_entry AS n ON n.class = 'pg_catalog.pg_class'::regclass
				AND n.schema_name = r.schema_name AND n.name = r.relation_name
			JOIN dp_noise_ledger.relation_entry AS o ON o.relation_id = n.id
			LEFT JOIN dp_noise_ledger.relation_entry AS p ON p.relation_id = o.purse_id
			CROSS JOIN unnest(o.relation_id || o.inherits || p.relation_id || p.inherits) AS u (h)
			WHERE (r.relation_id = note_relation_sources.relation_id OR r.purse_id = note_relation_sources.relation_id)
				AND u.h <> note_relation_sources.relation_id AND o.relation_id <> r.relation_id
				AND NOT EXISTS (SELECT FROM dp_noise_ledger.current_identity AS c WHERE c.class = n.class AND c.id = o.relation_id)
			ORDER BY 1)
	) AS s (sources)
	WHERE r.relation_id = note_relation_sources.relation_id AND r.inherits <> s.sources
$$;
COMMENT ON FUNCTION dp_noise.note_relation_sources(integer) IS
'Notes the dropped relations that a relation inherits spending from. Called under the lock of the relation.';

-- Spending is recorded in every currency, whichever accountant a budget has:
-- the budget may get another one, and so may a budget that inherits from it.

CREATE FUNCTION dp_noise.cost_sum(a dp_noise_ledger.cost, b dp_noise_ledger.cost)
RETURNS dp_noise_ledger.cost
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ROW(least(a.epsilon + b.epsilon, 1e13), least(a.delta + b.delta, 1e13), least(a.rho + b.rho, 1e13),
		least(a.delta_pool + b.delta_pool, 1e13), least(a.unbounded + b.unbounded, 1e13))::dp_noise_ledger.cost
$$;
COMMENT ON FUNCTION dp_noise.cost_sum(dp_noise_ledger.cost, dp_noise_ledger.cost) IS
'The sum of two costs, each field at most 10^13.';

CREATE FUNCTION dp_noise.cost_rest(a dp_noise_ledger.cost, b dp_noise_ledger.cost)
RETURNS dp_noise_ledger.cost
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ROW(greatest(a.epsilon - b.epsilon, 0), greatest(a.delta - b.delta, 0), greatest(a.rho - b.rho, 0),
		greatest(a.delta_pool - b.delta_pool, 0), greatest(a.unbounded - b.unbounded, 0))::dp_noise_ledger.cost
$$;
COMMENT ON FUNCTION dp_noise.cost_rest(dp_noise_ledger.cost, dp_noise_ledger.cost) IS
'The first cost less the second; no field is negative.';

CREATE FUNCTION dp_noise.cost_greatest(a dp_noise_ledger.cost, b dp_noise_ledger.cost)
RETURNS dp_noise_ledger.cost
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ROW(greatest(a.epsilon, b.epsilon), greatest(a.delta, b.delta), greatest(a.rho, b.rho),
		greatest(a.delta_pool, b.delta_pool), greatest(a.unbounded, b.unbounded))::dp_noise_ledger.cost
$$;
COMMENT ON FUNCTION dp_noise.cost_greatest(dp_noise_ledger.cost, dp_noise_ledger.cost) IS
'The greater of two costs, field by field.';

CREATE FUNCTION dp_noise.is_cost(a dp_noise_ledger.cost)
RETURNS boolean
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT a.epsilon > 0 OR a.delta > 0 OR a.rho > 0 OR a.delta_pool > 0 OR a.unbounded > 0
$$;
COMMENT ON FUNCTION dp_noise.is_cost(dp_noise_ledger.cost) IS
'Whether any field of a cost is above 0.';

CREATE FUNCTION dp_noise.spent_of(budget dp_noise_ledger.budget_entry)
RETURNS dp_noise_ledger.cost
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ROW(budget.epsilon_spent, budget.delta_spent, budget.rho_spent, budget.pool_spent, budget.unbounded_spent)::dp_noise_ledger.cost
$$;
COMMENT ON FUNCTION dp_noise.spent_of(dp_noise_ledger.budget_entry) IS
'The cost spent from a budget since period_start.';

CREATE FUNCTION dp_noise.cost_of_pure(epsilon numeric, delta numeric)
RETURNS dp_noise_ledger.cost
AS 'MODULE_PATHNAME', 'dp_cost_of_epsilon'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.cost_of_pure(numeric, numeric) IS
'The greatest cost of charges that are (epsilon, delta)-DP together: epsilon tanh(epsilon/2) in rho, rounded up, and delta from the pool (Kairouz, Oh, Viswanath 2015).';

CREATE FUNCTION dp_noise.rho_of_grant(epsilon numeric, delta numeric, delta_pool numeric)
RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_rho_of_grant'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.rho_of_grant(numeric, numeric, numeric) IS
'The rho that a grant of epsilon and delta is worth, where delta_pool is the pool''s part of delta; rounded down (Canonne, Kamath, Steinke 2020). Error: invalid_parameter_value (epsilon not in 2^-20 .. 1000000, delta not below 1, delta_pool not below delta).';

CREATE FUNCTION dp_noise.epsilon_of_rho(rho numeric, delta numeric)
RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_epsilon_of_rho'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.epsilon_of_rho(numeric, numeric) IS
'The epsilon that an amount of rho amounts to at a delta, for people to read: rounded up to 15 digits. It is not what is charged, and does not add up. delta 0: infinity, or 0 for a rho of 0.';

CREATE FUNCTION dp_noise.part_of(budget dp_noise_ledger.budget_entry, kinds text[])
RETURNS dp_noise_ledger.cost
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ROW(coalesce(sum(p.epsilon), 0), coalesce(sum(p.delta), 0), coalesce(sum(p.rho), 0), coalesce(sum(p.delta_pool), 0),
		coalesce(sum(p.unbounded), 0))::dp_noise_ledger.cost
	FROM dp_noise_ledger.spending_part AS p
	WHERE p.budget_id = budget.budget_id AND p.at >= budget.period_start AND p.kind = ANY (kinds)
$$;
COMMENT ON FUNCTION dp_noise.part_of(dp_noise_ledger.budget_entry, text[]) IS
'How much of the spending of a budget is made up of parts of some kinds.';

------------------------------------------------------------------------------
-- The ledger: what namesakes inherit

CREATE FUNCTION dp_noise.inherit_budget(
	old dp_noise_ledger.budget_entry,
	relation_id integer,
	role_id integer,
	is_foreign boolean,
	with_limits boolean
)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	heir dp_noise_ledger.budget_entry;
	part dp_noise_ledger.spending_part;
	old_begin CONSTANT timestamptz := dp_noise.period_begin(old.period_start, old.period, now());
	heir_begin timestamptz;
	same_period boolean;
	is_renewed boolean;
	is_over boolean;
	nothing CONSTANT dp_noise_ledger.cost := ROW(0, 0, 0, 0, 0);
	spent dp_noise_ledger.cost;
	counted dp_noise_ledger.cost;
	own dp_noise_ledger.cost;
	more dp_noise_ledger.cost;
BEGIN
	SELECT * INTO heir FROM dp_noise_ledger.budget_entry AS b
	WHERE b.relation_id = relation_id AND b.role_id IS NOT DISTINCT FROM role_id;
	IF heir.budget_id IS NULL THEN
		INSERT INTO dp_noise_ledger.budget_entry (relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query,
			min_epsilon_per_query, period, on_repeat, period_start, accountant, rho, delta_pool)
		VALUES (relation_id, role_id, false, old.shared, old.epsilon, old.delta, old.max_epsilon_per_query,
			old.min_epsilon_per_query, old.period, old.on_repeat, old.period_start, old.accountant, old.rho, old.delta_pool)
		RETURNING * INTO heir;
	ELSIF with_limits THEN
		-- Limits on a total are inherited, unlike grants.
		IF old.epsilon IS NOT NULL AND heir.epsilon IS NULL THEN
			UPDATE dp_noise_ledger.spending_part AS p SET at = clock_timestamp()
			WHERE p.budget_id = heir.budget_id AND p.at >= heir.period_start;
			heir.delta := old.delta;
			heir.accountant := old.accountant;
			heir.rho := old.rho;
			heir.delta_pool := old.delta_pool;
			heir.period := old.period;
			heir.period_start := old_begin;
		ELSIF old.epsilon IS NOT NULL THEN
			heir.delta := least(heir.delta, old.delta);
			-- Of two accountants, the one whose limits hold for both, whatever
			-- is asked.
			IF heir.accountant = old.accountant THEN
				heir.rho := least(heir.rho, old.rho);
				heir.delta_pool := least(heir.delta_pool, old.delta_pool);
			ELSE
				heir.accountant := 'pure';
				heir.rho := NULL;
				heir.delta_pool := 0;
			END IF;
		END IF;
		heir.epsilon := least(heir.epsilon, old.epsilon);
		heir.max_epsilon_per_query := least(heir.max_epsilon_per_query, old.max_epsilon_per_query);
		heir.min_epsilon_per_query := greatest(heir.min_epsilon_per_query, old.min_epsilon_per_query);
	END IF;
	-- Neither budget may refill earlier than it would have by itself.
	heir_begin := dp_noise.period_begin(heir.period_start, heir.period, now());
	same_period := heir.period IS NOT DISTINCT FROM old.period;
	is_renewed := heir_begin > heir.period_start;
	spent := CASE WHEN is_renewed THEN nothing ELSE dp_noise.spent_of(heir) END;
	SELECT * INTO part FROM dp_noise_ledger.spending_part AS p WHERE p.budget_id = heir.budget_id AND p.source = old.budget_id;
	-- What was charged to the old budget itself, which may have grown.
	IF same_period AND old_begin > old.period_start THEN
		own := nothing;
	ELSE
		own := dp_noise.cost_rest(dp_noise.spent_of(old),
			dp_noise.part_of(old, CASE WHEN is_foreign THEN ARRAY['inherited', 'foreign', 'forfeited'] ELSE ARRAY['inherited', 'foreign'] END));
	END IF;
	more := own;
	IF part.budget_id IS NOT NULL THEN
		counted := ROW(part.epsilon, part.delta, part.rho, part.delta_pool, part.unbounded);
		more := dp_noise.cost_rest(own, counted);
	END IF;
	IF dp_noise.is_cost(more) THEN
		-- A part that has refilled counts again as a whole.
		is_over := part.at < heir_begin;
		IF is_over THEN
			more := own;
		ELSIF part.budget_id IS NOT NULL THEN
			own := dp_noise.cost_greatest(own, counted);
		END IF;
		heir_begin := greatest(heir_begin, CASE WHEN same_period THEN old_begin END);
		UPDATE dp_noise_ledger.spending_part AS p SET at = greatest(p.at, heir_begin)
		WHERE p.budget_id = heir.budget_id AND p.at >= heir.period_start AND NOT is_renewed;
		INSERT INTO dp_noise_ledger.spending_part AS p (budget_id, source, kind, epsilon, delta, rho, delta_pool, unbounded, at)
		VALUES (heir.budget_id, old.budget_id, CASE WHEN is_foreign THEN 'foreign' ELSE 'inherited' END,
			own.epsilon, own.delta, own.rho, own.delta_pool, own.unbounded, clock_timestamp())
		ON CONFLICT (budget_id, source) DO UPDATE
		SET epsilon = EXCLUDED.epsilon, delta = EXCLUDED.delta, rho = EXCLUDED.rho, delta_pool = EXCLUDED.delta_pool,
			unbounded = EXCLUDED.unbounded, at = EXCLUDED.at;
	ELSIF NOT with_limits AND NOT is_renewed THEN
		RETURN;
	END IF;
	spent := dp_noise.cost_sum(spent, more);
	UPDATE dp_noise_ledger.budget_entry AS b
	SET epsilon = heir.epsilon, delta = heir.delta, max_epsilon_per_query = heir.max_epsilon_per_query,
		min_epsilon_per_query = heir.min_epsilon_per_query, period = heir.period,
		accountant = heir.accountant, rho = heir.rho, delta_pool = heir.delta_pool,
		epsilon_spent = spent.epsilon, delta_spent = spent.delta, rho_spent = spent.rho,
		pool_spent = spent.delta_pool, unbounded_spent = spent.unbounded,
		period_start = heir_begin
	WHERE b.budget_id = heir.budget_id;
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_budget(dp_noise_ledger.budget_entry, integer, integer, boolean, boolean) IS
'Adds the charges on a budget to the budget of a namesake, a new object of the same name: (budget, relation_id, role_id or null, whether the budget was another owner''s, whether limits on the total are inherited).';

CREATE FUNCTION dp_noise.inherit_spending(relation_id integer, with_limits_of integer[])
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	source record;
BEGIN
	PERFORM dp_noise.note_relation_sources(relation_id);
	FOR source IN
		SELECT b AS budget, b.role_id, b.role_id IS NULL AND b.relation_id = ANY (with_limits_of) AS with_limits,
			NOT coalesce(e.owner_id = h.owner_id OR (e.successor_reads AND s.owner_id = h.owner_id), false) AS is_foreign
		FROM dp_noise_ledger.relation_entry AS h
		JOIN dp_noise_ledger.relation_entry AS e ON e.relation_id = ANY (h.inherits)
		LEFT JOIN dp_noise_ledger.relation_entry AS s ON s.relation_id = e.successor
		JOIN dp_noise_ledger.budget_entry AS b ON b.relation_id = e.relation_id
		WHERE h.relation_id = relation_id
		ORDER BY b.budget_id
	LOOP
		IF source.with_limits OR dp_noise.is_cost(dp_noise.spent_of(source.budget)) THEN
			PERFORM dp_noise.inherit_budget(source.budget, relation_id, source.role_id, source.is_foreign, source.with_limits);
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_spending(integer, integer[]) IS
'Passes to a relation what was charged to all relations that it inherits from: (relation_id, those among them whose limits on the total it inherits as well).';

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
BEGIN
	olds := ARRAY(
		SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS h
		JOIN dp_noise_ledger.relation_entry AS e ON e.relation_name = h.relation_name AND e.schema_name = h.schema_name
		WHERE h.relation_id = relation_id AND e.relation_id <> relation_id AND e.successor IS NULL AND NOT e.relation_id = ANY (h.copied)
			AND NOT EXISTS (SELECT FROM dp_noise_ledger.current_identity AS c WHERE c.class = relations AND c.id = e.relation_id)
		ORDER BY e.relation_id);
	IF olds = '{}' THEN
		PERFORM dp_noise.inherit_spending(relation_id, '{}');
		RETURN;
	END IF;
	-- Namesakes of the same owner, and earlier ones whose answers these could read.
	own := ARRAY(
		SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e
		LEFT JOIN dp_noise_ledger.relation_entry AS s ON s.relation_id = e.successor
		WHERE (e.relation_id = ANY (olds) OR e.successor = ANY (olds))
			AND (e.owner_id = owner OR (e.successor_reads AND s.owner_id = owner)));
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
	UPDATE dp_noise_ledger.relation_entry AS h
	SET copied = ARRAY(SELECT DISTINCT c FROM unnest(h.copied || olds) AS c WHERE NOT c = ANY (mine))
	WHERE h.relation_id = relation_id;
	-- From another owner's relation a role inherits which questions it asked,
	-- but no answers.
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
	PERFORM dp_noise.inherit_spending(relation_id, ARRAY(
		SELECT u.id FROM dp_noise_ledger.relation_entry AS e CROSS JOIN unnest(ARRAY[e.relation_id, e.purse_id]) AS u (id)
		WHERE e.relation_id = ANY (mine || others) AND u.id IS NOT NULL));
END
$$;
COMMENT ON FUNCTION dp_noise.inherit_relation(integer) IS
'Passes to a relation what was spent on dropped relations of its name, and to its owner what that owner could read of them.';

CREATE FUNCTION dp_noise.inherit_role(relation_id integer, role_id integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	olds integer[];
	source record;
BEGIN
	-- Also what budgets of this relation have inherited in turn.
	FOR source IN
		SELECT b AS budget, false AS is_foreign
		FROM dp_noise_ledger.role_entry AS r
		JOIN dp_noise_ledger.budget_entry AS b ON b.role_id = ANY (r.inherits)
		WHERE r.role_id = role_id AND b.relation_id = relation_id
		UNION ALL
		SELECT o, p.kind = 'foreign'
		FROM dp_noise_ledger.role_entry AS r
		JOIN dp_noise_ledger.budget_entry AS b ON b.role_id = ANY (r.inherits)
		JOIN dp_noise_ledger.spending_part AS p ON p.budget_id = b.budget_id AND p.at >= b.period_start
		JOIN dp_noise_ledger.budget_entry AS o ON o.budget_id = p.source
		WHERE r.role_id = role_id AND b.relation_id = relation_id AND o.relation_id <> relation_id
	LOOP
		PERFORM dp_noise.inherit_budget(source.budget, relation_id, role_id, source.is_foreign, false);
	END LOOP;
	-- Questions are inherited only from namesakes that were dropped.
	olds := ARRAY(
		SELECT r.role_id FROM dp_noise_ledger.role_entry AS h
		JOIN dp_noise_ledger.role_entry AS r ON r.role_name = h.role_name
		WHERE h.role_id = role_id AND r.role_id <> role_id
			AND NOT EXISTS (SELECT FROM dp_noise_ledger.current_identity AS c WHERE c.class = roles AND c.id = r.role_id)
		ORDER BY r.role_id);
	IF olds = '{}' THEN
		RETURN;
	END IF;
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
'Passes to a role what dropped roles of its name have spent on a relation: (relation_id, role_id). Called under the lock of the relation.';
