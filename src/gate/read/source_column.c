/*
 * source_column.c
 *		What an expression of a query is a column of, before the query is taken
 *		apart.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "parser/parsetree.h"

#include "gate/read/source_column.h"
#include "server/stack.h"

bool
dp_source_column(Query *query, Node *expression, Oid *relation,
				 AttrNumber *column)
{
	const Var *var;
	RangeTblEntry *rte;
	TargetEntry *entry;

	dp_stack_enter();
	while (expression != NULL && IsA(expression, RelabelType))
		expression = (Node *) ((RelabelType *) expression)->arg;
	if (expression == NULL || !IsA(expression, Var))
		return false;
	var = (const Var *) expression;
	if (var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	rte = rt_fetch(var->varno, query->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			*relation = rte->relid;
			*column = var->varattno;
			return true;
		case RTE_JOIN:
			return dp_source_column(
				query, list_nth(rte->joinaliasvars, var->varattno - 1),
				relation, column);
		case RTE_SUBQUERY:
			entry = get_tle_by_resno(rte->subquery->targetList, var->varattno);
			return entry != NULL && rte->subquery->setOperations == NULL &&
				   dp_source_column(rte->subquery, (Node *) entry->expr,
									relation, column);
		default:
			return false;
	}
}
