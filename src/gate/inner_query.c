/*
 * inner_query.c
 *		The statements beneath a release.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "gate/inner_query.h"
#include "gate/key.h"
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

static TargetEntry *
add_column(Query *query, void *expression, const char *letter, int number)
{
	TargetEntry *entry =
		makeTargetEntry(expression, list_length(query->targetList) + 1,
						psprintf("%s%d", letter, number), false);

	query->targetList = lappend(query->targetList, entry);
	return entry;
}

/* FROM and WHERE of a block; what works on released rows is left to it. */
static Query *
make_frame(Query *query, const DpBlock *block)
{
	Query *frame = copyObject(query);

	lend_rights(frame, block->varno);
	frame->queryId = UINT64CONST(0);
	frame->canSetTag = true;
	frame->targetList = NIL;
	frame->groupClause = NIL;
	frame->havingQual = NULL;
	frame->windowClause = NIL;
	frame->distinctClause = NIL;
	frame->sortClause = NIL;
	frame->limitCount = NULL;
	frame->limitOffset = NULL;
	frame->hasWindowFuncs = false;
	frame->hasTargetSRFs = false;
	frame->hasDistinctOn = false;
	return frame;
}

static void
add_aggregates(Query *query, const DpBlock *block)
{
	ListCell *cell;
	int place = 0;

	foreach (cell, block->aggregates)
		add_column(query, lfirst(cell), "a", ++place);
}

/*
 * Groups are made by hashing alone: sorting an enum looks its values up and
 * can fail. Texts are grouped byte by byte, as every collation does that is
 * allowed, without asking a locale.
 */
static void
add_key(Query *query, Node *expression, int number)
{
	SortGroupClause *group = makeNode(SortGroupClause);
	TargetEntry *entry;

	if (OidIsValid(exprCollation(expression)))
		expression = (Node *) makeRelabelType(
			(Expr *) expression, exprType(expression), exprTypmod(expression),
			C_COLLATION_OID, COERCE_IMPLICIT_CAST);
	entry = add_column(query, expression, "k", number);
	entry->ressortgroupref = group->tleSortGroupRef = number;
	get_sort_group_operators(exprType(expression), false, false, false, NULL,
							 &group->eqop, NULL, &group->hashable);
	query->groupClause = lappend(query->groupClause, group);
}

Query *
dp_gate_inner_query(Query *query, const DpBlock *block)
{
	Query *inner = make_frame(query, block);
	ListCell *cell;
	int place = 0;

	foreach (cell, block->keys)
		add_key(inner, copyObject(((DpKey *) lfirst(cell))->expression),
				++place);
	add_aggregates(inner, block);
	return inner;
}

Query *
dp_gate_empty_query(Query *query, const DpBlock *block)
{
	Query *empty = make_frame(query, block);

	add_aggregates(empty, block);
	empty->jointree->quals = makeBoolConst(false, false);
	return empty;
}
