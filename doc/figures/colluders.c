/*
 * colluders.c
 *		What k people who asked the same question learn together, at epsilon 1.
 *
 * Their mean absolute error, in units of the sensitivity. Each got an
 * independent answer, or they hold levels of one chain from epsilon 1 down to
 * 1/2. "published": the trend of Chen, Pal, Golubchik, (16) to (18), as
 * planning/collusion.h reads it. "theory": the median's error exactly.
 */
#include <math.h>
#include <stdlib.h>

#include "figure.h"
#include "mechanisms/noise_step.h"

#define EPSILON 1.0
#define MOST 1001

/* At most so many answers are drawn, k for each sample. Errors of counts are
 * rare. */
#define COUNT_ANSWERS 100000000.0
#define SUM_ANSWERS 100000000.0

typedef struct Context
{
	DpNoise noise;
	double unit;  /* steps of the sensitivity */
	double gamma; /* of a staircase */
	int colluders;
	double answers; /* to be drawn at most */
} Context;

static void
draw_answers(const Context *c, double *answers)
{
	int i;

	for (i = 0; i < c->colluders; i++)
		answers[i] = figure_draw(&c->noise) / c->unit;
	qsort(answers, (size_t) c->colluders, sizeof(double), figure_compare);
}

/* The truth is 0, the number of answers odd. */
static double
draw_median(void *context)
{
	double answers[MOST];
	const Context *c = context;

	draw_answers(c, answers);
	return fabs(answers[c->colluders / 2]);
}

/****************************************************************************
 * The median's error in theory
 */

/* P(at least half of the k answers are beyond x), p: P(one is). */
static double
most_beyond(int k, double p)
{
	int j = (k + 1) / 2;
	double term = exp(lgamma(k + 1.0) - lgamma(j + 1.0) - lgamma(k - j + 1.0) +
					  j * log(p) + (k - j) * log1p(-p));
	double sum = 0;

	for (; j <= k && term > 0; j++)
	{
		sum += term;
		term *= (double) (k - j) / (j + 1) * p / (1 - p);
	}
	return sum;
}

static double
geometric_beyond(double alpha, double x)
{
	return pow(alpha, x) / (1 + alpha);
}

static double
laplace_beyond(double x)
{
	return exp(-EPSILON * x) / 2;
}

static double
staircase_beyond(double gamma, double x)
{
	double b = exp(-EPSILON);
	double height = (1 - b) / (2 * (gamma + b * (1 - gamma)));
	double stair = floor(x);
	double place = x - stair;
	double level = height * pow(b, stair);

	/* the rest of this stair, and half of b^(stair+1) */
	return pow(b, stair + 1) / 2 +
		   level * (fmax(gamma - place, 0) +
					b * fmin(1 - gamma, fmax(1 - place, 0)));
}

/* E|median|, twice the sum of P(median > x). */
static double
median_loss(DpMechanism mechanism, double gamma, int k)
{
	const int points = 20000;
	double width = 30 / (EPSILON * sqrt(k)) / points;
	double sum = 0;
	int i;

	if (mechanism == DP_GEOMETRIC)
	{
		for (i = 1; i < 100; i++)
			sum += 2 * most_beyond(k, geometric_beyond(exp(-EPSILON), i));
		return sum;
	}
	for (i = 0; i < points; i++)
	{
		double x = (i + 0.5) * width;

		sum += 2 * width *
			   most_beyond(k, mechanism == DP_LAPLACE
								  ? laplace_beyond(x)
								  : staircase_beyond(gamma, x));
	}
	return sum;
}

/****************************************************************************
 * The best attack on a staircase
 *
 * Without knowledge of the truth beforehand, the estimate of least mean
 * absolute error is the median of the likelihood exp(-epsilon S), where S is the
 * number of stairs between the answers and a candidate. S changes by one at
 * each answer +- (gamma + j).
 */

typedef struct Change
{
	double place;
	int by;
} Change;

static int
compare_changes(const void *a, const void *b)
{
	return figure_compare(&((const Change *) a)->place,
						  &((const Change *) b)->place);
}

/* Changes of S in from .. to, in order. */
static size_t
find_changes(const Context *c, const double *answers, double from, double to,
			 Change *changes)
{
	size_t count = 0;
	int i;

	for (i = 0; i < c->colluders; i++)
	{
		double near = fmax(from - answers[i], answers[i] - to);
		double far = fmax(to - answers[i], answers[i] - from);
		double distance = c->gamma + fmax(0, floor(fmax(near, 0) - c->gamma));

		for (; distance <= far; distance++)
		{
			if (answers[i] - distance > from && answers[i] - distance < to)
				changes[count++] = (Change){answers[i] - distance, -1};
			if (answers[i] + distance > from && answers[i] + distance < to)
				changes[count++] = (Change){answers[i] + distance, 1};
		}
	}
	qsort(changes, count, sizeof(Change), compare_changes);
	return count;
}

static double
draw_best(void *context)
{
	static Change changes[200000];
	double answers[MOST];
	const Context *c = context;
	double centre;
	double reach =
		30 / (EPSILON * c->colluders) + 12 / (EPSILON * sqrt(c->colluders));
	double half = 0;
	double sum;
	size_t count;
	size_t i;
	int least = 0;
	int pass;
	int s;

	draw_answers(c, answers);
	centre = answers[c->colluders / 2];
	count = find_changes(c, answers, centre - reach, centre + reach, changes);
	for (i = 0, s = 0; i < count; i++)
	{
		s += changes[i].by;
		least = s < least ? s : least;
	}

	/* First the whole likelihood, then where half of it is reached. */
	for (pass = 0; pass < 2; pass++)
	{
		double at = centre - reach;

		sum = 0;
		for (i = 0, s = 0; i <= count; i++)
		{
			double next = i < count ? changes[i].place : centre + reach;
			double density = exp(-EPSILON * (s - least));

			if (pass == 1 && sum + density * (next - at) >= half)
				return fabs(at + (half - sum) / density);
			sum += density * (next - at);
			at = next;
			if (i < count)
				s += changes[i].by;
		}
		half = sum / 2;
	}
	return fabs(centre);
}

/****************************************************************************
 * The chain
 */

static void
draw_chain(const Context *c, dp_int128 *values)
{
	DpMechanismChoice laplace = {.mechanism = DP_LAPLACE};
	DpNoise above;
	int i;

	for (i = 0; i < c->colluders; i++)
	{
		DpEpsilon level =
			figure_epsilon(EPSILON * (1 - 0.5 * i / c->colluders));
		DpNoise noise;
		DpNoiseStep step;

		figure_check(
			dp_noise_init(&noise, &laplace, level, (uint64_t) c->unit));
		if (i == 0)
			figure_check(dp_noise_draw(figure_random, &noise, &values[0]));
		else
		{
			figure_check(dp_noise_step_init(&step, &above, &noise));
			figure_check(dp_noise_step_draw(figure_random, &step, &values[i]));
			values[i] += values[i - 1];
		}
		above = noise;
	}
}

/* All that matters is the answer of the highest level. */
static double
draw_highest(void *context)
{
	dp_int128 values[MOST];
	const Context *c = context;

	draw_chain(c, values);
	return fabs((double) values[0]) / c->unit;
}

static double
draw_average(void *context)
{
	dp_int128 values[MOST];
	const Context *c = context;
	double sum = 0;
	int i;

	draw_chain(c, values);
	for (i = 0; i < c->colluders; i++)
		sum += (double) values[i] / c->unit;
	return fabs(sum / c->colluders);
}

/****************************************************************************
 * Tables
 */

static void
write_row(const char *name, Context *c, double theory, double published,
		  SampleDraw draw)
{
	Sample sample = {0};

	if (draw != NULL)
		sample_measure(&sample, draw, c,
					   (uint64_t) (c->answers / c->colluders));
	figure_row(name, c->colluders, theory, published,
			   draw != NULL ? &sample : NULL);
}

/* The trend: the loss of one answer times sqrt(2/(pi k)). */
static double
trend(int k, double loss)
{
	return loss * sqrt(2 / (acos(-1.0) * k));
}

static void
write_counts(void)
{
	static const int colluders[] = {1,	3,	5,	9,	15, 21,
									31, 41, 51, 61, 81, 101};
	Context c = {.unit = 1, .answers = COUNT_ANSWERS};
	double alpha = exp(-EPSILON);
	size_t i;

	c.noise = figure_noise((DpMechanismChoice){.mechanism = DP_GEOMETRIC},
						   EPSILON, 1);
	figure_open("colluders-count", "colluders");
	for (i = 0; i < sizeof(colluders) / sizeof(*colluders); i++)
	{
		c.colluders = colluders[i];
		write_row("geometric", &c, median_loss(DP_GEOMETRIC, 0, c.colluders),
				  trend(c.colluders, 2 * alpha / (1 - alpha * alpha)),
				  c.colluders <= 21 ? draw_median : NULL);
	}
	for (i = 0; i < sizeof(colluders) / sizeof(*colluders); i++)
	{
		c.colluders = colluders[i];
		write_row("chain", &c, 2 * alpha / (1 - alpha * alpha), NAN,
				  draw_highest);
	}
	for (i = 0; i < sizeof(colluders) / sizeof(*colluders); i++)
	{
		c.colluders = colluders[i];
		write_row("chain averaged", &c, NAN, NAN, draw_average);
	}
	figure_close();
}

static void
write_sums(void)
{
	static const int colluders[] = {1, 3, 11, 31, 101, 301, 1001};
	const size_t number = sizeof(colluders) / sizeof(*colluders);
	Context laplace = {.unit = (double) FIGURE_STEPS, .answers = SUM_ANSWERS};
	Context staircase = laplace;
	double alpha = exp(-EPSILON);
	size_t i;

	laplace.noise = figure_noise((DpMechanismChoice){.mechanism = DP_LAPLACE},
								 EPSILON, FIGURE_STEPS);
	staircase.noise = figure_noise(
		(DpMechanismChoice){.mechanism = DP_STAIRCASE}, EPSILON, FIGURE_STEPS);
	staircase.gamma =
		(double) staircase.noise.staircase.first_step / staircase.unit;
	figure_open("colluders-sum", "colluders");
	for (i = 0; i < number; i++)
	{
		laplace.colluders = colluders[i];
		write_row("Laplace", &laplace, median_loss(DP_LAPLACE, 0, colluders[i]),
				  trend(colluders[i], 1 / EPSILON), draw_median);
	}
	for (i = 0; i < number; i++)
	{
		staircase.colluders = colluders[i];
		write_row("staircase median", &staircase,
				  median_loss(DP_STAIRCASE, staircase.gamma, colluders[i]),
				  trend(colluders[i], sqrt(alpha) / (1 - alpha)), draw_median);
	}
	for (i = 0; i < number; i++)
	{
		staircase.colluders = colluders[i];
		staircase.answers = SUM_ANSWERS / 4;
		write_row("staircase best attack", &staircase, NAN, NAN, draw_best);
	}
	for (i = 0; i < number; i++)
	{
		laplace.colluders = colluders[i];
		write_row("chain", &laplace, 1 / EPSILON, NAN, draw_highest);
	}
	figure_close();
}

int
main(int argc, char **argv)
{
	figure_start(argc, argv);
	write_counts();
	write_sums();
	return 0;
}
