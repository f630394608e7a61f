# LedgerSteps: a LedgerCluster whose processes can be stopped at each step of a
# charge (src/ledger/step.h).
#
#   my $node = LedgerSteps->new('name', 'extra = settings', 'other_database');
#   $node->stop_at('before-commit');      # any process that gets there waits
#   my $pid = $node->reached('before-commit');
#   $node->pass('before-commit');         # lets it go on
#
# It needs the library that `make steps` builds.

package LedgerSteps;

use strict;
use warnings;

use parent -norequire, 'LedgerCluster';
use Time::HiRes qw(time usleep);

use LedgerCluster;

sub new
{
	my ($class, $name, $settings, @databases) = @_;
	my $node = bless LedgerCluster->new($name, $settings), $class;

	foreach my $database (@databases)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $database");
		$node->make_ledger($database);
	}
	$node->use_library('steps', @databases);
	mkdir $node->steps or die "could not make the directory of the steps: $!";
	return $node;
}

sub steps { return $_[0]->data_dir . '/dp_noise_steps'; }

sub stop_at
{
	my ($node, $step) = @_;

	unlink $node->steps . "/$step.reached";
	open my $file, '>', $node->steps . "/$step" or die "could not stop at $step: $!";
	close $file;
	return;
}

sub pass
{
	my ($node, $step) = @_;

	unlink $node->steps . "/$step";
	return;
}

# The pid of the process that waits at a step; undef if none does within seconds.
sub reached
{
	my ($node, $step) = @_;
	my $end = time + 10;

	while (time < $end)
	{
		if (open my $file, '<', $node->steps . "/$step.reached")
		{
			my $pid = <$file>;
			close $file;
			return $pid + 0 if defined $pid && $pid =~ /\n/;
		}
		usleep(2_000);
	}
	return;
}

1;
