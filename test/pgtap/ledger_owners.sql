-- Populations of several owners, and tables that change hands: each owner decides
-- what is declared of the own tables; the population's owner decides who holds
-- data about its people, what may be learnt of them, and reads the ledger.
\ir support/ledger.sql
CREATE ROLE low_first;
CREATE ROLE low_second;
CREATE ROLE low_ann;
CREATE ROLE low_bob;
CREATE SCHEMA common;
GRANT ALL ON SCHEMA common TO low_first, low_second;
GRANT USAGE ON SCHEMA common TO PUBLIC;
SELECT no_plan();

-- What somebody sees of the ledger: the charges, by epsilon.
CREATE FUNCTION t.charges(who text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, 'SELECT coalesce(string_agg(concat_ws('' '', role, asked_about, trim_scale(epsilon)), '', '' ORDER BY at), ''none'') FROM dp_noise.ledger')
$$;
-- A command by somebody: null, or the error.
CREATE FUNCTION t.do(who text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	BEGIN
		EXECUTE command;
	EXCEPTION WHEN OTHERS THEN
		result := SQLSTATE || ': ' || SQLERRM;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
CREATE FUNCTION t.spent() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', coalesce(role, 'all'), trim_scale(epsilon_spent)), ', ' ORDER BY role) FROM dp_noise.budgets WHERE population = 'clinic'
$$;

-- a population of one owner, and a table of another
SELECT is(t.do('low_first', c), NULL, c) FROM unnest(ARRAY['SELECT dp_noise.create_population(''clinic'', 100)', 'CREATE TABLE common.people (id int, sex boolean)',
	'INSERT INTO common.people SELECT i, i % 2 = 0 FROM generate_series(1, 100) AS i',
	'SELECT dp_noise.protect(''common.people'', ''id'', max_rows_per_unit => 1, population => ''clinic'')', 'SELECT dp_noise.set_budget(''low_ann'', ''clinic'', 50)']) AS c;
SELECT is(t.do('low_second', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE common.visits (person int, cost int)', 'INSERT INTO common.visits SELECT i, i FROM generate_series(1, 100) AS i']) AS c;
SELECT matches(t.do('low_second', 'SELECT dp_noise.protect(''common.visits'', ''person'', max_rows_per_unit => 2, population => ' || p || ')'), '^42501: ', 'another owner''s population: ' || p) FROM unnest('{''clinic'',''common.people''}'::text[]) AS p;
SELECT matches(t.do('low_first', 'SELECT dp_noise.protect(''common.visits'', ''person'', max_rows_per_unit => 2, population => ''clinic'')'), '^42501: must be owner of relation visits', 'nor does its owner take another''s table');
SELECT matches(t.do('low_second', 'SELECT dp_noise.allow_members(''clinic'', ''low_second'')'), '^42501: ', 'nobody allows oneself');
SELECT is(t.do('low_first', 'SELECT dp_noise.allow_members(''clinic'', ''low_second'')'), NULL, 'until the owner allows it');
SELECT is(t.do('low_second', 'SELECT dp_noise.protect(''common.visits'', ''person'', max_rows_per_unit => 2, population => ''clinic'')'), NULL, 'then it is one of its tables');
SELECT matches(t.do('low_second', 'SELECT dp_noise.set_levels(''common.visits'', ''{0.01,1000}'')'), '^42501: relation common.visits cannot have privacy levels', 'which may not spend its grant by levels');
SELECT is((SELECT members::text FROM dp_noise.populations WHERE population = 'clinic'), '{common.people,common.visits}');
SELECT is(t.ask('low_ann', 'common.visits', 1), 'charged', 'about which whoever has a budget may ask');
SELECT is(t.spent(), 'low_ann 1, all 1');
SET dp_noise.epsilon = 2;
SELECT isnt(t.run('low_ann', 'SELECT dp_count(*) FROM common.people JOIN common.visits ON id = person'), '', 'they have the same people: joins are one question');
SELECT is(t.spent(), 'low_ann 3, all 3', 'and pay once');
RESET dp_noise.epsilon;

-- who may do what
SELECT matches(t.do('low_second', c), '^42501: ', 'the second owner: ' || c) FROM unnest(ARRAY['SELECT dp_noise.set_budget(''low_bob'', ''clinic'', 1)', 'SELECT dp_noise.set_budget(''low_bob'', ''common.visits'', 1)',
	'SELECT dp_noise.alter_population(''common.visits'', epsilon => 1e6)', 'SELECT dp_noise.drop_budget(''low_ann'', ''common.visits'')', 'SELECT dp_noise.forfeit(''common.visits'', ''low_ann'', 1)',
	'SELECT dp_noise.forgive(''low_ann'', ''common.visits'')', 'SELECT dp_noise.forget_answers(''common.visits'', now())', 'SELECT dp_noise.drop_population(''clinic'')',
	'SELECT dp_noise.set_bounds(''common.people'', ''id'', 0, 1)', 'SELECT dp_noise.unprotect(''common.people'')']) AS c;
SELECT matches(t.do('low_first', c), '^42501: must be owner of relation', 'the first: ' || c) FROM unnest(ARRAY['SELECT dp_noise.set_bounds(''common.visits'', ''cost'', 0, 1)',
	'SELECT dp_noise.unprotect(''common.visits'')', 'SELECT dp_noise.protect(''common.visits'', ''person'', max_rows_per_unit => 5)', 'SELECT dp_noise.set_levels(''common.visits'', ''{1,2}'')']) AS c;
SELECT is(t.do('low_second', 'SELECT dp_noise.set_bounds(''common.visits'', ''cost'', 0, 100)'), NULL, 'each declares what is its own');
SELECT is(t.charges('low_first'), 'low_ann common.visits 1, low_ann common.people 2', 'the population''s owner reads the ledger');
SELECT is(t.charges('low_second'), 'none', 'other owners do not');
SELECT is(t.run('low_second', 'SELECT (SELECT count(*) FROM dp_noise.budgets) + (SELECT count(*) FROM dp_noise.populations)'), '0', 'nor budgets');
SELECT is(t.run('low_second', 'SELECT string_agg(concat_ws('' '', relation, population), '', '') FROM dp_noise.protected_relations'), 'common.visits clinic', 'but what they protect');
SELECT is(t.do('low_second', 'SELECT dp_count(*) FROM common.visits'), '42501: role "low_second" has no privacy budget for "visits"', 'who owns the population needs no budget, who owns a table does');
SELECT is(t.ask('low_first', 'common.visits', 0.5), 'charged');
SELECT is(t.spent(), 'low_ann 3, all 3.5', 'its questions are paid of the grant');

-- taken back
SELECT is(t.do('low_first', 'SELECT dp_noise.allow_members(''clinic'', ''low_second'', false)'), NULL);
SELECT matches(t.ask('low_ann', 'common.visits', 1), '^55000: ', 'no question is answered about what is not allowed any more');
SELECT matches(t.run('low_ann', 'SELECT dp_count(*) FROM common.visits'), '^55000: ');
SELECT matches(t.run('low_ann', 'SELECT dp_count(*) FROM common.people JOIN common.visits ON id = person WHERE sex'), '^55000: ', 'nor about it and others');
SELECT is(t.ask('low_ann', 'common.people', 0.5), 'charged', 'the others go on');
SELECT is(t.do('low_first', 'SELECT dp_noise.allow_members(''clinic'', ''low_second'')'), NULL);
SELECT is(t.ask('low_ann', 'common.visits', 1), 'charged', 'allowed again');
-- an allowance is a role's oid and name together
ALTER ROLE low_second RENAME TO low_third;
SELECT matches(t.ask('low_ann', 'common.visits', 1), '^55000: ', 'a renamed owner is not allowed');
ALTER ROLE low_third RENAME TO low_second;
SELECT is(t.ask('low_ann', 'common.visits', 1), 'charged');
SELECT is(t.spent(), 'low_ann 5.5, all 6', 'what was refused was not charged');

-- ALTER TABLE OWNER
ALTER TABLE common.people OWNER TO low_bob;
SELECT matches(t.ask('low_ann', 'common.people', 1), '^55000: ', 'a table that goes to an owner who is not allowed');
SELECT is(t.do('low_first', 'SELECT dp_noise.allow_members(''clinic'', ''low_bob'')'), NULL);
SELECT is(t.ask('low_ann', 'common.people', 1, 'q', answer => 'told'), 'charged', 'until it is');
ALTER TABLE common.people OWNER TO low_first;
SELECT is(t.ask('low_ann', 'common.people', 1, 'q'), 'replayed told', 'and back: everything is the population''s');
-- REASSIGN OWNED, of which no event trigger hears
REASSIGN OWNED BY low_first TO low_second;
SELECT is(t.ask('low_ann', 'common.people', 1, 'q'), 'replayed told', 'REASSIGN OWNED to one who is allowed');
REASSIGN OWNED BY low_second TO low_first;
-- the population goes to another owner
SELECT matches(t.do('low_second', 'SELECT dp_noise.alter_population(''clinic'', owner => ''low_second'')'), '^42501: ', 'nobody takes a population');
SELECT dp_noise.alter_population('clinic', owner => 'low_second');
SELECT is(t.charges('low_first'), 'none', 'another owner: the old one sees nothing any more');
SELECT isnt(t.charges('low_second'), 'none', 'the new one all');
SELECT matches(t.ask('low_ann', 'common.people', 1), '^55000: ', 'the old one''s tables need an allowance now');
SELECT is(t.do('low_second', 'SELECT dp_noise.allow_members(''clinic'', ''low_first'')'), NULL);
SELECT is(t.ask('low_ann', 'common.people', 1, 'q'), 'replayed told');
-- an owner that is renamed, and a role of its name
ALTER ROLE low_second RENAME TO low_third;
CREATE ROLE low_second;
SELECT is(t.charges('low_second'), 'none', 'a role of the owner''s name sees nothing');
SELECT matches(t.do('low_second', c), '^42501: ', c) FROM unnest(ARRAY['SELECT dp_noise.set_budget(''low_bob'', ''clinic'', 1)', 'SELECT dp_noise.alter_population(''clinic'', epsilon => 1e6)',
	'SELECT dp_noise.allow_members(''clinic'', ''low_second'')', 'SELECT dp_noise.forget_answers(''clinic'', now())']) AS c;
DROP ROLE low_second;
ALTER ROLE low_third RENAME TO low_second;
SELECT isnt(t.charges('low_second'), 'none');
-- superusers' tables are in any population
CREATE TABLE common.extra (id int);
SELECT dp_noise.protect('common.extra', 'id', max_rows_per_unit => 1, population => 'clinic');
SELECT is(t.ask('low_ann', 'common.extra', 0.25), 'charged', 'a superuser''s table');
ALTER TABLE common.extra OWNER TO low_ann;
SELECT matches(t.ask('low_ann', 'common.extra', 0.25), '^55000: ', 'which is an analyst''s now');
DROP TABLE common.extra;

-- a table of another owner under a name that was asked about: its own population, and nothing of the other's
SELECT is(t.do('low_first', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE common.flats (id int)', 'INSERT INTO common.flats SELECT generate_series(1, 1000)', 'SELECT dp_noise.protect(''common.flats'', epsilon => 100)',
	'SELECT dp_noise.set_budget(''low_ann'', ''common.flats'', 50)']) AS c;
SELECT is(t.ask('low_ann', 'common.flats', 20, 'q1', answer => 'first'), 'charged');
SET dp_noise.epsilon = 20;
SELECT cmp_ok(t.run('low_ann', 'SELECT dp_count(*) FROM common.flats')::int, '>', 900, 'the first owner''s answer');
SELECT is(t.do('low_first', 'DROP TABLE common.flats'), NULL);
SELECT is(t.do('low_second', 'CREATE TABLE common.flats (id int)'), NULL);
SELECT matches(t.do('low_second', 'SELECT dp_noise.protect(''common.flats'', epsilon => 100)'), '^42501: ', 'the population of its name is another owner''s');
SELECT is(t.do('low_second', c), NULL, c) FROM unnest(ARRAY['SELECT dp_noise.create_population(''flats'', 100)', 'SELECT dp_noise.protect(''common.flats'', population => ''flats'')', 'SELECT dp_noise.set_budget(''low_ann'', ''flats'', 100)']) AS c;
SELECT is(t.run('low_second', $$SELECT count(*) FROM dp_noise.ledger WHERE population ~ 'flats'$$), '0', 'sees no charge');
SELECT is(t.run('low_first', $$SELECT string_agg(concat_ws(' ', role, asked_about, epsilon), ', ' ORDER BY at) FROM dp_noise.ledger$$), 'low_ann 20, low_ann 20', 'the first owner still does');
SELECT is(t.ask('low_ann', 'common.flats', 20, 'q1', answer => 'second'), 'charged', 'and no answer');
SELECT cmp_ok(t.run('low_ann', 'SELECT dp_count(*) FROM common.flats')::int, '<', 100, 'the second owner''s table is answered for itself');
RESET dp_noise.epsilon;

-- an owner that is dropped: a role of its name is another owner
CREATE ROLE low_kim;
GRANT ALL ON SCHEMA common TO low_kim;
SELECT is(t.do('low_kim', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE common.kims (id int)', 'SELECT dp_noise.protect(''common.kims'', epsilon => 100)', 'SELECT dp_noise.set_budget(''low_ann'', ''common.kims'', 50)']) AS c;
SELECT is(t.ask('low_ann', 'common.kims', 9, 'qf', answer => 'kim''s'), 'charged');
DROP OWNED BY low_kim;
DROP ROLE low_kim;
CREATE ROLE low_kim;
GRANT ALL ON SCHEMA common TO low_kim;
SELECT is(t.do('low_kim', 'CREATE TABLE common.kims (id int)'), NULL);
SELECT matches(t.do('low_kim', 'SELECT dp_noise.protect(''common.kims'')'), '^42501: ', 'is not let into what the other left');
SELECT is(t.charges('low_kim'), 'none', 'and sees nothing of it');
SELECT is((SELECT concat_ws(' ', owner, trim_scale(epsilon_spent)) FROM dp_noise.populations WHERE population = 'common.kims'), '9', 'which is the superusers'' now');
SELECT dp_noise.alter_population('common.kims', owner => 'low_kim');
SELECT is(t.do('low_kim', 'SELECT dp_noise.protect(''common.kims'')'), NULL, 'until they give it away');

-- privacy levels: the chain that was drawn for all roles is the population's
SELECT is(t.do('low_first', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE common.chain (id int)', 'INSERT INTO common.chain SELECT generate_series(1, 100000)', 'SELECT dp_noise.protect(''common.chain'', epsilon => 100)',
	'SELECT dp_noise.set_levels(''common.chain'', ''{1,20}'')', 'SELECT dp_noise.set_budget(''low_ann'', ''common.chain'', 50)']) AS c;
SET dp_noise.epsilon = 20;
SELECT cmp_ok(t.run('low_ann', 'SELECT dp_count(*) FROM common.chain')::int, '>', 99000, 'privacy levels: the first owner''s answer');
SELECT is(t.do('low_first', 'DROP TABLE common.chain'), NULL);
SELECT is(t.do('low_second', c), NULL, c) FROM unnest(ARRAY['CREATE TABLE common.chain (id int)', 'SELECT dp_noise.create_population(''chain'', 100)', 'SELECT dp_noise.protect(''common.chain'', population => ''chain'')',
	'SELECT dp_noise.set_levels(''common.chain'', ''{1,20}'')', 'SELECT dp_noise.set_budget(''low_bob'', ''chain'', 50)']) AS c;
SELECT cmp_ok(t.run(who, 'SELECT dp_count(*) FROM common.chain')::int, '<', 1000, who || ': the second owner''s table has a chain of its own') FROM unnest('{low_bob,low_second}'::text[]) AS who;
RESET dp_noise.epsilon;

SELECT * FROM finish();
SELECT dp_noise.unprotect(relation) FROM dp_noise.protected_relations;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP SCHEMA common CASCADE;
DROP OWNED BY low_first, low_second, low_ann, low_bob, low_kim;
DROP ROLE low_first, low_second, low_ann, low_bob, low_kim;
