/*
 * marginals.c
 *		Least squares of tables by several sets of keys.
 */
#include "core/compact_marginals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Passes over cells, of all tables and sets of keys together. */
#define WORK_MAX 0x1p28

double
dp_marginals_cells(const DpMarginals *marginals, int table)
{
	return dp_marginals_combinations(marginals, marginals->members[table]);
}

double
dp_marginals_sets(const DpMarginals *marginals)
{
	DpCompactMarginals compacted = dp_compact_marginals(marginals);
	double sets = 0;
	int table;

	for (table = 0; table < compacted.few.tables; table++)
		sets += ldexp(1, dp_count_keys(compacted.few.members[table]));
	return sets;
}

bool
dp_marginals_are_few(const DpMarginals *marginals)
{
	DpCompactMarginals compacted = dp_compact_marginals(marginals);
	const DpMarginals *few = &compacted.few;
	double work = 0;
	int table;

	for (table = 0; table < few->tables; table++)
		work += ldexp(dp_marginals_cells(few, table),
					  dp_count_keys(few->members[table]));
	return work <= WORK_MAX;
}

static double
variance_of(const DpMarginals *marginals, int table)
{
	uint64_t members = marginals->members[table];
	uint64_t subset = 0;
	double variance = 0;

	do
	{
		double part = 1 / dp_marginals_precision(marginals, subset);
		int key;

		for (key = 0; key < marginals->keys; key++)
		{
			double size = (double) marginals->sizes[key];

			if ((subset & dp_key_bit(key)) != 0)
				part *= (size - 1) / size;
			else if ((members & dp_key_bit(key)) != 0)
				part /= size * size;
		}
		variance += part;
		subset = dp_next_subset(subset, members);
	} while (subset != 0);
	return variance;
}

double
dp_marginals_variance(const DpMarginals *marginals, int table)
{
	DpCompactMarginals compacted = dp_compact_marginals(marginals);

	return variance_of(&compacted.few, table);
}

/*
 * A walk over the cells of a table, along with the index of each in another
 * table, whose keys are some of the first one's.
 */
typedef struct Walk
{
	size_t count; /* of the table's cells */
	size_t other; /* in the other one */
	int keys;	  /* of the table, the last one first */
	int64_t sizes[DP_MARGINAL_KEYS_MAX];
	int64_t digits[DP_MARGINAL_KEYS_MAX];
	int64_t strides[DP_MARGINAL_KEYS_MAX]; /* in the other one */
} Walk;

/* members, others: merged keys. */
static void
start_walk(const DpCompactMarginals *compact, uint64_t members, uint64_t others,
		   Walk *walk)
{
	const DpMarginals *whole = compact->whole;
	int64_t stride = 1;
	int key;

	walk->count = (size_t) dp_marginals_combinations(&compact->few, members);
	walk->other = 0;
	walk->keys = 0;
	members = dp_compact_keys(compact, members);
	others = dp_compact_keys(compact, others);
	for (key = whole->keys - 1; key >= 0; key--)
	{
		bool is_there = (others & dp_key_bit(key)) != 0;

		if ((members & dp_key_bit(key)) == 0)
			continue;
		walk->sizes[walk->keys] = whole->sizes[key];
		walk->digits[walk->keys] = 0;
		walk->strides[walk->keys++] = is_there ? stride : 0;
		if (is_there)
			stride *= whole->sizes[key];
	}
}

/* Goes to the next cell. */
static void
step(Walk *walk)
{
	int i;

	for (i = 0; i < walk->keys; i++)
	{
		walk->other += (size_t) walk->strides[i];
		if (++walk->digits[i] < walk->sizes[i])
			return;
		walk->other -= (size_t) (walk->strides[i] * walk->sizes[i]);
		walk->digits[i] = 0;
	}
}

/* Adds a table to a table with some of its keys. */
static void
add_up(const DpCompactMarginals *compact, uint64_t members, const double *cells,
	   uint64_t others, double *sums)
{
	size_t cell;
	Walk walk;

	start_walk(compact, members, others, &walk);
	for (cell = 0; cell < walk.count; cell++)
	{
		sums[walk.other] += cells[cell];
		step(&walk);
	}
}

/* The reverse: adds to each cell its cell of a table with fewer keys. */
static void
add_spread(const DpCompactMarginals *compact, uint64_t members, double *cells,
		   uint64_t others, const double *parts, double weight)
{
	size_t cell;
	Walk walk;

	start_walk(compact, members, others, &walk);
	for (cell = 0; cell < walk.count; cell++)
	{
		cells[cell] += parts[walk.other] * weight;
		step(&walk);
	}
}

/*
 * Subtracts the mean along each key from a table. room: as large as the table.
 */
static void
center(const DpCompactMarginals *compact, uint64_t keys, double *cells,
	   double *room)
{
	int key;

	for (key = 0; key < compact->few.keys; key++)
	{
		uint64_t others = keys & ~dp_key_bit(key);

		if (others == keys)
			continue;
		memset(room, 0,
			   (size_t) dp_marginals_combinations(&compact->few, others) *
				   sizeof(double));
		add_up(compact, keys, cells, others, room);
		add_spread(compact, keys, cells, others, room,
				   -1 / (double) compact->few.sizes[key]);
	}
}

/*
 * Finds r_S, and adds it to the results. room: twice as large as a table. The sums
 * of whole numbers are exact before they are weighed.
 */
static void
add_residuals(const DpCompactMarginals *compact, uint64_t keys, double **cells,
			  double **results, double *room, size_t most)
{
	const DpMarginals *few = &compact->few;
	double precision = dp_marginals_precision(few, keys);
	size_t size = (size_t) dp_marginals_combinations(few, keys);
	double *sums = room + most;
	int table;

	memset(room, 0, size * sizeof(double));
	for (table = 0; table < few->tables; table++)
	{
		uint64_t members = few->members[table];

		if ((keys & ~members) != 0)
			continue;
		memset(sums, 0, size * sizeof(double));
		add_up(compact, members, cells[table], keys, sums);
		add_spread(compact, keys, room, keys, sums,
				   1 / (few->variances[table] * precision *
						dp_marginals_combinations(few, members & ~keys)));
	}
	center(compact, keys, room, room + most);
	for (table = 0; table < few->tables; table++)
	{
		uint64_t members = few->members[table];

		if ((keys & ~members) == 0)
			add_spread(compact, members, results[table], keys, room,
					   1 / dp_marginals_combinations(few, members & ~keys));
	}
}

/* Whether a set is part of a table's keys, and of no earlier table's. */
static bool
is_new(const DpMarginals *marginals, int table, uint64_t subset)
{
	while (--table >= 0)
	{
		if ((subset & ~marginals->members[table]) == 0)
			return false;
	}
	return true;
}

static void
add_all(const DpCompactMarginals *compact, double **cells, double **results,
		double *room, size_t most)
{
	const DpMarginals *few = &compact->few;
	int table;

	for (table = 0; table < few->tables; table++)
	{
		uint64_t subset = 0;

		do
		{
			if (is_new(few, table, subset))
				add_residuals(compact, subset, cells, results, room, most);
			subset = dp_next_subset(subset, few->members[table]);
		} while (subset != 0);
	}
}

DpStatus
dp_marginals_agree(const DpMarginals *marginals, double **cells)
{
	DpCompactMarginals compacted = dp_compact_marginals(marginals);
	const int tables = compacted.few.tables;
	double *results[DP_MARGINALS_MAX] = {NULL};
	double *room;
	size_t most = 0;
	size_t all = 0;
	int table;

	for (table = 0; table < tables; table++)
	{
		size_t count = (size_t) dp_marginals_cells(marginals, table);

		all += count;
		most = count > most ? count : most;
	}
	room = calloc(all + 2 * most + 1, sizeof(double));
	if (room == NULL)
		return DP_OUT_OF_MEMORY;
	all = 0;
	for (table = 0; table < tables; table++)
	{
		results[table] = room + all;
		all += (size_t) dp_marginals_cells(marginals, table);
	}
	add_all(&compacted, cells, results, room + all, most);
	for (table = 0; table < tables; table++)
		memcpy(cells[table], results[table],
			   (size_t) dp_marginals_cells(marginals, table) * sizeof(double));
	free(room);
	return DP_OK;
}

/* The rest of this file rounds consistent tables to whole numbers. */

/* The tables from the one with the fewest keys to that with the most. */
static void
order_tables(const DpMarginals *marginals, int *order)
{
	int i;

	for (i = 0; i < marginals->tables; i++)
	{
		int keys = dp_count_keys(marginals->members[i]);
		int at = i;

		for (;
			 at > 0 && dp_count_keys(marginals->members[order[at - 1]]) > keys;
			 at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static bool
are_nested(const DpMarginals *marginals, const int *order)
{
	int i;

	for (i = 1; i < marginals->tables; i++)
	{
		if ((marginals->members[order[i - 1]] &
			 ~marginals->members[order[i]]) != 0)
			return false;
	}
	return true;
}

/* A cell to be rounded. */
typedef struct Part
{
	size_t parent;
	size_t cell;
	double rest; /* its fractional part */
} Part;

/* By parent, then by fractional part, the greatest first, then in order. */
static int
compare_parts(const void *a, const void *b)
{
	const Part *one = a;
	const Part *other = b;

	if (one->parent != other->parent)
		return one->parent < other->parent ? -1 : 1;
	if (one->rest != other->rest)
		return one->rest > other->rest ? -1 : 1;
	return one->cell < other->cell ? -1 : one->cell > other->cell;
}

/*
 * Rounds parts of a whole number, which they add up to except for rounding
 * errors.
 */
static void
round_parts(const Part *parts, size_t count, double whole, double *cells)
{
	double left = whole;
	double each;
	size_t i;

	for (i = 0; i < count; i++)
	{
		cells[parts[i].cell] = floor(cells[parts[i].cell]);
		left -= cells[parts[i].cell];
	}
	each = floor(left / (double) count); /* 0, up to rounding errors */
	left -= each * (double) count;
	for (i = 0; i < count; i++)
		cells[parts[i].cell] += each + ((double) i < left ? 1 : 0);
}

/* Rounds a table beneath one that is rounded. */
static DpStatus
round_table(const DpCompactMarginals *compact, int table, int above,
			double **cells)
{
	size_t count = (size_t) dp_marginals_cells(&compact->few, table);
	Part *parts = malloc(count * sizeof(Part));
	size_t first = 0;
	size_t i;
	Walk walk;

	if (parts == NULL)
		return DP_OUT_OF_MEMORY;
	start_walk(compact, compact->few.members[table],
			   compact->few.members[above], &walk);
	for (i = 0; i < count; i++)
	{
		parts[i] =
			(Part){walk.other, i, cells[table][i] - floor(cells[table][i])};
		step(&walk);
	}
	qsort(parts, count, sizeof(Part), compare_parts);
	for (i = 1; i <= count; i++)
	{
		if (i < count && parts[i].parent == parts[first].parent)
			continue;
		round_parts(parts + first, i - first, cells[above][parts[first].parent],
					cells[table]);
		first = i;
	}
	free(parts);
	return DP_OK;
}

static void
round_cells(const DpMarginals *marginals, int table, double *cells)
{
	size_t count = (size_t) dp_marginals_cells(marginals, table);
	size_t i;

	for (i = 0; i < count; i++)
		cells[i] = rint(cells[i]);
}

DpStatus
dp_marginals_round(const DpMarginals *marginals, double **cells)
{
	DpCompactMarginals compacted = dp_compact_marginals(marginals);
	int order[DP_MARGINALS_MAX] = {0};
	bool nested;
	int i;

	order_tables(&compacted.few, order);
	nested = are_nested(&compacted.few, order);
	for (i = 0; i < marginals->tables; i++)
	{
		if (i == 0 || !nested)
			round_cells(marginals, order[i], cells[order[i]]);
		else
			DP_TRY(round_table(&compacted, order[i], order[i - 1], cells));
	}
	return DP_OK;
}
