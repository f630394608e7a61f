/*
 * marginals.c
 *		Least squares of tables by several sets of keys.
 */
#include "core/marginals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Passes over cells, of all tables and sets of keys together. */
#define WORK_MAX 0x1p28

#define bit(key) ((uint64_t) 1 << ((key) &63))

/* Keys that occur in the same tables, merged into one. */
typedef struct Compact
{
	const DpMarginals *whole;
	DpMarginals few;					 /* with merged keys */
	uint64_t keys[DP_MARGINAL_KEYS_MAX]; /* the keys that each stands for */
} Compact;

/* The tables that have a key, a bit for each. */
static uint64_t
tables_of(const DpMarginals *marginals, int key)
{
	uint64_t tables = 0;
	int table;

	for (table = 0; table < marginals->tables; table++)
	{
		if ((marginals->members[table] & bit(key)) != 0)
			tables |= bit(table);
	}
	return tables;
}

static Compact
compact(const DpMarginals *marginals)
{
	Compact result = {.whole = marginals, .few = *marginals};
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
		result.keys[same] |= bit(key);
	}
	for (key = 0; key < few->keys; key++)
	{
		for (table = 0; table < few->tables; table++)
		{
			if ((known[key] & bit(table)) != 0)
				few->members[table] |= bit(key);
		}
	}
	return result;
}

/* The keys that some merged keys stand for. */
static uint64_t
keys_of(const Compact *compact, uint64_t keys)
{
	uint64_t result = 0;
	int key;

	for (key = 0; key < compact->few.keys; key++)
	{
		if ((keys & bit(key)) != 0)
			result |= compact->keys[key];
	}
	return result;
}

/* The number of combinations of some keys. */
static double
combinations(const DpMarginals *marginals, uint64_t keys)
{
	double count = 1;
	int key;

	for (key = 0; key < marginals->keys; key++)
	{
		if ((keys & bit(key)) != 0)
			count *= (double) marginals->sizes[key];
	}
	return count;
}

double
dp_marginals_cells(const DpMarginals *marginals, int table)
{
	return combinations(marginals, marginals->members[table]);
}

static int
count_keys(uint64_t keys)
{
	int count = 0;

	for (; keys != 0; keys &= keys - 1)
		count++;
	return count;
}

double
dp_marginals_sets(const DpMarginals *marginals)
{
	Compact compacted = compact(marginals);
	double sets = 0;
	int table;

	for (table = 0; table < compacted.few.tables; table++)
		sets += ldexp(1, count_keys(compacted.few.members[table]));
	return sets;
}

bool
dp_marginals_are_few(const DpMarginals *marginals)
{
	Compact compacted = compact(marginals);
	const DpMarginals *few = &compacted.few;
	double work = 0;
	int table;

	for (table = 0; table < few->tables; table++)
		work += ldexp(dp_marginals_cells(few, table),
					  count_keys(few->members[table]));
	return work <= WORK_MAX;
}

/* 1/tau_S */
static double
precision_of(const DpMarginals *marginals, uint64_t keys)
{
	double precision = 0;
	int table;

	for (table = 0; table < marginals->tables; table++)
	{
		uint64_t members = marginals->members[table];

		if ((keys & ~members) == 0)
			precision += 1 / (marginals->variances[table] *
							  combinations(marginals, members & ~keys));
	}
	return precision;
}

/* The subset after this one of some keys; 0 comes after the last. */
static uint64_t
next_subset(uint64_t subset, uint64_t keys)
{
	return (subset - keys) & keys;
}

static double
variance_of(const DpMarginals *marginals, int table)
{
	uint64_t members = marginals->members[table];
	uint64_t subset = 0;
	double variance = 0;

	do
	{
		double part = 1 / precision_of(marginals, subset);
		int key;

		for (key = 0; key < marginals->keys; key++)
		{
			double size = (double) marginals->sizes[key];

			if ((subset & bit(key)) != 0)
				part *= (size - 1) / size;
			else if ((members & bit(key)) != 0)
				part /= size * size;
		}
		variance += part;
		subset = next_subset(subset, members);
	} while (subset != 0);
	return variance;
}

double
dp_marginals_variance(const DpMarginals *marginals, int table)
{
	Compact compacted = compact(marginals);

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
start_walk(const Compact *compact, uint64_t members, uint64_t others,
		   Walk *walk)
{
	const DpMarginals *whole = compact->whole;
	int64_t stride = 1;
	int key;

	walk->count = (size_t) combinations(&compact->few, members);
	walk->other = 0;
	walk->keys = 0;
	members = keys_of(compact, members);
	others = keys_of(compact, others);
	for (key = whole->keys - 1; key >= 0; key--)
	{
		bool is_there = (others & bit(key)) != 0;

		if ((members & bit(key)) == 0)
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

/* Adds a table, times a weight, to a table with some of its keys. */
static void
add_up(const Compact *compact, uint64_t members, const double *cells,
	   uint64_t others, double *sums, double weight)
{
	size_t cell;
	Walk walk;

	start_walk(compact, members, others, &walk);
	for (cell = 0; cell < walk.count; cell++)
	{
		sums[walk.other] += cells[cell] * weight;
		step(&walk);
	}
}

/* The reverse: adds to each cell its cell of a table with fewer keys. */
static void
add_spread(const Compact *compact, uint64_t members, double *cells,
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
center(const Compact *compact, uint64_t keys, double *cells, double *room)
{
	int key;

	for (key = 0; key < compact->few.keys; key++)
	{
		uint64_t others = keys & ~bit(key);

		if (others == keys)
			continue;
		memset(room, 0,
			   (size_t) combinations(&compact->few, others) * sizeof(double));
		add_up(compact, keys, cells, others, room, 1);
		add_spread(compact, keys, cells, others, room,
				   -1 / (double) compact->few.sizes[key]);
	}
}

/* Finds r_S, and adds it to the results. room: twice as large as a table. */
static void
add_residuals(const Compact *compact, uint64_t keys, double **cells,
			  double **results, double *room, size_t most)
{
	const DpMarginals *few = &compact->few;
	double precision = precision_of(few, keys);
	int table;

	memset(room, 0, (size_t) combinations(few, keys) * sizeof(double));
	for (table = 0; table < few->tables; table++)
	{
		uint64_t members = few->members[table];

		if ((keys & ~members) == 0)
			add_up(compact, members, cells[table], keys, room,
				   1 / (few->variances[table] * precision *
						combinations(few, members & ~keys)));
	}
	center(compact, keys, room, room + most);
	for (table = 0; table < few->tables; table++)
	{
		uint64_t members = few->members[table];

		if ((keys & ~members) == 0)
			add_spread(compact, members, results[table], keys, room,
					   1 / combinations(few, members & ~keys));
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
add_all(const Compact *compact, double **cells, double **results, double *room,
		size_t most)
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
			subset = next_subset(subset, few->members[table]);
		} while (subset != 0);
	}
}

DpStatus
dp_marginals_agree(const DpMarginals *marginals, double **cells)
{
	Compact compacted = compact(marginals);
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
		int keys = count_keys(marginals->members[i]);
		int at = i;

		for (; at > 0 && count_keys(marginals->members[order[at - 1]]) > keys;
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

bool
dp_marginals_are_nested(const DpMarginals *marginals)
{
	Compact compacted = compact(marginals);
	int order[DP_MARGINALS_MAX] = {0};

	order_tables(&compacted.few, order);
	return are_nested(&compacted.few, order);
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
round_table(const Compact *compact, int table, int above, double **cells)
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
	Compact compacted = compact(marginals);
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
