/*
 * unit_counts.c
 *		How many units exceed each candidate.
 *
 * The server finds for each unit the candidates that it does not exceed, and
 * returns one row for each pair of candidates that occurs.
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/relations/rights.h"
#include "gate/relations/silence.h"
#include "gate/suggestion/unit_counts.h"

static const char *
column_of(const DpUnits *units, AttrNumber column)
{
	return psprintf(DP_UNITS_ALIAS ".%s", quote_identifier(get_attname(
											  units->relation, column, false)));
}

char *
dp_unit_counts_sql_of_sizes(const DpUnits *units, List *group_by,
							const char *marks)
{
	StringInfoData by;
	ListCell *cell;

	initStringInfo(&by);
	appendStringInfoString(&by, units->unit);
	foreach (cell, group_by)
		appendStringInfo(&by, ", %s", column_of(units, lfirst_int(cell)));
	return psprintf("SELECT width_bucket(-c.n::float8, '%s'::float8[]),"
					" width_bucket(-c.g::float8, '%s'::float8[]), count(*)"
					" FROM (SELECT max(s.n), count(*)"
					" FROM (SELECT count(*), %s%s GROUP BY %s) AS s (n, %s)"
					" GROUP BY %s) AS c (n, g) GROUP BY 1, 2",
					marks, marks, units->unit, units->from, by.data,
					units->unit_names, units->unit_names);
}

char *
dp_unit_counts_sql_of_values(const DpUnits *units, AttrNumber column,
							 const DpCandidates *upper,
							 const DpCandidates *lower)
{
	Oid type = getBaseType(get_atttype(units->relation, column));
	const char *marks = dp_candidates_type(type);
	const char *value =
		psprintf("(%s)", psprintf(dp_candidates_expression(type),
								  column_of(units, column)));
	bool is_row = units->unit == NULL;

	return psprintf("SELECT width_bucket(-v.greatest, '%s'::%s[]),"
					" width_bucket(v.least, '%s'::%s[]), count(*)"
					" FROM (SELECT %s%s AS greatest, %s%s AS least%s%s%s) AS v"
					" WHERE v.greatest IS NOT NULL GROUP BY 1, 2",
					upper->marks, marks, lower->marks, marks,
					is_row ? "" : "max", value, is_row ? "" : "min", value,
					units->from, is_row ? "" : " GROUP BY ",
					is_row ? "" : units->unit);
}

/*
 * Adds the rows returned: for each walk, how many units exceed so many
 * candidates.
 */
static void
add_rows(const DpCandidates *const walks[DP_WALKS], DpUnitCounts *counts)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	uint64 i;
	int walk;

	for (i = 0; i < SPI_processed; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		bool isnull;
		int64 number =
			DatumGetInt64(SPI_getbinval(row, desc, DP_WALKS + 1, &isnull));

		for (walk = 0; walk < DP_WALKS; walk++)
		{
			int within =
				DatumGetInt32(SPI_getbinval(row, desc, walk + 1, &isnull));

			counts->exceeding[walk][walks[walk]->count - within] +=
				(uint64) number;
		}
	}
}

static void
run(const char *sql, const DpCandidates *const walks[DP_WALKS],
	DpUnitCounts *counts)
{
	int walk;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not count privacy units");
	add_rows(walks, counts);
	SPI_finish();

	/*
	 * From the units that exceed exactly i candidates to those that exceed
	 * each candidate.
	 */
	for (walk = 0; walk < DP_WALKS; walk++)
	{
		uint64 *exceeding = counts->exceeding[walk];
		uint64 above = 0;
		int i;

		for (i = walks[walk]->count; i >= 0; i--)
		{
			uint64 exactly = exceeding[i];

			exceeding[i] = above;
			above += exactly;
		}
	}
}

void
dp_unit_counts_read(const DpUnits *units, const char *sql,
					const DpCandidates *const walks[DP_WALKS],
					DpUnitCounts *counts)
{
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	DpRights rights;
	DpSilence silence;
	int walk;

	for (walk = 0; walk < DP_WALKS; walk++)
		counts->exceeding[walk] =
			palloc0((walks[walk]->count + 1) * sizeof(uint64));
	dp_gate_keep_errors(&silence);
	dp_gate_begin_rights(&rights, units->owner);
	PG_TRY();
	{
		(void) dp_gate_begin_silence(); /* ends with the rights */
		run(sql, walks, counts);
	}
	PG_CATCH();
	{
		dp_gate_end_rights(&rights);
		pgBufferUsage = buffers;
		pgWalUsage = wal;
		dp_gate_raise_silently(&silence, false);
	}
	PG_END_TRY();
	dp_gate_let_errors(&silence);
	dp_gate_end_rights(&rights);
	pgBufferUsage = buffers;
	pgWalUsage = wal;
}
