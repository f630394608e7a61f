/*
 * block_aggregate.h
 *		The aggregates of a block: checked, with their bounds.
 */
#ifndef DP_GATE_QUESTION_BLOCK_AGGREGATE_H
#define DP_GATE_QUESTION_BLOCK_AGGREGATE_H

#include "gate/question/relations/relations.h"

/*
 * Checks one aggregate over protected relations and returns it as it is to be
 * computed: functions of constants are evaluated, bounds that the owner
 * declared fill in omitted ones.
 *
 * Errors: insufficient_privilege (not one of the extension's aggregates);
 * feature_not_supported, with a position and a hint.
 */
extern Aggref *dp_gate_check_aggregate(Aggref *aggref,
									   const DpRelations *relations);

#endif
