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
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/between.h"
#include "gate/facts/bounded.h"
#include "gate/facts/pace.h"
#include "gate/facts/rounded.h"
#include "gate/tree/functions.h"
#include "server/compat.h"

/* The most values that are visited and released. */
#define MOST 1000000

/* The most that are computed once more in each execution. */
#define MOST_ZONED 50000

/* More than these between stated bounds are better found in the data. */
#define MOST_STATED 1000

/* The numbers of a column's values that are visited. */
typedef struct Steps
{
	int64 first;
	int64 step;
	int64 last; /* is visited, too */
} Steps;

/* False where they are too many. */
static bool
find_steps(const DpBounded *bounded, DpPace pace, int64 most, Steps *steps)
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
	steps->first = bounded->numbers[0];
	steps->step = Max(pace.step / unit, 1);
	steps->last = bounded->numbers[1];
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

/* What is collected: each value once, where it follows the same one. */
typedef struct Images
{
	List *values;
	bool has_null;
	DpType type;
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
	images->values =
		lappend(images->values,
				dp_bounded_constant(
					images->type.oid, images->type.typmod,
					datumCopy(value, images->by_value, images->length)));
}

/* Evaluates an expression for each value, a parameter in the column's place. */
static void
compute_values(const DpExpr *expr, const DpBounded *bounded, const Steps *steps,
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
	param->paramtype = bounded->type;
	param->paramtypmod = -1;
	param->paramcollid = InvalidOid;
	param->location = -1;
	values->params[0].ptype = bounded->type;
	values->params[0].pflags = 0;
	values->params[0].isnull = false;
	context->ecxt_param_list_info = values;

	old = MemoryContextSwitchTo(executor->es_query_cxt);
	state = ExecInitExprWithParams(
		expression_planner((Expr *) dp_bounded_image(expr, (Node *) param)),
		values);
	MemoryContextSwitchTo(old);
	do
	{
		Datum value;
		bool isnull;

		ResetExprContext(context);
		old = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
		values->params[0].value = dp_arithmetic_value(bounded->type, number);
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
make_values(const DpExpr *expr, const DpBounded *bounded, const Steps *steps,
			Images *images)
{
	int64 number = steps->first;

	do
	{
		Const *value = dp_bounded_constant(
			bounded->type, -1, dp_arithmetic_value(bounded->type, number));

		images->values =
			lappend(images->values, dp_bounded_image(expr, (Node *) value));
	} while (go_on(steps, &number));
}

/* All rounded values between the rounded bounds. */
static bool
round_values(const DpExpr *expr, const DpBounded *bounded, Images *images)
{
	int64 ends[2];
	int decimals;
	int64 number;

	if (!dp_rounded_ends(expr, bounded, ends, &decimals) ||
		Max(ends[0], ends[1]) - Min(ends[0], ends[1]) >= MOST - 2)
		return false;
	for (number = Min(ends[0], ends[1]); number <= Max(ends[0], ends[1]);
		 number++)
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
is_parameter(const DpExpr *expr, void *context)
{
	(void) context;
	return expr->kind == DP_EXPR_PARAMETER;
}

static bool
is_moment(const DpExpr *expr, void *context)
{
	(void) context;
	return expr->kind == DP_EXPR_MOMENT;
}

static bool
find_images(const DpExpr *expr, const DpBounded *bounded, DpPace pace,
			Images *images)
{
	bool is_zoned = dp_functions_depends_on_zone(expr);
	Steps steps;

	if (round_values(expr, bounded, images))
		return true;
	if (dp_expr_visit(expr, is_parameter, NULL) ||
		!find_steps(bounded, pace, is_zoned ? MOST_ZONED : MOST, &steps))
		return false;
	if (is_zoned)
		make_values(expr, bounded, &steps, images);
	else if (dp_expr_visit(expr, is_moment, NULL))
		return false;
	else
		compute_values(expr, bounded, &steps, images);
	return true;
}

bool
dp_between_find(const DpExpr *expr, const DpColumnFact *row, DpBetween *result)
{
	Images images = {.type = expr->type};
	bool is_whole = !dp_expr_visit(expr, is_computed, NULL);
	const DpExpr *column;
	DpPace pace = dp_pace_of(expr, &column);
	DpBounded bounded;

	*result = (DpBetween){0};
	if (column == NULL ||
		!dp_bounded_find(column, row, &bounded, &result->missing) ||
		(is_whole && !bounded.is_stated))
	{
		if (is_whole)
			result->missing = NULL;
		return false;
	}
	get_typlenbyval(images.type.oid, &images.length, &images.by_value);
	if (!find_images(expr, &bounded, pace, &images))
		return false;
	if ((is_whole || !bounded.fact->has_bounds) &&
		list_length(images.values) > MOST_STATED)
		return false;
	result->values = images.values;
	result->is_nullable = images.has_null || (bounded.fact->may_be_null &&
											  !bounded.fact->has_stated[0] &&
											  !bounded.fact->has_stated[1]);
	result->is_stated = bounded.is_stated;
	return true;
}
