# Class: work whose size one asker chooses, done in the process that everybody waits
# for. Many sessions of a role ask statements of hundreds of aggregates, and all of
# them become ready at one moment. A batch has so much of one role's work that
# others wait for one such statement, and not for all.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use LedgerCluster;

my $node = LedgerCluster->new('batches', "fsync = off\nautovacuum = off\n");
my ($sessions, $aggregates) = (10, 300);
my $question = 'SELECT ' . join(', ', map { sprintf 'dp_count(id, %.4f)', 0.01 + $_ / 10000 } 1 .. $aggregates) . ' FROM eves';

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_eve LOGIN;
CREATE TABLE eves (id int);
SELECT dp_noise.protect('eves', epsilon => 1e6, delta => 1), dp_noise.alter_population('eves', on_repeat => 'answer'), dp_noise.set_budget('dp_eve', 'eves', 1e6);
EOS

# A session that has planned the question, and asks it when it is told to.
my @eves = map { $node->session('dp_eve') } 1 .. $sessions;
foreach my $eve (@eves)
{
	$eve->{in} .= "SET client_min_messages = warning;\nPREPARE q AS $question;\nEXPLAIN EXECUTE q;\n\\echo planned\n";
	IPC::Run::pump $eve->{run} until $eve->{out} =~ /^planned/m;
}

# How many statements the ledger has, and how many charges one transaction made.
sub charged
{
	return split /\|/, $node->safe_psql('postgres', "SELECT coalesce(sum(n), 0) / $aggregates, coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM dp_noise_ledger.charge WHERE role = 'dp_eve' GROUP BY xmin::text) AS s");
}

# All wait for a lock on their population, which is then released.
my $owner = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
my ($statements, $most) = (0, 0);
foreach my $turn (1 .. 20)
{
	$owner->{in} .= "BEGIN; SELECT dp_noise.forget_answers('eves', '-infinity');\n\\echo locked $turn\n";
	IPC::Run::pump $owner->{run} until $owner->{out} =~ /^locked $turn$/m;
	foreach my $eve (@eves)
	{
		$eve->{in} .= "EXECUTE q;\n\\echo answered $turn\n";
		IPC::Run::pump_nb $eve->{run};
	}
	usleep(700_000);
	IPC::Run::pump_nb $_->{run} foreach @eves;
	$owner->{in} .= "ROLLBACK;\n";
	IPC::Run::pump_nb $owner->{run};
	foreach my $eve (@eves)
	{
		IPC::Run::pump $eve->{run} until $eve->{out} =~ /^answered $turn$/m;
	}
	($statements, $most) = charged();
	last if $statements >= $sessions;
}
cmp_ok($statements, '>=', $sessions, 'statements were charged');
is($most, $aggregates, 'one of them in a transaction');
foreach my $session (@eves, $owner)
{
	$session->{in} .= "\\q\n";
	IPC::Run::finish $session->{run};
}

$node->stop;
done_testing();
