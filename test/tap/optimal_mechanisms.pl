# Optimal mechanisms by linear programs, solved in rational numbers by GLPK,
# against dp_expected_loss and dp_remap.
#
# A mechanism gives an answer y with probability P(y|x) where x is the true
# value. It is epsilon-DP if P(y|x) >= alpha P(y|x') for all values x, x' of
# neighbouring data sets, alpha = exp(-epsilon). OPT1 is the least expected loss
# for a prior, OPT2 the least loss in the worst case (Chen, Pal, Golubchik 5).
#
# Alpha is a fraction, so that all numbers that GLPK sees are whole ones.
#
# Takes long: 15 seconds of processor time without its servers.

use strict;
use warnings;

use File::Temp qw(tempdir);
use LinearProgram;
use List::Util qw(max min sum);
use PostgreSQL::Test::Cluster;
use Test::More;

# What rounding to doubles may cost; GLPK prints 15 digits.
my $precision = 1e-11;

my $n = 10;
my %priors = (
	uniform    => [ (1) x 11 ],
	falling    => [ map { 2**(10 - $_) } 0 .. 10 ],
	peaked     => [ 1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1 ],
	two_camps  => [ 0, 9, 3, 0, 0, 0, 0, 0, 1, 7, 5 ],
	irregular  => [ 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5 ]);
my %losses = (
	absolute => sub { abs($_[0] - $_[1]) },
	squared  => sub { ($_[0] - $_[1])**2 },
	binary   => sub { $_[0] == $_[1] ? 0 : 1 });

my $directory = tempdir(CLEANUP => 1);
my $node      = PostgreSQL::Test::Cluster->new('optimal');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dp_noise');

sub query
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', "SET extra_float_digits = 1; SELECT $sql");
}

# a / b, as a number of SQL and of Perl
sub epsilon_of
{
	my ($alpha) = @_;

	return sprintf 'ln(%d::double precision / %d)', reverse @$alpha;
}

sub array_of
{
	my ($weights) = @_;

	return "'{" . join(',', @$weights) . "}'";
}

sub near
{
	my ($got, $wanted, $name, $tolerance) = @_;

	$tolerance //= $precision;
	ok(abs($got - $wanted) <= $tolerance * max(1, abs $wanted), $name) or diag "got $got, wanted $wanted";
	return;
}

sub greater
{
	my ($one, $other, $name) = @_;

	ok($one > $other + 1e-6, $name) or diag "$one is not greater than $other";
	return;
}

# The rows that make p_{answer}_{x} an epsilon-DP mechanism over the given pairs
# of neighbouring values of 0 .. m.
sub add_mechanism
{
	my ($program, $alpha, $m, $pairs, $answers) = @_;
	my ($numerator, $denominator) = @$alpha;

	foreach my $y (@$answers)
	{
		foreach my $pair (@$pairs)
		{
			my ($one, $two) = @$pair;

			$program->row('>=', 0, $denominator => "p_${y}_$one", -$numerator => "p_${y}_$two");
			$program->row('>=', 0, $denominator => "p_${y}_$two", -$numerator => "p_${y}_$one");
		}
	}
	foreach my $x (0 .. $m)
	{
		$program->row('=', 1, map { (1 => "p_${_}_$x") } @$answers);
	}
	return;
}

# Counts of neighbouring data sets differ by one.
my @count_pairs = map { [ $_, $_ + 1 ] } 0 .. $n - 1;

# The least expected loss, answers being 0, 1/parts, 2/parts, ..., n. Weights and
# losses are whole numbers once multiplied by parts squared.
sub opt1
{
	my ($alpha, $prior, $loss, $pairs, $parts) = @_;
	my $program = LinearProgram->new;
	my $m       = $#$prior;
	my @answers = 0 .. $m * $parts;
	my @objective;

	foreach my $y (@answers)
	{
		foreach my $x (0 .. $m)
		{
			push @objective, $prior->[$x] * $losses{$loss}->($y, $x * $parts) => "p_${y}_$x";
		}
	}
	$program->objective(@objective);
	add_mechanism($program, $alpha, $m, $pairs, \@answers);
	my ($value) = $program->solve($directory);
	return $value / sum(@$prior) / ($loss eq 'binary' ? 1 : $loss eq 'absolute' ? $parts : $parts**2);
}

##############################################################################
# Counts: geometric noise and a remap are OPT1, whatever the prior and the loss.

my $compared = 0;
foreach my $alpha ([ 3, 8 ], [ 1, 7 ], [ 9, 10 ])
{
	my $epsilon = epsilon_of($alpha);

	foreach my $name (sort keys %priors)
	{
		my $prior = array_of($priors{$name});
		my $case  = sprintf '%s prior, alpha %d/%d', $name, @$alpha;

		foreach my $loss ('absolute', 'binary')
		{
			my $best = opt1($alpha, $priors{$name}, $loss, \@count_pairs, 1);

			near(query("dp_expected_loss('geometric', $epsilon, 1, '$loss', prior => $prior, remap => true)"),
				$best, "$case, $loss: geometric noise and dp_remap attain OPT1");
			$compared++;
		}

		# The mean is no whole number, and no linear program's; the nearest
		# multiple of a half is the best of those.
		my $best    = opt1($alpha, $priors{$name}, 'squared', \@count_pairs, 2);
		my $rounded = query(qq{sum(w * p * (round(2 * dp_remap(y, 'truncated_geometric', $epsilon, 1, $prior, 'squared')) / 2 - x) ^ 2) / sum(w * p)
			FROM unnest($prior\::double precision[]) WITH ORDINALITY AS weights (w, nr), LATERAL (SELECT nr - 1 AS x) AS counts,
				generate_series(0, $n) AS y, LATERAL (SELECT exp(-$epsilon * abs(x - y))
					* CASE WHEN y IN (0, $n) THEN 1 / (1 + exp(-$epsilon)) ELSE tanh($epsilon / 2) END AS p) AS law});
		my $left = query("dp_expected_loss('geometric', $epsilon, 1, 'squared', prior => $prior, remap => true)");

		near($rounded, $best, "$case, squared: dp_remap, rounded to halves, attains OPT1 among halves");
		ok($left <= $best * (1 + $precision) && $left > $best - 0.25**2 - $precision,
			"$case, squared: dp_remap itself is better, by a sixteenth at most") or diag "$left, $best";

		# The comparison tells mechanisms apart.
		my $absolute = opt1($alpha, $priors{$name}, 'absolute', \@count_pairs, 1);
		greater(query("dp_expected_loss('staircase', $epsilon, 1, 'absolute', prior => $prior, remap => true)"),
			$absolute, "$case: the staircase of real answers, rounded, does not")
		  if $name ne 'two_camps' && "@$alpha" ne '9 10';
		greater(query("dp_expected_loss('geometric', $epsilon, 1, 'absolute', prior => $prior)"),
			$absolute, "$case: nor does geometric noise as it is");
	}
}
is($compared, 30, 'programs were compared');
near(query("dp_expected_loss('geometric', 1, prior => " . array_of($priors{uniform}) . ', remap => true)'),
	0.72854448, 'OPT1 at epsilon 1, uniform prior', 5e-9);

##############################################################################
# Counts: OPT2, the price of a worst case, and its least favourable prior.

# The least worst case of answers made from 0 .. n by the rows of p (any
# mechanism), or, given G(y|x), by guessing z with probability p_{z}_{y}.
sub opt2
{
	my ($alpha, $loss, $geometric) = @_;
	my $program = LinearProgram->new;
	my @all     = map { my $y = $_; map { "p_${y}_$_" } 0 .. $n } 0 .. $n;
	my ($value, $p, $duals);

	$program->objective(1 => 't', map { (0 => $_) } @all);
	foreach my $x (0 .. $n)
	{
		my @terms;

		foreach my $z (0 .. $n)
		{
			foreach my $y ($geometric ? (0 .. $n) : ($x))
			{
				push @terms, -$losses{$loss}->($z, $x) * ($geometric ? $geometric->[$x][$y] : 1) => "p_${z}_$y";
			}
		}
		$program->row('>=', 0, ($geometric ? $geometric->[$x][ $n + 1 ] : 1) => 't', @terms);
	}
	if ($geometric)
	{
		foreach my $y (0 .. $n)
		{
			$program->row('=', 1, map { (1 => "p_${_}_$y") } 0 .. $n);
		}
	}
	else
	{
		add_mechanism($program, $alpha, $n, \@count_pairs, [ 0 .. $n ]);
	}
	($value, $p, $duals) = $program->solve($directory);
	return ($value, [ @$duals[ 0 .. $n ] ]);
}

# The truncated geometric mechanism for alpha = a/b in whole numbers: G(y|x)
# times the last element of each row, which is (a+b) b^n. Ends: b/(a+b) alpha^d.
sub geometric_rows
{
	my ($a, $b) = @_;
	my @rows;

	foreach my $x (0 .. $n)
	{
		push @rows, [
			(map {
				my $d = abs($x - $_);
				$a**$d * $b**($n - $d) * ($_ == 0 || $_ == $n ? $b : $b - $a)
			} 0 .. $n),
			($a + $b) * $b**$n ];
	}
	return \@rows;
}

foreach my $alpha ([ 1, 2 ], [ 1, 3 ])
{
	my $epsilon = epsilon_of($alpha);
	my $rows    = geometric_rows(@$alpha);

	foreach my $loss ('absolute', 'binary')
	{
		my $case = sprintf '%s loss, alpha %d/%d', $loss, @$alpha;
		my ($best, $least_favourable) = opt2($alpha, $loss);
		my ($remapped) = opt2($alpha, $loss, $rows);
		my $worst = query("dp_expected_loss('truncated_geometric', $epsilon, 1, '$loss', upper => $n)");
		my $by_hand = max(map { my $x = $_; sum(map { $rows->[$x][$_] * $losses{$loss}->($_, $x) } 0 .. $n) / $rows->[$x][ $n + 1 ] } 0 .. $n);

		near($worst, $by_hand, "$case: worst case of the truncated geometric mechanism");
		greater($worst, $best, "$case: it is no OPT2") if $loss eq 'absolute';
		near($remapped, $best, "$case: guesses made from it at random attain OPT2");

		# Its dual: OPT2 is OPT1 for the least favourable prior.
		near(sum(@$least_favourable), 1, "$case: the least favourable prior");
		near(query("dp_expected_loss('geometric', $epsilon, 1, '$loss', prior => " . array_of($least_favourable) . ', remap => true)'),
			$best, "$case: geometric noise and dp_remap attain OPT2 for the least favourable prior");
		foreach my $name (sort keys %priors)
		{
			my $expected = query("dp_expected_loss('geometric', $epsilon, 1, '$loss', prior => " . array_of($priors{$name}) . ', remap => true)');

			ok($expected <= $best + $precision, sprintf '%s, %s prior: who has it pays %.4f, the worst case %.4f', $case, $name, $expected, $best);
		}
	}
}

# Section 5 of the paper: n = 10, epsilon 1, as a convergent of e.
{
	my $alpha = [ 398959, 1084483 ];
	my ($best, $least_favourable) = opt2($alpha, 'absolute');

	near($best, 0.80302713, 'OPT2 at epsilon 1', 5e-9);
	near(query("dp_expected_loss('truncated_geometric', 1, upper => $n)"), 0.84518469, 'truncated geometric mechanism at epsilon 1', 5e-9);
	near(query("dp_expected_loss('geometric', 1, prior => " . array_of($least_favourable) . ', remap => true)'),
		$best, 'OPT2 at epsilon 1 is OPT1 of the least favourable prior', 1e-8);
}

##############################################################################
# Maxima: no mechanism is best for all priors.
#
# One row more can move a maximum from any value to any greater one, so all pairs
# of values are neighbours. Two analysts with priors of their own remap the
# answers of one mechanism; whatever it answers, what matters of an answer is the
# pair of guesses that the two make from it. So the best mechanism for both
# together is one that answers with pairs of guesses. Were there a mechanism that
# is the best for each of them, its loss for both would be the sum of their
# optima.

my $m         = 3;
my @max_pairs = map { my $x = $_; map { [ $x, $_ ] } $x + 1 .. $m } 0 .. $m - 1;
my @path      = map { [ $_, $_ + 1 ] } 0 .. $m - 1;

sub opt1_of_both
{
	my ($alpha, $one, $two, $loss, $pairs) = @_;
	my $program = LinearProgram->new;
	my @answers = map { my $y = $_; map { "${y}_$_" } 0 .. $m } 0 .. $m;
	my @objective;

	foreach my $y (@answers)
	{
		my ($first, $second) = split /_/, $y;

		foreach my $x (0 .. $m)
		{
			push @objective, sum(@$two) * $one->[$x] * $losses{$loss}->($first, $x)
			  + sum(@$one) * $two->[$x] * $losses{$loss}->($second, $x) => "p_${y}_$x";
		}
	}
	$program->objective(@objective);
	add_mechanism($program, $alpha, $m, $pairs, \@answers);
	my ($value) = $program->solve($directory);
	return $value / sum(@$one) / sum(@$two);
}

my %max_priors = (
	even    => [ 1, 1, 1, 1 ],
	rising  => [ 1, 2, 4, 8 ],
	falling => [ 8, 4, 2, 1 ],
	ends    => [ 4, 1, 1, 4 ],
	middle  => [ 1, 4, 4, 1 ]);
# Pairs for which one mechanism cannot be the best for both maxima.
my %apart = (
	absolute => [ [qw(even falling)], [qw(falling middle)], [qw(falling rising)], [qw(ends falling)] ],
	binary   => [ [qw(ends even)], [qw(even middle)] ]);

foreach my $alpha ([ 1, 2 ], [ 1, 4 ])
{
	foreach my $loss (sort keys %apart)
	{
		foreach my $pair (@{ $apart{$loss} })
		{
			my ($one, $two) = @max_priors{@$pair};
			my $case = sprintf '%s loss, %s and %s priors, alpha %d/%d', $loss, @$pair, @$alpha;

			near(opt1_of_both($alpha, $one, $two, $loss, \@path),
				sum(map { opt1($alpha, $_, $loss, \@path, 1) } $one, $two),
				"$case: one mechanism is the best for both counts");

			my $both  = opt1_of_both($alpha, $one, $two, $loss, \@max_pairs);
			my $apart = sum(map { opt1($alpha, $_, $loss, \@max_pairs, 1) } $one, $two);

			ok($both > $apart * 1.01, sprintf '%s: none is for both maxima, %.4f, apart %.4f', $case, $both, $apart)
			  or diag "$both, $apart";
		}
	}
}

# What dp_max has by name: none reaches the optimum of every prior, and which is
# the nearest depends on it.
my @mechanisms = ('geometric', 'truncated_staircase', 'discrete_staircase', 'two_stage(levels=2)', 'two_stage(levels=3)', 'two_stage(levels=4)');
my (%short, %nearest);
foreach my $alpha ([ 1, 4 ], [ 1, 40 ])
{
	my $epsilon = epsilon_of($alpha);

	foreach my $name (sort keys %max_priors)
	{
		my $prior = array_of($max_priors{$name});
		my $best  = opt1($alpha, $max_priors{$name}, 'absolute', \@max_pairs, 1);
		my %loss  = map {
			$_ => query("dp_expected_loss('$_', $epsilon, $m, 'absolute', prior => $prior, remap => true)")
		} @mechanisms;
		my ($nearest) = sort { $loss{$a} <=> $loss{$b} } @mechanisms;

		ok(min(values %loss) >= $best - $precision, sprintf 'a maximum, %s prior, alpha %d/%d: none is below OPT1, %.4f; the nearest is %s, %.4f',
			$name, @$alpha, $best, $nearest, $loss{$nearest});
		$nearest{$nearest} = 1;
		foreach my $mechanism (@mechanisms)
		{
			$short{$mechanism} = 1 if $loss{$mechanism} > $best * 1.01;
		}
	}
}
is(scalar(keys %short), scalar(@mechanisms), 'maxima: each mechanism falls short of OPT1 for some prior');
cmp_ok(scalar(keys %nearest), '>', 1, 'maxima: the nearest depends on the prior: ' . join ', ', sort keys %nearest);

$node->stop;
done_testing();
