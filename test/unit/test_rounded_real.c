/*
 * test_rounded_real.c
 *		Rounded Cauchy and Laplace noise against their closed forms.
 *
 * With few bits at the start, cells must often be refined; the law must not
 * know of it.
 */
#include <math.h>

#include "samplers/rounded_real.h"
#include "support/random_fixed.h"
#include "support/sample.h"

typedef DpStatus (*Draw)(DpRandom *random, DpScale scale, uint64_t limit,
						 int bits, int64_t *value);
typedef double (*Below)(double scale, double z);

typedef struct Case
{
	Draw draw;
	Below below;
	DpScale scale;
	uint64_t limit;
	int bits;
} Case;

static TestRandom source;

static double
scale_of(const Case *c)
{
	return (double) c->scale.numerator / (double) c->scale.denominator;
}

static DpStatus
draw_case(DpRandom *random, const void *context, dp_int128 *value)
{
	const Case *c = context;
	int64_t drawn;

	DP_TRY(c->draw(random, c->scale, c->limit, c->bits, &drawn));
	*value = drawn;
	return DP_OK;
}

static double
below_case(const void *context, double z)
{
	const Case *c = context;

	if (z >= (double) c->limit)
		return 1;
	if (z < -(double) c->limit)
		return 0;
	return c->below(scale_of(c), z);
}

static double
pmf_case(const void *context, double z)
{
	return below_case(context, z) - below_case(context, z - 1);
}

static void
test_laws(const char *name, Draw draw, Below below)
{
	static const int bits[] = {1, 6, 64};
	static const DpScale scales[] = {{1, 8}, {2, 3}, {1, 1}, {7, 2}, {100, 3}};
	DpRandom *random = random_seeded(&source, 521);
	size_t b;
	size_t s;

	for (b = 0; b < sizeof(bits) / sizeof(bits[0]); b++)
	{
		for (s = 0; s < sizeof(scales) / sizeof(scales[0]); s++)
		{
			Case c = {draw, below, scales[s], (uint64_t) 1 << 60, bits[b]};

			sample_fits(random, draw_case, pmf_case, &c, 40, 30000, name);
		}
	}
	{
		Case c = {draw, below, {5, 2}, 4, 6};

		sample_fits(random, draw_case, pmf_case, &c, 4, 30000,
					"clamped to its limit");
	}
	{
		/* scales of real use: 2^72 / 8 and an odd one */
		Case c = {draw,
				  below,
				  {(dp_uint128) 0x123456789abcdefu << 20, 999999999989u},
				  (uint64_t) 1 << 61,
				  64};

		sample_fits_binned(random, draw_case, below_case, &c, scale_of(&c) / 4,
						   50000, "a wide scale");
	}
}

/* Few words lead to the same integers as many: only more of them are used. */
static void
test_limits(void)
{
	DpRandom *random = random_seeded(&source, 522);
	DpScale vast = {(dp_uint128) 1 << 100, 1};
	DpScale tiny = {1, (uint64_t) 1 << 62};
	bool good = true;
	int i;

	for (i = 0; i < 2000; i++)
	{
		int64_t value = 7;

		good =
			good &&
			dp_rounded_cauchy_draw(random, vast, 1000, 64, &value) == DP_OK &&
			(value == 1000 || value == -1000);
		good =
			good &&
			dp_rounded_laplace_draw(random, vast, 1000, 64, &value) == DP_OK &&
			(value == 1000 || value == -1000);
		good =
			good &&
			dp_rounded_laplace_draw(random, tiny, 1000, 64, &value) == DP_OK &&
			value == 0;
		good =
			good &&
			dp_rounded_cauchy_draw(random, tiny, 1000, 64, &value) == DP_OK &&
			value == 0;
		good = good &&
			   dp_rounded_cauchy_draw(random, (DpScale){3, 1}, 0, 64, &value) ==
				   DP_OK &&
			   value == 0;
	}
	ok(good, "scales and limits at their ends");
}

/*
 * Zero words: u = v = 0 at first, a cell that rounds to anything, and must be
 * refined until it does not.
 */
static void
test_corner(void)
{
	uint64_t zeros[20] = {0};
	TestRandom other;
	int64_t value = -1;

	ok(dp_rounded_cauchy_draw(random_words_then_seeded(&other, zeros, 20, 523),
							  (DpScale){3, 1}, 1000, 8, &value) == DP_OK &&
		   value >= -1000 && value <= 1000,
	   "a point near the origin");
	ok(random_consumed(&other) > 20, "which took more words than at first");
	ok(dp_rounded_cauchy_draw(random_failing_after(&other, 524, 2),
							  (DpScale){3, 1}, 1000, 64,
							  &value) == DP_RANDOM_FAILED,
	   "a random source that fails");
	ok(dp_rounded_laplace_draw(random_failing_after(&other, 525, 2),
							   (DpScale){3, 1}, 1000, 64,
							   &value) == DP_RANDOM_FAILED,
	   "there too");
}

int
main(void)
{
	test_laws("Cauchy", dp_rounded_cauchy_draw, dp_rounded_cauchy_below);
	test_laws("Laplace", dp_rounded_laplace_draw, dp_rounded_laplace_below);
	test_limits();
	test_corner();
	return done_testing();
}
