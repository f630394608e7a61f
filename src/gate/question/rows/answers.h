/*
 * answers.h
 *		Private answers among what is public in a block.
 */
#ifndef DP_GATE_QUESTION_ROWS_ANSWERS_H
#define DP_GATE_QUESTION_ROWS_ANSWERS_H

#include "gate/question/relations/relations.h"

/*
 * A sub-query that reads private answers, nothing protected besides, and
 * nothing of the queries around it, becomes one over a constant: its rows, as
 * jsonb. They are found first, as those of a statement of their own, and the
 * question around has them as a parameter, so that it is a question by their
 * values (gate/question/expressions/constants.h). Others are returned as they are.
 */
extern Query *dp_gate_take_answer(Query *query, DpRelations *relations);

/* The same for an entry of a block's FROM. */
extern void dp_gate_take_answer_of(Query *query, int rtindex,
								   DpRelations *relations);

#endif
