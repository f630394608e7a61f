# pg_upgrade from an older major version of PostgreSQL takes populations, budgets,
# ledger and stored answers along, and what was protected answers on.
#
# The older version is another one below /usr/lib/postgresql that has dp_noise, of
# this version, or the one whose pg_config UPGRADE_FROM names. Where there is none, as
# on a release of Debian alone, this is skipped; test/tap/ledger_upgrade.pl upgrades
# between clusters of one version.

use strict;
use warnings;

use File::Basename;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# major PG_CONFIG: 0 for none that has dp_noise
sub major
{
	my ($pg_config) = @_;
	my $libraries = `'$pg_config' --pkglibdir 2>/dev/null` =~ s/\n//r;

	return 0 if !-e "$libraries/dp_noise.so";
	return (`'$pg_config' --version` =~ /^PostgreSQL (\d+)/)[0];
}

my $present = major('pg_config');
my ($from) = sort { major($b) <=> major($a) } grep { my $major = major($_); $major > 0 && $major < $present }
  defined $ENV{UPGRADE_FROM} ? $ENV{UPGRADE_FROM} : glob('/usr/lib/postgresql/*/bin/pg_config');
plan skip_all => "no PostgreSQL before $present on this machine has dp_noise" if !defined $from;

my $old_bin = dirname($from);
my $name = major($from) . " to $present";
my $old = PostgreSQL::Test::Cluster->new('old', install_path => dirname($old_bin));
my ($out, $err);

$old->init(auth_extra => []);
$old->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
$old->start;
$old->safe_psql('postgres', <<'EOF');
CREATE EXTENSION dp_noise;
CREATE ROLE analyst LOGIN;
CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL, region text NOT NULL);
INSERT INTO people SELECT i, i % 90, (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 1000) AS i;
CREATE TABLE visits (person int NOT NULL REFERENCES people, day date);
INSERT INTO visits SELECT 1 + i % 1000, '2024-01-01'::date + i FROM generate_series(1, 3000) AS i;
SELECT dp_noise.create_population('clinic', epsilon => 100, delta => 1e-5), dp_noise.protect('people', privacy_unit => 'id', population => 'clinic'),
	dp_noise.protect('visits', privacy_unit => 'person -> people', max_rows_per_unit => 4), dp_noise.set_budget('analyst', 'clinic', epsilon => 50),
	dp_noise.set_bounds('people', 'age', 0, 100), dp_noise.set_values('people', 'region', '{north,south}');
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 5, delta => 1e-6), dp_noise.alter_population('flats', accountant => 'zcdp'), dp_noise.set_budget('analyst', 'flats', 5, 1e-6);
EOF

sub ask
{
	my ($node, $query) = @_;

	$out = $err = '';
	$node->psql('postgres', "SET dp_noise.epsilon = 0.5; $query", stdout => \$out, stderr => \$err, extra_params => [ '-U', 'analyst' ]);
	return $out;
}

my %state = (
	budgets => 'SELECT role, population, epsilon, epsilon_spent, rho_spent FROM dp_noise.budgets ORDER BY population, role',
	populations => 'SELECT * FROM dp_noise.populations ORDER BY population',
	ledger => 'SELECT * FROM dp_noise.ledger ORDER BY at, fingerprint',
	map { $_ => "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM dp_noise_ledger.$_ AS t" }
	  qw(population member column_bounds column_values budget spending charge answer));
my @questions = ('SELECT region, count(*), avg(age) FROM people GROUP BY region', 'SELECT count(*) FROM visits JOIN people ON id = person WHERE age > 30', 'SELECT count(*) FROM flats');
my %told = map { $_ => ask($old, $_) } @questions;

isnt($told{$_}, '', "$name: before, an answer to $_") foreach @questions;
my %before = map { $_ => $old->safe_psql('postgres', $state{$_}) } keys %state;
$old->stop;

my $new = PostgreSQL::Test::Cluster->new('new');
# 18 has checksums unless told otherwise, and both must have them or not
$new->init(auth_extra => [], no_data_checksums => major($from) < 18);
$new->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
my $new_bin = $new->config_data('--bindir');
my ($old_dir, $new_dir) = ($old->data_dir, $new->data_dir);
chdir $old->basedir or die "could not change directory: $!"; # where it leaves its files
ok(IPC::Run::run(
		[ 'pg_upgrade', '--no-sync', '-d', $old_dir, '-D', $new_dir, '-b', $old_bin, '-B', $new_bin,
			'-s', $new->host, '-p', $old->port, '-P', $new->port ],
		'>', \$out, '2>', \$err), "$name: pg_upgrade")
  or diag "$out$err";
$new->start;
is($new->safe_psql('postgres', $state{$_}), $before{$_}, "$name: the same $_") foreach sort keys %state;
is(ask($new, $_), $told{$_}, "$name: the stored answer to $_") foreach @questions;
is($new->safe_psql('postgres', $state{ledger}), $before{ledger}, "$name: for nothing");
like(ask($new, 'SELECT count(*) FROM people WHERE age < 20'), qr/^-?\d+$/, "$name: another question");
is($new->safe_psql('postgres', q{SELECT (SELECT count(*) FROM dp_noise.ledger)}), 1 + split(/\n/, $before{ledger}), "$name: is charged");
ask($new, 'SELECT * FROM people');
like($err, qr/rows of protected relation "people" cannot be shown/, "$name: rows are not shown");
$new->stop;
done_testing();
