/*
 * search.c
 *		One way through the nodes of the server's queries and expressions.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "server/search.h"

typedef struct Search
{
	DpLook look;
	void *context;
	int flags;
	List *around; /* queries, the innermost first */
} Search;

static bool visit(Node *node, void *context);

static bool
visit_query(Query *query, Search *search)
{
	bool result;

	search->around = lcons(query, search->around);
	result = query_tree_walker(query, visit, search, search->flags);
	search->around = list_delete_first(search->around);
	return result;
}

static bool
visit(Node *node, void *context)
{
	Search *search = context;

	if (node == NULL)
		return false;
	switch (search->look(node, search->around, search->context))
	{
		case DP_VISIT_FOUND:
			return true;
		case DP_VISIT_NEXT:
			return false;
		case DP_VISIT_PARTS:
			break;
	}
	if (IsA(node, Query))
		return visit_query((Query *) node, search);
	return !IsA(node, RangeTblEntry) && /* the server goes on to its parts */
		   expression_tree_walker(node, visit, context);
}

bool
dp_search(Node *node, DpLook look, void *context, int flags)
{
	Search search = {look, context, flags, NIL};

	return visit(node, &search);
}

bool
dp_search_query(Query *query, DpLook look, void *context, int flags)
{
	Search search = {look, context, flags, NIL};

	return visit_query(query, &search);
}

bool
dp_search_entry(RangeTblEntry *rte, DpLook look, void *context, int flags)
{
	Search search = {look, context, flags, NIL};

	return range_table_walker(list_make1(rte), visit, &search, flags);
}

/*
 * Looks for any node
 */

/* What joins call their columns is beneath them, too. */
#define FLAGS (QTW_EXAMINE_RTES_BEFORE | QTW_IGNORE_JOINALIASES)

typedef struct Test
{
	bool (*test)(Node *node, void *context);
	void *context;
	bool is_within; /* leaves sub-queries out */
} Test;

static DpVisit
test_node(Node *node, const List *around, void *context)
{
	const Test *test = context;

	(void) around;
	if (test->is_within && IsA(node, Query))
		return DP_VISIT_NEXT;
	return test->test(node, test->context) ? DP_VISIT_FOUND : DP_VISIT_PARTS;
}

bool
dp_search_any(Node *node, bool (*test)(Node *node, void *context),
			  void *context)
{
	Test what = {test, context, false};

	return dp_search(node, test_node, &what, FLAGS);
}

bool
dp_search_within(Node *node, bool (*test)(Node *node, void *context),
				 void *context)
{
	Test what = {test, context, true};

	return dp_search(node, test_node, &what, 0);
}

bool
dp_search_any_of_entry(const RangeTblEntry *rte,
					   bool (*test)(Node *node, void *context), void *context)
{
	Test what = {test, context, false};

	return dp_search_entry((RangeTblEntry *) rte, test_node, &what, FLAGS);
}

/*
 * Query parameters
 */

static DpVisit
add_param(Node *node, const List *around, void *params)
{
	(void) around;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		*(List **) params = list_append_unique(*(List **) params, node);
	return DP_VISIT_PARTS;
}

List *
dp_search_params(Node *node)
{
	List *params = NIL;

	(void) dp_search(node, add_param, &params, 0);
	return params;
}

/*
 * Changes
 */

typedef struct Change
{
	DpReplacement replacement;
	void *context;
	int depth;
} Change;

static Node *
change(Node *node, void *context)
{
	Change *what = context;
	Node *result;

	if (node == NULL)
		return NULL;
	result = what->replacement(node, what->depth, what->context);
	if (result != NULL)
		return result;
	if (!IsA(node, Query))
		return expression_tree_mutator(node, change, context);
	what->depth++;
	result = (Node *) query_tree_mutator((Query *) node, change, context, 0);
	what->depth--;
	return result;
}

Node *
dp_search_replace(Node *node, DpReplacement replacement, void *context)
{
	Change what = {replacement, context, 0};

	return change(node, &what);
}
