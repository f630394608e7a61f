# No worker to be had: more databases than there is room for, no process left,
# workers that end as they start or take too long. The charge is refused, or
# made once, and all is well as soon as there is room again.
#
# Takes long: 17 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerSteps;

my $room = 64; # DP_WORKERS_MAX
my $node = LedgerSteps->new('exhaustion', <<'EOF', 'seed');
max_worker_processes = 80
max_logical_replication_workers = 0
max_connections = 30
autovacuum = off
EOF
my ($out, $err);
my $ask = "\\set VERBOSITY verbose\nSELECT ask();";

sub no_worker_left
{
	return $node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
}

# Many databases, in each of which somebody asks, gives up, and leaves behind a
# worker that comes no further.
$node->safe_psql('postgres', join "\n", map { "CREATE DATABASE many$_ TEMPLATE seed STRATEGY file_copy;" } 1 .. $room + 2);
$node->safe_psql("many$_", q{SELECT dp_noise.accept_timeline()}) foreach 1 .. $room + 2;

sub ask_in
{
	my ($sql, @numbers) = @_;

	($out, $err) = $node->as_ann(join '', map { "\\connect many$_\n$sql\n" } @numbers);
	return;
}

sub spent_in
{
	my (@numbers) = @_;
	my $all = join "\n", map { "\\connect many$_\nSELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'dp_ann';" } @numbers;

	return join ',', split /\n/, $node->safe_psql('postgres', $all);
}

# Leaves a stopped worker in each of these databases; the number of all workers.
sub leave_workers
{
	my (@missing) = @_;
	my %there;

	foreach (1 .. 60)
	{
		ask_in(q{SET statement_timeout = '50ms'; SELECT ask();}, @missing);
		is(() = $err =~ /canceling statement due to statement timeout/g, scalar(@missing), 'all give up');
		usleep(500_000);
		%there = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', q{SELECT datname FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
		@missing = grep { !$there{"many$_"} } @missing;
		last unless @missing;
	}
	return scalar keys %there;
}

$node->stop_at('worker-runs');
is(leave_workers(1 .. $room), $room, "$room databases have a worker");
ask_in($ask, $room + 1, $room + 2);
is(() = $err =~ /ERROR:  53000: too many databases charge privacy budgets at once/g, 2, 'two databases more: refused');
is(() = $err =~ /DETAIL:  There are ledger workers for $room databases/g, 2, 'with a detail');
is(() = $err =~ /HINT:  Try again in a few seconds/g, 2, 'and a hint');
is($out, '', 'and without an answer');
ask_in(q{SET statement_timeout = '50ms'; SELECT ask();}, 1);
like($err, qr/canceling statement due to statement timeout/, 'where there is a worker, one may still wait');
$node->pass('worker-runs');
ask_in($ask, 1 .. $room);
is(() = $out =~ /charged/g, $room, 'the workers go on: all are charged');
is($err, '', 'and nobody is refused');
ok(no_worker_left(), 'they end');
ask_in($ask, $room + 1, $room + 2);
is($out, "charged\ncharged", 'those that were refused are charged now');
is(spent_in(1 .. $room + 2), join(',', (1) x ($room + 2)), 'each once: not for what was refused or given up');
ok(no_worker_left(), 'they end');

# No process for a worker: other databases' workers have them all.
$node->append_conf('postgresql.conf', "max_worker_processes = 2\n");
$node->restart;
$node->stop_at('worker-runs');
is(leave_workers(1, 2), 2, 'max_worker_processes are there');
foreach my $time (1 .. 3)
{
	($out, $err) = $node->as_ann($ask);
	like($err, qr/ERROR:  53000: could not start the ledger worker/, "max_worker_processes exhausted: refused, $time");
	like($err, qr/HINT:  Set max_worker_processes higher/, "with a hint, $time");
	is($out, '', "without an answer, $time");
}
is($node->spent, 0, 'nothing is charged');
$node->pass('worker-runs');
ok(no_worker_left(), 'the others end');
($out) = $node->as_ann($ask);
is($out, 'charged', 'and there is a worker');
is($node->spent, 1, 'which charges once');
ok(no_worker_left(), 'it ends');

# Workers that end as they start, because there is no library for them.
my $session = $node->session('dp_ann');
$session->{in} .= "SELECT ask();\n";
IPC::Run::pump $session->{run} until $session->{out} =~ /charged\n/;
ok(no_worker_left(), 'the worker ends');
my $path = $node->safe_psql('postgres', 'SHOW dynamic_library_path');
$node->safe_psql('postgres', q{ALTER SYSTEM SET dynamic_library_path = '/nowhere'; SELECT pg_reload_conf()});
ok($node->wait_until(q{SELECT current_setting('dynamic_library_path') = '/nowhere'}), 'the library is gone');
my $start = time;
$session->{in} .= "$ask\n";
IPC::Run::pump $session->{run} until $session->{err} =~ /LOCATION/;
like($session->{err}, qr/ERROR:  53000: could not start the ledger worker/, 'workers end as they start: refused');
like($session->{err}, qr/HINT:  Set max_worker_processes higher, or see the server's log/, 'with a hint');
cmp_ok(time - $start, '<', 30, 'soon');
my $deaths = () = slurp_file($node->logfile) =~ /could not access file "dp_noise"/g;
cmp_ok($deaths, '>', 1, "the server's log tells why, $deaths times");
$node->safe_psql('postgres', 'ALTER SYSTEM RESET dynamic_library_path; SELECT pg_reload_conf()');
ok($node->wait_until("SELECT current_setting('dynamic_library_path') = '$path'"), 'the library is back');
is($node->spent, 2, 'nothing is charged');
$session->{out} = '';
$session->{in} .= "$ask\n\\q\n";
IPC::Run::finish $session->{run};
is($session->{out}, "charged\n", 'and the same session is served');
is($node->spent, 3, 'and charged once');
ok(no_worker_left(), 'the worker ends');

# A worker that does not come up: another one is started, and the first, when it
# goes on, does not work beside it.
$node->stop_at('worker-connected');
$session = $node->session('dp_ann');
$session->{in} .= "SELECT ask();\n\\q\n";
IPC::Run::pump_nb $session->{run};
my $first = $node->reached('worker-connected');
my $second = $first;
$start = time;
while ($second == $first && time - $start < 30)
{
	usleep(100_000);
	$second = $node->reached('worker-connected');
}
isnt($second, $first, 'a worker that does not come up is given up');
$node->pass('worker-connected');
IPC::Run::finish $session->{run};
is($session->{out}, "charged\n", 'another answers');
is($node->worker, $second, 'and is the only one');
is($node->spent . ' ' . $node->recorded, '4 4', 'charged once');

$node->stop;
done_testing();
