/*
 * bounded_values.c
 *		Goes through the values between bounds.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "gate/question/bounded_values.h"
#include "gate/question/calls.h"
#include "gate/question/compare_bytes.h"
#include "gate/question/pace.h"
#include "gate/question/protection.h"
#include "gate/question/stated_values.h"
#include "server/compat.h"
#include "server/ordered_type.h"

/* So many expressions that the time zone decides are values, and no more. */
#define ZONED_MAX 50000

/* A column with its bounds. */
typedef struct Bounded
{
	Var *column;
	Oid type; /* a base type */
	const DpOrderedType *ordered;
	Datum bounds[2]; /* numeric, as declared */
	bool has_numbers;
	int64 numbers[2]; /* of integers, dates and times: within the bounds */
	bool is_declared; /* by the owner */
	bool is_stated;	  /* by conditions of the question, at both ends */
	bool is_null_out; /* no null fulfils them */
} Bounded;

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * True where something is computed: a column that is cast to a wider type, or
 * chosen or not, is itself, and often has more values than anybody asks for.
 */
static bool
is_computed(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return dp_gate_can_be_null(node) ||
		   expression_tree_walker(node, is_computed, context);
}

/* The least or greatest integer of a type within a bound. */
static int64
number_within(Datum bound, bool is_upper, Oid type)
{
	double least = type == INT2OID	 ? PG_INT16_MIN
				   : type == INT4OID ? PG_INT32_MIN
									 : -9.2e18;
	double number = dp_numeric_to_double(bound);

	number = is_upper ? floor(number) : ceil(number);
	return (int64) fmin(fmax(number, least),
						is_integer(type) ? -least : 9.2e18);
}

/* How the bounds of a column are declared. */
static char *
declaration_of(Oid relation, AttrNumber column)
{
	char *name = DatumGetCString(
		DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation)));

	return psprintf("dp_noise.set_bounds(%s, %s, lower, upper)",
					quote_literal_cstr(name),
					quote_literal_cstr(get_attname(relation, column, false)));
}

/* What the owner declared as integers of the column's type. */
static void
find_declared_numbers(Bounded *bounded)
{
	int i;

	for (i = 0; i < 2; i++)
		bounded->numbers[i] =
			bounded->ordered != NULL
				? DatumGetInt64(
					  DirectFunctionCall1(numeric_int8, bounded->bounds[i]))
				: number_within(bounded->bounds[i], i == 1, bounded->type);
}

/* The same of both, what is stated and what is declared. */
static void
find_numbers(Bounded *bounded, const DpSubjects *subjects)
{
	int64 stated[2] = {0, 0};
	bool has_stated[2] = {false, false};

	if (!bounded->has_numbers)
		return;
	if (bounded->is_declared)
		find_declared_numbers(bounded);
	dp_gate_stated_bounds(bounded->column, bounded->ordered, subjects, stated,
						  has_stated);
	bounded->is_stated = has_stated[0] && has_stated[1];
	bounded->is_null_out = has_stated[0] || has_stated[1];
	if (has_stated[0] &&
		(!bounded->is_declared || stated[0] > bounded->numbers[0]))
		bounded->numbers[0] = stated[0];
	if (has_stated[1] &&
		(!bounded->is_declared || stated[1] < bounded->numbers[1]))
		bounded->numbers[1] = stated[1];
}

/* The bounds of a column; false without, and where it can have none. */
static bool
find_bounds(Var *column, const DpSubjects *subjects, Bounded *bounded,
			char **missing)
{
	Oid relation;
	AttrNumber number;

	memset(bounded, 0, sizeof(*bounded));
	bounded->column = column;
	bounded->type = getBaseType(column->vartype);
	bounded->ordered = dp_ordered_type(bounded->type);
	bounded->has_numbers =
		is_integer(bounded->type) || bounded->ordered != NULL;
	if ((!bounded->has_numbers && bounded->type != NUMERICOID &&
		 bounded->type != FLOAT4OID && bounded->type != FLOAT8OID) ||
		!dp_gate_declared_origin(subjects, column, &relation, &number))
		return false;
	bounded->is_declared =
		dp_gate_bounds(relation, number, bounded->type, &bounded->bounds[0],
					   &bounded->bounds[1]);
	find_numbers(bounded, subjects);
	if (bounded->is_declared || bounded->is_stated)
		return true;
	*missing = declaration_of(relation, number);
	return false;
}

/* A number as a value of the column. */
static Datum
value_of(const Bounded *bounded, int64 number)
{
	if (bounded->ordered != NULL)
		return dp_ordered_value(bounded->ordered, number);
	return bounded->type == INT2OID	  ? Int16GetDatum((int16) number)
		   : bounded->type == INT4OID ? Int32GetDatum((int32) number)
									  : Int64GetDatum(number);
}

static Const *
constant_of(Oid type, int32 typmod, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, typmod, get_typcollation(type), length, value, false,
					 by_value);
}

typedef struct Replacement
{
	const Var *column;
	Node *value;
} Replacement;

static Node *
replace(Node *node, void *context)
{
	const Replacement *replacement = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) copyObject(replacement->value);
	return expression_tree_mutator(node, replace, context);
}

/* The expression as it is computed for a row, of a value in the column's place. */
static Node *
image_of(Node *expression, const Var *column, Node *value)
{
	Replacement replacement = {column, value};
	Node *image = replace(expression, &replacement);

	image = dp_gate_wrap_expression(image);
	dp_gate_compare_bytes_of(image);
	return image;
}

/* The steps in which a column is gone through; false where they are too many. */
static bool
find_steps(const Bounded *bounded, DpPace pace, int64 *step, int64 *last,
		   int64 most)
{
	int64 unit = bounded->ordered != NULL && bounded->ordered->in_days
					 ? USECS_PER_DAY
					 : 1;
	dp_int128 span = (dp_int128) bounded->numbers[1] - bounded->numbers[0];

	if (!bounded->has_numbers || span < 0)
		return false;
	if (bounded->ordered == NULL)
		pace = (DpPace){0, 0};

	/* A day is an hour shorter where clocks go forward. */
	if (bounded->type == TIMESTAMPTZOID && pace.step >= USECS_PER_DAY)
		pace.step -= USECS_PER_HOUR;
	*step = Max(pace.step / unit, 1);
	if (pace.period > 0 && span > pace.period / unit)
		span = pace.period / unit + 1;
	*last = bounded->numbers[0] + (int64) span;
	return span / *step < most - 2; /* the last value, and null */
}

/* What is collected: each value once, where it follows the same one. */
typedef struct Images
{
	List *values;
	bool has_null;
	Oid type;
	int32 typmod;
	int16 length;
	bool by_value;
} Images;

static void
add_image(Images *images, Datum value, bool isnull)
{
	images->has_null |= isnull;
	if (isnull)
		return;
	if (images->values != NIL &&
		datumIsEqual(llast_node(Const, images->values)->constvalue, value,
					 images->by_value, images->length))
		return;
	images->values = lappend(
		images->values,
		constant_of(images->type, images->typmod,
					datumCopy(value, images->by_value, images->length)));
}

/* Evaluates an expression for each value, a parameter in the column's place. */
static void
compute_values(Node *expression, const Bounded *bounded, int64 step, int64 last,
			   Images *images)
{
	ParamListInfo values = makeParamList(1);
	Param *place = makeNode(Param);
	EState *executor = CreateExecutorState();
	ExprContext *context = CreateExprContext(executor);
	int64 number = bounded->numbers[0];
	ExprState *state;
	MemoryContext old;

	place->paramkind = PARAM_EXTERN;
	place->paramid = 1;
	place->paramtype = bounded->type;
	place->paramtypmod = -1;
	place->paramcollid = InvalidOid;
	place->location = -1;
	values->params[0].ptype = bounded->type;
	values->params[0].pflags = 0;
	values->params[0].isnull = false;
	context->ecxt_param_list_info = values;

	old = MemoryContextSwitchTo(executor->es_query_cxt);
	state = ExecInitExprWithParams(
		(Expr *) expression_planner(
			(Expr *) image_of(expression, bounded->column, (Node *) place)),
		values);
	MemoryContextSwitchTo(old);
	for (;;)
	{
		Datum value;
		bool isnull;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(context);
		old = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
		values->params[0].value = value_of(bounded, number);
		value = ExecEvalExpr(state, context, &isnull);
		MemoryContextSwitchTo(old);
		add_image(images, value, isnull);
		if (number >= last)
			break;
		number = last - number > step ? number + step : last;
	}
	FreeExecutorState(executor);
}

/* The same where the time zone decides: expressions, for each execution. */
static void
make_values(Node *expression, const Bounded *bounded, int64 step, int64 last,
			Images *images)
{
	int64 number = bounded->numbers[0];

	for (;;)
	{
		Const *value =
			constant_of(bounded->type, -1, value_of(bounded, number));

		CHECK_FOR_INTERRUPTS();
		images->values =
			lappend(images->values,
					image_of(expression, bounded->column, (Node *) value));
		if (number >= last)
			break;
		number = last - number > step ? number + step : last;
	}
	images->has_null = true;
}

/* Functions that round a number, and the place of how many decimals are kept. */
static const struct
{
	const char *name;
	int arguments;
} roundings[] = {
	{"floor", 1},		 {"ceil", 1},	  {"ceiling", 1},
	{"round", 1},		 {"trunc", 1},	  {"round", 2},
	{"trunc", 2},		 {"int2", 1},	  {"int4", 1},
	{"int8", 1},		 {"div", 2},	  {"numeric_div_trunc", 2},
	{"int2div", 2},		 {"int4div", 2},  {"int8div", 2},
	{"int24div", 2},	 {"int42div", 2}, {"int28div", 2},
	{"int82div", 2},	 {"int48div", 2}, {"int84div", 2},
	{"width_bucket", 4},
};

/* A call of the server's own; NULL: it is none. */
static const char *
name_of_call(Node *node, List **args)
{
	Oid function = InvalidOid;

	if (IsA(node, FuncExpr))
	{
		function = ((FuncExpr *) node)->funcid;
		*args = ((FuncExpr *) node)->args;
	}
	else if (IsA(node, OpExpr))
	{
		function = ((OpExpr *) node)->opfuncid;
		*args = ((OpExpr *) node)->args;
	}
	return OidIsValid(function) && function < FirstNormalObjectId
			   ? get_func_name(function)
			   : NULL;
}

static bool
is_constant(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull;
}

static bool
is_rounding(const char *name, int arguments)
{
	size_t i;

	for (i = 0; i < lengthof(roundings); i++)
	{
		if (strcmp(roundings[i].name, name) == 0 &&
			roundings[i].arguments == arguments)
			return true;
	}
	return false;
}

/* True for a function that only grows, or only falls, with the column. */
static bool
is_monotone(Node *node)
{
	static const char *const operators[] = {"+", "-", "*", "/"};
	List *args = NIL;
	const char *name;
	char *operator;
	size_t i;

	if (IsA(node, Var))
		return true;
	if (IsA(node, RelabelType))
		return is_monotone((Node *) ((RelabelType *) node)->arg);
	name = name_of_call(node, &args);
	if (name == NULL || args == NIL)
		return false;
	if (list_length(args) == 1)
		return is_monotone(linitial(args)) &&
			   (is_rounding(name, 1) || strcmp(name, "numeric") == 0 ||
				strcmp(name, "float4") == 0 || strcmp(name, "float8") == 0);
	if (strcmp(name, "width_bucket") == 0)
		return list_length(args) == 4 && is_constant(lsecond(args)) &&
			   is_constant(lthird(args)) && is_constant(lfourth(args)) &&
			   is_monotone(linitial(args));
	if (list_length(args) != 2)
		return false;
	if (is_rounding(name, 2) || strcmp(name, "numeric") == 0)
		return is_constant(lsecond(args)) && is_monotone(linitial(args));
	operator= IsA(node, OpExpr) ? get_opname(((OpExpr *) node)->opno) : NULL;
	for (i = 0; operator!= NULL && i<lengthof(operators); i++)
	{
		if (strcmp(operator, operators[i]) != 0)
			continue;
		if (is_constant(lsecond(args)))
			return is_monotone(linitial(args));
		return i < 3 && is_constant(linitial(args)) &&
			   is_monotone(lsecond(args));
	}
	return false;
}

/* What numbers are rounded to: the last of so many decimals. */
static bool
decimals_of(Node *node, int *decimals)
{
	List *args = NIL;
	const char *name = name_of_call(node, &args);
	Const *places;

	if (name == NULL || args == NIL || !is_rounding(name, list_length(args)) ||
		!is_monotone(node))
		return false;
	*decimals = 0;
	if (strcmp(name, "round") != 0 && strcmp(name, "trunc") != 0)
		return true;
	if (list_length(args) == 1)
		return true;
	places = lsecond_node(Const, args);
	*decimals = DatumGetInt32(places->constvalue);
	return abs(*decimals) <= 12;
}

/* A multiple of 10^-decimals as a value of a type of numbers. */
static Datum
rounded_value(Oid type, int64 number, int decimals)
{
	Datum value;

	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) number);
		case INT4OID:
			return Int32GetDatum((int32) number);
		case INT8OID:
			return Int64GetDatum(number);
		case FLOAT4OID:
			return Float4GetDatum((float4) number);
		case FLOAT8OID:
			return Float8GetDatum((float8) number);
		default:
			break;
	}
	value = NumericGetDatum(int64_to_numeric(number));
	if (decimals == 0)
		return value;
	value = DirectFunctionCall2(
		numeric_mul, value,
		DirectFunctionCall2(numeric_power,
							NumericGetDatum(int64_to_numeric(10)),
							NumericGetDatum(int64_to_numeric(-decimals))));
	return DirectFunctionCall2(numeric_round, value,
							   Int32GetDatum(Max(decimals, 0)));
}

/* A number of any of the types, in steps of 10^-decimals; false for others. */
static bool
number_of(Node *node, int decimals, int64 *number)
{
	Const *constant = (Const *) node;
	double value;

	if (!is_constant(node))
		return false;
	switch (constant->consttype)
	{
		case INT2OID:
			value = DatumGetInt16(constant->constvalue);
			break;
		case INT4OID:
			value = DatumGetInt32(constant->constvalue);
			break;
		case INT8OID:
			value = (double) DatumGetInt64(constant->constvalue);
			break;
		case FLOAT4OID:
			value = DatumGetFloat4(constant->constvalue);
			break;
		case FLOAT8OID:
			value = DatumGetFloat8(constant->constvalue);
			break;
		case NUMERICOID:
			value = dp_numeric_to_double(constant->constvalue);
			break;
		default:
			return false;
	}
	value = rint(value * pow(10, decimals));
	*number = (int64) fmin(fmax(value, -4e18), 4e18);
	return fabs(value) < 4e18;
}

/* A declared bound as a value of the column. */
static Const *
bound_of(const Bounded *bounded, int place)
{
	Datum value = bounded->bounds[place];

	if (bounded->has_numbers)
		value = value_of(bounded, bounded->numbers[place]);
	else if (bounded->type == FLOAT8OID)
		value = Float8GetDatum(dp_numeric_to_double(value));
	else if (bounded->type == FLOAT4OID)
		value = Float4GetDatum((float4) dp_numeric_to_double(value));
	return constant_of(bounded->type, -1, value);
}

/* What a monotone expression makes of the bounds. */
static bool
find_ends(Node *expression, const Bounded *bounded, int decimals, int64 ends[2])
{
	int i;

	for (i = 0; i < 2; i++)
	{
		Node *image = image_of(expression, bounded->column,
							   (Node *) bound_of(bounded, i));

		if (!number_of(eval_const_expressions(NULL, image), decimals, &ends[i]))
			return false;
	}
	return true;
}

/* What is left by a division: less than the divisor, with the number's sign. */
static bool
find_rest(Node *expression, const Bounded *bounded, int64 ends[2])
{
	List *args = NIL;
	const char *name = name_of_call(expression, &args);
	int64 signs[2];
	int64 divisor;

	if (name == NULL || list_length(args) != 2 || !is_integer(bounded->type) ||
		(strcmp(name, "mod") != 0 && strcmp(name, "int2mod") != 0 &&
		 strcmp(name, "int4mod") != 0 && strcmp(name, "int8mod") != 0) ||
		!is_integer(exprType(expression)) || !is_monotone(linitial(args)) ||
		!number_of(lsecond(args), 0, &divisor) || divisor == 0 ||
		!find_ends(linitial(args), bounded, 0, signs))
		return false;
	divisor = divisor < 0 ? -divisor : divisor;
	ends[0] = Min(signs[0], signs[1]) < 0 ? 1 - divisor : 0;
	ends[1] = Max(signs[0], signs[1]) > 0 ? divisor - 1 : 0;
	return true;
}

/* All that lies between what the bounds are rounded to. */
static bool
round_values(Node *expression, const Bounded *bounded, Images *images)
{
	int64 ends[2];
	int decimals = 0;
	int64 number;

	if (!find_rest(expression, bounded, ends) &&
		(!decimals_of(expression, &decimals) ||
		 !find_ends(expression, bounded, decimals, ends)))
		return false;
	if (Max(ends[0], ends[1]) - Min(ends[0], ends[1]) >= DP_BOUNDED_MAX - 2)
		return false;
	for (number = Min(ends[0], ends[1]); number <= Max(ends[0], ends[1]);
		 number++)
	{
		CHECK_FOR_INTERRUPTS();
		add_image(images, rounded_value(images->type, number, decimals), false);
	}
	return true;
}

static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) ||
		   expression_tree_walker(node, has_parameter, context);
}

static bool
has_execution_constant(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return dp_gate_is_execution_constant(node) ||
		   expression_tree_walker(node, has_execution_constant, context);
}

bool
dp_gate_bounded_values(Node *expression, const DpSubjects *subjects,
					   List **result, bool *is_nullable, bool *is_stated,
					   char **missing)
{
	Bounded bounded;
	Images images = {.type = exprType(expression),
					 .typmod = exprTypmod(expression)};
	Var *column;
	DpPace pace = dp_gate_pace_of(expression, &column);
	bool is_zoned = dp_gate_depends_on_zone(expression);
	bool is_whole = !is_computed(expression, NULL);
	int64 step;
	int64 last;

	*missing = NULL;
	if (column == NULL || !find_bounds(column, subjects, &bounded, missing) ||
		(is_whole && !bounded.is_stated))
	{
		if (is_whole)
			*missing = NULL;
		return false;
	}
	get_typlenbyval(images.type, &images.length, &images.by_value);
	if (!round_values(expression, &bounded, &images))
	{
		if (has_parameter(expression, NULL) ||
			!find_steps(&bounded, pace, &step, &last,
						is_zoned ? ZONED_MAX : DP_BOUNDED_MAX))
			return false;
		if (is_zoned)
			make_values(expression, &bounded, step, last, &images);
		else if (has_execution_constant(expression, NULL))
			return false;
		else
			compute_values(expression, &bounded, step, last, &images);
	}
	if ((is_whole || !bounded.is_declared) &&
		list_length(images.values) > DP_STATED_MAX)
		return false;
	*is_stated = bounded.is_stated;
	*result = images.values;
	*is_nullable =
		images.has_null ||
		!(bounded.is_null_out || dp_gate_is_never_null(subjects, column));
	return true;
}
