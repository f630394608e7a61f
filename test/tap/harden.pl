# A hardened server: dp_noise.check() has nothing to say, analysts see no
# statistics, and the tools of ordinary people go on working.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('harden');
$node->init;
$node->append_conf('postgresql.conf', <<'EOC');
shared_preload_libraries = 'pg_stat_statements, dp_noise'
max_worker_processes = 16
autovacuum = off
fsync = off
EOC
$node->start;

sub as
{
	my ($role, $script, %more) = @_;
	my ($out, $err);
	$node->psql($more{database} // 'clinic', $script, extra_params => [ '-U', $role ], stdout => \$out, stderr => \$err, on_error_stop => 0);
	return wantarray ? ($out, $err) : $out . $err;
}

sub program
{
	my (@command) = @_;
	my ($out, $err) = ('', '');
	my $done = IPC::Run::run([ @command, '-h', $node->host, '-p', $node->port ], '>', \$out, '2>', \$err);
	return ($done, $out, $err);
}

sub findings { return $node->safe_psql('clinic', "SELECT concat_ws('|', severity, object, finding) FROM dp_noise.check()") }

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE ann LOGIN; CREATE ROLE bob LOGIN; CREATE DATABASE clinic');
$node->safe_psql('clinic', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE EXTENSION pg_stat_statements;
CREATE SCHEMA clinic AUTHORIZATION owner;
CREATE SCHEMA ann AUTHORIZATION ann;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
SET ROLE owner;
CREATE TABLE clinic.patients (id serial PRIMARY KEY, age integer, name text);
INSERT INTO clinic.patients (age, name) SELECT i % 90, 'name' || i FROM generate_series(1, 777) AS i;
SELECT dp_noise.protect('clinic.patients', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('clinic.patients', on_repeat => 'answer'), dp_noise.set_budget('ann', 'clinic.patients', 1000);
EOS
$node->safe_psql('clinic', 'VACUUM ANALYZE clinic.patients; SELECT pg_stat_force_next_flush()');
as('owner', "SELECT * FROM clinic.patients WHERE name = 'name5'");

# What an analyst learns of a server as it comes.
is(as('ann', "SELECT reltuples FROM pg_class WHERE relname = 'patients'"), '777', 'pg_class tells how many rows there are');
is(as('ann', "SELECT n_live_tup FROM pg_stat_all_tables WHERE relname = 'patients'"), '777', 'so do counters');
isnt(as('ann', "SELECT count(*) FROM pg_stat_statements WHERE userid = 'owner'::regrole AND rows = 1"), '0', 'and how many rows the owner saw');
my $number = as('ann', 'SELECT lo_create(0)');
as('owner', q{CREATE TABLE clinic.letters (x text); ALTER TABLE clinic.letters ALTER x SET STORAGE EXTERNAL; INSERT INTO clinic.letters SELECT repeat('x', 10000) FROM generate_series(1, 100)});
cmp_ok(as('ann', 'SELECT lo_create(0)') - $number, '>', 100, 'and how many long values somebody stored');
as('ann', 'SELECT lo_unlink(oid) FROM pg_largeobject_metadata');
isnt(as('ann', "SELECT pg_current_wal_lsn() - '0/0'"), as('owner', "INSERT INTO clinic.patients (age) VALUES (1)") . as('ann', "SELECT pg_current_wal_lsn() - '0/0'"), 'and when somebody writes');
$node->safe_psql('clinic', 'ALTER SYSTEM SET log_executor_stats = on; SELECT pg_reload_conf()');
my ($out, $err) = as('ann', 'SET client_min_messages = log; SELECT dp_count(*) IS NULL FROM clinic.patients');
like($err, qr/filesystem blocks in/, 'log_executor_stats tells what a question cost');
like(findings(), qr/\Qmedium|setting log_executor_stats|is on\E/, 'and is reported');
$node->safe_psql('clinic', 'ALTER SYSTEM RESET log_executor_stats; SELECT pg_reload_conf()');
$node->safe_psql('clinic', 'ALTER SYSTEM SET max_parallel_workers = 15; SELECT pg_reload_conf()');
like(findings(), qr/^low\|setting max_parallel_workers\|is 15 of 16 max_worker_processes/m, 'parallel queries that leave nothing to the ledger are reported');
$node->safe_psql('clinic', $node->safe_psql('clinic', q{SELECT remedy FROM dp_noise.check() WHERE object = 'setting max_parallel_workers'}));
$node->safe_psql('clinic', 'SELECT pg_reload_conf()');
unlike(findings(), qr/max_parallel_workers/, 'and not once what it says is done');
my $open = findings();
like($open, qr/^high\|pg_hba.conf, line \d+\|method trust/m, 'trust is reported');
like($open, qr/^medium\|.*\|PUBLIC may read what extension pg_stat_statements counts$/m, 'pg_stat_statements is reported');
like($open, qr/^low\|database postgres\|ann may connect/m, 'other databases are reported');
unlike(as('owner', 'SELECT object FROM dp_noise.check()'), qr/pg_hba|ERROR/, 'owners are not told how others log in');

# What DBAs do about it.
my ($done, $dump) = program('pg_dump', '-U', 'owner', '-n', 'clinic', 'clinic');
ok($done, 'an owner can dump tables');
$node->safe_psql('clinic', "SELECT dp_noise.harden(keep => '{owner}')");
$node->safe_psql('clinic', "REVOKE CONNECT ON DATABASE $_ FROM PUBLIC") foreach qw(postgres template1);
like(findings(), qr/^low\|database clinic\|ann may make temporary tables: .*^low\|schema ann\|ann may make objects there: /ms, 'what cannot be hidden from who makes objects is reported');
$node->safe_psql('clinic', 'REVOKE TEMPORARY ON DATABASE clinic FROM PUBLIC; ALTER SCHEMA ann OWNER TO CURRENT_USER; GRANT USAGE ON SCHEMA ann TO ann');
my $system_user = getpwuid($>);
unlink($node->data_dir . '/pg_hba.conf');
$node->append_conf('pg_hba.conf', "local all all peer map=people\n");
$node->append_conf('pg_ident.conf', "people $system_user $_\n") foreach $system_user, qw(owner ann bob);
$node->reload;
is(findings(), '', 'check() of a hardened server is silent');
is(as('owner', 'SELECT count(*) FROM dp_noise.check()'), '0', 'for the owner as well');
is($node->safe_psql('clinic', 'SELECT count(*) FROM dp_noise.harden()'), '0', 'harden() has nothing left to do');

# What an analyst learns now.
like(as('ann', $_), qr/permission denied/, "denied: $_")
	foreach "SELECT reltuples FROM pg_class WHERE relname = 'patients'", 'SELECT * FROM pg_stat_all_tables', 'SELECT * FROM pg_stat_statements', 'SELECT * FROM pg_stat_statements_info',
	'SELECT pg_current_wal_lsn()', 'SELECT lo_create(0)', 'SELECT lo_from_bytea(0, $$x$$)', 'SELECT txid_current()', 'SELECT pg_current_snapshot()', '\dt+', '\l+', '\db+', '\lo_list', "SELECT pg_relation_size('clinic.patients')";
like(as('ann', 'SELECT 1', database => 'postgres'), qr/permission denied for database/, 'no other database');
($out, $err) = as('ann', "SET search_path = clinic, public;\nSELECT abs(dp_count(*) - 778) < 100 FROM patients;\nEXPLAIN SELECT dp_mean(age, 0, 100) FROM patients;\nSELECT granted, spent FROM dp_budget;");
is($err, '', 'questions are answered as before');
like($out, qr/^t\n.*DP Release.*^1000\|2$/ms, 'with their price and budget');
($out, $err) = as('ann', 'COPY clinic.patients TO STDOUT;');
like($err, qr/rows of protected relation "patients" cannot be shown/, 'COPY is denied');

# psql's commands, for somebody without any privilege and for the owner.
foreach my $role (qw(ann owner))
{
	foreach my $command ('\d', '\d clinic.patients', '\d+ clinic.patients', '\d pg_class', '\dt *.*', '\di *.*', '\dv *.*', '\dm', '\ds *.*', '\dS', '\dE', '\dn+', '\df *.*', '\df+ dp_*', '\da dp_*', '\dT+', '\do', '\dC', '\dD',
		'\dp *.*', '\ddp', '\du+', '\dg', '\l', '\db', '\dx', '\dx+', '\dL', '\dy', '\dX', '\dAc', '\dAf', '\dF', '\dO', '\dP', '\drds', '\dRp', '\des', '\det', '\dew', '\deu', '\dconfig', '\sf dp_noise.check', '\sv dp_budget',
		'\conninfo', '\encoding', '\z', 'SELECT * FROM information_schema.tables', 'SELECT * FROM information_schema.columns', 'SELECT * FROM information_schema.role_table_grants',
		'SELECT * FROM information_schema.routines', 'SELECT * FROM information_schema.sequences', 'SELECT * FROM information_schema.views',
		'SELECT c.oid, c.relname, c.relkind, n.nspname, pg_get_userbyid(c.relowner), c.relacl, obj_description(c.oid) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace',
		'SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid WHERE c.relname = $$patients$$',
		'SELECT * FROM pg_tables', 'SELECT * FROM pg_indexes', 'SELECT i.*, pg_get_indexdef(i.indexrelid) FROM pg_index AS i', 'SELECT * FROM pg_settings', 'SELECT c.xmin FROM pg_class AS c')
	{
		my ($stdout, $stderr) = as($role, $command);
		unlike($stderr, qr/ERROR|permission denied/, "$role: $command");
	}
}

# Programs of people who are not superusers.
($done, my $dump_hardened, $err) = program('pg_dump', '-U', 'owner', '-n', 'clinic', 'clinic');
ok($done, 'an owner who keeps statistics can dump tables');
# newer versions of pg_dump write a random word
s/^\\(un)?restrict .*$//mg foreach $dump, $dump_hardened;
s/^778\t.*\n//mg foreach $dump_hardened;
is(length($dump_hardened) > 1000 && $dump_hardened =~ /name777/ ? 'whole' : 'part', 'whole', 'the whole table');
($done, undef, $err) = program('pg_dump', '-U', 'bob', '-n', 'ann', 'clinic');
ok(!$done, 'others cannot dump');
like($err, qr/permission denied for table pg_class/, 'and see why');
($done, undef, $err) = program('vacuumdb', '-U', 'owner', '-t', 'clinic.patients', 'clinic');
ok($done, 'vacuumdb') or diag($err);
($done, undef, $err) = program('reindexdb', '-U', 'owner', '-t', 'clinic.patients', 'clinic');
ok($done, 'reindexdb') or diag($err);
$node->safe_psql('clinic', 'GRANT pg_monitor TO bob');
is(as('bob', "SELECT count(*) FROM pg_stat_all_tables WHERE relname = 'patients'"), '1', 'monitoring goes on');
is(findings(), '', 'and is not reported for somebody without a budget');

# What a dump takes along.
$node->safe_psql($system_user eq 'postgres' ? 'postgres' : 'clinic', 'CREATE DATABASE restored');
($done, my $whole, $err) = program('pg_dump', 'clinic');
ok($done, 'a superuser dumps the database') or diag($err);
like($whole, qr/^REVOKE .*pg_stat_get_live_tuples\(oid\) FROM PUBLIC;$/m, 'with what was revoked');
$node->safe_psql('restored', $whole);
$node->safe_psql('restored', 'CREATE TABLE x (); SELECT dp_noise.accept_timeline()');
like(as('ann', "SELECT reltuples FROM pg_class", database => 'restored'), qr/permission denied/, 'which is revoked in a restored database');
like(as('ann', '\d', database => 'restored'), qr/\bx\b/, 'where psql works');
is($node->safe_psql('restored', q{SELECT object FROM dp_noise.check() WHERE object !~ '^database'}), '', 'and check() finds nothing but other databases');

$node->stop;
done_testing();
