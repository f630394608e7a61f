/*
 * loss.c
 *		Expected loss against alpha = exp(-epsilon), and what a staircase gains.
 *
 * Losses are mean absolute errors in units of the sensitivity. Numbers in
 * parentheses are the formulas of Chen, Pal, Golubchik.
 */
#include <math.h>

#include "figure.h"
#include "mechanisms/staircase_shape.h"

#define DRAWS 60000000

/* Dense for the curves; measured at every fifth. */
#define ALPHAS 49
#define MEASURED_EACH 5

typedef struct Context
{
	DpNoise noise;
	double unit;  /* steps of the sensitivity */
	bool rounded; /* to a multiple of the unit */
	bool square;
} Context;

static double
draw_loss(void *context)
{
	const Context *c = context;
	double x = fabs(figure_draw(&c->noise)) / c->unit;

	if (c->rounded)
		x = rint(x);
	return c->square ? x * x : x;
}

static double
laplace(double alpha)
{
	return -1 / log(alpha); /* (11) */
}

static double
staircase(double alpha)
{
	return sqrt(alpha) / (1 - alpha); /* (12) */
}

static double
geometric(double alpha)
{
	return 2 * alpha / (1 - alpha * alpha); /* (13) */
}

static double
laplace_rounded(double alpha)
{
	return sqrt(alpha) / (1 - alpha); /* (14) */
}

static double
staircase_rounded(double alpha)
{
	return (1 - pow(1 - sqrt(alpha), 2) / 2) * staircase(alpha); /* (15) */
}

typedef struct Count
{
	const char *name;
	DpMechanism mechanism;
	uint64_t sensitivity;
	bool rounded;
	double (*theory)(double alpha);
} Count;

static const Count counts[] = {
	{"Laplace", DP_LAPLACE, FIGURE_STEPS, false, laplace},
	{"Laplace rounded", DP_LAPLACE, FIGURE_STEPS, true, laplace_rounded},
	{"staircase", DP_STAIRCASE, FIGURE_STEPS, false, staircase},
	{"staircase rounded", DP_STAIRCASE, FIGURE_STEPS, true, staircase_rounded},
	{"geometric", DP_GEOMETRIC, 1, false, geometric}};

static void
write_counts(void)
{
	size_t row;
	int i;

	figure_open("loss-count", "alpha");
	for (row = 0; row < sizeof(counts) / sizeof(*counts); row++)
	{
		const Count *count = &counts[row];

		for (i = 1; i <= ALPHAS; i++)
		{
			double alpha = i / (ALPHAS + 1.0);
			Sample sample = {0};

			if (i % MEASURED_EACH == 0)
			{
				Context context = {
					figure_noise(
						(DpMechanismChoice){.mechanism = count->mechanism},
						-log(alpha), count->sensitivity),
					(double) count->sensitivity, count->rounded, false};

				sample_measure(&sample, draw_loss, &context, DRAWS);
			}
			figure_row(count->name, alpha, count->theory(alpha), NAN,
					   sample.count > 0 ? &sample : NULL);
		}
	}
	figure_close();
}

/*
 * E|X|^p of Laplace noise by that of the staircase that makes it least, for
 * p = 1 (amplitude) and 2 (power).
 */
static void
write_gains(void)
{
	static const char *const names[2] = {"amplitude", "power"};
	double steps = (double) FIGURE_STEPS;
	int p;
	int i;

	figure_open("staircase-gain", "epsilon");
	for (p = 0; p < 2; p++)
	{
		DpCost cost = p == 0 ? DP_COST_ABSOLUTE : DP_COST_SQUARED;

		for (i = 1; i <= 40; i++)
		{
			double epsilon = i / 4.0;
			double first = dp_staircase_best_step(steps, epsilon, cost);
			double loss =
				p == 0
					? dp_staircase_mean_absolute(steps, first, epsilon) / steps
					: dp_staircase_mean_square(steps, first, epsilon) /
						  (steps * steps);
			double before = p == 0 ? 1 / epsilon : 2 / (epsilon * epsilon);
			Context context = {.unit = steps, .square = p == 1};
			Sample sample = {0};
			Sample ratio;

			if (i % 4 != 0)
			{
				figure_row(names[p], epsilon, before / loss, NAN, NULL);
				continue;
			}
			context.noise = figure_noise(
				(DpMechanismChoice){.mechanism = DP_STAIRCASE, .cost = cost},
				epsilon, FIGURE_STEPS);
			sample_measure(&sample, draw_loss, &context, DRAWS);

			/* before / mean, with a standard error in the same proportion */
			ratio = (Sample){1, before / sample_mean(&sample), 0};
			ratio.squares =
				ratio.sum * ratio.sum *
				(1 + pow(sample_error(&sample) / sample_mean(&sample), 2));
			figure_row(names[p], epsilon, before / loss,
					   epsilon == 10 ? (p == 0 ? 15 : 23) : NAN, &ratio);
		}
	}
	figure_close();
}

int
main(int argc, char **argv)
{
	figure_start(argc, argv);
	write_counts();
	write_gains();
	return 0;
}
