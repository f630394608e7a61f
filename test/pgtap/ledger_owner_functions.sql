-- create_population, protect, unprotect, set_bounds, set_budget, drop_budget and
-- the other functions of owners: what each parameter may be.
\ir support/ledger.sql
CREATE ROLE lof_analyst;
CREATE TABLE people (id int, age int, "Odd Name" int, gone int);
ALTER TABLE people DROP COLUMN gone;
CREATE TABLE bare (x int);
CREATE VIEW some_view AS SELECT 1 AS x;
CREATE TEMP TABLE some_temp (x int);
CREATE TABLE parted (x int) PARTITION BY LIST (x);
CREATE SEQUENCE some_sequence;
CREATE INDEX some_index ON people (age);
CREATE MATERIALIZED VIEW some_matview AS SELECT 1 AS x;
SELECT no_plan();

-- populations
SELECT throws_ok($$SELECT dp_noise.create_population(NULL, 1)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.create_population('p', NULL)$$, '22004', NULL, 'what may be learnt in all must be said');
SELECT throws_ok($$SELECT dp_noise.create_population('', 1)$$, '22023', NULL, 'a name');
SELECT throws_ok(format('SELECT dp_noise.create_population(''p'', epsilon => %s)', v), '22023', 'epsilon must be between 0 and 10^13') FROM unnest('{-1,1e13+1e-24,''NaN'',''Infinity''}'::text[]) AS v;
SELECT throws_ok(format('SELECT dp_noise.create_population(''p'', 1, delta => %s)', v), '22023', 'delta must be between 0 and 1') FROM unnest('{-1,1.1,''NaN'',''Infinity''}'::text[]) AS v;
SELECT throws_ok(format('SELECT dp_noise.create_population(''p'', 1, on_repeat => %s)', v), '22023', format('invalid on_repeat: %s', v)) FROM unnest('{''often'',''''}'::text[]) AS v;
SELECT throws_ok($$SELECT dp_noise.create_population('p', 1, share_answers => NULL)$$, '22004');
SELECT throws_ok(format('SELECT dp_noise.create_population(''p'', 1, answers_expire => %L)', v), '22023') FROM unnest('{-1 day,1 month -29 days}'::text[]) AS v;
SELECT is((SELECT count(*) FROM dp_noise_ledger.population), 0::bigint, 'refused: none is made');
SELECT lives_ok($$SELECT dp_noise.create_population('p', 1, 1e-6, on_repeat => 'refuse', share_answers => false, answers_expire => '1 day')$$);
SELECT throws_ok($$SELECT dp_noise.create_population('p', 1)$$, '42710', NULL, 'a name is one population''s');
SELECT is((SELECT concat_ws(' ', population, owner, accountant, epsilon, delta, on_repeat, share_answers, answers_expire, members::text) FROM dp_noise.populations), 'p postgres pure 1 0.000001 refuse f 1 day {}', 'as it was made');
SELECT lives_ok($$SELECT dp_noise.alter_population('p', epsilon => 2)$$);
SELECT is((SELECT concat_ws(' ', epsilon, delta, on_repeat, share_answers, answers_expire) FROM dp_noise.populations), '2 0.000001 refuse f 1 day', 'what is not named is not changed');
SELECT lives_ok($$SELECT dp_noise.alter_population('p', delta => 0, on_repeat => 'replay', share_answers => true, answers_expire => '0')$$);
SELECT is((SELECT concat_ws(' ', epsilon, delta, on_repeat, share_answers, answers_expire) FROM dp_noise.populations), '2 0 replay t', 'what is is');
SELECT throws_ok(format('SELECT dp_noise.alter_population(''p'', %s)', a), '22023', NULL, a)
FROM unnest(ARRAY['epsilon => -1', 'delta => 2', 'accountant => ''rdp''', 'delta_pool => 0.1', 'on_repeat => ''often''', 'answers_expire => ''-1 day''']) AS a;
SELECT throws_ok($$SELECT dp_noise.alter_population('p', owner => 4294967295::oid::regrole)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.alter_population('nowhere', epsilon => 1)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.alter_population(NULL, epsilon => 1)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.alter_population('bare', epsilon => 1)$$, '42704', NULL, 'a table that is not protected stands for no population');
SELECT throws_ok($$SELECT dp_noise.allow_members('p', NULL)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.allow_members('p', 4294967295::oid::regrole)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.allow_members('p', 'lof_analyst', NULL)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.drop_population(NULL)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.drop_population('nowhere')$$, '42704');
SELECT lives_ok($$SELECT dp_noise.drop_population('p')$$);
SELECT throws_ok($$SELECT dp_noise.drop_population('p')$$, '42704');
SELECT is((SELECT count(*) FROM dp_noise.populations), 0::bigint, 'dropped');
-- a transaction that is rolled back
BEGIN;
SELECT dp_noise.create_population('p', 1);
ROLLBACK;
SELECT is((SELECT count(*) FROM dp_noise.populations), 0::bigint);

-- protect
SELECT throws_ok($$SELECT dp_noise.protect('people', privacy_unit => 'id', max_rows_per_unit => 1)$$, '22004', NULL, 'the first table of a population needs its epsilon');
SELECT throws_ok($$SELECT dp_noise.protect('people', privacy_unit => 'id', max_rows_per_unit => 1, delta => 1)$$, '22004');
SELECT throws_ok(format('SELECT dp_noise.protect(''people'', epsilon => %s)', v), '22023', 'epsilon must be between 0 and 10^13') FROM unnest('{-1,1e13+1e-24,''NaN''}'::text[]) AS v;
SELECT throws_ok($$SELECT dp_noise.protect('people', epsilon => 1, delta => 2)$$, '22023', 'delta must be between 0 and 1');
SELECT throws_ok($$SELECT dp_noise.protect('people', population => 'nowhere')$$, '42704');
SELECT throws_ok($$SELECT dp_noise.protect('people', population => 'bare')$$, '42704');
SELECT throws_ok($$SELECT dp_noise.protect(NULL, epsilon => 1e13, delta => 1)$$, '22004', 'relation must not be null');
SELECT throws_ok($$SELECT dp_noise.protect(4294967295::oid::regclass, epsilon => 1e13, delta => 1)$$, '42P01', 'relation with OID 4294967295 does not exist');
SELECT throws_ok($$SELECT dp_noise.protect('nowhere', epsilon => 1e13, delta => 1)$$, '42P01', 'relation "nowhere" does not exist');
SELECT throws_ok(format('SELECT dp_noise.protect(%L, epsilon => 1e13, delta => 1)', r), '42809', format('relation %s cannot be protected', r))
FROM unnest('{some_temp,public.some_sequence,public.some_index,public.some_matview,pg_class,dp_noise_ledger.charge}'::text[]) AS r;
SELECT throws_ok($$SELECT dp_noise.protect('some_view')$$, '55000', 'a protected view must read a protected relation');
SELECT throws_ok($$SELECT dp_noise.protect('people', 'nobody')$$, '42703', 'column nobody of relation public.people does not exist');
SELECT throws_ok($$SELECT dp_noise.protect('people', 'gone')$$, '42703');
SELECT throws_ok($$SELECT dp_noise.protect('people', 'ctid')$$, '42703');
SELECT throws_ok($$SELECT dp_noise.protect('people', '........pg.dropped.4........')$$, '42703');
SELECT throws_ok($$SELECT dp_noise.protect('people', '')$$, '42703');
SELECT throws_ok($$SELECT dp_noise.protect('people', neighbours => 'both')$$, '22023', 'invalid neighbours: ''both''');
SELECT throws_ok($$SELECT dp_noise.protect('people', neighbours => NULL)$$, '22023', 'invalid neighbours: null');
SELECT throws_ok(format('SELECT dp_noise.protect(''people'', %s => %s)', p, v), '22023', 'caps on a privacy unit''s contribution must be at least 1')
FROM (VALUES ('max_rows_per_unit', '0'), ('max_rows_per_unit', '-1'), ('max_groups_per_unit', '0'), ('max_groups_per_unit', '-1'), ('max_groups_per_unit', 'NULL')) AS x (p, v);
SELECT is((SELECT count(*) FROM dp_noise_ledger.member), 0::bigint, 'refused: nothing is protected');
SELECT is((SELECT count(*) FROM dp_noise.populations), 0::bigint, 'and no population is made');
SELECT lives_ok($$SELECT dp_noise.protect('people', privacy_unit => 'Odd Name', neighbours => 'substitute', max_rows_per_unit => 3, epsilon => 1e13, delta => 1)$$);
SELECT is((SELECT concat_ws(' ', population, trim_scale(epsilon), delta, on_repeat, share_answers, members) FROM dp_noise.populations), 'public.people 10000000000000 1 replay t {people}', 'a population of its name');
SELECT throws_ok($$SELECT dp_noise.protect('people', epsilon => 5)$$, '22023', NULL, 'another grant is alter_population''s');
SELECT throws_ok($$SELECT dp_noise.protect('people', epsilon => 1e13, delta => 0)$$, '22023');
SELECT throws_ok($$SELECT dp_noise.drop_population('people')$$, '2BP01', NULL, 'one with members is not dropped');
SELECT lives_ok($$SELECT dp_noise.protect('people', privacy_unit => 'id', max_rows_per_unit => 1)$$, 'again: changes the settings');
SELECT is((SELECT format('%s %s %s', unit, neighbours, max_rows_per_unit) FROM dp_noise_ledger.member),
	'id add_remove 1', 'settings of the last call');
SELECT lives_ok($$SELECT dp_noise.protect('parted', epsilon => 1e13, delta => 1)$$, 'partitioned tables can be protected');

-- protect: a unit's type must be one that any question can group by
CREATE DOMAIN price AS money;
CREATE DOMAIN last_price AS price;
CREATE TYPE color AS ENUM ('red');
CREATE TABLE zoo (bits bit(4), more bit varying, money money, domain last_price, words tsvector, number xid, place point, document json,
	i int, v varchar(3), c char(3), e color, u uuid, ts timestamptz, n numeric, b bytea, ip cidr, name name, r regclass, f float4);
SELECT throws_ok(format('SELECT dp_noise.protect(''zoo'', %L, max_rows_per_unit => 2, epsilon => 1e13, delta => 1)', c), '0A000',
	format('column %s of relation public.zoo cannot be a privacy unit, since the server cannot both sort and hash its type', c))
FROM unnest('{bits,more,money,domain,words,number,place,document}'::text[]) AS c;
SELECT lives_ok(format('SELECT dp_noise.protect(''zoo'', %L, max_rows_per_unit => 2, epsilon => 1e13, delta => 1)', c), 'a unit: ' || c)
FROM unnest('{i,v,c,e,u,ts,n,b,ip,name,r,f}'::text[]) AS c;
SELECT dp_noise.unprotect('zoo');

-- protect: the rows of a unit are one only where nothing else is possible
CREATE TABLE visits (visit int PRIMARY KEY, person int NOT NULL, place int, day date);
CREATE UNIQUE INDEX some_places ON visits (place) WHERE visit > 0;
CREATE UNIQUE INDEX both_columns ON visits (person, day);
ALTER TABLE visits ADD UNIQUE (day) DEFERRABLE;
CREATE FUNCTION t.capped(unit text, more text DEFAULT '', relation text DEFAULT 'visits') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE format('SELECT dp_noise.protect(%L, privacy_unit => %L%s, epsilon => 1e13, delta => 1)', relation, unit, more);
	RETURN (SELECT r.max_rows_per_unit FROM dp_noise_ledger.member AS r WHERE r.relation_name = capped.relation);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || SQLERRM || ' | ' || hint;
END $$;
SELECT is(t.capped(NULL), '1', 'the row is one row');
SELECT is(t.capped('visit'), '1', 'so is a unique column');
SELECT is(t.capped('visit', ', max_rows_per_unit => NULL'), '1', 'whoever writes null');
SELECT is(t.capped(unit), format('22004: max_rows_per_unit is missing: several rows of public.visits may have one %s | Write how many rows of one unit count in an answer, such as max_rows_per_unit => 10. Noise grows with it; rows beyond it are left out. dp_noise.suggest() finds a good number privately, once the table is protected with any.', unit),
	'needed for ' || unit) FROM unnest('{person,place,day}'::text[]) AS unit;
SELECT is(t.capped('person', ', max_rows_per_unit => NULL'), t.capped('person'), 'null is no number');
SELECT is(t.capped('person', ', max_rows_per_unit => 1'), '1', 'one on purpose');
SELECT is(t.capped('person', ', max_rows_per_unit => 7'), '7', 'or more');
CREATE TABLE more_visits () INHERITS (visits);
SELECT alike(t.capped('visit'), '22004: %', 'a unique index says nothing of tables that inherit');
CREATE TABLE places (place int UNIQUE, person int) PARTITION BY LIST (place);
SELECT is(t.capped('place', '', 'places'), '1', 'that of a partitioned table is of all its partitions');
SELECT alike(t.capped('person', '', 'places'), '22004: %', 'and of its column alone');
SELECT dp_noise.unprotect('visits'), dp_noise.unprotect('places') \g /dev/null

-- protect: what was spent bounds what is known of the units that there were
CREATE FUNCTION t.again(more text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE format('SELECT dp_noise.protect(''asked''%s, epsilon => 1e13, delta => 1)', more);
	RETURN (SELECT format('%s %s %s', coalesce(unit, 'row'), neighbours, max_rows_per_unit) FROM dp_noise_ledger.member WHERE relation_name = 'asked');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || SQLERRM || ' | ' || hint;
END $$;
CREATE TABLE asked (person int PRIMARY KEY, household int);
SELECT is(t.again(''), 'row add_remove 1', 'by the row');
SELECT is(t.again($$, privacy_unit => 'person'$$), 'person add_remove 1', 'before anybody asked all can be changed');
SELECT dp_noise.set_budget('lof_analyst', 'asked', 10) \g /dev/null
SELECT is(t.ask('lof_analyst', 'asked', 1), 'charged');
SELECT is(t.again(more), '55000: relation public.asked has been queried with another privacy unit or other neighbours | What was spent bounds what is known of the old units. Write replace_unit => true to go on with the new ones anyway.', 'refused: ' || more)
FROM unnest(ARRAY['', $$, privacy_unit => 'household', max_rows_per_unit => 5$$, $$, privacy_unit => 'person', neighbours => 'substitute'$$, $$, replace_unit => false$$, $$, replace_unit => NULL$$]) AS more;
SELECT is((SELECT format('%s %s', unit, neighbours) FROM dp_noise_ledger.member WHERE relation_name = 'asked'), 'person add_remove', 'nothing was changed');
SELECT is(t.again($$, privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2$$), 'person add_remove 3', 'the caps can be changed');
SELECT dp_noise.unprotect('asked') \g /dev/null
SELECT is(t.again($$, privacy_unit => 'person'$$), 'person add_remove 1', 'the same unit again');
SELECT alike(t.again($$, privacy_unit => 'household', max_rows_per_unit => 5$$), '55000: %', 'which what was spent is about');
SELECT is(t.again($$, privacy_unit => 'household', max_rows_per_unit => 5, neighbours => 'substitute', replace_unit => true$$), 'household substitute 5', 'by name');
SELECT is(t.again($$, privacy_unit => 'household', max_rows_per_unit => 5, neighbours => 'substitute'$$), 'household substitute 5', 'and then it is the unit');
SELECT is((SELECT epsilon_spent FROM dp_noise.budgets WHERE population = 'public.asked' AND role IS NULL), 1.0, 'what was spent stays');
DROP TABLE asked;
CREATE TABLE asked (person int PRIMARY KEY, household int);
SELECT is(t.again(''), 'row add_remove 1', 'the only table of a population says what a person is');
SELECT alike(t.again($$, privacy_unit => 'person'$$), '55000: %', 'and does not change it once something was spent');
-- another population
SELECT dp_noise.create_population('elsewhere', 10);
SELECT throws_ok($$SELECT dp_noise.protect('asked', population => 'elsewhere')$$, '55000', NULL, 'nobody leaves a population that has paid');
SELECT lives_ok($$SELECT dp_noise.protect('asked', population => 'elsewhere', replace_unit => true)$$, 'but by name');
SELECT lives_ok($$SELECT dp_noise.protect('asked')$$, 'and stays where it is');
SELECT is((SELECT population FROM dp_noise.protected_relations WHERE relation = 'asked'::regclass), 'elsewhere');
DROP TABLE asked;

-- set_bounds
SELECT throws_ok($$SELECT dp_noise.set_bounds(NULL, 'age', 0, 1)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.set_bounds('bare', 'x', 0, 1)$$, '55000', 'relation public.bare is not protected');
SELECT throws_ok($$SELECT dp_noise.set_bounds('people', 'nobody', 0, 1)$$, '42703', 'column nobody of relation public.people does not exist');
SELECT throws_ok($$SELECT dp_noise.set_bounds('people', NULL, 0, 1)$$, '42703', 'column null of relation public.people does not exist');
SELECT throws_ok(format('SELECT dp_noise.set_bounds(''people'', ''age'', %s, %s)', l, u), '22023', 'bounds must be finite, and lower must not exceed upper')
FROM (VALUES ('2', '1'), ('NULL', '1'), ('1', 'NULL'), ('''NaN''', '''1'''), ('1', '''NaN''::numeric'), ('1', '''Infinity''::float8'), ('''-Infinity''', '''1''')) AS v (l, u);
SELECT lives_ok($$SELECT dp_noise.set_bounds('people', 'age', 0, 120)$$);
SELECT lives_ok($$SELECT dp_noise.set_bounds('people', 'age', 1, 1)$$, 'equal bounds replace the others');
SELECT lives_ok($$SELECT dp_noise.set_bounds('people', 'Odd Name', -1e30, 1e30)$$);
SELECT is((SELECT string_agg(format('%s %s %s', column_name, lower, upper), ', ' ORDER BY column_name) FROM dp_noise_ledger.column_bounds),
	format('Odd Name %s %s, age 1 1', -1e30, 1e30), 'bounds as declared');
SELECT lives_ok($$SELECT dp_noise.set_bounds('people', 'age', NULL, NULL)$$);
SELECT is((SELECT count(*) FROM dp_noise_ledger.column_bounds), 1::bigint, 'two nulls remove the bounds of one column');

-- set_budget
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_analyst', NULL, 1)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_analyst', 'bare', 1)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_analyst', 'nowhere', 1)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.set_budget(NULL, 'people', 1)$$, '22004', NULL, 'the grant is the population''s');
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_nobody', 'people', 1)$$, '42704', 'role "lof_nobody" does not exist');
SELECT throws_ok($$SELECT dp_noise.set_budget(4294967295::oid::regrole, 'people', 1)$$, '42704', 'role with OID 4294967295 does not exist');
SELECT throws_ok($$SELECT dp_noise.set_budget('pg_database_owner', 'people', 1)$$, '0LP01', 'pg_database_owner cannot have a budget');
SELECT throws_ok(format('SELECT dp_noise.set_budget(''lof_analyst'', ''people'', epsilon => %s)', v), '22023', 'epsilon must be between 0 and 10^13')
FROM unnest('{-1,-1e-30,10000000000001,1e13+1e-24,"NULL",''''NaN'''',''''Infinity'''',''''-Infinity''''}'::text[]) AS raw, replace(raw, '''''', '''') AS v;
SELECT throws_ok(format('SELECT dp_noise.set_budget(''lof_analyst'', ''people'', 1, delta => %s)', v), '22023', 'delta must be between 0 and 1')
FROM (VALUES ('-1'), ('1.1'), ('NULL'), ('''NaN'''), ('''Infinity''')) AS x (v);
SELECT throws_ok(format('SELECT dp_noise.set_budget(''lof_analyst'', ''people'', 1, max_epsilon_per_query => %s)', v), '22023', 'max_epsilon_per_query must be between 0 and 10^13')
FROM (VALUES ('-1'), ('''NaN'''), ('1e14')) AS x (v);
SELECT throws_ok(format('SELECT dp_noise.set_budget(''lof_analyst'', ''people'', 1, period => %L)', v), '22023', 'period must be between a second and about a thousand years')
FROM (VALUES ('0'), ('-1 day'), ('0.5 seconds'), ('1001 years'), ('1 month -29 days'), ('-1 month +60 days'), ('1 day -1 hour'), ('2 years -1 month -1 day')) AS x (v);
SELECT throws_ok(format('SELECT dp_noise.set_budget(''lof_analyst'', ''people'', 1, relations => %L)', v), code, NULL, v)
FROM (VALUES ('{NULL}', '22004'), ('{people,NULL}', '22004'), ('{bare}', '55000'), ('{parted}', '22023'), ('{nowhere}', '42P01')) AS x (v, code);
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_analyst', 'people', 1, shared => NULL)$$, '22004');
SELECT is((SELECT count(*) FROM dp_noise.budgets WHERE role IS NOT NULL AND population = 'public.people'), 0::bigint, 'refused: no budget');
SELECT lives_ok($$SELECT dp_noise.set_budget('lof_analyst', 'people', 0)$$, 'epsilon 0');
SELECT lives_ok($$SELECT dp_noise.set_budget('lof_analyst', 'people', 1e13, 1, 1e13, '1 second', true, relations => '{people}')$$, 'the limits');
SELECT is((SELECT relations FROM dp_noise.budgets WHERE role = 'lof_analyst' AND population = 'public.people'), '{people}'::regclass[], 'what it is for');
SELECT lives_ok($$SELECT dp_noise.set_budget('lof_analyst', 'people', 1, relations => '{}')$$, 'none');
SELECT is((SELECT relations FROM dp_noise.budgets WHERE role = 'lof_analyst' AND population = 'public.people'), '{}'::regclass[], 'is not all');
SELECT lives_ok($$SELECT dp_noise.set_budget('lof_analyst', 'people', 0.1234567890123456789012345678901234567890, period => '1000 years')$$, 'more than 24 places');
SELECT is((SELECT string_agg(format('%s %s %s %s %s %s', coalesce(role, 'all'), trim_scale(epsilon), delta, period, shared, relations), ', ' ORDER BY role) FROM dp_noise.budgets WHERE population = 'public.people'),
	'lof_analyst 0.123456789012345678901234567890123456789 0 1000 years f , all 10000000000000 1  t ', 'budgets as granted');

-- drop_budget
SELECT throws_ok($$SELECT dp_noise.drop_budget('lof_analyst', NULL)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.drop_budget('lof_analyst', 'bare')$$, '42704');
SELECT throws_ok($$SELECT dp_noise.drop_budget(NULL, 'people')$$, '42704', NULL, 'a grant ends with its population');
SELECT throws_ok($$SELECT dp_noise.drop_budget('postgres', 'people')$$, '42704', 'role postgres has no budget for population "public.people"');
SELECT lives_ok($$SELECT dp_noise.drop_budget('lof_analyst', 'people')$$);
SELECT throws_ok($$SELECT dp_noise.drop_budget('lof_analyst', 'people')$$, '42704', 'role lof_analyst has no budget for population "public.people"');
SELECT is((SELECT string_agg(coalesce(role, 'all'), ', ') FROM dp_noise.budgets WHERE population = 'public.people'), 'all', 'no budget is left');

-- unprotect
SELECT throws_ok($$SELECT dp_noise.unprotect(NULL)$$, '22004');
SELECT throws_ok($$SELECT dp_noise.unprotect('bare')$$, '55000', 'relation public.bare is not protected');
SELECT lives_ok($$SELECT dp_noise.unprotect('people')$$);
SELECT throws_ok($$SELECT dp_noise.unprotect('people')$$, '55000', 'relation public.people is not protected');
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_analyst', 'people', 1)$$, '42704', NULL, 'the table stands for its population no more');
SELECT lives_ok($$SELECT dp_noise.set_budget('lof_analyst', 'public.people', 1)$$, 'which is there by its name');
SELECT lives_ok($$SELECT dp_noise.drop_population('public.people')$$, 'until it is dropped');
SELECT throws_ok($$SELECT dp_noise.set_budget('lof_analyst', 'public.people', 1)$$, '42704');
SELECT throws_ok($$SELECT dp_noise.protect('people')$$, '22004', NULL, 'whoever comes by the name makes another');

-- the test function
SELECT throws_ok(format('SELECT dp_noise.charge(%s)', a), '22004')
FROM (VALUES ('NULL, 1, 0, ''q'''), ('''parted'', NULL, 0, ''q'''), ('''parted'', 1, NULL, ''q'''), ('''parted'', 1, 0, NULL')) AS x (a);
SELECT throws_ok(format('SELECT dp_noise.charge(''parted'', %s, 0, ''q'')', e), '22023', 'epsilon must be a number between 0 and 10^13')
FROM (VALUES ('-1'), ('''NaN'''), ('''Infinity'''), ('1e13 + 1'), ('1e13 + 1e-30')) AS x (e);
SELECT throws_ok($$SELECT dp_noise.charge('parted', 1, -1, 'q')$$, '22023', 'delta must be a number between 0 and 10^13');
SELECT throws_ok($$SELECT dp_noise.charge('parted', 1, 0, repeat('q', 33)::bytea)$$, '22023', 'question must have at most 32 bytes');
SELECT throws_ok($$SELECT dp_noise.charge('bare', 1, 0, 'q')$$, '55000', 'relation is not protected by dp_noise');
SELECT throws_ok($$SELECT dp_noise.charge(4294967295::oid::regclass, 1, 0, 'q')$$, '55000', 'relation is not protected by dp_noise');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP ROLE lof_analyst;
