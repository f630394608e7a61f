# The fuzzers find bugs: each patch of test/fuzz/bugs, planted into the library
# (test/audit/plant), makes the fuzzer fail that it names.
#
# FUZZ_BUGS names the patches; FUZZ_SECONDS says how long each fuzzer goes on.

use strict;
use warnings;

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
	# other servers of the same names have been here
	local $ENV{TESTDATADIR} = "$ENV{TESTDATADIR}/$bug";
	local $ENV{FUZZ_SEED} = $ENV{FUZZ_SEED} // int(rand(2**31));
	note("$bug: FUZZ_SEED=$ENV{FUZZ_SEED}");
	my @failed = grep { /^not ok/ } `perl -MEndings $FindBin::RealBin/$fuzzer.pl 2>&1`;
	chomp @failed;
	note(substr($_, 0, 200)) foreach @failed;
	cmp_ok(scalar @failed, '>', 0, "$bug: $fuzzer fails");
}
done_testing();
