# Class: an identity that is a name for a while. A dump knows relations and roles
# by their names; whoever renames one after a restore, before anybody asks a
# question, would be rid of protection, budgets and all that was spent.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('renamed');
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my ($out, $err);
my $dump = $node->basedir . '/ledger.dump';
my @tables = ('plain', 'moved', 'along', 'gone');

sub run_as
{
	my ($role, $database, $sql) = @_;

	$node->psql($database, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role ]);
	return $out . ($err =~ /ERROR:  (.*)/ ? $1 : '');
}

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_owner LOGIN;
CREATE ROLE dp_was LOGIN;
CREATE SCHEMA common AUTHORIZATION dp_owner;
CREATE SCHEMA other AUTHORIZATION dp_owner;
GRANT USAGE ON SCHEMA common, other TO PUBLIC;
EOS
foreach my $table (@tables)
{
	run_as('dp_owner', 'postgres', "CREATE TABLE common.$table (id int); SELECT dp_noise.protect('common.$table', epsilon => 1e6, delta => 1)");
	foreach my $role ('dp_ann', 'dp_was')
	{
		run_as('dp_owner', 'postgres', "SELECT dp_noise.set_budget('$role', 'common.$table', 5)");
		run_as($role, 'postgres', "SELECT dp_noise.charge('common.$table', 3, 0, 'q of $role')");
	}
}

# a role that is renamed, to which the owner gives its budget back, and another of its name
$node->safe_psql('postgres', q{ALTER ROLE dp_was RENAME TO dp_is; SELECT dp_noise.set_budget('dp_is', 'common.plain', 5); CREATE ROLE dp_was LOGIN});
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', 'postgres' ], 'pg_dump');
$node->command_ok([ 'pg_dump', '--inserts', '-f', "$dump.sql", '-d', 'postgres' ], 'pg_dump --inserts');

my %ways = (
	one => [ 'pg_restore', '-e', '-d', 'one', $dump ],
	two => [ 'pg_restore', '-e', '-j', '3', '-d', 'two', $dump ],
	single => [ 'pg_restore', '-1', '-e', '-d', 'single', $dump ],
	replica => [ 'sh', '-c', "pg_restore -f - $dump | PGOPTIONS='-c session_replication_role=replica' psql -Xq -v ON_ERROR_STOP=1 -d replica" ],
	inserts => [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'inserts', '-f', "$dump.sql" ],
);

foreach my $way (sort keys %ways)
{
	$node->safe_psql('postgres', "CREATE DATABASE $way");
	$node->command_ok($ways{$way}, "restored: $way");
	$node->safe_psql($way, <<'EOS');
ALTER TABLE common.plain RENAME TO plainer;
ALTER TABLE common.moved SET SCHEMA other;
DROP TABLE common.gone;
ALTER SCHEMA common RENAME TO uncommon;
EOS
	foreach my $table ('uncommon.plainer', 'other.moved', 'uncommon.along')
	{
		is(run_as('dp_ann', $way, "SELECT dp_noise.charge('$table', 2.5, 0, 'q3')"), qq{insufficient privacy budget for "@{[ $table =~ s/.*\.//r ]}"},
			"$table is protected and has its budgets");
		is(run_as('dp_ann', $way, "SELECT dp_noise.charge('$table', 0.5, 0, 'q4')"), '(f,)', 'and what is left of them');
		is($node->safe_psql($way, "SELECT trim_scale(epsilon_spent) FROM dp_noise.populations WHERE '$table'::regclass = ANY (members)"), '6.5', 'the grant counts on');
	}
	run_as('dp_owner', $way, q{CREATE SCHEMA common});
	is(run_as($superuser, $way, q{CREATE SCHEMA IF NOT EXISTS common; CREATE TABLE common.gone (id int); SELECT dp_noise.protect('common.gone', population => 'common.gone'); SELECT trim_scale(epsilon_spent) FROM dp_noise.populations WHERE population = 'common.gone'}) =~ s/\n//gr,
		'6', 'what was spent on one that was dropped is spent');
	is(run_as('dp_ann', $way, q{SELECT dp_noise.charge('uncommon.along', 1, 0, 'q of dp_ann')}), 'this question about "along" was answered before', 'and what was asked was asked');
	like(run_as('dp_was', $way, q{SELECT dp_noise.charge('uncommon.plainer', 1, 0, 'q5')}), qr/has no privacy budget/, 'a role of the name of one that was renamed before');
	is(run_as($superuser, $way, q{SELECT dp_noise.set_budget('dp_was', 'uncommon.plainer', 5)}), '', 'it gets a budget');
	is(run_as('dp_was', $way, q{SELECT dp_noise.charge('uncommon.plainer', 2.5, 0, 'q5')}), '(f,)', 'and is somebody new');
	is(run_as('dp_is', $way, q{SELECT dp_noise.charge('uncommon.plainer', 2.5, 0, 'q6')}), 'insufficient privacy budget for "plainer"', 'the one that had the name has spent most');
}

# roles, which are the whole cluster's
$node->safe_psql('postgres', 'CREATE DATABASE roles');
$node->command_ok([ 'pg_restore', '-e', '-d', 'roles', $dump ], 'restored once more');
$node->safe_psql('postgres', <<'EOS');
ALTER ROLE dp_ann RENAME TO dp_anna;
ALTER ROLE dp_owner RENAME TO dp_holder;
CREATE ROLE dp_ann LOGIN;
CREATE ROLE dp_owner LOGIN;
EOS
like(run_as('dp_anna', 'roles', q{SELECT dp_noise.charge('common.plain', 1, 0, 'q3')}), qr/has no privacy budget/, 'a role that is renamed has no budget');
is(run_as($superuser, 'roles', q{SELECT dp_noise.set_budget('dp_anna', 'common.plain', 5)}), '', 'until it is given back');
is(run_as('dp_anna', 'roles', q{SELECT dp_noise.charge('common.plain', 2.5, 0, 'q3')}), 'insufficient privacy budget for "plain"', 'with what is spent');
is(run_as('dp_anna', 'roles', q{SELECT dp_noise.charge('common.plain', 2, 0, 'q3')}), '(f,)', 'and what is left');
like(run_as('dp_ann', 'roles', q{SELECT dp_noise.charge('common.plain', 1, 0, 'q3')}), qr/has no privacy budget/, 'who takes its name does not');
is(run_as('dp_holder', 'roles', q{SELECT count(*) > 0 FROM dp_noise.ledger}), 't', 'the owner reads the ledger');
is(run_as('dp_owner', 'roles', q{SELECT count(*) > 0 FROM dp_noise.ledger}), 'f', 'who takes its name does not');

$node->stop;
done_testing();
