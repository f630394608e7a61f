/*
 * locations.c
 *		Where in the text of a statement a refused part of a query is written.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/relations/locations.h"
#include "server/search.h"

int
dp_locations_of_query(const Query *query)
{
	int location = exprLocation((Node *) query->targetList);

	return location >= 0 ? location : exprLocation(query->jointree->quals);
}

/* The first column of an entry. */
typedef struct Named
{
	int rtindex;
	int location;
} Named;

static DpVisit
find_named(Node *node, const List *around, void *context)
{
	Named *named = context;
	const Var *column = (const Var *) node;

	if (!IsA(node, Var) || column->varno != named->rtindex ||
		(int) column->varlevelsup != list_length(around) - 1 ||
		column->location < 0)
		return DP_VISIT_PARTS;
	named->location = column->location;
	return DP_VISIT_FOUND;
}

int
dp_locations_of_entry(Query *query, int rtindex)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	Named named = {rtindex, -1};

	if (rte->rtekind == RTE_SUBQUERY)
		named.location = dp_locations_of_query(rte->subquery);
	else if (rte->rtekind == RTE_FUNCTION)
		named.location = exprLocation(
			linitial_node(RangeTblFunction, rte->functions)->funcexpr);
	if (named.location < 0)
		(void) dp_search_query(query, find_named, &named,
							   QTW_IGNORE_JOINALIASES);
	return named.location >= 0 ? named.location : dp_locations_of_query(query);
}
