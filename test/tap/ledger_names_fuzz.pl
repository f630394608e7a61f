# Random drops, renames, new ones and charges of roles and tables. What is spent of
# a budget is at least what the role, and whoever had its name, was charged on the
# table, and on what had its name and is dropped; and no more than all charges.
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
CREATE TABLE wrong (step int, what text, spent numeric, low numeric, high numeric);
CREATE FUNCTION compare(step int, who text, relation text, low numeric, high numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	spent numeric;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	SELECT b.granted - b.remaining INTO spent FROM dp_budget AS b WHERE b.relation = compare.relation::regclass AND b.role = who;
	RESET SESSION AUTHORIZATION;
	IF (spent BETWEEN low AND high) IS NOT TRUE THEN
		INSERT INTO wrong VALUES (step, who || ' ' || relation, spent, low, high);
	END IF;
END
$$;
CREATE FUNCTION compare_total(step int, relation text, low numeric, high numeric) RETURNS void LANGUAGE sql AS $$
	INSERT INTO wrong SELECT step, relation, b.epsilon_spent, low, high FROM dp_noise.budgets AS b
	WHERE b.relation = compare_total.relation::regclass AND b.role IS NULL AND (b.epsilon_spent BETWEEN low AND high) IS NOT TRUE;
	-- every charge costs a fourth of its epsilon in rho, and an eighth from the pool
	INSERT INTO wrong SELECT step, 'rho of budget ' || b.budget_id, b.rho_spent, b.epsilon_spent / 4, b.pool_spent FROM dp_noise_ledger.budget_entry AS b
	WHERE b.rho_spent <> b.epsilon_spent / 4 OR b.pool_spent <> b.epsilon_spent / 8 OR b.unbounded_spent <> 0;
	INSERT INTO wrong SELECT step, 'rho of a part of budget ' || p.budget_id, p.rho, p.epsilon / 4, p.delta_pool FROM dp_noise_ledger.spending_part AS p
	WHERE p.rho <> p.epsilon / 4 OR p.delta_pool <> p.epsilon / 8 OR p.unbounded <> 0
$$;
EOS

my %create = (
	ROLE => 'CREATE ROLE %1$s;',
	TABLE => q{CREATE TABLE %1$s (id int); SELECT dp_noise.protect('%1$s', epsilon => 1e6, delta => 1);});

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
		push @{ $things{$kind} }, { name => $name, lives => 1 };
	};
	my $charge = sub {
		my ($role, $table, $epsilon) = @_;

		push @charges, { role => $role, role_name => $role->{name}, table => $table, table_name => $table->{name}, epsilon => $epsilon };
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
		$sql .= "SELECT dp_noise.alter_population('$table->{name}', on_repeat => 'answer'), dp_noise.set_budget('$role->{name}', '$table->{name}', 1000000);\n";
		$charge->($role, $table, 1 << int rand 4) if $action eq 'charge';
		my @on_table = grep { $_->{table} == $table || ($_->{table_name} eq $table->{name} && !$_->{table}->{lives}) } @charges;
		my @by_role = grep { $_->{role} == $role || $_->{role_name} eq $role->{name} } @on_table;
		$sql .= sprintf "SELECT compare(%d, '%s', '%s', %s, %s), compare_total(%1\$d, '%3\$s', %6\$s, %5\$s);\n", $step, $role->{name}, $table->{name}, sum(@by_role), sum(@charges), sum(@on_table);
	}
	$sql .= "DROP TABLE $_->{name};\n" foreach $living->('TABLE');
	$sql .= "DROP ROLE $_->{name};\n" foreach $living->('ROLE');
	$node->safe_psql('postgres', $sql);
	is($node->safe_psql('postgres', 'SELECT * FROM wrong'), '', "run $run: @{[ scalar @charges ]} charges");
}

$node->stop;
done_testing();
