/*
 * preview.h
 *		What would become of a statement's releases, for EXPLAIN.
 */
#ifndef DP_GATE_RELEASE_PREVIEW_H
#define DP_GATE_RELEASE_PREVIEW_H

#include "gate/release/state.h"

/*
 * Sets preview and first_charge of all releases of a statement: what would
 * happen to them now. If that cannot be decided, or all is refused, the
 * preview has no charges, and an error that says why.
 */
extern void dp_gate_preview(DpReleaseState *state);

#endif
