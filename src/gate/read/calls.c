/*
 * calls.c
 *		Reads operators, functions, casts and comparisons with lists.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/enum_calls.h"
#include "gate/question/expressions/list_elements.h"
#include "gate/question/expressions/written_calls.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/calls.h"
#include "gate/read/expression.h"
#include "gate/tree/functions.h"

void
dp_calls_refuse(const DpScope *scope, Node *node, int location)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("%s cannot be used in %s over a protected relation",
						   dp_gate_call_words(node), scope->what),
					errhint("Comparisons, arithmetic, AND, OR, NOT, IS NULL, "
							"IN, BETWEEN, LIKE, CASE, COALESCE and most of "
							"PostgreSQL's functions of numbers, texts, dates "
							"and times can; compute anything else from the "
							"released answer."),
					dp_gate_position(location)));
}

/*
 * A function must be total, or run as its wrapped form. What is wrong with a
 * sub-query comes before what is wrong with its place.
 */
static void
check_function(DpScope *scope, Oid function, Node *node, List *args,
			   int location)
{
	ListCell *cell;

	foreach (cell, args)
	{
		if (IsA(lfirst(cell), SubLink))
			(void) dp_expression_read_part(scope, lfirst(cell));
	}
	if (!dp_functions_is_total(function) && !dp_gate_is_enum_call(node) &&
		!dp_gate_is_wrapped_call(node, scope->what))
		dp_calls_refuse(scope, node, location);
}

/* A user's operator may have any name over a listed function. */
static void
check_operator(DpScope *scope, Oid operator, Oid function, Node *node,
			   List *args, int location)
{
	if (operator>= FirstNormalObjectId)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg(
				 "operator %s cannot be used in %s over a protected relation",
				 format_operator(operator), scope->what),
			 errhint("Use the operators of PostgreSQL itself."),
			 dp_gate_position(location)));
	check_function(scope, function, node, args, location);
}

/*
 * Comparison of texts must not depend on a locale's rules. Where two columns'
 * collations are in conflict there is none, and the comparison would fail at
 * the first row, and so reveal that there is one.
 */
static void
check_collation(const DpScope *scope, Oid collation, List *args, int location)
{
	ListCell *cell;

	foreach (cell, args)
	{
		if (!OidIsValid(collation) &&
			type_is_collatable(exprType((Node *) lfirst(cell))))
			ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
							errmsg("the collations of what is compared in %s "
								   "over a protected relation are in conflict",
								   scope->what),
							errhint("Write COLLATE \"C\" after one of them."),
							dp_gate_position(location)));
	}
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a nondeterministic collation cannot be used in "
							   "%s over a protected relation",
							   scope->what),
						errhint("Write COLLATE \"C\" after the column."),
						dp_gate_position(location)));
}

const DpExpr *
dp_calls_read_operator(DpScope *scope, Node *node, DpExprKind kind)
{
	OpExpr *op = (OpExpr *) node; /* as DISTINCT and NULLIF are */
	DpExpr *expr;

	check_operator(scope, op->opno, op->opfuncid, node, op->args, op->location);
	check_collation(scope, op->inputcollid, op->args, op->location);
	if (dp_gate_is_enum_call(node))
		return dp_expression_read_part(scope, dp_gate_enum_form(node));
	expr = dp_expression_make(scope, kind, node, op->args);
	expr->input_collation = op->inputcollid;
	expr->call.function = op->opfuncid;
	expr->call.operator= op->opno;
	return expr;
}

const DpExpr *
dp_calls_read_function(DpScope *scope, Node *node)
{
	FuncExpr *function = (FuncExpr *) node;
	Node *form;
	DpExpr *expr;

	if (function->funcretset)
		dp_expression_refuse(scope, node);
	if (dp_gate_is_execution_constant(node))
		return dp_expression_make_moment(node);
	form = dp_gate_written_form(node);
	if (form != NULL)
		return dp_expression_read_part(scope, form);
	check_function(scope, function->funcid, node, function->args,
				   function->location);
	check_collation(scope, function->inputcollid, function->args,
					function->location);
	expr = dp_expression_make(scope, DP_EXPR_CALL, node, function->args);
	expr->input_collation = function->inputcollid;
	expr->call.function = function->funcid;
	expr->call.form = function->funcformat;
	expr->call.is_variadic = function->funcvariadic;
	return expr;
}

const DpExpr *
dp_calls_read_cast(DpScope *scope, Node *node)
{
	if (dp_gate_is_enum_call(node))
		return dp_expression_read_part(scope, dp_gate_enum_form(node));
	if (!dp_gate_is_wrapped_call(node, scope->what))
		dp_calls_refuse(scope, node, exprLocation(node));
	return dp_expression_make(scope, DP_EXPR_CAST_BY_TEXT, node,
							  list_make1(((CoerceViaIO *) node)->arg));
}

/* What x op ANY (array) compares with: a list, or an array that is computed. */
static const DpExpr *
read_compared_array(DpScope *scope, ScalarArrayOpExpr *op)
{
	Node *array = lsecond(op->args);
	List *elements;

	if (IsA(array, Const) && dp_gate_list_elements(array, &elements))
	{
		if (elements != NIL)
			dp_gate_check_repeats(op);
		return dp_expression_make_array(scope, array, elements);
	}
	if (IsA(array, ArrayExpr))
		dp_gate_check_repeats(op);
	return dp_expression_read_part(scope, array);
}

const DpExpr *
dp_calls_read_any(DpScope *scope, Node *node)
{
	ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) node;
	Node *array = lsecond(op->args);
	List *calls = dp_gate_element_calls(op);
	const DpExpr **args;
	const DpExpr *found = NULL;
	DpExpr *expr;

	if (calls != NIL)
		return list_length(calls) == 1
				   ? dp_expression_read_part(scope, linitial(calls))
				   : dp_expression_make(scope,
										op->useOr ? DP_EXPR_OR : DP_EXPR_AND,
										node, calls);
	check_operator(scope, op->opno, op->opfuncid, node, op->args, op->location);
	check_collation(scope, op->inputcollid, op->args, op->location);
	if (IsA(array, SubLink)) /* it may be a value that is found before */
		found = dp_expression_read_part(scope, array);
	if ((found == NULL || found->kind != DP_EXPR_PARAMETER) &&
		!IsA(array, ArrayExpr) && !IsA(array, Const) && !IsA(array, Param) &&
		!IsA(array, Var) && !IsA(array, FuncExpr) && !IsA(array, OpExpr) &&
		!IsA(array, SubscriptingRef))
		dp_expression_refuse(scope, node);
	args = palloc(2 * sizeof(DpExpr *));
	args[0] = dp_expression_read_part(scope, linitial(op->args));
	args[1] = found != NULL ? found : read_compared_array(scope, op);
	expr = dp_expr_make(op->useOr ? DP_EXPR_ANY : DP_EXPR_ALL,
						dp_expr_type_of(node), 2, args, op->location);
	expr->input_collation = op->inputcollid;
	expr->call.function = op->opfuncid;
	expr->call.operator= op->opno;
	return expr;
}
