/*
 * chosen_bounds.h
 *		Bounds that are chosen together with answers.
 *
 * Where an aggregate has no bounds, a share of its epsilon buys them: a noisy
 * histogram over all of the question's rows (mechanisms/bounds.h), after the charge
 * and before the aggregates, which take the bounds as parameters. What both cost is
 * argued in accounting/chosen_price.h. The bounds are stored with the answer: who
 * gets it again, or shares it, is told the same ones.
 *
 * Where no bin has values enough there are no bounds, and the answer is null, as of
 * no rows in SQL: an answer within bounds that mean nothing would mean nothing, and a
 * sum within [0, 0] be a divisor of 0.
 */
#ifndef DP_GATE_RELEASE_CHOSEN_BOUNDS_H
#define DP_GATE_RELEASE_CHOSEN_BOUNDS_H

#include "gate/release/release_state.h"

/*
 * Chooses the bounds of a release, DpReleaseState, whose price is charged, and of the
 * groupings that ask together with it. To be run as other statements beneath it are.
 */
extern void dp_chosen_bounds_find(void *state);

/* Tells which bounds were chosen, in a NOTICE for each choice. */
extern void dp_chosen_bounds_tell(List *states);

/* Such bounds as text: "0 and 64"; of unknown ones NULL. */
extern char *dp_chosen_bounds_text(const DpTerms *terms, int aggno);

#endif
