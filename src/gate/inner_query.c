/*
 * inner_query.c
 *		The statement beneath a release.
 */
#include "postgres.h"

#include "access/table.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "gate/inner_query.h"
#include "server/compat.h"

/* The owner's rights, for one relation of a query alone. */
static void
lend_rights(Query *query, Index varno)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Relation relation = table_open(rte->relid, NoLock);

	dp_compat_check_as_user(query, rte, relation->rd_rel->relowner);
	table_close(relation, NoLock);
}

static void
add_column(Query *query, void *expression, const char *letter, int number)
{
	query->targetList =
		lappend(query->targetList,
				makeTargetEntry(expression, list_length(query->targetList) + 1,
								psprintf("%s%d", letter, number), false));
}

Query *
dp_gate_inner_query(Query *query, const DpBlock *block)
{
	Query *inner = copyObject(query);
	ListCell *cell;
	int place = 0;

	lend_rights(inner, block->varno);
	inner->queryId = UINT64CONST(0);
	inner->canSetTag = true;
	inner->targetList = NIL;
	foreach (cell, block->aggregates)
		add_column(inner, lfirst(cell), "a", ++place);
	return inner;
}
