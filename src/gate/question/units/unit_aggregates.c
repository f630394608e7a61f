/*
 * unit_aggregates.c
 *		The aggregates of an inner statement that bounds privacy units.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/count_pairs.h"
#include "aggregates/noisy_sums.h"
#include "gate/question/units/unit_aggregates.h"

/* The parts of an aggregate's name in the schema dp_noise. */
static const char *const of_rows[] = {
	[DP_AGGREGATE_COUNT] = "count_of_rows",
	[DP_AGGREGATE_COUNT_DISTINCT] = "count_distinct_of_rows",
	[DP_AGGREGATE_SUM] = "sum_of_rows",
	[DP_AGGREGATE_MEAN] = "mean_of_rows",
	[DP_AGGREGATE_MAX] = "max_of_rows",
	[DP_AGGREGATE_MIN] = "min_of_rows",
	[DP_AGGREGATE_MEDIAN] = "median_of_rows",
	[DP_AGGREGATE_MEDIAN_EXP] = "median_exp_of_rows",
	[DP_AGGREGATE_QUANTILE] = "quantile_of_rows",
	[DP_AGGREGATE_QUANTILES] = "quantiles_of_rows",
	[DP_AGGREGATE_VARIANCE] = "variance_of_rows",
	[DP_AGGREGATE_MODE] = "mode_of_rows",
	[DP_AGGREGATE_STDDEV] = "stddev_of_rows",
	[DP_AGGREGATE_BOUNDS] = "bounds_of_rows",
};
static const char *const of_units[] = {
	[DP_AGGREGATE_COUNT] = "count_of_units",
	[DP_AGGREGATE_COUNT_DISTINCT] = "count_distinct_of_units",
	[DP_AGGREGATE_SUM] = "sum_of_units",
	[DP_AGGREGATE_MEAN] = "mean_of_units",
	[DP_AGGREGATE_MAX] = "max_of_units",
	[DP_AGGREGATE_MIN] = "min_of_units",
	[DP_AGGREGATE_MEDIAN] = "median_of_units",
	[DP_AGGREGATE_MEDIAN_EXP] = "median_exp_of_units",
	[DP_AGGREGATE_QUANTILE] = "quantile_of_units",
	[DP_AGGREGATE_QUANTILES] = "quantiles_of_units",
	[DP_AGGREGATE_VARIANCE] = "variance_of_units",
	[DP_AGGREGATE_MODE] = "mode_of_units",
	[DP_AGGREGATE_STDDEV] = "stddev_of_units",
	[DP_AGGREGATE_BOUNDS] = "bounds_of_units",
};
static const char *const partials[] = {
	[DP_AGGREGATE_COUNT_DISTINCT] = "different_values",
	[DP_AGGREGATE_SUM] = "sum_state",
	[DP_AGGREGATE_MEAN] = "mean_state",
	[DP_AGGREGATE_MAX] = "max_point",
	[DP_AGGREGATE_MIN] = "min_point",
	[DP_AGGREGATE_MEDIAN] = "sample_points",
	[DP_AGGREGATE_MEDIAN_EXP] = "sample_points",
	[DP_AGGREGATE_QUANTILE] = "sample_points",
	[DP_AGGREGATE_QUANTILES] = "sample_points",
	[DP_AGGREGATE_VARIANCE] = "variance_state",
	[DP_AGGREGATE_MODE] = "sample_categories",
	[DP_AGGREGATE_STDDEV] = "variance_state",
	[DP_AGGREGATE_BOUNDS] = "sample_bins",
};

static Const *
integer(uint32 value)
{
	return makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
					 Int32GetDatum((int32) value), false, true);
}

/* The arguments of a call that is being put together. */
typedef struct Arguments
{
	List *entries;	/* of TargetEntry */
	List *types;	/* of the expressions */
	List *declared; /* the same, but for the polymorphic ones */
} Arguments;

static void
add_argument(Arguments *arguments, Node *expression)
{
	arguments->entries = lappend(
		arguments->entries,
		makeTargetEntry((Expr *) expression,
						(AttrNumber) (list_length(arguments->entries) + 1),
						NULL, false));
	arguments->types = lappend_oid(arguments->types, exprType(expression));
	arguments->declared =
		lappend_oid(arguments->declared, exprType(expression));
}

/* An argument in the place of a written one, and declared like that. */
static void
add_argument_like(Arguments *arguments, Node *expression, Aggref *aggref,
				  int place)
{
	Oid *types;
	int count;

	add_argument(arguments, expression);
	(void) get_func_signature(aggref->aggfnoid, &types, &count);
	if (place < count)
		lfirst_oid(list_tail(arguments->declared)) = types[place];
}

static DpAggregate
aggregate_of(Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);
	DpAggregate aggregate;

	if (name == NULL || !dp_call_aggregate_of(name, &aggregate))
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	return aggregate;
}

/* An argument of an aggregate as it was written; NULL when it was not. */
static Node *
argument_of(Aggref *aggref, int place)
{
	if (place >= list_length(aggref->args))
		return NULL;
	return (Node *) list_nth_node(TargetEntry, aggref->args, place)->expr;
}

/* True for one that was not written, or as null. */
static bool
is_null(Node *argument)
{
	return argument == NULL ||
		   (IsA(argument, Const) && ((Const *) argument)->constisnull);
}

/* It, or a null of that type. */
static void
copy_argument(Arguments *arguments, Aggref *aggref, int place, Oid type)
{
	Node *expression = argument_of(aggref, place);

	if (expression == NULL)
		add_argument(arguments, (Node *) makeNullConst(type, -1, InvalidOid));
	else
		add_argument_like(arguments, copyObject(expression), aggref, place);
}

/* A call of the aggregate of that name in the schema dp_noise. */
static Aggref *
make_aggregate(const char *name, const Arguments *arguments, Aggref *original)
{
	Aggref *result = makeNode(Aggref);
	Oid types[FUNC_MAX_ARGS];
	ListCell *cell;
	int count = 0;

	foreach (cell, arguments->declared)
		types[count++] = lfirst_oid(cell);
	if (name == of_rows[DP_AGGREGATE_COUNT])
		types[0] = ANYOID; /* counts values of any type */
	result->aggfnoid = LookupFuncName(
		list_make2(makeString("dp_noise"), makeString(pstrdup(name))), count,
		types, false);
	result->aggtype = get_func_rettype(result->aggfnoid);
	if (IsPolymorphicType(result->aggtype))
		result->aggtype = original->aggtype;
	result->inputcollid = original->inputcollid;
	result->aggargtypes = arguments->types;
	result->args = arguments->entries;
	result->aggkind = AGGKIND_NORMAL;
	result->aggsplit = AGGSPLIT_SIMPLE;
	result->aggno = -1;
	result->aggtransno = -1;
	result->location = original->location;
	return result;
}

/* True for a mode whose values are declared, in an array. */
static bool
has_categories(DpAggregate aggregate, Aggref *aggref)
{
	return aggregate == DP_AGGREGATE_MODE && list_length(aggref->args) > 1 &&
		   OidIsValid(get_base_element_type(lsecond_oid(aggref->aggargtypes)));
}

/* Number of an aggregate's data arguments: values, a fraction, bounds. */
static int
data_arguments(DpAggregate aggregate, Aggref *aggref)
{
	return dp_call_data_arguments(aggregate) +
		   (aggref->args == NIL
				? 0
				: dp_call_bounding_arguments(
					  aggregate, linitial_oid(aggref->aggargtypes))) +
		   (has_categories(aggregate, aggref) ? 1 : 0);
}

/*
 * The epsilon of budgets, unless the session has its own when the statement is
 * executed: like the setting it is read for the charge and for the noise, in
 * one execution, so both are of one epsilon.
 */
static Node *
epsilon_of_budgets(double epsilon)
{
	Oid types[1] = {FLOAT8OID};
	Node *by_budget =
		(Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
						   Float8GetDatum(epsilon), false, FLOAT8PASSBYVAL);
	Oid function = LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("asked_epsilon")), 1,
		types, false);

	return (Node *) makeFuncExpr(function, FLOAT8OID, list_make1(by_budget),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* An epsilon that may turn out to be null, or else another. */
static Node *
either(Node *epsilon, Node *otherwise)
{
	CoalesceExpr *result = makeNode(CoalesceExpr);

	result->coalescetype = FLOAT8OID;
	result->args = list_make2(epsilon, otherwise);
	result->location = -1;
	return (Node *) result;
}

/* An epsilon that the release finds when it is executed. */
static Node *
epsilon_of_release(int number)
{
	Param *epsilon = makeNode(Param);

	epsilon->paramkind = PARAM_EXTERN;
	epsilon->paramid = number;
	epsilon->paramtype = FLOAT8OID;
	epsilon->paramtypmod = -1;
	epsilon->location = -1;
	return (Node *) epsilon;
}

/* Epsilon and mechanism, the first after so many data arguments. */
static void
add_choice(Arguments *arguments, Aggref *aggref, int data,
		   DpOpenChoices choices)
{
	Node *epsilon = argument_of(aggref, data);

	if (choices.parameter > 0)
		add_argument(arguments, epsilon_of_release(choices.parameter));
	else if (choices.epsilon > 0 && is_null(epsilon))
		add_argument(arguments, epsilon_of_budgets(choices.epsilon));
	else if (choices.epsilon > 0 && list_length(aggref->args) > DP_CALL_CAP &&
			 aggregate_of(aggref) == DP_AGGREGATE_COUNT_DISTINCT)
		add_argument(arguments, either(copyObject(epsilon),
									   epsilon_of_budgets(choices.epsilon)));
	else
		copy_argument(arguments, aggref, data, FLOAT8OID);
	copy_argument(arguments, aggref, data + 1, TEXTOID);
}

static void
add_neighbours(Arguments *arguments, DpContribution contribution,
			   DpOpenChoices choices)
{
	add_argument(arguments, (Node *) integer(contribution.groups));
	add_argument(
		arguments,
		makeBoolConst(contribution.neighbours == DP_SUBSTITUTE, false));
	add_argument(arguments, makeBoolConst(choices.by_rho, false));
}

/* True for a number of different units, not of values. */
static bool
counts_units(DpAggregate aggregate, const Aggref *aggref)
{
	return aggregate == DP_AGGREGATE_COUNT_DISTINCT &&
		   list_length(aggref->args) <= DP_CALL_CAP;
}

/* How many values of a unit count: as it was written, or as its rows. */
static Node *
values_cap(Aggref *aggref, uint32 rows)
{
	Node *written = argument_of(aggref, DP_CALL_CAP);

	return is_null(written) ? (Node *) integer(rows) : copyObject(written);
}

bool
dp_gate_state_grows(Aggref *aggref)
{
	switch (aggregate_of(aggref))
	{
		case DP_AGGREGATE_COUNT_DISTINCT:
		case DP_AGGREGATE_MAX:
		case DP_AGGREGATE_MIN:
		case DP_AGGREGATE_MEDIAN:
		case DP_AGGREGATE_MEDIAN_EXP:
		case DP_AGGREGATE_QUANTILE:
		case DP_AGGREGATE_QUANTILES:
			return true;
		default:
			return false;
	}
}

bool
dp_gate_gives_sums(Aggref *aggref)
{
	return dp_noisy_sums_count(aggregate_of(aggref)) > 0;
}

static bool
is_sampled(DpAggregate aggregate)
{
	const char *name = partials[aggregate];

	return name != NULL && strncmp(name, "sample_", 7) == 0;
}

bool
dp_gate_samples_units(Aggref *aggref)
{
	return is_sampled(aggregate_of(aggref));
}

Aggref *
dp_gate_aggregate_of_rows(Aggref *aggref, DpContribution contribution,
						  DpOpenChoices choices)
{
	DpAggregate aggregate = aggregate_of(aggref);
	int data = data_arguments(aggregate, aggref);
	Arguments arguments = {NIL, NIL, NIL};
	Aggref *result;
	int place;

	if (aggref->args == NIL) /* dp_count(*) */
		add_argument(&arguments, (Node *) integer(1));
	else
		for (place = 0; place < data; place++)
			copy_argument(&arguments, aggref, place, InvalidOid);
	add_choice(&arguments, aggref, data, choices);
	add_neighbours(&arguments, contribution, choices);
	result = make_aggregate(of_rows[aggregate], &arguments, aggref);
	result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}

Aggref *
dp_gate_partial_of_unit(Aggref *aggref, DpContribution contribution)
{
	DpAggregate aggregate = aggregate_of(aggref);
	int first = dp_call_data_arguments(aggregate); /* bounds, categories */
	Arguments arguments = {NIL, NIL, NIL};
	Aggref *result;
	int place;

	if (aggregate == DP_AGGREGATE_COUNT || counts_units(aggregate, aggref))
	{
		/* count(*) or count(value) */
		result = copyObject(aggref);
		result->aggfnoid = aggref->args == NIL ? F_COUNT_ : F_COUNT_ANY;
		result->args = list_truncate(result->args, 1);
		result->aggargtypes = list_truncate(result->aggargtypes, 1);
		return result;
	}
	copy_argument(&arguments, aggref, 0, InvalidOid);
	for (place = first; place < data_arguments(aggregate, aggref); place++)
		copy_argument(&arguments, aggref, place, InvalidOid);
	if (is_sampled(aggregate))
		add_argument(&arguments, (Node *) integer(contribution.rows));
	result = make_aggregate(partials[aggregate], &arguments, aggref);
	result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}

Aggref *
dp_gate_aggregate_of_units(Aggref *aggref, Node *partial,
						   DpContribution contribution, DpOpenChoices choices)
{
	DpAggregate aggregate = aggregate_of(aggref);
	int data = data_arguments(aggregate, aggref);
	Arguments arguments = {NIL, NIL, NIL};
	bool units = counts_units(aggregate, aggref);
	bool counts = aggregate == DP_AGGREGATE_COUNT ||
				  aggregate == DP_AGGREGATE_COUNT_DISTINCT;
	Oid type = counts ? INT8OID : exprType(argument_of(aggref, 0));
	Node *value;
	int place;

	value = (Node *) makeNullConst(type, -1, InvalidOid);
	if (counts)
		add_argument(&arguments, value);
	else
		add_argument_like(&arguments, value, aggref, 0);
	for (place = 1; place < data; place++)
		copy_argument(&arguments, aggref, place, InvalidOid);
	add_choice(&arguments, aggref, data, choices);
	if (aggregate == DP_AGGREGATE_COUNT_DISTINCT && !units)
		add_argument(&arguments, values_cap(aggref, contribution.rows));
	else
		add_argument(&arguments,
					 (Node *) integer(units ? 1 : contribution.rows));
	add_neighbours(&arguments, contribution, choices);
	add_argument(&arguments, partial);
	return make_aggregate(of_units[units ? DP_AGGREGATE_COUNT : aggregate],
						  &arguments, aggref);
}

Aggref *
dp_gate_aggregate_of_pairs(Aggref *aggref, Node *unit,
						   DpContribution contribution, DpOpenChoices choices)
{
	Oid types[2] = {ANYOID, ANYOID};
	Node *value = argument_of(aggref, 0);
	Aggref *result;
	Oid function;

	if (aggregate_of(aggref) != DP_AGGREGATE_COUNT_DISTINCT ||
		counts_units(DP_AGGREGATE_COUNT_DISTINCT, aggref) ||
		!dp_pairs_take(getBaseType(exprType(unit))) ||
		!dp_pairs_take(getBaseType(exprType(value))))
		return NULL;
	function = LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("unit_and_value")), 2,
		types, false);
	result = dp_gate_aggregate_of_units(
		aggref,
		(Node *) makeFuncExpr(function, INT8OID,
							  list_make2(copyObject(unit), copyObject(value)),
							  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL),
		contribution, choices);
	result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}
