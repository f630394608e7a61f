# What noise is added to does not depend on the order in which the server reads
# rows, or on its plan: else one unit's rows, which change both, would change what
# other units contribute. So random questions have the same true states after the
# rows of all tables were shuffled, and by plans of every kind: sorted, hashed,
# merged, parallel, in little memory.
#
# The questions are those of Questions.pm, with windows whose ORDER BY does not
# tell their rows apart, DISTINCT ON, LIMIT, sums of floating-point numbers and
# other aggregates that may go by the order: each is refused, or defined. Bounding
# leaves nothing to chance where caps are great, and with small caps on rows for
# counts, sums and means.
#
# FUZZ_SECONDS says how long, FUZZ_SEED repeats a run.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use JSON::PP qw(decode_json);
use LedgerCluster;
use Questions;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my ($batch, $rounds) = (60, 4);

srand($seed);
note("FUZZ_SEED=$seed");
$Questions::total_orders = 0;

my $node = LedgerCluster->new('orders', "fsync = off\nautovacuum = off\njit = off\nmax_worker_processes = 16\n");
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my $force_parallel = $node->safe_psql('postgres', q{SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') ORDER BY name LIMIT 1});

$node->use_library($ENV{FUZZ_LIBRARY}) if $ENV{FUZZ_LIBRARY};
make_tables($node);
$node->safe_psql('postgres', <<'EOS');
DO $$
DECLARE
	r text;
BEGIN
	FOREACH r IN ARRAY '{c,n,o,i,r,s,t}'::text[] LOOP
		EXECUTE format('ALTER TABLE prot.%I SET (parallel_workers = 2)', r);
		EXECUTE format('CREATE INDEX ON prot.%I (u)', r);
		EXECUTE format('CREATE INDEX ON prot.%I (x, y)', r);
	END LOOP;
END
$$;

-- Places all rows anew.
CREATE PROCEDURE t.shuffle(seed double precision) LANGUAGE plpgsql AS $$
DECLARE
	r text;
BEGIN
	PERFORM setseed(seed), set_config('session_replication_role', 'replica', true);
	FOREACH r IN ARRAY '{c,n,o,i,r,s,t}'::text[] LOOP
		EXECUTE format('CREATE TEMPORARY TABLE shuffled ON COMMIT DROP AS SELECT * FROM prot.%I', r);
		EXECUTE format('DELETE FROM prot.%I', r);
		EXECUTE format('INSERT INTO prot.%I SELECT * FROM shuffled ORDER BY random()', r);
		DROP TABLE shuffled;
	END LOOP;
END
$$;

-- The states, in any order; null for what the gate refuses.
CREATE FUNCTION t.states(question text, rows integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('search_path', 'prot, pub, public', false), set_config('dp_noise.max_rows_per_unit', rows::text, false);
	RETURN (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]') FROM dp_noise.true_states(question) AS s);
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR invalid_parameter_value THEN
	RETURN NULL;
WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END
$$;
EOS

my @failures;
my %errors;

# Further aggregates of a value. A state of values is in no order.
sub more_items
{
	my ($value, $filter) = @_;

	return map { "$_$filter" } "dp_mean($value, -1, 3)", "dp_variance($value, 0, 3)", "dp_max($value, -1, 3)", "dp_min($value, -1, 3)", "dp_median_exp($value, -1, 3)",
		"dp_sum(($value)::double precision / 7, -1, 2.5)", "dp_sum(($value)::numeric / 3, 0, 1000000)";
}

# A plan of another kind, as settings.
sub another_plan
{
	my @off = grep { chance(0.35) } qw(hashagg sort hashjoin mergejoin nestloop material memoize seqscan indexscan bitmapscan indexonlyscan incremental_sort);
	my $settings = join '', map { "SET enable_$_ = off; " } @off;

	$settings .= "SET work_mem = '64kB'; SET hash_mem_multiplier = 1; " if chance(0.3);
	$settings .= 'SET join_collapse_limit = 1; SET from_collapse_limit = 1; ' if chance(0.2);
	$settings .= 'SET geqo_threshold = 2; SET geqo_seed = ' . one(0, 0.3, 0.7) . '; ' if chance(0.15);
	$settings .= 'SET max_parallel_workers_per_gather = 3; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; ' . one('', 'SET parallel_leader_participation = off; ', "SET $force_parallel = on; ") if chance(0.35);
	return $settings;
}

# States as a text that is the same for the same sets of rows.
sub normal
{
	my ($states) = @_;

	return $states if $states !~ /^\[/;
	return join "\n", sort map {
		join ',', map { !defined $_ ? 'null' : /^\\x(.+)/ ? join ' ', sort $1 =~ /(.{16})/g : $_ } @$_
	} @{ decode_json($states) };
}

my ($asked, $compared, $ordered, $ordered_compared, $times) = (0, 0, 0, 0, 0);
my $by_order = qr/DISTINCT ON|LIMIT|OVER|float8|array_agg|string_agg|mode\(\)|percentile|bit_xor|corr/;
my $end = time() + $seconds;

while (time() < $end)
{
	my @questions;

	fill($node, 'plain0', extreme => chance(0.5), dangling => chance(0.5));
	$node->safe_psql('postgres', 'ANALYZE') if chance(0.5);
	while (@questions < $batch)
	{
		if (chance(0.4))
		{
			push @questions, { text => question_by_order(), cap => one(2, 20000) };
			next;
		}
		my $q = question(one(1, 1, 2), \&more_items);

		next if $q->{rows} || length($q->{text}) > 4000;
		next if $q->{text} !~ /OVER|DISTINCT|GROUP BY|LIMIT/ && chance(0.7);

		# of the first sub-query, too
		my ($a) = $q->{unit} =~ /^(.*)\.u$/;
		$q->{text} = $q->{start} . ($q->{keys} ? ' GROUP BY ' . join ', ', @{ $q->{written_keys} } : '');
		my $place = index($q->{text}, 'dp_count(*)');
		substr($q->{text}, $place, 0) = "dp_sum($a.y, -3, 3), dp_sum($a.x, 0, 5), ";

		# of values, some are chosen
		$q->{cap} = $q->{keys} == 0 && $q->{text} !~ /median|count_distinct/ ? one(2, 20000) : 20000;
		push @questions, $q;
	}

	my $ask = sub {
		my ($settings, @some) = @_;

		return map { normal($_) } run_each($node, $superuser, "$settings SET dp_noise.delta = 1e-7; SET dp_noise.epsilon = 1; SET dp_noise.max_groups_per_unit = 200; SET statement_timeout = '20s';",
			map { 't.states(' . quote($_->{text}) . ", $_->{cap})" } @some);
	};
	my @first = $ask->('', @questions);
	my @accepted;

	foreach my $n (0 .. $#questions)
	{
		my $is_ordered = $questions[$n]{text} =~ $by_order;

		$asked++;
		$ordered++ if $is_ordered;
		if ($first[$n] =~ /^error (\S+)/)
		{
			$errors{$first[$n]} = $questions[$n]{text} if $1 ne '57014';
			next;
		}
		next if $first[$n] eq '';
		$ordered_compared++ if $is_ordered;
		$compared++;
		push @accepted, { %{ $questions[$n] }, states => $first[$n] };
	}
	foreach my $round (1 .. $rounds)
	{
		my $settings = chance(0.25) ? '' : another_plan();

		$node->safe_psql('postgres', 'CALL t.shuffle(' . (int(rand(2000)) / 1000 - 1) . ')') if chance(0.75);
		my @again = $ask->($settings, @accepted);
		foreach my $n (0 .. $#accepted)
		{
			$times++;
			next if $again[$n] eq $accepted[$n]{states} || $again[$n] =~ /^error 57014/;
			push @failures, $accepted[$n]{text};
			diag("other states\n  $accepted[$n]{text}\n  cap $accepted[$n]{cap}; $settings\n$accepted[$n]{states}\nbecame\n$again[$n]") if @failures <= 5;
		}
	}
}

is(scalar @failures, 0, 'the same states in every order and by every plan');
is(join("\n", %errors), '', 'no error');
cmp_ok($compared, '>', $asked / 10, "$compared of $asked questions were compared, $times times");
cmp_ok($ordered_compared, '>', 0, "$ordered_compared of $ordered questions where the order might matter");

$node->stop;
done_testing();
