# What noise is added to is the sum of what each unit contributes: the true states
# of a question over all rows are those over the rows of each unit alone, merged,
# and those of a unit alone keep to its caps. Noise is calibrated to the latter,
# and protects by the former.
#
# - With caps that nobody reaches, nothing is left to chance: counts, sums, means,
#   variances, categories and bins add up, and the values of medians, quantiles,
#   maxima and minima are those of all units together.
# - With small caps on rows, so do counts, sums, means, variances and extremes,
#   which are bounded without a choice; of values that are chosen at random there
#   are so many.
# - With small caps on groups, too, a unit alone is in so many of its groups, and
#   there with what it has in them; all units together are counted so many times.
#
# The questions are those of Questions.pm, with public and private keys, before
# groups are selected, and grouping sets; the rows have extreme values, nulls, rows
# of nobody and references to what is not there.
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
my $batch = 20;

# that nobody reaches, and small
my $plenty = 20000;
my ($rows, $groups) = (2, 2);

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('additivity', "fsync = off\nautovacuum = off\njit = off\n");

$node->use_library($ENV{FUZZ_LIBRARY}) if $ENV{FUZZ_LIBRARY};
make_tables($node);
$node->safe_psql('postgres', <<"EOS");
-- The states of a question under pairs of caps.
CREATE FUNCTION t.states(question text, all_caps text[]) RETURNS jsonb LANGUAGE plpgsql AS \$\$
DECLARE
	result jsonb := '[]';
	caps text[];
BEGIN
	FOREACH caps SLICE 1 IN ARRAY all_caps LOOP
		PERFORM set_config('dp_noise.max_rows_per_unit', caps[1], false), set_config('dp_noise.max_groups_per_unit', caps[2], false);
		result := result || jsonb_build_array(coalesce((SELECT jsonb_agg(to_jsonb(s)) FROM dp_noise.true_states(question) AS s), '[]'));
	END LOOP;
	RETURN result;
END
\$\$;

-- Those of all units, and of each alone; null for what the gate refuses.
CREATE FUNCTION t.parts(question text, relations text[], has_keys boolean) RETURNS jsonb LANGUAGE plpgsql AS \$\$
DECLARE
	result jsonb;
	states jsonb;
	unit integer;
	relation text;
	caps text[] := '{{$plenty,200},{$rows,200}}';
BEGIN
	IF has_keys THEN
		caps := caps || '{{$rows,$groups}}';
	END IF;
	PERFORM set_config('search_path', 'prot, pub, public', false), set_config('session_replication_role', 'replica', false);
	BEGIN
		result := jsonb_build_object('all', t.states(question, caps));
	EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR invalid_parameter_value THEN
		RETURN NULL;
	END;
	FOR unit IN 1 .. 7 LOOP
		BEGIN
			FOREACH relation IN ARRAY relations LOOP
				EXECUTE format('DELETE FROM prot.%I WHERE u <> %s', relation, unit);
			END LOOP;
			states := t.states(question, caps);
			RAISE EXCEPTION 'back' USING ERRCODE = 'ZZZZZ';
		EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
			result := result || jsonb_build_object(unit::text, states);
		END;
	END LOOP;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN to_jsonb('error ' || SQLSTATE || ' ' || SQLERRM);
END
\$\$;
EOS

my %failures;
sub failure
{
	my ($kind, $text, $more) = @_;

	push @{ $failures{$kind} }, $text;
	diag("$kind\n  $text\n  $more") if @{ $failures{$kind} } <= 10;
	return;
}

##############################################################################
# States

# Further aggregates of a value.
sub more_items
{
	my ($value, $filter) = @_;
	my $strange = "CASE $value WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE ($value)::double precision END";
	my $real = one("($value)::double precision / 7", $strange);

	return map { "$_$filter" } "dp_mean($value, -1, 3)", "dp_mean($real, -1.5, 2.25)", "dp_variance($value, 0, 3)", "dp_stddev($real, -1, 1)", "dp_regression($value, $real, -1, 3, -1, 1)", "dp_sum($real, -1, 2.5)",
		"dp_sum($value, -2147483648, 2147483647)", "dp_sum(($value)::numeric / 3, 0, 1000000)", "dp_max($value, -1, 3)", "dp_min($real, -1, 3)", "dp_median_exp($value, -1, 3)",
		"dp_quantile_exp($real, 0.3, -1, 3)", "dp_quantiles_exp($value, ARRAY[0.2, 0.7], -1, 3)", "dp_mode($value, ARRAY[0, 1, 2])", "dp_bounds($value)";
}

# What a state is made of, and how two of them become one.
sub kind
{
	my ($item) = @_;

	return 'number' if $item =~ /^dp_count\(/;
	return 'union' if $item =~ /^dp_count_distinct/;
	return 'tuple' if $item =~ /^dp_(sum|mean|variance|stddev|regression)/;
	return 'counts' if $item =~ /^dp_(mode|bounds)/;
	return 'extremes' if $item =~ /^dp_(max|min)/;
	return 'values';
}

# The numbers of a state, with an exact type for the greatest.
sub numbers
{
	my ($kind, $state) = @_;

	return () if !defined $state;
	return split /,/, $state =~ s/[()]//gr if $kind ne 'counts' && $state !~ /^\\x/;
	my @numbers = map { unpack 'q<', pack 'H*', $_ } substr($state, 2) =~ /(.{16})/g;
	return $kind eq 'counts' ? @numbers : sort { $a <=> $b } @numbers;
}

# Exact sums of integers beyond 64 bits.
sub add
{
	my ($left, $right) = @_;
	use bigint;

	return (map { (0 + ($left->[$_] // '0') + ($right->[$_] // '0')) . '' } 0 .. ($#$left > $#$right ? $#$left : $#$right));
}

sub merge
{
	my ($kind, @states) = @_;

	return sort { $a <=> $b } map { numbers($kind, $_) } @states if $kind eq 'extremes' || $kind eq 'values';
	my @sum;
	@sum = add(\@sum, [ numbers($kind, $_) ]) foreach @states;
	return @sum;
}

# By keys: the states, and how many units there are. The first state is the sum
# that tells where keys end.
sub by_keys
{
	my ($rows, $items) = @_;
	my %result;

	foreach my $row (@$rows)
	{
		my ($keys) = grep { ($row->[$_] // '') =~ /^\(/ } 0 .. $#$row;

		return if !defined $keys || @$row < $keys + $items;
		my $key = join ',', map { $_ // 'null' } @{$row}[ 0 .. $keys - 1 ];
		my @states = @{$row}[ $keys .. $keys + $items - 1 ];

		return if exists $result{"$keys: $key"}; # keys of several sets look alike
		$result{"$keys: $key"} = \@states;
	}
	return \%result;
}

# Without zeros at the end, which an empty state may lack.
sub plain { my @numbers = map { s/^\+//r } @_; pop @numbers while @numbers && $numbers[-1] eq '0'; return join ',', @numbers; }

my %seen_kinds;

# Compares the whole with its parts; says what is wrong.
sub additive
{
	my ($items, $whole, $parts, $is_bounded) = @_;
	my %keys = map { $_ => 1 } map { keys %$_ } $whole, @$parts;

	foreach my $key (sort keys %keys)
	{
		foreach my $place (0 .. $#$items)
		{
			my $kind = kind($items->[$place]);
			my $state = $whole->{$key} ? $whole->{$key}[$place] : undef;
			my @states = map { $_->{$key} ? $_->{$key}[$place] : () } @$parts;
			my @whole = $kind eq 'union' ? $state // 0 : numbers($kind, $state);
			my @sum = merge($kind, @states);

			if ($kind eq 'union')
			{
				my $greatest = 0;

				$_ > $greatest and $greatest = $_ foreach @states;
				next if $whole[0] >= ($is_bounded ? 0 : $greatest) && $whole[0] <= ($sum[0] // 0) && ($place != 1 || $whole[0] == ($sum[0] // 0));
			}
			elsif ($is_bounded && $kind eq 'values')
			{
				next if @whole == @sum;
			}
			elsif ($is_bounded && $kind eq 'counts')
			{
				my ($left, $right) = map { my $n = 0; $n += $_ foreach @$_; $n } \@whole, \@sum;

				next if $left == $right;
			}
			else
			{
				next if plain(@whole) eq plain(@sum);
			}
			return "$items->[$place] of ($key) is " . ($state // 'nothing') . ', of each unit ' . join ' ', map { $_ // 'nothing' } @states;
		}
	}
	return;
}

# How many of the sets of CUBE over so many keys have so many of them. No state says
# of which set it is, so their groups are counted together.
sub sets_of_cube
{
	my ($keys, $size) = @_;
	my $result = 1;

	$result = $result * ($keys - $_) / ($_ + 1) foreach 0 .. $size - 1;
	return $result;
}

# Whether a unit alone keeps to its caps; says what is wrong. of_rows: its states
# without a cap on groups. cube: the number of keys under CUBE, if it is there.
sub within_caps
{
	my ($items, $alone, $of_rows, $cube) = @_;
	my (%groups, %all);

	foreach my $key (keys %$alone)
	{
		foreach my $place (0 .. $#$items)
		{
			my ($item, $state) = ($items->[$place], $alone->{$key}[$place]);
			my $kind = kind($item);
			my @numbers = numbers($kind, $state);
			my $passes = 0;

			$passes = $state > ($place == 1 ? 1 : $rows) if $kind eq 'number' || $kind eq 'union';
			$passes = @numbers > ($kind eq 'extremes' ? 1 : $rows) if $kind eq 'values' || $kind eq 'extremes';
			if ($kind eq 'counts')
			{
				my $sum = 0;

				$sum += $_ foreach @numbers;
				$passes = $sum > $rows;
			}
			if ($item =~ /^dp_sum\(a\d+\.[ukxy], (-?\d), (\d)\)/)
			{
				$passes = $numbers[0] > $rows * $2 || $numbers[0] < $rows * $1;
			}
			return "$item of ($key) is $state" if $passes;
		}
		# of no rows there may be a group, with public keys
		my ($size) = $key =~ /^(\d)/;
		$groups{$size}++ if ($alone->{$key}[1] // 0) > 0;
		my $there = $of_rows->{$key} or return "($key) comes from nowhere";
		foreach my $place (0 .. $#$items)
		{
			my $kind = kind($items->[$place]);

			# what is chosen is chosen anew; steps of others may depend on the caps
			next if $kind ne 'number' && $kind ne 'extremes' && $items->[$place] !~ /^dp_sum\(a\d+\.\w, -?\d, \d\)/;
			return "$items->[$place] of ($key) is " . ($alone->{$key}[$place] // 'nothing') . ' instead of ' . ($there->[$place] // 'nothing')
			  if plain(numbers($kind, $alone->{$key}[$place])) ne plain(numbers($kind, $there->[$place]));
		}
	}
	foreach my $key (keys %$of_rows)
	{
		my ($size) = $key =~ /^(\d)/;
		$all{$size}++ if ($of_rows->{$key}[1] // 0) > 0;
	}
	foreach my $size (keys %all)
	{
		my $sets = $cube ? sets_of_cube($cube, $size) : 1;
		my ($least, $most) = map { $size == 0 || $all{$size} < $_ ? $all{$size} : $_ } $groups, $sets * $groups;
		my $count = $groups{$size} // 0;

		return "is in $count of $all{$size} groups" if $count < $least || $count > $most;
	}
	return;
}

# How many units count in groups of so many keys.
sub counted
{
	my @states = @_;
	my %result;

	foreach my $states (@states)
	{
		$result{ substr($_, 0, 1) } += $states->{$_}[1] // 0 foreach keys %$states;
	}
	return join ' ', map { "$_:$result{$_}" } grep { $result{$_} } sort keys %result;
}

##############################################################################
# Rounds

my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my ($asked, $compared, $in_groups, $of_sets) = (0, 0, 0, 0);
my $end = time() + $seconds;

while (time() < $end)
{
	my @questions;

	fill($node, 'plain0', extreme => chance(0.5), dangling => chance(0.5));
	while (@questions < $batch)
	{
		my $q = question(one(0, 0, 1, 1, 2), \&more_items);
		my %seen;
		# what tells where keys end, and how many units there are
		my @items = grep { !$seen{$_}++ } 'dp_sum(' . ($q->{unit} =~ s/u$/k/r) . ', 0, 1)', "dp_count_distinct($q->{unit})", @{ $q->{written_items} };
		my @keys = @{ $q->{written_keys} };
		next if $q->{rows} || length($q->{text}) > 4000;
		my $text = $q->{start};
		my $list = join ', ', @{ $q->{written_items} };

		substr($text, index($text, $list), length $list) = join ', ', @items;
		if (@keys && $keys[0] =~ /\.[xyk]$/ && chance(0.3))
		{
			$text .= ($q->{has_where} ? ' AND ' : ' WHERE ') . "$keys[0] IN (0, 1, 3)";
		}
		my $sets = @keys && chance(0.3);
		my $all = join ', ', @keys;
		my $grouping = $sets ? one("ROLLUP ($all)", "GROUPING SETS (($all), ())", "GROUPING SETS (($all), ($keys[0]), ())", "CUBE ($all)") : $all;

		$text .= " GROUP BY $grouping" if @keys;
		push @questions, { text => $text, cube => $grouping =~ /^CUBE/ ? scalar @keys : 0, items => \@items, keys => scalar @keys, sets => $sets, people => $q->{people} };
	}
	my @results = run_each($node, $superuser, "SET dp_noise.delta = 1e-7; SET dp_noise.epsilon = 1;",
		map { "(t.parts(" . quote($_->{text}) . ", '{" . join(',', map { $_ eq 'c' || $_ eq 'o' ? qw(o c) : $_ } @{ $_->{people} }) . "}', " . ($_->{keys} > 0 ? 'true' : 'false') . "))::text" } @questions);

	foreach my $n (0 .. $#questions)
	{
		my $q = $questions[$n];
		my @items = @{ $q->{items} };

		$asked++;
		next if $results[$n] eq '';
		if ($results[$n] =~ /^"error (\S+)/)
		{
			failure('no error', $q->{text}, $results[$n]);
			next;
		}
		my $states = decode_json($results[$n]);
		my (@whole, @parts);
		my $is_clear = 1;

		foreach my $caps (0 .. ($q->{keys} > 0 ? 2 : 1))
		{
			my @sorted = map { by_keys($states->{$_}[$caps], scalar @items) } 'all', 1 .. 7;

			$is_clear &&= @sorted == 8 && !grep { !defined } @sorted;
			push @whole, shift @sorted;
			push @parts, [@sorted];
		}
		next if !$is_clear;
		$compared++;
		$in_groups++ if $q->{keys};
		$of_sets++ if $q->{sets};
		$seen_kinds{$_}++ foreach map { /^(\w+)/ } @items;
		my $wrong = additive(\@items, $whole[0], $parts[0], 0);
		failure('all rows together are the units alone', $q->{text}, $wrong) if $wrong;
		$wrong = additive(\@items, $whole[1], $parts[1], 1);
		failure('all bounded units together are the bounded units alone', $q->{text}, $wrong) if $wrong;
		foreach my $unit (1 .. 7)
		{
			$wrong = within_caps(\@items, $parts[-1][ $unit - 1 ], $parts[1][ $unit - 1 ], $q->{cube});
			failure('a unit alone keeps to its caps', $q->{text}, "unit $unit: $wrong") if $wrong;
		}
		my ($together, $alone) = (counted($whole[-1]), counted(@{ $parts[-1] }));
		failure('units together are in as many groups as alone', $q->{text}, "$together and $alone") if $together ne $alone;
	}
}

is(scalar @{ $failures{$_} // [] }, 0, $_) foreach 'no error', 'all rows together are the units alone', 'all bounded units together are the bounded units alone', 'a unit alone keeps to its caps', 'units together are in as many groups as alone';
cmp_ok($compared, '>', $asked / 10, "$compared of $asked questions were compared, $in_groups in groups, $of_sets in grouping sets");
note(join ', ', map { "$_ $seen_kinds{$_}" } sort keys %seen_kinds);

$node->stop;
done_testing();
