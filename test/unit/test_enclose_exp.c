/*
 * test_enclose_exp.c
 *		Enclosures of the exponential function: correct and tight.
 *
 * The reference is computed another way, as the reciprocal of the series of
 * exp(+x), with 128 bits more than are compared.
 */
#include <openssl/bn.h>

#include "samplers/bernoulli_real.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define GUARD 128

/* A hundred and fifty digits of exp(-1). */
static const char inverse_e[] =
	"367879441171442321595523770161460867445811131031767834507836801697461495"
	"744899803357147274345919643746627325276843995208246975792790129008626653"
	"589494";

/*
 * reference = exp(-numerator/denominator) * 2^bits but for a few thousand
 * units.
 */
static bool
reference_exp(uint64_t numerator, uint64_t denominator, int bits,
			  BIGNUM *reference)
{
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *term = BN_new();
	BIGNUM *sum = BN_new();
	/* what is lost in the sum matters exp(x) times more in the reciprocal */
	int work = bits + (int) (2 * (numerator / denominator)) + 8;
	unsigned long k;
	bool done = ctx != NULL && BN_one(term) && BN_lshift(term, term, work) &&
				BN_copy(sum, term);

	for (k = 1; done && !BN_is_zero(term); k++)
		done = BN_mul_word(term, numerator) &&
			   BN_div_word(term, denominator) != (BN_ULONG) -1 &&
			   BN_div_word(term, k) != (BN_ULONG) -1 && BN_add(sum, sum, term);
	done = done && BN_one(term) && BN_lshift(term, term, work + bits) &&
		   BN_div(reference, NULL, term, sum, ctx);
	BN_free(term);
	BN_free(sum);
	BN_CTX_free(ctx);
	return done;
}

/* lower <= reference <= upper, where the reference has GUARD bits more? */
static bool
encloses(const BIGNUM *lower, const BIGNUM *upper, const BIGNUM *reference)
{
	BIGNUM *shifted = BN_new();
	BIGNUM *slack = BN_new();
	bool inside;

	/* 2^40 units of the reference are 2^-88 of one that is compared */
	inside =
		BN_set_word(slack, (BN_ULONG) 1 << 40) &&
		BN_lshift(shifted, lower, GUARD) && BN_sub(shifted, shifted, slack) &&
		BN_cmp(shifted, reference) <= 0 && BN_lshift(shifted, upper, GUARD) &&
		BN_add(shifted, shifted, slack) && BN_cmp(shifted, reference) >= 0;
	BN_free(shifted);
	BN_free(slack);
	return inside;
}

static bool
check(uint64_t numerator, uint64_t denominator, int bits)
{
	BIGNUM *lower = BN_new();
	BIGNUM *upper = BN_new();
	BIGNUM *reference = BN_new();
	BIGNUM *difference = BN_new();
	bool good =
		dp_enclose_exp(numerator, denominator, bits, lower, upper) == DP_OK &&
		!BN_is_negative(lower) &&
		reference_exp(numerator, denominator, bits + GUARD, reference) &&
		encloses(lower, upper, reference) && BN_sub(difference, upper, lower) &&
		!BN_is_negative(difference) && BN_get_word(difference) <= 2;

	if (!good)
		diag("exp(-%llu/%llu) to %d bits", (unsigned long long) numerator,
			 (unsigned long long) denominator, bits);
	BN_free(lower);
	BN_free(upper);
	BN_free(reference);
	BN_free(difference);
	return good;
}

static void
test_grid(void)
{
	static const int bits[] = {1,	2,	 3,	  7,   8,	16,	 63,   64,	 65,
							   127, 128, 129, 191, 192, 512, 1024, 1999, 2000};
	static const uint64_t fractions[][2] = {
		{1, 1},
		{1, 2},
		{1, 128},
		{1, 129},
		{127, 128},
		{1, 1048576},
		{1, (uint64_t) 1 << 62},
		{1, ~(uint64_t) 0},
		{~(uint64_t) 0 - 1, ~(uint64_t) 0},
		{~(uint64_t) 0, ((uint64_t) 1 << 63) + 1},
		{3, 2},
		{2, 1},
		{10, 1},
		{40, 1},
		{127, 1},
		{128, 1},
		{129, 1},
		{1000, 3},
		{700000001, 1000000},
	};
	size_t f;
	size_t b;

	for (f = 0; f < sizeof(fractions) / sizeof(fractions[0]); f++)
	{
		bool good = true;

		for (b = 0; b < sizeof(bits) / sizeof(bits[0]); b++)
			good = check(fractions[f][0], fractions[f][1], bits[b]) && good;
		ok(good, "exp(-%llu/%llu)", (unsigned long long) fractions[f][0],
		   (unsigned long long) fractions[f][1]);
	}
}

static void
test_random(void)
{
	uint64_t state = 31;
	bool good = true;
	int i;

	for (i = 0; i < 1500; i++)
	{
		int bits = 1 + (int) random_next_below(&state, i % 10 ? 260 : 2000);
		uint64_t denominator =
			1 + random_next_below(&state, (uint64_t) 1
											  << random_next_below(&state, 63));
		uint64_t numerator =
			random_next(&state) >> random_next_below(&state, 64);

		while (numerator / denominator > 500)
			numerator >>= 1;
		good = check(numerator, denominator, bits) && good;
	}
	ok(good, "random fractions and precisions");
}

static void
test_exact(void)
{
	BIGNUM *lower = BN_new();
	BIGNUM *upper = BN_new();
	BIGNUM *known = BN_new();
	BIGNUM *power = BN_new();
	BN_CTX *ctx = BN_CTX_new();

	ok(dp_enclose_exp(0, 7, 100, lower, upper) == DP_OK &&
		   BN_cmp(lower, upper) == 0 && BN_is_bit_set(lower, 100) &&
		   BN_num_bits(lower) == 101,
	   "exp(0) is 1 exactly");
	ok(dp_enclose_exp(1000000, 1, 128, lower, upper) == DP_OK &&
		   BN_is_zero(lower) && BN_is_one(upper),
	   "exp(-1000000) is between nothing and one unit");
	ok(dp_enclose_exp(~(uint64_t) 0, 1, 2000, lower, upper) == DP_OK &&
		   BN_is_zero(lower) && BN_is_one(upper),
	   "so is exp(-2^64)");

	/* floor(e^-1 * 2^480) from its digits, whose error is below 1e-150 */
	BN_dec2bn(&known, inverse_e);
	BN_lshift(known, known, 480);
	BN_set_word(power, 10);
	BN_set_word(upper, sizeof(inverse_e) - 1);
	BN_exp(power, power, upper, ctx);
	BN_div(known, NULL, known, power, ctx);
	ok(dp_enclose_exp(1, 1, 480, lower, upper) == DP_OK &&
		   BN_cmp(lower, known) <= 0 && BN_cmp(known, upper) <= 0,
	   "exp(-1) has the digits that it is known to have");

	BN_free(lower);
	BN_free(upper);
	BN_free(known);
	BN_free(power);
	BN_CTX_free(ctx);
}

int
main(void)
{
	test_grid();
	test_random();
	test_exact();
	return done_testing();
}
