-- What a superuser can have an administrator do who is none, and what that
-- administrator still cannot.
\ir support/ledger.sql
CREATE ROLE pad_owner;
CREATE ROLE "pad ""ann"", PUBLIC";
CREATE ROLE pad_admin;
CREATE TABLE people (id int);
ALTER TABLE people OWNER TO pad_owner;
INSERT INTO people SELECT generate_series(1, 77);
ANALYZE people;
SELECT dp_noise.protect('people', epsilon => 10);
SELECT dp_noise.set_budget('"pad ""ann"", PUBLIC"', 'people', 5);
SELECT no_plan();

SELECT is(t.run('pad_admin', command), '42501: permission denied for function ' || name, name || '() is not everybody''s')
FROM (VALUES ('harden', 'SELECT dp_noise.harden()'), ('accept_timeline', 'SELECT dp_noise.accept_timeline()'), ('allow_drop', 'SELECT dp_noise.allow_drop()'),
	('archive', 'SELECT dp_noise.archive(now())'), ('do_harden', 'SELECT dp_noise.do_harden(10, ''{}'', true)'), ('do_accept_timeline', 'SELECT dp_noise.do_accept_timeline(10)')) AS c (name, command);
GRANT EXECUTE ON FUNCTION dp_noise.harden(regrole[], boolean), dp_noise.accept_timeline(), dp_noise.allow_drop(), dp_noise.archive(timestamptz) TO pad_admin;

-- harden() takes away, and leaves to others what everybody had.
CREATE FUNCTION t.rows_of_people(who text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, 'SELECT reltuples FROM pg_class WHERE oid = ''people''::regclass')
$$;
SELECT is(t.rows_of_people('pad_admin'), '77', 'everybody sees how many rows there are');
CREATE TABLE t.changed (object text, privilege text, revoked_from text, granted_to text);
GRANT INSERT ON t.changed TO pad_admin;
SELECT is(t.run('pad_admin', $$WITH h AS (INSERT INTO t.changed SELECT * FROM dp_noise.harden(keep => ARRAY['pad_owner', '"pad ""ann"", PUBLIC"']::regrole[]) RETURNING 1) SELECT count(*) > 100 FROM h$$), 'true', 'an administrator hardens');
SELECT is((SELECT string_agg(DISTINCT concat_ws('|', revoked_from, granted_to), ' ') FROM t.changed), 'PUBLIC|"pad ""ann"", PUBLIC", pad_owner, pg_read_all_stats', 'for all but those to be kept');
SELECT matches(t.rows_of_people('pad_admin'), '^42501', 'nor sees it any more');
SELECT is(t.rows_of_people('pad_owner'), '77', 'others do');
SELECT is(t.run('pad_admin', 'SELECT count(*) FROM dp_noise.harden(keep => ''{pad_admin}'')'), '0', 'what is lost an administrator cannot give back');
SELECT matches(t.rows_of_people('pad_admin'), '^42501', 'to anybody');
GRANT EXECUTE ON FUNCTION pg_current_wal_lsn() TO PUBLIC;
SELECT is(t.run('pad_admin', 'SELECT h::text FROM dp_noise.harden(keep => ''{pad_admin}'') AS h'), '("pg_current_wal_lsn()",EXECUTE,PUBLIC,pad_admin)', 'but leave to some what everybody has got');
SELECT is((SELECT count(*) > 100 FROM dp_noise.harden(keep => '{pad_admin}') WHERE granted_to = 'pad_admin' AND revoked_from IS NULL), true, 'a superuser gives it back');
SELECT is(t.rows_of_people('pad_admin'), '77', 'to whom it likes');
-- What a superuser has closed altogether stays closed.
REVOKE ALL ON pg_class FROM PUBLIC;
SELECT is(t.run('pad_admin', 'SELECT count(*) FROM dp_noise.harden()'), '0', 'nor is anything opened');
SELECT is((SELECT count(*) FROM pg_attribute AS a, aclexplode(a.attacl) AS x WHERE a.attrelid = 'pg_class'::regclass AND x.grantee = 0), 0::bigint, 'to everybody');
SELECT isnt((SELECT count(*) FROM dp_noise.harden()), -1::bigint, 'a superuser does');

-- accept_timeline(): where the server was restored, not where the database was copied.
UPDATE dp_noise_ledger.place SET timeline = timeline + 7;
SELECT isnt_empty('SELECT * FROM dp_noise.read_place_changes()', 'another timeline');
SELECT is(t.run('pad_admin', 'SELECT dp_noise.accept_timeline() IS NULL'), 'false', 'an administrator accepts it');
SELECT is_empty('SELECT * FROM dp_noise.read_place_changes()', 'and the ledger continues');
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET dp_noise.database_seal', current_database()); END $$;
SELECT is(dp_noise.is_copy(), true, 'a copy of the database');
SELECT is(t.run('pad_admin', 'SELECT dp_noise.accept_timeline()'), '42501: must be superuser to continue the ledger in a copy of its database', 'is no administrator''s');
CREATE FUNCTION t.accept() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'SELECT dp_noise.accept_timeline()';
ALTER FUNCTION t.accept() OWNER TO pad_admin;
SELECT throws_ok('SELECT t.accept()', '42501', 'must be superuser to continue the ledger in a copy of its database', 'whoever calls the administrator''s function');
SELECT is(dp_noise.is_copy(), true, 'still a copy');
SELECT dp_noise.accept_timeline();
SELECT is(dp_noise.is_copy(), false, 'a superuser accepts it');

-- allow_drop() drops nothing.
SELECT matches(t.run('pad_admin', $$DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END'$$), '^42501: must be owner of extension dp_noise', 'to drop the ledger is another right');
SELECT is((SELECT count(*) FROM dp_noise.protected_relations), 1::bigint, 'all is there');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP OWNED BY pad_owner, pad_admin, "pad ""ann"", PUBLIC" CASCADE;
DROP ROLE pad_owner, pad_admin, "pad ""ann"", PUBLIC";
