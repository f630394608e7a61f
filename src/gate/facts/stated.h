/*
 * stated.h
 *		Values and bounds that conditions state.
 *
 * The rows that pass a condition have the values that it names: `kind IN ('a',
 * 'b')` names two, `day >= '2024-01-01' AND day < '2025-01-01'` the days of a
 * year. They follow from the question alone, so they are public.
 *
 * Only conditions that hold in every row count, none within a protected view,
 * and only the types' own equality and order, which no user can redefine for the
 * server's types.
 */
#ifndef DP_GATE_FACTS_STATED_H
#define DP_GATE_FACTS_STATED_H

#include "gate/facts/range.h"

/*
 * The values that conditions on all rows of a node, or of those beneath it, leave
 * an expression over its columns: constants and parameters of its type (const
 * DpExpr); NIL where they leave it any. Null is none of them.
 */
extern List *dp_stated_values(const DpNode *node, const DpExpr *expr);

/*
 * Narrows the facts of a row's columns by a condition that holds in all rows: it
 * compares a column with a constant, or is something else.
 */
extern void dp_stated_narrow(DpColumnFact *row, const DpExpr *condition);

/*
 * Whether columns of a type have stated bounds: of integers, dates and times.
 * Between two of these there are only so many values.
 */
extern bool dp_stated_can_bound(Oid type);

#endif
