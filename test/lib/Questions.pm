# Questions: what a grammar can write by the rules that give rows an owner, over
# small tables full of nulls and of duplicates, for the fuzzers of test/fuzz.
#
#   make_tables($node);
#   fill($node, 'plain0');
#   my $question = question($depth);
#   my $question = question_of_parts($depth);
#   my @texts = run_each($node, $role, 'SET ...;', 't.states_of(...)', ...);
#
# Joins, sub-queries as conditions, values and in FROM, views, WITH, groups,
# distinct rows and windows of units, UNION ALL, nested in one another. Some break
# a rule.

package Questions;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(one chance quote make_tables fill question question_by_order question_of_parts run_each %tables);

# Whether an ORDER BY tells all rows of a window apart, and nothing else depends on
# the order of rows: where it does not, a plain query has several answers.
our $total_orders = 1;

sub one { return $_[ int(rand(scalar @_)) ] }
sub chance { return rand() < $_[0] }
sub quote { my ($text) = @_; return "\$q\$$text\$q\$" }

##############################################################################
# Each table has these columns: a unit, a number that may be unique, two more
# numbers, a truth value.

# name, what tells the rows apart, people, owner
our %tables = (
	c => [ 'u integer PRIMARY KEY, k integer UNIQUE', 'root', 'own' ],
	n => [ 'u integer, k integer PRIMARY KEY', 'n', 'own' ],
	o => [ 'u integer REFERENCES c, k integer PRIMARY KEY', 'root', 'own' ],
	i => [ 'u integer, k integer', 'i', 'own' ],
	r => [ 'u integer PRIMARY KEY, k integer', 'r', 'own' ],
	s => [ 'u integer, k integer', 's', 'shop' ],
	t => [ 'u bigint UNIQUE, k integer', 't', 'shop' ]);
my @protected = sort keys %tables;
my @public = qw(p q pv);
my %views = (
	vo => ['SELECT u, k, x, y, b FROM o WHERE x IS DISTINCT FROM 2', 'root'],
	vg => ['SELECT u, count(*) AS k, sum(x) AS x, max(y) AS y, bool_or(b) AS b FROM i GROUP BY u', 'i'],
	vj => ['SELECT c.u, o.k, o.x, c.y, c.b FROM c LEFT JOIN o ON o.u = c.u', 'root']);

# The tables, protected in schema prot and plain in others; dp_ann has budgets.
sub make_tables
{
	my ($node) = @_;

	$node->safe_psql('postgres', <<'EOS');
CREATE ROLE own;
CREATE ROLE shop;
CREATE SCHEMA prot;
CREATE SCHEMA pub;
CREATE SCHEMA t;
GRANT ALL ON SCHEMA prot TO own, shop;
GRANT USAGE ON SCHEMA prot, pub, t TO dp_ann;
CREATE TABLE pub.p (u integer PRIMARY KEY, k integer, x integer, y integer, b boolean);
CREATE TABLE pub.q (u integer, k integer, x integer, y integer, b boolean);
INSERT INTO pub.p VALUES (0, 0, 0, 3, true), (1, 1, 0, 2, false), (2, NULL, 3, NULL, NULL), (3, 2, NULL, 1, true);
INSERT INTO pub.q VALUES (1, 1, 1, 1, true), (1, 1, 1, 1, true), (2, NULL, 0, 2, false), (NULL, 3, NULL, NULL, NULL), (5, 2, 2, 0, true);
CREATE VIEW pub.pv AS SELECT u, count(*) AS k, max(x) AS x, min(y) AS y, bool_or(b) AS b FROM pub.q GROUP BY u;
CREATE FUNCTION pub.f(integer) RETURNS TABLE (u integer, k integer, x integer, y integer, b boolean) LANGUAGE sql AS $$ SELECT g, g % 3, g - 2, NULL::integer, g > 1 FROM generate_series(0, $1) AS g $$;
EOS
	foreach my $schema (qw(prot plain0 plain1 plain2))
	{
		my $script = $schema eq 'prot' ? '' : "CREATE SCHEMA $schema;\n";

		foreach my $name (@protected)
		{
			my ($columns, $people, $owner) = @{ $tables{$name} };

			$columns =~ s/REFERENCES c/REFERENCES $schema.c/;
			$script .= "SET ROLE $owner;\n" if $schema eq 'prot';
			$script .= "CREATE TABLE $schema.$name ($columns, x integer, y integer, b boolean);\nRESET ROLE;\n";
		}
		$script .= "SET search_path = $schema, pub;\n" . ($schema eq 'prot' ? "SET ROLE own;\n" : '');
		$script .= "CREATE VIEW $_ AS $views{$_}[0];\n" foreach sort keys %views;
		$node->safe_psql('postgres', $script);
	}
	$node->safe_psql('postgres', <<'EOS');
GRANT SELECT ON ALL TABLES IN SCHEMA pub TO dp_ann, own;
GRANT SELECT ON prot.vo, prot.vg, prot.vj TO dp_ann;
DO $$
DECLARE
	r text;
BEGIN
	FOREACH r IN ARRAY '{c,n,o,i,s,t,r}'::text[] LOOP
		EXECUTE 'SET LOCAL ROLE ' || CASE WHEN r IN ('s', 't') THEN 'shop' ELSE 'own' END;
		IF r = 'r' THEN
			PERFORM dp_noise.protect('prot.r', epsilon => 1e13, delta => 1);
		ELSIF r = 'o' THEN
			PERFORM dp_noise.protect('prot.o', privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, population => 'prot.c');
		ELSE
			PERFORM dp_noise.protect(('prot.' || r)::regclass, privacy_unit => 'u', max_rows_per_unit => 3, max_groups_per_unit => 3, epsilon => 1e13, delta => 1);
		END IF;
		PERFORM dp_noise.alter_population(('prot.' || r), on_repeat => 'answer'), dp_noise.set_budget('dp_ann', ('prot.' || r), 1e13, delta => 1);
		RESET ROLE;
	END LOOP;
END
$$;
EOS
	return;
}

# Random rows; those that nobody owns are in the protected tables alone. extreme:
# with the least and the greatest integers; dangling: o refers to units that c has
# not, as a foreign key allows that is not checked.
sub fill
{
	my ($node, $schema, %more) = @_;
	my @greatest = $more{extreme} ? (2147483647, -2147483648) : ();
	my $script = ($more{dangling} ? "SET session_replication_role = replica;\n" : '') . join '', map { "DELETE FROM $schema.$_;\n" } qw(o c n i r s t);

	$script .= "DELETE FROM prot.$_;\n" foreach $schema eq 'plain0' ? qw(o c n i r s t) : ();
	foreach my $name (qw(c n o i r s t))
	{
		my ($columns) = @{ $tables{$name} };
		my $count = $name =~ /^[ct]$/ ? one(5, 7) : one(0, 8, 14, 20);
		my (%units, %numbers, @rows, @nobodys);

		foreach (1 .. $count)
		{
			my $unit = chance(0.15) ? 'NULL' : 1 + int(rand(7));
			my $number = chance(0.2) ? 'NULL' : int(rand(4));

			$number = $_ % 7 + ($_ > 6 ? 10 * $_ : 0) if $columns =~ /k integer PRIMARY/;
			$unit = $_ if $name eq 'r' || $name eq 'c';
			next if $name eq 't' && $unit ne 'NULL' && $units{$unit}++;
			$number = 'NULL' if $name eq 'c' && $numbers{$number}++;
			my $row = "($unit, $number, " . join(', ', (map { chance(0.2) ? 'NULL' : @greatest && chance(0.1) ? one(@greatest) : int(rand(4)) } 1, 2), one(qw(true false NULL))) . ')';
			push @{ $unit eq 'NULL' ? \@nobodys : \@rows }, $row;
			push @rows, $row if $columns !~ /PRIMARY|UNIQUE/ && $unit ne 'NULL' && chance(0.2);
		}
		# o refers to c, which has 5 or 7 units
		@rows = grep { !/^\([67],/ } @rows if $name eq 'o' && !$more{dangling};
		$script .= "INSERT INTO $schema.$name VALUES " . join(', ', @rows) . ";\n" if @rows;
		$script .= "INSERT INTO prot.$name SELECT * FROM plain0.$name;\n" if $schema eq 'plain0';
		$script .= "INSERT INTO prot.$name VALUES " . join(', ', @nobodys) . ";\n" if @nobodys && $schema eq 'plain0';
	}
	$node->safe_psql('postgres', $script);
}

##############################################################################
# The grammar. An alias has columns u, k, x, y and b; the first of a scope is
# owned, and its u is the unit of the scope's rows.

my ($aliases, $broken, $with);

sub alias { return 'a' . ++$aliases }

# Breaks a rule, now and then.
sub breaks
{
	return 0 if !chance(0.02);
	$broken = 1;
	return 1;
}

sub column { my ($scope) = @_; return one(@{ $scope->{all} }) . '.' . one(qw(x y k x y u)) }

sub number
{
	my ($scope, $depth) = @_;
	my $value = chance(0.7) ? column($scope) : one(0, 1, 2, 3, 'NULL::integer');

	return $value if $depth <= 0 || chance(0.75);
	return one("coalesce($value, " . one(0, 1, 2) . ')', "CASE WHEN " . condition($scope, $depth - 1) . " THEN $value ELSE " . one(0, 1) . ' END', scalar_query($scope, $depth - 1), "nullif($value, " . number($scope, 0) . ')');
}

# A sub-query as a value.
sub scalar_query
{
	my ($scope, $depth) = @_;
	my $inner = chance(0.7) ? from($depth - 1, $scope) : public_from($scope);
	my $a = one(@{ $inner->{all} });
	my $value = one("count(*)", "count($a.x)", "max($a.x)", "min($a.y)", "sum($a.x)::bigint", "count(DISTINCT $a.k)");

	return "(SELECT $value FROM $inner->{text} WHERE " . join(' AND ', same_unit($scope, $inner), @{ $inner->{where} }) . ')';
}

# A condition by which a sub-query's rows are of the outer row's unit.
sub same_unit
{
	my ($scope, $inner) = @_;
	my $unit = one(@{ $scope->{units} }) . '.u';

	return 'true' if !$inner->{owned};
	$unit = one(@{ $scope->{all} }) . '.' . one(qw(x k u)) if breaks();
	return 'true' if breaks();
	return $unit . one(' = ') . one(@{ $inner->{units} }) . '.u';
}

sub exists_query
{
	my ($scope, $depth) = @_;
	my $inner = chance(0.65) ? from($depth - 1, $scope) : public_from($scope);
	my @where = @{ $inner->{where} };
	my $a = one(@{ $inner->{all} });
	my $unit = one(@{ $inner->{units} });
	my $kind = int(rand(6));
	my $value = chance(0.7) ? column($scope) : number($scope, 0);
	my $group = '';

	push @where, condition({ %$inner, all => [ @{ $inner->{all} }, @{ $scope->{all} } ] }, $inner->{owned} ? $depth - 1 : 0) if chance(0.5);
	my $in = one(' IN ', ' NOT IN ', ' = ANY ', ' <> ALL ');
	if ($kind == 0 && $inner->{owned})
	{
		$group = " GROUP BY $unit.u" . one('', ", $a.x") . one('', " HAVING count(*) > 1", " HAVING max($a.x) > 1") if chance(0.3);
		return one(@{ $scope->{units} }) . ".u$in(SELECT $unit.u FROM $inner->{text}" . where(@where) . "$group)";
	}
	if ($kind == 1 && $inner->{owned})
	{
		return '(' . one(@{ $scope->{units} }) . ".u, $value)" . one(' IN ', ' NOT IN ') . "(SELECT $unit.u, $a." . one(qw(x y k)) . " FROM $inner->{text}" . where(@where) . ')';
	}
	if ($kind == 2 && $inner->{owned} && $depth > 0)
	{
		# by a key of a relation of that unit; one of them if they are not the same
		my ($left, $right) = (one(@{ $scope->{all} }), one(@{ $inner->{all} }));

		$broken = 1;
		return "$left.k$in(SELECT $right.k FROM $inner->{text}" . where(@where) . ')';
	}
	push @where, same_unit($scope, $inner);
	if ($kind == 3)
	{
		return "$value$in(SELECT $a." . one(qw(x y k u)) . " FROM $inner->{text}" . where(@where) . ')';
	}
	if ($kind == 4 && chance(0.3))
	{
		return "$value" . one(' > ', ' <= ', ' = ', ' <> ') . one('ALL', 'ANY') . " (SELECT $a." . one(qw(x y k)) . " FROM $inner->{text}" . where(@where) . ')';
	}
	$group = one(" GROUP BY $a.x HAVING count(*) > 1", " HAVING count(*) > " . one(0, 1, 2), " GROUP BY $a.u, $a.x") if chance(0.15);
	return one('EXISTS', 'NOT EXISTS') . ' (SELECT ' . ($group eq '' ? one('1', "$a.x", '*', "DISTINCT $a.x") : one('1', 'count(*)')) . " FROM $inner->{text}" . where(@where) . "$group)";
}

sub where { return @_ ? ' WHERE ' . join(' AND ', @_) : '' }

sub condition
{
	my ($scope, $depth) = @_;

	if ($depth > 0)
	{
		return exists_query($scope, $depth) if chance(0.35);
		return '(' . condition($scope, $depth - 1) . one(' AND ', ' OR ', ' OR ') . condition($scope, $depth - 1) . ')' if chance(0.2);
		return 'NOT (' . condition($scope, $depth - 1) . ')' if chance(0.1);
		return '(' . condition($scope, $depth - 1) . ')' . one(' IS NULL', ' IS NOT TRUE', ' IS NOT FALSE') if chance(0.07);
	}
	return one(@{ $scope->{all} }) . '.b' . one('', ' IS NOT TRUE', ' IS NULL') if chance(0.15);
	return column($scope) . one(' IS NULL', ' IS NOT NULL') if chance(0.12);
	return number($scope, $depth - 1) . one(' = ', ' <> ', ' < ', ' >= ', ' IS DISTINCT FROM ') . number($scope, $depth - 1);
}

# Something public in FROM, with its alias.
sub public_entry
{
	my ($a) = @_;

	return one(@public) . " AS $a" if chance(0.7);
	return "pub.f(" . one(1, 3) . ") AS $a" if chance(0.3);
	return "(VALUES (1, 1, 2, 0, true), (2, NULL, 0, 1, NULL), (NULL, 2, 1, 1, false)) AS $a (u, k, x, y, b)" if chance(0.5);
	return "(SELECT u, k, max(x) AS x, sum(y) AS y, bool_or(b) AS b FROM q GROUP BY u, k) AS $a" if chance(0.5);
	return "(SELECT u, k, y AS x, x AS y, b FROM " . one(@public) . " WHERE " . one('x > 0', 'EXISTS (SELECT 1 FROM p AS pp WHERE pp.x = 0)', 'b') . " ORDER BY 1 LIMIT 3) AS $a";
}

sub public_from
{
	my ($outer) = @_;
	my $a = alias();
	my $where = { all => [ $a, @{ $outer->{all} } ] };

	return { text => public_entry($a), all => [$a], units => [$a], owned => 0, where => [ map { condition($where, 0) } 1 .. one(0, 1, 1) ] };
}

# An owned relation or sub-query, with its alias. Returns its text and people.
sub owned_entry
{
	my ($a, $depth) = @_;
	my @bases = qw(c c o o o i i s t n);

	if ($with && @$with && chance(0.3))
	{
		my $name = one(@$with);
		return "$name AS $a";
	}
	return sub_query($depth) . " AS $a" if $depth > 0 && chance($total_orders ? 0.35 : 0.7);
	return one(sort keys %views) . " AS $a" if chance(0.12);
	return one(@bases) . " AS $a";
}

# A sub-query in FROM.
sub sub_query
{
	my ($depth) = @_;
	my $inner = from($depth - 1);
	my $unit = one(@{ $inner->{units} });
	my ($a, $b) = map { one(@{ $inner->{all} }) } 1, 2;
	my $where = where(@{ $inner->{where} });
	my $value = number($inner, $depth - 1);

	my $kind = int(rand(8));
	return by_order($inner, $unit, $a, $b, $where) if !$total_orders && chance(0.6);
	return "(SELECT $unit.u, $a.k, $b.x, $value AS y, $a.b FROM $inner->{text}$where)" if $kind < 2;
	if ($kind < 4)
	{
		my @keys = breaks() ? ("$a.b") : ("$unit.u", chance(0.3) ? "$a.b" : ());
		my $key = @keys == 1 && $keys[0] !~ /b$/ ? "$keys[0]" : "max($unit.u)";
		my @aggregates = map { one("count(*)", "count($b.x)", "sum($a.x)::bigint", "min($b.y)", "max($b.k)", "count(DISTINCT $b.x)", "(sum($b.x) FILTER (WHERE $a.b))::bigint", "count(*) FILTER (WHERE " . condition($inner, 0) . ")", "max($value)") } 1 .. 3;
		my $having = chance(0.3) ? ' HAVING ' . one('count(*) > 1', "max($a.x) > 1", "sum($b.y) IS NOT NULL", "min($a.k) < 3 OR count(*) = 1") : '';

		return "(SELECT " . (@keys && $keys[0] =~ /u$/ ? "$keys[0]" : "max($unit.u) AS u") . ", ($aggregates[0]) AS k, ($aggregates[1]) AS x, ($aggregates[2]) AS y, " . one("bool_or($b.b)", "bool_and($a.x > 1)", @keys > 1 ? $keys[1] : 'true') . " AS b FROM $inner->{text}$where GROUP BY " . join(', ', @keys) . "$having)";
	}
	return "(SELECT DISTINCT $unit.u, $a.k, $b.x, $value AS y, $a.b FROM $inner->{text}$where)" if $kind == 4;
	if ($kind == 5)
	{
		my $partition = breaks() ? "$a.x" : "$unit.u" . one('', '', ", $a.b");
		# of every column that is used: else the plain query has several answers
		my $order = one("$b.x, $a.k", "$a.k DESC, $b.x") . ($total_orders ? ", $unit.u, $a.x, $b.k, $a.b" : '');
		my $window = one("count(*) OVER (PARTITION BY $partition)", "(sum($a.x) OVER (PARTITION BY $partition))::bigint", "rank() OVER (PARTITION BY $partition ORDER BY $b.x)", "dense_rank() OVER (PARTITION BY $partition ORDER BY $a.y, $b.k DESC)", "max($b.k) OVER (PARTITION BY $partition ORDER BY $a.x)", map { "$_ OVER (PARTITION BY $partition ORDER BY $order)" } "row_number()", "lag($a.x)", "lead($b.x, 2)", "first_value($a.k)");

		return "(SELECT $unit.u, $a.k, $b.x, ($window) AS y, $a.b FROM $inner->{text}$where)";
	}
	if ($kind == 6)
	{
		# a key of a relation that tells the unit, or not
		my $alias = alias();
		my ($table, $column) = @{ one([ 'o', 'k' ], [ 'c', 'u' ], [ 'n', 'k' ], chance(0.3) ? [ 'c', 'k' ] : ()) };
		my $told = "$alias.u";

		($told, $broken) = ("max($alias.u)", 1) if "$table$column" eq 'ck';
		return one("(SELECT $told AS u, $alias.$column AS k, count(*) AS x, NULL::integer AS y, true AS b FROM $table AS $alias JOIN $inner->{text} ON $unit.u = $alias.u$where GROUP BY $alias.$column)",
			"(SELECT $alias.u, $alias.k AS k, (count(*) OVER (PARTITION BY $alias.$column)) AS x, NULL::integer AS y, true AS b FROM $table AS $alias JOIN $inner->{text} ON $unit.u = $alias.u$where)");
	}
	# UNION ALL of the same people, as a rule
	my $people = one([qw(c o vo)], [qw(c o vj)], ['i'], ['s'], ['t']);

	$people = [qw(c o i s)] if breaks();
	my @parts = map {
		my ($p, $q) = (alias(), alias());
		my $scope = { all => [$p], units => [$p], owned => 1 };
		my $table = one(@$people);
		my $joined = $depth > 0 && chance(0.3) ? one(" JOIN ", " LEFT JOIN ") . one(qw(s o i c)) . " AS $q ON $p.u = $q.u" : '';
		my $columns = one("$p.u, $p.k, $p.x, $p.y, $p.b", "$p.u, $p.x, $p.k, 1, $p.b", $joined ? "$p.u, $q.k, $q.x, $p.y, $q.b" : "$p.u, $p.k, $p.k, 2, true");

		$columns =~ s/^\S+,/$p.u::bigint,/ if $people->[0] eq 't';
		"SELECT $columns FROM $table AS $p$joined" . where(map { condition($scope, $depth - 1) } 1 .. one(0, 1))
	} 1 .. one(2, 2, 3);
	my $names = alias();
	return '(SELECT * FROM (' . join(' UNION ALL ', @parts) . ") AS $names (u, k, x, y, b))";
}

# A sub-query whose results would depend on the order of rows, if it were answered
# as the server does it.
sub by_order
{
	my ($inner, $unit, $a, $b, $where) = @_;
	my $from = "FROM $inner->{text}$where";
	my $keys = "$unit.u" . one('', ", $a.b");
	my $window = "OVER (PARTITION BY $unit.u" . one('', " ORDER BY $b.b", " ORDER BY $b.x", " ORDER BY $a.k", " ORDER BY $a.k, $b.x DESC") . one(('') x 4, ' ROWS UNBOUNDED PRECEDING', ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING', ' ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING', ' RANGE UNBOUNDED PRECEDING') . ')';
	my $float = "(CASE $a.x WHEN 0 THEN 1e17 WHEN 1 THEN -1e17 ELSE $b.y END)::float8";

	$window =~ s/RANGE/ROWS/ if $window !~ /ORDER/;
	return '(SELECT ' . one("DISTINCT ON ($keys)", 'DISTINCT ON (' . $keys . ", $a.k)") . " $unit.u, $a.k, $b.x, $b.y, $a.b $from" . one('', " ORDER BY $keys", " ORDER BY $keys, $a.k, $b.x") . ')' if chance(0.05);
	return "(SELECT $unit.u, $a.k, $b.x, $b.y, $a.b $from ORDER BY $unit.u, $b.x LIMIT " . one(1, 3) . ')' if chance(0.03);
	my @functions = chance(0.8) ? ("first_value($a.x)", "lag($b.y)", "lead($a.x, 1, 7)", "row_number()") : ("last_value($a.y)", "nth_value($b.k, 2)", "ntile(2)", "sum($a.x)", "sum($float)", "count(*)", "max($a.y)", "cume_dist()", "percent_rank()", "dense_rank()", "avg($b.x)");
	return "(SELECT $unit.u, $a.k, $b.x, (" . one(@functions) . " $window)::integer AS y, $a.b $from)" if chance(0.7);
	return "(SELECT $unit.u, max($a.k) AS k, " . one("sum($float)", "sum($float)", "avg($float)", "stddev($float)", "(array_agg($a.x))[1]", "length(string_agg($b.x::text, ','))", "ascii(string_agg($b.x::text, ','))", "mode() WITHIN GROUP (ORDER BY $a.x)", "percentile_disc(0.5) WITHIN GROUP (ORDER BY $b.y)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY $b.y)", "sum($a.x::numeric / 3)", "corr($a.x, $b.y)", "bit_xor($a.x::bigint)") . "::numeric AS x, count(*) AS y, bool_or($b.b) AS b $from GROUP BY $keys)";
}

# A question about such a sub-query alone, over one table.
sub question_by_order
{
	my ($table) = one(qw(i s n o vo));
	my $inner = { text => "$table AS a2", all => ['a2'], units => ['a2'], owned => 1, where => [] };

	return 'SELECT dp_sum(a1.y, -3, 3), dp_sum(a1.x, 0, 5), dp_count(*) FROM ' . by_order($inner, ('a2') x 3, '') . ' AS a1';
}

# FROM, with what belongs to WHERE.
sub from
{
	my ($depth) = @_;
	my $first = alias();
	my %scope = (all => [$first], units => [$first], owned => 1, where => []);
	my $text = owned_entry($first, $depth);

	foreach (1 .. one(0, 0, 1, 1, 2))
	{
		my $a = alias();
		my $is_owned = chance(0.5);
		my $left = chance(0.4);
		my @on;
		my $entry;

		$entry = $is_owned ? owned_entry($a, $depth - 1) : public_entry($a);
		my @more = ($a);
		my $inside = { all => [$a], units => [$a], owned => $is_owned };

		if (chance(0.15))
		{
			# a join on the right side
			my $b = alias();
			my $inner_owned = $is_owned && chance(0.5);
			my $kind = one(' JOIN ', ' LEFT JOIN ');

			$entry = "($entry$kind" . ($inner_owned ? owned_entry($b, 0) : public_entry($b)) . " ON " . join(' AND ', ($inner_owned && !breaks() ? "$a.u = $b.u" : ()), condition({ all => [ $a, $b ], units => [ $a ] , owned => $is_owned }, 0)) . ')';
			push @more, $b;
		}
		push @on, chance(0.5) ? one(@{ $scope{units} }) . ".u = $a.u" : "$a.u = " . one(@{ $scope{units} }) . '.u' if $is_owned && !breaks();
		my $seen = { all => [ @{ $scope{all} }, @more ], units => $scope{units}, owned => 1 };
		push @on, condition($seen, chance(0.3) ? $depth : 0) if chance($is_owned ? 0.35 : 0.8);
		if (!$is_owned && chance(0.4))
		{
			push @on, one(@{ $scope{all} }) . '.' . one(qw(x k y)) . " = $a." . one(qw(u u x));
		}
		if ($left)
		{
			my $on = ' ON ' . (join(' AND ', @on) || 'true');
			my $whole = @{ $scope{all} } > 1 ? "($text)" : $text;

			$text = chance(0.15) ? "$entry RIGHT JOIN $whole$on" : "$text LEFT JOIN $entry$on";
		}
		elsif (@{ $scope{where} } == 0 && chance(0.3))
		{
			$text = "$text CROSS JOIN $entry";
			push @{ $scope{where} }, @on;
			push @{ $scope{units} }, $a if $is_owned && !$broken;
		}
		else
		{
			$text = "$text JOIN $entry ON " . (join(' AND ', @on) || 'true');
			push @{ $scope{units} }, $a if $is_owned && !$broken;
		}
		push @{ $scope{all} }, @more;
	}
	push @{ $scope{where} }, condition(\%scope, $depth) if chance(0.6);
	$scope{text} = $text;
	return \%scope;
}

# A question: what is asked, its FROM and WHERE, its keys, the unit. more: returns
# further aggregates of a value, with FILTER (...) or without.
sub question
{
	my ($depth, $more) = @_;

	($aliases, $broken, $with) = (0, 0, undef);
	my @with;
	if (chance(0.1))
	{
		my $body = sub_query($depth);

		$with = ['w1'];
		push @with, 'w1 AS ' . one('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . $body;
	}
	my $scope = from($depth);
	my $unit = "$scope->{units}[0].u";
	my @values;
	my @items = ('dp_count(*)');
	my @keys;

	if (chance(0.06))
	{
		# units that are rows
		my $a = alias();
		my $b = alias();

		$unit = "$a.u";
		$scope = { all => [ $a, $b ], units => [$a], owned => 1, rows => 1, text => "r AS $a " . one('JOIN ', 'LEFT JOIN ') . public_entry($b) . " ON $a.x = $b." . one(qw(x u k)), where => [] };
		@with = ();
	}
	foreach (1 .. one(0, 1, 1, 2))
	{
		my $value = number($scope, one(0, 0, 1));
		my $filter = chance(0.2) ? condition($scope, one(0, 0, 1)) : '';
		my $filtered = $filter eq '' ? '' : " FILTER (WHERE $filter)";

		$value = column($scope) if $value =~ /^\d|^NULL/;
		push @items, one("dp_count($value)$filtered", "dp_sum($value, -1, 2)$filtered", "dp_sum($value, 0, 3)$filtered", "dp_count(*)$filtered", "dp_count_distinct($value)$filtered", $scope->{rows} ? () : "dp_count_distinct($unit)$filtered", $more ? $more->($value, $filtered) : ());
		push @values, index($items[-1], "($value") >= 0 ? $value : (), $filter eq '' ? () : $filter;
	}
	push @keys, one(one(@{ $scope->{all} }) . '.b', column($scope), '(' . condition($scope, 0) . ')') while @keys < 2 && chance(0.3);
	my %seen;
	@items = grep { !$seen{$_}++ } @items; # of equal ones one is planned
	%seen = ();
	@keys = grep { !$seen{ s/^\(([^()]*)\)$/$1/r }++ && /a\d+\./ && !/NULL::|\d (=|<>|<|>=|IS DISTINCT FROM) \d/ } @keys; # constants are no keys
	my $with_text = @with ? 'WITH ' . join(', ', @with) . ' ' : '';
	my $from = "FROM $scope->{text}" . where(@{ $scope->{where} });
	my $group = @keys ? ' GROUP BY ' . join(', ', @keys) : '';
	my @people = relations("$with_text$from @items");

	$broken = 1 if $scope->{rows} && @people > 1;

	return {
		text => "${with_text}SELECT " . join(', ', @keys, @items) . " $from$group",
		units => "${with_text}SELECT " . join(', ', @keys, @items, "count(DISTINCT $unit)") . " $from$group",
		counted => "SELECT jsonb_object_agg(u, v) FROM (SELECT u, md5(string_agg(h, ',' ORDER BY h COLLATE \"C\")) AS v FROM (${with_text}SELECT $unit, row(" . join(', ', '1', @keys, @values) . ")::text AS h $from) AS rows (u, h) GROUP BY 1) AS of_units WHERE u IS NOT NULL",
		keys => scalar @keys,
		items => scalar @items,
		start => "${with_text}SELECT " . join(', ', @keys, @items) . " $from",
		has_where => scalar @{ $scope->{where} },
		unit => $unit,
		rows => $scope->{rows},
		written_keys => \@keys,
		written_items => \@items,
		sums => [ map { /^dp_(count|sum)/ ? 1 : 0 } @items ],
		broken => $broken,
		people => \@people,
	};
}

# Two conditions, which exclude each other as a rule.
sub parts
{
	my ($scope) = @_;
	my ($value, $other) = map { chance(0.8) ? column($scope) : number($scope, 1) } 1, 2;
	my $truth = one(@{ $scope->{all} }) . '.b';
	my ($n, $m) = (int(rand(4)), int(rand(4)));

	return @{
		one([ "$value IS NULL", "$value IS NOT NULL" ], [ "$value IS NULL", "$value >= 0" ], [ "$value = $n", "$value = $m" ], [ "$value < $n", "$value >= $n" ], [ "$value <= $n", "$value >= $m" ], [ "$value IN ($n, $m)", "$value = " . int(rand(4)) ], [ "$value IS NULL", "$value > $n" ],
			[ $truth, "NOT $truth" ], [ $truth, "$truth IS NOT TRUE" ], [ "$value < $other", "$value >= $other" ], [ "$value = $n", "$other = $m" ])
	};
}

# FROM of tables of the same people, of which one has one row each; parts: where the
# conditions are looked for.
sub from_of_people
{
	my ($depth) = @_;
	my ($many, $single, $more) = map { alias() } 1 .. 3;
	my %scope = (all => [ $many, $single ], units => [$many], owned => 1, where => []);
	my $entry = chance(0.7) ? one('o', 'o', 'vo', 'c') : sub_query($depth);

	$scope{text} = "$entry AS $many" . one(' JOIN ', ' LEFT JOIN ') . "c AS $single ON $many.u = $single.u" . (chance(0.5) ? ' AND ' . condition(\%scope, 0) : '');
	if (chance(0.3))
	{
		push @{ $scope{all} }, $more;
		$scope{text} .= one(' JOIN ', ' LEFT JOIN ') . (chance(0.5) ? one('c', 'o') . " AS $more ON $many.u = $more.u" : public_entry($more) . " ON $single." . one(qw(u k x)) . " = $more.u");
	}
	push @{ $scope{where} }, condition(\%scope, $depth) if chance(0.2);
	return (\%scope, chance(0.6) ? { %scope, all => [$single] } : \%scope);
}

# A question about the rows that meet either of two conditions, and how many units have
# rows that meet one and rows that meet the other.
sub question_of_parts
{
	my ($depth) = @_;

	($aliases, $broken, $with) = (0, 0, undef);
	my ($scope, $place) = chance(0.5) ? from_of_people($depth) : (from($depth)) x 2;
	my @parts = map { [$_] } parts($place);
	my $from = "FROM $scope->{text}" . where(@{ $scope->{where} });

	if (chance(0.3))
	{
		my @more = parts($scope);

		push @{ $parts[$_] }, $more[$_] foreach 0, 1;
	}
	my ($one, $two) = map { join chance(0.7) ? ' AND ' : ' OR ', map { "($_)" } @$_, map { condition($scope, 0) } 1 .. one(0, 0, 0, 1) } @parts;
	return {
		text => "SELECT dp_count(*) FILTER (WHERE $one), dp_count(*) FILTER (WHERE $two) $from",
		met => "SELECT count(*) FROM (SELECT $scope->{units}[0].u $from GROUP BY 1 HAVING bool_or($one) AND bool_or($two)) AS of_units (u) WHERE u IS NOT NULL",
		broken => $broken };
}

# The tables that a text reads, through views, too: by people.
sub relations
{
	my ($text) = @_;
	my %names;

	foreach my $name ($text =~ /(?:FROM|JOIN|,) +\(*([a-z]{1,2}) AS /g)
	{
		$names{$_} = 1 foreach $name eq 'vo' ? 'o' : $name eq 'vg' ? 'i' : $name eq 'vj' ? ('c', 'o') : ($name);
	}
	return grep { $tables{$_} } sort keys %names;
}

sub run_each
{
	my ($node, $role, $setup, @statements) = @_;
	my $script = $setup . join(";\n", map { "SELECT coalesce(translate($_, E'\\n', ' '), '')" } @statements);
	my ($out, $err);
	my $status = $node->psql('postgres', $script, extra_params => [ '-U', $role ], stdout => \$out, stderr => \$err, timeout => 300);
	my @lines = split /\n/, $out, -1;

	# the first line is all that a bail-out shows
	BAIL_OUT("$role: exit code $status, " . @lines . ' lines of ' . @statements . ': ' . substr($err, -1500) =~ s/\n/ | /gr . substr($script, 0, 2000)) if $status != 0 || @lines != @statements;
	return @lines;
}

1;
