/*
 * equal_questions.h
 *		Equal questions of one statement, which have one answer and one charge.
 *
 * A view that is used twice, or a block that is written twice, asks the same
 * question at the same price: the first is asked, and the others get its
 * answer. That reveals nothing more, so nothing more is paid.
 */
#ifndef DP_GATE_RELEASE_EQUAL_QUESTIONS_H
#define DP_GATE_RELEASE_EQUAL_QUESTIONS_H

#include "gate/release/asking.h"

/*
 * Finds the questions that are equal to one before, of the same or of another
 * release: sets same of the questions and of their releases. Where keys are
 * private, all questions of a release are equal to others, and so are its
 * groups, or none is. No groups have been selected yet.
 */
extern void dp_gate_find_equal(DpAsking *asked);

/* The same, carried over to questions that were listed again. */
extern void dp_gate_keep_equal(DpAsking *asked, const DpAsking *before);

/* Gives them the results of those that they are equal to. */
extern void dp_gate_answer_equal(DpAsking *asked);

/* True for a release all of whose questions are equal to others'. */
extern bool dp_gate_is_answered_before(const DpReleaseState *state);

#endif
