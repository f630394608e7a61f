/*
 * key_filter.c
 *		Conditions of WHERE that are of keys alone.
 *
 * A condition of WHERE is repeated over the released groups if it has the same
 * result for a group as for each of the group's rows, and cannot fail, since
 * an error over released rows would come after the charge. So it may only use
 * functions that never fail, or their wrapped forms, as in the inner
 * statement, and columns of types whose equal values are identical: 1.0 and
 * 1.00, or 0 and -0, could stand for each other.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "gate/read/key_filter.h"
#include "server/plain_type.h"
#include "server/search.h"

/* A condition, and the keys that it may name. */
typedef struct Filter
{
	List *keys;
	bool names_key;
} Filter;

/* Whether equal values of a type are the same. */
static bool
is_exact(Oid type)
{
	return dp_plain_type_is(type, DP_PLAIN_EXACT) || type_is_enum(type);
}

/*
 * Whether anything in a condition prevents repeating it. Whether it can be computed
 * over rows is decided when WHERE is read.
 */
static bool
is_other(Node *node, void *context)
{
	Filter *filter = context;

	filter->names_key |= IsA(node, Var);
	return IsA(node, SubLink) ||
		   (IsA(node, Var) && (((Var *) node)->varlevelsup != 0 ||
							   !is_exact(((Var *) node)->vartype) ||
							   !list_member(filter->keys, node)));
}

void
dp_key_filter_repeat(Query *query)
{
	Filter filter = {
		get_sortgrouplist_exprs(query->groupClause, query->targetList), false};
	List *conditions = NIL;
	ListCell *cell;

	if (query->groupingSets != NIL || query->jointree->quals == NULL)
		return;
	foreach (cell, make_ands_implicit((Expr *) query->jointree->quals))
	{
		filter.names_key = false;
		if (!dp_search_any(lfirst(cell), is_other, &filter) && filter.names_key)
			conditions = lappend(conditions, copyObject(lfirst(cell)));
	}
	if (conditions == NIL)
		return;
	if (query->havingQual != NULL)
		conditions = lcons(query->havingQual, conditions);
	query->havingQual = (Node *) make_ands_explicit(conditions);
}
