# Neighbours: databases that differ in protected rows and should look the same
# to an analyst.
#
#   my $pair = Neighbours->new('name', settings => '...', setup => 'SQL');
#   my ($out, $err, $log) = $pair->look_alike($script, 'what is tested');
#
# "near", "neighbour" (one extreme row, and one extreme unit, more) and "far" (ten times as many) are
# on one server, which logs what can be logged; the analyst is dp_ann, the
# owner "own". setup: run in "near" before it is copied.

package Neighbours;

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our $canary = 'canary7531';

# The settings with which an analyst sees most.
our $loud = <<'EOS';
SET client_min_messages = log;
SET debug_print_plan = on;
SET debug_print_parse = on;
SET debug_print_rewritten = on;
SET debug_pretty_print = on;
EOS

# Questions whose answers do not show: what is around them does.
our @questions = (
	'dp_count(*) IS NULL FROM patients',
	'dp_count(*) IS NULL FROM patients WHERE age > 100',
	'dp_count(*) IS NULL FROM patients WHERE id = 5000',

	# a plan that scans an index leaves out what its condition implies
	"dp_count(*) IS NULL FROM patients WHERE age > 88 AND (age > 3 OR upper(name) = 'nobody7531')",
	"dp_count(*) IS NULL FROM patients WHERE name = 'nobody7531'",
	'dp_sum(age, 0, 120) IS NULL, dp_mean(bmi, 0, 50) IS NULL FROM patients WHERE age >= 5',
	'dp_mean(weight, 0, 50) IS NULL, dp_max(bmi, 0, 10) IS NULL, dp_min(weight, 0, 10) IS NULL FROM patients',
	'dp_median_exp(bmi, 0, 10) IS NULL, dp_quantile_exp(age, 0.9, 0, 1000) IS NULL FROM patients WHERE bmi > 20',
	'dp_median_exp(weight, 0, 10) IS NULL FROM patients WHERE id < 4000',
	'dp_quantiles_exp(bmi, ARRAY[0.1, 0.9], 0, 10) IS NULL, dp_bounds(weight) IS NULL FROM patients WHERE age > 100',
	'age > 100, dp_count(*) IS NULL FROM patients GROUP BY age > 100',
	'city, bmi > 39, dp_sum(age, 0, 120) IS NULL, dp_median_exp(bmi, 0, 10) IS NULL FROM patients WHERE age > 100 GROUP BY city, bmi > 39',
	'dp_count(*) IS NULL, dp_mean(weight, 0, 50) IS NULL, dp_count_distinct(person) IS NULL FROM visits',
	'kind, dp_count(*) IS NULL, dp_sum(weight, 0, 50) IS NULL, dp_median_exp(weight, 0, 10) IS NULL FROM visits GROUP BY kind',
	'kind, dp_quantiles_exp(weight, ARRAY[0.1, 0.9], 0, 10) IS NULL, dp_bounds(weight) IS NULL FROM visits GROUP BY kind',
	'kind, dp_max(weight, 0, 10) IS NULL FROM visits WHERE person >= 5000 GROUP BY kind',
	# people's groups, joined in an order that follows their numbers
	'dp_count(*) IS NULL FROM (SELECT person, count(*) AS n FROM visits GROUP BY person, kind, weight) AS v JOIN (SELECT person, count(*) AS n FROM calls GROUP BY person, kind) AS c ON v.person = c.person',

	# in the server's own aggregates, and keys alone
	'count(*) IS NULL, count(bmi) IS NULL, sum(CASE WHEN age > 100 THEN 1 ELSE 0 END) IS NULL FROM patients WHERE bmi > 20',
	'age > 100, count(*) IS NULL, count(*) FILTER (WHERE bmi > 39) IS NULL FROM patients GROUP BY 1',
	'n IS NULL FROM (SELECT age > 100, count(*) AS n FROM patients GROUP BY 1) AS s',
	'DISTINCT age > 100 FROM patients WHERE id = 5000',
	'name FROM patients WHERE age > 100 GROUP BY name',
	'* FROM patients WHERE age > 100 LIMIT 0',

	# groups of one unit each, none of which shows: at delta 10^-15 all 10^4 of them together with 10^-11
	'name, dp_count(*) IS NULL FROM patients GROUP BY name',
	'name, age > 100, weight, dp_mean(bmi, 0, 50) IS NULL FROM patients GROUP BY name, age > 100, weight',
	'person + 0, dp_sum(weight, 0, 50) IS NULL, dp_count_distinct(person) IS NULL FROM visits GROUP BY 1',
	'dp_count(*) IS NULL, dp_mean(size, 0, 10) IS NULL FROM patients JOIN dp_ann.ages ON ages.id = age WHERE age > 100',
	'kept, dp_sum(size, 0, 50) IS NULL FROM patients LEFT JOIN dp_ann.ages ON ages.id = age GROUP BY kept',
	'dp_count(*) IS NULL, dp_max(size, 0, 10) IS NULL FROM visits, dp_ann.ages WHERE ages.id = person AND NOT kept',
);

sub new
{
	my ($class, $name, %more) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init;
	$node->append_conf('postgresql.conf', <<'EOC' . ($more{settings} // ''));
shared_preload_libraries = 'pg_stat_statements, auto_explain, dp_noise'
dp_noise.empty_groups = show
pg_stat_statements.track = all
pg_stat_statements.track_planning = on
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_wal = on
auto_explain.log_verbose = on
auto_explain.log_settings = on
auto_explain.log_triggers = on
auto_explain.log_timing = off
auto_explain.log_nested_statements = on
log_statement = all
log_temp_files = 0
log_checkpoints = off
log_min_messages = log
log_line_prefix = '%b: '
max_worker_processes = 16
max_prepared_transactions = 4
autovacuum = off
fsync = off
dp_noise.choose_bounds = 0
EOC
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE own; CREATE ROLE dp_ann LOGIN; CREATE DATABASE near; ALTER ROLE dp_ann SET dp_noise.delta = 1e-15');

	# the analyst's sessions are what is compared
	$node->safe_psql('postgres', 'ALTER ROLE CURRENT_USER SET auto_explain.log_min_duration = -1; ALTER ROLE CURRENT_USER SET log_statement = none;');
	$node->safe_psql('near', <<'EOS' . ($more{setup} // ''));
CREATE EXTENSION dp_noise;
CREATE EXTENSION pg_stat_statements;
GRANT CREATE ON SCHEMA public TO own;
CREATE SCHEMA dp_ann AUTHORIZATION dp_ann;
SET ROLE own;
CREATE TABLE patients (id integer PRIMARY KEY, age integer NOT NULL, bmi double precision, weight numeric, name text, city text COLLATE "C");
INSERT INTO patients SELECT i, i % 90, i % 40, i % 100, 'name' || i, 'city' FROM generate_series(1, 1000) AS i;
CREATE INDEX ON patients (age);
CREATE TABLE wide (id integer, x double precision);
INSERT INTO wide SELECT i, i % 1000 FROM generate_series(1, 100000) AS i;
CREATE TABLE visits (person integer, kind text COLLATE "C", weight numeric);
INSERT INTO visits SELECT i % 300, 'kind' || i % 3, i % 100 FROM generate_series(1, 1000) AS i;
CREATE TABLE calls (person integer, kind text COLLATE "C");
INSERT INTO calls SELECT i % 1000, 'kind' || i / 1000 FROM generate_series(1, 3000) AS i;
RESET ROLE;
SET ROLE dp_ann;
CREATE TABLE dp_ann.ages (id integer PRIMARY KEY, size integer, kept boolean, filler text);
INSERT INTO dp_ann.ages SELECT i, i % 50, i % 2 = 0, repeat('x', 500) FROM generate_series(0, 5000) AS i WHERE i < 199 OR i = 5000;
RESET ROLE;
SELECT dp_noise.protect(r, epsilon => 1e6, delta => 1) FROM unnest('{patients,wide}'::regclass[]) AS r;
SELECT dp_noise.protect('visits', privacy_unit => 'person', max_rows_per_unit => 3, max_groups_per_unit => 2, epsilon => 1e6, delta => 1),
	dp_noise.set_values('visits', 'kind', '{kind0,kind1,kind2,kind3}'), dp_noise.set_values('patients', 'city', '{city,elsewhere}');
SELECT dp_noise.protect('calls', privacy_unit => 'person', max_rows_per_unit => 3, epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('dp_ann', r::text, 1000000, delta => 0.001) FROM unnest('{patients,wide,visits,calls}'::regclass[]) AS r;
EOS
	$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE near") foreach qw(neighbour far);
	my $extreme = "SELECT dp_noise.accept_timeline(); INSERT INTO patients VALUES (5000, 119, 'Infinity', 'NaN', '$canary', '$canary')";
	my $unit = "INSERT INTO visits SELECT %s, 'kind' || i %% 5, 'NaN' FROM generate_series(1, %s) AS i";
	$node->safe_psql('neighbour', "$extreme; " . sprintf $unit, 5000, 700);
	$node->safe_psql('far', "$extreme; " . sprintf($unit, 'NULLIF(5000 + i % 900, 5007)', 20000) . "; INSERT INTO patients SELECT i, i % 120, i, i, 'x' || i, '$canary' FROM generate_series(6000, 15999) AS i");
	$node->safe_psql($_, 'VACUUM ANALYZE') foreach databases();
	return bless { node => $node }, $class;
}

sub databases { return qw(near neighbour far) }
sub node { return $_[0]->{node} }

# The questions as statements, each after the prefix.
sub asked
{
	my ($prefix) = @_;
	return join '', map { "${prefix}SELECT $_;\n" } @questions;
}

# Removes what differs for other reasons: times, numbers of transactions.
sub plain
{
	my ($text) = @_;

	unlike($text, qr/$canary/, 'no protected value in output or log') if $text =~ /$canary/;
	for ($text)
	{
		s/duration: [\d.]+ ms/duration/g;
		s/CPU: user: [\d.]+ s, system: [\d.]+ s, elapsed: [\d.]+ s/CPU/g; # trace_sort
		s/(Planning|Execution)( Time"?: )[\d.]+( ms)?/$1$2/g;
		s/psql:[^ ]*:\d+: //g;
		s/Query Identifier: -?\d+/Query Identifier/g; # of numbers of new tables
		s{xid/sub(x?)id/cid: [0-9/]+}{xid/subxid/cid}g;
	}
	return $text;
}

# Runs a script as the analyst: what psql shows, and what the server logs.
sub observe
{
	my ($self, $database, $script) = @_;

	return $self->watch(sub {
		my ($out, $err);

		$self->node->psql($database, $script, extra_params => [ '-U', 'dp_ann' ], stdout => \$out, stderr => \$err,
			on_error_stop => 0);
		return ($out, $err);
	});
}

# What a function returns, and what the server logs meanwhile.
sub watch
{
	my ($self, $function) = @_;
	my $offset = -s $self->node->logfile;
	my @shown = $function->();

	# without what the ledger worker says of its own tables, and how many dead
	# rows the counters' views met in the catalogs
	my $log = join '', grep { !/^dp_noise ledger worker: |Query Text: [^\n]*counters/ }
		split /^(?=[a-z][a-z_ ]+: [A-Z0-9]+: )/m, slurp_file($self->node->logfile, $offset);

	return map { plain($_) } @shown, $log;
}

# Two texts are equal; if not, shows the first lines that differ.
sub same
{
	my ($got, $want, $name) = @_;
	my @got = split /\n/, $got;
	my @want = split /\n/, $want;
	my $passed = ok($got eq $want, $name);

	for (my $i = 0; !$passed && ($i < @got || $i < @want); $i++)
	{
		next if ($got[$i] // '') eq ($want[$i] // '');
		diag("line $i:\n   ", $got[$i] // '(none)', "\ninstead of:\n   ", $want[$i] // '(none)');
		last;
	}
	return $passed;
}

# The same script in all three databases. without: what differs for reasons that
# have nothing to do with protected rows.
sub look_alike
{
	my ($self, $script, $name, %more) = @_;

	return $self->alike(sub {
		my @shown = $self->observe($_[0], $script);

		if (defined $more{without})
		{
			s/$more{without}//g foreach @shown;
		}
		return @shown;
	}, $name);
}

# The same function of a database, which returns what watch does.
sub alike
{
	my ($self, $function, $name) = @_;
	my @near = $function->('near');

	foreach my $database (qw(neighbour far))
	{
		my @other = $function->($database);

		same($other[0], $near[0], "$name: output in $database");
		same($other[1], $near[1], "$name: messages in $database");
		same($other[2], $near[2], "$name: log in $database");
	}
	return @near;
}

1;
