/*
 * draw.h
 *		Which draw answers a question.
 *
 * Whoever asks the same, at the same price, gets the same answer, so that
 * nobody learns more from several. What decides about the law of an answer is
 * hashed to the name of a draw: two questions of one name have answers of one
 * law, about the same rows.
 */
#ifndef DP_GATE_RELEASE_DRAW_H
#define DP_GATE_RELEASE_DRAW_H

#include "gate/release/charges.h"

/*
 * Names the draws of all questions of one release, which are priced.
 *
 * With private keys an answer tells which groups were selected, and one
 * selection is paid for all questions of the release: so a draw is named by all
 * of them and by that selection. Until it is known how groups are selected,
 * nobody else's answers are used.
 */
extern void dp_gate_name_draws(DpQuestion *questions, int count);

#endif
