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
 * functions above the column only distinguish hours or days (gate/facts/pace.h). A
 * monotone function that rounds numbers only has results between those for the
 * bounds.
 */
#ifndef DP_GATE_FACTS_BETWEEN_H
#define DP_GATE_FACTS_BETWEEN_H

#include "gate/facts/domain.h"
#include "gate/facts/range.h"
#include "gate/facts/together.h"

/*
 * The values of an expression over a question's rows, of whose columns this much is
 * known, where it is computed from one column between bounds; of a column itself,
 * or of what only chooses from it, declared bounds count where it has few integers between
 * them. They may be expressions of constants, where the
 * session's time zone decides. Some may come several times, far apart.
 *
 * False where there are too many values, or no bounds; then it sets nothing but
 * what is missing.
 */
extern bool dp_between_find(const DpNode *rows, const DpColumnFact *row,
							const DpExpr *expr, DpDomain *domain);

/*
 * The tuples of several expressions that are all computed from one column: all but
 * the keys of *found. Where the column may be null, what is computed from null is
 * one of them. False where there are too many, or no bounds.
 */
extern bool dp_between_find_together(const DpNode *rows,
									 const DpColumnFact *row, List *exprs,
									 DpTogether *found);

#endif
