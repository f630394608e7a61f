/*
 * means.c
 *		Loss of a mean against alpha, with and without two stages; and the root
 *		mean square error of dp_mean beside two common ways.
 *
 * What is compared with dp_noise is a plain implementation in doubles, here and
 * only here.
 */
#include <math.h>
#include <stdlib.h>

#include "figure.h"
#include "mechanisms/mean.h"
#include "mechanisms/staircase_shape.h"

#define DRAWS 20000000
#define ALPHAS 49
#define MEASURED_EACH 5

/*
 * A mean of values in [-10, 10] of which nothing is known but what one row may
 * change: half of the span, 10. Losses are in units of that.
 */
#define HALF 10.0

/* Where the true mean is thought to be. */
typedef enum Prior
{
	PRIOR_NORMAL, /* standard normal: near the level 0 */
	PRIOR_UNIFORM /* anywhere between the bounds */
} Prior;

static double
draw_truth(Prior prior)
{
	if (prior == PRIOR_UNIFORM)
		return HALF * (2 * drand48() - 1);
	return fmin(fmax(figure_normal(), -HALF), HALF);
}

/* The expectation of what f says of a truth, by the midpoint rule. */
static double
expect(Prior prior, double (*f)(double truth, const void *context),
	   const void *context)
{
	const int points = 4000;
	double sum = 0;
	double weights = 0;
	int i;

	for (i = 0; i < points; i++)
	{
		double truth = HALF * ((2 * i + 1.0) / points - 1);
		double weight = prior == PRIOR_NORMAL ? exp(-truth * truth / 2) : 1;

		sum += weight * f(truth, context);
		weights += weight;
	}
	return sum / weights;
}

/****************************************************************************
 * Loss against alpha
 */

typedef enum Way
{
	WAY_NOISE,	 /* on the mean itself */
	WAY_CLAMPED, /* the same, clamped to the bounds */
	WAY_TWO_STAGE,
	WAY_DP_MEAN /* of so many rows */
} Way;

typedef struct Loss
{
	const char *name;
	Way way;
	DpMechanism mechanism;
	Prior prior;
	int rows;
} Loss;

static const Loss losses[] = {
	{"Laplace", WAY_NOISE, DP_LAPLACE, PRIOR_NORMAL, 0},
	{"staircase", WAY_NOISE, DP_STAIRCASE, PRIOR_NORMAL, 0},
	{"staircase clamped", WAY_CLAMPED, DP_STAIRCASE, PRIOR_NORMAL, 0},
	{"two_stage", WAY_TWO_STAGE, DP_TWO_STAGE, PRIOR_NORMAL, 0},
	{"two_stage with the mean anywhere", WAY_TWO_STAGE, DP_TWO_STAGE,
	 PRIOR_UNIFORM, 0},
	{"dp_mean of 10 rows", WAY_DP_MEAN, DP_LAPLACE, PRIOR_NORMAL, 10},
	{"dp_mean of 100 rows", WAY_DP_MEAN, DP_LAPLACE, PRIOR_NORMAL, 100}};

typedef struct Context
{
	const Loss *loss;
	double epsilon;
	double first_step; /* of the staircase */
	DpNoise noise;
	DpTwoStage two_stage;
	DpMean mean;
} Context;

static double
draw_loss(void *context)
{
	Context *c = context;
	double truth = draw_truth(c->loss->prior);
	double answer = 0;

	switch (c->loss->way)
	{
		case WAY_NOISE:
		case WAY_CLAMPED:
			answer =
				truth + HALF * figure_draw(&c->noise) / (double) FIGURE_STEPS;
			if (c->loss->way == WAY_CLAMPED)
				answer = fmin(fmax(answer, -HALF), HALF);
			break;
		case WAY_TWO_STAGE:
		{
			uint64_t level;

			figure_check(
				dp_two_stage_draw(figure_random, &c->two_stage,
								  (dp_int128) rint((truth / HALF + 1) / 2 *
												   (double) FIGURE_STEPS),
								  FIGURE_STEPS, &level));
			answer = HALF * ((double) level - 1);
			break;
		}
		case WAY_DP_MEAN:
		{
			double sum = c->loss->rows * (truth / HALF + 1) / 2;
			DpFraction fraction;

			figure_check(
				dp_mean_draw(figure_random, &c->mean,
							 (dp_int128) rint(sum * (double) c->mean.span),
							 c->loss->rows, &fraction));
			answer = HALF * (2 * (double) fraction.numerator /
								 (double) fraction.denominator -
							 1);
			break;
		}
	}
	return fabs(answer - truth) / HALF;
}

/* E|clamp(t + X) - t|: the sum of P(X >= x) as far as each bound. */
static double
clamped_loss(double truth, const void *context)
{
	const Context *c = context;
	double b = exp(-c->epsilon);
	double gamma = c->first_step / (double) FIGURE_STEPS;
	double height = (1 - b) / (2 * (gamma + b * (1 - gamma)));
	double tail = 0.5; /* P(X >= start of the stair) */
	double loss = 0;
	int side;
	int stair;

	for (side = -1; side <= 1; side += 2)
	{
		double room = 1 - side * truth / HALF; /* less than 2 */
		double level = height;

		tail = 0.5;
		for (stair = 0; stair < 4; stair++)
		{
			/* Stairs of widths gamma, 1, 1, ...: each b times as high. */
			double from = stair == 0 ? 0 : gamma + stair - 1;
			double to = fmin(gamma + stair, room);
			double width = fmax(to - from, 0);

			loss += tail * width - level * width * width / 2;
			tail -= level * (stair == 0 ? gamma : 1);
			level *= b;
		}
	}
	return loss;
}

static double
two_stage_loss(double truth, const void *context)
{
	const Context *c = context;
	uint64_t from = (uint64_t) floor(truth / HALF + 1.5);
	double loss = 0;
	uint64_t to;

	for (to = 0; to < 3; to++)
		loss += dp_two_stage_pmf(&c->two_stage, from, to) *
				fabs((double) to - 1 - truth / HALF);
	return loss;
}

static double
theory(const Context *c, double alpha)
{
	switch (c->loss->way)
	{
		case WAY_NOISE:
			return c->loss->mechanism == DP_LAPLACE ? -1 / log(alpha)
													: sqrt(alpha) / (1 - alpha);
		case WAY_CLAMPED:
			return expect(c->loss->prior, clamped_loss, c);
		case WAY_TWO_STAGE:
			return expect(c->loss->prior, two_stage_loss, c);
		default:
			return NAN;
	}
}

static void
prepare(Context *c, const Loss *loss, double epsilon)
{
	DpMechanismChoice choice = {.mechanism = loss->mechanism, .levels = 3};
	DpGrid grid;

	*c = (Context){.loss = loss, .epsilon = epsilon};
	switch (loss->way)
	{
		case WAY_NOISE:
		case WAY_CLAMPED:
			c->noise = figure_noise(choice, epsilon, FIGURE_STEPS);
			c->first_step = (double) c->noise.staircase.first_step;
			break;
		case WAY_TWO_STAGE:
			figure_check(dp_two_stage_init(&c->two_stage, &choice,
										   figure_epsilon(epsilon), true));
			break;
		case WAY_DP_MEAN:
			figure_check(dp_grid_for_doubles(-HALF, HALF, DP_GRID_SPAN, &grid));
			figure_check(dp_mean_init(&c->mean, &choice,
									  figure_epsilon(epsilon), &grid,
									  dp_contribution_of_row(DP_ADD_REMOVE)));
			break;
	}
}

static void
write_losses(void)
{
	size_t row;
	int i;

	figure_open("loss-mean", "alpha");
	for (row = 0; row < sizeof(losses) / sizeof(*losses); row++)
	{
		for (i = 1; i <= ALPHAS; i++)
		{
			double alpha = i / (ALPHAS + 1.0);
			Sample sample = {0};
			Context context;

			prepare(&context, &losses[row], -log(alpha));
			if (i % MEASURED_EACH == 0 || i == 1 || i == ALPHAS)
				sample_measure(&sample, draw_loss, &context, DRAWS);
			else if (losses[row].way == WAY_DP_MEAN)
				continue;
			figure_row(losses[row].name, alpha, theory(&context, alpha), NAN,
					   sample.count > 0 ? &sample : NULL);
		}
	}
	figure_close();
}

/****************************************************************************
 * Three ways to a mean of 1000 values in [0, 1] at epsilon 1
 */

#define ROWS 1000

typedef struct MeanContext
{
	int way;
	double truth;
	const DpMean *mean;
} MeanContext;

static double
naive_laplace(double scale)
{
	double size = -scale * log(1 - drand48());

	return drand48() < 0.5 ? -size : size;
}

/* The error of all three depends on the values only through their mean. */
static double
draw_square(void *context)
{
	const MeanContext *c = context;
	DpFraction fraction;
	double answer;

	switch (c->way)
	{
		case 0: /* half of epsilon each for the sum and the count */
			answer = (ROWS * c->truth + naive_laplace(2)) /
					 (ROWS + naive_laplace(2));
			break;
		case 1: /* the same with the sum of x - 1/2 */
			answer = 0.5 + (ROWS * (c->truth - 0.5) + naive_laplace(1)) /
							   (ROWS + naive_laplace(2));
			break;
		default:
			figure_check(dp_mean_draw(
				figure_random, c->mean,
				(dp_int128) rint(ROWS * c->truth * (double) c->mean->span),
				ROWS, &fraction));
			answer =
				(double) fraction.numerator / (double) fraction.denominator;
			break;
	}
	return pow(fmin(fmax(answer, 0), 1) - c->truth, 2);
}

/*
 * From the variances, to first order in 1/n: the noise of the two sums, and
 * what a wrong count makes of the (centred) sum.
 */
static double
first_order(int way, double p)
{
	double unit = sqrt(2.0) / ROWS;

	switch (way)
	{
		case 0:
			return unit * 2 * hypot(1, p);
		case 1:
			return unit * hypot(1, 2 * (p - 0.5));
		default:
			return unit * hypot(p, 1 - p);
	}
}

static void
write_errors(void)
{
	static const char *const names[3] = {"split budget", "centred sum",
										 "dp_mean"};
	DpMechanismChoice automatic = {.mechanism = DP_AUTO};
	DpGrid grid;
	DpMean mean;
	int way;
	int i;

	figure_check(dp_grid_for_doubles(0, 1, DP_GRID_SPAN, &grid));
	figure_check(dp_mean_init(&mean, &automatic, figure_epsilon(1), &grid,
							  dp_contribution_of_row(DP_ADD_REMOVE)));
	figure_open("mean-error", "true_mean");
	for (way = 0; way < 3; way++)
	{
		for (i = 1; i <= 19; i++)
		{
			MeanContext context = {way, i / 20.0, &mean};
			Sample squares = {0};
			Sample root = {1, 0, 0};

			sample_measure(&squares, draw_square, &context, DRAWS);
			root.sum = sqrt(sample_mean(&squares));
			root.squares = pow(root.sum, 2) +
						   pow(sample_error(&squares) / (2 * root.sum), 2);
			figure_row(names[way], context.truth,
					   first_order(way, context.truth), NAN, &root);
		}
	}
	figure_close();
}

int
main(int argc, char **argv)
{
	figure_start(argc, argv);
	write_losses();
	write_errors();
	return 0;
}
