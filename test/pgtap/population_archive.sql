-- Old charges are moved: views show them, spending is as it was, and charges go
-- on meanwhile.
\ir support/ledger.sql
CREATE ROLE par_owner;
CREATE ROLE par_ann;
CREATE ROLE par_admin;
CREATE TABLE people (id int);
ALTER TABLE people OWNER TO par_owner;
SELECT dp_noise.protect('people', epsilon => 100);
SELECT dp_noise.set_budget('par_ann', 'people', 50);
SELECT no_plan();

SELECT is((SELECT string_agg(DISTINCT t.ask('par_ann', 'people', 1, 'question ' || i, answer => 'x'), ',') FROM generate_series(1, 9) AS i), 'charged', 'nine charges');
-- Three of two years ago, three at the turn of the next year, three of today.
UPDATE dp_noise_ledger.charge AS c SET at = CASE WHEN n.number <= 3 THEN '2024-05-06 07:08:09+00'::timestamptz ELSE '2025-01-01 00:00:00+00'::timestamptz - (n.number - 5) * interval '1 microsecond' END
FROM (SELECT charge_id, row_number() OVER (ORDER BY charge_id) AS number FROM dp_noise_ledger.charge) AS n
WHERE n.charge_id = c.charge_id AND n.number <= 6;
CREATE TABLE t.ledger AS SELECT * FROM dp_noise.ledger;
CREATE TABLE t.spent AS SELECT * FROM dp_noise.populations;
CREATE FUNCTION t.history() RETURNS text LANGUAGE sql AS $$
	SELECT t.run('par_ann', 'SELECT string_agg(h::text, E''\n'') FROM dp_history AS h')
$$;
CREATE TABLE t.history AS SELECT t.history() AS line;

SELECT is(t.run('par_admin', 'SELECT dp_noise.archive(now())'), '42501: permission denied for function archive', 'not for everybody');
SELECT is(t.run('par_owner', 'SELECT dp_noise.archive(now())'), '42501: permission denied for function archive', 'nor for owners');
SELECT is(dp_noise.archive('2025-01-01'), 4::bigint, 'what is older is moved') FROM set_config('timezone', 'UTC', false);
SELECT is((SELECT string_agg(c.tableoid::regclass || ' ' || c.number, ', ' ORDER BY c.tableoid::regclass::text) FROM (SELECT tableoid, count(*) AS number FROM dp_noise_ledger.charge_archive GROUP BY 1) AS c),
	'dp_noise_ledger.charge_2024 4', 'by years');
GRANT EXECUTE ON FUNCTION dp_noise.archive(timestamptz) TO par_admin;
SET timezone = 'Asia/Tokyo';
SELECT is(t.run('par_admin', 'SELECT dp_noise.archive(now() - interval ''1 day'')'), '2', 'whoever was granted EXECUTE may');
RESET timezone;
SELECT is((SELECT string_agg(c.tableoid::regclass || ' ' || c.number, ', ' ORDER BY c.tableoid::regclass::text) FROM (SELECT tableoid, count(*) AS number FROM dp_noise_ledger.charge_archive GROUP BY 1) AS c),
	'dp_noise_ledger.charge_2024 4, dp_noise_ledger.charge_2025 2', 'another year');
SELECT is(t.run('par_admin', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'and sees nothing of it');
SELECT alike(t.run('par_admin', 'SELECT count(*) FROM dp_noise_ledger.charge_2024'), '42501: permission denied%', 'nor can read the archive');
SELECT is(dp_noise.archive('2025-01-01'), 0::bigint, 'once more: nothing to move');

SELECT set_eq('SELECT * FROM dp_noise.ledger', 'SELECT * FROM t.ledger', 'the ledger shows all');
SELECT is(t.history(), line, 'and the history, in its order') FROM t.history;
SELECT set_eq('SELECT * FROM dp_noise.populations', 'SELECT * FROM t.spent', 'what was spent stays spent');
SELECT is(t.ask('par_ann', 'people', 1, 'question 1'), 'replayed x', 'answers stay, too');

-- The worker, another process, charges while an archive is not yet committed.
BEGIN;
SELECT is(dp_noise.archive('infinity'), 3::bigint, 'charges of today');
SELECT is(t.ask('par_ann', 'people', 1, 'another question'), 'charged', 'a charge meanwhile');
COMMIT;
SELECT is((SELECT count(*) FROM dp_noise_ledger.charge), 1::bigint, 'which is where new ones are');
SELECT is((SELECT count(*) FROM dp_noise.ledger), 10::bigint, 'all are shown');
SELECT is((SELECT epsilon_spent FROM dp_noise.budgets WHERE role = 'par_ann'), 10::numeric, 'and all were spent');

-- A statement that runs stores its answer for its charge.
BEGIN;
SELECT is(t.ask('par_ann', 'people', 1, 'running'), 'charged', 'a charge of a transaction');
SELECT is(dp_noise.archive('infinity'), 1::bigint, 'is not moved before that has ended');
COMMIT;
SELECT is((SELECT count(*) FROM dp_noise_ledger.charge), 1::bigint, 'it stays where it is found');
SELECT is(dp_noise.archive('infinity'), 1::bigint, 'until then');
BEGIN;
SELECT is(t.ask('par_ann', 'people', 1, 'running unseen'), 'charged', 'a charge of a transaction');
SET LOCAL track_activities = off;
SELECT is(dp_noise.archive('infinity'), 0::bigint, 'nor where nobody knows since when that runs');
COMMIT;
SELECT throws_ok('SELECT dp_noise.archive(NULL)', '22004', 'before must not be null', 'all of it is infinity');
SELECT throws_ok('INSERT INTO dp_noise_ledger.charge_2024 SELECT * FROM dp_noise_ledger.charge_2024', '23505', NULL, 'a dump is not restored into it twice');

-- in the order of the keys
SET enable_seqscan = off;
CREATE FUNCTION t.plan() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXPLAIN (COSTS off) SELECT * FROM dp_noise_ledger.every_charge WHERE budget_id = 1 LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END
$$;
SELECT unalike(t.plan(), '%Seq Scan%', 'by indexes');
RESET enable_seqscan;

DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise; END';
SELECT is(to_regclass('dp_noise_ledger.charge_2024'), NULL, 'the archive goes with the extension');
SELECT * FROM finish();
SET client_min_messages = error;
DROP OWNED BY par_owner, par_ann, par_admin CASCADE;
DROP ROLE par_owner, par_ann, par_admin;
