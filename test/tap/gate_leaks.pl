# What stands beside an answer tells nothing: databases that differ in their
# protected rows look the same to an analyst, in every message, plan, counter
# and, but for the released values, in the server's log.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $canary = 'canary7531';
my $node = PostgreSQL::Test::Cluster->new('leaks');

$node->init;
$node->append_conf('postgresql.conf', <<'EOC');
shared_preload_libraries = 'pg_stat_statements, auto_explain, dp_noise'
pg_stat_statements.track = all
pg_stat_statements.track_planning = on
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_wal = on
auto_explain.log_verbose = on
auto_explain.log_timing = off
auto_explain.log_nested_statements = on
log_statement = all
log_temp_files = 0
log_min_messages = log
log_line_prefix = '%b: '
max_worker_processes = 16
autovacuum = off
fsync = off
EOC
$node->start;

# The analyst's settings that show most.
my $loud = <<'EOS';
SET client_min_messages = log;
SET debug_print_plan = on;
SET debug_print_parse = on;
SET debug_print_rewritten = on;
SET debug_pretty_print = on;
SET trace_sort = on;
EOS

$node->safe_psql('postgres', 'CREATE ROLE own; CREATE ROLE dp_ann LOGIN; CREATE DATABASE near;');
$node->safe_psql('near', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE EXTENSION pg_stat_statements;
GRANT CREATE ON SCHEMA public TO own;
CREATE SCHEMA dp_ann AUTHORIZATION dp_ann;
SET ROLE own;
CREATE TABLE patients (id integer PRIMARY KEY, age integer NOT NULL, bmi double precision, weight numeric, name text, city text COLLATE "C");
INSERT INTO patients SELECT i, i % 90, i % 40, i % 100, 'name' || i, 'city' FROM generate_series(1, 1000) AS i;
CREATE INDEX ON patients (age);
CREATE TABLE wide (id integer, x double precision);
INSERT INTO wide SELECT i, i % 1000 FROM generate_series(1, 100000) AS i;
RESET ROLE;
SELECT dp_noise.protect(r), dp_noise.set_budget('dp_ann', r, 1000000, on_repeat => 'answer') FROM unnest('{patients,wide}'::regclass[]) AS r;
CREATE VIEW counters AS
SELECT sum(t.seq_scan) AS scans, sum(t.seq_tup_read) AS read, sum(t.idx_scan) AS index_scans, sum(t.idx_tup_fetch) AS fetched,
	sum(i.heap_blks_read + i.heap_blks_hit) AS blocks, sum(i.idx_blks_read + i.idx_blks_hit) AS index_blocks
FROM pg_stat_all_tables AS t JOIN pg_statio_all_tables AS i USING (relid) WHERE t.relname IN ('patients', 'wide');
CREATE VIEW counters_of_transaction AS
SELECT sum(pg_stat_get_xact_numscans(oid) + pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid)
	+ pg_stat_get_xact_blocks_fetched(oid) + pg_stat_get_xact_blocks_hit(oid)) AS n
FROM pg_class WHERE relname LIKE 'patients%' OR relname LIKE 'wide%';
GRANT SELECT ON counters, counters_of_transaction TO dp_ann;
GRANT EXECUTE ON FUNCTION pg_get_backend_memory_contexts TO dp_ann;
GRANT SELECT ON pg_backend_memory_contexts TO dp_ann;
EOS

# One extreme row more, and ten times as many.
$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE near") foreach qw(neighbour far);
my $extreme = "INSERT INTO patients VALUES (5000, 119, 'Infinity', 'NaN', '$canary', '$canary')";
$node->safe_psql('neighbour', $extreme);
$node->safe_psql('far', "$extreme; INSERT INTO patients SELECT i, i % 120, i, i, 'x' || i, '$canary' FROM generate_series(6000, 15999) AS i");
$node->safe_psql($_, 'VACUUM ANALYZE') foreach qw(near neighbour far);

# Runs a script as the analyst: what psql shows, and what the server logs.
sub observe
{
	my ($database, $script) = @_;
	my $offset = -s $node->logfile;
	my ($out, $err);

	$node->psql($database, $script, extra_params => [ '-U', 'dp_ann' ], stdout => \$out, stderr => \$err,
		on_error_stop => 0);

	# without what the ledger worker says of its own tables, and how many dead
	# rows the counters' views met in the catalogs
	my $log = join '', grep { !/^dp_noise ledger worker: |Query Text: [^\n]*counters/ }
		split /^(?=[a-z][a-z_ ]+: [A-Z]+: )/m, slurp_file($node->logfile, $offset);

	foreach ($out, $err, $log)
	{
		unlike($_, qr/$canary/, 'no protected value in output or log') if /$canary/;
		s/duration: [\d.]+ ms/duration/g;
		s/(Planning|Execution) Time: [\d.]+ ms/$1/g;
		s/psql:[^ ]*:\d+: //g;
		s/Query Identifier: -?\d+/Query Identifier/g; # of numbers of new tables
	}
	return ($out, $err, $log);
}

# The same script in all three databases.
sub look_alike
{
	my ($script, $name) = @_;
	my @near = observe('near', $script);

	foreach my $database (qw(neighbour far))
	{
		my @other = observe($database, $script);

		is($other[0], $near[0], "$name: output in $database");
		is($other[1], $near[1], "$name: messages in $database");
		is($other[2], $near[2], "$name: log in $database");
	}
	return @near;
}

# Questions whose answers do not show: what is around them does.
my @questions = (
	'dp_count(*) IS NULL FROM patients',
	'dp_count(*) IS NULL FROM patients WHERE age > 100',
	'dp_count(*) IS NULL FROM patients WHERE id = 5000',
	"dp_count(*) IS NULL FROM patients WHERE name = '$canary'",
	'dp_sum(age, 0, 120) IS NULL, dp_mean(bmi, 0, 50) IS NULL FROM patients WHERE age >= 5',
	'dp_mean(weight, 0, 50) IS NULL, dp_max(bmi, 0, 10) IS NULL, dp_min(weight, 0, 10) IS NULL FROM patients',
	'dp_median_exp(bmi, 0, 10) IS NULL, dp_quantile_exp(age, 0.9, 0, 1000) IS NULL FROM patients WHERE bmi > 20',
	'dp_median_exp(weight, 0, 10) IS NULL FROM patients WHERE id < 4000',
);
s/$canary/nobody/ foreach @questions;
my $all = join('', map { "SELECT $_;\n" } @questions);

look_alike($all, 'answers');
look_alike("\\set VERBOSITY verbose\n$loud$all", 'with all that an analyst can switch on');
my ($memory, $serialize) = $node->pg_version >= 17 ? (', MEMORY', ', MEMORY, SERIALIZE') : ('', '');
look_alike(join('', map { "EXPLAIN (VERBOSE, SETTINGS$memory) SELECT $_;\n" } @questions), 'EXPLAIN');
look_alike(join('', map { "EXPLAIN (FORMAT JSON$memory) SELECT $_;\n" } @questions), 'EXPLAIN (FORMAT JSON)');
look_alike(join('', map { "EXPLAIN (COSTS off$memory) SELECT * FROM (SELECT $_) AS s WHERE false;\n" } @questions), 'EXPLAIN of what is never run');
look_alike(join('', map { "PREPARE q AS SELECT $_;\nEXPLAIN (COSTS off$memory) EXECUTE q;\nDEALLOCATE q;\n" } @questions), 'EXPLAIN EXECUTE');
my ($explained) = look_alike(join('', map { "SELECT $_;\nSELECT $_;\nEXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING off, SUMMARY off$serialize) SELECT $_;\n" } @questions),
	'EXPLAIN ANALYZE');
unlike($explained, qr/Seq Scan|Index|Aggregate  |Filter/, 'EXPLAIN ANALYZE shows nothing beneath a release');

# Errors, of every kind.
look_alike(<<'EOS', 'errors');
\set VERBOSITY verbose
CREATE DOMAIN dp_ann.posix AS text COLLATE "POSIX";
SELECT dp_count(*) FROM patients WHERE age > 100 AND city = 'x'::dp_ann.posix;
SELECT dp_count(*) FROM patients WHERE age > 100 AND 1 / (age - 119) = 0;
SELECT dp_count(*) FROM patients WHERE bmi::integer > 0;
SELECT dp_count(*) FROM patients WHERE name::integer > 0;
SELECT dp_sum(age * 2000000000, 0, 1) FROM patients;
SELECT dp_sum(age, 10, 1) FROM patients;
SELECT dp_sum(age) FROM patients;
SELECT dp_count(age, -1) FROM patients;
SELECT dp_count(age, 1, 'gaussian') FROM patients;
SELECT dp_count(age, 1000001) FROM patients;
SELECT dp_sum(bmi, -1e308, 1e308) IS NULL FROM patients;
SELECT dp_mean(weight, -1e300, 1e300) IS NULL FROM patients;
SELECT dp_sum(weight, 1e-300, 1e-299) IS NULL FROM patients;
SELECT dp_max(weight, 0, 1e-200) IS NULL FROM patients;
SELECT dp_sum(bmi, 0, 5e-324) IS NULL FROM patients;
SELECT dp_median_exp(bmi, -1e308, 1e308) IS NULL FROM patients;
SELECT * FROM patients WHERE age > 100;
SELECT count(*) FROM patients WHERE 1 / (age - 119) = 0;
EXPLAIN SELECT * FROM patients WHERE 1 / (age - 119) = 0;
COPY patients TO STDOUT;
SELECT dp_count(*) FROM patients GROUP BY age;
SET work_mem = '64kB';
SELECT dp_median_exp(bmi, 0, 10) IS NULL FROM patients;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT dp_count(*) FROM patients WHERE id = 5000;
ROLLBACK;
EOS

# Statistics, in the transaction and after it.
my $counted = <<"EOS";
SELECT pg_stat_force_next_flush();
CREATE TEMP TABLE before AS SELECT * FROM counters;
BEGIN;
CREATE TEMP TABLE before_transaction AS SELECT * FROM counters_of_transaction;
$all
SELECT c.n - b.n FROM counters_of_transaction AS c, before_transaction AS b;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT c.scans - b.scans, c.read - b.read, c.index_scans - b.index_scans, c.fetched - b.fetched, c.blocks - b.blocks,
	c.index_blocks - b.index_blocks FROM counters AS c, before AS b;
SET max_parallel_workers_per_gather = 4;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT dp_count(*) IS NULL, dp_median_exp(x, 0, 1000) IS NULL FROM wide;
SELECT pg_stat_force_next_flush();
SELECT c.scans - b.scans, c.read - b.read, c.blocks - b.blocks FROM counters AS c, before AS b;
EOS
my ($statistics) = look_alike($counted, 'statistics');
like($statistics, qr/\n0\n(.*\n)?0\|0\|0\|0\|0\|0\n/, 'nothing is counted');
like($statistics, qr/0\|0\|0$/, 'nor of parallel workers');

# Other sessions' views of the same, and of what waits for what.
my $statements = join "\n", map
{
	$node->safe_psql($_, "SELECT query, calls, rows, shared_blks_hit + shared_blks_read > 500 FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = dbid
		WHERE datname = current_database() AND userid = 'dp_ann'::regrole AND query LIKE 'SELECT%FROM wide%' ORDER BY query COLLATE \"C\"")
} qw(near neighbour far);
like($statements, qr/wide.*\|1\|1\|f\n.*wide.*\n.*wide/, 'pg_stat_statements shows the question');
unlike($statements, qr/\|t$/m, 'and no buffers of protected tables');
is($node->safe_psql('far', "SELECT count(*) FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = dbid
	WHERE datname = current_database() AND userid = 'dp_ann'::regrole AND query !~ 'SELECT|SET|BEGIN|COMMIT|ROLLBACK|CREATE|COPY|EXPLAIN|DEALLOCATE'"), '0',
	'nor a statement of its own for what is inside a release');
my ($visible) = observe('far', <<'EOS');
SELECT count(*) FROM pg_stats WHERE tablename = 'patients';
SELECT count(*) FROM pg_stats_ext;
SELECT has_table_privilege('pg_statistic', 'SELECT'), has_function_privilege('pg_read_file(text)', 'EXECUTE');
EOS
is($visible, "0\n0\nf|f", 'column statistics cannot be read');
note('An analyst reads of a protected table: pg_class.reltuples, relpages; pg_relation_size; n_live_tup, n_dead_tup and the counters of other sessions in pg_stat_all_tables.');

# Locks.
my ($locks) = look_alike(<<'EOS', 'locks');
BEGIN;
SELECT dp_count(*) IS NULL FROM patients WHERE id = 5000;
SELECT relation::regclass, locktype, page, tuple, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text ~ 'patients' ORDER BY 1;
COMMIT;
EOS
unlike($locks, qr/tuple|page/, 'no locks of pages or rows');

# Cancelled in the middle: nothing is left, and nothing is told.
my $cancelled = <<'EOS';
CREATE FUNCTION dp_ann.tried(milliseconds integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_quantile_exp(x, 0.1, 0, 1000), dp_quantile_exp(x, 0.2, 0, 1000), dp_quantile_exp(x, 0.3, 0, 1000),
		dp_quantile_exp(x, 0.4, 0, 1000), dp_quantile_exp(x, 0.5, 0, 1000), dp_quantile_exp(x, 0.6, 0, 1000) FROM wide;
	RETURN 'answered';
EXCEPTION WHEN query_canceled THEN
	RETURN 'cancelled';
END $$;
SET statement_timeout = 15;
SELECT dp_ann.tried(15);
EOS
my ($out, $err) = observe('far', $cancelled . <<'EOS');
SHOW client_min_messages;
SHOW track_counts;
SHOW trace_sort;
EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off) SELECT dp_ann.tried(15);
RESET statement_timeout;
SELECT dp_count(*) IS NULL FROM patients;
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'wide'::regclass;
SELECT count(*) FROM pg_cursors;
EOS
like($out, qr/cancelled\nnotice\non\noff\n/, 'a cancelled question restores the settings');
my ($buffers) = $out =~ /Buffers: shared (?:hit=(\d+))?/;
cmp_ok($buffers // 0, '<', $node->safe_psql('far', "SELECT relpages FROM pg_class WHERE relname = 'wide'"), 'and its buffers are not seen');
like($out, qr/\nf\n0\n0$/, 'and the session goes on');

# Parallel plans: the same answers, wherever the release stands.
my $forced = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
($out, $err) = observe('far', <<'EOS' =~ s/PARALLEL = on/$forced = on/r);
SET max_parallel_workers_per_gather = 4;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT abs(dp_count(*) - 100000) < 100 FROM wide;
SET PARALLEL = on;
SELECT abs(dp_count(*) - 100000) < 100 FROM wide;
BEGIN;
CREATE TABLE dp_ann.written AS SELECT 1 AS x;
CREATE FUNCTION dp_ann.counted() RETURNS bigint LANGUAGE plpgsql PARALLEL RESTRICTED AS $$BEGIN RETURN (SELECT dp_count(*) FROM wide); END$$;
CREATE FUNCTION dp_ann.counted_safe() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN RETURN (SELECT dp_count(*) FROM wide); END$$;
SELECT abs(dp_ann.counted() - 100000) < 100 FROM dp_ann.written;
DECLARE c CURSOR FOR SELECT abs(dp_count(*) - 100000) < 100 FROM wide;
FETCH c;
COMMIT;
SELECT dp_ann.counted_safe();
EOS
is($out, "t\nt\nt\nt", 'parallel plans');
like($err, qr/parallel worker/, 'a release does not run in a parallel worker');

# Memory.
($out) = observe('near', <<'EOS');
CREATE FUNCTION dp_ann.used() RETURNS bigint LANGUAGE sql AS 'SELECT sum(used_bytes)::bigint FROM pg_backend_memory_contexts';
DO $$BEGIN FOR i IN 1 .. 50 LOOP PERFORM dp_count(*), dp_median_exp(age, 0, 100) FROM patients; END LOOP; END$$;
SELECT dp_ann.used() AS before \gset
DO $$BEGIN FOR i IN 1 .. 3000 LOOP PERFORM dp_count(*), dp_median_exp(age, 0, 100) FROM patients; END LOOP; END$$;
SELECT dp_ann.used() - :before < 100000;
DO $$
DECLARE
	before bigint := dp_ann.used();
BEGIN
	FOR i IN 1 .. 1000 LOOP
		EXECUTE 'SELECT dp_count(*), dp_median_exp(age, 0, 100) FROM patients';
		BEGIN
			EXECUTE 'SELECT dp_count(*) FROM patients WHERE age > random()';
		EXCEPTION WHEN feature_not_supported THEN
			NULL;
		END;
	END LOOP;
	RAISE 'grew: %', dp_ann.used() - before < 1000000;
END$$;
SELECT dp_ann.used() - :before < 200000;
EOS
is($out, "t\nt", 'memory does not grow with executions');

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no crash');
$node->stop;
done_testing();
