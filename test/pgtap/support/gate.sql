-- What the tests of the gate share: a protected table, its owner, an analyst
-- without any privilege on it, and ways to act as that analyst. Repeated questions
-- are answered anew.
--
-- Charges are made by another process, so nothing here runs in a transaction
-- block. gate_end.sql removes what belongs to the whole server.

\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset pager off
SET client_min_messages = warning;
CREATE SCHEMA t;
GRANT USAGE ON SCHEMA t TO PUBLIC;
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY '{gate_owner,gate_ann,gate_bob}'::text[] LOOP
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
			EXECUTE format('CREATE ROLE %I LOGIN', name);
		END IF;
		EXECUTE format('CREATE SCHEMA %I AUTHORIZATION %1$I', name);
		EXECUTE format('GRANT USAGE, CREATE ON SCHEMA public TO %I', name);
	END LOOP;
END
$$;

SET ROLE gate_owner;
CREATE TYPE public.mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN public.years AS integer;
CREATE TABLE public.patients (
	id integer PRIMARY KEY,
	age integer NOT NULL,
	small smallint,
	big bigint,
	bmi double precision,
	temperature real,
	weight numeric,
	name text,
	city text COLLATE "C",
	code character(5),
	label varchar(10),
	smoker boolean,
	born date,
	seen timestamptz,
	feeling public.mood,
	grown public.years,
	token uuid,
	visits integer[],
	notes jsonb
);
INSERT INTO public.patients
SELECT i, i % 90, i % 100, i, 20 + i % 15, 36 + i % 4, 50 + i % 40, 'name' || i, 'city' || i % 10, 'c' || i % 7, 'l' || i % 5,
	i % 3 = 0, date '1950-01-01' + i, timestamptz '2020-01-01 00:00Z' + i * interval '1 hour', 'ok', i % 90,
	lpad(to_hex(i), 32, '0')::uuid, ARRAY[i], jsonb_build_object('i', i)
FROM generate_series(1, 1000) AS i;
CREATE INDEX ON public.patients (age);
SELECT dp_noise.protect('public.patients', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('public.patients', 'age', 0, 120);
SELECT dp_noise.set_bounds('public.patients', 'bmi', 10, 60);
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget(role, 'public.patients', 1000000, delta => 1)
FROM unnest('{gate_ann,gate_bob}'::regrole[]) AS role;
CREATE TABLE public.numbers (x integer);
INSERT INTO public.numbers SELECT generate_series(1, 10);
GRANT SELECT ON public.numbers TO PUBLIC;
RESET ROLE;
VACUUM ANALYZE public.patients;

-- Runs a statement as if somebody had logged in: the first value of what
-- returns rows, or SQLSTATE and message.
CREATE FUNCTION t.run(who text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	PERFORM set_config('search_path', quote_ident(who) || ', public', false);
	BEGIN
		IF command ~* '^\s*(select|values|explain|fetch|show|execute|with \w+ as (not )?(materialized )?\(select)' AND command !~* 'insert into' THEN
			EXECUTE command INTO result;
		ELSE
			EXECUTE command;
		END IF;
	EXCEPTION WHEN OTHERS THEN
		result := SQLSTATE || ': ' || SQLERRM;
	END;
	RESET search_path;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;

-- Number of charges so far.
CREATE FUNCTION t.charges() RETURNS bigint LANGUAGE sql VOLATILE AS
'SELECT count(*) FROM dp_noise.ledger';

-- The analyst's statement works, and charges so many aggregates.
CREATE FUNCTION t.accept(command text, charges bigint DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	result text := t.run('gate_ann', command);
BEGIN
	RETURN is(
		CASE WHEN result ~ '^[0-9A-Z]{5}: ' THEN result ELSE t.charges() - before || ' charges' END,
		charges || ' charges', 'accepted: ' || command);
END
$$;

-- It fails with this SQLSTATE, and charges nothing.
CREATE FUNCTION t.refuse(state text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	result text := t.run('gate_ann', command);
BEGIN
	RETURN is(
		CASE WHEN t.charges() > before THEN 'charged' WHEN left(result, 5) = state THEN state ELSE 'got ' || coalesce(result, 'null') END,
		state, 'refused: ' || command);
END
$$;

-- What EXPLAIN tells the analyst in the lines of that name.
CREATE FUNCTION t.explained(command text, line text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	FOR found IN EXECUTE 'EXPLAIN ' || command LOOP
		IF btrim(found) LIKE line || ': %' THEN
			result := concat_ws(' ', result, split_part(found, ': ', 2));
		END IF;
	END LOOP;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
