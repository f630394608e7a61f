/*
 * row_table.c
 *		Rows in an array, and a hash table of their numbers.
 *
 * Keys are compared as by GROUP BY, so NULL equals NULL. Texts are compared
 * byte by byte, which for equality is what all collations do that are allowed.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "gate/release/row_table.h"

typedef struct Column
{
	int16 length;
	bool by_value;
	TypeCacheEntry *type; /* of keys */
} Column;

/* A place in the hash table; with the hash, so that others' rows are not read. */
typedef struct Slot
{
	uint32 row; /* + 1; 0: free */
	uint32 hash;
} Slot;

struct DpRowTable
{
	MemoryContext context;
	int keys;
	int columns;
	Column *column;
	int64 count;
	int64 room;
	Datum *values; /* row by row */
	bool *nulls;
	Slot *slots;
	uint64 slot_count; /* a power of 2, at least twice the room */
};

#define ROOM_AT_FIRST 8

DpRowTable *
dp_row_table_make(List *columns, int keys)
{
	DpRowTable *rows = palloc0(sizeof(DpRowTable));
	ListCell *cell;

	rows->context = CurrentMemoryContext;
	rows->keys = keys;
	rows->columns = list_length(columns);
	rows->column = palloc0(rows->columns * sizeof(Column));
	foreach (cell, columns)
	{
		Column *column = &rows->column[foreach_current_index(cell)];
		Oid type = exprType(lfirst(cell));

		get_typlenbyval(type, &column->length, &column->by_value);
		if (foreach_current_index(cell) < keys)
			column->type = lookup_type_cache(
				type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO |
						  TYPECACHE_CMP_PROC_FINFO);
	}
	return rows;
}

int64
dp_row_table_count(const DpRowTable *rows)
{
	return rows->count;
}

int
dp_row_table_columns(const DpRowTable *rows)
{
	return rows->columns;
}

const Datum *
dp_row_table_values(const DpRowTable *rows, int64 row)
{
	Assert(row >= 0 && row < rows->count);
	return rows->values + row * rows->columns;
}

const bool *
dp_row_table_nulls(const DpRowTable *rows, int64 row)
{
	Assert(row >= 0 && row < rows->count);
	return rows->nulls + row * rows->columns;
}

static uint32
hash_keys(const DpRowTable *rows, const Datum *keys, const bool *nulls)
{
	uint32 hash = 0;
	int i;

	for (i = 0; i < rows->keys; i++)
	{
		uint32 one = 0;

		if (!nulls[i])
			one = DatumGetUInt32(
				FunctionCall1Coll(&rows->column[i].type->hash_proc_finfo,
								  C_COLLATION_OID, keys[i]));
		hash = hash_combine(hash, one);
	}
	return hash;
}

static bool
has_keys(const DpRowTable *rows, int64 row, const Datum *keys,
		 const bool *nulls)
{
	const Datum *own = dp_row_table_values(rows, row);
	const bool *own_nulls = dp_row_table_nulls(rows, row);
	int i;

	for (i = 0; i < rows->keys; i++)
	{
		if (own_nulls[i] != nulls[i])
			return false;
		if (!nulls[i] &&
			!DatumGetBool(FunctionCall2Coll(&rows->column[i].type->eq_opr_finfo,
											C_COLLATION_OID, own[i], keys[i])))
			return false;
	}
	return true;
}

/* The slot of a row with these keys, or the free slot for one. */
static Slot *
find_slot(const DpRowTable *rows, uint32 hash, const Datum *keys,
		  const bool *nulls)
{
	uint64 place = hash;

	for (;;)
	{
		Slot *slot = &rows->slots[place & (rows->slot_count - 1)];

		if (slot->row == 0 ||
			(slot->hash == hash &&
			 has_keys(rows, (int64) slot->row - 1, keys, nulls)))
			return slot;
		place++;
	}
}

/* A free slot for a row whose keys no other has. */
static Slot *
find_free_slot(const DpRowTable *rows, uint32 hash)
{
	uint64 place = hash;

	while (rows->slots[place & (rows->slot_count - 1)].row != 0)
		place++;
	return &rows->slots[place & (rows->slot_count - 1)];
}

static void *
grow(MemoryContext context, void *array, Size size)
{
	if (array == NULL)
		return MemoryContextAllocHuge(context, size);
	return repalloc_huge(array, size);
}

static void
make_room(DpRowTable *rows)
{
	Slot *old = rows->slots;
	uint64 old_count = rows->slot_count;
	uint64 i;

	rows->room = Max(rows->room * 2, ROOM_AT_FIRST);
	if (rows->room > PG_UINT32_MAX) /* there are limits that are far below it */
		elog(ERROR, "too many rows in a table of released rows");
	rows->values = grow(rows->context, rows->values,
						rows->room * rows->columns * sizeof(Datum));
	rows->nulls = grow(rows->context, rows->nulls,
					   rows->room * rows->columns * sizeof(bool));
	rows->slot_count = rows->room * 2;
	rows->slots = MemoryContextAllocExtended(rows->context,
											 rows->slot_count * sizeof(Slot),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (i = 0; i < old_count; i++)
	{
		if (old[i].row != 0)
			*find_free_slot(rows, old[i].hash) = old[i];
	}
	if (old != NULL)
		pfree(old);
}

int64
dp_row_table_find(DpRowTable *rows, const Datum *keys, const bool *nulls)
{
	if (rows->count == 0)
		return -1;
	return (int64) find_slot(rows, hash_keys(rows, keys, nulls), keys, nulls)
			   ->row -
		   1;
}

int64
dp_row_table_add(DpRowTable *rows, const Datum *keys, const bool *nulls)
{
	uint32 hash = hash_keys(rows, keys, nulls);
	Slot *slot = rows->count == 0 ? NULL : find_slot(rows, hash, keys, nulls);
	int64 row;
	int i;

	if (slot != NULL && slot->row != 0)
		return (int64) slot->row - 1;
	if (slot == NULL || rows->count == rows->room)
	{
		make_room(rows);
		slot = find_free_slot(rows, hash);
	}
	row = rows->count++;
	for (i = 0; i < rows->columns; i++)
		dp_row_table_set(rows, row, i, i < rows->keys ? keys[i] : (Datum) 0,
						 i < rows->keys ? nulls[i] : true);
	slot->row = (uint32) row + 1;
	slot->hash = hash;
	return row;
}

void
dp_row_table_set(DpRowTable *rows, int64 row, int column, Datum value,
				 bool isnull)
{
	const Column *type = &rows->column[column];
	int64 cell = row * rows->columns + column;
	MemoryContext old = MemoryContextSwitchTo(rows->context);

	Assert(row >= 0 && row < rows->count && column < rows->columns);
	rows->nulls[cell] = isnull;
	rows->values[cell] =
		isnull ? (Datum) 0 : datumCopy(value, type->by_value, type->length);
	MemoryContextSwitchTo(old);
}

void
dp_row_table_clear(DpRowTable *rows, int column)
{
	int64 row;

	for (row = 0; row < rows->count; row++)
		dp_row_table_set(rows, row, column, (Datum) 0, true);
}

static int
compare_keys(const void *a, const void *b, void *context)
{
	const DpRowTable *rows = context;
	const Datum *left = dp_row_table_values(rows, *(const int64 *) a);
	const Datum *right = dp_row_table_values(rows, *(const int64 *) b);
	const bool *left_nulls = dp_row_table_nulls(rows, *(const int64 *) a);
	const bool *right_nulls = dp_row_table_nulls(rows, *(const int64 *) b);
	int i;

	for (i = 0; i < rows->keys; i++)
	{
		int result;

		if (left_nulls[i] || right_nulls[i])
			result = (int) left_nulls[i] - (int) right_nulls[i];
		else
			result = DatumGetInt32(
				FunctionCall2Coll(&rows->column[i].type->cmp_proc_finfo,
								  C_COLLATION_OID, left[i], right[i]));
		if (result != 0)
			return result;
	}
	return 0;
}

int64 *
dp_row_table_order(const DpRowTable *rows)
{
	int64 *order = MemoryContextAllocHuge(CurrentMemoryContext,
										  Max(rows->count, 1) * sizeof(int64));
	int64 row;

	for (row = 0; row < rows->count; row++)
		order[row] = row;
	qsort_arg(order, rows->count, sizeof(int64), compare_keys, (void *) rows);
	return order;
}
