/*
 * sparse_vector.c
 *		Suggestions as questions: how many units exceed each candidate, and the
 *		draw that reveals where about a few are left.
 */
#include "postgres.h"

#include <math.h>

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/release/silent_run.h"
#include "gate/suggestion/sparse_vector.h"
#include "mechanisms/above_threshold.h"
#include "server/report.h"

static const char *
column_of(const DpUnits *units, AttrNumber column)
{
	return psprintf(DP_UNITS_ALIAS ".%s", quote_identifier(get_attname(
											  units->relation, column, false)));
}

/* How many candidates keep a number within, in SQL. */
static char *
within(const DpCandidates *candidates, const char *number)
{
	return psprintf("width_bucket(%s%s, %s)", candidates->sign, number,
					candidates->marks);
}

DpSparseVector *
dp_sparse_vector_of_sizes(const DpUnits *units, List *group_by)
{
	DpSparseVector *vector = palloc0(sizeof(DpSparseVector));
	StringInfoData by;
	ListCell *cell;

	vector->units = units;
	vector->candidates[0] = vector->candidates[1] = dp_candidates_of_sizes();
	initStringInfo(&by);
	appendStringInfoString(&by, units->unit);
	foreach (cell, group_by)
		appendStringInfo(&by, ", %s",
						 column_of(units, (AttrNumber) lfirst_int(cell)));
	vector->statement =
		psprintf("SELECT %s, %s, count(*) FROM (SELECT max(s.n), count(*)"
				 " FROM (SELECT count(*), %s%s GROUP BY %s) AS s (n, %s)"
				 " GROUP BY %s) AS c (n, g) GROUP BY 1, 2",
				 within(&vector->candidates[0], "c.n::float8"),
				 within(&vector->candidates[1], "c.g::float8"), units->unit,
				 units->from, by.data, units->unit_names, units->unit_names);
	return vector;
}

DpSparseVector *
dp_sparse_vector_of_values(const DpUnits *units, AttrNumber column)
{
	DpSparseVector *vector = palloc0(sizeof(DpSparseVector));
	Oid type = getBaseType(get_atttype(units->relation, column));
	char *number = dp_candidates_number(type, column_of(units, column));
	bool is_row = units->unit == NULL;

	vector->units = units;
	vector->candidates[0] = dp_candidates_of_column(type, DP_SIDE_UPPER);
	vector->candidates[1] = dp_candidates_of_column(type, DP_SIDE_LOWER);
	vector->statement =
		psprintf("SELECT %s, %s, count(*)"
				 " FROM (SELECT %s(%s) AS greatest, %s(%s) AS least%s%s%s) AS v"
				 " WHERE v.greatest IS NOT NULL GROUP BY 1, 2",
				 within(&vector->candidates[0], "v.greatest"),
				 within(&vector->candidates[1], "v.least"), is_row ? "" : "max",
				 number, is_row ? "" : "min", number, units->from,
				 is_row ? "" : " GROUP BY ", is_row ? "" : units->unit);
	return vector;
}

/*
 * Adds up the rows returned: for each candidate, how many units exceed it and no
 * later one, behind the one before.
 */
static void
add_rows(DpSparseVector *vector, int walk)
{
	int count = vector->candidates[walk].count;
	uint64 i;

	for (i = 0; i < SPI_processed; i++)
	{
		TupleDesc desc = SPI_tuptable->tupdesc;
		HeapTuple row = SPI_tuptable->vals[i];
		bool isnull;
		int kept = DatumGetInt32(SPI_getbinval(row, desc, walk + 1, &isnull));
		int64 units =
			DatumGetInt64(SPI_getbinval(row, desc, DP_WALKS + 1, &isnull));

		if (kept < count)
			vector->exceeding[walk][count - kept - 1] += (uint64) units;
	}
}

static void
run(void *context)
{
	DpSparseVector *vector = context;
	int walk;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	if (SPI_execute(vector->statement, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not count privacy units");
	for (walk = 0; walk < DP_WALKS; walk++)
	{
		int i;

		add_rows(vector, walk);

		/* Who exceeds a candidate exceeds those before it. */
		for (i = vector->candidates[walk].count - 2; i >= 0; i--)
			vector->exceeding[walk][i] += vector->exceeding[walk][i + 1];
	}
	SPI_finish();
}

void
dp_sparse_vector_read(DpSparseVector *vector)
{
	int walk;

	if (vector->exceeding[0] != NULL)
		return;
	for (walk = 0; walk < DP_WALKS; walk++)
		vector->exceeding[walk] =
			palloc0(vector->candidates[walk].count * sizeof(uint64_t));
	dp_silent_run(vector->units->owner, false, run, vector);
}

const char *
dp_sparse_vector_draw(const DpSparseVector *vector, int walk, DpEpsilon epsilon,
					  double later)
{
	const DpCandidates *candidates = &vector->candidates[walk];
	size_t count = (size_t) candidates->count;
	DpAboveThreshold mechanism;
	size_t stop;

	dp_above_threshold_init(
		&mechanism, epsilon, vector->units->neighbours,
		(uint64_t) ceil(1 / later + 2 / dp_epsilon_to_double(epsilon)));
	dp_report_status(dp_above_threshold_draw(
		dp_report_random(), &mechanism, vector->exceeding[walk], count, &stop));
	return candidates->texts[Min(stop, count - 1)];
}
