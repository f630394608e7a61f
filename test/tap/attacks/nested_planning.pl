# Class of attack: the analyst's own function runs while a statement is planned.
# It waits for another session to change the protection of the analyst's own
# table, then plans a private query itself. In between the statement must not come
# to see other settings than at first: it would be checked under one privacy unit
# and bounded under another, and one person would count a thousand times.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('nested');

# dp_ann asks about "persons", which is not hers, joined to "mine", which is.
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE persons (id int PRIMARY KEY);
INSERT INTO persons VALUES (7);
SELECT dp_noise.protect('persons', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('persons', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'persons', 1000000);
CREATE SCHEMA own AUTHORIZATION dp_ann;
ALTER ROLE dp_ann SET dp_noise.epsilon = 1000;
SET ROLE dp_ann;
CREATE TABLE own.mine (number int PRIMARY KEY, person int);
INSERT INTO own.mine SELECT i, 7 FROM generate_series(1, 1000) AS i;
CREATE TABLE own.plain (number int PRIMARY KEY);
SELECT dp_noise.protect('own.mine', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1);

-- Waits where the other session holds the lock, then plans private queries.
CREATE FUNCTION own.meanwhile() RETURNS void LANGUAGE plpgsql VOLATILE AS $f$
DECLARE
	line text;
BEGIN
	PERFORM pg_advisory_lock(1);
	PERFORM pg_advisory_unlock(1);
	FOR line IN EXECUTE 'EXPLAIN SELECT dp_count(*) FROM own.mine' LOOP
	END LOOP;
	FOR line IN EXECUTE 'EXPLAIN SELECT dp_count(*) FROM public.persons' LOOP
	END LOOP;
END
$f$;
CREATE FUNCTION own.hook(result boolean) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $f$
BEGIN
	PERFORM own.meanwhile();
	RETURN result;
END
$f$;
CREATE FUNCTION own.rows_of(boolean) RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT number FROM own.plain';
CREATE FUNCTION own.asks(boolean) RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.persons JOIN own.mine ON mine.person = persons.id';
CREATE VIEW own.seen AS SELECT dp_count(*) AS n FROM public.persons JOIN own.mine ON mine.person = persons.id AND own.hook(true);
EOS

# Has dp_ann ask while the lock is held, changes the unit of her table, or
# something else, and lets the question go on: the answer, the error, and the
# number of charges.
sub ask_meanwhile
{
	my ($query, $change) = @_;
	my $other = $node->background_psql('postgres', extra_params => [ '-U', 'dp_ann' ]);
	my $charged = q{SELECT count(*) FROM dp_noise.ledger};
	my $before = $node->safe_psql('postgres', $charged);
	my $asker;

	$node->safe_psql('postgres', q{SELECT dp_noise.protect('own.mine', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)}, extra_params => [ '-U', 'dp_ann' ]);
	$other->query_safe('SELECT pg_advisory_lock(1)');
	$asker = $node->session('dp_ann');
	$asker->{in} = "$query;\n\\q\n";
	IPC::Run::pump_nb $asker->{run};

	# it waits in the function, or was refused before
	my $end = time + 20;
	while (time < $end && IPC::Run::pumpable $asker->{run})
	{
		last if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) > 0;
		last if $asker->{err} =~ /ERROR/;
		IPC::Run::pump_nb $asker->{run};
		usleep(20_000);
	}
	$node->safe_psql('postgres', $change // q{SELECT dp_noise.protect('own.mine', 'number', replace_unit => true, epsilon => 1e6, delta => 1)}, extra_params => [ '-U', 'dp_ann' ]);
	$other->query_safe('SELECT pg_advisory_unlock(1)');
	$other->quit;
	IPC::Run::finish $asker->{run};
	chomp(my $out = $asker->{out});
	return ($out, $asker->{err}, $node->safe_psql('postgres', $charged) - $before);
}

# undisturbed: one row of the person counts
is($node->safe_psql('postgres', 'SELECT dp_count(*) FROM persons JOIN own.mine ON mine.person = persons.id', extra_params => [ '-U', 'dp_ann' ]),
	1, 'undisturbed: one row of a person counts');

my $join = 'FROM persons JOIN own.mine ON mine.person = persons.id';
foreach my $query (
	"SELECT dp_count(*) $join AND own.hook(true)",
	"SELECT dp_count(*) $join WHERE own.hook(true)",
	"SELECT dp_count(*) FILTER (WHERE own.hook(true)) $join",
	"SELECT dp_count(*) $join GROUP BY own.hook(true)",
	"SELECT dp_count(*) $join HAVING own.hook(true)",
	"SELECT n FROM (SELECT dp_count(*) AS n $join) AS s, own.rows_of(own.hook(true)) AS r",
	"SELECT (SELECT dp_count(*) $join), (SELECT count(*) FROM own.rows_of(own.hook(true)))",
	"SELECT n FROM (SELECT dp_count(*) AS n $join) AS s WHERE own.hook(true)",
	'SELECT n FROM own.seen',
	"WITH a AS (SELECT dp_count(*) $join) SELECT * FROM a WHERE own.hook(true)")
{
	my ($out, $err, $charges) = ask_meanwhile($query);

	is($out, '', "no answer: $query");
	like($err, qr/the protection of "mine" was changed after the statement was planned|cannot be used/, 'and why');
	is($charges, 0, 'nothing is charged');
}

# Columns that change their names before the query is read in which they are named.
my ($swapped, $why, $paid) = ask_meanwhile('SELECT * FROM own.asks(own.hook(true))',
	'ALTER TABLE own.mine RENAME person TO other; ALTER TABLE own.mine RENAME number TO person; ALTER TABLE own.mine RENAME other TO number');
is("$swapped$paid", '0', 'columns swap names: no answer');
like($why, qr/the protection of "mine" was changed|cannot be used|must be declared|privacy units/, 'and why');
$node->safe_psql('postgres', 'ALTER TABLE own.mine RENAME person TO other; ALTER TABLE own.mine RENAME number TO person; ALTER TABLE own.mine RENAME other TO number',
	extra_params => [ '-U', 'dp_ann' ]);
$node->safe_psql('postgres', q{SELECT dp_noise.protect('own.mine', 'number', replace_unit => true, epsilon => 1e6, delta => 1)}, extra_params => [ '-U', 'dp_ann' ]);

# The server goes on, and so does the analyst under the new settings.
my ($out, $err) = $node->as_ann('SELECT dp_count(*) FROM persons JOIN own.mine ON mine.person = persons.id');
like($err, qr/on anything but their privacy units/, 'asked anew: under the new unit');
$node->safe_psql('postgres', q{SELECT dp_noise.protect('own.mine', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)}, extra_params => [ '-U', 'dp_ann' ]);

# Planning that fails in the middle leaves the statement around it its own
# picture: the error is caught, and planned on.
$node->safe_psql('postgres', <<'EOS', extra_params => [ '-U', 'dp_ann' ]);
CREATE OR REPLACE FUNCTION own.meanwhile() RETURNS void LANGUAGE plpgsql VOLATILE AS $f$
DECLARE
	line text;
	statement text;
BEGIN
	FOREACH statement IN ARRAY ARRAY['SELECT dp_sum(number) FROM own.mine', 'SELECT dp_count(*) FROM public.persons, public.people',
		'SELECT dp_count(*) FROM own.nowhere', 'SELECT * FROM public.persons', 'SELECT dp_count(*) FROM public.persons WHERE 1 / 0 = 1']
	LOOP
		BEGIN
			FOR line IN EXECUTE 'EXPLAIN ' || statement LOOP
			END LOOP;
		EXCEPTION WHEN OTHERS THEN
		END;
	END LOOP;
END
$f$;
EOS
foreach my $query ("SELECT n FROM (SELECT dp_count(*) AS n $join) AS s WHERE own.hook(true)",
	"SELECT n FROM (SELECT dp_count(*) AS n $join) AS s, own.rows_of(own.hook(true)) AS r RIGHT JOIN (VALUES (1)) AS v ON true")
{
	($out, $err) = $node->as_ann("$query; $query; SELECT dp_count(*) $join");
	unlike($out, qr/[2-9]|1./, "errors within planning: nobody counts twice: $query");
	like($out, qr/^1$/m, 'and the session goes on');
	like($err, qr/^$|cannot be used/, 'without errors');
}
$node->stop;
done_testing();
