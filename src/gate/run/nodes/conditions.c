/*
 * conditions.c
 *		Conditions on one relation, in statements that read several, or one twice.
 *
 * A condition of WHERE on one entry of FROM alone can be met before that entry is
 * joined, unless an outer join may put nulls in its place. One copy of a relation
 * serves all entries, so what they have in common remains. Statements without rows
 * (WHERE false) need none.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "gate/run/nodes/node_asked.h"
#include "gate/run/nodes/conditions.h"
#include "gate/run/nodes/pure.h"
#include "server/compat.h"
#include "server/search.h"

typedef struct Search
{
	Oid relation;
	bool is_first;
	List *common; /* of all entries so far */
} Search;

/* Whether an item of FROM has an entry in which no outer join puts nulls. */
static bool
has_certain(const Node *item, int rtindex)
{
	const JoinExpr *join = (const JoinExpr *) item;

	if (IsA(item, RangeTblRef))
		return ((const RangeTblRef *) item)->rtindex == rtindex;
	if (!IsA(item, JoinExpr))
		return false;
	return ((join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT) &&
			has_certain(join->larg, rtindex)) ||
		   (join->jointype == JOIN_INNER && has_certain(join->rarg, rtindex));
}

static bool
is_certain(const Query *query, int rtindex)
{
	ListCell *cell;

	foreach (cell, query->jointree->fromlist)
	{
		if (has_certain(lfirst(cell), rtindex))
			return true;
	}
	return false;
}

static bool
is_false(const Node *condition)
{
	return IsA(condition, Const) &&
		   (((const Const *) condition)->constisnull ||
			!DatumGetBool(((const Const *) condition)->constvalue));
}

/* Of a query, on an entry alone. */
static List *
conditions_of(const Query *query, int rtindex)
{
	List *result = NIL;
	ListCell *cell;

	if (!is_certain(query, rtindex))
		return NIL;
	foreach (cell, dp_nodes_conjuncts(query->jointree->quals))
	{
		Node *condition = (Node *) copyObject(lfirst(cell));
		Relids names;

		if (!dp_nodes_is_pure(condition))
			continue;
		names = pull_varnos(NULL, condition);
		if (!bms_is_member(rtindex, names) ||
			bms_membership(names) != BMS_SINGLETON)
			continue;
		ChangeVarNodes(condition, rtindex, 1, 0);
		result = lappend(result, dp_node_asked_condition(condition));
	}
	return result;
}

static bool
reads_rows(const Query *query)
{
	ListCell *cell;

	foreach (cell, dp_nodes_conjuncts(query->jointree->quals))
	{
		if (is_false(lfirst(cell)))
			return false;
	}
	return true;
}

static void
add_entry(Search *search, const Query *query, int rtindex)
{
	List *conditions = conditions_of(query, rtindex);

	search->common = search->is_first
						 ? conditions
						 : list_intersection(search->common, conditions);
	search->is_first = false;
}

static bool
find_entries(Node *node, void *context)
{
	Search *search = context;
	const Query *query = (const Query *) node;

	if (!IsA(node, Query) || !reads_rows(query))
		return false;
	foreach_ptr (const RangeTblEntry, rte, query->rtable)
	{
		if (rte->rtekind == RTE_RELATION && rte->relid == search->relation)
			add_entry(search, query, foreach_current_index(rte) + 1);
	}
	return false;
}

List *
dp_conditions_on(Oid relation, List *statements)
{
	Search search = {.relation = relation, .is_first = true};

	(void) dp_search_any((Node *) statements, find_entries, &search);
	return search.common;
}
