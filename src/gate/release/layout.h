/*
 * layout.h
 *		The rows of releases: laid out, or those of stored answers; and what is
 *		public, which is read for them.
 */
#ifndef DP_GATE_RELEASE_LAYOUT_H
#define DP_GATE_RELEASE_LAYOUT_H

#include "gate/release/charges.h"

/*
 * The rows of a release. With public keys, rows that are computed exist from
 * the beginning; rows that are only stored are those of the stored answer.
 */
extern void dp_gate_make_rows(DpReleaseState *state, bool computes);

/* Lays the rows out that are to be computed, or finds what they are made of. */
extern void dp_gate_lay_out(DpReleaseState *state);

/*
 * Reads what is public for a release, or for all its groupings. lays_out: and
 * lays its rows out.
 */
extern void dp_gate_read_for(DpReleaseState *state, bool lays_out);

/* Ends the reading of what is public. */
extern void dp_gate_end_lookups(DpReleaseState *state);

/*
 * Uses the stored answer to a question, replayed or shared; all of them; or
 * those that are shared, and say which groups with private keys there are.
 */
extern void dp_gate_use_stored(const DpQuestion *question);
extern void dp_gate_use_all_stored(const DpAsking *asked);
extern void dp_gate_use_shared_groups(const DpAsking *asked);

#endif
