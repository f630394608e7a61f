/*
 * thresholds.c
 *		From how many people on a group with a private key is shown, against the
 *		number of groups that a person may be in: with geometric and with Gaussian
 *		counts.
 *
 * Thresholds are those that the release takes. The curves: of geometric counts
 * the closed form, before it is rounded up to an integer.
 */
#include <math.h>

#include "figure.h"
#include "mechanisms/gaussian.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"

#define DELTA 1e-6
#define DELTA_UNITS ((dp_int128) 1000000 * 1000000000000)

/* 1 + k, where 1 - (1 - P(X >= k))^m = delta. */
static double
geometric_threshold(double epsilon, uint32_t groups)
{
	double x = epsilon / groups;
	double p = -expm1(log1p(-DELTA) / groups);

	return 1 - log(p * (1 + exp(-x))) / x;
}

/* Of counts for the rho that an epsilon-DP mechanism may cost: a zcdp budget's. */
static int64_t
threshold_of_rho(double epsilon, DpContribution contribution)
{
	DpRho rho;
	DpSigma sigma;
	int64_t threshold;

	figure_check(dp_zcdp_of_pure(figure_epsilon(epsilon), 1, &rho));
	figure_check(dp_gaussian_of_rho(rho, contribution.groups, &sigma));
	figure_check(dp_gaussian_threshold_of_rho(sigma, DELTA_UNITS, 1,
											  contribution, &threshold));
	return threshold;
}

static int64_t
threshold_of_geometric(double epsilon, DpContribution contribution)
{
	DpMechanismChoice geometric = {.mechanism = DP_GEOMETRIC};
	DpNoise noise;
	int64_t threshold;

	figure_check(dp_noise_init_groups(
		&noise, &geometric, figure_epsilon(epsilon), 1, contribution));
	figure_check(
		dp_group_threshold(&noise, 1, DELTA_UNITS, contribution, &threshold));
	return threshold;
}

static int64_t
threshold_of_gaussian(double epsilon, DpContribution contribution)
{
	DpSigma sigma;
	int64_t threshold;

	figure_check(dp_gaussian_threshold(figure_epsilon(epsilon), DELTA_UNITS, 1,
									   contribution, &sigma, &threshold));
	return threshold;
}

static const struct
{
	const char *name;
	int64_t (*threshold)(double epsilon, DpContribution contribution);
} methods[] = {{"geometric", threshold_of_geometric},
			   {"gaussian", threshold_of_gaussian},
			   {"gaussian of rho", threshold_of_rho}};

int
main(int argc, char **argv)
{
	static const uint32_t sizes[] = {1,	 2,	 3,	 4,	 5,	 7,	 10,
									 15, 20, 30, 40, 50, 70, 100};
	const double epsilon = 1;
	size_t method;
	size_t i;

	figure_start(argc, argv);
	figure_open_columns("key-thresholds", "groups,theory,threshold");
	for (method = 0; method < 3; method++)
	{
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		{
			DpContribution contribution = {DP_ADD_REMOVE, 1, sizes[i]};
			double numbers[] = {
				sizes[i],
				method == 0 ? geometric_threshold(epsilon, sizes[i]) : NAN,
				(double) methods[method].threshold(epsilon, contribution)};

			figure_numbers(methods[method].name, numbers, 3);
		}
	}
	figure_close();
	return 0;
}
