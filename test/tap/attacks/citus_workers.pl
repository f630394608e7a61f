# Class: noise with other settings than those of who asks. Under Citus an
# aggregate grouped by the distribution column is computed on a worker, with the
# worker's epsilon. Citus itself is not needed here: its catalogue is made as
# Citus has it, and connections are named as it names them.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('citus_workers');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE ROLE analyst LOGIN;
CREATE TABLE numbers AS SELECT i AS x FROM generate_series(1, 1000) AS i;
CREATE TABLE spread AS SELECT i AS x FROM generate_series(1, 1000) AS i;
GRANT SELECT ON numbers TO analyst;
EOS

my $question = 'SELECT dp_count(*) IS NOT NULL, dp_median_exp(x, 0, 1000) IS NOT NULL, dp_sum(x, 0, 1000) IS NOT NULL FROM numbers';

# What is said to a session that connected under a name.
sub ask
{
	my ($name, $sql) = @_;
	my ($out, $err);

	local $ENV{PGAPPNAME} = $name;
	$node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ], stdout => \$out, stderr => \$err);
	return "$out$err";
}

my $internal = 'citus_internal gpid=10000000042';
my $refused = qr/ERROR:  private aggregates cannot be computed where Citus runs a part of a statement/;

is(ask($internal, $question), 't|t|t', 'without Citus a name means nothing');
is(ask('psql', "SET application_name = '$internal'; $question"), 't|t|t', 'nor one that is set');
is(ask($internal, "SET citus.local_group = 1; $question"), 't|t|t', 'nor settings');

# as CREATE EXTENSION citus does
$node->safe_psql('postgres', <<'EOS');
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid integer NOT NULL PRIMARY KEY);
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_local_group TO PUBLIC;
INSERT INTO pg_catalog.pg_dist_partition VALUES ('spread', 'a');
INSERT INTO pg_catalog.pg_dist_local_group VALUES (1);
EOS
is(ask($internal, $question), 't|t|t', 'nor tables that are not an extension\'s');
is($node->safe_psql('postgres', q{SELECT dp_noise.protect('spread', epsilon => 1e6, delta => 1), dp_noise.unprotect('spread')}), '|', 'also to owners');
$node->safe_psql('postgres', <<'EOS');
SET allow_system_table_mods = on;
UPDATE pg_catalog.pg_dist_local_group SET groupid = 0;
INSERT INTO pg_extension SELECT 4242424, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.2', NULL, NULL;
INSERT INTO pg_depend SELECT 'pg_class'::regclass, oid, 0, 'pg_extension'::regclass, 4242424, 0, 'e' FROM pg_class WHERE relname IN ('pg_dist_partition', 'pg_dist_local_group');
EOS

is(ask('psql', $question), 't|t|t', 'a session of one\'s own');
like(ask($internal, $question), $refused, 'a backend of Citus');
like(ask($internal, "SET application_name = 'psql'; $question"), $refused, 'whose name was set');
like(ask($internal, "SET application_name = 'psql'; RESET application_name; $question"), $refused, 'and reset');
like(ask('citus_rebalancer gpid=10000000042', $question), $refused, 'another of its');
like(ask($internal, 'SELECT dp_count(*) FROM numbers WHERE false'), $refused, 'without rows');
like(ask($internal, 'SELECT x, dp_count(*) FROM numbers GROUP BY x'), $refused, 'by group');
like(($node->psql('postgres', q{SELECT dp_noise.protect('spread', epsilon => 1e6, delta => 1)}))[2], qr/relation (public\.)?spread cannot be protected, since Citus distributes it by append/, 'a table distributed by append');
is($node->safe_psql('postgres', q{SELECT dp_noise.protect('numbers', epsilon => 1e6, delta => 1)}), '', 'one that is not');

# Whoever connects under such a name hears that before any row is read: groups that
# are not public are made, and finished, only of rows that there are.
$node->safe_psql('postgres', q{SELECT dp_noise.set_budget('analyst', 'numbers', 100, delta => 0.1), dp_noise.alter_population('numbers', on_repeat => 'answer')});
like(ask($internal, "SET dp_noise.delta = 1e-6; SELECT x, dp_count(*) FROM numbers WHERE x > $_ GROUP BY x"), $refused, 'groups of ' . ($_ ? 'no rows' : 'all rows')) foreach 0, 1000;
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise.ledger'), 0, 'and nothing is charged');

$node->safe_psql('postgres', 'SET allow_system_table_mods = on; UPDATE pg_catalog.pg_dist_local_group SET groupid = 3');
like(ask('psql', 'SELECT dp_count(*) FROM generate_series(1, 10)'), $refused, 'on a worker');
like(($node->psql('postgres', q{SELECT dp_noise.protect('numbers', epsilon => 1e6, delta => 1)}))[2], qr/what is protected, and what is spent, is kept on Citus's coordinator alone/, 'nothing is protected there');

$node->stop;
done_testing();
