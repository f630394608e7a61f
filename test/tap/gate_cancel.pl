# Questions cancelled at any moment: nothing stays behind in the session, no
# snapshot, lock, open relation, memory or changed setting, and the next
# question is charged once.
#
# Takes long: it needs a library of its own, with assertions.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = LedgerCluster->new('cancel', "max_parallel_workers = 4\nmax_worker_processes = 16\nautovacuum = off\n");

$node->use_library('assert');
$node->safe_psql('postgres', <<'EOF');
GRANT EXECUTE ON FUNCTION pg_get_backend_memory_contexts TO dp_ann;
GRANT SELECT ON pg_backend_memory_contexts TO dp_ann;
CREATE TABLE readings AS SELECT i AS id, (i * 7919 % 1000)::float8 AS x, i % 3 = 0 AS odd FROM generate_series(1, 100000) AS i;
ANALYZE readings;
SELECT dp_noise.protect('readings', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('readings', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'readings', 1000000000);
-- what a session holds: memory, locks beyond this query's, settings
CREATE VIEW held AS
SELECT (SELECT sum(total_bytes) FROM pg_backend_memory_contexts) AS memory,
	(SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'readings'::regclass) AS locks,
	concat_ws(' ', current_setting('client_min_messages'), current_setting('track_counts'), current_setting('search_path'),
		current_setting('plan_cache_mode'), current_user) AS settings;
GRANT SELECT ON held TO PUBLIC;
EOF

my $before = 'notice on "$user", public auto dp_ann';
my %questions = (
	plain => 'SELECT dp_median_exp(x, 0, 1000), dp_sum(x, 0, 1000), dp_count(*) FROM readings WHERE x < 900',
	blocks => 'SELECT (SELECT dp_median_exp(x, 0, 1000) FROM readings), (SELECT dp_max(x, 0, 1000) FROM readings WHERE odd)',
	explained => 'EXPLAIN ANALYZE SELECT dp_median_exp(x, 0, 1000) FROM readings');

# Cancels a question after 1, 2, ... 36 ms, or not at all, over and over.
sub script
{
	my ($question, $rounds, $settings) = @_;

	return "$settings;\n" . join('', map {
		sprintf("SET statement_timeout = %d;\n%s;\nRESET statement_timeout;\n", $_ % 37, $question)
	} 1 .. $rounds);
}

foreach my $settings ('SELECT', 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0')
{
	foreach my $name (sort keys %questions)
	{
		my $label = $settings eq 'SELECT' ? $name : "$name, parallel";
		my $log = -s $node->logfile;
		my ($out, $err) = $node->as_ann(
			script($questions{$name}, 37, $settings)
			. "SELECT 'held', memory, locks, settings FROM held;\n"
			. script($questions{$name}, 111, $settings)
			. "SELECT 'held', memory, locks, settings FROM held;\n"
			. "SELECT 'alone', dp_count(*) IS NOT NULL FROM readings;\n");
		my $cancelled = () = $err =~ /canceling statement due to statement timeout/g;
		my @held = $out =~ /^held\|(\d+)\|(\d+)\|(.*)$/mg;

		cmp_ok($cancelled, '>', 10, "$label: $cancelled of 148 were cancelled");
		cmp_ok($cancelled, '<', 148, "$label: not all");
		cmp_ok($held[3] - $held[0], '<', 100_000, "$label: no memory stays") or note("@held");
		is($held[4], 0, "$label: no lock stays");
		is($held[5], $before, "$label: no setting stays");
		like($out, qr/^alone\|t$/m, "$label: the next question is answered");
		unlike(slurp_file($node->logfile, $log), qr/WARNING|leak|PANIC|TRAP/, "$label: the server has nothing to warn of");
	}
}

# in subtransactions of one transaction, whose snapshot and locks go on
my $log = -s $node->logfile;
my ($out, $err) = $node->as_ann(<<'EOF');
CREATE TEMPORARY TABLE outcome (canceled boolean);
CREATE PROCEDURE pg_temp.ask(rounds integer) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. rounds LOOP
		BEGIN
			PERFORM dp_median_exp(x, 0, 1000), dp_count(*) FROM readings WHERE id > i;
			INSERT INTO outcome VALUES (false);
		EXCEPTION WHEN query_canceled THEN
			INSERT INTO outcome VALUES (true);
		END;
		BEGIN
			PERFORM 1 / (dp_count(*) - dp_count(*)) FROM readings;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO outcome VALUES (false);
		END;
	END LOOP;
END $$;
BEGIN;
CALL pg_temp.ask(30);
SELECT 'held', memory FROM held;
CALL pg_temp.ask(100);
SELECT 'held', memory FROM held;
DECLARE c SCROLL CURSOR FOR SELECT i, (SELECT dp_count(*) FROM readings) FROM generate_series(1, 10) AS i;
FETCH 3 FROM c;
SAVEPOINT s;
DECLARE d CURSOR FOR SELECT dp_count(*) FROM readings;
FETCH d;
ROLLBACK TO s;
FETCH BACKWARD 1 FROM c;
COMMIT;
SELECT 'transaction', backend_xmin IS NULL OR state = 'active' FROM pg_stat_activity WHERE pid = pg_backend_pid();
EOF
my @held = $out =~ /^held\|(\d+)$/mg;
cmp_ok($held[1] - $held[0], '<', 300_000, 'subtransactions: no memory stays') or note("@held");
is($err, '', 'subtransactions: no error comes out');
unlike(slurp_file($node->logfile, $log), qr/WARNING|leak|PANIC|TRAP/, 'subtransactions: the server has nothing to warn of');

# a session that sits idle after a cancelled question holds no row back
my $session = $node->session('dp_ann');
$session->{in} = "SET statement_timeout = 5;\n$questions{plain};\n";
$session->{run}->pump until $session->{err} =~ /canceling/;
ok($node->wait_until("SELECT bool_and(state = 'idle' AND backend_xmin IS NULL AND backend_xid IS NULL)"
		. " FROM pg_stat_activity WHERE usename = 'dp_ann'"), 'idle after a cancelled question: no snapshot');
$session->{in} .= "\\q\n";
$session->{run}->finish;

is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'dp_ann'}), 0, 'no session stays');
is($node->safe_psql('postgres', q{SELECT (SELECT sum(epsilon) FROM dp_noise.ledger WHERE population = 'public.readings') = epsilon_spent
	FROM dp_noise.budgets WHERE role = 'dp_ann' AND population = 'public.readings'}), 't', 'the ledger and the budget agree');

$node->stop;
done_testing();
