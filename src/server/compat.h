/*
 * compat.h
 *		Differences between PostgreSQL 15 and 18, each behind one name.
 *
 * No other source depends on the server's version. Names and meanings are those
 * of the newest version, where it has them.
 */
#ifndef DP_SERVER_COMPAT_H
#define DP_SERVER_COMPAT_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#define pg_noreturn _Noreturn
#endif

/* Walks over a list of pointers, each of which is a variable of the loop. */
#ifndef foreach_ptr
/* NOLINTBEGIN(bugprone-macro-parentheses): declarations have none */
#define foreach_ptr(type, var, list) \
	for (type *var = NULL, *var##__loop = (type *) 1; var##__loop != NULL; \
		 var##__loop = NULL) \
		for (ForEachState var##__state = {(list), 0}; \
			 var##__state.i < list_length(var##__state.l) && \
			 (var = list_nth(var##__state.l, var##__state.i), true); \
			 var##__state.i++)
/* NOLINTEND(bugprone-macro-parentheses) */
#endif

/* The next value of a finished sort, in memory of its own; false at the end. */
static inline bool
dp_compat_next_datum(Tuplesortstate *sort, Datum *value)
{
	bool isnull;

#if PG_VERSION_NUM >= 160000
	return tuplesort_getdatum(sort, true, true, value, &isnull, NULL);
#else
	return tuplesort_getdatum(sort, true, value, &isnull, NULL);
#endif
}

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

/* The server's settings; the array must not be changed. */
static inline struct config_generic **
dp_compat_settings(int *count)
{
#if PG_VERSION_NUM >= 160000
	return get_guc_variables(count);
#else
	*count = GetNumConfigOptions();
	return get_guc_variables();
#endif
}

/* This process's number in the array of the server's processes. */
static inline int
dp_compat_proc_number(void)
{
#if PG_VERSION_NUM >= 170000
	return MyProcNumber;
#else
	return MyProc->pgprocno;
#endif
}

/* For updates of rows by a tuple's position, which check no row again. */
static inline void
dp_compat_init_updates(EPQState *epq, EState *estate)
{
#if PG_VERSION_NUM >= 160000
	EvalPlanQualInit(epq, estate, NULL, NIL, -1, NIL);
#else
	EvalPlanQualInit(epq, estate, NULL, NIL, -1);
#endif
}

/* Runs a plan to its end, once. */
static inline void
dp_compat_execute(QueryDesc *query)
{
#if PG_VERSION_NUM >= 180000
	ExecutorRun(query, ForwardScanDirection, 0);
#else
	ExecutorRun(query, ForwardScanDirection, 0, true);
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

/*
 * The same for those relations whose privileges are checked for the current
 * user.
 */
static inline void
dp_compat_check_others_as_user(Query *query, Oid role)
{
	ListCell *cell;

#if PG_VERSION_NUM >= 160000
	foreach (cell, query->rteperminfos)
	{
		RTEPermissionInfo *entry = lfirst_node(RTEPermissionInfo, cell);
#else
	foreach (cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
#endif

		if (!OidIsValid(entry->checkAsUser))
			entry->checkAsUser = role;
	}
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

/* JSON_VALUE() and its like, which make values of the type that is returned. */
static inline bool
dp_compat_is_json_query(const Node *node)
{
#if PG_VERSION_NUM >= 170000
	return IsA(node, JsonExpr);
#else
	(void) node;
	return false;
#endif
}

/* What JSON_OBJECT() and its like make json of: by casts, of some types. */
static inline List *
dp_compat_json_arguments(const Node *node)
{
#if PG_VERSION_NUM >= 160000
	return IsA(node, JsonConstructorExpr) ? ((JsonConstructorExpr *) node)->args
										  : NIL;
#else
	(void) node;
	return NIL;
#endif
}

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

/* The columns of the first entry of a range table; null for dropped ones. */
static inline List *
dp_compat_columns(RangeTblEntry *rte)
{
	List *columns = NIL;

#if PG_VERSION_NUM >= 180000
	expandRTE(rte, 1, 0, VAR_RETURNING_DEFAULT, -1, true, NULL, &columns);
#else
	expandRTE(rte, 1, 0, -1, true, NULL, &columns);
#endif
	return columns;
}

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

/* Appends the range table of a query to that of another. */
static inline void
dp_compat_add_range_table(Query *query, Query *other)
{
#if PG_VERSION_NUM >= 160000
	CombineRangeTables(&query->rtable, &query->rteperminfos, other->rtable,
					   other->rteperminfos);
#else
	query->rtable = list_concat(query->rtable, other->rtable);
#endif
}

/* A column that replaces another is null where that one was. */
static inline void
dp_compat_add_nulling(Var *column, const Var *replaced)
{
#if PG_VERSION_NUM >= 160000
	column->varnullingrels =
		bms_add_members(column->varnullingrels, replaced->varnullingrels);
#else
	(void) column;
	(void) replaced;
#endif
}

/* A column above a left join on whose nullable side it is. */
static inline Node *
dp_compat_null_by_join(Node *column, int rtindex)
{
#if PG_VERSION_NUM >= 160000
	return add_nulling_relids(column, pull_varnos(NULL, column),
							  bms_make_singleton(rtindex));
#else
	(void) rtindex;
	return column;
#endif
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

/* Columns of joins in an expression become those of the joined relations. */
static inline Node *
dp_compat_flatten_joins(Query *query, Node *node)
{
#if PG_VERSION_NUM >= 160000
	return flatten_join_alias_vars(NULL, query, node);
#else
	return flatten_join_alias_vars(query, node);
#endif
}

/*
 * Replaces references of a query's targets to its GROUP BY by the expressions
 * grouped by. 18 makes these references through a range-table entry, which is
 * then unused.
 */
static inline void
dp_compat_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	ListCell *cell;

	if (!query->hasGroupRTE)
		return;
	query->targetList =
		(List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	foreach (cell, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind != RTE_GROUP)
			continue;
		rte->rtekind = RTE_RESULT;
		rte->groupexprs = NIL;
	}
	query->hasGroupRTE = false;
#else
	(void) query;
#endif
}

/* The family and the type of an operator that sorts; false for others. */
static inline bool
dp_compat_find_order(Oid comparison, Oid *family, Oid *type)
{
#if PG_VERSION_NUM >= 180000
	CompareType kind;
#else
	int16 kind;
#endif

	return get_ordering_op_properties(comparison, family, type, &kind);
}

/*
 * True for a column of which all rows are known to have a value. Of the rows of
 * inheriting tables none is: these may drop a parent's NOT NULL before 18, and
 * need not have one that is NO INHERIT.
 */
static inline bool
dp_compat_is_never_null(Relation relation, AttrNumber column)
{
	TupleDesc columns = RelationGetDescr(relation);

	if (column <= 0 || column > columns->natts ||
		(relation->rd_rel->relhassubclass &&
		 relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE))
		return false;
#if PG_VERSION_NUM >= 180000
	return TupleDescCompactAttr(columns, column - 1)->attnullability ==
		   ATTNULLABLE_VALID;
#else
	return TupleDescAttr(columns, column - 1)->attnotnull;
#endif
}

/* Makes the planner take no column of a relation for one without nulls. */
static inline void
dp_compat_trust_no_not_null(RelOptInfo *relation)
{
#if PG_VERSION_NUM >= 170000
	relation->notnullattnums = NULL;
#else
	(void) relation;
#endif
}

/* True for a column that is computed whenever it is read. */
static inline bool
dp_compat_is_virtual(Oid relation, AttrNumber column)
{
#if PG_VERSION_NUM >= 180000
	return column > 0 &&
		   get_attgenerated(relation, column) == ATTRIBUTE_GENERATED_VIRTUAL;
#else
	(void) relation;
	(void) column;
	return false;
#endif
}

#endif
