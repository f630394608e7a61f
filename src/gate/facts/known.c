/*
 * known.c
 *		What has one value in all rows of a unit.
 *
 * What is known of a node's row spreads through the nodes beneath, and back.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/known.h"
#include "server/stack.h"

/*
 * What is known
 */

/* Columns so many further in a row; those that lie outside of it are left out. */
static Bitmapset *
shifted(const Bitmapset *columns, int by, int width)
{
	Bitmapset *result = NULL;
	int column = -1;

	while ((column = bms_next_member(columns, column)) >= 0)
	{
		if (column + by >= 0 && column + by < width)
			result = bms_add_member(result, column + by);
	}
	return result;
}

/* Adds what is known of an input; what is strict is so by this row alone. */
static void
add_known(DpKnownColumns *known, const DpKnownColumns *more, int first)
{
	known->columns = bms_add_members(
		known->columns, shifted(more->columns, first, PG_INT32_MAX));
	known->exact = bms_add_members(known->exact,
								   shifted(more->exact, first, PG_INT32_MAX));
}

void
dp_known_add_whole(DpKnownColumns *known, int first, int count)
{
	if (count == 0)
		return;
	known->columns = bms_add_range(known->columns, first, first + count - 1);
	known->exact = bms_add_range(known->exact, first, first + count - 1);
}

static int
amount(const DpKnownColumns *known)
{
	return bms_num_members(known->columns) + bms_num_members(known->exact) +
		   bms_num_members(known->strict);
}

static bool
finds_unknown(const DpExpr *expr, void *context)
{
	const DpKnownColumns *known = context;
	int number = expr->column.number;

	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			return expr->column.depth > 0 ||
				   (!bms_is_member(number, known->exact) &&
					(!bms_is_member(number, known->columns) ||
					 !dp_order_has_one_form(expr)));
		case DP_EXPR_SUBQUERY:
		case DP_EXPR_COMPARED:
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return true;
		default:
			return false;
	}
}

/* Whether an expression has one and the same value. */
static bool
is_exact(const DpExpr *expr, const DpKnownColumns *known)
{
	return !dp_expr_visit(expr, finds_unknown, (void *) known);
}

bool
dp_known_is_known(const DpExpr *expr, const DpKnownColumns *known)
{
	const DpExpr *column = dp_expr_column_of(expr);

	return (column != NULL && column->column.depth == 0 &&
			bms_is_member(column->column.number, known->columns)) ||
		   is_exact(expr, known);
}

/*
 * Joins
 */

/* What equals something known is known. */
static void
add_equal(DpKnownColumns *known, const DpEqualities *equal)
{
	ListCell *class;

	foreach (class, equal)
	{
		Bitmapset *columns = dp_equalities_own(lfirst(class));

		if (bms_overlap(columns, known->columns))
			known->columns = bms_add_members(known->columns, columns);
	}
}

/* The same where a condition compares a column with an expression. */
static void
add_compared(DpKnownColumns *known, const List *conditions)
{
	ListCell *cell;

	foreach (cell, conditions)
	{
		const DpExpr *condition = lfirst(cell);
		int side;

		for (side = 0; side < 2 && condition->kind == DP_EXPR_CALL &&
					   condition->nargs == 2;
			 side++)
		{
			const DpExpr *column = dp_expr_column_of(condition->args[side]);

			if (column == NULL || column->column.depth > 0 ||
				!dp_equalities_equates(condition, column) ||
				!dp_known_is_known(condition->args[1 - side], known))
				continue;
			known->columns =
				bms_add_member(known->columns, column->column.number);
			known->strict =
				bms_add_member(known->strict, column->column.number);
		}
	}
}

/* Spreads over an input; whether that has one row at most. */
static bool
spread_input(const DpNode *node, int input, DpKnownColumns *known,
			 DpLookUps *found)
{
	int first = dp_node_offset(node, input);
	int width = node->inputs[input]->ncolumns;
	DpKnownColumns own = {shifted(known->columns, -first, width),
						  shifted(known->exact, -first, width),
						  shifted(known->strict, -first, width)};
	bool is_single = dp_known_spread(node->inputs[input], &own, found);

	add_known(known, &own, first);
	return is_single;
}

static bool
spread_join(const DpJoin *join, DpKnownColumns *known, DpLookUps *found)
{
	const DpNode *node = &join->node;
	int before;
	int single;
	int i;

	do
	{
		before = amount(known);
		add_equal(known, node->facts->equal);
		add_compared(known, join->conditions);
		single = 0;
		for (i = 0; i < node->ninputs; i++)
			single += spread_input(node, i, known, found) ? 1 : 0;
	} while (amount(known) > before);
	return single == node->ninputs;
}

bool
dp_known_spread_match(const DpJoin *join, DpKnownColumns *known,
					  DpLookUps *found)
{
	DpEqualities *equal = dp_equalities_of_row(&join->node);
	bool is_single;
	int before;

	do
	{
		before = amount(known);
		add_equal(known, equal);
		add_compared(known, join->conditions);
		is_single = spread_input(&join->node, 1, known, found);
	} while (amount(known) > before);
	return is_single;
}

bool
dp_known_are_known(const List *exprs, const DpKnownColumns *known)
{
	ListCell *cell;

	foreach (cell, exprs)
	{
		if (!dp_known_is_known(lfirst(cell), known))
			return false;
	}
	return true;
}

static bool
spread_left_join(const DpJoin *join, DpKnownColumns *known, DpLookUps *found)
{
	const DpNode *node = &join->node;
	int right = dp_node_offset(node, 1);
	bool is_single = spread_input(node, 0, known, found);
	DpKnownColumns match;
	DpKnownColumns whole; /* without what holds in matches alone */
	bool match_is_single;

	add_equal(known, node->facts->equal);
	match = (DpKnownColumns){bms_copy(known->columns), bms_copy(known->exact),
							 bms_copy(known->strict)};
	match_is_single = dp_known_spread_match(join, &match, found);
	whole = (DpKnownColumns){bms_copy(known->columns), bms_copy(known->exact),
							 NULL};
	dp_known_add_whole(&whole, right, node->inputs[1]->ncolumns);
	if (match_is_single && dp_known_are_known(join->conditions, &whole))
		dp_known_add_whole(known, right, node->inputs[1]->ncolumns);
	return is_single && match_is_single;
}

/*
 * Other nodes
 */

/* What is known of the input, by columns that are expressions over it. */
static DpKnownColumns
known_beneath(const DpKnownColumns *known, List *exprs)
{
	DpKnownColumns result = {0};
	ListCell *cell;

	foreach (cell, exprs)
	{
		const DpExpr *column = dp_expr_column_of(lfirst(cell));
		int number = foreach_current_index(cell);

		if (column == NULL || column->column.depth > 0 ||
			!bms_is_member(number, known->columns))
			continue;
		result.columns = bms_add_member(result.columns, column->column.number);
		if (bms_is_member(number, known->exact))
			result.exact = bms_add_member(result.exact, column->column.number);
		if (bms_is_member(number, known->strict))
			result.strict =
				bms_add_member(result.strict, column->column.number);
	}
	return result;
}

static bool
spread_group(const DpGroup *group, DpKnownColumns *known, DpLookUps *found)
{
	DpKnownColumns beneath = known_beneath(known, group->keys);
	bool all = true;
	ListCell *cell;

	beneath.exact = NULL; /* one of several equal values stands for them */
	(void) dp_known_spread(group->node.inputs[0], &beneath, found);
	foreach (cell, dp_node_exprs(&group->node))
	{
		const DpExpr *expr = lfirst(cell);
		int number = foreach_current_index(cell);

		if (expr->kind != DP_EXPR_AGGREGATE &&
			dp_known_is_known(expr, &beneath))
			known->columns = bms_add_member(known->columns, number);
		all = all && (number >= list_length(group->keys) ||
					  bms_is_member(number, known->columns));
	}
	return all;
}

static bool
spread_project(const DpProject *project, DpKnownColumns *known,
			   DpLookUps *found)
{
	DpKnownColumns beneath = known_beneath(known, project->exprs);
	bool is_single = dp_known_spread(project->node.inputs[0], &beneath, found);
	ListCell *cell;

	foreach (cell, project->exprs)
	{
		int number = foreach_current_index(cell);

		if (dp_known_is_known(lfirst(cell), &beneath))
			known->columns = bms_add_member(known->columns, number);
		if (is_exact(lfirst(cell), &beneath))
			known->exact = bms_add_member(known->exact, number);
	}
	return is_single;
}

/* Whether all columns of a key are there; such a key in *by. */
static bool
has_key(const List *keys, const Bitmapset *columns, Bitmapset **by)
{
	ListCell *cell;

	foreach (cell, keys)
	{
		*by = lfirst(cell);
		if (bms_is_subset(*by, columns))
			return true;
	}
	return false;
}

static bool
look_up(const DpNode *node, const DpKnownColumns *known, DpLookUps *found)
{
	Bitmapset *by;

	if (!has_key(node->facts->keys.keys, known->strict, &by))
		return false;
	if (found != NULL && !list_member_ptr(found->nodes, node))
	{
		found->nodes = lappend(found->nodes, (void *) node);
		found->keys = lappend(found->keys, by);
	}
	return true;
}

static bool
spread_by_kind(const DpNode *node, DpKnownColumns *known, DpLookUps *found)
{
	Bitmapset *by;

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			return has_key(node->facts->keys.keys, known->columns, &by);
		case DP_NODE_PUBLIC:
			return look_up(node, known, found);
		case DP_NODE_JOIN:
			return spread_join((const DpJoin *) node, known, found);
		case DP_NODE_LEFT_JOIN:
			return spread_left_join((const DpJoin *) node, known, found);
		case DP_NODE_GROUP:
			return spread_group((const DpGroup *) node, known, found);
		case DP_NODE_WINDOW:
		case DP_NODE_VIEW:
			return spread_input(node, 0, known, found);
		case DP_NODE_PROJECT:
			return spread_project((const DpProject *) node, known, found);
		case DP_NODE_UNION:
		case DP_NODE_RELEASE:
			break;
	}
	return false;
}

bool
dp_known_spread(const DpNode *node, DpKnownColumns *known, DpLookUps *found)
{
	ListCell *cell;
	ListCell *column;

	dp_stack_enter();
	foreach (cell, node->facts->owner.names)
	{
		const DpUnitName *name = lfirst(cell);

		foreach (column, name->depth == 0 && name->population != 0
							 ? name->columns
							 : NIL)
			known->columns = bms_add_member(known->columns, lfirst_int(column));
	}
	if (!spread_by_kind(node, known, found))
		return false;
	dp_known_add_whole(known, 0, node->ncolumns);
	return true;
}
