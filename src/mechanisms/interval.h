/*
 * interval.h
 *		Real numbers as rigorous enclosures.
 *
 * An interval is two integers with lower <= x * 2^bits <= upper. Every operation
 * rounds the lower end down and the upper end up, so that whatever is computed
 * from enclosures encloses the true value: no double, and nothing of libm,
 * decides anything here.
 *
 * Numbers belong to a DpWork, which holds all memory: dp_work_end frees it. A
 * lack of memory is recorded there, and all later operations do nothing. So
 * formulas are written as if nothing could fail, and dp_work_failed is checked
 * before a result is used.
 */
#ifndef DP_MECHANISMS_INTERVAL_H
#define DP_MECHANISMS_INTERVAL_H

#include <stdbool.h>

#include <openssl/bn.h>

#include "core/int128.h"
#include "core/status.h"

typedef struct DpWork
{
	BN_CTX *ctx; /* all numbers */
	int bits;	 /* of fractions; at least 64 */
	bool failed;
} DpWork;

/* A number whose value is the caller's; as long-lived as its frame. */
typedef struct DpInterval
{
	BIGNUM *lower;
	BIGNUM *upper;
} DpInterval;

extern void dp_work_begin(DpWork *work, int bits);
extern void dp_work_end(DpWork *work);

static inline bool
dp_work_failed(const DpWork *work)
{
	return work->failed;
}

/* Numbers made between push and pop are freed by pop. The calls nest. */
extern void dp_work_push(DpWork *work);
extern void dp_work_pop(DpWork *work);

/* An exact integer, 0 at first; NULL once the work has failed. */
extern BIGNUM *dp_work_number(DpWork *work);

extern void dp_number_set(DpWork *work, BIGNUM *number, dp_int128 value);
extern void dp_number_multiply(DpWork *work, BIGNUM *result, const BIGNUM *a,
							   const BIGNUM *b);

/* The greatest integer whose square is not above value, which is not negative;
 * result is another number. */
extern void dp_number_sqrt(DpWork *work, BIGNUM *result, const BIGNUM *value);

/*
 * value as numerator / 2^bits, exactly; value: finite, not negative. Returns
 * bits, which is not negative.
 */
extern int dp_number_set_double(DpWork *work, BIGNUM *numerator, double value);

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
