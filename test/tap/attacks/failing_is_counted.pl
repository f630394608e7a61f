# The class of attacks: to learn from whether a question fails, for next to nothing.
#
# That is charged, but what a failure tells is no answer with noise: 40 people's
# bits were read for an epsilon of 0.00016 in all, by questions that ran out of
# memory at a sharp number of rows. So failures that may depend on rows are
# counted with their charge, and after a few the role may not ask any more, until
# the owner says so. Cancellations and timeouts tell no more than how long a
# question takes, and do not count. What a process may need of memory is looked for
# before the charge, so that one that has less is refused whatever the rows.
#
# Takes long: 17 seconds of processor time without its servers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../lib";

use IPC::Run;
use LedgerSteps;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = LedgerSteps->new('counted', "autovacuum = off\nfsync = off\nmax_parallel_workers_per_gather = 0\n");
my $lines = $node->basedir . '/lines';
append_to_file($lines, "1\n2\n");

$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE ROLE dp_eve LOGIN;
CREATE ROLE counted_team ROLE dp_bob, dp_eve;
CREATE ROLE counted_owner LOGIN;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE filed (x integer) SERVER files OPTIONS (filename '$lines');
CREATE FOREIGN TABLE other (x integer) SERVER files OPTIONS (filename '$lines');
CREATE TABLE patients AS SELECT i AS vid, i / 2 AS person, i % 1000 AS x, i % 3 = 0 AS b, repeat('x', 400) || i / 3 AS name FROM generate_series(1, 100000) AS i;
CREATE TABLE visits (vid integer);
ALTER TABLE visits OWNER TO counted_owner;
SELECT dp_noise.protect('filed', epsilon => 1e6, delta => 1), dp_noise.protect('other', epsilon => 1e6, delta => 1), dp_noise.protect('patients', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', r::text, 1000000, delta => 1) FROM unnest('{filed,other,patients}'::regclass[]) AS r;
EOS

# A role's failures, and the grant's.
sub failures
{
	my ($role, $relation) = @_;

	return $node->safe_psql('postgres', "SELECT string_agg(failures::text, ' ' ORDER BY role) FROM dp_noise.budgets WHERE population = 'public.$relation' AND (role = '$role' OR role IS NULL)");
}

sub charges
{
	my $relation = shift;

	return $node->safe_psql('postgres', "SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.$relation'");
}

sub ask
{
	my ($role, $question) = @_;
	my ($out, $err);

	$node->psql('postgres', "\\set VERBOSITY verbose\n$question", stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0);
	return "$out$err";
}

my $unreadable = qr/ERROR:  22000: the protected relation could not be read/;
my $too_many = qr/ERROR:  53400: too many questions about "(?:filed|other)" have failed\nDETAIL:  3 failed in a way that may depend on rows; your budget allows 3\.\nHINT:  Nothing was charged\. Ask the owner/;

# an answer, and then a line that fails
my $answer = ask('dp_ann', 'SELECT dp_count(*) FROM filed');
like($answer, qr/^-?\d+$/, 'an answer');
is(failures('dp_ann', 'filed'), '0 0', 'is no failure');
append_to_file($lines, "secret\n");
foreach my $time (1 .. 3)
{
	like(ask('dp_ann', "SELECT dp_count(*) FROM filed WHERE x > -$time"), $unreadable, 'a failure');
	is(failures('dp_ann', 'filed'), "$time $time", 'is counted');
	is(charges('filed'), 1 + $time, 'with its charge');
}
like(ask('dp_ann', 'SELECT dp_count(*) FROM filed WHERE x > -4'), $too_many, 'then nothing more is answered');
is(charges('filed'), 4, 'nor charged');
is(failures('dp_ann', 'filed'), '3 3', 'nor counted');
is(ask('dp_ann', 'SELECT dp_count(*) FROM filed'), $answer, 'but for what is stored');
like(ask('dp_ann', 'EXPLAIN SELECT dp_count(*) FROM filed WHERE x > -4'), qr/Answer: refused: too many failures/, 'as EXPLAIN says');
is(ask('dp_ann', q{SELECT failures, max_failures, queries_left FROM dp_budget WHERE population = 'public.filed'}), '3|3|0', 'and dp_budget');
is($node->safe_psql('postgres', q{SELECT severity || ': ' || object || ': ' || finding FROM dp_noise.check() WHERE remedy LIKE '%forgive%'}),
	q{medium: role dp_ann: 3 of its questions about population 'public.filed' failed in ways that may depend on rows; it may not ask any more}, 'and check()');
like(slurp_file($node->logfile), qr/LOG:  a question of role "dp_ann" about population "public\.filed" is counted as failed/, 'the log names them');
unlike(ask('dp_ann', 'SELECT dp_count(*) FROM other WHERE x > 7'), $too_many, 'another table is another budget');
is(failures('dp_ann', 'other'), '1 1', 'which counts by itself');

# within a transaction, behind savepoints: the worker counts
like(ask('dp_ann', 'BEGIN; SAVEPOINT s; SELECT dp_count(*) FROM other; ROLLBACK TO s; ROLLBACK'), $unreadable, 'a failure that is rolled back');
is(failures('dp_ann', 'other'), '2 2', 'counts all the same');
like(ask('dp_ann', 'DO $$ BEGIN PERFORM dp_count(*) FROM other WHERE x > -1; EXCEPTION WHEN OTHERS THEN RAISE NOTICE $s$caught$s$; END $$'), qr/caught/, 'and one that is caught');
is(failures('dp_ann', 'other'), '3 3', 'as well');

# it lasts: a crash, a new budget, no budget for a while
$node->kill9;
my $up = 0;
for (1 .. 100)
{
	undef $node->{_pid};
	last if $up = $node->start(fail_ok => 1);
	usleep(100_000);
}
ok($up, 'the server is up again');
$node->safe_psql('postgres', q{SELECT dp_noise.drop_budget('dp_ann', 'other'); SELECT dp_noise.set_budget('dp_ann', 'other', 1000000, period => '1 s')});
usleep(1_100_000);
like(ask('dp_ann', 'SELECT dp_count(*) FROM other WHERE x > -2'), $too_many, 'failures outlast crashes, periods and budgets');

# the owner forgives, and nobody else
like(ask('dp_ann', q{SELECT dp_noise.forgive('dp_ann', 'other')}), qr/ERROR:  42501: must be owner of population public\.other/, 'an analyst may not forgive');
like(ask('counted_owner', q{SELECT dp_noise.forgive('dp_ann', 'other')}), qr/ERROR:  42501: must be owner of population public\.other/, 'nor may the owner of something else');
is(($node->psql('postgres', q{SELECT dp_noise.forgive('counted_team', 'other')}))[0], 3, 'there must be a budget');
$node->safe_psql('postgres', q{SELECT dp_noise.forgive('dp_ann', 'other')});
is(failures('dp_ann', 'other'), '0 3', 'forgiven');
like(ask('dp_ann', 'SELECT dp_count(*) FROM other WHERE x > -2'), $unreadable, 'the role may ask again');
is(failures('dp_ann', 'other'), '1 4', 'and is counted again');
$node->safe_psql('postgres', q{SELECT dp_noise.forgive(NULL, 'other')});
is(failures('dp_ann', 'other'), '1 0', 'the total can be forgiven, too');

# how many there may be
like(($node->psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', 'other', 1000, max_failures => 0)}))[2], qr/max_failures must be at least 1/, 'no less than one');
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', 'other', 1000, max_failures => 1)});
like(ask('dp_ann', 'SELECT dp_count(*) FROM other WHERE x > -3'), qr/your budget allows 1/, 'one');
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', 'other', 1000, max_failures => NULL)});
like(ask('dp_ann', "SELECT dp_count(*) FROM other WHERE x > -$_"), $unreadable, 'no limit') foreach 4 .. 8;

# a group shares a budget, and its failures; the total stops nobody
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('counted_team', 'filed', 1000, shared => true), dp_noise.set_budget('dp_eve', 'filed', 1000), dp_noise.alter_population('filed', epsilon => 1e6, delta => 0)});
like(ask('dp_bob', "SELECT dp_count(*) FROM filed WHERE x > $_"), $unreadable, 'a member fails') foreach 1 .. 2;
is(failures('dp_eve', 'filed'), '0 5', 'not the budget of another member counts');
is(failures('counted_team', 'filed'), '2 5', 'but that of the group');
like(ask('dp_eve', 'SELECT dp_count(*) FROM filed WHERE x > 3'), $unreadable, 'another member fails');
is(failures('dp_eve', 'filed') . failures('counted_team', 'filed'), '1 63 6', 'whose own budget counts, too');
like(ask('dp_bob', 'SELECT dp_count(*) FROM filed WHERE x > 4'), qr/3 failed in a way that may depend on rows; a shared budget allows 3/, 'and then none may ask');

# A question that is stopped behind its charge.
sub ask_and_stop
{
	my ($question, $before) = @_;
	my $session = $node->session('dp_ann');

	$session->{in} .= $before // '';
	$node->stop_at('charged');
	$session->{in} .= "$question;\n";
	IPC::Run::pump_nb $session->{run};
	$session->{pid} = $node->reached('charged') // die "not charged: $session->{err}";
	return $session;
}

sub go_on
{
	my $session = shift;

	$node->pass('charged');
	$session->{in} .= "\\q\n";
	eval { IPC::Run::finish $session->{run} };
	return "$session->{out}$session->{err}";
}

# what does not count
my $session = ask_and_stop('SELECT dp_count(*) FROM patients WHERE vid > 1');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($session->{pid})");
like(go_on($session), qr/canceling statement due to user request/, 'a cancellation');
$session = ask_and_stop('SELECT dp_count(*) FROM patients WHERE vid > 2', "SET statement_timeout = 200;\n");
usleep(400_000);
like(go_on($session), qr/canceling statement due to statement timeout/, 'a timeout');
$session = ask_and_stop('SELECT dp_count(*) FROM patients WHERE vid > 3');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($session->{pid})");
like(go_on($session), qr/terminating connection/, 'an end');
is(failures('dp_ann', 'patients'), '0 0', 'are no failures');

# Whoever cancels or ends the session while its failure is told changes nothing.
foreach my $end (qw(cancel terminate))
{
	my $before = (split / /, failures('dp_ann', 'other'))[0];

	$session = ask_and_stop("SELECT dp_count(*) FROM other WHERE x > 10 AND '$end' = '$end'");
	$node->stop_at('budgets-locked');
	$node->pass('charged');
	ok($node->reached('budgets-locked'), 'the failure is told');
	$node->safe_psql('postgres', "SELECT pg_${end}_backend($session->{pid})");
	usleep(50_000);
	$node->pass('budgets-locked');
	go_on($session);
	ok($node->wait_until("SELECT failures = $before + 1 FROM dp_noise.budgets WHERE role = 'dp_ann' AND population = 'public.other'"), "and counted, whatever $end says");
}

# A worker that ends before it has counted leaves the failure to the next one.
{
	my $before = (split / /, failures('dp_ann', 'other'))[0];

	$session = ask_and_stop('SELECT dp_count(*) FROM other WHERE x > 11');
	$node->stop_at('worker-begins');
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
	$node->pass('charged');
	ok($node->reached('worker-begins'), 'a worker is started for the failure');
	$node->pass('worker-begins');
	like(go_on($session), qr/could not be read/, 'the question failed');
	is((split / /, failures('dp_ann', 'other'))[0], $before + 1, 'and is counted');
}

# A statement about several owners' tables counts for all of them, or is not told.
$node->safe_psql('postgres', q{SET ROLE counted_owner; SELECT dp_noise.protect('visits', epsilon => 1e6, delta => 1); SELECT dp_noise.set_budget('dp_ann', 'visits', 1000)});
{
	my $before = (split / /, failures('dp_ann', 'other'))[0];
	my $owner = $node->session('counted_owner');

	$session = ask_and_stop('SELECT (SELECT dp_count(*) FROM other WHERE x > 12), (SELECT dp_count(*) FROM visits)');
	$owner->{in} .= "BEGIN; SELECT dp_noise.set_budget('dp_ann', 'visits', 2000); SELECT 'set';\n";
	IPC::Run::pump $owner->{run} until $owner->{out} =~ /set/;
	$node->pass('charged');
	ok($node->wait_until("SELECT wait_event = 'Extension' FROM pg_stat_activity WHERE pid = $session->{pid}"), 'a failure waits for an owner');
	is((split / /, failures('dp_ann', 'other'))[0], $before, 'and is not counted for the other one');
	$owner->{in} .= "COMMIT;\n\\q\n";
	IPC::Run::finish $owner->{run};
	like(go_on($session), qr/could not be read/, 'the question failed');
	is((split / /, failures('dp_ann', 'other'))[0], $before + 1, 'and counts for one');
	is(failures('dp_ann', 'visits'), '1 1', 'and for the other');
}

# Whoever leaves a group between the charge and the failure leaves no failure
# uncounted: where the budgets that paid no longer do, neither an answer nor a
# failure is told.
$node->safe_psql('postgres', <<"EOS");
CREATE ROLE counted_club;
CREATE ROLE counted_lead LOGIN;
GRANT counted_club TO counted_lead WITH ADMIN OPTION;
SET ROLE counted_lead;
GRANT counted_club TO dp_ann;
RESET ROLE;
CREATE FOREIGN TABLE broken (x integer) SERVER files OPTIONS (filename '$lines');
CREATE TABLE whole AS SELECT 1 AS x;
SELECT dp_noise.protect('broken', epsilon => 1e6, delta => 1), dp_noise.protect('whole', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('counted_club', r, 1000, shared => true) FROM unnest('{broken,whole}'::text[]) AS r;
EOS
foreach my $has_own (0, 1)
{
	my %heard;

	if ($has_own)
	{
		$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', r, 1000, max_failures => NULL) FROM unnest('{broken,whole}'::text[]) AS r});
	}
	foreach my $relation (qw(broken whole))
	{
		my $before = (split / /, failures('counted_club', $relation))[0];

		$session = ask_and_stop("SELECT dp_count(*) FROM $relation WHERE x > -$has_own");
		like(ask('counted_lead', 'REVOKE counted_club FROM dp_ann'), qr/^$/, 'whoever asks leaves the group that has paid');
		$heard{$relation} = go_on($session) =~ s/$relation//gr;
		ask('counted_lead', 'GRANT counted_club TO dp_ann');
		is((split / /, failures('counted_club', $relation))[0], $before, 'which counts no failure then');
	}
	like($heard{broken}, qr/ERROR:  the population or role that a question was charged to has been changed meanwhile/, 'nor is one told' . ($has_own ? ', with a budget of one\'s own, too' : ''));
	is($heard{whole}, $heard{broken}, 'and an answer is not told either');
}

# Whether the state of a group fits the type that another session has changed
# meanwhile shows whether the group has rows.
{
	my ($mark, $gate) = map { $node->basedir . "/$_" } qw(mark gate);

	# more rows than a pipe and the server's buffer hold, and then a pause
	$node->safe_psql('postgres', <<"EOS");
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE FOREIGN TABLE moods (e mood) SERVER files OPTIONS (program 'yes low | head -n 100000; touch $mark; while [ ! -e $gate ]; do sleep 0.1; done');
SELECT dp_noise.protect('moods', epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_ann', 'moods', 1000);
EOS
	foreach my $value (qw(low high))
	{
		unlink $mark, $gate;
		$session = $node->session('dp_ann');
		$session->{in} .= "SELECT 'it is ' || dp_mode(e) FROM moods WHERE e = '$value';\n\\q\n";
		IPC::Run::pump_nb $session->{run};
		ok($node->wait_until("SELECT EXISTS (SELECT FROM pg_stat_file('$mark', true) AS f WHERE f.size IS NOT NULL)"), "values are counted where they are $value");
		$node->safe_psql('postgres', "ALTER TYPE mood ADD VALUE 'not $value'");
		append_to_file($gate, '');
		eval { IPC::Run::finish $session->{run} };
		if ($value eq 'low')
		{
			like($session->{err}, qr/ERROR:  the protected relation could not be read/, 'a state of the type that was');
			is(failures('dp_ann', 'moods'), '1 1', 'is counted');
		}
		else
		{
			like($session->{out}, qr/it is /, 'no state is an answer');
		}
	}
}

SKIP:
{
	skip 'prlimit is not there', 1 if system('prlimit --version >/dev/null 2>&1') != 0;

	# What is said under a limit of so many MB above what a new process has.
	my $ask_within = sub {
		my ($megabytes, @questions) = @_;
		my ($out, $err);

		$node->psql('postgres', <<"EOS" . join(";\n", @questions) . ";\n", extra_params => [ '-U', 'dp_ann' ], on_error_stop => 0, stdout => \$out, stderr => \$err);
SET dp_noise.delta = 1e-6;
SELECT pg_backend_pid() AS pid \\gset
\\setenv BACKEND :pid
\\! prlimit --pid \$BACKEND --as=\$((\$(awk '/VmSize/ { print \$2 * 1024 }' /proc/\$BACKEND/status) + $megabytes * 1048576)):
EOS
		return "$out$err";
	};

	# A failure of many relations, which is too long for a slot, needs no memory either
	# that a process does not have before it reads a row.
	{
		$node->safe_psql('postgres', join ';', map { "CREATE FOREIGN TABLE many_$_ (x integer) SERVER files OPTIONS (filename '$lines'); SELECT dp_noise.protect('many_$_', epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_ann', 'many_$_', 1000)" } 1 .. 40);
		$session = ask_and_stop('SELECT ' . join ', ', map { "(SELECT dp_count(*) FROM many_$_)" } 1 .. 40);
		my ($size) = slurp_file("/proc/$session->{pid}/status") =~ /^VmSize:\s+(\d+) kB/m;
		is(system('prlimit', '--pid', $session->{pid}, '--as=' . $size * 1024 . ':'), 0, 'no more memory behind the charges of forty relations');
		# the last is what the server says where there is no memory to say it better
		like(go_on($session), qr/ERROR:  (?:the protected relation could not be read|insufficient server resources|out of memory\nDETAIL:  Failed on request of size \d+ in memory context "ErrorContext")/, 'the question failed');
		is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.budgets WHERE role = 'dp_ann' AND population LIKE 'public.many\_%' AND failures = 1}), 40, 'and is counted for each');
	}

	# The memory that a question may need is looked for before: many rows and none
	# hear the same, for nothing.
	foreach my $select (
		'dp_count(*) FROM patients WHERE %s', 'dp_count_distinct(x) FROM patients WHERE %s', 'dp_mode(b) FROM patients WHERE %s', 'dp_max(x, 0, 1000) FROM patients WHERE %s',
		'count(*) FROM (SELECT name, dp_count(*) FROM patients WHERE %s GROUP BY name) AS s', 'dp_count(*) FROM patients JOIN patients AS p USING (person) WHERE p.%s',
		'dp_sum(n, 0, 9) FROM (SELECT row_number() OVER (PARTITION BY person ORDER BY vid) AS n, vid FROM patients) AS s WHERE %s')
	{
		my ($all, $none) = map { $ask_within->(12, 'SELECT ' . sprintf $select, $_) } 'vid > 0', 'vid < 0';

		like($all, qr/ERROR:  insufficient memory for a question about a protected relation\n/, "too little memory: $select");
		is($none, $all, 'whatever the rows');
	}
	is(failures('dp_ann', 'patients'), '0 0', 'which tells nothing');
	is(charges('patients'), 3, 'and is not charged');

	# A process that has read rows may have memory left that depends on them.
	my $said = $ask_within->(2000, 'SELECT dp_count(*) FROM patients WHERE vid > 4',
		'\\! prlimit --pid $BACKEND --as=$(($(awk \'/VmSize/ { print $2 * 1024 }\' /proc/$BACKEND/status) + 12 * 1048576)):', 'SELECT dp_count(*) FROM patients WHERE vid > 5');
	like($said, qr/^-?\d+(?:psql:\S+ )?ERROR:  insufficient memory/, 'an answer, and then too little memory');
	is(failures('dp_ann', 'patients'), '1 1', 'which counts');

	# What fails nevertheless: three times, and no more.
	$node->safe_psql('postgres', q{ALTER SYSTEM SET dp_noise.work_mem = '1MB'; SELECT pg_reload_conf()});
	$node->safe_psql('postgres', q{SELECT dp_noise.forgive('dp_ann', 'patients')});
	usleep(200_000);
	my @heard = map { $ask_within->(24, "SET dp_noise.epsilon = 100; SELECT count(*) FROM (SELECT name, dp_count(*) FROM patients WHERE vid > $_ GROUP BY name) AS s") } 1 .. 5;
	is((grep { /insufficient server resources/ } @heard) + 0, 3, 'three failures');
	is((grep { /too many questions about "patients" have failed/ } @heard) + 0, 2, 'and then none');
}

$node->stop;

# Where no worker can be started for the failure, it is not told: an answer that
# cannot be stored sounds the same.
$node = LedgerSteps->new('waiting', "autovacuum = off\nfsync = off\nmax_logical_replication_workers = 0\nmax_parallel_workers_per_gather = 0\n", 'elsewhere');
$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE filed (x integer) SERVER files OPTIONS (filename '$lines');
SELECT dp_noise.protect('filed', epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_ann', 'filed', 1000, max_failures => 1);
ALTER SYSTEM SET max_worker_processes = 1;
EOS
$node->restart;
$session = ask_and_stop('SELECT dp_count(*) FROM filed');
kill 'STOP', $session->{pid};
$node->pass('charged');
$node->stop_at('worker-idle');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
is(($node->as_ann('SELECT ask()', database => 'elsewhere'))[0], 'charged', 'another database has the only worker process');
kill 'CONT', $session->{pid};
like(go_on($session), qr/ERROR:  insufficient server resources for this question/, 'a question fails, and does not tell it');
is(failures('dp_ann', 'filed'), '0 0', 'since nobody can count it');
ok($node->reached('worker-idle'), 'the other worker idles');
$node->pass('worker-idle');
ok($node->wait_until(q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker')}), 'and ends');
like(ask('dp_ann', 'SELECT dp_count(*) FROM filed WHERE x > -1'), qr/could not be read/, 'the next failure can be told');
is(failures('dp_ann', 'filed'), '1 1', 'and is counted');
is(charges('filed'), 2, 'with both charges');
$node->stop;
done_testing();
