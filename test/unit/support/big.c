/*
 * big.c
 *		Integers of any size, for tests that compare exactly.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/big.h"

static BN_CTX *context;
static int depth;

static void
need(int done)
{
	if (!done)
	{
		fputs("# out of memory\n", stderr);
		exit(1);
	}
}

void
big_begin(void)
{
	if (depth++ == 0)
		context = BN_CTX_new();
	need(context != NULL);
	BN_CTX_start(context);
}

void
big_end(void)
{
	BN_CTX_end(context);
	if (--depth == 0)
	{
		BN_CTX_free(context);
		context = NULL;
	}
}

static BIGNUM *
make(void)
{
	BIGNUM *number = BN_CTX_get(context);

	need(number != NULL);
	return number;
}

Big *
big_of(dp_uint128 value)
{
	BIGNUM *number = make();

	need(BN_set_word(number, (uint64_t) (value >> 64)) &&
		 BN_lshift(number, number, 64) &&
		 BN_add_word(number, (uint64_t) value));
	return number;
}

Big *
big_of_double(double value, int exponent)
{
	BIGNUM *number = make();
	int place;
	double mantissa = frexp(fabs(value), &place);

	/* |value| = mantissa 2^53 * 2^(place - 53) */
	need(BN_set_word(number, (uint64_t) ldexp(mantissa, 53)));
	place += exponent - 53;
	need(place >= 0 ? BN_lshift(number, number, place)
					: BN_rshift(number, number, -place));
	BN_set_negative(number, value < 0);
	return number;
}

Big *
big_sum(Big *a, Big *b)
{
	BIGNUM *number = make();

	need(BN_add(number, a, b));
	return number;
}

Big *
big_difference(Big *a, Big *b)
{
	BIGNUM *number = make();

	need(BN_sub(number, a, b));
	return number;
}

Big *
big_product(Big *a, Big *b)
{
	BIGNUM *number = make();

	need(BN_mul(number, a, b, context));
	return number;
}

Big *
big_square(Big *a)
{
	return big_product(a, a);
}

Big *
big_quotient(Big *a, Big *b, bool up)
{
	BIGNUM *number = make();
	BIGNUM *rest = make();

	need(BN_div(number, rest, a, b, context));
	if (up && !BN_is_zero(rest))
		need(BN_add_word(number, 1));
	return number;
}

Big *
big_shift(Big *a, int bits)
{
	BIGNUM *number = make();

	need(BN_lshift(number, a, bits));
	return number;
}

int
big_compare(Big *a, Big *b)
{
	return BN_cmp(a, b);
}

bool
big_ratio_at_most(Big *a, Big *b, Big *c, Big *d)
{
	return BN_cmp(big_product(a, d), big_product(c, b)) <= 0;
}

bool
big_ratio_equal(Big *a, Big *b, Big *c, Big *d)
{
	return BN_cmp(big_product(a, d), big_product(c, b)) == 0;
}

void
big_exp(Big *n, Big *d, int bits, Big **lower, Big **upper)
{
	Big *one = big_of(1);
	Big *unit;
	Big *term;
	Big *sum;
	int halvings = 12;
	int work;
	uint64_t j;

	/* exp(-x) < 2^-x */
	if (!big_at_most(n, big_product(d, big_of((dp_uint128) bits))))
	{
		*lower = big_of(0);
		*upper = one;
		return;
	}
	while (!big_at_most(n, big_shift(d, halvings - 12)))
		halvings++;

	/* Each squaring doubles the error; exp(x) is below 2^(1.5 x). */
	work = bits + 2 * (int) BN_get_word(big_quotient(n, d, true)) +
		   2 * halvings + 64;
	unit = big_shift(one, work);
	term = unit;
	sum = unit;
	for (j = 1; !BN_is_zero(term); j++)
	{
		term =
			big_quotient(big_product(term, n),
						 big_product(big_shift(d, halvings), big_of(j)), false);
		sum = big_sum(sum, term);
	}

	/*
	 * Each term lost less than two units (the one before it lost, times x/j,
	 * and one), and those left out add up to less than the last.
	 */
	*lower = sum;
	*upper = big_sum(sum, big_of(2 * j + 2));
	for (; halvings > 0; halvings--)
	{
		*lower = big_quotient(big_square(*lower), unit, false);
		*upper = big_quotient(big_square(*upper), unit, true);
	}

	/* the reciprocals, at the precision asked for */
	term = *lower;
	*lower = big_quotient(big_shift(one, work + bits), *upper, false);
	*upper = big_quotient(big_shift(one, work + bits), term, true);
}
