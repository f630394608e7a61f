/*
 * read_from.c
 *		Reads the rows of a query: FROM and WHERE.
 *
 * A set of entries is an inner join, on the conditions of these entries alone.
 * Onto it come the left joins, in order, each with a set as its right side.
 * What is left of WHERE, because it names what may be null there or has
 * sub-queries, is a filter on top.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "gate/facts/facts.h"
#include "gate/read/expression.h"
#include "gate/read/folding.h"
#include "gate/read/joins.h"
#include "gate/read/public_entries.h"
#include "gate/read/read_shapes.h"
#include "gate/read/read_from.h"
#include "gate/read/sets.h"
#include "gate/relations/flatten.h"
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

/* The clause, for messages. */
static const char *
clause_of(bool is_nullable)
{
	return is_nullable ? "JOIN" : "WHERE";
}

static List *
read_conditions(DpScope *scope, List *conditions, bool is_nullable)
{
	scope->what = clause_of(is_nullable);
	return dp_expression_read_folded_conditions(scope, conditions);
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
		folded = list_concat(folded,
							 dp_folding_fold_conditions(scope, (Node *) apart));
	}
	return list_concat(dp_folding_fold_conditions(scope, (Node *) rest),
					   folded);
}

/* The inner join of a set. */
static Part
read_set(DpScope *scope, const DpSet *set, bool is_nullable)
{
	Part part = {.entries = list_copy(set->entries)};
	DpJoined joined = {
		.entries = part.entries, .items = set->items, .location = -1};
	List *conditions = dp_sets_conditions(set);
	List *plain;
	List *own;
	List *implied;
	int offset = 0;
	ListCell *cell;

	foreach (cell, set->entries)
	{
		const AttrNumber *attributes;
		const DpNode *node = scope->readers->entry(scope, lfirst_int(cell),
												   &conditions, &attributes);

		dp_scope_set_columns(scope, lfirst_int(cell), node, attributes, offset);
		offset += node->ncolumns;
		joined.inputs = lappend(joined.inputs, (void *) node);
		if (node->facts->owner.is_owned && part.owned == 0)
			part.owned = lfirst_int(cell);
	}
	if (joined.inputs == NIL)
	{
		joined.inputs = list_make1((void *) dp_public_entries_read_nothing());
		joined.items = list_make1_int(0);
	}
	scope->what = clause_of(is_nullable);
	part.conditions = fold_conditions(scope, set, conditions);
	plain = take_plain(&part.conditions);
	own = take_of_entries(scope->query, &plain, set->entries, is_nullable);
	part.conditions = list_concat_copy(plain, part.conditions);
	own = read_conditions(scope, own, is_nullable);
	if (is_nullable)
	{
		implied = dp_sets_implied(plain, NIL);
		implied = take_of_entries(scope->query, &implied, set->entries, true);
		joined.implied = read_conditions(scope, implied, true);
	}
	part.node = dp_joins_make(scope, &joined, own);
	return part;
}

static int
count_named(Node *node, int rtindex)
{
	int count = 0;

	foreach_ptr (Var, var, pull_vars_of_level(node, 0))
		count += var->varno == rtindex;
	return count;
}

/*
 * Whether a left join changes nothing: each row meets one row at most of what is
 * public, by a unique key, of which no column is named but in the join's condition.
 */
static bool
is_idle(const DpScope *scope, const DpNode *node, JoinExpr *join)
{
	const Query *query = scope->query;
	int rtindex;

	if (node->inputs[1]->kind != DP_NODE_PUBLIC ||
		!IsA(join->rarg, RangeTblRef))
		return false;
	rtindex = ((RangeTblRef *) join->rarg)->rtindex;
	return count_named(join->quals, rtindex) ==
			   count_named((Node *) list_make3(query->targetList,
											   query->havingQual,
											   query->jointree),
						   rtindex) &&
		   dp_keys_is_look_up(node);
}

static Part read_part(DpScope *scope, List *nodes, Node *condition,
					  bool is_nullable);

/* Whether some entries are all that is on one side of a join. */
static bool
is_side(const List *entries, const Node *side)
{
	Bitmapset *numbers = NULL;
	ListCell *cell;

	foreach (cell, entries)
		numbers = bms_add_member(numbers, lfirst_int(cell));
	return bms_equal(numbers, dp_sets_entries(side));
}

/* Adds what is joined to a part by a left join. */
static void
join_left(DpScope *scope, Part *part, JoinExpr *join)
{
	Part right = read_part(scope, list_make1(join->rarg), join->quals, true);
	const DpNode *left = part->node;
	List *plain = take_plain(&right.conditions);
	DpJoined joined = {.inputs = list_make2((void *) left, (void *) right.node),
					   .entries = list_make2_int(part->owned, right.owned),
					   .location = exprLocation(join->quals),
					   .is_left = true,
					   .is_full = join->jointype == JOIN_FULL};
	List *conditions;
	ListCell *cell;

	if (joined.is_full && !is_side(part->entries, join->larg))
		dp_sets_refuse_full(join);
	foreach (cell, right.entries)
		dp_scope_shift(scope, lfirst_int(cell), left->ncolumns);
	conditions = read_conditions(scope, plain, true);
	joined.implied =
		read_conditions(scope, dp_sets_implied(plain, part->on), true);
	part->node = dp_joins_make(scope, &joined, conditions);
	if (right.conditions == NIL && !joined.is_full &&
		is_idle(scope, part->node, join))
	{
		part->node = left;
		return;
	}
	if (right.conditions != NIL)
	{
		conditions = ((const DpJoin *) part->node)->conditions;
		scope->row = dp_joins_add(left, right.node, list_copy(conditions));
		joined.implied = NIL;
		joined.added = ((const DpJoin *) part->node)->added;
		part->node = dp_joins_make(
			scope, &joined,
			list_concat_copy(conditions,
							 read_conditions(scope, right.conditions, true)));
	}
	part->entries = list_concat(part->entries, right.entries);
	part->on = list_concat(part->on, plain);
}

/* Reads what is joined inner in some nodes of FROM, and what is joined to that. */
static Part
read_part(DpScope *scope, List *nodes, Node *condition, bool is_nullable)
{
	const DpSet *set = dp_sets_of(scope->query, nodes, condition);
	Part part;

	dp_stack_enter();
	part = read_set(scope, set, is_nullable);
	foreach_ptr (JoinExpr, join, set->outer)
		join_left(scope, &part, join);
	return part;
}

const DpNode *
dp_read_from(DpScope *scope)
{
	Query *query = scope->query;
	Part part;
	List *plain;

	dp_compat_flatten_groups(query);
	dp_flatten_subqueries(query);
	if (scope->around == NULL)
		dp_read_shapes_take(scope->planning, query);
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
