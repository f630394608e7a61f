-- What the gate reads of the extension's tables: for groups of groups, uncounted,
-- and without indexes.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE gate_owner.read (id int PRIMARY KEY, age int, kind text COLLATE "C");
INSERT INTO gate_owner.read SELECT i, 50, 'a' FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('gate_owner.read', 'id', epsilon => 1e9, delta => 1);
SELECT dp_noise.alter_population('gate_owner.read', on_repeat => 'answer');
SELECT dp_noise.set_bounds('gate_owner.read', 'age', 0, 100);
SELECT dp_noise.set_values('gate_owner.read', 'kind', '{a,b,c}');
RESET ROLE;
CREATE ROLE gate_near;
CREATE ROLE gate_far;
CREATE ROLE gate_member LOGIN;
GRANT gate_far TO gate_near;
GRANT gate_near TO gate_member;
GRANT USAGE ON SCHEMA gate_owner TO gate_member;

-- What comes of the question: a number, or SQLSTATE and message.
CREATE FUNCTION t.ask() RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_member', 'SELECT sum(age) FROM gate_owner.read GROUP BY kind ORDER BY 1 LIMIT 1')
$$;

-- A budget of a group of a group's is its members' where it is shared, and while
-- the group has the name that it was given to.
SELECT matches(t.ask(), '^42501', 'no budget');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_far', 'gate_owner.read', 1e6, default_epsilon => 2);
RESET ROLE;
SELECT matches(t.ask(), '^42501', 'a budget that is not shared');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_far', 'gate_owner.read', 1e6, default_epsilon => 2, shared => true);
RESET ROLE;
SELECT matches(t.ask(), '^-?\d+$', 'shared');
SELECT is((SELECT array_agg(DISTINCT trim_scale(epsilon)) FROM dp_noise_ledger.charge), '{2}', 'at its epsilon');
ALTER ROLE gate_far RENAME TO gate_farther;
SELECT matches(t.ask(), '^42501', 'the group has another name');
ALTER ROLE gate_farther RENAME TO gate_far;
REVOKE gate_far FROM gate_near;
SELECT matches(t.ask(), '^42501', 'no longer in the group');
GRANT gate_far TO gate_near;
SELECT matches(t.ask(), '^-?\d+$', 'in it again');

-- Statistics, which everybody may read, do not show what was read.
CREATE FUNCTION t.scans() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_returned(c.oid))::bigint FROM pg_class AS c
	WHERE c.relnamespace = 'dp_noise_ledger'::regnamespace AND c.relname ~ 'member|population|budget|column'
$$;
BEGIN;
SELECT t.scans() AS before \gset
SELECT matches(t.run('gate_member', 'EXPLAIN SELECT sum(age) FROM gate_owner.read GROUP BY kind'), 'DP Release', 'planned');
SELECT is(t.scans(), :before::bigint, 'nothing is counted');
COMMIT;

-- An index that is not valid lacks rows. It is not used, and its table is read
-- without it.
CREATE FUNCTION t.set_index(name text, is_ready boolean, is_valid boolean) RETURNS void LANGUAGE sql AS $$
	UPDATE pg_index SET indisready = is_ready, indisvalid = is_valid WHERE indexrelid = ('dp_noise_ledger.' || name)::regclass
$$;
SELECT t.set_index(name, false, false) FROM unnest('{member_relation,member_pkey,column_bounds_pkey,column_values_pkey}'::text[]) AS name;
SET ROLE gate_owner;
CREATE TABLE gate_owner.late (reader int REFERENCES gate_owner.read, age int);
SELECT dp_noise.protect('gate_owner.late', 'reader -> gate_owner.read', population => 'gate_owner.read', max_rows_per_unit => 1, max_groups_per_unit => 1);
SELECT dp_noise.set_bounds('gate_owner.late', 'age', 0, 10);
RESET ROLE;
SELECT t.set_index(name, true, false) FROM unnest('{member_relation,member_pkey,column_bounds_pkey,column_values_pkey}'::text[]) AS name;
SELECT matches(t.run('gate_member', 'EXPLAIN SELECT sum(age) FROM gate_owner.late'), 'DP Release', 'rows that no index has');
SELECT matches(t.run('gate_member', 'EXPLAIN SELECT sum(age) FROM gate_owner.read GROUP BY kind'), 'DP Release', 'and others');
REINDEX TABLE dp_noise_ledger.member;
REINDEX TABLE dp_noise_ledger.column_bounds;
REINDEX TABLE dp_noise_ledger.column_values;
SELECT matches(t.run('gate_member', 'EXPLAIN SELECT sum(age) FROM gate_owner.late'), 'DP Release', 'with indexes again');

SELECT finish();
DROP OWNED BY gate_member, gate_near, gate_far;
DROP ROLE gate_member, gate_near, gate_far;
\ir support/gate_end.sql
