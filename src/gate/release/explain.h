/*
 * explain.h
 *		EXPLAIN of a release: nothing of the data.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_H
#define DP_GATE_RELEASE_EXPLAIN_H

#include "commands/explain.h"

#include "gate/release/state.h"

extern void dp_gate_release_explain(CustomScanState *node, List *ancestors,
									ExplainState *es);

/* What answers an aggregate, or would. */
extern void dp_gate_explain_answer(DpReleaseState *state, int aggno,
								   ExplainState *es);

/* How groups come about: what the keys are, and how many values they have. */
extern void dp_gate_explain_keys(DpReleaseState *state, ExplainState *es);

#endif
