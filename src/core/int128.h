/*
 * int128.h
 *		128-bit integers under names that -pedantic accepts.
 *
 * They are aligned to 8 bytes, not 16, since structs that contain them may come
 * from allocators that promise no more.
 */
#ifndef DP_CORE_INT128_H
#define DP_CORE_INT128_H

#include <stdint.h>

__extension__ typedef __int128 dp_int128 __attribute__((aligned(8)));
__extension__ typedef unsigned __int128 dp_uint128 __attribute__((aligned(8)));

#define DP_INT128_MAX ((dp_int128) (~(dp_uint128) 0 >> 1))
#define DP_INT128_MIN (-DP_INT128_MAX - 1)

/* |x| without overflow, INT128_MIN included. */
static inline dp_uint128
dp_int128_abs(dp_int128 x)
{
	return x < 0 ? -(dp_uint128) x : (dp_uint128) x;
}

/* a + b, saturating at the ends of the type. */
static inline dp_int128
dp_int128_add_saturating(dp_int128 a, dp_int128 b)
{
	dp_int128 sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? DP_INT128_MIN : DP_INT128_MAX;
	return sum;
}

/* x brought into [lower, upper]; needs lower <= upper. */
static inline dp_int128
dp_int128_clamp(dp_int128 x, dp_int128 lower, dp_int128 upper)
{
	if (x < lower)
		return lower;
	return x > upper ? upper : x;
}

/* Greatest common divisor; of (0, b) it is b. */
static inline uint64_t
dp_gcd(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
