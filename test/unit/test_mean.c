/*
 * test_mean.c
 *		Private means: algebra, bounds, error.
 */
#include <math.h>

#include "mechanisms/expected_error.h"
#include "mechanisms/mean.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static DpGrid
grid_of(int64_t lower, int64_t upper)
{
	DpGrid grid;

	dp_grid_for_integers(lower, upper, DP_GRID_SPAN, &grid);
	return grid;
}

/* At epsilon 10^6 nothing is added on a narrow grid. */
static void
test_algebra(void)
{
	DpGrid grid = grid_of(-3, 7);
	DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 111);
	DpMean mean;
	DpFraction fraction;
	int64_t count;
	int64_t sum;
	bool exact = true;

	dp_mean_init(&mean, &choice, epsilon_of(1e6), &grid,
				 dp_contribution_of_row(DP_ADD_REMOVE));
	is_int(mean.lower, -3, "it starts at the lower bound");
	is_int((long long) mean.span, 10, "and has the span of the bounds");
	for (count = 1; count < 20; count++)
	{
		for (sum = 0; sum <= 10 * count; sum++)
		{
			/* A = sum, B = 10 count - sum, so that A + B is 10 count */
			exact =
				exact &&
				dp_mean_draw(random, &mean, sum, count, &fraction) == DP_OK &&
				fraction.numerator == sum && fraction.denominator == 10 * count;
		}
	}
	ok(exact, "without noise it is the mean, and the count comes with it");
	ok(dp_mean_draw(random, &mean, 0, 0, &fraction) == DP_OK &&
		   fraction.numerator == 1 && fraction.denominator == 2,
	   "of no rows it is the middle");

	grid = grid_of(4, 4);
	is_int(dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_OK, "equal bounds");
	ok(dp_mean_draw(random, &mean, 0, 5, &fraction) == DP_OK &&
		   fraction.numerator == 0 && fraction.denominator == 1 &&
		   mean.lower == 4,
	   "leave one answer");
}

/* Whatever the noise: 0 <= numerator <= denominator. */
static void
test_bounds(void)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_LAPLACE, DP_STAIRCASE,
										DP_GAUSSIAN};
	static const double epsilons[] = {0x1p-18, 0.001, 0.1, 1, 100};
	DpGrid grid;
	TestRandom source;
	DpRandom *random = random_seeded(&source, 112);
	size_t k;
	size_t e;
	int n;

	dp_grid_for_doubles(-1, 1, DP_GRID_SPAN, &grid);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		bool good = true;
		long middles = 0;

		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			if (kinds[k] == DP_GAUSSIAN && epsilons[e] < 1e-4)
				continue; /* its sigma would be above the limit */
			for (n = 0; n < 2; n++)
			{
				DpMechanismChoice choice = {.mechanism = kinds[k],
											.delta = 1e-6};
				DpMean mean;
				int i;

				good = good &&
					   dp_mean_init(
						   &mean, &choice, epsilon_of(epsilons[e]), &grid,
						   dp_contribution_of_row(n ? DP_SUBSTITUTE
													: DP_ADD_REMOVE)) == DP_OK;
				for (i = 0; good && i < 2000; i++)
				{
					int64_t count = i % 4;
					dp_int128 sum = (dp_int128) mean.span * (i % 2 ? count : 0);
					DpFraction fraction;

					good = dp_mean_draw(random, &mean, sum, count, &fraction) ==
							   DP_OK &&
						   fraction.denominator >= 1 &&
						   fraction.numerator >= 0 &&
						   fraction.numerator <= fraction.denominator;
					middles +=
						fraction.numerator == 1 && fraction.denominator == 2;
				}
			}
		}
		ok(good, "the bounds are never left, mechanism %d", (int) kinds[k]);
		ok(middles > 500, "the middle where the count is not positive");
	}
}

/* The state of the greatest possible table does not overflow. */
static void
test_large(void)
{
	DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
	TestRandom source;
	DpGrid grid;
	DpMean mean;
	DpFraction fraction;
	int64_t count = INT64_MAX;

	dp_grid_for_doubles(0, 1, DP_GRID_SPAN, &grid);
	dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
				 dp_contribution_of_row(DP_ADD_REMOVE));
	ok(dp_mean_draw(random_seeded(&source, 113), &mean,
					(dp_int128) mean.span * count, count, &fraction) == DP_OK &&
		   fraction.denominator > (dp_int128) mean.span * (count - 1000) &&
		   fraction.numerator <= fraction.denominator &&
		   fraction.denominator - fraction.numerator <
			   (dp_int128) mean.span * 1000,
	   "2^63 rows");
}

/*
 * Root mean square errors at n = 1000, epsilon 1, as parts of the range. The
 * delta method gives sqrt(2 (p^2 + (1-p)^2)) / 1000: .00135, .00108, .00100.
 * Of 40000 draws a root mean square is known to about 0.6 percent (the noise
 * has a kurtosis of 6 at most); tolerated are 5, eight times that.
 */
static void
test_error(void)
{
	static const double means[] = {0.05, 0.3, 0.5};
	static const double expected[] = {0.00135, 0.00108, 0.00100};
	DpMechanismChoice choice = {.mechanism = DP_AUTO};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 114);
	DpGrid grid;
	DpMean mean;
	int m;

	dp_grid_for_doubles(0, 1, DP_GRID_SPAN, &grid);
	dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
				 dp_contribution_of_row(DP_ADD_REMOVE));
	is_int(mean.noise.mechanism, DP_LAPLACE, "auto is laplace at epsilon 1");
	is_int((long long) mean.noise.epsilon.ticks, (long long) DP_EPSILON_ONE,
		   "at the full epsilon");
	for (m = 0; m < 3; m++)
	{
		double square = 0;
		double error;
		int i;

		for (i = 0; i < 40000; i++)
		{
			DpFraction fraction;
			dp_int128 sum = (dp_int128) (means[m] * 1000 * (double) mean.span);

			if (dp_mean_draw(random, &mean, sum, 1000, &fraction) != DP_OK)
				break;
			error =
				(double) fraction.numerator / (double) fraction.denominator -
				means[m];
			square += error * error;
		}
		error = sqrt(square / 40000);
		is_double(error, expected[m], 0.05 * expected[m],
				  "root mean square error of a mean of %g", means[m]);
	}
}

/* auto takes the staircase where its error is smaller by a tenth. */
static void
test_auto(void)
{
	DpGrid grid;
	double epsilon;
	bool best = true;
	bool staircase = false;

	dp_grid_for_doubles(0, 1, DP_GRID_SPAN, &grid);
	for (epsilon = 0x1p-20; epsilon < 1e6; epsilon *= 1.7)
	{
		static const DpMechanism kinds[] = {DP_LAPLACE, DP_STAIRCASE};
		DpMechanismChoice choice = {.mechanism = DP_AUTO,
									.cost = DP_COST_SQUARED};
		DpMean mean;
		DpError chosen;
		int k;

		if (dp_mean_init(&mean, &choice, epsilon_of(epsilon), &grid,
						 dp_contribution_of_row(DP_ADD_REMOVE)) != DP_OK)
		{
			best = false;
			break;
		}
		dp_expected_error_of(&mean.noise,
							 dp_epsilon_to_double(mean.noise.epsilon), &chosen);
		staircase = staircase || mean.noise.mechanism == DP_STAIRCASE;
		for (k = 0; k < 2; k++)
		{
			DpError other;

			choice.mechanism = kinds[k];
			if (dp_mean_init(&mean, &choice, epsilon_of(epsilon), &grid,
							 dp_contribution_of_row(DP_ADD_REMOVE)) != DP_OK)
				continue;
			dp_expected_error_of(
				&mean.noise, dp_epsilon_to_double(mean.noise.epsilon), &other);
			best = best && chosen.root_mean_square * (k == 0 ? 1 : 0.9) <=
							   other.root_mean_square * (1 + 1e-9);
		}
	}
	ok(best, "auto errs no more than laplace, nor a tenth more than staircase");
	ok(staircase, "which is the staircase at some");
}

static void
test_refused(void)
{
	DpGrid grid = grid_of(0, 10);
	DpMechanismChoice choice = {.mechanism = DP_EXPONENTIAL};
	DpMean mean;

	is_int(dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_MECHANISM_NOT_APPLICABLE, "exponential");
	choice.mechanism = DP_ABOVE_THRESHOLD;
	is_int(dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_MECHANISM_NOT_APPLICABLE, "above_threshold");
	choice.mechanism = DP_GAUSSIAN;
	is_int(dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_PARAMETER_OUT_OF_RANGE, "gaussian without delta");
	choice.mechanism = DP_STAIRCASE;
	is_int(dp_mean_init(&mean, &choice, (DpEpsilon){1}, &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_OK, "the least epsilon, all of it for both sums");
	choice.mechanism = DP_STAIRCASE;
	is_int(dp_mean_init(&mean, &choice, (DpEpsilon){1}, &grid,
						(DpContribution){DP_ADD_REMOVE, 1, 2}),
		   DP_EPSILON_OUT_OF_RANGE, "half of it, for one of two groups");
}

int
main(void)
{
	test_algebra();
	test_bounds();
	test_large();
	test_error();
	test_auto();
	test_refused();
	return done_testing();
}
