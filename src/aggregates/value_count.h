/*
 * value_count.h
 *		What the aggregates of different values have in common.
 *
 * They gather pairs of a unit and a value in their transition functions. The two
 * ways of counting them, each with a state of its own (count_values.c,
 * count_pairs.c), share these final functions: dp_count_values_final and, without
 * noise, dp_count_values_state_final.
 */
#ifndef DP_AGGREGATES_VALUE_COUNT_H
#define DP_AGGREGATES_VALUE_COUNT_H

#include "postgres.h"

#include "aggregates/call.h"
#include "aggregates/internal_state.h"
#include "mechanisms/distinct_flow.h"

/* What both states begin with. */
typedef struct DpValueCount
{
	DpInternalState kind;
	uint32 cap;	  /* values that one unit counts for, at most */
	uint64 pairs; /* gathered so far */

	/*
	 * The number of different values that noise is added to. Called once, and
	 * only where there are pairs.
	 */
	int64 (*count)(struct DpValueCount *state);
} DpValueCount;

/* Fills in a state without pairs. */
extern void dp_value_count_init(DpValueCount *state, const DpCall *call,
								int64 (*count)(DpValueCount *));

/* The state that a final function is given; NULL where there are no pairs. */
extern DpValueCount *dp_value_count_argument(FunctionCallInfo fcinfo);

/*
 * A flow of this many units' pairs, without its pages, which can be interrupted.
 * offset: that of its first word in the pages. Returns the offset behind the
 * last.
 */
extern uint64 dp_value_count_flow(const DpValueCount *state, DpFlow *flow,
								  uint64 offset, uint64 units);

#endif
