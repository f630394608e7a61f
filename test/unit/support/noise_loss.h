/*
 * noise_loss.h
 *		The privacy loss of additive noise, by enumeration.
 */
#ifndef NOISE_LOSS_H
#define NOISE_LOSS_H

#include <math.h>

#include "mechanisms/noise.h"

/*
 * The greatest ln P(z)/P(z - d) of noise over |d| <= change and z far beyond
 * all that matters.
 */
static inline double
noise_loss(const DpNoise *noise, int64_t change)
{
	double worst = 0;
	int64_t z;
	int64_t d;

	for (z = -60; z <= 60; z++)
	{
		for (d = -change; d <= change; d++)
			worst = fmax(worst, log(dp_noise_pmf(noise, (double) z) /
									dp_noise_pmf(noise, (double) (z - d))));
	}
	return worst;
}

#endif
