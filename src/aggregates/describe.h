/*
 * describe.h
 *		What a call will do, told beforehand: for EXPLAIN and the ledger.
 */
#ifndef DP_AGGREGATES_DESCRIBE_H
#define DP_AGGREGATES_DESCRIBE_H

#include "accounting/account.h"
#include "aggregates/call.h"

typedef struct DpDescription
{
	DpMechanism mechanism; /* never DP_AUTO */
	double sensitivity;	   /* of one group's answer to one privacy unit, in
							* its unit, at most; where scores decide of the
							* score, in ranks */
	bool is_of_values;	   /* it is in the value's unit, not in ranks or rows */
	double half_width_95;  /* 95% of the noise is within; NaN where the error
							* depends on the data */
	DpAmount asked;		   /* epsilon */
	DpPrivacyCost cost;	   /* of the answers of all groups together */
} DpDescription;

/*
 * Describes a checked call, from public facts alone. Errors: as the aggregate
 * itself would raise for its mechanism.
 */
extern void dp_describe_call(const DpCall *call, DpDescription *description);

/*
 * A difference of values as a text: of dates in days, of times an interval. Of
 * a description, its sensitivity where that is of values, and its error. Lives
 * in the current memory context.
 */
extern char *dp_describe_difference(const DpCall *call, double difference);

/*
 * How a privacy unit of several rows is bounded, in words; NULL where units
 * are rows. Lives in the current memory context.
 */
extern const char *dp_describe_bound(const DpCall *call);

#endif
