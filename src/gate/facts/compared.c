/*
 * compared.c
 *		Which numbers a comparison with constants leaves an expression.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/compared.h"
#include "gate/facts/range.h"
#include "server/ordered_type.h"
#include "server/stack.h"

/*
 * Ranges
 */

/* Whether the first of two ends leaves less, or as much. */
static bool
is_tighter(int end, Datum one, Datum other)
{
	return end == 0 ? !dp_arithmetic_is_less(one, other)
					: !dp_arithmetic_is_less(other, one);
}

DpCompared
dp_compared_both(DpCompared one, DpCompared other)
{
	int end;

	if (one.is_none || other.is_none)
		return (DpCompared){.is_none = true};
	for (end = 0; end < 2; end++)
	{
		if (!other.has[end] ||
			(one.has[end] && is_tighter(end, one.ends[end], other.ends[end])))
			continue;
		one.has[end] = true;
		one.ends[end] = other.ends[end];
	}
	if (one.has[0] && one.has[1] &&
		dp_arithmetic_is_less(one.ends[1], one.ends[0]))
		return (DpCompared){.is_none = true};
	return one;
}

DpCompared
dp_compared_either(DpCompared one, DpCompared other)
{
	int end;

	if (one.is_none)
		return other;
	for (end = 0; end < 2 && !other.is_none; end++)
	{
		one.has[end] = one.has[end] && other.has[end];
		if (one.has[end] && is_tighter(end, one.ends[end], other.ends[end]))
			one.ends[end] = other.ends[end];
	}
	return one;
}

/*
 * Constants
 */

/* What dates and timestamps are compared in: microseconds, without a time zone. */
static int64
microseconds_of(const DpOrderedType *ordered)
{
	return ordered == NULL				   ? 0
		   : ordered->type == DATEOID	   ? USECS_PER_DAY
		   : ordered->type == TIMESTAMPOID ? 1
										   : 0;
}

/*
 * The integer of a column's type of dates or times that a value bounds it by.
 * False where the types do not compare without the session's time zone, and for
 * values that are not finite.
 */
static bool
time_within(const DpExpr *value, const DpOrderedType *ordered, bool is_upper,
			bool is_strict, Datum *bound)
{
	const DpOrderedType *of_value = dp_ordered_type(value->type.oid);
	int64 within = ordered == of_value ? 1 : microseconds_of(ordered);
	int64 scale = ordered == of_value ? 1 : microseconds_of(of_value);
	int64 number;
	dp_int128 least;

	if (of_value == NULL || within == 0 || scale == 0)
		return false;
	number = of_value->number_of(value->constant.value);
	if (number <= of_value->least || number >= of_value->greatest)
		return false;
	least = (dp_int128) number * scale;
	if (is_strict)
		least += is_upper ? -1 : 1;
	if (!is_upper)
		least += within - 1; /* so that the quotient is rounded up */
	*bound = dp_arithmetic_whole((int64) dp_int128_clamp(
		least / within - (least % within < 0), PG_INT64_MIN, PG_INT64_MAX));
	return true;
}

/* The same of numbers: an integer where those of the type are. */
static bool
number_within(const DpExpr *value, Oid type, bool is_upper, bool is_strict,
			  Datum *bound)
{
	Datum number;

	if (!dp_arithmetic_is_number(value->type.oid) ||
		!dp_arithmetic_is_number(type) ||
		!dp_arithmetic_number(value->type.oid, value->constant.value,
							  &number) ||
		!dp_range_is_usable(number))
		return false;
	*bound = number;
	if (!dp_arithmetic_is_integer(type))
		return true;
	*bound =
		DirectFunctionCall1(is_upper ? numeric_floor : numeric_ceil, number);
	if (is_strict &&
		DatumGetBool(DirectFunctionCall2(numeric_eq, *bound, number)))
		*bound = DirectFunctionCall2(is_upper ? numeric_sub : numeric_add,
									 *bound, dp_arithmetic_whole(1));
	return true;
}

/* What a type's values are left that are so ordered to a value; of 0: any. */
static DpCompared
of_value(const DpExpr *value, Oid type, int strategy)
{
	const DpOrderedType *ordered = dp_ordered_type(type);
	DpCompared result = {0};
	int end;

	value = dp_expr_unlabelled(value);
	if (value->kind != DP_EXPR_CONSTANT || strategy == 0)
		return result;
	if (value->constant.isnull)
		return (DpCompared){.is_none = true};
	for (end = 0; end < 2; end++)
	{
		bool is_upper = end == 1;
		bool is_strict = strategy == (is_upper ? BTLessStrategyNumber
											   : BTGreaterStrategyNumber);

		if (is_upper ? strategy > BTEqualStrategyNumber
					 : strategy < BTEqualStrategyNumber)
			continue;
		result.has[end] = ordered != NULL
							  ? time_within(value, ordered, is_upper, is_strict,
											&result.ends[end])
							  : number_within(value, type, is_upper, is_strict,
											  &result.ends[end]);
	}
	if (result.has[0] && result.has[1] &&
		dp_arithmetic_is_less(result.ends[1], result.ends[0]))
		return (DpCompared){.is_none = true};
	return result;
}

/*
 * Comparisons
 */

static const DpExpr *
bare(const DpExpr *expr)
{
	while (expr->kind == DP_EXPR_RELABEL || dp_arithmetic_keeps_value(expr))
		expr = expr->args[0];
	return expr;
}

/* Whether two are the same, whichever way they are written. */
static bool
are_alike(const DpEqualities *known, const DpExpr *one, const DpExpr *other)
{
	int i;

	dp_stack_enter();
	one = bare(one);
	other = bare(other);
	if (one->kind == DP_EXPR_COLUMN && other->kind == DP_EXPR_COLUMN)
		return dp_equalities_has(known, one->column, other->column) &&
			   dp_ordered_type(getBaseType(one->type.oid)) ==
				   dp_ordered_type(getBaseType(other->type.oid));
	if (one->kind != DP_EXPR_CALL || other->kind != DP_EXPR_CALL ||
		one->nargs != other->nargs || one->type.oid != other->type.oid)
		return dp_expr_equal(one, other);
	if (one->nargs == 2 && OidIsValid(one->call.operator) &&
		get_commutator(one->call.operator) ==
			other->call.operator&&
			are_alike(known, one->args[0], other->args[1]) &&
		are_alike(known, one->args[1], other->args[0]))
		return true;
	if (one->call.function != other->call.function ||
		one->call.operator!= other->call.operator|| one->type.typmod !=
		other->type.typmod || one->input_collation != other->input_collation)
		return false;
	for (i = 0; i < one->nargs; i++)
	{
		if (!are_alike(known, one->args[i], other->args[i]))
			return false;
	}
	return true;
}

/* The order's strategy of an operator, of one of the server's types; 0: it is none. */
static int
strategy_of(Oid operator, const DpExpr * operand)
{
	Oid type = getBaseType(dp_expr_unlabelled(operand)->type.oid);
	Oid family;

	if (!OidIsValid(operator) || operator>=
		FirstGenbkiObjectId || !dp_range_can_have_bounds(type))
		return 0;
	family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	return OidIsValid(family) ? get_op_opfamily_strategy(operator, family) : 0;
}

/* The values of an array, any of which is compared with, or all. */
static DpCompared
of_array(const DpExpr *comparison, Oid type, int strategy)
{
	const DpExpr *array = dp_expr_unlabelled(comparison->args[1]);
	bool is_any = comparison->kind == DP_EXPR_ANY;
	DpCompared result = {.is_none = is_any};
	int i;

	if (array->kind != DP_EXPR_ARRAY)
		return (DpCompared){0};
	for (i = 0; i < array->nargs; i++)
	{
		DpCompared one = of_value(array->args[i], type, strategy);

		result = is_any ? dp_compared_either(result, one)
						: dp_compared_both(result, one);
	}
	return result;
}

DpCompared
dp_compared_with(const DpExpr *comparison, const DpEqualities *known,
				 const DpExpr *expr)
{
	Oid type = getBaseType(bare(expr)->type.oid);
	bool is_turned =
		comparison->kind == DP_EXPR_CALL && comparison->nargs == 2 &&
		dp_expr_unlabelled(comparison->args[0])->kind == DP_EXPR_CONSTANT;
	const DpExpr *operand;
	int strategy;

	if ((comparison->kind != DP_EXPR_CALL && comparison->kind != DP_EXPR_ANY &&
		 comparison->kind != DP_EXPR_ALL) ||
		comparison->nargs != 2)
		return (DpCompared){0};
	operand = comparison->args[is_turned ? 1 : 0];
	strategy = strategy_of(comparison->call.operator, operand);
	if (strategy == 0 || !are_alike(known, operand, expr))
		return (DpCompared){0};
	if (comparison->kind != DP_EXPR_CALL)
		return of_array(comparison, type, strategy);
	return of_value(comparison->args[is_turned ? 0 : 1], type,
					is_turned ? BTMaxStrategyNumber + 1 - strategy : strategy);
}
