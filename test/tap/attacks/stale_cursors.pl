# Class of attack: time of check, time of use. A cursor is declared, the settings
# that it was planned under are changed, and then it is fetched from: it must not
# be answered under the old ones, nor be charged. A plan that is made anew goes on.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('stale');

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE kinds (kind int PRIMARY KEY);
INSERT INTO kinds VALUES (1), (2);
CREATE TABLE visits (id int PRIMARY KEY, person int, age int, kind text, sort int REFERENCES kinds);
INSERT INTO visits SELECT i, 1, 50, 'a', 1 FROM generate_series(1, 1000) AS i;
CREATE TABLE towns (id int PRIMARY KEY, name text);
INSERT INTO towns SELECT i, 'x' FROM generate_series(1, 1000) AS i;
GRANT SELECT ON kinds, towns TO dp_ann;
ALTER ROLE dp_ann SET dp_noise.epsilon = 100;
EOS

# the settings before each attack
my $settings = <<'EOS';
SELECT dp_noise.protect('visits', 'id', replace_unit => true, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_bounds('visits', 'age', 0, 100);
SELECT dp_noise.set_values('visits', 'kind', '{a,b}');
SELECT dp_noise.set_levels('visits', NULL);
SELECT dp_noise.alter_population('visits', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'visits', 1000000);
EOS

# Declares a cursor, changes something, fetches: what came of it, and whether it
# was charged.
sub fetched
{
	my ($query, $change, %how) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', $how{role} // 'dp_ann' ]);
	my $charged = q{SELECT count(*) FROM dp_noise.ledger};

	$session->query_safe($_) foreach @{ $how{first} // [] };
	$session->query_safe('BEGIN');
	$session->query_safe("DECLARE c CURSOR FOR $query");
	if ($how{same_session})
	{
		$session->query_safe($change);
	}
	else
	{
		$node->safe_psql('postgres', $change);
	}
	my $before = $node->safe_psql('postgres', $charged);
	my $out = $session->query('FETCH ALL FROM c');
	my $err = $session->{stderr};

	$session->{stderr} = '';
	$session->query('ROLLBACK');
	$session->quit;
	return ($out, $err, $node->safe_psql('postgres', $charged) - $before);
}

sub is_refused
{
	my ($name, $query, $change, $message, %how) = @_;

	$node->safe_psql('postgres', $settings);
	my ($out, $err, $charges) = fetched($query, $change, %how);
	is($out, '', "$name: no answer");
	like($err, qr/$message/, "$name: the error says why");
	is($charges, 0, "$name: nothing is charged");
	return;
}

my $changed = 'the protection of "visits" was changed after the statement was planned';

# without a change
$node->safe_psql('postgres', $settings);
my ($out, $err, $charges) = fetched('SELECT dp_count(*) FROM visits', 'SELECT 1');
is("$err$charges", '1', 'nothing changed: answered');
($out, $err, $charges) = fetched('SELECT dp_count(*) FROM visits', q{SELECT dp_noise.set_budget('dp_bob', 'visits', 1)});
is("$err$charges", '1', 'budgets changed: answered');

# settings, by the owner
is_refused('another unit', 'SELECT dp_count(*) FROM visits', q{SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)}, $changed);
is_refused('other caps', 'SELECT dp_count(*) FROM visits', q{SELECT dp_noise.protect('visits', 'id', 'substitute', replace_unit => true, epsilon => 1e6, delta => 1)}, $changed);
is_refused('unprotected and protected', 'SELECT dp_count(*) FROM visits', qq{SELECT dp_noise.unprotect('visits'); $settings}, $changed);
is_refused('unprotected', 'SELECT dp_count(*) FROM visits', q{SELECT dp_noise.unprotect('visits')}, 'not protected|was changed');
is_refused('other bounds', 'SELECT dp_sum(age) FROM visits', q{SELECT dp_noise.set_bounds('visits', 'age', 0, 1)}, $changed);
is_refused('no bounds', 'SELECT dp_sum(age) FROM visits', q{SELECT dp_noise.set_bounds('visits', 'age', NULL, NULL)}, $changed);
is_refused('other values', 'SELECT kind, dp_count(*) FROM visits GROUP BY kind', q{SELECT dp_noise.set_values('visits', 'kind', '{c}')}, $changed);
is_refused('no values', 'SELECT kind, dp_count(*) FROM visits GROUP BY kind', q{SELECT dp_noise.set_values('visits', 'kind', NULL)}, $changed);
is_refused('levels', 'SELECT dp_count(*) FROM visits', q{SELECT dp_noise.set_levels('visits', '{0.1}')}, $changed);
is_refused('bounds of another column', 'SELECT dp_count(*) FROM visits', q{SELECT dp_noise.set_bounds('visits', 'id', 0, 1)}, $changed);

# one of several relations of a statement, in a block of its own
is_refused('one of two blocks', 'SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM visits)', q{SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)}, $changed);

# what was not protected when it was planned
my $joined = 'SELECT dp_count(*) FROM visits JOIN towns ON towns.id = visits.id';
is_refused('a joined table', $joined, q{SELECT dp_noise.protect('towns', epsilon => 1e6, delta => 1)}, 'relation "towns" was protected after the statement was planned');
$node->safe_psql('postgres', q{SELECT dp_noise.unprotect('towns')});
is_refused('a table that a key refers to', 'SELECT sort, dp_count(*) FROM visits GROUP BY sort', q{SELECT dp_noise.protect('kinds', epsilon => 1e6, delta => 1)}, 'relation "kinds" was protected after the statement was planned');
$node->safe_psql('postgres', q{SELECT dp_noise.unprotect('kinds')});

# an answer that would be replayed
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('visits', on_repeat => 'replay'), dp_noise.set_budget('dp_ann', 'visits', 1000000)});
$settings =~ s/on_repeat => 'answer'/on_repeat => 'replay'/;
is($node->safe_psql('postgres', 'SELECT dp_count(*) > 0 FROM visits', extra_params => [ '-U', 'dp_ann' ]), 't', 'asked once');
($out, $err, $charges) = fetched('SELECT dp_count(*) FROM visits', 'SELECT 1');
is("$err$charges", '0', 'asked again: replayed');
is_refused('a replay', 'SELECT dp_count(*) FROM visits', q{SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)}, $changed);
$settings =~ s/on_repeat => 'replay'/on_repeat => 'answer'/;

# The owner in a session of its own, where no lock of the cursor is in the way
# of ALTER TABLE.
$node->safe_psql('postgres', 'ALTER TABLE visits OWNER TO dp_bob; ALTER TABLE kinds OWNER TO dp_bob; GRANT CREATE ON SCHEMA public TO dp_bob');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('public.visits', owner => 'dp_bob')});
my $defined = 'relation "visits" was changed after the statement was planned';
foreach my $change (
	'ALTER TABLE visits ALTER age TYPE text', 'ALTER TABLE visits ALTER age TYPE bigint',
	'ALTER TABLE visits ALTER person SET NOT NULL', 'ALTER TABLE visits DROP CONSTRAINT visits_pkey',
	'ALTER TABLE visits RENAME age TO years', 'ALTER TABLE visits DROP kind',
	'ALTER TABLE visits ADD other int', 'ALTER TABLE visits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
	'ALTER TABLE visits ALTER age TYPE text; ALTER TABLE visits ALTER age TYPE int USING age::int')
{
	is_refused("owner: $change", 'SELECT dp_sum(age) FROM visits', $change, $defined, role => 'dp_bob', same_session => 1);
}

$node->safe_psql('postgres', 'ALTER TABLE towns OWNER TO dp_bob');
is_refused('owner: a joined table', 'SELECT t.name, dp_count(*) FROM visits JOIN towns AS t ON t.id = visits.id GROUP BY t.name', 'ALTER TABLE towns ALTER name TYPE int USING 7',
	'relation "towns" was changed', role => 'dp_bob', same_session => 1);
is_refused('owner: a table that a key refers to', 'SELECT sort, dp_count(*) FROM visits GROUP BY sort', 'ALTER TABLE kinds ADD more int',
	'relation "kinds" was changed', role => 'dp_bob', same_session => 1);

# Settings in the same session: the owner's own transaction holds the lock.
my ($own_out, $own_err, $own_charges) = fetched('SELECT dp_count(*) FROM visits', q{SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)}, role => 'dp_bob', same_session => 1);
is("$own_out$own_charges", '0', 'the owner, in one transaction: no answer');

# A cursor of a function, and one that is held.
my $held = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);
$node->safe_psql('postgres', "$settings CREATE FUNCTION opened() RETURNS refcursor LANGUAGE plpgsql AS \$\$ DECLARE c refcursor := 'c'; BEGIN OPEN c FOR SELECT dp_count(*) FROM visits; RETURN c; END \$\$");
$held->query_safe('BEGIN');
$held->query_safe('SELECT opened()');
$node->safe_psql('postgres', q{SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 1, replace_unit => true, epsilon => 1e6, delta => 1)});
is($held->query('FETCH ALL FROM c'), '', 'the cursor of a function: no answer');
like($held->{stderr}, qr/$changed/, 'and why');
$held->{stderr} = '';
$held->query_safe('ROLLBACK');
$held->query_safe('BEGIN');
$held->query_safe('DECLARE h CURSOR WITH HOLD FOR SELECT dp_count(*) FROM visits');
$node->safe_psql('postgres', q{SELECT dp_noise.protect('visits', 'id', replace_unit => true, epsilon => 1e6, delta => 1)});
$held->query('COMMIT');
like($held->{stderr}, qr/$changed/, 'a held cursor is run when its transaction ends');
$held->{stderr} = '';

# Plans that are kept are made anew, whatever is changed, and whoever keeps them.
$held->query_safe($_) foreach 'SET plan_cache_mode = force_generic_plan',
  'PREPARE many AS SELECT dp_sum(age) FROM visits', 'PREPARE groups AS SELECT count(*) FROM (SELECT kind, dp_count(*) FROM visits GROUP BY kind) AS g';
$held->query_safe('EXECUTE many');
like($held->query_safe('EXPLAIN EXECUTE many'), qr/Sensitivity: 100/, 'a generic plan');
unlike($held->query_safe('EXPLAIN EXECUTE many'), qr/Rows per Unit/, 'for one row a unit');
$node->safe_psql('postgres', q{SELECT dp_noise.protect('visits', 'person', max_rows_per_unit => 7, replace_unit => true, epsilon => 1e6, delta => 1)});
like($held->query_safe('EXPLAIN EXECUTE many'), qr/Rows per Unit: 7/, 'another unit: planned anew');
$held->query_safe('EXECUTE many');
$node->safe_psql('postgres', q{SELECT dp_noise.set_bounds('visits', 'age', 0, 3)});
like($held->query_safe('EXPLAIN EXECUTE many'), qr/Sensitivity: 21/, 'other bounds: planned anew');
$held->query_safe('EXECUTE many');
is($held->query_safe('EXECUTE groups'), 3, 'declared values, and null');
$node->safe_psql('postgres', q{SELECT dp_noise.set_values('visits', 'kind', '{c,d,e}')});
is($held->query_safe('EXECUTE groups'), 4, 'others: planned anew');
$node->safe_psql('postgres', q{SELECT dp_noise.set_levels('visits', '{100}')});
like($held->query_safe('EXPLAIN EXECUTE groups'), qr/Privacy Levels/, 'levels: planned anew');
$node->safe_psql('postgres', q{SELECT dp_noise.unprotect('visits')});
$held->query('EXECUTE many');
like($held->{stderr}, qr/permission denied/, 'unprotected: planned anew, and refused');
$held->quit;

$node->stop;
done_testing();
