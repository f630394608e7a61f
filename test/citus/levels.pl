# What the nodes of Citus compute of questions: the levels that EXPLAIN says, the same
# answers and states as of local tables, and what is sent.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use Test::More;

my $citus = CitusCluster->new('levels', "log_statement = all\nlog_min_messages = log");

$citus->sql(<<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE ann LOGIN;
CREATE SCHEMA spread AUTHORIZATION owner;
CREATE SCHEMA here AUTHORIZATION owner;
GRANT USAGE ON SCHEMA spread, here TO PUBLIC;
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EOS

# Sessions of the owner on nodes may read texts in other ways.
$citus->on($_, q{ALTER ROLE owner SET DateStyle = 'SQL, DMY'; ALTER ROLE owner SET standard_conforming_strings = off; ALTER ROLE owner SET extra_float_digits = -10; ALTER ROLE owner SET IntervalStyle = sql_standard; ALTER ROLE owner SET TimeZone = 'Asia/Tokyo'}) foreach 1, 2;

foreach my $schema ('here', 'spread')
{
	my $distribute = $schema eq 'here' ? '' : q{SELECT create_distributed_table('people', 'id'), create_distributed_table('visits', 'person', colocate_with => 'people'), create_distributed_table('bills', 'number'), create_distributed_table('none', 'id'), create_distributed_table('texts', 'id'), create_reference_table('refs')};

	$citus->sql(<<"EOS");
SET search_path = $schema, public;
SET ROLE owner;
CREATE TABLE people (id bigint PRIMARY KEY, s smallint, i integer, b bigint, r real, d double precision, n numeric, t text, v varchar(20), born date, at timestamptz, is_ill boolean, region integer);
CREATE TABLE visits (number bigint, person bigint NOT NULL, cost integer, weight double precision, big bigint, ward text);
CREATE TABLE bills (number bigint, person bigint, amount integer, ward text);
CREATE TABLE refs (id bigint PRIMARY KEY, x integer, y double precision);
CREATE TABLE none (id bigint PRIMARY KEY, i integer);
CREATE TABLE texts (id bigint PRIMARY KEY, name text COLLATE caseless);
RESET ROLE;
$distribute;
INSERT INTO people SELECT i, CASE WHEN i % 13 > 0 THEN i % 50 - 20 END, CASE i % 40 WHEN 0 THEN NULL WHEN 1 THEN 2147483647 WHEN 2 THEN -2147483648 ELSE i % 101 - 7 END, CASE i % 50 WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808 ELSE i * 1000003 END,
	CASE i % 60 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' ELSE i * 0.37 END, CASE i % 70 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN 1e308 ELSE i / 7.0 END,
	CASE i % 80 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 1e300 ELSE i / 100.0 END, CASE i % 5 WHEN 0 THEN E'o''b\\\\c' WHEN 1 THEN NULL ELSE 't' || i % 7 END, 'v' || i % 3, date '1950-02-03' + i * 37 % 20000, timestamptz '2024-01-01 00:00+00' + i * interval '7 minutes', i % 11 = 0, i % 7
	FROM generate_series(1, 1500) AS i;
INSERT INTO visits SELECT i, i % 700 * 3, CASE WHEN i % 17 > 0 THEN i % 89 - 5 END, CASE WHEN i % 19 = 0 THEN 'NaN' ELSE i / 7.0 END, i * 100000, 'ward' || i % 5 FROM generate_series(1, 3000) AS i;
INSERT INTO visits SELECT 10000 + i, 5, 88, 3, 7, 'ward1' FROM generate_series(1, 40) AS i;
INSERT INTO bills SELECT i, CASE WHEN i % 23 > 0 THEN i % 800 END, i % 43, 'ward' || i % 3 FROM generate_series(1, 2000) AS i;
INSERT INTO refs SELECT i, i % 9, i / 3.0 FROM generate_series(1, 400) AS i;
INSERT INTO texts SELECT i, (ARRAY['a', 'A', 'b'])[i % 3 + 1] FROM generate_series(1, 300) AS i;
SET ROLE owner;
SELECT dp_noise.create_population('$schema', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('people', 'id', population => '$schema'), dp_noise.protect('none', 'id', population => '$schema'), dp_noise.protect('texts', 'id', population => '$schema'), dp_noise.protect('refs', 'id', population => '$schema');
SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 3, max_groups_per_unit => 3, population => '$schema');
SELECT dp_noise.protect('bills', 'person', max_rows_per_unit => 2, max_groups_per_unit => 3, population => '$schema');
SELECT dp_noise.set_budget('ann', '$schema', 1e13, delta => 1);
EOS
}

my $settings = 'SET extra_float_digits = 0; SET dp_noise.epsilon = 1000000; SET dp_noise.delta = 0.001;';

sub asked
{
	my ($schema, $question) = @_;
	return $citus->as('ann', "$settings SET search_path = $schema, public; $question");
}

sub level
{
	my ($question) = @_;
	return join ' ', asked('spread', "EXPLAIN $question") =~ /Computed on Nodes: .*\(level (\d)\)/g;
}

sub states
{
	my ($schema, $question) = @_;
	return $citus->sql("SET search_path = $schema, public; SELECT s FROM dp_noise.true_states(\$q\$$question\$q\$) AS s ORDER BY 1");
}

# Level, question; with true states where units may have several rows.
foreach (
	# rows are units
	[ 2, 'SELECT dp_count(*) FROM people' ],
	[ 2, 'SELECT dp_count(i), dp_count(d), dp_count(t) FROM people' ],
	[ 2, 'SELECT dp_count(*) FILTER (WHERE region = 3), dp_sum(i, 0, 50) FILTER (WHERE is_ill) FROM people' ],
	[ 2, 'SELECT dp_sum(s, -10, 20), dp_sum(i, -3, 50), dp_sum(b, -100, 100) FROM people' ],
	[ 2, 'SELECT dp_sum(b, -1000000000000, 1000000000000), dp_sum(i, 0, 2000000000) FROM people' ],
	[ 2, 'SELECT round(dp_mean(s, -10, 20), 3), round(dp_mean(i, 1.5, 50.5), 3), round(dp_mean(b, 1000, 1000000), 1) FROM people' ],
	[ 2, 'SELECT round(dp_sum(r, -5, 60)), round(dp_sum(d, 0, 60)::numeric, 1), round(dp_sum(n, -1, 10), 1) FROM people' ],
	[ 2, 'SELECT round(dp_mean(r, 1, 60)::numeric, 2), round(dp_mean(d, -1, 60)::numeric, 3), round(dp_mean(n, 0.5, 10), 3) FROM people' ],
	[ 2, 'SELECT region, dp_count(*), dp_sum(i, 0, 50) FROM people GROUP BY region ORDER BY 1' ],
	[ 2, 'SELECT t, v, dp_count(*) FROM people GROUP BY t, v ORDER BY 1, 2' ],
	[ 2, 'SELECT is_ill, dp_mean(i, 0, 50) IS NULL, dp_count(*) FROM people GROUP BY is_ill ORDER BY 1' ],
	[ 2, 'SELECT is_ill, region, dp_count(*) FROM people GROUP BY CUBE (is_ill, region) ORDER BY 1, 2', 4 ],
	[ 1, 'SELECT v.r, dp_count(*) FROM (VALUES (0), (3), (99)) AS v (r) JOIN people AS p ON p.region = v.r GROUP BY v.r ORDER BY 1', 0 ],
	[ 2, q{SELECT dp_count(*) FROM people WHERE born > date '1970-03-04' AND t = 't3' AND d < 180.25 AND n > 0.125} ],
	[ 1, q{SELECT dp_count(*) FROM people WHERE t = E'o''b\\\\c' AND region < 4} ],
	[ 2, q{SELECT dp_count(*) FROM people WHERE born BETWEEN '1960-12-11' AND '1990-11-12' OR region IN (1, 2) OR v = 'v1'} ],
	[ 2, 'SELECT dp_count(*) FROM people WHERE NOT is_ill AND i IS NOT NULL AND (CASE WHEN i < 5 THEN is_ill ELSE region < 4 END)' ],
	[ 2, 'SELECT i < 10, dp_count(*) FROM people GROUP BY 1 ORDER BY 1' ],
	[ 2, 'SELECT CASE WHEN region < 3 THEN 1 WHEN region < 5 THEN 2 ELSE 3 END AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1' ],
	[ 2, 'SELECT dp_count(*), dp_sum(i, 0, 10) FROM none' ],
	[ 2, 'SELECT i > 0, dp_count(*) FROM none GROUP BY 1 ORDER BY 1' ],
	[ 2, 'SELECT count(*), sum(i) FROM (SELECT i FROM people WHERE i BETWEEN 0 AND 50) AS x' ],
	[ 2, 'SELECT region, dp_count(*) FROM people WHERE region IN (1, 3) GROUP BY region HAVING dp_count(*) > 10 ORDER BY 1' ],
	[ 1, 'SELECT dp_median(i, 0, 100), dp_quantile_exp(i, 0.9, 0, 100) FROM people WHERE id < 1500' ],
	[ 1, 'SELECT s, dp_max(s, 0, 4), dp_median(s, 0, 4) FROM people WHERE s IN (1, 2) GROUP BY s ORDER BY 1' ],
	[ 1, 'SELECT is_ill, dp_max(i, 0, 100), dp_sum(i, 0, 100) FROM people GROUP BY is_ill ORDER BY 1' ],
	[ 1, 'SELECT dp_min(b, -100, 100), dp_max(b, -100, 100), dp_count(*) FROM people' ],
	[ 1, 'SELECT dp_count_distinct(region), dp_count_distinct(t) FROM people' ],
	[ 1, 'SELECT region, dp_count_distinct(t) FROM people GROUP BY region ORDER BY 1' ],
	[ 1, 'SELECT round(dp_variance(i, 0, 50), 1), dp_count(*) FROM people' ],
	[ 1, 'SELECT dp_median(d, 0, 100) > 90 FROM people' ],
	[ 1, 'SELECT dp_bounds(s) IS NOT NULL FROM people' ],
	[ 2, q{SELECT dp_count(*) FROM people WHERE at > timestamptz '2024-01-03 12:00+02'} ],
	[ 1, 'SELECT dp_count(*) FROM people WHERE i + 1 < 10' ],
	[ 1, 'SELECT dp_sum(i * 2, 0, 50) FROM people' ],
	[ 1, q{SELECT dp_count(*) FROM people WHERE length(t) < 3 AND region < 5} ],

	# units have several rows, all of them on one node
	[ 3, 'SELECT dp_count(*) FROM visits', 1 ],
	[ 3, 'SELECT dp_count(*), dp_count(cost), dp_count(*) FILTER (WHERE cost > 40) FROM visits', 1 ],
	[ 3, 'SELECT dp_sum(cost, -3, 50), dp_sum(cost, 10, 20), dp_sum(big, -100, 100000) FROM visits', 1 ],
	[ 3, 'SELECT round(dp_mean(cost, -3, 50), 3), round(dp_mean(cost, 7, 60), 3) FROM visits', 1 ],
	[ 3, 'SELECT dp_mean(cost, 0, 50), dp_sum(cost, 0, 50) FROM visits WHERE cost > 500', 1 ],
	[ 3, q{SELECT dp_count(*), dp_sum(cost, 0, 100) FROM visits WHERE ward = 'ward1' AND cost < 60}, 1 ],
	[ 2, 'SELECT round(dp_sum(weight, 0, 60)), round(dp_mean(weight, 1, 60)::numeric, 2) FROM visits', 1 ],
	[ 2, 'SELECT dp_sum(big, 0, 1000000000) FROM visits', 1 ],
	[ 2, 'SELECT cost > 40, dp_count(*), dp_sum(cost, 0, 50) FROM visits GROUP BY 1 ORDER BY 1', 1 ],
	[ 1, 'SELECT dp_median(cost, 0, 100) IS NOT NULL FROM visits', 0 ],
	[ 1, 'SELECT dp_count_distinct(ward) FROM visits', 1 ],
	[ 1, 'SELECT round(dp_variance(cost, 0, 50), 1) FROM visits', 1 ],

	# or on several
	[ 2, 'SELECT dp_count(*), dp_sum(amount, 5, 30), round(dp_mean(amount, 5, 30), 3) FROM bills', 1 ],
	[ 2, 'SELECT ward, dp_count(*) FROM bills GROUP BY ward ORDER BY 1', 1 ],
	[ 2, 'SELECT dp_count(*) FILTER (WHERE amount < 10) FROM bills WHERE ward <> \'ward2\'', 1 ],

	# several relations, and one twice
	[ 1, 'SELECT dp_sum(v.cost, 0, 100) FROM people AS p JOIN visits AS v ON v.person = p.id WHERE p.region = 2 AND v.cost > 20', 1 ],
	[ 1, 'SELECT dp_count(*) FROM people AS p LEFT JOIN visits AS v ON v.person = p.id WHERE p.is_ill AND v.cost IS NULL', 1 ],
	[ 1, 'SELECT dp_count(*) FROM people AS p WHERE p.region < 3 AND EXISTS (SELECT FROM visits AS v WHERE v.person = p.id AND v.cost > 70)' ],
	[ 1, 'SELECT dp_count(*) FROM visits AS v JOIN bills AS b USING (person)', 1 ],
	[ 2, 'SELECT dp_sum(n, 0, 5) FROM (SELECT person, count(*) AS n FROM visits WHERE cost > 3 GROUP BY person) AS v' ],
	[ 1, 'SELECT dp_count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY number) AS n FROM visits WHERE cost > 3) AS v WHERE n = 2' ],
	[ 1, 'SELECT dp_count(*) FROM (SELECT id FROM people WHERE region = 1 UNION ALL SELECT person FROM visits) AS u', 1 ],

	# a reference table
	[ 2, 'SELECT x, dp_count(*), round(dp_sum(y, 0, 100)) FROM refs WHERE y > 3 GROUP BY x ORDER BY 1' ],
	[ 1, 'SELECT dp_median(x, 0, 10), dp_count_distinct(x) FROM refs WHERE x > 3' ],

	# equal texts that are different
	[ 2, q{SELECT dp_count(*) FROM texts WHERE name = 'a' COLLATE "C"} ],
)
{
	my ($level, $question, $more) = @$_;
	my $levels = $question =~ /CUBE/ ? join(' ', ($level) x $more) : $level;
	my $answer = asked('spread', $question);

	is(level($question), $levels, "level $levels: $question");
	unlike($answer, qr/ERROR/, 'answered');
	is($answer, asked('here', $question), 'as of a local table');
	is(states('spread', $question), states('here', $question), 'states') if $more && $question !~ /CUBE/;
}

# Bounds and caps that are chosen, parameters, values that are found first.
foreach my $script (
	'SET dp_noise.choose_bounds = 0.5; SELECT dp_sum(i) BETWEEN 1000 AND 1e12 FROM people WHERE i BETWEEN 0 AND 100',
	'PREPARE q (text, date) AS SELECT dp_count(*), dp_sum(i, 0, 50) FROM people WHERE t = $1 AND born < $2; EXECUTE q (E\'o\\\'b\\\\c\', \'1999-01-01\'); EXECUTE q (\'t3\', \'1980-12-11\'); EXECUTE q (NULL, \'1980-12-11\')',
	'PREPARE q (integer) AS SELECT dp_count(*) FROM people WHERE region = $1; ' . 'EXECUTE q (3); EXECUTE q (4); ' x 4,
	'PREPARE q (integer) AS SELECT region, dp_sum(i, 0, $1) FROM people WHERE i < 90 GROUP BY region ORDER BY 1; SET plan_cache_mode = force_generic_plan; EXECUTE q (50); EXECUTE q (60)',
	'SELECT dp_count(*) FROM people WHERE region < (SELECT 3)',
	'SELECT dp_count(*) FROM people WHERE i < (SELECT dp_median(i, 0, 100) FROM people WHERE id < 1500)')
{
	my $answer = asked('spread', $script);

	unlike($answer, qr/ERROR/, $script);
	is($answer, asked('here', $script), 'as of a local table');
}

# Texts that would end elsewhere in a session without standard_conforming_strings are
# not sent: what follows would be a statement with the owner's rights.
is(asked('spread', q{SELECT dp_count(*) FROM people WHERE t = '\\'' OR true); CREATE TABLE spread.hole (); -- '}), 0, 'a text with a backslash');
is($citus->on($_, q{SELECT to_regclass('spread.hole') IS NULL}), 't', 'is no statement there') foreach 1, 2;

# Parameters are known in custom plans, and not in generic ones.
foreach ([ 'auto', 2 ], [ 'force_generic_plan', 1 ])
{
	my ($mode, $level) = @$_;

	like(asked('spread', "SET plan_cache_mode = $mode; PREPARE q (integer, integer) AS SELECT dp_sum(i, 0, \$2) FROM people WHERE region = \$1; EXPLAIN EXECUTE q (3, 50)"), qr/\(level $level\)/, "parameters: $mode");
}

# Where sessions of the owner may find others' functions first, only columns are read.
$citus->sql('ALTER ROLE owner SET search_path = public, pg_catalog');
is(level('SELECT dp_count(*) FROM people WHERE region = 3'), 0, 'a search_path with pg_catalog last');
is(level('SELECT dp_count(*) FROM people AS p JOIN visits AS v ON v.person = p.id WHERE p.region = 3'), 0, 'the same of a join');
is(asked('spread', 'SELECT dp_count(*) FROM people WHERE region = 3'), asked('here', 'SELECT dp_count(*) FROM people WHERE region = 3'), 'which is answered');
$citus->sql('ALTER ROLE owner RESET search_path');
is(level('SELECT dp_count(*) FROM people WHERE region = 3'), 2, 'the default');

# What is sent: the server's own functions, and no values that other questions found.
my $log = $citus->worker(1)->logfile;
my $size = -s $log;

asked('spread', q{SELECT dp_count(*) FROM people WHERE region = 4 AND i < (SELECT dp_median(i, 0, 100) FROM people WHERE id < 1500) AND lower(t) = 't1'});
my $sent = PostgreSQL::Test::Utils::slurp_file($log, $size);
like($sent, qr/\(\(region OPERATOR\(pg_catalog\.=\) 4\) IS TRUE\)/, 'a condition is sent, as one that no index is used for');
unlike($sent, qr/lower|'t1'|i OPERATOR/, 'not one that depends on a locale, nor on an answer');
$size = -s $log;
asked('spread', q{SET DateStyle = German; SELECT dp_sum(d, 0, 60) FROM people WHERE born > date '1970-03-04'});
$sent = PostgreSQL::Test::Utils::slurp_file($log, $size);
like($sent, qr/'1970-03-04'::date/, 'dates are sent in one style');
like($sent, qr/sum\(dp_noise\.grid_point\(d, /, 'points are added up');
unlike($sent, qr/dp_noise\.(?!grid_point|fails_on_node)/, 'no noise is drawn there');

$citus->stop;
done_testing();
