/*
 * conditions.h
 *		Sub-queries as conditions and values: EXISTS, IN, a single value.
 */
#ifndef DP_GATE_QUESTION_ROWS_CONDITIONS_H
#define DP_GATE_QUESTION_ROWS_CONDITIONS_H

#include "gate/question/rows/rows.h"

/*
 * Deals with the sub-queries in an expression of a query whose rows have an
 * owner. One that is public is copied; of one that refers to the query around,
 * what is public in it is; one over protected relations must be of the row's
 * own unit. Single values are those of aggregates over all rows of a sub-query,
 * which has one row, whatever there is.
 *
 * Errors: feature_not_supported for others, with a hint.
 */
extern Node *dp_gate_own_conditions(DpScope *scope, Node *expression);

/* The same as a mutator; scope: DpScope. */
extern Node *dp_gate_own_conditions_mutator(Node *node, void *scope);

#endif
