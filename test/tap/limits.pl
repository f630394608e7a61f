# What is counted does not depend on how much there is of it: in a library where
# 1,000 pairs of a unit and a value are already more than numbers of one word
# have (`make limits`), distinct counts are those of the ordinary library, and a
# unit changes them by no more than its cap.

use strict;
use warnings;

use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('limits', "fsync = off\nautovacuum = off\n");

# Of "visits" a unit has several rows: codes come as pairs, others as sets of
# values. Of "things" each row is a unit. Unit 0 comes first, with 500 equal
# rows, and would take half of the room from others.
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE visits (person integer NOT NULL, code integer, name text, n numeric);
INSERT INTO visits SELECT 0, 1, 'v1', 1 FROM generate_series(1, 500);
INSERT INTO visits SELECT i, i, 'v' || i, i FROM generate_series(1, 1000) AS i;
CREATE TABLE dense AS SELECT * FROM visits;
INSERT INTO dense SELECT 1 + i % 3000, i * 7919 % 4001, 'v' || i * 104729 % 3001, i * 31 % 2003 FROM generate_series(1, 15000) AS i;
CREATE TABLE things (id integer PRIMARY KEY, name text);
INSERT INTO things SELECT i, 'v' || i / 2 FROM generate_series(1, 5000) AS i;
SELECT dp_noise.protect('visits', privacy_unit => 'person', max_rows_per_unit => 5, epsilon => 1e6, delta => 1), dp_noise.protect('dense', privacy_unit => 'person', max_rows_per_unit => 5, epsilon => 1e6, delta => 1),
	dp_noise.protect('things', epsilon => 1e6, delta => 1), dp_noise.alter_population('things', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'things', 1000);
EOS

my @questions = (
	(map { my $table = $_; map { my $column = $_; map { "SELECT dp_count_distinct($column, 1, 'auto', $_) FROM $table" } 1, 2, 5 } qw(code name n) } qw(visits dense)),
	'SELECT dp_count_distinct(code, 1, \'auto\', 2) FROM dense WHERE person < 2000');

sub number_of
{
	return $node->safe_psql('postgres', "SELECT (dp_noise.true_states(\$q\$$_[0]\$q\$))[1]");
}

# Rows that are units have no states of their own: at this epsilon there is noise
# with a probability of 1e-43.
sub number_of_rows
{
	my ($out) = $node->as_ann('SELECT dp_count_distinct(name, 100) FROM things');

	return $out;
}

my %ordinary = map { $_ => number_of($_) } @questions;

is($ordinary{ $questions[0] }, 1000, 'of 1000 people a value each');
is(number_of_rows(), 2501, 'of rows');
$node->use_library('limits');
is(number_of($_), $ordinary{$_}, "the same number: $_") foreach @questions;
is(number_of_rows(), 2501, 'and of rows');
foreach my $column (qw(code name n))
{
	foreach my $cap (1, 2, 5)
	{
		my $question = "SELECT dp_count_distinct($column, 1, 'auto', $cap) FROM visits";
		my $without = number_of("$question WHERE person <> 0");

		cmp_ok(abs($ordinary{$question} - $without), '<=', $cap, "without unit 0, at a cap of $cap of $column");
	}
}

$node->stop;
done_testing();
