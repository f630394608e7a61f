/*
 * folding.h
 *		Evaluates constants in a block, but no user-defined code.
 */
#ifndef DP_GATE_READ_FOLDING_H
#define DP_GATE_READ_FOLDING_H

#include "nodes/nodes.h"

/*
 * Evaluates the functions of constants in an expression of a block, which may
 * be changed. Refuses it before if that could run what a user has written: see
 * folding.c for what is allowed. what: for the message, such as "WHERE".
 * Whether it may be computed over protected rows is decided on the result
 * (gate/read/expression.h).
 *
 * Errors: feature_not_supported, with a position and a hint; those of the
 * functions.
 */
extern Node *dp_folding_fold(Node *expression, const char *what);

/*
 * Evaluates the functions of constants in an expression that dp_folding_fold has
 * seen. Where the server's code does not check how long a result is before it
 * asks for memory, as that of bpchar(), its internal error becomes
 * program_limit_exceeded.
 */
extern Node *dp_folding_evaluate(Node *expression);

#endif
