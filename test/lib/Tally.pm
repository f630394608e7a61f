# Tally: the formatter that prove and pg_prove use here.
#
# It prints what prove prints, and appends "passed failed skipped" to the file
# that $TALLY names, so that test/run can add up the points of all suites.  A
# program that crashes, exits with an error or does not keep its plan counts as
# a failure even if all the points that it ran passed.

package Tally;

use strict;
use warnings;

use parent 'TAP::Formatter::File';

sub summary
{
	my ($self, $aggregate, $interrupted) = @_;

	$self->SUPER::summary($aggregate, $interrupted);
	return unless defined $ENV{TALLY};

	my ($passed, $failed, $skipped) = (0, $interrupted ? 1 : 0, 0);
	foreach my $parser ($aggregate->parsers)
	{
		my @passed  = $parser->passed;
		my @failed  = $parser->failed;
		my %skipped = map { $_ => 1 } $parser->skipped, $parser->todo;

		$passed += grep { !$skipped{$_} } @passed;
		$skipped += grep { $skipped{$_} } @passed;
		$skipped++ if defined $parser->skip_all;
		$failed += @failed;
		if ($parser->parse_errors)
		{
			$failed++;
		}
		elsif (($parser->exit || $parser->wait) && !@failed)
		{
			$failed++;
		}
	}

	open my $file, '>>', $ENV{TALLY} or die "could not open $ENV{TALLY}: $!";
	print $file "$passed $failed $skipped\n";
	close $file or die "could not write $ENV{TALLY}: $!";
	return;
}

1;
