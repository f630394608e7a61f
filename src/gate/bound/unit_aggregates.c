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
#include "gate/bound/unit_aggregates.h"
#include "gate/relations/private_aggregates.h"

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
				  int argno)
{
	Oid *types;
	int count;

	add_argument(arguments, expression);
	(void) get_func_signature(aggref->aggfnoid, &types, &count);
	if (argno < count)
		lfirst_oid(list_tail(arguments->declared)) = types[argno];
}

/* An argument of an aggregate as it was written; NULL when it was not. */
static Node *
argument_of(Aggref *aggref, int argno)
{
	if (argno >= list_length(aggref->args))
		return NULL;
	return (Node *) list_nth_node(TargetEntry, aggref->args, argno)->expr;
}

/* True for an argument that was not written, or is null. */
static bool
is_null(Node *argument)
{
	return argument == NULL ||
		   (IsA(argument, Const) && ((Const *) argument)->constisnull);
}

/* Adds an argument as it was written, or a null of that type. */
static void
copy_argument(Arguments *arguments, Aggref *aggref, int argno, Oid type)
{
	Node *expression = argument_of(aggref, argno);

	if (expression == NULL)
		add_argument(arguments, (Node *) makeNullConst(type, -1, InvalidOid));
	else
		add_argument_like(arguments, copyObject(expression), aggref, argno);
}

/* A call of the aggregate of that name in the schema dp_noise. */
static Aggref *
make_aggregate(const char *name, const Arguments *arguments,
			   const Aggref *original)
{
	Aggref *result = makeNode(Aggref);
	Oid types[FUNC_MAX_ARGS];
	ListCell *cell;
	int count = 0;

	foreach (cell, arguments->declared)
		types[count++] = lfirst_oid(cell);
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

/* True where the categories are declared, in an array. */
static bool
has_categories(const DpAggregateTraits *traits, Aggref *aggref)
{
	return traits->own == DP_OWN_CATEGORIES && list_length(aggref->args) > 1 &&
		   OidIsValid(get_base_element_type(lsecond_oid(aggref->aggargtypes)));
}

/* Number of an aggregate's data arguments: values, a fraction, bounds. */
static int
data_arguments(const DpAggregateTraits *traits, Aggref *aggref)
{
	return dp_aggregate_data_arguments(traits) +
		   (aggref->args == NIL
				? 0
				: dp_aggregate_bounding_arguments(
					  traits, linitial_oid(aggref->aggargtypes))) +
		   (has_categories(traits, aggref) ? 1 : 0);
}

/* True for a number of different values: it has a cap as an argument. */
static bool
counts_values(const DpAggregateTraits *traits, const Aggref *aggref)
{
	return traits->takes_cap && list_length(aggref->args) > DP_CALL_CAP;
}

/* True for a number of different units. */
static bool
counts_units(const DpAggregateTraits *traits, const Aggref *aggref)
{
	return traits->takes_cap && !counts_values(traits, aggref);
}

/*
 * The default epsilon of budgets, unless the session has its own when the
 * statement is executed. Charge and noise both read it in the same execution,
 * so they use the same epsilon.
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

/* What may turn out to be null, or else another of its type. */
static Node *
either(Node *value, Node *otherwise)
{
	CoalesceExpr *result = makeNode(CoalesceExpr);

	result->coalescetype = exprType(value);
	result->coalescecollid = exprCollation(value);
	result->args = list_make2(value, otherwise);
	result->location = -1;
	return (Node *) result;
}

/* A value that the release finds when it is executed. */
static Node *
value_of_release(int number, Oid type)
{
	Param *value = makeNode(Param);

	value->paramkind = PARAM_EXTERN;
	value->paramid = number;
	value->paramtype = type;
	value->paramtypmod = -1;
	value->paramcollid = get_typcollation(type);
	value->location = -1;
	return (Node *) value;
}

static void
add_mechanism(Arguments *arguments, Aggref *aggref, int argno, int parameter)
{
	Node *written = argument_of(aggref, argno);
	Node *value;

	if (parameter == 0)
	{
		copy_argument(arguments, aggref, argno, TEXTOID);
		return;
	}
	value = value_of_release(parameter, TEXTOID);
	add_argument(arguments,
				 is_null(written) ? value : either(value, copyObject(written)));
}

/* Epsilon and mechanism, the first after this many data arguments. */
static void
add_choice(Arguments *arguments, Aggref *aggref, int data,
		   DpOpenChoices choices)
{
	Node *epsilon = argument_of(aggref, data);

	if (choices.parameter > 0)
		add_argument(arguments, value_of_release(choices.parameter, FLOAT8OID));
	else if (choices.epsilon > 0 && is_null(epsilon))
		add_argument(arguments, epsilon_of_budgets(choices.epsilon));
	else if (choices.epsilon > 0 &&
			 counts_values(dp_private_aggregates_traits(aggref), aggref))
		add_argument(arguments, either(copyObject(epsilon),
									   epsilon_of_budgets(choices.epsilon)));
	else
		copy_argument(arguments, aggref, data, FLOAT8OID);
	add_mechanism(arguments, aggref, data + 1, choices.mechanism);
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

/* How many values of a unit count: as it was written, or as its rows. */
static Node *
values_cap(Aggref *aggref, uint32 rows)
{
	Node *written = argument_of(aggref, DP_CALL_CAP);

	return is_null(written) ? (Node *) integer(rows) : copyObject(written);
}

Aggref *
dp_unit_aggregates_of_rows(Aggref *aggref, DpContribution contribution,
						   DpOpenChoices choices)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	int data = data_arguments(traits, aggref);
	Arguments arguments = {NIL, NIL, NIL};
	Aggref *result;
	int argno;

	if (aggref->args == NIL) /* dp_count(*) */
	{
		add_argument(&arguments, (Node *) integer(1));
		linitial_oid(arguments.declared) = traits->counted_as;
	}
	else
		for (argno = 0; argno < data; argno++)
			copy_argument(&arguments, aggref, argno, InvalidOid);
	add_choice(&arguments, aggref, data, choices);
	add_neighbours(&arguments, contribution, choices);
	result = make_aggregate(traits->of_rows, &arguments, aggref);
	result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}

Aggref *
dp_unit_aggregates_partial(Aggref *aggref, DpContribution contribution)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	int values = dp_aggregate_values(traits);
	Arguments arguments = {NIL, NIL, NIL};
	Aggref *result;
	int argno;

	if (traits->partial == NULL || counts_units(traits, aggref))
	{
		/* count(*) or count(value) */
		result = copyObject(aggref);
		result->aggfnoid = aggref->args == NIL ? F_COUNT_ : F_COUNT_ANY;
		result->args = list_truncate(result->args, 1);
		result->aggargtypes = list_truncate(result->aggargtypes, 1);
		return result;
	}
	/* Without fractions, but with bounds and categories. */
	for (argno = 0; argno < data_arguments(traits, aggref); argno++)
	{
		if (argno < values || argno >= dp_aggregate_data_arguments(traits))
			copy_argument(&arguments, aggref, argno, InvalidOid);
	}
	if (traits->samples_units)
		add_argument(&arguments, (Node *) integer(contribution.rows));
	result = make_aggregate(traits->partial, &arguments, aggref);
	result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}

bool
dp_unit_aggregates_hold_values(const Aggref *partial)
{
	const char *name = get_func_name(partial->aggfnoid);

	return name != NULL && (strncmp(name, "sample_", 7) == 0 ||
							strcmp(name, "different_values") == 0 ||
							strcmp(name, "sum_distinct_points") == 0 ||
							strcmp(name, "mean_distinct_points") == 0);
}

Aggref *
dp_unit_aggregates_of_units(Aggref *aggref, Node *partial,
							DpContribution contribution, DpOpenChoices choices)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	int data = data_arguments(traits, aggref);
	Arguments arguments = {NIL, NIL, NIL};
	bool units = counts_units(traits, aggref);
	bool counts = OidIsValid(traits->counted_as);
	int values = dp_aggregate_values(traits);
	int argno;

	for (argno = 0; argno < values; argno++)
	{
		Oid type = counts ? INT8OID : exprType(argument_of(aggref, argno));
		Node *value = (Node *) makeNullConst(type, -1, InvalidOid);

		if (counts)
			add_argument(&arguments, value);
		else
			add_argument_like(&arguments, value, aggref, argno);
	}
	for (argno = values; argno < data; argno++)
		copy_argument(&arguments, aggref, argno, InvalidOid);
	add_choice(&arguments, aggref, data, choices);
	if (counts_values(traits, aggref))
		add_argument(&arguments, values_cap(aggref, contribution.rows));
	else if (choices.cap > 0 && !units)
		add_argument(&arguments, value_of_release(choices.cap, INT4OID));
	else
		add_argument(&arguments,
					 (Node *) integer(units ? 1 : contribution.rows));
	add_neighbours(&arguments, contribution, choices);
	add_argument(&arguments, partial);
	if (units) /* each is counted once */
		traits = dp_aggregate_get(DP_AGGREGATE_COUNT);
	return make_aggregate(traits->of_units, &arguments, aggref);
}

Aggref *
dp_unit_aggregates_of_pairs(Aggref *aggref, Node *unit,
							DpContribution contribution, DpOpenChoices choices)
{
	Oid types[2] = {ANYOID, ANYOID};
	Node *value = argument_of(aggref, 0);
	Aggref *result;
	Oid function;

	if (!counts_values(dp_private_aggregates_traits(aggref), aggref) ||
		!dp_pairs_take(getBaseType(exprType(unit))) ||
		!dp_pairs_take(getBaseType(exprType(value))))
		return NULL;
	function = LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("unit_and_value")), 2,
		types, false);
	result = dp_unit_aggregates_of_units(
		aggref,
		(Node *) makeFuncExpr(function, INT8OID,
							  list_make2(copyObject(unit), copyObject(value)),
							  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL),
		contribution, choices);
	result->aggfilter = copyObject(aggref->aggfilter);
	return result;
}

Aggref *
dp_unit_aggregates_of_parts(const DpAggregateTraits *traits, Aggref *aggref,
							Node *sum, Node *count)
{
	bool counts = OidIsValid(traits->counted_as);
	int data = data_arguments(traits, aggref);
	int argno = data + 2;
	Arguments arguments = {NIL, NIL, NIL};
	Node *value = (Node *) makeNullConst(
		counts ? INT8OID : exprType(argument_of(aggref, 0)), -1, InvalidOid);
	int i;

	if (counts)
		add_argument(&arguments, value);
	else
		add_argument_like(&arguments, value, aggref, 0);
	for (i = 1; i < argno; i++)
		copy_argument(&arguments, aggref, i, InvalidOid);
	if (list_length(aggref->args) - argno > 3) /* rows, and a partial result */
		copy_argument(&arguments, aggref, argno++, INT4OID);
	else
		add_argument(&arguments,
					 (Node *) makeNullConst(INT4OID, -1, InvalidOid));
	for (i = 0; i < 3; i++)
		copy_argument(&arguments, aggref, argno + i, InvalidOid);
	add_argument(
		&arguments,
		sum != NULL ? sum : (Node *) makeNullConst(NUMERICOID, -1, InvalidOid));
	add_argument(&arguments, count);
	return make_aggregate(traits->of_parts, &arguments, aggref);
}

Aggref *
dp_unit_aggregates_of_points(const DpAggregateTraits *traits, Aggref *aggref,
							 Node *number)
{
	Arguments arguments = {NIL, NIL, NIL};
	int argno;

	for (argno = 0; argno < list_length(aggref->args); argno++)
		copy_argument(&arguments, aggref, argno, InvalidOid);
	add_argument(&arguments, number);
	return make_aggregate(traits->of_points, &arguments, aggref);
}

Aggref *
dp_unit_aggregates_partial_of_parts(const DpAggregateTraits *traits,
									const Aggref *partial, Node *sum,
									Node *count)
{
	Arguments arguments = {NIL, NIL, NIL};

	if (sum != NULL)
		add_argument(&arguments, sum);
	add_argument(&arguments, count);
	return make_aggregate(traits->partial_of_parts, &arguments, partial);
}
