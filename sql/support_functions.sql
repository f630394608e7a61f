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
SELECT call, pg_temp.error_of('SELECT dp_noise.' || call) AS error
FROM (VALUES
	('count_transition(1)'),
	('count_transition(9223372036854775807, ''x''::text)'),
	('count_of_rows_transition(1, 1, NULL, NULL, 1, true, false)'),
	('sum_state_combine(''(0,0)'', ''(0,0)'')'),
	('square_state_combine(''(0,0,0)'', ''(0,0,0)'')'),
	('sum_state_combine(dp_noise.sum_state(i, 0, 10), dp_noise.sum_state(i, 0, 10)) FROM t'),
	('sample_combine(dp_noise.sample_points(i, 0, 10, 2), dp_noise.sample_points(i, 0, 10, 2)) FROM t'),
	('sample_points_transition(dp_noise.sample_points(i, 0, 10, 2), 1, 0, 10, 2) FROM t'),
	('max_point_transition(1, 1, 0, 10)')
) AS c (call);
-- this is strict
SELECT dp_noise.sum_state_combine(NULL, '(0,0)');

--
-- the text of a state
--
SELECT text, split_part(pg_temp.error_of(format('SELECT %L::dp_noise.sum_state', text)), E'\n', 1) AS error
FROM unnest(ARRAY['', '(0,0', '(0,0) ', '(00,0)', '(-0,0)', '(0,0,0)', '(1,1)', '(0,1)', '(170141183460469231731687303715884105727,9223372036854775807)',
	repeat('9', 100)]) AS text;
SELECT text, split_part(pg_temp.error_of(format('SELECT %L::dp_noise.%I', text, type)), E'\n', 1) AS error
FROM (VALUES ('(0,0)', 'square_state'), ('(-1,2,3)', 'square_state'), ('{0}', 'sample_state'), ('(0,0)', 'sample_state')) AS v (text, type);
SELECT '(0,0)'::dp_noise.sum_state, '(0,0,0)'::dp_noise.square_state;
-- they have no binary form
SELECT typname, typreceive, typsend FROM pg_type WHERE typnamespace = 'dp_noise'::regnamespace AND typname ~ '^[a-z]+_state$' AND typtype = 'b' ORDER BY typname;

--
-- aggregates that an ordinary user makes
--
CREATE ROLE regress_dp_noise_user;
GRANT SELECT ON t TO regress_dp_noise_user;
CREATE SCHEMA regress_dp_noise AUTHORIZATION regress_dp_noise_user;
SET ROLE regress_dp_noise_user;
SET search_path = regress_dp_noise, public;
CREATE DOMAIN whole AS integer;
-- who has no right to the parts
SELECT command, split_part(pg_temp.error_of(command), E'\n', 1) AS error
FROM unnest(ARRAY[
	'CREATE AGGREGATE refused(integer, numeric, numeric) (SFUNC = dp_noise.sum_transition, STYPE = dp_noise.sum_state)',
	'CREATE AGGREGATE refused(dp_noise.sample_state) (SFUNC = dp_noise.sample_combine, STYPE = dp_noise.sample_state)',
	'CREATE AGGREGATE refused(bigint) (SFUNC = int8pl, STYPE = bigint, INITCOND = ''0'', FINALFUNC = dp_noise.count_final)',
	'CREATE TABLE refused (s dp_noise.sum_state)',
	'CREATE TABLE refused AS SELECT dp_noise.sum_state(i, 0, 1) AS s FROM t',
	'CREATE TYPE refused AS (s dp_noise.sample_state)',
	'CREATE DOMAIN refused AS dp_noise.square_state',
	'CREATE FUNCTION refused(dp_noise.sum_state) RETURNS text LANGUAGE sql AS ''SELECT $1::text''',
	'SELECT dp_noise.sum_state_in(''(0,0)'')',
	'SELECT dp_noise.count_transition(1)'
]) AS command;
RESET ROLE;
-- who has been given it
DO $$
DECLARE
	part regprocedure;
BEGIN
	FOR part IN SELECT oid FROM pg_proc WHERE pronamespace = 'dp_noise'::regnamespace AND prokind = 'f' AND proname ~ '(transition|final|combine|_in)(_|$)' LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO regress_dp_noise_user', part);
	END LOOP;
END
$$;
GRANT USAGE ON TYPE dp_noise.sum_state, dp_noise.square_state, dp_noise.sample_state TO regress_dp_noise_user;
SET ROLE regress_dp_noise_user;
CREATE TABLE states AS SELECT i % 3 AS g, dp_noise.sum_state(i, 0, 50) AS s, dp_noise.sample_points(i, 0, 50, 3) AS p FROM t GROUP BY i % 3;
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
-- a state with itself
CREATE AGGREGATE merge(dp_noise.sum_state) (SFUNC = dp_noise.sum_state_combine, STYPE = dp_noise.sum_state);
CREATE AGGREGATE doubled(dp_noise.sample_state) (SFUNC = dp_noise.sample_combine, STYPE = dp_noise.sample_state);
CREATE AGGREGATE in_parallel(dp_noise.sample_state) (SFUNC = dp_noise.sample_combine, STYPE = dp_noise.sample_state, COMBINEFUNC = dp_noise.sample_combine,
	PARALLEL = safe);
CREATE AGGREGATE in_order(ORDER BY dp_noise.sample_state) (SFUNC = dp_noise.sample_combine, STYPE = dp_noise.sample_state);
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
	('only_final(s) FROM regress_dp_noise.states'),
	('merge(s) FROM regress_dp_noise.states'),
	('doubled(p) FROM regress_dp_noise.states, generate_series(1, 2)'),
	('in_parallel(p) FROM regress_dp_noise.states, generate_series(1, 2)'),
	('in_order() WITHIN GROUP (ORDER BY p) FROM regress_dp_noise.states'),
	('doubled(p) OVER () FROM regress_dp_noise.states'),
	('doubled(p ORDER BY g) FILTER (WHERE g >= 0) FROM regress_dp_noise.states'),
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
