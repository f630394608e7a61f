-- The true states: a million doubles of wild magnitudes give the same state in
-- every order, with 0 to 8 workers, in partitions, and however sums are split;
-- and hash and sorted aggregation, partitionwise plans and parallel plans give
-- the same exact results (epsilon 1000000).
--
-- Takes long: 47 seconds on a busy machine.

BEGIN;
SELECT plan(72);

-- 10^6 doubles from 1e-300 to 1e300 of both signs, with specials among them.
-- Wide rows, so that there are blocks enough for the workers.
CREATE TABLE wild (id integer, x double precision, n numeric, k bigint, p integer) WITH (parallel_workers = 8);
SELECT setseed(0.5);
INSERT INTO wild
SELECT i, x, CASE WHEN abs(x) < 'Infinity' THEN round(x::numeric % 1000, 6) ELSE x::numeric END, (random() * 1e18)::bigint, i % 7
FROM (SELECT i, CASE i % 1000 WHEN 0 THEN 'Infinity' WHEN 1 THEN '-Infinity' WHEN 2 THEN '5e-324' WHEN 3 THEN NULL WHEN 4 THEN 2 ^ 53
		ELSE (random() - 0.5) * 10 ^ (random() * 600 - 300) END AS x
	FROM generate_series(1, 1000000) AS i) AS s;
INSERT INTO wild SELECT -i, x, x::numeric, i, i FROM (VALUES (1, 'NaN'::double precision), (2, 'Infinity'), (3, '-Infinity')) AS v (i, x);
CREATE TABLE shuffled (LIKE wild) WITH (parallel_workers = 8);
INSERT INTO shuffled SELECT * FROM wild ORDER BY random();
CREATE TABLE descending (LIKE wild);
INSERT INTO descending SELECT * FROM wild ORDER BY x DESC NULLS FIRST;
CREATE TABLE ascending (LIKE wild);
INSERT INTO ascending SELECT * FROM wild ORDER BY x;
CREATE TABLE parted (LIKE wild) PARTITION BY HASH (p);
CREATE TABLE parted0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted SELECT * FROM wild;
ANALYZE wild, shuffled, descending, ascending, parted;

CREATE FUNCTION states(source text) RETURNS TABLE (name text, state text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		SELECT s.* FROM (SELECT dp_noise.sum_state(x, -1e300, 1e300)::text AS s1, dp_noise.sum_state(x, -1, 1000)::text AS s2,
			dp_noise.sum_state(n, -10, 10)::text AS s3, dp_noise.sum_state(k, -9223372036854775808, 9223372036854775807)::text AS s4,
			dp_noise.mean_state(x, -1e300, 1e300)::text AS s5, dp_noise.mean_state(n, -1000, 1000)::text AS s6,
			md5(dp_noise.max_state(x, -1e300, 1e300)) AS s7, md5(dp_noise.min_state(n, -1000, 1000)) AS s8,
			md5(dp_noise.median_state(x, -1e300, 1e300)) AS s9, md5(dp_noise.quantile_state(k, 0.1, 0, 1e18)) AS s10
			FROM %s AS t) AS a,
		LATERAL (VALUES ('sum of doubles', s1), ('sum of doubles, clamped', s2), ('sum of numeric', s3), ('sum of bigint', s4), ('mean of doubles', s5),
			('mean of numeric', s6), ('max', s7), ('min', s8), ('median', s9), ('quantile', s10)) AS s
		$q$, source);
END
$$;

-- Whether the plan of a query over a table launches workers.
CREATE FUNCTION workers(source text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, COSTS off, TIMING off, FORMAT json) SELECT dp_noise.sum_state(x, -1e300, 1e300), dp_noise.median_state(x, -1e300, 1e300) FROM %s', source) INTO plan;
	RETURN coalesce((SELECT sum(w::text::bigint) FROM jsonb_path_query(plan, '$.**."Workers Launched"') AS w), 0);
END
$$;

SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE wanted AS SELECT * FROM states('wild');
SELECT isnt(state, NULL, name || ': ' || state) FROM wanted;
SELECT set_eq(format('SELECT * FROM states(%L)', source), 'SELECT * FROM wanted', 'the same states of rows ' || name)
FROM (VALUES ('shuffled', 'in random order'), ('ascending', 'in ascending order'), ('descending', 'in descending order'), ('parted', 'in partitions'),
	('(SELECT * FROM wild WHERE p < 3 UNION ALL SELECT * FROM wild WHERE p >= 3)', 'in two parts')) AS s (source, name);

SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE FUNCTION with_workers(n integer, source text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', n::text, true);
	RETURN set_eq(format('SELECT * FROM states(%L)', source), 'SELECT * FROM wanted', format('the same states of %s with up to %s workers', source, n));
END
$$;
SELECT with_workers(n, 'shuffled') FROM unnest(ARRAY[1, 2, 3, 5, 8]) AS n;
SELECT cmp_ok(workers('shuffled'), '>', 0::bigint, 'there were workers');
SELECT with_workers(8, 'parted');
SET LOCAL parallel_leader_participation = off;
SELECT with_workers(4, 'wild');
SET LOCAL enable_partitionwise_aggregate = on;
SELECT with_workers(3, 'parted');
RESET parallel_leader_participation;

------------------------------------------------------------------------------
-- the same results by every plan

CREATE FUNCTION results(source text) RETURNS TABLE (p integer, c bigint, s numeric, lo bigint, hi bigint, m bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT p, dp_count(x), dp_sum(id, -1000000, 1000000)::numeric, dp_min(id::bigint, -1000000, 1000000), dp_max(id::bigint, -1000000, 1000000),
		dp_median_exp(id::bigint, -1000000, 1000000) FROM %s AS t WHERE id %% 2 = 1 AND id > 0 GROUP BY p', source);
END
$$;
SET LOCAL dp_noise.epsilon = 1000000;
CREATE TABLE few (LIKE wild) WITH (parallel_workers = 4);
INSERT INTO few SELECT * FROM wild WHERE id BETWEEN 1 AND 60000;
CREATE TABLE few_parted (LIKE wild) PARTITION BY LIST (p);
CREATE TABLE few_parted0 PARTITION OF few_parted FOR VALUES IN (0, 1);
CREATE TABLE few_parted1 PARTITION OF few_parted FOR VALUES IN (2, 3);
CREATE TABLE few_parted2 PARTITION OF few_parted DEFAULT;
INSERT INTO few_parted SELECT * FROM few;
ANALYZE few, few_parted;
CREATE TEMP TABLE exact AS
SELECT p, count(x), sum(id)::numeric, min(id)::bigint, max(id)::bigint, percentile_disc(0.5) WITHIN GROUP (ORDER BY id)::bigint
FROM few WHERE id % 2 = 1 AND id > 0 GROUP BY p;

CREATE FUNCTION by_plan(hash text, partitionwise text, workers text, memory text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	name text := format('hash %s, partitionwise %s, %s workers, work_mem %s, %s', hash, partitionwise, workers, memory, source);
BEGIN
	PERFORM set_config('enable_hashagg', hash, true), set_config('enable_partitionwise_aggregate', partitionwise, true),
		set_config('max_parallel_workers_per_gather', workers, true), set_config('work_mem', memory, true);
	RETURN ok(NOT EXISTS (
		-- of an even number there are two medians
		SELECT FROM results(source) AS r FULL JOIN exact AS e USING (p)
		WHERE (r.c, r.s, r.lo, r.hi) IS DISTINCT FROM (e.count, e.sum, e.min, e.max) OR r.m NOT BETWEEN e.percentile_disc AND e.percentile_disc + 14), name);
END
$$;
SELECT by_plan(hash, partitionwise, workers, memory, source)
FROM unnest(ARRAY['on', 'off']) AS hash, unnest(ARRAY['on', 'off']) AS partitionwise, unnest(ARRAY['0', '2', '4']) AS workers,
	unnest(ARRAY['64kB', '64MB']) AS memory, unnest(ARRAY['few', 'few_parted']) AS source;

SELECT * FROM finish();
ROLLBACK;
