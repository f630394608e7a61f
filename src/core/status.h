/*
 * status.h
 *		What every function of the pure folders returns.
 *
 * The pure folders (core, random, samplers, mechanisms, local, planning,
 * accounting) do not use PostgreSQL. They cannot raise an error, so they return
 * a DpStatus and give results through pointers. A result is defined only when
 * the status is DP_OK. No function of these folders keeps memory or a lock when
 * it returns, so a caller may raise its own error at once.
 */
#ifndef DP_CORE_STATUS_H
#define DP_CORE_STATUS_H

typedef enum DpStatus
{
	DP_OK = 0,
	DP_RANDOM_FAILED,			 /* the random source did not deliver */
	DP_OUT_OF_MEMORY,			 /* malloc or OpenSSL had no memory */
	DP_EPSILON_OUT_OF_RANGE,	 /* not in DP_EPSILON_MIN .. DP_EPSILON_MAX */
	DP_BOUNDS_NOT_FINITE,		 /* a bound is NaN or infinite */
	DP_BOUNDS_REVERSED,			 /* lower > upper */
	DP_SENSITIVITY_OUT_OF_RANGE, /* zero, negative, or above the limit */
	DP_PARAMETER_OUT_OF_RANGE,	 /* gamma, r, delta, a fraction or the like */
	DP_MECHANISM_NOT_APPLICABLE	 /* the mechanism does not fit the query */
} DpStatus;

/* Passes any status but DP_OK to the caller. */
#define DP_TRY(call) \
	do \
	{ \
		DpStatus dp_try_status_ = (call); \
		if (dp_try_status_ != DP_OK) \
			return dp_try_status_; \
	} while (0)

/* A lower-case English phrase for the status; never NULL, never freed. */
extern const char *dp_status_message(DpStatus status);

#endif
