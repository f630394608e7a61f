/*
 * draw.c
 *		Draws of a sampler, counted, for test/audit/samplers/check.
 *
 *	draw SAMPLER DRAWS SECONDS SEED PARAMETER...
 *
 * Standard input says what to count: a line with the upper ends of cells, in
 * ascending order (the last cell has none), and a line with a modulus, or 0.
 * Printed are a line with the counts of the cells, one with those of the residues,
 * and one with the number of draws: DRAWS, or as many as so many seconds of the
 * processor would do by the pace of a first few, which are not counted; SECONDS 0:
 * DRAWS. Seed 0 is the system's source. All numbers are integers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draw.h"

#define CELLS_MAX 4096
#define MODULUS_MAX 64

/* How many draws tell the pace. */
#define FIRST_DRAWS 2000

typedef struct Cells
{
	dp_int128 ends[CELLS_MAX];
	uint64_t counts[CELLS_MAX + 1];
	size_t number;
	uint64_t modulus;
	uint64_t residues[MODULUS_MAX];
} Cells;

/* A number from a text, which it must begin; NULL where there is none. */
static const char *
read_number(const char *text, dp_int128 *value)
{
	bool negative;
	const char *at;

	while (*text == ' ')
		text++;
	negative = *text == '-';
	at = text += negative;
	*value = 0;
	for (; *at >= '0' && *at <= '9'; at++)
		*value = 10 * *value + (*at - '0');
	if (negative)
		*value = -*value;
	return at == text ? NULL : at;
}

static bool
read_cells(Cells *cells)
{
	static char line[CELLS_MAX * 42];
	const char *at = line;
	dp_int128 modulus;

	if (fgets(line, sizeof(line), stdin) == NULL)
		return false;
	while (cells->number < CELLS_MAX &&
		   (at = read_number(at, &cells->ends[cells->number])) != NULL)
		cells->number++;
	if (fgets(line, sizeof(line), stdin) == NULL ||
		read_number(line, &modulus) == NULL || modulus > MODULUS_MAX)
		return false;
	cells->modulus = (uint64_t) modulus;
	return true;
}

static void
count(Cells *cells, dp_int128 value)
{
	size_t low = 0;
	size_t high = cells->number;

	while (low < high)
	{
		size_t middle = (low + high) / 2;

		if (value <= cells->ends[middle])
			high = middle;
		else
			low = middle + 1;
	}
	cells->counts[low]++;
	if (cells->modulus > 0)
	{
		dp_int128 modulus = (dp_int128) cells->modulus;

		cells->residues[(value % modulus + modulus) % modulus]++;
	}
}

static void
print_counts(const uint64_t *counts, size_t number)
{
	size_t i;

	for (i = 0; i < number; i++)
		printf("%llu ", (unsigned long long) counts[i]);
	printf("\n");
}

/* Draws so often; false where it cannot. cells: or NULL, where nothing is counted. */
static bool
draw(DpRandom *random, Case *c, uint64_t draws, Cells *cells)
{
	while (draws-- > 0)
	{
		dp_int128 value = 0;

		if (c->draw(random, c, &value) != DP_OK)
			return false;
		if (cells != NULL)
			count(cells, value);
	}
	return true;
}

/*
 * How often to draw within so many seconds, at most draws. The first draws are not
 * counted, so that how long a draw takes has no part in what is.
 */
static bool
fit(DpRandom *random, Case *c, uint64_t seconds, uint64_t *draws)
{
	clock_t begin = clock();
	double each;

	if (seconds == 0 || *draws <= FIRST_DRAWS)
		return true;
	if (!draw(random, c, FIRST_DRAWS, NULL))
		return false;
	each = (double) (clock() - begin) / CLOCKS_PER_SEC / FIRST_DRAWS;
	if ((double) *draws * each > (double) seconds)
		*draws = FIRST_DRAWS + (uint64_t) ((double) seconds / each);
	return true;
}

int
main(int argc, char **argv)
{
	static Cells cells;
	static TestRandom source;
	static Case c;
	DpRandom *random;
	uint64_t seed;
	uint64_t draws;
	uint64_t seconds;
	int i;

	if (argc < 5 || argc - 5 > PARAMETERS_MAX || !read_cells(&cells))
		return 2;
	draws = strtoull(argv[2], NULL, 10);
	seconds = strtoull(argv[3], NULL, 10);
	seed = strtoull(argv[4], NULL, 10);
	random = seed == 0 ? dp_random_system() : random_seeded(&source, seed);
	for (i = 5; i < argc; i++)
	{
		if (read_number(argv[i], &c.p[c.number++]) == NULL)
			return 2;
	}
	c.draw = sampler_named(argv[1]);
	if (c.draw == NULL || random == NULL || !sampler_prepare(argv[1], &c))
	{
		fprintf(stderr, "draw: %s cannot be prepared\n", argv[1]);
		return 2;
	}
	if (!fit(random, &c, seconds, &draws) || !draw(random, &c, draws, &cells))
	{
		fprintf(stderr, "draw: %s does not draw\n", argv[1]);
		return 2;
	}
	print_counts(cells.counts, cells.number + 1);
	print_counts(cells.residues, cells.modulus);
	print_counts(&draws, 1);
	return 0;
}
