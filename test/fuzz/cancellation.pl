# Questions that are interrupted at any moment: by statement_timeout, lock_timeout,
# pg_cancel_backend() from another session, errors of the statement around them,
# ROLLBACK to savepoints, caught by a handler or not, in cursors, prepared
# statements and loops, by two analysts at once.
#
# - An answer that was seen is charged, and stays charged through rollbacks and a
#   crash; no question is charged more often than it was asked.
# - Of a question that was asked again, different answers were each charged.
# - The budget is what the ledger adds up to.
# - The session goes on: the next question is answered, no lock is held. The
#   library's assertions hold, the log has no warning, and no error is an internal
#   one.
#
# Each question has an epsilon of its own, by which the ledger tells them apart.
# FUZZ_SECONDS says how long, FUZZ_SEED repeats the questions, but not the moments.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $batch = 40;

srand($seed);
note("FUZZ_SEED=$seed");

sub one { return $_[ int(rand(scalar @_)) ] }
sub chance { return rand() < $_[0] }

my @analysts = qw(dp_ann dp_bob);
my $node = LedgerCluster->new('cancellation', "autovacuum = off\njit = off\nmax_worker_processes = 16\ndeadlock_timeout = '50ms'\n");

$node->use_library($ENV{FUZZ_LIBRARY} || 'assert');
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE visits AS SELECT i % 300 AS person, i % 97 AS x, i % 3 = 0 AS b FROM generate_series(1, 5000) AS i;
CREATE TABLE stays AS SELECT * FROM visits;
ANALYZE;
SELECT dp_noise.protect(r, privacy_unit => 'person', max_rows_per_unit => 5, max_groups_per_unit => 2, epsilon => 1e13, delta => 1) FROM unnest('{visits,stays}'::regclass[]) AS r;
SELECT dp_noise.alter_population('visits', on_repeat => 'answer'), dp_noise.set_budget(a, 'visits', 1000000000), dp_noise.set_budget(a, 'stays', 1000000000) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS a;

CREATE SCHEMA t;
-- Cancels what the analysts do, until they are calm, or so many seconds are over.
CREATE PROCEDURE t.cancel(seconds double precision) LANGUAGE plpgsql AS $$
DECLARE
	until timestamptz := clock_timestamp() + make_interval(secs => seconds);
BEGIN
	WHILE clock_timestamp() < until LOOP
		PERFORM pg_sleep(random() ^ 3 * 0.1);
		PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename IN ('dp_ann', 'dp_bob') AND application_name <> 'calm' AND state = 'active' AND random() < 0.5;
		COMMIT;
		-- the table that both ask about
		IF random() < 0.1 THEN
			BEGIN
				PERFORM set_config('lock_timeout', '20ms', true);
				IF random() < 0.5 THEN LOCK TABLE visits; ELSE LOCK TABLE stays; END IF;
			EXCEPTION WHEN lock_not_available THEN
				NULL;
			END;
			PERFORM pg_sleep(random() * 0.03);
			COMMIT;
		END IF;
	END LOOP;
END
$$;
EOS

##############################################################################
# What is asked

my $number = 0;
my %asked;     # by number: whose, of which table, how often, the answers that were seen

# A question as a query for one text; its number comes first.
sub query_of
{
	my ($n) = @_;
	my $q = $asked{$n};
	my $epsilon = sprintf '%.6f', 0.1 + $n / 1e6;
	my $where = " WHERE x < " . (1000 + $n); # the epsilon is not part of the question

	$q->{epsilon} = $epsilon;
	return "SELECT 'Q|$n|' || " . (
		"dp_count(1, $epsilon) FROM $q->{table}$where",
		"dp_sum(x, 0, 100, $epsilon) FROM $q->{table}$where",
		"dp_median_exp(x, 0, 100, $epsilon) FROM $q->{table}$where",
		"string_agg(b || ' ' || n, ' ') FROM (SELECT b, dp_count(1, $epsilon) AS n FROM $q->{table}$where GROUP BY b ORDER BY b) AS s",
		"dp_sum(y, 0, 100, $epsilon) FROM (SELECT person, max(x) AS y FROM $q->{table}$where GROUP BY person) AS s",
		"(SELECT dp_count(1, $epsilon) FROM $q->{table}$where)")[ $n % 6 ];
}

sub new_question
{
	my ($role, @again) = @_;
	my $n = @again && chance(0.35) ? one(@again) : ++$number;

	$asked{$n} //= { role => $role, table => one('visits', 'stays'), times => 0, answers => [] };
	return $n;
}

sub asks { my ($n, $times) = @_; $asked{$n}{times} += $times // 1; return query_of($n) }

# Statements that ask a question, one way or another.
sub statements
{
	my ($n) = @_;
	my $delay = one('', '', ' PERFORM pg_sleep(' . rand(0.02) . ');');
	my $condition = one('query_canceled', 'query_canceled', 'query_canceled OR lock_not_available', 'OTHERS', 'OTHERS OR query_canceled', 'division_by_zero');
	my $caught = sub { return "BEGIN " . asks($n) . " INTO STRICT answer; RAISE NOTICE '%', answer;$delay" . one('', '', ' PERFORM 1 / (length(answer) - length(answer));') . " EXCEPTION WHEN $condition THEN RAISE NOTICE 'caught'; END;" };
	my $end = one('COMMIT', 'COMMIT', 'ROLLBACK');

	return (
		sub { return asks($n) . ';' },
		sub { return asks($n) . ';' },
		sub { return 'DO $$ DECLARE answer text; BEGIN ' . join(' ', map { $caught->() } 1 .. one(1, 2, 3)) . ' END $$;' },
		sub { return 'DO $$ DECLARE answer text; BEGIN ' . join(' ', map { $caught->() } 1 .. one(1, 2)) . ' END $$;' },
		sub { return 'BEGIN; SAVEPOINT s; ' . asks($n) . '; ' . one('ROLLBACK TO s; ', 'RELEASE s; ') . asks($n) . "; ROLLBACK TO s; $end;" },
		sub { return 'BEGIN; SAVEPOINT s; ' . "DECLARE c CURSOR " . one('', 'WITH HOLD ') . 'FOR ' . asks($n) . '; FETCH c; ROLLBACK TO s; ' . asks($n) . "; $end;" },
		sub { return 'BEGIN; ' . one('', 'SAVEPOINT s; ') . 'DECLARE c SCROLL CURSOR FOR ' . asks($n) . "; FETCH c; $end;" },
		sub { return "PREPARE p AS " . query_of($n) . '; ' . join('', map { asks($n); 'EXECUTE p; ' } 1 .. 3) . 'DEALLOCATE p;' },
		sub { return 'BEGIN; ' . asks($n) . "; SELECT 1 / 0; $end;" },
		sub { return 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' . asks($n) . ';' },
		sub { return 'SELECT 1 / (length(a) - length(a)) FROM (' . asks($n) . ') AS s (a);' })[ int(rand(11)) ]->();
}

# A script of an analyst, and the number of its last question.
sub script
{
	my ($role) = @_;
	my $script = "\\set VERBOSITY verbose\nSET client_min_messages = notice;\n";
	my @mine;

	foreach (1 .. $batch)
	{
		my $n = new_question($role, @mine);
		my $statements = statements($n);

		push @mine, $n;
		$script .= 'SET statement_timeout = ' . one(0, 1 + int(rand(30)), 1 + int(rand(100))) . '; SET lock_timeout = ' . one(0, 0, 1 + int(rand(10))) . ";\n$statements\nROLLBACK; RESET ALL; SET client_min_messages = notice; DEALLOCATE ALL; CLOSE ALL;\n";
	}
	my $last = new_question($role);

	# one signal may still be on its way: it ends one of two statements
	$script .= ("RESET statement_timeout; RESET lock_timeout; SET application_name = 'calm';\n") x 10;
	$script .= "SELECT pg_sleep(0.05);\n" . join('', map { asks($last) . ";\n" } 1 .. 2) . "SELECT 'held|' || count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('visits'::regclass, 'stays'::regclass);\n\\q\n";
	return ($script, $last);
}

##############################################################################
# Rounds

my (%failures, %errors);
sub failure
{
	my ($kind, $text) = @_;

	diag("$kind: $text") if ++$failures{$kind} <= 10;
	return;
}

# What the ledger says, against what was seen.
sub compare_with_ledger
{
	my ($when) = @_;
	my %charges;

	foreach my $line (split /\n/, $node->safe_psql('postgres', q{SELECT role, asked_about, to_char(epsilon, 'FM9990.000000'), count(*) FROM dp_noise.ledger WHERE population <> 'public.people' GROUP BY 1, 2, 3}))
	{
		my ($role, $relation, $epsilon, $count) = split /\|/, $line;

		$charges{"$role $relation $epsilon"} = $count;
	}
	foreach my $n (sort { $a <=> $b } keys %asked)
	{
		my $q = $asked{$n};
		my $charges = delete $charges{"$q->{role} $q->{table} $q->{epsilon}"} // 0;
		my %different = map { $_ => 1 } @{ $q->{answers} };
		my $paid = $q->{table} eq 'visits' ? scalar @{ $q->{answers} } : scalar keys %different;
		my $what = query_of($n) . "\n  $when: asked $q->{times} times, charged $charges, answers @{ $q->{answers} }";

		failure('an answer that was seen is charged', $what) if $charges < $paid;
		failure('no more charges than questions', $what) if $charges > $q->{times};
		failure('a stored answer is the only one', $what) if $q->{table} eq 'stays' && keys %different > 1 && $charges < keys %different;
	}
	failure('no other charges', join ', ', %charges) if %charges;
	my $odd = $node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', b.role, b.population, b.epsilon_spent, l.spent), ', ') FROM dp_noise.budgets AS b
		JOIN (SELECT who, population, sum(epsilon) AS spent FROM dp_noise.ledger AS l, unnest(ARRAY[l.role::text, CASE WHEN grant_paid THEN 'all' END]) AS who WHERE who IS NOT NULL GROUP BY 1, 2) AS l
			ON l.who = coalesce(b.role, 'all') AND l.population = b.population WHERE l.spent <> b.epsilon_spent});
	failure('the budget is what the ledger adds up to', $odd) if $odd ne '';
	return;
}

my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my ($seen, $caught) = (0, 0);
my $end = time() + $seconds;

while (time() < $end && !%failures)
{
	my %sessions = map { $_ => $node->session($_) } @analysts;
	my %last;
	my $canceller = $node->session($superuser);

	$canceller->{in} = "CALL t.cancel(60);\n\\q\n";
	foreach my $role (@analysts)
	{
		($sessions{$role}{in}, $last{$role}) = script($role);
	}
	$canceller->{run}->pump_nb;
	while (my @going = grep { $_->{run}->pumpable } values %sessions)
	{
		foreach my $s (@going)
		{
			$s->{run}->pump_nb;
		}
		select undef, undef, undef, 0.005;
	}
	$_->{run}->finish foreach values %sessions;
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL t.cancel%'});
	$canceller->{run}->finish;
	foreach my $role (@analysts)
	{
		my ($out, $err) = @{ $sessions{$role} }{qw(out err)};
		my $said = "$out\n$err";
		my %here;

		while ($said =~ /^(?:psql:\S+ )?(?:NOTICE:  00000: )?Q\|(\d+)\|(.*)$/mg)
		{
			push @{ $asked{$1}{answers} }, $2;
			$here{$1}++;
			$seen++;
		}
		$caught++ while $err =~ /NOTICE:  00000: caught/g;
		# the ledger was not told how a question ended: it counts as asked
		$errors{$1}++ while $err =~ /ERROR:  ([0-9A-Z]{5}):(?! this question about "stays" was asked before, and has no stored answer)/g;
		failure('the session goes on', "$role: " . query_of($last{$role}) . "\n" . substr($err, -400)) if !$here{ $last{$role} };
		failure('no lock stays', substr($out, -200)) if $out !~ /^held\|0$/m;
	}
	compare_with_ledger('after a batch');
}
$node->stop('immediate');
$node->start;
compare_with_ledger('after a crash');

is($failures{$_} // 0, 0, $_) foreach 'an answer that was seen is charged', 'no more charges than questions', 'a stored answer is the only one', 'no other charges', 'the budget is what the ledger adds up to', 'the session goes on', 'no lock stays';

# cancelled, timeouts of locks, aborted, what an aborted one did not make, division by zero
my @strange = grep { !/^(57014|55P03|25P02|25P01|34000|26000|3B001|22012|42P03|42P05)$/ } keys %errors;
is(join(' ', map { "$_ ($errors{$_})" } sort @strange), '', 'no other error');
my $log = slurp_file($node->logfile);
my @warnings = grep { !/there is (no|already a) transaction in progress/ } $log =~ /^.*(?:WARNING|leak|PANIC|TRAP|XX000).*$/mg;
is(join("\n", @warnings[ 0 .. ($#warnings < 9 ? $#warnings : 9) ]), '', 'the server has nothing to warn of');
cmp_ok($errors{57014} // 0, '>', 0, "$number questions, $seen answers seen, $caught times caught; errors: " . join ', ', map { "$_ $errors{$_}" } sort keys %errors);

$node->stop;
done_testing();
