# Attacks with collations of the asker's that mean something else on the nodes of Citus
# than on the coordinator: texts that are different here and equal there.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use Test::More;

my $citus = CitusCluster->new('collations');

$citus->sql(<<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE bob LOGIN;
CREATE SCHEMA ann AUTHORIZATION ann;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE people (id bigint PRIMARY KEY, name text);
RESET ROLE;
SELECT create_distributed_table('people', 'id', shard_count => 2);
INSERT INTO people SELECT i, CASE WHEN i = 1 THEN '---the...form-of,one-person' ELSE 'the form of one person' END FROM generate_series(1, 500) AS i;
SET ROLE owner;
SELECT dp_noise.protect('people', 'id', epsilon => 1e9, delta => 1), dp_noise.set_budget('ann', 'people', 1e9, delta => 1), dp_noise.set_budget('bob', 'people', 1e9, delta => 1);
EOS

# The asker makes it on all nodes, then another of its name on the coordinator alone.
# This takes no more than a schema of their own, and no login on a worker.
$citus->sql(<<'EOS', extra_params => [ '-U', 'ann' ]);
GRANT USAGE ON SCHEMA ann TO PUBLIC;
CREATE COLLATION ann.loose (provider = icu, locale = 'und-u-ka-shifted-ks-level1', deterministic = false);
SET citus.enable_ddl_propagation = off;
DROP COLLATION ann.loose;
CREATE COLLATION ann.loose (provider = icu, locale = 'und');
EOS
my $is_deterministic = q{SELECT collisdeterministic FROM pg_collation WHERE collname = 'loose'};
is($citus->sql($is_deterministic), 't', 'different texts are different here');
is($citus->on($_, $is_deterministic), 'f', "and may be equal on worker $_") foreach 1, 2;

# Rows that meet conditions which exclude each other are charged for once.
my @filters = map { "dp_count(*) FILTER (WHERE name = 'the form of one person" . ' ' x $_ . q{' COLLATE ann.loose)} } 1 .. 20;
my $question = 'SET dp_noise.epsilon = 1000; SELECT ' . join(', ', @filters) . ' FROM people';
my $charges = $citus->sql('SELECT coalesce(sum(epsilon), 0) FROM dp_noise.ledger');
my $answer = $citus->as('ann', $question);
my $charged = $citus->sql('SELECT coalesce(sum(epsilon), 0) FROM dp_noise.ledger') - $charges;
my @same = grep { /^500$/ } split /\|/, $answer;
ok(@same <= $charged / 1000, 'no rows are counted more often than charged: ' . @same . " times for $charged") or diag($answer);

# Nor is one person's form of a text shown for a group of others'.
foreach my $key (q{coalesce(name, 'x' COLLATE ann.loose)}, q{CASE WHEN id > 0 THEN name ELSE 'x' COLLATE ann.loose END})
{
	my $shown = $citus->as('ann', "SET dp_noise.epsilon = 1; SET dp_noise.delta = 1e-6; SET dp_noise.empty_groups = show; SELECT $key, dp_count(*) FROM people GROUP BY 1");

	like($shown, qr/^the form of one person\|/m, "groups: $key") or diag($shown);
	unlike($shown, qr/the\.\.\.form/, 'none of a single person');
}

# Whatever the coordinator finds equal or different, nodes do.
foreach my $use (
	q{name = 'THE FORM OF ONE PERSON' COLLATE ann.loose}, q{name COLLATE ann.loose = 'THE FORM OF ONE PERSON'}, q{name IN ('THE FORM OF ONE PERSON' COLLATE ann.loose, 'x')},
	q{coalesce(name, 'x' COLLATE ann.loose) = 'THE FORM OF ONE PERSON'}, q{name::bpchar = 'THE FORM OF ONE PERSON'::bpchar COLLATE ann.loose})
{
	like($citus->as('ann', "SET dp_noise.epsilon = 1000; SELECT dp_count(*) FROM people WHERE $use"), qr/^0$|ERROR/m, $use);
}

# What is shared with others is the answer to the question that they ask.
$citus->as('ann', q{SET dp_noise.epsilon = 1000; SELECT dp_count(*) FROM people WHERE name = 'The form of one person' COLLATE ann.loose});
is($citus->as('bob', q{SET dp_noise.epsilon = 1000; SELECT dp_count(*) FROM people WHERE name = 'The form of one person'}), '0', 'an answer that others get');

# A column of the owner's that has a collation of somebody else's: a shard that moves is
# made anew, with whatever has the collation's name on the other node by then.
$citus->sql(<<'EOS', extra_params => [ '-U', 'ann' ]);
CREATE COLLATION ann.words (provider = icu, locale = 'und');
EOS
$citus->sql(<<'EOS');
SET ROLE owner;
CREATE TABLE named (id bigint PRIMARY KEY, name text COLLATE ann.words);
RESET ROLE;
SELECT create_distributed_table('named', 'id', shard_count => 2, colocate_with => 'none');
INSERT INTO named SELECT i, 'one' FROM generate_series(1, 400) AS i;
SET ROLE owner;
SELECT dp_noise.protect('named', 'id', population => 'people');
EOS
$citus->on(2, <<'EOS', extra_params => [ '-U', 'ann' ]);
SET citus.enable_ddl_propagation = off;
ALTER COLLATION ann.words RENAME TO former;
CREATE COLLATION ann.words (provider = icu, locale = 'und-u-ka-shifted-ks-level1', deterministic = false);
EOS
my @ports = map { $citus->worker($_)->port } 1, 2;
my $shard = $citus->sql("SELECT min(shardid) FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'named'::regclass AND nodeport = $ports[0]");
$citus->sql("SELECT citus_move_shard_placement($shard, '127.0.0.1', $ports[0], '127.0.0.1', $ports[1], shard_transfer_mode => 'block_writes')");
$answer = $citus->as('ann', q{SET dp_noise.epsilon = 1000; SELECT dp_count(*) FILTER (WHERE name = '-one'), dp_count(*) FILTER (WHERE name = '-ONE'), dp_count(*) FILTER (WHERE name = 'o.n.e') FROM named});
like($answer, qr/^0\|0\|0$|ERROR/m, 'a collation of the asker\'s in a column of a shard that has moved');

$citus->stop;
done_testing();
