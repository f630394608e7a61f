/*
 * parts.c
 *		Aggregates of what other nodes have counted and added up.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/grid.h"
#include "gate/bound/unit_aggregates.h"
#include "gate/relations/private_aggregates.h"
#include "gate/run/nodes/parts.h"
#include "gate/run/nodes/pure.h"

/*
 * Sums of integers up to this are of type bigint, which 2^40 of them fit in; sums of
 * greater ones are numeric, which is slower.
 */
#define SMALL (INT64CONST(1) << 23)

/* What is known to lie within the range of bigint by far. */
#define BOUND_MAX (INT64CONST(1) << 60)

/* How the server computes with integers of a type. */
typedef struct IntegerType
{
	Oid type;
	Oid sum;
	Oid less;
	Oid minus;
} IntegerType;

static const IntegerType narrow = {INT4OID, F_SUM_INT4, F_INT4LT, F_INT4MI};
static const IntegerType wide = {INT8OID, F_SUM_INT8, F_INT8LT, F_INT8MI};

/* Which of the table's rows has an aggregate as a form; NULL: none. */
static const DpAggregateTraits *
find_traits(Oid function, bool *is_partial)
{
	const char *name = get_func_name(function);
	int i;

	if (name == NULL || !dp_private_aggregates_is_own_function(function))
		return NULL;
	for (i = 0; i < DP_AGGREGATE_NONE; i++)
	{
		const DpAggregateTraits *traits = dp_aggregate_get((DpAggregate) i);

		if (traits->of_parts == NULL)
			continue;
		*is_partial =
			traits->partial != NULL && strcmp(traits->partial, name) == 0;
		if (*is_partial || strcmp(traits->of_rows, name) == 0)
			return traits;
	}
	return NULL;
}

static Node *
argument(const Aggref *aggref, int argno)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, argno)->expr;
}

/*
 * Bounds
 */

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
read_bound(Node *written, bool is_lower, int64 *bound)
{
	const Const *constant =
		(Const *) eval_const_expressions(NULL, copyObject(written));
	Datum rounded;

	if (!IsA(constant, Const) || constant->constisnull ||
		constant->consttype != NUMERICOID)
		return false;
	rounded = DirectFunctionCall1(is_lower ? numeric_ceil : numeric_floor,
								  constant->constvalue);
	if (is_beyond(rounded, BOUND_MAX) || is_beyond(rounded, -BOUND_MAX))
		return false;
	*bound = DatumGetInt64(DirectFunctionCall1(numeric_int8, rounded));
	return true;
}

static bool
read_grid(const DpAggregateTraits *traits, const Aggref *aggref, DpGrid *grid)
{
	int first = dp_aggregate_data_arguments(traits);
	int64 lower;
	int64 upper;

	return read_bound(argument(aggref, first), true, &lower) &&
		   read_bound(argument(aggref, first + 1), false, &upper) &&
		   dp_grid_for_integers(lower, upper, traits->scale, grid) == DP_OK &&
		   grid->exponent == 0;
}

/*
 * Points
 */

static Node *
number(const IntegerType *type, int64 value)
{
	return (Node *) (type == &narrow
						 ? makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
									 Int32GetDatum((int32) value), false, true)
						 : makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
									 Int64GetDatum(value), false,
									 FLOAT8PASSBYVAL));
}

static Node *
call(Oid function, Oid result, List *args)
{
	return (Node *) makeFuncExpr(function, result, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* A value as an integer of one of the two types; within the bounds it has room. */
static Node *
cast_to(const IntegerType *type, Node *value)
{
	Oid from = exprType(value);
	Oid function = from == INT2OID
					   ? (type == &narrow ? F_INT4_INT2 : F_INT8_INT2)
				   : from == INT4OID ? F_INT8_INT4
									 : F_INT4_INT8;

	return from == type->type ? value
							  : call(function, type->type, list_make1(value));
}

static CaseWhen *
when(Node *condition, Node *result)
{
	CaseWhen *case_when = makeNode(CaseWhen);

	case_when->expr = (Expr *) condition;
	case_when->result = (Expr *) result;
	case_when->location = -1;
	return case_when;
}

/*
 * CASE WHEN value < lower THEN lower WHEN upper < value THEN upper ELSE value END,
 * null for null, less what points are counted from.
 */
static Node *
point_of(const IntegerType *type, Node *value, const DpGrid *grid, int64 origin)
{
	const IntegerType *compared = exprType(value) == INT8OID ? &wide : type;
	CaseExpr *point = makeNode(CaseExpr);

	value = compared == &wide ? cast_to(&wide, value) : cast_to(type, value);
	point->casetype = type->type;
	point->args = list_make2(
		when(call(compared->less, BOOLOID,
				  list_make2(value, number(compared, grid->lower))),
			 number(type, grid->lower)),
		when(call(compared->less, BOOLOID,
				  list_make2(number(compared, grid->upper), value)),
			 number(type, grid->upper)));
	point->defresult = (Expr *) cast_to(type, copyObject(value));
	point->location = -1;
	return origin == 0 ? (Node *) point
					   : call(type->minus, type->type,
							  list_make2(point, number(type, origin)));
}

/*
 * Parts
 */

/* The sum of points as numeric. */
static Node *
sum_of(DpNodeAsked *asked, const DpAggregateTraits *traits,
	   const Aggref *aggref, const DpGrid *grid)
{
	bool is_small = grid->lower >= -SMALL && grid->upper <= SMALL;
	const IntegerType *type = is_small ? &narrow : &wide;
	int64 origin = traits->scale == DP_GRID_SPAN ? grid->lower : 0;
	Node *sum = dp_node_asked_aggregate(
		asked, type->sum,
		point_of(type, copyObject(argument(aggref, 0)), grid, origin),
		(Node *) aggref->aggfilter);

	return is_small ? call(F_NUMERIC_INT8, NUMERICOID, list_make1(sum)) : sum;
}

/* How many rows there are, or, where they may have none, values; sums need none. */
static Node *
count_of(DpNodeAsked *asked, const DpAggregateTraits *traits,
		 const Aggref *aggref)
{
	Node *value = aggref->args == NIL ? NULL : argument(aggref, 0);

	if (traits->aggregate == DP_AGGREGATE_SUM)
		return (Node *) makeNullConst(INT8OID, -1, InvalidOid);
	if (value != NULL && IsA(value, Const) && !((Const *) value)->constisnull)
		value = NULL;
	return dp_node_asked_aggregate(asked, F_COUNT_ANY, value,
								   (Node *) aggref->aggfilter);
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
is_plain(const Aggref *aggref)
{
	return aggref->aggdistinct == NIL && aggref->aggorder == NIL &&
		   dp_nodes_is_pure((Node *) aggref->aggfilter) &&
		   (aggref->args == NIL || dp_nodes_is_pure(argument(aggref, 0)));
}

static bool
is_count(const Aggref *aggref)
{
	return aggref->aggfnoid == F_COUNT_ || aggref->aggfnoid == F_COUNT_ANY;
}

/* The form of the gate's of an aggregate that is as it was written. */
static Aggref *
form_of(Aggref *aggref)
{
	return dp_private_aggregates_is_one(aggref->aggfnoid)
			   ? dp_gate_aggregate_of_rows(
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
	bool is_partial = true;
	Aggref *result;
	DpGrid grid;

	if (!is_plain(aggref) || !is_split(aggref))
		return NULL;
	aggref = form_of(aggref);
	traits = is_count(aggref) ? dp_aggregate_get(DP_AGGREGATE_COUNT)
							  : find_traits(aggref->aggfnoid, &is_partial);
	if (traits == NULL)
		return NULL;
	if (traits->takes_bounds)
	{
		if (!is_integer(exprType(argument(aggref, 0))) ||
			!read_grid(traits, aggref, &grid))
			return NULL;
		sum = sum_of(asked, traits, aggref, &grid);
	}
	result = is_partial
				 ? dp_gate_partial_of_parts(traits, aggref, sum,
											count_of(asked, traits, aggref))
				 : dp_gate_aggregate_of_parts(traits, aggref, sum,
											  count_of(asked, traits, aggref));
	return (Node *) result;
}
