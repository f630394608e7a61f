/*
 * node_parts.c
 *		Aggregates of what other nodes have counted and added up.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/bound/unit_aggregates.h"
#include "gate/relations/private_aggregates.h"
#include "gate/run/nodes/node_parts.h"
#include "gate/run/nodes/points.h"
#include "gate/run/nodes/pure.h"

/* The sum of points as numeric. */
static Node *
sum_of(DpNodeAsked *asked, const Aggref *aggref, const DpNodePoints *points)
{
	Node *sum = dp_node_asked_sum(asked, points->whole, points->point,
								  (Node *) aggref->aggfilter);

	return points->whole == &dp_whole_narrow
			   ? dp_whole_call(F_NUMERIC_INT8, NUMERICOID, list_make1(sum))
			   : sum;
}

/*
 * How many rows there are, or, where they may have none, values, or points, which NaN has
 * none; of sums nobody asks.
 */
static Node *
count_of(DpNodeAsked *asked, const DpAggregateTraits *traits,
		 const Aggref *aggref, const DpNodePoints *points)
{
	Node *value =
		aggref->args == NIL ? NULL : dp_node_points_argument(aggref, 0);

	if (traits->aggregate == DP_AGGREGATE_SUM)
		return (Node *) makeNullConst(INT8OID, -1, InvalidOid);
	if (value != NULL && IsA(value, Const) && !((Const *) value)->constisnull)
		value = NULL;
	if (traits->takes_bounds && !dp_whole_is_type(exprType(value)))
		value = points->point;
	return dp_node_asked_count(asked, value, (Node *) aggref->aggfilter);
}

bool
dp_parts_is_plain(const Aggref *aggref)
{
	return aggref->aggdistinct == NIL && aggref->aggorder == NIL &&
		   dp_nodes_is_pure((Node *) aggref->aggfilter) &&
		   (aggref->args == NIL ||
			dp_nodes_is_pure(dp_node_points_argument(aggref, 0)));
}

bool
dp_parts_is_count(const Aggref *aggref)
{
	return aggref->aggfnoid == F_COUNT_ || aggref->aggfnoid == F_COUNT_ANY;
}

Aggref *
dp_parts_form_of(Aggref *aggref)
{
	return dp_private_aggregates_is_one(aggref->aggfnoid)
			   ? dp_unit_aggregates_of_rows(
					 aggref, dp_contribution_of_row(DP_ADD_REMOVE),
					 (DpOpenChoices){0})
			   : aggref;
}

static bool
is_split(const Aggref *aggref)
{
	return !dp_private_aggregates_is_one(aggref->aggfnoid) ||
		   dp_private_aggregates_traits(aggref)->of_parts != NULL;
}

Node *
dp_parts_of(DpNodeAsked *asked, Aggref *aggref)
{
	const DpAggregateTraits *traits;
	Node *sum = NULL;
	Node *count;
	bool is_of_unit;
	DpNodePoints points;

	if (!dp_parts_is_plain(aggref) || !is_split(aggref))
		return NULL;
	aggref = dp_parts_form_of(aggref);
	traits =
		dp_parts_is_count(aggref)
			? dp_aggregate_get(DP_AGGREGATE_COUNT)
			: dp_private_aggregates_of_form(aggref->aggfnoid, DP_FORM_PARTIAL);
	is_of_unit = traits != NULL;
	if (traits == NULL)
		traits =
			dp_private_aggregates_of_form(aggref->aggfnoid, DP_FORM_OF_ROWS);
	if (traits == NULL || traits->of_parts == NULL)
		return NULL;
	if (traits->takes_bounds)
	{
		if (!dp_node_points_of(traits, aggref, &points))
			return NULL;
		sum = sum_of(asked, aggref, &points);
	}
	count = count_of(asked, traits, aggref, &points);
	return (Node *) (is_of_unit ? dp_unit_aggregates_partial_of_parts(
									  traits, aggref, sum, count)
								: dp_unit_aggregates_of_parts(traits, aggref,
															  sum, count));
}
