# pg_upgrade takes the ledger along: populations, budgets, what was spent, stored
# answers, also those of what was dropped. And a server whose ledger is busy shuts down
# cleanly and soon, which pg_upgrade asks of it.
#
# Takes long: 12 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

# No autovacuum: archive() leaves the charges of its transactions, too, whose functions may ask.
my $old = LedgerCluster->new('old', "autovacuum = off\n");
my ($out, $err);

$old->safe_psql('postgres', <<'EOS');
CREATE ROLE gone LOGIN;
CREATE ROLE team ROLE dp_ann;
CREATE TABLE dropped (id int);
CREATE TABLE renamed (id int, age int);
CREATE TABLE plain (id int);
CREATE TABLE left_alone (id int);
SELECT dp_noise.protect(r, epsilon => 1e6, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'refuse') FROM unnest('{dropped,renamed,left_alone}'::regclass[]) AS r;
SELECT dp_noise.set_bounds('renamed', 'age', -1.5, 1e30);
SELECT dp_noise.set_budget('dp_bob', 'people', 5, 1e-6, 1, '30 days');
SELECT dp_noise.set_budget('dp_bob', 'renamed', 5);
SELECT dp_noise.set_budget('dp_bob', 'dropped', 5);
SELECT dp_noise.set_budget('dp_bob', 'left_alone', 5);
SELECT dp_noise.set_budget('gone', 'people', 5);
SELECT dp_noise.alter_population('people', on_repeat => 'replay'), dp_noise.set_budget('team', 'people', 1000000, shared => true);
SELECT dp_noise.alter_population('people', epsilon => 1000000, delta => 0);

-- in rho, with a pool: one that stays, one of a table to be dropped
CREATE TABLE flats (id int);
CREATE TABLE dropped_flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1), dp_noise.protect('dropped_flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population(t, epsilon => 5, delta => 1e-6, accountant => 'zcdp', delta_pool => 5e-7, on_repeat => 'answer'), dp_noise.set_budget('dp_bob', t, 5, 1e-6)
FROM unnest('{flats,dropped_flats}'::text[]) AS t;
EOS

sub ask
{
	my ($node, $role, $relation, $question, $answer) = @_;

	$node->psql('postgres', "SELECT replayed, encode(answered, 'escape') FROM dp_noise.charge('$relation', 0.5, 0, '$question', '$answer')",
		stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ]);
	return $out;
}

is(ask($old, 'dp_bob', $_, 'q', 'an answer'), 'f|', "before, about $_") foreach qw(people renamed dropped left_alone);
is(ask($old, 'gone', 'people', 'q2', 'an answer'), 'f|', 'before, of a role to be dropped');
is(ask($old, 'gone', 'people', 'q', 'another'), 'f|an answer', 'and what another role was told, for a price');

# What costs rho 1/8, 1e-7 from the pool, and has no epsilon.
sub pay
{
	my ($node, $role, $relation) = @_;

	$node->psql('postgres', "SELECT replayed FROM dp_noise.charge('$relation', NULL, 1e-7, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea, NULL, 0.125, 1e-7)",
		stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ]);
	return $out;
}

is(pay($old, 'dp_bob', $_), 'f', "before, in rho, about $_") foreach qw(flats dropped_flats);
$old->safe_psql('postgres', <<'EOS');
DROP TABLE dropped_flats;
SELECT dp_noise.unprotect('left_alone');
DROP TABLE dropped;
DROP ROLE gone;
ALTER TABLE renamed RENAME TO "New name";
ALTER ROLE dp_bob RENAME TO "New bob";
SELECT dp_noise.set_budget('"New bob"', 'people', 5, 1e-6, 1, '30 days'), dp_noise.set_budget('"New bob"', 'public.flats', 5, 1e-6), dp_noise.set_budget('"New bob"', 'public.dropped_flats', 5, 1e-6);
SELECT dp_noise.set_budget('"New bob"', p, 5) FROM unnest('{public.renamed,public.dropped,public.left_alone}'::text[]) AS p;
EOS

# Some ask all the time while the server is told to stop.
sub stop_while_busy
{
	my ($mode, $seconds) = @_;
	my @clients = map { $old->session('dp_ann') } 1 .. 4;

	foreach my $client (@clients)
	{
		$client->{in} = "SELECT ask();\n" x 20_000;
		IPC::Run::pump $client->{run} until $client->{out} =~ /charged\n/;
	}
	cmp_ok($old->worker, '>', 0, "$mode: the ledger worker is busy");
	my $start = time;
	$old->stop($mode);
	cmp_ok(time - $start, '<', $seconds, "$mode: the server stops in time");
	my $confirmed = 0;
	foreach my $client (@clients)
	{
		eval { IPC::Run::finish $client->{run} };
		$confirmed += () = $client->{out} =~ /charged/g;
	}
	like((run_command([ 'pg_controldata', $old->data_dir ]))[0], qr/^Database cluster state: +shut down$/m, "$mode: cleanly");
	return $confirmed;
}

my $confirmed = stop_while_busy('fast', 50);
$old->start;
cmp_ok($old->recorded, '>=', $confirmed, 'all that was answered is in the ledger');

# smart: when the last client has left, the worker is no reason to wait
($out) = $old->as_ann('SELECT ask()');
is($out, 'charged', 'smart: the ledger worker has just worked');
my $start = time;
$old->stop('smart');
cmp_ok(time - $start, '<', 50, 'smart: the server stops in time');
$old->start;

my %state = (
	budgets => q{SELECT role, population, shared, epsilon, delta, epsilon_spent, delta_spent, max_epsilon_per_query, period, refills_at,
		rho, rho_spent, rho_left, delta_pool FROM dp_noise.budgets ORDER BY population, role},
	populations => q{SELECT * FROM dp_noise.populations ORDER BY population},
	ledger  => q{SELECT * FROM dp_noise.ledger ORDER BY at, fingerprint},
	bounds  => q{SELECT * FROM dp_noise_ledger.column_bounds ORDER BY 1, 2},
	map { $_ => "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM dp_noise_ledger.$_ AS t" }
	  qw(population allowance member budget spending charge charge_archive answer));
my $spent = $old->spent;
my $before_last = $old->safe_psql('postgres', 'SELECT clock_timestamp()');

($out) = $old->as_ann('SELECT ask()');
is($out, 'charged', 'the ledger works to the last');
$spent++;
cmp_ok($old->safe_psql('postgres', qq{SELECT dp_noise.archive('$before_last')}), '>', 0, 'some of it is archived');
my $seal = $old->safe_psql('postgres', 'SELECT dp_noise.present_seal()');
my %before = map { $_ => $old->safe_psql('postgres', $state{$_}) } keys %state;
$old->stop; # with a worker

my $new = bless PostgreSQL::Test::Cluster->new('new'), 'LedgerCluster';
$new->init(auth_extra => []);
$new->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
my $bindir = $old->config_data('--bindir');
my ($old_dir, $new_dir) = ($old->data_dir, $new->data_dir);
chdir $old->basedir or die "could not change directory: $!"; # where it leaves its files
ok(IPC::Run::run(
		[ 'pg_upgrade', '--no-sync', '-d', $old_dir, '-D', $new_dir, '-b', $bindir, '-B', $bindir,
			'-s', $new->host, '-p', $old->port, '-P', $new->port ],
		'>', \$out, '2>', \$err), 'pg_upgrade')
  or diag "$out$err";
$new->start;

is($new->safe_psql('postgres', $state{$_}), $before{$_}, "the same $_") foreach sort keys %state;
is($new->spent, $spent, 'what was spent is spent');
is($new->safe_psql('postgres', 'SELECT dp_noise.present_seal()'), $seal, 'the database has its seal');
($out) = $new->as_ann('SELECT ask()');
is($out, 'charged', 'the ledger goes on');
is($new->spent, $spent + 1, 'from where it was');
is(ask($new, 'New bob', 'people', 'q', 'another'), 't|an answer', 'a stored answer is replayed');
ask($new, 'New bob', '"New name"', 'q', 'another');
like($err, qr/this question about "New name" was answered before/, 'a question is still asked, of a table renamed, by a role renamed');
is(ask($new, 'New bob', '"New name"', 'r', 'another'), 'f|', 'another is charged');

# (5, 1e-6), half of it for the pool, is worth 0.44: three times 1/8
my $in_rho = q{SELECT string_agg(concat_ws(' ', coalesce(role, 'all'), accountant, trim_scale(b.rho_spent), trim_scale(b.delta_spent)), ', ' ORDER BY role) FROM dp_noise.budgets AS b JOIN dp_noise.populations AS p USING (population) WHERE population = 'public.%s'};
is(pay($new, 'New bob', 'flats'), 'f', 'in rho it goes on') foreach 1, 2;
is(pay($new, 'New bob', 'flats'), '', 'to the last');
like($err, qr/asks for rho 0\.125; \S.* has 0\.066\d+ left/, 'as it is said');
is($new->safe_psql('postgres', sprintf $in_rho, 'flats'), 'New bob zcdp 0.375 0.0000003, all zcdp 0.375 0.0000003', 'rho and pool are spent, of the role and of all');
$new->psql('postgres', q{SELECT dp_noise.alter_population('flats', accountant => 'pure', delta_pool => 0)}, stderr => \$err);
like($err, qr/has no finite epsilon/, 'which is still known to have no epsilon');

# others of the names that there were
$new->safe_psql('postgres', 'CREATE ROLE gone LOGIN; CREATE TABLE dropped (id int); CREATE TABLE renamed (id int)');
ask($new, 'gone', 'people', 'r', 'an answer');
like($err, qr/role "gone" has no privacy budget/, 'a role of the name of a dropped one has no budget');
foreach my $table (qw(dropped renamed plain left_alone))
{
	ask($new, 'New bob', $table, 'r', 'an answer');
	like($err, qr/not protected/, "nor has the table $table");
}
$new->safe_psql('postgres', q{SELECT dp_noise.set_budget('gone', 'people', 2)});
is($new->safe_psql('postgres', q{SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'gone'}), '0', 'and is somebody new');

# once more by dump, from the new server
$new->command_ok([ 'pg_dump', '-Fc', '-f', $new->basedir . '/dump', 'postgres' ], 'pg_dump of the new server');
$new->safe_psql('postgres', 'CREATE DATABASE restored');
$new->command_ok([ 'pg_restore', '-e', '-d', 'restored', $new->basedir . '/dump' ], 'and a restore');
$new->safe_psql($_, q{SELECT dp_noise.protect(r) FROM unnest('{left_alone,dropped}'::regclass[]) AS r}) foreach qw(postgres restored);
is($new->safe_psql('restored', $state{budgets}), $new->safe_psql('postgres', $state{budgets}), 'the same budgets');
is($new->safe_psql($_, q{SELECT string_agg(concat_ws(' ', trim_scale(epsilon_spent), members), ', ' ORDER BY population) FROM dp_noise.populations WHERE population IN ('public.left_alone', 'public.dropped')}),
	'0.5 {dropped}, 0.5 {left_alone}', "$_: protected again, a table that was not, and one of a name, go on from what was spent") foreach qw(postgres restored);
foreach my $database (qw(postgres restored))
{
	$new->safe_psql($database, q{CREATE TABLE dropped_flats (id int); SELECT dp_noise.protect('dropped_flats')});
	is($new->safe_psql($database, sprintf $in_rho, 'dropped_flats'), 'New bob zcdp 0.125 0.0000001, all zcdp 0.125 0.0000001', "$database: so does one in rho");
}

$new->stop;
done_testing();
