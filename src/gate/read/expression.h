/*
 * expression.h
 *		Reads expressions over protected rows.
 *
 * What is read is total: it cannot fail, has no side effect, keeps no state and
 * reads nothing else, whatever a row holds; functions that can fail are read
 * as their wrapped forms. Everything else is refused, in the table of kinds
 * (gate/tree/kinds.h) or here. Several ways of writing one thing are read as
 * one: constants are evaluated, calls of concat() and the like written out, the order
 * of enums becomes comparisons with labels.
 */
#ifndef DP_GATE_READ_EXPRESSION_H
#define DP_GATE_READ_EXPRESSION_H

#include "gate/read/scope.h"

/*
 * Reads an expression of a query. Errors: feature_not_supported, with a
 * position and a hint; those of functions that are evaluated.
 */
extern const DpExpr *dp_expression_read(DpScope *scope, Node *node);

/* The conditions ANDed in an expression or list, which may be NULL: of DpExpr. */
extern List *dp_expression_read_conditions(DpScope *scope, Node *node);

#endif
