/*
 * loaded_orders.c
 *		What the server keeps of the catalogs after an inner statement.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/run/loaded_orders.h"
#include "server/compat.h"
#include "server/search.h"

/* Adds the type of a column, or of what a query returns. */
static bool
note_type(Node *node, void *types)
{
	List **list = types;

	if (IsA(node, Var))
		*list = list_append_unique_oid(*list, ((Var *) node)->vartype);
	else if (IsA(node, TargetEntry))
		*list = list_append_unique_oid(
			*list, exprType((Node *) ((TargetEntry *) node)->expr));
	return false;
}

static void
load_order(Oid comparison)
{
	Oid family;
	Oid type;

	if (OidIsValid(comparison) &&
		dp_compat_find_order(comparison, &family, &type))
		(void) get_opfamily_proc(family, type, type, BTSORTSUPPORT_PROC);
}

void
dp_loaded_orders_load(Query *query)
{
	List *types = NIL;
	ListCell *cell;

	(void) dp_search_any((Node *) query, note_type, &types);
	foreach (cell, types)
	{
		const TypeCacheEntry *type = lookup_type_cache(
			lfirst_oid(cell), TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR |
								  TYPECACHE_GT_OPR | TYPECACHE_CMP_PROC |
								  TYPECACHE_HASH_PROC);
		RegProcedure left;
		RegProcedure right;

		load_order(type->lt_opr);
		load_order(type->gt_opr);
		if (OidIsValid(type->eq_opr))
			(void) get_op_hash_functions(type->eq_opr, &left, &right);
	}
	list_free(types);
}
