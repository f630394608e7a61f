/*
 * depending.c
 *		Columns that depend on a primary key that is grouped by.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"

#include "gate/read/depending.h"
#include "server/lists.h"
#include "server/search.h"

/* What is searched for, and what was found. */
typedef struct Depending
{
	List *keys;	 /* of Node */
	List *found; /* of Var, once each */
} Depending;

/* Columns of the block outside of aggregates and of what it is grouped by. */
static DpVisit
find_columns(Node *node, const List *around, void *context)
{
	Depending *depending = context;

	if (list_member(depending->keys, node) || IsA(node, Aggref) ||
		IsA(node, GroupingFunc))
		return DP_VISIT_NEXT;
	if (IsA(node, Var) &&
		(int) ((Var *) node)->varlevelsup == list_length(around) &&
		((Var *) node)->varattno > 0)
	{
		Var *column = copyObject((Var *) node);

		column->varlevelsup = 0;
		depending->found = list_append_unique(depending->found, column);
	}
	return DP_VISIT_PARTS;
}

/* Groups by a column, whose type may have no equality. */
static void
group_by(Query *block, Var *column)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	TargetEntry *entry = tlist_member((Expr *) column, block->targetList);

	get_sort_group_operators(column->vartype, false, false, false,
							 &clause->sortop, &clause->eqop, NULL,
							 &clause->hashable);
	if (!OidIsValid(clause->eqop))
		return;
	if (entry == NULL)
	{
		entry = makeTargetEntry(
			(Expr *) column, (AttrNumber) (list_length(block->targetList) + 1),
			NULL, true);
		block->targetList = lappend(block->targetList, entry);
	}
	clause->tleSortGroupRef = assignSortGroupRef(entry, block->targetList);
	block->groupClause = lappend(block->groupClause, clause);
}

void
dp_depending_group(Query *block)
{
	Depending depending = {NIL, NIL};

	if (block->constraintDeps == NIL || block->groupClause == NIL ||
		block->groupingSets != NIL)
		return;
	foreach_ptr (SortGroupClause, clause, block->groupClause)
		depending.keys =
			lappend(depending.keys,
					get_sortgroupclause_expr(clause, block->targetList));
	(void) dp_search((Node *) block->targetList, find_columns, &depending, 0);
	(void) dp_search(block->havingQual, find_columns, &depending, 0);
	foreach_ptr (Var, var, depending.found)
		group_by(block, var);
}
