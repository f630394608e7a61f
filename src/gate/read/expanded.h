/*
 * expanded.h
 *		Reads calls that stand for several others.
 *
 * Parts that occur several times are shared, but whoever goes through an
 * expression meets each of them. So expressions have a greatest size. Error:
 * program_limit_exceeded.
 */
#ifndef DP_GATE_READ_EXPANDED_H
#define DP_GATE_READ_EXPANDED_H

#include "gate/read/scope.h"

/*
 * A call of concat, concat_ws, format, num_nulls or num_nonnulls. NULL for all
 * else, and for calls that cannot be written out: of an array in place of the
 * arguments, or a format that is not a constant of %s.
 */
extern const DpExpr *dp_expanded_call(DpScope *scope, const FuncExpr *call);

/*
 * (a, b) < (1, 2) as a < 1 OR a = 1 AND b < 2. NULL where the operators are not
 * of one order.
 */
extern const DpExpr *dp_expanded_row_order(DpScope *scope,
										   const RowCompareExpr *order);

/*
 * Returns a comparison with a list, or all of them, in which what is compared is
 * not repeated too often if each element has a comparison of its own.
 */
extern const DpExpr *dp_expanded_check_list(const DpExpr *comparison);

#endif
