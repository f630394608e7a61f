# Questions about distributed, reference and single-shard tables, each asked of
# local tables with the same rows, too: the same answers where noise is next to
# nothing, and the same true states beneath.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use Test::More;

my $citus = CitusCluster->new('questions');

$citus->sql(<<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE other LOGIN;
CREATE ROLE ann LOGIN;
CREATE SCHEMA spread AUTHORIZATION owner;
CREATE SCHEMA here AUTHORIZATION owner;
GRANT USAGE ON SCHEMA spread, here TO PUBLIC;
GRANT CREATE ON SCHEMA spread, here TO other;
EOS

# The same tables and rows in both schemas.
foreach my $schema ('here', 'spread')
{
	my $distributed = $schema eq 'spread';

	$citus->sql(<<"EOS");
SET search_path = $schema;
SET ROLE owner;
CREATE TABLE people (id bigint PRIMARY KEY, age integer, weight double precision, height numeric(6,2), sex text CHECK (sex IN ('f', 'm')), region integer, born date, is_ill boolean);
CREATE TABLE visits (person bigint NOT NULL, day date, cost integer, ward text, seen timestamptz, PRIMARY KEY (person, day));
CREATE TABLE bills (number bigint, person bigint, amount integer);
CREATE TABLE wards (name text PRIMARY KEY, beds integer);
CREATE TABLE staff (id integer PRIMARY KEY, ward text, pay integer);
CREATE TABLE rows (x integer, y integer);
RESET ROLE;
GRANT SELECT ON wards TO PUBLIC;
EOS
	$citus->sql(<<"EOS") if $distributed;
SET search_path = $schema;
SELECT create_distributed_table('people', 'id'), create_distributed_table('visits', 'person', colocate_with => 'people'), create_distributed_table('bills', 'number'),
	create_reference_table('wards'), create_distributed_table('staff', NULL), create_distributed_table('rows', 'x');
EOS
	$citus->sql(<<"EOS");
SET search_path = $schema;
INSERT INTO people SELECT i, i % 97, i % 53 + 0.25, (i % 31) * 1.5, CASE WHEN i % 3 = 0 THEN 'f' WHEN i % 3 = 1 THEN 'm' END, i % 7, date '1950-01-01' + (i * 37 % 20000)::integer, i % 11 = 0 FROM generate_series(1, 1500) AS i;
INSERT INTO visits SELECT i % 1000 + 1, date '2024-01-01' + (i / 1000)::integer, i % 89, 'ward' || i % 5, timestamptz '2024-01-01 00:00+00' + i * interval '7 minutes' FROM generate_series(1, 3000) AS i;
INSERT INTO bills SELECT i, i % 800 + 1, i % 43 FROM generate_series(1, 2000) AS i;
INSERT INTO wards SELECT 'ward' || i, i * 10 FROM generate_series(0, 4) AS i;
INSERT INTO staff SELECT i, 'ward' || i % 5, 1000 + i % 700 FROM generate_series(1, 300) AS i;
INSERT INTO rows SELECT i, i % 13 FROM generate_series(1, 900) AS i;
SET ROLE owner;
SELECT dp_noise.create_population('$schema', epsilon => 1e12, delta => 1);
SELECT dp_noise.protect('people', 'id', population => '$schema');
SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 3, max_groups_per_unit => 3, population => '$schema');
SELECT dp_noise.protect('bills', 'person', max_rows_per_unit => 4, population => '$schema');
SELECT dp_noise.protect('staff', 'id', population => '$schema');
SELECT dp_noise.create_population('$schema rows', epsilon => 1e12, delta => 1);
SELECT dp_noise.protect('rows', population => '$schema rows'), dp_noise.set_budget('ann', '$schema rows', 1e12, delta => 1);
CREATE VIEW adults AS SELECT id, age, region FROM people WHERE age >= 18;
SELECT dp_noise.protect('adults', 'id', population => '$schema');
SELECT dp_noise.set_bounds('people', 'age', 0, 120), dp_noise.set_bounds('visits', 'cost', 0, 100);
SELECT dp_noise.set_budget('ann', '$schema', 1e12, delta => 1);
EOS
}

my $settings = "SET extra_float_digits = 0; SET dp_noise.epsilon = 1000000; SET dp_noise.delta = 0.001;";

sub asked
{
	my ($schema, $question, $before) = @_;
	my $said = $citus->as('ann', "$settings SET search_path = $schema, public; " . ($before // '') . " $question");

	$said =~ s/pg_temp_\d+/pg_temp/g;    # of whichever session
	return $said;
}

sub states
{
	my ($schema, $question) = @_;
	my ($out, $err);

	$citus->coordinator->psql('postgres', "SET search_path = $schema, public; SELECT s FROM dp_noise.true_states(\$q\$$question\$q\$) AS s ORDER BY 1", stdout => \$out, stderr => \$err);
	return "$out$err";
}

my @questions = (
	[ 'rows',              'SELECT dp_count(*) FROM people' ],
	[ 'count of values',   'SELECT dp_count(sex) FROM people' ],
	[ 'sums and means',    'SELECT dp_sum(age), round(dp_mean(age)::numeric, 2), dp_sum(age, 0, 50) FROM people' ],
	[ 'of other types',    'SELECT round(dp_sum(weight, 0, 60)::numeric, 1), round(dp_sum(height, 0, 60)) FROM people' ],
	[ 'variance',          'SELECT round(dp_variance(age)::numeric, 1) FROM people' ],
	[ 'a median',          'SELECT dp_median(age) FROM people WHERE id < 1500' ],
	[ 'greatest',          'SELECT dp_max(age), dp_min(age) FROM people' ],
	[ 'quantiles',         'SELECT dp_quantile_exp(age, 0.25, 0, 120) FROM people' ],
	[ 'a mode',            q{SELECT dp_mode(sex, ARRAY['f', 'm']) FROM people WHERE id % 3 < 2 AND id < 1000 AND age <> 7} ],
	[ 'distinct values',   'SELECT dp_count_distinct(region) FROM people' ],
	[ 'bounds of values',  'SELECT dp_bounds(weight) IS NOT NULL FROM people' ],
	[ 'filters',           'SELECT dp_count(*) FILTER (WHERE age < 30), dp_count(*) FROM people WHERE born > date \'1970-01-01\' AND NOT is_ill' ],
	[ 'public keys',       'SELECT sex, dp_count(*), dp_sum(age) FROM people GROUP BY sex ORDER BY 1' ],
	[ 'a boolean key',     'SELECT is_ill, dp_count(*) FROM people GROUP BY is_ill ORDER BY 1' ],
	[ 'keys of VALUES',    'SELECT v.r, dp_count(*) FROM (VALUES (0), (3), (99)) AS v (r) JOIN people AS p ON p.region = v.r GROUP BY v.r ORDER BY 1' ],
	[ 'private keys',      'SELECT region, dp_count(*) FROM people GROUP BY region ORDER BY 1' ],
	[ 'both kinds',        'SELECT sex, region, dp_count(*) FROM people GROUP BY sex, region ORDER BY 1, 2' ],
	[ 'grouping sets',     'SELECT sex, is_ill, dp_count(*) FROM people GROUP BY CUBE (sex, is_ill) ORDER BY 1, 2' ],
	[ 'bounded units',     'SELECT dp_count(*), dp_sum(cost) FROM visits' ],
	[ 'bounded by a key',  'SELECT ward, dp_count(*) FROM visits GROUP BY ward ORDER BY 1' ],
	[ 'another column',    'SELECT dp_count(*), dp_sum(amount, 0, 50) FROM bills' ],
	[ 'units that differ', 'SELECT dp_count(*) FROM (SELECT DISTINCT person FROM visits) AS v' ],
	[ 'a co-located join', 'SELECT dp_sum(v.cost, 0, 100) FROM people AS p JOIN visits AS v ON v.person = p.id WHERE p.age < 50' ],
	[ 'another join',      'SELECT dp_count(*) FROM bills AS b JOIN people AS p ON p.id = b.person WHERE p.is_ill' ],
	[ 'USING',             'SELECT dp_count(*) FROM bills JOIN visits USING (person)' ],
	[ 'a reference table', 'SELECT w.name, dp_sum(v.cost) FROM visits AS v JOIN wards AS w ON w.name = v.ward GROUP BY w.name ORDER BY 1' ],
	[ 'and its rows',      'SELECT dp_count(*) FROM visits AS v JOIN wards AS w ON w.name = v.ward WHERE w.beds > 15' ],
	[ 'a single shard',    'SELECT dp_sum(pay, 0, 2000), dp_count(*) FROM staff' ],
	[ 'rows as units',     'SELECT y, dp_count(*) FROM rows GROUP BY y ORDER BY 1' ],
	[ 'a protected view',  'SELECT dp_count(*) FROM adults WHERE region = 3' ],
	[ 'sub-queries',       'SELECT dp_sum(n, 0, 5) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) AS v' ],
	[ 'EXISTS',            'SELECT dp_count(*) FROM people AS p WHERE EXISTS (SELECT FROM visits AS v WHERE v.person = p.id AND v.cost > 80)' ],
	[ 'NOT IN',            'SELECT dp_count(*) FROM people AS p WHERE NOT EXISTS (SELECT FROM visits AS v WHERE v.person = p.id)' ],
	[ 'UNION ALL',         'SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT person FROM visits) AS u' ],
	[ 'window functions',  'SELECT dp_count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visits) AS v WHERE n = 1' ],
	[ 'WITH',              'WITH old AS (SELECT * FROM people WHERE age > 60) SELECT dp_count(*) FROM old' ],
	[ 'HAVING, ORDER BY',  'SELECT sex, dp_count(*) AS n FROM people GROUP BY sex HAVING dp_count(*) > 10 ORDER BY n DESC, 1' ],
	[ 'own aggregates',    'SELECT count(*), sum(age) FROM people' ],
	[ 'a private value',   'SELECT dp_count(*) FROM people WHERE age > (SELECT dp_median(age) FROM people WHERE id < 1500)' ],
	[ 'no rows',           'SELECT sex, dp_count(*) FROM people WHERE id < 0 GROUP BY sex ORDER BY 1' ]);

foreach (@questions)
{
	my ($what, $question) = @$_;
	my $answer = asked('spread', $question);

	unlike($answer, qr/ERROR/, "$what: answered");
	is($answer, asked('here', $question), "$what: as of local tables");
	is(states('spread', $question), states('here', $question), "$what: states") if $what ne 'a private value';
}

# How questions are asked.
foreach my $how (
	[ 'parameters', 'SELECT dp_count(*) FROM people WHERE age < $1 AND region = $2', 'PREPARE q (integer, integer) AS %s; ' . 'EXECUTE q (50, 3); EXECUTE q (10, 1); ' x 5 ],
	[ 'generic plans', 'SELECT sex, dp_sum(age) FROM people WHERE age < $1 GROUP BY sex ORDER BY 1', 'SET plan_cache_mode = force_generic_plan; PREPARE q (integer) AS %s; EXECUTE q (50); EXECUTE q (60); EXECUTE q (60)' ],
	[ 'cursors', 'SELECT region, dp_count(*) FROM people GROUP BY region ORDER BY 1', 'BEGIN; DECLARE c CURSOR FOR %s; FETCH 2 FROM c; FETCH ALL FROM c; COMMIT' ],
	[ 'held cursors', 'SELECT region, dp_count(*) FROM people GROUP BY region ORDER BY 1', 'BEGIN; DECLARE c CURSOR WITH HOLD FOR %s; COMMIT; FETCH ALL FROM c' ],
	[ 'transactions', 'SELECT dp_count(*) FROM visits', 'BEGIN; %1$s; SAVEPOINT s; %1$s; ROLLBACK TO s; COMMIT' ],
	[ 'functions', 'SELECT dp_count(*) FROM people', 'CREATE FUNCTION pg_temp.f() RETURNS bigint LANGUAGE plpgsql AS $f$ BEGIN RETURN (%s); END $f$; SELECT pg_temp.f()' ],
	[ 'stored answers', 'SELECT sex, dp_count(*) FROM people GROUP BY sex', 'CREATE TEMPORARY TABLE t AS %s; SELECT * FROM t ORDER BY 1' ],
	[ 'repeatable read', 'SELECT dp_count(*) FROM people', 'BEGIN ISOLATION LEVEL REPEATABLE READ; %s; COMMIT' ])
{
	my ($what, $question, $script) = @$how;
	my $answer = asked('spread', sprintf($script, $question));

	unlike($answer, qr/ERROR/, "$what: answered");
	is($answer, asked('here', sprintf($script, $question)), "$what: as of local tables");
}

# What is replayed, and what is shared, is the same answer.
my $once = "SET dp_noise.epsilon = 0.001; SELECT dp_count(*) FROM people";
is(asked('spread', $once), asked('spread', $once), 'a repeated question');
$citus->sql("SET ROLE owner; SELECT dp_noise.alter_population('spread', on_repeat => 'answer'), dp_noise.alter_population('here', on_repeat => 'answer')");
like(asked('spread', 'EXPLAIN SELECT dp_count(*) FROM people'), qr/DP Release/, 'EXPLAIN');
unlike(asked('spread', 'EXPLAIN SELECT dp_count(*) FROM visits'), qr/Citus|Task|shard/i, 'which shows nothing of nodes');
like(asked('spread', 'EXPLAIN ANALYZE SELECT dp_count(*) FROM visits'), qr/DP Release/, 'EXPLAIN ANALYZE');

# What is refused, before any charge.
my $spent = sub { $citus->sql("SELECT count(*) FROM dp_noise.ledger") };
my $before = $spent->();
like(asked('spread', 'SELECT dp_count(*) FROM rows AS a JOIN wards AS w ON w.beds < a.y'), qr/ERROR:  a join that may multiply the rows of a foreign or distributed table, where they are its privacy units,/, 'rows as units, multiplied');
like(asked('spread', 'SELECT name, (SELECT dp_count(*) FROM people) FROM wards'), qr/ERROR:  "wards", which Citus distributes, cannot be read or written beside a question/, 'distributed tables beside a question');
like(asked('spread', 'EXPLAIN ANALYZE SELECT name, (SELECT dp_count(*) FROM people) FROM wards'), qr/ERROR:  "wards", which Citus/, 'with EXPLAIN ANALYZE');
$citus->sql("GRANT CREATE ON SCHEMA spread TO ann; SET ROLE ann; CREATE TABLE spread.kept (n bigint); RESET ROLE; SELECT create_distributed_table('spread.kept', 'n')");
like(asked('spread', 'INSERT INTO kept SELECT dp_count(*) FROM people'), qr/ERROR:  "kept", which Citus/, 'written, too');
is($spent->(), $before, 'nothing of this is charged');

# Policies are followed on the coordinator, and not where they are forced.
$citus->sql(<<'EOS');
SET search_path = spread;
SET ROLE owner;
CREATE TABLE secret (id bigint PRIMARY KEY, x integer);
RESET ROLE;
SELECT create_distributed_table('secret', 'id');
INSERT INTO secret SELECT i, i % 10 FROM generate_series(1, 500) AS i;
SET ROLE owner;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_ann ON secret TO ann USING (x < 3);
SELECT dp_noise.protect('secret', 'id', population => 'spread');
EOS
is(asked('spread', 'SELECT dp_count(*) FROM secret'), '150', 'policies');
$citus->sql('SET ROLE owner; ALTER TABLE spread.secret FORCE ROW LEVEL SECURITY');
like(asked('spread', 'SELECT dp_count(*) FROM secret'), qr/ERROR:  "secret", which Citus distributes, has forced row-level security/, 'forced ones');
like($citus->said(0, 'owner', q{SELECT * FROM dp_noise.suggest('spread.visits')}), qr/ERROR:  nothing can be suggested for relation "visits", since Citus distributes it/, 'suggestions');

# Tables that Citus keeps by columns, on this server and distributed: the same answers, and
# of what it writes down about their parts, which has least and greatest values, nothing
# is shown.
$citus->sql('CREATE EXTENSION citus_columnar');
$citus->sql(<<'EOS');
SET search_path = spread;
SET ROLE owner;
CREATE TABLE by_columns (id bigint NOT NULL, x integer, t text) USING columnar;
CREATE TABLE by_columns_there (id bigint NOT NULL, x integer, t text) USING columnar;
RESET ROLE;
SELECT create_distributed_table('by_columns_there', 'id');
INSERT INTO by_columns SELECT i, i % 10, 't' || i % 3 FROM generate_series(1, 20000) AS i;
INSERT INTO by_columns_there SELECT * FROM by_columns;
SET ROLE owner;
SELECT dp_noise.protect('by_columns', 'id', max_rows_per_unit => 1, population => 'spread'), dp_noise.protect('by_columns_there', 'id', max_rows_per_unit => 1, population => 'spread');
EOS
foreach my $table ('by_columns', 'by_columns_there')
{
	is(asked('spread', "SELECT dp_count(*), dp_sum(x, 0, 9) FROM $table WHERE t = 't1' AND id > 100"), $citus->sql("SELECT count(*), sum(x) FROM spread.$table WHERE t = 't1' AND id > 100"), "by columns: $table");
	is(asked('spread', "SELECT b.t, dp_count(*) FROM $table AS b JOIN people AS p USING (id) GROUP BY b.t ORDER BY 1"), $citus->sql("SELECT b.t, count(*) FROM spread.$table AS b JOIN spread.people AS p USING (id) GROUP BY b.t ORDER BY 1"), 'in a join');
	like(asked('spread', "SELECT x FROM $table"), qr/permission denied|cannot be shown/, 'rows are kept back');
}
foreach my $catalogue ('columnar.stripe', 'columnar.chunk', 'columnar.chunk_group', 'columnar_internal.stripe', 'columnar_internal.chunk')
{
	like(asked('spread', "SELECT * FROM $catalogue"), qr/permission denied|\A\z/, "of parts: $catalogue");
}

# Other owners' tables: copies as ever.
$citus->sql(<<'EOS');
GRANT CREATE ON SCHEMA public TO other;
SET search_path = public;
SET ROLE other;
CREATE TABLE theirs (person bigint, x integer);
RESET ROLE;
SELECT create_distributed_table('theirs', 'person');
INSERT INTO theirs SELECT i, i % 10 FROM generate_series(1, 700) AS i;
SET search_path = spread; SET ROLE owner; SELECT dp_noise.allow_members('spread', 'other');
SET ROLE other; SELECT dp_noise.protect('public.theirs', 'person', max_rows_per_unit => 1, population => 'spread');
EOS
is(asked('spread', 'SELECT dp_sum(t.x, 0, 10) FROM theirs AS t JOIN people AS p ON p.id = t.person WHERE p.id <= 100'), '450', 'several owners');

$citus->stop;
done_testing();
