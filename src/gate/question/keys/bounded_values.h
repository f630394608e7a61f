/*
 * bounded_values.h
 *		The values of what is computed from a column with declared bounds.
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
#ifndef DP_GATE_QUESTION_KEYS_BOUNDED_VALUES_H
#define DP_GATE_QUESTION_KEYS_BOUNDED_VALUES_H

#include "gate/question/relations/relations.h"

/* The most values that are visited and released. */
#define DP_BOUNDED_MAX 1000000

/*
 * The values of an expression that is computed from one column, as constants,
 * or as expressions of those where the session's time zone decides. Its bounds
 * are declared, or stated in WHERE (gate/question/keys/stated_values.h); of a
 * column itself stated ones alone count. False where there are too many
 * values, or no bounds; then *missing is, where bounds would do, how they are
 * declared, and else NULL. is_nullable: null is one of them. is_stated: WHERE
 * bounds them.
 */
extern bool dp_gate_bounded_values(Node *expression,
								   const DpRelations *relations, List **images,
								   bool *is_nullable, bool *is_stated,
								   char **missing);

#endif
