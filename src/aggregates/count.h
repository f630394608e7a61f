/*
 * count.h
 *		What counts have in common.
 */
#ifndef DP_AGGREGATES_COUNT_H
#define DP_AGGREGATES_COUNT_H

#include "aggregates/call.h"

/*
 * The private answer to a count, a bigint: noise is prepared once for a call
 * and added. Errors: those of the mechanism.
 */
extern Datum dp_count_answer(FunctionCallInfo fcinfo, DpCall *call,
							 int64 count);

#endif
