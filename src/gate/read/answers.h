/*
 * answers.h
 *		Private answers among what is public in a question.
 */
#ifndef DP_GATE_READ_ANSWERS_H
#define DP_GATE_READ_ANSWERS_H

#include "gate/tree/planning.h"

/*
 * A sub-query that reads private answers, nothing protected besides, and
 * nothing of the queries around it, becomes one over a constant: its rows, as
 * jsonb. They are found first, as those of a statement of their own, and the
 * question around has them as a parameter, so that it is a question by their
 * values (gate/read/constants.h). Others are returned as they are.
 */
extern Query *dp_answers_take(DpPlanning *planning, Query *query);

#endif
