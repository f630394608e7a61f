-- Namesakes of several that were dropped inherit the sum of what all have spent,
-- once, and all questions that were asked.
\ir support/ledger.sql
CREATE ROLE lns_owner;
CREATE ROLE lns_ann;
CREATE ROLE lns_bob;
SELECT no_plan();
CREATE FUNCTION t.tell() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', coalesce(role, 'total'), relation, trim_scale(epsilon), trim_scale(epsilon_spent)), ', ' ORDER BY relation::text, role), 'none') FROM dp_noise.budgets
$$;
CREATE FUNCTION t.recorded() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', role, relation, n, trim_scale(spent)), ', ' ORDER BY relation::text, role)
	FROM (SELECT role, relation, count(*), sum(epsilon) FROM dp_noise.ledger GROUP BY 1, 2) AS l (role, relation, n, spent)
$$;

-- a table, three times
CREATE TABLE people (id int);
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('lns_ann', 'people', 2);
SELECT is(t.ask('lns_ann', 'people', 0.1, 'q1'), 'charged');
DROP TABLE people;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people');
SELECT dp_noise.set_budget('lns_ann', 'people', 2);
SELECT dp_noise.set_budget('lns_bob', 'people', 2);
SELECT is(t.ask('lns_ann', 'people', 0.2, 'q2'), 'charged');
SELECT is(t.ask('lns_bob', 'people', 0.5, 'q2'), 'charged');
DROP TABLE people;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people');
SELECT is(t.tell(), 'total people 0.8', 'all that was spent, and nothing that was granted');
SELECT dp_noise.protect('people');
SELECT is(t.tell(), 'total people 0.8', 'once');
SELECT dp_noise.set_budget('lns_ann', 'people', 2);
SELECT dp_noise.set_budget('lns_bob', 'people', 2);
SELECT is(t.tell(), 'lns_ann people 2 0.3, lns_bob people 2 0.5, total people 0.8', 'by each');
SELECT is(left(t.ask('lns_ann', 'people', 0.1, q), 5), '53400', q || ' was asked') FROM unnest('{q1,q2}'::text[]) AS q;
SELECT is(t.ask('lns_bob', 'people', 0.25, 'q1'), 'charged');
SELECT is(t.recorded(), 'lns_ann people 2 0.3, lns_bob people 2 0.75', 'the ledger shows it all to the owner');

-- one that takes the name
CREATE TABLE persons (id int);
SELECT dp_noise.protect('persons', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('lns_ann', 'persons', 2);
SELECT is(t.ask('lns_ann', 'persons', 0.6, 'q1'), 'charged');
SELECT is(t.ask('lns_ann', 'persons', 0.01, 'q3'), 'charged');
DROP TABLE people;
ALTER TABLE persons RENAME TO people;
SELECT is(t.tell(), 'lns_ann people 2 0.91, total people 1.66', 'renamed to the name of what was dropped: both');
SELECT is(left(t.ask('lns_ann', 'people', 0.1, q), 5), '53400', q || ' was asked') FROM unnest('{q1,q2,q3}'::text[]) AS q;
SELECT dp_noise.set_budget('lns_bob', 'people', 2);
SELECT is(t.tell(), 'lns_ann people 2 0.91, lns_bob people 2 0.75, total people 1.66');
-- by other ways of the server
CREATE SCHEMA attic;
ALTER TABLE people SET SCHEMA attic;
DROP TABLE attic.people;
ALTER SCHEMA attic RENAME TO cellar;
CREATE TABLE cellar.people (id int);
SELECT dp_noise.protect('cellar.people', epsilon => 1e6, delta => 1);
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets), 0::numeric, 'another schema is another name');
CREATE SCHEMA attic;
ALTER TABLE cellar.people SET SCHEMA attic;
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets), 1.66, 'until it is the same');
ALTER INDEX attic.people RENAME TO old;
SELECT is((SELECT relation_name::text FROM dp_noise_ledger.relation_entry WHERE is_protected), 'old', 'ALTER INDEX renames tables, too');
ALTER EVENT TRIGGER dp_noise_on_rename DISABLE;
ALTER EVENT TRIGGER dp_noise_on_drop DISABLE;
ALTER TABLE attic.old RENAME TO older;
DROP TABLE attic.older;
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
ALTER EVENT TRIGGER dp_noise_on_drop ENABLE ALWAYS;
CREATE TABLE attic.old (id int);
SELECT dp_noise.protect('attic.old', epsilon => 1e6, delta => 1);
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets), 1.66, 'event triggers off: the last name that was known');
DROP SCHEMA attic CASCADE;

-- a role, three times
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('lns_bob', 'flats', 2);
SELECT is(t.ask('lns_bob', 'flats', 0.1, 'q1'), 'charged');
DROP ROLE lns_bob;
CREATE ROLE lns_bob;
SELECT dp_noise.set_budget('lns_bob', 'flats', 2);
SELECT is(t.ask('lns_bob', 'flats', 0.2, 'q2'), 'charged');
DROP ROLE lns_bob;
CREATE ROLE lns_bob;
SELECT is(t.tell(), 'total flats 0.3', 'a role: no grant');
SELECT dp_noise.set_budget('lns_bob', 'flats', 2);
SELECT is(t.tell(), 'lns_bob flats 2 0.3, total flats 0.3', 'all that was spent');
SELECT dp_noise.set_budget('lns_bob', 'flats', 2);
SELECT is(t.tell(), 'lns_bob flats 2 0.3, total flats 0.3', 'once');
SELECT is(left(t.ask('lns_bob', 'flats', 0.1, q), 5), '53400', q || ' was asked') FROM unnest('{q1,q2}'::text[]) AS q;
SELECT is(t.recorded(), 'lns_bob flats 2 0.3, lns_ann 4 0.91, lns_bob 2 0.75', 'recorded');
-- one that takes the name, and asks before anybody grants it something
DROP ROLE lns_bob;
SELECT dp_noise.set_budget('lns_ann', 'flats', 2);
SELECT is(t.ask('lns_ann', 'flats', 0.4, 'q3'), 'charged');
ALTER ROLE lns_ann RENAME TO lns_bob;
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker';
SELECT is(left(t.ask('lns_bob', 'flats', 0.1, q), 5), '53400', q || ' was asked') FROM unnest('{q1,q2,q3}'::text[]) AS q;
SELECT is(t.tell(), 'lns_bob flats 2 0.7, total flats 0.7', 'a role renamed to the name of one dropped: both');
SELECT is(t.ask('lns_bob', 'flats', 1.3), 'charged');
SELECT is(left(t.ask('lns_bob', 'flats', 0.001), 5), '53400');
-- both dropped at once
DROP TABLE flats;
DROP ROLE lns_bob;
CREATE ROLE lns_bob;
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats');
SELECT dp_noise.set_budget('lns_bob', 'flats', 3);
SELECT is(t.tell(), 'lns_bob flats 3 2, total flats 2', 'role and table dropped: the namesakes of both');
SELECT is(left(t.ask('lns_bob', 'flats', 0.1, q), 5), '53400', q || ' was asked') FROM unnest('{q1,q2,q3}'::text[]) AS q;
CREATE ROLE lns_ann;

-- periods: nothing refills before it would have by itself
CREATE FUNCTION t.inherit(old interval, old_age interval, new interval, new_age interval, OUT spent numeric, OUT refill_in interval) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE again (id int);
	PERFORM dp_noise.protect('again', epsilon => 1e6, delta => 1);
	PERFORM dp_noise.alter_population('again', on_repeat => 'answer'), dp_noise.set_budget('lns_ann', 'again', 9, period => old);
	UPDATE dp_noise_ledger.budget_entry AS b SET epsilon_spent = 1, period_start = now() - old_age
	FROM dp_noise_ledger.identity AS i WHERE i.object = 'again'::regclass AND i.id = b.relation_id;
	ALTER TABLE again RENAME TO again_old;
	CREATE TABLE again (id int);
	PERFORM dp_noise.protect('again');
	PERFORM dp_noise.set_budget('lns_ann', 'again', 9, period => new);
	UPDATE dp_noise_ledger.budget_entry AS b SET epsilon_spent = 2, period_start = now() - new_age
	FROM dp_noise_ledger.identity AS i WHERE i.object = 'again'::regclass AND i.id = b.relation_id;
	ALTER TABLE again RENAME TO again_new;
	DROP TABLE again_old;
	ALTER TABLE again_new RENAME TO again_old;
	SELECT b.epsilon_spent, date_trunc('hour', b.refills_at - now() + interval '1 minute')
	FROM dp_noise.budgets AS b WHERE b.population = 'public.again_old' AND b.role = 'lns_ann' INTO spent, refill_in;
	DROP TABLE again_old;
	DELETE FROM dp_noise_ledger.budget_entry WHERE relation_id IN (SELECT relation_id FROM dp_noise_ledger.relation_entry WHERE relation_name ^@ 'again');
	DELETE FROM dp_noise_ledger.relation_entry WHERE relation_name ^@ 'again';
END
$$;
SELECT is(i.*::text, expected, coalesce(old::text, 'none') || ' at ' || old_age || ', ' || coalesce(new::text, 'none') || ' at ' || new_age)
FROM (VALUES
	(NULL::interval, '40 h'::interval, NULL::interval, '1 h'::interval, '(3,)'),
	('10 h', '1 h', '10 h', '1 h', '(3,09:00:00)'),
	('10 h', '1 h', '10 h', '7 h', '(3,09:00:00)'),
	('10 h', '7 h', '10 h', '1 h', '(3,09:00:00)'),
	('10 h', '13 h', '10 h', '1 h', '(2,09:00:00)'), -- the old one had refilled
	('10 h', '1 h', '10 h', '13 h', '(1,09:00:00)'), -- the new one had
	('10 h', '15 h', '10 h', '13 h', '(0,07:00:00)'), -- both had
	('10 h', '15 h', '20 h', '1 h', '(3,19:00:00)'), -- different periods: all counts
	('10 h', '15 h', NULL, '1 h', '(3,)'),
	(NULL, '15 h', '10 h', '1 h', '(3,09:00:00)')
) AS v (old, old_age, new, new_age, expected), LATERAL t.inherit(old, old_age, new, new_age) AS i;

-- a limit on the total stays
CREATE TABLE limited (id int);
SELECT dp_noise.protect('limited', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('limited', epsilon => 1, delta => 0);
SELECT dp_noise.set_budget('lns_ann', 'limited', 9);
SELECT is(t.ask('lns_ann', 'limited', 0.5), 'charged');
DROP TABLE limited;
CREATE TABLE limited (id int);
SELECT dp_noise.protect('limited');
SELECT dp_noise.set_budget('lns_ann', 'limited', 9);
SELECT is(left(t.ask('lns_ann', 'limited', 0.6), 5), '53400', 'a limit on the total is a namesake''s, too');
SELECT dp_noise.alter_population('limited', epsilon => 3, delta => 0);
SELECT is(t.ask('lns_ann', 'limited', 2.5), 'charged', 'until the owner sets another');
SELECT is(left(t.ask('lns_ann', 'limited', 0.1), 5), '53400');

-- who protects and drops a thousand times, and nobody asks, leaves nothing
CREATE FUNCTION t.entries() RETURNS bigint LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM dp_noise_ledger.relation_entry) + (SELECT count(*) FROM dp_noise_ledger.budget_entry)
		+ (SELECT count(*) FROM dp_noise_ledger.identity WHERE class = 'pg_class'::regclass) + (SELECT count(*) FROM dp_noise_ledger.entry_dumped WHERE class = 'pg_class'::regclass)
		+ (SELECT count(*) FROM dp_noise_ledger.column_bounds)
$$;
SELECT t.entries() AS before \gset
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		CREATE TABLE many (id int);
		PERFORM dp_noise.protect('many', epsilon => 1e6, delta => 1);
		PERFORM dp_noise.set_budget('lns_ann', 'many', 1);
		PERFORM dp_noise.set_bounds('many', 'id', 0, 1);
		DROP TABLE many;
	END LOOP;
END
$$;
SELECT is(t.entries(), :before::bigint, 'what was never asked about leaves nothing');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP TABLE flats, limited;
DROP ROLE lns_owner, lns_ann, lns_bob;
