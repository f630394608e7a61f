/*
 * rounded_values.h
 *		What lies between bounds that are rounded.
 *
 * A column of numbers with fractions, or of many integers, has too many values
 * to go through. But a monotone function that rounds only has results between
 * those for the bounds.
 */
#ifndef DP_GATE_QUESTION_KEYS_ROUNDED_VALUES_H
#define DP_GATE_QUESTION_KEYS_ROUNDED_VALUES_H

#include "gate/question/keys/bounded_column.h"

/*
 * What an expression of a bounded column gives, in steps of 10^-decimals: all
 * between the ends, in either order. False where it does not round so.
 */
extern bool dp_gate_rounded_ends(Node *expression, const DpBounded *bounded,
								 int64 ends[2], int *decimals);

/* A multiple of 10^-decimals as a value of a type of numbers. */
extern Datum dp_gate_rounded_value(Oid type, int64 number, int decimals);

#endif
