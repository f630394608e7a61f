/*
 * weighted_laplace.c
 *		Tails of two or three weighted Laplace numbers, in doubles.
 */
#include <math.h>

#include "mechanisms/weighted_laplace.h"

/* Weights differ by this factor at least; tails then err by less than SLACK. */
#define APART 1.001
#define SLACK 1e-8

/* Less than this tail is left to the bound. */
#define TAIL_LEAST 1e-6

/* The greatest relative error of the rest. */
#define ERROR 0x1p-46

static void
order(double *a, double *b)
{
	if (*a < *b)
	{
		double other = *a;

		*a = *b;
		*b = other;
	}
}

/* The weights from the greatest down, set apart. Returns how many are not 0. */
static int
set_apart(const double weights[3], double scales[3])
{
	int i;

	for (i = 0; i < 3; i++)
		scales[i] = fabs(weights[i]);
	order(&scales[0], &scales[1]);
	order(&scales[1], &scales[2]);
	order(&scales[0], &scales[1]);
	scales[1] = fmax(scales[1], scales[2] * APART);
	scales[0] = fmax(scales[0], scales[1] * APART);
	return scales[2] > 0 ? 3 : scales[1] > 0 ? 2 : 1;
}

/* The factors of exp(-x / scale). */
static void
find_factors(const double *scales, int count, double *factors)
{
	int i;
	int j;

	for (i = 0; i < count; i++)
	{
		factors[i] = 1;
		for (j = 0; j < count; j++)
		{
			double ratio = scales[j] / scales[i];

			if (j != i)
				factors[i] /= (1 - ratio) * (1 + ratio);
		}
	}
}

double
dp_weighted_width(DpTail of, const void *context, double tail,
				  const double weights[3], double most)
{
	double scales[3];
	double factors[3];
	double low = 0;
	double high = most;
	int count = set_apart(weights, scales);
	int round;

	if (!(scales[0] > 0))
		return 0;
	if (tail < TAIL_LEAST)
		return most;
	find_factors(scales, count, factors);
	for (round = 0; round < 24; round++)
	{
		double middle = (low + high) / 2;
		double sum = SLACK;
		int i;

		for (i = 0; i < count; i++)
			sum += factors[i] * of(context, middle / scales[i]);
		if (sum > tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double
laplace_tail(const void *context, double x)
{
	(void) context;
	return exp(-x);
}

double
dp_weighted_laplace_width(const DpNoise *noise, double tail,
						  const double weights[3], double sum)
{
	double width =
		dp_weighted_width(laplace_tail, NULL, tail, weights, -log(tail) * sum);

	return width * (1 + ERROR) * (double) noise->t / (double) noise->s + sum;
}
