/*
 * test_gaussian_threshold.c
 *		Thresholds for Gaussian counts of groups.
 */
#include <math.h>

#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/tap.h"

static int64_t
threshold_of(double epsilon, double delta, uint64_t greatest,
			 DpContribution contribution, double *sigma)
{
	DpSigma found = {0, 1};
	int64_t threshold = -1;

	if (dp_gaussian_threshold(epsilon_of(epsilon), (dp_int128) (delta * 1e24),
							  greatest, contribution, &found,
							  &threshold) != DP_OK)
		return -1;
	*sigma = dp_sigma_to_double(found);
	return threshold;
}

/* At epsilon 1, delta 1e-6, units that count once; the last at 0.1. */
static void
test_known(void)
{
	static const struct
	{
		double epsilon;
		uint32_t groups;
		double sigma;
		int64_t threshold;
	} known[] = {{1, 1, 4.2310, 22},	{1, 2, 5.9773, 31},
				 {1, 3, 7.3146, 38},	{1, 4, 8.4511, 44},
				 {1, 20, 18.8946, 103}, {1, 100, 42.2500, 239},
				 {.1, 1, 36.3, 175},	{.1, 4, 72.6, 367}};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		DpContribution contribution = {DP_ADD_REMOVE, 1, known[i].groups};
		double sigma = 0;
		int64_t found =
			threshold_of(known[i].epsilon, 1e-6, 1, contribution, &sigma);

		is_int(found, known[i].threshold,
			   "the threshold of %u groups at epsilon %g", known[i].groups,
			   known[i].epsilon);
		is_double(sigma / known[i].sigma, 1, i < 6 ? 1e-4 : 1e-2,
				  "and its noise");
	}
}

/* P(y) of the noise, P(Y >= k). */
static double
tail_of(double sigma, int64_t k)
{
	double sum = 0;
	int64_t y;

	for (y = k; y < 60 * sigma; y++)
		sum += dp_discrete_gaussian_pmf(sigma, (double) y);
	return sum;
}

/*
 * One unit in one group: what is shown of it, and its noisy count if so, under
 * both tables, summed up. Alone it is shown from the threshold on; with others in
 * the group it changes their count by 1.
 */
static void
test_by_sums(void)
{
	static const double epsilons[] = {0.5, 1, 3};
	static const double deltas[] = {1e-6, 1e-3, 0.1};
	DpContribution contribution = {DP_ADD_REMOVE, 1, 1};
	size_t e;
	size_t d;

	for (e = 0; e < 3; e++)
		for (d = 0; d < 3; d++)
		{
			double sigma = 0;
			int64_t t =
				threshold_of(epsilons[e], deltas[d], 1, contribution, &sigma);
			double more = 0;
			double less = 0;
			double ratio = exp(epsilons[e]);
			double hidden;
			int64_t y;

			ok(tail_of(sigma, t - 1) <= deltas[d],
			   "alone it is shown with delta at most, %g, %g", epsilons[e],
			   deltas[d]);
			ok(1 - ratio * (1 - tail_of(sigma, t - 1)) <= deltas[d],
			   "and not missed with more");

			/* a group of t units, or of t - 1 without it */
			for (y = t; y < t + 60 * sigma; y++)
			{
				double with = dp_discrete_gaussian_pmf(sigma, (double) (y - t));
				double without =
					dp_discrete_gaussian_pmf(sigma, (double) (y - t + 1));

				more += fmax(0, with - ratio * without);
				less += fmax(0, without - ratio * with);
			}
			hidden = (1 - tail_of(sigma, 0)) - ratio * (1 - tail_of(sigma, 1));
			ok(more + fmax(0, hidden) <= deltas[d] && less <= deltas[d],
			   "with others it is hidden among them");
		}
}

static void
test_rules(void)
{
	DpContribution one = {DP_ADD_REMOVE, 1, 5};
	DpContribution exchanged = {DP_SUBSTITUTE, 1, 5};
	DpContribution many = {DP_ADD_REMOVE, 1, 400};
	DpSigma sigma = {20, 1};
	double first = 0;
	double second = 0;
	int64_t threshold = 0;

	ok(threshold_of(1, 1e-6, 1, one, &first) <
			   threshold_of(1, 1e-6, 1, exchanged, &second) &&
		   fabs(second / first - sqrt(2.0)) < 1e-3,
	   "units that are exchanged need more");
	is_double((double) threshold_of(1, 1e-6, 3, one, &second),
			  3.0 * (double) threshold_of(1, 1e-6, 1, one, &first), 3,
			  "counts of three three times as much");
	ok(threshold_of(1, 1e-6, 1, many, &first) < 2.1 * 239, "400 groups");

	dp_gaussian_threshold_of_rho(sigma, (dp_int128) (1e-6 * 1e24), 2, one,
								 &threshold);
	ok(5 * tail_of(20, threshold - 2) <= 1e-6 &&
		   5 * tail_of(20, threshold - 3) > 1e-6,
	   "the threshold for a rho is the least of its delta");
	is_int(dp_gaussian_threshold_of_rho(sigma, 0, 1, one, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "there is none without delta");
	one.groups = 0;
	is_int(dp_gaussian_threshold_of_rho(sigma, 1, 1, one, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "nor without groups");
}

/*
 * Of a rho: a unit alone in one group, and with others in another. Which groups
 * are shown, with their noisy counts, is rho-zCDP but for the event that the first
 * one is, which has the delta of its own; the same of counts that a threshold has
 * let pass, and so that are hidden.
 */
#define LAW 400

static void
test_rho(void)
{
	static const double epsilons[] = {0.5, 1, 3};
	static const int64_t others[] = {-4, -1, 0, 3}; /* above the threshold */
	DpContribution contribution = {DP_ADD_REMOVE, 1, 2};
	size_t e;
	size_t o;

	for (e = 0; e < 3; e++)
	{
		DpMechanismChoice choice = {.mechanism = DP_AUTO, .by_rho = true};
		DpChange change = {1, 1, 1};
		DpNoise noise;
		DpRho rho = {0};
		double sigma;
		double worst = 0;
		int64_t t = 0;

		if (dp_noise_init_change(&noise, &choice, epsilon_of(epsilons[e]),
								 &change, contribution) != DP_OK ||
			noise.mechanism != DP_GAUSSIAN ||
			dp_gaussian_threshold_of_rho(noise.sigma, (dp_int128) (1e-4 * 1e24),
										 1, contribution, &t) != DP_OK)
		{
			ok(epsilons[e] > 2.5, "gaussian noise up to 2.5");
			continue;
		}
		sigma =
			(double) noise.sigma.numerator / (double) noise.sigma.denominator;
		ok(1 - pow(1 - tail_of(sigma, t - 1), 2) <= 1e-4,
		   "alone in both it is shown with delta at most");
		dp_noise_rho(&noise, 1, contribution, &rho);
		for (o = 0; o < sizeof(others) / sizeof(others[0]); o++)
		{
			double with[LAW] = {0};
			double without[LAW] = {0};
			int64_t y;

			/* hidden, then the noisy counts from the threshold on */
			for (y = -2 * LAW; y < 12 * sigma + 10; y++)
			{
				int64_t place = y < 0 ? 0 : y + 1;

				with[place] += dp_discrete_gaussian_pmf(
					sigma, (double) (y - others[o] - 1));
				without[place] +=
					dp_discrete_gaussian_pmf(sigma, (double) (y - others[o]));
			}
			worst = fmax(worst, distribution_rho(with, without,
												 (int64_t) (12 * sigma) + 10));
			worst = fmax(worst, distribution_rho(without, with,
												 (int64_t) (12 * sigma) + 10));
		}
		ok(2 * worst <= (double) rho.ticks * 1e-24 * (1 + 1e-9),
		   "and in both with others it costs the rho that it tells: %.5f of "
		   "%.5f",
		   2 * worst, (double) rho.ticks * 1e-24);
	}
}

int
main(void)
{
	test_known();
	test_by_sums();
	test_rules();
	test_rho();
	return done_testing();
}
