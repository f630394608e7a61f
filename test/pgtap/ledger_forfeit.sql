-- What may have been lost is written off: on all budgets on which a charge of the
-- role lands, also more than is left.
\ir support/ledger.sql
CREATE ROLE lff_owner;
CREATE ROLE lff_ann;
CREATE ROLE lff_bob;
CREATE ROLE lff_team ROLE lff_ann;
CREATE ROLE lff_all ROLE lff_team;
SELECT no_plan();
CREATE TABLE people (id int);
ALTER TABLE people OWNER TO lff_owner;
SELECT dp_noise.protect('people', epsilon => 100, delta => 1);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('lff_ann', 'people', 5, 1e-3);
SELECT dp_noise.set_budget('lff_team', 'people', 20, 1, shared => true);
SELECT dp_noise.set_budget('lff_all', 'people', 30, 1, shared => true);
CREATE FUNCTION t.tell() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', coalesce(substr(role, 5), 'grant'), trim_scale(epsilon_spent), trim_scale(epsilon_left), trim_scale(delta_spent)), ', ' ORDER BY role NULLS LAST)
	FROM dp_noise.budgets WHERE population = 'public.people'
$$;

SELECT is(t.ask('lff_ann', 'people', 1), 'charged');
SELECT is(t.tell(), 'all 1 29 0, ann 1 4 0, team 1 19 0, grant 1 99 0', 'a charge');
SELECT is(t.run('lff_owner', $$SELECT dp_noise.forfeit('people', 'lff_ann', 1.5, 1e-6)$$), '', 'the owner forfeits');
SELECT is(t.tell(), 'all 2.5 27.5 0.000001, ann 2.5 2.5 0.000001, team 2.5 17.5 0.000001, grant 2.5 97.5 0.000001', 'lands where a charge does');
SELECT is(t.ask('lff_ann', 'people', 2.6), '53400: insufficient privacy budget for "people" | The query asks for epsilon 2.6; your budget has 2.5 left.', 'the worker knows');
SELECT is((SELECT string_agg(concat_ws(' ', role, population, asked_about, trim_scale(epsilon), trim_scale(delta), mechanism, grant_paid), ',') FROM dp_noise.ledger WHERE aggregate = 'forfeited'),
	'lff_ann public.people 1.5 0.000001 none t', 'a kind of its own in the ledger');
SELECT is((SELECT sum(epsilon) FROM dp_noise.ledger), 2.5, 'which agrees with the grant');
SELECT dp_noise.forfeit('people', 'lff_ann', 10);
SELECT is(t.tell(), 'all 12.5 17.5 0.000001, ann 12.5 0 0.000001, team 12.5 7.5 0.000001, grant 12.5 87.5 0.000001', 'more than is left: nothing is left');
SELECT is(t.run('lff_ann', $$SELECT string_agg(concat_ws(' ', role, remaining, queries_left), ', ' ORDER BY role) FROM dp_budget$$), 'lff_all 17.5 0, lff_ann 0 0, lff_team 7.5 0', 'dp_budget says so');
SELECT matches(t.ask('lff_ann', 'people', 0.1), 'your budget has 0 left');
SELECT dp_noise.set_budget('lff_ann', 'people', 13, 1e-3);
SELECT is(t.ask('lff_ann', 'people', 0.5), 'charged', 'the owner may grant more');
SELECT matches(t.ask('lff_ann', 'people', 0.1), 'your budget has 0 left');

-- a shared budget; roles without a budget
SELECT dp_noise.forfeit('people', 'lff_team', 2);
SELECT is(t.tell(), 'all 15 15 0.000001, ann 13 0 0.000001, team 15 5 0.000001, grant 15 85 0.000001', 'a group''s budget, and that of its group');
SELECT dp_noise.forfeit('people', 'lff_bob', 0.75);
SELECT is(t.tell(), 'all 15 15 0.000001, ann 13 0 0.000001, team 15 5 0.000001, grant 15.75 84.25 0.000001', 'a role without a budget');
SELECT dp_noise.set_budget('lff_bob', 'people', 1);
SELECT is(t.tell(), 'all 15 15 0.000001, ann 13 0 0.000001, bob 0.75 0.25 0, team 15 5 0.000001, grant 15.75 84.25 0.000001', 'counts when it gets one');

-- a period that has ended
SELECT dp_noise.set_budget('lff_bob', 'people', 1, period => '1 day');
UPDATE dp_noise_ledger.spending AS s SET epsilon = 1, since = now() - interval '25 hours' FROM dp_noise_ledger.budget AS b WHERE b.budget_id = s.budget_id AND b.period IS NOT NULL;
SELECT dp_noise.forfeit('people', 'lff_bob', 0.25);
SELECT is((SELECT concat_ws(' ', trim_scale(epsilon_spent), refills_at - now() > interval '22 hours') FROM dp_noise.budgets WHERE role = 'lff_bob'), '0.25 t', 'of the present period');

-- a small grant
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1);
SELECT dp_noise.set_budget('lff_ann', 'flats', 5);
SELECT dp_noise.forfeit('flats', 'lff_ann', 3, 0.5);
SELECT is((SELECT string_agg(concat_ws(' ', trim_scale(epsilon_left), delta_left), ', ' ORDER BY role) FROM dp_noise.budgets WHERE population = 'public.flats'), '2 0, 0 0', 'no less than nothing');
SELECT matches(t.ask('lff_ann', 'flats', 0.1), 'grant has 0 left');

-- who, and what
SELECT is(t.run(who, $$SELECT dp_noise.forfeit('people', 'lff_bob', 1)$$), '42501: must be owner of population public.people', who || ' may not') FROM unnest('{lff_ann,lff_bob,lff_team}'::text[]) AS who;
SELECT matches(t.run('lff_owner', format('SELECT dp_noise.forfeit(''people'', %s)', arguments)), '^' || code, arguments)
FROM (VALUES ('''lff_bob'', -1', '22023'), ('''lff_bob'', ''NaN''', '22023'), ('''lff_bob'', ''Infinity''', '22023'), ('''lff_bob'', NULL', '22023'),
	('''lff_bob'', 1, -1', '22023'), ('''lff_bob'', 1, 2', '22023'), ('''lff_bob'', 1, NULL', '22023'), ('NULL, 1', '42704'), ('4000000000, 1', '42704')) AS v (arguments, code);
CREATE TABLE plain (id int);
SELECT throws_like($$SELECT dp_noise.forfeit('plain', 'lff_bob', 1)$$, '%plain%', 'a table that is not protected');
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE aggregate = 'forfeited'), 6::bigint, 'what is refused writes nothing');
BEGIN;
SELECT dp_noise.forfeit('people', 'lff_bob', 1);
ROLLBACK;
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'lff_bob'), 0.25, 'rolled back, it never was');
-- the greatest amount, and what has ended
SELECT dp_noise.forfeit('people', 'lff_bob', 1e13), dp_noise.forfeit('people', 'lff_bob', 1e13);
SELECT matches(t.ask('lff_bob', 'people', 0.1), 'your budget has 0 left', 'however much it is');
SELECT matches(t.ask('lff_owner', 'people', 0.1), 'grant has 0 left', 'for everybody');

SELECT * FROM finish();
SELECT dp_noise.unprotect(relation) FROM dp_noise.protected_relations;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP TABLE people, flats, plain;
DROP ROLE lff_owner, lff_ann, lff_bob, lff_team, lff_all;
