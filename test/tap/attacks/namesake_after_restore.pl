# Class: whoever has the name has the rights. A dump knows relations and roles by
# their names; where it is restored without a table, or where a role is another
# one, somebody makes a table of that name to read another owner's charges and
# stored answers, and to have the budgets that the other granted.

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
is(run_as('dp_first', 'whole', 'SELECT role, relation, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'its owner reads the ledger');
is(run_as('dp_second', 'whole', 'SELECT role, relation, epsilon FROM dp_noise.ledger'), 'dp_ann|common.passed|20', 'who got a table by REASSIGN OWNED reads it, too');
is(run_as('dp_third', 'whole', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'and who had it does not');
is(run_as('dp_ann', 'whole', sprintf $ask, $_), 't|the answer', "answers are replayed: $_") foreach 'secret', 'passed';
is(run_as('dp_first', 'whole', 'SELECT role, relation, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'after the first question, too');

# without the table, which another owner makes
$node->safe_psql('postgres', 'CREATE DATABASE part');
$node->command_ok([ 'sh', '-c', "pg_restore -l $dump | grep -v 'TABLE.* common' >$dump.list && pg_restore -e -L $dump.list -d part $dump" ], 'restored without tables');
is(run_as('dp_second', 'part', q{CREATE TABLE common.secret (id int); SELECT count(*) FROM dp_noise.budgets}), '0', 'a namesake of another owner has no budgets');
is(run_as('dp_second', 'part', q{SELECT count(*) FROM dp_noise.ledger}), '0', 'nor a ledger');
like(run_as('dp_ann', 'part', sprintf $ask, 'secret'), qr/is not protected/, 'nor is it protected');
is(run_as('dp_second', 'part', q{SELECT dp_noise.protect('common.secret', epsilon => 1e6, delta => 1); SELECT dp_noise.alter_population('common.secret', on_repeat => 'replay'), dp_noise.set_budget('dp_ann', 'common.secret', 100); SELECT role, epsilon_spent FROM dp_noise.budgets ORDER BY role}), "\n\ndp_ann|0\n|20", 'what was spent is spent, and by whom is not shown');
is(run_as('dp_second', 'part', q{SELECT count(*) FROM dp_noise.ledger}), '0', 'the other owner does not see for what');
like(run_as('dp_ann', 'part', sprintf $ask, 'secret'), qr/^this question .* was answered before/, 'nor is the answer told');

# the ledger first, and the tables after somebody has made one of the name, and dropped it
$node->safe_psql('postgres', 'CREATE DATABASE pieces');
$node->command_ok([ 'sh', '-c', "pg_restore -e -L $dump.list -d pieces $dump" ], 'restored without tables once more');
is(run_as('dp_second', 'pieces', q{CREATE TABLE common.secret (id int); DROP TABLE common.secret}), '', 'a namesake of another owner comes and goes');
is(run_as('dp_second', 'pieces', q{CREATE TABLE common.secret (id int); SELECT dp_noise.protect('common.secret', epsilon => 1e6, delta => 1); ALTER TABLE common.secret RENAME TO other; DROP TABLE common.other}), '', 'one that is protected and renamed, too');
$node->command_ok([ 'sh', '-c', "pg_restore -l $dump | grep 'TABLE.* common' >$dump.list && pg_restore -e -L $dump.list -d pieces $dump" ], 'restored the tables');
is(run_as('dp_ann', 'pieces', sprintf $ask, $_), 't|the answer', "protected, with all that was answered: $_") foreach 'secret', 'passed';
is(run_as('dp_first', 'pieces', 'SELECT role, relation, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'its owner reads the ledger');

# as the superuser's
$node->safe_psql('postgres', 'CREATE DATABASE unowned');
$node->command_ok([ 'pg_restore', '-e', '--no-owner', '-d', 'unowned', $dump ], 'restored without owners');
is(run_as('dp_ann', 'unowned', sprintf $ask, 'secret'), 't|the answer', 'the superuser has tables and ledger');
is(run_as('dp_first', 'unowned', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'and the owner that was does not');

# where the owner's name is another role's by now
$node->safe_psql('postgres', 'ALTER ROLE dp_first RENAME TO dp_was_first; CREATE ROLE dp_first LOGIN');
is(run_as('dp_first', 'whole', 'SELECT count(*) FROM dp_noise.ledger'), '0', 'a role of the name of one that was renamed');
is(run_as('dp_was_first', 'whole', 'SELECT role, relation, epsilon FROM dp_noise.ledger'), 'dp_ann|common.secret|20', 'whose rights stay where they were');

$node->stop;
done_testing();
