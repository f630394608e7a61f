/*
 * truncated_count.c
 *		The least threshold of truncated geometric noise, and its draws.
 */
#include "mechanisms/group_threshold.h"
#include "mechanisms/truncated_count.h"
#include "random/record.h"

/*
 * Bits of the enclosures. 1 - a is 2^-62 at least, delta 10^-24, and a^k about as
 * great as the one divided by the other where it matters.
 */
#define BITS 320

/*
 * a^k ((1-a) N + 2 a delta) <= delta (1 + a), which is what the header has. The left
 * side is rounded up and the right one down.
 */
static DpPowerRule
new_rule(DpWork *work, const DpNoise *noise, dp_int128 delta, uint64_t counts)
{
	DpPowerRule rule = {noise, dp_interval_new(work), dp_interval_new(work)};
	DpInterval a;
	DpInterval one;
	DpInterval part;

	dp_work_push(work);
	a = dp_interval_new(work);
	one = dp_interval_new(work);
	part = dp_interval_new(work);
	dp_interval_set_fraction(work, &a, noise->s, noise->t);
	dp_interval_exp_minus(work, &a, &a);
	dp_interval_set(work, &one, 1);
	dp_interval_set_fraction(work, &part, delta, DP_DELTA_ONE);
	dp_interval_add(work, &rule.right, &one, &a);
	dp_interval_multiply(work, &rule.right, &rule.right, &part);
	dp_interval_multiply(work, &part, &part, &a);
	dp_interval_multiply_word(work, &part, 2);
	dp_interval_subtract(work, &rule.factor, &one, &a);
	dp_interval_multiply_word(work, &rule.factor, (uint32_t) counts);
	dp_interval_add(work, &rule.factor, &rule.factor, &part);
	dp_work_pop(work);
	return rule;
}

DpStatus
dp_truncated_count_threshold(const DpNoise *noise, dp_int128 delta,
							 DpContribution contribution, int64_t *threshold)
{
	DpWork work;
	DpStatus status;
	DpPowerRule rule;
	uint64_t k;

	if (!dp_group_threshold_applies(noise))
		return DP_MECHANISM_NOT_APPLICABLE;
	if (delta < 1 || delta > DP_DELTA_ONE || contribution.groups < 1)
		return DP_PARAMETER_OUT_OF_RANGE;
	dp_work_begin(&work, BITS);
	rule = new_rule(&work, noise, delta, dp_contribution_parts(contribution));
	status = dp_group_threshold_least(&work, &rule, &k);
	dp_work_end(&work);
	DP_TRY(status);
	if (k <= (noise->t - 1) / noise->s)
		k = (noise->t - 1) / noise->s + 1; /* t/s, rounded up */
	if (k >= DP_THRESHOLD_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	*threshold = (int64_t) (k + 1);
	return DP_OK;
}

DpStatus
dp_truncated_count_add(DpRandom *random, const DpNoise *noise, int64_t k,
					   dp_int128 truth, dp_int128 *count)
{
	dp_int128 value;
	DP_RECORD_CALL(random, "truncated");

	DP_RECORD_PREPARED(noise);
	DP_RECORD_SAME("epsilon", noise->epsilon.ticks);
	DP_RECORD_SAME("sensitivity", (dp_int128) noise->sensitivity);
	DP_RECORD_SAME("quantum", noise->quantum);
	DP_RECORD_SAME("s", noise->s);
	DP_RECORD_SAME("t", noise->t);
	DP_RECORD_SAME("sigma_numerator", 0);
	DP_RECORD_SAME("reach", k);
	DP_RECORD_TRUE("truth", truth);
	do
		DP_TRY(dp_noise_draw(random, noise, &value));
	while (value < -k || value > k);
	*count = dp_int128_add_saturating(truth, value);
	return DP_OK;
}
