# A standby's worker remembers nothing of what it has read: promoted, it reads the
# budgets anew, also where the last thing that it did there has failed, and what
# was charged on the primary meanwhile is counted.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use LedgerSteps;

my $primary = LedgerCluster->new('primary', '', allows_streaming => 1);
my $spent = q{SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role IS NULL};

$primary->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', epsilon => 1000, delta => 0)});
$primary->use_library('steps');
$primary->backup('base');
my $standby = bless PostgreSQL::Test::Cluster->new('standby'), 'LedgerSteps';
$standby->init_from_backup($primary, 'base', has_streaming => 1);
mkdir $standby->steps or die "could not make the directory of the steps: $!";
$standby->start;
$primary->as_ann('SELECT ask()');
$primary->wait_for_catchup('standby', 'replay', $primary->lsn('insert'));
is($standby->safe_psql('postgres', $spent), '1', 'the standby has the first charge');

# its worker has read the budgets, and is cancelled
my $session = $standby->session('dp_ann');
$session->{in} .= "EXPLAIN SELECT dp_count(*) FROM people;\n";
IPC::Run::pump $session->{run} until $session->{out} =~ /Total Delta/;
$session->{out} = '';
$standby->stop_at('budgets-locked');
$session->{in} .= "EXPLAIN SELECT dp_count(*) FROM people;\n";
IPC::Run::pump_nb $session->{run};
my $worker = $standby->reached('budgets-locked');
ok($worker, 'the worker has read the budgets');
is(kill('INT', $worker), 1, 'and is cancelled');
$standby->stop_at('slot-done');
$standby->pass('budgets-locked');
is($standby->reached('slot-done'), $worker, 'so the batch ends');
IPC::Run::pump $session->{run} until $session->{out} =~ /Reason/;
like($session->{out}, qr/Reason: .*canceling statement/, 'with an error');

# meanwhile the primary charges, and the standby takes its place
$primary->as_ann('SELECT ask()') foreach 1 .. 5;
$primary->wait_for_catchup('standby', 'replay', $primary->lsn('insert'));
$primary->stop;
$standby->promote;
$session->{out} = '';
$session->{in} .= "SELECT ask();\n";
IPC::Run::pump_nb $session->{run};
ok($standby->wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'dp_ann' AND query LIKE 'SELECT ask%' AND state = 'active'}), 'somebody asks it');
$standby->pass('slot-done');
IPC::Run::pump $session->{run} until "$session->{out}$session->{err}" =~ /charged/;
is($standby->worker, $worker, 'it has the same worker');
is($standby->safe_psql('postgres', $spent), '7', 'all charges are counted');
$session->{in} .= "\\q\n";
IPC::Run::finish $session->{run};

$standby->stop;
done_testing;
