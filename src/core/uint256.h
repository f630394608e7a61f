/*
 * uint256.h
 *		Fixed-width arithmetic for sums of weights.
 *
 * Weights are fixed-point numbers of 191 fraction bits in 192 bits, so that 1
 * itself fits. Sums of them, each times a number of points, need 256 bits.
 * Limbs are stored least significant first.
 */
#ifndef DP_CORE_UINT256_H
#define DP_CORE_UINT256_H

#include <stdbool.h>
#include <stdint.h>

#include "core/int128.h"

#define DP_WEIGHT_BITS 191

typedef struct DpWeight
{
	uint64_t limb[3]; /* value * 2^191; at most 2^191 */
} DpWeight;

typedef struct DpUint256
{
	uint64_t limb[4];
} DpUint256;

/* floor(a * b / 2^191), or that plus one: never below the product. */
static inline DpWeight
dp_weight_multiply(const DpWeight *a, const DpWeight *b, bool up)
{
	uint64_t product[6] = {0};
	DpWeight result;
	uint64_t carry;
	int i;
	int j;

	for (i = 0; i < 3; i++)
	{
		carry = 0;
		for (j = 0; j < 3; j++)
		{
			dp_uint128 sum =
				(dp_uint128) a->limb[i] * b->limb[j] + product[i + j] + carry;

			product[i + j] = (uint64_t) sum;
			carry = (uint64_t) (sum >> 64);
		}
		product[i + 3] = carry;
	}
	for (i = 0; i < 3; i++)
		result.limb[i] = product[i + 3] << 1 | product[i + 2] >> 63;
	for (i = 0; up && i < 3; i++)
		up = ++result.limb[i] == 0;
	return result;
}

/* sum += weight * points; the caller knows that it fits. */
static inline void
dp_uint256_add_product(DpUint256 *sum, const DpWeight *weight, uint64_t points)
{
	dp_uint128 carry = 0;
	int i;

	for (i = 0; i < 3; i++)
	{
		carry += (dp_uint128) weight->limb[i] * points;
		/* carry < 2^64 * 2^64: adding one limb cannot overflow */
		carry += sum->limb[i];
		sum->limb[i] = (uint64_t) carry;
		carry >>= 64;
	}
	sum->limb[3] += (uint64_t) carry;
}

/* -1, 0 or 1 */
static inline int
dp_uint256_compare(const DpUint256 *a, const DpUint256 *b)
{
	int i;

	for (i = 3; i >= 0; i--)
	{
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

/* floor(a * factor / 2^shift), or that plus one; shift: 1 .. 128. */
static inline DpUint256
dp_uint256_scale(const DpUint256 *a, dp_uint128 factor, int shift, bool up)
{
	uint64_t product[6] = {0};
	uint64_t part[2];
	DpUint256 result;
	int skip = shift / 64;
	int bits = shift % 64;
	int i;
	int j;

	part[0] = (uint64_t) factor;
	part[1] = (uint64_t) (factor >> 64);
	for (i = 0; i < 2; i++)
	{
		uint64_t carry = 0;

		for (j = 0; j < 4; j++)
		{
			dp_uint128 sum =
				(dp_uint128) part[i] * a->limb[j] + product[i + j] + carry;

			product[i + j] = (uint64_t) sum;
			carry = (uint64_t) (sum >> 64);
		}
		product[i + 4] = carry;
	}
	for (i = 0; i < 4; i++)
	{
		result.limb[i] = product[i + skip] >> bits;
		if (bits > 0 && i + skip + 1 < 6)
			result.limb[i] |= product[i + skip + 1] << (64 - bits);
	}
	for (i = 0; up && i < 4; i++)
		up = ++result.limb[i] == 0;
	return result;
}

#endif
