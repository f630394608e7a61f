-- What a charge lands on: own budgets, shared ones of groups, the population's
-- grant; and what the views say about it.
\ir support/ledger.sql
CREATE ROLE lbu_owner;
CREATE ROLE lbu_ann;
CREATE ROLE lbu_bob;
CREATE ROLE lbu_dan;
CREATE ROLE lbu_none;
CREATE ROLE lbu_team;
CREATE ROLE lbu_firm;
CREATE ROLE lbu_club;
GRANT lbu_firm TO lbu_team;
GRANT lbu_team TO lbu_bob;
GRANT lbu_team TO lbu_dan;
ALTER ROLE lbu_dan NOINHERIT;
GRANT lbu_club TO lbu_dan;
CREATE TABLE people (id int);
CREATE TABLE flats (id int);
ALTER TABLE people OWNER TO lbu_owner;
ALTER TABLE flats OWNER TO lbu_owner;
SELECT dp_noise.protect('people', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('flats', epsilon => 1e13, delta => 1);
SELECT no_plan();

CREATE FUNCTION t.spent(relation text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(coalesce(role, 'all') || ' ' || trim_scale(epsilon_spent), ', ' ORDER BY role)
	FROM dp_noise.budgets AS b WHERE b.population = 'public.' || relation
$$;

-- own budget: exact to the last
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('lbu_ann', 'people', 1, 1e-6, min_epsilon_per_query => NULL);
SELECT is((SELECT string_agg(DISTINCT t.ask('lbu_ann', 'people', 0.1), ',') FROM generate_series(1, 10)), 'charged', 'ten times 0.1 fit in 1');
SELECT is(t.ask('lbu_ann', 'people', 0.1),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.1; your budget has 0 left.', 'the eleventh does not');
SELECT is(t.ask('lbu_ann', 'people', 1e-24),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.000000000000000000000001; your budget has 0 left.', 'nor the least amount');
SELECT is(t.ask('lbu_ann', 'people', 1e-40),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.000000000000000000000001; your budget has 0 left.', 'nor less: charges are rounded up');
SELECT is(t.ask('lbu_ann', 'people', 0), 'charged', 'nothing costs nothing');
SELECT is(t.ask('lbu_ann', 'people', 0, delta => 1e-6), 'charged', 'delta is a budget of its own');
SELECT is(t.ask('lbu_ann', 'people', 0, delta => 1e-24),
	'53400: insufficient privacy budget for "people" | The query asks for delta 0.000000000000000000000001; your budget has 0 left.', 'and is spent');
SELECT dp_noise.set_budget('lbu_ann', 'people', 1.35, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_ann', 'people', 0.5),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.5; your budget has 0.35 left.', 'a grant is a whole: what was spent of it stays spent');
SELECT dp_noise.set_budget('lbu_ann', 'people', 0.5, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_ann', 'people', 0.1),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.1; your budget has 0 left.', 'a grant below what is spent leaves nothing');
SELECT is((SELECT trim_scale("left")::text FROM dp_noise.budgets, LATERAL (SELECT epsilon_left AS "left") AS l WHERE role = 'lbu_ann'), '0', 'and the view says so');
SELECT dp_noise.drop_budget('lbu_ann', 'people');
SELECT is(t.ask('lbu_ann', 'people', 0.1), '42501: role "lbu_ann" has no privacy budget for "people"');
SELECT dp_noise.set_budget('lbu_ann', 'people', 1.1, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_ann', 'people', 0.1), 'charged', 'dropped and granted again: what was spent counts');
SELECT is(t.ask('lbu_ann', 'people', 0.1),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 0.1; your budget has 0 left.');
SELECT is(t.ask('lbu_ann', 'flats', 0.1), '42501: role "lbu_ann" has no privacy budget for "flats"', 'a budget is for one population');
-- a grant of more than 24 places is rounded down
SELECT dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('lbu_none', 'flats', 0.0000000000000000000000019, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_none', 'flats', 1e-24), 'charged');
SELECT is(left(t.ask('lbu_none', 'flats', 1e-25), 5), '53400');
SELECT dp_noise.drop_budget('lbu_none', 'flats');

-- the cap of a query
SELECT dp_noise.set_budget('lbu_ann', 'people', 10, max_epsilon_per_query => 0.5, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_ann', 'people', 0.5), 'charged');
SELECT is(t.ask('lbu_ann', 'people', 0.500000000000000000000001),
	'53400: query on "people" asks for too much epsilon at once | It asks for 0.500000000000000000000001; your budget allows 0.5 a query.');
SELECT is(t.run('lbu_ann', $$SELECT dp_noise.charge_all('{people,people,people}', '{0.2,0.2,0.2}', '{0,0,0}', '{a,b,c}', '{NULL,NULL,NULL}')$$),
	'53400: query on "people" asks for too much epsilon at once | It asks for 0.6; your budget allows 0.5 a query.', 'aggregates of a query are added');
SELECT is(t.run('lbu_ann', $$SELECT dp_noise.charge_all('{people,people}', '{0.2,0.2}', '{0,0}', '{a,b}', '{NULL,NULL}')$$),
	'("{f,f}","{NULL,NULL}")');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'lbu_ann'), 2.0, 'their sum is charged');

-- all or nothing over populations
SELECT dp_noise.set_budget('lbu_ann', 'flats', 0.3, min_epsilon_per_query => NULL);
SELECT is(t.run('lbu_ann', $$SELECT dp_noise.charge_all('{people,flats}', '{0.4,0.4}', '{0,0}', '{a,b}', '{NULL,NULL}')$$),
	'53400: insufficient privacy budget for "flats" | The query asks for epsilon 0.4; your budget has 0.3 left.');
SELECT is(t.spent('people'), 'lbu_ann 2, all 2', 'nothing is charged where it would have sufficed');
SELECT is(t.run('lbu_ann', $$SELECT dp_noise.charge_all('{people,flats}', '{0.4,0.3}', '{0,0}', '{a,b}', '{NULL,NULL}')$$), '("{f,f}","{NULL,NULL}")');
SELECT is(t.spent('people') || '; ' || t.spent('flats'), 'lbu_ann 2.4, all 2.4; lbu_ann 0.3, all 0.300000000000000000000001');
SELECT is(t.run('lbu_ann', $$SELECT dp_noise.charge_all('{}', '{}', '{}', '{}', '{}')$$), '({},{})', 'no question, no charge');
SELECT is(t.run('lbu_ann', $$SELECT dp_noise.charge_all(array_fill('people'::regclass, '{1001}'), array_fill(0::numeric, '{1001}'), array_fill(0::numeric, '{1001}'), array_fill('q'::bytea, '{1001}'), array_fill(NULL::bytea, '{1001}'))$$),
	'54000: too many private aggregates in one statement');
SELECT is(t.run('lbu_ann', $$SELECT (dp_noise.charge_all(array_fill('people'::regclass, '{1000}'), array_fill(0.0001, '{1000}'), array_fill(0::numeric, '{1000}'),
	(SELECT array_agg(n::text::bytea) FROM generate_series(1, 1000) AS n), array_fill('\x00'::bytea, '{1000}'))).replayed = array_fill(false, '{1000}')$$),
	'true', 'a thousand in one statement, which do not fit a slot');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'lbu_ann' AND population = 'public.people'), 2.5);

-- owner and superuser need no budget, and are recorded
SELECT is(t.ask('lbu_owner', 'people', 1000), 'charged', 'the owner');
SELECT is(t.ask('lbu_owner', 'people', 1000, 'same'), 'charged');
SELECT is(t.ask('lbu_owner', 'people', 1000, 'same'), 'charged', 'asks again, as the population has it');
SELECT is(t.ask('postgres', 'people', 0.5), 'charged', 'the superuser');
SELECT is(t.spent('people'), 'lbu_ann 2.5, all 3003', 'on the grant');
SELECT is((SELECT string_agg(role || ' ' || trim_scale(sum), ', ' ORDER BY role) FROM (SELECT role, sum(epsilon) FROM dp_noise.ledger WHERE population = 'public.people' GROUP BY 1) AS s),
	'lbu_ann 2.5, lbu_owner 3000, postgres 0.5', 'in the ledger');

-- SET ROLE buys nothing
GRANT lbu_owner TO lbu_none;
SET SESSION AUTHORIZATION lbu_none;
SET ROLE lbu_owner;
SELECT is((SELECT count(*) FROM dp_noise.budgets), 4::bigint, 'SET ROLE');
RESET SESSION AUTHORIZATION;
REVOKE lbu_owner FROM lbu_none;
SET SESSION AUTHORIZATION lbu_none;
SELECT throws_ok($$SELECT dp_noise.charge('people', 1, 0, 'q')$$, '42501', 'role "lbu_none" has no privacy budget for "people"');
RESET SESSION AUTHORIZATION;
CREATE FUNCTION as_superuser() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$SELECT dp_noise.charge('people', 1, 0, 'q')::text$$;
SELECT is(t.run('lbu_none', 'SELECT as_superuser()'), '42501: role "lbu_none" has no privacy budget for "people"', 'nor does a function of somebody else');
SET SESSION AUTHORIZATION lbu_dan;
SET ROLE lbu_team;
SELECT throws_ok($$SELECT dp_noise.charge('people', 1, 0, 'q')$$, '42501', 'role "lbu_dan" has no privacy budget for "people"', 'the session''s user pays');
RESET SESSION AUTHORIZATION;

-- shared budgets: of a group, of a group's group, of several
SELECT dp_noise.set_budget('lbu_team', 'flats', 1, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_bob', 'flats', 0.1), '42501: role "lbu_bob" has no privacy budget for "flats"', 'a budget that is not shared is not the members''');
SELECT dp_noise.set_budget('lbu_team', 'flats', 1, min_epsilon_per_query => NULL, shared => true);
SELECT is(t.ask('lbu_bob', 'flats', 0.5), 'charged', 'shared: they may');
SELECT is(t.ask('lbu_dan', 'flats', 0.3), 'charged', 'NOINHERIT or not');
SELECT is(t.ask('lbu_bob', 'flats', 0.3),
	'53400: insufficient privacy budget for "flats" | The query asks for epsilon 0.3; a shared budget has 0.2 left.', 'from one budget');
SELECT is(t.ask('lbu_none', 'flats', 0.1), '42501: role "lbu_none" has no privacy budget for "flats"');
SELECT dp_noise.set_budget('lbu_bob', 'flats', 5, min_epsilon_per_query => NULL);
SELECT is(left(t.ask('lbu_bob', 'flats', 0.3), 5), '53400', 'an own budget does not replace the shared one');
SELECT is(t.ask('lbu_bob', 'flats', 0.1), 'charged');
SELECT is(t.spent('flats'), 'lbu_ann 0.3, lbu_bob 0.1, lbu_team 0.9, all 1.200000000000000000000001', 'both pay');
SELECT dp_noise.set_budget('lbu_team', 'flats', 10, min_epsilon_per_query => NULL, shared => true);
SELECT dp_noise.set_budget('lbu_firm', 'flats', 0.5, min_epsilon_per_query => NULL, shared => true);
SELECT dp_noise.set_budget('lbu_club', 'flats', 0.2, min_epsilon_per_query => NULL, shared => true);
SELECT is(t.ask('lbu_dan', 'flats', 0.3),
	'53400: insufficient privacy budget for "flats" | The query asks for epsilon 0.3; a shared budget has 0.2 left.', 'of several groups, all must suffice');
SELECT is(t.ask('lbu_dan', 'flats', 0.2), 'charged');
SELECT is(t.ask('lbu_bob', 'flats', 0.4),
	'53400: insufficient privacy budget for "flats" | The query asks for epsilon 0.4; a shared budget has 0.3 left.', 'also the group''s group');
SELECT is(t.ask('lbu_bob', 'flats', 0.3), 'charged');
SELECT is(t.spent('flats'), 'lbu_ann 0.3, lbu_bob 0.4, lbu_club 0.2, lbu_firm 0.5, lbu_team 1.4, all 1.700000000000000000000001');
SELECT is((SELECT string_agg(role || ' ' || trim_scale(granted) || ' ' || trim_scale(spent), ', ' ORDER BY role) FROM dp_budget), NULL, 'dp_budget is the reader''s');
SELECT is(t.run('lbu_dan', $$SELECT string_agg(role || ' ' || trim_scale(granted) || ' ' || trim_scale(spent), ', ' ORDER BY role) FROM dp_budget$$),
	'lbu_club 0.2 0.2, lbu_firm 0.5 0.5, lbu_team 10 1.4', 'with those of its groups');
SELECT is(t.run('lbu_bob', $$SELECT string_agg(role || ' ' || trim_scale(granted) || ' ' || trim_scale(spent), ', ' ORDER BY role) FROM dp_budget$$),
	'lbu_bob 5 0.4, lbu_firm 0.5 0.5, lbu_team 10 1.4');
REVOKE lbu_firm FROM lbu_team;
SELECT is(t.ask('lbu_bob', 'flats', 0.4), 'charged', 'who leaves a group leaves its budget');

-- the grant of everybody together
SELECT dp_noise.alter_population('flats', epsilon => 2.5, delta => 0);
SELECT is(t.ask('lbu_bob', 'flats', 0.35), 'charged');
SELECT is(t.ask('lbu_bob', 'flats', 0.1),
	'53400: insufficient privacy budget for "flats" | The query asks for epsilon 0.1; the population''s grant has 0.049999999999999999999999 left.');
SELECT is(left(t.ask('lbu_owner', 'flats', 0.1), 5), '53400', 'binds the owner too');
SELECT is(left(t.ask('postgres', 'flats', 0, delta => 1e-9), 5), '53400', 'its delta is a limit');
SELECT dp_noise.alter_population('flats', epsilon => 1e13, delta => 1);
SELECT is(t.ask('lbu_bob', 'flats', 0.5, delta => 0), 'charged', 'a higher one');
SELECT is((SELECT trim_scale(epsilon_spent)::text FROM dp_noise.budgets WHERE population = 'public.flats' AND role IS NULL), '2.950000000000000000000001', 'of which the same is spent');

-- how many more queries
SET SESSION AUTHORIZATION lbu_ann;
SELECT is((SELECT string_agg(queries_left::text, ',' ORDER BY population) FROM dp_budget), '0,0', 'dp_noise.epsilon 1: the cap of a query is below');
SET dp_noise.epsilon = 0.5;
SELECT is((SELECT string_agg(queries_left::text, ',' ORDER BY population) FROM dp_budget), '0,15');
SET dp_noise.epsilon = 0.1;
SELECT is((SELECT queries_left FROM dp_budget WHERE population = 'public.people'), 75.0);
SET dp_noise.epsilon = 0.07;
SELECT is((SELECT queries_left FROM dp_budget WHERE population = 'public.people'), 107.0, 'rounded down');
SET dp_noise.epsilon = 0.000001;
SELECT is((SELECT queries_left FROM dp_budget WHERE population = 'public.people'), 7500000.0);
RESET dp_noise.epsilon;
RESET SESSION AUTHORIZATION;

-- huge amounts
CREATE TABLE vast (id int);
SELECT dp_noise.protect('vast', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_budget('lbu_ann', 'vast', 1e13, min_epsilon_per_query => NULL);
SELECT is(t.ask('lbu_ann', 'vast', 2.5), 'charged');
SELECT is(left(t.ask('lbu_ann', 'vast', 1e13), 5), '53400', 'not all of the greatest budget is left');
SELECT is(t.ask('lbu_ann', 'vast', 1e13 - 2.5), 'charged');
SELECT is(left(t.ask('lbu_ann', 'vast', 1e-24), 5), '53400');
SELECT is(left(t.ask('postgres', 'vast', 1e-24), 5), '53400', 'nor of the grant');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'public.vast' AND role IS NULL), 1e13);

-- spent is what the ledger says
SELECT is_empty($$SELECT b.role, b.epsilon_spent, sum(l.epsilon) FROM dp_noise.budgets AS b
	JOIN dp_noise.ledger AS l ON l.population = b.population AND l.role = b.role
	WHERE b.role = 'lbu_ann' GROUP BY b.population, 1, 2 HAVING b.epsilon_spent <> sum(l.epsilon)$$, 'budgets and ledger agree');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lbu_owner, lbu_ann, lbu_bob, lbu_dan, lbu_none CASCADE;
DROP ROLE lbu_owner, lbu_ann, lbu_bob, lbu_dan, lbu_none, lbu_team, lbu_firm, lbu_club;
