/*
 * extent.c
 *		Bounds of expressions that follow from those of their columns.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "expressions/guards.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/extent.h"
#include "server/stack.h"

/* The greatest size of a bound. */
#define MOST 1e300

static Datum
call(PGFunction function, Datum one, Datum other)
{
	return DirectFunctionCall2(function, one, other);
}

static bool
is_less(Datum one, Datum other)
{
	return DatumGetBool(call(numeric_lt, one, other));
}

static Datum
lesser(Datum one, Datum other)
{
	return is_less(other, one) ? other : one;
}

static Datum
greater(Datum one, Datum other)
{
	return is_less(one, other) ? other : one;
}

static Datum
whole(int64 number)
{
	return NumericGetDatum(int64_to_numeric(number));
}

bool
dp_extent_is_usable(Datum number)
{
	return fabs(dp_numeric_to_double(number)) < MOST;
}

static bool
are_usable(const DpExtent *extent)
{
	return dp_extent_is_usable(extent->lower) &&
		   dp_extent_is_usable(extent->upper);
}

void
dp_extent_add(DpExtent *extent, const DpExtent *other)
{
	if (other->is_empty)
		return;
	if (extent->is_empty)
	{
		*extent = *other;
		return;
	}
	extent->lower = lesser(extent->lower, other->lower);
	extent->upper = greater(extent->upper, other->upper);
}

static bool
of_constant(const DpExpr *expr, DpExtent *extent)
{
	extent->is_empty = expr->constant.isnull;
	if (extent->is_empty)
		return true;
	if (!dp_arithmetic_number(expr->type.oid, expr->constant.value,
							  &extent->lower))
		return false;
	extent->upper = extent->lower;
	return dp_extent_is_usable(extent->lower);
}

static bool
of_column(const DpExpr *expr, const DpColumnFact *row, DpExtent *extent)
{
	const DpColumnFact *fact;

	if (expr->column.depth != 0)
		return false;
	fact = &row[expr->column.number];
	*extent = (DpExtent){false, fact->lower, fact->upper};
	return fact->has_bounds;
}

/* One of several expressions: the first, and each so many after it. */
static bool
of_any(const DpExpr *expr, int first, int step, const DpColumnFact *row,
	   DpExtent *extent)
{
	int i;

	extent->is_empty = true;
	for (i = first; i < expr->nargs; i += step)
	{
		DpExtent one;

		if (!dp_extent_of(expr->args[i], row, &one))
			return false;
		dp_extent_add(extent, &one);
	}
	return true;
}

/* args are subject?, (when, then)..., else */
static bool
of_case(const DpExpr *expr, const DpColumnFact *row, DpExtent *extent)
{
	DpExtent otherwise;

	if (!dp_extent_of(expr->args[expr->nargs - 1], row, &otherwise) ||
		!of_any(expr, expr->has_subject ? 2 : 1, 2, row, extent))
		return false;
	dp_extent_add(extent, &otherwise);
	return true;
}

/*
 * GREATEST is never below a constant among its arguments, and LEAST never
 * above one. Only there a length has bounds: no value is longer than those that
 * functions are called for (expressions/guards.h).
 */
static bool
of_choice(const DpExpr *expr, const DpColumnFact *row, DpExtent *extent)
{
	bool is_least = expr->kind == DP_EXPR_LEAST;
	int i;

	extent->is_empty = true;
	for (i = 0; i < expr->nargs; i++)
	{
		DpExtent one = {false, whole(0), whole((int64) 8 * DP_GUARD_VALUE)};

		if (!(is_least &&
			  dp_arithmetic_of(expr->args[i]) == DP_ARITHMETIC_LENGTH) &&
			!dp_extent_of(expr->args[i], row, &one))
			return false;
		dp_extent_add(extent, &one);
	}
	if (extent->is_empty)
		return false;
	for (i = 0; i < expr->nargs; i++)
	{
		DpExtent constant;

		if (expr->args[i]->kind != DP_EXPR_CONSTANT ||
			!of_constant(expr->args[i], &constant) || constant.is_empty)
			continue;
		if (is_least)
			extent->upper = lesser(extent->upper, constant.upper);
		else
			extent->lower = greater(extent->lower, constant.lower);
	}
	return true;
}

/* The hull of what a function gives for the ends of two intervals. */
static void
combine(PGFunction function, DpExtent *left, const DpExtent *right)
{
	Datum ends[4] = {call(function, left->lower, right->lower),
					 call(function, left->lower, right->upper),
					 call(function, left->upper, right->lower),
					 call(function, left->upper, right->upper)};
	int i;

	left->lower = left->upper = ends[0];
	for (i = 1; i < 4; i++)
	{
		left->lower = lesser(left->lower, ends[i]);
		left->upper = greater(left->upper, ends[i]);
	}
}

/* To whole numbers, outwards: right whichever way a function rounds. */
static void
round_outwards(DpExtent *extent)
{
	extent->lower = DirectFunctionCall1(numeric_floor, extent->lower);
	extent->upper = DirectFunctionCall1(numeric_ceil, extent->upper);
}

static void
negate(DpExtent *extent)
{
	Datum lower = extent->lower;

	extent->lower = DirectFunctionCall1(numeric_uminus, extent->upper);
	extent->upper = DirectFunctionCall1(numeric_uminus, lower);
}

static void
make_absolute(DpExtent *extent)
{
	DpExtent negated = *extent;

	if (!is_less(extent->lower, whole(0)))
		return;
	negate(&negated);
	extent->upper = greater(extent->upper, negated.upper);
	extent->lower = greater(negated.lower, whole(0));
}

/* The first extent becomes the result's. */
static bool
of_pair(DpArithmetic does, DpExtent *left, const DpExtent *right)
{
	left->is_empty |= right->is_empty;
	if (left->is_empty)
		return true;
	if (does == DP_ARITHMETIC_ADD)
		combine(numeric_add, left, right);
	else if (does == DP_ARITHMETIC_SUBTRACT)
		combine(numeric_sub, left, right);
	else if (does == DP_ARITHMETIC_MULTIPLY)
		combine(numeric_mul, left, right);
	else if (is_less(whole(0), right->lower) || is_less(right->upper, whole(0)))
		combine(numeric_div, left, right);
	else
		return false;
	return are_usable(left);
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

static bool
of_call(const DpExpr *expr, const DpColumnFact *row, DpExtent *extent)
{
	DpArithmetic does = dp_arithmetic_of(expr);
	DpExtent right;

	if (does == DP_ARITHMETIC_FROM_BOOL)
	{
		*extent = (DpExtent){false, whole(0), whole(1)};
		return true;
	}
	if (does == DP_ARITHMETIC_UNKNOWN ||
		!dp_arithmetic_is_number(expr->type.oid) ||
		!dp_arithmetic_is_number(expr->args[0]->type.oid) ||
		!dp_extent_of(expr->args[0], row, extent))
		return false;
	switch (does)
	{
		case DP_ARITHMETIC_SAME:
			return true;
		case DP_ARITHMETIC_NEGATE:
			if (!extent->is_empty)
				negate(extent);
			return true;
		case DP_ARITHMETIC_ABSOLUTE:
			if (!extent->is_empty)
				make_absolute(extent);
			return true;
		case DP_ARITHMETIC_ADD:
		case DP_ARITHMETIC_SUBTRACT:
		case DP_ARITHMETIC_MULTIPLY:
		case DP_ARITHMETIC_DIVIDE:
			if (!dp_arithmetic_is_number(expr->args[1]->type.oid) ||
				!dp_extent_of(expr->args[1], row, &right) ||
				!of_pair(does, extent, &right))
				return false;
			if (does == DP_ARITHMETIC_DIVIDE && !extent->is_empty &&
				dp_arithmetic_is_integer(expr->type.oid))
				round_outwards(extent);
			return true;
		case DP_ARITHMETIC_ROUND:
			if (!rounds_behind_point(expr))
				return false;
			if (!extent->is_empty)
				round_outwards(extent);
			return true;
		case DP_ARITHMETIC_CAST:
			if (!extent->is_empty && (expr->type.typmod >= 0 ||
									  dp_arithmetic_is_integer(expr->type.oid)))
				round_outwards(extent); /* or to fewer digits */
			return true;
		default:
			return false;
	}
}

bool
dp_extent_of(const DpExpr *expr, const DpColumnFact *row, DpExtent *extent)
{
	dp_stack_enter();
	switch (expr->kind)
	{
		case DP_EXPR_CONSTANT:
			return of_constant(expr, extent);
		case DP_EXPR_COLUMN:
			return of_column(expr, row, extent);
		case DP_EXPR_RELABEL:
		case DP_EXPR_NULLIF:
			return dp_extent_of(expr->args[0], row, extent);
		case DP_EXPR_CALL:
			return of_call(expr, row, extent);
		case DP_EXPR_CASE:
			return of_case(expr, row, extent);
		case DP_EXPR_COALESCE:
			return of_any(expr, 0, 1, row, extent);
		case DP_EXPR_GREATEST:
		case DP_EXPR_LEAST:
			return of_choice(expr, row, extent);
		default:
			return false;
	}
}
