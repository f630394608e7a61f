/*
 * calls.h
 *		Reads operators, functions, casts and comparisons with lists.
 */
#ifndef DP_GATE_READ_CALLS_H
#define DP_GATE_READ_CALLS_H

#include "gate/read/scope.h"
#include "server/compat.h"

/* Of an OpExpr, a DistinctExpr or a NullIfExpr, as an expression of this kind. */
extern const DpExpr *dp_calls_read_operator(DpScope *scope, Node *node,
											DpExprKind kind);

extern const DpExpr *dp_calls_read_function(DpScope *scope, Node *node);

/* An operator, over operands that were read. */
extern const DpExpr *dp_calls_read_comparison(DpScope *scope, const OpExpr *op,
											  List *read);

/* A cast by way of a text. value: what was read of its argument, or NULL. */
extern const DpExpr *dp_calls_read_cast(DpScope *scope, CoerceViaIO *cast,
										const DpExpr *value);

/* x op ANY (array), or ALL; where the operator can fail, a call for each element. */
extern const DpExpr *dp_calls_read_any(DpScope *scope, Node *node);

/* Refuses a call: feature_not_supported. */
pg_noreturn extern void dp_calls_refuse(const DpScope *scope, Node *node,
										int location);

#endif
