# Class: budgets that come back with a copy of the ledger. Somebody who asks, with
# CREATEDB, copies the database, where it is a template or their own, as often as
# they like: each copy has what was left of the budgets, and noise of its own. So in
# a copy, and in a copy of that, nothing is charged before a superuser accepts it,
# whatever dp_noise.on_new_timeline is and whether the original is still there.
# Nor where the copy has the name and the oid of the original, which its creator
# chooses, nor where the original was itself restored or promoted.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('copied_database');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE ann LOGIN CREATEDB; CREATE DATABASE clinic');
$node->safe_psql('clinic', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE TABLE people (id int);
INSERT INTO people SELECT generate_series(1, 100);
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.set_budget('ann', 'people', 2), dp_noise.alter_population('people', epsilon => 2, delta => 0);
EOS

# The answer to a new question, or the error.
sub ask
{
	my ($database, $condition) = @_;
	my ($out, $err);

	$node->psql($database, "SELECT dp_count(*) FROM people WHERE id > $condition", stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ann' ]);
	return $out . $err;
}

# As the analyst, who is no superuser.
sub as_ann
{
	my ($statement) = @_;

	$node->safe_psql('postgres', $statement, extra_params => [ '-U', 'ann' ]);
	return;
}

sub wait_for_others
{
	my (@databases) = @_;
	my $names = join ', ', map { "'$_'" } @databases;

	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname IN ($names)") or die 'somebody is still connected';
	return;
}

sub copy
{
	my ($from, $to, $options) = @_;

	wait_for_others($from);
	as_ann("CREATE DATABASE $to TEMPLATE $from " . ($options // ''));
	return;
}

# What check() says of the ledger.
sub finding
{
	my ($database) = @_;

	return $node->safe_psql($database, q{SELECT substring(finding FROM 'elsewhere: (.*)') FROM dp_noise.check() WHERE object ^@ 'ledger of database'});
}

my $refused = qr/privacy budgets are not charged, because the ledger may lack charges.*a copy of another one/s;

like(ask('clinic', 0), qr/^\d+$/, 'the original is asked');
like($node->safe_psql('postgres', 'ALTER DATABASE clinic IS_TEMPLATE true') . $node->safe_psql('clinic', q{SELECT severity, object, finding FROM dp_noise.check()}),
	qr/^high\|role ann\|has CREATEDB, and may copy this database/m, 'check() says that it can be copied');
copy('clinic', 'second');
copy('second', 'third');
like(ask($_, 1), $refused, "not in $_") foreach 'second', 'third';
like(ask('second', 0), $refused, 'nor is told what was answered before');
like(ask('clinic', 1), qr/^\d+$/, 'the original goes on');
like(ask('clinic', 2), qr/insufficient privacy budget/, 'as long as there is something left');

# The names do not matter, nor that there is only one left.
wait_for_others('clinic', 'second');
$node->safe_psql('postgres', $_) foreach 'ALTER DATABASE clinic IS_TEMPLATE false', 'DROP DATABASE clinic', 'ALTER DATABASE second RENAME TO clinic';
like(ask('clinic', 3), $refused, 'not in a copy of the name of the original');

$node->safe_psql('clinic', 'SELECT dp_noise.accept_timeline()');
like(ask('clinic', 3), qr/^\d+$/, 'a superuser lets charges continue');
like(ask('third', 3), $refused, 'there alone');

# The owner of a database keeps a copy of it, spends the budget, and makes the
# database anew, with the oid that it had.
foreach my $strategy ('wal_log', 'file_copy')
{
	my $database = "of_$strategy";

	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER ann");
	$node->safe_psql($database, <<'EOS');
CREATE EXTENSION dp_noise;
CREATE TABLE people (id int);
INSERT INTO people SELECT generate_series(1, 100);
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1), dp_noise.set_budget('ann', 'people', 1), dp_noise.alter_population('people', epsilon => 1, delta => 0);
GRANT EXECUTE ON FUNCTION dp_noise.accept_timeline() TO ann;
EOS
	my $oid = $node->safe_psql('postgres', "SELECT oid FROM pg_database WHERE datname = '$database'");

	copy($database, "kept_of_$strategy", "STRATEGY = $strategy");
	like(ask($database, 0), qr/^\d+$/, 'the budget of a database');
	like(ask($database, 1), qr/insufficient privacy budget/, 'is spent');
	wait_for_others($database);
	as_ann("DROP DATABASE $database");
	copy("kept_of_$strategy", $database, "OID = $oid STRATEGY = $strategy");
	like(ask($database, 1), $refused, "and does not come back with the database's oid ($strategy)");
	like(ask("kept_of_$strategy", 1), $refused, 'nor with its copy');
	is(finding($database), "database $database ($oid), now one without its seal", 'check() says so');

	# Nobody but a superuser seals a database.
	my $err;
	foreach ('ALTER DATABASE %s SET dp_noise.database_seal = 1', 'ALTER ROLE ann IN DATABASE %s SET dp_noise.database_seal = 1')
	{
		$node->psql('postgres', sprintf($_, $database), stderr => \$err, extra_params => [ '-U', 'ann' ]);
		like($err, qr/permission denied to set parameter "dp_noise.database_seal"/, sprintf($_, 'd') . ' is refused');
	}
	is($node->psql($database, 'SELECT dp_noise.seal_database($$1$$)', stderr => \$err, extra_params => [ '-U', 'ann' ]), 3, 'nor by our function');
	$node->psql($database, 'SELECT dp_noise.accept_timeline()', stderr => \$err, extra_params => [ '-U', 'ann' ]);
	like($err, qr/must be superuser to continue the ledger in a copy of its database/, 'nor by a right that the copy has taken along');
	like(ask($database, 1), $refused, 'nothing is charged');

	$node->safe_psql($database, 'SELECT dp_noise.accept_timeline()');
	like(ask($database, 1), qr/^\d+$/, 'until a superuser accepts it');
	is(finding($database), '', 'and check() is silent');
}

# What takes the seal along.
sub seal
{
	return $node->safe_psql('postgres', q{SELECT s.setconfig FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = s.setdatabase WHERE d.datname ~ '^(moved|clinic)$'});
}
my $seal = seal();
my $space = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', "CREATE TABLESPACE elsewhere LOCATION '$space'");
wait_for_others('clinic');
$node->safe_psql('postgres', $_) foreach 'ALTER DATABASE clinic OWNER TO ann', 'ALTER DATABASE clinic SET TABLESPACE elsewhere', 'ALTER DATABASE clinic RENAME TO moved';
as_ann('ALTER DATABASE moved RESET ALL');
my $err;
$node->psql('postgres', 'ALTER DATABASE moved RESET dp_noise.database_seal', stderr => \$err, extra_params => [ '-U', 'ann' ]);
like($err, qr/permission denied to set parameter/, 'nor does its owner break the seal');
is(finding('moved'), '', 'a new name, another tablespace and RESET ALL by the owner lose nothing');
$node->safe_psql('moved', q{SELECT dp_noise.set_budget('ann', 'people', 8), dp_noise.alter_population('people', epsilon => 8, delta => 0)});
like(ask('moved', 4), qr/^\d+$/, 'and charges go on');
is(seal(), $seal, 'under the same seal');
wait_for_others('moved');
$node->safe_psql('postgres', 'ALTER DATABASE moved RESET ALL');
like(ask('moved', 5), $refused, 'by a superuser it removes the seal, and nothing is charged');
$node->safe_psql('moved', 'SELECT dp_noise.accept_timeline()');
like(ask('moved', 5), qr/^\d+$/, 'until it is sealed again');

# A ledger that came from elsewhere, with a warning, is no less copied.
$node->safe_psql('moved', 'UPDATE dp_noise_ledger.place SET system_identifier = system_identifier + 1');
wait_for_others('moved');
copy('moved', 'of_displaced');
like(ask('moved', 6), qr/^\d+$/, 'charges go on in a cluster that was restored');
like(ask('of_displaced', 6), $refused, 'not in a copy made there');

$node->stop;
done_testing();
