# Audit::Losses: how much a call of a mechanism gives away, by its scale and its
# two inputs alone; nothing that it claims is taken for granted.
#
#   my $loss = loss_of($one, $two);   # two records of the same call
#
# A loss is a hash:
#
#   pure      ln of the greatest ratio of the probabilities of an answer; undef
#             where that has no bound
#   renyi     a function of alpha: the Renyi divergence of the two laws, in the
#             direction in which it is greater, or less where it is not known
#   gaussian  the square of the change in units of sigma
#   step      of one number: the change and sigma themselves
#   quanta    of geometric noise, the change
#   delta     a function of epsilon, for mechanisms that are not pure
#
# All are doubles. Distributions over points are added up exactly, so a ratio of
# 1 to what was charged means that nothing is left, and a millionth more that
# something is wrong.

package Audit::Losses;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min sum0);
use Math::BigInt;
use POSIX ();

our @EXPORT_OK = qw(distance gaussian_delta loss_of number reaches renyi_of_geometric rounded);

my $tick = 2**20;     # of an epsilon

# An integer of a record; large ones keep all digits.
sub number { return length $_[0] > 17 ? Math::BigInt->new($_[0]) : $_[0] + 0; }

sub difference { return abs((number($_[0]) - number($_[1])) . '') + 0; }

sub log_sum
{
	my @logs = grep { $_ > -9**9**9 } @_;
	my $most = max(@logs) // return -9**9**9;

	return $most + log(sum0(map { exp($_ - $most) } @logs));
}

##############################################################################
# Noise that is added

# The truth in quanta, as dp_noise_add rounds it.
sub rounded
{
	my ($call, $side) = @_;
	my $truth = number($call->{true}{truth}[0]);
	my $q = number($call->{same}{quantum}[0]);

	return $truth if $q == 1;
	return (Math::BigInt->new("$truth") + int($q / 2))->bdiv($q)->numify;
}

# ln sum of P^alpha Q^(1 - alpha) for geometric noise of ratio exp(-x) and a
# change by k.
sub renyi_of_geometric
{
	my ($x, $k, $alpha) = @_;
	my $c = log(POSIX::expm1(-$x) / -(1 + exp(-$x)));    # (1 - a) / (1 + a)
	my $end = -log(-POSIX::expm1(-$x));
	my $rate = -$x * (2 * $alpha - 1);
	my @parts = (-$x * $k * (1 - $alpha) + $end, -$x * $k * $alpha + $end);

	# z = 1 .. k - 1
	push @parts, -$x * $k * (1 - $alpha) + $rate + log(POSIX::expm1($rate * ($k - 1)) / POSIX::expm1($rate)) if $k > 1;
	return ($c + log_sum(@parts)) / ($alpha - 1);
}

sub loss_of_noise
{
	my ($one, $two) = @_;
	my %same = map { $_ => number($one->{same}{$_}[0]) } keys %{ $one->{same} };
	my $change = difference($one->{true}{truth}[0], $two->{true}{truth}[0]);

	if ($same{sigma_numerator} > 0)
	{
		my $sigma = ($same{sigma_numerator} . '') / ($same{sigma_denominator} . '');

		return { gaussian => ($change / $sigma)**2, step => [ $change, $sigma ] };
	}
	if ($same{s} > 0)
	{
		my $k = difference(rounded($one), rounded($two));
		my $x = ($same{s} . '') / ($same{t} . '');

		if ($same{reach})
		{
			# what one of them alone can have, at the end
			my $end = reaches($one, $same{reach});

			return { pure => $x * $k, quanta => $k, delta => sub { $k == 0 ? 0 : $end } };
		}
		return { pure => $x * $k, quanta => $k, renyi => sub { $k == 0 ? 0 : renyi_of_geometric($x, $k, $_[0]) } };
	}
	return loss_of_staircase($change, @same{qw(width first_step)}, $same{width_epsilon} / $tick);
}

# Stairs of a width, of which the first step and the rest differ by a factor:
# runs of numbers with the same two probabilities. Those far out are left out,
# and where there are too many stairs, all.
sub loss_of_staircase
{
	my ($change, $width, $first, $epsilon) = @_;
	my $stairs = POSIX::ceil(60 / $epsilon) + POSIX::ceil($change / $width);
	my $log = sub {
		my $at = abs $_[0];
		my $stair = POSIX::floor($at / $width);

		return -$epsilon * ($stair + ($at - $stair * $width < $first ? 0 : 1));
	};

	return { pure => POSIX::ceil($change / $width) * $epsilon } if $stairs > 2000 || $change == 0;
	my %starts = map { ($_ => 1, 1 - $_ => 1, $_ + $change => 1, 1 - $_ + $change => 1) } map { ($_ * $width, $_ * $width + $first) } 0 .. $stairs;
	my @starts = sort { $a <=> $b } keys %starts;

	return loss_of_choice(map { [ $starts[ $_ + 1 ] - $starts[$_], $log->($starts[$_]), $log->($starts[$_] - $change) ] } 0 .. $#starts - 1);
}

# Of sums whose noise is drawn together: as far as they differ in all.
sub loss_of_joint
{
	my ($one, $two) = @_;
	my ($width, $epsilon) = map { number($one->{same}{$_}[0]) } qw(width width_epsilon);

	return { pure => POSIX::ceil(distance($one, $two) / ($width . '')) * ($epsilon . '') / $tick };
}

# In L1, of all sums of a call.
sub distance
{
	my ($one, $two) = @_;
	my @other = $two ? @{ $two->{true}{truth} } : ();

	return sum0(map { abs((number($_) - number(shift @other // 0)) . '') } @{ $one->{true}{truth} });
}

# P(noise >= k) for noise of a selection of groups.
sub reaches
{
	my ($call, $k) = @_;
	my %same = map { $_ => $call->{same}{$_}[0] + 0 } keys %{ $call->{same} };

	if ($same{sigma_numerator} > 0)
	{
		my $sigma = $same{sigma_numerator} / $same{sigma_denominator};
		my $weight = sub { exp(-$_[0]**2 / 2 / $sigma**2) };
		my $reach = POSIX::ceil(40 * $sigma);

		return 0 if $k > $reach;
		return sum0(map { $weight->($_) } $k .. $reach) / sum0(map { $weight->($_) } -$reach .. $reach);
	}
	my $x = $same{s} / $same{t};
	my $from = sub { my ($k) = @_; return $k > 0 ? exp(-$x * $k) / (1 + exp(-$x)) : 1 - exp(-$x * (1 - $k)) / (1 + exp(-$x)); };
	my $beyond = $same{reach} ? $from->($same{reach} + 1) : 0;

	return $beyond > 0 && $k > $same{reach} ? 0 : ($from->($k) - $beyond) / (1 - 2 * $beyond);
}

# The delta of Gaussian noise at epsilon: of one number in whole steps, and of
# several as if they were one that is not rounded, with some allowance.
sub gaussian_delta
{
	my ($epsilon, @losses) = @_;
	my @moved = grep { $_->{gaussian} > 0 } @losses;
	my $mu = sqrt(sum0(map { $_->{gaussian} } @moved));

	return 0 if $mu == 0;
	if (@moved == 1 && $moved[0]{step}[1] < 2000)
	{
		my ($change, $sigma) = @{ $moved[0]{step} };
		my $reach = POSIX::ceil(40 * $sigma);
		my $weight = sub { exp(-$_[0]**2 / 2 / $sigma**2) };
		my $all = sum0(map { $weight->($_) } -$reach .. $reach);

		return sum0(map { max(0, $weight->($_) - exp($epsilon - ($_ + $change)**2 / 2 / $sigma**2)) } -$reach .. $reach) / $all;
	}
	my $tail = sub { POSIX::erfc($_[0] / sqrt 2) / 2 };

	my $far = $tail->($epsilon / $mu + $mu / 2);

	return max(0, 0.95 * ($tail->($epsilon / $mu - $mu / 2) - ($far > 0 ? exp($epsilon + log $far) : 0)));
}

##############################################################################
# A choice of one of many

# Of points with weights exp(logs): groups of [number of points, log, log'].
sub loss_of_choice
{
	my (@points) = @_;
	my @all = map { my $i = $_; log_sum(map { log($_->[0]) + $_->[$i] } @points) } 1, 2;
	my @logs = map { [ $_->[0], $_->[1] - $all[0], $_->[2] - $all[1] ] } @points;

	return {
		pure => max(map { abs($_->[1] - $_->[2]) } @logs),
		renyi => sub {
			my ($alpha) = @_;

			return max(map {
				my ($p, $q) = @$_;
				log_sum(map { log($_->[0]) + $alpha * $_->[$p] + (1 - $alpha) * $_->[$q] } @logs) / ($alpha - 1)
			} [ 1, 2 ], [ 2, 1 ]);
		} };
}

sub loss_of_ranks
{
	my ($one, $two) = @_;
	my ($lower, $upper, $cap, $epsilon, $sensitivity) = map { $one->{same}{$_}[0] + 0 } qw(lower upper cap epsilon sensitivity);
	my @values = map { [ sort { $a <=> $b } @{ $_->{true}{value} // [] } ] } $one, $two;
	my @targets = map { $_->{true}{target}[0] + 0 } $one, $two;
	my %starts = map { $_ => 1 } $lower, $upper + 1, map { ($_, $_ + 1) } map { @$_ } @values;
	my @starts = grep { $_ >= $lower && $_ <= $upper + 1 } sort { $a <=> $b } keys %starts;
	my @below = (0, 0);
	my @points;

	foreach my $i (0 .. $#starts - 1)
	{
		my @logs;

		foreach my $side (0, 1)
		{
			my $v = $values[$side];
			my $equal;

			$below[$side]++ while $below[$side] < @$v && $v->[ $below[$side] ] < $starts[$i];
			$equal = $below[$side];
			$equal++ while $equal < @$v && $v->[$equal] == $starts[$i];
			push @logs, -$epsilon / $tick / 2 / $sensitivity * min($cap, max(0, $tick * $below[$side] - $targets[$side], $targets[$side] - $tick * $equal));
		}
		push @points, [ $starts[ $i + 1 ] - $starts[$i], @logs ];
	}
	return loss_of_choice(@points);
}

# Of candidates with exponential noise the greatest: the integral over t in 0 .. 1
# of w_i times the product of 1 - t w_j over the others j, by Simpson's rule.
sub logs_of_permuted
{
	my ($rate, @counts) = @_;
	my $most = max(@counts);
	my @weights = map { exp($rate * ($_ - $most)) } @counts;
	my $steps = 200;
	my @integrals = (0) x @counts;

	foreach my $step (0 .. $steps)
	{
		my $t = $step / $steps;
		my @factors = map { 1 - $t * $_ } @weights;
		my ($before, @before) = (1);
		my $after = 1;

		foreach my $factor (@factors) { push @before, $before; $before *= $factor; }
		foreach my $i (reverse 0 .. $#factors)
		{
			$integrals[$i] += $before[$i] * $after * ($step == 0 || $step == $steps ? 1 : $step % 2 ? 4 : 2) / 3 / $steps;
			$after *= $factors[$i];
		}
	}
	return map { $rate * ($counts[$_] - $most) + log($integrals[$_]) } 0 .. $#counts;
}

sub loss_of_selection
{
	my ($one, $two) = @_;
	my ($ticks, $denominator, $rows, $first) = map { $one->{same}{$_}[0] + 0 } qw(ticks denominator rows first_step);
	my @counts = map { $_->{true}{count} } $one, $two;
	my $rate = $ticks / $denominator;

	@counts = map { [ map { POSIX::floor($_ / $rows) + ($_ % $rows >= $first ? 1 : 0) } @$_ ] } @counts if $one->{kind} eq 'abstract_staircase';
	return loss_of_choice(map { [ 1, $rate * $counts[0][$_], $rate * $counts[1][$_] ] } 0 .. $#{ $counts[0] }) if $one->{kind} ne 'permute_and_flip';

	my @logs = map { [ logs_of_permuted($rate, @$_) ] } @counts;

	return loss_of_choice(map { [ 1, $logs[0][$_], $logs[1][$_] ] } 0 .. $#{ $logs[0] });
}

sub loss_of_walk
{
	my ($one, $two) = @_;
	my ($s, $t_threshold, $t_counts) = map { $one->{same}{$_}[0] + 0 } qw(s t_threshold t_counts);
	my @changes = map { $two->{true}{count}[$_] - $one->{true}{count}[$_] } 0 .. $#{ $one->{true}{count} };
	my ($up, $down) = (max(0, @changes), -min(0, @changes));

	# the threshold follows the counts before the end, the last count both
	my $pure = max($up, $down) * $s / $t_threshold + ($up + $down) * $s / $t_counts;

	# either way round one of the two moves the threshold: an interval of log ratios
	my $range = ($up + $down) * ($s / $t_threshold + 2 * $s / $t_counts);
	my $rho = min($pure * POSIX::tanh($pure / 2), $range**2 / 8);

	return { pure => $pure, renyi => sub { return $_[0] * $rho } };
}

##############################################################################
# Medians with noise whose scale depends on the data

# The delta of two Laplace laws at epsilon, in one direction.
sub laplace_delta
{
	my ($epsilon, $m, $scale, $n, $other) = @_;
	my $all = 0;
	my $log = sub { -abs($_[0] - $m) / $scale - log(2 * $scale) - (-abs($_[0] - $n) / $other - log(2 * $other)) - $epsilon };
	my $mass = sub {    # of both, between two points on one side of each centre
		my ($from, $to) = @_;
		my $part = sub {
			my ($centre, $of) = @_;
			my ($u, $v) = map { ($_ - $centre) / $of } $from, $to;

			return $v <= 0 ? (exp($v) - exp($u)) / 2 : (exp(-$u) - exp(-$v)) / 2;
		};
		return $part->($m, $scale) - exp($epsilon) * $part->($n, $other);
	};
	my $far = 700 * max($scale, $other) + abs($m - $n);
	my @ends = sort { $a <=> $b } min($m, $n) - $far, $m, $n, max($m, $n) + $far;

	# the log of the ratio is a straight line between two ends
	foreach my $i (0 .. 2)
	{
		my ($from, $to) = @ends[ $i, $i + 1 ];
		my ($low, $high) = map { $log->($_) } $from, $to;

		next if $from == $to || ($low <= 0 && $high <= 0);
		if ($low > 0 && $high > 0) { $all += $mass->($from, $to); next; }
		my $zero = $from + ($to - $from) * $low / ($low - $high);
		$all += $low > 0 ? $mass->($from, $zero) : $mass->($zero, $to);
	}
	return $all;
}

sub loss_of_smooth
{
	my ($one, $two) = @_;
	my @scales = map { $_->{true}{scale_numerator}[0] / $_->{true}{scale_denominator}[0] } $one, $two;
	my @medians = map { $_->{true}{median}[0] + 0 } $one, $two;

	# the density of a Cauchy law changes by at most its shift, in scales
	return { pure => abs($medians[0] - $medians[1]) / max(@scales) + abs(log($scales[0] / $scales[1])) } if $one->{kind} eq 'smooth_cauchy';
	return { delta => sub { max(laplace_delta($_[0], $medians[0], $scales[0], $medians[1], $scales[1]), laplace_delta($_[0], $medians[1], $scales[1], $medians[0], $scales[0])) } };
}

##############################################################################

my %losses = (
	noise => \&loss_of_noise,
	joint => \&loss_of_joint,
	truncated => \&loss_of_noise,
	rank => \&loss_of_ranks,
	exponential => \&loss_of_selection,
	permute_and_flip => \&loss_of_selection,
	abstract_staircase => \&loss_of_selection,
	above_threshold => \&loss_of_walk,
	smooth_cauchy => \&loss_of_smooth,
	smooth_laplace => \&loss_of_smooth,

	# from one answer to another, whatever the data
	step => sub { return { pure => 0, renyi => sub { 0 } } },
);

sub loss_of
{
	my ($one, $two) = @_;

	return ($losses{ $one->{kind} } // die "there is no loss of $one->{kind}\n")->($one, $two);
}

1;
