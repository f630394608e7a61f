/*
 * epsilon.c
 *		Rounding of epsilon to its exact grid.
 */
#include "core/epsilon.h"

DpStatus
dp_epsilon_from_double(double value, DpEpsilon *epsilon)
{
	/* Written so that NaN fails. */
	if (!(value >= DP_EPSILON_MIN && value <= DP_EPSILON_MAX))
		return DP_EPSILON_OUT_OF_RANGE;

	/* The product is exact (a power of two); the conversion truncates. */
	epsilon->ticks = (uint64_t) (value * (double) DP_EPSILON_ONE);
	return DP_OK;
}

double
dp_epsilon_to_double(DpEpsilon epsilon)
{
	return (double) epsilon.ticks / (double) DP_EPSILON_ONE;
}
