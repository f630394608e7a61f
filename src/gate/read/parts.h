/*
 * parts.h
 *		Parts of the expression that is being read.
 */
#ifndef DP_GATE_READ_PARTS_H
#define DP_GATE_READ_PARTS_H

#include "gate/read/scope.h"
#include "server/compat.h"

/* A part of it (DpReaders), and several. */
extern const DpExpr *dp_parts_read(DpScope *scope, Node *node);
extern List *dp_parts_read_all(DpScope *scope, List *nodes);

/* Of this kind and of the type of a node, over parts (Node). */
extern DpExpr *dp_parts_make(DpScope *scope, DpExprKind kind, Node *node,
							 List *args);

/* An array of elements (Node), whose type another node has. */
extern const DpExpr *dp_parts_make_array(DpScope *scope, Node *array,
										 List *elements);

/* A Const, and a Param of the statement or of the comparison of a sub-query. */
extern const DpExpr *dp_parts_make_constant(Node *node);
extern const DpExpr *dp_parts_make_parameter(Node *node);

/* What has one value in an execution. */
extern const DpExpr *dp_parts_make_moment(Node *node);

/* Refuses a form: feature_not_supported. */
pg_noreturn extern void dp_parts_refuse(const DpScope *scope, Node *node);

#endif
