/*
 * any_node.c
 *		Looks for a node anywhere in a query or an expression.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "server/any_node.h"

/* What joins call their columns is beneath them, too. */
#define FLAGS (QTW_EXAMINE_RTES_BEFORE | QTW_IGNORE_JOINALIASES)

typedef struct Visit
{
	bool (*test)(Node *node, void *context);
	void *context;
} Visit;

static bool
visit(Node *node, void *context)
{
	const Visit *what = context;

	if (node == NULL)
		return false;
	if (what->test(node, what->context))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, visit, context, FLAGS);
	return !IsA(node, RangeTblEntry) && /* the server goes on to its parts */
		   expression_tree_walker(node, visit, context);
}

bool
dp_any_node(Node *node, bool (*test)(Node *node, void *context), void *context)
{
	Visit what = {test, context};

	return visit(node, &what);
}

bool
dp_any_node_of_entry(const RangeTblEntry *rte,
					 bool (*test)(Node *node, void *context), void *context)
{
	Visit what = {test, context};

	return range_table_walker(list_make1((void *) rte), visit, &what, FLAGS);
}
