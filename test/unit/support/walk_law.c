/*
 * walk_law.c
 *		The law of a walk: for each noise of the threshold, step by step.
 */
#include <math.h>

#include "support/walk_law.h"

void
walk_law(const DpAboveThreshold *walk, const uint64_t *counts, size_t n,
		 double *p)
{
	double e1 = (double) walk->s / (double) walk->t_threshold;
	double e2 = (double) walk->s / (double) walk->t_counts;
	int most = (int) ceil(60 / e1);
	int nu;
	size_t i;

	for (i = 0; i <= n; i++)
		p[i] = 0;
	for (nu = 0; nu <= most; nu++)
	{
		double here = -expm1(-e1) * exp(-e1 * nu);

		for (i = 0; i < n; i++)
		{
			double least = nu + (double) counts[i] - (double) walk->threshold;
			double stops = least <= 0 ? 1 : exp(-e2 * least);

			p[i] += here * stops;
			here *= least <= 0 ? 0 : -expm1(-e2 * least);
		}
		p[n] += here;
	}
}
