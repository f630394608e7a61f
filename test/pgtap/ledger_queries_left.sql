-- How many more queries: exactly as many as are answered.
\ir support/ledger.sql
CREATE ROLE lql_ann;
CREATE ROLE lql_team ROLE lql_ann;
CREATE ROLE lql_firm ROLE lql_team;
CREATE TABLE people (id int);
CREATE TABLE flats (id int);
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT no_plan();
-- What dp_budget says of a population at some epsilon, once for each budget.
CREATE FUNCTION t.queries_left(about text, epsilon text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('dp_noise.epsilon', epsilon, true), set_config('session_authorization', 'lql_ann', true);
	SELECT string_agg(queries_left::text, ' ' ORDER BY role) INTO result FROM dp_budget WHERE population = 'public.' || about;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;

-- all digits of the setting count
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('lql_ann', 'people', 1, min_epsilon_per_query => NULL);
SELECT is(t.queries_left('people', '1'), '1');
SELECT is(t.queries_left('people', '0.1'), '10', 'a tenth is a tenth');
SELECT is(t.queries_left('people', '0.1000001'), '9', 'seven digits');
SELECT is(t.queries_left('people', '0.33333333'), '3');
SELECT is(t.queries_left('people', '0.33333334'), '2');
SELECT is(t.queries_left('people', '0.333333333333333'), '3', 'fifteen');
SELECT is(t.queries_left('people', '0.333333333333334'), '2');
SELECT is(t.queries_left('people', '1e-6'), '1000000');
SELECT is(t.queries_left('people', '1000000'), '0');
SELECT is(t.run('lql_ann', $$SELECT string_agg(replayed::text, ' ') FROM generate_series(1, 3) AS n, dp_noise.charge('people', 0.33333333, 0, n::text::bytea)$$), 'false false false', 'as many are answered');
SELECT is(t.queries_left('people', '0.33333333'), '0');
SELECT is(left(t.ask('lql_ann', 'people', 0.33333333), 5), '53400', 'and no more');
SELECT is(t.queries_left('people', '1e-6'), '0', 'a hundred-millionth is left');

-- every budget that pays
SELECT dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('lql_ann', 'flats', 5);
SELECT is(t.queries_left('flats', '0.5'), '10', 'own');
SELECT dp_noise.set_budget('lql_team', 'flats', 3, shared => true);
SELECT is(t.queries_left('flats', '0.5'), '6 6', 'the group''s is less');
SELECT dp_noise.set_budget('lql_firm', 'flats', 2, shared => true);
SELECT is(t.queries_left('flats', '0.5'), '4 4 4', 'the group''s group''s is less');
SELECT dp_noise.alter_population('flats', epsilon => 1.5, delta => 0);
SELECT is(t.queries_left('flats', '0.5'), '3 3 3', 'the grant is less');
SELECT is(t.run('lql_ann', $$SELECT string_agg(replayed::text, ' ') FROM generate_series(1, 3) AS n, dp_noise.charge('flats', 0.5, 0, n::text::bytea)$$), 'false false false', 'as many are answered');
SELECT is(t.queries_left('flats', '0.5'), '0 0 0');
SELECT dp_noise.alter_population('flats', epsilon => 100, delta => 0);
SELECT is(t.queries_left('flats', '0.5'), '1 1 1', 'the grant is more');
SELECT dp_noise.drop_budget('lql_firm', 'flats');
SELECT is(t.queries_left('flats', '0.5'), '3 3', 'what was dropped does not count');
-- and what each allows a query
SELECT dp_noise.set_budget('lql_team', 'flats', 3, max_epsilon_per_query => 0.3, shared => true);
SELECT is(t.queries_left('flats', '0.4'), '0 0', 'the group''s');
SELECT is(t.queries_left('flats', '0.3'), '5 5');
SELECT is(t.queries_left('people', '0.3'), '0', 'of another population, another number');
-- in periods
SELECT dp_noise.set_budget('lql_ann', 'flats', 1.5, period => '1 day');
SELECT is(t.queries_left('flats', '0.3'), '0 0', 'spent');
UPDATE dp_noise_ledger.spending AS s SET since = now() - interval '3 days' FROM dp_noise_ledger.budget AS b WHERE b.budget_id = s.budget_id AND b.period IS NOT NULL;
SELECT is(t.queries_left('flats', '0.3'), '5 5', 'a budget that has refilled');
SELECT dp_noise.alter_population('flats', epsilon => 2.1, delta => 0);
SELECT is(t.queries_left('flats', '0.3'), '2 2', 'the grant does not refill');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP ROLE lql_ann, lql_team, lql_firm;
