/*
 * contrary.h
 *		Whether two conditions on one row cannot both be true.
 *
 * gate/facts/exclusive.h says which such conditions are found, and why that
 * holds. False where it cannot be proved, or where that would take long: it
 * depends on the conditions alone.
 */
#ifndef DP_GATE_FACTS_CONTRARY_H
#define DP_GATE_FACTS_CONTRARY_H

#include "gate/tree/expr.h"

/*
 * Lists of const DpExpr, each of which all are true; of one row. *pairs: how many
 * pairs of their parts may still be looked at.
 */
extern bool dp_contrary_are(const List *arms, const List *others, int *pairs);

#endif
