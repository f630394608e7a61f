# Class: a resource that all share is filled by one. A role keeps a lock on the
# budgets of a table of its own, and asks about it in many sessions, each of which
# waits in one of the ledger's slots. The charges of others go on. And where many
# more ask than there are slots, what is charged gets its answer stored: the ledger
# refuses whole questions, not the second half of some.

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
SELECT dp_noise.protect('eves', epsilon => 1e6, delta => 1);
EOS

my $keeper = $node->session('dp_eve');
$keeper->{in} .= "BEGIN; SELECT dp_noise.protect('eves', epsilon => 1e6, delta => 1); SELECT 'kept';\n";
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

# A question that was charged stores its answer, though all slots have been taken
# since: by two roles, for one has no more than its share.
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE slow (x int);
INSERT INTO slow SELECT n % 100 FROM generate_series(1, 1000000) AS n;
SELECT dp_noise.protect('slow', epsilon => 1e6, delta => 1), dp_noise.set_bounds('slow', 'x', 0, 100), dp_noise.set_budget('dp_ann', 'slow', 100);
EOS
$keeper = $node->session('dp_eve');
$keeper->{in} .= "BEGIN; SELECT dp_noise.protect('eves', epsilon => 1e6, delta => 1); SELECT 'kept';\n";
IPC::Run::pump $keeper->{run} until $keeper->{out} =~ /kept/;
my $question = 'SELECT dp_sum(x) FROM slow WHERE ' . join(' AND ', map { "x <> $_" } 101 .. 200);
my $ann = $node->session('dp_ann');
$ann->{in} .= "SELECT 'pid' || pg_backend_pid();\n";
IPC::Run::pump $ann->{run} until $ann->{out} =~ /pid(\d+)\n/;
my $pid = $1;
@askers = map { $node->session($_ % 2 ? 'dp_eve' : 'dp_bob') } 1 .. 3 * $slots;
$ann->{in} .= "$question;\n\\q\n";
IPC::Run::pump_nb $ann->{run};
ok($node->wait_until(q{SELECT EXISTS (SELECT FROM dp_noise.ledger WHERE population = 'public.slow')}), 'a question is charged');
kill 'STOP', $pid;
foreach my $asker (@askers)
{
	$asker->{in} = "SELECT dp_noise.charge('eves', 1, 0, 'q');\n" x 1000;
	IPC::Run::pump_nb $asker->{run};
}
$end = time + 20;
do
{
	IPC::Run::pump_nb $_->{run} foreach @askers;
	(undef, $err) = $node->as_ann('SELECT ask()');
} until $err =~ /too many statements wait/ || time > $end;
like($err, qr/too many statements wait/, 'meanwhile all slots are taken');
kill 'CONT', $pid;
IPC::Run::finish $ann->{run};
like($ann->{out}, qr/^\d+$/m, 'it is answered') or diag $ann->{err};
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise_ledger.answer AS a JOIN dp_noise_ledger.population AS p USING (population_id) WHERE p.name = 'public.slow' AND a.answer IS NOT NULL}), 1, 'and its answer is stored');
$node->safe_psql('template1', q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename IN ('dp_eve', 'dp_bob')});
eval { IPC::Run::finish $_->{run} } foreach $keeper, @askers;

# Many sessions of a role are often refused, for want of slots of both kinds: as
# whole questions.
my ($clients, $each) = (32, 40);
$node->append_conf('postgresql.conf', "dp_noise.ledger_slots = 2\n");
$node->restart;
my @clients = map { $node->session($_ % 4 ? 'dp_ann' : 'dp_bob') } 1 .. $clients;
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('slow', on_repeat => 'replay'), dp_noise.set_budget(r, 'slow', 1000000) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r; DELETE FROM slow WHERE ctid > '(2,1)'; VACUUM slow});
foreach my $n (1 .. $clients)
{
	$clients[ $n - 1 ]->{in} = join('', map { "SELECT 'stored' || dp_sum(x) FROM slow WHERE x > $n AND x <> 100 + $_;\n" } 1 .. $each) . "\\q\n";
	IPC::Run::pump_nb $clients[ $n - 1 ]->{run};
}
IPC::Run::finish $_->{run} foreach @clients;
my $stored = () = join('', map { $_->{out} } @clients) =~ /stored/g;
$refused = () = join('', map { $_->{err} } @clients) =~ /too many statements wait for the ledger/g;
is($stored + $refused, $clients * $each, 'many clients are answered or refused');
my ($charges, $lost) = split /\|/, $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(*) FILTER (WHERE coalesce(d.state, a.state) IS DISTINCT FROM 'answered')
FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.charge AS c USING (population_id)
LEFT JOIN dp_noise_ledger.answer AS a ON a.population_id = c.population_id AND a.budget_id = c.budget_id AND a.question = c.fingerprint
LEFT JOIN dp_noise_ledger.answer AS d ON d.population_id = a.population_id AND d.budget_id = 0 AND d.question = a.draw AND d.charge_id = a.claim
WHERE p.name = 'public.slow'
EOS
note("$charges charges, $refused refused");
cmp_ok($refused, '>', 0, 'there are not enough slots');
is($charges, $stored + 1, 'who is refused is not charged');
is($lost, 0, 'and no charged answer is lost');

$node->stop;
done_testing();
