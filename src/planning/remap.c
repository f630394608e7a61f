/*
 * remap.c
 *		Posteriors over 0 .. n, and their medians, means and modes.
 */
#include <math.h>
#include <stdlib.h>

#include "planning/remap.h"

/*
 * Values count as tied up to this relative difference; otherwise rounding
 * errors of doubles would decide.
 */
#define TIE 1e-12

/* Answers that are less probable are left out. */
#define LEAST 1e-30

static double
posterior_median(const double *weights, int n)
{
	double total = 0;
	double below = 0;
	int x;

	for (x = 0; x <= n; x++)
		total += weights[x];
	for (x = 0; x < n; x++)
	{
		below += weights[x];
		if (below >= total / 2 * (1 - TIE))
			break;
	}
	return x;
}

static double
posterior_mean(const double *weights, int n)
{
	double total = 0;
	double sum = 0;
	int x;

	for (x = 0; x <= n; x++)
	{
		total += weights[x];
		sum += weights[x] * x;
	}
	return sum / total;
}

static double
posterior_mode(const double *weights, int n)
{
	int mode = 0;
	int x;

	for (x = 1; x <= n; x++)
	{
		if (weights[x] * (1 - TIE) > weights[mode])
			mode = x;
	}
	return mode;
}

/* The best guess under such weights, which are not all 0. */
static double
best_guess(DpLoss loss, const double *weights, int n)
{
	switch (loss)
	{
		case DP_LOSS_ABSOLUTE:
			return posterior_median(weights, n);
		case DP_LOSS_SQUARED:
			return posterior_mean(weights, n);
		default:
			return posterior_mode(weights, n);
	}
}

DpStatus
dp_remap_answer(const DpCountLaw *law, DpLoss loss, const double *prior,
				double answer, double *guess)
{
	double position = dp_count_law_position(law, answer);
	double greatest = -INFINITY;
	double *weights = malloc(((size_t) law->n + 1) * sizeof(double));
	int x;

	if (weights == NULL)
		return DP_OUT_OF_MEMORY;

	/* In logarithms, since all of these probabilities may be 0 in doubles. */
	for (x = 0; x <= law->n; x++)
	{
		weights[x] = prior[x] > 0 ? log(prior[x]) +
										dp_count_law_log_pmf(law, x, position)
								  : -INFINITY;
		greatest = fmax(greatest, weights[x]);
	}
	for (x = 0; x <= law->n; x++)
		weights[x] = exp(weights[x] - greatest);
	*guess = best_guess(loss, weights, law->n);
	free(weights);
	return DP_OK;
}

/*
 * Under geometric noise all positions beyond one end have the same posterior:
 * that of the end itself when answers are clamped.
 */
static DpCountLaw
as_informative(const DpCountLaw *law)
{
	DpCountLaw same = *law;

	if (law->noise.mechanism == DP_GEOMETRIC && !law->clamped)
	{
		same.clamped = true;
		same.last = (int) fmax(dp_count_law_start(law, law->n), 1);
	}
	return same;
}

/* How far beyond the ends answers are considered. */
static int
reach(const DpCountLaw *law)
{
	double high = 1;
	double low = 0;

	if (law->clamped)
		return 0;
	while (high <= DP_REMAP_MAX && dp_noise_law_tail(&law->noise, high) > LEAST)
		high *= 2;
	if (high > DP_REMAP_MAX)
		return DP_REMAP_MAX;
	while (high - low > 1)
	{
		double middle = floor((low + high) / 2);

		if (dp_noise_law_tail(&law->noise, middle) > LEAST)
			low = middle;
		else
			high = middle;
	}
	return (int) high;
}

int
dp_remap_answers(const DpCountLaw *law)
{
	DpCountLaw same = as_informative(law);
	int beyond = reach(&same);

	if (beyond >= (DP_REMAP_MAX - same.last) / 2)
		return DP_REMAP_MAX + 1;
	return same.last + 1 + 2 * beyond;
}

DpStatus
dp_remap_loss(const DpCountLaw *law, DpLoss loss, const double *prior,
			  double *result)
{
	DpCountLaw same = as_informative(law);
	int beyond = reach(&same);
	double *weights = malloc(((size_t) law->n + 1) * sizeof(double));
	double total = 0;
	DpCountTable table;
	int i;
	int x;

	if (weights == NULL)
		return DP_OUT_OF_MEMORY;
	if (dp_count_table_init(&table, &same, same.last + beyond) != DP_OK)
	{
		free(weights);
		return DP_OUT_OF_MEMORY;
	}
	*result = 0;
	for (x = 0; x <= law->n; x++)
		total += prior[x];
	for (i = -beyond; i <= same.last + beyond; i++)
	{
		double sum = 0;
		double guess;

		for (x = 0; x <= law->n; x++)
		{
			int start = (int) dp_count_law_start(&same, x);

			weights[x] =
				prior[x] / total * dp_count_table_pmf(&table, &same, start, i);
			sum += weights[x];
		}
		if (!(sum > 0))
			continue;
		guess = best_guess(loss, weights, law->n);
		for (x = 0; x <= law->n; x++)
			*result += weights[x] * dp_loss_between(loss, guess, x);
	}
	dp_count_table_free(&table);
	free(weights);
	return DP_OK;
}
