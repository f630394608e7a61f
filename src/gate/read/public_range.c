/*
 * public_range.c
 *		Between which bounds the values lie that public rows decide.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/public_values.h"
#include "gate/read/public_range.h"
#include "gate/read/public_run.h"
#include "server/ordered_type.h"

/* Finds the least and the greatest value of a query's only column. */
typedef struct EndsReceiver
{
	DestReceiver pub;
	Oid type;
	FmgrInfo *compare;
	Oid collation;
	MemoryContext memory;
	bool has_value;
	Datum ends[2];
} EndsReceiver;

static bool
receive_value(TupleTableSlot *slot, DestReceiver *self)
{
	EndsReceiver *receiver = (EndsReceiver *) self;
	MemoryContext old;
	bool isnull;
	Datum value = slot_getattr(slot, 1, &isnull);
	int16 length;
	bool by_value;
	int end;

	if (isnull)
		return true;
	get_typlenbyval(receiver->type, &length, &by_value);
	old = MemoryContextSwitchTo(receiver->memory);
	for (end = 0; end < 2; end++)
	{
		int order = !receiver->has_value
						? 0
						: DatumGetInt32(FunctionCall2Coll(
							  receiver->compare, receiver->collation, value,
							  receiver->ends[end]));

		if (!receiver->has_value || (end == 0 ? order < 0 : order > 0))
			receiver->ends[end] = datumCopy(value, by_value, length);
	}
	receiver->has_value = true;
	MemoryContextSwitchTo(old);
	return true;
}

/* A finite value of an end as numeric. */
static bool
number_of(Oid type, Datum value, Datum *number)
{
	const DpOrderedType *ordered = dp_ordered_type(type);

	if (!dp_arithmetic_number(type, value, number))
		return false;
	return ordered == NULL ||
		   (!dp_arithmetic_is_less(*number,
								   dp_arithmetic_whole(ordered->least)) &&
			!dp_arithmetic_is_less(dp_arithmetic_whole(ordered->greatest),
								   *number));
}

/* Adds the values that a query finds. False where it may not be run now. */
static bool
add_query(Query *query, DpColumnFact *range, EndsReceiver *receiver)
{
	DpColumnFact found = {0};
	Datum lower;
	Datum upper;

	query->distinctClause = query->sortClause = NIL;
	if (!dp_public_run_can(query))
		return false;
	receiver->has_value = false;
	(void) dp_public_run(query, InvalidOid, &receiver->pub);
	if (!receiver->has_value)
		return true;
	if (!number_of(receiver->type, receiver->ends[0], &lower) ||
		!number_of(receiver->type, receiver->ends[1], &upper))
		return false;
	dp_range_set_bounds(&found, lower, upper);
	dp_range_add(range, &found);
	return found.has_bounds;
}

bool
dp_public_range_find(const DpNode *rows, const DpExpr *expr,
					 DpColumnFact *range)
{
	Oid type = getBaseType(expr->type.oid);
	EndsReceiver receiver = {.type = type, .memory = CurrentMemoryContext};
	DpColumnFact found = {.is_null = true};
	List *sources;
	ListCell *cell;

	if (!dp_range_can_have_bounds(type))
		return false;
	sources = dp_public_values_sources(rows, expr);
	if (sources == NIL)
		return false;
	receiver.compare =
		&lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo;
	receiver.pub = *None_Receiver;
	receiver.pub.receiveSlot = receive_value;
	foreach (cell, dp_public_values_queries(rows, linitial(sources),
											list_make1((void *) expr)))
	{
		if (!add_query(copyObject(lfirst(cell)), &found, &receiver))
			return false;
	}
	if (!found.has_bounds)
		return false;
	dp_range_set_bounds(range, found.lower, found.upper);
	return range->has_bounds;
}
