/*
 * walk_law.h
 *		Where a one-sided sparse vector stops, summed up in doubles.
 */
#ifndef TEST_WALK_LAW_H
#define TEST_WALK_LAW_H

#include "mechanisms/above_threshold.h"

/*
 * p[i] = P(the walk stops at counts[i]), i < n; p[n]: nowhere. From the ratios
 * that were prepared, up to a part of exp(-60).
 */
extern void walk_law(const DpAboveThreshold *walk, const uint64_t *counts,
					 size_t n, double *p);

#endif
