/*
 * public_range.h
 *		Between which bounds the values lie that public rows decide.
 */
#ifndef DP_GATE_READ_PUBLIC_RANGE_H
#define DP_GATE_READ_PUBLIC_RANGE_H

#include "gate/facts/range.h"

/*
 * Finds the least and the greatest value that an expression over a question's rows
 * has, where public rows decide it (gate/facts/public_values.h), and makes them the
 * bounds of a range. False, and nothing is changed, where they do not, or may not be
 * read now (public_run.h).
 */
extern bool dp_public_range_find(const DpNode *rows, const DpExpr *expr,
								 DpColumnFact *range);

#endif
