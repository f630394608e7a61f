/*
 * expression.h
 *		Reads expressions over protected rows.
 *
 * What is read is total: it cannot fail, has no side effect, keeps no state and
 * reads nothing else, whatever a row holds; functions that can fail run as
 * their wrapped forms. Everything else is refused. Several ways of writing one
 * thing are read as one: constants are evaluated, calls of concat() and the like
 * and comparisons of rows written out, the order of enums becomes comparisons with
 * labels.
 */
#ifndef DP_GATE_READ_EXPRESSION_H
#define DP_GATE_READ_EXPRESSION_H

#include "gate/read/scope.h"

/*
 * Reads an expression that was folded. Errors: feature_not_supported, with a
 * position and a hint; those of functions that fail with their constants
 * whatever a row holds.
 */
extern const DpExpr *dp_expression_read_folded(DpScope *scope, Node *node);

/* What is ANDed in conditions that were folded: of const DpExpr. */
extern List *dp_expression_read_folded_conditions(DpScope *scope,
												  List *conditions);

/* Both at once. */
extern const DpExpr *dp_expression_read(DpScope *scope, Node *node);
extern List *dp_expression_read_conditions(DpScope *scope, Node *node);

/*
 * Of a part of the expression that is being read (DpReaders): the allow-list of
 * nodes.
 */
extern const DpExpr *dp_expression_read_part(DpScope *scope, Node *node);

#endif
