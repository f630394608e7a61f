/*
 * lent.c
 *		Checks what a protected view reads, and so lends.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/code_of_others.h"
#include "gate/read/lent.h"
#include "server/compat.h"
#include "server/ownership.h"

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

static bool body_walker(Node *node, Body *body);

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
	return OidIsValid(dp_compat_view_of(rte)) && dp_gate_is_public(rte);
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

static bool
public_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, public_walker, context, 0);
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
	return expression_tree_walker(node, public_walker, context);
}

/*
 * Whoever asks names none of what a protected view reads, and reads what is
 * public in it with their own rights: so nothing public in it may run what
 * others wrote.
 */
static void
check_functions_of_public(Node *node)
{
	(void) public_walker(node, NULL);
}

static void
check_entry(Query *query, RangeTblEntry *rte, Body *body)
{
	if (is_view_itself(rte))
		return;
	if (rte->rtekind == RTE_SUBQUERY && is_public_view(rte))
		check_functions_of_public((Node *) rte->subquery);
	else if (rte->rtekind == RTE_FUNCTION)
		check_functions_of_public((Node *) rte->functions);
	else if (rte->rtekind == RTE_TABLEFUNC)
		check_functions_of_public((Node *) rte->tablefunc);
	else if (rte->rtekind == RTE_RELATION)
		check_functions_of_public((Node *) rte->tablesample);
	if (rte->rtekind == RTE_SUBQUERY && !is_public_view(rte))
		(void) body_walker((Node *) rte->subquery, body);
	else if (rte->rtekind == RTE_RELATION && dp_gate_is_protected(rte->relid))
		check_protected(query, rte, body);
	else
		check_public(query, rte);
}

static bool
body_walker(Node *node, Body *body)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query *query = (Query *) node;

		if (!dp_gate_reads_protected(query))
			check_functions_of_public(node);
		foreach (cell, query->rtable)
			check_entry(query, lfirst_node(RangeTblEntry, cell), body);
		return query_tree_walker(query, body_walker, body,
								 QTW_IGNORE_RT_SUBQUERIES);
	}
	check_functions(node);
	return expression_tree_walker(node, body_walker, body);
}

void
dp_lent_check(Query *query, Oid view)
{
	Body body = {dp_owner_of(view), false};

	if (dp_gate_asks(query) || dp_gate_reads_release(query))
		refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
			   "a protected view cannot have private aggregates",
			   "A view of released answers needs no protection: grant "
			   "SELECT on it.");
	if (contain_volatile_functions((Node *) query))
		refuse(ERRCODE_FEATURE_NOT_SUPPORTED,
			   "a protected view cannot call volatile functions",
			   "Leave them out: its rows must be the same for all parts "
			   "of a question.");
	(void) body_walker((Node *) query, &body);
	if (!body.reads_protected)
		refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
			   "a protected view must read a protected relation",
			   "Protect the tables beneath first; what is public needs no "
			   "protection.");
}
