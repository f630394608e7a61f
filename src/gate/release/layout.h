/*
 * layout.h
 *		The rows of releases, and what is public, which is read for them.
 *
 * With public keys, rows that are computed exist from the beginning; rows that
 * are only stored are those of the stored answer.
 */
#ifndef DP_GATE_RELEASE_LAYOUT_H
#define DP_GATE_RELEASE_LAYOUT_H

#include "gate/release/release_state.h"

/* Makes the rows of all groupings of a release, without groups. */
extern void dp_layout_begin(DpReleaseState *state);

/* Lays the rows out that are to be computed, or finds what they are made of. */
extern void dp_layout_rows(DpReleaseState *state);

/*
 * Reads what is public for a release, or for all its groupings. lays_out: and
 * lays its rows out.
 */
extern void dp_layout_read(DpReleaseState *state, bool lays_out);

/* Closes the copies of what is public. */
extern void dp_layout_close_copies(DpReleaseState *state);

#endif
