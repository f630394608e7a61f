# EXPLAIN of questions where nobody can say what the ledger would: on a
# standby, without a process for the ledger, without the library preloaded. It
# tells the price, and is no error.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('primary');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', <<'EOC');
shared_preload_libraries = 'dp_noise'
max_worker_processes = 4
max_parallel_workers = 4
fsync = off
EOC
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE ROLE owner;
CREATE ROLE ann LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE patients (age integer);
INSERT INTO patients SELECT generate_series(1, 100);
SELECT dp_noise.protect('patients', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('ann', 'patients', 10);
EOS

sub ask
{
	my ($on, $script) = @_;
	my ($out, $err);
	$on->psql('postgres', $script, extra_params => [ '-U', 'ann' ], stdout => \$out, stderr => \$err, on_error_stop => 0);
	return ($out, $err);
}

# Every format, with the price and without an answer.
sub unknown
{
	my ($on, $name, $reason, $error) = @_;
	my ($out, $err);

	foreach my $format (qw(text json yaml xml))
	{
		($out, $err) = ask($on, "EXPLAIN (FORMAT $format) SELECT dp_count(age, 0.5) FROM patients");
		is($err, '', "$name: $format: no error");
		like($out, qr/Epsilon\W+0\.5\b.*\bnot known\b.*$reason/s, "$name: $format: the price, but no answer");
		unlike($out, qr/Budget"?:|Epsilon Left/, "$name: $format: and no budget");
	}
	($out, $err) = ask($on, 'SELECT dp_count(age, 0.5) FROM patients');
	like($err, $error, "$name: and the question is refused");
	is($out, '', "$name: without an answer");
}

my ($out, $err) = ask($node, 'EXPLAIN SELECT dp_count(age, 0.5) FROM patients');
like($out, qr/Answer: charged.*Budget: ann\n    Epsilon Left: 10\n/s, 'with all there');

# a standby
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
unknown($standby, 'standby', 'on a standby', qr/privacy budgets cannot be charged on a standby/);
$standby->stop;

# No process for the ledger: its own ends when it has nothing to do, and the
# places of others are taken.
$node->append_conf('postgresql.conf', "max_worker_processes = 1\nmax_logical_replication_workers = 1\n");
$node->restart;
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'logical replication launcher'"), '1', 'the only place is taken');
unknown($node, 'no process', 'could not start the ledger worker', qr/could not start the ledger worker/);
$node->append_conf('postgresql.conf', "max_worker_processes = 4\n");
$node->restart;
($out) = ask($node, 'EXPLAIN SELECT dp_count(age, 0.5) FROM patients');
like($out, qr/Answer: charged/, 'with room again');

# not preloaded
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
is((ask($node, 'EXPLAIN SELECT dp_count(age, 0.5) FROM patients'))[1] =~ /permission denied|^$/ ? 'closed' : 'open', 'closed', 'not preloaded: closed');
($out, $err) = ask($node, "SELECT 1 FROM dp_expected_error('geometric', 1);\nEXPLAIN SELECT dp_count(age, 0.5) FROM patients;\nSELECT dp_count(age, 0.5) FROM patients;");
like($out, qr/^1\n.*not known.*dp_noise is not preloaded/ms, 'loaded later: the price, but no answer') or diag($err);
like($err, qr/dp_noise is not preloaded/, 'and the question is refused');
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'nothing was charged');
$node->stop;
done_testing();
