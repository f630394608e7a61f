# Audit::Rows: each aggregate by each of its mechanisms, over a table whose
# privacy unit is the row.
#
# The row more, or the exchanged one, is the one that moves the answer most. What
# is measured stays below the charge where the answer is a function of less than
# what has the noise (a mean of two noisy sums), where a mechanism gives away
# less about such a row than it is charged for (smooth sensitivity, maxima), and
# where the events that tell most are rare.

package Audit::Rows;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(family numbered row_cases rows table);

my $columns = 'k integer NOT NULL DEFAULT 0, person integer, g integer NOT NULL DEFAULT 0, i integer, s smallint, b bigint, r real, x double precision, n numeric, yes boolean';

# A protected table, with so much more to do.
sub table
{
	my ($protect, @more) = @_;

	return "CREATE TABLE t ($columns); SELECT dp_noise.protect('t'$protect, epsilon => 1e6, delta => 1)" . join '', map { "; SELECT dp_noise.$_" } @more;
}

# One of people, each of whom has one row.
sub numbered { return table(", privacy_unit => 'person'") =~ s/; /; CREATE UNIQUE INDEX ON t (person); /r; }

# Rows with these values in one column, each as often as said: rows('i', 0 => 5, 100 => 1).
sub rows
{
	my ($column, @numbers) = @_;
	my @parts;

	while (my ($value, $times) = splice @numbers, 0, 2)
	{
		push @parts, "INSERT INTO t ($column) SELECT $value FROM generate_series(1, $times)";
	}
	return join '; ', @parts;
}

my $pair      = '(dp_regression(i, x, 0, 100, 0, 100) FILTER (WHERE %s))';
my $many      = join ',', 1 .. 30;
my $added     = table('');
my $numbered  = numbered();
my $exchanged = table(", neighbours => 'substitute'");

# The same data for each mechanism of an aggregate.
sub family
{
	my ($aggregate, $mechanisms, $one, $two, %more) = @_;

	return map {
		my $mechanism = $_;

		{
			name => ($more{label} // $aggregate) . ", $mechanism" . ($more{note} // ''),
			tables => $more{tables} // $added,
			one => $one,
			two => $two,
			aggregates => [$aggregate],
			epsilon => $more{epsilon} // 2,
			mechanism => $mechanism,
			accountant => $more{accountant},
			often => $more{often} && $mechanism eq $mechanisms->[0],
		}
	} @$mechanisms;
}

my @noise = qw(laplace geometric staircase discrete_staircase staircase(cost=l2) discrete_staircase(gamma=0.9) gaussian(delta=0.2));

sub row_cases
{
	my @substitute = (tables => $exchanged, note => ', substitute');

	return (

		# no row against one
		family('dp_count(*)', [ 'auto', @noise, qw(truncated_geometric truncated_laplace truncated_staircase) ], '', rows(i => 0 => 1), often => 1),
		family('dp_count(*)', ['geometric(quantum=3)'], rows(i => 0 => 1), rows(i => 0 => 2)),
		family('dp_count(i)', ['auto'], rows(i => 'NULL' => 1), rows(i => 0 => 1), @substitute),
		family('dp_count_distinct(person)', [qw(auto laplace gaussian(delta=0.2))], '', rows(person => 1 => 1), tables => $numbered, often => 1),

		# a row at the bound that is further from 0
		family('dp_sum(i, -100, 50)', [ 'auto', @noise, qw(truncated_geometric truncated_staircase) ], '', rows(i => -1000 => 1), often => 1),
		family('dp_sum(i, -100, 50)', ['geometric(quantum=30)'], rows(i => 15 => 1), rows(i => 15 => 1, -1000 => 1)),
		family('dp_sum(i, 20, 50)', [qw(truncated_laplace truncated_staircase)], '', rows(i => 50 => 1)),
		family('dp_sum(s, 0, 7)', [qw(auto geometric)], rows(s => 3 => 10), rows(s => 3 => 10, 7 => 1)),
		family('dp_sum(b, 0, 1e15)', [qw(auto laplace)], '', rows(b => '9e18::bigint' => 1)),
		family('dp_sum(r, 0, 1)', [qw(auto laplace)], '', rows(r => "'Infinity'" => 1)),
		family('dp_sum(x, 0, 1e-9)', [qw(auto laplace gaussian(delta=0.2))], '', rows(x => 1 => 1)),
		family('dp_sum(x, -1e300, 1e300)', ['laplace'], rows(x => 1 => 2), rows(x => 1 => 2, '-1e300' => 1)),
		family('dp_sum(n, -1, 123456789012345678)', [qw(auto laplace)], '', rows(n => '1e30' => 1), often => 1),
		family('dp_sum(i, -100, 100)', [qw(auto laplace)], rows(i => -1000 => 1), rows(i => 1000 => 1), @substitute, often => 1),
		family('dp_sum(i, 30, 50)', [qw(auto laplace)], rows(i => 'NULL' => 1), rows(i => 50 => 1), @substitute),

		# one row against two, so far apart as can be
		family('dp_mean(i, 0, 100)', [ 'auto', @noise, qw(truncated_laplace) ], rows(i => 0 => 1), rows(i => 0 => 1, 100 => 1), epsilon => 4, often => 1),
		family('dp_mean(i, 0, 100)', [qw(two_stage(levels=2) two_stage(levels=3))], rows(i => 0 => 1), rows(i => 0 => 1, 100 => 1)),
		family('dp_mean(x, 0, 100)', ['auto'], '', rows(x => 100 => 1), epsilon => 4),
		family('dp_mean(x, 0, 100)', [qw(auto laplace two_stage(levels=2))], rows(x => 0 => 1), rows(x => 100 => 1), @substitute),
		family('dp_variance(i, 0, 100)', [ 'auto', @noise ], rows(i => 0 => 1), rows(i => 0 => 1, 100 => 1), epsilon => 4, often => 1),
		family('dp_variance(x, 0, 100)', ['auto'], rows(x => 0 => 4), rows(x => 0 => 3, 100 => 1), epsilon => 4, @substitute),

		# from an epsilon on at which the noise of their sums is drawn together
		family('dp_mean(x, 0, 100)', ['auto'], rows(x => 0 => 1), rows(x => 100 => 1), epsilon => 6, @substitute, note => ', epsilon 6, substitute'),
		family('dp_variance(x, 0, 100)', ['auto'], rows(x => 0 => 1), rows(x => 0 => 1, 100 => 1), epsilon => 6, note => ', epsilon 6'),
		family('dp_variance(x, 0, 100)', ['auto'], rows(x => 0 => 4), rows(x => 0 => 3, 100 => 1), epsilon => 6, @substitute, note => ', epsilon 6, substitute'),

		family("$pair.covar_pop", [ 'auto', @noise ], rows('i, x' => '0, 0' => 1), rows('i, x' => '0, 0' => 1, '100, 100' => 1), epsilon => 4, often => 1),
		family("$pair.regr_sxy", ['auto'], rows('i, x' => '0, 0' => 4), rows('i, x' => '0, 0' => 3, '100, 100' => 1), epsilon => 4, @substitute),
		family('dp_stddev(x, 0, 100)', [qw(auto geometric)], rows(x => 0 => 1), rows(x => 0 => 1, 100 => 1), epsilon => 4),
		family('dp_var_pop(x, 0, 100)', ['auto'], rows(x => 0 => 1), rows(x => 0 => 1, 100 => 1), epsilon => 4),

		# the whole span
		family('dp_max(i, 0, 100)', [ @noise, qw(truncated_laplace truncated_staircase geometric(quantum=40) two_stage(levels=2) two_stage(levels=5)) ], '', rows(i => 100 => 1), often => 1),
		family('dp_max(i, 0, 100)', ['laplace'], rows(i => 0 => 1), rows(i => 100 => 1), @substitute),
		family('dp_min(x, 0, 100)', [qw(laplace truncated_staircase two_stage(levels=2))], '', rows(x => 0 => 1)),

		# a value between two of few marks, beyond all of which there are some
		map({ my $n = $_; family('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 3 => $n), rows(i => 3 => $n, 1 => 1), note => ", at a low mark, beside $n") } 1, 3),
		family('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 3 => 1), rows(i => 3 => 2), note => ', at the top', often => 1),
		family('dp_max(i, 0, 100)', ['auto'], rows(i => 100 => 3), rows(i => 100 => 3, 50 => 1)),
		family('dp_min(x, 0, 100)', [qw(auto above_threshold)], rows(x => 0 => 3), rows(x => 0 => 3, 98.5 => 1)),
		family('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 3 => 3, 0 => 1), rows(i => 3 => 3, 2 => 1), @substitute),

		# the only value beyond the mark where the walk stops, once its threshold is 0; one of several that are not
		family('dp_max(i, 0, 3)', ['above_threshold'], '', rows(i => 1 => 1), epsilon => 3, note => ', epsilon 3', often => 1),
		family('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 0 => 1, 1 => 2), rows(i => 0 => 1, 1 => 2, 2 => 1), epsilon => 3, note => ', epsilon 3, beside 3'),
		family('dp_min(x, 0, 100)', ['auto'], '', rows(x => 99.9 => 1), epsilon => 3, note => ', epsilon 3'),
		family('dp_max(x, 0, 100)', ['above_threshold'], '', rows(x => 0.1 => 1), epsilon => 8, note => ', epsilon 8'),
		map({ my $e = $_; family('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 0 => 3), rows(i => 0 => 2, 1 => 1), epsilon => $e, @substitute, note => ", epsilon $e, substitute") } 2, 3),
		family('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 'NULL' => 1), rows(i => 1 => 1), epsilon => 3, @substitute, note => ', epsilon 3, substitute, null'),

		# a value that makes the many points likelier, and the few less likely
		family('dp_max(i, 0, 100)', ['exponential(rank=2)'], rows(i => 2 => 2), rows(i => 2 => 2, 100 => 1)),
		family('dp_max(x, 0, 1000)', ['exponential'], rows(x => 0.4 => 6), rows(x => 0.4 => 6, 1000 => 1)),
		family('dp_max(i, 0, 100)', ['exponential(rank=0)'], '', rows(i => 95 => 1)),
		family('dp_max(i, 0, 100)', ['exponential(rank=2)'], rows(i => 2 => 2, 0 => 1), rows(i => 2 => 2, 100 => 1), @substitute),
		family('dp_min(x, 0, 1000)', ['exponential'], rows(x => 999.6 => 6), rows(x => 999.6 => 6, 0 => 1)),
		family('dp_median_exp(i, 0, 1000)', ['auto'], rows(i => 150 => 1), rows(i => 150 => 1, 1000 => 1), often => 1),
		family('dp_median_exp(x, 0, 1000)', ['auto'], rows(x => 150 => 1), rows(x => 150 => 1, 1000 => 1)),
		family('dp_median_exp(i, 0, 1000)', ['auto'], rows(i => 80 => 1, 0 => 1), rows(i => 80 => 1, 1000 => 1), @substitute),
		family('dp_median(i, 0, 1000)', [qw(auto exponential)], rows(i => 150 => 1), rows(i => 150 => 1, 1000 => 1)),
		family('dp_quantile_exp(i, 0.9, 0, 100000)', ['auto'], rows(i => 99700 => 9), rows(i => 99700 => 9, 100000 => 1), often => 1),
		family('dp_quantile_exp(x, 0, 0, 1000)', ['auto'], '', rows(x => 50 => 1)),
		family('dp_quantile_exp(x, 0.9, 0, 1000)', ['auto'], rows(x => 997 => 9, 0 => 1), rows(x => 997 => 9, 1000 => 1), @substitute),
		family('dp_quantiles_exp(i, ARRAY[0.25,0.5,0.75], 0, 1000)', ['auto'], rows(i => 150 => 1), rows(i => 150 => 1, 1000 => 1), often => 1),
		family('dp_quantiles_exp(x, ARRAY[0.5,0.9], 0, 1000)', ['auto'], rows(x => 150 => 1), rows(x => 150 => 1, 1000 => 1)),
		family('dp_quantiles_exp(x, ARRAY[0.25,0.5,0.75], 0, 1000)', ['auto'], rows(x => 80 => 1, 0 => 1), rows(x => 80 => 1, 1000 => 1), @substitute),

		# a value that moves the median by all of the gap, or widens the gap
		family('dp_median(i, 0, 1000)', [ qw(smooth_cauchy smooth_cauchy(constants=nrs) smooth_laplace(delta=0.01)), 'smooth_laplace(delta=0.05, constants=nrs)' ], rows(i => 0 => 1, 1000 => 1),
			rows(i => 0 => 1, 1000 => 2), often => 1),
		family('dp_median(i, 0, 1000)', [qw(smooth_cauchy smooth_laplace(delta=1e-6))], rows(i => 0 => 2), rows(i => 0 => 2, 1000 => 1), note => ', wider'),
		family('dp_median(x, 0, 1000)', [qw(smooth_cauchy smooth_laplace(delta=0.01))], rows(x => 500 => 12), rows(x => 500 => 12, 0 => 1), note => ', where many are'),
		family('dp_median(i, 0, 1000)', ['smooth_cauchy'], rows(i => 0 => 2, 1000 => 1), rows(i => 0 => 1, 1000 => 2), @substitute),

		# one of many values that all are as frequent
		family("dp_mode(i, '{$many}'::integer[])", [qw(permute_and_flip exponential abstract_staircase abstract_staircase(r=1))], '', rows(i => 7 => 1), label => 'dp_mode(i, 30 values)', often => 1),
		family("dp_mode(i, '{$many}'::integer[])", [qw(auto exponential)], rows(i => 3 => 1), rows(i => 7 => 1), label => 'dp_mode(i, 30 values)', @substitute),
		family('dp_mode(yes)', [qw(permute_and_flip abstract_staircase)], rows(yes => 'false' => 2), rows(yes => 'false' => 2, 'true' => 1)),

		# a count a little below what is shown
		map({ family('dp_bounds(i)', ['auto'], rows(i => 5 => $_), rows(i => 5 => $_ + 1), note => ", $_ rows or one more", often => $_ == 7) } 7, 8),
		family('dp_bounds(x)', ['auto'], rows(x => 5 => 8, -3 => 8), rows(x => 5 => 8, -3 => 9)),
		family('dp_bounds(i)', ['auto'], rows(i => 5 => 8, 100 => 7), rows(i => 5 => 7, 100 => 8), epsilon => 4, @substitute),

		# bounds that are chosen with the answer: a bin at the threshold, and a value beyond it
		map({ family($_, ['auto'], rows(i => 5 => 40), rows(i => 5 => 40, 100 => 1), note => ', chosen bounds', epsilon => 4, often => /sum/ ? 1 : 0) } qw(sum(i) avg(i) max(i) variance(i))),
		family('sum(x)', ['auto'], rows(x => 5 => 16), rows(x => 5 => 17), note => ', chosen bounds', epsilon => 4),
		family('avg(i)', ['auto'], rows(i => 5 => 30, 100 => 15), rows(i => 5 => 29, 100 => 16), note => ', chosen bounds', epsilon => 4, @substitute),

		# other epsilons
		family('dp_count(*)', ['auto'], '', rows(i => 0 => 1), epsilon => 0.2, note => ', epsilon 0.2'),
		family('dp_count(*)', ['auto'], '', rows(i => 0 => 1), epsilon => 4, note => ', epsilon 4'),
		family('dp_sum(i, -100, 50)', ['auto'], '', rows(i => -1000 => 1), epsilon => 3, note => ', epsilon 3'),
	);
}

1;
