/*
 * known.c
 *		What has one value in all rows of a unit.
 *
 * What is known of a node's row spreads through the nodes beneath, and back, until
 * nothing more is learnt. What was learnt at a place of the tree is kept there, and
 * nodes beneath it are visited again only where more is known of their rows: so there
 * are no more visits to a node than three for each of its columns, and one. Otherwise a
 * few levels of joins would have each visit the next one twice.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/known.h"
#include "server/stack.h"

/* A node at one place of a tree, of which a node may have several. */
typedef struct Place
{
	const DpNode *node;
	struct Place *inputs; /* NULL: it was not visited */
	uint8 *seen;	/* what was known of its row when it was visited last */
	bool is_single; /* whether a unit has at most one such row */

	/*
	 * What is known of the input's row beneath groups and projects; of left joins, of
	 * the rows that match.
	 */
	uint8 *row;
} Place;

static bool spread(Place *place, uint8 *known, DpLookUps *found);

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
spread_over(Place *place, const DpEqualities *equal, int first, uint8 *known,
			DpLookUps *found)
{
	const DpNode *node = place->node;
	int width = dp_node_row_width(node);
	uint8 *before = palloc(width);
	bool is_single;
	int i;

	do
	{
		memcpy(before, known, width);
		add_equal(known, equal);
		add_compared(known, ((const DpJoin *) node)->conditions);
		is_single = true;
		for (i = first; i < node->ninputs; i++)
			is_single &= spread(&place->inputs[i],
								known + dp_node_offset(node, i), found);
	} while (memcmp(before, known, width) != 0);
	pfree(before);
	return is_single;
}

static bool
spread_left_join(Place *place, uint8 *known, DpLookUps *found)
{
	const DpNode *node = place->node;
	int right = dp_node_offset(node, 1);
	int columns = node->inputs[1]->ncolumns;
	bool is_single = spread(&place->inputs[0], known, found);
	uint8 *whole = dp_known_nothing(node);
	bool match_is_single;
	int i;

	add_equal(known, node->facts->equal);
	for (i = 0; i < node->ncolumns; i++)
		place->row[i] |= known[i];
	match_is_single =
		spread_over(place, dp_equalities_of_row(node), 1, place->row, found);
	memcpy(whole, known, node->ncolumns); /* not what holds in matches alone */
	dp_known_add_whole(whole + right, columns);
	if (match_is_single &&
		dp_known_are_known(((const DpJoin *) node)->conditions, whole))
		dp_known_add_whole(known + right, columns);
	pfree(whole);
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
spread_exprs(Place *place, int keys, uint8 *known, DpLookUps *found)
{
	bool is_group = place->node->kind == DP_NODE_GROUP;
	List *exprs = dp_node_exprs(place->node);
	uint8 *beneath = place->row;
	bool all = true;
	bool is_single;
	int i;

	for (i = 0; i < keys; i++)
	{
		int number = number_of(list_nth(exprs, i));

		if (number >= 0)
			beneath[number] |= known[i] & (is_group ? ~DP_KNOWN_EXACT : ~0);
	}
	is_single = spread(&place->inputs[0], beneath, found);
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
spread_by_kind(Place *place, uint8 *known, DpLookUps *found)
{
	const DpNode *node = place->node;
	Bitmapset *by;

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			return has_key(node, known, DP_KNOWN, &by);
		case DP_NODE_PUBLIC:
			return look_up(node, known, found);
		case DP_NODE_JOIN:
			return spread_over(place, node->facts->equal, 0, known, found);
		case DP_NODE_LEFT_JOIN:
			return dp_owner_is_matched(node)
					   ? spread_over(place, dp_equalities_of_row(node), 0,
									 known, found)
					   : spread_left_join(place, known, found);
		case DP_NODE_GROUP:
			return spread_exprs(place,
								list_length(((const DpGroup *) node)->keys),
								known, found);
		case DP_NODE_WINDOW:
		case DP_NODE_VIEW:
			return spread(&place->inputs[0], known, found);
		case DP_NODE_PROJECT:
			return spread_exprs(place, node->ncolumns, known, found);
		case DP_NODE_UNION:
		case DP_NODE_RELEASE:
			break;
	}
	return false;
}

/* The units' columns that a row of a node has. */
static void
add_names(const DpNode *node, uint8 *known)
{
	ListCell *column;

	foreach_ptr (const DpUnitName, name, node->facts->owner.names)
	{
		foreach (column, name->depth == 0 && name->population != 0
							 ? name->columns
							 : NIL)
			known[lfirst_int(column)] |= DP_KNOWN;
	}
}

static void
begin(Place *place)
{
	const DpNode *node = place->node;
	int i;

	place->inputs = palloc0_array(Place, node->ninputs + 1);
	for (i = 0; i < node->ninputs; i++)
		place->inputs[i].node = node->inputs[i];
	place->row = dp_known_nothing(node);
	place->seen = dp_known_nothing(node);
}

static bool
spread(Place *place, uint8 *known, DpLookUps *found)
{
	const DpNode *node = place->node;
	bool is_new = place->inputs == NULL;

	dp_stack_enter();
	add_names(node, known);
	if (is_new)
		begin(place);
	while (is_new || memcmp(place->seen, known, node->ncolumns) != 0)
	{
		is_new = false;
		memcpy(place->seen, known, node->ncolumns);
		place->is_single |= spread_by_kind(place, known, found);
		if (place->is_single)
			dp_known_add_whole(known, node->ncolumns);
	}
	return place->is_single;
}

bool
dp_known_spread(const DpNode *node, uint8 *known, DpLookUps *found)
{
	Place place = {.node = node};

	return spread(&place, known, found);
}

bool
dp_known_spread_match(const DpJoin *join, uint8 *known, DpLookUps *found)
{
	Place place = {.node = &join->node};

	begin(&place);
	return spread_over(&place, dp_equalities_of_row(&join->node), 1, known,
					   found);
}
