/*
 * joins.c
 *		Makes joins, and refuses those whose rows have no owner.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/read/joins.h"
#include "gate/relations/locations.h"
#include "gate/relations/refusal.h"

static void
refuse(const DpScope *scope, const DpJoined *joined, const DpOwner *owner)
{
	int location;

	if (owner->problem == DP_OWNER_ADDS_TO_PUBLIC)
		dp_gate_refuse(
			"an outer join that adds to the protected relation's "
			"rows",
			"The result would have rows without a privacy unit: "
			"write JOIN, which shows a group for each public value of "
			"a key anyway, or the protected relation LEFT JOIN the "
			"other.",
			joined->location);
	location = dp_locations_of_entry(
		scope->query, list_nth_int(joined->entries, owner->problem_input));
	if (owner->problem == DP_OWNER_COLLATION)
		dp_gate_refuse(
			"a join on privacy units of a nondeterministic collation",
			"Ask the owner for a column of another collation.", location);
	if (owner->problem == DP_OWNER_ROW_UNITS)
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

static const DpNode *
make(const DpJoined *joined, List *conditions)
{
	const DpNode *first = linitial(joined->inputs);

	return dp_facts_add(
		joined->is_left
			? &dp_node_left_join(first, lsecond(joined->inputs), conditions,
								 joined->location)
				   ->node
			: &dp_node_join(joined->inputs, conditions, first->location)->node);
}

const DpNode *
dp_joins_make(const DpScope *scope, const DpJoined *joined, List *conditions)
{
	const DpNode *join;

	if (list_length(joined->inputs) == 1 && conditions == NIL)
		return linitial(joined->inputs);
	join = make(joined, conditions);
	if (join->facts->owner.problem != DP_OWNER_FINE && joined->implied != NIL)
		join = make(joined, list_concat_copy(conditions, joined->implied));
	if (join->facts->owner.problem != DP_OWNER_FINE)
		refuse(scope, joined, &join->facts->owner);
	return join;
}

/* Adds conditions to a join that a node is, or makes one of it. other: or NULL. */
static const DpNode *
add(const DpNode *node, const DpNode *other, List *conditions)
{
	bool is_join = node->kind == DP_NODE_JOIN;
	DpJoined joined = {.inputs = list_make1(is_join ? (void *) node->inputs[0]
													: (void *) node)};
	int i;

	if (is_join)
	{
		for (i = 1; i < node->ninputs; i++)
			joined.inputs = lappend(joined.inputs, (void *) node->inputs[i]);
		conditions =
			list_concat_copy(((const DpJoin *) node)->conditions, conditions);
	}
	if (other != NULL)
		joined.inputs = lappend(joined.inputs, (void *) other);
	return make(&joined, conditions);
}

const DpNode *
dp_joins_filter(const DpNode *node, List *conditions)
{
	return conditions == NIL ? node : add(node, NULL, conditions);
}

const DpNode *
dp_joins_add(const DpNode *node, const DpNode *other, List *conditions)
{
	return add(node, other, conditions);
}
