/*
 * test_variance.c
 *		Variances by three sums: exactness, error, privacy.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/joint_shape.h"
#include "mechanisms/variance.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

static TestRandom source;

static DpVariance
prepare(DpMechanism mechanism, double epsilon, uint64_t span,
		DpContribution contribution)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .delta = 1e-6};
	DpVariance variance;

	if (dp_variance_init(&variance, &choice, epsilon_of(epsilon), span,
						 contribution) != DP_OK)
		abort();
	return variance;
}

/* From the sums of y and of y^2. */
static DpSpread
spread_of(uint64_t span, dp_int128 sum, dp_int128 squares, int64_t count)
{
	return (DpSpread){sum * span - squares, squares, count};
}

static const DpContribution row = {DP_ADD_REMOVE, 1, 0};

/* Without noise it is the sample's variance. */
static void
test_exact(void)
{
	DpRandom *random = random_seeded(&source, 551);
	uint64_t state = 552;
	bool good = true;
	int round;

	for (round = 0; round < 2000; round++)
	{
		uint64_t span = (uint64_t) 1 << (1 + random_next_below(&state, 20));
		DpVariance variance = prepare(DP_LAPLACE, 1000000, span, row);
		int64_t count = 2 + (int64_t) random_next_below(&state, 400);
		dp_int128 sum = 0;
		dp_int128 squares = 0;
		DpSpread spread;
		double truth;
		double result = -1;
		int64_t i;

		for (i = 0; i < count; i++)
		{
			int64_t y = (int64_t) random_next_below(&state, span + 1);

			sum += y;
			squares += (dp_int128) y * y;
		}
		spread = spread_of(span, sum, squares, count);
		truth =
			((double) squares - (double) sum * (double) sum / (double) count) /
			(double) (count - 1);
		good = good &&
			   dp_variance_draw(random, &variance, &spread, &result) == DP_OK &&
			   fabs(result - truth) <= 1e-4 * (double) span * (double) span;
	}
	ok(good, "the variance of a sample where the noise is nothing");
}

static void
test_ends(void)
{
	DpRandom *random = random_seeded(&source, 553);
	uint64_t span = DP_VARIANCE_SPAN_MAX;
	DpVariance variance = prepare(DP_AUTO, 0.01, span, row);
	double most = 0;
	bool good = true;
	double result = -1;
	int i;

	for (i = 0; i < 20000; i++)
	{
		DpSpread few = {0, 0, i % 3};

		good = good &&
			   dp_variance_draw(random, &variance, &few, &result) == DP_OK &&
			   result >= 0 && result <= 0.5 * (double) span * (double) span;
		most = fmax(most, result);
	}
	ok(good, "never negative, never above half of the squared span");
	ok(most > 0, "of nothing a draw");

	/* 2^40 rows, half of them at each end */
	{
		dp_int128 sum = (dp_int128) span << 39;

		DpSpread spread = spread_of(span, sum, sum * span, (int64_t) 1 << 40);

		dp_variance_draw(random, &variance, &spread, &result);
		is_double(result / ((double) span * (double) span), 0.25, 1e-6,
				  "very many rows");
	}
	variance = prepare(DP_AUTO, 0.01, 0, row);
	dp_variance_draw(random, &variance, &(DpSpread){0, 0, 9}, &result);
	is_double(result, 0, 0, "equal bounds");
}

/* The error is what the header says, to first order. */
static void
test_error(void)
{
	static const double places[][2] = {
		{0.5, 0.5}, {0.02, 0.98}, {0.2, 0.4}, {0.9, 0.95}};
	DpRandom *random = random_seeded(&source, 554);
	const int64_t count = 20000;
	const uint64_t span = DP_VARIANCE_SPAN_MAX;
	const double square = (double) span * (double) span;
	DpVariance variance = prepare(DP_LAPLACE, 1, span, row);
	size_t p;

	for (p = 0; p < sizeof(places) / sizeof(places[0]); p++)
	{
		/* half of the rows at each of two places */
		double b0 = 0;
		double b1 = 0;
		double b2 = 0;
		dp_int128 sum = 0;
		dp_int128 squares = 0;
		double v = pow(places[p][0] - places[p][1], 2) / 4;
		double expected;
		double measured = 0;
		const int draws = 4000;
		int i;

		for (i = 0; i < 2; i++)
		{
			double y = places[p][i];
			int64_t k = (int64_t) (y * (double) span);

			b0 += (1 - y) * (1 - y) / 2;
			b1 += y * (1 - y);
			b2 += y * y / 2;
			sum += (dp_int128) k * count / 2;
			squares += (dp_int128) k * k * count / 2;
		}
		expected = sqrt(2.0) / (double) count *
				   sqrt(pow(b2 - 2 * v, 2) + pow(b1 / 2 + 2 * v, 2) +
						pow(b0 - 2 * v, 2));
		for (i = 0; i < draws; i++)
		{
			double result = 0;

			DpSpread spread = spread_of(span, sum, squares, count);

			dp_variance_draw(random, &variance, &spread, &result);
			measured += pow(result / square - v, 2) / draws;
		}
		/* what is clamped at 0 loses half of its squared error */
		if (v == 0)
			measured *= 2;
		is_double(sqrt(measured) / expected, 1, 0.08,
				  "error of values at %g and %g", places[p][0], places[p][1]);
	}
}

/* (B0, B1, B2) of a set over 0 .. span. */
static void
sums_of(const Set *set, int64_t span, int64_t sums[3])
{
	size_t i;

	sums[0] = sums[1] = sums[2] = 0;
	for (i = 0; i < set->count; i++)
	{
		int64_t y = set->rows[i];

		sums[0] += (span - y) * (span - y);
		sums[1] += 2 * y * (span - y);
		sums[2] += y * y;
	}
}

/* The greatest loss of one sum's noise when the sum changes by so much. */
static double
loss_of(const DpNoise *noise, int64_t change)
{
	double worst = 0;
	int64_t z;

	for (z = -150; z <= 150; z++)
		worst = fmax(worst, log(dp_noise_pmf(noise, (double) z) /
								dp_noise_pmf(noise, (double) (z - change))));
	return worst;
}

/* The greatest loss of a joint staircase when the size changes by so much. */
static double
joint_loss_of(const DpStaircase *shape, int64_t change)
{
	double worst = 0;
	int64_t size;

	for (size = 0; size <= 150; size++)
		worst = fmax(worst, log(dp_joint_pmf(shape, (double) size) /
								dp_joint_pmf(shape, (double) (size + change))));
	return worst;
}

static void
test_privacy(void)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_LAPLACE, DP_STAIRCASE};
	static const double epsilons[] = {0.1, 1, 2.5, 20};
	const int64_t span = 4;
	int n;
	size_t k;
	size_t e;

	all_sets(0, span, 3);
	for (n = 0; n < 2; n++)
	{
		DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
		int64_t change = 0;
		bool good = true;
		bool noticed = true;
		size_t i;
		size_t j;

		for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		{
			for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
			{
				DpVariance variance =
					prepare(kinds[k], epsilons[e], (uint64_t) span,
							dp_contribution_of_row(neighbours));
				DpMechanismChoice choice = {.mechanism = variance.mechanism};
				DpNoise half;
				double loss = 0;
				double half_loss = 0;

				dp_noise_init(&half, &choice, variance.noise.epsilon,
							  variance.noise.sensitivity / 2);
				for (i = 0; i < set_count; i++)
				{
					for (j = 0; j < set_count; j++)
					{
						int64_t a[3];
						int64_t b[3];
						double here = 0;
						double here_half = 0;
						int64_t l1 = 0;
						int s;

						if (!are_neighbours(&sets[i], &sets[j], neighbours))
							continue;
						sums_of(&sets[i], span, a);
						sums_of(&sets[j], span, b);
						for (s = 0; s < 3; s++)
						{
							l1 += llabs(a[s] - b[s]);
							here += loss_of(&variance.noise, a[s] - b[s]);
							here_half += loss_of(&half, a[s] - b[s]);
						}
						if (variance.noise.staircase.sums > 1)
							here = joint_loss_of(&variance.noise.staircase, l1);
						change = l1 > change ? l1 : change;
						loss = fmax(loss, here);
						half_loss = fmax(half_loss, here_half);
					}
				}
				good = good && loss <= epsilons[e] + 1e-9;
				if (variance.mechanism == DP_LAPLACE)
					noticed = noticed && half_loss > epsilons[e];
			}
		}
		is_int(change, (n ? 2 : 1) * span * span,
			   "the sensitivity is true and reached, %s",
			   n ? "substitute" : "add_remove");
		ok(good, "variances are private");
		ok(noticed, "but not with half the sensitivity");
	}
}

/*
 * Units of several rows: whatever they hold, they add steps * weight in all to
 * the three sums, and in proportion to their rows.
 */
static void
test_units(void)
{
	static const uint32_t caps[] = {2, 3, 10, 1000, 1u << 20};
	uint64_t state = 555;
	size_t c;

	for (c = 0; c < sizeof(caps) / sizeof(caps[0]); c++)
	{
		DpContribution contribution = {DP_ADD_REMOVE, caps[c], 0};
		bool good = true;
		bool near = true;
		int round;

		for (round = 0; round < 3000; round++)
		{
			uint64_t span = (uint64_t) 1 << (1 + random_next_below(&state, 20));
			DpVariance variance = prepare(DP_LAPLACE, 1, span, contribution);
			int64_t count = 1 + (int64_t) random_next_below(&state, 30);
			dp_int128 sum = 0;
			dp_int128 squares = 0;
			DpSpread rows;
			DpSpread unit;
			double square = (double) span * (double) span;
			int64_t i;

			for (i = 0; i < count; i++)
			{
				int64_t y = (int64_t) random_next_below(&state, span + 1);

				sum += y;
				squares += (dp_int128) y * y;
			}
			rows = spread_of(span, sum, squares, count);
			if (round % 10 == 0)
				rows = (DpSpread){(dp_int128) 1 << 90, (dp_int128) 1 << 90,
								  INT64_MAX}; /* of no rows there are */
			dp_variance_unit_of(&variance, &rows, &unit);
			good = good && unit.half >= 0 && unit.squares >= 0 &&
				   2 * unit.half + unit.squares <=
					   (dp_int128) variance.steps * unit.count &&
				   unit.count <= (int64_t) caps[c] &&
				   caps[c] * variance.steps <= variance.noise.sensitivity;
			if (round % 10 > 0)
				near = near &&
					   fabs((double) unit.squares / (double) variance.steps -
							(double) squares / square * (double) unit.count /
								(double) count) < 2.0 / (double) variance.steps;
		}
		ok(good, "what a unit adds up to, %u rows", caps[c]);
		ok(near, "it is the mean of its rows");
	}
}

static void
test_parameters(void)
{
	DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
	DpVariance variance;

	is_int(dp_variance_init(&variance, &choice, epsilon_of(1),
							DP_VARIANCE_SPAN_MAX + 1, row),
		   DP_SENSITIVITY_OUT_OF_RANGE, "a span too fine");
	ok(prepare(DP_LAPLACE, 1, DP_VARIANCE_SPAN_MAX,
			   (DpContribution){DP_ADD_REMOVE, 5, 0})
			   .noise.sensitivity <= DP_SENSITIVITY_MAX,
	   "steps coarser for five rows");
	is_int((long long) prepare(DP_LAPLACE, 1, 100,
							   (DpContribution){DP_ADD_REMOVE, 5, 0})
			   .noise.sensitivity,
		   50000, "five rows");
	choice.mechanism = DP_GEOMETRIC;
	choice.quantum = 2;
	is_int(dp_variance_init(&variance, &choice, epsilon_of(1), 100, row),
		   DP_PARAMETER_OUT_OF_RANGE, "a quantum");
	choice = (DpMechanismChoice){.mechanism = DP_TWO_STAGE, .levels = 3};
	is_int(dp_variance_init(&variance, &choice, epsilon_of(1), 100, row),
		   DP_MECHANISM_NOT_APPLICABLE, "another mechanism");
	choice.mechanism = DP_EXPONENTIAL;
	is_int(dp_variance_init(&variance, &choice, epsilon_of(1), 0, row),
		   DP_MECHANISM_NOT_APPLICABLE, "also over equal bounds");
	is_int(prepare(DP_GAUSSIAN, 1, 100, row).mechanism, DP_GAUSSIAN,
		   "gaussian");
	is_int(prepare(DP_AUTO, 1, 100, row).mechanism, DP_LAPLACE,
		   "auto at epsilon 1");
	is_int(prepare(DP_AUTO, 30, 100, row).mechanism, DP_STAIRCASE,
		   "auto at epsilon 30");
	is_int(prepare(DP_AUTO, 5, 100, row).noise.staircase.sums, 3,
		   "at 5 already, of all three sums");
	is_int(prepare(DP_AUTO, 2, 100, row).mechanism, DP_LAPLACE,
		   "not at 2, where it would gain little");
}

int
main(void)
{
	test_exact();
	test_ends();
	test_error();
	test_privacy();
	test_units();
	test_parameters();
	return done_testing();
}
