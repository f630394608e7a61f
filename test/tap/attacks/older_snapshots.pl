# Class of attack: acting on a picture of the past. What the catalogs say of a
# relation today need not be true of the rows that an older transaction sees. A
# column that is NOT NULL is null in some of them, and a NOT IN by it would tell of
# one such person in the answers about all others; of a key that is unique there
# are many rows, and one person would count for each.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('snapshots');

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE p (u int PRIMARY KEY, k int UNIQUE, x int);
INSERT INTO p SELECT i, i, i % 5 FROM generate_series(1, 1000) AS i;
INSERT INTO p VALUES (2000, NULL, 3);
CREATE TABLE many (u int, x int);
INSERT INTO many SELECT greatest(i - 100, 1), i FROM generate_series(1, 600) AS i;
CREATE TABLE parts (u int, x int) PARTITION BY LIST (x);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
INSERT INTO parts SELECT i, 1 FROM generate_series(1, 500) AS i;
CREATE TABLE part_2 (u int, x int);
INSERT INTO part_2 SELECT 1, 2 FROM generate_series(1, 100);
CREATE TABLE emptied (u int PRIMARY KEY, x int);
INSERT INTO emptied SELECT i, i FROM generate_series(1, 400) AS i;
SELECT dp_noise.protect(t, 'u', max_rows_per_unit => 1, epsilon => 1e6, delta => 1), dp_noise.alter_population(t::text, on_repeat => 'answer'), dp_noise.set_budget('dp_ann', t::text, 1e9)
FROM unnest('{p,many,parts,emptied}'::regclass[]) AS t;
ALTER ROLE dp_ann SET dp_noise.epsilon = 100000;
EOS

# What is changed behind a transaction's back, a question about it, and its answer
# in a transaction that begins later.
my @changes = (
	[   'NOT NULL', 'p',
		'DELETE FROM p WHERE k IS NULL; ALTER TABLE p ALTER k SET NOT NULL',
		'SELECT dp_count(*) FROM p AS a WHERE a.k NOT IN (SELECT b.k FROM p AS b WHERE b.x = 3)', 800 ],
	[   'a unique index', 'many',
		'DELETE FROM many WHERE u = 1 AND x > 1; CREATE UNIQUE INDEX ON many (u)',
		'SELECT dp_count(*) FROM many', 500 ],
	[   'a partition', 'part_2',
		'ALTER TABLE parts ATTACH PARTITION part_2 FOR VALUES IN (2)',
		'SELECT dp_count(*) FROM parts', 500 ],
	[   'rows of another time', 'emptied',
		"BEGIN; TRUNCATE emptied; COPY emptied FROM PROGRAM 'seq -f %.0f,1 1 300' WITH (FORMAT csv, FREEZE); COMMIT",
		'SELECT dp_count(*) FROM emptied', 300 ],
);
my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);

for (@changes)
{
	my ($what, $relation, $change, $question, $answer) = @$_;

	$session->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
	$session->query_safe('SELECT 1');
	$node->safe_psql('postgres', $change);
	is($session->query($question), '', "$what: no answer from rows of before");
	like($session->{stderr}, qr/the definition of "$relation" is younger than/, "$what: it says why");
	$session->{stderr} = '';
	$session->query('ROLLBACK');
	is($session->query($question), $answer, "$what: an answer afterwards");
}
$session->quit;

$node->stop;
done_testing();
