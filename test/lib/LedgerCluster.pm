# LedgerCluster: a server with a ledger, for the tests of test/tap.
#
#   my $node = LedgerCluster->new('name', 'extra = settings');
#
# A PostgreSQL::Test::Cluster with dp_noise preloaded, an analyst "dp_ann", a
# protected table "people" and permission for everyone to charge by hand.

package LedgerCluster;

use strict;
use warnings;

use parent -norequire, 'PostgreSQL::Test::Cluster';
use PostgreSQL::Test::Cluster;
use Time::HiRes qw(time usleep);

sub new
{
	my ($class, $name, $settings, %init) = @_;
	my $node = bless PostgreSQL::Test::Cluster->new($name), $class;

	$node->init(auth_extra => [], %init);
	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = 'dp_noise'\nlog_statement = none\ndp_noise.empty_groups = show\ndp_noise.choose_bounds = 0\n" . ($settings // ''));
	$node->start;
	$node->make_ledger('postgres');
	return $node;
}

# Makes the extension, roles and a protected table in a database.
sub make_ledger
{
	my ($node, $database) = @_;

	$node->safe_psql($database, <<'EOF');
CREATE EXTENSION dp_noise;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
DO $$ BEGIN
	IF to_regrole('dp_ann') IS NULL THEN
		CREATE ROLE dp_ann LOGIN;
		CREATE ROLE dp_bob LOGIN;
	END IF;
END $$;
CREATE TABLE people (id int);
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'people', 1000000);
-- a charge of 1 with a question of its own; the answer
CREATE FUNCTION ask(epsilon numeric DEFAULT 1) RETURNS text LANGUAGE sql VOLATILE AS $f$
	SELECT CASE WHEN replayed THEN 'replayed' ELSE 'charged' END
	FROM dp_noise.charge('people', epsilon, 0, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32)::bytea)
$f$;
EOF
	return;
}

# Goes on with another library than the installed one, that of `make NAME`, in
# some databases.
sub use_library
{
	my ($node, $name, @databases) = @_;
	my $directory = "$ENV{TESTDIR}/build/$name";

	die "build/$name is missing: run make $name\n" unless -d $directory;

	# The installed functions name their library with its directory.
	$node->safe_psql($_, q{UPDATE pg_proc SET probin = 'dp_noise' WHERE probin = '$libdir/dp_noise'})
		foreach 'postgres', @databases;
	$node->append_conf('postgresql.conf', "dynamic_library_path = '$directory:\$libdir'\n");
	$node->restart;
	return;
}

# As the class above, also where the server is still starting: psql may end
# before it has been given the query.
sub poll_query_until
{
	my ($node, @query) = @_;

	foreach (1 .. 100)
	{
		my $result = eval { $node->SUPER::poll_query_until(@query) };

		return $result if $@ eq '';
		die $@ if $@ !~ /Broken pipe/;
		usleep(100_000);
	}
	return 0;
}

# Runs SQL as dp_ann; (what it printed, what it said on stderr).
sub as_ann
{
	my ($node, $sql, %params) = @_;
	my ($out, $err);
	my $database = delete $params{database} // 'postgres';

	$node->psql($database, $sql, stdout => \$out, stderr => \$err,
		extra_params => [ '-U', 'dp_ann' ], on_error_stop => 0, %params);
	return ($out, $err);
}

# What dp_ann has spent in epsilon, by the budget, and by the ledger.
sub spent
{
	my ($node, $database) = @_;

	return $node->safe_psql($database // 'postgres',
		q{SELECT trim_scale(b.epsilon_spent) FROM dp_noise.budgets AS b JOIN dp_noise.populations AS p USING (population) WHERE b.role = 'dp_ann' AND p.accountant = 'pure'});
}

sub recorded
{
	my ($node, $database) = @_;

	return $node->safe_psql($database // 'postgres',
		q{SELECT coalesce(trim_scale(sum(epsilon)), 0) FROM dp_noise.ledger WHERE role = 'dp_ann'});
}

# pid of the database's ledger worker; 0 if there is none.
sub worker
{
	my ($node, $database) = @_;

	$database //= 'postgres';
	return $node->safe_psql('template1',
		"SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker' AND datname = '$database'");
}

# A psql that stays, as a role: feed it with {in}, read {out} and {err}.
sub session
{
	my ($node, $role, $database) = @_;
	my %s = (in => '', out => '', err => '');

	$s{run} = IPC::Run::start(
		[ $node->installed_command('psql'), '-XAtq', '-U', $role, '-d', $node->connstr($database // 'postgres') ],
		'<', \$s{in}, '>', \$s{out}, '2>', \$s{err}, IPC::Run::timer(180));
	return \%s;
}

# Waits until a query of the superuser gives t; false after some seconds.
sub wait_until
{
	my ($node, $query, $database) = @_;
	my $end = time + 10;

	while (time < $end)
	{
		return 1 if $node->safe_psql($database // 'postgres', $query) eq 't';
		usleep(20_000);
	}
	return 0;
}

1;
