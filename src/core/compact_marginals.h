/*
 * compact_marginals.h
 *		Tables by several sets of keys, with those keys merged into one that occur in
 *		the same tables, and what formulas over sets of keys (marginals.h) consist of.
 */
#ifndef DP_CORE_COMPACT_MARGINALS_H
#define DP_CORE_COMPACT_MARGINALS_H

#include "core/marginals.h"

typedef struct DpCompactMarginals
{
	const DpMarginals *whole;
	DpMarginals few; /* with merged keys, of two values or more each */
	uint64_t keys[DP_MARGINAL_KEYS_MAX]; /* the keys that each stands for */
} DpCompactMarginals;

/* The set of one key. */
static inline uint64_t
dp_key_bit(int key)
{
	return (uint64_t) 1 << (key & 63);
}

/* The subset after this one of some keys; 0 comes after the last. */
static inline uint64_t
dp_next_subset(uint64_t subset, uint64_t keys)
{
	return (subset - keys) & keys;
}

extern int dp_count_keys(uint64_t keys);

extern DpCompactMarginals dp_compact_marginals(const DpMarginals *marginals);

/* The keys that some merged keys stand for. */
extern uint64_t dp_compact_keys(const DpCompactMarginals *compact,
								uint64_t keys);

/* The number of combinations of some keys. */
extern double dp_marginals_combinations(const DpMarginals *marginals,
										uint64_t keys);

/* 1/tau_S */
extern double dp_marginals_precision(const DpMarginals *marginals,
									 uint64_t keys);

#endif
