#!/usr/bin/perl
#
# Runs the examples of the documents, in order, on the server that the
# environment names, and compares what they answer with what is shown.
#
# A document is run in a database of its own.  Its set-up is the file of
# test/documents that it has a link to; without one, the extension alone.  In
# its blocks ```sql, which may be indented as parts of lists,
#
# - a comment line "-- the owner", "-- the analyst", "-- the superuser" or "-- ann",
#   whatever follows after a colon or comma, says whose statements come next.  A
#   document begins as the superuser; each role has one session;
# - lines below a statement are its output as psql shows it, without the
#   number of rows; "..." stands for any lines.  Numbers of private answers may be
#   others not far from these, as draws are; everything else must be equal;
# - a statement that is refused shows its ERROR, and may leave out the rest;
# - a comment behind a statement that begins with a number shows its value.
#
# A block below a line "<!-- not run: REASON -->" is skipped.

use strict;
use warnings;

use File::Basename qw(dirname);
use IPC::Open2;
use Test::More;

my $root = dirname(__FILE__) . '/../..';
my $number = qr/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/i;
my $private = qr/\b(?:count|sum|avg|min|max|variance|stddev|percentile_\w+|mode|dp_(?:randomized_counts|randomized_bit_counts|count|count_distinct|sum|mean|variance|stddev|max|min|median|mode|bounds|\w+_exp)|sample|sample_sensitivity)\s*\(/i;
my $keyword = qr/^(?:SELECT|WITH|VALUES|TABLE|SET|RESET|SHOW|EXPLAIN|CREATE|ALTER|DROP|GRANT|REVOKE|INSERT|UPDATE|DELETE|COPY|BEGIN|COMMIT|ROLLBACK|PREPARE|EXECUTE|DECLARE|FETCH|DO|LOAD)\b/;
my %sessions;

chdir($root) or die "no directory $root: $!";
$SIG{ALRM} = sub { die "an example took more than two minutes\n" };

# A session of psql, as a role.
sub session
{
	my ($role, $database) = @_;

	return $sessions{$role} if $sessions{$role};
	my $pid = open2(my $out, my $in, 'sh', '-c',
		'exec stdbuf -oL psql -Xq -P footer=off -P pager=off -U "$0" -d "$1" 2>&1', $role, $database);
	return $sessions{$role} = { pid => $pid, in => $in, out => $out };
}

# The lines that a statement answers.
sub answer
{
	my ($session, $statement) = @_;
	my @lines;

	alarm 120;
	print { $session->{in} } "$statement\n\\echo end-of-answer\n";
	$session->{in}->flush;
	while (my $line = readline $session->{out})
	{
		chomp $line;
		last if $line eq 'end-of-answer';
		push @lines, $line;
	}
	alarm 0;
	return @lines;
}

sub close_sessions
{
	foreach my $session (values %sessions)
	{
		close($session->{in});
		waitpid($session->{pid}, 0);
	}
	%sessions = ();
}

# psql, for what stands around the examples.
sub setup
{
	my @arguments = @_;

	return system('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', @arguments) == 0;
}

# The blocks of a document: its lines' numbers, texts, and why it is not run.
sub blocks
{
	my ($file) = @_;
	my (@blocks, $block, $reason);
	my $line_number = 0;

	open(my $handle, '<', $file) or die "could not read $file: $!";
	while (my $line = <$handle>)
	{
		$line_number++;
		chomp $line;
		if ($block)
		{
			$line =~ s/^$block->{indent}//;
			if ($line =~ /^```/) { push @blocks, $block; undef $block; }
			else { push @{ $block->{lines} }, $line; }
		}
		elsif ($line =~ /^(\s*)```sql/)
		{
			$block = { first => $line_number + 1, indent => $1, lines => [], reason => $reason };
			undef $reason;
		}
		elsif ($line =~ /^<!-- not run: (.+) -->$/) { $reason = $1; }
	}
	close($handle);
	return @blocks;
}

# Statements of a block, each with its role, place and expected output.
sub statements
{
	my ($block, $role) = @_;
	my (@statements, $open);
	my $place = $block->{first} - 1;

	foreach my $line (@{ $block->{lines} })
	{
		$place++;
		if (!$open && $line =~ /^-- (?:the )?(owner|analyst|superuser|ann)\b/)
		{
			$$role = $1 eq 'superuser' ? 'postgres' : $1;
			next;
		}
		next if !$open && $line =~ /^-- /;
		if (!$open && $line =~ $keyword)
		{
			$open = { role => $$role, place => $place, text => '', expected => [] };
		}
		if ($open)
		{
			my $code = $line;

			$open->{value} = $1 if $code =~ /;\s*-- ($number)(?![\w.])/;
			$code =~ s/\s*--(?= ).*$//;
			$open->{text} .= "$line\n";
			if ($code =~ /;$/)
			{
				push @statements, $open;
				undef $open;
			}
		}
		elsif (@statements) { push @{ $statements[-1]{expected} }, $line if $line =~ /\S/; }
	}
	push @statements, $open if $open;
	return @statements;
}

# A line as it is compared: without padding, and of noise without numbers.
sub plain
{
	my ($line, $noisy) = @_;

	$line =~ s/^\s+|\s+$//g;
	$line =~ s/\s*\|\s*/ | /g;
	$line =~ s/[-+]{3,}/---/g if $line =~ /^[-+]+$/;
	$line =~ s/$number/#/g if $noisy;
	$line =~ s/\s+/ /g;
	return $line;
}

# Whether lines are as expected, where "..." stands for any number of them.
sub matches
{
	my ($got, $expected) = @_;
	my @pattern = map { $_ eq '...' ? '(?:.*\n)*?' : quotemeta($_) . '\n' } @$expected;

	return join('', map { "$_\n" } @$got) =~ /^@{[ join '', @pattern ]}$/;
}

# Whether the numbers of private answers are near those that are shown: within 50 or
# a quarter, which the noise of no example should exceed but with a probability below 1e-4.
sub alike
{
	my ($got, $expected) = @_;
	my @got = map { /$number/g } @$got;
	my @expected = map { /$number/g } @$expected;

	return 1 if @got != @expected;
	foreach my $i (0 .. $#got)
	{
		my $distance = abs($got[$i] - $expected[$i]);

		return 0 if $distance > 50 && $distance > 0.25 * abs($expected[$i]);
	}
	return 1;
}

sub check
{
	my ($file, $statement, $database) = @_;
	my $text = $statement->{text};
	my $name = "$file:$statement->{place}: " . (split /\n/, $text)[0];
	my @got = answer(session($statement->{role}, $database), $text);
	my @expected = @{ $statement->{expected} };
	my $noisy = $text =~ $private && $text !~ /^EXPLAIN/;

	if (grep { /^ERROR:/ } @expected)
	{
		my %got = map { plain($_) => 1 } @got;
		my @missing = grep { !$got{ plain($_) } } @expected;

		ok(!@missing, "$name is refused") or diag("got:", map { "\n  $_" } @got);
		return;
	}
	if (grep { /^(psql:|ERROR:|FATAL:|invalid|unrecognized)/ } @got)
	{
		fail($name);
		diag("got:", map { "\n  $_" } @got);
		return;
	}
	if (defined $statement->{value})
	{
		my ($decimals) = $statement->{value} =~ /\.(\d+)/;
		my $value = $got[2];

		$value = 'nothing' unless defined $value && $value =~ /^\s*$number\s*$/;
		is($value eq 'nothing' ? $value : sprintf('%.' . length($decimals || '') . 'f', $value),
			$statement->{value}, "$name is so");
		return;
	}
	return pass($name) unless @expected;
	splice(@got, 0, 2) if $text =~ /^EXPLAIN/ && $expected[0] !~ /QUERY PLAN/;
	@got = grep { /\S/ } @got;
	my $alike = !$noisy || alike(\@got, \@expected);
	@got = map { plain($_, $noisy) } @got;
	@expected = map { plain($_, $noisy) } @expected;
	ok($alike && matches(\@got, \@expected), "$name answers so")
	  or diag($alike ? '' : 'numbers are far from those shown; ', "got:", map({ "\n  $_" } @got),
		"\nexpected:", map { "\n  $_" } @expected);
}

sub run_document
{
	my ($file) = @_;
	my @blocks = blocks($file) or return;
	my $database = 'examples';
	my $role = 'postgres';

	open(my $handle, '<', $file) or die "could not read $file: $!";
	my ($set_up) = do { local $/; <$handle> } =~ m{\]\((?:\.\./)?(test/documents/\w+\.sql)\)};
	close($handle);
	$set_up ||= 'test/documents/extension.sql';
	ok(setup('-d', 'template1', '-c', "CREATE DATABASE $database")
		  && setup('-d', $database, '-f', $set_up), "$file: $set_up");
	foreach my $block (@blocks)
	{
	  SKIP:
		{
			skip "$file:$block->{first}: $block->{reason}", 1 if $block->{reason};
			check($file, $_, $database) foreach statements($block, \$role);
		}
	}
	close_sessions();

	# The ledger worker may still be connected.
	ok(setup('-d', 'template1', '-c', "DROP DATABASE $database WITH (FORCE)")
		  && setup('-d', 'template1', '-c', q{DO $$
			DECLARE r name;
			BEGIN
				FOR r IN SELECT rolname FROM pg_roles WHERE oid >= 16384 LOOP
					EXECUTE format('DROP ROLE %I', r);
				END LOOP;
			END $$}), "$file: removed");
}

run_document($_) foreach @ARGV ? @ARGV : ('README.md', glob('doc/*.md'), 'CONTRIBUTING.md', glob('src/*.md src/*/README.md'));
done_testing();
