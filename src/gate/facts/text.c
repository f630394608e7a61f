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
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/facts/text.h"
#include "gate/facts/text_forms.h"
#include "gate/facts/value_text.h"
#include "gate/question/relations/protection.h"
#include "server/stack.h"

/* A condition, and where the row that it sees begins in that of FROM. */
typedef struct Condition
{
	const DpExpr *expr;
	int base;
} Condition;

/* FROM while it is flattened. */
typedef struct Flat
{
	List *items;	  /* of const DpNode */
	List *starts;	  /* beside: their first columns */
	List *joins;	  /* beside: NIL, or of Condition after a NULL */
	List *conditions; /* of Condition */
} Flat;

List *
dp_text_list(const char *word, List *forms)
{
	return lcons(makeString(pstrdup(word)), forms);
}

static List *
add_conditions(List *result, List *exprs, int base)
{
	List *arms = NIL;
	ListCell *cell;

	foreach (cell, exprs)
		arms = dp_expr_arms(lfirst(cell), arms);
	foreach (cell, arms)
	{
		Condition *condition = palloc(sizeof(Condition));

		*condition = (Condition){lfirst(cell), base};
		result = lappend(result, condition);
	}
	return result;
}

static void
add_item(Flat *flat, const DpNode *node, int start, List *join)
{
	flat->items = lappend(flat->items, (void *) node);
	flat->starts = lappend_int(flat->starts, start);
	flat->joins = lappend(flat->joins, join);
}

static void
flatten(const DpNode *node, int base, Flat *flat)
{
	int i;

	dp_stack_enter();
	switch (node->kind)
	{
		case DP_NODE_JOIN:
			for (i = 0; i < node->ninputs; i++)
				flatten(node->inputs[i], base + dp_node_offset(node, i), flat);
			flat->conditions = add_conditions(
				flat->conditions, ((const DpJoin *) node)->conditions, base);
			break;
		case DP_NODE_LEFT_JOIN:
			flatten(node->inputs[0], base, flat);
			add_item(flat, node->inputs[1], base + dp_node_offset(node, 1),
					 add_conditions(list_make1(NULL),
									((const DpJoin *) node)->conditions, base));
			break;
		default:
			add_item(flat, node, base, NIL);
			break;
	}
}

/*
 * Equal columns
 */

/* A column of a condition as one of FROM's row. */
static const DpExpr *
column_in_row(const DpExpr *column, int base)
{
	DpColumnName name = column->column;

	if (name.depth == 0)
		name.number += base;
	return dp_expr_column(name, column->type, -1);
}

/*
 * Whether a condition is one from which it is learned that columns are equal
 * (dp_equalities_learn): then it is written as their class.
 */
static bool
learn_equation(const Condition *condition, DpEqualities **classes)
{
	const DpExpr *expr = condition->expr;
	const DpExpr *left;
	const DpExpr *right;

	if (expr->kind != DP_EXPR_CALL || expr->nargs != 2 ||
		!OidIsValid(expr->call.operator))
		return false;
	left = dp_expr_column_of(expr->args[0]);
	right = dp_expr_column_of(expr->args[1]);
	if (left == NULL || right == NULL ||
		(left->column.depth == right->column.depth &&
		 left->column.number == right->column.number) ||
		!dp_equalities_equates(expr, left) ||
		!dp_equalities_equates(expr, right))
		return false;
	*classes = dp_equalities_add(*classes, column_in_row(left, condition->base),
								 column_in_row(right, condition->base));
	return true;
}

/* The columns of classes, each by its own name alone where the scope is apart. */
static List *
class_forms(const DpTextScope *scope, const DpEqualities *classes,
			const char *word)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *member;

	foreach (cell, (const List *) classes)
	{
		List *forms = NIL;

		foreach (member, (List *) lfirst(cell))
		{
			DpColumnName name = ((const DpExpr *) lfirst(member))->column;

			forms =
				lappend(forms, dp_text_column(scope, name.depth, name.number));
		}
		result = lappend(result, dp_text_list(word, forms));
	}
	return result;
}

/* A condition over the row of FROM. */
static List *
add_condition_form(DpTextScope *scope, const Condition *condition, List *forms)
{
	scope->base = condition->base;
	forms = dp_text_arms(scope, list_make1((void *) condition->expr), forms);
	scope->base = 0;
	return forms;
}

/* How an item is joined outer; NULL: it is not. */
static Node *
join_form(DpTextScope *scope, List *join)
{
	DpTextScope on = *scope;
	DpEqualities *classes = NIL;
	List *others = NIL;
	List *forms;
	ListCell *cell;

	if (join == NIL)
		return NULL;
	for_each_from (cell, join, 1)
	{
		if (!learn_equation(lfirst(cell), &classes))
			others = lappend(others, lfirst(cell));
	}
	on.is_apart = true;
	forms = class_forms(&on, classes, "&equal");
	on.is_apart = false;
	on.equal = dp_equalities_join(dp_equalities_copy(scope->equal), classes);
	foreach (cell, others)
		forms = add_condition_form(&on, lfirst(cell), forms);
	return (Node *) dp_text_list("on", forms);
}

static List *item_form(const DpNode *node, const DpTextScope *outer);

List *
dp_text_rows(const DpNode *node, List *conditions, DpTextScope *scope)
{
	Flat flat = {NIL, NIL, NIL, NIL};
	DpEqualities *classes = NIL;
	List *others = NIL;
	List *items = NIL;
	List *joins = NIL;
	List *equal;
	List *forms = NIL;
	ListCell *cell;

	flatten(node, 0, &flat);
	flat.conditions = add_conditions(flat.conditions, conditions, 0);
	foreach (cell, flat.conditions)
	{
		if (!learn_equation(lfirst(cell), &classes))
			others = lappend(others, lfirst(cell));
	}
	scope->starts = flat.starts;
	scope->base = 0;

	/* What makes columns equal is written with each one's own name. */
	scope->equal = NIL;
	equal = class_forms(scope, classes, "&equal");
	scope->equal = dp_equalities_join(
		dp_equalities_copy(node->facts == NULL ? NIL : node->facts->equal),
		classes);
	foreach (cell, others)
		forms = add_condition_form(scope, lfirst(cell), forms);
	foreach (cell, flat.items)
		items = lappend(items, item_form(lfirst(cell), scope));
	foreach (cell, flat.joins)
		joins = lappend(joins, join_form(scope, lfirst(cell)));
	return list_make5(makeString("from"), items, joins, equal, forms);
}

/*
 * Items
 */

/* What of a relation is a privacy unit. */
static char *
unit_text(const DpProtection *protection)
{
	StringInfoData text;
	ListCell *column;
	ListCell *key;

	if (protection->unit > 0)
		return dp_value_text_delimited(
			'u', get_attname(protection->relation, protection->unit, false));
	if (protection->unit != DP_UNIT_BY_PATH)
		return "";
	initStringInfo(&text);
	appendStringInfo(&text, "p%d(",
					 dp_gate_protection(protection->path_relation)->member);
	forboth (column, protection->path_columns, key, protection->path_keys)
		appendStringInfo(
			&text, "%s=%s",
			dp_value_text_delimited(
				'c', get_attname(protection->relation,
								 (AttrNumber) lfirst_int(column), false)),
			dp_value_text_delimited(
				'c', get_attname(protection->path_relation,
								 (AttrNumber) lfirst_int(key), false)));
	appendStringInfoChar(&text, ')');
	return text.data;
}

static List *
scan_form(const DpScan *scan)
{
	const DpProtection *protection = dp_gate_protection(scan->relation);
	List *columns = NIL;
	int i;

	for (i = 0; i < scan->node.ncolumns; i++)
	{
		AttrNumber number = scan->attributes[i];

		columns = lappend(
			columns,
			makeString(number <= 0 ? psprintf("s%d", number)
								   : dp_value_text_delimited(
										 'c', get_attname(scan->relation,
														  number, false))));
	}
	return list_make4(makeString("scan"),
					  makeString(psprintf("r%d%s", protection->member,
										  unit_text(protection))),
					  columns, NIL);
}

/* Expressions over the row of a scope. */
static List *
expr_forms(const DpTextScope *scope, List *exprs)
{
	List *forms = NIL;
	ListCell *cell;

	foreach (cell, exprs)
		forms = lappend(forms, dp_text_expr(scope, lfirst(cell), false));
	return forms;
}

/* All columns of the row of a scope. */
static List *
column_forms(const DpTextScope *scope, int count)
{
	List *forms = NIL;
	int i;

	for (i = 0; i < count; i++)
		forms = lappend(forms, dp_text_column(scope, 0, i));
	return forms;
}

/* An aggregate or a window function of a unit's rows. */
static Node *
total_form(const DpTextScope *scope, const DpExpr *expr,
		   const DpWindowFrame *frame)
{
	const DpTotal *total = expr->total;
	List *args = NIL;
	List *forms;
	ListCell *cell;
	int i;

	for (i = 0; i < expr->nargs; i++)
		args = lappend(args, dp_text_expr(scope, expr->args[i], false));
	forms = list_make2(dp_text_list("=of", args),
					   total->filter == NULL
						   ? (Node *) makeString("-")
						   : dp_text_expr(scope, total->filter, false));
	if (frame == NULL)
		return (Node *) dp_text_list(
			psprintf("=agg%u%s", total->function,
					 total->is_distinct ? "distinct" : ""),
			forms);
	forms = lappend(
		forms, dp_text_list("&partition", expr_forms(scope, frame->partition)));
	for (i = 0; i < list_length(frame->order); i++)
	{
		const SortGroupClause *direction =
			list_nth_node(SortGroupClause, frame->directions, i);

		forms = lappend(
			forms,
			dp_text_list(psprintf("=order%u%s", direction->sortop,
								  direction->nulls_first ? "first" : "last"),
						 list_make1(dp_text_expr(
							 scope, list_nth(frame->order, i), false))));
	}
	foreach (cell, list_make2(frame->start, frame->end))
		forms = lappend(forms, lfirst(cell) == NULL ? (void *) makeString("-")
													: lfirst(cell));
	return (Node *) dp_text_list(
		psprintf("=win%u frame%d", total->function, frame->options), forms);
}

static List *
group_form(const DpGroup *group, const DpTextScope *scope, List *rows)
{
	List *columns = expr_forms(scope, group->keys);
	ListCell *cell;

	foreach (cell, group->aggregates)
	{
		const DpExpr *expr = lfirst(cell);

		columns = lappend(columns, expr->kind == DP_EXPR_AGGREGATE
									   ? total_form(scope, expr, NULL)
									   : dp_text_expr(scope, expr, false));
	}
	return list_make5(makeString("group"), NULL, columns, rows,
					  makeInteger(list_length(group->keys)));
}

static List *
window_form(const DpWindow *window, const DpTextScope *scope, List *rows)
{
	List *columns = column_forms(scope, window->node.inputs[0]->ncolumns);
	ListCell *call;
	ListCell *frame;

	forboth (call, window->calls, frame, window->frames)
		columns =
			lappend(columns, total_form(scope, lfirst(call), lfirst(frame)));
	return list_make4(makeString("window"), NULL, columns, rows);
}

/* Rows, and all of their columns. */
static List *
union_form(const DpNode *node, const DpTextScope *outer)
{
	List *parts = NIL;
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		DpTextScope scope = {.around = outer->around,
							 .depends_on_zone = outer->depends_on_zone};
		List *rows = dp_text_rows(node->inputs[i], NIL, &scope);

		parts = lappend(
			parts,
			dp_text_list(
				"with",
				lcons(rows, column_forms(&scope, node->inputs[i]->ncolumns))));
	}
	return list_make4(makeString("union"), NULL, NIL, parts);
}

/* outer: of the rows of which it is an item. */
static List *
item_form(const DpNode *node, const DpTextScope *outer)
{
	DpTextScope scope = {.around = outer->around,
						 .depends_on_zone = outer->depends_on_zone};
	List *rows;

	dp_stack_enter();
	switch (node->kind)
	{
		case DP_NODE_SCAN:
			return scan_form((const DpScan *) node);
		case DP_NODE_PUBLIC:
		{
			List *columns;
			Node *label = dp_text_public((const DpPublicRows *) node, &columns);

			return list_make4(makeString("public"), label, columns, NIL);
		}
		case DP_NODE_UNION:
			return union_form(node, outer);
		case DP_NODE_JOIN: /* on a nullable side */
		case DP_NODE_LEFT_JOIN:
			rows = dp_text_rows(node, NIL, &scope);
			return list_make4(makeString("rows"), NULL,
							  column_forms(&scope, node->ncolumns), rows);
		default:
			break;
	}
	rows = dp_text_rows(node->inputs[0], NIL, &scope);
	switch (node->kind)
	{
		case DP_NODE_GROUP:
			return group_form((const DpGroup *) node, &scope, rows);
		case DP_NODE_WINDOW:
			return window_form((const DpWindow *) node, &scope, rows);
		case DP_NODE_VIEW:
		{
			const DpProtection *protection =
				dp_gate_protection(((const DpView *) node)->relation);

			return list_make4(makeString("view"),
							  makeString(psprintf("v%d%s", protection->member,
												  unit_text(protection))),
							  column_forms(&scope, node->ncolumns), rows);
		}
		case DP_NODE_PROJECT:
			return list_make4(
				makeString("rows"), NULL,
				expr_forms(&scope, ((const DpProject *) node)->exprs), rows);
		default:
			elog(ERROR, "unexpected node %d in a question", (int) node->kind);
	}
}

DpText *
dp_text_of(const DpNode *rows, List *conditions, List *exprs,
		   bool *depends_on_zone)
{
	bool ignored = false;
	DpTextScope scope = {.depends_on_zone = depends_on_zone == NULL
												? &ignored
												: depends_on_zone};
	List *from = dp_text_rows(rows, conditions, &scope);

	return (DpText *) dp_text_list("with",
								   lcons(from, expr_forms(&scope, exprs)));
}
