# Many who race for the last charges: what is spent never exceeds what is
# granted, and is exactly what was answered.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('races', "max_connections = 60\n");

# 32 clients, 20 questions each; how many were answered
my $question = 'ask(0.1)';
sub race
{
	my (@roles) = @_;
	my @clients = map { $node->session($roles[ $_ % @roles ]) } 1 .. 32;

	foreach my $client (@clients)
	{
		$client->{in} = "SELECT $question;\n" x 20 . "\\q\n";
		IPC::Run::pump_nb $client->{run};
	}
	IPC::Run::finish $_->{run} foreach @clients;
	my ($answers, $refusals, $others) = (0, 0, 0);
	foreach my $client (@clients)
	{
		$answers  += () = $client->{out} =~ /charged/g;
		$refusals += () = $client->{err} =~ /ERROR:  insufficient privacy budget for "\w+"/g;
		$others   += () = $client->{err} =~ /ERROR:  (?!insufficient privacy budget)/g;
	}
	is($others, 0, 'nothing but answers and refusals');
	is($answers + $refusals, 640, 'one for each question');
	return $answers;
}

my $sums = q{SELECT coalesce(role, 'total') || ' ' || trim_scale(epsilon_spent) FROM dp_noise.budgets ORDER BY role};

# one budget
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', 30)});
is(race('dp_ann'), 300, 'one budget: as many answers as it has');
is($node->spent, 30, 'spent to the last');
is($node->recorded, 30, 'and recorded');

# three layers: own, group, total
$node->safe_psql('postgres', <<'EOF');
CREATE ROLE team;
CREATE ROLE firm;
GRANT firm TO team;
GRANT team TO dp_ann, dp_bob;
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', 45);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_bob', 'people', 40);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('team', 'people', 20, shared => true);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('firm', 'people', 25, shared => true);
SELECT dp_noise.alter_population('people', epsilon => 48.5, delta => 0);
EOF
is(race('dp_ann', 'dp_bob'), 185, 'three layers: the total is the least');
my %spent = map { split / / } split /\n/, $node->safe_psql('postgres', $sums);
is($spent{total}, 48.5, 'total');
is($spent{team}, 18.5, 'group');
is($spent{firm}, 18.5, 'the group of the group');
is($spent{dp_ann} - 30 + $spent{dp_bob}, 18.5, 'the members');
cmp_ok($spent{dp_ann}, '<=', 45, 'none above its own');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', epsilon => 1e6, delta => 1)});
is(race('dp_ann', 'dp_bob'), 15, 'without the total: the group is the least');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.budgets WHERE epsilon_spent > epsilon}), 0, 'none is overspent');
is($node->safe_psql('postgres', q{SELECT sum(epsilon) = (SELECT epsilon_spent FROM dp_noise.budgets WHERE role IS NULL) FROM dp_noise.ledger}),
	't', 'the ledger has it all');

# while an owner changes budgets all the time
my $owner = IPC::Run::start(
	[ $node->installed_command('psql'), '-XAtq', '-d', $node->connstr('postgres') ],
	'<', \(join '', map { "SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', " . (50 + $_ % 2) . "); SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);\n" } 1 .. 300),
	'>', \my $out, '2>', \my $err);
$node->safe_psql('postgres', q{SELECT dp_noise.drop_budget('team', 'people'); SELECT dp_noise.drop_budget('firm', 'people')});
my $before = $node->recorded;
my $answers = race('dp_ann');
IPC::Run::finish $owner;
is($err, '', 'an owner in the middle: no error');
is($node->recorded - $before, $answers / 10, 'all answers are recorded');
cmp_ok($node->spent, '<=', 51, 'and within the grant');
is($node->spent, $node->recorded, 'budget and ledger agree');

# in rho
$node->safe_psql('postgres', <<'EOF');
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('flats', delta => 1e-6, accountant => 'zcdp', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'flats', 5, 1e-6), dp_noise.set_budget('dp_bob', 'flats', 20, 1e-6),
	dp_noise.set_budget('team', 'flats', 5, 1e-6, shared => true);
CREATE FUNCTION ask_flats(epsilon numeric) RETURNS text LANGUAGE sql VOLATILE AS $f$
	SELECT CASE WHEN replayed THEN 'replayed' ELSE 'charged' END
	FROM dp_noise.charge('flats', epsilon, 0, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea, NULL, 0.00125)
$f$;
EOF
my $tell = q{SELECT coalesce(b.role_name, 'all') || ' ' || trim_scale(s.rho / 0.00125) || ' ' || trim_scale(s.unbounded)
	FROM dp_noise_ledger.population AS p JOIN dp_noise_ledger.budget AS b USING (population_id) JOIN dp_noise_ledger.spending AS s USING (budget_id)
	WHERE p.name = 'public.flats' ORDER BY 1};
$question = 'ask_flats(0.05)';
is(race('dp_ann', 'dp_bob'), 370, 'rho: as many answers as the group has, of 0.46306');
$question = 'ask_flats(NULL)';
is(race('dp_ann', 'dp_bob'), 0, 'none is left');
is($node->safe_psql('postgres', q{SELECT sum(rho) / 0.00125 = 370 FROM dp_noise.ledger WHERE population = 'public.flats'}), 't', 'the ledger has it all');
$node->safe_psql('postgres', q{SELECT dp_noise.drop_budget('team', 'flats')});
my ($ann) = $node->safe_psql('postgres', $tell) =~ /^dp_ann (\d+) 0$/m;
is(race('dp_ann'), 370 - $ann, 'the own budget, to the last');
is($node->safe_psql('postgres', $tell), sprintf("all %d %d\ndp_ann 370 %2\$d\ndp_bob %2\$d 0\nteam 370 0", 740 - $ann, 370 - $ann), 'spent to the last, in rho');
$question = 'ask(0.1)';

# the same question by many at once: one answer, all others the same
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', on_repeat => 'replay'), dp_noise.set_budget('dp_bob', 'people', 1000)});
my @clients = map { $node->session('dp_bob') } 1 .. 32;
foreach my $n (0 .. $#clients)
{
	$clients[$n]{in} = "SELECT replayed, encode(answered, 'escape') FROM dp_noise.charge('people', 1, 0, 'same', 'answer$n');\n\\q\n";
	IPC::Run::pump_nb $clients[$n]{run};
}
IPC::Run::finish $_->{run} foreach @clients;
is((grep { $_->{out} =~ /^f\|/ } @clients) + 0, 1, 'one question at once: charged once');
my %answers = map { $_->{out} => 1 } grep { $_->{out} =~ /^t\|/ } @clients;
cmp_ok(keys %answers, '<=', 1, 'and the same answer replayed to all');
is((grep { $_->{out} eq '' && $_->{err} !~ /was asked before, and has no stored answer/ } @clients) + 0, 0, 'but to those who came before it was there');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.ledger WHERE fingerprint = 'same'::bytea || decode(repeat('00', 28), 'hex')}), 1, 'once in the ledger');

# A question of many roles with privacy levels, all at once: one chain is stored,
# and everybody reads it. The grant pays for it once, however many were drawn at
# the same time, since nobody sees the others.
$node->safe_psql('postgres', <<'EOF');
CREATE TABLE leveled AS SELECT x FROM generate_series(1, 1000) AS x;
SELECT dp_noise.protect('leveled', epsilon => 1e6, delta => 1), dp_noise.set_levels('leveled', '{1,0.01}');
SELECT dp_noise.alter_population('leveled', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'leveled', 1000), dp_noise.set_budget('dp_bob', 'leveled', 1000);
EOF
@clients = map { $node->session($_) } (qw(dp_ann dp_bob)) x 8;

foreach my $client (@clients)
{
	$client->{in} = "SELECT set_config('dp_noise.epsilon', CASE session_user WHEN 'dp_ann' THEN '1' ELSE '0.01' END, false) \\g /dev/null\n"
		. join('', map { "SELECT 'heard', session_user, $_, dp_count(*) FROM leveled WHERE x > -$_;\n" } 1 .. 20) . "\\q\n";
	IPC::Run::pump_nb $client->{run};
}
IPC::Run::finish $_->{run} foreach @clients;
my %heard;
$answers = 0;
foreach my $client (@clients)
{
	unlike($client->{err}, qr/ERROR/, 'a client hears no error');
	while ($client->{out} =~ /heard\|(\w+)\|(\d+)\|(-?\d+)/g)
	{
		$heard{"$1 $2"}{$3} = 1;
		$answers++;
	}
}
is($answers, 320, 'all are answered');
is(scalar(grep { keys %{ $heard{$_} } > 1 } keys %heard), 0, 'at one level all hear the same');
my $paid = q{SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'public.leveled' AND role IS NULL};
my $drawn = $node->safe_psql('postgres', $paid);
is($drawn, 20, 'the grant paid for 20 chains');
$node->as_ann('SET dp_noise.epsilon = 1; SELECT dp_count(*) FROM leveled WHERE x > -1');
is($node->safe_psql('postgres', $paid), $drawn, 'and pays no more for a chain that is there');
is($node->safe_psql('postgres', q{SELECT trim_scale(sum(epsilon_spent)) FROM dp_noise.budgets WHERE population = 'public.leveled' AND role IS NOT NULL}),
	$node->safe_psql('postgres', q{SELECT trim_scale(sum(epsilon)) FROM dp_noise.ledger WHERE population = 'public.leveled'}), 'each role for each answer');

$node->stop;
done_testing();
