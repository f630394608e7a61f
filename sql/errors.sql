--
-- Errors of the aggregates, word for word: sqlstate, message, detail, hint, and
-- for some their place in the query. None depends on noise or on data.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_noise;
CREATE TEMP TABLE t AS
SELECT i::smallint AS i2, i AS i4, i::bigint AS i8, i::real AS f4, i::double precision AS f8, i::numeric AS n FROM generate_series(1, 10) AS i;

CREATE FUNCTION pg_temp.error_of(statement text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || message, NULLIF(detail, ''), NULLIF(hint, ''));
END
$$;

-- with its place
SELECT dp_sum(i4) FROM t;
SELECT dp_sum(i4, 0, i4) FROM t;
SELECT dp_quantile_exp(i4, f8, 0, 10) FROM t;
SELECT dp_count(i4, f8) FROM t;
SELECT dp_sum(i4, 0, NULL) FROM t;
SELECT dp_count(*) OVER () FROM t;
SELECT dp_sum(i4, 0, 10, -1) FROM t;

-- bounds
SELECT call, pg_temp.error_of(format('SELECT %s FROM t', call)) AS error
FROM (VALUES
	('dp_sum(i4)'),
	('dp_mean(n)'),
	('dp_max(f8)'),
	('dp_min(f4)'),
	('dp_median_exp(i8)'),
	('dp_quantile_exp(i8, 0.5)'),
	('dp_sum(i4, 10, 0)'),
	('dp_mean(f8, 1, 0.999)'),
	('dp_max(n, 1e-400, -1e400)'),
	('dp_median_exp(n, 2, 1)'),
	('dp_sum(i4, NULL, 10)'),
	('dp_max(i4, 0, NULL)'),
	('dp_sum(i4, ''NaN'', 10)'),
	('dp_sum(i4, 0, ''NaN'')'),
	('dp_sum(n, ''-Infinity'', 10)'),
	('dp_sum(n, 0, ''Infinity'')'),
	('dp_mean(f8, ''-Infinity'', ''Infinity'')'),
	('dp_median_exp(f8, 0, ''NaN'')'),
	('dp_max(n, 0, ''1e309'')'),
	('dp_min(n, ''-1e1000'', 0)'),
	('dp_max(i2, 40000, 50000)'),
	('dp_min(i4, -5000000000, -4000000000)'),
	('dp_median_exp(i8, 1e19, 1e20)'),
	('dp_sum(i8, 1e19, 1e20)'),
	('dp_max(i4, 0.2, 0.8)')
) AS c (call);

-- epsilon
SELECT call, pg_temp.error_of(format('SELECT %s FROM t', call)) AS error
FROM (VALUES
	('dp_count(i4, 0)'),
	('dp_count(i4, -1)'),
	('dp_count(i4, ''NaN'')'),
	('dp_count(i4, ''Infinity'')'),
	('dp_count(i4, ''-Infinity'')'),
	('dp_count(i4, 1e-12)'),
	('dp_count(i4, 9.5e-7)'),
	('dp_count(i4, 1000000.1)'),
	('dp_count(i4, 1e308)'),
	('dp_count(i4, NULL)'),
	('dp_sum(i4, 0, 10, 0)'),
	('dp_mean(i4, 0, 10, -0.5)'),
	('dp_mean(i4, 0, 10, 1e-6, ''staircase'')'),
	('dp_max(i4, 0, 10, ''NaN'')'),
	('dp_min(f8, 0, 10, NULL)'),
	('dp_median_exp(f8, 0, 10, 1e-12)'),
	('dp_quantile_exp(n, 0.5, 0, 10, 1e7)')
) AS c (call);

-- mechanisms: for each aggregate those it does not offer, and wrong texts
SELECT call, pg_temp.error_of(format('SELECT %s FROM t', call)) AS error
FROM (VALUES
	('dp_count(i4, 1, ''exponential'')'),
	('dp_count(i4, 1, ''above_threshold'')'),
	('dp_count(i4, 1, NULL)'),
	('dp_sum(i4, 0, 10, 1, ''exponential'')'),
	('dp_mean(i4, 0, 10, 1, ''above_threshold'')'),
	('dp_sum(i4, 0, 0, 1, ''exponential'')'),
	('dp_sum(i4, 0, 10, 1, ''gaussian'')'),
	('dp_sum(i4, 0, 10, 1, ''gaussian(delta=0)'')'),
	('dp_sum(i4, 0, 10, 1, ''gaussian(delta=1)'')'),
	('dp_sum(i4, 0, 10, 1, ''gaussian(delta=nan)'')'),
	('dp_sum(i4, 0, 10, 1, ''gaussian(epsilon=1)'')'),
	('dp_sum(i4, 0, 10, 1, ''discrete_staircase(r=11)'')'),
	('dp_sum(i4, 0, 10, 1, ''discrete_staircase(r=0)'')'),
	('dp_sum(i4, 0, 10, 1, ''discrete_staircase(r=1.5)'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(gamma=0)'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(gamma=1.1)'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(gamma=)'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(gamma=0.5'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(gamma=0.5))'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase()'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(cost=l3)'')'),
	('dp_sum(i4, 0, 10, 1, ''staircase(gamma=0.5,gamma=0.5)'')'),
	('dp_sum(i4, 0, 10, 1, ''laplace(scale=1)'')'),
	('dp_max(i4, 0, 10, 1, ''exponential(rank=-1)'')'),
	('dp_max(i4, 0, 10, 1, ''gaussian'')'),
	('dp_sum(i4, 0, 10, 1, ''truncated_gaussian(delta=0.1)'')'),
	('dp_sum(i4, 0, 10, 1, ''truncated_'')'),
	('dp_sum(i4, 0, 10, 1, '''')'),
	('dp_sum(i4, 0, 10, 1, ''Laplace'')'),
	('dp_sum(i4, 0, 10, 1, ''laplace; drop'')'),
	('dp_sum(i4, 0, 10, 1, E''la\nplace'')'),
	('dp_sum(i4, 0, 10, 1, ''%s%n'')'),
	('dp_count(i4, 1, ''geometric(quantum=0.5)'')'),
	('dp_sum(i4, 0, 10, 1, ''geometric(quantum=2.5)'')'),
	('dp_sum(i4, 0, 10, 1, ''geometric(quantum=1e20)'')'),
	('dp_mean(i4, 0, 10, 1, ''geometric(quantum=2)'')'),
	('dp_max(i4, 0, 10, 1, ''two_stage(levels=1)'')'),
	('dp_sum(i4, 0, 10, 1, ''two_stage'')'),
	('dp_count(i4, 1, ''smooth_cauchy'')'),
	('dp_max(i4, 0, 10, 1, ''permute_and_flip'')')
) AS c (call);
SELECT length(pg_temp.error_of(format('SELECT dp_count(i4, 1, %L) FROM t', repeat('x', 100000)))) > 100000 AS long_names_are_no_trouble;

-- fraction
SELECT call, pg_temp.error_of(format('SELECT %s FROM t', call)) AS error
FROM (VALUES
	('dp_quantile_exp(i4, -0.1, 0, 10)'),
	('dp_quantile_exp(i4, 1.1, 0, 10)'),
	('dp_quantile_exp(i4, ''NaN'', 0, 10)'),
	('dp_quantile_exp(i4, NULL, 0, 10)')
) AS c (call);

-- windows, and other places where an aggregate cannot stand
SELECT call, pg_temp.error_of(format('SELECT %s FROM t', call)) AS error
FROM (VALUES
	('dp_count(*) OVER ()'),
	('dp_count(i4, 1, ''laplace'') OVER (PARTITION BY i4)'),
	('dp_sum(i4, 0, 10) OVER (ORDER BY i4)'),
	('dp_mean(i4, 0, 10) OVER (ORDER BY i4 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)'),
	('dp_max(n, 0, 10) OVER ()'),
	('dp_min(f8, 0, 10) OVER ()'),
	('dp_median_exp(f4, 0, 10) OVER ()'),
	('dp_quantile_exp(i2, 0.5, 0, 10) OVER ()'),
	('dp_noise.sum_state(i4, 0, 10) OVER ()'),
	('dp_noise.max_state(i4, 0, 10) OVER ()'),
	('dp_median_exp(0, 10) WITHIN GROUP (ORDER BY i4)'),
	('dp_sum(''x''::text, 0, 10)'),
	('dp_sum(true, 0, 10)'),
	('dp_sum(now(), 0, 10)'),
	('dp_median_exp(i4, 0, 10, 1, ''laplace'')'),
	('dp_count()')
) AS c (call);
-- not even over no rows
SELECT dp_sum(i4, 0, 10) OVER () FROM t WHERE false;

-- settings that change while a query runs
CREATE FUNCTION pg_temp.change(value text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', value, true);
	RETURN true;
END
$$;
BEGIN;
SELECT dp_max(i4, 0, 100) FROM t WHERE i4 = 1 OR pg_temp.change('0.1');
ROLLBACK;
SELECT pg_temp.error_of('SELECT dp_max(i4, 0, 100) FROM t WHERE i4 = 1 OR pg_temp.change(''0.1'')');

-- Errors come on no rows as on many.
SELECT call, pg_temp.error_of(format('SELECT %s FROM t WHERE false', call)) = pg_temp.error_of(format('SELECT %s FROM t', call)) AS same
FROM (VALUES ('dp_count(i4, 0)'), ('dp_sum(i4)'), ('dp_sum(i4, 2, 1)'), ('dp_max(i4, 0, NULL)'), ('dp_median_exp(f8, 0, ''NaN'')'),
	('dp_mean(i4, 0, 10, 1, ''exponential'')'), ('dp_quantile_exp(i4, 2, 0, 10)'), ('dp_sum(i4, 0, i4)')) AS c (call);
