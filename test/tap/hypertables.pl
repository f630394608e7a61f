# Hypertables of TimescaleDB, where the server has it: the right answers, whichever library
# is preloaded first; and once dp_noise.harden() has run, no sizes or numbers of rows.

use strict;
use warnings;

use Test::More;

use LedgerCluster;

chomp(my $shared = `pg_config --sharedir`);
plan skip_all => 'the server has no TimescaleDB' if !-e "$shared/extension/timescaledb.control";

foreach my $order ('timescaledb, dp_noise', 'dp_noise, timescaledb')
{
	my $node = LedgerCluster->new('hyper' . ($order =~ /^t/ ? '_first' : '_second'), "fsync = off\nshared_preload_libraries = '$order'\ntimescaledb.telemetry_level = off\n");
	my $as_ann = sub {
		my ($out, $err) = ('', '');
		$node->psql('postgres', "SET dp_noise.epsilon = 100000; SET dp_noise.delta = 1e-6; SET dp_noise.max_groups_per_unit = 50; SET client_min_messages = error; $_[0]", stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', 'dp_ann' ]);
		return $out . $err;
	};

	$node->safe_psql('postgres', 'CREATE EXTENSION timescaledb');
	foreach my $table ('before', 'after')
	{
		my @steps = ("SELECT dp_noise.protect('$table', 'person', max_rows_per_unit => 100, epsilon => 1e9, delta => 1), dp_noise.alter_population('$table', on_repeat => 'answer'), dp_noise.set_budget('dp_ann', '$table', 1e9, delta => 1)", "SELECT create_hypertable('$table', 'at', chunk_time_interval => interval '7 days', migrate_data => true)");

		$node->safe_psql('postgres', "SET client_min_messages = error; CREATE TABLE $table (person integer NOT NULL, at timestamptz NOT NULL, v integer)");
		$node->safe_psql('postgres', "INSERT INTO $table SELECT i % 1000 + 1, timestamptz '2026-01-01' + i * interval '10 minutes', i % 100 FROM generate_series(1, 20000) AS i");
		$node->safe_psql('postgres', "SET client_min_messages = error; $_") foreach $table eq 'before' ? @steps : reverse @steps;
		foreach my $rest ('', q{WHERE at >= '2026-02-01' AND at < '2026-02-10'}, 'WHERE v < 50 AND person <> 3')
		{
			is($as_ann->("SELECT dp_count(*), dp_sum(v, 0, 100) FROM $table $rest"), $node->safe_psql('postgres', "SELECT count(*), sum(v) FROM $table $rest"), "$order: protected $table it became one: $rest");
		}
		is($as_ann->("SELECT date_trunc('month', at, 'UTC') AS month, dp_count(*) FROM $table GROUP BY 1 ORDER BY 1"), $node->safe_psql('postgres', "SELECT date_trunc('month', at, 'UTC') AS month, count(*) FROM $table GROUP BY 1 ORDER BY 1"), 'by a key of time');
		like($as_ann->("SELECT v FROM $table"), qr/ERROR/, 'rows are kept back');
	}
	my ($chunk) = split /\n/, $node->safe_psql('postgres', q{SELECT show_chunks('before')});
	like($as_ann->("SELECT count(*) FROM $chunk"), qr/permission denied for table/, 'and those of a chunk');
	$node->safe_psql('postgres', 'SELECT dp_noise.harden()');
	like($as_ann->("SELECT $_"), qr/permission denied/, $_)
	  foreach "approximate_row_count('before')", "* FROM hypertable_size('before')", "* FROM hypertable_detailed_size('before')", "* FROM chunks_detailed_size('before')", '* FROM _timescaledb_catalog.compression_chunk_size', '* FROM _timescaledb_catalog.chunk_column_stats',
	  '* FROM _timescaledb_internal.hypertable_chunk_local_size';
	is($as_ann->('SELECT dp_count(*) FROM after'), '20000', 'questions are answered after it');
	$node->stop;
}

done_testing();
