/*
 * test_sensitivity_sampling.c
 *		Plans for sampling a sensitivity: the theorem's conditions in long
 *		doubles, and what it says, by the exact law of order statistics.
 */
#include <math.h>
#include <stddef.h>

#include "planning/sensitivity_sampling.h"
#include "support/tap.h"

static const double gammas[] = {0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9};
#define GAMMAS (sizeof(gammas) / sizeof(gammas[0]))

/* P(at least k of m uniform numbers are below u). */
static double
tail(uint32_t m, uint32_t k, double u)
{
	double total = 0;
	uint32_t i;

	for (i = k; i <= m; i++)
		total += exp(lgamma(m + 1.0) - lgamma(i + 1.0) - lgamma(m - i + 1.0) +
					 i * log(u) + (m - i) * log1p(-u));
	return total;
}

/*
 * Of a continuous law, F(G_(k)) is the k-th least of m uniform numbers: it is
 * below 1 - gamma + rho with probability at most rho. And a new pair differs by
 * more than G_(k) with probability 1 - k/(m+1), at most gamma.
 */
static void
check(const DpSensitivityPlan *plan, const char *name)
{
	long double rho = plan->rho;
	long double m = plan->samples;
	long double t = sqrtl(-logl(rho) / (2 * m));
	long double rest = (long double) plan->gamma - rho;

	ok(dp_sensitivity_plan_holds(plan) && m >= -logl(rho) / (2 * rest * rest) &&
		   plan->order >= m * (1 - rest + t) && plan->order <= plan->samples,
	   "%s, gamma %g: m %u, k %u, rho %g", name, plan->gamma, plan->samples,
	   plan->order, plan->rho);
	ok(tail(plan->samples, plan->order, 1 - plan->gamma + plan->rho) <=
		   plan->rho,
	   "the order statistic is as great as that, surely enough");
	ok(1 - plan->order / ((double) plan->samples + 1) <= plan->gamma,
	   "a new pair exceeds it as rarely");
}

static void
test_plans(void)
{
	size_t i;

	for (i = 0; i < GAMMAS; i++)
	{
		DpSensitivityPlan plan;
		DpSensitivityPlan other;

		if (!ok(dp_sensitivity_plan_init(&plan, gammas[i], 0) == DP_OK,
				"a plan for gamma %g", gammas[i]))
			continue;
		check(&plan, "fewest samples");
		ok(dp_sensitivity_plan_init(&other, gammas[i], plan.samples - 1) ==
			   DP_PARAMETER_OUT_OF_RANGE,
		   "no plan with fewer");
		if (dp_sensitivity_plan_init(&other, gammas[i], 3 * plan.samples) ==
			DP_OK)
		{
			check(&other, "three times as many");
			ok(other.order < other.samples, "not the greatest of them");
			other.order--;
			ok(!dp_sensitivity_plan_holds(&other), "nor one place less");
		}
	}
}

/* Computed from the conditions elsewhere, with 50 digits. */
static void
test_values(void)
{
	static const struct
	{
		double gamma;
		double rho;
		uint32_t samples;
		uint32_t order;
	} cases[] = {
		{0.05, 0.005677061581039506, 1500, 1496},
		{0.05, 0.0013775122835580462, 20000, 19285},
		{0.1, 0.007109312310083006, 1000, 957},
		{0.01, 0.0005791296078986406, 100000, 99669},
		{0.5, 0.0682334614469564, 20, 17},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpSensitivityPlan plan;

		if (!ok(dp_sensitivity_plan_init(&plan, cases[i].gamma,
										 cases[i].samples) == DP_OK,
				"gamma %g of %u", cases[i].gamma, cases[i].samples))
			continue;
		is_double(plan.rho, cases[i].rho, 1e-9 * cases[i].rho, "rho");
		is_int(plan.order, cases[i].order, "k");
	}
}

static void
test_edges(void)
{
	DpSensitivityPlan plan = {0.05, 0.01, 2000, 2000};

	ok(dp_sensitivity_plan_holds(&plan), "another rho will do");
	plan.rho = 0.05;
	ok(!dp_sensitivity_plan_holds(&plan), "all of gamma is none");
	plan.rho = 0;
	ok(!dp_sensitivity_plan_holds(&plan), "nothing neither");
	plan = (DpSensitivityPlan){0.9, 0.6, 1000, 1000};
	ok(!dp_sensitivity_plan_holds(&plan), "half is the most");
	plan = (DpSensitivityPlan){0.05, 0.01, 2000, 2001};
	ok(!dp_sensitivity_plan_holds(&plan), "beyond the last");
	ok(dp_sensitivity_plan_init(&plan, 0, 0) == DP_PARAMETER_OUT_OF_RANGE,
	   "gamma 0");
	ok(dp_sensitivity_plan_init(&plan, 1, 0) == DP_PARAMETER_OUT_OF_RANGE,
	   "gamma 1");
	ok(dp_sensitivity_plan_init(&plan, NAN, 0) == DP_PARAMETER_OUT_OF_RANGE,
	   "gamma NaN");
	ok(dp_sensitivity_plan_init(&plan, 0.0001, 0) == DP_PARAMETER_OUT_OF_RANGE,
	   "a gamma for which there are too many");
	ok(dp_sensitivity_plan_init(&plan, 0.5, DP_SENSITIVITY_SAMPLES_MAX + 1) ==
		   DP_PARAMETER_OUT_OF_RANGE,
	   "too many samples");
}

int
main(void)
{
	test_plans();
	test_values();
	test_edges();
	return done_testing();
}
