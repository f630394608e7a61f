# The ledger worker comes and goes: no slot or library for it, idle exits,
# databases dropped, copied and closed, standbys.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('workers', "dp_noise.ledger_slots = 1\nwal_level = replica\n",
	allows_streaming => 1);
my ($out, $err);

# idle exit
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', 1000000)});
($out) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'the first charge starts the worker');
my $worker = $node->worker;
cmp_ok($worker, '>', 0, 'it is there');
($out) = $node->as_ann('SELECT ask()');
is($node->worker, $worker, 'and stays while there is something to do');
usleep(3_000_000);
is($node->worker, 0, 'and ends when there is nothing');
($out) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'another one takes over');

# DROP DATABASE, CREATE DATABASE ... TEMPLATE: at once after a charge
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->make_ledger('other');
($out) = $node->as_ann('SELECT ask()', database => 'other');
is($out, 'charged', 'two databases at once');
my $start = time;
$node->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE other');
cmp_ok(time - $start, '<', 30, 'CREATE DATABASE TEMPLATE right after a charge');
is($node->spent('copied'), 1, 'the copy has what was spent');
$node->safe_psql('copied', q{SELECT dp_noise.accept_timeline()});
($out) = $node->as_ann('SELECT ask()', database => 'copied');
is($out, 'charged', 'and goes on from there');
is($node->spent('copied') . $node->spent('other'), '21', 'on its own');
$start = time;
$node->safe_psql('postgres', 'DROP DATABASE copied');
cmp_ok(time - $start, '<', 30, 'DROP DATABASE right after a charge');
($out) = $node->as_ann('SELECT ask()', database => 'other');
$node->safe_psql('postgres', 'DROP DATABASE other WITH (FORCE)');
ok(1, 'DROP DATABASE FORCE while the worker runs');

# ALLOW_CONNECTIONS false: those who are there go on
$node->safe_psql('postgres', 'CREATE DATABASE closed');
$node->make_ledger('closed');
my $session = $node->session('dp_ann', 'closed');
$session->{in} .= "SELECT 'ready';\n";
IPC::Run::pump $session->{run} until $session->{out} =~ /ready/;
$node->safe_psql('postgres', 'ALTER DATABASE closed ALLOW_CONNECTIONS false CONNECTION LIMIT 0');
$session->{in} .= "SELECT ask();\n\\q\n";
IPC::Run::finish $session->{run};
like($session->{out}, qr/charged/, 'a database closed to new connections');
$node->safe_psql('postgres', 'DROP DATABASE closed WITH (FORCE)');

# one slot: taken by somebody who waits
my $holder = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
$holder->{in} .= "BEGIN; SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1); SELECT 'held';\n";
IPC::Run::pump $holder->{run} until $holder->{out} =~ /held/;
$session = $node->session('dp_ann');
$session->{in} .= "SELECT ask();\n\\q\n";
IPC::Run::pump_nb $session->{run};
ok($node->wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'dp_ann' AND query LIKE 'SELECT ask%' AND wait_event_type = 'Extension'}), 'the only slot is taken');
($out, $err) = $node->as_ann("\\set VERBOSITY verbose\nSELECT ask()");
like($err, qr/53000: too many statements wait for the ledger/, 'no slot: refused');
like($err, qr/HINT:  Try again, or set dp_noise.ledger_slots higher/, 'with a hint');
# the session that holds the budgets cannot charge, and does not hang
$holder->{in} .= "COMMIT;\n\\q\n";
IPC::Run::finish $holder->{run};
IPC::Run::finish $session->{run};
$start = time;
$node->psql('postgres', "BEGIN; SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1); SELECT ask();", stderr => \$err, on_error_stop => 0);
like($err, qr/locked by another transaction/, 'who holds the budgets and charges is refused');
cmp_ok(time - $start, '<', 30, 'soon');

# a standby refuses
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$standby->psql('postgres', "\\set VERBOSITY verbose\nSELECT dp_noise.charge('people', 1, 0, 'q')", stderr => \$err);
like($err, qr/55000: privacy budgets cannot be charged on a standby/, 'a standby refuses');
like($err, qr/HINT:  Ask the primary server. A standby repeats what was answered there/, 'with a hint');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.budgets}), 2, 'but shows the budgets');
$standby->promote;
$standby->psql('postgres', 'SELECT ask()', stdout => \$out, extra_params => [ '-U', 'dp_ann' ]);
is($out, 'charged', 'promoted, it charges');
$standby->stop('immediate');

# not preloaded
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
$node->psql('postgres', "\\set VERBOSITY verbose\nSELECT dp_noise.charge('people', 1, 0, 'q')", stderr => \$err);
like($err, qr/55000: dp_noise is not preloaded/, 'not preloaded: refused');
like($err, qr/HINT:  Add dp_noise to shared_preload_libraries and restart the server/, 'with a hint');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.budgets}), 2, 'but the budgets can be read');

$node->stop;
done_testing();
