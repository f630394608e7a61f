/*
 * any_node.c
 *		Looks for a node anywhere in a query or an expression.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "server/any_node.h"
#include "server/search.h"

/* What joins call their columns is beneath them, too. */
#define FLAGS (QTW_EXAMINE_RTES_BEFORE | QTW_IGNORE_JOINALIASES)

typedef struct Test
{
	bool (*test)(Node *node, void *context);
	void *context;
	bool is_within; /* leaves sub-queries out */
} Test;

static DpVisit
look(Node *node, const List *around, void *context)
{
	const Test *test = context;

	(void) around;
	if (test->is_within && IsA(node, Query))
		return DP_VISIT_NEXT;
	return test->test(node, test->context) ? DP_VISIT_FOUND : DP_VISIT_PARTS;
}

bool
dp_any_node(Node *node, bool (*test)(Node *node, void *context), void *context)
{
	Test what = {test, context, false};

	return dp_search(node, look, &what, FLAGS);
}

bool
dp_any_node_within(Node *node, bool (*test)(Node *node, void *context),
				   void *context)
{
	Test what = {test, context, true};

	return dp_search(node, look, &what, 0);
}

bool
dp_any_node_of_entry(const RangeTblEntry *rte,
					 bool (*test)(Node *node, void *context), void *context)
{
	Test what = {test, context, false};

	return dp_search_entry((RangeTblEntry *) rte, look, &what, FLAGS);
}
