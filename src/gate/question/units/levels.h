/*
 * levels.h
 *		Aggregates that are answered at several privacy levels.
 *
 * How they are answered: gate/release/chain.h.
 */
#ifndef DP_GATE_QUESTION_UNITS_LEVELS_H
#define DP_GATE_QUESTION_UNITS_LEVELS_H

#include "nodes/primnodes.h"

#include "aggregates/aggregate.h"

/* Counts, and sums that are exact: not those of binary fractions. */
extern bool dp_gate_is_in_chain(const DpAggregateTraits *traits, Oid type);

/* The calls that are computed for some aggregates: in the chain those of the
 * highest level. levels: Float nodes, descending; NIL: none. */
extern List *dp_gate_level_calls(List *aggregates, List *levels);

#endif
