-- Keys whose values WHERE names are public, and need no delta.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;

SET ROLE gate_owner;
CREATE DOMAIN public.letter AS text;
CREATE TABLE public.stated (u integer, k integer, small smallint, big bigint, s text COLLATE "C", v varchar(5) COLLATE "C", c character(3), l letter COLLATE "C", n numeric, f double precision, d date, ts timestamp, tz timestamptz, i interval, declared integer, bounded integer, flag boolean);
INSERT INTO public.stated SELECT i, i % 30, i % 7, i % 7, 's' || i % 4, 'v' || i % 3, 'c' || i % 3, 'l' || i % 3, i % 5, CASE i % 3 WHEN 0 THEN '-0' ELSE i % 3 END, date '2024-01-01' + i, timestamp '2024-01-01' + i * interval '1 hour', timestamptz '2024-01-01 00:00Z' + i * interval '1 hour', make_interval(hours => i % 48), i % 9, i % 100, NULLIF(i % 3, 2) = 1 FROM generate_series(1, 1000) AS i;
INSERT INTO public.stated (u) VALUES (1001);
SELECT dp_noise.protect('public.stated', privacy_unit => 'u', max_rows_per_unit => 1, epsilon => 1e6, delta => 1), dp_noise.alter_population('public.stated', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stated', 1e9, delta => 0.5), dp_noise.set_values('stated', 'declared', '{1,2,3}'), dp_noise.set_bounds('stated', 'bounded', 0, 99);
RESET ROLE;
SET dp_noise.epsilon = 1000;
SET TimeZone = 'UTC';

-- The same groups as the plain query has, and besides those that the values make
-- without rows.
CREATE FUNCTION t.groups(key text, condition text, besides text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
BEGIN
	EXECUTE format('SELECT string_agg(k || '' '' || n, '','' ORDER BY k) FROM (SELECT (%s)::text COLLATE "C" AS k, count(*) AS n FROM stated WHERE %s GROUP BY 1 UNION ALL SELECT unnest(%L::text[]), 0) AS q', key, condition, besides) INTO plain;
	RETURN is(t.run('gate_ann', format('SELECT string_agg(k || '' '' || n, '','' ORDER BY k) FROM (SELECT (k)::text COLLATE "C" AS k, n FROM (SELECT (%s) AS k, count(*) AS n FROM stated WHERE %s GROUP BY 1) AS r) AS q', key, condition)), plain, key || ' where ' || condition);
END
$$;

------------------------------------------------------------------------------
-- Values

SELECT t.groups(k, c, b) FROM (VALUES
	('k', 'k = 3', NULL), ('k', 'k IN (1, 2, 77)', '{77}'), ('k', 'k = ANY (ARRAY[1, 2, NULL, 1])', NULL), ('k', 'k = 1 OR 2 = k', NULL), ('k', 'k IN (1, 2) AND s = ''s1''', '{2}'), ('k', 's = ''s1'' AND (k = 1 OR (k = 5 AND flag IS NULL))', NULL),
	('k', 'k IN (1, 2) AND k > 1', NULL), ('k', 'k IN (NULL, 3)', NULL),
	('small', 'small = 3::smallint', NULL), ('big', 'big = 3::bigint', NULL), ('s', 's IN (''s1'', ''zz'')', '{zz}'), ('v', 'v IN (''v1'', ''zz'')', '{zz}'), ('v', 'v = ''v1''::text', NULL), ('c', 'c IN (''c1'')', NULL), ('n', 'n = 2', NULL), ('f', 'f = 1', NULL),
	('d', 'd = ''2024-02-03''', NULL), ('ts', 'ts = ''2024-01-02 03:00''', NULL),
	('left(s, 2)', 'left(s, 2) IN (''s1'', ''s9'')', '{s9}'), ('extract(year FROM d)', 'extract(year FROM d) IN (2025, 2030)', '{2030}'), ('k % 4', 'k % 4 = 3', NULL), ('upper(s)', 's IN (''s1'', ''s2'')', NULL), ('k + 1', 'k IN (1, 2)', NULL),
	('CASE WHEN k > 3 THEN ''x'' ELSE s END', 's IN (''s1'', ''s3'')', NULL), ('coalesce(s, ''none'')', 's = ''s1''', '{none}'), ('declared', 'declared IN (2, 7)', NULL), ('declared', 'declared = 7', NULL)) AS v (k, c, b);
SELECT t.run('gate_ann', 'PREPARE of(integer, text) AS SELECT k || s || '' '' || count(*) FROM stated WHERE k = $1 AND s = $2 GROUP BY k, s');
SELECT is(t.run('gate_ann', 'EXECUTE of(2, ''s2'')'), '2s2 17', 'parameters') FROM generate_series(1, 7);
SELECT is(t.run('gate_ann', 'EXECUTE of(3, ''s2'')'), '3s2 17', 'parameters: others') WHERE (SELECT count(*) FROM stated WHERE k = 3 AND s = 's2') = 17;

------------------------------------------------------------------------------
-- Ranges

SELECT t.groups(k, c, b) FROM (VALUES
	('k', 'k BETWEEN 28 AND 31', '{30,31}'), ('k', 'k > 27 AND 30 > k', NULL), ('k', 'k >= 28 AND k <= 29 AND s = ''s0''', '{29}'), ('small', 'small BETWEEN 2 AND 3', NULL), ('small', 'small BETWEEN 2 AND 3::bigint', NULL), ('big', 'big > 4 AND big < 6', NULL),
	('bounded', 'bounded BETWEEN 3 AND 4', NULL), ('bounded % 10', 'bounded BETWEEN 3 AND 4', NULL), ('k % 10', 'k BETWEEN 3 AND 4', NULL), ('k / 10', 'k BETWEEN 3 AND 45', '{3,4}'),
	('d', 'd BETWEEN ''2024-02-01'' AND ''2024-02-03''', NULL), ('d', 'd >= ''2024-02-01'' AND d < date ''2024-02-01'' + interval ''2 days''', NULL), ('d', 'd > timestamp ''2024-02-01 12:00'' AND d <= timestamp ''2024-02-03 12:00''', NULL),
	('extract(year FROM d)', 'd >= date ''2024-01-01'' AND d < date ''2024-01-01'' + interval ''3 years''', NULL), ('to_char(d, ''YYYY-MM'')', 'd > ''2024-01-31'' AND d <= ''2024-04-30''', NULL),
	('date_trunc(''month'', ts)', 'ts >= date ''2024-01-01'' AND ts < ''2024-03-01''', NULL), ('date_trunc(''month'', ts)', 'ts >= date ''2024-01-01'' AND ts <= date ''2024-03-01''', '{2024-03-01 00:00:00}'), ('ts::date', 'ts BETWEEN ''2024-01-05'' AND ''2024-01-07 12:00''', NULL),
	('date_trunc(''day'', tz)', 'tz >= ''2024-01-05 00:00Z'' AND tz < ''2024-01-07 00:00Z''', NULL)) AS v (k, c, b);

-- bounds of a wider type than the column, beyond its range
SELECT t.groups(k, c, b) FROM (VALUES
	('small / 100', 'small BETWEEN 0 AND 65537', (SELECT array_agg(i)::text FROM generate_series(1, 327) AS i)), ('small', 'small BETWEEN 32767 AND 32769', '{32767}'), ('k', 'k BETWEEN 2147483646 AND 2147483650', '{2147483646,2147483647}')) AS v (k, c, b);
SELECT alike(t.run('gate_ann', 'SELECT count(*) FROM (SELECT k / 10, count(*) FROM stated WHERE k BETWEEN 0 AND 4294967301 GROUP BY 1) AS q'), '0A000: GROUP BY of values that are not public needs a delta%', 'not as if it wrapped around');
SELECT is(t.run('gate_ann', 'SELECT string_agg(small::text, '','') FROM (SELECT small, dp_count(*) FROM stated WHERE small BETWEEN 32767 AND 32769 GROUP BY 1) AS q'), '32767', 'no value that the type does not have');
SELECT is(t.run('gate_ann', 'SELECT string_agg(small::text, '','') FROM (SELECT small, dp_count(*) FROM stated WHERE small BETWEEN 65533 AND 65540 GROUP BY 1) AS q'), '32767', 'nor what it would wrap around to');

-- not without a delta: nothing, or too much, is left
SELECT alike(t.run('gate_ann', format('SELECT count(*) FROM (SELECT %s, count(*) FROM stated WHERE %s GROUP BY 1) AS q', k, c)), '0A000: GROUP BY of values that are not public needs a delta%', k || ' where ' || c) FROM (VALUES
	('k', 'NOT k IN (1, 2)'), ('k', 'k <> 1'), ('k', 'k = 1 OR s = ''s1'''), ('k', '(k = 1) IS NOT FALSE'), ('k', 'k > 1'), ('k', 'k < 1 OR (k > 3 AND k < 5)'), ('k', 'k <> ALL (ARRAY[1])'), ('k', 'k = ALL (ARRAY[1, 2])'),
	('k', 'big = 3'), ('s', 's >= ''s1'' AND s <= ''s2'''), ('k', 'k BETWEEN 1 AND 100000'), ('k', 'k = big'), ('s', 'lower(s) = ''s1'''), ('l', 'l = ''l1'''), ('n', 'n BETWEEN 1 AND 2'),
	('ts', 'ts BETWEEN ''2024-01-01'' AND ''2024-01-02'''), ('d', 'd BETWEEN ''-infinity'' AND ''infinity'''), ('tz::date', 'tz BETWEEN ''2024-01-01 00:00Z'' AND ''infinity''')) AS v (k, c);
SELECT alike(t.run('gate_ann', 'SELECT s.k, count(*) FROM numbers LEFT JOIN stated AS s ON s.u = x AND s.k IN (1, 2) GROUP BY 1'), '0A000: %', 'the condition of an outer join leaves null');
SELECT alike(t.run('gate_ann', 'SELECT k, count(*) FILTER (WHERE k = 1) FROM stated GROUP BY 1'), '0A000: GROUP BY of values that are not public%', 'a filter leaves other rows');

-- an operator of a user's is none of equality
SET ROLE gate_ann;
CREATE FUNCTION gate_ann.always(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR gate_ann.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = gate_ann.always);
RESET ROLE;
SELECT alike(t.run('gate_ann', 'SELECT k, count(*) FROM stated WHERE k OPERATOR(gate_ann.=) 1 GROUP BY 1'), '0A000: %', 'another =');

-- EXPLAIN, and no more choices than values
SELECT is(t.explained($$SELECT date_trunc('month', ts), k, count(*) FROM stated WHERE ts >= '2024-01-01' AND ts < '2024-03-01' AND k IN (1, 2) GROUP BY 1, 2$$, 'Public Group Key'),
	'date_trunc(''month''::text, ts) (bounds of the conditions, 2 values), k (values of the conditions, 2 values)', 'EXPLAIN');

SELECT * FROM finish();
\ir support/gate_end.sql
