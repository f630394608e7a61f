-- What an owner can make to be in the way of others: for test/tap/attacks/worst_owner.pl
-- and bench/worst_owner, by a superuser.
SET client_min_messages = warning;
CREATE ROLE mallory LOGIN;
CREATE ROLE eve LOGIN; -- a member of two thousand groups
CREATE ROLE carl LOGIN; -- of as many as may share budgets
CREATE SCHEMA m AUTHORIZATION mallory;
GRANT USAGE ON SCHEMA m TO PUBLIC;
DO $$
BEGIN
	FOR i IN 1 .. 2000 LOOP
		EXECUTE format('CREATE ROLE g%s ROLE eve', i);
	END LOOP;
	FOR i IN 1 .. 32 LOOP
		EXECUTE format('GRANT g%s TO carl', i);
	END LOOP;
END
$$;

SET SESSION AUTHORIZATION mallory;
DO $$ BEGIN FOR i IN 1 .. 2000 LOOP EXECUTE format('CREATE TABLE m.t%s (id int, c text)', i); END LOOP; END $$;
DO $$ BEGIN FOR i IN 2001 .. 4000 LOOP EXECUTE format('CREATE TABLE m.t%s (id int, c text)', i); END LOOP; END $$;
SELECT dp_noise.create_population('one', 1e6);
SELECT dp_noise.protect(format('m.t%s', i)::regclass, 'id', max_rows_per_unit => 1, population => 'one') FROM generate_series(1, 5) AS i;
SELECT dp_noise.set_budget('g1', 'one', 1e6, shared => true);
SELECT dp_noise.allow_members('one', 'g1');
SELECT dp_noise.set_values('m.t1', 'c', (SELECT array_agg(repeat(i::text, 20)) FROM generate_series(1, 10000) AS i));
RESET SESSION AUTHORIZATION;

-- The rest, and a thousand populations more, as the functions would write it.
SET search_path = dp_noise_ledger;
INSERT INTO member (population_id, relation, schema_name, relation_name, unit, neighbours, max_rows_per_unit, max_groups_per_unit, min_people_per_group)
SELECT m.population_id, 0, 'm', 't' || i, 'id', 'add_remove', 1, 1, 1 FROM member AS m, generate_series(6, 4000) AS i WHERE m.schema_name = 'm' AND m.relation_name = 't1';
INSERT INTO allowance (population_id, role, role_name) SELECT p.population_id, 0, 'g' || i FROM population AS p, generate_series(2, 2000) AS i WHERE p.name = 'one';
INSERT INTO population (name, owner, owner_name) SELECT 'p' || i, 0, 'mallory' FROM generate_series(1, 1000) AS i;
INSERT INTO budget (population_id, role, role_name, is_active, shared, epsilon, delta)
SELECT p.population_id, 0, r, true, true, 1e6, 0 FROM population AS p, unnest('{dp_ann,of_ann}'::name[]) AS r WHERE p.owner_name = 'mallory'
UNION ALL SELECT p.population_id, 0, 'g' || i, true, true, 1e6, 0 FROM population AS p, generate_series(2, 2000) AS i WHERE p.name = 'one';
INSERT INTO budget (population_id, is_active, shared, epsilon, delta) SELECT p.population_id, true, true, 1e6, 0 FROM population AS p WHERE p.name LIKE 'p%' AND p.owner_name = 'mallory';
INSERT INTO spending (budget_id) SELECT b.budget_id FROM budget AS b WHERE NOT EXISTS (SELECT FROM spending AS s WHERE s.budget_id = b.budget_id);
INSERT INTO answer (population_id, budget_id, question, answer) SELECT p.population_id, 0, pg_catalog.sha256(int4send(i)), 'x' FROM population AS p, generate_series(1, 50000) AS i WHERE p.name = 'one';
INSERT INTO charge (budget_id, population_id, role, delta, rho, delta_pool, fingerprint, aggregate, mechanism, grant_paid)
SELECT 0, p.population_id, 'x', 0, 0, 0, '', 'dp_count', '', true FROM population AS p, generate_series(1, 10000) AS i WHERE p.name = 'one';
RESET search_path;

SET SESSION AUTHORIZATION mallory;
SELECT dp_noise.set_budget(format('g%s', i)::regrole, 'one', 1e6, shared => true, relations => (SELECT array_agg(format('m.t%s', j)::regclass) FROM generate_series(1, 1000) AS j)) FROM generate_series(1, 33) AS i;
RESET SESSION AUTHORIZATION;
