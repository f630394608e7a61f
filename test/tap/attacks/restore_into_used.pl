# Class: numbers that two ledgers have. A dump is restored into a database whose
# ledger is in use, by somebody who goes on after errors. Whoever has a population
# there, in which the dump's owner is allowed to have tables, unasked, must not get
# the tables, charges or answers of the dump.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('used');
my ($out, $err);
my $dump = $node->basedir . '/ledger.sql';

sub run_as
{
	my ($role, $database, $sql) = @_;

	$node->psql($database, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role ]);
	return $out . ($err =~ /ERROR:  (.*)/ ? $1 : '');
}

$node->safe_psql('postgres', 'CREATE ROLE dp_owner LOGIN; CREATE ROLE dp_mallory LOGIN');

# Tables of an owner's, about whom an analyst has asked.
sub make_clinic
{
	my ($database) = @_;

	$node->safe_psql($database, <<'EOS');
CREATE SCHEMA common;
GRANT ALL ON SCHEMA common TO dp_owner;
GRANT USAGE ON SCHEMA common TO PUBLIC;
SET ROLE dp_owner;
CREATE TABLE common.patients (id int PRIMARY KEY);
INSERT INTO common.patients SELECT generate_series(1, 100);
SELECT dp_noise.create_population('clinic', 10), dp_noise.protect('common.patients', 'id', population => 'clinic');
SELECT dp_noise.set_budget('dp_ann', 'clinic', 5);
EOS
	is(run_as('dp_ann', $database, q{SELECT replayed FROM dp_noise.charge('common.patients', 2, 0, 'q', 'the answer')}), 'f', "$database: charged");
	return;
}

# Somebody else's populations: as many as in the other database, and more.
sub prepare
{
	my ($database) = @_;

	$node->safe_psql($database, q{CREATE SCHEMA mallory AUTHORIZATION dp_mallory});
	run_as('dp_mallory', $database, "SELECT dp_noise.create_population('mine$_', 1e6), dp_noise.allow_members('mine$_', 'dp_owner')") foreach 1 .. 3;
	is($node->safe_psql($database, q{SELECT count(*) FROM dp_noise.populations WHERE owner = 'dp_mallory'}), '3', "$database: prepared");
	return;
}

sub restore
{
	my ($from, $to) = @_;

	$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr($from) ], "$from: pg_dump");
	$node->command_ok([ 'psql', '-X', '-q', '-d', $node->connstr($to), '-f', $dump ], "$to: restored, whatever fails");
	is($node->safe_psql($to, q{SELECT count(*) FROM dp_noise.populations WHERE population LIKE 'mine%' AND members <> '{}'}), '0', "$to: nobody gets the tables");
	is(run_as('dp_mallory', $to, 'SET dp_noise.epsilon = 100; SELECT dp_count(*) FROM common.patients WHERE id = 7') =~ /^(\d+)$/, '', "$to: nor rows");
	is(run_as('dp_mallory', $to, 'SELECT count(*) FROM dp_noise.ledger'), '0', "$to: nor charges");
	return;
}

# one that has numbers of its own
make_clinic('postgres');
$node->safe_psql('postgres', 'CREATE DATABASE used TEMPLATE template0');
$node->safe_psql('used', 'CREATE EXTENSION dp_noise');
prepare('used');
restore('postgres', 'used');
is($node->safe_psql('used', q{SELECT population, members, epsilon_spent FROM dp_noise.populations WHERE population = 'clinic'}), 'clinic|{common.patients}|2', 'the owner has what was there');
is(run_as('dp_ann', 'used', q{SELECT count(*) FROM dp_history}), '1', 'and the analyst a history');

# two from a template that has the extension
$node->safe_psql('postgres', 'CREATE DATABASE seed TEMPLATE template0');
$node->safe_psql('seed', 'CREATE EXTENSION dp_noise; GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC');
$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE seed") foreach qw(one other);
make_clinic('one');
prepare('other');
restore('one', 'other');
is($node->safe_psql('other', q{SELECT population, members, epsilon_spent FROM dp_noise.populations WHERE population = 'clinic'}), 'clinic|{common.patients}|2', 'the owner has what was there');

# a copy, in which the ledger continues; its populations are in both
$node->safe_psql('seed', q{SELECT dp_noise.create_population('first', 1)});
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE seed');
$node->safe_psql('copy', 'SELECT dp_noise.accept_timeline()');
make_clinic('seed');
prepare('copy');
restore('seed', 'copy');

$node->stop;
done_testing();
