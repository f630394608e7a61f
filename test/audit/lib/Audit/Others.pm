# Audit::Others: answers that come in other ways than by a question about a table
# alone: replayed, derived, shared by equal questions and by roles, through protected views,
# about several tables of a population, suggested to owners; and the number of
# different values, of which a unit may have many.

package Audit::Others;

use strict;
use warnings;

use Audit::Rows qw(numbered rows table);
use Audit::Units qw(answer exchanged_units in_groups keys_to person units);
use Exporter qw(import);

our @EXPORT_OK = qw(other_cases);

# A case in epsilon, and one in rho.
sub in_both
{
	my ($case) = @_;

	return ($case, { %$case, name => "rho: $case->{name}", accountant => 'zcdp' });
}

# Another table of the same people.
my $second = "; CREATE TABLE u (LIKE t INCLUDING DEFAULTS); SELECT dp_noise.protect('u', privacy_unit => 'person', max_rows_per_unit => 1, population => 't')";

# A view that counts each person's rows, and one that shows some of them.
my $counting = "; CREATE VIEW v AS SELECT person, count(*) AS n, max(k) AS k FROM t WHERE person IS NOT NULL GROUP BY person; SELECT dp_noise.protect('v', privacy_unit => 'person')";
my $showing  = "; CREATE VIEW v AS SELECT person, i, k FROM t WHERE i > 0; SELECT dp_noise.protect('v', privacy_unit => 'person', max_rows_per_unit => 3)";

# What is true of each person: that they are a man.
my $told = "; CREATE TABLE o (person integer PRIMARY KEY, man boolean NOT NULL); INSERT INTO o SELECT i, i % 2 = 1 FROM generate_series(1, 9) AS i; SELECT dp_noise.protect('o', privacy_unit => 'person', population => 't')";
my $sexes = 'SELECT dp_count(*) FILTER (WHERE man), dp_count(*) FILTER (WHERE NOT man) FROM t JOIN o USING (person) WHERE t.%s';

# So many values of one person, and of others.
sub values_of
{
	my ($person, $values) = @_;

	return "INSERT INTO t (person, i) SELECT $person, i FROM generate_series($values) AS i";
}

# Counts of two ranges, by how they end at 5.
my $halves = 'SELECT dp_count(*) FILTER (WHERE i %s 5), dp_count(*) FILTER (WHERE i %s 5) FROM t WHERE %%s';

sub suggestion
{
	my ($settings, %case) = @_;

	return {
		name => "dp_noise.suggest(), $settings",
		block => "SELECT s.suggested FROM (SELECT 1 AS k) AS one, dp_noise.suggest('t', 2, 1, settings => '{$settings}', " . delete($case{more}) . ') AS s WHERE %s',
		analysts => [ { role => 'audit_owner' } ],
		payer => 'everyone',
		copies => 20,
		%case };
}

sub other_cases
{
	my @row    = (one => '', two => rows(i => 100 => 1));
	my %twice  = (tables => table(''), @row, analysts => [ {}, { role => 'audit_ann' } ], on_repeat => 'replay');
	my %shared = (tables => table(''), @row, analysts => [ { role => 'audit_ann' }, { role => 'audit_bob' } ], on_repeat => 'replay', payer => 'everyone');
	my %both   = (tables => units(1, 1) . $second, one => '', two => person(1, 1) . '; INSERT INTO u (person) VALUES (1)');

	# as many as the threshold have much, and one more has some
	my @people = map { person($_, 12, i => 10) } 1 .. 2;
	my %sizes  = (one => join(';', @people), two => join(';', @people, person(3, 3, i => 3)));

	return (

		# of two answers one is paid, and so one is given
		map({ in_both($_) } answer('dp_count(*)', %twice, often => 1, note => 'asked again and replayed'),
			answer('dp_sum(i, 0, 100)', %twice, note => 'asked again and replayed'),
			{ name => 'dp_count(*), of groups, and one of them derived', block => 'SELECT n FROM (SELECT yes, dp_count(*) AS n FROM t WHERE %s GROUP BY yes) AS q WHERE yes', then => 'SELECT dp_count(*) FROM t WHERE %s AND yes', %twice, two => rows(yes => 'true' => 1), epsilon => 2, often => 1 },
			answer('dp_count(*)', %shared, often => 1, note => 'asked by two roles and shared'),
			answer('dp_sum(i, 0, 100)', %shared, note => 'asked by two roles and shared'),
			map({ { name => "$_, of two equal sub-queries", block => "SELECT (SELECT $_ FROM t WHERE %1\$s), (SELECT $_ FROM t WHERE %1\$s)", tables => table(''), @row, epsilon => 2, often => (/count/ ? 1 : 0) } } 'dp_count(*)', 'dp_mean(i, 0, 100)')),
		answer([ 'dp_count(*)', 'dp_count(i)' ], tables => table(''), @row, note => 'nearly equal questions'),
		answer([ 'dp_max(i, 0, 3)', "dp_max(i, 0, 3, 2, 'exponential')" ], tables => table(''), one => rows(i => 3 => 1), two => rows(i => 3 => 2), note => 'equal questions by two mechanisms'),

		# of two aggregates no row is in both; one is; a row goes from one to the other
		map({ in_both($_) } { name => 'dp_count(*), of two ranges that do not meet', block => sprintf($halves, '<', '>='), tables => table(''), one => '', two => rows(i => 5 => 1), epsilon => 2, often => 1 },
			{ name => 'dp_count(*), of two ranges that meet', block => sprintf($halves, '<=', '>='), tables => table(''), one => '', two => rows(i => 5 => 1), epsilon => 1, often => 1 },
			{ name => 'dp_count(*), of two ranges that do not meet, substitute', block => sprintf($halves, '<', '>='), tables => table(", neighbours => 'substitute'"), one => rows(i => 4 => 1), two => rows(i => 6 => 1), epsilon => 1 }),
		# the same of people with several rows: what is true of the person, and what is of a row
		map({ in_both($_) } { name => 'dp_count(*), of men and of women, unit of 3 rows', block => $sexes, tables => units(3, 1) . $told, one => '', two => person(1, 5), epsilon => 2, often => 1 },
			{ name => 'dp_count(*), of men and of women, unit of 3 rows, substitute', block => $sexes, tables => exchanged_units(3, 1) . $told =~ s/'person',/'person', neighbours => 'substitute',/r, one => person(1, 5), two => person(2, 5), epsilon => 1 },
			{ name => 'dp_count(*), of two ranges, unit of 3 rows', block => sprintf($halves, '<', '>='), tables => units(3, 1), one => '', two => person(1, 3, i => 4) . ';' . person(1, 3, i => 6), epsilon => 1, often => 1 }),
		{ name => 'dp_sum(i, 0, 100), of CASE with 0 for others', block => 'SELECT dp_sum(CASE WHEN yes THEN i ELSE 0 END, 0, 100), dp_sum(CASE WHEN NOT yes THEN i ELSE 0 END, 0, 100) FROM t WHERE %s', tables => table(''), one => '', two => 'INSERT INTO t (i, yes) VALUES (100, true)', epsilon => 2 },

		# protected views
		map({ in_both($_) } answer('dp_count(*)', tables => units(3, 1) . $showing, from => 'v', one => '', two => person(1, 5, i => 7), often => 1, note => 'through a view, unit of 3 rows'),
			answer('dp_sum(n, 0, 10)', tables => units(3, 1) . $counting, from => 'v', one => '', two => person(1, 12), note => 'through a view that counts')),
		answer('dp_count(*)', tables => units(3, 1) . $showing, from => 'v', one => '', two => person(1, 5, i => 7), payer => 'everyone', note => 'through a view, by the grant'),

		# two tables of one population: a question about each, and one about both
		map({ in_both($_) } { name => 'dp_count(*), of each of two tables of a population', block => 'SELECT (SELECT dp_count(*) FROM t WHERE %1$s), (SELECT dp_count(*) FROM u WHERE %1$s)', %both, epsilon => 1, often => 1 },
			{ name => 'dp_count(*), of two tables of a population joined', block => 'SELECT dp_count(*) FROM t JOIN u USING (person) WHERE t.%s', %both, epsilon => 2 }),

		# suggestions, which the grant pays
		map({ in_both($_) } suggestion('max_rows_per_unit', more => 'group_by => NULL', tables => units(1, 1), %sizes)),
		suggestion('max_groups_per_unit', more => "group_by => '{g}'", tables => units(1, 1), one => join(';', map { in_groups($_, 1, '1, 12') } 1 .. 2), two => join(';', map({ in_groups($_, 1, '1, 12') } 1 .. 2), in_groups(3, 1, '1, 3'))),
		suggestion('bounds', more => "columns => '{i}'", tables => units(2, 1), %sizes),
		suggestion('max_rows_per_unit', more => 'group_by => NULL', name => 'dp_noise.suggest(), max_rows_per_unit, substitute', tables => exchanged_units(1, 1),
			one => join(';', @people, person(3, 1)), two => join(';', @people, person(3, 3))),

		# a person with several values, of which some count
		map({ my $m = $_; in_both(answer("dp_count_distinct(i, NULL, '$m', 3)", tables => units(8, 1), one => values_of(1, '1, 4'), two => values_of(1, '1, 4') . ';' . values_of(2, '5, 12'), name => "dp_count_distinct(i), $m, unit of 3 values of 8", often => $m eq 'auto')) }
			qw(auto geometric)),
		answer('dp_count_distinct(i, NULL, NULL, 2)', tables => exchanged_units(4, 1), one => values_of(1, '1, 2') . ';' . values_of(2, '1, 2'), two => values_of(1, '1, 2') . ';' . values_of(2, '5, 6'), name => 'dp_count_distinct(i), unit of 2 values of 4, substitute'),
		answer('dp_count_distinct(i, NULL, NULL, 2)', tables => units(4, 2, keys_to(2)), group => 'g', keys => 2, one => '', two => 'INSERT INTO t (person, g, i) SELECT 1, g, i FROM generate_series(1, 2) AS g, generate_series(1, 4) AS i',
			name => 'dp_count_distinct(i), unit of 2 values in 2 groups'),
		map({ my $aggregate = $_; in_both(answer("$aggregate(i, 0, 12)", tables => units(2, 1), one => values_of(1, '1, 4'), two => values_of(1, '1, 4') . ';' . values_of(2, '3, 10'), name => "$aggregate(i), unit of 2 values of 8, beside one of 2 of 4", often => 1)) }
			qw(dp_sum_distinct dp_mean_distinct)),
		answer('dp_sum_distinct(i, -6, 6)', tables => exchanged_units(2, 1), one => values_of(1, '1, 3') . ';' . values_of(2, '5, 6'), two => values_of(1, '1, 3') . ';' . values_of(2, '-6, -5'), name => 'dp_sum_distinct(i), unit of 2 values of 2, substitute'),
		answer('dp_sum_distinct(i, 0, 4)', tables => units(2, 2, keys_to(2)), group => 'g', keys => 2, one => '', two => 'INSERT INTO t (person, g, i) SELECT 1, g, i FROM generate_series(1, 2) AS g, generate_series(1, 4) AS i',
			name => 'dp_sum_distinct(i), unit of 2 values in 2 groups'),
		answer('dp_sum_distinct(i, 0, 3)', tables => numbered(), one => person(1, 1, i => 1), two => person(1, 1, i => 1) . ';' . person(2, 1, i => 3), name => 'dp_sum_distinct(i), unit of one row'),
		answer('dp_count_distinct(i)', tables => numbered(), one => person(1, 1, i => 1), two => person(1, 1, i => 1) . ';' . person(2, 1, i => 2), name => 'dp_count_distinct(i), unit of one row'),
	);
}

1;
