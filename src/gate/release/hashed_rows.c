/*
 * hashed_rows.c
 *		Checks that public rows of one hash fit into memory.
 *
 * Most copies are small, and fit as a whole. Of others each row's hash, as the
 * server's joins compute it, and its size become a word of 64 bits; when the
 * words are sorted, rows of one hash are neighbours.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/hashjoin.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "port/pg_bitutils.h"
#include "utils/tuplesort.h"

#include "gate/release/hashed_rows.h"
#include "server/compat.h"
#include "server/settings.h"

/* How a join hashes its public rows. */
typedef struct Hashing
{
	int count;
	AttrNumber *columns;
	Oid *collations;
	FmgrInfo *functions;
	bool keeps_nulls;
} Hashing;

double
dp_hashed_rows_size(TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	return (double) (HJTUPLE_OVERHEAD + SizeofMinimalTupleHeader +
					 MAXALIGN(BITMAPLEN(slot->tts_tupleDescriptor->natts)) +
					 heap_compute_data_size(slot->tts_tupleDescriptor,
											slot->tts_values,
											slot->tts_isnull) +
					 MAXIMUM_ALIGNOF);
}

static Hashing
hashing_of(const List *hash)
{
	Hashing result = {.keeps_nulls = intVal(list_nth(hash, 4)) != 0};
	int count = list_length(lsecond(hash));
	ListCell *column;
	ListCell *function;
	ListCell *collation;

	result.columns = palloc(count * sizeof(AttrNumber));
	result.collations = palloc(count * sizeof(Oid));
	result.functions = palloc(count * sizeof(FmgrInfo));
	forthree (column, (List *) lsecond(hash), function, (List *) lthird(hash),
			  collation, (List *) lfourth(hash))
	{
		result.columns[result.count] = (AttrNumber) lfirst_int(column);
		result.collations[result.count] = lfirst_oid(collation);
		fmgr_info(lfirst_oid(function), &result.functions[result.count++]);
	}
	return result;
}

/*
 * Hashes a row as the server's executor does; false: the row is not in the
 * table.
 */
static bool
hash_row(const Hashing *hashing, TupleTableSlot *slot, uint32 *hash)
{
	int i;

	slot_getallattrs(slot);
	*hash = 0;
	for (i = 0; i < hashing->count; i++)
	{
		int column = hashing->columns[i] - 1;

		*hash = pg_rotate_left32(*hash, 1);
		if (!slot->tts_isnull[column])
			*hash ^= DatumGetUInt32(FunctionCall1Coll(
				&hashing->functions[i], hashing->collations[i],
				slot->tts_values[column]));
		else if (!hashing->keeps_nulls)
			return false;
	}
	return true;
}

static void
refuse_rows(double most)
{
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("too many public rows in a question about a "
						   "protected relation have the same key"),
					errdetail("Those of one key may take %.0f MB.",
							  most / 1024 / 1024),
					errhint("Aggregate them in a sub-query, or join them by "
							"more columns.")));
}

/* Sums up the sizes of neighbours with the same hash. */
static void
check_words(Tuplesortstate *sort, double most)
{
	Datum word;
	uint32 last = 0;
	double bytes = 0;

	tuplesort_performsort(sort);
	while (dp_compat_next_datum(sort, &word))
	{
		uint64 bits = (uint64) DatumGetInt64(word);

		CHECK_FOR_INTERRUPTS();
		if ((uint32) (bits >> 32) != last)
			bytes = 0;
		last = (uint32) (bits >> 32);
		bytes += (double) (uint32) bits;
		if (bytes > most)
			refuse_rows(most);
	}
}

static void
check_rows(Tuplestorestate *store, TupleDesc descriptor, const Hashing *hashing,
		   double most)
{
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
	Tuplesortstate *sort =
		tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
							  work_mem, NULL, TUPLESORT_NONE);
	uint32 hash;

	tuplestore_rescan(store);
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (hash_row(hashing, slot, &hash))
			tuplesort_putdatum(
				sort,
				Int64GetDatum((int64) ((uint64) hash << 32 |
									   (uint32) dp_hashed_rows_size(slot))),
				false);
	}
	check_words(sort, most);
	tuplesort_end(sort);
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(store);
}

static const DpHashedCopy *
copy_of(const List *copies, const char *name)
{
	foreach_ptr (const DpHashedCopy, copy, copies)
	{
		if (strcmp(copy->name, name) == 0)
			return copy;
	}
	elog(ERROR, "there is no copy \"%s\"", name);
}

static void
check_join(const List *hash, const List *copies, double most)
{
	const DpHashedCopy *copy = copy_of(copies, strVal(linitial(hash)));
	Hashing hashing;

	if (copy->bytes <= most)
		return;
	hashing = hashing_of(hash);
	check_rows(copy->store, copy->descriptor, &hashing, most);
}

/* How many bytes the rows of a sub-query over copies take, if all are joined. */
static double
size_of(const List *names, const List *copies)
{
	double count = 1;
	double width = 0;
	ListCell *cell;

	foreach (cell, names)
	{
		const DpHashedCopy *copy = copy_of(copies, strVal(lfirst(cell)));
		double own = (double) tuplestore_tuple_count(copy->store);

		if (own == 0)
			continue;
		count *= own;
		width += copy->bytes / own;
	}
	return count * width;
}

static void
check_subquery(const List *names, const List *copies, double most)
{
	if (size_of(names, copies) > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many public rows in a sub-query of a question "
						"about a protected relation"),
				 errdetail("Those of NOT IN, and of IN or EXISTS within OR or "
						   "an expression, may take %.0f MB.",
						   most / 1024 / 1024),
				 errhint("Write NOT EXISTS in place of NOT IN, or join the "
						 "public rows in FROM.")));
}

void
dp_hashed_rows_check(const DpHashed *hashed, const List *copies)
{
	double most = dp_setting_work_mem * 1024.0;
	ListCell *cell;

	foreach (cell, hashed->joins)
		check_join(lfirst(cell), copies, most);
	foreach (cell, hashed->subqueries)
		check_subquery(lfirst(cell), copies, most);
}
