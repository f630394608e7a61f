/*
 * test_weighted_laplace.c
 *		Weighted sums of two or three geometric numbers: by enumeration, and against
 *		closed forms; and how wide the intervals of means and variances are.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/sums_ends.h"
#include "mechanisms/weighted_laplace.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static DpNoise
noise_of(double epsilon)
{
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
	DpNoise noise;

	if (dp_noise_init(&noise, &choice, epsilon_of(epsilon), 1) != DP_OK)
		abort();
	return noise;
}

#define MOST 60 /* of a geometric number, epsilon being 0.5 or more */

/* P(|w1 X1 + w2 X2 + w3 X3| > width) */
static double
beyond(const DpNoise *noise, const double weights[3], double width)
{
	double mass[2 * MOST + 1];
	double within = 0;
	int i;
	int j;
	int k;

	for (i = -MOST; i <= MOST; i++)
		mass[i + MOST] = dp_noise_pmf(noise, i);
	for (i = -MOST; i <= MOST; i++)
	{
		for (j = -MOST; j <= MOST; j++)
		{
			double two = weights[0] * i + weights[1] * j;
			double rest = 0;

			if (weights[2] == 0)
				rest = fabs(two) <= width ? 1 : 0;
			else
			{
				for (k = -MOST; k <= MOST; k++)
				{
					if (fabs(two + weights[2] * k) <= width)
						rest += mass[k + MOST];
				}
			}
			within += mass[i + MOST] * mass[j + MOST] * rest;
		}
	}
	return 1 - within;
}

/* Random weights, and lesser ones that the width holds for, too. */
static void
test_enumerated(void)
{
	static const double tails[] = {0.3, 0.1, 0.05, 0.01, 1e-4};
	uint64_t state = 71;
	int wrong = 0;
	int round;

	for (round = 0; round < 60; round++)
	{
		DpNoise noise =
			noise_of(0.5 + (double) random_next_below(&state, 30) / 10);
		double tail = tails[round % 5];
		double weights[3];
		double lesser[3];
		double sum = 0;
		double width;
		int i;

		for (i = 0; i < 3; i++)
		{
			weights[i] = i == 2 && round % 3 == 0
							 ? 0
							 : (double) random_next_below(&state, 65) / 64;
			lesser[i] =
				weights[i] * ((double) random_next_below(&state, 65) / 32 - 1);
			sum += weights[i];
		}
		width = dp_weighted_laplace_width(&noise, tail, weights, sum);
		wrong += beyond(&noise, weights, width) > tail;
		wrong += beyond(&noise, lesser, width) > tail;
	}
	is_int(wrong, 0, "no more than the tail is beyond");
}

/* The width in scales, for noise whose steps are small. */
static double
scales(double tail, double a, double b, double c)
{
	DpNoise noise = noise_of(0x1p-20);
	const double weights[3] = {a, b, c};

	return ldexp(dp_weighted_laplace_width(&noise, tail, weights,
										   fabs(a) + fabs(b) + fabs(c)),
				 -20);
}

static void
test_known(void)
{
	double x = scales(0.05, 0.5, -0.5, 0);

	is_double(scales(0.05, 1, 0, 0), log(20), 1e-3, "one of them");
	is_double(exp(-2 * x) * (1 + x), 0.05, 2e-4, "halves of two");
	x = scales(0.01, 1, 1, 1);
	is_double(exp(-x) * (1 + 5 * x / 8 + x * x / 8), 0.01, 1e-4, "three");
	x = scales(0.05, 1. / 6, 1. / 3, 1. / 6);
	is_double(x, 1.1796, 1e-3, "a variance of values spread evenly");
	x = scales(1e-9, 0.5, 0.5, 0);
	is_double(x, 9 * log(10), 1e-3, "the bound, of rare errors");
	is_double(scales(0.05, 0, 0, 0), 0, 1e-5, "nothing");
}

/*
 * How wide intervals are where the sums are without noise, times the number of rows
 * and epsilon: half of the width.
 */
static double
half_width_of_mean(double p)
{
	DpLaw law = {.kind = DP_LAW_RATIO, .noise = noise_of(0x1p-20)};
	double total = ldexp(1000, 20);
	const dp_int128 sums[2] = {(dp_int128) (p * total), (dp_int128) total};
	dp_uint128 width;

	if (dp_law_width(&law, 0.95, &width) != DP_OK)
		abort();
	return (dp_law_ratio_end(&law, 0.95, width, sums, true) -
			dp_law_ratio_end(&law, 0.95, width, sums, false)) *
		   500;
}

static double
half_width_of_variance(double b0, double b1, double b2)
{
	DpLaw law = {.kind = DP_LAW_VARIANCE_POP,
				 .noise = noise_of(0x1p-20),
				 .steps = 1 << 20};
	double total = ldexp(1000, 20);
	const dp_int128 sums[3] = {(dp_int128) (b0 * total),
							   (dp_int128) (b1 * total),
							   (dp_int128) (b2 * total)};
	dp_uint128 width;

	if (dp_law_width(&law, 0.95, &width) != DP_OK)
		abort();
	return (dp_law_variance_end(&law, 0.95, width, sums, true) -
			dp_law_variance_end(&law, 0.95, width, sums, false)) *
		   500;
}

static void
test_intervals(void)
{
	/* by the closed form for halves, e^(-2x) (1 + x) = 0.05 */
	is_double(half_width_of_mean(0.5), 2.0537, 0.02, "a mean in the middle");
	is_double(half_width_of_mean(0.01), 2.97, 0.02, "and at an end");
	is_double(half_width_of_variance(1. / 3, 1. / 3, 1. / 3), 1.2394, 0.03,
			  "a variance of values spread evenly");
	is_double(half_width_of_variance(0.25, 0.5, 0.25), 0.65, 0.02,
			  "of values in the middle");
}

int
main(void)
{
	test_enumerated();
	test_known();
	test_intervals();
	return done_testing();
}
