# Class: work whose size an owner or an asker chooses, done in the process that
# everybody waits for.
# An owner makes thousands of tables, populations and budgets, renames and drops
# them, keeps locks, and forgets answers; an asker is a member of thousands of
# groups; somebody keeps an old snapshot. How many rows the ledger's worker reads
# for another population's charge stays what it was. (Times are measured by
# bench/worst_owner.)

use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('worst', "autovacuum = off\nfsync = off\nmax_locks_per_transaction = 1000\n");
my $questions = 30;

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE bobs (id int);
SELECT dp_noise.protect('bobs', epsilon => 1e6, delta => 1), dp_noise.alter_population('bobs', on_repeat => 'answer');
-- whose owner is allowed to have a relation in another's population
CREATE ROLE friend;
SELECT dp_noise.allow_members('bobs', 'friend');
ALTER TABLE bobs OWNER TO friend;
CREATE ROLE of_ann ROLE dp_ann;
SELECT dp_noise.set_budget('dp_ann', 'bobs', 1e6), dp_noise.set_budget('of_ann', 'bobs', 1e6, shared => true);
EOS

sub end_worker
{
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'});
	return;
}

# Rows that all sessions have read in the tables that the worker reads.
sub rows_read
{
	my %read = map { split /\|/ } split /\n/, $node->safe_psql('postgres', <<'EOS');
SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) + (SELECT coalesce(sum(i.idx_tup_read), 0) FROM pg_stat_all_indexes AS i WHERE i.relid = t.relid)
FROM pg_stat_all_tables AS t WHERE schemaname = 'dp_noise_ledger' OR relname IN ('pg_authid', 'pg_auth_members')
EOS
	return \%read;
}

# The same for some questions of a role about a table, to workers that know nothing yet.
sub read_for
{
	my ($role, $table, $asks) = @_;
	my ($before, $after, %read);
	my $said = '';

	end_worker();
	$before = rows_read();
	foreach my $turn (1 .. 3)
	{
		my ($out, $err);

		$node->psql('postgres', "SELECT CASE WHEN replayed THEN 'replayed' ELSE 'charged' END FROM dp_noise.charge('$table', 0.01, 0, int4send((random() * 1e9)::int)); " x ($asks / 3),
			stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0);
		$said .= $out . $err . "\n";
		end_worker();
	}
	$after = rows_read();
	$read{$_} = $after->{$_} - $before->{$_} foreach keys %$after;
	return (\%read, $said);
}

sub charged
{
	my ($said) = @_;
	my $charged = () = $said =~ /charged/g;

	return $charged;
}

# Whether no more is read than was before, but for a few rows: what others do
# meanwhile, and how pages are pruned.
sub is_as_before
{
	my ($before, $now, $what) = @_;

	note(join ', ', map { "$_ $now->{$_}" } sort keys %$now);
	foreach my $table (sort keys %$before)
	{
		cmp_ok($now->{$table}, '<=', 1.25 * $before->{$table} + 30, "$what: rows read of $table");
	}
	return;
}

my ($before, $said) = read_for('dp_ann', 'bobs', $questions);
is(charged($said), $questions, 'questions are charged');
note(join ', ', map { "$_ $before->{$_}" } sort keys %$before);

$node->safe_psql('postgres', slurp_file("$FindBin::RealBin/../../lib/worst_owner.sql"));
is($node->safe_psql('postgres', q{SELECT count(*) FROM dp_noise_ledger.member WHERE relation <> 0}), 4002, 'thousands of tables are protected');

(my $now, $said) = read_for('dp_ann', 'bobs', $questions);
is(charged($said), $questions, 'the questions of another are charged');
is_as_before($before, $now, 'after an owner made much');

# Who is a member of very many groups, or of some that share more budgets than may pay.
(my $read, $said) = read_for('eve', 'm.t1', 30);
like($said, qr/ERROR:  too many privacy budgets for "t1" would pay for role "eve"/, 'a member of two thousand groups is refused');
cmp_ok($read->{$_}, '<=', 20000, "without reading all of $_") foreach qw(budget spending member allowance population answer charge);
($read, $said) = read_for('carl', 'm.t1', 30);
is(charged($said), 30, 'a member of as many as may pay is charged') or diag $said;
$node->safe_psql('postgres', 'GRANT g33 TO carl');
($read, $said) = read_for('carl', 'm.t1', 30);
like($said, qr/ERROR:  too many privacy budgets for "t1" would pay for role "carl"\nDETAIL:  At most 32 budgets that its groups share may pay/, 'and of one more is not');
is($node->safe_psql('postgres', q{SELECT string_agg(epsilon_spent::text, ' ') FROM dp_noise.budgets WHERE population = 'one' AND role = 'g32'}), '0.3', 'nor charged');
like(($node->psql('postgres', q{SELECT dp_noise.set_budget('g1', 'one', 1, relations => (SELECT array_agg(format('m.t%s', j)::regclass) FROM generate_series(1, 1001) AS j))}))[2],
	qr/ERROR:  a budget may name at most 1000 relations/, 'nor may a budget name more relations');

# An owner's transaction that holds the population, forgets, renames and drops.
my $owner = $node->session('mallory');
$owner->{in} .= "BEGIN; SELECT dp_noise.forget_answers('one', now()); ALTER TABLE m.t1 RENAME TO u1; ALTER TABLE m.t4000 RENAME c TO d; SELECT 'forgotten';\n";
IPC::Run::pump $owner->{run} until $owner->{out} =~ /forgotten/ || $owner->{err} =~ /ERROR/;
is($owner->{err}, '', 'an owner keeps a lock');
($now, $said) = read_for('dp_ann', 'bobs', $questions);
is(charged($said), $questions, 'the questions of another are charged');
is_as_before($before, $now, 'while an owner keeps a lock');
$owner->{in} .= "COMMIT;\nDROP TABLE m.u1, " . join(', ', map { "m.t$_" } 2 .. 500) . ";\nSELECT 'dropped';\n\\q\n";
eval { IPC::Run::finish $owner->{run} };
like($owner->{out}, qr/dropped/, 'and drops tables') or diag $owner->{err};
($now, $said) = read_for('dp_ann', 'bobs', $questions);
is_as_before($before, $now, 'after that');

# Whoever keeps a snapshot keeps all versions of what each charge changes.
my $reader = $node->session('eve');
$reader->{in} .= "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 'read';\n";
IPC::Run::pump $reader->{run} until $reader->{out} =~ /read/;
$node->as_ann(q{DO $$ BEGIN FOR i IN 1 .. 3000 LOOP PERFORM dp_noise.charge('bobs', 0.01, 0, int4send(i)); END LOOP; END $$});
end_worker();
my $versions = rows_read();
$node->as_ann(q{DO $$ BEGIN FOR i IN 1 .. 100 LOOP PERFORM dp_noise.charge('bobs', 0.01, 0, int4send(i)); END LOOP; END $$});
end_worker();
my $visited = rows_read()->{spending} - $versions->{spending};
cmp_ok($visited, '<=', 5000, 'an old snapshot: rows of spending that are visited');
note("$visited versions");
$reader->{in} .= "\\q\n";
IPC::Run::finish $reader->{run};

$node->stop;
done_testing();
