/*
 * change.c
 *		Copies of expressions and nodes in which something is replaced.
 */
#include "postgres.h"

#include "gate/tree/node.h"
#include "server/stack.h"

typedef struct Change
{
	DpExprChange change;
	void *context;
	int depth; /* sub-query expressions that are entered */
} Change;

static const DpExpr *change_expr(const DpExpr *expr, const Change *change);
static const DpNode *change_node(const DpNode *node, const Change *change);

static List *
change_list(List *exprs, const Change *change)
{
	List *result = NIL;

	foreach_ptr (const DpExpr, one, exprs)
		result = lappend(result, (void *) change_expr(one, change));
	return result;
}

static const DpExpr *
change_total(const DpExpr *expr, const Change *change)
{
	DpExpr *copy;
	const DpExpr *filter = expr->total->filter == NULL
							   ? NULL
							   : change_expr(expr->total->filter, change);

	if (filter == expr->total->filter)
		return expr;
	copy = palloc(sizeof(DpExpr));
	*copy = *expr;
	copy->total = palloc(sizeof(DpTotal));
	*copy->total = *expr->total;
	copy->total->filter = filter;
	return copy;
}

static const DpExpr *
change_subquery(const DpExpr *expr, const Change *change)
{
	Change deeper = *change;
	const DpNode *rows;
	DpExpr *copy;

	deeper.depth++;
	rows = change_node(expr->subquery->rows, &deeper);
	if (rows == expr->subquery->rows)
		return expr;
	copy = palloc(sizeof(DpExpr));
	*copy = *expr;
	copy->subquery = palloc(sizeof(DpSubquery));
	*copy->subquery = *expr->subquery;
	copy->subquery->rows = rows;
	return copy;
}

static const DpExpr *
change_args(const DpExpr *expr, const Change *change)
{
	const DpExpr **args = NULL;
	DpExpr *copy;
	int i;

	for (i = 0; i < expr->nargs; i++)
	{
		const DpExpr *arg = change_expr(expr->args[i], change);

		if (arg == expr->args[i])
			continue;
		if (args == NULL)
		{
			args = palloc(expr->nargs * sizeof(DpExpr *));
			memcpy(args, expr->args, expr->nargs * sizeof(DpExpr *));
		}
		args[i] = arg;
	}
	if (args == NULL)
		return expr;
	copy = palloc(sizeof(DpExpr));
	*copy = *expr;
	copy->args = args;
	return copy;
}

static const DpExpr *
change_expr(const DpExpr *expr, const Change *change)
{
	const DpExpr *changed =
		change->change(expr, change->depth, change->context);

	dp_stack_enter();
	if (changed != NULL)
		return changed;
	expr = change_args(expr, change);
	if (dp_expr_has_total(expr))
		return change_total(expr, change);
	if (expr->kind == DP_EXPR_SUBQUERY)
		return change_subquery(expr, change);
	return expr;
}

const DpExpr *
dp_expr_change(const DpExpr *expr, DpExprChange change, void *context)
{
	Change whole = {change, context, 0};

	return change_expr(expr, &whole);
}

/*
 * Nodes of sub-queries
 */

static List *
change_frames(List *frames, const Change *change)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, frames)
	{
		DpWindowFrame *frame = palloc(sizeof(DpWindowFrame));

		*frame = *(const DpWindowFrame *) lfirst(cell);
		frame->partition = change_list(frame->partition, change);
		frame->order = change_list(frame->order, change);
		result = lappend(result, frame);
	}
	return result;
}

static bool
same_members(List *one, List *other)
{
	ListCell *a;
	ListCell *b;

	forboth (a, one, b, other)
	{
		if (lfirst(a) != lfirst(b))
			return false;
	}
	return true;
}

static const DpNode *
change_node(const DpNode *node, const Change *change)
{
	const DpNodeLayout *layout = dp_node_layout(node->kind);
	DpNode *copy = palloc(layout->size);
	const size_t *at;
	bool is_changed;
	int i;

	dp_stack_enter();
	if (node->kind == DP_NODE_RELEASE)
		elog(ERROR, "a question in a sub-query");
	memcpy(copy, node, layout->size);
	for (at = layout->exprs; *at != 0; at++)
	{
		List **exprs = (List **) ((char *) copy + *at);

		*exprs = change_list(*exprs, change);
	}
	if (node->kind == DP_NODE_WINDOW)
		((DpWindow *) copy)->frames =
			change_frames(((DpWindow *) copy)->frames, change);
	is_changed = !same_members(dp_node_exprs(copy), dp_node_exprs(node));
	copy->inputs = palloc(node->ninputs * sizeof(DpNode *));
	for (i = 0; i < node->ninputs; i++)
	{
		copy->inputs[i] = change_node(node->inputs[i], change);
		is_changed = is_changed || copy->inputs[i] != node->inputs[i];
	}
	if (!is_changed)
		return node;
	copy->facts = NULL;
	return copy->add_facts == NULL ? copy : copy->add_facts(copy);
}

/*
 * What is replaced
 */

static const DpExpr *
shift(const DpExpr *expr, int depth, void *context)
{
	DpColumnName name = expr->column;

	if (expr->kind != DP_EXPR_COLUMN || name.depth != depth)
		return NULL;
	name.number += *(int *) context;
	return dp_expr_column(name, expr->type, expr->location);
}

const DpExpr *
dp_expr_shift(const DpExpr *expr, int columns)
{
	return columns == 0 ? expr : dp_expr_change(expr, shift, &columns);
}

static const DpExpr *
deepen(const DpExpr *expr, int depth, void *context)
{
	DpColumnName name = expr->column;

	if (expr->kind != DP_EXPR_COLUMN || name.depth < depth)
		return NULL;
	name.depth += *(int *) context;
	return dp_expr_column(name, expr->type, expr->location);
}

const DpExpr *
dp_expr_deepen(const DpExpr *expr, int levels)
{
	return levels == 0 ? expr : dp_expr_change(expr, deepen, &levels);
}

static const DpExpr *
substitute(const DpExpr *expr, int depth, void *context)
{
	if (expr->kind != DP_EXPR_COLUMN || expr->column.depth != depth)
		return NULL;
	return dp_expr_deepen(list_nth(context, expr->column.number), depth);
}

const DpExpr *
dp_expr_substitute(const DpExpr *expr, const List *exprs)
{
	return dp_expr_change(expr, substitute, (void *) exprs);
}
