/*
 * nullability.c
 *		What is never null in a block.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/nullability.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "server/stack.h"

/* Whether a FROM item is on the nullable side of an outer join. */
static bool
is_nullable(Node *node, int rtindex, bool nullable)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblRef))
		return nullable && ((RangeTblRef *) node)->rtindex == rtindex;
	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
		{
			if (is_nullable(lfirst(cell), rtindex, nullable))
				return true;
		}
		return false;
	}
	return is_nullable(((JoinExpr *) node)->larg, rtindex,
					   nullable ||
						   ((JoinExpr *) node)->jointype == JOIN_RIGHT) ||
		   is_nullable(((JoinExpr *) node)->rarg, rtindex,
					   nullable || ((JoinExpr *) node)->jointype == JOIN_LEFT);
}

/* Whether a column of a query is never null there, through sub-queries. */
static bool
column_is_never_null(const DpRelations *relations, Query *query,
					 const Var *column)
{
	RangeTblEntry *rte = rt_fetch(column->varno, query->rtable);
	const DpPublic *public = dp_gate_public_of(relations, rte);
	TargetEntry *entry;
	Var *inner;

	if (column->varlevelsup != 0 || column->varattno <= 0 ||
		is_nullable((Node *) query->jointree, column->varno, false))
		return false;
	if (rte->rtekind == RTE_RELATION)
		return dp_gate_is_not_null(rte->relid, column->varattno);
	if (public != NULL)
		return OidIsValid(public->relation) &&
			   dp_gate_is_not_null(public->relation, column->varattno);
	if (rte->rtekind != RTE_SUBQUERY || rte->subquery->setOperations != NULL)
		return false;
	entry = get_tle_by_resno(rte->subquery->targetList, column->varattno);
	inner = entry == NULL ? NULL : dp_gate_column_of((Node *) entry->expr);
	return inner != NULL &&
		   column_is_never_null(relations, rte->subquery, inner);
}

bool
dp_gate_column_is_never_null(const DpRelations *relations, const Var *column)
{
	return column_is_never_null(relations, relations->frame, column);
}

static bool any_can_be_null(const DpRelations *relations, List *nodes);

/* False only where an expression is never null. */
static bool
can_be_null(const DpRelations *relations, Node *node)
{
	dp_stack_enter();
	if (node == NULL)
		return true;
	switch (nodeTag(node))
	{
		case T_Const:
			return ((Const *) node)->constisnull;
		case T_Var:
			/* Rows without a unit do not count. */
			return !dp_gate_is_unit(relations, (Var *) node) &&
				   !dp_gate_column_is_never_null(relations, (Var *) node);
		case T_NullTest:
		case T_BooleanTest:
		case T_DistinctExpr:
			return false;
		case T_RelabelType:
			return can_be_null(relations, (Node *) ((RelabelType *) node)->arg);

			/* Total functions give null for null only. */
		case T_OpExpr:
			return dp_gate_can_be_null(node) ||
				   any_can_be_null(relations, ((OpExpr *) node)->args);
		case T_FuncExpr:
			return dp_gate_can_be_null(node) ||
				   any_can_be_null(relations, ((FuncExpr *) node)->args);
		case T_BoolExpr:
			return any_can_be_null(relations, ((BoolExpr *) node)->args);
		case T_CaseExpr:
		{
			CaseExpr *expr = (CaseExpr *) node;
			ListCell *cell;

			foreach (cell, expr->args)
			{
				if (can_be_null(relations,
								(Node *) lfirst_node(CaseWhen, cell)->result))
					return true;
			}
			return can_be_null(relations, (Node *) expr->defresult);
		}
		case T_CoalesceExpr:
		{
			ListCell *cell;

			foreach (cell, ((CoalesceExpr *) node)->args)
			{
				if (!can_be_null(relations, lfirst(cell)))
					return false;
			}
			return true;
		}
		default:
			return true;
	}
}

static bool
any_can_be_null(const DpRelations *relations, List *nodes)
{
	ListCell *cell;

	foreach (cell, nodes)
	{
		if (can_be_null(relations, lfirst(cell)))
			return true;
	}
	return false;
}

bool
dp_gate_is_never_null(const DpRelations *relations, Node *expression)
{
	return !can_be_null(relations, expression);
}
