/*
 * status.c
 *		Texts for DpStatus.
 */
#include "core/status.h"

const char *
dp_status_message(DpStatus status)
{
	switch (status)
	{
		case DP_OK:
			return "no error";
		case DP_RANDOM_FAILED:
			return "the cryptographic random source failed";
		case DP_OUT_OF_MEMORY:
			return "out of memory";
		case DP_EPSILON_OUT_OF_RANGE:
			return "epsilon is out of range";
		case DP_BOUNDS_NOT_FINITE:
			return "bounds must be finite";
		case DP_BOUNDS_REVERSED:
			return "lower bound is greater than upper bound";
		case DP_SENSITIVITY_OUT_OF_RANGE:
			return "sensitivity is out of range";
		case DP_PARAMETER_OUT_OF_RANGE:
			return "a mechanism parameter is out of range";
		case DP_MECHANISM_NOT_APPLICABLE:
			return "the mechanism does not apply here";
	}
	return "unknown status";
}
