--
-- The parts of the aggregates, used otherwise than by the aggregates: called
-- directly, and in aggregates that users make of them. They trust their
-- arguments, so whatever could bring wrong ones together must be an error.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_noise;
CREATE TEMP TABLE t AS SELECT i::integer AS i, i::bigint AS b, i::numeric AS n, i::double precision AS f, i::real AS r FROM generate_series(1, 100) AS i;

-- A statement's error: sqlstate, message, detail, hint.
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

--
-- direct calls
--
SELECT call, pg_temp.error_of('SELECT dp_noise.' || call) AS error
FROM (VALUES
	('sum_transition(''(0,0)'', 1)'),
	('sum_transition(''(0,0)'', 1, 0, 10)'),
	('mean_transition(''(0,0)'', 1::numeric, 0, 10, 1, ''auto'')'),
	('count_final(1)'),
	('sum_final_integer(''(1,1)'')'),
	('sum_final_numeric(NULL)'),
	('mean_final_double_precision(''(1,1)'')'),
	('max_final_integer(NULL)'),
	('median_final_numeric(NULL)'),
	('quantile_final_real(NULL)'),
	('max_transition(NULL, 1, 0, 10)'),
	('median_transition(NULL, 1::float8, 0, 10)'),
	('quantile_transition(NULL, 1, 0.5, 0, 10)'),
	('values_combine(NULL, NULL)'),
	('values_state_final(NULL)'),
	('values_deserialize(''\x00'', NULL)'),
	('values_serialize(''x'')'),
	('values_combine(''x'', NULL)'),
	('max_transition(1, 1, 0, 10)'),
	('values_combine(NULL::internal, NULL)'),
	('values_state_final(NULL::internal)'),
	('median_final_integer(NULL::internal)')
) AS c (call);
-- these are strict, or harmless
SELECT dp_noise.count_transition(1),
	dp_noise.sum_state_combine('(1,2)', '(-3,4)'), dp_noise.sum_state_combine(NULL, '(1,1)');

--
-- the text of a state
--
SELECT text, left(pg_temp.error_of(format('SELECT %L::dp_noise.sum_state', text)), 58) AS error
FROM unnest(ARRAY['', '(', '()', '(1)', '(1,)', '(,1)', '(1,2', '1,2', '(1,2) ', ' (1,2)', '(1 ,2)', '(1,-1)', '(1,2,3)', '(--1,1)', '(+1,1)',
	'(1e3,1)', '(1.5,1)', '(NaN,1)', '(1,9223372036854775808)', '(170141183460469231731687303715884105728,1)',
	'(-170141183460469231731687303715884105729,1)', '(99999999999999999999999999999999999999999999999,1)', '(1,99999999999999999999999999999999999999999999999)',
	repeat('9', 100)]) AS text;
SELECT text::dp_noise.sum_state
FROM unnest(ARRAY['(0,0)', '(-0,0)', '(0001,01)', '(-5,3)', '(170141183460469231731687303715884105727,9223372036854775807)',
	'(-170141183460469231731687303715884105728,0)']) AS text;
-- sums of states saturate
SELECT dp_noise.sum_state_combine('(170141183460469231731687303715884105727,9223372036854775807)', '(1,1)'),
	dp_noise.sum_state_combine('(-170141183460469231731687303715884105728,0)', '(-1,0)');
-- states can be stored, and added up by an aggregate that somebody makes
CREATE TEMP TABLE states AS SELECT i % 3 AS g, dp_noise.sum_state(i, 0, 50) AS s FROM t GROUP BY i % 3;
SELECT g, s FROM states ORDER BY g;
CREATE AGGREGATE pg_temp.merge(dp_noise.sum_state) (SFUNC = dp_noise.sum_state_combine, STYPE = dp_noise.sum_state);
SELECT pg_temp.merge(s) AS merged, (SELECT dp_noise.sum_state(i, 0, 50) FROM t) AS at_once FROM states;
SELECT g, s FROM states ORDER BY g;

--
-- aggregates that an ordinary user makes
--
CREATE ROLE regress_dp_noise_user;
GRANT SELECT ON t TO regress_dp_noise_user;
CREATE SCHEMA regress_dp_noise AUTHORIZATION regress_dp_noise_user;
SET ROLE regress_dp_noise_user;
SET search_path = regress_dp_noise, public;
CREATE DOMAIN whole AS integer;
-- the results of the final function are not those of the transition function
CREATE AGGREGATE as_numeric(integer, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state, INITCOND = '(0,0)',
	FINALFUNC = dp_noise.sum_final_numeric);
CREATE AGGREGATE as_bigint(numeric, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state, INITCOND = '(0,0)',
	FINALFUNC = dp_noise.sum_final_integer);
CREATE AGGREGATE mean_of_sum(integer, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state, INITCOND = '(0,0)',
	FINALFUNC = dp_noise.mean_final_double_precision);
-- a value that is only coercible to the transition function's
CREATE AGGREGATE over_domain(whole, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state, INITCOND = '(0,0)');
-- a state that is made up
CREATE AGGREGATE made_up(integer, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state,
	INITCOND = '(170141183460469231731687303715884105727,9223372036854775807)', FINALFUNC = dp_noise.sum_final_integer);
-- a final function over the state of something else
CREATE AGGREGATE only_final(dp_noise.sum_state) (SFUNC = dp_noise.sum_state_combine, STYPE = dp_noise.sum_state, FINALFUNC = dp_noise.sum_final_numeric);
CREATE AGGREGATE count_of_sum(bigint) (SFUNC = int8pl, STYPE = bigint, INITCOND = '0', FINALFUNC = dp_noise.count_final);
-- an aggregate without arguments where the final function looks for some
CREATE AGGREGATE no_arguments(*) (SFUNC = dp_noise.count_transition, STYPE = bigint, INITCOND = '0', FINALFUNC = dp_noise.count_final);
-- moving aggregates
CREATE AGGREGATE moving(integer, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state, INITCOND = '(0,0)',
	MSFUNC = dp_noise.sum_transition, MINVFUNC = dp_noise.sum_transition, MSTYPE = dp_noise.sum_state, MINITCOND = '(0,0)');
-- a state that is NULL at first
CREATE AGGREGATE no_state(integer, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state);
-- what the server itself refuses
CREATE AGGREGATE internal_state(integer, numeric, numeric) (SFUNC = dp_noise.max_transition, STYPE = internal);
RESET ROLE;
SELECT call, pg_temp.error_of('SELECT regress_dp_noise.' || call) AS error
FROM (VALUES
	('as_numeric(i, 0, 10) FROM t'),
	('as_numeric(i, 0, 10) FROM t WHERE false'),
	('as_bigint(n, 0, 10) FROM t'),
	('mean_of_sum(i, 0, 10) FROM t'),
	('over_domain(i, 0, 10) FROM t'),
	('over_domain(i, 0, 10) FROM t WHERE false'),
	('made_up(i, 0, 10) FROM t'),
	('only_final(s) FROM states'),
	('count_of_sum(b) FROM t'),
	('no_arguments(*) FROM t'),
	('no_state(i, 0, 10) FROM t'),
	('moving(i, 0, 10) FROM t'),
	('moving(i, 0, 10) OVER (ORDER BY i ROWS 3 PRECEDING) FROM t')
) AS c (call);

--
-- aggregates that a superuser makes, with states of type internal
--
CREATE AGGREGATE regress_dp_noise.median_of_max(integer, numeric, numeric) (SFUNC = dp_noise.max_transition, STYPE = internal, FINALFUNC = dp_noise.median_final_integer);
CREATE AGGREGATE regress_dp_noise.max_of_min(integer, numeric, numeric) (SFUNC = dp_noise.min_transition, STYPE = internal, FINALFUNC = dp_noise.max_final_integer);
CREATE AGGREGATE regress_dp_noise.foreign_final(bigint) (SFUNC = int8_avg_accum, STYPE = internal, FINALFUNC = dp_noise.values_state_final);
CREATE AGGREGATE regress_dp_noise.foreign_median(bigint) (SFUNC = int8_avg_accum, STYPE = internal, FINALFUNC = dp_noise.median_final_bigint);
CREATE AGGREGATE regress_dp_noise.foreign_combine(bigint) (SFUNC = int8_avg_accum, STYPE = internal, FINALFUNC = numeric_poly_avg,
	COMBINEFUNC = dp_noise.values_combine, SERIALFUNC = dp_noise.values_serialize, DESERIALFUNC = dp_noise.values_deserialize, PARALLEL = safe);
CREATE AGGREGATE regress_dp_noise.foreign_deserialize(bigint) (SFUNC = int8_avg_accum, STYPE = internal, FINALFUNC = numeric_poly_avg,
	COMBINEFUNC = int8_avg_combine, SERIALFUNC = int8_avg_serialize, DESERIALFUNC = dp_noise.values_deserialize, PARALLEL = safe);
CREATE AGGREGATE regress_dp_noise.ordered_set(integer, numeric, numeric ORDER BY integer) (SFUNC = ordered_set_transition, STYPE = internal,
	FINALFUNC = dp_noise.values_state_final);
CREATE AGGREGATE regress_dp_noise.moving_max(integer, numeric, numeric) (SFUNC = dp_noise.max_transition, STYPE = internal, FINALFUNC = dp_noise.max_final_integer,
	MSFUNC = dp_noise.max_transition, MINVFUNC = dp_noise.max_transition, MSTYPE = internal, MFINALFUNC = dp_noise.max_final_integer);
CREATE TABLE regress_dp_noise.big AS SELECT i::bigint AS b FROM generate_series(1, 20000) AS i;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT call, pg_temp.error_of('SELECT regress_dp_noise.' || call) AS error
FROM (VALUES
	('median_of_max(i, 0, 10) FROM t'),
	('median_of_max(i, 0, 10) FROM t WHERE false'),
	('max_of_min(i, 0, 10) FROM t'),
	('foreign_final(b) FROM t'),
	('foreign_median(b) FROM t'),
	('foreign_combine(b) FROM regress_dp_noise.big'),
	('foreign_deserialize(b) FROM regress_dp_noise.big'),
	('moving_max(i, 0, 10) OVER (ORDER BY i ROWS 3 PRECEDING) FROM t')
) AS c (call);
RESET ALL;
SET client_min_messages = warning;

-- No harm was done.
SELECT dp_sum(i, 0, 10, 1000000) FROM t;

DROP SCHEMA regress_dp_noise CASCADE;
DROP OWNED BY regress_dp_noise_user;
DROP ROLE regress_dp_noise_user;
