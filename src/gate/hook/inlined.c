/*
 * inlined.c
 *		Functions in FROM as the queries that they stand for.
 */
#include "postgres.h"

#include "access/transam.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "gate/hook/inlined.h"
#include "server/compat_planner.h"
#include "server/lists.h"
#include "server/search.h"

bool
dp_inlined_may_be(const RangeTblEntry *rte)
{
	FuncExpr *call;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return false;
	call =
		(FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	return IsA(call, FuncExpr) && call->funcretset &&
		   call->funcid >= FirstNormalObjectId;
}

/* Replaces the block's functions in FROM as the planner is about to do. */
static void
inline_functions(Query *query, PlannerGlobal *glob)
{
	PlannerInfo *root = makeNode(PlannerInfo);

	root->parse = query;
	root->glob = glob;
	foreach_ptr (RangeTblEntry, rte, query->rtable)
	{
		Query *body;

		if (!dp_inlined_may_be(rte))
			continue;
		rte->functions =
			(List *) eval_const_expressions(root, (Node *) rte->functions);
		body = dp_compat_inline_function(root, rte);
		if (body == NULL)
			continue;
		rte->rtekind = RTE_SUBQUERY;
		rte->subquery = body;
		rte->security_barrier = false;
		rte->functions = NIL;
		rte->funcordinality = false;
	}
}

static DpVisit
inline_in_query(Node *node, const List *around, void *glob)
{
	(void) around;
	if (IsA(node, Query))
		inline_functions((Query *) node, glob);
	return DP_VISIT_PARTS;
}

void
dp_inlined_put(Query *query, PlannerGlobal *glob)
{
	(void) dp_search((Node *) query, inline_in_query, glob, 0);
}
