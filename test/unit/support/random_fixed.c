/*
 * random_fixed.c
 *		Random sources that a test controls.
 */
#include <math.h>
#include <string.h>

#include "core/int128.h"
#include "support/random_fixed.h"

uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t
random_next_below(uint64_t *state, uint64_t bound)
{
	return (uint64_t) (((dp_uint128) random_next(state) * bound) >> 64);
}

double
random_next_double(uint64_t *state)
{
	return ((double) (random_next(state) >> 12) + 0.5) * 0x1p-52;
}

double
random_next_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(random_next_double(state)));

	return radius * cos(2 * acos(-1.0) * random_next_double(state));
}

static bool
fill_seeded(void *context, unsigned char *bytes, size_t count)
{
	TestRandom *source = context;
	size_t i;

	source->fills++;
	if (source->fills_left == 0)
	{
		/* A source may have written something before it failed. */
		memset(bytes, 0x5a, count);
		return false;
	}
	if (source->fills_left != UINT64_MAX)
		source->fills_left--;
	for (i = 0; i < count; i += sizeof(uint64_t))
	{
		uint64_t word = random_next(&source->state);

		memcpy(bytes + i, &word, sizeof(word));
	}
	source->supplied += count / sizeof(uint64_t);
	return true;
}

static DpRandom *
init(TestRandom *source, uint64_t seed, uint64_t fills)
{
	memset(source, 0, sizeof(*source));
	source->random.fill = fill_seeded;
	source->random.context = source;
	source->random.pool = &source->pool;
	source->state = seed;
	source->fills_left = fills;
	return &source->random;
}

/* The pool hands out its last word first. */
static void
put_words(TestRandom *source, const uint64_t *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		source->pool.words[count - 1 - i] = words[i];
	source->pool.left = count;
	source->supplied = count;
}

DpRandom *
random_seeded(TestRandom *source, uint64_t seed)
{
	return init(source, seed, UINT64_MAX);
}

DpRandom *
random_words(TestRandom *source, const uint64_t *words, size_t count)
{
	init(source, 0, 0);
	put_words(source, words, count);
	return &source->random;
}

DpRandom *
random_words_then_seeded(TestRandom *source, const uint64_t *words,
						 size_t count, uint64_t seed)
{
	init(source, seed, UINT64_MAX);
	put_words(source, words, count);
	return &source->random;
}

DpRandom *
random_failing_after(TestRandom *source, uint64_t seed, uint64_t count)
{
	uint64_t words[DP_RANDOM_WORDS];
	size_t first = (size_t) (count % DP_RANDOM_WORDS);
	size_t i;

	init(source, seed, count / DP_RANDOM_WORDS);
	for (i = 0; i < first; i++)
		words[i] = random_next(&source->state);
	put_words(source, words, first);
	return &source->random;
}

uint64_t
random_consumed(const TestRandom *source)
{
	return source->supplied - source->pool.left;
}
