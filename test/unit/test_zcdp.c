/*
 * test_zcdp.c
 *		What mechanisms cost in rho, and what a grant is worth.
 *
 * Costs against the Renyi divergences of the exact laws for all neighbours and
 * many orders; of selections, ranks and sparse vectors that is in test_selection.c
 * and test_privacy.c. Conversions against their formula in long doubles.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/expected_error.h"
#include "mechanisms/mean.h"
#include "mechanisms/quantiles.h"
#include "mechanisms/variance.h"
#include "mechanisms/vector_noise.h"
#include "mechanisms/zcdp.h"
#include "mechanisms/zcdp_grant.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/tap.h"

#define REACH 3000

static double
rho_of(DpStatus status, DpRho rho)
{
	return status == DP_OK ? (double) rho.ticks * 1e-24 : NAN;
}

static double
pure(double epsilon, uint64_t parts)
{
	DpRho rho = {0};
	DpStatus status = dp_zcdp_of_pure(epsilon_of(epsilon), parts, &rho);

	return rho_of(status, rho);
}

static double
laplace(uint64_t s, uint64_t t, uint64_t sensitivity, uint64_t parts)
{
	DpRho rho = {0};
	DpStatus status = dp_zcdp_of_laplace(s, t, sensitivity, parts, &rho);

	return rho_of(status, rho);
}

static double
bounded_range(double epsilon, uint64_t parts)
{
	DpRho rho = {0};
	DpStatus status =
		dp_zcdp_of_bounded_range(epsilon_of(epsilon), parts, &rho);

	return rho_of(status, rho);
}

static double
one_sided(double epsilon, uint64_t parts)
{
	DpRho rho = {0};
	DpStatus status = dp_zcdp_of_one_sided(epsilon_of(epsilon), parts, &rho);

	return rho_of(status, rho);
}

static void
test_known_costs(void)
{
	static const struct
	{
		double epsilon;
		double rho;
	} known[] = {{.5, .122459331202},
				 {1, .462117157260},
				 {2, 1.52318831191},
				 {5, 4.93307149076}};
	static const struct
	{
		uint64_t s;
		uint64_t t;
		uint64_t sensitivity;
		double rho;
	} vectors[] = {{1, 7, 7, .370024402878},
				   {1, 100, 100, .367889976391},
				   {1, 140, 14, .00483822723677},
				   {5, 2, 2, 4.58957500688},
				   {2, 1000000, 1000000, 1.13533528324}};
	DpRho rho = {0};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		is_double(pure(known[i].epsilon, 1), known[i].rho, 1e-11, "R of %g",
				  known[i].epsilon);
	is_double(laplace(1, 20, 1, 1), .00124973964842, 1e-14, "R of 0.05");
	is_double(laplace(1, 10, 1, 1), .00499583749579, 1e-14, "R of 0.1");
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
	{
		double found =
			laplace(vectors[i].s, vectors[i].t, vectors[i].sensitivity, 1);

		ok(found >= vectors[i].rho * (1 - 1e-11) &&
			   found <= vectors[i].rho * (i == 3 ? 1.08 : 1.0001),
		   "K with %g steps: %.12g is at least %.12g, and hardly more",
		   (double) vectors[i].sensitivity, found, vectors[i].rho);
	}
	is_double(bounded_range(1, 1), .125, 1e-15, "the exponential mechanism");
	is_double(bounded_range(1, 4), .03125, 1e-15, "four levels of it");
	ok(bounded_range(7.9, 1) < pure(7.9, 1) &&
		   bounded_range(8.1, 1) == pure(8.1, 1),
	   "R is less from 8 on");
	is_double(one_sided(1, 1), 9. / 32, 1e-15, "a one-sided walk");
	is_double(one_sided(1, 4), 9. / 128, 1e-15, "in four groups");
	ok(one_sided(3.2, 1) < pure(3.2, 1) && one_sided(3.4, 1) == pure(3.4, 1),
	   "R is less from 3.30 on");
	is_double(pure(1, 4), 4 * .25 * tanh(.125), 1e-15, "four groups");
	is_double(laplace(1, 4, 1, 4), pure(1, 4), 0, "and their counts");

	dp_zcdp_of_gaussian(3, 1, 1, &rho);
	ok(rho.ticks == DP_RHO_ONE / 18 + 1, "a cost is rounded up");
	dp_zcdp_of_gaussian(DP_SIGMA_MAX, 1, 1, &rho);
	is_int((long long) rho.ticks, 1, "and never 0");
	dp_zcdp_of_gaussian(1, DP_SIGMA_MAX, (dp_uint128) 1 << 84, &rho);
	ok(rho.ticks == DP_RHO_ONE * 10000000000000, "nor above 10^13");
}

/* The laws of noise on answers that are so far apart. */
static double
noise_rho(const DpNoise *noise, int moved)
{
	static double p[2 * REACH + 1];
	static double q[2 * REACH + 1];
	int y;

	for (y = -REACH; y <= REACH; y++)
	{
		p[y + REACH] = dp_noise_pmf(noise, y);
		q[y + REACH] = dp_noise_pmf(noise, y - moved);
	}

	/* What doubles cannot hold has no weight. */
	for (y = -REACH; y <= REACH; y++)
	{
		if (p[y + REACH] < 1e-290 || q[y + REACH] < 1e-290)
			p[y + REACH] = 0;
	}
	return distribution_rho(p, q, 2 * REACH + 1);
}

/*
 * Noise of one number, over all changes up to its sensitivity: in one group, or
 * with m of them all changed; where units are exchanged, by twice as much.
 */
static void
test_noise(DpMechanism mechanism, const char *name, double delta)
{
	static const double epsilons[] = {0.1, 0.5, 1, 2, 5};
	static const uint32_t groups[] = {0, 1, 3};
	size_t e;
	size_t g;
	int n;

	for (n = 0; n < 2; n++)
	{
		for (g = 0; g < 3; g++)
		{
			DpContribution contribution = {n ? DP_SUBSTITUTE : DP_ADD_REMOVE, 1,
										   groups[g]};
			bool good = true;
			bool sharp = true;

			for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
			{
				uint64_t d;

				for (d = 1; d <= 6; d += d < 3 ? 1 : 3)
				{
					DpMechanismChoice choice = {.mechanism = mechanism,
												.delta = delta};
					DpNoise noise;
					DpRho rho = {0};
					double promised;
					double worst = 0;
					int most = (int) (n && groups[g] > 0 ? 2 * d : d);
					int moved;

					if (dp_noise_init_groups(&noise, &choice,
											 epsilon_of(epsilons[e]), d,
											 contribution) != DP_OK)
						abort();
					promised = rho_of(
						dp_noise_rho(&noise, 1, contribution, &rho), rho);
					for (moved = 1; moved <= most; moved++)
						worst = fmax(worst, noise_rho(&noise, moved));
					worst *= groups[g] > 0 ? groups[g] : 1;
					if (!(worst <= promised * (1 + 1e-9) + 1e-12))
					{
						good = false;
						diag("epsilon %g, change %g, %g groups: %.12g of %.12g",
							 epsilons[e], (double) d, (double) groups[g], worst,
							 promised);
					}
					if (mechanism != DP_STAIRCASE)
						sharp = sharp && worst > 0.93 * promised;
				}
			}
			ok(good, "%s costs at least what it tells, %s, %d groups", name,
			   n ? "substitute" : "add_remove", (int) groups[g]);
			ok(sharp, "and not much more");
		}
	}
}

/* Vectors: what moves two sums by a and b, together at most the sensitivity. */
static void
test_vectors(void)
{
	static const DpMechanism kinds[] = {DP_LAPLACE, DP_STAIRCASE, DP_GAUSSIAN};
	DpGrid grid = grid_of(0, 5);
	size_t k;

	for (k = 0; k < 3; k++)
	{
		DpMechanismChoice choice = {.mechanism = kinds[k], .delta = 1e-6};
		DpContribution contribution = {DP_ADD_REMOVE, 1, 0};
		DpMean mean;
		DpRho rho = {0};
		bool good = true;
		int a;

		if (dp_mean_init(&mean, &choice, epsilon_of(1), &grid, contribution) !=
			DP_OK)
			abort();
		dp_mean_rho(&mean, epsilon_of(1), contribution, &rho);
		for (a = 0; a <= 5; a++)
			good = good &&
				   noise_rho(&mean.noise, a) + noise_rho(&mean.noise, 5 - a) <=
					   (double) rho.ticks * 1e-24 * (1 + 1e-9);
		ok(good, "means cost what both sums tell, mechanism %d",
		   (int) kinds[k]);
	}
}

static void
test_quantiles(void)
{
	static const double nine[] = {.1, .2, .3, .4, .5, .6, .7, .8, .9};
	DpContribution contribution = {DP_ADD_REMOVE, 1, 0};
	DpQuantiles *quantiles = malloc(dp_quantiles_size(9));
	DpRho rho = {0};

	dp_quantiles_init(quantiles, nine, 9, epsilon_of(1), contribution);
	dp_quantiles_rho(quantiles, epsilon_of(1), contribution, &rho);
	is_double((double) rho.ticks * 1e-24, 0.03125, 1e-15, "nine deciles");
	free(quantiles);
}

/* The bound at the best of many orders, in long doubles. */
static long double
delta_of(long double rho, long double epsilon)
{
	long double best = 1;
	long double x;

	for (x = -8; x < 25; x += 0.0002L)
	{
		long double less = expl(x);
		long double a = 1 + less;

		best = fminl(best,
					 expl(less * (a * rho - epsilon) + a * log1pl(-1 / a) - x));
	}
	return best;
}

static void
test_grants(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		double rho;
	} known[] = {{1, 1e-6, 0.02435597035953837}, {5, 1e-6, 0.4630649901386302},
				 {20, 1e-6, 4.789373059556687},	 {1, 5e-7, 0.02293744668872},
				 {5, 5e-7, 0.44172696054196},	 {20, 5e-7, 4.634275779992093},
				 {3, 1e-9, 0.12058242891102}};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		DpRho rho = {0};
		double value;

		dp_zcdp_of_grant(epsilon_of(known[i].epsilon), known[i].delta, &rho);
		value = (double) rho.ticks * 1e-24;
		ok(value <= known[i].rho && value >= known[i].rho * (1 - 1e-6),
		   "epsilon %g, delta %g are worth rho %.15g, at most %.15g",
		   known[i].epsilon, known[i].delta, value, known[i].rho);
		ok(delta_of(value, known[i].epsilon) <= known[i].delta * (1 + 1e-6L) &&
			   delta_of(value * (1 + 1e-4), known[i].epsilon) > known[i].delta,
		   "which is within delta, and more would not be");
		is_double(dp_zcdp_to_epsilon(value, known[i].delta), known[i].epsilon,
				  1e-5 * known[i].epsilon, "and back again");
	}
	is_double(dp_zcdp_to_epsilon(.5, 1e-6), 5.2215344445, 1e-9,
			  "epsilon of 0.5");
	is_double(dp_zcdp_to_epsilon(.1, 1e-6), 2.1419389284, 1e-9,
			  "epsilon of 0.1");
	is_double(dp_zcdp_to_epsilon(.01, 1e-6), .6216926546, 1e-9,
			  "epsilon of 0.01");
	is_double(dp_zcdp_to_epsilon(1, 1e-9), 9.5214636718, 1e-9, "epsilon of 1");
	is_double(dp_zcdp_to_epsilon(.125, 1e-5), 2.1657155452, 1e-9,
			  "epsilon of 0.125");
}

static void
test_grant_ranges(void)
{
	static const double deltas[] = {0x1p-1074, 1e-24, 1e-6, 0.5, 1 - 0x1p-53};
	double epsilon;
	bool good = true;
	size_t d;
	DpRho rho;

	for (epsilon = DP_EPSILON_MIN; epsilon <= DP_EPSILON_MAX; epsilon *= 33)
	{
		for (d = 0; d < sizeof(deltas) / sizeof(deltas[0]); d++)
		{
			DpStatus status =
				dp_zcdp_of_grant(epsilon_of(epsilon), deltas[d], &rho);
			double root = sqrt(-log(deltas[d]));
			double least = epsilon / (sqrt(epsilon + root * root) + root);

			/* Not worse than rho + 2 sqrt(rho ln(1/delta)), but where there
			 * is no order as small, or so great, as would be best. */
			good = good && status == DP_OK && rho.ticks >= 1 &&
				   (double) rho.ticks * 1e-24 <= epsilon &&
				   ((double) rho.ticks * 1e-24 >= least * least ||
					epsilon > 1000 || epsilon < 1e-6 || deltas[d] > 0.9);
		}
	}
	ok(good, "grants over all ranges");
	is_int(dp_zcdp_of_grant(epsilon_of(1), 0, &rho), DP_PARAMETER_OUT_OF_RANGE,
		   "without delta nothing is granted");
}

/* delta of continuous noise that costs rho, at epsilon. */
static double
gaussian_delta(double rho, double epsilon)
{
	double m = sqrt(2 * rho);

	return (erfc((epsilon / m - m / 2) / sqrt(2.0)) -
			exp(epsilon) * erfc((epsilon / m + m / 2) / sqrt(2.0))) /
		   2;
}

/*
 * The epsilon of an amount of rho: enough for the exact law of Gaussian noise,
 * for the grant that it is, and not wasteful.
 */
static void
test_cost_of_rho(void)
{
	static const double deltas[] = {1e-12, 1e-6, 3e-6, 1e-3};
	double rho;
	bool is_enough = true;
	bool is_worth = true;
	bool is_near = true;
	DpRho ticks = {0};
	DpRho worth;
	DpEpsilon epsilon;
	size_t d;

	for (rho = 1e-5; rho < 100; rho *= 2.7)
		for (d = 0; d < sizeof(deltas) / sizeof(deltas[0]); d++)
		{
			double found;

			ticks.ticks = (dp_int128) (rho * 1e24);
			is_enough = is_enough && dp_zcdp_cost_of_rho(ticks, deltas[d],
														 &epsilon) == DP_OK;
			found = dp_epsilon_to_double(epsilon);
			is_enough = is_enough && gaussian_delta(rho, found) <= deltas[d];
			is_near =
				is_near &&
				(rho < 1e-3 || deltas[d] > 1e-5 ||
				 gaussian_delta(rho, found / 1.3) > deltas[d]) &&
				found <= dp_zcdp_to_epsilon(rho, deltas[d]) * 1.001 + 0x1p-18;
			epsilon.ticks++; /* the order found there may be another one */
			is_worth =
				is_worth &&
				dp_zcdp_of_grant(epsilon, deltas[d], &worth) == DP_OK &&
				(double) worth.ticks >= (double) ticks.ticks * (1 - 1e-5);
		}
	ok(is_enough, "the epsilon of rho is enough for Gaussian noise");
	ok(is_near, "and not wasteful");
	ok(is_worth, "a grant of it is worth that rho");

	ticks.ticks = DP_RHO_ONE * 10000000000000;
	is_int(dp_zcdp_cost_of_rho(ticks, 1e-6, &epsilon), DP_EPSILON_OUT_OF_RANGE,
		   "no epsilon above 10^6");
	is_int(dp_zcdp_cost_of_rho(ticks, 0, &epsilon), DP_PARAMETER_OUT_OF_RANGE,
		   "nor without delta");
	ticks.ticks = 1;
	is_int(dp_zcdp_cost_of_rho(ticks, 1e-6, &epsilon), DP_OK, "of 10^-24");
}

/* The epsilon of a price is the one that has it. */
static void
test_price_to_epsilon(void)
{
	static const uint64_t units[] = {1,		 2,		  1000,	   23141,
									 104857, 1048576, 9000001, 1048576000000};
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		DpEpsilon epsilon = {units[i]};
		DpEpsilon found = {0};
		DpRho rho = {0};

		good = good && dp_zcdp_of_pure(epsilon, 1, &rho) == DP_OK &&
			   dp_zcdp_to_pure(rho, &found) == DP_OK && found.ticks == units[i];
		rho.ticks--;
		good = good && (units[i] == 1 ? dp_zcdp_to_pure(rho, &found) ==
											DP_EPSILON_OUT_OF_RANGE
									  : dp_zcdp_to_pure(rho, &found) == DP_OK &&
											found.ticks == units[i] - 1);
	}
	ok(good, "the greatest epsilon that costs no more");
}

/* What auto takes by rho, for one number and for vectors. */
static DpMechanism
best(double epsilon, uint64_t sensitivity, uint32_t sums,
	 DpContribution contribution, double *rho, double *deviation)
{
	DpMechanismChoice choice = {.mechanism = DP_AUTO, .by_rho = true};
	DpChange change = {sensitivity, sensitivity, 1};
	DpNoise noise;
	DpError error;
	DpRho cost = {0};
	DpStatus status =
		sums == 1 ? dp_noise_init_change(&noise, &choice, epsilon_of(epsilon),
										 &change, contribution)
				  : dp_vector_noise_init(&noise, &choice, epsilon_of(epsilon),
										 sensitivity, sums, contribution);

	if (status != DP_OK)
		return DP_AUTO;
	status = dp_noise_rho(&noise, sums, contribution, &cost);
	*rho = rho_of(status, cost);
	dp_expected_error_of(&noise, dp_epsilon_to_double(noise.epsilon), &error);
	*deviation = error.root_mean_square;
	return noise.mechanism;
}

static void
test_choice_by_rho(void)
{
	static const double epsilons[] = {.01, .1, .5, 1, 2, 2.4, 2.7, 3, 5, 10};
	static const uint64_t sensitivities[] = {1, 7, 100000};
	static const uint32_t numbers[] = {1, 2, 3};
	const DpContribution row = dp_contribution_of_row(DP_ADD_REMOVE);
	bool is_cheap = true;
	double rho;
	double deviation;
	size_t e;
	size_t s;
	size_t n;
	uint32_t groups;

	for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		for (s = 0; s < 3; s++)
			for (n = 0; n < 3; n++)
				for (groups = 0; groups <= 20; groups += 4)
				{
					DpContribution contribution = {
						groups % 8 == 0 ? DP_ADD_REMOVE : DP_SUBSTITUTE, 1,
						groups};

					is_cheap =
						is_cheap &&
						best(epsilons[e], sensitivities[s], numbers[n],
							 contribution, &rho, &deviation) != DP_AUTO &&
						rho > 0 && rho <= pure(epsilons[e], 1);
				}
	ok(is_cheap, "auto by rho never costs more than R(epsilon)");

	is_int(best(2.5, 1, 1, row, &rho, &deviation), DP_GAUSSIAN,
		   "counts: gaussian up to 2.5026");
	is_double(deviation * deviation, .194749, 3e-6, "of that variance");
	is_int(best(2.51, 1, 1, row, &rho, &deviation), DP_GEOMETRIC,
		   "then geometric");
	is_int(best(2.59, 100000, 1, row, &rho, &deviation), DP_GAUSSIAN,
		   "sums: up to 2.597");
	is_int(best(2.61, 100000, 1, row, &rho, &deviation), DP_STAIRCASE,
		   "then a staircase");
	(void) best(1, 1, 1, row, &rho, &deviation);
	is_double(deviation * deviation, 1.08198, 1e-5, "a count at 1");
	(void) best(1, 3, 1, (DpContribution){DP_ADD_REMOVE, 1, 20}, &rho,
				&deviation);
	is_double(deviation * deviation, 9 * 20 / (2 * .462117157260), 1e-3,
			  "in 20 groups by the L2 norm");
	(void) best(1, 1000, 2, row, &rho, &deviation);
	is_double(deviation * deviation, 1e6 / (2 * .462117157260), 1,
			  "a vector by its L2 norm");
}

int
main(void)
{
	test_known_costs();
	test_noise(DP_GEOMETRIC, "geometric", 0);
	test_noise(DP_STAIRCASE, "staircase", 0);
	test_noise(DP_GAUSSIAN, "gaussian", 1e-6);
	test_vectors();
	test_quantiles();
	test_grants();
	test_grant_ranges();
	test_cost_of_rho();
	test_price_to_epsilon();
	test_choice_by_rho();
	return done_testing();
}
