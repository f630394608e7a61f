/*
 * groupings.h
 *		Groupings of one query as one question.
 *
 * GROUPING SETS, ROLLUP and CUBE become one release for each grouping
 * (gate/read/question.h). If they are in one execution, over
 * public keys and for the same aggregates, they are one question for each
 * aggregate: it is asked, charged, stored and replayed once, by the first of
 * them. Each grouping draws noise for a share of the epsilon asked for. The
 * charge is the sum of what they cost, since every row of a unit is in every
 * grouping. The shares are computed from the numbers of the keys' values,
 * which are public, before anything is charged.
 *
 * A unit of several rows is bounded by the keys of all groupings together: it
 * counts in at most m groups of the finest one. Where it can be in more, these
 * are chosen for each grouping anew, which are then tables of different rows
 * and do not agree; else the same rows of it count in each. In a coarser one
 * these may all be the same group. For noise scaled to a change in L1, and for
 * the price in epsilon, that makes no difference: m parts cost epsilon/m each.
 * For the price in rho it does: m parts in one group cost up to m^2 times as
 * much as one (Bun, Steinke 2016, proposition 27), which is m times as much as
 * in separate groups. So the rho of a coarser grouping is m times that of its
 * noise. (For Gaussian noise that is exactly the L2 change, m c in place of
 * sqrt(m) c.) Gaussian noise that is named by its delta has no such price in
 * epsilon: where all budgets count rho, its epsilon follows from rho and delta
 * (terms.h); else it is refused.
 *
 * A grouping that is written twice is drawn once. If only one is left, for
 * example after conditions around the query, it is a question of its own. So
 * is each grouping where keys are private or where there are privacy levels.
 */
#ifndef DP_GATE_RELEASE_GROUPINGS_H
#define DP_GATE_RELEASE_GROUPINGS_H

#include "lib/stringinfo.h"

#include "gate/release/release_state.h"

/*
 * The groupings among the releases of one query, those that differ and those
 * that are repeated; NULL where each release is a question of its own.
 */
extern DpGroupings *dp_groupings_make(List *family);

/*
 * The fingerprint of an aggregate's question; of groupings that of each by its
 * own keys and by those by which its units are bounded, which may be more.
 */
extern void dp_groupings_fingerprint(DpReleaseState *state, int aggno,
									 unsigned char fingerprint[32]);

/*
 * As the functions of answer_bytes.h, for the question of a release about all
 * its groupings: their answers one after the other, in the order of their own
 * fingerprints, each behind its length. That of a release which asks alone is
 * its own.
 */
extern StringInfo dp_groupings_write(DpReleaseState *state, int aggno);
extern void dp_groupings_read(DpReleaseState *state, int aggno,
							  const char *bytes, Size size);
extern void dp_groupings_copy(DpReleaseState *from, int from_aggno,
							  DpReleaseState *to, int aggno);

/*
 * Copies all that is shown of the groupings of a release, once it is final, to
 * those that repeat them.
 */
extern void dp_groupings_repeat(DpReleaseState *state);

#endif
