/*
 * sample.h
 *		Draws of signed integers, counted into cells.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "core/int128.h"
#include "random/source.h"
#include "support/statistic.h"

/* One draw of the distribution that context describes. */
typedef DpStatus (*SampleDraw)(DpRandom *random, const void *context,
							   dp_int128 *value);

/* P(value <= z) of it. */
typedef double (*SampleBelow)(const void *context, double z);

/* P(value = z) of it. */
typedef double (*SamplePmf)(const void *context, double z);

/*
 * One test point: draws fit the pmf over the cells -reach .. reach, one integer
 * each; reach <= 5000.
 */
extern bool sample_fits(DpRandom *random, SampleDraw draw, SamplePmf pmf,
						const void *context, int reach, uint64_t draws,
						const char *name);

/*
 * One test point for wide distributions: draws fit the distribution function in
 * 64 cells of that width (rounded up), around zero.
 */
extern bool sample_fits_binned(DpRandom *random, SampleDraw draw,
							   SampleBelow below, const void *context,
							   double width, uint64_t draws, const char *name);

#endif
