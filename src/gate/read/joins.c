/*
 * joins.c
 *		Makes joins, and refuses those whose rows have no owner.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/read/equated.h"
#include "gate/read/joins.h"
#include "gate/read/matched.h"
#include "gate/relations/locations.h"
#include "gate/relations/refusal.h"

static void
refuse(const DpScope *scope, const DpJoined *joined, const DpOwner *owner)
{
	int location = dp_locations_of_entry(
		scope->query, list_nth_int(joined->entries, owner->problem_input));

	if (owner->problem == DP_OWNER_COLLATION)
		dp_refusal_raise(
			"a join on privacy units of a nondeterministic collation",
			"Ask the owner for a column of another collation.", location);
	if (owner->problem == DP_OWNER_ROW_UNITS)
		dp_refusal_raise(
			"a join of protected relations whose privacy units are "
			"their rows",
			"Ask the owners to protect them with privacy_unit => "
			"the column that identifies the person.",
			location);
	dp_refusal_raise("a join of protected relations on anything but their "
					 "privacy units",
					 "Join them by equality of the columns that are their "
					 "privacy units, written without casts; for an outer join "
					 "in its own ON.",
					 location);
}

/* added: those of the conditions that nobody wrote, in words. */
static const DpNode *
make(const DpJoined *joined, List *conditions, List *added)
{
	const DpNode *first = linitial(joined->inputs);
	DpJoin *join = joined->is_left
					   ? dp_node_left_join(first, lsecond(joined->inputs),
										   conditions, joined->location)
					   : dp_node_join(joined->inputs, joined->items, conditions,
									  first->location);

	join->added = added;
	join->is_full = joined->is_full;
	return dp_facts_add(&join->node);
}

/*
 * The same join with equalities of units where it goes along a foreign key: what
 * refers to another unit's row then meets nothing. Whether that is enough is
 * seen as if they were written. What a view reads is named to nobody.
 */
static const DpNode *
make_within_units(const DpScope *scope, const DpJoined *joined,
				  const DpNode *join)
{
	List *words;
	List *added = dp_equated_units(join, &words);

	if (added == NIL)
		return join;
	return make(joined,
				list_concat_copy(((const DpJoin *) join)->conditions, added),
				scope->planning->view_depth > 0
					? NIL
					: list_concat_copy(joined->added, words));
}

const DpNode *
dp_joins_make(const DpScope *scope, const DpJoined *joined, List *conditions)
{
	const DpNode *join;

	if (list_length(joined->inputs) == 1 && conditions == NIL)
		return linitial(joined->inputs);
	join = make(joined, conditions, joined->added);
	if (join->facts->owner.problem != DP_OWNER_FINE && joined->implied != NIL)
		join = make(joined, list_concat_copy(conditions, joined->implied),
					joined->added);
	if (join->facts->owner.problem == DP_OWNER_OTHER_UNITS)
		join = make_within_units(scope, joined, join);
	if (join->facts->owner.problem != DP_OWNER_FINE)
		refuse(scope, joined, &join->facts->owner);
	if (scope->around != NULL && (dp_owner_is_matched(join) || joined->is_full))
		dp_matched_refuse(joined->location);
	return join;
}

/*
 * Adds conditions to a join that a node is, or makes one of it. other: or NULL.
 * words: of those that nobody wrote.
 */
static const DpNode *
add(const DpNode *node, const DpNode *other, List *conditions, List *words)
{
	bool is_join = node->kind == DP_NODE_JOIN;
	DpJoined joined = {.inputs = list_make1(is_join ? (void *) node->inputs[0]
													: (void *) node),
					   .items = is_join
									? list_copy(((const DpJoin *) node)->items)
									: list_make1_int(0)};
	List *added = is_join
					  ? list_concat_copy(((const DpJoin *) node)->added, words)
					  : words;
	int i;

	if (is_join)
	{
		for (i = 1; i < node->ninputs; i++)
			joined.inputs = lappend(joined.inputs, (void *) node->inputs[i]);
		conditions =
			list_concat_copy(((const DpJoin *) node)->conditions, conditions);
	}
	if (other != NULL)
	{
		joined.inputs = lappend(joined.inputs, (void *) other);
		joined.items = lappend_int(joined.items, llast_int(joined.items));
	}
	return make(&joined, conditions, added);
}

const DpNode *
dp_joins_filter(const DpNode *node, List *conditions)
{
	return conditions == NIL ? node : add(node, NULL, conditions, NIL);
}

const DpNode *
dp_joins_add(const DpNode *node, const DpNode *other, List *conditions)
{
	return add(node, other, conditions, NIL);
}

const DpNode *
dp_joins_within_outer(const DpScope *around, const DpNode *rows, List *compared)
{
	List *words;
	List *added = dp_equated_outer_units(rows, around->row, compared, &words);

	if (added == NIL)
		return rows;
	return add(rows, NULL, added,
			   around->planning->view_depth > 0 ? NIL : words);
}
