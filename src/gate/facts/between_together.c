/*
 * between_together.c
 *		The tuples of several expressions over a column between bounds.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/between.h"
#include "gate/facts/between_steps.h"
#include "gate/tree/functions.h"

/* Tuples are looked through for equal ones when there are this many more. */
#define MOST_BEFORE_SORTED 100000

/* A tuple, and when it was found. */
typedef struct Tuple
{
	List *values; /* of Const */
	int number;
} Tuple;

static int
compare_tuples(const void *a, const void *b)
{
	const Tuple *one = a;
	const Tuple *other = b;
	ListCell *left;
	ListCell *right;

	forboth (left, one->values, right, other->values)
	{
		int order = dp_arithmetic_compare(lfirst_node(Const, left),
										  lfirst_node(Const, right));

		if (order != 0)
			return order;
	}
	return 0;
}

static int
compare_in_order(const void *a, const void *b)
{
	int order = compare_tuples(a, b);

	return order != 0
			   ? order
			   : ((const Tuple *) a)->number - ((const Tuple *) b)->number;
}

/* Each tuple once, where it came first. */
static List *
each_once(List *tuples)
{
	int count = list_length(tuples);
	Tuple *sorted = palloc(Max(count, 1) * sizeof(Tuple));
	bool *is_first = palloc0(Max(count, 1) * sizeof(bool));
	List *result = NIL;
	ListCell *cell;
	int i;

	foreach (cell, tuples)
		sorted[foreach_current_index(cell)] =
			(Tuple){lfirst(cell), foreach_current_index(cell)};
	qsort(sorted, count, sizeof(Tuple), compare_in_order);
	for (i = 0; i < count; i++)
		is_first[sorted[i].number] =
			i == 0 || compare_tuples(&sorted[i - 1], &sorted[i]) != 0;
	foreach (cell, tuples)
	{
		if (is_first[foreach_current_index(cell)])
			result = lappend(result, lfirst(cell));
	}
	pfree(sorted);
	pfree(is_first);
	return result;
}

/* The values of all expressions for the column's value. */
static List *
compute_tuple(const List *exprs, const DpEvaluation *evaluation)
{
	List *tuple = NIL;

	foreach_ptr (const DpExpr, expr, exprs)
	{
		const DpType *type = &expr->type;
		int16 length;
		bool by_value;
		bool isnull;
		Datum value =
			dp_evaluation_of(evaluation, foreach_current_index(expr), &isnull);

		get_typlenbyval(type->oid, &length, &by_value);
		tuple = lappend(
			tuple,
			isnull
				? makeNullConst(type->oid, type->typmod, type->collation)
				: dp_arithmetic_constant(type->oid, type->typmod,
										 datumCopy(value, by_value, length)));
	}
	return tuple;
}

/* Each tuple once; the list is shortened before it becomes too long. */
static List *
compute_tuples(const List *exprs, const DpBetween *bounds, const DpSteps *steps)
{
	DpEvaluation evaluation = dp_evaluation_begin(exprs, bounds->type);
	List *tuples = NIL;
	int64 number = steps->first;
	int most = MOST_BEFORE_SORTED;

	do
	{
		List *tuple;

		dp_evaluation_set(&evaluation, number);
		tuple = compute_tuple(exprs, &evaluation);
		if (tuples == NIL || !equal(llast(tuples), tuple))
			tuples = lappend(tuples, tuple);
		if (list_length(tuples) > most)
		{
			tuples = each_once(tuples);
			most = 2 * list_length(tuples) + MOST_BEFORE_SORTED;
		}
	} while (dp_between_go_on(steps, &number));
	tuples = each_once(tuples);
	if (bounds->is_nullable)
	{
		dp_evaluation_set_null(&evaluation);
		tuples = lappend(tuples, compute_tuple(exprs, &evaluation));
	}
	dp_evaluation_end(&evaluation);
	return tuples;
}

/* The same where the time zone decides: expressions, for each execution. */
static List *
make_tuples(const List *exprs, const DpBetween *bounds, const DpSteps *steps)
{
	int64 number = steps->first;
	List *tuples = NIL;
	bool is_last = false;

	while (!is_last)
	{
		Const *value = dp_arithmetic_constant(
			bounds->type, -1, dp_arithmetic_value(bounds->type, number));

		tuples = lappend(tuples, dp_arithmetic_images(exprs, (Node *) value));
		is_last = !dp_between_go_on(steps, &number);
	}
	if (bounds->is_nullable)
		tuples = lappend(
			tuples,
			dp_arithmetic_images(
				exprs, (Node *) makeNullConst(bounds->type, -1,
											  get_typcollation(bounds->type))));
	return tuples;
}

/* Rows between the bounds. */
static DpKept *
keep_between(const DpExpr *column, const DpBetween *bounds)
{
	DpKept *kept = palloc0(sizeof(DpKept));
	int end;

	kept->column = column;
	for (end = 0; end < 2; end++)
		kept->bounds[end] =
			dp_arithmetic_constant(bounds->type, -1, bounds->ends[end]);
	kept->is_nullable = bounds->is_nullable;
	return kept;
}

bool
dp_between_find_together(const DpNode *rows, const DpColumnFact *row,
						 List *exprs, DpTogether *found)
{
	const DpExpr *column = NULL;
	const char *missing = NULL;
	DpBetween bounds = {0};
	bool is_zoned = false;
	DpSteps steps;

	foreach_ptr (const DpExpr, expr, exprs)
	{
		(void) dp_pace_of(expr, &column);
		is_zoned |= dp_functions_depends_on_zone(expr);
		if (column == NULL || dp_expr_has_kind(expr, DP_EXPR_PARAMETER) ||
			dp_expr_has_kind(expr, DP_EXPR_MOMENT))
			return false;
	}
	if (column == NULL ||
		!dp_between_bounds(rows, &row[column->column.number], column, &bounds,
						   &missing) ||
		!dp_between_steps(&bounds, dp_pace_of_all(exprs),
						  is_zoned ? DP_BETWEEN_MOST_ZONED : DP_BETWEEN_MOST,
						  &steps))
		return false;
	found->sources = is_zoned ? make_tuples(exprs, &bounds, &steps)
							  : compute_tuples(exprs, &bounds, &steps);
	found->is_open = row[column->column.number].has_bounds;
	found->kept = found->is_open ? keep_between(column, &bounds) : NULL;
	found->words =
		bounds.is_stated ? "bounds of the conditions" : "declared bounds";
	return true;
}
