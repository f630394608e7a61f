# Class: budgets that come back with a copy of the ledger. Somebody who asks, with
# CREATEDB, copies the database, where it is a template or their own, as often as
# they like: each copy has what was left of the budgets, and noise of its own. So in
# a copy, and in a copy of that, nothing is charged before a superuser accepts it,
# whatever dp_noise.on_new_timeline is and whether the original is still there.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('copied_database');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE ann LOGIN CREATEDB; CREATE DATABASE clinic');
$node->safe_psql('clinic', <<'EOS');
CREATE EXTENSION dp_noise;
CREATE TABLE people (id int);
INSERT INTO people SELECT generate_series(1, 100);
SELECT dp_noise.protect('people'), dp_noise.set_budget('ann', 'people', 2), dp_noise.set_budget(NULL, 'people', 2);
EOS

# The answer to a new question, or the error.
sub ask
{
	my ($database, $condition) = @_;
	my ($out, $err);

	$node->psql($database, "SELECT dp_count(*) FROM people WHERE id > $condition", stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ann' ]);
	return $out . $err;
}

# As the analyst, who is no superuser.
sub copy
{
	my ($from, $to) = @_;

	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = '$from'") or die 'somebody is still connected';
	$node->safe_psql('postgres', "CREATE DATABASE $to TEMPLATE $from", extra_params => [ '-U', 'ann' ]);
	return;
}

my $refused = qr/privacy budgets are not charged, because the ledger may lack charges.*a copy of another one/s;

like(ask('clinic', 0), qr/^\d+$/, 'the original is asked');
like($node->safe_psql('postgres', 'ALTER DATABASE clinic IS_TEMPLATE true') . $node->safe_psql('clinic', q{SELECT severity, object, finding FROM dp_noise.check()}),
	qr/^high\|role ann\|has CREATEDB, and may copy this database/m, 'check() says that it can be copied');
copy('clinic', 'second');
copy('second', 'third');
like(ask($_, 1), $refused, "not in $_") foreach 'second', 'third';
like(ask('second', 0), $refused, 'nor is told what was answered before');
like(ask('clinic', 1), qr/^\d+$/, 'the original goes on');
like(ask('clinic', 2), qr/insufficient privacy budget/, 'as long as there is something left');

# The names do not matter, nor that there is only one left.
$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE datname IN ('clinic', 'second')}) or die 'somebody is still connected';
$node->safe_psql('postgres', $_) foreach 'ALTER DATABASE clinic IS_TEMPLATE false', 'DROP DATABASE clinic', 'ALTER DATABASE second RENAME TO clinic';
like(ask('clinic', 3), $refused, 'not in a copy of the name of the original');

$node->safe_psql('clinic', 'SELECT dp_noise.accept_timeline()');
like(ask('clinic', 3), qr/^\d+$/, 'a superuser lets charges continue');
like(ask('third', 3), $refused, 'there alone');

$node->stop;
done_testing();
