# Audit::Divergence: how far two laws are apart in rho at least, from draws.
#
#   my $rho = rho_of_event($p, $q, $delta);
#   my ($rho, $name) = rho_of_draws(\@statistics, $delta, $error);
#
# A mechanism that is rho-zCDP (Bun, Steinke 2016) has D_a <= a rho for all
# orders a > 1 and, in the limit, a divergence of Kullback and Leibler of at most
# rho; and so has whatever is computed from its answers. Two such things are
# measured:
#
# An event, of probability p at least under one table and q at most under the
# other, p > q: the divergence of order a of two such coins, over a, of several
# orders and either way round. It grows with p and falls with q.
#
# All cells of a statistic at once: for every function f of the cell, however
# chosen, ln E_Q exp(f) >= E_P f - KL(P || Q) (Donsker, Varadhan 1975), so
# KL >= E_P f - ln E_Q exp(f). f is the logarithm of the cells' likelihood ratio
# on the first quarters, within limits, times a factor; which statistic, factor
# and direction is decided on second quarters; and both means are bounded on the
# second halves, as those of limited numbers (Maurer, Pontil 2009, theorem 4).
# Of Gaussian noise an event shows 2/pi of rho at most, and this nearly all.
#
# With delta the laws are those given events of probability 1 - delta at least:
# then p >= (p - delta) / (1 - delta), q <= q / (1 - delta), and the like of means.

package Audit::Divergence;

use strict;
use warnings;

use Audit::Events qw(counted cut judged learned);
use Exporter qw(import);
use List::Util qw(max min sum0);

our @EXPORT_OK = qw(rho_of_draws rho_of_event);

our @orders = (1.5, 3, 8, 30);

# f is within these, and taken whole or in part.
our $limit   = 3;
our @factors = (1, 0.7, 0.4);

sub rho_of_event
{
	my ($p, $q, $delta) = @_;

	$p = ($p - $delta) / (1 - $delta);
	$q /= 1 - $delta;
	return $p - $q if $p <= $q || $q >= 1;
	my $greatest = 0;
	foreach my $pair ([ $p, $q ], [ $q, $p ])
	{
		my ($one, $two) = @$pair;
		my @ratios = (log($one / $two), $one < 1 && $two < 1 ? log((1 - $one) / (1 - $two)) : 0);

		$greatest = max($greatest, $one * $ratios[0] + (1 - $one) * $ratios[1]);
		foreach my $a (@orders)
		{
			my $sum = $one * exp(($a - 1) * $ratios[0]) + (1 - $one) * exp(($a - 1) * $ratios[1]);

			$greatest = max($greatest, log($sum) / ($a * ($a - 1)));
		}
	}
	return $greatest;
}

# The mean of a function of the cell, at least but with probability error: how
# often each cell was seen, the function.
sub mean_at_least
{
	my ($seen, $f, $error) = @_;
	my $n        = sum0(@$seen);
	my $mean     = sum0(map { $seen->[$_] * $f->[$_] } 0 .. $#$f) / $n;
	my $variance = sum0(map { $seen->[$_] * ($f->[$_] - $mean)**2 } 0 .. $#$f) / ($n - 1);
	my $log      = log(2 / $error);

	return $mean - sqrt(2 * $variance * $log / $n) - 7 * (max(@$f) - min(@$f)) * $log / (3 * ($n - 1));
}

# The bound of KL(one || two) by f, but with twice the error.
sub bound
{
	my ($one, $two, $f, $delta, $error) = @_;
	my $first  = (mean_at_least($one, $f, $error) - $delta * max(@$f)) / (1 - $delta);
	my $second = -mean_at_least($two, [ map { -exp } @$f ], $error) / (1 - $delta);

	return $first - log $second;
}

# What the draws of all statistics show, and by which; but with twice the error.
sub rho_of_draws
{
	my ($statistics, $delta, $error) = @_;
	my $best = { value => -9**9**9 };

	foreach my $statistic (@$statistics)
	{
		my $cut     = cut($statistic);
		my @learned = learned($cut);
		my @judged  = judged($cut);

		foreach my $turned (0, 1)
		{
			my ($one, $two) = $turned ? reverse @learned : @learned;
			my @sides = $turned ? reverse @judged : @judged;
			my @log = map { max(-$limit, min($limit, log(($one->[$_] + 3) / ($two->[$_] + 3)))) } 0 .. $#$one;

			foreach my $factor (@factors)
			{
				my $f     = [ map { $factor * $_ } @log ];
				my $value = bound(@sides, $f, $delta, $error);

				$best = { value => $value, f => $f, cut => $cut, turned => $turned, name => "all of $statistic->{name}" } if $value > $best->{value};
			}
		}
	}
	my @counted = counted($best->{cut});
	@counted = reverse @counted if $best->{turned};
	return (bound(@counted, $best->{f}, $delta, $error), $best->{name});
}

1;
