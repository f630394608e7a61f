# A grey-box audit: each question about two neighbouring tables is asked once,
# with the same random words on both sides, and what its mechanisms are given is
# compared with what they claim, and with what was charged (test/audit/lib/
# Audit/Recorder.pm). The questions are the cases of the other programs, and
# random ones about random neighbours.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Others qw(other_cases);
use Audit::Questions qw(random_question random_tables);
use Audit::Recorder;
use Audit::Rho qw(rho_cases);
use Audit::Rows qw(row_cases);
use Audit::Units qw(unit_cases);
use Test::More;
use Time::HiRes qw(time);

# A share asks the same questions each time.
my $is_all = Audit::setting(SHARE => 'all') eq 'all';
my $seed = Audit::setting(SEED => $is_all ? int time : 1);
my $recorder = Audit::Recorder->new('audit_recorded', seed => $seed);
my @cases = Audit::wanted(row_cases(), unit_cases(), rho_cases(), other_cases());
@cases = @cases[ grep { $_ % 3 == 0 } 0 .. $#cases ] if !$is_all;
my %near;

foreach my $case (@cases)
{
	my $result = eval { $recorder->question($case) } // { faults => ["$@"], ratio => 0 };

	is(join("\n", @{ $result->{faults} }), '', "$case->{name}: inputs differ as claimed and charged");
	$near{$case->{name}} = $result->{ratio};
}
diag(sprintf '%d cases, %d of them at 0.8 of what was charged or more', scalar @cases, scalar grep { $_ >= 0.8 } values %near);
note(sprintf '%6.4f %s', $near{$_}, $_) foreach sort { $near{$a} <=> $near{$b} } keys %near;

##############################################################################
# Random neighbours

my $end = time + ($is_all ? 0.4 : 0.2) * Audit::setting(SECONDS => 25);
my ($pairs, $asked, $answered, $calls, $cut, $full) = (0) x 6;
my (@faulty, %refused);

diag("AUDIT_SEED=$seed repeats the random questions");
while (time < $end)
{
	srand($seed + $pairs);
	$recorder->{questions} = 1000 * ++$pairs;
	my $case = random_tables();
	my @schemas = $recorder->{audit}->make_tables($case);
	my $pair = $recorder->open_pair($case, @schemas);

	foreach (1 .. 25)
	{
		my $statement = random_question($case);
		my $result = $recorder->ask($pair, $statement);

		$asked++;
		$calls += $result->{calls};
		$cut += $result->{cut} // 0;
		$refused{$result->{error}}++ if $result->{error} ne '';
		$answered++ if $result->{error} eq '';
		$full++ if $result->{ratio} > 0.9;
		next if !@{ $result->{faults} };
		push @faulty, $statement;
		diag(join "\n", "$case->{tables};", "one: $case->{one}", "two: $case->{two}", "budgets: $case->{accountant}", "$statement;", @{ $result->{faults} }) if @faulty <= 5;
	}
	$recorder->close_pair($pair);
}
is(scalar @faulty, 0, 'random questions: inputs differ as claimed and charged');
cmp_ok($answered, '>', $asked / 2, "$answered of $asked random questions are answered");
diag("$pairs random pairs, $answered answers, $calls calls, $full answers at 0.9 of what was charged or more; $cut rows compared up to an answer that differs");
note("$refused{$_} times $_") foreach sort { $refused{$b} <=> $refused{$a} } keys %refused;

$recorder->stop;

##############################################################################
# Planted bugs: of the cases that a patch names some are at fault, in one question
# each.

my %case = map { $_->{name} => $_ } row_cases(), unit_cases(), rho_cases(), other_cases();

foreach my $bug (split ' ', $ENV{AUDIT_RECORDED} // die "AUDIT_RECORDED is not set: run test/audit/run\n")
{
	open my $patch, '<', "$FindBin::Bin/bugs/$bug.patch" or die "there is no bug $bug: $!\n";
	my @names = map { /^Case: (.*)/ ? $1 : () } readline $patch;
	close $patch;

	ok(-e "$ENV{TESTDIR}/build/recorded/$bug/dp_noise.so", "$bug: the patch applies, and the library builds") or next;
	my $planted = Audit::Recorder->new("audit_recorded_$bug", seed => $seed, library => "recorded/$bug");
	my %found;

	foreach my $name (@names)
	{
		my $result = eval { $planted->question($case{$name} // die "$bug: there is no case \"$name\"\n") } // { faults => ["$@"] };

		$found{$name} = $result->{faults};
		ok(@{ $result->{faults} } > 0, "$bug: $name is at fault");
		diag("$bug: $name: " . ($result->{faults}[0] // 'nothing'));
	}
	$planted->stop;
}
done_testing();
