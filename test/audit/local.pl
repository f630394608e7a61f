# Audit of local noise: what the response for one value gives away about which
# value it was.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Audit;
use Audit::Local qw(local_cases);
use Test::More;

my @cases = Audit::wanted(local_cases());
my $audit = Audit->new('audit_local', cases => scalar @cases);

$audit->check($_) foreach @cases;
$audit->finish;
done_testing();
