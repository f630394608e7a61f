# Aggregates that are charged once together are about different people: nobody has
# rows in two of them. Random questions about the rows that meet either of two
# conditions, over the joins and sub-queries of Questions.pm; where EXPLAIN says that
# the two are asked together, a plain query counts who is in both.
#
# FUZZ_SECONDS says how long, FUZZ_SEED repeats a run.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use Questions;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my ($batch, $fillings) = (200, 3);

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('disjoint', "fsync = off\nautovacuum = off\njit = off\n");
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');

$node->use_library($ENV{FUZZ_LIBRARY}) if $ENV{FUZZ_LIBRARY};
make_tables($node);
$node->safe_psql('postgres', <<'EOS');
-- Whether the aggregates are charged together; null for what is refused.
CREATE FUNCTION t.price(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || question LOOP
		IF line ~ 'Disjoint Aggregates' THEN
			RETURN 'together';
		END IF;
	END LOOP;
	RETURN 'apart';
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR invalid_parameter_value THEN
	RETURN NULL;
WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION t.met(counting text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE counting INTO result;
	RETURN result;
END
$$;
EOS

my (@failures, %errors);
my ($asked, $together, $apart, $met) = (0, 0, 0, 0);
my $end = time() + $seconds;

while (time() < $end)
{
	my @questions = grep { !$_->{broken} && length($_->{text}) < 4000 } map { question_of_parts(one(0, 0, 1, 1, 2)) } 1 .. $batch;
	my @prices = run_each($node, 'dp_ann', "SET search_path = prot, pub, public; SET statement_timeout = '20s';", map { 't.price(' . quote($_->{text}) . ')' } @questions);
	my %priced = (together => [], apart => []);

	$asked += @questions;
	foreach my $n (0 .. $#questions)
	{
		push @{ $priced{ $prices[$n] } }, $questions[$n] if $priced{ $prices[$n] };
		$errors{ $prices[$n] } = $questions[$n]{text} if $prices[$n] =~ /^error (?!57014)/;
	}
	splice @{ $priced{apart} }, 10;
	$together += @{ $priced{together} };
	$apart += @{ $priced{apart} };
	foreach (1 .. $fillings)
	{
		my @all = (@{ $priced{together} }, @{ $priced{apart} });

		fill($node, 'plain0');
		my @people = run_each($node, $superuser, "SET search_path = plain0, pub, public;", map { 't.met(' . quote($_->{met}) . ')' } @all);
		foreach my $n (0 .. $#all)
		{
			next if $people[$n] == 0;
			if ($n >= @{ $priced{together} })
			{
				$met++;
				next;
			}
			push @failures, $all[$n]{text};
			diag("$people[$n] people are in both\n  $all[$n]{text}") if @failures <= 5;
		}
	}
}

is(scalar @failures, 0, 'nobody is in two aggregates that are charged once');
is(join("\n", %errors), '', 'no error');
cmp_ok($together, '>', $asked / 50, "of $asked questions the aggregates of $together were charged together");
cmp_ok($met, '>', $apart / 50, "of those of $apart others somebody was in both, $met times in $fillings tables each");

$node->stop;
done_testing();
