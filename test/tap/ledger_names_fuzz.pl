# Random drops, renames, new ones and charges of roles and tables. What is spent of
# a budget is what the role was charged for the population, whatever it was called
# and whatever became of tables; what is spent of a population is all of its
# charges, also those of roles that are gone; and a table of a name that there was
# returns to the population of that name.
# FUZZ_SEED repeats a run.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $runs = 12;
my $steps = 60;
my $seed = $ENV{FUZZ_SEED} // int rand 1e9;
my $node = LedgerCluster->new('names');

note "FUZZ_SEED=$seed";
srand $seed;
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE wrong (step int, what text, spent numeric, expected numeric);
CREATE FUNCTION compare(step int, who text, population text, expected numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	spent numeric;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	SELECT b.granted - b.remaining INTO spent FROM dp_budget AS b WHERE b.population = compare.population AND b.role = who;
	RESET SESSION AUTHORIZATION;
	IF spent IS DISTINCT FROM expected THEN
		INSERT INTO wrong VALUES (step, who || ' ' || population, spent, expected);
	END IF;
END
$$;
CREATE FUNCTION compare_all(step int, population text, expected numeric) RETURNS void LANGUAGE sql AS $$
	INSERT INTO wrong SELECT step, p.population, p.epsilon_spent, expected FROM dp_noise.populations AS p
	WHERE p.population = compare_all.population AND p.epsilon_spent <> expected;
	-- every charge costs a fourth of its epsilon in rho, and an eighth from the pool
	INSERT INTO wrong SELECT step, 'rho of budget ' || s.budget_id, s.rho, s.epsilon / 4 FROM dp_noise_ledger.spending AS s
	WHERE s.rho <> s.epsilon / 4 OR s.delta_pool <> s.epsilon / 8 OR s.unbounded <> 0;
	INSERT INTO wrong SELECT step, 'charges to budget ' || c.budget_id, s.epsilon, sum(c.epsilon) FROM dp_noise_ledger.charge AS c LEFT JOIN dp_noise_ledger.spending AS s USING (budget_id)
	GROUP BY c.budget_id, s.epsilon HAVING s.epsilon IS DISTINCT FROM sum(c.epsilon)
$$;
EOS

my %create = (
	ROLE => 'CREATE ROLE %1$s;',
	TABLE => q{CREATE TABLE %1$s (id int PRIMARY KEY); SELECT dp_noise.protect('%1$s', 'id', epsilon => 1e13, delta => 1), dp_noise.alter_population('%1$s', on_repeat => 'answer');});

# One of some things; undef where there are none.
sub one { return @_ ? $_[ rand @_ ] : undef }
sub sum { my $sum = 0; $sum += $_->{epsilon} foreach @_; return $sum }

foreach my $run (1 .. $runs)
{
	my %names = map { my $kind = $_; $kind => [ map { lc "f${run}_${kind}_$_" } 1 .. 3 ] } 'ROLE', 'TABLE';
	my %things = (ROLE => [], TABLE => []);
	my @charges;
	my $sql = '';
	my $living = sub { my ($kind) = @_; return grep { $_->{lives} } @{ $things{$kind} } };
	my $free = sub {
		my ($kind) = @_;
		my %taken = map { $_->{name} => 1 } $living->($kind);
		return grep { !$taken{$_} } @{ $names{$kind} };
	};
	my $make = sub {
		my ($kind, $name) = @_;

		$sql .= sprintf "$create{$kind}\n", $name;
		push @{ $things{$kind} }, { name => $name, lives => 1, population => "public.$name" };
	};
	my $charge = sub {
		my ($role, $table, $epsilon) = @_;

		push @charges, { role => $role, population => $table->{population}, epsilon => $epsilon };
		$sql .= "SET SESSION AUTHORIZATION $role->{name}; SELECT dp_noise.charge('$table->{name}', $epsilon, 0, 'q@{[ scalar @charges ]}', NULL, $epsilon / 4.0, $epsilon / 8.0); RESET SESSION AUTHORIZATION;\n";
	};

	foreach my $kind (sort keys %names)
	{
		$make->($kind, $_) foreach @{ $names{$kind} };
	}
	foreach my $step (1 .. $steps)
	{
		my $kind = one('ROLE', 'TABLE');
		my $action = one('rename', 'rename', 'drop', 'make', 'make', 'charge', 'charge');
		my $thing = one($living->($kind));
		my $name = one($free->($kind));
		my ($role, $table) = (one($living->('ROLE')), one($living->('TABLE')));

		if ($action eq 'make' && defined $name)
		{
			$make->($kind, $name);
		}
		elsif ($action eq 'drop' && $thing || ($action eq 'rename' && $thing && !defined $name))
		{
			$sql .= "DROP $kind $thing->{name};\n";
			$thing->{lives} = 0;
		}
		elsif ($action eq 'rename' && $thing)
		{
			$sql .= "ALTER $kind $thing->{name} RENAME TO $name;\n";
			$thing->{name} = $name;
		}
		next unless $role && $table && $role->{lives} && $table->{lives};
		$sql .= "SELECT dp_noise.set_budget('$role->{name}', '$table->{name}', 1000000);\n";
		$charge->($role, $table, 1 << int rand 4) if $action eq 'charge';
		my @of_all = grep { $_->{population} eq $table->{population} } @charges;
		my @by_role = grep { $_->{role} == $role } @of_all;
		$sql .= sprintf "SELECT compare(%d, '%s', '%s', %s), compare_all(%1\$d, '%3\$s', %5\$s);\n", $step, $role->{name}, $table->{population}, sum(@by_role), sum(@of_all);
	}
	$sql .= "DROP TABLE $_->{name};\n" foreach $living->('TABLE');
	$sql .= "DROP ROLE $_->{name};\n" foreach $living->('ROLE');
	$node->safe_psql('postgres', $sql);
	is($node->safe_psql('postgres', 'SELECT * FROM wrong'), '', "run $run: @{[ scalar @charges ]} charges");
}

$node->stop;
done_testing();
