# Audit of answers about privacy units of several rows: groups by public and by
# private keys, joins, privacy levels, several answers at once
# (test/audit/lib/Audit.pm says how).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Units qw(unit_cases);
use Test::More;

my @cases = Audit::wanted(unit_cases());
my $audit = Audit->new('audit_units', cases => scalar @cases);

$audit->check($_) foreach @cases;
$audit->finish;
done_testing();
