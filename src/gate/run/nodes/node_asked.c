/*
 * node_asked.c
 *		What other nodes are asked in place of the rows of a relation.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "gate/relations/row_copies.h"
#include "gate/run/nodes/node_asked.h"
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
	if (asked->is_grouped && !dp_nodes_is_key(written))
	{
		asked->has_failed = true; /* it may have no equality */
		return NULL;
	}
	if (entry == NULL)
	{
		entry = dp_query_add_target(asked->rows, written, NULL);
		if (asked->is_grouped)
			asked->rows->groupClause = lappend(asked->rows->groupClause,
											   dp_query_clause(entry, false));
	}
	return (Node *) dp_query_column(entry);
}

/*
 * That a value is not null. Of composite types, whose fields the words would be about,
 * nodes are not asked it.
 */
static Node *
is_there(DpNodeAsked *asked, Node *value)
{
	NullTest *test = makeNode(NullTest);

	asked->has_failed |= type_is_rowtype(exprType(value));
	test->arg = (Expr *) value;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return (Node *) test;
}

/* Adds an aggregate to what is asked, if it is not there. */
static Node *
add_aggregate(DpNodeAsked *asked, Aggref *aggref, Node *filter)
{
	TargetEntry *entry;

	if (filter != NULL)
		aggref->aggfilter = (Expr *) dp_nodes_written_out(filter);
	entry = find_column(asked, (Node *) aggref);
	if (entry == NULL)
		entry = dp_query_add_target(asked->rows, (Node *) aggref, NULL);
	asked->rows->hasAggs = true;
	return (Node *) dp_query_column(entry);
}

Node *
dp_node_asked_count(DpNodeAsked *asked, Node *value, Node *filter)
{
	if (value != NULL)
		filter = make_and_qual(filter, is_there(asked, value));
	return add_aggregate(asked, dp_query_count_rows(), filter);
}

Node *
dp_node_asked_sum(DpNodeAsked *asked, const DpWhole *whole, Node *value,
				  Node *filter)
{
	Aggref *aggref = dp_query_count_rows();

	value = dp_nodes_written_out(value);
	asked->has_failed |= exprType(value) != whole->type;
	aggref->aggfnoid = whole->sum;
	aggref->aggtype = get_func_rettype(whole->sum);
	aggref->aggstar = false;
	aggref->aggargtypes = list_make1_oid(whole->type);
	aggref->args = list_make1(makeTargetEntry((Expr *) value, 1, NULL, false));
	return add_aggregate(asked, aggref, filter);
}
