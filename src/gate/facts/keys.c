/*
 * keys.c
 *		Columns that no two rows of a unit agree in.
 *
 * What is known of a node's row spreads through the nodes beneath, and back.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/unique_keys.h"
#include "gate/question/relations/protection.h"
#include "server/stack.h"

/* Columns of a node's row, or of the row that its expressions see. */
typedef struct Known
{
	Bitmapset *columns; /* what is known, by what it equals at least */
	Bitmapset *exact;	/* of these: it is one and the same value */
	Bitmapset *strict;	/* of these: an equation says so, so it is not null */
} Known;

/* Public rows that are met by a key, and these keys. */
typedef struct Found
{
	List *nodes;
	List *keys;
} Found;

static bool spread(const DpNode *node, Known *known, Found *found);

/*
 * What is known
 */

/* Those of some columns that are an input's, as numbers there. */
static Bitmapset *
slice(const Bitmapset *columns, int first, int count)
{
	Bitmapset *result = NULL;
	int column = first - 1;

	while ((column = bms_next_member(columns, column)) >= 0 &&
		   column < first + count)
		result = bms_add_member(result, column - first);
	return result;
}

static Bitmapset *
add_shifted(Bitmapset *columns, const Bitmapset *more, int first)
{
	int column = -1;

	while ((column = bms_next_member(more, column)) >= 0)
		columns = bms_add_member(columns, first + column);
	return columns;
}

static Known
slice_known(const Known *known, int first, int count)
{
	Known result;

	result.columns = slice(known->columns, first, count);
	result.exact = slice(known->exact, first, count);
	result.strict = slice(known->strict, first, count);
	return result;
}

static Known
copy_known(const Known *known)
{
	Known copy = {bms_copy(known->columns), bms_copy(known->exact),
				  bms_copy(known->strict)};

	return copy;
}

/* Adds what is known of an input; what is strict is so by this row alone. */
static void
add_known(Known *known, const Known *more, int first)
{
	known->columns = add_shifted(known->columns, more->columns, first);
	known->exact = add_shifted(known->exact, more->exact, first);
}

static void
add_whole(Known *known, int first, int count)
{
	if (count == 0)
		return;
	known->columns = bms_add_range(known->columns, first, first + count - 1);
	known->exact = bms_add_range(known->exact, first, first + count - 1);
}

static int
amount(const Known *known)
{
	return bms_num_members(known->columns) + bms_num_members(known->exact) +
		   bms_num_members(known->strict);
}

static bool
finds_unknown(const DpExpr *expr, void *context)
{
	const Known *known = context;
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
is_exact(const DpExpr *expr, const Known *known)
{
	return !dp_expr_visit(expr, finds_unknown, (void *) known);
}

/* The same of values that are equal. */
static bool
is_known(const DpExpr *expr, const Known *known)
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
add_equal(Known *known, const DpEqualities *equal)
{
	ListCell *class;
	ListCell *cell;

	foreach (class, equal)
	{
		Bitmapset *columns = NULL;

		foreach (cell, (List *) lfirst(class))
		{
			const DpExpr *column = lfirst(cell);

			if (column->column.depth == 0)
				columns = bms_add_member(columns, column->column.number);
		}
		if (bms_overlap(columns, known->columns))
			known->columns = bms_add_members(known->columns, columns);
	}
}

/* The same where a condition compares a column with an expression. */
static void
add_compared(Known *known, const List *conditions)
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
				!is_known(condition->args[1 - side], known))
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
spread_input(const DpNode *node, int input, Known *known, Found *found)
{
	int first = dp_node_offset(node, input);
	Known own = slice_known(known, first, node->inputs[input]->ncolumns);
	bool is_single = spread(node->inputs[input], &own, found);

	add_known(known, &own, first);
	return is_single;
}

static bool
spread_join(const DpJoin *join, Known *known, Found *found)
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

/* What is known in the rows in which the nullable side of a left join matches. */
static bool
spread_match(const DpJoin *join, Known *known, Found *found)
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

static bool
are_known(const List *exprs, const Known *known)
{
	ListCell *cell;

	foreach (cell, exprs)
	{
		if (!is_known(lfirst(cell), known))
			return false;
	}
	return true;
}

static bool
spread_left_join(const DpJoin *join, Known *known, Found *found)
{
	const DpNode *node = &join->node;
	int right = dp_node_offset(node, 1);
	bool is_single = spread_input(node, 0, known, found);
	Known match;
	Known whole;
	bool match_is_single;

	add_equal(known, node->facts->equal);
	match = copy_known(known);
	match_is_single = spread_match(join, &match, found);
	whole = copy_known(known); /* without what holds in matches alone */
	add_whole(&whole, right, node->inputs[1]->ncolumns);
	if (match_is_single && are_known(join->conditions, &whole))
		add_whole(known, right, node->inputs[1]->ncolumns);
	return is_single && match_is_single;
}

/*
 * Other nodes
 */

/* What is known of the input, by columns that are expressions over it. */
static Known
known_beneath(const Known *known, List *exprs)
{
	Known result = {0};
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
spread_group(const DpGroup *group, Known *known, Found *found)
{
	Known beneath = known_beneath(known, group->keys);
	bool all = true;
	ListCell *cell;

	beneath.exact = NULL; /* one of several equal values stands for them */
	(void) spread(group->node.inputs[0], &beneath, found);
	foreach (cell, dp_node_exprs(&group->node))
	{
		const DpExpr *expr = lfirst(cell);
		int number = foreach_current_index(cell);

		if (expr->kind != DP_EXPR_AGGREGATE && is_known(expr, &beneath))
			known->columns = bms_add_member(known->columns, number);
		all = all && (number >= list_length(group->keys) ||
					  bms_is_member(number, known->columns));
	}
	return all;
}

static bool
spread_project(const DpProject *project, Known *known, Found *found)
{
	Known beneath = known_beneath(known, project->exprs);
	bool is_single = spread(project->node.inputs[0], &beneath, found);
	ListCell *cell;

	foreach (cell, project->exprs)
	{
		int number = foreach_current_index(cell);

		if (is_known(lfirst(cell), &beneath))
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
look_up(const DpNode *node, const Known *known, Found *found)
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
spread_by_kind(const DpNode *node, Known *known, Found *found)
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

/*
 * Adds all that follows from what is known of a node's row. True if a unit has
 * at most one such row; of what is public, if there is one at most.
 */
static bool
spread(const DpNode *node, Known *known, Found *found)
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
	add_whole(known, 0, node->ncolumns);
	return true;
}

/*
 * Facts
 */

/* The columns of a node that have these attributes; false: it lacks one. */
static bool
find_columns(const AttrNumber *attributes, int count, const List *wanted,
			 Bitmapset **columns)
{
	ListCell *cell;
	int i;

	*columns = NULL;
	foreach (cell, wanted)
	{
		for (i = 0; i < count; i++)
		{
			if (attributes[i] == lfirst_int(cell))
				break;
		}
		if (i == count)
			return false;
		*columns = bms_add_member(*columns, i);
	}
	return true;
}

static List *
keys_of_scan(const DpScan *scan)
{
	const DpProtection *protection = dp_gate_protection(scan->relation);
	List *keys = NIL;
	Bitmapset *columns;
	ListCell *cell;

	if (protection->unit_is_unique) /* null identifies nobody */
		keys = list_make1(NULL);
	foreach (cell, dp_unique_keys_of(scan->relation))
	{
		const DpUniqueKey *key = lfirst(cell);

		if (key->is_not_null &&
			find_columns(scan->attributes, scan->node.ncolumns, key->columns,
						 &columns))
			keys = lappend(keys, columns);
	}
	return keys;
}

static List *
keys_of_public(const DpPublicRows *rows)
{
	List *keys = NIL;
	Bitmapset *columns;
	ListCell *cell;

	if (!OidIsValid(rows->relation) || rows->attributes == NULL)
		return NIL;
	foreach (cell, dp_unique_keys_of(rows->relation))
	{
		const DpUniqueKey *key = lfirst(cell);

		if (key->can_be_checked &&
			find_columns(rows->attributes, rows->node.ncolumns, key->columns,
						 &columns))
			keys = lappend(keys, columns);
	}
	return keys;
}

/* Those of a group's keys that a unit does not tell. */
static List *
keys_of_group(const DpGroup *group)
{
	Known beneath = {0};
	Bitmapset *columns = NULL;
	ListCell *cell;

	(void) spread(group->node.inputs[0], &beneath, NULL);
	foreach (cell, group->keys)
	{
		if (!is_known(lfirst(cell), &beneath))
			columns = bms_add_member(columns, foreach_current_index(cell));
	}
	return list_make1(columns);
}

DpRowKeys
dp_keys_of(const DpNode *node)
{
	DpRowKeys result = {0};
	Known known = {0};

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			result.keys = keys_of_scan((const DpScan *) node);
			result.one_row = list_member_ptr(result.keys, NULL);
			return result;
		case DP_NODE_PUBLIC:
			result.keys = keys_of_public((const DpPublicRows *) node);
			return result;
		case DP_NODE_GROUP:
			result.keys = keys_of_group((const DpGroup *) node);
			break;
		default:
			break;
	}
	result.one_row = spread(node, &known, NULL);
	result.known = known.columns;
	return result;
}

/*
 * Questions
 */

bool
dp_keys_one_row(const DpNode *rows, List *exprs)
{
	Known known = {0};
	ListCell *cell;

	foreach (cell, exprs)
	{
		const DpExpr *column = dp_expr_column_of(lfirst(cell));

		if (column != NULL && column->column.depth == 0)
			known.columns =
				bms_add_member(known.columns, column->column.number);
	}
	return spread(rows, &known, NULL);
}

bool
dp_keys_one_group(const DpNode *rows, List *exprs)
{
	Known known = {0};

	(void) spread(rows, &known, NULL);
	return exprs != NIL && are_known(exprs, &known);
}

/* The scan whose rows and columns are only chosen; NULL: there is more. */
static const DpScan *
find_chosen(const DpNode *node)
{
	while ((node->kind == DP_NODE_JOIN && node->ninputs == 1) ||
		   node->kind == DP_NODE_PROJECT || node->kind == DP_NODE_VIEW)
		node = node->inputs[0];
	return node->kind == DP_NODE_SCAN ? (const DpScan *) node : NULL;
}

/* The only thing owned in a join, if its rows are chosen from one relation. */
static const DpScan *
find_only_scan(const DpNode *node)
{
	const DpNode *only = NULL;
	int i;

	dp_stack_enter();
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return find_chosen(node);
	for (i = 0; i < node->ninputs; i++)
	{
		if (!node->inputs[i]->facts->owner.is_owned)
			continue;
		if (only != NULL)
			return NULL;
		only = node->inputs[i];
	}
	return only == NULL ? NULL : find_only_scan(only);
}

bool
dp_keys_units_are_rows(const DpNode *rows, List **looked_up, List **by)
{
	const DpScan *scan = find_only_scan(rows);
	Known known = {0};
	Found found = {0};

	if (scan == NULL || !dp_gate_protection(scan->relation)->unit_is_unique ||
		!spread(rows, &known, &found))
		return false;
	*looked_up = found.nodes;
	*by = found.keys;
	return true;
}

bool
dp_keys_is_look_up(const DpNode *left_join, Bitmapset **by)
{
	Known known = {0};
	Found found = {0};

	if (left_join->inputs[1]->kind != DP_NODE_PUBLIC)
		return false;
	add_whole(&known, 0, left_join->inputs[0]->ncolumns);
	if (!spread_match((const DpJoin *) left_join, &known, &found))
		return false;
	*by = linitial(found.keys);
	return true;
}
