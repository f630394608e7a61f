/*
 * rounded.c
 *		What lies between bounds that are rounded.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "aggregates/numeric_value.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/rounded.h"
#include "server/compat.h"

/* Numbers are looked at up to this size. */
#define MOST 4e18

static bool
is_constant(const DpExpr *expr)
{
	return expr->kind == DP_EXPR_CONSTANT && !expr->constant.isnull;
}

/* True for what only grows, or only falls, with a column. */
static bool
is_monotone(const DpExpr *expr)
{
	int variable = dp_arithmetic_variable(expr);

	if (expr->kind == DP_EXPR_COLUMN)
		return true;
	if (variable < 0)
		return false;
	switch (dp_arithmetic_of(expr))
	{
		case DP_ARITHMETIC_SAME:
		case DP_ARITHMETIC_NEGATE:
		case DP_ARITHMETIC_DIVIDE:
		case DP_ARITHMETIC_WHOLE_QUOTIENT:
		case DP_ARITHMETIC_ROUND:
		case DP_ARITHMETIC_CAST:
		case DP_ARITHMETIC_BUCKET:
			if (variable > 0)
				return false;
			break;
		case DP_ARITHMETIC_ADD:
		case DP_ARITHMETIC_SUBTRACT:
		case DP_ARITHMETIC_MULTIPLY:
			break;
		default:
			if (expr->kind != DP_EXPR_RELABEL)
				return false;
	}
	return is_monotone(expr->args[variable]);
}

/* Whether a call rounds, and to how many decimals. */
static bool
rounds(const DpExpr *expr, int *decimals)
{
	*decimals = 0;
	switch (dp_arithmetic_of(expr))
	{
		case DP_ARITHMETIC_WHOLE_QUOTIENT:
		case DP_ARITHMETIC_BUCKET:
			return true;
		case DP_ARITHMETIC_CAST:
		case DP_ARITHMETIC_DIVIDE:
			return dp_arithmetic_is_integer(expr->type.oid);
		case DP_ARITHMETIC_ROUND:
			if (expr->nargs == 2 && is_constant(expr->args[1]))
				*decimals = DatumGetInt32(expr->args[1]->constant.value);
			return abs(*decimals) <= 12;
		default:
			return false;
	}
}

/* A number in steps of 10^-decimals; false for what is none, or is too great. */
static bool
number_of(Oid type, Datum value, int decimals, int64 *number)
{
	Datum numeric;
	double steps;

	if (!dp_arithmetic_is_number(type) ||
		!dp_arithmetic_number(type, value, &numeric))
		return false;
	steps = rint(dp_numeric_to_double(numeric) * pow(10, decimals));
	*number = (int64) fmin(fmax(steps, -MOST), MOST);
	return fabs(steps) < MOST;
}

Datum
dp_rounded_value(Oid type, int64 number, int decimals)
{
	Datum value = dp_arithmetic_value(type, number);

	if (decimals == 0)
		return value;
	value = DirectFunctionCall2(
		numeric_mul, value,
		DirectFunctionCall2(numeric_power, dp_arithmetic_whole(10),
							dp_arithmetic_whole(-decimals)));
	return DirectFunctionCall2(numeric_round, value,
							   Int32GetDatum(Max(decimals, 0)));
}

/* The values of a monotone expression at the bounds, the lesser one first. */
static bool
find_ends(const DpExpr *expr, Oid type, const Datum *bounds, int decimals,
		  int64 ends[2])
{
	int64 found[2];
	int i;

	for (i = 0; i < 2; i++)
	{
		Const *bound = dp_arithmetic_constant(type, -1, bounds[i]);
		Const *image = (Const *) eval_const_expressions(
			NULL, dp_arithmetic_image(expr, (Node *) bound));

		if (!IsA(image, Const) || image->constisnull ||
			!number_of(image->consttype, image->constvalue, decimals,
					   &found[i]))
			return false;
	}
	ends[0] = Min(found[0], found[1]);
	ends[1] = Max(found[0], found[1]);
	return true;
}

/* The range of a remainder: less than the divisor, with the number's sign. */
static bool
find_rest(const DpExpr *expr, Oid type, const Datum *bounds, int64 ends[2])
{
	int64 divisor;

	if (dp_arithmetic_of(expr) != DP_ARITHMETIC_REMAINDER ||
		!dp_arithmetic_is_integer(type) ||
		!dp_arithmetic_is_integer(expr->type.oid) ||
		!is_monotone(expr->args[0]) || !is_constant(expr->args[1]) ||
		!number_of(expr->args[1]->type.oid, expr->args[1]->constant.value, 0,
				   &divisor) ||
		divisor == 0 || !find_ends(expr->args[0], type, bounds, 0, ends))
		return false;
	divisor = divisor < 0 ? -divisor : divisor;
	ends[0] = ends[0] < 0 ? 1 - divisor : 0;
	ends[1] = ends[1] > 0 ? divisor - 1 : 0;
	return true;
}

bool
dp_rounded_ends(const DpExpr *expr, Oid type, const Datum bounds[2],
				int64 ends[2], int *decimals)
{
	*decimals = 0;
	return find_rest(expr, type, bounds, ends) ||
		   (rounds(expr, decimals) && is_monotone(expr) &&
			find_ends(expr, type, bounds, *decimals, ends));
}
