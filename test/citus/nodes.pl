# Nodes that move, fail and are written to: a question is answered rightly, or fails
# with one error that tells nothing, before the charge where that can be known.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $citus = CitusCluster->new('nodes');

$citus->sql(<<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE ann LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE bills (number bigint, person bigint);
RESET ROLE;
SELECT create_distributed_table('bills', 'number');
INSERT INTO bills SELECT i, i % 100 FROM generate_series(1, 3000) AS i;
SET ROLE owner;
SELECT dp_noise.protect('bills', 'person', max_rows_per_unit => 4, epsilon => 1e12, delta => 1), dp_noise.alter_population('bills', on_repeat => 'answer'), dp_noise.set_budget('ann', 'bills', 1e12, delta => 1);
EOS
my $question = 'SET dp_noise.epsilon = 1000000; SELECT dp_count(*) FROM bills';
$citus->sql(q{SET ROLE owner; CREATE TABLE stays (person bigint, cost integer); RESET ROLE; SELECT create_distributed_table('stays', 'person'); INSERT INTO stays SELECT i % 100, i % 50 FROM generate_series(1, 3000) AS i; SET ROLE owner; SELECT dp_noise.protect('stays', 'person', max_rows_per_unit => 4, population => 'bills')});
my @levels = ('SELECT dp_count(*) FROM stays', 'SELECT cost > 9, dp_count(*) FROM stays GROUP BY 1', 'SELECT dp_count(*) FROM stays WHERE cost + 1 < 9', 'SELECT dp_median(cost, 0, 50) FROM stays', 'SELECT dp_count(*) FROM stays AS a JOIN bills AS b USING (person)');
my @ports = map { $citus->worker($_)->port } 1, 2;

is($citus->as('ann', $question), '400', 'at first');

# A shard moves, also under a prepared statement.
my $shard = $citus->sql("SELECT min(shardid) FROM citus_shards WHERE table_name = 'bills'::regclass AND nodeport = $ports[0]");
my $session = $citus->coordinator->background_psql('postgres', extra_params => [ '-U', 'ann' ]);
$session->query_safe('SET dp_noise.epsilon = 1000000; PREPARE q AS SELECT dp_count(*) FROM bills');
is($session->query_safe('EXECUTE q'), '400', 'prepared');
$citus->sql("SELECT citus_move_shard_placement($shard, '127.0.0.1', $ports[0], '127.0.0.1', $ports[1], shard_transfer_mode => 'block_writes')");
is($session->query_safe('EXECUTE q'), '400', 'after a shard has moved');
$session->quit;
is($citus->as('ann', $question), '400', 'and in another session');

# Others write meanwhile, to all shards, rows of one person: no more of them count.
my ($out, $err) = ('', '');
my $writer = IPC::Run::start([ 'psql', '-XAtq', '-h', $citus->coordinator->host, '-p', $citus->coordinator->port, '-U', 'owner', 'postgres',
	'-c', "DO \$\$ BEGIN FOR i IN 1 .. 300 LOOP INSERT INTO bills SELECT 10000 + i * 10 + j, 7 FROM generate_series(1, 8) AS j; COMMIT; END LOOP; END \$\$" ], '>', \$out, '2>', \$err);
is($citus->as('ann', $question), '400', 'while rows are written') foreach 1 .. 4;
$writer->finish;
cmp_ok($citus->sql('SELECT count(*) FROM bills'), '>', 5000, 'which they were');
is($citus->as('ann', $question), '400', 'afterwards');

# A node that cannot be asked: one error, before the charge; then it goes on.
sub refused
{
	my ($what) = @_;
	my $charges = $citus->sql('SELECT count(*) FROM dp_noise.ledger');
	my $said = $citus->as('ann', $question);

	like($said, qr/^psql:[^\n]*ERROR:  not all nodes that hold a protected relation can be asked\nDETAIL:  Nothing is charged\.\nHINT:[^\n]*$/, $what);
	unlike($said, qr/127\.0\.0\.1|$ports[1]|bills_/, "$what: the error does not say where");
	like($citus->as('ann', $_), qr/^psql:[^\n]*ERROR:  not all nodes/, "$what: $_") foreach @levels;
	is($citus->sql('SELECT count(*) FROM dp_noise.ledger'), $charges, "$what: before the charge");
}
$citus->on(2, 'SET citus.enable_ddl_propagation = off; ALTER FUNCTION dp_noise.fails_on_node(integer, boolean, integer) RENAME TO other');
refused('a worker has an older build');
$citus->on(2, 'SET citus.enable_ddl_propagation = off; ALTER FUNCTION dp_noise.other(integer, boolean, integer) RENAME TO fails_on_node');
is($citus->as('ann', $question), '400', 'it has the same');
$citus->on(2, "UPDATE pg_extension SET extversion = '0.0.9' WHERE extname = 'dp_noise'");
refused('a worker has another version');
like($citus->sql('SELECT object, finding FROM dp_noise.check()'), qr/node 127\.0\.0\.1:$ports[1]\|it could not be looked at: dp_noise is not there in this version/, 'check() names it');
$citus->on(2, "UPDATE pg_extension SET extversion = '0.1.0' WHERE extname = 'dp_noise'");
$citus->on(2, 'SET citus.enable_ddl_propagation = off; ALTER ROLE owner SET search_path = public, pg_catalog');
refused('on a worker alone, names are looked up elsewhere first');
$citus->on(2, 'SET citus.enable_ddl_propagation = off; ALTER ROLE owner RESET search_path');
is($citus->as('ann', $question), '400', 'they are looked up as elsewhere');
$citus->worker(2)->stop('fast');
refused('a worker is down');
$citus->worker(2)->start;
is($citus->as('ann', $question), '400', 'it is back');

# Shards leave a node, which is removed.
$citus->sql("SELECT citus_drain_node('127.0.0.1', $ports[1], shard_transfer_mode => 'block_writes')");
$citus->sql("SELECT citus_remove_node('127.0.0.1', $ports[1])");
is($citus->as('ann', $question), '400', 'a node is gone');

# check() of a superuser looks at the workers.
like($citus->sql('SELECT object, finding FROM dp_noise.check()'), qr/node 127\.0\.0\.1:$ports[0]\|everybody can read statistics there/, 'check() names workers that are not hardened');
$citus->on(1, 'SELECT dp_noise.harden()');
unlike($citus->sql('SELECT object, finding FROM dp_noise.check()'), qr/node 127/, 'and none that is');

$citus->stop;
done_testing();
