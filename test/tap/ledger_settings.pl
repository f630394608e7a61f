# No setting changes what the ledger does: every one that a user may change, as
# an analyst sets it; every one that a database or a role may have, as a fresh
# ledger worker finds it. Nor do temporary objects under the ledger's names.
#
# Takes long: 20 seconds of processor time without its servers.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use LedgerCluster;

my $node = LedgerCluster->new('settings', "autovacuum = off\nwal_writer_delay = 10s\nmax_connections = 30\n");
my ($out, $err);

# One of each: a charge, a question asked before, one too dear, one without a
# budget, and one through the gate.
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE once (id int);
CREATE TABLE nothing (id int);
CREATE TABLE counted (id int, age int);
INSERT INTO counted SELECT i, i FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect(r, epsilon => 1e6, delta => 1) FROM unnest('{once,nothing,counted}'::regclass[]) AS r;
SELECT dp_noise.alter_population('once', on_repeat => 'refuse'), dp_noise.set_budget('dp_ann', 'once', 10);
SELECT dp_noise.alter_population('counted', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', 'counted', 2000000);
CREATE FUNCTION public.try(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE command INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END
$$;
CREATE FUNCTION public.one_of_each() RETURNS text LANGUAGE sql AS $$
	SELECT pg_catalog.concat_ws(' ', public.try('SELECT public.ask()'),
		public.try($q$SELECT dp_noise.charge('public.once', 1, 0, 'same')$q$),
		public.try('SELECT public.ask(2000000)'),
		public.try($q$SELECT dp_noise.charge('public.nothing', 1, 0, 'other')$q$),
		public.try($q$SELECT CASE WHEN public.dp_count(id, 0.5) IS NOT NULL THEN 'answered' END FROM public.counted WHERE age > 5$q$))
$$;
CREATE OR REPLACE FUNCTION public.ask(epsilon numeric DEFAULT 1) RETURNS text LANGUAGE sql VOLATILE AS $f$
	SELECT CASE WHEN replayed THEN 'replayed' ELSE 'charged' END
	FROM dp_noise.charge('public.people', epsilon, 0, pg_catalog.substr(pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', ''), 1, 32)::pg_catalog.bytea)
$f$;
EOS
my $usual = 'charged 53400 53400 42501 answered';
my $known = 1; # of epsilon, by then

$node->as_ann(q{SELECT dp_noise.charge('once', 1, 0, 'same')});

sub all_there
{
	my ($name) = @_;

	my $spent = $node->safe_psql('postgres', q{SELECT trim_scale(sum(epsilon_spent)) FROM dp_noise.budgets WHERE role = 'dp_ann'});

	is("$spent " . $node->recorded, "$known $known", "$name: each charge is there");
	return;
}

# Notes the charges of lines "> setting value" and what came of each, and looks
# for those where that was something else than usual.
sub check_lines
{
	my ($name, $lines, %other) = @_;
	my @odd;

	while ($lines =~ /^> (.+)\n(.*)$/mg)
	{
		my ($setting, $result) = ($1, $2);

		$known += 1 if $result =~ /^charged/;
		$known += 0.5 if $result =~ /answered$/;
		push @odd, "$setting: $result" if $result ne ($other{$setting} // $usual);
	}
	is(join("\n", @odd), '', "$name: all is as usual");
	return;
}

# What may be set: name and value, both ends of a range, all of the others.
# Without what ends a session or a statement by itself (below), and what only
# costs memory.
sub settings
{
	my ($contexts) = @_;

	return map { [ split /=/, $_, 2 ] } split /\n/, $node->safe_psql('postgres', <<"EOS");
SELECT name || '=' || quote_literal(CASE value WHEN '1.79769e+308' THEN '1e300' WHEN '9.53674e-07' THEN '0.000001' ELSE value END)
FROM pg_settings, unnest(CASE vartype WHEN 'bool' THEN '{on,off}' WHEN 'enum' THEN enumvals ELSE ARRAY[min_val, max_val] END) AS value
WHERE context = ANY ('{$contexts}') AND vartype <> 'string' AND value <> setting
	AND name NOT IN ('exit_on_error', 'statement_timeout', 'transaction_timeout', 'idle_session_timeout',
		'transaction_isolation', 'transaction_read_only', 'transaction_deferrable', 'temp_buffers')
ORDER BY 1
EOS
}

# as an analyst sets it
my @settings = (
	settings('user'),
	[ 'search_path',         q{''} ],
	[ 'search_path',         q{'pg_temp, pg_catalog'} ],
	[ 'search_path',         q{'nowhere'} ],
	[ 'timezone',            q{'Asia/Kathmandu'} ],
	[ 'datestyle',           q{'German, DMY'} ],
	[ 'client_encoding',     q{'latin1'} ],
	[ 'default_tablespace',  q{'pg_default'} ],
	[ 'lock_timeout',        q{'1ms'} ],
	[ 'role',                q{'dp_ann'} ],
);
cmp_ok(scalar(@settings), '>', 150, @settings . ' values of settings');
($out, $err) = $node->as_ann(join "\n", 'SET client_min_messages = error;',
	map { "\\echo > $_->[0] $_->[1]\nSET $_->[0] = $_->[1]; SELECT public.one_of_each(); RESET $_->[0];" } @settings);
is(() = $out =~ /^charged /mg, @settings, 'set by an analyst: one result each') or diag $err;
unlike($err, qr/ERROR/, 'set by an analyst: each could be set');
check_lines('set by an analyst', $out, 'default_transaction_isolation serializable' => 'charged 53400 53400 42501 0A000');
all_there('set by an analyst');

# what an analyst may not set
my @refused = settings('superuser,sighup,postmaster,superuser-backend');
($out, $err) = $node->as_ann(join "\n", '\set VERBOSITY sqlstate', map { "SET $_->[0] = $_->[1]; ALTER ROLE dp_ann SET $_->[0] = $_->[1];" }
	  @refused, [ 'session_replication_role', q{'replica'} ]);
my $denied = () = $err =~ /ERROR:  (42501|55P02)/g;
is($denied, 2 * (@refused + 1), 'what only a superuser sets, an analyst cannot');

# as the database has it, for a fresh ledger worker; the session is older
my $session = $node->session('dp_ann');
my $lines = '';
@settings = (
	settings('user,superuser'),
	[ 'search_path',                         q{'nowhere'} ],
	[ 'statement_timeout',                   q{'1ms'} ],
	[ 'lock_timeout',                        q{'1ms'} ],
	[ 'idle_in_transaction_session_timeout', q{'1ms'} ],
	[ 'idle_session_timeout',                q{'1ms'} ],
	[ 'exit_on_error',                       q{'on'} ],
	[ 'role',                                q{'dp_ann'} ],
	[ 'default_tablespace',                  q{'nowhere'} ],
	[ 'temp_tablespaces',                    q{'nowhere'} ],
	[ 'default_table_access_method',         q{'nowhere'} ],
	[ 'timezone',                            q{'Asia/Kathmandu'} ],
	[ 'datestyle',                           q{'German, DMY'} ],
	[ 'local_preload_libraries',             q{'nowhere'} ],
	[ 'session_preload_libraries',           q{'nowhere'} ],
	[ 'session_authorization',               q{'dp_ann'} ],
	[ 'session_authorization',               q{'dp_nobody'} ],
	[ 'restrict_nonsystem_relation_kind',    q{'view, foreign-table'} ],
	[ 'client_encoding',                     q{'latin1'} ],
	[ 'application_name',                    q{'nowhere'} ],
	[ 'default_text_search_config',          q{'pg_catalog.german'} ],
	[ 'intervalstyle',                       q{'iso_8601'} ],
	[ 'dp_noise.mechanism',                  q{'staircase'} ],
	[ 'made.up',                             q{'nowhere'} ],
);
my $admin = $node->session($node->safe_psql('postgres', 'SELECT current_user'), 'template1');
my $reset = '';
$node->safe_psql('template1', <<'EOS');
CREATE PROCEDURE no_worker() LANGUAGE plpgsql AS $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker') LOOP
		PERFORM pg_sleep(0.001), pg_stat_clear_snapshot();
	END LOOP;
END
$$;
EOS
foreach (@settings)
{
	my ($name, $value) = @$_;

	$admin->{in} .= "$reset ALTER DATABASE postgres SET $name = $value;\n"
	  . "SELECT 'ended ' || pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dp_noise ledger worker'; CALL no_worker(); SELECT 'set';\n";
	IPC::Run::pump $admin->{run} until $admin->{out} =~ /set\n/;
	$admin->{out} =~ s/set\n//;
	$session->{out} = '';
	$session->{in} .= "\\echo > $name $value\nSELECT public.one_of_each();\n";
	IPC::Run::pump $session->{run} until $session->{out} =~ /\n.*\n/;
	$lines .= $session->{out};
	$reset = "ALTER DATABASE postgres RESET $name;";
}
$admin->{in} .= "$reset\n\\q\n";
IPC::Run::finish $admin->{run};
cmp_ok(scalar(() = $admin->{err} =~ /ERROR/g), '<=', 3, 'of the database: most can be set') or diag $admin->{err};
cmp_ok(scalar(() = $admin->{out} =~ /ended true/g), '>=', @settings - 3, 'of the database: each is seen by a ledger worker of its own');
is(() = $lines =~ /^charged /mg, @settings, 'of the database: ' . @settings . ' values, one result each') or diag $session->{err};
check_lines('of the database', $lines);
$session->{in} .= "\\q\n";
IPC::Run::finish $session->{run};
all_there('of the database');

# as a role or a database has it, for those who log in
foreach (
	[ 'synchronous_commit', 'off' ], [ 'default_transaction_read_only', 'on' ], [ 'default_transaction_deferrable', 'on' ],
	[ 'default_transaction_isolation', 'repeatable read' ], [ 'lock_timeout', '1ms' ], [ 'row_security', 'off' ],
	[ 'search_path', 'pg_temp' ], [ 'statement_timeout', '20s' ], [ 'idle_in_transaction_session_timeout', '1ms' ])
{
	my ($name, $value) = @$_;

	foreach my $of ('ROLE dp_ann', 'DATABASE postgres', 'ROLE dp_ann IN DATABASE postgres', 'ROLE ALL')
	{
		# the role itself may, its database's settings are the superuser's
		$node->psql('template1', "ALTER $of SET $name = '$value'", extra_params => $of eq 'ROLE dp_ann' ? [ '-U', 'dp_ann' ] : []);
		($out) = $node->as_ann("\\echo > $of: $name $value\nSHOW $name;\nSELECT public.one_of_each()");
		like($out, qr/\n\Q$value\E\n/, "$of: $name = $value");
		$out =~ s/\n\Q$value\E\n/\n/;
		check_lines("$of: $name = $value", $out);
		$node->safe_psql('template1', "SET default_transaction_read_only = off; ALTER $of RESET $name");
	}
}
all_there('of roles and databases');

# what ends statements and sessions: what was charged before stays
($out) = $node->as_ann("BEGIN \\; SET idle_in_transaction_session_timeout = '1ms' \\; SELECT public.ask();\n\\! sleep 0.2\nCOMMIT;");
is($out, 'charged', 'idle_in_transaction_session_timeout: the answer is out');
$known++;
all_there('idle_in_transaction_session_timeout');
($out, $err) = $node->as_ann("SET idle_session_timeout = '1ms' \\; SELECT public.ask();\n\\! sleep 0.2\nSELECT public.ask();");
is($out, 'charged', 'idle_session_timeout: the answer is out');
$known++;
all_there('idle_session_timeout');
($out, $err) = $node->as_ann("SET statement_timeout = '1ms';\n" . "SELECT public.ask();\n" x 200);
my $answers = () = $out =~ /charged/g;
# The server says "user request" where the time is over as the statement ends.
my $canceled = () = $err =~ /canceling statement due to (statement timeout|user request)/g;
is($answers + $canceled, 200, "statement_timeout: $answers answers, $canceled cancelled")
	or diag join "\n", grep { /ERROR/ && !/canceling statement/ } split /\n/, $err;
($out) = $node->as_ann('SELECT public.ask()');
my $recorded = $node->recorded - $known;
ok($recorded >= $answers + 1 && $recorded <= 201, "statement_timeout: $recorded charges, no less than answers");
$known += $recorded;
all_there('statement_timeout');

# temporary objects under the names that the ledger uses
my $shadows = $node->safe_psql('postgres', <<'EOS');
SELECT string_agg(DISTINCT format('CREATE TEMP TABLE %I (x int);', relname), ' ') FROM pg_class
WHERE relnamespace IN ('dp_noise'::regnamespace, 'dp_noise_ledger'::regnamespace) AND relkind IN ('r', 'v')
	OR oid IN ('pg_class'::regclass, 'pg_authid'::regclass, 'pg_roles'::regclass, 'pg_namespace'::regclass, 'pg_attribute'::regclass);
EOS
my ($before) = $node->as_ann('SELECT * FROM dp_budget ORDER BY role, granted, population');
like($before, qr/public\.people\|\{people\}\|dp_ann/, 'an analyst sees the own budgets');
($out, $err) = $node->as_ann(<<"EOS");
$shadows
CREATE TEMP TABLE people (id int);
CREATE TEMP TABLE dp_budget (x int);
CREATE FUNCTION pg_temp.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz';
CREATE FUNCTION pg_temp.pg_has_role(oid, text) RETURNS bool LANGUAGE sql AS 'SELECT true';
SET search_path = pg_temp, pg_catalog, public;
SELECT * FROM public.dp_budget ORDER BY role, granted, population;
\\echo > temporary objects
SELECT public.one_of_each();
EOS
is($err, '', 'temporary objects can be made');
$out =~ s/\{public\./{/g;
like($out, qr/^\Q$before\E$/m, 'temporary objects: the same budgets');
check_lines('temporary objects', $out);
all_there('temporary objects');

# without event triggers, which a superuser can switch off
$node->safe_psql('postgres', <<'EOS');
SET session_replication_role = replica;
ALTER TABLE counted RENAME TO renamed;
DROP TABLE people;
RESET session_replication_role;
CREATE TABLE people (id int);
CREATE TABLE counted (id int);
EOS
my $ask = q{SELECT dp_noise.charge('%s', 1, 0, 'q')};
foreach ([ 'people', '55000' ], [ 'counted', '55000' ], [ 'renamed', '(f,)' ])
{
	my ($table, $result) = @$_;

	($out, $err) = $node->as_ann("\\set VERBOSITY sqlstate\n" . sprintf $ask, $table);
	like("$out$err", qr/\Q$result\E/, "without event triggers: the table now called $table");
}
my ($spent_before) = $node->safe_psql('postgres', q{SELECT sum(epsilon) FROM dp_noise.ledger WHERE role = 'dp_ann' AND population = 'public.people'});
$node->safe_psql('postgres', q{SELECT dp_noise.protect('people')});
is($node->safe_psql('postgres', q{SELECT sum(epsilon_spent) FROM dp_noise.budgets WHERE role = 'dp_ann' AND population = 'public.people'}),
	$spent_before, 'without event triggers: what was spent on a dropped table stays spent');

$node->stop;
done_testing();
