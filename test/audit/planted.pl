# The audit finds bugs: each patch of test/audit/bugs, planted into the library
# (test/audit/plant), turns the cases red that it names.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Local qw(local_cases);
use Audit::Others qw(other_cases);
use Audit::Rho qw(rho_cases);
use Audit::Rows qw(row_cases);
use Audit::Units qw(unit_cases);
use Test::More;

my %case = map { $_->{name} => $_ } row_cases(), unit_cases(), rho_cases(), local_cases(), other_cases();
my $draws_enough = 40_000;
my @bugs = split ' ', $ENV{AUDIT_BUGS} // die "AUDIT_BUGS is not set: run test/audit/run\n";

foreach my $bug (@bugs)
{
	open my $patch, '<', "$FindBin::Bin/bugs/$bug.patch" or die "there is no bug $bug: $!\n";
	my @names = map { /^Case: (.*)/ ? $1 : () } readline $patch;
	close $patch;

	ok(-e "$ENV{TESTDIR}/build/planted/$bug/dp_noise.so", "$bug: the patch applies, and the library builds") or next;
	my $audit = Audit->new("audit_$bug", library => "planted/$bug", least => 2000, cases => scalar @names, seconds => (Audit::setting(SHARE => 'all') eq 'all' ? 15 : 8) * @names);
	cmp_ok(scalar @names, '>', 0, "$bug: cases are named");
	foreach my $name (@names)
	{
		my $result = $audit->measure($case{$name} // die "$bug: there is no case \"$name\"\n");

		# On a busy machine there are few draws in that time: once more, whatever
		# time it takes.
		if (!$result->{red} && $result->{draws} < $draws_enough)
		{
			local $audit->{least} = $draws_enough;
			$result = $audit->measure($case{$name});
		}
		diag("$bug:");
		$audit->show($result);
		ok($result->{red}, "$bug: $name is red");
	}
	$audit->stop;
}
done_testing();
