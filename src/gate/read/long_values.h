/*
 * long_values.h
 *		How many long values a question's rows may have.
 *
 * The server cannot make a row or an array of more than 1 GB. If it depended
 * on a protected row whether it has to, the failure would reveal something
 * about that row, however little the question costs. So a long value has at
 * most 1 MB (expressions/guards.h), and a question has no more of them than
 * fit, whatever the rows hold. Nor does a single row take more memory than
 * that.
 */
#ifndef DP_GATE_READ_LONG_VALUES_H
#define DP_GATE_READ_LONG_VALUES_H

#include "gate/tree/node.h"

/* Refuses a question that may have too many: feature_not_supported. */
extern void dp_long_values_check(const DpQuestion *question);

#endif
