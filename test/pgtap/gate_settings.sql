-- Beneath a release no setting of whoever asks counts, but for a few.
\ir support/gate.sql
SELECT no_plan();

-- All settings, as an owner's code sees them while a question is planned: the
-- predicate of an index is evaluated then.
SET ROLE gate_owner;
CREATE TABLE gate_owner.seen (name text, setting text);
CREATE FUNCTION gate_owner.look() RETURNS void LANGUAGE sql AS
	'INSERT INTO gate_owner.seen SELECT name, setting FROM pg_settings UNION ALL SELECT ''my.own'', current_setting(''my.own'', true)';
CREATE FUNCTION gate_owner.is_seen(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	$$ BEGIN IF to_regclass('gate_owner.looks') IS NOT NULL THEN PERFORM gate_owner.look(); END IF; RETURN true; END $$;
CREATE TABLE public.looked_at (x integer);
SELECT dp_noise.protect('public.looked_at', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.looked_at', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.looked_at', 1e12);
CREATE INDEX ON public.looked_at (x) WHERE gate_owner.is_seen(1);
CREATE TABLE gate_owner.looks ();
RESET ROLE;

-- What stays, or is fixed to something else.
CREATE TABLE t.others (name text);
INSERT INTO t.others
SELECT name FROM pg_settings
WHERE name ~ '^(dp_noise\.|transaction_|default_transaction_|debug_print_|tcp_|idle_|max_stack)|_timeout$'
	OR name IN ('role', 'session_authorization', 'seed', 'search_path', 'temp_buffers', 'application_name', 'client_connection_check_interval', 'stats_fetch_consistency',
		'exit_on_error', 'client_min_messages', 'trace_sort', 'work_mem', 'jit', 'temp_tablespaces', 'gin_fuzzy_search_limit', 'enable_eager_aggregate');
CREATE TABLE t.before AS SELECT name, setting FROM pg_settings WHERE context = 'user' AND name NOT IN (SELECT name FROM t.others);
GRANT SELECT ON t.before TO gate_ann;

-- Each gets another value, as far as the server takes one.
CREATE FUNCTION t.set_all() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s record;
BEGIN
	PERFORM set_config('my.own', 'x', false);
	FOR s IN SELECT p.*, CASE
			WHEN p.vartype = 'bool' THEN ARRAY[CASE p.setting WHEN 'on' THEN 'off' ELSE 'on' END]
			WHEN p.vartype = 'enum' THEN p.enumvals
			WHEN p.vartype IN ('integer', 'real') THEN ARRAY[(p.setting::numeric + 1)::text, (p.setting::numeric - 1)::text, p.min_val, p.max_val]
			ELSE ARRAY['LATIN1', 'German, YMD', 'Asia/Tokyo', 'C', 'POSIX', 'Australia', 'pg_catalog.german', 'pg_default', 'x'] END AS candidates
		FROM pg_settings AS p JOIN t.before AS b USING (name)
	LOOP
		FOR i IN 1 .. cardinality(s.candidates) LOOP
			CONTINUE WHEN s.candidates[i] = s.setting;
			BEGIN
				PERFORM set_config(s.name, s.candidates[i], false);
				EXIT;
			EXCEPTION WHEN OTHERS THEN
				NULL;
			END;
		END LOOP;
	END LOOP;
END
$$;

-- As a login of the analyst's would, whose settings are not a superuser's.
SET SESSION AUTHORIZATION gate_ann;
SET search_path = public;
SELECT t.set_all();
CREATE TEMPORARY TABLE changed AS SELECT p.name, p.setting FROM pg_catalog.pg_settings AS p JOIN t.before AS b USING (name) WHERE p.setting IS DISTINCT FROM b.setting;
SET exit_on_error = on;
SELECT dp_count(*) FROM public.looked_at \g /dev/null
\set failed :ERROR
RESET exit_on_error;
CREATE TEMPORARY TABLE after AS SELECT name, setting FROM pg_catalog.pg_settings;
RESET ALL;
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
SET search_path = public, t;

SELECT is(:'failed'::text, 'false', 'the question is answered under strange settings');
SELECT cmp_ok(count(*), '>', 80::bigint, 'most settings were changed') FROM changed;
SELECT ok(count(*) > 0, 'and seen') FROM gate_owner.seen;
SELECT is((SELECT string_agg(DISTINCT format('%s: %L', s.name, s.setting), ', ') FROM gate_owner.seen AS s JOIN t.before AS b USING (name) WHERE replace(s.setting, '"', '') IS DISTINCT FROM b.setting),
	NULL, 'none of them beneath the release');
SELECT is(array_agg(DISTINCT setting), '{""}'::text[], 'nor one that nobody defined') FROM gate_owner.seen WHERE name = 'my.own';
SELECT is(array_agg(DISTINCT setting), '{off}'::text[], name) FROM gate_owner.seen WHERE name IN ('exit_on_error', 'track_activities', 'track_counts', 'jit') GROUP BY name;
SELECT is((SELECT string_agg(name, ' ') FROM changed JOIN after USING (name) WHERE changed.setting IS DISTINCT FROM after.setting), NULL, 'all of them afterwards');
DROP TABLE gate_owner.looks;

-- An index that returns some rows, as chance has it: the sensitivity of a count
-- would not hold.
CREATE EXTENSION btree_gin;
SET ROLE gate_owner;
CREATE TABLE public.often (id integer PRIMARY KEY, d integer);
INSERT INTO public.often SELECT i, CASE WHEN i <= 12000 THEN 7 ELSE i END FROM generate_series(1, 60000) AS i;
CREATE INDEX ON public.often USING gin (d) WITH (fastupdate = off);
ANALYZE public.often;
SELECT dp_noise.protect('public.often', privacy_unit => 'id', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.often', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.often', 1e12);
RESET ROLE;
SET SESSION AUTHORIZATION gate_ann;
SET dp_noise.epsilon = 1000;
SET gin_fuzzy_search_limit = 1000;
SELECT dp_count(*) AS fuzzy FROM public.often WHERE d = 7 \gset
RESET SESSION AUTHORIZATION;
SELECT is(:fuzzy, 12000, 'a limit of the analyst''s');
SET gin_fuzzy_search_limit = 1000;
SET SESSION AUTHORIZATION gate_ann;
SELECT dp_count(*) AS fuzzy FROM public.often WHERE d = 7 \gset
RESET SESSION AUTHORIZATION;
RESET gin_fuzzy_search_limit;
SELECT is(:fuzzy, 12000, 'nor one of the administrators');

-- Nor is an index of an access method used that is not known to return all rows:
-- this one finds none.
CREATE FUNCTION t.compare(integer, integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT -1';
CREATE OPERATOR CLASS t.lossy_ops FOR TYPE integer USING gin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 t.compare(integer, integer), FUNCTION 2 gin_extract_value_int4(integer, internal),
	FUNCTION 3 gin_extract_query_int4(integer, internal, smallint, internal, internal),
	FUNCTION 4 gin_btree_consistent(internal, smallint, anyelement, integer, internal, internal),
	FUNCTION 5 gin_compare_prefix_int4(integer, integer, smallint, internal), STORAGE integer;
DROP INDEX public.often_d_idx;
CREATE INDEX lossy ON public.often USING gin (d t.lossy_ops) WITH (fastupdate = off);
ANALYZE public.often;
SET enable_seqscan = off;
SELECT is(count(*), 0::bigint, 'the index finds nothing') FROM public.often WHERE d = 20000;
SET SESSION AUTHORIZATION gate_ann;
SELECT dp_count(*) AS lossy FROM public.often WHERE d = 20000 \gset
RESET SESSION AUTHORIZATION;
RESET enable_seqscan;
SELECT is(:lossy, 1, 'and is not used beneath a release');

SELECT * FROM finish();
\ir support/gate_end.sql
