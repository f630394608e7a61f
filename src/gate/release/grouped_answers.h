/*
 * grouped_answers.h
 *		The answer to a question about several groupings.
 *
 * As the functions of answer_bytes.h, for the question of a release about all
 * its groupings: their answers one after the other, in the order of their own
 * fingerprints, each behind its length. That of a release which asks alone is
 * its own.
 */
#ifndef DP_GATE_RELEASE_GROUPED_ANSWERS_H
#define DP_GATE_RELEASE_GROUPED_ANSWERS_H

#include "lib/stringinfo.h"

#include "gate/release/release_state.h"

extern StringInfo dp_grouped_answers_write(DpReleaseState *state, int aggno);
extern void dp_grouped_answers_read(DpReleaseState *state, int aggno,
									const char *bytes, Size size);
extern void dp_grouped_answers_copy(DpReleaseState *from, int from_aggno,
									DpReleaseState *to, int aggno);

/* Copies answers to groupings that are repeated; their rows must be made. */
extern void dp_grouped_answers_repeat(List *states);

#endif
