/*
 * sets.c
 *		FROM as sets of entries that are joined inner.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "gate/read/sets.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "server/stack.h"

/* Adds what is ANDed in a condition, or a list of such, which may be NULL. */
static List *
add_conditions(Node *condition, List *conditions)
{
	if (condition == NULL)
		return conditions;
	if (!IsA(condition, List) && !is_andclause(condition))
		return lappend(conditions, condition);
	dp_stack_enter();
	foreach_ptr (Node, node,
				 IsA(condition, List) ? (List *) condition
									  : ((BoolExpr *) condition)->args)
		conditions = add_conditions(node, conditions);
	return conditions;
}

/* The preserved side comes first. */
static void
turn_around(JoinExpr *join)
{
	Node *left = join->larg;

	join->larg = join->rarg;
	join->rarg = left;
}

/* Whether all that a node of FROM reads is public. */
static bool
is_public(const Query *query, const Node *node)
{
	dp_stack_enter();
	if (IsA(node, RangeTblRef))
		return dp_publics_is_public(
			rt_fetch(((const RangeTblRef *) node)->rtindex, query->rtable));
	return is_public(query, ((const JoinExpr *) node)->larg) &&
		   is_public(query, ((const JoinExpr *) node)->rarg);
}

Bitmapset *
dp_sets_entries(const Node *node)
{
	dp_stack_enter();
	if (IsA(node, RangeTblRef))
		return bms_make_singleton(((const RangeTblRef *) node)->rtindex);
	return bms_join(dp_sets_entries(((const JoinExpr *) node)->larg),
					dp_sets_entries(((const JoinExpr *) node)->rarg));
}

Bitmapset *
dp_sets_named(const Query *query, Node *condition)
{
	Bitmapset *named = pull_varnos(NULL, condition);
	int entry = -1;

	while ((entry = bms_next_member(named, entry)) >= 0)
	{
		if (rt_fetch(entry, query->rtable)->rtekind == RTE_JOIN)
			named = bms_del_member(named, entry);
	}
	return named;
}

void
dp_sets_refuse_full(const JoinExpr *join)
{
	dp_refusal_raise("FULL JOIN",
					 "The result would have rows without a privacy unit: "
					 "write the protected relation LEFT JOIN the other. In the "
					 "FROM of the question itself, a protected relation can be "
					 "joined so with a public one, by equalities of their "
					 "columns alone.",
					 exprLocation(join->quals));
}

/*
 * Of a FULL JOIN of what is owned and what is public, the first comes first. Any
 * other is refused, and where a condition names one side alone: it could leave out
 * groups of the other.
 */
static void
check_full(const Query *query, JoinExpr *join)
{
	bool is_turned = is_public(query, join->larg);

	if (is_turned == is_public(query, join->rarg))
		dp_sets_refuse_full(join);
	if (is_turned)
		turn_around(join);
	foreach_ptr (Node, condition, add_conditions(join->quals, NIL))
	{
		Bitmapset *named = dp_sets_named(query, condition);

		if (!bms_overlap(named, dp_sets_entries(join->larg)) ||
			!bms_overlap(named, dp_sets_entries(join->rarg)))
			dp_sets_refuse_full(join);
	}
}

/* Adds what is joined inner at a node, as a part of an item of FROM. */
static void
collect(const Query *query, DpSet *set, Node *node, int item)
{
	JoinExpr *join = (JoinExpr *) node;

	dp_stack_enter();
	if (IsA(node, RangeTblRef))
	{
		set->entries =
			lappend_int(set->entries, ((RangeTblRef *) node)->rtindex);
		set->items = lappend_int(set->items, item);
		return;
	}
	if (join->jointype == JOIN_RIGHT)
	{
		join->jointype = JOIN_LEFT;
		turn_around(join);
	}
	if (join->jointype == JOIN_FULL)
		check_full(query, join);
	switch (join->jointype)
	{
		case JOIN_INNER:
			collect(query, set, join->larg, item);
			collect(query, set, join->rarg, item);
			set->conditions = add_conditions(join->quals, set->conditions);
			break;
		default: /* JOIN_LEFT, JOIN_FULL */
			collect(query, set, join->larg, item);
			set->outer = lappend(set->outer, join);
	}
}

/*
 * Equations of columns
 */

/* The column that an operand is, whatever it is read as; else NULL. */
static Var *
column_of(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) ? (Var *) node : NULL;
}

static bool
compares_columns(const Node *condition)
{
	const OpExpr *op = (const OpExpr *) condition;

	return IsA(condition, OpExpr) && list_length(op->args) == 2 &&
		   column_of(linitial(op->args)) != NULL &&
		   column_of(lsecond(op->args)) != NULL;
}

List *
dp_sets_conditions(const DpSet *set)
{
	List *all = list_copy(set->conditions);
	ListCell *cell;

	foreach (cell, set->apart)
		all = list_concat(all, lfirst(cell));
	return all;
}

/* Whether a comparison of columns is true only where a row of some entries is. */
static bool
needs_match(List *conditions, const Bitmapset *entries)
{
	foreach_ptr (Node, condition, conditions)
	{
		if (!compares_columns(condition))
			continue;
		set_opfuncid(castNode(OpExpr, condition)); /* a view's has none */
		if (bms_overlap(find_nonnullable_rels(condition), entries))
			return true;
	}
	return false;
}

static bool
is_all_public(Query *query, const DpSet *set)
{
	ListCell *cell;

	foreach (cell, set->entries)
	{
		if (!dp_publics_is_public(rt_fetch(lfirst_int(cell), query->rtable)))
			return false;
	}
	return true;
}

/*
 * Makes left joins inner ones, until nothing changes. Left joins onto what becomes
 * part of the set keep their place: later ones may name their columns.
 */
static void
reduce_outer(Query *query, DpSet *set)
{
	if (is_all_public(query, set)) /* what is added to it is refused */
		return;
	foreach_node (JoinExpr, join, set->outer)
	{
		int place = foreach_current_index(join);
		List *later;

		/* of a FULL JOIN it must be known which aggregates are beside it */
		if (join->jointype == JOIN_FULL ||
			!needs_match(dp_sets_conditions(set), dp_sets_entries(join->rarg)))
			continue;
		later = list_copy_tail(set->outer, place + 1);
		set->outer = list_truncate(set->outer, place);
		collect(query, set, join->rarg, llast_int(set->items));
		set->outer = list_concat(set->outer, later);
		set->apart = lappend(set->apart, add_conditions(join->quals, NIL));
		reduce_outer(query, set);
		return;
	}
}

DpSet *
dp_sets_of(Query *query, List *nodes, Node *condition)
{
	DpSet *set = palloc0(sizeof(DpSet));

	foreach_ptr (Node, node, nodes)
		collect(query, set, node, foreach_current_index(node) + 1);
	set->conditions = add_conditions(condition, set->conditions);
	reduce_outer(query, set);
	return set;
}

/* The equation that follows from two; NULL: none. side: of the common column. */
static Node *
follow(OpExpr *one, int side, OpExpr *other, int other_side)
{
	Node *left = list_nth(one->args, 1 - side);
	Node *right = list_nth(other->args, 1 - other_side);
	OpExpr *result;

	if (one->opno != other->opno || one->inputcollid != other->inputcollid ||
		!equal(list_nth(one->args, side), list_nth(other->args, other_side)) ||
		equal(left, right) ||
		exprType(left) != exprType(list_nth(one->args, side)) ||
		exprType(right) != exprType(left))
		return NULL;
	result = copyObject(one);
	result->args = list_make2(copyObject(left), copyObject(right));
	return (Node *) result;
}

/* Adds what follows from two equations of columns. */
static List *
add_implied(List *result, Node *one, Node *other)
{
	int side;

	if (!compares_columns(one) || !compares_columns(other))
		return result;
	for (side = 0; side < 4; side++)
	{
		Node *follows =
			follow((OpExpr *) one, side & 1, (OpExpr *) other, (side >> 1) & 1);

		if (follows != NULL)
			result = list_append_unique(result, follows);
	}
	return result;
}

List *
dp_sets_implied(List *conditions, List *known)
{
	List *all = list_concat_copy(conditions, known);
	List *result = NIL;
	ListCell *other;

	foreach_ptr (Node, node, conditions)
	{
		for_each_from (other, all, foreach_current_index(node) + 1)
			result = add_implied(result, node, lfirst(other));
	}
	return result;
}
