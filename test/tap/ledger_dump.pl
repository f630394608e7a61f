# Dump and restore: the same populations, budgets, ledger, questions and bounds, by
# names; and nothing for somebody else of a name that was gone when the dump was made.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('dump');
my ($out, $err);

$node->safe_psql('postgres', <<'EOF');
ALTER ROLE dp_bob RENAME TO "Bob's ""own""";
CREATE ROLE team ROLE dp_ann;
CREATE ROLE gone LOGIN;
CREATE ROLE renamed LOGIN;
CREATE SCHEMA "Odd schema";
GRANT USAGE ON SCHEMA "Odd schema" TO PUBLIC;
CREATE TABLE "Odd schema"."Odd table" (id int, "Odd column" int, kind text);
CREATE TABLE moved (id int);
CREATE TABLE dropped (id int);
SELECT dp_noise.protect('"Odd schema"."Odd table"', privacy_unit => 'id', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('moved', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('dropped', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_bounds('"Odd schema"."Odd table"', 'Odd column', -1.5, 1e30);
SELECT dp_noise.set_values('"Odd schema"."Odd table"', 'kind', ARRAY['b', '', 'it''s, "odd"', 'a']);
SELECT dp_noise.set_levels('"Odd schema"."Odd table"', '{0.5,2}');
SELECT dp_noise.alter_population('"Odd schema"."Odd table"', delta => 1e-6, accountant => 'zcdp', delta_pool => 5e-7), dp_noise.set_budget('dp_ann', '"Odd schema"."Odd table"', 5, 1e-6, 1, '30 days');
SELECT dp_noise.set_budget('"Bob''s ""own"""', 'people', 5);
SELECT dp_noise.set_budget('dp_ann', 'people', 1000000);
SELECT dp_noise.set_budget('team', 'people', 3, shared => true);
SELECT dp_noise.alter_population('moved', delta => 1e-6, accountant => 'zcdp'), dp_noise.set_budget('dp_ann', 'moved', 2, 1e-6);
SELECT dp_noise.set_budget('dp_ann', 'dropped', 2);
SELECT dp_noise.set_budget('gone', 'people', 2);
SELECT dp_noise.set_budget('renamed', 'people', 2);
SELECT dp_noise.alter_population('people', epsilon => 1000, delta => 0), dp_noise.allow_members('people', 'team');
SELECT dp_noise.set_budget('team', 'moved', 3, 1e-6, shared => true, relations => '{moved}');
SELECT dp_noise.alter_population('people', on_repeat => 'refuse');
SELECT dp_noise.create_population('empty', 2, answers_expire => '3 days', on_repeat => 'refuse', share_answers => false);
SELECT dp_noise.create_population('left', 2);
SELECT dp_noise.alter_population('empty', owner => 'renamed'), dp_noise.alter_population('left', owner => 'gone'), dp_noise.allow_members('empty', 'gone');
EOF
$node->as_ann(q{SELECT dp_noise.charge('people', 0.5, 0, 'q1'); SELECT dp_noise.charge('"Odd schema"."Odd table"', 0.25, 1e-7, 'q2', 'the answer'); SELECT dp_noise.charge('moved', 0.25, 0, 'q3'); SELECT dp_noise.charge('moved', NULL, 0, 'q5', NULL, 0.015625); SELECT dp_noise.charge('dropped', 0.5, 0, 'q4')});
# a draw that was claimed, and is not answered
$node->as_ann(q{SELECT dp_noise.charge('moved', 0.125, 0, 'open')});
$node->safe_psql('postgres', q{UPDATE dp_noise_ledger.answer SET state = 'asked' WHERE budget_id = 0 AND charge_id = (SELECT max(charge_id) FROM dp_noise_ledger.charge)});
foreach my $role ('gone', 'renamed')
{
	$node->safe_psql('postgres', q{SELECT dp_noise.charge('people', 1, 0, 'q')}, extra_params => [ '-U', $role ]);
}
$node->safe_psql('postgres', <<'EOF');
ALTER EVENT TRIGGER dp_noise_on_rename DISABLE;
ALTER TABLE moved RENAME TO elsewhere;
ALTER EVENT TRIGGER dp_noise_on_rename ENABLE ALWAYS;
CREATE TABLE moved (id int);
DROP TABLE dropped;
CREATE TABLE dropped (id int);
DROP ROLE gone;
ALTER ROLE renamed RENAME TO newname;
EOF

my $budgets = q{SELECT role, population, relations, shared, epsilon, delta, epsilon_spent, delta_spent, max_epsilon_per_query, period, refills_at, rho, rho_spent, rho_left, delta_pool FROM dp_noise.budgets ORDER BY population, role;
	SELECT * FROM dp_noise.populations ORDER BY population};
my $ledger = q{SELECT at, role, population, asked_about, epsilon, delta, fingerprint, aggregate, mechanism, rho, delta_pool, grant_paid FROM dp_noise.ledger ORDER BY at};
my $versions = q{SELECT member_id, settings_version FROM dp_noise_ledger.member ORDER BY 1};
my $versions_before = $node->safe_psql('postgres', $versions);
my $before = join "\n", map { $node->safe_psql('postgres', $_) } $budgets, $ledger;
my $dump = $node->basedir . '/ledger.dump';

# Whether who asks for the draw has it without a payment of the grant.
sub joins
{
	my $database = shift;

	return $node->safe_psql($database, q{SELECT FROM dp_noise.charge('elsewhere', 0.125, 0, 'open'); SELECT NOT grant_paid FROM dp_noise_ledger.charge ORDER BY charge_id DESC LIMIT 1}) =~ s/\A\n//r;
}

$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', 'postgres' ], 'pg_dump');
# before the restore, others take the names
$node->safe_psql('postgres', 'CREATE ROLE gone LOGIN; CREATE ROLE renamed LOGIN');
foreach my $jobs (1, 2)
{
	my $db = "restored$jobs";

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->command_ok([ 'pg_restore', '-e', '-j', $jobs, '-d', $db, $dump ], "pg_restore -j $jobs");
	is(join("\n", map { $node->safe_psql($db, $_) } $budgets, $ledger), $before, 'the same budgets and ledger, before anything asked');
	($out, $err) = $node->as_ann(q{SELECT dp_noise.charge('people', 0.5, 0, 'q1')}, database => $db);
	like($err, qr/was answered before/, 'a question is still asked');
	is(join("\n", map { $node->safe_psql($db, $_) } $budgets, $ledger), $before, 'the same after it');
	($out, $err) = $node->as_ann(q{SELECT replayed, encode(answered, 'escape') FROM dp_noise.charge('"Odd schema"."Odd table"', 0.5, 0, 'q2')}, database => $db);
	is($out, 't|the answer', 'answers are replayed');
	($out, $err) = $node->as_ann(q{SELECT replayed FROM dp_noise.charge('elsewhere', NULL, 0, 'q9', NULL, 0.015625)}, database => $db);
	is($out, 'f', 'a table renamed before the dump has its budgets');
	is($node->safe_psql($db, q{SELECT rho_spent - (SELECT sum(rho) FROM dp_noise.ledger WHERE population = 'public.moved') FROM dp_noise.budgets WHERE population = 'public.moved' AND role = 'dp_ann'}) + 0, 0, 'in rho, too');
	$node->psql($db, q{SELECT dp_noise.alter_population('elsewhere', accountant => 'pure')}, stderr => \$err);
	like($err, qr/has no finite epsilon/, 'which is still known to have no epsilon');
	$node->psql($db, q{SELECT dp_noise.charge('elsewhere', NULL, 0, 'q10', NULL, 0.5)}, stderr => \$err, extra_params => [ '-U', 'dp_ann' ]);
	like($err, qr/asks for rho 0\.5; your budget has/, 'and what is left of it');
	is(joins($db), 'f', 'nobody joins a claim that was restored: its answer may be out');
	foreach my $table ('moved', 'dropped')
	{
		($out, $err) = $node->as_ann("SELECT dp_noise.charge('$table', 0.5, 0, 'q9')", database => $db);
		like($err, qr/not protected/, "who has the old name, $table, has none");
	}
	foreach my $role ('gone', 'renamed')
	{
		$node->psql($db, q{SELECT dp_noise.charge('people', 0.5, 0, 'q9')}, stderr => \$err, extra_params => [ '-U', $role ]);
		like($err, qr/role "$role" has no privacy budget/, "nor has another role of a name: $role");
	}
	$node->psql($db, q{SELECT dp_noise.charge('people', 0.5, 0, 'q9')}, stderr => \$err, extra_params => [ '-U', 'newname' ]);
	like($err, qr/role "newname" has no privacy budget/, 'nor has one that was renamed');
	is($node->safe_psql($db, q{SELECT population, owner FROM dp_noise.populations WHERE population IN ('empty', 'left') ORDER BY 1}), "empty|newname\nleft|", 'a population is its owner\'s, under any name, and nobody else\'s of the old one');
	is($node->safe_psql($db, q{SELECT count(*) FROM dp_noise_ledger.allowance WHERE role_name = 'gone'}), '0', 'nobody of an old name may bring tables');
	is($node->safe_psql($db, q{SELECT trim_scale(epsilon_spent) FROM dp_noise.populations WHERE population = 'public.people'}), '2.5', 'what all have spent is spent');
	is($node->safe_psql($db, q{SELECT column_name, lower, upper = 1e30 FROM dp_noise_ledger.column_bounds}), 'Odd column|-1.5|t', 'bounds');
	is($node->safe_psql($db, q{SELECT column_name, column_values = ARRAY['b', '', 'it''s, "odd"', 'a'] FROM dp_noise_ledger.column_values}), 'kind|t', 'values');
	is($node->safe_psql($db, q{SELECT levels FROM dp_noise_ledger.member WHERE levels IS NOT NULL}), '{2,0.5}', 'privacy levels');
	is($node->safe_psql($db, $versions), $versions_before, 'versions of settings');
	is($node->safe_psql($db, q{SELECT dp_noise.protect('people'); SELECT count(DISTINCT settings_version) = count(*) AND max(settings_version) = (SELECT last_value FROM dp_noise_ledger.settings_version) FROM dp_noise_ledger.member}) =~ /t$/, 1, 'and the next one is new');
	is($node->safe_psql($db, q{SELECT dp_noise.set_budget('dp_ann', 'people', 7); SELECT dp_noise.protect('dropped'); SELECT dp_noise.create_population('another', 1); SELECT epsilon_spent = 0.5 AND members::text = '{dropped}' FROM dp_noise.populations WHERE population = 'public.dropped'}) =~ /t$/, 1, 'sequences go on');
}
is(joins('postgres'), 't', 'but where it was made');
# a second generation
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dump.2", '-d', 'restored1' ], 'pg_dump of what was restored');
$node->safe_psql('postgres', 'CREATE DATABASE again');
$node->command_ok([ 'pg_restore', '-e', '-d', 'again', "$dump.2" ], 'restored again');
is(join("\n", map { $node->safe_psql('again', $_) } $budgets, $ledger), join("\n", map { $node->safe_psql('restored1', $_) } $budgets, $ledger), 'and the same again');

$node->stop;
done_testing();
