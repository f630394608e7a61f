/*
 * joins.c
 *		Makes joins, and refuses those whose rows have no owner.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/joins.h"

/* location: of what is added to public rows. */
static void
refuse(const DpScope *scope, DpOwnerProblem problem, int entry, int location)
{
	if (problem == DP_OWNER_ADDS_TO_PUBLIC)
		dp_gate_refuse(
			"an outer join that adds to the protected relation's "
			"rows",
			"The result would have rows without a privacy unit: "
			"write JOIN, which shows a group for each public value of "
			"a key anyway, or the protected relation LEFT JOIN the "
			"other.",
			location);
	location = dp_gate_location_of_entry(scope->query, entry);
	if (problem == DP_OWNER_COLLATION)
		dp_gate_refuse(
			"a join on privacy units of a nondeterministic collation",
			"Ask the owner for a column of another collation.", location);
	if (problem == DP_OWNER_ROW_UNITS)
		dp_gate_refuse("a join of protected relations whose privacy units are "
					   "their rows",
					   "Ask the owners to protect them with privacy_unit => "
					   "the column that identifies the person.",
					   location);
	dp_gate_refuse("a join of protected relations on anything but their "
				   "privacy units",
				   "Join them by equality of the columns that are their "
				   "privacy units, written without casts; for an outer join "
				   "in its own ON.",
				   location);
}

static bool
is_fine(const DpNode *node)
{
	return node->facts->owner.problem == DP_OWNER_FINE;
}

static const DpNode *
make_inner(List *inputs, List *conditions)
{
	const DpNode *first = linitial(inputs);

	return dp_facts_add(
		&dp_node_join(inputs, conditions, first->location)->node);
}

const DpNode *
dp_joins_inner(const DpScope *scope, List *inputs, List *entries,
			   List *conditions, List *implied)
{
	const DpNode *join;
	const DpOwner *owner;

	if (list_length(inputs) == 1 && conditions == NIL)
		return linitial(inputs);
	join = make_inner(inputs, conditions);
	if (!is_fine(join) && implied != NIL)
		join = make_inner(inputs, list_concat_copy(conditions, implied));
	owner = &join->facts->owner;
	if (!is_fine(join))
		refuse(scope, owner->problem,
			   list_nth_int(entries, owner->problem_input), -1);
	return join;
}

static const DpNode *
make_left(const DpJoinSides *sides, List *conditions)
{
	return dp_facts_add(&dp_node_left_join(sides->left, sides->right,
										   conditions, sides->location)
							 ->node);
}

const DpNode *
dp_joins_left(const DpScope *scope, const DpJoinSides *sides, List *conditions,
			  List *implied)
{
	const DpNode *join = make_left(sides, conditions);
	const DpOwner *owner;

	if (!is_fine(join) && implied != NIL)
		join = make_left(sides, list_concat_copy(conditions, implied));
	owner = &join->facts->owner;
	if (!is_fine(join))
		refuse(scope, owner->problem,
			   owner->problem_input == 0 ? sides->left_entry
										 : sides->right_entry,
			   sides->location);
	return join;
}

static List *
inputs_of(const DpNode *node)
{
	List *inputs = NIL;
	int i;

	if (node->kind != DP_NODE_JOIN)
		return list_make1((void *) node);
	for (i = 0; i < node->ninputs; i++)
		inputs = lappend(inputs, (void *) node->inputs[i]);
	return inputs;
}

static List *
conditions_of(const DpNode *node)
{
	return node->kind == DP_NODE_JOIN
			   ? list_copy(((const DpJoin *) node)->conditions)
			   : NIL;
}

const DpNode *
dp_joins_filter(const DpNode *node, List *conditions)
{
	if (conditions == NIL)
		return node;
	return make_inner(inputs_of(node),
					  list_concat(conditions_of(node), conditions));
}

const DpNode *
dp_joins_add(const DpNode *node, const DpNode *other, List *conditions)
{
	return make_inner(lappend(inputs_of(node), (void *) other),
					  list_concat(conditions_of(node), conditions));
}
