-- dp_noise.sample_sensitivity: what it finds where the differences are known, who
-- may call it and with whose rights it runs, and what it refuses.
--
-- False alarms. Of 200 samples or more, that none shows a difference that half of
-- them do has the probability 2^-200.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE FUNCTION public.add_twice(double precision, double precision) RETURNS double precision LANGUAGE sql AS 'SELECT $1 + 2 * coalesce($2, 10)';
CREATE AGGREGATE public.twice(double precision) (sfunc = add_twice, stype = double precision, initcond = 0);
CREATE TABLE public.halves AS SELECT i, i % 2 AS bit, (i % 2)::text AS word, 5 AS five, (i % 2 + 0.5)::numeric AS n, NULLIF(i % 2, 1) AS missing,
	CASE WHEN i > 100000 THEN repeat('x', 1 + i % 2) ELSE '' END AS late FROM generate_series(1, 150000) AS i;
RESET ROLE;

CREATE FUNCTION t.sampled(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result record;
BEGIN
	PERFORM set_config('role', 'gate_owner', false);
	EXECUTE 'SELECT * FROM dp_noise.sample_sensitivity(' || arguments || ')' INTO result;
	RESET ROLE;
	RETURN concat_ws(' ', result.sensitivity, result.greatest_seen, result.samples, result.order_statistic, round(result.rho::numeric, 6), result.gamma, result.delta);
END
$$;
SELECT is(t.sampled(arguments), result, arguments)
FROM (VALUES
	('''public.twice(float8)'', ''halves'', ''{bit}'', 10, 0.1', '2 2 290 290 0.014239 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 10, 0.1, 500', '2 2 500 489 0.010472 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 10, 0.3, 1000', '2 2 1000 757 0.007109 0.3 0'),
	('''public.twice(float8)'', ''halves'', ''{word}'', 10, 0.3', '2 2 25 25 0.059537 0.3 0'),
	('''public.twice(float8)'', ''halves'', ''{n}'', 1, 0.1', '2 2 290 290 0.014239 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{five}'', 10, 0.1', '0 0 290 290 0.014239 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{five}'', 10, 0.1, neighbours => ''add_remove''', '10 10 290 290 0.014239 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{five}'', 1, 0.1, neighbours => ''add_remove''', '10 10 290 290 0.014239 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{missing}'', 3, 0.1, neighbours => ''substitute''', '20 20 290 290 0.014239 0.1 0'),
	('''pg_catalog.count("any")'', ''halves'', ''{five}'', 10', NULL),
	('''pg_catalog.covar_pop(float8, float8)'', ''halves'', ''{bit,five}'', 10, 0.1', '0 0 290 290 0.014239 0.1 0'),
	('''public.twice(float8)'', ''halves'', ''{five}'', 10, 0.1, NULL, ''gaussian(delta=1e-6)''', '0 0 290 290 0.014239 0.1 1e-06'),
	('''public.twice(float8)'', ''halves'', ''{five}'', 10, 0.1, NULL, ''staircase''', '0 0 290 290 0.014239 0.1 0')
) AS r (arguments, result) WHERE result IS NOT NULL;
SELECT ok(sensitivity <= greatest_seen AND greatest_seen <= 2, 'the order statistic') FROM dp_noise.sample_sensitivity('public.twice(float8)', 'halves', '{bit}', 10, 0.9, 500);
SELECT is(sensitivity, 0::float8, 'a place below the half that differ') FROM dp_noise.sample_sensitivity('public.twice(float8)', 'halves', '{bit}', 1, 0.9, 2000);

-- of many rows, all may be in the pool; texts of several lengths
SET ROLE gate_owner;
CREATE FUNCTION public.add_length(bigint, text) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT $1 + length($2)';
CREATE AGGREGATE public.total_length(text) (sfunc = add_length, stype = bigint, initcond = 0);
RESET ROLE;
SELECT is(greatest_seen, 2::float8, 'rows beyond the first 100000') FROM dp_noise.sample_sensitivity('total_length(text)', 'halves', '{late}', 5, 0.1, 1000);

------------------------------------------------------------------------------
-- Who may, and with whose rights

CREATE TABLE t.caller (who text);
GRANT ALL ON t.caller TO PUBLIC;
CREATE FUNCTION t.note_caller(double precision, double precision) RETURNS double precision LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO t.caller VALUES (session_user || ' ' || current_user);
	RETURN $1 + $2;
END
$$;
CREATE AGGREGATE t.noting(double precision) (sfunc = t.note_caller, stype = double precision, initcond = 0);
GRANT USAGE ON SCHEMA t TO PUBLIC;
\set call 'SELECT greatest_seen FROM dp_noise.sample_sensitivity(''t.noting(float8)'', ''public.halves'', ''{bit}'', 2, 0.5)'
SELECT is(t.run('gate_owner', :'call'), '1', 'the owner may');
SELECT results_eq('SELECT DISTINCT who FROM t.caller', $$VALUES ('gate_owner gate_owner')$$, 'the aggregate runs as the owner');
TRUNCATE t.caller;
SELECT is(t.run('gate_ann', :'call'), '42501: must be owner of relation halves', 'others may not');
GRANT SELECT ON public.halves TO gate_bob;
SELECT is(t.run('gate_bob', :'call'), '42501: must be owner of relation halves', 'nor with SELECT');
SELECT lives_ok(:'call', 'superusers may');
SELECT results_eq('SELECT DISTINCT who FROM t.caller', format('VALUES (%L)', session_user || ' gate_owner'), 'the aggregate runs as the owner of the relation for them, too');
-- so does what the owner wrote into an index, statistics or a cast
SELECT t.run('gate_owner', $$CREATE FUNCTION gate_owner.mine(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN IF current_user <> ''gate_owner'' THEN RAISE ''ran as %'', current_user; END IF; RETURN true; END'$$);
SELECT t.run('gate_owner', 'CREATE TYPE gate_owner.grade AS ENUM (''low'', ''high'')');
SELECT t.run('gate_owner', $$CREATE FUNCTION gate_owner.number(gate_owner.grade) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM gate_owner.mine(1); RETURN 1; END'$$);
CREATE CAST (gate_owner.grade AS double precision) WITH FUNCTION gate_owner.number(gate_owner.grade);
SELECT t.run('gate_owner', 'CREATE TABLE gate_owner.traps (id integer, income double precision, grade gate_owner.grade)');
SELECT t.run('gate_owner', 'INSERT INTO gate_owner.traps SELECT i, i, ''low'' FROM generate_series(1, 100) AS i');
SELECT t.run('gate_owner', 'CREATE INDEX traps_some ON gate_owner.traps (id) WHERE gate_owner.mine(1)');
SELECT t.run('gate_owner', 'CREATE STATISTICS gate_owner.traps_most ON id, (CASE WHEN gate_owner.mine(1) THEN income END) FROM gate_owner.traps');
SELECT t.run('gate_owner', 'ANALYZE gate_owner.traps');
ALTER INDEX gate_owner.traps_some SET (fillfactor = 90);
SELECT throws_ok('SELECT FROM gate_owner.traps WHERE id = 1', 'P0001', 'ran as ' || current_user, 'a plain query runs it as the superuser');
SELECT throws_ok('SELECT grade::double precision FROM gate_owner.traps', 'P0001', 'ran as ' || current_user, 'and a cast');
SELECT lives_ok(format('SELECT * FROM dp_noise.sample_sensitivity(''sum(double precision)'', ''gate_owner.traps'', ''{%s}'', 10, 0.5)', c), 'sampled as the owner: ' || c) FROM unnest('{income,grade}'::text[]) AS c;
SELECT lives_ok('ALTER INDEX gate_owner.traps_some SET (fillfactor = 80); SELECT * FROM dp_noise.sample_sensitivity(''sum(double precision)'', ''gate_owner.traps'', ''{income}'', 10, 0.5)', 'the index anew');
REVOKE ALL ON FUNCTION t.note_caller(double precision, double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION t.noting(double precision) FROM PUBLIC;
SELECT is(t.run('gate_owner', :'call'), '42501: permission denied for aggregate noting', 'an aggregate that the owner may not call');
GRANT ALL ON FUNCTION t.noting(double precision), t.note_caller(double precision, double precision) TO PUBLIC;
SET ROLE gate_owner;
REVOKE ALL ON public.halves FROM gate_owner;
RESET ROLE;
SELECT is(t.run('gate_owner', :'call'), '42501: permission denied for table halves', 'a table that its owner may not read');
GRANT ALL ON public.halves TO gate_owner;
SELECT is(p.prosecdef, false, 'without definer''s rights, by the catalogue') FROM pg_proc AS p WHERE proname = 'sample_sensitivity';

-- nor where somebody else's statement runs restricted
SET ROLE gate_owner;
CREATE MATERIALIZED VIEW public.sampled AS SELECT * FROM dp_noise.sample_sensitivity('public.twice(float8)', 'public.halves', '{bit}', 2, 0.5) WITH NO DATA;
RESET ROLE;
SELECT throws_ok('REFRESH MATERIALIZED VIEW public.sampled', '42501', 'cannot sample an aggregate within a security-restricted operation', 'a superuser refreshes');

-- a protected table: its owner reads it, and nobody by way of the gate
SELECT is(t.run('gate_owner', 'SELECT greatest_seen > 0 FROM dp_noise.sample_sensitivity(''public.twice(float8)'', ''public.patients'', ''{age}'', 2, 0.5)'), 'true', 'the owner of a protected table');
SELECT is(t.run('gate_ann', 'SELECT * FROM dp_noise.sample_sensitivity(''public.twice(float8)'', ''public.patients'', ''{age}'', 2, 0.5)'), '42501: must be owner of relation patients', 'an analyst with a budget');
CREATE TABLE gate_ann.own AS SELECT i AS x FROM generate_series(1, 10) AS i;
ALTER TABLE gate_ann.own OWNER TO gate_ann;
SELECT is(t.run('gate_ann', 'SELECT greatest_seen > 0 FROM dp_noise.sample_sensitivity(''public.twice(float8)'', ''gate_ann.own'', ''{x}'', 2, 0.1)'), 'true', 'over a table of her own');
SELECT t.refuse('0A000', statement) FROM unnest(ARRAY[
	'SELECT count(*) FROM patients WHERE age > (dp_noise.sample_sensitivity(''public.twice(float8)'', ''gate_ann.own'', ''{x}'', age, 0.5)).greatest_seen',
	'SELECT count((dp_noise.sample_sensitivity(''public.twice(float8)'', ''gate_ann.own'', ''{x}'', age, 0.5)).greatest_seen) FROM patients']) AS statement;
CREATE VIEW gate_ann.peek AS SELECT age FROM public.patients;
ALTER VIEW gate_ann.peek OWNER TO gate_ann;
SELECT matches(t.run('gate_ann', 'SELECT * FROM dp_noise.sample_sensitivity(''public.twice(float8)'', ''gate_ann.peek'', ''{age}'', 2, 0.5)'), '^42501: ', 'her own view of a protected table shows no row');

------------------------------------------------------------------------------
-- What is refused

SELECT throws_ok('SELECT * FROM dp_noise.sample_sensitivity(' || arguments || ')', state, message, arguments)
FROM (VALUES
	('''public.twice(float8)'', ''halves'', ''{bit}'', 0', '22023', 'rows must be between 1 and 10000000'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 10000001', '22023', 'rows must be between 1 and 10000000'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, 0', '22023', 'gamma is out of range'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, 1', '22023', 'gamma is out of range'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, ''NaN''', '22023', 'gamma is out of range'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, 1e-5', '22023', 'gamma is out of range'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, 0.1, 289', '22023', 'samples are too few for gamma'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, 0.1, 0', '22023', 'samples must be between 1 and 1000000'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, 0.1, 1000001', '22023', 'samples must be between 1 and 1000000'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, NULL', '22004', 'parameters must not be null'),
	('NULL, ''halves'', ''{bit}'', 1', '22004', 'parameters must not be null'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, mechanism => ''exponential''', '0A000', NULL),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, mechanism => ''nonsense''', '22023', 'unknown mechanism "nonsense"'),
	('''public.twice(float8)'', ''halves'', ''{bit}'', 1, neighbours => ''others''', '22023', 'unknown neighbours "others"'),
	('''public.twice(float8)'', ''halves'', ''{bit,five}'', 1', '22023', 'the aggregate has 1 arguments, and 2 columns are named'),
	('''public.twice(float8)'', ''halves'', ''{}'', 1', '22023', 'the aggregate has 1 arguments, and 0 columns are named'),
	('''public.twice(float8)'', ''halves'', ''{none}'', 1', '42703', 'column "none" of relation "halves" does not exist'),
	('''public.twice(float8)'', ''halves'', ''{ctid}'', 1', '42703', 'column "ctid" of relation "halves" does not exist'),
	('''public.twice(float8)'', ''halves'', ARRAY[NULL], 1', '22004', 'names of columns must not be null'),
	('''abs(integer)'', ''halves'', ''{bit}'', 1', '42809', 'abs(integer) is not an ordinary aggregate'),
	('''percentile_cont(float8, float8)'', ''halves'', ''{bit,five}'', 1', '42809', 'percentile_cont(double precision,double precision) is not an ordinary aggregate'),
	('''max(anyarray)'', ''halves'', ''{bit}'', 1', '0A000', 'cannot sample an aggregate over type anyarray'),
	('''bool_and(boolean)'', ''halves'', ''{bit}'', 1', '42846', NULL),
	('''sum(float8)'', ''halves'', ''{missing}'', 1, 0.1, 1000', '22004', 'the aggregate is null for some rows')
) AS r (arguments, state, message);
CREATE TABLE public.empty (x integer);
SELECT throws_ok($$SELECT * FROM dp_noise.sample_sensitivity('public.twice(float8)', 'empty', '{x}', 1)$$, '55000', 'there are no rows to sample', 'no rows');

SELECT * FROM finish();
\ir support/gate_end.sql
