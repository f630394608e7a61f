# Endings: a test program that is told to end stops its servers first.
#
# test/tap/run loads it into each program that it lets run for so long only.
# Without it a signal ends Perl at once, and the servers of PostgreSQL::Test::
# Cluster, which are stopped in its END block, would go on.

package Endings;

use strict;
use warnings;

$SIG{TERM} = $SIG{INT} = sub { exit 143 };

1;
