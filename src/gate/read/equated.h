/*
 * equated.h
 *		Equations of columns that nobody wrote.
 */
#ifndef DP_GATE_READ_EQUATED_H
#define DP_GATE_READ_EQUATED_H

#include "gate/tree/node.h"

/*
 * one = other, by the equality of the other's type. NULL: there is none of the
 * server's own that cannot fail.
 */
extern const DpExpr *dp_equated_columns(const DpExpr *one, const DpExpr *other);

/*
 * What is missing where a join goes along a foreign key between relations of one
 * population: that what refers to a row of somebody's is of the same unit. Of
 * const DpExpr, over the join's row; NIL: the join is none of that sort, or its
 * units are columns that cannot be equated. The equations say nothing of their own:
 * whether the join's rows have one unit with them is seen as if they were written
 * (gate/facts/owner.h).
 *
 * *words: the same in words, of const char.
 */
extern List *dp_equated_units(const DpNode *join, List **words);

/*
 * The same of a sub-query's rows and the row for which it is computed. compared:
 * what IN says besides, over the sub-query's rows, as the result.
 */
extern List *dp_equated_outer_units(const DpNode *rows, const DpNode *row,
									List *compared, List **words);

#endif
