/*
 * constants.h
 *		Values that are found before a question is asked.
 *
 * A sub-query that refers to nothing around it, and reads protected relations
 * by private aggregates alone, has one value in an execution. It is computed
 * first, with the asker's own rights, as if it were a statement of its own:
 * private answers in it are charged then, whatever becomes of the outer
 * question. In the outer question the value is a query parameter, so it is the
 * same question as with the value written out.
 */
#ifndef DP_GATE_READ_CONSTANTS_H
#define DP_GATE_READ_CONSTANTS_H

#include "gate/tree/planning.h"

/* The parameter that stands for the one value that a query finds. */
extern Param *dp_constants_take(DpPlanning *planning, const Node *expr,
								Query *query);

/* The same for an expression that depends on the asker: dp_gate_is_of_asker. */
extern Param *dp_constants_take_of_asker(DpPlanning *planning,
										 const Node *expr);

#endif
