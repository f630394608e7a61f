/*
 * failing_calls.h
 *		Functions that can fail, over protected rows.
 */
#ifndef DP_GATE_READ_FAILING_CALLS_H
#define DP_GATE_READ_FAILING_CALLS_H

#include "nodes/parsenodes.h"

/*
 * True for a call (an operator, a function, a cast by way of a text) of a
 * function that runs as its wrapped form (expressions/wrapped.h). Refuses such
 * a call where the function asks for more than it is given: a constant,
 * the collation "C", the right to call it. what: for the message.
 *
 * Errors: feature_not_supported, insufficient_privilege; that of the function,
 * where it fails with its constants whatever a row holds.
 */
extern bool dp_failing_calls_check(Node *node, const char *what);

/*
 * Checks the constants of such calls again, once values have replaced
 * parameters, so that an invalid pattern fails before anything is charged.
 * Errors: those of the functions.
 */
extern void dp_failing_calls_probe(Node *expression);

/* True for an expression with one value per execution of a statement: now(). */
extern bool dp_failing_calls_is_moment(Node *node);

#endif
