# What stands beside an answer tells nothing, by whatever path the question
# comes: databases that differ in their protected rows look the same.
#
# Takes long: 38 seconds of processor time without its servers.

use strict;
use warnings;

use Frontend;
use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

# A colleague, a group, and protected rows that another database keeps.
my $pair = Neighbours->new('paths', setup => <<'EOS');
CREATE ROLE dp_bob LOGIN;
CREATE ROLE dp_group;
GRANT dp_group TO dp_ann;
CREATE SCHEMA dp_bob AUTHORIZATION dp_bob;
GRANT USAGE ON SCHEMA dp_bob TO dp_ann;
SELECT dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('dp_bob', 'patients', 1000000);
CREATE EXTENSION dblink;
CREATE EXTENSION postgres_fdw;
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw;
CREATE USER MAPPING FOR own SERVER here OPTIONS (user 'own', password_required 'false');
ALTER ROLE own LOGIN;
CREATE FOREIGN TABLE far_away (id integer, age integer, bmi double precision, weight numeric, name text) SERVER here OPTIONS (table_name 'patients');
ALTER FOREIGN TABLE far_away OWNER TO own;
SELECT dp_noise.protect('far_away', epsilon => 1e6, delta => 1), dp_noise.alter_population('far_away', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'far_away', 1000000);
CREATE TABLE parent (id integer NOT NULL);
ALTER TABLE parent OWNER TO own;
ALTER TABLE patients INHERIT parent;
CREATE VIEW owned AS SELECT * FROM patients;
ALTER VIEW owned OWNER TO own;
ALTER ROLE own SET auto_explain.log_min_duration = -1;
ALTER ROLE own SET log_statement = none;
SET SESSION AUTHORIZATION dp_ann;
CREATE TABLE dp_ann.ours AS SELECT 1 AS x;
CREATE VIEW dp_ann.mine AS SELECT * FROM patients;
CREATE FUNCTION dp_ann.inlined() RETURNS SETOF integer LANGUAGE sql STABLE AS 'SELECT age FROM public.patients WHERE age > 100';
CREATE FUNCTION dp_ann.inlined_late(integer) RETURNS SETOF integer LANGUAGE sql STABLE AS 'SELECT age FROM public.patients WHERE age > $1';
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION dp_bob;
CREATE FUNCTION dp_bob.definer(integer) RETURNS boolean LANGUAGE sql SECURITY DEFINER AS 'SELECT dp_count(*) IS NULL FROM public.patients WHERE age > $1';
CREATE FUNCTION dp_bob.definer_plpgsql(integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	answer boolean;
	said text;
	detail text;
	context text;
BEGIN
	SELECT dp_count(*) IS NULL INTO answer FROM public.patients WHERE age > $1;
	BEGIN
		PERFORM * FROM public.patients WHERE age > $1;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS said = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, context = PG_EXCEPTION_CONTEXT;
	END;
	RETURN concat_ws('|', answer, said, detail, context);
END
$$;
CREATE FUNCTION dp_bob.atomic(integer) RETURNS boolean LANGUAGE sql BEGIN ATOMIC SELECT dp_count(*) IS NULL FROM public.patients WHERE age > $1; END;
EOS
my $node = $pair->node;
my $loud = $Neighbours::loud;
my @questions = @Neighbours::questions;

$node->safe_psql($_, "ALTER SERVER here OPTIONS (host '" . $node->host . "', port '" . $node->port . "', dbname '$_')") foreach Neighbours::databases();
sub look_alike { return $pair->look_alike(@_) }

# every option of EXPLAIN, of prepared statements, too
my $prepared = join '', map { "PREPARE q$_ AS SELECT $questions[$_];\n" } 0 .. $#questions;
my $execute = join '', map { "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS, TIMING) EXECUTE q$_;\nEXECUTE q$_;\n" } 0 .. $#questions;
my ($out) = look_alike($prepared . "SET plan_cache_mode = force_generic_plan;\n$execute", 'EXPLAIN EXECUTE', without => qr/actual time=\S+/);
unlike($out, qr/(Seq|Index|Heap)\w* Scan|Aggregate  /, 'nothing of the plan beneath');
foreach my $format (qw(text xml json yaml))
{
	look_alike(Neighbours::asked("EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS, TIMING off, SUMMARY off, FORMAT $format) "), "EXPLAIN ANALYZE, $format");
}

# every message that a session can be made to show
look_alike("\\set VERBOSITY verbose\n${loud}SET client_min_messages = $_;\n" . Neighbours::asked('') . Neighbours::asked('EXPLAIN ANALYZE '), "client_min_messages = $_",
	without => qr/\(actual time=.*/) foreach qw(debug1 debug5 notice error);
foreach my $setting (qw(log_min_messages=debug5 log_min_messages=notice log_duration=on log_error_verbosity=verbose log_min_duration_sample=0 auto_explain.log_format=json auto_explain.log_triggers=on
	track_functions=all track_io_timing=on log_lock_waits=on backtrace_functions=dp_count))
{
	my ($name, $value) = split /=/, $setting;

	$node->safe_psql('postgres', "ALTER ROLE dp_ann SET $name = '$value'");
	look_alike($loud . Neighbours::asked('') . "SELECT * FROM patients WHERE age > 100;\n", $setting, without => qr{[\d.]+ ms|I/O Timings.*|"I/O \w+ Time": .*|.*DEBUG:  (?:shmem_exit|proc_exit|exit)\(.*\n});
	$node->safe_psql('postgres', "ALTER ROLE dp_ann RESET $name");
}

# What the server says of its own cost differs in figures, as times do, and in
# nothing else. dp_noise.check() reports these settings.
foreach my $setting (qw(log_parser_stats log_planner_stats log_executor_stats log_statement_stats))
{
	$node->safe_psql('postgres', "ALTER ROLE dp_ann SET $setting = on");
	my (undef, $err) = look_alike("SET client_min_messages = log;\n" . Neighbours::asked(''), $setting, without => qr{^.*!\s.*\n?|\d+ kB}m);
	like($err, qr/STATISTICS/, "$setting is on");
	$node->safe_psql('postgres', "ALTER ROLE dp_ann RESET $setting");
}

# Rows that may not be read: nothing is planned for them. Plans, which can be
# printed, and the choice between plans came from their statistics.
my @raw = ('FROM patients WHERE age > 100', "FROM patients WHERE name = '$Neighbours::canary'", 'FROM patients', 'FROM parent WHERE id > 900', 'FROM owned WHERE age > 100', 'FROM dp_ann.mine WHERE age > 100', 'FROM dp_ann.inlined()',
	'FROM (SELECT x FROM generate_series(1, 2) AS x) AS s, LATERAL (SELECT * FROM dp_ann.inlined_late(x) OFFSET 0) AS u');
s/canary7531/name5/ foreach @raw;
my ($plans, $said) = look_alike(join('', map { "SELECT 1 $_;\nEXPLAIN SELECT 1 $_;\nWITH c AS (SELECT * $_) SELECT * FROM c, c AS d;\nDECLARE c CURSOR WITH HOLD FOR SELECT * $_;\n" } @raw)
	. "$loud" . join('', map { "SELECT 1 $_;\nEXPLAIN SELECT 1 $_;\n" } @raw) . <<'EOS', 'rows that may not be read');
UPDATE patients SET age = 1 WHERE age > 100;
DELETE FROM patients WHERE age > 100;
SELECT 1 FROM generate_series(1, 2) AS x WHERE EXISTS (SELECT FROM patients WHERE age > 100 + x);
WITH unused AS (SELECT * FROM patients WHERE age > 100) SELECT 1;
SET client_min_messages = error;
PREPARE p(integer) AS SELECT id FROM patients WHERE age > $1 AND id > $1;
EXECUTE p(100);
EXECUTE p(100);
EXECUTE p(100);
EXECUTE p(100);
EXECUTE p(100);
EXECUTE p(100);
EXECUTE p(100);
SELECT generic_plans, custom_plans FROM pg_prepared_statements;
SELECT count(*) FROM dp_ann.ours;
EOS
unlike($said, qr/INDEXSCAN|SEQSCAN|plan_rows [0-9]{2}/, 'no plan is printed');
like($plans, qr/^0\|0\n1$/m, 'none is made, and others go on');

# COPY
look_alike(join('', map { "COPY (SELECT $_) TO STDOUT;\nCOPY (SELECT $_) TO STDOUT (FORMAT csv, HEADER);\n" } @questions) . <<'EOS', 'COPY');
COPY (SELECT * FROM patients WHERE age > 100) TO STDOUT;
COPY patients TO STDOUT;
COPY patients FROM STDIN;
COPY (SELECT dp_count(*) IS NULL FROM patients) TO '/tmp/x';
COPY (SELECT dp_count(*) IS NULL FROM patients) TO PROGRAM 'cat';
EOS

# tables and views made of answers, and made again
look_alike(join('', map { "CREATE MATERIALIZED VIEW m$_ AS SELECT $questions[$_];\nREFRESH MATERIALIZED VIEW m$_;\nREFRESH MATERIALIZED VIEW m$_;\nTABLE m$_;\n"
	. "CREATE TABLE t$_ AS SELECT $questions[$_];\nINSERT INTO t$_ SELECT $questions[$_];\nTABLE t$_;\n" } map { $_ } 0 .. 0) . <<'EOS', 'kept answers');
CREATE UNIQUE INDEX ON m0 ((1));
REFRESH MATERIALIZED VIEW CONCURRENTLY m0;
CREATE VIEW v AS SELECT dp_count(*) IS NULL AS c FROM patients WHERE age > 100;
SELECT * FROM v;
CREATE RULE r AS ON UPDATE TO t0 DO INSTEAD SELECT dp_count(*) IS NULL FROM patients;
UPDATE t0 SET "?column?" = true;
DROP MATERIALIZED VIEW m0;
DROP VIEW v;
DROP TABLE t0;
EOS

# functions: one's own, a colleague's, with and without the definer's rights
look_alike($loud . <<'EOS', 'functions');
SELECT dp_bob.definer(5), dp_bob.definer(100);
SELECT dp_bob.definer_plpgsql(5), dp_bob.definer_plpgsql(100);
SELECT dp_bob.atomic(5), dp_bob.atomic(100);
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) SELECT dp_bob.definer(100), dp_bob.atomic(100), dp_bob.definer_plpgsql(100);
DO $$BEGIN FOR i IN 1 .. 8 LOOP PERFORM dp_count(*) FROM patients WHERE age > 99 + i % 3; END LOOP; END$$;
SET ROLE dp_group;
SELECT dp_count(*) IS NULL FROM patients WHERE age > 100;
SELECT count(*) IS NULL FROM patients WHERE age > 100;
SELECT id FROM patients WHERE age > 100;
RESET ROLE;
SET ROLE own;
EOS

# parallel plans, wherever they may be
my $forced = $node->safe_psql('postgres', "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
look_alike("${loud}SET $forced = $_;\n" . <<'EOS' . Neighbours::asked('') . Neighbours::asked('EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) '), "parallel plans, $forced = $_") foreach qw(on regress);
SET max_parallel_workers_per_gather = 4;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
EOS

# cursors, transactions in two phases
look_alike($loud . <<'EOS', 'cursors');
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT dp_count(*) IS NULL FROM patients WHERE age > 100 UNION ALL SELECT dp_mean(bmi, 0, 50) IS NULL FROM patients;
FETCH 1 FROM c;
MOVE BACKWARD ALL IN c;
COMMIT;
FETCH ALL FROM c;
SELECT name, statement, is_holdable, is_scrollable FROM pg_cursors;
CLOSE c;
EOS
look_alike(<<'EOS', 'two-phase commit');
BEGIN;
SELECT dp_count(*) IS NULL FROM patients WHERE id = 5000;
PREPARE TRANSACTION 'asked';
SELECT gid, owner FROM pg_prepared_xacts;
SELECT locktype, relation::regclass, mode, granted FROM pg_locks AS l JOIN pg_prepared_xacts AS x ON l.virtualtransaction = '-1/' || x.transaction WHERE relation IS NOT NULL ORDER BY 2;
COMMIT PREPARED 'asked';
BEGIN;
SELECT dp_count(*) IS NULL FROM patients WHERE id = 5000;
PREPARE TRANSACTION 'asked';
ROLLBACK PREPARED 'asked';
EOS

# rows that another database keeps
my ($fdw_out, $fdw_err) = look_alike($loud . <<'EOS', 'a foreign table');
SELECT dp_count(*) IS NULL FROM far_away WHERE age > 100;
SELECT dp_sum(age, 0, 120) IS NULL, dp_mean(bmi, 0, 50) IS NULL FROM far_away WHERE id = 5000;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) SELECT dp_mean(weight, 0, 50) IS NULL FROM far_away WHERE name = 'nobody7531';
EXPLAIN VERBOSE SELECT dp_mean(weight, 0, 50) IS NULL FROM far_away;
SELECT * FROM far_away WHERE age > 100;
IMPORT FOREIGN SCHEMA public FROM SERVER here INTO dp_ann;
CREATE FOREIGN TABLE dp_ann.again (age integer) SERVER here OPTIONS (table_name 'patients');
EOS
unlike($fdw_err, qr/could not|internal/i, 'a foreign table is read');
like($fdw_out, qr/^f\nf\|f\n/, 'and answered');
$node->safe_psql($_, 'ALTER FOREIGN TABLE far_away ALTER age TYPE boolean') foreach Neighbours::databases();
look_alike("\\set VERBOSITY verbose\n${loud}SELECT dp_count(*) IS NULL FROM far_away WHERE age;\nSELECT dp_count(age) IS NULL FROM far_away;\n", 'a foreign table with other types');
look_alike(<<'EOS', 'dblink', without => qr/^DETAIL:  Non-superuser.*\n/m);
SELECT * FROM dblink('dbname=' || current_database() || ' user=own', 'SELECT count(*) FROM patients') AS d (n bigint);
SELECT * FROM dblink('here', 'SELECT count(*) FROM patients WHERE age > 100') AS d (n bigint);
EOS

# Portals that are suspended, described and read on; row by row, and so errors.
sub protocol
{
	my ($database) = @_;

	return $pair->watch(sub {
		my $session = Frontend->new($node, $database, 'dp_ann');
		my $rows = 'FROM (SELECT dp_count(*) IS NULL AS c, dp_mean(bmi, 0, 50) IS NULL AS m FROM patients WHERE age > $1) AS s, generate_series(1, 4) AS g';
		my $text = $session->send(query => ["SET client_min_messages = log"]);

		$text .= $session->send(parse => [ 's', "SELECT c, m, g $rows" ], describe => [ 'S', 's' ], sync => []);
		foreach my $age (5, 100, 5, 100, 118, 118, 118)
		{
			$text .= $session->send(bind => [ 'p', 's', $age ], describe => [ 'P', 'p' ], execute => [ 'p', 1 ], flush => [], execute => [ 'p', 2 ], execute => [ 'p', 0 ],
				execute => [ 'p', 0 ], close => [ 'P', 'p' ], sync => []);
			$text .= $session->send(bind => [ 'p', 's', $age ], execute => [ 'p', 1 ], sync => []);
			$text .= $session->send(query => ['BEGIN']);
			$text .= $session->send(bind => [ 'p', 's', $age ], execute => [ 'p', 1 ], sync => []);
			$text .= $session->send(execute => [ 'p', 1 ], sync => []);
			$text .= $session->send(query => ['COMMIT']);
		}
		$text .= $session->send(parse => [ 'e', "SELECT c $rows, generate_series(1, 2) AS h WHERE 1 / (g - 3) > -5" ], bind => [ '', 'e', 100 ], execute => [ '', 1 ], execute => [ '', 0 ], sync => []);
		$text .= $session->send(parse => [ '', 'SELECT * FROM patients WHERE age > $1' ], describe => [ 'S', '' ], bind => [ '', '', 100 ], describe => [ 'P', '' ], execute => [ '', 1 ], sync => []);
		$text .= $session->send(parse => [ '', 'SELECT dp_count(*) FROM patients WHERE age > $1' ], bind => [ '', '', 'x' ], sync => []);
		$text .= $session->send(parse => [ '', 'SELECT dp_sum(age, 0, $1, $2) IS NULL FROM patients' ], bind => [ '', '', '100', '-1' ], execute => [ '', 0 ], sync => []);
		$text .= $session->send(parse => [ '', 'SELECT dp_sum(age, 0, $1, $2) IS NULL FROM patients' ], bind => [ '', '', '100', '1' ], execute => [ '', 0 ], sync => []);
		return ($text, '');
	});
}
my ($messages) = $pair->alike(\&protocol, 'extended protocol');
is(() = $messages =~ /^s $/mg, 36, 'portals were suspended');
like($messages, qr/^E .*C22012.*^Z/ms, 'and failed in the middle');

# pgbench
my $script = PostgreSQL::Test::Utils::tempdir() . '/ask.sql';
PostgreSQL::Test::Utils::append_to_file($script, "\\set age random(90, 110)\nSELECT dp_count(*) FROM patients WHERE age > :age;\n");
foreach my $mode (qw(simple extended prepared))
{
	my $result = IPC::Run::run([ 'pgbench', '-n', '-M', $mode, '-t', 20, '-c', 2, '-U', 'dp_ann', '-f', $script, '-h', $node->host, '-p', $node->port, 'far' ], '>', \my $shown, '2>', \my $err);
	ok($result && $shown =~ m{processed: 40/40}, "pgbench -M $mode") or diag($err);
}

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no crash');
$node->stop;
done_testing();
