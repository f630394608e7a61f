# Class: commands that are refused, but lock before they are. Somebody without any
# privilege repeats them in several sessions, or keeps a lock that needs none, to
# have the charges of others refused. All charges succeed.
#
# Takes long: 11 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('refused', "max_connections = 60\nfsync = off\nlog_min_messages = fatal\nlog_min_error_statement = fatal\n");

$node->safe_psql('postgres', <<'EOS');
CREATE ROLE dp_eve LOGIN;
CREATE SCHEMA eve AUTHORIZATION dp_eve;
SET ROLE dp_eve;
CREATE TABLE eve.mine (id int PRIMARY KEY);
CREATE FUNCTION eve.mine() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION eve.fires() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
EOS

# Charges for some seconds while the sessions go on: how many, and what went wrong.
sub charge_meanwhile
{
	my ($seconds, @sessions) = @_;
	my $end = time + $seconds;
	my ($charged, %errors) = (0);

	while (time < $end)
	{
		IPC::Run::pump_nb $_->{run} foreach @sessions;
		my ($out, $err) = $node->as_ann('SELECT ask();' x 10);
		$charged += () = $out =~ /charged/g;
		$errors{$_}++ foreach $err =~ /ERROR:  .*/g;
	}
	return ($charged, join '; ', map { "$errors{$_} x $_" } sort keys %errors);
}

sub end
{
	$node->safe_psql('template1', q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'dp_eve'});
	local $SIG{PIPE} = 'IGNORE';
	foreach my $session (@_)
	{
		eval { IPC::Run::finish $session->{run} };
	}
	return;
}

# again and again
my %attacks = (
	'DROP EXTENSION' => 'DROP EXTENSION dp_noise',
	'COMMENT ON EXTENSION' => q{COMMENT ON EXTENSION dp_noise IS ''},
	'ALTER EXTENSION' => 'ALTER EXTENSION dp_noise ADD TABLE eve.mine',
	'DROP TABLE' => 'DROP TABLE people',
	'DROP SCHEMA' => 'DROP SCHEMA dp_noise CASCADE',
	'DROP EVENT TRIGGER' => 'DROP EVENT TRIGGER dp_noise_on_drop',
	'ALTER TABLE' => 'ALTER TABLE people RENAME TO persons',
	'LOCK TABLE' => 'LOCK TABLE dp_noise_ledger.budget',
	'TRUNCATE' => 'TRUNCATE dp_noise_ledger.place',
	'CREATE TRIGGER' => 'CREATE TRIGGER t BEFORE INSERT ON dp_noise_ledger.budget FOR EACH ROW EXECUTE FUNCTION eve.fires()',
	'CREATE RULE' => 'CREATE RULE r AS ON INSERT TO dp_noise_ledger.place DO INSTEAD NOTHING',
	'REFERENCES' => 'CREATE TABLE eve.more (id int REFERENCES dp_noise_ledger.member)',
	'INHERITS' => 'CREATE TABLE eve.more () INHERITS (dp_noise_ledger.charge)',
	'ALTER INDEX' => 'ALTER INDEX dp_noise_ledger.budget_pkey DEPENDS ON EXTENSION plpgsql',
	'REINDEX' => 'REINDEX TABLE dp_noise_ledger.answer',
	'VACUUM' => 'VACUUM FULL dp_noise_ledger.charge',
	'DROP DATABASE' => 'DROP DATABASE postgres',
	'DROP ROLE' => 'DROP ROLE dp_ann');

foreach my $attack (sort keys %attacks)
{
	my @sessions = map { $node->session('dp_eve') } 1 .. 8;

	foreach my $session (@sessions)
	{
		$session->{in} =
		  $attack =~ /DATABASE|VACUUM/
		  ? "$attacks{$attack};\n" x 100_000
		  : "DO \$\$ BEGIN LOOP BEGIN $attacks{$attack}; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END \$\$;\n";
		IPC::Run::pump_nb $session->{run};
	}
	my ($charged, $errors) = charge_meanwhile(2, @sessions);
	is($errors, '', "$attack: no charge is refused");
	cmp_ok($charged, '>=', 10, "$attack: charges go on");
	end(@sessions);
}

# one that is not refused, and kept by an open transaction
my $session = $node->session('dp_eve');
$session->{in} .= "BEGIN;\nALTER FUNCTION eve.mine() DEPENDS ON EXTENSION dp_noise;\nSELECT 'kept';\n";
IPC::Run::pump $session->{run} until $session->{out} =~ /kept/;
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE classid = 'pg_extension'::regclass AND mode = 'AccessExclusiveLock'}), '1', 'DEPENDS ON EXTENSION: the extension is locked');
my ($charged, $errors) = charge_meanwhile(3);
is($errors, '', 'DEPENDS ON EXTENSION: no charge is refused');
cmp_ok($charged, '>=', 10, 'DEPENDS ON EXTENSION: charges go on');
end($session);

# a real one still waits for the batch, and charges for it
my $dropper = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
$dropper->{in} .= "BEGIN; SELECT dp_noise.unprotect('people'); DROP EXTENSION dp_noise CASCADE; SELECT 'dropped';\n";
IPC::Run::pump $dropper->{run} until $dropper->{out} =~ /dropped/;
my ($out, $err) = $node->as_ann("SET statement_timeout = '10s'; SELECT ask()");
is($out, '', 'the extension is really being dropped: no charge');
like($err, qr/ERROR/, 'an error');
$dropper->{in} .= "ROLLBACK;\n\\q\n";
IPC::Run::finish $dropper->{run};
($out) = $node->as_ann('SELECT ask()');
is($out, 'charged', 'rolled back: charges go on');

$node->stop;
done_testing();
