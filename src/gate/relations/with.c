/*
 * with.c
 *		Queries of WITH, written out where they are used.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/refusal.h"
#include "gate/relations/with.h"
#include "server/compat.h"
#include "server/search.h"

/*
 * Entries of range tables that a statement may have when WITH is written out.
 */
#define MOST_ENTRIES 1000

/* Whether a query returns rows of protected relations. */
static DpVisit
find_rows(Node *node, const List *around, void *context)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;

	(void) around;
	(void) context;
	if (IsA(node, Query) && dp_private_aggregates_in((Query *) node))
		return DP_VISIT_NEXT; /* a block, which is answered */
	return IsA(node, RangeTblEntry) && (OidIsValid(dp_protection_view(rte)) ||
										(rte->rtekind == RTE_RELATION &&
										 dp_protection_exists(rte->relid)))
			   ? DP_VISIT_FOUND
			   : DP_VISIT_PARTS;
}

static bool
reads_rows(Node *query)
{
	return dp_search(query, find_rows, NULL, QTW_EXAMINE_RTES_BEFORE);
}

/* Whether an entry of FROM is a name of WITH of the outermost query around. */
static bool
is_use(Node *node, const List *around, const CommonTableExpr *cte)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	return IsA(node, RangeTblEntry) && rte->rtekind == RTE_CTE &&
		   (int) rte->ctelevelsup == list_length(around) - 1 &&
		   strcmp(rte->ctename, cte->ctename) == 0;
}

/* A query of WITH takes the place of its name. */
static DpVisit
write_out_use(Node *node, const List *around, void *context)
{
	CommonTableExpr *cte = context;
	RangeTblEntry *rte = (RangeTblEntry *) node;
	int depth = list_length(around) - 1;
	Query *body;

	if (!is_use(node, around, cte))
		return DP_VISIT_PARTS;
	body = (Query *) copyObject(cte->ctequery);
	if (depth > 0)
		IncrementVarSublevelsUp((Node *) body, depth, 1);
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = body;
	rte->ctename = NULL;
	rte->ctelevelsup = 0;
	rte->coltypes = rte->coltypmods = rte->colcollations = NIL;
	cte->cterefcount--;
	return DP_VISIT_PARTS;
}

/* Finds uses in a query with private aggregates, or beneath one. */
static DpVisit
find_use_in_block(Node *node, const List *around, void *cte)
{
	if (!is_use(node, around, cte))
		return DP_VISIT_PARTS;
	foreach_ptr (const Query, query, around)
	{
		if (dp_private_aggregates_in(query))
			return DP_VISIT_FOUND;
	}
	return DP_VISIT_PARTS;
}

/*
 * Whether a block reads a query of WITH, as rows of its own or as something
 * public.
 */
static bool
is_read_by_block(Query *query, CommonTableExpr *cte)
{
	return reads_rows(cte->ctequery) ||
		   ((cte->cterefcount == 1 ||
			 !dp_private_aggregates_anywhere(
				 (Query *) cte->ctequery)) && /* once */
			dp_search((Node *) query, find_use_in_block, cte,
					  QTW_EXAMINE_RTES_BEFORE));
}

/* Entries of range tables, at all levels. */
static bool
count_entry(Node *node, void *count)
{
	*(int64 *) count += IsA(node, RangeTblEntry);
	return false;
}

/*
 * Refuses WITH queries that use each other so often that writing them out
 * would grow exponentially.
 */
static void
refuse_growth(Query *query, const CommonTableExpr *cte)
{
	int64 all = 0;
	int64 body = 0;

	CHECK_FOR_INTERRUPTS();
	(void) dp_search_any((Node *) query, count_entry, &all);
	(void) dp_search_any(cte->ctequery, count_entry, &body);
	if (all + body * cte->cterefcount > MOST_ENTRIES)
		dp_refusal_raise("a WITH query that is used so many times",
						 "Refer to each WITH query only a few times.",
						 cte->location);
}

static void
write_out_cte(Query *query, CommonTableExpr *cte)
{
	refuse_growth(query, cte);
	(void) dp_search((Node *) query, write_out_use, cte,
					 QTW_EXAMINE_RTES_AFTER);
}

static bool
can_be_written_out(const CommonTableExpr *cte)
{
	return !cte->cterecursive &&
		   ((Query *) cte->ctequery)->commandType == CMD_SELECT &&
		   !contain_volatile_functions(cte->ctequery);
}

bool
dp_with_write_out_one(Query *query, CommonTableExpr *cte)
{
	if (!can_be_written_out(cte) || !reads_rows(cte->ctequery))
		return false;
	write_out_cte(query, cte);
	return true;
}

void
dp_with_write_out(Query *query)
{
	ListCell *cell;

	foreach (cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (!can_be_written_out(cte) || !is_read_by_block(query, cte))
			continue;
		write_out_cte(query, cte);
		if (cte->cterefcount == 0)
			query->cteList = foreach_delete_current (query->cteList, cell);
	}
}
