/*
 * explain_preview.h
 *		What would become of a statement's releases, for EXPLAIN.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_PREVIEW_H
#define DP_GATE_RELEASE_EXPLAIN_PREVIEW_H

#include "gate/release/release_state.h"

/*
 * Sets what would happen now to all releases of a statement, and to their
 * questions. If that cannot be decided, or all is refused, the preview has no
 * charges, and an error that says why.
 */
extern void dp_explain_preview(EState *estate);

#endif
