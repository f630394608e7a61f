# CitusCluster: a coordinator and two workers, for the tests of test/citus.
#
#   my $citus = CitusCluster->new('name', 'extra = settings');
#   $citus->sql('SELECT 1');              # on the coordinator, as a superuser
#   $citus->as('ann', 'SELECT 1');        # as a role; what it printed and what it said
#   $citus->on(1, 'SELECT 1');            # on a worker
#
# Three servers on 127.0.0.1 whose database postgres has Citus and dp_noise, four
# shards a table. The coordinator has no shards itself.

package CitusCluster;

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

sub new
{
	my ($class, $name, $settings) = @_;
	my $self = bless { nodes => [] }, $class;

	foreach my $place ('coordinator', 'worker_1', 'worker_2')
	{
		my $node = PostgreSQL::Test::Cluster->new("${name}_$place");

		$node->init(auth_extra => [], extra => [ '--encoding=UTF8' ]);
		$node->append_conf('postgresql.conf', <<"EOC" . ($settings // ''));
shared_preload_libraries = 'citus, dp_noise'
listen_addresses = '127.0.0.1'
wal_level = logical
max_worker_processes = 24
max_prepared_transactions = 20
fsync = off
autovacuum = off
log_statement = none
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = 4
citus.enable_statistics_collection = off
EOC
		$node->start;
		$node->safe_psql('postgres', 'CREATE EXTENSION citus');
		push @{ $self->{nodes} }, $node;
	}
	my ($coordinator, @workers) = @{ $self->{nodes} };

	$self->sql("SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port . ')');
	$self->sql("SELECT citus_add_node('127.0.0.1', " . $_->port . ')') foreach @workers;
	$self->sql('CREATE EXTENSION dp_noise');
	return $self;
}

sub coordinator { return $_[0]->{nodes}[0] }

sub worker { return $_[0]->{nodes}[ $_[1] ] }

sub stop { $_->stop foreach reverse @{ $_[0]->{nodes} } }

sub sql { my ($self, $sql, %more) = @_; return $self->coordinator->safe_psql('postgres', $sql, %more) }

sub on { my ($self, $number, $sql, %more) = @_; return $self->worker($number)->safe_psql('postgres', $sql, %more) }

# Of a node: what statements of a role, undef for a superuser, print, and what else they say.
sub said
{
	my ($self, $number, $role, $sql, %more) = @_;
	my ($out, $err);

	$self->{nodes}[$number]->psql('postgres', $sql, stdout => \$out, stderr => \$err,
		extra_params => [ defined $role ? ('-U', $role) : () ], on_error_stop => 0, %more);
	return $out . $err;
}

sub as { my ($self, $role, $sql, %more) = @_; return $self->said(0, $role, $sql, %more) }

1;
