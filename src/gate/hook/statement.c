/*
 * statement.c
 *		Which statements may hold private queries.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "gate/hook/statement.h"
#include "gate/read/ends.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/publics.h"
#include "server/citus.h"
#include "server/search.h"

/* Whether it reads a WITH query, which may read what is protected. */
static bool
reads_with(const Query *query)
{
	foreach_ptr (RangeTblEntry, rte, query->rtable)
	{
		if (rte->rtekind == RTE_CTE)
			return true;
	}
	return false;
}

/*
 * Finds private queries that are not, and are in no, values of the statement's own:
 * those of its sub-queries are computed with these.
 */
static DpVisit
find_in_rows(Node *node, const List *around, void *context)
{
	Query *query = (Query *) node;

	(void) context;
	if (IsA(node, SubLink) && list_length(around) == 1 &&
		((SubLink *) node)->subLinkType == EXPR_SUBLINK &&
		!dp_publics_refers_outward((Query *) ((SubLink *) node)->subselect))
		return DP_VISIT_NEXT;
	return IsA(node, Query) && dp_private_aggregates_in(query) &&
				   (dp_publics_reads_protected(query) || reads_with(query))
			   ? DP_VISIT_FOUND
			   : DP_VISIT_PARTS;
}

static bool
may_hold(Query *statement)
{
	switch (statement->commandType)
	{
		case CMD_SELECT:
		case CMD_INSERT:
			return statement->onConflict == NULL;
		case CMD_UPDATE:
		case CMD_DELETE:
			return !dp_search((Node *) statement, find_in_rows, NULL, 0);
		default:
			return false;
	}
}

/*
 * The same of a query of WITH. There, values of an UPDATE's or DELETE's own are not
 * always computed before a row is read again.
 */
static bool
may_stand_in_with(Query *query)
{
	switch (query->commandType)
	{
		case CMD_UPDATE:
		case CMD_DELETE:
			return !dp_private_aggregates_anywhere(query) &&
				   !dp_publics_refers_outward(query); /* to others of WITH */
		default:
			return may_hold(query);
	}
}

/*
 * Finds queries of the statement's WITH that may hold none, and row locks anywhere:
 * rows would be read again after the lock.
 */
static DpVisit
find_unfit(Node *node, const List *around, void *context)
{
	bool is_unfit = false;

	(void) context;
	if (IsA(node, Query))
		is_unfit = ((Query *) node)->rowMarks != NIL;
	else if (IsA(node, CommonTableExpr) && list_length(around) == 1)
		is_unfit = !may_stand_in_with(
			castNode(Query, ((CommonTableExpr *) node)->ctequery));
	return is_unfit ? DP_VISIT_FOUND : DP_VISIT_PARTS;
}

bool
dp_statement_may_ask(Query *statement)
{
	return may_hold(statement) &&
		   !dp_search((Node *) statement, find_unfit, NULL, 0);
}

void
dp_statement_refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a private query over a protected relation can stand in "
					"SELECT and INSERT ... SELECT, and in UPDATE and DELETE as "
					"a scalar sub-query that refers to no row"),
			 errdetail("It cannot stand in INSERT ... ON CONFLICT, in MERGE, "
					   "nor in an UPDATE or DELETE in WITH."),
			 errhint("Store the released answer first, then use it.")));
}

static void
refuse_distributed(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("\"%s\", which Citus distributes, cannot be read or "
					"written beside a question over a protected relation",
					get_rel_name(relation)),
			 errhint("Store the released answer in a table that is not "
					 "distributed first, then use it.")));
}

/* What is in a statement in which releases stand in place of questions. */
typedef struct Rest
{
	bool has_private;
	bool has_releases;
} Rest;

static bool
look_at_rest(Node *node, void *context)
{
	const RangeTblEntry *rte = (RangeTblEntry *) node;
	Rest *rest = context;

	rest->has_private |= dp_private_aggregates_is_call(node);
	if (!rest->has_releases)
		return rest->has_private;
	if (dp_ends_is_call(node))
		dp_ends_refuse((FuncExpr *) node);
	if (IsA(node, RangeTblEntry) && rte->rtekind == RTE_RELATION &&
		dp_citus_distributes(rte->relid))
		refuse_distributed(rte->relid);
	return false;
}

bool
dp_statement_check_rest(Query *statement, bool has_releases)
{
	Rest rest = {.has_releases = has_releases};

	(void) dp_search_any((Node *) statement, look_at_rest, &rest);
	return rest.has_private;
}
