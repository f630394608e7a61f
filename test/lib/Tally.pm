# Tally: the formatter that prove and pg_prove use here.
#
# It prints what prove prints, and appends "passed failed skipped" to the file
# that $TALLY names, so that test/run can add up the points of all suites, and a
# line "failed PROGRAM: WHAT" for each program that did not pass.  A program that
# crashes, exits with an error or does not keep its plan counts as a failure even
# if all the points that it ran passed; "took too long" is said of one that
# timeout ended (exit code 124, or 137 where it had to be killed).

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
	my @failures;
	foreach my $program ($aggregate->descriptions)
	{
		my ($parser) = $aggregate->parsers($program);
		my @passed  = $parser->passed;
		my @failed  = $parser->failed;
		my %skipped = map { $_ => 1 } $parser->skipped, $parser->todo;

		$passed += grep { !$skipped{$_} } @passed;
		$skipped += grep { $skipped{$_} } @passed;
		$skipped++ if defined $parser->skip_all;
		$failed += @failed;
		push @failures, "$program: point @failed" if @failed;
		if ($parser->exit == 124 || $parser->exit == 137)
		{
			$failed++;
			push @failures, "$program: took too long, and was ended";
		}
		elsif ($parser->parse_errors)
		{
			$failed++;
			push @failures, "$program: " . ($parser->parse_errors)[0];
		}
		elsif (($parser->exit || $parser->wait) && !@failed)
		{
			$failed++;
			push @failures, "$program: exit code " . $parser->exit;
		}
	}

	open my $file, '>>', $ENV{TALLY} or die "could not open $ENV{TALLY}: $!";
	print $file "$passed $failed $skipped\n";
	print $file "failed $_\n" foreach @failures;
	close $file or die "could not write $ENV{TALLY}: $!";
	return;
}

1;
