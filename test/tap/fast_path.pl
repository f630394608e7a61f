# Functions for owners, called by the fast-path protocol, in which arguments have
# no types but those that the function declares.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Frontend;

my $node = PostgreSQL::Test::Cluster->new('fast_path');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'");
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE ROLE maker LOGIN;
CREATE TABLE people (id integer PRIMARY KEY, age integer);
ALTER TABLE people OWNER TO maker;
SET SESSION AUTHORIZATION maker;
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_bounds('people', 'age', 0, 120);
EOS

sub function_oid
{
	my ($name) = @_;
	return $node->safe_psql('postgres', "SELECT oid FROM pg_proc WHERE proname = '$name' AND pronamespace = 'dp_noise'::regnamespace");
}

sub bounds
{
	return $node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise_ledger.column_bounds');
}

my $people = $node->safe_psql('postgres', "SELECT 'people'::regclass::oid");
my $session = Frontend->new($node, 'postgres', 'maker');
my $answer = $session->send(call => [ function_oid('set_bounds'), $people, 'age', 1, 2 ]);

like($answer, qr/^E .*C0A000/m, 'bounds need a type');
is(bounds(), 1, 'and stay');
$answer = $session->send(call => [ function_oid('set_bounds'), $people, 'age', undef, undef ]);
like($answer, qr/^V /m, 'two nulls need none');
is(bounds(), 0, 'and remove them');
$answer = $session->send(call => [ function_oid('unprotect'), $people ]);
like($answer, qr/^V /m, 'other functions are called as by a statement');

# All functions that everybody may call: with nulls, which no type's input
# function sees, and with texts. The session lives on.
my @functions = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', <<'EOS');
SELECT p.oid, p.pronargs
FROM pg_depend AS d
JOIN pg_proc AS p ON p.oid = d.objid
WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_noise')
	AND has_function_privilege('maker', p.oid, 'EXECUTE') AND p.proname NOT IN ('protect', 'unprotect')
EOS
cmp_ok(@functions, '>', 500, 'the catalogue names functions');
foreach my $value (undef, '1', 'x', '{1,2}')
{
	$session->send(call => [ $_->[0], ($value) x $_->[1] ]) foreach @functions;
}
like($session->send(query => ['SELECT 1']), qr/^D /m, 'none of them ends the session');
$node->stop;

done_testing();
