/*
 * explain_bounds.h
 *		EXPLAIN of the bounds and the cap of an aggregate, and of what follows.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_BOUNDS_H
#define DP_GATE_RELEASE_EXPLAIN_BOUNDS_H

#include "commands/explain.h"

#include "aggregates/describe.h"
#include "gate/release/release_state.h"

/* Shows bounds that were derived, neither written nor declared, and from what. */
extern void dp_explain_derived_bounds(const Aggref *aggref,
									  DpBoundsOrigin origin, ExplainState *es);

/*
 * Says that bounds or a cap are chosen, and adds what that costs to the answer's
 * costs.
 */
extern void dp_explain_choice(DpReleaseState *state, int aggno,
							  DpDescription *description, ExplainState *es);

/*
 * The expected error of an aggregate, in words, as EXPLAIN and dp_noise.price show
 * it.
 */
extern char *dp_explain_error_text(DpReleaseState *state, int aggno,
								   const DpDescription *description);

/* Sensitivity and expected error; where something is chosen, these depend on it. */
extern void dp_explain_error(DpReleaseState *state, int aggno,
							 const DpDescription *description,
							 ExplainState *es);

/* The error of an answer that is derived from a stored one, in place of that. */
extern void dp_explain_derived_error(DpReleaseState *state, int aggno,
									 const DpDescription *description,
									 ExplainState *es);

#endif
