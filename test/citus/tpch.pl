# TPC-H's questions about people (bench/tpch) on two workers: the same answers as on
# one server, of tables that are distributed by the order and by the customer.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use CitusCluster;
use Test::More;

my $citus = CitusCluster->new('tpch');
my $bench = "$FindBin::RealBin/../../bench/tpch";

# A file of bench/tpch, of another schema than tpch. Roles are made once.
my %made;

sub text_of
{
	my ($file, $schema) = @_;

	open(my $in, '<', "$bench/$file.sql") or die "$file: $!";
	my $text = do { local $/; <$in> };
	close($in);
	$text =~ s/\btpch\b/$schema/g;
	$text =~ s/'l_orderkey -> orders'/'l_custkey'/ if $schema eq 'by_customer';
	$text =~ s/^CREATE ROLE .*\n//mg if $made{$file}++;
	return $text;
}

# Makes the tables in a schema, and distributes them.
sub fill
{
	my ($schema, $distribute) = @_;
	my $run = sub { $citus->sql("SET client_min_messages = error; $_[0]", extra_params => [ '-v', 'scale=0.01' ]) };

	$run->(text_of('data', $schema));
	$run->("SET search_path = $schema; SET citus.multi_shard_modify_mode = sequential; $distribute") if $distribute;
	$citus->sql("SET client_min_messages = error;\n" . text_of('protect', $schema));
	$citus->sql("SET client_min_messages = error;\n" . text_of('questions', $schema));
	$citus->sql("ANALYZE");
}

my $public = join("\n", map { "SELECT create_reference_table('$_');" } 'region', 'nation', 'supplier', 'part', 'partsupp');

fill('single');

# A key of another column than the one of the distribution cannot be declared.
fill('by_order', <<"EOS");
ALTER TABLE orders DROP CONSTRAINT orders_o_custkey_fkey;
ALTER TABLE lineitem DROP CONSTRAINT lineitem_l_orderkey_fkey, DROP CONSTRAINT lineitem_l_partkey_l_suppkey_fkey;
ALTER TABLE customer DROP CONSTRAINT customer_c_nationkey_fkey;
$public
SELECT create_distributed_table('customer', 'c_custkey');
SELECT create_distributed_table('orders', 'o_orderkey');
SELECT create_distributed_table('lineitem', 'l_orderkey', colocate_with => 'orders');
ALTER TABLE lineitem ADD FOREIGN KEY (l_orderkey) REFERENCES orders;
EOS

# Lines say whose they are.
fill('by_customer', <<"EOS");
ALTER TABLE orders DROP CONSTRAINT orders_o_custkey_fkey;
ALTER TABLE lineitem DROP CONSTRAINT lineitem_l_orderkey_fkey, DROP CONSTRAINT lineitem_l_partkey_l_suppkey_fkey, DROP CONSTRAINT lineitem_pkey, ADD COLUMN l_custkey integer;
UPDATE lineitem SET l_custkey = o_custkey FROM orders WHERE o_orderkey = l_orderkey;
ALTER TABLE lineitem ALTER COLUMN l_custkey SET NOT NULL;
ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD PRIMARY KEY (o_custkey, o_orderkey);
ALTER TABLE lineitem ADD PRIMARY KEY (l_custkey, l_orderkey, l_linenumber);
ALTER TABLE customer DROP CONSTRAINT customer_c_nationkey_fkey;
$public
SELECT create_distributed_table('customer', 'c_custkey');
SELECT create_distributed_table('orders', 'o_custkey', colocate_with => 'customer');
SELECT create_distributed_table('lineitem', 'l_custkey', colocate_with => 'customer');
ALTER TABLE orders ADD FOREIGN KEY (o_custkey) REFERENCES customer;
ALTER TABLE lineitem ADD FOREIGN KEY (l_custkey, l_orderkey) REFERENCES orders;
EOS
$citus->sql($_) foreach (
	q{UPDATE by_customer.questions SET asked = regexp_replace(asked, '(\w+\.)?([ol])_orderkey = (\w+\.)?([ol])_orderkey', '\& AND \1\2_custkey = \3\4_custkey', 'g')},
	q{UPDATE by_customer.questions SET asked = replace(asked, 'o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey', '(o_custkey, o_orderkey) IN (SELECT l_custkey, l_orderkey FROM lineitem GROUP BY l_custkey, l_orderkey')});

# Rows and groups of a customer are not bounded, so that answers differ by noise alone.
my $settings = 'SET dp_noise.epsilon = 1000000; SET dp_noise.delta = 1e-6; SET dp_noise.max_rows_per_unit = 1000; SET dp_noise.max_groups_per_unit = 200; SET client_min_messages = warning;';

# The answers of a question: by the values of its keys, and what else was said.
sub asked
{
	my ($schema, $question, $keys) = @_;
	my %answers;
	my $said = $citus->as('tpch_analyst', "$settings SET search_path = $schema, public; $question");

	foreach my $line (split /\n/, $said)
	{
		my @columns = split /\|/, $line, -1;

		$answers{ join '|', @columns[ 0 .. $keys - 1 ] } = [ @columns[ $keys .. $#columns ] ];
	}
	return \%answers;
}

# How two sets of answers differ. Groups of few people are released or not by chance,
# where keys are private.
sub difference
{
	my ($one, $other, $private) = @_;
	my @wrong;

	foreach my $key (sort keys %{ { %$one, %$other } })
	{
		my ($a, $b) = ($one->{$key}, $other->{$key});

		if (!$a || !$b)
		{
			push @wrong, "$key: only once" unless $private && ($a // $b)->[0] < 10;
			next;
		}
		foreach my $i (0 .. $#$a)
		{
			next if $a->[$i] eq ($b->[$i] // '');
			my $numbers = !grep { !/^-?\d+(?:\.\d+)?(?:e[-+]\d+)?$/ } $a->[$i], $b->[$i];

			push @wrong, "$key: $a->[$i] and $b->[$i]" unless $numbers && abs($a->[$i] - $b->[$i]) <= 0.01 + 1e-4 * abs($a->[$i]);
		}
	}
	return join("\n", @wrong);
}

my $numbers = $citus->sql('SELECT number FROM single.questions WHERE asked IS NOT NULL ORDER BY number');

is(() = $numbers =~ /\d+/g, 19, 'questions');
foreach my $number (split /\n/, $numbers)
{
	my $of = sub { $citus->sql("SELECT $_[1] FROM $_[0].questions WHERE number = $number") };
	my $keys = $of->('single', 'keys');
	my $first = $of->('single', 'first');
	my $about = "$number, " . $of->('single', 'about');
	my $value = $first eq '' ? '' : (keys %{ asked('single', $first, 1) })[0];
	my %answers;

	foreach my $schema ('single', 'by_order', 'by_customer')
	{
		my $question = $of->($schema, 'asked');

		$question =~ s/\$1/$value/g if $value ne '';
		$answers{$schema} = asked($schema, $question, $keys);
		ok(!grep({ /ERROR/ } keys %{ $answers{$schema} }), "$about: answered, $schema") or diag(join "\n", keys %{ $answers{$schema} });
		next if $schema eq 'single';
		is(difference($answers{single}, $answers{$schema}, $number == 13 || $number == 22), '', "$about: as on one server, $schema");
	}
	cmp_ok(scalar keys %{ $answers{single} }, '>=', 1, "$about: has answers");
}

$citus->stop;
done_testing();
