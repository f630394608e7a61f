# The Debian packages, one for each PostgreSQL of this release: built from the
# archive, looked at by lintian, and installed by apt into a system that has
# nothing, where a private answer is asked for and all of it is removed again;
# then their own test, the regression suite against what is installed.

use strict;
use warnings;

use Cwd;
use Test::More;

my $scratch = $ENV{PACKAGE_SCRATCH} // die "test/package/run calls this\n";
my $clone = "$scratch/debian";
my $debs = "$scratch/debs";

# run COMMAND: whether it succeeds; what it prints is shown where it does not.
sub run
{
	my ($command) = @_;
	my $output = `($command) 2>&1`;

	diag $output if $? != 0;
	return $? == 0;
}

plan skip_all => 'this is not Debian' if !-x '/usr/bin/dpkg-buildpackage';
plan skip_all => 'pg_buildext, debhelper or lintian is missing'
  if grep { !-x "/usr/bin/$_" } qw(pg_buildext dh lintian);

chomp(my @versions = `/usr/share/postgresql-common/supported-versions`);
run("git clone -q '$ENV{PACKAGE_REPOSITORY}' '$clone'") or BAIL_OUT('there is no clone');
ok(run("cd '$clone' && DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES=nocheck make -s deb && mv build/deb '$debs'"), 'make deb builds them') or BAIL_OUT('there are no packages');

my @built = map { s{.*/}{}r } glob("$debs/*.deb");
is(join(' ', map { /^(.*?)_/ } grep { !/-dbgsym_/ } @built), join(' ', map { "postgresql-$_-dp-noise" } @versions), "one for each of this release: @versions");
is(scalar(() = glob("$debs/*.dsc")), 1, 'and their source');

# The package is not in Debian, where an upload would close a request for it; there is
# no page yet on which new versions could be looked for; one source, for several
# releases, names the standards of the oldest; and debian/ is part of the project.
my $no_matter = 'initial-upload-closes-no-bugs,debian-watch-file-is-missing,out-of-date-standards-version,no-debian-changes';
ok(run("lintian --suppress-tags $no_matter --fail-on error,warning,info --display-info '$debs'/*.changes"),
	'lintian has nothing to say');

foreach my $version (@versions)
{
	my ($deb) = glob("$debs/postgresql-$version-dp-noise_*.deb");
	my %there = map { s{^\./}{}r => 1 } map { (split ' ', $_, 6)[5] } split /\n/, `dpkg-deb -c '$deb'`;
	my $doc = "usr/share/doc/postgresql-$version-dp-noise";
	my @wanted = ("usr/lib/postgresql/$version/lib/dp_noise.so", map { "usr/share/postgresql/$version/extension/$_" } 'dp_noise.control', 'dp_noise--0.1.0.sql');

	is(join(' ', grep { !$there{$_} } @wanted, map { "$doc/$_" } qw(README.md README.Debian copyright changelog.Debian.gz doc/owner-guide.md doc/figures/question.svg)), '', "$version: the package has what it must");
	is(join(' ', grep { !m{/$|^\Q$doc\E/|^usr/lib/postgresql/$version/lib/bitcode/dp_noise|^usr/share/lintian} } grep { my $file = $_; !grep { $_ eq $file } @wanted } sort keys %there), '', "$version: and nothing else");
}
run("cd '$debs' && dpkg-scanpackages --multiversion . >Packages") or BAIL_OUT('there is no local archive');

# Results of a program in a clean system, each of its lines "ok" or "not ok" a
# point of this one.
sub in_clean
{
	my ($program, @arguments) = @_;
	my $version = $versions[-1];
	my $output = `test/in-chroot --clean --bring '$debs' $version $program @arguments 2>&1`;
	my $status = $? >> 8;

  SKIP:
	{
		skip $1, 1 if $status == 77 && $output =~ /^in-chroot: (.*)/m;
		my $points = 0;
		while ($output =~ /^(ok|not ok) - (.*)/mg)
		{
			$points++;
			ok($1 eq 'ok', $2);
		}
		cmp_ok($points, '>', 0, "$program came to its points");
		is($status, 0, "$program ended well");
		diag $output if $status != 0 || $output =~ /^not ok/m;
	}
	return;
}

chdir Cwd::abs_path(__FILE__) =~ s{/test/package/[^/]*$}{}r or die "chdir: $!\n";
in_clean('test/package/lib/installs', @versions);
in_clean('test/package/lib/autopkgtest');
done_testing();
