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
SELECT dp_noise.protect('people', privacy_unit => 'id');
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
$node->stop;

done_testing();
