/*
 * public_rows.c
 *		What is checked of public rows while they are copied.
 *
 * For keys and for hash tables each row becomes a word of 64 bits; when the
 * words are sorted, rows that belong together are neighbours. The word of a key
 * is an integer as it is, or else a hash with a random seed. That takes some 60
 * ms for a million rows in the order of their key, and 180 ms for others. The
 * word of a hash table is the row's hash, as the server's joins compute it, and
 * its size; most copies are small, and fit as a whole.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/hashjoin.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "expressions/guards.h"
#include "gate/release/public_rows.h"
#include "server/compat.h"
#include "server/report.h"
#include "server/settings.h"

struct DpPublicRows
{
	const char *name;
	Tuplestorestate *store;
	TupleDesc descriptor;
	double bytes; /* that all rows take in a hash table, at most */
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
type_of(const DpPublicRows *rows, int column)
{
	return getBaseType(TupleDescAttr(rows->descriptor, column - 1)->atttypid);
}

DpPublicRows *
dp_public_rows_begin(const char *name, Tuplestorestate *store,
					 TupleDesc descriptor, const List *key)
{
	DpPublicRows *rows = palloc0(sizeof(DpPublicRows));
	ListCell *cell;

	rows->name = name;
	rows->store = store;
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
word_of(const DpPublicRows *rows, int index, Datum value)
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
add_key(DpPublicRows *rows, const TupleTableSlot *slot)
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
dp_public_rows_end(DpPublicRows *rows, const char *name)
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

/* The following functions are about lengths and sizes. */

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

/* How many bytes a row takes in a hash table, at most. */
static double
size_of(TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	return (double) (HJTUPLE_OVERHEAD + SizeofMinimalTupleHeader +
					 MAXALIGN(BITMAPLEN(slot->tts_tupleDescriptor->natts)) +
					 heap_compute_data_size(slot->tts_tupleDescriptor,
											slot->tts_values,
											slot->tts_isnull) +
					 MAXIMUM_ALIGNOF);
}

void
dp_public_rows_add(DpPublicRows *rows, TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	check_lengths(slot);
	rows->bytes += size_of(slot);
	if (rows->key != NIL)
		add_key(rows, slot);
}

/* The following functions are about hash tables. */

/* How a join hashes its public rows. */
typedef struct Hashing
{
	int count;
	AttrNumber *columns;
	Oid *collations;
	FmgrInfo *functions;
	bool keeps_nulls;
} Hashing;

static Hashing
hashing_of(const List *hash)
{
	Hashing result = {.keeps_nulls = intVal(llast(hash)) != 0};
	ListCell *column;
	ListCell *operator;
	ListCell *collation;
	Size count = (Size) list_length(lsecond(hash));

	result.columns = palloc(count * sizeof(AttrNumber));
	result.collations = palloc(count * sizeof(Oid));
	result.functions = palloc(count * sizeof(FmgrInfo));
	forthree (column, (List *) lsecond(hash), operator,(List *) lthird(hash),
			  collation, (List *) lfourth(hash))
	{
		Oid left;
		Oid right;

		if (!get_op_hash_functions(lfirst_oid(operator), &left, &right))
			elog(ERROR, "operator %u has no hash functions",
				 lfirst_oid(operator));
		result.columns[result.count] = (AttrNumber) lfirst_int(column);
		result.collations[result.count] = lfirst_oid(collation);
		fmgr_info(right, &result.functions[result.count++]);
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

/* Sums up the sizes of neighbours with the same hash. */
static void
check_words(Tuplesortstate *sorted, double most)
{
	Datum word;
	uint32 last = 0;
	double bytes = 0;

	tuplesort_performsort(sorted);
	while (dp_compat_next_datum(sorted, &word))
	{
		uint64 bits = (uint64) DatumGetInt64(word);

		CHECK_FOR_INTERRUPTS();
		if ((uint32) (bits >> 32) != last)
			bytes = 0;
		last = (uint32) (bits >> 32);
		bytes += (double) (uint32) bits;
		if (bytes > most)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many public rows in a question about a "
							"protected relation have the same key"),
					 errdetail("Those of one key may take %.0f MB.",
							   most / 1024 / 1024),
					 errhint("Aggregate them in a sub-query, or join them by "
							 "more columns.")));
	}
}

static const DpPublicRows *
copy_of(const List *copies, const char *name)
{
	foreach_ptr (const DpPublicRows, copy, copies)
	{
		if (strcmp(copy->name, name) == 0)
			return copy;
	}
	elog(ERROR, "there is no copy \"%s\"", name);
}

static void
check_join(const List *hash, const List *copies, double most)
{
	const DpPublicRows *rows = copy_of(copies, strVal(linitial(hash)));
	TupleTableSlot *slot;
	Tuplesortstate *sorted;
	Hashing hashing;
	uint32 value;

	if (rows->bytes <= most)
		return;
	hashing = hashing_of(hash);
	slot = MakeSingleTupleTableSlot(rows->descriptor, &TTSOpsMinimalTuple);
	sorted = begin_words();
	tuplestore_rescan(rows->store);
	while (tuplestore_gettupleslot(rows->store, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (hash_row(&hashing, slot, &value))
			tuplesort_putdatum(sorted,
							   Int64GetDatum((int64) ((uint64) value << 32 |
													  (uint32) size_of(slot))),
							   false);
	}
	check_words(sorted, most);
	tuplesort_end(sorted);
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(rows->store);
}

/* How many bytes the rows of a sub-query over copies take, if all are joined. */
static double
size_of_subquery(const List *names, const List *copies)
{
	double count = 1;
	double width = 0;
	ListCell *cell;

	foreach (cell, names)
	{
		const DpPublicRows *copy = copy_of(copies, strVal(lfirst(cell)));
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
	if (size_of_subquery(names, copies) > most)
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
dp_public_rows_check(const DpHashed *hashed, const List *copies)
{
	double most = dp_setting_work_mem * 1024.0;
	ListCell *cell;

	foreach (cell, hashed->joins)
		check_join(lfirst(cell), copies, most);
	foreach (cell, hashed->subqueries)
		check_subquery(lfirst(cell), copies, most);
}
