/*
 * test_combination.c
 *		Weighted sums of noise: what is beyond a width, by enumeration of the laws,
 *		and known widths.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/combination.h"
#include "mechanisms/expected_error.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define MOST 4000 /* units that a sum is followed to */

static DpNoise
noise_of(DpMechanism mechanism, double epsilon, uint64_t sensitivity)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .delta = 1e-6};
	DpNoise noise;

	if (dp_noise_init(&noise, &choice, epsilon_of(epsilon), sensitivity) !=
		DP_OK)
		abort();
	return noise;
}

/* law += another draw, whose weight is this many units */
static void
convolve(double *law, const DpNoise *noise, int units)
{
	static double next[2 * MOST + 1];
	int i;
	int z;

	for (i = 0; i <= 2 * MOST; i++)
		next[i] = 0;
	for (z = -MOST / units; z <= MOST / units; z++)
	{
		double p = dp_noise_pmf(noise, z);

		if (p < 1e-19)
			continue;
		for (i = 0; i <= 2 * MOST; i++)
		{
			int to = i + z * units;

			if (law[i] > 1e-19 && to >= 0 && to <= 2 * MOST)
				next[to] += law[i] * p;
		}
	}
	for (i = 0; i <= 2 * MOST; i++)
		law[i] = next[i];
}

/* P(|S| > h), h in units; what is not followed counts. */
static double
beyond(const double *law, double width)
{
	double mass = 0;
	int i;

	for (i = 0; i <= 2 * MOST; i++)
	{
		if (abs(i - MOST) <= width)
			mass += law[i];
	}
	return 1 - mass;
}

/* The greatest common divisor. */
static int
common(int a, int b)
{
	return b == 0 ? a : common(b, a % b);
}

#define UNITS 16 /* of a weight of 1 */

/*
 * Random sums of up to four laws, with weights of some 16ths: never beyond the
 * width with more than the tail, and it is little more than the least one, where
 * the steps of the sum are small.
 */
static void
test_enumerated(void)
{
	static const DpMechanism mechanisms[] = {DP_GEOMETRIC, DP_STAIRCASE,
											 DP_GAUSSIAN};
	static const double tails[] = {0.3, 0.1, 0.05, 0.01, 1e-4};
	uint64_t state = 61;
	int wrong = 0;
	int bounds_wrong = 0;
	double worst = 0;
	int round;

	for (round = 0; round < 150; round++)
	{
		static double law[2 * MOST + 1];
		int count = 1 + (int) random_next_below(&state, 4);
		DpNoise noise[4];
		const DpNoise *laws[4];
		DpCombined parts[4];
		double variance = 0;
		double share = 0;
		double tail;
		double width;
		double bound;
		int step = 0;
		int least;
		int i;

		for (i = 0; i <= 2 * MOST; i++)
			law[i] = i == MOST;
		for (i = 0; i < count; i++)
		{
			int units = 1 + (int) random_next_below(&state, UNITS);
			int draws = 1 + (int) random_next_below(&state, 5);
			double of_one;
			int draw;

			noise[i] =
				noise_of(mechanisms[random_next_below(&state, 3)],
						 0.3 + (double) random_next_below(&state, 300) / 100,
						 1 + random_next_below(&state, 3));
			laws[i] = &noise[i];
			parts[i] = (DpCombined){
				&noise[i], (i % 2 == 0 ? 1.0 : -1.0) * units / UNITS, draws};
			of_one = pow(dp_noise_deviation(&noise[i]) * units / UNITS, 2);
			variance += draws * of_one;
			share = fmax(share, of_one);
			step = common(step, units);
			for (draw = 0; draw < draws; draw++)
				convolve(law, &noise[i], units);
		}
		tail = tails[round % 5];
		if (dp_combination_width(parts, count, tail, &width) != DP_OK ||
			dp_combination_bound(laws, count, sqrt(variance), share / variance,
								 tail, &bound) != DP_OK)
			abort();
		wrong += beyond(law, width * UNITS) > tail;
		bounds_wrong += beyond(law, bound * UNITS) > tail;
		for (least = 0; beyond(law, least) > tail; least++)
			;
		worst = fmax(worst, (width * UNITS - least - step) / least);
	}
	is_int(wrong, 0, "no more than the tail is beyond the width");
	is_int(bounds_wrong, 0, "nor beyond the bound");
	ok(worst < 0.03, "widths are too great by %g of them, and a step", worst);
}

static double
width_of(const DpCombined *parts, int count, double tail)
{
	double width;

	if (dp_combination_width(parts, count, tail, &width) != DP_OK)
		abort();
	return width;
}

/* Many draws are nearly a normal number; one is itself. */
static void
test_known(void)
{
	DpNoise wide = noise_of(DP_LAPLACE, 0.001, 1);
	DpNoise stairs = noise_of(DP_STAIRCASE, 1, 1000000);
	DpNoise normal = noise_of(DP_GAUSSIAN, 0.01, 1000);
	DpNoise narrow = noise_of(DP_GEOMETRIC, 1000, 1);
	const DpNoise *laws[] = {&wide};
	DpCombined one = {&wide, 1, 1};
	DpCombined many[] = {{&wide, 0.01, 10000}, {&stairs, 1e-6, 1e6}};
	double deviation = sqrt(pow(dp_noise_deviation(&wide), 2) +
							1e-6 * pow(dp_noise_deviation(&stairs), 2));
	double bound;

	is_double(width_of(&one, 1, 0.05) / 2995.7, 1.006, 0.004, "one draw");
	is_double(width_of(many, 2, 0.05) / (1.95996 * deviation), 1.004, 0.004,
			  "many");
	one = (DpCombined){&normal, -0.5, 4};
	is_double(width_of(&one, 1, 0.01) / (2.57583 * dp_noise_deviation(&normal)),
			  1.004, 0.004, "four normal numbers");
	is_double(width_of(&one, 1, 1e-9) /
				  (sqrt(2 * log(2e9)) * dp_noise_deviation(&normal)),
			  1, 1e-6, "a rare error by Chernoff's bound");
	one = (DpCombined){&narrow, 1, 1};
	ok(width_of(&one, 1, 0.05) < 0.1, "no noise");
	if (dp_combination_bound(laws, 1, 100, 1e-4, 0.05, &bound) != DP_OK)
		abort();
	is_double(bound / 100, sqrt(2 * log(40)), 0.002, "a bound of small shares");
	if (dp_combination_bound(laws, 1, 100, 1, 0.05, &bound) != DP_OK)
		abort();
	is_double(bound / 100, 4.1344, 0.001, "and of a single draw");
	wide.quantum = 2;
	one = (DpCombined){&wide, 1, 1};
	is_int(dp_combination_width(&one, 1, 0.05, &bound),
		   DP_MECHANISM_NOT_APPLICABLE, "a quantum is refused");
}

int
main(void)
{
	test_enumerated();
	test_known();
	return done_testing();
}
