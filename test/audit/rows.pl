# Audit of the answers to one question about a table whose privacy unit is the
# row: every aggregate by every mechanism (test/audit/lib/Audit.pm says how).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Rows qw(row_cases);
use Test::More;

my @cases = Audit::wanted(row_cases());
my $audit = Audit->new('audit_rows', cases => scalar @cases);

$audit->check($_) foreach @cases;
$audit->finish;
done_testing();
