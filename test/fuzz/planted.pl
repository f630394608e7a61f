# The fuzzers find bugs: each patch of test/fuzz/bugs, planted into the library
# (test/audit/plant), makes the fuzzer fail that it names.
#
# FUZZ_BUGS names the patches; FUZZ_SECONDS says how long each fuzzer goes on.

use strict;
use warnings;

use File::Path qw(make_path);
use FindBin;
use Test::More;

my @bugs = split ' ', $ENV{FUZZ_BUGS} // die "FUZZ_BUGS is not set: run test/fuzz/run\n";

foreach my $bug (@bugs)
{
	open my $patch, '<', "$FindBin::RealBin/bugs/$bug.patch" or die "there is no bug $bug: $!\n";
	my ($fuzzer) = map { /^Fuzzer: (.*)/ ? $1 : () } readline $patch;
	close $patch;

	ok(-e "$ENV{TESTDIR}/build/planted/$bug/dp_noise.so", "$bug: the patch applies, and the library builds") or next;
	local $ENV{FUZZ_LIBRARY} = "planted/$bug";
	# servers of the same names may be in the test's own directory
	my $place = "$ENV{TESTDIR}/$bug";
	make_path($place);
	symlink("$ENV{TESTDIR}/build", "$place/build") or die "could not link $place/build: $!\n";
	local ($ENV{TESTDIR}, $ENV{TESTDATADIR}, $ENV{TESTLOGDIR}) = ($place, "$place/tmp_check", "$place/tmp_check/log");
	local $ENV{FUZZ_SEED} = $ENV{FUZZ_SEED} // int(rand(2**31));
	note("$bug: FUZZ_SEED=$ENV{FUZZ_SEED}");
	my @lines = `perl -MEndings $FindBin::RealBin/$fuzzer.pl 2>&1`;
	my @failed = grep { /^not ok/ } @lines;
	note(substr($_, 0, 200)) foreach @failed ? @failed : @lines;
	cmp_ok(scalar @failed, '>', 0, "$bug: $fuzzer fails");
}
done_testing();
