# Groups by private keys that take more memory than there is: that a statement
# fails so may tell how many groups were selected, and is paid for.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'prlimit is not there' if system('prlimit --version >/dev/null 2>&1') != 0;

my $node = LedgerCluster->new('memory', "autovacuum = off\nfsync = off\nmax_parallel_workers_per_gather = 0\n");
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE memory_ann LOGIN;
CREATE TABLE named (name text COLLATE "C", x integer NOT NULL);
INSERT INTO named SELECT repeat('x', 200) || i % 200000, 1 FROM generate_series(1, 600000) AS i;
SELECT dp_noise.protect('named', epsilon => 1e6, delta => 1), dp_noise.alter_population('named', on_repeat => 'answer'), dp_noise.set_budget('memory_ann', 'named', 1000000, delta => 1, max_failures => NULL);
-- what is looked for before the charge
ALTER DATABASE postgres SET dp_noise.work_mem = '1MB';
CREATE TABLE levelled AS SELECT i % 2 = 0 AS even FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('levelled', epsilon => 1e6, delta => 1), dp_noise.set_levels('levelled', '{100,10}'), dp_noise.alter_population('levelled', on_repeat => 'answer'), dp_noise.set_budget('memory_ann', 'levelled', 1000000, delta => 1, max_failures => NULL);
EOS

# Runs a question under a limit of so many MB above what the process has.
sub ask
{
	my ($megabytes, $question) = @_;
	my ($out, $err);

	$node->psql('postgres', <<"EOS", extra_params => [ '-U', 'memory_ann' ], on_error_stop => 0, stdout => \$out, stderr => \$err);
\\set VERBOSITY verbose
SET dp_noise.epsilon = 100;
SET dp_noise.delta = 1e-6;
SELECT dp_count(*) FROM named \\g /dev/null
SELECT pg_backend_pid() AS pid \\gset
SET client_min_messages = warning;
\\setenv BACKEND :pid
\\! prlimit --pid \$BACKEND --as=\$((\$(awk '/VmSize/ { print \$2 * 1024 }' /proc/\$BACKEND/status) + $megabytes * 1048576))
$question;
EOS
	return "$out$err";
}

sub spent
{
	my $relation = shift // 'named';

	return $node->safe_psql('postgres',
		qq{SELECT trim_scale(epsilon_spent) || ' ' || trim_scale(delta_spent) FROM dp_noise.budgets WHERE role = 'memory_ann' AND population = 'public.$relation'});
}

# whatever it lacks, and wherever
my $refused = qr/ERROR:  53000: insufficient server resources for this question
DETAIL:  The question is charged all the same. Which resource is missing is not shown, since that may depend on the rows.
HINT:  Ask the server's administrator, whose log has the cause.
/;

my $grouped = 'SELECT count(*) FROM (SELECT name, dp_count(*) FROM named GROUP BY name) AS s';
is(ask(4000, $grouped), '200000', 'with enough memory there is an answer');
is(spent(), '200 0.000001', 'which is paid for');
like(ask(60, $grouped), $refused, 'with too little there is none');
is(spent(), '400 0.000002', 'which is paid for too');
like(ask(60, "SELECT count(*) FROM (SELECT name, x IS NULL, dp_max(x, 0, 1) FROM named GROUP BY name, x IS NULL) AS s"), $refused, 'nor beside a public key');
is(spent(), '700 0.000003', 'the selection of groups too');
like(ask(4000, "SET statement_timeout = 100;\n$grouped"), qr/ERROR:  57014/, 'what is cancelled');
is(spent(), '900 0.000004', 'is paid for too');

# beside a question with privacy levels, of which a chain would have been stored
my $beside = "SELECT (SELECT string_agg(n::text, ' ') FROM (SELECT even, dp_count(*) AS n FROM levelled GROUP BY even) AS l), count(*) FROM (SELECT name, dp_count(*) FROM named GROUP BY name) AS s";
like(ask(60, $beside), $refused, 'nor beside privacy levels');
is(spent(), '1100 0.000005', 'which is paid for');
is(spent('levelled'), '100 0', 'and so is the level');
is(ask(4000, $beside), '50 50 0|200000', 'with enough memory both are answered');
is(spent('levelled'), '200 0', 'which is drawn then');

# wherever the memory ends
my $failed = 0;
my @limits = map { 60 * $_ } 1 .. 5;
foreach my $megabytes (@limits)
{
	my $shown = ask($megabytes, $grouped);

	like($shown, qr/^200000$|$refused/, "with $megabytes MB");
	$failed++ if $shown =~ $refused;
}
cmp_ok($failed, '>', 1, 'some were too few');
is(spent(), 1300 + 200 * @limits . ' 0.000011', 'all are paid for');

$node->stop;
done_testing();
