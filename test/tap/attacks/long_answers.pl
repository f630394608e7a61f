#!/usr/bin/perl
#
# Class: long messages to the process that all charges wait for. Several sessions
# have it store answers of the greatest length, one after the other. Each is
# stored, no charge of others is refused, and none waits for more than a few.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('long', "fsync = off\nmax_wal_size = 4GB\n");
my ($sessions, $each) = (4, 6);

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_eve LOGIN;
CREATE TABLE long (id int);
SELECT dp_noise.protect('long', epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_eve', 'long', 1000);
CREATE TABLE answer AS SELECT convert_to(repeat('0123456789abcdef', 1000000), 'utf8') AS a;
GRANT SELECT ON answer TO dp_eve;
EOS

my @eves = map { $node->session('dp_eve') } 1 .. $sessions;
foreach my $n (1 .. $sessions)
{
	$eves[ $n - 1 ]->{in} = join '', map { "SELECT 'stored' FROM answer, dp_noise.charge('long', 1, 0, 'q$n-$_', a);\n" } 1 .. $each;
	$eves[ $n - 1 ]->{in} .= "\\echo ended\n";
}
my @others;
my $errors = '';
my $began = time;
my $end = $began + 300;
while (time < $end && grep { $_->{out} !~ /ended/ } @eves)
{
	my $start;

	IPC::Run::pump_nb $_->{run} foreach @eves;
	$start = time;
	my ($out, $err) = $node->as_ann('SELECT ask()');
	push @others, time - $start;
	$errors .= $err;
}
is($errors, '', 'no charge of others is refused');
is(join(' ', map { scalar(() = $_->{out} =~ /stored/g) } @eves), join(' ', ($each) x $sessions), 'each long answer is stored') or diag(map { $_->{err} } @eves);
@others = sort { $a <=> $b } @others;
note(sprintf '%d charges of others, the longest took %.0f ms', scalar @others, 1000 * $others[-1]);
# on a busy machine all of it takes long
my $most = (time - $began) / 3;
cmp_ok($others[-1], '<', $most > 5 ? $most : 5, 'none takes long');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise_ledger.answer WHERE octet_length(answer) = 16000000}), $sessions * $each, 'they are there');
foreach my $eve (@eves)
{
	$eve->{in} .= "\\q\n";
	IPC::Run::finish $eve->{run};
}

$node->stop;
done_testing();
