# Audit::Events: the event by which the answers of two neighbouring tables are
# told apart best.
#
#   my @statistics = statistics_of($one, $two);
#   my $event = best_event(\@statistics, $z, $judge);    # picked on first halves
#   my ($likely, $other) = seen($event);                 # counted on second halves
#
# Answers are columns, one for each number of an answer, each a list of its
# values over all draws. From them come statistics: each column, sums,
# differences, the least and the greatest of the columns, residues and last
# digits, pairs of columns, and the evidence of all columns together, by their
# likelihood ratios. Each statistic is cut into cells, by its values if these
# are few, by quantiles of the first halves otherwise. Events are sets of cells:
# above or below a threshold, in an interval, a single cell, and the cells
# where one table is likelier than the other by more than a factor.
#
# Whatever is chosen here is chosen from the first halves alone, so the second
# halves test one event that was fixed before. Likelihood ratios are learned
# from first quarters, and what is made of them is judged on second ones: judged
# on the same draws, they would look better than any threshold.

package Audit::Events;

use strict;
use warnings;
no warnings qw(numeric);

use Audit::Confidence qw(wilson_bounds);
use Exporter qw(import);
use List::Util qw(max min sum0 uniq);

our @EXPORT_OK = qw(best_event counted cut judged learned seen statistics_of);

# Cells of a statistic whose values are many, and of a column that is one of
# several in a sum of evidence or in a pair.
our $cells      = 64;
our $few_cells  = 16;
our $pair_cells = 8;

my $number = qr/^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

##############################################################################
# Statistics: a name, and the values under both tables.

sub statistic
{
	my ($name, $one, $two) = @_;

	return { name => $name, values => [ $one, $two ] };
}

# A function of the same draw's numbers.
sub derived
{
	my ($name, $function, @columns) = @_;
	my @values;

	foreach my $side (0, 1)
	{
		my @lists = map { $_->{values}[$side] } @columns;

		push @values, [ map { my $i = $_; $function->(map { $_->[$i] } @lists) } 0 .. $#{ $lists[0] } ];
	}
	return statistic($name, @values);
}

# Whether all values of the first halves match.
sub all_match
{
	my ($statistic, $pattern) = @_;

	foreach my $values (@{ $statistic->{values} })
	{
		foreach (@$values[ 0 .. half($values) - 1 ]) { return 0 if $_ !~ $pattern }
	}
	return 1;
}

sub residues
{
	my ($column) = @_;

	return derived("last digit of $column->{name}", sub { substr $_[0], -1 }, $column) if !all_match($column, qr/^-?\d{1,18}$/);
	return map { my $m = $_; derived("$column->{name} mod $m", sub { $_[0] % $m }, $column) } 2, 3, 5, 7, 8, 10;
}

# All statistics of both tables' columns, whose names may be given.
sub statistics_of
{
	my ($one, $two, @names) = @_;
	my @columns = map { statistic($names[$_] // 'answer' . (@$one > 1 ? $_ + 1 : ''), $one->[$_], $two->[$_]) } 0 .. $#$one;
	my @found   = @columns;
	my $numeric   = !grep { !all_match($_, $number) } @columns;

	push @found, map { residues($_) } @columns[ 0 .. min(1, $#columns) ] if $numeric;
	return @found if @columns == 1;
	if ($numeric)
	{
		push @found, derived('sum', sub { sum0(@_) }, @columns), derived('least', sub { min(@_) }, @columns),
			derived('greatest', sub { max(@_) }, @columns);
		foreach my $i (0 .. min(2, $#columns))
		{
			push @found, map { derived("$columns[$i]{name} - $columns[$_]{name}", sub { $_[0] - $_[1] }, @columns[ $i, $_ ]) }
				$i + 1 .. min(3, $#columns);
		}
	}
	push @found, map { pair(@columns[ $_, $_ + 1 ]) } 0 .. min(2, $#columns - 1);
	push @found, evidence(@columns);
	return @found;
}

##############################################################################
# Cells

sub half { return int(@{ $_[0] } / 2) }
sub quarter { return int(@{ $_[0] } / 4) }

# Finds cells for a statistic, about so many at most, and the cell of each draw.
sub cut
{
	my ($statistic, $most) = @_;
	$most //= $cells;
	my @values = map { @$_[ 0 .. half($_) - 1 ] } @{ $statistic->{values} };
	my @distinct = uniq(@values);
	my $is_number = all_match($statistic, $number);
	my @starts;

	@distinct = $is_number ? sort { $a <=> $b } @distinct : sort @distinct;
	if ($is_number && @distinct > $most)
	{
		@values = sort { $a <=> $b } @values;
		@starts = uniq(map { $values[ $_ * @values / $most ] } 0 .. $most - 1);
	}
	else
	{
		@starts = @distinct;
	}

	# Values that are met first in the second halves: in the cell below, or in
	# one of their own if they are no numbers.
	my %cell;
	@cell{@starts} = 0 .. $#starts;
	my @of;
	foreach my $values (@{ $statistic->{values} })
	{
		push @of, [ map { $cell{$_} //= $is_number && /$number/ ? place($_, \@starts) : scalar @starts } @$values ];
	}
	return { of => \@of, starts => \@starts, number => @starts + 1, ordered => $is_number, single => @starts == @distinct };
}

# The last of the starts that is not above a value, or the first.
sub place
{
	my ($value, $starts) = @_;
	my ($low, $high) = (0, scalar @$starts);

	while ($high - $low > 1)
	{
		my $middle = int(($low + $high) / 2);

		if ($starts->[$middle] <= $value) { $low = $middle }
		else { $high = $middle }
	}
	return $low;
}

# How often each cell was met among the draws from one place up to another.
sub counts
{
	my ($cut, $from, $to) = @_;
	my @counts;

	foreach my $of (@{ $cut->{of} })
	{
		my @count = (0) x $cut->{number};

		$count[$_]++ foreach @$of[ $from->($of) .. $to->($of) - 1 ];
		push @counts, \@count;
	}
	return @counts;
}

my $start = sub { return 0 };

sub learned { return counts($_[0], $start, \&quarter); }
sub judged { return counts($_[0], \&quarter, \&half); }
sub counted { return counts($_[0], \&half, sub { scalar @{ $_[0] } }); }

# The evidence of all columns: the sum of the logarithms of their cells'
# likelihood ratios, as first quarters have them. That is a fixed function of
# the answer, if not the best where columns depend on each other.
sub evidence
{
	my (@columns) = @_;
	my @sums = map { [ (0) x @{ $columns[0]{values}[$_] } ] } 0, 1;

	foreach my $column (@columns)
	{
		my $cut = cut($column, $few_cells);
		my ($one, $two) = learned($cut);
		my @log = map { log(($one->[$_] + 3) / ($two->[$_] + 3)) } 0 .. $cut->{number} - 1;

		foreach my $side (0, 1)
		{
			my $of  = $cut->{of}[$side];
			my $sum = $sums[$side];

			$sum->[$_] += $log[ $of->[$_] ] foreach 0 .. $#$of;
		}
	}
	return { %{ statistic('evidence', map { [ map { sprintf '%.4f', $_ } @$_ ] } @sums) }, learned => 1 };
}

# Two columns at once, as text.
sub pair
{
	my (@columns) = @_;
	my @cuts = map { cut($_, $pair_cells) } @columns;

	return statistic("($columns[0]{name}, $columns[1]{name})",
		map { my $side = $_; [ map { "$cuts[0]{of}[$side][$_],$cuts[1]{of}[$side][$_]" } 0 .. $#{ $cuts[0]{of}[$side] } ] } 0, 1);
}

##############################################################################
# Events

# The best event of a statistic, by judge($k_one, $n_one, $k_two, $n_two).
sub best_of
{
	my ($statistic, $judge) = @_;
	my $cut  = cut($statistic);
	my $last = $cut->{number} - 1;
	my $best = { value => -9**9**9 };
	my ($one, $two, $n_one, $n_two);

	my $use = sub {
		($one, $two) = @_;
		($n_one, $n_two) = map { sum0(@$_) } $one, $two;
	};
	my $try = sub {
		my ($k_one, $k_two, $from, $to, $set) = @_;

		foreach my $turned (0, 1)
		{
			my $value = $judge->($turned ? ($k_two, $n_two, $k_one, $n_one) : ($k_one, $n_one, $k_two, $n_two));

			$best = { value => $value, turned => $turned, from => $from, to => $to, set => $set } if $value > $best->{value};
		}
	};

	if ($cut->{ordered})
	{
		$use->($statistic->{learned} ? judged($cut) : counts($cut, $start, \&half));
		foreach my $from (0 .. $last)
		{
			my ($k_one, $k_two) = (0, 0);

			foreach my $to ($from .. $last)
			{
				$k_one += $one->[$to];
				$k_two += $two->[$to];
				$try->($k_one, $k_two, $from, $to);
			}
		}
	}
	($one, $two) = learned($cut);
	my @order = sort { ($one->[$b] + 3) / ($two->[$b] + 3) <=> ($one->[$a] + 3) / ($two->[$a] + 3) } 0 .. $last;
	$use->(judged($cut));
	foreach my $sorted (\@order, [ reverse @order ])
	{
		my ($k_one, $k_two) = (0, 0);

		foreach my $place (0 .. $last)
		{
			$k_one += $one->[ $sorted->[$place] ];
			$k_two += $two->[ $sorted->[$place] ];
			$try->($k_one, $k_two, 0, $place, $sorted);
		}
	}
	my @places = $best->{from} .. $best->{to};
	$best->{set} = defined $best->{set} ? [ @{ $best->{set} }[@places] ] : \@places;
	return { %$best, cut => $cut, name => described($statistic, $cut, $best) };
}

sub described
{
	my ($statistic, $cut, $event) = @_;
	my @set    = sort { $a <=> $b } @{ $event->{set} };
	my @starts = (@{ $cut->{starts} }, 'another value');
	my $name   = $statistic->{name};

	my $last   = $#{ $cut->{starts} };

	return "$name in " . @set . ' of ' . @starts . ' cells' if $name =~ /^\(/ || !$cut->{ordered} && @set > 3;
	return "$name = " . join ' or ', @starts[@set] if !$cut->{ordered} || @set == 1 && $cut->{single} && $set[0] > 0 && $set[0] < $last;
	return "$name in " . @set . ' of ' . @starts . ' intervals' if $set[-1] - $set[0] != $#set;
	my @ends;
	push @ends, "$name >= $starts[$set[0]]" if $set[0] > 0;
	push @ends, $cut->{single} ? "$name <= $starts[$set[-1]]" : "$name < $starts[$set[-1] + 1]" if $set[-1] < $last;
	return @ends ? join ' and ', @ends : "any $name";
}

# The event that is best by judge($p, $q), a function of the lower bound of its
# probability under the table where it is likelier and of the upper bound under
# the other. statistics: those of statistics_of; z: the normal quantile of a
# bound's error.
sub best_event
{
	my ($statistics, $z, $judge) = @_;
	my $best;

	foreach my $statistic (@$statistics)
	{
		my $event = best_of($statistic, sub {
			my ($low) = wilson_bounds($_[0], $_[1], $z);
			my (undef, $high) = wilson_bounds($_[2], $_[3], $z);

			return $judge->($low, $high);
		});

		$best = $event if !defined $best || $event->{value} > $best->{value};
	}
	return $best;
}

# How often the event was met in the second halves, under the table where it is
# likelier and under the other; of how many draws each.
sub seen
{
	my ($event) = @_;
	my %in = map { $_ => 1 } @{ $event->{set} };
	my @seen;

	foreach my $of (@{ $event->{cut}{of} })
	{
		my $half = half($of);

		push @seen, [ scalar(grep { $in{$_} } @$of[ $half .. $#$of ]), @$of - $half ];
	}
	return $event->{turned} ? reverse @seen : @seen;
}

1;
