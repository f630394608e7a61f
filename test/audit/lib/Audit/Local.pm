# Audit::Local: the responses of local noise for one value, where the tables hold
# one row each, with another value.
#
# Nothing is charged; the promise is the epsilon that the call names, or, where two
# values must look the same, next to nothing. Any two
# values are neighbours, also ones that are not declared, and NULL.

package Audit::Local;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(local_cases);

# One response for the value v, where the condition is always true.
sub response
{
	my ($name, $epsilon, $call, $one, $two, %more) = @_;

	return {
		name => $name,
		tables => 'CREATE TABLE t (k integer NOT NULL DEFAULT 0, v integer); GRANT SELECT ON t TO PUBLIC',
		one => "INSERT INTO t (v) VALUES ($one)",
		two => "INSERT INTO t (v) VALUES ($two)",
		block => "SELECT $call FROM t WHERE %s",
		copies => 200,
		promised => $epsilon,
		%more,
	};
}

# The bits of a response as columns.
sub bits
{
	my ($name, $epsilon, $call, @more) = @_;
	my $case = response($name, $epsilon, $call, @more);

	$case->{block} = "SELECT get_bit(b, 0), get_bit(b, 1), get_bit(b, 2) FROM (SELECT $call AS b FROM t WHERE %s) AS s";
	return $case;
}

sub local_cases
{
	my $many = join ',', 1 .. 20;

	return (
		response('dp_randomize, 2 values', 1, "dp_randomize(v, '{1,2}', 1)", 1, 2, often => 1),
		response('dp_randomize, 2 values, little noise', 3, "dp_randomize(v, '{1,2}', 3)", 1, 2),
		response('dp_randomize, 2 values, much noise', 0.1, "dp_randomize(v, '{1,2}', 0.1)", 1, 2),
		response('dp_randomize, 20 values', 2, "dp_randomize(v, '{$many}', 2)", 3, 20),
		response('dp_randomize, a value outside', 2, "dp_randomize(v, '{1,2,3}', 2)", 1, 9),
		response('dp_randomize, null outside', 2, "dp_randomize(v, '{1,2,3}', 2)", 1, 'NULL'),
		response('dp_randomize, two values outside', 0.05, "dp_randomize(v, '{1,2,3}', 2)", 7, 'NULL'),
		response('dp_randomize, null declared', 2, "coalesce(dp_randomize(v, '{1,NULL,3}', 2), 7)", 1, 'NULL'),
		bits('dp_randomize_bits, optimal', 2, "dp_randomize_bits(v, '{1,2,3}', 2)", 1, 2, often => 1),
		bits('dp_randomize_bits, optimal, a value outside', 2, "dp_randomize_bits(v, '{1,2,3}', 2)", 1, 9),
		bits('dp_randomize_bits, symmetric', 2, "dp_randomize_bits(v, '{1,2,3}', 2, 'symmetric')", 1, 2),
		bits('dp_report_bits, one report', 1, "dp_report_bits(dp_randomize_bits(v, '{1,2,3}', 3, 'symmetric'), 3, 1)", 1, 2),
		response('dp_report_bits, ten reports of one response', 2, '', 1, 2, copies => 50,
			block => "SELECT " . join(', ', map { "sum(get_bit(r, $_))" } 0 .. 2) . " FROM (SELECT dp_report_bits(stored, 2, 1) AS r
				FROM (SELECT dp_randomize_bits(v, '{1,2,3}', 2, 'symmetric') AS stored FROM t WHERE %s OFFSET 0) AS s, generate_series(1, 10) OFFSET 0) AS r"),
	);
}

1;
