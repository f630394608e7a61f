# The arithmetic of the audit: confidence bounds against published and closed
# forms, and the choice of events on numbers whose laws are known.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit::Confidence qw(lower_bound normal_quantile upper_bound wilson_bounds);
use Audit::Divergence qw(rho_of_draws rho_of_event);
use Audit::Events qw(best_event seen statistics_of);
use List::Util qw(sum0);
use Test::More;

sub near
{
	my ($got, $wanted, $name, $tolerance) = @_;

	ok(abs($got / $wanted - 1) < ($tolerance // 1e-9), $name) or diag "got $got, wanted $wanted";
	return;
}

# P(X >= k) for n coins of probability p
sub tail
{
	my ($k, $n, $p) = @_;
	my ($sum, $term) = (0, (1 - $p)**$n);

	foreach my $i (0 .. $n)
	{
		$sum += $term if $i >= $k;
		$term *= ($n - $i) / ($i + 1) * $p / (1 - $p);
	}
	return $sum;
}

foreach my $error (0.05, 0.01, 1e-5, 1e-13)
{
	near(upper_bound(0, 1000, $error), 1 - $error**(1 / 1000), "0 of 1000, error $error");
	near(lower_bound(1000, 1000, $error), $error**(1 / 1000), "1000 of 1000, error $error");
	near(tail(30, 100, lower_bound(30, 100, $error)), $error, "30 of 100, from below, error $error", 1e-6);
	near(1 - tail(31, 100, upper_bound(30, 100, $error)), $error, "30 of 100, from above, error $error", $error > 1e-6 ? 1e-6 : 0.01);
}
near(lower_bound(5, 10, 0.025), 0.187086, '5 of 10, from below', 1e-5);
near(upper_bound(5, 10, 0.025), 0.812914, '5 of 10, from above', 1e-5);
is(lower_bound(0, 10, 0.1), 0, '0 of 10, from below');
is(upper_bound(10, 10, 0.1), 1, '10 of 10, from above');
near(normal_quantile(0.025), 1.959963985, 'normal quantile', 1e-8);
near(normal_quantile(1e-13), 7.348796103, 'of a small error', 1e-8);
my ($low, $high) = wilson_bounds(40_000, 100_000, normal_quantile(1e-5));
near($low, lower_bound(40_000, 100_000, 1e-5), 'the approximation is near, from below', 1e-3);
near($high, upper_bound(40_000, 100_000, 1e-5), 'and from above', 1e-3);

# The same numbers every time.
srand 1;

sub geometric
{
	my ($a) = @_;
	my $draw = sub { int(log(1 - rand) / log $a) };

	return $draw->() - $draw->();
}

# What is measured of two lists of columns, as of epsilon; the event.
sub measured
{
	my ($one, $two) = @_;
	my $event = best_event([ statistics_of($one, $two) ], normal_quantile(1e-5), sub { $_[0] > 0 ? log($_[0] / $_[1]) : -99 });
	my ($likely, $other) = seen($event);

	return (log(lower_bound(@$likely, 1e-5) / upper_bound(@$other, 1e-5)), $event->{name});
}

my @noise = map { [ map { geometric(exp -1) } 1 .. 20_000 ] } 0 .. 3;
my ($value, $name) = measured([ $noise[0] ], [ [ map { $_ + 1 } @{ $noise[1] } ] ]);
cmp_ok($value, '<', 1, 'geometric noise of epsilon 1');
cmp_ok($value, '>', 0.8, 'most of it is measured') or diag $name;
like($name, qr/^answer [<>]=|^answer = /, 'by a threshold');

($value, $name) = measured([ @noise[ 0, 1 ] ], [ map { [ map { $_ + 1 } @$_ ] } @noise[ 2, 3 ] ]);
cmp_ok($value, '<', 2, 'two such answers');
cmp_ok($value, '>', 1.4, 'are measured together') or diag $name;

($value, $name) = measured([ $noise[0], $noise[0] ], [ $noise[1], [ map { $_ + 1 } @{ $noise[1] } ] ]);
cmp_ok($value, '>', 6, 'one noise in two answers') or diag $name;
like($name, qr/answer1 - answer2/, 'is seen by their difference');

($value, $name) = measured([ $noise[0] ], [ [ map { 2 * $_ } @{ $noise[1] } ] ]);
cmp_ok($value, '>', 3, 'even numbers') or diag $name;

($value, $name) = measured([ [ map { 0.5 + $_ } @{ $noise[0] } ] ], [ [ map { rand() < 0.5 ? 0.5 + $_ : 0.25 + $_ } @{ $noise[1] } ] ]);
cmp_ok($value, '>', 3, 'last digits') or diag $name;

($value) = measured([ $noise[0] ], [ $noise[1] ]);
cmp_ok($value, '<', 0.1, 'nothing where there is no difference');

($value, $name) = measured([ [ map { rand() < 0.2 ? 'red' : 'blue' } 1 .. 20_000 ] ], [ [ map { rand() < 0.5 ? 'red' : 'blue' } 1 .. 20_000 ] ]);
cmp_ok($value, '>', 0.7, 'words');
cmp_ok($value, '<', log 2.5, 'not more than there is');

# rho of an event: randomised response tells R(e) = e tanh(e/2) in the limit of
# order 1, and nothing of what delta covers.
foreach my $e (0.1, 1, 3)
{
	my $p = 1 / (1 + exp -$e);

	near(rho_of_event($p, 1 - $p, 0), $e * (exp($e) - 1) / (exp($e) + 1), "randomised response of $e");
}
cmp_ok(rho_of_event(0.3, 0.3, 0), '<=', 0, 'equal probabilities tell nothing');
cmp_ok(rho_of_event(0.3, 0.01, 0.3), '<=', 0, 'nor what delta covers');
cmp_ok(rho_of_event(0.3, 0.01, 0.1), '<', rho_of_event(0.3, 0.01, 0), 'delta covers some');

# rho of draws: of Gaussian noise more than 2/pi, which is the most that an event
# tells, and not all; nothing where there is no difference.
sub gaussian { return sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand); }

@noise = map { [ map { sprintf '%.6f', gaussian() } 1 .. 60_000 ] } 0 .. 1;
my $moved = [ map { $_ + 1.5 } @{ $noise[1] } ];
($value, $name) = rho_of_draws([ statistics_of([ $noise[0] ], [$moved]) ], 0, 1e-5);
cmp_ok($value, '<', 1.125, 'gaussian noise of rho 1.125');
cmp_ok($value, '>', 0.8 * 1.125, 'most of it is measured') or diag $name;
($value) = rho_of_draws([ statistics_of([ $noise[0] ], [$moved]) ], 0.1, 1e-5);
cmp_ok($value, '<', 0.8 * 1.125, 'less beyond a delta');
($value) = rho_of_draws([ statistics_of([ $noise[0] ], [ $noise[1] ]) ], 0, 1e-5);
cmp_ok($value, '<=', 0, 'nothing where there is no difference');

done_testing();
