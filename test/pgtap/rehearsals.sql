-- dp_noise.rehearse(): invented rows in the shape of a protected relation.
\ir support/gate.sql
SELECT no_plan();
SELECT dp_noise.set_values('public.patients', 'city', '{city1,city2,city3}');
SELECT dp_noise.set_bounds('public.patients', 'born', '1950-01-01', '1980-12-31'), dp_noise.set_bounds('public.patients', 'seen', '2020-01-01', '2020-01-01 06:00');
GRANT TEMPORARY ON DATABASE :DBNAME TO PUBLIC;
-- What the last of several statements of somebody's returns.
CREATE FUNCTION t.last(who text, VARIADIC commands text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	command text;
	result text;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	BEGIN
		FOREACH command IN ARRAY commands LOOP
			IF command ~ '^SELECT' THEN
				EXECUTE command INTO result;
			ELSE
				EXECUTE command;
			END IF;
		END LOOP;
		RAISE SQLSTATE 'T0001' USING MESSAGE = coalesce(result, 'null'); -- undoes all of it
	EXCEPTION WHEN SQLSTATE 'T0001' THEN
		result := SQLERRM;
	WHEN OTHERS THEN
		result := SQLSTATE || ': ' || SQLERRM;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'')', 'SELECT count(*) FROM pg_temp.patients'), '1000', 'a temporary table of the name');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'', 50)', 'SELECT count(*) || '' '' || count(DISTINCT id) FROM patients'), '50 50', 'which stands for the relation; each row a unit');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'')',
	'SELECT min(age) >= 0 AND max(age) = 120 AND min(bmi) = 10 AND max(bmi) = 60 AND count(DISTINCT age) > 100 AND min(born) = ''1950-01-01'' AND max(born) = ''1980-12-31'' AND min(seen) = ''2020-01-01'' AND max(seen) <= ''2020-01-01 06:00'' FROM pg_temp.patients'), 'true', 'between bounds');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'')', 'SELECT array_agg(DISTINCT city ORDER BY city)::text || array_agg(DISTINCT feeling ORDER BY feeling)::text || array_agg(DISTINCT smoker)::text FROM pg_temp.patients'),
	'{city1,city2,city3}{sad,ok,happy}{f,t}', 'of public values');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'')',
	'SELECT string_agg(attname || '' '' || atttypid::regtype, '', '' ORDER BY attnum) FROM pg_attribute WHERE attrelid = ''pg_temp.patients''::regclass AND attnum > 0'),
	(SELECT string_agg(attname || ' ' || CASE attname WHEN 'grown' THEN 'integer' ELSE atttypid::regtype::text END, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'public.patients'::regclass AND attnum > 0), 'columns and their types, beneath domains');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'')', 'SELECT dp_noise.rehearse(''public.patients'', 3)', 'SELECT count(*) FROM pg_temp.patients_2'), '3', 'another name where it is taken');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'', 0)'), '22023: row_count must be between 1 and 1000000', 'some rows');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'', 1000001)'), '22023: row_count must be between 1 and 1000000', 'not too many');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.numbers'')'), '42501: role gate_ann has no budget to ask about relation public.numbers', 'protected relations alone');
SELECT is(t.last('gate_owner', 'SELECT dp_noise.rehearse(''public.patients'')'), '42501: role gate_owner has no budget to ask about relation public.patients', 'for askers');
SELECT is((SELECT count(*) FROM dp_noise.ledger), 0::bigint, 'nothing is charged');

-- extremes: of bounds, of types, of numbers of rows
SET ROLE gate_owner;
CREATE TABLE public.extremes (person smallint, a smallint, b bigint, c real, d double precision, e numeric, f date, g timestamp, h timestamptz, i time, j interval, k date, l int, m char(3), "N ""n" int4range, o bytea);
SELECT dp_noise.protect('public.extremes', 'person', max_rows_per_unit => 7, epsilon => 1), dp_noise.set_budget('gate_ann', 'public.extremes', 1);
SELECT dp_noise.set_bounds('public.extremes', 'a', -1e9, 1e9), dp_noise.set_bounds('public.extremes', 'b', -1e30, 1e30), dp_noise.set_bounds('public.extremes', 'c', -1e300, 1e300),
	dp_noise.set_bounds('public.extremes', 'd', '-1e3000', '1e3000'), dp_noise.set_bounds('public.extremes', 'e', '-1e3000', '1e3000'), dp_noise.set_bounds('public.extremes', 'f', '4713-01-01 BC', '294276-12-31'),
	dp_noise.set_bounds('public.extremes', 'g', '4713-01-02 BC', '294276-12-31'), dp_noise.set_bounds('public.extremes', 'h', '4713-01-02 BC', '294276-12-31'), dp_noise.set_bounds('public.extremes', 'i', '00:00', '24:00'),
	dp_noise.set_bounds('public.extremes', 'j', '-100000 years', '100000 years'), dp_noise.set_bounds('public.extremes', 'k', '2020-01-01', '2020-01-01');
RESET ROLE;
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.extremes'', 271000)', 'SELECT count(*) FROM pg_temp.extremes'), '271000', 'many rows');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.extremes'', 700)', 'SELECT count(*) || '' '' || max(n) FROM (SELECT count(*) AS n FROM pg_temp.extremes GROUP BY person) AS s'), '100 7', 'as many rows of a unit as count');
SELECT is(t.last('gate_ann', 'SET timezone = ''Pacific/Kiritimati''', 'SELECT dp_noise.rehearse(''public.extremes'')', 'SELECT bool_and(f BETWEEN ''4713-01-01 BC'' AND ''294276-12-31'' AND k = ''2020-01-01'' AND i BETWEEN ''00:00'' AND ''24:00'') FROM pg_temp.extremes'), 'true', 'within extreme bounds');

-- attacks: an owner's code does not run as the analyst
SET ROLE gate_owner;
CREATE FUNCTION public.spy(x text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'I am %', current_user; END $$;
CREATE DOMAIN public.spied AS text CHECK (public.spy(VALUE));
CREATE TYPE public.pair AS (a public.spied, b int);
CREATE TABLE public.traps (id int PRIMARY KEY, a public.spied, b public.pair, c public.spied[], "d'); DROP TABLE x; --" int DEFAULT 1);
SELECT dp_noise.protect('public.traps', 'id', epsilon => 1), dp_noise.set_budget('gate_ann', 'public.traps', 1), dp_noise.set_values('public.traps', 'a', NULL);
RESET ROLE;
-- An enum whose owner has made a cast from text: it is not called.
SET ROLE gate_owner;
CREATE TYPE public.feelings AS ENUM ('good', 'bad');
CREATE FUNCTION public.spy_on(text) RETURNS public.feelings LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'I am %', current_user; END$$;
CREATE CAST (text AS public.feelings) WITH FUNCTION public.spy_on(text);
CREATE TABLE public.felt (id int PRIMARY KEY, f public.feelings);
SELECT dp_noise.protect('public.felt', 'id', epsilon => 1), dp_noise.set_budget('gate_ann', 'public.felt', 1);
RESET ROLE;
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.felt'', 50)', 'SELECT string_agg(DISTINCT f::text, '' '') FROM pg_temp.felt'), 'bad good', 'values of an enum');
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.traps'', 5)', 'SELECT string_agg(atttypid::regtype::text, '' '' ORDER BY attnum) FROM pg_attribute WHERE attrelid = ''pg_temp.traps''::regclass AND attnum > 0'),
	'integer text text text integer', 'constraints of domains are not called');
-- what an analyst has made in the session is not called by the function either
SELECT is(t.last('gate_ann', 'CREATE FUNCTION pg_temp.floor(numeric) RETURNS numeric LANGUAGE sql AS ''SELECT 1/0.0''', 'SET search_path = pg_temp, public', 'SELECT dp_noise.rehearse(''public.patients'')', 'SELECT count(*) FROM pg_temp.patients'), '1000', 'the server''s functions');
-- a budget for one relation is none for another
SELECT dp_noise.set_budget('gate_bob', 'public.patients', 1, relations => '{}');
SELECT is(t.last('gate_bob', 'SELECT dp_noise.rehearse(''public.patients'')'), '42501: role gate_bob has no budget to ask about relation public.patients', 'nor who may not ask about it');
-- no row of the relation is read
SELECT is(t.last('gate_ann', 'SELECT dp_noise.rehearse(''public.patients'', 1000)', 'SELECT count(*) FROM pg_temp.patients WHERE name LIKE ''name%'''), '0', 'no value is the relation''s');

SELECT * FROM finish();
\ir support/gate_end.sql
