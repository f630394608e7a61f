# Class of attack: time of check, time of use. What has no finite epsilon is planned
# while the population counts rho, and asked when it adds epsilons up. It
# must be refused, and cost nobody anything; planned the other way round it is paid
# in both currencies.

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

use LedgerCluster;

my $node = LedgerCluster->new('planned');

$node->safe_psql('postgres', <<'EOS');
INSERT INTO people SELECT generate_series(1, 1000);
ALTER ROLE dp_ann SET dp_noise.epsilon = 0.5;
SELECT dp_noise.set_budget('dp_ann', 'people', 100, 1e-6);
EOS
my $zcdp = q{SELECT dp_noise.alter_population('people', delta => 1e-6, accountant => 'zcdp')};
my $pure = q{SELECT dp_noise.alter_population('people', accountant => 'pure')};
my $counts = q{SELECT count(*), count(*) FILTER (WHERE epsilon IS NULL), count(*) FILTER (WHERE mechanism = 'gaussian') FROM dp_noise.ledger};

# Declares a cursor, changes something, fetches: what came, and what was charged.
sub fetched
{
	my ($change) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);
	my $before = $node->safe_psql('postgres', $counts);

	$session->query_safe('BEGIN');
	$session->query_safe('DECLARE c CURSOR FOR SELECT dp_count(*) FROM people');
	$node->safe_psql('postgres', $change);
	my $out = $session->query('FETCH ALL FROM c');
	my $err = $session->{stderr};

	$session->{stderr} = '';
	$session->query('ROLLBACK');
	$session->quit;
	my @before = split /\|/, $before;
	my @after = split /\|/, $node->safe_psql('postgres', $counts);

	return ($out, $err, join ' ', map { $after[$_] - $before[$_] } 0 .. 2);
}

my ($out, $err, $charged);

$node->safe_psql('postgres', $zcdp);
($out, $err, $charged) = fetched($pure);
is($out, '', 'planned for rho, asked when epsilons add up: nothing');
like($err, qr/insufficient privacy budget for "people".*The query has no finite epsilon, and your budget adds up epsilons|was changed after the statement was planned/s, 'refused');
is($charged, '0 0 0', 'and charged to nobody');
is($node->safe_psql('postgres', q{SELECT epsilon_spent FROM dp_noise.budgets WHERE role = 'dp_ann'}), '0', 'least of all to dp_ann');

$node->safe_psql('postgres', $pure);
($out, $err, $charged) = fetched($zcdp);
SKIP:
{
	skip 'refused, as changed', 2 if $err =~ /was changed after the statement was planned/ && $charged eq '0 0 0';
	like($out, qr/^\d+$/, 'planned for epsilons, asked when all count rho');
	is($charged, '1 0 0', 'has both');
	is($node->safe_psql('postgres', q{SELECT trim_scale(epsilon) || ' ' || (rho > 0.122) FROM dp_noise.ledger ORDER BY at DESC LIMIT 1}), '0.5 true', 'and costs both');
}

($out, $err, $charged) = fetched(q{SELECT dp_noise.set_budget('dp_bob', 'people', 100, 1e-6)});
like($out, qr/^\d+$/, 'as planned');
is($charged, '1 1 1', 'charged in rho');

($out, $err, $charged) = fetched(q{SELECT dp_noise.drop_budget('dp_ann', 'people')});
like($err, qr/has no privacy budget/, 'a budget that is gone');
is($charged, '0 0 0', 'pays nothing');

$node->stop;
done_testing();
