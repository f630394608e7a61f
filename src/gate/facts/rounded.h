/*
 * rounded.h
 *		What lies between bounds that are rounded.
 *
 * A column of numbers with fractions, or of many integers, has too many values
 * to go through. But a monotone function that rounds only has results between
 * those for the bounds.
 */
#ifndef DP_GATE_FACTS_ROUNDED_H
#define DP_GATE_FACTS_ROUNDED_H

#include "gate/tree/expr.h"

/*
 * What an expression of one column of a type between bounds gives, in steps of
 * 10^-decimals: from one end to the other. False where it does not round so.
 */
extern bool dp_rounded_ends(const DpExpr *expr, Oid type, const Datum bounds[2],
							int64 ends[2], int *decimals);

/* A multiple of 10^-decimals as a value of a type of numbers. */
extern Datum dp_rounded_value(Oid type, int64 number, int decimals);

#endif
