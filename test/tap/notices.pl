# Notices about answers: one a statement where what is computed of several groups lacks
# those that private keys leave out, and one where groups of public keys may be empty.
# They depend on the question, or on noisy answers.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('notices');

$node->safe_psql('postgres', <<'EOS');
ALTER TABLE people ADD town integer, ADD yes boolean;
INSERT INTO people (id, town, yes) SELECT i, i % 3, true FROM generate_series(1, 1000) AS i;
ALTER ROLE dp_ann SET dp_noise.epsilon = 100;
ALTER ROLE dp_ann SET dp_noise.delta = 1e-6;
SELECT dp_noise.set_budget('dp_ann', 'people', 1e6, 0.1);
EOS

# The notices of a statement.
sub notices
{
	my ($sql) = @_;
	my ($code, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'dp_ann' ]);

	return $code == 0 ? join('; ', $err =~ /NOTICE:  (.*)/g) : "failed: $err";
}

my $lacks = 'groups of too few people are missing from what is computed over the groups';
my $towns = 'SELECT town, count(*) AS n FROM people GROUP BY town';

foreach my $sql (
	"SELECT sum(n) FROM ($towns) AS s", "WITH s AS ($towns) SELECT count(*), max(n) FROM s", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM ($towns) AS s",
	"SELECT max(n) FROM (SELECT n FROM ($towns) AS s OFFSET 0) AS t", "SELECT (SELECT sum(n) FROM ($towns) AS s), (SELECT max(n) FROM ($towns) AS s)",
	'SELECT town, rank() OVER (ORDER BY count(*)) FROM people GROUP BY town', "SELECT town, sum(n) OVER () FROM ($towns) AS s")
{
	is(notices($sql), $lacks, $sql);
}
foreach my $sql ($towns, "$towns ORDER BY n DESC LIMIT 2", "SELECT n + 1 FROM ($towns) AS s", "SELECT count(*) FROM people WHERE town IN (SELECT town FROM ($towns) AS s)",
	'SELECT sum(n) FROM (SELECT yes, count(*) AS n FROM people WHERE town IN (1, 2) GROUP BY yes) AS s', 'SELECT sum(n) FROM (SELECT town, count(*) AS n FROM people WHERE town IN (1, 2) GROUP BY town) AS s',
	"SELECT max(x) FROM (SELECT count(*) AS x FROM people) AS s, generate_series(1, 3)")
{
	is(notices($sql), '', $sql);
}
is(notices('SET dp_noise.empty_groups = hide; SELECT town, count(*) FROM people WHERE town IN (1, 2, 77) GROUP BY town'), '1 group is left out, whose noisy counts cannot be told from none', 'a group that nobody has');

# Row-level security that lets nobody's rows count.
$node->safe_psql('postgres', 'ALTER TABLE people ENABLE ROW LEVEL SECURITY');
my $none = 'no row of "people" counts: its row-level security has no policy for you';
is(notices($_), $none, $_) foreach 'SELECT count(*) FROM people', 'EXPLAIN SELECT count(*) FROM people', 'SELECT count(*) FROM (SELECT id FROM people WHERE town = 1) AS s';
$node->safe_psql('postgres', 'CREATE POLICY of_town ON people USING (town = 1)');
is(notices('SELECT count(*) FROM people'), '', 'a policy');

done_testing();
