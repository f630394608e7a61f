# Audit::Units: units of several rows, groups by public and by private keys,
# joins, privacy levels, and several answers at once.
#
# The unit that is added has as many rows as count, or more, at the bound that
# moves the answers most, in all groups in which it may count; what is looked at
# are the answers of all these groups together.

package Audit::Units;

use strict;
use warnings;

use Audit::Rows qw(rows table);
use Exporter qw(import);

our @EXPORT_OK = qw(answer exchanged_units in_groups keys_to levels person shown unit_cases units);

# Rows of a person: person(1, 3, i => 100) is three rows with that value.
sub person
{
	my ($person, $times, %values) = @_;
	my @columns = sort keys %values;

	return "INSERT INTO t (@{[ join ', ', 'person', @columns ]}) SELECT @{[ join ', ', $person, @values{@columns} ]} FROM generate_series(1, $times)";
}

# A person with so many rows in each of some groups.
sub in_groups
{
	my ($person, $times, $groups, %values) = @_;

	return "INSERT INTO t (@{[ join ', ', 'person', 'g', sort keys %values ]}) SELECT @{[ join ', ', $person, 'g', @values{sort keys %values} ]} FROM generate_series(1, $times), generate_series($groups) AS g";
}

# Tables whose unit is the person, with c rows a group and m groups.
sub units
{
	my ($c, $m, @more) = @_;

	return table(", privacy_unit => 'person', max_rows_per_unit => $c, max_groups_per_unit => $m", @more);
}

sub exchanged_units
{
	my ($c, $m, @more) = @_;

	return table(", privacy_unit => 'person', max_rows_per_unit => $c, max_groups_per_unit => $m, neighbours => 'substitute'", @more);
}

# Public keys 1 .. n
sub keys_to { return "set_values('t', 'g', '{" . join(',', 1 .. $_[0]) . "}')"; }

# One case an aggregate: unit_case('name', 'aggregate', settings...)
sub answer
{
	my ($aggregate, %case) = @_;
	my $note = delete $case{note};

	$case{mechanism} //= 'auto';
	return {
		name => join(', ', ref $aggregate ? @$aggregate : $aggregate, $case{mechanism} eq 'auto' ? () : $case{mechanism}, $note),
		aggregates => ref $aggregate ? $aggregate : [$aggregate],
		epsilon => 2,
		%case };
}

##############################################################################
# Units of three rows

my $many = join ',', 1 .. 30;

sub whole_tables
{
	my %added     = (tables => units(3, 1), note => 'unit of 3 rows');
	my %exchanged = (tables => exchanged_units(3, 1), note => 'unit of 3 rows, substitute');
	my $one = person(1, 3, i => 0, x => 0);
	my $two = person(1, 3, i => 100, x => 100);

	return (
		map({ answer('dp_count(*)', %added, one => '', two => person(1, 5), mechanism => $_, often => (/auto/ ? 1 : 0)) } qw(auto laplace staircase gaussian(delta=0.2))),
		map({ answer('dp_sum(i, -100, 50)', %added, one => '', two => person(1, 5, i => -1000), mechanism => $_) } qw(auto laplace geometric(quantum=100) gaussian(delta=0.2))),
		answer('dp_sum(n, 0, 1e6)', %added, one => '', two => person(1, 3, n => '1e6'), mechanism => 'laplace'),
		answer('dp_count_distinct(person)', %added, one => '', two => person(1, 3)),
		answer('dp_mean(i, 0, 100)', %added, often => 1, one => '', two => person(1, 3, i => 100)),
		answer('dp_variance(i, 0, 100)', %added, one => person(1, 3, i => 0), two => person(1, 3, i => 0) . ';' . person(2, 3, i => 100)),
		answer('(dp_regression(i, x, 0, 100, 0, 100) FILTER (WHERE %s)).regr_count', %added, one => person(1, 3, i => 0, x => 0), two => person(1, 3, i => 0, x => 0) . ';' . person(2, 5, i => 100, x => 100)),
		map({ answer('dp_max(i, 0, 100)', %added, one => person(1, 1, i => 100) . ';' . person(2, 1, i => 100), two => person(1, 1, i => 100) . ';' . person(2, 1, i => 100) . ';' . person(3, 3, i => 1), mechanism => $_) } qw(auto exponential)),
		answer('dp_min(x, 0, 100)', %added, one => '', two => person(1, 3, x => 0), mechanism => 'laplace'),
		answer('dp_median_exp(i, 0, 1000)', %added, often => 1, one => person(1, 3, i => 150), two => person(1, 3, i => 150) . ';' . person(2, 5, i => 1000)),
		answer('dp_median(i, 0, 1000)', %added, one => person(1, 2, i => 0) . ';' . person(2, 1, i => 1000), two => person(1, 2, i => 0) . ';' . person(2, 1, i => 1000) . ';' . person(3, 5, i => 1000), mechanism => 'smooth_cauchy'),
		answer('dp_quantiles_exp(x, ARRAY[0.25,0.5,0.75], 0, 1000)', %added, one => person(1, 3, x => 150), two => person(1, 3, x => 150) . ';' . person(2, 5, x => 1000)),
		answer("dp_mode(i, '{$many}'::integer[])", %added, name => 'dp_mode(i, 30 values), unit of 3 rows', one => '', two => person(1, 5, i => 7)),
		answer('dp_bounds(i)', %added, one => join(';', map { person($_, 3, i => 5) } 1 .. 3), two => join(';', map { person($_, 3, i => 5) } 1 .. 4), epsilon => 6),
		map({ answer($_, %added, name => "$_, unit of 3 rows, chosen bounds", one => join(';', map { person($_, 3, i => 5) } 1 .. 12), two => join(';', map({ person($_, 3, i => 5) } 1 .. 12), person(13, 5, i => 100)), epsilon => 6) } qw(sum(i) avg(i) max(i))),
		answer('dp_count(i)', %exchanged, one => person(1, 3), two => person(1, 5, i => 0)),
		map({ answer('dp_sum(i, -100, 50)', %exchanged, one => person(1, 3, i => -100), two => person(1, 5, i => 100), mechanism => $_) } qw(auto laplace)),
		answer('dp_mean(x, 0, 100)', %exchanged, one => $one, two => $two),
		answer('dp_max(x, 0, 100)', %exchanged, one => $one, two => $two, mechanism => 'laplace'),
		answer('dp_median_exp(i, 0, 1000)', %exchanged, one => person(1, 3, i => 80) . ';' . person(2, 3, i => 0), two => person(1, 3, i => 80) . ';' . person(2, 3, i => 1000)),
		answer("dp_mode(i, '{$many}'::integer[])", %exchanged, name => 'dp_mode(i, 30 values), unit of 3 rows, substitute', one => person(1, 3, i => 3), two => person(1, 3, i => 7)),
		answer('dp_sum(i, -100, 50)', tables => units(1000, 1), often => 1, note => 'unit of 1000 rows', one => '', two => person(1, 1000, i => -100), copies => 60),
	);
}

##############################################################################
# Caps that are chosen with the answer: each block chooses its own

sub chosen_caps
{
	my %half = (analysts => [ { choose_caps => 0.5 } ], note => 'chosen cap');
	my %counted = (%half, block => 'SELECT count(*) FROM t WHERE %s');
	my %grouped = (%half, block => 'SELECT array_agg(n ORDER BY g) FROM (SELECT g, count(*) AS n FROM t WHERE %s GROUP BY g) AS s');
	my @three = map { person($_, 4, i => 100) } 1 .. 3;

	return (
		answer('count(*)', %counted, tables => units(4, 1), one => '', two => person(1, 5), often => 1),
		answer('count(*)', %counted, tables => units(4, 1), one => join(';', @three), two => join(';', @three, person(4, 5)), note => 'chosen cap, beside 3'),
		answer('sum(i)', %half, block => 'SELECT dp_sum(i, 0, 100) FROM t WHERE %s', tables => units(4, 1), one => join(';', @three), two => join(';', @three, person(4, 5, i => 1000))),
		answer('count(*)', %counted, tables => exchanged_units(4, 1), one => join(';', @three, person(4, 1)), two => join(';', @three, person(4, 5)), note => 'chosen cap, substitute'),
		answer('count(*)', %grouped, tables => units(4, 3, keys_to(3)), one => '', two => in_groups(1, 5, '1, 3'), often => 1, note => 'chosen cap, unit in 3 groups'),
	);
}

##############################################################################
# Groups by public keys

sub public_keys
{
	my @cases;

	foreach my $m (1, 2, 4)
	{
		my %groups = (tables => units(2, $m, keys_to(4)), group => 'g', keys => 4, one => '', two => in_groups(1, 3, "1, $m", i => 100), note => "unit in $m of 4 groups");

		push @cases, map { answer('dp_count(*)', %groups, mechanism => $_, often => $m == 4 && (/geo/ ? 1 : 0)) } qw(auto geometric gaussian(delta=0.2));
		push @cases, map { answer('dp_sum(i, 0, 100)', %groups, mechanism => $_) } qw(auto laplace);
	}
	my %groups = (tables => units(2, 2, keys_to(4)), group => 'g', keys => 4, one => '', note => 'unit in 2 of 4 groups');
	my %moved = (tables => exchanged_units(2, 2, keys_to(4)), group => 'g', keys => 4, one => in_groups(1, 2, '1, 2', i => 100, x => 100), two => in_groups(1, 2, '3, 4', i => 100, x => 100),
		note => 'unit moves from 2 groups to 2 others');

	return (
		@cases,
		# which groups count is chosen once a statement
		answer('dp_count(*)', %groups, two => in_groups(1, 2, '1, 4'), copies => 1, draws => 10_000, often => 1, note => 'unit of 4 groups, 2 count'),
		answer('dp_count(*)', tables => table('', keys_to(2)), group => 'g', keys => 2, one => '', two => rows(g => 1 => 1), note => 'row in 1 of 2 groups'),
		answer('dp_count(*)', tables => table('', keys_to(2)), group => 'g', keys => 2, one => '', two => rows(g => 1 => 1), copies => 1, draws => 10_000, often => 1, note => 'row in 1 of 2 groups, once a statement'),
		answer('dp_count(*)', tables => table('', keys_to(2)), group => 'ROLLUP (g)', order => 'g', keys => 3, one => '', two => rows(g => 1 => 1), often => 1, note => 'row in a ROLLUP of 2 groups'),
		answer('dp_count(*)', tables => table('', keys_to(2)), group => 'ROLLUP (g)', order => 'g', keys => 3, one => rows(g => 1 => 20), two => rows(g => 1 => 21), mechanism => 'truncated_geometric', note => 'row in a ROLLUP, as drawn'),
		answer('dp_count(*)', tables => units(1, 2, keys_to(4)), group => 'ROLLUP (g)', order => 'g', keys => 5, one => '', two => in_groups(1, 2, '1, 2'), note => 'unit in 2 groups of a ROLLUP of 4'),
		answer('dp_sum(n, 0, 1e6)', tables => units(1, 8, keys_to(8)), group => 'g', keys => 8, one => '', two => in_groups(1, 1, '1, 8', n => '1e6'), mechanism => 'laplace', often => 1, note => 'unit in 8 groups, beyond 2^42'),
		answer('dp_mean(i, 0, 100)', %groups, two => in_groups(1, 2, '1, 2', i => 100)),
		answer('dp_max(i, 0, 100)', %groups, two => in_groups(1, 2, '1, 2', i => 100), mechanism => 'laplace', often => 1),
		answer('dp_max(i, 0, 100)', %groups, two => in_groups(1, 2, '1, 2', i => 100), mechanism => 'exponential'),
		answer('dp_max(i, 0, 3)', %groups, two => in_groups(1, 2, '1, 2', i => 1), mechanism => 'above_threshold', epsilon => 6, note => 'unit in 2 of 4 groups, epsilon 6'),
		answer('dp_median_exp(i, 0, 1000)', %groups, one => in_groups(1, 2, '1, 2', i => 50), two => in_groups(1, 2, '1, 2', i => 50) . ';' . in_groups(2, 2, '1, 2', i => 1000), epsilon => 2),
		map({ answer('dp_count(*)', %moved, mechanism => $_, often => (/auto/ ? 1 : 0)) } qw(auto laplace gaussian(delta=0.2))),
		map({ answer('dp_sum(i, 0, 100)', %moved, mechanism => $_) } qw(auto laplace)),
		answer('dp_mean(x, 0, 100)', %moved),
		answer('dp_max(i, 0, 3)', %moved, one => in_groups(1, 2, '1, 2', i => 1), two => in_groups(1, 2, '3, 4', i => 1), mechanism => 'above_threshold', epsilon => 12, note => 'unit moves from 2 groups to 2 others, epsilon 12'),
		answer('dp_count(*)', tables => table(", neighbours => 'substitute'", keys_to(2)), group => 'g', keys => 2, one => rows(g => 1 => 1), two => rows(g => 2 => 1), often => 1, note => 'row moves between 2 groups'),
	);
}

##############################################################################
# Groups by private keys: delta

sub shown
{
	my ($aggregate, %case) = @_;
	my $note = delete $case{note};
	my $from = delete $case{from} // 't';
	my $key  = delete $case{key} // 'g';

	return {
		name => "$aggregate, $note",
		block => "SELECT count(*), coalesce(sum(n), -1), coalesce(min(g), 0) FROM (SELECT $key, $aggregate AS n FROM $from WHERE %s GROUP BY $key) AS s",
		names => [ 'groups', 'total', 'first key' ],
		epsilon => 1,
		delta => 0.12,
		%case };
}

# Thirty people in each of some groups.
sub crowd
{
	my ($groups) = @_;

	return "INSERT INTO t (person, g) SELECT 1000 + 100 * g + p, g FROM generate_series(1, 30) AS p, generate_series($groups) AS g";
}

sub private_keys
{
	my %four = (tables => units(1, 4), note => 'unit alone in 4 groups');
	my $few = join '; ', map { person($_, 2, g => 1, i => 1) } 1, 2;

	return (
		shown('dp_count(*)', tables => table(''), one => '', two => rows(g => 1 => 1), often => 1, note => 'row alone in a group'),
		shown('dp_count(*)', tables => table(''), one => rows(g => 1 => 2), two => rows(g => 1 => 3), delta => 0.017, note => 'group of 2 or 3 rows'),
		shown('dp_sum(i, 0, 100)', tables => table(''), one => '', two => "INSERT INTO t (g, i) VALUES (1, 100)", note => 'row alone in a group'),
		# by counts whose noise ends
		shown('dp_sum(i, 0, 100)', tables => table(''), one => '', two => "INSERT INTO t (g, i) VALUES (1, 100)", epsilon => 0.2, delta => 0.03, note => 'row alone in a group, epsilon 0.2'),
		shown('dp_sum(i, 0, 100)', tables => table(''), one => rows(g => 1 => 8), two => rows(g => 1 => 9), epsilon => 0.2, delta => 0.03, note => 'group of 8 or 9 rows, epsilon 0.2'),
		shown('dp_count(*)', tables => units(3, 1), one => '', two => person(1, 3, g => 7), note => 'unit of 3 rows alone in a group'),
		shown('dp_count_distinct(person)', tables => units(3, 1), one => '', two => person(1, 3, g => 7), note => 'unit of 3 rows alone in a group'),
		# the aggregate that decides comes behind one of two noisy sums
		shown('dp_mean(i, 0, 1) + dp_count_distinct(person)', tables => units(3, 1), one => '', two => person(1, 3, g => 7), note => 'unit of 3 rows alone in a group'),
		map({ shown($_, %four, one => '', two => in_groups(1, 1, '1, 4', i => 1), delta => 0.56, often => (/count/ ? 1 : 0)) } 'dp_count(*)', 'dp_sum(i, 0, 1)'),
		shown('dp_count(*)', %four, one => '', two => in_groups(1, 1, '1, 4', i => 1), mechanism => 'gaussian(delta=0.05)', delta => 0.2, note => 'unit alone in 4 groups, gaussian'),
		# Gaussian noise that shares delta with the threshold: alone in all groups, in others, and both
		map({ shown('dp_count(*)', tables => units(1, 8), one => $_->[0], two => "$_->[0]; " . in_groups(1, 1, '1, 8'), epsilon => 0.5, delta => 0.1, note => "unit in 8 groups, $_->[1]") }
			[ 'SELECT', 'alone' ], [ crowd('1, 8'), 'with others' ], [ crowd('3, 8'), 'in two alone' ]),
		map({ shown('dp_count(*)', tables => exchanged_units(1, 4), one => crowd('2, 7') . '; ' . in_groups(1, 1, '1, 4'), two => crowd('2, 7') . '; ' . in_groups(1, 1, $_->[0]), epsilon => 0.5, delta => 0.1, note => "unit $_->[1], substitute") }
			[ '5, 8', 'moves from 4 groups' ], [ '4, 7', 'moves from 3 of 4 groups' ]),
		shown('dp_count(*)', tables => exchanged_units(1, 1), one => person(1, 1, g => 1), two => person(1, 1, g => 2), delta => 0.54, often => 1, note => 'unit alone moves, substitute'),
		shown('dp_count(*)', tables => table('', "set_values('t', 'i', '{1,2}')"), key => 'g, i', one => '', two => 'INSERT INTO t (g, i) VALUES (5, 1)', note => 'private and public keys'),
		# the unit that makes a group large enough is the first that it shows
		shown('dp_count(*)', tables => table(', min_people_per_group => 3'), one => rows(g => 1 => 2), two => rows(g => 1 => 3), often => 1, note => 'third row of a group of 3 at least'),
		map({ shown($_->[0], tables => units(2, 1, $_->[2] // ()) =~ s/, epsilon/, min_people_per_group => 3, epsilon/r, one => $few, two => "$few; " . person(3, 2, g => 1, i => 1), note => $_->[1]) }
			[ 'dp_count(*)', 'third unit of a group of 3 at least' ], [ 'dp_sum(i, 0, 1)', 'third unit of a group of 3 at least' ], [ 'dp_count(*)', 'third unit of a public group of 3 at least', keys_to(2) ]),
		shown('dp_count(*)', tables => units(1, 2), one => in_groups(1, 1, '1, 3') . ';' . in_groups(2, 1, '1, 3'), two => in_groups(1, 1, '1, 3') . ';' . in_groups(2, 1, '1, 3') . ';' . in_groups(3, 1, '2, 4'), note => 'unit joins a group and is alone in another'),

		# sensitivity times groups beyond 2^38
		shown('dp_count(*)', tables => units(2147483647, 2048), one => '', two => in_groups(1, 1, '1, 2048'), mechanism => 'geometric', epsilon => 0.1, delta => 1e-6,
			copies => 1, draws => 400, often => 1, note => 'unit of 2^31 - 1 rows alone in 2048 groups'),
	);
}

##############################################################################
# Joins

# An ordinary table, looked up by its key.
my $looked_up = '; CREATE TABLE u (id integer PRIMARY KEY, kind boolean, v integer); INSERT INTO u VALUES (1, true, 100), (2, false, -100); GRANT SELECT ON u TO PUBLIC';

# A second protected table of the same people, with so many rows each.
sub visits
{
	my ($rows) = @_;

	return "; CREATE TABLE v (pid integer, y integer); SELECT dp_noise.protect('v', privacy_unit => 'pid', max_rows_per_unit => $rows, epsilon => 1e6, delta => 1)";
}

# Visits, and results that refer to them, of the people of t; three rows each count.
sub results
{
	my $caps = "privacy_unit => 'pid', population => 't', max_rows_per_unit => 3";

	return "; CREATE TABLE w (id integer PRIMARY KEY, pid integer); CREATE TABLE v (w integer REFERENCES w, pid integer, y integer); SELECT dp_noise.protect('w', $caps), dp_noise.protect('v', $caps)";
}

sub joins
{
	my $people = table(", privacy_unit => 'person'") =~ s/; /; CREATE UNIQUE INDEX ON t (person); /r;

	return (
		answer('dp_count(*)', tables => table('') . $looked_up, from => 't JOIN u ON u.id = t.i', one => rows(i => 3 => 1), two => rows(i => 3 => 1, 1 => 1), often => 1, note => 'joined to a table'),
		answer('dp_sum(v, -100, 100)', tables => table(", neighbours => 'substitute'") . $looked_up, from => 't LEFT JOIN u ON u.id = t.i', one => rows(i => 2 => 1), two => rows(i => 1 => 1),
			note => 'left joined to a table, substitute'),
		answer('dp_count(*)', tables => units(2, 2, "set_values('t', 'g', '{1,2}')") . $looked_up, from => 't JOIN u ON u.id = t.g', group => 'kind', keys => 2, one => '', two => in_groups(1, 2, '1, 2'),
			note => 'unit in 2 groups of a joined table'),
		answer('dp_count(*)', tables => $people . visits(3), from => 't JOIN v ON t.person = v.pid', one => '', two => person(1, 1) . '; INSERT INTO v SELECT 1, 1 FROM generate_series(1, 5)',
			note => 'join of 2 protected tables'),
		answer('dp_sum(y, 0, 100)', tables => $people . visits(3), from => 't JOIN v ON t.person = v.pid', one => person(1, 1), two => person(1, 1) . '; INSERT INTO v SELECT 1, 100 FROM generate_series(1, 5)',
			often => 1, note => 'join of 2 protected tables, unit more in one'),
		answer('dp_sum(coalesce(y, -100), -100, 100)', tables => $people . visits(1), from => 't LEFT JOIN v ON t.person = v.pid', one => person(1, 1), two => person(1, 1) . '; INSERT INTO v VALUES (1, 100)',
			often => 1, note => 'left join of 2 protected tables'),
		answer('dp_sum(coalesce(y, -100), -100, 100)', tables => $people . visits(3), from => 't LEFT JOIN v ON t.person = v.pid', one => '', two => person(1, 1) . '; INSERT INTO v SELECT 1, 100 FROM generate_series(1, 5)',
			mechanism => 'laplace', note => 'left join of 2 protected tables, unit more in both'),
		# what refers to somebody else's visit does not count, and of one's own three do
		answer('dp_count(*)', tables => $people . results(), from => 't JOIN v ON t.person = v.pid JOIN w ON v.w = w.id', one => person(1, 1) . '; INSERT INTO w VALUES (1, 1)',
			two => person(1, 1) . '; ' . person(2, 1) . '; INSERT INTO w VALUES (1, 1), (2, 2); INSERT INTO v SELECT 1 + i % 2, 2, 1 FROM generate_series(1, 40) AS i', note => 'join along a foreign key'),
		answer('dp_count(person)', tables => units(2, 2, "set_values('t', 'g', '{1,2}')") . $looked_up, from => 'u LEFT JOIN t ON u.id = t.g', group => 'kind', keys => 2, one => '', two => in_groups(1, 2, '1, 2'),
			note => 'public table left joined to units in 2 groups'),
	);
}

##############################################################################
# Privacy levels, and several answers

sub levels
{
	my ($levels) = @_;

	return "set_levels('t', '{$levels}')";
}

my %low  = (role => 'audit_bob', epsilon => 0.5);
my %high = (role => 'audit_ann', epsilon => 2);

sub several_answers
{
	my $unit = in_groups(1, 2, '1, 2', i => 100);
	my %row  = (tables => table('', levels('2,0.5')), one => '', two => rows(i => 100 => 1));
	my %unit = (tables => units(2, 2, keys_to(2), levels('2,0.5')), group => 'g', keys => 2, one => '', two => $unit);
	my @both = (analysts => [ \%high, \%low ], payer => 'everyone');
	my @one  = (analysts => [ \%low ], payer => 'audit_bob');
	my @other = (analysts => [ \%low, \%high ], payer => 'everyone');
	my %eight = (tables => units(1, 8, keys_to(8), levels('20,0.5')), group => 'g', keys => 8, one => '', two => in_groups(1, 1, '1, 8', n => '1e6'));

	return (
		answer('dp_count(*)', %row, @one, note => 'the lower of 2 levels'),
		answer('dp_count(*)', %row, @both, often => 1, note => 'both levels'),
		answer('dp_count(*)', %row, @other, note => 'both levels, the lower first'),
		answer('dp_sum(i, 0, 100)', %row, @both, note => 'both levels'),
		answer('dp_count(*)', %row, tables => table('', levels('2,1,0.5')), analysts => [ \%low, { role => 'audit_ann', epsilon => 1 } ], payer => 'audit_ann', note => 'the lower 2 of 3 levels'),
		answer('dp_sum(i, 0, 100)', %unit, @one, note => 'unit in 2 groups, the lower of 2 levels'),
		answer('dp_sum(i, 0, 100)', %unit, @both, note => 'unit in 2 groups, both levels'),
		answer('dp_sum(i, 0, 100)', %row, tables => table(", neighbours => 'substitute'", levels('2,0.5')), one => rows(i => 0 => 1), @one, note => 'substitute, the lower of 2 levels'),
		answer('dp_sum(n, 0, 1e6)', %eight, @one, often => 1, note => 'unit in 8 groups beyond 2^42, the lower of 2 levels'),
		answer('dp_count(*)', tables => table(''), one => '', two => rows(i => 0 => 1), analysts => [ { epsilon => 1 }, { epsilon => 0.5 } ], payer => 'everyone', often => 1, note => 'to 2 analysts without levels'),

		answer([ 'dp_count(*)', 'dp_sum(i, 0, 100)', 'dp_max(i, 0, 100, 1, \'laplace\')' ], tables => table(''), one => '', two => rows(i => 100 => 1), epsilon => 0.5, note => 'together'),
		answer([ 'dp_count(*)', 'dp_count(i, 0.5)', 'dp_count(1, 0.25, \'staircase\')' ], tables => table(''), one => '', two => rows(i => 100 => 1), epsilon => 1, note => 'together'),
		answer([ 'dp_sum(i, 0, 100)', 'dp_median_exp(x, 0, 1000)', 'dp_mean(x, 0, 1000)' ], tables => units(2, 1), one => person(1, 2, i => 0, x => 50),
			two => person(1, 2, i => 0, x => 50) . ';' . person(2, 3, i => 100, x => 1000), note => 'together, unit of 2 rows'),
		answer([ 'dp_count(*)', 'dp_sum(i, 0, 100)' ], tables => units(2, 2, keys_to(2)), group => 'g', keys => 2, one => '', two => $unit, often => 1, note => 'together, unit in 2 groups'),
		answer([ 'dp_count(*)', 'dp_sum(i, 0, 100)' ], tables => units(2, 2, keys_to(2)), group => 'g', keys => 2, one => '', two => $unit, mechanism => 'gaussian(delta=0.1)', note => 'together, unit in 2 groups'),
	);
}

sub unit_cases { return (whole_tables(), chosen_caps(), public_keys(), private_keys(), joins(), several_answers()); }

1;
