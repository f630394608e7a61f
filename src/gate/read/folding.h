/*
 * folding.h
 *		Evaluates the constants in expressions.
 */
#ifndef DP_GATE_READ_FOLDING_H
#define DP_GATE_READ_FOLDING_H

#include "gate/read/scope.h"

/*
 * Evaluates the constants in an expression, which may be changed, and refuses it
 * before if that could run what a user has written. what: for the
 * message, such as "WHERE". Whether it may be computed over protected rows is
 * decided on the result.
 *
 * Errors: feature_not_supported, with a position and a hint; those of functions
 * that are evaluated.
 */
extern Node *dp_folding_fold(Node *expression, const char *what);

/*
 * Evaluates the functions of constants in an expression that dp_folding_fold has
 * seen. Where the server's code does not check how long a result is before it
 * asks for memory, as that of bpchar(), its internal error becomes
 * program_limit_exceeded.
 */
extern Node *dp_folding_evaluate(Node *expression);

/* The same as dp_folding_fold of conditions, which may be NULL: a list of those that are ANDed. */
extern List *dp_folding_fold_conditions(const DpScope *scope, Node *node);

#endif
