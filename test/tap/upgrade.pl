# From one version to the next: ALTER EXTENSION UPDATE makes what a fresh
# installation of the next makes, and keeps protections, budgets, ledger, stored
# answers, and what the DBA has granted. While the library and the extension differ,
# nothing about protected tables is answered or changed, and it is said what to do.
#
# The next version is made here, of the one that is installed: it adds a column to
# tables of the ledger, and functions, and replaces one. Versions that have been
# released are in test/upgrade (its README.md), and each is updated to the present
# one as well.

use strict;
use warnings;

use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PrivateInstall;

my $next_library = "$ENV{TESTDIR}/build/next/dp_noise.so";
plan skip_all => 'build/next is missing: run make next' if !-e $next_library;

my $install = PrivateInstall->new;
my $present = $install->installed_version;
my $next = '0.2.0';
my %released = map { /dp_noise--(.*)\.sql$/ ? ($1 => slurp_file($_)) : () } glob('test/upgrade/dp_noise--*.sql');
my $script = $released{$present} // $install->installed_script($present);
my ($out, $err);

# What the end of each script does: fixed settings for functions, privileges.
my ($begin, $end) = $script =~ /\A(.*)^DROP PROCEDURE dp_noise\.add_entry\(text\);\n(.*)\z/ms
  or die 'the script has no end that is known';
my ($check) = $script =~ /^(DO \$\$\nDECLARE\n\tscript CONSTANT text .*?^\$\$;\n)/ms
  or die 'the script does not look at the version of the library';
my $changes = <<'EOF';
ALTER TABLE dp_noise_ledger.member ADD COLUMN remark text;
ALTER TABLE dp_noise_ledger.charge ADD COLUMN remark text;
CREATE FUNCTION dp_noise.remarks() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
AS $$SELECT count(remark) FROM dp_noise_ledger.charge$$;
COMMENT ON FUNCTION dp_noise.remarks() IS 'How many charges have a remark.';
CREATE OR REPLACE FUNCTION dp_noise.role_text(role oid) RETURNS text LANGUAGE sql STABLE
AS $$SELECT CASE WHEN role = 0 THEN 'everybody' ELSE pg_get_userbyid(role)::text END$$;
COMMENT ON TABLE dp_noise_ledger.member IS 'Relations that are protected, with remarks.';
EOF
my $update = "\\echo Use \"ALTER EXTENSION dp_noise UPDATE\" to load this file. \\quit\nSET LOCAL search_path = pg_catalog, pg_temp;\n";

$install->script($present, $script);
$install->script("$present--$next", "$update$check$changes$end");
$install->script($next, "${begin}${changes}DROP PROCEDURE dp_noise.add_entry(text);\n$end");
$install->default_version($present);

my $node = PostgreSQL::Test::Cluster->new('upgrade', install_path => $install->path);
$node->init(auth_extra => []);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\nautovacuum = off\n");
$node->start;

sub as_analyst
{
	my ($query) = @_;

	$out = $err = '';
	$node->psql('postgres', "SET dp_noise.epsilon = 0.5; $query", stdout => \$out, stderr => \$err, extra_params => [ '-U', 'analyst' ]);
	return $out;
}

sub as_superuser
{
	my ($query) = @_;

	$out = $err = '';
	$node->psql('postgres', $query, stdout => \$out, stderr => \$err);
	return $out;
}

# What is worth keeping, without what a version adds.
my %kept = (
	populations => 'SELECT population, owner, epsilon, delta, epsilon_spent, members FROM dp_noise.populations ORDER BY 1',
	budgets     => 'SELECT role, population, epsilon, epsilon_spent FROM dp_noise.budgets ORDER BY 1, 2',
	ledger      => 'SELECT at, role, population, epsilon, aggregate, fingerprint FROM dp_noise.ledger ORDER BY at',
	bounds      => 'SELECT * FROM dp_noise_ledger.column_bounds ORDER BY 1, 2',
	answers     => "SELECT count(*), md5(string_agg(a::text, ',' ORDER BY a::text)) FROM dp_noise_ledger.answer AS a",
	members     => 'SELECT member_id, relation, settings_version, max_rows_per_unit FROM dp_noise_ledger.member ORDER BY 1',
	grants      => q{SELECT has_function_privilege('dba', 'dp_noise.accept_timeline()', 'EXECUTE'), has_table_privilege('analyst', 'dp_noise.ledger', 'SELECT'),
		has_function_privilege('analyst', 'dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric)', 'EXECUTE')});

# What the inventory of objects does not tell.
my %beside = (
	dumped => q{SELECT c::regclass, n FROM pg_extension, unnest(extconfig, extcondition) AS u (c, n) WHERE extname = 'dp_noise' ORDER BY c::regclass::text},
	'event triggers' => 'SELECT evtname, evtevent, evtenabled, evttags FROM pg_event_trigger ORDER BY 1');

sub state_of
{
	my ($node) = @_;

	return { map { $_ => $node->safe_psql('postgres', $kept{$_}) } keys %kept };
}

$node->safe_psql('postgres', <<'EOF');
CREATE EXTENSION dp_noise;
CREATE ROLE analyst LOGIN;
CREATE ROLE dba;
CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL);
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 1000) AS i;
CREATE TABLE visits (person int NOT NULL, day date);
SELECT dp_noise.create_population('clinic', epsilon => 100, delta => 1e-5), dp_noise.protect('people', privacy_unit => 'id', population => 'clinic'),
	dp_noise.protect('visits', privacy_unit => 'person', population => 'clinic', max_rows_per_unit => 4), dp_noise.set_budget('analyst', 'clinic', epsilon => 50),
	dp_noise.set_bounds('people', 'age', 0, 100);
GRANT EXECUTE ON FUNCTION dp_noise.accept_timeline() TO dba;
EOF
my $question = 'SELECT count(*), avg(age) FROM people';
my $told = as_analyst($question);
like($told, qr/^\d+\|[\d.]+$/, "$present: an answer");
my $before = state_of($node);
is($before->{grants}, 't|t|f', "$present: privileges");

# new files, and the server goes on with what it has loaded
$install->default_version($next);
$install->library($next_library);
as_superuser('ALTER EXTENSION dp_noise UPDATE');
like($err, qr/ERROR:  the server runs dp_noise \Q$present\E, and the extension is to be version \Q$next\E\n.*HINT:  Restart the server/s, 'the old library refuses the new script, until the server is restarted');
is(as_analyst($question), $told, 'and goes on under its own');
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->psql('fresh', 'CREATE EXTENSION dp_noise', stderr => \$err);
like($err, qr/ERROR:  the server runs dp_noise \Q$present\E, and the extension is to be version \Q$next\E\n/, 'so it does with CREATE EXTENSION');
$node->restart;

# the new library, the old script
my $differ = qr/ERROR:  the server runs dp_noise \Q$next\E, and the extension in this database is version \Q$present\E\n.*HINT:  As superuser, ALTER EXTENSION dp_noise UPDATE\./s;
foreach my $asked ($question, 'SELECT count(*) FROM people WHERE age > 40', 'SELECT * FROM people')
{
	is(as_analyst($asked), '', "the new library under the old script answers nothing: $asked");
}
as_analyst($question);
like($err, $differ, 'it says why');
foreach my $call (
	q{dp_noise.set_budget('analyst', 'clinic', 60)}, q{dp_noise.protect('people', max_rows_per_unit => 2)}, q{dp_noise.unprotect('visits')},
	q{dp_noise.create_population('other', 1)}, q{dp_noise.charge('people', 0.5, 0, 'q')})
{
	as_superuser("SELECT $call");
	like($err, $differ, "refused: $call");
}
as_analyst("EXPLAIN (COSTS off) $question");
like("$out$err", qr/the server runs dp_noise \Q$next\E/, 'EXPLAIN says so too');
is(as_superuser(q{SELECT finding FROM dp_noise.check() WHERE object = 'extension dp_noise'}), "is version $present, and the library $next: questions about protected tables and changes of budgets are refused", 'and check()');
is_deeply(state_of($node), $before, 'what there is can be read, and is what it was');

# the new library, the new script
as_superuser('ALTER EXTENSION dp_noise UPDATE');
is($err, '', 'ALTER EXTENSION UPDATE');
is($node->safe_psql('postgres', q{SELECT extversion, dp_noise.library_version() FROM pg_extension WHERE extname = 'dp_noise'}), "$next|$next", 'it is the next version');
is_deeply(state_of($node), $before, 'all is kept');
is(as_analyst($question), $told, 'a stored answer is repeated');
is($node->safe_psql('postgres', $kept{ledger}), $before->{ledger}, 'for nothing');
like(as_analyst('SELECT count(*) FROM visits'), qr/^-?\d+$/, 'another question is answered');
is($node->safe_psql('postgres', q{SELECT epsilon_spent::float FROM dp_noise.budgets WHERE role = 'analyst'}), '1.5', 'for its price');
as_analyst('SELECT * FROM people');
like($err, qr/rows of protected relation "people" cannot be shown/, 'rows are not shown');
as_analyst('SELECT dp_noise.remarks()');
like($err, qr/permission denied for function remarks/, 'what is new is not for everybody');
is($node->safe_psql('postgres', 'SELECT dp_noise.remarks(), dp_noise.role_text(0)'), '0|everybody', 'and is there');

# the same objects and privileges as those of a fresh installation
my $inventory = slurp_file('test/pgtap/support/inventory.sql');

sub inventory_of
{
	my ($database) = @_;

	return [ split /\n/, $node->safe_psql($database, "$inventory; SELECT replace(i, chr(10), ' ') FROM inventory() AS i ORDER BY 1") ];
}

# compare DATABASE: where the extension was made anew.
sub compare
{
	my ($database, $name) = @_;
	my $updated = inventory_of('postgres');

	cmp_ok(scalar @$updated, '>', 200, "$name: there are objects");
	is_deeply($updated, inventory_of($database), "$name: they, their definitions, settings and privileges are those of a fresh installation");
	foreach my $what (sort keys %beside)
	{
		is($node->safe_psql('postgres', $beside{$what}), $node->safe_psql($database, $beside{$what}), "$name: and $what");
	}
	return;
}

$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION dp_noise.accept_timeline() FROM dba');
$node->safe_psql('fresh', 'CREATE EXTENSION dp_noise');
compare('fresh', "$present to $next");

# the old library, the new script
$install->library("$install->{from}{pkglibdir}/dp_noise.so");
$node->restart;
is(as_analyst($question), '', 'the old library under the new script gives no answer');
like($err, qr/ERROR:  the server runs dp_noise \Q$present\E, and the extension in this database is version \Q$next\E\n.*HINT:  Restart the server.*install the new one/s, 'and says why');
as_superuser(q{SELECT dp_noise.set_budget('analyst', 'clinic', 60)});
like($err, qr/the server runs dp_noise \Q$present\E/, 'so it does to an owner');

# what was released, to what is present, by the scripts in sql/install
$install->default_version($present);
$install->script(basename($_) =~ s/^dp_noise--|\.sql$//gr, slurp_file($_)) foreach glob("$install->{from}{sharedir}/extension/dp_noise--*--*.sql");
foreach my $version (grep { $_ ne $present } sort keys %released)
{
	$install->script($version, $released{$version});
	$node->safe_psql('postgres', 'DROP DATABASE fresh');
	$node->safe_psql('postgres', 'CREATE DATABASE fresh');
	$node->safe_psql('fresh', 'CREATE EXTENSION dp_noise');
	$node->safe_psql('postgres', 'BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; COMMIT');
	$node->safe_psql('postgres', $_) foreach "CREATE EXTENSION dp_noise VERSION '$version'", 'ALTER EXTENSION dp_noise UPDATE';
	compare('fresh', "$version to $present");
}

$node->safe_psql('postgres', 'BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; COMMIT');
is($node->safe_psql('postgres', q{SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc WHERE probin ~ 'dp_noise'}), '', 'DROP EXTENSION takes the updated one away');
$node->stop;
done_testing();
