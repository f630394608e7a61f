# The parts of the aggregates, used in every way that SQL allows: input functions
# of the states' types, every support function called by hand, and aggregates over
# all combinations of them that CREATE AGGREGATE takes, with random and extreme
# arguments. No process crashes, the sanitizers report nothing, and no error is an
# internal one.
#
# Half of the runs are by somebody who was granted every right to the parts, which
# nobody has otherwise, or by a superuser, who may use states of type internal.
# The server has libasan preloaded and the library of `make asan`. The memory of
# small palloc()s is the server's own to divide: what oversteps these within a
# block of it is not seen.
#
# FUZZ_SECONDS says how long, FUZZ_SEED repeats a run.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $library = "$ENV{TESTDIR}/build/asan";
chomp(my $asan = `gcc -print-file-name=libasan.so`);
plan skip_all => 'build/asan is missing: run make asan' unless -d $library;
plan skip_all => 'libasan is not there' unless -e $asan;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $batch = 150;

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('states', "fsync = off\nautovacuum = off\nlogging_collector = off\nmin_parallel_table_scan_size = 0\n");

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE nobody_special LOGIN;
CREATE ROLE fuzz_ann LOGIN;
CREATE SCHEMA fuzz AUTHORIZATION fuzz_ann;
CREATE SCHEMA own AUTHORIZATION nobody_special;
CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE TABLE rows (g integer, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric, t text, b boolean, c color, by bytea) WITH (parallel_workers = 2);
INSERT INTO rows
SELECT i % 7, i2[1 + i % 5], i4[1 + i % 5], i8[1 + i % 5], f8[1 + i % 8]::real, f8[1 + i % 8], f8[1 + i % 8]::numeric, t[1 + i % 3], i % 2 = 0, c[1 + i % 4], '\x00ff'
FROM generate_series(1, 3000) AS i, (SELECT '{0,1,-32768,32767,NULL}'::smallint[] AS i2, '{0,1,-2147483648,2147483647,NULL}'::integer[] AS i4,
	'{0,1,-9223372036854775808,9223372036854775807,NULL}'::bigint[] AS i8, '{0,1,-1,1e30,-1e-30,NaN,Infinity,NULL}'::double precision[] AS f8,
	'{a,"",NULL}'::text[] AS t, '{red,green,blue,NULL}'::color[] AS c) AS pool;
-- states of many kinds, one of each in a row
CREATE TABLE states WITH (parallel_workers = 2) AS
SELECT g, dp_noise.sum_state(i4, -2147483648, 2147483647) AS s1, dp_noise.variance_state(i4, -2147483648, 2147483647) AS s2, CASE WHEN g % 2 = 0 THEN dp_noise.sample_points(i4, 0, 10, 2) ELSE dp_noise.sample_points(i4, 0, 10, 5000) END AS s3,
	dp_noise.sample_bins(n, 5) AS s4, dp_noise.sample_categories(c, 3) AS s5
FROM rows GROUP BY g, i4;
INSERT INTO states VALUES (NULL, NULL, NULL, NULL, NULL, NULL);
GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC;
DO $$
DECLARE
	part regprocedure;
BEGIN
	FOR part IN SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.proname ~ '(transition|final|combine|serialize|_in|_out)(_|$)' LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO fuzz_ann', part);
	END LOOP;
END
$$;
GRANT USAGE ON TYPE dp_noise.sum_state, dp_noise.square_state, dp_noise.sample_state TO fuzz_ann;
EOS

# Goes on with the sanitizers.
$node->safe_psql('postgres', q{UPDATE pg_proc SET probin = 'dp_noise' WHERE probin = '$libdir/dp_noise'});
$node->append_conf('postgresql.conf', "dynamic_library_path = '$library:\$libdir'\n");
{
	local $ENV{LD_PRELOAD} = "$asan $library/first.so";
	local $ENV{ASAN_OPTIONS} = 'detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0';
	local $ENV{UBSAN_OPTIONS} = 'print_stacktrace=1:abort_on_error=1';

	$node->restart;
}
my $maps = slurp_file("/proc/$node->{_pid}/maps");
like($maps, qr{build/asan/dp_noise}, 'the library with the sanitizers');
like($maps, qr{libasan}, 'and theirs');

# The parts: name and types of the arguments.
my @parts = map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', q{
	SELECT p.proname, (SELECT string_agg(format_type(a, NULL), ';' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY AS u (a, o)), format_type(p.prorettype, NULL)
	FROM pg_proc AS p WHERE p.pronamespace = 'dp_noise'::regnamespace AND p.proname ~ '(transition|final|combine|serialize|_in|_out)(_|$)' AND p.prokind = 'f' ORDER BY p.oid});
my @aggregates = map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', q{
	SELECT p.pronamespace::regnamespace || '.' || p.proname, (SELECT string_agg(format_type(a, NULL), ';' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY AS u (a, o)), ''
	FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'dp_noise'
	WHERE p.prokind = 'a' ORDER BY p.oid});
cmp_ok(@parts, '>', 100, 'parts');
cmp_ok(@aggregates, '>', 100, 'aggregates');

sub one_of { return $_[ int rand @_ ]; }

my @integers = (0, 1, -1, 2, 5, 100, 32767, 65536, 2147483647, -2147483648, '9223372036854775807', '(-9223372036854775808)');
my @texts = ('', 'auto', 'laplace', 'gaussian(delta=1e-6)', 'exponential(rank=0)', 'two_stage', 'smooth_cauchy', 'staircase(gamma=0.5)', '(0,0)', '(0,0,0)', '(1,1)', '{0}', '{3,1,2,3}',
	"\\x00", '(170141183460469231731687303715884105727,9223372036854775807)', '9' x 400, '(', "\xc3\xa9");

# A random expression of a type, of constants or of a row's columns.
sub value_of
{
	my ($type, $of_rows) = @_;
	my %columns = (smallint => 'i2', integer => 'i4', bigint => 'i8', real => 'f4', 'double precision' => 'f8', numeric => 'n', text => 't', boolean => 'b', bytea => 'by');

	return 'NULL' if rand() < 0.05;
	return "$columns{$type}" if $of_rows && $columns{$type} && rand() < 0.5;
	return one_of('s1', "'(0,0)'", "'(1,1)'", 'NULL') if $type eq 'dp_noise.sum_state';
	return one_of('s2', "'(0,0,0)'", 'NULL') if $type eq 'dp_noise.square_state';
	return one_of('s3', 's4', 's5', 's3', "'{0}'", 'NULL') if $type eq 'dp_noise.sample_state';
	return one_of('NULL::internal', "'x'", 'NULL', '0') if $type eq 'internal';
	return sprintf "%s::%s", one_of(map { "'$_'" } qw(0 1 -1 0.1 1e-7 1e6 1e300 NaN Infinity -Infinity 2147483647)), $type if $type =~ /^(real|double precision|numeric)$/;
	return '(' . one_of(@integers) . ")::$type" if $type =~ /^(smallint|integer|bigint)$/;
	return one_of('true', 'false') if $type eq 'boolean';
	return one_of(qw(i2 i4 n t b c f8), "'red'::color", '1') if $type =~ /^"?any/ && $type !~ /\[\]|array/;
	return one_of("'{1,2,2}'::integer[]", "ARRAY[NULL]::text[]", "'{}'::integer[]", "array_fill(1, ARRAY[1000])") if $type =~ /^any.*array/;
	return one_of("'{0.5}'", "'{0,1,0.5,0.5}'", "'{NaN}'", "'{}'", 'array_fill(0.5::float8, ARRAY[129])') . '::double precision[]' if $type eq 'double precision[]';
	return one_of("'\\x'", "'\\x00'", "decode(repeat('ff', 64), 'hex')", "decode(repeat('00', 24), 'hex')") . '::bytea' if $type eq 'bytea';
	return "'" . one_of(@texts) . "'" . ($type eq 'cstring' ? '::cstring' : '');
}

# A call, as a row of text, of an aggregate or function.
sub call_of
{
	my ($name, $types, $is_aggregate) = @_;
	my @types = split /;/, $types;
	my $place = 0;
	my $arguments = join ', ', map { value_of($_, $is_aggregate && $place++ == 0) } @types;
	my $from = rand() < 0.2 ? 'rows JOIN states USING (g) WHERE rows.g < 2' : rand() < 0.1 ? 'states LEFT JOIN rows ON false WHERE false' : '(SELECT * FROM states LIMIT 20) AS s JOIN (SELECT * FROM rows LIMIT 40) AS r USING (g)';

	$arguments = '*' if $is_aggregate && $arguments eq '';
	return "SELECT $name($arguments)::text FROM $from" . ($is_aggregate ? '' : ' LIMIT 3') unless $is_aggregate;
	$arguments = "DISTINCT $arguments" if $arguments ne '*' && rand() < 0.05;
	$arguments .= ' ORDER BY i4' if $arguments ne '*' && rand() < 0.1;
	my $call = "$name($arguments)";
	$call = "$name() WITHIN GROUP (ORDER BY " . value_of($types[-1] // 'integer', 1) . ')' if rand() < 0.03;
	$call .= ' FILTER (WHERE i4 > 0)' if rand() < 0.1;
	$call .= one_of(' OVER ()', ' OVER (ORDER BY g ROWS 2 PRECEDING)') if rand() < 0.1;
	return "SELECT count(x::text) FROM (SELECT $call AS x FROM $from" . ($call =~ /OVER/ ? '' : one_of('', ' GROUP BY g', ' GROUP BY ROLLUP (g)')) . ') AS a';
}

# An aggregate of somebody's own, and a call of it.
my $made = 0;
sub make_aggregate
{
	my ($schema, $is_super) = @_;
	my @transitions = grep { $_->[1] ne '' && $_->[0] !~ /_in$/ } @parts;
	my $sfunc = one_of(@transitions);
	my ($stype, @types) = split /;/, $sfunc->[1];
	my $name = "$schema.made_" . ++$made;
	my %options = (SFUNC => "dp_noise.$sfunc->[0]", STYPE => rand() < 0.95 ? $stype : one_of('bigint', 'bytea', 'dp_noise.sum_state', 'dp_noise.sample_state'));

	return () if $stype eq 'internal' && !$is_super;
	my @fitting = grep { my ($first) = split /;/, $_->[1]; ($first // '') eq $stype } @parts;
	if (rand() < 0.3)
	{
		# a foreign transition under our final function
		my %foreign = (internal => 'int8_avg_accum', bigint => 'int8pl', bytea => 'byteacat');
		if ($foreign{$stype})
		{
			$options{SFUNC} = $foreign{$stype};
			@types = $stype eq 'bytea' ? ('bytea') : ('bigint');
		}
	}
	$options{FINALFUNC} = 'dp_noise.' . one_of(@fitting)->[0] if @fitting && rand() < 0.7;
	$options{FINALFUNC_EXTRA} = undef if $options{FINALFUNC} && rand() < 0.3;
	$options{COMBINEFUNC} = one_of(map { "dp_noise.$_->[0]" } grep { $_->[0] =~ /combine/ } @parts) if rand() < 0.5;
	if ($stype eq 'internal' && rand() < 0.7)
	{
		$options{SERIALFUNC} = one_of(qw(dp_noise.values_serialize dp_noise.counts_serialize int8_avg_serialize));
		$options{DESERIALFUNC} = one_of(qw(dp_noise.values_deserialize dp_noise.counts_deserialize int8_avg_deserialize));
	}
	$options{INITCOND} = "'" . one_of('(0,0)', '(0,0,0)', '0', @texts) . "'" if rand() < 0.5;
	@options{qw(MSFUNC MINVFUNC MSTYPE)} = ($options{SFUNC}, $options{SFUNC}, $options{STYPE}) if rand() < 0.1;
	$options{PARALLEL} = 'safe' if rand() < 0.7;
	my $ordered = rand() < 0.05 && @types ? ' ORDER BY ' : '';
	my $arguments = @types ? ($ordered ? "ORDER BY $types[0]" : join(', ', @types)) : '*';
	return ("CREATE AGGREGATE $name($arguments) (" . join(', ', map { defined $options{$_} ? "$_ = $options{$_}" : $_ } sort keys %options) . ')',
		map { call_of($name, join(';', @types), 1) } 1 .. 3);
}

# A state combined with itself, many times, by an aggregate of somebody's own.
sub double_state
{
	my ($schema) = @_;
	my ($type, $function, $column) = @{ one_of([ 'sum_state', 'sum_state_combine', 's1' ], [ 'square_state', 'square_state_combine', 's2' ], ([ 'sample_state', 'sample_combine', 's3' ]) x 3) };
	my $name = "$schema.doubled_" . ++$made;
	my $rounds = one_of(3, 63, 64, 130);

	return <<"EOS";
DO \$\$
DECLARE
	state dp_noise.$type;
BEGIN
	CREATE AGGREGATE $name(dp_noise.$type) (SFUNC = dp_noise.$function, STYPE = dp_noise.$type);
	FOR state IN SELECT $column FROM states WHERE $column IS NOT NULL LIMIT 8 LOOP
		FOR i IN 1 .. $rounds LOOP
			state := (SELECT $name(state) FROM generate_series(1, 2));
		END LOOP;
		PERFORM state::text;
	END LOOP;
END
\$\$
EOS
}

my %errors;
my @internal;
my ($statements, $answered) = (0, 0);

# Runs statements; false when the server is gone.
sub run
{
	my ($role, @lines) = @_;
	my ($out, $err);
	my $script = join '', map { "\\echo \@$_\n$lines[$_];\n" } 0 .. $#lines;

	$node->psql('postgres', "\\set VERBOSITY verbose\nSET client_min_messages = error;\nSET statement_timeout = '20s';\n" . one_of('', "SET parallel_setup_cost = 0;\nSET parallel_tuple_cost = 0;\nSET parallel_leader_participation = off;\n") . $script,
		extra_params => [ '-U', $role ], on_error_stop => 0, stdout => \$out, stderr => \$err, timeout => 600);
	$statements += @lines;
	$errors{$1}++ while $err =~ /ERROR:  ([0-9A-Z]{5}):/g;
	while ($err =~ /^psql:<stdin>:(\d+): (ERROR:  XX.*)$/mg)
	{
		push @internal, $2;
	}
	return $err !~ /server closed the connection|connection to server was lost|terminating connection because of crash/ && $node->psql('postgres', 'SELECT 1') == 0;
}

my $end = time + $seconds;
my $alive = 1;
my @last;
while ($alive && time < $end)
{
	my $role = one_of('fuzz_ann', 'fuzz_ann', 'nobody_special', $ENV{PGUSER} // scalar getpwuid($<));
	my $is_super = $role !~ /^(fuzz_ann|nobody_special)$/;
	my $schema = $role eq 'nobody_special' ? 'own' : 'fuzz';

	@last = ();
	while (@last < $batch)
	{
		my $kind = rand();

		push @last, $kind < 0.03 ? double_state($schema)
		  : $kind < 0.1 ? 'SELECT ' . value_of('cstring') . '::text::dp_noise.' . one_of(qw(sum_state square_state sample_state)) . one_of('', '[]')
		  : $kind < 0.4 ? call_of('dp_noise.' . $_->[0], $_->[1], 0)
		  : $kind < 0.7 ? make_aggregate($schema, $is_super)
		  :               call_of($_->[0], $_->[1], 1)
		  for one_of($kind < 0.7 ? @parts : @aggregates);
	}
	$alive = run($role, @last);
}

ok($alive, 'the server is there') or diag join ";\n", @last;
my $log = slurp_file($node->logfile);
unlike($log, qr/AddressSanitizer|runtime error:|terminated by signal|PANIC: |TRAP: /, 'no report, no crash')
  or diag map { "$_\n" } grep { /AddressSanitizer|runtime error|TRAP|    #\d/ } split /\n/, $log;
is(join("\n", @internal), '', 'no internal error');
note("$statements statements; errors: " . join ', ', map { "$_ $errors{$_}" } sort { $errors{$b} <=> $errors{$a} } keys %errors);

$node->stop;
done_testing();
