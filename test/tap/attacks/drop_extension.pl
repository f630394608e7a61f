# Class: a statement that is no question takes the ledger away. Every way of
# dropping the extension, by people who may, is refused while a relation is
# protected: budgets that come back full would be paid for by the people in the
# tables. The owner of the schema that holds the extension is no superuser.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('drop_extension');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE second SUPERUSER LOGIN;
CREATE ROLE tenant LOGIN;
CREATE ROLE keeper LOGIN;
EOS

my $refused = qr/cannot drop extension dp_noise while relations are protected/;

# Makes the extension as a superuser who is not the first, in the tenant's
# schema, and a protected table elsewhere.
sub prepare
{
	$node->safe_psql('postgres', <<'EOS');
SET SESSION AUTHORIZATION second;
CREATE SCHEMA room AUTHORIZATION tenant;
CREATE SCHEMA archive AUTHORIZATION keeper;
CREATE EXTENSION dp_noise SCHEMA room;
CREATE TABLE archive.people (id int);
SELECT dp_noise.protect('archive.people', epsilon => 1e6, delta => 1);
ALTER TABLE archive.people OWNER TO keeper;
EOS
	return;
}

# (exit code, what was said) of statements of a role
sub try_as
{
	my ($role, $sql) = @_;
	my ($code, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', $role ]);

	return ($code, $err);
}

sub is_there
{
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_extension WHERE extname = 'dp_noise'}) && $node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise_ledger.member');
}

prepare();
foreach my $way (
	[ 'second', 'DROP EXTENSION dp_noise' ],
	[ 'second', 'DROP EXTENSION dp_noise CASCADE' ],
	[ 'second', 'DROP EXTENSION IF EXISTS plpgsql, dp_noise CASCADE' ],
	[ 'second', 'DROP EXTENSION plpgsql CASCADE' ],
	[ 'second', 'DROP SCHEMA room CASCADE' ],
	[ 'tenant', 'DROP SCHEMA room CASCADE' ],
	[ 'second', 'DROP SCHEMA room, archive CASCADE' ],
	[ 'second', 'DROP OWNED BY second' ],
	[ 'second', 'DROP OWNED BY second CASCADE' ],
	[ 'second', 'DROP OWNED BY tenant, second CASCADE' ],
	[ 'tenant', 'DROP OWNED BY tenant CASCADE' ],
	[ 'second', q{DO $$ BEGIN EXECUTE 'DROP EXTENSION dp_noise CASCADE'; END $$} ],
	[ 'second', 'BEGIN; DROP EXTENSION dp_noise CASCADE; COMMIT' ],
	[ 'second', 'ALTER EVENT TRIGGER dp_noise_on_drop DISABLE; ALTER EVENT TRIGGER dp_noise_on_rename DISABLE; DROP EXTENSION dp_noise' ],
	[ 'second', 'SET session_replication_role = replica; DROP EXTENSION dp_noise CASCADE' ],
	[ 'second', 'SELECT dp_noise.allow_drop(); SELECT 1; SET x.y = 1; BEGIN; DROP EXTENSION dp_noise; COMMIT' ],
	[ 'second', 'BEGIN; SELECT dp_noise.allow_drop(); ROLLBACK; DROP EXTENSION dp_noise' ],
	[ 'second', 'BEGIN; SAVEPOINT a; SELECT dp_noise.allow_drop(); ROLLBACK TO a; DROP EXTENSION dp_noise; COMMIT' ],
	[ 'second', 'BEGIN; SAVEPOINT a; SAVEPOINT b; SELECT dp_noise.allow_drop(); RELEASE b; ROLLBACK TO a; DROP EXTENSION dp_noise; COMMIT' ],
	[ 'second', q{DO $$ BEGIN BEGIN PERFORM dp_noise.allow_drop(); RAISE EXCEPTION 'undone'; EXCEPTION WHEN OTHERS THEN NULL; END; DROP EXTENSION dp_noise; END $$} ])
{
	my ($role, $sql) = @$way;

	my ($code, $err) = try_as($role, $sql);
	like($err, $refused, "$role: $sql");
	is(is_there(), 1, 'nothing is gone') or last;
}

# and those that the server refuses by itself
foreach my $way (
	[ 'second', 'DROP SCHEMA dp_noise CASCADE', qr/cannot drop schema dp_noise because extension dp_noise requires it/ ],
	[ 'second', 'DROP SCHEMA dp_noise_ledger CASCADE', qr/cannot drop schema dp_noise_ledger because extension dp_noise requires it/ ],
	[ 'second', 'DROP TABLE dp_noise_ledger.member CASCADE', qr/because extension dp_noise requires it/ ],
	[ 'second', 'DROP EVENT TRIGGER dp_noise_on_drop', qr/because extension dp_noise requires it/ ],
	[ 'second', 'DROP LANGUAGE plpgsql CASCADE', qr/because extension (plpgsql|dp_noise) requires it/ ],
	[ 'tenant', 'DROP EXTENSION dp_noise', qr/must be owner/ ],
	[ 'tenant', 'SELECT dp_noise.allow_drop()', qr/permission denied/ ])
{
	my ($role, $sql, $message) = @$way;

	my ($code, $err) = try_as($role, $sql);
	like($err, $message, "$role: $sql");
	is(is_there(), 1, 'nothing is gone') or last;
}

# Also a member that was taken out of the extension is no way around.
my ($code, $err) = try_as('second', 'BEGIN; ALTER EXTENSION dp_noise DROP EVENT TRIGGER dp_noise_on_drop; DROP EVENT TRIGGER dp_noise_on_drop; DROP EXTENSION dp_noise; COMMIT');
like($err, $refused, 'without the event trigger');
is(is_there(), 1, 'nothing is gone');

# the message says what would be lost, and how to do it all the same
(undef, $err) = try_as('second', 'DROP EXTENSION dp_noise');
like($err, qr/DETAIL:  Its ledger and budgets, and the protection of archive\.people, would be lost\./, 'the message names the table');
like($err, qr/HINT:  .*dp_noise\.unprotect\(\).*dp_noise\.allow_drop\(\)/, 'and the two ways');
$node->safe_psql('postgres', q{CREATE TABLE more (id int); SELECT dp_noise.protect('more', epsilon => 1e6, delta => 1)});
(undef, $err) = try_as('second', 'DROP EXTENSION dp_noise');
like($err, qr/DETAIL:  Its ledger and budgets, and the protection of archive\.people and 1 more, would be lost\./, 'and counts the others');
$node->safe_psql('postgres', q{DROP TABLE more});

# on purpose
($code, $err) = try_as('second', 'BEGIN; SAVEPOINT a; SELECT dp_noise.allow_drop(); RELEASE a; SAVEPOINT b; SELECT dp_noise.allow_drop(); ROLLBACK TO b; DROP EXTENSION dp_noise; COMMIT');
is($code, 0, 'after allow_drop() it passes') or diag $err;
$node->safe_psql('postgres', 'DROP SCHEMA room; DROP SCHEMA archive CASCADE');
prepare();
($code, $err) = try_as('keeper', q{SELECT dp_noise.unprotect('archive.people')});
is($code, 0, 'the owner ends the protection');
($code, $err) = try_as('tenant', 'DROP SCHEMA room CASCADE');
is($code, 0, 'then nothing is lost that protects anybody') or diag $err;
$node->safe_psql('postgres', 'DROP SCHEMA archive CASCADE');
prepare();
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION dp_noise.allow_drop() TO tenant, keeper');
($code, $err) = try_as('keeper', 'BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise; COMMIT');
like($err, qr/must be owner of extension dp_noise/, 'who was granted allow_drop() cannot drop what is not theirs');
($code, $err) = try_as('tenant', 'DROP SCHEMA room CASCADE');
like($err, $refused, 'nor anything without calling it');
($code, $err) = try_as('tenant', 'BEGIN; SELECT dp_noise.allow_drop(); DROP SCHEMA room CASCADE; COMMIT');
is($code, 0, 'but what is, after it') or diag $err;
$node->safe_psql('postgres', 'DROP SCHEMA archive CASCADE');
prepare();
($code, $err) = try_as('second', 'DROP TABLE archive.people; DROP EXTENSION dp_noise');
is($code, 0, 'nor when the table is gone') or diag $err;

# Where the library is not preloaded, the statement itself loads it.
$node->safe_psql('postgres', 'DROP SCHEMA room; DROP SCHEMA archive');
prepare();
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
foreach my $way ([ 'tenant', 'DROP SCHEMA room CASCADE' ], [ 'second', 'DROP EXTENSION dp_noise' ], [ 'second', 'DROP OWNED BY second CASCADE' ],
	[ 'second', 'SET session_replication_role = replica; DROP EXTENSION plpgsql CASCADE' ])
{
	my ($role, $sql) = @$way;

	($code, $err) = try_as($role, $sql);
	like($err, $refused, "not preloaded, $role: $sql");
	is(is_there(), 1, 'nothing is gone');
}
($code, $err) = try_as('second', 'BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise; COMMIT');
is($code, 0, 'and lets it pass on purpose') or diag $err;

# A table of the name that is not the extension's is everybody's own business.
$node->safe_psql('postgres', 'CREATE SCHEMA dp_noise_ledger; CREATE TABLE dp_noise_ledger.member (relation oid); INSERT INTO dp_noise_ledger.member VALUES (1); DROP SCHEMA dp_noise_ledger CASCADE');

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|was terminated by signal|cache lookup failed|could not open relation/, 'nothing odd in the log');
$node->stop;
done_testing();
