#!/usr/bin/perl
#
# Class: long messages to the process that all charges wait for. Several sessions
# have it store answers of the greatest length, one after the other. Each is
# stored, no charge of others is refused, and none waits for more than a few: they
# are counted, as seconds would say how busy the machine is.

use strict;
use warnings;

use IPC::Run;
use List::Util qw(max sum);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

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
sub stored { IPC::Run::pump_nb $_->{run} foreach @eves; return map { scalar(() = $_->{out} =~ /stored/g) } @eves; }

my (@seconds, @waited_for);
my $errors = '';
my $end = time + 300;
while (time < $end && grep { $_->{out} !~ /ended/ } @eves)
{
	my ($before, $start) = (sum(stored()), time);
	my ($out, $err) = $node->as_ann('SELECT ask()');

	push @seconds, time - $start;
	push @waited_for, sum(stored()) - $before;
	$errors .= $err;
}
is($errors, '', 'no charge of others is refused');
is(join(' ', stored()), join(' ', ($each) x $sessions), 'each long answer is stored') or diag(map { $_->{err} } @eves);
note(join ' ', @waited_for); note(sprintf '%d charges of others, the longest took %.0f ms', scalar @seconds, 1000 * max(@seconds));
cmp_ok(max(@waited_for), '<=', $sessions * $each / 2, 'none waits for most of the long ones');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise_ledger.answer WHERE octet_length(answer) = 16000000}), $sessions * $each, 'they are there');
foreach my $eve (@eves)
{
	$eve->{in} .= "\\q\n";
	IPC::Run::finish $eve->{run};
}

$node->stop;
done_testing();
