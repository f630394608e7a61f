/*
 * asked.c
 *		What other nodes are asked in place of the rows of a relation.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "gate/relations/row_copies.h"
#include "gate/run/nodes/asked.h"
#include "gate/run/nodes/pure.h"
#include "server/compat.h"
#include "server/queries.h"

DpNodeAsked *
dp_node_asked_begin(const Query *reader)
{
	DpNodeAsked *asked = palloc0(sizeof(DpNodeAsked));

	asked->rows = dp_row_copies_query(reader, 1, NIL);
	asked->rows->targetList = NIL;
	return asked;
}

Node *
dp_node_asked_condition(Node *condition)
{
	BooleanTest *test = makeNode(BooleanTest);

	test->arg = (Expr *) dp_nodes_written_out(condition);
	test->booltesttype = IS_TRUE;
	test->location = -1;
	return (Node *) test;
}

void
dp_node_asked_where(DpNodeAsked *asked, Node *condition)
{
	asked->rows->jointree->quals = make_and_qual(
		asked->rows->jointree->quals, dp_node_asked_condition(condition));
}

/* What is asked for already. */
static TargetEntry *
find_column(const DpNodeAsked *asked, const Node *expression)
{
	foreach_node (TargetEntry, entry, asked->rows->targetList)
	{
		if (equal(entry->expr, expression))
			return entry;
	}
	return NULL;
}

Node *
dp_node_asked_column(DpNodeAsked *asked, Node *expression)
{
	Node *written = dp_nodes_written_out(expression);
	TargetEntry *entry = find_column(asked, written);

	if (entry == NULL && asked->is_closed)
		return NULL;
	if (entry == NULL)
	{
		entry = dp_query_add_target(asked->rows, written, NULL);
		if (asked->is_grouped)
			asked->rows->groupClause = lappend(asked->rows->groupClause,
											   dp_query_clause(entry, false));
	}
	return (Node *) dp_query_column(entry);
}

Node *
dp_node_asked_aggregate(DpNodeAsked *asked, Oid function, Node *value,
						Node *filter)
{
	Aggref *aggref = dp_query_count_rows();
	TargetEntry *entry;

	if (value != NULL)
	{
		value = dp_nodes_written_out(value);
		aggref->aggfnoid = function;
		aggref->aggtype = get_func_rettype(function);
		aggref->aggstar = false;
		aggref->aggargtypes = list_make1_oid(exprType(value));
		aggref->args =
			list_make1(makeTargetEntry((Expr *) value, 1, NULL, false));
	}
	if (filter != NULL)
		aggref->aggfilter = (Expr *) dp_nodes_written_out(filter);
	entry = find_column(asked, (Node *) aggref);
	if (entry == NULL)
		entry = dp_query_add_target(asked->rows, (Node *) aggref, NULL);
	asked->rows->hasAggs = true;
	return (Node *) dp_query_column(entry);
}
