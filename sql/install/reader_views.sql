/*
 * reader_views.sql
 *		Views for analysts: what they may ask, and what they have asked.
 *
 * Like all views that everyone may read, these read functions (views.sql).
 */

CREATE FUNCTION dp_noise.accounts_of(payer oid) RETURNS SETOF dp_noise_ledger.account LANGUAGE sql STABLE
AS $$
	SELECT * FROM dp_noise_ledger.account AS a
	WHERE a.pays AND (a.role = payer OR (a.shared AND a.role IN (SELECT dp_noise.paying_groups(payer))))
$$;
COMMENT ON FUNCTION dp_noise.accounts_of(oid) IS
'The budgets that pay for a role, its own and those shared by its groups, and give it the right to ask.';

CREATE FUNCTION dp_noise.do_read_own_budgets(reader oid) RETURNS TABLE (
	population text, relations regclass[], role name, shared boolean, granted numeric, spent numeric, remaining numeric, delta_left numeric,
	max_epsilon_per_query numeric, refills_at timestamptz, on_repeat text, queries_left numeric, min_epsilon_per_query numeric,
	accountant text, rho numeric, rho_spent numeric, rho_left numeric, default_epsilon numeric, failures integer, max_failures integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
AS $$
BEGIN
	RETURN QUERY
	SELECT a.population,
		dp_noise.relations_of(ARRAY(
			SELECT m.member_id FROM dp_noise_ledger.member AS m
			WHERE m.population_id = a.population_id AND (a.relations IS NULL OR m.member_id = ANY (a.relations)))),
		a.role_name, a.shared, a.epsilon, s.epsilon_spent, s.epsilon_left, s.delta_left, a.max_epsilon_per_query, a.refills_at, a.on_repeat,
		-- All budgets pay for a query, so the one that allows least decides how many.
		CASE WHEN now.epsilon > min(a.max_epsilon_per_query) OVER w OR now.epsilon < max(a.min_epsilon_per_query) OVER w
				OR bool_or(a.failures >= a.max_failures) OVER w THEN 0
			ELSE least(dp_noise.queries_left(g.accountant, g.granted, g.spent, now.epsilon, now.rho),
				min(dp_noise.queries_left(a.accountant, a.granted, a.spent, now.epsilon, now.rho)) OVER w)
		END,
		a.min_epsilon_per_query, a.accountant, a.rho, s.rho_spent, s.rho_left, a.default_epsilon, a.failures, a.max_failures
	FROM (SELECT o.*, min(o.default_epsilon) OVER (PARTITION BY o.population_id) AS least_epsilon FROM dp_noise.accounts_of(reader) AS o) AS a
	JOIN dp_noise_ledger.account AS g ON g.population_id = a.population_id AND g.role IS NULL
	CROSS JOIN LATERAL (SELECT dp_noise.current_epsilon(a.least_epsilon), dp_noise.current_rho(a.least_epsilon)) AS now (epsilon, rho)
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WINDOW w AS (PARTITION BY a.population_id);
END
$$;
CALL dp_noise.add_entry('read_own_budgets');
COMMENT ON FUNCTION dp_noise.read_own_budgets() IS 'The rows of dp_budget.';
CREATE VIEW @extschema@.dp_budget AS SELECT * FROM dp_noise.read_own_budgets();
COMMENT ON VIEW @extschema@.dp_budget IS
'The reader''s budgets (those of the session''s user, and those shared by its groups), and the relations that they permit to ask about (empty: none any more): epsilon granted, spent and remaining in the current period, when it refills, what happens to repeated questions, and how many more aggregates at the current dp_noise.epsilon (or default_epsilon where that is not set) all budgets that pay allow, the grant of the population included. Under the accountant zcdp rho is what counts: spent is the epsilon that the rho spent amounts to at the grant''s delta, remaining the rest of the grant, and delta_left what is left of the pool. failures: statements that ended in errors that may depend on rows, since the owner forgave them; with max_failures of them nothing more is answered.';

CREATE FUNCTION dp_noise.bound_text(bound numeric, kind text) RETURNS text LANGUAGE sql STABLE
AS $$
	SELECT CASE kind
		WHEN 'number' THEN bound::text
		WHEN 'date' THEN ('2000-01-01'::date + bound::integer)::text
		WHEN 'timestamp without time zone' THEN ('2000-01-01'::timestamp + s.span)::text
		-- Days of 24 hours, whatever the session's time zone.
		WHEN 'timestamp with time zone' THEN (('2000-01-01'::timestamp + s.span) AT TIME ZONE 'UTC')::text
		-- 24:00:00 is a valid time, but no sum of times gives it.
		WHEN 'time without time zone' THEN (bound::bigint * '1 microsecond'::interval)::text
		WHEN 'interval' THEN s.span::text
	END
	FROM (SELECT CASE WHEN kind IN ('timestamp without time zone', 'timestamp with time zone', 'interval')
		THEN make_interval(days => div(bound, 86400000000)::integer) + mod(bound, 86400000000)::bigint * '1 microsecond'::interval
		END) AS s (span)
$$;
COMMENT ON FUNCTION dp_noise.bound_text(numeric, text) IS
'A bound of dp_noise_ledger.column_bounds, of that kind, as a text: dates and times in ISO form, timestamps with time zone in the session''s time zone.';

CREATE FUNCTION dp_noise.do_read_own_columns(reader oid) RETURNS TABLE (
	relation regclass, column_name name, data_type text, lower text, upper text, public_values text[], public_by text, is_unit boolean,
	max_rows_per_unit integer, max_groups_per_unit integer, on_repeat text, population text, min_people_per_group integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
AS $$
BEGIN
	RETURN QUERY
	WITH permitted AS MATERIALIZED (
		-- from the reader's budgets on, however many members others have
		SELECT DISTINCT m.member_id
		FROM dp_noise.accounts_of(reader) AS o
		JOIN dp_noise_ledger.member AS m ON m.population_id = o.population_id AND (o.relations IS NULL OR m.member_id = ANY (o.relations))
	)
	SELECT m.relation::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
		dp_noise.bound_text(b.lower, b.kind), dp_noise.bound_text(b.upper, b.kind),
		CASE WHEN v.column_values IS NOT NULL THEN v.column_values
			WHEN y.base = 'boolean'::regtype THEN '{false,true}'
			WHEN t.typtype = 'e' THEN ARRAY(SELECT e.enumlabel::text FROM pg_enum AS e WHERE e.enumtypid = y.base ORDER BY e.enumsortorder)
		END,
		CASE WHEN v.column_values IS NOT NULL THEN 'declared'
			WHEN y.base = 'boolean'::regtype OR t.typtype = 'e' THEN 'type'
			WHEN f.target IS NOT NULL THEN 'foreign key to ' || f.target
			WHEN b.kind = 'number' AND y.base IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
				AND b.lower >= -1e9 AND b.upper <= 1e9 AND floor(b.upper) - ceil(b.lower) < 100000 THEN 'computed from bounds'
		END,
		coalesce(a.attname = m.unit OR a.attname = ANY (m.path_columns), false),
		m.max_rows_per_unit, m.max_groups_per_unit, p.on_repeat, p.name, m.min_people_per_group
	FROM permitted
	JOIN dp_noise_ledger.member AS m USING (member_id)
	JOIN dp_noise_ledger.population AS p USING (population_id)
	JOIN pg_attribute AS a ON a.attrelid = m.relation AND a.attnum > 0 AND NOT a.attisdropped
	CROSS JOIN LATERAL (
		WITH RECURSIVE domains (oid) AS (
			SELECT a.atttypid
			UNION
			SELECT d.typbasetype FROM pg_type AS d JOIN domains ON d.oid = domains.oid WHERE d.typtype = 'd'
		)
		SELECT d.oid FROM domains AS d JOIN pg_type AS k ON k.oid = d.oid WHERE k.typtype <> 'd'
	) AS y (base)
	JOIN pg_type AS t ON t.oid = y.base
	LEFT JOIN dp_noise_ledger.column_bounds AS b ON b.member_id = m.member_id AND b.column_name = a.attname
	LEFT JOIN dp_noise_ledger.column_values AS v ON v.member_id = m.member_id AND v.column_name = a.attname
	LEFT JOIN LATERAL (
		-- Foreign keys to a table that the reader may read and that is not
		-- protected itself.
		SELECT min(c.confrelid::regclass::text)
		FROM pg_constraint AS c
		WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND c.convalidated AND c.conkey = ARRAY[a.attnum]
			AND has_column_privilege(reader, c.confrelid, c.confkey[1], 'SELECT')
			AND NOT EXISTS (SELECT FROM dp_noise_ledger.member AS o WHERE o.relation = c.confrelid)
	) AS f (target) ON true
	ORDER BY m.relation, a.attnum;
END
$$;
CALL dp_noise.add_entry('read_own_columns');
COMMENT ON FUNCTION dp_noise.read_own_columns() IS 'The rows of dp_columns.';
CREATE VIEW @extschema@.dp_columns AS SELECT * FROM dp_noise.read_own_columns();
COMMENT ON VIEW @extschema@.dp_columns IS
'The columns of the protected relations that the reader (the session''s user) has a budget to ask about, its own or shared: declared bounds as texts; public values, where they can be listed, and why the values are public (declared, by their type, by a foreign key to a table that the reader may read, or computed from bounds: expressions over an integer between them); null: GROUP BY needs dp_noise.delta. Computed keys (date_trunc(''month'', day), left(code, 2)) have no row of their own: EXPLAIN shows how many values such a key has, and SELECT DISTINCT lists them, free. is_unit: the privacy unit, or a column of the path to it. The other columns are about the relation: how many rows and groups of a unit count; what happens to repeated questions; the population, whose budgets pay; and how many people a group has at least that is shown, where more than 1 every GROUP BY needs dp_noise.delta.';

CREATE VIEW @extschema@.dp_relations AS
SELECT c.relation, c.population, pg_catalog.array_agg(c.column_name) FILTER (WHERE c.is_unit) AS unit, c.max_rows_per_unit, c.max_groups_per_unit, c.on_repeat,
	pg_catalog.count(c.lower)::pg_catalog.int4 AS bounded_columns, pg_catalog.count(c.public_by)::pg_catalog.int4 AS public_columns, c.min_people_per_group
FROM dp_noise.read_own_columns() AS c
GROUP BY c.relation, c.population, c.max_rows_per_unit, c.max_groups_per_unit, c.on_repeat, c.min_people_per_group;
COMMENT ON VIEW @extschema@.dp_relations IS
'The protected relations that the reader (the session''s user) has a budget to ask about, one row each: the population whose budgets pay, the columns that tell units apart or lead to them (null: each row is a unit), how many rows and groups of a unit count, what happens to repeated questions, how many columns have bounds and public values, and how many people a group has at least that is shown. dp_columns has the columns.';

-- A history may have a million rows. Each budget's are read in the order of the
-- index, and not sorted; what was asked about is looked up in a sorted array, since a
-- join by each row takes longer than all the rest; the answers are read only where
-- "replays" is wanted.

CREATE FUNCTION dp_noise.do_read_own_history(reader oid) RETURNS TABLE (
	at timestamptz, population text, aggregate text, mechanism text, epsilon numeric, rho numeric, delta numeric, question bytea,
	asked_about regclass, shared boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET jit = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
	own record;
BEGIN
	FOR own IN
		SELECT b.budget_id, p.name FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.population AS p USING (population_id)
		WHERE b.role = nullif(reader, 0) ORDER BY b.budget_id
	LOOP
		RETURN QUERY
		WITH known AS MATERIALIZED (
			SELECT array_agg(m.member_id ORDER BY m.member_id) AS ids, array_agg(m.relation::regclass ORDER BY m.member_id) AS relations
			FROM dp_noise_ledger.member AS m WHERE m.relation <> 0
		)
		SELECT c.at, own.name, c.aggregate, c.mechanism, c.epsilon, c.rho, c.delta, c.fingerprint,
			CASE WHEN (SELECT k.ids FROM known AS k)[p.place] = c.member_id THEN (SELECT k.relations FROM known AS k)[p.place] END,
			NOT c.grant_paid
		FROM dp_noise_ledger.every_charge AS c, LATERAL (SELECT width_bucket(c.member_id, (SELECT k.ids FROM known AS k)) AS place) AS p
		WHERE c.budget_id = own.budget_id
		ORDER BY c.charge_id;
	END LOOP;
END
$$;
CALL dp_noise.add_entry('read_own_history');
COMMENT ON FUNCTION dp_noise.read_own_history() IS 'The rows of dp_history, without what is said of replays.';

CREATE FUNCTION dp_noise.do_read_own_answers(reader oid)
RETURNS TABLE (population text, question bytea) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
AS $$
BEGIN
	RETURN QUERY
	SELECT p.name, w.question
	FROM dp_noise_ledger.budget AS b
	JOIN dp_noise_ledger.population AS p USING (population_id)
	JOIN dp_noise_ledger.answer AS w ON w.population_id = p.population_id AND w.budget_id = b.budget_id
	-- Of a draw for everybody: as long as it is the one that the reader paid for.
	LEFT JOIN dp_noise_ledger.answer AS d ON d.population_id = p.population_id AND d.budget_id = 0 AND d.question = w.draw AND d.charge_id = w.claim
	WHERE b.role = nullif(reader, 0) AND p.on_repeat = 'replay' AND NOT p.is_dropped AND w.state <> 'given up'
		AND CASE WHEN w.draw IS NULL THEN w.state ELSE d.state END = 'answered'
		AND (w.answer IS NOT NULL OR d.answer IS NOT NULL)
		-- months have 30 days, as for the worker
		AND (extract(epoch FROM now() - CASE WHEN w.draw IS NULL THEN w.at ELSE d.at END) < extract(epoch FROM p.answers_expire)) IS NOT FALSE;
END
$$;
CALL dp_noise.add_entry('read_own_answers');
COMMENT ON FUNCTION dp_noise.read_own_answers() IS 'The reader''s questions that would be replayed now.';
CREATE VIEW @extschema@.dp_history AS
SELECT h.at, h.population, h.aggregate, h.mechanism, h.epsilon, h.rho, h.delta,
	(h.population, h.question) IN (SELECT a.population, a.question FROM dp_noise.read_own_answers() AS a) AS replays,
	h.question, h.asked_about, h.shared
FROM dp_noise.read_own_history() AS h;
COMMENT ON VIEW @extschema@.dp_history IS
'The reader''s own charges (those of the session''s user), one row per aggregate, in their order for each population: what was paid (epsilon null where there is no finite one). asked_about: the relation that the question was about, the first of several; null where it is not protected any more. question: equal for equal questions. replays: whether asking it again now returns the stored answer, free. shared: the answer had been given to somebody before. Replays are not recorded.';

GRANT SELECT ON @extschema@.dp_budget, @extschema@.dp_columns, @extschema@.dp_relations, @extschema@.dp_history TO PUBLIC;
