/*
 * describe.h
 *		What a call will do, described in advance for EXPLAIN and the ledger.
 */
#ifndef DP_AGGREGATES_DESCRIBE_H
#define DP_AGGREGATES_DESCRIBE_H

#include "accounting/account.h"
#include "aggregates/call.h"
#include "aggregates/prepare.h"

/* What an error is of. */
typedef enum DpErrorUnit
{
	DP_ERROR_UNKNOWN,	   /* it depends on the data */
	DP_ERROR_VALUES,	   /* the answer, in its unit */
	DP_ERROR_RANKS,		   /* how many values lie in between */
	DP_ERROR_ROWS,		   /* rows of a value, or of a bin */
	DP_ERROR_BY_ROWS,	   /* the answer, to be divided by the number of rows */
	DP_ERROR_ROOT_BY_ROWS, /* the root of that */
} DpErrorUnit;

typedef struct DpDescription
{
	DpMechanism mechanism; /* never DP_AUTO */
	double sensitivity;	   /* of one group's answer to one privacy unit, in
							* its unit, at most; where scores decide of the
							* score, in ranks */
	bool is_of_values;	   /* it is in the value's unit, not in ranks or rows */
	DpErrorUnit error_unit;
	double
		half_width_95;	/* at least 95% of the answers err by no more; NaN where
						   * that is not known */
	double step;		/* from one possible answer to the next, where these
						   * are few and the error is one of ranks, else 0 */
	DpAmount asked;		/* epsilon */
	DpPrivacyCost cost; /* of the answers of all groups together */
} DpDescription;

/*
 * Describes a checked call, from public facts alone. Errors: as the aggregate
 * itself would raise for its mechanism.
 */
extern void dp_describe_call(const DpCall *call, DpDescription *description);

/*
 * What the rows of aggregates name (aggregates/aggregate.h). On entry the
 * sensitivity is that of values within the bounds, or else of a unit's rows,
 * and the error is unknown.
 */
extern DpStatus dp_describe_count(const DpCall *call,
								  const DpPrepared *prepared,
								  DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_sum(const DpCall *call, const DpPrepared *prepared,
								DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_mean(const DpCall *call, const DpPrepared *prepared,
								 DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_extreme(const DpCall *call,
									const DpPrepared *prepared,
									DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_variance(const DpCall *call,
									 const DpPrepared *prepared,
									 DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_regression(const DpCall *call,
									   const DpPrepared *prepared,
									   DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_median(const DpCall *call,
								   const DpPrepared *prepared,
								   DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_quantile(const DpCall *call,
									 const DpPrepared *prepared,
									 DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_quantiles(const DpCall *call,
									  const DpPrepared *prepared,
									  DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_selection(const DpCall *call,
									  const DpPrepared *prepared,
									  DpDescription *description, DpRho *rho);
extern DpStatus dp_describe_bounds(const DpCall *call,
								   const DpPrepared *prepared,
								   DpDescription *description, DpRho *rho);

/*
 * A difference of values as a text: of dates in days, of times an interval. Of
 * a description, its sensitivity where that is of values. Lives in the current
 * memory context.
 */
extern char *dp_describe_difference(const DpCall *call, double difference);

/*
 * The error of a description as a text with its unit. Lives in the current
 * memory context.
 */
extern char *dp_describe_error(const DpCall *call,
							   const DpDescription *description);

/*
 * How a privacy unit of several rows is bounded, in words; NULL where units
 * are rows. Lives in the current memory context.
 */
extern const char *dp_describe_bound(const DpCall *call);

#endif
