# Class: an error, or its absence, as an answer without noise. Where a backend's
# memory is limited, a median of one row more than fits failed, every time, for
# next to nothing: a condition on that one row told its secret. What a release
# takes of memory must not grow with the rows that match, nor with what whoever
# asks sets.
#
# Questions are asked under a limit on the backend's address space that all the
# points would exceed several times. That the memory stays the same from few rows
# to ten times as many is measured without a limit, too.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'prlimit is not there' if system('prlimit --version >/dev/null 2>&1') != 0;

my $rows = 3_000_000;
my $node = LedgerCluster->new('memory_tells_nothing', "autovacuum = off\nfsync = off\nmax_parallel_workers_per_gather = 0\nmax_wal_size = 4GB\n");
$node->safe_psql('postgres', <<"EOS");
CREATE ROLE memory_ann LOGIN;
ALTER DATABASE postgres SET dp_noise.work_mem = '1MB';
CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE UNLOGGED TABLE numbers AS
SELECT i AS id, i % 1000003 AS x, (i % 3 = 0) AS b, i % 50 AS g, i % 50 AS h, i / 3.0::float8 AS f FROM generate_series(1, $rows) AS i;
ALTER TABLE numbers ALTER g SET NOT NULL;
CREATE TABLE keys (g integer PRIMARY KEY);
INSERT INTO keys SELECT generate_series(0, 49);
ALTER TABLE numbers ADD FOREIGN KEY (g) REFERENCES keys;
GRANT SELECT ON keys TO memory_ann;
CREATE UNLOGGED TABLE visits AS SELECT i / 3 AS person, i % 1000003 AS x, (ARRAY['red', 'green', 'blue']::color[])[1 + i % 3] AS c FROM generate_series(1, $rows / 2) AS i;
-- one person with half of the rows
CREATE UNLOGGED TABLE often AS SELECT CASE WHEN i % 2 = 0 THEN 0 ELSE i END AS person, i AS x FROM generate_series(1, $rows / 4) AS i;
ANALYZE;
SELECT dp_noise.protect('numbers', epsilon => 1e13, delta => 1), dp_noise.protect('visits', privacy_unit => 'person', max_rows_per_unit => 3, epsilon => 1e13, delta => 1),
	dp_noise.protect('often', privacy_unit => 'person', max_rows_per_unit => 20000, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('memory_ann', r::text, 1e12, delta => 1, min_epsilon_per_query => NULL) FROM unnest('{numbers,visits,often}'::regclass[]) AS r;
EOS

# Asks under a limit of so many MB above what the process has; none: 0. What is
# said, and how the peak of the address space grew, in MB.
sub ask
{
	my ($megabytes, $question, $before) = @_;
	my ($out, $err);
	my $limit = $megabytes
	  ? "\\! prlimit --pid \$BACKEND --as=\$((\$(awk '/VmSize/ { print \$2 * 1024 }' /proc/\$BACKEND/status) + $megabytes * 1048576))"
	  : '';

	$before //= '';
	$node->psql('postgres', <<"EOS", extra_params => [ '-U', 'memory_ann' ], on_error_stop => 0, stdout => \$out, stderr => \$err);
\\set VERBOSITY verbose
SET dp_noise.delta = 1e-6;
SET client_min_messages = warning;
$before
SELECT dp_count(*), dp_median_exp(x, 0, 9), dp_quantiles_exp(x, ARRAY[0.5], 0, 9) FROM numbers WHERE id < 0 \\g /dev/null
SELECT dp_median_exp(x, 0, 9), dp_mode(c) FROM visits WHERE person < 0 \\g /dev/null
SELECT pg_backend_pid() AS pid \\gset
\\setenv BACKEND :pid
$limit
\\! awk '/VmPeak/ { print \$2 }' /proc/\$BACKEND/status
$question;
\\! awk '/VmPeak/ { print \$2 }' /proc/\$BACKEND/status
EOS
	my @lines = split /\n/, $out;
	my $first = shift @lines;
	my $last = pop @lines;

	return (join("\n", @lines) . $err, ($last - $first) / 1024);
}

my @questions = (
	[ 'a median', 'SELECT dp_median_exp(x, 0, 1000003) BETWEEN 0 AND 1000003 FROM numbers' ],
	[ 'one by smooth sensitivity', q{SELECT dp_median(f, 0, 1000003, 1, 'smooth_cauchy') BETWEEN 0 AND 1000003 FROM numbers} ],
	[ 'a quantile', 'SELECT dp_quantile_exp(f, 0.9, 0, 1000003) BETWEEN 0 AND 1000003 FROM numbers' ],
	[ 'quantiles', 'SELECT (dp_quantiles_exp(x, ARRAY[0.1, 0.5, 0.9], 0, 1000003))[2] BETWEEN 0 AND 1000003 FROM numbers' ],
	[ 'a median of very little epsilon', 'SELECT dp_median_exp(x, 0, 1000003, 0.00001) BETWEEN 0 AND 1000003 FROM numbers' ],
	[ 'a maximum', 'SELECT dp_max(x, 0, 1000003) BETWEEN 0 AND 1000003 FROM numbers' ],
	[ 'a maximum of very little epsilon', 'SELECT dp_max(x, 0, 1000003, 0.00001) BETWEEN 0 AND 1000003 FROM numbers' ],
	[ 'a minimum by the exponential mechanism', q{SELECT dp_min(x, 0, 1000003, 0.00001, 'exponential') BETWEEN 0 AND 1000003 FROM numbers} ],
	[ 'medians of groups', 'SELECT count(*) = 50 FROM (SELECT g, dp_median_exp(x, 0, 1000003) FROM numbers GROUP BY g) AS s' ],
	[ 'medians of private groups', 'SELECT count(*) = 50 FROM (SELECT h, dp_median_exp(x, 0, 1000003) FROM numbers GROUP BY h) AS s' ],
	[ 'a mode', 'SELECT dp_mode(b) IS NOT NULL FROM numbers' ],
	[ 'bounds', 'SELECT dp_bounds(x) IS NOT NULL FROM numbers' ],
	[ 'a median of units', 'SELECT dp_median_exp(x, 0, 1000003) BETWEEN 0 AND 1000003 FROM visits' ],
	[ 'a mode of units', 'SELECT dp_mode(c) IS NOT NULL FROM visits' ],
	[ 'units by a key', 'SELECT count(*) > 0 FROM (SELECT c, dp_count(*) FROM visits GROUP BY c) AS s' ],
	[ 'a number of units', 'SELECT dp_count_distinct(person) BETWEEN 499000 AND 501000 FROM visits' ],
	[ 'means of units', 'SELECT dp_mean(x, 0, 1000003) BETWEEN 0 AND 1000003 FROM visits' ],
	[ 'bounds of units', 'SELECT dp_bounds(x) IS NOT NULL FROM visits' ],
	[ 'a median of one unit of many rows', 'SELECT dp_median_exp(x, 0, 1000003) BETWEEN 0 AND 1000003 FROM often' ],
	[ 'different values of rows', 'SELECT dp_count_distinct(f) BETWEEN 2999000 AND 3001000 FROM numbers' ],
	[ 'different values of units', 'SELECT dp_count_distinct(x) BETWEEN 999000 AND 1001000 FROM visits' ],
	[ 'different values of one unit of many', 'SELECT dp_count_distinct(x) > 100000 FROM often' ],
	[ 'a join of people and of what is public', 'SELECT dp_count(*) > 0 FROM often JOIN visits ON often.person = visits.person JOIN keys ON keys.g = visits.x % 50' ],
	[ 'a join of people', 'SELECT dp_count(*) > 0 FROM often JOIN visits ON often.person = visits.person' ]);

foreach my $question (@questions)
{
	my ($name, $sql) = @$question;

	is((ask(12, $sql))[0], 't', "$name, within 12 MB");
}

# whatever the analyst sets
my $greedy = join '', map { "SET $_;\n" } q{work_mem = '2GB'}, 'hash_mem_multiplier = 1000', 'enable_sort = off', 'enable_mergejoin = off', 'enable_nestloop = off', 'enable_material = off',
  'cpu_tuple_cost = 0', 'cpu_operator_cost = 0', q{effective_cache_size = '100GB'}, 'join_collapse_limit = 1', 'enable_hashagg = on', q{maintenance_work_mem = '1GB'};
foreach my $question (@questions)
{
	my ($name, $sql) = @$question;

	is((ask(12, $sql, $greedy))[0], 't', "$name, with settings that ask for more");
}
is(($node->psql('postgres', q{SET dp_noise.work_mem = '1GB'}, extra_params => [ '-U', 'memory_ann' ]))[0], 3, 'but for that of the administrators');

# A hash join makes its table of public rows once there is a protected row to look
# up: public rows of one key, or hash, do not depend on whether that row is there.
$node->safe_psql('postgres', <<'EOS');
CREATE UNLOGGED TABLE same (k integer, long bigint, x integer) WITH (autovacuum_enabled = off);
INSERT INTO same SELECT 0, (i::bigint << 32) + i, i FROM generate_series(1, 2000000) AS i;
CREATE UNLOGGED TABLE fair (k integer, x integer) WITH (autovacuum_enabled = off);
INSERT INTO fair SELECT i, i FROM generate_series(1, 700000) AS i;
GRANT SELECT ON same, fair TO memory_ann;
CREATE UNLOGGED TABLE few AS SELECT i AS id, i::bigint AS long, i % 3 = 0 AS b, 0 AS zero FROM generate_series(1, 100000) AS i;
CREATE INDEX ON few (id);
ANALYZE few;
SELECT dp_noise.protect('few', epsilon => 1e13, delta => 1), dp_noise.alter_population('few', on_repeat => 'answer'), dp_noise.set_budget('memory_ann', 'few', 1e12);
EOS
foreach my $on ('few.zero = same.k', 'few.long = same.long', '(few.zero = same.k AND few.long = same.long)')
{
	my ($here, $gone) = map { (ask(12, "SELECT dp_count(*) > 1e9 FROM few JOIN same ON $on WHERE (id = $_ OR abs(id) = -1) AND b"))[0] } 3, 4;

	is($here, $gone, "public rows by $on, for a row and for none");
	unlike($here, qr/resources|out of memory/, 'without a failure');
}
# A hashed sub-plan does so, too, and is not divided.
foreach my $condition ('zero NOT IN (%s)', 'CASE WHEN zero IN (%s) THEN id END IS NULL', 'zero IN (%s) OR long = 5')
{
	my $where = sprintf $condition, q{SELECT x FROM same WHERE (x * 0 + 1)::text = '1'};
	my ($here, $gone) = map { (ask(12, "SELECT dp_count(*) > 1e9 FROM few WHERE (id = $_ OR abs(id) = -1) AND b AND ($where)"))[0] } 3, 4;

	is($here, $gone, "public rows: $where, for a row and for none");
	like($here, qr/too many public rows in a sub-query/, 'they are too many');
}

# Nor is it if each of its tables is small, and together they are not.
$node->safe_psql('postgres', <<'EOS');
CREATE UNLOGGED TABLE small AS SELECT i AS x FROM generate_series(1, 3000) AS i;
GRANT SELECT ON small TO memory_ann;
EOS
foreach my $id (3, 4)
{
	my $pairs = q{EXISTS (SELECT FROM small AS a, small AS c WHERE a.x = zero AND c.x = id AND (a.x * 0 + 1)::text = '1' AND (c.x * 0 + 1)::text = '1')};

	like((ask(12, "SELECT dp_count(*) > 1e9 FROM few WHERE (id = $id OR abs(id) = -1) AND b AND (long = 5 OR $pairs)"))[0], qr/too many public rows in a sub-query/, "pairs of public rows, for row $id");
}

# The server does not join a sub-query that names rows of two queries around.
foreach my $id (3, 4)
{
	my $both = q{EXISTS (SELECT FROM small AS a WHERE a.x = few.id AND EXISTS (SELECT FROM same WHERE same.x = a.x AND same.k = few.zero AND (same.x * 0 + 1)::text = '1'))};

	like((ask(12, "SELECT dp_count(*) > 1e9 FROM few WHERE (id = $id OR abs(id) = -1) AND b AND $both"))[0], qr/too many public rows in a sub-query/, "public rows by two queries around, for row $id");
}

# Whether public rows are too many is asked of all plans: which of them is chosen
# depends on how many protected rows are expected, and those refused cost nothing.
foreach my $join ('FROM few JOIN same ON few.zero = same.k', 'FROM few LEFT JOIN same ON same.k = few.zero', 'FROM same JOIN few ON few.zero = same.k AND few.long > same.x')
{
	foreach my $where ('id > 0', 'id > 99999', 'id > 100000', 'id < 3', 'id BETWEEN 3 AND 50000', 'id = 3')
	{
		like((ask(0, "SELECT dp_count(*) > 1e9 $join WHERE $where"))[0], qr/too many public rows in a question about a protected relation have the same key/, "public rows of one key: $join WHERE $where");
	}
}
foreach my $where ('id > 0', 'id > 99999', 'id > 100000', 'id = 3')
{
	like((ask(0, "SELECT dp_count(*) > 1e9 FROM few WHERE $where AND (long = 5 OR EXISTS (SELECT FROM same WHERE same.x = few.zero AND (same.x * 0 + 1)::text = '1'))"))[0], qr/too many public rows in a sub-query/, "public rows of EXISTS beneath OR: $where");
}

# A plan that scans an index leaves out a condition that the index's implies, and
# with it a sub-query beneath OR.
foreach my $where ('id > 5', 'id > 50000', 'id > 99990', 'id > 200000')
{
	foreach my $condition ('zero NOT IN (%s)', 'EXISTS (%s AND x = zero)')
	{
		my $other = sprintf $condition, q{SELECT x FROM same WHERE (x * 0 + 1)::text = '1'};

		like((ask(0, "SELECT dp_count(*) > 1e9 FROM few WHERE $where AND (id > 2 OR $other)"))[0], qr/too many public rows in a sub-query/, "public rows beneath OR, implied by an index: $where, $condition");
	}
}

is((ask(16, q{SELECT dp_count(*) BETWEEN 33000 AND 34000 FROM few WHERE b AND NOT EXISTS (SELECT FROM same WHERE (x * 0 + 1)::text = '1' AND x = zero)}))[0], 't', 'but not by NOT EXISTS');
is((ask(16, 'SELECT dp_count(*) BETWEEN 699000 AND 701000 FROM numbers JOIN fair ON id = k'))[0], 't', 'public rows of many keys, more than memory takes');

# ten times the rows, the same memory
foreach my $sql (
	'SELECT dp_median_exp(x, 0, 1000003) IS NOT NULL FROM numbers WHERE id <= %d',
	'SELECT (dp_quantiles_exp(x, ARRAY[0.1, 0.9], 0, 1000003))[1] IS NOT NULL FROM numbers WHERE id <= %d',
	'SELECT dp_max(x, 0, 1000003, 0.00001) IS NOT NULL FROM numbers WHERE id <= %d',
	'SELECT dp_count_distinct(x) IS NOT NULL FROM numbers WHERE id <= %d',
	'SELECT count(*) = 50 FROM (SELECT g, dp_median_exp(x, 0, 1000003) FROM numbers WHERE id <= %d GROUP BY g) AS s')
{
	my ($few, $little) = ask(0, sprintf($sql, $rows / 10));
	my ($many, $much) = ask(0, sprintf($sql, $rows));

	is("$few$many", 'tt', "answers: $sql");
	cmp_ok($much, '<', $little + 2, sprintf('%.1f MB, and %.1f MB for ten times the rows', $little, $much));
}

$node->stop;
done_testing();
