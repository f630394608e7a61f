/*
 * explain_answer.h
 *		EXPLAIN of a DP Release: what answers an aggregate.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_ANSWER_H
#define DP_GATE_RELEASE_EXPLAIN_ANSWER_H

#include "commands/explain.h"

#include "gate/release/release_state.h"

/* What answers an aggregate, or would. */
extern void dp_explain_answer(const DpReleaseState *state, int aggno,
							  ExplainState *es);

#endif
