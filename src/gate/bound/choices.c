/*
 * choices.c
 *		Bounds that are chosen together with an answer: what is asked of the rows.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"

#include "aggregates/aggregate.h"
#include "gate/bound/choices.h"
#include "gate/relations/private_aggregates.h"
#include "server/lists.h"

bool
dp_choices_divide_rho(const Aggref *aggref, DpOpenChoices choices)
{
	return choices.by_rho &&
		   dp_private_aggregates_traits(aggref)->by_rho == DP_BY_RHO_VARIANCE;
}

DpContribution
dp_choices_contribution(DpContribution contribution)
{
	contribution.groups = 0;
	return contribution;
}

/* dp_bounds of what an aggregate is asked of. */
static Aggref *
bounds_of(const Aggref *aggref)
{
	Aggref *bounds = copyObject((Aggref *) aggref);
	Oid type = linitial_oid(aggref->aggargtypes);

	bounds->args = list_truncate(bounds->args, 1);
	bounds->aggargtypes = list_truncate(bounds->aggargtypes, 1);
	bounds->aggfnoid = LookupFuncName(
		list_make2(makeString(get_namespace_name(
					   get_func_namespace(aggref->aggfnoid))),
				   makeString(pstrdup(dp_aggregate_name(DP_AGGREGATE_BOUNDS)))),
		1, &type, false);
	if (!dp_private_aggregates_is_one(bounds->aggfnoid))
		elog(ERROR, "not a private aggregate: %u", bounds->aggfnoid);
	bounds->aggtype = get_func_rettype(bounds->aggfnoid);
	bounds->aggcollid = InvalidOid;
	bounds->aggtranstype = InvalidOid;
	return bounds;
}

/*
 * The number of the choice, which is added if need be. by_rho: the indexes of those
 * that divide rho.
 */
static int
number_of(const Aggref *aggref, Bitmapset **by_rho, DpOutline *outline)
{
	Aggref *bounds = bounds_of(aggref);
	bool divides_rho = dp_choices_divide_rho(aggref, outline->choices);
	ListCell *cell;

	foreach (cell, outline->bounds)
	{
		int index = foreach_current_index(cell);

		if (equal(lfirst(cell), bounds) &&
			bms_is_member(index, *by_rho) == divides_rho)
			return index + 1;
	}
	if (divides_rho)
		*by_rho = bms_add_member(*by_rho, list_length(outline->bounds));
	outline->bounds = lappend(outline->bounds, bounds);
	return list_length(outline->bounds);
}

void
dp_choices_find(DpPlanning *planning, List *chooses, DpOutline *outline)
{
	Bitmapset *by_rho = NULL;

	foreach_ptr (Aggref, aggref, outline->aggregates)
	{
		int chosen = list_nth_int(chooses, foreach_current_index(aggref));

		outline->choice_numbers =
			lappend_int(outline->choice_numbers,
						chosen == 0 ? 0 : number_of(aggref, &by_rho, outline));
	}
	outline->bounds_parameter = planning->next_parameter;
	planning->next_parameter += list_length(outline->bounds);
}

void
dp_choices_parameters(const Aggref *aggref, int numbers[2])
{
	int i;

	for (i = 0; i < 2; i++)
		numbers[i] =
			castNode(Param,
					 list_nth_node(TargetEntry, aggref->args, i + 1)->expr)
				->paramid;
}
