#!/usr/bin/perl
#
# Runs the queries of monitoring/ as a role that has pg_monitor alone: each column
# that an exporter names is there and fits its use, both exporters have the same
# metrics, and the alerts and the dashboard speak of no others.

use strict;
use warnings;

use CPAN::Meta::YAML;
use File::Basename qw(dirname);
use File::Temp;
use JSON::PP qw(decode_json);
use Test::More;

my $folder = dirname(__FILE__) . '/../../monitoring';

sub text_of
{
	my ($file) = @_;

	open(my $in, '<', "$folder/$file") or die "no $file: $!";
	local $/ = undef;
	return scalar <$in>;
}

sub yaml_of { return CPAN::Meta::YAML->read_string(text_of($_[0]))->[0] }

# What psql prints for a script, of JSON a row.
sub ask
{
	my ($script) = @_;

	my $file = File::Temp->new;
	print $file $script;
	close($file);
	open(my $psql, '-|', 'psql', '-XAtqv', 'ON_ERROR_STOP=1', '-d', 'monitored', '-f', $file->filename) or die "no psql: $!";
	my @lines = <$psql>;
	close($psql) or die "psql failed: $script";
	return map { decode_json($_) } grep { /^\{/ } @lines;
}

# The rows of a query as the exporter sees them.
sub rows_of
{
	my ($query) = @_;

	return ask("SET ROLE exporter; SELECT to_json(q) FROM ($query) AS q");
}

system('createdb', 'monitored') == 0 or die 'no database';
ask(<<'EOS');
CREATE EXTENSION dp_noise;
CREATE ROLE exporter;
CREATE ROLE watched;
GRANT pg_monitor TO exporter;
CREATE TABLE people (id integer PRIMARY KEY, age integer);
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('people', epsilon => 10);
SELECT dp_noise.set_budget('watched', 'people', epsilon => 4);
SET SESSION AUTHORIZATION watched;
SELECT count(*) FROM people;
SELECT count(*) FROM people;
SELECT count(*) FROM people WHERE age > 30;
EOS

##############################################################################
# pg_exporter

my $exporter = yaml_of('pg_exporter.yml');
my (%metrics, %queries);

foreach my $name (sort keys %$exporter)
{
	my $collector = $exporter->{$name};
	my @rows = rows_of($collector->{query});
	my %listed = map { %$_ } @{ $collector->{metrics} };

	($queries{ $name =~ s/^dp_noise_//r }) = $collector->{query};
	ok(scalar @rows, "$name has rows");
	is_deeply([ sort keys %listed ], [ sort keys %{ $rows[0] } ], "$name lists its columns");
	foreach my $column (sort keys %listed)
	{
		my $usage = $listed{$column}{usage};

		like($listed{$column}{description}, qr/\w/, "$name.$column is described");
		is(scalar(grep { ($_->{$column} // '') !~ ($usage eq 'LABEL' ? qr/\w/ : qr/^-?[0-9.e+-]+$/) } @rows), 0, "$name.$column as $usage");
		$metrics{"$collector->{name}_$column"} = $usage if $usage ne 'LABEL';
	}
}

my %spending = map { $_->{role} => $_ } rows_of($queries{spending});
my ($activity) = grep { $_->{datname} eq 'monitored' } rows_of($queries{activity});
is_deeply([ map { $spending{$_}{used} } qw(watched _grant) ], [ 0.5, 0.2 ], 'what is spent');
is_deeply([ map { $activity->{$_} } qw(charged repeated refused errors failed) ], [ 2, 1, 0, 0, 0 ], 'what was done');

##############################################################################
# sql_exporter

my $collector = yaml_of('sql_exporter.collector.yml');
my %same = map { $_->{query_name} => $_->{query} } @{ $collector->{queries} };
is_deeply(\%same, \%queries, 'both exporters run the same queries');
is_deeply({ map { $_->{metric_name} => uc $_->{type} } @{ $collector->{metrics} } }, \%metrics, 'and make the same metrics');
foreach my $metric (@{ $collector->{metrics} })
{
	my $name = "dp_noise_$metric->{query_ref}_$metric->{values}[0]";

	is($name, $metric->{metric_name}, "$name is named after its column");
}

##############################################################################
# Alerts and the dashboard

my $alerts = yaml_of('alerts.yml');
my $dashboard = decode_json(text_of('dashboard.json'));
my @expressions = ((map { $_->{expr} } map { @{ $_->{rules} } } @{ $alerts->{groups} }), map { $_->{expr} } map { @{ $_->{targets} } } @{ $dashboard->{panels} });
my %spoken;

foreach my $expression (@expressions)
{
	my @names = $expression =~ /\b(dp_noise_\w+)/g;

	ok(scalar @names, "a metric in: $expression");
	$spoken{$_}++ foreach @names;
}
is_deeply([ grep { !$metrics{$_} } sort keys %spoken ], [], 'no metrics but those that there are');
is_deeply([ grep { !/ rate\(|\(rate\(|increase\(/ } grep { /dp_noise_\w*_(?:charged|repeated|refused|errors|failed|seconds_waited)\b/ } @expressions ], [], 'counters are seen by their rates');

# Databases may have populations, and roles budgets, of the same names.
is_deeply([ grep { /\bby \((?!datname\b)/ } @expressions ], [], 'databases are told apart');

# Each panel says what it shows: in words, in a unit, by a name of each line. The workers
# have states.
foreach my $panel (@{ $dashboard->{panels} })
{
	my $defaults = $panel->{fieldConfig}{defaults};

	like($panel->{description}, qr/\.$/, "$panel->{title} is described");
	ok($defaults->{unit} || $defaults->{mappings}, "$panel->{title} has a unit or names of its values");
	is(scalar(grep { !$_->{legendFormat} } @{ $panel->{targets} }), 0, "$panel->{title} names its lines");
}

# The panels lie side by side.
my %places;
foreach my $panel (@{ $dashboard->{panels} })
{
	my $at = $panel->{gridPos};

	foreach my $x ($at->{x} .. $at->{x} + $at->{w} - 1)
	{
		$places{"$x $_"}++ foreach $at->{y} .. $at->{y} + $at->{h} - 1;
	}
	cmp_ok($at->{x} + $at->{w}, '<=', 24, "$panel->{title} is on the page");
}
is(scalar(grep { $_ > 1 } values %places), 0, 'no panel covers another');

done_testing();
