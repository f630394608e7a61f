/*
 * noise_step.c
 *		Steps of a chain between prepared noises.
 */
#include "mechanisms/noise_step.h"
#include "samplers/chain_step.h"

/* The limit of the sampler of steps. */
#define TERM_MAX ((dp_uint128) 1 << 62)

static bool
has_steps(const DpNoise *noise)
{
	return dp_mechanism_noise(noise->mechanism) == DP_NOISE_LAPLACE &&
		   noise->quantum == 1;
}

DpStatus
dp_noise_step_init(DpNoiseStep *step, const DpNoise *high, const DpNoise *low)
{
	uint64_t common;
	dp_uint128 t;
	dp_uint128 from;
	dp_uint128 to;

	if (!has_steps(high) || !has_steps(low))
		return DP_MECHANISM_NOT_APPLICABLE;

	/* s/t of both over the least common denominator */
	common = dp_gcd(high->t, low->t);
	t = (dp_uint128) (high->t / common) * low->t;
	from = (dp_uint128) high->s * (low->t / common);
	to = (dp_uint128) low->s * (high->t / common);
	if (to > from || from > TERM_MAX || t > TERM_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	*step = (DpNoiseStep){
		.low = (uint64_t) to, .high = (uint64_t) from, .t = (uint64_t) t};
	return DP_OK;
}

DpStatus
dp_noise_step_draw(DpRandom *random, const DpNoiseStep *step, dp_int128 *value)
{
	DP_RECORD_CALL(random, "step");

	DP_RECORD_SAME("low", step->low);
	DP_RECORD_SAME("high", step->high);
	DP_RECORD_SAME("t", step->t);
	*value = 0;
	if (step->low == step->high)
		return DP_OK;
	return dp_chain_step_draw(random, step->low, step->high, step->t, value);
}
