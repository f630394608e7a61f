# Audit::Recorder: asks a question about two neighbouring tables with the same
# random words, and compares what its mechanisms were given (src/random/record.h)
# with what they claim and with what the ledger charged.
#
#   my $recorder = Audit::Recorder->new('name', seed => 1);
#   my $result = $recorder->question($case);             # a case of Audit.pm
#   my @schemas = $recorder->{audit}->make_tables($case);
#   my $pair = $recorder->open_pair($case, @schemas);    # or many questions
#   $result = $recorder->ask($pair, $statement);
#
# A result has the calls that were compared, their loss and its ratio to the
# charge, and the faults, texts:
#
# - Both sides have the same rows, each with the same calls, of which all but
#   the inputs is the same. Of private keys rows may be on one side alone.
# - All words were drawn within a call.
# - Noise: the inputs of all rows differ by no more than the sensitivity, in the
#   norm of the mechanism.
# - What the calls give away together, by their scales and by how their inputs
#   differ (Audit::Losses), is no more than the charge, which is the same on
#   both sides: in epsilon, in delta and in rho as the ledger records them,
#   whichever of them the budgets count. Where it records no finite epsilon, in
#   rho alone.
#
# A unit's rows and groups beyond its caps are chosen at random, by its own random
# choices: where these come out alike for all other units, the inputs differ by the
# one unit alone, and no more than claimed for any outcome of the choices. So the
# library chooses by the values themselves, and by the number of a unit's groups in
# the order of their keys, never by when they come, which may depend on other units.
#
# No random choice is left: one question finds what does not depend on the data.
# What depends on an answer before (the intervals of quantiles, the private keys
# of which more is asked) is compared where that answer is the same.

package Audit::Recorder;

use strict;
use warnings;

use Audit;
use Audit::Losses qw(distance gaussian_delta loss_of number reaches renyi_of_geometric rounded);
use IPC::Open3 qw(open3);
use List::Util qw(max min sum0);
use POSIX ();

# Losses are sums of doubles.
our $slack = 1e-6;

# Where rho is compared. The divergence of order alpha is at most alpha rho.
our @orders = (1.0001, 1.1, 1.3, 1.6, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 1024);

# seed: of the words. library: that of build/NAME, made with DP_RECORD.
sub new
{
	my ($class, $name, %more) = @_;
	my $audit = Audit->new($name, library => $more{library} // 'record', cases => 1);
	my $directory = $audit->{node}->data_dir . '/dp_noise_record';

	mkdir $directory or die "could not make $directory: $!";
	return bless { audit => $audit, directory => $directory, seed => $more{seed}, questions => 0 }, $class;
}

sub stop { $_[0]{audit}->stop; return; }

##############################################################################
# Sessions, whose errors are answers, too

sub open_session
{
	my ($self, $role, @settings) = @_;
	my $node = $self->{audit}{node};
	my ($in, $out);
	my $pid = open3($in, $out, undef, $node->installed_command('psql'), '-XAtq', '-U', $role, '-d', $node->connstr($self->{audit}{database}));
	my $session = { pid => $pid, in => $in, out => $out };

	$in->autoflush(1);
	hear($session, $_) foreach @settings;
	return $session;
}

# The lines that a statement gives.
sub hear
{
	my ($session, $statement) = @_;
	my @lines;

	local $SIG{PIPE} = 'IGNORE';
	print { $session->{in} } "$statement;\n\\echo --end--\n";
	while (defined(my $line = readline $session->{out}))
	{
		chomp $line;
		return @lines if $line eq '--end--';
		push @lines, $line;
	}
	die "the server went away: $statement\n@lines\n";
}

sub close_session
{
	my ($session) = @_;

	close $session->{in};
	waitpid $session->{pid}, 0;
	return;
}

# Sessions for both sides: those of the analysts, and one that reads what was
# charged.
sub open_pair
{
	my ($self, $case, @schemas) = @_;
	my @sides;

	foreach my $schema (@schemas)
	{
		my @wanted = @{ $case->{analysts} // [ {} ] };
		my @sessions;

		foreach my $i (0 .. $#wanted)
		{
			my %settings = (map({ $_ => $case->{$_} } qw(epsilon delta mechanism)), %{ $wanted[$i] });
			my $role = delete $settings{role} // $Audit::analysts[$i];

			push @sessions, $self->open_session($role, "SET search_path = $schema, public", map { "SET dp_noise.$_ = '$settings{$_}'" } grep { defined $settings{$_} } sort keys %settings);
		}
		push @sides, { schema => $schema, sessions => \@sessions, reader => $self->open_session('postgres') };
	}
	return { sides => \@sides, is_exchange => scalar($case->{tables} =~ /substitute/), accountant => $case->{accountant} // 'pure', payer => $case->{payer} // $Audit::analysts[0] };
}

sub close_pair
{
	my ($self, $pair) = @_;

	close_session($_) foreach map { @{ $_->{sessions} }, $_->{reader} } @{ $pair->{sides} };
	return;
}

# What was spent: { role or '' => [epsilon or rho, delta] }, the most of any population.
sub spent
{
	my ($pair, $side) = @_;
	my $spent = $pair->{accountant} eq 'zcdp' ? 'rho_spent' : 'epsilon_spent';

	return { map { my ($role, @spent) = split /\|/, $_, -1; ($role => \@spent) } hear($side->{reader}, <<"EOS") };
SELECT role, max($spent), max(delta_spent) FROM dp_noise.budgets WHERE population ^@ '$side->{schema}.' GROUP BY role
EOS
}

# What the ledger has recorded: { role => [epsilon, delta, rho, number of questions
# without a finite epsilon] }, the most of any population; role 'everyone': what the
# grant has paid.
sub recorded
{
	my ($side) = @_;

	return { map { my ($role, @recorded) = split /\|/, $_, -1; ($role => \@recorded) } hear($side->{reader}, <<"EOS") };
SELECT who, max(epsilon), max(delta), max(rho), max(unbounded)
FROM (SELECT who, coalesce(sum(epsilon), 0) AS epsilon, sum(delta) AS delta, sum(rho) AS rho, count(*) - count(epsilon) AS unbounded
	FROM dp_noise.ledger AS l, unnest(ARRAY[l.role::text, CASE WHEN grant_paid THEN 'everyone' END]) AS who
	WHERE population ^@ '$side->{schema}.' AND who IS NOT NULL GROUP BY who, population) AS r
GROUP BY who
EOS
}

# By role, what there is more of than there was before.
sub increase
{
	my ($before, $after) = @_;

	return { map { my $role = $_; ($role => [ map { $after->{$role}[$_] - ($before->{$role}[$_] // 0) } 0 .. $#{ $after->{$role} } ]) } keys %$after };
}

##############################################################################
# Records

sub write_seed
{
	my ($self) = @_;

	open my $file, '>', "$self->{directory}/seed" or die "could not write the seed: $!";
	print $file $self->{seed} + $self->{questions}++;
	close $file;
	return;
}

# Releases: { selection => [threshold, number of the deciding call], rows => { keys => [call, ...] } }
sub read_calls
{
	my ($self) = @_;
	my @releases = ({ rows => {} });
	my (@calls, @faults);

	open my $file, '<', "$self->{directory}/calls" or return { releases => \@releases, faults => [] };
	while (defined(my $line = <$file>))
	{
		chomp $line;
		my ($kind, @fields) = split / /, $line, -1;

		push @faults, 'a record is too long' if $line =~ / cut$/;
		if ($kind eq 'unmarked') { push @faults, 'words were drawn where no record is open'; }
		elsif ($kind eq 'unseen') { @calls = (); }
		elsif ($kind eq 'small') # no row, as if it were absent
		{
			$releases[-1]{small}{"row @fields"} = [@calls];
			@calls = ();
		}
		elsif ($kind eq 'release')
		{
			$releases[-1]{rows}{'after the rows'} = [@calls];
			push @releases, { rows => {}, $fields[0] ne '' ? (selection => [@fields]) : () };
			@calls = ();
		}
		elsif ($kind eq 'row')
		{
			my $keys = "row @fields";

			push @faults, "there are two rows \"$keys\"" if $releases[-1]{rows}{$keys};
			$releases[-1]{rows}{$keys} = [@calls];
			@calls = ();
		}
		else
		{
			my %call = (kind => $kind, same => {}, true => {}, result => {}, prepared => {});

			foreach my $field (@fields)
			{
				my ($name, $sort, $value) = $field =~ /^(\w+)([=~^@])(.*)$/ or die "not a field: $field\n";

				push @{ $call{ { '=' => 'same', '~' => 'true', '^' => 'result', '@' => 'prepared' }->{$sort} }{$name} }, $value;
			}
			push @calls, \%call;
		}
	}
	close $file;
	$releases[-1]{rows}{'after the rows'} = [@calls];
	return { releases => \@releases, faults => \@faults };
}

# Asks one side: its records, what was charged, and the errors.
sub ask_side
{
	my ($self, $pair, $side, @statements) = @_;
	my ($spent, $recorded) = (spent($pair, $side), recorded($side));
	my @errors;

	unlink "$self->{directory}/calls";
	push @errors, grep { /^(ERROR|FATAL|PANIC)/ } hear($side->{sessions}[$_], $statements[$_] // $statements[0]) foreach 0 .. $#{ $side->{sessions} };

	return {
		%{ $self->read_calls },
		errors => join(' ', @errors),
		charged => increase($spent, spent($pair, $side)),
		recorded => increase($recorded, recorded($side)) };
}

##############################################################################
# Comparison

sub text_of { my ($fields) = @_; return join ' ', map { "$_=@{$fields->{$_}}" } sort keys %$fields; }

# The pairs of calls of a row that can be compared; faults where they differ.
sub pairs_of_row
{
	my ($keys, $one, $two, $result) = @_;
	my @pairs;

	push @{ $result->{faults} }, "$keys has " . @$one . ' calls and ' . @$two if @$one != @$two;
	foreach my $i (0 .. min($#$one, $#$two))
	{
		my ($a, $b) = ($one->[$i], $two->[$i]);

		if ($a->{kind} ne $b->{kind} || text_of($a->{same}) ne text_of($b->{same}))
		{
			push @{ $result->{faults} }, "$keys, call $i: $a->{kind} " . text_of($a->{same}) . " and $b->{kind} " . text_of($b->{same});
			next;
		}
		push @pairs, [ $i, $a, $b ];

		# what follows may depend on another answer
		last if text_of($a->{result}) ne text_of($b->{result}) && $result->{cut}++ >= 0;
	}
	return @pairs;
}

# The inputs of noise differ by no more than is claimed. changes: by position in
# a row, lists of [call, change, change in quanta, row]. In L1 and of one number
# the claim is for one row; how much rows may differ together, the charge says. Of
# one number in groups it is for a unit that leaves or enters, so that a unit that
# is exchanged within a group may change it twice.
sub check_claims
{
	my ($result, $changes) = @_;

	foreach my $position (sort { $a <=> $b } keys %$changes)
	{
		my @all = @{ $changes->{$position} };
		my %same = map { $_ => number($all[0][0]{same}{$_}[0]) } keys %{ $all[0][0]{same} };
		my %rows;

		$rows{$_->[3]} += $_->[2] foreach @all;
		my ($kind, $change, $claim) =
			$same{sigma_numerator} > 0 ? ('L2 of all rows, squared', sum0(map { $_->[1]**2 } @all), $same{squared}) :
			$same{s} > 0 ? ('L1, in quanta', max(values %rows), POSIX::ceil(($same{sensitivity} . '') / ($same{quantum} . ''))) :
			('one number, or L1 of those drawn together', max(map { $_->[1] } @all), $same{width} * ($result->{is_exchange} && $all[0][3] ne 'row ' ? 2 : 1));

		push @{ $result->{faults} }, "inputs of call $position differ by $change ($kind) where $claim is claimed" if $change > ($claim . '') * (1 + 1e-12);
	}
	return;
}

sub change_of { my ($one, $two) = @_; return abs((number($one) - number($two)) . '') + 0; }

# Compares the rows of a release, and adds to the losses; delta: of lone groups.
sub compare_release
{
	my ($one, $two, $after, $result) = @_;
	my %keys = map { $_ => 1 } keys %{ $one->{rows} }, keys %{ $two->{rows} };
	my (%changes, %place);

	foreach my $keys (sort keys %keys)
	{
		my @calls = map { $_->{rows}{$keys} } $one, $two;
		my $lone = (grep { defined } @calls)[0];

		if (!defined $calls[0] || !defined $calls[1])
		{
			if ($one->{selection})
			{
				my ($threshold, $deciding) = @{ $one->{selection} };
				my $call = $lone->[$deciding];

				$result->{lone}[ defined $calls[0] ? 0 : 1 ] += reaches($call, $threshold - $call->{true}{truth}[0]);
				$result->{lone_rows}++;
			}
			elsif (!$after)
			{
				push @{ $result->{faults} }, "only one side has \"$keys\"";
			}
			next if !$one->{selection};

			# an absent group has nothing of anything, but one that is too small
			my $small = ($one->{small}{$keys} // $two->{small}{$keys} // []);

			foreach my $i (0 .. $#$lone)
			{
				my ($call, $other) = ($lone->[$i], $small->[$i]);

				next if $call->{kind} !~ /^(noise|truncated|joint)$/;
				$place{ $call->{prepared}{prepared}[0] } //= $i;
				push @{ $changes{ $place{ $call->{prepared}{prepared}[0] } } }, [ $call, distance($call, $other), $other ? change_of(rounded($call), rounded($other)) : abs(rounded($call) . '') + 0, $keys ];
			}
			next;
		}
		my %first;

		foreach my $pair (pairs_of_row($keys, @calls, $result))
		{
			my ($i, $a, $b) = @$pair;

			$result->{calls}++;
			push @{ $result->{losses} }, loss_of($a, $b);
			next if $a->{kind} !~ /^(noise|truncated|joint)$/;

			# the first call with this noise in the row stands for all
			my $position = $first{ $a->{prepared}{prepared}[0] } //= $i;

			push @{ $changes{$position} }, [ $a, distance($a, $b), change_of(rounded($a), rounded($b)), $keys ];
		}
	}
	check_claims($result, \%changes) if !$result->{is_merged};
	return;
}

# What a loss is in rho, at an order; where only its greatest ratio is known, what
# the worst mechanism with that ratio costs.
sub rho_at
{
	my ($loss, $alpha) = @_;

	return $loss->{renyi}->($alpha) / $alpha if $loss->{renyi};
	return defined $loss->{pure} ? $loss->{pure} * POSIX::tanh($loss->{pure} / 2) : 0;
}

# The greatest ratio of the losses to what was charged in rho.
sub used_of_rho
{
	my ($losses, $rho) = @_;
	my $gaussian = sum0(map { ($_->{gaussian} // 0) / 2 } @$losses);

	return max(map { my $alpha = $_; (sum0(map { rho_at($_, $alpha) } @$losses) + $gaussian) / max($rho, 1e-300) } @orders);
}

# The same in epsilon, and the delta at what Gaussian noise and the like have of it.
sub used_of_epsilon
{
	my ($losses, $epsilon) = @_;
	my $pure = sum0(map { $_->{pure} // 0 } @$losses);
	my $left = $epsilon - $pure;

	return ($pure / max($epsilon, 1e-300), gaussian_delta($left, grep { defined $_->{gaussian} } @$losses) + sum0(map { $_->{delta} ? $_->{delta}->($left) : 0 } @$losses));
}

# How much of the charge was used, at most. charge: epsilon, delta and rho, of
# which some may be missing, and pool, the delta that is for groups alone.
sub compare_charge
{
	my ($result, %charge) = @_;
	my $losses = $result->{losses};
	my $lone = max(map { $_ // 0 } @{ $result->{lone} }[ 0, 1 ]);    # what is alone on either side has delta
	my %ratios;

	$ratios{"rho, $charge{rho}"} = used_of_rho($losses, $charge{rho}) if defined $charge{rho};
	if (defined $charge{epsilon})
	{
		my ($used, $delta) = used_of_epsilon($losses, $charge{epsilon});

		$ratios{"epsilon, $charge{epsilon}"} = $used;
		$ratios{"delta at epsilon $charge{epsilon}, $charge{delta}"} = ($lone + $delta) / max($charge{delta}, 1e-300);
	}
	$ratios{"delta for groups of one unit, $charge{pool}"} = $lone / max($charge{pool}, 1e-300);
	$result->{ratio} = max(values %ratios);
	push @{ $result->{faults} }, map { sprintf '%.6g times the charge in %s', $ratios{$_}, $_ } grep { $ratios{$_} > 1 + $slack } sort keys %ratios;
	return;
}

# Whoever asks at a level has an answer with the noise of that level, and pays for
# it: one of the levels costs no more than that.
sub check_levels
{
	my ($result, $epsilon, $rho, @steps) = @_;
	my @changes = grep { $_ > 0 } map { $_->{quanta} // 0 } @{ $result->{losses} };
	my @rates = map { $_->{same}{low}[0] / $_->{same}{t}[0] } @steps;
	my $in_epsilon = min(map { $_ * sum0(@changes) } @rates);
	my $in_rho = min(map { my $rate = $_; max(map { my $alpha = $_; sum0(map { renyi_of_geometric($rate, $_, $alpha) } @changes) / $alpha } @orders) } @rates);

	push @{ $result->{faults} }, "answers at levels cost $in_epsilon or more and $epsilon was charged" if $in_epsilon > $epsilon * (1 + $slack);
	push @{ $result->{faults} }, "answers at levels cost $in_rho or more in rho and $rho was charged" if $in_rho > $rho * (1 + $slack);
	return;
}

# The caps that were chosen in a release, whose row is told by them: all that follows
# may depend on them.
sub take_caps
{
	my ($release) = @_;
	my ($keys) = grep { /^row caps / } keys %{ $release->{rows} };

	return '' if !defined $keys;
	$release->{rows}{'row caps'} = delete $release->{rows}{$keys};
	return $keys;
}

# Asks both sides, and compares.
sub ask
{
	my ($self, $pair, @statements) = @_;
	my %result = (faults => [], losses => [], calls => 0, ratio => 0, lone => [], is_exchange => $pair->{is_exchange});

	# where groups merge, the price is multiplied instead of the sensitivity
	$result{is_merged} = 1 if $statements[0] =~ /GROUPING SETS|ROLLUP|CUBE/;
	$self->write_seed;
	my ($one, $two) = map { $self->ask_side($pair, $_, @statements) } @{ $pair->{sides} };

	push @{ $result{faults} }, @{ $_->{faults} } foreach $one, $two;
	$result{error} = $one->{errors};
	if ($one->{errors} ne $two->{errors})
	{
		push @{ $result{faults} }, "\"$one->{errors}\" and \"$two->{errors}\"";
		return \%result;
	}
	push @{ $result{faults} }, 'there are ' . @{ $one->{releases} } . ' and ' . @{ $two->{releases} } . ' releases' if @{ $one->{releases} } != @{ $two->{releases} };
	my $after = 0;
	my $same_caps = 1;

	foreach my $i (0 .. min($#{ $one->{releases} }, $#{ $two->{releases} }))
	{
		my ($a, $b) = map { $_->{releases}[$i] } $one, $two;

		push @{ $result{faults} }, 'another threshold' if join(' ', @{ $a->{selection} // [] }) ne join(' ', @{ $b->{selection} // [] });
		my @caps = map { take_caps($_) } $a, $b;
		compare_release($a, $b, $after, \%result) if $same_caps;
		$result{cut}++ if $same_caps && $caps[0] ne $caps[1];
		$same_caps &&= $caps[0] eq $caps[1];
		$after = 1 if $a->{selection};
	}

	# answers at lower levels are made from one that the total pays
	my @steps = grep { $_->{kind} eq 'step' } map { map { @$_ } values %{ $_->{rows} } } @{ $one->{releases} };
	my $payer = $pair->{payer} eq 'everyone' || @steps ? '' : $pair->{payer};
	my ($charged, $of_other) = map { $_->{charged}{$payer} // [ 0, 0 ] } $one, $two;

	$result{price} = $charged->[0];
	push @{ $result{faults} }, "the charges are @$charged and @$of_other" if grep { abs($charged->[$_] - $of_other->[$_]) > 1e-9 } 0, 1;

	my ($recorded, $recorded_other) = map { $_->{recorded}{ $pair->{payer} } // [ (0) x 4 ] } $one, $two;

	push @{ $result{faults} }, "the ledger has @$recorded and @$recorded_other" if grep { abs($recorded->[$_] - $recorded_other->[$_]) > 1e-9 * max(1, abs $recorded->[$_]) } 0 .. 3;
	check_levels(\%result, @$recorded[ 0, 2 ], @steps) if @steps && $pair->{payer} ne 'everyone';

	# beside what budgets count, the ledger; of levels it has what roles pay
	my %charge = (@steps ? () : (($recorded->[3] > 0 ? () : (epsilon => $recorded->[0], delta => $recorded->[1])), rho => $recorded->[2]), pool => $charged->[1]);

	%charge = (%charge, $pair->{accountant} eq 'zcdp' ? (rho => $charged->[0]) : (epsilon => $charged->[0], delta => $charged->[1]));
	compare_charge(\%result, %charge) if $result{calls} > 0 || $result{lone_rows};
	return \%result;
}

# Asks the question of a case, once.
sub question
{
	my ($self, $case) = @_;
	my $pair = $self->open_pair($case, $self->{audit}->make_tables($case));
	my $result = $self->ask($pair, map { Audit::statement($case, 1, 1, $_) } 0 .. $#{ $case->{analysts} // [0] });

	$self->close_pair($pair);
	push @{ $result->{faults} }, $result->{error} if $result->{error} ne '';
	push @{ $result->{faults} }, 'no mechanism was called' if $result->{calls} == 0 && !$result->{lone_rows} && $result->{error} eq '';
	return $result;
}

1;
