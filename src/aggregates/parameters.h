/*
 * parameters.h
 *		The parameters of an aggregate call, read from the plan.
 */
#ifndef DP_AGGREGATES_PARAMETERS_H
#define DP_AGGREGATES_PARAMETERS_H

#include "fmgr.h"

#define DP_PARAMETERS_MAX 14

struct Aggref;
struct PlanState;

/* The arguments of one aggregate call, by number from 0. */
typedef struct DpParameters
{
	int count; /* of arguments, the value included */
	Oid types[DP_PARAMETERS_MAX];
	bool known[DP_PARAMETERS_MAX]; /* the same for all rows */
	bool nulls[DP_PARAMETERS_MAX];
	Datum values[DP_PARAMETERS_MAX];
	int locations[DP_PARAMETERS_MAX]; /* in the query text, or -1 */
	Oid collation;					  /* of the aggregate's arguments */
	struct PlanState *node;			  /* for evaluation and error positions */
} DpParameters;

/*
 * Reads and evaluates all arguments from number `first` on. Each must be free
 * of columns, sub-queries and volatile functions; where one is not, its
 * `known` is false. Values live in the current memory context.
 *
 * Errors: feature_not_supported when called as a window function, not as an
 * aggregate, or by an aggregate that is not the extension's own.
 */
extern void dp_parameters_read(FunctionCallInfo fcinfo, int first,
							   DpParameters *parameters);

/*
 * The same of an Aggref that has its own arguments, evaluated for a plan node
 * of any kind that has an expression context.
 */
extern void dp_parameters_of(struct Aggref *aggref, struct PlanState *node,
							 int first, DpParameters *parameters);

/*
 * Refuses a parameter that may differ between rows, or is NULL. name: for the
 * message. Errors: feature_not_supported, null_value_not_allowed.
 */
extern void dp_parameters_check(const DpParameters *parameters, int argno,
								const char *name);

/* For ereport: the position of an argument in the query, where it is known. */
extern int dp_parameters_position(const DpParameters *parameters, int argno);

#endif
