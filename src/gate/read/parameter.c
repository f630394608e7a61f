/*
 * parameter.c
 *		Reads the parameters of private aggregates.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/refusal.h"
#include "gate/read/constants.h"
#include "gate/read/expression.h"
#include "gate/read/parameter.h"
#include "gate/read/rows.h"

/* Finds what may differ between two evaluations. */
static bool
varies_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
			return false;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid >= FirstNormalObjectId ||
				func_volatile(((FuncExpr *) node)->funcid) !=
					PROVOLATILE_IMMUTABLE)
				return true;
			break;
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, varies_walker, context);
}

/*
 * Puts parameters in the place of values that are found before. Other
 * sub-queries are read for what is wrong with themselves, and refused after.
 */
static Node *
take_values(Node *node, void *context)
{
	DpScope *scope = context;

	if (node == NULL)
		return NULL;
	if (dp_constants_is_of_asker(node))
		return (Node *) dp_constants_take_of_asker(scope->planning, node);
	if (IsA(node, SubLink))
	{
		SubLink *link = (SubLink *) node;

		if (dp_constants_is(link))
			return (Node *) dp_constants_take(scope->planning, node,
											  (Query *) link->subselect);
		(void) dp_rows_read_sublink(scope, link);
		return node;
	}
	return expression_tree_mutator(node, take_values, context);
}

void
dp_parameter_check(Node *node, int location)
{
	if (varies_walker(node, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("parameters of a private aggregate over a protected "
						"relation must be constants or query parameters"),
				 errhint("Write a constant or a query parameter such as $1."),
				 dp_gate_position(location)));
}

Node *
dp_parameter_take(DpScope *scope, Node *node)
{
	node = take_values(node, scope);
	dp_parameter_check(node, exprLocation(node));
	return node;
}

const DpExpr *
dp_parameter_read(Node *node)
{
	if (IsA(node, Const))
		return dp_expression_make_constant(node);
	if (IsA(node, Param))
		return dp_expression_make_parameter(node);
	return dp_expression_make_moment(node);
}
