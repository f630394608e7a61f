# Settings that are given before the library is loaded: in postgresql.conf, for
# a role, in a session.  psql cannot show this on the server of the other tests,
# where the library is preloaded and every value is checked at once.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('settings');
$node->init;
$node->append_conf('postgresql.conf', "dp_noise.mechanism = 'bogus'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dp_noise');

# The library is not preloaded, so anything is taken for its settings until an
# aggregate loads it.
my $count = 'SELECT dp_count(*) FROM generate_series(1, 5)';

sub session
{
	my ($name, $sql, $wanted, $complaint) = @_;
	my ($stdout, $stderr);

	my $status = $node->psql('postgres', $sql, stdout => \$stdout, stderr => \$stderr);
	is($status, 0, "$name: no error") or diag $stderr;
	is($stdout, $wanted, "$name: result");
	like($stderr, $complaint, "$name: warning");
	return;
}

session(
	'a bad mechanism in postgresql.conf',
	"$count WHERE false \\g /dev/null\nSHOW dp_noise.mechanism;",
	'auto',
	qr/invalid value for parameter "dp_noise.mechanism": "bogus"/);
session(
	'a bad epsilon in the session',
	"SET dp_noise.epsilon = -1; $count WHERE false \\g /dev/null\nSHOW dp_noise.epsilon;",
	'1',
	qr/-1 is outside the valid range for parameter "dp_noise.epsilon"/);
session(
	'no number',
	"SET dp_noise.epsilon = 'NaN'; $count WHERE false \\g /dev/null\nSHOW dp_noise.epsilon;",
	'1',
	qr/invalid value for parameter "dp_noise.epsilon": "NaN"/);
session(
	'good values',
	"SET dp_noise.mechanism = 'laplace'; SET dp_noise.epsilon = 1000000; $count; SHOW dp_noise.mechanism;",
	"5\nlaplace",
	qr/^(?!.*(laplace"|epsilon")).*"bogus"/s);
session(
	'a setting that there is not',
	"SET dp_noise.other = 1; SET dp_noise.mechanism = 'auto'; $count WHERE false \\g /dev/null\nSELECT current_setting('dp_noise.other', true);",
	'',
	qr/invalid configuration parameter name "dp_noise.other"/);

# A role's setting is stored unchecked while the library is not loaded.
$node->safe_psql('postgres', q{CREATE ROLE dp_analyst LOGIN; ALTER ROLE dp_analyst SET dp_noise.epsilon = 0});
my ($stdout, $stderr);
$node->psql('postgres', "SET dp_noise.mechanism = 'auto'; $count WHERE false \\g /dev/null\nSHOW dp_noise.epsilon",
	stdout => \$stdout, stderr => \$stderr, extra_params => [ '-U', 'dp_analyst' ]);
is($stdout, '1', 'a bad epsilon for a role: the default');
like($stderr, qr/0 is outside the valid range/, 'a bad epsilon for a role: a warning');

# Without the library preloaded the aggregates of ordinary tables work.
is($node->safe_psql('postgres', "SET dp_noise.mechanism = 'auto'; SELECT dp_sum(x, 0, 10, 1000000) FROM generate_series(1, 4) AS x"),
	'10', 'aggregates without preloading');

# Preloaded by the session, and in the cluster's configuration again.
$node->append_conf('postgresql.conf', "session_preload_libraries = 'dp_noise'\n");
$node->reload;
($stdout, $stderr) = ('', '');
$node->psql('postgres', 'SHOW dp_noise.mechanism', stdout => \$stdout, stderr => \$stderr);
is($stdout, 'auto', 'session_preload_libraries: a bad value in postgresql.conf gives the default');
$node->append_conf('postgresql.conf', "dp_noise.mechanism = 'staircase'\nsession_preload_libraries = ''\nshared_preload_libraries = 'dp_noise'\n");
$node->restart;
is($node->safe_psql('postgres', 'SHOW dp_noise.mechanism'), 'staircase', 'shared_preload_libraries: a good value');

# With the library there, a bad value changes nothing; at the start of the server
# it gives the default.
$node->append_conf('postgresql.conf', "dp_noise.epsilon = 2000000\n");
$node->reload;
for (1 .. 100)
{
	last if slurp_file($node->logfile) =~ /2e\+06 is outside/;
	usleep(100_000);
}
is($node->safe_psql('postgres', 'SHOW dp_noise.epsilon'), '1', 'reload: a bad value changes nothing');
like(slurp_file($node->logfile), qr/2e\+06 is outside the valid range for parameter "dp_noise.epsilon"/, 'reload: and is logged');
$node->restart;
is($node->safe_psql('postgres', 'SHOW dp_noise.epsilon'), '1', 'start: a bad value gives the default');

done_testing();
