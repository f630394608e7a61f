/*
 * epsilon.h
 *		The privacy parameter as an exact rational.
 *
 * epsilon is rounded down to a multiple of 2^-20, so that every exponent of
 * every mechanism is rational and no logarithm or exponential of a double
 * touches a privacy decision. A budget is charged the value that was asked
 * for, which is never less than the one used.
 */
#ifndef DP_CORE_EPSILON_H
#define DP_CORE_EPSILON_H

#include <stdint.h>

#include "core/status.h"

#define DP_EPSILON_BITS 20
#define DP_EPSILON_ONE ((uint64_t) 1 << DP_EPSILON_BITS)

#define DP_EPSILON_MIN (1.0 / 1048576.0) /* 2^-20, about 9.54e-7 */
#define DP_EPSILON_MAX 1000000.0

typedef struct DpEpsilon
{
	uint64_t ticks; /* epsilon * 2^20; at least 1 */
} DpEpsilon;

/*
 * Rounds epsilon down to a multiple of 2^-20.
 *
 * value: DP_EPSILON_MIN .. DP_EPSILON_MAX, else DP_EPSILON_OUT_OF_RANGE (NaN
 * and infinities too).
 */
extern DpStatus dp_epsilon_from_double(double value, DpEpsilon *epsilon);

/* The rounded value as a double, exactly. */
extern double dp_epsilon_to_double(DpEpsilon epsilon);

#endif
