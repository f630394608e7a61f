/*
 * noisy_sums.h
 *		The noisy numbers that a private mean, variance or regression is made of.
 *
 * In inner statements these aggregates return all of them, as bytes. They have
 * their noise already. The answer is computed from them, and so is the
 * interval around it (mechanisms/confidence.h), now and when the stored answer
 * is replayed.
 */
#ifndef DP_AGGREGATES_NOISY_SUMS_H
#define DP_AGGREGATES_NOISY_SUMS_H

#include "aggregates/prepare.h"

#define DP_NOISY_SUMS_MAX DP_REGRESSION_SUMS

/* As bytes, in the current memory context. */
extern Datum dp_noisy_sums_write(const dp_int128 *sums, int count);

/* Error: data_corrupted where their number is not count. */
extern void dp_noisy_sums_read(Datum bytes, dp_int128 *sums, int count);

/*
 * The answer of a call, in the type of the aggregate: of a sum this many steps of
 * 2^exponent. prepared: for the call.
 */
extern Datum dp_sum_answer(const DpCall *call, dp_int128 sum, int exponent);

/* Adds the noise of a sum to the true one. call: prepared. */
extern Datum dp_sum_draw(const DpCall *call, dp_int128 sum);

extern Datum dp_mean_answer(const DpCall *call, const DpPrepared *prepared,
							const dp_int128 *sums);
extern Datum dp_variance_answer(const DpCall *call, const DpPrepared *prepared,
								const dp_int128 *sums);
extern Datum dp_regression_answer(const DpCall *call,
								  const DpPrepared *prepared,
								  const dp_int128 *sums);

#endif
