#!/usr/bin/perl
#
# Runs what "make demo" and "make try" show, each on a server of its own: every
# heading comes out whole and in its place, every statement has an answer, and
# nothing is refused but what the story wants refused.

use strict;
use warnings;
use utf8;

use File::Basename qw(dirname);
use File::Temp;
use Test::More;

my $root = dirname(__FILE__) . '/../..';
my $rule = qr{^[─┼]+$}m;

chdir($root) or die "no directory $root: $!";

# What "\echo" makes of its line: quotes keep a text together and go.
sub echoed
{
	my ($line) = @_;

	return $line unless $line =~ /^'(.*)'$/;
	return $1 =~ s/\\\\/\\/gr;
}

# The headings of a script and the statements that it shows, in order.
sub parts
{
	my ($script) = @_;
	my $shown = 0;
	my $statement = '';
	my @parts;

	open(my $file, '<', $script) or die "no $script: $!";
	while (my $line = <$file>)
	{
		chomp $line;
		$shown = $1 eq 'queries' if $line =~ /^\\set ECHO (\w+)/;
		push @parts, { heading => echoed($1) } if $line =~ /^\\echo (.+)/;
		next if !$shown || $line =~ /^(?:\\|--|$)/ && $statement eq '';
		$statement .= ($statement eq '' ? '' : "\n") . $line;
		next unless $line =~ /;$/;
		push @parts, { statement => $statement };
		$statement = '';
	}
	close($file);
	is($statement, '', "$script: its last statement ends");
	return @parts;
}

# What psql shows of a script, errors in their places; and its exit code.
sub run
{
	my ($script) = @_;
	my $log = File::Temp->new;

	system('sh', '-c', 'exec test/server stdbuf -oL psql -X -q -v ON_ERROR_STOP=1 -f "$0" >"$1" 2>&1',
		$script, $log->filename);
	my $status = $?;
	open(my $file, '<:encoding(UTF-8)', $log->filename) or die "no output: $!";
	my $output = do { local $/; <$file> };
	close($file);
	return ($status, "\n$output");
}

# Gives each part what comes out below it. Returns the part that does not come out.
sub assign
{
	my ($output, @parts) = @_;
	my $from = 0;
	my $last;

	foreach my $part (@parts)
	{
		my $text = $part->{heading} // $part->{statement};
		my $found = index($output, "\n$text\n", $from);

		return $text if $found < 0;
		$last->{below} = substr($output, $from, $found - $from) if $last;
		$from = $found + 1 + length $text;
		$last = $part;
	}
	$last->{below} = substr($output, $from);
	return undef;
}

# The rows of tables, as lists of cells.
sub rows
{
	my ($below) = @_;
	my ($table) = $below =~ /$rule\n(.*?)(?:\n\n|\z)/s;

	return map { [map { s/^\s+|\s+$//gr } split /│/, $_, -1] } split /\n/, $table // '';
}

sub has_answer
{
	my ($part) = @_;
	my @rows = rows($part->{below});

	return 0 unless @rows;
	return 1 if $part->{statement} =~ /^SELECT dp_noise\.(?:create_population|protect|set_\w+)\(/; # void
	return !grep { $_ eq '' } map { @$_ } @rows;
}

my $script = 'doc/demo/demo.sql';
my @parts = parts($script);
my ($status, $output) = run($script);
my @wanted_errors = (
	qr/^SELECT wage .*rows of protected relation "cps1988" cannot be shown/s,
	qr/^SELECT dp_count.*insufficient privacy budget for "cps1988"/s);

is($status, 0, 'the demonstration ends well') or diag($output);
is(assign($output, @parts), undef, 'it has every heading and statement, whole and in order') or diag($output);

my @statements = grep { $_->{statement} } @parts;
my @answering = grep { $_->{statement} =~ /^(?:SELECT|EXPLAIN)\b/ } @statements;
my @refused = grep { ($_->{below} // '') =~ /ERROR:/ } @statements;
my %is_refused = map { $_ => 1 } @refused;

cmp_ok(scalar @answering, '>', 20, 'it shows statements');
is(scalar @refused, scalar @wanted_errors, 'as many are refused as are to be')
  or diag(map { "$_->{statement}$_->{below}" } @refused);
foreach my $i (0 .. $#wanted_errors)
{
	like(join('', map { $_ // '' } @{ $refused[$i] // {} }{qw(statement below)}), $wanted_errors[$i], 'for the reason that it shows');
}
is(scalar(() = $output =~ /ERROR:/g), scalar @wanted_errors, 'and nothing else fails');
unlike($output, qr/unterminated|invalid command|^psql:(?!.*ERROR:)/mi, 'psql complains of nothing') or diag($output);
is_deeply([map { $_->{statement} } grep { !$is_refused{$_} && !has_answer($_) } @answering],
	[], 'all others have an answer, with a value in each cell');
is(scalar(grep { @$_ == 5 && !grep { $_ eq '' } @$_ } rows($output)), 28, 'true and private answers are beside each other');

$script = 'doc/demo/try.sql';
@parts = parts($script);
($status, $output) = run($script);
is($status, 0, 'what "make try" begins with ends well') or diag($output);
is($output, join('', "\n", map { /^\\echo ?(.*)/ ? echoed($1) . "\n" : () } split /\n/,
	do { local (@ARGV, $/) = $script; <> }), 'it says what to do next, and nothing else');

$script = 'doc/demo/omop.sql';
($status, $output) = run($script);
is($status, 0, 'what "make demo-omop" shows ends well') or diag($output);
my @asked = grep { @$_ == 6 && $_->[0] =~ /^\d+$/ } map { rows($_) } $output =~ /(?:^|\n\n)([^\n]*question[^\n]*\n.*?)(?=\n\n)/gs;
is(join(' ', map { $_->[0] } @asked), '1 2 3 4 5 6 7 8 9 10', 'it answers ten questions') or diag($output);
is(scalar(grep { abs($_->[4] - $_->[2]) > 0.02 * $_->[2] + 200 } @asked), 0, 'near the truth');
is(scalar(grep { $_->[3] ne '' && ($_->[3] > $_->[4] || $_->[4] > $_->[5]) } @asked), 0, 'between the ends of their intervals');

done_testing();
