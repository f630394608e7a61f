/*
 * test_rank_exponential.c
 *		Draws of the rank-scored exponential mechanism.
 */
#include <math.h>
#include <stdlib.h>

#include "samplers/rank_exponential.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/rank_naive.h"
#include "support/statistic.h"

#define F DP_RANK_ONE
#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)

/* A random case: a data set in lower .. upper, a target, a mechanism. */
typedef struct Case
{
	DpRankMechanism mechanism;
	int64_t values[64];
	size_t count;
	int64_t lower;
	int64_t upper;
	int64_t target;
} Case;

static void
random_case(Case *c, uint64_t *state, int bits)
{
	/* steps between 1/16 and 2^16, so windows are cut and are not */
	double epsilon = exp2(random_next_double(state) * 13 - 4);
	uint64_t span = random_next_below(state, 60);
	size_t i;

	c->lower = (int64_t) random_next_below(state, 100) - 50;
	c->upper = c->lower + (int64_t) span;
	c->count = random_next_below(state, 40);
	for (i = 0; i < c->count; i++)
		c->values[i] = c->lower + (int64_t) random_next_below(state, span + 1);
	switch (random_next_below(state, 4))
	{
		case 0:
			c->target = F * (int64_t) random_next_below(state, c->count + 1);
			break;
		case 1:
			c->target = -(int64_t) random_next_below(state, 100 * F);
			break;
		default:
			c->target = (int64_t) random_next_below(state, c->count * F + 1);
			break;
	}
	if (dp_rank_init(&c->mechanism,
					 1 + (int64_t) random_next_below(state, 2 * F),
					 epsilon_of(epsilon), bits) != DP_OK)
		c->count = 1000; /* fails every test */
}

/* The pieces are those of the definition. */
static void
test_pieces(void)
{
	uint64_t state = 61;
	bool partition = true;
	bool same = true;
	int i;

	for (i = 0; i < 20000; i++)
	{
		Case c;
		double expected[64];
		double got[64];
		int64_t v;

		random_case(&c, &state, 128);
		rank_naive_distribution(&c.mechanism, c.target, c.values, c.count,
								c.lower, c.upper, expected);
		partition = partition &&
					rank_piece_distribution(&c.mechanism, c.target, c.values,
											c.count, c.lower, c.upper, got);
		for (v = c.lower; partition && v <= c.upper; v++)
			same = same &&
				   fabs(got[v - c.lower] / expected[v - c.lower] - 1) < 1e-12;
	}
	ok(partition, "pieces are a partition of the domain");
	ok(same, "their weights are those of the definition");
}

/*
 * Words of 512 bits of a uniform real u as a draw of so many bits reads them:
 * its first bits from two words, then 64 at a time, at last what is left.
 */
static void
pack_words(const uint64_t u[8], int bits, uint64_t words[10])
{
	uint64_t shifted[9];
	int at = bits;
	int i;

	words[0] = u[0];
	words[1] = u[1];
	for (i = 2; at < 512; i++, at += 64)
	{
		int place = at / 64;
		int shift = at % 64;
		uint64_t next = place + 1 < 8 ? u[place + 1] : 0;

		shifted[i - 2] =
			shift == 0 ? u[place] : u[place] << shift | next >> (64 - shift);
		words[i] = shifted[i - 2];
	}
}

/*
 * The same real, by the fixed-width path, by the BIGNUM path (with few bits at
 * the start) and by the definition, falls into the same piece.
 */
static void
test_paths(void)
{
	static const int bits[] = {1, 2, 5, 6, 8, 12, 31, 64, 65, 100};
	uint64_t state = 62;
	bool exact = true;
	bool same = true;
	long refined = 0;
	long fixed = 0;
	long compared = 0;
	int i;

	for (i = 0; i < 20000; i++)
	{
		static DpRankPiece pieces[200];
		Case c;
		TestRandom source;
		uint64_t u[9];
		uint64_t words[11];
		long double total = 0;
		long double place;
		long double sum = 0;
		size_t number;
		size_t p;
		size_t j;
		int64_t result;
		int64_t other;
		int b;

		random_case(&c, &state, 128);
		for (j = 0; j < 9; j++)
			u[j] = random_next(&state);
		number = dp_rank_pieces(&c.mechanism, c.target, c.values, c.count,
								c.lower, c.upper, pieces, 200);
		for (p = 0; p < number; p++)
			total += rank_naive_weight(&c.mechanism, pieces[p].k) *
					 (long double) pieces[p].points;
		place = total * ((long double) u[0] + (long double) u[1] * 0x1p-64L) *
				0x1p-64L;
		for (p = 0; p < number; p++)
		{
			long double width = rank_naive_weight(&c.mechanism, pieces[p].k) *
								(long double) pieces[p].points;

			if (place < sum + width)
				break;
			sum += width;
		}
		if (p == number)
			continue; /* rounding; as good as never */

		/* Exactly: the third word chooses within the piece. */
		if (dp_rank_draw(random_words_then_seeded(&source, u, 9, 1),
						 &c.mechanism, c.target, c.values, c.count, c.lower,
						 c.upper, &result) != DP_OK)
			same = false;
		if (random_consumed(&source) == 3)
		{
			int64_t expected =
				pieces[p].start +
				(int64_t) (((dp_uint128) u[2] * pieces[p].points) >> 64);

			fixed++;
			/* long doubles may err next to a border */
			if (result != expected && place - sum > total * 1e-15L)
				exact = false;
		}

		/* The BIGNUM path on the same real. */
		b = bits[i % (int) (sizeof(bits) / sizeof(bits[0]))];
		pack_words(u, b, words);
		c.mechanism.bits = b;
		words[10] = 0;
		if (dp_rank_draw(random_words_then_seeded(&source, words, 10, 2),
						 &c.mechanism, c.target, c.values, c.count, c.lower,
						 c.upper, &other) != DP_OK)
			same = false;
		refined += random_consumed(&source) > 3;
		compared++;
		if ((other < pieces[p].start ||
			 other >= pieces[p].start + (int64_t) pieces[p].points) &&
			place - sum > total * 1e-15L)
			same = false;
	}
	ok(exact, "%ld draws in fixed width are those of the definition", fixed);
	ok(same, "%ld draws that start with a few bits fall into the same piece",
	   compared);
	ok(refined > compared / 10, "%ld of them by the BIGNUM path", refined);
	ok(fixed > 19000, "nearly all draws of 128 bits do without it");
}

/* The distribution, by every path. */
static void
test_distribution(void)
{
	static const int bits[] = {1, 6, 7, 8, 9, 10, 11, 12, 128};
	uint64_t state = 63;
	size_t b;
	int i;

	for (b = 0; b < sizeof(bits) / sizeof(bits[0]); b++)
	{
		for (i = 0; i < 5; i++)
		{
			uint64_t counts[64] = {0};
			double probabilities[64];
			TestRandom source;
			DpRandom *random = random_seeded(&source, 1000 + b);
			int draws = bits[b] < 8 ? 4000 : bits[b] < 128 ? 12000 : 60000;
			Case c;
			double greatest;
			int64_t v;
			int n;

			/* one that has more than one likely point */
			do
			{
				random_case(&c, &state, bits[b]);
				rank_naive_distribution(&c.mechanism, c.target, c.values,
										c.count, c.lower, c.upper,
										probabilities);
				greatest = 0;
				for (v = c.lower; v <= c.upper; v++)
					greatest = fmax(greatest, probabilities[v - c.lower]);
			} while (greatest > 0.7 || c.count < 5);
			for (n = 0; n < draws; n++)
			{
				int64_t result;

				if (dp_rank_draw(random, &c.mechanism, c.target, c.values,
								 c.count, c.lower, c.upper, &result) != DP_OK)
					break;
				counts[result - c.lower]++;
			}
			fits(counts, probabilities, (size_t) (c.upper - c.lower + 1),
				 (uint64_t) draws, "data set %d, draws that start with %d bits",
				 i, bits[b]);
		}
	}
}

/*
 * Two values 0 and 3 in 0 .. 3 and the target between them: three pieces of
 * weight one each a point, walked as 1 .. 2, then 3, then 0; a draw r gives the
 * place 4 r.
 */
static void
test_words(void)
{
	static const struct
	{
		uint64_t words[16];
		size_t used;
		int64_t expected;
	} cases[] = {
		/* the third word is the place within the piece */
		{{0, 0, 0}, 3, 1},
		{{0, 0, ONES}, 3, 2},
		{{TOP - 1, 0, TOP}, 3, 2},
		{{TOP, 0, 0}, 3, 3},
		{{TOP + TOP / 2 - 1, 0, 0}, 3, 3},
		{{TOP + TOP / 2, 0, 0}, 3, 0},
		/* next below a border: 384 bits more, and the first tells */
		{{TOP - 1, ONES, 0, 0, 0, 0, 0, 0, ONES}, 9, 2},
		/* all of them ones: another 512 */
		{{TOP - 1, ONES, ONES, ONES, ONES, ONES, ONES, ONES, 0, 0, 0, 0, 0, 0,
		  0, 0},
		 17,
		 1},
		/* the last place of all: weights of one are known exactly */
		{{ONES, ONES, 0}, 3, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		int64_t values[2] = {3, 0};
		uint64_t words[17] = {0};
		DpRankMechanism mechanism;
		TestRandom source;
		int64_t result = -1;
		size_t w;

		for (w = 0; w < 16; w++)
			words[w] = cases[i].words[w];
		ok(dp_rank_init(&mechanism, F, epsilon_of(1), DP_RANK_DRAW_BITS) ==
				   DP_OK &&
			   dp_rank_draw(random_words(&source, words, 17), &mechanism, F,
							values, 2, 0, 3, &result) == DP_OK &&
			   result == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of a rank draw, case %zu", i);
	}
}

/* Draws stay within the bounds, whatever the data. */
static bool
stays_within(double epsilon, int64_t sensitivity, int64_t target,
			 int64_t *values, size_t count, int64_t lower, int64_t upper,
			 int draws)
{
	DpRankMechanism mechanism;
	TestRandom source;
	DpRandom *random = random_seeded(&source, 64);
	int i;

	if (dp_rank_init(&mechanism, sensitivity, epsilon_of(epsilon),
					 DP_RANK_DRAW_BITS) != DP_OK)
		return false;
	for (i = 0; i < draws; i++)
	{
		int64_t result;

		if (dp_rank_draw(random, &mechanism, target, values, count, lower,
						 upper, &result) != DP_OK ||
			result < lower || result > upper)
			return false;
	}
	return true;
}

static void
test_totality(void)
{
	static const double epsilons[] = {0x1p-20, 0.01, 1, 40, 1e6};
	static const int64_t sensitivities[] = {1, F / 2, F, 2 * F};
	enum
	{
		MANY = 1000000
	};
	int64_t *values = malloc(MANY * sizeof(*values));
	size_t e;
	size_t s;
	size_t i;

	if (values == NULL)
		return;
	for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
	{
		bool good = true;
		double eps = epsilons[e];

		for (s = 0; s < sizeof(sensitivities) / sizeof(sensitivities[0]); s++)
		{
			int64_t d = sensitivities[s];
			int64_t small[6] = {-5, -5, 0, 0, 7, 7};
			int64_t bounds = (int64_t) 1 << 52;

			good = good && stays_within(eps, d, 0, NULL, 0, -5, 5, 50);
			good = good && stays_within(eps, d, -7 * F, NULL, 0, 3, 3, 50);
			good = good &&
				   stays_within(eps, d, 0, NULL, 0, -bounds, bounds - 1, 50);
			good = good && stays_within(eps, d, F / 3, small, 1, -5, 7, 50);
			good = good && stays_within(eps, d, 3 * F, small, 6, -5, 7, 50);
			good = good && stays_within(eps, d, 6 * F, small, 6, -5, 7, 50);
			good = good && stays_within(eps, d, 0, small, 6, -5, 7, 50);
			good = good &&
				   stays_within(eps, d, -1000000000 * F, small, 6, -5, 7, 50);
			good = good && stays_within(eps, d, 3 * F + 1, small, 6, -bounds,
										bounds - 1, 50);
			for (i = 0; i < 6; i++)
				small[i] = 9;
			good = good && stays_within(eps, d, 3 * F, small, 6, 9, 9, 50);
			good = good && stays_within(eps, d, 3 * F, small, 6, 0, 9, 50);
		}
		ok(good, "small data, epsilon %g", eps);

		for (i = 0; i < MANY; i++)
			values[i] = 5;
		ok(stays_within(eps, F / 2, MANY / 2 * F, values, MANY, 0, 10, 2),
		   "a million duplicates, epsilon %g", eps);
		for (i = 0; i < MANY; i++)
			values[i] = i % 3 ? 0 : 10;
		ok(stays_within(eps, F / 2, MANY / 2 * F, values, MANY, 0, 10, 2),
		   "a million values at both ends, epsilon %g", eps);
	}
	for (i = 0; i < MANY; i++)
		values[i] = (int64_t) ((i * 7919) % MANY);
	ok(stays_within(0x1p-20, F / 2, MANY / 2 * F, values, MANY, 0, MANY, 2),
	   "a million values, epsilon 2^-20");
	ok(stays_within(1, F / 2, MANY / 2 * F, values, MANY, 0, MANY, 10),
	   "a million values, epsilon 1");
	free(values);
}

/* The ends of the type: the points beyond the bounds do not fit it. */
static void
test_type_limits(void)
{
	static const int64_t ends[2][2] = {{INT64_MAX - 9, INT64_MAX},
									   {INT64_MIN, INT64_MIN + 9}};
	int end;

	for (end = 0; end < 2; end++)
	{
		int64_t lower = ends[end][0];
		int64_t values[3] = {lower + 2, lower + 2, lower + 5};
		int64_t at_ends[3] = {lower, lower + 9, lower + 9};
		uint64_t counts[10] = {0};
		double probabilities[10] = {0};
		double expected[10];
		DpRankMechanism mechanism;
		TestRandom source;
		DpRandom *random = random_seeded(&source, 65);
		bool same = true;
		int i;

		dp_rank_init(&mechanism, F / 2, epsilon_of(1), DP_RANK_DRAW_BITS);
		for (i = 0; i < 20000; i++)
		{
			int64_t result;

			if (dp_rank_draw(random, &mechanism, 3 * F / 2, values, 3, lower,
							 lower + 9, &result) != DP_OK ||
				result < lower || result > ends[end][1])
				break;
			counts[result - lower]++;
		}
		for (i = 0; i < 10; i++)
			probabilities[i] = (double) rank_naive_weight(
				&mechanism,
				rank_naive_score(&mechanism, 3 * F / 2, values, 3, lower + i));
		{
			double total = 0;

			for (i = 0; i < 10; i++)
				total += probabilities[i];
			for (i = 0; i < 10; i++)
				probabilities[i] /= total;
		}
		fits(counts, probabilities, 10, 20000, "a domain at the %s of the type",
			 end ? "bottom" : "top");
		for (i = 0; i < 10; i++)
			counts[i] = 0;
		for (i = 0; i < 20000; i++)
		{
			int64_t result;

			if (dp_rank_draw(random, &mechanism, F, at_ends, 3, lower,
							 lower + 9, &result) != DP_OK ||
				result < lower || result > ends[end][1])
				break;
			counts[result - lower]++;
		}
		{
			double total = 0;

			for (i = 0; i < 10; i++)
			{
				expected[i] = (double) rank_naive_weight(
					&mechanism,
					rank_naive_score(&mechanism, F, at_ends, 3, lower + i));
				total += expected[i];
			}
			for (i = 0; i < 10; i++)
			{
				expected[i] /= total;
				same = same && counts[i] > 0;
			}
		}
		fits(counts, expected, 10, 20000, "with values at both of its ends");
		ok(same, "every point of it can be drawn");
	}
}

static void
test_limits(void)
{
	DpRankMechanism mechanism;

	is_int(dp_rank_init(&mechanism, 0, epsilon_of(1), 128),
		   DP_SENSITIVITY_OUT_OF_RANGE, "no sensitivity");
	is_int(dp_rank_init(&mechanism, 2 * F + 1, epsilon_of(1), 128),
		   DP_SENSITIVITY_OUT_OF_RANGE, "sensitivity above 2F");
	is_int(dp_rank_init(&mechanism, -F, epsilon_of(1), 128),
		   DP_SENSITIVITY_OUT_OF_RANGE, "negative sensitivity");
	is_int(dp_rank_init(&mechanism, F, epsilon_of(1), 0),
		   DP_PARAMETER_OUT_OF_RANGE, "no bits");
	is_int(dp_rank_init(&mechanism, F, epsilon_of(1), 129),
		   DP_PARAMETER_OUT_OF_RANGE, "too many bits");
}

int
main(void)
{
	test_pieces();
	test_paths();
	test_distribution();
	test_words();
	test_totality();
	test_type_limits();
	test_limits();
	return done_testing();
}
