# Random queries by an analyst, against the library with its assertions: no
# process crashes, no assertion fails, and no value of a protected table stands
# in what the analyst or the server's log sees.
#
# FUZZ_SECONDS makes it longer. Random queries seldom ask a private question, so
# half of the time is for a view and functions of the analyst that do.
#
# Takes long: 41 seconds of processor time without its servers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IPC::Run;
use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $node = LedgerCluster->new('sqlsmith', <<'EOC');
log_min_error_statement = panic
log_error_verbosity = verbose
max_worker_processes = 16
fsync = off
EOC

$node->use_library('assert');
like(slurp_file("/proc/" . $node->{_pid} . "/maps"), qr{build/assert/dp_noise}, 'the library with its assertions') if -e '/proc/self/maps';

# Canaries: numbers and texts that no query makes up.
$node->safe_psql('postgres', <<'EOS');
ALTER ROLE dp_ann SET statement_timeout = '2s';
CREATE SCHEMA own AUTHORIZATION dp_ann;
CREATE TYPE region AS ENUM ('north', 'south', 'west');
CREATE TABLE public.patients (id integer PRIMARY KEY, age integer NOT NULL, bmi double precision, weight numeric, name text, smoker boolean, region region);
INSERT INTO public.patients
SELECT 778801000 + i, 778802000 + i, 778803000.5 + i, 778804000.25 + i, 'canary' || i, i % 2 = 0, 'south'
FROM generate_series(1, 200) AS i;
CREATE TABLE public.numbers AS SELECT generate_series(1, 20) AS x;
GRANT SELECT ON public.numbers TO PUBLIC;
VACUUM ANALYZE;
SELECT dp_noise.protect('public.patients', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'public.patients', 1e12, delta => 1);
SET SESSION AUTHORIZATION dp_ann;
CREATE VIEW own.answers AS SELECT dp_count(*) AS n, dp_mean(age, 0, 1000) AS m, dp_max(bmi, 0, 100) AS x FROM patients WHERE smoker;
CREATE FUNCTION own.over(integer) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.patients WHERE age > $1';
CREATE FUNCTION own.rows() RETURNS TABLE (n bigint, s bigint) LANGUAGE sql STABLE AS 'SELECT dp_count(*), dp_sum(age, 0, 10) FROM public.patients';
CREATE VIEW own.inlined AS SELECT * FROM own.rows();
EOS

my $log = -s $node->logfile;
my $output = '';
my $target = sprintf('host=%s port=%d dbname=postgres user=dp_ann', $node->host, $node->port);
sub charges { return $node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise.ledger') }

sub smith
{
	my (@extra) = @_;
	my $seed = int(rand(2**31));

	note("sqlsmith --seed=$seed @extra");
	IPC::Run::run([ 'timeout', int($seconds / 2) + 1, 'sqlsmith', "--target=$target", '--verbose', "--seed=$seed", @extra ],
		'<', \undef, '>>', \$output, '2>>', \$output);
	return;
}

# The second again where the machine was too busy for a private question.
smith();
smith('--exclude-catalog');
foreach (1 .. 10)
{
	last if charges() > 0;
	smith('--exclude-catalog');
}

$log = slurp_file($node->logfile, $log);
my $errors = () = $log =~ /ERROR: /g;
cmp_ok($errors, '>', 0, "random queries came to the server, with $errors errors");
my $charges = charges();
cmp_ok($charges, '>', 0, "$charges private questions were answered");

# Error messages quote no query here, so a canary can only be a row's.
foreach ([ $output, 'the analyst' ], [ $log, 'the log' ])
{
	my @canaries = $_->[0] =~ /^.*(?:77880[1-4][0-9]{3}|canary[0-9]).*$/mg;
	is(scalar @canaries, 0, "no protected value is seen by $_->[1]") or diag(join("\n", @canaries[ 0 .. 4 ]));
}
unlike($log, qr/terminated by signal|PANIC: |TRAP: /, 'no process crashed, no assertion failed');
unlike($log, qr/ERROR:  XX000: .*\n(?:.*\n){0,2}?.*LOCATION: .*dp_/, 'no internal error of ours');

$node->stop;
done_testing();
