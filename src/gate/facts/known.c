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

uint8 *
dp_known_nothing(const DpNode *node)
{
	return palloc0(Max(node->ncolumns, dp_node_row_width(node)) + 1);
}

void
dp_known_add_whole(uint8 *known, int count)
{
	int i;

	for (i = 0; i < count; i++)
		known[i] |= DP_KNOWN | DP_KNOWN_EXACT;
}

static bool
finds_unknown(const DpExpr *expr, void *context)
{
	const uint8 *known = context;
	int number = expr->column.number;

	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			return expr->column.depth > 0 ||
				   (!(known[number] & DP_KNOWN_EXACT) &&
					(!known[number] || !dp_order_has_one_form(expr)));
		case DP_EXPR_SUBQUERY:
		case DP_EXPR_COMPARED:
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return true;
		default:
			return false;
	}
}

bool
dp_known_is_exact(const DpExpr *expr, const uint8 *known)
{
	return !dp_expr_visit(expr, finds_unknown, (void *) known);
}

/* The number of the row's column that an expression is; -1: it is none. */
static int
number_of(const DpExpr *expr)
{
	const DpExpr *column = dp_expr_column_of(expr);

	return column == NULL || column->column.depth > 0 ? -1
													  : column->column.number;
}

bool
dp_known_is_known(const DpExpr *expr, const uint8 *known)
{
	int number = number_of(expr);

	return (number >= 0 && known[number]) || dp_known_is_exact(expr, known);
}

bool
dp_known_are_known(const List *exprs, const uint8 *known)
{
	foreach_ptr (const DpExpr, expr, exprs)
	{
		if (!dp_known_is_known(expr, known))
			return false;
	}
	return true;
}

/*
 * Joins
 */

/* What equals something known is known. */
static void
add_equal(uint8 *known, const DpEqualities *equal)
{
	ListCell *cell;

	foreach_ptr (List, class, equal)
	{
		uint8 any = 0;

		foreach (cell, class)
		{
			int number = number_of(lfirst(cell));

			any |= number < 0 ? 0 : known[number] & DP_KNOWN;
		}
		foreach (cell, class)
		{
			int number = number_of(lfirst(cell));

			if (number >= 0)
				known[number] |= any;
		}
	}
}

/* The same where a condition compares a column with an expression. */
static void
add_compared(uint8 *known, const List *conditions)
{
	const uint8 learnt = DP_KNOWN | DP_KNOWN_STRICT;
	uint8 *result;
	int side;

	foreach_ptr (const DpExpr, condition, conditions)
	{
		if (condition->kind != DP_EXPR_CALL || condition->nargs != 2)
			continue;
		for (side = 0; side < 2; side++)
		{
			const DpExpr *column = dp_expr_column_of(condition->args[side]);

			if (column == NULL || column->column.depth > 0)
				continue;
			result = &known[column->column.number];
			if ((*result & learnt) != learnt &&
				dp_known_is_known(condition->args[1 - side], known) &&
				dp_equalities_equates(condition, column))
				*result |= learnt;
		}
	}
}

/*
 * Spreads by equations and over inputs, from the first one on, until nothing more
 * is learnt; whether each of them has one row at most.
 */
static bool
spread_over(const DpJoin *join, const DpEqualities *equal, int first,
			uint8 *known, DpLookUps *found)
{
	const DpNode *node = &join->node;
	int width = dp_node_row_width(node);
	uint8 *before = palloc(width);
	bool is_single;
	int i;

	do
	{
		memcpy(before, known, width);
		add_equal(known, equal);
		add_compared(known, join->conditions);
		is_single = true;
		for (i = first; i < node->ninputs; i++)
			is_single &= dp_known_spread(
				node->inputs[i], known + dp_node_offset(node, i), found);
	} while (memcmp(before, known, width) != 0);
	return is_single;
}

bool
dp_known_spread_match(const DpJoin *join, uint8 *known, DpLookUps *found)
{
	return spread_over(join, dp_equalities_of_row(&join->node), 1, known,
					   found);
}

static bool
spread_left_join(const DpJoin *join, uint8 *known, DpLookUps *found)
{
	const DpNode *node = &join->node;
	int right = dp_node_offset(node, 1);
	int columns = node->inputs[1]->ncolumns;
	bool is_single = dp_known_spread(node->inputs[0], known, found);
	uint8 *match = dp_known_nothing(node);
	uint8 *whole = dp_known_nothing(node);
	bool match_is_single;

	add_equal(known, node->facts->equal);
	memcpy(match, known, node->ncolumns);
	match_is_single = dp_known_spread_match(join, match, found);
	memcpy(whole, known, node->ncolumns); /* not what holds in matches alone */
	dp_known_add_whole(whole + right, columns);
	if (match_is_single && dp_known_are_known(join->conditions, whole))
		dp_known_add_whole(known + right, columns);
	return is_single && match_is_single;
}

/*
 * Other nodes
 */

/*
 * Spreads over the input of groups or of a project. Of a group one of several equal
 * values stands for them: none is exact.
 */
static bool
spread_exprs(const DpNode *node, List *exprs, int keys, uint8 *known,
			 DpLookUps *found)
{
	bool is_group = node->kind == DP_NODE_GROUP;
	uint8 *beneath = dp_known_nothing(node);
	bool all = true;
	bool is_single;
	int i;

	for (i = 0; i < keys; i++)
	{
		int number = number_of(list_nth(exprs, i));

		if (number >= 0)
			beneath[number] |= known[i] & (is_group ? ~DP_KNOWN_EXACT : ~0);
	}
	is_single = dp_known_spread(node->inputs[0], beneath, found);
	for (i = 0; i < list_length(exprs); i++)
	{
		if (dp_known_is_known(list_nth(exprs, i), beneath))
			known[i] |= DP_KNOWN;
		if (!is_group && dp_known_is_exact(list_nth(exprs, i), beneath))
			known[i] |= DP_KNOWN_EXACT;
		all = all && (i >= keys || known[i]);
	}
	return is_group ? all : is_single;
}

/* The first of a node's keys whose columns all have a flag; false: there is none. */
static bool
has_key(const DpNode *node, const uint8 *known, uint8 flag, Bitmapset **by)
{
	ListCell *cell;

	foreach (cell, node->facts->keys.keys)
	{
		int column = -1;

		*by = lfirst(cell);
		while ((column = bms_next_member(*by, column)) >= 0 &&
			   (known[column] & flag))
			;
		if (column < 0)
			return true;
	}
	return false;
}

static bool
look_up(const DpNode *node, const uint8 *known, DpLookUps *found)
{
	Bitmapset *by;

	if ((found != NULL && found->are_left_out) ||
		!has_key(node, known, DP_KNOWN_STRICT, &by))
		return false;
	if (found != NULL && !list_member_ptr(found->nodes, node))
	{
		found->nodes = lappend(found->nodes, (void *) node);
		found->keys = lappend(found->keys, by);
	}
	return true;
}

static bool
spread_by_kind(const DpNode *node, uint8 *known, DpLookUps *found)
{
	Bitmapset *by;

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			return has_key(node, known, DP_KNOWN, &by);
		case DP_NODE_PUBLIC:
			return look_up(node, known, found);
		case DP_NODE_JOIN:
			return spread_over((const DpJoin *) node, node->facts->equal, 0,
							   known, found);
		case DP_NODE_LEFT_JOIN:
			return dp_owner_is_matched(node)
					   ? spread_over((const DpJoin *) node,
									 dp_equalities_of_row(node), 0, known,
									 found)
					   : spread_left_join((const DpJoin *) node, known, found);
		case DP_NODE_GROUP:
			return spread_exprs(node, dp_node_exprs(node),
								list_length(((const DpGroup *) node)->keys),
								known, found);
		case DP_NODE_WINDOW:
		case DP_NODE_VIEW:
			return dp_known_spread(node->inputs[0], known, found);
		case DP_NODE_PROJECT:
			return spread_exprs(node, dp_node_exprs(node), node->ncolumns,
								known, found);
		case DP_NODE_UNION:
		case DP_NODE_RELEASE:
			break;
	}
	return false;
}

bool
dp_known_spread(const DpNode *node, uint8 *known, DpLookUps *found)
{
	ListCell *column;

	dp_stack_enter();
	foreach_ptr (const DpUnitName, name, node->facts->owner.names)
	{
		foreach (column, name->depth == 0 && name->population != 0
							 ? name->columns
							 : NIL)
			known[lfirst_int(column)] |= DP_KNOWN;
	}
	if (!spread_by_kind(node, known, found))
		return false;
	dp_known_add_whole(known, node->ncolumns);
	return true;
}
