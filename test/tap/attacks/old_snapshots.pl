# Class: acting on a picture of the past. A transaction that is REPEATABLE READ or
# SERIALIZABLE sees the ledger as it was when it began: settings that were
# changed since would be mixed with its own, a table that was protected since
# would be dropped or renamed without what was spent on it.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('snapshots');
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');

my $number = 0;

# A table of a name of its own is prepared; what happens meanwhile; what the old
# transaction then does to it; and what it hears. "secret" is the table.
sub meanwhile
{
	my ($level, $setup, $change, $command) = @_;
	my $session = $node->session($superuser);

	$number++;
	s/\bsecret\b/secret$number/g foreach $setup, $change, $command;
	$node->safe_psql('postgres', $setup);
	$session->{in} = "\\set VERBOSITY sqlstate\nBEGIN ISOLATION LEVEL $level;\nSELECT 1;\n";
	$session->{run}->pump until $session->{out} =~ /1/;
	$node->safe_psql('postgres', $change);
	$session->{in} .= "$command;\n\\echo :SQLSTATE\nCOMMIT;\n\\q\n";
	$session->{run}->finish;
	return $session->{out} =~ /(\w{5})\s*$/ ? $1 : $session->{out} . $session->{err};
}

# What is spent in all, after some statements.
sub total
{
	my ($statements) = @_;

	$statements = ($statements // '') . q{; SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'public.secret' AND role IS NULL};
	$statements =~ s/\bsecret\b/secret$number/g;
	return $node->safe_psql('postgres', $statements) =~ s/^\n//r;
}

my $make = q{CREATE TABLE secret (id int)};
my $protect = q{SELECT dp_noise.protect('secret', epsilon => 1e6, delta => 1); SELECT dp_noise.set_budget('dp_ann', 'secret', 5)};
my $charge = q{SET SESSION AUTHORIZATION dp_ann; SELECT dp_noise.charge('secret', 3, 0, 'q'); RESET SESSION AUTHORIZATION};

# functions for owners
my %calls = (
	protect => q{SELECT dp_noise.protect('secret', 'id', epsilon => 1e6, delta => 1)},
	unprotect => q{SELECT dp_noise.unprotect('secret')},
	set_budget => q{SELECT dp_noise.set_budget('dp_ann', 'secret', 9)},
	drop_budget => q{SELECT dp_noise.drop_budget('dp_ann', 'secret')},
	set_bounds => q{SELECT dp_noise.set_bounds('secret', 'id', 0, 1)},
	set_values => q{SELECT dp_noise.set_values('secret', 'id', '{1}')},
	set_levels => q{SELECT dp_noise.set_levels('secret', '{1}')},
	forfeit => q{SELECT dp_noise.forfeit('secret', 'dp_ann', 1)});

foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	foreach my $call (sort keys %calls)
	{
		is(meanwhile($level, "$make; $protect", $charge, $calls{$call}), '25000', "$level: $call");
		is(total(), '3', 'nothing is lost');
	}

	# protected and charged since, and then dropped, renamed, changed
	foreach my $command (
		'DROP TABLE secret', 'ALTER TABLE secret RENAME TO other', 'ALTER TABLE secret RENAME id TO number', 'ALTER TABLE secret DROP COLUMN id',
		# from 16 on no table becomes a view
		$node->pg_version >= 16 ? () : 'CREATE RULE "_RETURN" AS ON SELECT TO secret DO INSTEAD SELECT 1 AS id')
	{
		is(meanwhile($level, $make, "$protect; $charge", $command), '40001', "$level: $command");
		is(total(), '3', 'what was spent stays');
		is(total(q{DROP TABLE secret; CREATE TABLE secret (id int); SELECT dp_noise.protect('secret', epsilon => 1e6, delta => 1)}), '3', 'of whoever has the name');
	}
	is(meanwhile($level, "$make; $protect", $charge, 'DROP TABLE secret'), '00000', "$level: a table that was charged since is dropped");
	is(total(), '3', 'what was spent stays');

	# where nothing has changed, nothing is in the way
	is(meanwhile($level, "$make; $protect", '', 'ALTER TABLE secret RENAME TO other; ALTER TABLE other RENAME TO secret; ALTER TABLE secret RENAME id TO number; CREATE TEMP TABLE t (); DROP TABLE t'), '00000', "$level: DDL");
	is(total(), '0', 'does what it does');
	is(meanwhile($level, $make, 'SELECT ask()', 'DROP TABLE secret'), '00000', "$level: charges are no change");
	is(meanwhile($level, 'SELECT', q{SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1)}, 'CREATE TEMP TABLE t (); DROP TABLE t'), '00000', "$level: nor are temporary tables hindered");
}

$node->stop;
done_testing();
