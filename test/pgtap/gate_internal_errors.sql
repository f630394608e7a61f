-- No statement of an analyst ends in an internal error: of whatever aggregate,
-- type, privacy unit and argument, run, explained or prepared.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.zoo (
	id integer NOT NULL, person integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric, t text COLLATE "C", v varchar(5),
	c character(3), b boolean, d date, ts timestamp, tz timestamptz, iv interval, u uuid, m money, bits bit(4), e public.mood, y public.years,
	a integer[], j jsonb, r int4range, by bytea, nm name, ch "char", o oid, l pg_lsn, tv tsvector, ip inet, p point
);
INSERT INTO public.zoo (id, person, i2, i4, i8, f4, f8, n, t, b, e)
SELECT i, i % 3, i, i, i, i, i, i, 'x', true, 'ok' FROM generate_series(1, 20) AS i;
CREATE TABLE public.keeper (LIKE public.zoo);
ALTER TABLE public.keeper ADD UNIQUE (id), ADD UNIQUE (m), ADD UNIQUE (bits), ADD UNIQUE (u), ADD UNIQUE (ts), ADD UNIQUE (n), ADD UNIQUE (t), ADD UNIQUE (by),
	ADD UNIQUE (c), ADD UNIQUE (ip), ADD UNIQUE (l), ADD UNIQUE (tv), ADD UNIQUE (r), ADD UNIQUE (a), ADD UNIQUE (e), ADD UNIQUE (iv), ADD UNIQUE (nm), ADD UNIQUE (o);
GRANT SELECT ON public.keeper TO PUBLIC;
SELECT dp_noise.protect('public.zoo', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.zoo', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.zoo', 1e12, delta => 1);
RESET ROLE;
GRANT USAGE ON SCHEMA public TO gate_ann;

-- The errors that are internal, or that speak of what no analyst wrote.
CREATE FUNCTION t.internal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('search_path', 'public', true);
	PERFORM set_config('session_authorization', 'gate_ann', true);
	BEGIN
		EXECUTE statement;
	EXCEPTION WHEN OTHERS THEN
		IF SQLSTATE LIKE 'XX%' OR SQLERRM LIKE '%\_of\_rows%' OR SQLERRM LIKE '%\_of\_units%' OR SQLERRM LIKE '%\_state%' OR SQLERRM LIKE '%dp\_lookup%'
			OR SQLERRM LIKE 'the protected relation could not be read%' OR SQLERRM LIKE 'the server''s resources%' THEN
			result := format('%s: %s: %s', statement, SQLSTATE, SQLERRM);
		END IF;
	END;
	RESET session_authorization;
	RETURN result;
END
$$;

-- How the unit may be, each in turn.
CREATE TABLE t.units (place int, name text, statement text);
INSERT INTO t.units VALUES
	(1, 'rows', $$SELECT dp_noise.protect('public.zoo', replace_unit => true)$$),
	(2, 'rows that are exchanged', $$SELECT dp_noise.protect('public.zoo', neighbours => 'substitute', replace_unit => true)$$),
	(3, 'units of several rows', $$SELECT dp_noise.protect('public.zoo', 'person', max_rows_per_unit => 2, replace_unit => true)$$),
	(4, 'units of several rows that are exchanged', $$SELECT dp_noise.protect('public.zoo', 'person', 'substitute', 2, 2, replace_unit => true)$$),
	(5, 'privacy levels', $$SELECT dp_noise.protect('public.zoo', replace_unit => true), dp_noise.set_levels('public.zoo', '{1,2}')$$),
	(6, 'privacy levels, units of several rows', $$SELECT dp_noise.protect('public.zoo', 'person', max_rows_per_unit => 2, replace_unit => true)$$);

CREATE TABLE t.calls (call text);
INSERT INTO t.calls
SELECT format('%s(%s%s)', f, x, more)
FROM unnest('{dp_sum,dp_mean,dp_max,dp_min,dp_median,dp_median_exp,dp_variance,dp_stddev,dp_regression,dp_count,dp_count_distinct,dp_mode,dp_bounds}'::text[]) AS f,
	unnest('{i4,f4,n,e,y,a,NULL::int,CASE WHEN b THEN i4 END}'::text[]) AS x,
	unnest(ARRAY['', ', 0, 10', ', NULL, NULL', ', 0, 10, NULL', ', 0, 10, 1, NULL', ', 1', ', 1, NULL', ', i4, 10']) AS more
UNION ALL
SELECT format('dp_mode(%s, %s)', x, y)
FROM unnest('{i4,y,NULL::int}'::text[]) AS x, unnest(ARRAY['ARRAY[1, 2]', 'NULL::int[]', 'ARRAY[]::int[]', 'ARRAY[NULL]::int[]', $$'{{1,2},{3,4}}'::int[]$$, 'ARRAY[1, 2], 1', 'ARRAY[i4]']) AS y;
INSERT INTO t.calls
SELECT format('%s(%s, %s%s)', f, x, q, more)
FROM unnest('{dp_quantile_exp,dp_quantiles_exp}'::text[]) AS f, unnest('{i4,n}'::text[]) AS x,
	unnest(ARRAY['0.5', 'NULL', 'ARRAY[0.5]', 'ARRAY[NULL]::float8[]', 'f8', $$'{{0.1},{0.2}}'::float8[]$$]) AS q, unnest(ARRAY['', ', 0, 10', ', NULL, NULL']) AS more;
INSERT INTO t.calls VALUES ('dp_count(*)'), ('dp_count(*) FILTER (WHERE b)'), ('dp_count(zoo)'), ('dp_count(zoo.*)'), ('dp_count((i4, i8))'), ('dp_count(ctid)'), ('dp_count(DISTINCT i4)'),
	('dp_sum(i4 ORDER BY i4)'), ('dp_count(VARIADIC a)'), ('dp_count(dp_count(*))'), ('dp_count(*) OVER ()'), ('dp_sum(i4) OVER ()'), ('dp_mode(e)'), ('dp_mode(b)'), ('dp_count_distinct(person)');

-- Questions of all kinds: grouped and joined by columns of all types.
CREATE TABLE t.questions AS
SELECT call || ' FROM zoo' AS question FROM t.calls
UNION ALL
SELECT format('%1$s, dp_count(*) FROM zoo GROUP BY %1$s', quote_ident(column_name))
FROM information_schema.columns WHERE table_name = 'zoo'
UNION ALL
SELECT format('k.%1$s, dp_count(*) FROM zoo AS z %2$s JOIN keeper AS k ON k.%3$s = z.%3$s GROUP BY k.%1$s', key, kind, quote_ident(column_name))
FROM information_schema.columns, unnest('{i4,m}'::text[]) AS key, unnest('{"",LEFT}'::text[]) AS kind WHERE table_name = 'zoo'
UNION ALL
SELECT 'dp_count(*) FROM zoo WHERE ' || condition FROM unnest(ARRAY['zoo IS NULL', 'zoo IS NOT NULL', 'zoo = zoo', 'ROW(i4, i8) = ROW(1, 2)', 'ROW(i4, i8) IS NULL', 'i4 = ANY (a)', 'a[1] = 1', 'j ->> 1 = ''x''',
	'i4 = $1', 'CASE i4 WHEN 1 THEN true WHEN 2 THEN NULL END', 'CASE WHEN b THEN i4 = 1 END', 'NOT (i4 IN (1, NULL))', 'i4 IN (SELECT 1)', 'EXISTS (SELECT 1)', 'NULL', 'NOT NULL', 'b IS UNKNOWN', '(b AND NULL) IS NOT TRUE',
	'i4 BETWEEN SYMMETRIC 3 AND 1', 'i4 IS DISTINCT FROM NULL', 'NULLIF(i4, NULL) = 1', 'COALESCE(NULL, i4, 1) = 1', 'GREATEST(i4, 1) = 1', '-i4 = 1', '@ i4 = 1', 'i4 = ALL (ARRAY[1, 2])', 'i4 <> ALL (ARRAY[]::int[])', 't LIKE ''x%''',
	't COLLATE "POSIX" = ''x''', 'current_date = d', 'y = 1', 'y::int4 = 1', 'e = ''ok''', 'e > ''sad''', 'c = ''x''', 'v = ''x''::bpchar', 'tableoid = 1', 'ctid = ''(0,1)''', 'i4 = (i8)::int4', 'xmlexists(''//a'' PASSING ''<a/>'')',
	't = bpchar(''x'', 2147483647, false)', 't = varchar(''x'', 2147483647, true)', 't = lpad(''x'', 2147483647, ''y'')', 't = rpad(''x'', 2147483647, ''y'')', 't = repeat(''x'', 2147483647)', 'bits = bit(B''1'', 2147483647, false)',
	'bits = varbit(B''1'', 2147483647, true)', 'n = round(n, 2147483647)', 'n = numeric(n, 2147483647)', 't = repeat(''xxxxxxxx'', 268435455)', 't = bpchar(t, 2147483647, false)', 't = bpchar(c, 2147483647, true)', 't = overlay(t placing t from 2147483647 for 2147483647)',
	'(SELECT true)', 'GROUPING(i4) = 0', 'i4 IS JSON', 'true IN (b, NULL)', '(i4, i8) IN ((1, 2), (NULL, 3))', '(i4, i8) < (1, 2)']) AS condition
UNION ALL
SELECT q FROM unnest(ARRAY['dp_count(s) FROM (SELECT * FROM zoo) AS s', 'dp_count(s.*) FROM (SELECT * FROM zoo) AS s', 'dp_count(s.i4) FROM (SELECT i4, 1 AS one, NULL AS nothing FROM zoo) AS s WHERE nothing IS NULL AND one = 1',
	'dp_sum(s.i) FROM (SELECT i4 AS i FROM zoo) AS s', 'dp_sum(s.i) FROM (SELECT i4 + 1 AS i FROM zoo) AS s', 's.nothing, dp_count(*) FROM (SELECT NULL AS nothing FROM zoo) AS s GROUP BY s.nothing', 'dp_count(*) FROM (SELECT FROM zoo) AS s',
	'dp_count(*) FROM (TABLE zoo) AS s JOIN keeper USING (id)', 'dp_sum(k.i4) FROM zoo JOIN keeper AS k USING (id)', 'dp_sum(zoo.i4) FROM zoo JOIN keeper AS k USING (id)', 'dp_count(k) FROM zoo JOIN keeper AS k USING (id)',
	'dp_count(*), (SELECT dp_sum(i4) FROM zoo) FROM zoo', 'dp_count(*) FROM zoo HAVING dp_sum(i4) > 0', 'dp_count(*) FROM zoo ORDER BY dp_sum(i4)', 'i4 / 0, dp_count(*) FROM zoo GROUP BY 1', '1 / 0, dp_count(*) FROM zoo GROUP BY 1',
	'1, dp_count(*) FROM zoo GROUP BY 1', 'NULL, dp_count(*) FROM zoo GROUP BY 1', 'NULL::int, dp_count(*) FROM zoo GROUP BY 1', 'b AND b, dp_count(*) FROM zoo GROUP BY 1', 'b, b, dp_count(*) FROM zoo GROUP BY 1, 2', 'i4 + 1, dp_count(*) FROM zoo GROUP BY 1',
	'CASE WHEN b THEN 1 ELSE 2 END, dp_count(*) FROM zoo GROUP BY 1', 'CASE WHEN b THEN 1 ELSE i4 END, dp_count(*) FROM zoo GROUP BY 1', 'nullif(b, true), dp_count(*) FROM zoo GROUP BY 1', 'e::text, dp_count(*) FROM zoo GROUP BY 1',
	'y, dp_count(*) FROM zoo GROUP BY CUBE (y)', 'zoo, dp_count(*) FROM zoo GROUP BY zoo', 'dp_count(*) FROM ONLY zoo', 'dp_count(*) FROM zoo TABLESAMPLE bernoulli (1)', 'dp_count(*) FROM zoo FOR UPDATE', 'dp_count(*) FROM zoo, zoo AS z',
	'dp_count(*) FROM zoo JOIN zoo AS z USING (id)', 'dp_count(*) FROM zoo JOIN zoo AS z USING (person)', 'dp_count(*) FROM zoo JOIN patients USING (id)', 'dp_count(*) FROM zoo NATURAL JOIN keeper', 'dp_noise.release(1)', '* FROM dp_noise.release(1) AS r (x int)']) AS q;

-- Parameters whose values, or types, come late.
CREATE TABLE t.late (statement text);
INSERT INTO t.late VALUES
	($$DO $do$ DECLARE r record; n bigint; BEGIN
		FOR i IN 1 .. 2 LOOP
			IF i = 1 THEN SELECT 1 AS x INTO r; ELSE SELECT 2.5 AS x INTO r; END IF;
			SELECT dp_count(*) INTO n FROM zoo WHERE i4 > r.x;
		END LOOP;
	END $do$ $$),
	($$DO $do$ DECLARE r record; n bigint; BEGIN SELECT dp_count(*) INTO n FROM zoo WHERE i4 > r.x; END $do$ $$),
	($$DO $do$ DECLARE n bigint; l integer := 2147483647; BEGIN SELECT dp_count(*) INTO n FROM zoo WHERE t = bpchar('x', l, false); END $do$ $$);
INSERT INTO t.late
SELECT format('DO $do$ BEGIN EXECUTE %L USING %s; END $do$', kind || 'SELECT ' || call || ' FROM zoo', value)
FROM unnest('{"",EXPLAIN }'::text[]) AS kind,
	unnest(ARRAY['dp_sum(i4, $1, $2)', 'dp_sum(i4, $2, $1)', 'dp_sum(i4, 0, 10, $1)', 'dp_mode(i4, ARRAY[$1, $2])', 'dp_count(*) FILTER (WHERE i4 = $1)', '$1, dp_count(*)', 'dp_count($1)', 'dp_sum($1, 0, 10)', 'dp_sum($1)',
		'dp_quantile_exp(i4, $1, 0, 1)', 'dp_quantiles_exp(i4, ARRAY[$1, $2], 0, 1)', 'dp_count(i4, $1)', 'dp_sum(i4) FILTER (WHERE $1 = $2)']) AS call,
	unnest(ARRAY['1, 2', 'NULL::int, NULL::int', '0.5::float8, 2::float8', 'NULL::float8, 1::float8', '1::numeric, 3::numeric', $$'x'::text, 'y'::text$$]) AS value;

SELECT statement, format($$SELECT is((SELECT string_agg(t.internal(late.statement), E'\n') FROM t.late), NULL, %L)$$, name || ', late parameters'),
	format($$SELECT is((SELECT string_agg(t.internal(kind || question), E'\n') FROM t.questions, unnest('{"EXPLAIN SELECT ","SELECT "}'::text[]) AS kind), NULL, %L)$$, name)
FROM t.units ORDER BY place \gexec

SELECT * FROM finish();
\ir support/gate_end.sql
