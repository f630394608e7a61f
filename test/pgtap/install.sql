-- Installation: every object has a comment, the extension goes into any schema
-- and goes without a trace, every upgrade path ends in what a fresh install
-- gives, and neither the script nor what it makes picks up anything from
-- schemas that others can write to.

SET client_min_messages = warning;
BEGIN;
SELECT no_plan();

\ir support/inventory.sql

-- Objects of all databases' catalogs, as numbers, without the extension's own.
CREATE TEMP TABLE before (catalog text, objects bigint);
CREATE FUNCTION census() RETURNS TABLE (catalog text, objects bigint)
LANGUAGE plpgsql AS $$
BEGIN
	FOREACH catalog IN ARRAY ARRAY['pg_class', 'pg_proc', 'pg_type', 'pg_operator', 'pg_cast', 'pg_namespace', 'pg_aggregate',
		'pg_constraint', 'pg_event_trigger', 'pg_extension', 'pg_description', 'pg_rewrite', 'pg_attrdef', 'pg_sequence', 'pg_init_privs',
		'pg_default_acl', 'pg_collation', 'pg_opclass', 'pg_trigger']
	LOOP
		-- pgTAP makes temporary tables as it goes
		EXECUTE format('SELECT count(*) FROM pg_catalog.%I', catalog) || CASE catalog
			WHEN 'pg_class' THEN ' WHERE relpersistence <> ''t'''
			WHEN 'pg_type' THEN ' WHERE typnamespace <> pg_my_temp_schema()'
			ELSE '' END
		INTO objects;
		RETURN NEXT;
	END LOOP;
END
$$;

------------------------------------------------------------------------------
-- default version, comments

SELECT is((SELECT extversion FROM pg_extension WHERE extname = 'dp_noise'),
	(SELECT default_version FROM pg_available_extensions WHERE name = 'dp_noise'),
	'CREATE EXTENSION installs the default version');
SELECT ok(superuser AND NOT trusted AND NOT relocatable, 'only a superuser may create the extension')
FROM pg_available_extension_versions WHERE name = 'dp_noise' AND installed;

SELECT cmp_ok(count(*), '>', 200::bigint, 'the extension has objects')
FROM pg_depend WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise');
SELECT is_empty($$
	SELECT pg_describe_object(d.classid, d.objid, 0)
	FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.classid
	WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise')
		AND coalesce(obj_description(d.objid, c.relname), '') = ''
		AND NOT (d.classid = 'pg_type'::regclass AND (SELECT typelem <> 0 OR typrelid <> 0 FROM pg_type WHERE oid = d.objid))
		AND NOT (d.classid = 'pg_class'::regclass AND (SELECT relkind IN ('i', 'S') FROM pg_class WHERE oid = d.objid))
$$, 'every object has a comment');
SELECT is_empty($$
	SELECT a.oid::regprocedure FROM pg_proc AS a
	WHERE a.prokind = 'a' AND a.proname LIKE 'dp\_%' AND obj_description(a.oid, 'pg_proc') !~ 'Epsilon-DP'
		AND a.proargtypes[0] <> 'money'::regtype -- refused
$$, 'the comment of every private aggregate states its guarantee');

------------------------------------------------------------------------------
-- DROP EXTENSION

CREATE TEMP TABLE fresh AS SELECT i FROM inventory() AS i;
DROP EXTENSION dp_noise;
INSERT INTO before SELECT * FROM census();
SELECT hasnt_schema('dp_noise', 'DROP EXTENSION drops the schema dp_noise');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE proname LIKE 'dp\_%' OR probin LIKE '%dp\_noise%'$$,
	'DROP EXTENSION drops all functions');
SELECT is_empty('SELECT * FROM members()', 'nothing belongs to the extension any more');

CREATE EXTENSION dp_noise;
SELECT set_eq('SELECT inventory()', 'SELECT i FROM fresh', 'a second CREATE EXTENSION makes the same objects');
SELECT isnt_empty($$SELECT * FROM fresh WHERE i LIKE '%function dp_noise.sum_transition(%'$$, 'the inventory lists functions');
COMMENT ON TYPE dp_noise.sum_state IS 'another comment';
SELECT is((SELECT count(*) FROM (SELECT inventory() EXCEPT SELECT i FROM fresh) AS d), 1::bigint, 'the inventory notices a comment');
ALTER FUNCTION dp_noise.sum_state_in(cstring) VOLATILE;
SELECT is((SELECT count(*) FROM (SELECT inventory() EXCEPT SELECT i FROM fresh) AS d), 2::bigint, 'the inventory notices an attribute');
DROP EXTENSION dp_noise;
SELECT set_eq('SELECT * FROM census()', 'SELECT * FROM before', 'DROP EXTENSION leaves the catalogs as they were');

------------------------------------------------------------------------------
-- another schema

CREATE SCHEMA other;
CREATE EXTENSION dp_noise SCHEMA other;
SELECT is((SELECT count(*) FROM pg_proc WHERE proname ~ '^dp_' AND pronamespace = 'public'::regnamespace), 0::bigint,
	'CREATE EXTENSION ... SCHEMA other leaves public alone');
SELECT is((SELECT other.dp_sum(x, 0, 10, 1000000) FROM generate_series(1, 4) AS x), 10::bigint,
	'CREATE EXTENSION ... SCHEMA other: aggregates work by their full names');
SELECT is((SELECT other.dp_median_exp(x, 0, 10, 1000000) FROM generate_series(1, 3) AS x), 2,
	'CREATE EXTENSION ... SCHEMA other: medians too');
SELECT has_view('other', name, name || ' goes along') FROM unnest('{dp_budget,dp_columns,dp_relations,dp_history}'::name[]) AS name;
SELECT set_eq($$SELECT regexp_replace(i, '(?<=[ (,])(public|other)\.|dp_(budget|columns|history) in schema other', '', 'g') FROM inventory() AS i WHERE i !~ 'dp_(budget|columns|history)'$$,
	$$SELECT regexp_replace(i, '(?<=[ (,])(public|other)\.', '', 'g') FROM fresh WHERE i !~ 'dp_(budget|columns|history)'$$,
	'CREATE EXTENSION ... SCHEMA other makes the same objects');
SELECT throws_ok('ALTER EXTENSION dp_noise SET SCHEMA public', '0A000', NULL, 'the extension does not move afterwards');
DROP EXTENSION dp_noise;
DROP SCHEMA other;
SELECT set_eq('SELECT * FROM census()', 'SELECT * FROM before', 'DROP EXTENSION leaves the catalogs as they were, again');

-- The schema dp_noise is ours alone: one that someone made before is not used.
CREATE SCHEMA dp_noise;
SELECT throws_ok('CREATE EXTENSION dp_noise', '42P06', NULL, 'a schema dp_noise of someone else is not taken over');
DROP SCHEMA dp_noise;

------------------------------------------------------------------------------
-- upgrade paths

CREATE FUNCTION upgrades() RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	step record;
BEGIN
	CREATE TEMP TABLE wanted (i text);
	FOR step IN
		SELECT p.source, p.target
		FROM pg_extension_update_paths('dp_noise') AS p
		WHERE p.path IS NOT NULL
			AND p.source IN (SELECT v.version FROM pg_available_extension_versions AS v WHERE v.name = 'dp_noise')
	LOOP
		TRUNCATE wanted;
		EXECUTE format('CREATE EXTENSION dp_noise VERSION %L', step.target);
		INSERT INTO wanted SELECT inventory();
		DROP EXTENSION dp_noise;
		EXECUTE format('CREATE EXTENSION dp_noise VERSION %L', step.source);
		EXECUTE format('ALTER EXTENSION dp_noise UPDATE TO %L', step.target);
		RETURN NEXT set_eq('SELECT inventory()', 'SELECT i FROM wanted', format('from %s to %s', step.source, step.target));
		DROP EXTENSION dp_noise;
	END LOOP;
	DROP TABLE wanted;
END
$$;
SELECT upgrades();
SELECT is((SELECT count(*) FROM pg_available_extension_versions AS v, pg_available_extensions AS a
	WHERE v.name = 'dp_noise' AND a.name = 'dp_noise' AND v.version <> a.default_version
		AND NOT EXISTS (SELECT FROM pg_extension_update_paths('dp_noise') AS p
			WHERE p.source = v.version AND p.target = a.default_version AND p.path IS NOT NULL)),
	0::bigint, 'every version leads to the default version');

------------------------------------------------------------------------------
-- a hostile search_path
--
-- Traps stand in the schema of the extension and in pg_temp: operators and
-- functions named as built-in ones, with types of arguments for which the
-- built-in ones need a cast, so that a name without schema finds them first.

CREATE SCHEMA hostile;
CREATE FUNCTION hostile.trap() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'a trap was sprung';
END
$$;
DO $$
DECLARE
	one text;
	two text;
	name text;
	types CONSTANT text[] := ARRAY['oid', 'regclass', 'regrole', 'regnamespace', 'name', 'text', 'varchar', 'bpchar', '"char"', 'integer', 'bigint',
		'smallint', 'numeric', 'real', 'double precision', 'boolean', 'interval', 'timestamptz', 'timestamp', 'date', 'bytea'];
BEGIN
	FOREACH one IN ARRAY types LOOP
		FOREACH two IN ARRAY types LOOP
			EXECUTE format('CREATE FUNCTION hostile.trap(%s, %s) RETURNS boolean LANGUAGE sql AS ''SELECT hostile.trap()''', one, two);
			FOREACH name IN ARRAY ARRAY['=', '<>', '<', '<=', '>', '>=', '||', '+', '-', '*', '/', '~'] LOOP
				IF name IN ('=', '<>', '<', '<=', '>', '>=', '||') OR one <> two THEN
					EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.trap)', name, one, two);
				END IF;
			END LOOP;
		END LOOP;
		FOREACH name IN ARRAY ARRAY['floor', 'replace', 'now', 'pg_has_role', 'current_setting', 'count', 'length', 'quote_ident', 'format', 'int8pl'] LOOP
			EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS boolean LANGUAGE sql AS ''SELECT hostile.trap()''', name, one);
			EXECUTE format('CREATE FUNCTION hostile.%1$I(%2$s, %2$s) RETURNS boolean LANGUAGE sql AS ''SELECT hostile.trap()''', name, one);
		END LOOP;
	END LOOP;
END
$$;
CREATE TABLE hostile.pg_class AS SELECT 1 AS oid;
CREATE TEMP TABLE pg_namespace AS SELECT 1 AS oid;
CREATE TEMP TABLE pg_roles AS SELECT 'x'::name AS rolname;
CREATE DOMAIN hostile.text AS integer;
CREATE DOMAIN hostile."numeric" AS boolean;
CREATE DOMAIN pg_temp.bigint AS boolean;


SET LOCAL search_path = hostile, pg_temp, pg_catalog;
CREATE EXTENSION dp_noise SCHEMA hostile;

-- and while it is used
CREATE TABLE public.results AS
SELECT hostile.dp_sum(x, 0, 10, 1000000) AS sum, hostile.dp_mean(x, 0, 10, 1000000, 'laplace') AS mean,
	hostile.dp_max(x, 0, 10, 1000000) AS max, hostile.dp_median_exp(x::pg_catalog.numeric, 0, 10, 1000000) AS median,
	hostile.dp_count(x, 1000000) AS count
FROM pg_catalog.generate_series(1, 3) AS x;
RESET search_path;
DROP TABLE pg_temp.pg_namespace, pg_temp.pg_roles;
DROP DOMAIN pg_temp.bigint;

-- What stands in pg_catalog is not recorded as a dependency; anything that is
-- recorded must be the extension's own.
SELECT is_empty($$
	SELECT pg_describe_object(d.classid, d.objid, d.objsubid), pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
	FROM pg_depend AS d JOIN members() AS m ON m.classid = d.classid AND m.objid = d.objid
	WHERE d.refclassid <> 'pg_extension'::regclass
		AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'hostile'::regnamespace)
		AND NOT (d.refclassid = 'pg_language'::regclass)
		-- the views there are
		AND (SELECT o.schema FROM pg_identify_object(d.refclassid, d.refobjid, d.refobjsubid) AS o) IS DISTINCT FROM 'pg_catalog'
		AND NOT EXISTS (SELECT FROM members() AS o WHERE o.classid = d.refclassid AND o.objid = d.refobjid)
$$, 'nothing of the extension depends on what stands in its schema or in pg_temp');
SELECT is((SELECT row(sum, round(mean, 3), max, round(median, 3), count)::text FROM results), '(6,2.000,3,2.000,3)',
	'aggregates do not fall into traps');
SELECT set_eq($$SELECT regexp_replace(i, '(?<=[ (,])hostile\.', '', 'g') FROM inventory() AS i WHERE i !~ 'dp_(budget|columns|history)'$$,
	$$SELECT regexp_replace(i, '(?<=[ (,])public\.', '', 'g') FROM fresh WHERE i !~ 'dp_(budget|columns|history)'$$,
	'traps change no object');

SELECT * FROM finish();
ROLLBACK;
