/*
 * points.c
 *		Values as points of an aggregate's grid, as nodes are asked for them.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "gate/run/nodes/points.h"

/* Bounds of integers up to this have narrow points, and may lie this far out. */
#define NARROW_MAX (INT64CONST(1) << 23)
#define BOUND_MAX (INT64CONST(1) << 60)

Node *
dp_node_points_argument(const Aggref *aggref, int argno)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, argno)->expr;
}

/* A bound as it is given; NULL where it is no constant. */
static const Const *
constant_of(Node *bound)
{
	const Const *constant =
		(Const *) eval_const_expressions(NULL, (Node *) copyObject(bound));

	return IsA(constant, Const) && !constant->constisnull ? constant : NULL;
}

static bool
is_beyond(Datum number, int64 limit)
{
	Datum bound = NumericGetDatum(int64_to_numeric(limit));

	return DatumGetBool(limit < 0
							? DirectFunctionCall2(numeric_lt, number, bound)
							: DirectFunctionCall2(numeric_gt, number, bound));
}

/* A bound of integers, as the aggregate rounds it. */
static bool
read_integer(const Const *constant, bool is_lower, int64 *bound)
{
	Datum rounded;

	if (constant == NULL || constant->consttype != NUMERICOID)
		return false;
	rounded = DirectFunctionCall1(is_lower ? numeric_ceil : numeric_floor,
								  constant->constvalue);
	if (is_beyond(rounded, BOUND_MAX) || is_beyond(rounded, -BOUND_MAX))
		return false;
	*bound = DatumGetInt64(DirectFunctionCall1(numeric_int8, rounded));
	return true;
}

static bool
read_double(const Const *constant, Oid type, const DpAggregateTraits *traits,
			double *bound)
{
	if (constant == NULL)
		return false;
	if (constant->consttype == NUMERICOID)
		*bound = dp_numeric_to_double(constant->constvalue);
	else if (constant->consttype == FLOAT8OID)
		*bound = DatumGetFloat8(constant->constvalue);
	else
		return false;
	if (type == FLOAT4OID && traits->scale == DP_GRID_SPAN && isfinite(*bound))
		*bound = fmin(fmax(*bound, -FLT_MAX), FLT_MAX);
	return true;
}

static bool
find_grid(const DpAggregateTraits *traits, const Aggref *aggref, DpGrid *grid)
{
	int first = dp_aggregate_data_arguments(traits);
	Oid type = exprType(dp_node_points_argument(aggref, 0));
	const Const *lower = constant_of(dp_node_points_argument(aggref, first));
	const Const *upper =
		constant_of(dp_node_points_argument(aggref, first + 1));
	double doubles[2];
	int64 integers[2];

	if (dp_whole_is_type(type))
		return read_integer(lower, true, &integers[0]) &&
			   read_integer(upper, false, &integers[1]) &&
			   dp_grid_for_integers(integers[0], integers[1], traits->scale,
									grid) == DP_OK &&
			   grid->exponent == 0;
	return (type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID) &&
		   read_double(lower, type, traits, &doubles[0]) &&
		   read_double(upper, type, traits, &doubles[1]) &&
		   dp_grid_for_doubles(doubles[0], doubles[1], traits->scale, grid) ==
			   DP_OK;
}

/* dp_noise.grid_point(value, ...) */
static Node *
call_grid_point(Oid result, List *args)
{
	Oid types[4];
	ListCell *cell;

	foreach (cell, args)
		types[foreach_current_index(cell)] = exprType(lfirst(cell));
	return dp_whole_call(LookupFuncName(list_make2(makeString("dp_noise"),
												   makeString("grid_point")),
										4, types, false),
						 result, args);
}

/* Of an integer that has 32 bits or fewer. */
static Node *
narrow_point(Node *value, const DpGrid *grid, int64 origin)
{
	return call_grid_point(
		INT4OID, list_make4(dp_whole_cast(&dp_whole_narrow, value),
							dp_whole_number(&dp_whole_narrow, grid->lower),
							dp_whole_number(&dp_whole_narrow, grid->upper),
							dp_whole_number(&dp_whole_narrow, origin)));
}

static Node *
point_of_number(Node *value, const DpGrid *grid)
{
	if (exprType(value) == FLOAT4OID)
		value = dp_whole_call(F_FLOAT8_FLOAT4, FLOAT8OID, list_make1(value));
	return call_grid_point(
		INT8OID,
		list_make4(value, dp_whole_number(&dp_whole_narrow, grid->exponent),
				   dp_whole_number(&dp_whole_wide, grid->lower),
				   dp_whole_number(&dp_whole_wide, grid->upper)));
}

bool
dp_node_points_of(const DpAggregateTraits *traits, const Aggref *aggref,
				  DpNodePoints *points)
{
	Node *value = (Node *) copyObject(dp_node_points_argument(aggref, 0));
	bool is_integer = dp_whole_is_type(exprType(value));
	DpGrid *grid = &points->grid;
	int64 origin;

	if (!find_grid(traits, aggref, grid))
		return false;
	origin = traits->scale == DP_GRID_SPAN ? grid->lower : 0;
	points->whole =
		is_integer && grid->lower >= -NARROW_MAX && grid->upper <= NARROW_MAX
			? &dp_whole_narrow
			: &dp_whole_wide;
	if (points->whole == &dp_whole_narrow && exprType(value) != INT8OID)
	{
		points->point = narrow_point(value, grid, origin);
		return true;
	}
	points->point = is_integer ? dp_whole_between(points->whole, value,
												  grid->lower, grid->upper)
							   : point_of_number(value, grid);
	if (origin != 0)
		points->point = dp_whole_call(
			points->whole->minus, points->whole->type,
			list_make2(points->point, dp_whole_number(points->whole, origin)));
	return true;
}
