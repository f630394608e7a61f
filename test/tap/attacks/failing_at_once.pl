# The class of attacks: to learn from more failures than max_failures allows, or
# from some that are not counted.
#
# Questions that were asked at once were charged while there was no failure yet,
# and each told whether it failed. And who kept the ledger worker from its tables,
# by the lock of a command that is refused, or from a relation's budgets, by
# renaming its schema, heard of failures that it could not count. Now nobody hears
# of a failure before it is counted: whoever cannot have it counted hears what one
# hears whose answer cannot be stored, and when max_failures are counted, questions
# that are under way have no answers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../lib";

use IPC::Run;
use LedgerSteps;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = LedgerSteps->new('at_once', "autovacuum = off\nfsync = off\nmax_parallel_workers_per_gather = 0\n");
my $lines = $node->basedir . '/lines';
append_to_file("$lines.$_", "1\n2\n") foreach qw(filed bad good);
append_to_file("$lines.bad", "secret\n");

$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE ROLE owner LOGIN SUPERUSER;
CREATE SCHEMA clinic;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE filed (x integer) SERVER files OPTIONS (filename '$lines.filed');
CREATE FOREIGN TABLE clinic.bad (x integer) SERVER files OPTIONS (filename '$lines.bad');
CREATE FOREIGN TABLE clinic.good (x integer) SERVER files OPTIONS (filename '$lines.good');
SELECT dp_noise.protect(r, epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_ann', r::text, 1000000, max_failures => 2) FROM unnest('{filed,clinic.bad,clinic.good}'::regclass[]) AS r;
GRANT USAGE ON SCHEMA clinic TO dp_ann;
EOS

sub failures
{
	my $relation = shift;

	return $node->safe_psql('postgres', "SELECT string_agg(b.failures::text, ' ' ORDER BY role) FROM dp_noise.budgets AS b JOIN dp_noise.populations AS p USING (population) WHERE '$relation'::regclass = ANY (members)");
}

# Questions that wait, each of which is charged.
sub ask_and_stop
{
	my @questions = @_;
	my @sessions;

	$node->stop_at('charged');
	foreach my $question (@questions)
	{
		my $session = $node->session('dp_ann');

		unlink $node->steps . '/charged.reached';
		$session->{in} .= "\\set VERBOSITY verbose\n$question;\n";
		IPC::Run::pump_nb $session->{run};
		$session->{pid} = $node->reached('charged') // die "not charged: $session->{err}";
		push @sessions, $session;
	}
	return @sessions;
}

sub end_of
{
	my $session = shift;

	return $session->{said} if defined $session->{said};
	$session->{in} .= "\\q\n";
	eval { IPC::Run::finish $session->{run} };
	return "$session->{out}$session->{err}";
}

# Several at once, and then one after another.
{
	my @sessions = ask_and_stop(map { "SELECT dp_count(*) FROM filed WHERE x > -$_" } 1 .. 5);
	my @heard;

	kill 'STOP', $_->{pid} foreach @sessions;
	$node->pass('charged');
	append_to_file("$lines.filed", "secret\n");
	foreach my $session (@sessions)
	{
		rename "$lines.good", "$lines.filed" if @heard == 4; # the last one can be answered
		kill 'CONT', $session->{pid};
		push @heard, end_of($session);
	}
	append_to_file("$lines.good", "1\n2\n");
	like($heard[$_], qr/ERROR:  22000: the protected relation could not be read/, 'a failure is told') foreach 0, 1;
	like($heard[2], qr/ERROR:  53400: too many questions about "public\.filed" have failed\nDETAIL:  2 failed .*\nHINT:  The question was charged before, and is not answered\./, 'and after two nothing more');
	is($heard[3], $heard[2], 'as often as one asked');
	is($heard[4], $heard[2], 'whatever the rows');
	is(failures('filed'), '2 2', 'nor is it counted');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.filed'}), 5, 'with all charges');
}

# What two questions hear, of which one fails and the other has an answer, while
# something keeps the worker from its work.
sub compare
{
	my ($what, $number, $pattern, $begin, $end) = @_;
	my @sessions = ask_and_stop(map { "SELECT dp_count(*) FROM clinic.$_ WHERE x > -$number" } qw(bad good));
	my @heard;

	$begin->();
	$node->pass('charged');
	$end->(@sessions);
	@heard = map { end_of($_) } @sessions;
	s/"(?:bad|good)"/"it"/g foreach @heard;
	like($heard[0], $pattern, "a failure: $what");
	is($heard[1], $heard[0], 'the same without one');
	return;
}

# Whether sessions wait for the ledger.
sub wait_for_ledger
{
	my @sessions = @_;
	my $pids = join ', ', map { $_->{pid} } @sessions;

	$node->wait_until("SELECT count(*) = 2 FROM pg_stat_activity WHERE pid IN ($pids) AND wait_event = 'Extension'") || die 'they do not wait';
	return;
}

# A command that will be refused waits for a lock, and others for it. A worker that
# starts needs to read what it locks.
my ($reader, $locker);
my $lock_roles = sub {
	($reader, $locker) = map { $node->session('dp_ann') } 1, 2;
	$node->wait_until(q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker')}) || die 'the worker stays';
	$reader->{in} .= "BEGIN; SELECT 'read' FROM pg_roles LIMIT 1;\n";
	IPC::Run::pump $reader->{run} until $reader->{out} =~ /read/;
	$locker->{in} .= "CREATE RULE r AS ON INSERT TO pg_authid DO NOTHING;\n";
	IPC::Run::pump_nb $locker->{run};
	until ($reader->{out} =~ /true/) # nobody else can connect
	{
		usleep(20_000);
		$reader->{in} .= "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'pg_authid'::regclass AND NOT granted)::text;\n";
		IPC::Run::pump $reader->{run} until $reader->{out} =~ s/false\n// || $reader->{out} =~ /true/;
	}
};
my $unlock_roles = sub {
	$reader->{in} .= "ROLLBACK;\n";
	(undef) = end_of($reader);
	like(end_of($locker), qr/permission denied/, 'the command is refused');
};

compare('a catalog is locked', 1, qr/ERROR:  55P03: the ledger is locked by another transaction/, $lock_roles,
	sub { $_->{said} = end_of($_) foreach @_; $unlock_roles->() });
is(failures('clinic.bad'), '0 0', 'which nobody counts');

# The owner of the populations locks them.
my $owner;
my $lock_populations = sub {
	$owner = $node->session('owner');
	$owner->{in} .= "BEGIN; SELECT dp_noise.set_budget('owner', p, 1) FROM unnest('{clinic.bad,clinic.good}'::text[]) AS p; SELECT 'locked';\n";
	IPC::Run::pump $owner->{run} until $owner->{out} =~ /locked/ || $owner->{err} =~ /ERROR/;
};
my $unlock_populations = sub {
	$owner->{in} .= "ROLLBACK;\n";
	(undef) = end_of($owner);
};

compare('an owner locks the budgets, and the question is cancelled', 2, qr/ERROR:  57014: canceling statement due to user request/, $lock_populations,
	sub {
		wait_for_ledger(@_);
		$node->safe_psql('postgres', "SELECT pg_cancel_backend($_->{pid})") foreach @_;
		usleep(200_000);
		$unlock_populations->();
	});
is(failures('clinic.bad'), '0 0', 'which nobody counts');
my @again = map { ($node->as_ann("SELECT dp_count(*) FROM clinic.$_ WHERE x > -2"))[1] =~ s/"$_"/"it"/r } qw(bad good);
like($again[0], qr/asked before, and has no stored answer/, 'nor is there an answer');
is($again[1], $again[0], 'or a difference');

# nor as long as anybody waits
compare('an owner locks the budgets for long', 3, qr/ERROR:  55P03: the privacy budgets that paid are locked by another transaction/, $lock_populations,
	sub { $_->{said} = end_of($_) foreach @_; $unlock_populations->() });

$node->stop;
done_testing();
