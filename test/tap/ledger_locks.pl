# One owner keeps his budgets locked in an open transaction: charges on other
# tables go on as fast as before, those on his own are refused after two
# seconds, and the worker does not burn the time meanwhile.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

# fsync: speed is compared with speed, not with the disk
my $node = LedgerCluster->new('locks', "max_prepared_transactions = 2\nfsync = off\n");
my ($out, $err);

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_owner LOGIN;
CREATE TABLE mine (id int);
ALTER TABLE mine OWNER TO dp_owner;
SELECT dp_noise.protect('mine', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('mine', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'mine', 1000000);
CREATE FUNCTION ask_mine() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT 'mine ' || replayed FROM dp_noise.charge('mine', 1, 0, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea)
$$;
-- as many charges as there is time for
CREATE FUNCTION ask_for(how_long interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint := 0;
BEGIN
	WHILE clock_timestamp() < statement_timestamp() + how_long LOOP
		PERFORM ask(0.001);
		n := n + 1;
	END LOOP;
	RETURN n;
END
$$;
EOS
my $owner = $node->session('dp_owner');

sub hold
{
	$owner->{in} .= "BEGIN; SELECT dp_noise.protect('mine', epsilon => 1e6, delta => 1); SELECT 'held';\n";
	$owner->{out} = '';
	IPC::Run::pump $owner->{run} until $owner->{out} =~ /held/;
	return;
}

sub let_go
{
	$owner->{in} .= "COMMIT; SELECT 'free';\n";
	IPC::Run::pump $owner->{run} until $owner->{out} =~ /free/;
	return;
}

sub start
{
	my ($role, $sql) = @_;
	my $session = $node->session($role);

	$session->{in} .= "$sql;\n\\q\n";
	IPC::Run::pump_nb $session->{run};
	return $session;
}

# Charges in half a second by four clients.
sub rate
{
	my @clients = map { start('dp_ann', q{SELECT ask_for('500 ms')}) } 1 .. 4;
	my $sum = 0;

	foreach my $client (@clients)
	{
		IPC::Run::finish $client->{run};
		$sum += $client->{out};
	}
	return $sum;
}

# as fast as before: the median of some turns
my (@free, @held);
rate();
foreach my $turn (1 .. 5)
{
	push @free, rate();
	hold();
	my @waiting = map { start('dp_ann', 'SELECT ask_mine()') } 1 .. 4;
	push @held, rate();
	IPC::Run::finish $_->{run} foreach @waiting;
	is(scalar(grep { $_->{err} =~ /ERROR:  the privacy budgets of "mine" are locked by another transaction/ } @waiting), 4, "turn $turn: his own are refused");
	let_go();
}
my ($free, $held) = map { (sort { $a <=> $b } @$_)[2] } \@free, \@held;
note("charges in half a second: $free, meanwhile: $held");
cmp_ok($held, '>', $free / 10, 'charges on other tables go on meanwhile, with no wait for the lock');

# when they are refused, and how
hold();
my $start = time;
($out, $err) = $node->as_ann("\\set VERBOSITY verbose\nSELECT ask_mine()");
my $took = time - $start;
like($err, qr/55P03: the privacy budgets of "mine" are locked by another transaction/, 'the message');
like($err, qr/HINT:  Try again when that transaction has ended/, 'the hint');
ok($took > 1.9 && $took < 20, 'after two seconds') or diag $took;

# each has two seconds of his own: the second is refused after the first
my $timed = 'SELECT ask_mine(); SELECT extract(epoch FROM clock_timestamp())';
my $first = start('dp_ann', $timed);
usleep(1_000_000);
my $second = start('dp_ann', $timed);
IPC::Run::finish $_->{run} foreach $first, $second;
cmp_ok($second->{out} - $first->{out}, '>', 0.3, 'the second has time of its own');
like($_->{err}, qr/are locked/, 'both are') foreach $first, $second;
let_go();

# who waits goes on at once
foreach my $end ('COMMIT', 'ROLLBACK')
{
	hold();
	my $session = start('dp_ann', 'SELECT ask_mine()');
	usleep(700_000);
	$start = time;
	$owner->{in} .= "$end;\n";
	IPC::Run::pump_nb $owner->{run};
	IPC::Run::finish $session->{run};
	is($session->{out}, "mine false\n", "$end: answered");
	cmp_ok(time - $start, '<', 1.2, "$end: at once");
}

# the worker waits, it does not try all the time
sub cpu_time
{
	my ($pid) = @_;
	my @fields = split / /, slurp_file("/proc/$pid/stat") =~ s/^.*\) //r;

	return ($fields[11] + $fields[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}
SKIP:
{
	skip 'no /proc', 1 unless -r '/proc/self/stat';
	require POSIX;
	hold();
	$node->as_ann('SELECT ask()');
	my @waiting = map { start('dp_ann', 'SELECT ask_mine()') } 1 .. 8;
	my $worker = $node->worker;
	my $before = cpu_time($worker);
	usleep(1_500_000);
	cmp_ok(cpu_time($worker) - $before, '<', 0.7, 'the worker sleeps meanwhile');
	IPC::Run::finish $_->{run} foreach @waiting;
	let_go();
}

# a transaction that is prepared, which no process ends
$owner->{in} .= "BEGIN; SELECT dp_noise.protect('mine', epsilon => 1e6, delta => 1); PREPARE TRANSACTION 'p'; SELECT 'prepared';\n";
IPC::Run::pump $owner->{run} until $owner->{out} =~ /prepared/;
($out, $err) = $node->as_ann('SELECT ask_mine(); SELECT ask()');
like($err, qr/are locked/, 'PREPARE TRANSACTION: refused');
is($out, 'charged', 'the others are not');
my $session = start('dp_ann', 'SELECT ask_mine()');
usleep(300_000);
$node->safe_psql('postgres', q{COMMIT PREPARED 'p'});
IPC::Run::finish $session->{run};
is($session->{out}, "mine false\n", 'COMMIT PREPARED by somebody else: answered');

# who waits survives the worker
hold();
$session = start('dp_ann', 'SELECT ask_mine()');
usleep(300_000);
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $node->worker . ', 5000)');
usleep(300_000);
let_go();
IPC::Run::finish $session->{run};
is($session->{out}, "mine false\n", 'the worker is terminated meanwhile: answered by the next');

# so many wait that slots could be short: others still find one
hold();
my @crowd = map { start('dp_ann', 'SELECT ask_mine()') } 1 .. 60;
usleep(200_000);
($out, $err) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'while a crowd waits, others are answered');
IPC::Run::finish $_->{run} foreach @crowd;
is(scalar(grep { $_->{err} =~ /are locked/ } @crowd), 60, 'and the crowd is refused');
let_go();

# nobody without rights gets such a lock, nor one on the ledger's tables
foreach my $try (
	q{SELECT dp_noise.protect('people')}, q{SELECT dp_noise.set_budget('dp_ann', 'people', 1)}, q{SELECT dp_noise.alter_population('people', epsilon => 1)},
	q{SELECT dp_noise.set_bounds('people', 'id', 0, 1)}, q{SELECT dp_noise.unprotect('people')}, q{SELECT dp_noise.drop_budget('dp_ann', 'people')},
	q{SELECT dp_noise.lock_population(1)}, q{SELECT dp_noise.drop_population('people')}, q{SELECT dp_noise.forget_answers('people', now())}, 'DROP TABLE people', 'ALTER TABLE people RENAME TO persons', 'LOCK TABLE people',
	'LOCK TABLE dp_noise_ledger.budget IN ROW SHARE MODE', 'LOCK TABLE dp_budget IN ROW EXCLUSIVE MODE', 'SELECT * FROM dp_budget FOR SHARE',
	'SELECT * FROM dp_noise.ledger FOR KEY SHARE', 'COMMENT ON EXTENSION dp_noise IS NULL', 'ALTER EXTENSION dp_noise UPDATE', 'DROP EXTENSION dp_noise')
{
	my $rival = $node->session('dp_owner');

	$rival->{in} .= "BEGIN; $try;\n";
	IPC::Run::pump $rival->{run} until $rival->{err} =~ /ERROR/ || $rival->{out} =~ /\n/;
	like($rival->{err}, qr/ERROR:  (must be owner|permission denied)/, "refused: $try");
	($out) = $node->as_ann('SELECT ask()');
	is($out, 'charged', 'and charges go on');
	$rival->{in} .= "\\q\n";
	IPC::Run::finish $rival->{run};
}
# what everybody may read holds up nobody
my $reader = $node->session('dp_owner');
$reader->{in} .= "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM dp_budget; SELECT count(*) FROM dp_noise.ledger; SELECT count(*) FROM dp_noise.budgets; LOCK TABLE dp_budget IN ACCESS SHARE MODE; SELECT 'read';\n";
IPC::Run::pump $reader->{run} until $reader->{out} =~ /read/;
($out) = $node->as_ann('SELECT ask(); SELECT ask_mine()');
is($out, "charged\nmine false", 'readers of the views hold up nobody');
$reader->{in} .= "COMMIT;\n\\q\n";
IPC::Run::finish $reader->{run};

# an owner behind the worker: waits for a batch, no longer
my @busy = map { start('dp_ann', q{SELECT ask_for('8 s')}) } 1 .. 4;
$start = time;
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', 'people', 1000000 + n) FROM generate_series(1, 20) AS n});
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', 'people', 1000000)}) foreach 1 .. 5;
cmp_ok(time - $start, '<', 8, 'an owner gets his turns while many charge');
IPC::Run::finish $_->{run} foreach @busy;
is($node->safe_psql('postgres', <<'EOS'), '', 'budgets and ledger agree');
SELECT b.population, b.role, b.epsilon_spent, l.sum FROM dp_noise.budgets AS b
JOIN (SELECT population, sum(epsilon) FROM dp_noise.ledger GROUP BY 1) AS l USING (population)
WHERE b.epsilon_spent <> l.sum
EOS

$owner->{in} .= "\\q\n";
IPC::Run::finish $owner->{run};
$node->stop;
done_testing();
