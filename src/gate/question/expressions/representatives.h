/*
 * representatives.h
 *		One form for values that are equal but can be told apart.
 *
 * 1.0 and 1.00 are equal, and so are 0 and -0, but their texts differ. Which
 * of them stands for a group, for distinct rows or for a maximum depends on
 * the order in which rows are read, and so on other people's rows. The same
 * holds for the last digits of sums of floating-point numbers, which a
 * subtraction can bring to the front.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_REPRESENTATIVES_H
#define DP_GATE_QUESTION_EXPRESSIONS_REPRESENTATIVES_H

#include "nodes/parsenodes.h"

/*
 * Makes what a query over protected rows computes a function of these rows as a
 * set: keys of groups, distinct rows, least and greatest values have one form,
 * and floating-point values are added in their order.
 *
 * Errors: feature_not_supported for groups and distinct rows of a type whose
 * equal values have several forms, and for floating-point sums over a window.
 */
extern void dp_gate_represent(Query *query);

/* True where values of an expression that are equal are the same. */
extern bool dp_gate_has_one_form(Node *value);

#endif
