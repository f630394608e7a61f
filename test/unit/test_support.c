/*
 * test_support.c
 *		The helpers of the other tests: would they notice anything?
 */
#include <math.h>

#include "support/random_fixed.h"
#include "support/statistic.h"

static void
test_gamma(void)
{
	double pi = acos(-1.0);

	is_double(chi_square_tail(0, 3), 1, 0, "a statistic of 0 is certain");
	/* two degrees of freedom: exp(-x/2) */
	is_double(chi_square_tail(10, 2), exp(-5), 1e-16, "2 degrees, 10");
	is_double(chi_square_tail(60, 2) / exp(-30), 1, 1e-12, "2 degrees, 60");
	is_double(chi_square_tail(0.5, 2), exp(-0.25), 1e-15, "2 degrees, 0.5");
	/* one: erfc(sqrt(x/2)); four: (1 + x/2) exp(-x/2) */
	is_double(chi_square_tail(45, 1) / erfc(sqrt(22.5)), 1, 1e-12,
			  "1 degree, 45");
	is_double(chi_square_tail(2, 1), erfc(1), 1e-14, "1 degree, 2");
	is_double(chi_square_tail(30, 4) / (16 * exp(-15)), 1, 1e-12,
			  "4 degrees, 30");
	/* 7: erfc(y) + exp(-x/2) sqrt(2x/pi) (1 + x/3 + x^2/15), y = sqrt(x/2) */
	is_double(chi_square_tail(9, 7),
			  erfc(sqrt(4.5)) + exp(-4.5) * sqrt(18 / pi) * (1 + 3 + 81.0 / 15),
			  1e-14, "7 degrees, 9");
	is_double(chi_square_tail(1000, 1000), 0.49405285382921877, 1e-9,
			  "1000 degrees, 1000");
}

static void
test_pooling(void)
{
	uint64_t counts[5] = {10, 45, 45, 500, 400};
	double even[5] = {0.01, 0.045, 0.045, 0.5, 0.4};
	double wrong[5] = {0.01, 0.045, 0.045, 0.4, 0.5};
	size_t pooled;

	is_double(fit_p_value(counts, even, 5, 1000, &pooled), 1, 1e-12,
			  "counts as expected");
	is_int((long long) pooled, 3, "small cells are pooled");
	ok(fit_p_value(counts, wrong, 5, 1000, NULL) < 1e-7,
	   "a wrong distribution is noticed");
	is_double(fit_p_value(counts, even, 4, 1000, &pooled), 1, 1e-12,
			  "what is not listed is the last cell");
	is_int((long long) pooled, 3, "it counts as a cell");
	ok(fit_p_value(counts, even, 4, 700, NULL) < 1e-11,
	   "draws that are not where they should be are noticed");
	ok(fit_p_value(counts, even, 5, 10, NULL) == 0,
	   "a sample too small to tell anything fails");
}

static void
test_generator(void)
{
	static double probabilities[100];
	static uint64_t counts[100];
	uint64_t state = 1;
	int i;

	for (i = 0; i < 1000000; i++)
		counts[random_next_below(&state, 100)]++;
	for (i = 0; i < 100; i++)
		probabilities[i] = 0.01;
	fits(counts, probabilities, 100, 1000000, "the generator is uniform");
	counts[7] += 1000;
	counts[8] -= 1000;
	ok(fit_p_value(counts, probabilities, 100, 1000000, NULL) < STATISTIC_ALARM,
	   "two of a hundred cells wrong by a tenth are noticed");
}

static void
test_sources(void)
{
	uint64_t words[3] = {11, 22, 33};
	uint64_t word;
	TestRandom source;
	TestRandom other;
	DpRandom *random = random_words(&source, words, 3);
	int i;
	int delivered = 0;
	bool same = true;

	for (i = 0; i < 3; i++)
		ok(dp_random_word(random, &word) == DP_OK && word == words[i],
		   "fixed word %d", i);
	ok(dp_random_word(random, &word) == DP_RANDOM_FAILED, "no fourth word");
	is_int((long long) random_consumed(&source), 3, "three were consumed");

	random_failing_after(&source, 5, 1200);
	while (delivered < 5000 && dp_random_word(&source.random, &word) == DP_OK)
		delivered++;
	is_int(delivered, 1200, "a source that fails after 1200 words");

	random_seeded(&source, 9);
	random_words_then_seeded(&other, words, 3, 9);
	for (i = 0; i < 3; i++)
		same = same && dp_random_word(&other.random, &word) == DP_OK &&
			   word == words[i];
	for (i = 0; i < 2000; i++)
	{
		uint64_t expected;

		same = same && dp_random_word(&source.random, &expected) == DP_OK &&
			   dp_random_word(&other.random, &word) == DP_OK &&
			   word == expected;
	}
	ok(same, "fixed words, then the seeded ones");
}

int
main(void)
{
	test_gamma();
	test_pooling();
	test_generator();
	test_sources();
	return done_testing();
}
