# Audit: measures how much the answers of two neighbouring tables differ, and
# compares that with what the ledger charged for one answer.
#
#   my $audit = Audit->new('name', cases => 10);
#   $audit->check($_) foreach @cases;        # a test point each
#   $audit->finish;                          # prints the table
#
# A case is a hash:
#
#   name        of the case
#   tables      SQL that makes and protects tables, run by their owner in two
#               schemas alike
#   one, two    SQL that adds the rows of either
#   aggregates  what is asked of `from`, in groups of `group` of which there
#               are `keys`, in the order of `order` if they need another than
#               `group`; each aggregate stands in a statement many times,
#               with FILTERs that are all true and all different, so that each
#               time is another question about the same rows
#   block       instead: a whole query of one row, with %s where the condition
#               goes; it stands in a statement many times with UNION ALL
#   then        the block that all analysts but the first ask instead
#   copies      how often an aggregate or a block stands in a statement
#   draws       at most, where they take long
#   epsilon, delta, mechanism
#               settings of the analyst
#   accountant  of all budgets; under zcdp what is charged is rho, and delta
#               from the pool
#   on_repeat   of the analysts' budgets
#   analysts    instead: a list of settings for each of several analysts, who
#               ask every question one after the other, a new one each time
#   payer       whose charge is compared: the first analyst, another, or
#               'everyone', the table's total; the tables' owner, audit_owner,
#               may ask, too
#   promised    instead of what was charged: epsilon, where nothing is
#   often       it is part of AUDIT_SHARE=some
#   names       of the numbers of an answer, for the table
#
# The column k of the tables is never negative: "k > -7" is such a FILTER.
#
# Events are picked on one half of the draws and counted on the other (Audit::
# Events). With confidence 1 - e the probability of the event is at least p
# under the table where it is likelier and at most q under the other (Audit::
# Confidence), so epsilon is at least ln((p - delta) / q). A case is red if that
# is more than what was charged, or if neighbours are charged differently. A
# second event is picked for delta, where it is not too small to be measured: it
# is red if p - exp(epsilon) q is more than delta. Gaussian noise has as much of
# it as is charged, so it is measured at a great delta. Where rho is charged, that
# is measured instead, by an event and by all cells of a statistic (Audit::
# Divergence).
#
# Answers to the questions of one statement must be independent for that: where
# something is chosen once a statement, and where noise that is used twice is
# looked for, a case has one copy.
#
# The errors e of all bounds of a whole audit add up to AUDIT_ERROR, so that is
# how likely a false alarm is at most.
#
# test/audit/run says which variables of the environment there are.

package Audit;

use strict;
use warnings;

use Audit::Confidence qw(lower_bound normal_quantile upper_bound);
use Audit::Divergence qw(rho_of_draws rho_of_event);
use Audit::Events qw(best_event seen statistics_of);
use Audit::Session;
use List::Util qw(max min);
use PostgreSQL::Test::Cluster;
use Test::More;
use Time::HiRes qw(time);

# A program has at most a quarter of these bounds: six for a case, of two
# probabilities each in up to two ways.
our $bounds_at_most = 4000;
our $bounds = 6;

# A delta below this has no event that so many draws show.
our $delta_measured = 1e-3;

# Whatever time they take.
our $draws_least = 500;

# A database holds so many charges, then another one follows.
our $charges_of_database = 2_000_000;

our @analysts = qw(audit_ann audit_bob);

sub setting { return $ENV{"AUDIT_$_[0]"} || $_[1]; }

# cases: how many share the time. library: that of build/NAME instead of the
# installed one. least: draws, whatever time they take.
sub new
{
	my ($class, $name, %more) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $self = bless {
		node      => $node,
		library   => $more{library},
		seconds   => $more{seconds} // setting(SECONDS => 90),
		left      => $more{cases},
		start     => time,
		results   => [],
		databases => 0,
		schemas   => 0,
		least     => $more{least} // $draws_least,
		error     => setting(ERROR => 1e-10) / $bounds_at_most,
		draws     => setting(DRAWS => 100_000) }, $class;

	$self->{z} = normal_quantile($self->{error});
	$node->init;
	$node->append_conf('postgresql.conf', <<'EOC');
shared_preload_libraries = 'dp_noise'
log_statement = none
dp_noise.empty_groups = show
autovacuum = off
fsync = off
full_page_writes = off
max_wal_size = 256MB
jit = off
EOC
	$node->start;
	$node->safe_psql('postgres', join ' ', 'CREATE ROLE audit_owner LOGIN;', map { "CREATE ROLE $_ LOGIN;" } @analysts);
	$self->next_database;
	return $self;
}

sub next_database
{
	my ($self) = @_;
	my $node = $self->{node};
	my $old  = $self->{database};

	$self->{database} = 'audit' . ++$self->{databases};
	$self->{charges} = 0;
	$node->safe_psql('postgres', "DROP DATABASE $old WITH (FORCE)") if defined $old;
	$node->safe_psql('postgres', "CREATE DATABASE $self->{database}");
	$node->safe_psql($self->{database}, 'CREATE EXTENSION dp_noise; GRANT CREATE ON DATABASE ' . $self->{database} . ' TO audit_owner');
	return if !defined $self->{library};

	# The installed functions name their library with its directory.
	my $directory = "$ENV{TESTDIR}/build/$self->{library}";
	$node->safe_psql($self->{database}, q{UPDATE pg_proc SET probin = 'dp_noise' WHERE probin = '$libdir/dp_noise'});
	$node->append_conf('postgresql.conf', "dynamic_library_path = '$directory:\$libdir'\n");
	$node->restart;
	return;
}

##############################################################################
# A case's tables and statements

# Makes both tables; the names of their schemas.
sub make_tables
{
	my ($self, $case) = @_;
	my $suffix = ++$self->{schemas};
	my @schemas;

	foreach my $side (qw(one two))
	{
		my $schema = "${side}_$suffix";
		my $rows = $case->{$side} // '';
		my $repeat = $case->{on_repeat} // 'answer';
		my $grant = ($case->{accountant} // 'pure') eq 'zcdp' ? '1e6, delta => 0.9' : '1000000000, delta => 1';
		my $accountant = ($case->{accountant} // 'pure') eq 'zcdp' ? q{, accountant => 'zcdp', delta_pool => 0.4} : '';

		$self->{node}->safe_psql($self->{database}, <<"EOS");
SET client_min_messages = warning;
SET ROLE audit_owner;
CREATE SCHEMA $schema;
GRANT USAGE ON SCHEMA $schema TO PUBLIC;
SET search_path = $schema, public;
$case->{tables};
$rows;
SELECT dp_noise.alter_population(population, epsilon => $grant$accountant, on_repeat => '$repeat') FROM dp_noise.populations WHERE population ^@ '$schema.';
SELECT dp_noise.set_budget(a, population, $grant) FROM unnest('{@{[ join ',', @analysts ]}}'::regrole[]) AS a, dp_noise.populations WHERE population ^@ '$schema.';

-- no budget has room for the deltas and the rho of so many answers
RESET ROLE;
UPDATE dp_noise_ledger.budget SET delta = 1000000000, rho = rho + 1000000000, delta_pool = CASE WHEN rho IS NULL THEN 0 ELSE 999999999.5 END;
EOS
		push @schemas, $schema;
	}
	return @schemas;
}

# The question of an analyst, so many times, with conditions from a number on.
sub statement
{
	my ($case, $copies, $first, $which) = @_;
	my $block = $which ? $case->{then} // $case->{block} : $case->{block};
	my @parts;

	foreach my $i ($first .. $first + $copies - 1)
	{
		push @parts, map { sprintf $_, "k > -$i" } defined $block ? $block : map { /%s/ ? $_ : "$_ FILTER (WHERE %s)" } @{ $case->{aggregates} };
	}
	return join ' UNION ALL ', @parts if defined $block;
	my $grouping = defined $case->{group} ? " GROUP BY $case->{group} ORDER BY " . ($case->{order} // $case->{group}) : '';
	return 'SELECT ' . join(', ', @parts) . ' FROM ' . ($case->{from} // 't') . $grouping;
}

# The draws of a statement's rows: lists of numbers.
sub draws_of
{
	my ($case, $copies, @rows) = @_;
	my @lists = map { tr/{}//d; [ split /[|,]/, $_, -1 ] } @rows;

	return @lists if defined $case->{block};
	my $each = @{ $lists[0] } / $copies;
	return map { my $i = $_ * $each; [ map { @$_[ $i .. $i + $each - 1 ] } @lists ] } 0 .. $copies - 1;
}

sub sessions
{
	my ($self, $case, $schema, $statement) = @_;
	my @wanted = @{ $case->{analysts} // [ {} ] };
	my @sessions;

	foreach my $i (0 .. $#wanted)
	{
		my %settings = (epsilon => $case->{epsilon}, delta => $case->{delta}, mechanism => $case->{mechanism}, %{ $wanted[$i] });
		my $session = Audit::Session->new($self->{node}, $self->{database}, $wanted[$i]{role} // $analysts[$i]);

		delete $settings{role};
		$session->tell("SET search_path = $schema, public;");
		$session->tell("SET dp_noise.$_ = '$settings{$_}';") foreach grep { defined $settings{$_} } sort keys %settings;
		$session->tell("PREPARE q AS $statement;") if !$case->{analysts};
		push @sessions, $session;
	}
	return \@sessions;
}

# Asks until there are enough draws or the time is up. Columns of both tables.
sub sample
{
	my ($self, $case, $seconds, @schemas) = @_;
	my $copies   = $case->{copies} // (defined $case->{block} ? 50 : int(240 / @{ $case->{aggregates} }));
	my $rows     = defined $case->{block} ? $copies : $case->{keys} // 1;
	my $first    = statement($case, $copies, 1);
	my @sides    = map { $self->sessions($case, $_, $first) } @schemas;
	my $end      = time + $seconds;
	my $draws    = min($self->{draws}, $case->{draws} // $self->{draws});
	my @columns  = ([], []);
	my $depth    = $case->{analysts} ? 1 : 2;
	my ($asked, $heard) = (0, 0);

	while (1)
	{
		# one round ahead, so that the server has something to do meanwhile
		while ($asked < $heard + $depth && $asked * $copies < $draws && ($asked * $copies < $self->{least} || $asked < 6 || time < $end))
		{
			foreach my $which (0 .. $#{ $sides[0] })
			{
				my $statement = $case->{analysts} ? statement($case, $copies, 1 + $asked * $copies, $which) . ';' : 'EXECUTE q;';

				$_->[$which]->tell($statement) foreach @sides;
				next if !$case->{analysts};
				$_->[$which]->keep($rows) foreach @sides;
			}
			$asked++;
		}
		last if $heard == $asked;
		foreach my $side (0, 1)
		{
			my @draws = map { [] } 1 .. $copies;

			foreach my $session (@{ $sides[$side] })
			{
				my @more = draws_of($case, $copies, $case->{analysts} ? $session->kept : $session->rows($rows));

				push @{ $draws[$_] }, @{ $more[$_] } foreach 0 .. $copies - 1;
			}
			foreach my $i (0 .. $#{ $draws[0] })
			{
				push @{ $columns[$side][$i] }, map { $_->[$i] } @draws;
			}
		}
		$heard++;
	}
	$_->close foreach map { @$_ } @sides;
	$self->{charges} += 2 * @{ $columns[0][0] } * @{ $case->{aggregates} // [1] };
	return (@columns, scalar @{ $columns[0][0] });
}

# What the ledger charged in a schema, a draw: (epsilon or rho, delta), the most of
# any population's.
sub charged
{
	my ($self, $case, $schema, $draws) = @_;
	my $payer = $case->{payer} // $analysts[0];
	my $role = $payer eq 'everyone' ? 'role IS NULL' : "role = '$payer'";
	my $spent = ($case->{accountant} // 'pure') eq 'zcdp' ? 'rho_spent' : 'epsilon_spent';

	return split /\|/, $self->{node}->safe_psql($self->{database}, <<"EOS");
SELECT trim_scale(max($spent) / $draws), trim_scale(max(delta_spent) / $draws)
FROM dp_noise.budgets WHERE population ^@ '$schema.' AND $role
EOS
}

##############################################################################
# The verdict

# Ways to measure: the value of an event of which the probability is at least p
# under one table and at most q under the other, and what of it is promised.

# epsilon
sub by_epsilon
{
	my ($epsilon, $delta) = @_;

	return { promised => $epsilon, value => sub { $_[0] > $delta ? log(($_[0] - $delta) / $_[1]) : $_[0] - 99 } };
}

# delta, at the epsilon that was charged
sub by_delta
{
	my ($epsilon, $delta) = @_;

	return { promised => $delta, value => sub { $_[0] - exp($epsilon) * $_[1] } };
}

# rho, with its delta
sub by_rho
{
	my ($rho, $delta) = @_;

	return { promised => $rho, value => sub { rho_of_event($_[0], $_[1], $delta) } };
}

# A result: epsilon or rho and delta charged, what was measured, the event, red.
sub measure
{
	my ($self, $case) = @_;
	my $share   = max(0, $self->{start} + $self->{seconds} - time) / max(1, $self->{left}--);
	my @schemas = $self->make_tables($case);
	my ($one, $two, $draws) = $self->sample($case, $share * 0.6, @schemas);
	my ($charged, $of_other) = map { [ defined $case->{promised} ? ($case->{promised}, 0) : $self->charged($case, $_, $draws) ] } @schemas;
	my ($price, $delta) = @$charged;
	my %result = (case => $case->{name}, draws => $draws, price => $price, delta => $delta, ratio => -1,
		equal => $price == $of_other->[0] && $delta == $of_other->[1]);
	my @statistics = statistics_of($one, $two, @{ $case->{names} // [] });
	my $is_rho = ($case->{accountant} // 'pure') eq 'zcdp';
	my %ways = $is_rho ? (rho => by_rho($price, $delta)) : (epsilon => by_epsilon($price, $delta));
	my $found = sub {
		my ($name, $promised, $value, $event) = @_;
		my $ratio = max(0, $value) / $promised;

		$result{red} = 1 if $value > $promised;
		@result{qw(ratio way measured event)} = ($ratio, $name, max(0, $value), $event) if $ratio > $result{ratio};
	};

	die "nothing was charged\n" if $price <= 0;
	$ways{delta} = by_delta($price, $delta) if !$is_rho && $delta >= $delta_measured;
	foreach my $name (sort keys %ways)
	{
		my $way   = $ways{$name};
		my $event = best_event(\@statistics, $self->{z}, $way->{value});
		my ($likely, $other) = seen($event);

		$found->($name, $way->{promised}, $way->{value}->(lower_bound(@$likely, $self->{error}), upper_bound(@$other, $self->{error})), $event->{name});
	}
	$found->(rho => $price, rho_of_draws(\@statistics, $delta, $self->{error})) if $is_rho;
	$result{red} ||= !$result{equal};
	$self->next_database if $self->{charges} > $charges_of_database && !defined $self->{library};
	return \%result;
}

my $format = '%-66s %7s %8s %7s %9s %-8s %5s %-9s %s';

sub line
{
	my ($result) = @_;

	return sprintf $format, $result->{case}, $result->{draws}, map({ sprintf '%.4g', $_ } @$result{qw(price delta measured)}),
		$result->{way}, sprintf('%.2f', $result->{ratio}), verdict($result), $result->{event};
}

sub verdict { return !$_[0]{equal} ? 'RED PRICE' : $_[0]{red} ? 'RED' : 'green'; }

# Prints the line of a result, the first time below a heading.
sub show
{
	my ($self, $result) = @_;

	diag(sprintf $format, qw(case draws charged delta measured of ratio verdict event)) if !@{ $self->{results} };
	push @{ $self->{results} }, $result;
	diag(line($result));
	return;
}

# A test point: the case is green.
sub check
{
	my ($self, $case) = @_;
	my $result = eval { $self->measure($case) };

	if (!defined $result)
	{
		fail($case->{name});
		diag($@);
		return;
	}
	$self->show($result);
	ok(!$result->{red}, "$case->{name}: no more than was charged");
	return;
}

sub stop
{
	my ($self) = @_;

	$self->{node}->stop('immediate');
	return;
}

sub finish
{
	my ($self) = @_;
	my @results = @{ $self->{results} };

	diag(sprintf '%d cases, %d of them measured at 0.8 of what was charged or more; %d red; false alarms: below %g',
		scalar @results, scalar(grep { $_->{ratio} >= 0.8 } @results), scalar(grep { $_->{red} } @results), $self->{error} * $bounds_at_most);
	cmp_ok($bounds * @results, '<=', $bounds_at_most / 4, 'no more bounds than the probability of a false alarm is for');
	$self->stop;
	return;
}

# The cases that AUDIT_ONLY and AUDIT_SHARE name.
sub wanted
{
	my $only = setting(ONLY => '.');

	return grep { $_->{name} =~ /$only/ && (setting(SHARE => 'all') eq 'all' || $_->{often}) } @_;
}

1;
