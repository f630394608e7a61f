# Archived charges: dumps contain them, wherever they are restored, and an archive
# goes on from there; charges and readers do not wait for one that is at work, and
# another one does.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('archive', "autovacuum = off\n");
my ($out, $err);

$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION dp_noise.archive(timestamptz) TO dp_bob');
($out, $err) = $node->as_ann('SELECT count(*) FROM generate_series(1, 20) WHERE ask() = $$charged$$');
is($out, '20', 'charges');
$node->safe_psql('postgres', q{UPDATE dp_noise_ledger.charge SET at = timestamptz '2024-12-31 22:00+00' + (charge_id - 10) * interval '1 hour'});
is($node->safe_psql('postgres', q{SELECT dp_noise.archive('2025-01-01 05:00+00')}), '16', 'are archived, of two years');

my $ledger = q{SELECT * FROM dp_noise.ledger ORDER BY at};
my $parts = q{SELECT t::regclass, count(*) FROM (SELECT tableoid FROM dp_noise_ledger.charge UNION ALL SELECT tableoid FROM dp_noise_ledger.charge_archive) AS c (t) GROUP BY t ORDER BY t::regclass::text};
my $spent = q{SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'dp_ann'};
my $before = $node->safe_psql('postgres', $ledger);
is($node->safe_psql('postgres', $parts), "dp_noise_ledger.charge|4\ndp_noise_ledger.charge_2024|11\ndp_noise_ledger.charge_2025|5", 'parts');

my $dump = $node->basedir . '/archive.dump';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', 'postgres' ], 'pg_dump');
foreach my $jobs (1, 2)
{
	my $db = "restored$jobs";

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->command_ok([ 'pg_restore', '-e', '-j', $jobs, '-d', $db, $dump ], "pg_restore -j $jobs");
	is($node->safe_psql($db, $ledger), $before, 'the same ledger');
	is($node->safe_psql($db, $spent), '20', 'as much is spent');
	is($node->safe_psql($db, q{SELECT dp_noise.archive('2025-01-01 07:00+00')}), '2', 'the archive goes on');
	is($node->safe_psql($db, $parts), "dp_noise_ledger.charge|2\ndp_noise_ledger.charge_2024|11\ndp_noise_ledger.charge_2025|7", 'in the parts that it has');
	is($node->safe_psql($db, $ledger), $before, 'the same ledger');
	($out, $err) = $node->as_ann('SELECT count(*) FROM dp_history', database => $db);
	is($out, '20', 'the same history');
}
$node->command_ok([ 'pg_restore', '-e', '--clean', '-d', 'restored2', $dump ], 'pg_restore --clean');
is($node->safe_psql('restored2', $ledger), $before, 'the same ledger');
is($node->safe_psql('restored2', q{BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; COMMIT; SELECT count(*) FROM pg_class WHERE relname ~ '^charge'}) =~ /0$/, 1, 'the archive goes with the extension');

# An archive that is open, and all others.
my $archivist = $node->session('dp_bob');
$archivist->{in} .= "BEGIN; SELECT 'moved ' || dp_noise.archive('2025-01-02');\n";
IPC::Run::pump $archivist->{run} until $archivist->{out} =~ /moved 4\n/;
my $limit = "SET statement_timeout = '60 s'; ";
($out, $err) = $node->as_ann($limit . 'SELECT ask(); SELECT count(*) FROM dp_history');
is($out, "charged\n21", 'others are charged, and read their history') or diag $err;
is($node->safe_psql('postgres', $limit . 'SELECT count(*) FROM dp_noise.ledger'), '21', 'owners read the ledger');
my $second = $node->session('dp_bob');
$second->{in} .= "SELECT 'moved ' || dp_noise.archive('2025-01-02');\n";
IPC::Run::pump_nb $second->{run};
ok($node->wait_until(q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'dp_noise_ledger.charge_archive'::regclass}), 'another archive waits');
$archivist->{in} .= "COMMIT;\n\\q\n";
IPC::Run::finish $archivist->{run};
IPC::Run::pump $second->{run} until $second->{out} =~ /moved/;
is($second->{out}, "moved 0\n", 'and moves nothing twice');
$second->{in} .= "\\q\n";
IPC::Run::finish $second->{run};
is($node->safe_psql('postgres', $parts), "dp_noise_ledger.charge|1\ndp_noise_ledger.charge_2024|11\ndp_noise_ledger.charge_2025|9", 'all are there, once');
is($node->safe_psql('postgres', $spent), '21', 'budgets and ledger agree');

$node->stop;
done_testing();
