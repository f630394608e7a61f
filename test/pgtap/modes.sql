-- dp_mode: every kind of domain; values outside, NULL, ties, empty input,
-- groups, workers; how often each value is selected; what is refused. At
-- epsilon 1000000 the most frequent value is selected for certain.

BEGIN;
SELECT plan(47);

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE no_mood AS ENUM ();
CREATE DOMAIN feeling AS mood;
CREATE TABLE t (g integer, b boolean, m mood, f feeling, i integer, i2 smallint, n numeric, s text, v varchar(5), c character(3), d date, u uuid);
INSERT INTO t SELECT i % 2, i % 3 = 0, m, m, i % 5 + 10, i % 5, i % 5 + 0.5, 's' || i % 5, 's' || i % 5, 's' || i % 5,
	date '2000-01-01' + i % 5, lpad((i % 5)::text, 32, '0')::uuid
FROM generate_series(1, 99) AS i, CAST((ARRAY['sad', 'ok', 'ok'])[i % 3 + 1] AS mood) AS m;
INSERT INTO t (g) VALUES (NULL), (NULL);
INSERT INTO t VALUES (0, NULL, NULL, NULL, 11, 1, 1.5, 's1', 's1', 's1', '2000-01-02', lpad('1', 32, '0')::uuid);

CREATE FUNCTION evaluate(expression text, source text DEFAULT 't') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT %s FROM %s', expression, source) INTO result;
	RETURN result;
END
$$;

SELECT is(evaluate(expression), result, expression) FROM (VALUES
	('dp_mode(b, 1000000)', 'false'),
	('dp_mode(m, 1000000)', 'ok'),
	('dp_mode(f::mood, 1000000)', 'ok'),
	('dp_mode(m, ARRAY[''sad'', ''happy'']::mood[], 1000000)', 'sad'),
	('dp_mode(i, ARRAY[9, 10, 11], 1000000)', '11'),
	('dp_mode(i, ARRAY[9, 11]::bigint[], 1000000)', '11'),
	('dp_mode(i2, ARRAY[1, 2]::smallint[], 1000000)', '1'),
	('dp_mode(i2, ARRAY[1, 2], 1000000)', '1'),
	('dp_mode(n, ARRAY[0.50, 1.500], 1000000)', '1.500'),
	('dp_mode(s, ARRAY[''s1'', ''s2''], 1000000)', 's1'),
	('dp_mode(s, ARRAY[''s2'', ''none'', ''s2''], 1000000)', 's2'),
	('dp_mode(v, ARRAY[''s0'', ''s1''], 1000000)', 's1'),
	('dp_mode(c, ARRAY[''s0'', ''s1''], 1000000)', 's1'),
	('dp_mode(c, ARRAY[''s0'', ''s1'']::char(3)[], 1000000)', 's1'),
	('dp_mode(d, ARRAY[date ''2000-01-02'', date ''2000-01-03''], 1000000)', '2000-01-02'),
	('dp_mode(u, ARRAY[lpad(''1'', 32, ''0'')::uuid], 1000000)', '00000000-0000-0000-0000-000000000001'),
	('dp_mode(s, ARRAY[''only''])', 'only'),
	('dp_mode(s, ARRAY[''s1'', ''s2''], 1000000) FILTER (WHERE s <> ''s1'')', 's2'),
	('dp_mode(b, 1000000, ''exponential'')', 'false'),
	('dp_mode(b, 1000000, ''abstract_staircase(gamma=0.5)'')', 'false'),
	('dp_mode(b, 1000000, '' permute_and_flip '')', 'false'),
	('pg_typeof(dp_mode(m))', 'mood'),
	('pg_typeof(dp_mode(i2, ARRAY[1]))', 'integer')
) AS v (expression, result);

SELECT results_eq('SELECT g, dp_mode(s, ARRAY[''s1'', ''s9''], 1000000) FROM t WHERE g IS NOT NULL GROUP BY g ORDER BY g',
	$$VALUES (0, 's1'), (1, 's1')$$, 'groups');
SELECT is((SELECT count(DISTINCT dp_mode) FROM (SELECT dp_mode(s, '{a,b}'::text[]) FROM t, generate_series(1, 60) AS k WHERE false GROUP BY k) AS q), 0::bigint, 'no groups of nothing');
SELECT ok((SELECT dp_mode(m) FROM t WHERE false) IS NOT NULL, 'a draw of nothing');
SELECT is((SELECT count(*) FROM (SELECT dp_mode(b) FROM t GROUP BY g) AS q WHERE dp_mode IS NULL), 0::bigint, 'a group of NULL alone gets a draw');

-- the true state, whatever the plan
SELECT is(dp_noise.mode_state(s, ARRAY['s1', 's4', 'x']), '\x150000000000000014000000000000000000000000000000'::bytea, 'true counts: 21, 20, 0') FROM t;
CREATE TABLE many AS SELECT (i % 7) % 4 AS x, i % 3 = 0 AS b FROM generate_series(1, 100000) AS i;
ANALYZE many;
SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE states AS SELECT dp_noise.mode_state(x, ARRAY[0, 1, 2, 3, 4]) AS x, dp_noise.mode_state(b) AS b FROM many;
SET LOCAL max_parallel_workers_per_gather = 3;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
INSERT INTO states SELECT dp_noise.mode_state(x, ARRAY[0, 1, 2, 3, 4]), dp_noise.mode_state(b) FROM many;
SELECT is(count(DISTINCT (x, b)), 1::bigint, 'workers change no count') FROM states;
SELECT is((SELECT dp_mode(x, ARRAY[3, 0, 4], 1000000) FROM many), 0, 'with workers');

-- Two values, the second e^-2 as likely where 2/epsilon rows fewer: selected
-- with exp(-2)/2 by permute_and_flip and with 1/(1 + exp(2)) by the others.
-- 4000 draws; half a percentage point is far within, five are below 1e-9.
CREATE FUNCTION share(mechanism text) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	result double precision;
BEGIN
	EXECUTE format('SELECT avg((dp_mode = 2)::integer) FROM (SELECT dp_mode(x, ARRAY[1, 2], 0.2, %L)
		FROM (SELECT k, CASE WHEN i > 10 THEN 2 ELSE 1 END AS x FROM generate_series(1, 10) AS i, generate_series(1, 4000) AS k) AS s GROUP BY k) AS q', mechanism) INTO result;
	RETURN result;
END
$$;
SELECT ok(abs(share('permute_and_flip') - exp(-2::float8) / 2) < 0.035, 'how often permute_and_flip takes the lesser one');
SELECT ok(abs(share('exponential') - 1 / (1 + exp(2::float8))) < 0.045, 'and the exponential mechanism');
SELECT ok(abs(share('abstract_staircase') - 1 / (1 + exp(2::float8))) < 0.045, 'and the staircase');

-- what is refused, on no rows as well
SELECT throws_ok(format('SELECT %s FROM t WHERE false', call), state, message, call)
FROM (VALUES
	('dp_mode(m::text)', '42883', NULL),
	('dp_mode(NULL::no_mood)', '22023', 'type no_mood has no values'),
	('dp_mode(s, ''{}''::text[])', '22023', 'number of declared values must be between 1 and 100000'),
	('dp_mode(i, (SELECT array_agg(x) FROM generate_series(1, 3) AS x))', '0A000', 'array of values of a private aggregate must be the same for all rows'),
	('dp_mode(s, ARRAY[''a'', NULL])', '22004', 'declared values must not be null'),
	('dp_mode(s, NULL::text[])', '22004', 'array of values of a private aggregate must not be null'),
	('dp_mode(s, ARRAY[s])', '0A000', 'array of values of a private aggregate must be the same for all rows'),
	('dp_mode(b, g)', '0A000', 'epsilon of a private aggregate must be the same for all rows'),
	('dp_mode(b, 0)', '22023', 'epsilon is out of range'),
	('dp_mode(b, 1, s)', '0A000', 'mechanism of a private aggregate must be the same for all rows'),
	('dp_mode(b, 1, ''staircase'')', '0A000', 'mechanism staircase cannot be used with dp_mode'),
	('dp_mode(b, 1, ''exponential(rank=1)'')', '22023', 'a parameter of the mechanism is missing or out of range'),
	('dp_mode(b, 1, ''abstract_staircase(r=2)'')', '22023', 'a parameter of the mechanism is missing or out of range'),
	('dp_mode(point(i, i), ARRAY[point(1, 1)])', '42883', 'type point has no equality operator')
) AS v (call, state, message);

SELECT * FROM finish();
ROLLBACK;
