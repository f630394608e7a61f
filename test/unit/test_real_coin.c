/*
 * test_real_coin.c
 *		Coins of real probability, mostly by their lazy path.
 *
 * At 128 bits a second round is not seen in a lifetime, so that most coins here
 * start with a few bits.
 */
#include <math.h>
#include <stdio.h>

#include "samplers/bernoulli_real.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)

static uint64_t enclosures; /* how many were asked for */

typedef struct Fraction
{
	uint64_t numerator;
	uint64_t denominator;
} Fraction;

static DpStatus
enclose_exponential(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	const Fraction *x = context;

	enclosures++;
	return dp_enclose_exp(x->numerator, x->denominator, bits, lower, upper);
}

/* As tight as can be: floor and ceil. */
static DpStatus
enclose_fraction(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	const Fraction *p = context;
	BN_ULONG rest;

	enclosures++;
	BN_set_word(lower, p->numerator);
	BN_lshift(lower, lower, bits);
	rest = BN_div_word(lower, p->denominator);
	BN_copy(upper, lower);
	if (rest != 0)
		BN_add_word(upper, 1);
	return DP_OK;
}

/* Worse than any real one: a hundred units either way, within 0 .. 2^bits. */
static DpStatus
enclose_loosely(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	BIGNUM *one = BN_new();

	enclose_fraction(context, bits, lower, upper);
	BN_add_word(upper, 100);
	BN_lshift(one, BN_value_one(), bits);
	if (BN_cmp(upper, one) > 0)
		BN_copy(upper, one);
	BN_free(one);
	if (BN_num_bits(lower) < 8)
		BN_zero(lower);
	else
		BN_sub_word(lower, 100);
	return DP_OK;
}

static DpStatus
enclose_never(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	(void) context;
	(void) bits;
	(void) lower;
	(void) upper;
	return DP_OUT_OF_MEMORY;
}

static void
test_distribution(void)
{
	static const int bits[] = {1, 6, 7, 8, 9, 10, 11, 12, 63, 64, 65, 128};
	static const struct
	{
		DpEnclose enclose;
		Fraction x;
		double p;
	} coins[] = {
		{enclose_exponential, {1, 10}, 0.90483741803595957},
		{enclose_exponential, {1, 1}, 0.36787944117144233},
		{enclose_exponential, {5, 1}, 0.0067379469990854671},
		{enclose_fraction, {1, 3}, 1.0 / 3},
		{enclose_fraction, {1, 2}, 0.5},
		{enclose_fraction, {63, 64}, 63.0 / 64},
		{enclose_fraction, {1, 1000}, 0.001},
		{enclose_loosely, {1, 3}, 1.0 / 3},
		{enclose_loosely, {999, 1000}, 0.999},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 41);
	size_t c;
	size_t b;

	for (c = 0; c < sizeof(coins) / sizeof(coins[0]); c++)
	{
		for (b = 0; b < sizeof(bits) / sizeof(bits[0]); b++)
		{
			DpRealCoin coin;
			uint64_t count = 0;
			uint64_t draws = bits[b] < 8 ? 60000 : 120000;
			uint64_t i;
			DpStatus status = dp_real_coin_init(&coin, coins[c].enclose,
												&coins[c].x, bits[b]);

			enclosures = 0;
			for (i = 0; i < draws && status == DP_OK; i++)
			{
				bool result;

				status = dp_real_coin_draw(random, &coin, &coins[c].x, &result);
				count += status == DP_OK && result;
			}
			fits_coin(count, coins[c].p, draws,
					  "coin %zu that starts with %d bits", c, bits[b]);

			/* a draw is undecided with about 2^-bits times the difference */
			if (coins[c].enclose == enclose_exponential && bits[b] <= 12)
				ok(enclosures > (draws >> bits[b]) / 2 &&
					   enclosures < (draws >> bits[b]) * 8 + 200,
				   "of which %llu took further rounds",
				   (unsigned long long) enclosures);
			if (bits[b] >= 63)
				is_int((long long) enclosures, 0, "of which none did");
		}
	}
}

/* Probabilities so small that only a first word of zeros can lead to true. */
static void
test_tiny(void)
{
	static const int exponents[] = {40, 60, 80};
	size_t e;

	for (e = 0; e < sizeof(exponents) / sizeof(exponents[0]); e++)
	{
		Fraction x = {(uint64_t) exponents[e], 1};
		/* so many zero bits first leave a probability of 1/2 to 1 */
		int zeros = (int) (exponents[e] / log(2.0));
		double p = ldexp(exp(-exponents[e]), zeros);
		uint64_t state = 42;
		uint64_t count = 0;
		DpRealCoin coin;
		int i;

		dp_real_coin_init(&coin, enclose_exponential, &x, DP_REAL_BITS);
		for (i = 0; i < 100000; i++)
		{
			uint64_t words[2] = {random_next(&state), random_next(&state)};
			TestRandom source;
			bool result;

			if (zeros >= 64)
			{
				words[0] = 0;
				words[1] = zeros > 64 ? words[1] >> (zeros - 64) : words[1];
			}
			else
				words[0] >>= zeros;
			if (dp_real_coin_draw(
					random_words_then_seeded(&source, words, 2, 1), &coin, &x,
					&result) != DP_OK)
				break;
			count += result;
		}
		fits_coin(count, p, 100000, "exp(-%d) after %d zeros", exponents[e],
				  zeros);
	}
}

/*
 * p = 1/3 = 0.010101..., whose enclosures are [0x55...5, 0x55...6]: a draw
 * decides at its first bit that differs.
 */
static void
test_words(void)
{
	static const uint64_t fives = 0x5555555555555555u;
	/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
	static const struct
	{
		Fraction p;
		int bits;
		uint64_t words[12];
		size_t used;
		bool expected;
	} cases[] = {
		{{1, 3}, 128, {0x5555555555555554, ONES}, 2, true},
		{{1, 3}, 128, {0x5555555555555556, 0}, 2, false},
		{{1, 3}, 128, {0x5555555555555555, 0x5555555555555554}, 2, true},
		{{1, 3}, 128, {0x5555555555555555, 0x5555555555555556}, 2, false},
		/* 128 bits more, high word first */
		{{1, 3}, 128, {fives, fives, fives, fives - 1}, 4, true},
		{{1, 3}, 128, {fives, fives, fives, fives + 1}, 4, false},
		{{1, 3}, 128, {fives, fives, fives - 1, ONES}, 4, true},
		/* another 256 */
		{{1, 3}, 128, {fives, fives, fives, fives, 0, 0, 0, 0}, 8, true},
		{{1, 3}, 128, {fives, fives, fives, fives, ONES, 0, 0, 0}, 8, false},
		{{1, 3},
		 128,
		 {fives, fives, fives, fives, fives, fives, fives, fives - 1},
		 8,
		 true},
		/* the first 6 bits of one word, then the first 6, then 12 */
		{{1, 3}, 6, {0x5000000000000000}, 1, true},
		{{1, 3}, 6, {0x5800000000000000}, 1, false},
		{{1, 3}, 6, {fives, 0x5000000000000000}, 2, true},
		{{1, 3}, 6, {fives, 0x5800000000000000}, 2, false},
		{{1, 3}, 6, {fives, fives, 0x5560000000000000}, 3, false},
		{{1, 3}, 6, {fives, fives, 0x5540000000000000}, 3, true},
		/* 1/2 at one bit is known exactly */
		{{1, 2}, 1, {TOP - 1}, 1, true},
		{{1, 2}, 1, {TOP}, 1, false},
		/* certainty */
		{{1, 1}, 128, {0, 0}, 2, true},
		{{1, 1}, 8, {ONES}, 1, true},
		/* the greatest draw cannot be told from 1 at first */
		{{1, 1}, 128, {ONES, ONES, ONES, ONES}, 4, true},
		{{1, 1}, 128, {ONES, ONES - 1}, 2, true},
		/* impossibility */
		{{0, 1}, 128, {0, 0}, 2, false},
		{{0, 1}, 1, {0}, 1, false},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		DpRealCoin coin;
		bool result = !cases[i].expected;
		DpStatus status = dp_real_coin_init(&coin, enclose_fraction,
											&cases[i].p, cases[i].bits);

		if (status == DP_OK)
			status =
				dp_real_coin_draw(random_words(&source, cases[i].words, 12),
								  &coin, &cases[i].p, &result);
		ok(status == DP_OK && result == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of a real coin, case %zu", i);
	}
}

static void
test_errors(void)
{
	Fraction p = {1, 2};
	DpRealCoin coin;

	is_int(dp_real_coin_init(&coin, enclose_fraction, &p, 0),
		   DP_PARAMETER_OUT_OF_RANGE, "0 bits");
	is_int(dp_real_coin_init(&coin, enclose_fraction, &p, 129),
		   DP_PARAMETER_OUT_OF_RANGE, "129 bits");
	is_int(dp_real_coin_init(&coin, enclose_never, &p, 128), DP_OUT_OF_MEMORY,
		   "an enclosure that fails");
}

int
main(void)
{
	test_distribution();
	test_tiny();
	test_words();
	test_errors();
	return done_testing();
}
