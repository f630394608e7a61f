# The class of attacks: to learn from whether a question fails, for nothing.
#
# Whether a statement runs out of memory, of disk or of time depends on the rows
# that match; an analyst who can make it fail exactly then, and pays nothing for
# it, reads secrets one by one. So whatever ends a question after its charge
# changes nothing about the charge; of the cause nothing is told; and no answer
# comes of it later.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../lib";

use IPC::Run;
use LedgerSteps;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = LedgerSteps->new('failing', "autovacuum = off\nfsync = off\nmax_parallel_workers_per_gather = 0\n");
my $lines = $node->basedir . '/lines';
append_to_file($lines, "1\n2\nsecret\n");

$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE filed (x integer) SERVER files OPTIONS (filename '$lines');
CREATE TABLE patients AS SELECT i AS vid, i % 3 = 0 AS secret, repeat('x', 400) || i / 3 AS name FROM generate_series(1, 150000) AS i;
CREATE TABLE spans (x integer);
SELECT dp_noise.protect(r, epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_ann', r::text, 1000000, delta => 1) FROM unnest('{patients,filed,spans}'::regclass[]) AS r;
EOS

sub charges
{
	my $relation = shift // 'patients';

	return $node->safe_psql('postgres', "SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.$relation'");
}

# Everything agrees: budgets, grants, ledger.
sub agrees
{
	return $node->safe_psql('postgres', <<'EOS') eq 't';
SELECT bool_and(epsilon_spent = (SELECT coalesce(sum(epsilon), 0) FROM dp_noise.ledger AS l WHERE l.population = b.population)) FROM dp_noise.budgets AS b
EOS
}

sub wait_for(&)
{
	my ($condition) = @_;

	for (1 .. 1000)
	{
		return 1 if $condition->();
		usleep(10_000);
	}
	return 0;
}

# A session whose question is stopped between its charge and the first row.
sub ask_and_stop
{
	my ($question, $before) = @_;
	my $session = $node->session('dp_ann');

	$session->{in} .= ($before // '') . "SELECT pg_backend_pid();\n";
	IPC::Run::pump $session->{run} until $session->{out} =~ /^\d+\n/;
	$session->{pid} = $session->{out} + 0;
	$session->{out} = '';
	$node->stop_at('charged');
	$session->{in} .= "$question;\n";
	IPC::Run::pump_nb $session->{run};
	is($node->reached('charged'), $session->{pid}, 'the charge comes first');
	return $session;
}

# What the session hears when it goes on.
sub go_on
{
	my $session = shift;

	$node->pass('charged');
	wait_for { eval { IPC::Run::pump_nb $session->{run} }; "$session->{out}$session->{err}" =~ /\n/ };
	$session->{in} .= "\\q\n";
	eval { IPC::Run::finish $session->{run} };
	return "$session->{out}$session->{err}";
}

my $unanswered = qr/ERROR:  this question about "patients" was asked before, and has no stored answer\n/;
my $number = 0;

# Ways to end a question: the charge stays, and what is heard; then the same is
# asked again. A cancelled one was seen by nobody, and may be asked again, for
# another charge; of one whose session is gone nobody knows.
foreach my $case (
	[ 'cancelled',  '', sub { $node->safe_psql('postgres', "SELECT pg_cancel_backend($_[0]{pid})") }, qr/canceling statement due to user request/, 1 ],
	[ 'timed out',  "SET statement_timeout = 200;\n", sub { usleep(400_000) }, qr/canceling statement due to statement timeout/, 1 ],
	[ 'terminated', '', sub { $node->safe_psql('postgres', "SELECT pg_terminate_backend($_[0]{pid})") }, qr/terminating connection/, 0 ],
	[ 'left',       "SET client_connection_check_interval = 10;\n", sub { IPC::Run::kill_kill $_[0]{run} }, qr/^$/, 0 ])
{
	my ($name, $before, $end, $heard, $again) = @$case;
	my $question = 'SELECT dp_sum(vid, 0, 1000) FROM patients WHERE vid > ' . ++$number;
	my $charges = charges();
	my $session = ask_and_stop($question, $before);

	is(charges(), $charges + 1, "$name: charged before anything is read");
	$end->($session);
	if ($name eq 'left')
	{
		$node->pass('charged');
		ok($node->wait_until("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $session->{pid})"), "$name: ended");
	}
	else
	{
		like(go_on($session), $heard, "$name: heard");
	}
	is(charges(), $charges + 1, "$name: the charge stays");
	my ($out, $err) = $node->as_ann($question);
	if ($again)
	{
		like($out, qr/^-?\d+$/, "$name: asked again") or diag $err;
		is(charges(), $charges + 2, "$name: for another charge");
		is(($node->as_ann($question))[0], $out, "$name: then replayed");
	}
	elsif ($out eq '')
	{
		like($err, $unanswered, "$name: not asked again");
	}
	else # it went to its end before it noticed
	{
		is(($node->as_ann($question))[0], $out, "$name: its own answer");
		is(charges(), $charges + 1, "$name: charged once");
	}
	ok(agrees(), "$name: the budgets agree");
}

# under on_repeat refuse, too; and under answer, which has another answer out
my $question = 'SELECT dp_count(*) FROM patients WHERE vid > 1000';
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'refuse')});
my $session = ask_and_stop($question);
like(($node->as_ann($question))[1], $unanswered, 'refuse: not while it is running');
like(($node->as_ann("EXPLAIN $question"))[0], qr/Answer: refused: asked before/, 'as EXPLAIN says');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($session->{pid})");
like(go_on($session), qr/canceling/, 'refuse: cancelled');
like(($node->as_ann($question))[0], qr/^-?\d+$/, 'refuse: asked again');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'answer')});
$session = ask_and_stop($question);
$node->safe_psql('postgres', "SELECT pg_cancel_backend($session->{pid})");
like(go_on($session), qr/canceling/, 'answer: cancelled');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'refuse')});
like(($node->as_ann($question))[1], qr/was answered before/, 'an earlier answer is out: not given up');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'replay')});

# within a statement that goes on: savepoints, exception blocks, cursors
my $charges = charges();
$session = ask_and_stop('SELECT dp_count(*) FROM patients WHERE vid > 2000', "BEGIN; SAVEPOINT s;\n");
$session->{in} .= "ROLLBACK TO s;\nSELECT 'count', dp_count(*) FROM patients WHERE vid > 2000;\nROLLBACK;\n";
$node->safe_psql('postgres', "SELECT pg_cancel_backend($session->{pid})");
$node->pass('charged');
wait_for { IPC::Run::pump_nb $session->{run}; $session->{out} =~ /count/ };
like(go_on($session), qr/^count\|-?\d+$/m, 'after a savepoint it is asked again');
is(charges(), $charges + 2, 'and charged twice, whatever is rolled back');

# a lock that is not to be had comes before the charge, and nothing is read
$charges = charges();
my $owner = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
$owner->{in} .= "BEGIN; LOCK TABLE patients; SELECT 'held';\n";
IPC::Run::pump $owner->{run} until $owner->{out} =~ /held/;
like(($node->as_ann("SET lock_timeout = 100; SELECT dp_count(*) FROM patients WHERE vid > 3000"))[1], qr/canceling statement due to lock timeout/, 'a lock timeout');
is(charges(), $charges, 'before the charge');
$owner->{in} .= "ROLLBACK; SELECT 'free';\n";
IPC::Run::pump $owner->{run} until $owner->{out} =~ /free/;

# an owner who changes budgets meanwhile holds the answer up, not back
$session = ask_and_stop('SELECT dp_count(*) FROM patients WHERE vid > 4000');
$owner->{in} .= "BEGIN; SELECT dp_noise.alter_population('patients', on_repeat => 'replay'), dp_noise.set_budget('dp_ann', 'patients', 2000000, delta => 1); SELECT 'set';\n";
IPC::Run::pump $owner->{run} until $owner->{out} =~ /set/;
$node->pass('charged');
usleep(3_000_000);
IPC::Run::pump_nb $session->{run};
is("$session->{out}$session->{err}", '', 'the answer waits for the owner');
$owner->{in} .= "COMMIT;\n\\q\n";
IPC::Run::finish $owner->{run};
like(go_on($session), qr/^-?\d+$/, 'and then comes');

# an error of the rows
$charges = charges('filed');
like(($node->as_ann('SELECT dp_count(*) FROM filed'))[1], qr/ERROR:  the protected relation could not be read/, 'a bad line');
is(charges('filed'), $charges + 1, 'is charged');
like(($node->as_ann('SELECT dp_count(*) FROM filed'))[1], qr/could not be read/, 'again');
is(charges('filed'), $charges + 2, 'again');

# The oracle: an analyst whose server is short of memory puts a question at its
# limit, so that one row more, or some, make it fail. Each try costs its
# epsilon, and all that fail say the same.
# This is about the charge: failing_is_counted.pl is about how often that works.
$node->safe_psql('postgres', q{ALTER SYSTEM SET dp_noise.work_mem = '1MB'; SELECT pg_reload_conf()});
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'replay'), dp_noise.set_budget('dp_ann', 'patients', 1000000, delta => 1, max_failures => NULL)});
SKIP:
{
	skip 'prlimit is not there', 1 if system('prlimit --version >/dev/null 2>&1') != 0;
	my ($answered, $failed, %said) = (0, 0);
	my $spent = q{SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'dp_ann' AND population = 'public.patients'};

	$charges = charges();
	my $before = $node->safe_psql('postgres', $spent);
	foreach my $person (1 .. 6)
	{
		my $rows = (300, 3_000, 50_000, 100_000, 125_000, 150_000)[$person - 1];
		my ($out, $err);

		$node->psql('postgres', <<"EOS", extra_params => [ '-U', 'dp_ann' ], on_error_stop => 0, stdout => \$out, stderr => \$err);
SET dp_noise.epsilon = 100;
SET dp_noise.delta = 1e-6;
SET client_min_messages = warning;
SELECT dp_count(*) FROM spans WHERE x > $person \\g /dev/null
SELECT pg_backend_pid() AS pid \\gset
\\setenv BACKEND :pid
\\! prlimit --pid \$BACKEND --as=\$((\$(awk '/VmSize/ { print \$2 * 1024 }' /proc/\$BACKEND/status) + 24 * 1048576))
SELECT count(*) FROM (SELECT name, dp_count(*) FROM patients WHERE vid <= $rows OR (vid = $person AND secret) GROUP BY name) AS s;
EOS
		$answered++ if $out =~ /^\d+$/;
		$failed++ if $err =~ /ERROR/;
		$said{$err} = 1 if $err ne '';
	}
	cmp_ok($failed, '>', 0, "some fail ($failed, and $answered are answered)");
	cmp_ok($answered, '>', 0, 'and some are answered');
	is(keys %said, 1, 'those that fail say the same') or diag join "\n", keys %said;
	like((keys %said)[0], qr/ERROR:  insufficient server resources for this question/, 'and nothing of memory');
	is(charges(), $charges + 6, 'each is charged');
	is($node->safe_psql('postgres', $spent) - $before, 600, 'in full');
	like(slurp_file($node->logfile), qr/LOG:  a question about a protected relation failed\n.*DETAIL:  SQLSTATE 53200 in \w+\./, 'the cause is in the log');
}
ok(agrees(), 'the budgets agree');

$node->stop;
done_testing();
