/*
 * range_expr.c
 *		Which values an expression may have, by those of its arguments.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "aggregates/numeric_value.h"
#include "expressions/guards.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/interval_fields.h"
#include "gate/facts/range.h"
#include "gate/facts/range_times.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/ordered_type.h"
#include "server/stack.h"

/* The greatest size of a bound. */
#define MOST 1e300

bool
dp_range_can_have_bounds(Oid type)
{
	return dp_arithmetic_is_number(type) ||
		   dp_ordered_type(getBaseType(type)) != NULL;
}

bool
dp_range_is_usable(Datum number)
{
	return fabs(dp_numeric_to_double(number)) < MOST;
}

/*
 * Bounds
 */

static Datum
lesser(Datum one, Datum other)
{
	return dp_arithmetic_is_less(other, one) ? other : one;
}

static Datum
greater(Datum one, Datum other)
{
	return dp_arithmetic_is_less(one, other) ? other : one;
}

static void
set_bounds(DpColumnFact *range, Datum lower, Datum upper)
{
	range->has_bounds = true;
	range->lower = lower;
	range->upper = upper;
}

void
dp_range_add(DpColumnFact *range, const DpColumnFact *other)
{
	range->may_be_null |= other->may_be_null;
	if (other->is_null)
		return;
	range->fields = range->is_null
						? other->fields
						: dp_interval_fields_hull(range->fields, other->fields);
	if (range->is_null && other->has_bounds)
		set_bounds(range, other->lower, other->upper);
	else if (range->has_bounds && other->has_bounds)
		set_bounds(range, lesser(range->lower, other->lower),
				   greater(range->upper, other->upper));
	else
		range->has_bounds = false;
	range->is_null = false;
}

/* One of the arguments that are results. */
static DpColumnFact
of_results(const DpExpr *expr, const DpColumnFact *args)
{
	DpColumnFact range = {.is_null = true};
	int i;

	for (i = 0; i < expr->nargs; i++)
	{
		if (dp_expr_is_result(expr, i))
			dp_range_add(&range, &args[i]);
	}
	return range;
}

/*
 * GREATEST is never below a constant among its arguments, and LEAST never
 * above one. Only there a length has bounds: no value is longer than those that
 * functions are called for (expressions/guards.h).
 */
static DpColumnFact
of_choice(const DpExpr *expr, DpColumnFact *args)
{
	bool is_least = expr->kind == DP_EXPR_LEAST;
	DpColumnFact range;
	int i;

	for (i = 0; i < expr->nargs && is_least; i++)
	{
		if (dp_arithmetic_of(expr->args[i]) == DP_ARITHMETIC_LENGTH)
			set_bounds(&args[i], dp_arithmetic_whole(0),
					   dp_arithmetic_whole((int64) 8 * DP_GUARD_VALUE));
	}
	range = of_results(expr, args);
	for (i = 0; i < expr->nargs && range.has_bounds; i++)
	{
		if (expr->args[i]->kind != DP_EXPR_CONSTANT || args[i].is_null)
			continue;
		if (is_least)
			range.upper = lesser(range.upper, args[i].upper);
		else
			range.lower = greater(range.lower, args[i].lower);
	}
	return range;
}

/* The hull of what a function gives for the ends of two intervals. */
static void
combine(PGFunction function, DpColumnFact *left, const DpColumnFact *right)
{
	DpColumnFact hull = {.is_null = true};
	int i;

	for (i = 0; i < 4; i++)
	{
		DpColumnFact end = {0};
		Datum value =
			DirectFunctionCall2(function, i < 2 ? left->lower : left->upper,
								i % 2 == 0 ? right->lower : right->upper);

		set_bounds(&end, value, value);
		dp_range_add(&hull, &end);
	}
	set_bounds(left, hull.lower, hull.upper);
	left->has_bounds =
		dp_range_is_usable(hull.lower) && dp_range_is_usable(hull.upper);
}

static void
negate(DpColumnFact *range)
{
	set_bounds(range, DirectFunctionCall1(numeric_uminus, range->upper),
			   DirectFunctionCall1(numeric_uminus, range->lower));
}

static void
make_absolute(DpColumnFact *range)
{
	DpColumnFact negated = *range;

	negate(&negated);
	if (dp_arithmetic_is_less(range->lower, dp_arithmetic_whole(0)))
		set_bounds(range, greater(negated.lower, dp_arithmetic_whole(0)),
				   greater(range->upper, negated.upper));
}

/* To whole numbers, outwards: right whichever way a function rounds. */
static void
round_outwards(DpColumnFact *range)
{
	set_bounds(range, DirectFunctionCall1(numeric_floor, range->lower),
			   DirectFunctionCall1(numeric_ceil, range->upper));
}

/* Whether the digits that a call keeps end at the point or after it. */
static bool
rounds_behind_point(const DpExpr *expr)
{
	const DpExpr *digits = expr->args[expr->nargs - 1];

	return expr->nargs == 1 ||
		   (digits->kind == DP_EXPR_CONSTANT && !digits->constant.isnull &&
			digits->type.oid == INT4OID &&
			DatumGetInt32(digits->constant.value) >= 0);
}

/*
 * A cast to numeric with a declared scale rounds, which keeps the order: with a
 * negative scale to tens, hundreds and so on.
 */
static void
round_to_scale(DpColumnFact *range, int32 typmod)
{
	int scale = (typmod - VARHDRSZ) & 0x7ff;
	Datum digits = Int32GetDatum((scale ^ 1024) - 1024);
	DpColumnFact rounded = *range;

	set_bounds(&rounded,
			   DirectFunctionCall2(numeric_round, range->lower, digits),
			   DirectFunctionCall2(numeric_round, range->upper, digits));
	round_outwards(range);
	dp_range_add(range, &rounded);
}

/*
 * The length of a text of a type that limits it: in characters, of which each has
 * up to four bytes.
 */
static void
set_length(const DpExpr *expr, DpColumnFact *range)
{
	const DpExpr *text = expr->nargs == 1 ? expr->args[0] : NULL;
	int per_character =
		dp_arithmetic_is_of_bytes(expr) ? pg_database_encoding_max_length() : 1;

	while (text != NULL && text->kind == DP_EXPR_RELABEL &&
		   text->type.typmod < 0)
		text = text->args[0];
	if (text != NULL && text->type.typmod >= VARHDRSZ &&
		(text->type.oid == VARCHAROID || text->type.oid == BPCHAROID))
		set_bounds(range, dp_arithmetic_whole(0),
				   dp_arithmetic_whole((int64) (text->type.typmod - VARHDRSZ) *
									   per_character));
}

/* Computes with the range of the first argument, which becomes the result's. */
static void
compute(const DpExpr *expr, DpColumnFact *range, const DpColumnFact *right)
{
	bool is_integer = dp_arithmetic_is_integer(expr->type.oid);

	switch (dp_arithmetic_of(expr))
	{
		case DP_ARITHMETIC_SAME:
			break;
		case DP_ARITHMETIC_NEGATE:
			negate(range);
			break;
		case DP_ARITHMETIC_ABSOLUTE:
			make_absolute(range);
			break;
		case DP_ARITHMETIC_ADD:
			combine(numeric_add, range, right);
			break;
		case DP_ARITHMETIC_SUBTRACT:
			combine(numeric_sub, range, right);
			break;
		case DP_ARITHMETIC_MULTIPLY:
			combine(numeric_mul, range, right);
			break;
		case DP_ARITHMETIC_DIVIDE:
			if (!dp_arithmetic_is_less(dp_arithmetic_whole(0), right->lower) &&
				!dp_arithmetic_is_less(right->upper, dp_arithmetic_whole(0)))
				range->has_bounds = false;
			else
				combine(numeric_div, range, right);
			if (is_integer && range->has_bounds)
				round_outwards(range);
			break;
		case DP_ARITHMETIC_ROUND:
			if (rounds_behind_point(expr))
				round_outwards(range);
			else
				range->has_bounds = false;
			break;
		case DP_ARITHMETIC_CAST:
			if (getBaseType(expr->type.oid) == NUMERICOID &&
				expr->type.typmod >= 0)
				round_to_scale(range, expr->type.typmod);
			else if (is_integer)
				round_outwards(range);
			break;
		default:
			range->has_bounds = false;
	}
}

static DpColumnFact
of_call(const DpExpr *expr, const DpColumnFact *args)
{
	DpArithmetic does = dp_arithmetic_of(expr);
	bool is_pair = does >= DP_ARITHMETIC_ADD && does <= DP_ARITHMETIC_DIVIDE;
	DpColumnFact range = {0};
	int i;

	if (does == DP_ARITHMETIC_FROM_BOOL)
		set_bounds(&range, dp_arithmetic_whole(0), dp_arithmetic_whole(1));
	else if (does == DP_ARITHMETIC_LENGTH)
		set_length(expr, &range);
	else
		dp_range_of_times(expr, args, &range);
	if (range.has_bounds)
		return range;
	if (does == DP_ARITHMETIC_UNKNOWN || does == DP_ARITHMETIC_FROM_BOOL ||
		!dp_arithmetic_is_number(expr->type.oid))
		return range;
	for (i = 0; i < (is_pair ? 2 : 1); i++)
	{
		if (!dp_arithmetic_is_number(expr->args[i]->type.oid) ||
			!(args[i].has_bounds || args[i].is_null))
			return (DpColumnFact){0};
		range.is_null |= args[i].is_null;
	}
	if (range.is_null)
		return range;
	set_bounds(&range, args[0].lower, args[0].upper);
	compute(expr, &range, &args[1]);
	return range;
}

/* An expression's bounds, and whether it is null in all rows. */
static DpColumnFact
of_kind(const DpExpr *expr, DpColumnFact *args)
{
	DpColumnFact range = {0};

	switch (expr->kind)
	{
		case DP_EXPR_CONSTANT:
			range.is_null = expr->constant.isnull;
			range.has_bounds =
				!range.is_null &&
				dp_arithmetic_number(expr->type.oid, expr->constant.value,
									 &range.lower) &&
				dp_range_is_usable(range.lower);
			range.upper = range.lower;
			if (!range.is_null && getBaseType(expr->type.oid) == INTERVALOID)
				range.fields = dp_interval_fields_of_constant(
					DatumGetIntervalP(expr->constant.value));
			return range;
		case DP_EXPR_MOMENT:
			dp_range_of_moment(expr, &range);
			return range;
		case DP_EXPR_CALL:
			return of_call(expr, args);
		case DP_EXPR_RELABEL:
		case DP_EXPR_NULLIF:
		case DP_EXPR_CASE:
		case DP_EXPR_COALESCE:
			return of_results(expr, args);
		case DP_EXPR_GREATEST:
		case DP_EXPR_LEAST:
			return of_choice(expr, args);
		default:
			return range;
	}
}

/* range: of the expression, with the nulls of what it chooses from. */
static bool
may_be_null(const DpExpr *expr, const DpColumnFact *args,
			const DpColumnFact *range)
{
	int nulls = 0;
	int i;

	for (i = 0; i < expr->nargs; i++)
		nulls += args[i].may_be_null ? 1 : 0;
	switch (dp_kinds_get(expr->kind)->nulls)
	{
		case DP_NULL_NEVER:
			return false;
		case DP_NULL_STRICT:
			return dp_functions_wrapped(expr) != NULL || nulls > 0;
		case DP_NULL_COALESCE:
			return nulls == expr->nargs;
		case DP_NULL_CASE:
			return range->may_be_null;
		case DP_NULL_ASK:
			return expr->kind != DP_EXPR_CONSTANT || expr->constant.isnull;
		case DP_NULL_MAYBE:
			break;
	}
	return true;
}

DpColumnFact
dp_range_of(const DpExpr *expr, const DpColumnFact *row)
{
	const DpExpr *column = dp_expr_column_of(expr);
	DpColumnFact *args;
	DpColumnFact range;
	int i;

	dp_stack_enter();
	if (column != NULL)
		return column->column.depth == 0 ? row[column->column.number]
										 : (DpColumnFact){.may_be_null = true};
	args = palloc(expr->nargs * sizeof(DpColumnFact));
	for (i = 0; i < expr->nargs; i++)
		args[i] = dp_range_of(expr->args[i], row);
	range = of_kind(expr, args);
	range.may_be_null = may_be_null(expr, args, &range);
	return range;
}
