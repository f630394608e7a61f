/*
 * test_expected_error.c
 *		Expected errors against printed tables and direct summation.
 */
#include <math.h>

#include "mechanisms/expected_error.h"
#include "mechanisms/staircase_shape.h"
#include "support/epsilon.h"
#include "support/tap.h"

static const double epsilons[] = {0.1, 0.5, 1, 2, 5, 10};
#define EPSILONS (sizeof(epsilons) / sizeof(epsilons[0]))

/* D = 2^40 is the continuous case to twelve digits. */
#define FINE 1099511627776.0

/* |got - printed| within half a unit of the printed value's last digit */
#define PRINTED(got, printed, digits, ...) \
	is_double(got, printed, 0.50001 * pow(10, -(digits)), __VA_ARGS__)

static double
fine_cost(double epsilon, double gamma, DpCost cost)
{
	double r = rint(gamma * FINE);

	if (cost == DP_COST_ABSOLUTE)
		return dp_staircase_mean_absolute(FINE, r, epsilon) / FINE;
	return dp_staircase_mean_square(FINE, r, epsilon) / (FINE * FINE);
}

/* The table of the staircase: E|X| and E X^2, sensitivity 1. */
static void
test_tables(void)
{
	static const struct
	{
		double absolute;
		double square;
		int absolute_digits;
		int square_digits;
	} laplace[] = {{10, 200, 6, 6},	 {2, 8, 6, 6},		{1, 2, 6, 6},
				   {0.5, 0.5, 6, 6}, {0.2, 0.08, 6, 6}, {0.1, 0.02, 6, 6}},
	  least_absolute[] = {{9.995835, 199.916698, 6, 6},
						  {1.979318, 7.917441, 6, 6},
						  {0.959517, 1.919682, 6, 6},
						  {0.425459, 0.427568, 6, 6},
						  {0.0826418, 0.0370273, 7, 7},
						  {0.00673825, 0.00230683, 8, 8}},
	  least_square[] = {{9.995835, 199.916681, 6, 6},
						{1.979423, 7.917017, 6, 6},
						{0.960287, 1.918104, 6, 6},
						{0.429914, 0.422733, 6, 6},
						{0.0982080, 0.0297110, 7, 7},
						{0.0149598, 0.000847210, 7, 9}},
	  geometric[] = {
		  {9.983353, 199.833417, 6, 6}, {1.919035, 7.835396, 6, 6},
		  {0.850918, 1.841347, 6, 6},	{0.275721, 0.362031, 6, 6},
		  {0.0134765, 0.0136593, 7, 7}, {9.07999e-5, 9.08081e-5, 10, 10}};
	size_t e;

	for (e = 0; e < EPSILONS; e++)
	{
		double epsilon = epsilons[e];
		double r1 = dp_staircase_best_step(FINE, epsilon, DP_COST_ABSOLUTE);
		double r2 = dp_staircase_best_step(FINE, epsilon, DP_COST_SQUARED);
		DpNoise noise = {.mechanism = DP_LAPLACE,
						 .sensitivity = (uint64_t) 1 << 40,
						 .quantum = 1};
		DpError error;

		dp_expected_error_of(&noise, epsilon, &error);
		PRINTED(error.mean_absolute / FINE, laplace[e].absolute,
				laplace[e].absolute_digits, "Laplace E|X| at %g", epsilon);
		PRINTED(pow(error.root_mean_square / FINE, 2), laplace[e].square,
				laplace[e].square_digits, "Laplace E X^2 at %g", epsilon);
		PRINTED(fine_cost(epsilon, r1 / FINE, DP_COST_ABSOLUTE),
				least_absolute[e].absolute, least_absolute[e].absolute_digits,
				"staircase of least E|X| at %g: E|X|", epsilon);
		PRINTED(fine_cost(epsilon, r1 / FINE, DP_COST_SQUARED),
				least_absolute[e].square, least_absolute[e].square_digits,
				"staircase of least E|X| at %g: E X^2", epsilon);
		PRINTED(fine_cost(epsilon, r2 / FINE, DP_COST_ABSOLUTE),
				least_square[e].absolute, least_square[e].absolute_digits,
				"staircase of least E X^2 at %g: E|X|", epsilon);
		PRINTED(fine_cost(epsilon, r2 / FINE, DP_COST_SQUARED),
				least_square[e].square, least_square[e].square_digits,
				"staircase of least E X^2 at %g: E X^2", epsilon);
		noise.mechanism = DP_GEOMETRIC;
		noise.sensitivity = 1;
		dp_expected_error_of(&noise, epsilon, &error);
		PRINTED(error.mean_absolute, geometric[e].absolute,
				geometric[e].absolute_digits, "geometric E|X| at %g", epsilon);
		PRINTED(pow(error.root_mean_square, 2), geometric[e].square,
				geometric[e].square_digits, "geometric E X^2 at %g", epsilon);
	}
}

/* The same from the formulas of Geng and Viswanath for the continuous case. */
static void
test_continuous(void)
{
	size_t e;

	for (e = 0; e < EPSILONS; e++)
	{
		double epsilon = epsilons[e];
		double b = exp(-epsilon);
		double g;

		/* (43) and (44) */
		g = 1 / (1 + exp(epsilon / 2));
		is_double(dp_staircase_best_step(FINE, epsilon, DP_COST_ABSOLUTE) /
					  FINE,
				  g, 1e-6, "gamma of least E|X| at %g", epsilon);
		is_double(fine_cost(epsilon, g, DP_COST_ABSOLUTE) /
					  (exp(epsilon / 2) / (exp(epsilon) - 1)),
				  1, 1e-9, "least E|X| at %g", epsilon);
		/* (50) and (51) */
		g = -b / (1 - b) + cbrt(b - 2 * b * b + 2 * pow(b, 4) - pow(b, 5)) /
							   (cbrt(2) * (1 - b) * (1 - b));
		is_double(dp_staircase_best_step(FINE, epsilon, DP_COST_SQUARED) / FINE,
				  g, 1e-6, "gamma of least E X^2 at %g", epsilon);
		is_double(
			fine_cost(epsilon, g, DP_COST_SQUARED) /
				((pow(b * (1 + b) / 2, 2.0 / 3) + b) / ((1 - b) * (1 - b))),
			1, 1e-9, "least E X^2 at %g", epsilon);
		/* any gamma */
		g = 0.3;
		is_double(fine_cost(epsilon, g, DP_COST_ABSOLUTE),
				  b / (1 - b) + (b + (1 - b) * g * g) / (2 * (b + (1 - b) * g)),
				  1e-9 / epsilon, "E|X| of gamma 0.3 at %g", epsilon);
		is_double(fine_cost(epsilon, g, DP_COST_SQUARED),
				  (b * b + b) / pow(1 - b, 2) +
					  b / (1 - b) * (b + (1 - b) * g * g) / (b + (1 - b) * g) +
					  (b + (1 - b) * g * g * g) / (3 * (b + (1 - b) * g)),
				  1e-9 / (epsilon * epsilon), "E X^2 of gamma 0.3 at %g",
				  epsilon);
	}
}

/* Chen's formulas in alpha = exp(-epsilon), sensitivity 1. */
static void
test_collected_formulas(void)
{
	static const double rounded_staircase[] = {9.98395,	 1.93089,	0.885242,
											   0.340457, 0.0478262, 0.00341438};
	static const int digits[] = {5, 5, 6, 6, 7, 8};
	size_t e;

	for (e = 0; e < EPSILONS; e++)
	{
		double alpha = exp(-epsilons[e]);
		double root = sqrt(alpha);
		double r = dp_staircase_best_step(FINE, epsilons[e], DP_COST_ABSOLUTE);
		DpNoise noise = {
			.mechanism = DP_GEOMETRIC, .sensitivity = 1, .quantum = 1};
		DpError error;
		double laplace = 0;
		double staircase = 0;
		int k;

		dp_expected_error_of(&noise, epsilons[e], &error);
		is_double(error.mean_absolute, 2 * alpha / (1 - alpha * alpha), 1e-13,
				  "(13) geometric at %g", epsilons[e]);
		is_double(fine_cost(epsilons[e], r / FINE, DP_COST_ABSOLUTE),
				  root / (1 - alpha), 1e-10, "(12) staircase at %g",
				  epsilons[e]);

		/* rounded to a count: sum over k >= 1 of P(|X| > k - 1/2) */
		for (k = 1; k < 4000; k++)
		{
			double g = 1 / (1 + 1 / root);
			double in = g + alpha * (1 - g); /* weight of one stair */
			double edge = fmax(g - 0.5, 0) + alpha * (1 - fmax(g, 0.5));

			laplace += exp(-epsilons[e] * (k - 0.5));
			staircase += exp(-epsilons[e] * (k - 1)) *
						 (edge + in * alpha / (1 - alpha)) * (1 - alpha) / in;
		}
		is_double(laplace, root / (1 - alpha), 1e-9, "(14) at %g", epsilons[e]);
		is_double(staircase, (1 - pow(1 - root, 2) / 2) * root / (1 - alpha),
				  1e-9, "(15) at %g", epsilons[e]);
		PRINTED(staircase, rounded_staircase[e], digits[e],
				"printed value of (15) at %g", epsilons[e]);
	}
}

static void
test_best_step(void)
{
	static const double ten[2][6] = {{5, 5, 4, 3, 1, 1}, {5, 5, 5, 4, 2, 1}};
	static const double hundred[2][6] = {{49, 44, 38, 27, 8, 1},
										 {50, 46, 42, 34, 15, 3}};
	static const double fine[] = {0x1p20, 0x1p40, 0x1p42};
	size_t e;
	int cost;
	size_t f;

	for (e = 0; e < EPSILONS; e++)
	{
		for (cost = 0; cost < 2; cost++)
		{
			is_double(dp_staircase_best_step(10, epsilons[e], (DpCost) cost),
					  ten[cost][e], 0, "best step for 10 at %g, cost %d",
					  epsilons[e], cost);
			is_double(dp_staircase_best_step(100, epsilons[e], (DpCost) cost),
					  hundred[cost][e], 0, "best step for 100 at %g, cost %d",
					  epsilons[e], cost);
		}
	}

	/* by trying all */
	for (cost = 0; cost < 2; cost++)
	{
		double (*moment)(double, double, double) =
			cost ? dp_staircase_mean_square : dp_staircase_mean_absolute;
		double epsilon;
		bool best = true;

		for (epsilon = 0x1p-20; epsilon < 1e6; epsilon *= 3.7)
		{
			double d;

			for (d = 1; d <= 300; d += d < 20 ? 1 : 23)
			{
				double least = moment(d, 1, epsilon);
				double r;

				for (r = 2; r <= d; r++)
					least = fmin(least, moment(d, r, epsilon));
				best =
					best &&
					moment(d, dp_staircase_best_step(d, epsilon, (DpCost) cost),
						   epsilon) <= least * (1 + 1e-12);
			}
			for (f = 0; f < 3; f++)
			{
				double step =
					dp_staircase_best_step(fine[f], epsilon, (DpCost) cost);
				double found = moment(fine[f], step, epsilon);
				double r;

				best =
					best && step >= 1 && step <= fine[f] && step == floor(step);
				for (r = 1; r <= fine[f]; r = ceil(r * 1.3))
					best = best &&
						   found <= moment(fine[f], r, epsilon) * (1 + 1e-12);
			}
		}
		ok(best, "no step is better, cost %d", cost);
	}
}

/* E|X|, E X^2 and the half-width from the pmf, term by term. */
static bool
matches_sums(const DpNoise *noise)
{
	double epsilon = dp_epsilon_to_double(noise->epsilon);
	double total = dp_noise_pmf(noise, 0);
	double absolute = 0;
	double square = 0;
	double width = total >= 0.95 ? 0 : -1;
	double reach = noise->mechanism == DP_GAUSSIAN
					   ? 40.0 * dp_sigma_to_double(noise->sigma)
					   : 50.0 * (double) noise->sensitivity / epsilon + 50;
	DpError error;
	double z;
	bool good;

	for (z = 1; z < reach; z++)
	{
		double p = 2 * dp_noise_pmf(noise, z);

		total += p;
		absolute += z * p;
		square += z * z * p;
		if (width < 0 && total >= 0.95)
			width = z;
	}
	dp_expected_error_of(noise, epsilon, &error);
	good = fabs(total - 1) < 1e-9 &&
		   fabs(error.mean_absolute - absolute) <= 1e-9 * absolute &&
		   fabs(error.root_mean_square - sqrt(square)) <= 1e-9 * sqrt(square) &&
		   error.half_width_95 == width;
	if (!good)
		diag("mechanism %d, epsilon %g, sensitivity %g, sigma %g: %.12g %.12g "
			 "%g, expected %.12g %.12g %g of %.12g",
			 (int) noise->mechanism, epsilon, (double) noise->sensitivity,
			 dp_sigma_to_double(noise->sigma), error.mean_absolute,
			 error.root_mean_square, error.half_width_95, absolute,
			 sqrt(square), width, total);
	return good;
}

static void
test_sums(void)
{
	static const double grid[] = {0.013, 0.1, 0.5, 1, 2, 5, 10, 30};
	static const uint64_t sensitivities[] = {1, 2, 3, 10, 100, 997};
	static const double deltas[] = {1e-9, 1e-5, 0.1};
	DpNoise noise;
	bool good[3] = {true, true, true};
	size_t e;
	size_t d;
	uint64_t sigma;

	for (e = 0; e < sizeof(grid) / sizeof(grid[0]); e++)
	{
		DpEpsilon epsilon = epsilon_of(grid[e]);

		for (d = 0; d < sizeof(sensitivities) / sizeof(sensitivities[0]); d++)
		{
			DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
			uint64_t r;
			size_t i;

			dp_noise_init(&noise, &choice, epsilon, sensitivities[d]);
			good[0] = matches_sums(&noise) && good[0];
			choice.mechanism = DP_STAIRCASE;
			for (r = 0; r <= sensitivities[d]; r += 1 + sensitivities[d] / 4)
			{
				choice.first_step = (double) r;
				dp_noise_init(&noise, &choice, epsilon, sensitivities[d]);
				good[1] = matches_sums(&noise) && good[1];
			}
			choice.mechanism = DP_GAUSSIAN;
			for (i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++)
			{
				choice.delta = deltas[i];
				dp_noise_init(&noise, &choice, epsilon, sensitivities[d]);
				if (dp_sigma_to_double(noise.sigma) < 5000)
					good[2] = matches_sums(&noise) && good[2];
			}
		}
	}
	ok(good[0], "discrete Laplace against its sums");
	ok(good[1], "staircase against its sums");
	ok(good[2], "discrete Gaussian against its sums");

	good[0] = true;
	for (sigma = 1; sigma < 800; sigma++)
	{
		DpNoise gaussian = {.mechanism = DP_GAUSSIAN,
							.epsilon = epsilon_of(1),
							.sensitivity = 1,
							.sigma = {sigma, 2}};

		good[0] = matches_sums(&gaussian) && good[0];
	}
	ok(good[0], "discrete Gaussian of every half sigma below 400");
}

/*
 * Noise with a quantum, over every truth of one period: the worst of each error
 * is what is expected.
 */
static bool
matches_quantum(double epsilon, uint64_t sensitivity, int quantum)
{
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC, .quantum = quantum};
	DpError worst = {0};
	DpError error;
	DpNoise noise;
	int truth;
	int reach;
	bool good;

	if (dp_noise_init(&noise, &choice, epsilon_of(epsilon), sensitivity) !=
		DP_OK)
		return false;
	reach = (int) (50 * ceil((double) sensitivity / quantum) / epsilon) + 5;
	for (truth = 0; truth < quantum; truth++)
	{
		/* how far the rounded truth is from it */
		int off = (truth + quantum / 2) / quantum * quantum - truth;
		double absolute = 0;
		double square = 0;
		double inside = 0;
		int width;
		int k;

		for (k = -reach; k <= reach; k++)
		{
			double p = dp_noise_pmf(&noise, (double) k * quantum);
			double error_here = fabs((double) k * quantum + off);

			absolute += p * error_here;
			square += p * error_here * error_here;
		}
		for (width = 0; width < reach * quantum; width++)
		{
			int z;

			for (z = -width; z <= width; z += width > 0 ? 2 * width : 1)
				inside += dp_noise_pmf(&noise, z - off);
			if (inside >= 0.95)
				break;
		}
		worst.mean_absolute = fmax(worst.mean_absolute, absolute);
		worst.root_mean_square = fmax(worst.root_mean_square, sqrt(square));
		worst.half_width_95 = fmax(worst.half_width_95, width);
	}
	dp_expected_error_of(&noise, dp_epsilon_to_double(noise.epsilon), &error);
	good = fabs(error.mean_absolute / worst.mean_absolute - 1) < 1e-9 &&
		   fabs(error.root_mean_square / worst.root_mean_square - 1) < 1e-9 &&
		   error.half_width_95 == worst.half_width_95;
	if (!good)
		diag("epsilon %g, D %g, quantum %d: %.12g %.12g %g, found %.12g %.12g "
			 "%g",
			 epsilon, (double) sensitivity, quantum, error.mean_absolute,
			 error.root_mean_square, error.half_width_95, worst.mean_absolute,
			 worst.root_mean_square, worst.half_width_95);
	return good;
}

static void
test_quantum(void)
{
	static const double grid[] = {0.1, 0.5, 1, 2, 3, 5};
	static const uint64_t sensitivities[] = {1, 2, 5, 20};
	size_t e;
	size_t d;
	int quantum;

	for (e = 0; e < sizeof(grid) / sizeof(grid[0]); e++)
	{
		bool good = true;

		for (d = 0; d < sizeof(sensitivities) / sizeof(sensitivities[0]); d++)
		{
			for (quantum = 1; quantum <= 12; quantum++)
				good =
					matches_quantum(grid[e], sensitivities[d], quantum) && good;
		}
		ok(good, "geometric with a quantum, epsilon %g", grid[e]);
	}
}

/* Widths beyond 2^53, where doubles cannot count: no endless search. */
static void
test_wide(void)
{
	double exponent;
	bool good = true;

	for (exponent = -20; exponent <= 19; exponent++)
	{
		double epsilon = ldexp(1, (int) exponent);
		DpMechanismChoice choice = {.mechanism = DP_STAIRCASE};
		DpNoise noise;
		DpError error;
		double scale;

		dp_noise_init(&noise, &choice, epsilon_of(epsilon), (uint64_t) 1 << 42);
		dp_expected_error_of(&noise, epsilon, &error);
		scale = 0x1p42 / epsilon;
		/* close to Laplace's, ln(20) scales, while epsilon is small */
		if (epsilon < 0.01)
			good = good && fabs(error.half_width_95 / scale - log(20)) < 0.02;
		good = good && error.half_width_95 >= 0 && error.mean_absolute >= 0 &&
			   error.mean_absolute <= scale * 1.0001 &&
			   error.root_mean_square >= error.mean_absolute;
	}
	ok(good, "sensitivity 2^42 at epsilon 2^-20 to 2^19");
}

int
main(void)
{
	test_tables();
	test_continuous();
	test_collected_formulas();
	test_best_step();
	test_sums();
	test_quantum();
	test_wide();
	return done_testing();
}
