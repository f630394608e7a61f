# While many charge, the extension is dropped and created again, and tables are
# dropped, protected and unprotected: clear errors, no crash, no hang, and
# budgets that agree with the ledger.
#
# Takes long: 31 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('drops', "max_connections = 60\nfsync = off\n");
my ($out, $err);

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'flats', 1000000);
EOS

# One statement again and again until it is told to stop.
sub client
{
	my ($role, $sql) = @_;
	my $session = $node->session($role);

	$session->{in} = "$sql;\n" x 200_000;
	IPC::Run::pump_nb $session->{run};
	return $session;
}

# Lets clients go on for a second; one whose messages nobody reads stops.
sub work
{
	my $end = time + 1;

	while (time < $end)
	{
		IPC::Run::pump_nb $_->{run} foreach @_;
		usleep(2_000);
	}
	return;
}

# psql ends when it loses its backend, and so writes out what it has got.
sub stop
{
	$node->safe_psql('template1', q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'postgres' AND backend_type = 'client backend'});
	local $SIG{PIPE} = 'IGNORE';
	foreach my $session (@_)
	{
		eval { IPC::Run::finish $session->{run} };
	}
	return;
}

# What is spent of a relation's budgets, and what of it is recorded.
sub differs
{
	return $node->safe_psql('postgres', <<'EOS');
SELECT b.population, b.role, b.epsilon_spent, l.sum FROM dp_noise.budgets AS b
JOIN (SELECT population, sum(epsilon) FROM dp_noise.ledger GROUP BY 1) AS l USING (population)
WHERE b.epsilon_spent <> l.sum
EOS
}

sub charge
{
	my ($table) = @_;
	return "SELECT 'charged' FROM dp_noise.charge('$table', 0.001, 0, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea)";
}

# The errors that clients have seen but those that are expected, each once.
sub odd
{
	my ($expected, @clients) = @_;
	my %odd;

	foreach my $client (@clients)
	{
		$odd{$_} = 1 foreach grep { !/$expected|terminating connection due to administrator command|server closed the connection unexpectedly/ } $client->{err} =~ /(?:(?:ERROR|FATAL|WARNING|PANIC):  |server closed).*(?=\n)/g; # whole lines
	}
	return join "\n", sort keys %odd;
}

my $gone =
  qr/(schema|extension) "dp_noise(_ledger)?" does not exist|relation "dp_noise_ledger\.\w+" does not exist|function dp_noise\.charge\(.*\) does not exist|is not protected by dp_noise|has no privacy budget|permission denied for function charge|the extension is being changed by another transaction|the ledger is locked by another transaction|relation "\w+" does not exist|are locked by another transaction|that a question was charged to has been changed meanwhile/;

# the extension
my @clients = map { client('dp_ann', charge($_ % 2 ? 'people' : 'flats')) } 1 .. 8;
my $longest = 0;
usleep(500_000);
foreach my $turn (1 .. 15)
{
	my $start = time;

	$node->safe_psql('postgres', $turn % 2 ? <<'EOS' : <<'EOS');
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
CREATE EXTENSION dp_noise;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', 1000000), dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'flats', 1000000);
EOS
BEGIN;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
CREATE EXTENSION dp_noise;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', 1000000), dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'flats', 1000000);
COMMIT;
EOS
	my $took = time - $start;
	$longest = $took if $took > $longest;
	usleep(200_000);
}
cmp_ok($longest, '<', 60, 'DROP EXTENSION under load: no hang');
usleep(500_000);
stop(@clients);
is(odd($gone, @clients), '', 'the clients see nothing but that it is gone');
cmp_ok(scalar(grep { $_->{out} =~ /charged/ } @clients), '>', 0, 'and are answered');
($out, $err) = $node->as_ann(charge('people'));
is($out, 'charged', 'all goes on') or diag $err;
is(differs(), '', 'budgets and ledger agree');
# a transaction that drops it, open
my $dropper = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
$dropper->{in} .= "BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; SELECT 'dropped';\n";
IPC::Run::pump $dropper->{run} until $dropper->{out} =~ /dropped/;
my $start = time;
($out, $err) = $node->as_ann("SET statement_timeout = '10 s'; " . charge('people'));
like($err, qr/$gone|canceling statement/, 'an open DROP EXTENSION: refused, or waits for the name');
$dropper->{in} .= "ROLLBACK;\n\\q\n";
IPC::Run::finish $dropper->{run};
($out, $err) = $node->as_ann(charge('people'));
is($out, 'charged', 'rolled back: all goes on') or diag $err;

# tables
@clients = map { client('dp_ann', charge($_ % 2 ? 'people' : 'passing')) } 1 .. 8;
my $owners = <<'EOS';
CREATE TABLE IF NOT EXISTS passing (id int);
SELECT dp_noise.protect('passing', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'passing', 1000000);
SELECT pg_sleep(0.01);
SELECT dp_noise.unprotect('passing');
SELECT dp_noise.protect('passing', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'passing', 1000000);
ALTER TABLE passing RENAME TO passed;
SELECT pg_sleep(0.01);
ALTER TABLE passed RENAME TO passing;
SELECT pg_sleep(0.01);
BEGIN;
DROP TABLE passing;
CREATE TABLE passing (id int);
SELECT dp_noise.protect('passing', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'passing', 1000000);
COMMIT;
SELECT pg_sleep(0.01);
DROP TABLE passing;
EOS
$start = time;
$node->safe_psql('postgres', $owners x 20);
cmp_ok(time - $start, '<', 60, 'tables come and go under load: no hang');
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE passing (id int);
SELECT dp_noise.protect('passing', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'passing', 1000000);
EOS
work(@clients);
stop(@clients);
is(odd($gone, @clients), '', 'the clients see nothing but that it is gone');
is(odd(qr/^$/, @clients[ grep { $_ % 2 == 0 } 0 .. 7 ]), '', 'and those of another table nothing at all');
is(differs(), '', 'budgets and ledger agree, over all that bore the name');
cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.$_'"), '>', 20, "$_ was charged") foreach 'people', 'passing';

# two owners of one table
@clients = map { client($node->safe_psql('postgres', 'SELECT current_user'), "SELECT dp_noise.set_budget('dp_ann', 'people', 100000$_)") } 1 .. 3;
push @clients, client('dp_ann', charge('people'));
usleep(1_000_000);
stop(@clients);
is(odd($gone, @clients), '', 'several owners and an analyst');
($out, $err) = $node->as_ann(charge('people'));
is($out, 'charged', 'all goes on') or diag $err;

my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC|TRAP|was terminated by signal|unexpected|invalid memory|cache lookup failed|could not open relation/, 'nothing odd in the log');
$node->stop;
done_testing();
