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

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_owner LOGIN;
CREATE ROLE dp_mallory LOGIN;
CREATE DATABASE used TEMPLATE template0;
CREATE SCHEMA common;
GRANT ALL ON SCHEMA common TO dp_owner;
GRANT USAGE ON SCHEMA common TO PUBLIC;
SET ROLE dp_owner;
CREATE TABLE common.patients (id int PRIMARY KEY);
INSERT INTO common.patients SELECT generate_series(1, 100);
SELECT dp_noise.create_population('clinic', 10), dp_noise.protect('common.patients', 'id', population => 'clinic');
SELECT dp_noise.set_budget('dp_ann', 'clinic', 5);
EOS
is(run_as('dp_ann', 'postgres', q{SELECT replayed FROM dp_noise.charge('common.patients', 2, 0, 'q', 'the answer')}), 'f', 'charged');

# Somebody else's populations in the other database: as many as there, and more.
$node->safe_psql('used', q{CREATE EXTENSION dp_noise; CREATE SCHEMA mallory AUTHORIZATION dp_mallory});
run_as('dp_mallory', 'used', "SELECT dp_noise.create_population('mine$_', 1e6), dp_noise.allow_members('mine$_', 'dp_owner')") foreach 1 .. 3;
is($node->safe_psql('used', 'SELECT count(*) FROM dp_noise.populations'), '3', 'prepared');

$node->command_ok([ 'pg_dump', '-f', $dump, '-d', 'postgres' ], 'pg_dump');
$node->command_ok([ 'psql', '-X', '-q', '-d', $node->connstr('used'), '-f', $dump ], 'restored, whatever fails');

is($node->safe_psql('used', q{SELECT count(*) FROM dp_noise.populations WHERE population LIKE 'mine%' AND members <> '{}'}), '0', 'nobody gets the tables');
is(run_as('dp_mallory', 'used', 'SET dp_noise.epsilon = 100; SELECT dp_count(*) FROM common.patients WHERE id = 7'), 'role "dp_mallory" has no privacy budget for "patients"', 'nor rows');
is(run_as('dp_mallory', 'used', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'nor charges');
is($node->safe_psql('used', q{SELECT population, members, epsilon_spent FROM dp_noise.populations WHERE population = 'clinic'}), 'clinic|{common.patients}|2', 'the owner has what was there');
is(run_as('dp_ann', 'used', q{SELECT count(*) FROM dp_history}), '1', 'and the analyst a history');

$node->stop;
done_testing();
