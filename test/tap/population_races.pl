# Relations of one population: many who race for its last charges through
# different relations, while an owner lets relations join and leave, and while
# the server crashes; and a dump, which has it all.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use LedgerCluster;

my $node = LedgerCluster->new('population', "max_connections = 60\nrestart_after_crash = on\n");
my ($out, $err);

# orders have people's unit, lines a path to it, calls a column
$node->safe_psql('postgres', <<'EOF');
ALTER TABLE people ADD PRIMARY KEY (id);
CREATE TABLE orders (id int PRIMARY KEY, person int REFERENCES people);
CREATE TABLE lines (order_id int REFERENCES orders, price int);
CREATE TABLE calls (person int);
CREATE TABLE guests (person int);
INSERT INTO people SELECT generate_series(1, 50);
INSERT INTO orders SELECT i, i % 50 + 1 FROM generate_series(1, 100) AS i;
INSERT INTO lines SELECT i % 100 + 1, i % 7 FROM generate_series(1, 300) AS i;
INSERT INTO calls SELECT i % 50 + 1 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1);
SELECT dp_noise.protect('orders', 'person', max_rows_per_unit => 3, population => 'people');
SELECT dp_noise.protect('lines', 'order_id -> orders', max_rows_per_unit => 9);
SELECT dp_noise.protect('calls', 'person', max_rows_per_unit => 3, population => 'people');
SELECT dp_noise.protect('guests', 'person', max_rows_per_unit => 3, population => 'people');
SELECT dp_noise.set_budget('dp_ann', 'people', 20), dp_noise.set_budget('dp_bob', 'people', 20);
SELECT dp_noise.alter_population('people', epsilon => 30, delta => 0);
CREATE FUNCTION ask_about(relation regclass, epsilon numeric) RETURNS text LANGUAGE sql VOLATILE AS $f$
	SELECT CASE WHEN replayed THEN 'replayed' ELSE 'charged' END
	FROM dp_noise.charge(relation, epsilon, 0, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea)
$f$;
EOF
my @members = qw(people orders lines calls);

# 24 clients who each ask one of the questions so often, and what is done
# meanwhile; the clients.
sub race
{
	my ($times, $meanwhile, @questions) = @_;
	my @clients = map { $node->session($_ % 2 ? 'dp_ann' : 'dp_bob') } 1 .. 24;

	foreach my $n (0 .. $#clients)
	{
		$clients[$n]{in} = "SET dp_noise.epsilon = 0.25;\n" . "$questions[ $n / 2 % @questions ];\n" x $times . "\\q\n";
		IPC::Run::pump_nb $clients[$n]{run};
	}
	$meanwhile->();
	eval { IPC::Run::finish $_->{run} } foreach @clients;
	return @clients;
}

# How often something was told to them.
sub count_of
{
	my ($pattern, $where, @clients) = @_;
	my $count = 0;

	$count += () = $_->{$where} =~ /$pattern/g foreach @clients;
	return $count;
}

# What everybody has spent: by the budgets, and by the ledger.
sub spent_and_recorded
{
	my ($database) = @_;

	return $node->safe_psql($database // 'postgres', <<'EOF');
SELECT trim_scale(b.epsilon_spent) || ' ' || trim_scale(l.epsilon)
FROM dp_noise.budgets AS b, (SELECT coalesce(sum(epsilon), 0) FROM dp_noise.ledger WHERE population = 'public.people') AS l (epsilon)
WHERE b.role IS NULL AND b.population = 'public.people'
EOF
}

# several relations, one population: its grant is never exceeded
my @clients = race(20, sub { }, map { "SELECT ask_about('$_', 0.1)" } @members);
is(count_of('charged', 'out', @clients), 300, 'as many answers as the grant has');
is(count_of('ERROR:  insufficient privacy budget for "\\w+"', 'err', @clients), 180, 'all others are refused');
is(spent_and_recorded(), '30 30', 'spent to the last');

# questions about one, two and three of them, through the gate: each once
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget(r, 'people', 200) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r; SELECT dp_noise.alter_population('people', epsilon => 60, delta => 0)});
@clients = race(10, sub { }, map { "SELECT 'heard ' || dp_count(*) FROM $_" }
	'calls', 'lines', 'lines JOIN orders ON orders.id = order_id JOIN people ON people.id = person', 'people JOIN calls ON calls.person = people.id');
is(count_of('heard', 'out', @clients), 120, 'joined questions: as many answers as the grant has');
is(count_of('ERROR:  (?!insufficient privacy budget for "\\w+")', 'err', @clients), 0, 'and no other errors');
is(spent_and_recorded(), '60 60', 'each is charged once');

# while an owner changes what belongs to it
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', epsilon => 100, delta => 0)});
@clients = race(20, sub {
	foreach my $turn (1 .. 10)
	{
		$node->psql('postgres', <<"EOF", on_error_stop => 0);
SELECT dp_noise.unprotect('guests');
SELECT dp_noise.protect('guests', 'person', max_rows_per_unit => 3, population => 'people');
SELECT dp_noise.protect('guests', 'person', max_rows_per_unit => 3, population => 'people');
DROP TABLE calls;
CREATE TABLE calls (person int);
SELECT dp_noise.protect('calls', 'person', max_rows_per_unit => $turn, population => 'people');
EOF
	}
}, map { "SELECT ask_about('$_', 0.1)" } 'calls', 'orders', 'guests');
# what was dropped after it was charged for is charged all the same
my $charged = count_of('charged', 'out', @clients) + count_of('has been changed meanwhile', 'err', @clients);
is(spent_and_recorded(), sprintf('%s %1$s', 60 + $charged / 10), 'an owner in the middle: all answers are charged to the population');
cmp_ok($charged, '>', 0, 'some were answered');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.ledger WHERE population <> 'public.people'}), 0, 'and to nothing else');

# the server crashes in the middle
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('people', epsilon => 400, delta => 0)});
my ($before) = split / /, spent_and_recorded();
@clients = race(60, sub {
	$node->wait_until("SELECT epsilon_spent > $before + 10 FROM dp_noise.budgets WHERE role IS NULL AND population = 'public.people'");
	kill 'KILL', $node->worker || die 'no worker';
}, map { "SELECT 'heard ' || dp_count(*) FROM $_" } 'people', 'lines JOIN orders ON orders.id = order_id');
ok($node->poll_query_until('postgres', 'SELECT true'), 'the server recovers');
my ($spent, $recorded) = split / /, spent_and_recorded();
is($spent, $recorded, 'after a crash budget and ledger agree');
cmp_ok(count_of('heard', 'out', @clients), '>', 0, 'some were answered');
cmp_ok($spent - $before, '>=', count_of('heard', 'out', @clients) / 4, 'and nobody has heard what is not charged');

# dump and restore
# the race may have used up anything
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget(r, 'people', 2000) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r; SELECT dp_noise.alter_population('people', epsilon => 4000, delta => 0)});
my $shown = q{SELECT relation, population FROM dp_noise.protected_relations ORDER BY relation::text; SELECT role, population, epsilon_spent FROM dp_noise.budgets ORDER BY population, role};
my $told = $node->safe_psql('postgres', $shown);
$node->command_ok([ 'pg_dump', '-Fc', '-f', $node->basedir . '/population.dump', '-d', 'postgres' ], 'pg_dump');
foreach my $jobs (1, 2)
{
	my $db = "restored$jobs";

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->command_ok([ 'pg_restore', '-e', '-j', $jobs, '-d', $db, $node->basedir . '/population.dump' ], "pg_restore -j $jobs");
	is($node->safe_psql($db, $shown), $told, 'the same population');
	($out, $err) = $node->as_ann(q{SELECT ask_about('lines', 0.5)}, database => $db);
	is($out, 'charged', 'a charge after the restore') or diag $err;
	is(spent_and_recorded($db), sprintf('%s %1$s', $spent + 0.5), 'is the population\'s');
	$node->psql($db, q{SELECT dp_noise.create_population('other', 1); SELECT dp_noise.protect('calls', 'person', max_rows_per_unit => 3, population => 'other')}, stderr => \$err);
	like($err, qr/ERROR/, 'which nobody leaves');
	is($node->safe_psql($db, q{SELECT count(*) FROM dp_noise.protected_relations WHERE population = 'other'}), 0);
}

$node->stop;
done_testing();
