-- Parameters other than the value must be the same for all rows. Constants,
-- query parameters (in generic and custom plans), PL/pgSQL variables and
-- arguments of SQL functions are; a column is not, and is refused before
-- anything is returned, on no row, one row and many, however the plan is made.
-- Every call here is exact: epsilon 1000000.

\ir support/parallel.sql
BEGIN;
SELECT plan(395);
SET LOCAL dp_noise.epsilon = 1000000;

CREATE TABLE t (g integer, x integer, lo numeric, hi numeric, e double precision, m text, f double precision);
INSERT INTO t SELECT i % 4, i % 10, 0, 10, 1, 'laplace', 0.5 FROM generate_series(1, 40000) AS i;
CREATE TABLE one (LIKE t);
INSERT INTO one VALUES (1, 1, 0, 10, 1, 'laplace', 0.5);
CREATE TABLE none (LIKE t);
CREATE TABLE parts (LIKE t) PARTITION BY LIST (g);
CREATE TABLE parts0 PARTITION OF parts FOR VALUES IN (0, 1);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (2, 3);
INSERT INTO parts SELECT * FROM t;
ANALYZE t, one, none, parts;

------------------------------------------------------------------------------
-- what is the same for all rows

SELECT is((SELECT dp_sum(x, 1 - 1, sqrt(100)::numeric) FROM t), 180000::bigint, 'constant expressions');
SELECT is((SELECT dp_sum(x, lo, hi) FROM (SELECT x, 0 AS lo, 10 AS hi FROM t) AS s), 180000::bigint, 'constants of a sub-select that is pulled up');
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE sum_between(numeric, numeric, double precision, text) AS SELECT dp_sum(x, $1, $2, $3, $4) FROM t;
SELECT results_eq($$EXECUTE sum_between(0, 10, 1000000, 'laplace')$$, 'VALUES (180000::bigint)', 'a generic plan');
SELECT results_eq($$EXECUTE sum_between(0, 1, 1000000, 'auto')$$, 'VALUES (36000::bigint)', 'a generic plan, with other parameters');
PREPARE sum_expression(integer) AS SELECT dp_sum(x, -$1, $1 * 2 + 8) FROM t;
SELECT results_eq($$EXECUTE sum_expression(1)$$, 'VALUES (180000::bigint)', 'expressions of parameters');
PREPARE median_between(numeric) AS SELECT g, dp_median_exp(x, -$1, $1), dp_max(x, 0, $1), dp_count(x, 1000000) FROM t WHERE x = g GROUP BY g ORDER BY g;
SELECT results_eq($$EXECUTE median_between(10)$$, 'VALUES (0, 0, 0, 2000::bigint), (1, 1, 1, 2000), (2, 2, 2, 2000), (3, 3, 3, 2000)', 'groups');
PREPARE grouped(numeric) AS SELECT $1, g, dp_sum(x, 0, $1) FROM t GROUP BY $1, g ORDER BY g;
SELECT results_eq($$EXECUTE grouped(10)$$, 'VALUES (10::numeric, 0, 40000::bigint), (10, 1, 50000), (10, 2, 40000), (10, 3, 50000)', 'a parameter that is a group key as well');
PREPARE empty(numeric) AS SELECT dp_sum(x, 5, $1), dp_max(x, 5, $1) FROM none;
SELECT results_eq($$EXECUTE empty(10)$$, 'VALUES (0::bigint, 5)', 'no rows');
SELECT throws_ok($$EXECUTE empty(NULL)$$, '22004', 'upper bound of a private aggregate must not be null', 'NULL on no rows');
SELECT throws_ok($$EXECUTE empty(4)$$, '22023', 'lower bound is greater than upper bound', 'reversed bounds on no rows');
SET LOCAL plan_cache_mode = force_custom_plan;
SELECT results_eq($$EXECUTE sum_between(0, 10, 1000000, 'laplace')$$, 'VALUES (180000::bigint)', 'a custom plan');
SELECT results_eq($$EXECUTE grouped(10)$$, 'VALUES (10::numeric, 0, 40000::bigint), (10, 1, 50000), (10, 2, 40000), (10, 3, 50000)', 'a parameter that is a group key as well, custom plan');
RESET plan_cache_mode;

CREATE FUNCTION in_plpgsql(low numeric, high numeric, epsilon double precision, mechanism text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	doubled numeric;
BEGIN
	FOR i IN 1 .. 8 LOOP	-- past the switch to a generic plan
		doubled := high * 2;
		IF dp_sum(x, low, doubled / 2, epsilon, mechanism) <> 180000 FROM t THEN
			RETURN NULL;
		END IF;
		PERFORM dp_count(*) FROM t;
	END LOOP;
	RETURN (SELECT dp_sum(t.x, in_plpgsql.low, in_plpgsql.high, in_plpgsql.epsilon) FROM t);
END
$$;
SELECT is(in_plpgsql(0, 10, 1000000, 'staircase'), 180000::bigint, 'PL/pgSQL variables');

CREATE FUNCTION in_sql(low numeric, high numeric, mechanism text) RETURNS bigint LANGUAGE sql AS
	'SELECT dp_sum(x, low, high, 1000000, mechanism) FROM t';
SELECT is(in_sql(0, 10, 'staircase'), 180000::bigint, 'arguments of an SQL function');
CREATE FUNCTION in_sql_table(low numeric, high numeric) RETURNS TABLE (g integer, s bigint) LANGUAGE sql STABLE AS
	'SELECT g, dp_sum(x, low, high) FROM t GROUP BY g';
SELECT is((SELECT sum(s) FROM in_sql_table(0, 10)), 180000::numeric, 'arguments of an SQL function that is inlined');
CREATE FUNCTION in_sql_atomic(low numeric, high numeric) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT dp_sum(x, low, high) FROM t; END;
SELECT is(in_sql_atomic(0, 10), 180000::bigint, 'arguments of an SQL function with a body of statements');
PREPARE inlined(numeric) AS SELECT sum(s) FROM in_sql_table(0, $1);
SET LOCAL plan_cache_mode = force_generic_plan;
SELECT results_eq('EXECUTE inlined(10)', 'VALUES (180000::numeric)', 'a query parameter as an argument of an SQL function that is inlined');
RESET plan_cache_mode;
CREATE FUNCTION stable_bound() RETURNS numeric LANGUAGE sql STABLE AS 'SELECT 10::numeric';
SELECT is((SELECT dp_sum(x, 0, stable_bound()) FROM t), 180000::bigint, 'a stable function');
CREATE VIEW v AS SELECT g, dp_sum(x, 0, 10) AS s FROM t GROUP BY g;
SELECT is((SELECT sum(s) FROM v), 180000::numeric, 'a view');
SELECT is((WITH c AS MATERIALIZED (SELECT x FROM t) SELECT dp_sum(x, 0, 10) FROM c), 180000::bigint, 'a CTE');
SELECT is((SELECT (SELECT dp_sum(t.x, 0, 10)) FROM t), 180000::bigint, 'an aggregate of the outer query');
SELECT results_eq('SELECT o.i, s FROM generate_series(1, 3) AS o (i), LATERAL (SELECT dp_sum(x, 0, 10) AS s FROM t WHERE t.x = o.i) AS l ORDER BY 1',
	'VALUES (1, 4000::bigint), (2, 8000), (3, 12000)', 'executed again and again for other rows');

------------------------------------------------------------------------------
-- what is not

-- Calls over the columns of a source, none of which may return a row.
CREATE TEMP TABLE calls (call text, message text);
INSERT INTO calls VALUES
	('dp_count(x, e)', 'epsilon'),
	('dp_count(x, 1, m)', 'mechanism'),
	('dp_count(x, 1 + e)', 'epsilon'),
	('dp_sum(x, lo, 10)', 'lower bound'),
	('dp_sum(x, 0, hi)', 'upper bound'),
	('dp_sum(x, 0, hi + 1)', 'upper bound'),
	('dp_sum(x, 0, 10, e)', 'epsilon'),
	('dp_sum(x, 0, 10, 1, m)', 'mechanism'),
	('dp_sum(x, 0, CASE WHEN x > 5 THEN 10 ELSE 11 END)', 'upper bound'),
	('dp_sum(x, 0, random()::numeric)', 'upper bound'),
	('dp_mean(x, lo, hi)', 'lower bound'),
	('dp_mean(x::numeric, 0, 10, e, m)', 'epsilon'),
	('dp_max(x, lo, hi)', 'lower bound'),
	('dp_max(x, 0, 10, 1, m)', 'mechanism'),
	('dp_min(x::real, f, 10)', 'lower bound'),
	('dp_min(x, 0, x)', 'upper bound'),
	('dp_median_exp(x, 0, hi)', 'upper bound'),
	('dp_median_exp(x, 0, 10, e)', 'epsilon'),
	('dp_quantile_exp(x, f, 0, 10)', 'fraction'),
	('dp_quantile_exp(x, 0.5, lo, 10)', 'lower bound'),
	('dp_sum(x, (SELECT min(lo) FROM one), 10)', 'lower bound'),
	('dp_sum(x, (SELECT s.lo), 10)', 'lower bound'),
	('dp_count(x, (SELECT 1 FROM one)) ', 'epsilon'),
	('dp_sum(x, 0, 10, e) FILTER (WHERE false)', 'epsilon'),
	('dp_sum(DISTINCT x, 0, 10, e)', 'epsilon'),
	('dp_max(x, 0, hi ORDER BY x)', 'upper bound');

-- A function, for throws_ok takes one statement and these come by the dozen.
CREATE FUNCTION refusals(source text, tail text, settings text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	c record;
	setting text;
BEGIN
	IF settings <> '' THEN
		EXECUTE settings;
	END IF;
	FOR c IN SELECT * FROM calls LOOP
		RETURN NEXT throws_ok(format('SELECT %s FROM %s AS s %s', c.call, source, tail), '0A000',
			c.message || ' of a private aggregate must be the same for all rows', format('%s FROM %s %s %s', c.call, source, tail, settings));
	END LOOP;
END
$$;

SELECT refusals('none', '');
SELECT refusals('one', '');
SELECT refusals('t', '');
SELECT refusals('t', 'WHERE false');
SELECT refusals('t', 'GROUP BY s.g');
SELECT refusals('t', 'GROUP BY GROUPING SETS ((s.g), (s.lo), ())');
SELECT refusals('(SELECT * FROM t OFFSET 0)', '');
SELECT refusals('parts', '');
SAVEPOINT settings;
SELECT refusals('t', '', 'SET LOCAL enable_hashagg = off; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0');
SELECT refusals('t', 'GROUP BY s.g', 'SET LOCAL enable_hashagg = on');
SELECT refusals('parts', 'GROUP BY s.g', 'SET LOCAL enable_partitionwise_aggregate = on');
SELECT refusals('parts', 'GROUP BY s.x', 'SET LOCAL enable_hashagg = off');
SELECT refusals('parts', '', 'SET LOCAL max_parallel_workers_per_gather = 0');
SELECT refusals('none', '', 'SET LOCAL ' || :'debug_parallel_query' || ' = on');
ROLLBACK TO settings;

SELECT throws_ok('SELECT (SELECT dp_sum(t.x, 0, o.hi) FROM t) FROM one AS o', '0A000',
	'upper bound of a private aggregate must be the same for all rows', 'a column of the outer query');
SELECT throws_ok('SELECT l.* FROM one AS o, LATERAL (SELECT dp_median_exp(t.x, 0, o.hi) FROM t) AS l', '0A000',
	'upper bound of a private aggregate must be the same for all rows', 'a lateral reference');
SELECT throws_ok('SELECT s.* FROM one AS o, in_sql_table(0, o.hi) AS s', '0A000',
	'upper bound of a private aggregate must be the same for all rows', 'a lateral reference through an inlined function');
SELECT throws_ok('SELECT dp_sum(x, 0, max(hi)) FROM t', '42803', NULL, 'an aggregate inside an aggregate');
SELECT throws_ok('SELECT dp_sum(x, 0, hi) FROM t WHERE hi = 10', '0A000',
	'upper bound of a private aggregate must be the same for all rows', 'a column that is known to be equal to a constant');
SELECT throws_ok('SELECT dp_count(*), dp_sum(x, 0, hi) FROM t', '0A000',
	'upper bound of a private aggregate must be the same for all rows', 'beside an aggregate that is well');
SELECT throws_ok($$SELECT dp_sum(x, 0, current_query()::numeric) FROM t$$, '22P02', NULL, 'a parameter that cannot be computed');
-- an error while a parameter is computed does not spoil the next query
SELECT throws_ok($$SELECT dp_sum(x, 0, 10 + (SELECT 0)) FROM t$$, '0A000', NULL, 'a sub-select');
SELECT is((SELECT dp_sum(x, 0, 10) FROM t), 180000::bigint, 'and afterwards all is well');

SELECT * FROM finish();
ROLLBACK;
