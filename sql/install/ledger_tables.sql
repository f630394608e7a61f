/*
 * ledger_tables.sql
 *		The ledger: its tables.
 */

------------------------------------------------------------------------------
-- The ledger: tables
--
-- Relations and roles are identified by the extension's own numbers. Their
-- names are kept for dumps, and after they are dropped. The objects of this
-- database that they stand for are in dp_noise_ledger.identity, which is not
-- dumped but restored from the names. No number is used twice: a new object
-- with the name of a dropped one (a namesake) gets a number of its own, and
-- inherits what was spent under that name, but not what was granted
-- (ledger_namesakes.sql). There are no foreign keys: a parallel restore loads
-- these tables in any order. Only the functions below and the ledger worker
-- write them. The entry of a relation, and the rows of all tables that have its
-- relation_id, are written under its lock (dp_noise.lock_relation); entries of
-- roles by the ledger worker alone, so that no open transaction holds one.

CREATE SEQUENCE dp_noise_ledger.settings_version;
COMMENT ON SEQUENCE dp_noise_ledger.settings_version IS
'Versions of protected relations'' settings; none is used twice.';

CREATE TABLE dp_noise_ledger.relation_entry (
	relation_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	schema_name name NOT NULL,
	relation_name name NOT NULL,
	owner_id integer,
	is_protected boolean NOT NULL,
	privacy_unit name,
	path_columns name[],
	path_relation_id integer,
	path_keys name[],
	purse_id integer,
	neighbours text NOT NULL CHECK (neighbours IN ('add_remove', 'substitute')),
	max_rows_per_unit integer NOT NULL CHECK (max_rows_per_unit >= 1),
	max_groups_per_unit integer NOT NULL CHECK (max_groups_per_unit >= 1),
	successor integer,
	inherits integer[] NOT NULL DEFAULT '{}',
	copied integer[] NOT NULL DEFAULT '{}',
	successor_reads boolean NOT NULL DEFAULT false,
	settings_version bigint NOT NULL DEFAULT pg_catalog.nextval('dp_noise_ledger.settings_version')
);
CREATE INDEX relation_entry_name ON dp_noise_ledger.relation_entry (relation_name, schema_name);
CREATE INDEX relation_entry_purse ON dp_noise_ledger.relation_entry (purse_id) WHERE purse_id IS NOT NULL;
COMMENT ON TABLE dp_noise_ledger.relation_entry IS
'Relations that are or were protected, one row each; written by dp_noise.protect. Privacy unit: a column, or null for the row. With a path it is null, and the unit is that of the row in the relation to which the path''s columns lead. Purse_id: the relation whose budgets pay; null: its own; kept when the relation is unprotected or dropped, since what was spent counts. Owner: the owner''s number among the roles. Inherits: dropped relations of its names, whose spending counts as its own. Successor: for a dropped relation, the namesake that inherited its questions; the owner of that may read charges and answers only if successor_reads. Copied: dropped relations of other owners whose questions were copied to this one; they also keep them, for namesakes of their own owners. Settings version: changes with everything that changes the meaning of a question about the relation; a statement planned under another version is not charged.';

CREATE TABLE dp_noise_ledger.role_entry (
	role_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	role_name name NOT NULL,
	inherits integer[] NOT NULL DEFAULT '{}'
);
CREATE INDEX role_entry_name ON dp_noise_ledger.role_entry (role_name);
COMMENT ON TABLE dp_noise_ledger.role_entry IS
'Roles that have or had a budget, a charge or a protected relation, one row each. Inherits: other roles of its names, whose spending counts as its own.';

CREATE TABLE dp_noise_ledger.name_entry (
	class oid NOT NULL,
	id integer NOT NULL,
	schema_name name NOT NULL, -- empty for a role
	name name NOT NULL,
	PRIMARY KEY (name, schema_name, class, id)
);
CREATE INDEX name_entry_id ON dp_noise_ledger.name_entry (class, id);
COMMENT ON TABLE dp_noise_ledger.name_entry IS
'All names that a relation_id or role_id ever had.';

CREATE TABLE dp_noise_ledger.identity (
	class oid NOT NULL,
	object oid NOT NULL,
	id integer NOT NULL,
	PRIMARY KEY (class, object),
	UNIQUE (class, id)
);
COMMENT ON TABLE dp_noise_ledger.identity IS
'The object of this database for each relation_id and role_id. Not dumped, but restored from the names.';

CREATE TABLE dp_noise_ledger.entry_dumped (
	class oid NOT NULL,
	id integer NOT NULL,
	PRIMARY KEY (class, id)
);
COMMENT ON TABLE dp_noise_ledger.entry_dumped IS
'All relations and roles that have an entry and were not dropped. A dump contains those that exist under the name that the dump records; after a restore, the others count as dropped.';

CREATE TABLE dp_noise_ledger.column_bounds (
	relation_id integer NOT NULL,
	column_name name NOT NULL,
	lower numeric NOT NULL,
	upper numeric NOT NULL,
	kind text NOT NULL,
	PRIMARY KEY (relation_id, column_name),
	CHECK (lower <= upper)
);
COMMENT ON TABLE dp_noise_ledger.column_bounds IS
'Bounds that the owner declared for a column, in its unit; written by dp_noise.set_bounds. Their kind is number, or the column''s type: dates are days since 2000-01-01, timestamps microseconds since then, times since midnight.';

CREATE TABLE dp_noise_ledger.column_values (
	relation_id integer NOT NULL,
	column_name name NOT NULL,
	column_values text[] NOT NULL,
	PRIMARY KEY (relation_id, column_name)
);
COMMENT ON TABLE dp_noise_ledger.column_values IS
'Values that the owner declared for a column, as texts, in the order of release; written by dp_noise.set_values.';

CREATE TABLE dp_noise_ledger.relation_levels (
	relation_id integer PRIMARY KEY,
	levels numeric[] NOT NULL
);
COMMENT ON TABLE dp_noise_ledger.relation_levels IS
'Privacy levels of a relation, epsilons from the highest; written by dp_noise.set_levels.';

CREATE TABLE dp_noise_ledger.budget_entry (
	budget_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	relation_id integer NOT NULL,
	role_id integer,
	is_active boolean NOT NULL,
	shared boolean NOT NULL,
	epsilon numeric,
	delta numeric NOT NULL,
	max_epsilon_per_query numeric,
	period interval,
	on_repeat text NOT NULL, -- anything unknown is taken for refuse
	epsilon_spent numeric NOT NULL DEFAULT 0,
	delta_spent numeric NOT NULL DEFAULT 0,
	period_start timestamptz NOT NULL DEFAULT pg_catalog.now(),
	min_epsilon_per_query numeric,
	accountant text NOT NULL DEFAULT 'pure' CHECK (accountant IN ('pure', 'zcdp')),
	rho numeric, -- granted; null unless zcdp
	delta_pool numeric NOT NULL DEFAULT 0,
	rho_spent numeric NOT NULL DEFAULT 0,
	pool_spent numeric NOT NULL DEFAULT 0,
	unbounded_spent numeric NOT NULL DEFAULT 0,
	default_epsilon numeric,
	max_failures integer CHECK (max_failures >= 1), -- null: no limit
	failures integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX budget_entry_key
	ON dp_noise_ledger.budget_entry (relation_id, role_id)
	WHERE role_id IS NOT NULL;
CREATE UNIQUE INDEX budget_entry_total
	ON dp_noise_ledger.budget_entry (relation_id) WHERE role_id IS NULL;
COMMENT ON TABLE dp_noise_ledger.budget_entry IS
'Budgets, and what was spent of them in the current period: of a role, of a group (shared), or of a relation as a whole (role_id null; epsilon null: no limit). Accountant: pure adds up epsilons and deltas; zcdp adds up rho, and deltas from a pool. Spending is recorded for both. Rho: what epsilon and the delta outside of the pool were worth when they were granted, rounded down. Unbounded_spent: the number of charges without a finite epsilon, after which no further charge fits under pure. Default_epsilon: for aggregates that name none, where the session has not set one. Failures: statements that it paid for and that ended in an error that may depend on rows, since the owner has forgiven them; a role or group with max_failures of them may not ask any more.';

CREATE TABLE dp_noise_ledger.spending_part (
	budget_id bigint NOT NULL,
	source bigint NOT NULL, -- the budget that it was charged to; 0: forfeited
	kind text NOT NULL CHECK (kind IN ('inherited', 'foreign', 'forfeited')),
	epsilon numeric NOT NULL,
	delta numeric NOT NULL,
	at timestamptz NOT NULL,
	rho numeric NOT NULL,
	delta_pool numeric NOT NULL,
	unbounded numeric NOT NULL,
	PRIMARY KEY (budget_id, source)
);
COMMENT ON TABLE dp_noise_ledger.spending_part IS
'Parts of a budget''s spending that were not charged to it: inherited from the budget of a dropped relation or of another role, inherited from another owner''s relation (foreign), or forfeited. At: the time of that; a part from before the budget''s current period has refilled with it.';

CREATE TABLE dp_noise_ledger.ledger_entry (
	ledger_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	role_id integer NOT NULL,
	relation_id integer NOT NULL,
	epsilon numeric, -- null: it has no finite one
	delta numeric NOT NULL,
	fingerprint bytea NOT NULL,
	aggregate text NOT NULL,
	mechanism text NOT NULL,
	rho numeric NOT NULL,
	delta_pool numeric NOT NULL,
	asked_id integer,
	through_view boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE dp_noise_ledger.ledger_entry IS
'Every charge, one row per aggregate; append-only. Relation_id: the relation whose budgets paid; asked_id: the relation that was asked about (the first of several), if it is another one. Under pure a charge costs epsilon and delta; under zcdp it costs rho, and delta_pool from the pool. Through_view: the relation was read through a protected view, and only its total was charged.';

CREATE TYPE dp_noise_ledger.cost AS (
	epsilon numeric,
	delta numeric,
	rho numeric,
	delta_pool numeric,
	unbounded numeric
);
COMMENT ON TYPE dp_noise_ledger.cost IS
'The cost of some charges together, for every accountant: epsilon and delta of those with a finite epsilon, rho, delta from the pool, and the number of those without a finite epsilon.';

CREATE TABLE dp_noise_ledger.answer_entry (
	role_id integer NOT NULL,
	relation_id integer NOT NULL,
	fingerprint bytea NOT NULL,
	asked_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	answer bytea,
	state text NOT NULL DEFAULT 'answered' CHECK (state IN ('asked', 'answered', 'given up')),
	ledger_id bigint,
	PRIMARY KEY (relation_id, role_id, fingerprint)
);
-- Written by the worker, for which all others wait: so long values are not
-- compressed.
ALTER TABLE dp_noise_ledger.answer_entry ALTER answer SET STORAGE EXTERNAL;
COMMENT ON TABLE dp_noise_ledger.answer_entry IS
'Questions that were asked, with the released rows where they may be replayed. State: asked (charged, and no answer is stored: the statement is running, or its end is not known), answered, or given up (nobody saw an answer, and the question may be asked again, for a new charge). Ledger_id: the charge whose answer may still be stored. Role_id 0: the chain of answers of a question with privacy levels, for all roles; from the charge for which the total pays it is asked, until one of those who draw it stores theirs.';

SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.relation_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.relation_entry_relation_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.settings_version', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.role_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.role_entry_role_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.name_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.column_bounds', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.column_values', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.relation_levels', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.budget_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.budget_entry_budget_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.spending_part', '');
-- Tables only: pg_dump reads no views except the server's own.
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.entry_dumped', $$
WHERE (class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND id IN (
	SELECT r.role_id FROM dp_noise_ledger.role_entry AS r
	JOIN pg_catalog.pg_roles AS a ON a.rolname = r.role_name
	LEFT JOIN dp_noise_ledger.identity AS p ON p.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND p.id = r.role_id
	LEFT JOIN dp_noise_ledger.identity AS q ON q.class = 'pg_catalog.pg_authid'::pg_catalog.regclass::pg_catalog.oid AND q.object = a.oid
	WHERE coalesce(p.object, a.oid) = a.oid AND coalesce(q.id, r.role_id) = r.role_id))
OR (class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND id IN (
	SELECT e.relation_id FROM dp_noise_ledger.relation_entry AS e
	JOIN pg_catalog.pg_namespace AS n ON n.nspname = e.schema_name
	JOIN pg_catalog.pg_class AS c ON c.relname = e.relation_name AND c.relnamespace = n.oid
	LEFT JOIN dp_noise_ledger.identity AS p ON p.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND p.id = e.relation_id
	LEFT JOIN dp_noise_ledger.identity AS q ON q.class = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid AND q.object = c.oid
	WHERE coalesce(p.object, c.oid) = c.oid AND coalesce(q.id, e.relation_id) = e.relation_id))
$$);
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.ledger_entry', '');
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.ledger_entry_ledger_id_seq', '');
-- Not the chains of answers that are awaited, since they may go out after the dump.
SELECT pg_catalog.pg_extension_config_dump('dp_noise_ledger.answer_entry', 'WHERE role_id <> 0 OR state <> ''asked''');
