# Class: messages that quote rows. What reads a foreign table raises errors about
# the values it reads, or hands on what a remote server says, under codes of every
# class; the server adds the line that was being read even to a cancellation; and a
# setting of whoever asks ends the session with an error before anybody can keep it
# back. Whatever it is, the analyst hears one message without content, or what the
# extension itself says.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../lib";

use IPC::Run;
use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = LedgerCluster->new('foreign_tables', "autovacuum = off\nfsync = off\ndatestyle = 'ISO, DMY'\n");
my $directory = $node->basedir;
my $host = $node->host;
my $port = $node->port;

append_to_file("$directory/days", "1,05/02/2020\n2,25/12/2020\n");
append_to_file("$directory/times", "1,2020-01-01 10:00 UTC\n2,2020-01-01 11:00 Alice/HIV-positive\n");
append_to_file("$directory/words", "1,a\n2,Alice & & HIV\n");
append_to_file("$directory/roles", "1,postgres\n2,alice_hiv\n");
append_to_file("$directory/numbers", "1,1\n2,alice_hiv\n");
append_to_file("$directory/slow", "1,alice_hiv\n");

$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE EXTENSION postgres_fdw;
CREATE ROLE owner LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE SERVER remote FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
CREATE USER MAPPING FOR owner SERVER remote OPTIONS (user 'owner', password_required 'false');
GRANT USAGE ON FOREIGN SERVER files, remote TO owner;
GRANT pg_read_server_files TO owner;
SET ROLE owner;
CREATE FUNCTION is_fine(value text) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN PERFORM pg_sleep(20); RETURN true; END \$\$;
CREATE DOMAIN checked AS text CHECK (is_fine(VALUE));
CREATE FOREIGN TABLE days (id integer, x date) SERVER files OPTIONS (filename '$directory/days', format 'csv');
CREATE FOREIGN TABLE times (id integer, x timestamptz) SERVER files OPTIONS (filename '$directory/times', format 'csv');
CREATE FOREIGN TABLE words (id integer, x tsquery) SERVER files OPTIONS (filename '$directory/words', format 'csv');
CREATE FOREIGN TABLE roles (id integer, x regrole) SERVER files OPTIONS (filename '$directory/roles', format 'csv');
CREATE FOREIGN TABLE numbers (id integer, x integer) SERVER files OPTIONS (filename '$directory/numbers', format 'csv');
CREATE FOREIGN TABLE slow (id integer, x checked) SERVER files OPTIONS (filename '$directory/slow', format 'csv');

-- at a remote server, codes of every class
CREATE TABLE codes (id integer, code text);
INSERT INTO codes VALUES (1, '0A000'), (2, '22023'), (3, '22004'), (4, '25P01'), (5, '40001'), (6, '42501'), (7, '42601'), (8, '55000'), (9, '57014'), (10, '57P01'), (11, '22P02'), (12, 'P0001');
CREATE FUNCTION complain(code text) RETURNS integer LANGUAGE plpgsql AS
	\$\$ BEGIN RAISE EXCEPTION 'alice_hiv, %', code USING ERRCODE = code, DETAIL = 'alice_hiv', HINT = 'alice_hiv'; END \$\$;
CREATE VIEW complaints AS SELECT id, complain(code) AS x FROM codes;
CREATE FOREIGN TABLE remote (id integer, x integer) SERVER remote OPTIONS (table_name 'complaints');

-- and while the question is planned
CREATE FUNCTION complain_early(code text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
	\$\$ BEGIN RAISE EXCEPTION 'alice_hiv, %', code USING ERRCODE = code; END \$\$;
CREATE VIEW planned AS SELECT id, complain_early('42601') AS x FROM codes;
CREATE FOREIGN TABLE estimated (id integer, x integer) SERVER remote OPTIONS (table_name 'planned', use_remote_estimate 'true');
SELECT dp_noise.protect(r, privacy_unit => 'id', max_rows_per_unit => 1, epsilon => 1e6, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('dp_ann', r::text, 1000000, max_failures => NULL)
FROM unnest('{days,times,words,roles,numbers,slow,remote,estimated}'::regclass[]) AS r;
EOS

my $nothing = qr/^\S+ (?:ERROR|FATAL):  the protected relation could not be read\nHINT:  Ask its owner, to whom a plain query shows the cause\.(?:$|\n\S+ server closed)/;

# values that the server's own input functions refuse
foreach my $exit ('off', 'on')
{
	foreach my $table ('times', 'words', 'roles', 'numbers')
	{
		my (undef, $said) = $node->as_ann("SET exit_on_error = $exit; SELECT dp_count(x) FROM $table");

		like($said, $nothing, "$table, exit_on_error $exit");
	}
}

# what a remote server says, of a row that the analyst chooses
foreach my $id (1 .. 12)
{
	my (undef, $said) = $node->as_ann("SET exit_on_error = on; SELECT dp_count(x) FROM remote WHERE id = $id");

	like($said, $nothing, "remote error $id");
}
like(($node->as_ann("$_ SELECT dp_count(x) FROM estimated"))[1], $nothing, "while it is planned: $_")
  foreach '', 'EXPLAIN', 'SET exit_on_error = on;';

# texts mean what they mean to the administrators, whatever the analyst sets
foreach my $style ('ISO, DMY', 'ISO, MDY', 'German, YMD')
{
	my ($out, $said) = $node->as_ann("SET dp_noise.epsilon = 100; SET datestyle = '$style'; SELECT dp_count(x) FROM days WHERE x > '2020-12-01'");

	is("$out$said", '1', "a foreign table under DateStyle $style");
}

# a cancellation, and the end of the session, while a row is read
my (undef, $said) = $node->as_ann("SET statement_timeout = 500; SELECT dp_count(x) FROM slow");
like($said, qr/^\S+ ERROR:  canceling statement due to statement timeout$/, 'a timeout says nothing else');

my ($in, $out, $err) = ('', '', '');
my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') . ' user=dp_ann', '-c', 'SELECT dp_count(x) FROM slow' ],
	'<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(60));
my $sleeping = q{FROM pg_stat_activity WHERE usename = 'dp_ann' AND wait_event = 'PgSleep'};
my $is_read = 0;
for (1 .. 100)
{
	last if $is_read = $node->safe_psql('postgres', "SELECT count(*) $sleeping");
	usleep(50_000);
}
is($is_read, 1, 'a row is being read');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_stat_progress_copy'), '0', 'no progress is shown, nor the size of the file');
is($node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) $sleeping", extra_params => [ '-U', 'dp_ann' ]), 't', 'the session is ended from another');
IPC::Run::finish $session;
like($err, qr/FATAL:  terminating connection due to administrator command/, 'it hears of it');
unlike("$out$err", qr/alice|CONTEXT/, 'and of no row');

# the extension's own errors are told
like(($node->as_ann('SELECT dp_sum(x, 5, 1) FROM numbers'))[1], qr/ERROR:  (?!the protected relation could)/, 'a wrong parameter');

# nothing of it all in any message
unlike(slurp_file($node->logfile), qr/LOG:.*alice_hiv/, 'the causes are logged without their messages');

$node->stop;
done_testing();
