/*
 * between.c
 *		Goes through the values between bounds.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/between.h"
#include "gate/facts/between_steps.h"
#include "gate/facts/order.h"
#include "gate/facts/rounded.h"
#include "gate/tree/functions.h"

/* More than these between stated bounds are better found in the data. */
#define MOST_STATED 1000

/* The same of a column of integers between declared bounds: months, grades. */
#define MOST_DECLARED 32

/* What is collected. */
typedef struct Images
{
	DpType type;
	List *values; /* each once, where it follows the same one */
	bool has_null;
} Images;

/*
 * Values that are computed one by one
 */

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

/*
 * Evaluates an expression for each value, and for null where that is one: some
 * expressions have a value even there.
 */
static void
compute_values(const DpExpr *expr, const DpBetween *bounds,
			   const DpSteps *steps, Images *images)
{
	DpEvaluation evaluation =
		dp_evaluation_begin(list_make1((void *) expr), bounds->type);
	int64 number = steps->first;

	do
	{
		Datum value;
		bool isnull;

		dp_evaluation_set(&evaluation, number);
		value = dp_evaluation_of(&evaluation, 0, &isnull);
		add_image(images, value, isnull);
	} while (dp_between_go_on(steps, &number));
	if (bounds->is_nullable)
	{
		bool isnull;
		Datum value;

		dp_evaluation_set_null(&evaluation);
		value = dp_evaluation_of(&evaluation, 0, &isnull);
		add_image(images, value, isnull);
	}
	dp_evaluation_end(&evaluation);
}

/*
 * The same where the time zone decides: expressions, for each execution, which
 * then finds whether one of them is null.
 */
static void
make_values(const DpExpr *expr, const DpBetween *bounds, const DpSteps *steps,
			Images *images)
{
	int64 number = steps->first;

	do
	{
		Const *value = dp_arithmetic_constant(
			bounds->type, -1, dp_arithmetic_value(bounds->type, number));

		images->values =
			lappend(images->values, dp_arithmetic_image(expr, (Node *) value));
	} while (dp_between_go_on(steps, &number));
	if (bounds->is_nullable)
		images->values = lappend(
			images->values,
			dp_arithmetic_image(
				expr, (Node *) makeNullConst(bounds->type, -1,
											 get_typcollation(bounds->type))));
}

/*
 * All of them
 */

/* All rounded values between the rounded bounds. */
static bool
round_values(const DpExpr *expr, const DpBetween *bounds, Images *images)
{
	int decimals;
	int64 ends[2];
	int64 number;

	if (!dp_rounded_ends(expr, bounds->type, bounds->ends, ends, &decimals) ||
		ends[1] - ends[0] >= DP_BETWEEN_MOST - 2)
		return false;
	for (number = ends[0]; number <= ends[1]; number++)
	{
		CHECK_FOR_INTERRUPTS();
		add_image(images, dp_rounded_value(images->type.oid, number, decimals),
				  false);
	}
	images->has_null = bounds->is_nullable; /* rounding null gives null */
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

/*
 * Of values that are equal, such as the intervals '24:00' and '1 day', only one is gone
 * through, and something may be computed of another that is not of that.
 */
static bool
find_images(const DpExpr *expr, const DpExpr *column, const DpBetween *bounds,
			DpPace pace, Images *images)
{
	bool is_zoned = dp_functions_depends_on_zone(expr);
	DpSteps steps;

	if (round_values(expr, bounds, images))
		return true;
	if ((!dp_order_has_one_form(column) && dp_expr_column_of(expr) == NULL) ||
		dp_expr_has_kind(expr, DP_EXPR_PARAMETER) ||
		(!is_zoned && dp_expr_has_kind(expr, DP_EXPR_MOMENT)) ||
		!dp_between_steps(bounds, pace,
						  is_zoned ? DP_BETWEEN_MOST_ZONED : DP_BETWEEN_MOST,
						  &steps))
		return false;
	if (is_zoned)
		make_values(expr, bounds, &steps, images);
	else
		compute_values(expr, bounds, &steps, images);
	return true;
}

/* Integers of which there are so few that each may be a group. */
static bool
are_few(const DpBetween *bounds)
{
	return bounds->has_numbers && bounds->ordered == NULL &&
		   (dp_int128) bounds->numbers[1] - bounds->numbers[0] < MOST_DECLARED;
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
	DpBetween bounds = {0};

	if (column == NULL)
		return false;
	fact = &row[column->column.number];
	if (!dp_between_bounds(rows, fact, column, &bounds, &missing))
	{
		domain->missing = is_whole ? NULL : missing;
		return false;
	}
	if ((is_whole && !bounds.is_stated && !are_few(&bounds)) ||
		!find_images(expr, column, &bounds, pace, &images) ||
		((is_whole || !fact->has_bounds) &&
		 list_length(images.values) > MOST_STATED))
		return false;
	domain->sources = images.values;
	domain->is_nullable = images.has_null;
	domain->is_narrowed = bounds.is_narrowed;
	domain->is_open = fact->has_bounds; /* else conditions bind all rows */
	domain->words =
		bounds.is_stated ? "bounds of the conditions" : "declared bounds";
	return true;
}
