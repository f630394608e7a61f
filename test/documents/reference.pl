#!/usr/bin/perl
#
# doc/reference.md has every function, view, aggregate and setting that users may
# see, and doc/messages.md the messages, as the extension has them now.  What has
# no comment is an error of the script that generates them.

use strict;
use warnings;

use File::Basename qw(dirname);
use Test::More tests => 3;

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
