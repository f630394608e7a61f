/*
 * public_run.c
 *		Public rows that are read while a statement is planned.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "optimizer/planner.h"
#include "utils/snapmgr.h"

#include "gate/read/public_run.h"
#include "gate/relations/code_of_others.h"
#include "gate/relations/role_rights.h"
#include "server/compat.h"
#include "server/compat_planner.h"
#include "server/search.h"

/* Finds what may run somebody's code, or is not known yet. */
static bool
is_unsafe(Node *node, void *context)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	(void) context;
	if (IsA(node, RangeTblEntry))
		return rte->securityQuals != NIL ||
			   (rte->rtekind != RTE_SUBQUERY &&
				(rte->rtekind != RTE_RELATION || rte->tablesample != NULL ||
				 rte->relkind != RELKIND_RELATION));
	return IsA(node, Param) || IsA(node, SubLink) ||
		   dp_code_of_others(node) != DP_NO_CODE;
}

bool
dp_public_run_can(Query *query)
{
	return !dp_search_any((Node *) query, is_unsafe, NULL);
}

static uint64
run(Query *query, DestReceiver *receiver)
{
	QueryDesc *query_desc;
	uint64 count;

	PushActiveSnapshot(GetTransactionSnapshot());
	query_desc =
		CreateQueryDesc(dp_compat_plan(query, "", 0), "", GetActiveSnapshot(),
						InvalidSnapshot, receiver, NULL, NULL, 0);
	ExecutorStart(query_desc, 0);
	dp_compat_execute(query_desc);
	count = query_desc->estate->es_processed;
	ExecutorFinish(query_desc);
	ExecutorEnd(query_desc);
	FreeQueryDesc(query_desc);
	PopActiveSnapshot();
	return count;
}

uint64
dp_public_run(Query *query, Oid reader, DestReceiver *receiver)
{
	DpRights rights;
	volatile uint64 count = 0;

	dp_role_rights_begin_public(&rights);
	PG_TRY();
	{
		DpRights reading; /* ended after errors below */

		dp_role_rights_begin_reading(&reading, reader);
		count = run(query, receiver);
		dp_role_rights_end(&reading);
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	return count;
}
