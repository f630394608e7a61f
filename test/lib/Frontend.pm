# Frontend: a client of PostgreSQL's protocol, message by message, for what
# psql does not do: portals of a prepared statement, read in pieces.
#
#   my $session = Frontend->new($node, 'database', 'user');
#   my $bytes = $session->send(parse => [ 's', 'SELECT $1' ], bind => [ '', 's', 5 ], execute => [ '', 1 ], sync => []);
#
# send() returns the server's messages up to ReadyForQuery, as one text.

package Frontend;

use strict;
use warnings;

use IO::Socket::UNIX;

sub new
{
	my ($class, $node, $database, $user) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => $node->host . '/.s.PGSQL.' . $node->port) or die "no connection: $!";
	my $startup = pack('N', 196608) . "user\0$user\0database\0$database\0\0";
	my $self = bless { socket => $socket }, $class;

	syswrite $socket, pack('N', length($startup) + 4) . $startup;
	$self->answer;
	return $self;
}

sub read_bytes
{
	my ($self, $count) = @_;
	my $bytes = '';

	while (length($bytes) < $count)
	{
		sysread($self->{socket}, $bytes, $count - length($bytes), length($bytes)) or die 'the server closed the connection';
	}
	return $bytes;
}

# Messages up to ReadyForQuery: type and content each.
sub answer
{
	my ($self) = @_;
	my $all = '';

	for (;;)
	{
		my ($type, $size) = unpack 'a N', $self->read_bytes(5);
		my $content = $self->read_bytes($size - 4);

		$content =~ s/([^ -~])/sprintf '\\%02x', ord $1/ge;
		$all .= "$type $content\n";
		return $all if $type eq 'Z';
	}
}

my %messages = (
	# statement, text
	parse => sub { 'P', "$_[0]\0$_[1]\0" . pack('n', 0) },
	# portal, statement, values as text
	bind => sub {
		my ($portal, $statement, @values) = @_;
		'B', "$portal\0$statement\0" . pack('n n', 0, scalar @values)
			. join('', map { pack('N', length) . $_ } @values) . pack('n', 0);
	},
	# S or P, name
	describe => sub { 'D', "$_[0]$_[1]\0" },
	# portal, rows at most
	execute => sub { 'E', "$_[0]\0" . pack('N', $_[1]) },
	close => sub { 'C', "$_[0]$_[1]\0" },
	flush => sub { 'H', '' },
	sync => sub { 'S', '' },
	query => sub { 'Q', "$_[0]\0" },
	# function by its oid, values as text, undef for null
	call => sub {
		my ($function, @values) = @_;
		'F', pack('N n n', $function, 0, scalar @values)
			. join('', map { defined $_ ? pack('N', length) . $_ : pack('N', 0xFFFFFFFF) } @values) . pack('n', 0);
	},
);

sub send
{
	my ($self, @what) = @_;
	my $bytes = '';

	while (my ($name, $arguments) = splice @what, 0, 2)
	{
		my ($type, $content) = $messages{$name}->(@$arguments);
		$bytes .= pack('a N', $type, length($content) + 4) . $content;
	}
	syswrite $self->{socket}, $bytes;
	return $self->answer;
}

1;
