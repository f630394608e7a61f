# Audit::Confidence: exact confidence bounds of a probability (Clopper, Pearson
# 1934), from the number of times that an event was seen.
#
# The lower bound p for k of n solves P(X >= k | p) = error, which is the
# incomplete beta function I_p(k, n - k + 1). It is summed as a continued
# fraction (Lentz's method) on the side where that converges quickly, in logs,
# so that errors far below 10^-16 are no matter.

package Audit::Confidence;

use strict;
use warnings;

use Exporter qw(import);
use POSIX qw(lgamma);

our @EXPORT_OK = qw(lower_bound upper_bound wilson_bounds normal_quantile);

# The continued fraction of I_x(a, b), for x below (a + 1) / (a + b + 2).
sub fraction
{
	my ($x, $a, $b) = @_;
	my $tiny = 1e-300;
	my ($c, $d) = (1, 1 - ($a + $b) * $x / ($a + 1));

	$d = 1 / (abs $d < $tiny ? $tiny : $d);
	my $value = $d;
	for my $m (1 .. 100_000)
	{
		my $even = $m * ($b - $m) * $x / (($a + 2 * $m - 1) * ($a + 2 * $m));
		my $odd  = -($a + $m) * ($a + $b + $m) * $x / (($a + 2 * $m) * ($a + 2 * $m + 1));
		my $factor;

		foreach my $term ($even, $odd)
		{
			$d = 1 + $term * $d;
			$d = 1 / (abs $d < $tiny ? $tiny : $d);
			$c = 1 + $term / $c;
			$c = $tiny if abs $c < $tiny;
			$factor = $d * $c;
			$value *= $factor;
		}
		return $value if abs($factor - 1) < 1e-14;
	}
	die "the incomplete beta function did not converge\n";
}

# I_x(a, b), 0 < x < 1, a and b positive.
sub incomplete_beta
{
	my ($x, $a, $b) = @_;
	my $front = lgamma($a + $b) - lgamma($a) - lgamma($b) + $a * log($x) + $b * log(1 - $x);

	return exp($front) * fraction($x, $a, $b) / $a if $x < ($a + 1) / ($a + $b + 2);
	return 1 - exp($front) * fraction(1 - $x, $b, $a) / $b;
}

# The probability that is exceeded with confidence 1 - error, where an event was
# seen k of n times.
sub lower_bound
{
	my ($k, $n, $error) = @_;
	my ($low, $high) = (0, $k / $n);

	return 0 if $k == 0;
	for (1 .. 60)
	{
		my $middle = ($low + $high) / 2;

		if (incomplete_beta($middle, $k, $n - $k + 1) < $error) { $low = $middle }
		else { $high = $middle }
	}
	return $low;
}

# The probability that it does not exceed.
sub upper_bound
{
	my ($k, $n, $error) = @_;

	return 1 if $k == $n;
	return 1 - lower_bound($n - $k, $n, $error);
}

# z with P(Z > z) = error for a standard normal Z, 0 < error <= 1/2: Newton's
# method on logarithms, from an approximation that is too great.
sub normal_quantile
{
	my ($error) = @_;
	my $z = sqrt(-2 * log $error);

	for (1 .. 50)
	{
		my $tail = POSIX::erfc($z / sqrt 2) / 2;
		my $step = log($tail / $error) * $tail * sqrt(2 * 3.14159265358979) * exp($z * $z / 2);

		$z += $step;
		last if abs $step < 1e-12;
	}
	return $z;
}

# Approximations of both bounds (Wilson), where z is of normal_quantile: for
# choosing among many events, never for a verdict.
sub wilson_bounds
{
	my ($k, $n, $z) = @_;
	my $z2     = $z * $z;
	my $centre = ($k + $z2 / 2) / ($n + $z2);
	my $half   = $z * sqrt($k * ($n - $k) / $n + $z2 / 4) / ($n + $z2);
	my $low    = $centre - $half;

	return ($low > 0 ? $low : 0, $centre + $half);
}

1;
