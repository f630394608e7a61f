/*
 * locations.c
 *		Where in the text of a statement a refused part of a query is written.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/relations/locations.h"

int
dp_gate_location_of_query(const Query *query)
{
	int location = exprLocation((Node *) query->targetList);

	return location >= 0 ? location : exprLocation(query->jointree->quals);
}

/* The first column of an entry. */
typedef struct Named
{
	int rtindex;
	int depth;
	int location;
} Named;

static bool
named_walker(Node *node, Named *named)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		const Var *column = (const Var *) node;

		if (column->varno == named->rtindex &&
			(int) column->varlevelsup == named->depth && column->location >= 0)
			named->location = column->location;
		return named->location >= 0;
	}
	if (IsA(node, Query))
	{
		bool result;

		named->depth++;
		result = query_tree_walker((Query *) node, named_walker, named,
								   QTW_IGNORE_JOINALIASES);
		named->depth--;
		return result;
	}
	return expression_tree_walker(node, named_walker, named);
}

int
dp_gate_location_of_entry(Query *query, int rtindex)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	Named named = {rtindex, 0, -1};

	if (rte->rtekind == RTE_SUBQUERY)
		named.location = dp_gate_location_of_query(rte->subquery);
	else if (rte->rtekind == RTE_FUNCTION)
		named.location = exprLocation(
			linitial_node(RangeTblFunction, rte->functions)->funcexpr);
	if (named.location < 0)
		(void) query_tree_walker(query, named_walker, &named,
								 QTW_IGNORE_JOINALIASES);
	return named.location >= 0 ? named.location
							   : dp_gate_location_of_query(query);
}
