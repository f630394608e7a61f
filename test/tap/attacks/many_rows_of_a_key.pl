# A unique index that says nothing of the rows that are seen. In a snapshot
# taken before, rows that another session copies with FREEZE and deletes are
# there, as often as it does so, and so are those of a partition that it
# attaches. If an index were believed, one row of another's table would be joined
# to a thousand of the analyst's own, and one person count a thousand times.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('many_rows', '');
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE patients (id integer PRIMARY KEY, secret boolean);
INSERT INTO patients SELECT i, true FROM generate_series(1, 10) AS i;
SELECT dp_noise.protect('patients', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('patients', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'patients', 1000000);
CREATE SCHEMA mine AUTHORIZATION dp_ann;
GRANT USAGE ON SCHEMA mine TO PUBLIC;
-- the owner's, too, but others may write to it
CREATE TABLE shared (id integer PRIMARY KEY, x integer);
SELECT dp_noise.protect('shared', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('shared', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'shared', 1000000);
GRANT INSERT, DELETE, TRUNCATE ON shared TO dp_ann;
-- and one to which another may write, from whom that is taken afterwards
CREATE TABLE once_shared (id integer PRIMARY KEY, x integer);
SELECT dp_noise.protect('once_shared', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('once_shared', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'once_shared', 1000000);
GRANT INSERT, DELETE, TRUNCATE ON once_shared TO dp_bob;
EOS
$node->as_ann(<<'EOS');
CREATE TABLE mine.plain (id integer PRIMARY KEY, x integer);
CREATE TABLE mine.words (word text PRIMARY KEY, id integer);
CREATE TABLE mine.pairs (a bigint, b varchar, PRIMARY KEY (a, b));
CREATE TABLE mine.owned (id integer PRIMARY KEY, x integer);
CREATE TABLE mine.parts (id integer PRIMARY KEY, x integer) PARTITION BY RANGE (id);
CREATE TABLE mine.part (id integer NOT NULL, x integer);
INSERT INTO mine.part SELECT 1, 1 FROM generate_series(1, 1000);
SELECT dp_noise.protect(r, privacy_unit => 'id', epsilon => 1e6, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('dp_ann', r::text, 1000000)
FROM unnest('{mine.owned,mine.parts}'::regclass[]) AS r;
EOS

# One row a thousand times, all of them deleted, for whoever sees them.
sub freeze
{
	my ($table, $row) = @_;

	return "BEGIN;\nTRUNCATE $table;\n" . "COPY $table FROM STDIN (FREEZE);\n$row\n\\.\nDELETE FROM $table;\n" x 1000 . "COMMIT;\n";
}

# What a session with a snapshot of before hears, or how it fails. At epsilon 1
# noise beyond 100 has probability 1e-43.
sub asked
{
	my ($attack, @questions) = @_;
	my $session = $node->session('dp_ann');
	my @answers;

	$session->{in} = "SET dp_noise.epsilon = 1;\nBEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 'begun';\n";
	IPC::Run::pump $session->{run} until $session->{out} =~ /begun\n/;
	my ($out, $err) = $node->as_ann($attack);
	is($err, '', 'the attack is made');
	foreach my $question (@questions)
	{
		$session->{out} = $session->{err} = '';
		$session->{in} = "SAVEPOINT s;\n$question;\n\\echo asked\n\\warn asked\nROLLBACK TO s;\n";
		IPC::Run::pump $session->{run} until $session->{out} =~ /asked\n/ && $session->{err} =~ /asked\n/;
		$session->{err} =~ s/DETAIL.*//s;
		push @answers, ($session->{err} =~ s/asked\n//r) || ($session->{out} =~ s/asked\n//r);
	}
	$session->{in} = "\\q\n";
	IPC::Run::finish $session->{run};
	return @answers;
}

sub refused
{
	my ($name, $table, $answer) = @_;

	like($answer, qr/ERROR:  rows of "$table" have the same key, which is to be unique/, $name);
	return;
}

my ($inner, $left, $grouped) = asked(freeze('mine.plain', "1\t1"),
	'SELECT dp_count(*) FROM patients JOIN mine.plain USING (id) WHERE secret',
	'SELECT dp_count(*) FROM patients LEFT JOIN mine.plain USING (id) WHERE secret AND x IS NOT NULL',
	'SELECT x, dp_count(*) FROM patients LEFT JOIN mine.plain USING (id) GROUP BY x');
refused('a table that is looked up', 'plain', $inner);
refused('by an outer join', 'plain', $left);
refused('for a key', 'plain', $grouped);
my ($words) = asked(freeze('mine.words', "one\t1"),
	q{SELECT dp_count(*) FROM patients JOIN mine.words ON word = CASE patients.id WHEN 1 THEN 'one' END});
refused('by a text', 'words', $words);
my ($pairs) = asked(freeze('mine.pairs', "1\tone"), q{SELECT dp_count(*) FROM patients JOIN mine.pairs ON a = patients.id AND b = 'one'});
refused('by two columns', 'pairs', $pairs);

# Protected tables are not read in a snapshot that is older than what is known of
# them, whoever owns them and whoever wrote to them.
sub too_old
{
	my ($name, $table, $answer) = @_;

	like($answer, qr/ERROR:  the definition of "$table" is younger than this transaction's view of its rows/, $name);
	return;
}

foreach my $table ('mine.owned', 'shared')
{
	my $name = $table =~ s/.*\.//r;

	too_old("$table is not read", $name, $_) foreach asked(freeze($table, "1\t1"), "SELECT dp_count(*) FROM patients JOIN $table USING (id) WHERE secret",
		"SELECT dp_count(*) FROM patients LEFT JOIN $table USING (id) WHERE secret",
		"SELECT dp_sum(x, 0, 1) FROM patients LEFT JOIN $table USING (id) WHERE secret",
		"SELECT dp_count(*) FROM $table JOIN patients USING (id) WHERE secret");
}
too_old('a table that was emptied by who may no longer', 'once_shared', $_)
	foreach asked("\\c - dp_bob\n" . freeze('once_shared', "1\t1") . "\\c - $superuser\nREVOKE ALL ON once_shared FROM dp_bob;\n",
	'SELECT dp_count(*) FROM patients JOIN once_shared USING (id) WHERE secret',
	'SELECT dp_count(*) FROM patients LEFT JOIN once_shared USING (id) WHERE secret');
my ($joined, $outer) = asked(<<'EOS',
DELETE FROM mine.part WHERE ctid > '(0,1)';
ALTER TABLE mine.part ADD PRIMARY KEY (id);
ALTER TABLE mine.parts ATTACH PARTITION mine.part FOR VALUES FROM (0) TO (10);
EOS
	'SELECT dp_count(*) FROM patients JOIN mine.parts USING (id) WHERE secret',
	'SELECT dp_count(*) FROM patients LEFT JOIN mine.parts USING (id) WHERE secret');
too_old('a partition that is attached', 'part(s)?', $joined);
too_old('and on the nullable side', 'part(s)?', $outer);

# In a new transaction all is well again.
my ($out, $err) = $node->as_ann("SET dp_noise.epsilon = 1; SELECT dp_count(*) BETWEEN -100 AND 100 FROM patients JOIN mine.plain USING (id)");
is("$out$err", 't', 'afterwards it is answered');

done_testing();
