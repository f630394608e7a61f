# Class: a name that was looked at, and then means somebody else's population. What
# acts on a population acts on the one whose owner was found, by its number or in the
# snapshot in which the owner was.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('names', "fsync = off\nautovacuum = off\n");

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE vic LOGIN;
CREATE ROLE mallory LOGIN;
GRANT CREATE ON SCHEMA public TO vic, mallory;
EOS

sub as { my ($role, $sql) = @_; my ($out, $err); $node->psql('postgres', $sql, stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0); return "$out$err"; }

sub say_to
{
	my ($session, $sql, $word) = @_;

	$session->{in} .= "$sql\n\\echo $word\n";
	IPC::Run::pump $session->{run} until $session->{out} =~ /^$word$/m;
	return;
}

# A statement with an older snapshot reads what the name meant then.
as('vic', "CREATE TABLE vt (id int); SELECT dp_noise.create_population('staff', epsilon => 7), dp_noise.protect('vt', population => 'staff'), dp_noise.set_bounds('vt', 'id', 1, 41)");
like(as('mallory', "SELECT dp_noise.script('staff')"), qr/must be owner of population staff/, 'others are refused');
my $old = $node->session('mallory');
say_to($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;', 'begun');
as('vic', "SELECT dp_noise.unprotect('vt'), dp_noise.drop_population('staff')");
as('mallory', "SELECT dp_noise.create_population('staff', epsilon => 1)");
say_to($old, "SELECT dp_noise.script('staff'), dp_noise.disclosure('staff'); COMMIT;", 'read');
unlike($old->{out}, qr/\b(?:41|vt|7)\b/, 'whoever has the name now sees nothing of before');
like($old->{out}, qr/staff/, 'but what is there now');

# Names pass on while a statement waits for a lock.
my ($locker, $waiter) = map { $node->session('mallory') } 1 .. 2;
as('mallory', "SELECT dp_noise.drop_population('staff'), dp_noise.create_population('x1', epsilon => 1), dp_noise.create_population('study', epsilon => 1)");
say_to($locker, "BEGIN; SELECT dp_noise.alter_population('x1', epsilon => 2);", 'locked');
$waiter->{in} .= "SELECT dp_noise.forget_answers('infinity'::timestamptz);\n\\echo forgotten\n";
IPC::Run::pump_nb $waiter->{run};
$node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)") or die 'nobody waits';
as('mallory', "SELECT dp_noise.drop_population('study')");
as('vic', "SELECT dp_noise.create_population('study', epsilon => 9), dp_noise.protect('vt', population => 'study'), dp_noise.set_budget('dp_ann', 'study', epsilon => 5)");
my $question = 'SET dp_noise.epsilon = 0.001; SELECT count(*) FROM vt';
my $first = as('dp_ann', $question);
like($first, qr/^-?\d+$/, 'somebody asks about the population that has the name now');
say_to($locker, 'COMMIT;', 'committed');
IPC::Run::pump $waiter->{run} until $waiter->{out} =~ /^forgotten$/m;
is(as('dp_ann', $question), $first, 'its answers stay');
is($node->safe_psql('postgres', "SELECT count(*) FROM dp_noise.ledger WHERE population = 'study'"), 1, 'and nothing is charged twice');
foreach my $session ($old, $locker, $waiter)
{
	$session->{in} .= "\\q\n";
	IPC::Run::finish $session->{run};
}

$node->stop;
done_testing();
