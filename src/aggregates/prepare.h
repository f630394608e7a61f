/*
 * prepare.h
 *		From a checked call to the mechanism that answers it.
 *
 * The aggregates, EXPLAIN and the ledger all use it, so that what is shown and
 * charged is what is drawn. Errors: those of the mechanisms, with hints.
 */
#ifndef DP_AGGREGATES_PREPARE_H
#define DP_AGGREGATES_PREPARE_H

#include "aggregates/call.h"
#include "mechanisms/bounds.h"
#include "mechanisms/extreme.h"
#include "mechanisms/mean.h"
#include "mechanisms/median.h"
#include "mechanisms/quantiles.h"
#include "mechanisms/regression.h"
#include "mechanisms/selection.h"
#include "mechanisms/unit.h"
#include "mechanisms/variance.h"

/* A prepared sum: plain data. */
typedef struct DpSum
{
	DpUnitSum unit;		/* of units of several rows, or of different values */
	uint64 sensitivity; /* in steps of the answer; 0: both bounds are 0, and
						 * nothing is noised */
	DpNoise noise;
	int exponent; /* a step of the answer is 2^exponent */
} DpSum;

/* What a call draws with. */
typedef union DpPrepared
{
	DpNoise noise; /* of counts */
	DpSum sum;
	DpMean mean;
	DpExtreme extreme;
	DpMedian median;
	DpQuantile quantile;
	DpQuantiles *quantiles; /* in the memory context of the preparation */
	DpVariance variance;
	DpRegression regression;
	DpSelection selection;
	DpBounds bounds;
} DpPrepared;

/* As the row of the call's aggregate says (aggregates/aggregate.h). */
extern void dp_prepare_call(const DpCall *call, DpPrepared *prepared);

/* The noise of a count. */
extern void dp_prepare_count(const DpCall *call, DpNoise *noise);

/* The functions that the rows of aggregates name. */
extern void dp_prepare_counting(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_sum(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_mean(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_extreme(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_median(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_quantile(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_quantiles(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_variance(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_regression(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_selection(const DpCall *call, DpPrepared *prepared);
extern void dp_prepare_bounds(const DpCall *call, DpPrepared *prepared);

/*
 * The call that a support function serves, with its DpPrepared, made once per
 * execution. Counts and modes do that themselves, since they keep other things
 * with it. Errors: those of dp_call_get too.
 */
extern DpCall *dp_prepare_get(FunctionCallInfo fcinfo, DpAggregate aggregate);

/* dp_prepare_get, for every row. */
static inline DpCall *
dp_prepare_of_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = fcinfo->flinfo->fn_extra;

	return likely(call != NULL && call->prepared != NULL)
			   ? call
			   : dp_prepare_get(fcinfo, aggregate);
}

#endif
