/*
 * text_items.c
 *		The canonical forms of what FROM reads.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "gate/facts/text_scope.h"
#include "gate/facts/value_text.h"
#include "gate/relations/protection.h"
#include "server/stack.h"

/* A scope for rows beneath, or in a part. */
static DpTextScope
scope_beneath(const DpTextScope *outer)
{
	return (DpTextScope){.rows = outer->rows,
						 .around = outer->around,
						 .is_rough = outer->is_rough,
						 .depends_on_zone = outer->depends_on_zone};
}

/*
 * Protected relations
 */

static const char *
column_name(Oid relation, AttrNumber number)
{
	return number <= 0 ? psprintf("s%d", number)
					   : dp_value_text_delimited(
							 'c', get_attname(relation, number, false));
}

/* A protected relation, and what of it is a privacy unit. */
static Node *
relation_form(const char *kind, Oid relation)
{
	const DpProtection *protection = dp_protection_of(relation);
	const char *unit = "row";

	if (protection->unit > 0)
		unit = column_name(relation, protection->unit);
	if (protection->unit == DP_UNIT_BY_PATH)
		unit = psprintf("%d%s%s",
						dp_protection_of(protection->path_relation)->member,
						nodeToString(protection->path_columns),
						nodeToString(protection->path_keys));
	return dp_text_list(
		kind, list_make2(makeString(psprintf("%d", protection->member)),
						 makeString(pstrdup(unit))));
}

/*
 * Items
 */

static void
add_scan(DpTextItem *item)
{
	const DpScan *scan = (const DpScan *) item->node;
	int i;

	item->form = relation_form("=scan", scan->relation);
	for (i = 0; i < scan->node.ncolumns; i++)
		item->names[i] = column_name(scan->relation, scan->attributes[i]);
}

static void
add_public(DpTextItem *item)
{
	const DpPublicRows *rows = (const DpPublicRows *) item->node;
	int i;

	item->form = dp_text_public(rows);
	for (i = 0; i < rows->node.ncolumns; i++)
		item->names[i] =
			psprintf("%d", rows->is_whole ? rows->attributes[i] : i + 1);
}

/* The columns of a node that are used, as numbers of its own: of integers. */
static List *
used_of(const DpTextItem *item, const Bitmapset *used)
{
	List *numbers = NIL;
	int i;

	for (i = 0; i < item->node->ncolumns; i++)
	{
		if (bms_is_member(item->start + i, used))
			numbers = lappend_int(numbers, i);
	}
	return numbers;
}

/* A union's columns are called by their places in its parts. */
static void
add_union(DpTextItem *item, const List *used, const DpTextScope *outer)
{
	List *parts = NIL;
	ListCell *cell;
	int i;

	foreach (cell, used)
		item->names[lfirst_int(cell)] =
			psprintf("%d", foreach_current_index(cell));
	for (i = 0; i < item->node->ninputs; i++)
	{
		const DpNode *input = item->node->inputs[i];
		DpTextScope scope = scope_beneath(outer);
		List *columns = NIL;
		Node *rows;

		foreach (cell, used)
			columns = lappend(columns,
							  (void *) dp_node_column(input, lfirst_int(cell)));
		rows =
			scope.rows(&scope, input, NIL, dp_expr_add_columns(NULL, columns));
		parts = lappend(
			parts,
			dp_text_list("=part", lcons(rows, dp_text_exprs(&scope, columns))));
	}
	item->form = dp_text_list("+union", parts);
}

/* A column as an expression over the row beneath. */
static const DpExpr *
column_expr(const DpNode *node, int number)
{
	if (node->kind == DP_NODE_PROJECT || node->kind == DP_NODE_GROUP)
		return list_nth(dp_node_exprs(node), number);
	if (node->kind == DP_NODE_WINDOW && number >= node->inputs[0]->ncolumns)
		return list_nth(((const DpWindow *) node)->calls,
						number - node->inputs[0]->ncolumns);
	return dp_node_column(node, number);
}

static Node *
over_form(const DpTextScope *scope, const DpWindow *window, int number,
		  Node *call)
{
	const DpWindowFrame *frame =
		list_nth(window->frames, number - window->node.inputs[0]->ncolumns);
	List *forms =
		list_make2(call, dp_text_list("&partition",
									  dp_text_exprs(scope, frame->partition)));
	ListCell *cell;
	ListCell *expr;

	forboth (cell, frame->directions, expr, frame->order)
	{
		const SortGroupClause *direction = lfirst_node(SortGroupClause, cell);

		forms = lappend(
			forms, dp_text_list(psprintf("=order %u %d", direction->sortop,
										 direction->nulls_first),
								list_make1(dp_text_expr(scope, lfirst(expr)))));
	}
	foreach (cell, list_make2(frame->start, frame->end))
		forms = lappend(forms, lfirst(cell) == NULL ? (Node *) makeString("-")
													: lfirst(cell));
	return dp_text_list(psprintf("=over %d", frame->options), forms);
}

/*
 * Rows beneath with other columns: groups, windows, views, joined rows. Columns
 * that are those beneath are called as they are there; others by their places
 * among these, as they are written.
 */
static void
add_derived(DpTextItem *item, const List *used, const DpTextScope *outer)
{
	const DpNode *node = item->node;
	bool is_join =
		node->kind == DP_NODE_JOIN || node->kind == DP_NODE_LEFT_JOIN;
	bool is_same = is_join || node->kind == DP_NODE_PROJECT; /* each row */
	DpTextScope scope = scope_beneath(outer);
	Bitmapset *beneath =
		dp_expr_add_columns(NULL, is_same ? NIL : dp_node_exprs(node));
	Node *rows;
	bool is_item;
	List *forms;
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, used)
		beneath = bms_join(
			beneath, dp_expr_columns(column_expr(node, lfirst_int(cell))));
	rows = scope.rows(&scope, is_join ? node : node->inputs[0], NIL, beneath);
	is_item = ((const DpTextItem *) linitial(scope.items))->form == rows;
	forms = list_make1(rows);
	foreach (cell, used)
	{
		const DpExpr *expr = column_expr(node, lfirst_int(cell));
		Node *form = dp_text_expr(&scope, expr);
		const char *name = IsA(form, String) ? strVal(form) : "^";

		if (name[0] == '^')
		{
			name = psprintf("=%d", list_length(columns));
			if (expr->kind == DP_EXPR_WINDOW_CALL)
				form = over_form(&scope, (const DpWindow *) node,
								 lfirst_int(cell), form);
			columns = lappend(columns, form);
		}
		item->names[lfirst_int(cell)] = name;
	}
	if (node->kind == DP_NODE_GROUP)
		forms = lappend(
			forms,
			dp_text_list(
				"&by", dp_text_exprs(&scope, ((const DpGroup *) node)->keys)));
	if (node->kind == DP_NODE_VIEW)
		forms = lappend(
			forms, relation_form("=of", ((const DpView *) node)->relation));
	item->form = dp_text_list(node->kind == DP_NODE_GROUP	 ? "=group"
							  : node->kind == DP_NODE_WINDOW ? "=window"
							  : node->kind == DP_NODE_VIEW	 ? "=view"
															 : "=rows",
							  list_concat(forms, columns));
	if (!is_same || columns != NIL)
		return;

	/* The rows beneath, with columns in another order. */
	item->form = rows;
	foreach (cell, is_item ? used : NIL)
		item->names[lfirst_int(cell)] =
			strchr(item->names[lfirst_int(cell)], '.') + 1;
}

/* outer: of the rows of which it is an item. */
void
dp_text_items_complete(DpTextItem *item, const Bitmapset *used,
					   const DpTextScope *outer)
{
	dp_stack_enter();
	item->names = palloc0((item->node->ncolumns + 1) * sizeof(char *));
	switch (item->node->kind)
	{
		case DP_NODE_SCAN:
			add_scan(item);
			break;
		case DP_NODE_PUBLIC:
			add_public(item);
			break;
		case DP_NODE_UNION:
			add_union(item, used_of(item, used), outer);
			break;
		case DP_NODE_RELEASE:
			elog(ERROR, "a question within a question");
		default:
			add_derived(item, used_of(item, used), outer);
			break;
	}
	item->source = dp_text_draft(item->form);
	item->said = "";
}
