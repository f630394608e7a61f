/*
 * between_steps.c
 *		Goes through the values of a column between bounds.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "aggregates/numeric_value.h"
#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/between_steps.h"
#include "gate/facts/stated.h"
#include "server/compat.h"

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
	return dp_arithmetic_nearest(bound);
}

/* One end of what can be counted. DpBetween may be those of a wider type. */
static void
set_number(DpBetween *bounds, int end, const DpColumnFact *fact,
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

bool
dp_between_bounds(const DpNode *rows, const DpColumnFact *fact,
				  const DpExpr *column, DpBetween *bounds, const char **missing)
{
	DpStatedBounds stated = dp_stated_bounds(rows, column);
	int end;

	bounds->type = getBaseType(column->type.oid);
	bounds->ordered = dp_ordered_type(bounds->type);
	bounds->has_numbers = dp_stated_can_bound(bounds->type);
	bounds->is_stated = stated.has[0] && stated.has[1];
	bounds->is_narrowed =
		stated.has[0] || stated.has[1] ||
		(fact->may_be_null && dp_stated_not_null(rows, column));
	bounds->is_nullable = fact->may_be_null && !bounds->is_narrowed;
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
 * Steps
 */

bool
dp_between_steps(const DpBetween *bounds, DpPace pace, int64 most,
				 DpSteps *steps)
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

bool
dp_between_go_on(const DpSteps *steps, int64 *number)
{
	CHECK_FOR_INTERRUPTS();
	if (*number >= steps->last)
		return false;
	*number = *number < steps->last - steps->step ? *number + steps->step
												  : steps->last;
	return true;
}

/*
 * Evaluation
 */

DpEvaluation
dp_evaluation_begin(const List *exprs, Oid type)
{
	ParamListInfo values = makeParamList(1);
	Param *param = makeNode(Param);
	DpEvaluation result = {.executor = CreateExecutorState(),
						   .param = &values->params[0],
						   .type = type};
	MemoryContext old;

	result.context = CreateExprContext(result.executor);
	param->paramkind = PARAM_EXTERN;
	param->paramid = 1;
	param->paramtype = values->params[0].ptype = type;
	param->paramtypmod = -1;
	param->location = -1;
	values->params[0].pflags = 0;
	result.context->ecxt_param_list_info = values;
	old = MemoryContextSwitchTo(result.executor->es_query_cxt);
	foreach_ptr (const DpExpr, expr, exprs)
		result.states =
			lappend(result.states,
					ExecInitExprWithParams(
						expression_planner(
							(Expr *) dp_arithmetic_image(expr, (Node *) param)),
						values));
	MemoryContextSwitchTo(old);
	return result;
}

void
dp_evaluation_set(DpEvaluation *evaluation, int64 number)
{
	MemoryContext old;

	ResetExprContext(evaluation->context);
	old = MemoryContextSwitchTo(evaluation->context->ecxt_per_tuple_memory);
	evaluation->param->isnull = false;
	evaluation->param->value = dp_arithmetic_value(evaluation->type, number);
	MemoryContextSwitchTo(old);
}

void
dp_evaluation_set_null(DpEvaluation *evaluation)
{
	ResetExprContext(evaluation->context);
	evaluation->param->isnull = true;
	evaluation->param->value = (Datum) 0;
}

Datum
dp_evaluation_of(const DpEvaluation *evaluation, int expr, bool *isnull)
{
	return ExecEvalExprSwitchContext(list_nth(evaluation->states, expr),
									 evaluation->context, isnull);
}

void
dp_evaluation_end(DpEvaluation *evaluation)
{
	FreeExecutorState(evaluation->executor);
}
