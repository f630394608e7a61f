# PostgreSQL 18 finds extensions in directories that are not the server's own, as
# CloudNativePG mounts them from images: library and script are taken from there.

use strict;
use warnings;

use File::Copy;
use File::Path qw(make_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PrivateInstall;

plan skip_all => 'before PostgreSQL 18 there is no extension_control_path'
  if (`pg_config --version` =~ /^PostgreSQL (\d+)/)[0] < 18;

# a server that has no dp_noise, and what an image has
my $install = PrivateInstall->new;
my $version = $install->installed_version;
my $image = PostgreSQL::Test::Utils::tempdir('image');

unlink "$install->{pkglibdir}/dp_noise.so";
make_path("$image/lib", "$image/share/extension");
copy("$install->{from}{pkglibdir}/dp_noise.so", "$image/lib/dp_noise.so") or die "copy: $!";
copy("$install->{from}{sharedir}/extension/$_", "$image/share/extension/$_") or die "copy: $!" foreach 'dp_noise.control', "dp_noise--$version.sql";

my $node = PostgreSQL::Test::Cluster->new('paths', install_path => $install->path);
$node->init(auth_extra => []);
$node->append_conf('postgresql.conf', <<"EOF");
extension_control_path = '\$system:$image/share'
dynamic_library_path = '\$libdir:$image/lib'
shared_preload_libraries = 'dp_noise'
EOF
$node->start;
$node->safe_psql('postgres', <<'EOF');
CREATE EXTENSION dp_noise;
CREATE ROLE analyst LOGIN;
CREATE TABLE people (id int PRIMARY KEY);
INSERT INTO people SELECT generate_series(1, 10000);
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 10), dp_noise.set_budget('analyst', 'people', epsilon => 5);
EOF
is($node->safe_psql('postgres', 'SET dp_noise.epsilon = 1; SELECT abs(count(*) - 10000) < 50 FROM people', extra_params => [ '-U', 'analyst' ]), 't', 'a private answer');
is($node->safe_psql('postgres', 'SELECT role, trim_scale(epsilon) FROM dp_noise.ledger'), 'analyst|1', 'which is charged');
like($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT substring(l, '\S+$'), ' ') FROM string_to_table(pg_read_file('/proc/self/maps'), E'\n') AS l WHERE l ~ 'dp_noise\.so'}), qr{^\Q$image\E/lib/dp_noise\.so$}, 'by the library of the image');
$node->stop;
done_testing();
