# Class: work whose size one owner or analyst chooses, done in the process that
# everybody waits for: very many groups or members, say.
# Whatever the work is, it has a limit: the request is refused, and uncharged, and
# the charges of others go on meanwhile. Here it never ends.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('slow', "dp_noise.ledger_slots = 16\nstatement_timeout = 30s\n");
my ($out, $err);

# The worker asks for the period of each budget that has one: of some it is never
# found.
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_eve LOGIN;
CREATE TABLE eves (id int);
CREATE TABLE bobs (id int);
SELECT dp_noise.protect(t, epsilon => 1e6, delta => 1), dp_noise.alter_population(t::text, on_repeat => 'answer'), dp_noise.set_budget('dp_eve', t::text, 1000, period => '77 days'), dp_noise.set_budget('dp_bob', t::text, 1000, period => '77 days')
FROM unnest('{eves,bobs}'::regclass[]) AS t;
SELECT dp_noise.set_budget('dp_bob', 'people', 1000);
CREATE OR REPLACE FUNCTION dp_noise.period_begin(start timestamptz, period interval, at timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
	WHILE period = '77 days' LOOP
	END LOOP;
	RETURN start;
END
$$;
EOS
my $ask = q{SELECT dp_noise.charge('eves', 1, 0, 'q')};

sub as_eve
{
	my ($sql) = @_;

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, extra_params => [ '-U', 'dp_eve' ], on_error_stop => 0);
	return;
}

as_eve("\\set VERBOSITY verbose\n$ask");
like($err, qr/54000: the ledger worked on this statement for too long/, 'a request that never ends is refused');
like($err, qr/DETAIL:  It was stopped, since all charges wait for it. Nothing was charged/, 'and says that it costs nothing');
as_eve('SET dp_noise.epsilon = 1; EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM eves');
like($out . $err, qr/worked on this statement for too long/, 'so is a preview');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.eves'}), 0, 'nothing was charged');
like(slurp_file($node->logfile), qr/LOG:  the ledger worked on a statement for too long, and refused it\n.*DETAIL:  .*role with OID \d+, and is about the population with number \d+/, 'the log names who it was');

# Two roles in as many sessions as they have slots, again and again; one of them
# asks about what can be answered, too.
my @slow = map { $node->session($_ % 2 ? 'dp_eve' : 'dp_bob') } 1 .. 10;
foreach my $n (0 .. $#slow)
{
	my $table = $n % 3 ? 'eves' : 'bobs';

	$slow[$n]->{in} = "SELECT dp_noise.charge('$table', 1, 0, 'q');\n" x 100;
	IPC::Run::pump_nb $slow[$n]->{run};
}
my $end = time + 12;
my ($charged, %errors) = (0);
while (time < $end)
{
	IPC::Run::pump_nb $_->{run} foreach @slow;
	($out, $err) = $node->as_ann('SELECT ask();' x 5);
	$charged += () = $out =~ /charged/g;
	$errors{$_}++ foreach $err =~ /ERROR:  .*/g;
}
is(join('; ', sort keys %errors), '', 'no charge of another role is refused meanwhile');
cmp_ok($charged, '>=', 15, 'they go on');
note("$charged charges");
my $bob = $node->session('dp_bob');
$bob->{in} = "SELECT ask();\n\\q\n";
IPC::Run::finish $bob->{run};
is($bob->{out}, "charged\n", 'so do those of the same role to other populations');
like(join('', map { $_->{err} } @slow), qr/worked on this statement for too long/, 'the others are refused in turn');

# Who has gone, their work ends.
$node->safe_psql('template1', q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename IN ('dp_eve', 'dp_bob')});
local $SIG{PIPE} = 'IGNORE';
eval { IPC::Run::finish $_->{run} } foreach @slow;
$node->append_conf('postgresql.conf', "log_min_messages = debug1\n");
$node->reload;
my $tries = 0;
do
{
	as_eve("SET statement_timeout = '1s'; $ask");
} until slurp_file($node->logfile) =~ /DEBUG:  ended a request to the ledger that nobody waits for/ || ++$tries == 40;
cmp_ok($tries, '<', 40, 'the work for a cancelled statement ends with it');
($out, $err) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'and all is well afterwards');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.ledger WHERE population IN ('public.eves', 'public.bobs')}), 0, 'nothing of all that was charged');

$node->stop;
done_testing();
