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
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "gate/access.h"
#include "gate/question/relations/kept_back.h"
#include "gate/question/relations/look_up.h"
#include "gate/question/relations/picture.h"
#include "gate/question/relations/populations.h"
#include "gate/question/relations/protection.h"
#include "ledger/schema.h"
#include "server/compat.h"

/* The first relation, of the query or its sub-queries, that will be refused. */
static bool
refused_walker(Node *node, Oid *refused)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		*refused = dp_compat_refused_by_query((Query *) node);
		return OidIsValid(*refused) ||
			   query_tree_walker((Query *) node, refused_walker, refused, 0);
	}
	return expression_tree_walker(node, refused_walker, refused);
}

/* A relation that is protected, or has such a partition or child. */
static bool
leads_to_protected(Oid relation)
{
	ListCell *cell;

	if (dp_gate_is_protected(relation))
		return true;
	if (!has_subclass(relation))
		return false;
	foreach (cell, find_all_inheritors(relation, NoLock, NULL))
	{
		if (dp_gate_is_protected(lfirst_oid(cell)))
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
protected_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		return rte->rtekind == RTE_RELATION &&
			   (is_of_ledger(rte->relid) || leads_to_protected(rte->relid));
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, protected_walker, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, protected_walker, context);
}

/*
 * Whether one of the queries or range-table entries reads a protected
 * relation, by the settings of now.
 */
static bool
reads_protected(List *nodes)
{
	DpPicture *picture = dp_gate_open_picture();
	volatile bool result = false;

	PG_TRY();
	{
		result = protected_walker((Node *) nodes, NULL);
	}
	PG_FINALLY();
	{
		dp_gate_close_picture(picture);
	}
	PG_END_TRY();
	return result;
}

/* What somebody who may not read a relation may do instead. */
typedef enum Instead
{
	INSTEAD_NOTHING,
	INSTEAD_LOG_IN, /* it is protected; another user's session may have a budget */
	INSTEAD_ASK
} Instead;

/* By the settings of now. */
static Instead
instead_of(Oid relation)
{
	DpPicture *picture = dp_gate_open_picture();
	volatile Instead result = INSTEAD_NOTHING;

	PG_TRY();
	{
		if (!dp_gate_is_protected(relation))
			result = INSTEAD_NOTHING;
		else if (dp_gate_has_budget(relation))
			result = INSTEAD_ASK;
		else if (GetUserId() != GetSessionUserId())
			result = INSTEAD_LOG_IN;
	}
	PG_FINALLY();
	{
		dp_gate_close_picture(picture);
	}
	PG_END_TRY();
	return result;
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
dp_gate_check_rows_access(Oid relation)
{
	if (may_be_asked_about(relation))
		dp_gate_refuse_rows(relation);
}

/*
 * The first relation of a query that the user may ask about, by the settings
 * of now.
 */
static Oid
kept_back(Query *query)
{
	DpPicture *picture = dp_gate_open_picture();
	volatile Oid result = InvalidOid;

	PG_TRY();
	{
		result = dp_gate_kept_back(query, true);
	}
	PG_FINALLY();
	{
		dp_gate_close_picture(picture);
	}
	PG_END_TRY();
	return result;
}

bool
dp_gate_asks_kept_back(Query *query)
{
	Oid refused = InvalidOid;

	return refused_walker((Node *) query, &refused) &&
		   OidIsValid(kept_back(query));
}

void
dp_gate_check_query_access(Query *query)
{
	Oid refused = InvalidOid;

	if (!refused_walker((Node *) query, &refused))
		return;
	if (kept_back(query) == refused)
		dp_gate_refuse_rows(refused);
	if (reads_protected(list_make1(query)))
		refuse(refused);
}

void
dp_gate_check_plan_access(PlannedStmt *plan)
{
	Oid refused = dp_compat_refused_by_plan(plan);

	if (OidIsValid(refused) && reads_protected(plan->rtable))
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
	if (!IsParallelWorker() && !dp_gate_is_asking())
		check_kept_plan(query->plannedstmt);
	if (prev_executor_start != NULL)
		prev_executor_start(query, flags);
	else
		standard_ExecutorStart(query, flags);
}

void
dp_gate_access_init(void)
{
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = start_executor;
}
