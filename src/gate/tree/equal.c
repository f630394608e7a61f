/*
 * equal.c
 *		Whether two trees are the same.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/tree/node.h"
#include "server/stack.h"

/*
 * Expressions
 */

static bool
same_constants(const DpExpr *one, const DpExpr *other)
{
	int16 length;
	bool by_value;

	if (one->constant.isnull || other->constant.isnull)
		return one->constant.isnull && other->constant.isnull;
	get_typlenbyval(one->type.oid, &length, &by_value);
	return datumIsEqual(one->constant.value, other->constant.value, by_value,
						length);
}

/* Window functions are in the same window of their query, too. */
static bool
same_totals(const DpTotal *one, const DpTotal *other)
{
	return one->function == other->function &&
		   (one->window == NULL ||
			one->window->winref == other->window->winref) &&
		   one->is_distinct == other->is_distinct &&
		   (one->filter == NULL
				? other->filter == NULL
				: other->filter != NULL &&
					  dp_expr_equal(one->filter, other->filter));
}

/* Whether two of one kind differ in nothing but their parts. */
static bool
same_exprs(const DpExpr *one, const DpExpr *other)
{
	switch (one->kind)
	{
		case DP_EXPR_COLUMN:
			return one->column.depth == other->column.depth &&
				   one->column.number == other->column.number;
		case DP_EXPR_CONSTANT:
			return same_constants(one, other);
		case DP_EXPR_PARAMETER:
		case DP_EXPR_COMPARED:
			return one->parameter == other->parameter;
		case DP_EXPR_MOMENT:
			return equal(one->moment, other->moment);
		case DP_EXPR_CALL:
		case DP_EXPR_DISTINCT:
		case DP_EXPR_NULLIF:
		case DP_EXPR_ANY:
		case DP_EXPR_ALL:
		case DP_EXPR_CAST_BY_TEXT:
			return one->call.function == other->call.function &&
				   one->call.operator== other->call.operator&&
				   one->call.is_variadic == other->call.is_variadic;
		case DP_EXPR_NULL_TEST:
			return one->is_negated == other->is_negated;
		case DP_EXPR_TRUTH_TEST:
			return one->truth == other->truth;
		case DP_EXPR_CASE:
			return one->has_subject == other->has_subject;
		case DP_EXPR_SUBQUERY:
			return one->subquery->form == other->subquery->form &&
				   dp_node_equal(one->subquery->rows, other->subquery->rows);
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return same_totals(one->total, other->total);
		default:
			return true;
	}
}

bool
dp_expr_equal(const DpExpr *one, const DpExpr *other)
{
	int i;

	dp_stack_enter();
	if (one == other)
		return true;
	if (one->kind != other->kind || one->type.oid != other->type.oid ||
		one->type.typmod != other->type.typmod ||
		one->type.collation != other->type.collation ||
		one->input_collation != other->input_collation ||
		one->nargs != other->nargs || !same_exprs(one, other))
		return false;
	for (i = 0; i < one->nargs; i++)
	{
		if (!dp_expr_equal(one->args[i], other->args[i]))
			return false;
	}
	return true;
}

int
dp_expr_number(const List *exprs, const DpExpr *expr)
{
	foreach_ptr (const DpExpr, one, exprs)
	{
		if (dp_expr_equal(one, expr))
			return foreach_current_index(one);
	}
	return -1;
}

/*
 * Nodes
 */

static bool
same_attributes(const AttrNumber *one, const AttrNumber *other, int count)
{
	if (one == NULL || other == NULL)
		return one == other;
	return memcmp(one, other, count * sizeof(AttrNumber)) == 0;
}

/* Whether two of one kind differ in nothing but expressions and inputs. */
static bool
same_nodes(const DpNode *one, const DpNode *other)
{
	switch (one->kind)
	{
		case DP_NODE_SCAN:
			return ((const DpScan *) one)->relation ==
					   ((const DpScan *) other)->relation &&
				   same_attributes(((const DpScan *) one)->attributes,
								   ((const DpScan *) other)->attributes,
								   one->ncolumns);
		case DP_NODE_PUBLIC:
			return equal(((const DpPublicRows *) one)->statement,
						 ((const DpPublicRows *) other)->statement);
		case DP_NODE_VIEW:
			return ((const DpView *) one)->relation ==
				   ((const DpView *) other)->relation;
		case DP_NODE_WINDOW: /* several frames: not worth the while */
			return false;
		default:
			return true;
	}
}

bool
dp_node_equal(const DpNode *one, const DpNode *other)
{
	const List *exprs = dp_node_exprs(one);
	const List *others = dp_node_exprs(other);
	const ListCell *a;
	const ListCell *b;

	if (one == other)
		return true;
	if (one->kind != other->kind || one->ncolumns != other->ncolumns ||
		one->ninputs != other->ninputs ||
		list_length(exprs) != list_length(others) || !same_nodes(one, other))
		return false;
	forboth (a, exprs, b, others)
		if (!dp_expr_equal(lfirst(a), lfirst(b)))
			return false;
	for (int i = 0; i < one->ninputs; i++)
		if (!dp_node_equal(one->inputs[i], other->inputs[i]))
			return false;
	return true;
}
