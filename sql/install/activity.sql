/*
 * activity.sql
 *		What the ledger workers do: for those who watch the server.
 */

CREATE FUNCTION dp_noise.read_activity() RETURNS TABLE (
	database oid, worker_pid integer, waiting integer, waiting_since timestamptz, charged bigint, repeated bigint, refused bigint,
	errors bigint, previewed bigint, stored bigint, failed bigint, seconds_waited float8, longest_wait float8, counted_since timestamptz
)
AS 'MODULE_PATHNAME', 'dp_read_activity' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dp_noise.read_activity() IS
'The rows of dp_noise.activity, with the oid of the database. For superusers, and for roles that have pg_read_all_stats.';

CREATE VIEW dp_noise.activity AS
SELECT d.datname AS database, a.worker_pid, a.waiting, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) a.waiting_since AS waiting_for,
	a.charged, a.repeated, a.refused, a.errors, a.previewed, a.stored, a.failed, a.seconds_waited, a.longest_wait, a.counted_since
FROM dp_noise.read_activity() AS a
JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) a.database;
COMMENT ON VIEW dp_noise.activity IS
'What the ledger''s worker of each database did since counted_since, which is the start of the server or, where more than 64 databases have a ledger, later. worker_pid: null where nobody has asked for some seconds, so that no worker runs. waiting, waiting_for: requests that it has not answered yet, and the age of the oldest. Statements: charged, somebody paid for something in them; repeated, answered before, free; refused, for want of a right or of budget, or as asked before; errors, the ledger could not decide, as under a lock; previewed, by EXPLAIN and the like, and all on a standby; stored, their answers were kept; failed, they ended in errors that may depend on rows. seconds_waited, longest_wait: how long those charged, repeated and refused waited for the ledger, together and at most, in seconds. For superusers and roles that have pg_read_all_stats (pg_monitor has).';

CREATE FUNCTION dp_noise.read_spending() RETURNS TABLE (
	population text, role name, shared boolean, accountant text, used float8, epsilon numeric, epsilon_spent numeric, delta numeric,
	delta_spent numeric, failures integer, max_failures integer, refills_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
AS $$
BEGIN
	RETURN QUERY
	SELECT a.population, a.role_name, a.shared, a.accountant,
		CASE a.accountant WHEN 'zcdp' THEN greatest(s.rho_spent / nullif(a.rho, 0), s.delta_spent / nullif(a.delta_pool, 0))
			ELSE greatest(s.epsilon_spent / nullif(a.epsilon, 0), s.delta_spent / nullif(a.delta, 0)) END::float8,
		a.epsilon, s.epsilon_spent, a.delta, s.delta_spent, a.failures, a.max_failures, a.refills_at
	FROM dp_noise_ledger.account AS a
	CROSS JOIN LATERAL dp_noise.amounts_shown(a.accountant, a.granted, a.spent) AS s
	WHERE a.pays AND NOT a.is_dropped;
END
$$;
COMMENT ON FUNCTION dp_noise.read_spending() IS 'The rows of dp_noise.spending. For superusers, and for roles that have pg_read_all_stats.';
CREATE VIEW dp_noise.spending AS SELECT * FROM dp_noise.read_spending();
COMMENT ON VIEW dp_noise.spending IS
'All budgets of this database, whoever owns the populations, with what is spent in their current periods: for monitoring. A row without a role is the population''s grant. used: the share of the budget that is spent, from 0 to 1 (infinity after a charge without a finite epsilon), of the currency of which most is: epsilon or delta under pure, rho or the pool of delta under zcdp. The other columns are as in dp_noise.budgets. For superusers and roles that have pg_read_all_stats (pg_monitor has).';

GRANT EXECUTE ON FUNCTION dp_noise.read_activity(), dp_noise.read_spending() TO pg_read_all_stats;
GRANT SELECT ON dp_noise.activity, dp_noise.spending TO pg_read_all_stats;
