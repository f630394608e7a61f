/*
 * value_range.c
 *		Between which bounds an aggregated value lies.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/facts.h"
#include "gate/facts/public_values.h"
#include "gate/facts/stated.h"
#include "gate/read/public_run.h"
#include "gate/read/value_range.h"
#include "gate/relations/protection.h"
#include "server/ordered_type.h"
#include "server/stack.h"

static DpColumnFact of_column(const DpNode *node, const DpColumnFact *row,
							  int column, const DpExpr *filter);

static void
set_bounds(DpColumnFact *range, Datum lower, Datum upper)
{
	range->has_bounds = dp_range_is_usable(lower) && dp_range_is_usable(upper);
	range->is_declared = false;
	range->lower = lower;
	range->upper = upper;
}

/*
 * The values of public rows
 */

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
	set_bounds(&found, lower, upper);
	dp_range_add(range, &found);
	return found.has_bounds;
}

/* The bounds of what public rows decide. */
static bool
find_public(const DpNode *rows, const DpExpr *expr, DpColumnFact *range)
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
	set_bounds(range, found.lower, found.upper);
	return range->has_bounds;
}

/*
 * Conditions
 */

/* Intersects bounds with others; they stay where nothing would be left. */
static void
narrow(DpColumnFact *range, const DpColumnFact *other)
{
	Datum lower = range->lower;
	Datum upper = range->upper;

	if (dp_arithmetic_is_less(lower, other->lower))
		lower = other->lower;
	if (dp_arithmetic_is_less(other->upper, upper))
		upper = other->upper;
	if (dp_arithmetic_is_less(upper, lower) ||
		(lower == range->lower && upper == range->upper))
		return;
	set_bounds(range, lower, upper);
	range->by_conditions |= other->by_conditions;
}

static bool
is_closed(const DpCompared *stated)
{
	return !stated->is_none && stated->has[0] && stated->has[1];
}

/* What conditions leave, where there are bounds, or they give both. */
static void
narrow_to_stated(DpColumnFact *range, const DpCompared *stated)
{
	DpColumnFact bounds = *range;

	if (stated->is_none || (!range->has_bounds && !is_closed(stated)))
		return;
	if (stated->has[0])
		bounds.lower = stated->ends[0];
	if (stated->has[1])
		bounds.upper = stated->ends[1];
	bounds.by_conditions = true;
	if (range->has_bounds)
		narrow(range, &bounds);
	else
	{
		set_bounds(range, bounds.lower, bounds.upper);
		range->by_conditions = true;
	}
}

/*
 * What is computed
 */

/* By what is known of its columns, of which bounds are narrowed or added. */
static DpColumnFact
of_columns(const DpNode *rows, const DpColumnFact *row, const DpExpr *expr,
		   const DpExpr *filter, bool adds)
{
	Bitmapset *columns = dp_expr_columns(expr);
	DpColumnFact *narrowed =
		palloc(Max(rows->ncolumns, 1) * sizeof(DpColumnFact));
	DpColumnFact range;
	bool by_conditions = false;
	int column = -1;

	memcpy(narrowed, row, rows->ncolumns * sizeof(DpColumnFact));
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		if (adds || row[column].has_bounds)
			narrowed[column] = of_column(rows, row, column, filter);
		by_conditions |= narrowed[column].by_conditions;
	}
	range = dp_range_of(expr, narrowed);
	range.by_conditions = by_conditions;
	return range;
}

/*
 * An expression over a node's rows, of whose columns this much is known. filter:
 * holds besides in the rows that count; or NULL.
 */
DpColumnFact
dp_value_range_of(const DpNode *rows, const DpColumnFact *row,
				  const DpExpr *expr, const DpExpr *filter)
{
	const DpExpr *column = dp_expr_column_of(expr);
	DpColumnFact range = dp_range_of(expr, row);
	DpColumnFact by_columns;
	DpCompared stated;

	if (column != NULL && column->column.depth == 0)
		return of_column(rows, row, column->column.number, filter);
	if (range.is_null)
		return range;
	stated = dp_range_can_have_bounds(expr->type.oid)
				 ? dp_stated_range(rows, filter, expr)
				 : (DpCompared){0};
	if (range.has_bounds || !find_public(rows, expr, &range))
	{
		by_columns = of_columns(rows, row, expr, filter, !range.has_bounds);
		if (!range.has_bounds)
			range = by_columns;
		else if (by_columns.has_bounds)
			narrow(&range, &by_columns);
	}
	narrow_to_stated(&range, &stated);
	return range;
}

/* How many rows of a unit count, as its cap says; 0: that is not known. */
static int64
rows_of_unit(const DpNode *node)
{
	const DpProtection *protection;
	int64 rows = 0;
	int64 most;
	int i;

	dp_stack_enter();
	switch (node->kind)
	{
		case DP_NODE_SCAN:
		case DP_NODE_VIEW:
			protection = dp_protection_of(
				node->kind == DP_NODE_SCAN ? ((const DpScan *) node)->relation
										   : ((const DpView *) node)->relation);
			return protection->unit_is_unique
					   ? 1
					   : (int64) protection->contribution.rows;
		case DP_NODE_JOIN:
			return node->ninputs == 1 ? rows_of_unit(node->inputs[0]) : 0;
		case DP_NODE_PROJECT:
		case DP_NODE_WINDOW:
		case DP_NODE_GROUP:
			return rows_of_unit(node->inputs[0]);
		case DP_NODE_UNION:
			for (i = 0; i < node->ninputs; i++)
			{
				most = rows_of_unit(node->inputs[i]);
				if (most == 0)
					return 0;
				rows += most;
			}
			return rows;
		default:
			return 0;
	}
}

static void
multiply(DpColumnFact *range, int64 rows)
{
	Datum lower = range->lower;
	Datum upper = range->upper;

	if (dp_arithmetic_is_less(lower, dp_arithmetic_whole(0)))
		lower =
			DirectFunctionCall2(numeric_mul, lower, dp_arithmetic_whole(rows));
	if (dp_arithmetic_is_less(dp_arithmetic_whole(0), upper))
		upper =
			DirectFunctionCall2(numeric_mul, upper, dp_arithmetic_whole(rows));
	set_bounds(range, lower, upper);
}

/* What one of the server's aggregates makes of a unit's rows. */
static DpColumnFact
of_total(const DpNode *group, const DpExpr *total)
{
	const DpNode *rows = group->inputs[0];
	DpColumnFact range = {.may_be_null = true};
	const char *name = total->total->function < FirstGenbkiObjectId
						   ? get_func_name(total->total->function)
						   : NULL;
	int64 most = rows_of_unit(rows);

	if (name == NULL || !dp_range_can_have_bounds(total->type.oid))
		return range;
	if (strcmp(name, "count") == 0)
	{
		if (most > 0)
			set_bounds(&range, dp_arithmetic_whole(0),
					   dp_arithmetic_whole(most));
		return range;
	}
	if (total->nargs != 1 ||
		(strcmp(name, "sum") != 0 && strcmp(name, "avg") != 0 &&
		 strcmp(name, "min") != 0 && strcmp(name, "max") != 0))
		return range;
	range = dp_value_range_of(rows, dp_range_of_row(group), total->args[0],
							  total->total->filter);
	range.is_declared = false;
	range.may_be_null = true;
	range.fields = NULL; /* sums and means carry some over */
	if (strcmp(name, "sum") == 0 && range.has_bounds && most > 0)
		multiply(&range, most);
	else if (strcmp(name, "sum") == 0)
		range.has_bounds = false;
	return range;
}

/* A column of one of several inputs. */
static DpColumnFact
of_input(const DpNode *join, int column)
{
	int input = join->ninputs - 1;

	while (column < dp_node_offset(join, input))
		input--;
	return of_column(join->inputs[input], join->inputs[input]->facts->columns,
					 column - dp_node_offset(join, input), NULL);
}

static DpColumnFact
of_union(const DpNode *node, int column)
{
	DpColumnFact range = {.is_null = true};
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		DpColumnFact one = of_column(
			node->inputs[i], node->inputs[i]->facts->columns, column, NULL);

		dp_range_add(&range, &one);
		range.by_conditions |= one.by_conditions;
	}
	return range;
}

/* A column by what the node makes it of. */
static DpColumnFact
of_parts(const DpNode *node, int column)
{
	const DpExpr *expr;

	switch (node->kind)
	{
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
			return of_input(node, column);
		case DP_NODE_WINDOW:
			if (column < node->inputs[0]->ncolumns)
				return of_input(node, column);
			break;
		case DP_NODE_UNION:
			return of_union(node, column);
		case DP_NODE_GROUP:
		case DP_NODE_PROJECT:
			expr = list_nth(dp_node_exprs(node), column);
			return expr->kind == DP_EXPR_AGGREGATE
					   ? of_total(node, expr)
					   : dp_value_range_of(node->inputs[0],
										   dp_range_of_row(node), expr, NULL);
		default:
			break;
	}
	return (DpColumnFact){0};
}

static DpColumnFact
of_column(const DpNode *node, const DpColumnFact *row, int column,
		  const DpExpr *filter)
{
	DpColumnFact range = row[column];
	const DpExpr *expr = dp_node_column(node, column);
	DpColumnFact parts;
	DpCompared stated;

	dp_stack_enter();
	if (range.is_null || !dp_range_can_have_bounds(expr->type.oid))
		return range;
	stated = dp_stated_range(node, filter, expr);
	if (range.has_bounds || is_closed(&stated) ||
		!find_public(node, expr, &range))
	{
		parts = of_parts(node, column);
		if (!range.has_bounds)
		{
			range.is_null = parts.is_null;
			range.fields = parts.fields;
		}
		if (parts.has_bounds && range.has_bounds)
			narrow(&range, &parts);
		else if (parts.has_bounds)
		{
			set_bounds(&range, parts.lower, parts.upper);
			range.by_conditions = parts.by_conditions;
		}
	}
	if (!range.is_null)
		narrow_to_stated(&range, &stated);
	return range;
}

bool
dp_value_range_follows(const DpNode *rows, const DpExpr *value)
{
	DpColumnFact *columns =
		palloc0((rows->ncolumns + 1) * sizeof(DpColumnFact));
	int i;

	for (i = 0; i < rows->ncolumns; i++)
		set_bounds(&columns[i], dp_arithmetic_whole(1), dp_arithmetic_whole(2));
	return dp_range_of(value, columns).has_bounds;
}
