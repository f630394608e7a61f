/*
 * print.c
 *		Trees as text, for dp_noise.describe_question and for debugging.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/tree/kinds.h"
#include "gate/tree/print.h"

static void
print_constant(StringInfo text, const DpExpr *expr)
{
	Oid output;
	bool varlena;

	if (expr->constant.isnull)
	{
		appendStringInfoString(text, "null");
		return;
	}
	getTypeOutputInfo(expr->type.oid, &output, &varlena);
	appendStringInfo(text, "'%s'",
					 OidOutputFunctionCall(output, expr->constant.value));
}

static void
print_args(StringInfo text, const char *name, const DpExpr *expr)
{
	int i;

	appendStringInfo(text, "%s(", name);
	for (i = 0; i < expr->nargs; i++)
	{
		appendStringInfoString(text, i == 0 ? "" : ", ");
		dp_print_expr(text, expr->args[i]);
	}
	appendStringInfoChar(text, ')');
}

static void
print_call(StringInfo text, const DpExpr *expr)
{
	const char *name;

	if (!OidIsValid(expr->call.operator))
	{
		name = get_func_name(expr->call.function);
		print_args(text, name == NULL ? "?" : name, expr);
		return;
	}
	name = get_opname(expr->call.operator);
	appendStringInfoChar(text, '(');
	if (expr->nargs == 2)
	{
		dp_print_expr(text, expr->args[0]);
		appendStringInfoChar(text, ' ');
	}
	appendStringInfo(text, "%s ", name == NULL ? "?" : name);
	dp_print_expr(text, expr->args[expr->nargs - 1]);
	appendStringInfoChar(text, ')');
}

static void
print_subquery(StringInfo text, const DpExpr *expr)
{
	static const char *const forms[] = {
		[EXISTS_SUBLINK] = "exists", [ALL_SUBLINK] = "all",
		[ANY_SUBLINK] = "any",		 [ROWCOMPARE_SUBLINK] = "row",
		[EXPR_SUBLINK] = "value",
	};
	const DpNode *rows = expr->subquery->rows;
	int form = (int) expr->subquery->form;

	print_args(text, form < (int) lengthof(forms) ? forms[form] : "subquery",
			   expr);
	appendStringInfoString(text, " of [");
	while (rows->ninputs > 0)
	{
		dp_print_node(text, rows);
		appendStringInfoString(text, " of ");
		rows = rows->inputs[0];
	}
	dp_print_node(text, rows);
	appendStringInfoChar(text, ']');
}

void
dp_print_expr(StringInfo text, const DpExpr *expr)
{
	int i;

	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			for (i = 0; i < expr->column.depth; i++)
				appendStringInfoChar(text, '^');
			appendStringInfo(text, "#%d", expr->column.number);
			break;
		case DP_EXPR_CONSTANT:
			print_constant(text, expr);
			break;
		case DP_EXPR_PARAMETER:
			appendStringInfo(text, "$%d", expr->parameter);
			break;
		case DP_EXPR_CALL:
			print_call(text, expr);
			break;
		case DP_EXPR_SUBQUERY:
			print_subquery(text, expr);
			break;
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			print_args(text, get_func_name(expr->total->function), expr);
			break;
		case DP_EXPR_NULL_TEST:
			print_args(text, expr->is_negated ? "not_null" : "null", expr);
			break;
		default:
			print_args(text, dp_kinds_get(expr->kind)->word, expr);
	}
}

/* Expressions, separated by commas. */
static void
print_exprs(StringInfo text, List *exprs)
{
	foreach_ptr (const DpExpr, expr, exprs)
	{
		appendStringInfoString(text,
							   foreach_current_index(expr) == 0 ? "" : ", ");
		dp_print_expr(text, expr);
	}
}

void
dp_print_columns(StringInfo text, const Bitmapset *columns)
{
	int number = -1;
	int count = 0;

	while ((number = bms_next_member(columns, number)) >= 0)
		appendStringInfo(text, "%s#%d", count++ == 0 ? "" : " ", number);
}

static void
print_relation(StringInfo text, const char *word, Oid relation)
{
	const char *name = get_rel_name(relation);

	appendStringInfo(text, "%s %s", word, name == NULL ? "?" : name);
}

static void
print_question(StringInfo text, const DpQuestion *question)
{
	appendStringInfoString(text, "release by (");
	print_exprs(text, question->keys);
	appendStringInfoString(text, ") of ");
	foreach_ptr (const DpAsked, asked, question->aggregates)
	{
		appendStringInfo(text, "%s%s(",
						 foreach_current_index(asked) == 0 ? "" : ", ",
						 get_func_name(asked->aggref->aggfnoid));
		print_exprs(text, asked->args);
		appendStringInfoChar(text, ')');
		if (asked->filter == NULL)
			continue;
		appendStringInfoString(text, " filter ");
		dp_print_expr(text, asked->filter);
	}
}

void
dp_print_node(StringInfo text, const DpNode *node)
{
	switch (node->kind)
	{
		case DP_NODE_SCAN:
			print_relation(text, "scan", ((const DpScan *) node)->relation);
			if (((const DpScan *) node)->is_followed)
				appendStringInfoString(text, " along a path");
			break;
		case DP_NODE_PUBLIC:
			appendStringInfo(text, "public %s",
							 ((const DpPublicRows *) node)->name);
			break;
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
			appendStringInfoString(text, node->kind == DP_NODE_LEFT_JOIN
											 ? "left join on "
										 : node->ninputs == 1 ? "filter "
															  : "join on ");
			print_exprs(text, ((const DpJoin *) node)->conditions);
			break;
		case DP_NODE_GROUP:
			appendStringInfoString(text, "group by (");
			print_exprs(text, ((const DpGroup *) node)->keys);
			appendStringInfoString(text, ") of ");
			print_exprs(text, ((const DpGroup *) node)->aggregates);
			break;
		case DP_NODE_WINDOW:
			appendStringInfoString(text, "window ");
			print_exprs(text, ((const DpWindow *) node)->calls);
			break;
		case DP_NODE_UNION:
			appendStringInfoString(text, "union");
			break;
		case DP_NODE_VIEW:
			print_relation(text, "view", ((const DpView *) node)->relation);
			break;
		case DP_NODE_PROJECT:
			appendStringInfoString(text, "project ");
			print_exprs(text, ((const DpProject *) node)->exprs);
			break;
		case DP_NODE_RELEASE:
			print_question(text, (const DpQuestion *) node);
			break;
	}
}
