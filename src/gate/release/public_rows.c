/*
 * public_rows.c
 *		What is checked of public rows while they are copied.
 *
 * The key of each row becomes a word of 64 bits: an integer as it is, or else a
 * hash with a random seed. When the words are sorted, equal ones are neighbours.
 * That takes some 60 ms for a million rows in the order of their key, and 180 ms
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

#include "expressions/guards.h"
#include "gate/release/public_rows.h"
#include "server/compat.h"
#include "server/report.h"

struct DpPublicRowsCheck
{
	TupleDesc descriptor;
	const List *key;
	FmgrInfo **hashes;		/* of the key's columns, extended */
	uint64 seed;			/* of these hashes */
	Tuplesortstate *sorted; /* words of the keys */
};

static Tuplesortstate *
begin_words(void)
{
	return tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
								 work_mem, NULL, TUPLESORT_NONE);
}

/* The following functions are about keys. */

static uint64
draw_seed(void)
{
	DpRandom *random = dp_report_random();
	uint64 seed = 0;
	DP_RECORD_PLAIN(random);

	dp_report_status(dp_random_word(random, &seed));
	return seed;
}

static Oid
type_of(const DpPublicRowsCheck *rows, int column)
{
	return getBaseType(TupleDescAttr(rows->descriptor, column - 1)->atttypid);
}

DpPublicRowsCheck *
dp_public_rows_begin(const List *key, TupleDesc descriptor)
{
	DpPublicRowsCheck *rows = palloc0(sizeof(DpPublicRowsCheck));
	ListCell *cell;

	rows->descriptor = descriptor;
	rows->key = key;
	if (key == NIL)
		return rows;
	rows->hashes = palloc(list_length(key) * sizeof(FmgrInfo *));
	foreach (cell, key)
	{
		Oid type = type_of(rows, lfirst_int(cell));
		FmgrInfo *hash =
			&lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC_FINFO)
				 ->hash_extended_proc_finfo;

		if (!OidIsValid(hash->fn_oid))
			elog(ERROR, "values of type %u cannot be hashed", type);
		rows->hashes[foreach_current_index(cell)] = hash;
	}
	rows->seed = draw_seed();
	rows->sorted = begin_words();
	return rows;
}

/* The word of a value; a key of one integer is told apart by itself. */
static int64
word_of(const DpPublicRowsCheck *rows, int index, Datum value)
{
	switch (list_length(rows->key) > 1 ? InvalidOid
									   : type_of(rows, linitial_int(rows->key)))
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return DatumGetInt64(value);
		default:
			return (int64) DatumGetUInt64(
				FunctionCall2Coll(rows->hashes[index], C_COLLATION_OID, value,
								  UInt64GetDatum(rows->seed + (uint64) index)));
	}
}

static void
add_key(DpPublicRowsCheck *rows, const TupleTableSlot *slot)
{
	int64 word = 0;
	ListCell *cell;

	foreach (cell, rows->key)
	{
		int index = foreach_current_index(cell);
		int column = lfirst_int(cell) - 1;
		int64 own;

		if (slot->tts_isnull[column])
			return;
		own = word_of(rows, index, slot->tts_values[column]);
		word = index == 0 ? own
						  : (int64) hash_combine64((uint64) word, (uint64) own);
	}
	tuplesort_putdatum(rows->sorted, Int64GetDatum(word), false);
}

void
dp_public_rows_end(DpPublicRowsCheck *rows, const char *name)
{
	Datum word;
	int64 last = 0;
	bool is_first = true;

	tuplesort_performsort(rows->sorted);
	while (dp_compat_next_datum(rows->sorted, &word))
	{
		if (!is_first && DatumGetInt64(word) == last)
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of \"%s\" have the same key, which is to be "
						"unique",
						name),
				 errdetail("A row of the protected relation would be joined "
						   "to several of them."),
				 errhint("Ask again in a new transaction; if that does not "
						 "help, rebuild the table's unique index.")));
		last = DatumGetInt64(word);
		is_first = false;
	}
	tuplesort_end(rows->sorted);
}

/* The following functions are about lengths. */

static void
check_lengths(const TupleTableSlot *slot)
{
	int i;

	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		if (!slot->tts_isnull[i] &&
			TupleDescAttr(slot->tts_tupleDescriptor, i)->attlen == -1 &&
			dp_guard_size(slot->tts_values[i]) > DP_GUARD_VALUE)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a public value in a question about a protected "
							"relation is too long"),
					 errdetail("It may have %d MB.",
							   (int) (DP_GUARD_VALUE / 1024 / 1024)),
					 errhint("Read a part of it, such as left(x, 1000), in a "
							 "sub-query.")));
	}
}

void
dp_public_rows_add(DpPublicRowsCheck *rows, TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	check_lengths(slot);
	if (rows->key != NIL)
		add_key(rows, slot);
}
