# Class of attack: another's session. An owner's functions run with the owner's
# rights where an analyst or a superuser calls them, or where the server computes
# an index of the owner's. They neither get answers for which the session's user
# pays, by a cursor that is held until the role is the user's again, nor read
# what the user has asked of other owners.

use strict;
use warnings;

use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('held');

$node->safe_psql('postgres', <<'EOS');
CREATE TABLE secrets (id int PRIMARY KEY, ill boolean NOT NULL);
INSERT INTO secrets SELECT i, i % 2 = 0 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('secrets', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('secrets', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'secrets', 1000000);
CREATE ROLE foe LOGIN;
CREATE SCHEMA foe AUTHORIZATION foe;
GRANT USAGE ON SCHEMA foe TO PUBLIC;
EOS
$node->safe_psql('postgres', <<'EOS', extra_params => [ '-U', 'foe' ]);
CREATE TABLE foe.loot (who text, what text);
CREATE FUNCTION foe.hold() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', '100', false);
	EXECUTE 'DECLARE loot CURSOR WITH HOLD FOR SELECT dp_count(*) FROM public.secrets WHERE ill';
END
$$;
CREATE FUNCTION foe.take() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	held refcursor := 'loot';
	answer record;
BEGIN
	FETCH held INTO answer;
	INSERT INTO foe.loot VALUES ('cursor of ' || session_user, answer::text);
END
$$;
CREATE FUNCTION foe.read(integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO foe.loot SELECT 'history of ' || session_user, h::text FROM public.dp_history AS h;
	INSERT INTO foe.loot SELECT 'budget of ' || session_user, b::text FROM public.dp_budget AS b;
	INSERT INTO foe.loot SELECT 'columns of ' || session_user, c::text FROM public.dp_columns AS c;
	RETURN true;
END
$$;
CREATE FUNCTION foe.look(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN foe.read($1); END';
CREATE TABLE foe.bait (id int PRIMARY KEY, x int);
INSERT INTO foe.bait SELECT i, i FROM generate_series(1, 100) AS i;
EOS

# as somebody, statement by statement; the errors
sub run_as
{
	my ($role, @statements) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', join(";\n", @statements), extra_params => [ '-U', $role ], on_error_stop => 0, stderr => \$err);
	return $err;
}

sub loot
{
	return $node->safe_psql('postgres', q{SELECT string_agg(who, ', ' ORDER BY who) FROM foe.loot});
}

my $charged = q{SELECT count(*) FROM dp_noise.ledger};
my $superuser = $node->safe_psql('postgres', 'SELECT session_user');

foreach my $role ('dp_ann', $superuser)
{
	my $before = $node->safe_psql('postgres', $charged);

	like(
		run_as($role, 'SELECT foe.hold()', 'SELECT foe.take()'),
		qr/a question that role "foe" began cannot be answered to role "$role"/,
		"a held cursor in a session of $role");
	is(loot(), '', 'has no answer');
	is($node->safe_psql('postgres', $charged), $before, 'and nothing is charged');
}

# one's own is answered
is( run_as(
		'dp_ann',
		'SET dp_noise.epsilon = 1',
		'BEGIN',
		'DECLARE own CURSOR WITH HOLD FOR SELECT dp_count(*) FROM secrets',
		'COMMIT',
		q{DO $$ DECLARE own refcursor := 'own'; answer record; BEGIN FETCH own INTO answer; END $$}),
	'',
	'a held cursor of her own');

isnt(
	$node->safe_psql('postgres', q{SELECT count(*) FROM dp_history}, extra_params => [ '-U', 'dp_ann' ]),
	'0', 'she has a history');
isnt(
	$node->safe_psql('postgres', q{SELECT count(*) FROM dp_budget}, extra_params => [ '-U', 'dp_ann' ]),
	'0', 'and a budget');
run_as('dp_ann', 'SELECT foe.read(1)');
is(loot(), '', 'which functions of others do not see');
run_as('foe', q{SELECT dp_noise.protect('foe.bait', 'id', epsilon => 1e6, delta => 1)}, q{SELECT dp_noise.set_budget('dp_ann', 'foe.bait', 100)}, 'CREATE INDEX ON foe.bait (x) WHERE foe.look(1)', 'TRUNCATE foe.loot');
run_as('dp_ann', 'SET dp_noise.epsilon = 1', 'SELECT dp_count(*) FROM foe.bait WHERE x > 3');
is(loot(), '', 'nor does an index of what she asks about');
run_as($superuser, 'ANALYZE foe.bait');
is(loot(), '', 'nor under ANALYZE');

$node->stop;
done_testing();
