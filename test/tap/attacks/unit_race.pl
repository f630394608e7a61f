# Class of attack: a race between planning and protect(). The owner of one of many
# joined relations changes its privacy unit while another session of the same
# owner has a question planned: checked under one unit and bounded under the other,
# one person would count a thousand times.
#
# So that one try is enough, planning is stopped in the middle: the superuser locks
# one of the extension's tables that are looked up.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('unit_race');

# "persons" is not dp_ann's; all others are.
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE persons (id int PRIMARY KEY);
INSERT INTO persons VALUES (7);
SELECT dp_noise.protect('persons', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('persons', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'persons', 1000000);
GRANT CREATE ON SCHEMA public TO dp_ann;
ALTER ROLE dp_ann SET dp_noise.epsilon = 1000;
SET ROLE dp_ann;
CREATE TABLE mine (number int PRIMARY KEY, person int);
INSERT INTO mine SELECT i, 7 FROM generate_series(1, 1000) AS i;
SELECT dp_noise.set_bounds('mine', 'number', 0, 1000) FROM dp_noise.protect('mine', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1);
DO $$
BEGIN
	FOR i IN 1 .. 30 LOOP
		EXECUTE format('CREATE TABLE m%s (person int PRIMARY KEY)', i);
		EXECUTE format('INSERT INTO m%s VALUES (7)', i);
		PERFORM dp_noise.protect(format('m%s', i)::regclass, 'person', epsilon => 1e6, delta => 1);
	END LOOP;
END
$$;
EOS

foreach my $attack ([ 'column_bounds', 'dp_sum(number)', 12 ], [ 'column_bounds', 'dp_sum(number)', 0 ], [ 'column_bounds', 'dp_sum(number)', 30 ])
{
	my ($table, $aggregate, $others) = @$attack;
	my $question = "SELECT $aggregate FROM persons JOIN mine ON mine.person = persons.id"
		. join('', map { " JOIN m$_ ON m$_.person = persons.id" } 1 .. $others);
	my $blocker = $node->background_psql('postgres');
	my $asker = $node->session('dp_ann');
	my $name = "$aggregate of $others + 2 relations";
	my $before;

	$node->safe_psql('postgres', q{SELECT dp_noise.protect('mine', 'person', max_rows_per_unit => 1, replace_unit => true)}, extra_params => [ '-U', 'dp_ann' ]);
	$asker->{in} = "$question;\n";    # and all plans and caches are there
	IPC::Run::pump $asker->{run} until $asker->{out} =~ /\n/ || $asker->{err} ne '';
	is($asker->{err}, '', "$name: undisturbed");
	($asker->{out}, $asker->{err}) = ('', '');
	$before = $node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise.ledger');

	$blocker->query_safe('BEGIN');
	$blocker->query_safe("LOCK TABLE dp_noise_ledger.$table IN ACCESS EXCLUSIVE MODE");
	$asker->{in} = "$question;\n\\q\n";
	IPC::Run::pump_nb $asker->{run};
	my $end = time + 20;
	while (time < $end && $node->safe_psql('postgres', 'SELECT count(*) FROM pg_locks WHERE NOT granted') == 0)
	{
		IPC::Run::pump_nb $asker->{run};
		usleep(20_000);
	}
	$node->safe_psql('postgres', q{SELECT dp_noise.protect('mine', 'number', replace_unit => true)}, extra_params => [ '-U', 'dp_ann' ]);
	$blocker->query_safe('COMMIT');
	$blocker->quit;
	IPC::Run::finish $asker->{run};
	is($asker->{out}, '', "$name: no answer");
	like($asker->{err}, qr/the protection of "mine" was changed after the statement was planned/, 'and why');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_noise.ledger'), $before, 'nothing is charged');
}

$node->stop;
done_testing();
