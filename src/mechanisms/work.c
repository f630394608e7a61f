/*
 * work.c
 *		The memory of a computation with large integers, and such integers.
 */
#include <math.h>

#include "mechanisms/work.h"

void
dp_work_begin(DpWork *work, int bits)
{
	work->bits = bits;
	work->failed = false;
	work->ctx = BN_CTX_new();
	if (work->ctx == NULL)
		work->failed = true;
	else
		BN_CTX_start(work->ctx);
}

void
dp_work_end(DpWork *work)
{
	if (work->ctx == NULL)
		return;
	BN_CTX_end(work->ctx);
	BN_CTX_free(work->ctx);
	work->ctx = NULL;
}

void
dp_work_push(DpWork *work)
{
	if (work->ctx != NULL)
		BN_CTX_start(work->ctx);
}

void
dp_work_pop(DpWork *work)
{
	if (work->ctx != NULL)
		BN_CTX_end(work->ctx);
}

BIGNUM *
dp_work_number(DpWork *work)
{
	BIGNUM *number = NULL;

	if (!work->failed)
		number = BN_CTX_get(work->ctx);
	if (number == NULL)
		work->failed = true;
	return number;
}

void
dp_number_set(DpWork *work, BIGNUM *number, dp_int128 value)
{
	dp_uint128 size = dp_int128_abs(value);

	DP_WORK_TRY(work, BN_set_word(number, (uint64_t) (size >> 64)) &&
						  BN_lshift(number, number, 64) &&
						  BN_add_word(number, (uint64_t) size));
	if (!work->failed)
		BN_set_negative(number, value < 0);
}

void
dp_number_multiply(DpWork *work, BIGNUM *result, const BIGNUM *a,
				   const BIGNUM *b)
{
	DP_WORK_TRY(work, BN_mul(result, a, b, work->ctx));
}

/*
 * Newton's method from above: the iterates decrease until the root is reached.
 */
void
dp_number_sqrt(DpWork *work, BIGNUM *result, const BIGNUM *value)
{
	BIGNUM *next;

	dp_work_push(work);
	next = dp_work_number(work);
	if (!work->failed && BN_is_zero(value))
		BN_zero(result);
	else
	{
		DP_WORK_TRY(work,
					BN_one(next) &&
						BN_lshift(next, next, (BN_num_bits(value) + 1) / 2));
		do
		{
			DP_WORK_TRY(
				work, BN_copy(result, next) &&
						  BN_div(next, NULL, value, result, work->ctx) &&
						  BN_add(next, next, result) && BN_rshift1(next, next));
		} while (!work->failed && BN_cmp(next, result) < 0);
	}
	dp_work_pop(work);
}

int
dp_number_set_double(DpWork *work, BIGNUM *numerator, double value)
{
	int exponent;
	uint64_t mantissa = (uint64_t) ldexp(frexp(value, &exponent), 53);

	dp_number_set(work, numerator, mantissa);
	exponent -= 53;
	if (exponent <= 0)
		return -exponent;
	DP_WORK_TRY(work, BN_lshift(numerator, numerator, exponent));
	return 0;
}
