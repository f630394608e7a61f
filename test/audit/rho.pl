# Audit of the answers that are charged in rho, by a bound from below on rho
# (test/audit/lib/Audit.pm says how).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Rho qw(rho_cases);
use Test::More;

my @cases = Audit::wanted(rho_cases());
my $audit = Audit->new('audit_rho', cases => scalar @cases);

$audit->check($_) foreach @cases;
$audit->finish;
done_testing();
