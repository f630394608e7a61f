/*
 * randomized_response.h
 *		Randomised response over k declared values.
 *
 * A report is one of the k values: the true one with probability
 * p = e^epsilon / (e^epsilon + k-1), each other with q = 1 / (e^epsilon + k-1)
 * (Warner 1965; k values: Kairouz, Oh, Viswanath 2014). It is epsilon-DP in the
 * local model: for any two true values, and any report, the probabilities
 * differ by a factor of at most e^epsilon, p/q.
 *
 * It is drawn as a coin of probability p-q, which says "the truth", and a value
 * uniform over all k, which is reported otherwise. So the truth is reported
 * with probability p-q + (1-(p-q))/k, which is p, since p + (k-1)q = 1. Both
 * are always drawn, so that neither the words used nor the time depends on the
 * true value, or on the report. With h = e^-epsilon the coin has
 *
 *		p-q = (1-h) / (1 + (k-1)h),
 *
 * which falls as h grows, so that an enclosure of h encloses it.
 *
 * A true value that is not one of the k gets a uniform report: each has the
 * probability 1/k, which is between q and p. So the guarantee holds for such
 * values, too.
 */
#ifndef DP_LOCAL_RANDOMIZED_RESPONSE_H
#define DP_LOCAL_RANDOMIZED_RESPONSE_H

#include "core/epsilon.h"
#include "samplers/bernoulli_real.h"

/* The most values. */
#define DP_LOCAL_VALUES_MAX 100000

/* Plain data: it may be copied and needs no release. */
typedef struct DpResponse
{
	DpEpsilon epsilon;
	uint32_t values;  /* k */
	DpRealCoin truth; /* of probability p-q */
} DpResponse;

/*
 * Prepares reports of one of this many values, 2 .. DP_LOCAL_VALUES_MAX.
 * bits: DP_REAL_BITS outside tests. Errors: DP_PARAMETER_OUT_OF_RANGE,
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_response_init(DpResponse *response, DpEpsilon epsilon,
								 uint32_t values, int bits);

/*
 * Draws a report, 0 .. k-1. index: that of the true value; k or more stands for
 * a value that is not one of them. Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_response_draw(DpRandom *random, const DpResponse *response,
								 uint32_t index, uint32_t *report);

#endif
