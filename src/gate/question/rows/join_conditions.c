/*
 * join_conditions.c
 *		The conditions of FROM, one by one.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/rows/join_conditions.h"

void
dp_gate_add_arms(Node *condition, List **arms)
{
	ListCell *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List) || is_andclause(condition))
	{
		foreach (cell, IsA(condition, List) ? (List *) condition
											: ((BoolExpr *) condition)->args)
			dp_gate_add_arms(lfirst(cell), arms);
	}
	else
		*arms = lappend(*arms, condition);
}

/* Finds what refers to more than one FROM item. */
static bool
other_item_walker(Node *node, int *rtindex)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			return ((Var *) node)->varlevelsup != 0 ||
				   ((Var *) node)->varno != *rtindex;
		case T_SubLink:
		case T_Query:
		case T_Aggref:
		case T_WindowFunc:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		default:
			return expression_tree_walker(node, other_item_walker, rtindex);
	}
}

/* Finds what may not be evaluated where protected rows are. */
static bool
foreign_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			if (((OpExpr *) node)->opno >= FirstNormalObjectId ||
				!dp_gate_is_total(((OpExpr *) node)->opfuncid))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			if (((ScalarArrayOpExpr *) node)->opno >= FirstNormalObjectId ||
				!dp_gate_is_total(((ScalarArrayOpExpr *) node)->opfuncid))
				return true;
			break;
		case T_FuncExpr:
			if (!dp_gate_is_total(((FuncExpr *) node)->funcid))
				return true;
			break;
		case T_Var:
		case T_Const:
		case T_Param:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, foreign_walker, context);
}

List *
dp_gate_take_own_arms(List **arms, int rtindex)
{
	List *own = NIL;
	List *rest = NIL;
	ListCell *cell;

	foreach (cell, *arms)
	{
		Node *arm = lfirst(cell);

		if (!other_item_walker(arm, &rtindex) && foreign_walker(arm, NULL) &&
			pull_varnos(NULL, arm) != NULL)
			own = lappend(own, arm);
		else
			rest = lappend(rest, arm);
	}
	*arms = rest;
	return own;
}

static void
add_inner_conditions(Node *node, List **arms)
{
	JoinExpr *join = (JoinExpr *) node;

	if (IsA(node, RangeTblRef))
		return;
	add_inner_conditions(join->larg, arms);
	if (join->jointype != JOIN_INNER)
		return;
	add_inner_conditions(join->rarg, arms);
	dp_gate_add_arms(join->quals, arms);
}

Node *
dp_gate_inner_conditions(Query *query)
{
	List *arms = NIL;
	ListCell *cell;

	foreach (cell, query->jointree->fromlist)
		add_inner_conditions(lfirst(cell), &arms);
	dp_gate_add_arms(query->jointree->quals, &arms);
	return arms == NIL ? NULL : (Node *) make_ands_explicit(arms);
}
