/*
 * interval.c
 *		Interval arithmetic on OpenSSL's integers.
 */
#include <math.h>

#include "mechanisms/interval.h"
#include "samplers/bernoulli_real.h"

/* exp() is taken of multiples of 2^-EXP_BITS; the rest is below that. */
#define EXP_BITS 62

/* x = x / 2^bits, rounded down or up. */
static void
shift_right(DpWork *work, BIGNUM *x, int bits, bool up)
{
	bool negative;

	if (work->failed || BN_is_zero(x))
		return;
	negative = BN_is_negative(x);
	if (up == negative)
	{
		/* towards zero */
		DP_WORK_TRY(work, BN_rshift(x, x, bits));
		return;
	}
	BN_set_negative(x, 0);
	DP_WORK_TRY(work, BN_sub_word(x, 1) && BN_rshift(x, x, bits) &&
						  BN_add_word(x, 1));
	BN_set_negative(x, negative);
}

/* x = a / b, rounded down or up; a >= 0, b > 0. */
static void
divide(DpWork *work, BIGNUM *x, const BIGNUM *a, const BIGNUM *b, bool up)
{
	BIGNUM *rest;

	dp_work_push(work);
	rest = dp_work_number(work);
	DP_WORK_TRY(work, BN_div(x, rest, a, b, work->ctx));
	if (up && !work->failed && !BN_is_zero(rest))
		DP_WORK_TRY(work, BN_add_word(x, 1));
	dp_work_pop(work);
}

DpInterval
dp_interval_new(DpWork *work)
{
	DpInterval x;

	x.lower = dp_work_number(work);
	x.upper = dp_work_number(work);
	return x;
}

void
dp_interval_copy(DpWork *work, DpInterval *x, const DpInterval *a)
{
	DP_WORK_TRY(work,
				BN_copy(x->lower, a->lower) && BN_copy(x->upper, a->upper));
}

void
dp_interval_set(DpWork *work, DpInterval *x, dp_int128 value)
{
	dp_number_set(work, x->lower, value);
	DP_WORK_TRY(work, BN_lshift(x->lower, x->lower, work->bits) &&
						  BN_copy(x->upper, x->lower));
}

void
dp_interval_set_ratio(DpWork *work, DpInterval *x, const BIGNUM *numerator,
					  const BIGNUM *denominator)
{
	BIGNUM *scaled;
	bool negative;

	dp_work_push(work);
	scaled = dp_work_number(work);
	DP_WORK_TRY(work, BN_lshift(scaled, numerator, work->bits));
	if (!work->failed)
	{
		negative = BN_is_negative(scaled);
		BN_set_negative(scaled, 0);
		divide(work, x->lower, scaled, denominator, negative);
		divide(work, x->upper, scaled, denominator, !negative);
		if (negative && !work->failed)
		{
			BN_set_negative(x->lower, 1);
			BN_set_negative(x->upper, 1);
		}
	}
	dp_work_pop(work);
}

void
dp_interval_set_fraction(DpWork *work, DpInterval *x, dp_int128 numerator,
						 dp_int128 denominator)
{
	BIGNUM *above;
	BIGNUM *below;

	dp_work_push(work);
	above = dp_work_number(work);
	below = dp_work_number(work);
	dp_number_set(work, above, numerator);
	dp_number_set(work, below, denominator);
	dp_interval_set_ratio(work, x, above, below);
	dp_work_pop(work);
}

void
dp_interval_set_double(DpWork *work, DpInterval *x, double value)
{
	BIGNUM *above;
	BIGNUM *below;
	int bits;

	dp_work_push(work);
	above = dp_work_number(work);
	below = dp_work_number(work);
	bits = dp_number_set_double(work, above, value);
	DP_WORK_TRY(work, BN_one(below) && BN_lshift(below, below, bits));
	dp_interval_set_ratio(work, x, above, below);
	dp_work_pop(work);
}

void
dp_interval_add(DpWork *work, DpInterval *x, const DpInterval *a,
				const DpInterval *b)
{
	DP_WORK_TRY(work, BN_add(x->lower, a->lower, b->lower) &&
						  BN_add(x->upper, a->upper, b->upper));
}

void
dp_interval_subtract(DpWork *work, DpInterval *x, const DpInterval *a,
					 const DpInterval *b)
{
	BIGNUM *lower;

	dp_work_push(work);
	lower = dp_work_number(work);
	DP_WORK_TRY(work, BN_sub(lower, a->lower, b->upper) &&
						  BN_sub(x->upper, a->upper, b->lower) &&
						  BN_copy(x->lower, lower));
	dp_work_pop(work);
}

/*
 * The ends of a product whose factors may be negative: the extremes of all four
 * products of ends.
 */
static void
multiply_ends(DpWork *work, DpInterval *x, const DpInterval *a,
			  const DpInterval *b)
{
	const BIGNUM *left[] = {a->lower, a->lower, a->upper, a->upper};
	const BIGNUM *right[] = {b->lower, b->upper, b->lower, b->upper};
	BIGNUM *least = dp_work_number(work);
	BIGNUM *greatest = dp_work_number(work);
	BIGNUM *product = dp_work_number(work);
	int i;

	for (i = 0; i < 4; i++)
	{
		dp_number_multiply(work, product, left[i], right[i]);
		if (work->failed)
			return;
		if (i == 0 || BN_cmp(product, least) < 0)
			DP_WORK_TRY(work, BN_copy(least, product));
		if (i == 0 || BN_cmp(product, greatest) > 0)
			DP_WORK_TRY(work, BN_copy(greatest, product));
	}
	DP_WORK_TRY(work, BN_copy(x->lower, least) && BN_copy(x->upper, greatest));
}

void
dp_interval_multiply(DpWork *work, DpInterval *x, const DpInterval *a,
					 const DpInterval *b)
{
	dp_work_push(work);
	if (!work->failed && !BN_is_negative(a->lower) && !BN_is_negative(b->lower))
	{
		dp_number_multiply(work, x->lower, a->lower, b->lower);
		dp_number_multiply(work, x->upper, a->upper, b->upper);
	}
	else if (!work->failed)
		multiply_ends(work, x, a, b);
	shift_right(work, x->lower, work->bits, false);
	shift_right(work, x->upper, work->bits, true);
	dp_work_pop(work);
}

void
dp_interval_multiply_word(DpWork *work, DpInterval *x, uint32_t factor)
{
	DP_WORK_TRY(work,
				BN_mul_word(x->lower, factor) && BN_mul_word(x->upper, factor));
}

/* x / divisor, rounded down or up, whatever its sign. */
static void
divide_word(DpWork *work, BIGNUM *x, uint32_t divisor, bool up)
{
	bool negative;
	BN_ULONG rest;

	if (work->failed)
		return;
	negative = BN_is_negative(x);
	BN_set_negative(x, 0);
	rest = BN_div_word(x, divisor);
	if (rest == (BN_ULONG) -1)
		work->failed = true;
	else if (rest != 0 && up != negative)
		DP_WORK_TRY(work, BN_add_word(x, 1));
	BN_set_negative(x, negative);
}

void
dp_interval_divide_word(DpWork *work, DpInterval *x, uint32_t divisor)
{
	divide_word(work, x->lower, divisor, false);
	divide_word(work, x->upper, divisor, true);
}

void
dp_interval_divide(DpWork *work, DpInterval *x, const DpInterval *a,
				   const DpInterval *b)
{
	BIGNUM *lower;
	BIGNUM *upper;

	dp_work_push(work);
	lower = dp_work_number(work);
	upper = dp_work_number(work);
	DP_WORK_TRY(work, BN_lshift(lower, a->lower, work->bits) &&
						  BN_lshift(upper, a->upper, work->bits));
	divide(work, lower, lower, b->upper, false);
	divide(work, upper, upper, b->lower, true);
	DP_WORK_TRY(work, BN_copy(x->lower, lower) && BN_copy(x->upper, upper));
	dp_work_pop(work);
}

void
dp_interval_sqrt(DpWork *work, DpInterval *x, const DpInterval *a)
{
	BIGNUM *square;
	BIGNUM *root;

	dp_work_push(work);
	square = dp_work_number(work);
	root = dp_work_number(work);
	DP_WORK_TRY(work, BN_lshift(square, a->lower, work->bits));
	dp_number_sqrt(work, root, square);
	DP_WORK_TRY(work, BN_lshift(square, a->upper, work->bits) &&
						  BN_copy(x->lower, root));
	dp_number_sqrt(work, root, square);
	DP_WORK_TRY(work, BN_copy(x->upper, root) && BN_add_word(x->upper, 1));
	dp_work_pop(work);
}

/* x = exp(-z) for 0 <= z < 2^-EXP_BITS: between two sums of the series. */
static void
exp_of_rest(DpWork *work, DpInterval *x, const DpInterval *z)
{
	DpInterval term;
	uint32_t j;

	dp_work_push(work);
	term = dp_interval_new(work);
	dp_interval_set(work, x, 1);
	dp_interval_set(work, &term, 1);
	for (j = 1; !work->failed && BN_num_bits(term.upper) > 1; j++)
	{
		dp_interval_multiply(work, &term, &term, z);
		dp_interval_divide_word(work, &term, j);
		if (j & 1)
			dp_interval_subtract(work, x, x, &term);
		else
			dp_interval_add(work, x, x, &term);
	}

	/* The remainder is at most the last term, one unit. */
	DP_WORK_TRY(work, BN_sub_word(x->lower, 1) && BN_add_word(x->upper, 1));
	dp_work_pop(work);
}

/* x = exp(-a), a: one number, not negative: a multiple of 2^-EXP_BITS and a rest */
static void
exp_of_number(DpWork *work, DpInterval *x, const BIGNUM *a)
{
	DpInterval rest = dp_interval_new(work);
	DpInterval factor = dp_interval_new(work);
	BIGNUM *whole = dp_work_number(work);
	unsigned char bytes[16];
	dp_uint128 y = 0;
	int i;

	DP_WORK_TRY(work, BN_lshift(whole, a, EXP_BITS) &&
						  BN_rshift(whole, whole, work->bits));
	if (work->failed)
		return;
	if (BN_num_bits(whole) > 120)
	{
		/* below exp(-2^57) */
		BN_zero(x->lower);
		DP_WORK_TRY(work, BN_one(x->upper));
		return;
	}
	(void) BN_bn2binpad(whole, bytes, sizeof(bytes));
	for (i = 0; i < 16; i++)
		y = y << 8 | bytes[i];

	/* work->bits is above EXP_BITS: nothing is lost. */
	DP_WORK_TRY(work, BN_lshift(whole, whole, work->bits - EXP_BITS) &&
						  BN_sub(rest.lower, a, whole) &&
						  BN_copy(rest.upper, rest.lower));
	exp_of_rest(work, &factor, &rest);
	if (!work->failed && dp_enclose_exp(y, (uint64_t) 1 << EXP_BITS, work->bits,
										x->lower, x->upper) != DP_OK)
		work->failed = true;
	dp_interval_multiply(work, x, x, &factor);
}

void
dp_interval_exp_minus(DpWork *work, DpInterval *x, const DpInterval *a)
{
	DpInterval y;
	DpInterval end;

	dp_work_push(work);
	y = dp_interval_new(work);
	end = dp_interval_new(work);
	dp_interval_copy(work, &y, a);
	if (!work->failed && BN_is_negative(y.lower))
		BN_zero(y.lower);
	if (!work->failed && BN_is_negative(y.upper))
		BN_zero(y.upper);
	exp_of_number(work, &end, y.upper);
	DP_WORK_TRY(work, BN_copy(x->lower, end.lower));
	if (!work->failed && BN_cmp(y.lower, y.upper) != 0)
		exp_of_number(work, &end, y.lower);
	DP_WORK_TRY(work, BN_copy(x->upper, end.upper));
	dp_work_pop(work);
}

/* x += or -= factor atan(1/n): the alternating series, between two sums of it. */
static void
add_arctangent(DpWork *work, DpInterval *x, uint32_t factor, uint32_t n,
			   bool negative)
{
	DpInterval power;
	DpInterval term;
	bool minus = negative;
	uint32_t k;

	dp_work_push(work);
	power = dp_interval_new(work);
	term = dp_interval_new(work);
	dp_interval_set(work, &power, factor);
	dp_interval_divide_word(work, &power, n);
	for (k = 1; !work->failed; k += 2)
	{
		dp_interval_copy(work, &term, &power);
		dp_interval_divide_word(work, &term, k);
		if (work->failed || BN_num_bits(term.upper) <= 1)
			break;
		if (minus)
			dp_interval_subtract(work, x, x, &term);
		else
			dp_interval_add(work, x, x, &term);
		minus = !minus;
		dp_interval_divide_word(work, &power, n * n);
	}

	/* The remainder is at most the first omitted term, one unit. */
	DP_WORK_TRY(work, BN_sub_word(x->lower, 1) && BN_add_word(x->upper, 1));
	dp_work_pop(work);
}

/* Machin: 16 atan(1/5) - 4 atan(1/239) */
void
dp_interval_pi(DpWork *work, DpInterval *x)
{
	dp_interval_set(work, x, 0);
	add_arctangent(work, x, 16, 5, false);
	add_arctangent(work, x, 4, 239, true);
}
