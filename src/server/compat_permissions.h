/*
 * compat_permissions.h
 *		Differences between versions of PostgreSQL in what privileges are checked for
 *		whom.
 *
 * The rest is in compat.h. From 16 on a query has the permissions to be checked in a
 * list of its own, to which the entries of its range table refer; before, each entry
 * has its own.
 */
#ifndef DP_SERVER_COMPAT_PERMISSIONS_H
#define DP_SERVER_COMPAT_PERMISSIONS_H

#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "utils/acl.h"

/* True for the owner of a relation, members of the owner and superusers. */
static inline bool
dp_compat_owns_relation(Oid relation, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relation, role);
#else
	return pg_class_ownercheck(relation, role);
#endif
}

/* Makes the privileges on a relation of a query be checked for another role. */
static inline void
dp_compat_check_as_user(Query *query, RangeTblEntry *rte, Oid role)
{
#if PG_VERSION_NUM >= 160000
	getRTEPermissionInfo(query->rteperminfos, rte)->checkAsUser = role;
#else
	(void) query;
	rte->checkAsUser = role;
#endif
}

/* True for a role that may call a function. */
static inline bool
dp_compat_may_execute(Oid function, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) ==
		   ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

/* Whether a role may look up names in a schema. */
static inline bool
dp_compat_may_use_schema(Oid schema, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE) ==
		   ACLCHECK_OK;
#else
	return pg_namespace_aclcheck(schema, role, ACL_USAGE) == ACLCHECK_OK;
#endif
}

/* Refuses a role that may not give what it owns to another. */
static inline void
dp_compat_check_may_give_to(Oid role, Oid new_owner)
{
#if PG_VERSION_NUM >= 160000
	check_can_set_role(role, new_owner);
#else
	check_is_member_of_role(role, new_owner);
#endif
}

/*
 * For a query whose range table is made anew: no privileges are checked for it.
 */
static inline void
dp_compat_drop_permissions(Query *query)
{
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = NIL;
#else
	(void) query; /* they are in the range table */
#endif
}

/* Gives a query the permissions to be checked for a parser's range table. */
static inline void
dp_compat_take_permissions(Query *query, const ParseState *state)
{
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = state->p_rteperminfos;
#else
	(void) query; /* they are in the range table */
	(void) state;
#endif
}

/*
 * Gives a query of one relation the permissions to be checked for it in another
 * query.
 */
static inline void
dp_compat_copy_permissions(Query *query, const Query *from, RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	if (rte->perminfoindex == 0)
		return;
	query->rteperminfos =
		list_make1(copyObject(getRTEPermissionInfo(from->rteperminfos, rte)));
	rte->perminfoindex = 1;
#else
	(void) query; /* they are in the range table */
	(void) from;
	(void) rte;
#endif
}

#if PG_VERSION_NUM >= 160000
/* Whether the executor will allow what is asked of a relation. */
static inline bool
dp_compat_is_permitted(RTEPermissionInfo *asked)
{
#if PG_VERSION_NUM >= 170000
	return ExecCheckOneRelPerms(asked);
#else
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_RELATION;
	rte->relid = asked->relid;
	rte->perminfoindex = 1;
	return ExecCheckPermissions(list_make1(rte), list_make1(asked), false);
#endif
}
#endif

/* The first relation that the executor will refuse, if any. */
static inline Oid
dp_compat_refused(List *asked)
{
	ListCell *cell;

	foreach (cell, asked)
	{
#if PG_VERSION_NUM >= 160000
		RTEPermissionInfo *entry = lfirst_node(RTEPermissionInfo, cell);

		if (!dp_compat_is_permitted(entry))
			return entry->relid;
#else
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (!ExecCheckRTEPerms(entry))
			return entry->relid;
#endif
	}
	return InvalidOid;
}

/* The same, of a query without its sub-queries, or of a plan. */
#if PG_VERSION_NUM >= 160000
#define dp_compat_refused_by_query(query) \
	dp_compat_refused((query)->rteperminfos)
#define dp_compat_refused_by_plan(plan) dp_compat_refused((plan)->permInfos)
#else
#define dp_compat_refused_by_query(query) dp_compat_refused((query)->rtable)
#define dp_compat_refused_by_plan(plan) dp_compat_refused((plan)->rtable)
#endif

/* Whether the executor will read an entry of a query's range table. */
static inline bool
dp_compat_is_allowed(const Query *query, RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	return rte->perminfoindex == 0 ||
		   dp_compat_is_permitted(
			   getRTEPermissionInfo(query->rteperminfos, rte));
#else
	(void) query;
	return ExecCheckRTEPerms(rte);
#endif
}

/*
 * Whether rows of an entry of a query's range table are to be read, and not
 * changed.
 */
static inline bool
dp_compat_is_only_read(const Query *query, const RangeTblEntry *rte)
{
	AclMode asked;

#if PG_VERSION_NUM >= 160000
	asked =
		rte->perminfoindex == 0
			? 0
			: getRTEPermissionInfo(query->rteperminfos, (RangeTblEntry *) rte)
				  ->requiredPerms;
#else
	asked = rte->requiredPerms;
#endif
	return asked == ACL_SELECT ||
		   (query->commandType == CMD_SELECT && (asked & ACL_SELECT) != 0);
}

/*
 * The role whose privileges on an entry of a query's range table are checked;
 * InvalidOid: the current user.
 */
static inline Oid
dp_compat_checked_as(const Query *query, RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	return rte->perminfoindex == 0
			   ? InvalidOid
			   : getRTEPermissionInfo(query->rteperminfos, rte)->checkAsUser;
#else
	(void) query;
	return rte->checkAsUser;
#endif
}

/*
 * The view that an entry of a rewritten query's range table came from;
 * InvalidOid: none. Before 16 the range table of its query begins with the
 * view.
 */
static inline Oid
dp_compat_view_of(const RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	return rte->rtekind == RTE_SUBQUERY && rte->relkind == RELKIND_VIEW
			   ? rte->relid
			   : InvalidOid;
#else
	const RangeTblEntry *first;

	if (rte->rtekind != RTE_SUBQUERY || rte->subquery->rtable == NIL)
		return InvalidOid;
	first = linitial_node(RangeTblEntry, rte->subquery->rtable);
	return first->rtekind == RTE_RELATION && first->relkind == RELKIND_VIEW
			   ? first->relid
			   : InvalidOid;
#endif
}

/*
 * The role whose privileges are checked for such a view; or the current
 * user's.
 */
static inline Oid
dp_compat_view_checked_as(const Query *query, RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	return dp_compat_checked_as(query, rte);
#else
	return dp_compat_checked_as(
		query, linitial_node(RangeTblEntry, rte->subquery->rtable));
#endif
}

/*
 * Makes the privileges on an entry of a rewritten query's range table, a
 * relation or a view, be checked for the current user.
 */
static inline void
dp_compat_check_as_current(Query *query, RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	if (rte->perminfoindex > 0)
		getRTEPermissionInfo(query->rteperminfos, rte)->checkAsUser =
			InvalidOid;
#else
	(void) query;
	if (OidIsValid(dp_compat_view_of(rte)))
		rte = linitial_node(RangeTblEntry, rte->subquery->rtable);
	rte->checkAsUser = InvalidOid;
#endif
}

/*
 * The entry of a view at the head of its query's range table, which has the
 * privileges on it checked before 16: a list of it, or NIL.
 */
static inline List *
dp_compat_view_entries(const Query *query)
{
	List *entries = NIL;

#if PG_VERSION_NUM < 160000
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind == RTE_RELATION && rte->relkind == RELKIND_VIEW)
			entries = lappend(entries, rte);
	}
#else
	(void) query;
#endif
	return entries;
}

/* An entry of a plan's range table for which no privileges are checked. */
static inline void
dp_compat_ask_no_permission(RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	rte->perminfoindex = 0;
#else
	rte->requiredPerms = 0;
#endif
}

#endif
