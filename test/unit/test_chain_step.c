/*
 * test_chain_step.c
 *		Chains of discrete Laplace noise: each level, and all together.
 */
#include <math.h>
#include <stdio.h>

#include "mechanisms/noise_step.h"
#include "mechanisms/zcdp.h"
#include "samplers/bernoulli.h"
#include "samplers/geometric.h"
#include "samplers/chain_step.h"
#include "support/data_sets.h"
#include "support/random_fixed.h"
#include "support/sample.h"

#define ONE DP_EPSILON_ONE

/* x = low/t, y = high/t */
typedef struct Step
{
	uint64_t low;
	uint64_t high;
	uint64_t t;
} Step;

static const Step steps[] = {
	{1, 2, 2},
	{1, 2, 1},
	{1, 1, 1},
	{1, 3, 3},
	{9, 10, 10},
	{1, 100, 100},
	{1, 100, 10},
	{99, 100, 20},
	{3, 4, 2},
	{1, 20, 1},
	{1, 2, 100},
	{ONE / 2, ONE, ONE},
	{ONE / 10, ONE, 3 * ONE},
	{((uint64_t) 1 << 61) + 1, ((uint64_t) 1 << 62) - 57, (uint64_t) 1 << 62},
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static double
ratio(uint64_t s, uint64_t t)
{
	return (double) s / (double) t;
}

static void
test_phi(void)
{
	static const uint64_t grid[][2] = {
		{1, 1},
		{1, 2},
		{9, 10},
		{1, 1000},
		{((uint64_t) 1 << 61) + 7, ((uint64_t) 1 << 62) - 57}};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 21);
	bool result;
	size_t g;
	int i;

	for (g = 0; g < sizeof(grid) / sizeof(grid[0]); g++)
	{
		double x = ratio(grid[g][0], grid[g][1]);
		uint64_t count = 0;

		for (i = 0; i < 400000; i++)
		{
			if (dp_bernoulli_phi(random, grid[g][0], grid[g][1], &result) !=
				DP_OK)
				break;
			count += result;
		}
		fits_coin(count, -expm1(-x) / x, 400000, "(1 - exp(-g)) / g for g = %g",
				  x);
	}
	for (i = 0; i < 10000; i++)
	{
		if (dp_bernoulli_phi(random, 0, 5, &result) != DP_OK || !result)
			break;
	}
	is_int(i, 10000, "true for g = 0");
}

static void
test_coin(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 22);
	size_t i;

	for (i = 0; i < STEPS; i++)
	{
		double p = expm1(-ratio(steps[i].low, steps[i].t)) /
				   expm1(-ratio(steps[i].high, steps[i].t));
		uint64_t count = 0;
		bool result;
		int draw;

		for (draw = 0; draw < 400000; draw++)
		{
			if (dp_chain_step_coin(random, steps[i].low, steps[i].high,
								   steps[i].t, &result) != DP_OK)
				break;
			count += result;
		}
		if (p < 1)
			fits_coin(count, p, 400000, "coin of a step, case %zu: %.6f", i, p);
		else
			is_int((long long) count, 400000, "coin of no step");
	}
}

static DpStatus
draw_step(DpRandom *random, const void *context, dp_int128 *value)
{
	const Step *step = context;

	return dp_chain_step_draw(random, step->low, step->high, step->t, value);
}

static double
step_pmf(const void *context, double w)
{
	const Step *step = context;

	return dp_chain_step_pmf(step->low, step->high, step->t, w);
}

/* The law of a step makes discrete Laplace noise of the one of the other. */
static void
test_step(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 23);
	char name[64];
	size_t i;

	for (i = 0; i < STEPS; i++)
	{
		const Step *step = &steps[i];
		double worst = 0;
		double total = 0;
		int reach = (int) (50 * (double) step->t / (double) step->low) + 50;
		int w;

		for (w = -reach; w <= reach; w++)
			total += step_pmf(step, w);
		is_double(total, 1, 1e-12, "the law of step %zu adds up to 1", i);

		for (w = 0; w <= 20; w++)
		{
			double sum = 0;
			int z;

			for (z = -reach; z <= reach; z++)
				sum += dp_discrete_laplace_pmf(step->high, step->t, z) *
					   step_pmf(step, w - z);
			worst = fmax(worst, fabs(sum - dp_discrete_laplace_pmf(
											   step->low, step->t, w)));
		}
		is_double(worst, 0, 1e-13, "step %zu leads to the lower level's law",
				  i);
		if (step->low == step->high)
			continue;
		snprintf(name, sizeof(name), "draws of step %zu", i);
		sample_fits(random, draw_step, step_pmf, step, 300, 300000, name);
	}
}

/*
 * A level of a chain, to be drawn on its own: answers of that sensitivity,
 * which a unit contributes to as it says.
 */
typedef struct Rung
{
	const DpEpsilon *levels;
	size_t count;
	uint64_t sensitivity;
	DpContribution contribution;
	size_t rung;
} Rung;

#define RUNGS_MAX 5

static DpStatus
prepare_rung(const Rung *rung, size_t place, DpNoise *noise)
{
	DpMechanismChoice laplace = {.mechanism = DP_LAPLACE};

	return dp_noise_init_groups(noise, &laplace, rung->levels[place],
								rung->sensitivity, rung->contribution);
}

/* All levels: the highest, and a step for each below it. */
static DpStatus
draw_chain(DpRandom *random, const Rung *rung, dp_int128 *values)
{
	DpNoise above;
	size_t i;

	DP_TRY(prepare_rung(rung, 0, &above));
	DP_TRY(dp_noise_draw(random, &above, &values[0]));
	for (i = 1; i < rung->count; i++)
	{
		DpNoise noise;
		DpNoiseStep step;
		dp_int128 more;

		DP_TRY(prepare_rung(rung, i, &noise));
		DP_TRY(dp_noise_step_init(&step, &above, &noise));
		DP_TRY(dp_noise_step_draw(random, &step, &more));
		values[i] = values[i - 1] + more;
		above = noise;
	}
	return DP_OK;
}

static DpStatus
draw_rung(DpRandom *random, const void *context, dp_int128 *value)
{
	const Rung *rung = context;
	dp_int128 values[RUNGS_MAX];
	DpStatus status = draw_chain(random, rung, values);

	*value = values[rung->rung];
	return status;
}

/* epsilon over the sensitivity of all groups */
static double
rung_ratio(const Rung *rung)
{
	return dp_epsilon_to_double(rung->levels[rung->rung]) /
		   ((double) rung->sensitivity *
			(double) dp_contribution_parts(rung->contribution));
}

static double
rung_pmf(const void *context, double z)
{
	double x = rung_ratio(context);

	return tanh(x / 2) * exp(-x * fabs(z));
}

static double
rung_below(const void *context, double z)
{
	double x = rung_ratio(context);

	if (z >= -1)
		return 1 - exp(-x * (z + 1)) / (1 + exp(-x));
	return exp(x * z) / (1 + exp(-x));
}

/*
 * Each level has the law that its epsilon and the sensitivity of all groups
 * together have, also where that is more than one answer's may be.
 */
static void
test_marginals(void)
{
	static const DpEpsilon levels[RUNGS_MAX] = {
		{3 * ONE}, {ONE}, {ONE}, {ONE / 2 - 1}, {ONE / 7}};
	static const struct
	{
		uint64_t sensitivity;
		uint32_t groups;
	} wide[] = {{1000, 0},
				{(uint64_t) 1 << 42, 0},
				{4000, 15},
				{(uint64_t) 1 << 42, 15},
				{((uint64_t) 1 << 42) - 5, 100}};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 24);
	Rung rung = {levels, RUNGS_MAX, 1, dp_contribution_of_row(DP_ADD_REMOVE),
				 0};
	char name[96];
	size_t i;

	for (rung.rung = 0; rung.rung < RUNGS_MAX; rung.rung++)
	{
		snprintf(name, sizeof(name), "level %zu by itself", rung.rung);
		sample_fits(random, draw_rung, rung_pmf, &rung, 150, 300000, name);
		for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		{
			Rung other = rung;

			other.sensitivity = wide[i].sensitivity;
			other.contribution.groups = wide[i].groups;
			snprintf(name, sizeof(name),
					 "level %zu at sensitivity %g in %u groups", rung.rung,
					 (double) wide[i].sensitivity, wide[i].groups);
			sample_fits_binned(random, draw_rung, rung_below, &other,
							   1 / rung_ratio(&other) / 5, 200000, name);
		}
	}
}

/* Three levels at once, in cells of -REACH .. REACH each. */
#define REACH 6
#define SIDE (2 * REACH + 1)

static void
test_joint(void)
{
	static const DpEpsilon levels[3] = {{2 * ONE}, {ONE}, {ONE / 3}};
	static const Rung chain = {.levels = levels, .count = 3, .sensitivity = 1};
	static uint64_t counts[SIDE * SIDE * SIDE];
	static double probabilities[SIDE * SIDE * SIDE];
	TestRandom source;
	DpRandom *random = random_seeded(&source, 25);
	dp_int128 y[3];
	size_t i;
	int draw;

	for (draw = 0; draw < 1000000; draw++)
	{
		size_t cell = 0;
		bool inside = true;

		if (draw_chain(random, &chain, y) != DP_OK)
			break;
		for (i = 0; i < 3; i++)
		{
			inside = inside && y[i] >= -REACH && y[i] <= REACH;
			if (inside)
				cell = cell * SIDE + (size_t) ((int) y[i] + REACH);
		}
		if (inside)
			counts[cell]++;
	}
	for (i = 0; i < SIDE * SIDE * SIDE; i++)
	{
		int top = (int) i / (SIDE * SIDE) - REACH;
		int middle = (int) i / SIDE % SIDE - REACH;
		int bottom = (int) i % SIDE - REACH;

		probabilities[i] =
			dp_discrete_laplace_pmf(2, 1, top) *
			dp_chain_step_pmf(1, 2, 1, middle - top) *
			dp_chain_step_pmf(levels[2].ticks, ONE, ONE, bottom - middle);
	}
	fits(counts, probabilities, SIDE * SIDE * SIDE, 1000000,
		 "three levels together are the chain");
}

/*
 * What a coalition of all levels sees of a query that differs by one: the
 * greatest privacy loss is the highest level's epsilon, of the two lower ones
 * that of the second, although independent answers would add up.
 */
static void
test_coalition(void)
{
	const double high = 2;
	const double middle = 1;
	double all = 0;
	double two = 0;
	int a;
	int b;
	int c;

	for (a = -8; a <= 8; a++)
	{
		for (b = -8; b <= 8; b++)
		{
			double p = dp_discrete_laplace_pmf(2, 1, a) *
					   dp_chain_step_pmf(1, 2, 1, b - a);
			double q = dp_discrete_laplace_pmf(2, 1, a - 1) *
					   dp_chain_step_pmf(1, 2, 1, b - a);

			all = fmax(all, fabs(log(p / q)));
		}
	}

	/* The middle and the lowest level, the highest summed over. */
	for (b = -8; b <= 8; b++)
	{
		for (c = -8; c <= 8; c++)
		{
			double p = 0;
			double q = 0;

			for (a = -60; a <= 60; a++)
			{
				double rest = dp_chain_step_pmf(1, 2, 1, b - a) *
							  dp_chain_step_pmf(1, 3, 3, c - b);

				p += dp_discrete_laplace_pmf(2, 1, a) * rest;
				q += dp_discrete_laplace_pmf(2, 1, a - 1) * rest;
			}
			two = fmax(two, fabs(log(p / q)));
		}
	}
	is_double(all, high, 1e-12, "all levels together cost the highest epsilon");
	is_double(two, middle, 1e-9, "without the highest, the next");
}

static DpNoise
noise_of(DpMechanismChoice choice, DpEpsilon epsilon, uint64_t sensitivity)
{
	DpNoise noise = {0};

	dp_noise_init(&noise, &choice, epsilon, sensitivity);
	return noise;
}

static void
test_equal_and_refused(void)
{
	static const DpEpsilon equal[4] = {{ONE}, {ONE}, {ONE / 2}, {ONE / 2}};
	static const Rung chain = {.levels = equal, .count = 4, .sensitivity = 3};
	const DpMechanismChoice laplace = {.mechanism = DP_LAPLACE};
	const DpMechanismChoice quanta = {.mechanism = DP_GEOMETRIC, .quantum = 2};
	const DpMechanismChoice staircase = {.mechanism = DP_STAIRCASE};
	DpNoise one = noise_of(laplace, equal[0], 10);
	DpNoise two = noise_of(laplace, equal[2], 10);
	DpNoise odd = noise_of(laplace, (DpEpsilon){3}, ((uint64_t) 1 << 42) - 1);
	DpNoise even = noise_of(laplace, (DpEpsilon){1}, (uint64_t) 1 << 42);
	DpNoise other;
	DpNoiseStep step;
	TestRandom source;
	DpRandom *random = random_seeded(&source, 26);
	dp_int128 y[4];
	int apart = 0;
	int i;

	for (i = 0; i < 10000; i++)
	{
		if (draw_chain(random, &chain, y) != DP_OK || y[0] != y[1] ||
			y[2] != y[3])
			break;
		apart += y[1] != y[2];
	}
	is_int(i, 10000, "equal levels have equal values");
	ok(apart > 1000, "others have not");

	is_int(dp_noise_step_init(&step, &two, &one), DP_PARAMETER_OUT_OF_RANGE,
		   "levels that rise");
	is_int(dp_noise_step_init(&step, &odd, &even), DP_PARAMETER_OUT_OF_RANGE,
		   "noises of no common denominator");
	other = noise_of(quanta, equal[2], 10);
	is_int(dp_noise_step_init(&step, &one, &other), DP_MECHANISM_NOT_APPLICABLE,
		   "a quantum");
	other = noise_of(staircase, equal[2], 10);
	is_int(dp_noise_step_init(&step, &one, &other), DP_MECHANISM_NOT_APPLICABLE,
		   "down to a staircase");
	is_int(dp_noise_step_init(&step, &other, &two), DP_MECHANISM_NOT_APPLICABLE,
		   "from one");

	is_int(dp_noise_step_init(&step, &one, &two), DP_OK, "a step");
	ok(step.high == 2 * step.low && step.t == 10 * step.high, "its ratios");
}

/*
 * What two levels together are apart in rho, for answers that are so many steps
 * apart: what the highest costs, which the table pays; and what the lower one is
 * by itself, which a role pays.
 */
#define RHO_REACH 60
#define RHO_SIDE (2 * RHO_REACH + 1)

static double
cost_of(uint64_t s, uint64_t t, uint64_t sensitivity)
{
	DpRho rho = {0};

	dp_zcdp_of_laplace(s, t, sensitivity, 1, &rho);
	return (double) rho.ticks * 1e-24;
}

static void
test_rho(void)
{
	static double p[RHO_SIDE * RHO_SIDE];
	static double q[RHO_SIDE * RHO_SIDE];
	static const Step pairs[] = {{1, 2, 2}, {1, 3, 3}, {3, 4, 2}, {1, 2, 6}};
	size_t i;
	int moved;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
	{
		const Step *step = &pairs[i];

		for (moved = 1; moved <= 3; moved++)
		{
			double highest = cost_of(step->high, step->t, (uint64_t) moved);
			double own = cost_of(step->low, step->t, (uint64_t) moved);
			double both;
			double low;
			int64_t points = 0;
			int y;
			int z;

			for (y = -RHO_REACH; y <= RHO_REACH; y++)
			{
				for (z = -RHO_REACH; z <= RHO_REACH; z++)
				{
					double more =
						dp_chain_step_pmf(step->low, step->high, step->t, z);

					p[points] =
						more * dp_discrete_laplace_pmf(step->high, step->t, y);
					q[points++] = more * dp_discrete_laplace_pmf(
											 step->high, step->t, y - moved);
				}
			}
			both = distribution_rho(p, q, points);
			for (y = -RHO_REACH; y <= RHO_REACH; y++)
			{
				p[y + RHO_REACH] =
					dp_discrete_laplace_pmf(step->low, step->t, y);
				q[y + RHO_REACH] =
					dp_discrete_laplace_pmf(step->low, step->t, y - moved);
			}
			low = distribution_rho(p, q, RHO_SIDE);
			ok(both <= highest + 1e-9 && both > 0.93 * highest,
			   "two levels cost what the higher one does: %.6f of %.6f", both,
			   highest);
			ok(low <= own + 1e-9 && own < highest,
			   "and the lower one alone less: %.6f of %.6f", low, own);
		}
	}
}

int
main(void)
{
	test_phi();
	test_coin();
	test_step();
	test_marginals();
	test_joint();
	test_coalition();
	test_equal_and_refused();
	test_rho();
	return done_testing();
}
