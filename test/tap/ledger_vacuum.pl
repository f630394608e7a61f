# Vacuum at work on the ledger's tables while they are charged: no charge is
# lost or refused, and the row of a hot budget does not bloat its table.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use LedgerCluster;

my $node = LedgerCluster->new('vacuum', <<'EOF');
autovacuum_naptime = 1s
autovacuum_vacuum_threshold = 10
autovacuum_vacuum_scale_factor = 0
autovacuum_vacuum_insert_threshold = 10
autovacuum_vacuum_insert_scale_factor = 0
autovacuum_analyze_threshold = 10
autovacuum_analyze_scale_factor = 0
autovacuum_vacuum_cost_delay = 0
log_autovacuum_min_duration = 0
max_worker_processes = 16
EOF
my ($out, $err);
my $script = $node->basedir . '/ask.sql';

append_to_file($script, "SELECT ask(0.5);\n");

# Four analysts ask for some seconds, while $meanwhile is done again and again.
# The number of answers; any refusal is an error of pgbench.
sub load
{
	my ($name, $seconds, $meanwhile) = @_;
	my $load = IPC::Run::start(
		[ $node->installed_command('pgbench'), '-n', '-c', 4, '-T', $seconds, '-U', 'dp_ann', '-f', $script, '-d', $node->connstr('postgres') ],
		'>', \$out, '2>', \$err);
	my $times = 0;

	while ($meanwhile && $times < 5)
	{
		$meanwhile->();
		$times++;
		usleep($seconds * 100_000);
	}
	ok(IPC::Run::finish($load), "$name: every question is answered") or diag "$out$err";
	unlike($err, qr/ERROR/, "$name: without an error");
	return $out =~ /transactions actually processed: (\d+)/ ? $1 : 0;
}

my $known = 0;

sub all_there
{
	my ($name, $answers) = @_;

	$known += $answers / 2;
	cmp_ok($answers, '>', 100, "$name: many questions");
	is($node->spent . ' ' . $node->recorded, "$known $known", "$name: each is charged, once");
	return;
}

my $statistics = q{SELECT autovacuum_count, n_tup_upd, n_tup_hot_upd FROM pg_stat_all_tables WHERE relid = 'dp_noise_ledger.%s'::regclass};

my $pages = q{SELECT pg_relation_size('dp_noise_ledger.spending') / current_setting('block_size')::int};

# The table of what was spent is pruned: it grows by half of what is written at most.
# Snapshots of other sessions delay that, on a busy machine by some time.
sub pruned
{
	my ($name, $answers, $before) = @_;
	my $now = $node->safe_psql('postgres', $pages);
	my $written = $node->safe_psql('postgres', "SELECT $answers * max(pg_column_size(b)) / current_setting('block_size')::int FROM dp_noise_ledger.spending b");

	cmp_ok($now, '<=', $before + 40 + $written / 2, "$name: $now pages, $before before, and $written written");
	return;
}

# autovacuum
my $answers = load('autovacuum', 5);
all_there('autovacuum', $answers);
# the worker reports what it did at the latest when it ends
ok($node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'}), 'the worker ends');
foreach my $table (qw(spending charge answer))
{
	my ($vacuums) = split /\|/, $node->safe_psql('postgres', sprintf $statistics, $table);
	cmp_ok($vacuums, '>', 0, "autovacuum of $table: $vacuums times");
}
my (undef, $updates, $hot) = split /\|/, $node->safe_psql('postgres', sprintf $statistics, 'spending');
cmp_ok($updates, '>', 50, "budgets were updated $updates times");
cmp_ok($hot, '>=', 0.95 * $updates, "$hot of these updates touched no index");
pruned('autovacuum', $answers, 0);

# with pruning alone
$node->safe_psql('postgres', 'ALTER TABLE dp_noise_ledger.spending SET (autovacuum_enabled = false)');
$answers = load('no autovacuum', 4);
all_there('no autovacuum', $answers);
pruned('no autovacuum', $answers, 0);
$node->safe_psql('postgres', 'ALTER TABLE dp_noise_ledger.spending RESET (autovacuum_enabled)');

# an analyst holds a snapshot: old versions stay as long as he does, not longer
my $holder = $node->session('dp_bob');
$holder->{in} .= "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM dp_budget;\n";
IPC::Run::pump $holder->{run} until $holder->{out} =~ /\d/;
all_there('an old snapshot', load('an old snapshot', 4));
$holder->{in} .= "COMMIT;\n\\q\n";
IPC::Run::finish $holder->{run};
ok($node->wait_until(q{SELECT n_dead_tup < 200 FROM pg_stat_all_tables WHERE relid = 'dp_noise_ledger.spending'::regclass}), 'what it kept is removed');
my $grown = $node->safe_psql('postgres', $pages);
$answers = load('after it', 3);
all_there('after it', $answers);
pruned('after it', $answers, $grown);

# what a DBA does, with stronger locks
my $tables = 'dp_noise_ledger.spending, dp_noise_ledger.budget, dp_noise_ledger.answer, dp_noise_ledger.charge, dp_noise_ledger.member, dp_noise_ledger.population';
$answers = load('by hand', 6,
	sub { $node->safe_psql('postgres', $_) foreach "VACUUM (FULL, ANALYZE) $tables", "VACUUM (FREEZE) $tables", 'REINDEX SCHEMA CONCURRENTLY dp_noise', 'REINDEX SCHEMA dp_noise' });
all_there('by hand', $answers);
pruned('VACUUM FULL', $answers, 0);

my $log = slurp_file($node->logfile);
like($log, qr/automatic vacuum of table "postgres.dp_noise_ledger.spending"/, 'the log tells of autovacuum');
unlike($log, qr/ERROR:  (?!canceling autovacuum task)|WARNING|PANIC|deadlock|terminated by signal/, 'and of nothing odd');

$node->stop;
done_testing();
