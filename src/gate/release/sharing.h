/*
 * sharing.h
 *		Equal questions of one statement, which have one answer and one charge.
 *
 * A view that is used twice, or a block that is written twice, asks the same
 * question at the same price: the first is asked, and the others get its
 * answer. That reveals nothing more, so nothing more is paid.
 */
#ifndef DP_GATE_RELEASE_SHARING_H
#define DP_GATE_RELEASE_SHARING_H

#include "gate/release/asking.h"

/*
 * Finds the questions that are equal to one before, of the same or of another
 * release: sets same of the questions, and shared of their releases. Where keys
 * are private, a release shares all of its questions, and so its groups, or
 * none. No groups have been selected yet.
 */
extern void dp_gate_find_shared(DpAsking *asked);

/* The same, carried over to questions that were listed again. */
extern void dp_gate_keep_shared(DpAsking *asked, const DpAsking *before);

/*
 * Gives shared questions the outcomes of those that they share with, as
 * replays.
 */
extern void dp_gate_share_results(DpAsking *asked);

/* True for a release all of whose questions are shared with others'. */
extern bool dp_gate_is_shared(const DpReleaseState *state);

#endif
