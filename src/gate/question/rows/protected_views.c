/*
 * protected_views.c
 *		Protected views: sub-queries with settings of their own.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "gate/question/expressions/constants.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/relations/picture.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/rights.h"
#include "gate/question/relations/code_of_others.h"
#include "gate/question/rows/protected_views.h"
#include "gate/question/relations/with.h"
#include "gate/question/rows/unit_queries.h"
#include "server/compat.h"
#include "server/ownership.h"

PG_FUNCTION_INFO_V1(dp_check_view);

/*
 * Adds the view's name to messages of the rules, which only know sub-queries.
 */
static void
name_view(void *view)
{
	errcontext("protected view \"%s\"", (const char *) view);
}

static void
refuse_view(int code, const char *why, const char *hint)
{
	ereport(ERROR, (errcode(code), errmsg("%s", why), errhint("%s", hint)));
}

/* The context in which a view's query is checked. */

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
		refuse_view(
			ERRCODE_INSUFFICIENT_PRIVILEGE,
			psprintf("a protected view cannot read protected relation "
					 "\"%s\", which belongs to another role",
					 name),
			"Protect a view over the relations of each owner: questions "
			"can join the views.");
	if (dp_compat_checked_as(query, rte) != owner)
		refuse_view(ERRCODE_INSUFFICIENT_PRIVILEGE,
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
		refuse_view(ERRCODE_INSUFFICIENT_PRIVILEGE,
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
		refuse_view(ERRCODE_FEATURE_NOT_SUPPORTED,
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
			refuse_view(ERRCODE_FEATURE_NOT_SUPPORTED,
						"a protected view cannot read what is public with "
						"functions that may call others",
						"Keep what they return in a table, and read that.");
			break;
		case DP_CODE_IN_TYPE:
			refuse_view(ERRCODE_FEATURE_NOT_SUPPORTED,
						"a protected view cannot make values of types of users "
						"from what is public",
						"Keep them in a table, and read that.");
			break;
		case DP_CODE_IN_CAST:
			refuse_view(ERRCODE_FEATURE_NOT_SUPPORTED,
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

static void
check_body(Query *query, Oid view)
{
	Body body = {dp_owner_of(view), false};

	if (dp_gate_asks(query) || dp_gate_reads_release(query))
		refuse_view(ERRCODE_FEATURE_NOT_SUPPORTED,
					"a protected view cannot have private aggregates",
					"A view of released answers needs no protection: grant "
					"SELECT on it.");
	if (contain_volatile_functions((Node *) query))
		refuse_view(ERRCODE_FEATURE_NOT_SUPPORTED,
					"a protected view cannot call volatile functions",
					"Leave them out: its rows must be the same for all parts "
					"of a question.");
	(void) body_walker((Node *) query, &body);
	if (!body.reads_protected)
		refuse_view(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"a protected view must read a protected relation",
					"Protect the tables beneath first; what is public needs no "
					"protection.");
}

/* Whether a column of the view is the unit of all its rows. */
static bool
is_unit_column(const DpOwned *owned, AttrNumber column)
{
	return list_member_int(owned->alike, column);
}

/* The rows of a view, of which a column is said to be the unit; 0: none is. */
static DpOwned *
own_view(DpScope *around, int rtindex, Oid view, AttrNumber unit)
{
	ErrorContextCallback context = {error_context_stack, name_view,
									get_rel_name(view)};
	DpOwned *owned;

	error_context_stack = &context;
	check_body(rt_fetch(rtindex, around->query->rtable)->subquery, view);
	around->relations->view_depth++;
	owned = dp_gate_own_subquery(around, rtindex);
	around->relations->view_depth--;
	if (unit != 0 && !is_unit_column(owned, unit))
		refuse_view(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					unit < 0 ? "the privacy unit of a protected view is no "
							   "column of it"
							 : psprintf("column \"%s\" of a protected view is "
										"not the privacy unit of its rows",
										get_attname(view, unit, false)),
					"Its owner can protect it by the column that is the unit "
					"of what it reads, unchanged, or without one.");
	error_context_stack = context.previous;
	return owned;
}

DpOwned *
dp_gate_own_view(DpScope *around, int rtindex, Oid view)
{
	const DpProtection *protection = dp_gate_protection(view);
	DpRelations *relations = around->relations;

	dp_gate_add_view(relations, view);
	if (relations->view_depth == 0)
		relations->lenders =
			list_make2_oid(protection->population_owner, dp_owner_of(view));
	return own_view(around, rtindex, view, protection->unit);
}

/* The following functions check a view before it is protected. */

/* SELECT FROM the view, as the planner would get it. */
static Query *
read_view(Oid view)
{
	ParseState *state = make_parsestate(NULL);
	Relation rel = table_open(view, AccessShareLock);
	Query *query = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);

	(void) addRangeTableEntryForRelation(state, rel, AccessShareLock, NULL,
										 true, true);
	table_close(rel, NoLock);
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->rtable = state->p_rtable;
	dp_compat_take_permissions(query, state);
	ref->rtindex = 1;
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	free_parsestate(state);
	return linitial_node(Query, QueryRewrite(query));
}

static bool
write_out_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		dp_with_write_out((Query *) node);
		return query_tree_walker((Query *) node, write_out_walker, context, 0);
	}
	return expression_tree_walker(node, write_out_walker, context);
}

/* Whether a unit has one row at most. */
static bool
has_one_row_each(const DpOwned *owned)
{
	return list_member(owned->row_keys, NIL);
}

static bool
check_query(Query *query, Oid view, AttrNumber unit)
{
	DpRelations relations = {0};
	DpScope scope = {.query = query, .relations = &relations};
	int first = dp_gate_first_constant(query, NULL);
	DpPicture *picture = dp_gate_open_picture();
	int constants = dp_gate_begin_constants(first);
	volatile bool result = false;

	PG_TRY();
	{
		(void) write_out_walker((Node *) query, NULL);
		result = has_one_row_each(own_view(&scope, 1, view, unit));
	}
	PG_FINALLY();
	{
		dp_gate_close_picture(picture);
		dp_gate_end_constants(constants);
	}
	PG_END_TRY();
	return result;
}

/*
 * Checks as the view's owner, since whoever runs the check does not trust the
 * view.
 */
static bool
check_view(Oid view, AttrNumber unit)
{
	DpRights rights;
	volatile bool result = false;

	dp_gate_begin_rights(&rights, dp_owner_of(view));
	PG_TRY();
	{
		result = check_query(read_view(view), view, unit);
	}
	PG_FINALLY();
	{
		dp_gate_end_rights(&rights);
	}
	PG_END_TRY();
	return result;
}

/* (view regclass, unit smallint) -> boolean; 0: no column is. */
Datum
dp_check_view(PG_FUNCTION_ARGS)
{
	Oid view = PG_GETARG_OID(0);

	dp_lock_as_owner(view);
	if (get_rel_relkind(view) != RELKIND_VIEW)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a view", get_rel_name(view)),
						errhint("Write the name of a view.")));
	PG_RETURN_BOOL(check_view(view, PG_GETARG_INT16(1)));
}
