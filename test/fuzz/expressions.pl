# No expression that the gate accepts fails, or says anything, for a row. So
# each function with a wrapped form is called with columns of random and extreme
# values, two or three deep, in questions of an analyst: what EXPLAIN accepts,
# which reads no row, must be answered.
#
# FUZZ_SECONDS says how long, FUZZ_SEED repeats a run.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $batch = 100;

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('expressions', "fsync = off\nautovacuum = off\n");
my %columns;
my %values = (
	int2 => [qw(-32768 -1 0 1 2 32767)],
	int4 => [qw(-2147483648 -1 0 1 2 7 100 2147483647)],
	int8 => [qw(-9223372036854775808 -1 0 1 2 9223372036854775807)],
	float4 => [qw(NaN Infinity -Infinity 3.4e38 1e-45 -0 0 1 0.5)],
	float8 => [qw(NaN Infinity -Infinity 1.7e308 5e-324 -0 0 1 -0.5 2147483648 1e19 710)],
	numeric => [qw(NaN Infinity -Infinity 1e131071 1e-16383 0 1 -1 0.5 1234.5678 1e20), '9' x 900],
	bool => [qw(true false)],
	date => ['infinity', '-infinity', '4714-11-24 BC', '5874897-12-31', '2020-02-29', '1970-01-01'],
	time => ['00:00', '24:00', '12:34:56.789'],
	timestamp => ['infinity', '-infinity', '4714-11-24 BC', '294276-12-31 23:59:59.999999', '2020-02-29 12:00'],
	timestamptz => ['infinity', '-infinity', '4714-11-24 BC', '294276-12-31 23:59:59.999999', '2020-03-29 01:30+00'],
	interval => ['0', '178000000 years', '-178000000 years', '2147483647 days', '1 day', '-1 month', '2562047788 hours', '1 h'],
	text => ['', ' ', 'a', 'ABC', "\xc3\xa9\xf0\x9f\x98\x80", '12', '-7.5', '1e400', 'now', '2020-02-30', '1 day', '%', '%a_', 'a\\', '(', '[[:alpha:]]+', '(a|b)*', 'g',
		'month', 'dow', 'UTC', 'YYYY-MM-DD', 'FM999.99', 'x' x 5000, '%a' x 90, '%a' x 120],
	json => ['null', '1', '"x"', '[]', '{}', '[1,"2",{"a":1}]', '{"a":{"b":[1]}}', '1e500', '{"a":"\\u0000"}', ('[' x 1500) . (']' x 1500)],
	jsonb => ['null', '1', '"x"', '[]', '{}', '[1,"2",{"a":1}]', '{"a":{"b":[1]}}', '1e500', ('[' x 1500) . (']' x 1500)],
	inet => ['0.0.0.0/0', '255.255.255.255', '10.1.2.3/8', '::/0', 'ffff::1'],
	uuid => ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
	timetz => ['00:00+00', '24:00-15:59', '12:34:56+02'],
	bytea => ['', 'a', '\\x00ff'],
	bit => ['0', '1'],
	name => ['', 'a', 'x' x 63],
	cidr => ['0.0.0.0/0', '10.0.0.0/8', '::/0'],
	macaddr => ['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff'],
	jsonpath => ['$', '$.a', 'strict $.a.b', '$[*] ? (@ > 1)', '$.a > 1', '$[last]', '$.a / 0', '-$[*]', '$ ? (@.a == @.b[*])', '$.a.double()', '$.**', '$.keyvalue()'],
	_text => ['{}', '{a}', '{a,b}', '{NULL}', '{1,2}'],
	_int4 => ['{}', '{1}', '{NULL,2}', '{{1,2},{3,4}}', '[-5:-4]={7,8}']);
$values{varchar} = $values{bpchar} = $values{text};

sub one { return $_[int rand @_] }
sub quote { my ($text) = @_; $text =~ s/'/''/g; return "'$text'"; }

# Three columns of each type, rows of all values against each other.
my @definitions;
foreach my $type (sort keys %values)
{
	foreach my $number (1 .. 3)
	{
		my $name = "c${number}_$type";

		push @{ $columns{$type} }, $name;
		push @definitions, "$name " . ($type =~ /^_(.*)/ ? "$1\[]" : $type);
	}
}
$node->safe_psql('postgres', 'CREATE TABLE p (id integer PRIMARY KEY, ' . join(', ', @definitions) . ');');
foreach my $row (1 .. 300)
{
	my @row = map { my ($type) = /^c\d_(\S+)/; rand() < 0.05 ? 'NULL' : quote(one(@{ $values{$type} })) } @definitions;

	$node->safe_psql('postgres', "INSERT INTO p VALUES ($row, " . join(', ', @row) . ')') if $row % 50 == 0;
	push @{ $columns{rows} }, "($row, " . join(', ', @row) . ')' if $row % 50 != 0;
}
foreach my $from (0 .. 5)
{
	my @some = grep { defined } @{ $columns{rows} }[ $from * 49 .. $from * 49 + 48 ];

	$node->safe_psql('postgres', 'INSERT INTO p VALUES ' . join(', ', @some)) if @some;
}
delete $columns{rows};
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE ann LOGIN;
SELECT dp_noise.protect('p', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('p', on_repeat => 'answer'), dp_noise.set_budget('ann', 'p', 1000000000);

-- '' where a question is refused when it is planned, or answered; else why not
CREATE FUNCTION ask(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	BEGIN
		EXECUTE 'EXPLAIN (FORMAT JSON) ' || question INTO plan;
	EXCEPTION WHEN OTHERS THEN
		RETURN 'refused';
	END;
	EXECUTE question;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM || ': ' || question;
END
$$;
EOS

# Functions by the type of their result.
my %functions;
foreach my $line (split /\n/, $node->safe_psql('postgres', <<'EOS'))
SELECT part[1] || '/' || part[2] || '/' || t.typname
FROM unnest(dp_noise.wrapped_functions()) AS f, string_to_array(f, '/') AS part
JOIN pg_proc AS p ON p.oid = to_regprocedure(format('dp_noise.%I(%s)', 'try_' || part[1], replace(part[2], ' ', ',')))
JOIN pg_type AS t ON t.oid = p.prorettype
EOS
{
	my ($name, $arguments, $result) = split m{/}, $line;

	push @{ $functions{$result} }, [ $name, split / /, $arguments ];
}
my @all = map { @{$_} } @functions{ sort keys %functions };

sub expression
{
	my ($type, $depth, $may_be_constant) = @_;

	$type = '_int4' if $type eq 'anyarray' || $type eq 'anycompatiblearray';
	$type = 'int4' if $type eq 'anycompatible' || $type eq 'anyelement';
	return quote(one(@{ $values{$type} })) . '::' . ($type =~ /^_(.*)/ ? "$1\[]" : $type) if $may_be_constant && rand() < 0.35;
	return call(one(@{ $functions{$type} }), $depth - 1) if $depth > 0 && $functions{$type} && rand() < 0.6;
	return one(@{ $columns{$type} });
}

sub call
{
	my ($function, $depth) = @_;
	my ($name, @types) = @$function;
	my @arguments = map { expression($_, $depth, @types > 1) } @types;

	return "($arguments[0])::" . $1 if $name =~ /^cast_to_(.*)/;
	$arguments[-1] = "VARIADIC $arguments[-1]" if $name =~ /^jsonb?_extract_path/;
	return "pg_catalog.\"$name\"(" . join(', ', @arguments) . ')';
}

my $end = time() + $seconds;
my %count = (refused => 0, answered => 0);
my @failed;
my $next = 0;

# Longer, on a busy machine, until each function has been called.
while ((time() < $end || $next < @all) && @failed < 5)
{
	my @questions = map {
		my $call = call($all[ $next++ % @all ], one(0, 0, 1, 2));
		"SELECT dp_count($call) FROM p" . (rand() < 0.2 ? " WHERE $call IS NULL" : '')
	} 1 .. $batch;
	my ($status, $out, $err) = $node->psql('postgres', join("\n", "SET SESSION AUTHORIZATION ann;", map { 'SELECT ask(' . quote($_) . ');' } @questions));

	push @failed, "the server: $err" if $status != 0 || $err ne '';
	foreach my $result (split /\n/, $out)
	{
		if (exists $count{$result})
		{
			$count{$result}++;
		}
		else
		{
			push @failed, $result;
		}
	}
}
is(join("\n", @failed), '', 'no row makes an expression fail');
cmp_ok($count{answered}, '>', $count{refused} / 4, "$count{answered} questions are answered, $count{refused} refused");
cmp_ok($next, '>=', @all, 'every function was called');
$node->stop;
done_testing();
