/*
 * shown.c
 *		Which public rows whoever asks may see.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/rls.h"

#include "gate/relations/shown.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/search.h"
#include "server/stack.h"

/* True if the current user's own privileges cover all columns and rows. */
static bool
may_read(Oid relation)
{
	return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) ==
			   ACLCHECK_OK &&
		   check_enable_rls(relation, GetUserId(), true) != RLS_ENABLED;
}

/*
 * True if the relation is read with the user's own rights, or the user may
 * read it.
 */
static bool
may_see(Oid relation, Oid role)
{
	return !OidIsValid(role) || role == GetUserId() || may_read(relation);
}

/* Finds what is read with the rights of others. */
static DpVisit
find_lent(Node *node, const List *around, void *context)
{
	(void) around;
	(void) context;
	if (!IsA(node, Query))
		return DP_VISIT_PARTS;
	foreach_ptr (RangeTblEntry, rte, ((Query *) node)->rtable)
	{
		if (!dp_shown_is_shown((Query *) node, rte))
			return DP_VISIT_FOUND;
	}
	return DP_VISIT_PARTS;
}

bool
dp_shown_is_shown(const Query *query, RangeTblEntry *rte)
{
	Oid view = dp_compat_view_of(rte);

	dp_stack_enter();
	if (OidIsValid(view))
		return may_see(view, dp_compat_view_checked_as(query, rte));
	if (rte->rtekind == RTE_SUBQUERY)
		return dp_shown_all(rte->subquery);
	return rte->rtekind != RTE_RELATION ||
		   rte->relkind == RELKIND_VIEW || /* before 16: not read itself */
		   may_see(rte->relid, dp_compat_checked_as(query, rte));
}

/* Finds what row-level security or a foreign server may show some roles only. */
static bool
is_of_role(Node *node, void *context)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	(void) context;
	return IsA(node, RangeTblEntry) &&
		   (rte->securityQuals != NIL ||
			(rte->rtekind == RTE_RELATION &&
			 rte->relkind == RELKIND_FOREIGN_TABLE));
}

bool
dp_shown_is_of_role(Query *query)
{
	return dp_search_any((Node *) query, is_of_role, NULL);
}

bool
dp_shown_all(Query *query)
{
	return !dp_search((Node *) query, find_lent, NULL,
					  QTW_IGNORE_RT_SUBQUERIES);
}
