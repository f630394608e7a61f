-- The least epsilon of an aggregate: probing has a price.
\ir support/ledger.sql
CREATE ROLE lle_ann;
CREATE ROLE lle_team ROLE lle_ann;
CREATE TABLE people AS SELECT 1 AS id;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT no_plan();

-- what may be set
SELECT is(t.run('postgres', format('SELECT dp_noise.set_budget(''lle_ann'', ''people'', 1, %s)', arguments)),
	'22023: min_epsilon_per_query must be between 0 and max_epsilon_per_query', arguments)
FROM unnest('{min_epsilon_per_query => -0.1,min_epsilon_per_query => 1000001,min_epsilon_per_query => ''NaN'',
	"min_epsilon_per_query => 0.5, max_epsilon_per_query => 0.4"}'::text[]) AS arguments;
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('lle_ann', 'people', 10, 1e-6, max_epsilon_per_query => 0.4, min_epsilon_per_query => 0.4);
SELECT is(t.ask('lle_ann', 'people', 0.4), 'charged', 'one epsilon alone');

-- where the owner says nothing, a thousandth
SELECT dp_noise.set_budget('lle_ann', 'people', 10);
SELECT is(t.ask('lle_ann', 'people', 0.000999),
	'53400: query on "people" asks for too little epsilon | An aggregate asks for 0.000999; your budget allows no less than 0.001.', 'the default');
SELECT dp_noise.set_budget('lle_ann', 'people', 10, min_epsilon_per_query => NULL);
SELECT is((SELECT min_epsilon_per_query FROM dp_noise.budgets WHERE role = 'lle_ann'), NULL, 'none');

-- what is refused, and costs nothing
SELECT dp_noise.set_budget('lle_ann', 'people', 10, 1e-6, min_epsilon_per_query => 0.1);
SELECT is(t.ask('lle_ann', 'people', 0.099999999999999999999999),
	'53400: query on "people" asks for too little epsilon | An aggregate asks for 0.099999999999999999999999; your budget allows no less than 0.1.');
SELECT is(t.ask('lle_ann', 'people', 0.1), 'charged', 'just enough');
SELECT is(t.run('lle_ann', $$SELECT dp_noise.charge_all('{people,people}', '{1,0.05}', '{0,0}', '{a,b}', '{NULL,NULL}')$$),
	'53400: query on "people" asks for too little epsilon | An aggregate asks for 0.05; your budget allows no less than 0.1.', 'each aggregate counts by itself');
SELECT is(left(t.ask('lle_ann', 'people', 0, delta => 1e-7), 5), '53400', 'delta is no price');
SELECT is(t.run('lle_ann', 'SET dp_noise.epsilon = 0.05; SELECT dp_count(*) FROM people'),
	'53400: query on "people" asks for too little epsilon | An aggregate asks for 0.05; your budget allows no less than 0.1.', 'through the gate');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'lle_ann'), 0.5, 'refused questions are free');

-- a question that is there already costs nothing, whatever epsilon
SELECT dp_noise.alter_population('people', on_repeat => 'replay'), dp_noise.set_budget('lle_ann', 'people', 10);
SELECT is(t.ask('lle_ann', 'people', 0.01, 'q', answer => '42'), 'charged', 'no least epsilon any more');
SELECT dp_noise.set_budget('lle_ann', 'people', 10, min_epsilon_per_query => 0.1);
SELECT is(t.ask('lle_ann', 'people', 0.01, 'q'), 'replayed 42');

-- what is said of it
SELECT is((SELECT min_epsilon_per_query FROM dp_noise.budgets WHERE role = 'lle_ann'), 0.1, 'dp_noise.budgets');
SELECT is(t.run('lle_ann', 'SELECT min_epsilon_per_query FROM dp_budget'), '0.1', 'dp_budget');
SET SESSION AUTHORIZATION lle_ann;
SELECT is((SELECT queries_left > 0 FROM dp_budget), true, 'what is left, with enough epsilon');
SET dp_noise.epsilon = 0.05;
SELECT is((SELECT queries_left FROM dp_budget), 0.0, 'with too little there is no query left');
CREATE FUNCTION pg_temp.explained() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN SELECT dp_count(*) FROM people';
END
$$;
SELECT is((SELECT string_agg(trim(line), '; ') FROM pg_temp.explained() AS line WHERE line ~ 'Answer|Least|Suffices|Reason'),
	'Answer: refused: too little epsilon; Least Epsilon per Aggregate: 0.1; Suffices: false; Reason: query on "people" asks for too little epsilon', 'EXPLAIN');
RESET dp_noise.epsilon;
RESET SESSION AUTHORIZATION;

-- shared budgets bind as well
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('lle_ann', 'people', 10), dp_noise.set_budget('lle_team', 'people', 10, shared => true, min_epsilon_per_query => 0.2);
SELECT is(t.ask('lle_ann', 'people', 0.1),
	'53400: query on "people" asks for too little epsilon | An aggregate asks for 0.1; a shared budget allows no less than 0.2.', 'shared');
SELECT is(t.ask('lle_ann', 'people', 0.2), 'charged');
DROP TABLE people;
CREATE TABLE people AS SELECT 1 AS id;
SELECT dp_noise.protect('people');
SELECT is(left(t.ask('lle_ann', 'people', 0.1), 44), '53400: query on "people" asks for too little', 'when the table is made anew, too');
SELECT dp_noise.set_budget('lle_ann', 'people', 10, min_epsilon_per_query => NULL), dp_noise.drop_budget('lle_team', 'people');
SELECT is(t.ask('lle_ann', 'people', 0.000001), 'charged', 'until the owner says otherwise');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lle_ann, lle_team CASCADE;
DROP ROLE lle_ann, lle_team;
