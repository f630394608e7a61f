# The archives of `make dist`: the same bytes whoever packs them, the same files
# in either, a META.json that PGXN takes, and a bill of materials that is true.

use strict;
use warnings;

use Digest::SHA;
use JSON::PP;
use Test::More;

my $scratch = $ENV{PACKAGE_SCRATCH} // die "test/package/run calls this\n";
my %packed;

# run COMMAND: what it prints; the test ends where it fails.
sub run
{
	my ($command) = @_;
	my $output = `$command 2>&1`;

	BAIL_OUT("$command: $output") if $? != 0;
	return $output;
}

# What differs between two people: who, where, when, and what they have set.
my @people = (
	[ 'one', 'umask 022', 'TZ=UTC LC_ALL=C.UTF-8' ],
	[ 'a second', 'umask 077', "TZ=Asia/Kolkata LC_ALL=C GZIP=-1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=user" ]);

foreach my $person (@people)
{
	my ($name, $umask, $settings) = @$person;
	my $clone = "$scratch/$name";

	run("$umask; git clone -q '$ENV{PACKAGE_REPOSITORY}' '$clone'; cd '$clone'; touch -d 2001-01-01 README.md; $settings make -s dist");
	foreach my $archive (glob("\"$clone\"/dp_noise-*.{zip,tar.gz}"))
	{
		push @{ $packed{ $archive =~ s{.*/}{}r } }, Digest::SHA->new(256)->addfile($archive, 'b')->hexdigest;
	}
}
is(join(' ', map { s/-[\d.]+(?=\.)/-VERSION/r } sort keys %packed), 'dp_noise-VERSION.tar.gz dp_noise-VERSION.zip', 'make dist makes two archives');
is($packed{$_}[0], $packed{$_}[1], "two people's $_ are the same, byte by byte") foreach sort keys %packed;

my ($name) = map { /(.*)\.zip/ } keys %packed;
my ($version) = $name =~ /-(.*)/;
my $clone = "$scratch/one";
my $listed = run("git -C '$clone' ls-tree -r --name-only -z HEAD | tr '\\0' '\\n' | LC_ALL=C sort");
my $in_tar = run("tar -tzf '$clone/$name.tar.gz' | grep -v '/\$' | LC_ALL=C sort");
my $expected = join '', map { "$name/$_\n" } sort split(/\n/, $listed), 'sbom.spdx.json';

is($in_tar, $expected, 'the archive has the files of the commit, and its bill of materials');
run("mkdir '$scratch/zip' '$scratch/tar' && tar -xzf '$clone/$name.tar.gz' -C '$scratch/tar' && python3 -m zipfile -e '$clone/$name.zip' '$scratch/zip'");
is(run("diff -r '$scratch/tar' '$scratch/zip' || true"), '', 'and the one for PGXN the same');

# PGXN's specification 1.0.0: what must be there, and of what kind.
sub slurp
{
	my ($file) = @_;

	open my $handle, '<:raw', $file or die "$file: $!\n";
	local $/ = undef;
	return scalar <$handle>;
}

my $root = "$scratch/tar/$name";
my $meta = decode_json(slurp("$root/META.json"));
my $semver = qr/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[A-Za-z][A-Za-z0-9-]*)?$/;
my $term = qr{^[^\s/\\[:cntrl:]]{2,}$};

is(join(' ', grep { !defined $meta->{$_} } qw(name version abstract maintainer license provides meta-spec)), '', 'META.json has what it must');
like($meta->{name}, $term, 'META.json: its name is a term');
like($meta->{version}, $semver, 'META.json: its version is a semantic one');
is($meta->{version}, $version, "META.json: and the archive's");
is(ref $meta->{$_}, '', "META.json: $_ is a text") foreach qw(abstract maintainer license);
like($meta->{license}, qr/^(?:agpl_3|apache_[12]_[01]|artistic_[12]|bsd|freebsd|gfdl_1_[23]|gpl_[123]|lgpl_[23]_[01]|mit|mozilla_1_[01]|openssl|perl_5|postgresql|qpl_1_0|ssleay|sun|zlib|open_source|restricted|unrestricted|unknown)$/, 'META.json: a licence of its list');
like($meta->{'meta-spec'}{version}, qr/^1\.0\.\d+$/, 'META.json: of the specification 1.0');
is($meta->{'meta-spec'}{url}, 'https://pgxn.org/meta/spec.txt', 'META.json: by its address');
like($meta->{release_status}, qr/^(?:stable|testing|unstable)$/, 'META.json: a status of its list');
is(join(' ', grep { !/^(?:name|version|abstract|maintainer|license|provides|meta-spec|description|generated_by|tags|no_index|prereqs|release_status|resources|X_.*)$/i } sort keys %$meta), '', 'META.json: nothing that it does not know');
is(join(' ', grep { ref || length > 255 || m{[/\\[:cntrl:]]} } @{ $meta->{tags} }), '', 'META.json: its tags');
foreach my $extension (sort keys %{ $meta->{provides} })
{
	my $provided = $meta->{provides}{$extension};

	like($extension, $term, "META.json: $extension is a term");
	like($provided->{version}, $semver, "META.json: $extension has a version");
	ok(-f "$root/$provided->{$_}", "META.json: $extension has the file $provided->{$_}") foreach qw(file docfile);
}
foreach my $phase (sort keys %{ $meta->{prereqs} })
{
	like($phase, qr/^(?:configure|build|test|runtime|develop)$/, "META.json: $phase is a phase");
	foreach my $relation (sort keys %{ $meta->{prereqs}{$phase} })
	{
		my $needed = $meta->{prereqs}{$phase}{$relation};

		like($relation, qr/^(?:requires|recommends|suggests|conflicts)$/, "META.json: $relation is a relation");
		like($needed->{$_}, qr/^0$|$semver/, "META.json: $_ has a version") foreach sort keys %$needed;
	}
}

# The bill of materials: every file but itself, with its hashes.
my $sbom = decode_json(slurp("$root/sbom.spdx.json"));
my ($package) = grep { $_->{name} eq 'dp_noise' } @{ $sbom->{packages} };
my %sums;

foreach my $file (@{ $sbom->{files} })
{
	my %sum = map { $_->{algorithm} => $_->{checksumValue} } @{ $file->{checksums} };

	$sums{ $file->{fileName} } = "$sum{SHA1} $sum{SHA256}";
}
my %true;

foreach my $file (split /\n/, $listed)
{
	$true{"./$file"} = join ' ', map { Digest::SHA->new($_)->addfile("$root/$file", 'b')->hexdigest } 1, 256
	  if !-l "$root/$file";
}
is_deeply(\%sums, \%true, 'the bill of materials lists every file with its hashes');
is($sbom->{spdxVersion}, 'SPDX-2.3', 'it is SPDX 2.3');
is($package->{versionInfo}, $version, "of the archive's version");
is($package->{sourceInfo}, 'commit ' . (run("git -C '$clone' rev-parse HEAD") =~ s/\n//r), 'and of its commit');
is($package->{packageVerificationCode}{packageVerificationCodeValue},
	Digest::SHA::sha1_hex(join '', sort map { (split / /)[0] } values %true), 'its verification code is the one of the files');
is($sbom->{creationInfo}{created}, '2026-01-01T00:00:00Z', 'it was made when the commit was');
my %known = map { $_->{SPDXID} => 1 } @{ $sbom->{packages} }, @{ $sbom->{files} }, $sbom;
is(join(' ', grep { !$known{$_} } @{ $package->{hasFiles} }, map { @$_{qw(spdxElementId relatedSpdxElement)} } @{ $sbom->{relationships} }), '', 'and what it refers to is in it');

done_testing();
