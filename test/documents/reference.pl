#!/usr/bin/perl
#
# doc/reference.md has every function, view, aggregate and setting that users may
# see, and what EXPLAIN shows; doc/messages.md has the messages, as the extension
# has them now; and doc/threat-model.md a test for each attack.  An object without
# a comment is an error of the script that generates the reference.

use strict;
use warnings;

use File::Basename qw(dirname);
use Test::More tests => 5;

my $root = dirname(__FILE__) . '/../..';

chdir($root) or die "no directory $root: $!";
my $output = `doc/generate-reference --check 2>&1`;
is($?, 0, 'generated parts are up to date') or diag($output);

open(my $handle, '<', 'doc/reference.md') or die "no reference: $!";
my $reference = do { local $/; <$handle> };
close($handle);
my ($by_hand) = $reference =~ /^(.*?)<!-- generated/s;

# What one reads first has every setting and aggregate, too.
foreach my $query (
	[ settings => q{LOAD 'dp_noise'; SELECT name FROM pg_settings WHERE name LIKE 'dp\_noise.%'} ],
	[ aggregates => q{CREATE EXTENSION dp_noise;
		SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'a' AND proname LIKE 'dp\_%'} ])
{
	my ($what, $sql) = @$query;
	my @names = split /\n/, `psql -XqAt -d template1 -c "BEGIN; $sql; ROLLBACK"`;
	my @missing = grep { index($by_hand, "`$_`") < 0 } @names;

	ok(@names && !@missing, "all $what are explained") or diag("missing: @missing");
}

# The threat model has the test of each class of attack.
{
	open(my $file, '<', 'doc/threat-model.md') or die "no threat model: $!";
	my ($section) = do { local $/; <$file> } =~ /^## Attacks and their tests\n(.*?)^## /ms;
	close($file);
	my %named = map { $_ => 1 } $section =~ m{\btest/[\w/]+(?:\.\w+)?}g;
	my @wrong = grep { !-e } sort keys %named;
	my @missing = grep { !$named{$_} } glob('test/tap/attacks/*.pl');

	ok(!@wrong && !@missing, 'the threat model names tests that there are, and every attack')
	  or diag("wrong: @wrong; missing: @missing");
}

# What EXPLAIN shows of a question.
{
	my %labels;

	foreach my $source (glob('src/gate/release/explain*.c'))
	{
		open(my $file, '<', $source) or die "no $source: $!";
		my $text = do { local $/; <$file> };
		close($file);
		foreach my $call ($text =~ /\b(?:Explain(?:Property|OpenGroup)|(?:dp_)?explain_)\w*\(([^;]*);/g)
		{
			my ($first) = $call =~ /^((?:[^,"]|"[^"]*")*)/;
			my @names = $first =~ /"([A-Z][^"]*)"/g;

			push @names, $1 if $call =~ /^"[^"]*",\s*"([A-Z][^"]*)"/;
			$labels{$_} = 1 foreach @names;
		}
	}
	my @missing = grep { (my $one = $_) =~ s/(Relation|Unit|Aggregate|Budget|Condition)s\b/$1/;
		index($by_hand, "`$_`") < 0 && index($by_hand, "`$one`") < 0 } sort keys %labels;

	ok(keys %labels > 30 && !@missing, 'all properties of EXPLAIN are explained') or diag("missing: @missing");
}
