/*
 * agreement.c
 *		Whether the answers of groupings are made to agree.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "gate/question/keys/key.h"
#include "gate/release/agreement.h"
#include "mechanisms/expected_error.h"

int
dp_agreement_key(Node *expression, List **expressions)
{
	foreach_ptr (Node, other, *expressions)
	{
		if (equal(other, expression))
			return foreach_current_index(other);
	}
	*expressions = lappend(*expressions, expression);
	return list_length(*expressions) - 1;
}

/*
 * Sets which keys the groupings' tables have, and their sizes; false where
 * these are not known.
 */
static bool
find_tables(DpGroupings *groupings)
{
	DpMarginals *tables = &groupings->tables;
	List *expressions = NIL;

	tables->tables = list_length(groupings->states);
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		const DpGroups *groups = dp_groups_find(&state->groups);

		foreach_ptr (DpKey, one, state->plan->outline.keys)
		{
			int number = dp_agreement_key(one->expression, &expressions);
			int64 size = dp_row_table_count(
				list_nth(groups->values, foreach_current_index(one)));

			if (number >= DP_MARGINAL_KEYS_MAX || size == 0)
				return false;
			tables->sizes[number] = size;
			tables->members[foreach_current_index(state)] |= UINT64CONST(1)
															 << number;
		}
	}
	tables->keys = list_length(expressions);
	return true;
}

/*
 * Whether a unit may be in more groups, by the keys of all groupings, than may
 * count of it.
 */
static bool
may_choose(const DpGroupings *groupings)
{
	const DpReleasePlan *release =
		((DpReleaseState *) linitial(groupings->states))->plan;
	const DpMarginals *tables = &groupings->tables;
	double cells = 1;
	int i;

	if (!release->outline.relations.several ||
		release->outline.relations.one_group)
		return false;
	if (tables->keys <
		list_length(release->outline.keys) + list_length(release->other_keys))
		return true; /* keys of a grouping that is not asked */
	for (i = 0; i < tables->keys; i++)
		cells *= (double) tables->sizes[i];
	return cells > release->outline.contribution.groups;
}

void
dp_agreement_find(DpGroupings *groupings)
{
	groupings->have_sizes = find_tables(groupings);
	groupings->choose = groupings->have_sizes && may_choose(groupings);
}

bool
dp_agreement_is_of_rows(const DpGroupings *groupings)
{
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		if (!state->plan->outline.are_of_one)
			return false;
	}
	return !groupings->choose;
}

static bool
is_sum(const DpCall *call, Oid type)
{
	if (call->aggregate == DP_AGGREGATE_COUNT)
		return true;
	return call->aggregate == DP_AGGREGATE_SUM && call->ordered == NULL &&
		   (type == INT8OID || type == NUMERICOID || type == FLOAT4OID ||
			type == FLOAT8OID);
}

bool
dp_agreement_applies(const DpGroupings *groupings, int aggno,
					 DpMarginals *marginals, int *exponent)
{
	DpReleaseState *first = linitial(groupings->states);
	Aggref *aggref = list_nth(first->plan->outline.aggregates, aggno);

	if (!dp_agreement_is_of_rows(groupings) ||
		!is_sum(dp_terms_call(&first->terms, aggno),
				getBaseType(aggref->aggtype)))
		return false;
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		const DpLaw *law = dp_answer_table_law(&state->answers, aggno);

		if (law->kind != DP_LAW_NOISE || law->has_least || law->has_greatest ||
			law->has_threshold ||
			(foreach_current_index(state) > 0 && law->exponent != *exponent))
			return false;
		*exponent = law->exponent;
		marginals->variances[foreach_current_index(state)] =
			pow(dp_noise_deviation(&law->noise), 2);
	}
	return true;
}

bool
dp_agreement_is_expected(const DpReleaseState *state, int aggno,
						 double *deviation)
{
	DpMarginals marginals;
	int exponent;

	if (!state->groupings->have_sizes)
		return false;
	marginals = state->groupings->tables;
	if (!dp_agreement_applies(state->groupings, aggno, &marginals, &exponent) ||
		!dp_marginals_are_few(&marginals))
		return false;
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
	{
		if (grouping == state)
			*deviation =
				ldexp(sqrt(dp_marginals_variance(
						  &marginals, foreach_current_index(grouping))),
					  exponent);
	}
	return true;
}
