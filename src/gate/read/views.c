/*
 * views.c
 *		Reads protected views: sub-queries with settings of their own.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "gate/facts/facts.h"
#include "gate/read/entries.h"
#include "gate/read/scans.h"
#include "gate/read/views.h"
#include "gate/relations/code_of_others.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"
#include "server/search.h"

/*
 * What a protected view reads, and so lends
 */

static void
refuse(int code, const char *why, const char *hint)
{
	ereport(ERROR, (errcode(code), errmsg("%s", why), errhint("%s", hint)));
}

/* A view's query that is checked. */
typedef struct Body
{
	Oid owner;
	bool reads_protected;
} Body;

static void check_body(Query *query, Body *body);

static void
check_protected(const Query *query, RangeTblEntry *rte, Body *body)
{
	const char *name = get_rel_name(rte->relid);
	Oid owner = dp_owner_of(rte->relid);

	body->reads_protected = true;
	if (owner != body->owner)
		refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("a protected view cannot read protected relation "
						"\"%s\", which belongs to another role",
						name),
			   "Protect a view over the relations of each owner: questions "
			   "can join the views.");
	if (dp_compat_checked_as(query, rte) != owner)
		refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("a protected view cannot read protected relation "
						"\"%s\" with other rights than its owner's",
						name),
			   "Read it in the view itself or in views of the same "
			   "owner, without security_invoker, and not in functions.");
}

/*
 * What is public is shown as it is, so whoever asks must be allowed to read
 * it: a view lends no rights on a relation that is no longer protected.
 */
static void
check_public(Query *query, RangeTblEntry *rte)
{
	dp_compat_check_as_current(query, rte);
	if (rte->rtekind == RTE_RELATION &&
		check_enable_rls(rte->relid, GetUserId(), true) == RLS_ENABLED)
		refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("a protected view cannot read \"%s\", of which "
						"row-level security hides rows from the user",
						get_rel_name(rte->relid)),
			   "Ask its owner for a table without row-level security, or "
			   "to protect it.");
}

/* A view that reads nothing protected is read as any other. */
static bool
is_public_view(const RangeTblEntry *rte)
{
	return OidIsValid(dp_compat_view_of(rte)) && dp_publics_is_public(rte);
}

/*
 * Before 16 the query of a view begins with the view, to have the privileges
 * on it checked. That stays the business of whose view it is in: whoever asks
 * need not read views that are not public.
 */
static bool
is_view_itself(const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION && rte->relkind == RELKIND_VIEW;
}

static void
check_functions(Node *node)
{
	if (dp_code_calls_users(node))
		refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
			   "a protected view cannot call functions of users",
			   "Whoever replaces the function would change the view: "
			   "write its expression or its query out.");
}

/*
 * Whoever asks names none of what a protected view reads, and reads what is
 * public in it with their own rights: so nothing public in it may run what
 * others wrote.
 */
static DpVisit
check_public_node(Node *node, const List *around, void *context)
{
	(void) around;
	(void) context;
	if (IsA(node, Query))
		return DP_VISIT_PARTS;
	check_functions(node);
	switch (dp_code_of_others(node))
	{
		case DP_NO_CODE:
			break;
		case DP_CODE_IN_FUNCTION:
			refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
				   "a protected view cannot read what is public with "
				   "functions that may call others",
				   "Keep what they return in a table, and read that.");
			break;
		case DP_CODE_IN_TYPE:
			refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
				   "a protected view cannot make values of types of users "
				   "from what is public",
				   "Keep them in a table, and read that.");
			break;
		case DP_CODE_IN_CAST:
			refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
				   "a protected view cannot make json or other totals "
				   "from values of types of users that are public",
				   "Cast enums to text first.");
			break;
	}
	return DP_VISIT_PARTS;
}

static void
check_public_nodes(Node *node)
{
	(void) dp_search(node, check_public_node, NULL, 0);
}

static void
check_entry(Query *query, RangeTblEntry *rte, Body *body)
{
	bool is_query = rte->rtekind == RTE_SUBQUERY;

	if (is_view_itself(rte))
		return;
	if (is_query && !is_public_view(rte))
	{
		check_body(rte->subquery, body);
		return;
	}
	if (is_query)
		check_public_nodes((Node *) rte->subquery);
	check_public_nodes((Node *) rte->functions);
	check_public_nodes((Node *) rte->tablefunc);
	check_public_nodes((Node *) rte->tablesample);
	if (rte->rtekind == RTE_RELATION && dp_protection_exists(rte->relid))
		check_protected(query, rte, body);
	else
		check_public(query, rte);
}

static DpVisit
check_node(Node *node, const List *around, void *body)
{
	Query *query = (Query *) node;

	(void) around;
	if (!IsA(node, Query))
	{
		check_functions(node);
		return DP_VISIT_PARTS;
	}
	if (!dp_publics_reads_protected(query))
		check_public_nodes(node);
	foreach_ptr (RangeTblEntry, rte, query->rtable)
		check_entry(query, rte, body);
	return DP_VISIT_PARTS;
}

static void
check_body(Query *query, Body *body)
{
	(void) dp_search((Node *) query, check_node, body,
					 QTW_IGNORE_RT_SUBQUERIES);
}

/*
 * Checks the query of a view that is protected. What is public in it is then read
 * with the rights of whoever asks: the query is changed.
 */
static void
check_lent(Query *query, Oid view)
{
	Body body = {dp_owner_of(view), false};

	if (dp_private_aggregates_anywhere(query) ||
		dp_publics_reads_release(query))
		refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
			   "a protected view cannot have private aggregates",
			   "A view of released answers needs no protection: grant "
			   "SELECT on it.");
	if (contain_volatile_functions((Node *) query))
		refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
			   "a protected view cannot call volatile functions",
			   "Leave them out: its rows must be the same for all parts "
			   "of a question.");
	check_body(query, &body);
	if (!body.reads_protected)
		refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
			   "a protected view must read a protected relation",
			   "Protect the tables beneath first; what is public needs no "
			   "protection.");
}

/*
 * Views
 */

/*
 * Adds the view's name to messages of the rules, which only know sub-queries.
 */
static void
name_view(void *view)
{
	errcontext("protected view \"%s\"", (const char *) view);
}

/* Whether a column of the view is the unit of all its rows. */
static bool
is_unit_column(const DpNode *rows, AttrNumber column, int visible)
{
	const DpUnitName *name = dp_owner_value_name(&rows->facts->owner);

	return column > 0 && column <= visible && name != NULL &&
		   list_length(name->columns) == 1 &&
		   bms_is_member(column - 1,
						 dp_equalities_of_column(rows->facts->equal,
												 linitial_int(name->columns)));
}

static void
check_view_unit(Oid view, AttrNumber unit, const DpNode *rows, int visible)
{
	if (unit == 0 || is_unit_column(rows, unit, visible))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s", unit < 0
							  ? "the privacy unit of a protected view is no "
								"column of it"
							  : psprintf("column \"%s\" of a protected view is "
										 "not the privacy unit of its rows",
										 get_attname(view, unit, false))),
			 errhint("Its owner can protect it by the column that is the unit "
					 "of what it reads, unchanged, or without one.")));
}

const DpNode *
dp_views_read_body(DpScope *around, int rtindex, Oid view, AttrNumber unit,
				   int *visible)
{
	ErrorContextCallback context = {error_context_stack, name_view,
									get_rel_name(view)};
	const DpNode *rows;

	error_context_stack = &context;
	check_lent(rt_fetch(rtindex, around->query->rtable)->subquery, view);
	around->planning->view_depth++;
	rows = dp_entries_read_query(around, rtindex, true, visible);
	around->planning->view_depth--;
	check_view_unit(view, unit, rows, *visible);
	error_context_stack = context.previous;
	return rows;
}

const DpNode *
dp_views_read(DpScope *around, int rtindex, Oid view, int *visible)
{
	DpPlanning *planning = around->planning;
	const DpProtection *protection = dp_protection_of(view);
	const DpNode *rows;

	dp_scans_check_member(planning, protection);
	if (planning->view_depth == 0)
		planning->lenders =
			list_make2_oid(protection->population_owner, dp_owner_of(view));
	rows = dp_views_read_body(around, rtindex, view, protection->unit, visible);
	return dp_facts_add(
		&dp_node_view(rows, view, dp_scope_first_columns(rows, *visible), -1)
			 ->node);
}
