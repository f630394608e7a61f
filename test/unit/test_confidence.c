/*
 * test_confidence.c
 *		Quantiles of noise, and what intervals cover: by enumeration of the laws.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/confidence.h"
#include "mechanisms/group_threshold.h"
#include "mechanisms/half_width.h"
#include "mechanisms/joint_shape.h"
#include "mechanisms/mean.h"
#include "mechanisms/sums_ends.h"
#include "mechanisms/two_stage.h"
#include "mechanisms/variance.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

static TestRandom source;

static const DpContribution row = {DP_ADD_REMOVE, 1, 0};

static DpNoise
noise_of(DpMechanismChoice choice, double epsilon, uint64_t sensitivity)
{
	DpNoise noise;

	if (dp_noise_init(&noise, &choice, epsilon_of(epsilon), sensitivity) !=
		DP_OK)
		abort();
	return noise;
}

static long long
width_of(const DpNoise *noise, double level)
{
	DpLaw law = {.kind = DP_LAW_NOISE, .noise = *noise};
	dp_uint128 width;

	if (dp_law_width(&law, level, &width) != DP_OK)
		abort();
	return (long long) width;
}

/* P(|X| <= w), summed up. */
static double
mass_within(const DpNoise *noise, long long width)
{
	double mass = dp_noise_pmf(noise, 0);
	long long z;

	for (z = 1; z <= width; z++)
		mass += 2 * dp_noise_pmf(noise, (double) z);
	return mass;
}

/* Known widths; then by the law's own probabilities the least that is enough. */
static void
test_widths(void)
{
	static const double levels[] = {0.9, 0.95, 0.99};
	static const struct
	{
		DpMechanismChoice choice;
		double epsilon;
		uint64_t sensitivity;
		int widths[3];
	} cases[] = {
		{{.mechanism = DP_GEOMETRIC}, 0.1, 1, {23, 30, 46}},
		{{.mechanism = DP_GEOMETRIC}, 0.5, 1, {5, 6, 9}},
		{{.mechanism = DP_GEOMETRIC}, 1, 1, {2, 3, 4}},
		{{.mechanism = DP_GEOMETRIC}, 2, 1, {1, 1, 2}},
		{{.mechanism = DP_GEOMETRIC}, 5, 1, {0, 0, 1}},
		{{.mechanism = DP_LAPLACE}, 1, 7, {16, 21, 32}},
		{{.mechanism = DP_STAIRCASE, .first_step = 38},
		 1,
		 100,
		 {225, 300, 454}},
	};
	size_t i;
	int j;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpNoise noise =
			noise_of(cases[i].choice, cases[i].epsilon, cases[i].sensitivity);

		for (j = 0; j < 3; j++)
			is_int(width_of(&noise, levels[j]), cases[i].widths[j],
				   "width of %s at epsilon %g, level %g",
				   dp_mechanism_name(noise.mechanism), cases[i].epsilon,
				   levels[j]);
	}
}

static void
test_least(void)
{
	uint64_t state = 41;
	bool enough = true;
	bool least = true;
	int round;

	for (round = 0; round < 400; round++)
	{
		DpMechanismChoice choice = {
			.mechanism = (DpMechanism[]){DP_GEOMETRIC, DP_LAPLACE, DP_STAIRCASE,
										 DP_GAUSSIAN}[round % 4],
			.delta = 1e-6};
		double epsilon = 0.05 + (double) random_next_below(&state, 300) / 100;
		DpNoise noise =
			noise_of(choice, epsilon, 1 + random_next_below(&state, 40));
		double level = 0.5 + (double) random_next_below(&state, 4999) / 10000;
		long long width = width_of(&noise, level);

		enough &= mass_within(&noise, width) >= level - 1e-12;
		least &= width == 0 || mass_within(&noise, width - 1) < level + 1e-12;
	}
	ok(enough, "widths are enough");
	ok(least, "and no less is");
}

/* Enormous scales: bracketed by the law in doubles. */
static void
test_extremes(void)
{
	DpNoise noise = noise_of((DpMechanismChoice){.mechanism = DP_LAPLACE},
							 0x1p-10, DP_SENSITIVITY_MAX);
	double width = (double) width_of(&noise, 0.95);
	dp_uint128 least;

	is_double(width / 0x1p52, log(20), 1e-9, "a scale of 2^52");
	noise = noise_of((DpMechanismChoice){.mechanism = DP_STAIRCASE}, 0x1p-10,
					 DP_SENSITIVITY_MAX);
	is_double((double) width_of(&noise, 0.95) / 0x1p52, log(20), 1e-5,
			  "a staircase of that");
	noise =
		noise_of((DpMechanismChoice){.mechanism = DP_GAUSSIAN, .delta = 1e-6},
				 0.001, (uint64_t) 1 << 40);
	is_double((double) width_of(&noise, 0.95) / dp_sigma_to_double(noise.sigma),
			  1.959963984540054, 1e-9, "a gaussian one");
	noise =
		noise_of((DpMechanismChoice){.mechanism = DP_GEOMETRIC}, 1000000, 1);
	is_int(width_of(&noise, DP_LEVEL_MAX), 0, "no noise");
	is_int(dp_half_width(&noise, 0, &least), DP_PARAMETER_OUT_OF_RANGE,
		   "a tail of 0 is refused");
	noise.mechanism = DP_EXPONENTIAL;
	is_int(dp_half_width(&noise, 0.05, &least), DP_MECHANISM_NOT_APPLICABLE,
		   "what is no noise is refused");
}

/* With a quantum the truth is rounded: covered for each truth. */
static void
test_quantum(void)
{
	uint64_t state = 43;
	bool covered = true;
	int round;

	for (round = 0; round < 60; round++)
	{
		uint64_t quantum = 1 + random_next_below(&state, 12);
		DpNoise noise =
			noise_of((DpMechanismChoice){.mechanism = DP_GEOMETRIC,
										 .quantum = (double) quantum},
					 0.5, 1 + random_next_below(&state, 20));
		long long width = width_of(&noise, 0.9);
		uint64_t rest;

		for (rest = 0; rest < quantum; rest++)
		{
			/* The truth is `rest`, and rounded to 0 or to the quantum. */
			long long rounded = (long long) ((rest + quantum / 2) / quantum) *
								(long long) quantum;
			double mass = 0;
			long long z;

			for (z = -4000; z <= 4000; z += 1)
			{
				if (llabs(rounded + z - (long long) rest) <= width)
					mass += dp_noise_pmf(&noise, (double) z);
			}
			covered &= mass >= 0.9 - 1e-12;
		}
	}
	ok(covered, "what is rounded to a quantum is covered");
}

/* The probability of the noise of both sums of a mean. */
static double
pair_pmf(const DpNoise *noise, long long z, long long y)
{
	if (noise->staircase.sums > 1)
		return dp_joint_pmf(&noise->staircase, (double) (llabs(z) + llabs(y)));
	return dp_noise_pmf(noise, (double) z) * dp_noise_pmf(noise, (double) y);
}

/* Means of (A, B): enumerated over both draws. */
static void
test_means(void)
{
	static const struct
	{
		DpMechanism mechanism;
		double epsilon;
	} cases[] = {{DP_LAPLACE, 0.5},
				 {DP_LAPLACE, 2},
				 {DP_STAIRCASE, 2},
				 {DP_STAIRCASE, 5},
				 {DP_GAUSSIAN, 1}};
	static const int counts[] = {0, 1, 2, 5, 40};
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpGrid grid;
		DpMechanismChoice choice = {.mechanism = cases[i].mechanism,
									.delta = 1e-3};
		DpMean mean;
		DpLaw law = {.kind = DP_LAW_RATIO};
		dp_uint128 width;
		bool is_joint = cases[i].mechanism == DP_STAIRCASE;
		int reach = is_joint ? 30 : 110;
		int parts = is_joint ? 2 : 8;

		dp_grid_for_integers(0, 4, DP_GRID_SPAN, &grid);
		if (dp_mean_init(&mean, &choice, epsilon_of(cases[i].epsilon), &grid,
						 row) != DP_OK)
			abort();
		law.noise = mean.noise;
		if (dp_law_width(&law, 0.9, &width) != DP_OK)
			abort();
		for (j = 0; j < sizeof(counts) / sizeof(counts[0]); j++)
		{
			long long all = 4 * counts[j];
			long long a;
			double least = 1;

			for (a = 0; a <= all; a += all < parts ? 1 : all / parts)
			{
				double covered = 0;
				long long z;
				long long y;

				for (z = -reach; z <= reach; z++)
				{
					for (y = -reach; y <= reach; y++)
					{
						dp_int128 sums[2] = {a + z, all + z + y};
						double low =
							dp_law_ratio_end(&law, 0.9, width, sums, false);
						double high =
							dp_law_ratio_end(&law, 0.9, width, sums, true);

						/* Without rows: all that it may be. */
						if (all == 0 ? low == 0 && high == 1
									 : low * (double) all <= (double) a &&
										   high * (double) all >= (double) a)
							covered += pair_pmf(&mean.noise, z, y);
					}
				}
				least = fmin(least, covered);
				if (all == 0)
					break;
			}
			ok(least >= 0.9 - 1e-9,
			   "means of %d rows with %s noise at epsilon %g: covered with %g",
			   counts[j], dp_mechanism_name(cases[i].mechanism),
			   cases[i].epsilon, least);
		}
	}
}

/* Levels: the level of the truth, whatever it was rounded from. */
static void
test_levels(void)
{
	DpTwoStage levels;
	DpMechanismChoice choice = {.mechanism = DP_TWO_STAGE, .levels = 9};
	DpLaw law = {.kind = DP_LAW_LEVELS};
	dp_uint128 width;
	double least = 1;
	int truth;

	if (dp_two_stage_init(&levels, &choice, epsilon_of(3), false) != DP_OK)
		abort();
	law.noise = levels.noise;
	if (dp_law_width(&law, 0.8, &width) != DP_OK)
		abort();
	for (truth = 0; truth <= 160; truth++)
	{
		double part = truth / 160.0;
		uint64_t from = (uint64_t) floor(part * 8 + 0.5);
		double covered = 0;
		int to;

		for (to = 0; to < 9; to++)
		{
			dp_int128 sums[2] = {to, 8};

			if (dp_law_level_end(width, sums, false) <= part &&
				dp_law_level_end(width, sums, true) >= part)
				covered += dp_two_stage_pmf(&levels, from, (uint64_t) to);
		}
		least = fmin(least, covered);
	}
	ok(least >= 0.8 - 1e-12, "levels are covered with %g", least);
}

/* Variances: drawn. */
static void
test_variances(void)
{
	static const int counts[] = {2, 3, 20, 200};
	DpRandom *random = random_seeded(&source, 47);
	uint64_t state = 48;
	size_t i;

	for (i = 0; i < 8; i++) /* the last four over n */
	{
		DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
		DpVariance variance;
		DpLaw law = {.kind = i < 4 ? DP_LAW_VARIANCE : DP_LAW_VARIANCE_POP};
		double most = i < 4 ? 0.5 : 0.25;
		dp_uint128 width;
		int rounds = 4000;
		int covered = 0;
		bool is_within = true;
		int round;

		if (dp_variance_init(&variance, &choice, epsilon_of(1), 100, row) !=
			DP_OK)
			abort();
		variance.of_population = i >= 4;
		law.noise = variance.noise;
		law.steps = variance.steps;
		if (dp_law_width(&law, 0.9, &width) != DP_OK)
			abort();
		for (round = 0; round < rounds; round++)
		{
			int n = counts[i % 4];
			double sum = 0;
			double squares = 0;
			DpSpread spread = {0, 0, n};
			dp_int128 sums[3];
			double truth;
			double low;
			double high;
			double shown;
			int k;

			for (k = 0; k < n; k++)
			{
				uint64_t y = round % 3 == 0 ? 100 * random_next_below(&state, 2)
							 : round % 3 == 1 ? random_next_below(&state, 101)
											  : 100;

				sum += (double) y;
				squares += (double) (y * y);
				spread.half += (dp_int128) (y * (100 - y));
				spread.squares += (dp_int128) (y * y);
			}
			truth = (squares - sum * sum / n) / (i < 4 ? n - 1 : n) / 1e4;
			if (dp_variance_draw_sums(random, &variance, &spread, sums) !=
				DP_OK)
				abort();
			shown = dp_variance_of_sums(&variance, sums) / 1e4;
			low = dp_law_variance_end(&law, 0.9, width, sums, false);
			high = dp_law_variance_end(&law, 0.9, width, sums, true);
			covered += low <= truth + 1e-12 && high >= truth - 1e-12;
			is_within &= low >= 0 && high <= most && low <= high &&
						 shown >= 0 && shown <= most;
		}
		/* 4000 draws of 0.9: below 3450 with a probability of 1e-23. */
		ok(covered > 3450, "variances of %d rows: %d of %d covered",
		   counts[i % 4], covered, rounds);
		ok(is_within, "all are possible");
	}
}

/* Counts that are shown: enumerated, given that they are. */
static void
test_shown(DpMechanism mechanism, double epsilon, const char *name)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .delta = 1e-6};
	DpNoise noise = noise_of(choice, epsilon, 1);
	DpLaw law = {.kind = DP_LAW_NOISE,
				 .noise = noise,
				 .has_threshold = true,
				 .threshold = 15};
	double least = 1;
	double most_low = 0;
	int n;

	for (n = 1; n < 60; n++)
	{
		double shown = 0;
		double covered = 0;
		int y;

		for (y = 15; y < n + 300; y++)
		{
			double p = dp_noise_pmf(&noise, y - n);

			shown += p;
			if (dp_law_shown_end(&law, 0.95, y, false) <= n &&
				dp_law_shown_end(&law, 0.95, y, true) >= n)
				covered += p;
			else if (n == 40 && y < n)
				most_low += p;
		}
		least = fmin(least, covered / shown);
	}
	ok(least >= 0.95 - 1e-6, "%s: counts of 1 .. 59 are covered with %g", name,
	   least);
	ok(most_low <= 0.025 + 1e-9, "%s: no more than half of it on a side", name);
}

static void
test_known_shown(void)
{
	DpLaw law = {.kind = DP_LAW_NOISE, .has_threshold = true, .threshold = 15};
	static const int ends[][3] = {
		{15, 1, 17}, {16, 1, 19}, {18, 1, 21}, {19, 16, 22}, {1000, 997, 1003}};
	size_t i;

	law.noise = noise_of((DpMechanismChoice){.mechanism = DP_GEOMETRIC}, 1, 1);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
	{
		is_int(dp_law_shown_end(&law, 0.95, ends[i][0], false), ends[i][1],
			   "low end of a group with %d", ends[i][0]);
		is_int(dp_law_shown_end(&law, 0.95, ends[i][0], true), ends[i][2],
			   "high end of it");
	}
}

/* Tails in doubles against sums. */
static void
test_tails(void)
{
	static const double epsilons[] = {0.02, 0.3, 1, 4};
	double worst = 0;
	size_t i;
	int k;

	for (i = 0; i < 8; i++)
	{
		DpNoise noise = noise_of(
			(DpMechanismChoice){.mechanism = i < 4 ? DP_GEOMETRIC : DP_GAUSSIAN,
								.delta = 1e-6},
			epsilons[i % 4], 1);

		for (k = -30; k <= 60; k += 7)
		{
			double sum = 0;
			int z;

			for (z = 12000; z >= k; z--)
				sum += dp_noise_pmf(&noise, z);
			if (sum > 0)
				worst =
					fmax(worst, fabs(dp_noise_log_tail(&noise, k) - log(sum)));
		}
	}
	ok(worst < 1e-8, "tails in doubles err by %g", worst);
}

/* What bytes may say, and no prepared call has. */
static void
test_sound(void)
{
	DpNoise noise = noise_of(
		(DpMechanismChoice){.mechanism = DP_GEOMETRIC, .quantum = 5}, 1, 20);
	DpNoise staircase =
		noise_of((DpMechanismChoice){.mechanism = DP_STAIRCASE}, 1, 20);
	DpNoise gaussian = noise_of(
		(DpMechanismChoice){.mechanism = DP_GAUSSIAN, .delta = 1e-6}, 1, 20);
	const DpLaw plain = {.kind = DP_LAW_NOISE, .noise = noise};
	const DpLaw mean = {.kind = DP_LAW_RATIO,
						.noise = staircase,
						.exponent = -33,
						.has_least = true,
						.has_greatest = true,
						.greatest = 20,
						.steps = 20};
	DpLaw law = plain;

	ok(dp_law_is_sound(&law), "noise with a quantum");
	law.noise = staircase;
	ok(dp_law_is_sound(&law), "a staircase");
	law.noise = gaussian;
	ok(dp_law_is_sound(&law), "gaussian noise");
	ok(dp_law_is_sound(&mean), "a mean");
	law = (DpLaw){.kind = DP_LAW_NONE};
	ok(dp_law_is_sound(&law), "no law");
#define IS_NOT(from, field, value, name) \
	do \
	{ \
		law = (from); \
		law.field = (value); \
		ok(!dp_law_is_sound(&law), "not " name); \
	} while (0)
	IS_NOT(plain, noise.mechanism, DP_EXPONENTIAL, "noise of no mechanism");
	IS_NOT(plain, noise.s, 0, "without a scale");
	IS_NOT(plain, noise.t, UINT64_MAX, "with too long a scale");
	IS_NOT(plain, noise.quantum, 0, "without a quantum");
	IS_NOT(plain, exponent, 5000, "with such steps");
	IS_NOT(plain, noise.staircase.sums, 2, "a number drawn with another");
	IS_NOT(mean, noise.staircase.sums, 3, "a mean with three sums");
	IS_NOT(mean, noise.staircase.sums, 0, "a staircase of nothing");
	IS_NOT(plain, has_threshold, true, "shown from a threshold on");
	IS_NOT(mean, greatest, -1, "with reversed ends");
	IS_NOT(mean, has_least, false, "a mean without a least value");
	IS_NOT(mean, steps, 0, "a mean whose rows count nothing");
	IS_NOT(mean, noise.staircase.first_step, 21, "such a staircase");
	IS_NOT(mean, noise.staircase.sensitivity, 0, "a staircase without steps");
	IS_NOT(mean, kind, DP_LAW_LEVELS, "levels without levels");
	IS_NOT(mean, kind, DP_LAW_WALK_UP, "a walk without a scale");
#undef IS_NOT
	law = plain;
	law.noise = gaussian;
	law.noise.sigma.denominator = 0;
	ok(!dp_law_is_sound(&law), "not a sigma without a denominator");
}

#define MOST_ROWS 400

/* P(|X1 + ... + Xk| <= w), summed up. */
static double
mass_of_sum(const DpNoise *noise, int draws, long long width)
{
	static double one[2 * MOST_ROWS + 1];
	static double sum[2 * MOST_ROWS + 1];
	static double next[2 * MOST_ROWS + 1];
	double mass = 0;
	int draw;
	int i;
	int j;

	for (i = 0; i <= 2 * MOST_ROWS; i++)
	{
		one[i] = dp_noise_pmf(noise, (double) (i - MOST_ROWS));
		sum[i] = i == MOST_ROWS ? 1 : 0;
	}
	for (draw = 0; draw < draws; draw++)
	{
		for (i = 0; i <= 2 * MOST_ROWS; i++)
		{
			next[i] = 0;
			for (j = 0; j <= 2 * MOST_ROWS; j++)
			{
				int from = i - (j - MOST_ROWS);

				if (from >= 0 && from <= 2 * MOST_ROWS)
					next[i] += sum[from] * one[j];
			}
		}
		for (i = 0; i <= 2 * MOST_ROWS; i++)
			sum[i] = next[i];
	}
	for (i = 0; i <= 2 * MOST_ROWS; i++)
	{
		if (llabs((long long) i - MOST_ROWS) <= width)
			mass += sum[i];
	}
	return mass;
}

/*
 * The number of rows beneath means and variances, of two draws and of three; and sums
 * of answers.
 */
static void
test_rows(void)
{
	static const DpMechanism mechanisms[] = {
		DP_GEOMETRIC, DP_LAPLACE, DP_DISCRETE_STAIRCASE, DP_GAUSSIAN};
	static const DpLawKind kinds[] = {DP_LAW_NOISE,	   DP_LAW_RATIO,
									  DP_LAW_VARIANCE, DP_LAW_DEVIATION,
									  DP_LAW_NOISE,	   DP_LAW_NOISE};
	static const int draws[] = {1, 2, 3, 3, 2, 8};
	const dp_int128 sums[] = {3, 4, 5};
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++)
	{
		DpMechanismChoice choice = {.mechanism = mechanisms[i], .delta = 1e-3};
		DpNoise noise = noise_of(choice, 0.5, 4);

		for (j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++)
		{
			DpLaw law = {.kind = kinds[j], .noise = noise};
			dp_uint128 width;
			double covered;

			if (kinds[j] == DP_LAW_NOISE)
				law.levels = (uint64_t) draws[j] - 1;
			if (dp_law_rows_width(&law, 0.95, &width) != DP_OK)
				abort();
			covered = mass_of_sum(&noise, draws[j], (long long) width);
			ok(covered >= 0.95 - 1e-9,
			   "%d draws of %s noise: within %lld with %g", draws[j],
			   dp_mechanism_name(mechanisms[i]), (long long) width, covered);
			ok(mechanisms[i] != DP_GEOMETRIC || covered < 0.98,
			   "and not much more often");
		}
	}
	for (j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++)
	{
		static const int rows[] = {7, 4, 12, 12, 7, 7};
		DpLaw law = {.kind = kinds[j]};

		is_int((long long) dp_law_rows(&law, 7, sums), rows[j], "the rows");
	}
	{
		DpLaw law = {.kind = DP_LAW_LEVELS};
		dp_uint128 width;

		is_int(dp_law_rows_width(&law, 0.95, &width),
			   DP_MECHANISM_NOT_APPLICABLE, "levels have none");
	}
}

int
main(void)
{
	test_rows();
	test_sound();
	test_widths();
	test_least();
	test_extremes();
	test_quantum();
	test_means();
	test_levels();
	test_variances();
	test_known_shown();
	test_shown(DP_GEOMETRIC, 1, "geometric");
	test_shown(DP_GEOMETRIC, 0.3, "geometric at 0.3");
	test_shown(DP_GAUSSIAN, 1, "gaussian");
	test_tails();
	return done_testing();
}
