/*
 * parameter.h
 *		Reads the parameters of private aggregates.
 */
#ifndef DP_GATE_READ_PARAMETER_H
#define DP_GATE_READ_PARAMETER_H

#include "gate/read/scope.h"

/*
 * A parameter of a private aggregate, which was folded, with parameters in the
 * place of values that are found before. Refuses what could have another value
 * when it is charged than when it is used: anything but query parameters and
 * immutable functions of PostgreSQL itself over them.
 */
extern Node *dp_parameter_take(DpScope *scope, Node *node);

/* Refuses it alone. location: of what it is a parameter of, for the message. */
extern void dp_parameter_check(Node *node, int location);

/* Such a parameter as a constant, a parameter, or DP_EXPR_MOMENT. */
extern const DpExpr *dp_parameter_read(Node *node);

#endif
