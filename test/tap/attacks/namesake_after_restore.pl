# Class: whoever has the name has the rights. A dump knows relations, roles and
# populations by their names; where it is restored without a table, or where a role
# is another one, somebody makes a table of that name to read another owner's charges
# and stored answers, and to have the budgets that the other granted.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('namesake');
my ($out, $err);
my $dump = $node->basedir . '/ledger.dump';

sub run_as
{
	my ($role, $database, $sql) = @_;

	$node->psql($database, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role ]);
	return $out . ($err =~ /ERROR:  (.*)/ ? $1 : '');
}

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_first LOGIN;
CREATE ROLE dp_second LOGIN;
CREATE ROLE dp_third LOGIN;
CREATE SCHEMA common;
GRANT ALL ON SCHEMA common TO dp_first, dp_second, dp_third;
GRANT USAGE ON SCHEMA common TO PUBLIC;
SET ROLE dp_first;
CREATE TABLE common.secret (id int);
SELECT dp_noise.protect('common.secret', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'common.secret', 100);
SET ROLE dp_third;
CREATE TABLE common.passed (id int);
SELECT dp_noise.protect('common.passed', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'common.passed', 100);
SELECT dp_noise.allow_members('common.passed', 'dp_second');
EOS
my $ask = q{SELECT replayed, encode(answered, 'escape') FROM dp_noise.charge('common.%s', 20, 0, 'q', 'the answer')};
is(run_as('dp_ann', 'postgres', sprintf $ask, $_), 'f|', "charged: $_") foreach 'secret', 'passed';

# the owner changes where no event trigger sees it, and nobody asks after that
$node->safe_psql('postgres', 'REASSIGN OWNED BY dp_third TO dp_second');
$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
run_as('dp_ann', 'postgres', 'SELECT ask()');
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', 'postgres' ], 'pg_dump');

# all of it
$node->safe_psql('postgres', 'CREATE DATABASE whole');
$node->command_ok([ 'pg_restore', '-e', '-d', 'whole', $dump ], 'restored');
is(run_as('dp_first', 'whole', 'SELECT role, asked_about, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'its owner reads the ledger');
is(run_as('dp_third', 'whole', 'SELECT role, asked_about, epsilon FROM dp_noise.ledger'), 'dp_ann|common.passed|20', 'the owner of a population reads it, whoever owns the table');
is(run_as('dp_second', 'whole', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'and who got the table by REASSIGN OWNED does not');
is(run_as('dp_ann', 'whole', sprintf $ask, $_), 't|the answer', "answers are replayed: $_") foreach 'secret', 'passed';
is(run_as('dp_first', 'whole', 'SELECT role, asked_about, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'after the first question, too');

# without the table, which another owner makes
$node->safe_psql('postgres', 'CREATE DATABASE part');
$node->command_ok([ 'sh', '-c', "pg_restore -l $dump | grep -v 'TABLE.* common' >$dump.list && pg_restore -e -L $dump.list -d part $dump" ], 'restored without tables');
is(run_as('dp_second', 'part', q{CREATE TABLE common.secret (id int); SELECT count(*) FROM dp_noise.budgets}), '0', 'a namesake of another owner has no budgets');
is(run_as('dp_second', 'part', q{SELECT count(*) FROM dp_noise.ledger}), '0', 'nor a ledger');
like(run_as('dp_ann', 'part', sprintf $ask, 'secret'), qr/is not protected/, 'nor is it protected');
like(run_as('dp_second', 'part', "SELECT dp_noise.$_"), qr/^(must be owner of population|.*belongs to another role|.*may not add relations|.*permission denied)/, "nor what is the first owner's: $_")
  foreach q{protect('common.secret')}, q{protect('common.secret', epsilon => 1e6, delta => 1)}, q{protect('common.secret', population => 'common.secret')}, q{set_budget('dp_ann', 'common.secret', 100)}, q{forget_answers('common.secret', now())}, q{alter_population('common.secret', epsilon => 1)};
is(run_as('dp_second', 'part', q{SELECT dp_noise.create_population('mine', 1000); SELECT dp_noise.protect('common.secret', population => 'mine'); SELECT dp_noise.set_budget('dp_ann', 'mine', 100); SELECT role, epsilon_spent FROM dp_noise.budgets ORDER BY role}), "\n\n\ndp_ann|0\n|0", 'a population of its own');
is(run_as('dp_second', 'part', q{SELECT count(*) FROM dp_noise.ledger}), '0', 'has no charges');
is(run_as('dp_ann', 'part', sprintf $ask =~ s/the answer/another/r, 'secret'), 'f|', 'nor is an answer told');
is(run_as('dp_first', 'part', 'SELECT population, epsilon_spent FROM dp_noise.populations'), 'common.secret|20', 'the first owner still has what was spent');

# the ledger first, and the tables after somebody has made one of the name, and dropped it
$node->safe_psql('postgres', 'CREATE DATABASE pieces');
$node->command_ok([ 'sh', '-c', "pg_restore -e -L $dump.list -d pieces $dump" ], 'restored without tables once more');
is(run_as('dp_second', 'pieces', q{CREATE TABLE common.secret (id int); DROP TABLE common.secret}), '', 'a namesake of another owner comes and goes');
is(run_as('dp_second', 'pieces', q{CREATE TABLE common.secret (id int); SELECT dp_noise.protect('common.secret', population => 'mine', epsilon => 1)}), q{population "mine" does not exist}, 'one that is not protected');
is(run_as('dp_second', 'pieces', q{ALTER TABLE common.secret RENAME TO other; DROP TABLE common.other}), '', 'is renamed, too');
$node->command_ok([ 'sh', '-c', "pg_restore -l $dump | grep 'TABLE.* common' >$dump.list && pg_restore -e -L $dump.list -d pieces $dump" ], 'restored the tables');
like(run_as('dp_ann', 'pieces', sprintf $ask, $_), qr/is not protected/, "names are looked up once, when the ledger is restored: $_") foreach 'secret', 'passed';
is(run_as('dp_first', 'pieces', q{SELECT dp_noise.protect('common.secret')}), '', 'the owner protects it again');
is(run_as('dp_ann', 'pieces', sprintf $ask, 'secret'), 't|the answer', 'with all that was answered');
is(run_as('dp_first', 'pieces', 'SELECT role, epsilon FROM dp_noise.ledger'), 'dp_ann|20', 'its owner reads the ledger');

# as the superuser's
$node->safe_psql('postgres', 'CREATE DATABASE unowned');
$node->command_ok([ 'pg_restore', '-e', '--no-owner', '-d', 'unowned', $dump ], 'restored without owners');
is(run_as('dp_ann', 'unowned', sprintf $ask, 'secret'), 't|the answer', 'the superuser has the tables');
is(run_as('dp_first', 'unowned', 'SELECT count(*) FROM dp_noise.ledger'), '1', 'and the owner of the population the ledger');

# where the owner's name is another role's by now
$node->safe_psql('postgres', 'ALTER ROLE dp_first RENAME TO dp_was_first; CREATE ROLE dp_first LOGIN');
is(run_as('dp_first', 'whole', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'a role of the name of one that was renamed');
is(run_as('dp_was_first', 'whole', 'SELECT role, asked_about, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'whose rights stay where they were');

$node->stop;
done_testing();
