/*
 * questions.c
 *		The error of each of many counts that one grant pays for, by accountant.
 *
 * The grant is divided evenly: under pure each count has its part of epsilon, and
 * geometric noise, or Gaussian noise with its part of delta, too; under zcdp its
 * part of the rho that the grant is worth, and Gaussian noise.
 */
#include <math.h>

#include "figure.h"
#include "mechanisms/gaussian.h"
#include "mechanisms/zcdp.h"
#include "mechanisms/zcdp_grant.h"

#define DRAWS 2000000
#define DELTA 1e-6

/* So many in each power of ten up to 1000; measured at every fourth. */
#define PLACES_EACH 8
#define MEASURED_EACH 4

static double
draw_square(void *context)
{
	return pow(figure_draw(context), 2);
}

/* The root mean square of what is drawn. */
static Sample
measure(DpNoise *noise)
{
	Sample squares = {0};
	Sample root = {1, 0, 0};

	sample_measure(&squares, draw_square, noise, DRAWS);
	root.sum = sqrt(sample_mean(&squares));
	root.squares =
		pow(root.sum, 2) + pow(sample_error(&squares) / (2 * root.sum), 2);
	return root;
}

static double
geometric_error(double epsilon)
{
	double a = exp(-epsilon);

	return sqrt(2 * a) / (1 - a);
}

static DpRho
rho_of(double epsilon, double delta)
{
	DpRho rho;

	figure_check(dp_zcdp_of_grant(figure_epsilon(epsilon), delta, &rho));
	return rho;
}

/* Of one number that changes by 1. */
static DpNoise
gaussian_of_rho(DpRho rho)
{
	DpNoise noise = {.mechanism = DP_GAUSSIAN, .quantum = 1};

	figure_check(dp_gaussian_of_rho(rho, 1, &noise.sigma));
	return noise;
}

/* How one of so many counts is answered. */
typedef enum Way
{
	WAY_GEOMETRIC,
	WAY_GAUSSIAN,
	WAY_RHO
} Way;

static const char *const ways[] = {"pure geometric", "pure gaussian", "zcdp"};

static DpNoise
noise_of(Way way, int questions)
{
	DpMechanismChoice geometric = {.mechanism = DP_GEOMETRIC};
	DpMechanismChoice gaussian = {.mechanism = DP_GAUSSIAN,
								  .delta = DELTA / questions};

	if (way == WAY_RHO)
		return gaussian_of_rho((DpRho){rho_of(1, DELTA).ticks / questions});
	return figure_noise(way == WAY_GEOMETRIC ? geometric : gaussian,
						1.0 / questions, 1);
}

static double
theory(Way way, int questions, const DpNoise *noise)
{
	if (way == WAY_GEOMETRIC)
		return geometric_error(1.0 / questions);
	if (way == WAY_GAUSSIAN)
		return dp_sigma_to_double(noise->sigma);
	return sqrt(questions / (2 * (double) rho_of(1, DELTA).ticks * 1e-24));
}

static void
write_errors(void)
{
	Way way;
	int place;

	figure_open("many-questions", "questions");
	for (way = WAY_GEOMETRIC; way <= WAY_RHO; way++)
	{
		for (place = 0; place <= 3 * PLACES_EACH; place++)
		{
			int questions = (int) rint(pow(10, (double) place / PLACES_EACH));
			bool is_measured = place % MEASURED_EACH == 0;
			DpNoise noise = noise_of(way, questions);
			Sample sample;

			if (place == 1)
				continue; /* it is 1 again */
			if (is_measured)
				sample = measure(&noise);
			figure_row(ways[way], questions, theory(way, questions, &noise),
					   NAN, is_measured ? &sample : NULL);
		}
	}
	figure_close();
}

/* How many times less the error is under zcdp, in closed form. */
static void
write_gains(void)
{
	static const struct
	{
		const char *grant;
		double epsilon;
		double delta;
	} grants[] = {
		{"0.1", 0.1, 1e-5}, {"1", 1, 1e-6}, {"5", 5, 1e-6}, {"20", 20, 1e-6}};
	size_t i;
	int place;

	figure_open_columns("many-questions-gain", "questions,gain");
	for (i = 0; i < sizeof(grants) / sizeof(*grants); i++)
	{
		double rho =
			(double) rho_of(grants[i].epsilon, grants[i].delta).ticks * 1e-24;

		for (place = 0; place <= 60; place++)
		{
			double questions = pow(10, place / 20.0);
			double numbers[] = {questions,
								geometric_error(grants[i].epsilon / questions) /
									sqrt(questions / (2 * rho))};

			figure_numbers(grants[i].grant, numbers, 2);
		}
	}
	figure_close();
}

int
main(int argc, char **argv)
{
	figure_start(argc, argv);
	write_errors();
	write_gains();
	return 0;
}
