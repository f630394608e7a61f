/*
 * unique_rows.c
 *		Makes sure that no two rows have the same key.
 *
 * Keys become words of 64 bits: integers as they are, others by a hash with a
 * random seed. When the words are sorted, equal ones are neighbours. That
 * takes some 60 ms for a million rows in the order of their key, and 180 ms
 * for others.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "gate/release/unique_rows.h"
#include "server/compat.h"
#include "server/report.h"

typedef struct Column
{
	int index;
	Oid type;		/* of the values; a domain's base type */
	FmgrInfo *hash; /* extended */
} Column;

struct DpUniqueRows
{
	int count;
	Column *columns;
	uint64 seed;
	Tuplesortstate *sort;
};

static uint64
draw_seed(void)
{
	DpRandom *random = dp_report_random();
	uint64 seed = 0;
	DP_RECORD_PLAIN(random);

	dp_report_status(dp_random_word(random, &seed));
	return seed;
}

DpUniqueRows *
dp_unique_rows_begin(List *columns, TupleDesc descriptor)
{
	DpUniqueRows *rows = palloc0(sizeof(DpUniqueRows));
	ListCell *cell;

	rows->columns = palloc0(list_length(columns) * sizeof(Column));
	foreach (cell, columns)
	{
		Column *column = &rows->columns[rows->count++];

		column->index = lfirst_int(cell) - 1;
		column->type =
			getBaseType(TupleDescAttr(descriptor, column->index)->atttypid);
		column->hash =
			&lookup_type_cache(column->type, TYPECACHE_HASH_EXTENDED_PROC_FINFO)
				 ->hash_extended_proc_finfo;
		if (!OidIsValid(column->hash->fn_oid))
			elog(ERROR, "values of type %u cannot be hashed", column->type);
	}
	rows->seed = draw_seed();
	rows->sort = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid,
									   false, work_mem, NULL, TUPLESORT_NONE);
	return rows;
}

/* A key of one integer is told apart by itself. */
static bool
is_integer(const DpUniqueRows *rows, Datum value, int64 *word)
{
	if (rows->count > 1)
		return false;
	switch (rows->columns[0].type)
	{
		case INT2OID:
			*word = DatumGetInt16(value);
			return true;
		case INT4OID:
			*word = DatumGetInt32(value);
			return true;
		case INT8OID:
			*word = DatumGetInt64(value);
			return true;
		default:
			return false;
	}
}

void
dp_unique_rows_add(DpUniqueRows *rows, TupleTableSlot *slot)
{
	uint64 hash = 0;
	int64 word;
	int i;

	slot_getallattrs(slot);
	for (i = 0; i < rows->count; i++)
	{
		if (slot->tts_isnull[rows->columns[i].index])
			return;
	}
	if (!is_integer(rows, slot->tts_values[rows->columns[0].index], &word))
	{
		for (i = 0; i < rows->count; i++)
		{
			const Column *column = &rows->columns[i];

			hash = hash_combine64(
				hash, DatumGetUInt64(FunctionCall2Coll(
						  column->hash, C_COLLATION_OID,
						  slot->tts_values[column->index],
						  UInt64GetDatum(rows->seed + (uint64) i))));
		}
		word = (int64) hash;
	}
	tuplesort_putdatum(rows->sort, Int64GetDatum(word), false);
}

static void
refuse_duplicate(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of \"%s\" have the same key, which is to be unique",
					name),
			 errdetail("A row of the protected relation would be joined to "
					   "several of them."),
			 errhint("Ask again in a new transaction; if that does not help, "
					 "rebuild the table's unique index.")));
}

void
dp_unique_rows_end(DpUniqueRows *rows, const char *name)
{
	Datum word;
	int64 last = 0;
	bool is_first = true;

	tuplesort_performsort(rows->sort);
	while (dp_compat_next_datum(rows->sort, &word))
	{
		if (!is_first && DatumGetInt64(word) == last)
			refuse_duplicate(name);
		last = DatumGetInt64(word);
		is_first = false;
	}
	tuplesort_end(rows->sort);
	pfree(rows->columns);
	pfree(rows);
}
