# Audit::Rho: what is charged in rho, all budgets being zcdp: each aggregate and
# mechanism with a cost of its own, in groups, with privacy levels, groups by
# private keys, whose delta is of the pool.
#
# The tables are those of Audit::Rows and Audit::Units. Laplace, geometric and
# Gaussian noise come near to what they cost; of selections and sparse vectors
# the cost is that of the worst such mechanism.

package Audit::Rho;

use strict;
use warnings;

use Audit::Rows qw(family numbered rows table);
use Audit::Units qw(answer exchanged_units in_groups keys_to levels person shown units);
use Exporter qw(import);

our @EXPORT_OK = qw(rho_cases);

my @rho = (accountant => 'zcdp');

# The label tells such a case from the one of the same name elsewhere.
sub of_rows { return map { +{ %$_, name => "rho: $_->{name}" } } family(@_, @rho); }
sub of_units { my $case = answer(@_, @rho); return { %$case, name => "rho: $case->{name}" }; }
sub of_keys { my $case = shown(@_, @rho); return { %$case, name => "rho: $case->{name}" }; }

my $many      = join ',', 1 .. 30;
my $exchanged = table(", neighbours => 'substitute'");

sub rows_in_rho
{
	my @substitute = (tables => $exchanged, note => ', substitute');
	my $row = rows(i => 0 => 1);
	my $two_rows = rows(i => 0 => 1, 100 => 1);

	# what is above 0 is nearly all that one of the sums tells
	my $few = rows(i => 0 => 30, 100 => 4);
	my $more = rows(i => 0 => 30, 100 => 5);

	return (
		of_rows('dp_count(*)', [qw(auto geometric staircase gaussian(delta=0.2))], '', $row, often => 1),
		of_rows('dp_count(*)', ['auto'], '', $row, epsilon => 0.7, note => ', epsilon 0.7'),
		of_rows('dp_count(*)', ['auto'], '', $row, epsilon => 3.5, note => ', epsilon 3.5'),
		of_rows('dp_count(i)', [qw(auto laplace)], rows(i => 'NULL' => 1), $row, @substitute),
		of_rows('dp_count_distinct(person)', ['auto'], '', rows(person => 1 => 1), tables => numbered()),
		of_rows('dp_sum(i, -100, 50)', [qw(auto laplace staircase)], '', rows(i => -1000 => 1)),
		of_rows('dp_sum(i, -100, 50)', ['auto'], '', rows(i => -1000 => 1), epsilon => 3.5, note => ', epsilon 3.5'),
		of_rows('dp_sum(i, -100, 100)', ['auto'], rows(i => -1000 => 1), rows(i => 1000 => 1), @substitute),

		# two and three sums, by their L2 norm
		of_rows('dp_mean(i, 0, 100)', [qw(auto laplace staircase)], $few, $more, often => 1),
		of_rows('dp_mean(x, 0, 100)', ['auto'], rows(x => 0 => 20, 100 => 5), rows(x => 0 => 19, 100 => 6), @substitute),
		of_rows('dp_mean(i, 0, 100)', ['two_stage(levels=2)'], $row, $two_rows),
		of_rows('dp_variance(i, 0, 100)', [qw(auto laplace)], $few, $more),
		of_rows('dp_variance(x, 0, 100)', ['auto'], rows(x => 0 => 4), rows(x => 0 => 3, 100 => 1), @substitute),
		of_rows('(dp_regression(i, x, 0, 100, 0, 100) FILTER (WHERE %s)).regr_count', [qw(auto laplace)], rows('i, x' => '0, 0' => 1), rows('i, x' => '0, 0' => 1, '100, 100' => 1)),
		of_rows('dp_stddev(x, 0, 100)', ['auto'], rows(x => 0 => 1), rows(x => 0 => 1, 100 => 1)),

		# selections and sparse vectors
		of_rows('dp_max(i, 0, 3)', ['above_threshold'], rows(i => 3 => 1), rows(i => 3 => 2), note => ', at the top'),
		of_rows('dp_max(i, 0, 100)', [ 'laplace', 'two_stage(levels=2)' ], '', rows(i => 100 => 1)),
		of_rows('dp_max(i, 0, 100)', ['exponential(rank=2)'], rows(i => 2 => 2), rows(i => 2 => 2, 100 => 1)),
		of_rows('dp_min(x, 0, 100)', ['auto'], rows(x => 0 => 3), rows(x => 0 => 3, 98.5 => 1)),
		of_rows('dp_median_exp(i, 0, 1000)', ['auto'], rows(i => 150 => 1), rows(i => 150 => 1, 1000 => 1), epsilon => 4, often => 1),
		of_rows('dp_median_exp(i, 0, 1000)', ['auto'], rows(i => 80 => 1, 0 => 1), rows(i => 80 => 1, 1000 => 1), epsilon => 4, @substitute),
		of_rows('dp_quantile_exp(i, 0.9, 0, 100000)', ['auto'], rows(i => 99700 => 9), rows(i => 99700 => 9, 100000 => 1), epsilon => 4),
		of_rows('dp_quantiles_exp(i, ARRAY[0.25,0.5,0.75], 0, 1000)', ['auto'], rows(i => 150 => 1), rows(i => 150 => 1, 1000 => 1), epsilon => 4),
		of_rows('dp_median(i, 0, 1000)', [qw(smooth_cauchy smooth_laplace(delta=0.01))], rows(i => 0 => 1, 1000 => 1), rows(i => 0 => 1, 1000 => 2)),
		of_rows("dp_mode(i, '{$many}'::integer[])", [qw(auto abstract_staircase)], '', rows(i => 7 => 1), label => 'dp_mode(i, 30 values)', epsilon => 4, often => 1),
		of_rows('dp_mode(yes)', [qw(auto permute_and_flip)], rows(yes => 'false' => 2, 'true' => 2), rows(yes => 'false' => 2, 'true' => 3), epsilon => 1.5),
		of_rows('dp_mode(yes)', ['auto'], rows(yes => 'false' => 2, 'true' => 1), rows(yes => 'false' => 1, 'true' => 2), epsilon => 4, @substitute),
		of_rows('dp_bounds(i)', ['auto'], rows(i => 5 => 7), rows(i => 5 => 8)),
		map({ of_rows($_, ['auto'], rows(i => 5 => 40), rows(i => 5 => 40, 100 => 1), epsilon => 4, label => "$_, chosen bounds") } qw(avg(i) max(i))),
	);
}

sub groups_in_rho
{
	my @cases;

	foreach my $m (1, 4)
	{
		my %groups = (tables => units(2, $m, keys_to(4)), group => 'g', keys => 4, one => '', two => in_groups(1, 3, "1, $m", i => 100), note => "unit in $m of 4 groups");

		push @cases, map { of_units('dp_count(*)', %groups, mechanism => $_, often => $m == 4 && (/auto|geo/ ? 1 : 0)) } qw(auto geometric staircase gaussian(delta=0.2));
		push @cases, map { of_units('dp_sum(i, 0, 100)', %groups, mechanism => $_) } qw(auto laplace);
	}
	my %groups = (tables => units(2, 2, keys_to(4)), group => 'g', keys => 4, one => '', two => in_groups(1, 2, '1, 2', i => 100, x => 100), note => 'unit in 2 of 4 groups');
	my %moved = (tables => exchanged_units(2, 2, keys_to(4)), group => 'g', keys => 4, one => in_groups(1, 2, '1, 2', i => 100, x => 100), two => in_groups(1, 2, '3, 4', i => 100, x => 100),
		note => 'unit moves from 2 groups to 2 others');
	my %levels = (tables => table('', levels('2,0.5')), one => '', two => rows(i => 100 => 1));
	my %low  = (role => 'audit_bob', epsilon => 0.5);
	my %high = (role => 'audit_ann', epsilon => 2);

	return (
		@cases,
		of_units('dp_mean(i, 0, 100)', %groups),
		of_units('dp_variance(i, 0, 100)', %groups),
		of_units('dp_median_exp(i, 0, 1000)', %groups, one => in_groups(1, 2, '1, 2', i => 50), two => in_groups(1, 2, '1, 2', i => 50) . ';' . in_groups(2, 2, '1, 2', i => 1000), epsilon => 6),
		of_units('dp_max(i, 0, 100)', %groups, mechanism => 'laplace'),
		of_units("dp_mode(i, '{$many}'::integer[])", %groups, two => in_groups(1, 2, '1, 2', i => 7), name => 'dp_mode(i, 30 values), unit in 2 of 4 groups', epsilon => 6),
		map({ of_units('dp_count(*)', %moved, mechanism => $_) } qw(auto geometric)),
		of_units('dp_sum(i, 0, 100)', %moved),
		of_units('dp_mean(x, 0, 100)', %moved),
		of_units('dp_sum(i, -100, 50)', tables => units(3, 1), one => '', two => person(1, 5, i => -1000), note => 'unit of 3 rows'),
		of_units('dp_count(*)', %levels, analysts => [ \%low ], payer => 'audit_bob', note => 'the lower of 2 levels'),
		of_units('dp_count(*)', %levels, analysts => [ \%high, \%low ], payer => 'everyone', note => 'both levels'),
		of_units([ 'dp_count(*)', 'dp_sum(i, 0, 100)', 'dp_max(i, 0, 100, 1, \'laplace\')' ], tables => table(''), one => '', two => rows(i => 100 => 1), epsilon => 1, note => 'together'),
		of_units('dp_count(*)', tables => table(''), one => '', two => rows(i => 0 => 1), analysts => [ { epsilon => 1.5 }, { epsilon => 1 } ], payer => 'everyone', note => 'to 2 analysts'),
	);
}

# Gaussian noise named by its delta, which has an epsilon: that of a unit's groups
# together, and where they merge, which costs more than what was asked for.
sub gaussian_by_delta
{
	my @noise = (mechanism => 'gaussian(delta=1e-6)', epsilon => 1);
	my @cases;

	foreach my $m (4, 20)
	{
		my %unit = (tables => units(1, $m, keys_to($m)), one => '', two => in_groups(1, 1, "1, $m", i => 100, yes => 'true'), @noise);
		my %rollup = (%unit, group => 'ROLLUP (g)', order => 'g', keys => $m + 1, note => "unit in $m groups of a ROLLUP");
		my %sets = (%unit, group => 'GROUPING SETS ((g), (yes))', order => 'g, yes', keys => $m + 3, note => "unit in $m groups of GROUPING SETS");
		my %total = (%rollup, group => 'ROLLUP (g) HAVING grouping(g) = 1', order => 'grouping(g)', keys => 1, note => "unit in $m groups, the total of a ROLLUP");
		my %exchanged = (%rollup, tables => exchanged_units(1, $m, keys_to($m)), one => in_groups(1, 1, "1, $m", i => -100), note => "unit in $m groups of a ROLLUP, substitute");
		my %exchanged_total = (%exchanged, map({ $_ => $total{$_} } qw(group order keys)), note => "$total{note}, substitute");

		push @cases, of_units('dp_count(*)', %unit, group => 'g', keys => $m, note => "unit in $m of $m groups"), of_units('dp_count(*)', %rollup), of_units('dp_count(*)', %sets), of_units('dp_count(*)', %total), of_units('dp_sum(i, -100, 100)', %exchanged), of_units('dp_sum(i, -100, 100)', %exchanged_total),
			of_units([ 'dp_count(*)', 'dp_sum(i, 0, 100)', 'dp_mean(i, 0, 100)' ], %rollup, note => "together, $rollup{note}");
	}
	my %levels = (tables => units(1, 4, keys_to(4), levels('2,0.5')), group => 'g', keys => 4, one => '', two => in_groups(1, 1, '1, 4'));

	return (@cases, of_units('dp_count(*)', %levels, analysts => [ { role => 'audit_bob', epsilon => 0.5 } ], payer => 'audit_bob', note => 'unit in 4 groups, the lower of 2 levels'));
}

sub keys_in_rho
{
	my %four = (tables => units(1, 4), note => 'unit alone in 4 groups');

	return (
		of_keys('dp_count(*)', tables => table(''), one => '', two => rows(g => 1 => 1), delta => 0.31, often => 1, note => 'row alone in a group'),
		of_keys('dp_count(*)', tables => table(''), one => rows(g => 1 => 2), two => rows(g => 1 => 3), delta => 0.017, note => 'group of 2 or 3 rows'),
		of_keys('dp_sum(i, 0, 100)', tables => table(''), one => '', two => 'INSERT INTO t (g, i) VALUES (1, 100)', delta => 0.31, note => 'row alone in a group'),
		of_keys('dp_count(*)', tables => units(3, 1), one => '', two => person(1, 3, g => 7), note => 'unit of 3 rows alone in a group'),
		map({ of_keys($_, %four, one => '', two => in_groups(1, 1, '1, 4', i => 1), delta => 0.47) } 'dp_count(*)', 'dp_sum(i, 0, 1)'),
		map({ of_keys($_, %four, one => '', two => in_groups(1, 1, '1, 4', i => 1), mechanism => 'gaussian(delta=0.05)', delta => 0.2, note => 'unit alone in 4 groups, gaussian') } 'dp_count(*)', 'dp_sum(i, 0, 1)'),
		of_keys('dp_count(*)', tables => exchanged_units(1, 1), one => person(1, 1, g => 1), two => person(1, 1, g => 2), delta => 0.34, note => 'unit alone moves, substitute'),
	);
}

sub rho_cases { return (rows_in_rho(), groups_in_rho(), gaussian_by_delta(), keys_in_rho()); }

1;
