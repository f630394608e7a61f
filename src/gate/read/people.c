/*
 * people.c
 *		Whose rows a query has: one's own each, or those of several people combined.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "gate/read/people.h"
#include "gate/read/tells_unit.h"
#include "gate/relations/kept_back.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "server/lists.h"
#include "server/search.h"
#include "server/stack.h"

/* A column that a condition of FROM or WHERE says equals another. */
typedef struct Search
{
	Query *query;
	Node *column;
} Search;

/* Whether that other column is a unit. Only conditions that are ANDed count. */
static DpVisit
find_equal_unit(Node *node, const List *around, void *context)
{
	const Search *search = context;
	Node *left;
	Node *right;

	(void) around;
	if (IsA(node, FromExpr) || IsA(node, JoinExpr) || IsA(node, List) ||
		is_andclause(node))
		return DP_VISIT_PARTS;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2)
		return DP_VISIT_NEXT;
	left = linitial(((OpExpr *) node)->args);
	right = lsecond(((OpExpr *) node)->args);
	return op_mergejoinable(((OpExpr *) node)->opno, exprType(left)) &&
				   ((equal(left, search->column) &&
					 dp_tells_unit(search->query, right)) ||
					(equal(right, search->column) &&
					 dp_tells_unit(search->query, left)))
			   ? DP_VISIT_FOUND
			   : DP_VISIT_NEXT;
}

bool
dp_people_is_of_units(Query *query)
{
	List *clauses =
		query->groupClause != NIL ? query->groupClause : query->distinctClause;
	ListCell *cell;

	foreach (cell, clauses)
	{
		Search search = {
			query, get_sortgroupclause_expr(lfirst(cell), query->targetList)};

		if (dp_tells_unit(query, search.column) ||
			dp_search((Node *) query->jointree, find_equal_unit, &search, 0))
			return true;
	}
	return false;
}

bool
dp_people_combines(const Query *query)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL &&
		   (query->hasAggs || query->groupClause != NIL ||
			query->groupingSets != NIL || query->distinctClause != NIL);
}

/* Whether a query's rows are answers about several people. */
static bool
is_answered(Query *query)
{
	return dp_private_aggregates_in(query) ||
		   (dp_people_combines(query) && !dp_people_is_of_units(query));
}

/* Whether an entry of FROM is rows of people that are kept back, not of answers. */
static bool
is_of_people(const Query *query, RangeTblEntry *rte)
{
	dp_stack_enter();
	if (dp_kept_back_is_entry(query, rte))
		return true;
	return rte->rtekind == RTE_SUBQUERY &&
		   (OidIsValid(dp_protection_view(rte)) ||
			!is_answered(rte->subquery)) &&
		   dp_people_reads(rte->subquery, NULL);
}

bool
dp_people_reads(Query *query, const RangeTblEntry *other)
{
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (rte != other && is_of_people(query, rte))
			return true;
	}
	return false;
}
