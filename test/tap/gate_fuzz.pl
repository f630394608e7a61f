# Random questions to two databases that differ in their protected rows: what
# comes back is the same, but for the released values. Every message, SQLSTATE,
# number of rows and column, and whether a charge was made.
#
# Groups by private keys have few rows each, and none of them shows: at delta 10^-15
# and epsilon 1 from 36 rows on.
#
# FUZZ_SEED repeats a run, FUZZ_QUERIES makes it longer.
#
# Takes long: it needs a library of its own, with assertions.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $queries = $ENV{FUZZ_QUERIES} // 1500;
my $batch = 100;

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('fuzz', <<'EOC');
max_worker_processes = 16
log_error_verbosity = verbose
log_min_error_statement = panic
autovacuum = off
fsync = off
EOC

$node->safe_psql('postgres', 'CREATE ROLE fuzz_ann LOGIN; ALTER ROLE fuzz_ann SET dp_noise.delta = 1e-15; CREATE DATABASE near;');
$node->safe_psql('near', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE SCHEMA fuzz_ann AUTHORIZATION fuzz_ann;
CREATE TYPE region AS ENUM ('north', 'south', 'west');
CREATE TABLE patients (id integer PRIMARY KEY, age integer NOT NULL, size smallint, bmi double precision, heat real,
	weight numeric, name text COLLATE "C", smoker boolean, born date, at timestamp, region region);
INSERT INTO patients SELECT i, i % 90, i % 200, i % 40, 36 + i % 6, i % 100 + 0.5, 'name' || i, i % 3 = 0,
	date '1960-01-01' + i, timestamp '2020-01-01' + i * interval '1 hour', (enum_range(NULL::region))[1 + i % 3]
FROM generate_series(1, 500) AS i;
CREATE INDEX ON patients (age);
CREATE TABLE numbers AS SELECT i AS x, i % 3 AS y FROM generate_series(1, 5) AS i;
GRANT SELECT ON numbers TO PUBLIC;
SELECT dp_noise.protect('patients', epsilon => 1e13, delta => 1), dp_noise.set_bounds('patients', 'age', 0, 120), dp_noise.set_bounds('patients', 'bmi', 10, 60),
	dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('fuzz_ann', 'patients', 1000000000, delta => 0.1);
SET SESSION AUTHORIZATION fuzz_ann;
CREATE FUNCTION fuzz_ann.fails(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
	'BEGIN RAISE EXCEPTION ''value %'', $1; END';
CREATE FUNCTION fuzz_ann.inlined(integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT 1 / $1 > 0';
CREATE OPERATOR fuzz_ann.<<>> (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4div);
CREATE VIEW fuzz_ann.asked AS SELECT dp_count(*) AS n, dp_mean(age) AS m FROM patients WHERE smoker;
CREATE FUNCTION fuzz_ann.over(integer) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.patients WHERE age > $1';
EOS

$node->use_library('assert', 'near');

# One extreme row, and none at all.
$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE near") foreach qw(neighbour empty);
$node->safe_psql($_, q{SELECT dp_noise.accept_timeline()}) foreach qw(near neighbour empty);
$node->safe_psql('neighbour', q{
	INSERT INTO patients VALUES (2147483647, 0, -32768, 'NaN', '-Infinity', 'NaN', '', NULL, 'infinity', '-infinity', NULL),
		(-2147483648, 2147483647, 32767, 'Infinity', 'NaN', 'Infinity', repeat('canary', 1000), true, '4713-01-01 BC', 'infinity', 'west')});
$node->safe_psql('empty', 'DELETE FROM patients');
$node->safe_psql($_, 'VACUUM ANALYZE') foreach qw(near neighbour empty);

# The grammar.

sub one { return $_[ int(rand(scalar @_)) ] }
sub chance { return rand() < $_[0] }

my %columns = (
	number => [qw(id age size bmi heat weight)],
	bool => ['smoker'],
	text => ['name'],
	time => [qw(born at)],
	enum => ['region']);
my %constants = (
	number => [qw(0 1 5 42 120 -1 2147483647 1e308 0.1), "'NaN'", "'Infinity'", 'NULL', '1/0', '10000000000'],
	bool => [qw(true false NULL)],
	text => ["''", "'name5'", "'%\\'", 'NULL', "'canary'", "'5'"],
	time => ["'2000-01-01'", "'infinity'", 'NULL', "date '2000-01-01' + 1", "'never'"],
	enum => ["'north'", "'west'", 'NULL', "'nowhere'"]);

sub value
{
	my ($type, $depth) = @_;

	return one(@{ $columns{$type} }) if chance(0.6);
	return one(@{ $constants{$type} }) if chance(0.5) || $depth <= 0;
	return 'CASE WHEN ' . condition($depth - 1) . ' THEN ' . value($type, $depth - 1) . ' ELSE ' . value($type, $depth - 1) . ' END' if chance(0.4);
	return 'coalesce(' . value($type, $depth - 1) . ', ' . value($type, $depth - 1) . ')' if chance(0.3);
	return 'nullif(' . value($type, $depth - 1) . ', ' . value($type, $depth - 1) . ')' if chance(0.2);
	if ($type eq 'number' && chance(0.6))
	{
		my $value = value($type, $depth - 1);

		return one("$value + 1", "1 / $value", "($value)::integer", "($value)::smallint", "($value)::numeric(3,1)", "-$value",
			"sqrt($value)", "$value % 7", "ln($value)", "(($value)::text)::integer", "length(name)", "($value)::double precision",
			"(SELECT max(x) FROM numbers)", "(SELECT dp_count(*) FROM patients)", "random()", "x", "ctid", "extract(year FROM born)");
	}
	return one("name || 'x'", "upper(name)", "substr(name, age)", "name::region::text", "age::text", "to_char(at, name)") if $type eq 'text';
	return one(@{ $columns{$type} });
}

sub condition
{
	my ($depth) = @_;
	my $type = one(qw(number number number bool text time enum));

	if ($depth > 0)
	{
		return '(' . condition($depth - 1) . one(' AND ', ' OR ') . condition($depth - 1) . ')' if chance(0.35);
		return 'NOT (' . condition($depth - 1) . ')' if chance(0.1);
	}
	return one('smoker', 'NOT smoker', 'smoker IS TRUE', 'smoker IS NOT UNKNOWN', 'true', 'false', 'NULL') if chance(0.15);
	return value($type, $depth) . one(' IS NULL', ' IS NOT NULL') if chance(0.1);
	return value($type, $depth) . one(' IN (', ' NOT IN (') . join(', ', map { value($type, 0) } 1 .. 1 + int(rand(3))) . ')' if chance(0.1);
	return value($type, $depth) . ' BETWEEN ' . value($type, 0) . ' AND ' . value($type, 0) if chance(0.1);
	return one("name LIKE 'na%'", "name ~ 'n'", 'fuzz_ann.fails(age)', 'fuzz_ann.inlined(age)', 'age <<>> 0 > 0', 'EXISTS (SELECT FROM numbers)',
		'1 / age > 0', 'patients IS NULL', 'age = ANY (ARRAY[1, 2, NULL])', '(age, id) < (5, 6)', 'pg_sleep(0) IS NULL', 'xmin IS NULL',
		"name::integer > 0", "name SIMILAR TO 'x'", 'age > ALL (SELECT x FROM numbers)', 'fuzz_ann.over(age) > 0', "at AT TIME ZONE name IS NULL") if chance(0.12);
	return value($type, $depth) . one(qw( = <> < <= > >= ), ' IS DISTINCT FROM ') . value($type, $depth);
}

sub aggregate
{
	my $number = value('number', one(0, 0, 0, 1));
	my $bounds = one('', '', ', 0, 100', ', 0, 100', ', 10, 5', ', -1e300, 1e300', ', NULL, 1', ', age, 100', ", 'NaN', 1");
	my $epsilon = $bounds eq '' ? '' : one('', '', '', ', 0.5', ', 1.0', ', -1', ', age', ", 1.0, 'laplace'", ", 1.0, 'nonsense'");
	my $filter = chance(0.25) ? ' FILTER (WHERE ' . condition(1) . ')' : '';

	return one('dp_count(*)', 'dp_count(*)', "dp_count($number)", "dp_count($number, 0.5)", "dp_sum($number$bounds$epsilon)",
		"dp_mean($number$bounds$epsilon)", "dp_max($number$bounds$epsilon)", "dp_min($number$bounds$epsilon)",
		"dp_median_exp($number$bounds)", "dp_quantile_exp($number, " . one('0.5', '0', '1', '2', 'age') . "$bounds)",
		"dp_quantiles_exp($number, " . one('ARRAY[0.5]', "'{0,0.1,0.1,1}'", 'ARRAY[2]', 'ARRAY[age]', "'{}'") . "$bounds)", "dp_bounds($number" . one('', '', ', 0.5', ', age') . ')',
		one('count(*)', "sum($number)", "array_agg($number)", "dp_count(DISTINCT $number)", 'dp_count(*) OVER ()', "dp_sum(age ORDER BY id)") ) . $filter;
}

sub block
{
	my $aggregates = join(', ', map { aggregate() . ' AS a' . $_ } 1 .. one(1, 1, 1, 2, 3));
	my $where = chance(0.6) ? ' WHERE ' . condition(2) : '';
	my $from = chance(0.9) ? 'patients' : one('ONLY patients', 'patients TABLESAMPLE SYSTEM (50)', 'patients, numbers',
		'patients JOIN numbers ON x = age', 'numbers LEFT JOIN patients ON x = age', '(SELECT * FROM patients) AS patients', 'fuzz_ann.asked AS patients');
	my $group = chance(0.3) ? ' GROUP BY ' . one('smoker', 'region', 'age > 40', 'region, smoker', 'age', 'name', 'id', '1', condition(0),
		'at, weight', 'region, name', 'id, age > 40, smoker', 'NULLIF(id, 7)', 'COALESCE(born, NULL)', 'ROLLUP (smoker)', 'smoker, age / 2', '()') : '';
	my $having = chance(0.1) ? ' HAVING ' . one('true', aggregate() . ' IS NOT NULL', 'false', condition(0)) : '';
	my $order = chance(0.1) ? ' ORDER BY ' . one('1', 'a1', aggregate(), 'smoker') : '';

	return "SELECT $aggregates FROM $from$where$group$having$order";
}

sub statement
{
	my $block = block();

	return one($block, $block, $block,
		"SELECT count(*) FROM ($block) AS s", "WITH s AS ($block) SELECT a1 IS NULL FROM s", "SELECT x, (SELECT a1 IS NULL FROM ($block) AS s) FROM numbers",
		"SELECT x FROM numbers, LATERAL ($block) AS s", "($block) UNION ALL ($block)", "SELECT s IS NULL FROM ($block) AS s, numbers WHERE x > 2",
		"EXPLAIN (COSTS off) $block", "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $block", "CREATE TEMPORARY TABLE kept ON COMMIT DROP AS $block",
		"SELECT EXISTS ($block)", "SELECT ARRAY($block) IS NULL", "DECLARE c CURSOR FOR $block", "COPY ($block) TO STDOUT", 'SELECT * FROM patients',
		'SELECT 1 FROM patients WHERE ' . condition(1), 'SELECT n IS NULL FROM fuzz_ann.asked');
}

# The statements as a script, each with its number and in a transaction of its own.
sub script_of
{
	my (@statements) = @_;
	my $script = "\\set VERBOSITY verbose\n\\pset tuples_only off\nSET search_path = fuzz_ann, public;\n";

	$script .= "\\echo -- statement $_\nBEGIN;\n$statements[$_];\nCOMMIT;\n" foreach 0 .. $#statements;
	return $script;
}

# Whether a private answer is a value inside the statement. Its noise is part of the
# question then, whose hash is another one each time: EXPLAIN ANALYZE shows it.
sub holds_answer
{
	my ($statement) = @_;

	return $statement =~ /\(SELECT dp_|fuzz_ann\.(over|asked)\b/;
}

# What an analyst sees of a batch, with the released values blotted out.
sub observe
{
	my ($database, @statements) = @_;
	my $script = script_of(@statements);
	my $known = $node->safe_psql($database, q{SELECT count(*) FROM dp_noise.ledger});
	my ($out, $err);

	$node->psql($database, $script, extra_params => [ '-U', 'fuzz_ann' ], on_error_stop => 0, stdout => \$out, stderr => \$err);
	$out = join '', map { /^-- statement (\d+)\n/ && holds_answer($statements[$1]) ? s/^( *Question: )[0-9a-f]+$/$1#/mgr : $_ } split /^(?=-- statement \d+$)/m, $out;
	$out =~ s/-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|-?Infinity|NaN/#/g;
	# which catalogs a session has in its caches does not depend on rows alone
	$out =~ s/^ *Planning:\n *Buffers: .*\n//mg;
	$err =~ s/^psql:<stdin>:\d+: //mg;

	return ($out, $err, $node->safe_psql($database, "SELECT count(*) - $known FROM dp_noise.ledger"));
}

# What an assertion has failed on, and what was taken for a difference.
my @known = (
	'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT dp_count(*) AS a1 FROM patients WHERE age < (SELECT dp_count(*) FROM patients)',
	'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT dp_count(*) FILTER (WHERE smoker) AS a1 FROM patients WHERE age > 40',
	q{SELECT ARRAY(SELECT dp_sum(size, 'NaN', 1, -1) AS a1 FROM numbers LEFT JOIN patients ON x = age WHERE ((120 NOT IN (weight) AND '%\' IS NULL) AND (smoker=true AND patients IS NULL))) IS NULL},
	'SELECT dp_count(*) FROM numbers LEFT JOIN patients ON x = age WHERE weight > 1 AND smoker AND y IS NULL');

my %seen;
my $answered = 0;
my $log = -s $node->logfile;
for (my $done = 0; $done < $queries; $done += $batch)
{
	my @statements = (splice(@known), map { statement() } 1 .. $batch);
	my (@near, @other);

	@near = observe('near', @statements);
	$answered += $near[2];
	$seen{$1}++ while $near[1] =~ /ERROR:  (\w{5}):/g;
	foreach my $database (qw(neighbour empty))
	{
		@other = observe($database, @statements);

		# Questions with noise in them, such as private answers as values, are equal
		# by chance, and then charged once: so not each time.
		for (1 .. 20)
		{
			last if $other[0] ne $near[0] || $other[1] ne $near[1] || $other[2] == $near[2];
			@near  = observe('near', @statements);
			@other = observe($database, @statements);
		}
		next if ok($other[0] eq $near[0] && $other[1] eq $near[1] && $other[2] == $near[2], "statements $done and on, $database");

		# which one it was
		foreach my $statement (@statements)
		{
			my @a = observe('near', $statement);
			my @b = observe($database, $statement);

			diag("$statement;\n$a[0]$a[1]\nbut in $database\n$b[0]$b[1]") if $a[0] ne $b[0] || $a[1] ne $b[1];
		}
	}
}

cmp_ok($answered, '>', $queries / 10, "$answered aggregates of $queries statements were answered");
cmp_ok($seen{$_} // 0, '>', 0, "some were refused with $_") foreach qw(42501 0A000);
is($seen{XX000} // 0, 0, 'no internal errors') or note(join("\n", slurp_file($node->logfile, $log) =~ /(XX000: .*\n.*LOCATION.*)/g));
unlike(slurp_file($node->logfile, $log), qr/canarycanary|terminated by signal|PANIC|TRAP|WARNING(?!:  01000: the ledger of database)/, 'nothing of a row in the log, no crash');
note(join(', ', map { "$_: $seen{$_}" } sort keys %seen));

$node->stop;
done_testing();
