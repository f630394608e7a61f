/*
 * group_threshold.c
 *		The least threshold that hides the groups of one unit.
 */
#include "mechanisms/group_threshold.h"
#include "samplers/bernoulli_real.h"

/*
 * Bits of the enclosures. The least probability needed is 10^-24 / 2^31, about
 * 2^-111, so they have more than 140 significant bits.
 */
#define BITS 256

/* Whether k is great enough: for sure, with the upper end of a^k. */
static DpStatus
is_enough(DpWork *work, const DpPowerRule *rule, uint64_t k, bool *result)
{
	DpInterval power;
	DpStatus status;

	dp_work_push(work);
	power = dp_interval_new(work);
	status =
		dp_work_failed(work)
			? DP_OUT_OF_MEMORY
			: dp_enclose_exp((dp_uint128) k * rule->noise->s, rule->noise->t,
							 work->bits, power.lower, power.upper);
	dp_interval_multiply(work, &power, &power, &rule->factor);
	*result = status == DP_OK && !dp_work_failed(work) &&
			  BN_cmp(power.upper, rule->right.lower) <= 0;
	dp_work_pop(work);
	return dp_work_failed(work) ? DP_OUT_OF_MEMORY : status;
}

/* By doubling and bisection. */
DpStatus
dp_group_threshold_least(DpWork *work, const DpPowerRule *rule, uint64_t *k)
{
	uint64_t low = 0; /* not enough */
	uint64_t high = 1;
	bool enough;

	for (;;)
	{
		DP_TRY(is_enough(work, rule, high, &enough));
		if (enough)
			break;
		if (high >= DP_THRESHOLD_MAX)
			return DP_PARAMETER_OUT_OF_RANGE;
		low = high;
		high *= 2;
	}
	while (high - low > 1)
	{
		uint64_t middle = low + (high - low) / 2;

		DP_TRY(is_enough(work, rule, middle, &enough));
		if (enough)
			high = middle;
		else
			low = middle;
	}
	*k = high;
	return DP_OK;
}

/* a^k g 10^24 <= delta (1 + a) */
static DpPowerRule
new_rule(DpWork *work, const DpNoise *noise, dp_int128 delta, uint32_t groups)
{
	DpPowerRule rule = {noise, dp_interval_new(work), dp_interval_new(work)};
	DpInterval part;

	dp_work_push(work);
	part = dp_interval_new(work);
	dp_interval_set_fraction(work, &part, noise->s, noise->t);
	dp_interval_exp_minus(work, &rule.right, &part);
	dp_interval_set(work, &part, 1);
	dp_interval_add(work, &rule.right, &rule.right, &part);
	dp_interval_set(work, &part, delta);
	dp_interval_multiply(work, &rule.right, &rule.right, &part);
	dp_interval_set(work, &rule.factor, DP_DELTA_ONE);
	dp_interval_multiply_word(work, &rule.factor, groups);
	dp_work_pop(work);
	return rule;
}

bool
dp_group_threshold_applies(const DpNoise *noise)
{
	return dp_mechanism_noise(noise->mechanism) == DP_NOISE_LAPLACE &&
		   noise->quantum == 1;
}

DpStatus
dp_group_threshold(const DpNoise *noise, uint64_t greatest, dp_int128 delta,
				   DpContribution contribution, int64_t *threshold)
{
	DpWork work;
	DpPowerRule rule;
	DpStatus status;
	uint64_t k;

	if (!dp_group_threshold_applies(noise))
		return DP_MECHANISM_NOT_APPLICABLE;
	if (delta < 1 || delta > DP_DELTA_ONE || contribution.groups < 1 ||
		greatest < 1 || greatest > DP_THRESHOLD_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	dp_work_begin(&work, BITS);
	rule = new_rule(&work, noise, delta, contribution.groups);
	status = dp_group_threshold_least(&work, &rule, &k);
	dp_work_end(&work);
	DP_TRY(status);
	if (k > DP_THRESHOLD_MAX - greatest)
		return DP_PARAMETER_OUT_OF_RANGE;
	*threshold = (int64_t) (greatest + k);
	return DP_OK;
}
