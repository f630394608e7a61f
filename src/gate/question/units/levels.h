/*
 * levels.h
 *		Privacy levels: questions that are answered at several of them.
 *
 * Where the owner declared levels (dp_noise.set_levels), counts and exact sums
 * are drawn at the highest level, and those of each lower level from the one
 * above, by adding noise (samplers/chain_step.h). So several roles together
 * learn no more than the highest level reveals. A role chooses its level by
 * epsilon. This is the price of that; gate/release/level_chain.h is the draw.
 *
 * levels: of epsilon, Float nodes, descending; NIL: none.
 */
#ifndef DP_GATE_QUESTION_UNITS_LEVELS_H
#define DP_GATE_QUESTION_UNITS_LEVELS_H

#include "nodes/primnodes.h"

#include "aggregates/call.h"
#include "gate/question/relations/relations.h"
#include "ledger/request.h"
#include "mechanisms/noise_step.h"

/*
 * The calls that are computed for some aggregates: of those that are answered at
 * levels that of the highest one.
 */
extern List *dp_levels_calls(List *aggregates, List *levels);

/* True for a call that is answered at levels: a count or an exact sum. */
extern bool dp_levels_answer(const List *levels, const DpCall *call);

/*
 * Sets the mechanism of such a call, and leaves others as they are. Error:
 * invalid_parameter_value for another epsilon or another mechanism.
 */
extern void dp_levels_choose(const List *levels, const DpRelations *relations,
							 DpCall *call);

/* Sets what a charge says of the levels. */
extern void dp_levels_charge(const List *levels, const DpCall *call,
							 DpCharge *charge);

/* For EXPLAIN: "1, 0.5, 0.1". */
extern char *dp_levels_text(const List *levels);

/*
 * What each level adds to the one above it, the first nothing, in steps of
 * 2^*exponent; palloc'd. Errors: the mechanism's, where a level has no noise.
 */
extern DpNoiseStep *dp_levels_steps(const List *levels, const DpCall *call,
									int *exponent);

#endif
