/*
 * bounded_values.c
 *		Goes through the values between bounds.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/int128.h"
#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/nullability.h"
#include "gate/question/keys/bounded_column.h"
#include "gate/question/keys/bounded_values.h"
#include "gate/question/keys/pace.h"
#include "gate/question/keys/rounded_values.h"
#include "gate/question/keys/stated_values.h"
#include "gate/question/relations/protection.h"
#include "server/compat.h"

/*
 * The most values that are computed by expressions, since they depend on the
 * time zone.
 */
#define ZONED_MAX 50000

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

/*
 * The steps in which the values of a column are visited; false where they are
 * too many.
 */
static bool
find_steps(const DpBounded *bounded, DpPace pace, int64 *step, int64 *last,
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
	*last = bounded->numbers[1];
	if (pace.period > 0 && span > pace.period / unit)
	{
		span = pace.period / unit + 1;
		*last = bounded->numbers[0] + (int64) span;
	}
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
		images->values, dp_gate_constant_of(images->type, images->typmod,
											datumCopy(value, images->by_value,
													  images->length)));
}

/* Evaluates an expression for each value, a parameter in the column's place. */
static void
compute_values(Node *expression, const DpBounded *bounded, int64 step,
			   int64 last, Images *images)
{
	ParamListInfo values = makeParamList(1);
	Param *param = makeNode(Param);
	EState *executor = CreateExecutorState();
	ExprContext *context = CreateExprContext(executor);
	int64 number = bounded->numbers[0];
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
		(Expr *) expression_planner((Expr *) dp_gate_image_of(
			expression, bounded->column, (Node *) param)),
		values);
	MemoryContextSwitchTo(old);
	for (;;)
	{
		Datum value;
		bool isnull;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(context);
		old = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
		values->params[0].value = dp_gate_bounded_value(bounded, number);
		value = ExecEvalExpr(state, context, &isnull);
		MemoryContextSwitchTo(old);
		add_image(images, value, isnull);
		if (number >= last)
			break;
		number = number < last - step ? number + step : last;
	}
	FreeExecutorState(executor);
}

/*
 * The same where the time zone decides: expressions, for each execution, which
 * then finds whether one of them is null.
 */
static void
make_values(Node *expression, const DpBounded *bounded, int64 step, int64 last,
			Images *images)
{
	int64 number = bounded->numbers[0];

	for (;;)
	{
		Const *value = dp_gate_constant_of(
			bounded->type, -1, dp_gate_bounded_value(bounded, number));

		CHECK_FOR_INTERRUPTS();
		images->values = lappend(
			images->values,
			dp_gate_image_of(expression, bounded->column, (Node *) value));
		if (number >= last)
			break;
		number = number < last - step ? number + step : last;
	}
}

/* All rounded values between the rounded bounds. */
static bool
round_values(Node *expression, const DpBounded *bounded, Images *images)
{
	int64 ends[2];
	int decimals;
	int64 number;

	if (!dp_gate_rounded_ends(expression, bounded, ends, &decimals))
		return false;
	if (Max(ends[0], ends[1]) - Min(ends[0], ends[1]) >= DP_BOUNDED_MAX - 2)
		return false;
	for (number = Min(ends[0], ends[1]); number <= Max(ends[0], ends[1]);
		 number++)
	{
		CHECK_FOR_INTERRUPTS();
		add_image(images, dp_gate_rounded_value(images->type, number, decimals),
				  false);
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
dp_gate_bounded_values(Node *expression, const DpRelations *relations,
					   List **result, bool *is_nullable, bool *is_stated,
					   char **missing)
{
	DpBounded bounded;
	Images images = {.type = exprType(expression),
					 .typmod = exprTypmod(expression)};
	Var *column;
	DpPace pace = dp_gate_pace_of(expression, &column);
	bool is_zoned = dp_gate_depends_on_zone(expression);
	bool is_whole = !is_computed(expression, NULL);
	int64 step;
	int64 last;

	*missing = NULL;
	if (column == NULL ||
		!dp_gate_find_bounds(column, relations, &bounded, missing) ||
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
		images.has_null || !(bounded.is_null_out ||
							 dp_gate_is_never_null(relations, (Node *) column));
	return true;
}
