# A charge stays, whatever becomes of the statement, transaction, session or
# process that asked for it.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('survival', "max_prepared_transactions = 5\n");
my ($out, $err);

# n charges more than before, by budget and ledger
my $known = 0;

sub charged
{
	my ($more, $name) = @_;

	$known += $more;
	is($node->spent . ' ' . $node->recorded, "$known $known", $name);
	return;
}

# transactions
$node->as_ann('BEGIN; SELECT ask(); ROLLBACK');
charged(1, 'ROLLBACK');
$node->as_ann('BEGIN; SAVEPOINT a; SELECT ask(); ROLLBACK TO a; SELECT ask(); COMMIT');
charged(2, 'ROLLBACK TO');
$node->as_ann('DO $$ BEGIN PERFORM ask(); RAISE EXCEPTION $e$no$e$; EXCEPTION WHEN OTHERS THEN NULL; END $$');
charged(1, 'exception block');
($out, $err) = $node->as_ann('SELECT 1 / (ask() <> $$charged$$)::int');
like($err, qr/division by zero/, 'an error in the same statement');
charged(1, 'an error in the same statement: charged');
($out) = $node->as_ann('BEGIN READ ONLY; SELECT ask(); COMMIT');
is($out, 'charged', 'read-only transaction');
charged(1, 'read-only transaction: charged');
($out) = $node->as_ann('SET default_transaction_read_only = on; SELECT ask()');
is($out, 'charged', 'read-only by default');
charged(1, 'read-only by default: charged');
($out) = $node->as_ann('BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; SELECT ask(); ABORT');
charged(1, 'serializable, read-only, deferrable');
$node->as_ann('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT ask(); SELECT ask(); COMMIT');
charged(2, 'repeatable read');
$node->as_ann(q{BEGIN; SELECT ask(); PREPARE TRANSACTION 'p'});
charged(1, 'PREPARE TRANSACTION');
$node->as_ann(q{ROLLBACK PREPARED 'p'});
charged(0, 'ROLLBACK PREPARED');
$node->as_ann('BEGIN; DECLARE c CURSOR FOR SELECT ask() FROM generate_series(1, 10); FETCH 3 FROM c; CLOSE c; ROLLBACK');
charged(3, 'a cursor: as many as were fetched');
$node->as_ann('PREPARE q AS SELECT ask(); EXECUTE q; EXECUTE q; DEALLOCATE q');
charged(2, 'each execution of a prepared statement');
($out) = $node->as_ann('SET synchronous_commit = off; SELECT ask()');
charged(1, 'synchronous_commit = off');

# A new worker, whose first reply writes nothing, where the log ends right after a
# page's header.
my $again = 'SET dp_noise.epsilon = 1; SELECT dp_count(*) FROM people';
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', on_repeat => 'replay')});
my ($answer) = $node->as_ann($again);
charged(1, 'a question');
foreach my $round (1 .. 3)
{
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
	$node->safe_psql('postgres', 'SELECT pg_switch_wal()');
	($out, $err) = $node->as_ann($again);
	is("$out$err", $answer, "at the beginning of a segment, $round");
}
charged(0, 'at the beginning of a segment: not again');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', on_repeat => 'answer')});

# The worker waits while the superuser holds a table of the ledger; who asks
# waits while somebody holds the population.
my $holder = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
my $table = 'LOCK TABLE dp_noise_ledger.charge';
my $budgets = q{SELECT dp_noise.protect('people')};

sub hold
{
	my ($what) = @_;

	$holder->{in} .= "BEGIN; $what; SELECT 'held';\n";
	$holder->{out} = '';
	IPC::Run::pump $holder->{run} until $holder->{out} =~ /held/;
	return;
}

sub let_go
{
	$holder->{in} .= "COMMIT; SELECT 'free';\n";
	IPC::Run::pump $holder->{run} until $holder->{out} =~ /free/;
	return;
}

my $worker_waits =
  q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker' AND wait_event_type = 'Lock'};
my $asker = q{SELECT pid FROM pg_stat_activity WHERE usename = 'dp_ann' AND state = 'active' AND query LIKE 'SELECT ask%'};

# How the asker is interrupted, while the worker has its request (what is held
# is the table) or has put it back (the budgets).
sub interrupt
{
	my ($what, $name, $action, $message) = @_;
	my $session = $node->session('dp_ann');

	$name .= $what eq $table ? ', the table is locked' : ', the budgets are locked';
	hold($what);
	$session->{in} .= "SELECT ask();\n";
	IPC::Run::pump_nb $session->{run};
	ok($node->wait_until($what eq $table ? $worker_waits : "SELECT count(*) = 1 FROM ($asker) AS a"), "$name: it waits");
	usleep(100_000) if $what eq $budgets;
	my $pid = $node->safe_psql('postgres', $asker);
	$action->($pid, $session);
	if ($message)
	{
		my $end = time + 10;
		while ($session->{err} !~ $message && time < $end)
		{
			IPC::Run::pump_nb $session->{run};
			usleep(10_000);
		}
		like($session->{err}, $message, "$name: the asker hears of it at once");
	}
	let_go();
	eval { IPC::Run::kill_kill $session->{run} };
	unlike($session->{out}, qr/charged/, "$name: and gets no answer");
	if ($what eq $table)
	{
		ok($node->wait_until("SELECT count(*) = $known + 1 FROM dp_noise.ledger"), "$name: the charge lands");
		charged(1, "$name: once");
	}
	elsif ($message)
	{
		usleep(200_000);
		charged(0, "$name: not charged");
	}
	else
	{
		# who waits does not look at its client
		charged(1, "$name: charged, while its backend waits");
	}
	return;
}

foreach my $what ($table, $budgets)
{
	interrupt($what, 'pg_cancel_backend',
		sub { $node->safe_psql('postgres', "SELECT pg_cancel_backend($_[0])") }, qr/canceling statement due to user request/);
	interrupt($what, 'pg_terminate_backend',
		sub { $node->safe_psql('postgres', "SELECT pg_terminate_backend($_[0])") }, qr/terminating connection due to administrator command/);
	interrupt($what, 'the client is gone', sub { $_[1]->{run}->signal('KILL') });
}
($out, $err) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'and all goes on');
charged(1, 'and all goes on: charged');
hold($table);
my $start = time;
($out, $err) = $node->as_ann(q{SET statement_timeout = '100ms'; SELECT ask()});
like($err, qr/canceling statement due to statement timeout/, 'statement_timeout');
let_go();
ok($node->wait_until("SELECT count(*) = $known + 1 FROM dp_noise.ledger"), 'statement_timeout: the charge lands');
charged(1, 'statement_timeout: once');

# how long a locked request waits
foreach my $what ($table, $budgets)
{
	my $locked = $what eq $table ? 'the ledger is' : 'the privacy budgets of "people" are';

	hold($what);
	$start = time;
	($out, $err) = $node->as_ann('\set VERBOSITY verbose
SELECT ask()');
	like($err, qr/55P03: $locked locked by another transaction/, "$locked locked: refused");
	like($err, qr/HINT:  Try again when that transaction has ended/, 'with a hint');
	my $took = time - $start;
	ok($took > 1.9 && $took < 20, 'after two seconds') or diag $took;
	my @sessions = map { $node->session('dp_ann') } 1 .. 8;
	$start = time;
	foreach my $session (@sessions)
	{
		$session->{in} .= "SELECT ask();\n\\q\n";
		IPC::Run::pump_nb $session->{run};
	}
	IPC::Run::finish $_->{run} foreach @sessions;
	cmp_ok(time - $start, '<', 12, 'many who wait for the same lock wait once');
	is(scalar(grep { $_->{err} =~ /locked by another transaction/ } @sessions), 8, 'and all hear of it');
	let_go();
	charged(0, 'refused: nothing charged');
}

# disconnect right after the result
foreach (1 .. 5)
{
	my $session = $node->session('dp_ann');

	$session->{in} .= "BEGIN; SELECT ask();\n";
	IPC::Run::pump $session->{run} until $session->{out} =~ /charged/;
	$session->{run}->signal('KILL');
	eval { IPC::Run::finish $session->{run} };
}
charged(5, 'disconnected right after the result, in a transaction');

# a thousand who give up: no slot is lost (the server has 128)
$node->as_ann(<<'EOF');
DO $$
BEGIN
	FOR i IN 1 .. 1000 LOOP
		BEGIN
			SET LOCAL statement_timeout = '1ms';
			PERFORM ask();
			PERFORM pg_sleep(0.001);
		EXCEPTION WHEN query_canceled THEN
			NULL;
		END;
	END LOOP;
END
$$
EOF
my $loop = '';
$loop .= "SET statement_timeout = '1ms'; SELECT ask(); SELECT ask();\n" for 1 .. 500;
($out, $err) = $node->as_ann($loop);
my $confirmed = () = $out =~ /charged/g;
my $canceled = () = $err =~ /canceling/g;
note("$confirmed confirmed, $canceled cancelled");
foreach my $what ($table, $budgets)
{
	my @sessions = map { $node->session('dp_ann') } 1 .. 40;

	hold($what);
	foreach my $session (@sessions)
	{
		$session->{in} .= "SET statement_timeout = '300ms';\n" . ("SELECT ask();\n" x 3) . "\\q\n";
		IPC::Run::pump_nb $session->{run};
	}
	IPC::Run::finish $_->{run} foreach @sessions;
	let_go();
}
($out) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'after 1000 cancelled charges, charges work');
$known = $node->spent;
is($node->recorded, $known, 'budget and ledger agree');
cmp_ok($known, '>=', $confirmed, 'with at least what was confirmed');

$holder->{in} .= "\\q\n";
IPC::Run::finish $holder->{run};

unlike(slurp_file($node->logfile), qr/WARNING|PANIC|TRAP|leak/, 'the log tells of nothing odd');

$node->stop;
done_testing();
