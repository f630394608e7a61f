# Class: one session that ends the server for all. A process whose stack cannot
# grow, for lack of address space, is killed by the kernel, and the server ends
# all other sessions. A question takes its stack in advance, and says so where
# there is none: EXPLAIN, which is free, ended the server under ulimit -v.
#
# Takes long: 13 seconds of processor time without its servers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'prlimit is not there' if system('prlimit --version >/dev/null 2>&1') != 0;

my $node = LedgerCluster->new('stack_limit', "autovacuum = off\nfsync = off\njit = off\n");
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE folk (id integer PRIMARY KEY, age integer);
INSERT INTO folk SELECT i, i % 90 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('folk', epsilon => 1e6, delta => 1), dp_noise.alter_population('folk', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'folk', 1000000);
EOS

my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my %seen;

# Asks in a new session after the limits that prlimit sets by the options.
sub ask_limited
{
	my ($options, $question) = @_;
	my ($out, $err);

	$node->psql('postgres', <<"EOS", extra_params => [ '-U', 'dp_ann' ], on_error_stop => 0, stdout => \$out, stderr => \$err);
\\set VERBOSITY verbose
SELECT 1 \\g /dev/null
SELECT pg_backend_pid() AS pid \\gset
\\setenv BACKEND :pid
\\! prlimit --pid \$BACKEND $options
$question;
EOS
	return $out . $err;
}

# Asks in a new session that has room for so many kB more.
sub ask
{
	my ($kilobytes, $question) = @_;

	return ask_limited("--as=\$((\$(awk '/VmSize/ { print \$2 * 1024 }' /proc/\$BACKEND/status) + $kilobytes * 1024))", $question);
}

foreach my $question ('EXPLAIN SELECT dp_count(*) FROM folk', 'SELECT dp_sum(age, 0, 100) IS NOT NULL FROM folk')
{
	my @lost;

	# steps of less than what a question takes of the stack at once
	for (my $kilobytes = 0; $kilobytes <= 12 * 1024; $kilobytes += 64)
	{
		my $said = ask($kilobytes, $question);

		push @lost, $kilobytes if $said =~ /server closed the connection|connection to server was lost|terminating connection/;
		$seen{answered}++ if $said !~ /ERROR|FATAL/;
	}
	is("@lost", '', "no size of the address space ends the session: $question");
}
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server has not begun anew');
ok(!$node->log_contains('was terminated by signal'), 'and no process of it was killed');
cmp_ok($seen{answered} // 0, '>', 0, 'with enough there are answers');
like(ask_limited('--stack=131072', 'EXPLAIN SELECT dp_count(*) FROM folk'), qr/The stack cannot grow by 256 kB/, 'where only the stack has no room, the question says so');
unlike(ask_limited('--stack=16777216', 'EXPLAIN SELECT dp_count(*) FROM folk'), qr/ERROR/, 'and where it has, it does not');

done_testing();
