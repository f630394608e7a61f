# A question that is shared, of privacy levels (a chain) or not, is drawn by whoever
# asks before its answer is stored, and the population's grant pays for one answer:
# that of the first who stores one, which all others return, too. So for each
# payment of the grant at most one answer gets out, whoever is cancelled, ends,
# forgets answers or crashes between.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IPC::Run;
use LedgerSteps;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = LedgerSteps->new('chains', "autovacuum = off\nfsync = off\nrestart_after_crash = on\n");

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE leveled AS SELECT x FROM generate_series(1, 1000) AS x;
CREATE TABLE plain AS SELECT x, 'g' || x % 3 AS g FROM leveled;
SELECT dp_noise.protect(t, epsilon => 1e6, delta => 1), dp_noise.set_bounds(t, 'x', 0, 1000) FROM unnest('{leveled,plain}'::regclass[]) AS t;
SELECT dp_noise.set_levels('leveled', '{1,0.01}'), dp_noise.alter_population('leveled', on_repeat => 'answer');
SELECT dp_noise.set_budget(r, t, 1000) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r, unnest('{leveled,plain}'::text[]) AS t;
EOS
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my $table;

sub total
{
	return $node->safe_psql('postgres', "SELECT trim_scale(epsilon_spent) FROM dp_noise.populations WHERE population = 'public.$table'");
}

sub ask
{
	my ($role, $question) = @_;
	my ($out, $err);

	$node->psql('postgres', "SET dp_noise.epsilon = 1; $question", stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0);
	return "$out$err";
}

# A question, of dp_ann for example, which is charged, and read no row yet; her
# process stands still there, and others do not.
sub charge_and_stop
{
	my ($question, $role) = @_;
	my $session = $node->session($role // 'dp_ann');

	$node->stop_at('charged');
	$session->{in} .= "SET dp_noise.epsilon = 1;\n$question;\n";
	IPC::Run::pump_nb $session->{run};
	$session->{pid} = $node->reached('charged') // die "not charged: $session->{err}";
	kill 'STOP', $session->{pid};
	$node->pass('charged');
	return $session;
}

# What she hears when her process goes on.
sub go_on
{
	my $session = shift;

	kill 'CONT', $session->{pid};
	$session->{in} .= "\\q\n";
	eval { IPC::Run::finish $session->{run} };
	return "$session->{out}$session->{err}" =~ s/\n\z//r;
}

my $number = 0;
sub new_question { return "SELECT dp_count(*) FROM $table WHERE x > -" . ++$number; }

# stopped: a session that stands still, and would keep the shared memory
sub crash
{
	my $stopped = shift;
	my $up = 0;

	$node->kill9;
	kill 'KILL', $stopped->{pid} if $stopped;
	usleep(200_000);
	for (1 .. 100)
	{
		undef $node->{_pid};
		last if $up = $node->start(fail_ok => 1);
		usleep(100_000);
	}
	ok($up, 'the server starts after a crash');
	return;
}

foreach my $which (qw(leveled plain))
{
	$table = $which;
	note $which;

	# two at the same moment
	my $question = new_question();
	my $total = total();
	my $ann = charge_and_stop($question);
	is(total(), $total + 1, 'the first charge pays for the answer');
	my $bob = ask('dp_bob', $question);
	like($bob, qr/^-?\d+$/, 'another role is answered meanwhile');
	is(total(), $total + 1, 'and the grant does not pay again');
	is(go_on($ann), $bob, 'the first one returns what the other has stored');
	is(ask('dp_ann', $question), $bob, 'and so does everybody');
	is(total(), $total + 1, 'the grant paid once');

	# whoever pays gives up: others who asked meanwhile may still store theirs
	$question = new_question();
	$total = total();
	$ann = charge_and_stop($question);
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($ann->{pid})");
	$bob = ask('dp_bob', $question);
	like(go_on($ann), qr/canceling statement due to user request/, 'the first one is cancelled');
	is(ask('dp_ann', $question), $bob, 'the answer is what was stored');
	is(total(), $total + 1, 'for which the grant paid once');

	# ... and who asks later pays anew
	$question = new_question();
	$total = total();
	$ann = charge_and_stop($question);
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($ann->{pid})");
	like(go_on($ann), qr/canceling statement due to user request/, 'cancelled, alone');
	like(ask('dp_bob', $question), qr/^-?\d+$/, 'asked later');
	is(total(), $total + 2, 'the grant pays for what comes after somebody gave up');

	# the end of a session is not told: its payment is for whoever stores an answer first
	$question = new_question();
	$total = total();
	$ann = charge_and_stop($question);
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($ann->{pid})");
	unlike(go_on($ann), qr/^-?\d+$/, 'terminated');
	$bob = ask('dp_bob', $question);
	is(ask($superuser, $question), $bob, 'one answer got out');
	is(total(), $total + 1, 'for one payment');

	# The owner forgets answers while one is drawn that somebody else has stored: two
	# must not get out for one payment.
	$question = new_question();
	$total = total();
	$ann = charge_and_stop($question);
	like(ask('dp_bob', $question), qr/^-?\d+$/, 'one is out');
	$node->safe_psql('postgres', "SELECT dp_noise.forget_answers('$table', now() + interval '1 day')");
	like(go_on($ann), qr/ERROR:  the stored answers about "$table" were forgotten meanwhile/, 'a second one does not get out');
	is(total(), $total + 1, 'the grant paid for one');
	like(ask($superuser, $question), qr/^-?\d+$/, 'whoever asks again');
	is(total(), $total + 2, 'pays for another one');

	# A crash: what was out is still the answer, or the grant pays for another one.
	$question = new_question();
	$total = total();
	$bob = ask('dp_bob', $question);
	crash();
	my $again = ask('dp_ann', $question);
	like($again, qr/^-?\d+$/, 'asked after a crash');
	my $paid = total() - $total;
	ok($paid == 2 || ($paid == 1 && $again eq $bob), 'each answer that was out is paid for');
	# nobody rides on a payment of before the crash, whose answer may be out
	$question = new_question();
	$total = total();
	$ann = charge_and_stop($question);
	crash($ann);
	eval { IPC::Run::kill_kill $ann->{run} };
	is(total(), $total + 1, 'the charge is there after the crash');
	like(ask('dp_bob', $question), qr/^-?\d+$/, 'another one asks');
	is(total(), $total + 2, 'and the grant pays again');
}

# a question at several levels in one statement is of one chain, too
$table = 'leveled';
my $question = 'SELECT (SELECT dp_sum(x, 0, 1000, 1) FROM leveled), (SELECT dp_sum(x, 0, 1000, 0.01) FROM leveled)';
my $total = total();
my $ann = charge_and_stop($question);
is(total(), $total + 1, 'a statement at two levels pays once');
my $bob = ask('dp_bob', $question);
is(go_on($ann), $bob, 'and two such statements hear the same');
my ($high) = $bob =~ /^(-?\d+)\|-?\d+$/;
is(ask('dp_bob', 'SELECT dp_sum(x, 0, 1000, 1) FROM leveled'), $high, 'as does one level alone');
is(total(), $total + 1, 'for one payment');

# An answer expires, and somebody else pays for another one: who has paid for the
# first hears that or none.
$table = 'plain';
$node->safe_psql('postgres', "SELECT dp_noise.alter_population('plain', answers_expire => '1 second')");
$question = new_question();
$total = total();
$ann = charge_and_stop($question);
like(ask('dp_bob', $question), qr/^-?\d+$/, 'one is out');
usleep(1_500_000);
like(ask($superuser, $question), qr/^-?\d+$/, 'and another one, after it has expired');
is(total(), $total + 2, 'the grant paid for both');
like(go_on($ann), qr/ERROR:  the stored answers about "plain" were forgotten meanwhile/, 'who has paid for the first does not hear the second');
is(total(), $total + 2, 'nor does the grant pay');
$node->safe_psql('postgres', "SELECT dp_noise.alter_population('plain', answers_expire => '0')");

# Settings change between: who has joined a claim stays with it.
foreach my $change ("share_answers => false", "on_repeat => 'answer'")
{
	$question = new_question();
	$total = total();
	$ann = charge_and_stop($question);
	my $joined = charge_and_stop($question, 'dp_bob');
	$node->safe_psql('postgres', "SELECT dp_noise.alter_population('plain', $change)");
	$bob = go_on($joined);
	like($bob, qr/^-?\d+$/, "$change: who has joined stores an answer");
	is(go_on($ann), $bob, 'which is the answer of who has paid');
	is(total(), $total + 1, 'for one payment');
	like(ask($superuser, $question), qr/^-?\d+$/, 'who asks now');
	is(total(), $total + 2, 'shares nothing');
	$node->safe_psql('postgres', "SELECT dp_noise.alter_population('plain', share_answers => true, on_repeat => 'replay')");
}

# Groups that are selected belong to the answer, so nobody joins: each is paid for.
$node->safe_psql('postgres', "SELECT dp_noise.set_budget(r, 'plain', 1000, 1e-3) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r");
$question = q{SET client_min_messages = warning; SET dp_noise.delta = 1e-5; SELECT string_agg(g || ':' || n, ' ' ORDER BY g) FROM (SELECT g, dp_count(*) AS n FROM plain GROUP BY g) AS s};
$total = total();
$ann = charge_and_stop($question);
my $price = total() - $total;
$bob = ask('dp_bob', $question);
like($bob, qr/^g\d:\d+( g\d:\d+)*$/, 'groups of one');
is(total(), $total + 2 * $price, 'paid for');
my $first = go_on($ann);
like($first, qr/^g\d:\d+( g\d:\d+)*$/, 'and of the other, who was first');
is(ask('dp_ann', $question), $first, 'each has the own answer');
is(ask('dp_bob', $question), $bob);
is(ask($superuser, $question), $bob, 'others are told the one for all');
is(total(), $total + 2 * $price, 'for no more than two payments');

$node->stop;
done_testing();
