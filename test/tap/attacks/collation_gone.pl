# Class of attack: failing tells of a row. A collation is looked up when the first
# row comes to the comparison. One of the analyst's own, dropped after the
# question was planned, made the question fail exactly where there was such a
# row: a bit about anybody, at the least price.

use strict;
use warnings;

use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('collation');

$node->safe_psql('postgres', <<'EOS');
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE patients (id int PRIMARY KEY, age int NOT NULL, name text, code character(5), label varchar(9));
INSERT INTO patients SELECT i, i, 'name' || i, 'c' || i, 'l' || i FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('patients', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'patients', 1000000);
CREATE SCHEMA dp_ann AUTHORIZATION dp_ann;
EOS

my $number = 0;

# What comes of a question about one person of 77 years, with and without him.
sub asked
{
	my ($question, $age) = @_;
	my $collation = 'dp_ann.c' . ++$number;
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);

	$question =~ s/AGE/$age/;
	$question =~ s/MINE/$collation/g;
	$node->as_ann("CREATE COLLATION $collation (provider = libc, locale = 'POSIX')");
	$session->query('SET plan_cache_mode = force_generic_plan');
	$session->query("PREPARE q AS $question");
	$session->query('EXPLAIN EXECUTE q');
	$node->as_ann("DROP COLLATION $collation");
	$session->{stderr} = '';
	$session->query('EXECUTE q');
	my $error = $session->{stderr};
	$session->quit;
	return $error =~ /ERROR/ ? $error : 'answered';
}

foreach my $question (
	"SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND name = 'zz' COLLATE MINE",
	"SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND name <> 'zz' COLLATE MINE",
	"SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND name IN ('a' COLLATE MINE, 'b')",
	"SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND name IS DISTINCT FROM 'zz' COLLATE MINE",
	"SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND code = 'zz' COLLATE MINE",
	"SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND label = 'zz' COLLATE MINE",
	"SELECT dp_count(*) FILTER (WHERE name = 'zz' COLLATE MINE) FROM patients WHERE id = 77 AND age >= AGE",
	"SELECT dp_count(NULLIF(name, 'a' COLLATE MINE)) FROM patients WHERE id = 77 AND age >= AGE",
	"SELECT dp_mode(name COLLATE MINE, ARRAY['name1', 'name77']) FROM patients WHERE id = 77 AND age >= AGE",
	"SELECT name = 'name77' COLLATE MINE AS k, dp_count(*) FROM patients WHERE id = 77 AND age >= AGE GROUP BY 1")
{
	is(asked($question, 77), asked($question, 78), $question);
}
is(asked("SELECT dp_count(*) FROM patients WHERE id = 77 AND age >= AGE AND name = 'zz' COLLATE MINE", 77), 'answered', 'it is answered');

$node->stop;
done_testing();
