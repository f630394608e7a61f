/*
 * expression.h
 *		Reads expressions over protected rows.
 *
 * What is read is total: it cannot fail, has no side effect, keeps no state and
 * reads nothing else, whatever a row holds; functions that can fail run as
 * their wrapped forms. Everything else is refused. Several ways of writing one
 * thing are read as one: constants are evaluated, calls of concat() and the like
 * written out, the order of enums becomes comparisons with labels.
 */
#ifndef DP_GATE_READ_EXPRESSION_H
#define DP_GATE_READ_EXPRESSION_H

#include "gate/read/scope.h"
#include "server/compat.h"

/*
 * Evaluates the constants in an expression, and refuses it before if that could
 * run what a user has written. The node may be changed.
 *
 * Errors: feature_not_supported, with a position and a hint; those of functions
 * that are evaluated.
 */
extern Node *dp_expression_fold(const DpScope *scope, Node *node);

/* The same of conditions, which may be NULL: a list of those that are ANDed. */
extern List *dp_expression_fold_conditions(const DpScope *scope, Node *node);

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

/* For what reads one form: a part of the expression that is being read. */
extern const DpExpr *dp_expression_read_part(DpScope *scope, Node *node);
extern List *dp_expression_read_parts(DpScope *scope, List *nodes);

/* Of this kind and of the type of a node, over parts (Node). */
extern DpExpr *dp_expression_make(DpScope *scope, DpExprKind kind, Node *node,
								  List *args);

/* An array of elements, whose type another node has. */
extern const DpExpr *dp_expression_make_array(DpScope *scope, Node *array,
											  List *elements);

/* A Const, and a Param of the statement or of the comparison of a sub-query. */
extern const DpExpr *dp_expression_make_constant(Node *node);
extern const DpExpr *dp_expression_make_parameter(Node *node);

/* What has one value in an execution. */
extern const DpExpr *dp_expression_make_moment(Node *node);

/* Refuses a form: feature_not_supported. */
pg_noreturn extern void dp_expression_refuse(const DpScope *scope, Node *node);

#endif
