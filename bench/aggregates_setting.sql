/*
 * aggregates_setting.sql
 *		One table of aggregates.sql.
 *
 * Needs the psql variables setting, key, workers, few and repeats.
 */
SET max_parallel_workers_per_gather = :workers;
\echo
\echo -- :setting
SELECT bench.header();
SELECT format('SELECT bench.measure(%L, %L, %s, %s)', :'setting', :'key', id, :repeats)
FROM bench.pairs
WHERE few OR NOT :few
ORDER BY id
\gexec
SELECT bench.plans(:'setting');
