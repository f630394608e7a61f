/*
 * compact_marginals.c
 *		Sets of keys, and keys that occur in the same tables.
 */
#include "core/compact_marginals.h"

#include <string.h>

int
dp_count_keys(uint64_t keys)
{
	int count = 0;

	for (; keys != 0; keys &= keys - 1)
		count++;
	return count;
}

/* The tables that have a key, a bit for each. */
static uint64_t
tables_of(const DpMarginals *marginals, int key)
{
	uint64_t tables = 0;
	int table;

	for (table = 0; table < marginals->tables; table++)
	{
		if ((marginals->members[table] & dp_key_bit(key)) != 0)
			tables |= dp_key_bit(table);
	}
	return tables;
}

DpCompactMarginals
dp_compact_marginals(const DpMarginals *marginals)
{
	DpCompactMarginals result = {.whole = marginals, .few = *marginals};
	DpMarginals *few = &result.few;
	uint64_t known[DP_MARGINAL_KEYS_MAX];
	int key;
	int table;

	few->keys = 0;
	memset(few->members, 0, sizeof(few->members));
	for (key = 0; key < marginals->keys; key++)
	{
		uint64_t tables = tables_of(marginals, key);
		int same = 0;

		if (marginals->sizes[key] == 1 || tables == 0)
			continue;
		while (same < few->keys && known[same] != tables)
			same++;
		if (same == few->keys)
		{
			known[same] = tables;
			few->sizes[same] = 1;
			few->keys++;
		}
		few->sizes[same] *= marginals->sizes[key];
		result.keys[same] |= dp_key_bit(key);
	}
	for (key = 0; key < few->keys; key++)
	{
		for (table = 0; table < few->tables; table++)
		{
			if ((known[key] & dp_key_bit(table)) != 0)
				few->members[table] |= dp_key_bit(key);
		}
	}
	return result;
}

uint64_t
dp_compact_keys(const DpCompactMarginals *compact, uint64_t keys)
{
	uint64_t result = 0;
	int key;

	for (key = 0; key < compact->few.keys; key++)
	{
		if ((keys & dp_key_bit(key)) != 0)
			result |= compact->keys[key];
	}
	return result;
}

double
dp_marginals_combinations(const DpMarginals *marginals, uint64_t keys)
{
	double count = 1;
	int key;

	for (key = 0; key < marginals->keys; key++)
	{
		if ((keys & dp_key_bit(key)) != 0)
			count *= (double) marginals->sizes[key];
	}
	return count;
}

double
dp_marginals_precision(const DpMarginals *marginals, uint64_t keys)
{
	double precision = 0;
	int table;

	for (table = 0; table < marginals->tables; table++)
	{
		uint64_t members = marginals->members[table];

		if ((keys & ~members) == 0)
			precision +=
				1 / (marginals->variances[table] *
					 dp_marginals_combinations(marginals, members & ~keys));
	}
	return precision;
}
