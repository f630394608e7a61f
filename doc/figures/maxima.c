/*
 * maxima.c
 *		Loss of a maximum against alpha, for each mechanism of dp_max.
 *
 * The maximum of 1000 standard normal values in [-10, 10]. Losses are mean
 * absolute errors in units of the sensitivity, the span of 20, over fixed data
 * sets; the theory is of the same ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "mechanisms/extreme.h"

#define DRAWS 3000000
#define ALPHAS 49
#define MEASURED_EACH 5
#define BOUND 10.0
#define ROWS 1000
#define SETS 50

static int64_t sets[SETS][ROWS]; /* grid points, descending */
static DpGrid grid;

typedef struct Row
{
	const char *name;
	DpMechanismChoice choice;
} Row;

static const Row rows[] = {
	{"Laplace clamped", {.mechanism = DP_LAPLACE}},
	{"staircase clamped", {.mechanism = DP_STAIRCASE}},
	{"two_stage", {.mechanism = DP_TWO_STAGE, .levels = 3}},
	{"exponential", {.mechanism = DP_EXPONENTIAL, .rank = -1}},
	{"above_threshold", {.mechanism = DP_ABOVE_THRESHOLD}}};

static void
make_sets(void)
{
	int s;
	int v;

	figure_check(dp_grid_for_doubles(-BOUND, BOUND, DP_GRID_SPAN, &grid));
	for (s = 0; s < SETS; s++)
	{
		double data[ROWS];

		for (v = 0; v < ROWS; v++)
			data[v] = figure_normal();
		qsort(data, ROWS, sizeof(double), figure_compare);
		for (v = 0; v < ROWS; v++)
			sets[s][v] = dp_grid_from_double(&grid, data[ROWS - 1 - v]);
	}
}

typedef struct Context
{
	DpExtreme extreme;
	double epsilon;
	int next; /* data set */
} Context;

static double
draw_loss(void *context)
{
	Context *c = context;
	const int64_t *set = sets[c->next];
	size_t count = c->extreme.limit < ROWS ? c->extreme.limit : ROWS;
	int64_t values[ROWS];
	int64_t answer;

	c->next = (c->next + 1) % SETS;
	memcpy(values, set, count * sizeof(int64_t));
	figure_check(dp_extreme_draw(figure_random, &c->extreme, values, count,
								 grid.lower, grid.upper, &answer));
	return fabs((double) (answer - set[0])) / (double) c->extreme.span;
}

/****************************************************************************
 * Theory, of one data set
 */

/* E min(|X|, room) at one side: the sum of P(X > x) up to the bound. */
static double
loss_of_laplace(const Context *c, double room)
{
	return -expm1(-c->epsilon * room) / (2 * c->epsilon);
}

/* room: in units of the span, at most 1. */
static double
loss_of_staircase(const Context *c, double room)
{
	double b = exp(-c->epsilon);
	double gamma = (double) c->extreme.noise.staircase.first_step /
				   (double) c->extreme.span;
	double height = (1 - b) / (2 * (gamma + b * (1 - gamma)));
	double first = fmin(room, gamma);
	double second = fmax(room - gamma, 0);

	return 0.5 * first - height * first * first / 2 +
		   (0.5 - height * gamma) * second - b * height * second * second / 2;
}

static double
loss_of_two_stage(const Context *c, double truth)
{
	uint64_t from = (uint64_t) floor(2 * truth + 0.5);
	double loss = 0;
	uint64_t to;

	for (to = 0; to < 3; to++)
		loss += dp_two_stage_pmf(&c->extreme.two_stage, from, to) *
				fabs((double) to / 2 - truth);
	return loss;
}

static double
loss_of_exponential(const Context *c, const int64_t *set)
{
	static DpRankPiece pieces[2 * ROWS + 2];
	const DpRankMechanism *ranks = &c->extreme.ranks;
	int64_t values[ROWS];
	double weights = 0;
	double loss = 0;
	size_t count;
	size_t i;

	memcpy(values, set, sizeof(values));
	count =
		dp_rank_pieces(ranks, (ROWS - c->extreme.rank) * DP_RANK_ONE, values,
					   ROWS, grid.lower, grid.upper, pieces, 2 * ROWS + 2);
	for (i = 0; i < count; i++)
	{
		double weight =
			(double) pieces[i].points * exp(-c->epsilon * (double) pieces[i].k /
											(2 * (double) ranks->sensitivity));
		double middle =
			(double) pieces[i].start + ((double) pieces[i].points - 1) / 2;

		weights += weight;
		loss += weight * fabs(middle - (double) set[0]);
	}
	return loss / weights / (double) c->extreme.span;
}

/* Over these numbers of values above the marks, with that noise of the threshold. */
static double
loss_of_walk(const DpExtreme *extreme, const double *above, double noise,
			 int64_t greatest)
{
	double e2 = (double) extreme->walk.s / (double) extreme->walk.t_counts;
	double left = 1; /* not stopped yet */
	double loss = 0;
	int steps = (int) extreme->steps;
	int i;

	for (i = 0; i <= steps && left > 1e-9; i++)
	{
		double excess =
			i == steps ? 0
					   : above[i] + noise - (double) extreme->walk.threshold;
		double stops = excess <= 0 ? 1 : exp(-e2 * excess);
		double mark = (double) grid.lower + (double) extreme->span * i / steps;

		loss += left * stops * fabs(mark - (double) greatest);
		left *= 1 - stops;
	}
	return loss;
}

static double
loss_of_above_threshold(const Context *c, const int64_t *set)
{
	const DpExtreme *extreme = &c->extreme;
	double e1 = (double) extreme->walk.s / (double) extreme->walk.t_threshold;
	double above[DP_EXTREME_STEPS];
	double loss = 0;
	double noise;
	uint64_t i;

	for (i = 0; i < extreme->steps; i++)
	{
		int64_t mark =
			grid.lower + (int64_t) (extreme->span * i / extreme->steps);
		int v = 0;

		while (v < ROWS && set[v] > mark)
			v++;
		above[i] = fmin(v, (double) extreme->limit);
	}
	for (noise = 0; noise <= ceil(16 / e1); noise++)
		loss += -expm1(-e1) * exp(-e1 * noise) *
				loss_of_walk(extreme, above, noise, set[0]);
	return loss / (double) extreme->span;
}

static double
theory(const Context *c)
{
	double loss = 0;
	int s;

	for (s = 0; s < SETS; s++)
	{
		const int64_t *set = sets[s];
		double truth =
			(double) (set[0] - grid.lower) / (double) c->extreme.span;

		switch (c->extreme.mechanism)
		{
			case DP_EXPONENTIAL:
				loss += loss_of_exponential(c, set);
				break;
			case DP_ABOVE_THRESHOLD:
				loss += loss_of_above_threshold(c, set);
				break;
			case DP_TWO_STAGE:
				loss += loss_of_two_stage(c, truth);
				break;
			case DP_STAIRCASE:
				loss += loss_of_staircase(c, truth) +
						loss_of_staircase(c, 1 - truth);
				break;
			default:
				loss +=
					loss_of_laplace(c, truth) + loss_of_laplace(c, 1 - truth);
				break;
		}
	}
	return loss / SETS;
}

int
main(int argc, char **argv)
{
	size_t row;
	int i;

	figure_start(argc, argv);
	make_sets();
	figure_open("loss-max", "alpha");
	for (row = 0; row < sizeof(rows) / sizeof(*rows); row++)
	{
		for (i = 1; i <= ALPHAS; i++)
		{
			double alpha = i / (ALPHAS + 1.0);
			Context context = {.epsilon = -log(alpha)};
			Sample sample = {0};

			figure_check(
				dp_extreme_init(&context.extreme, &rows[row].choice,
								figure_epsilon(context.epsilon), &grid,
								dp_contribution_of_row(DP_ADD_REMOVE)));
			if (i % MEASURED_EACH == 0)
				sample_measure(&sample, draw_loss, &context, DRAWS);
			figure_row(rows[row].name, alpha, theory(&context), NAN,
					   sample.count > 0 ? &sample : NULL);
		}
	}
	figure_close();
	return 0;
}
