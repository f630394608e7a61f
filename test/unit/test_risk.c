/*
 * test_risk.c
 *		The bound on an adversary's posterior, and its inverse.
 */
#include <math.h>

#include "planning/risk.h"
#include "samplers/geometric.h"
#include "support/tap.h"

static const double priors[] = {1e-9, 0.001, 0.01, 0.25, 0.5, 0.9, 0.999};
static const double epsilons[] = {1e-6, 0.01, 0.1, 0.5, 1, 2, 5, 10};

#define PRIORS (sizeof(priors) / sizeof(priors[0]))
#define EPSILONS (sizeof(epsilons) / sizeof(epsilons[0]))

static void
test_values(void)
{
	is_double(dp_disclosure_risk_of(log(3), 0.5), 0.75, 1e-15,
			  "even odds times 3");
	is_double(dp_disclosure_risk_of(log(9), 0.1), 0.5, 1e-15,
			  "one in ten times 9");
	is_double(dp_disclosure_risk_of(0, 0.3), 0.3, 1e-15,
			  "nothing is learned at epsilon 0");
	is_double(dp_disclosure_risk_of(1000, 0.3), 1, 0,
			  "a large epsilon hides nothing");
	is_double(dp_epsilon_for_risk_of(0.75, 0.5), log(3), 1e-14,
			  "three to one from even odds");
	is_double(dp_epsilon_for_risk_of(0.2, 0.3), 0, 0, "a risk below the prior");
}

/* Risks that are next to the prior or to 1, tiny ones, and tiny priors. */
static void
test_extremes(void)
{
	static const double extremes[] = {1e-308, 1e-20, 0.1, 0.5, 0.7, 1 - 1e-15};
	bool safe = true;
	bool prior_kept = true;
	bool rises = true;
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++)
	{
		double prior = extremes[i];
		double risk = nextafter(prior, 1);

		prior_kept = prior_kept && dp_disclosure_risk_of(0, prior) == prior;
		safe = safe && dp_disclosure_risk_of(
						   dp_epsilon_for_risk_of(risk, prior), prior) <= risk;
		for (j = i + 1; j < sizeof(extremes) / sizeof(extremes[0]); j++)
		{
			double epsilon = dp_epsilon_for_risk_of(extremes[j], prior);

			rises = rises && epsilon > 0 && isfinite(epsilon);
			safe = safe && dp_disclosure_risk_of(epsilon, prior) <= extremes[j];
		}
	}
	ok(prior_kept, "the prior itself at epsilon 0, to the last digit");
	ok(safe, "never more than the risk, at the ends either");
	ok(rises, "epsilons at the ends are finite, and not 0");
	is_double(dp_epsilon_for_risk_of(0.5, 1e-300), log(1e300), 1e-11,
			  "even odds from a tiny prior");
	is_double(dp_epsilon_for_risk_of(0.3 + 1e-9, 0.3) / (1e-9 / 0.21), 1, 1e-6,
			  "a small rise over the prior");
}

static void
test_inverse(void)
{
	bool near = true;
	bool safe = true;
	size_t p;
	size_t e;

	for (p = 0; p < PRIORS; p++)
	{
		for (e = 0; e < EPSILONS; e++)
		{
			double risk = dp_disclosure_risk_of(epsilons[e], priors[p]);
			double back = dp_epsilon_for_risk_of(risk, priors[p]);

			/* What a last digit of the risk is worth, near 1. */
			near =
				near && fabs(back - epsilons[e]) < 1e-13 + 3e-15 / (1 - risk);
			safe = safe && dp_disclosure_risk_of(back, priors[p]) <= risk;
		}
	}
	ok(near, "one undoes the other");
	ok(safe, "never more than the risk");
}

/* Two-sided geometric noise on a count of 0 or 1: no answer tells more. */
static void
test_attained(void)
{
	bool below = true;
	bool attained = true;
	size_t p;
	int z;

	for (p = 0; p < PRIORS; p++)
	{
		double bound = dp_disclosure_risk_of(1, priors[p]);
		double greatest = 0;

		for (z = -20; z <= 20; z++)
		{
			double in = priors[p] * dp_discrete_laplace_pmf(1, 1, z - 1);
			double out = (1 - priors[p]) * dp_discrete_laplace_pmf(1, 1, z);

			greatest = fmax(greatest, in / (in + out));
		}
		below = below && greatest <= bound * (1 + 1e-12);
		attained = attained && greatest >= bound * (1 - 1e-12);
	}
	ok(below, "no noisy count tells more than the bound");
	ok(attained, "some tells as much");
}

int
main(void)
{
	test_values();
	test_extremes();
	test_inverse();
	test_attained();
	return done_testing();
}
