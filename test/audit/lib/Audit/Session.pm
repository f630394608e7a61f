# Audit::Session: a psql that stays, as an analyst.
#
#   my $session = Audit::Session->new($node, 'database', 'role');
#   $session->tell('SELECT ...;');
#   my @rows = $session->rows(3);         # waits for so many

package Audit::Session;

use strict;
use warnings;

use IPC::Open3 qw(open3);
use Symbol qw(gensym);

sub new
{
	my ($class, $node, $database, $role) = @_;
	my ($in, $out, $err) = (undef, undef, gensym);
	my $pid = open3($in, $out, $err, $node->installed_command('psql'), '-XAtq', '-v', 'ON_ERROR_STOP=1', '-U', $role,
		'-d', $node->connstr($database));

	$in->autoflush(1);
	my $self = bless { pid => $pid, in => $in, out => $out, err => $err, kept => [] }, $class;

	# nobody reads messages before the end, and psql waits where there are many
	$self->tell('SET client_min_messages = warning;');
	return $self;
}

sub tell
{
	my ($self, $text) = @_;

	local $SIG{PIPE} = 'IGNORE';
	print { $self->{in} } "$text\n";
	return;
}

# The next rows. A psql that ended says why.
sub rows
{
	my ($self, $number) = @_;
	my ($out, $err) = @$self{qw(out err)};
	my @rows;

	while (@rows < $number)
	{
		my $row = <$out>;

		die 'a question failed: ' . join('', <$err>) . "\n" if !defined $row;
		chomp $row;
		push @rows, $row;
	}
	return @rows;
}

# Reads rows now, to be fetched later.
sub keep
{
	my ($self, $number) = @_;

	$self->{kept} = [ $self->rows($number) ];
	return;
}

sub kept { return @{ $_[0]{kept} }; }

# Ends it; there must be no more rows.
sub close
{
	my ($self) = @_;

	CORE::close $self->{in};
	my @rest = readline $self->{out};
	waitpid $self->{pid}, 0;
	die "an answer has more rows than the case says\n" if @rest;
	return;
}

1;
