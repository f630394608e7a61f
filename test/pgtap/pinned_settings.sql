-- The extension's functions in SQL and PL/pgSQL mean the same under whatever the
-- caller or the database's owner sets: their texts are read when they are
-- called. With standard_conforming_strings = off check() failed, and paths to a
-- privacy unit were taken apart wrongly.

BEGIN;
-- Version 19 has no other strings.
SELECT current_setting('server_version_num')::integer < 190000 AS has_other_strings \gset
SELECT plan(CASE WHEN :'has_other_strings' THEN 12 ELSE 11 END);

SELECT is(string_agg(p.oid::regprocedure::text, ', '), NULL, 'all functions whose bodies are texts have fixed settings')
FROM pg_depend AS d
JOIN pg_proc AS p ON p.oid = d.objid
JOIN pg_language AS l ON l.oid = p.prolang
WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise')
	AND l.lanname IN ('sql', 'plpgsql') AND p.prosqlbody IS NULL
	AND NOT coalesce(p.proconfig, '{}') @> '{standard_conforming_strings=on,quote_all_identifiers=off,transform_null_equals=off,array_nulls=on}';

CREATE ROLE pinned_owner;
CREATE ROLE pinned_ann;
CREATE SCHEMA pinned AUTHORIZATION pinned_owner;
SET LOCAL ROLE pinned_owner;
CREATE TABLE pinned.people (id integer PRIMARY KEY, "odd""name" integer UNIQUE);
CREATE TABLE pinned.visits (id integer PRIMARY KEY, person integer REFERENCES pinned.people);
RESET ROLE;

-- What the functions say: everything but names, which regclass quotes for whoever reads them.
CREATE FUNCTION said() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	SET LOCAL ROLE pinned_owner;
	PERFORM dp_noise.protect('pinned.people', privacy_unit => 'id', epsilon => 1e6, delta => 1);
	PERFORM dp_noise.protect('pinned.visits', privacy_unit => 'person -> people', max_rows_per_unit => 2);
	PERFORM dp_noise.set_budget('pinned_ann', 'pinned.visits', 10, period => '1 day');
	SELECT string_agg(replace(concat_ws('|', severity, object, finding, remedy), '"', ''), E'\n' ORDER BY object, finding) INTO result FROM dp_noise.check() WHERE object ~ 'pinned';
	SELECT concat_ws(E'\n', result, string_agg(replace(p::text, '"', ''), E'\n' ORDER BY p::text)) INTO result FROM dp_noise.protected_relations AS p;
	RESET ROLE;
	SELECT concat_ws(E'\n', result, count(*)) INTO result FROM dp_noise.check();
	RAISE EXCEPTION USING ERRCODE = 'PT000', MESSAGE = result;
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLSTATE WHEN 'PT000' THEN SQLERRM ELSE SQLSTATE || ' ' || SQLERRM END;
END
$$;
CREATE TABLE usual AS SELECT said();
SELECT unalike(said, '_____ %', 'the functions work') FROM usual;

-- As set for the database: before the functions are read for the first time in a
-- session, and after.
CREATE FUNCTION said_under(setting text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config(setting, value, true);
	result := public.said();
	EXECUTE format('RESET %s', setting);
	RETURN result;
END
$$;
DISCARD PLANS;
SELECT is(said_under(s[1], s[2]), said, s[1] || ' = ' || s[2])
FROM usual, (VALUES (ARRAY['standard_conforming_strings', 'off']), (ARRAY['quote_all_identifiers', 'on']), (ARRAY['transform_null_equals', 'on']), (ARRAY['array_nulls', 'off']),
	(ARRAY['backslash_quote', 'off']), (ARRAY['bytea_output', 'escape']), (ARRAY['extra_float_digits', '-15']), (ARRAY['xmlbinary', 'hex']), (ARRAY['search_path', 'pg_temp']), (ARRAY['row_security', 'off'])) AS v (s)
WHERE :'has_other_strings' OR s[1] <> 'standard_conforming_strings';

SELECT * FROM finish();
ROLLBACK;
