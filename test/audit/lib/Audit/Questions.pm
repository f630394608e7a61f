# Audit::Questions: random neighbouring tables, and random questions about them,
# for a recorder (Audit::Recorder), which needs each only once.
#
#   my $case = random_tables();            # as of Audit.pm, without a question
#   my $statement = random_question($case);
#
# Both tables have the same rows of the same units in the same order, but one
# unit: one table lacks it, or has other rows of it where units are exchanged.
# Numbers are drawn by rand, so srand repeats them.

package Audit::Questions;

use strict;
use warnings;

use Audit::Rows qw(table);
use Exporter qw(import);

our @EXPORT_OK = qw(random_question random_tables);

sub one { return $_[ rand @_ ]; }
sub chance { return rand() < $_[0]; }

##############################################################################
# Tables

my @columns = qw(person g i s b r x n yes);
my %values = (
	i => [ qw(NULL 0 1 2 3 50 99 100 101 -1 -100 1000 2147483647) ],
	s => [qw(NULL 0 1 7 8 -5)],
	b => [qw(NULL 0 1 1000000 9000000000000000000 -5)],
	r => [qw(NULL 0 0.5 1 -1 'NaN' 'Infinity')],
	x => [ qw(NULL 0 0.1 1 3.7 5 99.5 100 998 -5 -1000 'NaN' 'Infinity' '-Infinity' 1e300) ],
	n => [qw(NULL 0 1 0.001 1e6 1e30 -7 'NaN')],
	yes => [qw(NULL true false true)]);

sub row_of
{
	my ($person) = @_;

	return '(' . join(', ', $person, int(rand 4) + 1, map { one(@{ $values{$_} }) } @columns[ 2 .. $#columns ]) . ')';
}

sub rows_of { my ($person, $number) = @_; return [ map { row_of($person) } 1 .. $number ]; }

# The rows of all units, those of one unit in a place of their own.
sub insert
{
	my ($others, $place, $unit) = @_;
	my @rows = map { @$_ } @$others[ 0 .. $place - 1 ], $unit, @$others[ $place .. $#$others ];

	return @rows ? 'INSERT INTO t (' . join(', ', @columns) . ') VALUES ' . join(', ', @rows) : '';
}

sub random_tables
{
	my $is_row = chance(0.25);
	my $exchange = chance(0.4);
	my ($c, $m) = (one(1, 1, 2, 3, 5), one(1, 1, 2, 3, 4));
	my $accountant = one(qw(pure pure zcdp));
	my $most = $is_row ? 1 : one(1, 2, 4, 8);
	my @others = map { rows_of($_, $is_row ? 1 : 1 + int rand $most) } 2 .. 2 + int rand one(1, 4, 12, 30);
	my $place = int rand 1 + @others;
	my $public = chance(0.6);
	my @more = ($public ? ("set_values('t', 'g', '{1,2,3}')") : (), $is_row || chance(0.8) ? () : "set_bounds('t', 'i', '0', '10')");
	my $tables = table(($is_row ? '' : ", privacy_unit => 'person', max_rows_per_unit => $c, max_groups_per_unit => $m") . ($exchange ? ", neighbours => 'substitute'" : ''), @more);
	my $unit = rows_of(1, $is_row ? 1 : 1 + int rand 2 * $most);
	my $other = $exchange ? rows_of(1, $is_row ? 1 : 1 + int rand 2 * $most) : [];

	$tables .= '; CREATE TABLE u (id integer PRIMARY KEY, kind boolean, v integer); INSERT INTO u VALUES (0, NULL, 7), (1, true, 100), (2, false, -100), (3, true, 3); GRANT SELECT ON u TO PUBLIC';
	$tables .= "; CREATE TABLE v (person integer, y integer); SELECT dp_noise.protect('v', privacy_unit => 'person', max_rows_per_unit => 2" . ($exchange ? ", neighbours => 'substitute'" : '') . ', epsilon => 1e6, delta => 1)' if !$is_row;
	my @visits = $is_row ? () : map { '(' . int(rand 2 * @others + 2) . ', ' . one(0, 1, 50, 100) . ')' } 1 .. 2 * @others + 1;
	my $visits = !@visits ? '' : 'INSERT INTO v VALUES ' . join(', ', @visits);

	# the unit's visits, on one side alone unless it is exchanged
	my $of_unit = sub { $is_row || chance(0.3) ? '' : 'INSERT INTO v SELECT 1, ' . one(0, 100) . ' FROM generate_series(1, ' . one(1, 3) . ')' };
	$visits =~ s/\(1, /(2, /g;
	my @sides = (join('; ', grep { $_ } insert(\@others, $place, $unit), $visits, $of_unit->()), join('; ', grep { $_ } insert(\@others, $place, $other), $visits, $exchange ? $of_unit->() : ()));

	@sides = reverse @sides if chance(0.5);
	return {
		tables => $tables,
		accountant => $accountant,
		is_row => $is_row,
		public => $public,
		one => $sides[0],
		two => $sides[1] };
}

##############################################################################
# Questions

my @noise = qw(auto auto laplace geometric staircase discrete_staircase staircase(cost=l2) gaussian(delta=0.01) gaussian(delta=1e-6));
my @number = ([ 'i', -100, 50 ], [ 'i', 0, 100 ], [ 'i', 30, 50 ], [ 's', 0, 7 ], [ 'b', 0, 1e15 ], [ 'r', -1, 1 ], [ 'x', -1000, 7 ], [ 'x', 0, '1e-9' ], [ 'n', 0, 1e6 ], [ 'n', -1, '123456789012345678' ], [ 'i + g', 0, 10 ], [ 'CASE WHEN yes THEN i END', -5, 5 ]);
my @point = ([ 'i', 0, 100 ], [ 'i', 0, 3 ], [ 'x', 0, 1000 ], [ 'n', -10, 10 ], [ 'abs(i)', 0, 10 ]);

# An aggregate, and a mechanism for it.
sub aggregate
{
	my ($case) = @_;
	my ($value, $lower, $upper) = @{ one(@number) };
	my ($point, $from, $to) = @{ one(@point) };

	return @{ one(
		(map { [ one('dp_count(*)', 'dp_count(i)', 'dp_count(nullif(i, 0))'), one(@noise, 'truncated_geometric', 'geometric(quantum=3)') ] } 1 .. 3),
		(map { [ "dp_sum($value, $lower, $upper)", one(@noise, 'truncated_laplace') ] } 1 .. 4),
		['dp_sum(i, -100, 50)', 'geometric(quantum=30)'],
		[ one('dp_sum_distinct', 'dp_mean_distinct') . "($value, $lower, $upper)", one(@noise) ],
		[ "dp_mean($value, $lower, $upper)", one(@noise, 'two_stage(levels=3)') ],
		[ one('dp_variance', 'dp_stddev', 'dp_var_pop', 'dp_stddev_pop') . "($value, $lower, $upper)", one(@noise) ],
		[ "dp_regression($value, " . one('x, ', 'i, ') . "$lower, $upper, " . one('0, 3)', '-5, 1000)'), one(@noise) ],
		(map { [ one('dp_max', 'dp_min') . "($point, $from, $to)", one(@noise, qw(above_threshold above_threshold exponential exponential(rank=2) two_stage(levels=5))) ] } 1 .. 2),
		[ "dp_median_exp($point, $from, $to)", 'auto' ],
		[ "dp_median($point, $from, $to)", one(qw(auto smooth_cauchy smooth_laplace(delta=0.01))) ],
		[ "dp_quantile_exp($point, " . one(0, 0.1, 0.9, 1) . ", $from, $to)", 'auto' ],
		[ "dp_quantiles_exp($point, ARRAY[" . one('0.5', '0.25,0.5,0.75', '0.1,0.9,0.5') . "], $from, $to)", 'auto' ],
		[ one('dp_mode(yes)', "dp_mode(i, '{0,1,2,3}')"), one(qw(auto permute_and_flip exponential abstract_staircase)) ],
		[ one('dp_bounds(i)', 'dp_bounds(x)'), 'auto' ],
		[ one($case->{is_row} ? () : 'dp_count_distinct(person)', $case->{is_row} ? 'dp_count_distinct(i)' : one('dp_count_distinct(i, NULL, NULL, 3)', 'dp_count_distinct(g, NULL, NULL, 2)')), one(qw(auto laplace geometric)) ]) };
}

sub condition { return one('i > 1', 'yes', 'g <> 2', 'x IS NOT NULL', 'i = ANY (ARRAY[1, 2, 3])', 'NOT yes OR i < 50'); }

sub from
{
	my ($case) = @_;

	return 't' if chance(0.55);
	return one('t JOIN u ON u.id = t.i', 't LEFT JOIN u ON u.id = t.g', 't JOIN u ON u.kind = t.yes') if $case->{is_row} || chance(0.4);
	return one(
		't JOIN v USING (person)', 't LEFT JOIN v USING (person)',
		'(SELECT person, min(g) AS g, max(i) AS i, sum(i) AS n, max(x) AS x, bool_or(yes) AS yes, min(s) AS s, max(b) AS b, min(r) AS r FROM t GROUP BY person) AS t',
		'(SELECT person, g, max(i) AS i, sum(i) AS n, max(x) AS x, bool_or(yes) AS yes, min(s) AS s, max(b) AS b, min(r) AS r FROM t GROUP BY person, g) AS t',
		'(SELECT DISTINCT person, g, i, n, x, yes, s, b, r FROM t) AS t',
		'(SELECT * FROM t WHERE EXISTS (SELECT 1 FROM v WHERE v.person = t.person AND y > 0)) AS t');
}

# Settings and a statement. With private keys a count comes first, since it may
# decide which groups are shown. No two questions are equal, such as those of which
# one says in FILTER what WHERE says: both are drawn, and one is thrown away.
sub random_question
{
	my ($case) = @_;
	my ($aggregate, $mechanism) = aggregate($case);
	my @aggregates = ($aggregate);
	my $group = chance(0.45) ? '' : one('g', 'g', 'g', 'yes', 'g, yes', 'ROLLUP (g)', 'GROUPING SETS ((g), (yes))', 'CUBE (g, yes)', 'g % 2', 'i');

	push @aggregates, (aggregate($case))[0] while chance(0.25);
	unshift @aggregates, 'dp_count(*)' if $group ne '' && chance(0.3);
	my $where = chance(0.3) ? ' WHERE ' . condition() : '';
	$_ .= ' FILTER (WHERE ' . condition() . ')' foreach grep { $where eq '' && chance(0.15) } @aggregates;
	my %settings = (
		epsilon => one(0.1, 0.5, 1, 1, 2, 5, 20),
		delta => one('1e-6', 0.01, 0.2),
		mechanism => $mechanism,
		max_rows_per_unit => one(0, 0, 0, 1, 2),
		max_groups_per_unit => one(0, 0, 0, 1),
		choose_caps => $mechanism eq 'auto' && chance(0.3) ? one(0.1, 0.5) : 0);

	return join('; ', map { "SET dp_noise.$_ = '$settings{$_}'" } sort keys %settings) . '; SELECT ' . join(', ', @aggregates) . ' FROM ' . from($case) . $where . ($group ne '' ? " GROUP BY $group" : '');
}

1;
