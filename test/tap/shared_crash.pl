# Answers that are shared, and kill -9 of the server at every step of a charge and of
# storing its answer; and roles that ask the same at the same moment.
#
# Of a question everybody together hears no more different answers than the grant has
# paid for, whatever was lost; what was spent is the sum of the charges; and whoever
# has heard an answer has paid for it.
#
# Takes long: 39 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerSteps;

# Answers are committed lazily: here they are always lost in a crash.
my $node = LedgerSteps->new('shared', "restart_after_crash = on\nfsync = off\nwal_writer_delay = 10000\nautovacuum = off\n");
my @roles = qw(dp_ann dp_bob dp_cid);
my $number = 0;

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_cid LOGIN;
SELECT dp_noise.alter_population('people', on_repeat => 'replay');
SELECT dp_noise.set_budget(r, 'people', 1e6) FROM unnest('{dp_ann,dp_bob,dp_cid}'::regrole[]) AS r;
EOS

# so much noise that two answers differ
sub question { return "SET dp_noise.epsilon = 0.001; SELECT 'heard ' || dp_count(*) FROM people WHERE id > $number;\n"; }

sub ask
{
	my ($role) = @_;
	my ($out, $err);

	$node->psql('postgres', question(), stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0);
	return "$out$err";
}

sub wait_for(&)
{
	my ($condition) = @_;
	my $end = time + 20;

	until ($condition->())
	{
		return 0 if time > $end;
		usleep(5_000);
	}
	return 1;
}

sub starts
{
	my $starts = () = slurp_file($node->logfile) =~ /database system is ready to accept connections/g;
	return $starts;
}

# A session that asks, and whose charge, or store, is stopped at a step.
sub ask_and_stop
{
	my ($role, $step, $between) = @_;
	my $session = $node->session($role);
	my $is_second = $step =~ s/^store://;

	$node->stop_at($is_second ? 'charged' : $step);
	$session->{in} .= question();
	IPC::Run::pump_nb $session->{run};
	if ($is_second)
	{
		my $pid = $node->reached('charged') // die "not charged: $session->{err}";

		if ($between)
		{
			kill 'STOP', $pid;
			$node->pass('charged');
			$between->();
		}
		$node->stop_at($step);
		$between ? kill 'CONT', $pid : $node->pass('charged');
	}
	return ($session, $node->reached($step));
}

# All that is recorded of the present question, as its charges.
sub charges
{
	my ($since) = @_;
	my ($all, $paid, %of) = (0, 0);

	foreach (split /\n/, $node->safe_psql('postgres', "SELECT role, grant_paid FROM dp_noise_ledger.charge WHERE charge_id > $since"))
	{
		my ($role, $is_paid) = split /\|/;

		$of{$role}++;
		$all++;
		$paid++ if $is_paid eq 't';
	}
	return ($all, $paid, \%of);
}

sub last_charge { return $node->safe_psql('postgres', 'SELECT coalesce(max(charge_id), 0) FROM dp_noise_ledger.charge'); }

# What all have heard: the roles' answers, role by role.
sub check
{
	my ($name, $since, %said) = @_;
	my ($all, $paid, $of) = charges($since);
	my %heard;

	foreach my $role (keys %said)
	{
		$heard{$_}{$role} = 1 foreach $said{$role} =~ /heard (-?\d+)/g;
		my %own = map { $_ => 1 } $said{$role} =~ /heard (-?\d+)/g;
		cmp_ok(scalar keys %own, '<=', $of->{$role} // 0, "$name: what $role has heard is charged to it");
	}
	cmp_ok(scalar keys %heard, '<=', $paid, "$name: the grant has paid for every answer");
	is($node->safe_psql('postgres', <<'EOS'), 't', "$name: what was spent is the sum of the charges");
SELECT bool_and(s.epsilon = coalesce((SELECT sum(c.epsilon) FROM dp_noise_ledger.charge AS c
	WHERE c.population_id = b.population_id AND CASE WHEN b.role IS NULL THEN c.grant_paid ELSE c.budget_id = b.budget_id END), 0))
FROM dp_noise_ledger.budget AS b JOIN dp_noise_ledger.spending AS s USING (budget_id)
EOS
	return (scalar keys %heard, $paid);
}

my $lost = 0;

# One role is stopped at a step, and the server crashes; others have asked before, or
# in between; then all ask again.
sub crash_at
{
	my ($step, $when) = @_;
	my $name = "$step, $when";
	my ($since, %said) = (last_charge(), map { $_ => '' } @roles);

	$number++;
	$said{dp_ann} .= ask('dp_ann') if $when eq 'shared';
	my ($session, $pid) = ask_and_stop('dp_bob', $step, $when eq 'overtaken' ? sub { $said{dp_ann} .= ask('dp_ann') } : undef);
	ok($pid, "$name: it comes there") or diag $session->{err};
	like($said{dp_ann}, qr/heard/, "$name: another is answered") if $when ne 'alone';
	my $starts = starts();
	kill 'KILL', $pid || $node->worker;
	ok(wait_for { starts() > $starts }, "$name: the server recovers");
	$node->pass($step =~ s/^store://r);
	eval { IPC::Run::finish $session->{run} };
	$said{dp_bob} .= $session->{out};
	foreach my $role (qw(dp_cid dp_ann dp_bob dp_cid))
	{
		my $again = ask($role);

		like($again, qr/heard|was asked before, and has no stored answer/, "$name: $role asks again");
		$said{$role} .= $again;
	}
	my ($heard, $paid) = check($name, $since, %said);
	cmp_ok($paid, '<=', 2, "$name: no more than is lost");
	$lost++ if $heard > 1;
	return;
}

my @charge = qw(requests-read budgets-locked decided ledger-written budgets-unwritten budgets-written before-commit after-commit reply-written slot-done reply-seen reply-durable);
my @store = map { "store:$_" } qw(request-made requests-taken budgets-locked answer-written budgets-written before-commit after-commit reply-written slot-done reply-seen stored);

crash_at($_, 'alone') foreach @charge, 'charged', @store;
crash_at($_, 'overtaken') foreach @store;
crash_at($_, 'shared') foreach @charge;
cmp_ok($lost, '>', 0, 'answers were lost, and others paid for');

# Two roles at the same moment: one draw, both charged, and the grant once.
foreach my $first (0, 1)
{
	my $since = last_charge();
	my @sessions;

	$number++;
	$node->stop_at('charged');
	foreach my $role (@roles)
	{
		my $session = $node->session($role);

		unlink $node->steps . '/charged.reached';
		$session->{in} .= question();
		IPC::Run::pump_nb $session->{run};
		$session->{pid} = $node->reached('charged') // die "not charged: $session->{err}";
		push @sessions, $session;
	}
	my ($all, $paid) = charges($since);
	is("$all $paid", '3 1', 'three are charged before one is answered, and the grant once');
	kill 'STOP', $_->{pid} foreach @sessions;
	$node->pass('charged');
	foreach my $session ($first ? reverse @sessions : @sessions)
	{
		kill 'CONT', $session->{pid};
		$session->{in} .= "\\q\n";
		IPC::Run::finish $session->{run};
	}
	my %said = map { $roles[$_] => $sessions[$_]->{out} . ask($roles[$_]) } 0 .. 2;
	my ($heard) = check('at once, ' . ($first ? 'the last' : 'the first') . ' one answers', $since, %said);
	is($heard, 1, 'all hear the same, and again');
	is(join(' ', (charges($since))[0, 1]), '3 1', 'and nobody pays again');
}

# in one transaction of the worker
{
	my $since;
	my $other = $node->session('dp_ann');
	my @sessions = map { $node->session($_) } @roles;

	$number++;
	ask('dp_ann'); # so that there is a worker
	$since = last_charge();
	$node->stop_at('transaction-begun');
	$other->{in} .= "SELECT ask();\n\\q\n";
	IPC::Run::pump_nb $other->{run};
	$node->reached('transaction-begun') or die 'the worker does not begin';
	$number++;
	foreach my $session (@sessions)
	{
		$session->{in} .= question() . "\\q\n";
		IPC::Run::pump_nb $session->{run};
	}
	$node->wait_until(q{SELECT count(*) = 4 FROM pg_stat_activity WHERE wait_event = 'Extension' AND usename LIKE 'dp\_%'}) || die 'they do not wait';
	$node->pass('transaction-begun');
	IPC::Run::finish $_->{run} foreach $other, @sessions;
	my ($heard) = check('in one transaction', $since, map { $roles[$_] => $sessions[$_]->{out} . ($roles[$_] eq 'dp_ann' ? '' : ask($roles[$_])) } 0 .. 2);
	is($heard, 1, 'all hear the same');
	is(join(' ', (charges($since))[0, 1]), '4 2', 'and the grant pays once, besides the other question');
}

# And without any order: roles race through the same questions.
{
	my $since = last_charge();
	my @sessions = map { $node->session($_) } @roles, @roles;
	my %heard;
	my $text = "SET dp_noise.epsilon = 0.001;\n" . join '', map { "SELECT 'heard', $_, dp_count(*) FROM people WHERE id > 100000 + $_;\n" } 1 .. 60;

	foreach my $session (@sessions)
	{
		$session->{in} = "$text\\q\n";
		IPC::Run::pump_nb $session->{run};
	}
	foreach my $session (@sessions)
	{
		IPC::Run::finish $session->{run};
		$heard{$1}{$2} = 1 while $session->{out} =~ /heard\|(\d+)\|(-?\d+)/g;
	}
	is(keys %heard, 60, 'roles race: all are answered');
	is((grep { keys %$_ > 1 } values %heard) + 0, 0, 'all hear the same');
	my ($all, $paid) = charges($since);
	is("$all $paid", '180 60', 'each role is charged once, and the grant once');
	check('roles race', $since);
}

$node->stop;
done_testing();
