/*
 * test_joint_staircase.c
 *		Staircase noise on two and three integers together: draws, moments, tails,
 *		privacy and widths against the enumerated law.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mechanisms/joint_shape.h"
#include "mechanisms/mean.h"
#include "mechanisms/variance.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

/* Beyond this size nothing is enumerated. */
#define REACH 60
#define SIDE (2 * REACH + 1)

static const struct
{
	uint32_t sums;
	uint64_t d;
	uint64_t r;
	double epsilon;
} shapes[] = {
	{2, 1, 1, 1}, {2, 2, 1, 2},	  {2, 3, 2, 1.5}, {2, 5, 2, 5},
	{2, 7, 7, 4}, {2, 12, 1, 10}, {3, 1, 1, 2},	  {3, 2, 1, 3},
	{3, 3, 3, 2}, {3, 4, 2, 5},	  {3, 6, 1, 8},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static DpStaircase
shape_of(size_t i, int bits)
{
	DpStaircase shape = {0};

	if (dp_joint_staircase_init(&shape, shapes[i].sums, shapes[i].d,
								shapes[i].r, epsilon_of(shapes[i].epsilon),
								bits) != DP_OK)
		abort();
	return shape;
}

/* The definition, but for its factor. */
static double
weight_of(const DpStaircase *s, int64_t size)
{
	int64_t d = (int64_t) s->sensitivity;
	int64_t r = (int64_t) s->first_step;
	int64_t level;

	if (d == 0)
		abort();
	level = size < r ? 0 : 1 + (size - r) / d;

	return exp(-dp_epsilon_to_double(s->epsilon) * (double) level);
}

/* Calls f for each vector within reach, with its weight. */
static void
enumerate(const DpStaircase *s,
		  void (*f)(void *context, const int *z, double weight), void *context)
{
	int reach = s->sums == 2 ? 2 * REACH : REACH;
	int z[3] = {0};

	for (z[0] = -reach; z[0] <= reach; z[0]++)
	{
		int rest = reach - abs(z[0]);

		for (z[1] = -rest; z[1] <= rest; z[1]++)
		{
			int last = s->sums == 2 ? 0 : rest - abs(z[1]);

			for (z[2] = -last; z[2] <= last; z[2]++)
				f(context, z, weight_of(s, abs(z[0]) + abs(z[1]) + abs(z[2])));
		}
	}
}

typedef struct Totals
{
	double all;
	double absolute;
	double square;
	double one; /* |z_1| > h */
	double size;
	int h;
} Totals;

static void
add_up(void *context, const int *z, double weight)
{
	Totals *totals = context;
	int size = abs(z[0]) + abs(z[1]) + abs(z[2]);

	totals->all += weight;
	totals->absolute += weight * abs(z[0]);
	totals->square += weight * z[0] * z[0];
	totals->one += abs(z[0]) > totals->h ? weight : 0;
	totals->size += size > totals->h ? weight : 0;
}

static void
test_shape(void)
{
	size_t i;

	for (i = 0; i < SHAPES; i++)
	{
		DpStaircase s = shape_of(i, DP_REAL_BITS);
		double worst = 0;
		Totals all = {0};
		int h;

		enumerate(&s, add_up, &all);
		for (h = 0; h < 20; h++)
			worst = fmax(
				worst,
				fabs(dp_joint_pmf(&s, h) * all.all / weight_of(&s, h) - 1));

		for (h = 0; h < 20; h++)
		{
			Totals t = {.h = h};

			enumerate(&s, add_up, &t);
			worst = fmax(
				worst,
				fabs(dp_joint_mean_absolute(&s) / (t.absolute / t.all) - 1));
			worst = fmax(
				worst, fabs(dp_joint_mean_square(&s) / (t.square / t.all) - 1));
			worst = fmax(worst, fabs(dp_joint_tail(&s, h) - t.one / t.all));
			worst =
				fmax(worst, fabs(dp_joint_size_tail(&s, h) - t.size / t.all));
		}
		is_double(worst, 0, 1e-9, "moments and tails of %u, D %d, r %d", s.sums,
				  (int) s.sensitivity, (int) s.first_step);
	}
}

/* Cells of vectors within a small box; the rest together. */
#define BOX 5
#define CELLS ((2 * BOX + 1) * (2 * BOX + 1) * (2 * BOX + 1) + 1)

static size_t
cell_of(const int *z)
{
	size_t cell = 0;
	int i;

	for (i = 0; i < 3; i++)
	{
		if (abs(z[i]) > BOX)
			return CELLS - 1;
		cell = cell * (2 * BOX + 1) + (size_t) (z[i] + BOX);
	}
	return cell;
}

static void
add_cell(void *context, const int *z, double weight)
{
	((double *) context)[cell_of(z)] += weight;
}

static void
test_draws(void)
{
	static const int bits[] = {1, 6, DP_REAL_BITS};
	static double probabilities[CELLS];
	static uint64_t counts[CELLS];
	TestRandom source;
	DpRandom *random = random_seeded(&source, 711);
	size_t i;
	size_t b;

	for (i = 0; i < SHAPES; i++)
	{
		for (b = 0; b < 3; b++)
		{
			DpStaircase s = shape_of(i, bits[b]);
			int draws = bits[b] < DP_REAL_BITS ? 20000 : 200000;
			double all = 0;
			size_t c;
			int n;

			for (c = 0; c < CELLS; c++)
				probabilities[c] = counts[c] = 0;
			enumerate(&s, add_cell, probabilities);
			for (c = 0; c < CELLS; c++)
				all += probabilities[c];
			for (c = 0; c < CELLS; c++)
				probabilities[c] /= all;
			for (n = 0; n < draws; n++)
			{
				dp_int128 values[3] = {0};
				int z[3];
				int j;

				if (dp_joint_staircase_draw(random, &s, values) != DP_OK)
					break;
				for (j = 0; j < 3; j++)
					z[j] = (int) dp_int128_clamp(values[j], -1000, 1000);
				counts[cell_of(z)]++;
			}
			fits(counts, probabilities, CELLS, (uint64_t) draws,
				 "%u together, D %d, r %d, epsilon %g, %d bits", s.sums,
				 (int) s.sensitivity, (int) s.first_step, shapes[i].epsilon,
				 bits[b]);
		}
	}
}

/* Wide laws and extreme parameters, by the moments of what is drawn. */
static void
test_wide(void)
{
	static const uint64_t d[] = {1000, (uint64_t) 1 << 40, (uint64_t) 1 << 42};
	static const double epsilons[] = {0x1p-20, 0.01, 1, 5, 8, 1e6};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 712);
	uint32_t sums;
	size_t i;
	size_t e;

	for (sums = 2; sums <= 3; sums++)
	{
		for (i = 0; i < 3; i++)
		{
			for (e = 0; e < 6; e++)
			{
				DpEpsilon epsilon = epsilon_of(epsilons[e]);
				DpStaircase s;
				double square = 0;
				double product = 0;
				double expected;
				int n;

				is_int(dp_joint_staircase_init(
						   &s, sums, d[i],
						   (uint64_t) dp_joint_best_step(
							   sums, (double) d[i], epsilon, DP_COST_SQUARED),
						   epsilon, DP_REAL_BITS),
					   DP_OK, "prepared");
				expected = dp_joint_mean_square(&s);
				for (n = 0; n < 20000; n++)
				{
					dp_int128 z[3] = {0};
					uint32_t j = (uint32_t) n % sums;

					if (dp_joint_staircase_draw(random, &s, z) != DP_OK)
						break;
					square += (double) z[j] * (double) z[j] / 20000;
					product += (double) z[0] * (double) z[sums - 1] / 20000;
				}
				is_double(square / fmax(expected, 1e-9), expected > 0 ? 1 : 0,
						  0.15, "mean square of %u, D %g, epsilon %g", sums,
						  (double) d[i], epsilons[e]);
				is_double(product / fmax(expected, 1e-9), 0, 0.1,
						  "uncorrelated");
			}
		}
	}
}

/* A shift by (k, D - k), or in three, costs epsilon, and nothing more. */
static void
test_privacy(void)
{
	size_t i;

	for (i = 0; i < SHAPES; i++)
	{
		DpStaircase s = shape_of(i, DP_REAL_BITS);
		int d = (int) s.sensitivity;
		double worst = 0;
		int x;
		int y;
		int k;

		for (x = -20; x <= 20; x++)
		{
			for (y = -20; y <= 20; y++)
			{
				for (k = 0; k <= d; k++)
				{
					int here = abs(x) + abs(y);
					int there = abs(x - k) + abs(y - (d - k));

					worst = fmax(worst, fabs(log(weight_of(&s, here) /
												 weight_of(&s, there))));
				}
			}
		}
		is_double(worst, shapes[i].epsilon, 1e-5, "the loss of %u, D %d",
				  s.sums, d);
	}
}

typedef struct Beyond
{
	const double *weights;
	double width;
	double beyond;
	double all;
} Beyond;

static void
add_beyond(void *context, const int *z, double weight)
{
	Beyond *b = context;
	double sum =
		b->weights[0] * z[0] + b->weights[1] * z[1] + b->weights[2] * z[2];

	b->all += weight;
	if (fabs(sum) > b->width)
		b->beyond += weight;
}

/* Widths of weighted sums, and of lesser ones, hold; they are not far too wide. */
static void
test_widths(void)
{
	static const double tails[] = {0.3, 0.1, 0.05, 0.01, 1e-4};
	uint64_t state = 713;
	int wrong = 0;
	int round;

	for (round = 0; round < 220; round++)
	{
		DpStaircase s = shape_of((size_t) round % SHAPES, DP_REAL_BITS);
		double tail = tails[round % 5];
		double weights[3];
		double lesser[3];
		double sum = 0;
		Beyond b = {.weights = lesser};
		uint32_t i;

		for (i = 0; i < 3; i++)
		{
			weights[i] =
				i >= s.sums ? 0 : (double) random_next_below(&state, 65) / 64;
			lesser[i] =
				round % 2 == 0
					? weights[i]
					: weights[i] *
						  ((double) random_next_below(&state, 65) / 32 - 1);
			sum += weights[i];
		}
		b.width = dp_joint_weighted_width(&s, tail, weights, sum);
		enumerate(&s, add_beyond, &b);
		wrong += b.beyond / b.all > tail;
	}
	is_int(wrong, 0, "widths of weighted sums are wide enough");
}

/* Of real vectors the width is what is needed. */
static void
test_close(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 714);
	static const double weights[][3] = {
		{1, 0, 0}, {0.5, 0.5, 0}, {0.7, 0.3, 0}, {0.25, 0.5, 0.25}};
	uint32_t sums;
	size_t w;

	for (sums = 2; sums <= 3; sums++)
	{
		DpEpsilon epsilon = epsilon_of(5);
		double d = 0x1p40;
		DpStaircase s;

		if (dp_joint_staircase_init(&s, sums, (uint64_t) 1 << 40,
									(uint64_t) dp_joint_best_step(
										sums, d, epsilon, DP_COST_SQUARED),
									epsilon, DP_REAL_BITS) != DP_OK)
			abort();
		for (w = 0; w < sums + 1; w++)
		{
			double width = dp_joint_weighted_width(&s, 0.05, weights[w], 1);
			int beyond = 0;
			int n;

			for (n = 0; n < 100000; n++)
			{
				dp_int128 z[3] = {0};

				if (dp_joint_staircase_draw(random, &s, z) != DP_OK)
					break;
				beyond += fabs(weights[w][0] * (double) z[0] +
							   weights[w][1] * (double) z[1] +
							   weights[w][2] * (double) z[2]) > width;
			}
			is_double(beyond / 100000.0, 0.05, 0.004,
					  "weights %g, %g, %g of %u", weights[w][0], weights[w][1],
					  weights[w][2], sums);
		}
	}
}

/* Means and variances: as much less error as the law has, and intervals that hold. */
static void
test_gain(void)
{
	static const double epsilons[] = {1, 2, 5, 10};
	static const double means[] = {1.0037, 1.027, 1.305, 2.754};
	static const double variances[] = {1.0007, 1.009, 1.171, 2.040};
	size_t e;

	for (e = 0; e < 4; e++)
	{
		double of_laplace = sqrt(2.0) / epsilons[e];
		DpEpsilon epsilon = epsilon_of(epsilons[e]);
		uint32_t sums;

		for (sums = 2; sums <= 3; sums++)
		{
			double d = 0x1p36;
			DpStaircase s = {
				.sums = sums, .sensitivity = (uint64_t) d, .epsilon = epsilon};

			s.first_step = (uint64_t) dp_joint_best_step(sums, d, epsilon,
														 DP_COST_SQUARED);
			is_double(of_laplace * d / sqrt(dp_joint_mean_square(&s)),
					  sums == 2 ? means[e] : variances[e], 0.001,
					  "errors of %u sums at epsilon %g", sums, epsilons[e]);
		}
	}
}

static void
test_limits(void)
{
	DpStaircase s;
	DpEpsilon one = epsilon_of(1);
	dp_int128 values[3];
	DpMechanismChoice choice = {.mechanism = DP_STAIRCASE};
	DpNoise noise;
	DpChange change = {5, 5, 2};
	TestRandom source;

	is_int(dp_joint_staircase_init(&s, 1, 5, 2, one, 128),
		   DP_PARAMETER_OUT_OF_RANGE, "one number");
	is_int(dp_joint_staircase_init(&s, 4, 5, 2, one, 128),
		   DP_PARAMETER_OUT_OF_RANGE, "four");
	is_int(dp_joint_staircase_init(&s, 2, 5, 6, one, 128),
		   DP_PARAMETER_OUT_OF_RANGE, "r above D");
	is_int(
		dp_joint_staircase_init(&s, 2, ((uint64_t) 1 << 42) + 1, 6, one, 128),
		DP_SENSITIVITY_OUT_OF_RANGE, "D above 2^42");
	is_int(dp_noise_init_change(&noise, &choice, one, &change,
								dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_OK, "noise of two");
	is_int(dp_noise_add(random_seeded(&source, 1), &noise, 0, values),
		   DP_MECHANISM_NOT_APPLICABLE, "is not drawn for one");
	is_int(dp_noise_add_all(random_seeded(&source, 1), &noise, 3, values),
		   DP_MECHANISM_NOT_APPLICABLE, "nor for three");
	values[0] = values[1] = DP_INT128_MAX;
	is_int(dp_noise_add_all(random_seeded(&source, 1), &noise, 2, values),
		   DP_OK, "saturating");
	is_int(dp_noise_add_all(random_failing_after(&source, 1, 1), &noise, 2,
							values),
		   DP_RANDOM_FAILED, "without words");
}

/* In rho a vector costs what any mechanism of its share does, in each group. */
static void
test_rho(void)
{
	static const DpContribution contributions[] = {
		{DP_ADD_REMOVE, 1, 0}, {DP_ADD_REMOVE, 1, 3}, {DP_SUBSTITUTE, 1, 3}};
	DpMechanismChoice choice = {.mechanism = DP_STAIRCASE};
	size_t i;

	for (i = 0; i < 3; i++)
	{
		uint64_t groups = dp_contribution_groups(contributions[i]);
		DpChange change = {5, 5, 3};
		DpEpsilon all;
		DpNoise noise;
		DpRho rho = {0};
		DpRho expected = {1};

		if (dp_noise_init_change(&noise, &choice, epsilon_of(6), &change,
								 contributions[i]) != DP_OK)
			abort();
		all.ticks =
			noise.epsilon.ticks * dp_contribution_parts(contributions[i]);
		ok(all.ticks <= epsilon_of(6).ticks, "all groups have their shares");
		is_int(dp_noise_rho(&noise, 3, contributions[i], &rho), DP_OK, "rho");
		is_int(dp_zcdp_of_pure(all, groups, &expected), DP_OK, "of shares");
		ok(rho.ticks == expected.ticks, "is that of %d shares", (int) groups);
	}
}

int
main(void)
{
	test_shape();
	test_draws();
	test_wide();
	test_privacy();
	test_widths();
	test_close();
	test_gain();
	test_rho();
	test_limits();
	return done_testing();
}
