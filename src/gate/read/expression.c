/*
 * expression.c
 *		The allow-list of expression nodes over protected columns.
 *
 * What is not listed is refused: a node unknown today is refused tomorrow.
 * CoerceToDomain and array coercions carry functions that the list could not
 * see; they are refused by not being here.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/read/calls.h"
#include "gate/read/collations.h"
#include "gate/read/expanded.h"
#include "gate/read/expression.h"
#include "gate/read/failing_calls.h"
#include "gate/read/folding.h"
#include "gate/read/operators.h"
#include "gate/read/parameter.h"
#include "gate/read/parts.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/stack.h"

static const DpExpr *
read_array(DpScope *scope, Node *node)
{
	ArrayExpr *array = (ArrayExpr *) node;
	const DpExpr *expr;
	int i;

	if (array->multidims)
		dp_parts_refuse(scope, node);
	expr = dp_parts_make_array(scope, node, array->elements);
	if (!dp_functions_can_be_long(array->element_typeid))
		return expr;
	for (i = 0; i < expr->nargs; i++)
	{
		if (!dp_kinds_is_unbounded(expr->args[i]))
			continue;
		switch (getBaseType(expr->args[i]->type.oid))
		{
			case TEXTOID: /* are shortened when the array is made */
			case VARCHAROID:
			case BPCHAROID:
				break;
			default:
				dp_refusal_raise(
					psprintf("an array of columns of type %s",
							 format_type_be(array->element_typeid)),
					"Compare each of the columns by itself.", array->location);
		}
	}
	return expr;
}

/* One element of an array, null where there is none: no slice, no json. */
static const DpExpr *
read_element(DpScope *scope, Node *node)
{
	SubscriptingRef *ref = (SubscriptingRef *) node;

	if (ref->refassgnexpr != NULL || ref->reflowerindexpr != NIL ||
		!OidIsValid(get_element_type(ref->refcontainertype)) ||
		ref->refelemtype >= FirstGenbkiObjectId)
		dp_parts_refuse(scope, node);
	return dp_parts_make(scope, DP_EXPR_ELEMENT, node,
						 lcons(ref->refexpr, list_copy(ref->refupperindexpr)));
}

/* GREATEST and LEAST compare by their type's order, texts byte by byte. */
static const DpExpr *
read_greatest(DpScope *scope, Node *node)
{
	MinMaxExpr *written = (MinMaxExpr *) node;
	Oid type = written->minmaxtype;
	Oid less = lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr;
	DpExpr *expr;

	if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID)
		dp_collations_check_order(written->inputcollid, written->location);
	else if (!OidIsValid(less) || less >= FirstNormalObjectId ||
			 !dp_functions_is_total(get_opcode(less)))
		dp_operators_refuse(scope, node, written->location);
	expr = dp_parts_make(
		scope, written->op == IS_GREATEST ? DP_EXPR_GREATEST : DP_EXPR_LEAST,
		node, written->args);
	expr->input_collation = written->inputcollid;
	return expr;
}

static const DpExpr *
read_case(DpScope *scope, Node *node)
{
	CaseExpr *written = (CaseExpr *) node;
	List *args = written->arg == NULL ? NIL : list_make1(written->arg);
	DpExpr *expr;

	foreach_node (CaseWhen, when, written->args)
		args = lappend(lappend(args, when->expr), when->result);
	args = lappend(args, written->defresult != NULL
							 ? (Node *) written->defresult
							 : (Node *) makeNullConst(written->casetype, -1,
													  written->casecollid));
	expr = dp_parts_make(scope, DP_EXPR_CASE, node, args);
	expr->has_subject = written->arg != NULL;
	return expr;
}

static const DpExpr *
read_logic(DpScope *scope, Node *node)
{
	BoolExpr *written = (BoolExpr *) node;

	return dp_parts_make(scope,
						 written->boolop == AND_EXPR  ? DP_EXPR_AND
						 : written->boolop == OR_EXPR ? DP_EXPR_OR
													  : DP_EXPR_NOT,
						 node, written->args);
}

static const DpExpr *
read_null_test(DpScope *scope, Node *node)
{
	NullTest *test = (NullTest *) node;
	DpExpr *expr;

	if (test->argisrow)
		dp_parts_refuse(scope, node);
	expr = dp_parts_make(scope, DP_EXPR_NULL_TEST, node, list_make1(test->arg));
	expr->is_negated = test->nulltesttype == IS_NOT_NULL;
	return expr;
}

static const DpExpr *
read_truth_test(DpScope *scope, Node *node)
{
	BooleanTest *test = (BooleanTest *) node;
	DpExpr *expr =
		dp_parts_make(scope, DP_EXPR_TRUTH_TEST, node, list_make1(test->arg));

	expr->truth = test->booltesttype;
	return expr;
}

/*
 * A sub-query, which is read once, and is one value, however often the form
 * repeats it in which it stands. Its copies have its position.
 */
static const DpExpr *
read_sublink(DpScope *scope, SubLink *link)
{
	const DpExpr *expr;
	ListCell *cell;
	ListCell *read;

	forboth (cell, scope->links, read, scope->link_exprs)
	{
		if (lfirst_node(SubLink, cell)->location == link->location &&
			equal(lfirst(cell), link))
			return lfirst(read);
	}
	expr = scope->readers->sublink(scope, link);
	scope->links = lappend(scope->links, link);
	scope->link_exprs = lappend(scope->link_exprs, (void *) expr);
	return expr;
}

/* Calls; NULL for all else, and for those that cannot be read. */
static const DpExpr *
read_call(DpScope *scope, Node *node)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
			return dp_operators_read(scope, node, DP_EXPR_CALL);
		case T_DistinctExpr:
			return dp_operators_read(scope, node, DP_EXPR_DISTINCT);
		case T_NullIfExpr:
			return dp_operators_read(scope, node, DP_EXPR_NULLIF);
		case T_ScalarArrayOpExpr:
			return dp_calls_read_any(scope, node);
		case T_FuncExpr:
			return dp_calls_read_function(scope, node);
		case T_CoerceViaIO:
			return dp_operators_read_cast(scope, (CoerceViaIO *) node, NULL);
		case T_RowCompareExpr:
			return dp_expanded_row_order(scope, (RowCompareExpr *) node);
		case T_SQLValueFunction:
			return dp_failing_calls_is_moment(node) ? dp_parts_make_moment(node)
													: NULL;
		case T_Aggref:
		case T_WindowFunc:
			return !scope->with_totals || (IsA(node, Aggref) &&
										   ((Aggref *) node)->agglevelsup != 0)
					   ? NULL
					   : dp_calls_read_total(scope, node);
		default:
			return NULL;
	}
}

/* Forms of syntax. */
static const DpExpr *
read_form(DpScope *scope, Node *node)
{
	switch (nodeTag(node))
	{
		case T_RelabelType:
			return dp_parts_make(scope, DP_EXPR_RELABEL, node,
								 list_make1(((RelabelType *) node)->arg));
		case T_SubscriptingRef:
			return read_element(scope, node);
		case T_MinMaxExpr:
			return read_greatest(scope, node);
		case T_ArrayExpr:
			return read_array(scope, node);
		case T_BoolExpr:
			return read_logic(scope, node);
		case T_NullTest:
			return read_null_test(scope, node);
		case T_BooleanTest:
			return read_truth_test(scope, node);
		case T_CaseExpr:
			return read_case(scope, node);
		case T_CaseTestExpr:
			return dp_parts_make(scope, DP_EXPR_CASE_SUBJECT, node, NIL);
		case T_CoalesceExpr:
			return dp_parts_make(scope, DP_EXPR_COALESCE, node,
								 ((CoalesceExpr *) node)->args);
		default:
			return read_call(scope, node);
	}
}

const DpExpr *
dp_expression_read_part(DpScope *scope, Node *node)
{
	const DpExpr *expr = NULL;

	dp_stack_enter();
	if (dp_parameter_is_of_asker(node))
		return dp_parts_make_parameter(
			(Node *) dp_parameter_of_asker(scope->planning, node));
	switch (nodeTag(node))
	{
		case T_Var:
			return dp_scope_column(scope, (Var *) node);
		case T_Const:
			return dp_parts_make_constant(node);
		case T_Param:
			if (((Param *) node)->paramkind == PARAM_EXTERN ||
				((Param *) node)->paramkind == PARAM_SUBLINK)
				expr = dp_parts_make_parameter(node);
			break;
		case T_SubLink:
			return read_sublink(scope, (SubLink *) node);
		default:
			expr = read_form(scope, node);
	}
	if (expr == NULL)
		dp_parts_refuse(scope, node);
	return expr;
}

/*
 * The whole
 */

const DpExpr *
dp_expression_read_folded(DpScope *scope, Node *node)
{
	List *links = scope->links;
	List *link_exprs = scope->link_exprs;
	const DpExpr *expr;

	scope->links = scope->link_exprs = NIL;
	expr = dp_expression_read_part(scope, node);
	scope->links = links;
	scope->link_exprs = link_exprs;
	return expr;
}

List *
dp_expression_read_folded_conditions(DpScope *scope, List *conditions)
{
	List *arms = NIL;

	foreach_ptr (Node, node, conditions)
		arms = dp_expr_arms(dp_expression_read_folded(scope, node), arms);
	return arms;
}

const DpExpr *
dp_expression_read(DpScope *scope, Node *node)
{
	return dp_expression_read_folded(scope, dp_folding_fold(node, scope->what));
}

List *
dp_expression_read_conditions(DpScope *scope, Node *node)
{
	return dp_expression_read_folded_conditions(
		scope, dp_folding_fold_conditions(scope, node));
}
