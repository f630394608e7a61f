# A standby repeats what was answered on the primary server, and answers nothing
# else; promoted, it charges.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\nmax_worker_processes = 16\n");
$primary->start;
$primary->safe_psql('postgres', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE ROLE own;
CREATE ROLE dp_ann LOGIN;
CREATE ROLE dp_bob LOGIN;
GRANT CREATE ON SCHEMA public TO own;
SET ROLE own;
CREATE TABLE patients (id integer PRIMARY KEY, city text COLLATE "C", smoker boolean);
INSERT INTO patients SELECT i, 'city' || i % 3, i % 2 = 0 FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('patients', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget(r, 'patients', 10, delta => 1e-3) FROM unnest('{dp_ann,dp_bob}'::regrole[]) AS r;
EOS
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# Runs SQL as somebody; (what is shown, what is said).
sub ask
{
	my ($node, $role, $sql) = @_;
	my ($out, $err);

	$node->psql('postgres', "\\set VERBOSITY verbose\nSET dp_noise.epsilon = 0.01; SET dp_noise.delta = 1e-6;\n$sql",
		stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ]);
	return ($out, $err);
}

# Also what is not yet on disk: answers are stored without waiting for that.
sub caught_up { return $primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert')) }

# The same there as here.
sub replayed
{
	my ($sql, $name) = @_;
	my ($here) = ask($primary, 'dp_ann', $sql);

	caught_up();
	my ($there, $err) = ask($standby, 'dp_ann', $sql);
	is($err, '', "$name: answered");
	is($there, $here, "$name: as on the primary server");
	return;
}

sub refused
{
	my ($role, $sql, $pattern, $name) = @_;

	caught_up();
	my ($out, $err) = ask($standby, $role, $sql);
	like($err, $pattern, $name);
	is($out, '', "$name: no answer");
	return;
}

my $standby_only = qr/ERROR:  55000: privacy budgets cannot be charged on a standby\nHINT:  Ask the primary server. A standby repeats what was answered there/;
my $total = 'SELECT count(*) FROM patients';

refused('dp_ann', $total, $standby_only, 'a question that was not asked');
replayed($total, 'a question that was asked');
replayed('SELECT smoker, dp_count(*) FROM patients GROUP BY smoker', 'public groups');
replayed('SET dp_noise.epsilon = 1; SELECT city, dp_count(*) FROM patients GROUP BY city', 'private groups');
replayed('SELECT (SELECT count(*) FROM patients), (SELECT count(*) FROM patients WHERE smoker AND city IS NOT NULL)', 'two questions, one of which is new');
refused('dp_ann', 'SELECT (SELECT count(*) FROM patients), (SELECT count(*) FROM patients WHERE NOT smoker)', $standby_only, 'one of two questions that was asked');
refused('dp_bob', $total, $standby_only, 'what somebody else has asked');
is((ask($standby, 'dp_ann', 'SELECT smoker FROM patients GROUP BY smoker'))[0], "f\nt\n", 'public keys alone cost nothing');
is((ask($standby, 'dp_ann', "BEGIN; DECLARE c CURSOR FOR $total; FETCH c; COMMIT"))[0], (ask($primary, 'dp_ann', $total))[0], 'a cursor');

# What was charged is replayed, whoever has seen it: after MOVE, and in a
# transaction that was rolled back.
sub spent { return $primary->safe_psql('postgres', q{SELECT epsilon_spent FROM dp_noise.budgets WHERE role = 'dp_ann'}) }
my $before = spent();
ask($primary, 'dp_ann', "BEGIN; DECLARE c CURSOR FOR $total WHERE id > 1; MOVE 1 FROM c; COMMIT");
replayed("$total WHERE id > 1", 'after MOVE');
ask($primary, 'dp_ann', "BEGIN; $total WHERE id > 2; ROLLBACK");
replayed("$total WHERE id > 2", 'after ROLLBACK');
is(sprintf('%.2f', spent() - $before), '0.02', 'each was charged once');

# EXPLAIN
like((ask($standby, 'dp_ann', "EXPLAIN $total"))[0], qr/Answer: replayed\n.*Epsilon to Pay: 0\n/s, 'EXPLAIN of what was asked');
like((ask($standby, 'dp_ann', "EXPLAIN $total WHERE id > 7"))[0], qr/Answer: not known\n.*Reason: privacy budgets cannot be charged on a standby/s, 'EXPLAIN of another question');

# The owner's rules arrive there, whatever the standby's worker has seen before.
$primary->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'refuse')});
refused('dp_ann', $total, qr/ERROR:  53400: this question about "patients" was answered before/, 'repeats are refused');
$primary->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'answer')});
refused('dp_ann', $total, $standby_only, 'repeats have fresh noise');
$primary->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'replay')});
replayed($total, 'repeats are replayed again');
$primary->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', answers_expire => '1 second')});
sleep 2;
refused('dp_ann', $total, $standby_only, 'the answer has expired');
$primary->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', answers_expire => '0')});
$primary->safe_psql('postgres', q{SELECT dp_noise.drop_budget('dp_ann', 'patients')});
refused('dp_ann', $total, qr/ERROR:  42501: /, 'the budget is gone');
$primary->safe_psql('postgres', q{SELECT dp_noise.set_budget('dp_ann', 'patients', 10, delta => 1e-3)});
replayed($total, 'it is back');
$primary->safe_psql('postgres', q{SELECT dp_noise.forget_answers('patients', before => now() + interval '1 day')});
caught_up();
isnt((ask($standby, 'dp_ann', $total))[1], '', 'answers were forgotten');

# Promoted, with a worker that has just answered as a standby's.
replayed("$total WHERE id > 5", 'before promotion');
$standby->promote;
my ($out, $err) = ask($standby, 'dp_ann', "$total WHERE id > 6");
like($out, qr/^-?\d+$/, 'promoted, it answers');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM dp_noise.ledger}), $primary->safe_psql('postgres', q{SELECT count(*) + 1 FROM dp_noise.ledger}), 'and charges');
$standby->stop;
$primary->stop;
done_testing();
