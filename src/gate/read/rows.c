/*
 * rows.c
 *		Reads the rows of a query: FROM and WHERE.
 *
 * A set of entries is an inner join, on the conditions of these entries alone.
 * Onto it come the left joins, in order, each with a set as its right side.
 * What is left of WHERE, because it names what may be null there or has
 * sub-queries, is a filter on top.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "gate/facts/facts.h"
#include "gate/read/entries.h"
#include "gate/read/expression.h"
#include "gate/question/relations/flatten.h"
#include "gate/read/joins.h"
#include "gate/read/premises.h"
#include "gate/read/publics.h"
#include "gate/read/rows.h"
#include "gate/read/sets.h"
#include "server/compat.h"
#include "server/stack.h"

/* What has been read of FROM. */
typedef struct Part
{
	const DpNode *node;
	List *entries;	  /* whose columns are those of the node, integers */
	int owned;		  /* the first that is; 0: none */
	List *conditions; /* what is to hold besides, folded: Node */
	List *on;		  /* conditions of its left joins, folded */
} Part;

/* Takes those conditions out that have no sub-query. */
static List *
take_plain(List **conditions)
{
	List *plain = NIL;
	List *rest = NIL;
	ListCell *cell;

	foreach (cell, *conditions)
	{
		if (checkExprHasSubLink(lfirst(cell)))
			rest = lappend(rest, lfirst(cell));
		else
			plain = lappend(plain, lfirst(cell));
	}
	*conditions = rest;
	return plain;
}

/*
 * Takes those of them out that name columns of some entries alone. is_nullable: a
 * condition that names none says when there is a match, and stays.
 */
static List *
take_of_entries(const Query *query, List **conditions, List *entries,
				bool is_nullable)
{
	Bitmapset *all = NULL;
	List *of_entries = NIL;
	List *rest = NIL;
	ListCell *cell;

	foreach (cell, entries)
		all = bms_add_member(all, lfirst_int(cell));
	foreach (cell, *conditions)
	{
		Bitmapset *names = dp_sets_named(query, lfirst(cell));

		if (bms_is_subset(names, all) && !(is_nullable && bms_is_empty(names)))
			of_entries = lappend(of_entries, lfirst(cell));
		else
			rest = lappend(rest, lfirst(cell));
	}
	*conditions = rest;
	return of_entries;
}

static void
begin_conditions(DpScope *scope, bool is_nullable)
{
	scope->what = is_nullable ? "JOIN" : "WHERE";
}

static List *
read_conditions(DpScope *scope, List *conditions, bool is_nullable)
{
	begin_conditions(scope, is_nullable);
	return dp_expression_read_folded_conditions(scope, conditions);
}

/* All conditions of a set as one list. */
static List *
all_conditions(const DpSet *set)
{
	List *all = list_copy(set->conditions);
	ListCell *cell;

	foreach (cell, set->apart)
		all = list_concat(all, lfirst(cell));
	return all;
}

/* Folds the conditions that are left of a set's. */
static List *
fold_conditions(const DpScope *scope, const DpSet *set, List *left)
{
	List *folded = NIL;
	List *rest = left;
	ListCell *cell;

	foreach (cell, set->apart)
	{
		List *taken = list_difference_ptr(lfirst(cell), left);
		List *apart = list_difference_ptr(lfirst(cell), taken);

		rest = list_difference_ptr(rest, apart);
		folded = list_concat(
			folded, dp_expression_fold_conditions(scope, (Node *) apart));
	}
	return list_concat(dp_expression_fold_conditions(scope, (Node *) rest),
					   folded);
}

/* The inner join of a set. */
static Part
read_set(DpScope *scope, DpSet *set, bool is_nullable)
{
	Part part = {.entries = list_copy(set->entries)};
	List *conditions = all_conditions(set);
	List *inputs = NIL;
	List *own;
	List *implied = NIL;
	int offset = 0;
	ListCell *cell;

	foreach (cell, set->entries)
	{
		const AttrNumber *attributes;
		const DpNode *node =
			dp_entries_read(scope, lfirst_int(cell), &conditions, &attributes);

		dp_scope_set_columns(scope, lfirst_int(cell), node, attributes, offset);
		offset += node->ncolumns;
		inputs = lappend(inputs, (void *) node);
		if (node->facts->owner.is_owned && part.owned == 0)
			part.owned = lfirst_int(cell);
	}
	if (inputs == NIL)
		inputs = list_make1((void *) dp_publics_read_nothing());
	begin_conditions(scope, is_nullable);
	part.conditions = fold_conditions(scope, set, conditions);
	own = take_plain(&part.conditions);
	set->conditions = own;
	own = take_of_entries(scope->query, &set->conditions, set->entries,
						  is_nullable);
	if (is_nullable)
	{
		implied = dp_sets_implied(set->conditions, NIL);
		implied = take_of_entries(scope->query, &implied, set->entries, true);
	}
	part.conditions = list_concat_copy(set->conditions, part.conditions);
	part.node = dp_joins_inner(scope, inputs, part.entries,
							   read_conditions(scope, own, is_nullable),
							   read_conditions(scope, implied, is_nullable));
	return part;
}

static Part read_part(DpScope *scope, List *nodes, Node *condition,
					  bool is_nullable);

/* Adds what is joined to a part by a left join. */
static void
join_left(DpScope *scope, Part *part, JoinExpr *join)
{
	int location = exprLocation(join->quals);
	Part right = read_part(scope, list_make1(join->rarg), join->quals, true);
	DpJoinSides sides = {part->node, right.node, part->owned, right.owned,
						 location};
	List *plain = take_plain(&right.conditions);
	List *conditions;
	List *implied;
	ListCell *cell;

	foreach (cell, right.entries)
		dp_scope_shift(scope, lfirst_int(cell), part->node->ncolumns);
	conditions = read_conditions(scope, plain, true);
	implied = read_conditions(scope, dp_sets_implied(plain, part->on), true);
	part->node = dp_joins_left(scope, &sides, conditions, implied);
	if (right.conditions != NIL)
	{
		conditions = ((const DpJoin *) part->node)->conditions;
		scope->row =
			dp_joins_add(sides.left, sides.right, list_copy(conditions));
		part->node = dp_joins_left(
			scope, &sides,
			list_concat_copy(conditions,
							 read_conditions(scope, right.conditions, true)),
			NIL);
	}
	part->entries = list_concat(part->entries, right.entries);
	part->on = list_concat(part->on, plain);
}

/* Reads what is joined inner in some nodes of FROM, and what is joined to that. */
static Part
read_part(DpScope *scope, List *nodes, Node *condition, bool is_nullable)
{
	DpSet *set = dp_sets_of(scope->query, nodes, condition);
	Part part;
	ListCell *cell;

	dp_stack_enter();
	part = read_set(scope, set, is_nullable);
	foreach (cell, set->outer)
		join_left(scope, &part, lfirst_node(JoinExpr, cell));
	return part;
}

const DpNode *
dp_rows_read_from(DpScope *scope)
{
	Query *query = scope->query;
	Part part;
	List *plain;

	dp_compat_flatten_groups(query);
	dp_flatten_subqueries(query);
	if (scope->around == NULL)
		dp_premises_take(scope->planning, query);
	dp_flatten_joins(query);
	dp_scope_open(scope);
	part = read_part(scope, query->jointree->fromlist, query->jointree->quals,
					 false);
	plain = take_plain(&part.conditions);
	scope->row =
		dp_joins_filter(part.node, read_conditions(scope, plain, false));
	scope->row = dp_joins_filter(
		scope->row, read_conditions(scope, part.conditions, false));
	if (scope->row->facts->owner.problem != DP_OWNER_FINE)
		elog(ERROR, "rows without an owner have been read");
	return scope->row;
}
