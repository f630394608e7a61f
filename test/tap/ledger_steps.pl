# At every step of a question, of its charge and of storing its answer, the
# asker, the ledger worker or the postmaster ends: by kill -9, or as it is asked
# to. The charge is then in the ledger as a whole or not at all, it is there if
# anything was read or answered, and never twice; its slot is free again. Asked
# again, the question has its first answer, or none: never a second one.
#
# Takes long: 78 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerSteps;

# One slot: whoever loses it is found out. fsync: it is processes that are
# killed, not the machine.
my $node = LedgerSteps->new('steps', "wal_writer_delay = 10s\ndp_noise.ledger_slots = 1\nrestart_after_crash = on\nfsync = off\n");

# A statement with two questions, about two populations; six budgets pay.
$node->safe_psql('postgres', <<'EOS');
GRANT EXECUTE ON FUNCTION dp_noise.charge_all TO PUBLIC;
CREATE TABLE things (id int);
CREATE ROLE team ROLE dp_ann;
SELECT dp_noise.protect('things', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('dp_ann', r, 1000, 1e-6), dp_noise.alter_population(r, epsilon => 1000, delta => 1e-6, on_repeat => 'replay'),
	dp_noise.set_budget('team', r, 1000, 1e-6, shared => true)
FROM unnest('{people,things}'::text[]) AS r;
-- one of them counts rho
SELECT dp_noise.alter_population('people', accountant => 'zcdp');
CREATE FUNCTION ask_both(question text, answer text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', replayed, encode(answered[1], 'escape'), encode(answered[2], 'escape'))
	FROM dp_noise.charge_all('{people,things}', '{1,1}', '{0,0}', array_fill(md5(question)::bytea, '{2}'), ARRAY[answer, answer]::bytea[])
$$;
EOS

# Each step: who comes there; whether a worker runs before; whether the charge
# is in the ledger when the server crashes there, and when the asker does not
# wait any longer (undef: it depends). From the step "charged" on the asker may
# read the table; between commit and "reply-durable" the charge is not yet on disk,
# and the asker has nothing. A step after "store:" is that of the second request.
my @steps = (
	[ 'request-made',      'asker',  1, 0,     undef ],
	[ 'request-written',   'asker',  1, 0,     undef ],
	[ 'request-posted',    'asker',  0, 0,     undef ],
	[ 'entry-taken',       'asker',  0, 0,     undef ],
	[ 'worker-asked-for',  'asker',  0, undef, undef ],
	[ 'worker-begins',     'worker', 0, 0,     0 ],
	[ 'worker-connected',  'worker', 0, 0,     0 ],
	[ 'worker-runs',       'worker', 0, 0,     0 ],
	[ 'worker-called',     'asker',  1, undef, 1 ],
	[ 'requests-taken',    'worker', 1, 0,     1 ],
	[ 'requests-read',     'worker', 1, 0,     1 ],
	[ 'transaction-begun', 'worker', 1, 0,     1 ],
	[ 'budgets-locked',    'worker', 1, 0,     1 ],
	[ 'decided',           'worker', 1, 0,     1 ],
	[ 'ledger-written',    'worker', 1, 0,     1 ],
	[ 'budgets-unwritten', 'worker', 1, 0,     1 ],
	[ 'budgets-written',   'worker', 1, 0,     1 ],
	[ 'before-commit',     'worker', 1, 0,     1 ],
	[ 'after-commit',      'worker', 1, undef, 1 ],
	[ 'reply-written',     'worker', 1, undef, 1 ],
	[ 'slot-done',         'worker', 1, undef, 1 ],
	[ 'reply-seen',        'asker',  1, undef, 1 ],
	[ 'reply-read',        'asker',  1, undef, 1 ],
	[ 'slot-freed',        'asker',  1, undef, 1 ],
	[ 'reply-durable',     'asker',  1, 1,     1 ],
	[ 'charged',           'asker',  1, 1,     1 ],
	(map { [ "store:$_",   'asker',  1, 1,     1 ] } qw(request-made request-written worker-called reply-seen slot-freed)),
	(map { [ "store:$_",   'worker', 1, 1,     1 ] } qw(requests-taken budgets-locked answer-written budgets-written before-commit after-commit reply-written slot-done)),
	[ 'stored',            'asker',  1, 1,     1 ],
	[ 'worker-idle',       'worker', 1, 1,     1 ],
	[ 'worker-ends',       'worker', 1, 1,     1 ],
);

sub wait_for(&)
{
	my ($condition) = @_;
	my $end = time + 15;

	until ($condition->())
	{
		return 0 if time > $end;
		usleep(5_000);
	}
	return 1;
}

# How often the server has come up.
sub starts
{
	my $starts = () = slurp_file($node->logfile) =~ /database system is ready to accept connections/g;
	return $starts;
}

# A session with a statement on its way, which somebody has stopped at the step:
# the session, and the pids (0: there is none).
sub ask_and_stop
{
	my ($name, $step, $who, $warm) = @_;
	my $asker = $node->session('dp_ann');

	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'}) unless $warm;
	$asker->{in} .= $warm ? "SELECT pg_backend_pid(), ask_both('before $name', 'warm');\n" : "SELECT pg_backend_pid();\n";
	IPC::Run::pump $asker->{run} until "$asker->{out}$asker->{err}" =~ /\n/;
	my ($pid) = $asker->{out} =~ /^(\d+)/ or die "no answer: $asker->{err}";
	$asker->{out} = '';
	# the asker has its answer before the worker is through with it
	$node->wait_until(q{SELECT state = 'idle' FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'}) if $warm;

	my $is_second = $step =~ s/^store://;
	$node->stop_at($is_second ? 'charged' : $step);
	$asker->{in} .= "SELECT ask_both('$name', 'first');\n";
	IPC::Run::pump_nb $asker->{run};
	if ($is_second)
	{
		$node->reached('charged') or die "$name: not charged";
		$node->stop_at($step);
		$node->pass('charged');
	}
	my $stopped = $node->reached($step);
	ok($stopped && ($stopped == $pid xor $who eq 'worker'), "$name: the $who comes there");
	my $worker = $who eq 'worker' ? $stopped : 0;
	wait_for { ($worker ||= $node->worker) > 0 } if $step eq 'worker-asked-for';
	$worker ||= $node->worker;
	return ($asker, { asker => $pid, worker => $worker });
}

# pid 0: there is no such process, and to all of a group is not meant.
sub send_to
{
	my ($name, $signal, $pid) = @_;

	is($pid > 0 ? kill($signal, $pid) : 0, 1, "$name: told");
	return;
}

# What became of it. in_ledger: whether it must be there; it must in any case if
# it was answered. Asks again, which charges exactly if it was not there.
sub check
{
	my ($name, $asker, $in_ledger, $crashed) = @_;
	my $count = sub {
		$node->safe_psql('postgres', "SELECT count(*) FROM dp_noise.ledger WHERE fingerprint = md5('$name')::bytea");
	};
	my $before = $count->();
	my ($out, $err);

	$in_ledger = 1 if $asker->{out} =~ /f,f/;

	# who is gone does not wait for the worker to commit
	wait_for { ($before = $count->()) > 0 } if $in_ledger;
	$in_ledger //= $before > 0;
	is($before, $in_ledger ? 2 : 0, "$name: " . ($in_ledger ? 'all of it is in the ledger' : 'nothing of it is in the ledger'));
	wait_for
	{
		($out, $err) = $node->as_ann("SELECT ask_both('$name', 'second')");
		$err !~ /too many statements wait/;
	} or die "$name: the slot is lost";
	my $was_answered = $asker->{out} =~ /f,f/;
	if ($in_ledger && $out eq '' && ($crashed || !$was_answered))
	{
		like($err, qr/this question about "\w+" was asked before, and has no stored answer/, "$name: asked again");
	}
	else
	{
		is($out, $in_ledger ? '{t,t} first first' : '{f,f}', "$name: asked again") or diag $err;
	}
	is($count->(), 2, "$name: charged once in the end");
	is($node->safe_psql('postgres', <<'EOS'), '6|t', "$name: all budgets agree with the ledger");
SELECT count(*), bool_and((s.epsilon, s.rho) = (SELECT count(*)::numeric, coalesce(sum(c.rho), 0) FROM dp_noise_ledger.charge AS c WHERE c.population_id = b.population_id))
FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.spending AS s USING (budget_id)
EOS
	return;
}

sub kill_at
{
	my ($victim, $step, $who, $warm, $in_ledger) = @_;
	my $name = "$step: $victim";
	my ($asker, $pids) = ask_and_stop($name, $step, $who, $warm);
	my $starts = starts();

	if ($victim eq 'postmaster')
	{
		my $postmaster = $node->{_pid};

		$node->kill9;
		ok(wait_for { !kill 0, $postmaster }, "$name: killed");
		# once the others have noticed
		ok(wait_for { undef $node->{_pid}; $node->start(fail_ok => 1) }, "$name: the server starts");
	}
	else
	{
		send_to($name, 'KILL', $pids->{$victim});
		ok(wait_for { starts() > $starts }, "$name: the server recovers");
	}
	$node->pass($step =~ s/^store://r);
	eval { IPC::Run::finish $asker->{run} };
	check($name, $asker, $in_ledger, 1);
	return;
}

# Nobody is killed: the asker or the worker is asked to end, by INT (cancel) or
# TERM (terminate), and then goes on to where it hears of it.
sub ask_to_end
{
	my ($victim, $signal, $step, $who, $warm, $in_ledger) = @_;
	my $name = "$step: $victim $signal";
	my ($asker, $pids) = ask_and_stop($name, $step, $who, $warm);

	send_to($name, $signal, $pids->{$victim});
	usleep(20_000);
	$node->pass($step =~ s/^store://r);
	ok(wait_for { eval { IPC::Run::pump_nb $asker->{run} }; "$asker->{out}$asker->{err}" =~ /./ }, "$name: the asker hears of it");
	$asker->{in} .= "\\q\n";
	eval { IPC::Run::finish $asker->{run} };
	my %allowed = (
		asker  => qr/canceling statement due to user request|terminating connection due to administrator command/,
		worker => qr/the ledger worker ended before it confirmed a charge|could not (charge the privacy budget|store the answer of a question that is charged): canceling statement/);
	like($asker->{err}, $allowed{$victim}, "$name: as it should") if $asker->{out} eq '';
	check($name, $asker, $in_ledger);
	return;
}

foreach my $step (@steps)
{
	my ($name, $who, $warm, $crash, $gone) = @$step;
	my $no_worker = $name =~ /request-posted|entry-taken/;

	kill_at('asker', $name, $who, $warm, $crash);
	kill_at('worker', $name, $who, $warm, $crash) unless $no_worker;
	kill_at('postmaster', $name, $who, $warm, $crash) if $name =~ /charged|budgets-written|before-commit|after-commit|reply-seen/;
	foreach my $signal (qw(INT TERM))
	{
		ask_to_end('asker', $signal, $name, $who, $warm, $gone) unless $name =~ /worker-idle|worker-ends/; # who has its answer
		ask_to_end('worker', $signal, $name, $who, $warm, undef) unless $no_worker;
	}
}

$node->stop;
done_testing();
