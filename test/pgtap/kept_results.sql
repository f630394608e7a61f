-- Results of functions of dates that are kept while a statement runs: they are those
-- of the functions themselves, and their number and memory are limited.
\set QUIET on
SET client_min_messages = warning;
SET timezone = 'Europe/Berlin';
SELECT no_plan();
CREATE SCHEMA t;

-- Days that recur, among them those that give null and those that errors come of.
CREATE TABLE t.days AS
SELECT CASE i % 7 WHEN 0 THEN 'infinity' WHEN 1 THEN '5874897-12-31' WHEN 2 THEN NULL ELSE date '2025-01-01' + i % 400 END AS day,
	timestamp '2025-01-01 12:34:56.789' + i % 300 * interval '7 hours' AS at, i AS number
FROM generate_series(1, 20000) AS i;
SELECT is(count(*), 0::bigint, 'functions of days that recur, beside the functions themselves')
FROM t.days
WHERE isfinite(day) AND day < '2100-01-01' AND
	(dp_noise.try_timestamptz(day), dp_noise.try_timestamp(day), dp_noise.try_extract('month', day), dp_noise.try_date_trunc('month', day::timestamptz)) IS DISTINCT FROM
	(day::timestamptz, day::timestamp, extract(month FROM day), date_trunc('month', day::timestamptz));
SELECT is(count(*), 0::bigint, 'and of times')
FROM t.days
WHERE (dp_noise.try_date(at), dp_noise.try_timestamptz(at), dp_noise.try_date_part('hour', at), dp_noise.try_extract('epoch', at), dp_noise.try_date_trunc('week', at),
	dp_noise.try_date_bin('15 minutes', at, '2025-01-01'), dp_noise.try_date_trunc('day', at::timestamptz), dp_noise.try_extract('epoch', at::timestamptz)) IS DISTINCT FROM
	(at::date, at::timestamptz, date_part('hour', at), extract(epoch FROM at), date_trunc('week', at),
	date_bin('15 minutes', at, '2025-01-01'), date_trunc('day', at::timestamptz), extract(epoch FROM at::timestamptz));
SELECT is(array_agg(DISTINCT dp_noise.try_timestamptz(day)), '{NULL}', 'an error is null, each time') FROM t.days WHERE day = '5874897-12-31';
SELECT is(array_agg(DISTINCT dp_noise.try_extract('month', day)), '{NULL}', 'and null is null') FROM t.days WHERE day = 'infinity';
SELECT is(count(DISTINCT dp_noise.try_extract('month', day)), 12::bigint, 'results passed by reference outlive their row') FROM t.days WHERE isfinite(day) AND day < '2100-01-01';

-- Days that do not recur: nothing is kept of them after some thousands.
CREATE FUNCTION t.kept() RETURNS bigint LANGUAGE sql VOLATILE AS
$$SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dp_noise kept results'$$;
SELECT is(min(kept) FILTER (WHERE i < 1000) || ' ' || max(kept) FILTER (WHERE i > 9000), '1 0', 'a table is given up where arguments do not recur')
FROM (
	SELECT i, CASE WHEN dp_noise.try_date_trunc('day', at) IS NOT NULL AND i % 500 = 1 THEN t.kept() END AS kept
	FROM (SELECT i, timestamp '2000-01-01' + i * interval '1 second' AS at FROM generate_series(1, 10000) AS i OFFSET 0) AS s
) AS r;

-- Another time zone in the midst of a statement.
SELECT is(string_agg(DISTINCT format('%s %s', zone, extract(epoch FROM at)::integer), ', '), 'Asia/Tokyo 1748703600, UTC 1748736000', 'a zone that changes within a statement')
FROM (
	SELECT set_config('timezone', (ARRAY['UTC', 'Asia/Tokyo'])[1 + i % 2], false) AS zone, dp_noise.try_timestamptz(day) AS at
	FROM (SELECT i, date '2025-06-01' AS day FROM generate_series(1, 100) AS i OFFSET 0) AS s
) AS r;
SET timezone = 'UTC';

-- No more tables than 64, which go with the statement.
CREATE FUNCTION t.kept_beside(calls integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE (SELECT 'SELECT format(''%s %s'', found = array_fill(date_trunc(''day'', at), ARRAY[' || calls || ']), kept) FROM (SELECT at, ARRAY[' ||
			string_agg('dp_noise.try_date_trunc(''day'', at)', ', ') || '] AS found, t.kept() AS kept FROM (SELECT timestamp ''2025-06-01 12:00'' AS at OFFSET 0) AS s OFFSET 0) AS r'
		FROM generate_series(1, calls)) INTO result;
	RETURN result;
END
$$;
SELECT is(t.kept_beside(n), 't ' || least(n, 64), n || ' calls in a statement keep no more than 64 tables') FROM unnest('{1,63,64,65,200}'::integer[]) AS n;
SELECT is(t.kept(), 0::bigint, 'none outlives its statement');
SELECT is((SELECT array_agg(t.kept_beside(n)) FROM unnest('{60,60}'::integer[]) AS n), '{"t 60","t 60"}', 'nor is one counted twice');
DO $$BEGIN PERFORM dp_noise.try_date_trunc('day', at), 1 / (at - at) FROM (SELECT now()::timestamp AS at OFFSET 0) AS s; EXCEPTION WHEN others THEN NULL; END$$;
SELECT is(t.kept(), 0::bigint, 'nor where a statement fails');
SELECT * FROM finish();
