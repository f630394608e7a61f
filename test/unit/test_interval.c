/*
 * test_interval.c
 *		Enclosures: they hold the true value, and hardly more.
 */
#include <math.h>

#include "mechanisms/interval.h"
#include "support/big.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define BITS 200

static DpWork work;

static double
to_double(const BIGNUM *x)
{
	BIGNUM *high = BN_dup(x);
	int bits = BN_num_bits(x);
	int less = bits > 62 ? bits - 62 : 0;
	double value;

	BN_rshift(high, high, less);
	value = ldexp((double) BN_get_word(high), less - work.bits);
	if (BN_is_negative(x))
		value = -value;
	BN_free(high);
	return value;
}

/* How many units the ends are apart. */
static double
width(const DpInterval *x)
{
	BIGNUM *apart = BN_new();
	double result;

	BN_sub(apart, x->upper, x->lower);
	result = ldexp(to_double(apart), work.bits);
	BN_free(apart);
	return result;
}

static DpInterval
ratio_of(long long numerator, long long denominator)
{
	DpInterval x = dp_interval_new(&work);

	dp_interval_set_fraction(&work, &x, numerator, denominator);
	return x;
}

/* Whether lower d <= n 2^bits <= upper d, exactly; d > 0. */
static bool
holds(const DpInterval *x, dp_int128 n, dp_int128 d)
{
	BIGNUM *value = dp_work_number(&work);
	BIGNUM *scale = dp_work_number(&work);
	BIGNUM *end = dp_work_number(&work);
	bool result;

	dp_number_set(&work, value, n);
	dp_number_set(&work, scale, d);
	BN_lshift(value, value, work.bits);
	dp_number_multiply(&work, end, x->lower, scale);
	result = BN_cmp(end, value) <= 0;
	dp_number_multiply(&work, end, x->upper, scale);
	return result && BN_cmp(end, value) >= 0;
}

/* Sums, products and quotients of fractions of either sign. */
static void
test_arithmetic(void)
{
	uint64_t state = 31;
	bool enclosed = true;
	bool narrow = true;
	int i;

	for (i = 0; i < 20000; i++)
	{
		long long a = (long long) random_next_below(&state, 2000001) - 1000000;
		long long b = 1 + (long long) random_next_below(&state, 1000000);
		long long c = (long long) random_next_below(&state, 2001) - 1000;
		long long d = 1 + (long long) random_next_below(&state, 1000000);
		uint32_t word = 1 + (uint32_t) random_next_below(&state, 1000);
		DpInterval x;
		DpInterval y;
		DpInterval z;

		dp_work_push(&work);
		x = ratio_of(a, b);
		y = ratio_of(c, d);
		z = dp_interval_new(&work);
		enclosed = enclosed && holds(&x, a, b) && holds(&y, c, d);
		dp_interval_add(&work, &z, &x, &y);
		enclosed = enclosed && holds(&z, (dp_int128) a * d + (dp_int128) c * b,
									 (dp_int128) b * d);
		dp_interval_subtract(&work, &z, &x, &y);
		enclosed = enclosed && holds(&z, (dp_int128) a * d - (dp_int128) c * b,
									 (dp_int128) b * d);
		dp_interval_multiply(&work, &z, &x, &y);
		enclosed = enclosed && holds(&z, (dp_int128) a * c, (dp_int128) b * d);
		narrow = narrow && width(&z) < 2e6;
		dp_interval_copy(&work, &z, &x);
		dp_interval_multiply_word(&work, &z, word);
		enclosed = enclosed && holds(&z, (dp_int128) a * word, b);
		dp_interval_copy(&work, &z, &x);
		dp_interval_divide_word(&work, &z, word);
		enclosed = enclosed && holds(&z, a, (dp_int128) b * word);
		narrow = narrow && width(&z) <= 3;
		if (a >= 0 && c > 0)
		{
			dp_interval_divide(&work, &z, &x, &y);
			enclosed =
				enclosed && holds(&z, (dp_int128) a * d, (dp_int128) b * c);
		}
		dp_work_pop(&work);
	}
	ok(enclosed, "sums, products and quotients are enclosed");
	ok(narrow, "in a few units");
}

static void
test_roots(void)
{
	DpInterval x = dp_interval_new(&work);
	BIGNUM *root = dp_work_number(&work);
	BIGNUM *square = dp_work_number(&work);
	uint64_t state = 32;
	bool good = true;
	int i;

	for (i = 0; i < 3000; i++)
	{
		uint64_t value = random_next(&state) >> random_next_below(&state, 64);
		uint64_t found;

		dp_number_set(&work, square, value);
		dp_number_sqrt(&work, root, square);
		found = BN_get_word(root);
		good = good && (dp_uint128) found * found <= value &&
			   (dp_uint128) (found + 1) * (found + 1) > value;
	}
	ok(good, "square roots of integers");
	dp_interval_set(&work, &x, 2);
	dp_interval_sqrt(&work, &x, &x);
	is_double(to_double(x.lower), sqrt(2.0), 1e-15, "of 2");
	dp_interval_multiply(&work, &x, &x, &x);
	ok(holds(&x, 2, 1) && width(&x) < 10, "and its square");
	dp_interval_set(&work, &x, 0);
	dp_interval_sqrt(&work, &x, &x);
	ok(holds(&x, 0, 1), "of 0");
	dp_interval_pi(&work, &x);
	is_double(to_double(x.lower), acos(-1.0), 1e-15, "pi");
	ok(width(&x) < 400, "to the last few units");
}

/* Against the other enclosure of the tests. */
static void
test_exponentials(void)
{
	static const long long cases[][2] = {
		{0, 1},	  {1, 1},		 {1, 3},   {1, 1000000007}, {22, 7},
		{100, 1}, {355, 113000}, {138, 1}, {700, 3},		{1000000, 1}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpInterval x = ratio_of(cases[i][0], cases[i][1]);
		Big *lower;
		Big *upper;

		dp_interval_exp_minus(&work, &x, &x);
		big_begin();
		big_exp(big_of((dp_uint128) cases[i][0]),
				big_of((dp_uint128) cases[i][1]), BITS, &lower, &upper);
		ok(BN_cmp(x.lower, upper) <= 0 && BN_cmp(lower, x.upper) <= 0 &&
			   width(&x) < 20,
		   "exp(-%lld/%lld)", cases[i][0], cases[i][1]);
		big_end();
	}
	{
		DpInterval x = ratio_of(-1, 2);

		dp_interval_exp_minus(&work, &x, &x);
		ok(holds(&x, 1, 1), "what is negative counts as 0");
	}
}

static void
test_doubles(void)
{
	static const double values[] = {0x1p-1074, 1e-300, 0.1, 1, 1e6, 0x1p70};
	BIGNUM *numerator = dp_work_number(&work);
	DpInterval x = dp_interval_new(&work);
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		int bits = dp_number_set_double(&work, numerator, values[i]);

		big_begin();
		ok(big_compare(numerator, big_of_double(values[i], bits)) == 0,
		   "%g as a fraction", values[i]);
		big_end();
		dp_interval_set_double(&work, &x, values[i]);
		ok(to_double(x.lower) <= values[i] && to_double(x.upper) >= values[i] &&
			   width(&x) <= 1,
		   "and as an interval");
	}
}

int
main(void)
{
	dp_work_begin(&work, BITS);
	test_arithmetic();
	test_roots();
	test_exponentials();
	test_doubles();
	ok(!dp_work_failed(&work), "nothing failed");
	dp_work_end(&work);
	return done_testing();
}
