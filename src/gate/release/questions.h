/*
 * questions.h
 *		The questions of a statement, each once, and the draws that answer them.
 *
 * A view that is used twice, or a block that is written twice, asks the same
 * question on the same terms: it is one object, with one price and one answer,
 * and whoever repeats it gets that answer. That reveals nothing more, so nothing
 * more is paid.
 *
 * So does whoever asks the same at another time, at the same price: nobody learns
 * more from several. What decides about the law of an answer is hashed to the
 * name of a draw: two questions of one name have answers of one law, about the
 * same rows.
 */
#ifndef DP_GATE_RELEASE_QUESTIONS_H
#define DP_GATE_RELEASE_QUESTIONS_H

#include "gate/release/release_state.h"

/*
 * Finds the questions of the releases that ask. Where keys are private, all
 * questions of a release are equal to others, and so are its groups, or none is:
 * one selection of groups serves all of its questions.
 *
 * Errors: those of dp_terms_call and dp_terms_describe; program_limit_exceeded
 * for samples that might not fit into memory.
 */
extern void dp_questions_find(List *askers);

/*
 * Sets how private groups are selected, once it was asked which questions were
 * answered before: where some of a release's answers are there, so are its
 * groups. False where nothing has to be selected.
 */
extern bool dp_questions_prepare_selections(List *askers);

/*
 * Names the draw of a question by itself, as it is charged. call: its
 * aggregate's; NULL for a selection of groups.
 */
extern void dp_questions_name_draw(const DpOutline *outline, const DpCall *call,
								   const DpCharge *charge,
								   unsigned char name[DP_FINGERPRINT_SIZE]);

/*
 * Replaces names by those of the same questions asked together, in whatever
 * order.
 *
 * With private keys an answer tells which groups were selected, and one
 * selection is paid for all questions of the release: so a draw is named by all
 * of them and by that selection.
 */
extern void dp_questions_name_together(
	unsigned char (*names)[DP_FINGERPRINT_SIZE], int count);

#endif
