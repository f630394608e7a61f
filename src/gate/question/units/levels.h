/*
 * levels.h
 *		Aggregates that are answered at several privacy levels.
 *
 * How they are answered: gate/release/ladder.h.
 */
#ifndef DP_GATE_QUESTION_UNITS_LEVELS_H
#define DP_GATE_QUESTION_UNITS_LEVELS_H

#include "nodes/primnodes.h"

#include "aggregates/call.h"

/* Counts, and sums that are exact: not those of binary fractions. */
extern bool dp_gate_is_on_ladder(DpAggregate aggregate, Oid type);

/* The mechanism of all levels of such an aggregate. */
extern DpMechanism dp_gate_ladder_mechanism(DpAggregate aggregate);

/* The calls that are computed for some aggregates: on the ladder those of the
 * highest level. levels: Float nodes, descending; NIL: none. */
extern List *dp_gate_level_calls(List *aggregates, List *levels);

#endif
