# Questions with one fingerprint are one question: whoever asked the first is
# told its answer when asking the other. So random questions are written in many
# ways that differ by little (a cast, the type of a constant, a bound, a
# negation), and any two with equal fingerprints must have the same true answer:
# the same rows that count, with the same values, in the same groups, over a
# table of values chosen to tell such questions apart. And where conditions alone give
# bounds, all values that count lie within them, up to the digits of a real.
#
# FUZZ_SECONDS says how long, FUZZ_SEED repeats a run, FUZZ_TREE takes the forms of
# dp_noise.describe_question() in place of the fingerprints.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $batch = 400;

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('fingerprints', "fsync = off\nautovacuum = off\ndp_noise.choose_bounds = 0\nt.tree = " . ($ENV{FUZZ_TREE} ? 'on' : 'off') . "\n");

$node->safe_psql('postgres', <<'EOS');
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN years AS integer;
CREATE TABLE p (id integer PRIMARY KEY, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric,
	t text, v varchar(5), c character(3), b boolean, d date, at timestamp, m mood, y years);
CREATE TABLE j (k integer PRIMARY KEY, jt text, jf real, jb boolean);
CREATE TABLE o (k integer PRIMARY KEY, jt text, jf real, jb boolean);

-- Values on both sides of every rounding, in rows of their own and mixed.
INSERT INTO p
SELECT i, i2[1 + i % 7], i4[1 + i * 3 % 8], i8[1 + i * 5 % 10], f4[1 + i * 7 % 10], f8[1 + i * 11 % 13], n[1 + i * 13 % 11],
	t[1 + i % 8], t[1 + i * 3 % 8], t[1 + i * 5 % 8], (ARRAY[true, false, NULL])[1 + i % 3],
	(ARRAY['2000-01-01', '2000-01-02', 'infinity', NULL]::date[])[1 + i % 4],
	(ARRAY['2000-01-01', '2000-01-01 00:00:01', NULL]::timestamp[])[1 + i % 3], (ARRAY['sad', 'ok', NULL]::mood[])[1 + i * 2 % 3], i4[1 + i % 8]
FROM generate_series(1, 900) AS i, (SELECT
	'{0,1,-1,2,16384,32767,NULL}'::smallint[] AS i2,
	'{0,1,-1,2,16777216,16777217,2147483647,NULL}'::integer[] AS i4,
	'{0,1,-1,2,16777216,16777217,9007199254740992,9007199254740993,9223372036854775807,NULL}'::bigint[] AS i8,
	'{0,-0,1,2,0.1,0.3,0.5,16777216,NaN,NULL}'::real[] AS f4,
	'{0,-0,1,2,0.1,0.3,0.30000000000000004,0.5,0.100000001490116119384765625,16777217,9007199254740992,Infinity,NULL}'::double precision[] AS f8,
	'{0,1,1.00,2,0.1,0.3,0.5,9007199254740993,16777217,NaN,NULL}'::numeric[] AS n,
	ARRAY['a', 'a ', 'a  ', 'b', '', ' ', '1', NULL] AS t) AS pool;
INSERT INTO j VALUES (0, 'a', 0.1, true), (1, 'a ', 0.5, false), (2, 'b', NULL, NULL), (16777216, NULL, 'NaN', true);
INSERT INTO o SELECT k, jt || 'x', jf + 1, NOT jb FROM j WHERE k < 2;
SELECT dp_noise.protect('p', epsilon => 1e6, delta => 1);

-- The fingerprint of a question and, over all rows, what its answer is made of;
-- null for what the gate refuses.
-- outside: values that bounds do not contain.
CREATE FUNCTION look(asked text, reference text, OUT fingerprint text, OUT answer text, OUT outside bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	bounds text;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || asked INTO plan;
	fingerprint := jsonb_path_query_first(plan::jsonb, '$.**.Question') #>> '{}';
	IF current_setting('t.tree') = 'on' THEN
		SELECT md5(form) INTO STRICT fingerprint FROM dp_noise.describe_question(asked) WHERE form IS NOT NULL LIMIT 1;
	END IF;
	EXECUTE reference INTO answer;
	bounds := jsonb_path_query_first(plan::jsonb, '$.**."Derived Bounds"') #>> '{}';
	IF bounds IS NOT NULL THEN
		EXECUTE split_part(reference, '-- ', 2) INTO outside USING split_part(bounds, ' .. ', 1)::double precision, split_part(bounds, ' .. ', 2)::double precision;
	END IF;
EXCEPTION WHEN feature_not_supported OR syntax_error_or_access_rule_violation OR data_exception THEN
	fingerprint := NULL;
	outside := NULL;
	answer := SQLSTATE || ' ' || SQLERRM;
END
$$;
EOS

# The grammar: few columns and few constants in many types, so that questions
# come close to each other.

sub one { return $_[ int(rand(scalar @_)) ] }
sub chance { return rand() < $_[0] }

my $joined = 0;
my @numbers = qw(0 1 2 0.1 0.3 0.5 16777216 16777217 9007199254740992 9007199254740993 -1);
my @number_types = ('', '', '::smallint', '::integer', '::bigint', '::real', '::double precision', '::numeric');
my @texts = ("'a'", "'a '", "'b'", "''", "' '", "'1'");
my @text_types = ('', '', '::text', '::varchar', '::bpchar', '::character(3)');

sub number
{
	my ($depth) = @_;
	my $value = chance(0.5) ? one(qw(i2 i4 i8 f4 f8 n i4 i8 y)) : one(@numbers);

	$value = 'jf' if $joined && chance(0.2);
	$value = "($value)" if $value =~ /^-/;
	$value .= one(@number_types) foreach 1 .. one(0, 1, 1, 2);
	return $value if $depth <= 0 || chance(0.8);
	return one("coalesce($value, " . number($depth - 1) . ")", "nullif($value, " . number($depth - 1) . ")",
		'CASE WHEN ' . condition($depth - 1) . " THEN $value ELSE " . number($depth - 1) . ' END',
		'CASE ' . number(0) . ' WHEN ' . number(0) . " THEN $value ELSE " . number(0) . ' END');
}

sub text
{
	my ($depth) = @_;
	my $value = chance(0.6) ? one(qw(t v c)) : one(@texts);

	$value = 'jt' if $joined && chance(0.2);
	$value .= one(@text_types) foreach 1 .. one(0, 1, 1, 2);
	return $value if $depth <= 0 || chance(0.8);
	return one("coalesce($value, " . text($depth - 1) . ")", "nullif($value, " . text($depth - 1) . ")",
		'CASE WHEN ' . condition($depth - 1) . " THEN $value ELSE " . text($depth - 1) . ' END');
}

sub other
{
	return one("d", "'2000-01-01'::date", "'infinity'::date") if $_[0] eq 'date';
	return one("at", "'2000-01-01'::timestamp", "'2000-01-01 00:00:01'::timestamp") if $_[0] eq 'time';
	return one("m", "'sad'::mood", "'ok'::mood");
}

sub compare
{
	my ($left, $right) = @_;

	return $left . one(' = ', ' <> ', ' = ', ' IS DISTINCT FROM ', ' IS NOT DISTINCT FROM ') . $right;
}

sub condition
{
	my ($depth) = @_;
	my $kind = one(qw(number number number text text bool other));

	if ($depth > 0)
	{
		return '(' . condition($depth - 1) . one(' AND ', ' OR ') . condition($depth - 1) . ')' if chance(0.4);
		return 'NOT (' . condition($depth - 1) . ')' if chance(0.15);
	}
	return one('b', 'NOT b', 'b IS TRUE', 'b IS NOT TRUE', 'b IS UNKNOWN', 'b IS NOT FALSE', 'b = true', 'b <> true', 'b IS NULL',
		'b IS NOT NULL', $joined ? 'jb' : 'b') if $kind eq 'bool';
	return compare(other($_), other($_)) foreach $kind eq 'other' ? one(qw(date time mood)) : ();
	my $value = $kind eq 'text' ? \&text : \&number;
	return $value->($depth) . one(' IS NULL', ' IS NOT NULL') if chance(0.1);
	return $value->($depth) . one(' IN (', ' NOT IN (') . join(', ', map { $value->(0) } 1 .. one(1, 2, 2, 3)) . ')' if chance(0.15);
	return $value->($depth) . one(' = ANY (', ' <> ALL (', ' = ALL (', ' <> ANY (') . 'ARRAY[' . join(', ', map { $value->(0) } 1 .. one(1, 2, 2)) . '])' if chance(0.15);
	return $value->($depth) . one(' < ', ' <= ', ' > ', ' >= ') . $value->($depth) if $kind eq 'number' && chance(0.4);
	return $value->($depth) . one(' BETWEEN ', ' NOT BETWEEN ') . $value->(0) . ' AND ' . $value->(0) if $kind eq 'number' && chance(0.1);
	return compare($value->($depth), $value->($depth));
}

# What bounds a number, perhaps.
sub within
{
	my ($value) = @_;
	my ($low, $high) = (number(0), number(0));

	return one("$value BETWEEN $low AND $high", "($value >= $low AND $value < $high)", "NOT ($value < $low OR $high <= $value)", "($low < $value AND $value <= $high)",
		"$value IN ($low, $high)", "$value = ANY (ARRAY[$low, $high])", "($value = $low OR $value BETWEEN " . number(0) . " AND $high)",
		"($value <= ALL (ARRAY[$low, $high]) AND $value > " . number(0) . ')', "($value = $low AND " . condition(0) . ')');
}

# A question, and a query for the rows that count, each with its value and the
# first such row of its group.
sub question
{
	my $from = 'p';

	$joined = 0;
	if (chance(0.15))
	{
		$joined = 1;
		$from = one('p JOIN j ON j.k = p.i4', 'p JOIN j ON p.i4 = j.k', 'p LEFT JOIN j ON j.k = p.i4', 'p LEFT JOIN j ON j.k = p.y',
			'p JOIN o AS j ON j.k = p.i4', 'p LEFT JOIN o AS j ON j.k = p.i4', 'p, j', 'p JOIN j ON j.k = p.i2');
	}
	my @where = chance(0.8) ? condition(1) : ();
	my @filter = chance(0.2) ? condition(0) : ();
	my ($value, $aggregate) = ('1', 'dp_count(*)');
	my @keys;
	my $values = 'NULL';

	push @where, one('j.k = p.i4', 'p.i4 = j.k', 'j.k = i2') if $from eq 'p, j';
	if (chance(0.3))
	{
		$value = chance(0.5) ? number(0) : one(text(0), 'b', 'id', '1', 'd', 'm');
		$aggregate = "dp_count($value)";
		$value = "CASE WHEN ($value) IS NOT NULL THEN 1 END";
	}
	elsif (chance(0.3))
	{
		# bounds by conditions alone
		my $name = one(qw(dp_sum dp_mean dp_max));
		my $compared;

		$value = $values = number(one(0, 0, 1));
		# bounds of what is computed are exact, and floating-point values are not
		($value, $values) = ("$value " . one('+', '-', '*') . ' ' . number(0), 'NULL') if chance(0.3);
		$compared = chance(0.7) ? $value : number(0);
		$aggregate = "$name($value)";
		if (chance(0.2))
		{
			push @filter, within($compared);
		}
		else
		{
			push @where, within($compared);
		}
		push @where, within(number(0)) if chance(0.3);
		$value = "'$name ' || CASE WHEN ($value)::double precision IS NOT NULL THEN ($value)::double precision + 0 END";
	}
	elsif (chance(0.3))
	{
		my $name = one(qw(dp_sum dp_mean dp_max));

		$value = number(0);
		$aggregate = "$name($value, 0, " . one(1, '1.0', 2, '0.1', '0.5', '0.1::real', '0.5::double precision') . ')';
		my ($bound) = $aggregate =~ /, 0, ([^)]*)\)$/;

		# the bounds are of the type of the values
		$value = "'$name ' || ($bound)::double precision || ' ' || CASE WHEN ($value)::double precision IS NOT NULL THEN ($value)::double precision + 0 END";
	}
	push @keys, one('b', 'm', condition(0), 'CASE WHEN b THEN ' . number(0) . ' ELSE ' . one(@numbers) . one(@number_types) . ' END',
		'CASE WHEN b THEN ' . one(@texts) . one(@text_types) . ' ELSE ' . one(@texts) . ' END') while @keys < 2 && chance(0.2);

	if ($from eq 'p' && @where && chance(0.2))
	{
		# some of the conditions in a sub-query
		$from = '(SELECT * FROM p WHERE ' . shift(@where) . ') AS p';
		push @where, condition(0) if chance(0.5);
	}
	my $condition = @where ? ' WHERE ' . join(' AND ', map { "($_)" } @where) : '';
	@filter = join(' AND ', map { "($_)" } @filter) if @filter;
	my $filtered = @filter ? " FILTER (WHERE $filter[0])" : '';
	my $grouped = @keys ? ' GROUP BY ' . join(', ', map { "($_)" } @keys) : '';
	my $counts = @filter ? "($filter[0])" : 'true';
	my $number = 0;
	my $columns = join('', map { ', ' . $_ . ' AS k' . ++$number } @keys);
	my $group = 'min(id) OVER (' . (@keys ? 'PARTITION BY ' . join(', ', map { "k$_" } 1 .. @keys) : '') . ')';

	return ("SELECT $aggregate$filtered FROM $from$condition$grouped", <<"EOS");
SELECT md5(string_agg(concat_ws(':', id, v, g), ',' ORDER BY id)) FROM (
	SELECT id, v, $group AS g FROM (
		SELECT id, ($value)::text AS v, $counts AS counts$columns FROM $from$condition) AS rows
	WHERE counts AND v IS NOT NULL) AS grouped
-- SELECT count(*) FROM (SELECT ($values)::double precision AS v, $counts AS counts FROM $from$condition) AS rows WHERE counts AND v <> 'NaN' AND v NOT BETWEEN \$1 - 1e-7 * greatest(abs(\$1), abs(\$2)) AND \$2 + 1e-7 * greatest(abs(\$1), abs(\$2))
EOS
}

my %known;	  # by fingerprint: its questions, with their answers
my %written;  # questions
my ($asked, $answered, $shared, $wrong, $bounded, $beyond) = (0, 0, 0, 0, 0, 0);
my %refused;
my $end = time() + $seconds;

while (time() < $end)
{
	my @questions = grep { !$written{ $_->[0] }++ } map { [ question() ] } 1 .. $batch;
	my $script = join(";\n", map { "SELECT concat_ws(E'\\t', coalesce(fingerprint, '-'), coalesce(answer, 'none'), outside) FROM look(\$q\$$_->[0]\$q\$, \$q\$$_->[1]\$q\$)" } @questions);
	my @results = split /\n/, $node->safe_psql('postgres', $script);

	@results == @questions or BAIL_OUT(scalar(@results) . ' results of ' . scalar(@questions));
	foreach my $i (0 .. $#questions)
	{
		my ($fingerprint, $answer, $outside) = split /\t/, $results[$i];

		$asked++;
		if ($fingerprint eq '-')
		{
			$refused{ substr($answer, 0, 60) }++;
			next;
		}
		$answered++;
		$bounded++ if defined $outside;
		if ($outside)
		{
			$beyond++;
			diag("$outside values beyond the bounds of\n  $questions[$i][0]") if $beyond <= 20;
		}
		my $first = $known{$fingerprint} //= [ $questions[$i][0], $answer ];
		next if $first->[0] eq $questions[$i][0];
		$shared++;
		next if $first->[1] eq $answer;
		$wrong++;
		diag("one fingerprint for\n  $first->[0]\nand\n  $questions[$i][0]") if $wrong <= 20;
	}
}

is($wrong, 0, 'questions with one fingerprint have one answer');
is($beyond, 0, "bounds of $bounded questions contain what counts");
cmp_ok($answered, '>', $asked / 5, "$answered of $asked questions have a fingerprint");
cmp_ok($shared, '>', $answered / 100, "$shared of them have that of another");
note("$refused{$_} times $_") foreach sort { $refused{$b} <=> $refused{$a} } keys %refused;

$node->stop;
done_testing();
