/*
 * sensitivity_sampling.c
 *		The choice of rho and k, and the conditions.
 *
 * The theorem holds for every rho that passes the check. So the check must be
 * exact, the search need not be.
 */
#include <math.h>

#include "planning/sensitivity_sampling.h"

/* More than all rounding errors of the few operations here together. */
#define UP (1 + 0x1p-40)

/* sqrt(ln(1/rho) / (2m)), rounded up. */
static double
distance(double rho, double samples)
{
	return sqrt(-log(rho) / (2 * samples)) * UP;
}

/* The least k that the theorem allows, as a number that may exceed m. */
static double
least_order(double gamma, double rho, double samples)
{
	return ceil(samples * ((1 - gamma) + rho + distance(rho, samples)) * UP);
}

bool
dp_sensitivity_plan_holds(const DpSensitivityPlan *plan)
{
	double samples = plan->samples;

	if (!(plan->rho > 0 && plan->rho < plan->gamma && plan->rho < 0.5 &&
		  plan->gamma < 1) ||
		plan->order < 1 || plan->order > plan->samples)
		return false;

	/* the first condition says that the root is at most gamma - rho */
	return distance(plan->rho, samples) * UP <= plan->gamma - plan->rho &&
		   plan->order >= least_order(plan->gamma, plan->rho, samples);
}

/*
 * The rho for which rho + distance is least: where 4 m rho^2 ln(1/rho) = 1, which
 * grows with rho below e^-1/2.
 */
static double
best_rho(double samples)
{
	double low = -700; /* of the logarithm */
	double high = -0.7;
	int i;

	for (i = 0; i < 80; i++)
	{
		double middle = (low + high) / 2;

		if (4 * samples * exp(2 * middle) * -middle < 1)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

static bool
try_samples(DpSensitivityPlan *plan, double gamma, uint32_t samples)
{
	double rho = best_rho(samples);
	double order = least_order(gamma, rho, samples);

	*plan =
		(DpSensitivityPlan){.gamma = gamma,
							.rho = rho,
							.samples = samples,
							.order = order <= samples ? (uint32_t) order : 0};
	return dp_sensitivity_plan_holds(plan);
}

DpStatus
dp_sensitivity_plan_init(DpSensitivityPlan *plan, double gamma,
						 uint32_t samples)
{
	uint32_t low = 0; /* too few */
	uint32_t high = DP_SENSITIVITY_SAMPLES_MAX;

	if (!(gamma > 0 && gamma < 1) || samples > DP_SENSITIVITY_SAMPLES_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	if (!try_samples(plan, gamma, samples > 0 ? samples : high))
		return DP_PARAMETER_OUT_OF_RANGE;
	if (samples > 0)
		return DP_OK;
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;

		if (try_samples(plan, gamma, middle))
			high = middle;
		else
			low = middle;
	}
	return try_samples(plan, gamma, high) ? DP_OK : DP_PARAMETER_OUT_OF_RANGE;
}
