/*
 * describe.h
 *		What a call will do, described in advance for EXPLAIN and the ledger.
 */
#ifndef DP_AGGREGATES_DESCRIBE_H
#define DP_AGGREGATES_DESCRIBE_H

#include "accounting/account.h"
#include "aggregates/call.h"

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
 * A difference of values as a text: of dates in days, of times an interval. Of
 * a description, its sensitivity where that is of values. Lives in the current
 * memory context.
 */
extern char *dp_describe_difference(const DpCall *call, double difference);

/* The error of a description, with its unit; so too. */
extern char *dp_describe_error(const DpCall *call,
							   const DpDescription *description);

/*
 * How a privacy unit of several rows is bounded, in words; NULL where units
 * are rows. Lives in the current memory context.
 */
extern const char *dp_describe_bound(const DpCall *call);

#endif
