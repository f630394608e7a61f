/*
 * test_select.c
 *		Windows of ranks against a full sort.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/select.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a;
	int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* The window as a sort has it, smaller before, greater after, all still there */
static bool
is_window(const int64_t *values, int64_t *copy, const int64_t *sorted,
		  size_t count, size_t first, size_t last)
{
	size_t i;

	for (i = first; i < last; i++)
	{
		if (values[i] != sorted[i])
			return false;
	}
	for (i = 0; first < last && i < first; i++)
	{
		if (values[i] > sorted[first])
			return false;
	}
	for (i = last; first < last && i < count; i++)
	{
		if (values[i] < sorted[last - 1])
			return false;
	}
	memcpy(copy, values, count * sizeof(*copy));
	qsort(copy, count, sizeof(*copy), compare);
	return memcmp(copy, sorted, count * sizeof(*copy)) == 0;
}

static void
test_random(void)
{
	static const uint64_t kinds[] = {1, 2, 3, 10, 1000, UINT64_MAX};
	uint64_t state = 95;
	size_t kind;
	int64_t beyond[2] = {2, 1};

	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
	{
		bool good = true;
		int round;

		for (round = 0; round < 4000; round++)
		{
			int64_t values[200] = {0};
			int64_t sorted[200];
			int64_t copy[200];
			size_t count = random_next_below(&state, 200);
			size_t first = random_next_below(&state, count + 1);
			size_t last = first + random_next_below(&state, count - first + 1);
			size_t i;

			for (i = 0; i < count; i++)
				values[i] = (int64_t) (random_next_below(&state, kinds[kind]) -
									   kinds[kind] / 2);
			memcpy(sorted, values, sizeof(sorted));
			qsort(sorted, count, sizeof(*sorted), compare);
			dp_select_window(values, count, first, last);
			good = good && is_window(values, copy, sorted, count, first, last);
		}
		ok(good, "arrays of %llu different values",
		   (unsigned long long) kinds[kind]);
	}
	dp_select_window(NULL, 0, 0, 0);
	dp_select_window(beyond, 0, 0, 0);
	ok(beyond[0] == 2 && beyond[1] == 1, "nothing of nothing");
}

/* A million values, arranged in ways that are bad for some quicksorts. */
static void
test_speed(void)
{
	enum
	{
		MANY = 1000000
	};
	static const char *const names[] = {"equal",	  "two values", "ascending",
										"descending", "organ pipe", "sawtooth"};
	int64_t *values = malloc(MANY * sizeof(*values));
	int64_t *sorted = malloc(MANY * sizeof(*sorted));
	int64_t *copy = malloc(MANY * sizeof(*copy));
	int kind;

	for (kind = 0; kind < 6 && values && sorted && copy; kind++)
	{
		clock_t start;
		double seconds;
		int64_t i;

		for (i = 0; i < MANY; i++)
		{
			int64_t all[6] = {
				5, i & 1, i, -i, i < MANY / 2 ? i : MANY - i, i % 1000};

			values[i] = all[kind];
		}
		memcpy(sorted, values, MANY * sizeof(*sorted));
		qsort(sorted, MANY, sizeof(*sorted), compare);
		start = clock();
		dp_select_window(values, MANY, MANY / 2 - 300, MANY / 2 + 300);
		seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
		ok(seconds < 1 && is_window(values, copy, sorted, MANY, MANY / 2 - 300,
									MANY / 2 + 300),
		   "a million, %s", names[kind]);
	}
	free(values);
	free(sorted);
	free(copy);
}

int
main(void)
{
	test_random();
	test_speed();
	return done_testing();
}
