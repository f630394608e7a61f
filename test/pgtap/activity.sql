-- What the ledger workers did, and what is spent, for those who watch the server.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.epsilon = 1;

-- The counts of this database that differ from before
CREATE TEMP TABLE before AS SELECT * FROM dp_noise.activity WHERE database = current_database();
CREATE FUNCTION t.done() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	SELECT string_agg(format('%s %s', k.key, k.value::numeric - coalesce((o.old ->> k.key)::numeric, 0)), ', ' ORDER BY k.key) INTO result
	FROM (SELECT to_jsonb(a) AS now FROM dp_noise.activity AS a WHERE database = current_database()) AS n
	CROSS JOIN jsonb_each_text(n.now) AS k
	LEFT JOIN (SELECT to_jsonb(b) AS old FROM before AS b) AS o ON true
	WHERE k.key IN ('charged', 'repeated', 'refused', 'errors', 'previewed', 'stored', 'failed') AND k.value::numeric <> coalesce((o.old ->> k.key)::numeric, 0);
	TRUNCATE before;
	INSERT INTO before SELECT * FROM dp_noise.activity WHERE database = current_database();
	RETURN coalesce(result, 'nothing');
END
$$;
SELECT is(t.done() IS NOT NULL, true, 'from here on');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT count(*) > -1000 FROM patients WHERE age > 33'), 'true', 'a question');
SELECT is(t.done(), 'charged 1, stored 1', 'is charged, and its answer stored');
SELECT is(t.run('gate_ann', 'SELECT count(*) > -1000 FROM patients WHERE age > 33'), 'true', 'again');
SELECT is(t.done(), 'repeated 1', 'is repeated');
SELECT is(t.run('gate_ann', 'EXPLAIN SELECT count(*) FROM patients WHERE age > 34') IS NOT NULL, true, 'a price');
SELECT is(t.done(), 'previewed 1', 'is previewed');
SELECT dp_noise.set_budget('gate_bob', 'public.patients', 0.5, delta => 0.5);
SELECT is(left(t.run('gate_bob', 'SELECT count(*) FROM patients'), 5), '53400', 'too much');
SELECT is(t.done(), 'refused 1', 'is refused');
SELECT is(t.run('gate_ann', 'SELECT 1'), '1', 'nothing private');
SELECT is(t.done(), 'nothing', 'is not counted');
SELECT ok(worker_pid IS NOT NULL AND waiting = 0 AND waiting_for IS NULL AND seconds_waited >= longest_wait AND longest_wait > 0 AND counted_since < now(), 'the worker runs, and nobody waits')
FROM dp_noise.activity WHERE database = current_database();
SELECT ok(EXISTS (SELECT FROM pg_stat_activity AS s WHERE s.pid = a.worker_pid AND s.backend_type = 'dp_noise ledger worker' AND s.datname = a.database), 'under that number')
FROM dp_noise.activity AS a WHERE database = current_database();

-- Spending: as the owners' view says, of all owners
SELECT set_eq('SELECT population, role, epsilon, epsilon_spent, failures FROM dp_noise.spending', 'SELECT population, role, epsilon, epsilon_spent, failures FROM dp_noise.budgets', 'all budgets');
SELECT ok(bool_and(used BETWEEN 0 AND 1) AND max(used) > 0, 'shares') FROM dp_noise.spending;
SELECT is(s.used, (b.epsilon_spent / b.epsilon)::float8, 'of the currency that is spent')
FROM dp_noise.spending AS s JOIN dp_noise.budgets AS b USING (population, role) WHERE role = 'gate_ann' AND population = 'public.patients';
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 1000, delta => 0.5);
SELECT dp_noise.alter_population('public.patients', accountant => 'zcdp', epsilon => 1000000, delta => 0.5);
SELECT is(s.used, greatest(b.rho_spent / b.rho, b.delta_spent / nullif(b.delta_pool, 0))::float8, 'of rho')
FROM dp_noise.spending AS s JOIN dp_noise.budgets AS b USING (population, role) WHERE role = 'gate_ann' AND population = 'public.patients';

-- For those who may
CREATE ROLE activity_monitor;
GRANT pg_monitor TO activity_monitor;
SET ROLE activity_monitor;
SELECT isnt_empty('SELECT * FROM dp_noise.activity', 'a monitor sees activity');
SELECT isnt_empty('SELECT * FROM dp_noise.spending', 'and spending');
SELECT is_empty('SELECT * FROM dp_noise.budgets', 'and not what owners see');
RESET ROLE;
SELECT throws_ok(format('SET ROLE gate_%s; SELECT * FROM dp_noise.%s', r, v), '42501', 'permission denied for view ' || v, r || ' may not read ' || v)
FROM unnest(ARRAY['ann', 'owner']) AS r, unnest(ARRAY['activity', 'spending']) AS v;
RESET ROLE;
SELECT throws_ok(format('SET ROLE gate_ann; SELECT * FROM dp_noise.read_%s()', v), '42501', 'permission denied for function read_' || v, 'nor what it reads: ' || v)
FROM unnest(ARRAY['activity', 'spending']) AS v;
RESET ROLE;
DROP ROLE activity_monitor;
SELECT * FROM finish();
\ir support/gate_end.sql
