/*
 * test_bounds.c
 *		Bins of powers of two: every value in its own; bounds that hold most of
 *		the values, and what they give for few.
 */
#include <float.h>
#include <math.h>

#include "mechanisms/bounds.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static const DpBins of_bigint = {0, 63};
static const DpBins of_double = {-64, 127};

static TestRandom source;

static double
value_of(DpEdge edge)
{
	return edge.sign * ldexp(1, edge.exponent);
}

/* Whether a value is in the bin it is said to be in. */
static bool
is_in(DpBins bins, uint32_t bin, double value)
{
	double lower = value_of(dp_bin_lower(bins, bin));
	double upper = value_of(dp_bin_upper(bins, bin));

	if (value < 0)
		return lower <= value && value < upper;
	return (value == 0 ? lower == 0 : lower < value) && value <= upper;
}

static void
test_bins(void)
{
	static const double values[] = {
		0,		-0.0,	 1,		 -1,		1.5,	 -1.5,	  2,	-2,
		3,		1e-30,	 -1e-30, 0x1p-64,	0x1p-65, DBL_MIN, 1e38, -1e38,
		0x1p62, -0x1p63, 1e-10,	 0x1.8p-64, 0x1p127, -0x1p127};
	bool good = true;
	uint32_t bin;
	size_t i;
	int64_t k;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (!ok(is_in(of_double, dp_bin_of_double(of_double, values[i]),
					  values[i]),
				"the bin of %a", values[i]))
			diag("it is %u", dp_bin_of_double(of_double, values[i]));
	is_int(dp_bin_of_double(of_double, DBL_MAX), 383, "the greatest double");
	is_int(dp_bin_of_double(of_double, -DBL_MAX), 0, "the least");
	is_int(dp_bin_of_double(of_double, INFINITY), 383, "infinity");
	is_int(dp_bin_of_double(of_double, -INFINITY), 0, "minus infinity");
	for (k = -5000; k <= 5000; k++)
		good = good &&
			   is_in(of_bigint, dp_bin_of_integer(of_bigint, k), (double) k);
	ok(good, "the bins of small integers");
	is_int(dp_bin_of_integer(of_bigint, INT64_MAX), 127, "the greatest bigint");
	is_int(dp_bin_of_integer(of_bigint, INT64_MIN), 0, "the least bigint");
	is_int(dp_bin_of_integer(of_bigint, -((int64_t) 1 << 62)), 1, "-2^62");
	is_int(dp_bin_of_integer(of_bigint, -((int64_t) 1 << 62) - 1), 0,
		   "one less");

	good = true;
	for (bin = 1; bin < dp_bins_number(of_double); bin++)
		good = good && value_of(dp_bin_upper(of_double, bin - 1)) ==
						   value_of(dp_bin_lower(of_double, bin));
	ok(good, "the bins leave no gap");
}

/* How often the answer for these counts is bins first .. last. */
static double
how_often(DpRandom *random, const DpBounds *bounds, const int64_t *counts,
		  uint32_t first, uint32_t last)
{
	const int tries = 20000;
	int hits = 0;
	int i;

	for (i = 0; i < tries; i++)
	{
		uint32_t a;
		uint32_t b;

		if (dp_bounds_draw(random, bounds, counts, &a, &b) != DP_OK)
			return NAN;
		hits += a == first && b == last;
	}
	return (double) hits / tries;
}

static void
test_draws(DpRandom *random)
{
	int64_t counts[DP_BINS_MAX] = {0};
	DpBounds bounds;

	dp_bounds_init(&bounds, of_bigint, epsilon_of(1),
				   dp_contribution_of_row(DP_ADD_REMOVE));

	/* ln(128 / 10^-6 / (1 + 1/e)) = 18.35 */
	is_int(bounds.threshold, 19, "the threshold of 128 bins at epsilon 1");
	is_int((int64_t) bounds.noise.sensitivity, 1, "one value, one count");

	/* but for 20000 * 10^-6, twice of which is seen once in 5000 runs */
	ok(how_often(random, &bounds, counts, 128, 0) >= 0.9998,
	   "no bounds of no values");
	counts[70] = 40;
	counts[75] = 1000;
	counts[80] = 3;
	ok(how_often(random, &bounds, counts, 70, 75) >= 0.9998,
	   "bins with enough values, and none of those with a few");

	/* P(Z >= 0) = 1/(1+a) = 0.731; 6 standard deviations are 0.019 */
	counts[80] = bounds.threshold;
	is_double(how_often(random, &bounds, counts, 70, 80), 0.731, 0.019,
			  "a count at the threshold");
	counts[80] = bounds.threshold - 2;
	is_double(how_often(random, &bounds, counts, 70, 80), 0.731 * exp(-2),
			  0.019, "and two below it");
}

static void
test_sensitivities(void)
{
	static const struct
	{
		DpContribution contribution;
		uint64_t sensitivity;
		const char *name;
	} cases[] = {
		{{DP_ADD_REMOVE, 1, 0}, 1, "a value more or less"},
		{{DP_SUBSTITUTE, 1, 0},
		 2,
		 "an exchanged one leaves one bin for another"},
		{{DP_ADD_REMOVE, 5, 0}, 5, "five values of a unit"},
		{{DP_SUBSTITUTE, 5, 0}, 10, "five for five others"},
		{{DP_ADD_REMOVE, 5, 3}, 15, "five in each of three groups"},
		{{DP_SUBSTITUTE, 5, 3}, 30, "and exchanged"},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpBounds bounds;

		is_int(dp_bounds_init(&bounds, of_double, epsilon_of(0.5),
							  cases[i].contribution),
			   DP_OK, "%s", cases[i].name);
		is_double((double) bounds.noise.s / (double) bounds.noise.t,
				  0.5 / (double) cases[i].sensitivity, 1e-9, "its noise");

		/* ln(384 / 10^-6 / 2) / x, nearly */
		is_double((double) bounds.threshold,
				  log(192e6) * 2 * (double) cases[i].sensitivity,
				  0.03 * (double) bounds.threshold, "its threshold");
	}
}

static void
test_total(DpRandom *random)
{
	int64_t counts[DP_BINS_MAX];
	static const double epsilons[] = {0x1p-20, 1, 1e6};
	bool good = true;
	size_t e;
	size_t i;

	for (i = 0; i < DP_BINS_MAX; i++)
		counts[i] = INT64_MAX;
	for (e = 0; e < 3; e++)
	{
		DpBounds bounds;
		uint32_t first;
		uint32_t last;

		good =
			good &&
			dp_bounds_init(&bounds, of_double, epsilon_of(epsilons[e]),
						   dp_contribution_of_row(DP_ADD_REMOVE)) == DP_OK &&
			bounds.threshold >= 1 &&
			dp_bounds_draw(random, &bounds, counts, &first, &last) == DP_OK &&
			first == 0 && last == 383;
	}
	ok(good, "vast counts, tiny and vast epsilons");
}

int
main(void)
{
	DpRandom *random = random_seeded(&source, 321);

	test_bins();
	test_draws(random);
	test_sensitivities();
	test_total(random);
	return done_testing();
}
