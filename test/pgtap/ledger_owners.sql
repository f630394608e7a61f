-- Namesakes of another owner: what was spent stays spent, what was asked stays
-- asked, but nobody reads the first owner's charges and stored answers. Who gets a
-- relation from its owner gets them with it.
\ir support/ledger.sql
CREATE ROLE low_first;
CREATE ROLE low_second;
CREATE ROLE low_ann;
CREATE ROLE low_bob;
CREATE SCHEMA common;
GRANT ALL ON SCHEMA common TO low_first, low_second;
GRANT USAGE ON SCHEMA common TO PUBLIC;
GRANT CREATE ON DATABASE :"DBNAME" TO low_first, low_second;
SELECT no_plan();

-- What somebody sees of the ledger: the charges, by epsilon.
CREATE FUNCTION t.charges(who text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, 'SELECT coalesce(string_agg(concat_ws('' '', role, relation, trim_scale(epsilon)), '', '' ORDER BY at), ''none'') FROM dp_noise.ledger')
$$;
-- A question of low_ann, with an answer to store.
CREATE FUNCTION t.asks(question text, answer text DEFAULT 'new', epsilon numeric DEFAULT 0.5) RETURNS text LANGUAGE sql AS $$
	SELECT t.ask('low_ann', 'common.people', epsilon, question, 0, answer::bytea)
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
-- Somebody makes a table of the name, and grants a budget.
CREATE FUNCTION t.makes(who text, name text DEFAULT 'common.people') RETURNS text LANGUAGE sql AS $$
	SELECT concat(t.do(who, format('CREATE TABLE %s (id int, sex boolean)', name)),
		t.do(who, format('SELECT dp_noise.protect(%L, epsilon => 1e6, delta => 1)', name)),
		t.do(who, format('SELECT dp_noise.set_budget(''low_ann'', %L, 100)', name)))
$$;
CREATE FUNCTION t.spent(who text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, 'SELECT string_agg(trim_scale(epsilon_spent)::text, '','' ORDER BY role) FROM dp_noise.budgets WHERE population = ''common.people''')
$$;

-- dropped, and made by another owner
SELECT is(t.makes('low_first'), '', 'the first owner');
SELECT is(t.asks('q1', 'first', 20), 'charged');
SELECT is(t.asks('q1'), 'replayed first');
SELECT is(t.charges('low_first'), 'low_ann common.people 20', 'the first owner sees the charge');
SELECT is(t.do('low_first', 'DROP TABLE common.people'), NULL);
SELECT is(t.makes('low_second'), '', 'the second owner');
SELECT is(t.charges('low_second'), 'none', 'the second owner does not see it');
SELECT is(t.charges('low_first'), 'none', 'nor does the first any more');
SELECT is(t.run('postgres', 'SELECT concat_ws('' '', relation, trim_scale(epsilon)) FROM dp_noise.ledger'), '20', 'superusers do, without a relation');
SELECT is(t.spent('low_second'), '0,20', 'what was spent is spent, and by whom is not shown');
SELECT is(left(t.asks('q1'), 5), '53400', 'the question is asked, and the first owner''s answer is not told');
SELECT is((SELECT count(*) FROM dp_noise_ledger.answer_entry AS a JOIN dp_noise_ledger.identity AS i ON i.object = 'common.people'::regclass AND i.id = a.relation_id AND a.answer IS NOT NULL), 0::bigint, 'it is not stored for the second owner''s table');
SELECT is(t.asks('q2', 'second', 1), 'charged');
SELECT is(t.charges('low_second'), 'low_ann common.people 1', 'the second owner sees own charges');
-- and by the second again
SELECT is(t.do('low_second', 'DROP TABLE common.people'), NULL);
SELECT is(t.makes('low_second'), '', 'the second owner again');
SELECT is(t.charges('low_second'), 'low_ann common.people 1', 'sees what was the second owner''s');
SELECT is(t.asks('q2'), 'replayed second');
SELECT is(left(t.asks('q1'), 5), '53400', 'and no more');
-- and by the first again
SELECT is(t.do('low_second', 'DROP TABLE common.people'), NULL);
SELECT is(t.makes('low_first'), '', 'the first owner again');
SELECT is(t.charges('low_first'), 'low_ann common.people 20', 'sees what was the first owner''s, and no more');
SELECT is(t.asks('q1'), 'replayed first', 'answers, too');
SELECT is(left(t.asks('q2'), 5), '53400', 'but not the second owner''s');
SELECT is(t.spent('low_first'), '20,21', 'all that was spent is spent, on the second owner''s in the total');

-- ALTER TABLE OWNER: all goes with the table
ALTER TABLE common.people OWNER TO low_second;
SELECT is(t.charges('low_second'), 'low_ann common.people 20', 'a new owner sees what the old one saw');
SELECT is(t.charges('low_first'), 'none', 'and the old one nothing');
SELECT is(t.do('low_second', $$SELECT dp_noise.set_budget('low_ann', 'common.people', 100)$$), NULL);
SELECT is(t.asks('q1'), 'replayed first', 'answers stay');
SELECT is(t.asks('q3', 'third', 2), 'charged');
SELECT is(t.do('low_second', 'DROP TABLE common.people'), NULL);
SELECT is(t.makes('low_first'), '', 'dropped by the new owner, and made by the old one');
SELECT is(t.charges('low_first'), 'low_ann common.people 20', 'who does not see what came after');
SELECT is(left(t.asks('q3'), 5), '53400');
SELECT is(t.do('low_first', 'DROP TABLE common.people'), NULL);
SELECT is(t.makes('low_second'), '', 'and by the new one');
SELECT is(t.charges('low_second'), 'low_ann common.people 1, low_ann common.people 2', 'who sees that of own tables');
SELECT is(t.do('low_second', 'DROP TABLE common.people'), NULL);

-- What was spent is not carried off by another owner's table, nor refilled there.
CREATE PROCEDURE t.laundry(INOUT result text, VARIADIC statements text[]) LANGUAGE plpgsql AS $$
DECLARE
	statement text;
BEGIN
	result := t.makes('low_first', 'common.laundry');
	COMMIT;
	result := result || t.ask('low_ann', 'common.laundry', 20, 'qw');
	result := concat(result, t.do('low_first', 'DROP TABLE common.laundry'), t.makes('low_second', 'common.laundry'));
	COMMIT;
	FOREACH statement IN ARRAY statements LOOP
		result := concat(result, t.do('low_second', statement));
		COMMIT;
		PERFORM pg_sleep(0.6);
	END LOOP;
	result := concat(result, t.makes('low_first', 'common.laundry'));
	COMMIT;
	result := concat_ws(' ', result, t.run('low_first', $s$SELECT string_agg((epsilon_spent >= 20)::text, ' ') FROM dp_noise.budgets WHERE population = 'common.laundry'$s$),
		left(t.ask('low_ann', 'common.laundry', 1, 'qw'), 5));
	DROP TABLE common.laundry;
END
$$;
CALL t.laundry(NULL, $$SELECT dp_noise.set_budget('low_ann', 'common.laundry', 1, period => '1 second')$$,
	$$SELECT dp_noise.alter_population('common.laundry', epsilon => 1, delta => 0)$$, $$SELECT dp_noise.forfeit('common.laundry', 'low_ann', 0)$$,
	$$DROP TABLE common.laundry$$) \gset
SELECT matches(:'result'::text, '^charged true true 53400$', 'refilled by another owner');
CALL t.laundry(NULL, $$ALTER TABLE common.laundry RENAME TO worn$$) \gset
SELECT matches(:'result'::text, ' true true 53400$', 'carried off by a new name');
DROP TABLE common.worn;

-- REASSIGN OWNED, of which no event trigger hears
SELECT is(t.makes('low_first', 'common.people'), '', 'REASSIGN OWNED');
SELECT is(t.asks('q4', 'fourth', 0.25), 'charged');
REASSIGN OWNED BY low_first TO low_second;
SELECT is(t.asks('q5', 'fifth', 0.125), 'charged');
SELECT is(t.do('low_second', 'DROP TABLE common.people'), NULL);
SELECT is(t.makes('low_first'), '');
SELECT unalike(t.charges('low_first'), '%0.125%', 'REASSIGN OWNED: charges are the new owner''s');
SELECT is(left(t.asks('q5'), 5), '53400', 'answers, too');
SELECT is(t.do('low_first', 'DROP TABLE common.people'), NULL);

-- other ways to the name
CREATE PROCEDURE t.other_way(INOUT result text, VARIADIC statements text[]) LANGUAGE plpgsql AS $$
DECLARE
	statement text;
BEGIN
	result := t.makes('low_first', 'common.secret');
	COMMIT;
	result := result || replace(t.ask('low_ann', 'common.secret', 7, 'qs', 0, 'secret'), 'charged', '');
	FOREACH statement IN ARRAY statements LOOP
		result := concat(result, t.do(split_part(statement, ': ', 1), split_part(statement, ': ', 2)));
		COMMIT;
	END LOOP;
	result := concat(result, t.do('low_second', $s$SELECT dp_noise.set_budget('low_ann', 'common.secret', 100)$s$));
	COMMIT;
	result := result || t.run('low_second', $s$SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'common.secret' AND role IS NULL$s$)
		|| ' ' || left(t.ask('low_ann', 'common.secret', 1, 'qs'), 5)
		|| CASE WHEN t.charges('low_second') ~ ' common.secret 7' THEN ' shown' ELSE '' END;
	-- all anew
	DROP TABLE common.secret;
	DELETE FROM dp_noise_ledger.budget_entry WHERE relation_id IN (SELECT relation_id FROM dp_noise_ledger.relation_entry WHERE relation_name = 'secret');
	DELETE FROM dp_noise_ledger.answer_entry WHERE relation_id IN (SELECT relation_id FROM dp_noise_ledger.relation_entry WHERE relation_name = 'secret');
	DELETE FROM dp_noise_ledger.relation_entry WHERE relation_name = 'secret';
END
$$;
CALL t.other_way(NULL, 'low_second: CREATE TABLE common.mine (id int)',
	'low_second: SELECT dp_noise.protect(''common.mine'', epsilon => 1e6, delta => 1)',
	'low_first: DROP TABLE common.secret',
	'low_second: ALTER TABLE common.mine RENAME TO secret') \gset
SELECT is(:'result'::text, '7 53400', 'RENAME');
CALL t.other_way(NULL, 'low_second: CREATE SCHEMA own',
	'low_second: CREATE TABLE own.secret (id int)',
	'low_second: SELECT dp_noise.protect(''own.secret'', epsilon => 1e6, delta => 1)',
	'low_first: DROP TABLE common.secret',
	'low_second: ALTER TABLE own.secret SET SCHEMA common',
	'low_second: DROP SCHEMA own') \gset
SELECT is(:'result'::text, '7 53400', 'SET SCHEMA');
CALL t.other_way(NULL, 'postgres: DROP SCHEMA common CASCADE',
	'low_second: CREATE SCHEMA common',
	'low_second: GRANT ALL ON SCHEMA common TO PUBLIC',
	'low_second: CREATE TABLE common.secret (id int)',
	'low_second: SELECT dp_noise.protect(''common.secret'', epsilon => 1e6, delta => 1)') \gset
SELECT is(:'result'::text, '7 53400', 'DROP SCHEMA');
CALL t.other_way(NULL, 'postgres: DROP SCHEMA common CASCADE',
	'low_second: CREATE SCHEMA own',
	'low_second: GRANT ALL ON SCHEMA own TO PUBLIC',
	'low_second: CREATE TABLE own.secret (id int)',
	'low_second: SELECT dp_noise.protect(''own.secret'')',
	'low_second: ALTER SCHEMA own RENAME TO common') \gset
SELECT is(:'result'::text, '7 53400', 'ALTER SCHEMA RENAME');
CALL t.other_way(NULL, 'low_second: DROP TABLE common.secret',
	'low_second: CREATE TABLE common.secret (id int)',
	'low_second: SELECT dp_noise.protect(''common.secret'')') \gset
SELECT is(:'result'::text, '7 53400', 'a table dropped by the owner of its schema');
CALL t.other_way(NULL, 'postgres: ALTER TABLE common.secret OWNER TO low_second') \gset
SELECT is(:'result'::text, '7 repla shown', 'ALTER TABLE OWNER: the same table');
CALL t.other_way(NULL, 'postgres: REASSIGN OWNED BY low_first TO low_second') \gset
SELECT is(:'result'::text, '7 repla shown', 'REASSIGN OWNED: the same table');

-- a role of the first owner's name is another owner
GRANT ALL ON SCHEMA common TO PUBLIC;
SELECT is(t.makes('low_bob', 'common.flats'), '', 'a role that is dropped');
SELECT is(t.ask('low_ann', 'common.flats', 9, 'qf', 0, 'flat'), 'charged');
SELECT is(t.do('low_bob', 'DROP TABLE common.flats'), NULL);
DROP OWNED BY low_bob;
DROP ROLE low_bob;
CREATE ROLE low_bob;
SELECT is(t.makes('low_bob', 'common.flats'), '', 'a role of its name');
SELECT is(t.charges('low_bob'), 'none', 'sees nothing of the first one''s');
SELECT is(left(t.ask('low_ann', 'common.flats', 1, 'qf'), 5), '53400');

-- privacy levels: the chain that was drawn for all roles
CREATE FUNCTION t.levels(who text, role text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t.do(who, 'CREATE TABLE common.chain (id int, sex boolean)');
	PERFORM t.do(who, 'SELECT dp_noise.protect(''common.chain'', epsilon => 1e6, delta => 1)');
	PERFORM t.do(who, 'SELECT dp_noise.set_levels(''common.chain'', ''{1,20}'')');
	PERFORM t.do(who, format('SELECT dp_noise.set_budget(%L, ''common.chain'', 100)', role));
END
$$;
SELECT t.levels('low_first', 'low_ann');
SELECT t.do('low_first', 'INSERT INTO common.chain SELECT i FROM generate_series(1, 100000) AS i');
SET dp_noise.epsilon = 20;
SELECT cmp_ok(t.run('low_ann', 'SELECT dp_count(*) FROM common.chain')::int, '>', 99000, 'privacy levels: the first owner''s answer');
SELECT t.do('low_first', 'DROP TABLE common.chain');
SELECT t.levels('low_second', 'low_bob');
SELECT cmp_ok(t.run('low_bob', 'SELECT dp_count(*) FROM common.chain')::int, '<', 1000, 'the second owner''s table has a chain of its own');
SELECT cmp_ok(t.run('low_second', 'SELECT dp_count(*) FROM common.chain')::int, '<', 1000, 'for the owner, too');
RESET dp_noise.epsilon;

SELECT * FROM finish();
SELECT dp_noise.unprotect(relation) FROM dp_noise.protected_relations;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP SCHEMA common CASCADE;
DROP OWNED BY low_first, low_second, low_ann, low_bob;
DROP ROLE low_first, low_second, low_ann, low_bob;
