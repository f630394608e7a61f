/*
 * tables.sql
 *		The ledger's tables.
 *
 * Populations, members and budgets have numbers of their own, and no number is
 * used twice: who is dropped and made anew is somebody new. A relation or role
 * is known by its oid and its name together. The oid says who is meant here; the
 * name says who is meant in a dump. A budget whose oid and name have parted pays
 * nothing, and is not dumped, lest somebody else get it.
 *
 * Only the functions of this schema and the ledger worker write here, the rows of
 * a population under its lock (dp_noise.lock_population). There are no foreign
 * keys: a parallel restore loads the tables in any order.
 */

CREATE SEQUENCE dp_noise_ledger.settings_version;
COMMENT ON SEQUENCE dp_noise_ledger.settings_version IS 'Versions of protected relations'' settings; none is used twice.';

CREATE TABLE dp_noise_ledger.population (
	population_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL,
	owner oid NOT NULL, -- 0: a role that was not restored
	owner_name name NOT NULL,
	accountant text NOT NULL DEFAULT 'pure' CHECK (accountant IN ('pure', 'zcdp')),
	on_repeat text NOT NULL DEFAULT 'replay' CHECK (on_repeat IN ('replay', 'refuse', 'answer')),
	share_answers boolean NOT NULL DEFAULT true,
	answers_expire interval,
	is_dropped boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX population_name ON dp_noise_ledger.population (name) WHERE NOT is_dropped;
COMMENT ON TABLE dp_noise_ledger.population IS
'Populations: the people whom relations are about, and for whom budgets are granted. Accountant: pure adds up epsilons and deltas; zcdp adds up rho, and deltas from a pool; spending is recorded for both. On_repeat: what happens to a question that its asker has asked before. Share_answers: a question that somebody got answered gets the same answer for everybody. Answers_expire: after it a stored answer is not used any more; null: never. A dropped population keeps its row, for what was spent.';

CREATE TABLE dp_noise_ledger.allowance (
	population_id integer NOT NULL,
	role oid NOT NULL, -- 0: not restored
	role_name name NOT NULL,
	PRIMARY KEY (population_id, role_name)
);
COMMENT ON TABLE dp_noise_ledger.allowance IS
'Roles other than a population''s owner whose relations may be its members; written by dp_noise.allow_members.';

CREATE TABLE dp_noise_ledger.member (
	member_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	population_id integer NOT NULL,
	relation oid NOT NULL, -- 0: not restored
	schema_name name NOT NULL,
	relation_name name NOT NULL,
	unit name,
	path_columns name[],
	path_member_id integer,
	path_keys name[],
	neighbours text NOT NULL CHECK (neighbours IN ('add_remove', 'substitute')),
	max_rows_per_unit integer NOT NULL CHECK (max_rows_per_unit >= 1),
	max_groups_per_unit integer NOT NULL CHECK (max_groups_per_unit >= 1),
	min_people_per_group integer NOT NULL CHECK (min_people_per_group >= 1),
	levels numeric[],
	settings_version bigint NOT NULL DEFAULT pg_catalog.nextval('dp_noise_ledger.settings_version')
);
-- Unique but for 0. No partial index: who looks for a relation does not say that it
-- is none of those.
CREATE UNIQUE INDEX member_relation ON dp_noise_ledger.member (relation, (CASE WHEN relation = 0 THEN member_id ELSE 0 END));
CREATE INDEX member_population ON dp_noise_ledger.member (population_id);
COMMENT ON TABLE dp_noise_ledger.member IS
'Protected relations, one row each while they are protected; written by dp_noise.protect. Unit: the column that tells the people apart; null for the row; '''' where it was dropped. With a path unit is null, and the person is that of the row in the other member to which the path''s columns lead. Levels: privacy levels, epsilons from the highest; written by dp_noise.set_levels. Settings_version: changes with everything that changes the meaning of a question about the relation; a statement planned under another version is not charged.';

CREATE TABLE dp_noise_ledger.column_bounds (
	member_id integer NOT NULL,
	column_name name NOT NULL,
	lower numeric NOT NULL,
	upper numeric NOT NULL,
	kind text NOT NULL,
	PRIMARY KEY (member_id, column_name),
	CHECK (lower <= upper)
);
COMMENT ON TABLE dp_noise_ledger.column_bounds IS
'Bounds that the owner declared for a column, in its unit; written by dp_noise.set_bounds. Their kind is number, or the column''s type: dates are days since 2000-01-01, timestamps microseconds since then, times since midnight.';

CREATE TABLE dp_noise_ledger.column_values (
	member_id integer NOT NULL,
	column_name name NOT NULL,
	column_values text[] NOT NULL,
	PRIMARY KEY (member_id, column_name)
);
COMMENT ON TABLE dp_noise_ledger.column_values IS
'Values that the owner declared for a column, as texts, in the order of release; written by dp_noise.set_values.';

CREATE TABLE dp_noise_ledger.budget (
	budget_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	population_id integer NOT NULL,
	role oid, -- 0: not restored
	role_name name,
	is_active boolean NOT NULL,
	shared boolean NOT NULL,
	epsilon numeric NOT NULL,
	delta numeric NOT NULL,
	rho numeric, -- null unless zcdp
	delta_pool numeric NOT NULL DEFAULT 0,
	max_epsilon_per_query numeric,
	min_epsilon_per_query numeric,
	default_epsilon numeric,
	period interval,
	relations integer[], -- members; null: all
	max_failures integer CHECK (max_failures >= 1), -- null: no limit
	CHECK ((role IS NULL) = (role_name IS NULL))
);
CREATE UNIQUE INDEX budget_grant ON dp_noise_ledger.budget (population_id) WHERE role IS NULL;
CREATE UNIQUE INDEX budget_role ON dp_noise_ledger.budget (population_id, role, (CASE WHEN role = 0 THEN budget_id ELSE 0 END)); -- as of members
CREATE INDEX budget_reader ON dp_noise_ledger.budget (role);
COMMENT ON TABLE dp_noise_ledger.budget IS
'What may be learnt about a population in all (the grant: role null), and by a role or, shared, by the members of a group. Every role that was ever charged has a row here, with is_active false where it has no right of its own to ask. Rho: what epsilon and the delta outside of the pool were worth when they were granted, rounded down. Relations: what the role may ask about. Default_epsilon: for aggregates that name none, where the session has not set one. Max_failures: after so many failures (spending) the role may not ask any more.';

CREATE TABLE dp_noise_ledger.spending (
	budget_id bigint PRIMARY KEY,
	since timestamptz NOT NULL DEFAULT pg_catalog.now(),
	epsilon numeric NOT NULL DEFAULT 0,
	delta numeric NOT NULL DEFAULT 0,
	rho numeric NOT NULL DEFAULT 0,
	delta_pool numeric NOT NULL DEFAULT 0,
	unbounded numeric NOT NULL DEFAULT 0,
	failures integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE dp_noise_ledger.spending IS
'What was spent of each budget since its period began. Unbounded: the number of charges without a finite epsilon, after which no further charge fits under pure. Failures: statements that it paid for and that ended in an error that may depend on rows, since the owner has forgiven them.';

CREATE TABLE dp_noise_ledger.charge (
	budget_id bigint NOT NULL,
	charge_id bigint GENERATED ALWAYS AS IDENTITY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	population_id integer NOT NULL,
	role text NOT NULL,
	member_id integer, -- null: forfeited
	epsilon numeric, -- null: it has no finite one
	delta numeric NOT NULL,
	rho numeric NOT NULL,
	delta_pool numeric NOT NULL,
	fingerprint bytea NOT NULL,
	aggregate text NOT NULL,
	mechanism text NOT NULL,
	grant_paid boolean NOT NULL,
	PRIMARY KEY (budget_id, charge_id)
);
COMMENT ON TABLE dp_noise_ledger.charge IS
'Every charge, one row per aggregate and population; append-only. Budget_id: the asker''s own row, also where groups'' budgets or only the grant paid. Role: its name then. Member_id: what was asked about, the first of several. Under pure a charge costs epsilon and delta; under zcdp it costs rho, and delta_pool from the pool. Grant_paid: false where the answer was already paid for and is only shared.';

CREATE TABLE dp_noise_ledger.answer (
	population_id integer NOT NULL,
	budget_id bigint NOT NULL, -- 0: drawn for everybody
	question bytea NOT NULL,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	state text NOT NULL DEFAULT 'answered' CHECK (state IN ('asked', 'answered', 'given up')),
	charge_id bigint,
	draw bytea,
	claim bigint,
	answer bytea,
	incarnation bigint,
	PRIMARY KEY (population_id, budget_id, question)
);
-- Written by the worker, for which all others wait: so long values are not
-- compressed.
ALTER TABLE dp_noise_ledger.answer ALTER answer SET STORAGE EXTERNAL;
COMMENT ON TABLE dp_noise_ledger.answer IS
'Questions that were asked, with the released rows where they may be used again. State: asked (charged, and no answer is stored: the statement is running, or its end is not known), answered, or given up (nobody saw an answer, and the question may be asked again, for a new charge). Charge_id: the charge whose answer may still be stored. With budget_id 0: what is drawn once for everybody, by a hash of all that it depends on; charge_id is the charge that has claimed it, and those who asked for it name it as their draw, with that claim: while it is the same, the draw''s answer is theirs. Incarnation: of the server''s shared memory, in which a draw that is asked can still be joined.';

CREATE TYPE dp_noise_ledger.cost AS (
	epsilon numeric,
	delta numeric,
	rho numeric,
	delta_pool numeric,
	unbounded numeric
);
COMMENT ON TYPE dp_noise_ledger.cost IS
'The cost of some charges together, for every accountant: epsilon and delta of those with a finite epsilon, rho, delta from the pool, and the number of those without a finite epsilon.';

-- Numbers begin anywhere: a dump may be restored where a ledger is in use, by whoever
-- goes on after errors, and its members must not be found in populations of there.
-- Databases made from one template, or one from the other, are no exception.
CREATE FUNCTION dp_noise.start_numbers() RETURNS void LANGUAGE sql VOLATILE
AS $$
	SELECT setval(pg_get_serial_sequence('dp_noise_ledger.' || n.ledger_table, n.ledger_table || '_id'),
		1 + ('x' || left(gen_random_uuid()::text, 8))::bit(32)::bigint % n.count)
	FROM (VALUES ('population', 1 << 30), ('member', 1 << 30), ('budget', 1::bigint << 32)) AS n (ledger_table, count)
$$;
COMMENT ON FUNCTION dp_noise.start_numbers() IS 'Lets the numbers of populations, members and budgets go on at random ones.';
SELECT dp_noise.set_place();

------------------------------------------------------------------------------
-- Dumps

DO $$
DECLARE
	ledger_object regclass;
BEGIN
	FOR ledger_object IN
		SELECT c.oid FROM pg_class AS c
		WHERE c.relnamespace = 'dp_noise_ledger'::regnamespace AND c.relkind IN ('r', 'S') ORDER BY c.oid
	LOOP
		PERFORM pg_extension_config_dump(ledger_object, '');
	END LOOP;
END
$$;
-- A population stays, with the name that its owner has now; with none when the
-- owner is gone: it is a superuser's then.
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.population', $$
WHERE false
UNION ALL
SELECT p.population_id, p.name, p.owner, coalesce(r.rolname, ''), p.accountant, p.on_repeat, p.share_answers, p.answers_expire, p.is_dropped
FROM dp_noise_ledger.population AS p LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = p.owner
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.allowance', $$
WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role AND r.rolname = role_name)
$$);
-- A relation has the name that it has now, even where a rename went unnoticed.
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.member', $$
WHERE false
UNION ALL
SELECT m.member_id, m.population_id, m.relation, n.nspname, c.relname, m.unit, m.path_columns, m.path_member_id, m.path_keys,
	m.neighbours, m.max_rows_per_unit, m.max_groups_per_unit, m.min_people_per_group, m.levels, m.settings_version
FROM dp_noise_ledger.member AS m JOIN pg_catalog.pg_class AS c ON c.oid = m.relation JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.budget', $$
WHERE role IS NULL OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role AND r.rolname = role_name)
$$);

-- Whoever writes a row, a restore or the functions below, gives the name; the oid
-- is found here.

CREATE FUNCTION dp_noise.find_role(role_name name) RETURNS oid LANGUAGE sql STABLE
AS $$
	SELECT coalesce((SELECT r.oid FROM pg_roles AS r WHERE r.rolname = find_role.role_name), 0)
$$;
COMMENT ON FUNCTION dp_noise.find_role(name) IS 'The role of that name; 0 if there is none.';

CREATE FUNCTION dp_noise.on_insert() RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
	IF TG_TABLE_NAME = 'population' THEN
		NEW.owner := dp_noise.find_role(NEW.owner_name);
	ELSIF TG_TABLE_NAME = 'member' THEN
		NEW.relation := coalesce((
			SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE c.relname = NEW.relation_name AND n.nspname = NEW.schema_name), 0);
	ELSIF NEW.role_name IS NOT NULL THEN -- not the grant
		NEW.role := dp_noise.find_role(NEW.role_name);
	END IF;
	RETURN NEW;
END
$$;
COMMENT ON FUNCTION dp_noise.on_insert() IS 'Finds the role or relation whose name a row has; 0 where there is none.';

DO $$
DECLARE
	ledger_table text;
BEGIN
	FOREACH ledger_table IN ARRAY '{population,allowance,member,budget}'::text[] LOOP
		EXECUTE format('CREATE TRIGGER dp_noise_on_insert BEFORE INSERT ON dp_noise_ledger.%I FOR EACH ROW EXECUTE FUNCTION dp_noise.on_insert()', ledger_table);
		EXECUTE format('ALTER TABLE dp_noise_ledger.%I ENABLE ALWAYS TRIGGER dp_noise_on_insert', ledger_table);
		EXECUTE format('COMMENT ON TRIGGER dp_noise_on_insert ON dp_noise_ledger.%I IS %L', ledger_table, 'Finds the role or relation whose name a row has.');
	END LOOP;
END
$$;
