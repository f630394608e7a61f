# Options of EXPLAIN that other modules add (pg_overexplain from PostgreSQL 18 on,
# pg_plan_advice from 19 on) show nothing of the plan beneath a release: databases
# that differ in their protected rows look the same. Advice that an analyst gives does
# not reach that plan. Modules that the server does not have are left out.

use strict;
use warnings;

use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

my $libraries = qx(pg_config --pkglibdir);
chomp $libraries;
my %has = map { $_ => -e "$libraries/$_.so" } qw(pg_overexplain pg_plan_advice);
my @modules = grep { $has{$_} } sort keys %has;
plan skip_all => 'the server has no module that adds an option to EXPLAIN' if !@modules;

my $preloaded = join ', ', @modules, qw(pg_stat_statements auto_explain dp_noise);
my $pair = Neighbours->new('explain_options', settings => "shared_preload_libraries = '$preloaded'\n");
my $node = $pair->node;
my @questions = @Neighbours::questions;

sub look_alike { return $pair->look_alike(@_) }

# What somebody is shown who may read the rows.
sub plan_advice
{
	my ($database) = @_;

	return $node->safe_psql($database, 'EXPLAIN (PLAN_ADVICE, COSTS off) SELECT sum(bmi) FROM patients WHERE id > 5000');
}

# Each question with these options, in each format, prepared, and run.
sub test_options
{
	my ($options, $before, $name) = @_;
	my $prepared = join '', map { "PREPARE q AS SELECT $_;\nEXPLAIN ($options) EXECUTE q;\nDEALLOCATE q;\n" } @questions;
	my $all = '';

	foreach my $format (qw(text json))
	{
		($_) = look_alike($before . Neighbours::asked("EXPLAIN ($options, VERBOSE, FORMAT $format) "), "$name, $format");
		$all .= $_;
	}
	($_) = look_alike($before . $prepared, "$name, prepared");
	$all .= $_;
	($_) = look_alike($before . Neighbours::asked("EXPLAIN ($options, ANALYZE, TIMING off, SUMMARY off, BUFFERS off) "), "$name, run");
	return $all . $_;
}

SKIP:
{
	skip 'no pg_overexplain', 1 if !$has{pg_overexplain};
	my $out = test_options('DEBUG, RANGE_TABLE', '', 'pg_overexplain');

	like($out, qr/Range Table|RTI 1/i, 'range tables are shown');
}

SKIP:
{
	skip 'no pg_plan_advice', 1 if !$has{pg_plan_advice};
	my $beneath = qr/SCAN\([^)]*(patients|visits|calls|ages)|(JOIN_ORDER|HASH_JOIN|MERGE_JOIN\w*|NESTED_LOOP\w*)\(/;
	my $advice = <<'EOS';
SET client_min_messages = warning;
SET pg_plan_advice.feedback_warnings = on;
SET pg_plan_advice.trace_mask = on;
SET pg_plan_advice.always_store_advice_details = on;
SET pg_plan_advice.advice = 'SEQ_SCAN(patients visits calls) INDEX_SCAN(patients patients_age_idx) HASH_JOIN(ages) JOIN_ORDER(patients ages)';
EOS

	like(plan_advice('near'), $beneath, 'who may read rows is shown advice');
	isnt(plan_advice('near'), plan_advice('far'), 'which depends on the rows');
	unlike(test_options('PLAN_ADVICE', '', 'PLAN_ADVICE'), $beneath, 'nothing of the plan beneath');
	my $out = test_options('PLAN_ADVICE', $advice, 'PLAN_ADVICE, with advice');

	like($out, qr/not matched/, 'advice is read');
	$out =~ s{\w+\([^)]*\) /\* not matched \*/}{}g;
	unlike($out, qr/matched/, 'it matches nothing beneath');
	unlike($out, $beneath, 'of which nothing is shown');
	look_alike("$advice$Neighbours::loud" . Neighbours::asked(''), 'answers, with advice');
}

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no crash');
$node->stop;
done_testing();
