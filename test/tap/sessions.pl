# Processes: no two sessions or parallel workers share draws though all are
# forks of one server that has the library preloaded, and a query is cancelled
# or its session ended from outside without harm to others.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('sessions');
$node->init;
$node->append_conf('postgresql.conf', <<'EOF');
shared_preload_libraries = 'dp_noise'
max_worker_processes = 16
max_parallel_workers = 8
EOF
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dp_noise');

# Noise of scale 10^15: of 30 draws two are equal with probability below 1e-12.
my $draw = 'SELECT dp_sum(1, 0, 1000000000000000)';
my %seen;
$seen{ $node->safe_psql('postgres', $draw) }++ for 1 .. 30;
is(scalar(keys %seen), 30, 'sessions draw for themselves');

# A new postmaster, whose children start with the same memory again.
$node->restart;
$seen{ $node->safe_psql('postgres', $draw) }++ for 1 .. 5;
is(scalar(keys %seen), 35, 'so after a restart');

# Partitions that are aggregated in workers, noise and all.
$node->safe_psql('postgres', <<'EOF');
CREATE TABLE parts (g integer, x integer) PARTITION BY LIST (g);
SELECT format('CREATE TABLE parts%s PARTITION OF parts FOR VALUES IN (%s) WITH (parallel_workers = 1)', g, g) FROM generate_series(1, 16) AS g \gexec
INSERT INTO parts SELECT g, 1 FROM generate_series(1, 16) AS g, generate_series(1, 2000);
ANALYZE parts;
EOF
my $settings = <<'EOF';
SET enable_partitionwise_aggregate = on;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 8;
SET parallel_leader_participation = off;
EOF
my $query = 'SELECT g, dp_sum(x, 0, 1000000000000000) AS s FROM parts GROUP BY g';
my $plan = $node->safe_psql('postgres', "$settings EXPLAIN (ANALYZE, COSTS OFF) $query");
like($plan, qr/Workers Launched: [2-9]/, 'there are workers');
like($plan, qr/Gather.*Append.*Aggregate/s, 'the workers aggregate');
is($node->safe_psql('postgres', "$settings SELECT count(DISTINCT s) FROM ($query) AS q"), '16', 'workers draw for themselves');

# cancelled, and ended
my $long = 'SELECT dp_median_exp(a, 0, 10), dp_sum(b, 0, 10) FROM generate_series(1, 1000) AS a, generate_series(1, 100000000) AS b';
foreach my $how ('cancel', 'terminate')
{
	my ($stdout, $stderr) = ('', '');
	my $session = IPC::Run::start(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $long ],
		'>', \$stdout, '2>', \$stderr);
	ok($node->poll_query_until('postgres',
			"SELECT count(*) = 1 FROM pg_stat_activity WHERE query = \$q\$$long\$q\$ AND state = 'active'"),
		"$how: the query runs");
	is($node->safe_psql('postgres', "SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE query = \$q\$$long\$q\$ AND leader_pid IS NULL"), 't', "$how: told");
	$session->finish;
	like($stderr, $how eq 'cancel' ? qr/canceling statement due to user request/ : qr/terminating connection/, "$how: done");
	is($stdout, '', "$how: no answer");
}
is($node->safe_psql('postgres', 'SELECT dp_count(x, 1000000) FROM parts'), '32000', 'the server is well');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'nothing crashed');

done_testing();
