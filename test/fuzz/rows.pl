# The rules that give rows an owner, against every question that a grammar can
# write by them: joins, sub-queries as conditions, values and in FROM, views,
# WITH, groups, distinct rows and windows of units, UNION ALL, nested in one
# another, over small tables full of nulls and of duplicates. Some break a rule.
#
# - What is answered is answered as the server does without us: at a huge
#   epsilon, with caps that nobody reaches, the answer is that over copies of the
#   tables without the rows that nobody owns.
# - Without one unit's rows, rows of other units are what they were: this is
#   what bounding relies on. Where the unit itself keeps rows, the price is that
#   of a substitution. With small caps the true bounded states change by no more
#   than the sensitivity, and one unit alone is in no more than its groups.
# - Questions with one fingerprint have one answer, over several databases.
#
# FUZZ_SECONDS says how long, FUZZ_SEED repeats a run, FUZZ_EXAMPLES shows what is
# refused though it keeps to the rules. FUZZ_TREE takes the forms of
# dp_noise.describe_question() in place of the fingerprints.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use LedgerCluster;
use Questions;
use Test::More;

my $seed = $ENV{FUZZ_SEED} // int(rand(2**31));
my $seconds = $ENV{FUZZ_SECONDS} // 20;
my $batch = 100;

srand($seed);
note("FUZZ_SEED=$seed");

my $node = LedgerCluster->new('rows', "fsync = off\nautovacuum = off\njit = off\nt.tree = " . ($ENV{FUZZ_TREE} ? 'on' : 'off') . "\n");

make_tables($node);
$node->safe_psql('postgres', <<'EOS');
-- The answer, as rows of text; an error as its code and message.
CREATE FUNCTION t.ask(path text, question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	PERFORM set_config('search_path', path, false);
	EXECUTE format('SELECT coalesce(string_agg(a::text, '' '' ORDER BY a::text COLLATE "C"), ''none'') FROM (%s) AS a', question) INTO answer;
	RETURN answer;
EXCEPTION WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END
$$;

-- What a plan says: fingerprints, substitution, in how many groups a unit is, sensitivities.
CREATE FUNCTION t.plan(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	texts json;
	forms text;
BEGIN
	PERFORM set_config('search_path', 'prot, pub, public', false);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || question INTO texts;
	plan := texts;
	IF current_setting('t.tree') = 'on' THEN
		forms := (SELECT string_agg(md5(form), ',') FROM dp_noise.describe_question(question) WHERE node LIKE '%release by%');
	END IF;
	RETURN concat_ws('|', concat(jsonb_path_query_first(plan, 'strict $.**."Protected Relation"'), jsonb_path_query_first(plan, 'strict $.**."Protected Relations"'), ' ') || coalesce(forms, (SELECT string_agg(v #>> '{}', ',') FROM jsonb_path_query(plan, 'strict $.**.Question') AS v), ''),
		coalesce((jsonb_path_query_first(plan, 'strict $.**.Neighbours') #>> '{}') LIKE 'substitut%', false),
		coalesce(jsonb_path_query_first(plan, 'strict $.**."Groups per Unit"') #>> '{}', '1'),
		(SELECT string_agg(v #>> '{}', ',') FROM jsonb_path_query(plan, 'strict $.**.Sensitivity') AS v));
EXCEPTION WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END
$$;

CREATE FUNCTION t.rows_of(question text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result jsonb;
BEGIN
	PERFORM set_config('search_path', 'plain0, pub, public', false);
	EXECUTE question INTO result;
	RETURN coalesce(result, '{}');
END
$$;

-- By the texts of the keys, of which there are so many: arrays of states. Groups
-- have the number of their units, too.
CREATE FUNCTION t.states_of(question text, keys integer, columns integer) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('search_path', 'prot, pub, public', false);
	-- keys that turn out to be constants are none
	RETURN (SELECT CASE WHEN coalesce(bool_and(cardinality(s) = columns), true) THEN coalesce(jsonb_object_agg(coalesce(s[1:keys], '{}')::text, to_jsonb(s[keys + 1:])), '{}') END FROM dp_noise.true_states(question) AS s);
EXCEPTION WHEN feature_not_supported THEN
	RETURN NULL; -- one row a unit
END
$$;

-- A count, or a sum as it is in its state.
CREATE FUNCTION t.number(state text) RETURNS numeric LANGUAGE sql AS $$ SELECT regexp_replace(coalesce(state, '0'), '^\((-?\d+),.*', '\1')::numeric $$;

-- Leaves out the rows of some units, and says what that changed; null: nothing
-- that it may not.
CREATE FUNCTION t.neighbour(counted text, question text, keys integer, sensitivities numeric[], most integer, people text[], substitutes boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before jsonb := t.rows_of(counted);
	after jsonb;
	states jsonb;
	less jsonb;
	alone jsonb;
	victim integer;
	relation text;
	place integer;
	changed record;
BEGIN
	IF sensitivities IS NOT NULL THEN
		PERFORM set_config('dp_noise.max_rows_per_unit', '2', false), set_config('dp_noise.max_groups_per_unit', '1000', false);
		states := t.states_of(question, keys, keys + cardinality(sensitivities) + (keys > 0)::integer);
	END IF;
	FOREACH victim IN ARRAY '{1,2,3,4,5,6,7}'::integer[] LOOP
		CONTINUE WHEN random() > 0.4;
		after := NULL; less := NULL; alone := NULL;
		BEGIN
			FOREACH relation IN ARRAY people LOOP
				EXECUTE format('DELETE FROM plain0.%I WHERE u = %s', relation, victim);
				EXECUTE format('DELETE FROM prot.%I WHERE u = %s', relation, victim);
			END LOOP;
			after := t.rows_of(counted);
			IF states IS NOT NULL THEN
				less := t.states_of(question, keys, keys + cardinality(sensitivities) + (keys > 0)::integer);
			END IF;
			RAISE EXCEPTION 'back' USING ERRCODE = 'ZZZZZ';
		EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
			NULL;
		END;
		IF before - victim::text <> after - victim::text THEN
			RETURN format('without unit %s of %s: rows of others changed: %s became %s', victim, people, before - victim::text, after - victim::text);
		END IF;
		IF after ? victim::text AND before -> victim::text <> after -> victim::text AND NOT substitutes THEN
			RETURN format('without unit %s of %s: it still has rows: %s became %s', victim, people, before -> victim::text, after -> victim::text);
		END IF;
		CONTINUE WHEN states IS NULL;
		FOR changed IN SELECT coalesce(a.key, b.key) AS key, a.value AS a, b.value AS b FROM jsonb_each(states) AS a FULL JOIN jsonb_each(less) AS b ON a.key = b.key LOOP
			FOR place IN 1 .. cardinality(sensitivities) LOOP
				IF abs(t.number(changed.a ->> (place - 1)) - t.number(changed.b ->> (place - 1))) > sensitivities[place] THEN
					RETURN format('without unit %s of %s: state %s of group %s was %s and became %s', victim, people, place, changed.key, changed.a ->> (place - 1), changed.b ->> (place - 1));
				END IF;
			END LOOP;
		END LOOP;
		CONTINUE WHEN random() > 0.3;
		PERFORM set_config('dp_noise.max_groups_per_unit', '2', false);
		BEGIN
			FOREACH relation IN ARRAY '{o,c,n,i,s,t,r}'::text[] LOOP
				EXECUTE format('DELETE FROM prot.%I WHERE u <> %s', relation, victim);
			END LOOP;
			alone := t.states_of(question, keys, keys + cardinality(sensitivities) + (keys > 0)::integer);
			RAISE EXCEPTION 'back' USING ERRCODE = 'ZZZZZ';
		EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
			NULL;
		END;
		PERFORM set_config('dp_noise.max_groups_per_unit', '1000', false);
		IF (SELECT count(*) FROM jsonb_each(alone) AS a WHERE t.number(a.value ->> 0) > 0) > least(most, 2) OR EXISTS (SELECT FROM jsonb_each(alone) AS a WHERE t.number(a.value ->> 0) > 2) THEN
			RETURN format('unit %s alone, in %s groups at most: %s', victim, least(most, 2), alone);
		END IF;
	END LOOP;
	RETURN NULL;
EXCEPTION WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END
$$;
EOS

sub plain_text
{
	my ($text) = @_;

	# count_distinct has one argument
	$text =~ s/dp_count_distinct(\((?:[^()]++|(?1))*+\))/'count(DISTINCT ' . substr($1, 1)/ge;
	$text =~ s/dp_count\(/count(/g;
	$text =~ s/dp_sum(\((?:[^()]++|(?1))*+\))/plain_sum($1)/ge;
	return $text;
}

sub plain_sum
{
	my ($value, $low, $high) = $_[0] =~ /^\((.*), (-?\d+), (\d+)\)$/;

	return "pub.clamped_sum(($value)::integer, $low, $high)";
}

$node->safe_psql('postgres', <<'EOS');
CREATE FUNCTION pub.clamped_add(bigint, integer, integer, integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT $1 + CASE WHEN $2 IS NULL THEN 0 ELSE greatest(least($2, $4), $3) END $$;
CREATE AGGREGATE pub.clamped_sum(integer, integer, integer) (SFUNC = pub.clamped_add, STYPE = bigint, INITCOND = '0');
EOS

##############################################################################
# Rounds of questions

# The groups of an answer, without those of no rows; place: of the first count.
sub groups
{
	my ($answer, $keys) = @_;
	my %result;

	return () if $answer eq 'none';
	foreach my $row (split /\) \(/, $answer =~ s/^\(|\)$//gr)
	{
		my @columns = split /,/, $row, -1;
		my $key = join ',', @columns[ 0 .. $keys - 1 ];

		next if $keys > 0 && $columns[$keys] eq '0';
		s/(\.\d*?)0+$/$1/, s/\.$// foreach @columns;
		$result{$key} = join ',', @columns[ $keys .. $#columns ];
	}
	return %result;
}

my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my ($asked, $answered, $fair, $fair_answered) = (0, 0, 0, 0);
my ($neighbours, $shared, $reworded, $recognized) = (0, 0, 0, 0);
my (%refused, %examples);
my %failures;
my @unrecognized;

sub failure
{
	my ($kind, $text, $more) = @_;

	push @{ $failures{$kind} }, $text;
	diag("$kind\n  $text\n  $more") if @{ $failures{$kind} } <= 10;
}

# The same question in other words.
sub reword
{
	my ($text) = @_;
	$text =~ s/\ba(\d+)\b/'z' . (97 - $1)/ge;
	return $text;
}

# A question that differs by little.
sub mutate
{
	my ($q) = @_;
	my @changes = ([ qr/\bNOT EXISTS\b/, 'EXISTS' ], [ qr/(?<!NOT )\bEXISTS \(/, 'NOT EXISTS (' ], [ qr/ LEFT JOIN /, ' JOIN ' ], [ qr/(?<!LEFT|IGHT) JOIN /, ' LEFT JOIN ' ], [ qr/ NOT IN /, ' IN ' ], [ qr/ = 1/, ' = 2' ], [ qr/\.x/, '.y' ], [ qr/\.y/, '.k' ],
		[ qr/ AND /, ' OR ' ], [ qr/count\(\*\) > 1/, 'count(*) > 2' ], [ qr/(?<=SELECT )DISTINCT /, '' ], [ qr/max\(/, 'min(' ], [ qr/ IS NULL/, ' IS NOT NULL' ], [ qr/ > /, ' >= ' ], [ qr/\bo AS /, 'c AS ' ], [ qr/\bi AS /, 's AS ' ], [ qr/p AS /, 'q AS ' ],
		[ qr/count\(/, 'count(DISTINCT ' ], [ qr/UNION ALL/, 'UNION' ], [ qr/ IS NOT TRUE/, ' IS NOT FALSE' ], [ qr/ ANY /, ' ALL ' ], [ qr/coalesce\(/, 'nullif(' ], [ qr/\.u\b/, '.' . one(qw(x y k)) ], [ qr/\.[xyk] = /, '.' . one(qw(u x y k)) . ' = ' ], [ qr/ = a\d+\.[xyk]/, ' = a1.' . one(qw(u x y k)) ]);
	my ($from, $to) = @{ one(@changes) };
	my %copy = %$q;
	my $tail = index($copy{text}, ' FROM ');
	my @places;

	pos($copy{text}) = $tail;
	while ($copy{text} =~ /$from/g) { push @places, [ $-[0], $+[0] ] if $-[0] > $tail }
	return undef if !@places;
	my $place = one(@places);

	substr($copy{text}, $place->[0], $place->[1] - $place->[0]) = $to;
	$copy{broken} = 1;
	delete $copy{fingerprints};
	return \%copy;
}

my $end = time() + $seconds;

while (time() < $end)
{
	my @questions = map { question(one(1, 2, 2, 3)) } 1 .. $batch;

	@questions = grep { length($_->{text}) < 4000 } @questions;
	fill($node, $_) foreach qw(plain0 plain1 plain2);
	$node->safe_psql('postgres', 'ANALYZE') if chance(0.3);

	my @asked = run_each($node, 'dp_ann', "SET dp_noise.epsilon = 100000; SET dp_noise.delta = 1e-7; SET dp_noise.max_rows_per_unit = 20000; SET dp_noise.max_groups_per_unit = 200; SET statement_timeout = '20s';",
		map { 't.ask(\'prot, pub, public\', ' . quote($_->{text}) . ')' } @questions);
	my @plain = run_each($node, $superuser, "SET statement_timeout = '20s';", map { 't.ask(\'plain0, pub, public\', ' . quote(plain_text($_->{units})) . ')' } @questions);
	my @accepted;

	foreach my $n (0 .. $#questions)
	{
		my ($q, $answer, $plain) = ($questions[$n], $asked[$n], $plain[$n]);

		if ($plain =~ /^error (.*)/)
		{
			$refused{"plain: " . substr($1, 0, 70)}++;
			failure('what is an error is answered', $q->{text}, "$plain: $answer") if $answer !~ /^error/ && $plain !~ /57014/;
			next;
		}
		$asked++;
		$fair++ if !$q->{broken};
		if ($answer =~ /^error/)
		{
			my (undef, $code, $message) = split / /, $answer, 3;

			failure('an internal error, or one of the rows', $q->{text}, $answer) if $code !~ /^(0A000|42501|57014)$/;
			note("takes too long: $q->{text}") if $code eq '57014';
			$refused{ ($q->{broken} ? 'broken: ' : 'fair: ') . substr($message, 0, 90) }++;
			push @{ $examples{$message} }, $q->{text} if !$q->{broken};
			next;
		}
		$answered++;
		$fair_answered++ if !$q->{broken};
		push @accepted, $q;
		my %told = groups($answer, $q->{keys});
		my %true = groups($plain, $q->{keys});
		my @wrong;

		foreach my $key (keys %true)
		{
			my ($values, $units) = $true{$key} =~ /^(.*),(\d+)$/;

			next if !exists $told{$key} && $units < 3 && $q->{keys} > 0;
			next if grep { /^-?\d/ && abs($_) > 20000 } split /,/, $values; # one unit may have reached its cap
			push @wrong, "($key): " . ($told{$key} // 'nothing') . " for $values" if ($told{$key} // '') ne $values;
		}
		push @wrong, map { "($_): $told{$_} for nothing" } grep { !exists $true{$_} } keys %told;
		failure('another answer than the plain one', $q->{text}, join('; ', @wrong)) if @wrong;
	}

	# as a superuser, with small caps
	my @plans = run_each($node, $superuser, "SET dp_noise.delta = 1e-7; SET dp_noise.epsilon = 1; SET dp_noise.max_rows_per_unit = 2; SET dp_noise.max_groups_per_unit = 1000;", map { 't.plan(' . quote($_->{text}) . ')' } @accepted);
	my (@checks, @checked);

	foreach my $n (0 .. $#accepted)
	{
		my $q = $accepted[$n];
		my ($fingerprints, $substitutes, $groups, $sensitivities) = split /\|/, $plans[$n];

		if ($plans[$n] =~ /^error/)
		{
			failure('answered but not explained', $q->{text}, $plans[$n]);
			next;
		}
		$q->{fingerprints} = $fingerprints;
		my @bounds = split /,/, $sensitivities;
		my $bounds = @bounds == $q->{items} ? "'{$sensitivities}'" : 'NULL';
		my %people;

		push @{ $people{ $tables{$_}[1] } }, $_ foreach @{ $q->{people} };
		$people{root} = [ 'o', 'c' ] if $people{root};
		foreach my $relations (values %people)
		{
			push @checks, 't.neighbour(' . join(', ', quote($q->{counted}), quote($q->{text}), $q->{keys}, $bounds, $groups, "'{" . join(',', @$relations) . "}'", $substitutes eq 't' ? 'true' : 'false') . ')';
			push @checked, $q;
		}
	}
	my @changes = run_each($node, $superuser, "SET dp_noise.delta = 1e-7; SET dp_noise.epsilon = 1;", @checks);

	foreach my $n (0 .. $#checks)
	{
		$neighbours++;
		failure('neighbours', $checked[$n]{text}, $changes[$n]) if $changes[$n] ne '';
	}

	# other words, and other questions that differ by little
	my @others = grep { defined } map { my $q = $_; ({ %$q, text => reword($q->{text}), rewords => $q->{fingerprints} }, map { mutate($q) } 1 .. 2) } grep { $_->{fingerprints} } @accepted;
	@plans = run_each($node, $superuser, "SET dp_noise.delta = 1e-7; SET dp_noise.epsilon = 1; SET dp_noise.max_rows_per_unit = 2; SET dp_noise.max_groups_per_unit = 1000;", map { 't.plan(' . quote($_->{text}) . ')' } @others);
	foreach my $n (0 .. $#others)
	{
		next if $plans[$n] =~ /^error/;
		($others[$n]{fingerprints}) = split /\|/, $plans[$n];
		next if !$others[$n]{rewords};
		$reworded++;
		$recognized++ if $others[$n]{rewords} eq $others[$n]{fingerprints};
		push @unrecognized, $others[$n]{text} if $others[$n]{rewords} ne $others[$n]{fingerprints};
	}
	my @all = grep { $_->{fingerprints} && !$_->{rewords} } @accepted, @others;
	my %answers;
	my @paths = map { "plain$_, pub, public" } 0 .. 2;

	foreach my $path (@paths)
	{
		my @out = run_each($node, $superuser, "SET statement_timeout = '20s';", map { "t.ask('$path', " . quote(plain_text($_->{text})) . ')' } @all);
		push @{ $answers{$_} }, $out[$_] foreach 0 .. $#all;
	}
	my %first;
	foreach my $n (0 .. $#all)
	{
		my $answer = join ' | ', @{ $answers{$n} };
		my $print = "$all[$n]{keys} $all[$n]{items} $all[$n]{fingerprints}";

		next if $answer =~ /error/;
		my $other = $first{$print} //= [ $all[$n]{text}, $answer ];
		next if $other->[0] eq $all[$n]{text};
		$shared++;
		failure('one fingerprint', "$other->[0]\n  $all[$n]{text}", "$other->[1]\n  $answer") if $other->[1] ne $answer;
	}
}

is(scalar @{ $failures{$_} // [] }, 0, $_) foreach 'another answer than the plain one', 'what is an error is answered', 'an internal error, or one of the rows', 'answered but not explained', 'neighbours', 'one fingerprint';
cmp_ok($fair_answered, '>', $fair * 0.8, "$fair_answered of $fair questions by the rules are answered");
note("$answered of all $asked; $neighbours pairs of neighbours; $shared pairs of fingerprints; of $reworded questions in other words $recognized recognized");
note("$refused{$_} times $_") foreach sort { $refused{$b} <=> $refused{$a} } keys %refused;
# of what is refused, and not recognized, the shortest
if ($ENV{FUZZ_EXAMPLES})
{
	note("not recognized\n  $_") foreach grep { defined } (sort { length($a) <=> length($b) } @unrecognized)[ 0 .. 4 ];
	foreach my $message (sort keys %examples)
	{
		my ($short) = sort { length($a) <=> length($b) } @{ $examples{$message} };
		note("$message\n  $short");
	}
}

$node->stop;
done_testing();
