/*
 * text.c
 *		The canonical form of rows.
 *
 * FROM is flattened: rows a LEFT JOIN b, joined to c, are a and c with their
 * conditions, and b joined outer, in whatever order they are written. That is
 * the same: what is joined outer takes no row away, so whatever else is joined
 * or required of other rows may come before or after. What is on the nullable
 * side stays one item.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/guc.h"

#include "gate/facts/facts.h"
#include "gate/facts/text_scope.h"
#include "server/settings.h"
#include "server/stack.h"

static List *
add_conditions(List *conditions, const DpJoin *join, int start)
{
	foreach_ptr (const DpExpr, expr, join->conditions)
		conditions = dp_expr_arms(dp_expr_shift(expr, start), conditions);
	return conditions;
}

static void
add_item(DpTextScope *scope, const DpNode *node, int start, const DpJoin *outer,
		 int outer_start)
{
	DpTextItem *item = palloc0(sizeof(DpTextItem));

	item->node = node;
	item->start = start;
	item->is_outer = outer != NULL;
	if (outer != NULL)
		item->on = add_conditions(NIL, outer, outer_start);
	scope->items = lappend(scope->items, item);
}

/* Adds items to a scope, and what all of their rows fulfil to a list. */
static List *
flatten(DpTextScope *scope, const DpNode *node, int start, List *conditions)
{
	const DpJoin *join = (const DpJoin *) node;
	int i;

	dp_stack_enter();
	if (node->kind == DP_NODE_LEFT_JOIN)
	{
		conditions = flatten(scope, node->inputs[0], start, conditions);
		add_item(scope, node->inputs[1], start + dp_node_offset(node, 1), join,
				 start);
		return conditions;
	}
	if (node->kind != DP_NODE_JOIN)
	{
		add_item(scope, node, start, NULL, 0);
		return conditions;
	}
	for (i = 0; i < node->ninputs; i++)
		conditions = flatten(scope, node->inputs[i],
							 start + dp_node_offset(node, i), conditions);
	return add_conditions(conditions, join, start);
}

/*
 * Conditions
 */

/* A class of columns that are equal, each by its own name. */
static Node *
class_form(const DpTextScope *scope, const List *class)
{
	DpTextScope apart = *scope;
	List *names = NIL;

	apart.equal = NIL;
	foreach_ptr (const DpExpr, expr, class)
		names = lappend(names, strVal(dp_text_expr(&apart, expr)));
	return (Node *) makeString(dp_text_join_sorted("equal", names));
}

/* Conditions that all hold: what they say, whatever items are called. */
typedef struct Conditions
{
	DpEqualities *classes; /* of columns that they equate */
	List *others;		   /* those that equate none */
	DpEqualities *equal;   /* what is equal where they hold */
} Conditions;

static Conditions
learn(const List *conditions, const DpEqualities *equal)
{
	Conditions result = {.equal = list_copy(equal)};
	ListCell *cell;

	foreach (cell, conditions)
	{
		DpEqualities *learned = dp_equalities_learn(NIL, lfirst(cell));

		if (learned == NIL)
			result.others = lappend(result.others, lfirst(cell));
		else
			result.classes = dp_equalities_join(result.classes, learned);
	}
	result.equal = dp_equalities_join(result.equal, result.classes);
	return result;
}

/*
 * Their forms. Those by which columns are equal are their classes, by which the
 * others, and expressions afterwards, name columns.
 */
static Node *
conditions_form(DpTextScope *scope, const Conditions *conditions)
{
	List *forms = NIL;
	ListCell *cell;

	foreach (cell, (List *) conditions->classes)
		forms = lappend(forms, class_form(scope, lfirst(cell)));
	scope->equal = conditions->equal;
	return dp_text_list(
		"|and", list_concat(forms, dp_text_exprs(scope, conditions->others)));
}

static Node *
on_form(const DpTextScope *scope, const DpTextItem *item)
{
	Conditions conditions = learn(item->on, scope->equal);
	DpTextScope on = *scope;

	return conditions_form(&on, &conditions);
}

/*
 * The order of items: by what they are, and of those that are the same by what
 * conditions say of them.
 */

static int
compare_kinds(const DpTextItem *one, const DpTextItem *other)
{
	return one->is_outer != other->is_outer
			   ? (int) one->is_outer - (int) other->is_outer
			   : strcmp(one->source, other->source);
}

static int
compare_items(const ListCell *a, const ListCell *b)
{
	const DpTextItem *one = lfirst(a);
	const DpTextItem *other = lfirst(b);
	int result = compare_kinds(one, other);

	if (result == 0)
		result = strcmp(one->said, other->said);
	return result != 0 ? result : one->start - other->start;
}

static char *
said_of(const DpTextScope *scope, DpTextItem *item,
		const Conditions *conditions)
{
	DpTextScope rough = *scope;
	const char *place = item->place;
	List *forms;

	rough.is_rough = true;
	item->place = "@";
	forms = list_make1(conditions_form(&rough, conditions));
	foreach_ptr (const DpTextItem, other, scope->items)
	{
		if (other->is_outer)
			forms = lappend(
				forms, dp_text_list(
						   "=on", list_make2(makeString(pstrdup(other->place)),
											 on_form(&rough, other))));
	}
	item->place = place;
	return dp_text_draft(dp_text_list("+said", forms));
}

static void
order_items(DpTextScope *scope, const Conditions *conditions)
{
	const DpTextItem *before = NULL;
	bool is_tied = false;
	ListCell *cell;

	list_sort(scope->items, compare_items);
	foreach_ptr (DpTextItem, item, scope->items)
	{
		bool is_same = before != NULL && compare_kinds(before, item) == 0;

		item->place = is_same ? before->place
							  : psprintf("%d", foreach_current_index(item));
		is_tied = is_tied || is_same;
		before = item;
	}
	if (!is_tied)
		return;
	foreach (cell, scope->is_rough ? NIL : scope->items)
		((DpTextItem *) lfirst(cell))->said =
			said_of(scope, lfirst(cell), conditions);
	list_sort(scope->items, compare_items);
	foreach (cell, scope->items)
		((DpTextItem *) lfirst(cell))->place =
			psprintf("%d", foreach_current_index(cell));
}

static Node *
rows_form(DpTextScope *scope, const DpNode *node, List *conditions,
		  Bitmapset *used)
{
	List *forms = NIL;
	Conditions learned;
	Node *where;
	ListCell *cell;

	scope->items = NIL;
	scope->equal = node->facts->equal;
	conditions = flatten(scope, node, 0, list_copy(conditions));
	used = dp_expr_add_columns(used, conditions);
	foreach (cell, scope->items)
		used = dp_expr_add_columns(used, ((DpTextItem *) lfirst(cell))->on);
	foreach (cell, scope->items)
		dp_text_items_complete(lfirst(cell), used, scope);
	learned = learn(conditions, scope->equal);
	order_items(scope, &learned);
	where = conditions_form(scope, &learned);
	foreach_ptr (const DpTextItem, item, scope->items)
		forms = lappend(
			forms, item->is_outer
					   ? dp_text_list("=left", list_make2(item->form,
														  on_form(scope, item)))
					   : item->form);
	if (list_length((List *) where) > 1)
		forms = lappend(forms, dp_text_list("=where", list_make1(where)));
	return list_length(forms) == 1 ? linitial(forms)
								   : dp_text_list("=from", forms);
}

List *
dp_text_of(const DpNode *rows, List *conditions, List *exprs,
		   bool *depends_on_zone)
{
	bool ignored = false;
	DpTextScope scope = {.rows = rows_form,
						 .depends_on_zone = depends_on_zone == NULL
												? &ignored
												: depends_on_zone};
	int nest = dp_setting_plain_texts();
	List *arms = NIL;
	List *forms;

	foreach_ptr (const DpExpr, expr, conditions)
		arms = dp_expr_arms(expr, arms);
	forms = list_make1(
		rows_form(&scope, rows, arms, dp_expr_add_columns(NULL, exprs)));
	forms = list_concat(forms, dp_text_exprs(&scope, exprs));
	AtEOXact_GUC(true, nest);
	return forms;
}
