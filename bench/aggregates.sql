/*
 * aggregates.sql
 *		Times the dp_ aggregates against the built-in ones.
 *
 * Needs the psql variables rows, repeats and only, a regular expression that
 * the labels of the private aggregates to measure match. bench/README.md says
 * how the figures come about.
 */
\set QUIET on
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;

CREATE EXTENSION dp_noise;
CREATE EXTENSION pg_prewarm;
CREATE SCHEMA bench;

------------------------------------------------------------------------------
-- The table

SELECT setseed(0.25) \g /dev/null

CREATE UNLOGGED TABLE bench.people AS
SELECT
	floor(random() * 10)::integer AS groups_10,
	floor(random() * 1000)::integer AS groups_1000,
	floor(random() * 100000)::integer AS groups_100000,
	least(greatest(round(40 + 18 * z), 0), 110)::smallint AS age,
	round(exp(10.3 + 0.7 * z))::integer AS income,
	round(exp(15 + 3 * z))::bigint AS bytes,
	(36.6 + 0.7 * z)::real AS temperature,
	26 + 5 * z AS bmi,
	round(exp(3.5 + z)::numeric, 2) AS price,
	CASE WHEN random() < 0.9 THEN floor(random() * 1000)::integer END AS score
FROM (
	SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS z
	FROM generate_series(1, :rows)
	OFFSET 0
) AS normal;
VACUUM (FREEZE, ANALYZE) bench.people;
SELECT pg_prewarm('bench.people') \g /dev/null

------------------------------------------------------------------------------
-- What is compared

CREATE TABLE bench.pairs (
	id integer GENERATED ALWAYS AS IDENTITY,
	private text,			-- label, with the type of the value
	builtin text,
	private_call text,
	builtin_call text,
	target numeric,			-- greatest ratio aimed at, if any
	few boolean				-- measured for every number of groups
);

INSERT INTO bench.pairs (private, builtin, private_call, builtin_call, target, few) VALUES
	('dp_count(*)', 'count(*)', 'dp_count(*)', 'count(*)', 1.05, true),
	('dp_count(integer)', 'count(integer)', 'dp_count(score, 1.0)', 'count(score)', 1.05, false);

INSERT INTO bench.pairs (private, builtin, private_call, builtin_call, target, few)
SELECT
	format('%s(%s)', private, type),
	format('%s(%s)', builtin, type),
	format('%s(%s, %s, 1.0)', private, value, bounds),
	format('%s(%s)', builtin, value),
	target,
	type = 'integer' OR type = 'numeric' AND target IS NOT NULL
FROM
	(VALUES
		(1, 'dp_sum', 'sum', 1.10),
		(2, 'dp_mean', 'avg', 1.10),
		(3, 'dp_max', 'max', NULL),
		(4, 'dp_min', 'min', NULL)
	) AS a (a_place, private, builtin, target),
	(VALUES
		(1, 'smallint', 'age', '0, 110'),
		(2, 'integer', 'income', '0, 200000'),
		(3, 'bigint', 'bytes', '0, 10000000000'),
		(4, 'real', 'temperature', '34, 42'),
		(5, 'double precision', 'bmi', '10, 60'),
		(6, 'numeric', 'price', '0, 1000')
	) AS v (v_place, type, value, bounds)
WHERE target IS NOT NULL OR type IN ('integer', 'double precision', 'numeric')
ORDER BY a_place, v_place;

INSERT INTO bench.pairs (private, builtin, private_call, builtin_call, target, few)
SELECT
	format('%s(%s)', private, type),
	format('percentile_cont(%s)', fraction),
	format('%s(%s, %s%s, 1.0)', private, value, extra, bounds),
	format('percentile_cont(%s) WITHIN GROUP (ORDER BY %s)', fraction, value),
	0.5,
	type = 'double precision' AND fraction = 0.5
FROM
	(VALUES
		(1, 'dp_median_exp', 0.5, ''),
		(2, 'dp_quantile_exp', 0.25, '0.25, ')
	) AS a (a_place, private, fraction, extra),
	(VALUES
		(1, 'integer', 'income', '0, 200000'),
		(2, 'double precision', 'bmi', '10, 60')
	) AS v (v_place, type, value, bounds)
ORDER BY a_place, v_place;

DELETE FROM bench.pairs WHERE private !~ :'only';

------------------------------------------------------------------------------
-- How it is measured

CREATE TABLE bench.results (
	setting text,
	pair integer,
	private_ms double precision[],
	builtin_ms double precision[],
	private_plan text,
	builtin_plan text,
	ratio double precision
);

CREATE FUNCTION bench.median(double precision[])
RETURNS double precision
LANGUAGE sql AS $$
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest($1) AS x
$$;

-- The nodes of a plan from the top, and what JIT compilation does with it.
CREATE FUNCTION bench.plan(query text)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	explained json;
	node json;
	shape text := '';
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO explained;
	node := explained -> 0 -> 'Plan';
	WHILE node IS NOT NULL LOOP
		shape := shape || CASE WHEN shape = '' THEN '' ELSE ' < ' END ||
			concat_ws(' ',
				nullif(node ->> 'Partial Mode', 'Simple'),
				node ->> 'Strategy',
				CASE WHEN node ->> 'Node Type' LIKE '%Scan' AND
					(node ->> 'Parallel Aware')::boolean THEN 'Parallel' END,
				node ->> 'Node Type',
				node ->> 'Workers Planned');
		node := node -> 'Plans' -> 0;
	END LOOP;
	RETURN shape || CASE
		WHEN explained -> 0 -> 'JIT' IS NULL THEN ''
		WHEN (explained #>> '{0,JIT,Options,Inlining}')::boolean
			THEN '; JIT with inlining and optimization'
		WHEN (explained #>> '{0,JIT,Options,Optimization}')::boolean
			THEN '; JIT with optimization'
		ELSE '; JIT' END;
END
$$;

-- Milliseconds from sending a query to the planner to its last row.
CREATE FUNCTION bench.time(query text)
RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
BEGIN
	EXECUTE query;
	RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
END
$$;

-- Measures a pair, and returns it as a line of the table.
CREATE FUNCTION bench.measure(setting text, key text, pair_id integer, repeats integer)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	pair bench.pairs;
	query text := CASE WHEN key = '' THEN 'SELECT %s FROM bench.people'
		ELSE 'SELECT ' || key || ', %s FROM bench.people GROUP BY ' || key END;
	private text;
	builtin text;
	result bench.results;
	ratios double precision[];
BEGIN
	SELECT * INTO STRICT pair FROM bench.pairs WHERE id = pair_id;
	private := format(query, pair.private_call);
	builtin := format(query, pair.builtin_call);
	result.setting := setting;
	result.pair := pair_id;
	result.private_plan := bench.plan(private);
	result.builtin_plan := bench.plan(builtin);

	PERFORM bench.time(private), bench.time(builtin);
	FOR i IN 1 .. repeats LOOP
		result.private_ms[i] := bench.time(private);
		result.builtin_ms[i] := bench.time(builtin);
		ratios[i] := result.private_ms[i] / result.builtin_ms[i];
	END LOOP;
	result.ratio := bench.median(ratios);
	INSERT INTO bench.results SELECT result.*;

	RETURN format('%s %s %s %s %s %s  %s %s %s',
		rpad(pair.private, 34),
		rpad(pair.builtin, 22),
		lpad(round(bench.median(result.private_ms)::numeric, 1)::text, 9),
		lpad(round(bench.median(result.builtin_ms)::numeric, 1)::text, 9),
		lpad(round(result.ratio::numeric, 3)::text, 7),
		lpad(format('%s-%s',
			round((SELECT min(r) FROM unnest(ratios) AS r)::numeric, 2),
			round((SELECT max(r) FROM unnest(ratios) AS r)::numeric, 2)), 11),
		lpad(coalesce(pair.target::text, '-'), 5),
		rpad(CASE WHEN pair.target IS NULL THEN ''
			WHEN result.ratio <= pair.target THEN 'met'
			ELSE 'MISSED' END, 6),
		CASE WHEN result.private_plan = result.builtin_plan THEN 'same'
			ELSE 'differ' END);
END
$$;

CREATE FUNCTION bench.header()
RETURNS text
LANGUAGE sql AS $$
	SELECT format('%s %s %s %s %s %s  %s %s %s',
		rpad('private', 34), rpad('built-in', 22), lpad('ms', 9),
		lpad('ms', 9), lpad('ratio', 7), lpad('range', 11),
		lpad('aim', 5), rpad('', 6), 'plans')
$$;

-- The plans of a setting, each with the number of pairs that have it.
CREATE FUNCTION bench.plans(of_setting text)
RETURNS SETOF text
LANGUAGE sql AS $$
	SELECT CASE WHEN private_plan = builtin_plan
		THEN format('same plan, %s of the pairs: %s', count(*), private_plan)
		ELSE format(E'different plans, %s of the pairs (%s):\n  private:  %s\n  built-in: %s',
			count(*), string_agg(private, ', ' ORDER BY id), private_plan,
			builtin_plan) END
	FROM bench.results JOIN bench.pairs ON id = pair
	WHERE setting = of_setting
	GROUP BY private_plan, builtin_plan
	ORDER BY private_plan <> builtin_plan, min(id)
$$;

------------------------------------------------------------------------------
-- The runs

SELECT format(E'%s rows, %s; %s pairs each after a warm-up, medians',
	:rows, pg_size_pretty(pg_table_size('bench.people')), :repeats);
SELECT format('shared_buffers %s, work_mem %s, jit %s (above a cost of %s), fsync %s',
	current_setting('shared_buffers'), current_setting('work_mem'),
	current_setting('jit'), current_setting('jit_above_cost'),
	current_setting('fsync'));
\echo percentile_cont cannot run in parallel; the private side may, where it says so.

\set key ''
\set few false
\set workers 0
\set setting 'one process, one group'
\ir aggregates_setting.sql
\set workers 2
\set setting '2 workers, one group'
\ir aggregates_setting.sql

\set key groups_1000
\set workers 0
\set setting 'one process, 1000 groups'
\ir aggregates_setting.sql
\set workers 2
\set setting '2 workers, 1000 groups'
\ir aggregates_setting.sql

\set few true
\set key groups_10
\set workers 0
\set setting 'one process, 10 groups'
\ir aggregates_setting.sql
\set key groups_100000
\set setting 'one process, 100000 groups'
\ir aggregates_setting.sql
\set workers 2
\set setting '2 workers, 100000 groups'
\ir aggregates_setting.sql

\echo
SELECT format('%s of %s targets met', count(*) FILTER (WHERE ratio <= target), count(target))
FROM bench.results JOIN bench.pairs ON id = pair;
SELECT format('missed: %s, %s: %s instead of %s', private, setting,
	round(ratio::numeric, 3), target)
FROM bench.results JOIN bench.pairs ON id = pair
WHERE ratio > target
ORDER BY setting, id;
