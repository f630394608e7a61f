# PrivateInstall: a copy of the installed PostgreSQL, mostly links to it, whose
# extension dp_noise is the test's own: scripts and library of other versions, which
# the server's real directories are no place for.
#
#   my $install = PrivateInstall->new;
#   $install->script('0.2.0', $sql);              # or '0.1.0--0.2.0'
#   $install->library("$directory/dp_noise.so");
#   $install->default_version('0.2.0');
#   PostgreSQL::Test::Cluster->new('name', install_path => $install->path);
#
# Programs find the directories of their server from where they are themselves.

package PrivateInstall;

use strict;
use warnings;

use File::Basename;
use File::Copy;
use File::Path qw(make_path);
use PostgreSQL::Test::Utils;

sub new
{
	my ($class) = @_;
	my $root = PostgreSQL::Test::Utils::tempdir('install');
	my %from = map { $_ => `pg_config --$_` =~ s/\n//r } qw(bindir sharedir pkglibdir);
	my $self = bless { from => \%from, map { $_ => "$root$from{$_}" } keys %from }, $class;

	make_path(@$self{qw(bindir pkglibdir)}, "$self->{sharedir}/extension");
	foreach my $program (map { basename($_) } glob("$from{bindir}/*"))
	{
		copy("$from{bindir}/$program", "$self->{bindir}/$program") or die "could not copy $program: $!";
		chmod 0755, "$self->{bindir}/$program";
	}
	$self->link_all('pkglibdir',  '');
	$self->link_all('sharedir',   '');
	$self->link_all('sharedir', '/extension');
	$self->library("$from{pkglibdir}/dp_noise.so");
	return $self;
}

# Links to all of a directory but what is dp_noise's, and what is here already.
sub link_all
{
	my ($self, $directory, $below) = @_;

	foreach my $path (glob("$self->{from}{$directory}$below/*"))
	{
		my $to = "$self->{$directory}$below/" . basename($path);

		next if basename($path) =~ /^dp_noise/ || -e $to;
		symlink($path, $to) or die "could not link $to: $!";
	}
	return;
}

# Where its bin is, and its lib.
sub path { return dirname($_[0]{bindir}); }

# The script that is installed, for a version.
sub installed_script
{
	my ($self, $version) = @_;

	return PostgreSQL::Test::Utils::slurp_file("$self->{from}{sharedir}/extension/dp_noise--$version.sql");
}

sub installed_version
{
	my ($self) = @_;
	my ($version) = PostgreSQL::Test::Utils::slurp_file("$self->{from}{sharedir}/extension/dp_noise.control") =~ /^default_version *= *'(.*)'/m
	  or die 'dp_noise is not installed';

	return $version;
}

sub script
{
	my ($self, $versions, $sql) = @_;

	PostgreSQL::Test::Utils::append_to_file("$self->{sharedir}/extension/dp_noise--$versions.sql", $sql);
	return;
}

sub default_version
{
	my ($self, $version) = @_;
	my $control = PostgreSQL::Test::Utils::slurp_file("$self->{from}{sharedir}/extension/dp_noise.control");

	$control =~ s/^(default_version *= *)'.*'/$1'$version'/m;
	unlink "$self->{sharedir}/extension/dp_noise.control";
	PostgreSQL::Test::Utils::append_to_file("$self->{sharedir}/extension/dp_noise.control", $control);
	return;
}

# In place of the one that is there, which servers may have loaded.
sub library
{
	my ($self, $file) = @_;
	my $to = "$self->{pkglibdir}/dp_noise.so";

	copy($file, "$to.new") or die "could not copy $file: $!";
	rename("$to.new", $to) or die "could not rename $to.new: $!";
	return;
}

1;
