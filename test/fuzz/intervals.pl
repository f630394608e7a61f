# A stored answer is read as what it was written, with the law of its noise. A
# random aggregate is asked of a column's values as one type, by one mechanism,
# and then of the same values as another type, by another mechanism: cast, or
# after the owner has changed the column's type. Either it is another question,
# which is charged, and has an interval as wide as one that is asked directly; or
# the first answer is replayed with its interval. Ends are in order around the
# answer that is shown, and keys are those that the statement has. Intervals of
# groupings that agree, of means and of variances contain the truth as often as they
# say, as far as the number of questions can tell. Then stored answers are damaged: who asks again gets an answer or an error that says so.
#
# With the sanitizers where `make asan` has been run. FUZZ_SECONDS says how long,
# FUZZ_SEED repeats a run.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use JSON::PP qw(decode_json);
use LedgerCluster;
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $batch = 40;

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('intervals', "fsync = off\nautovacuum = off\nlogging_collector = off\n");

$node->safe_psql('postgres', <<'EOS');
-- the same values as every type; 400 rows in each group
CREATE TABLE p (id integer PRIMARY KEY, g integer NOT NULL, i2 smallint NOT NULL, i4 integer NOT NULL, i8 bigint NOT NULL, f4 real NOT NULL, f8 double precision NOT NULL, n numeric NOT NULL,
	d date NOT NULL, at timestamp NOT NULL, zoned timestamptz NOT NULL, hour time NOT NULL, lasts interval NOT NULL, tenth real NOT NULL);
INSERT INTO p SELECT i, i % 3, v, v, v, v, v, v, date '2020-01-01' + v, timestamp '2020-01-01' + v * interval '1 day', timestamptz '2020-01-01' + v * interval '1 day', time '00:00' + v * interval '1 minute',
	v * interval '1 hour', (ARRAY[0.1, 0.3, 0.5])[1 + i % 3]
FROM (SELECT i, i * 7919 % 101 AS v FROM generate_series(1, 1200) AS i) AS s;
-- its column x changes its type; and privacy levels
CREATE TABLE retyped AS SELECT id, g, i4 AS v, i4 AS x FROM p;
CREATE TABLE leveled AS SELECT * FROM p;
ALTER TABLE retyped ADD PRIMARY KEY (id), ALTER g SET NOT NULL;
ALTER TABLE leveled ADD PRIMARY KEY (id), ALTER g SET NOT NULL;
SELECT dp_noise.protect(r, epsilon => 1e13, delta => 1), dp_noise.set_values(r, 'g', '{0,1,2}'), dp_noise.set_budget('dp_ann', r::text, 1e12, 1), dp_noise.set_budget('dp_bob', r::text, 1e12, 1)
FROM unnest('{p,retyped,leveled}'::regclass[]) AS r;
SELECT dp_noise.set_levels('leveled', '{2,0.5}');

CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS 'SELECT sum(spent) FROM public.dp_budget';
-- rows of a key, an answer and the ends of its interval, and what they cost; or an error.
-- Some have parameters: the level, epsilon and, of a prepared statement, two bounds
CREATE FUNCTION told(query text, level double precision, epsilon double precision, bounds numeric[]) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
	before numeric := spent();
	rows json;
BEGIN
	EXECUTE 'SELECT json_agg(json_build_array(k, a, l, h)) FROM (' || query || ') AS s' INTO rows USING level, epsilon, bounds[1], bounds[2];
	RETURN json_build_object('rows', rows, 'cost', spent() - before);
EXCEPTION WHEN OTHERS THEN
	RETURN json_build_object('state', SQLSTATE, 'error', SQLERRM);
END
$$;
-- how many intervals contain the truth, written as @, where # makes questions new
CREATE SEQUENCE asked;
GRANT USAGE ON SEQUENCE asked TO PUBLIC;
CREATE FUNCTION covered(query text, truth numeric, times integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	hit boolean;
	hits bigint := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE replace(replace(query, '#', (1000000 + nextval('asked'))::text), '@', truth::text) INTO STRICT hit;
		hits := hits + hit::integer;
	END LOOP;
	RETURN hits;
END
$$;
EOS

chomp(my $asan = `gcc -print-file-name=libasan.so`);
if ($ENV{FUZZ_LIBRARY})
{
	$node->use_library($ENV{FUZZ_LIBRARY});
}
elsif (-d "$ENV{TESTDIR}/build/asan" && -e $asan)
{
	local $ENV{LD_PRELOAD} = "$asan $ENV{TESTDIR}/build/asan/first.so";
	local $ENV{ASAN_OPTIONS} = 'detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0';
	local $ENV{UBSAN_OPTIONS} = 'print_stacktrace=1:abort_on_error=1';

	$node->use_library('asan');
	like(slurp_file("/proc/$node->{_pid}/maps"), qr{build/asan/dp_noise}, 'the library with the sanitizers');
}

sub one { return $_[ int(rand(scalar @_)) ] }
sub chance { return rand() < $_[0] }

# The types: how column v of "retyped" becomes one, and values as literals.
my %numbers = map { $_ => { made => "v::$_", value => sub { "$_[0]" } } } 'smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric';
my %times = (
	date => { made => "date '2020-01-01' + v", value => sub { "date '2020-01-01' + $_[0]" } },
	timestamp => { made => "timestamp '2020-01-01' + v * interval '1 day'", value => sub { "timestamp '2020-01-01' + interval '$_[0] days'" } },
	timestamptz => { made => "timestamptz '2020-01-01' + v * interval '1 day'", value => sub { "timestamptz '2020-01-01' + interval '$_[0] days'" } },
	time => { made => "time '00:00' + v * interval '1 minute'", value => sub { "time '00:00' + interval '$_[0] minutes'" } },
	interval => { made => "v * interval '1 hour'", value => sub { "interval '$_[0] hours'" } });
my %types = (%numbers, %times);
my @numbers = sort keys %numbers;
my @times = sort keys %times;
my %columns = (i2 => 'smallint', i4 => 'integer', i8 => 'bigint', f4 => 'real', f8 => 'double precision', n => 'numeric');
my %time_columns = (d => 'date', at => 'timestamp', zoned => 'timestamptz', hour => 'time', lasts => 'interval');

# The aggregates with intervals and their mechanisms. Of the first ones the
# interval has one width, whatever the answer; those of extremes end at the bounds.
my @additive = qw(auto laplace staircase gaussian(delta=1e-9));
my @quanta = map { "geometric(quantum=$_)" } 1, 3, 100;
my %aggregates = (
	dp_count => [ qw(auto geometric discrete_staircase truncated_geometric geometric(quantum=5) gaussian(delta=1e-9)) ],
	dp_count_distinct => [ qw(auto geometric discrete_staircase truncated_geometric geometric(quantum=5) gaussian(delta=1e-9)) ],
	dp_sum => [ @additive, @quanta, qw(truncated_laplace truncated_staircase geometric(quantum=0.5)) ],
	dp_max => [ @additive, @quanta, qw(above_threshold exponential two_stage truncated_laplace) ],
	dp_min => [ @additive, @quanta, qw(above_threshold exponential two_stage) ],
	dp_mean => [ @additive, 'two_stage(levels=11)' ],
	dp_variance => [ qw(auto laplace staircase gaussian(delta=1e-9)) ],
	dp_stddev => [ qw(auto laplace staircase gaussian(delta=1e-9)) ],
	dp_var_pop => [ qw(auto laplace gaussian(delta=1e-9)) ],
	dp_stddev_pop => [ qw(auto laplace) ]);
my @names = sort keys %aggregates;
my %has_width = map { $_ => 1 } qw(dp_count dp_count_distinct dp_sum dp_max dp_min);

# A number of an answer, for any type.
sub as_number
{
	my ($column, $type) = @_;

	return $times{$type} ? "extract(epoch FROM $column)::double precision" : "${column}::double precision";
}

# One way of asking a case.
sub question
{
	my ($case, $way) = @_;
	my $name = $case->{name};
	my $counts = $name =~ /^dp_count/;
	my $is_prepared = $way->{prepared} && !$times{ $way->{type} };
	my @bounds = $counts ? () : $is_prepared ? qw($3 $4) : map { $types{ $way->{type} }{value}->($_) } @{ $case->{bounds} };
	my ($level, $epsilon) = $is_prepared ? qw($1 $2) : ($case->{level}, $way->{epsilon});
	my $call = "$name(" . join(', ', $way->{value}, @bounds, $epsilon, "'$way->{mechanism}'") . ')';
	my $type = $counts ? 'bigint' : $name eq 'dp_sum' || $name eq 'dp_mean' || $name =~ /^dp_(max|min)/ ? $way->{type} : 'numeric';
	my $key = $way->{key};
	my $grouped = defined $key ? ' GROUP BY ' . ($case->{rollup} ? "ROLLUP ($key)" : $key) : '';
	my $ends = join ', ', map { as_number($_, $type) . " AS $_" } qw(a l h);

	$key //= 0;
	return "SELECT k, $ends FROM (SELECT $key AS k, $call AS a, dp_low($call, $level) AS l, dp_high($call, $level) AS h FROM $case->{from} WHERE id > -$case->{number}$grouped) AS q";
}

my $cases = 0;

# A case: what is asked, and two ways of it.
sub new_case
{
	my ($from) = @_;
	my $name = one(@names);
	my $of_times = chance($from eq 'retyped' ? 0.2 : 0.1) && $name !~ /var|stddev/;
	my $case = { number => ++$cases, from => $from, name => $name, level => one(0.5, 0.9, 0.95, 0.999), rollup => chance(0.2), bounds => one([ 0, 100 ], [ 0, 100 ], [ 10, 90 ], [ 5, 5 ]) };
	my @keys = chance(0.6) ? () : $from eq 'p' && chance(0.3) ? ('tenth', 'tenth::double precision') : ('g', 'g', 'g::bigint', 'g::smallint');
	my $column = one(sort keys(%{ $of_times ? \%time_columns : \%columns }));

	$case->{rollup} = 0 if $from eq 'leveled' || "@keys" =~ /tenth/;
	foreach my $way (0, 1)
	{
		my $type = $of_times ? $time_columns{$column} : one($columns{$column}, @numbers);
		my $value = $of_times || ($type eq $columns{$column} && chance(0.5)) ? $column : "$column\::$type";
		my $epsilon = $from eq 'leveled' ? one(2, 0.5) : one(0.3, 1, 2, 5, 20);
		my $mechanism = $from eq 'leveled' ? 'auto' : one(@{ $aggregates{$name} });

		($type, $value) = (undef, 'x') if $from eq 'retyped';
		$case->{ways}[$way] = { type => $type, value => $value, epsilon => $epsilon, mechanism => $mechanism, key => @keys ? one(@keys) : undef, prepared => chance(0.3) };
	}
	return $case;
}

# An aggregate over all ordered pairs of types of numbers, with steps that are
# wide in one of them.
sub pairs_of
{
	my ($name) = @_;
	my @mechanisms = $name =~ /sum|max|min/ ? ('geometric(quantum=100)', 'auto') : (one(@{ $aggregates{$name} }), 'auto');

	return map {
		my $first = $_;
		map {
			my @types = ($first, $_);
			my @ways = map { { type => $types[$_], value => "i2::$types[$_]", epsilon => one(0.5, 1), mechanism => $mechanisms[$_] } } 0, 1;

			{ number => ++$cases, from => 'p', name => $name, level => 0.95, bounds => [ 0, 100 ], ways => \@ways }
		} @numbers
	} @numbers;
}

# Asks cases in one of their ways, as a role, in one session; what each told.
sub hear
{
	my ($role, $number, @cases) = @_;
	my @questions = map {
		my ($case, $way) = ($_, $_->{ways}[$number]);
		"SELECT told(\$q\$" . question($case, $way) . "\$q\$, $case->{level}, $way->{epsilon}, '{" . join(',', @{ $case->{bounds} }) . "}');"
	} @cases;
	my $script = "SET dp_noise.delta = 1e-6;\n" . join("\n", @questions) . "\n";
	my ($out, $err) = ('', '');
	my $rule = $role eq 'dp_bob' ? 'replay' : 'answer';

	$node->safe_psql('postgres', "SELECT dp_noise.alter_population(r, on_repeat => '$rule') FROM unnest('{p,retyped,leveled}'::text[]) AS r");
	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ], on_error_stop => 0);
	my @lines = split /\n/, $out;
	@lines == @questions or BAIL_OUT(scalar(@lines) . ' answers to ' . scalar(@questions) . " questions: $err");
	return map { decode_json($_) } @lines;
}

my (%refused, %paired, %seen, %wrong);
my ($told, $replayed, $compared) = (0, 0, 0);

sub complain
{
	my ($what, $case, @results) = @_;

	return if ++$wrong{$what} > 5;
	diag("$what:\n  " . join("\n  ", (map { question($case, $_) } @{ $case->{ways} }), map { JSON::PP->new->canonical->encode($_) } @results));
	return;
}

# What a number may differ by, between types: a step of the integers, and the
# digits of a real.
sub slack
{
	my ($case, @numbers) = @_;
	my $unit = $case->{name} =~ /var|stddev|mean/ ? 1e-3 : 1.01;

	return $unit * ($times{ $case->{ways}[0]{type} } ? 86400 : 1) + 1e-5 * max(map { abs } @numbers);
}

sub are_close
{
	my ($case, $one, $other) = @_;

	return 1 if !defined $one && !defined $other;
	return 0 if !defined $one || !defined $other;
	return $one == $other || abs($one - $other) <= slack($case, $one, $other);
}

# Ends are in order, and around the answer.
sub check_order
{
	my ($case, $result) = @_;

	foreach my $row (@{ $result->{rows} })
	{
		my ($key, $answer, $low, $high) = @$row;

		next if !defined $answer;
		complain('one end', $case, $result) if defined $low != defined $high;
		complain('ends are not in order', $case, $result) if defined $low && !($low <= $answer && $answer <= $high);
	}
	return;
}

# The greater of the two sides of an interval, of all rows: the other one may end
# at a bound.
sub width
{
	my ($result) = @_;
	my @widths = map { max($_->[1] - $_->[2], $_->[3] - $_->[1]) } grep { defined $_->[2] } @{ $result->{rows} };

	return @widths ? max(@widths) : undef;
}

# Keys as numbers, since a statement shows them as it has them.
sub by_key
{
	my ($result) = @_;

	return map { (defined $_->[0] ? $_->[0] : 'all') => $_ } @{ $result->{rows} };
}

# A replay has the answers and the ends of the first one.
sub check_replay
{
	my ($case, $first, $second) = @_;
	my %first = by_key($first);
	my %second = by_key($second);

	$replayed++;
	return complain('other keys', $case, $first, $second) if "@{[sort keys %first]}" ne "@{[sort keys %second]}";
	foreach my $key (keys %first)
	{
		foreach my $i (1 .. 3)
		{
			complain('a replay says something else', $case, $first, $second) if !are_close($case, $first{$key}[$i], $second{$key}[$i]);
		}
	}
	return;
}

# A new question has an interval as wide as one that is asked directly.
sub check_width
{
	my ($case, $second, $direct) = @_;
	my ($width, $wanted) = (width($second), width($direct));

	my $way = $case->{ways}[1];

	return if !$has_width{ $case->{name} };
	# groupings that agree are not where their intervals' middles are; what is
	# shown for its count has another law for each count
	return if $case->{rollup} || (defined $way->{key} && $way->{key} =~ /tenth/);
	return if $case->{name} =~ /max|min/ && ($times{ $way->{type} } || $way->{mechanism} =~ /auto|above|exponential|stage/);
	return complain('an interval, and none', $case, $second, $direct) if defined $width != defined $wanted;
	return if !defined $width;
	# of an extreme it is known where one side does not reach the bounds
	return if $case->{name} =~ /max|min/ && max($width, $wanted) > 40;
	$compared++;
	return complain('another width', $case, $second, $direct) if !are_close($case, $width, $wanted);
}

my %expected = map { $_ => 1 } qw(0A000 22023 22003 53400 42883);

sub check_case
{
	my ($case, $first, $second, $direct) = @_;
	my ($one, $other) = map { $_->{type} } @{ $case->{ways} };

	foreach my $result ($first, $second, $direct)
	{
		next if !exists $result->{state};
		complain("error $result->{state}", $case, $result) if !$expected{ $result->{state} };
		$refused{ substr("$result->{state} $result->{error}", 0, 90) }++;
		complain('refused by its type', $case, $first, $second) if $result->{error} =~ /another type|damaged/;
	}
	return if grep { exists $_->{state} } $first, $second, $direct;
	$told++;
	$seen{ $case->{name} }++;
	$paired{"$one, $other"}++;
	check_order($case, $_) foreach $first, $second, $direct;
	if ($second->{cost} == 0)
	{
		check_replay($case, $first, $second);
	}
	else
	{
		check_width($case, $second, $direct);
	}
	# keys are shown as they are in the statement
	my %known = by_key($direct);
	complain('keys of another statement', $case, $second, $direct) if grep { !exists $known{$_} } map { $_->[0] // 'all' } @{ $second->{rows} };
	return;
}

# The first way and then the second one, by who gets replays; and the second one
# by who never does.
sub run_cases
{
	my ($between, @cases) = @_;
	my @first = hear('dp_bob', 0, @cases);

	$between->();
	my @second = hear('dp_bob', 1, @cases);
	my @direct = hear('dp_ann', 1, @cases);
	check_case($cases[$_], $first[$_], $second[$_], $direct[$_]) foreach 0 .. $#cases;
	return;
}

sub retype
{
	my ($type) = @_;

	$node->safe_psql('postgres', "ALTER TABLE retyped ALTER COLUMN x TYPE $type USING $types{$type}{made}");
	return;
}

# Stored answers are changed in some bytes, or cut, and asked for again.
my ($damaged, $noticed) = (0, 0);

sub damage
{
	my @cases = map { new_case('p') } 1 .. 12;

	$_->{ways}[1] = $_->{ways}[0] foreach @cases;
	my @first = hear('dp_bob', 0, @cases);
	my $changed = one('set_byte(answer, b, (get_byte(answer, b) + 1 + (random() * 254)::integer) % 256)', 'set_byte(answer, b, 255)', 'substr(answer, 1, b)', 'overlay(answer PLACING \'\\xffffffffffffffff\' FROM b / 8 * 8 + 1)');

	# in the first 160 bytes there is the law
	$node->safe_psql('postgres', "SELECT setseed(" . rand() . "); UPDATE dp_noise_ledger.answer AS e SET answer = $changed
		FROM (SELECT ctid, (random() * least(length(answer) - 1, CASE WHEN random() < 0.7 THEN 159 ELSE 1000 END))::integer AS b FROM dp_noise_ledger.answer WHERE answer IS NOT NULL) AS c WHERE c.ctid = e.ctid");
	my @second = hear('dp_bob', 1, @cases);
	foreach my $i (0 .. $#cases)
	{
		next if exists $first[$i]{state};
		$damaged++;
		$noticed++ if exists $second[$i]{state};
		complain("error of a damaged answer, $second[$i]{state}", $cases[$i], $second[$i]) if exists $second[$i]{state} && $second[$i]{state} !~ /^(XX001|0A000|08P01|22)/;
	}
	$node->safe_psql('postgres', 'TRUNCATE dp_noise_ledger.answer');
	return;
}

# What is covered: a call, its keys, the rows that the truth is of, and values of ~, of
# which each round takes one. Those above 4.3 have noise that is drawn together for
# all sums of a mean or a variance.
my @levels = (0.8, 0.9, 0.95);
my @covers = (
	[ 'count(*)', 'dp_count(i4, ~)', 'ROLLUP (g)', 'k IS NULL', 0.3, 1 ],
	[ 'count(*)', 'dp_count(i4, ~)', 'ROLLUP (g)', 'k = 1', 0.3, 1 ],
	[ 'count(*)', 'dp_count(i4, ~)', 'ROLLUP (g)', 'k IS NULL', 4, 8 ],
	[ 'sum(i4)', 'dp_sum(i4, 0, 100, ~)', 'ROLLUP (g)', 'k IS NULL', 0.5, 4, 8 ],
	[ 'sum(i4)', "dp_sum(i4, 0, 100, ~, 'gaussian(delta=1e-6)')", 'ROLLUP (g)', 'k = 1', 0.5 ],
	[ 'count(*)', 'dp_count(i4, ~)', 'ROLLUP (g, g + 1, g % 2)', 'k IS NULL', 0.3 ],
	[ 'avg(i4)', 'dp_mean(i4, 0, 100, ~)', 'g', 'k = 1', 0.3, 1 ],
	[ 'avg(f8)', 'dp_mean(f8, 0, 100, ~)', 'g', 'k = 1', 4.5, 6, 8 ],
	[ 'avg(i4)', 'dp_mean(i4, -400, 100, ~)', 'g', 'k = 1', 4.5, 6, 8 ],
	[ 'var_samp(i4)', 'dp_variance(i4, 0, 100, ~)', 'g', 'k = 1', 0.3, 1 ],
	[ 'var_samp(f8)', 'dp_variance(f8, 0, 100, ~)', 'g', 'k = 1', 4.5, 6, 8 ],
	[ 'var_pop(i4)', 'dp_var_pop(i4, -400, 100, ~)', 'g', 'k = 1', 4.5, 6, 8 ],
	[ 'stddev_pop(i4)', 'dp_stddev_pop(i4, 0, 100, ~)', 'g', 'k = 1', 0.1, 1 ],
	[ 'stddev_samp(f8)', 'dp_stddev(f8, 0, 100, ~)', 'g', 'k = 1', 4.5, 6, 8 ],
	[ 'var_pop(i4)', "dp_var_pop(i4, 0, 100, ~, 'gaussian(delta=1e-6)')", 'g', 'k = 1', 1 ]);

# Of each: how many contained the truth, how many were asked for, how many should
# have, and the variance of that.
my (@covered, @asked, @expected, @spread);

# Asks each of them so often, at one level and one epsilon; all rows have g and i4
# within what is declared.
sub cover
{
	my ($times) = @_;
	my @rounds = map { { level => one(@levels), epsilon => one(@$_[ 4 .. $#$_ ]) } } @covers;
	my (@truths, $out);

	foreach my $cover (@covers)
	{
		my ($truth, undef, undef, $row) = @$cover;
		my $of = $row =~ s/k = /g = /r =~ s/k IS NULL/true/r;

		push @truths, $node->safe_psql('postgres', "SELECT $truth FROM p WHERE $of");
	}
	$out = $node->safe_psql(
		'postgres',
		"SET dp_noise.delta = 1e-6; SET dp_noise.empty_groups = show;\n" . join(
			"\n",
			map {
				my (undef, $call, $keys, $row) = @{ $covers[$_] };
				my ($level, $epsilon) = @{ $rounds[$_] }{qw(level epsilon)};

				$call =~ s/~/$epsilon/;
				"SELECT covered(\$q\$SELECT bool_and(l <= @ AND @ <= h) FILTER (WHERE $row) FROM (SELECT g AS k, dp_low($call, $level) AS l, dp_high($call, $level) AS h FROM p WHERE id > -# GROUP BY $keys) AS s\$q\$, $truths[$_], $times);"
			} 0 .. $#covers),
		extra_params => [ '-U', 'dp_ann' ]);
	my @hits = split /\n/, $out;

	foreach my $i (0 .. $#covers)
	{
		my $level = $rounds[$i]{level};

		$covered[$i] += $hits[$i];
		$asked[$i] += $times;
		$expected[$i] += $times * $level;
		$spread[$i] += $times * $level * (1 - $level);
	}
	return;
}

my $end = time() + $seconds;

run_cases(sub { }, map { pairs_of($_) } one(qw(dp_max dp_min)), 'dp_sum', one(grep { !/sum|max|min/ } @names));
for (my $round = 0; time() < $end || $round < 6; $round++)
{
	if ($round % 6 == 5)
	{
		damage();
	}
	elsif ($round % 6 == 4)
	{
		cover(30);
	}
	elsif ($round % 3 == 2)
	{
		my @cases = map { new_case('retyped') } 1 .. $batch;
		my $pool = chance(0.7) ? \@numbers : \@times;
		my @types = map { one(@$pool) } 0, 1;

		@cases = grep { $pool == \@numbers || $_->{name} !~ /var|stddev/ } @cases;
		foreach my $case (@cases)
		{
			$case->{ways}[$_]{type} = $types[$_] foreach 0, 1;
		}
		retype($types[0]);
		run_cases(sub { retype($types[1]) }, @cases);
	}
	else
	{
		run_cases(sub { }, map { new_case(chance(0.85) ? 'p' : 'leveled') } 1 .. $batch);
	}
}

# six standard deviations: once in 10^9 runs
foreach my $i (0 .. $#covers)
{
	my $least = $expected[$i] - 6 * sqrt($spread[$i]);

	cmp_ok($covered[$i], '>=', $least, "$covers[$i][1] by $covers[$i][2], epsilon @{$covers[$i]}[4 .. $#{$covers[$i]}]: $covered[$i] of $asked[$i] intervals contain the truth, and should $expected[$i]");
}
is_deeply(\%wrong, {}, 'intervals are those of the answers shown');
cmp_ok($told, '>', $cases / 5, "$told of $cases cases were answered");
cmp_ok($replayed, '>', $told / 100, "$replayed of them were replays");
cmp_ok($compared, '>', $told / 20, "$compared new intervals were compared with others");
is_deeply([ sort keys %seen ], \@names, 'of every aggregate');
cmp_ok(scalar(keys %paired), '>=', @numbers**2, scalar(keys %paired) . ' ordered pairs of types');
cmp_ok($damaged, '>', 0, "$damaged stored answers were damaged, which $noticed did not conceal");
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server runs');
unlike(slurp_file($node->logfile), qr/terminated by signal|runtime error|AddressSanitizer/, 'and no process crashed');
note("$refused{$_} times $_") foreach sort { $refused{$b} <=> $refused{$a} } keys %refused;

$node->stop;
done_testing();
