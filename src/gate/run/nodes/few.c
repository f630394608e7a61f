/*
 * few.c
 *		Rows of few different values as a histogram.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/bound/key.h"
#include "gate/bound/unit_aggregates.h"
#include "gate/relations/private_aggregates.h"
#include "gate/run/nodes/few.h"
#include "gate/run/nodes/node_parts.h"
#include "gate/run/nodes/points.h"
#include "gate/run/nodes/pure.h"
#include "server/compat.h"
#include "server/queries.h"
#include "server/search.h"

/* A node's hash table of so many points stays within some megabytes. */
#define POINTS_MAX 100000

/* What a key is taken to have whose values are not known. */
#define KEY_VALUES 100

/* The row of an aggregate over rows; NULL: it is none. */
static const DpAggregateTraits *
traits_of(const Aggref *aggref)
{
	return dp_private_aggregates_is_one(aggref->aggfnoid)
			   ? dp_private_aggregates_traits(aggref)
			   : dp_private_aggregates_of_form(aggref->aggfnoid,
											   DP_FORM_OF_ROWS);
}

/* Whether there are aggregates of the points of values of a type. */
static bool
has_points(const Aggref *aggref)
{
	Oid type = exprType(dp_node_points_argument(aggref, 0));

	return type == INT4OID || type == INT8OID;
}

static bool
is_between_integers(const DpAggregateTraits *traits, const Aggref *aggref)
{
	if (traits == NULL || !traits->takes_bounds ||
		dp_aggregate_values(traits) > 1)
		return false;
	return has_points(aggref);
}

/* An argument between its bounds; NULL where these leave too many values. */
static DpFewValues *
bound_argument(Aggref *aggref)
{
	const DpAggregateTraits *traits = traits_of(aggref);
	DpFewValues *few = palloc(sizeof(DpFewValues));
	Node *value;
	DpNodePoints points;

	if (!is_between_integers(traits, aggref) ||
		!dp_node_points_of(traits, aggref, &points) ||
		dp_grid_span(&points.grid) > POINTS_MAX ||
		points.grid.lower < PG_INT32_MIN || points.grid.upper > PG_INT32_MAX)
		return NULL;
	value = dp_node_points_argument(aggref, 0);
	if (!dp_nodes_is_pure(value))
		return NULL;
	value = dp_whole_between(
		exprType(value) == INT8OID ? &dp_whole_wide : &dp_whole_narrow,
		(Node *) copyObject(value), points.grid.lower, points.grid.upper);
	linitial_node(TargetEntry, aggref->args)->expr = (Expr *) value;
	few->expression = value;
	few->values = (double) dp_grid_span(&points.grid) + 2; /* one is null */
	return few;
}

static bool
bound_aggregate(Node *node, void *bounded)
{
	List **list = bounded;
	DpFewValues *few =
		IsA(node, Aggref) ? bound_argument((Aggref *) node) : NULL;

	if (few != NULL)
		*list = lappend(*list, few);
	return false;
}

List *
dp_few_bound(Query *reader)
{
	List *bounded = NIL;

	(void) dp_search_within((Node *) reader->targetList, bound_aggregate,
							&bounded);
	return bounded;
}

/* How many values a key may have; 0: it is none. */
static double
values_of_key(const Node *expression, const Query *reader, const List *keys)
{
	foreach_node (SortGroupClause, clause, reader->groupClause)
	{
		int number = foreach_current_index(clause);

		if (equal(dp_nodes_grouped_by(reader, clause), expression))
			return number < list_length(keys) &&
						   dp_key_values(list_nth(keys, number)) > 0
					   ? (double) dp_key_values(list_nth(keys, number))
					   : KEY_VALUES;
	}
	return 0;
}

static double
values_of(const TargetEntry *entry, const List *bounded, const Query *reader,
		  const DpOutline *outline)
{
	Node *expression = (Node *) entry->expr;

	foreach_ptr (const DpFewValues, few, bounded)
	{
		if (equal(few->expression, expression))
			return few->values;
	}
	if (exprType(expression) == BOOLOID)
		return 3;
	return values_of_key(expression, reader, outline->keys);
}

bool
dp_few_points(const DpNodeAsked *asked, const List *bounded,
			  const Query *reader, const DpOutline *outline)
{
	double points = 1;

	foreach_node (TargetEntry, entry, asked->rows->targetList)
	{
		double values = values_of(entry, bounded, reader, outline);

		points *= values;
		if (values == 0 || points > POINTS_MAX)
			return false;
	}
	return true;
}

static bool
is_of_bag(Node *node, void *context)
{
	const DpAggregateTraits *traits =
		IsA(node, Aggref) ? traits_of((Aggref *) node) : NULL;

	(void) context;
	return IsA(node, Aggref) &&
		   (traits == NULL ||
			(!traits->of_different &&
			 traits->aggregate != DP_AGGREGATE_COUNT_DISTINCT));
}

bool
dp_few_are_sets(const Query *reader)
{
	return reader->hasAggs &&
		   !dp_search_within((Node *) reader->targetList, is_of_bag, NULL);
}

/* How many rows there are: of the server's count, or of the private one. */
static bool
counts_rows(const DpAggregateTraits *traits, const Aggref *aggref)
{
	const Const *value = aggref->args == NIL
							 ? NULL
							 : (Const *) dp_node_points_argument(aggref, 0);

	return (dp_parts_is_count(aggref) ||
			(traits != NULL && traits->aggregate == DP_AGGREGATE_COUNT)) &&
		   (value == NULL || (IsA(value, Const) && !value->constisnull));
}

/* Of rows with their number; NULL where it cannot be. */
static Aggref *
weighed(Aggref *aggref, Node *number)
{
	const DpAggregateTraits *traits = traits_of(aggref);
	const DpAggregateTraits *count = dp_aggregate_get(DP_AGGREGATE_COUNT);
	Aggref *result = NULL;

	if (counts_rows(traits, aggref))
		result = traits == NULL
					 ? dp_unit_aggregates_partial_of_parts(count, aggref, NULL,
														   number)
					 : dp_unit_aggregates_of_parts(
						   count, dp_parts_form_of(aggref), NULL, number);
	else if (traits != NULL && traits->of_points != NULL && has_points(aggref))
		result = dp_unit_aggregates_of_points(traits, dp_parts_form_of(aggref),
											  number);
	if (result != NULL)
		result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}

typedef struct Weighing
{
	Node *number;
	bool has_failed;
} Weighing;

static Node *
weigh(Node *node, int depth, void *context)
{
	Weighing *weighing = context;
	Node *result;

	(void) depth;
	if (!IsA(node, Aggref))
		return NULL;
	result = (Node *) weighed((Aggref *) node,
							  (Node *) copyObject(weighing->number));
	weighing->has_failed |= result == NULL;
	return result == NULL ? node : result;
}

bool
dp_few_weigh(Query *reader, Node *number)
{
	Weighing weighing = {number, false};
	List *targets = (List *) dp_search_replace((Node *) reader->targetList,
											   weigh, &weighing);

	if (weighing.has_failed || reader->havingQual != NULL)
		return false;
	reader->targetList = targets;
	return true;
}

RangeTblEntry *
dp_few_unfold(RangeTblEntry *copy, const Query *rows)
{
	Query *result = dp_query_make();
	List *limits = list_make1(dp_whole_number(&dp_whole_wide, 1));
	RangeTblEntry *unfolded;

	result->rtable = list_make1(copy);
	result->jointree->fromlist = list_make1(dp_query_reference(1));
	foreach_node (TargetEntry, entry, rows->targetList)
	{
		Node *column = (Node *) dp_query_column(entry);

		if (foreach_current_index(entry) + 1 < list_length(rows->targetList))
			(void) dp_query_add_target(result, column, entry->resname);
		else
			limits = lappend(limits, column);
	}
	(void) dp_query_add_target(
		result, dp_whole_call(F_GENERATE_SERIES_INT8_INT8, INT8OID, limits),
		"number");
	((FuncExpr *) llast_node(TargetEntry, result->targetList)->expr)
		->funcretset = true;
	result->hasTargetSRFs = true;
	unfolded = dp_query_entry(result, "rows");
	unfolded->inFromCl = true;
	return unfolded;
}
