# Linear programs for glpsol, GLPK's command, solved in exact rational numbers.
#
#   my $program = LinearProgram->new;
#   $program->objective(3 => 'x', 2 => 'y');
#   $program->row('>=', 1, 1 => 'x', 1 => 'y');
#   my ($value, $x, $duals) = $program->solve($directory);
#
# Coefficients are whole numbers wherever the result is to be exact: glpsol reads
# decimals as doubles. Variables are not negative. solve gives the least value of
# the objective, the variables by name, and the rows' dual values in their order.

package LinearProgram;

use strict;
use warnings;

sub new
{
	my ($class) = @_;

	return bless { objective => [], rows => [], columns => {}, names => [] }, $class;
}

# Numbers the variables in the order in which glpsol sees them.
sub _terms
{
	my ($self, @terms) = @_;
	my @text;

	while (my ($coefficient, $name) = splice @terms, 0, 2)
	{
		if (!exists $self->{columns}{$name})
		{
			$self->{columns}{$name} = scalar @{ $self->{names} };
			push @{ $self->{names} }, $name;
		}
		push @text, sprintf '%+.17g %s', $coefficient, $name;
	}
	return join "\n  ", @text;
}

# The objective comes first, with all variables, coefficients of 0 too.
sub objective
{
	my ($self, @terms) = @_;

	$self->{objective} = $self->_terms(@terms);
	return;
}

sub row
{
	my ($self, $relation, $right, @terms) = @_;

	push @{ $self->{rows} }, $self->_terms(@terms) . " $relation $right";
	return;
}

sub solve
{
	my ($self, $directory) = @_;
	my ($problem, $solution) = ("$directory/program.lp", "$directory/program.sol");
	my $rows = @{ $self->{rows} };
	my ($value, @primal, @dual);

	open my $out, '>', $problem or die "could not write $problem: $!\n";
	print $out "Minimize\n  value: $self->{objective}\nSubject To\n";
	print $out "  r$_: $self->{rows}[$_]\n" for 0 .. $rows - 1;
	print $out "End\n";
	close $out or die "could not write $problem: $!\n";

	unlink $solution;
	my $log = `glpsol --exact --lp '$problem' -w '$solution' 2>&1`;
	die "glpsol failed: $log" if $? != 0 || !-e $solution;

	open my $in, '<', $solution or die "could not read $solution: $!\n";
	while (my $line = <$in>)
	{
		$value = $1 if $line =~ /^s bas \d+ \d+ f f (\S+)/;
		$dual[$1 - 1] = $2 if $line =~ /^i (\d+) \S+ \S+ (\S+)/;
		$primal[$1 - 1] = $2 if $line =~ /^j (\d+) \S+ (\S+)/;
	}
	close $in;
	die "no optimum: $log" if !defined $value || @primal != @{ $self->{names} };
	return ($value, { map { $self->{names}[$_] => $primal[$_] } 0 .. $#primal }, \@dual);
}

1;
