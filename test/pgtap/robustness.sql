-- Nothing brings the backend down: many rows, many groups, little memory, time
-- that runs out in the middle, errors in the middle; and thousands of
-- executions in a session leave no memory behind.
--
-- Takes long: 16 seconds on a busy machine.

BEGIN;
SELECT plan(28);

-- OTHERS does not catch this.
CREATE FUNCTION interrupted(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END
$$;

------------------------------------------------------------------------------
-- many rows

SELECT is((SELECT dp_median_exp(7, 0, 10, 1) FROM generate_series(1, 10000000)), 7, 'median of 10^7 duplicates');
SELECT ok(dp_median_exp(x % 2, 0, 1000000000) BETWEEN 0 AND 1 AND dp_quantile_exp(x % 2, 0.999, 0, 1000000000) = 1
	AND dp_max(x % 2, 0, 1000000000, 1, 'exponential(rank=200)') = 1 AND dp_min(x % 2, -1000000000, 1000000000, 1, 'exponential(rank=200)') = 0, '2 * 10^6 values of two kinds')
FROM generate_series(1, 2000000) AS x;
SELECT ok(dp_median_exp(x, 0, 2000000000, 9.5367431640625e-7) BETWEEN 0 AND 2000000000 AND dp_max(x, 0, 2000000000, 9.5367431640625e-7) BETWEEN 0 AND 2000000000
	AND dp_min(x, 0, 2000000000, 9.5367431640625e-7, 'exponential') BETWEEN 0 AND 2000000000, 'all of 10^6 values matter at the least epsilon')
FROM generate_series(1, 1000000) AS x;
SELECT ok(dp_median_exp(x, 1, 3000000, 1000000) BETWEEN 1500000 AND 1500001, 'the greatest epsilon') FROM generate_series(1, 3000000) AS x;

------------------------------------------------------------------------------
-- many groups

SELECT is((SELECT row(count(*), sum(c), sum(s)) FROM (SELECT x / 2, dp_count(*) AS c, dp_sum(x % 2, 0, 1) AS s FROM generate_series(2, 2000001) AS x GROUP BY 1 OFFSET 0) AS g) IS NOT NULL,
	true, 'counts and sums of 10^6 groups');
SET LOCAL dp_noise.epsilon = 1000000;
SELECT is(row(count(*), sum(c), sum(s)), row(1000000::bigint, 2000000::numeric, 1000000::numeric), 'counts and sums of 10^6 groups, exactly')
FROM (SELECT x / 2, dp_count(*) AS c, dp_sum(x % 2, 0, 1) AS s FROM generate_series(2, 2000001) AS x GROUP BY 1) AS g;
SET LOCAL work_mem = '64kB';
SELECT is(row(count(*), sum(c), sum(s)), row(200000::bigint, 400000::numeric, 200000::numeric), 'counts and sums of 2 * 10^5 groups in 64 kB')
FROM (SELECT x / 2, dp_count(*) AS c, dp_sum(x % 2, 0, 1) AS s FROM generate_series(2, 400001) AS x GROUP BY 1) AS g;
SELECT is(row(count(*), sum(m), min(hi), max(lo)), row(20000::bigint, 20000::bigint, 2, 0), 'medians and maxima of 20000 groups in 64 kB, ' || hash)
FROM unnest(ARRAY['hashed', 'sorted']) AS hash, LATERAL (SELECT set_config('enable_hashagg', CASE hash WHEN 'hashed' THEN 'on' ELSE 'off' END, true) OFFSET 0) AS o,
	LATERAL (SELECT x / 3, dp_median_exp(x % 3, 0, 4) AS m, dp_max(x % 3, 0, 4) AS hi, dp_min(x % 3, 0, 4) AS lo FROM generate_series(3, 60002) AS x WHERE o IS NOT NULL GROUP BY 1) AS g
GROUP BY hash;
SELECT is((SELECT dp_median_exp(x, 0, 1000000) FROM generate_series(1, 300001) AS x), 150001, 'a state greater than work_mem');
RESET enable_hashagg;
RESET work_mem;
RESET dp_noise.epsilon;

------------------------------------------------------------------------------
-- time that runs out

CREATE TABLE rows AS SELECT x, x % 1000 AS g FROM generate_series(1, 300000) AS x;
ANALYZE rows;
-- The time is that of the whole statement, which is one for each.
SET LOCAL statement_timeout = 50;
SELECT ok(interrupted('SELECT dp_count(*) FROM rows AS a, rows AS b'), 'dp_count(*) is interrupted after 50 ms');
SET LOCAL statement_timeout = 50;
SELECT ok(interrupted('SELECT dp_sum(a.x, 0, 10) FROM rows AS a, rows AS b'), 'dp_sum(a.x, 0, 10) is interrupted after 50 ms');
SET LOCAL statement_timeout = 50;
SELECT ok(interrupted('SELECT dp_mean(a.x::numeric, 0, 10) FROM rows AS a, rows AS b'), 'dp_mean(a.x::numeric, 0, 10) is interrupted after 50 ms');
SET LOCAL statement_timeout = 50;
SELECT ok(interrupted('SELECT dp_max(a.x, 0, 300000) FROM rows AS a, rows AS b'), 'dp_max(a.x, 0, 300000) is interrupted after 50 ms');
SET LOCAL statement_timeout = 50;
SELECT ok(interrupted('SELECT dp_median_exp(b.x, 0, 300000) FROM rows AS a, rows AS b'), 'dp_median_exp(b.x, 0, 300000) is interrupted after 50 ms');
SET LOCAL statement_timeout = 20;
SELECT ok(interrupted('SELECT a.g, dp_median_exp(b.x, 0, 300000, 0.0001) FROM rows AS a JOIN rows AS b USING (g) GROUP BY a.g'), 'groups are interrupted');
SET LOCAL statement_timeout = 0;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL statement_timeout = 60;
SELECT ok(interrupted('SELECT dp_median_exp(a.x, 0, 300000), dp_sum(b.x, 0, 10) FROM rows AS a, rows AS b'), 'a parallel plan is interrupted');
SET LOCAL statement_timeout = 0;
SELECT is((SELECT dp_sum(x, 0, 1, 1000000) FROM rows), 300000::bigint, 'and then all is well');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;

-- errors of the value's expression, in the middle
SELECT throws_ok('SELECT dp_median_exp(1 / (x - 200000), 0, 10) FROM rows', '22012', 'division by zero', 'an error in the middle, medians');
SELECT throws_ok('SELECT g, dp_sum(1 / (x - 200000), 0, 10) FROM rows GROUP BY g', '22012', 'division by zero', 'an error in the middle, groups');
SELECT throws_ok('DECLARE c CURSOR FOR SELECT 1; FETCH c; SELECT dp_sum(x, 1, 0) FROM rows', '22023', NULL, 'an error beside a cursor');
-- a cursor that is left half read
DECLARE half CURSOR FOR SELECT g, dp_median_exp(x, 0, 300000) FROM rows GROUP BY g;
FETCH 10 FROM half;
CLOSE half;
SELECT pass('a cursor is closed half read');

------------------------------------------------------------------------------
-- memory: what a session holds after 200 executions and after 3000 more. Each
-- of them making but a hundred bytes that stay would show: 300 kB.

CREATE TABLE small AS SELECT x, x::double precision AS f, x::numeric AS n, x % 5 AS g FROM generate_series(1, 50) AS x;
CREATE FUNCTION memory() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(total_bytes - free_bytes)::bigint FROM pg_backend_memory_contexts
$$;
CREATE FUNCTION execute_often(query text, times integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query;
	END LOOP;
END
$$;
CREATE FUNCTION growth(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint;
BEGIN
	PERFORM execute_often(query, 200);
	before := memory();
	PERFORM execute_often(query, 3000);
	RETURN memory() - before;
END
$$;
SELECT cmp_ok(growth(query), '<', 100000::bigint, 'memory stays: ' || query)
FROM (VALUES
	('SELECT dp_count(*), dp_sum(x, 0, 10), dp_mean(n, 0, 10), dp_sum(f, 0, 10, 1, ''laplace''), dp_sum(x, 0, 10, 1, ''gaussian(delta=0.001)'') FROM small'),
	('SELECT dp_median_exp(x, 0, 100), dp_max(f, 0, 100), dp_min(n, 0, 100), dp_max(x, 0, 100, 1, ''exponential'') FROM small'),
	('SELECT g, dp_count(*), dp_sum(n, 0, 10), dp_median_exp(f, 0, 100) FROM small GROUP BY g'),
	('SELECT dp_expected_error(''staircase'', 1)'),
	('SELECT * FROM dp_noise.sample(''laplace'', 1, 1, 10)')
) AS q (query);
-- rescans, within one execution
CREATE FUNCTION used_while(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
END
$$;
SELECT cmp_ok(used_while('SELECT max(m) - min(m) FROM (SELECT CASE WHEN o IN (100, 3000) THEN memory() END AS m
	FROM generate_series(1, 3000) AS o, LATERAL (SELECT dp_sum(n, 0, 10), dp_median_exp(x, 0, 100) FROM small WHERE x <> o) AS l) AS s'), '<', 100000::bigint,
	'memory stays: rescans');

SELECT * FROM finish();
ROLLBACK;
