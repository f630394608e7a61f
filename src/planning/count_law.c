/*
 * count_law.c
 *		Positions, and their probabilities.
 */
#include <math.h>
#include <stdlib.h>

#include "core/grid.h"
#include "planning/count_law.h"

/*
 * The greatest distance of an answer that is considered: doubles hold it
 * exactly.
 */
#define FARTHEST 1e9

/*
 * Integer noise of that sensitivity, or noise on a grid of steps
 * sensitivity/2^40.
 */
static DpStatus
prepare(DpNoise *noise, const DpMechanismChoice *choice, double epsilon,
		double sensitivity, double *step)
{
	DpEpsilon rounded;
	double steps = ldexp(1, DP_GRID_BITS);

	DP_TRY(dp_epsilon_from_double(epsilon, &rounded));
	if (!(sensitivity > 0 && sensitivity <= DP_COUNT_SENSITIVITY_MAX))
		return DP_SENSITIVITY_OUT_OF_RANGE;
	*step = sensitivity / steps;
	if (dp_mechanism_is_integer(choice->mechanism))
	{
		if (sensitivity != rint(sensitivity))
			return DP_SENSITIVITY_OUT_OF_RANGE;
		steps = sensitivity;
		*step = 1;
	}
	return dp_noise_init(noise, choice, rounded, (uint64_t) steps);
}

/* Geometric noise among levels, where two answers may be so far apart. */
static DpStatus
init_levels(DpCountLaw *law, const DpMechanismChoice *choice, double epsilon,
			double sensitivity)
{
	DpMechanismChoice geometric = {.mechanism = DP_GEOMETRIC};
	double parts = choice->levels - 1;
	double apart = fmin(ceil(sensitivity * parts / law->n), parts);
	DpNoise noise;
	double step;

	if (!(sensitivity > 0))
		return DP_SENSITIVITY_OUT_OF_RANGE;
	DP_TRY(prepare(&noise, &geometric, epsilon, apart, &step));
	dp_noise_law_init(&law->noise, &noise, epsilon, 1);
	law->levels = law->clamped = true;
	law->last = (int) parts;
	law->spacing = law->n / parts;
	return DP_OK;
}

DpStatus
dp_count_law_init(DpCountLaw *law, const DpMechanismChoice *choice,
				  double epsilon, double sensitivity, int n)
{
	DpNoise noise;
	double step;

	*law = (DpCountLaw){.n = n, .spacing = 1};
	if (choice->mechanism == DP_TWO_STAGE)
		return init_levels(law, choice, epsilon, sensitivity);
	DP_TRY(prepare(&noise, choice, epsilon, sensitivity, &step));
	dp_noise_law_init(&law->noise, &noise, epsilon, step);
	law->spacing = (double) noise.quantum;
	law->clamped = choice->truncated;
	law->last = (int) ceil(n / law->spacing);
	return DP_OK;
}

/* Halves are rounded up, as in dp_noise_add and dp_two_stage_draw. */
double
dp_count_law_start(const DpCountLaw *law, int x)
{
	if (law->levels)
		return floor((2.0 * law->last * x + law->n) / (2.0 * law->n));
	return floor((x + floor(law->spacing / 2)) / law->spacing);
}

double
dp_count_law_value(const DpCountLaw *law, double i)
{
	if (!law->clamped)
		return i * law->spacing;
	if (law->levels)
		return i * law->n / law->last;
	return fmin(i * law->spacing, law->n);
}

double
dp_count_law_position(const DpCountLaw *law, double answer)
{
	double i = floor(answer / law->spacing + 0.5);

	if (!law->clamped)
		return fmin(fmax(i, -FARTHEST), FARTHEST);
	i = fmin(fmax(i, 0), law->last);

	/* The last position may be nearer to the one before it. */
	if (i == law->last - 1 && fabs(answer - dp_count_law_value(law, i)) >=
								  fabs(answer - dp_count_law_value(law, i + 1)))
		i++;
	return i;
}

double
dp_count_law_log_pmf(const DpCountLaw *law, int x, double i)
{
	double start = dp_count_law_start(law, x);
	double d = fabs(i - start);

	/* The ends collect all that lies beyond them. */
	if (law->clamped && (i == 0 || i == law->last))
		return d > 0 ? dp_noise_law_log_tail(&law->noise, d)
					 : log1p(-dp_noise_law_tail(&law->noise, 1));
	return dp_noise_law_log_pmf(&law->noise, d);
}

DpStatus
dp_count_table_init(DpCountTable *table, const DpCountLaw *law, int farthest)
{
	size_t size = (size_t) farthest + 1;
	int d;

	table->pmf = malloc(2 * size * sizeof(double));
	if (table->pmf == NULL)
		return DP_OUT_OF_MEMORY;
	table->tail = table->pmf + size;
	table->pmf[0] = dp_noise_law_pmf(&law->noise, 0);
	table->tail[0] = 1 - dp_noise_law_tail(&law->noise, 1);
	for (d = 1; d <= farthest; d++)
	{
		table->pmf[d] = dp_noise_law_pmf(&law->noise, d);
		table->tail[d] = dp_noise_law_tail(&law->noise, d);
	}
	return DP_OK;
}

void
dp_count_table_free(DpCountTable *table)
{
	free(table->pmf);
}

double
dp_count_table_pmf(const DpCountTable *table, const DpCountLaw *law, int start,
				   int i)
{
	if (law->clamped && (i == 0 || i == law->last))
		return table->tail[abs(i - start)];
	return table->pmf[abs(i - start)];
}
