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

#include "aggregates/call.h"
#include "gate/release/release_plan.h"
#include "ledger/request.h"

/*
 * Names the draw of a question by itself, as it is charged. call: its
 * aggregate's; NULL for a selection of groups.
 */
extern void dp_draw_name(const DpReleasePlan *plan, const DpCall *call,
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
extern void dp_draw_name_together(unsigned char (*names)[DP_FINGERPRINT_SIZE],
								  int count);

#endif
