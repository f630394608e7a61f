/*
 * access.c
 *		Statements that the server will refuse.
 *
 * The server checks privileges only when a plan starts to be executed. By then
 * it has made the plan from the statistics of the rows and the ends of their
 * indexes, counted what it read, printed the plan to a client that has
 * debug_print_plan on, and noted in pg_prepared_statements whether it was
 * cheaper than others. So even those who may read no row could learn how many
 * there are of each kind. Queries on protected relations, or on the ledger's
 * own tables, that will be refused are therefore refused before they are
 * planned, or, if a function that the planner inlines hid the relation, before
 * the plan is returned. Other statements are left to the server. The exception
 * is cached plans that were made for a role that may read the rows, and are
 * executed as one that may only ask.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_inherits.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "gate/hook/access.h"
#include "gate/relations/kept_back.h"
#include "gate/relations/picture.h"
#include "gate/relations/populations.h"
#include "gate/relations/protection.h"
#include "ledger/schema.h"
#include "server/compat_permissions.h"
#include "server/search.h"
#include "server/compat.h"

/* The first relation, of the query or its sub-queries, that will be refused. */
static bool
is_refused(Node *node, void *refused)
{
	if (!IsA(node, Query))
		return false;
	*(Oid *) refused = dp_compat_refused_by_query((Query *) node);
	return OidIsValid(*(Oid *) refused);
}

/* A relation that is protected, or has such a partition or child. */
static bool
leads_to_protected(Oid relation)
{
	ListCell *cell;

	if (dp_protection_exists(relation))
		return true;
	if (!has_subclass(relation))
		return false;
	foreach (cell, find_all_inheritors(relation, NoLock, NULL))
	{
		if (dp_protection_exists(lfirst_oid(cell)))
			return true;
	}
	return false;
}

/* Tables of the ledger, which hold what others have asked. */
static bool
is_of_ledger(Oid relation)
{
	return get_rel_namespace(relation) ==
		   get_namespace_oid(DP_LEDGER_SCHEMA, true);
}

static bool
is_protected(Node *node, void *context)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	(void) context;
	return IsA(node, RangeTblEntry) && rte->rtekind == RTE_RELATION &&
		   (is_of_ledger(rte->relid) || leads_to_protected(rte->relid));
}

/* What somebody who may not read a relation may do instead. */
typedef enum Instead
{
	INSTEAD_NOTHING,
	INSTEAD_LOG_IN, /* it is protected; another user's session may have a budget */
	INSTEAD_ASK
} Instead;

/* What is asked about a query or a relation, and the answer. */
typedef struct Access
{
	Node *node;
	Oid relation;
	bool is_protected;
	Instead instead;
} Access;

static void
find_protected(Access *access)
{
	access->is_protected = dp_search_any(access->node, is_protected, NULL);
}

/* The first relation of a query that the user may ask about. */
static void
find_kept_back(Access *access)
{
	access->relation = dp_kept_back_find((Query *) access->node, true);
}

static void
find_instead(Access *access)
{
	if (!dp_protection_exists(access->relation))
		return;
	if (dp_populations_have_budget(access->relation))
		access->instead = INSTEAD_ASK;
	else if (GetUserId() != GetSessionUserId())
		access->instead = INSTEAD_LOG_IN;
}

/* By the settings of now. */
static Access
look_up(void (*of_access)(Access *access), Node *node, Oid relation)
{
	Access access = {.node = node, .relation = relation};
	DpPicture *picture = dp_picture_open();

	PG_TRY();
	{
		of_access(&access);
	}
	PG_FINALLY();
	{
		dp_picture_close(picture);
	}
	PG_END_TRY();
	return access;
}

static bool
reads_protected(Node *node)
{
	return look_up(find_protected, node, InvalidOid).is_protected;
}

static Oid
kept_back(Query *query)
{
	return look_up(find_kept_back, (Node *) query, InvalidOid).relation;
}

static Instead
instead_of(Oid relation)
{
	return look_up(find_instead, NULL, relation).instead;
}

static bool
may_be_asked_about(Oid relation)
{
	return instead_of(relation) == INSTEAD_ASK;
}

static void
refuse(Oid relation)
{
	Instead instead = instead_of(relation);

	if (instead == INSTEAD_NOTHING)
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(relation)),
					   get_rel_name(relation));
	ereport(
		ERROR,
		(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		 errmsg("permission denied for table %s", get_rel_name(relation)),
		 instead == INSTEAD_ASK
			 ? errhint("A privacy budget is for SELECT with aggregates, such "
					   "as count(*); rows cannot be changed with it, nor "
					   "locked.")
			 : errhint("The user who logged in pays for questions, and \"%s\" "
					   "has no privacy budget for this relation.",
					   GetUserNameFromId(GetSessionUserId(), false))));
}

void
dp_access_check_rows(Oid relation)
{
	if (may_be_asked_about(relation))
		dp_kept_back_refuse(relation);
}

bool
dp_access_asks_kept_back(Query *query)
{
	Oid refused = InvalidOid;

	return dp_search_any((Node *) query, is_refused, &refused) &&
		   OidIsValid(kept_back(query));
}

void
dp_access_check_query(Query *query)
{
	Oid refused = InvalidOid;

	if (!dp_search_any((Node *) query, is_refused, &refused))
		return;
	if (kept_back(query) == refused)
		dp_kept_back_refuse(refused);
	if (reads_protected((Node *) query))
		refuse(refused);
}

void
dp_access_check_plan(PlannedStmt *plan)
{
	Oid refused = dp_compat_refused_by_plan(plan);

	if (OidIsValid(refused) && reads_protected((Node *) plan->rtable))
		refuse(refused);
}

static ExecutorStart_hook_type prev_executor_start = NULL;

/* Refuses, as the server is about to do, a plan that was made for others. */
static void
check_kept_plan(const PlannedStmt *plan)
{
	Oid refused = dp_compat_refused_by_plan(plan);

	if (OidIsValid(refused) && may_be_asked_about(refused))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for table %s", get_rel_name(refused)),
			 errhint("The statement was planned for a role that may read the "
					 "table: prepare it again as this one, who may ask about "
					 "it.")));
}

static void
start_executor(QueryDesc *query, int flags)
{
	if (!IsParallelWorker())
		check_kept_plan(query->plannedstmt);
	if (prev_executor_start != NULL)
		prev_executor_start(query, flags);
	else
		standard_ExecutorStart(query, flags);
}

void
dp_access_init(void)
{
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = start_executor;
}
