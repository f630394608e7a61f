# Audit of answers that are replayed, shared by equal questions, asked through
# protected views, about several tables of one population, or suggested to owners, and
# of the number of different values (test/audit/lib/Audit.pm says how).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Others qw(other_cases);
use Test::More;

my @cases = Audit::wanted(other_cases());
my $audit = Audit->new('audit_others', cases => scalar @cases);

$audit->check($_) foreach @cases;
$audit->finish;
done_testing();
