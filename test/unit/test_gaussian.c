/*
 * test_gaussian.c
 *		Gaussian noise for one (epsilon, delta): private, and no more than that.
 *
 * Every delta is summed again from the probabilities of single draws, in long
 * doubles and by its definition.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/gaussian.h"
#include "mechanisms/gaussian_tail.h"
#include "mechanisms/noise.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define POINTS 4000

/* P(y), y = -POINTS .. POINTS */
static long double law[2 * POINTS + 1];
static int reach;

static void
set_law(double sigma)
{
	long double total = 0;
	int y;

	reach = (int) fmin(POINTS, 13 * sigma + 3);
	for (y = -reach; y <= reach; y++)
	{
		long double z = y / (long double) sigma;

		law[y + POINTS] = expl(-z * z / 2);
		total += law[y + POINTS];
	}
	for (y = -reach; y <= reach; y++)
		law[y + POINTS] /= total;
}

static long double
probability(int y)
{
	return abs(y) <= reach ? law[y + POINTS] : 0;
}

/* What the law and the same law moved by so much are apart, at exp(epsilon). */
static long double
delta_of_one(double epsilon, int moved)
{
	long double sum = 0;
	int y;

	for (y = -reach; y <= reach; y++)
		sum +=
			fmaxl(0, probability(y) - expl(epsilon) * probability(y + moved));
	return sum;
}

/* The same of two numbers. */
static long double
delta_of_two(double epsilon, int first, int second)
{
	long double sum = 0;
	int x;
	int y;

	for (x = -reach; x <= reach; x++)
	{
		long double p = probability(x);
		long double q = expl(epsilon) * probability(x + first);

		for (y = -reach; y <= reach; y++)
			sum += fmaxl(0, p * probability(y) - q * probability(y + second));
	}
	return sum;
}

static DpGaussianReach
reach_of(uint64_t numbers, uint64_t change, uint64_t distance)
{
	return (DpGaussianReach){numbers, change, distance,
							 (dp_uint128) distance * distance};
}

static double
to_double(const DpWork *work, const BIGNUM *x)
{
	BIGNUM *high = BN_dup(x);
	int bits = BN_num_bits(x);
	int less = bits > 60 ? bits - 60 : 0;
	double value;

	BN_rshift(high, high, less);
	value = ldexp((double) BN_get_word(high), less - work->bits);
	BN_free(high);
	return value;
}

static double
bound(DpSigma sigma, DpGaussianReach change, double epsilon)
{
	DpWork work;
	DpInterval x;
	double value;

	dp_work_begin(&work, 300);
	x = dp_interval_new(&work);
	if (change.change > 0)
		dp_gaussian_delta(&work, &x, sigma, &change,
						  (dp_int128) ldexp(epsilon, DP_LOSS_BITS));
	else
		dp_gaussian_vector_delta(&work, &x, sigma, &change,
								 (dp_int128) ldexp(epsilon, DP_LOSS_BITS));
	value = dp_work_failed(&work) ? NAN : to_double(&work, x.upper);
	dp_work_end(&work);
	return value;
}

/* Published, or summed to more digits elsewhere. */
static void
test_known_deltas(void)
{
	static const struct
	{
		DpSigma sigma;
		uint64_t numbers;
		uint64_t change;
		double epsilon;
		double delta;
	} known[] = {{{1, 1}, 1, 1, 1, .14135133940562},
				 {{5, 1}, 1, 1, 1, 1.8293360248728e-8},
				 {{3, 2}, 1, 1, 2, 4.2528030087217e-4},
				 {{10, 1}, 1, 1, .1, .0087623539239481},
				 {{5, 1}, 1, 2, .5, .025653686828821},
				 {{2, 1}, 2, 1, .5, .12095650916},
				 {{4436294, 1 << 20}, 1, 1, 1, 9.99997349e-7},
				 {{993456, 1 << 20}, 1, 1, 5, 9.99622365e-7},
				 {{5766998, 1 << 20}, 1, 1, 1, 9.99994880e-10}};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		is_double(
			bound(known[i].sigma,
				  reach_of(known[i].numbers, known[i].change, known[i].change),
				  known[i].epsilon) /
				known[i].delta,
			1, i < 5 ? 2e-12 : 1e-8, "delta of sigma %g at %g",
			dp_sigma_to_double(known[i].sigma), known[i].epsilon);
}

/* One number: exact, whatever sigma, epsilon (of either sign) and change. */
static void
test_deltas(void)
{
	static const double sigmas[] = {0.1,  0.25, 0.5, 1,	 1.75, 4,
									15.5, 16,	31,	 60, 100,  150};
	static const double epsilons[] = {-2, -0.25, 0, 0x1p-20, 0.125, 1, 4, 30};
	size_t s;
	size_t e;
	int moved;

	for (s = 0; s < sizeof(sigmas) / sizeof(sigmas[0]); s++)
	{
		double worst = 0;

		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			for (moved = 1; moved < 200; moved = 2 * moved + 1)
			{
				DpSigma sigma = {(uint64_t) (sigmas[s] * (1 << 20)), 1 << 20};
				double expected;
				double exact = dp_sigma_to_double(sigma);

				set_law(exact);
				expected = (double) delta_of_one(epsilons[e], moved);
				if (expected > 1e-12)
					worst = fmax(worst, fabs(bound(sigma,
												   reach_of(1, (uint64_t) moved,
															(uint64_t) moved),
												   epsilons[e]) /
												 expected -
											 1));
			}
		}
		is_double(worst, 0, 1e-6, "deltas of sigma %g", sigmas[s]);
	}
}

/* Two numbers: at least that of any two shifts, and that of the greatest. */
static void
test_two_numbers(void)
{
	static const double sigmas[] = {0.75, 1, 2, 5};
	static const double epsilons[] = {0, 0.25, 1, 3};
	size_t s;
	size_t e;

	for (s = 0; s < 4; s++)
	{
		DpSigma sigma = {(uint64_t) (4 * sigmas[s]), 4};
		bool covered = true;
		double worst = 0;

		set_law(sigmas[s]);
		for (e = 0; e < 4; e++)
		{
			int c;

			for (c = 1; c <= 3; c++)
			{
				double most =
					bound(sigma, reach_of(2, (uint64_t) c, 9), epsilons[e]);
				int first;
				int second;

				for (first = -c; first <= c; first++)
					for (second = 0; second <= c; second++)
						covered = covered &&
								  delta_of_two(epsilons[e], first, second) <=
									  most + 1e-15L;
				worst = fmax(worst,
							 most - (double) delta_of_two(epsilons[e], c, c));
			}
		}
		ok(covered, "no shift of two numbers tells more, sigma %g", sigmas[s]);
		is_double(worst, 0, sigmas[s] < 1 ? 0.1 : 1e-3,
				  "and the greatest about as much");
	}
}

/*
 * Calibrated noise keeps its charge by the sums, for one number.
 */
static void
test_calibration(void)
{
	static const double epsilons[] = {0.02, 0.1, 0.5, 1, 2, 5, 10, 30};
	static const double deltas[] = {1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.99};
	size_t e;
	size_t d;
	uint64_t c;

	for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
	{
		DpEpsilon epsilon = epsilon_of(epsilons[e]);
		double value = dp_epsilon_to_double(epsilon);
		bool private = true;
		bool less = true;

		for (d = 0; d < sizeof(deltas) / sizeof(deltas[0]); d++)
		{
			double log_delta = -log(deltas[d]);
			double root = value / (sqrt(value + log_delta) + sqrt(log_delta));

			for (c = 1; c <= 9; c += c < 3 ? 1 : 6)
			{
				DpGaussianReach one = reach_of(1, c, c);
				DpSigma sigma = {0, 1};
				double found;

				private = dp_gaussian_calibrate(epsilon, deltas[d], &one,
												&sigma) == DP_OK &&
						  private;
				found = dp_sigma_to_double(sigma);
				if (found * 12 > POINTS)
					continue;
				set_law(found);
				if (delta_of_one(value, (int) c) > deltas[d] * (1 + 1e-12))
				{
					private = false;
					diag("epsilon %g, delta %g, change %g: sigma %g has %.17g",
						 epsilons[d], deltas[d], (double) c, found,
						 (double) delta_of_one(value, (int) c));
				}
				less = less && found < (double) c / (sqrt(2.0) * root);
			}
		}
		ok(private, "calibrated noise keeps delta, epsilon %g", epsilons[e]);
		ok(less, "with less noise than by rho + 2 sqrt(rho ln(1/delta))");
	}
}

/* The same in two groups, and for vectors in any direction. */
static void
test_calibration_of_two(void)
{
	static const double epsilons[] = {0.75, 1.5, 4};
	static const double deltas[] = {1e-6, 1e-2, 0.3};
	size_t e;
	size_t d;

	for (e = 0; e < 3; e++)
	{
		for (d = 0; d < 3; d++)
		{
			DpGaussianReach groups = reach_of(2, 2, 3);
			DpGaussianReach vector = reach_of(2, 0, 5);
			DpSigma sigma = {0, 1};
			bool good = true;
			int x;
			int y;

			dp_gaussian_calibrate(epsilon_of(epsilons[e]), deltas[d], &groups,
								  &sigma);
			set_law(dp_sigma_to_double(sigma));
			for (x = -2; x <= 2; x++)
				for (y = 0; y <= 2; y++)
					good = good && delta_of_two(epsilons[e], x, y) <=
									   deltas[d] * (1 + 1e-12);
			ok(good, "two groups, epsilon %g, delta %g", epsilons[e],
			   deltas[d]);

			dp_gaussian_calibrate(epsilon_of(epsilons[e]), deltas[d], &vector,
								  &sigma);
			set_law(dp_sigma_to_double(sigma));
			good = true;
			for (x = -5; x <= 5; x++)
				for (y = abs(x); x * x + y * y <= 25; y++)
					good = good && delta_of_two(epsilons[e], x, y) <=
									   deltas[d] * (1 + 1e-12);
			ok(good, "a vector, epsilon %g, delta %g", epsilons[e], deltas[d]);
		}
	}
}

/* The least sigma of a multiple of 2^-20, and what continuous noise has. */
static void
test_known_sigmas(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		double continuous;
		double one; /* a number that changes by 1 */
		uint64_t numerator;
	} known[] = {{.5, 1e-6, 8.057618481, 8.0524768, 0},
				 {1, 1e-6, 4.224678889, 4.2307789, 4436294},
				 {2, 1e-6, 2.230476271, 2.2466329, 0},
				 {5, 1e-6, .9800490003, .94743281, 993456},
				 {10, 1e-6, .5410868318, .49990594, 0},
				 {1, 1e-9, 5.495266157, 5.4998373, 5766998}};
	const uint64_t wide = (uint64_t) 1 << 40;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		DpGaussianReach one = reach_of(1, 1, 1);
		DpGaussianReach large = reach_of(1, wide, wide);
		DpGaussianReach vector = reach_of(2, 0, wide);
		DpSigma sigma = {0, 1};

		dp_gaussian_calibrate(epsilon_of(known[i].epsilon), known[i].delta,
							  &one, &sigma);
		is_double(dp_sigma_to_double(sigma), known[i].one, 2e-6,
				  "sigma of one at epsilon %g", known[i].epsilon);
		if (known[i].numerator != 0)
			is_int((long long) sigma.numerator, (long long) known[i].numerator,
				   "which is the least");
		dp_gaussian_calibrate(epsilon_of(known[i].epsilon), known[i].delta,
							  &large, &sigma);
		is_double(dp_sigma_to_double(sigma) / 0x1p40 / known[i].continuous, 1,
				  2e-9, "sigma of a fine grid at epsilon %g", known[i].epsilon);
		dp_gaussian_calibrate(epsilon_of(known[i].epsilon), known[i].delta,
							  &vector, &sigma);
		is_double(dp_sigma_to_double(sigma) / 0x1p40 / known[i].continuous, 1,
				  1e-8, "and of a vector");
	}
}

/* Over all of their ranges: one that is drawn from, or refused for size alone. */
static void
test_ranges(void)
{
	static const double epsilons[] = {DP_EPSILON_MIN, 0.001, 1, 700,
									  DP_EPSILON_MAX};
	static const double deltas[] = {0x1p-1074, 1e-24, 1e-6, 0.5, 1 - 0x1p-53};
	static const uint64_t changes[] = {1, 7, 1000000, (uint64_t) 1 << 42};
	static const uint64_t numbers[] = {1, 2, 1000, (uint64_t) 1 << 32};
	bool good = true;
	size_t e;
	size_t d;
	size_t c;
	size_t n;
	int kind;

	for (e = 0; e < 5; e++)
		for (d = 0; d < 5; d++)
			for (c = 0; c < 4; c++)
				for (n = 0; n < 4; n++)
					for (kind = 0; kind < 2; kind++)
					{
						double distance = ceil((double) changes[c] *
											   sqrt((double) numbers[n]));
						DpGaussianReach change =
							reach_of(numbers[n], kind ? 0 : changes[c],
									 (uint64_t) distance);
						DpSigma sigma = {0, 0};
						DpStatus status;

						if (distance > 0x1p42)
							continue;
						status =
							dp_gaussian_calibrate(epsilon_of(epsilons[e]),
												  deltas[d], &change, &sigma);
						if (status == DP_PARAMETER_OUT_OF_RANGE &&
							distance * 60 / epsilons[e] > 0x1p60)
							continue;
						if (status == DP_OK && sigma.numerator >= 1 &&
							sigma.numerator <= DP_SIGMA_MAX &&
							(sigma.denominator == 1 ||
							 sigma.denominator == 1 << 20))
							continue;
						good = false;
						diag("epsilon %g, delta %g, %g numbers by %g: status "
							 "%d, sigma %g",
							 epsilons[e], deltas[d], (double) numbers[n],
							 (double) changes[c], (int) status,
							 dp_sigma_to_double(sigma));
					}
	ok(good, "sigmas over all ranges");
}

/* Sums of the bell, one way and the other, against their terms. */
static void
test_bell(void)
{
	static const double deviations[] = {0.125, 1, 15.9375, 16, 40, 90, 300};
	size_t s;

	for (s = 0; s < sizeof(deviations) / sizeof(deviations[0]); s++)
	{
		double v = deviations[s] * deviations[s];
		double worst = 0;
		double width = 0;
		int k;

		for (k = 1; k < 40 * deviations[s]; k += 1 + k / 3)
		{
			DpWork work;
			DpBell bell;
			DpInterval x;
			long double sum = 0;
			long double term = 1;
			int j;

			for (j = 0; term > 1e-25L; j++)
			{
				term = expl(-((long double) k * j + j * j / 2.0L) / v);
				sum += term;
			}
			dp_work_begin(&work, 256);
			bell.numerator = dp_work_number(&work);
			bell.denominator = dp_work_number(&work);
			dp_number_set(&work, bell.numerator, (dp_int128) (v * 1048576));
			dp_number_set(&work, bell.denominator, 1048576);
			x = dp_interval_new(&work);
			dp_bell_sum(&work, &x, &bell, k);
			worst =
				fmax(worst, fabs(to_double(&work, x.upper) / (double) sum - 1));
			BN_sub(x.lower, x.upper, x.lower);
			width = fmax(width, to_double(&work, x.lower) / (double) sum);
			dp_work_end(&work);
		}
		is_double(worst, 0, 1e-13, "sums of the bell of deviation %g",
				  deviations[s]);
		is_double(width, 0, 1e-28, "and how sure they are");
	}
}

/* At the price of a count that is e-DP: the variance, and what it costs. */
static void
test_rho(void)
{
	static const struct
	{
		double epsilon;
		double variance;
	} known[] = {{.5, 4.08299}, {1, 1.08198}, {2, .315244}, {5, .0142040}};
	DpSigma sigma = {0, 1};
	DpRho rho = {0};
	DpRho cost = {0};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		double variance = 0;
		int y;

		dp_zcdp_of_pure(epsilon_of(known[i].epsilon), 1, &rho);
		dp_gaussian_of_rho(rho, 1, &sigma);
		dp_zcdp_of_gaussian(sigma.numerator, sigma.denominator, 1, &cost);
		set_law(dp_sigma_to_double(sigma));
		for (y = 1; y <= reach; y++)
			variance += 2 * y * y * (double) probability(y);
		is_double(variance / known[i].variance, 1, 1e-4,
				  "a Gaussian count for R(%g)", known[i].epsilon);
		ok(cost.ticks <= rho.ticks, "which it costs");
		sigma.numerator--;
		dp_zcdp_of_gaussian(sigma.numerator, sigma.denominator, 1, &cost);
		ok(cost.ticks > rho.ticks, "with less noise more");
	}
	is_int(dp_gaussian_of_rho((DpRho){1}, (dp_uint128) 1 << 84, &sigma),
		   DP_PARAMETER_OUT_OF_RANGE, "too much noise");
	is_int(dp_gaussian_of_rho((DpRho){0}, 1, &sigma), DP_PARAMETER_OUT_OF_RANGE,
		   "for no rho there is none");
}

int
main(void)
{
	test_rho();
	test_bell();
	test_known_deltas();
	test_deltas();
	test_two_numbers();
	test_calibration();
	test_calibration_of_two();
	test_known_sigmas();
	test_ranges();
	return done_testing();
}
