/*
 * select.c
 *		Quickselect with three-way partitions.
 *
 * Pivots are chosen by a generator of its own, seeded by the count, so that no
 * ordinary arrangement of data is slow. Privacy does not depend on it.
 */
#include <stdlib.h>

#include "core/int128.h"
#include "core/select.h"

static int
compare_integers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a;
	int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

static void
swap(int64_t *a, int64_t *b)
{
	int64_t kept = *a;

	*a = *b;
	*b = kept;
}

/* A multiplicative congruential step; the high half is returned. */
static size_t
next_below(uint64_t *state, size_t bound)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (size_t) (((dp_uint128) (*state) * bound) >> 64);
}

/*
 * Moves the value of the given rank to its index, with nothing greater before
 * it and nothing smaller after it. Only [first, last) is touched.
 */
static void
select_rank(int64_t *values, size_t first, size_t last, size_t rank)
{
	uint64_t state = last - first;

	while (last - first > 1)
	{
		int64_t pivot = values[first + next_below(&state, last - first)];
		size_t below = first; /* [first, below): less than the pivot */
		size_t above = last;  /* [above, last): greater */
		size_t i = first;

		while (i < above)
		{
			if (values[i] < pivot)
				swap(&values[i++], &values[below++]);
			else if (values[i] > pivot)
				swap(&values[i], &values[--above]);
			else
				i++;
		}
		if (rank < below)
			last = below;
		else if (rank >= above)
			first = above;
		else
			return;
	}
}

void
dp_select_window(int64_t *values, size_t count, size_t first, size_t last)
{
	if (first > 0 && first < count)
		select_rank(values, 0, count, first);
	if (last > first && last < count)
		select_rank(values, first, count, last);
	if (last - first > 1)
		qsort(values + first, last - first, sizeof(*values), compare_integers);
}
