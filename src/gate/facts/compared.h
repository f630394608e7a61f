/*
 * compared.h
 *		Which numbers a comparison with constants leaves an expression.
 *
 * Only the types' own order counts, which no user can redefine for the server's
 * types, and only constants, since a plan is kept when parameters change. A strict
 * comparison of integers, dates and times excludes its end; of other numbers the end
 * stays, as if it were not strict. Null passes no comparison, NaN none that has an
 * upper end.
 *
 * An expression is compared whichever way it is written: conversions that change no
 * value, commuted operators and columns that are equal make no difference, as they
 * make none to a question's canonical form (gate/facts/text.h).
 */
#ifndef DP_GATE_FACTS_COMPARED_H
#define DP_GATE_FACTS_COMPARED_H

#include "gate/facts/equalities.h"

/* Numbers as in gate/facts/range.h. Of all zero: any. */
typedef struct DpCompared
{
	bool is_none; /* none passes; the rest is not set */
	bool has[2];  /* of the lower end, and of the upper */
	Datum
		ends[2]; /* numeric, finite, inclusive; they need not be of the type */
} DpCompared;

/* What is left by both of two conditions, and by one or the other. */
extern DpCompared dp_compared_both(DpCompared one, DpCompared other);
extern DpCompared dp_compared_either(DpCompared one, DpCompared other);

/*
 * What is left by a comparison: of an expression with a constant, either first, or
 * with ANY or ALL of an array of such. Anything else leaves any. known: what is equal
 * in the row.
 */
extern DpCompared dp_compared_with(const DpExpr *comparison,
								   const DpEqualities *known,
								   const DpExpr *expr);

#endif
