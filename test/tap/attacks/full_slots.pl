# Class: a resource that all share is filled by one. A role keeps a lock on the
# budgets of a table of its own, and asks about it in many sessions, each of which
# waits in one of the ledger's slots. The charges of others go on.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $slots = 16;
my $node = LedgerCluster->new('slots', "max_connections = 60\ndp_noise.ledger_slots = $slots\n");
my ($out, $err);

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_eve LOGIN;
CREATE TABLE eves (id int);
ALTER TABLE eves OWNER TO dp_eve;
SELECT dp_noise.protect('eves');
EOS

my $keeper = $node->session('dp_eve');
$keeper->{in} .= "BEGIN; SELECT dp_noise.protect('eves'); SELECT 'kept';\n";
IPC::Run::pump $keeper->{run} until $keeper->{out} =~ /kept/;
my @askers = map { $node->session('dp_eve') } 1 .. 2 * $slots;
foreach my $asker (@askers)
{
	$asker->{in} = "SELECT dp_noise.charge('eves', 1, 0, 'q');\n" x 1000;
	IPC::Run::pump_nb $asker->{run};
}

my $end = time + 5;
my ($charged, %errors) = (0);
while (time < $end)
{
	IPC::Run::pump_nb $_->{run} foreach @askers;
	($out, $err) = $node->as_ann('SELECT ask();' x 5);
	$charged += () = $out =~ /charged/g;
	$errors{$_}++ foreach $err =~ /ERROR:  .*/g;
}
is(join('; ', sort keys %errors), '', 'no charge of another role is refused');
cmp_ok($charged, '>', 20, 'they go on');
my $refused = join '', map { $_->{err} } @askers;
like($refused, qr/too many statements wait for the ledger/, 'the role itself has no more than its share');
like($refused, qr/the privacy budgets of "eves" are locked by another transaction/, 'of slots, where it waits');

$node->safe_psql('template1', q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'dp_eve'});
local $SIG{PIPE} = 'IGNORE';
eval { IPC::Run::finish $_->{run} } foreach $keeper, @askers;
ok($node->wait_until(q{SELECT ask() = 'charged'}), 'and all is well afterwards');

$node->stop;
done_testing();
