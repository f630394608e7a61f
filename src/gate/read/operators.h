/*
 * operators.h
 *		Reads operators and casts, and says what may be called.
 */
#ifndef DP_GATE_READ_OPERATORS_H
#define DP_GATE_READ_OPERATORS_H

#include "gate/read/scope.h"
#include "server/compat.h"

/* An OpExpr, a DistinctExpr or a NullIfExpr, as this kind. */
extern const DpExpr *dp_operators_read(DpScope *scope, Node *node,
									   DpExprKind kind);

/* An operator; *read: its operands, NIL where they have not been read. */
extern const DpExpr *dp_operators_make(DpScope *scope, const OpExpr *op,
									   DpExprKind kind, List **read);

/* A cast by way of a text. value: what was read of its argument, or NULL. */
extern const DpExpr *dp_operators_read_cast(DpScope *scope, CoerceViaIO *cast,
											const DpExpr *value);

/*
 * A function must be total, or run as its wrapped form. What is wrong with a
 * sub-query comes before what is wrong with its place.
 */
extern void dp_operators_check_function(DpScope *scope, Oid function,
										Node *node, List *args, int location);

/* The same of an operator's: a user's may have any name over a listed function. */
extern void dp_operators_check(DpScope *scope, Oid operator, Oid function,
							   Node *node, List *args, int location);

/*
 * Comparison of texts must not depend on a locale's rules. Where two columns'
 * collations are in conflict there is none, and the comparison would fail at
 * the first row, and so reveal that there is one.
 */
extern void dp_operators_check_collation(const DpScope *scope, Oid collation,
										 List *args, int location);

/* Refuses a call. */
pg_noreturn extern void dp_operators_refuse(const DpScope *scope, Node *node,
											int location);

#endif
