/*
 * test_collusion.c
 *		What colluders learn: against the papers' formulas, against sums over all
 *		combinations of answers, and against integrals.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/staircase_shape.h"
#include "samplers/staircase.h"
#include "support/tap.h"
#include "planning/collusion.h"
#include "planning/median_error.h"
#include "planning/staircase_attack.h"

static DpMechanismChoice
choice_of(const char *text)
{
	DpMechanismChoice choice;

	if (dp_mechanism_parse(text, &choice) != DP_MECHANISM_VALID)
		diag("%s is no mechanism", text);
	return choice;
}

static DpCollusion
loss_of(const char *text, double epsilon, int colluders)
{
	DpMechanismChoice choice = choice_of(text);
	DpCollusion loss = {NAN, NAN};

	(void) dp_collusion_loss_of(&choice, epsilon, colluders, &loss);
	return loss;
}

static double
attack(const char *text, double epsilon, int colluders)
{
	return loss_of(text, epsilon, colluders).attack;
}

/* Chen, Pal, Golubchik (16), (17), and (18) as collusion.h reads it. */
static void
test_trend(void)
{
	const double pi = acos(-1.0);
	static const double epsilons[] = {0.01, 1, 4};
	static const int colluders[] = {1, 7, 1000};
	int e;
	int i;

	for (e = 0; e < 3; e++)
	{
		for (i = 0; i < 3; i++)
		{
			double a = exp(-epsilons[e]);
			int k = colluders[i];
			double factor = sqrt(2 / (pi * k));

			is_double(loss_of("laplace", epsilons[e], k).trend * epsilons[e] /
						  factor,
					  1, 1e-12, "(16) for %d, epsilon %g", k, epsilons[e]);
			is_double(loss_of("staircase", epsilons[e], k).trend /
						  (factor * sqrt(a) / (1 - a)),
					  1, 1e-12, "(17) for %d, epsilon %g", k, epsilons[e]);
			is_double(loss_of("geometric", epsilons[e], k).trend /
						  (factor * 2 * a / (1 - a * a)),
					  1, 1e-12, "(18) for %d, epsilon %g", k, epsilons[e]);
		}
	}
	is_double(loss_of("staircase(gamma=0.5)", 2, 4).trend,
			  sqrt(1 / (2 * pi)) * (0.5 + 0.5 * exp(-2)) / (1 - exp(-2)), 1e-12,
			  "another first step: half the inverse of the density at 0");
	is_double(loss_of("discrete_staircase", 2, 4).trend,
			  loss_of("geometric", 2, 4).trend, 0,
			  "a discrete staircase of sensitivity 1");
}

/* P(at least j of k), summed downwards, by another way than the code. */
static double
at_least(int k, int j, double p)
{
	double sum = 0;
	int i;

	for (i = j; i <= k; i++)
	{
		double term = 1;
		int c;

		for (c = 0; c < i; c++)
			term *= p * (k - c) / (i - c);
		sum += term * pow(1 - p, k - i);
	}
	return sum;
}

/* 2 * the integral of P(median > t), for odd k, by Simpson's rule. */
static double
laplace_integral(int k, double epsilon)
{
	const double width = 40 / epsilon;
	const int parts = 100000;
	double sum = 0;
	int i;

	for (i = 0; i <= parts; i++)
	{
		double t = width * i / parts;
		double value = at_least(k, (k + 1) / 2, exp(-epsilon * t) / 2);

		sum += value * (i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2);
	}
	return 2 * sum * width / parts / 3;
}

static void
test_laplace(void)
{
	int k;

	is_double(dp_laplace_median_error(2, 1), 0.5, 1e-15, "one answer");
	is_double(dp_laplace_median_error(1, 2), 0.75, 1e-15, "two answers");
	is_double(dp_laplace_median_error(1, 3), 7.0 / 12, 1e-15, "three answers");
	for (k = 1; k <= 25; k += 4)
		is_double(dp_laplace_median_error(0.7, k) / laplace_integral(k, 0.7), 1,
				  1e-7, "the median of %d, integrated", k);
	for (k = 2; k <= 12; k++)
		is_double(dp_laplace_median_error(3e-4, k) /
					  dp_geometric_median_error(3e-4, k),
				  1, 1e-6, "geometric noise of a small epsilon, %d answers", k);
	is_double(dp_laplace_median_error(1, DP_COLLUDERS_MAX) /
				  loss_of("laplace", 1, DP_COLLUDERS_MAX).trend,
			  1, 1e-3, "(16) holds for many");
	for (k = 2; k < 100; k++)
	{
		if (dp_laplace_median_error(1, k) >= dp_laplace_median_error(1, k - 1))
			break;
	}
	is_int(k, 100, "one more answer helps");
}

/* The median of all combinations of k answers of -reach .. reach. */
static double
enumerate(int k, double epsilon, int reach)
{
	double pmf[128] = {0};
	int answers[8];
	int sorted[8] = {0};
	double sum = 0;
	int d;
	int i;
	int j;

	for (d = 0; d <= reach; d++)
		pmf[d] = tanh(epsilon / 2) * exp(-epsilon * d);
	for (i = 0; i < k; i++)
		answers[i] = -reach;
	for (;;)
	{
		double p = 1;

		for (i = 0; i < k; i++)
		{
			p *= pmf[answers[i] < 0 ? -answers[i] : answers[i]];
			for (j = i; j > 0 && sorted[j - 1] > answers[i]; j--)
				sorted[j] = sorted[j - 1];
			sorted[j] = answers[i];
		}
		sum += p * abs(sorted[(k - 1) / 2] + sorted[k / 2]) / 2;
		for (i = 0; i < k && answers[i] == reach; i++)
			answers[i] = -reach;
		if (i == k)
			return sum;
		answers[i]++;
	}
}

static void
test_geometric(void)
{
	static const struct
	{
		double epsilon;
		int k;
		int reach;
	} cases[] = {{0.5, 1, 80}, {0.5, 2, 80}, {0.8, 3, 45},
				 {1.5, 4, 22}, {3, 5, 10},	 {4, 6, 6}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_double(attack("geometric", cases[i].epsilon, cases[i].k) /
					  enumerate(cases[i].k, cases[i].epsilon, cases[i].reach),
				  1, 1e-9, "all combinations of %d answers, epsilon %g",
				  cases[i].k, cases[i].epsilon);
	ok(attack("geometric", 1, 100) < 2e-6, "100 colluders know the count");
	ok(loss_of("geometric", 1, 100).trend > 0.06, "which the trend denies");
	is_double(attack("geometric", 1e6, 10), 0, 0, "hardly any noise");
	ok(isfinite(attack("geometric", 1e-6, DP_COLLUDERS_MAX)), "a lot of noise");
}

/* E|X + Y| / 2 of two answers, on a grid of 40 steps. */
static double
two_staircases(double epsilon)
{
	const int steps = 40;
	double first = dp_staircase_best_step(steps, epsilon, DP_COST_ABSOLUTE);
	int reach = (int) (30 / epsilon) * steps;
	double sum = 0;
	int i;
	int j;

	for (i = -reach; i <= reach; i++)
	{
		double p = dp_staircase_pmf(steps, first, epsilon, i);
		double here = 0;

		for (j = -reach; j <= reach; j++)
			here += dp_staircase_pmf(steps, first, epsilon, j) * abs(i + j);
		sum += p * here;
	}
	return sum / 2 / steps;
}

static void
test_staircase(void)
{
	static const double epsilons[] = {0.1, 1, 3};
	double here = attack("staircase", 1, 1000);
	int i;

	for (i = 0; i < 3; i++)
		is_double(attack("staircase", epsilons[i], 1) * 2 *
					  sinh(epsilons[i] / 2),
				  1, 1e-9, "one answer, epsilon %g", epsilons[i]);
	is_double(attack("staircase", 3, 2) / two_staircases(3), 1, 0.02,
			  "two answers: their middle");
	ok(here > 0.0025 && here < 0.0034,
	   "1000 colluders, epsilon 1: %g, an eighth of what (17) says", here);
	is_double(attack("staircase", 1, 1000), here, 0, "the same at each call");
	is_double(attack("staircase", 1, 100) / here, 10, 0.5,
			  "a tenth of the colluders, ten times the error");
	is_double(attack("staircase", 1, 10000) / here, 0.1, 1e-12,
			  "ten times the colluders");
	is_double(attack("staircase", 3, 300) / attack("staircase", 3, 30), 0.1,
			  0.005, "epsilon 3: likewise");
}

/* Where one way to compute it gives over to another. */
static void
test_scales(void)
{
	is_double(attack("staircase", 1 / (4.99 * sqrt(10)), 10) /
				  attack("staircase", 1 / (5.01 * sqrt(10)), 10),
			  4.99 / 5.01, 0.01, "10 colluders: wide noise is scaled");
	is_double(attack("staircase", 1 / (1.99 * sqrt(50)), 50) /
				  attack("staircase", 1 / (2.01 * sqrt(50)), 50),
			  1.99 / 2.01, 0.03, "50 colluders: very wide noise is Laplace's");
	is_double(attack("staircase", 0.05, 1000) / attack("staircase", 0.05, 1001),
			  1, 0.02, "1001 colluders, epsilon 0.05");
	is_double(attack("staircase", 0.1, 8900) / attack("staircase", 0.1, 9100),
			  9100.0 / 8900, 0.03, "9000 colluders, epsilon 0.1");
	is_double(attack("staircase", 0.299, 3000) /
				  attack("staircase", 0.301, 3000),
			  1, 0.06, "3000 colluders, epsilon 0.3");
	is_double(attack("staircase", 0.001, 3) / attack("laplace", 0.001, 3), 1,
			  0.04, "three colluders, noise as that of Laplace");
	ok(attack("staircase", 1e6, 40) < 1e-100, "hardly any noise");
	ok(isfinite(attack("staircase(gamma=1)", 1e-6, DP_COLLUDERS_MAX)),
	   "a lot of noise");
}

static void
test_epsilon(void)
{
	static const char *const mechanisms[] = {"laplace", "geometric",
											 "staircase", "staircase(cost=l2)",
											 "staircase(gamma=0.7)"};
	size_t i;

	for (i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++)
	{
		DpMechanismChoice choice = choice_of(mechanisms[i]);
		double epsilon = dp_epsilon_by_trend(&choice, 1.5, 20);

		is_double(
			loss_of(mechanisms[i], epsilon, 20).trend /
				(loss_of(mechanisms[i], 1.5, 1).trend * sqrt(acos(-1.0) / 2)),
			1, 1e-6, "%s: 20 colluders lose as much as one", mechanisms[i]);
		ok(epsilon > 1.5 / 20, "%s: the trend promises more than composition",
		   mechanisms[i]);
		is_double(dp_epsilon_by_trend(&choice, 1.5, 1), 1.5, 0,
				  "%s: one colluder", mechanisms[i]);
	}
}

static void
test_applies(void)
{
	static const struct
	{
		const char *text;
		bool applies;
	} cases[] = {{"laplace", true},
				 {"truncated_geometric", true},
				 {"geometric(quantum=1)", true},
				 {"geometric(quantum=2)", false},
				 {"discrete_staircase(r=1)", true},
				 {"discrete_staircase(r=2)", false},
				 {"gaussian(delta=0.1)", false},
				 {"two_stage", false},
				 {"auto", false}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpMechanismChoice choice = choice_of(cases[i].text);

		ok(dp_collusion_applies(&choice) == cases[i].applies, "%s",
		   cases[i].text);
	}
}

int
main(void)
{
	test_trend();
	test_laplace();
	test_geometric();
	test_staircase();
	test_scales();
	test_epsilon();
	test_applies();
	return done_testing();
}
