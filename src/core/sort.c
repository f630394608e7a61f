/*
 * sort.c
 *		Radix sort in place, from the highest digit down.
 *
 * The values are divided into 256 parts of equal width by their distance from
 * the least one, and each part again, by its own least and greatest value. So
 * the depth is at most eight, and values that lie close together cost no extra
 * pass.
 */
#include <stdbool.h>

#include "core/sort.h"

#define PARTS 256

/* Fewer values than this are sorted by insertion. */
#define FEW 48

static void
sort_few(int64_t *values, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
	{
		int64_t value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

/* The least value, and the number of bits of the distance to the greatest. */
static int64_t
find_range(const int64_t *values, size_t count, int *bits)
{
	int64_t least = values[0];
	int64_t greatest = values[0];
	uint64_t distance;
	size_t i;

	for (i = 1; i < count; i++)
	{
		least = values[i] < least ? values[i] : least;
		greatest = values[i] > greatest ? values[i] : greatest;
	}
	distance = (uint64_t) greatest - (uint64_t) least;
	for (*bits = 0; *bits < 64 && distance >> *bits > 0; (*bits)++)
		;
	return least;
}

void
dp_sort(int64_t *values, size_t count)
{
	size_t next[PARTS] = {0}; /* where a part's next value goes */
	size_t end[PARTS];
	size_t at = 0;
	int64_t least;
	int bits;
	int shift;
	size_t i;

	if (count < FEW)
	{
		sort_few(values, count);
		return;
	}
	least = find_range(values, count, &bits);
	if (bits == 0)
		return;
	shift = bits > 8 ? bits - 8 : 0;
#define PART_OF(value) (((uint64_t) (value) - (uint64_t) least) >> shift)
	for (i = 0; i < count; i++)
		next[PART_OF(values[i])]++;
	for (i = 0; i < PARTS; i++)
	{
		size_t size = next[i];

		next[i] = at;
		at += size;
		end[i] = at;
	}

	/* Each value that is taken out makes room for the next one. */
	for (i = 0; i < PARTS; i++)
	{
		while (next[i] < end[i])
		{
			int64_t value = values[next[i]];
			size_t part = PART_OF(value);

			while (part != i)
			{
				int64_t other = values[next[part]];

				values[next[part]++] = value;
				value = other;
				part = PART_OF(value);
			}
			values[next[i]++] = value;
		}
	}
#undef PART_OF
	if (shift == 0)
		return;
	for (i = 0, at = 0; i < PARTS; at = end[i++])
		dp_sort(values + at, end[i] - at);
}
