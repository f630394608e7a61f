/*
 * draw.h
 *		The samplers by name, with their parameters as integers.
 */
#ifndef DRAW_H
#define DRAW_H

#include "core/int128.h"
#include "local/randomized_response.h"
#include "local/unary.h"
#include "mechanisms/above_threshold.h"
#include "mechanisms/noise.h"
#include "mechanisms/selection.h"
#include "mechanisms/two_stage.h"
#include "samplers/bernoulli_real.h"
#include "samplers/rank_exponential.h"
#include "samplers/joint_staircase.h"
#include "support/random_fixed.h"

#define PARAMETERS_MAX 64

typedef struct Case Case;

/* One draw, as one integer: a coin is 0 or 1, a subset the sum of its bits. */
typedef DpStatus (*Draw)(DpRandom *random, Case *c, dp_int128 *value);

/* What is prepared for the draws is of one kind. */
struct Case
{
	Draw draw;
	dp_int128 p[PARAMETERS_MAX];
	int number;
	union
	{
		DpRealCoin coin;
		DpStaircase staircase;
		DpRankMechanism rank;
		DpResponse response;
		DpUnaryReport report;
		DpSelection selection;
		DpTwoStage two_stage;
		DpAboveThreshold walk;
		DpNoise noise;
	} of;
};

/* NULL: there is none of that name. */
extern Draw sampler_named(const char *name);

/* False where a sampler does not take the parameters. */
extern bool sampler_prepare(const char *name, Case *c);

#endif
