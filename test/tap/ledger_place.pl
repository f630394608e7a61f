# The ledger may lack charges after a standby that lagged was promoted, a base
# backup started, a dump restored in place, or the database copied: that does not
# go on in silence. A crash, a clean restart, a new name of the database and a
# template in which nothing was protected lose nothing, and nothing is said.
#
# Takes long: 25 seconds of processor time without its servers.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my ($out, $err);

# What check() says of the ledger, as severity and changes.
sub findings
{
	my ($node, $database) = @_;

	return $node->safe_psql($database // 'postgres',
		q{SELECT severity, substring(finding FROM 'elsewhere: (.*)') FROM dp_noise.check() WHERE object ^@ 'ledger of database'});
}

# How often the log warns; the worker has been there, and gone, so often.
sub warnings_after
{
	my ($node, $times, $database) = @_;

	foreach (1 .. $times)
	{
		$node->as_ann('SELECT ask()', database => $database // 'postgres');
		$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
	}
	return scalar(() = slurp_file($node->logfile) =~ /WARNING:  the ledger of database \S+ may lack charges/g);
}

sub charges
{
	my ($node, $number) = @_;

	$node->as_ann('SELECT ask();' x $number);
	return;
}

my $primary = LedgerCluster->new('primary', "log_statement = none\n", allows_streaming => 1);

# what is paid in rho: a thousandth and a quarter, with 10^-12 from the pool
$primary->safe_psql('postgres', <<'EOF');
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 5, delta => 1e-6);
SELECT dp_noise.alter_population('flats', accountant => 'zcdp', delta_pool => 5e-7, on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'flats', 5, 1e-6);
CREATE FUNCTION ask_flats() RETURNS text LANGUAGE sql VOLATILE AS $f$
	SELECT 'paid' FROM dp_noise.charge('flats', NULL, 1e-12, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea, NULL, 0.00125, 1e-12)
$f$;
EOF
sub spent_in_rho
{
	my ($node, $database) = @_;

	return $node->safe_psql($database // 'postgres', q{SELECT string_agg(concat_ws(' ', trim_scale(rho_spent / 0.00125), trim_scale(delta_spent * 1e12)), ', ') FROM dp_noise.budgets WHERE population = 'public.flats'});
}

$primary->as_ann('SELECT ask_flats()');
charges($primary, 3);
is(findings($primary), '', 'a new ledger is at home');
$primary->backup('base');
$primary->command_ok([ 'pg_dump', '-Fc', '-f', $primary->basedir . '/early.dump', '-d', 'postgres' ], 'pg_dump');

# what loses nothing
$primary->restart;
charges($primary, 1);
$primary->stop('immediate');
$primary->start;
charges($primary, 1);
is(findings($primary), '', 'a restart and a crash lose nothing');
is(warnings_after($primary, 1), 0, 'and are not warned of');
$primary->safe_psql('template1', 'ALTER DATABASE postgres RENAME TO renamed');
is(findings($primary, 'renamed'), '', 'nor does a new name of the database');
$primary->safe_psql('template1', 'ALTER DATABASE renamed RENAME TO postgres');
is($primary->recorded, 6, 'all charges are there');

# a standby that lags
my $standby = bless PostgreSQL::Test::Cluster->new('standby'), 'LedgerCluster';
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->as_ann('SELECT ask_flats()');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
is(findings($standby), '', 'a standby follows its primary');
$standby->stop;
charges($primary, 4);
$primary->as_ann('SELECT ask_flats()');
is(spent_in_rho($primary), '3 3, 3 3', 'in rho, too');
is($primary->recorded, 10, 'charges that the standby does not see');
$primary->stop('immediate');
$standby->start;
$standby->promote;
is($standby->recorded, 6, 'promoted, it lacks them');
like(findings($standby), qr/^high\|timeline 1, now 2, started from the base backup of /, 'check() says so');
is(warnings_after($standby, 3), 1, 'the log warns, once');
is($standby->recorded, 9, 'charges go on unless the superuser wants otherwise');
$standby->safe_psql('postgres', q{CREATE ROLE lp_owner; SELECT dp_noise.allow_members('people', 'lp_owner'); ALTER TABLE people OWNER TO lp_owner});
is($standby->safe_psql('postgres', q{SET ROLE lp_owner; SELECT count(*) FROM dp_noise.check() WHERE object ^@ 'ledger of database'}), '1', 'the owner is told, too');

# refused
$standby->safe_psql('postgres', q{ALTER SYSTEM SET dp_noise.on_new_timeline = refuse; SELECT pg_reload_conf()});
ok($standby->wait_until(q{SELECT current_setting('dp_noise.on_new_timeline') = 'refuse'}), 'dp_noise.on_new_timeline = refuse');
($out, $err) = $standby->as_ann("\\set VERBOSITY verbose\nSELECT ask()");
is($out, '', 'no charge');
like($err, qr/55000: privacy budgets are not charged, because the ledger may lack charges/, 'a clear error');
like($err, qr/accept_timeline\(\)/, 'and a hint');
($out, $err) = $standby->as_ann('SELECT ask_flats()');
like($err, qr/because the ledger may lack charges/, 'nor one in rho');
($out, $err) = $standby->as_ann('SELECT dp_count(*) FROM people');
like($err, qr/because the ledger may lack charges/, 'nor a question');
($out, $err) = $standby->as_ann('EXPLAIN SELECT dp_count(*) FROM people');
like($out . $err, qr/because the ledger may lack charges/, 'EXPLAIN says why');
($out, $err) = $standby->as_ann('SET dp_noise.on_new_timeline = warn');
like($err, qr/cannot be changed now/, 'an analyst cannot set it');
($out, $err) = $standby->as_ann('SELECT dp_noise.accept_timeline()');
like($err, qr/permission denied/, 'nor accept it');
is($standby->recorded, 9, 'nothing was charged');
$standby->safe_psql('postgres', q{SELECT dp_noise.forfeit('people', 'dp_ann', 4)});
is($standby->spent . ' ' . $standby->recorded, '13 13', 'what was lost is written off');
is(spent_in_rho($standby), '2 2, 2 2', 'of what was paid in rho nothing is lost that the standby had');
$standby->safe_psql('postgres', q{SELECT dp_noise.forfeit('flats', 'dp_ann', NULL, 1e-12, rho => 0.00125)});
is(spent_in_rho($standby), '3 3, 3 3', 'the rest is written off in rho, and from the pool');
is($standby->safe_psql('postgres', q{SELECT concat_ws(' ', aggregate, epsilon IS NULL, trim_scale(rho), delta_pool = 1e-12) FROM dp_noise.ledger WHERE population = 'public.flats' ORDER BY at DESC LIMIT 1}), 'forfeited t 0.00125 t', 'and the ledger says so');
$standby->safe_psql('postgres', q{SELECT dp_noise.accept_timeline()});
is(findings($standby), '', 'accepted: check() is silent');
($out) = $standby->as_ann('SELECT ask()');
is($out, 'charged', 'and charges go on');
($out) = $standby->as_ann('SELECT ask_flats()');
is($out . ' ' . spent_in_rho($standby), 'paid 4 4, 4 4', 'in rho, too');
is(warnings_after($standby, 1), 1, 'without another warning');
$standby->restart;
is(findings($standby), '', 'after a restart, too');
$standby->stop;

# a base backup, started as it is: on the same timeline
my $restored = bless PostgreSQL::Test::Cluster->new('restored'), 'LedgerCluster';
$restored->init_from_backup($primary, 'base');
$restored->start;
is($restored->safe_psql('postgres', q{SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)}), '00000001', 'a base backup is started: the timeline is the same');
is($restored->recorded, 3, 'charges are lost');
like(findings($restored), qr/^high\|started from the base backup of /, 'check() says so');
is(warnings_after($restored, 2), 1, 'the log warns, once');
# also where whatever has a replica identity is published
$restored->safe_psql('postgres', q{CREATE PUBLICATION everything FOR ALL TABLES; SELECT dp_noise.accept_timeline(); DROP PUBLICATION everything});
is(findings($restored), '', 'accepted');
$restored->stop;

# a dump, in the place of what there is
$primary->start;
is($primary->recorded, 10, 'the primary is back');
$primary->command_ok([ 'pg_restore', '--clean', '-d', 'postgres', $primary->basedir . '/early.dump' ], 'pg_restore --clean');
is($primary->recorded, 3, 'charges are lost');
is(spent_in_rho($primary), '1 1, 1 1', 'in rho, too');
like(findings($primary), qr/^high\|extension \d+, now \d+$/, 'check() says so');
is(warnings_after($primary, 2), 1, 'the log warns, once');
$primary->safe_psql('postgres', q{SELECT dp_noise.accept_timeline()});
is(findings($primary), '', 'accepted');

# a dump, elsewhere
$primary->safe_psql('postgres', 'CREATE DATABASE elsewhere');
$primary->command_ok([ 'pg_restore', '-d', 'elsewhere', $primary->basedir . '/early.dump' ], 'pg_restore into another database');
like(findings($primary, 'elsewhere'), qr/^high\|database postgres \(\d+\), now elsewhere \(\d+\), extension/, 'check() says so');

# copies
$primary->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE postgres');
like(findings($primary, 'copy'), qr/^high\|database postgres \(\d+\), now copy \(\d+\)$/, 'a copied database has its budgets twice: check() says so');
is(findings($primary), '', 'in the copy');
my $warnings = warnings_after($primary, 0);
is(warnings_after($primary, 2, 'copy'), $warnings + 1, 'the log warns, once');
($out, $err) = $primary->as_ann('SELECT ask()', database => 'copy');
like($err, qr/privacy budgets are not charged/, 'nothing is charged there');
$primary->safe_psql('copy', q{SELECT dp_noise.accept_timeline()});
($out, $err) = $primary->as_ann('SELECT ask()', database => 'copy');
is($err, '', 'but after it was accepted');
$primary->safe_psql('template1', 'CREATE EXTENSION dp_noise');
$primary->safe_psql('postgres', 'CREATE DATABASE fresh');
$primary->safe_psql('fresh', 'CREATE TABLE people (id int); SELECT dp_noise.protect($$people$$, epsilon => 1e13, delta => 1)');
is(findings($primary, 'fresh'), '', 'a template in which nothing was protected has no charges to lose');
is(warnings_after($primary, 0), $warnings + 1, 'and there is no warning');

$primary->stop;
done_testing();
