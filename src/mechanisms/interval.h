/*
 * interval.h
 *		Real numbers as rigorous enclosures.
 *
 * An interval is two integers with lower <= x * 2^bits <= upper. Every operation
 * rounds the lower end down and the upper end up, so that whatever is computed
 * from enclosures encloses the true value: no double, and nothing of libm,
 * decides anything here.
 */
#ifndef DP_MECHANISMS_INTERVAL_H
#define DP_MECHANISMS_INTERVAL_H

#include <stdint.h>

#include "mechanisms/work.h"

/* A number whose value is the caller's; as long-lived as its frame. */
typedef struct DpInterval
{
	BIGNUM *lower;
	BIGNUM *upper;
} DpInterval;

extern DpInterval dp_interval_new(DpWork *work);

/* Results may be the same interval as an argument. */
extern void dp_interval_copy(DpWork *work, DpInterval *x, const DpInterval *a);

/* An integer, and a fraction of integers; denominator: above 0. */
extern void dp_interval_set(DpWork *work, DpInterval *x, dp_int128 value);
extern void dp_interval_set_fraction(DpWork *work, DpInterval *x,
									 dp_int128 numerator,
									 dp_int128 denominator);
extern void dp_interval_set_ratio(DpWork *work, DpInterval *x,
								  const BIGNUM *numerator,
								  const BIGNUM *denominator);

/* value: finite, not negative. */
extern void dp_interval_set_double(DpWork *work, DpInterval *x, double value);

extern void dp_interval_add(DpWork *work, DpInterval *x, const DpInterval *a,
							const DpInterval *b);
extern void dp_interval_subtract(DpWork *work, DpInterval *x,
								 const DpInterval *a, const DpInterval *b);
extern void dp_interval_multiply(DpWork *work, DpInterval *x,
								 const DpInterval *a, const DpInterval *b);

/* factor, divisor: at least 1 */
extern void dp_interval_multiply_word(DpWork *work, DpInterval *x,
									  uint32_t factor);
extern void dp_interval_divide_word(DpWork *work, DpInterval *x,
									uint32_t divisor);

/* a / b; a: not negative; b: above 0, its lower end too. */
extern void dp_interval_divide(DpWork *work, DpInterval *x, const DpInterval *a,
							   const DpInterval *b);

/* a, not negative. */
extern void dp_interval_sqrt(DpWork *work, DpInterval *x, const DpInterval *a);

/*
 * exp(-a), accurate to the last few bits of the fraction; negative parts of a
 * count as 0.
 */
extern void dp_interval_exp_minus(DpWork *work, DpInterval *x,
								  const DpInterval *a);

extern void dp_interval_pi(DpWork *work, DpInterval *x);

#endif
