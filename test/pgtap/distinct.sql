-- dp_count_distinct over ordinary relations. At epsilon 1000 the answer is the
-- true number but for 1 run in 10^400.
SELECT no_plan();
SET client_min_messages = warning;
CREATE TABLE v AS SELECT i, i % 10 AS k, (i % 100)::text AS t, (i % 70) / 7.0 AS n, CASE WHEN i % 3 = 0 THEN i % 50 END AS h,
	(ARRAY['a', 'b'])[1 + i % 2] COLLATE "C" AS c, ARRAY[i % 4] AS a FROM generate_series(1, 2000) AS i;
ANALYZE v;
SELECT is(n, e, d) FROM (
	SELECT dp_count_distinct(k, 1000) AS n, count(DISTINCT k) AS e, 'integers' AS d FROM v
	UNION ALL SELECT dp_count_distinct(t, 1000), count(DISTINCT t), 'texts' FROM v
	UNION ALL SELECT dp_count_distinct(n, 1000), count(DISTINCT n), 'numbers' FROM v
	UNION ALL SELECT dp_count_distinct(h, 1000), count(DISTINCT h), 'nulls do not count' FROM v
	UNION ALL SELECT dp_count_distinct(c, 1000), count(DISTINCT c), 'of a collation' FROM v
	UNION ALL SELECT dp_count_distinct(a, 1000), count(DISTINCT a), 'arrays' FROM v
	UNION ALL SELECT dp_count_distinct(t, 1000, 'laplace') FILTER (WHERE k < 5), count(DISTINCT t) FILTER (WHERE k < 5), 'with a filter' FROM v
	UNION ALL SELECT dp_count_distinct(k, 1000), 0, 'no rows' FROM v WHERE false
	UNION ALL SELECT dp_count_distinct(NULL::integer, 1000), 0, 'nulls alone' FROM v
	UNION ALL SELECT dp_count_distinct(i, 1000), 2000, 'all different' FROM v) AS q;
SELECT set_eq('SELECT k, dp_count_distinct(t, 1000) FROM v GROUP BY k', 'SELECT k, count(DISTINCT t) FROM v GROUP BY k', 'in groups');
SET work_mem = '64kB';
SELECT is(dp_count_distinct(repeat(i::text, 20), 1000), 2000::bigint, 'sorted on disk') FROM v;
RESET work_mem;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT is(dp_count_distinct(t, 1000), 100::bigint, 'in a parallel plan') FROM v;
RESET max_parallel_workers_per_gather;
SELECT ok(bool_and(n BETWEEN 10 - 60 AND 10 + 60) AND count(DISTINCT n) > 1, 'noise of epsilon 1') FROM (SELECT dp_count_distinct(k) AS n FROM v, generate_series(1, 50) AS g GROUP BY g) AS r;
SELECT ok(min(n) >= 0, 'truncated') FROM (SELECT dp_count_distinct(k, 0.1, 'truncated_geometric') AS n FROM v, generate_series(1, 100) AS g WHERE k = 1 GROUP BY g) AS r;
SELECT throws_ok(q, c, NULL, q) FROM (VALUES
	('SELECT dp_count_distinct(point(1, 2)) FROM v', '42883'),
	('SELECT dp_count_distinct(k, i::float8) FROM v', '0A000'),
	('SELECT dp_count_distinct(k, 0) FROM v', '22023'),
	('SELECT dp_count_distinct(k, 1, ''exponential'') FROM v', '0A000'),
	('SELECT dp_count_distinct(k) OVER () FROM v', '0A000')) AS v (q, c);
SELECT * FROM finish();
