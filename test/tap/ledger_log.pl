# What the server logs of charges, refusals, errors and crashes, however loud
# it was made, quotes no stored answer and no protected value; and the ledger
# worker nothing of a question, its fingerprint included. The analysts' own
# statements are logged where the server is told to, as all statements are.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use LedgerSteps;

my $node = LedgerSteps->new('log', <<'EOF');
shared_preload_libraries = 'auto_explain, dp_noise'
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_verbose = on
auto_explain.log_settings = on
auto_explain.log_triggers = on
auto_explain.log_nested_statements = on
log_line_prefix = '%b|%p|'
log_min_messages = debug5
log_min_error_statement = debug5
log_error_verbosity = verbose
log_statement = all
log_duration = on
log_parameter_max_length_on_error = -1
log_lock_waits = on
log_statement_stats = on
log_temp_files = 0
log_autovacuum_min_duration = 0
autovacuum_naptime = 1s
deadlock_timeout = 10ms
debug_print_parse = on
debug_print_rewritten = on
debug_print_plan = on
debug_pretty_print = off
restart_after_crash = on
EOF
my $started = -s $node->logfile;
my ($out, $err);

# Rows, a question and the answer of a charge by hand, which stand out.
my ($value, $word, $constant, $by_hand, $asked) = (753197531, 'canary7531', 86420864, '5ecre7an5wer', '5ecre7que57ion');

$node->safe_psql('postgres', <<"EOS");
SET log_min_error_statement = panic; SET log_statement = none; SET log_min_messages = log; SET debug_print_parse = off; SET debug_print_rewritten = off; SET debug_print_plan = off; SET auto_explain.log_min_duration = -1; SET log_duration = off;
CREATE TABLE patients (id int PRIMARY KEY, age bigint, name text);
INSERT INTO patients SELECT i, $value, '$word' FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('patients', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_budget('dp_ann', 'patients', 100, max_epsilon_per_query => 1);
SELECT dp_noise.set_budget('dp_bob', 'patients', 0.002);
SELECT dp_noise.alter_population('people', on_repeat => 'replay'), dp_noise.set_budget('dp_ann', 'people', 100);
EOS

# Noise of so many digits that no other number in the log is the same.
my @questions = map { "SELECT dp_sum(age, 0, 1000000000000000, 0.001) FROM patients WHERE age <> $constant AND id > $_" } 1 .. 7;
my @answers;
my $said = ''; # all that analysts were told

sub ask
{
	my ($role, $sql) = @_;

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role ]);
	push @answers, $out =~ /^(-?\d{12,})$/mg;
	$said .= $err;
	return $out;
}

# charges, replays, refusals
my $first = ask('dp_ann', $questions[0]);
like($first, qr/^-?\d{12,}$/, 'a charge');
is(ask('dp_ann', $questions[0]), $first, 'a replay');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'refuse')});
ask('dp_bob', $questions[0]);
ask('dp_bob', $questions[0]);
like($err, qr/answered before/, 'a question refused because it is repeated');
$node->safe_psql('postgres', q{SELECT dp_noise.alter_population('patients', on_repeat => 'replay')});
ask('dp_bob', $questions[1]);
ask('dp_bob', $questions[2]);
like($err, qr/insufficient privacy budget/, 'a question refused for want of budget');
ask('dp_ann', "SELECT dp_noise.charge('people', 1, 0, '$asked', '$by_hand')");
ask('dp_ann', "SELECT dp_noise.charge('people', 1, 0, '$asked', '$by_hand')");
like($out, qr/^\(t,/, 'a replay by hand');
ask('dp_ann', "SELECT dp_noise.charge('people', 1000, 0, '${asked}2', '$by_hand')");
like($err, qr/insufficient privacy budget/, 'a refusal by hand');
ask('dp_ann', "SELECT dp_noise.charge('seq', 1, 0, '$asked', '$by_hand')");

# a worker that waits for a lock, in vain
my $holder = $node->session($node->safe_psql('postgres', 'SELECT current_user'));
$holder->{in} .= "BEGIN; LOCK TABLE dp_noise_ledger.answer; SELECT 'held';\n";
IPC::Run::pump $holder->{run} until $holder->{out} =~ /held/;
ask('dp_ann', $questions[3]);
like($err, qr/locked/, 'a charge that waits for a lock');
ask('dp_ann', "SELECT dp_noise.charge('people', 1, 0, '${asked}3', '$by_hand')");
$holder->{in} .= "ROLLBACK;\n\\q\n";
IPC::Run::finish $holder->{run};

# errors within the worker, of the kinds that quote rows
foreach my $change (
	'ALTER TABLE dp_noise_ledger.answer ADD CONSTRAINT odd CHECK (answer IS NULL) NOT VALID',
	'ALTER TABLE dp_noise_ledger.charge ADD CONSTRAINT odd CHECK (fingerprint IS NULL) NOT VALID')
{
	(my $undo = $change) =~ s/ADD CONSTRAINT odd.*/DROP CONSTRAINT odd/;
	$node->safe_psql('postgres', $change);
	ask('dp_ann', $questions[4]);
	like($err, qr/could not (charge the privacy budget|store the answer of a question that is charged)/, 'an error within the ledger worker');
	ask('dp_ann', "SELECT dp_noise.charge('people', 1, 0, '${asked}4', '$by_hand')");
	$node->safe_psql('postgres', $undo);
}

# crashes, with a charge in hand: one that is lost, one that has come to the disk
foreach my $step ('ledger-written', 'reply-durable')
{
	my $session = $node->session('dp_ann');
	my $starts = () = slurp_file($node->logfile) =~ /database system is ready to accept connections/g;

	$node->stop_at($step);
	$session->{in} .= "$questions[5];\n";
	IPC::Run::pump_nb $session->{run};
	my $pid = $node->reached($step);
	cmp_ok($pid, '>', 0, "a crash at $step");
	kill 'KILL', $pid;
	while ((() = slurp_file($node->logfile) =~ /database system is ready to accept connections/g) == $starts) { usleep(50_000); }
	$node->pass($step);
	eval { IPC::Run::kill_kill $session->{run} };
	$said .= $session->{err};
}
ask('dp_ann', $questions[5]);
like($err, qr/was asked before, and has no stored answer/, 'what was charged in a crash is refused');
like(ask('dp_ann', $questions[6]), qr/^-?\d{12,}$/, 'a charge after the crashes');
my @prints = split /\n/, $node->safe_psql('postgres', 'SET log_statement = none; SELECT DISTINCT encode(fingerprint, $$hex$$) FROM dp_noise.ledger');
$node->stop;

# How a text looks in a log: as it is, in hex, or byte by byte.
sub looks
{
	my ($bytes) = @_;

	return map { quotemeta } $bytes, unpack('H*', $bytes), join(' ', unpack 'c*', $bytes);
}

sub any_of { my $all = join '|', @_; return qr/$all/i; }

my $log = slurp_file($node->logfile, $started);
my @entries = split /^(?=[a-z][a-z_ ]*\|\d+\|)/m, $log;
my $worker = join '', grep { /^dp_noise ledger worker\|/ } @entries;

note(length($log) . ' bytes of log, ' . length($worker) . ' of the ledger worker; ' . @answers . ' answers, ' . @prints . ' fingerprints');
cmp_ok(length($worker), '>', 10_000, 'the ledger worker was made to talk');
like($log, qr/answered before/, 'refusals are logged');
like($log, qr/was terminated by signal 9/, 'and crashes');
cmp_ok(scalar(@answers), '>=', 4, 'there are answers to look for');
cmp_ok(scalar(@prints), '>=', 4, 'and fingerprints');

my $secret = any_of(map { looks(substr $_, 0, 12) } @answers);
my $data = any_of(looks($word), $value);
my $question = any_of(map({ looks(pack 'H*', $_) } @prints),
	looks($by_hand), looks($asked), $constant, join(' ', unpack 'c*', pack 'l<', $constant), 'dp_sum.*patients');

foreach ([ 'stored answers', $secret ], [ 'protected values', $data ])
{
	my ($what, $pattern) = @$_;
	my @found = grep { /$pattern/ } @entries;

	is(scalar(@found), 0, "the log quotes no $what") or diag substr($found[0], 0, 2000);
	unlike($said, $pattern, "nor do messages to analysts quote $what");
}
unlike($said, any_of(looks($by_hand)), 'nor an answer that was given by hand');
my @found = grep { /$question/ } grep { /^dp_noise ledger worker\|/ } @entries;
is(scalar(@found), 0, 'the ledger worker tells nothing of questions, nor of answers that are given to it') or diag substr($found[0], 0, 2000);

done_testing();
