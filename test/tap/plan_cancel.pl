# A question that takes long to plan can be cancelled while the gate reads it: a
# thousand nested sub-queries took seconds, in which no cancellation arrived.
#
# The question is refused once its sub-queries have been read. What counts is the
# processor's time, which does not grow with the load of the machine: the time
# limit is a small part of what the question takes, and at most so much is spent
# before it ends, and then little until the cancellation is noticed.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'there is no /proc' if !-r '/proc/self/stat';

my $node = LedgerCluster->new('plan_cancel', "autovacuum = off\nfsync = off\njit = off\n");
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE folk (id integer PRIMARY KEY, age integer);
CREATE TABLE keys (id integer PRIMARY KEY);
GRANT SELECT ON keys TO dp_ann;
SELECT dp_noise.protect('folk', 'id', epsilon => 1e6, delta => 1), dp_noise.set_budget('dp_ann', 'folk', 1000000);
EOS

my $depth = 500;
my $condition = 'id IN ' . '(SELECT id FROM folk WHERE id IN ' x $depth . '(SELECT id FROM keys)' . ')' x $depth;
my $grouped = 'folk';
$grouped = "(SELECT id, max(age) AS age FROM $grouped AS s GROUP BY id)" foreach 1 .. 1000;
my %questions = (
	'nested IN' => 'SELECT dp_sum(age + random()::integer, 0, 1) FROM folk WHERE ' . join(' AND ', ($condition) x 4),
	'nested GROUP BY' => "SELECT dp_sum(age + random()::integer, 0, 1) FROM $grouped AS s");

# Asks in a session of its own: the error, and the milliseconds of the processor.
sub ask
{
	my ($question, $limit) = @_;
	my ($out, $err) = $node->as_ann(<<"EOS");
SELECT pg_backend_pid() AS pid \\gset
\\setenv BACKEND :pid
SET statement_timeout = $limit;
\\! cut -d ' ' -f 14,15 /proc/\$BACKEND/stat
$question;
\\! cut -d ' ' -f 14,15 /proc/\$BACKEND/stat
EOS
	my @ticks = $out =~ /(\d+) (\d+)/g;
	return ($err, 10 * ($ticks[2] + $ticks[3] - $ticks[0] - $ticks[1]));
}

foreach my $name (sort keys %questions)
{
	my $question = $questions{$name};
	my ($refusal, $time) = ask($question, 0);

	like($refusal, qr/function random\(\) cannot be used/, "$name: refused in the end");
	cmp_ok($time, '>', 160, 'which takes its time');
	foreach my $part (8, 16)
	{
		my ($err, $spent) = ask($question, int($time / $part));

		like($err, qr/canceling statement due to statement timeout/, "cancelled after 1/$part of the time");
		cmp_ok($spent, '<', $time / 2, 'and not at the end');
	}
}

done_testing();
