# Nothing that was released is missing from the ledger after a crash: of a
# backend, of the ledger worker, of the whole server. Every second question is one
# about a table whose budgets count rho, and has no epsilon.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use LedgerCluster;

my $node = LedgerCluster->new('crash', "fsync = on\nrestart_after_crash = on\n");

$node->safe_psql('postgres', <<'EOF');
CREATE TABLE flats (id int);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('flats', delta => 1e-6, accountant => 'zcdp', delta_pool => 5e-7, on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'flats', 1000000, 1e-6);
CREATE FUNCTION ask_flats() RETURNS text LANGUAGE sql VOLATILE AS $f$
	SELECT CASE WHEN replayed THEN 'replayed' ELSE 'paid' END
	FROM dp_noise.charge('flats', NULL, 1e-12, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea, NULL, 0.00125, 1e-12)
$f$;
EOF

# What is spent in rho and from the pool, in numbers of charges, by the budgets and
# by the ledger.
my $in_rho = q{SELECT string_agg(concat_ws(' ', trim_scale(rho_spent / 0.00125), trim_scale(delta_spent * 1e12)), ', ')
	FROM dp_noise.budgets WHERE population = 'public.flats'};
my $recorded_in_rho = q{SELECT concat_ws(' ', trim_scale(sum(rho) / 0.00125), trim_scale(sum(delta_pool) * 1e12), count(*)) FROM dp_noise.ledger WHERE population = 'public.flats' AND epsilon IS NULL};

# Clients that ask one question after the other, and print each answer at once.
my $script = "SELECT ask();\nSELECT ask_flats();\n" x 10_000;

sub clients
{
	my @clients = map { $node->session('dp_ann') } 1 .. 4;

	foreach my $client (@clients)
	{
		$client->{in} = $script;
		IPC::Run::pump_nb $client->{run};
	}
	return @clients;
}

sub confirmed
{
	my $sum = 0;

	$sum += () = $_->{out} =~ /charged/g foreach @_;
	return $sum;
}

sub run_some
{
	my ($clients, $more) = @_;
	my $wanted = confirmed(@$clients) + $more;

	for (1 .. 6000)
	{
		eval { IPC::Run::pump_nb $_->{run} } foreach @$clients;
		return if confirmed(@$clients) >= $wanted;
		usleep(5_000);
	}
	die 'the clients make no progress';
}

my $total = 0;
my $total_in_rho = 0;

# That the budgets and the ledger of flats agree, and have all that was confirmed.
sub check_in_rho
{
	my ($name, @clients) = @_;

	$total_in_rho += () = $_->{out} =~ /paid/g foreach @clients;
	my ($n) = $node->safe_psql('postgres', $recorded_in_rho) =~ / (\d+)$/;
	is($node->safe_psql('postgres', $in_rho), "$n $n, $n $n", "$name: in rho, budgets and number of charges agree");
	is($node->safe_psql('postgres', $recorded_in_rho), "$n $n $n", "$name: so does the ledger");
	cmp_ok($n, '>=', $total_in_rho, "$name: all that was confirmed was paid in rho");
	$total_in_rho = $n;
	return;
}

# What the budget and the ledger say once nobody charges any more: sessions whose
# client is gone end what they have begun.
sub spent_and_recorded
{
	$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'dp_ann')});
	return ($node->spent, $node->recorded);
}

sub check
{
	my ($name, @clients) = @_;

	foreach my $client (@clients)
	{
		# what psql said before it noticed
		for (1 .. 40)
		{
			eval { IPC::Run::pump_nb $client->{run} };
			usleep(5_000);
		}
		eval { IPC::Run::kill_kill $client->{run} };
	}
	$total += confirmed(@clients);
	my ($spent, $recorded) = spent_and_recorded();
	is($spent, $recorded, "$name: budget and ledger agree");
	cmp_ok($recorded, '>=', $total, "$name: all that was confirmed is in the ledger");
	$total = $recorded;
	check_in_rho($name, @clients);
	my ($out) = $node->as_ann('SELECT ask()');
	is($out, 'charged', "$name: the next charge works");
	$total++;
	return;
}

my @clients;

# the worker is told to end, again and again: the others go on, or hear of it
@clients = clients();
foreach (1 .. 5)
{
	run_some(\@clients, 50);
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
}
run_some(\@clients, 50);
# those who had a request in hand may hear that it may have landed
{
	eval { IPC::Run::kill_kill $_->{run} } foreach @clients;
	my $confirmed = confirmed(@clients);
	my ($spent, $recorded) = spent_and_recorded();
	is($spent, $recorded, 'SIGTERM of the worker: budget and ledger agree');
	cmp_ok($recorded, '>=', $confirmed, 'SIGTERM of the worker: all that was confirmed is in the ledger');
	is((grep { $_->{err} =~ /ERROR/ && $_->{err} !~ /may have been made/ } @clients) + 0, 0, 'nobody hears anything else');
	$total = $recorded;
	check_in_rho('SIGTERM of the worker', @clients);
}

# kill -9, in the middle of it
foreach my $victim ('a backend', 'the worker')
{
	@clients = clients();
	run_some(\@clients, 100);
	my $pid = $victim eq 'the worker'
	  ? $node->worker
	  : $node->safe_psql('postgres', q{SELECT max(pid) FROM pg_stat_activity WHERE usename = 'dp_ann'});
	cmp_ok($pid, '>', 0, "kill -9 of $victim");
	kill 'KILL', $pid;
	usleep(500_000);
	$node->poll_query_until('postgres', 'SELECT true');
	check("kill -9 of $victim", @clients);
}
foreach my $round (1 .. 2)
{
	@clients = clients();
	run_some(\@clients, 100);
	$node->stop('immediate');
	$node->start;
	check("immediate stop, round $round", @clients);
}

# with settings that make commits lazy
$node->safe_psql('postgres', $_) foreach (
	'ALTER ROLE dp_ann SET synchronous_commit = off',
	'ALTER DATABASE postgres SET synchronous_commit = off',
	'ALTER ROLE ' . $node->safe_psql('postgres', 'SELECT quote_ident(current_user)') . ' SET synchronous_commit = off',
	'ALTER SYSTEM SET synchronous_commit = off',
	'ALTER SYSTEM SET wal_writer_delay = 10000');
@clients = clients();
run_some(\@clients, 20);
$node->safe_psql('postgres', 'SELECT pg_reload_conf()'); # while the worker runs
run_some(\@clients, 200);
$node->stop('immediate');
$node->start;
check('synchronous_commit = off everywhere', @clients);

$node->stop;
done_testing();
