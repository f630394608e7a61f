-- Accountants: what a grant is worth in rho, what lands on whom in which currency,
-- and that nothing of it is lost by another accountant, a period or another table
-- of the name.
\ir support/ledger.sql
CREATE ROLE lac_owner;
CREATE ROLE lac_ann;
CREATE ROLE lac_bob;
CREATE ROLE lac_team ROLE lac_ann, lac_bob;
SELECT no_plan();
CREATE TABLE people (id int);
CREATE TABLE flats (id int);
ALTER TABLE people OWNER TO lac_owner;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.protect('flats', epsilon => 1e6, delta => 1);

-- A charge of which more is known; epsilon null: it has none.
CREATE FUNCTION t.pay(who text, relation text, epsilon numeric, rho numeric, delta numeric DEFAULT 0, delta_pool numeric DEFAULT 0) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, format('SELECT CASE WHEN replayed THEN ''replayed'' ELSE ''charged'' END FROM dp_noise.charge(%L, %L, %L, %L, NULL, %L, %L)',
		relation, epsilon, delta, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea, rho, delta_pool))
$$;
-- What is spent, in every currency: epsilon delta rho pool unbounded.
CREATE FUNCTION t.spent(relation text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', coalesce(substr(b.role_name, 5), 'all'),
		trim_scale(s.epsilon), trim_scale(s.delta), trim_scale(s.rho), trim_scale(s.delta_pool), trim_scale(s.unbounded)), ', ' ORDER BY b.role NULLS LAST)
	FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.budget AS b USING (population_id) JOIN dp_noise_ledger.spending AS s USING (budget_id)
	WHERE p.name = 'public.' || relation AND b.is_active
$$;
CREATE FUNCTION t.alter(arguments text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('postgres', 'SELECT dp_noise.alter_population(' || arguments || ')')
$$;
-- A population under zcdp, and what a role may spend of it.
CREATE FUNCTION t.zcdp(relation text, role text, pool numeric DEFAULT 0) RETURNS void LANGUAGE sql AS $$
	SELECT dp_noise.alter_population(relation, accountant => 'zcdp', delta => 1e-6, delta_pool => pool), dp_noise.set_budget(role::regrole, relation, 5, 1e-6)
$$;
-- A budget, or the grant (null), as the views show it.
CREATE FUNCTION t.shown(relation text, who text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', p.accountant, s.epsilon_spent, b.epsilon_left, b.rho_spent) FROM dp_noise.budgets AS b JOIN dp_noise.populations AS p USING (population)
	CROSS JOIN LATERAL (SELECT trim_scale(b.epsilon_spent)) AS s (epsilon_spent)
	WHERE population = 'public.' || relation AND b.role IS NOT DISTINCT FROM who
$$;

-- what a grant is worth: MECHANISMS, rounded down
SELECT is(dp_noise.rho_of_grant(e, d, p) BETWEEN w * (1 - 2e-5) AND w, true, format('what (%s, %s) is worth, %s of it for the pool', e, d, p))
FROM (VALUES (1, 1e-6, 0, 0.02435597035953837), (5, 1e-6, 0, 0.4630649901386302), (3, 1e-9, 0, 0.12058242891102), (0.1, 1e-5, 0, 0.0004329937294018095),
	(1, 1e-6, 5e-7, 0.02293744668872), (5, 1e-6, 5e-7, 0.44172696054196)) AS v (e, d, p, w);
SELECT is(t.alter($$'people', delta => 1e-6, accountant => 'zcdp', delta_pool => 5e-7$$), '');
SELECT dp_noise.set_budget('lac_ann', 'people', 1, 1e-6);
SELECT is((SELECT concat_ws(' ', trim_scale(epsilon), delta, epsilon_spent, trim_scale(epsilon_left), delta_left, rho_spent, rho_left = rho, trim_scale(delta_pool)) FROM dp_noise.budgets WHERE role = 'lac_ann'),
	'1 0.000001 0 1 0.0000005 0 t 0.0000005', 'granted');
SELECT is((SELECT rho FROM dp_noise.budgets WHERE role = 'lac_ann'), dp_noise.rho_of_grant(1, 1e-6, 5e-7), 'with as much of its delta for the pool as the population has');
SELECT is((SELECT concat_ws(' ', accountant, rho = dp_noise.rho_of_grant(1e6, 1e-6, 5e-7), rho_left = rho, rho_spent, delta_pool) FROM dp_noise.populations WHERE population = 'public.people'),
	'zcdp t t 0 0.0000005', 'and so has the grant');
SELECT is(t.alter($$'people', delta_pool => 2.5e-7$$), '', 'another pool');
SELECT is((SELECT concat_ws(' ', rho = dp_noise.rho_of_grant(1, 1e-6, 2.5e-7), trim_scale(delta_pool)) FROM dp_noise.budgets WHERE role = 'lac_ann'), 't 0.00000025', 'is of all budgets');

-- wrong grants
SELECT matches(t.alter('''people'', ' || a), '^22023', a)
FROM unnest(ARRAY[$$epsilon => 1, delta => 1e-6, accountant => 'other'$$, $$delta => 0, delta_pool => 0$$, $$delta => 1, delta_pool => 0$$, $$epsilon => 0$$,
	$$epsilon => 1e7$$, $$delta_pool => 1e-6$$, $$delta_pool => -1e-7$$,
	$$delta_pool => 'NaN'$$, $$accountant => 'pure', delta_pool => 1e-7$$]) AS a;
SELECT matches(t.run('postgres', 'SELECT dp_noise.set_budget(''lac_bob'', ''people'', ' || a || ')'), '^22023', a) FROM unnest('{"1, 0","1, 1","0, 1e-6","1e7, 1e-6"}'::text[]) AS a;
SELECT matches(t.run('postgres', 'SELECT dp_noise.create_population(''wrong'', ' || a || ')'), '^22023', a)
FROM unnest(ARRAY[$$1, 0, 'zcdp'$$, $$1, 1e-6, 'other'$$, $$1, 1e-6, NULL$$, $$1, 1e-6, 'zcdp', 1e-6$$, $$1, 1e-6, delta_pool => 1e-7$$]) AS a;
SELECT is((SELECT count(*) FROM dp_noise.populations WHERE population = 'wrong'), 0::bigint, 'none was made');
SELECT is(t.alter($$'people', accountant => 'pure', delta_pool => 0$$), '', 'back to pure, before anything is spent');

-- in every currency, whatever the accountant
SELECT dp_noise.set_budget('lac_ann', 'people', 5, 1e-6, min_epsilon_per_query => NULL), dp_noise.set_budget('lac_bob', 'people', 10, 1e-6), dp_noise.set_budget('lac_team', 'people', 20, 1e-3, shared => true);
SELECT is(t.pay('lac_ann', 'people', 0.5, 0.01, 2e-7, 1e-7), 'charged');
SELECT is(t.spent('people'), 'ann 0.5 0.0000002 0.01 0.0000001 0, bob 0 0 0 0 0, team 0.5 0.0000002 0.01 0.0000001 0, all 0.5 0.0000002 0.01 0.0000001 0', 'one of everything, everywhere');
SELECT is((SELECT concat_ws(' ', trim_scale(epsilon), delta, rho, delta_pool) FROM dp_noise.ledger), '0.5 0.0000002 0.01 0.0000001', 'in the ledger');
SELECT is(t.ask('lac_bob', 'people', 1, delta => 1e-7), 'charged');
SELECT is(t.spent('people'), 'ann 0.5 0.0000002 0.01 0.0000001 0, bob 1 0.0000001 ' || r || ' 0.0000001 0, team 1.5 0.0000003 ' || r + 0.01 || ' 0.0000002 0, all 1.5 0.0000003 ' || r + 0.01 || ' 0.0000002 0',
	'where nothing more is known, R(epsilon), and delta from the pool')
FROM (SELECT (dp_noise.cost_of_pure(1, 0)).rho) AS c (r);
SELECT is((dp_noise.cost_of_pure(1, 0)).rho BETWEEN 0.462117157260 AND 0.462117157261, true, 'R(1), rounded up');

-- no finite epsilon
SELECT is(t.pay('lac_bob', 'people', NULL, 0.001), '53400: insufficient privacy budget for "people" | The query has no finite epsilon, and your budget adds up epsilons.', 'fits no pure budget');
SELECT is(t.pay('postgres', 'people', NULL, 0.001), '53400: insufficient privacy budget for "people" | The query has no finite epsilon, and the population''s grant adds up epsilons.', 'nor the grant');
SELECT is(t.spent('people') LIKE '% 0, all 1.5 0.0000003 % 0', true, 'and nothing is charged anywhere');
SELECT is(t.alter($$'people', delta => 1e-6, accountant => 'zcdp', delta_pool => 5e-7$$), '', 'under zcdp');
SELECT dp_noise.drop_budget('lac_team', 'people');
SELECT is(t.pay('lac_ann', 'people', NULL, 0.001), 'charged', 'rho counts');
SELECT is((SELECT concat_ws(' ', epsilon IS NULL, rho) FROM dp_noise.ledger ORDER BY at DESC LIMIT 1), 't 0.001', 'no epsilon in the ledger');
SELECT is(t.spent('people') LIKE 'ann 0.5 0.0000002 0.011 0.0000001 1, bob % 0, all 1.5 % 1', true, 'counted');

-- what is left, and the message
SELECT is(t.pay('lac_ann', 'people', NULL, 1), format('53400: insufficient privacy budget for "people" | The query asks for rho 1; your budget has %s left.', (SELECT trim_scale(rho_left) FROM dp_noise.budgets WHERE role = 'lac_ann')), 'too much rho');
SELECT is(t.pay('lac_ann', 'people', NULL, 0.001, 0, 1e-6), '53400: insufficient privacy budget for "people" | The query asks for delta 0.000001; your budget has 0.0000004 left.', 'too much of the pool');
SELECT is(t.pay('lac_ann', 'people', 1000, 0.001, 0.1), 'charged', 'what the other accountant counts is no matter');
SELECT is((SELECT rho_left = rho - 0.012 FROM dp_noise.budgets WHERE role = 'lac_ann'), true, 'left, exactly');
SELECT is(t.pay('lac_ann', 'people', NULL, (SELECT rho_left FROM dp_noise.budgets WHERE role = 'lac_ann')), 'charged', 'all of it');
SELECT is((SELECT concat_ws(' ', trim_scale(rho_left), round(epsilon_spent, 4), epsilon_left) FROM dp_noise.budgets WHERE role = 'lac_ann'), '0 5.0000 0', 'is the epsilon granted');
SELECT matches(t.pay('lac_ann', 'people', NULL, 1e-24), 'has 0 left', 'not a unit more');
SELECT is(t.run('lac_ann', $$SELECT concat_ws(' ', granted, remaining, delta_left, accountant, rho = rho_spent, trim_scale(rho_left), queries_left) FROM dp_budget$$), '5 0 0.0000004 zcdp t 0 0', 'dp_budget');

-- limits of a query are about what is asked for, in epsilon
SELECT t.zcdp('flats', 'lac_ann'), dp_noise.set_budget('lac_ann', 'flats', 5, 1e-6, max_epsilon_per_query => 0.5, min_epsilon_per_query => 0.1);
SELECT matches(t.pay('lac_ann', 'flats', 0.6, 0.001), 'asks for too much epsilon at once');
SELECT matches(t.pay('lac_ann', 'flats', 0.05, 0.001), 'asks for too little epsilon');
SELECT is(t.pay('lac_ann', 'flats', 0.5, 0.001), 'charged');
SELECT matches(t.pay('lac_ann', 'flats', NULL, 0.05), 'asks for too little epsilon', 'also where it has none');

-- as many queries as dp_budget says
CREATE FUNCTION t.queries_left(about text, epsilon text, rho text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', epsilon, true), set_config('dp_noise.rho', rho, true);
	RETURN t.run('lac_ann', format('SELECT queries_left FROM dp_budget WHERE population = %L AND role = %L', 'public.' || about, 'lac_ann'));
END
$$;
SELECT t.zcdp('flats', 'lac_ann');
SELECT is(t.queries_left('flats', '0.1', '0'), div(rho_left, (dp_noise.cost_of_pure(0.1, 0)).rho)::text, 'of R(0.1)') FROM dp_noise.budgets WHERE role = 'lac_ann' AND population = 'public.flats';
SELECT is(t.queries_left('flats', '1', '0.0001'), '4620', 'of a price in rho, whatever epsilon says');
SELECT is(t.queries_left('flats', '1', '0'), '0', 'or none');

-- another accountant: what was spent counts in its currency
SELECT is(t.spent('flats'), 'ann 0.5 0 0.001 0 0, all 0.5 0 0.001 0 0');
SELECT is(t.alter($$'flats', accountant => 'pure'$$), '', 'from zcdp to pure, all with an epsilon');
SELECT is(t.shown('flats', 'lac_ann'), 'pure 0.5 4.5', 'epsilons');
SELECT is(t.pay('lac_ann', 'flats', 1, 0.25), 'charged');
SELECT is(t.alter($$'flats', accountant => 'zcdp'$$), '', 'and back');
SELECT is((SELECT rho_spent FROM dp_noise.budgets WHERE role = 'lac_ann' AND population = 'public.flats'), 0.251, 'rho');
SELECT is((SELECT rho_spent FROM dp_noise.populations WHERE population = 'public.flats'), 0.251, 'of the grant');
SELECT is(t.pay('lac_ann', 'flats', NULL, 0.001), 'charged');
SELECT is(t.alter($$'flats', accountant => 'pure'$$), '55000: what was spent has no finite epsilon | Answers were given that only the accountant zcdp can count.', 'not to pure where some has no epsilon');
SELECT is(t.alter($$'flats', epsilon => 5$$), '', 'a small grant');
SELECT is(t.pay('postgres', 'flats', NULL, 10), format('53400: insufficient privacy budget for "flats" | The query asks for rho 10; the population''s grant has %s left.', (SELECT trim_scale(rho_left) FROM dp_noise.budgets WHERE role IS NULL AND population = 'public.flats')), 'which binds superusers too');
SELECT is(t.alter($$'flats', epsilon => 1e6$$), '');
-- dropped and granted again
SELECT dp_noise.drop_budget('lac_ann', 'flats');
SELECT is(t.alter($$'flats', accountant => 'pure'$$) LIKE '55000%', true, 'what was spent is remembered');
SELECT dp_noise.unprotect('flats');
SELECT is(t.alter($$'public.flats', accountant => 'pure'$$) LIKE '55000%', true, 'without a member, too');
SELECT dp_noise.protect('flats');

-- periods
SELECT dp_noise.set_budget('lac_ann', 'flats', 5, 1e-6, period => '1 day');
SELECT is((SELECT rho_spent FROM dp_noise.budgets WHERE role = 'lac_ann' AND population = 'public.flats'), 0.252, 'a new period refills nothing');
UPDATE dp_noise_ledger.spending AS s SET since = now() - interval '25 hours' FROM dp_noise_ledger.budget AS b WHERE b.budget_id = s.budget_id AND b.period IS NOT NULL;
SELECT is((SELECT concat_ws(' ', epsilon_spent, rho_spent, rho_left = rho) FROM dp_noise.budgets WHERE role = 'lac_ann' AND population = 'public.flats'), '0 0 t', 'the next does');
SELECT is(t.pay('lac_ann', 'flats', 0.5, 0.125), 'charged');
SELECT is((SELECT concat_ws(' ', rho_spent, refills_at > now()) FROM dp_noise.budgets WHERE role = 'lac_ann' AND population = 'public.flats'), '0.125 t', 'spent in it');
SELECT is((SELECT rho_spent FROM dp_noise.populations WHERE population = 'public.flats'), 0.377, 'the grant does not refill');

-- what may have been lost
CREATE TABLE lost (id int);
ALTER TABLE lost OWNER TO lac_owner;
SELECT dp_noise.protect('lost', epsilon => 1e6, delta => 1);
SELECT t.zcdp('lost', 'lac_ann', 5e-7);
SELECT is(t.run('lac_owner', $$SELECT dp_noise.forfeit('lost', 'lac_ann', 0.5, 1e-7)$$), '');
SELECT is(t.spent('lost'), format('ann %1$s, all %1$s', concat_ws(' ', '0.5 0.0000001', (dp_noise.cost_of_pure(0.5, 0)).rho, '0.0000001 0')), 'at most R(epsilon)');
SELECT is(t.run('lac_owner', $$SELECT dp_noise.forfeit('lost', 'lac_ann', NULL, rho => 0.01)$$), '');
SELECT is(t.run('lac_owner', $$SELECT dp_noise.forfeit('lost', 'lac_ann', 0.25, rho => 0.0625)$$), '');
SELECT is(t.spent('lost'), format('ann %1$s, all %1$s', concat_ws(' ', '0.75 0.0000001', (dp_noise.cost_of_pure(0.5, 0)).rho + 0.0725, '0.0000001 1')), 'what is known better');
SELECT is((SELECT string_agg(concat_ws(' ', trim_scale(epsilon), rho > 0), ', ' ORDER BY at) FROM dp_noise.ledger WHERE aggregate = 'forfeited'), '0.5 t, t, 0.25 t', 'in the ledger');
SELECT matches(t.run('lac_owner', format('SELECT dp_noise.forfeit(''lost'', ''lac_ann'', %s)', a)), '^22023', a) FROM unnest('{"NULL","1, rho => -1","1, rho => ''NaN''","NULL, rho => 1e14"}'::text[]) AS a;

-- a table that is dropped and made anew finds everything where it was
CREATE TABLE pets (id int);
SELECT dp_noise.protect('pets', epsilon => 1e6, delta => 1);
SELECT t.zcdp('pets', 'lac_ann', 5e-7);
SELECT is(t.pay('lac_ann', 'pets', 0.5, 0.01, 0, 1e-7), 'charged');
SELECT is(t.pay('lac_ann', 'pets', NULL, 0.02), 'charged');
DROP TABLE pets;
CREATE TABLE pets (id int);
SELECT dp_noise.protect('pets');
SELECT matches(t.alter($$'pets', accountant => 'pure', delta_pool => 0$$), '^55000', 'it cannot be pure');
SELECT is(t.spent('pets'), 'ann 0.5 0 0.03 0.0000001 1, all 0.5 0 0.03 0.0000001 1', 'what was spent');
SELECT is(t.pay('lac_ann', 'pets', NULL, 0.03), 'charged', 'of what was granted');
DROP TABLE pets;
CREATE TABLE pets (id int);
SELECT dp_noise.protect('pets'), dp_noise.protect('pets');
SELECT is(t.spent('pets'), 'ann 0.5 0 0.06 0.0000001 2, all 0.5 0 0.06 0.0000001 2', 'once more');

-- previews
GRANT EXECUTE ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) TO PUBLIC;
SELECT dp_noise.alter_population('flats', delta_pool => 5e-7), dp_noise.set_budget('lac_bob', 'flats', 5, 1e-6, min_epsilon_per_query => NULL);
SELECT is((SELECT b - 'population' - 'rho_granted' - 'rho_left' - 'rho_asked' FROM jsonb_array_elements(t.run('lac_bob', $$SELECT dp_noise.charge_preview('{flats}', '{0.5}', '{1e-7}', '{a}')$$)::jsonb->'budgets') AS b),
	'{"kind": "own", "role": "lac_bob", "granted": 5, "rho_spent": 0, "max_epsilon_per_query": null, "delta_granted": 0.000001, "delta_pool": 0.0000005, "delta_spent": 0, "delta_left": 0.0000005, "delta_asked": 0.0000001, "suffices": true}', 'all of a budget');

-- nobody else
SELECT is(t.run('lac_ann', q), '42501: permission denied for function ' || split_part(split_part(q, '.', 2), '(', 1), q)
FROM unnest('{"SELECT dp_noise.cost_of_pure(1, 0)","SELECT dp_noise.rho_of_grant(1, 1e-6, 0)","SELECT dp_noise.epsilon_of_rho(1, 1e-6)"}'::text[]) AS q;
SELECT is(dp_noise.epsilon_of_rho(r, d) BETWEEN e - 1e-4 AND e + 1e-6, true, 'the epsilon of ' || r) FROM (VALUES (0.5, 1e-6, 5.221549), (0.1, 1e-6, 2.141940), (0.01, 1e-6, 0.621697), (1, 1e-9, 9.521531), (0.125, 1e-5, 2.165716)) AS v (r, d, e);
SELECT is(dp_noise.epsilon_of_rho(0, 0), 0::numeric, 'nothing');
SELECT is(dp_noise.epsilon_of_rho(1, 0), 'Infinity'::numeric, 'without a delta');

SELECT * FROM finish();
SELECT dp_noise.unprotect(relation) FROM dp_noise.protected_relations;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP TABLE people, flats, lost, pets;
DROP ROLE lac_owner, lac_ann, lac_bob, lac_team;
