/*
 * double_range.h
 *		What lies between two doubles, and what is computed of it.
 *
 * The results are rounded to the nearest double: dp_range_outwards adds more than such
 * errors of some operations.
 */
#ifndef DP_MECHANISMS_DOUBLE_RANGE_H
#define DP_MECHANISMS_DOUBLE_RANGE_H

typedef struct DpRange
{
	double low;
	double high;
} DpRange;

/* The greatest error of doubles, relative to what they are computed from. */
#define DP_RANGE_ERROR 0x1p-46

/* One number. */
extern DpRange dp_range_just(double x);

extern DpRange dp_range_plus(DpRange a, DpRange b);
extern DpRange dp_range_minus(DpRange a, DpRange b);
extern DpRange dp_range_times(DpRange a, DpRange b);
extern DpRange dp_range_squared(DpRange a);

/* By a number that is not negative, and may be 0: then ends are infinite. */
extern DpRange dp_range_divided(DpRange a, DpRange by);

/* The greatest size of a number in it, rounded up. */
extern double dp_range_size(DpRange a);

extern DpRange dp_range_outwards(DpRange a);

/* What is in both; never empty. */
extern DpRange dp_range_within(DpRange a, double low, double high);

#endif
