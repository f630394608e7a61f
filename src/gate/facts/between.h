/*
 * between.h
 *		The values of what is computed from a column between bounds.
 *
 * Between its bounds a column of integers, dates or times has a limited number
 * of values, and so has an expression over it: date_trunc('month', day) has as
 * many as there are months between the bounds. They follow from the bounds and
 * the expression, not from rows, so they are public. Some of them may be
 * values that no row can have; rows with values beyond the bounds are in no
 * group.
 *
 * A column of times, or of numbers with fractions, has too many values to go
 * through. Of times, only one in each hour or day is computed, if the
 * functions above the column only distinguish hours or days. Rounded numbers
 * lie between the rounded bounds.
 */
#ifndef DP_GATE_FACTS_BETWEEN_H
#define DP_GATE_FACTS_BETWEEN_H

#include "gate/facts/range.h"

typedef struct DpBetween
{
	List *values;	  /* server nodes: constants, or expressions of those where
					   * the session's time zone decides */
	bool is_nullable; /* null is one of them */
	bool is_stated;	  /* conditions state both bounds */
	const char *missing; /* where bounds would do: how they are declared */
} DpBetween;

/*
 * The values of an expression that is computed from one column between bounds;
 * of a column itself only those of conditions count. False where there are too
 * many values, or no bounds.
 */
extern bool dp_between_find(const DpExpr *expr, const DpColumnFact *row,
							DpBetween *result);

#endif
