# Synchronous replication: a charge waits for the standby as the server is
# configured, whatever the analyst sets; who is cancelled or whose worker is
# interrupted meanwhile gets no answer, and the charge is not lost. A standby
# refuses; promoted, it knows of all that was answered.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $primary = LedgerCluster->new('primary', '', allows_streaming => 1);
my ($out, $err);

$primary->backup('base');
my $standby = bless PostgreSQL::Test::Cluster->new('standby'), 'LedgerCluster';
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

sub configure
{
	my (@settings) = @_;

	$primary->safe_psql('postgres', "ALTER SYSTEM SET $_") foreach @settings;
	$primary->reload;
	return;
}

# An analyst who asks, and does not want to wait for anything.
sub lazy
{
	my $session = $primary->session('dp_ann');

	$session->{in} .= "SET synchronous_commit = off;\nSELECT ask();\n";
	IPC::Run::pump_nb $session->{run};
	return $session;
}

sub ends
{
	my ($session) = @_;

	$session->{in} .= "\\q\n";
	eval { IPC::Run::finish $session->{run} };
	return "$session->{out}$session->{err}";
}

my $worker_waits =
  q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker' AND wait_event = 'SyncRep'};
my $worker = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'};
my $asker = q{SELECT pid FROM pg_stat_activity WHERE usename = 'dp_ann' AND query LIKE 'SELECT ask%'};

# remote_apply: what was answered can be seen on the standby at once
configure(q{synchronous_standby_names = 'standby'}, 'synchronous_commit = remote_apply');
ok($primary->wait_until(q{SELECT sync_state = 'sync' FROM pg_stat_replication}), 'the standby is synchronous');
my $late = 0;
foreach my $n (1 .. 20)
{
	$primary->as_ann('SET synchronous_commit = off; SELECT ask()');
	$late++ if $standby->recorded != $n;
}
is($late, 0, 'remote_apply: each answer is on the standby already');
my $known = 20;

# on: a charge waits for the standby
configure('synchronous_commit = on');
$standby->stop;
my $session = lazy();
ok($primary->wait_until($worker_waits), 'no standby: the ledger worker waits');
usleep(500_000);
IPC::Run::pump_nb $session->{run};
is($session->{out}, '', 'and so does the analyst, synchronous_commit = off or not');
# others wait behind it, and can leave
($out, $err) = $primary->as_ann(q{SET statement_timeout = '300ms'; SELECT ask()});
like($err, qr/canceling statement due to statement timeout/, 'another analyst can leave');
$primary->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM ($asker AND state = 'active') AS a");
like(ends($session), qr/^ERROR:  canceling statement due to user request$/m, 'the analyst can leave');
unlike($session->{out}, qr/charged/, 'without an answer');
is($primary->recorded, $known, 'the charge cannot be seen yet');
$standby->start;
$known++;
ok($primary->wait_until("SELECT count(*) = $known FROM dp_noise.ledger"), 'the standby is back: the charge is there, of which nobody waits');
is($primary->spent . ' ' . $primary->recorded, "$known $known", 'once; the one who left the queue is not charged');
($out) = $primary->as_ann('SELECT ask()');
is($out, 'charged', 'charges go on');
$known++;

# the worker is interrupted while it waits: nothing is answered that the standby
# does not have
foreach my $how (qw(terminate cancel))
{
	$standby->stop;
	$session = lazy();
	ok($primary->wait_until($worker_waits), "pg_${how}_backend of the worker: it waits");
	$primary->safe_psql('postgres', "SELECT pg_${how}_backend(pid) FROM ($worker) AS w");
	usleep(500_000);
	IPC::Run::pump_nb $session->{run};
	unlike($session->{out}, qr/charged/, "pg_${how}_backend of the worker: no answer");
	$standby->start;
	$known++;
	ok($primary->wait_until("SELECT count(*) = $known FROM dp_noise.ledger"), "pg_${how}_backend of the worker: the charge is there");
	like(ends($session), $how eq 'cancel' ? qr/^charged$/m : qr/The charge may have been made/, "pg_${how}_backend of the worker: what the analyst hears");
	is($primary->spent . ' ' . $primary->recorded, "$known $known", "pg_${how}_backend of the worker: charged once");
}

# shutdown while it waits
$standby->stop;
$session = lazy();
ok($primary->wait_until($worker_waits), 'fast shutdown: the ledger worker waits');
my $start = time;
$primary->stop('fast');
cmp_ok(time - $start, '<', 50, 'fast shutdown: soon');
unlike(ends($session), qr/charged/, 'fast shutdown: no answer');
$standby->start;
$primary->start;
$known++;
ok($primary->wait_until("SELECT count(*) = $known FROM dp_noise.ledger"), 'fast shutdown: the charge is there');
ok($primary->wait_until(q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'}), 'the standby is back');

# local: as configured, no charge waits
configure('synchronous_commit = local');
$standby->stop;
($out, $err) = $primary->as_ann(q{SET statement_timeout = '10s'; SELECT ask()});
is($out, 'charged', 'local: a charge does not wait');
$known++;
configure('synchronous_commit = on');
$standby->start;
ok($primary->wait_until(q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'}), 'the standby is back');

# off: is on for the ledger
configure('synchronous_commit = off');
$standby->stop;
$session = lazy();
ok($primary->wait_until($worker_waits), 'off: the ledger worker waits all the same');
$standby->start;
like(ends($session), qr/^charged$/m, 'off: and goes on');
$known++;
is($primary->spent . ' ' . $primary->recorded, "$known $known", 'all as it should be');

# a standby refuses
$primary->as_ann(q{SELECT dp_noise.charge('people', 1, 0, 'repeated', 'the answer')});
$known++;
$standby->psql('postgres', "\\set VERBOSITY verbose\nSELECT ask()", stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);
like($err, qr/55000: privacy budgets cannot be charged on a standby/, 'a standby refuses charges');
$standby->psql('postgres', "\\set VERBOSITY verbose\nSELECT dp_count(*) FROM people", stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);
like($err, qr/55000: privacy budgets cannot be charged on a standby/, 'and questions');
is($out, '', 'without an answer');
is($standby->safe_psql('postgres', 'SELECT count(*) > 0 FROM dp_budget', extra_params => [ '-U', 'dp_ann' ]), 't', 'but shows the budgets');

# the primary is lost in the middle of it
my @clients = map { lazy() } 1 .. 4;
foreach my $client (@clients)
{
	$client->{in} .= "SELECT ask();\n" x 20_000;
	IPC::Run::pump $client->{run} until $client->{out} =~ /(charged\n){30}/;
}
$primary->stop('immediate');
my $confirmed = 0;
foreach my $client (@clients)
{
	eval { IPC::Run::finish $client->{run} };
	$confirmed += () = $client->{out} =~ /charged/g;
}
$standby->promote;
cmp_ok($standby->recorded, '>=', $known + $confirmed, 'the primary is lost: the standby knows of all that was answered');
is($standby->spent, $standby->recorded, 'budget and ledger agree');
$standby->safe_psql('postgres', q{ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf(); SELECT dp_noise.alter_population('people', on_repeat => 'replay'), dp_noise.set_budget('dp_ann', 'people', 1000000)});
$standby->psql('postgres', q{SELECT replayed, encode(answered, 'escape') FROM dp_noise.charge('people', 1, 0, 'repeated', 'another')}, stdout => \$out, extra_params => [ '-U', 'dp_ann' ]);
is($out, 't|the answer', 'and of their answers');
($out) = $standby->as_ann('SELECT ask()');
is($out, 'charged', 'and charges');

$standby->stop;
done_testing();
