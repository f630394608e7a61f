# The library is preloaded for a whole server, but the extension is not in every
# database: there, before CREATE EXTENSION and after DROP EXTENSION, statements
# are refused as the server alone refuses them, and all others work.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Frontend;

my $node = PostgreSQL::Test::Cluster->new('without_extension');
$node->init;
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE reader LOGIN;
CREATE TABLE people (age integer, name text);
INSERT INTO people VALUES (1, 'a'), (2, 'b');
CREATE VIEW public_people AS SELECT age FROM people;
GRANT SELECT ON public_people TO reader;
EOS

my @statements = (
	'SELECT * FROM pg_authid',
	'SELECT age FROM people',
	'SELECT count(*) FROM people',
	'SELECT sum(age) FROM public_people',
	'INSERT INTO people VALUES (3)',
	'UPDATE people SET age = 0',
	'DELETE FROM people WHERE age = 1',
	'WITH p AS (SELECT name FROM people) SELECT 1 FROM p',
	'EXPLAIN SELECT age FROM people',
	'PREPARE ask AS SELECT age FROM people; EXECUTE ask',
	'DECLARE c CURSOR WITH HOLD FOR SELECT age FROM people',
	'COPY (SELECT age FROM people) TO STDOUT',
	'COPY people TO STDOUT',
	'CREATE TEMPORARY TABLE copied AS SELECT age FROM people');

# What the reader gets, every message with its SQLSTATE.
sub answers
{
	my @answers;

	foreach my $statement (@statements)
	{
		my ($stdout, $stderr) = ('', '');

		$node->psql('postgres', "\\set VERBOSITY sqlstate\n$statement",
			connstr => $node->connstr('postgres') . ' user=reader',
			stdout => \$stdout, stderr => \$stderr);
		$stderr =~ s/^psql:<stdin>:\d+: //mg;
		push @answers, "$statement: $stdout $stderr";
	}
	return \@answers;
}

my $alone = answers();
is(scalar(grep { /42501/ } @$alone), scalar(@statements) - 1, 'the server alone refuses all but the view');

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_noise'\n");
$node->restart;
is_deeply(answers(), $alone, 'the library without the extension');

# A session that outlives the extension.
my $user = $node->safe_psql('postgres', 'SELECT current_user');
my $session = Frontend->new($node, 'postgres', $user);

sub refused_in_session
{
	my ($name, $message) = @_;

	$session->send(query => ['SET ROLE reader']);
	like($session->send(query => ['SELECT age FROM people']),
		$message // qr/C42501\\00Mpermission denied for table people\\00/, "in one session, $name");
	$session->send(query => ['RESET ROLE']);
	return;
}

refused_in_session('before the extension');
$node->safe_psql('postgres', 'CREATE EXTENSION dp_noise');
is_deeply(answers(), $alone, 'the extension');
$node->safe_psql('postgres', q(SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1)));

# The user who logged in owns the population, and may ask about it.
refused_in_session('when it is protected', qr/C42501\\00Mrows of protected relation "people" cannot be shown\\00/);
is_deeply(answers(), $alone, 'a protected table');
$node->safe_psql('postgres', 'BEGIN; SELECT dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; COMMIT');
is_deeply(answers(), $alone, 'the extension dropped');
refused_in_session('after it was dropped');
$node->safe_psql('postgres', 'CREATE EXTENSION dp_noise');
refused_in_session('when it is there again');
is($node->safe_psql('postgres', 'SELECT count(*) FROM people'), '2', 'the rows are all there');

done_testing();
