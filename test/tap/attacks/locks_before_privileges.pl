#!/usr/bin/perl
#
# Class: commands that lock a table before they ask for a privilege on it. Their
# locks wait for a transaction that has read the table and stays open, and all that
# comes later waits for them. Somebody without any privilege sends one against
# each of the ledger's relations; the charges of others go on.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('unnamed', "fsync = off\nmax_connections = 40\n");

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_eve LOGIN;
CREATE SCHEMA eve AUTHORIZATION dp_eve;
GRANT CREATE ON DATABASE postgres TO dp_eve;
SET ROLE dp_eve;
CREATE TABLE eve.mine (id int PRIMARY KEY);
CREATE TABLE eve.parts (id int) PARTITION BY LIST (id);
CREATE PUBLICATION eves;
CREATE FUNCTION eve.fires() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
EOS

my @tables = split /\n/, $node->safe_psql('postgres', q{
	SELECT c.oid::regclass FROM pg_class AS c
	JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
	WHERE c.relkind IN ('r', 'S') ORDER BY 1});
cmp_ok(scalar @tables, '>=', 10, 'the ledger has tables and sequences');

my %commands = (
	'CREATE RULE' => 'CREATE RULE r AS ON INSERT TO %s DO INSTEAD NOTHING',
	'CREATE TRIGGER' => 'CREATE TRIGGER t BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION eve.fires()',
	'REFERENCES' => 'ALTER TABLE eve.mine ADD FOREIGN KEY (id) REFERENCES %s',
	'ATTACH PARTITION' => 'ALTER TABLE eve.parts ATTACH PARTITION %s DEFAULT',
	'INHERITS' => 'ALTER TABLE eve.mine INHERIT %s',
	'CREATE STATISTICS' => 'CREATE STATISTICS eve.s ON relation_id, role_id FROM %s',
	'COMMENT ON TABLE' => q{COMMENT ON TABLE %s IS ''},
	'ALTER PUBLICATION' => 'ALTER PUBLICATION eves ADD TABLE %s',
	'LOCK TABLE' => 'DO $$ BEGIN LOCK TABLE %s; END $$',
	'TRUNCATE' => 'TRUNCATE %s',
	'nextval' => q{SELECT nextval('%s')},
	'VACUUM' => 'VACUUM %s');

# an analyst and an owner who have read all that they may, and stay
my $reader = $node->session('dp_ann');
$reader->{in} .= "BEGIN; SELECT count(*) FROM dp_budget; SELECT count(*) FROM dp_noise.ledger; SELECT count(*) FROM dp_noise.budgets; SELECT ask(); SELECT 'reads';\n";
IPC::Run::pump $reader->{run} until $reader->{out} =~ /reads/ || $reader->{err} =~ /ERROR/;
is($reader->{err}, '', 'a transaction that reads');

# The command ends in an error about its privilege; one that waits for a lock ends in
# another, after three seconds.
foreach my $command (sort keys %commands)
{
	my $eve = $node->session('dp_eve');

	$eve->{in} .= join '', map { sprintf("SET lock_timeout = '3s'; $commands{$command};\n", $_) } @tables;
	$eve->{in} .= "\\echo ended\n";
	IPC::Run::pump_nb $eve->{run};
	my $start = time;
	my ($out, $err) = $node->as_ann('SELECT ask();' x 3);
	my $until = sub {
		while (time < $_[0] && $eve->{out} !~ /ended/)
		{
			IPC::Run::pump_nb $eve->{run};
			usleep(10_000);
		}
	};
	$until->($start + 1);
	my ($more, $errors) = $node->as_ann('SELECT ask();' x 3);
	$until->($start + 120);
	is("$out\n$more", join("\n", ("charged") x 6), "$command: charges go on")
	  or diag($err . $errors);
	like($eve->{out}, qr/ended/, "$command: ends");
	unlike($eve->{err}, qr/lock timeout/, "$command: waits for no lock");
	is(scalar(() = $eve->{err} =~ /permission denied for schema dp_noise_ledger/g), scalar @tables, "$command: no name is found")
	  or diag($eve->{err});
	$eve->{in} .= "\\q\n";
	eval { IPC::Run::finish $eve->{run} };
}
$reader->{in} .= "ROLLBACK;\n\\q\n";
IPC::Run::finish $reader->{run};

$node->stop;
done_testing();
