/*
 * dp_noise.sql
 *		Objects of the extension: CREATE EXTENSION dp_noise runs this.
 *
 * What everyone calls stands in the extension's schema (@extschema@); what is
 * for the DBA, and the parts of the aggregates, in the schema dp_noise.
 */
\echo Use "CREATE EXTENSION dp_noise" to load this file. \quit

-- Names and operators without a schema are the server's own, whatever others
-- put into the extension's schema: oid = regclass, say, would be taken from
-- there, since the server has it only by way of a cast.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA dp_noise;
COMMENT ON SCHEMA dp_noise IS
'Private aggregate queries: objects for the DBA, and the parts of the dp_ aggregates.';
REVOKE ALL ON SCHEMA dp_noise FROM PUBLIC;
GRANT USAGE ON SCHEMA dp_noise TO PUBLIC;

------------------------------------------------------------------------------
-- The state of sums and means

CREATE TYPE dp_noise.sum_state;

CREATE FUNCTION dp_noise.sum_state_in(pg_catalog.cstring)
RETURNS dp_noise.sum_state
AS 'MODULE_PATHNAME', 'dp_sum_state_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_in(pg_catalog.cstring) IS
'Reads (sum,count).';

CREATE FUNCTION dp_noise.sum_state_out(dp_noise.sum_state)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'dp_sum_state_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_out(dp_noise.sum_state) IS
'Writes (sum,count).';

CREATE TYPE dp_noise.sum_state (
	INPUT = dp_noise.sum_state_in,
	OUTPUT = dp_noise.sum_state_out,
	INTERNALLENGTH = 24,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dp_noise.sum_state IS
'State of dp_sum and dp_mean, written (sum,count): the exact sum of the rows'' grid points, and the number of rows. Not private.';

CREATE FUNCTION dp_noise.sum_state_combine(dp_noise.sum_state, dp_noise.sum_state)
RETURNS dp_noise.sum_state
AS 'MODULE_PATHNAME', 'dp_sum_state_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.sum_state_combine(dp_noise.sum_state, dp_noise.sum_state) IS
'Adds two states.';

------------------------------------------------------------------------------
-- The state of medians, quantiles, maxima and minima

CREATE FUNCTION dp_noise.values_combine(pg_catalog.internal, pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_values_combine'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_combine(pg_catalog.internal, pg_catalog.internal) IS
'Joins two lists of grid points.';

CREATE FUNCTION dp_noise.values_serialize(pg_catalog.internal)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_values_serialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_serialize(pg_catalog.internal) IS
'A list of grid points for a parallel worker.';

CREATE FUNCTION dp_noise.values_deserialize(pg_catalog.bytea, pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'dp_values_deserialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_deserialize(pg_catalog.bytea, pg_catalog.internal) IS
'A list of grid points from a parallel worker.';

CREATE FUNCTION dp_noise.values_state_final(pg_catalog.internal)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'dp_values_state_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.values_state_final(pg_catalog.internal) IS
'The true grid points in ascending order, 8 bytes each. Not private.';

------------------------------------------------------------------------------
-- dp_count

CREATE FUNCTION dp_noise.count_final(bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'dp_count_final'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.count_final(bigint) IS
'Adds the noise of dp_count.';

DO $install$
DECLARE
	-- arguments of dp_count
	signature text;
	-- the same as the transition function takes them
	arguments text;
BEGIN
	FOREACH signature IN ARRAY ARRAY[
		'*',
		'"any"',
		'"any", double precision',
		'"any", double precision, text'
	]
	LOOP
		arguments := CASE signature WHEN '*' THEN '' ELSE ', ' || signature END;
		EXECUTE pg_catalog.format($sql$
			CREATE FUNCTION dp_noise.count_transition(bigint%1$s)
			RETURNS bigint
			AS 'MODULE_PATHNAME', 'dp_count_transition'
			LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
			COMMENT ON FUNCTION dp_noise.count_transition(bigint%1$s) IS
			'Counts a row.';
			CREATE AGGREGATE @extschema@.dp_count(%2$s) (
				SFUNC = dp_noise.count_transition,
				STYPE = bigint,
				INITCOND = '0',
				COMBINEFUNC = pg_catalog.int8pl,
				FINALFUNC = dp_noise.count_final,
				FINALFUNC_MODIFY = read_write,
				PARALLEL = safe
			);
			COMMENT ON AGGREGATE @extschema@.dp_count(%2$s) IS
			'Private number of rows, or of values that are not null: (value, epsilon, mechanism). Epsilon-DP for one row added or removed; sensitivity 1. Default two-sided geometric noise, optimal for counts (Ghosh, Roughgarden, Sundararajan 2009). May be negative unless a truncated mechanism is chosen.';
		$sql$, arguments, signature);
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- The aggregates of values: for each type of value with the type of its
-- bounds, of its sum and of its mean.

DO $install$
DECLARE
	type record;
	kind record;
	tail record;
	result text;
	state text;
	arguments text;
BEGIN
	FOR type IN
		SELECT * FROM (VALUES
			('smallint', 'numeric', 'bigint', 'numeric'),
			('integer', 'numeric', 'bigint', 'numeric'),
			('bigint', 'numeric', 'numeric', 'numeric'),
			('real', 'double precision', 'real', 'double precision'),
			('double precision', 'double precision', 'double precision', 'double precision'),
			('numeric', 'numeric', 'numeric', 'numeric')
		) AS t (value, bound, sum, mean)
	LOOP
		FOR kind IN
			SELECT * FROM (VALUES
				('sum', '', true,
				 'Private sum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as sum gives it. Epsilon-DP for one row added or removed; sensitivity max(|lower|, |upper|). Default staircase noise of least expected absolute error (Geng and Viswanath). Null and NaN are skipped; 0 plus noise without rows.'),
				('mean', '', true,
				 'Private mean of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), in the unit of the value, as avg gives it. Epsilon-DP for one row added or removed: noise on two complementary sums, whose joint L1 sensitivity is upper - lower. Default Laplace, at large epsilon staircase. Null and NaN are skipped; always between the bounds, their middle when the noisy count is not positive.'),
				('max', '', true,
				 'Private maximum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold: the first of 100 steps from lower to upper with noisily at most 2/epsilon values above it; at large epsilon staircase. A lone extreme row cannot be released. Null and NaN are skipped; near lower without rows.'),
				('min', '', true,
				 'Private minimum of values clamped to lower .. upper: (value, lower, upper, epsilon, mechanism), of the value''s type. Epsilon-DP for one row added or removed. Default above_threshold, as dp_max; at large epsilon staircase. Null and NaN are skipped; near upper without rows.'),
				('median', '', false,
				 'Private median of values clamped to lower .. upper: (value, lower, upper, epsilon), of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.'),
				('quantile', ', double precision', false,
				 'Private quantile of values clamped to lower .. upper: (value, fraction, lower, upper, epsilon), fraction 0 .. 1, of the value''s type. Epsilon-DP for one row added or removed: exponential mechanism scored by rank, drawn exactly (Munoz Medina and Gillenwater, Duff). Null and NaN are skipped; uniform between the bounds without rows.')
			) AS k (name, extra, named, comment)
		LOOP
			result := CASE kind.name
				WHEN 'sum' THEN type.sum
				WHEN 'mean' THEN type.mean
				ELSE type.value END;
			state := CASE WHEN kind.name IN ('sum', 'mean')
				THEN 'dp_noise.sum_state' ELSE 'pg_catalog.internal' END;
			EXECUTE pg_catalog.format($sql$
				CREATE FUNCTION dp_noise.%1$I(%2$s)
				RETURNS %3$s
				AS 'MODULE_PATHNAME', 'dp_%4$s_final'
				LANGUAGE C VOLATILE PARALLEL SAFE;
				COMMENT ON FUNCTION dp_noise.%1$I(%2$s) IS
				'Adds the noise of the dp_ aggregate of that name over %5$s.';
			$sql$, kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'), state,
				result, kind.name, type.value);

			FOR tail IN
				SELECT * FROM (VALUES
					('', false),
					(pg_catalog.format(', %1$s, %1$s', type.bound), false),
					(pg_catalog.format(', %1$s, %1$s, double precision', type.bound), false),
					(pg_catalog.format(', %1$s, %1$s, double precision, text', type.bound), true)
				) AS t (arguments, named)
			LOOP
				CONTINUE WHEN tail.named AND NOT kind.named;
				arguments := type.value || kind.extra || tail.arguments;
				EXECUTE pg_catalog.format($sql$
					CREATE FUNCTION dp_noise.%1$s_transition(%2$s, %3$s)
					RETURNS %2$s
					AS 'MODULE_PATHNAME', 'dp_%1$s_transition'
					LANGUAGE C IMMUTABLE PARALLEL SAFE;
					COMMENT ON FUNCTION dp_noise.%1$s_transition(%2$s, %3$s) IS
					'Adds a row to the state of the dp_ aggregate of that name.';
					CREATE AGGREGATE @extschema@.%4$s(%3$s) (
						SFUNC = dp_noise.%1$s_transition,
						STYPE = %2$s,
						%5$s,
						FINALFUNC = dp_noise.%6$I,
						FINALFUNC_MODIFY = read_write,
						PARALLEL = safe
					);
					COMMENT ON AGGREGATE @extschema@.%4$s(%3$s) IS %7$L;
				$sql$,
					kind.name, state, arguments,
					CASE WHEN kind.name IN ('median', 'quantile')
						THEN 'dp_' || kind.name || '_exp' ELSE 'dp_' || kind.name END,
					CASE WHEN kind.name IN ('sum', 'mean')
						THEN 'INITCOND = ''(0,0)'', COMBINEFUNC = dp_noise.sum_state_combine'
						ELSE 'SSPACE = 256, COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize' END,
					kind.name || '_final_' || pg_catalog.replace(type.value, ' ', '_'),
					kind.comment);
			END LOOP;

			-- The true state by the same transition functions, without noise.
			arguments := type.value || kind.extra ||
				pg_catalog.format(', %1$s, %1$s', type.bound);
			EXECUTE pg_catalog.format($sql$
				CREATE AGGREGATE dp_noise.%1$s_state(%2$s) (
					SFUNC = dp_noise.%1$s_transition,
					STYPE = %3$s,
					%4$s,
					PARALLEL = safe
				);
				COMMENT ON AGGREGATE dp_noise.%1$s_state(%2$s) IS
				'The true state of the dp_ aggregate of that name, in grid steps, without noise. Not private.';
			$sql$,
				kind.name, arguments, state,
				CASE WHEN kind.name IN ('sum', 'mean')
					THEN 'INITCOND = ''(0,0)'', COMBINEFUNC = dp_noise.sum_state_combine'
					ELSE 'SSPACE = 256, FINALFUNC = dp_noise.values_state_final, FINALFUNC_MODIFY = read_write, COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize' END);
		END LOOP;
	END LOOP;
END
$install$;

------------------------------------------------------------------------------
-- For people who plan

CREATE FUNCTION @extschema@.dp_expected_error(
	mechanism text,
	epsilon double precision,
	sensitivity double precision DEFAULT 1,
	OUT mean_absolute double precision,
	OUT root_mean_square double precision,
	OUT half_width_95 double precision
)
AS 'MODULE_PATHNAME', 'dp_expected_error'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_expected_error(text, double precision, double precision) IS
'Error to expect of additive noise, in the unit of the sensitivity: E|X|, sqrt(E X^2), and the least w with P(|X| <= w) >= 0.95. Mechanisms: laplace, geometric(quantum=...), staircase(gamma=..., cost=...), discrete_staircase, gaussian(delta=...), two_stage(levels=...); geometric and discrete_staircase need an integer sensitivity, and a quantum that is one. two_stage is that of a mean, over bounds twice the sensitivity apart. epsilon 2^-20 .. 1000000. For truncated mechanisms an upper limit; where the answer is rounded, that of the least favourable one. Sources: Geng and Viswanath (44), (51); Ghosh, Roughgarden, Sundararajan; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION dp_noise.sample(
	mechanism text,
	epsilon double precision,
	sensitivity double precision,
	n bigint
)
RETURNS SETOF double precision
AS 'MODULE_PATHNAME', 'dp_sample'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) IS
'Draws n values of bare noise in the unit of the sensitivity, for testing and teaching. Mechanisms as for dp_expected_error. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) FROM PUBLIC;

------------------------------------------------------------------------------
-- The ledger: tables
--
-- Relations and roles are known by numbers of our own. Their names are kept for
-- dumps and for what is dropped; which object they are in this database stands
-- in dp_noise.identity, which is not dumped but made anew from the names.
-- What was spent is never forgotten: a namesake of something dropped inherits
-- what its name has spent, and none of what it was granted.
-- No foreign keys: a parallel restore loads these tables in any order. Only the functions
-- below write them, and none deletes an entry.

CREATE TABLE dp_noise.relation_entry (
	relation_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	schema_name name NOT NULL,
	relation_name name NOT NULL,
	is_protected boolean NOT NULL,
	privacy_unit name,
	neighbours text NOT NULL CHECK (neighbours IN ('add_remove', 'substitute')),
	max_rows_per_unit integer NOT NULL CHECK (max_rows_per_unit >= 1),
	max_groups_per_unit integer NOT NULL CHECK (max_groups_per_unit >= 1)
);
COMMENT ON TABLE dp_noise.relation_entry IS
'Relations that are or were protected, one row each; written by dp_noise.protect. Privacy unit: a column, or null for the row.';

CREATE TABLE dp_noise.role_entry (
	role_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	role_name name NOT NULL
);
COMMENT ON TABLE dp_noise.role_entry IS
'Roles that have or had a budget or a charge, one row each.';

CREATE TABLE dp_noise.identity (
	class oid NOT NULL,
	object oid NOT NULL,
	id integer NOT NULL,
	PRIMARY KEY (class, object),
	UNIQUE (class, id)
);
COMMENT ON TABLE dp_noise.identity IS
'Which object of this database a relation_id or role_id is; not dumped, made anew from the names.';

CREATE TABLE dp_noise.column_bounds (
	relation_id integer NOT NULL,
	column_name name NOT NULL,
	lower numeric NOT NULL,
	upper numeric NOT NULL,
	PRIMARY KEY (relation_id, column_name),
	CHECK (lower <= upper)
);
COMMENT ON TABLE dp_noise.column_bounds IS
'Bounds that the owner declared for a column, in its unit; written by dp_noise.set_bounds.';

CREATE TABLE dp_noise.budget_entry (
	budget_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	relation_id integer NOT NULL,
	role_id integer,
	is_active boolean NOT NULL,
	shared boolean NOT NULL,
	epsilon numeric,
	delta numeric NOT NULL,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text NOT NULL CHECK (on_repeat IN ('refuse', 'replay', 'answer')),
	epsilon_spent numeric NOT NULL DEFAULT 0,
	delta_spent numeric NOT NULL DEFAULT 0,
	period_start timestamptz NOT NULL DEFAULT pg_catalog.now()
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX budget_entry_key
	ON dp_noise.budget_entry (relation_id, role_id)
	WHERE role_id IS NOT NULL;
CREATE UNIQUE INDEX budget_entry_total
	ON dp_noise.budget_entry (relation_id) WHERE role_id IS NULL;
COMMENT ON TABLE dp_noise.budget_entry IS
'Budgets, and what was spent of them in the current period: of a role, of a group (shared), or of a relation as a whole (role_id null; epsilon null: no limit).';

CREATE TABLE dp_noise.budget_dumped (
	budget_id bigint PRIMARY KEY
);
COMMENT ON TABLE dp_noise.budget_dumped IS
'All budgets of roles. A dump has those whose role and relation are there under the names that the dump knows; the others are ended when it is restored.';

CREATE TABLE dp_noise.ledger_entry (
	ledger_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	role_id integer NOT NULL,
	relation_id integer NOT NULL,
	epsilon numeric NOT NULL,
	delta numeric NOT NULL,
	fingerprint bytea NOT NULL,
	aggregate text NOT NULL,
	mechanism text NOT NULL
);
COMMENT ON TABLE dp_noise.ledger_entry IS
'Every charge, one row an aggregate; append-only.';

CREATE TABLE dp_noise.answer_entry (
	role_id integer NOT NULL,
	relation_id integer NOT NULL,
	fingerprint bytea NOT NULL,
	asked_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	answer bytea,
	PRIMARY KEY (role_id, relation_id, fingerprint)
);
COMMENT ON TABLE dp_noise.answer_entry IS
'Questions that were answered, with the released rows where they may be replayed.';

SELECT pg_catalog.pg_extension_config_dump('dp_noise.relation_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.relation_entry_relation_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.role_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.role_entry_role_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.column_bounds', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.budget_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.budget_entry_budget_id_seq', '');
-- Tables only: pg_dump reads no views but the server's own.
SELECT pg_catalog.pg_extension_config_dump('dp_noise.budget_dumped', $$
WHERE budget_id IN (
	SELECT b.budget_id FROM dp_noise.budget_entry AS b
	JOIN dp_noise.role_entry AS r ON r.role_id = b.role_id
	JOIN dp_noise.relation_entry AS e ON e.relation_id = b.relation_id
	JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
	JOIN pg_catalog.pg_namespace AS n ON n.nspname = e.schema_name
	JOIN pg_catalog.pg_class AS c ON c.relname = e.relation_name AND c.relnamespace = n.oid
	LEFT JOIN dp_noise.identity AS p ON p.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND p.id = b.role_id
	LEFT JOIN dp_noise.identity AS q ON q.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND q.id = b.relation_id
	WHERE b.is_active AND coalesce(p.object, a.oid) = a.oid AND coalesce(q.object, c.oid) = c.oid)
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise.ledger_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.ledger_entry_ledger_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise.answer_entry', '');

------------------------------------------------------------------------------
-- The ledger: names and identities
--
-- These run with the rights of whoever calls them: the ledger worker, or the
-- functions for owners below, which are SECURITY DEFINER.

CREATE VIEW dp_noise.current_identity AS
SELECT i.class, i.object, i.id FROM dp_noise.identity AS i
UNION ALL
(SELECT DISTINCT ON (a.oid) 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid, a.oid, r.role_id
FROM dp_noise.role_entry AS r
JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
WHERE NOT EXISTS (
	SELECT FROM dp_noise.identity AS i
	WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND (i.id = r.role_id OR i.object = a.oid))
ORDER BY a.oid, r.role_id)
UNION ALL
(SELECT DISTINCT ON (c.oid) 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, c.oid, r.relation_id
FROM dp_noise.relation_entry AS r
JOIN pg_catalog.pg_namespace AS n ON n.nspname = r.schema_name
JOIN pg_catalog.pg_class AS c ON c.relname = r.relation_name AND c.relnamespace = n.oid
WHERE r.is_protected AND NOT EXISTS (
	SELECT FROM dp_noise.identity AS i
	WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND (i.id = r.relation_id OR i.object = c.oid))
ORDER BY c.oid, r.relation_id);
COMMENT ON VIEW dp_noise.current_identity IS
'dp_noise.identity, and by their names what a dump restored and nothing has asked for yet.';

CREATE FUNCTION dp_noise.refresh_identities()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid;
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
BEGIN
	-- What was dropped before a dump, or had another name than the dump knows.
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	WHERE b.is_active AND b.role_id IS NOT NULL
		AND NOT EXISTS (SELECT FROM dp_noise.budget_dumped AS d WHERE d.budget_id = b.budget_id);

	-- What was dropped keeps its name and loses what it was granted.
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	FROM dp_noise.identity AS i
	WHERE i.class = roles AND i.id = b.role_id AND b.is_active
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_authid AS a WHERE a.oid = i.object);
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	FROM dp_noise.identity AS i
	WHERE i.class = relations AND i.id = b.relation_id
		AND b.is_active AND b.role_id IS NOT NULL
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object);
	UPDATE dp_noise.relation_entry AS r SET is_protected = false
	FROM dp_noise.identity AS i
	WHERE i.class = relations AND i.id = r.relation_id AND r.is_protected
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object);
	DELETE FROM dp_noise.identity AS i
	WHERE (i.class = roles AND NOT EXISTS (SELECT FROM pg_catalog.pg_authid AS a WHERE a.oid = i.object))
		OR (i.class = relations AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = i.object));

	-- What was renamed.
	UPDATE dp_noise.role_entry AS r SET role_name = a.rolname
	FROM dp_noise.identity AS i, pg_catalog.pg_authid AS a
	WHERE i.class = roles AND i.id = r.role_id AND a.oid = i.object
		AND r.role_name <> a.rolname;
	UPDATE dp_noise.relation_entry AS r
	SET schema_name = n.nspname, relation_name = c.relname
	FROM dp_noise.identity AS i, pg_catalog.pg_class AS c, pg_catalog.pg_namespace AS n
	WHERE i.class = relations AND i.id = r.relation_id AND c.oid = i.object
		AND n.oid = c.relnamespace
		AND (r.schema_name, r.relation_name) IS DISTINCT FROM (n.nspname, c.relname);

	-- What was restored from a dump.
	INSERT INTO dp_noise.identity (class, object, id)
	SELECT c.class, c.object, c.id FROM dp_noise.current_identity AS c
	WHERE NOT EXISTS (SELECT FROM dp_noise.identity AS i WHERE i.class = c.class AND i.id = c.id)
	ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION dp_noise.refresh_identities() IS
'Brings names and identities of relations and roles up to date after drops, renames and restores.';

CREATE FUNCTION dp_noise.find_relation(relation oid, OUT relation_id integer, OUT name text)
RETURNS SETOF record
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN QUERY
	SELECT r.relation_id, c.relname::pg_catalog.text
	FROM dp_noise.identity AS i
	JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id
	JOIN pg_catalog.pg_class AS c ON c.oid = i.object
	WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
		AND i.object = find_relation.relation AND r.is_protected;
	IF NOT FOUND THEN
		PERFORM dp_noise.refresh_identities();
		RETURN QUERY
		SELECT r.relation_id, c.relname::pg_catalog.text
		FROM dp_noise.identity AS i
		JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id
		JOIN pg_catalog.pg_class AS c ON c.oid = i.object
		WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
			AND i.object = find_relation.relation AND r.is_protected;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.find_relation(oid) IS
'Number and name of a protected relation; no row for others.';

CREATE FUNCTION dp_noise.find_role(role oid, make boolean)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	roles CONSTANT oid := 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid;
	found_id integer;
	found_name name;
BEGIN
	SELECT i.id INTO found_id FROM dp_noise.identity AS i
	WHERE i.class = roles AND i.object = find_role.role;
	IF found_id IS NOT NULL OR NOT find_role.make THEN
		RETURN found_id;
	END IF;
	PERFORM dp_noise.refresh_identities();
	SELECT i.id INTO found_id FROM dp_noise.identity AS i
	WHERE i.class = roles AND i.object = find_role.role;
	IF found_id IS NULL THEN
		SELECT a.rolname INTO STRICT found_name FROM pg_catalog.pg_authid AS a
		WHERE a.oid = find_role.role;
		INSERT INTO dp_noise.role_entry (role_name) VALUES (found_name)
		RETURNING role_id INTO found_id;
		INSERT INTO dp_noise.identity (class, object, id)
		VALUES (roles, find_role.role, found_id);
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.find_role(oid, boolean) IS
'Number of a role; a role that has none gets one where make is true.';

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
-- The ledger: for owners

--
-- What owners call is in C: it refuses all but the relation's owner and
-- superusers, whoever the definer of a calling function is, locks the budgets
-- until the end of the transaction, and calls the function do_... of the same
-- arguments, which runs with the extension's rights and which nobody else may
-- call.

CREATE FUNCTION dp_noise.protected_relation_id(relation regclass)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	found_id integer;
BEGIN
	SELECT f.relation_id INTO found_id FROM dp_noise.find_relation(relation) AS f;
	IF found_id IS NULL THEN
		RAISE EXCEPTION 'relation % is not protected', relation
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Protect it first with dp_noise.protect().';
	END IF;
	RETURN found_id;
END
$$;
COMMENT ON FUNCTION dp_noise.protected_relation_id(regclass) IS
'Number of a protected relation; an error for others.';

CREATE FUNCTION dp_noise.do_protect(
	relation regclass,
	privacy_unit text,
	neighbours text,
	max_rows_per_unit integer,
	max_groups_per_unit integer
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relations CONSTANT oid := 'pg_catalog.pg_class'::regclass;
	target record;
	id integer;
BEGIN
	SELECT c.relkind, c.relpersistence, c.relname, n.nspname INTO STRICT target
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.oid = relation;
	IF target.relkind NOT IN ('r', 'p', 'f') OR target.relpersistence = 't'
		OR target.nspname IN ('pg_catalog', 'information_schema', 'dp_noise') THEN
		RAISE EXCEPTION 'relation % cannot be protected', relation
			USING ERRCODE = 'wrong_object_type',
				HINT = 'Tables, partitioned tables and foreign tables can be protected, other relations, temporary tables and system tables cannot.';
	END IF;
	IF neighbours IS NULL OR neighbours NOT IN ('add_remove', 'substitute') THEN
		RAISE EXCEPTION 'invalid neighbours: %', coalesce(quote_literal(neighbours), 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write ''add_remove'' or ''substitute''.';
	END IF;
	IF coalesce(max_rows_per_unit, 0) < 1 OR coalesce(max_groups_per_unit, 0) < 1 THEN
		RAISE EXCEPTION 'caps on a privacy unit''s contribution must be at least 1'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write how many rows and groups of one unit may count.';
	END IF;
	IF privacy_unit IS NOT NULL AND NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = privacy_unit
			AND a.attnum > 0 AND NOT a.attisdropped) THEN
		RAISE EXCEPTION 'column % of relation % does not exist', quote_ident(privacy_unit), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'The privacy unit is a column of the relation, such as a person''s number.';
	END IF;

	PERFORM dp_noise.refresh_identities();
	SELECT i.id INTO id FROM dp_noise.identity AS i
	WHERE i.class = relations AND i.object = relation;
	IF id IS NULL THEN
		-- A namesake of a dropped relation goes on where that one stopped.
		SELECT r.relation_id INTO id FROM dp_noise.relation_entry AS r
		WHERE r.schema_name = target.nspname AND r.relation_name = target.relname
			AND NOT EXISTS (SELECT FROM dp_noise.identity AS i WHERE i.class = relations AND i.id = r.relation_id)
		ORDER BY r.relation_id LIMIT 1;
		IF id IS NULL THEN
			INSERT INTO dp_noise.relation_entry (schema_name, relation_name, is_protected, neighbours, max_rows_per_unit, max_groups_per_unit)
			VALUES (target.nspname, target.relname, false, 'add_remove', 1, 1)
			RETURNING relation_id INTO id;
			INSERT INTO dp_noise.budget_entry (relation_id, is_active, shared, delta, on_repeat)
			VALUES (id, true, true, 0, 'answer');
		END IF;
		INSERT INTO dp_noise.identity (class, object, id) VALUES (relations, relation, id);
	END IF;
	UPDATE dp_noise.relation_entry AS r
	SET is_protected = true,
		privacy_unit = do_protect.privacy_unit,
		neighbours = do_protect.neighbours,
		max_rows_per_unit = do_protect.max_rows_per_unit,
		max_groups_per_unit = do_protect.max_groups_per_unit
	WHERE r.relation_id = id;
END
$$;
COMMENT ON FUNCTION dp_noise.do_protect(regclass, text, text, integer, integer) IS
'Body of dp_noise.protect.';
CREATE FUNCTION dp_noise.protect(
	relation regclass,
	privacy_unit text DEFAULT NULL,
	neighbours text DEFAULT 'add_remove',
	max_rows_per_unit integer DEFAULT 1,
	max_groups_per_unit integer DEFAULT 1
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.protect(regclass, text, text, integer, integer) IS
'Protects a table: (relation, privacy_unit column or null for the row, neighbours add_remove or substitute, caps on a unit''s rows and groups). For its owner and superusers. Again for a protected table: changes the settings. What was spent on a dropped table of the same name stays spent.';

CREATE FUNCTION dp_noise.do_unprotect(relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	UPDATE dp_noise.relation_entry AS r SET is_protected = false WHERE r.relation_id = id;
	UPDATE dp_noise.budget_entry AS b SET is_active = false
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

CREATE FUNCTION dp_noise.do_set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF lower IS NULL AND upper IS NULL THEN
		DELETE FROM dp_noise.column_bounds AS b
		WHERE b.relation_id = id AND b.column_name = column_name::name;
		RETURN;
	END IF;
	IF column_name IS NULL OR NOT EXISTS (
		SELECT FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = column_name
			AND a.attnum > 0 AND NOT a.attisdropped) THEN
		RAISE EXCEPTION 'column % of relation % does not exist', coalesce(quote_ident(column_name), 'null'), relation
			USING ERRCODE = 'undefined_column',
				HINT = 'Write the name of a column of the relation.';
	END IF;
	IF lower IS NULL OR upper IS NULL OR lower > upper OR lower IN ('NaN', '-Infinity', 'Infinity')
		OR upper IN ('NaN', '-Infinity', 'Infinity') THEN
		RAISE EXCEPTION 'bounds must be finite, the lower not above the upper'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write the least and the greatest value that a row can sensibly have; two nulls remove the bounds.';
	END IF;
	DELETE FROM dp_noise.column_bounds AS b
	WHERE b.relation_id = id AND b.column_name = do_set_bounds.column_name::name;
	INSERT INTO dp_noise.column_bounds VALUES (id, column_name, lower, upper);
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

CREATE FUNCTION dp_noise.do_set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text,
	shared boolean
)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
	payer integer;
BEGIN
	IF (epsilon IS NULL AND role IS NOT NULL) OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN'
		OR max_epsilon_per_query < 0 OR max_epsilon_per_query > 1e13 OR max_epsilon_per_query = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Write a number such as 5; null, for no limit, is only for a relation''s total (role null).';
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
	IF role IS NULL THEN
		UPDATE dp_noise.budget_entry AS b
		SET epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
			max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
			period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
				THEN b.period_start ELSE now() END,
			period = do_set_budget.period
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = role) THEN
		RAISE EXCEPTION 'role with OID % does not exist', role::oid
			USING ERRCODE = 'undefined_object',
				HINT = 'Write the name of a role.';
	END IF;
	payer := dp_noise.find_role(role, true);
	UPDATE dp_noise.budget_entry AS b
	SET is_active = true, shared = do_set_budget.shared,
		epsilon = do_set_budget.epsilon, delta = do_set_budget.delta,
		max_epsilon_per_query = do_set_budget.max_epsilon_per_query,
		on_repeat = do_set_budget.on_repeat,
		period_start = CASE WHEN b.period IS NOT DISTINCT FROM do_set_budget.period
			THEN b.period_start ELSE now() END,
		period = do_set_budget.period
	WHERE b.relation_id = id AND b.role_id = payer;
	IF NOT FOUND THEN
		INSERT INTO dp_noise.budget_entry
			(relation_id, role_id, is_active, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat)
		VALUES (id, payer, true, shared, epsilon, delta, max_epsilon_per_query, period, on_repeat);
	END IF;
	INSERT INTO dp_noise.budget_dumped (budget_id)
	SELECT b.budget_id FROM dp_noise.budget_entry AS b
	WHERE b.relation_id = id AND b.role_id = payer
	ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean) IS
'Body of dp_noise.set_budget.';
CREATE FUNCTION dp_noise.set_budget(
	role regrole,
	relation regclass,
	epsilon numeric,
	delta numeric DEFAULT 0,
	max_epsilon_per_query numeric DEFAULT NULL,
	period interval DEFAULT NULL,
	on_repeat text DEFAULT 'refuse',
	shared boolean DEFAULT false
)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean) IS
'Grants a role epsilon and delta on a protected relation: (role, relation, epsilon, delta, max_epsilon_per_query, period after which it refills, on_repeat refuse, replay or answer, shared by all members of the role). Role null: a limit on the total of everyone. What is spent stays spent. For the relation''s owner and superusers.';

CREATE FUNCTION dp_noise.do_drop_budget(role regrole, relation regclass)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	id integer := dp_noise.protected_relation_id(relation);
BEGIN
	IF role IS NULL THEN
		UPDATE dp_noise.budget_entry AS b
		SET epsilon = NULL, delta = 0, max_epsilon_per_query = NULL, period = NULL
		WHERE b.relation_id = id AND b.role_id IS NULL;
		RETURN;
	END IF;
	UPDATE dp_noise.budget_entry AS b SET is_active = false
	WHERE b.relation_id = id AND b.role_id = dp_noise.find_role(role, false) AND b.is_active;
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

CREATE FUNCTION dp_noise.on_drop()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	-- Nothing to tidy when the ledger itself goes.
	IF EXISTS (
		SELECT FROM pg_event_trigger_dropped_objects() AS d
		JOIN dp_noise.identity AS i
			ON i.class = 'pg_catalog.pg_class'::regclass AND d.classid = i.class AND d.objid = i.object) THEN
		PERFORM dp_noise.refresh_identities();
	END IF;

	-- Restored from a dump, and dropped before anything asked for it.
	UPDATE dp_noise.relation_entry AS r SET is_protected = false
	FROM pg_event_trigger_dropped_objects() AS d
	WHERE r.is_protected AND d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
		AND d.schema_name = r.schema_name AND d.object_name = r.relation_name
		AND NOT EXISTS (SELECT FROM dp_noise.identity AS i
			WHERE i.class = 'pg_catalog.pg_class'::regclass AND i.id = r.relation_id);
	IF FOUND THEN
		UPDATE dp_noise.budget_entry AS b SET is_active = false
		FROM dp_noise.relation_entry AS r
		WHERE b.relation_id = r.relation_id AND NOT r.is_protected AND b.is_active AND b.role_id IS NOT NULL;
	END IF;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_drop() IS
'Ends the protection of dropped tables.';

CREATE EVENT TRIGGER dp_noise_on_drop ON sql_drop
	WHEN TAG IN ('DROP TABLE', 'DROP FOREIGN TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION', 'DROP SERVER', 'DROP FOREIGN DATA WRAPPER')
	EXECUTE FUNCTION dp_noise.on_drop();
COMMENT ON EVENT TRIGGER dp_noise_on_drop IS
'Ends the protection of dropped tables.';

CREATE FUNCTION dp_noise.on_rename()
RETURNS event_trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF EXISTS (
		SELECT FROM dp_noise.current_identity AS i
		JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id
		JOIN pg_class AS c ON c.oid = i.object
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE i.class = 'pg_catalog.pg_class'::regclass
			AND (c.relname <> r.relation_name OR n.nspname <> r.schema_name)) THEN
		PERFORM dp_noise.refresh_identities();
	END IF;
EXCEPTION WHEN undefined_table OR undefined_function OR invalid_schema_name THEN
	NULL;
END
$$;
COMMENT ON FUNCTION dp_noise.on_rename() IS
'Notes the new names of protected tables.';

CREATE EVENT TRIGGER dp_noise_on_rename ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA')
	EXECUTE FUNCTION dp_noise.on_rename();
COMMENT ON EVENT TRIGGER dp_noise_on_rename IS
'Notes the new names of protected tables.';

CREATE FUNCTION dp_noise.charge(
	relation regclass,
	epsilon numeric,
	delta numeric,
	question bytea,
	answer bytea DEFAULT NULL,
	OUT replayed boolean,
	OUT answered bytea
)
AS 'MODULE_PATHNAME', 'dp_charge'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea) IS
'Charges the session''s user for a question (up to 32 bytes that identify it), durably and at once; for tests. The answer is stored for replay. Superusers only.';

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

------------------------------------------------------------------------------
-- The ledger: views

CREATE VIEW dp_noise.budgets WITH (security_barrier) AS
SELECT coalesce(a.rolname, r.role_name) AS role,
	i.object::regclass AS relation,
	b.shared,
	b.epsilon,
	b.delta,
	CASE WHEN p.renewed THEN 0 ELSE b.epsilon_spent END AS epsilon_spent,
	CASE WHEN p.renewed THEN 0 ELSE b.delta_spent END AS delta_spent,
	greatest(b.epsilon - CASE WHEN p.renewed THEN 0 ELSE b.epsilon_spent END, 0) AS epsilon_left,
	greatest(b.delta - CASE WHEN p.renewed THEN 0 ELSE b.delta_spent END, 0) AS delta_left,
	b.max_epsilon_per_query,
	b.period,
	p.begin + b.period AS refills_at,
	b.on_repeat
FROM dp_noise.budget_entry AS b
JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND i.id = b.relation_id
JOIN pg_catalog.pg_class AS c ON c.oid = i.object
LEFT JOIN dp_noise.role_entry AS r ON r.role_id = b.role_id
LEFT JOIN dp_noise.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND m.id = b.role_id
LEFT JOIN pg_catalog.pg_roles AS a ON a.oid = m.object
CROSS JOIN LATERAL (
	SELECT q.begin, q.begin > b.period_start AS renewed
	FROM dp_noise.period_begin(b.period_start, b.period, pg_catalog.now()) AS q (begin)
) AS p
WHERE b.is_active
	AND (b.role_id IS NULL OR EXISTS (SELECT FROM dp_noise.budget_dumped AS d WHERE d.budget_id = b.budget_id))
	AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
		OR (SELECT a.rolsuper FROM pg_catalog.pg_roles AS a WHERE a.rolname = current_user));
COMMENT ON VIEW dp_noise.budgets IS
'Budgets of the relations that the reader owns, with what is spent in the current period and what is left; a row without role is the relation''s total, without limit where epsilon is null.';

CREATE VIEW dp_noise.ledger WITH (security_barrier) AS
SELECT l.at,
	r.role_name AS role,
	i.object::regclass AS relation,
	l.epsilon,
	l.delta,
	l.fingerprint,
	l.aggregate,
	l.mechanism
FROM dp_noise.ledger_entry AS l
JOIN dp_noise.role_entry AS r USING (role_id)
JOIN dp_noise.relation_entry AS e USING (relation_id)
LEFT JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND i.id = l.relation_id
LEFT JOIN pg_catalog.pg_class AS c ON c.oid = i.object
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE')
	OR (SELECT a.rolsuper FROM pg_catalog.pg_roles AS a WHERE a.rolname = current_user);
COMMENT ON VIEW dp_noise.ledger IS
'Every charge on the relations that the reader owns, one row an aggregate; superusers see those of dropped relations too (relation null).';

CREATE VIEW @extschema@.dp_budget WITH (security_barrier) AS
SELECT i.object::regclass AS relation,
	r.role_name AS role,
	b.shared,
	b.epsilon AS granted,
	CASE WHEN p.renewed THEN 0 ELSE b.epsilon_spent END AS spent,
	greatest(b.epsilon - CASE WHEN p.renewed THEN 0 ELSE b.epsilon_spent END, 0) AS left,
	greatest(b.delta - CASE WHEN p.renewed THEN 0 ELSE b.delta_spent END, 0) AS delta_left,
	b.max_epsilon_per_query,
	p.begin + b.period AS refills_at,
	b.on_repeat,
	CASE WHEN coalesce(pg_catalog.current_setting('dp_noise.epsilon', true), '1')::numeric > coalesce(b.max_epsilon_per_query, 'Infinity') THEN 0
		ELSE pg_catalog.floor(greatest(b.epsilon - CASE WHEN p.renewed THEN 0 ELSE b.epsilon_spent END, 0)
			/ coalesce(pg_catalog.current_setting('dp_noise.epsilon', true), '1')::numeric)
	END AS queries_left
FROM dp_noise.budget_entry AS b
JOIN dp_noise.current_identity AS i ON i.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND i.id = b.relation_id
JOIN dp_noise.role_entry AS r ON r.role_id = b.role_id
JOIN dp_noise.current_identity AS m ON m.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND m.id = b.role_id
JOIN pg_catalog.pg_roles AS me ON me.rolname = session_user
CROSS JOIN LATERAL (
	SELECT q.begin, q.begin > b.period_start AS renewed
	FROM dp_noise.period_begin(b.period_start, b.period, pg_catalog.now()) AS q (begin)
) AS p
WHERE b.is_active
	AND (b.role_id IS NULL OR EXISTS (SELECT FROM dp_noise.budget_dumped AS d WHERE d.budget_id = b.budget_id))
	AND (m.object = me.oid OR (b.shared AND m.object IN (
		WITH RECURSIVE groups (oid) AS (
			SELECT me.oid
			UNION
			SELECT g.roleid FROM pg_catalog.pg_auth_members AS g JOIN groups ON g.member = groups.oid
		)
		SELECT groups.oid FROM groups)));
COMMENT ON VIEW @extschema@.dp_budget IS
'The reader''s own budgets (of the session''s user, and shared ones of its groups): epsilon granted, spent and left in the current period, when it refills, and how many more aggregates at the current dp_noise.epsilon it allows.';

------------------------------------------------------------------------------
-- The ledger: who may do what

REVOKE ALL ON FUNCTION
	dp_noise.refresh_identities(),
	dp_noise.find_relation(oid),
	dp_noise.find_role(oid, boolean),
	dp_noise.do_protect(regclass, text, text, integer, integer),
	dp_noise.do_unprotect(regclass),
	dp_noise.do_set_bounds(regclass, text, numeric, numeric),
	dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean),
	dp_noise.do_drop_budget(regrole, regclass),
	dp_noise.protected_relation_id(regclass),
	dp_noise.on_drop(),
	dp_noise.on_rename(),
	dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]),
	dp_noise.charge(regclass, numeric, numeric, bytea, bytea),
	dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[])
FROM PUBLIC;
REVOKE ALL ON
	dp_noise.relation_entry, dp_noise.role_entry, dp_noise.identity, dp_noise.current_identity, dp_noise.column_bounds,
	dp_noise.budget_entry, dp_noise.budget_dumped, dp_noise.ledger_entry, dp_noise.answer_entry
FROM PUBLIC;
GRANT SELECT ON dp_noise.budgets, dp_noise.ledger, @extschema@.dp_budget TO PUBLIC;

------------------------------------------------------------------------------
-- The gate

CREATE FUNCTION dp_noise.release(number bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_release'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.release(bigint) IS
'Stands for a query over a protected relation while it is being planned; cannot be called.';
REVOKE ALL ON FUNCTION dp_noise.release(bigint) FROM PUBLIC;

CREATE FUNCTION dp_noise.total_functions()
RETURNS pg_catalog.regprocedure[]
AS 'MODULE_PATHNAME', 'dp_total_functions'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.total_functions() IS
'The functions that conditions and arguments of a query over a protected relation may call: none can fail, whatever the row holds. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.total_functions() FROM PUBLIC;
