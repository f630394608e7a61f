# What stands beside an answer tells nothing: databases that differ in their
# protected rows look the same to an analyst, in every message, plan, counter
# and, but for the released values, in the server's log.

use strict;
use warnings;

use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

# The counters, as an analyst would ask for them.
my $pair = Neighbours->new('leaks', setup => <<'EOS');
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
my $node = $pair->node;
my $canary = $Neighbours::canary;
my $loud = $Neighbours::loud . "SET trace_sort = on;\n";
my @questions = @Neighbours::questions;
my $all = Neighbours::asked('');

sub observe { return $pair->observe(@_) }
sub look_alike { return $pair->look_alike(@_) }

my ($answers, $complaints) = look_alike($all, 'answers');
unlike($complaints, qr/ERROR/, 'each question is answered');
like($answers, qr/\nkind0\|f\|f\|f\nkind1\|f\|f\|f\nkind2\|f\|f\|f\nkind3\|f\|f\|f\n/, 'in groups, of every key');
look_alike("\\set VERBOSITY verbose\n$loud$all", 'with all that an analyst can switch on');
my ($memory, $serialize) = $node->pg_version >= 17 ? (', MEMORY', ', MEMORY, SERIALIZE') : ('', '');
look_alike(join('', map { "EXPLAIN (VERBOSE, SETTINGS$memory) SELECT $_;\n" } @questions), 'EXPLAIN');
look_alike(join('', map { "EXPLAIN (FORMAT JSON$memory) SELECT $_;\n" } @questions), 'EXPLAIN (FORMAT JSON)');
look_alike(join('', map { "EXPLAIN (COSTS off$memory) SELECT * FROM (SELECT $_) AS s WHERE false;\n" } @questions), 'EXPLAIN of what is never run');
look_alike(join('', map { "PREPARE q AS SELECT $_;\nEXPLAIN (COSTS off$memory) EXECUTE q;\nDEALLOCATE q;\n" } @questions), 'EXPLAIN EXECUTE');
my ($explained) = look_alike(join('', map { "SELECT $_;\nSELECT $_;\nEXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING off, SUMMARY off$serialize) SELECT $_;\n" } @questions),
	'EXPLAIN ANALYZE');
unlike($explained, qr/Seq Scan|Index|Aggregate  |(?<!One-Time )Filter/, 'EXPLAIN ANALYZE shows nothing beneath a release');

# Errors, of every kind.
look_alike(<<'EOS', 'errors');
\set VERBOSITY verbose
CREATE DOMAIN dp_ann.posix AS text COLLATE "POSIX";
SELECT dp_count(*) FROM patients WHERE age > 100 AND city = 'x'::dp_ann.posix;
SELECT dp_count(*) IS NOT NULL FROM patients WHERE age > 100 AND 1 / (age - 119) = 0;
SELECT dp_count(*) IS NOT NULL FROM patients WHERE bmi::integer > 0;
SELECT dp_count(*) IS NOT NULL FROM patients WHERE name::integer > 0;
SELECT dp_sum(age * 2000000000, 0, 1) IS NOT NULL FROM patients;
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
SELECT count(*) IS NULL FROM patients WHERE 1 / (age - 119) = 0;
SELECT name FROM patients WHERE 1 / (age - 119) = 0 LIMIT 1;
SELECT array_agg(name) FROM patients WHERE age > 100;
SELECT * FROM patients WHERE age > 100 AND false;
EXPLAIN SELECT * FROM patients WHERE 1 / (age - 119) = 0;
COPY patients TO STDOUT;
SET dp_noise.delta = 0;
SELECT dp_count(*) FROM patients GROUP BY age;
SET dp_noise.delta = 1e-15;
SELECT dp_count(1 / (age - 119)) IS NOT NULL FROM patients;
SELECT dp_count(bmi::integer) IS NOT NULL FROM patients;
SELECT dp_count(*) FROM patients GROUP BY id HAVING max(age) > 100;
RESET dp_noise.delta;
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

# A joined table, which may be the analyst's own, is read whole, whatever rows
# are looked up: in order, by no index, and once a release.
my $joins = 'SELECT dp_count(*) IS NULL FROM patients JOIN dp_ann.ages ON ages.id = age WHERE ';
my $counts = "SELECT t.seq_scan, t.seq_tup_read, t.idx_scan, t.idx_tup_fetch, i.heap_blks_read + i.heap_blks_hit AS blocks, i.idx_blks_read + i.idx_blks_hit AS index_blocks
	FROM pg_stat_user_tables AS t JOIN pg_statio_user_tables AS i USING (relid) WHERE t.relname = 'ages'";
my $start = "SELECT pg_stat_force_next_flush();\nINSERT INTO ages_counters SELECT *, 1 + (SELECT count(*) FROM ages_counters) FROM ($counts) AS c;\n";
my $reads = "SELECT pg_stat_force_next_flush();\nSELECT 'read' AS counters, c.seq_scan - b.seq_scan, c.seq_tup_read - b.seq_tup_read, c.idx_scan - b.idx_scan, c.idx_tup_fetch - b.idx_tup_fetch,
	c.blocks > b.blocks, c.blocks - b.blocks < 40 FROM ($counts) AS c, ages_counters AS b ORDER BY number DESC LIMIT 1;\n";
my @joined = map { "$start$joins$_;\n$reads" } 'size < 60 AND age > 100', 'size < 60 AND patients.id = 5000', 'size < 60 AND age = 119 AND city IS NULL', 'size < 60';
my ($read) = look_alike("CREATE TEMP TABLE ages_counters AS SELECT *, 0 AS number FROM ($counts) AS c;\n" . join('', @joined) . "SET enable_hashjoin = off;\nSET enable_mergejoin = off;\n$joined[0]$joined[3]" . "PREPARE j AS ${joins}size < 60 AND patients.id = 5000;\n${start}EXECUTE j;\n$reads",
	'what is read of a joined table');
is(join("\n", $read =~ /^read.*$/mg), join("\n", ('read|1|200|0|0|t|t') x 7), 'it is read whole, by no index, each time');

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
note('harden.pl tests what everybody may read of a protected table otherwise, and how that ends.');

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
SELECT dp_ann.tried(0); -- with a timeout alone its buffers would be those of the catalogs
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
