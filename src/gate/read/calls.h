/*
 * calls.h
 *		Reads functions, comparisons with lists, and totals of a unit.
 */
#ifndef DP_GATE_READ_CALLS_H
#define DP_GATE_READ_CALLS_H

#include "gate/read/scope.h"

extern const DpExpr *dp_calls_read_function(DpScope *scope, Node *node);

/* x op ANY (array), or ALL; where the operator can fail, a call for each element. */
extern const DpExpr *dp_calls_read_any(DpScope *scope, Node *node);

/* An Aggref or WindowFunc, in a scope with totals. */
extern const DpExpr *dp_calls_read_total(DpScope *scope, Node *call);

#endif
