# What is a letter: lower(), ILIKE and regular expressions over protected rows
# know the letters of the database's collation, as they do over all others, and
# those of ASCII alone where COLLATE "C" is written.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use Test::More;

my $node = LedgerCluster->new('letters', '');

$node->safe_psql('postgres', q(CREATE DATABASE letters TEMPLATE template0 ENCODING UTF8 LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'));
$node->safe_psql('letters', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE TABLE people (id integer PRIMARY KEY, name text, other text COLLATE "C", third text COLLATE "C.utf8");
INSERT INTO people SELECT i, t, t, t FROM generate_series(1, 60) AS i, LATERAL (SELECT (ARRAY['Émile', 'émile', 'ZOË'])[i % 3 + 1]) AS n (t);
CREATE TABLE plain AS TABLE people;
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 1e6, delta => 1);
EOS
my $settings = 'SET dp_noise.epsilon = 1000; ';

sub both
{
	my ($condition) = @_;
	my $plain = $node->safe_psql('letters', "SELECT count(*) FROM plain WHERE $condition");

	is($node->safe_psql('letters', "${settings}SELECT dp_count(*) FROM people WHERE $condition"), $plain, "$condition: $plain");
	return;
}

both($_) foreach (
	q(lower(name) = 'émile'), q(lower(name COLLATE "C") = 'Émile'), q(upper(name) = 'ÉMILE'), q(upper(other) = 'éMILE'),
	q(initcap(lower(name)) = 'Zoë'), q(name ILIKE 'ÉM%'), q(name COLLATE "C" ILIKE 'ÉM%'), q(name NOT ILIKE '%ë'),
	q(name ~* '^É'), q(other ~* '^É'), q(name ~ '^[[:alpha:]]+$'), q(other ~ '^[[:alpha:]]+$'), q(other COLLATE "default" ~ '^\w+$'),
	q(name SIMILAR TO '[[:upper:]]+'), q(name ILIKE ANY (ARRAY['éMI%', 'x'])), q(name ~* 'é' COLLATE "C"),
	q(regexp_replace(name, '\w', '', 'g') = ''), q(lower(third COLLATE "default") = 'émile'), q(name = 'Émile'));

my $groups = q(SELECT string_agg(k || n, chr(32) ORDER BY k COLLATE "C") FROM (SELECT lower(name) AS k, %s(*) AS n FROM %s GROUP BY 1) AS g);
is($node->safe_psql('letters', "${settings}SET dp_noise.delta = 1e-6; " . sprintf($groups, 'dp_count', 'people')),
	$node->safe_psql('letters', sprintf($groups, 'count', 'plain')), 'as keys of groups');

my (undef, undef, $err) = $node->psql('letters', "${settings}SELECT dp_count(*) FROM people WHERE third ILIKE 'x'");
like($err, qr/ILIKE can be used over a protected relation only with the letters of the database's collation or of "C"/, 'not those of another collation');
like($err, qr/Write COLLATE "default" after the text/, 'the hint says how');

# Two questions where the letters differ.
my %questions = map {
	my $plan = $node->safe_psql('letters', "${settings}EXPLAIN SELECT dp_count(*) FROM people WHERE $_");
	(($plan =~ /Question: (\w+)/)[0] => 1)
} (q(lower(name) = 'a'), q(lower(name COLLATE "C") = 'a'), q(name ILIKE 'a%'), q(name ILIKE 'a%' COLLATE "C"), q(name ILIKE ANY ('{a%,b%}')), q(name ILIKE ANY ('{a%,b%}' COLLATE "C")));
is(scalar keys %questions, 6, 'each is another question');

$node->stop;
done_testing();
