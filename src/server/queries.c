/*
 * queries.c
 *		Makes queries of the server.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"

#include "server/queries.h"

Query *
dp_query_make(void)
{
	Query *query = makeNode(Query);

	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->jointree = makeFromExpr(NIL, NULL);
	return query;
}

TargetEntry *
dp_query_add_target(Query *query, Node *expr, const char *name)
{
	int number = list_length(query->targetList) + 1;
	TargetEntry *entry = makeTargetEntry(
		(Expr *) expr, (AttrNumber) number,
		name == NULL ? psprintf("c%d", number) : pstrdup(name), false);

	query->targetList = lappend(query->targetList, entry);
	return entry;
}

SortGroupClause *
dp_query_clause(TargetEntry *entry, bool is_sorted)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	if (entry->ressortgroupref == 0)
		entry->ressortgroupref = (Index) entry->resno;
	clause->tleSortGroupRef = entry->ressortgroupref;
	get_sort_group_operators(exprType((Node *) entry->expr), is_sorted, true,
							 false, &clause->sortop, &clause->eqop, NULL,
							 &clause->hashable);
	return clause;
}

Node *
dp_query_reference(int rtindex)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = rtindex;
	return (Node *) ref;
}

RangeTblEntry *
dp_query_join_entry(JoinType type)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_JOIN;
	rte->jointype = type;
	rte->eref = makeAlias("unnamed_join", NIL);
	rte->inFromCl = true;
	return rte;
}

Node *
dp_query_join(List *from)
{
	Node *result = linitial(from);
	ListCell *cell;

	for_each_from (cell, from, 1)
	{
		JoinExpr *join = makeNode(JoinExpr);

		join->jointype = JOIN_INNER;
		join->larg = result;
		join->rarg = lfirst(cell);
		result = (Node *) join;
	}
	return result;
}

RangeTblEntry *
dp_query_entry(Query *query, const char *alias)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	ListCell *cell;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias(alias, NIL);
	foreach (cell, query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk)
			rte->eref->colnames =
				lappend(rte->eref->colnames,
						makeString(entry->resname == NULL
									   ? psprintf("c%d", entry->resno)
									   : pstrdup(entry->resname)));
	}
	return rte;
}

Query *
dp_query_over(Query *query, const char *name)
{
	Query *outer = dp_query_make();

	outer->rtable = list_make1(dp_query_entry(query, name));
	linitial_node(RangeTblEntry, outer->rtable)->inFromCl = true;
	outer->jointree->fromlist = list_make1(dp_query_reference(1));
	return outer;
}

Var *
dp_query_column(const TargetEntry *entry)
{
	Node *expression = (Node *) entry->expr;

	return makeVar(1, entry->resno, exprType(expression),
				   exprTypmod(expression), exprCollation(expression), 0);
}

Aggref *
dp_query_count_rows(void)
{
	Aggref *count = makeNode(Aggref);

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggstar = true;
	count->aggkind = AGGKIND_NORMAL;
	count->aggsplit = AGGSPLIT_SIMPLE;
	count->aggno = -1;
	count->aggtransno = -1;
	count->location = -1;
	return count;
}

/* left UNION ALL the entry of that number. */
static Node *
add_operation(Node *left, int rtindex, const List *columns)
{
	SetOperationStmt *operation = makeNode(SetOperationStmt);
	ListCell *cell;

	operation->op = SETOP_UNION;
	operation->all = true;
	operation->larg = left;
	operation->rarg = dp_query_reference(rtindex);
	foreach (cell, columns)
	{
		const Node *column = lfirst(cell);

		operation->colTypes =
			lappend_oid(operation->colTypes, exprType(column));
		operation->colTypmods =
			lappend_int(operation->colTypmods, exprTypmod(column));
		operation->colCollations =
			lappend_oid(operation->colCollations, exprCollation(column));
	}
	return (Node *) operation;
}

Query *
dp_query_union(List *parts, List *columns, const char *alias)
{
	Query *query = dp_query_make();
	const Query *first = linitial(parts);
	ListCell *cell;

	foreach (cell, parts)
	{
		int rtindex = foreach_current_index(cell) + 1;

		query->rtable =
			lappend(query->rtable, dp_query_entry(lfirst(cell), alias));
		query->setOperations =
			rtindex == 1
				? dp_query_reference(1)
				: add_operation(query->setOperations, rtindex, columns);
	}
	foreach (cell, columns)
		(void) dp_query_add_target(query, lfirst(cell),
								   list_nth_node(TargetEntry, first->targetList,
												 foreach_current_index(cell))
									   ->resname);
	return query;
}
