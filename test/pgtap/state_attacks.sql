-- An analyst's own aggregates over the parts of the extension's. A sample that
-- was combined with itself 63 times had counted more values than an integer
-- holds, and the join of two such wrote past its room: the server went down.
-- Nobody has the right to the parts; who is given it gets nowhere either.

BEGIN;
SELECT plan(13);

CREATE ROLE state_ann;
CREATE SCHEMA state_ann AUTHORIZATION state_ann;
GRANT CREATE, TEMPORARY ON DATABASE :"DBNAME" TO state_ann;

-- A statement's error as that role: its code and message.
CREATE FUNCTION error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL ROLE state_ann;
	EXECUTE statement;
	RESET ROLE;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RESET ROLE;
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

SELECT matches(error_of(command), '^42501 permission denied for (type|function)', command)
FROM unnest(ARRAY[
	'CREATE AGGREGATE state_ann.twice(dp_noise.sample_state) (SFUNC = dp_noise.sample_combine, STYPE = dp_noise.sample_state)',
	'CREATE TABLE state_ann.samples (s dp_noise.sample_state)',
	'CREATE TABLE state_ann.samples AS SELECT dp_noise.sample_points(1, 0, 9, 4) AS s',
	'CREATE TEMP TABLE samples AS SELECT dp_noise.sample_points(1, 0, 9, 4) AS s',
	'CREATE VIEW state_ann.samples AS SELECT dp_noise.sample_points(1, 0, 9, 4) AS s',
	'CREATE DOMAIN state_ann.sample AS dp_noise.sample_state',
	'SELECT dp_noise.sample_combine(s, s) FROM (SELECT dp_noise.sample_points(1, 0, 9, 4) AS s) AS p'
]) AS command;
SELECT is(error_of('CREATE TABLE state_ann.arrays (s dp_noise.sample_state[])'), '42501 permission denied for type dp_noise.sample_state', 'nor arrays of them');

GRANT EXECUTE ON FUNCTION dp_noise.sample_combine(dp_noise.sample_state, dp_noise.sample_state) TO state_ann;
GRANT USAGE ON TYPE dp_noise.sample_state TO state_ann;
SELECT is(error_of('CREATE AGGREGATE state_ann.twice(dp_noise.sample_state) (SFUNC = dp_noise.sample_combine, STYPE = dp_noise.sample_state)'), 'none', 'with the right to it an aggregate can be made');
SELECT is(error_of('CREATE TABLE state_ann.samples AS SELECT 0 AS step, dp_noise.sample_points(1, 0, 9, 4) AS s FROM generate_series(1, 2)'), 'none', 'and a table');
SELECT matches(error_of($outer$DO $do$
BEGIN
	FOR i IN 1 .. 63 LOOP
		INSERT INTO state_ann.samples SELECT i, state_ann.twice(s) FROM state_ann.samples, generate_series(1, 2) WHERE step = i - 1;
	END LOOP;
	PERFORM state_ann.twice(s) FROM state_ann.samples;
END
$do$$outer$), '^0A000 support functions of private aggregates cannot be used in other aggregates', 'which are of no use');
SELECT matches(error_of('SELECT dp_noise.sample_combine(s, s) FROM state_ann.samples'), '^0A000 ', 'nor are direct calls');
SELECT matches(error_of('SELECT state_ann.twice(s) OVER () FROM state_ann.samples, generate_series(1, 2)'), '^0A000 ', 'nor windows');

SELECT * FROM finish();
ROLLBACK;
