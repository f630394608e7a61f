/*
 * test_sort.c
 *		Sorting by digits, against the library's.
 */
#include <stdlib.h>
#include <string.h>

#include "core/sort.h"
#include "support/tap.h"

#define MANY 200000

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a;
	int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

static uint64_t
next_word(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state ^ *state >> 31;
}

/* So many values of a kind: of so many bits, crowded, with ends, all alike. */
static void
make_values(int64_t *values, size_t count, int bits, bool crowded)
{
	uint64_t state = count + (uint64_t) bits;
	size_t i;

	for (i = 0; i < count; i++)
	{
		uint64_t word = next_word(&state);

		values[i] = bits == 0 ? 7 : (int64_t) (word >> (64 - bits));
		if (bits < 63)
			values[i] -= (int64_t) ((uint64_t) 1 << bits) / 3;
		if (crowded && i % 5 == 0)
			values[i] = i % 10 == 0 ? INT64_MIN : INT64_MAX;
	}
}

static bool
sorts(size_t count, int bits, bool crowded)
{
	int64_t *values = malloc((count + 1) * sizeof(int64_t));
	int64_t *wanted = malloc((count + 1) * sizeof(int64_t));
	bool result;

	make_values(values, count, bits, crowded);
	memcpy(wanted, values, count * sizeof(int64_t));
	qsort(wanted, count, sizeof(int64_t), compare);
	dp_sort(values, count);
	result = memcmp(values, wanted, count * sizeof(int64_t)) == 0;
	free(values);
	free(wanted);
	return result;
}

int
main(void)
{
	static const size_t counts[] = {0, 1, 2, 47, 48, 49, 1000, MANY};
	static const int bits[] = {0, 1, 5, 8, 9, 16, 17, 40, 63, 64};
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		for (j = 0; j < sizeof(bits) / sizeof(bits[0]); j++)
		{
			ok(sorts(counts[i], bits[j], false), "%zu values of %d bits",
			   counts[i], bits[j]);
			ok(sorts(counts[i], bits[j], true), "%zu with the ends of the type",
			   counts[i]);
		}
	}
	return done_testing();
}
