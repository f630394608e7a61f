/*
 * between.c
 *		Goes through the values between bounds.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/between.h"
#include "gate/facts/pace.h"
#include "gate/facts/rounded.h"
#include "gate/facts/stated.h"
#include "gate/tree/functions.h"
#include "server/compat.h"
#include "server/ordered_type.h"

/* The most values that are visited and released. */
#define MOST 1000000

/* The most that are computed once more in each execution. */
#define MOST_ZONED 50000

/* More than these between stated bounds are better found in the data. */
#define MOST_STATED 1000

/* A column with both bounds: declared ones, narrowed by those of conditions. */
typedef struct Bounds
{
	Oid type; /* a base type */
	const DpOrderedType *ordered;
	bool is_stated;	  /* conditions state both */
	bool is_nullable; /* they leave null in */
	bool has_numbers;
	int64 numbers[2]; /* of integers, dates and times: within the bounds */
	Datum ends[2];	  /* the bounds as values of the column */
} Bounds;

/* What is collected. */
typedef struct Images
{
	DpType type;
	List *values; /* each once, where it follows the same one */
	bool has_null;
} Images;

/*
 * Bounds
 */

/* How the bounds of a column are declared. */
static const char *
declaration_of(Oid relation, AttrNumber column)
{
	char *name = DatumGetCString(
		DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation)));

	return psprintf("dp_noise.set_bounds(%s, %s, lower, upper)",
					quote_literal_cstr(name),
					quote_literal_cstr(get_attname(relation, column, false)));
}

/* The least or greatest integer within a bound. */
static int64
number_within(Datum bound, bool is_upper)
{
	bound = DirectFunctionCall1(is_upper ? numeric_floor : numeric_ceil, bound);
	bound = DirectFunctionCall2(
		numeric_larger, bound, NumericGetDatum(int64_to_numeric(PG_INT64_MIN)));
	bound =
		DirectFunctionCall2(numeric_smaller, bound,
							NumericGetDatum(int64_to_numeric(PG_INT64_MAX)));
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, bound));
}

/* One end of what can be counted. Bounds may be those of a wider type. */
static void
set_number(Bounds *bounds, int end, const DpColumnFact *fact,
		   const DpStatedBounds *stated)
{
	int64 most = bounds->type == INT2OID   ? PG_INT16_MAX
				 : bounds->type == INT4OID ? PG_INT32_MAX
										   : PG_INT64_MAX;
	int64 number = stated->numbers[end];

	if (fact->has_bounds)
	{
		number = number_within(end == 0 ? fact->lower : fact->upper, end == 1);
		if (stated->has[end])
			number = end == 0 ? Max(number, stated->numbers[end])
							  : Min(number, stated->numbers[end]);
	}
	bounds->numbers[end] = Min(Max(number, -most - 1), most);
	bounds->ends[end] = dp_arithmetic_value(bounds->type, bounds->numbers[end]);
}

/* False without bounds; then how they are declared may be missing. */
static bool
find_bounds(const DpNode *rows, const DpColumnFact *fact, const DpExpr *column,
			Bounds *bounds, const char **missing)
{
	DpStatedBounds stated = dp_stated_bounds(rows, column);
	int end;

	bounds->type = getBaseType(column->type.oid);
	bounds->ordered = dp_ordered_type(bounds->type);
	bounds->has_numbers = dp_stated_can_bound(bounds->type);
	bounds->is_stated = stated.has[0] && stated.has[1];
	bounds->is_nullable = fact->may_be_null && !stated.has[0] && !stated.has[1];
	if (!dp_range_can_have_bounds(bounds->type))
		return false;
	if (!fact->has_bounds && !bounds->is_stated)
	{
		if (OidIsValid(fact->relation))
			*missing = declaration_of(fact->relation, fact->attribute);
		return false;
	}
	for (end = 0; end < 2; end++)
	{
		Datum declared = end == 0 ? fact->lower : fact->upper;

		if (bounds->has_numbers)
			set_number(bounds, end, fact, &stated);
		else
			bounds->ends[end] =
				bounds->type == FLOAT8OID
					? Float8GetDatum(dp_numeric_to_double(declared))
				: bounds->type == FLOAT4OID
					? Float4GetDatum((float4) dp_numeric_to_double(declared))
					: declared;
	}
	return true;
}

/*
 * Values that are computed one by one
 */

/* The numbers of a column's values that are visited. */
typedef struct Steps
{
	int64 first;
	int64 step;
	int64 last; /* is visited, too */
} Steps;

/* False where they are too many. */
static bool
find_steps(const Bounds *bounds, DpPace pace, int64 most, Steps *steps)
{
	int64 unit =
		bounds->ordered != NULL && bounds->ordered->in_days ? USECS_PER_DAY : 1;
	dp_int128 span = (dp_int128) bounds->numbers[1] - bounds->numbers[0];

	if (!bounds->has_numbers || span < 0)
		return false;
	if (bounds->ordered == NULL)
		pace = (DpPace){0, 0};

	/* A day is an hour shorter where clocks go forward. */
	if (bounds->type == TIMESTAMPTZOID && pace.step >= USECS_PER_DAY)
		pace.step -= USECS_PER_HOUR;
	steps->first = bounds->numbers[0];
	steps->step = Max(pace.step / unit, 1);
	steps->last = bounds->numbers[1];
	if (pace.period > 0 && span > pace.period / unit)
	{
		span = pace.period / unit + 1;
		steps->last = steps->first + (int64) span;
	}
	return span / steps->step < most - 2; /* the last value, and null */
}

/* Goes on to the next number; false after the last. */
static bool
go_on(const Steps *steps, int64 *number)
{
	CHECK_FOR_INTERRUPTS();
	if (*number >= steps->last)
		return false;
	*number = *number < steps->last - steps->step ? *number + steps->step
												  : steps->last;
	return true;
}

static void
add_image(Images *images, Datum value, bool isnull)
{
	int16 length;
	bool by_value;

	images->has_null |= isnull;
	if (isnull)
		return;
	get_typlenbyval(images->type.oid, &length, &by_value);
	if (images->values == NIL ||
		!datumIsEqual(llast_node(Const, images->values)->constvalue, value,
					  by_value, length))
		images->values = lappend(
			images->values,
			dp_arithmetic_constant(images->type.oid, images->type.typmod,
								   datumCopy(value, by_value, length)));
}

/* Evaluates an expression for each value, a parameter in the column's place. */
static void
compute_values(const DpExpr *expr, const Bounds *bounds, const Steps *steps,
			   Images *images)
{
	ParamListInfo values = makeParamList(1);
	Param *param = makeNode(Param);
	EState *executor = CreateExecutorState();
	ExprContext *context = CreateExprContext(executor);
	int64 number = steps->first;
	ExprState *state;
	MemoryContext old;

	param->paramkind = PARAM_EXTERN;
	param->paramid = 1;
	param->paramtype = values->params[0].ptype = bounds->type;
	param->paramtypmod = -1;
	param->location = -1;
	values->params[0].pflags = 0;
	values->params[0].isnull = false;
	context->ecxt_param_list_info = values;

	old = MemoryContextSwitchTo(executor->es_query_cxt);
	state = ExecInitExprWithParams(
		expression_planner((Expr *) dp_arithmetic_image(expr, (Node *) param)),
		values);
	MemoryContextSwitchTo(old);
	do
	{
		Datum value;
		bool isnull;

		ResetExprContext(context);
		old = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
		values->params[0].value = dp_arithmetic_value(bounds->type, number);
		value = ExecEvalExpr(state, context, &isnull);
		MemoryContextSwitchTo(old);
		add_image(images, value, isnull);
	} while (go_on(steps, &number));
	FreeExecutorState(executor);
}

/*
 * The same where the time zone decides: expressions, for each execution, which
 * then finds whether one of them is null.
 */
static void
make_values(const DpExpr *expr, const Bounds *bounds, const Steps *steps,
			Images *images)
{
	int64 number = steps->first;

	do
	{
		Const *value = dp_arithmetic_constant(
			bounds->type, -1, dp_arithmetic_value(bounds->type, number));

		images->values =
			lappend(images->values, dp_arithmetic_image(expr, (Node *) value));
	} while (go_on(steps, &number));
}

/*
 * All of them
 */

/* All rounded values between the rounded bounds. */
static bool
round_values(const DpExpr *expr, const Bounds *bounds, Images *images)
{
	int decimals;
	int64 ends[2];
	int64 number;

	if (!dp_rounded_ends(expr, bounds->type, bounds->ends, ends, &decimals) ||
		ends[1] - ends[0] >= MOST - 2)
		return false;
	for (number = ends[0]; number <= ends[1]; number++)
	{
		CHECK_FOR_INTERRUPTS();
		add_image(images, dp_rounded_value(images->type.oid, number, decimals),
				  false);
	}
	return true;
}

/*
 * True where something is computed: a column that is cast to a wider type, or
 * chosen or not, is itself, and often has more values than anybody asks for.
 */
static bool
is_computed(const DpExpr *expr, void *context)
{
	(void) context;
	return dp_functions_wrapped(expr) != NULL;
}

static bool
is_of_kind(const DpExpr *expr, void *kind)
{
	return expr->kind == *(DpExprKind *) kind;
}

static bool
has_kind(const DpExpr *expr, DpExprKind kind)
{
	return dp_expr_visit(expr, is_of_kind, &kind);
}

static bool
find_images(const DpExpr *expr, const Bounds *bounds, DpPace pace,
			Images *images)
{
	bool is_zoned = dp_functions_depends_on_zone(expr);
	Steps steps;

	if (round_values(expr, bounds, images))
		return true;
	if (has_kind(expr, DP_EXPR_PARAMETER) ||
		(!is_zoned && has_kind(expr, DP_EXPR_MOMENT)) ||
		!find_steps(bounds, pace, is_zoned ? MOST_ZONED : MOST, &steps))
		return false;
	if (is_zoned)
		make_values(expr, bounds, &steps, images);
	else
		compute_values(expr, bounds, &steps, images);
	return true;
}

bool
dp_between_find(const DpNode *rows, const DpColumnFact *row, const DpExpr *expr,
				DpDomain *domain)
{
	Images images = {.type = expr->type};
	bool is_whole = !dp_expr_visit(expr, is_computed, NULL);
	const DpExpr *column;
	DpPace pace = dp_pace_of(expr, &column);
	const DpColumnFact *fact;
	const char *missing = NULL;
	Bounds bounds = {0};

	if (column == NULL)
		return false;
	fact = &row[column->column.number];
	if (!find_bounds(rows, fact, column, &bounds, &missing))
	{
		domain->missing = is_whole ? NULL : missing;
		return false;
	}
	if ((is_whole && !bounds.is_stated) ||
		!find_images(expr, &bounds, pace, &images) ||
		((is_whole || !fact->has_bounds) &&
		 list_length(images.values) > MOST_STATED))
		return false;
	domain->sources = images.values;
	domain->is_nullable = images.has_null || bounds.is_nullable;
	domain->is_open = true;
	domain->words =
		bounds.is_stated ? "bounds of the conditions" : "declared bounds";
	return true;
}
