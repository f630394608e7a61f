/*
 * big.h
 *		Integers of any size, for tests that compare exactly.
 *
 * Numbers live from big_begin() to big_end(), which nest, and are never changed
 * once they are made. Without memory the program ends. Nothing here comes from
 * the code under test: exp() is enclosed in another way than there.
 */
#ifndef BIG_H
#define BIG_H

#include <stdbool.h>

#include <openssl/bn.h>

#include "core/int128.h"

typedef const BIGNUM Big;

extern void big_begin(void);
extern void big_end(void);

extern Big *big_of(dp_uint128 value);

/* value * 2^exponent, which must be a whole number; value: finite. */
extern Big *big_of_double(double value, int exponent);

extern Big *big_sum(Big *a, Big *b);
extern Big *big_difference(Big *a, Big *b);
extern Big *big_product(Big *a, Big *b);
extern Big *big_square(Big *a);

/* a / b, b > 0, a >= 0, rounded down, or up. */
extern Big *big_quotient(Big *a, Big *b, bool up);

/* a * 2^bits */
extern Big *big_shift(Big *a, int bits);

/* -1, 0 or 1 */
extern int big_compare(Big *a, Big *b);

static inline bool
big_at_most(Big *a, Big *b)
{
	return big_compare(a, b) <= 0;
}

/*
 * Is a/b at most c/d? b, d > 0. And, are they the same?
 */
extern bool big_ratio_at_most(Big *a, Big *b, Big *c, Big *d);
extern bool big_ratio_equal(Big *a, Big *b, Big *c, Big *d);

/*
 * Encloses exp(-n/d) * 2^bits, n >= 0, d > 0, between numbers that differ by a
 * few units: as the reciprocal of the series of exp(n/d / 2^j), squared.
 */
extern void big_exp(Big *n, Big *d, int bits, Big **lower, Big **upper);

#endif
