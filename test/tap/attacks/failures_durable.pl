# A failure is on disk before anybody can see that it is counted: it tells of rows, and
# after a crash it would be gone, and could be made to happen again. Nobody but the
# ledger's own processes writes the log to disk here.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use LedgerSteps;

my $node = LedgerSteps->new('failures_durable', "wal_writer_delay = 10s\ncheckpoint_timeout = 1h\nmax_parallel_workers_per_gather = 0\n");
my $lines = $node->basedir . '/lines';
append_to_file($lines, "1\n2\nsecret\n");
$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE filed (x integer) SERVER files OPTIONS (filename '$lines');
CREATE ROLE team ROLE dp_ann, dp_bob;
SELECT dp_noise.protect('filed', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('team', 'filed', 1000000, delta => 1, max_failures => 1, shared => true);
SELECT dp_noise.set_budget(r, 'filed', 1000000, delta => 1) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r;
EOS

sub say_as
{
	my ($role, $statement) = @_;
	my ($out, $err);

	$node->psql('postgres', $statement, stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0);
	return "$out$err";
}

my $seen = q{SELECT failures FROM dp_noise.budgets WHERE population = 'public.filed' AND role = 'team'};
my $number = 0;

# A failure that is counted, of whose asker nothing more is heard.
sub fail_unheard
{
	my ($cancelled) = @_;
	my $session = $node->session('dp_ann');
	my $at = $cancelled ? 'budgets-locked' : 'reply-seen';

	$number++;
	$node->stop_at('charged');
	$session->{in} .= "SELECT dp_count(*) FROM filed WHERE x > -$number;\n";
	IPC::Run::pump_nb $session->{run};
	my $pid = $node->reached('charged') or die "not charged: $session->{err}";
	$node->stop_at($at);
	$node->pass('charged');
	$node->reached($at) or die "it does not come to $at";
	if ($cancelled)
	{
		kill 'INT', $pid;
		usleep(100_000);
	}
	else
	{
		kill 'STOP', $pid;
	}
	$node->pass($at);
	return ($session, $pid);
}

foreach my $case (
	[ 'a view', 0, sub { say_as('dp_ann', 'SELECT failures FROM dp_budget ORDER BY failures DESC LIMIT 1') }, qr/^1$/ ],
	[ 'a preview', 0, sub { say_as('dp_bob', 'EXPLAIN SELECT dp_count(*) FROM filed WHERE x > 5') }, qr/too many questions about "filed" have failed/ ],
	[ 'a view, its asker cancelled', 1, sub { say_as('dp_ann', 'SELECT failures FROM dp_budget ORDER BY failures DESC LIMIT 1') }, qr/^1$/ ])
{
	my ($name, $cancelled, $look, $shows) = @$case;

	$node->safe_psql('postgres', q{SELECT dp_noise.forgive(r, 'filed') FROM unnest('{team,dp_ann,dp_bob}'::regrole[]) AS r; SELECT dp_noise.forgive(NULL, 'filed')});
	my ($session, $pid) = fail_unheard($cancelled);

	$node->poll_query_until('postgres', "SELECT ($seen) = 1");
	like($look->(), $shows, "$name shows the failure");
	$node->kill9;
	kill 'KILL', $pid;
	eval { IPC::Run::finish $session->{run} };
	for (1 .. 200)
	{
		undef $node->{_pid};
		last if $node->start(fail_ok => 1);
		usleep(100_000);
	}
	is($node->safe_psql('postgres', $seen), '1', "$name: it is counted after a crash");
}

$node->stop;
done_testing();
