/*
 * value_range.c
 *		Between which bounds an aggregated value lies.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/facts.h"
#include "gate/facts/stated.h"
#include "gate/read/public_range.h"
#include "gate/read/value_range.h"
#include "gate/relations/protection.h"
#include "server/stack.h"

/* What a node makes a column of lies there, however the column is used. */
typedef struct Part
{
	struct
	{
		const DpNode *node;
		uint64 column;
	} key;
	DpColumnFact range;
} Part;

static DpColumnFact of_column(const DpNode *node, const DpColumnFact *row,
							  int column, const DpExpr *filter, HTAB *parts);

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
	dp_range_set_bounds(range, lower, upper);
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
		dp_range_set_bounds(range, bounds.lower, bounds.upper);
		range->by_conditions = true;
	}
}

/*
 * What is computed
 */

/* By what is known of its columns, of which bounds are narrowed or added. */
static DpColumnFact
of_columns(const DpNode *rows, const DpColumnFact *row, const DpExpr *expr,
		   const DpExpr *filter, bool adds, HTAB *parts)
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
			narrowed[column] = of_column(rows, row, column, filter, parts);
		by_conditions |= narrowed[column].by_conditions;
	}
	range = dp_range_of(expr, narrowed);
	range.by_conditions = by_conditions;
	return range;
}

/*
 * An expression over a node's rows, of whose columns this much is known. filter:
 * holds besides in the rows that count; or NULL. parts: Part, what was found before.
 */
static DpColumnFact
of_expr(const DpNode *rows, const DpColumnFact *row, const DpExpr *expr,
		const DpExpr *filter, HTAB *parts)
{
	const DpExpr *column = dp_expr_column_of(expr);
	DpColumnFact range = dp_range_of(expr, row);
	DpColumnFact by_columns;
	DpCompared stated;

	if (column != NULL && column->column.depth == 0)
		return of_column(rows, row, column->column.number, filter, parts);
	if (range.is_null)
		return range;
	stated = dp_range_can_have_bounds(expr->type.oid)
				 ? dp_stated_range(rows, filter, expr)
				 : (DpCompared){0};
	if (range.has_bounds || !dp_public_range_find(rows, expr, &range))
	{
		by_columns =
			of_columns(rows, row, expr, filter, !range.has_bounds, parts);
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
	dp_range_set_bounds(range, lower, upper);
}

/* What one of the server's aggregates makes of a unit's rows. */
static DpColumnFact
of_total(const DpNode *group, const DpExpr *total, HTAB *parts)
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
			dp_range_set_bounds(&range, dp_arithmetic_whole(0),
								dp_arithmetic_whole(most));
		return range;
	}
	if (total->nargs != 1 ||
		(strcmp(name, "sum") != 0 && strcmp(name, "avg") != 0 &&
		 strcmp(name, "min") != 0 && strcmp(name, "max") != 0))
		return range;
	range = of_expr(rows, dp_range_of_row(group), total->args[0],
					total->total->filter, parts);
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
of_input(const DpNode *join, int column, HTAB *parts)
{
	int input = join->ninputs - 1;

	while (column < dp_node_offset(join, input))
		input--;
	return of_column(join->inputs[input], join->inputs[input]->facts->columns,
					 column - dp_node_offset(join, input), NULL, parts);
}

static DpColumnFact
of_union(const DpNode *node, int column, HTAB *parts)
{
	DpColumnFact range = {.is_null = true};
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		DpColumnFact one =
			of_column(node->inputs[i], node->inputs[i]->facts->columns, column,
					  NULL, parts);

		dp_range_add(&range, &one);
		range.by_conditions |= one.by_conditions;
	}
	return range;
}

static DpColumnFact
find_parts(const DpNode *node, int column, HTAB *parts)
{
	const DpExpr *expr;

	switch (node->kind)
	{
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
			return of_input(node, column, parts);
		case DP_NODE_WINDOW:
			if (column < node->inputs[0]->ncolumns)
				return of_input(node, column, parts);
			break;
		case DP_NODE_UNION:
			return of_union(node, column, parts);
		case DP_NODE_GROUP:
		case DP_NODE_PROJECT:
			expr = list_nth(dp_node_exprs(node), column);
			return expr->kind == DP_EXPR_AGGREGATE
					   ? of_total(node, expr, parts)
					   : of_expr(node->inputs[0], dp_range_of_row(node), expr,
								 NULL, parts);
		default:
			break;
	}
	return (DpColumnFact){0};
}

/*
 * A column by what the node makes it of: found once, however often it is named. Each
 * level of sub-queries may name a column of the next one twice.
 */
static DpColumnFact
of_parts(const DpNode *node, int column, HTAB *parts)
{
	Part part = {.key = {node, (uint64) column}};
	Part *found = hash_search(parts, &part.key, HASH_FIND, NULL);

	if (found != NULL)
		return found->range;
	part.range = find_parts(node, column, parts);
	found = hash_search(parts, &part.key, HASH_ENTER, NULL);
	found->range = part.range;
	return found->range;
}

static DpColumnFact
of_column(const DpNode *node, const DpColumnFact *row, int column,
		  const DpExpr *filter, HTAB *parts)
{
	DpColumnFact range = row[column];
	const DpExpr *expr = dp_node_column(node, column);
	DpColumnFact made;
	DpCompared stated;

	dp_stack_enter();
	if (range.is_null || !dp_range_can_have_bounds(expr->type.oid))
		return range;
	stated = dp_stated_range(node, filter, expr);
	if (range.has_bounds || is_closed(&stated) ||
		!dp_public_range_find(node, expr, &range))
	{
		made = of_parts(node, column, parts);
		if (!range.has_bounds)
		{
			range.is_null = made.is_null;
			range.fields = made.fields;
		}
		if (made.has_bounds && range.has_bounds)
			narrow(&range, &made);
		else if (made.has_bounds)
		{
			dp_range_set_bounds(&range, made.lower, made.upper);
			range.by_conditions = made.by_conditions;
		}
	}
	if (!range.is_null)
		narrow_to_stated(&range, &stated);
	return range;
}

DpColumnFact
dp_value_range_of(const DpNode *rows, const DpColumnFact *known,
				  const DpExpr *value, const DpExpr *filter)
{
	HASHCTL control = {.keysize = sizeof(((Part *) NULL)->key),
					   .entrysize = sizeof(Part),
					   .hcxt = CurrentMemoryContext};
	HTAB *parts = hash_create("parts", 32, &control,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	DpColumnFact range = of_expr(rows, known, value, filter, parts);

	hash_destroy(parts);
	return range;
}

bool
dp_value_range_follows(const DpNode *rows, const DpExpr *value)
{
	DpColumnFact *columns =
		palloc0((rows->ncolumns + 1) * sizeof(DpColumnFact));
	int i;

	for (i = 0; i < rows->ncolumns; i++)
		dp_range_set_bounds(&columns[i], dp_arithmetic_whole(1),
							dp_arithmetic_whole(2));
	return dp_range_of(value, columns).has_bounds;
}
