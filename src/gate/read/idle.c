/*
 * idle.c
 *		Leaves out left joins that change nothing.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"

#include "gate/facts/facts.h"
#include "gate/read/idle.h"
#include "server/stack.h"

/* Columns of the row that the query's targets and HAVING name. */
static Bitmapset *
find_named(const DpScope *scope)
{
	const Query *query = scope->query;
	Bitmapset *named = NULL;
	ListCell *cell;

	foreach (cell,
			 pull_vars_of_level(
				 (Node *) list_make2(query->targetList, query->havingQual), 0))
	{
		const Var *var = lfirst_node(Var, cell);
		const DpExpr **columns = scope->columns[var->varno - 1];

		if (columns != NULL && var->varattno > 0 &&
			columns[var->varattno - 1] != NULL)
			named = bms_add_members(
				named, dp_expr_columns(columns[var->varattno - 1]));
	}
	return named;
}

/* The following functions change the tree. */

/*
 * What becomes of a node: exprs[number] is the column that had the number, NULL
 * if it is gone.
 */
typedef struct Kept
{
	const DpNode *node;
	const DpExpr **exprs;
} Kept;

static Kept
keep(const DpNode *node)
{
	Kept kept = {node, palloc0((node->ncolumns + 1) * sizeof(DpExpr *))};
	int i;

	for (i = 0; i < node->ncolumns; i++)
		kept.exprs[i] =
			dp_expr_column((DpColumnName){0, i}, node->columns[i].type, -1);
	return kept;
}

static List *
substitute(List *conditions, const DpExpr *const *exprs)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, conditions)
		result =
			lappend(result, (void *) dp_expr_substitute(lfirst(cell), exprs));
	return result;
}

/* The columns of an input among those of a join's row. */
static Bitmapset *
of_input(const Bitmapset *columns, int offset, int count)
{
	Bitmapset *result = NULL;
	int number = offset - 1;

	while ((number = bms_next_member(columns, number)) >= 0 &&
		   number < offset + count)
		result = bms_add_member(result, number - offset);
	return result;
}

static Kept leave_out(const DpNode *node, const Bitmapset *named);

/* The same of the inputs of a join. */
static Kept
leave_out_of_inputs(const DpNode *node, const Bitmapset *named)
{
	const DpJoin *join = (const DpJoin *) node;
	Bitmapset *columns = bms_copy(named);
	Kept kept = keep(node);
	List *inputs = NIL;
	bool is_changed = false;
	int offset = 0;
	int width = 0;
	int i;
	int j;
	ListCell *cell;

	foreach (cell, join->conditions)
		columns = bms_add_members(columns, dp_expr_columns(lfirst(cell)));
	for (i = 0; i < node->ninputs; i++)
	{
		const DpNode *before = node->inputs[i];
		Kept input =
			leave_out(before, of_input(columns, offset, before->ncolumns));

		is_changed = is_changed || input.node != before;
		inputs = lappend(inputs, (void *) input.node);
		for (j = 0; j < before->ncolumns; j++)
			kept.exprs[offset + j] = input.exprs[j] == NULL
										 ? NULL
										 : dp_expr_shift(input.exprs[j], width);
		offset += before->ncolumns;
		width += input.node->ncolumns;
	}
	if (!is_changed)
		return keep(node);
	kept.node = dp_facts_add(
		node->kind == DP_NODE_JOIN
			? &dp_node_join(inputs, substitute(join->conditions, kept.exprs),
							node->location)
				   ->node
			: &dp_node_left_join(linitial(inputs), lsecond(inputs),
								 substitute(join->conditions, kept.exprs),
								 node->location)
				   ->node);
	return kept;
}

static Kept
leave_out(const DpNode *node, const Bitmapset *named)
{
	const DpNode *left;
	Bitmapset *by;
	Kept kept;
	Kept inner;

	dp_stack_enter();
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return keep(node);
	if (node->kind == DP_NODE_LEFT_JOIN &&
		node->inputs[1]->kind == DP_NODE_PUBLIC &&
		bms_next_member(named, node->inputs[0]->ncolumns - 1) < 0 &&
		dp_keys_is_look_up(node, &by))
	{
		left = node->inputs[0];
		kept = keep(node);
		inner = leave_out(left, named);
		memset(kept.exprs, 0, node->ncolumns * sizeof(DpExpr *));
		memcpy(kept.exprs, inner.exprs, left->ncolumns * sizeof(DpExpr *));
		kept.node = inner.node;
		return kept;
	}
	return leave_out_of_inputs(node, named);
}

/* Whether all columns that an expression names are still there. */
static bool
is_there(const DpExpr *expr, const DpExpr *const *exprs)
{
	Bitmapset *columns = dp_expr_columns(expr);
	int number = -1;

	while ((number = bms_next_member(columns, number)) >= 0)
	{
		if (exprs[number] == NULL)
			return false;
	}
	return true;
}

const DpNode *
dp_idle_leave_out(DpScope *scope, const DpNode *rows)
{
	Kept kept = leave_out(rows, find_named(scope));
	int i;

	if (kept.node == rows)
		return rows;
	for (i = 0; i < list_length(scope->query->rtable); i++)
	{
		int column = -1;

		while ((column = bms_next_member(scope->used[i], column)) >= 0)
		{
			const DpExpr **expr = scope->columns[i] == NULL
									  ? NULL
									  : &scope->columns[i][column - 1];

			if (expr != NULL && *expr != NULL)
				*expr = is_there(*expr, kept.exprs)
							? dp_expr_substitute(*expr, kept.exprs)
							: NULL;
		}
	}
	scope->row = kept.node;
	return kept.node;
}
