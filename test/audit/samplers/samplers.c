/*
 * samplers.c
 *		Each sampler, and each mechanism that draws by itself, as one function.
 */
#include <string.h>

#include "draw.h"
#include "mechanisms/truncated_count.h"
#include "samplers/bernoulli.h"
#include "samplers/chain_step.h"
#include "samplers/discrete_gaussian.h"
#include "samplers/geometric.h"
#include "samplers/reservoir.h"
#include "samplers/rounded_real.h"
#include "samplers/sequential_choice.h"

/* A parameter as an unsigned word, or as an int. */
#define WORD(i) ((uint64_t) c->p[i])
#define INT(i) ((int) c->p[i])

static DpStatus
draw_below(DpRandom *random, Case *c, dp_int128 *value)
{
	uint64_t drawn;

	DP_TRY(dp_random_below(random, WORD(0), &drawn));
	*value = drawn;
	return DP_OK;
}

/* A function that draws a coin. */
#define COIN(name, call) \
	static DpStatus name(DpRandom *random, Case *c, dp_int128 *value) \
	{ \
		bool heads; \
		DP_TRY(call); \
		*value = heads; \
		return DP_OK; \
	}

COIN(draw_bernoulli, dp_bernoulli(random, WORD(0), WORD(1), &heads))
COIN(draw_exp, dp_bernoulli_exp(random, WORD(0), WORD(1), &heads))
COIN(draw_exp_wide, dp_bernoulli_exp_wide(random, (dp_uint128) c->p[0], WORD(1), &heads))
COIN(draw_exp_product, dp_bernoulli_exp_product(random, WORD(0), WORD(1), WORD(2), WORD(3), &heads))
COIN(draw_phi, dp_bernoulli_phi(random, WORD(0), WORD(1), &heads))
COIN(draw_real, dp_real_coin_draw(random, &c->of.coin, c, &heads))
COIN(draw_chain_coin, dp_chain_step_coin(random, WORD(0), WORD(1), WORD(2), &heads))
COIN(draw_unary, dp_unary_draw(random, c->p[0] ? DP_ENCODING_OPTIMAL : DP_ENCODING_SYMMETRIC, (DpEpsilon){WORD(1)}, c->p[2] != 0, &heads))
COIN(draw_report, dp_unary_report_draw(random, &c->of.report, c->p[2] != 0, &heads))

/* DpEnclose: exp(-p0/p1) */
static DpStatus
enclose(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	const Case *c = context;

	return dp_enclose_exp((dp_uint128) c->p[0], WORD(1), bits, lower, upper);
}

static DpStatus
draw_geometric(DpRandom *random, Case *c, dp_int128 *value)
{
	dp_uint128 drawn;

	DP_TRY(dp_geometric_draw(random, WORD(0), WORD(1), &drawn));
	*value = (dp_int128) drawn;
	return DP_OK;
}

static DpStatus
draw_laplace(DpRandom *random, Case *c, dp_int128 *value)
{
	return dp_discrete_laplace_draw(random, WORD(0), WORD(1), value);
}

static DpStatus
draw_chain(DpRandom *random, Case *c, dp_int128 *value)
{
	return dp_chain_step_draw(random, WORD(0), WORD(1), WORD(2), value);
}

static DpStatus
draw_gaussian(DpRandom *random, Case *c, dp_int128 *value)
{
	return dp_discrete_gaussian_draw(random, (DpSigma){WORD(0), WORD(1)}, value);
}

static DpStatus
draw_rounded(DpRandom *random, Case *c, dp_int128 *value)
{
	DpScale scale = {(dp_uint128) c->p[1], WORD(2)};
	int64_t drawn;

	DP_TRY(c->p[0] == 0
			   ? dp_rounded_cauchy_draw(random, scale, WORD(3), INT(4), &drawn)
			   : dp_rounded_laplace_draw(random, scale, WORD(3), INT(4), &drawn));
	*value = drawn;
	return DP_OK;
}

static DpStatus
draw_staircase(DpRandom *random, Case *c, dp_int128 *value)
{
	return dp_staircase_draw(random, &c->of.staircase, value);
}

/* The first number; the others have the same law. */
static DpStatus
draw_joint(DpRandom *random, Case *c, dp_int128 *value)
{
	dp_int128 values[DP_JOINT_SUMS_MAX];

	DP_TRY(dp_joint_staircase_draw(random, &c->of.staircase, values));
	*value = values[0];
	return DP_OK;
}

/* epsilon S bits target lower upper values... */
static DpStatus
draw_rank(DpRandom *random, Case *c, dp_int128 *value)
{
	int64_t values[PARAMETERS_MAX];
	int64_t drawn;
	int i;

	for (i = 6; i < c->number; i++)
		values[i - 6] = (int64_t) c->p[i];
	DP_TRY(dp_rank_draw(random, &c->of.rank, (int64_t) c->p[3], values,
						(size_t) (c->number - 6), (int64_t) c->p[4],
						(int64_t) c->p[5], &drawn));
	*value = drawn;
	return DP_OK;
}

static DpStatus
draw_slot(DpRandom *random, Case *c, dp_int128 *value)
{
	uint64_t slot;

	DP_TRY(dp_reservoir_slot(random, WORD(0), WORD(1), &slot));
	*value = slot;
	return DP_OK;
}

/* A reservoir of the numbers first .. first + seen - 1. */
static DpStatus
fill(DpRandom *random, int64_t first, uint64_t seen, uint64_t limit,
	 int64_t *kept)
{
	uint64_t i;

	for (i = 0; i < seen; i++)
	{
		uint64_t slot;

		DP_TRY(dp_reservoir_slot(random, i, limit, &slot));
		if (slot < limit)
			kept[slot] = first + (int64_t) i;
	}
	return DP_OK;
}

/* limit, and how many of two kinds, which are joined; bits of those kept */
static DpStatus
draw_join(DpRandom *random, Case *c, dp_int128 *value)
{
	uint64_t all = WORD(1) + WORD(2);
	uint64_t limit = WORD(0);
	int64_t a[32] = {0};
	int64_t b[32] = {0};
	int64_t joined[32] = {0};
	uint64_t i;

	DP_TRY(fill(random, 0, WORD(1), limit, a));
	DP_TRY(fill(random, (int64_t) c->p[1], WORD(2), limit, b));
	DP_TRY(dp_reservoir_join(random, limit, a, WORD(1), b, WORD(2), joined));
	*value = 0;
	for (i = 0; i < limit && i < all; i++)
		*value += (dp_int128) 1 << joined[i];
	return DP_OK;
}

/* how many, and how many of them are wanted; bits of those chosen */
static DpStatus
draw_choice(DpRandom *random, Case *c, dp_int128 *value)
{
	uint64_t wanted = WORD(1);
	uint64_t i;

	*value = 0;
	for (i = 0; i < WORD(0); i++)
	{
		bool chosen;

		DP_TRY(dp_sequential_choice(random, WORD(0) - i, wanted, &chosen));
		if (chosen)
			*value += (dp_int128) 1 << i;
		wanted -= chosen;
	}
	return DP_OK;
}

static DpStatus
draw_response(DpRandom *random, Case *c, dp_int128 *value)
{
	uint32_t report;

	DP_TRY(dp_response_draw(random, &c->of.response, (uint32_t) c->p[2], &report));
	*value = report;
	return DP_OK;
}

/* mechanism epsilon rows first_step substitute counts... */
static DpStatus
draw_selection(DpRandom *random, Case *c, dp_int128 *value)
{
	int64_t counts[PARAMETERS_MAX];
	uint32_t order[PARAMETERS_MAX];
	size_t index;
	int i;

	for (i = 5; i < c->number; i++)
		counts[i - 5] = (int64_t) c->p[i];
	DP_TRY(dp_selection_draw(random, &c->of.selection, counts,
							 (size_t) (c->number - 5), order, &index));
	*value = (dp_int128) index;
	return DP_OK;
}

/* epsilon levels half numerator denominator */
static DpStatus
draw_two_stage(DpRandom *random, Case *c, dp_int128 *value)
{
	uint64_t level;

	DP_TRY(dp_two_stage_draw(random, &c->of.two_stage, c->p[3], c->p[4], &level));
	*value = level;
	return DP_OK;
}

/* epsilon substitute threshold counts... */
static DpStatus
draw_walk(DpRandom *random, Case *c, dp_int128 *value)
{
	uint64_t counts[PARAMETERS_MAX];
	size_t stop;
	int i;

	for (i = 3; i < c->number; i++)
		counts[i - 3] = WORD(i);
	DP_TRY(dp_above_threshold_draw(random, &c->of.walk, counts,
								   (size_t) (c->number - 3), &stop));
	*value = (dp_int128) stop;
	return DP_OK;
}

/* mechanism epsilon sensitivity quantum truth */
static DpStatus
draw_noise(DpRandom *random, Case *c, dp_int128 *value)
{
	return dp_noise_add(random, &c->of.noise, c->p[4], value);
}

/* epsilon k truth */
static DpStatus
draw_truncated(DpRandom *random, Case *c, dp_int128 *value)
{
	return dp_truncated_count_add(random, &c->of.noise, INT(1), c->p[2], value);
}

static const struct
{
	const char *name;
	Draw draw;
} samplers[] = {
	{"below", draw_below},			 {"bernoulli", draw_bernoulli},
	{"exp", draw_exp},				 {"exp_wide", draw_exp_wide},
	{"exp_product", draw_exp_product}, {"phi", draw_phi},
	{"real_coin", draw_real},		 {"geometric", draw_geometric},
	{"laplace", draw_laplace},		 {"chain_step", draw_chain},
	{"chain_coin", draw_chain_coin}, {"gaussian", draw_gaussian},
	{"rounded", draw_rounded},		 {"staircase", draw_staircase},
	{"joint_staircase", draw_joint}, {"rank", draw_rank},			 {"slot", draw_slot},
	{"join", draw_join},			 {"choice", draw_choice},
	{"response", draw_response},	 {"unary", draw_unary},
	{"report", draw_report},		 {"selection", draw_selection},
	{"two_stage", draw_two_stage},	 {"above_threshold", draw_walk},
	{"noise", draw_noise},			 {"truncated", draw_truncated}};

Draw
sampler_named(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(samplers) / sizeof(samplers[0]); i++)
	{
		if (strcmp(samplers[i].name, name) == 0)
			return samplers[i].draw;
	}
	return NULL;
}

static DpStatus
prepare(const char *name, Case *c)
{
	DpEpsilon epsilon = {WORD(0)};
	DpMechanismChoice choice = {.mechanism = (DpMechanism) c->p[0], .rank = -1};

	if (strcmp(name, "real_coin") == 0)
		return dp_real_coin_init(&c->of.coin, enclose, c, INT(2));
	if (strcmp(name, "staircase") == 0)
		return dp_staircase_init(&c->of.staircase, WORD(0), WORD(1),
								 (DpEpsilon){WORD(2)}, INT(3));
	if (strcmp(name, "joint_staircase") == 0)
		return dp_joint_staircase_init(&c->of.staircase, (uint32_t) c->p[4],
									   WORD(0), WORD(1), (DpEpsilon){WORD(2)},
									   INT(3));
	if (strcmp(name, "rank") == 0)
		return dp_rank_init(&c->of.rank, (int64_t) c->p[1], epsilon, INT(2));
	if (strcmp(name, "response") == 0)
		return dp_response_init(&c->of.response, epsilon, (uint32_t) c->p[1],
								INT(3));
	if (strcmp(name, "report") == 0)
		return dp_unary_report_init(&c->of.report, epsilon,
									(DpEpsilon){WORD(1)});
	if (strcmp(name, "selection") == 0)
	{
		choice.first_step = (double) c->p[3];
		return dp_selection_init(
			&c->of.selection, &choice, (DpEpsilon){WORD(1)},
			(DpContribution){c->p[4] ? DP_SUBSTITUTE : DP_ADD_REMOVE,
							 (uint32_t) c->p[2], 0});
	}
	if (strcmp(name, "two_stage") == 0)
	{
		choice.levels = (double) c->p[1];
		return dp_two_stage_init(&c->of.two_stage, &choice, epsilon,
								 c->p[2] != 0);
	}
	if (strcmp(name, "above_threshold") == 0)
		dp_above_threshold_init(&c->of.walk, epsilon,
								c->p[1] ? DP_SUBSTITUTE : DP_ADD_REMOVE,
								WORD(2));
	if (strcmp(name, "truncated") == 0)
	{
		choice.mechanism = DP_GEOMETRIC;
		return dp_noise_init(&c->of.noise, &choice, epsilon, 1);
	}
	if (strcmp(name, "noise") == 0)
	{
		choice.quantum = (double) c->p[3];
		return dp_noise_init(&c->of.noise, &choice, (DpEpsilon){WORD(1)},
							 WORD(2));
	}
	return DP_OK;
}

bool
sampler_prepare(const char *name, Case *c)
{
	return prepare(name, c) == DP_OK;
}
