# Many who ask the same at once: one draw is answered and stored, and whoever
# hears an answer hears that; the sums are exact.

use strict;
use warnings;

use IPC::Run;
use LedgerSteps;
use Test::More;

my $node = LedgerSteps->new('gate_races', "fsync = off\n");
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_cid LOGIN;
CREATE TABLE patients AS SELECT i AS x FROM generate_series(1, 1000) AS i;
CREATE TABLE levelled AS SELECT i AS x FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('patients', epsilon => 1e13, delta => 1), dp_noise.protect('levelled', epsilon => 1e13, delta => 1), dp_noise.set_levels('levelled', '{1,0.01}');
SELECT dp_noise.set_budget(role, r::text, 100000)
FROM unnest('{dp_ann,dp_bob,dp_cid}'::regrole[]) AS role, unnest('{patients,levelled}'::regclass[]) AS r;
EOS

sub ask
{
	my ($role, $epsilon, $question) = @_;
	my ($out, $err);

	$node->psql('postgres', "SET dp_noise.epsilon = $epsilon; $question", extra_params => [ '-U', $role ], on_error_stop => 0, stdout => \$out, stderr => \$err);
	return ($out, $err);
}

sub charges
{
	my $where = shift;

	return $node->safe_psql('postgres', "SELECT count(*), trim_scale(coalesce(sum(epsilon), 0)) FROM dp_noise.ledger WHERE $where");
}

sub start
{
	my ($role, $script) = @_;
	my $session = $node->session($role);

	$session->{in} = $script;
	IPC::Run::pump_nb $session->{run};
	return $session;
}

# one is stopped between its charge and its answer
my $question = 'SELECT dp_sum(x, 0, 1000000000) FROM patients';
$node->stop_at('charged');
my $first = start('dp_ann', "$question;\n\\q\n");
ok($node->reached('charged'), 'a question is charged');
foreach (1 .. 7)
{
	my ($out, $err) = ask('dp_ann', 1, $question);

	is($out, '', 'meanwhile there is no answer');
	like($err, qr/was asked before, and has no stored answer\n.*\nHINT:  If it is running, ask again shortly for its answer/, 'but a word of it');
}
$node->pass('charged');
IPC::Run::finish $first->{run};
like($first->{out}, qr/^-?\d+$/, 'it is answered');
is((ask('dp_ann', 1, $question))[0] . "\n", $first->{out}, 'and then replayed') for 1 .. 7;
is(charges(q{population = 'public.patients'}), '1|1', 'charged once');

# eight at once, a hundred times
my @sessions = map { start('dp_bob', join('', map { "SELECT 'heard', $_, dp_sum(x, 0, 1000000000) FROM patients WHERE x > $_;\n" } 1 .. 100) . "\\q\n") } 1 .. 8;
IPC::Run::finish $_->{run} foreach @sessions;
my %heard;
foreach my $session (@sessions)
{
	$heard{$1}{$2} = 1 while $session->{out} =~ /heard\|(\d+)\|(-?\d+)/g;
	my @errors = grep { /ERROR/ && !/was asked before, and has no stored answer/ } split /\n/, $session->{err};
	is(join("\n", @errors), '', 'nothing else goes wrong');
}
is(keys %heard, 100, 'all questions are answered');
is((grep { keys %$_ > 1 } values %heard) + 0, 0, 'each with one draw');
is(charges(q{population = 'public.patients' AND role = 'dp_bob'}), '100|100', 'each is charged once');
is($node->safe_psql('postgres', q{SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'public.patients' AND role IS NULL}), '101', 'in the total, too');

# A chain that two draw at the same time: the first that is stored counts, and
# who drew the other shows the first.
my $levelled = 'SELECT dp_count(*) FROM levelled';
$node->stop_at('charged');
$first = start('dp_ann', "SET dp_noise.epsilon = 1;\n$levelled;\n\\q\n");
ok($node->reached('charged'), 'a chain is paid for');
my $second = start('dp_bob', "SET dp_noise.epsilon = 0.01;\n$levelled;\n\\q\n");
sleep 1;
$node->pass('charged');
IPC::Run::finish $_->{run} foreach $first, $second;
my ($third) = ask('dp_cid', 1, $levelled);
is("$third\n", $first->{out}, 'at one level both hear the chain that is stored');
is((ask('dp_cid', 0.01, "$levelled WHERE true"))[0] . "\n", $first->{out}, 'whose own answer is stored');
is((ask('dp_ann', 1, $levelled))[0] . "\n", $first->{out}, 'as it was told');
is((ask('dp_bob', 0.01, $levelled))[0] . "\n", $second->{out}, 'to the other, too');
is($node->safe_psql('postgres', q{SELECT role, trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'public.levelled' ORDER BY role}),
	"dp_ann|1\ndp_bob|0.01\ndp_cid|1\n|1", 'the total pays once, everyone for an answer');

# many chains, by many
@sessions = map {
	my $level = $_ eq 'dp_bob' ? 0.01 : 1;
	start($_, "SET dp_noise.epsilon = $level;\n" . join('', map { "SELECT 'heard', $level, $_, dp_count(*) FROM levelled WHERE x > $_;\n" } 1 .. 100) . "\\q\n")
} qw(dp_ann dp_bob dp_cid);
IPC::Run::finish $_->{run} foreach @sessions;
%heard = ();
foreach my $session (@sessions)
{
	is($session->{err}, '', 'no error');
	$heard{"$1 $2"}{$3} = 1 while $session->{out} =~ /heard\|([\d.]+)\|(\d+)\|(-?\d+)/g;
}
is(keys %heard, 200, 'all are answered');
is((grep { keys %$_ > 1 } values %heard) + 0, 0, 'at one level all hear the same');

# An answer is stored for the charge that it belongs to, and for no other.
sub ask_and_change
{
	my ($question, $change) = @_;

	$node->stop_at('charged');
	my $session = start('dp_ann', "$question;\n\\q\n");
	$node->reached('charged') or die 'not charged';
	$node->safe_psql('postgres', $change);
	$node->pass('charged');
	IPC::Run::finish $session->{run};
	return "$session->{out}$session->{err}";
}
my $mine = q{WHERE charge_id = (SELECT max(charge_id) FROM dp_noise_ledger.charge)};
foreach my $change (q{fingerprint = sha256('other')}, 'budget_id = budget_id + 1000', 'population_id = population_id + 1000', 'charge_id = DEFAULT')
{
	$question = "SELECT dp_count(*) FROM patients WHERE x < 1000 -- $change\n AND x <> " . length $change;
	like(ask_and_change($question, "UPDATE dp_noise_ledger.charge SET $change $mine"),
		qr/ERROR:  the population or role that a question was charged to has been changed meanwhile/, "a charge that is another's: $change");
	like((ask('dp_ann', 1, $question))[1], qr/was asked before, and has no stored answer/, 'nothing is stored');
}
$question = 'SELECT dp_count(*) FROM patients WHERE x < 999';
my $before = charges(q{population = 'public.patients' AND role = 'dp_ann'});
like(ask_and_change($question, "UPDATE dp_noise_ledger.answer SET charge_id = charge_id + 1000000 $mine"),
	qr/\AERROR:  the stored answers about "patients" were forgotten meanwhile/, 'a question that was asked again meanwhile is not answered');
like((ask('dp_ann', 1, $question))[0], qr/^-?\d+$/, 'and may be asked again');
isnt(charges(q{population = 'public.patients' AND role = 'dp_ann'}), $before, 'at its price');

# what is not shared waits for the later answer
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', share_answers => false)});
$question = 'SELECT dp_count(*) FROM patients WHERE x < 998';
like(ask_and_change($question, "UPDATE dp_noise_ledger.answer SET charge_id = charge_id + 1000000 $mine"), qr/^-?\d+$/, 'a question that was asked again meanwhile');
like((ask('dp_ann', 1, $question))[1], qr/was asked before, and has no stored answer/, 'waits for the later answer');

$node->stop;
done_testing();
