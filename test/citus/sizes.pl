# Sizes of shards, which Citus writes down where everybody can read them, and functions
# of Citus's that have a second name.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use Test::More;

my $citus = CitusCluster->new('sizes');

$citus->sql(<<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE ann LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE people (id bigint PRIMARY KEY, age integer);
RESET ROLE;
SELECT create_distributed_table('people', 'id');
INSERT INTO people SELECT i, i % 97 FROM generate_series(1, 7777) AS i;
SET ROLE owner;
SELECT dp_noise.protect('people', 'id', epsilon => 1e9, delta => 1);
RESET ROLE;
SELECT dp_noise.harden();
EOS

# Where a worker is not hardened yet, what the coordinator denies it denies by any name.
foreach my $call (
	q{citus_update_table_statistics('people')}, q{master_update_table_statistics('people')}, q{master_update_shard_statistics(102008)},
	q{run_command_on_workers('SELECT 1')}, q{master_run_on_worker(ARRAY['127.0.0.1'], ARRAY[} . $citus->worker(1)->port . q{], ARRAY['SELECT 1'], false)})
{
	like($citus->as('ann', "SELECT $call"), qr/permission denied for function/, $call);
}
my $sizes = 'SELECT count(*) FROM pg_dist_placement WHERE shardlength > 0';
unlike($citus->as('ann', $sizes), qr/^[1-9]/m, 'no sizes after that');

# Sizes that an administrator has asked for.
$citus->on($_, 'SELECT dp_noise.harden()') foreach 1, 2;
$citus->sql(q{SELECT citus_update_table_statistics('people')});
unlike($citus->as('ann', $sizes), qr/^[1-9]/m, 'sizes that are written down');
unlike($citus->said($_, 'ann', $sizes), qr/^[1-9]/m, "on worker $_") foreach 1, 2;

$citus->stop;
done_testing();
