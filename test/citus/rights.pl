# Attacks where Citus runs a part of a question on other nodes, with the rights of
# the relation's owner: nothing of the asker's runs there with these, no row or count
# is seen, and no node but the coordinator has a ledger.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $citus = CitusCluster->new('rights', "log_line_prefix = '%u %a '\n");

$citus->sql(<<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE silent;
GRANT CREATE ON SCHEMA public TO owner, ann, silent;
SET ROLE owner;
CREATE TABLE people (id bigint PRIMARY KEY, age integer);
RESET ROLE;
SELECT create_distributed_table('people', 'id');
INSERT INTO people SELECT i, i % 97 FROM generate_series(1, 777) AS i;
SET ROLE ann;
CREATE TABLE own (n bigint);
RESET ROLE;
SELECT create_distributed_table('own', 'n');
SET ROLE owner;
SELECT dp_noise.protect('people', 'id', epsilon => 1e9, delta => 1), dp_noise.alter_population('people', on_repeat => 'answer'), dp_noise.set_budget('ann', 'people', 1e9, delta => 1);
EOS

# What somebody runs on workers as the owner would be seen there.
sub escalated
{
	return join '', map { $citus->on($_, q{SELECT string_agg(lomowner::regrole::text, ',') FROM pg_largeobject_metadata}) } 1, 2;
}

my $number = 0;
my $question = sub { return 'SELECT dp_count(*) FILTER (WHERE age <> ' . 1000 . ' + ' . ++$number . ') > 0 FROM people' };

# 1. SET LOCAL, whose whole text Citus sends to the connections of its transaction.
my $take = 'SET LOCAL work_mem = \'5MB\'; SELECT lo_create(0)';
foreach my $settings (
	'', "SET citus.propagate_set_commands = 'local';",
	"SET citus.propagate_set_commands = 'local'; SET citus.select_opens_transaction_block = on; SET citus.function_opens_transaction_block = on;")
{
	# each -c is one text, as an extended or simple query
	foreach my $order (
		[ 'BEGIN', $question->(), $take, 'COMMIT' ],
		[ 'BEGIN', 'SAVEPOINT s', $question->(), $take, 'COMMIT' ],
		[ 'BEGIN', $take, $question->(), 'COMMIT' ],
		[ 'BEGIN', 'DECLARE c CURSOR FOR ' . $question->(), 'FETCH c', $take, 'FETCH c', 'COMMIT' ])
	{
		my ($out, $err) = ('', '');
		my @texts = map { ('-c', $_) } grep { $_ ne '' } $settings, @$order;

		eval { IPC::Run::run([ 'psql', '-XAtq', '-h', $citus->coordinator->host, '-p', $citus->coordinator->port, '-U', 'ann', 'postgres', @texts ], '>', \$out, '2>', \$err, IPC::Run::timeout(180)) };
		is(escalated(), '', "SET LOCAL: nothing runs on workers (" . join('; ', $settings, @$order) . ')');
		like($out, qr/^t$/m, 'and the question is answered') or diag($err);
		$citus->on($_, 'SELECT lo_unlink(oid) FROM pg_largeobject_metadata') foreach 1, 2;
	}
}

# A transaction that Citus has begun before, by reading or writing the asker's own.
foreach my $begin ('INSERT INTO own VALUES (1)', 'SELECT count(*) FROM own')
{
	my $charges = $citus->sql('SELECT count(*) FROM dp_noise.ledger');

	like($citus->as('ann', "SET citus.propagate_set_commands = 'local'; BEGIN; $begin; " . $question->() . '; COMMIT'),
		qr/ERROR:  a protected relation cannot be asked about in a transaction that Citus has begun on other nodes/, "within a transaction of Citus's: $begin");
	is($citus->sql('SELECT count(*) FROM dp_noise.ledger'), $charges, 'which costs nothing');
	is($citus->as('ann', "$begin; " . $question->()) =~ s/^\d+\n//r, 't', 'but after it');
}
is($citus->as('ann', 'BEGIN; ' . $question->() . '; INSERT INTO own VALUES (2); COMMIT; SELECT count(*) FROM own WHERE n = 2'), "t\n1", 'one begun after the answer is the asker\'s');
is($citus->as('ann', "BEGIN; SELECT dp_count(*) > 0 FROM people AS p JOIN own AS o ON o.n = p.id % 3; INSERT INTO own VALUES (3); COMMIT"), 't', 'public rows that Citus distributes begin none');

# Code of the asker's that runs for a question, and begins one just before.
$citus->sql('CREATE FUNCTION public.begins() RETURNS bigint LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO public.own VALUES (5); RETURN 1; END $f$');
like($citus->as('ann', "SET citus.propagate_set_commands = 'local'; BEGIN; SELECT dp_count(*) FROM people AS p JOIN (SELECT public.begins() AS n) AS o ON o.n = p.id; $take; COMMIT"), qr/ERROR/, 'a function of the asker\'s');
is(escalated(), '', 'nothing was run by it');

# 2. Settings of Citus's that the asker may set are reset for the run.
my @settings = split /\n/, $citus->sql(q{SELECT name || '=' || CASE vartype WHEN 'bool' THEN CASE setting WHEN 'on' THEN 'off' ELSE 'on' END WHEN 'enum' THEN enumvals[array_length(enumvals, 1)] WHEN 'integer' THEN least(max_val::numeric, 1 + greatest(min_val::numeric, 0)) ::text ELSE setting END FROM pg_settings WHERE name ~ '^citus\.' AND context = 'user'});
cmp_ok(scalar @settings, '>', 30, 'settings that anybody may set: ' . scalar @settings);
my $all = join '', map { my ($name, $value) = split /=/, $_, 2; "SET $name = '$value'; " } @settings;
like($citus->as('ann', $all . $question->()), qr/^t$/m, 'all of them at once: answered');
my @wrong = grep { my ($name, $value) = split /=/, $_, 2; $citus->as('ann', "SET $name = '$value'; " . $question->()) !~ /^t$/m } @settings;
is("@wrong", '', 'each of them alone: answered');
unlike($citus->as('ann', "SET citus.log_remote_commands = on; SET client_min_messages = debug4; SET citus.explain_all_tasks = on; SET citus.grep_remote_commands = '%'; " . $question->()), qr/issuing|people_\d|detail.*people/i, 'and tell nothing');

# Functions of the asker's that fit the arguments better than the server's of the same
# name, in a schema that everybody may write to, in one that is called like the owner,
# and types that functions take.
my $taken = 'RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN PERFORM lo_create(0); RETURN %s; END $f$';
my %ways = ('the public\'s' => 'public', 'called like the owner' => 'owner');
$citus->sql('CREATE SCHEMA owner AUTHORIZATION ann; GRANT USAGE ON SCHEMA owner TO PUBLIC; SET ROLE owner; CREATE TABLE public.values_of (id bigint PRIMARY KEY, s smallint, i integer, b bigint, d double precision, n numeric, t text, v varchar(9), c char(4), day date, at timestamptz, flag boolean, a integer[], w text[], r int4range); '
	. "RESET ROLE; SELECT create_distributed_table('values_of', 'id'); INSERT INTO values_of SELECT i, i % 9, i % 50, i, i / 4.0, i % 13, 't' || i % 3, 'v' || i % 5, 'c', date '2024-01-01' + i % 30, timestamptz '2024-01-01' + i * interval '1 hour', i % 2 = 0, ARRAY[i % 2, 1], ARRAY['w' || i % 2], int4range(0, i % 2) FROM generate_series(1, 200) AS i; "
	. "SET ROLE owner; SELECT dp_noise.protect('values_of', 'id', population => 'people')");
foreach my $way (sort keys %ways)
{
	my $schema = $ways{$way};

	foreach my $type ('smallint', 'integer', 'bigint', 'double precision', 'numeric', 'text', 'varchar', 'bpchar', 'date', 'timestamptz', 'boolean', '"any"', 'anyelement')
	{
		my $any = $type =~ /any/;

		foreach my $name ($any ? () : ('abs', 'length', 'lower', 'int4', 'int8', 'numeric', 'float8', 'text', 'date', 'extract', 'num_nulls', 'coalesce_of'))
		{
			$citus->said(0, 'ann', sprintf(qq{CREATE FUNCTION $schema."$name"($type) $taken}, $type, '$1'));
		}
		foreach my $name ('count', 'sum', 'max', 'min', 'avg')
		{
			$citus->said(0, 'ann', sprintf(qq{CREATE FUNCTION $schema.step(bigint, $type) $taken}, 'bigint', '1000000')) if !$any;
			$citus->said(0, 'ann', qq{CREATE AGGREGATE $schema."$name"($type) (SFUNC = $schema.step, STYPE = bigint, INITCOND = '0')}) if !$any;
		}
	}
}
foreach my $type ('integer[]', 'text[]', 'int4range', 'anyarray')
{
	foreach my $node (1, 2) # not where the statement is written
	{
		$citus->said($node, 'ann', sprintf("SET citus.enable_ddl_propagation = off; CREATE FUNCTION public.operated($type, $type) $taken", 'boolean', 'true'));
		$citus->said($node, 'ann', "SET citus.enable_ddl_propagation = off; CREATE OPERATOR public.$_ (LEFTARG = $type, RIGHTARG = $type, FUNCTION = public.operated)") foreach '=', '<>', '<', '>', '@>', '<@', '&&';
	}
}
cmp_ok($citus->on($_, q{SELECT count(*) FROM pg_operator WHERE oprowner = 'ann'::regrole}), '>', 20, "and operators on worker $_") foreach 1, 2;
$citus->said(0, 'ann', sprintf("CREATE FUNCTION public.seen(pg_catalog.text) $taken", 'boolean', 'true'));
$citus->said(0, 'ann', 'CREATE DOMAIN public.text AS pg_catalog.text CHECK (public.seen(VALUE))');
cmp_ok($citus->sql(q{SELECT count(*) FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid WHERE p.proowner = 'ann'::regrole}), '>', 40, 'aggregates of the asker\'s');
cmp_ok($citus->on(1, q{SELECT count(*) FROM pg_proc WHERE proowner = 'ann'::regrole}), '>', 60, 'which are on workers, too');
foreach my $call (
	(map { "dp_count($_)" } 's', 'i', 'b', 'd', 'n', 't', 'v', 'c', 'day', 'at', 'flag'),
	(map { "dp_sum($_, 0, 50)" } 's', 'i', 'b', 'd', 'n'),
	(map { ("dp_max($_, 0, 50)", "dp_median($_, 0, 50)") } 's', 'i', 'b'),
	'dp_mean(i, 0, 50)', 'dp_count_distinct(v)', 'dp_count(*)', 'pg_catalog.count(v)', 'sum(abs(i))')
{
	foreach my $rest ('', "WHERE pg_catalog.abs(i) < 40 AND pg_catalog.length(v) < 5 AND v <> 'x' AND c = 'c'", 'GROUP BY flag')
	{
		(my $with = $call) =~ s/sum\(abs\(i\)\)/dp_sum(pg_catalog.abs(i), 0, 50)/;
		unlike($citus->as('ann', "SET dp_noise.epsilon = 1000000; SELECT $with FROM values_of $rest"), qr/ERROR|(?<![.\d])\d{6}/, "$with $rest");
	}
}
foreach my $condition (
	q{a OPERATOR(pg_catalog.=) '{1,1}'}, q{a OPERATOR(pg_catalog.<>) '{1,1}'}, q{a OPERATOR(pg_catalog.@>) '{1,1}'}, q{a OPERATOR(pg_catalog.&&) '{0}'}, q{w OPERATOR(pg_catalog.=) '{w1}'},
	q{r OPERATOR(pg_catalog.=) r}, q{r OPERATOR(pg_catalog.&&) int4range(0, 3)}, q{a OPERATOR(pg_catalog.=) a}, q{i OPERATOR(pg_catalog.=) ANY ('{1,2}')})
{
	my $true = $citus->sql("SET search_path = pg_catalog; SELECT count(*) FROM public.values_of WHERE $condition");

	is($citus->as('ann', "SET dp_noise.epsilon = 1000000; SELECT dp_count(*) FROM values_of WHERE $condition"), $true, "an operator: $condition");
}
is(escalated(), '', 'none of their code runs on workers');
$citus->sql('DROP SCHEMA owner CASCADE; DROP DOMAIN public.text; DROP OWNED BY ann CASCADE; GRANT CREATE ON SCHEMA public TO ann');

# Types of the asker's in columns: a check that is added later would run for each value
# that comes from a node, and for each null in a column's place.
$citus->sql($_) foreach (
	'SET ROLE ann; CREATE FUNCTION public.checked(v pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN RETURN true; END $f$; CREATE DOMAIN public.adom AS pg_catalog.text',
	'SET ROLE owner; CREATE DOMAIN public.odom AS public.adom; CREATE DOMAIN public.filled AS integer NOT NULL; CREATE TYPE public.pair AS (a integer, b public.adom); CREATE TYPE public.mood AS ENUM (\'ok\', \'sad\')',
	q{SET ROLE owner; CREATE TABLE typed (id bigint PRIMARY KEY, i integer, x public.adom, y public.odom, p public.pair, l public.adom[], n public.filled NOT NULL, m public.mood, w xml)},
	q{SELECT create_distributed_table('typed', 'id')},
	q{INSERT INTO typed SELECT i, i % 10, 'secret' || i, 'y', '(1,z)', '{q}', i, 'ok', '<a/>' FROM generate_series(1, 300) AS i},
	q{SET ROLE owner; SELECT dp_noise.protect('typed', 'id', population => 'people'), dp_noise.set_bounds('typed', 'i', 0, 9)},
	'SET ROLE ann; CREATE OR REPLACE FUNCTION public.checked(v pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN PERFORM lo_create(0); RETURN true; END $f$; ALTER DOMAIN public.adom ADD CONSTRAINT k CHECK (public.checked(VALUE)) NOT VALID');
my $spent;
my $created = sub { return escalated() . $citus->sql('SELECT count(*) FROM pg_largeobject_metadata') };
my $at_first = $created->();
foreach my $use (
	(map { ("dp_count($_) FROM typed", "dp_count_distinct($_) FROM typed", "dp_count(p.$_) FROM typed AS p JOIN typed AS q ON p.id = q.id") } 'x', 'y', 'p', 'l'),
	q{dp_count(*) FROM typed WHERE upper(x) = 'A'}, 'x, dp_count(*) FROM typed GROUP BY x', q{dp_count(*) FROM typed AS p JOIN typed AS q USING (id) WHERE q.y LIKE 's%'}, 'dp_count((p).a) FROM typed')
{
	like($citus->as('ann', "SET dp_noise.delta = 1e-9; SELECT $use"), qr/ERROR:  (?:column "\w" of "typed", which Citus distributes, has a type or a collation that its owner does not own|dp_count_distinct of type|this expression cannot be used)/, "a type of the asker's: $use");
}
is($citus->as('ann', 'SET dp_noise.epsilon = 1000000; SELECT dp_count(*), dp_count(p.m), dp_sum(p.n, 0, 300) FROM typed AS p JOIN typed AS q ON p.id = q.id WHERE q.i > 3'), '180|180|27270', 'other columns, and types of the owner\'s');
is($citus->as('ann', q{SET dp_noise.epsilon = 1000000; SELECT dp_count(w), dp_median(i) BETWEEN 3 AND 6 FROM typed WHERE id <= 299}), '299|t', 'beside a type without equality');
is($created->(), $at_first, 'no check of the asker\'s has run');

# Values that come as texts would be written by the settings of sessions on workers.
$citus->sql($_) foreach (
	'SET ROLE owner; CREATE TYPE public.span AS (a interval, b date); CREATE TABLE spans (id bigint PRIMARY KEY, gone interval, s public.span, ss public.span[], acl aclitem, i integer)',
	q{SELECT create_distributed_table('spans', 'id')},
	q{INSERT INTO spans SELECT i, -interval '1 day 2 hours', ROW('1 day', '2024-01-02')::public.span, NULL, makeaclitem(10, 10, 'SELECT', false), i FROM generate_series(1, 100) AS i},
	q{SET ROLE owner; SELECT dp_noise.protect('spans', 'id', population => 'people')});
$citus->on($_, q{SET citus.enable_ddl_propagation = off; ALTER ROLE owner SET IntervalStyle = sql_standard; ALTER ROLE owner SET DateStyle = 'SQL, DMY'}) foreach 1, 2;
$spent = $citus->sql('SELECT count(*) FROM dp_noise.ledger');
foreach my $use ('dp_count(acl) FROM spans', 'dp_count(s) FROM spans', 'dp_count(ss) FROM spans', 'dp_count((s).a) FROM spans', 'dp_count(*) FROM spans AS p JOIN spans AS q ON p.id = q.id WHERE q.acl IS NULL')
{
	like($citus->as('ann', "SET dp_noise.delta = 1e-9; SELECT $use"), qr/ERROR:  (?:column "\w+" of "spans", which Citus distributes, has a type that Citus sends as text|this expression cannot be used)/, "as texts: $use");
}
is($citus->sql('SELECT count(*) FROM dp_noise.ledger'), $spent, 'which costs nothing');
foreach my $from ('spans', 'spans AS p JOIN spans AS q USING (id)')
{
	is($citus->as('ann', "SET dp_noise.epsilon = 1000000; SELECT round(dp_sum(extract(epoch FROM gone) / 3600, -100, 0)) FROM $from" =~ s/gone/$from =~ m{JOIN} ? 'p.gone' : 'gone'/er), '-2600', "beside others: $from");
}
$citus->on($_, q{SET citus.enable_ddl_propagation = off; ALTER ROLE owner RESET ALL}) foreach 1, 2;

# Schemas that somebody else has on a worker, where something else may have a shard's name.
foreach my $node (1, 2)
{
	my $spent;

	$citus->sql('CREATE SCHEMA theirs AUTHORIZATION owner; SET ROLE owner; CREATE TABLE theirs.pe (id bigint PRIMARY KEY); RESET ROLE; SELECT create_distributed_table(\'theirs.pe\', \'id\')');
	$citus->sql(q{INSERT INTO theirs.pe SELECT generate_series(1, 200); SET ROLE owner; SELECT dp_noise.protect('theirs.pe', 'id', population => 'public.people')});
	$citus->sql('GRANT USAGE ON SCHEMA theirs TO PUBLIC');
	is($citus->as('ann', 'SET dp_noise.epsilon = 1000000; SELECT dp_count(*) FROM theirs.pe'), '200', 'a schema of the owner\'s');
	$citus->on($node, 'SET citus.enable_ddl_propagation = off; ALTER SCHEMA theirs OWNER TO ann');
	$spent = $citus->sql('SELECT count(*) FROM dp_noise.ledger');
	like($citus->as('ann', 'SET dp_noise.epsilon = 1000000; SELECT dp_count(*) FROM theirs.pe'), qr/ERROR:  not all nodes that hold a protected relation can be asked/, "of the asker's on worker $node");
	is($citus->sql('SELECT count(*) FROM dp_noise.ledger'), $spent, 'which is found before the charge');
	$citus->on($node, 'SET citus.enable_ddl_propagation = off; ALTER SCHEMA theirs OWNER TO owner');
	$citus->sql('DROP SCHEMA theirs CASCADE');
}

# A schema that somebody else has on the coordinator, where a shard may be, too.
$citus->sql(q{CREATE SCHEMA theirs AUTHORIZATION owner; GRANT USAGE ON SCHEMA theirs TO PUBLIC; SET ROLE owner; CREATE TABLE theirs.pe (id bigint PRIMARY KEY); RESET ROLE; SELECT citus_set_node_property('127.0.0.1', nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid = 0; SELECT create_distributed_table('theirs.pe', 'id', colocate_with => 'none')});
$citus->sql(q{INSERT INTO theirs.pe SELECT generate_series(1, 200); SET ROLE owner; SELECT dp_noise.protect('theirs.pe', 'id', population => 'public.people'); RESET ROLE; SET citus.enable_ddl_propagation = off; ALTER SCHEMA theirs OWNER TO ann});
like($citus->as('ann', 'SELECT dp_count(*) FROM theirs.pe'), qr/ERROR:  not all nodes that hold a protected relation can be asked/, 'a schema of the asker\'s on the coordinator, which has shards');
$citus->sql(q{SET citus.enable_ddl_propagation = off; ALTER SCHEMA theirs OWNER TO owner});
is($citus->as('ann', 'SET dp_noise.epsilon = 1000000; SELECT dp_count(*) FROM theirs.pe'), '200', 'given to the owner, with shards on the coordinator');
$citus->sql(q{DROP SCHEMA theirs CASCADE; SELECT citus_set_node_property('127.0.0.1', nodeport, 'shouldhaveshards', false) FROM pg_dist_node WHERE groupid = 0});

# What the asker says of the session is not what Citus is told.
like($citus->as('ann', "SET application_name = 'citus_internal gpid=1'; " . $question->()), qr/^t$|ERROR:  not all nodes/m, 'a session called like those of Citus');

# 4. Workers themselves.
my $shard = $citus->on(1, q{SELECT shard_name FROM citus_shards WHERE table_name = 'people'::regclass AND nodeport = } . $citus->worker(1)->port . ' LIMIT 1');
foreach my $node (1, 2)
{
	like($citus->said($node, 'ann', 'SELECT * FROM people'), qr/permission denied/, "worker $node: rows");
	like($citus->said($node, 'ann', 'SELECT count(*) FROM people'), qr/permission denied/, 'numbers of rows');
	like($citus->said($node, 'ann', 'SELECT dp_count(*) FROM people'), qr/permission denied|cannot be computed/, 'private ones');
	like($citus->said($node, 'owner', 'SELECT dp_count(*) FROM people'), qr/cannot be computed where Citus runs/, 'also to the owner');
	like($citus->said($node, 'owner', "SELECT dp_noise.protect('people', 'id', epsilon => 1e6)"), qr/ERROR:  what is protected, and what is spent, is kept on Citus's coordinator alone/, 'protect');
	like($citus->said($node, 'owner', "SELECT dp_noise.create_population('second', epsilon => 10)"), qr/coordinator alone/, 'populations');
	like($citus->said($node, 'owner', "SELECT dp_noise.set_budget('ann', 'second', 10)"), qr/ERROR/, 'budgets');
	is($citus->on($node, 'SELECT count(*) FROM dp_noise_ledger.member'), '0', 'no ledger');
}
like($citus->said(1, 'ann', "SET citus.override_table_visibility = off; SELECT count(*) FROM $shard"), qr/permission denied/, 'a shard');
like($citus->as('ann', q{SELECT * FROM run_command_on_shards('people', 'SELECT count(*) FROM %s')}), qr/permission denied|must be owner/, 'run_command_on_shards');
unlike($citus->as('ann', q{SELECT result FROM run_command_on_workers('SELECT count(*) FROM people')}), qr/^\d+$/m, 'run_command_on_workers');
like($citus->as('owner', q{SELECT result FROM run_command_on_workers($$SELECT dp_noise.set_budget('ann', 'people', 5)$$)}), qr/coordinator alone/, 'budgets over the coordinator');

# 5, 6. What becomes of a protected table.
$citus->sql(<<'EOS');
SET ROLE owner;
CREATE TABLE later (id bigint PRIMARY KEY, x integer);
INSERT INTO later SELECT i, i % 5 FROM generate_series(1, 400) AS i;
SELECT dp_noise.protect('later', 'id', population => 'people');
SELECT create_distributed_table('later', 'id');
EOS
is($citus->as('ann', 'SET dp_noise.epsilon = 1000000; SELECT dp_count(*), dp_sum(x, 0, 5) FROM later'), '400|800', 'protected before it was distributed');
is($citus->as('ann', 'SELECT * FROM later') =~ /ERROR/, 1, 'and rows are kept back');
foreach my $change ("alter_distributed_table('later', shard_count := 6, cascade_to_colocated := false)", "undistribute_table('later')")
{
	my $said = $citus->said(0, 'owner', "SELECT $change");

	unlike($citus->as('ann', 'SELECT x FROM later LIMIT 1'), qr/^\d+$/m, "$change: rows are kept back");
	note($said);
	note($citus->as('ann', 'SELECT dp_count(*) FROM later'));
}
like($citus->said(0, 'owner', q{CREATE TABLE appended (id bigint, x integer); SELECT create_distributed_table('appended', 'id', 'append'); SELECT dp_noise.protect('appended', 'id', max_rows_per_unit => 1, population => 'people')}),
	qr/ERROR:  relation public.appended cannot be protected, since Citus distributes it by append/, 'distributed by append');
$citus->sql(q{SET ROLE silent; CREATE TABLE quiet (id bigint PRIMARY KEY); RESET ROLE; SELECT create_distributed_table('quiet', 'id')});
like($citus->said(0, undef, q{SET ROLE silent; SELECT dp_noise.protect('quiet', 'id', epsilon => 1e3)}), qr/ERROR:  relation public.quiet cannot be protected, since its owner may not log in/, 'an owner who may not log in');
$citus->sql(q{SET ROLE owner; CREATE TABLE managed (id bigint PRIMARY KEY); RESET ROLE; SELECT citus_add_local_table_to_metadata('managed')});
like($citus->said(0, 'owner', q{SELECT dp_noise.protect('managed', 'id', population => 'people')}), qr/ERROR:  relation public.managed cannot be protected, since it is a local table that Citus manages/, 'a local table of Citus\'s');
$spent = $citus->sql('SELECT count(*) FROM dp_noise.ledger');
$citus->sql('ALTER ROLE owner NOLOGIN');
like($citus->as('ann', $question->()), qr/ERROR:  not all nodes that hold a protected relation can be asked/, 'an owner who may not log in any more');
is($citus->sql('SELECT count(*) FROM dp_noise.ledger'), $spent, 'which is found before the charge');
$citus->sql('ALTER ROLE owner LOGIN');

# 3. The server's own counters of shards.
$citus->sql('SELECT dp_noise.harden()');
$citus->on($_, 'SELECT dp_noise.harden()') foreach 1, 2;
foreach my $query (
	q{SELECT reltuples FROM pg_class WHERE relname ~ '^people_'},
	q{SELECT n_live_tup FROM pg_stat_user_tables WHERE relname ~ '^people_'},
	q{SELECT pg_relation_size('people')})
{
	like($citus->as('ann', "SELECT result FROM run_command_on_workers(\$q\$$query LIMIT 1\$q\$)"), qr/permission denied/, "on workers: $query");
}
foreach my $query (
	'SELECT * FROM citus_shards', 'SELECT * FROM citus_tables', q{SELECT citus_table_size('people')}, q{SELECT citus_total_relation_size('people')},
	q{SELECT citus_relation_size('people')}, 'SELECT * FROM citus_shard_sizes()', 'SELECT * FROM citus_stat_statements')
{
	like($citus->as('ann', $query), qr/permission denied|does not exist/, $query);
}
like($citus->as('ann', $question->()), qr/^t$/m, 'questions are answered after it');

$citus->stop;
done_testing();
