/*
 * work.h
 *		The memory of a computation with large integers, and such integers.
 *
 * Numbers belong to a DpWork, which holds all memory: dp_work_end frees it. A
 * lack of memory is recorded there, and all later operations do nothing. So
 * formulas are written as if nothing could fail, and dp_work_failed is checked
 * before a result is used.
 */
#ifndef DP_MECHANISMS_WORK_H
#define DP_MECHANISMS_WORK_H

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

/*
 * Makes the call unless the work has failed; if the call fails, so does the
 * work.
 */
#define DP_WORK_TRY(work, call) \
	do \
	{ \
		if (!(work)->failed && !(call)) \
			(work)->failed = true; \
	} while (0)

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

#endif
